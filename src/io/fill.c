/* Fills a cardan_model from the items of a file, and reports what the model rejects. */
#include "base/numeric.h"
#include "read.h"

#include <stdio.h>
#include <string.h>

/* Reports an addition that the model has rejected; returns whether it was accepted. */
static bool check_added(cd_reading *r, const cardan_model *model, cardan_status status,
                        const cd_node *node)
{
    if (status == CARDAN_OUT_OF_MEMORY) /* not the fault of the file */
        r->document->arena.failed = 1;
    else if (status != CARDAN_OK)
        cd_reject(r, node, "%s", cardan_model_message(model));
    return status == CARDAN_OK;
}

/* The three numbers of cardan_body_add_solid, which depend on the type of the solid. */
static void copy_solid_size(const cd_solid_item *solid, double size[3])
{
    cd_copy(3, solid->size, size);
    if (solid->type == CARDAN_SOLID_CYLINDER || solid->type == CARDAN_SOLID_SPHERE ||
        solid->type == CARDAN_SOLID_RING) {
        size[0] = solid->radius;
        size[1] = solid->length;
    } else if (solid->type == CARDAN_SOLID_ROD) {
        size[0] = solid->length;
        size[1] = 2.0 * solid->radius;
    }
}

static bool add_solid(cd_reading *r, const cd_solid_item *solid, cardan_body_def *def)
{
    double size[3];
    cardan_error error;
    copy_solid_size(solid, size);
    const double density = solid->type == CARDAN_SOLID_POINT ? solid->mass : solid->density;
    if (cardan_body_add_solid(def, (cardan_solid_type)solid->type, density, size, solid->position,
                              solid->orientation, &error) == CARDAN_OK)
        return true;
    cd_reject(r, solid->item.node, "%s", error.text);
    return false;
}

/* Adds the shapes of a body that the file gives or, if there are none, its solids. */
static void add_shapes(cd_reading *r, cardan_model *model, const cd_body_item *body, int number)
{
    const cd_list *list = body->shapes.count > 0 ? &body->shapes : &body->solids;
    const cd_solid_item *solids = list->items;
    for (int i = 0; i < list->count; i++) {
        cardan_shape shape = {.type = (cardan_solid_type)solids[i].type};
        copy_solid_size(&solids[i], shape.size);
        cd_copy(3, solids[i].position, shape.position);
        cd_copy(4, solids[i].orientation, shape.orientation);
        check_added(r, model, cardan_model_add_shape(model, number, &shape), solids[i].item.node);
    }
}

static void add_body(cd_reading *r, cardan_model *model, cd_body_item *body)
{
    cardan_body_def *def = &body->def;
    const cd_solid_item *solids = body->solids.items;
    def->type = (cardan_body_type)body->type;
    def->form = (cardan_body_form)body->form;
    if (cd_given_field(&body->item, "inertia_at") != NULL)
        def->inertia_at_com = false;
    def->fixed_position = (body->fixed.values & 1u) != 0;
    def->fixed_orientation = (body->fixed.values & 2u) != 0;
    def->fixed_velocity = (body->fixed.values & 4u) != 0;
    def->fixed_angular_velocity = (body->fixed.values & 8u) != 0;
    for (int i = 0; i < body->solids.count; i++)
        if (!add_solid(r, &solids[i], def))
            return;
    int number;
    if (check_added(r, model, cardan_model_add_body(model, def, &number), body->item.node))
        add_shapes(r, model, body, number);
}

static int add_signal_to_model(cd_reading *r, cardan_model *model, int i, const cd_node *reference);

/* Adds the terms of a sum or product and stores their numbers; false if one was rejected. */
static bool add_terms(cd_reading *r, cardan_model *model, const cd_signal_item *signal)
{
    const cd_node *reference =
        signal->terms != NULL ? cd_given_field(&signal->item, "terms")->first : NULL;
    bool valid = true;
    r->depth++;
    for (int i = 0; reference != NULL; i++, reference = reference->next) {
        signal->terms[i] = add_signal_to_model(r, model, signal->terms[i], reference);
        valid = valid && signal->terms[i] >= 0;
    }
    r->depth--;
    return valid;
}

