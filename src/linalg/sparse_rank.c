/* Orthogonal triangularisation row by row with Givens rotations (George and Heath 1980): a row that
 * is rotated to nothing depends on those before it. Columns are ordered by COLAMD. */
#include "linalg/sparse_rank.h"

#include "base/numeric.h"

#include <colamd.h>
#include <limits.h>

/* A sparse row: places in the order of columns, ascending. */
typedef struct row {
    int count, capacity;
    int *place;
    double *value;
} row;

typedef struct triangle {
    cd_arena arena;
    int *place_of; /* of every column */
    row *rows;     /* rows[i] begins at place i, or is empty */
    row now, spare, mixed;
} triangle;

static bool reserve(cd_arena *arena, row *r, int count)
{
    if (count <= r->capacity)
        return true;
    r->capacity = 2 * count;
    r->place = cd_arena_take(arena, (size_t)r->capacity * sizeof *r->place);
    r->value = cd_arena_doubles(arena, r->capacity);
    return !arena->failed;
}

static bool copy_row(cd_arena *arena, const row *from, row *to)
{
    if (!reserve(arena, to, from->count))
        return false;
    memcpy(to->place, from->place, (size_t)from->count * sizeof *to->place);
    cd_copy(from->count, from->value, to->value);
    to->count = from->count;
    return true;
}

static bool order_columns(triangle *t, const cd_pattern *p)
{
    const size_t size = colamd_recommended(p->entries, p->rows, p->cols);
    int *rows = cd_arena_take(&t->arena, size * sizeof *rows), stats[COLAMD_STATS];
    int *order = cd_arena_take(&t->arena, ((size_t)p->cols + 1) * sizeof *order);
    const cd_pattern columns = cd_pattern_transpose(&t->arena, p, NULL);
    if (t->arena.failed)
        return false;
    memcpy(rows, columns.column, (size_t)p->entries * sizeof *rows);
    memcpy(order, columns.row_start, ((size_t)p->cols + 1) * sizeof *order);
    if (!colamd(p->rows, p->cols, (int)size, rows, order, NULL, stats))
        return false;
    for (int i = 0; i < p->cols; i++)
        t->place_of[order[i]] = i;
    return true;
}

/* Insertion by place: rows of constraints are short. */
static void take_row(triangle *t, const cd_pattern *p, const double *values, int i)
{
    row *now = &t->now;
    now->count = 0;
    for (int e = cd_pattern_begin(p, i); e < cd_pattern_end(p, i); e++) {
        const int place = t->place_of[cd_pattern_column(p, i, e)];
        int at = now->count++;
        for (; at > 0 && now->place[at - 1] > place; at--) {
            now->place[at] = now->place[at - 1];
            now->value[at] = now->value[at - 1];
        }
        now->place[at] = place;
        now->value[at] = values[e];
    }
}

/* (upper; now) <- rotation of both that makes the first entry of `now` zero, and drops it. */
static bool rotate(triangle *t, row *upper)
{
    row *now = &t->now, *spare = &t->spare, *mixed = &t->mixed;
    const double length = hypot(upper->value[0], now->value[0]);
    const double c = upper->value[0] / length, s = now->value[0] / length;
    int i = 0, j = 0;
    mixed->count = spare->count = 0;
    while (i < upper->count || j < now->count) {
        const int a = i < upper->count ? upper->place[i] : INT_MAX;
        const int b = j < now->count ? now->place[j] : INT_MAX, place = a < b ? a : b;
        const double x = a == place ? upper->value[i++] : 0.0;
        const double y = b == place ? now->value[j++] : 0.0;
        mixed->place[mixed->count] = place;
        mixed->value[mixed->count++] = c * x + s * y;
        if (mixed->count > 1) {
            spare->place[spare->count] = place;
            spare->value[spare->count++] = c * y - s * x;
        }
    }
    const row swapped = t->now;
    t->now = t->spare;
    t->spare = swapped;
    return copy_row(&t->arena, mixed, upper);
}

static void drop_front(row *r)
{
    r->count--;
    memmove(r->place, r->place + 1, (size_t)r->count * sizeof *r->place);
    memmove(r->value, r->value + 1, (size_t)r->count * sizeof *r->value);
}

/* 1 if the row in hand was independent, 0 if not, -1 if memory runs out. */
static int reduce(triangle *t, double tolerance)
{
    while (sqrt(cd_dot(t->now.count, t->now.value, t->now.value)) > tolerance) {
        row *upper = &t->rows[t->now.place[0]];
        if (fabs(t->now.value[0]) <= 0.1 * tolerance)
            drop_front(&t->now);
        else if (upper->count == 0)
            return copy_row(&t->arena, &t->now, upper) ? 1 : -1;
        else if (!rotate(t, upper))
            return -1;
    }
    return 0;
}

static int find_rank(triangle *t, const cd_pattern *p, const double *values, double tolerance,
                     int *dependent)
{
    int rank = 0, lost = 0;
    for (int i = 0; i < p->rows; i++) {
        take_row(t, p, values, i);
        const int independent = reduce(t, tolerance);
        if (independent < 0)
            return -1;
        rank += independent;
        if (independent == 0)
            dependent[lost++] = i;
    }
    return rank;
}

int cd_sparse_rank(cd_arena *arena, const cd_pattern *pattern, const double *values,
                   double tolerance, int *dependent)
{
    triangle t = {0};
    int rank = -1;
    if (pattern->rows == 0)
        return 0;
    cd_arena_init(&t.arena, &arena->allocator);
    t.place_of = cd_arena_take(&t.arena, (size_t)pattern->cols * sizeof *t.place_of);
    t.rows = cd_arena_take(&t.arena, (size_t)pattern->cols * sizeof *t.rows);
    if (!t.arena.failed && order_columns(&t, pattern) && reserve(&t.arena, &t.now, pattern->cols) &&
        reserve(&t.arena, &t.spare, pattern->cols) && reserve(&t.arena, &t.mixed, pattern->cols))
        rank = find_rank(&t, pattern, values, tolerance, dependent);
    cd_arena_destroy(&t.arena);
    return rank;
}
