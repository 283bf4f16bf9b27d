/* Mistakes in a definition give a status and a sentence; a good one is copied whole. */
#include "base/numeric.h"
#include "suite.h"
#include "zoo.h"

#include <stdlib.h>

typedef void (*mistake)(cardan_system_def *def);

static void no_cookie(cardan_system_def *def)
{
    def->cookie = 0;
}

static void no_group(cardan_system_def *def)
{
    def->group = NULL;
}

static void negative_constraints(cardan_system_def *def)
{
    def->constraints = -1;
}

static void negative_nonholonomic(cardan_system_def *def)
{
    def->nonholonomic = -2;
}

static void too_many_constraints(cardan_system_def *def)
{
    def->constraints = 4;
}

static void too_many_together(cardan_system_def *def)
{
    def->constraints = 2;
    def->nonholonomic = 2;
}

static void absurdly_many(cardan_system_def *def)
{
    def->constraints = 2;
    def->nonholonomic = 2147483647;
}

static void no_mass(cardan_system_def *def)
{
    def->mass = NULL;
}

static void no_constraint(cardan_system_def *def)
{
    def->constraint = NULL;
}

static void no_gaps(cardan_system_def *def)
{
    def->gap_count = 2;
}

static void no_nonholonomic(cardan_system_def *def)
{
    def->nonholonomic_residual = NULL;
}

static void psi_without_force(cardan_system_def *def)
{
    def->psi_in_force_only = true;
    def->force_depends_on_psi = false;
}

static void no_force_for_lambda(cardan_system_def *def)
{
    def->force = NULL;
    def->force_depends_on_psi = false;
}

static void no_force_for_psi(cardan_system_def *def)
{
    def->force = NULL;
    def->force_depends_on_lambda = false;
}

static const struct {
    mistake make;
    cardan_status status;
    const char *sentence; /* part of it */
} mistakes[] = {
    {no_cookie, CARDAN_UNINITIALISED, "cardan_system_def_default"},
    {no_group, CARDAN_INVALID_ARGUMENT, "group"},
    {negative_constraints, CARDAN_INVALID_ARGUMENT, "negative"},
    {negative_nonholonomic, CARDAN_INVALID_ARGUMENT, "negative"},
    {too_many_constraints, CARDAN_INVALID_ARGUMENT, "4 + 1 constraints on 3 velocities"},
    {too_many_together, CARDAN_INVALID_ARGUMENT, "2 + 2 constraints on 3 velocities"},
    {absurdly_many, CARDAN_INVALID_ARGUMENT, "constraints on 3 velocities"},
    {no_mass, CARDAN_MISSING_CALLBACK, "`mass`"},
    {no_constraint, CARDAN_MISSING_CALLBACK, "`constraint`"},
    {no_nonholonomic, CARDAN_MISSING_CALLBACK, "`nonholonomic_residual`"},
    {no_gaps, CARDAN_MISSING_CALLBACK, "`gaps`"},
    {psi_without_force, CARDAN_INVALID_ARGUMENT, "psi_in_force_only"},
    {no_force_for_lambda, CARDAN_MISSING_CALLBACK, "`force`"},
    {no_force_for_psi, CARDAN_MISSING_CALLBACK, "`force`"},
};

static cardan_group *group;
static zoo animals;

static void set_up(void)
{
    group = zoo_group();
    animals = (zoo){.spoilt = ZOO_COUNT};
}

static void tear_down(void)
{
    cardan_group_destroy(group);
}

START_TEST(definition_mistakes)
{
    cardan_system_def def = zoo_def(group, &animals);
    cardan_system *system = (cardan_system *)&animals;
    cardan_error error = {0};
    mistakes[_i].make(&def);
    ck_assert_int_eq(cardan_system_create(&system, &def, &error), mistakes[_i].status);
    ck_assert_int_eq(error.status, mistakes[_i].status);
    ck_assert_ptr_null(system);
    ck_assert_msg(strstr(error.text, mistakes[_i].sentence) != NULL, "%s", error.text);
    ck_assert_int_eq(cardan_system_create(&system, &def, NULL), mistakes[_i].status);
}
END_TEST

START_TEST(null_arguments)
{
    cardan_system_def def = zoo_def(group, &animals);
    cardan_system *system;
    cardan_error error = {0};
    ck_assert_int_eq(cardan_system_create(NULL, &def, &error), CARDAN_INVALID_ARGUMENT);
    ck_assert_int_eq(cardan_system_create(&system, NULL, &error), CARDAN_INVALID_ARGUMENT);
    ck_assert_int_ne(error.text[0], '\0');
    cardan_system_destroy(NULL);
}
END_TEST

