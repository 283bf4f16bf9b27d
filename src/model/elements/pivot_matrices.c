/* B and the stiffness of a pivot (pivot.c) written straight to where the system keeps them, between
 * bodies whose velocities are displacements in the world: spatial or planar ones, and ground.
 *
 *   gap i   (-i, -s1 x i, i, s2 x i)            stiffness  -f~ s1~ and f~ s2~ of the rotations
 *   dot     (0, n, 0, -n), n = a x b             stiffness  +-lambda b~ a~ and +-lambda a~ b~
 *
 * A planar body has the third component of its rotation only. */
#include "model/equations/blocks.h"
#include "model/equations/equations.h"
#include "restraint.h"

/* Blocks are too small for vectors: preparing them takes longer than the loops. */
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC optimize("no-tree-loop-vectorize")
#endif

/* One body of a pivot. */
typedef struct side {
    const cd_form *form; /* NULL: ground */
    double sign, arm[3];
    const double *R; /* of the body, in `q` or in `site` */
    cd_site site;
    int part; /* its first in the wiring */
} side;

bool cd_pivot_is_direct(const cardan_model *model, int e)
{
    const cd_element *element = &model->element[e];
    if (element->type != &cd_restraint_type || ((const cd_restraint *)element->self)->gaps == 0)
        return false;
    const cd_form *form = NULL;
    for (int b = 0; b < 2; b++) {
        const cd_form *own = model->layout->seat[cd_site_number(model, element->body[b])].form;
        if (own == NULL)
            continue;
        if ((own != &cd_form_spatial && own != &cd_form_planar) || (form != NULL && own != form))
            return false;
        form = own;
    }
    return form != NULL;
}

static const double *find_rotation(const cd_body *body, const double *q, cd_site *site)
{
    if (body != NULL && body->form == &cd_form_spatial)
        return q + body->q + 3;
    cd_body_site(body, body != NULL ? q + body->q : NULL, NULL, site);
    return site->R;
}

static void open_sides(const cardan_model *model, int e, const double *q, side sides[2])
{
    const cd_element *element = &model->element[e];
    const cd_restraint *it = element->self;
    int part = 0;
    for (int b = 0; b < 2; b++) {
        side *own = &sides[b];
        const cd_body *body = cd_model_body(model, element->body[b]);
        own->form = body != NULL ? body->form : NULL;
        own->sign = b == 0 ? -1.0 : 1.0;
        own->part = part;
        own->R = find_rotation(body, q, &own->site);
        cd_apply3(own->R, it->marker[b].offset, own->arm);
        part += own->form != NULL ? own->form->parts : 0;
    }
}

/* The axes of a row with a scalar product. */
static void find_axes(const cd_restraint *it, const side sides[2], int row, double a[3],
                      double b[3])
{
    cd_marker_turned_axis(sides[0].R, &it->marker[0], it->primitive[row].axis1, a);
    cd_marker_turned_axis(sides[1].R, &it->marker[1], it->primitive[row].axis2, b);
}

/* ---- B ---- */

/* A body's share of a row: its translation is to move along `axis` (-1: not at all), its rotation
 * about `turn`. */
static void put_share(const side *own, const int *offset, int axis, const double turn[3],
                      double *row)
{
    double *move = row + offset[own->part];
    if (axis >= 0 && (own->form == &cd_form_spatial || axis < 2))
        move[axis] = own->sign;
    if (own->form == &cd_form_planar)
        move[2] = own->sign * turn[2];
    else
        for (int i = 0; i < 3; i++)
            row[offset[own->part + 1] + i] = own->sign * turn[i];
}

static void put_row(const cd_restraint *it, const side sides[2], int i, const int *offset,
                    double *row)
{
    double a[3], b[3], turn[3];
    if (i >= it->gaps) {
        find_axes(it, sides, i, a, b);
        cd_cross(b, a, turn); /* -n, for the signs are those of the gaps */
    }
    for (int s = 0; s < 2; s++) {
        const double *arm = sides[s].arm;
        if (sides[s].form == NULL)
            continue;
        if (i < it->gaps) { /* arm x i */
            turn[i] = 0.0;
            turn[(i + 1) % 3] = arm[(i + 2) % 3];
            turn[(i + 2) % 3] = -arm[(i + 1) % 3];
        }
        put_share(&sides[s], offset, i < it->gaps ? i : -1, turn, row);
    }
}

