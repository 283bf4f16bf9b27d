/* ENERGY: GO10 Sec. 3 and 5 on random systems. M, A and Phi_q are written down here, and with them
 * P, B and D of (15), (16), (20), their eigenvalues and ranks; the library projects and judges. */
#include "lab/analysis/projection_verdict.h"
#include "lab/problems/problem.h"
#include "papers.h"
#include "small_matrix.h"

#include <cardan/cardan.h>
#include <float.h>
#include <math.h>
#include <string.h>

enum { N = 5, R = 2, TRIALS = 40, SAMPLES = 50 };

/* Phi_i = (row i of Phi_q) q + w_i q^T q / 2, at q = 0. */
typedef struct trial {
    double mass[N * N], a[N * N], rows[R * N], bend[R];
    double alpha;
    double lever[N * R], gram[R * R]; /* A^-1 Phi_q^T, Phi_q A^-1 Phi_q^T */
    double p[N * N], b[N * N], d[N * N];
    cardan_system *system;
    cardan_projection how;
} trial;

/* What is gathered over all trials: largest errors, if not said otherwise. */
typedef struct findings {
    double penalty, acceleration, apart, exact, augmented; /* (4), (7), footnote 1, (2) */
    double unchanged, least_left;                          /* Prop. 1 */
    double form, first, second, highest_second;            /* (16), (21) */
    double compatible;                                     /* Prop. 2 */
    double eigenvalue;
    int equal_kernels, not_definite, chains; /* Prop. 3 and 5: numbers of trials */
    int semidefinite, equal_damped;          /* Prop. 4 */
    int indefinite, grown, agreed;           /* where energy can grow */
    double highest_gain, highest_mass_gain;  /* Case IV, Prop. 6 */
} findings;

static double random_number(unsigned *seed)
{
    *seed = *seed * 1664525u + 1013904223u;
    return 2.0 * (*seed >> 8) / 16777216.0 - 1.0;
}

static void random_vector(unsigned *seed, int n, double *x)
{
    for (int i = 0; i < n; i++)
        x[i] = random_number(seed);
}

/* X^T X + 0.2 I */
static void random_positive(unsigned *seed, double *a)
{
    double x[N * N];
    random_vector(seed, N * N, x);
    dense_turned_product(N, N, N, x, x, a);
    for (int i = 0; i < N; i++)
        a[i * (N + 1)] += 0.2;
}

static int mass(void *context, const cardan_point *at, double *out)
{
    (void)at;
    memcpy(out, ((const trial *)context)->mass, sizeof(double) * N * N);
    return 0;
}

static int constraint(void *context, const cardan_point *at, double *out)
{
    const trial *t = context;
    for (int i = 0; i < R; i++)
        out[i] =
            dense_dot(N, t->rows + i * N, at->q) + 0.5 * t->bend[i] * dense_dot(N, at->q, at->q);
    return 0;
}

static int constraint_dq(void *context, const cardan_point *at, double *out)
{
    const trial *t = context;
    for (int i = 0; i < R * N; i++)
        out[i] = t->rows[i] + t->bend[i / N] * at->q[i % N];
    return 0;
}

static int constraint_bias(void *context, const cardan_point *at, double *out)
{
    const trial *t = context;
    for (int i = 0; i < R; i++)
        out[i] = t->bend[i] * dense_dot(N, at->v, at->v);
    return 0;
}

static void make_system(trial *t)
{
    const cardan_factor factor = {CARDAN_RN, CARDAN_LEFT, N};
    cardan_group *space = NULL;
    cardan_group_create(&space, &factor, 1, NULL, NULL);
    cardan_system_def def = cardan_system_def_default();
    def.group = space;
    def.constraints = R;
    def.context = t;
    def.mass = mass;
    def.constraint = constraint;
    def.constraint_dq = constraint_dq;
    def.constraint_bias = constraint_bias;
    def.constant_mass = true;
    cardan_system_create(&t->system, &def, NULL);
    cardan_group_destroy(space);
}

