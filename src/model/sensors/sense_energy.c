/* Sensors of energies and powers of bodies, forces and joints. */
#include "model/equations/chain.h"
#include "sensor.h"

static double kinetic_energy(const cd_body *body, const cd_body_state *body_state)
{
    double w[3], momentum[3];
    if (body->form == &cd_form_point)
        return 0.5 * body->body_kind->mass * cd_square3(body_state->u);
    cd_apply_transposed3(body_state->R, body_state->w, w);
    cd_apply3(body->body_kind->inertia, w, momentum);
    return 0.5 * (body->body_kind->mass * cd_square3(body_state->u) + cd_dot3(w, momentum));
}

/* Measures the kinetic energy, or the potential of the weight, of one body or of all. */
int cd_sense_energy(const cardan_model *model, const cd_sensor *sensor, const cardan_point *at,
                    double *out)
{
    *out = 0.0;
    for (int i = 0; i < model->bodies; i++) {
        const cd_body *body = &model->body[i];
        cd_body_state body_state;
        if (sensor->def.body != CARDAN_NONE && sensor->def.body != i)
            continue;
        cd_model_body_state_at(model, i, at, &body_state);
        *out += sensor->def.type == CARDAN_SENSOR_KINETIC_ENERGY
                    ? kinetic_energy(body, &body_state)
                    : -body->body_kind->mass * cd_dot3(model->gravity, body_state.r);
    }
    return 0;
}

/* sum += (f + dV/dx) . w: the power of a force without that of its potential */
static int add_power(const cardan_model *model, const cd_element *element, const cardan_point *at,
                     double *sum)
{
    double f[CD_ELEMENT_COLUMNS] = {0};
    cd_chain_rule chain;
    cd_chain_set_up(model, element, at, true, &chain);
    int code = element->type->force(element->self, &chain.point, f);
    if (code == 0 && element->type->potential_dx != NULL) {
        double slope[CD_ELEMENT_COLUMNS] = {0};
        code = element->type->potential_dx(element->self, &chain.point, slope);
        cd_add(CD_ELEMENT_COLUMNS, 1.0, slope, f);
    }
    for (int i = 0; i < element->count; i++)
        *sum += cd_dot3(f + CD_BODY_COLUMNS * i, chain.body_state[i].u) +
                cd_dot3(f + CD_BODY_COLUMNS * i + 3, chain.body_state[i].w);
    return code;
}

/* Measures potential energy or power of one force or of all, or the power of joint friction. */
int cd_sense_force(const cardan_model *model, const cd_sensor *sensor, const cardan_point *at,
                   double *out)
{
    const bool friction = sensor->def.type == CARDAN_SENSOR_FRICTION_POWER;
    const bool potential = sensor->def.type == CARDAN_SENSOR_POTENTIAL_ENERGY;
    const int wanted = friction ? sensor->def.joint : sensor->def.force;
    int code = 0;
    *out = 0.0;
    for (int i = 0; code == 0 && i < (friction ? model->joints : model->forces); i++) {
        const int element = friction ? model->joint[i].friction : model->force[i].element;
        if ((wanted == CARDAN_NONE || wanted == i) && element >= 0)
            code = (potential ? cd_chain_add_potential : add_power)(model, &model->element[element],
                                                                    at, out);
    }
    return code;
}
