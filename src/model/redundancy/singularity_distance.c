/* The distance to a singular configuration: the smallest singular value of the independent rows at
 * a configuration and at one nearby along the motion is extrapolated linearly to zero. */
#include "linalg/smallest.h"
#include "model/assembly/assembly.h"
#include "reduction.h"

/* Distance of the configuration nearby, relative to the model's length. */
static const double SEARCH_DISTANCE = 0.02;

/* The matrix C C^T of the rows C, scaled to length 1. */
typedef struct rows_product {
    const cd_rows *rows;
    const bool *keep;        /* NULL: all rows */
    const double *size;      /* length of each row */
    double *weight, *motion; /* scratch: a number per row, and per velocity */
} rows_product;

/* y = C C^T x; redundant rows are replaced by the identity. */
static void multiply_by_product(void *self, const double *x, double *y)
{
    const rows_product *it = self;
    const cd_rows *rows = it->rows;
    for (int i = 0; i < rows->count; i++)
        it->weight[i] = it->keep == NULL || it->keep[i] ? x[i] / it->size[i] : 0.0;
    cd_zero(rows->dof, it->motion);
    cd_pattern_add_transposed(&rows->pattern, rows->values, it->weight, it->motion);
    cd_pattern_multiply(&rows->pattern, rows->values, it->motion, y);
    for (int i = 0; i < rows->count; i++)
        y[i] = it->keep == NULL || it->keep[i] ? y[i] / it->size[i] : x[i];
}

/* Finds the smallest singular value of the rows at q; false if this fails. */
static bool find_smallest_value(cd_arena *arena, const cardan_model *model, cd_rows *rows, double t,
                                const double *q, const double *v, double *value)
{
    const int n = rows->count;
    double *size = cd_arena_doubles(arena, n), *x = cd_arena_doubles(arena, n);
    double *scratch = cd_arena_doubles(arena, cd_smallest_scratch(n));
    rows_product product = {.rows = rows,
                            .keep = model->reduction->keep,
                            .size = size,
                            .weight = cd_arena_doubles(arena, n),
                            .motion = cd_arena_doubles(arena, rows->dof)};
    if (arena->failed || cd_rows_evaluate(rows, t, q, v) != 0)
        return false;
    for (int i = 0; i < n; i++) {
        const int begin = cd_pattern_begin(&rows->pattern, i),
                  end = cd_pattern_end(&rows->pattern, i);
        size[i] = sqrt(cd_dot(end - begin, rows->values + begin, rows->values + begin));
        size[i] = size[i] > 0.0 ? size[i] : 1.0;
    }
    const cd_linear_map apply = {n, &product, multiply_by_product};
    *value = sqrt(fmax(cd_smallest_eigenvector(&apply, scratch, x), 0.0));
    return isfinite(*value);
}

/* Finds a unit direction that the constraints allow: along v, or at rest an arbitrary one. */
static bool find_motion(cd_arena *arena, const cd_rows *rows, const double *v, double *out)
{
    for (int i = 0; i < rows->dof; i++)
        out[i] = v[i] * rows->scale[i];
    if (!(cd_saddle_project(arena, rows, out) > 1e-6))
        return false;
    cd_scale(rows->dof, 1.0 / sqrt(cd_dot(rows->dof, out, out)), out);
    return true;
}

/* Finds the smallest singular value after a step along the motion, or against it if `step` < 0. */
static bool find_value_nearby(cd_arena *arena, cardan_model *model, cd_rows *rows, double t,
                              const double *q, const double *v, const double *motion, double step,
                              double *value)
{
    const cardan_group *group = cardan_system_describe(model->system).group;
    double *nearby = cd_arena_doubles(arena, cardan_group_size(group));
    double *move = cd_arena_doubles(arena, rows->dof);
    cardan_error error;
    if (arena->failed)
        return false;
    for (int i = 0; i < rows->dof; i++)
        move[i] = step * motion[i] / rows->scale[i];
    cardan_group_update(group, q, move, nearby);
    if (cd_model_close_configuration(model, group, t, CD_RESTORING_STEPS, nearby, &error) !=
        CARDAN_OK)
        return false;
    return find_smallest_value(arena, model, rows, t, nearby, v, value);
}

/* cd_singularity_distance_find with memory from `arena`. */
static bool find_distance(cd_arena *arena, cardan_model *model, double t, const double *q,
                          const double *v, cd_singularity_distance *out)
{
    cardan_error error;
    cd_rows *rows = cd_rows_create(arena, model, CD_ROWS_MODEL, &error);
    if (rows == NULL)
        return false;
    *out = (cd_singularity_distance){1.0, INFINITY};
    if (rows->count == 0)
        return true;
    double *motion = cd_arena_doubles(arena, rows->dof);
    if (arena->failed || !find_smallest_value(arena, model, rows, t, q, v, &out->smallest))
        return false;
    if (!find_motion(arena, rows, v, motion))
        return true;
    for (int sign = -1; sign <= 1; sign += 2) {
        const double step = sign * SEARCH_DISTANCE * rows->length;
        double value;
        if (find_value_nearby(arena, model, rows, t, q, v, motion, step, &value) &&
            value < out->smallest)
            out->distance =
                fmin(out->distance, fabs(step) * out->smallest / (out->smallest - value));
    }
    return true;
}

bool cd_singularity_distance_find(cardan_model *model, double t, const double *q, const double *v,
                                  cd_singularity_distance *nearness)
{
    cd_arena arena;
    cd_arena_init(&arena, &model->allocator);
    const bool found = find_distance(&arena, model, t, q, v, nearness);
    cd_arena_destroy(&arena);
    return found;
}
