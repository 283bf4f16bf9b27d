/* Do tolerances hold? Built-in problems, shipped models and machines of this file by ga2s, ga3 and
 * rk5 with steps by the error: the largest error of each class at 200 times of the run (by dense
 * output) over its tolerance, absolute + relative * the largest value of the run, against rk5 at
 * far finer tolerances. Where a motion amplifies every error the energy is what must hold. */
#include "shipped.h"
#include "suite.h"

#include "cli/setup/case.h"
#include "paths.h"
#include "system/system.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SAMPLES = 200 };

/* Where the runs come from, and what of them is asked for. */
typedef struct machine {
    const char *name; /* of a built-in problem, or models/NAME.yaml, or of the text */
    const char *text; /* a model file; NULL: one of the others */
    double end;
    double most;        /* error over tolerance; 0: the energy only, within 10 tolerances of it */
    bool model;         /* models/NAME.yaml */
    double finest;      /* relative tolerance */
    const char *method; /* only this one; NULL: all */
} machine;

/* A heavy pole on a cart without weight to speak of: at the lowest point of its centre of mass the
 * pole whirls round, for milliseconds, with up to 3500 rad/s. */
#define CART_POLE(cart, inertia)                                                                   \
    "cardan: 1\nname: cart_pole\ngravity: [0, -9.81, 0]\nbodies:\n"                                \
    "  - {name: cart, type: planar, mass: " cart ", inertia: [0, 1.0e-6, 1.0e-6]}\n"               \
    "  - {name: pole, type: planar, mass: 1, inertia: [0, " inertia ", " inertia "],\n"            \
    "     position: [0.498747, 0.0353686, 0]}\n"                                                   \
    "joints:\n"                                                                                    \
    "  - {name: rail, type: prismatic, body1: ground, body2: cart, location: [0, 0, 0], axis: "    \
    "[1, 0, 0]}\n"                                                                                 \
    "  - {name: pin, type: revolute, body1: cart, body2: pole, location: [0, 0, 0], axis: [0, 0, " \
    "1]}\n"                                                                                        \
    "solver: {end: 10}\n"

/* A double pendulum whose upper link weighs a thousandth of the lower one. */
#define LIGHT_LINK                                                                                 \
    "cardan: 1\nname: light_link\ngravity: [0, -9.81, 0]\nbodies:\n"                               \
    "  - {name: upper, type: planar, mass: 1.0e-3, inertia: [0, 1.0e-5, 1.0e-5],\n"                \
    "     position: [0.25, 0, 0]}\n"                                                               \
    "  - {name: lower, type: planar, mass: 1, inertia: [0, 0.02, 0.02], position: [0.5, 0.5, "     \
    "0]}\n"                                                                                        \
    "joints:\n"                                                                                    \
    "  - {name: top, type: revolute, body1: ground, body2: upper, location: [0, 0, 0], axis: [0, " \
    "0, 1]}\n"                                                                                     \
    "  - {name: elbow, type: revolute, body1: upper, body2: lower, location: [0.5, 0, 0],\n"       \
    "     axis: [0, 0, 1]}\n"                                                                      \
    "solver: {end: 5}\n"

/* A slider on a light crank that swings through its dead centres, driven by a spring. */
#define LIGHT_CRANK                                                                                \
    "cardan: 1\nname: light_crank\ngravity: [0, -9.81, 0]\nbodies:\n"                              \
    "  - {name: crank, type: planar, mass: 1.0e-3, inertia: [0, 1.0e-5, 1.0e-5],\n"                \
    "     position: [0, 0.1, 0]}\n"                                                                \
    "  - {name: rod, type: planar, mass: 0.1, inertia: [0, 1.0e-3, 1.0e-3],\n"                     \
    "     position: [0.25, 0.1, 0], orientation: {axis: [0, 0, 1], angle: -0.3805064}}\n"          \
    "  - {name: slider, type: planar, mass: 1, inertia: [0, 1.0e-3, 1.0e-3],\n"                    \
    "     position: [0.5, 0, 0]}\n"                                                                \
    "joints:\n"                                                                                    \
    "  - {name: A, type: revolute, body1: ground, body2: crank, location: [0, 0, 0], axis: [0, "   \
    "0, 1]}\n"                                                                                     \
    "  - {name: B, type: revolute, body1: crank, body2: rod, location: [0, 0.2, 0],\n"             \
    "     axis: [0, 0, 1]}\n"                                                                      \
    "  - {name: C, type: revolute, body1: rod, body2: slider, location: [0.5, 0, 0],\n"            \
    "     axis: [0, 0, 1]}\n"                                                                      \
    "  - {name: D, type: prismatic, body1: ground, body2: slider, location: [0.5, 0, 0],\n"        \
    "     axis: [1, 0, 0]}\n"                                                                      \
    "forces:\n"                                                                                    \
    "  - {name: pull, type: spring, body1: ground, body2: slider, point1: [2, 0, 0],\n"            \
    "     point2: [0.5, 0, 0], stiffness: 20, free_length: 1}\n"                                   \
    "solver: {end: 5}\n"

