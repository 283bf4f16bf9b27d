/* Measures of rotation: rotation vector, scalar product of axes, angle atan2(s, c) with s and c
 * sums of such products, angular velocity; and displacement and rotation together.
 *
 * With theta the rotation vector of Q = E1^T E2 (E the axes), rotations of the bodies by dphi1 and
 * dphi2 give dtheta = A(theta) E1^T (dphi2 - dphi1), where A = I - theta~/2 + b theta~^2 is the
 * inverse of the tangent operator for changes on the left, and b depends on |theta| only.
 *
 * X_value, X_gradient, X_rate_dx and X_curvature are the functions of measure X (measure.h). */
#include "measure.h"

enum { PHI1 = 3, PHI2 = 9 }; /* columns of the rotations of body 1 and 2 */

/* Adds to d(G^T y)/dx the change dT = `change` dphi of a moment T that acts on body 2 and,
 * opposite, on body 1. `column` is that of the rotation dphi. */
static void add_moment_change(const double change[9], int column, double *out)
{
    cd_add_block(-1.0, change, PHI1, column, CD_PAIR, out);
    cd_add_block(1.0, change, PHI2, column, CD_PAIR, out);
}

/* ---- rotation vector ---- */

/* The rotation vector theta. */
static void find_rotation_vector(const cd_pair *pair, double theta[3])
{
    double transposed[9], relative[9];
    cd_transpose3(pair->one.axes, transposed);
    cd_product3(transposed, pair->two.axes, relative);
    cd_rotation_log(relative, theta);
}

/* Beyond this angle the rotation vector may jump to the opposite one. */
static const double largest_angle = 3.14;

static int rotation_value(const cd_pair *pair, double *e)
{
    double theta[3];
    find_rotation_vector(pair, theta);
    cd_add(3, 1.0, theta, e);
    return cd_square3(theta) < largest_angle * largest_angle ? 0 : 1;
}

/* out = A(theta) E1^T */
static void find_inverse_tangent(const cd_pair *pair, const double theta[3], double out[9])
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
    find_rotation_vector(pair, theta);
    find_inverse_tangent(pair, theta, block);
    cd_add_block(-1.0, block, 0, PHI1, CD_PAIR, G);
    cd_add_block(1.0, block, 0, PHI2, CD_PAIR, G);
}

/* out = d(x + p theta x x + b theta x (theta x x))/dtheta at fixed x. This is the derivative of A x
 * for p = -1/2, and of A^T x for p = 1/2. */
static void differentiate_tangent(const double theta[3], double p, const double x[3], double out[9])
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
    find_rotation_vector(pair, theta);
    find_inverse_tangent(pair, theta, tangent);
    cd_apply_transposed3(pair->one.axes, pair->w, w);
    differentiate_tangent(theta, -0.5, w, change);
    cd_product3(change, tangent, block);
    cd_add_block(-1.0, block, 0, PHI1, CD_PAIR, out);
    cd_add_block(1.0, block, 0, PHI2, CD_PAIR, out);
    cd_times_skew(tangent, pair->w, block);
    cd_add_block(1.0, block, 0, PHI1, CD_PAIR, out);
}

static void rotation_curvature(const cd_pair *pair, const double *y, double *out)
{
    double theta[3], tangent[9], change[9], product[9], block[9], moment[3];
    find_rotation_vector(pair, theta);
    find_inverse_tangent(pair, theta, tangent);
    cd_apply_transposed3(tangent, y, moment); /* E1 A^T y */
    differentiate_tangent(theta, 0.5, y, change);
    cd_product3(change, tangent, product);
    cd_product3(pair->one.axes, product, block);
    add_moment_change(block, PHI2, out);
    cd_skew(moment, product);
    for (int i = 0; i < 9; i++)
        block[i] = -block[i] - product[i];
    add_moment_change(block, PHI1, out);
}

const cd_measure cd_rotation_vector = {CD_MEASURE(3, rotation, false)};

/* ---- scalar product of axes: G = (0, n, 0, -n) with n = a x b, and in the rotations
 * H = dG/dx = (b~ a~, -a~ b~; -b~ a~, a~ b~) ---- */

/* G += scale (0, n, 0, -n), for the scalar product of axes a and b. */
static void add_dot_gradient(const double a[3], const double b[3], double scale, double *G)
{
    double n[3];
    cd_cross(a, b, n);
    cd_add(3, scale, n, G + PHI1);
    cd_add(3, -scale, n, G + PHI2);
}

/* out += scale w^T H, with the relative angular velocity w = w2 - w1. */
static void add_dot_rate_dx(const double a[3], const double b[3], const double w[3], double scale,
                            double *out)
{
    double inner[3], outer[3];
    cd_cross(b, w, inner);
    cd_cross(a, inner, outer);
    cd_add(3, -scale, outer, out + PHI1);
    cd_cross(a, w, inner);
    cd_cross(b, inner, outer);
    cd_add(3, scale, outer, out + PHI2);
}

