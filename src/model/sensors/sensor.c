/* A list of sensors: definitions are checked, outputs named, and all measured in one call. */
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

/* ---- kinds ---- */

static const cd_sensor_kind kinds[] = {
    [CARDAN_SENSOR_POSITION] = {CD_SENSE_BODY,
                                cd_sense_position,
                                3,
                                {{"x", "m"}, {"y", "m"}, {"z", "m"}}},
    [CARDAN_SENSOR_VELOCITY] = {CD_SENSE_BODY,
                                cd_sense_velocity,
                                3,
                                {{"vx", "m/s"}, {"vy", "m/s"}, {"vz", "m/s"}}},
    [CARDAN_SENSOR_ACCELERATION] = {CD_SENSE_BODY,
                                    cd_sense_acceleration,
                                    3,
                                    {{"ax", "m/s^2"}, {"ay", "m/s^2"}, {"az", "m/s^2"}}},
    [CARDAN_SENSOR_ORIENTATION] = {CD_SENSE_BODY,
                                   cd_sense_orientation,
                                   4,
                                   {{"qw", ""}, {"qx", ""}, {"qy", ""}, {"qz", ""}}},
    [CARDAN_SENSOR_ANGULAR_VELOCITY] = {CD_SENSE_BODY,
                                        cd_sense_angular_velocity,
                                        3,
                                        {{"wx", "rad/s"}, {"wy", "rad/s"}, {"wz", "rad/s"}}},
    [CARDAN_SENSOR_ANGULAR_ACCELERATION] = {CD_SENSE_BODY,
                                            cd_sense_angular_acceleration,
                                            3,
                                            {{"alpha_x", "rad/s^2"},
                                             {"alpha_y", "rad/s^2"},
                                             {"alpha_z", "rad/s^2"}}},
    [CARDAN_SENSOR_JOINT_FORCE] = {CD_SENSE_JOINT,
                                   cd_sense_joint_force,
                                   6,
                                   {{"force_x", "N"},
                                    {"force_y", "N"},
                                    {"force_z", "N"},
                                    {"moment_x", "N m"},
                                    {"moment_y", "N m"},
                                    {"moment_z", "N m"}}},
    [CARDAN_SENSOR_JOINT_COORDINATE] = {CD_SENSE_JOINT, cd_sense_joint_coordinate, 2, {{0}}, true},
    [CARDAN_SENSOR_JOINT_RESIDUAL] = {CD_SENSE_JOINT_OR_ALL,
                                      cd_sense_joint_residual,
                                      2,
                                      {{"position_error", ""}, {"velocity_error", "1/s"}}},
    [CARDAN_SENSOR_ANGLE] =
        {CD_SENSE_FRAMES, cd_sense_angle, 2, {{"angle", "rad"}, {"angle_rate", "rad/s"}}, true},
    [CARDAN_SENSOR_KINETIC_ENERGY] = {CD_SENSE_BODY_OR_ALL,
                                      cd_sense_kinetic,
                                      1,
                                      {{"kinetic_energy", "J"}}},
    [CARDAN_SENSOR_WEIGHT_ENERGY] = {CD_SENSE_BODY_OR_ALL,
                                     cd_sense_weight,
                                     1,
                                     {{"weight_energy", "J"}}},
    [CARDAN_SENSOR_POTENTIAL_ENERGY] = {CD_SENSE_FORCE_OR_ALL,
                                        cd_sense_potential,
                                        1,
                                        {{"potential_energy", "J"}}},
    [CARDAN_SENSOR_POWER] = {CD_SENSE_FORCE_OR_ALL, cd_sense_power, 1, {{"power", "W"}}},
    [CARDAN_SENSOR_FRICTION_POWER] = {CD_SENSE_JOINT_OR_ALL,
                                      cd_sense_friction,
                                      1,
                                      {{"friction_power", "W"}}},
};

const cd_sensor_kind *cd_sensor_kind_of(cardan_sensor_type type)
{
    return (unsigned)type < sizeof kinds / sizeof *kinds ? &kinds[type] : NULL;
}

const cd_output *cd_coordinate_outputs(int direction)
{
    static const cd_output outputs[2][2] = {{{"displacement", "m"}, {"displacement_rate", "m/s"}},
                                            {{"angle", "rad"}, {"angle_rate", "rad/s"}}};
    return outputs[direction < 3 ? 0 : 1];
}

