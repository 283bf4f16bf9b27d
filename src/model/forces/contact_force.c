/* Contact of a sphere (or a point, radius 0) with the x-y plane of frame 1, from the side of +z.
 *
 * With depth the penetration: F_N = stiffness depth^exponent (1 + 1.5 dissipation depth') after
 * Hunt and Crossley (1975), and friction -F_N mu(s) along the slip s of the point that touches. The
 * force never pulls: where the bracket gets small, it is replaced by a parabola that ends at 0 with
 * slope 0, so that the force has continuous derivatives. */
#include "force.h"
#include "model/elements/friction.h"

/* From this value on, the bracket is not changed. */
static const double rounding_limit = 0.1;

/* x above `rounding_limit`, 0 below -rounding_limit, a parabola in between. */
static double never_negative(double x, double *slope)
{
    if (x >= rounding_limit) {
        *slope = 1.0;
        return x;
    }
    const double above = fmax(x + rounding_limit, 0.0);
    *slope = above / (2.0 * rounding_limit);
    return above * above / (4.0 * rounding_limit);
}

/* Adds the friction y_t = F_N factor s, for F_N = `force` with derivatives by depth and depth'. */
static void add_friction(const cardan_force_def *c, double force, double by_depth, double by_speed,
                         const double *rate, cd_law *law)
{
    double slope;
    const double square = rate[0] * rate[0] + rate[1] * rate[1];
    const double factor = cd_friction_factor(&c->friction, square, &slope);
    for (int i = 0; i < 2; i++) {
        law->y[i] = force * factor * rate[i];
        law->y_de[3 * i + 2] = -by_depth * factor * rate[i];
        law->y_drate[3 * i + 2] = -by_speed * factor * rate[i];
        for (int j = 0; j < 2; j++)
            law->y_drate[3 * i + j] =
                force * (2.0 * slope * rate[i] * rate[j] + (i == j ? factor : 0.0));
    }
}

static int contact_law(const void *self, const cd_element_point *at, const cd_pair *pair,
                       const double *e, const double *rate, cd_law *out)
{
    const cardan_force_def *c = ((const cd_force_data *)self)->def;
    const double depth = -e[2], speed = -rate[2];
    double slope;
    (void)at;
    (void)pair;
    if (!(depth > 0.0))
        return 0;
    const double power = pow(depth, c->exponent - 1.0), elastic = c->stiffness * power * depth;
    const double bracket = never_negative(1.0 + 1.5 * c->dissipation * speed, &slope);
    const double by_depth = c->stiffness * c->exponent * power * bracket;
    const double by_speed = elastic * slope * 1.5 * c->dissipation;
    out->y[2] = -elastic * bracket;
    out->y_de[8] = by_depth;
    out->y_drate[8] = by_speed;
    out->energy = elastic * depth / (c->exponent + 1.0);
    out->energy_de[2] = -elastic;
    add_friction(c, elastic * bracket, by_depth, by_speed, rate, out);
    return 0;
}

static cardan_status check_contact(const cardan_force_def *def, cardan_error *error)
{
    const double numbers[] = {def->stiffness, def->radius, def->exponent, def->dissipation};
    const cardan_status status = cd_force_check_finite(
        "stiffness, radius, exponent or dissipation of a contact", numbers, 4, error);
    if (status != CARDAN_OK)
        return status;
    if (!(def->stiffness > 0.0))
        return cd_invalid(error, "stiffness of a contact is %g, but must be positive",
                          def->stiffness);
    if (!(def->exponent >= 1.0))
        return cd_invalid(error,
                          "exponent of a contact is %g, but must be 1 or more (1.5 for a sphere)",
                          def->exponent);
    if (def->radius < 0.0 || def->dissipation < 0.0)
        return cd_invalid(error, "radius and dissipation of a contact must not be negative");
    if (def->friction.viscous != 0.0)
        return cd_fail(error, CARDAN_UNSUPPORTED,
                       "viscous friction in a contact would start with a jump: use `coefficient` "
                       "with a larger `transition`");
    return cd_friction_check(&def->friction, error);
}

static cardan_status set_contact_options(const cd_force_references *references, cd_force_data *self,
                                         cardan_error *error)
{
    (void)references;
    (void)error;
    self->pair.options =
        (cd_measure_options){.contact = CD_CONTACT_SPHERE, .radius = self->def->radius};
    return CARDAN_OK;
}

const cd_force_kind cd_force_contact = {.type = {.name = "contact", CD_PAIR_FORCE},
                                        .measure = &cd_displacement,
                                        .law = contact_law,
                                        .check = check_contact,
                                        .complete = set_contact_options};
