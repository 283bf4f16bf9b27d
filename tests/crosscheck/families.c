/* The kinds of random machines. All planar mechanisms lie in the x-y plane of the machine. */
#include "machine.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const double axis_x[3] = {1.0, 0.0, 0.0}, axis_y[3] = {0.0, 1.0, 0.0},
                    axis_z[3] = {0.0, 0.0, 1.0}, origin[3] = {0.0, 0.0, 0.0};

static void along(const double from[3], const double d[3], double size, double out[3])
{
    for (int i = 0; i < 3; i++)
        out[i] = from[i] + size * d[i];
}

static void hinge(machine *m, int body1, int body2, const double at[3])
{
    machine_joint(m, &(joint_text){"revolute", body1, body2, at, axis_z, NULL, NULL}, NUMBER);
}

/* A hinge whose motion, friction or rate may be asked for. */
static int crank_hinge(machine *m, int body2, const double at[3])
{
    char more[64] = "";
    const bool turning = m->moving > 0.0 && m->driven < 0.5;
    if (turning)
        snprintf(more, sizeof more, ", rate: %.9g", m->moving * machine_scale(m, RATE));
    return machine_joint(m, &(joint_text){"revolute", GROUND, body2, at, axis_z, NULL, more},
                         turning ? NUMBER : RATE);
}

/* ---- open ---- */

static void any_joint(machine *m, int body1, int body2, const double at[3])
{
    static const char *const types[] = {
        "revolute",  "revolute",  "revolute",    "revolute", "spherical", "spherical", "spherical",
        "universal", "prismatic", "cylindrical", "planar",   "screw",     "fixed",     "generic"};
    const char *type = types[random_below(&m->random, 14)];
    double axis[3], other[3];
    char more[80] = "";
    random_direction(&m->random, axis);
    if (strcmp(type, "universal") == 0) {
        random_direction(&m->random, other);
        const double part = axis[0] * other[0] + axis[1] * other[1] + axis[2] * other[2];
        for (int i = 0; i < 3; i++)
            other[i] -= part * axis[i];
    }
    if (strcmp(type, "screw") == 0)
        snprintf(more, sizeof more, ", lead: %.9g", random_log(&m->random, 0.05, 0.5) * m->length);
    if (strcmp(type, "generic") == 0)
        snprintf(more, sizeof more, ", fixed: [tx, ty, tz, ry, rz]");
    const bool slides = strcmp(type, "prismatic") == 0;
    const bool turns = strcmp(type, "revolute") == 0;
    machine_joint(m,
                  &(joint_text){type, body1, body2, at,
                                strcmp(type, "spherical") == 0 ? NULL : axis,
                                strcmp(type, "universal") == 0 ? other : NULL, more},
                  slides  ? LENGTH
                  : turns ? RATE
                          : NUMBER);
    if (random_chance(&m->random, 0.15) && turns)
        machine_torsion(m, body1, body2, at, axis);
}

static void open_tree(machine *m, int count, bool branches)
{
    double ends[MOST_BODIES][3], d[3];
    for (int i = 0; i < count; i++) {
        const int parent = i == 0 ? GROUND : branches ? random_below(&m->random, i) : i - 1;
        const double *at = parent == GROUND ? origin : ends[parent];
        random_direction(&m->random, d);
        along(at, d, random_log(&m->random, 0.3, 1.5), ends[i]);
        const int body = machine_rod(m, at, ends[i]);
        if (i > 0 || random_chance(&m->random, 0.9))
            any_joint(m, parent, body, at);
    }
}

static void chain(machine *m)
{
    open_tree(m, 1 + random_below(&m->random, 6), false);
}

static void tree(machine *m)
{
    open_tree(m, 2 + random_below(&m->random, 10), true);
}

/* Every joint follows a motion, and many of them begin later. */
static void robot(machine *m)
{
    double at[3] = {0}, end[3], d[3];
    const int count = 1 + random_below(&m->random, 6);
    m->driven = 1.0;
    m->moving = 0.0;
    int before = GROUND;
    for (int i = 0; i < count; i++) {
        random_direction(&m->random, d);
        along(at, d, random_log(&m->random, 0.3, 1.0), end);
        const int body = machine_rod(m, at, end);
        random_direction(&m->random, d);
        const bool slides = random_chance(&m->random, 0.2);
        machine_joint(
            m, &(joint_text){slides ? "prismatic" : "revolute", before, body, at, d, NULL, NULL},
            slides ? LENGTH : RATE);
        memcpy(at, end, sizeof at);
        before = body;
    }
}