void cd_pivot_rows(const cardan_model *model, int e, const double *q, const int *offset, int stride,
                   double *out)
{
    const cd_restraint *it = model->element[e].self;
    const int *place = model->layout->row_place + model->element[e].first_row;
    side sides[2];
    open_sides(model, e, q, sides);
    for (int i = 0; i < it->rows; i++)
        if (place[i] >= 0) {
            put_row(it, sides, i, offset, out);
            out += stride;
        }
}

void cd_pivot_put_rows(const cardan_model *model, int e, const double *q, double *out)
{
    const cd_layout *layout = model->layout;
    cd_pivot_rows(model, e, q, layout->element[e].to->rows, layout->rows.length[e],
                  out + layout->rows.base[e]);
}

/* ---- stiffness ---- */

/* Adds c a~ b~ to the block of two rotations. */
static void add_block(const side sides[2], const cd_pivot_stiffness *to, int one, int two, double c,
                      const double a[3], const double b[3])
{
    if (to->block[one][two] == NULL)
        return;
    if (sides[one].form == &cd_form_planar)
        *to->block[one][two] -= c * (a[0] * b[0] + a[1] * b[1]);
    else
        cd_add_double_skew(c, a, b, to->block[one][two], to->stride[one]);
}

static void add_dot(const side sides[2], const cd_pivot_stiffness *to, double c, const double a[3],
                    const double b[3])
{
    add_block(sides, to, 0, 0, c, b, a);
    add_block(sides, to, 0, 1, -c, a, b);
    add_block(sides, to, 1, 0, -c, b, a);
    add_block(sides, to, 1, 1, c, a, b);
}

/* Multipliers of all rows; 0 where the system lacks one. */
static void take_multipliers(const cardan_model *model, int e, const cardan_point *at,
                             double *lambda)
{
    const cd_restraint *it = model->element[e].self;
    const int *place = model->layout->row_place + model->element[e].first_row;
    for (int i = 0; i < it->rows; i++)
        lambda[i] = place[i] >= 0 ? at->lambda[place[i]] : 0.0;
}

void cd_pivot_stiffen(const cardan_model *model, int e, const cardan_point *at,
                      const cd_pivot_stiffness *to)
{
    const cd_restraint *it = model->element[e].self;
    double lambda[CD_ELEMENT_ROWS], f[3] = {0.0, 0.0, 0.0}, a[3], b[3];
    side sides[2];
    open_sides(model, e, at->q, sides);
    take_multipliers(model, e, at, lambda);
    cd_copy(it->gaps, lambda, f);
    for (int s = 0; s < 2; s++)
        add_block(sides, to, s, s, sides[s].sign, f, sides[s].arm);
    for (int i = it->gaps; i < it->rows; i++) {
        find_axes(it, sides, i, a, b);
        add_dot(sides, to, lambda[i], a, b);
    }
}

void cd_pivot_add_stiffness(const cardan_model *model, const cd_piece *piece, int e,
                            const cardan_point *at, double *out)
{
    const cd_wiring *wiring = &model->layout->element[e];
    const cd_grid *grid = &model->layout->dynamics_dq;
    cd_pivot_stiffness to = {0};
    int part[2], parts = 0; /* the part with a body's rotation; -1: ground */
    bool planar = false, wanted[2];
    for (int b = 0; b < 2; b++) {
        const int number = model->element[e].body[b];
        const cd_body *body = cd_model_body(model, number);
        wanted[b] = body != NULL && cd_piece_owns(piece, cd_site_number(model, number));
        parts += body != NULL ? body->form->parts : 0;
        part[b] = body != NULL ? parts - 1 : -1;
        planar = planar || (body != NULL && body->form == &cd_form_planar);
    }
    for (int i = 0; i < 2; i++) {
        const int group = part[i] >= 0 ? wiring->part[part[i]] : 0, length = grid->length[group];
        double *block = out + grid->base[group] + (planar ? 2 * length + 2 : 0);
        to.stride[i] = length;
        for (int j = 0; j < 2; j++)
            if (wanted[i] && part[j] >= 0)
                to.block[i][j] = block + wiring->to->dynamics_dq[part[i] * parts + part[j]];
    }
    cd_pivot_stiffen(model, e, at, &to);
}

