/* Random machines: the parts that all families are made of, and the text. See machine.h. */
#include "machine.h"
#include "signals.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const double gravity = 9.81;

void text_add(writing *t, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    va_list again;
    va_copy(again, arguments);
    const size_t length = (size_t)vsnprintf(NULL, 0, format, arguments);
    if (t->used + length + 1 > t->room) {
        t->room = 2 * (t->used + length + 1);
        t->start = realloc(t->start, t->room);
        if (t->start == NULL)
            abort();
    }
    vsnprintf(t->start + t->used, length + 1, format, again);
    t->used += length;
    va_end(again);
    va_end(arguments);
}

static void rotate(const double e[4], const double p[3], double out[3])
{
    const double u[3] = {e[2] * p[2] - e[3] * p[1], e[3] * p[0] - e[1] * p[2],
                         e[1] * p[1] - e[2] * p[0]};
    out[0] = p[0] + 2.0 * (e[0] * u[0] + e[2] * u[2] - e[3] * u[1]);
    out[1] = p[1] + 2.0 * (e[0] * u[1] + e[3] * u[0] - e[1] * u[2]);
    out[2] = p[2] + 2.0 * (e[0] * u[2] + e[1] * u[1] - e[2] * u[0]);
}

static void multiply(const double a[4], const double b[4], double out[4])
{
    out[0] = a[0] * b[0] - a[1] * b[1] - a[2] * b[2] - a[3] * b[3];
    out[1] = a[0] * b[1] + a[1] * b[0] + a[2] * b[3] - a[3] * b[2];
    out[2] = a[0] * b[2] - a[1] * b[3] + a[2] * b[0] + a[3] * b[1];
    out[3] = a[0] * b[3] + a[1] * b[2] - a[2] * b[1] + a[3] * b[0];
}

double machine_scale(const machine *m, quantity what)
{
    const double force = m->mass * m->length / (m->time * m->time);
    switch (what) {
    case LENGTH:
        return m->length;
    case SPEED:
        return m->length / m->time;
    case RATE:
        return 1.0 / m->time;
    case FORCE:
        return force;
    case TORQUE:
        return force * m->length;
    default:
        return 1.0;
    }
}

static void write_vector(writing *t, const char *name, const double p[3])
{
    text_add(t, ", %s: [%.12g, %.12g, %.12g]", name, p[0], p[1], p[2]);
}

/* Rounding errors of the turning would make an axis that lies in a plane leave it. */
static double tidy(double x)
{
    return fabs(x) < 1e-15 ? 0.0 : x;
}

void write_point(const machine *m, writing *t, const char *name, const double p[3])
{
    double turned[3];
    rotate(m->turn, p, turned);
    for (int i = 0; i < 3; i++)
        turned[i] = tidy(turned[i] + m->shift[i]) * m->length;
    write_vector(t, name, turned);
}

void write_direction(const machine *m, writing *t, const char *name, const double d[3])
{
    double turned[3];
    rotate(m->turn, d, turned);
    for (int i = 0; i < 3; i++)
        turned[i] = tidy(turned[i]);
    text_add(t, ", %s: [%.16g, %.16g, %.16g]", name, turned[0], turned[1], turned[2]);
}

static void write_turn(const machine *m, writing *t, const double e[4])
{
    double all[4];
    multiply(m->turn, e, all);
    text_add(t, ", orientation: [%.16g, %.16g, %.16g, %.16g]", all[0], all[1], all[2], all[3]);
}

static void write_scaled(const machine *m, writing *t, const char *name, const double d[3],
                         double by)
{
    double turned[3];
    rotate(m->turn, d, turned);
    for (int i = 0; i < 3; i++)
        turned[i] = tidy(turned[i]) * by;
    write_vector(t, name, turned);
}

double machine_mass(machine *m)
{
    return pow(10.0, random_uniform(&m->random, -m->spread, m->spread));
}

/* The turn of the x axis into a direction. */
static void turn_to(const double d[3], double e[4])
{
    e[0] = 1.0 + d[0];
    e[1] = 0.0;
    e[2] = -d[2];
    e[3] = d[1];
    const double size = sqrt(e[0] * e[0] + e[2] * e[2] + e[3] * e[3]);
    if (size < 1e-6)
        memcpy(e, (double[4]){0.0, 0.0, 0.0, 1.0}, 4 * sizeof *e);
    else
        for (int i = 0; i < 4; i++)
            e[i] /= size;
}

