/* An integrator holds one trajectory: the state and all workspace of a time integration. Stepping
 * allocates nothing. Only one thread may use an integrator at a time; many integrators may share a
 * system.
 *
 *   cardan_integrator_def def = cardan_integrator_def_default();
 *   def.step = 1e-3; // without this line: adaptive steps
 *   cardan_integrator_create(&it, system, &def, &error);
 *   cardan_integrator_start(it, 0.0, q0, v0);
 *   cardan_integrator_advance(it, 2.0);
 *   const cardan_state *now = cardan_integrator_state(it);
 */
#ifndef CARDAN_INTEGRATOR_H
#define CARDAN_INTEGRATOR_H

#include <cardan/event.h>
#include <cardan/experimental.h>
#include <cardan/params.h>
#include <cardan/projection.h>
#include <cardan/system.h>

/* How q_{n+1} follows from the increment h dq of the step. */
typedef enum cardan_update {
    CARDAN_UPDATE_EXP,   /* q_n exp(h dq), as in the papers */
    CARDAN_UPDATE_MAGNUS /* q_n exp(h dq + h^2/12 [v_n, v_{n+1}]): the commutator part of the local
                            error ACB15 (17) cancels; no difference on linear spaces */
} cardan_update;

/* A Newton correction or an error is small enough if it is below absolute + relative * |value|. */
typedef struct cardan_tolerance {
    double absolute;
    double relative;
} cardan_tolerance;

/* The corrector iteration. With the default tolerances constraints hold to about 1e-13 of |q| and
 * |v|. For speed 1e-8, 1e-6 in all three is practical: one or two iterations per step. In adaptive
 * steps the default is a thousandth of the tolerance of the error, which is also the upper limit.
 */
typedef struct cardan_newton {
    cardan_tolerance position;   /* default 1e-14 absolute, 1e-13 relative */
    cardan_tolerance velocity;   /* default 1e-13, 1e-13 */
    cardan_tolerance multiplier; /* default 1e-10, 1e-10 */
    int max_iterations;          /* of one solve; default 20 */
} cardan_newton;

/* Adaptive steps (docs/methods/adaptive.md), for ga3, ga2s, nonholonomic, hht, hht3 and rk5. Errors
 * are kept below the tolerances per unit of time, so the error at the end is proportional to the
 * tolerances. |value| is the largest recent value of the variable: it falls to a third in two
 * periods of 2 pi |value| / (largest rate of change). For rotations it is 1; for velocities and
 * multipliers it is at least a thousandth of the largest of all. */
typedef struct cardan_step_control {
    bool adaptive; /* true: `step` of the integrator is only the first step size. Without a `step`,
                      steps are adaptive in any case. */
    cardan_tolerance position;           /* default 1e-6 absolute, 1e-4 relative */
    cardan_tolerance velocity;           /* default 1e-6 absolute, 1e-4 relative */
    cardan_tolerance multiplier;         /* default 1e-6 absolute, 1e-4 relative */
    const cardan_tolerance *positions;   /* of each coordinate of the algebra (dof), copied; NULL:
                                            `position` for all */
    const cardan_tolerance *velocities;  /* of each velocity (dof), copied; NULL: `velocity` */
    const cardan_tolerance *multipliers; /* of each multiplier of Phi, then of k, copied; NULL:
                                            `multiplier` */
    double min_step; /* smallest step size. 0: 1e-12 of the time or of the longest step tried; for
                        ga3 not below the size at which accelerations are rounding errors. */
    double max_step; /* Largest step size; 0: only cardan_system_def.longest_step, which models
                        provide, limits steps. Adaptive steps may pass over a pulse that is shorter
                        than they are, in particular after rest: give its length here. */
} cardan_step_control;

/* Returns the system with which the run continues from a state: another system on the same group
 * with the same numbers of constraints, or NULL for the present one. Called after events that
 * change the state, and when a step has failed because constraints have become dependent
 * (cardan_model_watch in cardan/redundancy.h). The present system must stay valid until another has
 * been returned. */
typedef const cardan_system *cardan_reselect_callback(void *context, double t, const double *q,
                                                      const double *v);

