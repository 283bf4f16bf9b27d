/* Multiplication of derivative blocks by tangent operators from the right, curve by curve. */
#include "base/numeric.h"
#include "group/group.h"
#include "workspace.h"

/* Curves are too short for vector instructions: preparing them takes longer than the loops. */
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC optimize("no-tree-loop-vectorize")
#endif

/* block <- tangent (ratio I + weight inner) */
static inline void multiply_by_tangent(int n, const cd_map *map, const double *restrict tangent,
                                       double *restrict inner, double *restrict block)
{
    for (int i = 0; i < n * n; i++)
        inner[i] *= map->weight;
    for (int i = 0; i < n; i++)
        inner[i * (n + 1)] += map->ratio;
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) {
            double sum = 0.0;
            for (int p = 0; p < n; p++)
                sum += tangent[i * n + p] * inner[p * n + j];
            block[i * n + j] = sum;
        }
}

/* Loops over as many curves, tiles and rows are shared by threads. */
enum { LEAST_CURVES = 64, LEAST_TILES = 128, LEAST_ROWS = 256 };

/* A matrix that several threads multiply by a map and add to another one. */
typedef struct mapping {
    cd_workspace *ws;
    const cd_map *map;
    const cd_pattern *pattern;
    const double *values;
    double weight;
    cd_tile_list tiles; /* of the other matrix */
} mapping;

/* The matrices of the map for some curves, in ws->tangent. */
static void evaluate_curves(void *self, cd_span span)
{
    const mapping *it = self;
    const cd_workspace *ws = it->ws;
    const cd_map *map = it->map;
    const cd_matrices *matrices = &ws->system->matrices;
    for (int c = span.begin; c < span.end; c++) {
        const cd_curve *curve = &matrices->curves[c];
        const int n = curve->n;
        double tangent[36], inner[36], *block = ws->tangent + curve->tangent;
        if (map->block != NULL) {
            map->block(ws->system->group, curve->factor, map->increment, block);
            cd_scale(n * n, map->ratio, block);
            continue;
        }
        cd_group_curve_tangent(ws->system->group, curve->factor, map->increment, tangent);
        if (map->weight == 0.0) {
            for (int i = 0; i < n * n; i++)
                block[i] = map->ratio * tangent[i];
            continue;
        }
        cd_group_curve_bracket(ws->system->group, curve->factor, map->bracket, inner);
        if (n == 3)
            multiply_by_tangent(3, map, tangent, inner, block);
        else
            multiply_by_tangent(n, map, tangent, inner, block);
    }
}

void cd_map_evaluate_all(cd_workspace *ws, const cd_map *map)
{
    mapping it = {.ws = ws, .map = map};
    cd_team_loop(ws->services.team, ws->system->matrices.curve_count, LEAST_CURVES, evaluate_curves,
                 &it);
}

/* row = x t for the n numbers of a curve; x may be row. */
static inline void map_curve(int n, const double *t, const double *x, double *row)
{
    if (n == 3) {
        const double a = x[0], b = x[1], c = x[2];
        for (int j = 0; j < 3; j++)
            row[j] = a * t[j] + b * t[3 + j] + c * t[6 + j];
        return;
    }
    double copy[6];
    cd_copy(n, x, copy);
    cd_zero(n, row);
    for (int p = 0; p < n; p++)
        cd_add(n, copy[p], t + p * n, row);
}

/* to += weight x t, for rows of x `length` and columns of `to` `stride` numbers apart. */
static inline void add_product(int rows, int n, const double *restrict t, double weight,
                               const double *restrict x, int length, double *restrict to,
                               int stride)
{
    for (int i = 0; i < rows; i++)
        for (int j = 0; j < n; j++) {
            double sum = 0.0;
            for (int p = 0; p < n; p++)
                sum += x[i * length + p] * t[p * n + j];
            to[j * stride + i] += weight * sum;
        }
}

/* Adds one tile. Its columns are whole curves and columns outside of curves. */
static void add_tile(const mapping *it, const cd_tile *tile)
{
    const cd_matrices *matrices = &it->ws->system->matrices;
    const int rows = (int)tile->rows, stride = (int)tile->stride;
    const int col = it->pattern->column[tile->entry];
    for (int j = 0; j < (int)tile->cols;) {
        const double *x = it->values + tile->entry + j;
        double *to = it->tiles.values + tile->offset + j * stride;
        const int c = matrices->curve_of[col + j];
        const int n = c < 0 ? 1 : matrices->curves[c].n;
        const double *t = c < 0 ? &it->map->ratio : it->ws->tangent + matrices->curves[c].tangent;
        if (n == 3)
            add_product(rows, 3, t, it->weight, x, (int)tile->row_length, to, stride);
        else
            add_product(rows, n, t, it->weight, x, (int)tile->row_length, to, stride);
        j += n;
    }
}

static void add_tiles(void *self, cd_span span)
{
    const mapping *it = self;
    for (int i = span.begin; i < span.end; i++)
        add_tile(it, &it->tiles.tile[i]);
}

/* Into tiles of the matrix if it has some: then the product is not stored in ws->block. */
void cd_map_add(cd_workspace *ws, const cd_map *map, cd_pattern_id id, const double *values,
                double weight, int slot, cd_matrix *matrix)
{
    const cd_pattern *closed = &ws->system->matrices.closed[id];
    mapping it = {ws, map, closed, values, weight, cd_matrix_tiles(matrix, slot)};
    if (it.tiles.tile == NULL || ws->system->matrices.closed_index[id] != NULL || closed->full)
        cd_matrix_add(matrix, slot, weight, cd_map_apply(ws, map, id, values));
    else
        cd_team_loop(ws->services.team, it.tiles.count, LEAST_TILES, add_tiles, &it);
}

/* Multiplies rows, which consist of single columns and of whole curves. */
static void map_rows(void *self, cd_span rows)
{
    const mapping *it = self;
    const cd_matrices *matrices = &it->ws->system->matrices;
    double *mapped = it->ws->block;
    for (int row = rows.begin; row < rows.end; row++)
        for (int e = cd_pattern_begin(it->pattern, row); e < cd_pattern_end(it->pattern, row);) {
            const int c = matrices->curve_of[cd_pattern_column(it->pattern, row, e)];
            if (c < 0) {
                mapped[e] = it->map->ratio * it->values[e];
                e++;
                continue;
            }
            const cd_curve *curve = &matrices->curves[c];
            map_curve(curve->n, it->ws->tangent + curve->tangent, it->values + e, mapped + e);
            e += curve->n;
        }
}

/* Spreads values over the closed pattern; `out` may be `values`, since none moves forward. */
static void spread(int entries, const int *closed_index, const double *values, int closed,
                   double *out)
{
    int next = closed;
    for (int e = entries - 1; e >= 0; e--) {
        const double value = values[e];
        cd_zero(next - closed_index[e], out + closed_index[e]);
        out[closed_index[e]] = value;
        next = closed_index[e];
    }
    cd_zero(next, out);
}

const double *cd_map_apply(cd_workspace *ws, const cd_map *map, cd_pattern_id id,
                           const double *values)
{
    const cd_matrices *matrices = &ws->system->matrices;
    const cd_pattern *closed = &matrices->closed[id];
    const int *closed_index = matrices->closed_index[id];
    if (closed_index != NULL) {
        spread(matrices->pattern[id].entries, closed_index, values, closed->entries, ws->block);
        values = ws->block;
    }
    mapping it = {.ws = ws, .map = map, .pattern = closed, .values = values};
    cd_team_loop(ws->services.team, closed->rows, LEAST_ROWS, map_rows, &it);
    return ws->block;
}
