/* Angles over any number of turns. A rotation gives an angle up to whole turns only. The turn
 * follows from a turn counter, from the prescribed motion of a joint, or from the states that a run
 * has passed: cd_turns remembers the last one. */
#ifndef CD_MODEL_TURNS_H
#define CD_MODEL_TURNS_H

#include "model/core/model.h"

/* Time, angle and rate at the last state; t is NAN if there was none. */
typedef struct cd_turns {
    double t, angle, rate;
} cd_turns;

enum { CD_TURNS_NUMBERS = sizeof(cd_turns) / sizeof(double) };

/* Moves `angle` to the turn that the remembered state predicts, if there is one. */
double cd_turns_predict(const cd_turns *turns, double t, double angle, double rate);

/* Remembers a state, if it is finite; `angle` includes whole turns. */
void cd_turns_remember(cd_turns *turns, double t, double angle, double rate);

/* Moves angle `index` (3 to 5) of a joint, which cardan_model_joint_state gives with its rate, to
 * its turn. Joints with a turn counter or a prescribed motion do not need `turns`. */
double cd_joint_whole_angle(const cardan_model *model, int joint, int index, const cardan_point *at,
                            double angle, double rate, const cd_turns *turns);

#endif
