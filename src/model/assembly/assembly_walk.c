/* Walking: from the ground along the joints every body is put where the joint to the one before it
 * wants it, with the smallest change; what does not fit then is found where loops close. Axes that
 * are to be parallel are so to rounding, however many there are in a row: rows that repeat others
 * then do it exactly. Gaps that are not small are left to Newton's method, and only bodies turned:
 * those of a long loop add up to more than a step can close. */
#include "assembly.h"
#include "base/numeric.h"
#include "group/group.h"
#include "group/kind.h"
#include "linalg/lapack.h"
#include "model/elements/restraint.h"
#include "model/equations/layout.h"

#include <float.h>

enum { STEPS = 8 };

/* Added to the normal equations of a body, whose rows are of the order 1. */
static const double LITTLE = 1e-10;

/* Gaps of all bodies, of the model's length, that may add up in a loop. */
static const double SMALL = 1e-2;

/* A body and the rows between it and bodies that have been placed before. */
typedef struct placing {
    int body; /* of cd_layout_body */
    int first, count;
} placing;

struct cd_walk {
    cd_rows *rows;
    const cardan_group *group; /* of the model: a factor per body */
    placing *placing;
    int placings;
    int *source; /* of all placings, one after the other */
    int sources;
    bool has_loops; /* some rows place no body */
};

/* ---- the way ---- */

typedef struct planning {
    cd_walk *walk;
    const cd_rows *rows;
    int bodies;
    int *start, *touching;           /* per body: the sources that touch it */
    int *waiting;                    /* per source: bodies that are not placed */
    bool *placed;                    /* per body */
    int *next;                       /* of a source in its queue, or -1 */
    int head[CD_ELEMENT_ROWS + 1];   /* queues of sources that wait for one body, by rows */
    int behind[CD_ELEMENT_ROWS + 1]; /* their last ones */
} planning;

/* Can it place a body? Couplings are between joints, not between bodies. */
static bool is_way(const cd_row_source *source)
{
    return source->rows > 0 && source->moving > 0 && source->element->type != &cd_gear_type;
}

/* The one body that a source waits for, or -1: an angle is counted when it is known. */
static int body_to_place(const planning *it, const cd_row_source *source)
{
    const bool counts = source->element->type == &cd_turn_equation_type;
    for (int i = 0; i < source->moving; i++) {
        const int body = cd_rows_body(it->rows, source, i);
        if (!it->placed[body])
            return counts && body < it->rows->model->bodies ? -1 : body;
    }
    return -1;
}

static void enqueue(planning *it, int source)
{
    const int level = it->rows->source[source].rows;
    it->next[source] = -1;
    if (it->head[level] < 0)
        it->head[level] = source;
    else
        it->next[it->behind[level]] = source;
    it->behind[level] = source;
}

/* The source with the most rows, of those the first; -1: none. */
static int dequeue(planning *it)
{
    for (int level = CD_ELEMENT_ROWS; level > 0; level--) {
        const int source = it->head[level];
        if (source < 0)
            continue;
        it->head[level] = it->next[source];
        return source;
    }
    return -1;
}

static void mark_placed(planning *it, int body)
{
    it->placed[body] = true;
    for (int i = it->start[body]; i < it->start[body + 1]; i++)
        if (--it->waiting[it->touching[i]] == 1)
            enqueue(it, it->touching[i]);
}

/* Do both touch a body and, beside it, the same others? */
static bool is_beside(const cd_rows *rows, const cd_row_source *a, const cd_row_source *b)
{
    if (a->moving != b->moving)
        return false;
    for (int i = 0; i < a->moving; i++)
        if (cd_rows_body(rows, a, i) != cd_rows_body(rows, b, i)) /* both ascending */
            return false;
    return true;
}

/* A body with all rows between it and the same bodies: a joint, and its given angle. */
static void add_placing(planning *it, int body, const cd_row_source *by)
{
    cd_walk *walk = it->walk;
    placing *made = &walk->placing[walk->placings++];
    *made = (placing){.body = body, .first = walk->sources};
    for (int i = it->start[body]; i < it->start[body + 1]; i++)
        if (is_beside(it->rows, &it->rows->source[it->touching[i]], by))
            walk->source[walk->sources++] = it->touching[i];
    made->count = walk->sources - made->first;
    mark_placed(it, body);
}

