/* Findings on what assembly has changed, for the health of a run (cardan/health.h). */
#include "assembly.h"
#include "integrate/health.h"

/* Larger changes are doubtful. They are wide, since closing a loop may move bodies far. */
static const double far = 0.5;         /* of the typical length */
static const double turned = 1.0;      /* rad */
static const double same_speed = 0.01; /* of the velocity in the definition */

/* The fraction of the velocity in a body's definition by which assembly has changed it. */
static double changed_fraction(const cardan_model *model, const cardan_assembly_move *moved)
{
    cardan_body_def def;
    if (!cardan_model_body(model, moved->body, &def))
        return 0.0;
    const double speed = sqrt(cd_dot3(def.velocity, def.velocity)),
                 spin = sqrt(cd_dot3(def.angular_velocity, def.angular_velocity));
    return fmax(speed > 0.0 ? moved->distance / speed : 0.0,
                spin > 0.0 ? moved->angle / spin : 0.0);
}

static void judge_velocities(const cardan_model *model, const cardan_assembly *assembly,
                             cardan_health *health)
{
    const cardan_assembly_move *worst = NULL;
    double most = 0.0;
    for (int i = 0; i < assembly->changed_count; i++) {
        const double fraction = changed_fraction(model, &assembly->changed[i]);
        if (fraction > most) {
            most = fraction;
            worst = &assembly->changed[i];
        }
    }
    if (worst != NULL && most > same_speed)
        cd_health_add_finding(
            health, CARDAN_CONCERN_START, CARDAN_DOUBTFUL, NAN,
            "body `%s` does not start with the velocity that was given: joints allow "
            "no such motion together with the other bodies' velocities, and assembly "
            "changed it by %.3g m/s and %.3g rad/s; give the `rate` of a joint, or "
            "mark what must stay with `fixed`",
            cardan_model_name(model, CARDAN_ELEMENT_BODY, worst->body), worst->distance,
            worst->angle);
}

static void judge_positions(const cardan_model *model, const cardan_assembly *assembly,
                            cardan_health *health)
{
    if (assembly->moved_count == 0)
        return;
    const cardan_assembly_move *most = &assembly->moved[0];
    const bool is_far = most->distance > far * assembly->length || most->angle > turned;
    cd_health_add_finding(
        health, CARDAN_CONCERN_START, is_far ? CARDAN_DOUBTFUL : CARDAN_GOOD, NAN,
        "assembly moved %d bod%s to close the joints, most of all `%s` by %.3g m and "
        "%.3g rad%s",
        assembly->moved_count, assembly->moved_count == 1 ? "y" : "ies",
        cardan_model_name(model, CARDAN_ELEMENT_BODY, most->body), most->distance, most->angle,
        is_far ? ": check that this is the position you mean, or mark what must stay "
                 "with `fixed`"
               : "");
}

cardan_status cardan_assembly_judge(const cardan_model *model, const cardan_assembly *assembly,
                                    cardan_health *health)
{
    if (model == NULL || assembly == NULL || health == NULL)
        return CARDAN_INVALID_ARGUMENT;
    judge_velocities(model, assembly, health);
    judge_positions(model, assembly, health);
    return CARDAN_OK;
}