/* P (15), B (20), D (16) */
static void make_matrices(trial *t)
{
    double square[N * N], sum[N * N], difference[N * N], right[N * N];
    dense_turned_product(N, R, N, t->rows, t->rows, square);
    memcpy(t->p, square, sizeof square);
    dense_solve(N, N, t->a, t->p);
    dense_product(N, N, N, t->mass, t->p, t->b);
    for (int i = 0; i < N * N; i++) {
        t->p[i] = (i % (N + 1) == 0) + t->alpha * t->p[i];
        sum[i] = (i % (N + 1) == 0) + t->p[i];
        difference[i] = (i % (N + 1) == 0) - t->p[i];
    }
    dense_product(N, N, N, t->mass, difference, right);
    dense_turned_product(N, N, N, sum, right, t->d);
    for (int i = 0; i < N * N; i++)
        t->d[i] *= 0.5;
    for (int i = 0; i < N * R; i++)
        t->lever[i] = t->rows[i % R * N + i / R];
    dense_solve(N, R, t->a, t->lever);
    dense_product(R, N, R, t->rows, t->lever, t->gram);
}

/* A: random, M, or M + beta Phi_q^T Phi_q, which makes B symmetric and semidefinite. */
static void make_trial(trial *t, int number, unsigned *seed)
{
    *t = (trial){.how = cardan_projection_default()};
    random_positive(seed, t->mass);
    random_positive(seed, t->a);
    random_vector(seed, R * N, t->rows);
    random_vector(seed, R, t->bend);
    t->alpha = pow(10.0, random_number(seed));
    if (number % 4 >= 2)
        memcpy(t->a, t->mass, sizeof t->a);
    for (int i = 0; number % 4 == 3 && i < N * N; i++)
        for (int r = 0; r < R; r++)
            t->a[i] += 2.5 * t->rows[r * N + i / N] * t->rows[r * N + i % N];
    make_matrices(t);
    make_system(t);
    t->how.level = CARDAN_PROJECT_VELOCITY;
    t->how.norm = CARDAN_NORM_MATRIX;
    t->how.matrix = t->a;
    t->how.solver = CARDAN_PROJECTION_PENALTY;
    t->how.penalty = t->alpha;
}

/* v <- the projected velocity; NaN where the library refuses. */
static cardan_projection_report project(const trial *t, cardan_projection_solver solver, double *v)
{
    cardan_projection how = t->how;
    cardan_projection_report report = {.energy = NAN};
    double q[N] = {0};
    how.solver = solver;
    if (cardan_projection_apply(t->system, &how, 0.0, q, v, &report, NULL) != CARDAN_OK)
        v[0] = report.energy = NAN;
    return report;
}

static void grow(double *largest, double value)
{
    *largest = papers_larger(*largest, value);
}

/* Largest entry of (A + alpha Phi_q^T Phi_q) x - A x* + alpha Phi_q^T shift, over that of A x*. */
static double residual_of(const trial *t, const double *x, const double *before,
                          const double *shift)
{
    double open[R], largest = 0.0, size = 0.0;
    dense_product(R, N, 1, t->rows, x, open);
    for (int i = 0; i < N; i++) {
        double sum = dense_dot(N, t->a + i * N, x) - dense_dot(N, t->a + i * N, before);
        for (int r = 0; r < R; r++)
            sum += t->alpha * t->rows[r * N + i] * (open[r] + shift[r]);
        grow(&largest, fabs(sum));
        grow(&size, fabs(dense_dot(N, t->a + i * N, before)));
        for (int r = 0; r < R; r++)
            grow(&size, fabs(t->alpha * shift[r]));
    }
    return largest / size;
}

/* v* - A^-1 Phi_q^T (Phi_q A^-1 Phi_q^T)^-1 Phi_q v*, the solution of (2). */
static void solve_exactly(const trial *t, const double *before, double *v)
{
    double open[R];
    dense_product(R, N, 1, t->rows, before, open);
    dense_solve(R, 1, t->gram, open);
    for (int i = 0; i < N; i++)
        v[i] = before[i] - dense_dot(R, t->lever + i * R, open);
}

