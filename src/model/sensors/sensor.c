/* A list of sensors: adding them with checks and names of their outputs, and measuring all. */
#include "sensor.h"
#include "model/joints/direction.h"

#include <stdio.h>
#include <string.h>

enum { COOKIE = 0x5e4503d1 };

cardan_sensor_def cardan_sensor_def_default(void)
{
    return (cardan_sensor_def){.cookie = COOKIE,
                               .body = CARDAN_NONE,
                               .joint = CARDAN_NONE,
                               .force = CARDAN_NONE,
                               .body1 = CARDAN_GROUND,
                               .body2 = CARDAN_GROUND,
                               .frame1.orientation = {1.0},
                               .frame2.orientation = {1.0}};
}

enum { BODY = CARDAN_ELEMENT_BODY, JOINT = CARDAN_ELEMENT_JOINT, FORCE = CARDAN_ELEMENT_FORCE };

static const cd_sensor_kind kinds[] = {
    [CARDAN_SENSOR_POSITION] = {BODY, cd_sense_body, {3, {"m"}, {"x", "y", "z"}}},
    [CARDAN_SENSOR_VELOCITY] = {BODY, cd_sense_body, {3, {"m/s"}, {"vx", "vy", "vz"}}},
    [CARDAN_SENSOR_ACCELERATION] = {BODY, cd_sense_body, {3, {"m/s^2"}, {"ax", "ay", "az"}}},
    [CARDAN_SENSOR_ORIENTATION] = {BODY, cd_sense_body, {4, {""}, {"qw", "qx", "qy", "qz"}}},
    [CARDAN_SENSOR_ANGULAR_VELOCITY] = {BODY, cd_sense_body, {3, {"rad/s"}, {"wx", "wy", "wz"}}},
    [CARDAN_SENSOR_ANGULAR_ACCELERATION] = {BODY,
                                            cd_sense_body,
                                            {3, {"rad/s^2"}, {"alpha_x", "alpha_y", "alpha_z"}}},
    [CARDAN_SENSOR_JOINT_FORCE] =
        {JOINT,
         cd_sense_joint_force,
         {6, {"N", "N m"}, {"force_x", "force_y", "force_z", "moment_x", "moment_y", "moment_z"}}},
    [CARDAN_SENSOR_JOINT_COORDINATE] = {JOINT,
                                        cd_sense_joint_coordinate,
                                        {2, {"m", "m/s"}, {"displacement", "displacement_rate"}}},
    [CARDAN_SENSOR_JOINT_RESIDUAL] = {JOINT,
                                      cd_sense_joint_residual,
                                      {2, {"", "1/s"}, {"position_error", "velocity_error"}},
                                      true},
    [CARDAN_SENSOR_ANGLE] = {BODY, cd_sense_angle, {2, {"rad", "rad/s"}, {"angle", "angle_rate"}}},
    [CARDAN_SENSOR_KINETIC_ENERGY] = {BODY, cd_sense_energy, {1, {"J"}, {"kinetic_energy"}}, true},
    [CARDAN_SENSOR_WEIGHT_ENERGY] = {BODY, cd_sense_energy, {1, {"J"}, {"weight_energy"}}, true},
    [CARDAN_SENSOR_POTENTIAL_ENERGY] = {FORCE,
                                        cd_sense_force,
                                        {1, {"J"}, {"potential_energy"}},
                                        true},
    [CARDAN_SENSOR_POWER] = {FORCE, cd_sense_force, {1, {"W"}, {"power"}}, true},
    [CARDAN_SENSOR_FRICTION_POWER] = {JOINT, cd_sense_force, {1, {"W"}, {"friction_power"}}, true},
};

void cd_sensors_init(cd_sensors *sensors, const cardan_model *model)
{
    *sensors = (cd_sensors){.allocator = model->allocator, .model = model};
    cd_arena_init(&sensors->arena, &model->allocator);
}

void cd_sensors_destroy(cd_sensors *sensors)
{
    cd_arena_destroy(&sensors->arena);
    cd_release(&sensors->allocator, sensors->sensor);
    cd_release(&sensors->allocator, sensors->output);
    cd_release(&sensors->allocator, sensors->turns);
}

