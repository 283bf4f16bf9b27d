/* Adding a joint to a model: checks of its definition, and its elements. */
#include "joint.h"
#include "model/elements/friction.h"

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

static bool is_point_mass(const cardan_model *model, int body)
{
    return body >= 0 && model->body[body].form == &cd_form_point;
}

/* Whether a body can only move in the x-y plane. */
static bool is_planar(const cardan_model *model, int body)
{
    return body == CARDAN_GROUND || model->body[body].form == &cd_form_planar;
}

/* Checks that the bodies and frames exist, and that the bodies differ. */
static cardan_status check_bodies(cardan_model *model, const cd_joint *joint)
{
    const cardan_joint_def *def = &joint->kind->def;
    const cardan_status status =
        cd_model_check_pair(model, joint->name, joint->body, &def->frame1, &def->frame2);
    if (status == CARDAN_OK && joint->body[0] == joint->body[1])
        return cd_invalid(
            &model->error, "joint `%s` connects `%s` with itself; body1 and body2 must differ",
            joint->name, cardan_model_name(model, CARDAN_ELEMENT_BODY, joint->body[0]));
    return status;
}

/* Rejects joints that fix or prescribe a rotation of a point mass, which has none. */
static cardan_status check_point_masses(cardan_model *model, const cd_joint *joint)
{
    const cardan_joint_def *def = &joint->kind->def;
    const unsigned rotations = CARDAN_RX | CARDAN_RY | CARDAN_RZ;
    const bool rotates =
        ((cd_joint_fixed_directions(def) | (unsigned)def->direction) & rotations) != 0u ||
        cd_joint_type_of(def->type)->restrains_rotation;
    for (int b = 0; rotates && b < 2; b++)
        if (is_point_mass(model, joint->body[b]))
            return cd_invalid(
                &model->error,
                "joint `%s` acts on rotations, but `%s` is a point mass and has none; use a "
                "spherical, distance, point-on-line or point-on-plane joint",
                joint->name, model->body[joint->body[b]].name);
    return CARDAN_OK;
}

/* Checks the numbers of the definition and the signal of its motion. */
static cardan_status check_values(cardan_model *model, const cd_joint *joint)
{
    const cardan_joint_def *def = &joint->kind->def;
    const cd_joint_type *type = cd_joint_type_of(def->type);
    const cardan_status status = type->check != NULL ? type->check(model, joint) : CARDAN_OK;
    if (status != CARDAN_OK)
        return status;
    if (type->contact != CD_CONTACT_NONE && !(def->radius > 0.0 && isfinite(def->radius)))
        return cd_invalid(&model->error, "joint `%s`: the radius is %g; it must be positive",
                          joint->name, def->radius);
    if (cd_first_not_finite(3, def->force_guess) >= 0 ||
        cd_first_not_finite(3, def->moment_guess) >= 0)
        return cd_invalid(&model->error,
                          "joint `%s`: guesses of its force and moment must be finite",
                          joint->name);
    if (def->motion != CARDAN_NONE && (def->motion < 0 || def->motion >= model->signals))
        return cd_invalid(&model->error,
                          "joint `%s`: there is no signal %d for its motion (there are %d)",
                          joint->name, def->motion, model->signals);
    return CARDAN_OK;
}

/* Whether a row has a prescribed motion. */
static bool is_driven(const cd_restraint *it)
{
    for (int i = 0; i < it->rows; i++)
        if (it->primitive[i].motion != NULL)
            return true;
    return false;
}

/* Adds an element of this type with the rows in `made`. */
static cardan_status add_rows_element(cardan_model *model, const cd_joint *joint,
                                      const cd_element_type *type, const cd_restraint *made,
                                      int *number)
{
    const bool nonholonomic = type == &cd_nonholonomic_type;
    cd_restraint whole = *made;
    const char *name[CD_ELEMENT_ROWS];
    whole.separations = cd_restraint_separations(made);
    for (int i = 0; i < made->rows; i++)
        name[i] = made->primitive[i].name;
    const cd_restraint *self = cd_model_share(model, &whole, cd_restraint_size(made->rows));
    const char *const *names = cd_model_share(model, name, (size_t)made->rows * sizeof *name);
    if (self == NULL || names == NULL)
        return cd_model_exhausted(model);
    const cd_element element = {.type = type,
                                .self = self,
                                .name = joint->name,
                                .count = made->counts ? 3 : 2,
                                .body = {joint->body[0], joint->body[1], joint->counter},
                                .rows = nonholonomic ? 0 : made->rows,
                                .nonholonomic = nonholonomic ? made->rows : 0,
                                .row_name = names,
                                .nonholonomic_name = names};
    return cd_model_add_element(model, &element, number);
}