static void cart_pole(machine *m)
{
    double at[3] = {0.0, 0.0, 0.0}, end[3];
    const int poles = 1 + random_below(&m->random, 3);
    const int cart = machine_block(m, origin, 0.2);
    machine_joint(m, &(joint_text){"prismatic", GROUND, cart, origin, axis_x, NULL, NULL}, LENGTH);
    int before = cart;
    for (int i = 0; i < poles; i++) {
        const double angle = random_uniform(&m->random, -3.1, 3.1);
        along(at, (double[3]){sin(angle), cos(angle), 0.0}, random_log(&m->random, 0.4, 1.2), end);
        const int pole = machine_rod(m, at, end);
        machine_joint(m, &(joint_text){"revolute", before, pole, at, axis_z, NULL, NULL},
                      i == 0 ? NUMBER : RATE);
        memcpy(at, end, sizeof at);
        before = pole;
    }
}

static void top(machine *m)
{
    double d[3], center[3];
    random_direction(&m->random, d);
    along(origin, d, random_log(&m->random, 0.2, 1.0), center);
    m->moving = random_log(&m->random, 1.0, 20.0);
    const int body = machine_block(m, center, 0.5);
    machine_joint(m, &(joint_text){"spherical", GROUND, body, origin, NULL, NULL, NULL}, NUMBER);
}

/* ---- closed ---- */

typedef struct linkage {
    double a[3], b[3], c[3], d[3]; /* bearing, crank's end, rocker's end, bearing */
} linkage;

/* A four-bar linkage; `flat`: a parallelogram that starts near (or at) its flat position. */
static linkage four_bar_places(machine *m, bool flat)
{
    linkage l = {.d = {random_uniform(&m->random, 0.8, 1.5), 0.0, 0.0}};
    const double crank = random_uniform(&m->random, 0.25, 0.6);
    double angle = random_uniform(&m->random, 0.3, 2.8);
    double rod = l.d[0], rocker = crank;
    if (flat)
        angle = random_chance(&m->random, 0.15) ? 0.0 : random_log(&m->random, 1e-3, 0.3);
    else if (random_chance(&m->random, 0.85)) {
        rod = random_uniform(&m->random, 0.8, 1.2);
        rocker = random_uniform(&m->random, 0.6, 1.0);
    }
    l.b[0] = crank * cos(angle);
    l.b[1] = crank * sin(angle);
    const double x = l.d[0] - l.b[0], y = -l.b[1], gap = sqrt(x * x + y * y);
    if (rocker == crank && rod == l.d[0]) {
        l.c[0] = l.d[0] + l.b[0];
        l.c[1] = l.b[1];
        return l;
    }
    rod = fmax(rod, 1.05 * (gap - rocker));
    const double cosine =
        fmax(-0.98, fmin(0.98, (rod * rod + gap * gap - rocker * rocker) / (2.0 * rod * gap)));
    const double to = atan2(y, x) + acos(cosine);
    l.c[0] = l.b[0] + rod * cos(to);
    l.c[1] = l.b[1] + rod * sin(to);
    return l;
}

static void close_four_bar(machine *m, const linkage *l, int holding)
{
    const int crank = machine_rod(m, l->a, l->b);
    const int rod = machine_rod(m, l->b, l->c);
    const int rocker = machine_rod(m, l->d, l->c);
    const int first = crank_hinge(m, crank, l->a);
    if (holding == 0) { /* redundant in space */
        hinge(m, crank, rod, l->b);
        hinge(m, rod, rocker, l->c);
    } else {
        machine_joint(m, &(joint_text){"spherical", crank, rod, l->b, NULL, NULL, NULL}, NUMBER);
        machine_joint(m, &(joint_text){"cylindrical", rod, rocker, l->c, axis_z, NULL, NULL},
                      NUMBER);
    }
    hinge(m, GROUND, rocker, l->d);
    if (m->driven == 0.0 && random_chance(&m->random, 0.2))
        machine_motor(m, first, TORQUE);
}

