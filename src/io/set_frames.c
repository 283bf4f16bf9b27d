/* Sets the frames of joints and forces on their bodies from positions and axes in the world. */
#include "group/vec3.h"
#include "read.h"

#include <string.h>

static void normalise(double x[3])
{
    const double length = sqrt(cd_square3(x));
    for (int i = 0; i < 3; i++)
        x[i] /= length;
}

/* Sets x to the coordinate axis that is farthest from parallel to z. */
static void choose_nonparallel_axis(const double z[3], double x[3])
{
    int least = 0;
    for (int i = 1; i < 3; i++)
        if (fabs(z[i]) < fabs(z[least]))
            least = i;
    cd_zero(3, x);
    x[least] = 1.0;
}

bool cd_orientation_from_axes(const double *x, const double *z, double orientation[4])
{
    double a[3], b[3], c[3], along;
    if (z == NULL) { /* then z is any direction across x */
        choose_nonparallel_axis(x, c);
        cd_add(3, -cd_dot3(x, c), x, c);
    } else {
        cd_copy(3, z, c);
    }
    normalise(c);
    if (x != NULL)
        cd_copy(3, x, a);
    else
        choose_nonparallel_axis(c, a);
    along = cd_dot3(a, c);
    cd_add(3, -along, c, a);
    if (cd_square3(a) < 1e-12)
        return false;
    normalise(a);
    cd_cross(c, a, b);
    const double columns[9] = {a[0], b[0], c[0], a[1], b[1], c[1], a[2], b[2], c[2]};
    cd_rotation_quaternion(columns, orientation);
    return true;
}

/* ---- what joints and forces have in common ---- */

/* A joint or force and the two bodies that it connects. */
typedef struct connection {
    cd_reading *r;
    const cd_item *item;
    const cd_world_geometry *world;
    const cardan_body_def *body[2]; /* with their poses in the file */
    cardan_frame *frame[2];         /* to be set */
} connection;

static const cardan_body_def *find_body_def(const cd_model_item *model, int body)
{
    static const cardan_body_def ground = {.orientation = {1.0}};
    const cd_body_item *bodies = model->bodies.items;
    return body >= 0 && body < model->bodies.count ? &bodies[body].def : &ground;
}

/* The node of a field; NULL if it was not given, or if the schema does not have it. */
static const cd_node *given_field(const connection *c, const char *word)
{
    return cd_field_find(c->item->schema, word) >= 0 ? cd_given_field(c->item, word) : NULL;
}

/* Whether the file gives frames on the bodies; an error if it gives fields in the world as well. */
static bool has_frames(const connection *c)
{
    static const char *const frames[] = {"frame1", "frame2", "frame"};
    static const char *const world_fields[] = {"location", "axis",   "x_axis", "axis1",
                                               "axis2",    "point1", "point2"};
    const cd_node *frame = NULL, *location = NULL;
    for (int i = 0; i < 3 && frame == NULL; i++)
        frame = given_field(c, frames[i]);
    for (int i = 0; i < 7 && location == NULL; i++)
        location = given_field(c, world_fields[i]);
    if (frame != NULL && location != NULL)
        cd_report_error(c->r->report, frame->key_location,
                        "`%s` and `%s` both say where the %s is; keep one of them", frame->key,
                        location->key, c->item->schema->what);
    return frame != NULL;
}

static void set_frame_position(const connection *c, int side, const double world[3])
{
    double arm[3], rotation[9];
    cd_copy(3, world, arm);
    cd_add(3, -1.0, c->body[side]->position, arm);
    cd_quaternion_matrix(c->body[side]->orientation, rotation);
    cd_apply_transposed3(rotation, arm, c->frame[side]->position);
}

static void set_frame_positions(const connection *c, const double one[3], const double two[3])
{
    set_frame_position(c, 0, one);
    set_frame_position(c, 1, two);
}

