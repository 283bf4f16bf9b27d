/* Every scheme against tests/data/reference: runs of independent implementations in Python
 * (tests/reference/README.md), made from the papers, compared after every step.
 *
 * Bounds: both sides solve the equations of a step to rounding. What remains is rounding in Phi,
 * 1e-16, which the equations of a step divide by beta h^2 (1e-3 to 1e-4 here), times the growth of
 * the transient of ga3 (ACB15 Sec. 4.1: below 8 for these parameters): some 1e-11 in accelerations
 * and multipliers, h times that in velocities, h^2 times in positions. */
#include "paths.h"
#include "reference_file.h"
#include "reference_systems.h"
#include "suite.h"

#include <cardan/cardan.h>
#include <glob.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const double position_bound = 1e-12, velocity_bound = 1e-11, force_bound = 1e-10;
/* The tangent norm has derivatives of forces in it that the library differences: a part of 1e-9 of
 * how far a projection moves. */
static const double differenced_bound = 1e-10;

static glob_t files;

/* The number of the file's word in a list; the first one is the default. */
static int word(const reference_file *file, const char *key, int count, const char *const *words)
{
    const char *chosen = reference_option(file, key, words[0]);
    for (int i = 0; i < count; i++)
        if (strcmp(chosen, words[i]) == 0)
            return i;
    ck_abort_msg("%s %s: not known", key, chosen);
    return 0;
}
static double number(const reference_file *file, const char *key, double otherwise)
{
    const char *text = reference_option(file, key, NULL);
    return text == NULL ? otherwise : strtod(text, NULL);
}

/* The enumerator that stands where the file's word does: their values may change. */
#define CHOICE(file, key, words, values)                                                           \
    (values)[word(file, key, sizeof words / sizeof *words, words)]

static cardan_projection_norm norm_of(const reference_file *file, const char *key)
{
    static const char *const words[] = {"mass", "identity", "diagonal", "matrix", "tangent"};
    static const cardan_projection_norm norms[] = {CARDAN_NORM_MASS, CARDAN_NORM_IDENTITY,
                                                   CARDAN_NORM_DIAGONAL, CARDAN_NORM_MATRIX,
                                                   CARDAN_NORM_TANGENT};
    return CHOICE(file, key, words, norms);
}

static cardan_projection_level level_of(const reference_file *file)
{
    static const char *const words[] = {"none", "velocity", "position", "both"};
    static const cardan_projection_level levels[] = {CARDAN_PROJECT_NONE, CARDAN_PROJECT_VELOCITY,
                                                     CARDAN_PROJECT_POSITION, CARDAN_PROJECT_BOTH};
    return CHOICE(file, "project", words, levels);
}

static cardan_start start_of(const reference_file *file)
{
    static const char *const words[] = {"perturbed", "plain", "acceleration", "trapezoidal"};
    static const cardan_start starts[] = {CARDAN_START_PERTURBED, CARDAN_START_PLAIN,
                                          CARDAN_START_ACCELERATION, CARDAN_START_TRAPEZOIDAL};
    return CHOICE(file, "start", words, starts);
}

static cardan_step_change change_of(const reference_file *file)
{
    static const char *const words[] = {"settled", "acceleration", "projected", "none"};
    static const cardan_step_change changes[] = {CARDAN_STEP_SETTLED, CARDAN_STEP_ACCELERATION,
                                                 CARDAN_STEP_PROJECTED, CARDAN_STEP_NONE};
    return CHOICE(file, "step_change", words, changes);
}

static cardan_hht3_variant variant_of(const reference_file *file)
{
    static const char *const words[] = {"full", "explicit", "midpoint", "midpoint-explicit",
                                        "lunk-simeon"};
    static const cardan_hht3_variant variants[] = {
        CARDAN_HHT3_FULL, CARDAN_HHT3_EXPLICIT, CARDAN_HHT3_MIDPOINT, CARDAN_HHT3_MIDPOINT_EXPLICIT,
        CARDAN_HHT3_LUNK_SIMEON};
    return CHOICE(file, "variant", words, variants);
}

