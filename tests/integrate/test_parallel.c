/* Any number of threads gives the bits of one thread. */
#include "experiment.h"
#include "integrate/integrator.h"
#include "lattice.h"
#include "models.h"
#include "suite.h"

#include <dirent.h>
#include <pthread.h>
#include <stdlib.h>

enum { STEPS = 12, FEW_STEPS = 2 /* of large models */ };

typedef struct subject {
    const char *name;
    lattice_order order;
} subject;

static const subject subjects[] = {
    {"chain", {.shape = LATTICE_CHAIN, .n = 60, .type = CARDAN_JOINT_REVOLUTE}},
    {"chain in the body frame",
     {.shape = LATTICE_CHAIN, .n = 45, .type = CARDAN_JOINT_SPHERICAL, .form = CARDAN_FORM_BODY}},
    {"chain on SE(3)",
     {.shape = LATTICE_CHAIN, .n = 50, .type = CARDAN_JOINT_REVOLUTE, .form = CARDAN_FORM_SE3}},
    {"tree", {.shape = LATTICE_TREE, .n = 63, .type = CARDAN_JOINT_SPHERICAL}},
    {"ladder", {.shape = LATTICE_LADDER, .n = 20, .type = CARDAN_JOINT_SPHERICAL}},
    {"ring", {.shape = LATTICE_RING, .n = 64, .type = CARDAN_JOINT_SPHERICAL}},
    {"long chain", {.shape = LATTICE_CHAIN, .n = 850, .type = CARDAN_JOINT_SPHERICAL}},
    {"long chain of hinges", {.shape = LATTICE_CHAIN, .n = 600, .type = CARDAN_JOINT_REVOLUTE}},
    {"long ring", {.shape = LATTICE_RING, .n = 700, .type = CARDAN_JOINT_SPHERICAL}},
    {"long ladder", {.shape = LATTICE_LADDER, .n = 180, .type = CARDAN_JOINT_SPHERICAL}},
    {"large tree", {.shape = LATTICE_TREE, .n = 511, .type = CARDAN_JOINT_REVOLUTE}},
};
enum { SUBJECTS = sizeof subjects / sizeof subjects[0], SMALL = 6 };

static const int counts[] = {1, 2, 3, 5};
enum { COUNTS = sizeof counts / sizeof counts[0] };

/* Springs between neighbours and a damper to the ground: forces beside the joints. */
static cardan_model *make_subject(const subject *from)
{
    cardan_model *model = make_lattice(&from->order);
    for (int i = 0; i + 3 < from->order.n; i += 3) {
        cardan_force_def def = cardan_force_def_default();
        int number;
        def.type = CARDAN_FORCE_SPRING;
        def.body1 = i;
        def.body2 = i != 3 ? i + 3 : CARDAN_GROUND;
        def.frame2.position[1] = 0.2;
        def.stiffness = 30.0;
        def.damping = 2.0;
        CHECK_MODEL(model, cardan_model_add_force(model, &def, &number));
    }
    CHECK_MODEL(model, cardan_model_build(model));
    return model;
}

/* The state and the counters at the end. */
typedef struct outcome {
    int q, v, m;
    double *values; /* q, v, v', lambda */
    cardan_statistics statistics;
    cardan_status status;
    char text[sizeof((cardan_error *)0)->text];
} outcome;

static void keep(outcome *out, const cardan_system *system, const cardan_state *now)
{
    out->q = cardan_group_size(cardan_system_describe(system).group);
    out->v = cardan_system_describe(system).dof;
    out->m = cardan_system_describe(system).constraint_count;
    out->values = calloc((size_t)(out->q + 2 * out->v + out->m), sizeof *out->values);
    memcpy(out->values, now->q, (size_t)out->q * sizeof(double));
    memcpy(out->values + out->q, now->v, (size_t)out->v * sizeof(double));
    memcpy(out->values + out->q + out->v, now->vdot, (size_t)out->v * sizeof(double));
    memcpy(out->values + out->q + 2 * out->v, now->lambda, (size_t)out->m * sizeof(double));
}

