/* Modes: the systems that an integrator can switch between, each with its own workspace, so that a
 * switch allocates nothing. */
#ifndef CD_INTEGRATE_EVENT_MODE_H
#define CD_INTEGRATE_EVENT_MODE_H

#include "newton/newton.h"
#include "scheme/scheme.h"
#include "system/impulse.h"

enum { CD_MOST_MODES = 32 };

/* What belongs to one system. The integrator's own members of the same names are those of the
 * present mode. */
typedef struct cd_event_mode {
    const cardan_system *system;
    cd_workspace *ws;
    cd_consistent *consistent;
    cd_newton newton;
    cd_matrix *matrix;
    cd_term terms[CD_MAX_TERMS];
    int term_count;
} cd_event_mode;

/* The system of a mode of the definition; mode 0 is `system`. */
const cardan_system *cd_event_mode_system(const cardan_system *system,
                                          const cardan_integrator_def *def, int mode);
int cd_event_mode_count(const cardan_integrator_def *def);

/* Refuses modes that are missing or live on another group. */
cardan_status cd_event_modes_check(const cardan_system *system, const cardan_integrator_def *def,
                                   cardan_error *error);

/* What all modes have in common, and the largest numbers of multipliers, of a method's memory and
 * of scratch of any of them. */
typedef struct cd_event_mode_sizes {
    int k, q_size; /* velocities; doubles of q */
    int m, l, memory;
    int eta;       /* as m, or 0 if the method has no eta */
    int direction; /* cd_system_direction_scratch */
    int gaps;      /* contacts */
} cd_event_mode_sizes;
cd_event_mode_sizes cd_event_modes_sizes(const cardan_system *system,
                                         const cardan_integrator_def *def, const cd_scheme *scheme);

/* Makes all workspaces; it->step must be set up but for what belongs to a system. */
void cd_event_modes_create(cardan_integrator *it, const cardan_system *system);

/* Another system in the place of the present mode's, which is not looked at any more. There must be
 * room for it. */
cardan_status cd_event_mode_replace(cardan_integrator *it, const cardan_system *next);

/* Takes up another mode, or the first one. The state is not touched but for multipliers that the
 * mode does not have, which become zero; nothing that solvers have learnt is kept. */
void cd_event_mode_enter(cardan_integrator *it, int mode);

/* Zero for the multipliers of a state that the present mode does not have. Earlier states keep
 * theirs, which dense output of the step before a change of mode needs. */
void cd_event_mode_clear_multipliers(const cardan_integrator *it, const cd_state *state);

#endif
