/* Checks of a model file that concern several fields together, made after all of it was read. */
#include "base/numeric.h"
#include "read.h"

#include <float.h>
#include <string.h>

/* Largest negative value that rounding of entries of this size explains. */
static const double rounding = 64.0 * DBL_EPSILON;

/* Can a body have this inertia? trace/2 - I, the second moments of mass, must not be negative, for
 * a diagonal I the triangle inequality. Principal minors of a symmetric 3 x 3 matrix tell. */
static bool is_possible_inertia(const double i[6])
{
    const double half = 0.5 * (i[0] + i[1] + i[2]), size = fabs(half);
    const double a = half - i[0], b = half - i[1], c = half - i[2];
    const double d = -i[3], e = -i[4], f = -i[5];
    const double slack = rounding * size;
    const double determinant = a * (b * c - f * f) - d * (d * c - f * e) + e * (d * f - b * e);
    return half >= 0.0 && a >= -slack && b >= -slack && c >= -slack &&
           a * b - d * d >= -slack * size && a * c - e * e >= -slack * size &&
           b * c - f * f >= -slack * size && determinant >= -slack * size * size;
}

static void check_inertia(cd_reading *r, const cd_body_item *body)
{
    const cd_location location = cd_field_location(&body->item, "inertia");
    const double *i = body->def.inertia;
    if (body->type == CARDAN_BODY_PLANAR) {
        if (i[2] < 0.0)
            cd_report_error(r->report, location,
                            "the moment of inertia about z is negative; check "
                            "the signs");
    } else if (i[0] < 0.0 || i[1] < 0.0 || i[2] < 0.0) {
        cd_report_error(r->report, location, "a moment of inertia is negative; check the signs");
    } else if (!is_possible_inertia(i)) {
        cd_report_error(r->report, location,
                        "no body has this inertia: each principal moment is at most the sum of the "
                        "other two (triangle inequality); check the numbers and the signs of the "
                        "products");
    }
}

/* Checks that the mass properties of a body are complete and possible. */
static void check_mass(cd_reading *r, const cd_body_item *body)
{
    const bool solids = body->solids.count > 0;
    const bool mass = cd_given_field(&body->item, "mass") != NULL;
    const bool inertia = cd_given_field(&body->item, "inertia") != NULL;
    const cd_node *at = cd_given_field(&body->item, "inertia_at");
    if (body->item.node->kind != CD_MAP)
        return;
    if (!mass && !solids && cd_given_field(&body->item, "solids") == NULL)
        cd_reject(
            r, body->item.node,
            "this body has no `mass` and no `solids`; state one, `mass: 0` if joints carry it");
    if (inertia)
        check_inertia(r, body);
    else if (at != NULL)
        cd_report_error(r->report, at->key_location, "`inertia_at` without `inertia`; give both");
    else if (r->report->errors == 0 && mass && body->def.mass > 0.0 && !solids &&
             body->type != CARDAN_BODY_POINT)
        cd_report_warning(r->report, body->item.node->location,
                          "this body has mass but no `inertia`: its rotation has none; state it, "
                          "or use `type: point`");
}

static void check_body(cd_reading *r, const cd_body_item *body)
{
    const double *q = body->def.orientation;
    check_mass(r, body);
    if (body->type == CARDAN_BODY_PLANAR && fabs(q[1]) + fabs(q[2]) > 1e-9)
        cd_report_error(r->report, cd_field_location(&body->item, "orientation"),
                        "a planar body turns about z only; make it `type: rigid` or turn it about "
                        "z");
}

static bool connects_body_to_itself(const cd_item *item, int body1, int body2)
{
    return body1 == body2 && body1 != CD_UNKNOWN && cd_given_field(item, "body1") != NULL &&
           cd_given_field(item, "body2") != NULL;
}

/* Reports an error if an item has both of two fields that exclude each other. */
static void reject_both(cd_reading *r, const cd_item *item, const char *first, const char *second,
                        const char *advice)
{
    const cd_node *one = cd_given_field(item, first), *two = cd_given_field(item, second);
    if (one != NULL && two != NULL)
        cd_report_error(r->report, two->key_location, "`%s` and `%s` exclude each other; %s", first,
                        second, advice);
}

