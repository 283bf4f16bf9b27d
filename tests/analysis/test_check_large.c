/* What `cardan check` finds by sparse factors, against full matrices: eigenvalues of the mass
 * matrix on what constraints allow, and verdicts on projections. */
#include "base/numeric.h"
#include "lab/analysis/projection_verdict.h"
#include "lab/analysis/projection_verdict_large.h"
#include "lattice.h"
#include "models.h"
#include "suite.h"
#include "system/structure.h"

#include <cardan/cardan.h>
#include <stdlib.h>

static const struct {
    lattice_shape shape;
    int n;
    cardan_joint_type type;
} cases[] = {
    {LATTICE_CHAIN, 9, CARDAN_JOINT_SPHERICAL}, {LATTICE_CHAIN, 9, CARDAN_JOINT_REVOLUTE},
    {LATTICE_RING, 8, CARDAN_JOINT_SPHERICAL},  {LATTICE_LADDER, 3, CARDAN_JOINT_REVOLUTE},
    {LATTICE_TREE, 9, CARDAN_JOINT_SPHERICAL},  {LATTICE_FOURBARS, 3, CARDAN_JOINT_REVOLUTE}};
enum { CASES = sizeof cases / sizeof cases[0] };

typedef struct scene {
    cardan_model *model;
    const cardan_system *system;
    double *q, *v, *zero;
    cardan_point at;
} scene;

/* A spring with a damper, stretched, between the middles of every second pair of bodies. */
static void add_springs(cardan_model *model)
{
    for (int body = 0; body + 2 < cardan_model_describe(model).body_count; body += 2) {
        cardan_force_def force = cardan_force_def_default();
        force.type = CARDAN_FORCE_SPRING;
        force.body1 = body;
        force.body2 = body + 2;
        force.stiffness = 50.0 + 10.0 * body;
        force.damping = 3.0;
        force.length = 0.1;
        CHECK_MODEL(model, cardan_model_add_force(model, &force, NULL));
    }
}

static scene make_scene(int number)
{
    const lattice_order order = {
        .shape = cases[number].shape, .n = cases[number].n, .type = cases[number].type};
    scene s = {.model = make_lattice(&order)};
    add_springs(s.model);
    CHECK_MODEL(s.model, cardan_model_build(s.model));
    s.system = cardan_model_system(s.model);
    const int k = cardan_system_describe(s.system).dof,
              m = cardan_system_describe(s.system).constraint_count;
    s.q = calloc((size_t)cardan_group_size(cardan_system_describe(s.system).group), sizeof(double));
    s.v = calloc((size_t)k, sizeof(double));
    s.zero = calloc((size_t)(k + m + 1), sizeof(double));
    cardan_model_initial(s.model, s.q, s.v);
    s.at = (cardan_point){0.0, s.q, s.v, s.zero, s.zero + k, s.zero};
    return s;
}

static void end_scene(scene *s)
{
    cardan_model_destroy(s->model);
    free(s->q);
    free(s->v);
    free(s->zero);
}

START_TEST(eigenvalues_of_the_mass_matrix)
{
    scene s = make_scene(_i);
    cardan_rank_report full;
    cardan_error error = {0};
    cd_structure structure;
    double kernel, augmented;
    cd_arena arena;
    ck_assert_msg(cardan_rank_analyse(s.system, &s.at, &full, &error) == CARDAN_OK, "%s",
                  error.text);
    cd_arena_init(&arena, NULL);
    cd_workspace *ws = cd_workspace_create(&arena, s.system, &error);
    ck_assert_int_eq(cd_system_equations(ws, &s.at, &(cd_equations){0}), CARDAN_OK);
    ck_assert(cd_structure_find(&arena, ws, &structure));
    ck_assert_int_eq(structure.constraint_rank, full.constraint_rank);
    ck_assert_int_eq(structure.mass_rank, full.mass_rank);
    ck_assert(cd_structure_search_eigenvalues(&arena, ws, &structure, &kernel, &augmented));
    ck_assert_double_eq_tol(kernel, full.kernel_smallest, 1e-6 * full.kernel_smallest);
    ck_assert_double_eq_tol(augmented, full.augmented_smallest, 1e-6 * full.augmented_smallest);
    cd_arena_destroy(&arena);
    end_scene(&s);
}
END_TEST