static cardan_status check_reference(const char *what, int number, int least, int count,
                                     cardan_error *error)
{
    if (number >= least && number < count)
        return CARDAN_OK;
    return cd_invalid(error, "a sensor refers to %s %d, but there are %d", what, number, count);
}

static cardan_status check_frames(const cardan_model *model, const cardan_sensor_def *def,
                                  cardan_error *error)
{
    const cardan_frame *frames[2] = {&def->frame1, &def->frame2};
    cardan_status status = check_reference("body", def->body1, CARDAN_GROUND, model->bodies, error);
    if (status == CARDAN_OK)
        status = check_reference("body", def->body2, CARDAN_GROUND, model->bodies, error);
    for (int i = 0; status == CARDAN_OK && i < 2; i++)
        if (cd_first_not_finite(3, frames[i]->position) >= 0 ||
            cd_first_not_finite(4, frames[i]->orientation) >= 0 ||
            !(cd_max_abs(4, frames[i]->orientation) > 0.0))
            status = cd_invalid(
                error,
                "frame%d of a sensor has a number that is not finite or a quaternion that is zero",
                i + 1);
    return status;
}

/* Checks that what a sensor measures exists, and finds its name. */
static cardan_status check_subject(const cardan_model *model, const cardan_sensor_def *def,
                                   const char **name, cardan_error *error)
{
    const cd_sensor_kind *kind = &kinds[def->type];
    const struct {
        const char *word;
        int number, least, count;
    } subject[] = {[CARDAN_ELEMENT_BODY] = {"body", def->body, CARDAN_GROUND, model->bodies},
                   [CARDAN_ELEMENT_JOINT] = {"joint", def->joint, 0, model->joints},
                   [CARDAN_ELEMENT_FORCE] = {"force", def->force, 0, model->forces}},
      *it = &subject[kind->subject];
    if (def->type == CARDAN_SENSOR_ANGLE) {
        *name = cardan_model_name(model, CARDAN_ELEMENT_BODY, def->body2);
        return check_frames(model, def, error);
    }
    *name = "model";
    if (kind->or_all && it->number == CARDAN_NONE)
        return CARDAN_OK;
    *name = cardan_model_name(model, (cardan_element)kind->subject, it->number);
    return check_reference(it->word, it->number, it->least, it->count, error);
}

/* Sets the direction of a joint coordinate, or the markers of an angle between frames. */
static cardan_status resolve_sensor(const cardan_model *model, cd_sensor *sensor,
                                    cardan_error *error)
{
    const cardan_sensor_def *def = &sensor->def;
    if (def->type == CARDAN_SENSOR_JOINT_COORDINATE) {
        const cardan_joint_def *joint = &model->joint[def->joint].kind->def;
        cardan_direction direction;
        const cardan_status status =
            cd_direction_choose(cd_free_directions(joint), def->direction, &direction, error);
        if (status != CARDAN_OK)
            return status;
        sensor->direction = cd_direction_index(direction);
        if (sensor->direction >= 3)
            sensor->quantities = &kinds[CARDAN_SENSOR_ANGLE].quantities;
    }
    if (def->type == CARDAN_SENSOR_ANGLE) {
        sensor->marker[0] = cd_model_marker(model, def->body1, &def->frame1);
        sensor->marker[1] = cd_model_marker(model, def->body2, &def->frame2);
    }
    return CARDAN_OK;
}

/* "owner.quantity" */
static const char *join_name(cd_arena *arena, const char *owner, const char *quantity)
{
    const size_t length = strlen(owner) + strlen(quantity) + 2;
    char *text = cd_arena_take(arena, length);
    if (text != NULL)
        snprintf(text, length, "%s.%s", owner, quantity);
    return text;
}

int cd_sensors_add_angle(cd_sensors *sensors)
{
    cd_turns *turns = cd_grow(&sensors->allocator, sensors->turns, sensors->angles,
                              &sensors->turns_capacity, sizeof *turns);
    if (turns == NULL)
        return -1;
    sensors->turns = turns;
    turns[sensors->angles] = (cd_turns){.t = NAN};
    return sensors->angles++;
}

