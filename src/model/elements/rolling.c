/* Rolling in the world. With P the point of contact, rho_i = P - r_i and V = u2 + w2 x rho2 - u1 -
 * w1 x rho1:
 *
 *   k = t . V - f,   K = (-t, -rho1 x t, t, rho2 x t)
 *
 * P moves with the bodies: P = p2 + c with the arm s2 of frame 2 and
 *   sphere  c = -radius n
 *   disk    c = -radius e,  e = (n - sigma a) / sqrt(1 - sigma^2),  sigma = n . a
 * for the normal n of the plane (body 1) and the axis a of the disk (body 2). */
#include "rolling.h"

enum { R1 = 0, PHI1 = 3, R2 = 6, PHI2 = 9 };

/* The contact: dc = by[0] dphi1 + by[1] dphi2. */
typedef struct contact {
    cd_pair pair;
    double rho1[3], rho2[3];
    double by[2][9];
    double V[3];
    double tangent[CD_TANGENTS][3];
} contact;

/* out += c a b^T */
static void add_dyad(double c, const double a[3], const double b[3], double out[9])
{
    for (int i = 0; i < 3; i++)
        cd_add(3, c * a[i], b, out + 3 * i);
}

static void sphere_contact(double radius, const double n[3], double c[3], contact *it)
{
    for (int i = 0; i < 3; i++)
        c[i] = -radius * n[i];
    cd_skew(n, it->by[0]);
    for (int i = 0; i < 9; i++)
        it->by[0][i] *= radius;
}

/* de = dy / h + e sigma dsigma / h^2 with y = n - sigma a, h = |y| */
static int disk_contact(double radius, const double n[3], const double a[3], double c[3],
                        contact *it)
{
    const double sigma = cd_dot3(n, a), square = 1.0 - sigma * sigma;
    double cross[3], e[3], skew[9];
    if (!(square > 1e-10))
        return 1; /* the disk lies flat: every point of its edge is the lowest */
    const double h = sqrt(square);
    cd_cross(n, a, cross);
    for (int i = 0; i < 3; i++) {
        e[i] = (n[i] - sigma * a[i]) / h;
        c[i] = -radius * e[i];
    }
    cd_skew(n, skew);
    cd_add(9, radius / h, skew, it->by[0]);
    cd_skew(a, skew);
    cd_add(9, -radius * sigma / h, skew, it->by[1]);
    for (int b = 0; b < 2; b++) {
        const double sign = b == 0 ? 1.0 : -1.0;
        add_dyad(sign * radius / h, a, cross, it->by[b]);
        add_dyad(-sign * radius * sigma / square, e, cross, it->by[b]);
    }
    return 0;
}

static int look(const cd_rolling *self, const cd_site *site, contact *it)
{
    double n[3], a[3], c[3] = {0.0}, turn1[3], turn2[3];
    int code = 0;
    *it = (contact){0};
    cd_pair_at(self->marker, site, &it->pair);
    cd_marker_axis(&it->pair.one, 2, n);
    cd_marker_axis(&it->pair.two, 2, a);
    if (self->contact == CD_CONTACT_SPHERE)
        sphere_contact(self->radius, n, c, it);
    else if (self->contact == CD_CONTACT_DISK)
        code = disk_contact(self->radius, n, a, c, it);
    for (int i = 0; i < 3; i++) {
        it->rho2[i] = it->pair.two.arm[i] + c[i];
        it->rho1[i] = it->pair.reach[i] + c[i];
    }
    cd_cross(site[0].w, it->rho1, turn1);
    cd_cross(site[1].w, it->rho2, turn2);
    for (int i = 0; i < 3; i++)
        it->V[i] = self->spin ? it->pair.w[i] : site[1].u[i] + turn2[i] - site[0].u[i] - turn1[i];
    for (int i = 0; i < self->rows; i++)
        cd_marker_axis(self->tangent[i].owner == 0 ? &it->pair.one : &it->pair.two,
                       self->tangent[i].axis, it->tangent[i]);
    return code;
}

static double speed_of(const cd_rolling *self, double t, int derivative)
{
    double f[3] = {0.0, 0.0, 0.0};
    if (self->motion != NULL)
        cd_signal_at(self->motion, t, f);
    return f[derivative];
}

static int rolling(const void *self, const cd_place *at, double *k)
{
    const cd_rolling *it = self;
    contact now;
    const int code = look(it, at->site, &now);
    for (int i = 0; i < it->rows; i++)
        k[i] = cd_dot3(now.tangent[i], now.V) - speed_of(it, at->t, 0);
    return code;
}

static int rolling_dt(const void *self, const cd_place *at, double *out)
{
    const cd_rolling *it = self;
    for (int i = 0; i < it->rows; i++)
        out[i] = -speed_of(it, at->t, 1);
    return 0;
}

