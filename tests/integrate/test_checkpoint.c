/* A checkpoint continues bit for bit, into a fresh integrator or a used one; whatever is damaged or
 * foreign is refused with a reason and leaves the integrator as it was. */
#include "experiment.h"
#include "lab/problems/problem.h"
#include "saved.h"
#include "suite.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ACTIONS = 60 };

/* The i-th thing that happens in a run: mostly a step, at times another step size, a short step to
 * a given time, or a projection. */
static cardan_status act(cardan_integrator *it, double h, int i)
{
    const cardan_projection how = {.level = CARDAN_PROJECT_VELOCITY, .penalty = 1.0};
    if (i == 18 || i == 45)
        return cardan_integrator_set_step(it, i == 18 ? 0.5 * h : 1.25 * h);
    if (i % 13 == 7)
        return cardan_integrator_advance(it, cardan_integrator_state(it)->t + 2.3 * h);
    if (i == 33)
        return cardan_integrator_project(it, &how, NULL);
    return cardan_integrator_step(it);
}

static void act_from(cardan_integrator *it, double h, int first)
{
    for (int i = first; i < ACTIONS; i++)
        CHECK_STATUS(it, act(it, h, i));
}

static cardan_integrator_def def_of(const char *method, const lab_problem *problem)
{
    cardan_integrator_def def = cardan_integrator_def_default();
    def.method = method;
    def.step = lab_problem_step(problem);
    def.energy_balance = true;
    if (strncmp(method, "hht", 3) == 0)
        def.params = cardan_params_make(CARDAN_FAMILY_HHT, -0.1);
    return def;
}

/* False if the method is not for this system. */
static bool suits(const lab_problem *problem, const cardan_integrator_def *def)
{
    cardan_integrator *it = NULL;
    const cardan_system *system = lab_problem_system(problem);
    const cardan_status status = cardan_integrator_create(&it, system, def, NULL);
    cardan_integrator_destroy(it);
    ck_assert_int_ne(status, CARDAN_OUT_OF_MEMORY);
    return status == CARDAN_OK;
}

static cardan_integrator *make(const lab_problem *problem, const cardan_integrator_def *def)
{
    cardan_integrator *it = NULL;
    cardan_error error;
    const cardan_status status =
        cardan_integrator_create(&it, lab_problem_system(problem), def, &error);
    ck_assert_msg(status == CARDAN_OK, "%s", error.text);
    return it;
}

/* Loads `at` into `it`, goes on to the end and compares with the run that was not interrupted. */
static void check_goes_on(cardan_integrator *it, const saved *at, double h, int first,
                          cardan_integrator *clean)
{
    CHECK_STATUS(it, cardan_checkpoint_load(it, at->bytes, at->size));
    act_from(it, h, first);
    check_identical(clean, it);
    cardan_integrator_destroy(it);
}

static void check_pair(const lab_problem *problem, const cardan_integrator_def *def, int stop)
{
    const double h = def->step;
    cardan_integrator_def other = *def;
    cardan_integrator *clean = start_problem(problem, def);
    cardan_integrator *stopped = start_problem(problem, def);
    act_from(clean, h, 0);
    for (int i = 0; i < stop; i++)
        CHECK_STATUS(stopped, act(stopped, h, i));
    saved at = save(stopped);
    check_goes_on(make(problem, def), &at, h, stop, clean);
    other.step = 0.7 * h; /* the step size comes from the checkpoint */
    other.experimental.start = CARDAN_START_PLAIN;
    cardan_integrator *used = start_problem(problem, &other);
    for (int i = 0; i < 9; i++)
        CHECK_STATUS(used, cardan_integrator_step(used));
    check_goes_on(used, &at, h, stop, clean);
    act_from(stopped, h, stop);
    check_identical(clean, stopped); /* saving has left no trace */
    cardan_integrator_destroy(stopped);
    cardan_integrator_destroy(clean);
    free(at.bytes);
}

static const char *const problems[] = {"pendulum",   "heavy_top",       "heavy_top_se3",
                                       "oscillator", "friction_slider", "jn2",
                                       "free_body",  "rolling_disk",    "chaplygin_sleigh",
                                       "skate",      "two_particles",   "driven_pendulum"};
enum { PROBLEMS = sizeof problems / sizeof problems[0] };