/* ---- both to blocks ---- */

/* A pivot, opened once: the rows that the system has, what each moves along (-1: nothing) and, for
 * either body, turns about; the derivative of both times v; and the stiffness of both rotations,
 * without and with the gaps. */
typedef struct opened {
    const cd_restraint *it;
    side sides[2];
    bool stiff; /* is the stiffness wanted? */
    double lambda[CD_ELEMENT_ROWS];
    int count, axis[CD_ELEMENT_ROWS], number[CD_ELEMENT_ROWS]; /* of the row in the pivot */
    double turn[2][3 * CD_ELEMENT_ROWS], hidden[2][3 * CD_ELEMENT_ROWS];
    double dots[2][9], all[2][9];
} opened;

/* arm x i for both bodies */
static void open_gap(opened *p, int i, bool kept)
{
    const int j = (i + 1) % 3, k = (i + 2) % 3;
    for (int s = 0; kept && s < 2; s++) {
        double *turn = p->turn[s] + 3 * p->count;
        turn[i] = 0.0;
        turn[j] = p->sides[s].sign * p->sides[s].arm[k];
        turn[k] = -p->sides[s].sign * p->sides[s].arm[j];
    }
    p->axis[p->count] = p->number[p->count] = i;
    p->count += kept;
}

static void open_dot(opened *p, int i, bool kept)
{
    double a[3], b[3], *one = p->turn[0] + 3 * p->count, *two = p->turn[1] + 3 * p->count;
    find_axes(p->it, p->sides, i, a, b);
    if (p->stiff) {
        cd_add_double_skew(p->lambda[i], b, a, p->dots[0], 3);
        cd_add_double_skew(p->lambda[i], a, b, p->dots[1], 3);
    }
    if (!kept)
        return;
    cd_cross(a, b, one);
    for (int j = 0; j < 3; j++)
        two[j] = -one[j];
    p->number[p->count] = i;
    p->axis[p->count++] = -1;
}

/* The stiffness of the dots alone is there. */
static void add_gaps(opened *p)
{
    double f[3] = {0.0, 0.0, 0.0};
    cd_copy(p->it->gaps, p->lambda, f);
    for (int s = 0; s < 2; s++) {
        cd_copy(9, p->dots[s], p->all[s]);
        cd_add_double_skew(p->sides[s].sign, f, p->sides[s].arm, p->all[s], 3);
    }
}

static void open_pivot(const cardan_model *model, int e, const cardan_point *at, bool stiff,
                       opened *p)
{
    const int *place = model->layout->row_place + model->element[e].first_row;
    p->it = model->element[e].self;
    p->count = 0;
    p->stiff = stiff;
    open_sides(model, e, at->q, p->sides);
    if (stiff) {
        take_multipliers(model, e, at, p->lambda);
        cd_zero(18, p->dots[0]);
    }
    for (int i = 0; i < p->it->gaps; i++)
        open_gap(p, i, place[i] >= 0);
    for (int i = p->it->gaps; i < p->it->rows; i++)
        open_dot(p, i, place[i] >= 0);
    if (stiff)
        add_gaps(p);
}

/* The rotation of a body, which may be ground. */
static void take_spin(const cd_body *body, const double *v, double spin[3])
{
    cd_zero(3, spin);
    if (body != NULL && body->form == &cd_form_planar)
        spin[2] = v[body->v + 2];
    else if (body != NULL)
        cd_copy(3, v + body->v + 3, spin);
}