static double distance(const double *x, const double *y)
{
    double largest = 0.0;
    for (int i = 0; i < N; i++)
        grow(&largest, fabs(x[i] - y[i]));
    return largest;
}

/* (2), (4), (6), (7) */
static void look_at_equations(const trial *t, unsigned *seed, findings *f)
{
    static const double none[R] = {0};
    double before[N], v[N], expected[N], vdot[N], bias[R], q[N] = {0};
    random_vector(seed, N, before);
    memcpy(v, before, sizeof v);
    project(t, CARDAN_PROJECTION_PENALTY, v);
    grow(&f->penalty, residual_of(t, v, before, none));
    solve_exactly(t, before, expected);
    memcpy(v, before, sizeof v);
    project(t, CARDAN_PROJECTION_EXACT, v);
    grow(&f->exact, distance(v, expected));
    memcpy(v, before, sizeof v);
    project(t, CARDAN_PROJECTION_AUGMENTED, v);
    grow(&f->augmented, distance(v, expected));
    for (int i = 0; i < R; i++)
        bias[i] = t->bend[i] * dense_dot(N, v, v);
    for (int apart = 0; apart < 2; apart++) { /* footnote 1: velocities in the norm of M */
        cardan_projection how = apart ? cardan_projection_default() : t->how;
        how.accelerations = apart ? &t->how : NULL;
        memcpy(vdot, before, sizeof vdot);
        if (cardan_projection_apply_acceleration(t->system, &how, 0.0, q, v, vdot, NULL) !=
            CARDAN_OK)
            vdot[0] = NAN;
        grow(apart ? &f->apart : &f->acceleration, residual_of(t, vdot, before, bias));
    }
}

/* Prop. 1 and 2: compatible velocities stay, others do not become compatible: Phi_q v =
 * (1 + alpha G)^-1 Phi_q v*, which is no shorter than 1 / (1 + alpha trace G) of it. */
static void look_at_compatible(const trial *t, unsigned *seed, findings *f)
{
    double before[N], v[N], kept[N], open[R], left[R];
    random_vector(seed, N, before);
    solve_exactly(t, before, kept);
    memcpy(v, kept, sizeof v);
    const cardan_projection_report still = project(t, CARDAN_PROJECTION_PENALTY, v);
    grow(&f->unchanged, distance(v, kept));
    grow(&f->compatible, fabs(still.energy));
    memcpy(v, before, sizeof v);
    project(t, CARDAN_PROJECTION_PENALTY, v);
    dense_product(R, N, 1, t->rows, before, open);
    dense_product(R, N, 1, t->rows, v, left);
    const double least = 1.0 / (1.0 + t->alpha * (t->gram[0] + t->gram[3]));
    const double share = sqrt(dense_dot(R, left, left) / dense_dot(R, open, open)) / least;
    f->least_left = papers_smaller(f->least_left, share);
}

/* (16) and (21), and that no energy grows where it cannot. */
static void look_at_energy(const trial *t, unsigned *seed, int number, findings *f)
{
    for (int i = 0; i < SAMPLES; i++) {
        double v[N], lever[N], form;
        random_vector(seed, N, v);
        const double size = dense_form(N, t->mass, v, v);
        const cardan_projection_report done = project(t, CARDAN_PROJECTION_PENALTY, v);
        form = dense_form(N, t->d, v, v);
        grow(&f->form, fabs(done.energy - form) / size);
        grow(&f->first, fabs(done.energy_linear + t->alpha * dense_form(N, t->b, v, v)) / size);
        dense_product(N, N, 1, t->b, v, lever);
        memcpy(v, lever, sizeof v);
        dense_solve(N, 1, t->mass, v);
        grow(&f->second,
             fabs(done.energy_quadratic + 0.5 * t->alpha * t->alpha * dense_dot(N, lever, v)) /
                 size);
        grow(&f->highest_second, done.energy_quadratic / size);
        if (number % 4 == 2)
            grow(&f->highest_mass_gain, done.energy / size);
        if (number % 4 == 3)
            grow(&f->highest_gain, done.energy / size);
    }
}

