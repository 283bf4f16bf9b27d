/* The rolling disk on R3 x SO(3) on the side of the system; see the header. */
#include "disk.h"

#include "gyroscopic.h"

enum { M, R, I1, I2, G, LEAN, HEADING, LEAN_RATE, HEADING_RATE, SPIN_RATE, A1, W1, A2, W2, A3, W3 };

const lab_parameter cd_disk_parameters[CD_DISK_PLATFORM_PARAMETERS] = {
    [M] = {"m", 1.0, "mass"},
    [R] = {"r", 1.0, "radius"},
    [I1] = {"I1", 0.25, "inertia about a diameter"},
    [I2] = {"I2", 0.5, "inertia about the axle"},
    [G] = {"g", 9.81, "gravity"},
    [LEAN] = {"lean", 0.3, "initial angle from the vertical, towards the left"},
    [HEADING] = {"heading", 0.2, "initial direction of rolling"},
    [LEAN_RATE] = {"lean_rate", 0.1, "initial rate"},
    [HEADING_RATE] = {"heading_rate", 0.5, "initial rate"},
    [SPIN_RATE] = {"spin_rate", 3.0,
                   "initial rate about the axle; the contact moves with r times it"},
    [A1] = {"a1", 0.2, "amplitude of the platform, horizontal"},
    [W1] = {"w1", 3.0, "angular frequency of the platform"},
    [A2] = {"a2", 0.1, "amplitude of the platform, horizontal"},
    [W2] = {"w2", 5.0, "angular frequency of the platform"},
    [A3] = {"a3", 0.05, "amplitude of the platform, vertical"},
    [W3] = {"w3", 4.0, "angular frequency of the platform"},
};

const cd_range cd_disk_ranges[CD_DISK_PLATFORM_PARAMETERS] = {
    [M] = CD_POSITIVE,     [R] = CD_POSITIVE,      [I1] = CD_POSITIVE,     [I2] = CD_POSITIVE,
    [G] = CD_NOT_NEGATIVE, [W1] = CD_NOT_NEGATIVE, [W2] = CD_NOT_NEGATIVE, [W3] = CD_NOT_NEGATIVE};

const char *const cd_disk_outputs[CD_DISK_OUTPUTS] = {
    "x1", "x2", "x3",     "e0",     "e1",     "e2",     "e3",   "u1",
    "u2", "u3", "Omega1", "Omega2", "Omega3", "lambda", "psi1", "psi2"};

cardan_status cd_disk_prepare(void *data, const double *p, cardan_error *error)
{
    cd_disk *disk = data;
    *disk = (cd_disk){
        .m = p[M],
        .r = p[R],
        .i1 = p[I1],
        .i2 = p[I2],
        .g = p[G],
        .lean = p[LEAN],
        .heading = p[HEADING],
        .lean_rate = p[LEAN_RATE],
        .heading_rate = p[HEADING_RATE],
        .spin_rate = p[SPIN_RATE],
    };
    if (!(cos(disk->lean) > 0.0))
        return cd_refuse(error, "lean", disk->lean, "it must lie between -pi/2 and pi/2");
    return CARDAN_OK;
}

cardan_status cd_disk_platform_prepare(void *data, const double *p, cardan_error *error)
{
    cd_disk *disk = data;
    cardan_status status = cd_disk_prepare(data, p, error);
    for (int i = 0; i < 3; i++) {
        disk->amplitude[i] = p[A1 + 2 * i];
        disk->frequency[i] = p[W1 + 2 * i];
    }
    return status;
}

/* The contact as the body sees it. A rotation dw turns u by turn . dw towards `ahead`, and changes
 * gamma2 by c dw . (W, 0, -U), with u = (U, 0, W). */
typedef struct contact {
    double gamma[3], c, u[3], ahead[3], turn[3], tilt[3];
} contact;