static void write_velocities(machine *m)
{
    if (m->moving == 0.0 || m->planar || random_chance(&m->random, 0.4))
        return;
    double d[3];
    random_direction(&m->random, d);
    write_scaled(m, &m->body, "angular_velocity", d, m->moving * machine_scale(m, RATE));
    random_direction(&m->random, d);
    write_scaled(m, &m->body, "velocity", d, 0.5 * m->moving * machine_scale(m, SPEED));
}

/* `com`: along x of the body. */
static int add_body(machine *m, const double at[3], const double e[4], double mass, double com,
                    const double inertia[3])
{
    static const char *const forms[] = {"spatial", "body", "se3"};
    const double unit = m->mass * m->length * m->length;
    const int number = m->bodies++;
    for (int i = 0; i < 3; i++)
        m->place[number][i] = at[i];
    m->masses[number] = mass;
    text_add(&m->body, "  - {name: b%d, mass: %.9g", number, mass * m->mass);
    if (m->planar)
        text_add(&m->body, ", type: planar");
    else
        text_add(&m->body, ", form: %s", forms[random_below(&m->random, 3)]);
    if (com != 0.0)
        text_add(&m->body, ", center_of_mass: [%.9g, 0, 0]", com * m->length);
    text_add(&m->body, ",\n     inertia: [%.9g, %.9g, %.9g]", inertia[0] * unit, inertia[1] * unit,
             inertia[2] * unit);
    write_point(m, &m->body, "position", at);
    write_turn(m, &m->body, e);
    write_velocities(m);
    text_add(&m->body, "}\n");
    return number;
}

int machine_rod(machine *m, const double from[3], const double to[3])
{
    double d[3], e[4], at[3], size = 0.0;
    const bool middle = random_chance(&m->random, 0.7);
    const double mass = machine_mass(m);
    for (int i = 0; i < 3; i++) {
        d[i] = to[i] - from[i];
        size += d[i] * d[i];
        at[i] = middle ? 0.5 * (from[i] + to[i]) : from[i];
    }
    size = sqrt(size);
    for (int i = 0; i < 3; i++)
        d[i] /= size;
    turn_to(d, e);
    const double across = mass * size * size / 12.0 * random_log(&m->random, 0.3, 2.0);
    const double inertia[3] = {across * random_log(&m->random, 0.003, 0.5), across, across};
    return add_body(m, at, e, mass, middle ? 0.0 : 0.5 * size, inertia);
}

int machine_block(machine *m, const double at[3], double size)
{
    double e[4] = {1.0, 0.0, 0.0, 0.0}, edges[3], inertia[3];
    const double mass = machine_mass(m);
    for (int i = 0; i < 3; i++)
        edges[i] = size * random_log(&m->random, 0.4, 1.0);
    for (int i = 0; i < 3; i++)
        inertia[i] =
            mass / 12.0 *
            (edges[(i + 1) % 3] * edges[(i + 1) % 3] + edges[(i + 2) % 3] * edges[(i + 2) % 3]);
    if (!m->planar && random_chance(&m->random, 0.5))
        random_quaternion(&m->random, e);
    return add_body(m, at, e, mass, random_chance(&m->random, 0.25) ? 0.2 * size : 0.0, inertia);
}

static const char *body_name(int body, char name[16])
{
    if (body == GROUND)
        return "ground";
    snprintf(name, 16, "b%d", body);
    return name;
}

static void write_friction(machine *m, quantity free)
{
    writing *t = &m->joint;
    const double rate = free == LENGTH ? machine_scale(m, SPEED) : machine_scale(m, RATE);
    const double load = free == LENGTH ? machine_scale(m, FORCE) : machine_scale(m, TORQUE);
    text_add(t, ", friction: {");
    if (random_chance(&m->random, 0.4)) {
        text_add(t, "viscous: %.9g}", random_log(&m->random, 0.01, 3.0) * load / rate);
        return;
    }
    const double sliding = random_uniform(&m->random, 0.05, 0.4);
    text_add(t, "coefficient: %.9g, transition: %.9g", sliding,
             random_log(&m->random, 0.003, 0.1) * machine_scale(m, SPEED));
    if (random_chance(&m->random, 0.3))
        text_add(t, ", static_coefficient: %.9g, stribeck_rate: %.9g", 1.3 * sliding,
                 random_log(&m->random, 0.03, 0.3) * machine_scale(m, SPEED));
    if (free != LENGTH)
        text_add(t, ", radius: %.9g", random_uniform(&m->random, 0.02, 0.15) * m->length);
    if (random_chance(&m->random, 0.6))
        text_add(t, ", rounding: %.9g", 0.01 * machine_scale(m, FORCE));
    text_add(t, "}");
}

