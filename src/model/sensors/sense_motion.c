/* What points of bodies, joints and frames do. */
#include "model/elements/measure.h"
#include "model/equations/chain.h"
#include "sensor.h"

/* ---- points of bodies ---- */

/* The body in the world; and from its centre of mass to the point. */
static void look(const cardan_model *model, const cd_sensor *sensor, const cardan_point *at,
                 cd_site *site, double arm[3])
{
    const cd_body *body = cd_model_body(model, sensor->def.body);
    double offset[3];
    cd_body_site(body, body != NULL ? at->q + body->q : NULL, body != NULL ? at->v + body->v : NULL,
                 site);
    for (int i = 0; i < 3; i++)
        offset[i] = sensor->def.point[i] - (body != NULL ? body->matter->center_of_mass[i] : 0.0);
    cd_apply3(site->R, offset, arm);
}

static int give(const cd_sensor *sensor, const cd_site *site, const double x[3], double *out)
{
    if (sensor->def.in_body)
        cd_apply_transposed3(site->R, x, out);
    else
        cd_copy(3, x, out);
    return 0;
}

int cd_sense_position(const cardan_model *model, const cd_sensor *sensor, const cardan_point *at,
                      double *out)
{
    cd_site site;
    double arm[3];
    look(model, sensor, at, &site, arm);
    cd_add(3, 1.0, site.r, arm);
    return give(sensor, &site, arm, out);
}

int cd_sense_velocity(const cardan_model *model, const cd_sensor *sensor, const cardan_point *at,
                      double *out)
{
    cd_site site;
    double arm[3], v[3];
    look(model, sensor, at, &site, arm);
    cd_cross(site.w, arm, v);
    cd_add(3, 1.0, site.u, v);
    return give(sensor, &site, v, out);
}

/* (u', w') = J v' + J' v of a body. */
static void acceleration(const cardan_model *model, int number, const cardan_point *at,
                         double out[CD_SITE])
{
    const cd_element alone = {.count = 1, .body = {number}};
    const cd_body *body = cd_model_body(model, number);
    double unit[CD_SITE * CD_SITE] = {0}, J[CD_SITE * CD_SITE] = {0}, part[CD_SITE];
    cd_chain chain;
    cd_zero(CD_SITE, out);
    if (body == NULL)
        return;
    for (int i = 0; i < CD_SITE; i++)
        unit[i * CD_SITE + i] = 1.0;
    cd_chain_open(model, &alone, at, true, &chain);
    cd_chain_columns(&chain, CD_SITE, unit, J);
    cd_chain_drift(&chain, out);
    cd_multiply(CD_SITE, chain.n, J, at->vdot + body->v, part);
    cd_add(CD_SITE, 1.0, part, out);
}

int cd_sense_acceleration(const cardan_model *model, const cd_sensor *sensor,
                          const cardan_point *at, double *out)
{
    cd_site site;
    double arm[3], rate[CD_SITE], turning[3], inward[3];
    look(model, sensor, at, &site, arm);
    acceleration(model, sensor->def.body, at, rate);
    cd_cross(site.w, arm, turning);
    cd_cross(site.w, turning, inward);
    cd_cross(rate + 3, arm, turning);
    cd_add(3, 1.0, inward, rate);
    cd_add(3, 1.0, turning, rate);
    return give(sensor, &site, rate, out);
}

int cd_sense_orientation(const cardan_model *model, const cd_sensor *sensor, const cardan_point *at,
                         double *out)
{
    cd_site site;
    double arm[3], w[3];
    look(model, sensor, at, &site, arm);
    cd_rotation_log(site.R, w);
    cd_quaternion_increment(w, out);
    out[0] += 1.0;
    return 0;
}

int cd_sense_angular_velocity(const cardan_model *model, const cd_sensor *sensor,
                              const cardan_point *at, double *out)
{
    cd_site site;
    double arm[3];
    look(model, sensor, at, &site, arm);
    return give(sensor, &site, site.w, out);
}

int cd_sense_angular_acceleration(const cardan_model *model, const cd_sensor *sensor,
                                  const cardan_point *at, double *out)
{
    cd_site site;
    double arm[3], rate[CD_SITE];
    look(model, sensor, at, &site, arm);
    acceleration(model, sensor->def.body, at, rate);
    return give(sensor, &site, rate + 3, out);
}

