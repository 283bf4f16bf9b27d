/* See accuracy.h. Every solver is run from coarse to fine until the smallest error is reached. */
#include "accuracy.h"

#include "ida.h"
#include "simbody.h"

#include <math.h>
#include <stdio.h>

const double bench_targets[BENCH_TARGETS] = {1e-2, 1e-3, 1e-4};

/* Practical settings: with fixed steps the corrector stops where it likes, the error that comes out
 * is measured; with steps by the error at a thousandth of their tolerance, which the integrator
 * sees to. More damping than usual suits coarse steps of stiff motions. MAGNUS costs next to
 * nothing and makes no difference on linear spaces. */
#define OURS(method_, ...)                                                                         \
    {                                                                                              \
        .kind = BENCH_CARDAN, .method = method_, .update = CARDAN_UPDATE_MAGNUS, __VA_ARGS__       \
    }

static const bench_solver solvers[] = {
    OURS("ga3", .newton = 1e-6),
    OURS("ga3", .newton = 1e-5),
    OURS("ga3", .newton = 1e-4),
    OURS("ga3", .newton = 1e-3),
    OURS("ga3", .newton = 1e-2),
    OURS("ga3", .newton = 1e-3, .rho = 0.6),
    OURS("ga3", .newton = 1e-2, .rho = 0.6),
    OURS("ga3", .newton = 1e-2, .rho = 0.4),
    OURS("ga3", .newton = 1e-5, .levels = 2),
    OURS("ga3", .newton = 1e-6, .levels = 2),
    OURS("ga3", .newton = 1e-6, .levels = 3),
    OURS("ga2s", .newton = 1e-6),
    OURS("ga2s", .newton = 1e-4),
    OURS("ga2s", .newton = 1e-6, .levels = 2),
    OURS("ga3", .newton = 1.0, .adaptive = true),
    OURS("ga2s", .newton = 1.0, .adaptive = true),
    OURS("rk5", .newton = 1e-6),
    OURS("rk5", .newton = 1.0, .adaptive = true),
    {.kind = BENCH_IDA, .adaptive = true},
    {.kind = BENCH_IDA, .adaptive = true, .amd = true},
    {.kind = BENCH_SIMBODY, .adaptive = true},
};
enum { SOLVERS = sizeof solvers / sizeof solvers[0], MOST_RUNS = 40 };

static bool is_there(bench_kind kind)
{
    return kind == BENCH_CARDAN || (kind == BENCH_IDA && peer_ida_text() != NULL) ||
           (kind == BENCH_SIMBODY && peer_simbody_text() != NULL);
}

/* One solver on one form of a problem. */
typedef struct search {
    const bench_subject *subject;
    const bench_samples *reference;
    bench_samples *samples;
    const bench_solver *solver;
    int form;
    bench_verdict *verdict;
} search;

/* Steps that meet the samples. */
static double fitting(const search *s, double value)
{
    const double span = s->subject->end - s->subject->begin;
    return s->solver->adaptive ? value
                               : span / (BENCH_SAMPLES * ceil(span / value / BENCH_SAMPLES - 1e-9));
}

static void enter(bench_verdict *verdict, int form, const bench_run *run)
{
    for (int i = 0; i < BENCH_TARGETS; i++) {
        bench_winner *best = &verdict->winner[i][run->solver->kind];
        if (run->error <= bench_targets[i] && !(best->run.seconds <= run->seconds))
            *best = (bench_winner){*run, form};
    }
}

/* The error of a run; INFINITY if it failed. */
static double try_value(const search *s, double value)
{
    bench_run run = {.solver = s->solver, .value = fitting(s, value)};
    if (!bench_run_make(s->subject, &run, s->samples))
        return INFINITY;
    run.error = bench_samples_error(s->subject, s->reference, s->samples);
    if (run.error <= bench_targets[0])
        bench_run_time(s->subject, 0, &run);
    enter(s->verdict, s->form, &run);
    return run.error;
}

/* Looks for a cheaper run between one that misses an error and one that reaches it. */
static void refine(const search *s, double target, double missed, double reached)
{
    for (int i = 0; i < 2; i++) {
        const double between = sqrt(missed * reached);
        if (try_value(s, between) <= target)
            reached = between;
        else
            missed = between;
    }
}

/* The smallest error that is worth looking for: what a coarse corrector leaves does not get smaller
 * with the steps. */
static double finest_of(const bench_solver *solver)
{
    const double finest = bench_targets[BENCH_TARGETS - 1];
    return solver->adaptive ? finest : fmax(finest, 0.1 * solver->newton);
}

/* From coarse to fine, steps by two and tolerances by the root of ten. */
static void seek(const search *s, const bench_contest *contest, double limit)
{
    const double span = s->subject->end - s->subject->begin, began = bench_seconds();
    const double factor = s->solver->adaptive ? sqrt(10.0) : 2.0;
    double value = s->solver->adaptive ? contest->loosest : contest->coarsest * span;
    double last = INFINITY;
    for (int i = 0; i < MOST_RUNS && bench_seconds() - began < limit; i++, value /= factor) {
        const double error = try_value(s, value);
        for (int t = 0; t < BENCH_TARGETS && i > 0; t++)
            if (error <= bench_targets[t] && last > bench_targets[t])
                refine(s, bench_targets[t], factor * value, value);
        if (error <= finest_of(s->solver))
            return;
        last = fmin(last, error);
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
            seek(&(search){subject, &reference, &samples, &solvers[s], form, verdict}, contest,
                 limit);
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
                if (best->run.seconds < INFINITY)
                    bench_run_time(subjects[best->form], 1, &best->run);
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
