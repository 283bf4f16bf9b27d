/* HHT2: the extension to constraints of index 2, JN07 Sec. 6: the first test problem with its
 * constraint at velocity level alone, k = g_t + g_y z, as the paper proposes; and Jay11 (7.1),
 * whose k is not linear in z. */
#include "paper_runs.h"

#include <math.h>

static const double alpha = -0.15;

static int mass(void *context, const cardan_point *at, double *out)
{
    (void)context, (void)at;
    out[0] = out[3] = 1.0;
    return 0;
}

/* How a run is made. */
typedef struct course {
    cardan_start start;
    bool by_velocity; /* z_1 in r for y_1, which is the same on the exact solution */
} course;

/* -(f + r) of JN07 Sec. 5.1 with psi for lambda. */
static int force(void *context, const cardan_point *at, double *out)
{
    const course *how = context;
    const double *y = at->q, *z = at->v, psi = at->psi[0];
    const double factor = how->by_velocity ? z[0] : y[0];
    out[0] = -(y[0] * z[1] + 2.0 * y[1] * z[0] + exp(at->t) * factor * psi);
    out[1] = -(0.5 * y[1] * z[1] - 2.0 * y[0] * z[0] * y[1] * z[1] + y[1] * psi * psi);
    return 0;
}

static int constraint(void *context, const cardan_point *at, double *out)
{
    (void)context;
    out[0] = 2.0 * at->q[0] * at->q[1] * at->v[0] + at->q[0] * at->q[0] * at->v[1];
    return 0;
}

static int constraint_dv(void *context, const cardan_point *at, double *out)
{
    (void)context;
    out[0] = 2.0 * at->q[0] * at->q[1];
    out[1] = at->q[0] * at->q[0];
    return 0;
}

static cardan_system *make_system(course *how, cardan_error *error)
{
    const cardan_factor factor = {CARDAN_RN, CARDAN_LEFT, 2};
    cardan_system_def def = cardan_system_def_default();
    cardan_group *group = NULL;
    cardan_system *system = NULL;
    if (cardan_group_create(&group, &factor, 1, NULL, error) != CARDAN_OK)
        return NULL;
    def.group = group;
    def.context = how;
    def.nonholonomic = 1;
    def.mass = mass;
    def.constant_mass = true;
    def.force = force;
    def.force_depends_on_psi = def.psi_in_force_only = true;
    def.nonholonomic_residual = constraint;
    def.nonholonomic_dv = constraint_dv;
    def.affine_nonholonomic = true;
    cardan_system_create(&system, &def, error);
    cardan_group_destroy(group);
    return system;
}

enum { Y, Z, A, PSI, RESIDUAL };

/* Errors at t = 1, of Psi_{1/2} in the middle of the last step; the largest |k| of all steps. */
static void compare(const cardan_state *s, double *numbers)
{
    const double t = s->t, late = t + alpha * s->h, decay = exp(-2.0 * late);
    const double k = 2.0 * s->q[0] * s->q[1] * s->v[0] + s->q[0] * s->q[0] * s->v[1];
    numbers[Y] = hypot(s->q[0] - exp(t), s->q[1] - exp(-2.0 * t));
    numbers[Z] = hypot(s->v[0] - exp(t), s->v[1] + 2.0 * exp(-2.0 * t));
    numbers[A] = hypot(s->a[0], s->a[1] - (4.0 * decay - decay * decay));
    numbers[PSI] = fabs(s->stage[0] - exp(-(t - 0.5 * s->h)));
    numbers[RESIDUAL] = papers_larger(numbers[RESIDUAL], fabs(k));
}

static cardan_status go(cardan_integrator *it, double *numbers)
{
    const double y[2] = {1.0, 1.0}, z[2] = {1.0, -2.0};
    const cardan_state *s = cardan_integrator_state(it);
    cardan_status status = cardan_integrator_start(it, 0.0, y, z);
    while (status == CARDAN_OK && s->t < 1.0 - 1e-9) {
        status = cardan_integrator_step(it);
        if (status == CARDAN_OK)
            compare(s, numbers);
    }
    return status;
}

static void measure(papers_report *report, const void *what, double h, double *numbers)
{
    cardan_integrator_def def = cardan_integrator_def_default();
    cardan_error error = {0};
    cardan_integrator *it = NULL;
    course how = *(const course *)what;
    cardan_system *system = make_system(&how, &error);
    def.method = "hht2";
    def.params = cardan_params_make(CARDAN_FAMILY_HHT, alpha);
    def.experimental.start = how.start;
    def.step = h;
    for (int i = 0; i < PAPERS_NUMBERS; i++)
        numbers[i] = 0.0;
    if (system == NULL || cardan_integrator_create(&it, system, &def, &error) != CARDAN_OK ||
        go(it, numbers) != CARDAN_OK) {
        papers_fail(report, it != NULL ? cardan_integrator_message(it) : error.text);
        papers_spoil(numbers);
    }
    cardan_integrator_destroy(it);
    cardan_system_destroy(system);
}

void papers_hht2(papers_report *report)
{
    static const course plain = {CARDAN_START_PLAIN, false};
    static const course perturbed = {CARDAN_START_PERTURBED, false};
    static const course by_velocity = {CARDAN_START_PLAIN, true};
    static const papers_expected two[] = {
        {2.0, "y at t = 1"}, {2.0, "z at t = 1"}, {2.0, "a(t + alpha h) at t = 1"}};
    static const papers_expected middle[] = {
        {0.0, NULL}, {0.0, NULL}, {0.0, NULL}, {2.0, "Psi_1/2 - psi(t_1/2) of the last step"}};
    double numbers[PAPERS_NUMBERS];
    papers_source(report, "JN07 Sec. 6");
    papers_orders(report, measure, &perturbed, 0.01, 3, two);
    measure(report, &plain, 1.0 / 16, numbers);
    papers_judge(report, (papers_bound){"0", PAPERS_AT_MOST, 0.0, 1e-12}, numbers[RESIDUAL],
                 "largest |k(t, y, z)| of all steps, h = 1/16");
    papers_note(report, "To rounding.");
    papers_derived(report, "JN07 Sec. 6");
    papers_orders(report, measure, &perturbed, 0.01, 4, middle);
    papers_derived(report, "JN07 Sec. 6, prototype");
    papers_prototype(report, "jn1 velocity level", "h = 1/16", numbers);
    measure(report, &by_velocity, 1.0 / 16, numbers);
    papers_prototype(report, "jn1 velocity level by z", "r with z_1 for y_1, h = 1/16", numbers);
    papers_setup setup = papers_setup_of("jay1", "hht2", 1.0, 0.01, 1.0);
    setup.def.params = cardan_params_make(CARDAN_FAMILY_HHT, alpha);
    const papers_study study = papers_halve(report, setup, PAPERS_SLOPE_STEPS, -1.0);
    papers_source(report, "JN07 Sec. 6");
    papers_order(report, 2.0, &study, PAPERS_Q, "y at t = 1, problem of Jay11 (7.1)");
    papers_order(report, 2.0, &study, PAPERS_V, "z at t = 1, problem of Jay11 (7.1)");
}
