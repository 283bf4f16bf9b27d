/* Measures of translation: the vector between the origins, its length, and displacement along the
 * axes of a frame. X_value, X_gradient, X_rate_dx and X_curvature are the functions of measure X
 * (measure.h).
 *
 * Notation: d from origin 1 to origin 2, s1 and s2 the arms of the origins; F~ is the matrix of
 * F x. Derivatives follow from d(arm) = dphi x arm and d(axes) = dphi~ axes. */
#include "measure.h"

/* Columns of the displacements and rotations of body 1 and 2. */
enum { R1 = 0, PHI1 = 3, R2 = 6, PHI2 = 9 };

/* out += c a x b */
static void add_cross(double c, const double a[3], const double b[3], double *out)
{
    double product[3];
    cd_cross(a, b, product);
    cd_add(3, c, product, out);
}

/* ---- separation, the vector between the origins: G = (-I, s1~, I, -s2~) ---- */

static int separation_value(const cd_pair *pair, double *e)
{
    cd_add(3, 1.0, pair->d, e);
    return 0;
}

/* row += x^T G, with G of the separation */
static void add_projected_gradient(const cd_pair *pair, const double x[3], double *row)
{
    cd_add(3, -1.0, x, row + R1);
    add_cross(1.0, x, pair->one.arm, row + PHI1);
    cd_add(3, 1.0, x, row + R2);
    add_cross(1.0, pair->two.arm, x, row + PHI2);
}

static void separation_gradient(const cd_pair *pair, double *G)
{
    for (int i = 0; i < 3; i++) {
        double axis[3] = {0.0};
        axis[i] = 1.0;
        add_projected_gradient(pair, axis, G + CD_PAIR * i);
    }
}

/* d(w x s) = w x (dphi x s) = -w~ s~ dphi */
static void separation_rate_dx(const cd_pair *pair, double *out)
{
    cd_add_double_skew(1.0, pair->one.w, pair->one.arm, out + PHI1, CD_PAIR);
    cd_add_double_skew(-1.0, pair->two.w, pair->two.arm, out + PHI2, CD_PAIR);
}

static void separation_curvature(const cd_pair *pair, const double *y, double *out)
{
    cd_add_double_skew(-1.0, y, pair->one.arm, out + (CD_PAIR + 1) * PHI1, CD_PAIR);
    cd_add_double_skew(1.0, y, pair->two.arm, out + (CD_PAIR + 1) * PHI2, CD_PAIR);
}

const cd_measure cd_separation = {CD_MEASURE(3, separation, false)};

/* ---- distance: the length L of d, with the direction n ---- */

/* n = d / L; returns L. */
static double find_direction(const cd_pair *pair, double n[3])
{
    const double length = sqrt(cd_square3(pair->d));
    for (int i = 0; i < 3; i++)
        n[i] = length > 0.0 ? pair->d[i] / length : 0.0;
    return length;
}

static int distance_value(const cd_pair *pair, double *e)
{
    double n[3];
    const double length = find_direction(pair, n);
    *e += length;
    return length > 0.0 ? 0 : 1;
}

static void distance_gradient(const cd_pair *pair, double *G)
{
    double n[3];
    find_direction(pair, n);
    add_projected_gradient(pair, n, G);
}

/* The rate is n . d', and its change n . d(d') + dn . d' with dn = (I - n n^T) / L dd. */
static void distance_rate_dx(const cd_pair *pair, double *out)
{
    double n[3], across[3], rows[3 * CD_PAIR] = {0.0};
    const double length = find_direction(pair, n);
    if (!(length > 0.0))
        return;
    for (int i = 0; i < 3; i++)
        across[i] = pair->two.v[i] - pair->one.v[i];
    const double rate = cd_dot3(n, across);
    for (int i = 0; i < 3; i++)
        across[i] = (across[i] - rate * n[i]) / length;
    separation_rate_dx(pair, rows);
    add_projected_gradient(pair, across, out);
    cd_add_transposed(3, CD_PAIR, rows, n, out);
}

