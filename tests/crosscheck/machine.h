/* Random machines as texts of model files. They are thought of in units of their own (length, mass
 * and time 1, gravity 1 along -y), turned, shifted and scaled when they are written. */
#ifndef CROSSCHECK_MACHINE_H
#define CROSSCHECK_MACHINE_H

#include "random.h"

#include <stddef.h>

enum { GROUND = -1, MOST_BODIES = 16 };

typedef struct writing {
    char *start;
    size_t used, room;
} writing;

typedef struct machine {
    random_source random;
    const char *family;
    double length, mass, time; /* the units */
    double turn[4], shift[3];
    double spread;    /* decades of the masses of bodies to either side of 1 */
    double driven;    /* share of the free joints that follow a motion */
    double rubbing;   /* share of the joints with friction */
    double moving;    /* size of initial velocities */
    bool planar;      /* bodies of type `planar` */
    bool breakpoints; /* some signal has kinks: equal steps smear what jumps there */
    double end;       /* in units of time */
    double rtol, atol;
    int bodies, joints, forces;
    double place[MOST_BODIES][3]; /* of the bodies, and their masses */
    double masses[MOST_BODIES];
    writing body, joint, force;
} machine;

/* The text of machine `index`, to be freed; `made` holds what else is to be known of it. */
char *machine_write(uint64_t seed, uint64_t index, machine *made);

/* ---- for the families ---- */

typedef enum quantity { NUMBER, LENGTH, SPEED, RATE, FORCE, TORQUE } quantity;

double machine_scale(const machine *m, quantity what);
double machine_mass(machine *m);

/* A body between two points, its frame in the middle or at the first; returns its number. */
int machine_rod(machine *m, const double from[3], const double to[3]);
/* A body of the size `size` around a point. */
int machine_block(machine *m, const double at[3], double size);

typedef struct joint_text {
    const char *type;
    int body1, body2;
    const double *at, *axis, *axis2; /* NULL: not written; axis2 of universal joints */
    const char *more;                /* further entries, starting with a comma, or NULL */
} joint_text;

/* Writes a joint; motion, friction and rate as the machine asks where `free` is the quantity of the
 * joint's only free direction (NUMBER: none). */
int machine_joint(machine *m, const joint_text *joint, quantity free);
/* A motion with any signal for a joint, as the text of its entry. */
const char *machine_motion(machine *m, quantity what, double amplitude, char *buffer, size_t size);
void machine_spring(machine *m, int body1, const double at1[3], int body2, const double at2[3]);
void machine_bushing(machine *m, int body1, int body2, const double at[3]);
void machine_contact(machine *m, int body, const double center[3], double radius, double height);
void machine_push(machine *m, int body);
void machine_torsion(machine *m, int body1, int body2, const double at[3], const double axis[3]);
void machine_motor(machine *m, int joint, quantity what);

/* In writing: a point, a direction and a number in its unit. */
void write_point(const machine *m, writing *t, const char *name, const double p[3]);
void write_direction(const machine *m, writing *t, const char *name, const double d[3]);
__attribute__((format(printf, 2, 3))) void text_add(writing *t, const char *format, ...);

/* The families (families.c). */
typedef struct family {
    const char *name;
    double weight;
    void (*make)(machine *m);
} family;

extern const family machine_families[];
extern const int machine_family_count;

#endif