/* out += scale H, in the rows and columns of the rotations. */
static void add_dot_curvature(const double a[3], const double b[3], double scale, double *out)
{
    double *phi1 = out + CD_PAIR * PHI1, *phi2 = out + CD_PAIR * PHI2;
    cd_add_double_skew(scale, b, a, phi1 + PHI1, CD_PAIR);
    cd_add_double_skew(-scale, a, b, phi1 + PHI2, CD_PAIR);
    cd_add_double_skew(-scale, b, a, phi2 + PHI1, CD_PAIR);
    cd_add_double_skew(scale, a, b, phi2 + PHI2, CD_PAIR);
}

/* The two axes that the options name, in the world. */
static void find_axes(const cd_pair *pair, double a[3], double b[3])
{
    cd_marker_axis(&pair->one, pair->options.axis1, a);
    cd_marker_axis(&pair->two, pair->options.axis2, b);
}

static int dot_value(const cd_pair *pair, double *e)
{
    double a[3], b[3];
    find_axes(pair, a, b);
    *e += cd_dot3(a, b);
    return 0;
}

static void dot_gradient(const cd_pair *pair, double *G)
{
    double a[3], b[3];
    find_axes(pair, a, b);
    add_dot_gradient(a, b, 1.0, G);
}

static void dot_rate_dx(const cd_pair *pair, double *out)
{
    double a[3], b[3];
    find_axes(pair, a, b);
    add_dot_rate_dx(a, b, pair->w, 1.0, out);
}

static void dot_curvature(const cd_pair *pair, const double *y, double *out)
{
    double a[3], b[3];
    find_axes(pair, a, b);
    add_dot_curvature(a, b, y[0], out);
}

const cd_measure cd_axes_product = {CD_MEASURE(1, dot, false)};

/* ---- angle = atan2(s, c), where s and c are sums of scalar products of axes ---- */

enum { MOST_TERMS = 4 };

/* s and c with their terms, the products a . b times `sign`. */
typedef struct angle_terms {
    int count;
    double a[MOST_TERMS][3], b[MOST_TERMS][3];
    double weight[MOST_TERMS]; /* derivative of the angle with respect to a . b */
    double s, c, square;       /* square = c^2 + s^2 */
    double sign[MOST_TERMS];
    bool in_s[MOST_TERMS]; /* the term belongs to s, else to c */
} angle_terms;

/* Adds `sign` times axis1 of frame 1 . axis2 of frame 2 to s or c. */
static void add_product(const cd_pair *pair, bool in_s, double sign, int axis1, int axis2,
                        angle_terms *it)
{
    double *a = it->a[it->count], *b = it->b[it->count];
    cd_marker_axis(&pair->one, axis1, a);
    cd_marker_axis(&pair->two, axis2, b);
    *(in_s ? &it->s : &it->c) += sign * cd_dot3(a, b);
    it->sign[it->count] = sign;
    it->in_s[it->count++] = in_s;
}

/* Adds the products that make up s and c of the angle that the options select. */
static void add_products(const cd_pair *pair, angle_terms *it)
{
    const int k = pair->options.axis1, i = (k + 1) % 3, j = (k + 2) % 3, m = pair->options.axis2;
    switch (pair->options.about) {
    case CD_ABOUT_BOTH:
        add_product(pair, true, 1.0, j, i, it);
        add_product(pair, true, -1.0, i, j, it);
        add_product(pair, false, 1.0, i, i, it);
        add_product(pair, false, 1.0, j, j, it);
        break;
    case CD_ABOUT_AXIS_1:
        add_product(pair, true, 1.0, j, m, it);
        add_product(pair, false, 1.0, i, m, it);
        break;
    case CD_ABOUT_AXIS_2:
        add_product(pair, true, 1.0, k, (m + 1) % 3, it);
        add_product(pair, false, 1.0, k, k, it);
        break;
    }
}

/* The s and c of an angle at the present axes, with their terms. */
static angle_terms find_angle_terms(const cd_pair *pair)
{
    angle_terms it;
    it.count = 0;
    it.s = it.c = 0.0;
    add_products(pair, &it);
    it.square = it.c * it.c + it.s * it.s;
    for (int i = 0; i < it.count; i++)
        it.weight[i] = it.sign[i] * (it.in_s[i] ? it.c : -it.s) / it.square;
    return it;
}

static int angle_value(const cd_pair *pair, double *e)
{
    const angle_terms it = find_angle_terms(pair);
    *e += atan2(it.s, it.c);
    return it.square > 1e-12 ? 0 : 1;
}

static void angle_gradient(const cd_pair *pair, double *G)
{
    const angle_terms it = find_angle_terms(pair);
    for (int i = 0; i < it.count; i++)
        add_dot_gradient(it.a[i], it.b[i], it.weight[i], G);
}

/* The gradients of s, c and the angle. */
typedef struct angle_gradients {
    double S[CD_PAIR], C[CD_PAIR], G[CD_PAIR];
} angle_gradients;