/* d(B v)/dq by the rotations: of a gap i
 *   sign (w x (dphi x s))_i = sign ((w . s) i - s_i w) . dphi,
 * of a dot, B v = (w1 - w2) . (a x b),
 *   ((w1 - w2) x b) x a and -((w1 - w2) x a) x b. */
static void open_hidden(const cardan_model *model, int e, const double *v, opened *p)
{
    double spin[2][3], relative[3], a[3], b[3], half[3];
    for (int s = 0; s < 2; s++)
        take_spin(cd_model_body(model, model->element[e].body[s]), v, spin[s]);
    for (int j = 0; j < 3; j++)
        relative[j] = spin[0][j] - spin[1][j];
    for (int r = 0; r < p->count; r++) {
        double *const one = p->hidden[0] + 3 * r, *const two = p->hidden[1] + 3 * r;
        const int i = p->axis[r];
        if (i >= 0) {
            for (int s = 0; s < 2; s++) {
                const double *arm = p->sides[s].arm, sign = p->sides[s].sign;
                for (int j = 0; j < 3; j++)
                    p->hidden[s][3 * r + j] = -sign * arm[i] * spin[s][j];
                p->hidden[s][3 * r + i] += sign * cd_dot(3, arm, spin[s]);
            }
            continue;
        }
        find_axes(p->it, p->sides, p->number[r], a, b);
        cd_cross(relative, b, half);
        cd_cross(half, a, one);
        cd_cross(relative, a, half);
        cd_cross(b, half, two);
    }
}

static void note_sizes(const opened *p, cd_scales *scales)
{
    for (int r = 0; r < p->count; r++) {
        double size = p->axis[r] >= 0 ? 1.0 : 0.0;
        for (int s = 0; s < 2; s++)
            for (int j = p->sides[s].form == &cd_form_planar ? 2 : 0;
                 p->sides[s].form != NULL && j < 3; j++) {
                const double entry = fabs(p->turn[s][3 * r + j]);
                size = entry > size ? entry : size;
            }
        cd_blocks_note_row(scales, size);
    }
}

/* One body of a pivot; its part of B is in `turn` and along the axes, with a sign. */
typedef struct share {
    const cd_body *body; /* NULL: ground */
    double sign;
    const double *turn, *hidden; /* the latter if it is wanted */
    bool wanted;                 /* its rows */
    cd_spot rotation;            /* of its velocities */
    const double *T;             /* NULL: a planar body */
} share;

static share share_of(const cardan_model *model, const cd_piece *piece, int number, const opened *p,
                      int s, const cd_direct_target *to)
{
    share it = {.body = cd_model_body(model, number),
                .sign = p->sides[s].sign,
                .turn = p->turn[s],
                .hidden = p->hidden[s]};
    if (it.body == NULL)
        return it;
    it.wanted = cd_piece_owns(piece, cd_site_number(model, number));
    if (it.body->form == &cd_form_planar) {
        it.rotation = to->part[it.body->part];
        it.rotation.place += 2;
        return it;
    }
    it.rotation = to->part[it.body->part + 1];
    it.T = cd_direct_tangent(to, it.body->v + 3);
    return it;
}

/* d(B v)/dq does not depend on places. */
static void add_moves(const cd_direct_target *to, const opened *p, const share *it, cd_spot joint,
                      bool own_rows)
{
    const cd_block_pair pair = cd_block_between(to->lu, joint, to->part[it->body->part]);
    const double position = (to->weight.position * to->ratio + to->weight.velocity) * it->sign;
    for (int r = 0; r < p->count; r++) {
        const int axis = p->axis[r];
        if (axis < 0 || (it->T == NULL && axis == 2))
            continue;
        if (own_rows)
            pair.ab[axis * pair.ab_stride + r] += position;
        if (it->wanted)
            pair.ba[r * pair.ba_stride + axis] += to->weight.reaction * it->sign;
    }
}