/* start[b + 1] counts, then is where body b begins, then where it ends. */
static void list_touching(planning *it)
{
    const cd_rows *rows = it->rows;
    for (int pass = 0; pass < 2; pass++) {
        for (int s = 0; s < rows->sources; s++)
            for (int i = 0; is_way(&rows->source[s]) && i < rows->source[s].moving; i++) {
                int *place = &it->start[cd_rows_body(rows, &rows->source[s], i) + 1];
                if (pass == 1)
                    it->touching[*place] = s;
                ++*place;
            }
        for (int b = 0, begin = 0; pass == 0 && b < it->bodies; b++) {
            const int count = it->start[b + 1];
            it->start[b + 1] = begin;
            begin += count;
        }
    }
}

static void follow_sources(planning *it)
{
    for (int source = dequeue(it); source >= 0; source = dequeue(it)) {
        const int body = body_to_place(it, &it->rows->source[source]);
        if (body >= 0)
            add_placing(it, body, &it->rows->source[source]);
    }
}

/* From the ground; bodies that are not connected with it begin where they are. */
static void plan(planning *it)
{
    for (int level = 0; level <= CD_ELEMENT_ROWS; level++)
        it->head[level] = -1;
    list_touching(it);
    for (int s = 0; s < it->rows->sources; s++) {
        it->waiting[s] = it->rows->source[s].moving;
        if (is_way(&it->rows->source[s]) && it->waiting[s] == 1)
            enqueue(it, s);
    }
    follow_sources(it);
    for (int body = 0; body < it->bodies; body++)
        if (!it->placed[body]) {
            mark_placed(it, body);
            follow_sources(it);
        }
}

/* ---- a body ---- */

cd_walk *cd_walk_create(cd_arena *arena, cd_rows *rows, const cardan_group *group)
{
    cd_arena scratch;
    const int bodies = rows->model->bodies + rows->model->counters;
    int entries = 0;
    cd_walk *walk = cd_arena_take(arena, sizeof *walk);
    if (walk == NULL)
        return NULL;
    walk->group = group;
    for (int s = 0; s < rows->sources; s++)
        entries += rows->source[s].moving;
    walk->rows = rows;
    walk->placing = cd_arena_take(arena, (size_t)bodies * sizeof *walk->placing);
    walk->source = cd_arena_take(arena, (size_t)entries * sizeof *walk->source);
    cd_arena_init(&scratch, &arena->allocator);
    planning it = {.walk = walk,
                   .rows = rows,
                   .bodies = bodies,
                   .start = cd_arena_take(&scratch, ((size_t)bodies + 1) * sizeof(int)),
                   .touching = cd_arena_take(&scratch, (size_t)entries * sizeof(int)),
                   .waiting = cd_arena_take(&scratch, (size_t)rows->sources * sizeof(int)),
                   .placed = cd_arena_take(&scratch, (size_t)bodies * sizeof(bool)),
                   .next = cd_arena_take(&scratch, (size_t)rows->sources * sizeof(int))};
    if (scratch.failed)
        arena->failed = 1;
    if (!arena->failed)
        plan(&it);
    int restraining = 0;
    for (int s = 0; s < rows->sources; s++)
        restraining += rows->source[s].rows > 0;
    walk->has_loops = walk->sources < restraining;
    cd_arena_destroy(&scratch);
    return arena->failed ? NULL : walk;
}

/* Normal equations of a body's rows: (A^T A + little) dx = -A^T r. */
typedef struct normal {
    int dof;
    double matrix[CD_BODY_COLUMNS * CD_BODY_COLUMNS], right[CD_BODY_COLUMNS];
    double gap; /* the largest |r|, in sizes that rounding errors grow with */
} normal;

