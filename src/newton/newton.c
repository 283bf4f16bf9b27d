/* The corrector (newton.h). docs/dataflow.md explains its decisions. */
#include "newton.h"

#include "base/error.h"
#include "base/numeric.h"
#include "base/shared.h"

#include <stdio.h>
#include <string.h>

enum {
    LISTED = 6,                /* corrections in the message of a failure */
    ROUNDING_ERRORS = 64,      /* rounding errors that may add up in a correction */
    ROWS_PER_EXCEPTION = 1000, /* one row in so many may exceed its rounding level by chance */
    PROBE = 4096,      /* rounding errors by which the iterate is moved to measure their effect on
                          F: many, so that F changes in proportion */
    MAX_HALVINGS = 10, /* of a correction in damped Newton */
    FURTHER_ITERATIONS = 5, /* if more are expected, the next strategy is tried */
    FURTHER_REUSED = 4,     /* the same with reused factors: what new ones cost */
    UNMEASURED = 4,         /* solves in a row that may rely on a rate of earlier ones */
    FACTORING = 3,          /* cost of a matrix and its factors, in iterations */
};

static const double largest_ratio = 5.0 / 3; /* of two step sizes that may have the same factors */
static const double accepted = 0.25;   /* of the tolerance: largest estimated remaining error */
static const double negligible = 1e-3; /* of the tolerance: accepted without a rate */
static const double margin = 2.0;      /* factor for rates of earlier solves */
static const double least_rate = 5e-5; /* assumed of earlier solves */
static const double decay = 0.7;       /* of a rate, when the next one is measured */

/* How the corrector goes on (newton.h). */
typedef enum cd_strategy {
    CD_REUSED_FACTORS,
    CD_FRESH_FACTORS,
    CD_FULL_NEWTON,
    CD_DAMPED_NEWTON
} cd_strategy;

/* One solve. Norms are maxima of |dx_i| / weight_i; 0: no such correction with this strategy. */
typedef struct cd_solve {
    cd_newton *newton;
    const cd_newton_problem *problem;
    cardan_error *error;
    cd_strategy strategy;
    double norm, previous, third_last; /* of the last three corrections, the last one first */
    double motion, previous_motion;    /* norms of the velocities alone */
    bool rate_measured;                /* in this solve, of its factors */
    bool only_measures; /* a first correction was enough: the second only measures the rate */
    bool done;          /* no better iterate can be found */
    int count;          /* corrections */
    int factored_at;    /* corrections when the last factors were made */
} cd_solve;

bool cd_newton_init(cd_newton *newton, cd_arena *arena, cd_matrix *matrix, cd_clock *clock, int n,
                    int max_iterations)
{
    *newton = (cd_newton){.n = n,
                          .max_iterations = max_iterations,
                          .matrix = matrix,
                          .clock = clock,
                          .arena = arena,
                          .scale = 1.0,
                          .motion = n};
    newton->residual = cd_arena_doubles(arena, n);
    newton->correction = cd_arena_doubles(arena, n);
    newton->trial = cd_arena_take(arena, 2 * (size_t)n * sizeof(double));
    newton->probe = newton->trial != NULL ? newton->trial + n : NULL;
    newton->weights = cd_arena_doubles(arena, n);
    newton->rounding_level = cd_arena_doubles(arena, n);
    return !arena->failed;
}

void cd_newton_forget_factors(cd_newton *newton)
{
    newton->factors.there = false;
}

void cd_newton_forget_rates(cd_newton *newton)
{
    newton->reused_rate = newton->fresh_rate = (cd_rate){0};
}

void cd_newton_reset(cd_newton *newton)
{
    newton->factors = (cd_newton_factors){0};
    newton->rounding_scale = 0.0;
    cd_newton_forget_rates(newton);
}

/* ---- factors ---- */

/* Are there factors of an earlier solve that this one may use? */
static bool can_reuse_factors(const cd_newton *newton)
{
    const double ratio = newton->scale / newton->factors.scale;
    return newton->factors.there && cd_larger(ratio, 1.0 / ratio) <= largest_ratio;
}

static cardan_status factor_matrix(const cd_newton *newton)
{
    const cd_activity before = cd_clock_switch(newton->clock, CD_FACTORING);
    const cardan_status status = cd_matrix_factor(newton->matrix);
    cd_clock_switch(newton->clock, before);
    return status;
}

