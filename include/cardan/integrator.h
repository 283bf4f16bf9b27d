/* One trajectory: state and all workspace of a time integration. Made once; stepping allocates
 * nothing. An integrator belongs to one thread at a time; many may share a system.
 *
 *   cardan_integrator_def def = cardan_integrator_def_default();
 *   def.method = "ga2s";
 *   def.step = 1e-3; // left out: steps chosen by the error
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

/* A Newton correction, or an error, is small enough below absolute + relative * |value|. */
typedef struct cardan_tolerance {
    double absolute, relative;
} cardan_tolerance;

/* The corrector iteration. Defaults (absolute, relative): position 1e-14, 1e-13; velocity
 * 1e-13, 1e-13; multiplier 1e-10, 1e-10: constraints hold to about 1e-13 of |q| and |v|. For speed
 * 1e-8, 1e-6 in all three is practical: one or two iterations a step. In adaptive steps the
 * defaults stand for a thousandth of the tolerance of the error, and others are never more. */
typedef struct cardan_newton {
    cardan_tolerance position, velocity, multiplier;
    int max_iterations; /* of one solve; default 20 */
} cardan_newton;

/* Step sizes chosen by the estimated error (docs/methods/adaptive.md). Errors are held below the
 * tolerances per unit of time: the error at the end falls in proportion to them. |value| is the
 * largest of the last periods: it falls to a third in two of them, a period being 2 pi times
 * |value| over its largest rate of change, so that a short spike is forgotten and a turning point
 * does not count; 1 for rotations; of velocities and multipliers at least a thousandth of the
 * largest of all. For ga3, ga2s, nonholonomic, hht and hht3; rk5 holds errors of single steps below
 * a quarter of them, with the same effect. */
typedef struct cardan_step_control {
    bool adaptive; /* also with a given (first) step; without one always */
    cardan_tolerance position, velocity, multiplier; /* default 1e-6 absolute, 1e-4 relative */
    /* The same for each variable: dof, dof, and multipliers of Phi and then of k; NULL: those above
     * for all. Copied. */
    const cardan_tolerance *positions, *velocities, *multipliers;
    double min_step; /* 0: 1e-12 of the time or of the longest step tried, and for ga3 not below
                        where accelerations would be rounding errors */
    /* 0: none but what the system tells (cardan_system_def.longest_step; models do). A system of
     * callbacks that tells nothing may be stepped over by a pulse that is shorter than the steps
     * before it, most of all after rest, where steps double: give its length here.
     * Neither limit may be below 1e-100 otherwise. */
    double max_step;
} cardan_step_control;

/* Another system on the same group, with as many constraints of either kind, to go on with from a
 * state; NULL: the present one, which must otherwise not be needed any more. Asked after events
 * that change the state, and when a step has failed because constraints have become dependent
 * (cardan_model_watch in cardan/redundancy.h). */
typedef const cardan_system *cardan_renew_callback(void *context, double t, const double *q,
                                                   const double *v);

/* Whether to stop, for programs that get signals: asked before every attempt at a step. */
typedef bool cardan_interrupted_callback(void *context);

/* The constraints that a system leaves out because they repeat others (cardan/redundancy.h), at a
 * state. */
typedef struct cardan_left_out {
    int count; /* how many there are */
    /* The largest |Phi|, and the largest |B v + dPhi/dt| or |k|, and of which joint and direction;
     * the names belong to the model. */
    double position, velocity;
    const char *position_joint, *position_direction;
    const char *velocity_joint, *velocity_direction;
    double open; /* the largest of what may not be off, of what it may be: above 1 one has opened */
    double length; /* L of the model */
    double speed;  /* the largest |v|, rotations times L */
} cardan_left_out;

/* Evaluates them; 0, or what a callback returns. */
typedef int cardan_left_out_callback(void *context, double t, const double *q, const double *v,
                                     cardan_left_out *out);

/* What a run does in a position from which more than one motion can go on, such as a parallelogram
 * that lies flat. */
typedef enum cardan_branch {
    CARDAN_BRANCH_STOP, /* CARDAN_BIFURCATION, with a sentence */
    CARDAN_BRANCH_KEEP  /* goes on along the velocity, at rest along the acceleration */
} cardan_branch;

/* A state that is good, and the configuration behind it where a constraint left out has opened;
 * q_end NULL: the state is that of a start, and only a bifurcation is looked for. */
