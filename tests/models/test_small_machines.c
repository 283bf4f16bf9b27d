/* The same mechanism of metres and of a tenth of a millimetre, in kg, m and s: with tolerances in
 * proportion it takes the same steps and makes the same motion. Times go with the root of
 * lengths, so that gravity is the same. */
#include "experiment.h"
#include "models.h"
#include "suite.h"

#include <cardan/model_file.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Axes that cross, so that the motion is not plane. */
static const char text[] =
    "cardan: 1\n"
    "gravity: [0, -9.81, 0]\n"
    "parameters: {L: 1, M: 1, T: 1}\n"
    "bodies:\n"
    "  - {name: b0, form: spatial, mass: $M, inertia: [=0.01*M*L^2, =0.09*M*L^2, =0.08*M*L^2],\n"
    "     position: [=0.5*L, 0, 0], angular_velocity: [0, 0, =-1/T], velocity: [0, =-0.5*L/T, 0]}\n"
    "  - {name: b1, form: spatial, mass: =2*M, inertia: [=0.02*M*L^2, =0.12*M*L^2, =0.13*M*L^2],\n"
    "     position: [=1.3*L, =0.2*L, =0.1*L], angular_velocity: [0, 0, =-1/T],\n"
    "     velocity: [=0.2*L/T, =-1.3*L/T, 0]}\n"
    "joints:\n"
    "  - {name: j0, type: revolute, body1: ground, body2: b0, location: [0, 0, 0],\n"
    "     axis: [0, 0, 1]}\n"
    "  - {name: j1, type: revolute, body1: b0, body2: b1, location: [$L, 0, 0],\n"
    "     axis: [0.6, 0, 0.8]}\n";

typedef struct scale {
    double length, mass, time;
} scale;

static const scale large = {1.0, 1.0, 1.0};
static const scale small[] = {{1e-1, 1e-3, 0.3162277660168379},
                              {1e-2, 1e-3, 1e-1},
                              {1e-3, 1e-6, 0.03162277660168379},
                              {1e-4, 1e-9, 1e-2},
                              {1e-4, 1e-12, 1e-2}};
enum { SIZES = 5, IMPLICIT_SIZES = 3 };

enum { BODIES = 2, SAMPLES = 20, DOF = 6 * BODIES, ROWS = 10 };

/* Places, velocities and angular velocities in units of the scale, rotation matrices. */
typedef struct record {
    double value[SAMPLES][BODIES][18];
    long steps;
} record;

static cardan_model_file *read_model(const scale *s)
{
    static const char *const paths[] = {"parameters.L", "parameters.M", "parameters.T"};
    const double values[] = {s->length, s->mass, s->time};
    char texts[3][32];
    cardan_file_override overrides[3];
    cardan_model_file *file = NULL;
    cardan_error error;
    for (int i = 0; i < 3; i++) {
        snprintf(texts[i], sizeof texts[i], "%.17g", values[i]);
        overrides[i] = (cardan_file_override){paths[i], texts[i]};
    }
    const cardan_status status =
        cardan_model_file_parse(&file, text, strlen(text), "pendulum", overrides, 3, &error);
    ck_assert_msg(status == CARDAN_OK, "%s", error.text);
    CHECK_MODEL(cardan_model_file_model(file), cardan_model_build(cardan_model_file_model(file)));
    return file;
}

/* Absolute ones, each in its own unit: forces are of M L / T^2, moments of M L^2 / T^2. */
typedef struct tolerances {
    cardan_tolerance position[DOF], velocity[DOF], multiplier[ROWS];
} tolerances;

static tolerances tolerances_of(const scale *s, double relative)
{
    tolerances t = {0};
    const double force = s->mass * s->length / (s->time * s->time);
    for (int i = 0; i < DOF; i++) {
        const double unit = i % 6 < 3 ? s->length : 1.0;
        t.position[i].absolute = relative * unit;
        t.velocity[i].absolute = relative * unit / s->time;
    }
    for (int i = 0; i < ROWS; i++)
        t.multiplier[i].absolute = 10.0 * relative * force * (i % 5 < 3 ? 1.0 : s->length);
    return t;
}

