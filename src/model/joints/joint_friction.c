/* Friction in joints: a force against the motion in the free directions that grows with the force
 * that the joint transmits.
 *
 * With the rates r in the free directions, the slip s is r for displacements and radius r for
 * rotations. N is the size of the reaction: the forces in the fixed directions and, in joints that
 * slide, also the moments divided by the radius. With the law's mu
 *
 *   y = viscous r + N c^2 r mu(|s|)/|s|,   c = 1 for displacements, radius for rotations,
 *
 * and -G^T y acts on the bodies, which dissipates power for any direction of the motion. N depends
 * on the multipliers and, through B, on the poses; the joint's own derivatives give both. */
#include "base/error.h"
#include "direction.h"
#include "model/elements/friction.h"
#include "model/elements/pair_force.h"

/* The rates are those of cd_relative_motion: displacement and angular velocity in the axes of
 * frame 1, angular velocity in those of frame 2. */
enum { RATES = 9, WORLD = CD_ELEMENT_BODIES * CD_BODY_COLUMNS };

/* The data of a friction element. N^2 is the sum of force_share F^2 and moment_share M^2, with the
 * joint's force F and moment M in the axes of frame 1. */
typedef struct joint_friction {
    cd_pair_force pair;
    cardan_friction law;
    double arm[RATES]; /* c; 0 in fixed directions */
    bool moves[RATES]; /* whether a direction is free */
    double force_share[3], moment_share[3];
    const cd_element_type *joint_type; /* of the joint's constraint element */
    const void *joint;                 /* data of this element */
    int rows;                          /* number of its rows */
} joint_friction;

/* The reaction of the joint on body 2, and its size N. */
typedef struct load {
    double size;                /* N */
    double force[3], moment[3]; /* of the joint on body 2, at origin 2 */
    double by_force[3];         /* derivative of N with respect to the force */
    double by_moment[3];        /* derivative by the moment about the centre of mass */
    double B[CD_ELEMENT_ROWS * WORLD];
} load;

/* Finds the reaction -B^T lambda on body 2. */
static int read_reaction(const joint_friction *self, const cd_element_point *at,
                         const cd_pair *pair, load *now)
{
    double lever[3];
    const int status = self->joint_type->constraint_dx(self->joint, at, now->B);
    for (int i = 0; i < self->rows; i++) {
        const double *row = now->B + i * self->pair.columns + CD_BODY_COLUMNS;
        cd_add(3, -at->lambda[i], row, now->force);
        cd_add(3, -at->lambda[i], row + 3, now->moment);
    }
    cd_cross(pair->two.arm, now->force, lever);
    cd_add(3, -1.0, lever, now->moment);
    return status;
}

