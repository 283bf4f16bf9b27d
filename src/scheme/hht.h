/* What the HHT methods share.
 *
 * In the constrained ones the acceleration v' is split into f, what it would be without reactions,
 * and the reactions R (JN07 (3.1)):
 *
 *   M f + g(q, v, 0, t) = 0,    M R + (g(q, v, lambda, t) - g(q, v, 0, t)) + B^T lambda = 0,
 *
 * and likewise with K^T psi; a reacting_force belongs to the second. Only f is carried over from
 * step to step, as a_{n+1} = (1 + alpha) f_{n+1} - alpha f_n, which approximates f(t_{n+1} + alpha
 * h). Lunk-Simeon's variant of hht3 has the a_{n+1} of the generalized-alpha method instead,
 *
 *   (1 - alpha_m) a_{n+1} + alpha_m a_n = (1 - alpha_f) f_{n+1} + alpha_f f_n,
 *
 * the same for alpha_m = 0, alpha_f = -alpha. */
#ifndef CD_SCHEME_HHT_H
#define CD_SCHEME_HHT_H

#include "ga.h"

/* Are the parameters HHT's, alpha_m = 0, beta = (1 - alpha)^2 / 4, gamma = 1/2 - alpha? */
cardan_status cd_hht_check_params(const cd_step *step, cardan_error *error);

/* The coefficients of a_n, f_n and f_{n+1} in a quantity. */
typedef struct cd_hht_share {
    double old_a, old_f, new_f;
} cd_hht_share;

/* The coefficients of a_{n+1} (Jay11 (1.2c), for alpha_m = 0 JN07 (3.4c)) and of what it adds to
 * the increment divided by h^2 and to the velocity divided by h. */
typedef struct cd_hht_rule {
    cd_hht_share acceleration, position, velocity;
} cd_hht_rule;
cd_hht_rule cd_hht_rule_of(const cardan_params *params);

/* The sum of a_n, f_n and f_{n+1} in these shares, for one component. */
static inline double cd_hht_combine(const cd_hht_share *share, double old_a, double old_f,
                                    double new_f)
{
    return share->old_a * old_a + share->old_f * old_f + share->new_f * new_f;
}

/* cd_step.memory, named. `previous` and `stage` change with accepted steps only. */
typedef struct cd_hht_memory {
    double *force;       /* k: f at t_n */
    double *previous;    /* k: f at t_{n-1} */
    double *stage;       /* 2 (m + l): multipliers of the last accepted step */
    double *vectors;     /* 3 k: f and R of the step */
    double *multipliers; /* 2 (m + l) */
    double *q, *v;       /* group size, k: a point between t_n and t_{n+1} */
    double *zeros;       /* k + m + l */
} cd_hht_memory;

int cd_hht_memory_size(const cardan_system *system);
/* The members, as pointers into step->memory. */
cd_hht_memory cd_hht_memory_of(const cd_step *step);

/* Evaluates f at the old state and keeps it in memory; the first call of a step. */
cardan_status cd_hht_begin(cd_step *step);

/* Members of cd_scheme: a_0 = f(t_0) or, perturbed, f(t_0 + alpha h); JN07 (2.3) for step sizes; a,
 * v', lambda and psi at t_{n+1}, with the multipliers of the step kept in `stage`. */
cardan_status cd_hht_start(cd_step *step, bool perturbed);
cardan_status cd_hht_rescale(cd_step *step, double s);
cardan_status cd_hht_finish(cd_step *step);

/* What hht2 and hht3 have in common; functions without a prefix are those of their own file. */
#define CD_HHT_FUNCTIONS                                                                           \
    .local_multipliers = true, .begins_trapezoidal = true, .check = check, .unknowns = unknowns,   \
    .memory = cd_hht_memory_size, .terms = list_terms, .start = cd_hht_start,                      \
    .rescale = cd_hht_rescale, .begin = begin, .residual = residual, .assemble = assemble,         \
    .correct = correct, .weigh = weigh, .name_row = name_row, .finish = cd_hht_finish,             \
    .show = show_stages

#endif
