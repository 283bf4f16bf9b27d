/* Adding a joint: checks, its element, and the counters of gears and screws. */
#include "friction.h"
#include "rolling.h"

enum { COOKIE = 0x0CA2DA10 };

cardan_joint_def cardan_joint_def_default(void)
{
    const cardan_frame origin = {{0.0, 0.0, 0.0}, {1.0, 0.0, 0.0, 0.0}};
    return (cardan_joint_def){
        .cookie = COOKIE,
        .body1 = CARDAN_GROUND,
        .body2 = CARDAN_GROUND,
        .frame1 = origin,
        .frame2 = origin,
        .ratio = 1.0,
        .joints = {CARDAN_NONE, CARDAN_NONE},
        .friction = cd_friction_default(),
        .motion = CARDAN_NONE,
        .initial = NAN,
        .initial_rate = NAN,
    };
}

void cd_joint_start(const cardan_model *model, const int body[2], const cd_marker marker[2],
                    double *angle, double *displacement)
{
    cd_site site[2];
    cd_pair pair;
    double z[3];
    for (int b = 0; b < 2; b++)
        cd_model_start_site(model, body[b], &site[b]);
    cd_pair_at(marker, site, &pair);
    cd_marker_axis(&pair.one, 2, z);
    *displacement = cd_dot3(z, pair.d);
    *angle = 0.0;
    (void)cd_twist.value(&pair, angle);
}

/* ---- checks ---- */

static bool is_point(const cardan_model *model, int body)
{
    return body >= 0 && model->body[body].form == &cd_form_point;
}

static bool is_planar(const cardan_model *model, int body)
{
    return body == CARDAN_GROUND || model->body[body].form == &cd_form_planar;
}

static cardan_status check_bodies(cardan_model *model, const cd_joint *joint)
{
    const cardan_joint_def *def = &joint->kind->def;
    cardan_status status = cd_model_check_body(model, joint->name, joint->body[0]);
    if (status == CARDAN_OK)
        status = cd_model_check_body(model, joint->name, joint->body[1]);
    if (status != CARDAN_OK)
        return status;
    if (joint->body[0] == joint->body[1])
        return cd_fail(&model->error, CARDAN_INVALID_ARGUMENT,
                       "joint `%s` connects `%s` with itself; body1 and body2 must differ",
                       joint->name, cardan_model_name(model, CARDAN_ELEMENT_BODY, joint->body[0]));
    status = cd_model_check_frame(model, joint->name, "frame1", &def->frame1);
    return status == CARDAN_OK ? cd_model_check_frame(model, joint->name, "frame2", &def->frame2)
                               : status;
}

/* Point masses have no rotation that a joint could fix or prescribe. */
static cardan_status check_points(cardan_model *model, const cd_joint *joint)
{
    const cardan_joint_def *def = &joint->kind->def;
    const unsigned rotations = CARDAN_RX | CARDAN_RY | CARDAN_RZ;
    const bool rotates =
        (cd_joint_fixed(def) & rotations) != 0u || ((unsigned)def->direction & rotations) != 0u ||
        def->type == CARDAN_JOINT_ROLLING_DISK || def->type == CARDAN_JOINT_ROLLING_SPHERE ||
        def->type == CARDAN_JOINT_WHEEL || def->type == CARDAN_JOINT_SKATE;
    for (int b = 0; rotates && b < 2; b++)
        if (is_point(model, joint->body[b]))
            return cd_fail(&model->error, CARDAN_INVALID_ARGUMENT,
                           "joint `%s` acts on rotations, but `%s` is a point mass and has none; "
                           "use a spherical, distance, point-on-line or point-on-plane joint",
                           joint->name, model->body[joint->body[b]].name);
    return CARDAN_OK;
}

