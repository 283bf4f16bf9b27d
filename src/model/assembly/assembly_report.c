/* The report of an assembly: the bodies that it moved, and the closure errors that remain. */
#include "assembly.h"

#include "base/error.h"
#include "model/equations/layout.h"

#include <stdio.h>
#include <stdlib.h>

typedef struct owned_report {
    cardan_assembly assembly;
    cd_arena arena;
} owned_report;

void cardan_assembly_destroy(cardan_assembly *assembly)
{
    if (assembly == NULL)
        return;
    cd_arena arena = ((owned_report *)assembly)->arena; /* the report lies in it */
    cd_arena_destroy(&arena);
}

static int compare_descending(double a, double b)
{
    return (a < b) - (a > b);
}

static int compare_moved(const void *a, const void *b)
{
    const cardan_assembly_move *x = a, *y = b;
    const int order = compare_descending(x->distance + x->angle, y->distance + y->angle);
    return order != 0 ? order : x->body - y->body;
}

/* The change of pose or velocity of body b. */
static void find_change(const cd_assembly *it, int b, bool velocities,
                        double change[CD_BODY_COLUMNS])
{
    const cd_body *body = &it->model->body[b];
    cd_body_state before, after;
    if (!velocities) {
        cd_assembly_displacement(body, it->q0, it->q, change, change + 3);
        return;
    }
    cd_body_state_at(body, it->q + body->q, it->v0 + body->v, &before);
    cd_body_state_at(body, it->q + body->q, it->v + body->v, &after);
    for (int i = 0; i < 3; i++) {
        change[i] = after.u[i] - before.u[i];
        change[3 + i] = after.w[i] - before.w[i];
    }
}

/* Lists the bodies that changed by more than rounding; adds the squares of all changes to `sum`. */
static const cardan_assembly_move *list_moved(const cd_assembly *it, cd_arena *arena,
                                              bool velocities, int *count, double *sum)
{
    cardan_assembly_move *list = cd_arena_take(arena, (size_t)it->model->bodies * sizeof *list);
    const double length = it->rows->length, least = 1e-10 * length;
    for (int b = 0; list != NULL && b < it->model->bodies; b++) {
        double change[CD_BODY_COLUMNS];
        find_change(it, b, velocities, change);
        const double distance = sqrt(cd_dot3(change, change));
        const double angle = sqrt(cd_dot3(change + 3, change + 3));
        *sum += distance * distance + length * length * angle * angle;
        if (distance > least || angle * length > least)
            list[(*count)++] = (cardan_assembly_move){b, distance, angle};
    }
    if (list != NULL && *count > 1)
        qsort(list, (size_t)*count, sizeof *list, compare_moved);
    return list;
}

/* Rounds to the three digits shown, so that equal errors come in the order of the joints. */
static double round_to_shown(double size)
{
    const double unit = size > 0.0 ? pow(10.0, floor(log10(size)) - 2.0) : 1.0;
    return unit * round(size / unit);
}

static int compare_gaps(const void *a, const void *b)
{
    const cardan_assembly_gap *x = a, *y = b;
    const int order = compare_descending(round_to_shown(x->distance + x->angle),
                                         round_to_shown(y->distance + y->angle));
    return order != 0 ? order : x->joint != y->joint ? x->joint - y->joint : x->body - y->body;
}

/* The closure error of one source: root of the sum of squares of lengths, and of angles. */
static cardan_assembly_gap measure_gap(const cd_rows *rows, const cd_row_source *source)
{
    double length = 0.0, angle = 0.0;
    for (int row = source->first; row < source->first + source->rows; row++) {
        const double gap = rows->residual[row] / rows->unit[row];
        if (!rows->is_angle[row])
            length += gap * gap;
        else
            angle += gap * gap;
    }
    return (cardan_assembly_gap){source->joint, source->body, sqrt(length), sqrt(angle)};
}

/* Lists the closure errors above a bound, or without a finite value. */
static int collect_gaps(const cd_rows *rows, double least, cardan_assembly_gap *list)
{
    int count = 0;
    for (int s = 0; s < rows->sources; s++) {
        cardan_assembly_gap gap = measure_gap(rows, &rows->source[s]);
        if (gap.distance <= least)
            gap.distance = 0.0;
        if (gap.angle * rows->length <= least)
            gap.angle = 0.0;
        if (gap.distance != 0.0 || gap.angle != 0.0)
            list[count++] = gap;
    }
    return count;
}

