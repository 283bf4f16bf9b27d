/* Primitives of displacements: gap in world axes, offset along an axis of frame 1, distance.
 *
 * With d = p2 - p1, arms s_i from the centres of mass, reach e = p2 - r1:
 *   gap      i . d:  G = (-i, -s1 x i, i, s2 x i)
 *   offset   a . d:  G = (-a, a x e, a, s2 x a), a turns with body 1 */
#include "primitive.h"

enum { R1 = 0, PHI1 = 3, R2 = 6, PHI2 = 9 };

double cd_wrap(double x)
{
    return remainder(x, 6.283185307179586477);
}

void cd_view_at(const cd_marker marker[2], const cd_site *site, cd_view *view)
{
    view->site = site;
    cd_pair_at(marker, site, &view->pair);
}

static void add(double c, const double block[9], int row, int column, double *out)
{
    cd_add_block(c, block, row, column, CD_PAIR, out);
}

/* out += c a x b */
static void add_cross(double c, const double a[3], const double b[3], double *out)
{
    double product[3];
    cd_cross(a, b, product);
    cd_add(3, c, product, out);
}

/* out += c a x (b x x) */
static void add_double_cross(double c, const double a[3], const double b[3], const double x[3],
                             double *out)
{
    double product[3];
    cd_cross(b, x, product);
    add_cross(c, a, product, out);
}

/* block = a~ b~ */
static void double_skew(const double a[3], const double b[3], double block[9])
{
    double skew[9];
    cd_skew(a, skew);
    cd_times_skew(skew, b, block);
}

/* ---- gap ---- */

static void world_axis(int axis, double out[3])
{
    out[0] = out[1] = out[2] = 0.0;
    out[axis] = 1.0;
}

static int gap_value(const cd_primitive *self, const cd_view *at, double *e)
{
    *e = at->pair.d[self->axis1];
    return 0;
}

static void gap_gradient(const cd_primitive *self, const cd_view *at, double *G)
{
    double axis[3];
    world_axis(self->axis1, axis);
    cd_add(3, -1.0, axis, G + R1);
    add_cross(-1.0, at->pair.one.arm, axis, G + PHI1);
    cd_add(3, 1.0, axis, G + R2);
    add_cross(1.0, at->pair.two.arm, axis, G + PHI2);
}

static void gap_rate_dx(const cd_primitive *self, const cd_view *at, double *out)
{
    double axis[3];
    world_axis(self->axis1, axis);
    add_double_cross(-1.0, at->pair.one.arm, axis, at->site[0].w, out + PHI1);
    add_double_cross(1.0, at->pair.two.arm, axis, at->site[1].w, out + PHI2);
}

static void gap_curvature(const cd_primitive *self, const cd_view *at, double y, double *out)
{
    double axis[3], block[9];
    world_axis(self->axis1, axis);
    double_skew(axis, at->pair.one.arm, block);
    add(-y, block, PHI1, PHI1, out);
    double_skew(axis, at->pair.two.arm, block);
    add(y, block, PHI2, PHI2, out);
}

const cd_primitive_type cd_primitive_gap = {false, gap_value, gap_gradient, gap_rate_dx,
                                            gap_curvature};

/* ---- offset ---- */

static int offset_value(const cd_primitive *self, const cd_view *at, double *e)
{
    double a[3];
    cd_marker_axis(&at->pair.one, self->axis1, a);
    *e = cd_dot3(a, at->pair.d);
    return 0;
}

static void offset_gradient(const cd_primitive *self, const cd_view *at, double *G)
{
    double a[3];
    cd_marker_axis(&at->pair.one, self->axis1, a);
    cd_add(3, -1.0, a, G + R1);
    add_cross(1.0, a, at->pair.reach, G + PHI1);
    cd_add(3, 1.0, a, G + R2);
    add_cross(1.0, at->pair.two.arm, a, G + PHI2);
}

static void offset_rate_dx(const cd_primitive *self, const cd_view *at, double *out)
{
    const double *arm = at->pair.two.arm, *w1 = at->site[0].w, *w2 = at->site[1].w;
    double a[3];
    cd_marker_axis(&at->pair.one, self->axis1, a);
    add_cross(1.0, a, w1, out + R1);
    add_cross(-1.0, a, at->site[0].u, out + PHI1);
    add_cross(1.0, a, at->site[1].u, out + PHI1);
    add_double_cross(1.0, a, at->pair.reach, w1, out + PHI1);
    add_double_cross(-1.0, a, arm, w2, out + PHI1);
    add_cross(-1.0, a, w1, out + R2);
    add_double_cross(-1.0, arm, a, w1, out + PHI2);
    add_double_cross(1.0, arm, a, w2, out + PHI2);
}

static void offset_curvature(const cd_primitive *self, const cd_view *at, double y, double *out)
{
    double a[3], block[9];
    cd_marker_axis(&at->pair.one, self->axis1, a);
    cd_skew(a, block);
    add(y, block, R1, PHI1, out);
    add(-y, block, R2, PHI1, out);
    add(-y, block, PHI1, R1, out);
    add(y, block, PHI1, R2, out);
    double_skew(at->pair.reach, a, block);
    add(y, block, PHI1, PHI1, out);
    double_skew(a, at->pair.two.arm, block);
    add(-y, block, PHI1, PHI2, out);
    add(y, block, PHI2, PHI2, out);
    double_skew(at->pair.two.arm, a, block);
    add(-y, block, PHI2, PHI1, out);
}

const cd_primitive_type cd_primitive_offset = {false, offset_value, offset_gradient, offset_rate_dx,
                                               offset_curvature};

/* ---- distance: the measure of springs ---- */

static int distance_value(const cd_primitive *self, const cd_view *at, double *e)
{
    (void)self;
    *e = 0.0;
    return cd_distance.value(&at->pair, e);
}

static void distance_gradient(const cd_primitive *self, const cd_view *at, double *G)
{
    (void)self;
    cd_distance.gradient(&at->pair, G);
}

static void distance_rate_dx(const cd_primitive *self, const cd_view *at, double *out)
{
    (void)self;
    cd_distance.rate_dx(&at->pair, out);
}

static void distance_curvature(const cd_primitive *self, const cd_view *at, double y, double *out)
{
    (void)self;
    cd_distance.curvature(&at->pair, &y, out);
}

const cd_primitive_type cd_primitive_distance = {false, distance_value, distance_gradient,
                                                 distance_rate_dx, distance_curvature};