/* No assertions: other threads call this, too. */
static outcome integrate(const cardan_model *model, const char *method, bool adaptive, int threads)
{
    const int steps =
        cardan_system_describe(cardan_model_system(model)).dof < 1000 ? STEPS : FEW_STEPS;
    const cardan_system *system = cardan_model_system(model);
    cardan_integrator_def def = cardan_integrator_def_default();
    cardan_integrator *it = NULL;
    cardan_error error = {0};
    outcome out = {0};
    double *q = calloc((size_t)cardan_group_size(cardan_system_describe(system).group), sizeof *q);
    double *v = calloc((size_t)cardan_system_describe(system).dof, sizeof *v);
    cardan_model_initial(model, q, v);
    def.method = method;
    def.threads = threads;
    def.step = adaptive ? 0.0 : 2e-3;
    out.status = cardan_integrator_create(&it, system, &def, &error);
    if (out.status == CARDAN_OK)
        out.status = cardan_integrator_start(it, 0.0, q, v);
    for (int i = 0; i < steps && out.status == CARDAN_OK; i++)
        out.status = cardan_integrator_step(it);
    strcpy(out.text, it != NULL ? cardan_integrator_message(it) : error.text);
    if (it != NULL) {
        keep(&out, system, cardan_integrator_state(it));
        out.statistics = cardan_integrator_statistics(it);
    }
    cardan_integrator_destroy(it);
    free(q);
    free(v);
    return out;
}

static void expect_same(const outcome *one, const outcome *other)
{
    ck_assert_int_eq(one->status, other->status);
    ck_assert_str_eq(one->text, other->text);
    ck_assert_int_eq(one->statistics.iterations, other->statistics.iterations);
    ck_assert_int_eq(one->statistics.factorizations, other->statistics.factorizations);
    ck_assert_int_eq(one->statistics.callbacks, other->statistics.callbacks);
    ck_assert_mem_eq(one->values, other->values,
                     (size_t)(one->q + 2 * one->v + one->m) * sizeof(double));
}

static void expect_same_bits(const subject *from, const char *method, bool adaptive)
{
    cardan_model *model = make_subject(from);
    outcome found[COUNTS];
    for (int i = 0; i < COUNTS; i++) {
        found[i] = integrate(model, method, adaptive, counts[i]);
        ck_assert_msg(found[i].status == CARDAN_OK, "%s: %s", from->name, found[i].text);
        ck_assert_int_eq(found[i].statistics.threads, counts[i]);
        expect_same(&found[0], &found[i]);
    }
    for (int i = 0; i < COUNTS; i++)
        free(found[i].values);
    cardan_model_destroy(model);
}

static const char *const methods[] = {"ga3", "ga2s", "rk5"};
enum { METHODS = sizeof methods / sizeof methods[0] };

START_TEST(same_bits_for_any_number)
{
    expect_same_bits(&subjects[_i / (2 * METHODS)], methods[_i % METHODS], _i / METHODS % 2 == 1);
}
END_TEST

/* These have factorizations in tasks (linalg/unit_tasks.h). */
START_TEST(same_bits_of_large_models)
{
    expect_same_bits(&subjects[SMALL + _i / METHODS], methods[_i % METHODS], false);
}
END_TEST

/* ---- callbacks of users ---- */

typedef struct watch {
    pthread_t thread;
    long calls, elsewhere;
    double fails_after;
} watch;

static int push(void *context, double t, const cardan_body_state *body1,
                const cardan_body_state *body2, double force1[3], double moment1[3],
                double force2[3], double moment2[3])
{
    watch *w = context;
    (void)moment1, (void)moment2;
    w->calls++;
    w->elsewhere += !pthread_equal(w->thread, pthread_self());
    for (int i = 0; i < 3; i++) {
        force2[i] = body1->position[i] - 0.3 * body2->velocity[i];
        force1[i] = -force2[i];
    }
    return t > w->fails_after ? -7 : 0;
}

static cardan_model *make_pushed(watch *w)
{
    cardan_model *model = make_lattice(&subjects[0].order);
    for (int i = 0; i < 40; i += 5) {
        cardan_force_def def = cardan_force_def_default();
        int number;
        def.type = CARDAN_FORCE_USER;
        def.body1 = i;
        def.body2 = i + 7;
        def.user = push;
        def.context = w;
        CHECK_MODEL(model, cardan_model_add_force(model, &def, &number));
    }
    CHECK_MODEL(model, cardan_model_build(model));
    return model;
}

START_TEST(users_are_called_by_their_thread)
{
    watch w = {.thread = pthread_self(), .fails_after = INFINITY};
    cardan_model *model = make_pushed(&w);
    outcome one = integrate(model, "ga3", false, 1), many = integrate(model, "ga3", false, 4);
    ck_assert_int_eq(one.status, CARDAN_OK);
    expect_same(&one, &many);
    ck_assert_int_gt(w.calls, 0);
    ck_assert_int_eq(w.elsewhere, 0);
    free(one.values);
    free(many.values);
    cardan_model_destroy(model);
}
END_TEST

