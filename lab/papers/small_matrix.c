/* See small_matrix.h. */
#include "small_matrix.h"

#include <math.h>
#include <string.h>

void dense_product(int n, int k, int m, const double *a, const double *b, double *c)
{
    for (int i = 0; i < n; i++)
        for (int j = 0; j < m; j++) {
            c[i * m + j] = 0.0;
            for (int p = 0; p < k; p++)
                c[i * m + j] += a[i * k + p] * b[p * m + j];
        }
}

void dense_turned_product(int n, int k, int m, const double *a, const double *b, double *c)
{
    for (int i = 0; i < n; i++)
        for (int j = 0; j < m; j++) {
            c[i * m + j] = 0.0;
            for (int p = 0; p < k; p++)
                c[i * m + j] += a[p * n + i] * b[p * m + j];
        }
}

static void swap_rows(int n, double *a, int i, int j)
{
    for (int p = 0; p < n; p++) {
        const double kept = a[i * n + p];
        a[i * n + p] = a[j * n + p];
        a[j * n + p] = kept;
    }
}

void dense_solve(int n, int m, const double *a, double *x)
{
    double lu[DENSE_MOST * DENSE_MOST];
    memcpy(lu, a, (size_t)(n * n) * sizeof *lu);
    for (int p = 0; p < n; p++) {
        int best = p;
        for (int i = p + 1; i < n; i++)
            if (fabs(lu[i * n + p]) > fabs(lu[best * n + p]))
                best = i;
        swap_rows(n, lu, p, best);
        swap_rows(m, x, p, best);
        for (int i = 0; i < n; i++) {
            const double factor = i == p ? 0.0 : lu[i * n + p] / lu[p * n + p];
            for (int j = 0; j < n; j++)
                lu[i * n + j] -= factor * lu[p * n + j];
            for (int j = 0; j < m; j++)
                x[i * m + j] -= factor * x[p * m + j];
        }
    }
    for (int i = 0; i < n; i++)
        for (int j = 0; j < m; j++)
            x[i * m + j] /= lu[i * n + i];
}

double dense_dot(int n, const double *x, const double *y)
{
    double sum = 0.0;
    for (int i = 0; i < n; i++)
        sum += x[i] * y[i];
    return sum;
}

double dense_form(int n, const double *a, const double *x, const double *y)
{
    double sum = 0.0;
    for (int i = 0; i < n; i++)
        sum += x[i] * dense_dot(n, a + i * n, y);
    return sum;
}

/* Columns p and q of a, turned by the angle of cosine c and sine s. */
static void turn_columns(int n, double *a, int p, int q, double c, double s)
{
    for (int i = 0; i < n; i++) {
        const double x = a[i * n + p], y = a[i * n + q];
        a[i * n + p] = c * x - s * y;
        a[i * n + q] = s * x + c * y;
    }
}

static void turn_rows(int n, double *a, int p, int q, double c, double s)
{
    for (int j = 0; j < n; j++) {
        const double x = a[p * n + j], y = a[q * n + j];
        a[p * n + j] = c * x - s * y;
        a[q * n + j] = s * x + c * y;
    }
}

/* Puts the smallest eigenvalue from i on to place i. */
static void sort_from(int n, int i, double *values, double *vectors)
{
    int best = i;
    for (int j = i + 1; j < n; j++)
        if (values[j] < values[best])
            best = j;
    const double kept = values[i];
    values[i] = values[best];
    values[best] = kept;
    for (int r = 0; r < n; r++) {
        const double x = vectors[r * n + i];
        vectors[r * n + i] = vectors[r * n + best];
        vectors[r * n + best] = x;
    }
}

void dense_eigen(int n, const double *a, double *values, double *vectors)
{
    double s[DENSE_MOST * DENSE_MOST] = {0}, own[DENSE_MOST * DENSE_MOST] = {0};
    double *columns = vectors != NULL ? vectors : own;
    for (int i = 0; i < n * n; i++) {
        s[i] = 0.5 * (a[i] + a[(i % n) * n + i / n]);
        columns[i] = i / n == i % n ? 1.0 : 0.0;
    }
    for (int sweep = 0; sweep < 30; sweep++)
        for (int p = 0; p < n; p++)
            for (int q = p + 1; q < n; q++) {
                const double angle = 0.5 * atan2(2.0 * s[p * n + q], s[q * n + q] - s[p * n + p]);
                turn_columns(n, s, p, q, cos(angle), sin(angle));
                turn_rows(n, s, p, q, cos(angle), sin(angle));
                turn_columns(n, columns, p, q, cos(angle), sin(angle));
            }
    for (int i = 0; i < n; i++)
        values[i] = s[i * n + i];
    for (int i = 0; i < n; i++)
        sort_from(n, i, values, columns);
}

int dense_rank(int n, const double *a)
{
    double square[DENSE_MOST * DENSE_MOST] = {0}, values[DENSE_MOST] = {0};
    int rank = 0;
    dense_turned_product(n, n, n, a, a, square);
    dense_eigen(n, square, values, NULL);
    for (int i = 0; i < n; i++)
        rank += values[i] > 1e-12 * values[n - 1];
    return rank;
}
