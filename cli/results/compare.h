/* The distance of a state from a reference: q in the Lie algebra, v, v', lambda and psi, each in
 * the 2-norm. */
#ifndef CLI_COMPARE_H
#define CLI_COMPARE_H

#include "cli/setup/case.h"
#include <stdbool.h>

/* The quantities that are compared; eta is compared with zero, by those who know it. */
enum { CLI_Q, CLI_V, CLI_VDOT, CLI_LAMBDA, CLI_PSI, CLI_ETA, CLI_QUANTITIES };
extern const char *const cli_quantity_names[CLI_QUANTITIES];

typedef struct cli_comparison {
    cli_case *problem;
    int dof, constraints, nonholonomic;
    double *q, *v, *vdot, *lambda, *psi; /* of the reference */
    double *difference;                  /* of q, in the algebra */
} cli_comparison;

cli_comparison cli_comparison_create(cli_case *problem);
void cli_comparison_free(cli_comparison *comparison);

/* Takes the problem's own reference at time t; false with the reason if there is none. */
bool cli_comparison_look_up(cli_comparison *comparison, double t, cardan_error *error);

/* Takes a state as the reference. */
void cli_comparison_keep(cli_comparison *comparison, const cardan_point *state);

/* All but eta, which is 0. */
void cli_comparison_errors(const cli_comparison *comparison, const cardan_point *at,
                           double errors[CLI_QUANTITIES]);

/* |x - y| in the 2-norm; y may be NULL for zero. */
double cli_distance(int n, const double *x, const double *y);

#endif
