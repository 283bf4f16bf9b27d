/* The four parameters of a generalized-alpha method, and families of them.
 *
 *   q_{n+1} = q_n exp(h dq),  dq = v_n + (1/2 - beta) h a_n + beta h a_{n+1}
 *   v_{n+1} = v_n + (1 - gamma) h a_n + gamma h a_{n+1}
 *   (1 - alpha_m) a_{n+1} + alpha_m a_n = (1 - alpha_f) v'_{n+1} + alpha_f v'_n     (ACB15 (9)) */
#ifndef CARDAN_PARAMS_H
#define CARDAN_PARAMS_H

#include <cardan/status.h>

typedef struct cardan_params {
    double alpha_m;
    double alpha_f;
    double beta;
    double gamma;
} cardan_params;

/* Families with one value, or none. */
typedef enum cardan_family {
    CARDAN_FAMILY_CHUNG_HULBERT, /* optimal, ACB15 (52): value is rho, 0 <= rho <= 1 */
    CARDAN_FAMILY_HHT, /* Hilber, Hughes, Taylor: value is alpha, -1/3 <= alpha <= 0; alpha_f =
                          -alpha */
    CARDAN_FAMILY_WBZ, /* Wood, Bossak, Zienkiewicz: value is alpha_m <= 0; alpha_f = 0 */
    CARDAN_FAMILY_TRAPEZOIDAL, /* no value: beta = 1/4, gamma = 1/2 */
    CARDAN_FAMILY_STOERMER     /* no value (leapfrog): beta = 0, gamma = 1/2 */
} cardan_family;

/* The member of a family. The range of the value is not checked; cardan_params_parse checks it. All
 * numbers are NAN if the family does not exist. Newmark's method is {.beta = b, .gamma = g}. */
CARDAN_API cardan_params cardan_params_make(cardan_family family, double value);

/* Parses "NAME" or "NAME:VALUES" with comma-separated values:
 * ch:rho, hht:alpha, wbz:alpha_m, newmark:beta,gamma, trapezoidal, stoermer,
 * free:alpha_m,alpha_f,beta,gamma. `error` may be NULL. */
CARDAN_API cardan_status cardan_params_parse(const char *text, cardan_params *params,
                                             cardan_error *error);

/* The conditions on parameters. */
typedef struct cardan_params_verdict {
    double order_defect;   /* gamma - (1/2 + alpha_f - alpha_m), 0 for order two, ACB15 (12) */
    double shift;          /* Delta_alpha = alpha_m - alpha_f: a_n approximates v'(t_n + shift h) */
    int second_order;      /* order condition (12) holds */
    int strictly_stable;   /* stability conditions (50): damping at infinity, constrained use */
    int oscillator_stable; /* no growth for any omega h on the linear oscillator */
    /* The next three are the factors by which errors of a and psi change per step (Jay11, Theorem
     * 6.1). */
    double rate_gamma;       /* |(gamma - 1)/gamma| */
    double rate_alpha_m;     /* |alpha_m/(alpha_m - 1)| */
    double rate_alpha_f;     /* |alpha_f/(alpha_f - 1)| */
    int nonholonomic_stable; /* all three are below 1, and rate_gamma differs from rate_alpha_f */
    char violated[256];      /* the first violated condition in words, or "" */
} cardan_params_verdict;

CARDAN_API cardan_params_verdict cardan_params_judge(const cardan_params *params);

#endif
