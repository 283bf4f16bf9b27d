/* The corrector iteration; newton.h says how it decides. */
#include "newton/newton.h"

#include "base/error.h"
#include "base/numeric.h"

#include <stdio.h>

static const double accept_below = 0.33; /* of the tolerance, for the estimated remaining error */
static const double negligible = 1e-3;   /* of the tolerance: needs no estimate of the rate */

enum {
    TOLD = 6,             /* corrections that the sentence of a failure lists */
    ROUNDING_ERRORS = 64, /* of one operation's size may add up in a correction */
    NOISE_SPREAD = 512,   /* times the noise that a few samples show, noise may be */
    MAX_HALVINGS = 10,
    FURTHER_ITERATIONS = 5, /* if more are to be expected, the next way of going on is tried */
    EXTRA_ITERATIONS = 2, /* what keeping old factors may cost; a factorization costs about that */
    LONGEST_WAIT = 64
};

/* Tolerances: what rounding may spoil before it is called a failure. Next to a singular
 * configuration multipliers grow beyond all bounds and lose all their digits (1e10 tolerances),
 * while the motion keeps its own. */
static const double most_noise = 1e11;

typedef enum mode { OLD_FACTORS, OWN_FACTORS, FULL_NEWTON, SHORTENED } mode;

/* One solve: how far it is and what to say if it fails. */
typedef struct solve {
    cd_newton *newton;
    const cd_newton_problem *problem;
    cardan_error *error;
    mode mode;
    double norm, previous; /* weighted maximum norms of the corrections; previous 0: none */
    bool at_rounding;      /* the correction is as small as rounding allows */
    bool done;             /* nothing better than the iterate can be found */
    int count;
} solve;

bool cd_newton_init(cd_newton *newton, cd_arena *arena, cd_matrix *matrix, cd_clock *clock, int n,
                    int max_iterations)
{
    *newton = (cd_newton){
        .n = n, .max_iterations = max_iterations, .matrix = matrix, .clock = clock, .backoff = 1};
    newton->residual = cd_arena_doubles(arena, n);
    newton->correction = cd_arena_doubles(arena, n);
    newton->trial = cd_arena_doubles(arena, n);
    newton->probe = cd_arena_doubles(arena, n);
    newton->weights = cd_arena_doubles(arena, n);
    newton->rounding = cd_arena_doubles(arena, n);
    return !arena->failed;
}

void cd_newton_forget(cd_newton *newton)
{
    newton->factored = false;
}

void cd_newton_reset(cd_newton *newton)
{
    newton->factored = false;
    newton->fresh_iterations = newton->wait = 0;
    newton->backoff = 1;
}

/* Largest |x_i| / weight_i; NaN wins. */
static double weighted_norm(const cd_newton *newton, const double *x)
{
    double norm = 0.0;
    for (int i = 0; i < newton->n; i++) {
        const double size = fabs(x[i]) / newton->weights[i];
        if (!(size <= norm))
            norm = size;
    }
    return norm;
}

static bool is_rounding(const cd_newton *newton, const double *x)
{
    for (int i = 0; i < newton->n; i++)
        if (!(fabs(x[i]) <= ROUNDING_ERRORS * newton->rounding[i]))
            return false;
    return true;
}

static cardan_status evaluate(solve *s)
{
    s->newton->counts.residuals++;
    const cardan_status status = s->problem->residual(s->problem->self, s->newton->residual);
    s->newton->record.evaluated = status == CARDAN_OK;
    return status;
}

static cardan_status factor(solve *s)
{
    cd_newton *newton = s->newton;
    cardan_status status;
    newton->factored = false;
    do {
        newton->counts.matrices++;
        status = s->problem->assemble(s->problem->self, newton->matrix);
        if (status != CARDAN_OK)
            return status;
        const cd_activity before = cd_clock_switch(newton->clock, CD_FACTORING);
        status = cd_matrix_factor(newton->matrix);
        cd_clock_switch(newton->clock, before);
    } while (status != CARDAN_OK && cd_matrix_retry(newton->matrix));
    newton->counts.factorizations++;
    if (status != CARDAN_OK)
        return cd_fail(
            s->error, status,
            "the iteration matrix is singular; try another step size, or look for constraints "
            "that have become dependent");
    newton->factored = true;
    return CARDAN_OK;
}

