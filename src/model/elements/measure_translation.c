/* Measures of translation: distance, displacement in frame 1, and the slip of a rolling contact.
 *
 * Notation: a1, a2 arms of the origins, b = reach; F~ is the matrix of F x. Derivatives follow from
 * d(arm) = dphi x arm and d(axes) = dphi~ axes. */
#include "measure.h"

enum { R1 = 0, PHI1 = 3, R2 = 6, PHI2 = 9 };

static void add(double c, const double block[9], int row, int column, double *out)
{
    cd_add_block(c, block, row, column, CD_PAIR, out);
}

/* a~ b~ */
static void skew_product(const double a[3], const double b[3], double out[9])
{
    double left[9];
    cd_skew(a, left);
    cd_times_skew(left, b, out);
}

/* ---- distance ---- */

static double direction(const cd_pair *pair, double n[3])
{
    const double length = sqrt(cd_square3(pair->d));
    for (int i = 0; i < 3; i++)
        n[i] = length > 0.0 ? pair->d[i] / length : 0.0;
    return length;
}

/* The row x^T dd, where dd is the change of the vector between the origins. */
static void add_row_of_ends(const cd_pair *pair, const double x[3], double *row)
{
    double turn1[3], turn2[3];
    cd_cross(x, pair->one.arm, turn1); /* x^T a1~ */
    cd_cross(pair->two.arm, x, turn2); /* -x^T a2~ */
    cd_add(3, -1.0, x, row + R1);
    cd_add(3, 1.0, turn1, row + PHI1);
    cd_add(3, 1.0, x, row + R2);
    cd_add(3, 1.0, turn2, row + PHI2);
}

static int distance_value(const cd_pair *pair, double *e)
{
    double n[3];
    const double length = direction(pair, n);
    *e += length;
    return length > 0.0 ? 0 : 1;
}

static void distance_gradient(const cd_pair *pair, double *G)
{
    double n[3];
    direction(pair, n);
    add_row_of_ends(pair, n, G);
}

/* w x (dphi x a) = -w~ a~ dphi, along n */
static void add_centripetal(double c, const double n[3], const double w[3], const double arm[3],
                            double *row)
{
    double nw[3], nwa[3];
    cd_cross(n, w, nw);
    cd_cross(nw, arm, nwa);
    cd_add(3, -c, nwa, row);
}

static void distance_rate_dx(const cd_pair *pair, double *out)
{
    double n[3], across[3];
    const double length = direction(pair, n);
    if (!(length > 0.0))
        return;
    for (int i = 0; i < 3; i++)
        across[i] = pair->two.v[i] - pair->one.v[i];
    const double rate = cd_dot3(n, across);
    for (int i = 0; i < 3; i++)
        across[i] = (across[i] - rate * n[i]) / length;
    add_row_of_ends(pair, across, out);
    add_centripetal(1.0, n, pair->two.w, pair->two.arm, out + PHI2);
    add_centripetal(-1.0, n, pair->one.w, pair->one.arm, out + PHI1);
}

static void distance_curvature(const cd_pair *pair, const double *y, double *out)
{
    double n[3], force[3], lift[9], arm1[9], arm2[9];
    const double length = direction(pair, n);
    if (!(length > 0.0))
        return;
    cd_skew(pair->one.arm, arm1);
    cd_skew(pair->two.arm, arm2);
    for (int i = 0; i < 3; i++) {
        /* dF = y (I - n n^T) / L dd, on the rows of G^T: -I, -a1~, I, a2~ */
        double row[CD_PAIR] = {0}, e[3];
        for (int j = 0; j < 3; j++)
            e[j] = y[0] * ((i == j ? 1.0 : 0.0) - n[i] * n[j]) / length;
        add_row_of_ends(pair, e, row);
        cd_add(CD_PAIR, -1.0, row, out + (R1 + i) * CD_PAIR);
        cd_add(CD_PAIR, 1.0, row, out + (R2 + i) * CD_PAIR);
        for (int k = 0; k < 3; k++) {
            cd_add(CD_PAIR, -arm1[3 * k + i], row, out + (PHI1 + k) * CD_PAIR);
            cd_add(CD_PAIR, arm2[3 * k + i], row, out + (PHI2 + k) * CD_PAIR);
        }
        force[i] = y[0] * n[i];
    }
    skew_product(force, pair->one.arm, lift);
    add(-1.0, lift, PHI1, PHI1, out);
    skew_product(force, pair->two.arm, lift);
    add(1.0, lift, PHI2, PHI2, out);
}

