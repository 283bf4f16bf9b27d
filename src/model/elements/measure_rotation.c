/* Measures of rotation: rotation vector, twist about z, angular velocity; and the rigid
 * displacement, which is displacement and rotation vector together.
 *
 * With theta the rotation vector of Q = E1^T E2 (E the axes), a turn of the bodies by dphi1, dphi2
 * gives dtheta = A(theta) E1^T (dphi2 - dphi1), where A = I - theta~/2 + b theta~^2 is the inverse
 * of the tangent operator for changes on the left, and b depends on |theta| only. */
#include "measure.h"

enum { PHI1 = 3, PHI2 = 9 };

static void add(double c, const double block[9], int row, int column, double *out)
{
    cd_add_block(c, block, row, column, CD_PAIR, out);
}

/* A moment T that acts on body 2 and, opposite, on body 1: how its change dT = D dphi[column] goes
 * into d(G^T y)/dx. */
static void add_moment_change(const double change[9], int column, double *out)
{
    add(-1.0, change, PHI1, column, out);
    add(1.0, change, PHI2, column, out);
}

/* ---- rotation vector ---- */

static void rotation_vector(const cd_pair *pair, double theta[3])
{
    double transposed[9], relative[9];
    cd_transpose3(pair->one.axes, transposed);
    cd_product3(transposed, pair->two.axes, relative);
    cd_rotation_log(relative, theta);
}

/* Beyond this the rotation vector is about to jump to the other side. */
static const double largest_angle = 3.14;

static int rotation_value(const cd_pair *pair, double *e)
{
    double theta[3];
    rotation_vector(pair, theta);
    cd_add(3, 1.0, theta, e);
    return cd_square3(theta) < largest_angle * largest_angle ? 0 : 1;
}

/* A(theta) E1^T */
static void inverse_tangent(const cd_pair *pair, const double theta[3], double out[9])
{
    double a[9], axes[9];
    cd_skew_polynomial(theta, -0.5, cd_inverse_tangent_square(cd_square3(theta)), a);
    cd_add_identity3(a);
    cd_transpose3(pair->one.axes, axes);
    cd_product3(a, axes, out);
}

static void rotation_gradient(const cd_pair *pair, double *G)
{
    double theta[3], block[9];
    rotation_vector(pair, theta);
    inverse_tangent(pair, theta, block);
    add(-1.0, block, 0, PHI1, G);
    add(1.0, block, 0, PHI2, G);
}

/* d(x + p theta x x + b theta x (theta x x))/dtheta, x fixed: with p = -1/2 of A x, with p = 1/2 of
 * A^T x. */
static void tangent_change(const double theta[3], double p, const double x[3], double out[9])
{
    const double z = cd_square3(theta), b = cd_inverse_tangent_square(z);
    const double slope = cd_inverse_tangent_square_slope(z);
    double once[3], twice[3], skew[9], product[9];
    cd_cross(theta, x, once);
    cd_cross(theta, once, twice);
    cd_skew(x, skew);
    cd_zero(9, out);
    cd_add(9, -p, skew, out);
    cd_skew(theta, product);
    cd_times_skew(product, x, skew);
    cd_add(9, -b, skew, out);
    cd_skew(once, skew);
    cd_add(9, -b, skew, out);
    for (int i = 0; i < 3; i++)
        cd_add(3, slope * twice[i], theta, out + 3 * i);
}

static void rotation_rate_dx(const cd_pair *pair, double *out)
{
    double theta[3], tangent[9], change[9], block[9], w[3];
    rotation_vector(pair, theta);
    inverse_tangent(pair, theta, tangent);
    cd_apply_transposed3(pair->one.axes, pair->w, w);
    tangent_change(theta, -0.5, w, change);
    cd_product3(change, tangent, block);
    add(-1.0, block, 0, PHI1, out);
    add(1.0, block, 0, PHI2, out);
    cd_times_skew(tangent, pair->w, block);
    add(1.0, block, 0, PHI1, out);
}

static void rotation_curvature(const cd_pair *pair, const double *y, double *out)
{
    double theta[3], tangent[9], change[9], product[9], block[9], moment[3];
    rotation_vector(pair, theta);
    inverse_tangent(pair, theta, tangent);
    cd_apply_transposed3(tangent, y, moment); /* E1 A^T y */
    tangent_change(theta, 0.5, y, change);
    cd_product3(change, tangent, product);
    cd_product3(pair->one.axes, product, block);
    add_moment_change(block, PHI2, out);
    cd_skew(moment, product);
    for (int i = 0; i < 9; i++)
        block[i] = -block[i] - product[i];
    add_moment_change(block, PHI1, out);
}

const cd_measure cd_rotation_vector = {3, rotation_value, rotation_gradient, rotation_rate_dx,
                                       rotation_curvature};

/* ---- displacement and rotation vector ---- */

static int rigid_value(const cd_pair *pair, double *e)
{
    cd_displacement.value(pair, e);
    return rotation_value(pair, e + 3);
}

static void rigid_gradient(const cd_pair *pair, double *G)
{
    cd_displacement.gradient(pair, G);
    rotation_gradient(pair, G + 3 * CD_PAIR);
}

