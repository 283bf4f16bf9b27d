/* Friction in joints: a force against the motion in the free directions that grows with the force
 * that the joint transmits.
 *
 * r are the rates in the free directions, s = (r of displacements, radius r of rotations) the slip,
 * and N the size of the reaction: the forces in the held directions and, in joints that slide,
 * moments over the radius. With the law's mu
 *
 *   y = viscous r + N c^2 r mu(|s|)/|s|,   c = 1 for displacements, radius for rotations,
 *
 * and -G^T y acts on the bodies: it only takes power, in any direction of the motion. N depends on
 * the multipliers and, through B, on the place; the joint's own derivatives give both. */
#include "base/error.h"
#include "direction.h"
#include "model/elements/friction.h"
#include "model/elements/pair_force.h"

/* Rates: displacement and spin in the axes of frame 1, spin in those of frame 2. */
enum { RATES = 9, WORLD = CD_ELEMENT_BODIES * CD_SITE };

typedef struct joint_friction {
    cd_marker marker[2];
    cardan_friction law;
    double arm[RATES];                      /* c; 0 where nothing moves */
    bool moves[RATES];                      /* free directions */
    double force_share[3], moment_share[3]; /* N^2 = sum share load^2, in axes of frame 1 */
    const cd_element_type *joint_type;
    const void *joint;
    int rows, columns; /* of the joint's B */
} joint_friction;

/* ---- the size of the reaction ---- */

typedef struct load {
    double size;
    double force[3], moment[3]; /* of the joint on body 2, at origin 2 */
    double by_force[3];         /* dN by the force and by the moment about the centre of mass */
    double by_moment[3];
    double B[CD_ELEMENT_ROWS * WORLD];
} load;

/* The reaction -B^T lambda on body 2. */
static int read_reaction(const joint_friction *self, const cd_place *at, const cd_pair *pair,
                         load *now)
{
    double lever[3];
    const int status = self->joint_type->constraint_dx(self->joint, at, now->B);
    for (int i = 0; i < self->rows; i++) {
        const double *row = now->B + i * self->columns + CD_SITE;
        cd_add(3, -at->lambda[i], row, now->force);
        cd_add(3, -at->lambda[i], row + 3, now->moment);
    }
    cd_cross(pair->two.arm, now->force, lever);
    cd_add(3, -1.0, lever, now->moment);
    return status;
}

static int look_at_load(const joint_friction *self, const cd_place *at, const cd_pair *pair,
                        load *now)
{
    double f[3], m[3], by_f[3], lever[3], square = 0.0;
    *now = (load){0};
    const int status = read_reaction(self, at, pair, now);
    cd_apply_transposed3(pair->one.axes, now->force, f);
    cd_apply_transposed3(pair->one.axes, now->moment, m);
    for (int i = 0; i < 3; i++)
        square += self->force_share[i] * f[i] * f[i] + self->moment_share[i] * m[i] * m[i];
    const double root = sqrt(square + self->law.rounding * self->law.rounding);
    now->size = root - self->law.rounding;
    for (int i = 0; i < 3; i++) {
        f[i] *= root > 0.0 ? self->force_share[i] / root : 0.0;
        m[i] *= root > 0.0 ? self->moment_share[i] / root : 0.0;
    }
    cd_apply3(pair->one.axes, f, by_f);
    cd_apply3(pair->one.axes, m, now->by_moment);
    cd_cross(pair->two.arm, now->by_moment, lever);
    for (int i = 0; i < 3; i++)
        now->by_force[i] = by_f[i] + lever[i];
    return status;
}

/* dN/dlambda (rows) */
static void load_dlambda(const joint_friction *self, const load *now, double *out)
{
    for (int i = 0; i < self->rows; i++) {
        const double *row = now->B + i * self->columns + CD_SITE;
        out[i] = -cd_dot3(now->by_force, row) - cd_dot3(now->by_moment, row + 3);
    }
}

