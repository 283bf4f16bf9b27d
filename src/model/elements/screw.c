/* The screw: a cylindrical joint whose displacement along z is the lead times the turns counted. */
#include "joint.h"

/* Bodies 1, 2 and the counter: the first 12 columns are the pair's, the next is s. */
enum { COUNTED = 3 * CD_SITE, S = 2 * CD_SITE };

static const cd_primitive lift = {.type = &cd_primitive_offset, .axis1 = 2};
static const cd_primitive angle = {.type = &cd_primitive_angle, .axis1 = 2};

/* The rows of the restraint with its 12 columns in 18. */
static void widen(int rows, const double *narrow, double *wide)
{
    for (int i = 0; i < rows; i++)
        cd_add(CD_PAIR, 1.0, narrow + CD_PAIR * i, wide + COUNTED * i);
}

static int constraint(const void *self, const cd_place *at, double *phi)
{
    const cd_screw *it = self;
    const int rows = it->restraint.rows;
    const double s = at->site[2].r[0];
    cd_view view;
    double height, turned;
    int code = cd_restraint_type.constraint(&it->restraint, at, phi);
    cd_view_at(it->restraint.marker, at->site, &view);
    if (code == 0)
        code = lift.type->value(&lift, &view, &height);
    if (code == 0)
        code = angle.type->value(&angle, &view, &turned);
    if (code != 0)
        return code;
    phi[rows] = height - it->factor * s;
    phi[rows + 1] = cd_wrap(turned - s);
    return 0;
}

static int constraint_dx(const void *self, const cd_place *at, double *B)
{
    const cd_screw *it = self;
    const int rows = it->restraint.rows;
    double narrow[CD_ELEMENT_ROWS * CD_PAIR] = {0.0};
    cd_view view;
    cd_view_at(it->restraint.marker, at->site, &view);
    const int code = cd_restraint_type.constraint_dx(&it->restraint, at, narrow);
    lift.type->gradient(&lift, &view, narrow + CD_PAIR * rows);
    angle.type->gradient(&angle, &view, narrow + CD_PAIR * (rows + 1));
    widen(rows + 2, narrow, B);
    B[COUNTED * rows + S] = -it->factor;
    B[COUNTED * (rows + 1) + S] = -1.0;
    return code;
}

static int constraint_dt(const void *self, const cd_place *at, double *out)
{
    const cd_screw *it = self;
    return cd_restraint_type.constraint_dt(&it->restraint, at, out);
}

static int hidden_dx(const void *self, const cd_place *at, double *out)
{
    const cd_screw *it = self;
    const int rows = it->restraint.rows;
    double narrow[CD_ELEMENT_ROWS * CD_PAIR] = {0.0};
    cd_view view;
    cd_view_at(it->restraint.marker, at->site, &view);
    const int code = cd_restraint_type.hidden_dx(&it->restraint, at, narrow);
    lift.type->rate_dx(&lift, &view, narrow + CD_PAIR * rows);
    angle.type->rate_dx(&angle, &view, narrow + CD_PAIR * (rows + 1));
    widen(rows + 2, narrow, out);
    return code;
}

static int constraint_bias(const void *self, const cd_place *at, double *out)
{
    const cd_screw *it = self;
    const int rows = it->restraint.rows;
    double wide[CD_ELEMENT_ROWS * COUNTED] = {0.0};
    const int code = cd_restraint_type.constraint_bias(&it->restraint, at, out);
    hidden_dx(self, at, wide);
    for (int i = rows; i < rows + 2; i++)
        for (int b = 0; b < 2; b++) {
            const double *row = wide + COUNTED * i + CD_SITE * b;
            out[i] += cd_dot3(row, at->site[b].u) + cd_dot3(row + 3, at->site[b].w);
        }
    return code;
}

static int reaction_dx(const void *self, const cd_place *at, double *out)
{
    const cd_screw *it = self;
    const int rows = it->restraint.rows;
    double narrow[CD_PAIR * CD_PAIR] = {0.0};
    cd_view view;
    cd_view_at(it->restraint.marker, at->site, &view);
    const int code = cd_restraint_type.reaction_dx(&it->restraint, at, narrow);
    lift.type->curvature(&lift, &view, at->lambda[rows], narrow);
    angle.type->curvature(&angle, &view, at->lambda[rows + 1], narrow);
    widen(CD_PAIR, narrow, out);
    return code;
}

#define CD_SCREW                                                                                   \
    .constraint = constraint, .constraint_dx = constraint_dx, .constraint_dt = constraint_dt,      \
    .constraint_bias = constraint_bias, .hidden_dx = hidden_dx, .reaction_dx = reaction_dx,        \
    .refusal = CD_LOST_DIRECTION

const cd_element_type cd_screw_type = {.name = "screw", CD_SCREW};
const cd_element_type cd_driven_screw_type = {.name = "driven screw", .rheonomic = true, CD_SCREW};