/* correction = -F'^-1 F */
static void solve_correction(const cd_newton *newton, double *correction)
{
    for (int i = 0; i < newton->n; i++)
        correction[i] = -newton->residual[i];
    const cd_activity before = cd_clock_switch(newton->clock, CD_SOLVING);
    cd_matrix_solve(newton->matrix, correction);
    cd_clock_switch(newton->clock, before);
}

static void record_iteration(solve *s)
{
    cd_newton_record *record = &s->newton->record;
    const int place = s->count % CD_NEWTON_RECORD;
    record->corrections[place] = s->norm;
    record->residuals[place] = cd_max_abs(s->newton->n, s->newton->residual);
    record->iterations = ++s->count;
}

/* The row with the largest residual, and how the last corrections went. */
static cardan_status give_up(solve *s, const char *reason)
{
    cd_newton *newton = s->newton;
    char row[128] = "?", history[160] = "";
    int worst = 0, used = 0;
    for (int i = 1; i < newton->n; i++)
        if (fabs(newton->residual[i]) > fabs(newton->residual[worst]))
            worst = i;
    s->problem->name_row(s->problem->self, worst, row, sizeof row);
    for (int i = s->count < TOLD ? 0 : s->count - TOLD; i < s->count; i++)
        used += snprintf(history + used, sizeof history - (size_t)used, " %.2g",
                         newton->record.corrections[i % CD_NEWTON_RECORD]);
    newton->factored = false;
    return cd_fail(s->error, CARDAN_NOT_CONVERGED,
                   "the corrector iteration %s after %d iterations (last corrections relative to "
                   "the tolerance:%s); the largest residual is in %s; try a smaller step",
                   reason, s->count, history, row);
}

/* Moves the iterate by some rounding errors in every unknown and back: what this does to the
 * correction with the same factors, beyond undoing the move, is what rounding does there. It is as
 * many times larger than a rounding error as the matrix is badly conditioned, next to a singular
 * configuration for example. Negative if F cannot be evaluated. */
static double measure_noise(solve *s, unsigned seed)
{
    cd_newton *newton = s->newton;
    double noise = 0.0;
    for (int i = 0; i < newton->n; i++) {
        seed = seed * 1664525u + 1013904223u;
        newton->probe[i] = 16.0 * newton->rounding[i] * ((double)(seed >> 8) / 0x1p23 - 1.0);
    }
    s->problem->correct(s->problem->self, newton->probe, 1.0);
    if (evaluate(s) == CARDAN_OK) {
        solve_correction(newton, newton->trial);
        for (int i = 0; i < newton->n; i++)
            newton->trial[i] += newton->probe[i] - newton->correction[i];
        noise = weighted_norm(newton, newton->trial);
    } else {
        noise = -1.0;
    }
    s->problem->correct(s->problem->self, newton->probe, -1.0);
    return evaluate(s) == CARDAN_OK ? noise : -1.0;
}

/* Before giving up: is the correction at the iterate no more than what rounding makes of it? Then
 * nothing better can be found. The factors are those of a point nearby. */
static bool is_noise(solve *s)
{
    cd_newton *newton = s->newton;
    double noise = 0.0;
    if (evaluate(s) != CARDAN_OK) /* the last correction was shortened after F was evaluated */
        return false;
    solve_correction(newton, newton->correction);
    const double norm = weighted_norm(newton, newton->correction);
    if (!(norm <= most_noise))
        return false;
    for (unsigned seed = 1; seed <= 3; seed++) {
        const double seen = measure_noise(s, seed);
        if (seen < 0.0)
            return false;
        noise = fmax(noise, seen);
    }
    if (!(norm <= NOISE_SPREAD * noise))
        return false;
    newton->counts.unresolved++;
    newton->counts.most_unresolved = fmax(newton->counts.most_unresolved, norm);
    return true;
}

/* Makes a correction with the factors that the mode asks for. */
static cardan_status make_correction(solve *s)
{
    cd_newton *newton = s->newton;
    if (!newton->factored || s->mode >= FULL_NEWTON) {
        cardan_status status = factor(s);
        if (status != CARDAN_OK)
            return status;
    } else {
        newton->counts.reuses++;
    }
    solve_correction(newton, newton->correction);
    s->norm = weighted_norm(newton, newton->correction);
    s->at_rounding = is_rounding(newton, newton->correction);
    record_iteration(s);
    newton->counts.iterations++;
    return CARDAN_OK;
}