/* Lists the large closure errors; without such, those above the tolerance; without these, all. */
static const cardan_assembly_gap *list_gaps(const cd_assembly *it, cd_arena *arena, int *count)
{
    const double bounds[] = {100.0, 1.0, 0.0};
    cardan_assembly_gap *list = cd_arena_take(arena, (size_t)it->rows->sources * sizeof *list);
    for (int i = 0; list != NULL && *count == 0 && i < 3; i++)
        *count = collect_gaps(it->rows, bounds[i] * it->tolerance, list);
    if (list != NULL && *count > 1)
        qsort(list, (size_t)*count, sizeof *list, compare_gaps);
    return list;
}

/* Writes the first closure errors: "joint `a` by 0.1 m, ... and 3 more". */
static void describe_gaps(const cd_assembly *it, const cardan_assembly *made, char *text,
                          size_t size)
{
    enum { MOST = 5 };
    const char *per_second = made->velocities ? "/s" : "";
    size_t used = 0;
    for (int i = 0; i < made->gap_count && i < MOST && used < size; i++) {
        const cardan_assembly_gap *gap = &made->gaps[i];
        const char *kind = gap->joint >= 0 ? "joint" : "fixed body";
        const char *name = gap->joint >= 0
                               ? cardan_model_name(it->model, CARDAN_ELEMENT_JOINT, gap->joint)
                               : cardan_model_name(it->model, CARDAN_ELEMENT_BODY, gap->body);
        char by[96];
        if (gap->angle == 0.0)
            snprintf(by, sizeof by, "%.3g m%s", gap->distance, per_second);
        else if (gap->distance == 0.0)
            snprintf(by, sizeof by, "%.3g rad%s", gap->angle, per_second);
        else
            snprintf(by, sizeof by, "%.3g m%s and %.3g rad%s", gap->distance, per_second,
                     gap->angle, per_second);
        used += (size_t)snprintf(text + used, size - used, "%s%s `%s` by %s", i > 0 ? ", " : "",
                                 kind, name, by);
    }
    if (made->gap_count > MOST && used < size)
        snprintf(text + used, size - used, " and %d more", made->gap_count - MOST);
}

static cardan_status fail_with_gaps(const cd_assembly *it, const cardan_assembly *made)
{
    char gaps[640] = "";
    describe_gaps(it, made, gaps, sizeof gaps);
    if (made->velocities)
        return cd_fail(it->error, CARDAN_INCONSISTENT_START,
                       "no velocities satisfy all constraints and given rates: %s cannot hold; "
                       "give fewer rates or other ones",
                       gaps);
    return cd_fail(it->error, CARDAN_INCONSISTENT_START,
                   "the model cannot be assembled: %s cannot close; check lengths and positions, "
                   "fix fewer values, or start from a better guess",
                   gaps);
}

cardan_status cd_assembly_report(const cd_assembly *it, bool velocities, cardan_status status,
                                 cardan_assembly **made)
{
    cd_arena arena;
    double sum = 0.0, ignored = 0.0;
    cd_arena_init(&arena, &it->model->allocator);
    owned_report *all = cd_arena_take(&arena, sizeof *all);
    if (all == NULL)
        return cd_fail(it->error, CARDAN_OUT_OF_MEMORY, "no memory for an assembly");
    cardan_assembly *assembly = &all->assembly;
    assembly->iterations = it->iterations;
    assembly->length = it->rows->length;
    assembly->velocities = velocities;
    assembly->moved = list_moved(it, &arena, false, &assembly->moved_count, &sum);
    assembly->changed = list_moved(it, &arena, true, &assembly->changed_count, &ignored);
    assembly->distance = sqrt(sum);
    if (status != CARDAN_OK)
        assembly->gaps = list_gaps(it, &arena, &assembly->gap_count);
    if (arena.failed)
        status = cd_fail(it->error, CARDAN_OUT_OF_MEMORY, "no memory for an assembly");
    else if (status == CARDAN_INCONSISTENT_START && it->error->status == CARDAN_OK)
        status = fail_with_gaps(it, assembly);
    all->arena = arena;
    if (made != NULL && !arena.failed)
        *made = assembly;
    else
        cardan_assembly_destroy(assembly);
    return status;
}