static const machine machines[] = {
    {"pendulum", .end = 2, .most = 10, .finest = 1e-6},
    {"oscillator", .end = 10, .most = 10, .finest = 1e-6},
    {"free_body", .end = 5, .most = 10, .finest = 1e-6},
    {"heavy_top", .end = 0.5, .most = 10, .finest = 1e-6},
    {"driven_pendulum", .end = 2, .most = 10, .finest = 1e-6},
    {"double_pendulum", .end = 2, .most = 10, .finest = 1e-6},
    {"spherical_pendulum", .end = 2, .most = 10, .finest = 1e-6},
    {"slider_crank", .end = 5, .most = 10, .finest = 1e-6},
    {"jn2", .end = 2, .most = 10, .finest = 1e-6},
    {"disk_so3", .end = 4, .most = 10, .finest = 1e-6},
    {"disk_on_platform", .end = 4, .most = 10, .finest = 1e-6},
    {"skate_trailer", .end = 4, .most = 10, .finest = 1e-6},
    {"bicycle", .model = true, .end = 2, .most = 10, .finest = 1e-4},
    {"bricard", .model = true, .end = 2, .most = 10, .finest = 1e-4},
    {"chain", .model = true, .end = 1, .most = 10, .finest = 1e-4},
    {"slider_crank_3d", .model = true, .end = 2, .most = 10, .finest = 1e-4},
    {"suspension", .model = true, .end = 2, .most = 10, .finest = 1e-4},
    /* A fast mode that dampers hold; rk5 resolves it. */
    {"flyball_governor", .model = true, .end = 0.5, .most = 10, .finest = 1e-7, .method = "rk5"},
    {"four_bar", .model = true, .end = 5, .finest = 1e-4},
    {"cart_pole", CART_POLE("0.01", "1.0e-3"), 10, .finest = 1e-4},
    {"cart_pole, light", CART_POLE("1.0e-5", "1.0e-6"), 10, .finest = 1e-4},
    {"light_link", LIGHT_LINK, 5, .finest = 1e-4},
    {"light_crank", LIGHT_CRANK, 5, .finest = 1e-4},
};
enum { MACHINES = sizeof machines / sizeof machines[0] };

/* What is integrated, and the values of a run. */
typedef struct plant {
    cli_case *problem;
    cardan_model_file *file;
    const cardan_system *system;
    const char *name;
    double begin, end, *q0, *v0;
    int size, k, multipliers;
} plant;

typedef struct record {
    double *q, *v, *multipliers; /* SAMPLES + 1 rows each */
    double energy, drift;        /* the largest kinetic energy, change of the energy */
    cardan_statistics work;
} record;

static void open_model(plant *p, const machine *m)
{
    cardan_error error;
    char path[512];
    snprintf(path, sizeof path, "%s/%s.yaml", CARDAN_MODELS, m->name);
    cardan_status status = m->model ? cardan_model_file_read(&p->file, path, NULL, 0, &error)
                                    : cardan_model_file_parse(&p->file, m->text, strlen(m->text),
                                                              m->name, NULL, 0, &error);
    ck_assert_msg(status == CARDAN_OK, "%s", error.text);
    cardan_model *model = cardan_model_file_model(p->file);
    status = cardan_model_build(model);
    ck_assert_msg(status == CARDAN_OK, "%s", cardan_model_message(model));
    status = cli_case_of_model(&p->problem, model, NULL, 0.0, m->end, 1e-3, &error);
    ck_assert_msg(status == CARDAN_OK, "%s", error.text);
}

static plant open_plant(const machine *m)
{
    plant p = {.name = m->name};
    if (m->model || m->text != NULL)
        open_model(&p, m);
    else
        ck_assert_int_eq(cli_case_of_problem(&p.problem, m->name, NULL, 0, NULL), CARDAN_OK);
    p.system = cli_case_system(p.problem);
    p.begin = cli_case_begin(p.problem);
    p.end = p.begin + m->end;
    p.size = cardan_group_size(cardan_system_describe(p.system).group);
    p.k = cardan_system_describe(p.system).dof;
    p.multipliers = cardan_system_describe(p.system).constraint_count +
                    cardan_system_describe(p.system).nonholonomic_count;
    p.q0 = calloc((size_t)(p.size + p.k), sizeof *p.q0);
    p.v0 = p.q0 + p.size;
    cli_case_initial(p.problem, p.q0, p.v0);
    return p;
}

