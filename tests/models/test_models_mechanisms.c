/* Four-bar linkages, the spatial slider crank and the chain against solutions made here in other
 * ways: one coordinate or N angles, integrated by a method of order 4 with short steps, forces from
 * the laws of Newton and Euler; closed forms where the motion is prescribed. */
#include "model_run.h"
#include "suite.h"

#include <math.h>

static const double gravity = 9.81;

/* ---- the classical method of order 4 for x'' = f(x, x') ---- */

enum { MOST_ANGLES = 20 };

typedef void acceleration(int n, const double *x, const double *v, double *a);

static void stage(int n, const double *x, const double *v, const double *dx, const double *dv,
                  double h, acceleration *f, double *next_dx, double *next_dv)
{
    double at[MOST_ANGLES], speed[MOST_ANGLES];
    for (int i = 0; i < n; i++) {
        at[i] = x[i] + h * dx[i];
        speed[i] = v[i] + h * dv[i];
        next_dx[i] = speed[i];
    }
    f(n, at, speed, next_dv);
}

static void integrate(int n, double *x, double *v, double h, long steps, acceleration *f)
{
    static const double lengths[] = {0.0, 0.5, 0.5, 1.0}, shares[] = {1.0, 2.0, 2.0, 1.0};
    for (long s = 0; s < steps; s++) {
        double dx[5][MOST_ANGLES] = {{0.0}}, dv[5][MOST_ANGLES] = {{0.0}};
        for (int i = 0; i < 4; i++)
            stage(n, x, v, dx[i], dv[i], lengths[i] * h, f, dx[i + 1], dv[i + 1]);
        for (int i = 0; i < 4; i++)
            for (int j = 0; j < n; j++) {
                x[j] += h / 6.0 * shares[i] * dx[i + 1][j];
                v[j] += h / 6.0 * shares[i] * dv[i + 1][j];
            }
    }
}

/* ---- four-bar: crank angle theta alone, Eksergian's equation ---- */

typedef struct linkage {
    double angle[3], first[3], second[3];    /* of crank, coupler, rocker; by theta */
    double place[3][2], by[3][2], by2[3][2]; /* of the middles; by theta */
    double mass[3], inertia[3];
} linkage;

static const double a = 0.3, b = 0.8, c = 0.7, d = 0.8, density = 2.0;

/* Adds length times e(angle) and its derivatives to a middle. */
static void add_arm(linkage *l, int body, int arm, double length)
{
    const double x = cos(l->angle[arm]), y = sin(l->angle[arm]);
    const double k = l->first[arm], k2 = l->second[arm];
    const double e[2] = {x, y}, n[2] = {-y, x};
    for (int i = 0; i < 2; i++) {
        l->place[body][i] += length * e[i];
        l->by[body][i] += length * k * n[i];
        l->by2[body][i] += length * (k2 * n[i] - k * k * e[i]);
    }
}

static linkage linkage_at(double theta)
{
    linkage l = {.angle = {theta}, .first = {1.0}, .place[2] = {d, 0.0}};
    const double x = d - a * cos(theta), y = -a * sin(theta), f = hypot(x, y);
    const double phi = atan2(y, x) + acos((b * b + f * f - c * c) / (2.0 * b * f));
    const double psi = atan2(b * sin(phi) - y, b * cos(phi) - x);
    const double s = sin(phi - psi), s2 = sin(psi - theta), s3 = sin(phi - theta);
    const double k2 = a * s2 / (b * s), k3 = a * s3 / (c * s);
    const double lengths[] = {a, b, c};
    l.angle[1] = phi;
    l.angle[2] = psi;
    l.first[1] = k2;
    l.first[2] = k3;
    l.second[1] =
        a / b * (cos(psi - theta) * (k3 - 1.0) * s - s2 * cos(phi - psi) * (k2 - k3)) / (s * s);
    l.second[2] =
        a / c * (cos(phi - theta) * (k2 - 1.0) * s - s3 * cos(phi - psi) * (k2 - k3)) / (s * s);
    add_arm(&l, 0, 0, 0.5 * a);
    add_arm(&l, 1, 0, a);
    add_arm(&l, 1, 1, 0.5 * b);
    add_arm(&l, 2, 2, 0.5 * c);
    for (int i = 0; i < 3; i++) {
        l.mass[i] = density * lengths[i];
        l.inertia[i] = l.mass[i] * lengths[i] * lengths[i] / 12.0;
    }
    return l;
}

static void crank_acceleration(int n, const double *x, const double *v, double *out)
{
    const linkage l = linkage_at(x[0]);
    double inertia = 0.0, half_change = 0.0, force = 0.0;
    (void)n;
    for (int i = 0; i < 3; i++) {
        inertia += l.mass[i] * (l.by[i][0] * l.by[i][0] + l.by[i][1] * l.by[i][1]) +
                   l.inertia[i] * l.first[i] * l.first[i];
        half_change += l.mass[i] * (l.by[i][0] * l.by2[i][0] + l.by[i][1] * l.by2[i][1]) +
                       l.inertia[i] * l.first[i] * l.second[i];
        force -= l.mass[i] * gravity * l.by[i][1];
    }
    out[0] = (force - half_change * v[0] * v[0]) / inertia;
}

