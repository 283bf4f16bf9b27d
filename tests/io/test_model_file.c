/* Reading of sound model files: numbers, units, places, includes, overrides, settings; and of files
 * that are no text at all. */
#include "paths.h"
#include "suite.h"

#include <cardan/model_file.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const double pi = 3.14159265358979323846;

#define HEAD "cardan: 1\ngravity: [0, 0, -9.81]\n"

static cardan_model_file *parse_with(const char *text, const cardan_file_override *overrides,
                                     int count)
{
    cardan_model_file *file;
    cardan_error error;
    const cardan_status status =
        cardan_model_file_parse(&file, text, strlen(text), "text", overrides, count, &error);
    ck_assert_msg(status == CARDAN_OK, "%s", error.text);
    ck_assert_int_eq(cardan_model_build(cardan_model_file_model(file)), CARDAN_OK);
    return file;
}

static cardan_model_file *parse(const char *text)
{
    return parse_with(text, NULL, 0);
}

/* What the model does at its start. */
typedef struct start {
    double q[64], v[64];
    cardan_point at;
} start;

static void start_of(const cardan_model *model, start *s)
{
    static const double zero[64];
    cardan_model_initial(model, s->q, s->v);
    s->at = (cardan_point){.q = s->q, .v = s->v, .vdot = zero, .lambda = zero, .psi = zero};
}

static cardan_body_state body_at_start(const cardan_model_file *file, int body)
{
    start s;
    cardan_body_state state;
    start_of(cardan_model_file_model(file), &s);
    ck_assert_int_eq(cardan_model_body_state(cardan_model_file_model(file), body, &s.at, &state),
                     CARDAN_OK);
    return state;
}

static void joint_at_start(const cardan_model_file *file, double place[6])
{
    start s;
    double rate[6];
    start_of(cardan_model_file_model(file), &s);
    ck_assert_int_eq(cardan_model_joint_state(cardan_model_file_model(file), 0, &s.at, place, rate),
                     CARDAN_OK);
}

static void assert_near(int count, const double *x, const double *wanted)
{
    for (int i = 0; i < count; i++)
        ck_assert_double_eq_tol(x[i], wanted[i], 1e-14);
}

START_TEST(expressions_and_parameters)
{
    cardan_model_file *file = parse(
        HEAD "parameters: {a: 3, b: \"=$a^2/2 - 1\", c: =-a^2}\n"
             "bodies: [{name: p, type: point, mass: 1, position: [$b, =c*2, \"=sqrt(a*12)\"],\n"
             "  velocity: [\"=2^3^2\", =cos(pi), \"=(1+2)*-a/4\"]}]\n");
    const cardan_body_state state = body_at_start(file, 0);
    assert_near(3, state.position, (double[]){3.5, -18.0, 6.0});
    assert_near(3, state.velocity, (double[]){512.0, -1.0, -2.25});
    cardan_model_file_destroy(file);
}
END_TEST

static void assert_columns(const char *orientation, const double wanted[9])
{
    char text[400];
    snprintf(text, sizeof text,
             HEAD "units: {angle: deg}\nbodies: [{name: b, mass: 1, inertia: [1, 1, 1], "
                  "orientation: %s}]\n",
             orientation);
    cardan_model_file *file = parse(text);
    const cardan_body_state state = body_at_start(file, 0);
    assert_near(9, state.rotation, wanted);
    cardan_model_file_destroy(file);
}

START_TEST(orientations)
{
    /* A quarter turn about z takes x to y. */
    const double quarter[9] = {0, -1, 0, 1, 0, 0, 0, 0, 1};
    assert_columns("[0.70710678118654752, 0, 0, 0.70710678118654752]", quarter);
    assert_columns("{axis: [0, 0, 5], angle: 90}", quarter);
    assert_columns("{euler: [0, 0, 90]}", quarter);
    assert_columns("{euler: [30, 0, 60], sequence: zxz}", quarter);
    assert_columns("{x_axis: [0, 2, 0], z_axis: [0, 0, 1]}", quarter);
    /* About x, then about the turned y: z goes to x of the first frame. */
    assert_columns("{euler: [90, 90, 0]}", (double[]){0, 0, 1, 1, 0, 0, 0, 1, 0});
}
END_TEST