/* Sets the orientation of one frame from its axes in the world; `x`, `z` or both may be NULL. */
static void set_frame_axes(const connection *c, int side, const double *x, const double *z)
{
    const double *q = c->body[side]->orientation, back[4] = {q[0], -q[1], -q[2], -q[3]};
    double world[4] = {1.0, 0.0, 0.0, 0.0};
    if ((x != NULL || z != NULL) && !cd_orientation_from_axes(x, z, world) && side == 0)
        cd_report_error(c->r->report, cd_field_location(c->item, "x_axis"),
                        "`x_axis` is parallel to `axis`; give another direction, or leave it out");
    cd_quaternion_product(back, world, c->frame[side]->orientation);
}

/* Sets the axes of the first `sides` frames from the fields `x_axis` and `axis`. */
static void set_axes_as_given(const connection *c, int sides)
{
    const double *x = given_field(c, "x_axis") != NULL ? c->world->x_axis : NULL;
    const double *z = given_field(c, "axis") != NULL ? c->world->axis : NULL;
    for (int side = 0; side < sides; side++)
        set_frame_axes(c, side, x, z);
}

/* Reports a field that is missing where there are no frames; returns whether it was given. */
static bool require_field(const connection *c, const char *word)
{
    if (given_field(c, word) != NULL)
        return true;
    cd_report_error(c->r->report, c->item->node->location,
                    "this %s has no `%s`; state it in world coordinates at the start, or give "
                    "`frame1` and `frame2`",
                    c->item->schema->what, word);
    return false;
}

static bool require_both_fields(const connection *c, const char *first, const char *second)
{
    const bool one = require_field(c, first);
    return require_field(c, second) && one;
}

static bool set_frames_at_points(const connection *c)
{
    const bool both = require_both_fields(c, "point1", "point2");
    if (both)
        set_frame_positions(c, c->world->point1, c->world->point2);
    return both;
}

static void set_frames_at_location(const connection *c, bool needs_axis)
{
    if (!require_field(c, "location") || (needs_axis && !require_field(c, "axis")))
        return;
    set_frame_positions(c, c->world->location, c->world->location);
    set_axes_as_given(c, 2);
}

/* Sets frame 1 on the plane and frame 2 on the rolling body, whose axis may be given. */
static void set_rolling_frames(const connection *c)
{
    set_axes_as_given(c, 1);
    if (given_field(c, "location") != NULL)
        set_frame_position(c, 0, c->world->location);
    if (given_field(c, "point2") != NULL)
        set_frame_position(c, 1, c->world->point2);
    if (given_field(c, "axis2") != NULL)
        set_frame_axes(c, 1, NULL, c->world->axis2);
}

/* The distance of the origins of both frames in the file, before assembly moves bodies. */
static double distance_of_frames(const connection *c)
{
    double end[2][3], rotation[9];
    for (int side = 0; side < 2; side++) {
        cd_quaternion_matrix(c->body[side]->orientation, rotation);
        cd_apply3(rotation, c->frame[side]->position, end[side]);
        cd_add(3, 1.0, c->body[side]->position, end[side]);
    }
    cd_add(3, -1.0, end[0], end[1]);
    return sqrt(cd_square3(end[1]));
}

/* ---- joints ---- */

static void set_universal_frames(const connection *c)
{
    const double *x = c->world->axis1, *y = c->world->axis2;
    double z[3], x2[3];
    if (!require_field(c, "location"))
        return;
    set_frame_positions(c, c->world->location, c->world->location);
    if (!require_both_fields(c, "axis1", "axis2"))
        return;
    if (fabs(cd_dot3(x, y)) > 1e-6) {
        cd_report_error(c->r->report, cd_field_location(c->item, "axis2"),
                        "`axis2` is not perpendicular to `axis1`; the axes of a universal joint "
                        "are at the start");
        return;
    }
    cd_cross(x, y, z);
    cd_cross(y, z, x2);
    set_frame_axes(c, 0, x, z);
    set_frame_axes(c, 1, x2, z);
}