int machine_joint(machine *m, const joint_text *joint, quantity free)
{
    char first[16], second[16];
    writing *t = &m->joint;
    text_add(t, "  - {name: j%d, type: %s, body1: %s, body2: %s", m->joints, joint->type,
             body_name(joint->body1, first), body_name(joint->body2, second));
    if (joint->at != NULL)
        write_point(m, t, "location", joint->at);
    if (joint->axis != NULL)
        write_direction(m, t, joint->axis2 != NULL ? "axis1" : "axis", joint->axis);
    if (joint->axis2 != NULL)
        write_direction(m, t, "axis2", joint->axis2);
    if (joint->more != NULL)
        text_add(t, "%s", joint->more);
    if (free != NUMBER && random_chance(&m->random, m->driven)) {
        char motion[1200];
        text_add(t, ",\n     motion: %s",
                 machine_motion(m, free, free == LENGTH ? 0.3 : 1.5, motion, sizeof motion));
    } else if (free != NUMBER && random_chance(&m->random, m->rubbing)) {
        write_friction(m, free);
    }
    text_add(t, "}\n");
    return m->joints++;
}

const char *machine_motion(machine *m, quantity what, double amplitude, char *buffer, size_t size)
{
    writing t = {0};
    const double sign = random_chance(&m->random, 0.5) ? 1.0 : -1.0;
    signal_write(m, &t,
                 sign * amplitude * random_log(&m->random, 0.1, 1.0) *
                     (what == LENGTH ? m->length : 1.0),
                 random_chance(&m->random, 0.3));
    snprintf(buffer, size, "%s", t.start);
    free(t.start);
    return buffer;
}

/* Rates of springs: soft to stiff, in units of the machine. */
static double stiff_rate(machine *m)
{
    return random_chance(&m->random, 0.12) ? random_log(&m->random, 30.0, 500.0)
                                           : random_log(&m->random, 0.5, 30.0);
}

static double mass_of(const machine *m, int body1, int body2)
{
    const double a = body1 == GROUND ? 1e9 : m->masses[body1];
    const double b = body2 == GROUND ? 1e9 : m->masses[body2];
    return a * b / (a + b);
}

static double distance(const double a[3], const double b[3])
{
    return sqrt((a[0] - b[0]) * (a[0] - b[0]) + (a[1] - b[1]) * (a[1] - b[1]) +
                (a[2] - b[2]) * (a[2] - b[2]));
}

void machine_spring(machine *m, int body1, const double at1[3], int body2, const double at2[3])
{
    char first[16], second[16];
    const double rate = stiff_rate(m), mass = mass_of(m, body1, body2);
    const double unit = machine_scale(m, FORCE) / m->length;
    writing *t = &m->force;
    text_add(t, "  - {name: f%d, type: spring, body1: %s, body2: %s", m->forces++,
             body_name(body1, first), body_name(body2, second));
    write_point(m, t, "point1", at1);
    write_point(m, t, "point2", at2);
    text_add(t, ", stiffness: %.9g", mass * rate * rate * unit);
    if (random_chance(&m->random, 0.6))
        text_add(t, ", damping: %.9g",
                 2.0 * random_log(&m->random, 0.005, 1.5) * mass * rate * unit * m->time);
    if (random_chance(&m->random, 0.5))
        text_add(t, ", free_length: %.9g",
                 distance(at1, at2) * random_uniform(&m->random, 0.8, 1.2) * m->length);
    text_add(t, "}\n");
}

