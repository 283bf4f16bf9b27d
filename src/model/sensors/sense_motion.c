/* Sensors of the motion of bodies and frames, and of coordinates and forces of joints. */
#include "model/elements/measure.h"
#include "model/equations/layout.h"
#include "sensor.h"

/* Finds the state of a sensor's body, and the arm from its centre of mass to the point. */
static void find_point_arm(const cardan_model *model, const cd_sensor *sensor,
                           const cardan_point *at, cd_body_state *body_state, double arm[3])
{
    const cd_body *body = cd_model_body(model, sensor->def.body);
    double offset[3];
    cd_model_body_state_at(model, sensor->def.body, at, body_state);
    for (int i = 0; i < 3; i++)
        offset[i] =
            sensor->def.point[i] - (body != NULL ? body->body_kind->center_of_mass[i] : 0.0);
    cd_apply3(body_state->R, offset, arm);
}

/* out = (u', w') = J v' + J' v of a body. */
static void find_acceleration(const cardan_model *model, int number, const cardan_point *at,
                              double out[CD_BODY_COLUMNS])
{
    const cd_element alone = {.count = 1, .body = {number}};
    const cd_body *body = cd_model_body(model, number);
    double unit[CD_BODY_COLUMNS * CD_BODY_COLUMNS] = {0},
                                  J[CD_BODY_COLUMNS * CD_BODY_COLUMNS] = {0},
                                  product[CD_BODY_COLUMNS];
    cd_chain_rule chain;
    cd_zero(CD_BODY_COLUMNS, out);
    if (body == NULL)
        return;
    for (int i = 0; i < CD_BODY_COLUMNS; i++)
        unit[i * CD_BODY_COLUMNS + i] = 1.0;
    cd_chain_set_up(model, &alone, at, true, &chain);
    cd_chain_columns(&chain, CD_BODY_COLUMNS, unit, J);
    cd_chain_drift(&chain, out);
    cd_multiply(CD_BODY_COLUMNS, chain.n, J, at->vdot + body->v, product);
    cd_add(CD_BODY_COLUMNS, 1.0, product, out);
}

/* Measures position, velocity or acceleration of a point of a body, or the rotation of the body. */
int cd_sense_body(const cardan_model *model, const cd_sensor *sensor, const cardan_point *at,
                  double *out)
{
    cd_body_state body_state;
    double arm[3], rate[CD_BODY_COLUMNS], arm_velocity[3], x[3];
    find_point_arm(model, sensor, at, &body_state, arm);
    cd_cross(body_state.w, arm, arm_velocity);
    switch (sensor->def.type) {
    case CARDAN_SENSOR_POSITION:
        cd_copy(3, arm, x);
        cd_add(3, 1.0, body_state.r, x);
        break;
    case CARDAN_SENSOR_VELOCITY:
        cd_copy(3, arm_velocity, x);
        cd_add(3, 1.0, body_state.u, x);
        break;
    case CARDAN_SENSOR_ACCELERATION:
        find_acceleration(model, sensor->def.body, at, rate);
        cd_cross(body_state.w, arm_velocity, x);
        cd_add(3, 1.0, rate, x);
        cd_cross(rate + 3, arm, arm_velocity);
        cd_add(3, 1.0, arm_velocity, x);
        break;
    case CARDAN_SENSOR_ORIENTATION:
        cd_rotation_log(body_state.R, x);
        cd_quaternion_increment(x, out);
        out[0] += 1.0;
        return 0;
    case CARDAN_SENSOR_ANGULAR_VELOCITY:
        cd_copy(3, body_state.w, x);
        break;
    default: /* angular acceleration */
        find_acceleration(model, sensor->def.body, at, rate);
        cd_copy(3, rate + 3, x);
        break;
    }
    if (sensor->def.in_body)
        cd_apply_transposed3(body_state.R, x, out);
    else
        cd_copy(3, x, out);
    return 0;
}

/* Measures the angle between two frames about z, and its rate. */
int cd_sense_angle(const cardan_model *model, const cd_sensor *sensor, const cardan_point *at,
                   double *out)
{
    const cd_element pair_of = {.count = 2, .body = {sensor->def.body1, sensor->def.body2}};
    double gradient[CD_PAIR] = {0};
    cd_chain_rule chain;
    cd_pair pair;
    cd_chain_set_up(model, &pair_of, at, true, &chain);
    cd_pair_at(sensor->marker, chain.body_state, &pair);
    cd_angle.gradient(&pair, gradient);
    out[0] = 0.0;
    out[1] = cd_dot3(gradient + 9, pair.w);
    return cd_angle.value(&pair, out);
}

/* Measures one coordinate of a joint and its rate. */
int cd_sense_joint_coordinate(const cardan_model *model, const cd_sensor *sensor,
                              const cardan_point *at, double *out)
{
    double position[6], rate[6];
    if (cardan_model_joint_state(model, sensor->def.joint, at, position, rate) != CARDAN_OK)
        return -1;
    out[0] = position[sensor->direction];
    out[1] = rate[sensor->direction];
    return 0;
}

int cd_sense_joint_force(const cardan_model *model, const cd_sensor *sensor, const cardan_point *at,
                         double *out)
{
    return cardan_model_joint_wrench(model, sensor->def.joint, at, out, out + 3) == CARDAN_OK ? 0
                                                                                              : -1;
}

/* Raises out[0] to the largest |Phi| and out[1] to the largest |B w + dPhi/dt| or |k|. */
static int raise_residuals(const cardan_model *model, int number, const cardan_point *at,
                           double *out)
{
    const cd_element *element = &model->element[number];
    int code = 0;
    cd_chain_rule chain;
    cd_chain_set_up(model, element, at, true, &chain);
    for (int nonholonomic = 0; code == 0 && nonholonomic < 2; nonholonomic++) {
        const cd_row_set rows = cd_layout_rows(model, element, nonholonomic);
        double phi[CD_ELEMENT_ROWS] = {0}, rate[CD_ELEMENT_ROWS] = {0};
        if (rows.count > 0)
            code = cd_layout_residuals(&rows, nonholonomic, &chain, phi, rate);
        out[0] = fmax(out[0], cd_max_abs(rows.count, phi));
        out[1] = fmax(out[1], cd_max_abs(rows.count, rate));
    }
    return code;
}

/* Measures the largest residuals of the constraints of a joint, or of the model. */
int cd_sense_joint_residual(const cardan_model *model, const cd_sensor *sensor,
                            const cardan_point *at, double *out)
{
    int code = 0;
    out[0] = out[1] = 0.0;
    if (sensor->def.joint == CARDAN_NONE) {
        for (int e = 0; code == 0 && e < model->elements; e++)
            code = raise_residuals(model, e, at, out);
        return code;
    }
    const cd_joint *joint = &model->joint[sensor->def.joint];
    const int elements[] = {joint->element, joint->nonholonomic, joint->coupling};
    for (size_t i = 0; code == 0 && i < sizeof elements / sizeof *elements; i++)
        if (elements[i] >= 0)
            code = raise_residuals(model, elements[i], at, out);
    return code;
}