/* Moves the initial coordinate and rate of a joint, which a file calls `angle` and `rate` or
 * `displacement` and `speed`, into its definition; a missing `direction` follows from them. */
static void set_initial_values(cd_reading *r, cd_joint_item *joint)
{
    static const char *const angles[] = {"angle", "rate"}, *const displacements[] = {"displacement",
                                                                                     "speed"};
    for (int i = 0; i < 2; i++)
        for (int j = 0; j < 2; j++)
            reject_both(r, &joint->item, angles[i], displacements[j],
                        "a joint has one coordinate that is given at the start");
    const bool has_displacement = !isnan(joint->displacement) || !isnan(joint->speed);
    const bool has_angle = !isnan(joint->angle) || !isnan(joint->rate);
    joint->def.initial = has_displacement ? joint->displacement : joint->angle;
    joint->def.initial_rate = has_displacement ? joint->speed : joint->rate;
    if ((has_displacement || has_angle) && joint->def.direction == 0 &&
        joint->type != CARDAN_JOINT_GENERIC && joint->type != CARDAN_JOINT_UNIVERSAL)
        joint->def.direction = has_displacement ? CARDAN_TZ : CARDAN_RZ;
    else if (joint->def.direction != 0 && ((has_displacement && joint->def.direction > CARDAN_TZ) ||
                                           (has_angle && joint->def.direction <= CARDAN_TZ)))
        cd_report_error(r->report, cd_field_location(&joint->item, "direction"),
                        "`direction` is %s, the value at the start %s; let them agree",
                        has_displacement ? "a rotation" : "a translation",
                        has_displacement ? "a displacement" : "an angle");
}

/* Checks that a gear couples two different joints, neither of them a gear. */
static void check_gear(cd_reading *r, const cd_model_item *model, const cd_joint_item *joint)
{
    const cd_joint_item *joints = model->joints.items;
    const cd_node *node = cd_given_field(&joint->item, "joints");
    if (node == NULL || node->kind != CD_LIST || node->count != 2)
        return;
    if (joint->def.joints[0] == joint->def.joints[1] && joint->def.joints[0] != CD_UNKNOWN)
        cd_reject(r, node, "a gear couples two different joints; name another one");
    for (int i = 0; i < 2; i++) {
        const int other = joint->def.joints[i];
        if (other >= 0 && other < model->joints.count && joints[other].type == CARDAN_JOINT_GEAR)
            cd_report_error(r->report, i == 0 ? node->first->location : node->last->location,
                            "a gear couples joints that turn; `%s` is a gear itself",
                            joints[other].def.name);
    }
}

static void check_joint(cd_reading *r, const cd_model_item *model, cd_joint_item *joint)
{
    if (joint->type < 0)
        return;
    if (connects_body_to_itself(&joint->item, joint->def.body1, joint->def.body2))
        cd_report_error(r->report, cd_field_location(&joint->item, "body2"),
                        "this joint holds a body to itself; `body1` and `body2` must differ");
    if (joint->type == CARDAN_JOINT_GENERIC && joint->def.fixed == 0 &&
        cd_given_field(&joint->item, "fixed") != NULL)
        cd_report_error(r->report, cd_field_location(&joint->item, "fixed"),
                        "this joint holds no direction; name some, or remove the joint");
    set_initial_values(r, joint);
    if (joint->type == CARDAN_JOINT_GEAR)
        check_gear(r, model, joint);
    cd_set_joint_frames(r, model, joint);
}

static void check_force(cd_reading *r, const cd_model_item *model, cd_force_item *force)
{
    if (force->type < 0)
        return;
    if (connects_body_to_itself(&force->item, force->def.body1, force->def.body2))
        cd_report_error(r->report, cd_field_location(&force->item, "body2"),
                        "this force acts between a body and itself; `body1` and `body2` must "
                        "differ");
    if (force->type == CARDAN_FORCE_APPLIED) {
        if (cd_given_field(&force->item, "force") == NULL &&
            cd_given_field(&force->item, "torque") == NULL)
            cd_reject(r, force->item.node,
                      "this force has neither `force` nor `torque`; state one");
        if (cd_given_field(&force->item, "body") != NULL && force->def.body2 == CARDAN_GROUND)
            cd_report_error(r->report, cd_field_location(&force->item, "body"),
                            "a force on `ground` moves nothing; name a body");
    }
    cd_set_force_frames(r, model, force);
}

