/* What the generalized-alpha methods share: the recursion ACB15 (9), prediction, and weights of the
 * scaled unknowns.
 *
 * A step is determined by v'_{n+1} (then a, v and, with eta, the increment of q follow), by lambda,
 * psi and eta. The unknowns of the corrector are scaled so that the iteration matrix tends to
 * (mu M  B^T; B  0) as h -> 0 (Bottasso, Bauchau, Cardona): x = h dv, h^2 dlambda, h^2 dpsi and,
 * for the stabilised form, p = d(increment) and y = h deta. With mu = (1 - alpha_m) / ((1 -
 * alpha_f) gamma):
 *
 *   dv' = mu x / h^2,   dv = x / h,   p = (beta / gamma) x + (h / 12) [v_n, x] - B(q_n)^T y,
 *   dq_{n+1} = T(increment) p,
 *
 * where the bracket is there only with the commutator-corrected update (MAGNUS). */
#ifndef CD_SCHEME_GA_H
#define CD_SCHEME_GA_H

#include "scheme.h"

/* mu */
double cd_ga_acceleration_weight(const cardan_params *params);

/* Predicts v', lambda, psi (predict.h) and eta, and computes a_{n+1}, v_{n+1}, the increment and
 * q_{n+1} from v'_{n+1} and, if stabilised, eta by ACB15 (9a)-(9d), (58a). */
void cd_ga_predict(cd_step *step, bool stabilised);

/* A correction: x, h^2 dlambda, h^2 dpsi and, in the stabilised form only, h deta. */
typedef struct cd_ga_change {
    const double *x, *lambda, *psi, *eta;
} cd_ga_change;

/* Adds `factor` times a correction, v' += factor mu x / h^2 and so on, and computes a, v and q. */
void cd_ga_correct(cd_step *step, const cd_ga_change *by, double factor);

/* Rejects parameters for which the recursion is not defined. */
cardan_status cd_ga_check(const cd_step *step, cardan_error *error);

/* The number of unknowns: one for every velocity and multiplier. */
int cd_ga_unknowns(const cardan_system *system);

/* Rounding levels of positions and of h v. */
double cd_ga_position_rounding(const cd_step *step);
double cd_ga_velocity_rounding(const cd_step *step);
/* The latter at worst: B loses more digits if it is differenced by a small coordinate while others
 * are large. It only ends an iteration that no longer improves. */
double cd_ga_velocity_rounding_at_worst(const cd_step *step);
/* Tolerance of h^2 lambda and h^2 psi, without rounding. */
double cd_ga_multiplier_allowance(const cd_step *step);
/* The factor by which an error in x appears in h^2 lambda. */
double cd_ga_multiplier_gain(const cd_step *step);
/* Rounding level of h^2 lambda and h^2 psi if x is uncertain by `unit`; rather too large, since it
 * only ends an iteration that no longer improves. */
double cd_ga_multiplier_rounding(const cd_step *step, double unit);
/* Tolerances of the position and the velocity of dof i. */
double cd_ga_position_allowance(const cd_step *step, int i);
double cd_ga_velocity_allowance(const cd_step *step, int i);
/* Weights of x = h dv: the smallest of both tolerances and `limit`, plus its rounding `unit`. */
void cd_ga_weigh_motion(cd_step *step, double limit, double unit, double *weights);

/* Weights and rounding levels of (x, h^2 lambda, h^2 psi). by_position: x follows from Phi rather
 * than from velocity constraints. The residual of Phi after a step reappears in later multipliers,
 * amplified by gain / h^2 and by the error recursion (ACB15 (54): theta / h^2), so x must respect
 * the tolerance of multipliers, too. */
void cd_ga_weigh(cd_step *step, bool by_position, double *weights, cd_rounding *rounding);

/* The first row of each kind of constraint; 0: there is none. All other rows are equations of
 * motion, in sets of k. */
typedef struct cd_ga_rows {
    int position, velocity, acceleration, nonholonomic;
} cd_ga_rows;
/* Names a row for messages: "constraint 3 (hinge) at velocity level". */
void cd_ga_name_row(cd_step *step, cd_ga_rows first, int row, char *text, int size);

/* The map by which x changes q: the increment is ratio * x plus, with MAGNUS, the bracket above. */
cd_map cd_ga_map(const cd_step *step, double ratio);
/* step->increment += h^2 / 12 [v_n, v_{n+1}] with MAGNUS. */
void cd_ga_add_bracket(cd_step *step);

static inline void cd_fill(int n, double value, double *x)
{
    for (int i = 0; i < n; i++)
        x[i] = value;
}

#endif
