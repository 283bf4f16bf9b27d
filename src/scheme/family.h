/* The parameter families behind cardan/params.h, in quadruple precision: one table entry each. */
#ifndef CD_SCHEME_FAMILY_H
#define CD_SCHEME_FAMILY_H

#include "quad.h"

#include <cardan/params.h>
#include <stddef.h>

enum { CD_FAMILY_VALUES = 4 }; /* no family takes more */

typedef struct cd_params_quad {
    cd_quad alpha_m, alpha_f, beta, gamma;
} cd_params_quad;

typedef struct cd_family {
    const char *name;
    const char *usage; /* how it is written, with the allowed values */
    int count;         /* values after the colon */
    int (*allows)(const cd_quad *values);
    cd_params_quad (*evaluate)(const cd_quad *values);
} cd_family;

/* The family whose name is name[0..length), or NULL. */
const cd_family *cd_family_find(const char *name, size_t length);

/* Each number rounded to the nearest double. */
cardan_params cd_params_round(const cd_params_quad *params);

/* cardan_params_parse before any rounding: "0.9" is nine tenths and "-1/3" a third. */
cardan_status cd_params_parse_quad(const char *text, cd_params_quad *params, cardan_error *error);

#endif
