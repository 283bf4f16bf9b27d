/* Walking: from the ground along the joints, every body is moved by the smallest change that closes
 * its joint with the body before it. Closure errors then remain only where loops close. Axes that
 * should be parallel become so to rounding, also in long chains, and redundant rows are satisfied
 * exactly. If closure errors are not small, bodies are only rotated and Newton's method does the
 * rest: in a long loop these errors would add up to more than a step can close. */
#include "assembly.h"
#include "base/numeric.h"
#include "group/group.h"
#include "group/kind.h"
#include "linalg/lapack.h"
#include "model/elements/restraint.h"
#include "model/equations/layout.h"

#include <float.h>

enum { STEPS = 8 }; /* most Newton steps for one body */

/* Added to the diagonal of the normal equations of a body, whose rows are of the order 1. */
static const double REGULARISATION = 1e-10;

/* Largest sum of all closure errors, relative to the model's length, for moving bodies. */
static const double SMALL_IN_LOOP = 1e-2;

/* A body to move, and the sources between it and bodies before it. */
typedef struct placing {
    int body;         /* its index, as in cd_layout_body */
    int first, count; /* in cd_walk.source */
} placing;

struct cd_walk {
    cd_rows *rows;
    const cardan_group *group; /* of the model: a factor per body */
    placing *placing;          /* in the order of the walk */
    int placings;
    int *source; /* the sources of all placings, one after the other */
    int sources;
    bool has_loops; /* some sources belong to no placing */
};

/* ---- planning the walk ---- */

/* A plan at work: a body is placed when all other bodies of one of its sources are. */
typedef struct walk_plan {
    cd_walk *walk;
    const cd_rows *rows;
    int bodies;
    int *start, *touching; /* sources on body b: touching[start[b]] to ...[start[b + 1] - 1] */
    int *waiting;          /* per source: the number of bodies that are not placed */
    bool *placed;          /* per body */
    int *next;             /* per source: the next one in its queue, or -1 */
    int head[CD_ELEMENT_ROWS + 1]; /* queues of sources that wait for one body, by number of rows */
    int behind[CD_ELEMENT_ROWS + 1]; /* the last source of each queue */
} walk_plan;

/* Whether a source can place a body; a gear cannot, since it couples joints. */
static bool can_place_body(const cd_row_source *source)
{
    return source->rows > 0 && source->moving > 0 && source->element->type != &cd_gear_type;
}

/* The one body that a source waits for, or -1. Rows of turn counters place only the counter. */
static int body_to_place(const walk_plan *it, const cd_row_source *source)
{
    const bool counts = source->element->type == &cd_turn_equation_type;
    for (int i = 0; i < source->moving; i++) {
        const int body = cd_rows_moving_body(it->rows, source, i);
        if (!it->placed[body])
            return counts && body < it->rows->model->bodies ? -1 : body;
    }
    return -1;
}

/* Appends a source to the queue for its number of rows. */
static void enqueue(walk_plan *it, int source)
{
    const int level = it->rows->source[source].rows;
    it->next[source] = -1;
    if (it->head[level] < 0)
        it->head[level] = source;
    else
        it->next[it->behind[level]] = source;
    it->behind[level] = source;
}

/* Takes the first source of those with the most rows; -1: none is left. */
static int dequeue(walk_plan *it)
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

/* Marks a body as placed, and enqueues the sources that now wait for one body only. */
static void mark_placed(walk_plan *it, int body)
{
    it->placed[body] = true;
    for (int i = it->start[body]; i < it->start[body + 1]; i++)
        if (--it->waiting[it->touching[i]] == 1)
            enqueue(it, it->touching[i]);
}

/* Whether two sources act on the same bodies. */
static bool has_same_bodies(const cd_rows *rows, const cd_row_source *a, const cd_row_source *b)
{
    if (a->moving != b->moving)
        return false;
    for (int i = 0; i < a->moving; i++)
        if (cd_rows_moving_body(rows, a, i) != cd_rows_moving_body(rows, b, i)) /* both ascending */
            return false;
    return true;
}

