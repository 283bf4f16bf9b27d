/* The corrector iteration; newton.h says how it decides. */
#include "solve.h"

#include "base/error.h"
#include "base/numeric.h"
#include "base/shared.h"

#include <stdio.h>
#include <string.h>

static const double negligible = 1e-3; /* of the tolerance: needs no estimate of the rate */

static const double shrunk = 0.1; /* of the first correction: the factors were good */

enum {
    TOLD = 6,             /* corrections that the sentence of a failure lists */
    ROUNDING_ERRORS = 64, /* of one operation's size may add up in a correction */
    FEW_ERRORS = 16,      /* more likely are so many */
    FEW_ROWS = 1000,      /* of so many one may be louder by chance: its samples were lucky */
    PROBE = 4096,         /* of them is the iterate moved by to see what they do: F is to change in
                             proportion, and not because it is never the same twice */
    MAX_HALVINGS = 10,
    FURTHER_ITERATIONS = 5, /* if more are to be expected, the next way of going on is tried */
    UNMEASURED = 4,         /* solves in a row that may trust the rate of earlier ones */
};

/* Where old factors have not shown their rates in this solve: at least this, and so many times what
 * they have shown before. */
static const double least_rate = 1e-3, margin = 2.0;
/* With factors of its own the rate is that at which the matrix changes within a step, and forgotten
 * so fast. */
static const double forgetting = 0.7;
/* Factors for another step size are tried if it was not further away than this, at first. The
 * matrix depends on it only through damping and stiffness; where these dominate, the rate is about
 * 1 - 1/ratio or worse, and the limit is halved until such factors pay. */
static const double most_rescaling = 2.0 / 3.0;

bool cd_newton_init(cd_newton *newton, cd_arena *arena, cd_matrix *matrix, cd_clock *clock, int n,
                    int max_iterations)
{
    *newton = (cd_newton){.n = n,
                          .max_iterations = max_iterations,
                          .matrix = matrix,
                          .clock = clock,
                          .arena = arena,
                          .scale = 1.0,
                          .floor = {.parts = 1, .end = {n}},
                          .rescaling = most_rescaling,
                          .backoff = 1};
    newton->residual = cd_arena_vector(arena, n);
    newton->correction = cd_arena_vector(arena, n);
    newton->trial = cd_arena_take(arena, 2 * (size_t)n * sizeof(double));
    newton->probe = newton->trial != NULL ? newton->trial + n : NULL;
    newton->weights = cd_arena_vector(arena, n);
    newton->noise = cd_arena_doubles(arena, n);
    return !arena->failed;
}

void cd_newton_forget(cd_newton *newton)
{
    newton->factors.there = false;
}

void cd_newton_distrust(cd_newton *newton)
{
    cd_rates_forget(&newton->rates);
    newton->own_rate = 0.0;
}

void cd_newton_reset(cd_newton *newton)
{
    newton->factors = (cd_newton_factors){0};
    newton->noise_scale = 0.0;
    cd_floor_forget(&newton->floor);
    cd_newton_distrust(newton);
    newton->rescaling = most_rescaling;
    newton->wait = 0;
    newton->backoff = 1;
}

/* Largest |x_i| / weight_i; NaN wins. */
static double weighted_norm(const cd_newton *newton, const double *x)
{
    return cd_shared_norm(cd_matrix_team(newton->matrix), newton->n, x, newton->weights);
}

/* The same of the correction, also part by part. */
static void measure_correction(cd_solve *s)
{
    const cd_newton *newton = s->newton;
    const cd_floor *floor = &newton->floor;
    double largest = 0.0;
    for (int part = 0, i = 0; part < floor->parts; i = floor->end[part++]) {
        s->sizes[part] = cd_shared_norm(cd_matrix_team(newton->matrix), floor->end[part] - i,
                                        newton->correction + i, newton->weights + i);
        if (!(s->sizes[part] <= largest) && !isnan(largest))
            largest = s->sizes[part];
    }
    if (newton->rates.parts == 1)
        s->sizes[0] = largest;
    s->norm = largest;
}

/* `share`: of the sizes that rounding has at most. */
static bool is_rounding(const cd_newton *newton, const double *x, double share)
{
    const cd_rounding *rounding = &newton->rounding;
    const double most = ROUNDING_ERRORS * share;
    for (int i = 0, s = 0; s < rounding->stretches; s++)
        for (; i < rounding->end[s]; i++) {
            const double size = rounding->each != NULL ? rounding->each[i] : rounding->size[s];
            if (!(fabs(x[i]) <= most * size))
                return false;
        }
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
static bool probe_noise(cd_solve *s, unsigned seed)
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
        newton->noise[i] = fmax(newton->noise[i], fabs(newton->residual[i] - newton->trial[i]));
    s->problem->correct(s->problem->self, newton->probe, -1.0);
    return evaluate(s) == CARDAN_OK && there;
}

