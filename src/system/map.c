/* Multiplication of derivative blocks by tangent operators from the right, curve by curve. */
#include "base/numeric.h"
#include "group/group.h"
#include "system/workspace.h"

/* The n x n part of a factor's matrix that belongs to a curve. */
static void take_part(const cd_curve *curve, const double *whole, double *part)
{
    for (int i = 0; i < curve->n; i++)
        cd_copy(curve->n, whole + (curve->inner + i) * curve->stride + curve->inner,
                part + i * curve->n);
}

void cd_map_evaluate(cd_workspace *ws, const cd_map *map)
{
    const cd_matrices *matrices = &ws->system->matrices;
    for (int c = 0; c < matrices->curve_count; c++) {
        const cd_curve *curve = &matrices->curves[c];
        const int n = curve->n;
        double whole[36], tangent[36], inner[36] = {0}, *block = ws->tangent + curve->tangent;
        cd_group_curve_tangent(ws->system->group, curve->factor, map->increment, tangent);
        if (map->weight == 0.0) {
            for (int i = 0; i < n * n; i++)
                block[i] = map->ratio * tangent[i];
            continue;
        }
        cd_group_bracket_block(ws->system->group, curve->factor, map->bracket, whole);
        take_part(curve, whole, inner);
        for (int i = 0; i < n * n; i++)
            inner[i] = map->weight * inner[i] + (i % (n + 1) == 0 ? map->ratio : 0.0);
        cd_zero(n * n, block);
        for (int i = 0; i < n; i++)
            for (int p = 0; p < n; p++)
                cd_add(n, tangent[i * n + p], inner + p * n, block + i * n);
    }
}

/* row <- x t for the n numbers of a curve; x may be row. */
static inline void map_part(int n, const double *t, const double *x, double *row)
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

static void map_full(cd_workspace *ws, const cd_map *map, const cd_pattern *pattern,
                     const double *values)
{
    const cd_matrices *matrices = &ws->system->matrices;
    const double ratio = map->ratio;
    double *mapped = ws->mapped;
    for (int i = 0; i < pattern->entries; i++)
        mapped[i] = ratio * values[i];
    for (int c = 0; c < matrices->curve_count; c++) {
        const cd_curve *curve = &matrices->curves[c];
        for (int i = 0; i < pattern->rows; i++) {
            const size_t at = (size_t)i * (size_t)pattern->cols + (size_t)curve->first;
            map_part(curve->n, ws->tangent + curve->tangent, values + at, ws->mapped + at);
        }
    }
}

/* A closed row consists of single columns and of whole curves. */
static void map_sparse(cd_workspace *ws, const cd_map *map, const cd_pattern *pattern,
                       const double *values)
{
    const cd_matrices *matrices = &ws->system->matrices;
    for (int e = 0; e < pattern->entries;) {
        const int c = matrices->curve_of[pattern->column[e]];
        if (c < 0) {
            ws->mapped[e] = map->ratio * values[e];
            e++;
            continue;
        }
        const cd_curve *curve = &matrices->curves[c];
        map_part(curve->n, ws->tangent + curve->tangent, values + e, ws->mapped + e);
        e += curve->n;
    }
}

/* Spreads values over a pattern that contains theirs; `out` may be `values`, since none comes to
 * lie before its old place. */
static void spread(int entries, const int *places, const double *values, int closed, double *out)
{
    int next = closed;
    for (int e = entries - 1; e >= 0; e--) {
        const double value = values[e];
        cd_zero(next - places[e], out + places[e]);
        out[places[e]] = value;
        next = places[e];
    }
    cd_zero(next, out);
}

const double *cd_map_apply(cd_workspace *ws, const cd_map *map, cd_pattern_id id,
                           const double *values)
{
    const cd_matrices *matrices = &ws->system->matrices;
    const cd_pattern *closed = &matrices->closed[id];
    const int *places = matrices->places[id];
    if (closed->full) {
        map_full(ws, map, closed, values);
        return ws->mapped;
    }
    if (places != NULL) {
        spread(matrices->pattern[id].entries, places, values, closed->entries, ws->mapped);
        values = ws->mapped;
    }
    map_sparse(ws, map, closed, values);
    return ws->mapped;
}