/* Stages 3 and 4: makes factors at the iterate. */
static cardan_status make_factors(cd_solve *s)
{
    cd_newton *newton = s->newton;
    cardan_status status;
    newton->factors.there = false;
    s->factored_at = s->count;
    do {
        newton->counts.matrices++;
        status = s->problem->assemble(s->problem->self, newton->matrix); /* 3 iteration matrix */
        if (status != CARDAN_OK)
            return status;
        status = factor_matrix(newton); /* 4 factor */
    } while (status != CARDAN_OK && cd_matrix_retry(newton->matrix));
    newton->counts.factorizations++;
    if (status != CARDAN_OK)
        return cd_fail(
            s->error, status,
            "the iteration matrix is singular; try another step size, or look for constraints "
            "that have become dependent");
    newton->factors = (cd_newton_factors){.there = true, .scale = newton->scale};
    return CARDAN_OK;
}

/* After a solve: keeps the factors if it took no more iterations than solves with them on average,
 * the cost of making them included. This rule replaces ageing factors at least cost. */
static void decide_on_reuse(cd_solve *s)
{
    cd_newton *newton = s->newton;
    cd_newton_factors *factors = &newton->factors;
    const int iterations = s->count - s->factored_at - (s->only_measures && s->count == 2);
    newton->counts.last_iterations = s->count;
    if (s->strategy != CD_REUSED_FACTORS) {
        factors->spent = FACTORING + iterations;
        factors->solves = 1;
        return;
    }
    factors->there = iterations * factors->solves <= factors->spent;
    factors->spent += iterations;
    factors->solves++;
}

/* The largest |x_i| / weight_i; NaN if there is one. */
static double weighted_norm(const cd_newton *newton, const double *x)
{
    return cd_shared_norm(cd_matrix_team(newton->matrix), newton->n, x, newton->weights);
}

/* Finds the norms of the correction, of all unknowns and of the velocities alone. */
static void measure_correction(cd_solve *s)
{
    const cd_newton *newton = s->newton;
    const int k = newton->motion;
    cd_team *team = cd_matrix_team(newton->matrix);
    s->motion = cd_shared_norm(team, k, newton->correction, newton->weights);
    const double others =
        cd_shared_norm(team, newton->n - k, newton->correction + k, newton->weights + k);
    s->norm = s->motion >= others || isnan(s->motion) ? s->motion : others;
}

/* Can rounding errors explain all of x, a correction? */
static bool is_rounding_only(const cd_newton *newton, const double *x)
{
    for (int i = 0, segment = 0; i < newton->n; i++)
        if (!(fabs(x[i]) <= ROUNDING_ERRORS * cd_rounding_at(&newton->rounding, i, &segment)))
            return false;
    return true;
}

/* Stage 2: evaluates F at the iterate. */
static cardan_status evaluate_residual(cd_solve *s)
{
    s->newton->counts.residuals++;
    const cardan_status status = s->problem->residual(s->problem->self, s->newton->residual);
    s->newton->record.evaluated = status == CARDAN_OK;
    return status;
}

/* correction = -F'^-1 F; returns the largest |F_i|. */
static double solve_correction(const cd_newton *newton, double *correction)
{
    const double largest =
        cd_shared_negate(cd_matrix_team(newton->matrix), newton->n, newton->residual, correction);
    const cd_activity before = cd_clock_switch(newton->clock, CD_SOLVING);
    cd_matrix_solve(newton->matrix, correction);
    cd_clock_switch(newton->clock, before);
    return largest;
}

static void record_iteration(cd_solve *s, double largest_residual)
{
    cd_newton_record *record = &s->newton->record;
    const int at = s->count % CD_NEWTON_RECORD;
    record->corrections[at] = s->norm;
    record->residuals[at] = largest_residual;
    record->iterations = ++s->count;
}

