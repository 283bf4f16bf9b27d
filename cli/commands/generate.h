/* Model files of any size: the lines they are made of, and the shapes. Everything is written as it
 * is computed; no shape keeps its bodies. */
#ifndef CLI_GENERATE_H
#define CLI_GENERATE_H

#include <stdbool.h>
#include <stdio.h>

/* A file that is written. Links are slender rods of 1 m and 1 kg in the x-y plane. */
typedef struct cli_writer {
    FILE *out;
    long long n;
    const char *joint; /* type of all joints */
    const char *form;  /* of rigid bodies; NULL: `planar` bodies */
} cli_writer;

/* A rod from `from` in direction `angle`; `rate` and `velocity` (of its middle) at the start. */
typedef struct cli_link {
    double from[2], angle, rate, velocity[2];
} cli_link;

void cli_write_link(const cli_writer *writer, const char *name, long long number,
                    const cli_link *link);

/* A joint at a place between two links, each a word with a number ("link", 3), or ground (NULL). */
typedef struct cli_end {
    const char *name;
    long long number;
} cli_end;
void cli_write_joint(const cli_writer *writer, long long number, cli_end body1, cli_end body2,
                     const double at[2]);

typedef struct cli_shape {
    const char *name, *joint; /* joint: type if none is asked for */
    const char *summary;      /* description in the file, and in the help */
    long long least;
    void (*write_bodies)(const cli_writer *writer);
    void (*write_joints)(const cli_writer *writer);
    const char *rest; /* sections after the joints */
} cli_shape;

extern const cli_shape cli_shapes[];
extern const int cli_shape_count;

/* Writes a whole model file; false if there is no such shape. joint NULL: that of the shape; form
 * NULL: planar bodies with revolute joints. */
bool cli_generate_model(FILE *out, const char *shape, const char *joint, const char *form,
                        long long n);

#endif
