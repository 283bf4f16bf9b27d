/* Joints between bodies that only move in the x-y plane: directions that these bodies cannot have
 * are left out, so that a hinge is two constraints and not five of which three say nothing.
 *
 * Rows are compared by their gradients in the planar coordinates at several places chosen at
 * random: a row whose gradients depend on those of other rows with the same factors at all places
 * says nothing new, for it differs from a combination of them by a constant. */
#include "joint_type.h"
#include "model/elements/probe.h"

enum { PLACES = 4, PLANAR = 3, LENGTH = PLACES * 2 * PLANAR };

static void turn_about_z(double angle, const double R[9], double out[9])
{
    const double c = cos(angle), s = sin(angle);
    const double turn[9] = {c, -s, 0.0, s, c, 0.0, 0.0, 0.0, 1.0};
    cd_product3(turn, R, out);
}

/* Moves both markers along z to height 0: bodies in different layers meet as well. */
static void flatten(const cd_site site[2], cd_marker marker[2])
{
    for (int b = 0; b < 2; b++) {
        double arm[3];
        cd_apply3(site[b].R, marker[b].offset, arm);
        const double height = site[b].r[2] + arm[2];
        cd_add(3, -height, site[b].R + 6, marker[b].offset);
    }
}

/* World gradients (rows x 12) of a joint at a place. */
typedef void gradients(const void *self, const cd_site *site, double *rows);

static void restraint_gradients(const void *self, const cd_site *site, double *rows)
{
    const cd_place place = {.site = site};
    (void)cd_restraint_type.constraint_dx(self, &place, rows);
}

static void rolling_gradients(const void *self, const cd_site *site, double *rows)
{
    const cd_place place = {.site = site};
    (void)cd_rolling_type.rolling_dw(self, &place, rows);
}

/* The gradients of all rows by the planar coordinates of bodies that are not ground. */
static void sample(gradients *function, const void *self, int count, const int body[2],
                   const cd_site start[2], double rows[][LENGTH])
{
    static const int pick[PLANAR] = {0, 1, 5};
    unsigned seed = 7u;
    for (int place = 0; place < PLACES; place++) {
        cd_site site[2] = {start[0], start[1]};
        double world[CD_ELEMENT_ROWS * CD_PAIR] = {0.0};
        for (int b = 0; b < 2; b++) {
            if (body[b] == CARDAN_GROUND)
                continue;
            site[b].r[0] = cd_probe_number(&seed);
            site[b].r[1] = cd_probe_number(&seed);
            turn_about_z(3.0 * cd_probe_number(&seed), start[b].R, site[b].R);
        }
        function(self, site, world);
        for (int i = 0; i < count; i++)
            for (int b = 0; b < 2; b++)
                for (int j = 0; body[b] != CARDAN_GROUND && j < PLANAR; j++)
                    rows[i][(2 * place + b) * PLANAR + j] =
                        world[CD_PAIR * i + CD_SITE * b + pick[j]];
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

static cardan_status check_axis(cardan_model *model, const cd_joint *joint, const cd_site site[2])
{
    const cd_joint_type *type = cd_joint_type_of(joint->kind->def.type);
    cd_pair pair;
    double z[3];
    cd_pair_at(joint->kind->marker, site, &pair);
    cd_marker_axis(&pair.one, 2, z);
    return type->check_planar != NULL ? type->check_planar(model, joint, fabs(z[2])) : CARDAN_OK;
}

cardan_status cd_joint_refuse_planar(cardan_model *model, const cd_joint *joint, double along)
{
    (void)along;
    return cd_fail(&model->error, CARDAN_INVALID_ARGUMENT,
                   "joint `%s` connects planar bodies, which have no motion that a universal joint "
                   "or a screw would leave free",
                   joint->name);
}

/* Numbers of the rows to keep, in `kept`; returns how many. */
static int independent_rows(gradients *function, const void *self, int count, const int body[2],
                            const cd_site site[2], int kept[CD_ELEMENT_ROWS])
{
    double rows[CD_ELEMENT_ROWS][LENGTH] = {{0.0}}, basis[CD_ELEMENT_ROWS][LENGTH];
    int found = 0;
    sample(function, self, count, body, site, rows);
    for (int i = 0; i < count; i++)
        if (is_new(rows[i], basis, found))
            kept[found++] = i;
    return found;
}

static cardan_status refuse_empty(cardan_model *model, const cd_joint *joint)
{
    return cd_fail(&model->error, CARDAN_INVALID_ARGUMENT,
                   "joint `%s` restrains nothing: its bodies move in the x-y plane only",
                   joint->name);
}

cardan_status cd_joint_reduce_planar(cardan_model *model, const cd_joint *joint, cd_restraint *it)
{
    const int body[2] = {joint->body[0], joint->body[1]};
    int kept[CD_ELEMENT_ROWS];
    cd_site site[2];
    for (int b = 0; b < 2; b++)
        cd_model_start_site(model, body[b], &site[b]);
    const cardan_status status = check_axis(model, joint, site);
    if (status != CARDAN_OK || it->rows == 0)
        return status;
    flatten(site, it->marker);
    const int count = independent_rows(restraint_gradients, it, it->rows, body, site, kept);
    for (int i = 0; i < count; i++)
        it->primitive[i] = it->primitive[kept[i]];
    it->rows = count;
    return count > 0 ? CARDAN_OK : refuse_empty(model, joint);
}

cardan_status cd_rolling_reduce_planar(cardan_model *model, const cd_joint *joint, cd_rolling *it)
{
    const int body[2] = {joint->body[0], joint->body[1]};
    int kept[CD_ELEMENT_ROWS];
    cd_site site[2];
    if (it->rows == 0)
        return CARDAN_OK;
    for (int b = 0; b < 2; b++)
        cd_model_start_site(model, body[b], &site[b]);
    const int count = independent_rows(rolling_gradients, it, it->rows, body, site, kept);
    for (int i = 0; i < count; i++)
        it->tangent[i] = it->tangent[kept[i]];
    it->rows = count;
    return count > 0 ? CARDAN_OK : refuse_empty(model, joint);
}
