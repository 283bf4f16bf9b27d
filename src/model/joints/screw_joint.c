/* Screw: a cylindrical joint whose displacement along z is the lead times the turns counted: offset
 * along z = factor s, and s the angle about z. */
#include "joint_type.h"

typedef struct cd_screw {
    cd_restraint restraint;
    double factor; /* lead / (2 pi) */
} cd_screw;

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

#define SCREW                                                                                      \
    .constraint = constraint, .constraint_dx = constraint_dx, .constraint_dt = constraint_dt,      \
    .constraint_bias = constraint_bias, .hidden_dx = hidden_dx, .reaction_dx = reaction_dx,        \
    .refusal = CD_LOST_DIRECTION

static const cd_element_type screw_type = {.name = "screw", SCREW};
static const cd_element_type driven_screw_type = {.name = "driven screw", .rheonomic = true, SCREW};

/* The counter starts in the turn that fits the displacement best. */
static cardan_status add(cardan_model *model, cd_joint *joint, const cd_restraint *made)
{
    static const char *const own_rows[] = {"lead", "angle"};
    const int body[2] = {joint->body[0], joint->body[1]};
    const double turn = 6.283185307179586477, lead = joint->kind->def.lead;
    double start, displacement;
    cd_joint_start(model, body, joint->kind->marker, &start, &displacement);
    start += turn * round(displacement / lead - start / turn);
    cardan_status status =
        cd_model_new_counter(model, joint->name, body, joint->kind->marker, start, &joint->counter);
    const cd_screw screw = {.restraint = *made, .factor = lead / turn};
    const cd_screw *self = cd_model_share(model, &screw, sizeof screw);
    const char *const *row_name = cd_joint_row_names(model, made, 2, own_rows);
    if (status != CARDAN_OK || self == NULL || row_name == NULL)
        return cd_model_exhausted(model);
    cd_element element = {.type = cd_joint_is_driven(made) ? &driven_screw_type : &screw_type,
                          .self = self,
                          .name = joint->name,
                          .count = 3,
                          .body = {body[0], body[1], joint->counter},
                          .rows = made->rows + 2,
                          .row_name = row_name};
    return cd_model_add_element(model, &element, &joint->element);
}

static cardan_status check(cardan_model *model, const cd_joint *joint)
{
    const double lead = joint->kind->def.lead;
    if (isfinite(lead) && lead != 0.0)
        return CARDAN_OK;
    return cd_fail(&model->error, CARDAN_INVALID_ARGUMENT,
                   "joint `%s`: the lead is %g; it must be a number other than zero "
                   "(displacement per turn)",
                   joint->name, lead);
}

const cd_joint_type cd_screw_joint = {.fixed = CARDAN_TX | CARDAN_TY | CARDAN_RX | CARDAN_RY,
                                      .check = check,
                                      .check_planar = cd_joint_refuse_planar,
                                      .add = add};
