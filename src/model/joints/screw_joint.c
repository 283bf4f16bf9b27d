/* Screw: a cylindrical joint whose displacement along z is the lead times the turns counted: offset
 * along z = lead / (2 pi) s, and s the angle about z. */
#include "joint.h"

cardan_status cd_screw_check(cardan_model *model, const cd_joint *joint)
{
    const double lead = joint->kind->def.lead;
    if (isfinite(lead) && lead != 0.0)
        return CARDAN_OK;
    return cd_invalid(
        &model->error,
        "joint `%s`: the lead is %g; it must be a number other than zero (displacement per turn)",
        joint->name, lead);
}

cardan_status cd_screw_add(cardan_model *model, cd_joint *joint, cd_restraint *made)
{
    const double lead = joint->kind->def.lead;
    const cardan_status status = cd_model_append_counter(
        model, joint->name, joint->body, joint->kind->marker, 2, lead, &joint->counter);
    if (status != CARDAN_OK)
        return status;
    made->counts = true;
    cd_joint_append_row(made, (cd_primitive){.measure = &cd_displacement,
                                             .component = 2,
                                             .factor = lead / cd_two_pi,
                                             .name = "lead"});
    cd_joint_append_row(
        made, (cd_primitive){
                  .measure = &cd_angle, .options = {.axis1 = 2}, .factor = 1.0, .name = "angle"});
    return cd_joint_add_restraint(model, joint, made);
}
