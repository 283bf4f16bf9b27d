/* Frames of joints and forces on their bodies, from places and directions in the world at the
 * start. */
#include "group/attitude.h"
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
    cd_attitude_quaternion(columns, orientation);
    return true;
}

/* ---- from the world to a body ---- */

static void conjugate(const double q[4], double out[4])
{
    out[0] = q[0];
    for (int i = 1; i < 4; i++)
        out[i] = -q[i];
}

static const cardan_body_def *body_of(const cd_model_item *model, int body)
{
    const cd_body_item *bodies = model->bodies.items;
    return body >= 0 && body < model->bodies.count ? &bodies[body].def : NULL;
}

static void position_on(const cd_model_item *model, int body, const double world[3],
                        cardan_frame *frame)
{
    const cardan_body_def *def = body_of(model, body);
    double arm[3], rotation[9];
    cd_copy(3, world, frame->position);
    if (def == NULL)
        return;
    for (int i = 0; i < 3; i++)
        arm[i] = world[i] - def->position[i];
    cd_quaternion_matrix(def->orientation, rotation);
    cd_apply_transposed3(rotation, arm, frame->position);
}

static void orientation_on(const cd_model_item *model, int body, const double world[4],
                           cardan_frame *frame)
{
    const cardan_body_def *def = body_of(model, body);
    double back[4];
    cd_copy(4, world, frame->orientation);
    if (def == NULL)
        return;
    conjugate(def->orientation, back);
    cd_quaternion_product(back, world, frame->orientation);
}

/* ---- what joints and forces have in common ---- */

typedef struct placed {
    const cd_element *element;
    const cd_item *item;
    const cd_placing *placing;
    int body[2];
    cardan_frame *frame[2];
} placed;

static const cd_node *given(const placed *p, const char *word)
{
    return cd_field_find(p->element, word) >= 0 ? cd_given(p->element, p->item, word) : NULL;
}

/* Frames on the bodies, or places in the world, but not both. */
static bool has_frames(cd_reading *r, const placed *p)
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
        cd_report_error(r->report, frame->key_place,
                        "`%s` and `%s` both say where the %s is; keep one of them", frame->key,
                        place->key, p->element->what);
    return frame != NULL;
}

static void put_position(const cd_model_item *model, const placed *p, int side,
                         const double world[3])
{
    position_on(model, p->body[side], world, p->frame[side]);
}

/* Axes of one side in the world; `x` or `z` may be NULL. */
static void put_axes(cd_reading *r, const cd_model_item *model, const placed *p, int side,
                     const double *x, const double *z)
{
    double world[4] = {1.0, 0.0, 0.0, 0.0};
    if ((x != NULL || z != NULL) && !cd_frame_from_axes(x, z, world) && side == 0)
        cd_report_error(r->report, cd_spot_of(p->element, p->item, "x_axis"),
                        "`x_axis` is parallel to `axis`; give another direction, or leave it out");
    orientation_on(model, p->body[side], world, p->frame[side]);
}

static void put_common_axes(cd_reading *r, const cd_model_item *model, const placed *p, int sides)
{
    const double *x = given(p, "x_axis") != NULL ? p->placing->x_axis : NULL;
    const double *z = given(p, "axis") != NULL ? p->placing->axis : NULL;
    for (int side = 0; side < sides; side++)
        put_axes(r, model, p, side, x, z);
}

/* Says so if a word that the place needs is missing. */
static bool need(cd_reading *r, const placed *p, const char *word)
{
    if (given(p, word) != NULL)
        return true;
    cd_report_error(r->report, p->item->node->place,
                    "this %s has no `%s`; state it in world coordinates at the start, or give "
                    "`frame1` and `frame2`",
                    p->element->what, word);
    return false;
}

static bool need_both(cd_reading *r, const placed *p, const char *first, const char *second)
{
    const bool one = need(r, p, first);
    return need(r, p, second) && one;
}

static bool need_points(cd_reading *r, const cd_model_item *model, const placed *p)
{
    const bool both = need_both(r, p, "point1", "point2");
    if (both) {
        put_position(model, p, 0, p->placing->point1);
        put_position(model, p, 1, p->placing->point2);
    }
    return both;
}

/* Where the origin of a frame is in the world, with the body where the file puts it. */
static void origin_of(const cd_model_item *model, int body, const cardan_frame *frame,
                      double world[3])
{
    const cardan_body_def *def = body_of(model, body);
    double rotation[9];
    cd_copy(3, frame->position, world);
    if (def == NULL)
        return;
    cd_quaternion_matrix(def->orientation, rotation);
    cd_apply3(rotation, frame->position, world);
    cd_add(3, 1.0, def->position, world);
}

/* Between the origins of both frames, before assembly moves anything. */
static double distance(const cd_model_item *model, const placed *p)
{
    double end[2][3];
    for (int side = 0; side < 2; side++)
        origin_of(model, p->body[side], p->frame[side], end[side]);
    cd_add(3, -1.0, end[0], end[1]);
    return sqrt(cd_square3(end[1]));
}

/* ---- joints ---- */

static void place_universal(cd_reading *r, const cd_model_item *model, const placed *p)
{
    const double *x = p->placing->axis1, *y = p->placing->axis2;
    double z[3], x2[3];
    if (!need_both(r, p, "axis1", "axis2"))
        return;
    if (fabs(cd_dot3(x, y)) > 1e-6) {
        cd_report_error(r->report, cd_spot_of(p->element, p->item, "axis2"),
                        "`axis2` is not perpendicular to `axis1`; the axes of a universal joint "
                        "are at the start");
        return;
    }
    cd_cross(x, y, z);
    cd_cross(y, z, x2);
    put_axes(r, model, p, 0, x, z);
    put_axes(r, model, p, 1, x2, z);
}

