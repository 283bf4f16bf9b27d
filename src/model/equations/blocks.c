/* A model's share of an iteration matrix, added to its blocks: each body and each element is opened
 * once, and what it contributes to M, B and all derivatives is added where the factors will be. */
#include "blocks.h"

#include "equations.h"
#include "model/core/inertia.h"

/* Blocks are too small for vectors: preparing them takes longer than the loops. */
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC optimize("no-tree-loop-vectorize")
#endif

static double larger(int count, const double *x, double size)
{
    for (int i = 0; i < count; i++)
        size = fabs(x[i]) > size ? fabs(x[i]) : size;
    return size;
}

/* ---- bodies ---- */

static void add_diagonal(const cd_direct_target *to, cd_spot spot, int count, const double *masses,
                         cd_scales *scales)
{
    const cd_block_pair own = cd_block_between(to->lu, spot, spot);
    for (int i = 0; i < count; i++)
        own.ab[i * (own.ab_stride + 1)] += to->weight.mass * masses[i];
    scales->mass = larger(count, masses, scales->mass);
}

static bool is_mass_only(const cd_direct_target *to)
{
    return to->weight.by_v == 0.0 && to->weight.by_q == 0.0;
}

/* (M B^T; B 0), with weights */
static bool is_saddle(const cd_direct_target *to)
{
    return is_mass_only(to) && to->weight.position == 0.0 && to->weight.hidden == 0.0;
}

/* The rotation of a body: its tensor and d(torque)/dw (NULL: without). */
static void add_rotation(const cd_direct_target *to, cd_block_pair own, const double inertia[9],
                         const double *by_w, cd_scales *scales)
{
    for (int j = 0; j < 3; j++)
        for (int i = 0; i < 3; i++)
            own.ab[j * own.ab_stride + i] +=
                to->weight.mass * inertia[3 * i + j] +
                (by_w != NULL ? to->weight.by_v * by_w[3 * i + j] : 0.0);
    scales->mass = larger(9, inertia, scales->mass);
}

static void add_spatial(const cd_direct_target *to, const cd_body *body, const cardan_point *at,
                        cd_scales *scales)
{
    const double m = body->matter->mass, masses[3] = {m, m, m};
    const double *R = at->q + body->q + 3, *w = at->v + body->v + 3;
    const cd_spot turns = to->part[body->part + 1];
    const cd_block_pair own = cd_block_between(to->lu, turns, turns);
    double inertia[9], by_w[9], by_phi[9];
    add_diagonal(to, to->part[body->part], 3, masses, scales);
    if (is_mass_only(to)) {
        cd_inertia_turned(body, R, inertia);
        add_rotation(to, own, inertia, NULL, scales);
        return;
    }
    cd_inertia_spatial(body, R, w, at->vdot + body->v + 3, inertia, by_w, by_phi);
    add_rotation(to, own, inertia, by_w, scales);
    cd_blocks_add_turned(3, to->weight.by_q, by_phi, cd_direct_tangent(to, body->v + 3), own.ab,
                         own.ab_stride);
}

/* Bodies whose inertia does not depend on q. */
static void add_constant(const cd_direct_target *to, const cd_body *body, const cardan_point *at,
                         cd_scales *scales)
{
    const bool rotates = body->form->parts == 2;
    double mass[12] = {0.0}, whole[36] = {0.0}, by_w[9];
    cd_site site;
    cd_body_site(body, at->q + body->q, NULL, &site);
    cd_inertia_mass(body, &site, mass);
    add_diagonal(to, to->part[body->part], 3, mass, scales);
    if (!rotates)
        return;
    const cd_spot turns = to->part[body->part + 1];
    const cd_block_pair own = cd_block_between(to->lu, turns, turns);
    if (is_mass_only(to)) {
        add_rotation(to, own, mass + 3, NULL, scales);
        return;
    }
    cd_inertia_force_dv(body, &site, at->v + body->v, whole);
    for (int i = 0; i < 3; i++)
        cd_copy(3, whole + 6 * (3 + i) + 3, by_w + 3 * i);
    add_rotation(to, own, mass + 3, by_w, scales);
}

