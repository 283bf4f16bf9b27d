/* The tolerances of the corrector. With adaptive steps they follow from those of the error: the
 * errors that the corrector leaves must not show in the estimates, and smaller ones are a waste. */
#include "integrator.h"

#include "base/numeric.h"

/* The smallest of the tolerances of all variables. */
static cardan_tolerance finest_of(cardan_tolerance all, int count, const cardan_tolerance *each)
{
    for (int i = 0; each != NULL && i < count; i++) {
        all.absolute = cd_smaller(all.absolute, each[i].absolute);
        all.relative = cd_smaller(all.relative, each[i].relative);
    }
    return all;
}

/* Derives a tolerance of the corrector from that of the error: a given one is limited to a
 * thousandth of it, and the default (`usual`) becomes at least `part` of it. */
static cardan_tolerance derive_tolerance(double part, cardan_tolerance given,
                                         cardan_tolerance usual, cardan_tolerance error)
{
    const double most = 1e-3 * cd_larger(error.absolute, error.relative);
    const cardan_tolerance limited = {cd_smaller(given.absolute, most),
                                      cd_smaller(given.relative, most)};
    if (given.absolute != usual.absolute || given.relative != usual.relative)
        return limited;
    return (cardan_tolerance){cd_larger(limited.absolute, part * error.absolute),
                              cd_larger(limited.relative, part * error.relative)};
}

void cd_corrector_choose_tolerances(cardan_integrator *it, const cardan_integrator_def *def,
                                    bool adaptive)
{
    const cardan_integrator_def usual = cardan_integrator_def_default();
    const cardan_step_control *control = &def->control;
    const int k = it->system->k, multipliers = it->system->m + it->system->l;
    /* Of the error's tolerance. Estimates are second differences, which add up to four times what
     * the corrector leaves, and the index-3 form amplifies what is left of Phi up to 17 times
     * (ACB15 (54)). Those of multistep methods are higher differences. */
    const bool fine = it->scheme->settles_hidden || cd_is_multistep(it);
    const double part = fine ? 1e-4 : 1e-3;
    cd_step *step = &it->step;
    step->position = def->newton.position;
    step->velocity = def->newton.velocity;
    step->multiplier = def->newton.multiplier;
    if (!adaptive)
        return;
    step->position = derive_tolerance(part, def->newton.position, usual.newton.position,
                                      finest_of(control->position, k, control->positions));
    const cardan_tolerance velocity = finest_of(control->velocity, k, control->velocities);
    const cardan_tolerance multiplier =
        finest_of(control->multiplier, multipliers, control->multipliers);
    step->velocity = derive_tolerance(part, def->newton.velocity, usual.newton.velocity, velocity);
    /* Accelerations are found together with multipliers, and no better. */
    step->multiplier =
        derive_tolerance(cd_is_multistep(it) ? 1e-3 : part, def->newton.multiplier,
                         usual.newton.multiplier, finest_of(velocity, 1, &multiplier));
}
