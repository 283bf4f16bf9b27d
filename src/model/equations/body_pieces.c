/* Cutting a model into pieces for threads. The list of bodies is cut into equal pieces, in the
 * order of their numbers or in that of a depth-first walk from neighbour to neighbour: the one with
 * which fewer elements act on two pieces. Trees are often numbered level by level. */
#include "layout.h"

enum { FEWEST_BODIES = 8 }; /* of a piece */

/* A cut at work. Bodies are counted by cd_body_index. */
typedef struct body_cut {
    const cardan_model *model;
    cd_arena *arena;
    cd_arena scratch;
    int bodies;          /* number of bodies and counters */
    int *start, *acting; /* the elements on body b: acting[start[b]] to acting[start[b + 1] - 1] */
    int *walk;           /* bodies in the order of the walk */
    int *owner, *other;  /* the piece of each body and of ground (0), for both orders */
} body_cut;

/* The index of body b of element e. */
static int body_of(const body_cut *c, int e, int b)
{
    return cd_body_index(c->model, c->model->element[e].body[b]);
}

static void list_elements_of_bodies(body_cut *c)
{
    const cardan_model *model = c->model;
    for (int e = 0; e < model->elements; e++)
        for (int b = 0; b < model->element[e].count; b++)
            if (body_of(c, e, b) < c->bodies)
                c->start[body_of(c, e, b) + 2]++;
    for (int s = 0; s < c->bodies; s++)
        c->start[s + 2] += c->start[s + 1];
    c->acting = cd_arena_take(&c->scratch, (size_t)c->start[c->bodies + 1] * sizeof *c->acting);
    for (int e = 0; c->acting != NULL && e < model->elements; e++)
        for (int b = 0; b < model->element[e].count; b++)
            if (body_of(c, e, b) < c->bodies)
                c->acting[c->start[body_of(c, e, b) + 1]++] = e;
}

/* Fills `walk`: depth first from every body that has not been reached. `next` counts what is done
 * of the list of each body, and `stack` has the bodies on the way to the present one. */
static void order_depth_first(body_cut *c, int *next, int *stack)
{
    bool *reached = (bool *)cd_arena_take(&c->scratch, (size_t)c->bodies * sizeof *reached);
    int count = 0;
    if (reached == NULL)
        return;
    for (int first = 0; first < c->bodies; first++) {
        int depth = 0;
        if (reached[first])
            continue;
        reached[first] = true;
        c->walk[count++] = stack[depth++] = first;
        while (depth > 0) {
            const int body = stack[depth - 1], end = c->start[body + 1] - c->start[body];
            const int at = next[body] / CD_ELEMENT_BODIES, b = next[body] % CD_ELEMENT_BODIES;
            if (at >= end) {
                depth--;
                continue;
            }
            next[body]++;
            const int e = c->acting[c->start[body] + at];
            const int to = b < c->model->element[e].count ? body_of(c, e, b) : c->bodies;
            if (to < c->bodies && !reached[to]) {
                reached[to] = true;
                c->walk[count++] = stack[depth++] = to;
            }
        }
    }
}

static int count_shared_elements(const body_cut *c, const int *owner)
{
    int shared = 0;
    for (int e = 0; e < c->model->elements; e++) {
        int first = -1;
        bool several = false;
        for (int b = 0; b < c->model->element[e].count; b++) {
            const int body = body_of(c, e, b);
            if (body == c->bodies)
                continue;
            several = several || (first >= 0 && owner[body] != first);
            first = first >= 0 ? first : owner[body];
        }
        shared += several;
    }
    return shared;
}

/* Assigns bodies to pieces of equal size, in this order (NULL: of their numbers). */
static void cut_evenly(const body_cut *c, int pieces, const int *order, int *owner)
{
    for (int p = 0; p < pieces; p++) {
        const cd_span range = cd_span_of(c->bodies, pieces, p);
        for (int i = range.begin; i < range.end; i++)
            owner[order != NULL ? order[i] : i] = p;
    }
}

/* Finds the better one of both cuts. */
static void find_owners(body_cut *c, int pieces)
{
    const size_t bodies = (size_t)c->bodies;
    c->owner = cd_arena_take(c->arena, (bodies + 1) * sizeof *c->owner);
    c->other = cd_arena_take(&c->scratch, (bodies + 1) * sizeof *c->other);
    c->start = cd_arena_take(&c->scratch, (bodies + 2) * sizeof *c->start);
    c->walk = cd_arena_take(&c->scratch, bodies * sizeof *c->walk);
    int *next = cd_arena_take(&c->scratch, bodies * sizeof *next);
    int *stack = cd_arena_take(&c->scratch, bodies * sizeof *stack);
    if (c->owner == NULL || c->scratch.failed)
        return;
    cut_evenly(c, pieces, NULL, c->owner);
    list_elements_of_bodies(c);
    if (c->scratch.failed)
        return;
    order_depth_first(c, next, stack);
    cut_evenly(c, pieces, c->walk, c->other);
    if (count_shared_elements(c, c->other) < count_shared_elements(c, c->owner))
        memcpy(c->owner, c->other, bodies * sizeof *c->owner);
}