/* Rows in which F at the iterate is more than so many errors in the unknowns make of it; of single
 * ones, while there may still be another reason why corrections do not get smaller. */
static int count_louder_rows(const cd_solve *s, int errors)
{
    const cd_newton *newton = s->newton;
    const double repeated = s->mode < CD_FULL_NEWTON ? newton->rounding.repeated : 1.0;
    const double spread = errors / (PROBE * repeated);
    int count = 0;
    for (int i = 0; i < newton->n; i++)
        count += !(fabs(newton->residual[i]) <= spread * newton->noise[i]);
    return count;
}

/* Then the iterate cannot be told from a solution and nothing better can be found, however large
 * the corrections are that a badly conditioned matrix makes of such an F. */
static bool is_noise(const cd_solve *s)
{
    return count_louder_rows(s, ROUNDING_ERRORS) == 0;
}

/* Three samples. Of many thousand rows some may have been lucky in all: if F is noise in all but a
 * few rows, these get more samples. */
static bool measure_noise(cd_solve *s)
{
    enum { SAMPLES = 3, MOST = 8 };
    cd_newton *newton = s->newton;
    cd_zero(newton->n, newton->noise);
    newton->noise_scale = 0.0;
    for (unsigned seed = 1; seed <= MOST; seed++) {
        if (seed > SAMPLES) {
            const int louder = count_louder_rows(s, ROUNDING_ERRORS);
            if (louder == 0 || louder > newton->n / FEW_ROWS)
                break;
        }
        if (!probe_noise(s, seed))
            return false;
    }
    newton->noise_scale = newton->scale;
    cd_arena_forget(newton->arena, newton->trial, 2 * (size_t)newton->n * sizeof(double));
    return true;
}

static void ask_weights(const cd_solve *s)
{
    cd_newton *newton = s->newton;
    newton->rounding.stretches = 0;
    newton->rounding.repeated = 1.0;
    s->problem->weigh(s->problem->self, newton->weights, &newton->rounding);
}

/* Where rounding was more than the tolerance, the weights are made so large that the convergence
 * test passes as soon as corrections are rounding. Not with tight tolerances: all is wanted then
 * that can be had. */
static void weigh(cd_solve *s)
{
    cd_newton *newton = s->newton;
    ask_weights(s);
    if (!newton->coarse)
        return;
    s->floor = cd_floor_raise(&newton->floor, CD_ACCEPT_BELOW, newton->weights);
    s->noise = s->floor > CD_ACCEPT_BELOW ? CD_ACCEPT_BELOW : 0.0;
}

/* The correction is rounding, and so may the rates be that were seen here and, if nobody knew, in
 * earlier solves. */
static void take_floor(cd_solve *s)
{
    cd_newton *newton = s->newton;
    cd_newton_counts *counts = &newton->counts;
    cd_floor_learn(&newton->floor, newton->correction);
    ask_weights(s);
    counts->unresolved++;
    counts->most_unresolved =
        fmax(counts->most_unresolved, weighted_norm(newton, newton->correction));
    if (s->noise == 0.0)
        cd_rates_forget(&newton->rates);
    s->seen = false;
}

/* May corrections that no longer get smaller be rounding? With coarse tolerances and old factors
 * that is looked at only if they did get smaller before, once for every step size. */
static bool may_be_noise(const cd_solve *s)
{
    const cd_newton *newton = s->newton;
    const bool shrank = s->norm <= shrunk * newton->record.corrections[0];
    return s->mode >= CD_FULL_NEWTON ||
           (newton->coarse && shrank && newton->noise_scale != newton->scale);
}

/* Corrections no longer get smaller: because of rounding? What was measured before is asked
 * first. Rates that are only bad may be those of old factors. */
static bool is_stalled(cd_solve *s)
{
    const cd_newton *newton = s->newton;
    const double least = newton->coarse && s->mode < CD_FULL_NEWTON ? 0.7 : 0.5;
    if (s->previous == 0.0 || !(s->norm > least * s->previous))
        return false;
    bool noise = newton->noise_scale == newton->scale && is_noise(s);
    if (!noise && may_be_noise(s))
        noise = measure_noise(s) && is_noise(s);
    if (noise)
        take_floor(s);
    return noise;
}

