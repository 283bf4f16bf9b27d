/* Residual and corrections of the balance of forces; see balance.h. */
#include "balance.h"

#include "base/error.h"
#include "base/numeric.h"
#include "linalg/dense.h"
#include "linearise.h"

#include <limits.h>

/* Least squares want full matrices. */
enum { LARGEST_FULL = 3000 };

static void make_terms(const cd_balance *b, cd_term *terms)
{
    const int k = b->k, m = b->m;
    terms[0] = (cd_term){CD_DYNAMICS_VDOT, 0, 0, 1.0, false, 0};
    terms[1] = (cd_term){CD_FORCES_Q, 0, 0, 1.0, false, 0};
    terms[2] = (cd_term){CD_DYNAMICS_LAMBDA, 0, k, 1.0, false, 0};
    terms[3] = (cd_term){CD_DYNAMICS_PSI, 0, k + m, 1.0, false, 0};
    terms[4] = (cd_term){CD_POSITION_Q, k, 0, 1.0, false, 0};
    terms[5] = (cd_term){CD_ROLLING_V, k + m, 0, 1.0, false, 0};
    terms[6] = (cd_term){CD_PENALTY, k, k, 0.0, false, 0};
}

static cd_matrix *make_matrix(cd_balance *b, cd_term *terms, bool full)
{
    cd_matrix *matrix = cd_matrix_create(&b->arena, b->n);
    if (matrix == NULL)
        return NULL;
    make_terms(b, terms);
    cd_system_declare(b->system, terms, CD_BALANCE_TERMS, matrix);
    if (full)
        cd_matrix_dense_up_to(matrix, INT_MAX);
    cd_matrix_seal(matrix);
    return b->arena.failed ? NULL : matrix;
}

cardan_status cd_balance_open(cd_balance *b, const cardan_system *system, double t, const double *q)
{
    const int size = cardan_group_size(system->group), joints = system->m + system->l;
    *b = (cd_balance){.system = system, .t = t, .k = system->k, .m = system->m, .l = system->l};
    b->n = b->k + b->m + b->l;
    cd_arena_init(&b->arena, &system->arena.allocator);
    b->ws = cd_workspace_create(&b->arena, system, &b->error);
    b->q = cd_arena_doubles(&b->arena, size);
    b->multipliers = cd_arena_doubles(&b->arena, joints);
    for (int i = 0; i < 2; i++) {
        b->saved_q[i] = cd_arena_doubles(&b->arena, size);
        b->saved_multipliers[i] = cd_arena_doubles(&b->arena, joints);
    }
    b->scratch = cd_arena_doubles(&b->arena, b->k);
    b->rest = cd_arena_doubles(&b->arena, b->k);
    b->held = cd_arena_doubles(&b->arena, b->k);
    b->turns = cd_arena_take(&b->arena, (size_t)b->k * sizeof *b->turns);
    b->residual = cd_arena_doubles(&b->arena, b->n);
    b->step = cd_arena_doubles(&b->arena, b->n);
    if (b->arena.failed)
        return CARDAN_OUT_OF_MEMORY;
    cd_copy(size, q, b->q);
    b->matrix = make_matrix(b, b->terms, false);
    return b->matrix != NULL ? CARDAN_OK : CARDAN_OUT_OF_MEMORY;
}

void cd_balance_close(cd_balance *b)
{
    cd_arena_destroy(&b->arena);
}

cardan_point cd_balance_point(const cd_balance *b)
{
    return (cardan_point){b->t, b->q, b->rest, b->rest, b->multipliers, b->multipliers + b->m};
}

cardan_status cd_balance_evaluate(cd_balance *b)
{
    const cardan_point at = cd_balance_point(b);
    double *r = b->residual;
    cardan_status status = cd_system_equations(
        b->ws, &at,
        &(cd_equations){
            .forces = r, .reaction = b->scratch, .position = r + b->k, .rolling = r + b->k + b->m});
    if (status != CARDAN_OK)
        return status;
    b->force = fmax(b->force, cd_max_abs(b->k, b->scratch));
    for (int i = 0; i < b->k; i++)
        b->force = fmax(b->force, fabs(r[i] - b->scratch[i]));
    cd_add(b->k, 1.0, b->held, r);
    return CARDAN_OK;
}

static cardan_status assemble(cd_balance *b, double mass, double stiffness, cd_term *terms,
                              cd_matrix *matrix)
{
    const cardan_point at = cd_balance_point(b);
    terms[0].weight = mass;
    terms[1].weight = stiffness;
    cd_matrix_clear(matrix);
    return cd_system_assemble(b->ws, &at, NULL, terms, CD_BALANCE_TERMS, matrix);
}

/* Rows of the largest entry 1, multipliers in one unit: what is least squares stays least. */
static double scale(cd_balance *b)
{
    double unit = 0.0;
    for (int i = 0; i < b->k; i++)
        unit = fmax(unit, cd_max_abs(b->k, b->square + (size_t)i * (size_t)b->n));
    unit = unit > 0.0 ? unit : 1.0;
    for (int i = 0; i < b->n; i++) {
        double *row = b->square + (size_t)i * (size_t)b->n;
        for (int j = b->k; j < b->n; j++)
            row[j] *= unit;
        const double size = cd_max_abs(b->n, row);
        for (int j = 0; j < b->n && size > 0.0; j++)
            row[j] /= size;
        if (size > 0.0)
            b->step[i] /= size;
    }
    return unit;
}