/* Plane on body 1, rolling body on body 2. */
static void place_rolling(cd_reading *r, const cd_model_item *model, const placed *p)
{
    put_common_axes(r, model, p, 1);
    if (given(p, "location") != NULL)
        put_position(model, p, 0, p->placing->location);
    if (given(p, "point2") != NULL)
        put_position(model, p, 1, p->placing->point2);
    if (given(p, "axis2") != NULL)
        put_axes(r, model, p, 1, NULL, p->placing->axis2);
}

/* y of frame 2 is the direction that is held. */
static void place_skate(cd_reading *r, const cd_model_item *model, const placed *p)
{
    double frame[4], rotation[9], x[3], z[3];
    if (!need_both(r, p, "location", "axis") || !cd_frame_from_axes(NULL, p->placing->axis, frame))
        return;
    cd_quaternion_matrix(frame, rotation);
    for (int i = 0; i < 3; i++) {
        x[i] = rotation[3 * i + 1];
        z[i] = rotation[3 * i];
    }
    /* Turned axes (x', y', z') = (y, z, x) of a frame whose z is the direction. */
    put_axes(r, model, p, 0, x, z);
    put_axes(r, model, p, 1, x, z);
    put_position(model, p, 0, p->placing->location);
    put_position(model, p, 1, p->placing->location);
}

static bool needs_axis(int type)
{
    switch (type) {
    case CARDAN_JOINT_REVOLUTE:
    case CARDAN_JOINT_PRISMATIC:
    case CARDAN_JOINT_CYLINDRICAL:
    case CARDAN_JOINT_PLANAR:
    case CARDAN_JOINT_POINT_ON_LINE:
    case CARDAN_JOINT_POINT_ON_PLANE:
    case CARDAN_JOINT_SCREW:
        return true;
    default:
        return false;
    }
}

static void place_rod(cd_reading *r, const cd_model_item *model, const placed *p, bool framed,
                      cd_joint_item *joint)
{
    if ((!framed && !need_points(r, model, p)) || given(p, "length") != NULL ||
        given(p, "motion") != NULL)
        return;
    joint->def.length = distance(model, p);
    if (framed && !(joint->def.length > 0.0))
        cd_report_error(r->report, p->item->node->place,
                        "`frame1` and `frame2` are at the same place; a rod needs a length, use a "
                        "spherical joint for none");
    else if (!(joint->def.length > 0.0))
        cd_report_error(r->report, cd_spot_of(p->element, p->item, "point2"),
                        "`point1` and `point2` are the same; a rod needs a length, use a spherical "
                        "joint for none");
}

void cd_place_joint(cd_reading *r, const cd_model_item *model, cd_joint_item *joint)
{
    const placed p = {&cd_joint_element,
                      &joint->item,
                      &joint->placing,
                      {joint->def.body1, joint->def.body2},
                      {&joint->def.frame1, &joint->def.frame2}};
    const int type = joint->type;
    if (type == CARDAN_JOINT_GEAR)
        return;
    const bool framed = has_frames(r, &p);
    if (type == CARDAN_JOINT_DISTANCE) {
        place_rod(r, model, &p, framed, joint);
    } else if (framed) {
        return;
    } else if (type == CARDAN_JOINT_ROLLING_DISK || type == CARDAN_JOINT_ROLLING_SPHERE ||
               type == CARDAN_JOINT_WHEEL) {
        place_rolling(r, model, &p);
    } else if (type == CARDAN_JOINT_SKATE) {
        place_skate(r, model, &p);
    } else if (need(r, &p, "location")) {
        put_position(model, &p, 0, joint->placing.location);
        put_position(model, &p, 1, joint->placing.location);
        if (type == CARDAN_JOINT_UNIVERSAL)
            place_universal(r, model, &p);
        else if (!needs_axis(type) || need(r, &p, "axis"))
            put_common_axes(r, model, &p, 2);
    }
}

/* ---- forces ---- */

static void place_spring(cd_reading *r, const cd_model_item *model, const placed *p, bool framed,
                         cd_force_item *force)
{
    if ((framed || need_points(r, model, p)) && given(p, "free_length") == NULL)
        force->def.length = distance(model, p);
}

void cd_place_force(cd_reading *r, const cd_model_item *model, cd_force_item *force)
{
    const placed p = {&cd_force_element,
                      &force->item,
                      &force->placing,
                      {force->def.body1, force->def.body2},
                      {&force->def.frame1, &force->def.frame2}};
    if (force->type == CARDAN_FORCE_MOTOR)
        return;
    const bool framed = has_frames(r, &p);
    if (force->type == CARDAN_FORCE_SPRING) {
        place_spring(r, model, &p, framed, force);
    } else if (framed) {
        return;
    } else if (force->type == CARDAN_FORCE_CONTACT) {
        place_rolling(r, model, &p);
    } else if (force->type == CARDAN_FORCE_APPLIED) {
        if (given(&p, "location") != NULL)
            put_position(model, &p, 1, force->placing.location);
        if (given(&p, "axis") != NULL || given(&p, "x_axis") != NULL)
            put_common_axes(r, model, &p, 2);
    } else if (need(r, &p, "location") &&
               (force->type != CARDAN_FORCE_TORSION_SPRING || need(r, &p, "axis"))) {
        put_position(model, &p, 0, force->placing.location);
        put_position(model, &p, 1, force->placing.location);
        put_common_axes(r, model, &p, 2);
    }
}