/* Adds signal `i` of the reader, after its terms, unless that was done before. Returns its index in
 * the model or -1. `reference`: the term of another signal that names it, or NULL. */
static int add_signal_to_model(cd_reading *r, cardan_model *model, int i, const cd_node *reference)
{
    cd_signal_item *signal = r->signals[i];
    const bool deep = r->depth > CD_MAX_CHAIN;
    const bool fresh = signal->state == CD_SIGNAL_NOT_ADDED && !deep;
    if (signal->state == CD_SIGNAL_ADDED)
        return signal->number;
    if (signal->state == CD_SIGNAL_BEING_ADDED)
        cd_report_error(r->report,
                        reference != NULL ? reference->location : signal->item.node->location,
                        "the signal `%s` is a part of itself; remove it from these `terms`",
                        signal->name != NULL ? signal->name : "");
    else if (deep)
        cd_reject(r, signal->item.node,
                  "signals are parts of each other more than %d deep; combine some of them",
                  CD_MAX_CHAIN);
    signal->state = fresh ? CD_SIGNAL_BEING_ADDED : CD_SIGNAL_REJECTED;
    signal->def.type = (cardan_signal_type)signal->type;
    const bool added =
        fresh && add_terms(r, model, signal) && signal->state == CD_SIGNAL_BEING_ADDED &&
        check_added(r, model, cardan_model_add_signal(model, &signal->def, &signal->number),
                    signal->item.node);
    signal->state = added ? CD_SIGNAL_ADDED : CD_SIGNAL_REJECTED;
    return added ? signal->number : -1;
}

/* A new signal in radians, the product of a constant and a signal in the angle unit of the file. */
static int scale_signal(cd_reading *r, cardan_model *model, int signal, const cd_node *node)
{
    int terms[2] = {0, signal}, number = CARDAN_NONE;
    cardan_signal_def def = cardan_signal_def_default();
    def.type = CARDAN_SIGNAL_CONSTANT;
    def.value = r->angle_unit;
    cardan_status status = cardan_model_add_signal(model, &def, &terms[0]);
    if (status == CARDAN_OK) {
        def = cardan_signal_def_default();
        def.type = CARDAN_SIGNAL_PRODUCT;
        def.terms = terms;
        def.count = 2;
        status = cardan_model_add_signal(model, &def, &number);
    }
    check_added(r, model, status, node);
    return number;
}

/* Whether `motion` of a joint prescribes an angle. */
static bool is_motion_rotation(const cd_joint_item *joint)
{
    if (joint->def.direction != 0)
        return joint->def.direction > CARDAN_TZ;
    return joint->type == CARDAN_JOINT_REVOLUTE || joint->type == CARDAN_JOINT_SCREW ||
           joint->type == CARDAN_JOINT_SPHERICAL || joint->type == CARDAN_JOINT_UNIVERSAL;
}

/* Adds the signal of a prescribed motion to the model, and scales angles to radians. */
static void add_motion_signal(cd_reading *r, cardan_model *model, cd_joint_item *joint)
{
    const cd_node *node = cd_given_field(&joint->item, "motion");
    if (node == NULL)
        return;
    joint->def.motion = add_signal_to_model(r, model, joint->def.motion, NULL);
    if (joint->def.motion >= 0 && r->angle_unit != 1.0 && is_motion_rotation(joint))
        joint->def.motion = scale_signal(r, model, joint->def.motion, node);
}

static void add_joint(cd_reading *r, cardan_model *model, cd_joint_item *joint)
{
    cardan_joint_def *def = &joint->def;
    def->type = (cardan_joint_type)joint->type;
    add_motion_signal(r, model, joint);
    check_added(r, model, cardan_model_add_joint(model, def, &joint->number), joint->item.node);
}