START_TEST(every_method_goes_on_bit_for_bit)
{
    const char *method = cardan_method_describe(_i).name;
    int pairs = 0;
    random_seed(20261116 + (unsigned long)_i);
    for (int p = 0; p < PROBLEMS; p++) {
        lab_problem *problem = open_problem(problems[p], NULL, 0);
        const cardan_integrator_def def = def_of(method, problem);
        if (suits(problem, &def)) {
            check_pair(problem, &def, 0);
            check_pair(problem, &def, 1);
            check_pair(problem, &def, 2 + (int)random_below(ACTIONS - 2));
            pairs++;
        }
        lab_problem_destroy(problem);
    }
    ck_assert_msg(pairs >= 2, "%s ran %d problems", method, pairs);
}
END_TEST

START_TEST(random_save_points)
{
    enum { POINTS = 100 };
    lab_problem *problem = open_problem(_i == 0 ? "heavy_top" : "jn2", NULL, 0);
    const cardan_integrator_def def = def_of("ga3", problem);
    cardan_integrator *clean = start_problem(problem, &def);
    random_seed(42);
    act_from(clean, def.step, 0);
    for (int j = 0; j < POINTS; j++) {
        const int stop = (int)random_below(ACTIONS + 1);
        cardan_integrator *stopped = start_problem(problem, &def);
        for (int i = 0; i < stop; i++)
            CHECK_STATUS(stopped, act(stopped, def.step, i));
        saved at = save(stopped);
        cardan_integrator_destroy(stopped);
        check_goes_on(make(problem, &def), &at, def.step, stop, clean);
        free(at.bytes);
    }
    cardan_integrator_destroy(clean);
    lab_problem_destroy(problem);
}
END_TEST

/* A chain of stops: each run is loaded from the one before. */
START_TEST(stopping_after_every_action)
{
    lab_problem *problem = open_problem("heavy_top", NULL, 0);
    cardan_integrator_def def = def_of("ga2s", problem);
    def.projection.level = CARDAN_PROJECT_VELOCITY;
    cardan_integrator *clean = start_problem(problem, &def), *it = start_problem(problem, &def);
    act_from(clean, def.step, 0);
    for (int i = 0; i < ACTIONS; i++) {
        saved at = save(it);
        cardan_integrator_destroy(it);
        it = make(problem, &def);
        CHECK_STATUS(it, cardan_checkpoint_load(it, at.bytes, at.size));
        CHECK_STATUS(it, act(it, def.step, i));
        free(at.bytes);
    }
    check_identical(clean, it);
    cardan_integrator_destroy(it);
    cardan_integrator_destroy(clean);
    lab_problem_destroy(problem);
}
END_TEST

static lab_problem *problem_;
static cardan_integrator *it_, *untouched;
static saved good;

/* A good checkpoint of another time, an integrator that must not change, and its image. */
static void open_refusals(void)
{
    problem_ = open_problem("pendulum", NULL, 0);
    const cardan_integrator_def def = def_of("ga2s", problem_);
    it_ = start_problem(problem_, &def);
    untouched = start_problem(problem_, &def);
    for (int i = 0; i < 12; i++)
        CHECK_STATUS(it_, cardan_integrator_step(it_));
    good = save(it_);
    for (int i = 0; i < 5; i++) {
        CHECK_STATUS(it_, cardan_integrator_step(it_));
        CHECK_STATUS(untouched, cardan_integrator_step(untouched));
    }
    for (int i = 0; i < 12; i++)
        CHECK_STATUS(untouched, cardan_integrator_step(untouched));
    check_identical(it_, untouched);
}

static void close_refusals(void)
{
    free(good.bytes);
    cardan_integrator_destroy(it_);
    cardan_integrator_destroy(untouched);
    lab_problem_destroy(problem_);
}

static void check_refused(const void *bytes, size_t size, const char *reason)
{
    ck_assert_int_eq(cardan_checkpoint_load(it_, bytes, size), CARDAN_BAD_CHECKPOINT);
    const char *sentence = cardan_integrator_message(it_);
    ck_assert_msg(strstr(sentence, reason) != NULL, "`%s` lacks `%s`", sentence, reason);
    check_identical(it_, untouched);
}