/* ---- the list ---- */

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
}

static cardan_status check_number(const char *what, int number, int least, int count,
                                  cardan_error *error)
{
    if (number >= least && number < count)
        return CARDAN_OK;
    return cd_fail(error, CARDAN_INVALID_ARGUMENT, "a sensor refers to %s %d, but there are %d",
                   what, number, count);
}

static cardan_status check_frames(const cardan_model *model, const cardan_sensor_def *def,
                                  cardan_error *error)
{
    const cardan_frame *frames[2] = {&def->frame1, &def->frame2};
    cardan_status status = check_number("body", def->body1, CARDAN_GROUND, model->bodies, error);
    if (status == CARDAN_OK)
        status = check_number("body", def->body2, CARDAN_GROUND, model->bodies, error);
    for (int i = 0; status == CARDAN_OK && i < 2; i++)
        if (cd_first_not_finite(3, frames[i]->position) >= 0 ||
            cd_first_not_finite(4, frames[i]->orientation) >= 0 ||
            !(cd_max_abs(4, frames[i]->orientation) > 0.0))
            status = cd_fail(error, CARDAN_INVALID_ARGUMENT,
                             "frame%d of a sensor has a number that is not finite or a quaternion "
                             "that is zero",
                             i + 1);
    return status;
}

/* The name of what is measured, if it is there. */
static cardan_status check_subject(const cardan_model *model, const cardan_sensor_def *def,
                                   cd_sensor_subject subject, const char **name,
                                   cardan_error *error)
{
    *name = "model";
    if (subject == CD_SENSE_FRAMES) {
        *name = cardan_model_name(model, CARDAN_ELEMENT_BODY, def->body2);
        return check_frames(model, def, error);
    }
    if (subject == CD_SENSE_BODY || (subject == CD_SENSE_BODY_OR_ALL && def->body != CARDAN_NONE)) {
        *name = cardan_model_name(model, CARDAN_ELEMENT_BODY, def->body);
        return check_number("body", def->body, CARDAN_GROUND, model->bodies, error);
    }
    if (subject == CD_SENSE_JOINT ||
        (subject == CD_SENSE_JOINT_OR_ALL && def->joint != CARDAN_NONE)) {
        *name = cardan_model_name(model, CARDAN_ELEMENT_JOINT, def->joint);
        return check_number("joint", def->joint, 0, model->joints, error);
    }
    if (subject == CD_SENSE_FORCE_OR_ALL && def->force != CARDAN_NONE) {
        *name = cardan_model_name(model, CARDAN_ELEMENT_FORCE, def->force);
        return check_number("force", def->force, 0, model->forces, error);
    }
    return CARDAN_OK;
}

/* Which coordinate of a joint, and the markers of two frames. */
static cardan_status prepare(const cardan_model *model, cd_sensor *sensor, cardan_error *error)
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
        sensor->outputs = cd_coordinate_outputs(sensor->direction);
    }
    if (def->type == CARDAN_SENSOR_ANGLE) {
        sensor->marker[0] = cd_model_marker(model, def->body1, &def->frame1);
        sensor->marker[1] = cd_model_marker(model, def->body2, &def->frame2);
    }
    return CARDAN_OK;
}

static const char *join(cd_arena *arena, const char *owner, const char *part)
{
    const size_t length = strlen(owner) + strlen(part) + 2;
    char *text = cd_arena_take(arena, length);
    if (text != NULL)
        snprintf(text, length, "%s.%s", owner, part);
    return text;
}

static bool append(cd_sensors *sensors, cd_sensor *sensor, const char *owner)
{
    sensor->first = sensors->outputs;
    for (int i = 0; i < sensor->count; i++) {
        cd_output *outputs = cd_grow(&sensors->allocator, sensors->output, sensors->outputs + i,
                                     &sensors->output_capacity, sizeof *outputs);
        if (outputs == NULL)
            return false;
        sensors->output = outputs;
        outputs[sensor->first + i] = (cd_output){
            join(&sensors->arena, owner, sensor->outputs[i].name), sensor->outputs[i].unit};
    }
    cd_sensor *list = cd_grow(&sensors->allocator, sensors->sensor, sensors->sensors,
                              &sensors->capacity, sizeof *list);
    if (list == NULL)
        return false;
    sensors->sensor = list; /* the old one is gone */
    if (sensors->arena.failed)
        return false;
    list[sensors->sensors++] = *sensor;
    sensors->outputs += sensor->count;
    return true;
}

