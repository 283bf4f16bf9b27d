/* The factors of the corrector: what they are made of, and how long they are kept. */
#include "solve.h"

#include "base/error.h"
#include "base/numeric.h"

enum {
    FACTORING = 2,      /* iterations that a matrix with its factors costs about as much as */
    MOST_WITH_PART = 2, /* iterations with factors that are new in a part only */
    LONGEST_WAIT = 64
};

static const double tree_cost = 0.6;   /* iterations: of the second matrix of ga2s */
static const double nearly_free = 0.1; /* iterations */
static const double own_room = 2.0;    /* for the size of corrections that were enough */
static const double least_rescaling =
    0.04; /* how far away step sizes of factors may be, at least */

void cd_newton_lose_factors(cd_newton *newton)
{
    newton->factors.there = false;
    newton->locality.scale = 0.0;
    cd_matrix_forget_part(newton->matrix);
}

double cd_newton_rescaling(const cd_newton *newton)
{
    const double ratio = newton->scale / newton->factors.scale;
    return cd_larger(ratio, 1.0 / ratio) - 1.0;
}

bool cd_newton_has_old_factors(const cd_newton *newton)
{
    return newton->factors.there && cd_newton_rescaling(newton) <= newton->rescaling;
}

static cardan_status factor_matrix(const cd_newton *newton)
{
    const cd_activity before = cd_clock_switch(newton->clock, CD_FACTORING);
    const cardan_status status = cd_matrix_factor(newton->matrix);
    cd_clock_switch(newton->clock, before);
    return status;
}

static cardan_status factor_whole(cd_solve *s)
{
    cd_newton *newton = s->newton;
    cardan_status status;
    do {
        newton->counts.matrices++;
        status = s->problem->assemble(s->problem->self, newton->matrix);
        if (status != CARDAN_OK) {
            cd_newton_lose_factors(newton);
            return status;
        }
        status = factor_matrix(newton);
    } while (status != CARDAN_OK && cd_matrix_retry(newton->matrix));
    newton->counts.factorizations++;
    if (status != CARDAN_OK) {
        cd_newton_lose_factors(newton);
        return cd_fail(
            s->error, status,
            "the iteration matrix is singular; try another step size, or look for constraints "
            "that have become dependent");
    }
    newton->locality.scale = newton->scale;
    newton->factors = (cd_newton_factors){.there = true, .scale = newton->scale, .cost = FACTORING};
    return CARDAN_OK;
}

double cd_newton_next_cost(const cd_newton *newton)
{
    const double share = cd_matrix_part_share(newton->matrix);
    const double tree = cd_matrix_has_tree(newton->matrix) ? tree_cost : 0.0;
    return share > 0.0 ? FACTORING * share + tree : FACTORING;
}

/* May a part of the factors be made anew while the others stay? Not if that has been tried for this
 * solve. */
static bool may_do_with_part(const cd_solve *s)
{
    const cd_newton *newton = s->newton;
    return s->mode <= CD_OWN_FACTORS && !s->renewed && newton->locality.scale == newton->scale &&
           cd_matrix_part_share(newton->matrix) > 0.0;
}

static cardan_status factor_part(cd_solve *s)
{
    cd_newton *newton = s->newton;
    newton->counts.partial++;
    cd_matrix_open_part(newton->matrix);
    cardan_status status = s->problem->assemble(s->problem->self, newton->matrix);
    if (status == CARDAN_OK)
        status = factor_matrix(newton);
    if (status != CARDAN_OK) {
        cd_newton_lose_factors(newton);
        return status;
    }
    newton->factors = (cd_newton_factors){.there = true,
                                          .scale = newton->scale,
                                          .cost = cd_newton_next_cost(newton),
                                          .partial = true};
    return CARDAN_OK;
}

cardan_status cd_newton_factor(cd_solve *s)
{
    s->newton->factors.there = false;
    s->before = s->count;
    if (may_do_with_part(s)) {
        const cardan_status status = factor_part(s);
        if (status != CARDAN_SINGULAR_MATRIX)
            return status;
    }
    return factor_whole(s);
}

