/* See scaling.h. */
#include "scaling.h"

#include "base/numeric.h"

/* The largest power of two that is not above x > 0. */
static double power_below(double x)
{
    int exponent;
    frexp(x, &exponent);
    return ldexp(1.0, exponent - 1);
}

/* Replaces sizes by powers of two that make them about equal, or by ones (and returns false) if
 * they do not differ much. The range is bounded, so that a row of rounding errors still is
 * singular. */
static bool choose_scale(int n, double *sizes)
{
    const double much = 1e3, bound = 0x1p20;
    double largest = sizes[0], smallest = sizes[0];
    for (int i = 1; i < n; i++) {
        largest = sizes[i] > largest ? sizes[i] : largest;
        smallest = sizes[i] < smallest ? sizes[i] : smallest;
    }
    const bool differ = largest > much * smallest;
    for (int i = 0; i < n; i++)
        sizes[i] = differ && sizes[i] > 0.0 ? power_below(fmin(largest / sizes[i], bound)) : 1.0;
    return differ;
}

/* Masses that are tiny beside the derivatives of constraints in their rows (parts of a millimetre,
 * in kg and m) make a matrix look singular, and scaling whole rows by their largest entries does
 * not change that. `diagonal`: |entries|; coordinates come in threes (a place, a rotation), which
 * get their largest mass, as a rod has none about its axis. `rows`: the largest of each row. */
static bool hides_masses(int velocities, double *diagonal, const double *rows)
{
    const double hidden = 1e-8;
    bool any = false;
    for (int i = 0; i < velocities; i += 3) {
        const int end = i + 3 < velocities ? i + 3 : velocities;
        double mass = 0.0;
        for (int j = i; j < end; j++)
            mass = diagonal[j] > mass ? diagonal[j] : mass;
        for (int j = i; j < end; j++) {
            diagonal[j] = mass;
            any = any || (mass > 0.0 && mass < hidden * rows[j]);
        }
    }
    return any;
}

/* The first of two scalings for that: velocities in units of equal kinetic energy, displacements in
 * the same units. */
static void mass_scale(int n, cd_unknowns of, const double *diagonal, double *rows, double *columns)
{
    const int k = of.velocities;
    for (int i = 0; i < n; i++) {
        const double mass = i < k + of.displacements ? diagonal[i % k] : 0.0;
        columns[i] = mass > 0.0 ? power_below(1.0 / sqrt(mass)) : 1.0;
        rows[i] = i < k ? columns[i] : 1.0 / columns[i];
    }
}

/* The second: constraints and multipliers by the largest entry of their row or column, which
 * `sizes` holds and which the factors replace. */
static void constraint_scale(int n, cd_unknowns of, double *sizes)
{
    for (int i = 0; i < n; i++)
        sizes[i] = i >= of.velocities + of.displacements && sizes[i] > 0.0
                       ? power_below(1.0 / sizes[i])
                       : 1.0;
}

/* Where column j begins among the entries. */
static int begin_of(const cd_scaling *m, int j)
{
    return m->start != NULL ? m->start[j] : j * m->n;
}

/* The largest |entry| of every row and of every column. */
static void measure(const cd_scaling *m, double *restrict rows, double *restrict columns)
{
    cd_zero(m->n, rows);
    for (int j = 0; j < m->n; j++) {
        const int begin = begin_of(m, j), count = begin_of(m, j + 1) - begin;
        const double *restrict column = m->values + begin;
        double largest = 0.0;
        for (int i = 0; i < count; i++)
            largest = cd_larger(fabs(column[i]), largest);
        columns[j] = largest;
        if (m->row == NULL)
            for (int i = 0; i < count; i++)
                rows[i] = cd_larger(fabs(column[i]), rows[i]);
        else
            for (int i = 0; i < count; i++)
                rows[m->row[begin + i]] = cd_larger(fabs(column[i]), rows[m->row[begin + i]]);
    }
}

static void multiply(const cd_scaling *m, const double *rows, const double *columns)
{
    for (int j = 0; j < m->n; j++) {
        const int begin = begin_of(m, j), end = begin_of(m, j + 1);
        for (int e = begin; e < end; e++)
            m->values[e] *= rows[m->row != NULL ? m->row[e] : e - begin] * columns[j];
    }
}

/* |entries| of the diagonal. */
static void take_diagonal(const cd_scaling *m, double *diagonal)
{
    cd_zero(m->n, diagonal);
    for (int j = 0; m->row == NULL && j < m->n; j++)
        diagonal[j] = fabs(m->values[begin_of(m, j) + j]);
    for (int j = 0; m->row != NULL && j < m->n; j++)
        for (int e = m->start[j]; e < m->start[j + 1]; e++)
            if (m->row[e] == j)
                diagonal[j] = fabs(m->values[e]);
}

/* d: 2 n, what the rows, then the columns are multiplied by. */
static void scale_by_masses(const cd_scaling *m, const double *diagonal, double *d)
{
    const int n = m->n;
    double *rows = m->scale, *columns = rows + n;
    mass_scale(n, m->unknowns, diagonal, d, d + n);
    multiply(m, d, d + n);
    measure(m, rows, columns);
    constraint_scale(n, m->unknowns, rows);
    constraint_scale(n, m->unknowns, columns);
    multiply(m, rows, columns);
    for (int i = 0; i < 2 * n; i++)
        d[i] *= m->scale[i];
    measure(m, rows, columns);
}

bool cd_equilibrate(const cd_scaling *m)
{
    const int n = m->n, k = m->unknowns.velocities;
    double *rows = m->scale, *columns = rows + n, *diagonal = m->spare, *d = diagonal + n;
    measure(m, rows, columns);
    if (k > 0)
        take_diagonal(m, diagonal);
    const bool by_masses = hides_masses(k, diagonal, rows);
    if (by_masses)
        scale_by_masses(m, diagonal, d);
    const bool by_rows = choose_scale(n, rows);
    if (by_rows) {
        for (int i = 0; i < n; i++)
            columns[i] = 1.0;
        multiply(m, rows, columns);
        measure(m, diagonal, columns);
    }
    const bool by_columns = choose_scale(n, columns);
    if (by_columns) {
        for (int i = 0; i < n; i++)
            diagonal[i] = 1.0;
        multiply(m, diagonal, columns);
    }
    for (int i = 0; by_masses && i < 2 * n; i++)
        m->scale[i] *= d[i];
    return by_rows || by_columns || by_masses;
}