static double cross(const double u[2], const double v[2])
{
    return u[0] * v[1] - u[1] * v[0];
}

/* Forces of the bearings on crank and rocker, from the moments of coupler and rocker about their
 * ends. */
static void bearing_forces(double theta, double rate, double on_crank[2], double on_rocker[2])
{
    const linkage l = linkage_at(theta);
    double alpha, need[3][2], moment[3];
    crank_acceleration(1, &theta, &rate, &alpha);
    for (int i = 0; i < 3; i++) {
        for (int j = 0; j < 2; j++)
            need[i][j] = l.mass[i] * (l.by[i][j] * alpha + l.by2[i][j] * rate * rate);
        need[i][1] += l.mass[i] * gravity;
        moment[i] = l.inertia[i] * (l.first[i] * alpha + l.second[i] * rate * rate);
    }
    const double e[2] = {cos(l.angle[1]), sin(l.angle[1])};
    const double r[2] = {cos(l.angle[2]), sin(l.angle[2])};
    const double coupler = (0.5 * b * cross(e, need[1]) + moment[1]) / b;
    const double rocker = -(0.5 * c * cross(r, need[2]) + moment[2]) / c;
    /* e x F = coupler, r x F = rocker: F on the coupler at its end. */
    const double determinant = cross(e, r);
    double at_end[2];
    for (int i = 0; i < 2; i++)
        at_end[i] = (coupler * r[i] - rocker * e[i]) / determinant;
    for (int i = 0; i < 2; i++) {
        on_crank[i] = need[0][i] + need[1][i] - at_end[i];
        on_rocker[i] = need[2][i] + at_end[i];
    }
}

enum { FOUR_BAR_VALUES = 10 };

static void four_bar_values(const char *name, const char *const *changes, double step, double t,
                            double *values)
{
    static const char *const names[FOUR_BAR_VALUES] = {
        "A.rate",   "D.rate", "coupler.x", "coupler.y", "rocker.x",
        "rocker.y", "A.fx",   "A.fy",      "D.fx",      "D.fy"};
    model_run *run = open_model_run(name, changes, step);
    advance_model_run(run, t);
    for (int i = 0; i < FOUR_BAR_VALUES; i++)
        values[i] = output_of(run, names[i]);
    close_model_run(run);
}

static void expect_four_bar(const char *name, const char *const *changes)
{
    const double t = 1.0, h = 1e-3;
    double theta = acos(-1.0) / 2.0, rate = 8.0;
    double coarse[FOUR_BAR_VALUES], fine[FOUR_BAR_VALUES];
    integrate(1, &theta, &rate, 1e-4, 10000, crank_acceleration);
    const linkage l = linkage_at(theta);
    double exact[FOUR_BAR_VALUES] = {rate,          rate * l.first[2], l.place[1][0],
                                     l.place[1][1], l.place[2][0],     l.place[2][1]};
    bearing_forces(theta, rate, exact + 6, exact + 8);
    four_bar_values(name, changes, h, t, coarse);
    four_bar_values(name, changes, 0.5 * h, t, fine);
    expect_order_two(name, FOUR_BAR_VALUES, coarse, fine, exact, 1e-8);
}

START_TEST(four_bar_in_the_plane)
{
    expect_four_bar("four_bar", NULL);
}
END_TEST

/* Forces in the plane are not touched by what the redundant rows share out. */
START_TEST(four_bar_with_redundant_joints)
{
    static const char *const se3[] = {"    mass: ", "    form: se3\n    mass: ", NULL};
    expect_four_bar("four_bar_3d", NULL);
    expect_four_bar("four_bar_3d", se3);
}
END_TEST

/* ---- spatial slider crank: x = sqrt(l^2 - y^2 - z^2) of the ball joint ---- */

enum { SLIDER_VALUES = 3 };

static void slider_exact(double t, double values[SLIDER_VALUES])
{
    const double r = 0.08, l = 0.3, rate = 6.0, angle = rate * t;
    const double y = 0.1 + r * cos(angle), z = 0.12 + r * sin(angle);
    const double vy = -r * rate * sin(angle), vz = r * rate * cos(angle);
    const double ay = -rate * rate * (y - 0.1), az = -rate * rate * (z - 0.12);
    const double x = sqrt(l * l - y * y - z * z), vx = -(y * vy + z * vz) / x;
    values[0] = x;
    values[1] = vx;
    values[2] = -(vx * vx + vy * vy + y * ay + vz * vz + z * az) / x * 2.0;
}

/* The rod pushes the slider, whose mass is 2 kg: what the cross does to the rod, turned round. */
static void slider_values(const char *const *changes, double step, double t, double *values)
{
    model_run *run = open_model_run("slider_crank_3d", changes, step);
    advance_model_run(run, t);
    values[0] = output_of(run, "slider.x");
    values[1] = output_of(run, "slider.vx");
    /* The slider does not turn; the y and z axes of the joint lie in its x-z plane. */
    const double x = sqrt(0.3 * 0.3 - 0.18 * 0.18 - 0.12 * 0.12), z = 0.12;
    values[2] = -(output_of(run, "cross.fy") * z + output_of(run, "cross.fz") * x) / hypot(x, z);
    close_model_run(run);
}

