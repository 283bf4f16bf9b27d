/* Forces as elements. A force definition becomes an element in one call; the model supplies what
 * only it knows (centres of mass, signals, joints, turn counters). */
#ifndef CD_MODEL_FORCE_H
#define CD_MODEL_FORCE_H

#include "base/error.h"
#include "base/memory.h"
#include "model/core/signal.h"
#include "model/elements/pair_force.h"

/* What a definition refers to. For a motor in a joint, markers and bodies are those of the joint.
 */
typedef struct cd_force_references {
    cd_marker marker[2];
    int body[2];
    const cd_signal *signal;       /* NULL: none given */
    const cardan_joint_def *joint; /* motor; NULL: none given */
    int counter;                   /* number of the turn counter, if the kind has one */
} cd_force_references;

/* The data of a force's element. */
typedef struct cd_force_data {
    cd_pair_force pair; /* kinds without a measure use the markers only */
    const cardan_force_def *def;
    const cd_signal *signal;
    int component; /* motor: of the measure */
} cd_force_data;

/* One kind of force. */
typedef struct cd_force_kind {
    cd_element_type type;
    const cd_measure *measure;
    cd_law_function *law;
    bool counts_turns; /* needs a turn counter of frame 2 about z of frame 1 */
    bool single;       /* acts on body 2 alone */
    /* Judges the numbers of a definition. */
    cardan_status (*check)(const cardan_force_def *def, cardan_error *error);
    /* Sets what the table leaves open; may be NULL. */
    cardan_status (*prepare)(const cd_force_references *parts, cd_force_data *self,
                             cardan_error *error);
} cd_force_kind;

extern const cd_force_kind cd_force_spring, cd_force_torsion, cd_force_bushing, cd_force_applied,
    cd_force_motor, cd_force_contact, cd_force_user;

/* NULL and definitions without the cookie; before anything else of them is read. */
cardan_status cd_force_check_made(const cardan_force_def *def, cardan_error *error);

/* Type and numbers: what can be judged without a model. */
cardan_status cd_force_check(const cardan_force_def *def, cardan_error *error);

/* Fails if one of the numbers is not finite; `what` names them. */
cardan_status cd_force_check_finite(const char *what, const double *numbers, int count,
                                    cardan_error *error);

/* Of a type that cd_force_check has seen. */
const cd_force_kind *cd_force_kind_of(cardan_force_type type);

/* Sets type, data, count and bodies of an element; the rest is the model's. The definition must
 * live as long as the element. */
cardan_status cd_force_make(cd_arena *arena, const cardan_force_def *def,
                            const cd_force_references *parts, cd_element *element,
                            cardan_error *error);

#endif