const cd_measure cd_distance = {1, distance_value, distance_gradient, distance_rate_dx,
                                distance_curvature};

/* ---- displacement along the axes of frame 1, and slip ---- */

/* The touching point from both centres of mass: b1 = reach - radius z1, b2 = a2 - radius z1. */
static void touching(const cd_pair *pair, double radius, double z[3], double b1[3], double b2[3])
{
    cd_marker_axis(&pair->one, 2, z);
    for (int i = 0; i < 3; i++) {
        b1[i] = pair->reach[i] - radius * z[i];
        b2[i] = pair->two.arm[i] - radius * z[i];
    }
}

static void slip_velocity(const cd_pair *pair, double radius, double out[3])
{
    double z[3], turning[3];
    cd_marker_axis(&pair->one, 2, z);
    cd_cross(pair->w, z, turning);
    for (int i = 0; i < 3; i++)
        out[i] = pair->v[i] - radius * turning[i];
}

static void contact_gradient(const cd_pair *pair, double radius, double *G)
{
    double z[3], b1[3], b2[3], axes[9], block[9];
    touching(pair, radius, z, b1, b2);
    cd_transpose3(pair->one.axes, axes);
    add(-1.0, axes, 0, R1, G);
    cd_times_skew(axes, b1, block);
    add(1.0, block, 0, PHI1, G);
    add(1.0, axes, 0, R2, G);
    cd_times_skew(axes, b2, block);
    add(-1.0, block, 0, PHI2, G);
}

static void contact_rate_dx(const cd_pair *pair, double radius, double *out)
{
    double z[3], v[3], axes[9], product[9], block[9];
    cd_marker_axis(&pair->one, 2, z);
    slip_velocity(pair, radius, v);
    cd_transpose3(pair->one.axes, axes);
    cd_times_skew(axes, pair->one.w, block);
    add(1.0, block, 0, R1, out);
    add(-1.0, block, 0, R2, out);
    cd_times_skew(axes, v, block);
    add(1.0, block, 0, PHI1, out);
    skew_product(pair->w, z, product);
    cd_product3(axes, product, block);
    add(radius, block, 0, PHI1, out);
    skew_product(pair->w, pair->two.arm, product);
    cd_product3(axes, product, block);
    add(-1.0, block, 0, PHI2, out);
}

static void contact_curvature(const cd_pair *pair, double radius, const double *y, double *out)
{
    double z[3], b1[3], b2[3], force[3], skew[9], block[9];
    touching(pair, radius, z, b1, b2);
    cd_apply3(pair->one.axes, y, force);
    cd_skew(force, skew);
    add(1.0, skew, R1, PHI1, out);
    add(-1.0, skew, R2, PHI1, out);
    add(-1.0, skew, PHI1, R1, out);
    add(1.0, skew, PHI1, R2, out);
    cd_times_skew(skew, pair->two.arm, block);
    add(-1.0, block, PHI1, PHI2, out);
    add(1.0, block, PHI2, PHI2, out);
    cd_times_skew(skew, z, block);
    add(radius, block, PHI1, PHI1, out);
    add(-radius, block, PHI2, PHI1, out);
    skew_product(b1, force, block);
    add(1.0, block, PHI1, PHI1, out);
    skew_product(b2, force, block);
    add(-1.0, block, PHI2, PHI1, out);
}

static int displacement_value(const cd_pair *pair, double *e)
{
    double place[3];
    cd_apply_transposed3(pair->one.axes, pair->d, place);
    cd_add(3, 1.0, place, e);
    return 0;
}

static void slip_gradient(const cd_pair *pair, double *G)
{
    contact_gradient(pair, pair->radius, G);
}

static void slip_rate_dx(const cd_pair *pair, double *out)
{
    contact_rate_dx(pair, pair->radius, out);
}

static void slip_curvature(const cd_pair *pair, const double *y, double *out)
{
    contact_curvature(pair, pair->radius, y, out);
}

const cd_measure cd_slip = {3, displacement_value, slip_gradient, slip_rate_dx, slip_curvature};

static void displacement_gradient(const cd_pair *pair, double *G)
{
    contact_gradient(pair, 0.0, G);
}

static void displacement_rate_dx(const cd_pair *pair, double *out)
{
    contact_rate_dx(pair, 0.0, out);
}

static void displacement_curvature(const cd_pair *pair, const double *y, double *out)
{
    contact_curvature(pair, 0.0, y, out);
}

const cd_measure cd_displacement = {3, displacement_value, displacement_gradient,
                                    displacement_rate_dx, displacement_curvature};