static bool is(const reference_file *file, const char *key, const char *chosen)
{
    return strcmp(reference_option(file, key, ""), chosen) == 0;
}

/* A of tests/reference/make_references.py. */
static void fill_matrix(double *matrix, int n, bool diagonal)
{
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++)
            if (!diagonal)
                matrix[i * n + j] = (i == j) + 2.0 / (1 + i + j);
            else if (i == j)
                matrix[i] = 1.0 + i;
}

/* Matrices of a projection, and the projection of accelerations if it is another one. */
typedef struct reference_norms {
    double matrix[REFERENCE_MAX * REFERENCE_MAX], own_matrix[REFERENCE_MAX * REFERENCE_MAX];
    cardan_projection own;
} reference_norms;

static void fill_own(const reference_file *file, reference_norms *norms, int n)
{
    norms->own = cardan_projection_default();
    norms->own.norm = norm_of(file, "own_norm");
    fill_matrix(norms->own_matrix, n, norms->own.norm == CARDAN_NORM_DIAGONAL);
    norms->own.matrix = norms->own_matrix;
    if (reference_option(file, "own_penalty", NULL) != NULL)
        norms->own.solver = CARDAN_PROJECTION_PENALTY;
    norms->own.penalty = number(file, "own_penalty", 1.0);
}

static cardan_projection projection_of(const reference_file *file, cardan_projection_level level,
                                       reference_norms *norms, int n)
{
    cardan_projection p = cardan_projection_default();
    p.level = level;
    p.target = is(file, "target", "settled") ? CARDAN_TARGET_SETTLED : CARDAN_TARGET_ZERO;
    p.norm = norm_of(file, "norm");
    p.damping = number(file, "damping", 0.0);
    p.stiffness = number(file, "stiffness", 0.0);
    p.acceleration = reference_option(file, "accelerations", NULL) != NULL;
    if (p.level == CARDAN_PROJECT_NONE)
        return p;
    if (reference_option(file, "penalty", NULL) != NULL)
        p.solver = CARDAN_PROJECTION_PENALTY;
    if (reference_option(file, "augmented", NULL) != NULL)
        p.solver = CARDAN_PROJECTION_AUGMENTED;
    p.penalty = number(file, "penalty", number(file, "augmented", 1.0));
    fill_matrix(norms->matrix, n, p.norm == CARDAN_NORM_DIAGONAL);
    p.matrix = norms->matrix;
    if (reference_option(file, "own_norm", NULL) != NULL) {
        fill_own(file, norms, n);
        p.accelerations = &norms->own;
    }
    return p;
}

static cardan_experimental options_of(const reference_file *file)
{
    cardan_experimental options = {0};
    options.hht3_b = number(file, "b", 0.0);
    options.bdf_order = (int)number(file, "order", 0.0);
    options.hht3_variant = variant_of(file);
    options.nonholonomic_mass =
        is(file, "mass", "previous") ? CARDAN_MASS_PREVIOUS : CARDAN_MASS_PREDICTED;
    if (reference_option(file, "project", NULL) == NULL)
        options.conserving_penalty = number(file, "penalty", 0.0);
    return options;
}

static cardan_integrator_def def_of(const reference_file *file, reference_norms *norms, int n)
{
    cardan_integrator_def def = cardan_integrator_def_default();
    const char *params = reference_option(file, "params", "-");
    ck_assert_str_eq(file->column[1], "h");
    def.method = reference_option(file, "method", NULL);
    if (strcmp(params, "-") != 0)
        ck_assert_int_eq(cardan_params_parse(params, &def.params, NULL), CARDAN_OK);
    def.step = file->number[1][1];
    def.experimental = options_of(file);
    def.experimental.start = start_of(file);
    def.experimental.difference =
        is(file, "difference", "forward") ? CARDAN_DIFFERENCE_FORWARD : CARDAN_DIFFERENCE_CENTRAL;
    def.update = is(file, "update", "magnus") ? CARDAN_UPDATE_MAGNUS : CARDAN_UPDATE_EXP;
    def.experimental.step_change = change_of(file);
    def.projection = projection_of(file, level_of(file), norms, n);
    def.newton.position = (cardan_tolerance){1e-15, 1e-15};
    def.newton.velocity = (cardan_tolerance){1e-14, 1e-14};
    def.newton.multiplier = (cardan_tolerance){1e-13, 1e-13};
    return def;
}