/* Adds the placing of a body, with all sources between the same bodies as `by`. */
static void add_placing(walk_plan *it, int body, const cd_row_source *by)
{
    cd_walk *walk = it->walk;
    placing *made = &walk->placing[walk->placings++];
    *made = (placing){.body = body, .first = walk->sources};
    for (int i = it->start[body]; i < it->start[body + 1]; i++)
        if (has_same_bodies(it->rows, &it->rows->source[it->touching[i]], by))
            walk->source[walk->sources++] = it->touching[i];
    made->count = walk->sources - made->first;
    mark_placed(it, body);
}

/* Fills `start` and `touching`; start[b + 1] counts, then is where body b begins, then its end. */
static void list_touching(walk_plan *it)
{
    const cd_rows *rows = it->rows;
    for (int pass = 0; pass < 2; pass++) {
        for (int s = 0; s < rows->sources; s++)
            for (int i = 0; can_place_body(&rows->source[s]) && i < rows->source[s].moving; i++) {
                int *position = &it->start[cd_rows_moving_body(rows, &rows->source[s], i) + 1];
                if (pass == 1)
                    it->touching[*position] = s;
                ++*position;
            }
        for (int b = 0, begin = 0; pass == 0 && b < it->bodies; b++) {
            const int count = it->start[b + 1];
            it->start[b + 1] = begin;
            begin += count;
        }
    }
}

/* Adds placings until the queues are empty. */
static void place_waiting_bodies(walk_plan *it)
{
    for (int source = dequeue(it); source >= 0; source = dequeue(it)) {
        const int body = body_to_place(it, &it->rows->source[source]);
        if (body >= 0)
            add_placing(it, body, &it->rows->source[source]);
    }
}

/* Plans from the ground on; of bodies without connection to it, the first one is not moved. */
static void plan_walk(walk_plan *it)
{
    for (int level = 0; level <= CD_ELEMENT_ROWS; level++)
        it->head[level] = -1;
    list_touching(it);
    for (int s = 0; s < it->rows->sources; s++) {
        it->waiting[s] = it->rows->source[s].moving;
        if (can_place_body(&it->rows->source[s]) && it->waiting[s] == 1)
            enqueue(it, s);
    }
    place_waiting_bodies(it);
    for (int body = 0; body < it->bodies; body++)
        if (!it->placed[body]) {
            mark_placed(it, body);
            place_waiting_bodies(it);
        }
}

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
    walk_plan it = {.walk = walk,
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
        plan_walk(&it);
    int restraining = 0;
    for (int s = 0; s < rows->sources; s++)
        restraining += rows->source[s].rows > 0;
    walk->has_loops = walk->sources < restraining;
    cd_arena_destroy(&scratch);
    return arena->failed ? NULL : walk;
}

/* ---- moving one body ---- */

/* Normal equations for the rows of one body: (A^T A + REGULARISATION I) dx = -A^T r. */
typedef struct normal_equations {
    int dof;
    double matrix[CD_BODY_COLUMNS * CD_BODY_COLUMNS], right[CD_BODY_COLUMNS];
    double error; /* the largest |r|, relative to sizes that rounding errors grow with */
} normal_equations;

/* The first column of a body within the rows of a source. */
static int first_column(const cd_rows *rows, const cd_row_source *source, int body)
{
    int column = 0;
    for (int i = 0; cd_rows_moving_body(rows, source, i) != body; i++)
        column += cd_layout_body(rows->model, cd_rows_moving_body(rows, source, i))->form->dof;
    return column;
}