static void take_sample(const scale *s, const cardan_model *model, const cardan_integrator *it,
                        double value[BODIES][18])
{
    const cardan_point at = point_of_run(it);
    for (int body = 0; body < BODIES; body++) {
        cardan_body_state state;
        double *out = value[body];
        ck_assert_int_eq(cardan_model_body_state(model, body, &at, &state), CARDAN_OK);
        for (int i = 0; i < 3; i++) {
            out[i] = state.position[i] / s->length;
            out[3 + i] = state.velocity[i] * s->time / s->length;
            out[6 + i] = state.angular_velocity[i] * s->time;
        }
        for (int i = 0; i < 9; i++)
            out[9 + i] = state.rotation[i];
    }
}

static record run_scaled(const scale *s, const char *method, double relative)
{
    record r;
    cardan_model_file *file = read_model(s);
    const cardan_model *model = cardan_model_file_model(file);
    const tolerances t = tolerances_of(s, relative);
    cardan_integrator_def def = cardan_integrator_def_default();
    def.method = method;
    def.control.positions = t.position;
    def.control.velocities = t.velocity;
    def.control.multipliers = t.multiplier;
    cardan_integrator *it = start_model(model, &def);
    for (int i = 0; i < SAMPLES; i++) {
        CHECK_STATUS(it, cardan_integrator_advance(it, 0.1 * (i + 1) * s->time));
        take_sample(s, model, it, r.value[i]);
    }
    r.steps = cardan_integrator_statistics(it).steps;
    cardan_integrator_destroy(it);
    cardan_model_file_destroy(file);
    return r;
}

static double difference(const record *a, const record *b)
{
    double most = 0.0;
    for (int s = 0; s < SAMPLES; s++)
        for (int body = 0; body < BODIES; body++)
            for (int i = 0; i < 18; i++)
                experiment_grow(&most, fabs(a->value[s][body][i] - b->value[s][body][i]));
    return most;
}

/* By rk5 the same steps, and the same motion to rounding. */
START_TEST(small_is_as_large)
{
    const double relative = 1e-6;
    const record whole = run_scaled(&large, "rk5", relative);
    const record part = run_scaled(&small[_i], "rk5", relative);
    const double off = difference(&whole, &part);
    printf("rk5, %g m: %ld and %ld steps, difference %.3g\n", small[_i].length, whole.steps,
           part.steps, off);
    ck_assert_int_le(labs(part.steps - whole.steps), whole.steps / 50);
    ck_assert_double_lt(off, 1e-2 * relative);
}
END_TEST

/* Down to a millimetre: iteration matrices of smaller ones are scaled by their rows alone. */
START_TEST(small_by_implicit_methods)
{
    static const char *const methods[] = {"ga2s", "ga3"};
    const double relative = 1e-4;
    const record exact = run_scaled(&large, "rk5", 1e-10);
    for (int i = 0; i < 2; i++) {
        const record whole = run_scaled(&large, methods[i], relative);
        const record part = run_scaled(&small[_i], methods[i], relative);
        const double error = difference(&part, &exact);
        printf("%s, %g m: %ld and %ld steps, error %.3g\n", methods[i], small[_i].length,
               whole.steps, part.steps, error);
        ck_assert_int_le(labs(part.steps - whole.steps), whole.steps / 5);
        ck_assert_double_lt(error, 20.0 * relative);
    }
}
END_TEST

Suite *make_suite(void)
{
    Suite *suite = suite_create("small machines");
    TCase *tests = tcase_create("small machines");
    tcase_add_loop_test(tests, small_is_as_large, 0, SIZES);
    tcase_add_loop_test(tests, small_by_implicit_methods, 0, IMPLICIT_SIZES);
    suite_add_tcase(suite, tests);
    return suite;
}