static void add_body(const cardan_model *model, int number, const cardan_point *at,
                     const cd_direct_target *to, cd_scales *scales)
{
    const cd_body *body = &model->body[number];
    if (body->form == &cd_form_spatial)
        add_spatial(to, body, at, scales);
    else
        add_constant(to, body, at, scales);
}

/* ---- elements ---- */

/* One element between the parts of its bodies. */
typedef struct connection {
    const cardan_model *model;
    const cd_direct_target *to;
    const cd_element *element;
    const cd_wiring *wiring;
    int number, start[CD_PARTS + 1]; /* of the parts in the local coordinates */
    unsigned mine;                   /* bits: parts whose rows belong to the piece */
    bool own_rows;
    cd_chain chain;
} connection;

static void connect(const cardan_model *model, const cd_piece *piece, int e, const cardan_point *at,
                    const cd_direct_target *to, connection *c)
{
    c->model = model;
    c->to = to;
    c->number = e;
    c->element = &model->element[e];
    c->wiring = &model->layout->element[e];
    c->mine = cd_piece_parts(model, piece, c->element);
    c->own_rows = cd_piece_owns_rows(piece, e);
    c->start[0] = 0;
    for (int i = 0; i < c->wiring->to->parts; i++)
        c->start[i + 1] = c->start[i] + c->wiring->to->width[i];
    cd_chain_open(model, c->element, at, true, &c->chain);
}

/* out += weight local T, or without T: rows of `local` begin at column `first` of part j. */
static void add_block(const connection *c, int j, int rows, double weight, bool mapped,
                      const double *local, double *out, int stride)
{
    const int width = c->wiring->to->width[j], n = c->chain.n;
    const int velocity = c->model->layout->part_start[c->wiring->part[j]];
    const double *T = mapped ? cd_direct_tangent(c->to, velocity) : NULL;
    const double factor = mapped && T == NULL ? weight * c->to->ratio : weight;
    for (int i = 0; i < rows; i++)
        for (int k = 0; k < width; k++) {
            double sum = T == NULL ? local[i * n + k] : 0.0;
            for (int p = 0; T != NULL && p < width; p++)
                sum += local[i * n + p] * T[p * width + k];
            out[k * stride + i] += factor * sum;
        }
}

/* Where the pattern has no block, `offset` is negative and local zero. */
static void add_square(const connection *c, const int *offset, double weight, bool mapped,
                       const double *local)
{
    const int parts = c->wiring->to->parts;
    for (int i = 0; i < parts; i++)
        for (int j = 0; j < parts; j++) {
            if ((c->mine >> i & 1u) == 0 || offset[i * parts + j] < 0)
                continue;
            const cd_block_pair pair = cd_block_between(c->to->lu, c->to->part[c->wiring->part[i]],
                                                        c->to->part[c->wiring->part[j]]);
            add_block(c, j, c->wiring->to->width[i], weight, mapped,
                      local + c->start[i] * c->chain.n + c->start[j], pair.ab, pair.ab_stride);
        }
}

/* Moves the rows that the system has to the front; returns their number. */
static int keep_rows(const connection *c, double *local)
{
    const int *place = c->model->layout->row_place + c->element->first_row, n = c->chain.n;
    int rows = 0;
    for (int i = 0; i < c->element->rows; i++)
        if (place[i] >= 0) {
            if (rows < i)
                cd_copy(n, local + i * n, local + rows * n);
            rows++;
        }
    return rows;
}

/* B T, B and B^T. */
static void add_rows(const connection *c, int rows, const double *local)
{
    const cd_direct_weights *weight = &c->to->weight;
    for (int j = 0; rows > 0 && j < c->wiring->to->parts; j++) {
        const double *own = local + c->start[j];
        const cd_block_pair pair =
            cd_block_between(c->to->lu, c->to->rows[c->number], c->to->part[c->wiring->part[j]]);
        if (c->own_rows && weight->position != 0.0)
            add_block(c, j, rows, weight->position, true, own, pair.ab, pair.ab_stride);
        if (c->own_rows && weight->velocity != 0.0)
            add_block(c, j, rows, weight->velocity, false, own, pair.ab, pair.ab_stride);
        for (int r = 0; (c->mine >> j & 1u) != 0 && r < rows; r++)
            cd_add(c->wiring->to->width[j], weight->reaction, own + r * c->chain.n,
                   pair.ba + r * pair.ba_stride);
    }
}