/* Fails with a message: reason, last corrections, row with the largest residual, advice. */
static cardan_status end_with_diagnosis(cd_solve *s, const char *reason, const char *advice)
{
    cd_newton *newton = s->newton;
    char row[128] = "?", history[160] = "";
    int worst = 0, used = 0;
    for (int i = 1; i < newton->n; i++)
        if (fabs(newton->residual[i]) > fabs(newton->residual[worst]))
            worst = i;
    s->problem->name_row(s->problem->self, worst, row, sizeof row);
    for (int i = s->count < LISTED ? 0 : s->count - LISTED; i < s->count; i++)
        used += snprintf(history + used, sizeof history - (size_t)used, " %.2g",
                         newton->record.corrections[i % CD_NEWTON_RECORD]);
    newton->factors.there = false;
    return cd_fail(s->error, CARDAN_NOT_CONVERGED,
                   "the corrector iteration %s after %d iterations (last corrections relative to "
                   "the tolerance:%s); the largest residual is in %s; %s",
                   reason, s->count, history, row, advice);
}

/* Moves the iterate by random rounding errors and back. Raises rounding_level[i] to the change of
 * F_i. False if F cannot be evaluated there. */
static bool probe_rounding(cd_solve *s, unsigned seed)
{
    cd_newton *newton = s->newton;
    for (int i = 0, segment = 0; i < newton->n; i++) {
        const double size = cd_rounding_at(&newton->rounding, i, &segment);
        seed = seed * 1664525u + 1013904223u;
        newton->probe[i] = PROBE * size * ((double)(seed >> 8) / 0x1p23 - 1.0);
    }
    cd_copy(newton->n, newton->residual, newton->trial);
    s->problem->correct(s->problem->self, newton->probe, 1.0);
    const bool there = evaluate_residual(s) == CARDAN_OK;
    for (int i = 0; there && i < newton->n; i++)
        newton->rounding_level[i] =
            fmax(newton->rounding_level[i], fabs(newton->residual[i] - newton->trial[i]));
    s->problem->correct(s->problem->self, newton->probe, -1.0);
    return evaluate_residual(s) == CARDAN_OK && there;
}

/* In how many rows F is larger than rounding errors in the unknowns explain. */
static int count_rows_above_rounding(const cd_newton *newton)
{
    const double spread = (double)ROUNDING_ERRORS / PROBE;
    int count = 0;
    for (int i = 0; i < newton->n; i++)
        count += !(fabs(newton->residual[i]) <= spread * newton->rounding_level[i]);
    return count;
}

/* Measures the rounding level of F by three random samples. Of many thousand rows some may change
 * too little in all three: if F exceeds its level in a few rows only, more samples follow. */
static bool measure_rounding(cd_solve *s)
{
    enum { SAMPLES = 3, MOST = 8 };
    cd_newton *newton = s->newton;
    cd_zero(newton->n, newton->rounding_level);
    newton->rounding_scale = 0.0;
    for (unsigned seed = 1; seed <= MOST; seed++) {
        if (seed > SAMPLES) {
            const int above = count_rows_above_rounding(newton);
            if (above == 0 || above > newton->n / ROWS_PER_EXCEPTION)
                break;
        }
        if (!probe_rounding(s, seed))
            return false;
    }
    newton->rounding_scale = newton->scale;
    cd_arena_forget(newton->arena, newton->trial, 2 * (size_t)newton->n * sizeof(double));
    return true;
}

/* Is F at its rounding level in every row? Then the iterate cannot be told from a solution, however
 * large the corrections are that an ill-conditioned matrix makes of F. The level is measured again
 * only if that measured before, with this step size, does not explain F. */
static bool is_at_rounding_level(cd_solve *s)
{
    cd_newton *newton = s->newton;
    const bool known =
        newton->rounding_scale == newton->scale && count_rows_above_rounding(newton) == 0;
    if (!known && !(measure_rounding(s) && count_rows_above_rounding(newton) == 0))
        return false;
    newton->counts.unresolved++;
    newton->counts.most_unresolved = fmax(newton->counts.most_unresolved, s->norm);
    return true;
}

/* Do corrections no longer shrink because of rounding? Reused factors may be a reason, too. */
static bool is_stalled(cd_solve *s)
{
    return s->strategy >= CD_FULL_NEWTON && s->previous > 0.0 && s->norm > 0.5 * s->previous &&
           is_at_rounding_level(s);
}

/* Stage 5, after 3 and 4: makes a correction with the factors that are in use. */
static cardan_status make_correction(cd_solve *s)
{
    cd_newton *newton = s->newton;
    if (!newton->factors.there || s->strategy >= CD_FULL_NEWTON) {
        cardan_status status = make_factors(s);
        if (status != CARDAN_OK)
            return status;
    } else {
        newton->counts.reuses++;
    }
    const double largest = solve_correction(newton, newton->correction);
    measure_correction(s);
    record_iteration(s, largest);
    newton->counts.iterations++;
    return CARDAN_OK;
}