/* Numbers of the file's line "# key ...". */
static void initial(const reference_file *file, const char *key, int count, double *out)
{
    const char *text = reference_option(file, key, "");
    for (int i = 0; i < count; i++) {
        char *end;
        out[i] = strtod(text, &end);
        ck_assert_msg(end > text, "%s: %d numbers, not %d", key, i, count);
        text = end;
    }
}

/* The largest difference of a row's columns `name`, relative to their largest value in the file. */
static double apart(const reference_file *file, const char *name, int row, const double *values)
{
    int first = 0;
    const int count = reference_columns(file, name, &first);
    double size = 1.0, worst = 0.0;
    for (int i = first; i < first + count; i++)
        for (int r = 0; r < file->rows; r++)
            size = fmax(size, fabs(file->number[r][i]));
    for (int i = 0; i < count; i++)
        worst = fmax(worst, fabs(file->number[row][first + i] - values[i]) / size);
    return worst;
}

static void compare(const char *path, const reference_file *file, int row, const cardan_state *s)
{
    const struct {
        const char *name;
        const double *values;
        double bound;
    } parts[] = {
        {"q", s->q, position_bound},     {"v", s->v, velocity_bound},
        {"vdot", s->vdot, force_bound},  {"a", s->a, force_bound},
        {"lam", s->lambda, force_bound}, {"psi", s->psi, force_bound},
        {"eta", s->eta, force_bound},    {"stage", s->stage, force_bound},
    };
    const double least = is(file, "norm", "tangent") ? differenced_bound : 0.0;
    ck_assert_double_eq_tol(s->t, file->number[row][0], 1e-12);
    for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++) {
        if (row == 0 && strcmp(parts[i].name, "stage") == 0)
            continue; /* of a step */
        const double worst = apart(file, parts[i].name, row, parts[i].values);
        ck_assert_msg(worst < fmax(parts[i].bound, least),
                      "%s: state %d: %s differs by %g of its size", path, row, parts[i].name,
                      worst);
    }
}

/* What is projected and what comes out, row by row. */
static void compare_projections(const char *path, const reference_file *file,
                                const cardan_system *system)
{
    double q[24], v[REFERENCE_MAX], vdot[REFERENCE_MAX];
    reference_norms norms = {0};
    const int n = cardan_system_describe(system).dof;
    const cardan_projection how = projection_of(file, CARDAN_PROJECT_BOTH, &norms, n);
    int from_q = 0, from_v = 0, from_vdot = 0;
    const int size = reference_columns(file, "given_q", &from_q);
    reference_columns(file, "given_v", &from_v);
    reference_columns(file, "given_vdot", &from_vdot);
    for (int row = 0; row < file->rows; row++) {
        const double *given = file->number[row];
        cardan_error error;
        memcpy(q, given + from_q, (size_t)size * sizeof *q);
        memcpy(v, given + from_v, (size_t)n * sizeof *v);
        memcpy(vdot, given + from_vdot, (size_t)n * sizeof *vdot);
        ck_assert_msg(cardan_projection_apply(system, &how, given[0], q, v, NULL, &error) ==
                          CARDAN_OK,
                      "%s: %s", path, error.text);
        ck_assert_msg(cardan_projection_apply_acceleration(system, &how, given[0], q, v, vdot,
                                                           &error) == CARDAN_OK,
                      "%s: %s", path, error.text);
        compare(path, file, row, &(cardan_state){.t = given[0], .q = q, .v = v, .vdot = vdot});
    }
}