void machine_bushing(machine *m, int body1, int body2, const double at[3])
{
    char first[16], second[16];
    const double mass = mass_of(m, body1, body2), unit = machine_scale(m, FORCE) / m->length;
    const double rate = stiff_rate(m), damping = random_log(&m->random, 0.01, 1.0);
    writing *t = &m->force;
    text_add(t, "  - {name: f%d, type: bushing, body1: %s, body2: %s", m->forces++,
             body_name(body1, first), body_name(body2, second));
    write_point(m, t, "location", at);
    text_add(t, ", stiffness_matrix: [");
    for (int i = 0; i < 6; i++)
        text_add(t, "%s%.9g", i > 0 ? ", " : "",
                 mass * rate * rate * unit * (i < 3 ? 1.0 : 0.1 * m->length * m->length));
    text_add(t, "], damping_matrix: [");
    for (int i = 0; i < 6; i++)
        text_add(t, "%s%.9g", i > 0 ? ", " : "",
                 2.0 * damping * mass * rate * unit * m->time *
                     (i < 3 ? 1.0 : 0.1 * m->length * m->length));
    text_add(t, "]}\n");
}

void machine_contact(machine *m, int body, const double center[3], double radius, double height)
{
    const double up[3] = {0.0, 1.0, 0.0}, floor[3] = {0.0, height, 0.0};
    const double depth = random_log(&m->random, 0.002, 0.05);
    const double exponent = random_chance(&m->random, 0.7) ? 1.5 : 1.0;
    writing *t = &m->force;
    text_add(t, "  - {name: f%d, type: contact, body1: ground, body2: b%d", m->forces++, body);
    write_point(m, t, "location", floor);
    write_direction(m, t, "axis", up);
    write_point(m, t, "point2", center);
    text_add(t, ", radius: %.9g, exponent: %.9g, stiffness: %.9g", radius * m->length, exponent,
             m->masses[body] / pow(depth, exponent) * machine_scale(m, FORCE) /
                 pow(m->length, exponent));
    if (random_chance(&m->random, 0.7))
        text_add(t, ", dissipation: %.9g",
                 random_log(&m->random, 0.03, 1.0) / machine_scale(m, SPEED));
    if (random_chance(&m->random, 0.4))
        text_add(t, ", friction: {coefficient: %.9g, transition: %.9g}",
                 random_uniform(&m->random, 0.1, 0.5),
                 random_log(&m->random, 0.01, 0.1) * machine_scale(m, SPEED));
    text_add(t, "}\n");
}

void machine_push(machine *m, int body)
{
    double d[3];
    writing *t = &m->force;
    random_direction(&m->random, d);
    if (m->planar)
        d[2] = 0.0;
    text_add(t, "  - {name: f%d, type: applied, body: b%d", m->forces++, body);
    write_point(m, t, "location", m->place[body]);
    write_scaled(m, t, "force", d, m->masses[body] * machine_scale(m, FORCE));
    text_add(t, ", in_body: %s,\n     signal: ", random_chance(&m->random, 0.4) ? "true" : "false");
    signal_write(m, t, random_log(&m->random, 0.1, 2.0), true);
    text_add(t, "}\n");
}

void machine_torsion(machine *m, int body1, int body2, const double at[3], const double axis[3])
{
    char first[16], second[16];
    const double mass = 0.1 * mass_of(m, body1, body2), rate = stiff_rate(m);
    writing *t = &m->force;
    text_add(t, "  - {name: f%d, type: torsion_spring, body1: %s, body2: %s", m->forces++,
             body_name(body1, first), body_name(body2, second));
    write_point(m, t, "location", at);
    write_direction(m, t, "axis", axis);
    text_add(t, ", stiffness: %.9g, damping: %.9g, free_angle: %.9g}\n",
             mass * rate * rate * machine_scale(m, TORQUE),
             2.0 * random_log(&m->random, 0.005, 1.0) * mass * rate * machine_scale(m, TORQUE) *
                 m->time,
             random_uniform(&m->random, -0.3, 0.3));
}

void machine_motor(machine *m, int joint, quantity what)
{
    writing *t = &m->force;
    text_add(t, "  - {name: f%d, type: motor, joint: j%d, signal: ", m->forces++, joint);
    signal_write(m, t, random_log(&m->random, 0.05, 1.0) * machine_scale(m, what), true);
    text_add(t, "}\n");
}

static const family *choose_family(machine *m)
{
    double all = 0.0;
    for (int i = 0; i < machine_family_count; i++)
        all += machine_families[i].weight;
    double left = random_uniform(&m->random, 0.0, all);
    for (int i = 0; i < machine_family_count - 1; i++) {
        left -= machine_families[i].weight;
        if (left < 0.0)
            return &machine_families[i];
    }
    return &machine_families[machine_family_count - 1];
}