static void list_bodies(const body_cut *c, cd_partition *out)
{
    int *body = cd_arena_take(c->arena, (size_t)c->bodies * sizeof *body);
    if (body == NULL)
        return;
    for (int s = 0; s < c->bodies; s++)
        out->piece[c->owner[s]].bodies++;
    for (int p = 0; p < out->count; body += out->piece[p++].bodies)
        out->piece[p].body = body;
    int filled[CD_MOST_PIECES] = {0};
    for (int s = 0; s < c->bodies; s++) {
        const int p = c->owner[s];
        ((int *)out->piece[p].body)[filled[p]++] = s;
    }
}

static bool calls_user(const cardan_model *model, int e)
{
    return model->element[e].type->calls_user;
}

/* Counts an element in every piece that it acts on, and appends it to `lists` (NULL: no). */
static void count_element(const body_cut *c, cd_partition *out, int e, int **lists)
{
    const cd_element *element = &c->model->element[e];
    for (int b = 0; b < element->count; b++) {
        const int body = body_of(c, e, b), p = c->owner[body];
        bool known = body == c->bodies && element->count > 1;
        for (int before = 0; before < b; before++) {
            const int earlier = body_of(c, e, before);
            known = known || (earlier != c->bodies && c->owner[earlier] == p);
        }
        if (known)
            continue;
        if (lists != NULL)
            lists[p][out->piece[p].elements] = e;
        out->piece[p].elements++;
    }
}

/* The piece of an element's own rows: that of its first body that is not ground. */
static int owner_of_rows(const body_cut *c, int e)
{
    for (int b = 0; b < c->model->element[e].count; b++)
        if (body_of(c, e, b) < c->bodies)
            return c->owner[body_of(c, e, b)];
    return 0;
}

/* Lists the elements of every piece, and the owners of their rows. */
static void list_elements(const body_cut *c, cd_partition *out)
{
    const cardan_model *model = c->model;
    int *owner = cd_arena_take(c->arena, (size_t)model->elements * sizeof *owner);
    int *lists[CD_MOST_PIECES] = {NULL};
    if (owner == NULL)
        return;
    for (int e = 0; e < model->elements; e++) {
        owner[e] = owner_of_rows(c, e);
        if (!calls_user(model, e))
            count_element(c, out, e, NULL);
    }
    for (int p = 0; p < out->count; p++) {
        out->piece[p].element = lists[p] =
            cd_arena_take(c->arena, (size_t)out->piece[p].elements * sizeof(int));
        out->piece[p].elements = 0;
        out->piece[p].owner = c->owner;
        out->piece[p].element_owner = owner;
        out->piece[p].number = p;
    }
    for (int e = 0; !c->arena->failed && e < model->elements; e++)
        if (!calls_user(model, e))
            count_element(c, out, e, lists);
}

/* Lists all elements, those that call the user last; these are also the last piece. */
static void order_whole(const cardan_model *model, cd_arena *arena, cd_partition *out)
{
    int users = 0, done = 0;
    for (int e = 0; e < model->elements; e++)
        users += calls_user(model, e);
    out->whole = (cd_piece){
        .number = -1, .bodies = model->bodies + model->counters, .elements = model->elements};
    if (users == 0)
        return;
    int *order = cd_arena_take(arena, (size_t)model->elements * sizeof *order);
    for (int last = 0; order != NULL && last < 2; last++)
        for (int e = 0; e < model->elements; e++)
            if (calls_user(model, e) == (last == 1))
                order[done++] = e;
    out->whole.element = order;
    out->piece[out->count] = (cd_piece){
        .number = out->count, .elements = users, .element = order + model->elements - users};
}

void cd_partition_make(const cardan_model *model, cd_arena *arena, cd_partition *out)
{
    const int bodies = model->bodies + model->counters, most = bodies / FEWEST_BODIES;
    body_cut c = {.model = model, .arena = arena, .bodies = bodies};
    *out = (cd_partition){.count = most < 2 ? 0 : most < CD_MOST_PIECES ? most : CD_MOST_PIECES};
    order_whole(model, arena, out);
    if (out->count == 0)
        return;
    cd_arena_init(&c.scratch, &arena->allocator);
    find_owners(&c, out->count);
    if (c.scratch.failed)
        arena->failed = 1;
    cd_arena_destroy(&c.scratch);
    if (!arena->failed)
        list_bodies(&c, out);
    if (!arena->failed)
        list_elements(&c, out);
}

unsigned cd_piece_parts(const cardan_model *model, const cd_piece *piece, const cd_element *element)
{
    unsigned mask = 0;
    if (piece->owner == NULL)
        return ~0u;
    for (int b = 0, part = 0; b < element->count; b++) {
        const cd_body *body = cd_model_body(model, element->body[b]);
        for (int i = 0; body != NULL && i < body->form->parts; i++, part++)
            if (cd_piece_owns(piece, cd_body_index(model, element->body[b])))
                mask |= 1u << part;
    }
    return mask;
}