/* Returns true to stop the run, for programs that receive signals. Called before every attempt at a
 * step. */
typedef bool cardan_interrupted_callback(void *context);

/* Residuals of the redundant constraints, which are not part of the system (cardan/redundancy.h),
 * at a state. */
typedef struct cardan_redundant_residuals {
    int count;                  /* number of redundant constraints */
    double position;            /* largest |Phi| */
    double velocity;            /* largest |B v + dPhi/dt| or |k| */
    const char *position_joint; /* joint with the largest |Phi|; the name belongs to the model */
    const char *position_direction; /* its direction */
    const char *velocity_joint;     /* joint with the largest |B v + dPhi/dt| or |k| */
    const char *velocity_direction; /* its direction */
    double open;   /* largest residual divided by its limit; above 1 a constraint is violated */
    double length; /* length L of the model */
    double speed;  /* largest |v|, where rates of rotations are multiplied by L */
} cardan_redundant_residuals;

/* Evaluates the redundant constraints; returns 0, > 0 or < 0 like every callback. */
typedef int cardan_redundant_callback(void *context, double t, const double *q, const double *v,
                                      cardan_redundant_residuals *out);

/* What a run does in a configuration with several possible motions, such as a flat parallelogram
 * linkage. */
typedef enum cardan_branch {
    CARDAN_BRANCH_STOP, /* stops with CARDAN_BIFURCATION and a message */
    CARDAN_BRANCH_KEEP  /* continues along the velocity, or from rest along the acceleration */
} cardan_branch;

/* A good state, and a later configuration in which a redundant constraint is violated. */
typedef struct cardan_opening {
    double t;            /* time of the good state */
    double t_end;        /* time of the violation */
    const double *q;     /* the good state */
    const double *v;     /* its velocity */
    const double *vdot;  /* its acceleration */
    const double *q_end; /* configuration at t_end; NULL: the good state is a start, and only a
                            bifurcation is searched */
    cardan_branch branch;
    double *found; /* output, written if another system is returned: a configuration that satisfies
                      all constraints, nearest to the motion */
} cardan_opening;

/* Returns the system with which the run continues, on the same group: the present one if nothing
 * changes, or one with more constraints if redundant ones are needed. NULL: the run cannot
 * continue, and `error` gives the reason, CARDAN_CONTRADICTION or CARDAN_BIFURCATION. */
typedef const cardan_system *
cardan_reactivate_callback(void *context, const cardan_opening *opening, cardan_error *error);

enum { CARDAN_AUTOMATIC_THREADS = 4 };

