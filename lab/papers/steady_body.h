/* A body that is kept turning as fast as at the start: k = (|Omega|^2 - |Omega(0)|^2) / 2 on SO(3).
 *
 * No built-in problem has nonholonomic constraints alone and rotations, or a reaction that depends
 * on v; coefficients of hht2 that matter only there are seen with this one. */
#ifndef PAPERS_STEADY_BODY_H
#define PAPERS_STEADY_BODY_H

#include <cardan/cardan.h>

extern const double papers_steady_body_q[9], papers_steady_body_v[3]; /* initial values */

/* To be destroyed; NULL if there is no memory. */
cardan_system *papers_steady_body(void);

#endif