/* False for a disk that lies flat: it has no point of contact. */
static bool contact_at(const cardan_point *at, contact *it)
{
    cd_copy(3, at->q + 9, it->gamma); /* last row of R */
    const double *gamma = it->gamma;
    it->c = hypot(gamma[0], gamma[2]);
    if (!(it->c > 0.0))
        return false;
    it->u[0] = gamma[0] / it->c;
    it->u[1] = 0.0;
    it->u[2] = gamma[2] / it->c;
    it->ahead[0] = -it->u[2];
    it->ahead[1] = 0.0;
    it->ahead[2] = it->u[0];
    it->turn[0] = -gamma[1] * it->u[0] / it->c;
    it->turn[1] = 1.0;
    it->turn[2] = -gamma[1] * it->u[2] / it->c;
    it->tilt[0] = gamma[2];
    it->tilt[1] = 0.0;
    it->tilt[2] = -gamma[0];
    return true;
}

static void inertia_of(const cd_disk *disk, double inertia[9])
{
    cd_zero(9, inertia);
    inertia[0] = inertia[8] = disk->i1;
    inertia[4] = disk->i2;
}

static int mass(void *context, const cardan_point *at, double *out)
{
    const cd_disk *disk = context;
    double inertia[9];
    (void)at;
    inertia_of(disk, inertia);
    for (int i = 0; i < 3; i++)
        out[7 * i] = disk->m;
    cd_add_block(1.0, inertia, 3, 3, 6, out);
    return 0;
}

static int force(void *context, const cardan_point *at, double *out)
{
    const cd_disk *disk = context;
    double inertia[9];
    inertia_of(disk, inertia);
    out[2] = disk->m * disk->g;
    cd_gyroscopic(inertia, at->v + 3, out + 3);
    return 0;
}

static int force_dv(void *context, const cardan_point *at, double *out)
{
    double inertia[9], block[9];
    inertia_of(context, inertia);
    cd_gyroscopic_dw(inertia, at->v + 3, block);
    cd_add_block(1.0, block, 3, 3, 6, out);
    return 0;
}

static int potential(void *context, const cardan_point *at, double *out)
{
    const cd_disk *disk = context;
    out[0] = disk->m * disk->g * at->q[2];
    return 0;
}

static int potential_dq(void *context, const cardan_point *at, double *out)
{
    const cd_disk *disk = context;
    (void)at;
    out[2] = disk->m * disk->g;
    return 0;
}

static int constraint(void *context, const cardan_point *at, double *out)
{
    const cd_disk *disk = context;
    long double s[3];
    cd_disk_platform(disk, at->t, 0, s);
    out[0] = (double)(at->q[2] - s[2] - disk->r * hypotl(at->q[9], at->q[11]));
    return 0;
}

/* (0, 0, 1, r gamma2 (W, 0, -U)) */
static int constraint_dq(void *context, const cardan_point *at, double *out)
{
    const cd_disk *disk = context;
    contact it;
    if (!contact_at(at, &it))
        return 1;
    out[2] = 1.0;
    cd_add(3, -disk->r * it.gamma[1], it.ahead, out + 3);
    return 0;
}

static int constraint_dt(void *context, const cardan_point *at, double *out)
{
    long double s[3];
    cd_disk_platform(context, at->t, 1, s);
    out[0] = (double)-s[2];
    return 0;
}

static int hidden_dq(void *context, const cardan_point *at, double *out)
{
    const cd_disk *disk = context;
    contact it;
    if (!contact_at(at, &it))
        return 1;
    cd_add(3, -disk->r * cd_dot3(it.ahead, at->v + 3), it.tilt, out + 3);
    cd_add(3, disk->r * it.gamma[1] * cd_dot3(it.u, at->v + 3), it.turn, out + 3);
    return 0;
}

static int constraint_bias(void *context, const cardan_point *at, double *out)
{
    double rows[6] = {0.0};
    long double s[3];
    if (hidden_dq(context, at, rows) != 0)
        return 1;
    cd_disk_platform(context, at->t, 2, s);
    out[0] = cd_dot(6, rows, at->v) - (double)s[2];
    return 0;
}

