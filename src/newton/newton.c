/* The corrector iteration; newton.h says how it decides. */
#include "newton.h"

#include "base/error.h"
#include "base/numeric.h"
#include "base/shared.h"

#include <stdio.h>
#include <string.h>

enum {
    TOLD = 6,             /* corrections that the sentence of a failure lists */
    ROUNDING_ERRORS = 64, /* of one operation's size may add up in a correction */
    FEW_ROWS = 1000,      /* of so many one may be louder by chance: its samples were lucky */
    PROBE = 4096,         /* of them is the iterate moved by to see what they do: F is to change in
                             proportion, and not because it is never the same twice */
    MAX_HALVINGS = 10,
    FURTHER_ITERATIONS = 5, /* if more are to be expected, the next way of going on is tried */
    FURTHER_WITH_OLD = 4,   /* that is what new factors cost */
    UNMEASURED = 4,         /* solves in a row that may trust the rate of earlier ones */
    FACTORING = 3,          /* iterations that a matrix with its factors costs about as much as */
};

static const double far_away = 5.0 / 3; /* ratio of step sizes that factors may serve for */
static const double accepted = 0.25;    /* of the tolerance, for the estimated remaining error */
static const double negligible = 1e-3;  /* of the tolerance: needs no rate */
static const double margin = 2.0;       /* of rates that earlier solves have shown */
static const double least_rate = 5e-5;  /* that is believed of them */
static const double forgetting = 0.7;   /* of a rate, by the next one that is seen */

/* How it goes on (newton.h). */
typedef enum cd_strategy {
    CD_REUSED_FACTORS,
    CD_FRESH_FACTORS,
    CD_FULL_NEWTON,
    CD_DAMPED_NEWTON
} cd_strategy;

/* One solve: how far it is and what to say if it fails. */
typedef struct cd_solve {
    cd_newton *newton;
    const cd_newton_problem *problem;
    cardan_error *error;
    cd_strategy use;
    double norm, previous; /* weighted maximum norms of the corrections; previous 0: none */
    double motion, previous_motion; /* of these, the part of the motion */
    double third_last;              /* the one before these; 0: none */
    bool seen;                      /* the rate of the factors, in this solve */
    bool measures;                  /* the first correction would have been enough */
    bool done;                      /* nothing better than the iterate can be found */
    int count;
    int before; /* of these, with earlier factors than the last */
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

void cd_newton_forget(cd_newton *newton)
{
    newton->factors.there = false;
}

void cd_newton_distrust(cd_newton *newton)
{
    newton->old_rate = newton->own_rate = (cd_rate){0};
}

void cd_newton_reset(cd_newton *newton)
{
    newton->factors = (cd_newton_factors){0};
    newton->noise_scale = 0.0;
    cd_newton_distrust(newton);
}

/* ---- factors ---- */

/* Are there factors of an earlier solve that may do for this one? */
static bool has_old_factors(const cd_newton *newton)
{
    const double ratio = newton->scale / newton->factors.scale;
    return newton->factors.there && cd_larger(ratio, 1.0 / ratio) <= far_away;
}

static cardan_status factor_matrix(const cd_newton *newton)
{
    const cd_activity before = cd_clock_switch(newton->clock, CD_FACTORING);
    const cardan_status status = cd_matrix_factor(newton->matrix);
    cd_clock_switch(newton->clock, before);
    return status;
}

/* Stages 3 and 4: makes factors at the iterate. */
static cardan_status factor(cd_solve *s)
{
    cd_newton *newton = s->newton;
    cardan_status status;
    newton->factors.there = false;
    s->before = s->count;
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

/* After a solve: factors are kept while a solve takes no more iterations than the solves so far on
 * average, what they cost included: the rule for replacing what wears out at least cost. */
static void judge_factors(cd_solve *s)
{
    cd_newton *newton = s->newton;
    cd_newton_factors *factors = &newton->factors;
    const int iterations = s->count - s->before - (s->measures && s->count == 2);
    newton->counts.last_iterations = s->count;
    if (s->use != CD_REUSED_FACTORS) {
        factors->spent = FACTORING + iterations;
        factors->solves = 1;
        return;
    }
    factors->there = iterations * factors->solves <= factors->spent;
    factors->spent += iterations;
    factors->solves++;
}

/* ---- corrections ---- */

/* Largest |x_i| / weight_i; NaN wins. */
static double weighted_norm(const cd_newton *newton, const double *x)
{
    return cd_shared_norm(cd_matrix_team(newton->matrix), newton->n, x, newton->weights);
}

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

static bool is_rounding(const cd_newton *newton, const double *x)
{
    for (int i = 0, stretch = 0; i < newton->n; i++)
        if (!(fabs(x[i]) <= ROUNDING_ERRORS * cd_rounding_at(&newton->rounding, i, &stretch)))
            return false;
    return true;
}

static cardan_status evaluate(cd_solve *s)
{
    s->newton->counts.residuals++;
    const cardan_status status = s->problem->residual(s->problem->self, s->newton->residual);
    s->newton->record.evaluated = status == CARDAN_OK;
    return status;
}

/* correction = -F'^-1 F; the largest |F_i|. */
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
    const int place = s->count % CD_NEWTON_RECORD;
    record->corrections[place] = s->norm;
    record->residuals[place] = largest_residual;
    record->iterations = ++s->count;
}

/* The row with the largest residual, and how the last corrections went. */
static cardan_status give_up(cd_solve *s, const char *reason, const char *advice)
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
    newton->factors.there = false;
    return cd_fail(s->error, CARDAN_NOT_CONVERGED,
                   "the corrector iteration %s after %d iterations (last corrections relative to "
                   "the tolerance:%s); the largest residual is in %s; %s",
                   reason, s->count, history, row, advice);
}

