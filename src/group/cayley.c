/* See cayley.h. For rotations every matrix is a polynomial of d~, with a = |d|^2 / 4 and the cosine
 * c = 1 / sqrt(1 + a) of half the angle; for SE(3) they are products of operators of the group. */
#include "cayley.h"

#include "base/numeric.h"
#include "group.h"
#include "kind.h"
#include "rotation.h"

#include <math.h>

/* Finds the curved component of a factor; false for R^n. */
static bool find_curved(const cardan_group *group, int i, cd_curved *out)
{
    *out = cd_group_curved(group, i);
    return out->n > 0;
}

void cd_group_cayley(const cardan_group *group, const double *d, double *w)
{
    cd_curved p;
    if (w != d)
        cd_copy(cardan_group_dof(group), d, w);
    for (int i = 0; i < cardan_group_factor_count(group); i++)
        if (find_curved(group, i, &p) && p.n == 3) {
            const double half = 0.5 * sqrt(cd_square3(d + p.first));
            if (half > 0.0)
                cd_scale(3, atan(half) / half, w + p.first);
        }
}

/* out = Ad_exp(w) x, for rotations (n = 3) or SE(3) (n = 6). */
static void apply_adjoint_exp(int n, const double *w, const double *x, double *out)
{
    double motion[12], s1, s2;
    if (n == 6) {
        cd_kind_se3.exp(w, motion);
        cd_kind_se3.adjoint(motion, x, out);
        return;
    }
    cd_s1_s2(cd_square3(w), &s1, &s2);
    cd_apply_skew_polynomial(w, s1, s2, x, out);
}

void cd_group_carry_velocity(const cardan_group *group, const double *w, const double *x,
                             double *out)
{
    cd_curved p;
    cd_copy(cardan_group_dof(group), x, out);
    for (int i = 0; i < cardan_group_factor_count(group); i++)
        if (find_curved(group, i, &p) && p.right)
            apply_adjoint_exp(p.n, w + p.first, x + p.first, out + p.first);
}

void cd_group_add_cayley_error(const cardan_group *group, const double *v, const double *vdot,
                               double *out)
{
    cd_curved p;
    for (int i = 0; i < cardan_group_factor_count(group); i++) {
        if (!find_curved(group, i, &p))
            continue;
        const double *a = v + p.first, *b = vdot + p.first;
        double bracket[6];
        if (p.n == 3)
            cd_add(3, 0.5 * cd_square3(a), a, out + p.first);
        if (p.right) { /* [v, v'] is minus this */
            p.kind->bracket(a, b, bracket);
            cd_add(p.n, 1.5, bracket, out + p.first);
        }
    }
}

/* ---- rotations ---- */

/* alpha I + beta d~/2 + gamma d d^T / 4 */
static void make_polynomial(const double *d, double alpha, double beta, double gamma, double *block)
{
    const double diagonal = alpha + gamma * 0.25 * cd_square3(d);
    cd_skew_polynomial(d, 0.5 * beta, 0.25 * gamma, block);
    for (int i = 0; i < 9; i += 4)
        block[i] += diagonal;
}

/* The cosine of half the angle of cay(d). */
static double half_cosine(const double *d)
{
    return 1.0 / sqrt(1.0 + 0.25 * cd_square3(d));
}

/* ---- SE(3) ---- */

/* block <- Ad_exp(scale d) block, 6 x 6 */
static void apply_adjoint_to_columns(double scale, const double *d, double *block)
{
    double w[6], column[6], changed[6];
    for (int i = 0; i < 6; i++)
        w[i] = scale * d[i];
    for (int j = 0; j < 6; j++) {
        for (int i = 0; i < 6; i++)
            column[i] = block[6 * i + j];
        apply_adjoint_exp(6, w, column, changed);
        for (int i = 0; i < 6; i++)
            block[6 * i + j] = changed[i];
    }
}

/* The tangent operator of a left factor at scale times d. */
static void make_se3_tangent(double scale, const double *d, double *block)
{
    double w[6];
    for (int i = 0; i < 6; i++)
        w[i] = scale * d[i];
    cd_zero(36, block);
    cd_kind_se3.tangent_block((cd_operator){0}, w, 6, block);
}

/* I + scale ad_d, for a right factor multiplied by Ad_exp(-scale d). */
static void make_se3_force(const cd_curved *p, double scale, const double *d, double *block)
{
    for (int j = 0; j < 6; j++) {
        double basis[6] = {0}, column[6];
        basis[j] = 1.0;
        cd_kind_se3.bracket(d, basis, column);
        for (int i = 0; i < 6; i++)
            block[6 * i + j] = basis[i] + scale * column[i];
    }
    if (p->right)
        apply_adjoint_to_columns(-scale, d, block);
}

/* ---- rotations and SE(3) ---- */

void cd_group_change_at_end(const cardan_group *group, int factor, const double *d, double *block)
{
    cd_curved p;
    find_curved(group, factor, &p);
    d += p.first;
    if (p.n == 6) {
        make_se3_tangent(1.0, d, block);
        if (p.right)
            apply_adjoint_to_columns(0.5, d, block);
        return;
    }
    const double c = half_cosine(d);
    if (p.right)
        make_polynomial(d, c, 0.0, -c * c * c / (1.0 + c), block);
    else
        make_polynomial(d, c * c, -c * c, 0.0, block);
}

void cd_group_change_mid_step(const cardan_group *group, int factor, const double *d, double *block)
{
    cd_curved p;
    find_curved(group, factor, &p);
    d += p.first;
    if (p.n == 6) {
        make_se3_tangent(0.5, d, block);
        return;
    }
    const double c = half_cosine(d), square = c * c / (1.0 + c);
    make_polynomial(d, c, -square, -c * square, block);
}

/* The matrix for forces at q_n (sign 1) or at q_{n+1} (sign -1). */
static void make_force_block(const cardan_group *group, int factor, double sign, const double *d,
                             double *block)
{
    cd_curved p;
    find_curved(group, factor, &p);
    d += p.first;
    if (p.n == 6) {
        make_se3_force(&p, 0.5 * sign, d, block);
        return;
    }
    const double c = half_cosine(d);
    if (p.right)
        make_polynomial(d, 1.0 / c, 0.0, -c / (1.0 + c), block);
    else
        make_polynomial(d, 1.0, sign, 0.0, block);
}

void cd_group_force_at_start(const cardan_group *group, int factor, const double *d, double *block)
{
    make_force_block(group, factor, 1.0, d, block);
}

void cd_group_force_at_end(const cardan_group *group, int factor, const double *d, double *block)
{
    make_force_block(group, factor, -1.0, d, block);
}
