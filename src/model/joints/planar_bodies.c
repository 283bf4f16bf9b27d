/* Joints between bodies that only move in the x-y plane: directions that these bodies cannot have
 * are left out, so that a hinge is two constraints and not five of which three say nothing.
 *
 * Rows are compared by their gradients in the planar coordinates at several places chosen at
 * random: a row whose gradients depend on those of other rows with the same factors at all places
 * says nothing new, for it differs from a combination of them by a constant. */
#include "joint.h"
#include "model/elements/probe.h"

enum { PLACES = 4, PLANAR = 3, LENGTH = PLACES * 2 * PLANAR };

static void turn_about_z(double angle, const double R[9], double out[9])
{
    const double c = cos(angle), s = sin(angle);
    const double turn[9] = {c, -s, 0.0, s, c, 0.0, 0.0, 0.0, 1.0};
    cd_product3(turn, R, out);
}

/* Moves both markers along z to height 0: bodies in different layers meet as well. */
static void flatten(const cd_body_state body_state[2], cd_marker marker[2])
{
    for (int b = 0; b < 2; b++) {
        double arm[3];
        cd_apply3(body_state[b].R, marker[b].offset, arm);
        const double height = body_state[b].r[2] + arm[2];
        cd_add(3, -height, body_state[b].R + 6, marker[b].offset);
    }
}

/* The gradients of all rows by the planar coordinates of bodies that are not ground. */
static void sample(const cd_restraint *it, const int body[2], const cd_body_state start[2],
                   double rows[][LENGTH])
{
    static const int pick[PLANAR] = {0, 1, 5};
    unsigned seed = 7u;
    for (int place = 0; place < PLACES; place++) {
        cd_body_state body_state[2] = {start[0], start[1]};
        double world[CD_ELEMENT_ROWS * CD_PAIR] = {0.0};
        for (int b = 0; b < 2; b++) {
            if (body[b] == CARDAN_GROUND)
                continue;
            body_state[b].r[0] = cd_probe_number(&seed);
            body_state[b].r[1] = cd_probe_number(&seed);
            turn_about_z(3.0 * cd_probe_number(&seed), start[b].R, body_state[b].R);
        }
        (void)cd_restraint_type.constraint_dx(it, &(cd_element_point){.body_state = body_state},
                                              world);
        for (int i = 0; i < it->rows; i++)
            for (int b = 0; b < 2; b++)
                for (int j = 0; body[b] != CARDAN_GROUND && j < PLANAR; j++)
                    rows[i][(2 * place + b) * PLANAR + j] =
                        world[CD_PAIR * i + CD_BODY_COLUMNS * b + pick[j]];
    }
}

/* Whether a row has a part that earlier ones (orthonormal) do not have; it becomes orthonormal. */
static bool is_new(double row[LENGTH], double basis[][LENGTH], int count)
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

static cardan_status check_axis(cardan_model *model, const cd_joint *joint,
                                const cd_body_state body_state[2])
{
    static const char *const wrong[] = {
        [CD_AXIS_NORMAL] = "its axis (z of frame 1) must be along z of the world",
        [CD_AXIS_IN_PLANE] = "its axis (z of frame 1) must lie in the x-y plane of the world",
        [CD_AXIS_NONE] = "they have no motion that a universal joint or a screw would leave free"};
    const cd_planar_axis axis = cd_joint_type_of(joint->kind->def.type)->planar;
    double z[3];
    cd_marker_turned_axis(body_state[0].R, &joint->kind->marker[0], 2, z);
    const double along = fabs(z[2]);
    if (axis == CD_AXIS_ANY || (axis == CD_AXIS_NORMAL && along >= 1.0 - 1e-6) ||
        (axis == CD_AXIS_IN_PLANE && along <= 1e-6))
        return CARDAN_OK;
    return cd_invalid(&model->error, "joint `%s` connects planar bodies: %s", joint->name,
                      wrong[axis]);
}

/* Keeps the rows that are independent; false if there were rows and none is left. */
static bool reduce(const int body[2], const cd_body_state body_state[2], cd_restraint *it)
{
    double rows[CD_ELEMENT_ROWS][LENGTH] = {{0.0}}, basis[CD_ELEMENT_ROWS][LENGTH];
    const int count = it->rows;
    sample(it, body, body_state, rows);
    it->rows = 0;
    for (int i = 0; i < count; i++)
        if (is_new(rows[i], basis, it->rows))
            it->primitive[it->rows++] = it->primitive[i];
    return count == 0 || it->rows > 0;
}

cardan_status cd_joint_reduce_planar(cardan_model *model, const cd_joint *joint, cd_restraint *it,
                                     cd_restraint *rolls)
{
    cd_body_state body_state[2];
    for (int b = 0; b < 2; b++)
        cd_model_start_state(model, joint->body[b], &body_state[b]);
    const cardan_status status = check_axis(model, joint, body_state);
    if (status != CARDAN_OK)
        return status;
    flatten(body_state, it->marker);
    if (reduce(joint->body, body_state, it) && reduce(joint->body, body_state, rolls))
        return CARDAN_OK;
    return cd_invalid(&model->error,
                      "joint `%s` restrains nothing: its bodies move in the x-y plane only",
                      joint->name);
}
