/* Single runs of our integrators and of the peers; see solver.h. */
#include "solver.h"

#include "lab/peers/ida.h"
#include "lab/peers/simbody.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char *const bench_kind_names[BENCH_KINDS] = {"cardan", "ida", "simbody"};

void bench_solver_text(const bench_solver *solver, char *text, size_t size)
{
    const char *value = solver->adaptive ? "rtol" : "h";
    if (solver->kind == BENCH_CARDAN && solver->rho > 0.0)
        snprintf(text, size, "%s rho %g %s", solver->method, solver->rho, value);
    else if (solver->kind == BENCH_CARDAN)
        snprintf(text, size, "%s %s", solver->method, value);
    else
        snprintf(text, size, "%s",
                 solver->kind == BENCH_SIMBODY ? "accuracy"
                 : solver->amd                 ? "rtol, AMD"
                                               : "rtol");
}

bool bench_samples_create(bench_samples *samples, const bench_subject *subject)
{
    const size_t size = (size_t)cardan_group_size(cardan_system_describe(subject->system).group);
    bool made = true;
    for (int i = 0; i < BENCH_SAMPLES; i++) {
        samples->t[i] = i == BENCH_SAMPLES - 1 ? subject->end
                                               : subject->begin + (subject->end - subject->begin) *
                                                                      (i + 1) / BENCH_SAMPLES;
        samples->q[i] = calloc(size, sizeof(double));
        made = made && samples->q[i] != NULL;
    }
    if (!made)
        bench_samples_destroy(samples);
    return made;
}

void bench_samples_destroy(bench_samples *samples)
{
    for (int i = 0; i < BENCH_SAMPLES; i++)
        free(samples->q[i]);
    *samples = (bench_samples){0};
}

static double largest_difference(const cardan_group *group, const double *from, const double *to,
                                 double *w)
{
    double largest = 0.0;
    cardan_group_difference(group, from, to, w);
    for (int i = 0; i < cardan_group_dof(group); i++)
        largest = fmax(largest, fabs(w[i]));
    return largest;
}

double bench_samples_error(const bench_subject *subject, const bench_samples *reference,
                           const bench_samples *samples)
{
    const cardan_group *group = cardan_system_describe(subject->system).group;
    double *w = calloc((size_t)cardan_group_dof(group), sizeof *w);
    double error = 0.0, change = 0.0;
    for (int i = 0; i < BENCH_SAMPLES && w != NULL; i++) {
        change = fmax(change, largest_difference(group, subject->q, reference->q[i], w));
        error = fmax(error, largest_difference(group, reference->q[i], samples->q[i], w));
    }
    free(w);
    return change > 0.0 ? error / change : NAN;
}

static void keep(const bench_subject *subject, const double *q, double *sample)
{
    const int size = cardan_group_size(cardan_system_describe(subject->system).group);
    memcpy(sample, q, (size_t)size * sizeof *q);
}

/* ---- ours ---- */

static cardan_integrator_def definition(const bench_run *run)
{
    const bench_solver *solver = run->solver;
    cardan_integrator_def def = cardan_integrator_def_default();
    def.method = solver->method;
    def.update = solver->update;
    def.threads = 1;
    if (solver->rho > 0.0)
        def.params = cardan_params_make(CARDAN_FAMILY_CHUNG_HULBERT, solver->rho);
    if (solver->adaptive) {
        const cardan_tolerance tolerance = {run->value, run->value};
        def.control.adaptive = true;
        def.control.position = def.control.velocity = tolerance;
        /* Positions are compared: joint forces are left to what follows from them. */
        def.control.multiplier = (cardan_tolerance){1e30, 1.0};
    } else {
        def.step = run->value;
    }
    def.newton.position = def.newton.velocity = def.newton.multiplier =
        (cardan_tolerance){solver->newton, solver->newton};
    return def;
}

/* To the end, through the samples: fixed steps meet them, others are interpolated. */
static bool march(cardan_integrator *it, const bench_run *run, const bench_subject *subject,
                  bench_samples *samples)
{
    const cardan_state *state = cardan_integrator_state(it);
    for (int i = samples != NULL ? 0 : BENCH_SAMPLES - 1; i < BENCH_SAMPLES; i++) {
        const bool last = i == BENCH_SAMPLES - 1;
        const double t = last ? subject->end : samples->t[i];
        if (last || !run->solver->adaptive) {
            if (cardan_integrator_advance(it, t) != CARDAN_OK)
                return false;
            if (samples != NULL)
                keep(subject, state->q, samples->q[i]);
            continue;
        }
        while (state->t < t)
            if (cardan_integrator_step_towards(it, subject->end) != CARDAN_OK)
                return false;
        if (cardan_integrator_interpolate(it, t, samples->q[i], NULL, NULL, NULL, NULL) !=
            CARDAN_OK)
            return false;
    }
    return true;
}