static void close_plant(plant *p)
{
    cli_case_destroy(p->problem);
    cardan_model_file_destroy(p->file);
    free(p->q0);
}

static record new_record(const plant *p)
{
    const size_t rows = SAMPLES + 1;
    return (record){.q = calloc(rows * (size_t)p->size, sizeof(double)),
                    .v = calloc(rows * (size_t)p->k, sizeof(double)),
                    .multipliers = calloc(rows * (size_t)p->multipliers + 1, sizeof(double))};
}

static void free_record(record *r)
{
    free(r->q);
    free(r->v);
    free(r->multipliers);
}

static double time_of(const plant *p, int sample)
{
    return sample == SAMPLES ? p->end : p->begin + (p->end - p->begin) * sample / SAMPLES;
}

/* All samples up to now. */
static void take_samples(const plant *p, cardan_integrator *it, record *r, int *sample)
{
    const double now = cardan_integrator_state(it)->t;
    const int m = cardan_system_describe(p->system).constraint_count;
    for (; *sample <= SAMPLES && time_of(p, *sample) <= now; ++*sample) {
        double *multipliers = r->multipliers + *sample * p->multipliers;
        const cardan_status status = cardan_integrator_interpolate(
            it, time_of(p, *sample), r->q + *sample * p->size, r->v + *sample * p->k, NULL,
            multipliers, multipliers + m);
        ck_assert_msg(status == CARDAN_OK, "%s", cardan_integrator_message(it));
    }
}

static record run_with(const plant *p, const char *method, double relative)
{
    cardan_integrator_def def = cardan_integrator_def_default();
    cardan_integrator *it;
    cardan_error error;
    record r = new_record(p);
    int sample = 0;
    double start, kinetic, potential;
    def.method = method;
    def.threads = 1;
    def.control.position = def.control.velocity = def.control.multiplier =
        (cardan_tolerance){0.01 * relative, relative};
    ck_assert_msg(cardan_integrator_create(&it, p->system, &def, &error) == CARDAN_OK, "%s",
                  error.text);
    ck_assert_msg(cardan_integrator_start(it, p->begin, p->q0, p->v0) == CARDAN_OK, "%s",
                  cardan_integrator_message(it));
    ck_assert_int_eq(cardan_integrator_energy(it, &kinetic, &potential), CARDAN_OK);
    start = kinetic + potential;
    take_samples(p, it, &r, &sample);
    while (sample <= SAMPLES) {
        ck_assert_msg(cardan_integrator_step_towards(it, p->end) == CARDAN_OK, "%s: %s", p->name,
                      cardan_integrator_message(it));
        ck_assert_int_eq(cardan_integrator_energy(it, &kinetic, &potential), CARDAN_OK);
        r.energy = fmax(r.energy, kinetic);
        r.drift = fmax(r.drift, fabs(kinetic + potential - start));
        take_samples(p, it, &r, &sample);
    }
    r.work = cardan_integrator_statistics(it);
    cardan_integrator_destroy(it);
    return r;
}

/* The largest of |of - exact| over its tolerance; n columns. What is below a thousandth of the
 * largest of all does not count as such. */
static double worst_of(int n, const double *of, const double *exact, double relative)
{
    double sizes[512] = {0}, all = 0.0, worst = 0.0;
    for (int i = 0; i < (SAMPLES + 1) * n; i++) {
        sizes[i % n] = fmax(sizes[i % n], fabs(exact[i]));
        all = fmax(all, fabs(exact[i]));
    }
    for (int i = 0; i < (SAMPLES + 1) * n; i++)
        worst = fmax(worst,
                     fabs(of[i] - exact[i]) / (relative * (0.01 + fmax(sizes[i % n], 1e-3 * all))));
    return worst;
}

static double worst_position(const plant *p, const double *of, const double *exact, double relative)
{
    double sizes[512] = {0}, apart[512], worst = 0.0;
    for (int sample = 0; sample <= SAMPLES; sample++)
        for (int i = 0; i < p->k; i++) {
            const int where = p->system->coordinate[i];
            sizes[i] = where < 0 ? 1.0 : fmax(sizes[i], fabs(exact[sample * p->size + where]));
        }
    for (int sample = 0; sample <= SAMPLES; sample++) {
        cardan_group_difference(cardan_system_describe(p->system).group, exact + sample * p->size,
                                of + sample * p->size, apart);
        for (int i = 0; i < p->k; i++)
            worst = fmax(worst, fabs(apart[i]) / (relative * (0.01 + sizes[i])));
    }
    return worst;
}