/* A place in the world is the same point of both bodies, and axes agree, however bodies stand. */
START_TEST(joints_are_placed_in_the_world)
{
    static const char *const types[] = {"revolute", "prismatic",     "cylindrical",   "planar",
                                        "fixed",    "point_on_line", "point_on_plane"};
    for (size_t i = 0; i < sizeof types / sizeof types[0]; i++) {
        char text[600];
        double place[6];
        snprintf(text, sizeof text,
                 HEAD "bodies:\n"
                      "  - {name: a, mass: 1, inertia: [1, 1, 1], position: [1, 2, 3], "
                      "orientation: [0.5, 0.5, 0.5, 0.5]}\n"
                      "  - {name: b, mass: 1, inertia: [1, 1, 1], position: [-1, 0, 2], "
                      "orientation: {axis: [1, 2, 3], angle: 1}}\n"
                      "joints: [{name: j, type: %s, body1: a, body2: b, location: [3, -1, 2], "
                      "axis: [1, 1, 0]}]\n",
                 types[i]);
        cardan_model_file *file = parse(text);
        joint_at_start(file, place);
        assert_near(6, place, (double[]){0, 0, 0, 0, 0, 0});
        cardan_model_file_destroy(file);
    }
}
END_TEST

/* A rod and a spring without lengths are as long as the file puts their ends apart, whether these
 * are frames or points: nothing is off, and no energy is stored. */
START_TEST(lengths_of_the_start)
{
    static const char *const ends[] = {"frame1: [1, 0, 0], frame2: [0, 0.5, 0]",
                                       "point1: [1, 3, 3], point2: [-1, 0, 2.5]"};
    for (size_t i = 0; i < sizeof ends / sizeof ends[0]; i++) {
        char text[800];
        start s;
        double out[3];
        cardan_outputs *sensors;
        snprintf(text, sizeof text,
                 HEAD "bodies:\n"
                      "  - {name: a, mass: 1, inertia: [1, 1, 1], position: [1, 2, 3], "
                      "orientation: [0.5, 0.5, 0.5, 0.5]}\n"
                      "  - {name: b, mass: 1, inertia: [1, 1, 1], position: [-1, 0, 2], "
                      "orientation: {axis: [1, 0, 0], angle: =pi/2}}\n"
                      "joints: [{name: rod, type: distance, body1: a, body2: b, %s}]\n"
                      "forces: [{name: coil, type: spring, stiffness: 9, body1: a, body2: b, %s}]\n"
                      "sensors: [{type: joint_residual, joint: rod}, "
                      "{type: potential_energy, force: coil}]\n",
                 ends[i], ends[i]);
        cardan_model_file *file = parse(text);
        ck_assert_int_eq(cardan_model_file_outputs(file, CARDAN_OUTPUTS_ADDED, &sensors, NULL),
                         CARDAN_OK);
        start_of(cardan_model_file_model(file), &s);
        ck_assert_int_eq(cardan_outputs_measure(sensors, &s.at, out), CARDAN_OK);
        ck_assert_double_le(out[0], 1e-15);
        ck_assert_double_le(fabs(out[2]), 1e-28);
        cardan_outputs_destroy(sensors);
        cardan_model_file_destroy(file);
    }
}
END_TEST

START_TEST(rod_between_frames_at_one_place)
{
    static const char text[] = HEAD "bodies: [{name: a, mass: 1, inertia: [1, 1, 1]}]\n"
                                    "joints:\n  - {name: rod, type: distance, body1: ground, "
                                    "body2: a, frame1: [0, 0, 0], frame2: [0, 0, 0]}\n";
    cardan_model_file *file;
    ck_assert_int_eq(cardan_model_file_parse(&file, text, sizeof text - 1, "text", NULL, 0, NULL),
                     CARDAN_BAD_MODEL);
    ck_assert_int_eq(cardan_model_file_describe(file).message_count, 1);
    ck_assert_int_eq(cardan_model_file_message(file, 0)->line, 5);
    ck_assert_ptr_nonnull(strstr(cardan_model_file_message(file, 0)->text, "spherical joint"));
    cardan_model_file_destroy(file);
}
END_TEST

