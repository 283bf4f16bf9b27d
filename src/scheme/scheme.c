/* The table of methods. */
#include "scheme.h"

#include <string.h>

static const cd_scheme *const schemes[] = {
    &cd_scheme_ga3,          &cd_scheme_ga2s,     &cd_scheme_ga2,         &cd_scheme_ga1,
    &cd_scheme_nonholonomic, &cd_scheme_hht,      &cd_scheme_hht3,        &cd_scheme_hht2,
    &cd_scheme_conserving,   &cd_scheme_midpoint, &cd_scheme_trapezoidal, &cd_scheme_rk5};

int cardan_method_count(void)
{
    return (int)(sizeof schemes / sizeof schemes[0]);
}

const char *cardan_method_name(int i)
{
    return i >= 0 && i < cardan_method_count() ? schemes[i]->name : NULL;
}

const char *cardan_method_summary(int i)
{
    return i >= 0 && i < cardan_method_count() ? schemes[i]->summary : NULL;
}

int cardan_method_stages(int i)
{
    return i >= 0 && i < cardan_method_count() ? schemes[i]->stages : 0;
}

bool cardan_method_uses_params(int i)
{
    return i >= 0 && i < cardan_method_count() && schemes[i]->params == NULL;
}

bool cardan_method_adapts(int i)
{
    return i >= 0 && i < cardan_method_count() && schemes[i]->estimates;
}

const cd_scheme *cd_scheme_find(const char *name)
{
    for (int i = 0; name != NULL && i < cardan_method_count(); i++)
        if (strcmp(schemes[i]->name, name) == 0)
            return schemes[i];
    return NULL;
}