typedef struct cardan_opening {
    double t, t_end;
    const double *q, *v, *vdot, *q_end;
    cardan_branch branch;
    double *found; /* for a configuration that all constraints allow, nearest to where the motion
                      leads; written if another system is given */
} cardan_opening;

/* The system to go on with, on the same group: the present one if there is nothing to change, one
 * with more constraints if such that were left out are needed; NULL if the run cannot go on, with
 * the reason in `error`: CARDAN_CONTRADICTION, CARDAN_BIFURCATION. */
typedef const cardan_system *cardan_readmit_callback(void *context, const cardan_opening *opening,
                                                     cardan_error *error);

enum { CARDAN_AUTOMATIC_THREADS = 4 };

typedef struct cardan_integrator_def {
    uint32_t cookie; /* set by cardan_integrator_def_default */

    /* ---- the method and its steps ---- */

    const char *method;   /* "ga3", "ga2s", ...; cardan_method_describe has them all */
    cardan_params params; /* default: Chung and Hulbert's with rho = 0.8 */
    bool expert;          /* accept parameters that violate an order or stability condition */
    double step;          /* size of all steps, or with control.adaptive of the first one. 0,
                             the default: adaptive steps. */
    cardan_step_control control;  /* adaptive steps: tolerances of the error, limits of the size */
    cardan_newton newton;         /* tolerances of the corrector iteration */
    cardan_update update;         /* default CARDAN_UPDATE_EXP */
    cardan_projection projection; /* done after every step; default none */
    double start_correction;      /* Largest correction of inconsistent q0, v0 that is made (with a
                                     message), relative to the largest of 1 and |q| or |v|; more is an
                                     error. Default 1e-3. */

    /* ---- what may happen during a run ---- */

    const cardan_events *events; /* copied; NULL: none */
    cardan_branch branch;        /* where several motions can go on; default CARDAN_BRANCH_STOP */
    cardan_interrupted_callback *interrupted; /* Once it returns true, the call ends with
                                                 CARDAN_INTERRUPTED at the last good state. NULL:
                                                 never. */
    void *interrupted_context;                /* handed to `interrupted` */

    /* ---- redundant constraints: cardan_model_watch sets all of these ---- */

    cardan_renew_callback *renew;       /* gives another system to go on with; NULL: none */
    cardan_left_out_callback *left_out; /* evaluates the constraints that the system leaves out,
                                           after every accepted step; NULL: there are none */
    cardan_readmit_callback *readmit;   /* gives the system to go on with when one has opened */
    void *renew_context;                /* handed to these three */
    int most_constraints;               /* holonomic ones of any system that `readmit` gives */
    int most_nonholonomic;              /* nonholonomic ones likewise */

    /* ---- what is measured: each costs time ---- */

    bool ledger; /* keep the energy balance of every step */
    bool health; /* measure what cardan_integrator_health judges; keeps the ledger too */
    bool timing; /* measure where the time goes (cardan_statistics.time) */

    /* ---- others ---- */

    const char *tag; /* names the problem: a checkpoint of another is refused; NULL is "" */
    /* Threads that share the work of a step, the calling one included, at most 64; 0, the default:
     * one, or for large systems as many as there are processors, at most CARDAN_AUTOMATIC_THREADS.
     * Results are the same bit for bit for any number. They belong to the integrator and sleep
     * while it does not step. Callbacks of users are called by the calling thread only. */
    int threads;
    cardan_allocator allocator;       /* all zero: malloc and free */
    cardan_experimental experimental; /* to compare methods; the defaults are right for a motion */
} cardan_integrator_def;

/* The state at time t, as last accepted. Arrays belong to the integrator and stay valid until it
 * is destroyed; their contents change with every step. */
typedef struct cardan_state {
    double t;
    double h;        /* step that led here; at a start and after an event that restarts, the next */
    const double *q; /* configuration, group size */
    const double *v; /* velocity, dof */
    const double *vdot;   /* acceleration v'(t), dof */
    const double *a;      /* algorithmic acceleration, approximates v'(t + shift h), dof; of hht3
                             and hht2: of its part without reactions */
    const double *lambda; /* multipliers of Phi: lambda_count, those of the system first */
    const double *psi;    /* multipliers of k: psi_count, likewise */
    const double *eta; /* stabilisation multipliers of the step that led here (ga2s), m; else 0 */
    /* Multipliers of the step that led here that are the method's own and not those of the state:
     * hht3 two sets of m, hht2 one set of l, set after set; midpoint and conserving (in the middle
     * of the step) and trapezoidal (at its end) one set of m + l; and the times they belong to.
     * NULL and 0 for other methods and before the first step. */
    const double *stage;
    int stages;
    double stage_time[2];
    /* Room for multipliers in the state and in dense output: the most of all systems. Known from
     * the making of the integrator on. */
    int lambda_count, psi_count;
    int mode; /* which system moves: cardan/event.h */
} cardan_state;

