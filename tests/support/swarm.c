#include "swarm.h"

#include "suite.h"

#include <math.h>
#include <stdlib.h>

static const double opening = 0.02; /* of the first particle, or a time */

static int size_of(const swarm *s)
{
    return s->bodies ? 12 : 3; /* numbers of one in q */
}

static int dof_of(const swarm *s)
{
    return s->bodies ? 6 : 3;
}

int swarm_dof(const swarm *s)
{
    return s->count * dof_of(s);
}

static const double *position(const swarm *s, const cardan_point *at, int i)
{
    return at->q + i * size_of(s);
}

/* What has opened of the late part: a square, so that it is smooth. */
static double opened(const swarm *s, const cardan_point *at)
{
    const double by = s->late == SWARM_FORCE_TIME ? at->t : position(s, at, 0)[1];
    return by > opening ? (by - opening) * (by - opening) : 0.0;
}

static int mass(void *context, const cardan_point *at, double *m)
{
    swarm *s = context;
    const int k = swarm_dof(s);
    s->mass_calls++;
    for (int i = 0; i < k; i++)
        m[s->patterns ? i : i * k + i] = 1.0 + 0.01 * i;
    if (s->late == SWARM_MASS)
        m[0] += 10.0 * opened(s, at) * (2.0 + position(s, at, s->count - 1)[1]);
    return 0;
}

static void add_spring(const swarm *s, const cardan_point *at, int a, int b, double *g)
{
    const double *ra = position(s, at, a), *rb = position(s, at, b);
    const double *va = at->v + a * dof_of(s), *vb = at->v + b * dof_of(s);
    double square = 1e-4, rate = 0.0;
    for (int i = 0; i < 3; i++) {
        square += (rb[i] - ra[i]) * (rb[i] - ra[i]);
        rate += (rb[i] - ra[i]) * (vb[i] - va[i]);
    }
    const double length = sqrt(square);
    const double f = (50.0 * (length - (b - a)) + 0.5 * rate / length) / (b - a) / length;
    for (int i = 0; i < 3; i++) {
        g[a * dof_of(s) + i] -= f * (rb[i] - ra[i]);
        g[b * dof_of(s) + i] += f * (rb[i] - ra[i]);
    }
}

static int force(void *context, const cardan_point *at, double *g)
{
    swarm *s = context;
    const int n = s->count, last = (n - 1) * dof_of(s);
    s->force_calls++;
    for (int i = 0; i < n; i++) {
        g[i * dof_of(s) + 2] += 9.81;
        for (int j = i + 1; j < (s->all || i + 3 > n ? n : i + 3); j++)
            add_spring(s, at, i, j, g);
    }
    if (s->late == SWARM_FORCE || s->late == SWARM_FORCE_TIME) {
        /* of the distance only: the same if both move by the same */
        const double f =
            1e4 * opened(s, at) * (position(s, at, n - 1)[1] - position(s, at, 0)[1] - 1.0);
        g[1] -= f;
        g[last + 1] += f;
    }
    if (s->quirk == SWARM_NOISE)
        g[0] += 1e-13 * (double)(s->force_calls % 7);
    return 0;
}

/* The end of a rod: beside the centre of a body. */
static void end_of(const swarm *s, const cardan_point *at, int i, double side, double *x)
{
    const double *r = position(s, at, i), *rotation = r + 3;
    for (int j = 0; j < 3; j++)
        x[j] = r[j] + (s->bodies ? 0.2 * side * rotation[3 * j] : 0.0);
}

static double late_part(const swarm *s, const cardan_point *at)
{
    return s->late == SWARM_CONSTRAINT ? opened(s, at) * (1.0 + position(s, at, s->count - 1)[1])
                                       : 0.0;
}

static int constraint(void *context, const cardan_point *at, double *phi)
{
    swarm *s = context;
    int violated = 0, raised = 0;
    s->constraint_calls++;
    for (int c = 0; c < s->count / 2; c++) {
        double a[3], b[3], square = 0.0;
        const double length = s->bodies ? 0.6 : 1.0;
        end_of(s, at, 2 * c, 1.0, a);
        end_of(s, at, 2 * c + 1, -1.0, b);
        for (int i = 0; i < 3; i++)
            square += (b[i] - a[i]) * (b[i] - a[i]);
        phi[c] = 0.5 * (square - length * length) + (c == 0 ? late_part(s, at) : 0.0);
        violated += fabs(phi[c]) > 1e-5;
        raised += fabs(a[2]) > 0.0 && fabs(b[2]) > 0.0;
    }
    if ((s->quirk == SWARM_NARROW && violated > 3) || (s->quirk == SWARM_FLAT && raised > 0))
        return 1;
    if (s->quirk == SWARM_NARROW_NAN && violated > 3)
        phi[0] = NAN;
    return 0;
}

