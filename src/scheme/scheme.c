/* The table of methods. */
#include "scheme.h"

#include <string.h>

const cd_scheme *const cd_automatic_explicit = &cd_scheme_rk5;
const cd_scheme *const cd_automatic_implicit = &cd_scheme_ga2s;
static const cd_scheme *const of_fixed_steps = &cd_scheme_ga2s;

static const cd_scheme *const schemes[] = {
    &cd_scheme_ga3,          &cd_scheme_ga2s,     &cd_scheme_ga2,         &cd_scheme_ga1,
    &cd_scheme_nonholonomic, &cd_scheme_hht,      &cd_scheme_hht3,        &cd_scheme_hht2,
    &cd_scheme_conserving,   &cd_scheme_midpoint, &cd_scheme_trapezoidal, &cd_scheme_rk5,
    &cd_scheme_bdf};

int cardan_method_count(void)
{
    return (int)(sizeof schemes / sizeof schemes[0]);
}

cardan_method_info cardan_method_describe(int i)
{
    if (i < 0 || i >= cardan_method_count())
        return (cardan_method_info){0};
    const cd_scheme *it = schemes[i];
    return (cardan_method_info){.name = it->name,
                                .summary = it->summary,
                                .stage_count = it->stages,
                                .uses_params = it->params == NULL,
                                .adapts = it->estimates};
}

const cd_scheme *cd_scheme_find(const char *name)
{
    if (name != NULL && strcmp(name, CD_AUTOMATIC) == 0)
        return of_fixed_steps;
    for (int i = 0; name != NULL && i < cardan_method_count(); i++)
        if (strcmp(schemes[i]->name, name) == 0)
            return schemes[i];
    return NULL;
}
