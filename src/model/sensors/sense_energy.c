/* Energies and powers of parts of a model. */
#include "model/equations/chain.h"
#include "sensor.h"

/* ---- bodies ---- */

typedef double body_energy(const cardan_model *model, const cd_body *body, const cd_site *site);

static double kinetic(const cardan_model *model, const cd_body *body, const cd_site *site)
{
    double w[3], momentum[3];
    (void)model;
    if (body->form == &cd_form_point)
        return 0.5 * body->matter->mass * cd_square3(site->u);
    cd_apply_transposed3(site->R, site->w, w);
    cd_apply3(body->matter->inertia, w, momentum);
    return 0.5 * (body->matter->mass * cd_square3(site->u) + cd_dot3(w, momentum));
}

static double weight(const cardan_model *model, const cd_body *body, const cd_site *site)
{
    return -body->matter->mass * cd_dot3(model->gravity, site->r);
}

static int sum_bodies(const cardan_model *model, int number, const cardan_point *at,
                      body_energy *energy, double *out)
{
    *out = 0.0;
    for (int i = 0; i < model->bodies; i++) {
        const cd_body *body = &model->body[i];
        cd_site site;
        if (number != CARDAN_NONE && number != i)
            continue;
        cd_body_site(body, at->q + body->q, at->v + body->v, &site);
        *out += energy(model, body, &site);
    }
    return 0;
}

int cd_sense_kinetic(const cardan_model *model, const cd_sensor *sensor, const cardan_point *at,
                     double *out)
{
    return sum_bodies(model, sensor->def.body, at, kinetic, out);
}

int cd_sense_weight(const cardan_model *model, const cd_sensor *sensor, const cardan_point *at,
                    double *out)
{
    return sum_bodies(model, sensor->def.body, at, weight, out);
}

/* ---- forces ---- */

typedef int element_quantity(const cardan_model *model, int element, const cardan_point *at,
                             double *sum);

static int add_potential(const cardan_model *model, int number, const cardan_point *at, double *sum)
{
    const cd_element *element = &model->element[number];
    double energy = 0.0;
    cd_chain chain;
    if (element->type->potential == NULL)
        return 0;
    cd_chain_open(model, element, at, true, &chain);
    const int code = element->type->potential(element->self, &chain.place, &energy);
    *sum += energy;
    return code;
}

/* (f + dV/dx) . w */
static int add_power(const cardan_model *model, int number, const cardan_point *at, double *sum)
{
    const cd_element *element = &model->element[number];
    double f[CD_WORLD] = {0};
    cd_chain chain;
    cd_chain_open(model, element, at, true, &chain);
    int code = element->type->force(element->self, &chain.place, f);
    if (code == 0 && element->type->potential_dx != NULL) {
        double slope[CD_WORLD] = {0};
        code = element->type->potential_dx(element->self, &chain.place, slope);
        cd_add(CD_WORLD, 1.0, slope, f);
    }
    for (int i = 0; i < element->count; i++)
        *sum += cd_dot3(f + CD_SITE * i, chain.site[i].u) +
                cd_dot3(f + CD_SITE * i + 3, chain.site[i].w);
    return code;
}

static int sum_forces(const cardan_model *model, int number, const cardan_point *at,
                      element_quantity *add, double *out)
{
    int code = 0;
    *out = 0.0;
    for (int i = 0; code == 0 && i < model->forces; i++)
        if (number == CARDAN_NONE || number == i)
            code = add(model, model->force[i].element, at, out);
    return code;
}

int cd_sense_potential(const cardan_model *model, const cd_sensor *sensor, const cardan_point *at,
                       double *out)
{
    return sum_forces(model, sensor->def.force, at, add_potential, out);
}

int cd_sense_power(const cardan_model *model, const cd_sensor *sensor, const cardan_point *at,
                   double *out)
{
    return sum_forces(model, sensor->def.force, at, add_power, out);
}

int cd_sense_friction(const cardan_model *model, const cd_sensor *sensor, const cardan_point *at,
                      double *out)
{
    int code = 0;
    *out = 0.0;
    for (int i = 0; code == 0 && i < model->joints; i++)
        if ((sensor->def.joint == CARDAN_NONE || sensor->def.joint == i) &&
            model->joint[i].friction >= 0)
            code = add_power(model, model->joint[i].friction, at, out);
    return code;
}