/* dN/dx (columns): the reaction changes, and the axes and the origin turn away under it. */
static int load_dx(const joint_friction *self, const cd_place *at, const cd_pair *pair,
                   const load *now, double *out)
{
    double change[WORLD * WORLD] = {0}, by_f[3], lever[3], part[3], turn[3];
    const int status = self->joint_type->reaction_dx(self->joint, at, change);
    for (int i = 0; i < 3; i++) {
        cd_add(self->columns, -now->by_force[i], change + (CD_SITE + i) * self->columns, out);
        cd_add(self->columns, -now->by_moment[i], change + (CD_SITE + 3 + i) * self->columns, out);
    }
    cd_cross(pair->two.arm, now->by_moment, lever);
    for (int i = 0; i < 3; i++)
        by_f[i] = now->by_force[i] - lever[i];
    cd_cross(by_f, now->force, part);
    cd_add(3, 1.0, part, out + 3);
    cd_cross(now->by_moment, now->moment, part);
    cd_add(3, 1.0, part, out + 3);
    cd_cross(now->by_moment, now->force, part);
    cd_cross(part, pair->two.arm, turn);
    cd_add(3, -1.0, turn, out + CD_SITE + 3);
    return status;
}

/* ---- rates and the force ---- */

typedef struct situation {
    cd_pair pair;
    load load;
    double G[RATES * CD_PAIR];
    double y[RATES], y_dload[RATES], y_drate[RATES * RATES];
} situation;

static void gradient(const cd_pair *pair, double *G)
{
    cd_displacement.gradient(pair, G);
    cd_spin_in_1.gradient(pair, G + 3 * CD_PAIR);
    cd_spin_in_2.gradient(pair, G + 6 * CD_PAIR);
}

static void apply_law(const joint_friction *self, const double *rate, situation *now)
{
    const double size = now->load.size;
    double square = 0.0, pull[RATES], slope;
    for (int i = 0; i < RATES; i++) {
        pull[i] = self->arm[i] * self->arm[i] * rate[i];
        square += pull[i] * rate[i];
    }
    const double factor = cd_friction_factor(&self->law, square, &slope);
    for (int i = 0; i < RATES; i++) {
        const double viscous = self->moves[i] ? self->law.viscous : 0.0;
        now->y_dload[i] = factor * pull[i];
        now->y[i] = viscous * rate[i] + size * factor * pull[i];
        for (int j = 0; j < RATES; j++)
            now->y_drate[i * RATES + j] = 2.0 * size * slope * pull[i] * pull[j];
        now->y_drate[i * RATES + i] += viscous + size * factor * self->arm[i] * self->arm[i];
    }
}

static int look(const joint_friction *self, const cd_place *at, situation *now)
{
    double rate[RATES];
    *now = (situation){0};
    cd_pair_at(self->marker, at->site, &now->pair);
    const int status = look_at_load(self, at, &now->pair, &now->load);
    gradient(&now->pair, now->G);
    cd_pair_rate(RATES, now->G, at->site, rate);
    apply_law(self, rate, now);
    return status;
}

/* -G^T dy/dN */
static void force_by_load(const situation *now, double out[CD_PAIR])
{
    for (int i = 0; i < RATES; i++)
        cd_add(CD_PAIR, -now->y_dload[i], now->G + i * CD_PAIR, out);
}

static int force(const void *self, const cd_place *at, double *f)
{
    situation now;
    const int status = look(self, at, &now);
    for (int i = 0; i < RATES; i++)
        cd_add(CD_PAIR, -now.y[i], now.G + i * CD_PAIR, f);
    return status;
}

static int force_dx(const void *self, const cd_place *at, double *out)
{
    const joint_friction *friction = self;
    const int columns = friction->columns;
    situation now;
    double curvature[CD_PAIR * CD_PAIR] = {0}, rate_dx[RATES * CD_PAIR] = {0};
    double by_load[CD_PAIR] = {0}, size_dx[WORLD] = {0};
    int status = look(friction, at, &now);
    if (status == 0)
        status = load_dx(friction, at, &now.pair, &now.load, size_dx);
    cd_displacement.curvature(&now.pair, now.y, curvature);
    cd_spin_in_1.curvature(&now.pair, now.y + 3, curvature);
    cd_spin_in_2.curvature(&now.pair, now.y + 6, curvature);
    cd_displacement.rate_dx(&now.pair, rate_dx);
    cd_spin_in_1.rate_dx(&now.pair, rate_dx + 3 * CD_PAIR);
    cd_spin_in_2.rate_dx(&now.pair, rate_dx + 6 * CD_PAIR);
    force_by_load(&now, by_load);
    for (int i = 0; i < CD_PAIR; i++) {
        cd_add(CD_PAIR, -1.0, curvature + i * CD_PAIR, out + i * columns);
        cd_add(columns, by_load[i], size_dx, out + i * columns);
    }
    cd_pair_subtract(RATES, now.G, now.y_drate, rate_dx, columns, out);
    return status;
}