/* Bodies of type `planar` lie in the x-y plane of the world. */
static void maybe_planar(machine *m)
{
    if (!random_chance(&m->random, 0.3))
        return;
    m->planar = true;
    memcpy(m->turn, (double[4]){1.0, 0.0, 0.0, 0.0}, sizeof m->turn);
    m->shift[2] = 0.0;
}

static void four_bar(machine *m)
{
    maybe_planar(m);
    const linkage l = four_bar_places(m, random_chance(&m->random, 0.15));
    close_four_bar(m, &l, m->planar || random_chance(&m->random, 0.6) ? 0 : 1);
}

/* Cranks in a row on one ground, joined by rods: a coupling of locomotive wheels. */
static void parallelograms(machine *m)
{
    maybe_planar(m);
    const int loops = 1 + random_below(&m->random, 4);
    const double crank = random_uniform(&m->random, 0.2, 0.6);
    const bool flat = random_chance(&m->random, 0.3);
    const double angle =
        flat ? (random_chance(&m->random, 0.2) ? 0.0 : random_log(&m->random, 1e-3, 0.3))
             : random_uniform(&m->random, 0.3, 2.8);
    const double arm[3] = {cos(angle), sin(angle), 0.0};
    double foot[3] = {0}, end[3], next[3], far[3];
    along(foot, arm, crank, end);
    int before = machine_rod(m, foot, end);
    crank_hinge(m, before, foot);
    for (int i = 0; i < loops; i++) {
        along(foot, axis_x, 1.0, next);
        along(next, arm, crank, far);
        const int rod = machine_rod(m, end, far), rocker = machine_rod(m, next, far);
        hinge(m, before, rod, end);
        hinge(m, rod, rocker, far);
        hinge(m, GROUND, rocker, next);
        memcpy(foot, next, sizeof foot);
        memcpy(end, far, sizeof end);
        before = rocker;
    }
}

static void slider_crank(machine *m)
{
    maybe_planar(m);
    const double angle = random_uniform(&m->random, -3.1, 3.1);
    const double crank = random_uniform(&m->random, 0.2, 0.5);
    const double rod_length = random_uniform(&m->random, 0.7, 1.5);
    const double pin[3] = {crank * cos(angle), crank * sin(angle), 0.0};
    const double slider_at[3] = {pin[0] + sqrt(rod_length * rod_length - pin[1] * pin[1]), 0.0,
                                 0.0};
    const bool redundant = m->planar || random_chance(&m->random, 0.5);
    const int arm = machine_rod(m, origin, pin), rod = machine_rod(m, pin, slider_at);
    const int slider = machine_block(m, slider_at, 0.2);
    crank_hinge(m, arm, origin);
    if (redundant) {
        hinge(m, arm, rod, pin);
        hinge(m, rod, slider, slider_at);
    } else {
        machine_joint(m, &(joint_text){"spherical", arm, rod, pin, NULL, NULL, NULL}, NUMBER);
        machine_joint(m, &(joint_text){"universal", rod, slider, slider_at, axis_y, axis_z, NULL},
                      NUMBER);
    }
    m->driven = 0.0;
    machine_joint(m, &(joint_text){"prismatic", GROUND, slider, slider_at, axis_x, NULL, NULL},
                  LENGTH);
}

/* Only the height of a point is held: the hinges hold the rest. */
static void slide_foot(machine *m, int body, const double at[3])
{
    writing more = {0};
    write_direction(m, &more, "x_axis", axis_x);
    text_add(&more, ", fixed: [ty]");
    machine_joint(m, &(joint_text){"generic", GROUND, body, at, axis_z, NULL, more.start}, NUMBER);
    free(more.start);
}

static void scissors(machine *m)
{
    maybe_planar(m);
    const int stages = 1 + random_below(&m->random, 4);
    const double angle = random_uniform(&m->random, 0.3, 1.2);
    const double w = cos(angle), h = sin(angle);
    int left = GROUND, right = GROUND; /* bodies whose upper ends are at the left and right */
    for (int i = 0; i < stages; i++) {
        const double low = i * h, high = low + h;
        const double a[3] = {0, low, 0}, b[3] = {w, low, 0}, c[3] = {0, high, 0},
                     d[3] = {w, high, 0};
        const double middle[3] = {0.5 * w, 0.5 * (low + high), 0.0};
        const int up = machine_rod(m, a, d), down = machine_rod(m, b, c);
        if (i == 0)
            crank_hinge(m, up, a);
        else
            hinge(m, left, up, a);
        if (i > 0)
            hinge(m, right, down, b);
        else if (m->planar)
            machine_joint(m, &(joint_text){"point_on_line", GROUND, down, b, axis_x, NULL, NULL},
                          NUMBER);
        else
            slide_foot(m, down, b);
        hinge(m, up, down, middle);
        left = down;
        right = up;
    }
}

