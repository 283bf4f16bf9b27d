/* What a start must keep, as rows: fixed places and velocities of bodies, and joint coordinates and
 * rates that are given. */
#include "model/equations/rows.h"
#include "model/joints/joint.h"

static int no_value(const void *self, const cd_place *at, double *phi)
{
    (void)self, (void)at, (void)phi;
    return 0;
}

/* Rows x, y, z of the second body's angular velocity. */
static int spin_dx(const void *self, const cd_place *at, double *B)
{
    (void)self, (void)at;
    for (int i = 0; i < 3; i++)
        B[2 * CD_SITE * i + CD_SITE + 3 + i] = 1.0;
    return 0;
}

static const cd_element_type spin_type = {
    .name = "angular velocity", .constraint = no_value, .constraint_dx = spin_dx};

static cd_element *new_element(cd_arena *arena, const cd_element_type *type, const void *self,
                               int body1, int body2)
{
    cd_element *element = cd_arena_take(arena, sizeof *element);
    if (element != NULL)
        *element = (cd_element){.type = type,
                                .self = self,
                                .count = 2,
                                .body = {body1, body2},
                                .rows = 3,
                                .first_row = -1};
    return element;
}

static cd_row_source *append_rows(cd_arena *arena, cd_rows *rows, const cd_element *element)
{
    return element != NULL ? cd_rows_append(arena, rows, element, false) : NULL;
}

/* A restraint of a body's frame against the frame where its definition puts it. */
static cd_restraint *new_restraint(cd_arena *arena, const cardan_model *model, int body)
{
    const cd_body *placed = &model->body[body];
    cardan_frame there = {{0}, {0}}, origin = {{0.0, 0.0, 0.0}, {1.0, 0.0, 0.0, 0.0}};
    cd_restraint *it = cd_arena_take(arena, sizeof *it);
    cd_copy(3, placed->position, there.position);
    cd_copy(4, placed->outset->orientation, there.orientation);
    if (it != NULL)
        *it = (cd_restraint){.marker = {cd_model_marker(model, CARDAN_GROUND, &there),
                                        cd_model_marker(model, body, &origin)},
                             .rows = 3};
    return it;
}

/* The origin of the frame: its place, or its velocity. */
static void append_origin(cd_arena *arena, cd_rows *rows, int body, const double *velocity)
{
    cd_restraint *it = new_restraint(arena, rows->model, body);
    for (int axis = 0; it != NULL && axis < 3; axis++)
        it->primitive[axis] = (cd_primitive){.type = &cd_primitive_gap, .axis1 = axis};
    if (it == NULL)
        return;
    cd_row_source *source =
        append_rows(arena, rows, new_element(arena, &cd_restraint_type, it, CARDAN_GROUND, body));
    if (source == NULL)
        return;
    source->body = body;
    if (velocity != NULL)
        cd_copy(3, velocity, source->target);
}

static void append_orientation(cd_arena *arena, cd_rows *rows, int body)
{
    cd_restraint *it = new_restraint(arena, rows->model, body);
    for (int axis = 0; it != NULL && axis < 3; axis++)
        it->primitive[axis] = (cd_primitive){
            .type = &cd_primitive_dot, .axis1 = (axis + 1) % 3, .axis2 = (axis + 2) % 3};
    if (it == NULL)
        return;
    cd_row_source *source =
        append_rows(arena, rows, new_element(arena, &cd_restraint_type, it, CARDAN_GROUND, body));
    if (source != NULL)
        source->body = body;
}

static void append_spin(cd_arena *arena, cd_rows *rows, int body)
{
    cd_row_source *source =
        append_rows(arena, rows, new_element(arena, &spin_type, NULL, CARDAN_GROUND, body));
    if (source == NULL)
        return;
    source->body = body;
    cd_copy(3, rows->model->body[body].outset->angular_velocity, source->target);
}

static void append_body(cd_arena *arena, cd_rows *rows, int body)
{
    const cd_body *it = &rows->model->body[body];
    const bool turns = it->form != &cd_form_point;
    if (rows->level == CD_ROWS_POSITION) {
        if (it->matter->def.fixed_position)
            append_origin(arena, rows, body, NULL);
        if (it->matter->def.fixed_orientation && turns)
            append_orientation(arena, rows, body);
        return;
    }
    if (it->matter->def.fixed_velocity)
        append_origin(arena, rows, body, it->outset->velocity);
    if (it->matter->def.fixed_angular_velocity && turns)
        append_spin(arena, rows, body);
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
    if (it == NULL)
        return CARDAN_OUT_OF_MEMORY;
    *it = (cd_restraint){.marker = {joint->kind->marker[0], joint->kind->marker[1]}, .rows = 1};
    it->primitive[0] = coordinate;
    it->primitive[0].constant = position ? given : 0.0;
    cd_element *element =
        new_element(arena, &cd_restraint_type, it, joint->body[0], joint->body[1]);
    if (element == NULL)
        return CARDAN_OUT_OF_MEMORY;
    element->rows = 1;
    cd_row_source *source = cd_rows_append(arena, rows, element, false);
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
