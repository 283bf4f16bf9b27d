/* What an integrator has done so far: counts, step sizes, and where the time went. */
#include "integrator.h"

#include "base/numeric.h"

void cd_integrator_count_step(cardan_integrator *it, double h, double before)
{
    it->shortest = it->steps > 0 ? cd_smaller(it->shortest, h) : h;
    it->longest = cd_larger(it->longest, h);
    it->changes += h != before;
    cd_sum_add(&it->covered, h);
    it->steps++;
}

static cardan_timing time_of(const double *seconds)
{
    return (cardan_timing){.start = seconds[CD_STARTING],
                           .evaluation = seconds[CD_EVALUATING],
                           .assembly = seconds[CD_ASSEMBLING],
                           .factorization = seconds[CD_FACTORING],
                           .solve = seconds[CD_SOLVING],
                           .control = seconds[CD_CONTROLLING],
                           .events = seconds[CD_LOCATING],
                           .projection = seconds[CD_PROJECTING],
                           .output = seconds[CD_SHOWING],
                           .other = seconds[CD_STEPPING]};
}

cardan_statistics cardan_integrator_statistics(const cardan_integrator *integrator)
{
    if (integrator == NULL)
        return (cardan_statistics){0};
    const cardan_integrator *it = integrator;
    const cd_newton_counts *counts = &it->newton.counts;
    const double mean = it->steps > 0 ? cd_sum_total(it->covered) / (double)it->steps : 0.0;
    return (cardan_statistics){.steps = it->steps,
                               .iterations = counts->iterations,
                               .residuals = counts->residuals,
                               .matrices = counts->matrices,
                               .factorizations = counts->factorizations,
                               .refreshes = counts->refreshes,
                               .reuses = counts->reuses,
                               .callbacks = it->step_calls,
                               .residual_callbacks = it->residual_calls,
                               .matrix_callbacks = it->matrix_calls,
                               .line_searches = counts->line_searches,
                               .unresolved = counts->unresolved,
                               .most_unresolved = counts->most_unresolved,
                               .failures = it->failures,
                               .rejected = it->control.rejected,
                               .retried = it->control.retried,
                               .last_iterations = counts->last_iterations,
                               .last_error = it->control.previous,
                               .stiff_steps = it->control.held_in_rows,
                               .outpaced_steps = it->control.outpaced,
                               .events = it->events.total,
                               .renewals = it->renewals,
                               .readmissions = it->readmissions,
                               .step_changes = it->changes,
                               .rounding = it->control.rounding,
                               .largest_position = it->control.most_position,
                               .largest_velocity = it->control.most_velocity,
                               .largest_multiplier = it->control.most_multiplier,
                               .min_step = it->shortest,
                               .mean_step = mean,
                               .max_step = it->longest,
                               .threads = cd_team_size(it->team),
                               .time = time_of(it->clock.seconds)};
}
