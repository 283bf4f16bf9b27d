/* Event modes: the systems between which events switch. Each has a workspace: no allocation. */
#ifndef CD_INTEGRATE_EVENT_MODE_H
#define CD_INTEGRATE_EVENT_MODE_H

#include "newton/newton.h"
#include "scheme/scheme.h"
#include "system/impulse.h"

enum { CD_MOST_MODES = 32 };

/* Members that belong to one system: those of a mode and, in the integrator, of the present one. */
#define CD_EVENT_MODE_MEMBERS                                                                      \
    const cardan_system *system;                                                                   \
    cd_workspace *ws;                                                                              \
    cd_consistent *consistent;                                                                     \
    cd_newton newton;                                                                              \
    cd_matrix *matrix;                                                                             \
    cd_term terms[CD_MAX_TERMS];                                                                   \
    int term_count

typedef struct cd_event_mode {
    CD_EVENT_MODE_MEMBERS;
} cd_event_mode;

/* The system of a mode of the definition; mode 0 is `system`. */
const cardan_system *cd_event_mode_system(const cardan_system *system,
                                          const cardan_integrator_def *def, int mode);
int cd_event_mode_count(const cardan_integrator_def *def);

/* Rejects modes that are missing or have another group. */
cardan_status cd_event_modes_check(const cardan_system *system, const cardan_integrator_def *def,
                                   cardan_error *error);

/* The sizes that all modes have in common, and the largest sizes of any of them. */
typedef struct cd_event_mode_sizes {
    int k, q_size; /* velocities; doubles of q */
    int m, l, memory;
    int eta;       /* as m, or 0 if the method has no eta */
    int direction; /* cd_system_direction_scratch */
    int gaps;      /* contacts */
} cd_event_mode_sizes;
cd_event_mode_sizes cd_event_modes_sizes(const cardan_system *system,
                                         const cardan_integrator_def *def, const cd_scheme *scheme);

/* Makes the workspaces of all modes; it->step is set up except for what belongs to a system. */
void cd_event_modes_create(cardan_integrator *it, const cardan_system *system);

/* Replaces the system of the present mode, which may have been freed. There must be room for it. */
cardan_status cd_event_mode_replace(cardan_integrator *it, const cardan_system *next);

/* Switches to another mode, or to the first one. Multipliers that the mode does not have become
 * zero, the rest of the state stays; what solvers have learnt is forgotten. */
void cd_event_mode_enter(cardan_integrator *it, int mode);

/* Sets the multipliers of a state that the present mode does not have to zero. Earlier states keep
 * theirs, which dense output of the step before a change of mode needs. */
void cd_event_mode_clear_multipliers(const cardan_integrator *it, const cd_state *state);

#endif
