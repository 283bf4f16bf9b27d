/* The example (11) of ACB-R: no mass at all and as many constraints as coordinates, so that the
 * differentiation index is two, not three. With a driven right-hand side to have something to
 * compute (amplitude 0 is (11) itself):
 *
 *   M = 0,  g = amplitude (cos 3t, sin t),  Phi = B (q - s(t)),  s = amplitude (sin t, cos 2t)
 *   B = (2, 1; -1, 1)
 *
 * Hence q = s(t) and lambda = -B^-T g(t). */
#include "base/numeric.h"
#include "problem_type.h"

typedef struct example {
    double amplitude;
} example;

static const double matrix[4] = {2.0, 1.0, -1.0, 1.0};

static const lab_parameter parameters[] = {
    {"amplitude", 1.0, "size of the driving force and motion"},
};
static const cd_range ranges[] = {CD_ANY};

static cardan_status prepare(void *data, const double *p, cardan_error *error)
{
    example *it = data;
    (void)error;
    it->amplitude = p[0];
    return CARDAN_OK;
}

/* s and its first two derivatives, row by row */
static void drive(const example *it, long double t, long double s[3][2])
{
    const long double a = it->amplitude;
    s[0][0] = a * sinl(t);
    s[0][1] = a * cosl(2.0L * t);
    s[1][0] = a * cosl(t);
    s[1][1] = -2.0L * a * sinl(2.0L * t);
    s[2][0] = -s[0][0];
    s[2][1] = -4.0L * s[0][1];
}

static void motion(const void *data, long double t, const long double *y, cd_motion *at)
{
    const example *it = data;
    const long double g[2] = {it->amplitude * cosl(3.0L * t), it->amplitude * sinl(t)};
    long double s[3][2];
    (void)y;
    drive(it, t, s);
    cd_round(2, s[0], at->q);
    cd_round(2, s[1], at->v);
    cd_round(2, s[2], at->vdot);
    at->lambda[0] = (double)(-(g[0] + g[1]) / 3.0L);
    at->lambda[1] = (double)((g[0] - 2.0L * g[1]) / 3.0L);
}

static void initial(const void *data, double *q, double *v)
{
    long double s[3][2];
    drive(data, 0.0L, s);
    cd_round(2, s[0], q);
    cd_round(2, s[1], v);
}

static int force(void *context, const cardan_point *at, double *out)
{
    const example *it = context;
    out[0] = it->amplitude * cos(3.0 * at->t);
    out[1] = it->amplitude * sin(at->t);
    return 0;
}

/* B (x - derivative of s), the pattern of all three levels */
static void apply(const example *it, double t, int derivative, const double *x, double *out)
{
    long double s[3][2];
    double difference[2];
    drive(it, t, s);
    for (int i = 0; i < 2; i++)
        difference[i] = (double)(x[i] - s[derivative][i]);
    cd_multiply(2, 2, matrix, difference, out);
}

static int constraint(void *context, const cardan_point *at, double *out)
{
    apply(context, at->t, 0, at->q, out);
    return 0;
}

static int constraint_dq(void *context, const cardan_point *at, double *out)
{
    (void)context;
    (void)at;
    cd_copy(4, matrix, out);
    return 0;
}

static int constraint_dt(void *context, const cardan_point *at, double *out)
{
    apply(context, at->t, 1, (const double[]){0.0, 0.0}, out);
    return 0;
}

static int constraint_bias(void *context, const cardan_point *at, double *out)
{
    apply(context, at->t, 2, (const double[]){0.0, 0.0}, out);
    return 0;
}

static void define(cardan_system_def *def)
{
    static const char *const velocities[] = {"v1", "v2"};
    static const char *const constraints[] = {"row 1", "row 2"};
    def->constraints = 2;
    def->constant_mass = true;
    def->rheonomic = true;
    def->mass = cd_callback_zero;
    def->inertia_dq = cd_callback_zero;
    def->force = force;
    def->force_dq = cd_callback_zero;
    def->force_dv = cd_callback_zero;
    def->constraint = constraint;
    def->constraint_dq = constraint_dq;
    def->constraint_dt = constraint_dt;
    def->constraint_bias = constraint_bias;
    def->hidden_dq = cd_callback_zero;
    def->reaction_dq = cd_callback_zero;
    def->velocity_names = velocities;
    def->constraint_names = constraints;
}

static const char *const outputs[] = {"q1", "q2", "v1", "v2", "lambda1", "lambda2"};

const cd_problem_type cd_problem_index2_example = {
    .name = "index2_example",
    .summary = "no mass, as many constraints as coordinates: index two, ACB-R (11)",
    .reference_text = "closed form: q = s(t), lambda = -B^-T g(t)",
    .end = 2.0,
    .step = 1e-2,
    .parameters = parameters,
    .ranges = ranges,
    .parameter_count = 1,
    .outputs = outputs,
    .output_count = 6,
    .data_size = sizeof(example),
    .prepare = prepare,
    .factors = {{CARDAN_RN, CARDAN_LEFT, 2}},
    .define = define,
    .initial = initial,
    .motion = motion,
};
