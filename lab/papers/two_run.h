/* Runs of the two particles of GO10 Sec. 6 for TWO and TWO-P. */
#ifndef PAPERS_TWO_RUN_H
#define PAPERS_TWO_RUN_H

#include "paper_runs.h"

enum { TWO_MOST_STEPS = 500 };

typedef struct two_run {
    const char *name;
    double step, end;
    bool projected, weighted; /* A = W = diag(15, 1) instead of M */
    double alpha;             /* penalty of the projection */
} two_run;

/* What is kept of every state, from the start on; lambda has the sign of the paper, whose force is
 * +Phi_q^T lambda on the left-hand side, too, and belongs to the step that led there. */
typedef struct two_state {
    double t, q[2], v[2], lambda, energy, position, velocity; /* the constraints Phi and dPhi/dt */
    double moved; /* energy that the projection of the step has moved, dE_p */
} two_state;

typedef struct two_path {
    int count;
    two_state at[TWO_MOST_STEPS + 1];
} two_path;

extern const double two_weights[2];

/* False if the run fails; the path ends where it does. */
bool two_follow(papers_report *report, const two_run *run, two_path *path);

/* The state at a time that a step ends at; of NaN if there is none. */
two_state two_at(const two_path *path, double t);

/* Largest |value| of a member over t <= end. */
typedef double two_value(const two_state *s);
double two_largest(const two_path *path, double end, two_value *value);
two_value two_energy_error, two_position, two_velocity, two_lambda; /* E/E(0) - 1, ... */

/* Curves over time. */
papers_panel *two_panel(papers_figure *figure, const char *title, const char *label, double end);
void two_draw(papers_panel *panel, papers_mark mark, const char *name, const two_path *path,
              two_value *value);

#endif