static void tripod_leg(machine *m, int platform, double angle)
{
    const double out[3] = {cos(angle), 0.0, sin(angle)}, side[3] = {-sin(angle), 0.0, cos(angle)};
    double foot[3], tip[3], low[3], d[3];
    along(origin, out, 1.0, foot);
    along((double[3]){0.0, 1.2, 0.0}, out, 0.5, tip);
    for (int i = 0; i < 3; i++) {
        d[i] = tip[i] - foot[i];
        low[i] = foot[i] + 0.6 * d[i];
    }
    const int lower = machine_rod(m, foot, low), upper = machine_rod(m, low, tip);
    machine_joint(m, &(joint_text){"revolute", GROUND, lower, foot, side, NULL, NULL}, NUMBER);
    machine_joint(m, &(joint_text){"prismatic", lower, upper, low, d, NULL, NULL}, LENGTH);
    machine_joint(m, &(joint_text){"spherical", upper, platform, tip, NULL, NULL, NULL}, NUMBER);
    if (m->driven == 0.0)
        machine_spring(m, lower, foot, upper, tip);
}

static void tripod(machine *m)
{
    m->moving = 0.0;
    m->driven = random_chance(&m->random, 0.5) ? 0.0 : 1.0;
    const int platform = machine_block(m, (double[3]){0.0, 1.2, 0.0}, 1.0);
    for (int i = 0; i < 3; i++)
        tripod_leg(m, platform, 0.3 + 2.0943951 * i);
}

/* A platform on six legs: springs, or some of them rods. */
static void hexapod(machine *m)
{
    const double top[3] = {0.0, 1.0, 0.0};
    const int platform = machine_block(m, top, 0.8);
    for (int i = 0; i < 6; i++) {
        const double low = 1.0471976 * (i - (i % 2 == 0 ? 0.7 : 0.3));
        const double high = 1.0471976 * (i - (i % 2 == 0 ? 0.2 : 0.8));
        double foot[3], tip[3];
        along(origin, (double[3]){cos(low), 0.0, sin(low)}, 1.0, foot);
        along(top, (double[3]){cos(high), 0.0, sin(high)}, 0.6, tip);
        if (i < 3 && random_chance(&m->random, 0.5)) {
            writing more = {0};
            write_point(m, &more, "point1", foot);
            write_point(m, &more, "point2", tip);
            machine_joint(m,
                          &(joint_text){"distance", GROUND, platform, NULL, NULL, NULL, more.start},
                          NUMBER);
            free(more.start);
        } else
            machine_spring(m, GROUND, foot, platform, tip);
    }
}

static void gears(machine *m)
{
    const int count = 2 + random_below(&m->random, 3);
    double at[3] = {0};
    for (int i = 0; i < count; i++) {
        const int wheel = machine_block(m, at, 0.5);
        machine_joint(m, &(joint_text){"revolute", GROUND, wheel, at, axis_z, NULL, NULL},
                      i == 0 ? RATE : NUMBER);
        along(at, axis_x, 1.0, at);
    }
    for (int i = 1; i < count; i++)
        text_add(&m->joint, "  - {name: g%d, type: gear, joints: [j%d, j%d], ratio: %.9g}\n", i,
                 i - 1, i, random_uniform(&m->random, 0.5, 2.0));
    if (m->driven < 1.0)
        machine_motor(m, 0, TORQUE);
}

/* ---- springs, contacts, rolling ---- */

static void springs(machine *m)
{
    const int count = 1 + random_below(&m->random, 6);
    double d[3], at[3];
    for (int i = 0; i < count; i++) {
        random_direction(&m->random, d);
        along(origin, d, 1.0 + 0.3 * i, at);
        const int body = machine_block(m, at, 0.5);
        const int other = random_below(&m->random, body + 1) - 1;
        const double *end = other == GROUND ? origin : m->place[other];
        if (random_chance(&m->random, 0.3))
            machine_bushing(m, other, body, at);
        else
            machine_spring(m, other, end, body, at);
        if (random_chance(&m->random, 0.5))
            machine_spring(m, GROUND, (double[3]){at[0], at[1] + 1.0, at[2] + 0.2}, body, at);
    }
}

