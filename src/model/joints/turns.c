/* Finding the turn that an angle is in. */
#include "turns.h"

#include "direction.h"

/* Returns `angle` plus the whole turns that bring it nearest to `other`. */
static double bring_near(double angle, double other)
{
    return angle + cd_two_pi * round((other - angle) / cd_two_pi);
}

/* Predicts by the trapezoidal rule, which is exact for a parabola over any number of turns. */
double cd_turns_predict(const cd_turns *turns, double t, double angle, double rate)
{
    if (isnan(turns->t))
        return angle;
    return bring_near(angle, turns->angle + 0.5 * (t - turns->t) * (turns->rate + rate));
}

void cd_turns_remember(cd_turns *turns, double t, double angle, double rate)
{
    if (isfinite(angle) && isfinite(rate))
        *turns = (cd_turns){t, angle, rate};
}

/* Whether direction `index` is an angle about an axis, not a component of a rotation vector. */
static bool is_angle_about_axis(const cardan_joint_def *def, int index)
{
    const cd_free_rotations rotations = cd_joint_free_rotations(def);
    for (int i = 0; i < rotations.count; i++)
        if (index == 3 + rotations.axis[i])
            return true;
    return false;
}

double cd_joint_whole_angle(const cardan_model *model, int joint, int index, const cardan_point *at,
                            double angle, double rate, const cd_turns *turns)
{
    const cd_joint *it = &model->joint[joint];
    const bool coordinate = index == cd_coordinate_index(&it->kind->def);
    if (!is_angle_about_axis(&it->kind->def, index))
        return angle; /* a component of a rotation vector */
    if (it->counter != 0)
        return bring_near(angle, at->q[cd_model_body(model, it->counter)->q]);
    if (coordinate && it->kind->def.motion != CARDAN_NONE) {
        double driven[3];
        cd_signal_at(cd_model_signal(model, it->kind->def.motion), at->t, driven);
        return bring_near(angle, driven[0]);
    }
    if (isnan(turns->t) && coordinate && isfinite(it->kind->def.initial))
        return bring_near(angle, it->kind->def.initial);
    return cd_turns_predict(turns, at->t, angle, rate);
}
