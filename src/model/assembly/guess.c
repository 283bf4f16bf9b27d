/* Initial guesses of multipliers from guesses of joint forces: for each joint, the multipliers of
 * its rows whose force and moment come nearest to the guess. */
#include "base/numeric.h"
#include "linalg/dense.h"
#include "model/core/model.h"
#include "model/equations/layout.h"
#include "model/redundancy/reduction.h"

enum { MOST_ROWS = 2 * CD_ELEMENT_ROWS, WRENCH = 6 };

typedef struct joint_rows {
    int count;
    int number[MOST_ROWS]; /* index among all multipliers of the model */
    int index[MOST_ROWS];  /* index among those of the system, lambda or psi */
    bool nonholonomic[MOST_ROWS];
    double wrench[MOST_ROWS][WRENCH]; /* force and moment for a multiplier of 1 */
} joint_rows;

/* Adds the independent rows of element `number` (-1: none). */
static void collect_rows(const cardan_model *model, int number, bool nonholonomic, joint_rows *own)
{
    if (number < 0)
        return;
    const cd_row_set all = cd_layout_rows(model, &model->element[number], nonholonomic);
    for (int i = 0; i < all.count; i++) {
        if (all.index[i] < 0)
            continue;
        own->number[own->count] = all.first + i + (nonholonomic ? model->constraints : 0);
        own->index[own->count] = all.index[i];
        own->nonholonomic[own->count++] = nonholonomic;
    }
}

/* Finds each row's wrench for a multiplier of 1, at rest (no friction). `all` is zero scratch. */
static cardan_status measure_wrenches(const cardan_model *model, int joint, const cardan_point *at,
                                      double *all, joint_rows *own)
{
    cardan_status status = CARDAN_OK;
    for (int i = 0; i < own->count && status == CARDAN_OK; i++) {
        all[own->number[i]] = 1.0;
        status = cd_joint_wrench(model, joint, at, all, own->wrench[i], own->wrench[i] + 3);
        all[own->number[i]] = 0.0;
    }
    return status;
}

/* Finds the multipliers x whose wrench comes nearest to `wrench`. */
static bool find_multipliers(cd_arena *arena, const joint_rows *own, const double wrench[WRENCH],
                             double *x)
{
    const double rank_tolerance = 1e-8;
    double column[WRENCH * MOST_ROWS];
    int rank;
    cd_transpose(own->count, WRENCH, own->wrench[0], column);
    return own->count == 0 ||
           cd_least_squares(arena, WRENCH, own->count, column, wrench, rank_tolerance, x, &rank);
}

static bool has_guess(const cardan_joint_def *def)
{
    return cd_max_abs(3, def->force_guess) > 0.0 || cd_max_abs(3, def->moment_guess) > 0.0;
}

static void guess_joint_multipliers(const cardan_model *model, cd_arena *arena, int joint,
                                    const cardan_point *at, double *all, double *lambda,
                                    double *psi)
{
    const cd_joint *it = &model->joint[joint];
    joint_rows own = {.count = 0};
    double wrench[WRENCH], x[MOST_ROWS] = {0.0};
    cd_copy(3, it->kind->def.force_guess, wrench);
    cd_copy(3, it->kind->def.moment_guess, wrench + 3);
    collect_rows(model, it->element, false, &own);
    collect_rows(model, it->nonholonomic, true, &own);
    if (measure_wrenches(model, joint, at, all, &own) != CARDAN_OK)
        return; /* the start fails for the same reason, with a message */
    if (!find_multipliers(arena, &own, wrench, x))
        return;
    for (int i = 0; i < own.count; i++)
        (own.nonholonomic[i] ? psi : lambda)[own.index[i]] = x[i];
}

void cardan_model_guess(const cardan_model *model, double t, const double *q, double *lambda,
                        double *psi)
{
    if (model == NULL || model->system == NULL)
        return;
    const int m = model->constraints, l = model->nonholonomic;
    const int dof = cardan_system_describe(model->system).dof;
    cd_arena arena;
    cd_arena_init(&arena, &model->allocator);
    cd_zero(cardan_system_describe(model->system).constraint_count, lambda);
    cd_zero(cardan_system_describe(model->system).nonholonomic_count, psi);
    double *zeros = NULL, *all = NULL;
    for (int i = 0; i < model->joints && !arena.failed; i++) {
        if (!has_guess(&model->joint[i].kind->def))
            continue;
        if (all == NULL) {
            all = cd_arena_doubles(&arena, m + l);
            zeros = cd_arena_doubles(&arena, dof > m + l ? dof : m + l);
        }
        const cardan_point at = {t, q, zeros, zeros, zeros, zeros};
        if (!arena.failed)
            guess_joint_multipliers(model, &arena, i, &at, all, lambda, psi);
    }
    cd_arena_destroy(&arena);
}