static cardan_status check_numbers(cardan_model *model, const cd_joint *joint)
{
    const cardan_joint_def *def = &joint->kind->def;
    const bool rolls = def->type == CARDAN_JOINT_ROLLING_DISK ||
                       def->type == CARDAN_JOINT_ROLLING_SPHERE || def->type == CARDAN_JOINT_WHEEL;
    if (rolls && !(def->radius > 0.0 && isfinite(def->radius)))
        return cd_fail(&model->error, CARDAN_INVALID_ARGUMENT,
                       "joint `%s`: the radius is %g; it must be positive", joint->name,
                       def->radius);
    if (def->type == CARDAN_JOINT_SCREW && !(isfinite(def->lead) && def->lead != 0.0))
        return cd_fail(&model->error, CARDAN_INVALID_ARGUMENT,
                       "joint `%s`: the lead is %g; it must be a number other than zero "
                       "(displacement per turn)",
                       joint->name, def->lead);
    if (def->type == CARDAN_JOINT_GENERIC && (def->fixed == 0u || def->fixed > 63u))
        return cd_fail(&model->error, CARDAN_INVALID_ARGUMENT,
                       "joint `%s`: a generic joint must fix one or more of tx, ty, tz, rx, ry, rz",
                       joint->name);
    if (cd_first_not_finite(3, def->force_guess) >= 0 ||
        cd_first_not_finite(3, def->moment_guess) >= 0)
        return cd_fail(&model->error, CARDAN_INVALID_ARGUMENT,
                       "joint `%s`: guesses of its force and moment must be finite", joint->name);
    if (def->motion != CARDAN_NONE && (def->motion < 0 || def->motion >= model->signals))
        return cd_fail(&model->error, CARDAN_INVALID_ARGUMENT,
                       "joint `%s`: there is no signal %d for its motion (there are %d)",
                       joint->name, def->motion, model->signals);
    return CARDAN_OK;
}

/* ---- elements ---- */

/* Names of rows: lists of a joint's kind are the same. */
static const char *const *share_names(cardan_model *model, int count, const char **names)
{
    return cd_model_share(model, names, (size_t)count * sizeof *names);
}

static int list_names(const cd_restraint *it, const char **names)
{
    for (int i = 0; i < it->rows; i++)
        names[i] = it->primitive[i].name;
    return it->rows;
}

static bool is_driven(const cd_restraint *it)
{
    for (int i = 0; i < it->rows; i++)
        if (it->primitive[i].motion != NULL)
            return true;
    return false;
}

static cardan_status add_restraint(cardan_model *model, cd_joint *joint, const cd_restraint *made)
{
    cd_restraint whole = *made;
    whole.gaps = cd_restraint_gaps(made);
    const char *names[CD_ELEMENT_ROWS];
    const int rows = list_names(made, names);
    const cd_restraint *self = cd_model_share(model, &whole, cd_restraint_size(rows));
    const char *const *row_name = share_names(model, rows, names);
    if (self == NULL || row_name == NULL)
        return cd_model_exhausted(model);
    cd_element element = {.type = is_driven(made) ? &cd_driven_restraint_type : &cd_restraint_type,
                          .self = self,
                          .name = joint->name,
                          .count = 2,
                          .body = {joint->body[0], joint->body[1]},
                          .rows = rows,
                          .row_name = row_name};
    return cd_model_add_element(model, &element, &joint->element);
}

/* The counter starts in the turn that fits the displacement best. */
static cardan_status add_screw(cardan_model *model, cd_joint *joint, const cd_restraint *made)
{
    const int body[2] = {joint->body[0], joint->body[1]};
    const double turn = 6.283185307179586477, lead = joint->kind->def.lead;
    double angle, displacement;
    cd_joint_start(model, body, joint->kind->marker, &angle, &displacement);
    angle += turn * round(displacement / lead - angle / turn);
    cardan_status status =
        cd_model_new_counter(model, joint->name, body, joint->kind->marker, angle, &joint->counter);
    const cd_screw screw = {.restraint = *made, .factor = lead / turn};
    const char *names[CD_ELEMENT_ROWS];
    int rows = list_names(made, names);
    names[rows++] = "lead";
    names[rows++] = "angle";
    const cd_screw *self = cd_model_share(model, &screw, sizeof screw);
    const char *const *row_name = share_names(model, rows, names);
    if (status != CARDAN_OK || self == NULL || row_name == NULL)
        return cd_model_exhausted(model);
    cd_element element = {.type = is_driven(made) ? &cd_driven_screw_type : &cd_screw_type,
                          .self = self,
                          .name = joint->name,
                          .count = 3,
                          .body = {body[0], body[1], joint->counter},
                          .rows = rows,
                          .row_name = row_name};
    return cd_model_add_element(model, &element, &joint->element);
}