/* The largest equation that least squares leave, against b->step on the right. */
static double misfit(const cd_balance *b, const double *x)
{
    double largest = 0.0;
    for (int i = 0; i < b->n; i++) {
        const double *row = b->square + (size_t)i * (size_t)b->n;
        largest = fmax(largest, fabs(cd_dot(b->n, row, x) - b->step[i]));
    }
    return largest;
}

static cardan_status solve_least_squares(cd_balance *b, double mass, double stiffness)
{
    cd_arena scratch;
    int rank;
    if (b->full == NULL) {
        b->full = make_matrix(b, b->full_terms, true);
        b->square = cd_arena_doubles(&b->arena, b->n * b->n);
    }
    if (b->arena.failed)
        return CARDAN_OUT_OF_MEMORY;
    cardan_status status = assemble(b, mass, stiffness, b->full_terms, b->full);
    if (status != CARDAN_OK)
        return status;
    cd_matrix_expand(b->full, b->square);
    const double unit = scale(b);
    cd_arena_init(&scratch, &b->system->arena.allocator);
    double *x = cd_arena_doubles(&scratch, b->n);
    const double tolerance = cd_analysis_tolerance(b->system);
    const bool done = x != NULL && cd_least_squares(&scratch, b->n, b->n, b->square, b->step,
                                                    tolerance, x, &rank);
    b->solved = done && misfit(b, x) <= 1e-8 * cd_max_abs(b->n, b->step);
    if (done)
        cd_copy(b->n, x, b->step);
    cd_arena_destroy(&scratch);
    for (int i = b->k; i < b->n; i++)
        b->step[i] *= unit;
    return done ? CARDAN_OK : CARDAN_OUT_OF_MEMORY;
}

static cardan_status factor(cd_balance *b, double mass, double stiffness)
{
    cardan_status status;
    do {
        status = assemble(b, mass, stiffness, b->terms, b->matrix);
        if (status != CARDAN_OK)
            return status;
        status = cd_matrix_factor(b->matrix);
    } while (status != CARDAN_OK && cd_matrix_retry(b->matrix));
    return status;
}

static void set_right_side(cd_balance *b, bool forces)
{
    for (int i = 0; i < b->n; i++)
        b->step[i] = (i < b->k && !forces) || i >= b->k + b->m ? 0.0 : -b->residual[i];
}

/* What is added is far below what the equations of the next correction show. */
static cardan_status solve_softened(cd_balance *b, double mass, double stiffness)
{
    const cd_scales scales = cd_system_scales(b->ws);
    const double softness = 1e-10 * scales.largest_row * scales.largest_row /
                            (scales.mass > 0.0 ? scales.mass * (1.0 + b->least) : 1.0);
    b->terms[6].weight = -softness;
    const cardan_status status = factor(b, mass + b->least, stiffness);
    b->terms[6].weight = 0.0;
    if (status == CARDAN_OK)
        cd_matrix_solve(b->matrix, b->step);
    b->solved = status == CARDAN_OK && cd_first_not_finite(b->n, b->step) < 0;
    if (b->solved || (status != CARDAN_OK && status != CARDAN_SINGULAR_MATRIX))
        return status;
    return cd_fail(&b->error, CARDAN_SINGULAR_MATRIX,
                   "the matrix of the equilibrium is singular, and %d unknowns are too many for "
                   "least squares; remove redundant constraints and parts without mass",
                   b->n);
}

cardan_status cd_balance_solve(cd_balance *b, double mass, double stiffness, bool forces)
{
    set_right_side(b, forces);
    const cardan_status status = factor(b, mass, stiffness);
    if (status == CARDAN_OK) {
        cd_matrix_solve(b->matrix, b->step);
        b->solved = true;
        if (cd_first_not_finite(b->n, b->step) < 0)
            return CARDAN_OK;
        set_right_side(b, forces);
    } else if (status != CARDAN_SINGULAR_MATRIX) {
        return status;
    }
    return b->n > LARGEST_FULL ? solve_softened(b, mass, stiffness)
                               : solve_least_squares(b, mass, stiffness);
}

void cd_balance_move(cd_balance *b, double factor)
{
    cd_zero(b->k, b->scratch);
    cd_add(b->k, factor, b->step, b->scratch);
    cardan_group_update(b->system->group, b->q, b->scratch, b->q);
    cd_add(b->m + b->l, factor, b->step + b->k, b->multipliers);
}

void cd_balance_save(cd_balance *b, int slot)
{
    cd_copy(cardan_group_size(b->system->group), b->q, b->saved_q[slot]);
    cd_copy(b->m + b->l, b->multipliers, b->saved_multipliers[slot]);
}

void cd_balance_restore(cd_balance *b, int slot)
{
    cd_copy(cardan_group_size(b->system->group), b->saved_q[slot], b->q);
    cd_copy(b->m + b->l, b->saved_multipliers[slot], b->multipliers);
}

/* The largest coordinate that was met stands for the size of the system. */
double cd_balance_reach(cd_balance *b)
{
    const int *coordinate = b->system->coordinate;
    const double share = 0.3;
    double reach = 0.0;
    for (int i = 0; i < b->k; i++)
        if (coordinate[i] >= 0 && !b->turns[i])
            b->size = fmax(b->size, fabs(b->q[coordinate[i]]));
    const double size = b->size > 0.0 ? b->size : 1.0;
    for (int i = 0; i < b->k; i++)
        reach = fmax(reach, fabs(b->step[i]) / (coordinate[i] >= 0 && !b->turns[i] ? size : 1.0));
    return reach / share;
}
