/* Restraints, the elements of joints: rows that restrain measures between two markers. */
#ifndef CD_MODEL_RESTRAINT_H
#define CD_MODEL_RESTRAINT_H

#include "measure.h"
#include "model/core/model.h"

/* One row, with the component e of a measure, its rate (G w) and the coordinate s of a turn
 * counter:
 *
 *   Phi = e - constant - factor s - f(t) = 0        (angles: up to whole turns)
 *   k = G w - f(t) = 0                              (cd_nonholonomic_type)
 *
 * Neighbouring rows of one measure have the same options, so that it is evaluated once for them. */
typedef struct cd_primitive {
    const cd_measure *measure;
    int component; /* of the measure */
    cd_measure_options options;
    double constant, factor;
    const cd_signal *motion; /* f(t); NULL: 0 */
    const char *name;        /* the direction that it restrains: "tx", ... */
} cd_primitive;

/* The data of a joint's element. */
typedef struct cd_restraint {
    cd_marker marker[2];
    bool counts; /* true: the bodies are 1, 2 and a turn counter; false: 1 and 2 */
    int rows;
    int separations; /* how many of the first rows are those of cd_separation along x, y, z */
    cd_primitive primitive[CD_ELEMENT_ROWS];
} cd_restraint;

/* The size in bytes of a restraint that stores only this number of rows. */
static inline size_t cd_restraint_size(int rows)
{
    return offsetof(cd_restraint, primitive) + (size_t)rows * sizeof(cd_primitive);
}

extern const cd_element_type cd_restraint_type;
extern const cd_element_type cd_driven_restraint_type;            /* with prescribed motions */
extern const cd_element_type cd_screw_type, cd_driven_screw_type; /* with a turn counter */
extern const cd_element_type
    cd_nonholonomic_type; /* restrains rates: rolling, skates, imposed speeds */
extern const cd_element_type cd_turn_equation_type; /* makes a turn counter follow an angle */

/* Counts the rows for cd_restraint.separations. */
int cd_restraint_separations(const cd_restraint *it);

/* factor[0] s_0 + factor[1] s_1 = constant, for two turn counters (gear_joint.c). */
extern const cd_element_type cd_gear_type;
#endif