static cardan_status check_friction(cardan_model *model, const cd_joint *joint)
{
    if (cd_friction_is_none(&joint->kind->def.friction) ||
        cd_friction_check_joint(&joint->kind->def, &model->error) == CARDAN_OK)
        return CARDAN_OK;
    return cd_model_blame(model, "joint", joint->name);
}

static cardan_status add_rolling(cardan_model *model, cd_joint *joint, const cd_rolling *made)
{
    const char *names[CD_ELEMENT_ROWS];
    for (int i = 0; i < made->rows; i++)
        names[i] = made->tangent[i].name;
    const cd_rolling *self = cd_model_share(model, made, sizeof *made);
    const char *const *rolling_name = share_names(model, made->rows, names);
    if (self == NULL || rolling_name == NULL)
        return cd_model_exhausted(model);
    cd_element element = {.type = &cd_rolling_type,
                          .self = self,
                          .name = joint->name,
                          .count = 2,
                          .body = {joint->body[0], joint->body[1]},
                          .rolling = self->rows,
                          .rolling_name = rolling_name};
    return cd_model_add_element(model, &element, &joint->rolling);
}

static cardan_status add_friction(cardan_model *model, cd_joint *joint)
{
    cd_element element;
    if (cd_friction_is_none(&joint->kind->def.friction) || joint->element < 0)
        return CARDAN_OK;
    if (!cd_friction_make(&model->arena, &joint->kind->def, joint->kind->marker,
                          &model->element[joint->element], &element))
        return cd_model_exhausted(model);
    return cd_model_add_element(model, &element, &joint->friction);
}

/* `kind` is the joint's. */
static cardan_status add_pair_joint(cardan_model *model, cd_joint_kind *kind, cd_joint *joint)
{
    const cardan_joint_def *def = &kind->def;
    cd_restraint made;
    cd_rolling rolls;
    cardan_status status = check_bodies(model, joint);
    if (status == CARDAN_OK)
        status = check_points(model, joint);
    if (status == CARDAN_OK)
        status = check_numbers(model, joint);
    if (status != CARDAN_OK)
        return status;
    kind->marker[0] = cd_model_marker(model, joint->body[0], &def->frame1);
    kind->marker[1] = cd_model_marker(model, joint->body[1], &def->frame2);
    const bool in_plane = is_planar(model, joint->body[0]) && is_planar(model, joint->body[1]);
    status = cd_joint_primitives(model, joint, &made);
    if (status == CARDAN_OK)
        status = cd_joint_rolling(model, joint, &rolls);
    if (status == CARDAN_OK && in_plane)
        status = cd_joint_reduce_planar(model, joint, &made);
    if (status == CARDAN_OK && in_plane)
        status = cd_rolling_reduce_planar(model, joint, &rolls);
    if (status == CARDAN_OK && def->type == CARDAN_JOINT_SCREW)
        status = add_screw(model, joint, &made);
    else if (status == CARDAN_OK && made.rows > 0)
        status = add_restraint(model, joint, &made);
    if (status == CARDAN_OK && rolls.rows > 0)
        status = add_rolling(model, joint, &rolls);
    return status == CARDAN_OK ? add_friction(model, joint) : status;
}

