/* Options for comparing methods with each other and with the papers. The defaults are the best
 * choices; programs that only compute a motion should keep them. These fields may change in any
 * version. */
#ifndef CARDAN_EXPERIMENTAL_H
#define CARDAN_EXPERIMENTAL_H

#include <stdbool.h>

/* How the first step begins. */
typedef enum cardan_start {
    CARDAN_START_PLAIN,     /* a_0 = v'(t_0), v_0 = v(t_0): order reduction in lambda for ga3 */
    CARDAN_START_PERTURBED, /* ACB15 (56), (57): second order from the first step on */
    /* (57) alone with v_0 = v(t_0), as in ACB15 Example 1. It does not cure the order reduction of
     * ga3. For the other methods, which do not change v_0, it is the same as perturbed. */
    CARDAN_START_ACCELERATION,
    /* JN07 Sec. 2, for hht, hht2 and hht3: the first step is a step of the trapezoidal rule, which
     * gives a_0 = alpha f_1 + (1 - alpha) f_0. */
    CARDAN_START_TRAPEZOIDAL
} cardan_start;

/* The difference formula for v''(t_0) in the perturbed and acceleration starts (ACB15 Sec. 4.2). */
typedef enum cardan_start_difference {
    CARDAN_DIFFERENCE_CENTRAL, /* second order, s = 1 */
    CARDAN_DIFFERENCE_FORWARD  /* first order, s = 0.01, half the cost */
} cardan_start_difference;

/* Correction of v and a when the step size changes from h to s h. The last three are for comparison
 * only: with them lambda (ga3) or everything loses an order (experiment STEP). */
typedef enum cardan_step_change {
    CARDAN_STEP_SETTLED,      /* a - v' scaled by s, velocity residual by s^2: no loss of order */
    CARDAN_STEP_ACCELERATION, /* only a - v' scaled, JN07 (2.3) */
    CARDAN_STEP_PROJECTED,    /* a - v' scaled, velocity residual projected to zero */
    CARDAN_STEP_NONE          /* nothing */
} cardan_step_change;

/* Which form of the extended HHT method (JN07 (3.4)). */
typedef enum cardan_hht3_variant {
    CARDAN_HHT3_FULL,              /* (3.4) as published */
    CARDAN_HHT3_EXPLICIT,          /* R_1 at y_0 + h z_0, (3.5) */
    CARDAN_HHT3_MIDPOINT,          /* b = 0 and R_{1/2} in the velocity */
    CARDAN_HHT3_MIDPOINT_EXPLICIT, /* the same with R_{1/2} at y_0 + (h/2) z_0, (3.5) */
    CARDAN_HHT3_LUNK_SIMEON        /* one multiplier in the position (JN07 Sec. 7) */
} cardan_hht3_variant;

/* M_{alpha} of the force-averaged method (Jay11 (2.3)). */
typedef enum cardan_mass_choice {
    CARDAN_MASS_PREDICTED, /* M at the predicted configuration */
    CARDAN_MASS_PREVIOUS   /* the M_{1+alpha} of the previous step */
} cardan_mass_choice;

/* A method ignores the options of other methods. */
typedef struct cardan_experimental {
    cardan_start start;                 /* default perturbed */
    cardan_start_difference difference; /* default central */
    double difference_step;         /* s of the difference formula in units of h; 0: the default */
    cardan_step_change step_change; /* default CARDAN_STEP_SETTLED */
    bool full_newton;               /* new factors in every iteration of the corrector */
    double hht3_b;                  /* b != 1/2 of hht3; default 0 */
    cardan_hht3_variant hht3_variant;     /* default CARDAN_HHT3_FULL */
    cardan_mass_choice nonholonomic_mass; /* default CARDAN_MASS_PREDICTED */
    double conserving_penalty; /* 0: Newton's method; > 0: augmented Lagrangian with this penalty
                                  (GO10 Sec. 6: 1e3). Both have the same solution. */
    int bdf_order; /* of bdf, 1 to 5: the highest of adaptive steps, that of fixed ones; 0: 5, 2 */
} cardan_experimental;

#endif
