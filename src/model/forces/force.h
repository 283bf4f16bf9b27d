/* Forces as elements. A force definition becomes an element in one call; the model supplies what
 * only it knows (centres of mass, signals, joints, turn counters). */
#ifndef CD_MODEL_FORCE_H
#define CD_MODEL_FORCE_H

#include "base/error.h"
#include "base/memory.h"
#include "model/core/element.h"
#include "model/core/marker.h"
#include "model/core/signal.h"

/* What a definition refers to. For a motor in a joint, markers and bodies are those of the joint.
 */
typedef struct cd_force_parts {
    cd_marker marker[2];
    int body[2];
    const cd_signal *signal;       /* NULL: none given */
    const cardan_joint_def *joint; /* motor; NULL: none given */
    int counter;                   /* number of the turn counter, if the kind has one */
} cd_force_parts;

/* One kind of force: a line in the table of force.c. */
typedef struct cd_force_kind {
    bool counts_turns; /* needs a turn counter of frame 2 about z of frame 1 */
    bool single;       /* acts on body 2 alone */
    /* Judges the numbers of a definition. */
    cardan_status (*check)(const cardan_force_def *def, cardan_error *error);
    /* Sets type, self, count and body of the element; the rest is the model's. */
    cardan_status (*make)(cd_arena *arena, const cardan_force_def *def, const cd_force_parts *parts,
                          cd_element *element, cardan_error *error);
} cd_force_kind;

extern const cd_force_kind cd_force_spring, cd_force_torsion, cd_force_bushing, cd_force_applied,
    cd_force_motor, cd_force_contact, cd_force_user;

/* NULL if there is no such type. */
const cd_force_kind *cd_force_kind_of(cardan_force_type type);

/* NULL and definitions without the cookie; before anything else of them is read. */
cardan_status cd_force_check_made(const cardan_force_def *def, cardan_error *error);

/* Type and numbers: what can be judged without a model. */
cardan_status cd_force_check(const cardan_force_def *def, cardan_error *error);

/* Fails if one of the numbers is not finite; `what` names them. */
cardan_status cd_force_check_finite(const char *what, const double *numbers, int count,
                                    cardan_error *error);

/* Memory for an element's own data, which begins with a cd_pair_force: fills that and the element.
 * NULL, with a message, if there is none. */
struct cd_pair_force;
void *cd_force_take_pair(cd_arena *arena, size_t size, const struct cd_pair_force *head,
                         const cd_element_type *type, const cd_force_parts *parts,
                         cd_element *element, cardan_error *error);

#endif