cardan_status cd_sensors_add(cd_sensors *sensors, const cardan_sensor_def *def, cardan_error *error)
{
    const char *owner;
    if (def == NULL || def->cookie != COOKIE)
        return cd_fail(error, CARDAN_UNINITIALISED,
                       "the sensor definition was not made by cardan_sensor_def_default()");
    const cd_sensor_kind *kind = cd_sensor_kind_of(def->type);
    if (kind == NULL)
        return cd_fail(error, CARDAN_INVALID_ARGUMENT, "%d is no type of a sensor", (int)def->type);
    if (cd_first_not_finite(3, def->point) >= 0)
        return cd_fail(error, CARDAN_INVALID_ARGUMENT, "the point of a sensor is not finite");
    cd_sensor sensor = {.def = *def, .outputs = kind->outputs, .count = kind->count};
    sensor.def.name = NULL; /* not copied; the outputs have it */
    cardan_status status = check_subject(sensors->model, def, kind->subject, &owner, error);
    if (status == CARDAN_OK)
        status = prepare(sensors->model, &sensor, error);
    if (status != CARDAN_OK)
        return status;
    if (!append(sensors, &sensor, def->name != NULL ? def->name : owner))
        return cd_fail(error, CARDAN_OUT_OF_MEMORY, "no memory for a sensor");
    return cd_succeed(error);
}

static cardan_status measure(const cd_sensors *sensors, const cd_sensor *sensor,
                             const cardan_point *at, double *out)
{
    const int code = kinds[sensor->def.type].measure(sensors->model, sensor, at, out);
    return code == 0 ? CARDAN_OK : code > 0 ? CARDAN_CALLBACK_RETRY : CARDAN_CALLBACK_FAILED;
}

static bool has_turns(const cd_sensor *sensor)
{
    return kinds[sensor->def.type].turns;
}

cardan_status cd_sensors_measure(cd_sensors *sensors, const cardan_point *at, double *out)
{
    cardan_status status = CARDAN_OK;
    for (int i = 0; status == CARDAN_OK && i < sensors->sensors; i++) {
        cd_sensor *sensor = &sensors->sensor[i];
        double *values = out + sensor->first;
        status = measure(sensors, sensor, at, values);
        if (status == CARDAN_OK && has_turns(sensor) && !sensors->followed)
            cd_turns_move(&sensor->turns, at->t, values[0], values[1]);
    }
    return status;
}

cardan_status cd_sensors_follow(cd_sensors *sensors, const cardan_point *at)
{
    cardan_status status = CARDAN_OK;
    sensors->followed = true;
    for (int i = 0; status == CARDAN_OK && i < sensors->sensors; i++) {
        cd_sensor *sensor = &sensors->sensor[i];
        double values[CD_SENSOR_OUTPUTS];
        if (!has_turns(sensor))
            continue;
        status = measure(sensors, sensor, at, values);
        if (status == CARDAN_OK)
            cd_turns_move(&sensor->turns, at->t, values[0], values[1]);
    }
    return status;
}

int cd_sensors_memory(const cd_sensors *sensors)
{
    int count = 0;
    for (int i = 0; i < sensors->sensors; i++)
        count += has_turns(&sensors->sensor[i]) ? CD_TURNS_NUMBERS : 0;
    return count;
}

void cd_sensors_save(const cd_sensors *sensors, double *memory)
{
    for (int i = 0; i < sensors->sensors; i++)
        if (has_turns(&sensors->sensor[i])) {
            cd_turns_save(&sensors->sensor[i].turns, memory);
            memory += CD_TURNS_NUMBERS;
        }
}

void cd_sensors_load(cd_sensors *sensors, const double *memory)
{
    sensors->followed = true;
    for (int i = 0; i < sensors->sensors; i++)
        if (has_turns(&sensors->sensor[i])) {
            cd_turns_load(&sensors->sensor[i].turns, memory);
            memory += CD_TURNS_NUMBERS;
        }
}

void cd_sensors_restart(cd_sensors *sensors)
{
    sensors->followed = false;
    for (int i = 0; i < sensors->sensors; i++)
        sensors->sensor[i].turns.known = false;
}
