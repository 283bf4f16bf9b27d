/* What a method's four numbers mean: behaviour on the linear oscillator q'' + omega^2 q = 0, and
 * the error recursion of the multipliers of a constrained system (RECUR; ACB15 Sec. 4.1). */
#ifndef LAB_ANALYSIS_H
#define LAB_ANALYSIS_H

#include <cardan/params.h>

/* A parameter family by name with its values, so that the analysis can evaluate the family in
 * extended precision: "ch", "hht", ... as in cardan_params_parse. */
typedef struct lab_spectrum {
    double omega;           /* Omega = omega h */
    double spectral_radius; /* of the amplification matrix */
    double damping_ratio;   /* -ln|z| / |arg z| of the principal roots */
    double period_error;    /* (T_numerical - T) / T = Omega/|arg z| - 1 */
    double spurious_root;   /* the third, real root */
} lab_spectrum;

/* Spectral properties at Omega > 0, to double precision for any Omega. `family` is the text that
 * cardan_params_parse takes ("ch:0.9", "hht:-0.1", "free:..."). */
cardan_status lab_find_spectrum(const char *family, double omega, lab_spectrum *spectrum,
                                cardan_error *error);

/* The recursion E_{n+1} = T_+^-1 T_0 E_n of the errors of a constrained run that are not errors of
 * the motion itself. With S = B M^-1 B^T the errors E are
 *   ga3, trapezoidal         (r^B, S lambda, B a)   ACB15 (46)
 *   ga2s, ga2, nonholonomic  (S lambda, B a)        (59)
 *   ga1                      (B a): its multipliers are functions of q and v
 *   midpoint, conserving     (B v / h, S lambda), lambda that of the middle of the step
 *   null                     (r^B, a) of ga3 in the null space of a singular M, ACB-R (27)
 * Along the motion, where constraints do not act, the error of a is multiplied by `tangential` in
 * every step: with it T = blockdiag(tangential, T_+^-1 T_0) of ACB15 Theorems 1 and 2. */
typedef struct lab_recursion {
    int order;            /* 3, 2 or 1: rows of the matrices */
    double plus[9];       /* T_+, order x order, row by row */
    double zero[9];       /* T_0 */
    double matrix[9];     /* T_+^-1 T_0 */
    double tangential;    /* -alpha_m / (1 - alpha_m); 0: none (midpoint, conserving, null) */
    double normal_radius; /* spectral radius of T_+^-1 T_0 */
    double radius;        /* spectral radius of T: the larger of both */
    double peak;          /* max over n of the 2-norm of the powers of T_+^-1 T_0 */
    int peak_step;        /* and the n where it is reached */
    double lambda_peak;   /* max over n of |row of lambda, column of r^B| of the powers (ga3) */
    int lambda_peak_step;
    int settled_step;     /* first n from which on the 2-norm of the power stays below 1e-3 peak */
    double jordan_bound;  /* c_inf = max_n n(n-1) rho^(n-2) / 2 */
    double rule_of_thumb; /* 0.9 / (1 - rho^0.25) */
    double local_error;   /* C_q = 1 - 6 beta - 3 (alpha_m - alpha_f), ACB15 (17) */
    /* Of ga3 with Chung and Hulbert's parameters, rho < 1: X with T_+^-1 T_0 X = X J, J one Jordan
     * block with the eigenvalue `jordan_mu` (ACB15 Sec. 4.1, where an entry of X is misprinted),
     * and its condition number. Else jordan_condition is 0. */
    double jordan_mu, jordan[9], jordan_condition;
} lab_recursion;

/* `method` is one of the names above. Methods without parameters do not read `params`, which must
 * be given all the same. Fails if T_+ is singular. */
cardan_status lab_find_recursion(const char *method, const cardan_params *params,
                                 lab_recursion *recursion, cardan_error *error);

/* The recursion T_+(z) E_{n+1} = T_0(z) E_n of a generalized-alpha run of q'' + omega^2 q = 0 with
 * z = omega h and E = (h v, z^2 q, h^2 a): how far it overshoots before it decays (ACB15 Sec. 4.1).
 * For large z it is that of ga3. */
typedef struct lab_overshoot {
    double plus[9], zero[9], matrix[9]; /* T_+(z), T_0(z), T_+(z)^-1 T_0(z), row by row */
    double peak;   /* max over n of the 2-norm of the powers; infinite if they grow without bound */
    int peak_step; /* and the n where it is reached, beyond 500000 to a thousandth; -1: nowhere */
    double exact;  /* the same of the exact motion: q and v only, at any time */
} lab_overshoot;

cardan_status lab_find_overshoot(const cardan_params *params, double z, lab_overshoot *overshoot,
                                 cardan_error *error);

#endif
