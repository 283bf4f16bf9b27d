/* Primitives of rotations: scalar product of two axes, twist about an axis, angle of an axis about
 * another, and the height of a disk.
 *
 * For a fixed to body 1 and b fixed to body 2, a . b has G = (0, n, 0, -n) with n = a x b and
 *   H = (b~ a~, -a~ b~; -b~ a~, a~ b~) in the rotations. */
#include "primitive.h"

enum { PHI1 = 3, PHI2 = 9 };

/* ---- scalar product ---- */

static void dot_gradient_of(const double a[3], const double b[3], double scale, double *G)
{
    double n[3];
    cd_cross(a, b, n);
    cd_add(3, scale, n, G + PHI1);
    cd_add(3, -scale, n, G + PHI2);
}

/* w^T H with the relative angular velocity w = w2 - w1 */
static void dot_rate_of(const double a[3], const double b[3], const double w[3], double scale,
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

void cd_dot_curvature(const double a[3], const double b[3], double scale, double *out)
{
    double *phi1 = out + CD_PAIR * PHI1, *phi2 = out + CD_PAIR * PHI2;
    cd_add_double_skew(scale, b, a, phi1 + PHI1, CD_PAIR);
    cd_add_double_skew(-scale, a, b, phi1 + PHI2, CD_PAIR);
    cd_add_double_skew(-scale, b, a, phi2 + PHI1, CD_PAIR);
    cd_add_double_skew(scale, a, b, phi2 + PHI2, CD_PAIR);
}

static void axes_of(const cd_primitive *self, const cd_view *at, double a[3], double b[3])
{
    cd_marker_axis(&at->pair.one, self->axis1, a);
    cd_marker_axis(&at->pair.two, self->axis2, b);
}

static int dot_value(const cd_primitive *self, const cd_view *at, double *e)
{
    double a[3], b[3];
    axes_of(self, at, a, b);
    *e = cd_dot3(a, b);
    return 0;
}

static void dot_gradient(const cd_primitive *self, const cd_view *at, double *G)
{
    double a[3], b[3];
    axes_of(self, at, a, b);
    dot_gradient_of(a, b, 1.0, G);
}

static void dot_rate_dx(const cd_primitive *self, const cd_view *at, double *out)
{
    double a[3], b[3];
    axes_of(self, at, a, b);
    dot_rate_of(a, b, at->pair.w, 1.0, out);
}

static void dot_curvature(const cd_primitive *self, const cd_view *at, double y, double *out)
{
    double a[3], b[3];
    axes_of(self, at, a, b);
    cd_dot_curvature(a, b, y, out);
}

const cd_primitive_type cd_primitive_dot = {false, dot_value, dot_gradient, dot_rate_dx,
                                            dot_curvature};

/* ---- twist about an axis: the measure of torsion springs ---- */

/* The pair with the primitive's axis for z. */
static const cd_pair *pair_about(const cd_primitive *self, const cd_view *at, cd_pair *renamed)
{
    if (self->axis1 == 2)
        return &at->pair;
    *renamed = at->pair;
    cd_pair_about(self->axis1, renamed);
    return renamed;
}

static int angle_value(const cd_primitive *self, const cd_view *at, double *e)
{
    cd_pair renamed;
    *e = 0.0;
    return cd_twist.value(pair_about(self, at, &renamed), e);
}

static void angle_gradient(const cd_primitive *self, const cd_view *at, double *G)
{
    cd_pair renamed;
    cd_twist.gradient(pair_about(self, at, &renamed), G);
}

static void angle_rate_dx(const cd_primitive *self, const cd_view *at, double *out)
{
    cd_pair renamed;
    cd_twist.rate_dx(pair_about(self, at, &renamed), out);
}

static void angle_curvature(const cd_primitive *self, const cd_view *at, double y, double *out)
{
    cd_pair renamed;
    cd_twist.curvature(pair_about(self, at, &renamed), &y, out);
}

const cd_primitive_type cd_primitive_angle = {true, angle_value, angle_gradient, angle_rate_dx,
                                              angle_curvature};

/* ---- angle of an axis about another: tan = s / c with c = a_c . b_c, s = a_s . b_s, where a are
 * axes of frame 1 and b of frame 2 ---- */

typedef struct azimuth {
    double a_c[3], b_c[3], a_s[3], b_s[3];
    double c, s, square;
} azimuth;

static azimuth azimuth_of(const cd_primitive *self, const cd_view *at)
{
    const int next1 = (self->axis1 + 1) % 3, last1 = (self->axis1 + 2) % 3;
    azimuth it;
    cd_marker_axis(&at->pair.one, self->about2 ? self->axis1 : next1, it.a_c);
    cd_marker_axis(&at->pair.one, self->about2 ? self->axis1 : last1, it.a_s);
    cd_marker_axis(&at->pair.two, self->about2 ? self->axis1 : self->axis2, it.b_c);
    cd_marker_axis(&at->pair.two, self->about2 ? (self->axis2 + 1) % 3 : self->axis2, it.b_s);
    it.c = cd_dot3(it.a_c, it.b_c);
    it.s = cd_dot3(it.a_s, it.b_s);
    it.square = it.c * it.c + it.s * it.s;
    return it;
}

static int azimuth_value(const cd_primitive *self, const cd_view *at, double *value)
{
    const azimuth it = azimuth_of(self, at);
    *value = atan2(it.s, it.c);
    return it.square > 1e-12 ? 0 : 1;
}

/* (c ds - s dc) / (c^2 + s^2) */
static void azimuth_gradient(const cd_primitive *self, const cd_view *at, double *G)
{
    const azimuth it = azimuth_of(self, at);
    dot_gradient_of(it.a_s, it.b_s, it.c / it.square, G);
    dot_gradient_of(it.a_c, it.b_c, -it.s / it.square, G);
}

/* The parts of H of rank one: C dS - S dC - G d(c^2 + s^2), over c^2 + s^2, with C, S the gradients
 * of c and s and dC = C^T dx. Written to rows `left` (weights of C, S and G) and columns. */
static void azimuth_gradients(const cd_primitive *self, const cd_view *at, const azimuth *it,
                              double *G, double *C, double *S)
{
    azimuth_gradient(self, at, G);
    dot_gradient_of(it->a_c, it->b_c, 1.0, C);
    dot_gradient_of(it->a_s, it->b_s, 1.0, S);
}

static void azimuth_rate_dx(const cd_primitive *self, const cd_view *at, double *out)
{
    const azimuth it = azimuth_of(self, at);
    const double *w = at->pair.w;
    double G[CD_PAIR] = {0.0}, C[CD_PAIR] = {0.0}, S[CD_PAIR] = {0.0};
    dot_rate_of(it.a_s, it.b_s, w, it.c / it.square, out);
    dot_rate_of(it.a_c, it.b_c, w, -it.s / it.square, out);
    azimuth_gradients(self, at, &it, G, C, S);
    const double g = cd_dot3(G + PHI2, w), dc = cd_dot3(C + PHI2, w), ds = cd_dot3(S + PHI2, w);
    cd_add(CD_PAIR, (ds - 2.0 * it.c * g) / it.square, C, out);
    cd_add(CD_PAIR, (-dc - 2.0 * it.s * g) / it.square, S, out);
}

static void azimuth_curvature(const cd_primitive *self, const cd_view *at, double y, double *out)
{
    const azimuth it = azimuth_of(self, at);
    double G[CD_PAIR] = {0.0}, C[CD_PAIR] = {0.0}, S[CD_PAIR] = {0.0};
    cd_dot_curvature(it.a_s, it.b_s, y * it.c / it.square, out);
    cd_dot_curvature(it.a_c, it.b_c, -y * it.s / it.square, out);
    azimuth_gradients(self, at, &it, G, C, S);
    for (int i = 0; i < CD_PAIR; i++) {
        cd_add(CD_PAIR, y * (S[i] - 2.0 * it.c * G[i]) / it.square, C, out + CD_PAIR * i);
        cd_add(CD_PAIR, y * (-C[i] - 2.0 * it.s * G[i]) / it.square, S, out + CD_PAIR * i);
    }
}

const cd_primitive_type cd_primitive_azimuth = {true, azimuth_value, azimuth_gradient,
                                                azimuth_rate_dx, azimuth_curvature};

/* ---- height of a disk: z1 . d - radius sqrt(1 - c^2) with c = z1 . z2 ---- */

typedef struct disk {
    double n[3], a[3];  /* normal of the plane, axis of the disk */
    double slope, bend; /* first and second derivative of -radius sqrt(1 - c^2) by c */
} disk;

static int disk_of(const cd_primitive *self, const cd_view *at, disk *it, double *height)
{
    cd_marker_axis(&at->pair.one, 2, it->n);
    cd_marker_axis(&at->pair.two, 2, it->a);
    const double c = cd_dot3(it->n, it->a), square = 1.0 - c * c;
    if (!(square > 1e-10))
        return 1; /* the disk lies flat */
    const double root = sqrt(square);
    *height = -self->radius * root;
    it->slope = self->radius * c / root;
    it->bend = self->radius / (square * root);
    return 0;
}

/* The offset along z of frame 1. */
static cd_primitive offset_of_disk(const cd_primitive *self)
{
    cd_primitive offset = *self;
    offset.axis1 = 2;
    return offset;
}

static int disk_value(const cd_primitive *self, const cd_view *at, double *e)
{
    const cd_primitive offset = offset_of_disk(self);
    disk it;
    double height, lowest;
    if (disk_of(self, at, &it, &lowest) != 0)
        return 1;
    cd_primitive_offset.value(&offset, at, &height);
    *e = height + lowest;
    return 0;
}

static void disk_gradient(const cd_primitive *self, const cd_view *at, double *G)
{
    const cd_primitive offset = offset_of_disk(self);
    disk it;
    double lowest;
    cd_primitive_offset.gradient(&offset, at, G);
    if (disk_of(self, at, &it, &lowest) == 0)
        dot_gradient_of(it.n, it.a, it.slope, G);
}

static void disk_rate_dx(const cd_primitive *self, const cd_view *at, double *out)
{
    const cd_primitive offset = offset_of_disk(self);
    disk it;
    double lowest, C[CD_PAIR] = {0.0};
    cd_primitive_offset.rate_dx(&offset, at, out);
    if (disk_of(self, at, &it, &lowest) != 0)
        return;
    dot_rate_of(it.n, it.a, at->pair.w, it.slope, out);
    dot_gradient_of(it.n, it.a, 1.0, C);
    cd_add(CD_PAIR, it.bend * cd_dot3(C + PHI2, at->pair.w), C, out);
}

static void disk_curvature(const cd_primitive *self, const cd_view *at, double y, double *out)
{
    const cd_primitive offset = offset_of_disk(self);
    disk it;
    double lowest, C[CD_PAIR] = {0.0};
    cd_primitive_offset.curvature(&offset, at, y, out);
    if (disk_of(self, at, &it, &lowest) != 0)
        return;
    cd_dot_curvature(it.n, it.a, y * it.slope, out);
    dot_gradient_of(it.n, it.a, 1.0, C);
    for (int i = 0; i < CD_PAIR; i++)
        cd_add(CD_PAIR, y * it.bend * C[i], C, out + CD_PAIR * i);
}

const cd_primitive_type cd_primitive_disk_height = {false, disk_value, disk_gradient, disk_rate_dx,
                                                    disk_curvature};