static cardan_status add_gear(cardan_model *model, cd_joint *joint)
{
    static const char *const ratio_name[] = {"ratio"};
    const cardan_joint_def *def = &joint->kind->def;
    int counter[2];
    for (int i = 0; i < 2; i++)
        if (def->joints[i] < 0 || def->joints[i] >= model->joints)
            return cd_fail(&model->error, CARDAN_INVALID_ARGUMENT,
                           "gear `%s`: there is no joint %d (add the two joints first)",
                           joint->name, def->joints[i]);
    if (def->joints[0] == def->joints[1])
        return cd_fail(&model->error, CARDAN_INVALID_ARGUMENT,
                       "gear `%s` couples joint `%s` with itself", joint->name,
                       model->joint[def->joints[0]].name);
    if (!(isfinite(def->ratio) && def->ratio != 0.0))
        return cd_fail(&model->error, CARDAN_INVALID_ARGUMENT,
                       "gear `%s`: the ratio is %g; it must be a number other than zero",
                       joint->name, def->ratio);
    for (int i = 0; i < 2; i++) {
        cardan_status status = cd_model_joint_counter(model, def->joints[i], &counter[i]);
        if (status != CARDAN_OK)
            return status;
    }
    cd_gear *self = cd_model_keep(model, sizeof *self);
    if (self == NULL)
        return cd_model_exhausted(model);
    *self = (cd_gear){.factor = {def->ratio, 1.0}, .constant = def->initial};
    if (isnan(def->initial))
        self->constant = def->ratio * cd_model_body(model, counter[0])->start[0] +
                         cd_model_body(model, counter[1])->start[0];
    const cd_element element = {.type = &cd_gear_type,
                                .self = self,
                                .name = joint->name,
                                .count = 2,
                                .body = {counter[0], counter[1]},
                                .rows = 1,
                                .row_name = ratio_name};
    return cd_model_add_element(model, &element, &joint->coupling);
}

cardan_status cardan_model_add_joint(cardan_model *model, const cardan_joint_def *def, int *number)
{
    cardan_status status = cd_model_open(model);
    if (status != CARDAN_OK)
        return status;
    if (def == NULL || def->cookie != COOKIE)
        return cd_fail(&model->error, CARDAN_UNINITIALISED,
                       "the definition was not made by cardan_joint_def_default()");
    cd_joint_kind kind = {.def = *def};
    cd_joint joint = {.kind = &kind,
                      .body = {def->body1, def->body2},
                      .element = -1,
                      .rolling = -1,
                      .coupling = -1,
                      .counting = -1,
                      .friction = -1};
    kind.def.name = NULL;
    kind.def.body1 = kind.def.body2 = CARDAN_GROUND;
    status = cd_model_name(model, "joint", &model->joint_names, def->name, &joint.name);
    if (status != CARDAN_OK)
        return status;
    if ((unsigned)def->type > CARDAN_JOINT_SPEED)
        return cd_fail(&model->error, CARDAN_INVALID_ARGUMENT,
                       "joint `%s`: there is no joint type %d", joint.name, (int)def->type);
    status = check_friction(model, &joint);
    if (status != CARDAN_OK)
        return status;
    cd_joint *joints = cd_grow(&model->allocator, model->joint, model->joints,
                               &model->joint_capacity, sizeof *joints);
    if (joints == NULL)
        return cd_model_exhausted(model);
    model->joint = joints;
    status = def->type == CARDAN_JOINT_GEAR ? add_gear(model, &joint)
                                            : add_pair_joint(model, &kind, &joint);
    if (status != CARDAN_OK)
        return status;
    joint.kind = cd_model_share(model, &kind, sizeof kind);
    if (joint.kind == NULL || !cd_index_add(&model->joint_names, joint.name))
        return cd_model_exhausted(model);
    model->joint[model->joints] = joint;
    if (number != NULL)
        *number = model->joints;
    model->joints++;
    return CARDAN_OK;
}