START_TEST(any_damaged_byte_is_refused)
{
    for (size_t i = 0; i < good.size; i++) {
        const unsigned char change = (unsigned char)(1u << (i % 8));
        good.bytes[i] ^= change;
        check_refused(good.bytes, good.size, "checkpoint");
        good.bytes[i] ^= 0xff;
        check_refused(good.bytes, good.size, "checkpoint");
        good.bytes[i] ^= (unsigned char)(change ^ 0xff);
    }
    CHECK_STATUS(it_, cardan_checkpoint_load(it_, good.bytes, good.size));
}
END_TEST

START_TEST(any_other_length_is_refused)
{
    unsigned char *exact;
    for (size_t size = 0; size < good.size; size++) {
        exact = malloc(size + 1); /* so that a sanitizer sees reads beyond the end */
        exact = realloc(exact, size > 0 ? size : 1);
        memcpy(exact, good.bytes, size);
        check_refused(exact, size, "truncated");
        free(exact);
    }
    exact = calloc(good.size + 8, 1);
    memcpy(exact, good.bytes, good.size);
    check_refused(exact, good.size + 8, "damaged");
    free(exact);
    check_refused(NULL, good.size, "truncated");
}
END_TEST

/* Makes the checksum right again after a change, as a writer of another kind would. */
static void sign(saved s)
{
    const uint64_t checksum = cardan_checkpoint_checksum(0, s.bytes, s.size - 8);
    memcpy(s.bytes + s.size - 8, &checksum, sizeof checksum);
}

START_TEST(other_formats_are_refused)
{
    const uint32_t swapped = 0x04030201, version = 99;
    saved s = {good.size, malloc(good.size)};
    memcpy(s.bytes, good.bytes, s.size);
    s.bytes[0] = 'X';
    sign(s);
    check_refused(s.bytes, s.size, "no checkpoint");
    memcpy(s.bytes, good.bytes, s.size);
    memcpy(s.bytes + 8, &swapped, sizeof swapped);
    sign(s);
    check_refused(s.bytes, s.size, "byte order");
    memcpy(s.bytes, good.bytes, s.size);
    memcpy(s.bytes + 12, &version, sizeof version);
    sign(s);
    check_refused(s.bytes, s.size, "version 99");
    memcpy(s.bytes, good.bytes, s.size);
    memset(s.bytes + 24, 0xff, s.size - 24 - 8);
    sign(s);
    check_refused(s.bytes, s.size, "values that no integrator has");
    free(s.bytes);
}
END_TEST

/* Bytes changed one at a time with a checksum that agrees: refused, or read as numbers; never a
 * fault. */
START_TEST(forged_bytes_do_no_harm)
{
    int refused = 0;
    saved s = {good.size, malloc(good.size)};
    for (size_t i = 24; i < s.size - 8; i++) {
        memcpy(s.bytes, good.bytes, s.size);
        s.bytes[i] ^= 0x80;
        sign(s);
        refused += cardan_checkpoint_load(it_, s.bytes, s.size) == CARDAN_BAD_CHECKPOINT;
        (void)cardan_integrator_step(it_);
    }
    ck_assert_int_gt(refused, 100);
    CHECK_STATUS(it_, cardan_checkpoint_load(it_, good.bytes, good.size));
    for (int i = 0; i < 5; i++)
        CHECK_STATUS(it_, cardan_integrator_step(it_));
    check_identical(it_, untouched);
    free(s.bytes);
}
END_TEST

/* A change of the definition, and the word that must name it. */
typedef struct change {
    const char *named;
    void (*make)(cardan_integrator_def *def);
} change;

#define CHANGE(name, statement)                                                                    \
    static void change_##name(cardan_integrator_def *def)                                          \
    {                                                                                              \
        statement;                                                                                 \
    }