/* The energy balance since the start: kinetic + potential change = work + integrator + projection +
 * event, to rounding. Kept if the definition asks for it. */
typedef struct cardan_ledger {
    double kinetic, potential; /* now */
    double change;             /* of their sum since the start */
    double work;               /* of forces without potential, and of rheonomic constraints */
    double integrator;         /* dE_i summed: what the scheme itself adds or takes */
    double projection;         /* dE_p summed */
    double event;              /* what impacts and other changes at events have added */
    double projection_linear, projection_quadratic; /* its two terms, GO10 (21), penalty solver */
    double last_integrator, last_projection;        /* of the last step */
} cardan_ledger;

/* Seconds spent since the integrator was made (a checkpoint does not hold them): each counts once,
 * under the innermost of these. All 0 unless the definition asks for it. */
typedef struct cardan_timing {
    double start;         /* cardan_integrator_start */
    double evaluation;    /* residuals of the corrector, callbacks included */
    double assembly;      /* iteration matrices, callbacks included */
    double factorization; /* LU */
    double solve;         /* with the factors */
    double control;       /* error estimates and changes of the step size */
    double events;        /* watching and locating them */
    double projection;
    double output; /* dense output, ledger, energies, residuals of the constraints */
    double other;  /* of the steps */
} cardan_timing;

typedef struct cardan_statistics {
    long steps;
    long iterations;     /* corrector iterations = linear solves while stepping */
    long residuals;      /* residual evaluations while stepping */
    long matrices;       /* iteration matrices assembled */
    long factorizations; /* and factored */
    long refreshes;      /* of these, because an older factorization converged too slowly */
    long reuses;         /* iterations with the factors of an earlier one */
    long callbacks;      /* calls of the user's functions in steps */
    long residual_callbacks, matrix_callbacks; /* of these, for the two above, while stepping */
    long line_searches;                        /* corrections that were shortened */
    /* Solves that rounding kept from the corrector's tolerances, and by how many times: next to a
     * singular configuration, where joint forces may have no correct digit, or in models of
     * thousands of bodies. */
    long unresolved;
    double most_unresolved;
    long failures;        /* steps that were not accepted */
    long rejected;        /* of these, because of the estimated error */
    long retried;         /* of these, after a failure, with a shorter step */
    long last_iterations; /* of the last step */
    double last_error;    /* adaptive steps: estimated error of the last step, of its tolerance */
    long stiff_steps;     /* adaptive steps of rk5 that stability, not accuracy, has held down */
    long outpaced_steps;  /* of these, where ga2s is cheaper: the motion without the fast modes
                             allows  it steps at least six times as long */
    long events;          /* since the start, also those that were not terminal */
    long renewals;        /* of the system (def.renew) */
    long readmissions;    /* of constraints that were left out (def.readmit) */
    long step_changes;    /* accepted steps of another size than the one before */
    double rounding;      /* adaptive steps: largest rounding error of a multiplier so far, of its
                             tolerance; above 1 that cannot be reached by this method (use ga2s),
                             or, with rk5, without `constraint_dq` and `constraint_bias` */
    /* Adaptive steps: largest |values| so far, positions: of linear coordinates. A class whose
     * absolute tolerance is above its relative one times this is hardly controlled at all. */
    double largest_position, largest_velocity, largest_multiplier;
    double min_step, mean_step, max_step; /* of the accepted steps; 0 if there are none */
    long threads;                         /* that share the work */
    cardan_timing time;
} cardan_statistics;

typedef struct cardan_integrator cardan_integrator;

CARDAN_API cardan_integrator_def cardan_integrator_def_default(void);

CARDAN_API cardan_status cardan_integrator_create(cardan_integrator **integrator,
                                                  const cardan_system *system,
                                                  const cardan_integrator_def *def,
                                                  cardan_error *error);
/* Within a callback of this integrator it does nothing: whoever steps destroys it afterwards. */
CARDAN_API void cardan_integrator_destroy(cardan_integrator *integrator);

/* Sets the initial values, makes them consistent (START) and computes v', a, lambda, psi.
 * If q0 or v0 had to be moved, cardan_integrator_message says by how much. */