/* Sets the frames of a skate: it cannot move along the y axis of frame 2. */
static void set_skate_frames(const connection *c)
{
    double frame[4], rotation[9], x[3], z[3];
    if (!require_both_fields(c, "location", "axis") ||
        !cd_orientation_from_axes(NULL, c->world->axis, frame))
        return;
    cd_quaternion_matrix(frame, rotation);
    for (int i = 0; i < 3; i++) {
        x[i] = rotation[3 * i + 1];
        z[i] = rotation[3 * i];
    }
    /* Permuted axes (x', y', z') = (y, z, x) of a frame whose z axis is that direction. */
    set_frame_axes(c, 0, x, z);
    set_frame_axes(c, 1, x, z);
    set_frame_positions(c, c->world->location, c->world->location);
}

/* Sets the frames of a massless rod from its ends, and its length unless that is given. */
static void set_rod(const connection *c, bool framed, cd_joint_item *joint)
{
    if ((!framed && !set_frames_at_points(c)) || given_field(c, "length") != NULL ||
        given_field(c, "motion") != NULL)
        return;
    joint->def.length = distance_of_frames(c);
    if (!(joint->def.length > 0.0))
        cd_report_error(c->r->report,
                        framed ? c->item->node->location : cd_field_location(c->item, "point2"),
                        "%s; a rod needs a length, use a spherical joint for none",
                        framed ? "`frame1` and `frame2` are at the same place"
                               : "`point1` and `point2` are the same");
}

void cd_set_joint_frames(cd_reading *r, const cd_model_item *model, cd_joint_item *joint)
{
    cardan_joint_def *def = &joint->def;
    const connection c = {r,
                          &joint->item,
                          &joint->world,
                          {find_body_def(model, def->body1), find_body_def(model, def->body2)},
                          {&def->frame1, &def->frame2}};
    if (joint->type == CARDAN_JOINT_GEAR)
        return;
    const bool framed = has_frames(&c);
    if (joint->type == CARDAN_JOINT_DISTANCE)
        set_rod(&c, framed, joint);
    if (framed)
        return;
    switch (joint->type) {
    case CARDAN_JOINT_DISTANCE:
        break;
    case CARDAN_JOINT_ROLLING_DISK:
    case CARDAN_JOINT_ROLLING_SPHERE:
    case CARDAN_JOINT_WHEEL:
        set_rolling_frames(&c);
        break;
    case CARDAN_JOINT_SKATE:
        set_skate_frames(&c);
        break;
    case CARDAN_JOINT_UNIVERSAL:
        set_universal_frames(&c);
        break;
    case CARDAN_JOINT_SPHERICAL:
    case CARDAN_JOINT_FIXED:
    case CARDAN_JOINT_GENERIC:
    case CARDAN_JOINT_SPEED:
        set_frames_at_location(&c, false);
        break;
    default:
        set_frames_at_location(&c, true);
    }
}

/* ---- forces ---- */

void cd_set_force_frames(cd_reading *r, const cd_model_item *model, cd_force_item *force)
{
    cardan_force_def *def = &force->def;
    const connection c = {r,
                          &force->item,
                          &force->world,
                          {find_body_def(model, def->body1), find_body_def(model, def->body2)},
                          {&def->frame1, &def->frame2}};
    if (force->type == CARDAN_FORCE_MOTOR)
        return;
    const bool framed = has_frames(&c);
    if (force->type == CARDAN_FORCE_SPRING) {
        if ((framed || set_frames_at_points(&c)) && given_field(&c, "free_length") == NULL)
            def->length = distance_of_frames(&c);
    } else if (framed) {
        return;
    } else if (force->type == CARDAN_FORCE_CONTACT) {
        set_rolling_frames(&c);
    } else if (force->type == CARDAN_FORCE_APPLIED) {
        if (given_field(&c, "location") != NULL)
            set_frame_position(&c, 1, force->world.location);
        if (given_field(&c, "axis") != NULL || given_field(&c, "x_axis") != NULL)
            set_axes_as_given(&c, 2);
    } else {
        set_frames_at_location(&c, force->type == CARDAN_FORCE_TORSION_SPRING);
    }
}