static void compare_run(const char *path, const reference_file *file, const cardan_system *system)
{
    const int n = cardan_system_describe(system).dof;
    double q[24], v[REFERENCE_MAX];
    reference_norms norms = {0};
    const cardan_integrator_def def = def_of(file, &norms, n);
    cardan_integrator *it;
    cardan_error error;
    ck_assert_msg(cardan_integrator_create(&it, system, &def, &error) == CARDAN_OK, "%s: %s", path,
                  error.text);
    initial(file, "q0", cardan_group_size(cardan_system_describe(system).group), q);
    initial(file, "v0", n, v);
    ck_assert_msg(cardan_integrator_start(it, file->number[0][0], q, v) >= CARDAN_OK, "%s: %s",
                  path, cardan_integrator_message(it));
    compare(path, file, 0, cardan_integrator_state(it));
    for (int row = 1; row < file->rows; row++) {
        if (file->number[row][1] != file->number[row - 1][1])
            ck_assert_int_eq(cardan_integrator_set_step(it, file->number[row][1]), CARDAN_OK);
        do /* bdf of order 3 and more starts with smaller steps, which are not in the file */
            ck_assert_msg(cardan_integrator_step(it) == CARDAN_OK, "%s: step %d: %s", path, row,
                          cardan_integrator_message(it));
        while (cardan_integrator_state(it)->t < file->number[row][0] - 1e-12);
        compare(path, file, row, cardan_integrator_state(it));
    }
    cardan_integrator_destroy(it);
}

START_TEST(every_step_is_that_of_the_reference)
{
    const char *path = files.gl_pathv[_i];
    reference_file *file = reference_read(path);
    cardan_system *system = reference_system(reference_option(file, "system", ""));
    if (is(file, "method", "project"))
        compare_projections(path, file, system);
    else
        compare_run(path, file, system);
    cardan_system_destroy(system);
    free(file);
}
END_TEST

/* The C systems themselves: derivatives, and what they claim of themselves. */
START_TEST(systems_are_consistent)
{
    reference_file *file = reference_read(files.gl_pathv[_i]);
    cardan_system *system = reference_system(reference_option(file, "system", ""));
    int q = 0, v = 0, vdot = 0, lambda = 0, psi = 0;
    reference_columns(file, "q", &q);
    reference_columns(file, "v", &v);
    reference_columns(file, "vdot", &vdot);
    reference_columns(file, "lam", &lambda);
    reference_columns(file, "psi", &psi);
    const double *row = file->number[file->rows - 1];
    const cardan_point at = {row[0], row + q, row + v, row + vdot, row + lambda, row + psi};
    cardan_error error;
    ck_assert_msg(cardan_system_check(system, &at, 0.0, &error) == CARDAN_OK, "%s: %s",
                  files.gl_pathv[_i], error.text);
    cardan_system_destroy(system);
    free(file);
}
END_TEST

/* Two systems at least of every method, so that no file can be missing unnoticed. */
START_TEST(every_method_has_references)
{
    const char *method = cardan_method_describe(_i).name;
    char seen[8][32];
    int systems = 0;
    for (size_t f = 0; f < files.gl_pathc && systems < 8; f++) {
        reference_file *file = reference_read(files.gl_pathv[f]);
        const char *name = reference_option(file, "system", "");
        bool is_new = is(file, "method", method);
        for (int i = 0; i < systems; i++)
            is_new = is_new && strcmp(seen[i], name) != 0;
        if (is_new)
            snprintf(seen[systems++], sizeof seen[0], "%s", name);
        free(file);
    }
    ck_assert_msg(systems >= 2, "%s: references of %d systems", method, systems);
}
END_TEST

Suite *make_suite(void)
{
    Suite *suite = suite_create("references");
    TCase *all = tcase_create("references");
    glob(CARDAN_TEST_DATA "/reference/*.csv", 0, NULL, &files);
    tcase_add_loop_test(all, every_step_is_that_of_the_reference, 0, (int)files.gl_pathc);
    tcase_add_loop_test(all, systems_are_consistent, 0, (int)files.gl_pathc);
    tcase_add_loop_test(all, every_method_has_references, 0, cardan_method_count());
    suite_add_tcase(suite, all);
    return suite;
}