/* The curvature of d for the force y n, plus y G^T (I - n n^T) / L G, since n rotates. */
static void distance_curvature(const cd_pair *pair, const double *y, double *out)
{
    double n[3], rows[3 * CD_PAIR] = {0.0}, along[CD_PAIR] = {0.0};
    const double length = find_direction(pair, n), stiffness = y[0] / length;
    if (!(length > 0.0))
        return;
    separation_gradient(pair, rows);
    add_projected_gradient(pair, n, along);
    for (int i = 0; i < CD_PAIR; i++) {
        for (int k = 0; k < 3; k++)
            cd_add(CD_PAIR, stiffness * rows[CD_PAIR * k + i], rows + CD_PAIR * k,
                   out + CD_PAIR * i);
        cd_add(CD_PAIR, -stiffness * along[i], along, out + CD_PAIR * i);
    }
    cd_scale(3, y[0], n);
    separation_curvature(pair, n, out);
}

const cd_measure cd_distance = {CD_MEASURE(1, distance, false)};

/* ---- displacement along the axes t of a frame ----
 *
 * For the point P = origin 2 + c, with rho_i = P - r_i and the velocity V of P relative to body 1:
 *
 *   rate t . V,   G = (-t, -rho1 x t, t, rho2 x t)
 *
 *   sphere  c = -radius n
 *   disk    c = -radius e,  e = (n - sigma a) / h,  sigma = n . a,  h = sqrt(1 - sigma^2)
 *
 * for the normal n of the plane (z of frame 1) and the axis a of the disk (z of frame 2). */

/* The point P in the notation above. */
typedef struct measured_point {
    double c[3], rho1[3], rho2[3];
    double n[3], a[3], sigma, h;  /* of a contact */
    double height;                /* n . c */
    const cd_marker_state *frame; /* the frame with the axes t */
    int rotation;                 /* columns of the rotation of this frame: PHI1 or PHI2 */
} measured_point;

/* Finds the point P and its arms. Returns > 0 if a disk lies flat: all its edge is lowest then. */
static int find_point(const cd_pair *pair, measured_point *it)
{
    const cd_measure_options *options = &pair->options;
    it->frame = options->in_frame2 ? &pair->two : &pair->one;
    it->rotation = options->in_frame2 ? PHI2 : PHI1;
    it->height = it->sigma = 0.0;
    it->h = 1.0;
    cd_zero(3, it->c);
    if (options->contact != CD_CONTACT_NONE) {
        cd_marker_axis(&pair->one, 2, it->n);
        cd_marker_axis(&pair->two, 2, it->a);
        if (options->contact == CD_CONTACT_DISK) {
            it->sigma = cd_dot3(it->n, it->a);
            it->h = sqrt(1.0 - it->sigma * it->sigma);
        }
        it->height = -options->radius * it->h;
        for (int i = 0; i < 3; i++)
            it->c[i] = -options->radius * (it->n[i] - it->sigma * it->a[i]) / it->h;
    }
    for (int i = 0; i < 3; i++) {
        it->rho1[i] = pair->reach[i] + it->c[i];
        it->rho2[i] = pair->two.arm[i] + it->c[i];
    }
    return it->h > 1e-5 ? 0 : 1;
}

/* out += c a b^T */
static void add_dyad(double c, const double a[3], const double b[3], double out[9])
{
    for (int i = 0; i < 3; i++)
        cd_add(3, c * a[i], b, out + 3 * i);
}

/* Finds drho2 = by[0] dphi1 + by[1] dphi2. For a disk, de = dy / h + e sigma dsigma / h^2 with
 * y = n - sigma a; a sphere is a disk with sigma = 0 without an axis. */
