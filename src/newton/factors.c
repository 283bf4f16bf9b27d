/* The factors of the corrector: what they are made of, and how long they are kept. */
#include "solve.h"

#include "base/error.h"
#include "base/numeric.h"

enum { FACTORING = 3 }; /* iterations that a matrix with its factors costs about as much as */

static const double far_away = 5.0 / 3; /* ratio of step sizes that factors may serve for */

bool cd_newton_has_old_factors(const cd_newton *newton)
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

cardan_status cd_newton_factor(cd_solve *s)
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

/* Factors are kept while a solve takes no more iterations than the solves so far on average, what
 * they cost included: the rule for replacing what wears out at least cost. */
void cd_newton_judge_factors(cd_solve *s)
{
    cd_newton *newton = s->newton;
    cd_newton_factors *factors = &newton->factors;
    const int iterations = s->count - s->before - (s->measures && s->count == 2);
    newton->counts.last_iterations = s->count;
    if (s->use != CD_OLD_FACTORS) {
        factors->spent = FACTORING + iterations;
        factors->solves = 1;
        return;
    }
    factors->there = iterations * factors->solves <= factors->spent;
    factors->spent += iterations;
    factors->solves++;
}