START_TEST(the_definition_is_copied)
{
    char name[] = "hinge";
    const char *names[] = {name};
    cardan_system_def def = zoo_def(group, &animals);
    cardan_system *system;
    cardan_error error = {.status = CARDAN_UNSUPPORTED, .text = "old"};
    def.constraint_names = names;
    ck_assert_int_eq(cardan_system_create(&system, &def, &error), CARDAN_OK);
    ck_assert_int_eq(error.status, CARDAN_OK);
    ck_assert_str_eq(error.text, "");
    memset(name, 'x', sizeof name - 1);
    names[0] = NULL;
    cardan_group_destroy(group);
    group = NULL;
    ck_assert_int_eq(cardan_group_dof(cardan_system_describe(system).group), 3);
    ck_assert_int_eq(cardan_system_describe(system).dof, 3);
    ck_assert_int_eq(cardan_system_describe(system).constraint_count, 1);
    ck_assert_int_eq(cardan_system_describe(system).nonholonomic_count, 1);
    ck_assert(cardan_system_describe(system).has_potential);
    cardan_system_destroy(system);
}
END_TEST

START_TEST(potential_is_optional)
{
    cardan_system_def def = zoo_def(group, &animals);
    cardan_system *system;
    double kinetic = -1.0, potential = -1.0;
    const double zeros[3] = {0};
    const cardan_point at = {zoo_time, zoo_q, zoo_v, zeros, zeros, zeros};
    def.potential = NULL;
    ck_assert_int_eq(cardan_system_create(&system, &def, NULL), CARDAN_OK);
    ck_assert(!cardan_system_describe(system).has_potential);
    ck_assert_int_eq(cardan_system_energy(system, &at, &kinetic, &potential, NULL), CARDAN_OK);
    ck_assert_double_eq(potential, 0.0);
    cardan_system_destroy(system);
}
END_TEST

/* v^T M v / 2 and the potential, written out by hand. */
START_TEST(energy)
{
    cardan_system_def def = zoo_def(group, &animals);
    cardan_system *system;
    cardan_error error = {0};
    double kinetic, potential;
    const double q[3] = {2.0, 3.0, 0.0}, v[3] = {1.0, 2.0, -1.0}, zeros[3] = {0};
    const cardan_point at = {10.0, q, v, zeros, zeros, zeros};
    ck_assert_int_eq(cardan_system_create(&system, &def, NULL), CARDAN_OK);
    ck_assert_int_eq(cardan_system_energy(system, &at, &kinetic, &potential, &error), CARDAN_OK);
    /* (6*1 + 2*3*1*2 + 3*4 - 2*0.6*2*1 + 2*1) / 2 */
    ck_assert_double_eq_tol(kinetic, 14.8, 1e-14);
    ck_assert_double_eq_tol(potential, 8.0, 1e-15);
    ck_assert_int_eq(cardan_system_energy(NULL, &at, &kinetic, &potential, NULL),
                     CARDAN_INVALID_ARGUMENT);
    ck_assert_int_eq(cardan_system_energy(system, NULL, &kinetic, &potential, NULL),
                     CARDAN_INVALID_ARGUMENT);
    ck_assert_int_eq(cardan_system_energy(system, &at, NULL, &potential, NULL),
                     CARDAN_INVALID_ARGUMENT);
    animals = (zoo){.spoilt = ZOO_potential, .shift = NAN, .from = -1.0};
    ck_assert_int_eq(cardan_system_energy(system, &at, &kinetic, &potential, &error),
                     CARDAN_NOT_FINITE);
    ck_assert_ptr_nonnull(strstr(error.text, "`potential`"));
    cardan_system_destroy(system);
}
END_TEST

Suite *make_suite(void)
{
    Suite *suite = suite_create("system: definition");
    TCase *tests = tcase_create("definition");
    tcase_set_timeout(tests, 60.0);
    tcase_add_checked_fixture(tests, set_up, tear_down);
    tcase_add_loop_test(tests, definition_mistakes, 0, (int)(sizeof mistakes / sizeof mistakes[0]));
    tcase_add_test(tests, null_arguments);
    tcase_add_test(tests, the_definition_is_copied);
    tcase_add_test(tests, potential_is_optional);
    tcase_add_test(tests, energy);
    suite_add_tcase(suite, tests);
    return suite;
}
