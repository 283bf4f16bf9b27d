/* See accuracy.h. Every solver is run from coarse to fine until the smallest error is reached. */
#include "accuracy.h"

#include "lab/peers/ida.h"
#include "lab/peers/simbody.h"

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
    OURS("ga2s", .newton = 1e-6),
    OURS("ga2s", .newton = 1e-4),
    OURS("ga3", .newton = 1.0, .adaptive = true),
    OURS("ga2s", .newton = 1.0, .adaptive = true),
    OURS("rk5", .newton = 1e-4),
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

/* The fastest runs of a kind that reach an error: a search times most of them once, and what is
 * fastest then may be luck. */
enum { CANDIDATES = 6 };
typedef struct field {
    bench_winner candidate[CANDIDATES];
    int count;
} field;

/* One solver on one form of a problem. */
typedef struct search {
    const bench_subject *subject;
    const bench_samples *reference;
    bench_samples *samples;
    const bench_solver *solver;
    int form;
    field (*fields)[BENCH_KINDS]; /* of every error wanted */
} search;

/* Steps that meet the samples. */
static double fitting(const search *s, double value)
{
    const double span = s->subject->end - s->subject->begin;
    return s->solver->adaptive ? value
                               : span / (BENCH_SAMPLES * ceil(span / value / BENCH_SAMPLES - 1e-9));
}

/* The same run if it is there, else a free place, else that of the slowest. */
static bench_winner *place_for(field *f, int form, const bench_run *run)
{
    bench_winner *slowest = f->candidate;
    for (int i = 0; i < f->count; i++) {
        bench_winner *other = &f->candidate[i];
        if (other->form == form && other->run.solver == run->solver &&
            other->run.value == run->value)
            return other;
        if (other->run.seconds > slowest->run.seconds)
            slowest = other;
    }
    if (f->count == CANDIDATES)
        return slowest;
    slowest = &f->candidate[f->count++];
    slowest->run.seconds = INFINITY;
    return slowest;
}

static void enter(const search *s, const bench_run *run)
{
    for (int i = 0; i < BENCH_TARGETS; i++) {
        if (!(run->error <= bench_targets[i]))
            continue;
        bench_winner *place = place_for(&s->fields[i][run->solver->kind], s->form, run);
        if (run->seconds < place->run.seconds)
            *place = (bench_winner){*run, s->form};
    }
}

static const bench_winner *fastest_of(const field *f)
{
    const bench_winner *best = f->candidate;
    for (int i = 1; i < f->count; i++)
        if (f->candidate[i].run.seconds < best->run.seconds)
            best = &f->candidate[i];
    return best;
}

/* Only those that are slower by no more than a margin. */
static void thin_out(field *f, double margin)
{
    const double limit = (1.0 + margin) * fastest_of(f)->run.seconds;
    int kept = 0;
    for (int i = 0; i < f->count; i++)
        if (f->candidate[i].run.seconds <= limit)
            f->candidate[kept++] = f->candidate[i];
    f->count = kept;
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
    enter(s, &run);
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
                     field (*fields)[BENCH_KINDS], bench_verdict *verdict)
{
    bench_samples reference = {0}, samples = {0};
    const bool ready = bench_samples_create(&reference, subject) &&
                       bench_samples_create(&samples, subject) &&
                       bench_reference_make(subject, &reference, &verdict->reference);
    for (int s = 0; ready && s < SOLVERS; s++)
        if (is_there(solvers[s].kind))
            seek(&(search){subject, &reference, &samples, &solvers[s], form, fields}, contest,
                 limit);
    bench_samples_destroy(&reference);
    bench_samples_destroy(&samples);
    return ready;
}

/* All that may be the fastest are timed again, in turn, so that what disturbs the machine disturbs
 * all, ours and the peers'. The shortest times count, and those that fall behind drop out. */
static void time_again(bench_subject *const *subjects, int repeat, field (*fields)[BENCH_KINDS])
{
    const double wide = 0.3, narrow = 0.1;
    for (int n = 0; n <= repeat; n++)
        for (int i = 0; i < BENCH_TARGETS; i++)
            for (int kind = 0; kind < BENCH_KINDS; kind++) {
                field *f = &fields[i][kind];
                thin_out(f, n == 0 ? wide : narrow);
                for (int c = 0; n < repeat && c < f->count; c++)
                    bench_run_time(subjects[f->candidate[c].form], 1, &f->candidate[c].run);
            }
}

static void choose(field (*fields)[BENCH_KINDS], bench_verdict *verdict)
{
    for (int i = 0; i < BENCH_TARGETS; i++)
        for (int kind = 0; kind < BENCH_KINDS; kind++)
            if (fields[i][kind].count > 0)
                verdict->winner[i][kind] = *fastest_of(&fields[i][kind]);
}

bool bench_contest_hold(const bench_contest *contest, int repeat, double limit,
                        bench_verdict *verdict, cardan_error *error)
{
    bench_subject *subjects[BENCH_MOST_FORMS] = {0};
    field fields[BENCH_TARGETS][BENCH_KINDS] = {0};
    bool ready = true;
    *verdict = (bench_verdict){.contest = contest};
    for (int i = 0; i < BENCH_TARGETS; i++)
        for (int kind = 0; kind < BENCH_KINDS; kind++)
            verdict->winner[i][kind].run.seconds = NAN;
    for (int f = 0; ready && f < contest->forms; f++) {
        subjects[f] = bench_subject_create(&contest->form[f], error);
        ready = subjects[f] != NULL;
        if (ready && !try_form(contest, f, subjects[f], limit, fields, verdict)) {
            snprintf(error->text, sizeof error->text, "no reference solution could be made");
            ready = false;
        }
        if (ready)
            verdict->bodies = subjects[f]->bodies;
    }
    if (ready) {
        time_again(subjects, repeat, fields);
        choose(fields, verdict);
    }
    for (int f = 0; f < contest->forms; f++)
        bench_subject_destroy(subjects[f]);
    return ready;
}