bool cd_newton_would_do_at_once(const cd_newton *newton, double norm)
{
    if (!newton->coarse || newton->own_rate == 0.0)
        return false;
    const bool large = cd_matrix_part_share(newton->matrix) > 0.0;
    return CD_OWN_MARGIN * newton->own_rate * norm <= CD_ACCEPT_BELOW ||
           (large && own_room * norm <= newton->own_enough);
}

/* Old factors did not pay: new ones are made for the next solves, twice as many every time. */
static void avoid_old_factors(cd_newton *newton)
{
    newton->wait = newton->backoff;
    newton->backoff = newton->backoff < LONGEST_WAIT ? 2 * newton->backoff : LONGEST_WAIT;
    newton->factors.there = false;
}

/* Factors for another step size did not pay. */
static void limit_rescaling(cd_newton *newton, double rescaling)
{
    if (rescaling > 0.0)
        newton->rescaling = fmax(least_rescaling, 0.5 * rescaling);
}

/* Iterations that would have done if the rate had been known before. */
static int needed_iterations(const cd_solve *s)
{
    const bool spare =
        s->count == 2 && s->seen && cd_newton_left_after(s, 1.0, s->first_sizes) <= CD_ACCEPT_BELOW;
    return spare ? 1 : s->count;
}

/* New factors cost next to nothing if a part will do: then every solve gets its own. */
static bool are_nearly_free(const cd_newton *newton)
{
    return cd_newton_next_cost(newton) < nearly_free;
}

/* After a solve with factors that were new in a part only. If it took more than a few iterations,
 * the part is not where the matrix has changed. */
static void judge_part(const cd_solve *s)
{
    cd_newton *newton = s->newton;
    const int count = s->count - s->before;
    const int needed = count > 1 && s->norm <= CD_ACCEPT_BELOW ? count - 1 : count;
    newton->factors.spent = newton->factors.cost + needed;
    if (needed > MOST_WITH_PART) {
        cd_newton_lose_factors(newton);
    } else if (are_nearly_free(newton)) {
        newton->factors.there = false;
    }
}

/* After a solve with old factors: they are worth keeping while a solve takes no more iterations
 * than the solves so far on average, what the factors have cost included, and while new ones with a
 * single correction would cost more. */
static void judge_old_factors(cd_newton *newton, const cd_solve *s)
{
    cd_newton_factors *factors = &newton->factors;
    const int needed = needed_iterations(s);
    factors->unmeasured = s->seen ? 0 : factors->unmeasured + 1;
    if (needed * factors->solves > factors->spent) {
        if ((needed - 1) * factors->solves > factors->spent)
            limit_rescaling(newton, cd_newton_rescaling(newton));
        if (factors->solves == 1)
            avoid_old_factors(newton);
        factors->there = false;
        return;
    }
    if (needed >= cd_newton_next_cost(newton) + 1.0 && newton->n > CD_AS_ONE &&
        (cd_newton_would_do_at_once(newton, newton->record.corrections[0]) ||
         are_nearly_free(newton)))
        factors->there = false;
    newton->backoff = 1;
    factors->spent += s->count;
    factors->solves++;
}

void cd_newton_judge_factors(cd_solve *s)
{
    cd_newton *newton = s->newton;
    newton->counts.last_iterations = s->count;
    if (s->had_factors && s->mode == CD_OLD_FACTORS) {
        judge_old_factors(newton, s);
        return;
    }
    newton->factors.spent = newton->factors.cost + s->count;
    newton->factors.solves = 1;
    if (newton->factors.partial)
        judge_part(s);
    if (s->had_factors)
        limit_rescaling(newton, s->rescaling);
    if (s->had_factors && s->served == 1)
        avoid_old_factors(newton);
    else if (newton->wait > 0 && newton->wait-- > 0)
        newton->factors.there = false;
}