START_TEST(slider_crank_in_space)
{
    static const char *const se3[] = {"    mass: ", "    form: se3\n    mass: ", NULL};
    const double t = 1.3, h = 2e-3;
    double coarse[SLIDER_VALUES], fine[SLIDER_VALUES], exact[SLIDER_VALUES];
    slider_exact(t, exact);
    for (int form = 0; form < 2; form++) {
        const char *const *changes = form == 0 ? NULL : se3;
        slider_values(changes, h, t, coarse);
        slider_values(changes, 0.5 * h, t, fine);
        expect_order_two("slider_crank_3d", SLIDER_VALUES, coarse, fine, exact, 1e-11);
    }
}
END_TEST

/* ---- chain: N angles from the horizontal ---- */

static double carried(int n, int i, int j)
{
    const int later = i > j ? i : j;
    return i == j ? n - 1 - i + 1.0 / 3.0 : n - 1 - later + 0.5;
}

/* sum_j c_ij (cos(x_i - x_j) a_j + sin(x_i - x_j) v_j^2) = -g (n - 1 - i + 1/2) cos(x_i) */
static void chain_acceleration(int n, const double *x, const double *v, double *out)
{
    double m[MOST_ANGLES][MOST_ANGLES];
    for (int i = 0; i < n; i++) {
        out[i] = -gravity * (n - 1 - i + 0.5) * cos(x[i]);
        for (int j = 0; j < n; j++) {
            m[i][j] = carried(n, i, j) * cos(x[i] - x[j]);
            out[i] -= carried(n, i, j) * sin(x[i] - x[j]) * v[j] * v[j];
        }
    }
    for (int p = 0; p < n; p++)
        for (int i = p + 1; i < n; i++) {
            const double factor = m[i][p] / m[p][p];
            for (int j = p; j < n; j++)
                m[i][j] -= factor * m[p][j];
            out[i] -= factor * out[p];
        }
    for (int i = n - 1; i >= 0; i--) {
        for (int j = i + 1; j < n; j++)
            out[i] -= m[i][j] * out[j];
        out[i] /= m[i][i];
    }
}

enum { CHAIN_VALUES = 6 };

/* Middle and rate of the last link, and the force that holds the first one. */
static void chain_exact(int n, double t, double values[CHAIN_VALUES])
{
    double x[MOST_ANGLES] = {0.0}, v[MOST_ANGLES] = {0.0}, acc[MOST_ANGLES];
    const long steps = 2000;
    integrate(n, x, v, t / (double)steps, steps, chain_acceleration);
    chain_acceleration(n, x, v, acc);
    for (int i = 0; i < CHAIN_VALUES; i++)
        values[i] = 0.0;
    for (int i = 0; i < n; i++) {
        const double share = n - 1 - i + 0.5, length = i == n - 1 ? 0.5 : 1.0;
        values[0] += length * cos(x[i]);
        values[1] += length * sin(x[i]);
        values[3] += share * (-sin(x[i]) * acc[i] - cos(x[i]) * v[i] * v[i]);
        values[4] += share * (cos(x[i]) * acc[i] - sin(x[i]) * v[i] * v[i]);
    }
    values[2] = v[n - 1];
    values[4] += n * gravity;
    values[5] = 0.0;
}

static void chain_values(const char *const *changes, double step, double t, double *values)
{
    static const char *const names[CHAIN_VALUES] = {"link20.x", "link20.y", "link20.wz",
                                                    "pin1.fx",  "pin1.fy",  "pin1.fz"};
    model_run *run = open_model_run("chain", changes, step);
    advance_model_run(run, t);
    for (int i = 0; i < CHAIN_VALUES; i++)
        values[i] = output_of(run, names[i]);
    close_model_run(run);
}

START_TEST(chain_of_links)
{
    static const char *const se3[] = {"form: spatial", "form: se3", NULL};
    const double t = 1.0, h = 4e-3;
    double coarse[CHAIN_VALUES], fine[CHAIN_VALUES], exact[CHAIN_VALUES];
    chain_exact(20, t, exact);
    for (int form = 0; form < 2; form++) {
        const char *const *changes = form == 0 ? NULL : se3;
        chain_values(changes, h, t, coarse);
        chain_values(changes, 0.5 * h, t, fine);
        expect_order_two("chain", CHAIN_VALUES, coarse, fine, exact, 1e-8);
    }
}
END_TEST

Suite *make_suite(void)
{
    Suite *suite = suite_create("mechanisms");
    TCase *tcase = tcase_create("references");
    tcase_set_timeout(tcase, 600);
    tcase_add_test(tcase, four_bar_in_the_plane);
    tcase_add_test(tcase, four_bar_with_redundant_joints);
    tcase_add_test(tcase, slider_crank_in_space);
    tcase_add_test(tcase, chain_of_links);
    suite_add_tcase(suite, tcase);
    return suite;
}