/* The last correction of the velocities relative to the one before; if that was zero, the same of
 * all unknowns. There must have been two. */
static double motion_rate(const cd_solve *s)
{
    return s->previous_motion > 0.0 ? s->motion / s->previous_motion : s->norm / s->previous;
}

/* The share of an error that a correction leaves; with reused factors at least the rate that they
 * had recently. Multipliers enter F linearly: after a bad prediction of these alone, the second
 * correction may be a thousand times smaller although the motion has not converged, whose error
 * then reappears in the multipliers. So both rates count. */
static double convergence_rate(const cd_solve *s)
{
    const double now = cd_larger(motion_rate(s), s->norm / s->previous);
    return s->strategy == CD_REUSED_FACTORS ? cd_larger(now, s->newton->reused_rate.value) : now;
}

/* The error that is left after a correction of this norm, if errors shrink at this rate. */
static double remaining_error(double rate, double norm)
{
    return rate < 0.9 ? rate / (1.0 - rate) * norm : INFINITY;
}

/* Is a correction of this norm enough, if it leaves as much as earlier ones did, with a margin? */
static bool is_enough_at_rate(const cd_newton *newton, const cd_rate *rate, double norm)
{
    const double assumed = margin * cd_larger(rate->value, least_rate);
    return newton->coarse && rate->value > 0.0 && assumed * norm <= accepted;
}

/* Is the first correction enough? It shows no rate, so a few solves rely on that of earlier ones;
 * then a solve makes a second correction only to measure the rate. */
static bool is_first_correction_enough(cd_solve *s)
{
    const cd_newton *newton = s->newton;
    const cd_rate *rate =
        s->strategy == CD_REUSED_FACTORS ? &newton->reused_rate : &newton->fresh_rate;
    if (s->strategy > CD_FRESH_FACTORS || !is_enough_at_rate(newton, rate, s->norm))
        return false;
    s->only_measures = rate->unmeasured >= UNMEASURED;
    return !s->only_measures;
}

/* Stage 6: may the iterate be accepted, with this correction? */
static bool has_converged(cd_solve *s)
{
    const double enough = s->newton->coarse ? accepted : negligible;
    if (s->norm <= negligible)
        return true;
    if (s->previous == 0.0)
        return s->count == 1 && is_first_correction_enough(s);
    if (s->norm > 0.5 * s->previous && is_rounding_only(s->newton, s->newton->correction))
        return true;
    if (s->norm <= accepted && s->previous <= accepted)
        return true;
    return remaining_error(convergence_rate(s), s->norm) <= enough;
}

/* Would convergence take too many further iterations, at the rate of this solve? */
static bool is_slow(const cd_solve *s)
{
    const bool reused = s->strategy == CD_REUSED_FACTORS;
    const double further = reused ? FURTHER_REUSED : FURTHER_ITERATIONS;
    if (s->previous == 0.0)
        return false;
    const double rate =
        reused && s->third_last > 0.0 ? sqrt(s->norm / s->third_last) : motion_rate(s);
    return rate >= 1.0 || log(s->norm / accepted) > -further * log(rate);
}

/* Measures the rate of the factors by the first two corrections. Later ones below the tolerance are
 * ignored, since they may be rounding. */
static void measure_rate(cd_solve *s)
{
    cd_newton *newton = s->newton;
    cd_rate *rate = s->strategy == CD_REUSED_FACTORS ? &newton->reused_rate : &newton->fresh_rate;
    if (s->strategy > CD_FRESH_FACTORS)
        return;
    if (s->count == 1)
        rate->unmeasured++;
    if (s->count == 1 || s->previous == 0.0 || (s->rate_measured && s->norm <= accepted))
        return;
    rate->value = cd_larger(cd_larger(motion_rate(s), s->norm / s->previous), decay * rate->value);
    rate->unmeasured = 0;
    s->rate_measured = true;
}

/* After slow convergence: the next strategy, with new factors. */
static void change_strategy(cd_solve *s)
{
    if (s->strategy == CD_REUSED_FACTORS)
        s->newton->counts.refreshes++;
    if (s->strategy < CD_DAMPED_NEWTON)
        s->strategy++;
    s->newton->factors.there = false;
    s->previous = s->previous_motion = s->third_last = 0.0;
}

