/* Gear: ratio times the angle of one joint plus that of another is constant. The angles are turn
 * counters, so that the gear is linear in them over any number of turns. */
#include "joint.h"

typedef struct cd_gear {
    double factor[2], constant; /* factor[0] s_0 + factor[1] s_1 = constant */
} cd_gear;

static int gear_constraint(const void *self, const cd_element_point *at, double *phi)
{
    const cd_gear *it = self;
    phi[0] = it->factor[0] * at->body_state[0].r[0] + it->factor[1] * at->body_state[1].r[0] -
             it->constant;
    return 0;
}

static int gear_constraint_dx(const void *self, const cd_element_point *at, double *B)
{
    const cd_gear *it = self;
    (void)at;
    B[0] = it->factor[0];
    B[CD_BODY_COLUMNS] = it->factor[1];
    return 0;
}

/* Second derivatives: they are zero, since the constraint is linear. */
static int leave_zero(const void *self, const cd_element_point *at, double *out)
{
    (void)self;
    (void)at;
    (void)out;
    return 0;
}

const cd_element_type cd_gear_type = {
    .name = "gear",
    .no_value_reason = CD_LOST_DIRECTION,
    .constraint = gear_constraint,
    .constraint_dx = gear_constraint_dx,
    .constraint_bias = leave_zero,
    .hidden_dx = leave_zero,
    .reaction_dx = leave_zero,
};

cardan_status cd_gear_add(cardan_model *model, cd_joint *joint, cd_restraint *made)
{
    static const char *const ratio_name[] = {"ratio"};
    const cardan_joint_def *def = &joint->kind->def;
    int counter[2];
    (void)made;
    for (int i = 0; i < 2; i++)
        if (def->joints[i] < 0 || def->joints[i] >= model->joints)
            return cd_invalid(&model->error,
                              "gear `%s`: there is no joint %d (add the two joints first)",
                              joint->name, def->joints[i]);
    if (def->joints[0] == def->joints[1])
        return cd_invalid(&model->error, "gear `%s` couples joint `%s` with itself", joint->name,
                          model->joint[def->joints[0]].name);
    if (!(isfinite(def->ratio) && def->ratio != 0.0))
        return cd_invalid(&model->error,
                          "gear `%s`: the ratio is %g; it must be a number other than zero",
                          joint->name, def->ratio);
    for (int i = 0; i < 2; i++) {
        cardan_status status = cd_model_joint_counter(model, def->joints[i], &counter[i]);
        if (status != CARDAN_OK)
            return status;
    }
    cd_gear *self = cd_model_allocate(model, sizeof *self);
    if (self == NULL)
        return cd_model_exhausted(model);
    *self = (cd_gear){.factor = {def->ratio, 1.0}, .constant = def->initial};
    if (isnan(def->initial))
        self->constant = def->ratio * cd_model_body(model, counter[0])->initial_angle[0] +
                         cd_model_body(model, counter[1])->initial_angle[0];
    const cd_element element = {.type = &cd_gear_type,
                                .self = self,
                                .name = joint->name,
                                .count = 2,
                                .body = {counter[0], counter[1]},
                                .rows = 1,
                                .row_name = ratio_name};
    return cd_model_add_element(model, &element, &joint->coupling);
}