static int force_dw(const void *self, const cd_place *at, double *out)
{
    const joint_friction *friction = self;
    situation now;
    const int status = look(friction, at, &now);
    cd_pair_subtract(RATES, now.G, now.y_drate, now.G, friction->columns, out);
    return status;
}

static int force_dlambda(const void *self, const cd_place *at, double *out)
{
    const joint_friction *friction = self;
    situation now;
    double by_load[CD_PAIR] = {0}, size[CD_ELEMENT_ROWS];
    const int status = look(friction, at, &now);
    load_dlambda(friction, &now.load, size);
    force_by_load(&now, by_load);
    for (int i = 0; i < CD_PAIR; i++)
        cd_add(friction->rows, by_load[i], size, out + i * friction->rows);
    return status;
}

static const cd_element_type type = {.name = "joint friction",
                                     .force_depends_on_lambda = true,
                                     .force = force,
                                     .force_dx = force_dx,
                                     .force_dw = force_dw,
                                     .force_dlambda = force_dlambda};

/* ---- making ---- */

/* Which rates rub and which reactions press. A universal joint turns about an axis of frame 2 as
 * well (6 to 8). The axial force of a screw presses on its thread, which slips as it turns. */
static void set_directions(const cardan_joint_def *def, unsigned available, joint_friction *self)
{
    const double radius = self->law.radius;
    const bool screw = def->type == CARDAN_JOINT_SCREW;
    const unsigned rubs = screw ? (unsigned)CARDAN_RZ : available;
    const bool slides = (rubs & (CARDAN_TX | CARDAN_TY | CARDAN_TZ)) != 0;
    for (int i = 0; i < 6; i++) {
        const bool is_free = (rubs >> i & 1) != 0;
        const int rate = cd_joint_turns_about_2(def, i) ? i + 3 : i;
        self->moves[rate] = is_free;
        self->arm[rate] = !is_free ? 0.0 : i < 3 ? 1.0 : radius;
        if (i < 3)
            self->force_share[i] = is_free ? 0.0 : 1.0;
        else
            self->moment_share[i - 3] =
                is_free || !slides || radius == 0.0 ? 0.0 : 1.0 / (radius * radius);
    }
}

cardan_status cd_friction_check_joint(const cardan_joint_def *def, cardan_error *error)
{
    const cardan_friction *law = &def->friction;
    const unsigned available = cd_free_directions(def);
    const bool turns_only =
        (available & (CARDAN_TX | CARDAN_TY | CARDAN_TZ)) == 0 || def->type == CARDAN_JOINT_SCREW;
    const cardan_status status = cd_friction_check(law, error);
    if (status != CARDAN_OK)
        return status;
    if (available == 0 || available == CD_ALL_DIRECTIONS)
        return cd_fail(error, CARDAN_UNSUPPORTED,
                       "friction needs free directions, and held ones whose forces press; this "
                       "type of joint has no such");
    if (law->coefficient + law->static_coefficient > 0.0 && turns_only && !(law->radius > 0.0))
        return cd_fail(error, CARDAN_INVALID_ARGUMENT,
                       "friction in a joint that turns needs a positive `radius` of the bearing");
    return CARDAN_OK;
}

bool cd_friction_make(cd_arena *arena, const cardan_joint_def *def, const cd_marker marker[2],
                      const cd_element *joint, cd_element *element)
{
    joint_friction *self = cd_arena_take(arena, sizeof *self);
    if (self == NULL)
        return false;
    self->marker[0] = marker[0];
    self->marker[1] = marker[1];
    self->law = def->friction;
    self->joint_type = joint->type;
    self->joint = joint->self;
    self->rows = joint->rows;
    self->columns = CD_SITE * joint->count;
    set_directions(def, cd_free_directions(def), self);
    *element = *joint;
    element->type = &type;
    element->self = self;
    return true;
}