static void choose_frame(machine *m)
{
    memcpy(m->turn, (double[4]){1.0, 0.0, 0.0, 0.0}, sizeof m->turn);
    if (random_chance(&m->random, 0.5))
        random_quaternion(&m->random, m->turn);
    const double size = random_chance(&m->random, 0.15) ? random_log(&m->random, 0.3, 10.0) : 0.0;
    random_direction(&m->random, m->shift);
    for (int i = 0; i < 3; i++)
        m->shift[i] *= size;
}

static void choose_character(machine *m, bool weight)
{
    static const double tolerances[] = {1e-3, 1e-3, 1e-3, 1e-4, 1e-4, 1e-5};
    m->length = random_log(&m->random, 1e-3, 1e2);
    m->mass = pow(m->length, 3.0) * random_log(&m->random, 30.0, 3000.0);
    m->time = weight ? sqrt(m->length / gravity)
                     : sqrt(m->length / gravity) * random_log(&m->random, 0.3, 3.0);
    m->spread = random_chance(&m->random, 0.3) ? 1.7 : 0.3;
    m->driven = random_chance(&m->random, 0.5) ? 0.0 : random_chance(&m->random, 0.5) ? 0.3 : 1.0;
    m->rubbing = random_chance(&m->random, 0.6) ? 0.0 : 0.5;
    m->moving = weight && random_chance(&m->random, 0.5) ? 0.0 : random_log(&m->random, 0.1, 3.0);
    m->end = random_uniform(&m->random, 1.0, 3.0);
    m->rtol = tolerances[random_below(&m->random, 6)];
    m->atol = 0.01 * m->rtol;
    if (random_chance(&m->random, 0.7)) /* else the default, which is coarse for a small machine */
        m->atol *=
            fmin(fmin(1.0, m->length), fmin(machine_scale(m, SPEED), machine_scale(m, FORCE)));
}

static void add_extras(machine *m)
{
    while (m->bodies > 0 && random_chance(&m->random, 0.2)) {
        double d[3], at[3];
        const int body = random_below(&m->random, m->bodies);
        random_direction(&m->random, d);
        for (int i = 0; i < 3; i++)
            at[i] = m->place[body][i] + (m->planar && i == 2 ? 0.0 : d[i]);
        switch (random_below(&m->random, 4)) {
        case 0:
            machine_spring(m, GROUND, at, body, m->place[body]);
            break;
        case 1:
            machine_bushing(m, GROUND, body, m->place[body]);
            break;
        case 2:
            machine_contact(m, body, m->place[body], 0.05,
                            m->place[body][1] - random_uniform(&m->random, 0.1, 0.6));
            break;
        default:
            machine_push(m, body);
        }
    }
}

char *machine_write(uint64_t seed, uint64_t index, machine *made)
{
    machine m = {.random = random_make(seed, index)};
    writing t = {0};
    const double down[3] = {0.0, -1.0, 0.0};
    const bool weight = random_chance(&m.random, 0.8);
    choose_frame(&m);
    choose_character(&m, weight);
    const family *kind = choose_family(&m);
    m.family = kind->name;
    kind->make(&m);
    add_extras(&m);
    text_add(&t, "# Machine %llu of seed %llu: %s\ncardan: 1\nname: random\n",
             (unsigned long long)index, (unsigned long long)seed, m.family);
    writing g = {0};
    write_scaled(&m, &g, "gravity", down, weight ? m.length / (m.time * m.time) : 0.0);
    text_add(&t, "%s\n", g.start + 2);
    text_add(&t, "bodies:\n%s", m.body.start);
    if (m.joints > 0)
        text_add(&t, "joints:\n%s", m.joint.start);
    if (m.forces > 0)
        text_add(&t, "forces:\n%s", m.force.start);
    text_add(&t, "solver: {rtol: %g, atol: %.3g, end: %.9g}\n", m.rtol, m.atol, m.end * m.time);
    free(g.start);
    free(m.body.start);
    free(m.joint.start);
    free(m.force.start);
    m.body = m.joint = m.force = (writing){0};
    *made = m;
    return t.start;
}