/* Checks the order of the times of a signal, and warns of a signal that nothing uses. */
static void check_signal(cd_reading *r, const cd_signal_item *signal)
{
    const bool span =
        signal->type == CARDAN_SIGNAL_SMOOTH_STEP || signal->type == CARDAN_SIGNAL_RAMP;
    if (span && signal->item.given != NULL && cd_given_field(&signal->item, "end") != NULL &&
        !(signal->def.end > signal->def.start))
        cd_report_error(r->report, cd_field_location(&signal->item, "end"),
                        "`end` is not after `start`; let the times increase");
    if (!signal->used && signal->name != NULL && r->report->errors == 0)
        cd_report_warning(r->report, signal->item.node->location,
                          "nothing uses the signal `%s`; remove it, or refer to it", signal->name);
}

/* Reports settings of the section `solver` that contradict each other. */
static void check_solver(cd_reading *r, const cd_model_item *model)
{
    const cd_node *node = cd_given_field(&model->item, "solver");
    const cd_schema *schema = &cd_solver_schema;
    const cardan_run_settings *solver = &model->solver;
    const cd_node *given[32] = {NULL};
    if (node == NULL || node->kind != CD_MAP)
        return;
    for (const cd_node *entry = node->first; entry != NULL; entry = entry->next)
        if (cd_field_find(schema, entry->key) >= 0)
            given[cd_field_find(schema, entry->key)] = entry;
    const cd_item item = {schema, node, given};
    static const char *const chosen[] = {"rtol", "atol", "min_step", "max_step"};
    for (int i = 0; i < 4; i++)
        reject_both(r, &item, "step", chosen[i],
                    "`step` sets fixed steps, the others are for adaptive steps");
    reject_both(r, &item, "rho", "params", "both set the parameters of the method");
    reject_both(r, &item, "sample", "every", "both say when rows are written");
    if (!isnan(solver->end) && !(solver->end > solver->begin))
        cd_report_error(r->report, cd_field_location(&item, "end"),
                        "`end` is %.6g and the run begins at %.6g; let it end later", solver->end,
                        solver->begin);
}

/* Warns of unused parameters, unless there are errors: what could not be read might use them. */
static void check_parameters(cd_reading *r)
{
    for (int i = 0; r->report->errors == 0 && i < cd_names_count(r->parameter_names); i++)
        if (!r->parameters[i].used)
            cd_report_warning(r->report, r->parameters[i].node->key_location,
                              "nothing uses the parameter `%s`; write $%s where it is meant, or "
                              "remove it",
                              r->parameters[i].node->key, r->parameters[i].node->key);
}

void cd_check_model(cd_reading *r, cd_model_item *model)
{
    const cd_body_item *bodies = model->bodies.items;
    cd_joint_item *joints = model->joints.items;
    cd_force_item *forces = model->forces.items;
    const cd_node *section = cd_given_field(&model->item, "bodies");
    if (section != NULL && model->bodies.count == 0 &&
        (section->kind == CD_LIST || cd_is_empty(section)))
        cd_report_error(r->report, section->key_location, "`bodies` is empty; a model has bodies");
    for (int i = 0; i < model->bodies.count; i++)
        check_body(r, &bodies[i]);
    for (int i = 0; i < model->joints.count; i++)
        check_joint(r, model, &joints[i]);
    for (int i = 0; i < model->forces.count; i++)
        check_force(r, model, &forces[i]);
    for (int i = 0; i < r->signal_count; i++)
        check_signal(r, r->signals[i]);
    check_solver(r, model);
    check_parameters(r);
    if (r->first_absent != NULL && r->report->errors == 0) /* nothing else was wrong after all */
        cd_reject(r, r->first_absent, "there is no `%s`; add it", r->first_absent->text);
}
