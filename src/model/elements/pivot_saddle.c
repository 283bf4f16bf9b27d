/* B and B^T of a pivot (pivot.c) between spatial bodies, written to the blocks of a matrix
 * (M B^T; B 0) that explicit methods make anew in every evaluation. Nothing else has entries there.
 *
 *   gap i   (-i, -s1 x i, i, s2 x i)        dot   (0, n, 0, -n), n = a x b */
#include "model/equations/blocks.h"
#include "model/equations/equations.h"
#include "restraint.h"

/* Blocks are too small for vectors: preparing them takes longer than the loops. */
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC optimize("no-tree-loop-vectorize")
#endif

/* One body of a pivot, and where its columns of B and its rows of B^T are. */
typedef struct end {
    const double *R;
    double arm[3], sign;
    double *row, *column;       /* of B and of B^T */
    int row_stride, col_stride; /* from column to column */
    int turns;                  /* the rotation's first, from that of the translation */
} end;

bool cd_pivot_is_saddle(const cardan_model *model, int e)
{
    const cd_element *element = &model->element[e];
    const int *place = model->layout->row_place + element->first_row;
    bool possible =
        element->type == &cd_restraint_type && ((const cd_restraint *)element->self)->gaps == 3;
    for (int i = 0; possible && i < element->rows; i++)
        possible = place[i] >= 0;
    return possible;
}

static inline void open_end(const cd_body *body, const cd_marker *marker, int number,
                            const double *q, cd_spot rows, const cd_direct_target *to, end *out)
{
    const cd_spot moves = to->part[body->part];
    const cd_block_pair pair = cd_block_between(to->lu, rows, moves);
    out->R = q + body->q + 3;
    cd_apply3(out->R, marker->offset, out->arm);
    out->sign = number == 0 ? -1.0 : 1.0;
    out->row = pair.ab;
    out->column = pair.ba;
    out->row_stride = pair.ab_stride;
    out->col_stride = pair.ba_stride;
    out->turns = to->part[body->part + 1].place - moves.place;
}

/* Moves along x, y and z, and the turns arm x i that go with them. */
static inline void put_gaps(double weight, const double arm[3], double *moves, double *turns,
                            int row, int col)
{
    const double x = weight * arm[0], y = weight * arm[1], z = weight * arm[2];
    moves[0] = moves[row + col] = moves[2 * (row + col)] = weight;
    turns[col] = z;
    turns[2 * col] = -y;
    turns[row] = -z;
    turns[row + 2 * col] = x;
    turns[2 * row] = y;
    turns[2 * row + col] = -x;
}

static inline void put_dot(double weight, const double n[3], double *turns, int col)
{
    turns[0] = weight * n[0];
    turns[col] = weight * n[1];
    turns[2 * col] = weight * n[2];
}

/* a x b of the rows behind the gaps. */
static inline void find_normals(const cd_restraint *it, const double *R1, const double *R2,
                                double (*n)[3])
{
    double a[3], b[3] = {0.0};
    for (int i = 3, last = -1; i < it->rows; i++) {
        const cd_primitive *p = &it->primitive[i];
        cd_marker_turned_axis(R1, &it->marker[0], p->axis1, a);
        if (p->axis2 != last)
            cd_marker_turned_axis(R2, &it->marker[1], p->axis2, b);
        last = p->axis2;
        cd_cross(a, b, n[i - 3]);
    }
}

/* What one body of the pivot has in B, and in B^T. */
static inline void put_end(const cd_direct_weights *weight, int dots, double (*n)[3],
                           const end *own, bool rows, bool columns)
{
    if (rows) {
        const double w = weight->velocity * own->sign;
        double *turns = own->row + own->turns * own->row_stride;
        put_gaps(w, own->arm, own->row, turns, 1, own->row_stride);
        for (int i = 0; i < dots; i++)
            put_dot(-w, n[i], turns + 3 + i, own->row_stride);
    }
    if (columns) {
        const double w = weight->reaction * own->sign;
        double *turns = own->column + own->turns;
        put_gaps(w, own->arm, own->column, turns, own->col_stride, 1);
        for (int i = 0; i < dots; i++)
            put_dot(-w, n[i], turns + (3 + i) * own->col_stride, 1);
    }
}

static inline double larger(double x, double y)
{
    return x > y ? x : y;
}

/* Rows of gaps have the 1 of a move and two numbers of either arm. */
static inline void note_gaps(const double arm[3], double size[3])
{
    const double x = fabs(arm[0]), y = fabs(arm[1]), z = fabs(arm[2]);
    size[0] = larger(size[0], larger(y, z));
    size[1] = larger(size[1], larger(z, x));
    size[2] = larger(size[2], larger(x, y));
}

void cd_pivot_put_saddle(const cardan_model *model, const cd_piece *piece, int e,
                         const cardan_point *at, const cd_direct_target *to, cd_scales *scales)
{
    static const double upright[9] = {1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0};
    const cd_element *element = &model->element[e];
    const cd_restraint *it = element->self;
    const bool own_rows = cd_piece_owns_rows(piece, e);
    double n[CD_ELEMENT_ROWS][3], size[3] = {1.0, 1.0, 1.0};
    const double *R[2] = {upright, upright};
    end ends[2];
    for (int s = 0; s < 2; s++)
        if (element->body[s] >= 0) {
            open_end(&model->body[element->body[s]], &it->marker[s], s, at->q, to->rows[e], to,
                     &ends[s]);
            R[s] = ends[s].R;
            note_gaps(ends[s].arm, size);
        }
    find_normals(it, R[0], R[1], n);
    for (int s = 0; s < 2; s++)
        if (element->body[s] >= 0)
            put_end(&to->weight, it->rows - 3, n, &ends[s], own_rows,
                    cd_piece_owns(piece, element->body[s]));
    for (int i = 0; i < 3; i++)
        cd_blocks_note_row(scales, size[i]);
    for (int i = 3; i < it->rows; i++)
        cd_blocks_note_row(scales,
                           larger(fabs(n[i - 3][0]), larger(fabs(n[i - 3][1]), fabs(n[i - 3][2]))));
}
