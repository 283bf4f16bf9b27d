/* Systems too large for full matrices: ranks, the checker and differences within patterns. */
#include "base/numeric.h"
#include "beads.h"
#include "lab/analysis/decomposition.h"
#include "lab/analysis/projection_verdict.h"
#include "suite.h"
#include "system/workspace.h"

#include <cardan/cardan.h>
#include <stdlib.h>

enum { COUNT = 500, DOF = 3 * COUNT };

/* A string of beads, of which a copy may be changed, and a state. */
typedef struct large {
    beads beads;
    cardan_group *group;
    cardan_system_def def;
    double q[DOF], v[DOF], lambda[COUNT + 1];
} large;

static large *string;

static void set_up(void)
{
    string = calloc(1, sizeof *string);
    beads_open(&string->beads, COUNT, true);
    string->group = beads_group(&string->beads);
    string->def = beads_def(&string->beads, string->group);
    beads_initial(&string->beads, string->q, string->v);
    for (int i = 0; i <= COUNT; i++)
        string->lambda[i] = 1.0 + sin(i);
}

static void tear_down(void)
{
    cardan_group_destroy(string->group);
    beads_close(&string->beads);
    free(string);
}

static cardan_point point(void)
{
    return (cardan_point){0.0, string->q, string->v, string->v, string->lambda, NULL};
}

static cardan_system *create(const cardan_system_def *def)
{
    cardan_system *system;
    cardan_error error = {0};
    const cardan_status status = cardan_system_create(&system, def, &error);
    ck_assert_msg(status == CARDAN_OK, "%s", error.text);
    return system;
}

START_TEST(ranks)
{
    cardan_system *system = create(&string->def);
    const cardan_point at = point();
    cardan_rank_report r;
    cardan_error error = {0};
    ck_assert_msg(cardan_rank_analyse(system, &at, &r, &error) == CARDAN_OK, "%s", error.text);
    ck_assert_int_eq(r.mass_rank, DOF);
    ck_assert_int_eq(r.constraint_rank, COUNT);
    ck_assert_int_eq(r.holonomic_rank, COUNT);
    ck_assert_int_eq(r.kernel, DOF - COUNT);
    ck_assert(r.definite_on_kernel && r.mass_semidefinite);
    ck_assert_int_eq(r.index, 3);
    ck_assert_double_eq_tol(r.mass_smallest, 1.0, 1e-14);
    ck_assert_double_eq_tol(r.mass_largest, 1.0, 1e-14);
    cardan_system_destroy(system);
}
END_TEST

/* One more row, equal to twice row 7 less row 8. */
static int repeated(void *context, const cardan_point *at, double *out)
{
    const int answer = string->def.constraint(context, at, out);
    out[COUNT] = 2.0 * out[7] - out[8];
    return answer;
}

static int repeated_dq(void *context, const cardan_point *at, double *out)
{
    const int answer = string->def.constraint_dq(context, at, out);
    const int *start = string->beads.rows.row_start;
    double *row = out + start[COUNT];
    for (int i = 0; i < 6; i++) { /* the columns of bead 7 are in both rows */
        row[i] += 2.0 * out[start[7] + i];
        row[i + 3] -= out[start[8] + i];
    }
    return answer;
}

static cardan_pattern repeated_pattern(int *start, int *column)
{
    const cardan_pattern *rows = &string->beads.rows;
    memcpy(start, rows->row_start, (COUNT + 1) * sizeof *start);
    memcpy(column, rows->column, (size_t)rows->entries * sizeof *column);
    for (int i = 0; i < 9; i++)
        column[rows->entries + i] = 3 * 6 + i;
    start[COUNT + 1] = rows->entries + 9;
    return (cardan_pattern){rows->entries + 9, start, column};
}