START_TEST(includes_are_merged)
{
    cardan_model_file *file;
    cardan_error error;
    const cardan_status status =
        cardan_model_file_read(&file, CARDAN_TEST_DATA "/include/main.yaml", NULL, 0, &error);
    ck_assert_msg(status == CARDAN_OK, "%s", error.text);
    cardan_model *model = cardan_model_file_model(file);
    ck_assert_str_eq(cardan_model_file_describe(file).name, "main");
    int files = 0;
    while (cardan_model_file_source(file, files) != NULL)
        files++;
    ck_assert_str_eq(cardan_model_file_source(file, 0), CARDAN_TEST_DATA "/include/main.yaml");
    ck_assert_int_gt(files, 1);
    ck_assert_ptr_null(cardan_model_file_source(file, -1));
    ck_assert_int_eq(cardan_model_describe(model).body_count, 2);
    ck_assert_str_eq(cardan_model_name(model, CARDAN_ELEMENT_BODY, 0), "rod");
    ck_assert_str_eq(cardan_model_name(model, CARDAN_ELEMENT_BODY, 1), "bob");
    ck_assert_double_eq(cardan_model_file_settings(file)->end, 3.0);
    ck_assert_double_eq(cardan_model_file_settings(file)->step, 1e-3);
    ck_assert_int_eq(cardan_model_build(model), CARDAN_OK);
    ck_assert_double_eq(body_at_start(file, 0).position[0], 0.25);
    cardan_model_file_destroy(file);
}
END_TEST

static void assert_refused(cardan_model_file *file, const char *name, int line, int column,
                           const char *phrase)
{
    ck_assert_ptr_nonnull(file);
    ck_assert_ptr_null(cardan_model_file_model(file));
    ck_assert_int_ge(cardan_model_file_describe(file).error_count, 1);
    const cardan_file_message *message = cardan_model_file_message(file, 0);
    const char *slash = strrchr(message->file, '/');
    ck_assert_str_eq(slash != NULL ? slash + 1 : message->file, name);
    ck_assert_msg(message->line == line && message->column == column, "%s:%d:%d: %s", message->file,
                  message->line, message->column, message->text);
    ck_assert_msg(strstr(message->text, phrase) != NULL, "%s", message->text);
    cardan_model_file_destroy(file);
}

static void assert_file_refused(const char *path, const char *name, int line, int column,
                                const char *phrase)
{
    cardan_model_file *file;
    ck_assert_int_eq(cardan_model_file_read(&file, path, NULL, 0, NULL), CARDAN_BAD_MODEL);
    assert_refused(file, name, line, column, phrase);
}

