/* Fixed values, which assembly must not change, as rows: fixed poses and velocities of bodies, and
 * initial coordinates and rates of joints. */
#include "model/equations/rows.h"
#include "model/joints/joint.h"

/* The value of rows that restrain rates only. */
static int leave_zero(const void *self, const cd_element_point *at, double *phi)
{
    (void)self, (void)at, (void)phi;
    return 0;
}

/* The gradient of rows for x, y and z of the second body's angular velocity. */
static int spin_dx(const void *self, const cd_element_point *at, double *B)
{
    (void)self, (void)at;
    for (int i = 0; i < 3; i++)
        B[2 * CD_BODY_COLUMNS * i + CD_BODY_COLUMNS + 3 + i] = 1.0;
    return 0;
}

static const cd_element_type spin_type = {
    .name = "angular velocity", .constraint = leave_zero, .constraint_dx = spin_dx};

static cd_row_source *append_element(cd_arena *arena, cd_rows *rows, const cd_element_type *type,
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

typedef enum fixed_quantity { ORIGIN, ORIENTATION, SPIN } fixed_quantity;

/* Fixes the frame of a body at its initial pose, or its rates at `target` (NULL: not rates). */
static void append_fixed_frame(cd_arena *arena, cd_rows *rows, int body, fixed_quantity what,
                               const double *target)
{
    const cardan_model *model = rows->model;
    const cd_body *fixed = &model->body[body];
    cardan_frame start = {{0}, {0}}, origin = {{0.0, 0.0, 0.0}, {1.0, 0.0, 0.0, 0.0}};
    cd_restraint *it = cd_arena_take(arena, sizeof *it);
    cd_copy(3, fixed->position, start.position);
    cd_copy(4, fixed->initial_motion->orientation, start.orientation);
    if (it != NULL)
        *it = (cd_restraint){.marker = {cd_model_marker(model, CARDAN_GROUND, &start),
                                        cd_model_marker(model, body, &origin)},
                             .rows = 3};
    for (int axis = 0; it != NULL && axis < 3; axis++)
        it->primitive[axis] =
            what == ORIGIN
                ? (cd_primitive){.measure = &cd_separation, .component = axis}
                : (cd_primitive){.measure = &cd_axes_product,
                                 .options = {.axis1 = (axis + 1) % 3, .axis2 = (axis + 2) % 3}};
    cd_row_source *source = append_element(
        arena, rows, what == SPIN ? &spin_type : &cd_restraint_type, it, 3, CARDAN_GROUND, body);
    if (source == NULL)
        return;
    source->body = body;
    if (target != NULL)
        cd_copy(3, target, source->target);
}

static void append_fixed_values(cd_arena *arena, cd_rows *rows, int body)
{
    const cd_body *it = &rows->model->body[body];
    const cardan_body_def *def = &it->body_kind->def;
    const bool rotates = it->form != &cd_form_point, positions = rows->level == CD_ROWS_POSITION;
    if (positions && def->fixed_position)
        append_fixed_frame(arena, rows, body, ORIGIN, NULL);
    if (positions && def->fixed_orientation && rotates)
        append_fixed_frame(arena, rows, body, ORIENTATION, NULL);
    if (!positions && def->fixed_velocity)
        append_fixed_frame(arena, rows, body, ORIGIN, it->initial_motion->velocity);
    if (!positions && def->fixed_angular_velocity && rotates)
        append_fixed_frame(arena, rows, body, SPIN, it->initial_motion->angular_velocity);
}

/* Whether a joint has a free coordinate, unlike gears and driven joints. */
static bool has_free_coordinate(const cd_joint *joint)
{
    return joint->kind->def.type != CARDAN_JOINT_GEAR && joint->kind->def.motion == CARDAN_NONE;
}

static cardan_status append_given_coordinate(cd_arena *arena, cd_rows *rows, cardan_model *model,
                                             int number, cardan_error *error)
{
    const cd_joint *joint = &model->joint[number];
    const bool position = rows->level == CD_ROWS_POSITION;
    const double given = position ? joint->kind->def.initial : joint->kind->def.initial_rate;
    cd_primitive coordinate;
    if (!isfinite(given) || !has_free_coordinate(joint))
        return CARDAN_OK;
    if (cd_joint_find_coordinate(model, joint, &coordinate) != CARDAN_OK) {
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
        append_element(arena, rows, &cd_restraint_type, it, 1, joint->body[0], joint->body[1]);
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
        append_fixed_values(arena, rows, b);
    for (int j = 0; status == CARDAN_OK && j < model->joints; j++)
        status = append_given_coordinate(arena, rows, model, j, error);
    return status;
}