/* Makes a correction with the factors that the mode asks for. */
static cardan_status make_correction(cd_solve *s)
{
    cd_newton *newton = s->newton;
    if (!newton->factors.there || s->mode >= CD_FULL_NEWTON) {
        cardan_status status = cd_newton_factor(s);
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

/* Is it known how factors of this age, or of another one, reduce errors? */
static bool knows_rates(const cd_solve *s)
{
    const cd_newton *newton = s->newton;
    return s->mode == CD_OLD_FACTORS && newton->rates.known &&
           newton->scale == newton->factors.scale;
}

/* The rate at which corrections have come to the size of `norm`; with old factors that of the last
 * two, if there are: errors of the motion and of multipliers pass into each other there, and one
 * of them may be small by chance. */
static double rate_of(const cd_solve *s, double norm)
{
    const bool two = s->mode == CD_OLD_FACTORS && s->third_last > 0.0;
    return two ? sqrt(norm / s->third_last) : norm / s->previous;
}

/* A single correction shows no rates: what earlier solves have shown counts, for some solves. */
static bool is_enough(const cd_solve *s)
{
    const cd_newton *newton = s->newton;
    if (s->mode == CD_OWN_FACTORS && s->count == 1)
        return newton->own_unmeasured <= UNMEASURED && cd_newton_would_do_at_once(newton, s->norm);
    return s->newton->coarse && knows_rates(s) && s->newton->factors.unmeasured < UNMEASURED &&
           cd_larger(least_rate * s->norm, cd_newton_left_after(s, margin, s->sizes)) <=
               CD_ACCEPT_BELOW;
}

/* Corrections no longer get smaller, and are no larger than rounding may make them. */
static bool ends_in_rounding(const cd_solve *s)
{
    return s->previous > 0.0 && s->norm > 0.5 * s->previous &&
           is_rounding(s->newton, s->newton->correction, 1.0);
}

/* Old factors may be why corrections do not get smaller: with these only what single errors make
 * counts. */
static bool shows_floor(const cd_solve *s)
{
    const cd_newton *newton = s->newton;
    return newton->coarse && s->norm > CD_ACCEPT_BELOW && ends_in_rounding(s) &&
           (s->mode != CD_OLD_FACTORS ||
            is_rounding(newton, newton->correction, 1.0 / newton->rounding.repeated));
}

/* By the rate of the last two corrections, and by what is known of all parts: one may shrink faster
 * than others. With coarse tolerances that alone says enough. */
static bool has_converged(const cd_solve *s)
{
    const bool coarse = s->newton->coarse, known = knows_rates(s);
    const double enough = coarse ? CD_ACCEPT_BELOW : negligible;
    if (s->norm <= negligible)
        return true;
    if (s->previous == 0.0)
        return is_enough(s);
    if (ends_in_rounding(s))
        return true;
    if (s->norm <= CD_ACCEPT_BELOW && s->previous <= CD_ACCEPT_BELOW)
        return true;
    if (known && !(cd_newton_left_after(s, 1.0, s->sizes) <= enough))
        return false;
    if (coarse && known)
        return true;
    const double rate = s->norm / s->previous;
    return rate < 1.0 && rate / (1.0 - rate) * s->norm <= enough;
}

/* At the rate seen, will it take too long to converge? With old factors: longer than new ones
 * would. */
static bool is_slow(const cd_solve *s)
{
    const cd_newton *newton = s->newton;
    const int further = s->mode == CD_OLD_FACTORS ? CD_FACTORS_COST / 2 + 2 : FURTHER_ITERATIONS;
    if (s->previous == 0.0)
        return false;
    if (newton->coarse && knows_rates(s))
        return cd_rates_further(&newton->rates, newton->factors.age, s->sizes, CD_ACCEPT_BELOW,
                                further) >= further;
    const double rate = rate_of(s, s->norm);
    return rate >= 1.0 || log(s->norm / CD_ACCEPT_BELOW) > -further * log(rate);
}

/* The first two corrections show how far the matrix changes within a step. */
static void observe_own_rate(const cd_solve *s)
{
    cd_newton *newton = s->newton;
    if (s->count == 1)
        newton->own_unmeasured++;
    if (s->count != 2 || s->previous == 0.0)
        return;
    newton->own_unmeasured = 0;
    newton->own_rate = cd_larger(s->norm / s->previous, forgetting * newton->own_rate);
    newton->own_rate = cd_larger(newton->own_rate, least_rate / CD_OWN_MARGIN);
}

/* Rates of corrections that are small against the tolerance may be those of rounding errors. */
static void observe_rate(cd_solve *s)
{
    cd_newton *newton = s->newton;
    if (s->mode == CD_OWN_FACTORS)
        observe_own_rate(s);
    const bool shows = s->norm > CD_ACCEPT_BELOW || (!s->seen && s->noise == 0.0);
    if (s->count == 1)
        memcpy(s->first_sizes, s->sizes, sizeof s->sizes);
    if (s->mode != CD_OLD_FACTORS || s->previous == 0.0 || !shows ||
        newton->scale != newton->factors.scale)
        return;
    cd_rates_see(&newton->rates, newton->factors.age, s->previous_sizes, s->sizes, s->noise);
    s->seen = true;
}

/* Factors that were made where the solve began may be bad only because that was far away: then one
 * more set may do, nearer to the solution. Not if corrections are rounding, for all that is known.
 */
static bool may_renew(const cd_solve *s)
{
    return s->mode == CD_OWN_FACTORS && !s->renewed &&
           (s->newton->coarse || s->norm < 0.5 * s->previous);
}

/* After slow convergence: the next way of going on. */
static void escalate(cd_solve *s)
{
    if (s->mode == CD_OLD_FACTORS)
        s->newton->counts.refreshes++;
    s->newton->factors.there = false;
    if (may_renew(s))
        s->renewed = true;
    else if (s->mode < CD_SHORTENED)
        s->mode++;
    s->previous = s->third_last = 0.0;
}

/* Applies the correction; shortens it while F cannot be evaluated there or, in the last mode, while
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
            if (s->mode < CD_SHORTENED)
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
    s->done = status == CARDAN_OK && measure_noise(s) && is_noise(s);
    if (s->done) {
        take_floor(s);
        return CARDAN_OK;
    }
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
    cd_newton_judge_factors(s);
    return CARDAN_OK;
}

static cd_way first_mode(const cd_newton *newton, bool had_factors)
{
    return newton->full ? CD_FULL_NEWTON : had_factors ? CD_OLD_FACTORS : CD_OWN_FACTORS;
}

static cd_solve begin(cd_newton *newton, const cd_newton_problem *problem, cardan_error *error)
{
    cd_solve s = {.newton = newton, .problem = problem, .error = error};
    s.had_factors = cd_newton_has_old_factors(newton);
    s.served = newton->factors.solves;
    s.rescaling = s.had_factors ? cd_newton_rescaling(newton) : 0.0;
    s.mode = first_mode(newton, s.had_factors);
    newton->factors.there = s.had_factors;
    newton->factors.age++;
    newton->rates.parts = newton->n > CD_AS_ONE ? newton->floor.parts : 1;
    newton->record = (cd_newton_record){0};
    return s;
}

/* Converged, or nothing better can be found. */
static bool is_done(cd_solve *s, bool *with_correction)
{
    *with_correction = true;
    observe_rate(s);
    if (has_converged(s)) {
        if (shows_floor(s))
            take_floor(s);
        else
            s->newton->counts.unresolved += s->floor > 1.0;
        return true;
    }
    const bool stalled = is_stalled(s);
    *with_correction = !stalled || s->norm < s->previous;
    return stalled;
}

cardan_status cd_newton_solve(cd_newton *newton, const cd_newton_problem *problem,
                              cardan_error *error)
{
    cd_solve s = begin(newton, problem, error);
    bool with_correction;
    cardan_status status = evaluate(&s);
    if (status == CARDAN_OK) /* weights may depend on what was evaluated */
        weigh(&s);
    while (status == CARDAN_OK && s.count < newton->max_iterations) {
        status = make_correction(&s);
        if (status != CARDAN_OK)
            return status;
        if (!isfinite(s.norm))
            return give_up(&s, "met a correction that is not finite", "try a smaller step");
        if (is_done(&s, &with_correction))
            return finish(&s, with_correction);
        if (is_slow(&s)) {
            const bool wasted = s.mode == CD_OLD_FACTORS && s.norm >= s.previous;
            escalate(&s);
            if (wasted)
                continue;
        } else {
            s.third_last = s.previous;
            s.previous = s.norm;
            memcpy(s.previous_sizes, s.sizes, sizeof s.sizes);
        }
        status = apply_correction(&s);
        if (status == CARDAN_OK && s.done)
            return finish(&s, false);
    }
    return status != CARDAN_OK ? status : give_up(&s, "did not converge", "try a smaller step");
}