/* Sentences name elements as `name` or name.component, anywhere. */
START_TEST(elements_are_located)
{
    static const char text[] =
        "cardan: 1\n"
        "gravity: [0, 0, 0]\n"
        "bodies:\n"
        "  - {name: a, type: point, mass: 1}\n"
        "  - {name: arm, mass: 1, inertia: [1, 1, 1]}\n"
        "  - {name: 1, mass: 1, inertia: [1, 1, 1], fixed: true}\n"
        "joints:\n"
        "  - {name: arm, type: spherical, body1: ground, body2: a, location: "
        "[0, 0, 0]}\n"
        "forces:\n"
        "  - {name: e, type: applied, body: a, force: [1, 0, 0]}\n";
    static const struct {
        const char *sentence;
        int line;
    } cases[] = {{"joint `arm` by 2 m", 8},
                 {"body `arm` has no mass", 5},
                 {"something else about `arm`", 8},
                 {"velocity 3 (a.vx) has no mass", 4},
                 {"it is 1.5 m off, e.g. in `e`", 10},
                 {"force `e` between `a` and `ground` has no value", 10},
                 {"at t = 1.25 the farm.x is `a`", 4},
                 {"joint `1_fixed` cannot hold", 6},
                 {"nothing is named; a step of 1.5 s", 0}};
    cardan_model_file *file;
    cardan_file_message place;
    ck_assert_int_eq(cardan_model_file_parse(&file, text, strlen(text), "m.yaml", NULL, 0, NULL),
                     CARDAN_OK);
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        const bool found = cardan_model_file_locate(file, cases[i].sentence, &place);
        ck_assert_msg(found == (cases[i].line > 0), "%s", cases[i].sentence);
        if (found) {
            ck_assert_msg(place.line == cases[i].line && place.column == 5, "%s: %d:%d",
                          cases[i].sentence, place.line, place.column);
            ck_assert_str_eq(place.file, "m.yaml");
        }
    }
    ck_assert(!cardan_model_file_locate(file, NULL, &place));
    cardan_model_file_destroy(file);
}
END_TEST

START_TEST(includes_that_fail)
{
    assert_file_refused(CARDAN_TEST_DATA "/include/circle.yaml", "circle_back.yaml", 1, 10,
                        "in a circle");
    assert_file_refused(CARDAN_TEST_DATA "/include/mistake.yaml", "mistaken_part.yaml", 2, 21,
                        "did you mean `point`?");
    assert_file_refused(CARDAN_TEST_DATA "/include/none.yaml", "none.yaml", 1, 1, "cannot open");
    assert_file_refused(CARDAN_TEST_DATA, "data", 1, 1, "cannot open");
}
END_TEST

#define TWO                                                                                        \
    HEAD "parameters: {length: 0.5}\n"                                                             \
         "bodies:\n"                                                                               \
         "  - {name: a, type: point, mass: 1, position: [$length, 0, 0]}\n"                        \
         "  - {name: b, type: point, mass: 1}\n"

START_TEST(overrides_replace_values)
{
    const cardan_file_override overrides[] = {{"length", "0.75"},
                                              {"bodies.b.position", "[1, =length, 2]"},
                                              {"bodies.b.position.2", "5"},
                                              {"solver.step", "1e-4"},
                                              {"bodies.1.velocity", "[0, 0, 1]"}};
    cardan_model_file *file = parse_with(TWO, overrides, 5);
    assert_near(3, body_at_start(file, 0).position, (double[]){0.75, 0, 0});
    const cardan_body_state b = body_at_start(file, 1);
    assert_near(3, b.position, (double[]){1, 0.75, 5});
    assert_near(3, b.velocity, (double[]){0, 0, 1});
    ck_assert_double_eq(cardan_model_file_settings(file)->step, 1e-4);
    cardan_model_file_destroy(file);
}
END_TEST

START_TEST(overrides_that_fail)
{
    static const struct {
        const char *path, *value, *phrase;
        int column;
    } list[] = {{"bodies.aa.mass", "1", "did you mean `a`?", 1},
                {"bodis.a.mass", "1", "did you mean `bodies`?", 1},
                {"parameters.lenght", "1", "did you mean `length`?", 1},
                {"bodies.a.mas", "1", "did you mean `mass`?", 1},
                {"bodies.a.mass", "heavy", "wants a number", 1},
                {"bodies.a.mass", "-1", "at least 0", 1},
                {"bodies.a.mass", "a: b: c", "not YAML", 5},
                {"bodies.a.mass", "", "empty", 1},
                {"bodies.a.position.7", "1", "there is no `7`", 1},
                {"nothing", "1", "there is no `nothing`", 1},
                {"", "1", "empty or endless", 1},
                {"bodies..mass", "1", "empty or endless", 1},
                {"gravity.z.z", "1", "there is no `z`", 1}};
    for (size_t i = 0; i < sizeof list / sizeof list[0]; i++) {
        const cardan_file_override override = {list[i].path, list[i].value};
        cardan_model_file *file;
        char name[64];
        snprintf(name, sizeof name, "--set %s", list[i].path);
        ck_assert_int_eq(
            cardan_model_file_parse(&file, TWO, strlen(TWO), "text", &override, 1, NULL),
            CARDAN_BAD_MODEL);
        assert_refused(file, name, 1, list[i].column, list[i].phrase);
    }
}
END_TEST