static void rigid_rate_dx(const cd_pair *pair, double *out)
{
    cd_displacement.rate_dx(pair, out);
    rotation_rate_dx(pair, out + 3 * CD_PAIR);
}

static void rigid_curvature(const cd_pair *pair, const double *y, double *out)
{
    cd_displacement.curvature(pair, y, out);
    rotation_curvature(pair, y + 3, out);
}

const cd_measure cd_rigid_displacement = {6, rigid_value, rigid_gradient, rigid_rate_dx,
                                          rigid_curvature};

/* ---- twist about z ---- */

/* g = (z1 + z2) / (1 + z1 . z2); returns the denominator. */
static double twist_axis(const cd_pair *pair, double z1[3], double z2[3], double g[3])
{
    cd_marker_axis(&pair->one, 2, z1);
    cd_marker_axis(&pair->two, 2, z2);
    const double below = 1.0 + cd_dot3(z1, z2);
    for (int i = 0; i < 3; i++)
        g[i] = (z1[i] + z2[i]) / below;
    return below;
}

static int twist_value(const cd_pair *pair, double *e)
{
    double axes[9], q[9];
    cd_transpose3(pair->one.axes, axes);
    cd_product3(axes, pair->two.axes, q);
    *e += atan2(q[3] - q[1], q[0] + q[4]);
    return 1.0 + q[8] > 1e-6 ? 0 : 1;
}

static void twist_gradient(const cd_pair *pair, double *G)
{
    double z1[3], z2[3], g[3];
    twist_axis(pair, z1, z2, g);
    cd_add(3, -1.0, g, G + PHI1);
    cd_add(3, 1.0, g, G + PHI2);
}

/* dg = change1 dphi1 + change2 dphi2 */
static void twist_axis_change(const cd_pair *pair, double change1[9], double change2[9])
{
    double z1[3], z2[3], g[3], c[3];
    const double below = twist_axis(pair, z1, z2, g);
    cd_cross(z1, z2, c);
    cd_skew(z1, change1);
    cd_skew(z2, change2);
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) {
            change1[3 * i + j] = (-change1[3 * i + j] - g[i] * c[j]) / below;
            change2[3 * i + j] = (-change2[3 * i + j] + g[i] * c[j]) / below;
        }
}

static void twist_rate_dx(const cd_pair *pair, double *out)
{
    double change1[9], change2[9];
    twist_axis_change(pair, change1, change2);
    for (int i = 0; i < 3; i++) {
        cd_add(3, pair->w[i], change1 + 3 * i, out + PHI1);
        cd_add(3, pair->w[i], change2 + 3 * i, out + PHI2);
    }
}

static void twist_curvature(const cd_pair *pair, const double *y, double *out)
{
    double change[2][9], moment[9];
    twist_axis_change(pair, change[0], change[1]);
    for (int side = 0; side < 2; side++) {
        cd_zero(9, moment);
        cd_add(9, y[0], change[side], moment);
        add_moment_change(moment, side == 0 ? PHI1 : PHI2, out);
    }
}

const cd_measure cd_twist = {1, twist_value, twist_gradient, twist_rate_dx, twist_curvature};

/* ---- angular velocity ---- */

static void spin_gradient(const cd_marker_place *frame, double *G)
{
    double axes[9];
    cd_transpose3(frame->axes, axes);
    add(-1.0, axes, 0, PHI1, G);
    add(1.0, axes, 0, PHI2, G);
}

static void spin_rate_dx(const cd_pair *pair, const cd_marker_place *frame, int column, double *out)
{
    double axes[9], block[9];
    cd_transpose3(frame->axes, axes);
    cd_times_skew(axes, pair->w, block);
    add(1.0, block, 0, column, out);
}

static void spin_curvature(const cd_marker_place *frame, const double *y, int column, double *out)
{
    double moment[3], reversed[3], skew[9];
    cd_apply3(frame->axes, y, moment);
    for (int i = 0; i < 3; i++)
        reversed[i] = -moment[i];
    cd_skew(reversed, skew);
    add_moment_change(skew, column, out);
}

static void spin_in_1_gradient(const cd_pair *pair, double *G)
{
    spin_gradient(&pair->one, G);
}

static void spin_in_1_rate_dx(const cd_pair *pair, double *out)
{
    spin_rate_dx(pair, &pair->one, PHI1, out);
}

static void spin_in_1_curvature(const cd_pair *pair, const double *y, double *out)
{
    spin_curvature(&pair->one, y, PHI1, out);
}

static void spin_in_2_gradient(const cd_pair *pair, double *G)
{
    spin_gradient(&pair->two, G);
}

static void spin_in_2_rate_dx(const cd_pair *pair, double *out)
{
    spin_rate_dx(pair, &pair->two, PHI2, out);
}

static void spin_in_2_curvature(const cd_pair *pair, const double *y, double *out)
{
    spin_curvature(&pair->two, y, PHI2, out);
}

const cd_measure cd_spin_in_1 = {3, NULL, spin_in_1_gradient, spin_in_1_rate_dx,
                                 spin_in_1_curvature};
const cd_measure cd_spin_in_2 = {3, NULL, spin_in_2_gradient, spin_in_2_rate_dx,
                                 spin_in_2_curvature};