START_TEST(a_dependent_constraint_is_named)
{
    static int start[COUNT + 2], column[6 * COUNT + 9];
    cardan_system_def def = string->def;
    const cardan_pattern pattern = repeated_pattern(start, column);
    const cardan_point at = point();
    cardan_rank_report r;
    cardan_error error = {0};
    def.constraints = COUNT + 1;
    def.constraint = repeated;
    def.constraint_dq = repeated_dq;
    def.constraint_bias = def.hidden_dq = def.reaction_dq = NULL;
    def.patterns.constraint_dq = &pattern;
    def.patterns.hidden_dq = def.patterns.reaction_dq = NULL;
    cardan_system *system = create(&def);
    ck_assert_int_eq(cardan_rank_analyse(system, &at, &r, &error), CARDAN_RANK_DEFICIENT);
    ck_assert_int_eq(r.constraint_rank, COUNT);
    ck_assert_msg(strstr(error.text, "1 of 501 can be removed, for example constraint 501") != NULL,
                  "%s", error.text);
    cardan_integrator_def run = cardan_integrator_def_default();
    cardan_integrator *it;
    ck_assert_int_eq(cardan_integrator_create(&it, system, &run, NULL), CARDAN_OK);
    ck_assert_int_eq(cardan_integrator_start(it, 0.0, string->q, string->v), CARDAN_RANK_DEFICIENT);
    ck_assert_ptr_nonnull(strstr(cardan_integrator_message(it), "constraint 501"));
    cardan_integrator_destroy(it);
    cardan_system_destroy(system);
}
END_TEST

/* Bead 100 has no mass sideways to its rods. */
static int massless(void *context, const cardan_point *at, double *out)
{
    const int answer = string->def.mass(context, at, out);
    for (int i = 0; i < 3; i++)
        out[3 * 100 + i] = 0.0;
    return answer;
}

START_TEST(a_direction_without_mass_is_named)
{
    cardan_system_def def = string->def;
    const cardan_point at = point();
    cardan_rank_report r;
    cardan_error error = {0};
    def.mass = massless;
    cardan_system *system = create(&def);
    ck_assert_int_eq(cardan_rank_analyse(system, &at, &r, &error), CARDAN_SINGULAR_MATRIX);
    ck_assert_int_eq(r.mass_rank, DOF - 3);
    ck_assert(!r.definite_on_kernel);
    ck_assert_msg(strstr(error.text, "velocity 30") != NULL, "%s", error.text); /* 301 to 303 */
    cardan_system_destroy(system);
}
END_TEST

START_TEST(the_checker_passes_what_is_right)
{
    cardan_system *system = create(&string->def);
    const cardan_point at = point();
    cardan_error error = {0};
    const cardan_status status = cardan_system_check(system, &at, 0.0, &error);
    ck_assert_msg(status == CARDAN_OK, "%s", error.text);
    cardan_system_destroy(system);
}
END_TEST

static int wrong_entry(void *context, const cardan_point *at, double *out)
{
    const int answer = string->def.constraint_dq(context, at, out);
    out[string->beads.rows.row_start[250] + 2] += 0.01;
    return answer;
}

START_TEST(the_checker_finds_a_wrong_entry)
{
    cardan_system_def def = string->def;
    const cardan_point at = point();
    cardan_error error = {0};
    def.constraint_dq = wrong_entry;
    cardan_system *system = create(&def);
    ck_assert_int_eq(cardan_system_check(system, &at, 0.0, &error), CARDAN_WRONG_DERIVATIVE);
    ck_assert_msg(strstr(error.text, "`constraint_dq` is wrong in row 251, column 750") != NULL,
                  "%s", error.text);
    cardan_system_destroy(system);
}
END_TEST

/* reaction_dq claims that it has nothing at all. */
static int nothing(void *context, const cardan_point *at, double *out)
{
    (void)context, (void)at, (void)out;
    return 0;
}

START_TEST(the_checker_finds_missing_entries)
{
    cardan_system_def def = string->def;
    const cardan_point at = point();
    cardan_error error = {0};
    def.reaction_dq = nothing;
    def.patterns.reaction_dq = &string->beads.none;
    cardan_system *system = create(&def);
    ck_assert_int_eq(cardan_system_check(system, &at, 0.0, &error), CARDAN_WRONG_DERIVATIVE);
    ck_assert_msg(strstr(error.text, "pattern `reaction_dq` lacks entries in row") != NULL, "%s",
                  error.text);
    cardan_system_destroy(system);
}
END_TEST

/* Every derivative differenced within its pattern, against the closed form. The number of calls is
 * that of the groups, which does not depend on the length. */
