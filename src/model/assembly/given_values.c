/* What a start must keep, as rows: fixed places and velocities of bodies, and joint coordinates and
 * rates that are given. */
#include "model/equations/rows.h"
#include "model/joints/joint.h"

static int no_value(const void *self, const cd_element_point *at, double *phi)
{
    (void)self, (void)at, (void)phi;
    return 0;
}

/* Rows x, y, z of the second body's angular velocity. */
static int spin_dx(const void *self, const cd_element_point *at, double *B)
{
    (void)self, (void)at;
    for (int i = 0; i < 3; i++)
        B[2 * CD_BODY_COLUMNS * i + CD_BODY_COLUMNS + 3 + i] = 1.0;
    return 0;
}

static const cd_element_type spin_type = {
    .name = "angular velocity", .constraint = no_value, .constraint_dx = spin_dx};

static cd_row_source *append(cd_arena *arena, cd_rows *rows, const cd_element_type *type,
                             const void *self, int count, int body1, int body2)
{
    cd_element *element = cd_arena_take(arena, sizeof *element);
    if (element == NULL || self == NULL)
        return NULL;
    *element = (cd_element){.type = type,
                            .self = self,
                            .count = 2,
                            .body = {body1, body2},
                            .rows = count,
                            .first_row = -1};
    return cd_rows_append(arena, rows, element, false);
}

/* What is kept of a body's frame. */
typedef enum keeping { ORIGIN, ORIENTATION, SPIN } keeping;

/* A restraint of the frame against that where the body's definition puts it, or its angular
 * velocity. `target`: the rates, NULL for places. */
static void append_frame(cd_arena *arena, cd_rows *rows, int body, keeping what,
                         const double *target)
{
    const cardan_model *model = rows->model;
    const cd_body *placed = &model->body[body];
    cardan_frame there = {{0}, {0}}, origin = {{0.0, 0.0, 0.0}, {1.0, 0.0, 0.0, 0.0}};
    cd_restraint *it = cd_arena_take(arena, sizeof *it);
    cd_copy(3, placed->position, there.position);
    cd_copy(4, placed->outset->orientation, there.orientation);
    if (it != NULL)
        *it = (cd_restraint){.marker = {cd_model_marker(model, CARDAN_GROUND, &there),
                                        cd_model_marker(model, body, &origin)},
                             .rows = 3};
    for (int axis = 0; it != NULL && axis < 3; axis++)
        it->primitive[axis] =
            what == ORIGIN
                ? (cd_primitive){.measure = &cd_separation, .component = axis}
                : (cd_primitive){.measure = &cd_axes_product,
                                 .options = {.axis1 = (axis + 1) % 3, .axis2 = (axis + 2) % 3}};
    cd_row_source *source = append(arena, rows, what == SPIN ? &spin_type : &cd_restraint_type, it,
                                   3, CARDAN_GROUND, body);
    if (source == NULL)
        return;
    source->body = body;
    if (target != NULL)
        cd_copy(3, target, source->target);
}

static void append_body(cd_arena *arena, cd_rows *rows, int body)
{
    const cd_body *it = &rows->model->body[body];
    const cardan_body_def *def = &it->body_kind->def;
    const bool turns = it->form != &cd_form_point, places = rows->level == CD_ROWS_POSITION;
    if (places && def->fixed_position)
        append_frame(arena, rows, body, ORIGIN, NULL);
    if (places && def->fixed_orientation && turns)
        append_frame(arena, rows, body, ORIENTATION, NULL);
    if (!places && def->fixed_velocity)
        append_frame(arena, rows, body, ORIGIN, it->outset->velocity);
    if (!places && def->fixed_angular_velocity && turns)
        append_frame(arena, rows, body, SPIN, it->outset->angular_velocity);
}

/* A gear's `initial` is its constant, and a driven joint follows its motion. */
static bool has_coordinate(const cd_joint *joint)
{
    return joint->kind->def.type != CARDAN_JOINT_GEAR && joint->kind->def.motion == CARDAN_NONE;
}

static cardan_status append_joint(cd_arena *arena, cd_rows *rows, cardan_model *model, int number,
                                  cardan_error *error)
{
    const cd_joint *joint = &model->joint[number];
    const bool position = rows->level == CD_ROWS_POSITION;
    const double given = position ? joint->kind->def.initial : joint->kind->def.initial_rate;
    cd_primitive coordinate;
    if (!isfinite(given) || !has_coordinate(joint))
        return CARDAN_OK;
    if (cd_joint_coordinate(model, joint, &coordinate) != CARDAN_OK) {
        cardan_status status =
            cd_fail(error, model->error.status,
                    "an initial value of the coordinate is given, but %s", model->error.text);
        cd_succeed(&model->error);
        return status;
    }
    cd_restraint *it = cd_arena_take(arena, sizeof *it);
    if (it != NULL) {
        *it = (cd_restraint){.marker = {joint->kind->marker[0], joint->kind->marker[1]}, .rows = 1};
        it->primitive[0] = coordinate;
        it->primitive[0].constant = position ? given : 0.0;
    }
    cd_row_source *source =
        append(arena, rows, &cd_restraint_type, it, 1, joint->body[0], joint->body[1]);
    if (source == NULL)
        return CARDAN_OUT_OF_MEMORY;
    source->joint = number;
    source->target[0] = position ? 0.0 : given;
    return CARDAN_OK;
}

cardan_status cd_rows_append_given(cd_arena *arena, cd_rows *rows, cardan_model *model,
                                   cardan_error *error)
{
    cardan_status status = CARDAN_OK;
    for (int b = 0; b < model->bodies; b++)
        append_body(arena, rows, b);
    for (int j = 0; status == CARDAN_OK && j < model->joints; j++)
        status = append_joint(arena, rows, model, j, error);
    return status;
}