/* d(B v)/dq T */
static int add_hidden(const connection *c)
{
    const cd_element_type *type = c->element->type;
    double local[CD_ELEMENT_ROWS * CD_WORLD];
    const int code = cd_element_hidden_dq(&c->chain, c->element->rows, type->hidden_dx,
                                          type->constraint_dx, local);
    const int rows = code == 0 ? keep_rows(c, local) : 0;
    for (int j = 0; rows > 0 && j < c->wiring->to->parts; j++) {
        const cd_block_pair pair =
            cd_block_between(c->to->lu, c->to->rows[c->number], c->to->part[c->wiring->part[j]]);
        add_block(c, j, rows, c->to->weight.hidden, true, local + c->start[j], pair.ab,
                  pair.ab_stride);
    }
    return code;
}

static int add_constraints(const connection *c, cd_scales *scales)
{
    const cd_element_type *type = c->element->type;
    double local[CD_WORLD * CD_WORLD];
    int code = cd_element_gradient(&c->chain, c->element->rows, type->constraint_dx, local);
    if (code == 0) {
        const int rows = keep_rows(c, local);
        for (int i = 0; i < rows; i++)
            cd_blocks_note_row(scales, larger(c->chain.n, local + i * c->chain.n, 0.0));
        add_rows(c, rows, local);
        if (c->own_rows && c->to->weight.hidden != 0.0)
            code = add_hidden(c);
    }
    if (code == 0 && c->to->weight.by_q != 0.0) {
        code = cd_element_reaction_dq(&c->chain, c->element->rows, c->chain.place.lambda,
                                      type->constraint_dx, type->reaction_dx, local);
        if (code == 0)
            add_square(c, c->wiring->to->dynamics_dq, c->to->weight.by_q, true, local);
    }
    return code;
}

static int add_force(const connection *c)
{
    double local[CD_WORLD * CD_WORLD];
    int code = cd_element_force_dq(&c->chain, local);
    if (code == 0)
        add_square(c, c->wiring->to->dynamics_dq, -c->to->weight.by_q, true, local);
    if (code != 0 || c->element->type->force_dw == NULL)
        return code;
    code = cd_element_force_dv(&c->chain, local);
    if (code == 0)
        add_square(c, c->wiring->to->force_dv, -c->to->weight.by_v, false, local);
    return code;
}

static int add_element(const cardan_model *model, const cd_piece *piece, int e,
                       const cardan_point *at, const cd_direct_target *to, cd_scales *scales)
{
    const cd_element_type *type = model->element[e].type;
    connection c;
    if (type->constraint == NULL && is_mass_only(to))
        return 0;
    connect(model, piece, e, at, to, &c);
    int code = type->constraint != NULL ? add_constraints(&c, scales) : 0;
    if (code == 0 && type->force != NULL && !is_mass_only(to))
        code = add_force(&c);
    return code;
}

static bool wants_body(const cardan_model *model, int number, const cd_direct_target *to)
{
    return !to->open || cd_direct_wants(to, to->part[model->body[number].part]);
}

/* Blocks of two units belong to one of these. */
static bool wants_element(const cardan_model *model, int e, const cd_direct_target *to)
{
    const cd_wiring *wiring = &model->layout->element[e];
    bool wanted = cd_direct_wants(to, to->rows[e]);
    for (int i = 0; !wanted && i < wiring->to->parts; i++)
        wanted = cd_direct_wants(to, to->part[wiring->part[i]]);
    return wanted;
}

