/* Forces as elements. cd_force_make turns a definition into an element; the model resolves what the
 * definition refers to (bodies, signals, joints, turn counters). */
#ifndef CD_MODEL_FORCE_H
#define CD_MODEL_FORCE_H

#include "base/error.h"
#include "base/memory.h"
#include "model/core/signal.h"
#include "model/elements/pair_force.h"

/* What a definition refers to. Markers and bodies of a motor in a joint are those of the joint. */
typedef struct cd_force_references {
    cd_marker marker[2];
    int body[2];
    const cd_signal *signal;       /* NULL: none given */
    const cardan_joint_def *joint; /* of a motor; NULL: none given */
    int counter;                   /* number of the turn counter, if the kind has one */
} cd_force_references;

/* The data of a force's element. */
typedef struct cd_force_data {
    cd_pair_force pair; /* kinds without a measure use the markers only */
    const cardan_force_def *def;
    const cd_signal *signal;
    int component; /* of a motor: the component of the measure along which it acts */
} cd_force_data;

/* One kind of force: a law of a measure, or functions of its own in `type`. */
typedef struct cd_force_kind {
    cd_element_type type;
    const cd_measure *measure; /* NULL: none */
    cd_law_function *law;      /* NULL: none */
    bool counts_turns;         /* needs a turn counter of frame 2 about z of frame 1 */
    bool single;               /* acts on body 2 alone */
    /* Checks the numbers of a definition. */
    cardan_status (*check)(const cardan_force_def *def, cardan_error *error);
    /* Changes the data of an element where it depends on the definition; may be NULL. */
    cardan_status (*complete)(const cd_force_references *references, cd_force_data *self,
                              cardan_error *error);
} cd_force_kind;

extern const cd_force_kind cd_force_spring, cd_force_torsion, cd_force_bushing, cd_force_applied,
    cd_force_motor, cd_force_contact, cd_force_user;

/* Fails if a definition is NULL or was not made by cardan_force_def_default. */
cardan_status cd_force_check_cookie(const cardan_force_def *def, cardan_error *error);

/* Checks type and numbers of a definition, which needs no model. */
cardan_status cd_force_check(const cardan_force_def *def, cardan_error *error);

/* Fails if one of the numbers is not finite; `what` names them. */
cardan_status cd_force_check_finite(const char *what, const double *numbers, int count,
                                    cardan_error *error);

/* The kind of a type; NULL if there is no such type. */
const cd_force_kind *cd_force_kind_of(cardan_force_type type);

/* Sets type, data, count and bodies of an element. The definition must live as long as it. */
cardan_status cd_force_make(cd_arena *arena, const cardan_force_def *def,
                            const cd_force_references *references, cd_element *element,
                            cardan_error *error);

#endif