/* Where the body's columns begin in the rows of a source. */
static int first_column(const cd_rows *rows, const cd_row_source *source, int body)
{
    int column = 0;
    for (int i = 0; cd_rows_body(rows, source, i) != body; i++)
        column += cd_layout_body(rows->model, cd_rows_body(rows, source, i))->form->dof;
    return column;
}

static void add_row(normal *it, const double *row, double residual, double size)
{
    for (int i = 0; i < it->dof; i++) {
        it->right[i] -= row[i] * residual;
        for (int j = 0; j < it->dof; j++)
            it->matrix[i * it->dof + j] += row[i] * row[j];
    }
    it->gap = fmax(it->gap, fabs(residual) / size);
}

static int find_normal(const cd_walk *walk, const placing *what, bool turn, double t,
                       const double *q, normal *it)
{
    const cd_rows *rows = walk->rows;
    const cd_body *body = cd_layout_body(rows->model, what->body);
    const double far = fmax(rows->length, cd_max_abs(body->form->size, q + body->q));
    *it = (normal){.dof = body->form->dof};
    for (int i = 0; i < it->dof; i++)
        it->matrix[i * it->dof + i] = LITTLE;
    for (int s = what->first; s < what->first + what->count; s++) {
        const cd_row_source *source = &rows->source[walk->source[s]];
        const int code = cd_rows_evaluate_source(walk->rows, source, t, q);
        if (code != 0)
            return code;
        const int column = first_column(rows, source, what->body);
        for (int row = source->first; row < source->first + source->rows; row++)
            if (!turn || rows->is_angle[row])
                add_row(it, rows->values + cd_pattern_begin(&rows->pattern, row) + column,
                        rows->residual[row], rows->is_angle[row] ? rows->length : far);
    }
    return 0;
}

/* right = matrix^-1 right; the matrix is positive definite. */
static void solve_normal(normal *it)
{
    const int one = 1;
    int info;
    dpotrf_("L", &it->dof, it->matrix, &it->dof, &info, 1);
    dpotrs_("L", &it->dof, &one, it->matrix, &it->dof, it->right, &it->dof, &info, 1);
}

/* No turn of more than CD_LARGEST_ROTATION. */
static void unscale(const cd_rows *rows, const cd_body *body, double *move)
{
    double factor = 1.0;
    for (int i = 0; i < body->form->dof; i++) {
        move[i] /= rows->scale[body->v + i];
        if (rows->turns[body->v + i])
            factor = fmin(factor, CD_LARGEST_ROTATION / fmax(fabs(move[i]), 1e-300));
    }
    for (int i = 0; i < body->form->dof; i++)
        move[i] *= factor;
}

/* Newton steps of least length as long as they make the gap smaller: to rounding, if the rows can
 * hold. */
static void place_body(const cd_walk *walk, const placing *what, bool turn, double t, double *q)
{
    const cd_body *body = cd_layout_body(walk->rows->model, what->body);
    const int size = body->form->size;
    double *here = q + body->q, best[CD_KIND_SIZE];
    double least = INFINITY;
    normal it;
    for (int step = 0; step < STEPS; step++) {
        if (find_normal(walk, what, turn, t, q, &it) != 0 || !(it.gap < least)) {
            if (step > 0)
                cd_copy(size, best, here);
            return;
        }
        least = it.gap;
        if (least <= 4.0 * DBL_EPSILON)
            return;
        cd_copy(size, here, best);
        solve_normal(&it);
        unscale(walk->rows, body, it.right);
        cd_group_update_span(walk->group, (cd_span){what->body, what->body + 1},
                             (cd_group_point){q, NULL}, it.right, (cd_group_target){q, NULL});
    }
}

bool cd_walk_is_safe(const cd_walk *walk, double gap)
{
    return !walk->has_loops || gap * walk->rows->model->bodies <= SMALL * walk->rows->length;
}

void cd_walk_along(const cd_walk *walk, bool turn, double t, double *q)
{
    for (int i = 0; i < walk->placings; i++)
        place_body(walk, &walk->placing[i], turn, t, q);
}