static cd_failure add_piece(void *context, const cardan_point *at, int number,
                            const cd_direct_target *to)
{
    const cardan_model *model = context;
    const cd_partition *partition = &model->layout->partition;
    const cd_piece *piece = number < 0 ? &partition->whole : &partition->piece[number];
    const bool saddle = model->layout->all_spatial && is_saddle(to);
    cd_scales scales = {0.0, 0.0, INFINITY};
    for (int i = 0; i < piece->bodies; i++)
        if (cd_piece_body(piece, i) < model->bodies && /* counters have no mass */
            wants_body(model, cd_piece_body(piece, i), to))
            add_body(model, cd_piece_body(piece, i), at, to, &scales);
    for (int i = 0; i < piece->elements; i++) {
        const int e = cd_piece_element(piece, i);
        int code = 0;
        if (!wants_element(model, e, to))
            continue;
        if (saddle && cd_pivot_is_saddle(model, e))
            cd_pivot_put_saddle(model, piece, e, at, to, &scales);
        else if (cd_pivot_is_direct(model, e))
            cd_pivot_add_blocks(model, piece, e, at, to, &scales);
        else
            code = add_element(model, piece, e, at, to, &scales);
        if (code != 0)
            return (cd_failure){code, e};
    }
    to->scales[number < 0 ? 0 : number] = scales;
    return (cd_failure){0, 0};
}

static void list_rows(const void *context, cd_span *rows)
{
    const cardan_model *model = context;
    for (int e = 0; e < model->elements; e++) {
        const cd_element *element = &model->element[e];
        const cd_kept kept =
            cd_layout_kept(model->layout->row_place, element->first_row, element->rows);
        rows[e] = kept.count > 0 ? (cd_span){kept.first, kept.first + kept.count} : (cd_span){0, 0};
    }
}

static int put_general_rows(const cardan_model *model, int e, const cardan_point *at,
                            const int *offset, double *out)
{
    const cd_element *element = &model->element[e];
    const cd_wires *wires = model->layout->element[e].to;
    const int *place = model->layout->row_place + element->first_row;
    double local[CD_ELEMENT_ROWS * CD_WORLD];
    cd_chain chain;
    cd_chain_open(model, element, at, true, &chain);
    const int code =
        cd_element_gradient(&chain, element->rows, element->type->constraint_dx, local);
    for (int r = 0; code == 0 && r < element->rows; r++) {
        const double *from = local + r * chain.n;
        if (place[r] < 0)
            continue;
        for (int i = 0; i < wires->parts; from += wires->width[i++])
            cd_copy(wires->width[i], from, out + offset[i]);
        out += 2 * CD_TREE_COLUMNS;
    }
    return code;
}

/* B of one element, whose parts belong to two bodies. */
static int put_rows(const void *context, const cardan_point *at, int e, const int first[2],
                    double *out, int *count)
{
    enum { STRIDE = 2 * CD_TREE_COLUMNS };
    const cardan_model *model = context;
    const cd_element *element = &model->element[e];
    const cd_wiring *wiring = &model->layout->element[e];
    int offset[CD_PARTS];
    *count = element->type->constraint != NULL
                 ? cd_layout_kept(model->layout->row_place, element->first_row, element->rows).count
                 : 0;
    for (int i = 0; *count > 0 && i < wiring->to->parts; i++) {
        const int velocity = model->layout->part_start[wiring->part[i]];
        const int side = cd_tree_side(first, velocity);
        offset[i] = side * CD_TREE_COLUMNS + velocity - first[side];
    }
    if (*count > 0 && cd_pivot_is_direct(model, e))
        cd_pivot_rows(model, e, at->q, offset, STRIDE, out);
    else if (*count > 0)
        return put_general_rows(model, e, at, offset, out);
    return 0;
}

/* T of SE(3) mixes the two parts of a body. */
void cd_blocks_of_model(const cardan_model *model, cd_direct *direct)
{
    bool possible = true;
    for (int b = 0; b < model->bodies; b++)
        possible = possible && model->body[b].form != &cd_form_se3;
    for (int e = 0; e < model->elements; e++)
        possible = possible && model->element[e].type->rolling == NULL;
    if (possible)
        *direct = (cd_direct){.add = add_piece,
                              .parts = model->layout->parts,
                              .elements = model->elements,
                              .part_start = model->layout->part_start,
                              .list_rows = list_rows,
                              .rows = put_rows};
}
