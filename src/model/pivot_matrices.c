/* B and the stiffness of a pivot (pivot.c) written straight to where the system keeps them, between
 * bodies whose velocities are displacements in the world: spatial or planar ones, and ground.
 *
 *   gap i   (-i, -s1 x i, i, s2 x i)            stiffness  -f~ s1~ and f~ s2~ of the rotations
 *   dot     (0, n, 0, -n), n = a x b             stiffness  +-lambda b~ a~ and +-lambda a~ b~
 *
 * A planar body has the third component of its rotation only. */
#include "model/equations.h"
#include "model/joint.h"

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

void cd_pivot_stiffen(const cardan_model *model, int e, const cardan_point *at,
                      const cd_pivot_stiffness *to)
{
    const cd_restraint *it = model->element[e].self;
    const int *place = model->layout->row_place + model->element[e].first_row;
    double lambda[CD_ELEMENT_ROWS], f[3] = {0.0, 0.0, 0.0}, a[3], b[3];
    side sides[2];
    open_sides(model, e, at->q, sides);
    for (int i = 0; i < it->rows; i++)
        lambda[i] = place[i] >= 0 ? at->lambda[place[i]] : 0.0;
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
