/* The coefficient of friction over the slip speed s,
 *
 *   mu(s) = (coefficient + (static - coefficient) exp(-(s / stribeck_rate)^2))
 *           s / sqrt(s^2 + transition^2),
 *
 * an odd, smooth function: bodies that stick creep slowly. */
#include "friction.h"
#include "base/error.h"

cardan_friction cd_friction_default(void)
{
    return (cardan_friction){.stribeck_rate = 1e-2, .transition = 1e-3};
}

bool cd_friction_is_none(const cardan_friction *law)
{
    return law->viscous == 0.0 && law->coefficient == 0.0 && law->static_coefficient == 0.0;
}

static cardan_status check_coulomb(const cardan_friction *law, cardan_error *error)
{
    if (law->static_coefficient != 0.0 && law->static_coefficient < law->coefficient)
        return cd_invalid(error, "static friction %g is smaller than sliding friction %g",
                          law->static_coefficient, law->coefficient);
    if (!(law->transition > 0.0))
        return cd_invalid(error,
                          "friction needs a positive `transition`, the speed over which it changes "
                          "its sign; it is %g",
                          law->transition);
    if (law->static_coefficient > law->coefficient && !(law->stribeck_rate > 0.0))
        return cd_invalid(error,
                          "static friction needs a positive `stribeck_rate`, the speed over which "
                          "it falls; it is %g",
                          law->stribeck_rate);
    return CARDAN_OK;
}

cardan_status cd_friction_check(const cardan_friction *law, cardan_error *error)
{
    const struct {
        const char *name;
        double value;
    } numbers[] = {{"viscous", law->viscous},
                   {"coefficient", law->coefficient},
                   {"static_coefficient", law->static_coefficient},
                   {"stribeck_rate", law->stribeck_rate},
                   {"transition", law->transition},
                   {"radius", law->radius},
                   {"rounding", law->rounding}};
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        if (!(numbers[i].value >= 0.0 && isfinite(numbers[i].value)))
            return cd_invalid(error,
                              "friction: %s is %g, but must be a number that is not negative",
                              numbers[i].name, numbers[i].value);
    if (law->coefficient == 0.0 && law->static_coefficient == 0.0)
        return CARDAN_OK;
    return check_coulomb(law, error);
}

double cd_friction_factor(const cardan_friction *law, double square, double *slope)
{
    const double above = fmax(law->static_coefficient - law->coefficient, 0.0);
    double mu = law->coefficient, mu_slope = 0.0;
    *slope = 0.0;
    if (mu + above == 0.0)
        return 0.0;
    if (above > 0.0) {
        const double rate = law->stribeck_rate * law->stribeck_rate;
        const double extra = above * exp(-square / rate);
        mu += extra;
        mu_slope = -extra / rate;
    }
    const double root = sqrt(square + law->transition * law->transition);
    *slope = (mu_slope - 0.5 * mu / (root * root)) / root;
    return mu / root;
}
