/* Loop closure for reference solutions of mechanisms. */
#include "closure.h"

#include <check.h>
#include <math.h>
#include <string.h>

void closure_derivative(const closure *loop, const double *x, int j, double *out)
{
    const double step = 1e-5;
    double moved[CLOSURE_MAX], up[CLOSURE_MAX], down[CLOSURE_MAX];
    memcpy(moved, x, (size_t)loop->variables * sizeof *x);
    moved[j] = x[j] + step;
    loop->function(loop->context, moved, up);
    moved[j] = x[j] - step;
    loop->function(loop->context, moved, down);
    for (int i = 0; i < loop->equations; i++)
        out[i] = (up[i] - down[i]) / (2.0 * step);
}

static double product(int n, const double *a, const double *b)
{
    double sum = 0.0;
    for (int i = 0; i < n; i++)
        sum += a[i] * b[i];
    return sum;
}

/* Modified Gram-Schmidt. */
void closure_solve(const closure *loop, double a[][CLOSURE_MAX], const double *r, double *d)
{
    const int m = loop->equations, n = loop->unknowns;
    double upper[CLOSURE_MAX][CLOSURE_MAX], rest[CLOSURE_MAX];
    memcpy(rest, r, (size_t)m * sizeof *r);
    for (int j = 0; j < n; j++) {
        upper[j][j] = sqrt(product(m, a[j], a[j]));
        ck_assert_double_gt(upper[j][j], 1e-8);
        for (int i = 0; i < m; i++)
            a[j][i] /= upper[j][j];
        for (int k = j + 1; k < n; k++) {
            upper[j][k] = product(m, a[j], a[k]);
            for (int i = 0; i < m; i++)
                a[k][i] -= upper[j][k] * a[j][i];
        }
        d[j] = product(m, a[j], rest);
        for (int i = 0; i < m; i++)
            rest[i] -= d[j] * a[j][i];
    }
    for (int j = n - 1; j >= 0; j--) {
        for (int k = j + 1; k < n; k++)
            d[j] -= upper[j][k] * d[k];
        d[j] /= upper[j][j];
    }
}

void closure_close(const closure *loop, double *x)
{
    for (int iteration = 0; iteration < 30; iteration++) {
        double a[CLOSURE_MAX][CLOSURE_MAX], r[CLOSURE_MAX], d[CLOSURE_MAX];
        loop->function(loop->context, x, r);
        if (sqrt(product(loop->equations, r, r)) < 1e-13)
            return;
        for (int j = 0; j < loop->unknowns; j++)
            closure_derivative(loop, x, j, a[j]);
        closure_solve(loop, a, r, d);
        for (int j = 0; j < loop->unknowns; j++)
            x[j] -= d[j];
    }
    ck_abort_msg("the loop of the reference does not close");
}

/* Rodrigues' formula, row by row of m. */
void turn_about(const double m[9], const double axis[3], double angle, double out[9])
{
    const double c = cos(angle), s = sin(angle);
    for (int i = 0; i < 3; i++) {
        const double row[3] = {m[3 * i], m[3 * i + 1], m[3 * i + 2]};
        const double along = (1.0 - c) * product(3, row, axis);
        for (int j = 0; j < 3; j++) {
            const int k = (j + 1) % 3, l = (j + 2) % 3;
            out[3 * i + j] =
                c * row[j] + along * axis[j] + s * (row[k] * axis[l] - row[l] * axis[k]);
        }
    }
}