typedef struct cardan_integrator_def {
    uint32_t cookie; /* set by cardan_integrator_def_default */

    /* ---- the method and its steps ---- */

    const char *method;   /* "auto" (default): rk5 or ga2s, changed during the run, with fixed steps
                             ga2s (docs/methods/auto.md); or "ga3", "ga2s", ...,
                             cardan_method_describe has them all */
    cardan_params params; /* default: Chung and Hulbert's with rho = 0.8 */
    bool expert;          /* accept parameters that violate an order or stability condition */
    double step;          /* size of all steps, or with control.adaptive of the first one. 0,
                             the default: adaptive steps. */
    cardan_step_control control;  /* adaptive steps: tolerances of the error, limits of the size */
    cardan_newton newton;         /* tolerances of the corrector iteration */
    cardan_update update;         /* default CARDAN_UPDATE_EXP */
    cardan_projection projection; /* done after every step; default none */
    double start_correction;      /* Largest correction of inconsistent q0 and v0, relative to the
                                     larger of 1 and |q| or |v|. It is reported by a message; a larger
                                     one is an error. Default 1e-3. */

    /* ---- what may happen during a run ---- */

    const cardan_events *events; /* copied; NULL: none */
    cardan_branch branch;        /* if several motions are possible; default CARDAN_BRANCH_STOP */
    cardan_interrupted_callback *interrupted; /* Once it returns true, the call ends with
                                                 CARDAN_INTERRUPTED at the last good state. NULL:
                                                 never. */
    void *interrupted_context;                /* passed to `interrupted` */

    /* ---- redundant constraints: cardan_model_watch sets all of these ---- */

    cardan_reselect_callback *reselect;     /* selects independent rows again; NULL: never */
    cardan_redundant_callback *redundant;   /* evaluates the redundant constraints at every step;
                                               NULL: none */
    cardan_reactivate_callback *reactivate; /* called when a redundant constraint is violated */
    void *redundancy_context;               /* passed to the three callbacks above */
    int most_constraints;  /* most holonomic constraints of a system from `reactivate` */
    int most_nonholonomic; /* most nonholonomic constraints of such a system */

    /* ---- what is measured: each costs time ---- */

    bool energy_balance; /* keep the energy balance of every step */
    bool health; /* measure what cardan_integrator_health reports; includes the energy balance */
    bool timing; /* measure where the time goes (cardan_statistics.time) */

    /* ---- others ---- */

    const char *tag; /* Names the problem and its parameters; a checkpoint with another tag is
                        rejected. NULL: "". */
    /* Number of threads that share the work of a step, including the calling thread, at most 64. 0
     * (default): one; for large systems the number of processors, at most CARDAN_AUTOMATIC_THREADS.
     * Results do not depend on this number, to the last bit. The threads belong to the integrator
     * and sleep between steps. User callbacks run in the calling thread only. */
    int threads;
    cardan_allocator allocator;       /* all zero: malloc and free */
    cardan_experimental experimental; /* for comparing methods; otherwise keep the defaults */
} cardan_integrator_def;

/* The last accepted state. The arrays belong to the integrator and stay valid until it is
 * destroyed; their contents change with every step. */
typedef struct cardan_state {
    double t;
    double h;        /* size of the step that led here; of the next step after a start or restart */
    const double *q; /* configuration, group size */
    const double *v; /* velocity, dof */
    const double *vdot;   /* acceleration v'(t), dof */
    const double *a;      /* algorithmic acceleration, approximates v'(t + shift h), dof; for hht3
                             and hht2 without the part due to reactions */
    const double *lambda; /* multipliers of Phi: lambda_count numbers, those of the system first */
    const double *psi;    /* multipliers of k: psi_count numbers, those of the system first */
    const double *eta; /* stabilisation multipliers of the step that led here, m (ga2s); else 0 */
    /* Multipliers inside the step that led here, set by set: of hht3 two sets of m, of hht2 one set
     * of l, of midpoint, conserving and trapezoidal one set of m + l. NULL for other methods and
     * before the first step. */
    const double *stage;
    int stages;           /* number of these sets, or 0 */
    double stage_time[2]; /* time of each set */
    int lambda_count; /* Length of lambda, in the state and in dense output: the largest number of
                         all systems. Known as soon as the integrator is created. */
    int psi_count;    /* the same for psi */
    int mode;         /* the present event mode, see cardan/event.h */
} cardan_state;

/* The energy balance since the start: change = work + integrator + projection + event, to rounding.
 * All zero unless the definition sets `energy_balance` or `health`. */
typedef struct cardan_energy_balance {
    double kinetic;           /* present kinetic energy */
    double potential;         /* present potential energy */
    double change;            /* of the sum of both since the start */
    double work;              /* of forces without potential, and of rheonomic constraints */
    double integrator;        /* energy that the method has added, the sum of dE_i */
    double projection;        /* energy that projections have added, the sum of dE_p */
    double event;             /* energy that impacts and other changes at events have added */
    double projection_linear; /* first term of `projection`, GO10 (21), with the penalty solver */
    double projection_quadratic; /* its second term */
    double last_integrator;      /* dE_i of the last step */
    double last_projection;      /* dE_p of the last step */
} cardan_energy_balance;

/* Seconds spent since the integrator was created. Each second counts once, for the innermost
 * activity. Checkpoints do not contain these times. All 0 unless the definition sets `timing`. */
