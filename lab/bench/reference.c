/* Solutions to compare with; see bench_reference_make in solver.h. */
#include "lab/peers/ida.h"
#include "lab/problems/problem.h"
#include "solver.h"

#include <stdlib.h>

static bool of_problem(bench_subject *subject, bench_samples *samples, const char **text)
{
    for (int i = 0; i < BENCH_SAMPLES; i++)
        if (lab_problem_reference(subject->problem, samples->t[i], samples->q[i], NULL, NULL, NULL,
                                  NULL, NULL) != CARDAN_OK)
            return false;
    *text = lab_problem_reference_text(subject->problem);
    return true;
}

static bool by_ida(const bench_subject *subject, bench_samples *samples, const char **text)
{
    const bench_solver amd = {.kind = BENCH_IDA, .adaptive = true, .amd = true};
    const bench_solver colamd = {.kind = BENCH_IDA, .adaptive = true};
    bench_run run = {.solver = &amd, .value = 1e-8}, again = {.solver = &colamd, .value = 1e-8};
    *text = "IDA, tolerance 1e-8";
    return peer_ida_text() != NULL &&
           (bench_run_make(subject, &run, samples) || bench_run_make(subject, &again, samples));
}

/* The error of ga2s is even in h but for its end: (4 x(h/2) - x(h)) / 3, taken on the group. */
static bool extrapolate(const bench_subject *subject, const bench_samples *coarse,
                        bench_samples *fine)
{
    const cardan_group *group = cardan_system_describe(subject->system).group;
    const int k = cardan_group_dof(group);
    double *w = calloc((size_t)k, sizeof *w);
    for (int i = 0; i < BENCH_SAMPLES && w != NULL; i++) {
        cardan_group_difference(group, coarse->q[i], fine->q[i], w);
        for (int j = 0; j < k; j++)
            w[j] /= 3.0;
        cardan_group_update(group, fine->q[i], w, fine->q[i]);
    }
    free(w);
    return w != NULL;
}

static bool by_ga2s(const bench_subject *subject, bench_samples *samples, const char **text)
{
    const bench_solver ga2s = {.kind = BENCH_CARDAN, .method = "ga2s", .newton = 1e-10};
    const double span = subject->end - subject->begin;
    bench_run coarse = {.solver = &ga2s, .value = span / 1000}, fine = coarse;
    bench_samples first;
    fine.value = span / 2000;
    *text = "ga2s in 1000 and 2000 steps, extrapolated";
    if (!bench_samples_create(&first, subject))
        return false;
    const bool made = bench_run_make(subject, &coarse, &first) &&
                      bench_run_make(subject, &fine, samples) &&
                      extrapolate(subject, &first, samples);
    bench_samples_destroy(&first);
    return made;
}

bool bench_reference_make(bench_subject *subject, bench_samples *samples, const char **text)
{
    return (subject->problem != NULL && of_problem(subject, samples, text)) ||
           by_ida(subject, samples, text) || by_ga2s(subject, samples, text);
}