/* Finds the reaction, its size N and the derivatives of N. */
static int find_load(const joint_friction *self, const cd_element_point *at, const cd_pair *pair,
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

/* out = dN/dlambda (`rows` numbers) */
static void load_dlambda(const joint_friction *self, const load *now, double *out)
{
    for (int i = 0; i < self->rows; i++) {
        const double *row = now->B + i * self->pair.columns + CD_BODY_COLUMNS;
        out[i] = -cd_dot3(now->by_force, row) - cd_dot3(now->by_moment, row + 3);
    }
}

/* out += dN/dx (`columns` numbers): the reaction changes; axes and origin rotate with bodies. */
static int load_dx(const joint_friction *self, const cd_element_point *at, const cd_pair *pair,
                   const load *now, double *out)
{
    double change[WORLD * WORLD] = {0}, by_f[3], lever[3], product[3], product2[3];
    const int status = self->joint_type->reaction_dx(self->joint, at, change);
    for (int i = 0; i < 3; i++) {
        cd_add(self->pair.columns, -now->by_force[i],
               change + (CD_BODY_COLUMNS + i) * self->pair.columns, out);
        cd_add(self->pair.columns, -now->by_moment[i],
               change + (CD_BODY_COLUMNS + 3 + i) * self->pair.columns, out);
    }
    cd_cross(pair->two.arm, now->by_moment, lever);
    for (int i = 0; i < 3; i++)
        by_f[i] = now->by_force[i] - lever[i];
    cd_cross(by_f, now->force, product);
    cd_add(3, 1.0, product, out + 3);
    cd_cross(now->by_moment, now->moment, product);
    cd_add(3, 1.0, product, out + 3);
    cd_cross(now->by_moment, now->force, product);
    cd_cross(product, pair->two.arm, product2);
    cd_add(3, -1.0, product2, out + CD_BODY_COLUMNS + 3);
    return status;
}

/* Finds direction_i = c_i^2 r_i and returns mu(|s|)/|s|; each unit of N adds their product to y. */
static double find_friction_direction(const joint_friction *self, const double *rate,
                                      double direction[RATES], double *slope)
{
    double square = 0.0;
    for (int i = 0; i < RATES; i++) {
        direction[i] = self->arm[i] * self->arm[i] * rate[i];
        square += direction[i] * rate[i];
    }
    return cd_friction_factor(&self->law, square, slope);
}

/* y of the file's head, and its derivatives at fixed N (cd_law_function). */
static int friction_law(const void *data, const cd_element_point *at, const cd_pair *pair,
                        const double *e, const double *rate, cd_law *out)
{
    const joint_friction *self = data;
    double direction[RATES], slope;
    load now;
    const int status = find_load(self, at, pair, &now);
    const double factor = find_friction_direction(self, rate, direction, &slope), size = now.size;
    (void)e;
    for (int i = 0; i < RATES; i++) {
        const double viscous = self->moves[i] ? self->law.viscous : 0.0;
        out->y[i] = viscous * rate[i] + size * factor * direction[i];
        for (int j = 0; j < RATES; j++)
            out->y_drate[i * RATES + j] = 2.0 * size * slope * direction[i] * direction[j];
        out->y_drate[i * RATES + i] += viscous + size * factor * self->arm[i] * self->arm[i];
    }
    return status;
}

/* The derivative of the force with respect to N: out = -G^T dy/dN. */
static int find_force_by_load(const joint_friction *self, const cd_element_point *at, cd_pair *pair,
                              load *now, double out[CD_PAIR])
{
    double G[RATES * CD_PAIR] = {0}, rate[RATES], direction[RATES], slope;
    cd_pair_at(self->pair.marker, at->body_state, pair);
    const int status = find_load(self, at, pair, now);
    cd_relative_motion.gradient(pair, G);
    cd_pair_rate(RATES, G, at->body_state, rate);
    const double factor = find_friction_direction(self, rate, direction, &slope);
    for (int i = 0; i < RATES; i++)
        cd_add(CD_PAIR, -factor * direction[i], G + i * CD_PAIR, out);
    return status;
}

static int friction_dx(const void *self, const cd_element_point *at, double *out)
{
    const joint_friction *friction = self;
    double by_load[CD_PAIR] = {0}, size_dx[WORLD] = {0};
    cd_pair pair;
    load now;
    int status = find_force_by_load(friction, at, &pair, &now, by_load);
    if (status == 0)
        status = load_dx(friction, at, &pair, &now, size_dx);
    for (int i = 0; i < CD_PAIR; i++)
        cd_add(friction->pair.columns, by_load[i], size_dx, out + i * friction->pair.columns);
    return status == 0 ? cd_pair_force_dx(self, at, out) : status;
}

static int friction_dlambda(const void *self, const cd_element_point *at, double *out)
{
    const joint_friction *friction = self;
    double by_load[CD_PAIR] = {0}, size[CD_ELEMENT_ROWS];
    cd_pair pair;
    load now;
    const int status = find_force_by_load(friction, at, &pair, &now, by_load);
    load_dlambda(friction, &now, size);
    for (int i = 0; i < CD_PAIR; i++)
        cd_add(friction->rows, by_load[i], size, out + i * friction->rows);
    return status;
}

static const cd_element_type friction_type = {.name = "joint friction",
                                              .force_depends_on_lambda = true,
                                              .force = cd_pair_force_value,
                                              .force_dx = friction_dx,
                                              .force_dw = cd_pair_force_dw,
                                              .force_dlambda = friction_dlambda};

/* Sets which rates have friction and which reactions count in N. Rates 6 to 8 are about axes of
 * frame 2 (universal joints). The thread of a screw slips as it rotates. */
static void set_directions(const cardan_joint_def *def, unsigned available, joint_friction *self)
{
    const double radius = self->law.radius;
    const bool screw = def->type == CARDAN_JOINT_SCREW;
    const unsigned rubbing = screw ? (unsigned)CARDAN_RZ : available;
    const bool translates = (rubbing & (CARDAN_TX | CARDAN_TY | CARDAN_TZ)) != 0;
    for (int i = 0; i < 6; i++) {
        const bool is_free = (rubbing >> i & 1) != 0;
        const int rate = cd_direction_is_about_frame2(def, i) ? i + 3 : i;
        self->moves[rate] = is_free;
        self->arm[rate] = !is_free ? 0.0 : i < 3 ? 1.0 : radius;
        if (i < 3)
            self->force_share[i] = is_free ? 0.0 : 1.0;
        else
            self->moment_share[i - 3] =
                is_free || !translates || radius == 0.0 ? 0.0 : 1.0 / (radius * radius);
    }
}

cardan_status cd_friction_check_joint(const cardan_joint_def *def, cardan_error *error)
{
    const cardan_friction *friction_law = &def->friction;
    const unsigned available = cd_free_directions(def);
    const bool only_rotates =
        (available & (CARDAN_TX | CARDAN_TY | CARDAN_TZ)) == 0 || def->type == CARDAN_JOINT_SCREW;
    const cardan_status status = cd_friction_check(friction_law, error);
    if (status != CARDAN_OK)
        return status;
    if (available == 0 || available == CD_ALL_DIRECTIONS)
        return cd_fail(error, CARDAN_UNSUPPORTED,
                       "friction needs free directions, and held ones whose forces press; this "
                       "type of joint has no such");
    if (friction_law->coefficient + friction_law->static_coefficient > 0.0 && only_rotates &&
        !(friction_law->radius > 0.0))
        return cd_invalid(
            error, "friction in a joint that turns needs a positive `radius` of the bearing");
    return CARDAN_OK;
}

bool cd_friction_make(cd_arena *arena, const cardan_joint_def *def, const cd_marker marker[2],
                      const cd_element *joint, cd_element *element)
{
    joint_friction *self = cd_arena_take(arena, sizeof *self);
    if (self == NULL)
        return false;
    self->pair = (cd_pair_force){.marker = {marker[0], marker[1]},
                                 .measure = &cd_relative_motion,
                                 .law = friction_law,
                                 .columns = CD_BODY_COLUMNS * joint->count};
    self->law = def->friction;
    self->joint_type = joint->type;
    self->joint = joint->self;
    self->rows = joint->rows;
    set_directions(def, cd_free_directions(def), self);
    *element = *joint;
    element->type = &friction_type;
    element->self = self;
    return true;
}