typedef struct cardan_timing {
    double start;         /* cardan_integrator_start */
    double evaluation;    /* residuals of the corrector, callbacks included */
    double assembly;      /* iteration matrices, callbacks included */
    double factorization; /* LU */
    double solve;         /* solves with the factors */
    double control;       /* error estimates and changes of the step size */
    double events;        /* watching and locating events */
    double projection;    /* projections onto the constraints */
    double output;        /* dense output, energy balance, energies, residuals of the constraints */
    double other;         /* everything else in steps */
} cardan_timing;

typedef struct cardan_statistics {
    long steps;              /* accepted steps */
    long iterations;         /* corrector iterations = linear solves while stepping */
    long residuals;          /* residual evaluations while stepping */
    long matrices;           /* iteration matrices assembled */
    long factorizations;     /* iteration matrices factored */
    long refreshes;          /* factorizations because older factors converged too slowly */
    long reuses;             /* iterations with reused factors */
    long callbacks;          /* calls of user functions in steps */
    long residual_callbacks; /* calls of user functions for residuals */
    long matrix_callbacks;   /* calls of user functions for iteration matrices */
    long line_searches;      /* corrections that were shortened */
    /* Solves in which rounding errors prevented the corrector from reaching its tolerances. This
     * happens near singular configurations, where joint forces may have no correct digit, and in
     * models of thousands of bodies. */
    long unresolved;
    double most_unresolved; /* largest remaining correction of these solves, in tolerances */
    long failures;          /* steps that were not accepted */
    long rejected;          /* of the failures: because of the estimated error */
    long retried;           /* of the failures: repeated with a smaller step */
    long last_iterations;   /* iterations of the last step */
    double last_error;      /* adaptive steps: estimated error of the last step, in tolerances */
    long stiff_steps;       /* adaptive steps of rk5 that were limited by stability, not accuracy */
    long outpaced_steps;    /* of the stiff steps: ga2s could have taken steps at least six times as
                               long, and is cheaper */
    long events;            /* events since the start, terminal or not */
    long reselections;      /* how often independent rows were selected again (def.reselect) */
    long reactivations;     /* how often redundant constraints were reactivated (def.reactivate) */
    long explicit_steps;    /* method auto: steps of rk5 */
    long method_changes;    /* method auto: how often the method changed */
    double method_changed;  /* time of the last of these changes */
    long step_changes;      /* accepted steps with another size than the previous step */
    double rounding;        /* Adaptive steps: largest rounding error of a multiplier so far, in
                               tolerances. Above 1 the tolerance cannot be reached with this method
                               (use ga2s) or, with rk5, without constraint_dq and constraint_bias. */
    double largest_position;   /* Adaptive steps: largest |value| of a linear coordinate so far. If
                                  the relative tolerance times this is below the absolute tolerance,
                                  the relative tolerance has no effect. */
    double largest_velocity;   /* the same for velocities */
    double largest_multiplier; /* the same for multipliers */
    double min_step;           /* smallest accepted step; 0 if there is none */
    double mean_step;          /* mean of the accepted steps */
    double max_step;           /* largest accepted step */
    long threads;              /* number of threads that share the work */
    cardan_timing time;
    char method[320]; /* what has been used, for method auto with times and reasons, in one line */
} cardan_statistics;

typedef struct cardan_integrator cardan_integrator;

CARDAN_API cardan_integrator_def cardan_integrator_def_default(void);

CARDAN_API cardan_status cardan_integrator_create(cardan_integrator **integrator,
                                                  const cardan_system *system,
                                                  const cardan_integrator_def *def,
                                                  cardan_error *error);
/* Does nothing when called from a callback of this integrator. */
CARDAN_API void cardan_integrator_destroy(cardan_integrator *integrator);

/* Sets the initial values, makes them consistent and computes v', a, lambda and psi
 * (docs/methods/start.md). If q0 or v0 had to be corrected, cardan_integrator_message says by how
 * much. */
CARDAN_API cardan_status cardan_integrator_start(cardan_integrator *integrator, double t0,
                                                 const double *q0, const double *v0);