CHANGE(method, def->method = "ga3")
CHANGE(params, def->params = cardan_params_make(CARDAN_FAMILY_CHUNG_HULBERT, 0.7))
CHANGE(update, def->update = CARDAN_UPDATE_MAGNUS)
CHANGE(step_change, def->experimental.step_change = CARDAN_STEP_NONE)
CHANGE(b, def->experimental.hht3_b = 0.25)
CHANGE(variant, def->experimental.hht3_variant = CARDAN_HHT3_EXPLICIT)
CHANGE(mass, def->experimental.nonholonomic_mass = CARDAN_MASS_PREVIOUS)
CHANGE(penalty, def->experimental.conserving_penalty = 10.0)
CHANGE(projection, def->projection.level = CARDAN_PROJECT_BOTH)
CHANGE(norm, def->projection.norm = CARDAN_NORM_IDENTITY)
static const cardan_projection in_identity = {.norm = CARDAN_NORM_IDENTITY, .penalty = 1.0};
CHANGE(damping, def->projection.damping = 0.5)
CHANGE(accelerations, def->projection.accelerations = &in_identity)
CHANGE(energy_balance, def->energy_balance = false)
CHANGE(difference, def->experimental.difference = CARDAN_DIFFERENCE_FORWARD)
CHANGE(difference_step, def->experimental.difference_step = 0.5)
CHANGE(position, def->newton.position.absolute = 1e-12)
CHANGE(velocity, def->newton.velocity.relative = 1e-12)
CHANGE(multiplier, def->newton.multiplier.relative = 1e-9)
CHANGE(iterations, def->newton.max_iterations = 21)
CHANGE(tag, def->tag = "another pendulum")

static const change changes[] = {{"the method is `ga2s` there and `ga3` here", change_method},
                                 {"the parameter alpha_m", change_params},
                                 {"`update`", change_update},
                                 {"`step_change`", change_step_change},
                                 {"`hht3_b` is 0 there and 0.25 here", change_b},
                                 {"`hht3_variant`", change_variant},
                                 {"`nonholonomic_mass`", change_mass},
                                 {"`conserving_penalty`", change_penalty},
                                 {"the level of the projection", change_projection},
                                 {"the norm of the projection", change_norm},
                                 {"the weight of damping of the projection", change_damping},
                                 {"the norm of the projection", change_accelerations},
                                 {"`energy_balance` is 1 there and 0 here", change_energy_balance},
                                 {"`difference`", change_difference},
                                 {"`difference_step`", change_difference_step},
                                 {"the absolute position tolerance", change_position},
                                 {"the relative velocity tolerance", change_velocity},
                                 {"the relative multiplier tolerance", change_multiplier},
                                 {"`max_iterations` is 20 there and 21 here", change_iterations},
                                 {"the tag is `` there and `another pendulum`", change_tag}};
enum { CHANGES = sizeof changes / sizeof changes[0] };

START_TEST(other_definitions_are_named)
{
    cardan_integrator_def def = def_of("ga2s", problem_);
    changes[_i].make(&def);
    cardan_integrator *kept = it_, *twin = untouched;
    it_ = start_problem(problem_, &def);
    untouched = start_problem(problem_, &def);
    check_refused(good.bytes, good.size, changes[_i].named);
    cardan_integrator_destroy(it_);
    cardan_integrator_destroy(untouched);
    it_ = kept;
    untouched = twin;
}
END_TEST

START_TEST(projection_matrix_is_compared)
{
    double diagonal[] = {1.0, 2.0};
    cardan_integrator_def def = def_of("ga2s", problem_);
    def.projection = (cardan_projection){.level = CARDAN_PROJECT_VELOCITY,
                                         .norm = CARDAN_NORM_DIAGONAL,
                                         .matrix = diagonal,
                                         .penalty = 1.0};
    cardan_integrator *one = start_problem(problem_, &def);
    diagonal[1] = 3.0;
    cardan_integrator *two = start_problem(problem_, &def);
    saved s = save(one);
    ck_assert_int_eq(cardan_checkpoint_load(two, s.bytes, s.size), CARDAN_BAD_CHECKPOINT);
    ck_assert_ptr_nonnull(strstr(cardan_integrator_message(two), "is 2 there and 3 here"));
    CHECK_STATUS(one, cardan_checkpoint_load(one, s.bytes, s.size));
    cardan_integrator_destroy(one);
    cardan_integrator_destroy(two);
    free(s.bytes);
}
END_TEST