static bool has_converged(const solve *s)
{
    if (s->norm <= negligible)
        return true;
    if (s->previous == 0.0)
        return false;
    if (s->at_rounding && s->norm > 0.5 * s->previous)
        return true;
    if (s->norm <= accept_below && s->previous <= accept_below)
        return true;
    if (!(s->norm < s->previous))
        return false;
    const double rate = s->norm / s->previous;
    return rate / (1.0 - rate) * s->norm <= accept_below;
}

/* At the rate seen, will it take too long to converge? */
static bool is_slow(const solve *s)
{
    if (s->previous == 0.0)
        return false;
    const double rate = s->norm / s->previous;
    return rate >= 1.0 || log(s->norm / accept_below) > -FURTHER_ITERATIONS * log(rate);
}

/* After slow convergence: the next way of going on. Old factors are dropped before the correction
 * they gave is applied. */
static void escalate(solve *s)
{
    if (s->mode == OLD_FACTORS)
        s->newton->counts.refreshes++;
    s->newton->factored = false;
    if (s->mode < SHORTENED)
        s->mode++;
    s->previous = 0.0;
}

/* Applies the correction; shortens it while F cannot be evaluated there or, in the last mode, while
 * the next correction with the same factors is not smaller. Leaves F at the new iterate. What keeps
 * F from being evaluated even with the shortest correction is the reason of the failure. */
static cardan_status apply_correction(solve *s)
{
    cd_newton *newton = s->newton;
    double length = 1.0;
    cardan_status status = CARDAN_OK;
    s->problem->correct(s->problem->self, newton->correction, 1.0);
    for (int i = 0; i < MAX_HALVINGS; i++) {
        status = evaluate(s);
        if (status < 0)
            return status;
        if (status == CARDAN_OK) {
            if (s->mode < SHORTENED)
                return CARDAN_OK;
            solve_correction(newton, newton->trial);
            if (weighted_norm(newton, newton->trial) <= (1.0 - 0.25 * length) * s->norm)
                return CARDAN_OK;
        }
        newton->counts.line_searches++;
        s->problem->correct(s->problem->self, newton->correction, -0.5 * length);
        length *= 0.5;
    }
    if (status != CARDAN_OK || !is_noise(s)) {
        newton->factored = false;
        return status != CARDAN_OK ? status
                                   : give_up(s, "diverged even with shortened corrections");
    }
    s->done = true;
    return CARDAN_OK;
}

/* Decides whether the factors are worth keeping for the next solve. */
static void finish(solve *s, bool had_factors)
{
    cd_newton *newton = s->newton;
    newton->counts.last_iterations = s->count;
    if (!had_factors) {
        newton->fresh_iterations = s->count;
        newton->factored = newton->factored && newton->wait == 0;
        if (newton->wait > 0)
            newton->wait--;
    } else if (s->mode > OLD_FACTORS || s->count > newton->fresh_iterations + EXTRA_ITERATIONS) {
        newton->wait = newton->backoff;
        newton->backoff = newton->backoff < LONGEST_WAIT ? 2 * newton->backoff : LONGEST_WAIT;
        newton->factored = false;
    } else {
        newton->backoff = 1;
    }
}

cardan_status cd_newton_solve(cd_newton *newton, const cd_newton_problem *problem,
                              cardan_error *error)
{
    const bool had_factors = newton->factored;
    solve s = {.newton = newton, .problem = problem, .error = error};
    s.mode = had_factors ? OLD_FACTORS : OWN_FACTORS;
    newton->record = (cd_newton_record){0};
    cardan_status status = evaluate(&s);
    if (status == CARDAN_OK) /* weights may depend on what was evaluated */
        problem->weigh(problem->self, newton->weights, newton->rounding);
    while (status == CARDAN_OK && s.count < newton->max_iterations) {
        status = make_correction(&s);
        if (status != CARDAN_OK)
            return status;
        if (!isfinite(s.norm))
            return give_up(&s, "met a correction that is not finite");
        if (has_converged(&s)) {
            problem->correct(problem->self, newton->correction, 1.0);
            finish(&s, had_factors);
            return CARDAN_OK;
        }
        const bool slow = is_slow(&s);
        s.previous = s.norm;
        if (slow) {
            const bool wasted = s.mode == OLD_FACTORS;
            escalate(&s);
            if (wasted)
                continue;
        }
        status = apply_correction(&s);
        if (status == CARDAN_OK && s.done) {
            finish(&s, had_factors);
            return CARDAN_OK;
        }
    }
    return status != CARDAN_OK ? status : give_up(&s, "did not converge");
}