/* The same with initial guesses of the multipliers at t0 (NULL: zeros). They are useful if forces
 * depend on multipliers (friction) and have no value without load, or if several motions are
 * possible: Newton's method starts at the guess, and usually finds the motion whose multipliers
 * have the same signs. Without a guess zeros are tried first, and then loads of either sign.
 *
 * A start that fails returns a negative status and leaves no state. CARDAN_NO_START means that no
 * accelerations and multipliers were found; cardan_integrator_diagnosis gives the reason. */
CARDAN_API cardan_status cardan_integrator_start_from(cardan_integrator *integrator, double t0,
                                                      const double *q0, const double *v0,
                                                      const double *lambda0, const double *psi0);

/* Takes one step of the nominal size, or one accepted adaptive step. After a failure the state is
 * the last good state. */
CARDAN_API cardan_status cardan_integrator_step(cardan_integrator *integrator);

/* Steps to exactly t, which must not be in the past and at most 1e10 steps away (of size `max_step`
 * for adaptive steps). Takes nominal steps as long as they fit, and covers the rest by one shorter
 * step or two equal ones (docs/methods/step.md); the nominal step does not change. After a failure
 * the state is the last good state. */
CARDAN_API cardan_status cardan_integrator_advance(cardan_integrator *integrator, double t);

/* One of the steps that cardan_integrator_advance would take; none if t is reached already. */
CARDAN_API cardan_status cardan_integrator_step_towards(cardan_integrator *integrator, double t);

/* Changes the nominal step size. The next step corrects the state for the new size
 * (docs/methods/step.md), and restores it if the step fails. */
CARDAN_API cardan_status cardan_integrator_set_step(cardan_integrator *integrator, double h);

/* Dense output: the motion at any t of the last accepted step [t_n, t_{n+1}] or, before the first
 * step, at the initial time. Another t is CARDAN_INVALID_ARGUMENT. Any output may be NULL. At both
 * ends it gives exactly the states; inside it has the order of the method. Nothing is allocated,
 * and the state does not change. Callbacks are called, and the call can fail, only for v', lambda
 * and psi: with rk5 in all steps, with other methods in the first step after a start. A step that
 * ended at an event is interpolated up to the state before the event; at the time of the event the
 * result is the state after it (docs/methods/dense.md). */
CARDAN_API cardan_status cardan_integrator_interpolate(cardan_integrator *integrator, double t,
                                                       double *q, double *v, double *vdot,
                                                       double *lambda, double *psi);

/* Projects the present state once, between steps. The energy balance includes it. */
CARDAN_API cardan_status cardan_integrator_project(cardan_integrator *integrator,
                                                   const cardan_projection *projection,
                                                   cardan_projection_report *report);

/* The energy balance; zeros unless the definition sets `energy_balance` or `health`. */
CARDAN_API cardan_energy_balance
cardan_integrator_energy_balance(const cardan_integrator *integrator);

CARDAN_API const cardan_state *cardan_integrator_state(const cardan_integrator *integrator);
CARDAN_API cardan_statistics cardan_integrator_statistics(const cardan_integrator *integrator);

/* The message of the last status, or a note about the start; "" if there is none. */
CARDAN_API const char *cardan_integrator_message(const cardan_integrator *integrator);

/* Residuals of the constraints at the present state: largest |Phi|, and largest |B v + Phi_t| or
 * |k|, including redundant constraints (def.redundant). */
CARDAN_API cardan_status cardan_integrator_residuals(cardan_integrator *integrator,
                                                     double *position, double *velocity);
CARDAN_API cardan_status cardan_integrator_energy(cardan_integrator *integrator, double *kinetic,
                                                  double *potential);

/* A method. */
typedef struct cardan_method_info {
    const char *name;    /* NULL: there is no such method */
    const char *summary; /* one line */
    int stage_count;     /* number of sets in cardan_state.stage */
    bool uses_params;    /* false: the method has no free parameters and ignores `params` */
    bool adapts;         /* it estimates its errors, so adaptive steps are possible */
} cardan_method_info;

/* Methods have the numbers 0 to cardan_method_count() - 1. */
CARDAN_API int cardan_method_count(void);
CARDAN_API cardan_method_info cardan_method_describe(int i);

#endif