START_TEST(differences_by_groups)
{
    static double given[9 * DOF], differenced[9 * DOF];
    const cd_derivative_id ids[] = {CD_D_constraint_dq, CD_D_hidden_dq, CD_D_reaction_dq};
    const int most[] = {4 * 6, 4 * 6, 2 * 9}; /* points of the formula times groups */
    cardan_system_def def = string->def;
    cd_arena arena;
    cardan_error error = {0};
    const cardan_point at = point();
    cd_arena_init(&arena, NULL);
    cardan_system *exact = create(&def);
    def.hidden_dq = def.reaction_dq = NULL;
    cardan_system *bare = create(&def);
    def.constraint_dq = NULL;
    cardan_system *barest = create(&def);
    cd_workspace *with = cd_workspace_create(&arena, exact, &error);
    for (int i = 0; i < 3; i++) {
        const cardan_system *system = i == 0 ? barest : bare;
        cd_workspace *without = cd_workspace_create(&arena, system, &error);
        const int entries = cd_derivative_of(system, ids[i]).entries;
        ck_assert_int_eq(cd_derivative(with, 0, ids[i], &at, given), CARDAN_OK);
        string->beads.calls = 0;
        ck_assert_int_eq(cd_derivative(without, 0, ids[i], &at, differenced), CARDAN_OK);
        ck_assert_int_le(string->beads.calls, most[i]);
        for (int e = 0; e < entries; e++)
            ck_assert_double_eq_tol(given[e], differenced[e], i < 2 ? 1e-9 : 1e-7);
    }
    cd_arena_destroy(&arena);
    cardan_system_destroy(exact);
    cardan_system_destroy(bare);
    cardan_system_destroy(barest);
}
END_TEST

/* 6000 beads without a pattern would need 3.2e8 numbers for M alone. */
START_TEST(full_matrices_beyond_memory_are_refused)
{
    beads many;
    cardan_system *system;
    cardan_error error = {0};
    beads_open(&many, 6000, true);
    cardan_group *group = beads_group(&many);
    cardan_system_def def = beads_def(&many, group);
    def.patterns.force_dq = NULL;
    ck_assert_int_eq(cardan_system_create(&system, &def, &error), CARDAN_UNSUPPORTED);
    ck_assert_msg(strstr(error.text, "`force_dq` of 18000 x 18000") != NULL, "%s", error.text);
    cardan_group_destroy(group);
    beads_close(&many);
}
END_TEST

/* The mass norm never adds energy (GO10); the decomposition consists of full matrices. */
START_TEST(large_projections_are_judged)
{
    cardan_system *system = create(&string->def);
    const cardan_point at = point();
    const cardan_projection how = cardan_projection_default();
    lab_projection_verdict verdict;
    lab_decomposition *decomposition;
    cardan_error error = {0};
    ck_assert_int_eq(lab_projection_judge(system, &how, &at, &verdict, &error), CARDAN_OK);
    ck_assert(!verdict.can_add_energy);
    ck_assert_int_eq(verdict.compatible, cardan_system_describe(system).dof -
                                             cardan_system_describe(system).constraint_count);
    ck_assert_int_eq(lab_decomposition_create(&decomposition, system, &at, &error),
                     CARDAN_UNSUPPORTED);
    cardan_system_destroy(system);
}
END_TEST

Suite *make_suite(void)
{
    Suite *suite = suite_create("system: large");
    TCase *tests = tcase_create("large");
    tcase_set_timeout(tests, 300.0);
    tcase_add_checked_fixture(tests, set_up, tear_down);
    tcase_add_test(tests, ranks);
    tcase_add_test(tests, a_dependent_constraint_is_named);
    tcase_add_test(tests, a_direction_without_mass_is_named);
    tcase_add_test(tests, the_checker_passes_what_is_right);
    tcase_add_test(tests, the_checker_finds_a_wrong_entry);
    tcase_add_test(tests, the_checker_finds_missing_entries);
    tcase_add_test(tests, differences_by_groups);
    tcase_add_test(tests, full_matrices_beyond_memory_are_refused);
    tcase_add_test(tests, large_projections_are_judged);
    suite_add_tcase(suite, tests);
    return suite;
}
