/* The peer Simbody computes the same motion as ours in small steps: a planar and a spatial double
 * pendulum, and loops. Without Simbody there is nothing to test but that it says so. */
#include "lab/peers/simbody.h"
#include "suite.h"

#include <cardan/cardan.h>
#include <cardan/model_file.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define HEAD "cardan: 1\ngravity: [0, -9.81, 0]\nbodies:\n"
#define LINK(name, type, x, y, turn)                                                               \
    "  - {name: " name ", " type "mass: 1, inertia: [0.00125, 0.0833, 0.0833], position: [" x      \
    ", " y ", 0]" turn "}\n"
#define PIN(name, type, one, two, x, y)                                                            \
    "  - {name: " name ", type: " type ", body1: " one ", body2: " two ", location: [" x ", " y    \
    ", 0]}\n"
#define HINGE(name, one, two, x, y)                                                                \
    "  - {name: " name ", type: revolute, body1: " one ", body2: " two ", location: [" x ", " y    \
    ", 0], axis: [0, 0, 1]}\n"
#define UPRIGHT ", orientation: {axis: [0, 0, 1], angle: 1.5707963267948966}"

static const char *const models[] = {
    HEAD LINK("a", "type: planar, ", "0.5", "0", "")
        LINK("b", "type: planar, ", "1.5", "0", "") "joints:\n" HINGE("p", "ground", "a", "0", "0")
            HINGE("q", "a", "b", "1", "0"),
    HEAD LINK("a", "", "0.5", "0", "") LINK("b", "", "1", "0.5", UPRIGHT) "joints:\n" PIN(
        "p", "spherical", "ground", "a", "0", "0") PIN("q", "spherical", "a", "b", "1", "0"),
    HEAD LINK("a", "type: planar, ", "0", "0.5", UPRIGHT)
        LINK("b", "type: planar, ", "0.5", "1", "")
            LINK("c", "type: planar, ", "1", "0.5", UPRIGHT) "joints:\n" HINGE("p", "ground", "a",
                                                                               "0", "0")
                HINGE("q", "a", "b", "0", "1") HINGE("r", "b", "c", "1", "1")
                    HINGE("s", "ground", "c", "1",
                          "0") "forces: [{name: f, type: applied, body: b, force: [3, 0, 0]}]\n",
    HEAD LINK("a", "", "0", "0.5", UPRIGHT) LINK("b", "", "0.5", "1", "")
        LINK("c", "", "1", "0.5", UPRIGHT) "joints:\n" HINGE("p", "ground", "a", "0", "0")
            PIN("q", "spherical", "a", "b", "0", "1") PIN("r", "spherical", "b", "c", "1", "1")
                HINGE("s", "ground", "c", "1", "0"),
};
enum { MODELS = sizeof models / sizeof models[0], FORCED = 2 };

typedef struct subject {
    cardan_model_file *file;
    cardan_model *model;
    const cardan_system *system;
    double q[64], v[32];
} subject;

static subject open_model(const char *text)
{
    subject s = {0};
    cardan_error error = {0};
    ck_assert_msg(cardan_model_file_parse(&s.file, text, strlen(text), "test", NULL, 0, &error) ==
                      CARDAN_OK,
                  "%s", error.text);
    s.model = cardan_model_file_model(s.file);
    ck_assert_msg(cardan_model_build(s.model) == CARDAN_OK, "%s", cardan_model_message(s.model));
    s.system = cardan_model_system(s.model);
    cardan_model_initial(s.model, s.q, s.v);
    return s;
}

/* Ours: second order in steps of 0.1 ms. */
static void integrate(const subject *s, double end, double *q)
{
    cardan_integrator_def def = cardan_integrator_def_default();
    cardan_integrator *it = NULL;
    def.step = 1e-4;
    ck_assert_int_eq(cardan_integrator_create(&it, s->system, &def, NULL), CARDAN_OK);
    ck_assert_int_eq(cardan_integrator_start(it, 0.0, s->q, s->v), CARDAN_OK);
    ck_assert_int_eq(cardan_integrator_advance(it, end), CARDAN_OK);
    const int size = cardan_group_size(cardan_system_describe(s->system).group);
    memcpy(q, cardan_integrator_state(it)->q, (size_t)size * sizeof *q);
    cardan_integrator_destroy(it);
}

START_TEST(same_motion)
{
    if (peer_simbody_text() == NULL || _i == FORCED)
        return;
    subject s = open_model(models[_i]);
    const int size = cardan_group_size(cardan_system_describe(s.system).group);
    const double end = 0.5;
    double ours[64], theirs[64], moved = 0.0;
    peer_simbody *peer = NULL;
    peer_simbody_work work;
    ck_assert(peer_simbody_create(&peer, s.model, s.q, s.v, 1e-8));
    ck_assert(peer_simbody_advance(peer, end, theirs));
    peer_simbody_work_of(peer, &work);
    ck_assert_int_gt(work.steps, 3);
    ck_assert_int_gt(work.evaluations, work.steps);
    integrate(&s, end, ours);
    for (int i = 0; i < size; i++) {
        ck_assert_double_eq_tol(ours[i], theirs[i], 2e-6);
        moved = fmax(moved, fabs(ours[i] - s.q[i]));
    }
    if (_i < FORCED) /* the loop stands upright and stays there */
        ck_assert_double_gt(moved, 0.3);
    peer_simbody_destroy(peer);
    cardan_model_file_destroy(s.file);
}
END_TEST

/* A model with anything else than gravity is refused, as is everything without Simbody. */
START_TEST(others_are_refused)
{
    subject s = open_model(models[FORCED]);
    peer_simbody *peer = NULL;
    ck_assert(!peer_simbody_create(&peer, s.model, s.q, s.v, 1e-3));
    ck_assert_ptr_null(peer);
    peer_simbody_destroy(NULL);
    cardan_model_file_destroy(s.file);
}
END_TEST

Suite *make_suite(void)
{
    Suite *suite = suite_create("peer Simbody");
    TCase *tcase = tcase_create("Simbody");
    tcase_set_timeout(tcase, 120);
    tcase_add_loop_test(tcase, same_motion, 0, MODELS);
    tcase_add_test(tcase, others_are_refused);
    suite_add_tcase(suite, tcase);
    return suite;
}
