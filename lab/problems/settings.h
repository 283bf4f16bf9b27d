/* Parameter values of a problem: the defaults of its type with a user's settings over them. */
#ifndef CD_PROBLEMS_SETTINGS_H
#define CD_PROBLEMS_SETTINGS_H

#include "problem_type.h"

/* Fills `values` (one per parameter of the type) and checks each on its own. */
cardan_status cd_settings_apply(const cd_problem_type *type, const lab_setting *settings, int count,
                                double *values, cardan_error *error);

#endif
