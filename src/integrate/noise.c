/* Rounding errors in accelerations and multipliers, which grow as steps get shorter: like eps / h^2
 * where these follow from positions (ga3), like eps / h where they follow from velocities.
 *
 * The unit is what one rounding error of a position or velocity does. How many of them there are
 * depends on the damping (ACB15 (54)) and on the condition of the equations, so it is measured: a
 * resolved motion has second differences of one sign for many steps, rounding errors make them
 * alternate. (Once is a point of inflection and does no harm, twice in a row is sure.) Without this
 * an unlucky system would drive the step down for ever: every shorter step looks worse than the one
 * before. */
#include "noise.h"
#include "integrator.h"

#include "scheme/ga.h"

/* Alternations larger than this in units are not rounding: something moves that is not resolved. */
static const double most = 3e3;
static const double fading = 0.98; /* of what was seen, a step */
static const double standard_deviations = 3.0;

static double unit_rounding(const cardan_integrator *it, double h)
{
    cd_step step = it->step;
    step.h = h;
    const double unit = it->scheme->settles_hidden ? cd_ga_position_rounding(&step)
                                                   : cd_ga_velocity_rounding(&step);
    return unit / (h * h);
}

cd_stencil cd_stencil_of(const cardan_integrator *it, const double own[3])
{
    const double a = own[1], b = own[2];
    cd_stencil s = {.gap = {a, b},
                    .weight = {2.0 / (a * (a + b)), -2.0 / (a * b), 2.0 / (b * (a + b))},
                    .noise = unit_rounding(it, b)};
    for (int i = 0; i < 3; i++)
        s.spread = hypot(s.spread, s.weight[i] * unit_rounding(it, own[i]));
    return s;
}

cd_stencil cd_stencil_halves(const cardan_integrator *it, double h)
{
    const double half = 0.5 * h, weight = 4.0 / (h * h), unit = unit_rounding(it, h);
    return (cd_stencil){.gap = {half, half},
                        .weight = {weight, -2.0 * weight, weight},
                        .noise = unit,
                        .spread = weight * unit};
}

double cd_stencil_apply(const cd_stencil *s, double left, double middle, double right)
{
    return 2.0 * ((right - middle) / s->gap[1] - (middle - left) / s->gap[0]) /
           (s->gap[0] + s->gap[1]);
}

void cd_noise_learn(const cd_stencil *older, const cd_stencil *newer, double before, double now,
                    double unit, cd_noise *noise)
{
    const double scale = unit * (older->spread + newer->spread);
    const double shown = scale > 0.0 ? fabs(now - before) / scale : 0.0;
    const bool alternates = before * now < 0.0 && shown < most;
    noise->seen = fmax(fading * noise->seen, alternates ? shown : 0.0);
    noise->sure = fmax(fading * noise->sure, alternates ? fmin(shown, noise->last) : 0.0);
    noise->last = alternates ? shown : 0.0;
}

double cd_noise_bound(const cardan_integrator *it, double seen)
{
    /* Assumed from the start; with the damping in use the index-3 form has about 30. */
    const double least = it->scheme->settles_hidden ? 32.0 : 4.0;
    return standard_deviations * fmax(least, seen);
}

void cd_noise_compare(cardan_integrator *it, double rounding, double tolerance)
{
    enum { SETTLED = 30 }; /* until then alternations may be what is left of the start */
    if (it->steps >= SETTLED)
        it->control.rounding =
            fmax(it->control.rounding, standard_deviations * rounding / tolerance);
}