START_TEST(other_systems_are_named)
{
    static const char *const others[][2] = {
        {"heavy_top", "the number of velocities is 2 there and 6 here"},
        {"oscillator", "the number of"},
        {"skate", "the number of"}};
    for (int i = 0; i < 3; i++) {
        lab_problem *other = open_problem(others[i][0], NULL, 0);
        const cardan_integrator_def def = def_of("ga2s", other);
        cardan_integrator *it = start_problem(other, &def);
        ck_assert_int_eq(cardan_checkpoint_load(it, good.bytes, good.size), CARDAN_BAD_CHECKPOINT);
        const char *sentence = cardan_integrator_message(it);
        ck_assert_msg(strstr(sentence, others[i][1]) != NULL, "%s", sentence);
        CHECK_STATUS(it, cardan_integrator_step(it));
        cardan_integrator_destroy(it);
        lab_problem_destroy(other);
    }
}
END_TEST

/* heavy_top in body and in spatial velocities, and as SE(3): all sizes agree, the group does not.
 */
START_TEST(other_groups_are_refused)
{
    lab_problem *one = open_problem("heavy_top", NULL, 0);
    lab_problem *two = open_problem("heavy_top_se3", NULL, 0);
    const cardan_integrator_def def = def_of("ga2s", one);
    cardan_integrator *it = start_problem(one, &def), *other = start_problem(two, &def);
    saved s = save(it);
    ck_assert_int_eq(cardan_checkpoint_load(other, s.bytes, s.size), CARDAN_BAD_CHECKPOINT);
    ck_assert_ptr_nonnull(strstr(cardan_integrator_message(other), "factors"));
    cardan_integrator_destroy(it);
    cardan_integrator_destroy(other);
    lab_problem_destroy(one);
    lab_problem_destroy(two);
    free(s.bytes);
}
END_TEST

START_TEST(misuse_is_refused)
{
    const cardan_integrator_def def = def_of("ga2s", problem_);
    cardan_integrator *it = make(problem_, &def);
    const size_t size = cardan_checkpoint_size(it);
    ck_assert_uint_eq(size, good.size);
    ck_assert_int_eq(cardan_checkpoint_save(it, good.bytes, size), CARDAN_NOT_STARTED);
    ck_assert_int_eq(cardan_checkpoint_save(it_, good.bytes, size - 1), CARDAN_INVALID_ARGUMENT);
    ck_assert_int_eq(cardan_checkpoint_save(it_, NULL, size), CARDAN_INVALID_ARGUMENT);
    check_identical(it_, untouched);
    cardan_integrator_destroy(it);
}
END_TEST

/* FNV-1a of the published test vectors. */
START_TEST(checksum_is_the_published_one)
{
    ck_assert_uint_eq(cardan_checkpoint_checksum(0, "", 0), 0xcbf29ce484222325u);
    ck_assert_uint_eq(cardan_checkpoint_checksum(0, "a", 1), 0xaf63dc4c8601ec8cu);
    ck_assert_uint_eq(cardan_checkpoint_checksum(0, "foobar", 6), 0x85944171f73967e8u);
    ck_assert_uint_eq(cardan_checkpoint_checksum(cardan_checkpoint_checksum(0, "foo", 3), "bar", 3),
                      0x85944171f73967e8u);
}
END_TEST

Suite *make_suite(void)
{
    Suite *suite = suite_create("checkpoint");
    TCase *going_on = tcase_create("going on");
    tcase_set_timeout(going_on, 300);
    tcase_add_loop_test(going_on, every_method_goes_on_bit_for_bit, 0, cardan_method_count());
    tcase_add_loop_test(going_on, random_save_points, 0, 2);
    tcase_add_test(going_on, stopping_after_every_action);
    suite_add_tcase(suite, going_on);
    TCase *refusals = tcase_create("refusals");
    tcase_set_timeout(refusals, 300);
    tcase_add_checked_fixture(refusals, open_refusals, close_refusals);
    tcase_add_test(refusals, any_damaged_byte_is_refused);
    tcase_add_test(refusals, any_other_length_is_refused);
    tcase_add_test(refusals, other_formats_are_refused);
    tcase_add_test(refusals, forged_bytes_do_no_harm);
    tcase_add_loop_test(refusals, other_definitions_are_named, 0, CHANGES);
    tcase_add_test(refusals, projection_matrix_is_compared);
    tcase_add_test(refusals, other_systems_are_named);
    tcase_add_test(refusals, other_groups_are_refused);
    tcase_add_test(refusals, misuse_is_refused);
    tcase_add_test(refusals, checksum_is_the_published_one);
    suite_add_tcase(suite, refusals);
    return suite;
}