START_TEST(settings_reach_the_integrator)
{
    cardan_model_file *file =
        parse(TWO "solver: {method: ga3, rho: 0.5, step: 0.01, start: plain, update: magnus,\n"
                  "  project: velocity, newton_rtol: 1e-9, end: 4, begin: 1, every: 3}\n");
    const cardan_run_settings *settings = cardan_model_file_settings(file);
    cardan_integrator_def def = cardan_integrator_def_default();
    ck_assert_int_eq(cardan_run_settings_apply(settings, &def, NULL), CARDAN_OK);
    ck_assert_str_eq(def.method, "ga3");
    ck_assert_double_eq(def.params.alpha_m,
                        cardan_params_make(CARDAN_FAMILY_CHUNG_HULBERT, 0.5).alpha_m);
    ck_assert_double_eq(def.step, 0.01);
    ck_assert_int_eq(def.experimental.start, CARDAN_START_PLAIN);
    ck_assert_int_eq(def.update, CARDAN_UPDATE_MAGNUS);
    ck_assert_int_eq(def.projection.level, CARDAN_PROJECT_VELOCITY);
    ck_assert_double_eq(def.newton.velocity.relative, 1e-9);
    ck_assert_double_eq(settings->begin, 1.0);
    ck_assert_double_eq(settings->end, 4.0);
    ck_assert_int_eq(settings->every, 3);
    cardan_model_file_destroy(file);
}
END_TEST

START_TEST(degrees_turn_into_radians)
{
    cardan_model_file *file =
        parse(HEAD "units: {angle: deg}\nbodies: [{name: b, mass: 1, inertia: [1, 1, 1], "
                   "angular_velocity: [0, 180, 0]}]\n");
    assert_near(3, body_at_start(file, 0).angular_velocity, (double[]){0, pi, 0});
    cardan_model_file_destroy(file);
}
END_TEST

START_TEST(warnings_do_not_refuse)
{
    cardan_model_file *file = parse(HEAD "parameters: {a: 1}\nbodies: [{name: b, mass: 1}]\n"
                                         "signals: [{name: s, type: constant, value: 1}]\n");
    ck_assert_int_eq(cardan_model_file_describe(file).error_count, 0);
    ck_assert_int_eq(cardan_model_file_describe(file).message_count, 3);
    for (int i = 0; i < 3; i++)
        ck_assert_int_eq(cardan_model_file_message(file, i)->severity, CARDAN_SEVERITY_WARNING);
    ck_assert_int_eq(cardan_model_file_message(file, 0)->line, 3);
    ck_assert_ptr_null(cardan_model_file_message(file, 3));
    cardan_model_file_destroy(file);
}
END_TEST

START_TEST(no_text_at_all)
{
    static char bytes[70000];
    unsigned seed = 1;
    for (int size = 1; size < 70000; size = 3 * size + 1) {
        cardan_model_file *file;
        for (int i = 0; i < size; i++)
            bytes[i] = (char)((seed = seed * 1664525u + 1013904223u) >> 24);
        ck_assert_int_eq(
            cardan_model_file_parse(&file, bytes, (size_t)size, "noise", NULL, 0, NULL),
            CARDAN_BAD_MODEL);
        ck_assert_int_ge(cardan_model_file_message(file, 0)->line, 1);
        cardan_model_file_destroy(file);
    }
    cardan_model_file *file;
    ck_assert_int_eq(cardan_model_file_parse(&file, NULL, 0, "none", NULL, 0, NULL),
                     CARDAN_BAD_MODEL);
    assert_refused(file, "none", 1, 1, "empty");
    ck_assert_int_eq(cardan_model_file_parse(&file, "\xff\xfe", 2, "mark", NULL, 0, NULL),
                     CARDAN_BAD_MODEL);
    cardan_model_file_destroy(file);
}
END_TEST

