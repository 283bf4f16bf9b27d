/* Joints between planar bodies: rows for directions in which these bodies cannot move are removed,
 * so that a hinge has two constraints instead of five.
 *
 * Rows are compared by their gradients in the planar coordinates at several random poses. A row
 * whose gradient is the same combination of the gradients of other rows at all of them differs from
 * this combination of rows by a constant, and is removed. */
#include "joint.h"
#include "model/elements/probe.h"

/* Random poses, coordinates of a planar body, and gradients of one row at all poses. */
enum { SAMPLES = 4, PLANAR = 3, LENGTH = SAMPLES * 2 * PLANAR };

/* out = Rz(angle) R */
static void rotate_about_z(double angle, const double R[9], double out[9])
{
    const double c = cos(angle), s = sin(angle);
    const double rotation[9] = {c, -s, 0.0, s, c, 0.0, 0.0, 0.0, 1.0};
    cd_product3(rotation, R, out);
}

/* Moves both markers along z to height 0, so that planar bodies at different heights can meet. */
static void move_markers_to_plane(const cd_body_state body_state[2], cd_marker marker[2])
{
    for (int b = 0; b < 2; b++) {
        double arm[3];
        cd_apply3(body_state[b].R, marker[b].offset, arm);
        const double height = body_state[b].r[2] + arm[2];
        cd_add(3, -height, body_state[b].R + 6, marker[b].offset);
    }
}

/* The gradients of all rows with respect to the planar coordinates, at the random poses. */
static void sample_gradients(const cd_restraint *it, const int body[2],
                             const cd_body_state start[2], double rows[][LENGTH])
{
    static const int pick[PLANAR] = {0, 1, 5};
    unsigned seed = 7u;
    for (int number = 0; number < SAMPLES; number++) {
        cd_body_state body_state[2] = {start[0], start[1]};
        double world[CD_ELEMENT_ROWS * CD_PAIR] = {0.0};
        for (int b = 0; b < 2; b++) {
            if (body[b] == CARDAN_GROUND)
                continue;
            body_state[b].r[0] = cd_probe_number(&seed);
            body_state[b].r[1] = cd_probe_number(&seed);
            rotate_about_z(3.0 * cd_probe_number(&seed), start[b].R, body_state[b].R);
        }
        (void)cd_restraint_type.constraint_dx(it, &(cd_element_point){.body_state = body_state},
                                              world);
        for (int i = 0; i < it->rows; i++)
            for (int b = 0; b < 2; b++)
                for (int j = 0; body[b] != CARDAN_GROUND && j < PLANAR; j++)
                    rows[i][(2 * number + b) * PLANAR + j] =
                        world[CD_PAIR * i + CD_BODY_COLUMNS * b + pick[j]];
    }
}

/* Whether a row is independent of an orthonormal basis of `count` rows, which it then extends. */
static bool extends_basis(double row[LENGTH], double basis[][LENGTH], int count)
{
    const double tolerance = 1e-9;
    for (int pass = 0; pass < 2; pass++)
        for (int i = 0; i < count; i++)
            cd_add(LENGTH, -cd_dot(LENGTH, basis[i], row), basis[i], row);
    const double length = sqrt(cd_dot(LENGTH, row, row));
    if (length < tolerance)
        return false;
    for (int i = 0; i < LENGTH; i++)
        basis[count][i] = row[i] / length;
    return true;
}

/* Checks that the axis of the joint lies as its type needs between planar bodies. */
static cardan_status check_axis(cardan_model *model, const cd_joint *joint,
                                const cd_body_state body_state[2])
{
    static const char *const wrong[] = {
        [CD_AXIS_NORMAL] = "its axis (z of frame 1) must be along z of the world",
        [CD_AXIS_IN_PLANE] = "its axis (z of frame 1) must lie in the x-y plane of the world",
        [CD_AXIS_NONE] = "they have no motion that a universal joint or a screw would leave free"};
    const cd_planar_axis axis = cd_joint_type_of(joint->kind->def.type)->planar;
    double z[3];
    cd_marker_axis_on_body(body_state[0].R, &joint->kind->marker[0], 2, z);
    const double along = fabs(z[2]);
    if (axis == CD_AXIS_ANY || (axis == CD_AXIS_NORMAL && along >= 1.0 - 1e-6) ||
        (axis == CD_AXIS_IN_PLANE && along <= 1e-6))
        return CARDAN_OK;
    return cd_invalid(&model->error, "joint `%s` connects planar bodies: %s", joint->name,
                      wrong[axis]);
}

/* Removes dependent rows; false if there were rows and none is left. */
static bool remove_dependent_rows(const int body[2], const cd_body_state body_state[2],
                                  cd_restraint *it)
{
    double rows[CD_ELEMENT_ROWS][LENGTH] = {{0.0}}, basis[CD_ELEMENT_ROWS][LENGTH];
    const int count = it->rows;
    sample_gradients(it, body, body_state, rows);
    it->rows = 0;
    for (int i = 0; i < count; i++)
        if (extends_basis(rows[i], basis, it->rows))
            it->primitive[it->rows++] = it->primitive[i];
    return count == 0 || it->rows > 0;
}

cardan_status cd_joint_reduce_planar(cardan_model *model, const cd_joint *joint, cd_restraint *it,
                                     cd_restraint *nonholonomic_rows)
{
    cd_body_state body_state[2];
    for (int b = 0; b < 2; b++)
        cd_model_initial_state(model, joint->body[b], &body_state[b]);
    const cardan_status status = check_axis(model, joint, body_state);
    if (status != CARDAN_OK)
        return status;
    move_markers_to_plane(body_state, it->marker);
    if (remove_dependent_rows(joint->body, body_state, it) &&
        remove_dependent_rows(joint->body, body_state, nonholonomic_rows))
        return CARDAN_OK;
    return cd_invalid(&model->error,
                      "joint `%s` restrains nothing: its bodies move in the x-y plane only",
                      joint->name);
}