/* The velocity whose energy grows most: x of the smallest eigenvalue of B^s, with a penalty that
 * makes (21) positive. v* = P x. */
static double largest_growth(const trial *t, const double *x)
{
    double force[N], lever[N], v[N];
    trial other = *t;
    dense_product(N, N, 1, t->b, x, force);
    memcpy(lever, force, sizeof lever);
    dense_solve(N, 1, t->mass, lever);
    other.alpha = -dense_dot(N, x, force) / dense_dot(N, force, lever);
    other.how.penalty = other.alpha;
    make_matrices(&other);
    dense_product(N, N, 1, other.p, x, v);
    return project(&other, CARDAN_PROJECTION_PENALTY, v).energy;
}

/* Prop. 3 to 5 and the criterion. */
static void look_at_kernels(const trial *t, findings *f)
{
    const double zero[N] = {0};
    const cardan_point at = {0.0, zero, zero, zero, zero, zero};
    lab_projection_verdict verdict = {.smallest = NAN};
    double values[N], vectors[N * N], inverse[N * N], ratio[N * N], spread[N];
    lab_projection_judge(t->system, &t->how, &at, &verdict, NULL);
    dense_eigen(N, t->b, values, vectors);
    grow(&f->eigenvalue, fabs(verdict.smallest - values[0]) / values[N - 1]);
    const int kernel = N - dense_rank(N, t->b);
    f->equal_kernels +=
        verdict.compatible == N - R && verdict.kernel_b == kernel && kernel == N - R;
    for (int i = 0; i < N * N; i++)
        inverse[i] = i % (N + 1) == 0;
    dense_solve(N, N, t->a, inverse);
    dense_product(N, N, N, t->mass, inverse, ratio);
    dense_eigen(N, ratio, spread, NULL);
    f->not_definite += spread[0] < 0.0;
    f->chains += verdict.compatible <= verdict.kernel_b && verdict.kernel_b <= verdict.kernel_d;
    const bool grows = values[0] < -1e-9 * values[N - 1];
    f->agreed += verdict.can_add_energy == grows;
    f->semidefinite += !grows;
    f->equal_damped += !grows && verdict.kernel_d == verdict.kernel_b && verdict.case_number == 4;
    f->indefinite += grows;
    if (grows) {
        double x[N];
        for (int i = 0; i < N; i++)
            x[i] = vectors[i * N];
        f->grown += largest_growth(t, x) > 0.0;
    }
}

static const papers_bound rounding = {"0", PAPERS_AT_MOST, 0.0, 1e-12};

static void judge_equations(papers_report *report, const findings *f)
{
    papers_source(report, "GO10 (4)");
    papers_judge(report, rounding, f->penalty, "residual of (4), relative");
    papers_source(report, "GO10 (7)");
    papers_judge(report, rounding, f->acceleration, "residual of (7), relative");
    papers_source(report, "GO10 footnote 1");
    papers_judge(report, rounding, f->apart, "residual of (7) with A, velocities in the norm of M");
    papers_source(report, "GO10 (2)");
    papers_judge(report, rounding, f->exact, "|v - solution of (2)|, by multipliers, [22]");
    papers_judge(report, rounding, f->augmented,
                 "|v - solution of (2)|, augmented Lagrangian, [7]");
    papers_source(report, "GO10 Prop. 1");
    papers_judge(report, rounding, f->unchanged, "|v - v*|, v* compatible");
    papers_judge(report, (papers_bound){"not compatible", PAPERS_AT_LEAST, 1.0, 1e-12},
                 f->least_left, "|Phi_q v| over its least share of |Phi_q v*|, v* incompatible");
    papers_note(report,
                "Phi_q v = (1 + alpha Phi_q A^-1 Phi_q^T)^-1 Phi_q v* is at least the share "
                "1/(1 + alpha trace(Phi_q A^-1 Phi_q^T)).");
}