static void falling(machine *m)
{
    const int count = 1 + random_below(&m->random, 3);
    for (int i = 0; i < count; i++) {
        const double at[3] = {1.5 * i, random_uniform(&m->random, 0.3, 1.0), 0.0};
        const int body = machine_block(m, at, 0.4);
        machine_contact(m, body, at, 0.2, random_chance(&m->random, 0.2) ? at[1] - 0.2 : 0.0);
        if (i > 0 && random_chance(&m->random, 0.5))
            machine_joint(m,
                          &(joint_text){"spherical", body - 1, body,
                                        (double[3]){1.5 * i - 0.75, 0.6, 0.0}, NULL, NULL, NULL},
                          NUMBER);
    }
}

static void nonholonomic(machine *m)
{
    const double radius = random_uniform(&m->random, 0.3, 0.7);
    const bool disk = random_chance(&m->random, 0.5);
    const double lean = disk ? random_uniform(&m->random, -0.4, 0.4) : 0.0;
    const double center[3] = {0.0, radius * cos(lean), radius * sin(lean)};
    const double spin_axis[3] = {0.0, -sin(lean), cos(lean)};
    writing more = {0};
    m->moving = fmax(m->moving, 0.5);
    const int body = machine_block(m, center, radius);
    write_point(m, &more, "point2", center);
    if (disk)
        write_direction(m, &more, "axis2", spin_axis);
    text_add(&more, ", radius: %.12g", radius * m->length);
    machine_joint(m,
                  &(joint_text){disk ? "rolling_disk" : "rolling_sphere", GROUND, body, origin,
                                axis_y, NULL, more.start},
                  NUMBER);
    free(more.start);
    if (random_chance(&m->random, 0.3)) {
        double end[3];
        along(center, axis_x, 1.0, end);
        const int arm = machine_rod(m, center, end);
        machine_joint(m, &(joint_text){"spherical", body, arm, center, NULL, NULL, NULL}, NUMBER);
    }
}

static void skater(machine *m)
{
    const int body = machine_block(m, origin, 0.6);
    machine_joint(m, &(joint_text){"planar", GROUND, body, origin, axis_y, NULL, NULL}, NUMBER);
    machine_joint(
        m, &(joint_text){"skate", GROUND, body, (double[3]){0.2, 0.0, 0.0}, axis_x, NULL, NULL},
        NUMBER);
    machine_push(m, body);
}

/* A carrier whose speed of turning is given, with an arm on it. */
static void carousel(machine *m)
{
    char motion[1200], more[1400];
    const double end[3] = {random_uniform(&m->random, 0.5, 1.0), 0.2, 0.0};
    const double far[3] = {end[0] + 0.5, -0.5, 0.2};
    const int carrier = machine_rod(m, origin, end), arm = machine_rod(m, end, far);
    m->driven = m->moving = 0.0;
    machine_joint(m, &(joint_text){"revolute", GROUND, carrier, origin, axis_y, NULL, NULL},
                  NUMBER);
    machine_motion(m, RATE, 3.0 * machine_scale(m, RATE), motion, sizeof motion);
    snprintf(more, sizeof more, ", direction: rz, motion: %s", motion);
    machine_joint(m, &(joint_text){"speed", GROUND, carrier, origin, axis_y, NULL, more}, NUMBER);
    machine_joint(m, &(joint_text){"spherical", carrier, arm, end, NULL, NULL, NULL}, NUMBER);
}

const family machine_families[] = {
    {"chain", 3, chain},
    {"tree", 2, tree},
    {"robot", 2, robot},
    {"cart and poles", 1, cart_pole},
    {"top", 0.7, top},
    {"four-bar linkage", 2, four_bar},
    {"parallelograms", 1.5, parallelograms},
    {"slider crank", 2, slider_crank},
    {"scissors", 1, scissors},
    {"tripod", 1, tripod},
    {"hexapod", 0.7, hexapod},
    {"gears", 0.7, gears},
    {"springs", 1, springs},
    {"falling", 1, falling},
    {"rolling", 0.7, nonholonomic},
    {"skater", 0.4, skater},
    {"carousel", 0.6, carousel},
};
const int machine_family_count = sizeof machine_families / sizeof *machine_families;
