/* Pivots: joints that hold a point of one body at one of the other (in the plane: along x and y)
 * and perhaps axes at right angles, without motions: spherical, revolute, universal and rigid ones,
 * which are most of all.
 * Their rows are those of primitive_translation.c and primitive_rotation.c, evaluated together:
 *
 *   gaps   B = (-I, s1~, I, -s2~),   B^T f = (-f, -s1 x f, f, s2 x f)
 *   dots   B = (0, n, 0, -n),        n = a x b
 *
 * with a~ b~ = b a^T - (a . b) I in the derivatives. */
#include "restraint.h"

#include <assert.h>

enum { R1 = 0, PHI1 = 3, R2 = 6, PHI2 = 9 };

static bool is_gap(const cd_primitive *p, int axis)
{
    return p->type == &cd_primitive_gap && p->axis1 == axis && p->motion == NULL;
}

int cd_restraint_gaps(const cd_restraint *it)
{
    int gaps = 0;
    while (gaps < 3 && gaps < it->rows && is_gap(&it->primitive[gaps], gaps))
        gaps++;
    for (int i = gaps; i < it->rows; i++)
        if (it->primitive[i].type != &cd_primitive_dot || it->primitive[i].motion != NULL)
            return 0;
    return gaps >= 2 ? gaps : 0;
}

/* The rows behind the gaps: the sum of lambda a x b is added to the moment. */
static inline void add_dots(const cd_restraint *it, const cd_stance *at, const cd_share *out,
                            double moment[3])
{
    const double *w1 = at->motion[0] + 3, *w2 = at->motion[1] + 3;
    double a[3], b[3] = {0.0}, n[3];
    for (int i = it->gaps, last = -1; i < it->rows; i++) {
        const cd_primitive *p = &it->primitive[i];
        cd_marker_turned_axis(at->pose[0] + 3, &it->marker[0], p->axis1, a);
        if (p->axis2 != last)
            cd_marker_turned_axis(at->pose[1] + 3, &it->marker[1], p->axis2, b);
        last = p->axis2;
        cd_cross(a, b, n);
        if (out->phi != NULL)
            out->phi[i] = cd_dot3(a, b) - p->constant;
        if (out->rate != NULL)
            out->rate[i] = (w1[0] - w2[0]) * n[0] + (w1[1] - w2[1]) * n[1] + (w1[2] - w2[2]) * n[2];
        if (out->wrench != NULL)
            for (int j = 0; j < 3; j++)
                moment[j] += at->lambda[i] * n[j];
    }
}

int cd_pivot_residual(const cd_restraint *it, const cd_stance *at, const cd_share *out)
{
    const double *one = at->pose[0], *two = at->pose[1];
    double f[3] = {0.0, 0.0, 0.0}, arm1[3], arm2[3], turn1[3], turn2[3],
           moment[3] = {0.0, 0.0, 0.0};
    cd_apply3(one + 3, it->marker[0].offset, arm1);
    cd_apply3(two + 3, it->marker[1].offset, arm2);
    assert(it->gaps <= 3);
    if (out->phi != NULL)
        for (int i = 0; i < it->gaps; i++)
            out->phi[i] = cd_way(two[i] - one[i], arm1[i], arm2[i], at->low[1][i] - at->low[0][i]) -
                          it->primitive[i].constant;
    if (out->rate != NULL) {
        const double *u1 = at->motion[0], *u2 = at->motion[1];
        cd_cross(u1 + 3, arm1, turn1);
        cd_cross(u2 + 3, arm2, turn2);
        for (int i = 0; i < it->gaps; i++)
            out->rate[i] = (u2[i] + turn2[i]) - (u1[i] + turn1[i]);
    }
    if (it->rows > it->gaps)
        add_dots(it, at, out, moment);
    if (out->wrench == NULL)
        return 0;
    cd_copy(it->gaps, at->lambda, f);
    cd_cross(arm1, f, turn1);
    cd_cross(arm2, f, turn2);
    for (int i = 0; i < 3; i++) {
        out->wrench[i] = -f[i];
        out->wrench[3 + i] = moment[i] - turn1[i];
        out->wrench[6 + i] = f[i];
        out->wrench[9 + i] = turn2[i] - moment[i];
    }
    return 0;
}

void cd_pivot_gradient(const cd_restraint *it, const cd_site *site, double *B)
{
    const int sides[2] = {R1, R2};
    for (int b = 0; b < 2; b++) {
        const double sign = b == 0 ? -1.0 : 1.0;
        double arm[3];
        cd_apply3(site[b].R, it->marker[b].offset, arm);
        for (int i = 0; i < it->gaps; i++) { /* i, arm x i */
            double *row = B + CD_PAIR * i + sides[b];
            row[i] += sign;
            row[3 + (i + 1) % 3] += sign * arm[(i + 2) % 3];
            row[3 + (i + 2) % 3] -= sign * arm[(i + 1) % 3];
        }
    }
    for (int i = it->gaps; i < it->rows; i++) {
        double a[3], b[3], n[3], *row = B + CD_PAIR * i;
        cd_marker_turned_axis(site[0].R, &it->marker[0], it->primitive[i].axis1, a);
        cd_marker_turned_axis(site[1].R, &it->marker[1], it->primitive[i].axis2, b);
        cd_cross(a, b, n);
        cd_add(3, 1.0, n, row + PHI1);
        cd_add(3, -1.0, n, row + PHI2);
    }
}

void cd_pivot_curvature(const cd_restraint *it, const cd_site *site, const double *lambda,
                        double *out)
{
    double f[3] = {0.0, 0.0, 0.0};
    cd_copy(it->gaps, lambda, f);
    for (int b = 0; b < 2; b++) { /* of +-s x f: +-f~ s~ */
        double arm[3];
        cd_apply3(site[b].R, it->marker[b].offset, arm);
        cd_add_double_skew(b == 0 ? -1.0 : 1.0, f, arm,
                           out + (CD_PAIR + 1) * (b == 0 ? PHI1 : PHI2), CD_PAIR);
    }
    for (int i = it->gaps; i < it->rows; i++) {
        double a[3], b[3];
        cd_marker_turned_axis(site[0].R, &it->marker[0], it->primitive[i].axis1, a);
        cd_marker_turned_axis(site[1].R, &it->marker[1], it->primitive[i].axis2, b);
        cd_dot_curvature(a, b, lambda[i], out);
    }
}