static void judge_energies(papers_report *report, const findings *f)
{
    papers_source(report, "GO10 (16)");
    papers_judge(report, rounding, f->form, "|dE_p - v^T D v| over 2 E before");
    papers_source(report, "GO10 (21)");
    papers_judge(report, rounding, f->first, "first term of (21), error over 2 E before");
    papers_judge(report, rounding, f->second, "second term of (21), error over 2 E before");
    papers_judge(report, (papers_bound){"< 0", PAPERS_AT_MOST, 0.0, 0.0}, f->highest_second,
                 "largest second term, over 2 E before");
    papers_source(report, "GO10 Prop. 2");
    papers_judge(report, rounding, f->compatible, "|dE_p| of compatible velocities");
    papers_source(report, "GO10 Prop. 6");
    papers_judge(report, (papers_bound){"< 0", PAPERS_AT_MOST, 0.0, 0.0}, f->highest_mass_gain,
                 "largest dE_p over 2 E before, A = M");
    papers_source(report, "GO10 Sec. 5.2, Case IV");
    papers_judge(report, (papers_bound){"< 0", PAPERS_AT_MOST, 0.0, 0.0}, f->highest_gain,
                 "largest dE_p over 2 E before, A = M + 2.5 Phi_q^T Phi_q");
}

static void judge_kernels(papers_report *report, const findings *f)
{
    papers_source(report, "GO10 Prop. 3");
    papers_near(report, TRIALS, 0, f->equal_kernels, "systems with C = K_B, of %d", TRIALS);
    papers_note(report,
                "In %d of them (M A^-1)^s is not definite: C = K_B holds wherever M is "
                "regular, since then M A^-1 is.",
                f->not_definite);
    papers_source(report, "GO10 Prop. 4");
    papers_near(report, f->semidefinite, 0, f->equal_damped,
                "systems with K_B = K_D, of those with B^s semidefinite");
    papers_derived(report, "GO10 Prop. 4");
    papers_near(report, 0.5 * TRIALS, 0, f->semidefinite, "systems with B^s semidefinite");
    papers_note(report, "Half of them are made so: A = M, and A = M + 2.5 Phi_q^T Phi_q.");
    papers_source(report, "GO10 Prop. 5");
    papers_near(report, TRIALS, 0, f->chains, "systems with C in K_B in K_D, of %d", TRIALS);
    papers_source(report, "GO10 Sec. 5.2, 7");
    papers_judge(report, rounding, f->eigenvalue,
                 "smallest eigenvalue of B^s: |verdict - Jacobi's|, relative");
    papers_near(report, TRIALS, 0, f->agreed,
                "systems where the verdict is the sign of that eigenvalue");
    papers_near(report, f->indefinite, 0, f->grown,
                "systems where energy grows for some v, of those with B^s indefinite");
}

/* Two particles as in Sec. 6, at q = (0.6, 0.8), beside three coordinates of which the first is
 * held. A is W or M for the particles; without mass, to hold the third coordinate costs nothing. */
static int case_of(bool weighted, bool massless)
{
    const double mass[] = {1.0, 0.1, massless ? 0.0 : 1.0, 1.0, 1.0};
    const double norm[] = {weighted ? 15.0 : 1.0, weighted ? 1.0 : 0.1, 1.0, 1.0, 1.0};
    const double zero[N] = {0};
    const cardan_point at = {0.0, zero, zero, zero, zero, zero};
    lab_projection_verdict verdict = {0};
    trial t = {.rows = {1.2, 1.6, 0, 0, 0, 0, 0, 1, 0, 0}, .how = cardan_projection_default()};
    for (int i = 0; i < N; i++)
        t.mass[i * (N + 1)] = mass[i];
    t.how.level = CARDAN_PROJECT_VELOCITY;
    t.how.norm = CARDAN_NORM_DIAGONAL;
    t.how.matrix = norm;
    make_system(&t);
    lab_projection_judge(t.system, &t.how, &at, &verdict, NULL);
    cardan_system_destroy(t.system);
    return verdict.case_number;
}