int swarm_constraint_dq(void *context, const cardan_point *at, double *b)
{
    const swarm *s = context;
    const int k = swarm_dof(s), last = s->count - 1;
    const double x = position(s, at, 0)[1];
    for (int c = 0; c < s->count / 2; c++)
        for (int i = 0; i < 3; i++) {
            const double d = position(s, at, 2 * c + 1)[i] - position(s, at, 2 * c)[i];
            b[c * k + 6 * c + i] = -d;
            b[c * k + 6 * c + 3 + i] = d;
        }
    if (s->late == SWARM_CONSTRAINT && x > opening) {
        b[1] += 2.0 * (x - opening) * (1.0 + position(s, at, last)[1]);
        b[3 * last + 1] += opened(s, at);
    }
    return 0;
}

cardan_group *swarm_group(const swarm *s)
{
    cardan_group *group = NULL;
    cardan_factor factors[SWARM_MOST] = {{.kind = CARDAN_RN, .n = 3 * s->count}};
    for (int i = 0; s->bodies && i < s->count; i++)
        factors[i] = (cardan_factor){.kind = CARDAN_R3_SO3};
    ck_assert_int_le(s->count, SWARM_MOST);
    ck_assert_int_eq(cardan_group_create(&group, factors, s->bodies ? s->count : 1, NULL, NULL),
                     CARDAN_OK);
    return group;
}

/* Of particles: M is diagonal, and constraint c is on the particles 2 c and 2 c + 1. */
static void make_patterns(swarm *s)
{
    const int k = swarm_dof(s), m = s->count / 2;
    int *at = s->memory = calloc((size_t)(2 * k + 7 * m + k + 3), sizeof(int));
    ck_assert_ptr_nonnull(at);
    s->mass = (cardan_pattern){k, at, at + k + 1};
    for (int i = 0; i < k; i++)
        at[i + 1] = i + 1, at[k + 1 + i] = i;
    at += 2 * k + 1;
    s->rows = (cardan_pattern){6 * m, at, at + m + 1};
    for (int e = 0; e < 6 * m; e++)
        at[m + 1 + e] = e, at[e / 6 + 1] = e + 1;
    s->none = (cardan_pattern){0, at + 7 * m + 1, at};
}

cardan_system_def swarm_def(swarm *s, const cardan_group *group)
{
    cardan_system_def def = cardan_system_def_default();
    def.group = group;
    def.context = s;
    def.constraints = s->count / 2;
    def.mass = mass;
    def.force = force;
    def.constraint = constraint;
    if (s->patterns) {
        make_patterns(s);
        def.patterns.mass = &s->mass;
        def.patterns.constraint_dq = &s->rows;
        def.patterns.inertia_dq = &s->none;
    }
    return def;
}

cardan_system *swarm_system(swarm *s)
{
    cardan_group *group = swarm_group(s);
    const cardan_system_def def = swarm_def(s, group);
    cardan_system *system = NULL;
    ck_assert_int_eq(cardan_system_create(&system, &def, NULL), CARDAN_OK);
    cardan_group_destroy(group);
    return system;
}

void swarm_close(swarm *s)
{
    free(s->memory);
    s->memory = NULL;
}

void swarm_initial(const swarm *s, double *q, double *v)
{
    for (int i = 0; i < s->count * size_of(s); i++)
        q[i] = 0.0;
    for (int i = 0; i < swarm_dof(s); i++)
        v[i] = 0.0;
    for (int i = 0; i < s->count; i++) {
        q[i * size_of(s)] = i;
        for (int j = 0; s->bodies && j < 3; j++)
            q[i * size_of(s) + 3 + 4 * j] = 1.0;
        v[i * dof_of(s) + 1] = 0.5 * sin(0.7 * (i + i % 2) + 1.0);
    }
}