/* Adds one row to normal equations; `size` is that of its rounding errors. */
static void add_normal_row(normal_equations *it, const double *row, double residual, double size)
{
    for (int i = 0; i < it->dof; i++) {
        it->right[i] -= row[i] * residual;
        for (int j = 0; j < it->dof; j++)
            it->matrix[i * it->dof + j] += row[i] * row[j];
    }
    it->error = fmax(it->error, fabs(residual) / size);
}

/* Evaluates the sources of a placing, and adds their rows (with `rotate_only`: those of angles). */
static int find_normal_equations(const cd_walk *walk, const placing *what, bool rotate_only,
                                 double t, const double *q, normal_equations *it)
{
    const cd_rows *rows = walk->rows;
    const cd_body *body = cd_layout_body(rows->model, what->body);
    const double far = fmax(rows->length, cd_max_abs(body->form->size, q + body->q));
    *it = (normal_equations){.dof = body->form->dof};
    for (int i = 0; i < it->dof; i++)
        it->matrix[i * it->dof + i] = REGULARISATION;
    for (int s = what->first; s < what->first + what->count; s++) {
        const cd_row_source *source = &rows->source[walk->source[s]];
        const int code = cd_rows_evaluate_source(walk->rows, source, t, q);
        if (code != 0)
            return code;
        const int column = first_column(rows, source, what->body);
        for (int row = source->first; row < source->first + source->rows; row++)
            if (!rotate_only || rows->is_angle[row])
                add_normal_row(it, rows->values + cd_pattern_begin(&rows->pattern, row) + column,
                               rows->residual[row], rows->is_angle[row] ? rows->length : far);
    }
    return 0;
}

/* right = matrix^-1 right; the matrix is positive definite. */
static void solve_normal(normal_equations *it)
{
    const int one = 1;
    int info;
    dpotrf_("L", &it->dof, it->matrix, &it->dof, &info, 1);
    dpotrs_("L", &it->dof, &one, it->matrix, &it->dof, it->right, &it->dof, &info, 1);
}

/* Converts a scaled move to coordinates, with no rotation above CD_LARGEST_ROTATION. */
static void limit_rotation(const cd_rows *rows, const cd_body *body, double *move)
{
    double factor = 1.0;
    for (int i = 0; i < body->form->dof; i++) {
        move[i] /= rows->scale[body->v + i];
        if (rows->is_rotation[body->v + i])
            factor = fmin(factor, CD_LARGEST_ROTATION / fmax(fabs(move[i]), 1e-300));
    }
    for (int i = 0; i < body->form->dof; i++)
        move[i] *= factor;
}

/* Moves one body by Newton steps of least length, as long as they reduce the closure error. */
static void move_body(const cd_walk *walk, const placing *what, bool rotate_only, double t,
                      double *q)
{
    const cd_body *body = cd_layout_body(walk->rows->model, what->body);
    const int size = body->form->size;
    double *own_q = q + body->q, best[CD_KIND_SIZE];
    double least = INFINITY;
    normal_equations it;
    for (int step = 0; step < STEPS; step++) {
        if (find_normal_equations(walk, what, rotate_only, t, q, &it) != 0 || !(it.error < least)) {
            if (step > 0)
                cd_copy(size, best, own_q);
            return;
        }
        least = it.error;
        if (least <= 4.0 * DBL_EPSILON)
            return;
        cd_copy(size, own_q, best);
        solve_normal(&it);
        limit_rotation(walk->rows, body, it.right);
        cd_group_update_span(walk->group, (cd_span){what->body, what->body + 1},
                             (cd_group_point){q, NULL}, it.right, (cd_group_target){q, NULL});
    }
}

bool cd_walk_is_safe(const cd_walk *walk, double error)
{
    return !walk->has_loops ||
           error * walk->rows->model->bodies <= SMALL_IN_LOOP * walk->rows->length;
}

void cd_walk_along(const cd_walk *walk, bool rotate_only, double t, double *q)
{
    for (int i = 0; i < walk->placings; i++)
        move_body(walk, &walk->placing[i], rotate_only, t, q);
}
