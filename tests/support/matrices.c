/* The linear system of given matrices and dense algebra for closed forms. */
#include "matrices.h"

#include "base/numeric.h"

#include <check.h>

static int mass(void *context, const cardan_point *at, double *out)
{
    const matrices *s = context;
    (void)at;
    cd_copy(s->k * s->k, s->mass, out);
    return 0;
}

static int constraint(void *context, const cardan_point *at, double *out)
{
    const matrices *s = context;
    cd_multiply(s->m, s->k, s->b, at->q, out);
    cd_add(s->m, at->t, s->moving, out);
    return 0;
}

static int constraint_dq(void *context, const cardan_point *at, double *out)
{
    const matrices *s = context;
    (void)at;
    cd_copy(s->m * s->k, s->b, out);
    return 0;
}

static int constraint_dt(void *context, const cardan_point *at, double *out)
{
    const matrices *s = context;
    (void)at;
    cd_copy(s->m, s->moving, out);
    return 0;
}

static int nonholonomic(void *context, const cardan_point *at, double *out)
{
    const matrices *s = context;
    cd_multiply(s->l, s->k, s->nonholonomic, at->v, out);
    cd_add(s->l, 1.0, s->offset, out);
    return 0;
}

static int nonholonomic_dv(void *context, const cardan_point *at, double *out)
{
    const matrices *s = context;
    (void)at;
    cd_copy(s->l * s->k, s->nonholonomic, out);
    return 0;
}

cardan_system *matrices_system(matrices *context)
{
    const cardan_factor factor = {CARDAN_RN, CARDAN_LEFT, context->k};
    cardan_group *group = NULL;
    cardan_system *system = NULL;
    cardan_error error;
    ck_assert_int_eq(cardan_group_create(&group, &factor, 1, NULL, NULL), CARDAN_OK);
    cardan_system_def def = cardan_system_def_default();
    def.group = group;
    def.context = context;
    def.constraints = context->m;
    def.nonholonomic = context->l;
    def.mass = mass;
    def.constant_mass = true;
    def.rheonomic = context->m > 0;
    def.constraint = context->m > 0 ? constraint : NULL;
    def.constraint_dq = context->m > 0 ? constraint_dq : NULL;
    def.constraint_dt = context->m > 0 ? constraint_dt : NULL;
    def.nonholonomic_residual = context->l > 0 ? nonholonomic : NULL;
    def.nonholonomic_dv = context->l > 0 ? nonholonomic_dv : NULL;
    ck_assert_msg(cardan_system_create(&system, &def, &error) == CARDAN_OK, "%s", error.text);
    cardan_group_destroy(group);
    return system;
}

double random_number(unsigned *seed)
{
    *seed = *seed * 1664525u + 1013904223u;
    return (double)(*seed >> 8) / (double)(1u << 23) - 1.0;
}

void random_vector(unsigned *seed, int n, double *x)
{
    for (int i = 0; i < n; i++)
        x[i] = random_number(seed);
}

void random_positive(unsigned *seed, int n, double shift, double *a)
{
    double x[36], y[36];
    random_vector(seed, n * n, x);
    dense_transpose(n, n, x, y);
    dense_product(n, n, n, y, x, a);
    for (int i = 0; i < n; i++)
        a[i * (n + 1)] += shift;
}

void dense_solve(int n, const double *a, double *x)
{
    double w[144];
    ck_assert_int_le(n * n, 144);
    cd_copy(n * n, a, w);
    for (int c = 0; c < n; c++) {
        int best = c;
        for (int r = c + 1; r < n; r++)
            best = fabs(w[r * n + c]) > fabs(w[best * n + c]) ? r : best;
        for (int j = 0; j < n; j++) {
            const double kept = w[c * n + j];
            w[c * n + j] = w[best * n + j];
            w[best * n + j] = kept;
        }
        const double kept = x[c];
        x[c] = x[best];
        x[best] = kept;
        for (int r = c + 1; r < n; r++) {
            const double factor = w[r * n + c] / w[c * n + c];
            cd_add(n, -factor, w + c * n, w + r * n);
            x[r] -= factor * x[c];
        }
    }
    for (int r = n - 1; r >= 0; r--) {
        for (int j = r + 1; j < n; j++)
            x[r] -= w[r * n + j] * x[j];
        x[r] /= w[r * n + r];
    }
}

void dense_product(int rows, int inner, int cols, const double *a, const double *b, double *c)
{
    cd_zero(rows * cols, c);
    for (int i = 0; i < rows; i++)
        for (int p = 0; p < inner; p++)
            cd_add(cols, a[i * inner + p], b + p * cols, c + i * cols);
}

void dense_transpose(int rows, int cols, const double *a, double *c)
{
    for (int i = 0; i < rows; i++)
        for (int j = 0; j < cols; j++)
            c[j * rows + i] = a[i * cols + j];
}

double dense_form(int n, const double *a, const double *x, const double *y)
{
    double z[MATRICES_MAX];
    cd_multiply(n, n, a, y, z);
    return cd_dot(n, x, z);
}