static bool run_cardan(const bench_subject *subject, bench_run *run, bench_samples *samples)
{
    const cardan_integrator_def def = definition(run);
    cardan_integrator *it = NULL;
    if (cardan_integrator_create(&it, subject->system, &def, NULL) != CARDAN_OK)
        return false;
    bool done = cardan_integrator_start(it, subject->begin, subject->q, subject->v) == CARDAN_OK;
    const double began = bench_seconds();
    done = done && march(it, run, subject, samples);
    run->seconds = bench_seconds() - began;
    const cardan_statistics s = cardan_integrator_statistics(it);
    run->steps = s.steps;
    run->iterations = s.iterations;
    run->factorizations = s.factorizations;
    cardan_integrator_destroy(it);
    return done;
}

/* ---- IDA ---- */

static bool march_ida(peer_ida *peer, const bench_subject *subject, bench_samples *samples)
{
    cardan_error error;
    for (int i = samples != NULL ? 0 : BENCH_SAMPLES - 1; i < BENCH_SAMPLES; i++) {
        const double t = i == BENCH_SAMPLES - 1 ? subject->end : samples->t[i];
        if (peer_ida_advance(peer, t, &error) != CARDAN_OK)
            return false;
        if (samples != NULL)
            keep(subject, peer_ida_point(peer).q, samples->q[i]);
    }
    return true;
}

/* From the consistent initial values of our plain start. */
static peer_ida *open_ida(const bench_subject *subject, double rtol)
{
    cardan_integrator_def def = cardan_integrator_def_default();
    cardan_integrator *it = NULL;
    cardan_error error;
    peer_ida *peer = NULL;
    def.experimental.start = CARDAN_START_PLAIN;
    def.step = 1e-3 * (subject->end - subject->begin);
    if (cardan_integrator_create(&it, subject->system, &def, &error) == CARDAN_OK &&
        cardan_integrator_start(it, subject->begin, subject->q, subject->v) == CARDAN_OK)
        peer_ida_create(&peer, subject->system, cardan_integrator_state(it),
                        (cardan_tolerance){rtol, rtol}, subject->end, &error);
    cardan_integrator_destroy(it);
    return peer;
}

static bool run_ida(const bench_subject *subject, bench_run *run, bench_samples *samples)
{
    peer_ida *peer = open_ida(subject, run->value);
    if (peer == NULL)
        return false;
    if (run->solver->amd)
        peer_ida_order_by_amd(peer);
    const double began = bench_seconds();
    const bool done = march_ida(peer, subject, samples);
    run->seconds = bench_seconds() - began;
    const peer_work work = peer_ida_work(peer);
    run->steps = work.steps;
    run->iterations = work.iterations;
    run->factorizations = work.factorizations;
    peer_ida_destroy(peer);
    return done;
}

/* ---- Simbody ---- */

static bool run_simbody(const bench_subject *subject, bench_run *run, bench_samples *samples)
{
    peer_simbody *peer = NULL;
    peer_simbody_work work = {0};
    if (subject->file == NULL || !peer_simbody_create(&peer, cardan_model_file_model(subject->file),
                                                      subject->q, subject->v, run->value))
        return false;
    const double began = bench_seconds();
    bool done = true;
    for (int i = samples != NULL ? 0 : BENCH_SAMPLES - 1; done && i < BENCH_SAMPLES; i++) {
        const double t = i == BENCH_SAMPLES - 1 ? subject->end : samples->t[i];
        done = peer_simbody_advance(peer, t, samples != NULL ? samples->q[i] : NULL);
    }
    run->seconds = bench_seconds() - began;
    peer_simbody_work_of(peer, &work);
    run->steps = work.steps;
    run->iterations = work.evaluations;
    peer_simbody_destroy(peer);
    return done;
}

bool bench_run_make(const bench_subject *subject, bench_run *run, bench_samples *samples)
{
    static bool (*const makers[BENCH_KINDS])(const bench_subject *, bench_run *,
                                             bench_samples *) = {run_cardan, run_ida, run_simbody};
    const bool done = makers[run->solver->kind](subject, run, samples);
    if (!done)
        run->seconds = NAN;
    return done;
}

bool bench_run_time(const bench_subject *subject, int least, bench_run *run)
{
    enum { MOST = 50 };
    const double enough = 5e-3;
    double spent = 0.0;
    for (int i = 0; i < MOST && (i < least || spent < enough); i++) {
        bench_run again = *run;
        if (!bench_run_make(subject, &again, NULL))
            return false;
        run->seconds = fmin(run->seconds, again.seconds);
        spent += again.seconds;
    }
    return true;
}