/* -r lambda (ahead tilt^T - gamma2 u turn^T) */
static int reaction_dq(void *context, const cardan_point *at, double *out)
{
    const cd_disk *disk = context;
    const double pull = disk->r * at->lambda[0];
    contact it;
    if (!contact_at(at, &it))
        return 1;
    for (int i = 0; i < 3; i++) {
        cd_add(3, -pull * it.ahead[i], it.tilt, out + 6 * (i + 3) + 3);
        cd_add(3, pull * it.gamma[1] * it.u[i], it.turn, out + 6 * (i + 3) + 3);
    }
    return 0;
}

static int residual(void *context, const cardan_point *at, double *out)
{
    const cd_disk *disk = context;
    double swept[3], moved[3];
    long double s[3];
    contact it;
    if (!contact_at(at, &it))
        return 1;
    cd_disk_platform(disk, at->t, 1, s);
    cd_cross(at->v + 3, it.u, swept);
    cd_apply3(at->q + 3, swept, moved);
    for (int i = 0; i < 2; i++)
        out[i] = (double)(at->v[i] - s[i]) - disk->r * moved[i];
    return 0;
}

/* Two rows of (I, r R u~) */
static int residual_dv(void *context, const cardan_point *at, double *out)
{
    const cd_disk *disk = context;
    double block[9];
    contact it;
    if (!contact_at(at, &it))
        return 1;
    cd_times_skew(at->q + 3, it.u, block);
    for (int i = 0; i < 2; i++) {
        out[7 * i] = 1.0;
        cd_add(3, disk->r, block + 3 * i, out + 6 * i + 3);
    }
    return 0;
}

/* Two rows of (0, r R ((Omega x u)~ - (Omega x ahead) turn^T)) */
static int residual_dq(void *context, const cardan_point *at, double *out)
{
    const cd_disk *disk = context;
    double swept[3], shifted[3], moved[3], block[9];
    contact it;
    if (!contact_at(at, &it))
        return 1;
    cd_cross(at->v + 3, it.u, swept);
    cd_times_skew(at->q + 3, swept, block);
    cd_cross(at->v + 3, it.ahead, shifted);
    cd_apply3(at->q + 3, shifted, moved);
    for (int i = 0; i < 2; i++) {
        cd_add(3, disk->r, block + 3 * i, out + 6 * i + 3);
        cd_add(3, -disk->r * moved[i], it.turn, out + 6 * i + 3);
    }
    return 0;
}

static int residual_dt(void *context, const cardan_point *at, double *out)
{
    long double s[3];
    cd_disk_platform(context, at->t, 2, s);
    out[0] = (double)-s[0];
    out[1] = (double)-s[1];
    return 0;
}

void cd_disk_define(cardan_system_def *def)
{
    static const char *const velocities[] = {"u1", "u2", "u3", "Omega1", "Omega2", "Omega3"};
    static const char *const constraints[] = {"contact"};
    static const char *const rolling[] = {"rolling 1", "rolling 2"};
    def->constraints = 1;
    def->nonholonomic = 2;
    def->constant_mass = true;
    def->mass = mass;
    def->inertia_dq = cd_callback_zero;
    def->force = force;
    def->force_dq = cd_callback_zero;
    def->force_dv = force_dv;
    def->potential = potential;
    def->potential_dq = potential_dq;
    def->constraint = constraint;
    def->constraint_dq = constraint_dq;
    def->constraint_dt = constraint_dt;
    def->constraint_bias = constraint_bias;
    def->hidden_dq = hidden_dq;
    def->reaction_dq = reaction_dq;
    def->nonholonomic_residual = residual;
    def->nonholonomic_dv = residual_dv;
    def->nonholonomic_dq = residual_dq;
    def->nonholonomic_dt = residual_dt;
    def->velocity_names = velocities;
    def->constraint_names = constraints;
    def->nonholonomic_names = rolling;
}

void cd_disk_output(const void *data, const cardan_point *at, double *values)
{
    (void)data;
    cd_copy(3, at->q, values);
    cd_rotation_quaternion(at->q + 3, values + 3);
    cd_copy(6, at->v, values + 7);
    values[13] = at->lambda[0];
    cd_copy(2, at->psi, values + 14);
}
