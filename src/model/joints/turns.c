/* Which turn an angle is in. */
#include "turns.h"

#include "direction.h"

/* `angle` plus the whole turns that bring it nearest to `other`. */
static double nearest(double angle, double other)
{
    return angle + cd_two_pi * round((other - angle) / cd_two_pi);
}

/* The trapezoidal rule is exact while the angle is a parabola over time, however many turns there
 * are between the two states. */
double cd_turns_predict(const cd_turns *turns, double t, double angle, double rate)
{
    if (isnan(turns->t))
        return angle;
    return nearest(angle, turns->angle + 0.5 * (t - turns->t) * (turns->rate + rate));
}

void cd_turns_move(cd_turns *turns, double t, double angle, double rate)
{
    if (isfinite(angle) && isfinite(rate))
        *turns = (cd_turns){t, angle, rate};
}

static bool counts_turns(const cardan_joint_def *def, int index)
{
    const cd_turning turning = cd_joint_turning(def);
    for (int i = 0; i < turning.count; i++)
        if (index == 3 + turning.axis[i])
            return true;
    return false;
}

double cd_joint_angle(const cardan_model *model, int joint, int index, const cardan_point *at,
                      double angle, double rate, const cd_turns *turns)
{
    const cd_joint *it = &model->joint[joint];
    const bool coordinate = index == cd_coordinate_index(&it->kind->def);
    if (!counts_turns(&it->kind->def, index))
        return angle; /* a component of a rotation vector */
    if (it->counter != 0)
        return nearest(angle, at->q[cd_model_body(model, it->counter)->q]);
    if (coordinate && it->kind->def.motion != CARDAN_NONE) {
        double driven[3];
        cd_signal_at(cd_model_signal(model, it->kind->def.motion), at->t, driven);
        return nearest(angle, driven[0]);
    }
    if (isnan(turns->t) && coordinate && isfinite(it->kind->def.initial))
        return nearest(angle, it->kind->def.initial);
    return cd_turns_predict(turns, at->t, angle, rate);
}