/* Moves the iterate by rounding errors in every unknown and back: lets noise[i] grow to what this
 * does to F_i. False if F cannot be evaluated there. */
static bool probe_rounding(cd_solve *s, unsigned seed)
{
    cd_newton *newton = s->newton;
    for (int i = 0, stretch = 0; i < newton->n; i++) {
        const double size = cd_rounding_at(&newton->rounding, i, &stretch);
        seed = seed * 1664525u + 1013904223u;
        newton->probe[i] = PROBE * size * ((double)(seed >> 8) / 0x1p23 - 1.0);
    }
    cd_copy(newton->n, newton->residual, newton->trial);
    s->problem->correct(s->problem->self, newton->probe, 1.0);
    const bool there = evaluate(s) == CARDAN_OK;
    for (int i = 0; there && i < newton->n; i++)
        newton->rounding_level[i] =
            fmax(newton->rounding_level[i], fabs(newton->residual[i] - newton->trial[i]));
    s->problem->correct(s->problem->self, newton->probe, -1.0);
    return evaluate(s) == CARDAN_OK && there;
}

/* Rows in which F at the iterate is more than rounding errors in the unknowns make of it. */
static int count_louder_rows(const cd_newton *newton)
{
    const double spread = (double)ROUNDING_ERRORS / PROBE;
    int count = 0;
    for (int i = 0; i < newton->n; i++)
        count += !(fabs(newton->residual[i]) <= spread * newton->rounding_level[i]);
    return count;
}

/* Three samples. Of many thousand rows some may have been lucky in all: if F is noise in all but a
 * few rows, these get more samples. */
static bool measure_noise(cd_solve *s)
{
    enum { SAMPLES = 3, MOST = 8 };
    cd_newton *newton = s->newton;
    cd_zero(newton->n, newton->rounding_level);
    newton->noise_scale = 0.0;
    for (unsigned seed = 1; seed <= MOST; seed++) {
        if (seed > SAMPLES) {
            const int louder = count_louder_rows(newton);
            if (louder == 0 || louder > newton->n / FEW_ROWS)
                break;
        }
        if (!probe_rounding(s, seed))
            return false;
    }
    newton->noise_scale = newton->scale;
    cd_arena_forget(newton->arena, newton->trial, 2 * (size_t)newton->n * sizeof(double));
    return true;
}

