/* The callbacks of a model's system; the context is the model. */
#ifndef CD_MODEL_EQUATIONS_H
#define CD_MODEL_EQUATIONS_H

#include "model/chain.h"
#include "model/layout.h"

/* Sets the callbacks that the layout needs. */
void cd_equations_of_bodies(const cd_layout *layout, cardan_system_def *def);
void cd_equations_of_constraints(const cardan_model *model, cardan_system_def *def);
void cd_equations_at_once(const cardan_model *model, cardan_system_def *def);

#endif
