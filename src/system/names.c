/* The names of rows and columns of the equations, for messages. */
#include "system.h"

#include <stdio.h>

cd_name cd_system_own_name(const cardan_system *system, cardan_name_kind kind, int i)
{
    const cardan_system_def *def = &system->def;
    const char *const *const names[] = {def->velocity_names, def->constraint_names,
                                        def->nonholonomic_names};
    cd_name name = {""};
    if (names[kind] != NULL)
        snprintf(name.text, sizeof name.text, "%s", names[kind][i]);
    else if (def->name != NULL)
        def->name(def->context, kind, i, name.text, (int)sizeof name.text);
    return name;
}

cd_name cd_system_name(const cardan_system *system, cardan_name_kind kind, int i)
{
    static const char *const kinds[] = {"velocity", "constraint", "nonholonomic constraint"};
    const cd_name own = cd_system_own_name(system, kind, i);
    cd_name name;
    const int used = snprintf(name.text, sizeof name.text, "%s %d", kinds[kind], i + 1);
    const int room = (int)sizeof name.text - used - 4;
    if (own.text[0] != '\0')
        snprintf(name.text + used, sizeof name.text - (size_t)used, " (%.*s)", room, own.text);
    return name;
}

cd_name cd_system_multiplier_name(const cardan_system *system, int i)
{
    return i < system->m ? cd_system_name(system, CARDAN_NAME_CONSTRAINT, i)
                         : cd_system_name(system, CARDAN_NAME_NONHOLONOMIC, i - system->m);
}
