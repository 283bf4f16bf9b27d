/* What a method's four numbers mean: behaviour on the linear oscillator q'' + omega^2 q = 0, and
 * the error recursion of the multipliers of a constrained system (RECUR; ACB15 Sec. 4.1). */
#ifndef CARDAN_ANALYSIS_H
#define CARDAN_ANALYSIS_H

#include <cardan/params.h>

/* A parameter family by name with its values, so that the analysis can evaluate the family in
 * extended precision: "ch", "hht", ... as in cardan_params_parse. */
typedef struct cardan_spectrum {
    double omega;           /* Omega = omega h */
    double spectral_radius; /* of the amplification matrix */
    double damping_ratio;   /* -ln|z| / |arg z| of the principal roots */
    double period_error;    /* (T_numerical - T) / T = Omega/|arg z| - 1 */
    double spurious_root;   /* the third, real root */
} cardan_spectrum;

/* Spectral properties at Omega > 0, to double precision for any Omega. `family` is the text that
 * cardan_params_parse takes ("ch:0.9", "hht:-0.1", "free:..."). */
CARDAN_API cardan_status cardan_analysis_spectrum(const char *family, double omega,
                                                  cardan_spectrum *spectrum, cardan_error *error);

/* The recursion E_{n+1} = T_+^-1 T_0 E_n of the scaled errors (r^B, S lambda, B a). */
typedef struct cardan_recursion {
    int order;          /* 3 for ga3 (ACB15 (46)), 2 for ga2s (59) and null (ACB-R (27)) */
    double plus[9];     /* T_+, order x order, row by row */
    double zero[9];     /* T_0 */
    double matrix[9];   /* T_+^-1 T_0 */
    double radius;      /* its spectral radius */
    double peak;        /* max over n of the 2-norm of its powers */
    int peak_step;      /* and the n where it is reached */
    double lambda_peak; /* max over n of |row of lambda, column of r^B| of the powers (ga3) */
    int lambda_peak_step;
    int settled_step;     /* first n from which on the 2-norm of the power stays below 1e-3 peak */
    double jordan_bound;  /* c_inf = max_n n(n-1) rho^(n-2) / 2 */
    double rule_of_thumb; /* 0.9 / (1 - rho^0.25) */
    double local_error;   /* C_q = 1 - 6 beta - 3 (alpha_m - alpha_f), ACB15 (17) */
} cardan_recursion;

/* `method` is "ga3", "ga2s", or "null": the errors (r^B, a) of ga3 in the null space of a singular
 * mass matrix. Fails if T_+ is singular. */
CARDAN_API cardan_status cardan_analysis_recursion(const char *method, const cardan_params *params,
                                                   cardan_recursion *recursion,
                                                   cardan_error *error);

#endif
