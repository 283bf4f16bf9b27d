/* The factors of the corrector: what they are made of, and how long they are kept. */
#include "solve.h"

#include "base/error.h"
#include "base/numeric.h"

enum { LONGEST_WAIT = 64 };

static const double least_rescaling =
    0.04; /* how far away step sizes of factors may be, at least */

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

cardan_status cd_newton_factor(cd_solve *s)
{
    cd_newton *newton = s->newton;
    cardan_status status;
    newton->factors.there = false;
    do {
        newton->counts.matrices++;
        status = s->problem->assemble(s->problem->self, newton->matrix);
        if (status != CARDAN_OK)
            return status;
        status = factor_matrix(newton);
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

bool cd_newton_would_do_at_once(const cd_newton *newton, double norm)
{
    return newton->coarse && newton->own_rate != 0.0 &&
           CD_OWN_MARGIN * newton->own_rate * norm <= CD_ACCEPT_BELOW;
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
    if (needed >= CD_FACTORS_COST + 1 && newton->n > CD_AS_ONE &&
        cd_newton_would_do_at_once(newton, newton->record.corrections[0]))
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
    newton->factors.spent = CD_FACTORS_COST + s->count;
    newton->factors.solves = 1;
    if (s->had_factors)
        limit_rescaling(newton, s->rescaling);
    if (s->had_factors && s->served == 1)
        avoid_old_factors(newton);
    else if (newton->wait > 0 && newton->wait-- > 0)
        newton->factors.there = false;
}
