/* Do forces that depend on multipliers, such as friction, let the equations determine these: is 1 +
 * W regular (friction_rank.h)? W has columns 0 for multipliers on which no force depends. */
#include "friction_rank.h"

#include "base/error.h"
#include "base/numeric.h"
#include "linalg/dense.h"
#include "workspace.h"

/* One of the two blocks of G, dg/dlambda or dg/dpsi. */
typedef struct force_block {
    int first; /* number of its first multiplier */
    const cd_pattern *pattern;
    double *values; /* NULL: zero */
} force_block;

/* Evaluates the block of G that is the derivative `id` of the force. */
static cardan_status evaluate_force_block(cd_arena *arena, cd_workspace *ws, const cardan_point *at,
                                          cd_derivative_id id, force_block *by)
{
    const cd_derivative_info info = cd_derivative_of(ws->system, id);
    by->first = id == CD_D_force_dlambda ? 0 : ws->system->m;
    by->pattern = cd_pattern_of(ws, (cd_pattern_id)info.pattern);
    by->values = NULL;
    if (by->pattern->entries == 0 || cd_derivative_vanishes(ws->system, &info))
        return CARDAN_OK;
    by->values = cd_arena_doubles(arena, by->pattern->entries);
    return arena->failed ? CARDAN_OUT_OF_MEMORY : cd_derivative(ws, 0, id, at, by->values);
}

/* x += the column of G that belongs to multiplier j, if it is in this block */
static void add_column(const force_block *by, int j, double *x)
{
    const cd_pattern *p = by->pattern;
    for (int i = 0; by->values != NULL && i < p->rows; i++)
        for (int e = cd_pattern_begin(p, i); e < cd_pattern_end(p, i); e++)
            if (by->first + cd_pattern_column(p, i, e) == j)
                x[i] += by->values[e];
}

/* Marks the multipliers whose column of G is not zero. */
static void mark_columns(const force_block *by, bool *marked)
{
    const cd_pattern *p = by->pattern;
    for (int i = 0; by->values != NULL && i < p->rows; i++)
        for (int e = cd_pattern_begin(p, i); e < cd_pattern_end(p, i); e++)
            if (by->values[e] != 0.0)
                marked[by->first + cd_pattern_column(p, i, e)] = true;
}

/* Lists the multipliers on which a force depends, out of n. */
static bool list_multipliers(cd_arena *arena, int n, const force_block by[2], cd_friction *f)
{
    bool *marked = cd_arena_take(arena, (size_t)n * sizeof *marked);
    f->multiplier = cd_arena_take(arena, (size_t)n * sizeof *f->multiplier);
    if (arena->failed)
        return false;
    for (int i = 0; i < n; i++)
        marked[i] = false;
    mark_columns(&by[0], marked);
    mark_columns(&by[1], marked);
    for (int i = 0; i < n; i++)
        if (marked[i])
            f->multiplier[f->count++] = i;
    f->acts = f->count > 0;
    return true;
}

/* out = 1 + W (count x count) for multipliers times the lengths of their rows; `matrix` has the
 * factors of F0 in scaled velocities and rows. */
static void build_sum(const cd_structure *s, const cd_friction *f, const force_block by[2],
                      const cd_matrix *matrix, const double *lengths, double *x, double *out)
{
    for (int j = 0; j < f->count; j++) {
        const double unit = lengths[f->multiplier[j]];
        cd_zero(s->k + s->n, x);
        add_column(&by[0], f->multiplier[j], x);
        add_column(&by[1], f->multiplier[j], x);
        for (int i = 0; i < s->k; i++)
            x[i] /= s->scale[i] * unit;
        cd_matrix_solve(matrix, x);
        for (int i = 0; i < f->count; i++)
            out[i * f->count + j] = (i == j ? 1.0 : 0.0) + x[s->k + f->multiplier[i]];
    }
}