/* Appends a sensor and its outputs to the lists; false without memory. */
static bool append_sensor(cd_sensors *sensors, cd_sensor *sensor, const char *owner)
{
    const cd_quantities *all = sensor->quantities;
    sensor->first = sensors->outputs;
    for (int i = 0; i < all->count; i++) {
        cd_output *outputs = cd_grow(&sensors->allocator, sensors->output, sensors->outputs + i,
                                     &sensors->output_capacity, sizeof *outputs);
        if (outputs == NULL)
            return false;
        sensors->output = outputs;
        outputs[sensor->first + i] =
            (cd_output){join_name(&sensors->arena, owner, all->name[i]),
                        all->unit[all->unit[1] != NULL && 2 * i >= all->count ? 1 : 0]};
    }
    cd_sensor *list = cd_grow(&sensors->allocator, sensors->sensor, sensors->sensors,
                              &sensors->capacity, sizeof *list);
    if (list == NULL)
        return false;
    sensors->sensor = list; /* the old one is gone */
    const bool angle = all == &kinds[CARDAN_SENSOR_ANGLE].quantities;
    sensor->turns = angle ? cd_sensors_add_angle(sensors) : -1;
    if (sensors->arena.failed || (angle && sensor->turns < 0))
        return false;
    list[sensors->sensors++] = *sensor;
    sensors->outputs += all->count;
    return true;
}

cardan_status cd_sensors_add(cd_sensors *sensors, const cardan_sensor_def *def, cardan_error *error)
{
    const char *owner;
    if (def == NULL || def->cookie != COOKIE)
        return cd_fail(error, CARDAN_UNINITIALISED,
                       "the sensor definition was not made by cardan_sensor_def_default()");
    if ((unsigned)def->type >= sizeof kinds / sizeof *kinds)
        return cd_invalid(error, "%d is no type of a sensor", (int)def->type);
    if (cd_first_not_finite(3, def->point) >= 0)
        return cd_invalid(error, "the point of a sensor is not finite");
    cd_sensor sensor = {.def = *def, .quantities = &kinds[def->type].quantities};
    sensor.def.name = NULL; /* not copied; the outputs have it */
    cardan_status status = check_subject(sensors->model, def, &owner, error);
    if (status == CARDAN_OK)
        status = resolve_sensor(sensors->model, &sensor, error);
    if (status != CARDAN_OK)
        return status;
    if (!append_sensor(sensors, &sensor, def->name != NULL ? def->name : owner))
        return cd_fail(error, CARDAN_OUT_OF_MEMORY, "no memory for a sensor");
    return cd_succeed(error);
}

/* Writes the outputs of one sensor, with angles in their turn. */
static cardan_status measure_sensor(const cd_sensors *sensors, const cd_sensor *sensor,
                                    const cardan_point *at, double *out)
{
    const cardan_model *model = sensors->model;
    const int code = kinds[sensor->def.type].measure(model, sensor, at, out);
    if (code != 0)
        return code > 0 ? CARDAN_CALLBACK_RETRY : CARDAN_CALLBACK_FAILED;
    if (sensor->turns < 0)
        return CARDAN_OK;
    const cd_turns *turns = &sensors->turns[sensor->turns];
    out[0] = sensor->def.type == CARDAN_SENSOR_ANGLE
                 ? cd_turns_predict(turns, at->t, out[0], out[1])
                 : cd_joint_whole_angle(model, sensor->def.joint, sensor->direction, at, out[0],
                                        out[1], turns);
    return CARDAN_OK;
}

cardan_status cd_sensors_measure(cd_sensors *sensors, const cardan_point *at, double *out)
{
    cardan_status status = CARDAN_OK;
    sensors->followed = sensors->followed || out == NULL;
    for (int i = 0; status == CARDAN_OK && i < sensors->sensors; i++) {
        const cd_sensor *sensor = &sensors->sensor[i];
        double own[CD_SENSOR_OUTPUTS], *values = out != NULL ? out + sensor->first : own;
        if (out == NULL && sensor->turns < 0)
            continue;
        status = measure_sensor(sensors, sensor, at, values);
        if (status == CARDAN_OK && sensor->turns >= 0 && (out == NULL || !sensors->followed))
            cd_turns_remember(&sensors->turns[sensor->turns], at->t, values[0], values[1]);
    }
    return status;
}