static void add_turns(const cd_direct_target *to, const opened *p, const share *it, cd_spot joint,
                      bool own_rows)
{
    const cd_block_pair pair = cd_block_between(to->lu, joint, it->rotation);
    const double *turn = it->turn, reaction = to->weight.reaction, velocity = to->weight.velocity;
    if (own_rows && to->weight.position != 0.0)
        cd_blocks_add_turned(p->count, to->weight.position, turn, it->T, pair.ab, pair.ab_stride);
    if (own_rows && to->weight.hidden != 0.0)
        cd_blocks_add_turned(p->count, to->weight.hidden, it->hidden, it->T, pair.ab,
                             pair.ab_stride);
    for (int j = 0; own_rows && velocity != 0.0 && j < 3; j++)
        for (int r = 0; r < p->count; r++)
            pair.ab[j * pair.ab_stride + r] += velocity * turn[3 * r + j];
    double *row = pair.ba;
    for (int r = 0; it->wanted && r < p->count; r++, turn += 3, row += pair.ba_stride) {
        row[0] += reaction * turn[0];
        row[1] += reaction * turn[1];
        row[2] += reaction * turn[2];
    }
}

/* The same of a planar body: its last velocity. */
static void add_angles(const cd_direct_target *to, const opened *p, const share *it, cd_spot joint,
                       bool own_rows)
{
    const cd_block_pair pair = cd_block_between(to->lu, joint, it->rotation);
    const double turned = to->weight.position * to->ratio + to->weight.velocity;
    const double hidden = to->weight.hidden * to->ratio;
    for (int r = 0; r < p->count; r++) {
        if (own_rows)
            pair.ab[r] += turned * it->turn[3 * r + 2];
        if (own_rows && hidden != 0.0)
            pair.ab[r] += hidden * it->hidden[3 * r + 2];
        if (it->wanted)
            pair.ba[r * pair.ba_stride] += to->weight.reaction * it->turn[3 * r + 2];
    }
}

/* Of rotations; of planar bodies the last number. */
static void add_to_rotation(const cd_direct_target *to, const share *col, double sign,
                            const double *stiffness, double *out, int stride)
{
    const double weight = sign * to->weight.by_q;
    if (col->T != NULL)
        cd_blocks_add_turned(3, weight, stiffness, col->T, out, stride);
    else
        *out += weight * to->ratio * stiffness[8];
}

static void add_stiffnesses(const cd_direct_target *to, const opened *p, const share shares[2])
{
    for (int s = 0; s < 2; s++)
        if (shares[s].wanted) {
            const cd_block_pair own =
                cd_block_between(to->lu, shares[s].rotation, shares[s].rotation);
            add_to_rotation(to, &shares[s], 1.0, p->all[s], own.ab, own.ab_stride);
        }
    if (p->it->rows == p->it->gaps || shares[0].body == NULL || shares[1].body == NULL)
        return;
    const cd_block_pair pair = cd_block_between(to->lu, shares[0].rotation, shares[1].rotation);
    if (shares[0].wanted)
        add_to_rotation(to, &shares[1], -1.0, p->dots[1], pair.ab, pair.ab_stride);
    if (shares[1].wanted)
        add_to_rotation(to, &shares[0], -1.0, p->dots[0], pair.ba, pair.ba_stride);
}

void cd_pivot_add_blocks(const cardan_model *model, const cd_piece *piece, int e,
                         const cardan_point *at, const cd_direct_target *to, cd_scales *scales)
{
    const bool own_rows = cd_piece_owns_rows(piece, e);
    opened p;
    share shares[2];
    open_pivot(model, e, at, to->weight.by_q != 0.0, &p);
    if (to->weight.hidden != 0.0)
        open_hidden(model, e, at->v, &p);
    note_sizes(&p, scales);
    for (int s = 0; s < 2; s++) {
        shares[s] = share_of(model, piece, model->element[e].body[s], &p, s, to);
        if (shares[s].body == NULL || p.count == 0)
            continue;
        add_moves(to, &p, &shares[s], to->rows[e], own_rows);
        (shares[s].T != NULL ? add_turns : add_angles)(to, &p, &shares[s], to->rows[e], own_rows);
    }
    if (p.stiff)
        add_stiffnesses(to, &p, shares);
}
