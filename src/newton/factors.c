/* The factors of the corrector: what they are made of, and how long they are kept. */
#include "solve.h"

#include "base/error.h"
#include "base/numeric.h"

enum {
    FACTORING = 2,      /* iterations that a matrix with its factors costs about as much as */
    MOST_WITH_PART = 2, /* iterations with factors that are new in a part only */
};

static const double tree_cost = 0.6;    /* iterations: of the second matrix of ga2s */
static const double nearly_free = 0.1;  /* iterations */
static const double far_away = 5.0 / 3; /* ratio of step sizes that factors may serve for */

void cd_newton_lose_factors(cd_newton *newton)
{
    newton->factors.there = false;
    newton->locality.scale = 0.0;
    cd_matrix_forget_part(newton->matrix);
}

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
    newton->factors = (cd_newton_factors){.there = true, .scale = newton->scale};
    return CARDAN_OK;
}

/* What new factors will cost, in iterations. */
static double next_cost(const cd_newton *newton)
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
    return s->use <= CD_OWN_FACTORS && newton->locality.scale == newton->scale &&
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
    newton->factors = (cd_newton_factors){.there = true, .scale = newton->scale, .partial = true};
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

/* A part that took more than a few iterations is not where the matrix has changed; else, if parts
 * are nearly free, every solve gets its own. */
static void judge_part(cd_newton *newton, int iterations)
{
    if (iterations > MOST_WITH_PART)
        cd_newton_lose_factors(newton);
    else if (next_cost(newton) < nearly_free)
        newton->factors.there = false;
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
        factors->spent = next_cost(newton) + iterations;
        factors->solves = 1;
        if (factors->partial)
            judge_part(newton, iterations);
        return;
    }
    factors->there = iterations * factors->solves <= factors->spent;
    factors->spent += iterations;
    factors->solves++;
}
