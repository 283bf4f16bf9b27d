/* Going on with another system on the same group, which def.renew gives. */
#ifndef CD_INTEGRATE_RENEW_H
#define CD_INTEGRATE_RENEW_H

#include <cardan/integrator.h>

/* Asks for another system at the present state and takes it up; the state is not made consistent.
 */
cardan_status cd_integrator_renew(cardan_integrator *it, bool *renewed);

/* After a step that has failed with `status`: whether there is another system, and the state has
 * been started with it, so that the step can be tried again. If not, the failure's sentence stays.
 */
bool cd_integrator_recover(cardan_integrator *it, cardan_status status);

#endif