static void check_run(const machine *m, const plant *p, const record *exact, const char *method,
                      double relative)
{
    record r = run_with(p, method, relative);
    const double q = worst_position(p, r.q, exact->q, relative);
    const double v = worst_of(p->k, r.v, exact->v, relative);
    const double l = worst_of(p->multipliers, r.multipliers, exact->multipliers, relative);
    const double energy = r.drift / (relative * r.energy);
    printf("%-18s %-4s %5.0e: %6ld steps, errors in tolerances: q %.3g, v %.3g, multipliers %.3g",
           m->name, method, relative, r.work.steps, q, v, l);
    if (m->most > 0.0) {
        printf("\n");
        /* What rounding does not allow has been said. */
        if (!(r.work.rounding > 1.0))
            ck_assert_double_le(fmax(q, fmax(v, l)), m->most);
    } else {
        printf(", energy %.3g\n", energy);
        if (!(r.work.rounding > 1.0))
            ck_assert_double_le(energy, 10.0);
    }
    free_record(&r);
}

START_TEST(tolerances_hold)
{
    static const char *const methods[] = {"ga2s", "ga3", "rk5"};
    const machine *m = &machines[_i];
    plant p = open_plant(m);
    record exact = run_with(&p, "rk5", fmin(1e-9, 1e-2 * m->finest));
    for (int i = 0; i < 3; i++)
        for (double relative = 1e-3; relative > 0.5 * m->finest; relative *= 0.1)
            if (m->method == NULL || strcmp(m->method, methods[i]) == 0)
                check_run(m, &p, &exact, methods[i], relative);
    free_record(&exact);
    close_plant(&p);
}
END_TEST

/* Without B: as many steps as with it, down to tolerances that its rounding allows. */
START_TEST(constraints_without_derivatives)
{
    static const char *const problems[] = {"double_pendulum", "spherical_pendulum"};
    plant p = open_plant(&(machine){.name = problems[_i], .end = 2.0});
    cardan_system_def def = p.system->def;
    cardan_system *bare;
    def.constraint_dq = def.constraint_bias = def.reaction_dq = def.hidden_dq = NULL;
    ck_assert_int_eq(cardan_system_create(&bare, &def, NULL), CARDAN_OK);
    plant without = p;
    without.system = bare;
    for (double relative = 1e-6; relative > 0.5e-9; relative *= 0.1) {
        record with = run_with(&p, "rk5", relative), same = run_with(&without, "rk5", relative);
        printf("%s %.0e: %ld steps, %ld without B\n", p.name, relative, with.work.steps,
               same.work.steps);
        ck_assert_int_le(same.work.steps, with.work.steps + with.work.steps / 10 + 2);
        free_record(&with);
        free_record(&same);
    }
    cardan_system_destroy(bare);
    close_plant(&p);
}
END_TEST

/* Where rounding of the differences is above the tolerance the run ends, and says so. */
START_TEST(limit_of_differences_is_told)
{
    plant p = open_plant(&(machine){.name = "heavy_top", .end = 0.1});
    cardan_system_def def = p.system->def;
    cardan_system *bare;
    def.constraint_dq = def.constraint_bias = def.reaction_dq = def.hidden_dq = NULL;
    ck_assert_int_eq(cardan_system_create(&bare, &def, NULL), CARDAN_OK);
    plant without = p;
    without.system = bare;
    record with = run_with(&p, "rk5", 1e-8), same = run_with(&without, "rk5", 1e-8);
    printf("heavy_top 1e-8: %ld steps, %ld without B, rounding %.2g tolerances\n", with.work.steps,
           same.work.steps, same.work.rounding);
    ck_assert_int_le(same.work.steps, 3 * with.work.steps);
    ck_assert_double_gt(same.work.rounding, 1.0);
    ck_assert_double_eq(with.work.rounding, 0.0);
    free_record(&with);
    free_record(&same);
    cardan_system_destroy(bare);
    close_plant(&p);
}
END_TEST

Suite *make_suite(void)
{
    Suite *suite = suite_create("tolerances hold");
    TCase *runs = tcase_create("runs");
    tcase_set_timeout(runs, 240);
    tcase_add_loop_test(runs, tolerances_hold, 0, MACHINES);
    tcase_add_loop_test(runs, constraints_without_derivatives, 0, 2);
    tcase_add_test(runs, limit_of_differences_is_told);
    suite_add_tcase(suite, runs);
    return suite;
}
