/* See next_step.h. */
#include "next_step.h"

#include "suite.h"

void prepare_next_step(cardan_integrator *it)
{
    cd_step *step = &it->step;
    const cd_state *now = cd_integrator_now(it);
    step->h = it->h;
    step->old = now;
    step->before = NULL;
    step->next = &it->states[(it->current + 1) % CD_STATES];
    step->t1 = now->t + it->h;
    step->history = (cd_history){
        .count = 1, .t = {now->t}, .vdot = {now->vdot}, .lambda = {now->lambda}, .psi = {now->psi}};
    ck_assert_int_eq(it->scheme->begin(step), CARDAN_OK);
}