/* ---- two frames ---- */

int cd_sense_angle(const cardan_model *model, const cd_sensor *sensor, const cardan_point *at,
                   double *out)
{
    const cd_element pair_of = {.count = 2, .body = {sensor->def.body1, sensor->def.body2}};
    double gradient[CD_PAIR] = {0}, angle = 0.0;
    cd_chain chain;
    cd_pair pair;
    cd_chain_open(model, &pair_of, at, true, &chain);
    cd_pair_at(sensor->marker, chain.site, &pair);
    const int code = cd_twist.value(&pair, &angle);
    cd_twist.gradient(&pair, gradient);
    out[1] = cd_dot3(gradient + 9, pair.w);
    out[0] = cd_turns_predict(&sensor->turns, at->t, angle, out[1]);
    return code;
}

/* ---- joints ---- */

int cd_sense_joint_coordinate(const cardan_model *model, const cd_sensor *sensor,
                              const cardan_point *at, double *out)
{
    const int index = sensor->direction, joint = sensor->def.joint;
    double place[6], rate[6];
    if (cardan_model_joint_state(model, joint, at, place, rate) != CARDAN_OK)
        return -1;
    out[0] = place[index];
    out[1] = rate[index];
    if (index >= 3)
        out[0] = cd_joint_angle(model, joint, index, at, out[0], out[1], &sensor->turns);
    return 0;
}

int cd_sense_joint_force(const cardan_model *model, const cd_sensor *sensor, const cardan_point *at,
                         double *out)
{
    return cardan_model_joint_wrench(model, sensor->def.joint, at, out, out + 3) == CARDAN_OK ? 0
                                                                                              : -1;
}

/* ---- residuals ---- */

/* Raises out[0] to the largest |Phi| and out[1] to the largest |B w + dPhi/dt| or |k|. */
static int add_residual(const cardan_model *model, int number, const cardan_point *at, double *out)
{
    const cd_element *element = &model->element[number];
    const cd_element_type *type = element->type;
    double phi[CD_ELEMENT_ROWS] = {0}, B[CD_ELEMENT_ROWS * CD_WORLD] = {0};
    double speed[CD_ELEMENT_ROWS] = {0}, w[CD_WORLD] = {0};
    int code = 0;
    cd_chain chain;
    cd_chain_open(model, element, at, true, &chain);
    for (int i = 0; i < element->count; i++) {
        cd_copy(3, chain.site[i].u, w + CD_SITE * i);
        cd_copy(3, chain.site[i].w, w + CD_SITE * i + 3);
    }
    if (type->constraint != NULL) {
        code = type->constraint(element->self, &chain.place, phi);
        if (code == 0)
            code = type->constraint_dx(element->self, &chain.place, B);
        if (code == 0 && type->constraint_dt != NULL)
            code = type->constraint_dt(element->self, &chain.place, speed);
        for (int i = 0; i < element->rows; i++)
            speed[i] += cd_dot(chain.world, B + i * chain.world, w);
        out[0] = fmax(out[0], cd_max_abs(element->rows, phi));
        out[1] = fmax(out[1], cd_max_abs(element->rows, speed));
    }
    if (code == 0 && type->rolling != NULL) {
        cd_zero(CD_ELEMENT_ROWS, speed);
        code = type->rolling(element->self, &chain.place, speed);
        out[1] = fmax(out[1], cd_max_abs(element->rolling, speed));
    }
    return code;
}

int cd_sense_joint_residual(const cardan_model *model, const cd_sensor *sensor,
                            const cardan_point *at, double *out)
{
    int code = 0;
    out[0] = out[1] = 0.0;
    if (sensor->def.joint == CARDAN_NONE) {
        for (int e = 0; code == 0 && e < model->elements; e++)
            code = add_residual(model, e, at, out);
        return code;
    }
    const cd_joint *joint = &model->joint[sensor->def.joint];
    const int elements[] = {joint->element, joint->rolling, joint->coupling};
    for (size_t i = 0; code == 0 && i < sizeof elements / sizeof *elements; i++)
        if (elements[i] >= 0)
            code = add_residual(model, elements[i], at, out);
    return code;
}