/* Adds all joints. Gears come last, wherever they are in the file: they refer to other joints. */
static void add_joints(cd_reading *r, cardan_model *model, const cd_list *list)
{
    cd_joint_item *joints = list->items;
    for (int i = 0; i < list->count; i++)
        if (joints[i].type != CARDAN_JOINT_GEAR)
            add_joint(r, model, &joints[i]);
    for (int i = 0; i < list->count && r->report->errors == 0; i++)
        if (joints[i].type == CARDAN_JOINT_GEAR) {
            for (int side = 0; side < 2; side++)
                joints[i].def.joints[side] = joints[joints[i].def.joints[side]].number;
            add_joint(r, model, &joints[i]);
        }
}

/* Adds for every body with `fixed: true` a joint that fixes it to the ground where it is. */
static void add_joints_of_fixed_bodies(cd_reading *r, cardan_model *model, const cd_list *list)
{
    const cd_body_item *bodies = list->items;
    for (int i = 0; i < list->count; i++) {
        if (!bodies[i].fixed.body)
            continue;
        cardan_joint_def def = cardan_joint_def_default();
        char name[200];
        snprintf(name, sizeof name, "%.180s_fixed", bodies[i].def.name);
        def.name = name;
        def.type = CARDAN_JOINT_FIXED;
        def.body1 = CARDAN_GROUND;
        def.body2 = i;
        cd_copy(3, bodies[i].def.position, def.frame1.position);
        cd_copy(4, bodies[i].def.orientation, def.frame1.orientation);
        check_added(r, model, cardan_model_add_joint(model, &def, NULL),
                    cd_given_field(&bodies[i].item, "fixed"));
    }
}

static void add_force(cd_reading *r, cardan_model *model, const cd_list *joints,
                      cd_force_item *force)
{
    cardan_force_def *def = &force->def;
    const cd_joint_item *all = joints->items;
    def->type = (cardan_force_type)force->type;
    if (cd_given_field(&force->item, "signal") != NULL) {
        def->signal = add_signal_to_model(r, model, def->signal, NULL);
        if (def->signal < 0)
            return;
    }
    if (force->type == CARDAN_FORCE_MOTOR)
        def->joint = all[def->joint].number;
    check_added(r, model, cardan_model_add_force(model, def, NULL), force->item.node);
}

/* Replaces indices of joints in the file by those in the model, where sensors need them later. */
static void set_sensor_joints(const cd_list *list, const cd_list *joints)
{
    cd_sensor_item *sensors = list->items;
    const cd_joint_item *all = joints->items;
    for (int i = 0; i < list->count; i++) {
        sensors[i].def.type = (cardan_sensor_type)sensors[i].type;
        if (cd_given_field(&sensors[i].item, "joint") != NULL)
            sensors[i].def.joint = all[sensors[i].def.joint].number;
    }
}

/* Each kind of element is complete before those that refer to it are added. */
void cd_fill_model(cd_reading *r, cd_model_item *items, cardan_model *model)
{
    cd_body_item *bodies = items->bodies.items;
    cd_force_item *forces = items->forces.items;
    check_added(r, model, cardan_model_set_gravity(model, items->gravity),
                cd_given_field(&items->item, "gravity"));
    for (int i = 0; i < items->bodies.count; i++)
        add_body(r, model, &bodies[i]);
    for (int i = 0; i < r->signal_count; i++)
        add_signal_to_model(r, model, i, NULL);
    if (r->report->errors > 0)
        return;
    add_joints(r, model, &items->joints);
    add_joints_of_fixed_bodies(r, model, &items->bodies);
    for (int i = 0; i < items->forces.count && r->report->errors == 0; i++)
        add_force(r, model, &items->joints, &forces[i]);
    set_sensor_joints(&items->sensors, &items->joints);
}