static int rolling_dw(const void *self, const cd_place *at, double *K)
{
    const cd_rolling *it = self;
    contact now;
    const int code = look(it, at->site, &now);
    for (int i = 0; i < it->rows; i++, K += CD_PAIR) {
        const double *t = now.tangent[i];
        double moment1[3], moment2[3];
        cd_copy(3, t, moment1);
        cd_copy(3, t, moment2);
        if (!it->spin) {
            cd_add(3, -1.0, t, K + R1);
            cd_add(3, 1.0, t, K + R2);
            cd_cross(now.rho1, t, moment1);
            cd_cross(now.rho2, t, moment2);
        }
        cd_add(3, -1.0, moment1, K + PHI1);
        cd_add(3, 1.0, moment2, K + PHI2);
    }
    return code;
}

/* out (12) += z . drho2 */
static void add_rho2(const contact *now, const double z[3], double *out)
{
    double part[3];
    cd_apply_transposed3(now->by[0], z, part);
    cd_add(3, 1.0, part, out + PHI1);
    cd_apply_transposed3(now->by[1], z, part);
    cd_add(3, 1.0, part, out + PHI2);
    cd_cross(now->pair.two.arm, z, part);
    cd_add(3, 1.0, part, out + PHI2);
}

/* dt . V + t . (w2 x drho2 - w1 x drho1),  drho1 = dr2 - dr1 + drho2 */
static int rolling_dx(const void *self, const cd_place *at, double *out)
{
    const cd_rolling *it = self;
    contact now;
    const int code = look(it, at->site, &now);
    for (int i = 0; i < it->rows; i++, out += CD_PAIR) {
        const double *t = now.tangent[i];
        double turned[3], y1[3], y[3];
        cd_cross(t, now.V, turned);
        cd_add(3, 1.0, turned, out + (it->tangent[i].owner == 0 ? PHI1 : PHI2));
        if (it->spin)
            continue;
        cd_cross(t, at->site[0].w, y1);
        cd_cross(t, now.pair.w, y);
        cd_add(3, 1.0, y1, out + R1);
        cd_add(3, -1.0, y1, out + R2);
        add_rho2(&now, y, out);
    }
    return code;
}

static void add(double c, const double block[9], int row, int column, double *out)
{
    cd_add_block(c, block, row, column, CD_PAIR, out);
}

/* The turning of a tangent with its owner: dtau = -tau~ dphi. */
static void add_turned_tangent(const cd_rolling *it, const contact *now, const double tau[3],
                               int column, double *out)
{
    double skew[9], arm[9], block[9];
    cd_skew(tau, skew);
    if (it->spin) {
        add(1.0, skew, PHI1, column, out);
        add(-1.0, skew, PHI2, column, out);
        return;
    }
    add(1.0, skew, R1, column, out);
    add(-1.0, skew, R2, column, out);
    cd_skew(now->rho1, arm);
    cd_product3(arm, skew, block);
    add(1.0, block, PHI1, column, out);
    cd_skew(now->rho2, arm);
    cd_product3(arm, skew, block);
    add(-1.0, block, PHI2, column, out);
}

/* The moving of P: rows PHI1 get tau~ drho1, rows PHI2 -tau~ drho2. */
static void add_moved_contact(const contact *now, const double tau[3], double *out)
{
    double skew[9], block[9];
    cd_skew(tau, skew);
    add(-1.0, skew, PHI1, R1, out);
    add(1.0, skew, PHI1, R2, out);
    cd_product3(skew, now->by[0], block);
    add(1.0, block, PHI1, PHI1, out);
    add(-1.0, block, PHI2, PHI1, out);
    cd_product3(skew, now->by[1], block);
    add(1.0, block, PHI1, PHI2, out);
    add(-1.0, block, PHI2, PHI2, out);
    cd_times_skew(skew, now->pair.two.arm, block);
    add(-1.0, block, PHI1, PHI2, out);
    add(1.0, block, PHI2, PHI2, out);
}

static int rolling_reaction_dx(const void *self, const cd_place *at, double *out)
{
    const cd_rolling *it = self;
    contact now;
    const int code = look(it, at->site, &now);
    for (int i = 0; i < it->rows; i++) {
        double tau[3] = {0.0};
        cd_add(3, at->psi[i], now.tangent[i], tau);
        add_turned_tangent(it, &now, tau, it->tangent[i].owner == 0 ? PHI1 : PHI2, out);
        if (!it->spin)
            add_moved_contact(&now, tau, out);
    }
    return code;
}

const cd_element_type cd_rolling_type = {
    .name = "rolling",
    .refusal = CD_LOST_DIRECTION,
    .rolling = rolling,
    .rolling_dw = rolling_dw,
    .rolling_dx = rolling_dx,
    .rolling_dt = rolling_dt,
    .rolling_reaction_dx = rolling_reaction_dx,
};