static void differentiate_point(const cd_pair *pair, const measured_point *it, double by[2][9])
{
    const double radius = pair->options.radius;
    double cross[3], skew[9];
    cd_zero(9, by[0]);
    cd_skew(pair->two.arm, by[1]);
    cd_scale(9, -1.0, by[1]);
    if (pair->options.contact == CD_CONTACT_NONE)
        return;
    cd_skew(it->n, skew);
    cd_add(9, radius / it->h, skew, by[0]);
    if (pair->options.contact == CD_CONTACT_SPHERE)
        return;
    cd_skew(it->a, skew);
    cd_add(9, -radius * it->sigma / it->h, skew, by[1]);
    cd_cross(it->n, it->a, cross);
    for (int b = 0; b < 2; b++) {
        const double sign = b == 0 ? 1.0 : -1.0;
        add_dyad(sign * radius / it->h, it->a, cross, by[b]);
        add_dyad(sign * it->sigma / (it->h * it->h), it->c, cross, by[b]);
    }
}

static int displacement_value(const cd_pair *pair, double *e)
{
    double position[3];
    measured_point it;
    const int code = find_point(pair, &it);
    cd_apply_transposed3(pair->one.axes, pair->d, position);
    cd_add(3, 1.0, position, e);
    e[2] += it.height;
    return code;
}

static void displacement_gradient(const cd_pair *pair, double *G)
{
    measured_point it;
    find_point(pair, &it);
    for (int i = 0; i < 3; i++, G += CD_PAIR) {
        double t[3];
        cd_marker_axis(it.frame, i, t);
        cd_add(3, -1.0, t, G + R1);
        add_cross(1.0, t, it.rho1, G + PHI1);
        cd_add(3, 1.0, t, G + R2);
        add_cross(1.0, it.rho2, t, G + PHI2);
    }
}

/* dt . V + t . (w2 x drho2 - w1 x drho1),  drho1 = dr2 - dr1 + drho2 */
static void displacement_rate_dx(const cd_pair *pair, double *out)
{
    double V[3], by[2][9];
    measured_point it;
    find_point(pair, &it);
    differentiate_point(pair, &it, by);
    cd_copy(3, pair->v, V);
    add_cross(1.0, pair->w, it.c, V);
    for (int i = 0; i < 3; i++, out += CD_PAIR) {
        double t[3], y[3], product[3];
        cd_marker_axis(it.frame, i, t);
        add_cross(1.0, t, V, out + it.rotation);
        add_cross(1.0, t, pair->one.w, out + R1);
        add_cross(-1.0, t, pair->one.w, out + R2);
        cd_cross(t, pair->w, y);
        for (int b = 0; b < 2; b++) {
            cd_apply_transposed3(by[b], y, product);
            cd_add(3, 1.0, product, out + (b == 0 ? PHI1 : PHI2));
        }
    }
}

/* The force f = sum of y t rotates with its frame, df = -f~ dphi. P moves, which adds f~ drho1 in
 * the rows of PHI1 and -f~ drho2 in those of PHI2. */
static void displacement_curvature(const cd_pair *pair, const double *y, double *out)
{
    double f[3], skew[9], block[9], by[2][9];
    measured_point it;
    find_point(pair, &it);
    differentiate_point(pair, &it, by);
    cd_apply3(it.frame->axes, y, f);
    cd_skew(f, skew);
    cd_add_block(1.0, skew, R1, it.rotation, CD_PAIR, out);
    cd_add_block(-1.0, skew, R2, it.rotation, CD_PAIR, out);
    cd_add_double_skew(1.0, it.rho1, f, out + PHI1 * CD_PAIR + it.rotation, CD_PAIR);
    cd_add_double_skew(-1.0, it.rho2, f, out + PHI2 * CD_PAIR + it.rotation, CD_PAIR);
    cd_add_block(-1.0, skew, PHI1, R1, CD_PAIR, out);
    cd_add_block(1.0, skew, PHI1, R2, CD_PAIR, out);
    for (int b = 0; b < 2; b++) {
        cd_product3(skew, by[b], block);
        cd_add_block(1.0, block, PHI1, b == 0 ? PHI1 : PHI2, CD_PAIR, out);
        cd_add_block(-1.0, block, PHI2, b == 0 ? PHI1 : PHI2, CD_PAIR, out);
    }
}

const cd_measure cd_displacement = {CD_MEASURE(3, displacement, false)};