/* Stage 5: applies the correction and evaluates F. Halves the correction while F cannot be
 * evaluated or, in damped Newton, while the next correction with the same factors is not smaller.
 * If F cannot be evaluated even after the shortest one, its status is that of the solve. */
static cardan_status apply_correction(cd_solve *s)
{
    cd_newton *newton = s->newton;
    double length = 1.0;
    cardan_status status = CARDAN_OK;
    s->problem->correct(s->problem->self, newton->correction, 1.0);
    for (int i = 0; i < MAX_HALVINGS; i++) {
        status = evaluate_residual(s);
        if (status < 0)
            return status;
        if (status == CARDAN_OK) {
            if (s->strategy < CD_DAMPED_NEWTON)
                return CARDAN_OK;
            solve_correction(newton, newton->trial);
            if (weighted_norm(newton, newton->trial) <= (1.0 - 0.25 * length) * s->norm)
                return CARDAN_OK;
        }
        newton->counts.line_searches++;
        s->problem->correct(s->problem->self, newton->correction, -0.5 * length);
        length *= 0.5;
    }
    if (status == CARDAN_OK)
        status = evaluate_residual(s); /* the last correction was shortened after F was evaluated */
    s->done = status == CARDAN_OK && is_at_rounding_level(s);
    if (s->done)
        return CARDAN_OK;
    newton->factors.there = false;
    if (status != CARDAN_OK)
        return status;
    return s->norm < 1.0
               ? end_with_diagnosis(
                     s,
                     "came to corrections below the tolerance that get no smaller, however "
                     "they are shortened,",
                     "are derivatives wrong, or has a force a kink here? Else try a smaller "
                     "step")
               : end_with_diagnosis(
                     s, "found no correction, however short, after which the next is smaller,",
                     "try a smaller step");
}

/* Ends a solve, with or without its last correction. */
static cardan_status end_solve(cd_solve *s, bool with_correction)
{
    if (with_correction)
        s->problem->correct(s->problem->self, s->newton->correction, 1.0);
    decide_on_reuse(s);
    return CARDAN_OK;
}

static cd_solve begin_solve(cd_newton *newton, const cd_newton_problem *problem,
                            cardan_error *error)
{
    cd_solve s = {.newton = newton, .problem = problem, .error = error};
    newton->factors.there = can_reuse_factors(newton);
    s.strategy = newton->full            ? CD_FULL_NEWTON
                 : newton->factors.there ? CD_REUSED_FACTORS
                                         : CD_FRESH_FACTORS;
    newton->record = (cd_newton_record){0};
    return s;
}

cardan_status cd_newton_solve(cd_newton *newton, const cd_newton_problem *problem,
                              cardan_error *error)
{
    cd_solve s = begin_solve(newton, problem, error);
    cardan_status status = evaluate_residual(&s); /* 2 residual */
    if (status == CARDAN_OK) {                    /* weights may depend on what was evaluated */
        newton->rounding.segments = 0;
        problem->weigh(problem->self, newton->weights, &newton->rounding);
    }
    while (status == CARDAN_OK && s.count < newton->max_iterations) {
        status = make_correction(&s); /* 3 iteration matrix, 4 factor, 5 solve */
        if (status != CARDAN_OK)
            return status;
        if (!isfinite(s.norm))
            return end_with_diagnosis(&s, "met a correction that is not finite",
                                      "try a smaller step");
        measure_rate(&s);
        if (has_converged(&s)) /* 6 converged? */
            return end_solve(&s, true);
        if (is_stalled(&s))
            return end_solve(&s, s.norm < s.previous);
        const bool slow = is_slow(&s);
        const bool wasted = slow && s.strategy == CD_REUSED_FACTORS && s.norm >= s.previous;
        s.third_last = s.previous;
        s.previous = s.norm;
        s.previous_motion = s.motion;
        if (slow)
            change_strategy(&s);
        if (wasted)
            continue;
        status = apply_correction(&s); /* 5 correct, and 2 again */
        if (status == CARDAN_OK && s.done)
            return end_solve(&s, false);
    }
    return status != CARDAN_OK ? status
                               : end_with_diagnosis(&s, "did not converge", "try a smaller step");
}