static angle_gradients find_angle_gradients(const angle_terms *it)
{
    angle_gradients all = {{0.0}, {0.0}, {0.0}};
    for (int i = 0; i < it->count; i++)
        add_dot_gradient(it->a[i], it->b[i], it->sign[i], it->in_s[i] ? all.S : all.C);
    cd_add(CD_PAIR, it->c / it->square, all.S, all.G);
    cd_add(CD_PAIR, -it->s / it->square, all.C, all.G);
    return all;
}

/* Adds to the H of the products the terms (C dS - S dC - G d(c^2 + s^2)) / (c^2 + s^2). */
static void angle_rate_dx(const cd_pair *pair, double *out)
{
    const angle_terms it = find_angle_terms(pair);
    const angle_gradients by = find_angle_gradients(&it);
    const double *w = pair->w;
    const double g = cd_dot3(by.G + PHI2, w), dc = cd_dot3(by.C + PHI2, w),
                 ds = cd_dot3(by.S + PHI2, w);
    for (int i = 0; i < it.count; i++)
        add_dot_rate_dx(it.a[i], it.b[i], w, it.weight[i], out);
    cd_add(CD_PAIR, (ds - 2.0 * it.c * g) / it.square, by.C, out);
    cd_add(CD_PAIR, (-dc - 2.0 * it.s * g) / it.square, by.S, out);
}

static void angle_curvature(const cd_pair *pair, const double *y, double *out)
{
    const angle_terms it = find_angle_terms(pair);
    const angle_gradients by = find_angle_gradients(&it);
    const double scale = y[0] / it.square;
    for (int i = 0; i < it.count; i++)
        add_dot_curvature(it.a[i], it.b[i], y[0] * it.weight[i], out);
    for (int i = 0; i < CD_PAIR; i++) {
        cd_add(CD_PAIR, scale * (by.S[i] - 2.0 * it.c * by.G[i]), by.C, out + CD_PAIR * i);
        cd_add(CD_PAIR, scale * (-by.C[i] - 2.0 * it.s * by.G[i]), by.S, out + CD_PAIR * i);
    }
}

const cd_measure cd_angle = {CD_MEASURE(1, angle, true)};

double cd_wrap_angle(double x)
{
    return remainder(x, cd_two_pi);
}

/* ---- angular velocity ---- */

static void spin_gradient(const cd_pair *pair, double *G)
{
    const cd_marker_state *frame[2] = {&pair->one, &pair->two};
    for (int f = 0; f < 2; f++) {
        double axes[9];
        cd_transpose3(frame[f]->axes, axes);
        cd_add_block(-1.0, axes, 3 * f, PHI1, CD_PAIR, G);
        cd_add_block(1.0, axes, 3 * f, PHI2, CD_PAIR, G);
    }
}

static void spin_rate_dx(const cd_pair *pair, double *out)
{
    const cd_marker_state *frame[2] = {&pair->one, &pair->two};
    for (int f = 0; f < 2; f++) {
        double axes[9], block[9];
        cd_transpose3(frame[f]->axes, axes);
        cd_times_skew(axes, pair->w, block);
        cd_add_block(1.0, block, 3 * f, f == 0 ? PHI1 : PHI2, CD_PAIR, out);
    }
}

static void spin_curvature(const cd_pair *pair, const double *y, double *out)
{
    const cd_marker_state *frame[2] = {&pair->one, &pair->two};
    for (int f = 0; f < 2; f++) {
        double moment[3], skew[9];
        cd_apply3(frame[f]->axes, y + 3 * f, moment);
        cd_scale(3, -1.0, moment);
        cd_skew(moment, skew);
        add_moment_change(skew, f == 0 ? PHI1 : PHI2, out);
    }
}

const cd_measure cd_spin = {6, NULL, spin_gradient, spin_rate_dx, spin_curvature, false};

/* ---- displacement, followed by the components of a measure of rotation ---- */

#define AFTER_DISPLACEMENT(name)                                                                   \
    static void moved_##name##_gradient(const cd_pair *pair, double *G)                            \
    {                                                                                              \
        cd_displacement.gradient(pair, G);                                                         \
        name##_gradient(pair, G + 3 * CD_PAIR);                                                    \
    }                                                                                              \
    static void moved_##name##_rate_dx(const cd_pair *pair, double *out)                           \
    {                                                                                              \
        cd_displacement.rate_dx(pair, out);                                                        \
        name##_rate_dx(pair, out + 3 * CD_PAIR);                                                   \
    }                                                                                              \
    static void moved_##name##_curvature(const cd_pair *pair, const double *y, double *out)        \
    {                                                                                              \
        cd_displacement.curvature(pair, y, out);                                                   \
        name##_curvature(pair, y + 3, out);                                                        \
    }

AFTER_DISPLACEMENT(rotation)
AFTER_DISPLACEMENT(spin)

static int moved_rotation_value(const cd_pair *pair, double *e)
{
    cd_displacement.value(pair, e);
    return rotation_value(pair, e + 3);
}

const cd_measure cd_rigid_displacement = {CD_MEASURE(6, moved_rotation, false)};

const cd_measure cd_relative_motion = {
    9, NULL, moved_spin_gradient, moved_spin_rate_dx, moved_spin_curvature, false};
