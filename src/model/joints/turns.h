/* Angles over any number of turns. Rotations know an angle up to whole turns only; which turn it is
 * follows from a coordinate that counts, from the motion that a joint is driven with, or from the
 * states that a run has passed: cd_turns remembers the last one. */
#ifndef CD_MODEL_TURNS_H
#define CD_MODEL_TURNS_H

#include "model/core/model.h"

typedef struct cd_turns {
    double t, angle, rate; /* of the last state; t is NAN if there was none */
} cd_turns;

enum { CD_TURNS_NUMBERS = sizeof(cd_turns) / sizeof(double) };

/* `angle`, known up to whole turns, in the turn that the remembered state predicts; the angle
 * itself if none is remembered. */
double cd_turns_predict(const cd_turns *turns, double t, double angle, double rate);

/* Remembers a state, if it is finite; `angle` is over all turns. */
void cd_turns_move(cd_turns *turns, double t, double angle, double rate);

/* Angle `index` (3 to 5) of a joint, given as cardan_model_joint_state tells it with its rate, over
 * all turns. Joints with a turn counter and driven ones need no memory. */
double cd_joint_angle(const cardan_model *model, int joint, int index, const cardan_point *at,
                      double angle, double rate, const cd_turns *turns);

#endif