/* Writes a singular vector to f, as shares and as multipliers, the largest share 1. */
static void scale_direction(const double *vector, const double *lengths, cd_friction *f)
{
    int largest = 0;
    for (int i = 0; i < f->count; i++)
        if (fabs(vector[i]) > fabs(vector[largest]))
            largest = i;
    const double unit = lengths[f->multiplier[largest]];
    for (int i = 0; i < f->count; i++) {
        f->share[i] = vector[i] / vector[largest];
        f->direction[i] = f->share[i] * unit / lengths[f->multiplier[i]];
    }
}

/* The relative accuracy of singular values: that of G, which may be computed by differences. */
static double precision(const cardan_system *system)
{
    const bool given = (!system->def.force_depends_on_lambda || system->def.force_dlambda) &&
                       (!system->def.force_depends_on_psi || system->def.force_dpsi);
    return given ? CD_STRUCTURE_TOLERANCE : 1e3 * CD_STRUCTURE_TOLERANCE;
}

/* The smallest and largest singular value of 1 + W, and the direction of the smallest. */
static bool find_singular_values(cd_arena *arena, const cd_structure *s, const force_block by[2],
                                 const cd_matrix *matrix, const double *lengths, cd_friction *f)
{
    const int c = f->count;
    double *sum = cd_arena_doubles(arena, c * c), *x = cd_arena_doubles(arena, s->k + s->n);
    cd_svd svd;
    f->direction = cd_arena_doubles(arena, c);
    f->share = cd_arena_doubles(arena, c);
    if (arena->failed)
        return false;
    build_sum(s, f, by, matrix, lengths, x, sum);
    if (cd_first_not_finite(c * c, sum) >= 0)
        return true;
    if (!cd_svd_find(arena, c, c, sum, 0.0, &svd))
        return false;
    f->largest = svd.values[0];
    f->smallest = svd.values[c - 1];
    f->singular = f->smallest <= precision(f->system) * fmax(1.0, f->largest);
    scale_direction(svd.right + (c - 1) * c, lengths, f);
    return true;
}

cardan_status cd_friction_find(cd_arena *arena, cd_workspace *ws, const cd_structure *s,
                               const cardan_point *at, cd_friction *f)
{
    const int n = ws->system->m + ws->system->l;
    cd_matrix *matrix = NULL;
    force_block by[2];
    *f = (cd_friction){.system = ws->system, .smallest = 1.0, .largest = 1.0};
    cardan_status status = evaluate_force_block(arena, ws, at, CD_D_force_dlambda, &by[0]);
    if (status == CARDAN_OK)
        status = evaluate_force_block(arena, ws, at, CD_D_force_dpsi, &by[1]);
    if (status != CARDAN_OK)
        return status;
    if (!list_multipliers(arena, n, by, f))
        return CARDAN_OUT_OF_MEMORY;
    if (!f->acts)
        return CARDAN_OK;
    f->smallest = f->largest = NAN;
    if (f->count > CD_DENSE_ANALYSIS)
        return CARDAN_OK;
    double *lengths = cd_arena_doubles(arena, n);
    if (arena->failed || !cd_structure_factor(arena, ws, s->scale, lengths, &matrix))
        return CARDAN_OUT_OF_MEMORY;
    const bool enough = matrix == NULL || find_singular_values(arena, s, by, matrix, lengths, f);
    return enough ? CARDAN_OK : CARDAN_OUT_OF_MEMORY;
}

static cd_name name_multiplier(const void *self, int i)
{
    const cd_friction *f = self;
    return cd_system_multiplier_name(f->system, f->multiplier[i]);
}

void cd_friction_list(const cd_friction *f, char *text, int size)
{
    cd_structure_list(f->count, f->share, f->direction, name_multiplier, f, text, size);
}

cardan_status cd_friction_judge(const cd_friction *f, double t, cardan_error *error)
{
    char list[400];
    if (!f->singular)
        return cd_succeed(error);
    cd_friction_list(f, list, (int)sizeof list);
    return cd_fail(error, CARDAN_SINGULAR_MATRIX,
                   "at t = %.9g friction makes the equations of motion singular: B M^-1 (B^T + "
                   "dg/dlambda) is not regular; the friction that is due to the load with %s "
                   "cancels the reaction of this load, so that no such load is determined; change "
                   "the coefficient of friction, or what the friction depends on",
                   t, list);
}