/* Then the iterate cannot be told from a solution and nothing better can be found, however large
 * the corrections are that a badly conditioned matrix makes of such an F. What was measured before,
 * with this step size, is asked first. */
static bool is_noise(cd_solve *s)
{
    cd_newton *newton = s->newton;
    const bool known = newton->noise_scale == newton->scale && count_louder_rows(newton) == 0;
    if (!known && !(measure_noise(s) && count_louder_rows(newton) == 0))
        return false;
    newton->counts.unresolved++;
    newton->counts.most_unresolved = fmax(newton->counts.most_unresolved, s->norm);
    return true;
}

/* Corrections no longer get smaller: because of rounding? Old factors may be the reason, too. */
static bool is_stalled(cd_solve *s)
{
    return s->use >= CD_FULL_NEWTON && s->previous > 0.0 && s->norm > 0.5 * s->previous &&
           is_noise(s);
}

/* Stage 5, after 3 and 4: makes a correction with the factors that are in use. */
static cardan_status make_correction(cd_solve *s)
{
    cd_newton *newton = s->newton;
    if (!newton->factors.there || s->use >= CD_FULL_NEWTON) {
        cardan_status status = factor(s);
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

/* How fast the motion converges. */
static double motion_rate(const cd_solve *s)
{
    return s->previous_motion > 0.0 ? s->motion / s->previous_motion : s->norm / s->previous;
}

/* How much of an error a correction leaves, with old factors at least what they showed lately.
 * Multipliers are part of F linearly: the second correction may be a thousand times smaller than
 * the first because only they were wrong. What the motion leaves comes back in them. */
static double rate_of(const cd_solve *s)
{
    const double now = cd_larger(motion_rate(s), s->norm / s->previous);
    return s->use == CD_REUSED_FACTORS ? cd_larger(now, s->newton->old_rate.value) : now;
}

static double left_after(double rate, double norm)
{
    return rate < 0.9 ? rate / (1.0 - rate) * norm : INFINITY;
}

static bool would_do_at_once(const cd_newton *newton, const cd_rate *rate, double norm)
{
    const double assumed = margin * cd_larger(rate->value, least_rate);
    return newton->coarse && rate->value > 0.0 && assumed * norm <= accepted;
}

/* A first correction shows no rate: that of earlier solves counts, for some solves. The next one
 * then has a second correction, only to measure it. */
static bool is_enough(cd_solve *s)
{
    const cd_newton *newton = s->newton;
    const cd_rate *rate = s->use == CD_REUSED_FACTORS ? &newton->old_rate : &newton->own_rate;
    if (s->use > CD_FRESH_FACTORS || !would_do_at_once(newton, rate, s->norm))
        return false;
    s->measures = rate->unmeasured >= UNMEASURED;
    return !s->measures;
}

/* Stage 6. */
static bool has_converged(cd_solve *s)
{
    const double enough = s->newton->coarse ? accepted : negligible;
    if (s->norm <= negligible)
        return true;
    if (s->previous == 0.0)
        return s->count == 1 && is_enough(s);
    if (s->norm > 0.5 * s->previous && is_rounding(s->newton, s->newton->correction))
        return true;
    if (s->norm <= accepted && s->previous <= accepted)
        return true;
    return left_after(rate_of(s), s->norm) <= enough;
}

/* At the rate of this solve, will it take too long to converge? */
static bool is_slow(const cd_solve *s)
{
    const bool old = s->use == CD_REUSED_FACTORS;
    const double further = old ? FURTHER_WITH_OLD : FURTHER_ITERATIONS;
    if (s->previous == 0.0)
        return false;
    const double rate = old && s->third_last > 0.0 ? sqrt(s->norm / s->third_last) : motion_rate(s);
    return rate >= 1.0 || log(s->norm / accepted) > -further * log(rate);
}

/* The first two corrections show the rate of the factors; not those that are less than the
 * tolerance, which may be rounding. */
static void observe_rate(cd_solve *s)
{
    cd_newton *newton = s->newton;
    cd_rate *rate = s->use == CD_REUSED_FACTORS ? &newton->old_rate : &newton->own_rate;
    if (s->use > CD_FRESH_FACTORS)
        return;
    if (s->count == 1)
        rate->unmeasured++;
    if (s->count == 1 || s->previous == 0.0 || (s->seen && s->norm <= accepted))
        return;
    rate->value =
        cd_larger(cd_larger(motion_rate(s), s->norm / s->previous), forgetting * rate->value);
    rate->unmeasured = 0;
    s->seen = true;
}

/* After slow convergence: the next way of going on. */
static void escalate(cd_solve *s)
{
    if (s->use == CD_REUSED_FACTORS)
        s->newton->counts.refreshes++;
    if (s->use < CD_DAMPED_NEWTON)
        s->use++;
    s->newton->factors.there = false;
    s->previous = s->previous_motion = s->third_last = 0.0;
}

/* Applies the correction; shortens it while F cannot be evaluated there or, at last, while
 * the next correction with the same factors is not smaller. Leaves F at the new iterate. What keeps
 * F from being evaluated even with the shortest correction is the reason of the failure. */
static cardan_status apply_correction(cd_solve *s)
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
            if (s->use < CD_DAMPED_NEWTON)
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
        status = evaluate(s); /* the last correction was shortened after F was evaluated */
    s->done = status == CARDAN_OK && is_noise(s);
    if (s->done)
        return CARDAN_OK;
    newton->factors.there = false;
    if (status != CARDAN_OK)
        return status;
    return s->norm < 1.0
               ? give_up(s,
                         "came to corrections below the tolerance that get no smaller, however "
                         "they are shortened,",
                         "are derivatives wrong, or has a force a kink here? Else try a smaller "
                         "step")
               : give_up(s, "found no correction, however short, after which the next is smaller,",
                         "try a smaller step");
}

/* The end of a solve, with or without its last correction. */
static cardan_status finish(cd_solve *s, bool with_correction)
{
    if (with_correction)
        s->problem->correct(s->problem->self, s->newton->correction, 1.0);
    judge_factors(s);
    return CARDAN_OK;
}

static cd_solve begin(cd_newton *newton, const cd_newton_problem *problem, cardan_error *error)
{
    cd_solve s = {.newton = newton, .problem = problem, .error = error};
    newton->factors.there = has_old_factors(newton);
    s.use = newton->full            ? CD_FULL_NEWTON
            : newton->factors.there ? CD_REUSED_FACTORS
                                    : CD_FRESH_FACTORS;
    newton->record = (cd_newton_record){0};
    return s;
}

cardan_status cd_newton_solve(cd_newton *newton, const cd_newton_problem *problem,
                              cardan_error *error)
{
    cd_solve s = begin(newton, problem, error);
    cardan_status status = evaluate(&s); /* 2 residual */
    if (status == CARDAN_OK) {           /* weights may depend on what was evaluated */
        newton->rounding.stretches = 0;
        problem->weigh(problem->self, newton->weights, &newton->rounding);
    }
    while (status == CARDAN_OK && s.count < newton->max_iterations) {
        status = make_correction(&s); /* 3 iteration matrix, 4 factor, 5 solve */
        if (status != CARDAN_OK)
            return status;
        if (!isfinite(s.norm))
            return give_up(&s, "met a correction that is not finite", "try a smaller step");
        observe_rate(&s);
        if (has_converged(&s)) /* 6 converged? */
            return finish(&s, true);
        if (is_stalled(&s))
            return finish(&s, s.norm < s.previous);
        const bool slow = is_slow(&s);
        const bool wasted = slow && s.use == CD_REUSED_FACTORS && s.norm >= s.previous;
        s.third_last = s.previous;
        s.previous = s.norm;
        s.previous_motion = s.motion;
        if (slow)
            escalate(&s);
        if (wasted)
            continue;
        status = apply_correction(&s); /* 5 correct, and 2 again */
        if (status == CARDAN_OK && s.done)
            return finish(&s, false);
    }
    return status != CARDAN_OK ? status : give_up(&s, "did not converge", "try a smaller step");
}