cardan_status cd_joint_add_restraint(cardan_model *model, cd_joint *joint, const cd_restraint *made)
{
    static const cd_element_type *const types[2][2] = {
        {&cd_restraint_type, &cd_driven_restraint_type}, {&cd_screw_type, &cd_driven_screw_type}};
    return add_rows_element(model, joint, types[made->counts][is_driven(made)], made,
                            &joint->element);
}

static cardan_status check_friction(cardan_model *model, const cd_joint *joint)
{
    if (cd_friction_is_none(&joint->kind->def.friction) ||
        cd_friction_check_joint(&joint->kind->def, &model->error) == CARDAN_OK)
        return CARDAN_OK;
    return cd_model_prefix_message(model, "joint", joint->name);
}

/* Adds the friction element of a joint that has friction. */
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

/* Checks a joint between two bodies, sets the markers of its `kind`, and adds its elements. */
static cardan_status add_pair_joint(cardan_model *model, cd_joint_kind *kind, cd_joint *joint)
{
    const cardan_joint_def *def = &kind->def;
    const cd_joint_type *type = cd_joint_type_of(def->type);
    cd_restraint made, nonholonomic_rows;
    cardan_status status = check_bodies(model, joint);
    if (status == CARDAN_OK)
        status = check_point_masses(model, joint);
    if (status == CARDAN_OK)
        status = check_values(model, joint);
    if (status != CARDAN_OK)
        return status;
    kind->marker[0] = cd_model_marker(model, joint->body[0], &def->frame1);
    kind->marker[1] = cd_model_marker(model, joint->body[1], &def->frame2);
    const bool in_plane = is_planar(model, joint->body[0]) && is_planar(model, joint->body[1]);
    status = cd_joint_make_rows(model, joint, &made);
    if (status == CARDAN_OK)
        status = cd_joint_make_nonholonomic_rows(model, joint, &nonholonomic_rows);
    if (status == CARDAN_OK && in_plane)
        status = cd_joint_reduce_planar(model, joint, &made, &nonholonomic_rows);
    if (status == CARDAN_OK && type->add != NULL)
        status = type->add(model, joint, &made);
    else if (status == CARDAN_OK && made.rows > 0)
        status = cd_joint_add_restraint(model, joint, &made);
    if (status == CARDAN_OK && nonholonomic_rows.rows > 0)
        status = add_rows_element(model, joint, &cd_nonholonomic_type, &nonholonomic_rows,
                                  &joint->nonholonomic);
    return status == CARDAN_OK ? add_friction(model, joint) : status;
}

cardan_status cardan_model_add_joint(cardan_model *model, const cardan_joint_def *def, int *number)
{
    cardan_status status = cd_model_check_unbuilt(model);
    if (status != CARDAN_OK)
        return status;
    if (def == NULL || def->cookie != COOKIE)
        return cd_fail(&model->error, CARDAN_UNINITIALISED,
                       "the definition was not made by cardan_joint_def_default()");
    cd_joint_kind kind = {.def = *def};
    cd_joint joint = {.kind = &kind,
                      .body = {def->body1, def->body2},
                      .element = -1,
                      .nonholonomic = -1,
                      .coupling = -1,
                      .counting = -1,
                      .friction = -1};
    kind.def.name = NULL;
    kind.def.body1 = kind.def.body2 = CARDAN_GROUND;
    status = cd_model_make_name(model, "joint", &model->joint_names, def->name, &joint.name);
    if (status != CARDAN_OK)
        return status;
    const cd_joint_type *type = cd_joint_type_of(def->type);
    if (type == NULL)
        return cd_invalid(&model->error, "joint `%s`: there is no joint type %d", joint.name,
                          (int)def->type);
    status = check_friction(model, &joint);
    if (status != CARDAN_OK)
        return status;
    cd_joint *joints = cd_grow(&model->allocator, model->joint, model->joints,
                               &model->joint_capacity, sizeof *joints);
    if (joints == NULL)
        return cd_model_exhausted(model);
    model->joint = joints;
    status = type->couples_joints ? type->add(model, &joint, NULL)
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
