/* See accuracy.h. Every solver is run from coarse to fine until the smallest error is reached. */
#include "accuracy.h"

#include "ida.h"
#include "simbody.h"

#include <math.h>
#include <stdio.h>

const double bench_targets[BENCH_TARGETS] = {1e-2, 1e-3, 1e-4};

/* Practical settings: the corrector stops well below the errors that are compared; with steps by
 * the error at a thousandth of their tolerance, which the integrator sees to. MAGNUS costs
 * next to nothing and makes no difference on linear spaces. */
static const bench_solver solvers[] = {
    {BENCH_CARDAN, "ga3", false, CARDAN_UPDATE_MAGNUS, 1e-6},
    {BENCH_CARDAN, "ga2s", false, CARDAN_UPDATE_MAGNUS, 1e-6},
    {BENCH_CARDAN, "ga3", true, CARDAN_UPDATE_MAGNUS, 1.0},
    {BENCH_CARDAN, "ga2s", true, CARDAN_UPDATE_MAGNUS, 1.0},
    {BENCH_IDA, NULL, true, CARDAN_UPDATE_EXP, 0.0},
    {BENCH_SIMBODY, NULL, true, CARDAN_UPDATE_EXP, 0.0},
};
enum { SOLVERS = sizeof solvers / sizeof solvers[0], MOST_RUNS = 40 };

static bool is_there(bench_kind kind)
{
    return kind == BENCH_CARDAN || (kind == BENCH_IDA && peer_ida_text() != NULL) ||
           (kind == BENCH_SIMBODY && peer_simbody_text() != NULL);
}

/* Steps get shorter by the root of two, tolerances by that of ten. */
static double value_of(const bench_contest *contest, const bench_solver *solver, double span, int i)
{
    if (solver->adaptive)
        return contest->loosest * pow(10.0, -0.5 * i);
    const double steps = pow(2.0, 0.5 * i) / contest->coarsest;
    return span / (BENCH_SAMPLES * ceil(steps / BENCH_SAMPLES));
}

static void enter(bench_verdict *verdict, int form, const bench_run *run)
{
    for (int i = 0; i < BENCH_TARGETS; i++) {
        bench_winner *best = &verdict->winner[i][run->solver->kind];
        if (run->error <= bench_targets[i] && !(best->run.seconds <= run->seconds))
            *best = (bench_winner){*run, form};
    }
}

static void search(const bench_contest *contest, int form, const bench_subject *subject,
                   const bench_samples *reference, bench_samples *samples,
                   const bench_solver *solver, double limit, bench_verdict *verdict)
{
    double spent = 0.0;
    for (int i = 0; i < MOST_RUNS && spent < limit; i++) {
        const double span = subject->end - subject->begin;
        bench_run run = {.solver = solver, .value = value_of(contest, solver, span, i)};
        const double began = bench_seconds();
        if (bench_run_make(subject, &run, samples)) {
            run.error = bench_samples_error(subject, reference, samples);
            enter(verdict, form, &run);
            if (run.error <= bench_targets[BENCH_TARGETS - 1])
                return;
        }
        spent += bench_seconds() - began;
    }
}

static bool try_form(const bench_contest *contest, int form, bench_subject *subject, double limit,
                     bench_verdict *verdict)
{
    bench_samples reference = {0}, samples = {0};
    const bool ready = bench_samples_create(&reference, subject) &&
                       bench_samples_create(&samples, subject) &&
                       bench_reference_make(subject, &reference, &verdict->reference);
    for (int s = 0; ready && s < SOLVERS; s++)
        if (is_there(solvers[s].kind))
            search(contest, form, subject, &reference, &samples, &solvers[s], limit, verdict);
    bench_samples_destroy(&reference);
    bench_samples_destroy(&samples);
    return ready;
}

/* In turn, so that what disturbs the machine disturbs all. */
static void time_again(bench_subject *const *subjects, int repeat, bench_verdict *verdict)
{
    for (int n = 0; n < repeat; n++)
        for (int i = 0; i < BENCH_TARGETS; i++)
            for (int kind = 0; kind < BENCH_KINDS; kind++) {
                bench_winner *best = &verdict->winner[i][kind];
                bench_run again = best->run;
                if (best->run.seconds < INFINITY &&
                    bench_run_make(subjects[best->form], &again, NULL))
                    best->run.seconds = fmin(best->run.seconds, again.seconds);
            }
}

bool bench_contest_hold(const bench_contest *contest, int repeat, double limit,
                        bench_verdict *verdict, cardan_error *error)
{
    bench_subject *subjects[BENCH_MOST_FORMS] = {0};
    bool ready = true;
    *verdict = (bench_verdict){.contest = contest};
    for (int i = 0; i < BENCH_TARGETS; i++)
        for (int kind = 0; kind < BENCH_KINDS; kind++)
            verdict->winner[i][kind].run.seconds = NAN;
    for (int f = 0; ready && f < contest->forms; f++) {
        subjects[f] = bench_subject_create(&contest->form[f], error);
        ready = subjects[f] != NULL;
        if (ready && !try_form(contest, f, subjects[f], limit, verdict)) {
            snprintf(error->text, sizeof error->text, "no reference solution could be made");
            ready = false;
        }
        if (ready)
            verdict->bodies = subjects[f]->bodies;
    }
    if (ready)
        time_again(subjects, repeat, verdict);
    for (int f = 0; f < contest->forms; f++)
        bench_subject_destroy(subjects[f]);
    return ready;
}
