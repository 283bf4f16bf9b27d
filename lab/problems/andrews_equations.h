/* The equations of Andrews' mechanism as linear combinations of few sines and cosines, written once
 * for a type of numbers: andrews.c includes this for double (callbacks) and for long double (the
 * reference), with REAL, COS, SIN, HYPOT and NAMED defined. No include guard. */

/* M depends on three angles through one product each. */
typedef struct NAMED(couplings) {
    REAL theta, phi, omega;
} NAMED(couplings);

static void NAMED(mass_with)(NAMED(couplings) c, REAL M[ANGLES * ANGLES])
{
    const REAL ce = (REAL)e - ea, cf = (REAL)zf - fa;
    for (int i = 0; i < ANGLES * ANGLES; i++)
        M[i] = (REAL)0.0;
    M[BETA * 7 + BETA] = m1 * ra * ra + m2 * (rr * rr - (REAL)2.0 * c.theta + da * da) + i1 + i2;
    M[THETA * 7 + BETA] = M[BETA * 7 + THETA] = m2 * (da * da - c.theta) + i2;
    M[THETA * 7 + THETA] = m2 * da * da + i2;
    M[GAMMA * 7 + GAMMA] = m3 * (sa * sa + sb * sb) + i3;
    M[PHI * 7 + PHI] = m4 * ce * ce + i4;
    M[DELTA * 7 + PHI] = M[PHI * 7 + DELTA] = m4 * (ce * ce + c.phi) + i4;
    M[DELTA * 7 + DELTA] =
        m4 * (zt * zt + (REAL)2.0 * c.phi + ce * ce) + m5 * (ta * ta + tb * tb) + i4 + i5;
    M[OMEGA * 7 + OMEGA] = m6 * cf * cf + i6;
    M[EPSILON * 7 + OMEGA] = M[OMEGA * 7 + EPSILON] = m6 * (cf * cf - c.omega) + i6;
    M[EPSILON * 7 + EPSILON] =
        m6 * (cf * cf - (REAL)2.0 * c.omega + u * u) + m7 * (ua * ua + ub * ub) + i6 + i7;
}

static void NAMED(mass_at)(const REAL *q, REAL M[ANGLES * ANGLES])
{
    NAMED(mass_with)
    ((NAMED(couplings)){.theta = da * rr * COS(q[THETA]),
                        .phi = zt * (e - ea) * SIN(q[PHI]),
                        .omega = u * (zf - fa) * SIN(q[OMEGA])},
     M);
}

/* The spring between C and a point of the third body: its moment about B, -dV/dgamma, the
 * derivative of that, and the energy. */
typedef struct NAMED(spring) {
    REAL moment, moment_dgamma, energy;
} NAMED(spring);

static NAMED(spring) NAMED(spring_at)(const andrews *it, REAL gamma)
{
    const REAL c = COS(gamma), s = SIN(gamma);
    const REAL x = sd * c + sc * s + xb - xc, y = sd * s - sc * c + yb - yc;
    const REAL dx = sc * c - sd * s, dy = sd * c + sc * s;
    const REAL length = HYPOT(x, y), stretch = length - l0;
    const REAL rate = (x * dx + y * dy) / length;
    const REAL curvature = (dx * dx + dy * dy - x * dy + y * dx - rate * rate) / length;
    return (NAMED(spring)){.moment = -it->stiffness * stretch * rate,
                           .moment_dgamma = -it->stiffness * (rate * rate + stretch * curvature),
                           .energy = (REAL)0.5 * it->stiffness * stretch * stretch};
}

/* Applied and Coriolis forces, the right-hand side of M q'' = f - G^T lambda. */
static void NAMED(force_at)(const andrews *it, const REAL *q, const REAL *v, REAL *f)
{
    const REAL crank = m2 * da * rr * SIN(q[THETA]);
    const REAL left = m4 * zt * (e - ea) * COS(q[PHI]);
    const REAL right = m6 * u * (zf - fa) * COS(q[OMEGA]);
    f[BETA] = it->moment - crank * v[THETA] * (v[THETA] + (REAL)2.0 * v[BETA]);
    f[THETA] = crank * v[BETA] * v[BETA];
    f[GAMMA] = NAMED(spring_at)(it, q[GAMMA]).moment;
    f[PHI] = left * v[DELTA] * v[DELTA];
    f[DELTA] = -left * v[PHI] * (v[PHI] + (REAL)2.0 * v[DELTA]);
    f[OMEGA] = -right * v[EPSILON] * v[EPSILON];
    f[EPSILON] = right * v[OMEGA] * (v[OMEGA] + (REAL)2.0 * v[EPSILON]);
}

/* Vector of a bar (derivative 0) and its derivatives by its angle. */
static void NAMED(bar_at)(const bar *it, const REAL *q, int derivative, REAL out[2])
{
    const REAL angle = q[it->first] + (it->second < 0 ? (REAL)0.0 : q[it->second]);
    const REAL c = it->length * COS(angle), s = it->length * SIN(angle);
    const int quarter = (derivative + (it->normal ? 3 : 0)) % 4;
    const REAL x[4] = {c, -s, -c, s}, y[4] = {s, c, -s, -c};
    out[0] = x[quarter];
    out[1] = y[quarter];
}

static REAL NAMED(bar_rate)(const bar *it, const REAL *v)
{
    return v[it->first] + (it->second < 0 ? (REAL)0.0 : v[it->second]);
}

/* Adds to column `angle` of both rows of every loop that the bar is in. */
static void NAMED(add_columns)(const bar *it, const REAL part[2], REAL factor,
                               REAL G[PINS * ANGLES])
{
    for (int i = 0; i < PINS; i++) {
        if (!it->in_loop[i / 2])
            continue;
        G[i * ANGLES + it->first] += factor * part[i % 2];
        if (it->second >= 0)
            G[i * ANGLES + it->second] += factor * part[i % 2];
    }
}

/* G = dg/dq, or with v its derivative d(G v)/dq. */
static void NAMED(loops_dq)(const REAL *q, const REAL *v, REAL G[PINS * ANGLES])
{
    for (int i = 0; i < PINS * ANGLES; i++)
        G[i] = (REAL)0.0;
    for (int b = 0; b < BARS; b++) {
        REAL part[2];
        NAMED(bar_at)(&bars[b], q, v == NULL ? 1 : 2, part);
        NAMED(add_columns)(&bars[b], part, v == NULL ? (REAL)1.0 : NAMED(bar_rate)(&bars[b], v), G);
    }
}
