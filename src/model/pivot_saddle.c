/* B and B^T of a pivot (pivot.c) between spatial bodies, written to the blocks of a matrix
 * (M B^T; B 0) that explicit methods make anew in every evaluation. Nothing else has entries there.
 *
 *   gap i   (-i, -s1 x i, i, s2 x i)        dot   (0, n, 0, -n), n = a x b */
#include "model/blocks.h"
#include "model/equations.h"
#include "model/joint.h"

/* Blocks are too small for vectors: preparing them takes longer than the loops. */
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC optimize("no-tree-loop-vectorize")
#endif

/* One body of a pivot, and where its columns of B and its rows of B^T are. */
typedef struct end {
    const cd_body *body; /* NULL: ground */
    const double *R;
    double sign, arm[3];
    double *row, *column;       /* of B and of B^T; NULL: not wanted */
    int row_stride, col_stride; /* from column to column */
    int turns;                  /* the rotation's first, from that of the translation */
} end;

static bool is_spatial(const cd_body *body)
{
    return body == NULL || body->form == &cd_form_spatial;
}

bool cd_pivot_is_saddle(const cardan_model *model, int e, const cd_direct_target *to)
{
    const cd_element *element = &model->element[e];
    const int *place = model->layout->row_place + element->first_row;
    bool possible = to->weight.by_q == 0.0 && to->weight.position == 0.0 &&
                    to->weight.hidden == 0.0 &&
                    is_spatial(cd_model_body(model, element->body[0])) &&
                    is_spatial(cd_model_body(model, element->body[1]));
    for (int i = 0; i < element->rows; i++)
        possible = possible && place[i] >= 0;
    return possible;
}

static void open_end(const cardan_model *model, const cd_piece *piece, int e,
                     const cardan_point *at, const cd_direct_target *to, int number, end *out)
{
    static const double upright[9] = {1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0};
    const cd_element *element = &model->element[e];
    const cd_restraint *it = element->self;
    const cd_body *body = cd_model_body(model, element->body[number]);
    out->body = body;
    out->R = body != NULL ? at->q + body->q + 3 : upright;
    out->sign = number == 0 ? -1.0 : 1.0;
    out->row = out->column = NULL;
    if (body == NULL)
        return;
    cd_apply3(out->R, it->marker[number].offset, out->arm);
    const cd_spot moves = to->part[body->part];
    const cd_block_pair pair = cd_block_between(to->lu, to->rows[e], moves);
    out->turns = to->part[body->part + 1].place - moves.place;
    out->row_stride = pair.ab_stride;
    out->col_stride = pair.ba_stride;
    if (cd_piece_owns_rows(piece, e))
        out->row = pair.ab;
    if (cd_piece_owns(piece, element->body[number]))
        out->column = pair.ba;
}

/* Row i: a move along it, and a turn. */
static inline void put_gap(const cd_direct_weights *weight, const end *own, int i)
{
    const int j = (i + 1) % 3, k = (i + 2) % 3;
    const double one = own->sign, two = own->sign * own->arm[k], three = -own->sign * own->arm[j];
    if (own->row != NULL) {
        double *row = own->row + i, *turns = row + own->turns * own->row_stride;
        row[i * own->row_stride] = weight->velocity * one;
        turns[j * own->row_stride] = weight->velocity * two;
        turns[k * own->row_stride] = weight->velocity * three;
    }
    if (own->column != NULL) {
        double *column = own->column + i * own->col_stride, *turns = column + own->turns;
        column[i] = weight->reaction * one;
        turns[j] = weight->reaction * two;
        turns[k] = weight->reaction * three;
    }
}

static inline void put_dot(const cd_direct_weights *weight, const end *own, int i,
                           const double n[3])
{
    for (int j = 0; j < 3; j++) {
        if (own->row != NULL)
            own->row[(own->turns + j) * own->row_stride + i] = -weight->velocity * own->sign * n[j];
        if (own->column != NULL)
            own->column[i * own->col_stride + own->turns + j] =
                -weight->reaction * own->sign * n[j];
    }
}

static inline double larger(double x, double size)
{
    return fabs(x) > size ? fabs(x) : size;
}

static void put_gaps(const cd_direct_weights *weight, int gaps, const end ends[2],
                     cd_scales *scales)
{
    double size[3] = {1.0, 1.0, 1.0};
    for (int s = 0; s < 2; s++) {
        const double *arm = ends[s].arm;
        if (ends[s].body == NULL)
            continue;
        for (int i = 0; i < 3; i++) {
            if (i < gaps)
                put_gap(weight, &ends[s], i);
            size[i] = larger(arm[(i + 1) % 3], larger(arm[(i + 2) % 3], size[i]));
        }
    }
    for (int i = 0; i < gaps; i++)
        cd_blocks_note_row(scales, size[i]);
}

static void put_dots(const cd_direct_weights *weight, const cd_restraint *it, const end ends[2],
                     cd_scales *scales)
{
    double a[3], b[3] = {0.0}, n[3];
    for (int i = it->gaps, last = -1; i < it->rows; i++) {
        const cd_primitive *p = &it->primitive[i];
        cd_marker_turned_axis(ends[0].R, &it->marker[0], p->axis1, a);
        if (p->axis2 != last)
            cd_marker_turned_axis(ends[1].R, &it->marker[1], p->axis2, b);
        last = p->axis2;
        cd_cross(a, b, n);
        for (int s = 0; s < 2; s++)
            if (ends[s].body != NULL)
                put_dot(weight, &ends[s], i, n);
        cd_blocks_note_row(scales, larger(n[0], larger(n[1], larger(n[2], 0.0))));
    }
}

void cd_pivot_put_saddle(const cardan_model *model, const cd_piece *piece, int e,
                         const cardan_point *at, const cd_direct_target *to, cd_scales *scales)
{
    const cd_restraint *it = model->element[e].self;
    end ends[2];
    for (int s = 0; s < 2; s++)
        open_end(model, piece, e, at, to, s, &ends[s]);
    put_gaps(&to->weight, it->gaps, ends, scales);
    put_dots(&to->weight, it, ends, scales);
}