/* Many mistakes are counted, and the first ones told. */
START_TEST(huge_and_wrong)
{
    enum { BODIES = 3000 };
    char *text = malloc(64 + BODIES * 48);
    cardan_model_file *file;
    ck_assert_ptr_nonnull(text);
    size_t used = (size_t)sprintf(text, HEAD "bodies:\n");
    for (int i = 0; i < BODIES; i++)
        used += (size_t)sprintf(text + used, " - {name: b%d, type: pint, mass: 1}\n", i);
    ck_assert_int_eq(cardan_model_file_parse(&file, text, used, "huge", NULL, 0, NULL),
                     CARDAN_BAD_MODEL);
    ck_assert_int_eq(cardan_model_file_describe(file).error_count, BODIES);
    ck_assert_int_lt(cardan_model_file_describe(file).message_count, BODIES);
    assert_refused(file, "huge", 4, 21, "did you mean `point`?");
    free(text);
}
END_TEST

/* Chains of parameters and of signals end, however long. */
START_TEST(long_chains)
{
    enum { LINKS = 20000 };
    char *text = malloc(LINKS * 128);
    cardan_model_file *file;
    ck_assert_ptr_nonnull(text);
    size_t used = (size_t)sprintf(text, HEAD "bodies: [{name: a, type: point, mass: $p0}]\n"
                                             "parameters:\n");
    for (int i = 0; i < LINKS; i++)
        used += (size_t)sprintf(text + used, " p%d: =p%d\n", i, i + 1);
    used += (size_t)sprintf(text + used, " p%d: 1\n", LINKS);
    ck_assert_int_eq(cardan_model_file_parse(&file, text, used, "chain", NULL, 0, NULL),
                     CARDAN_BAD_MODEL);
    cardan_model_file_destroy(file);
    used = (size_t)sprintf(text, HEAD "bodies: [{name: a, type: point, mass: 1}]\nsignals:\n");
    for (int i = 0; i < LINKS; i++)
        used += (size_t)sprintf(text + used, " - {name: s%d, type: sum, terms: [s%d]}\n", i, i + 1);
    used += (size_t)sprintf(text + used, " - {name: s%d, type: constant, value: 1}\n", LINKS);
    ck_assert_int_eq(cardan_model_file_parse(&file, text, used, "chain", NULL, 0, NULL),
                     CARDAN_BAD_MODEL);
    cardan_model_file_destroy(file);
    free(text);
}
END_TEST

Suite *make_suite(void)
{
    Suite *suite = suite_create("model files");
    TCase *tcase = tcase_create("all");
    tcase_set_timeout(tcase, 120);
    tcase_add_test(tcase, expressions_and_parameters);
    tcase_add_test(tcase, orientations);
    tcase_add_test(tcase, joints_are_placed_in_the_world);
    tcase_add_test(tcase, lengths_of_the_start);
    tcase_add_test(tcase, rod_between_frames_at_one_place);
    tcase_add_test(tcase, includes_are_merged);
    tcase_add_test(tcase, includes_that_fail);
    tcase_add_test(tcase, elements_are_located);
    tcase_add_test(tcase, overrides_replace_values);
    tcase_add_test(tcase, overrides_that_fail);
    tcase_add_test(tcase, settings_reach_the_integrator);
    tcase_add_test(tcase, degrees_turn_into_radians);
    tcase_add_test(tcase, warnings_do_not_refuse);
    tcase_add_test(tcase, no_text_at_all);
    tcase_add_test(tcase, huge_and_wrong);
    tcase_add_test(tcase, long_chains);
    suite_add_tcase(suite, tcase);
    return suite;
}
