/* Frames of joints and forces on their bodies, from places and directions in the world at the
 * start. */

#include "group/vec3.h"
#include "read.h"

#include <string.h>

static void normalise(double x[3])
{
    const double length = sqrt(cd_square3(x));
    for (int i = 0; i < 3; i++)
        x[i] /= length;
}

/* A direction that is clearly not parallel to z. */
static void any_across(const double z[3], double x[3])
{
    int least = 0;
    for (int i = 1; i < 3; i++)
        if (fabs(z[i]) < fabs(z[least]))
            least = i;
    cd_zero(3, x);
    x[least] = 1.0;
}

bool cd_frame_from_axes(const double *x, const double *z, double orientation[4])
{
    double a[3], b[3], c[3], along;
    if (z == NULL) { /* then z is any direction across x */
        any_across(x, c);
        cd_add(3, -cd_dot3(x, c), x, c);
    } else {
        cd_copy(3, z, c);
    }
    normalise(c);
    if (x != NULL)
        cd_copy(3, x, a);
    else
        any_across(c, a);
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

/* A joint or force with its two sides. */
typedef struct placed {
    cd_reading *r;
    const cd_item *item;
    const cd_placing *placing;
    const cardan_body_def *body[2]; /* as the file places them */
    cardan_frame *frame[2];
} placed;

static const cardan_body_def *body_of(const cd_model_item *model, int body)
{
    static const cardan_body_def ground = {.orientation = {1.0}};
    const cd_body_item *bodies = model->bodies.items;
    return body >= 0 && body < model->bodies.count ? &bodies[body].def : &ground;
}

static const cd_node *given(const placed *p, const char *word)
{
    return cd_field_find(p->item->element, word) >= 0 ? cd_given(p->item, word) : NULL;
}

/* Frames on the bodies, or places in the world, but not both. */
static bool has_frames(const placed *p)
{
    static const char *const frames[] = {"frame1", "frame2", "frame"};
    static const char *const places[] = {"location", "axis",   "x_axis", "axis1",
                                         "axis2",    "point1", "point2"};
    const cd_node *frame = NULL, *place = NULL;
    for (int i = 0; i < 3 && frame == NULL; i++)
        frame = given(p, frames[i]);
    for (int i = 0; i < 7 && place == NULL; i++)
        place = given(p, places[i]);
    if (frame != NULL && place != NULL)
        cd_report_error(p->r->report, frame->key_place,
                        "`%s` and `%s` both say where the %s is; keep one of them", frame->key,
                        place->key, p->item->element->what);
    return frame != NULL;
}

static void put_position(const placed *p, int side, const double world[3])
{
    double arm[3], rotation[9];
    cd_copy(3, world, arm);
    cd_add(3, -1.0, p->body[side]->position, arm);
    cd_quaternion_matrix(p->body[side]->orientation, rotation);
    cd_apply_transposed3(rotation, arm, p->frame[side]->position);
}

static void put_positions(const placed *p, const double one[3], const double two[3])
{
    put_position(p, 0, one);
    put_position(p, 1, two);
}

/* Axes of one side in the world; `x` or `z` may be NULL. */
static void put_axes(const placed *p, int side, const double *x, const double *z)
{
    const double *q = p->body[side]->orientation, back[4] = {q[0], -q[1], -q[2], -q[3]};
    double world[4] = {1.0, 0.0, 0.0, 0.0};
    if ((x != NULL || z != NULL) && !cd_frame_from_axes(x, z, world) && side == 0)
        cd_report_error(p->r->report, cd_spot_of(p->item, "x_axis"),
                        "`x_axis` is parallel to `axis`; give another direction, or leave it out");
    cd_quaternion_product(back, world, p->frame[side]->orientation);
}

static void put_common_axes(const placed *p, int sides)
{
    const double *x = given(p, "x_axis") != NULL ? p->placing->x_axis : NULL;
    const double *z = given(p, "axis") != NULL ? p->placing->axis : NULL;
    for (int side = 0; side < sides; side++)
        put_axes(p, side, x, z);
}

/* Says so if a word that the place needs is missing. */
static bool need(const placed *p, const char *word)
{
    if (given(p, word) != NULL)
        return true;
    cd_report_error(p->r->report, p->item->node->place,
                    "this %s has no `%s`; state it in world coordinates at the start, or give "
                    "`frame1` and `frame2`",
                    p->item->element->what, word);
    return false;
}

static bool need_both(const placed *p, const char *first, const char *second)
{
    const bool one = need(p, first);
    return need(p, second) && one;
}

static bool place_at_points(const placed *p)
{
    const bool both = need_both(p, "point1", "point2");
    if (both)
        put_positions(p, p->placing->point1, p->placing->point2);
    return both;
}

static void place_at_location(const placed *p, bool needs_axis)
{
    if (!need(p, "location") || (needs_axis && !need(p, "axis")))
        return;
    put_positions(p, p->placing->location, p->placing->location);
    put_common_axes(p, 2);
}

/* Plane on body 1, rolling body on body 2. */
static void place_rolling(const placed *p)
{
    put_common_axes(p, 1);
    if (given(p, "location") != NULL)
        put_position(p, 0, p->placing->location);
    if (given(p, "point2") != NULL)
        put_position(p, 1, p->placing->point2);
    if (given(p, "axis2") != NULL)
        put_axes(p, 1, NULL, p->placing->axis2);
}

/* Between the origins of both frames, before assembly moves anything. */
static double distance(const placed *p)
{
    double end[2][3], rotation[9];
    for (int side = 0; side < 2; side++) {
        cd_quaternion_matrix(p->body[side]->orientation, rotation);
        cd_apply3(rotation, p->frame[side]->position, end[side]);
        cd_add(3, 1.0, p->body[side]->position, end[side]);
    }
    cd_add(3, -1.0, end[0], end[1]);
    return sqrt(cd_square3(end[1]));
}

/* ---- joints ---- */

static void place_universal(const placed *p)
{
    const double *x = p->placing->axis1, *y = p->placing->axis2;
    double z[3], x2[3];
    if (!need(p, "location"))
        return;
    put_positions(p, p->placing->location, p->placing->location);
    if (!need_both(p, "axis1", "axis2"))
        return;
    if (fabs(cd_dot3(x, y)) > 1e-6) {
        cd_report_error(p->r->report, cd_spot_of(p->item, "axis2"),
                        "`axis2` is not perpendicular to `axis1`; the axes of a universal joint "
                        "are at the start");
        return;
    }
    cd_cross(x, y, z);
    cd_cross(y, z, x2);
    put_axes(p, 0, x, z);
    put_axes(p, 1, x2, z);
}

/* y of frame 2 is the direction that is held. */
static void place_skate(const placed *p)
{
    double frame[4], rotation[9], x[3], z[3];
    if (!need_both(p, "location", "axis") || !cd_frame_from_axes(NULL, p->placing->axis, frame))
        return;
    cd_quaternion_matrix(frame, rotation);
    for (int i = 0; i < 3; i++) {
        x[i] = rotation[3 * i + 1];
        z[i] = rotation[3 * i];
    }
    /* Turned axes (x', y', z') = (y, z, x) of a frame whose z is the direction. */
    put_axes(p, 0, x, z);
    put_axes(p, 1, x, z);
    put_positions(p, p->placing->location, p->placing->location);
}

static void place_rod(const placed *p, bool framed, cd_joint_item *joint)
{
    if ((!framed && !place_at_points(p)) || given(p, "length") != NULL ||
        given(p, "motion") != NULL)
        return;
    joint->def.length = distance(p);
    if (!(joint->def.length > 0.0))
        cd_report_error(p->r->report, framed ? p->item->node->place : cd_spot_of(p->item, "point2"),
                        "%s; a rod needs a length, use a spherical joint for none",
                        framed ? "`frame1` and `frame2` are at the same place"
                               : "`point1` and `point2` are the same");
}

void cd_place_joint(cd_reading *r, const cd_model_item *model, cd_joint_item *joint)
{
    cardan_joint_def *def = &joint->def;
    const placed p = {r,
                      &joint->item,
                      &joint->placing,
                      {body_of(model, def->body1), body_of(model, def->body2)},
                      {&def->frame1, &def->frame2}};
    if (joint->type == CARDAN_JOINT_GEAR)
        return;
    const bool framed = has_frames(&p);
    if (joint->type == CARDAN_JOINT_DISTANCE)
        place_rod(&p, framed, joint);
    if (framed)
        return;
    switch (joint->type) {
    case CARDAN_JOINT_DISTANCE:
        break;
    case CARDAN_JOINT_ROLLING_DISK:
    case CARDAN_JOINT_ROLLING_SPHERE:
    case CARDAN_JOINT_WHEEL:
        place_rolling(&p);
        break;
    case CARDAN_JOINT_SKATE:
        place_skate(&p);
        break;
    case CARDAN_JOINT_UNIVERSAL:
        place_universal(&p);
        break;
    case CARDAN_JOINT_SPHERICAL:
    case CARDAN_JOINT_FIXED:
    case CARDAN_JOINT_GENERIC:
    case CARDAN_JOINT_SPEED:
        place_at_location(&p, false);
        break;
    default:
        place_at_location(&p, true);
    }
}

/* ---- forces ---- */

void cd_place_force(cd_reading *r, const cd_model_item *model, cd_force_item *force)
{
    cardan_force_def *def = &force->def;
    const placed p = {r,
                      &force->item,
                      &force->placing,
                      {body_of(model, def->body1), body_of(model, def->body2)},
                      {&def->frame1, &def->frame2}};
    if (force->type == CARDAN_FORCE_MOTOR)
        return;
    const bool framed = has_frames(&p);
    if (force->type == CARDAN_FORCE_SPRING) {
        if ((framed || place_at_points(&p)) && given(&p, "free_length") == NULL)
            def->length = distance(&p);
    } else if (framed) {
        return;
    } else if (force->type == CARDAN_FORCE_CONTACT) {
        place_rolling(&p);
    } else if (force->type == CARDAN_FORCE_APPLIED) {
        if (given(&p, "location") != NULL)
            put_position(&p, 1, force->placing.location);
        if (given(&p, "axis") != NULL || given(&p, "x_axis") != NULL)
            put_common_axes(&p, 2);
    } else {
        place_at_location(&p, force->type == CARDAN_FORCE_TORSION_SPRING);
    }
}