static void judge_cases(papers_report *report)
{
    papers_source(report, "GO10 Fig. 1");
    papers_near(report, 4, 0, case_of(false, false), "A = M: case IV, C = K_B = K_D");
    papers_near(report, 2, 0, case_of(true, false), "A = W: case II, C = K_B in K_D");
    papers_derived(report, "GO10 Fig. 1");
    papers_near(report, 3, 0, case_of(false, true),
                "A = M but where M is singular: case III, C in K_B = K_D");
    papers_near(report, 1, 0, case_of(true, true), "A = W, M singular: case I, C in K_B in K_D");
    papers_note(report,
                "Cases I and III need a singular M, which the paper excludes: else M A^-1 is "
                "regular and C = K_B.");
}

/* [10], [11]: A = M + h/2 C + h^2/4 K, on the pendulum of JN07 Sec. 5.2 with M = diag(5, 5, 20/3),
 * C = diag(0, 0, 100), K = diag(0, 0, 3000), and h = 0.01. */
static void judge_tangent(papers_report *report)
{
    const double h = 0.01, angle = 4.2, a[] = {5, 0, 0, 0, 5, 0, 0, 0, 20.0 / 3 + 0.5 + 0.075};
    const double rows[] = {1, 0, 2 * sin(angle), 0, 1, -2 * cos(angle)};
    double q[] = {2 * cos(angle), 2 * sin(angle), angle}, v[] = {0.3, -0.7, 1.1};
    double lever[6], gram[4], open[2], expected[3];
    cardan_projection how = cardan_projection_default();
    lab_problem *problem = NULL;
    how.level = CARDAN_PROJECT_VELOCITY;
    how.norm = CARDAN_NORM_TANGENT;
    how.damping = 0.5 * h;
    how.stiffness = 0.25 * h * h;
    for (int i = 0; i < 6; i++)
        lever[i] = rows[i % 2 * 3 + i / 2];
    dense_solve(3, 2, a, lever);
    dense_product(2, 3, 2, rows, lever, gram);
    dense_product(2, 3, 1, rows, v, open);
    dense_solve(2, 1, gram, open);
    for (int i = 0; i < 3; i++)
        expected[i] = v[i] - dense_dot(2, lever + 2 * i, open);
    double error = NAN;
    if (lab_problem_create(&problem, "jn2", NULL, 0, NULL) == CARDAN_OK &&
        cardan_projection_apply(lab_problem_system(problem), &how, 0.0, q, v, NULL, NULL) ==
            CARDAN_OK)
        error = papers_larger(fabs(v[0] - expected[0]),
                              papers_larger(fabs(v[1] - expected[1]), fabs(v[2] - expected[2])));
    lab_problem_destroy(problem);
    papers_derived(report, "GO10 Sec. 1, [10], [11]");
    papers_judge(report, (papers_bound){"0", PAPERS_AT_MOST, 0.0, 1e-14}, error,
                 "A = M + h/2 C + h^2/4 K, pendulum of JN2: |v - solution of (2)|");
}

void papers_energy(papers_report *report)
{
    findings f = {.least_left = INFINITY,
                  .highest_second = -INFINITY,
                  .highest_gain = -INFINITY,
                  .highest_mass_gain = -INFINITY};
    unsigned seed = 2009;
    for (int i = 0; i < TRIALS; i++) {
        trial t;
        make_trial(&t, i, &seed);
        look_at_equations(&t, &seed, &f);
        look_at_compatible(&t, &seed, &f);
        look_at_energy(&t, &seed, i, &f);
        look_at_kernels(&t, &f);
        cardan_system_destroy(t.system);
    }
    judge_equations(report, &f);
    judge_energies(report, &f);
    judge_kernels(report, &f);
    judge_cases(report);
    judge_tangent(report);
}