CARDAN_API cardan_status cardan_integrator_start(cardan_integrator *integrator, double t0,
                                                 const double *q0, const double *v0);

/* The same with guesses of the multipliers at t0 (either may be NULL: zeros), of the system of the
 * first mode: where forces depend on them (friction) and are not defined without load, or where
 * several motions are possible, of which the one is taken that Newton's method comes to from there:
 * as a rule with multipliers of the same signs, and not always the nearest. Without a guess loads
 * of one sign are tried if zeros do not do.
 *
 * A start that fails has a negative status, of which CARDAN_NO_START says that no accelerations and
 * multipliers were found; the integrator then has no state, and cardan_integrator_diagnosis says
 * why. */
CARDAN_API cardan_status cardan_integrator_start_from(cardan_integrator *integrator, double t0,
                                                      const double *q0, const double *v0,
                                                      const double *lambda0, const double *psi0);

/* One step of the current size, or one accepted step of the controller's choice. On failure the
 * state is the last good one. */
CARDAN_API cardan_status cardan_integrator_step(cardan_integrator *integrator);

/* Steps to exactly t >= now, which must not be more than 1e10 steps (of `max_step`, if they are
 * chosen by the error) away. While the nominal step fits it is taken; what is left at the end is
 * done in one shorter step or two equal ones, through the step change of the definition (STEP,
 * order-preserving, by default), and the nominal step is taken up again afterwards. On failure the
 * state is that after the last good step. */
CARDAN_API cardan_status cardan_integrator_advance(cardan_integrator *integrator, double t);

/* One of the steps that cardan_integrator_advance would take; none if t is reached already. */
CARDAN_API cardan_status cardan_integrator_step_towards(cardan_integrator *integrator, double t);

/* Changes the nominal size of the following steps. The state is adjusted when the next step is
 * taken, as `step_change` says (order-preserving by default), and put back if that step fails. */
CARDAN_API cardan_status cardan_integrator_set_step(cardan_integrator *integrator, double h);

/* Dense output: the motion at any t of the last accepted step [t_n, t_{n+1}], or, before the first
 * step, at the initial time; any output may be NULL. Another t is CARDAN_INVALID_ARGUMENT. Of
 * second order in q, v, v', lambda and psi, like the states; at both ends exactly the states; q
 * stays on the group. The state is not touched and nothing is allocated. Callbacks are called only
 * for v', lambda and psi in the first step after a start, and only there can it fail otherwise; of
 * rk5, of fifth order, in all steps.
 * A step that ended at an event is interpolated up to the state before it; at the time of the event
 * itself the state is that after it (docs/methods/dense.md). */
CARDAN_API cardan_status cardan_integrator_interpolate(cardan_integrator *integrator, double t,
                                                       double *q, double *v, double *vdot,
                                                       double *lambda, double *psi);

/* Projects the current state once, between steps; the energy it moves goes to the ledger. */
CARDAN_API cardan_status cardan_integrator_project(cardan_integrator *integrator,
                                                   const cardan_projection *projection,
                                                   cardan_projection_report *report);

/* Zeros unless the definition asked for a ledger. */
CARDAN_API cardan_ledger cardan_integrator_ledger(const cardan_integrator *integrator);

CARDAN_API const cardan_state *cardan_integrator_state(const cardan_integrator *integrator);
CARDAN_API cardan_statistics cardan_integrator_statistics(const cardan_integrator *integrator);

/* The sentence that belongs to the last status, or a remark on the start; "" if none. */
CARDAN_API const char *cardan_integrator_message(const cardan_integrator *integrator);

/* Residuals of the constraints at the current state: largest |Phi|, |B v + Phi_t| (and |k|), those
 * that the system leaves out included (def.left_out). */
CARDAN_API cardan_status cardan_integrator_residuals(cardan_integrator *integrator,
                                                     double *position, double *velocity);
CARDAN_API cardan_status cardan_integrator_energy(cardan_integrator *integrator, double *kinetic,
                                                  double *potential);

/* A method. */
typedef struct cardan_method_info {
    const char *name, *summary; /* NULL: there is no such method */
    int stage_count;            /* sets of multipliers of its own in cardan_state.stage */
    bool uses_params;           /* not of methods without free parameters, which ignore `params` */
    bool adapts; /* its local errors are known, so that steps can be chosen by them */
} cardan_method_info;

/* Method i of those from 0 to count - 1. */
CARDAN_API int cardan_method_count(void);
CARDAN_API cardan_method_info cardan_method_describe(int i);

#endif