static void compare(const scene *s, const cardan_projection *how)
{
    lab_projection_verdict full, sparse = {0};
    cardan_error error;
    ck_assert_msg(lab_projection_judge(s->system, how, &s->at, &full, &error) == CARDAN_OK, "%s",
                  error.text);
    ck_assert_msg(lab_verdict_find_large(s->system, how, &s->at, &sparse, &error) == CARDAN_OK,
                  "%s", error.text);
    ck_assert_int_eq(sparse.compatible, full.compatible);
    ck_assert_int_eq(sparse.kernel_b, full.kernel_b);
    ck_assert_int_eq(sparse.kernel_d, full.kernel_d);
    ck_assert_int_eq(sparse.can_add_energy, full.can_add_energy);
    const double tolerance = 1e-5 + 1e-4 * fabs(full.smallest);
    ck_assert_double_eq_tol(sparse.smallest, full.smallest, tolerance);
    ck_assert_double_eq_tol(sparse.smallest_relative, full.smallest_relative, 1e-5);
}

START_TEST(verdicts_on_projections)
{
    scene s = make_scene(_i);
    const int k = cardan_system_describe(s.system).dof;
    double *diagonal = calloc((size_t)k, sizeof *diagonal);
    cardan_projection how = cardan_projection_default();
    how.level = CARDAN_PROJECT_VELOCITY;
    how.norm = CARDAN_NORM_MASS;
    compare(&s, &how);
    how.norm = CARDAN_NORM_IDENTITY;
    compare(&s, &how);
    how.norm = CARDAN_NORM_DIAGONAL;
    how.matrix = diagonal;
    for (int spread = 0; spread < 2; spread++) {
        for (int i = 0; i < k; i++) /* near to a multiple of M, and far from it */
            diagonal[i] = spread == 0 ? (i % 6 < 3 ? 2.0 : 1.0 / 6.0) : 1.0 + i % 7;
        compare(&s, &how);
    }
    free(diagonal);
    end_scene(&s);
}
END_TEST

/* A full matrix, and the tangent norm of systems with springs. */
START_TEST(verdicts_on_full_matrices)
{
    scene s = make_scene(_i);
    const size_t k = (size_t)cardan_system_describe(s.system).dof;
    double *matrix = calloc(k * k, sizeof *matrix);
    cardan_projection how = cardan_projection_default();
    for (size_t i = 0; i < k; i++)
        for (size_t j = 0; j < k; j++)
            matrix[i * k + j] = i == j ? 2.0 + (double)(i % 5) : 0.3 / (double)(i + j);
    how.level = CARDAN_PROJECT_VELOCITY;
    how.norm = CARDAN_NORM_MATRIX;
    how.matrix = matrix;
    compare(&s, &how);
    free(matrix);
    end_scene(&s);
}
END_TEST

START_TEST(verdicts_on_the_tangent_norm)
{
    scene s = make_scene(_i);
    cardan_projection how = cardan_projection_default();
    how.level = CARDAN_PROJECT_VELOCITY;
    how.norm = CARDAN_NORM_TANGENT;
    how.damping = 0.05;
    how.stiffness = 0.01;
    compare(&s, &how);
    end_scene(&s);
}
END_TEST

Suite *make_suite(void)
{
    Suite *suite = suite_create("checks of large systems");
    TCase *sparse = tcase_create("sparse against full");
    tcase_set_timeout(sparse, 120);
    tcase_add_loop_test(sparse, eigenvalues_of_the_mass_matrix, 0, CASES);
    tcase_add_loop_test(sparse, verdicts_on_projections, 0, CASES);
    tcase_add_loop_test(sparse, verdicts_on_full_matrices, 0, CASES);
    tcase_add_loop_test(sparse, verdicts_on_the_tangent_norm, 0, CASES);
    suite_add_tcase(suite, sparse);
    return suite;
}
