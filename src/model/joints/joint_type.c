/* The list of joint types, and what follows from an entry. */
#include "joint_type.h"

#include "direction.h"

const cd_joint_type *cd_joint_type_of(cardan_joint_type type)
{
#define CD_ENTRY(number, name) [number] = &name,
    static const cd_joint_type *const types[] = {CD_JOINT_TYPES(CD_ENTRY)};
#undef CD_ENTRY
    return (size_t)type < sizeof types / sizeof types[0] ? types[type] : NULL;
}

unsigned cd_joint_fixed(const cardan_joint_def *def)
{
    const cd_joint_type *type = cd_joint_type_of(def->type);
    return type == NULL ? 0u : type->chosen ? def->fixed : type->fixed;
}

unsigned cd_free_directions(const cardan_joint_def *joint)
{
    const cd_joint_type *type = cd_joint_type_of(joint->type);
    return type == NULL || type->fixed == 0u ? 0u : ~cd_joint_fixed(joint) & CD_ALL_DIRECTIONS;
}

cardan_status cd_joint_rolling(cardan_model *model, const cd_joint *joint, cd_rolling *it)
{
    const cardan_joint_def *def = &joint->kind->def;
    const cd_joint_type *type = cd_joint_type_of(def->type);
    *it = (cd_rolling){.marker = {joint->kind->marker[0], joint->kind->marker[1]},
                       .radius = def->radius};
    if (type->rolling == NULL)
        return CARDAN_OK;
    if (!type->own_motion && def->motion != CARDAN_NONE)
        return cd_fail(&model->error, CARDAN_INVALID_ARGUMENT,
                       "joint `%s`: a joint that rolls or skates follows no motion", joint->name);
    return type->rolling(model, joint, it);
}

void cd_rolling_append(cd_rolling *it, int owner, int axis, const char *name)
{
    it->tangent[it->rows].owner = owner;
    it->tangent[it->rows].axis = axis;
    it->tangent[it->rows++].name = name;
}

void cd_rolling_without_slip(cd_rolling *it, cd_contact_kind contact)
{
    it->contact = contact;
    cd_rolling_append(it, 0, 0, "x");
    cd_rolling_append(it, 0, 1, "y");
}

cardan_status cd_joint_check_radius(cardan_model *model, const cd_joint *joint)
{
    const double radius = joint->kind->def.radius;
    if (radius > 0.0 && isfinite(radius))
        return CARDAN_OK;
    return cd_fail(&model->error, CARDAN_INVALID_ARGUMENT,
                   "joint `%s`: the radius is %g; it must be positive", joint->name, radius);
}