START_TEST(failures_have_the_same_sentence)
{
    watch w = {.fails_after = 0.01};
    cardan_model *model = make_pushed(&w);
    outcome one = integrate(model, "ga2s", false, 1), many = integrate(model, "ga2s", false, 3);
    ck_assert_int_eq(one.status, CARDAN_CALLBACK_FAILED);
    expect_same(&one, &many);
    free(one.values);
    free(many.values);
    cardan_model_destroy(model);
}
END_TEST

/* ---- several integrators ---- */

typedef struct errand {
    const cardan_model *model;
    outcome found;
} errand;

static void *run_elsewhere(void *argument)
{
    errand *it = argument;
    it->found = integrate(it->model, "ga3", false, 2);
    return NULL;
}

START_TEST(two_integrators_with_threads_at_the_same_time)
{
    cardan_model *model = make_subject(&subjects[0]);
    outcome alone = integrate(model, "ga3", false, 1);
    errand errands[2] = {{.model = model}, {.model = model}};
    pthread_t threads[2];
    for (int i = 0; i < 2; i++)
        ck_assert_int_eq(pthread_create(&threads[i], NULL, run_elsewhere, &errands[i]), 0);
    for (int i = 0; i < 2; i++) {
        pthread_join(threads[i], NULL);
        expect_same(&alone, &errands[i].found);
        free(errands[i].found.values);
    }
    free(alone.values);
    cardan_model_destroy(model);
}
END_TEST

START_TEST(numbers_out_of_range_are_refused)
{
    cardan_model *model = make_subject(&subjects[0]);
    outcome few = integrate(model, "ga3", false, -1), many = integrate(model, "ga3", false, 65);
    ck_assert_int_eq(few.status, CARDAN_INVALID_ARGUMENT);
    ck_assert_int_eq(many.status, CARDAN_INVALID_ARGUMENT);
    ck_assert_ptr_nonnull(strstr(many.text, "threads is 65"));
    free(few.values);
    free(many.values);
    cardan_model_destroy(model);
}
END_TEST

/* Threads of this process; 0 where the system does not say, and under the thread sanitizer, which
 * has one of its own. */
static int count_threads(void)
{
#if defined(__SANITIZE_THREAD__)
    return 0;
#endif
    DIR *tasks = opendir("/proc/self/task");
    int count = 0;
    for (struct dirent *next; tasks != NULL && (next = readdir(tasks)) != NULL;)
        count += next->d_name[0] != '.';
    if (tasks != NULL)
        closedir(tasks);
    return count;
}

/* By default small models have one thread and none is made; large ones have as many as there are
 * processors, four at most, which end with the integrator. */
START_TEST(automatic)
{
    static const struct {
        int bodies;
        bool shared;
    } sizes[] = {{60, false}, {450, false}, {460, true}}; /* 11 unknowns each, from 5000 on */
    const int before = count_threads(), processors = cd_processors();
    const int most = processors < CARDAN_AUTOMATIC_THREADS ? processors : CARDAN_AUTOMATIC_THREADS;
    const lattice_order order = {
        .shape = LATTICE_CHAIN, .n = sizes[_i].bodies, .type = CARDAN_JOINT_REVOLUTE};
    cardan_model *model = make_lattice(&order);
    CHECK_MODEL(model, cardan_model_build(model));
    const int wanted = sizes[_i].shared ? most : 1;
    cardan_integrator_def def = cardan_integrator_def_default();
    cardan_integrator *it = NULL;
    cardan_error error = {0};
    ck_assert_int_eq(def.threads, 0);
    ck_assert_int_eq(cardan_integrator_create(&it, cardan_model_system(model), &def, &error),
                     CARDAN_OK);
    ck_assert_int_eq(cardan_integrator_statistics(it).threads, wanted);
    if (before > 0)
        ck_assert_int_eq(count_threads(), before + wanted - 1);
    cardan_integrator_destroy(it);
    ck_assert_int_eq(count_threads(), before);
    cardan_model_destroy(model);
}
END_TEST

Suite *make_suite(void)
{
    Suite *suite = suite_create("parallel");
    TCase *all = tcase_create("all");
    tcase_set_timeout(all, 300);
    tcase_add_loop_test(all, same_bits_for_any_number, 0, 2 * METHODS * SMALL);
    tcase_add_loop_test(all, same_bits_of_large_models, 0, METHODS * (SUBJECTS - SMALL));
    tcase_add_test(all, users_are_called_by_their_thread);
    tcase_add_test(all, failures_have_the_same_sentence);
    tcase_add_test(all, two_integrators_with_threads_at_the_same_time);
    tcase_add_test(all, numbers_out_of_range_are_refused);
    tcase_add_loop_test(all, automatic, 0, 3);
    suite_add_tcase(suite, all);
    return suite;
}
