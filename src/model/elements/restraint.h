/* What joints are made of: rows between two markers, each a component of a measure. */
#ifndef CD_MODEL_RESTRAINT_H
#define CD_MODEL_RESTRAINT_H

#include "measure.h"
#include "model/core/model.h"

/* One row, with the component e of a measure, its rate (G w) and the coordinate s of a turn
 * counter:
 *
 *   Phi = e - constant - factor s - f(t) = 0        (angles: up to whole turns)
 *   k = G w - f(t) = 0                              (cd_rolling_type)
 *
 * Neighbouring rows with components of one measure have the same options: it is evaluated once. */
typedef struct cd_primitive {
    const cd_measure *measure;
    int component;
    cd_measure_options options;
    double constant, factor;
    const cd_signal *motion; /* or NULL */
    const char *name;        /* what it restrains: "tx", ... */
} cd_primitive;

/* The data of a joint's element. */
typedef struct cd_restraint {
    cd_marker marker[2];
    bool counts; /* bodies are 1, 2 and a turn counter; else 1 and 2 */
    int rows;
    int separations; /* how many rows in front are those of cd_separation along x, y, z */
    cd_primitive primitive[CD_ELEMENT_ROWS];
} cd_restraint;

/* Bytes of one with so many rows: elements keep no more. */
static inline size_t cd_restraint_size(int rows)
{
    return offsetof(cd_restraint, primitive) + (size_t)rows * sizeof(cd_primitive);
}

extern const cd_element_type cd_restraint_type;
extern const cd_element_type cd_driven_restraint_type;            /* the same with motions */
extern const cd_element_type cd_screw_type, cd_driven_screw_type; /* with a turn counter */
extern const cd_element_type cd_rolling_type;       /* of rates: rolling, skates, imposed speeds */
extern const cd_element_type cd_turn_equation_type; /* the row that a turn counter follows */

/* What cd_restraint.separations is. */
int cd_restraint_separations(const cd_restraint *it);

/* factor[0] s_0 + factor[1] s_1 = constant, with two counters; gear_joint.c. */
extern const cd_element_type cd_gear_type;
#endif
