/* The reference of the rolling disk: the balance of angular momentum about the centre with the
 * contact force eliminated, quaternion kinematics, and the centre's path; no constraint, no angles.
 *
 *   (J + m r^2 (I - u u^T)) Omega' =
 *       -Omega x J Omega - m r u x (R^T s'' + g gamma + r Omega x (u' + Omega x u)) */
#include "attitude.h"
#include "disk.h"

#include <math.h>

void cd_disk_platform(const cd_disk *disk, long double t, int derivative, long double s[3])
{
    for (int i = 0; i < 3; i++) {
        const long double a = disk->amplitude[i], w = disk->frequency[i];
        if (derivative == 0)
            s[i] = a * sinl(w * t);
        else if (derivative == 1)
            s[i] = a * w * cosl(w * t);
        else
            s[i] = -a * w * w * sinl(w * t);
    }
}

/* R = R_z(heading) R_x(-lean): the disk leans to the left of its heading and has not spun yet. */
void cd_disk_ode_initial(const void *data, long double *y)
{
    const cd_disk *disk = data;
    const long double ch = cosl(0.5L * disk->heading), sh = sinl(0.5L * disk->heading);
    const long double cl = cosl(0.5L * disk->lean), sl = sinl(0.5L * disk->lean);
    const long double s = sinl(disk->lean), c = cosl(disk->lean);
    y[0] = ch * cl;
    y[1] = -ch * sl;
    y[2] = -sh * sl;
    y[3] = sh * cl;
    y[4] = -disk->lean_rate;
    y[5] = disk->spin_rate - disk->heading_rate * s;
    y[6] = disk->heading_rate * c;
    y[7] = -disk->r * s * sinl(disk->heading);
    y[8] = disk->r * s * cosl(disk->heading);
}

typedef struct disk_state {
    long double r[9], c, u[3];
    long double velocity[3], acceleration[3]; /* of the centre, inertial frame */
    long double omega[3], domega[3];
} disk_state;

static long double dot(const long double a[3], const long double b[3])
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

/* Solves with J + m r^2 (I - u u^T), which is diagonal in the axes u, axle, and across both. */
static void turn_faster(const cd_disk *disk, const long double u[3], const long double torque[3],
                        long double domega[3])
{
    const long double shift = (long double)disk->m * disk->r * disk->r;
    const long double across[3] = {-u[2], 0.0L, u[0]};
    const long double a = dot(u, torque) / disk->i1, b = dot(across, torque) / (disk->i1 + shift);
    for (int i = 0; i < 3; i++)
        domega[i] = a * u[i] + b * across[i];
    domega[1] = torque[1] / (disk->i2 + shift);
}

/* The part of the centre's acceleration in the body frame that does not depend on Omega'. */
static void drift(const cd_disk *disk, long double t, const disk_state *it,
                  const long double *gamma, long double out[3])
{
    const long double *w = it->omega, *u = it->u;
    const long double rate = w[1] - gamma[1] * dot(u, w) / it->c;
    long double s[3], change[3], swept[3], curved[3];
    cd_disk_platform(disk, t, 2, s);
    cd_attitude_rotate_back(it->r, s, out);
    cd_attitude_cross(w, u, swept);
    change[0] = swept[0] - rate * u[2];
    change[1] = swept[1];
    change[2] = swept[2] + rate * u[0];
    cd_attitude_cross(w, change, curved);
    for (int i = 0; i < 3; i++)
        out[i] += disk->r * curved[i];
}

/* False for a disk that lies flat. */
static bool state_at(const cd_disk *disk, long double t, const long double *y, disk_state *it)
{
    const long double j[3] = {disk->i1, disk->i2, disk->i1};
    long double pull[3], torque[3], momentum[3], gyroscopic[3], swept[3], moved[3], s[3];
    cd_attitude_matrix(y, it->r);
    const long double *gamma = it->r + 6;
    it->c = hypotl(gamma[0], gamma[2]);
    for (int i = 0; i < 3; i++) {
        it->u[i] = i == 1 ? 0.0L : gamma[i] / it->c;
        it->omega[i] = y[4 + i];
        momentum[i] = j[i] * it->omega[i];
    }
    drift(disk, t, it, gamma, it->acceleration);
    for (int i = 0; i < 3; i++)
        pull[i] = it->acceleration[i] + disk->g * gamma[i];
    cd_attitude_cross(it->u, pull, torque);
    cd_attitude_cross(it->omega, momentum, gyroscopic);
    for (int i = 0; i < 3; i++)
        torque[i] = -disk->m * disk->r * torque[i] - gyroscopic[i];
    turn_faster(disk, it->u, torque, it->domega);
    cd_attitude_cross(it->domega, it->u, swept);
    for (int i = 0; i < 3; i++)
        pull[i] = it->acceleration[i] + disk->r * swept[i];
    cd_attitude_rotate(it->r, pull, it->acceleration);
    cd_attitude_cross(it->omega, it->u, swept);
    cd_attitude_rotate(it->r, swept, moved);
    cd_disk_platform(disk, t, 1, s);
    for (int i = 0; i < 3; i++)
        it->velocity[i] = s[i] + disk->r * moved[i];
    return it->c > 0.0L;
}

int cd_disk_ode(const void *data, long double t, const long double *y, long double *f)
{
    disk_state it;
    if (!state_at(data, t, y, &it))
        return 1;
    cd_attitude_rate(y, it.omega, f);
    for (int i = 0; i < 3; i++)
        f[4 + i] = it.domega[i];
    f[7] = it.velocity[0];
    f[8] = it.velocity[1];
    return 0;
}

static void write_motion(const cd_disk *disk, long double t, const long double *y,
                         const disk_state *it, double *q, double *v)
{
    long double s[3];
    cd_disk_platform(disk, t, 0, s);
    cd_round(3, (const long double[]){y[7], y[8], s[2] + disk->r * it->c}, q);
    cd_round(9, it->r, q + 3);
    cd_round(3, it->velocity, v);
    cd_round(3, it->omega, v + 3);
}

void cd_disk_motion(const void *data, long double t, const long double *y, cd_motion *at)
{
    const cd_disk *disk = data;
    disk_state it;
    state_at(disk, t, y, &it);
    write_motion(disk, t, y, &it, at->q, at->v);
    cd_round(3, it.acceleration, at->vdot);
    cd_round(3, it.domega, at->vdot + 3);
    at->lambda[0] = (double)(-disk->m * (it.acceleration[2] + disk->g));
    at->psi[0] = (double)(-disk->m * it.acceleration[0]);
    at->psi[1] = (double)(-disk->m * it.acceleration[1]);
}

void cd_disk_initial(const void *data, double *q, double *v)
{
    long double y[CD_DISK_ODE_ORDER];
    disk_state it;
    cd_disk_ode_initial(data, y);
    state_at(data, 0.0L, y, &it);
    write_motion(data, 0.0L, y, &it, q, v);
}
