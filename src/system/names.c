/* What messages call the rows and columns of the equations. */
#include "system/system.h"

#include <stdio.h>

static cd_name name_of(const char *kind, const char *const *names, int i)
{
    cd_name name;
    if (names != NULL && names[i][0] != '\0')
        snprintf(name.text, sizeof name.text, "%s %d (%s)", kind, i + 1, names[i]);
    else
        snprintf(name.text, sizeof name.text, "%s %d", kind, i + 1);
    return name;
}

cd_name cd_system_dof_name(const cardan_system *system, int i)
{
    return name_of("velocity", system->def.velocity_names, i);
}

cd_name cd_system_constraint_name(const cardan_system *system, int i)
{
    return name_of("constraint", system->def.constraint_names, i);
}

cd_name cd_system_rolling_name(const cardan_system *system, int i)
{
    return name_of("nonholonomic constraint", system->def.nonholonomic_names, i);
}
