/* Scales rows and columns by their largest entries, and before that by masses if these are tiny. */
#include "scaling.h"

#include "base/numeric.h"

/* The largest power of two that is not above x > 0. */
static double power_of_two_below(double x)
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
        sizes[i] =
            differ && sizes[i] > 0.0 ? power_of_two_below(fmin(largest / sizes[i], bound)) : 1.0;
    return differ;
}

/* Are masses tiny beside the derivatives of constraints in their rows (bodies of a millimetre, in
 * kg and m)? The matrix then looks singular, even if whole rows are scaled by their largest
 * entries, `rows`. `diagonal`: |entries|; coordinates come in threes (a position, a rotation),
 * which all get their largest mass, since a rod has none about its axis. */
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

/* The first of two scalings for tiny masses: velocities in units of equal kinetic energy,
 * displacements in the same units. `n` unknowns `of` these kinds. */
static void choose_mass_scale(int n, cd_unknowns of, const double *diagonal, double *rows,
                              double *columns)
{
    const int k = of.velocities;
    for (int i = 0; i < n; i++) {
        const double mass = i < k + of.displacements ? diagonal[i % k] : 0.0;
        columns[i] = mass > 0.0 ? power_of_two_below(1.0 / sqrt(mass)) : 1.0;
        rows[i] = i < k ? columns[i] : 1.0 / columns[i];
    }
}

/* The second scaling for tiny masses: constraints and multipliers by the largest entry of their row
 * or column. `sizes` holds these entries and gets the factors. */
static void choose_constraint_scale(int n, cd_unknowns of, double *sizes)
{
    for (int i = 0; i < n; i++)
        sizes[i] = i >= of.velocities + of.displacements && sizes[i] > 0.0
                       ? power_of_two_below(1.0 / sizes[i])
                       : 1.0;
}

/* Where column j begins among the entries. */
static int column_begin(const cd_scaling *m, int j)
{
    return m->start != NULL ? m->start[j] : j * m->n;
}

/* Finds the largest |entry| of every row and of every column. */
static void find_largest(const cd_scaling *m, double *restrict rows, double *restrict columns)
{
    cd_zero(m->n, rows);
    for (int j = 0; j < m->n; j++) {
        const int begin = column_begin(m, j), count = column_begin(m, j + 1) - begin;
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

/* Multiplies every entry by the factors of its row and column. */
static void apply_scale(const cd_scaling *m, const double *rows, const double *columns)
{
    for (int j = 0; j < m->n; j++) {
        const int begin = column_begin(m, j), end = column_begin(m, j + 1);
        for (int e = begin; e < end; e++)
            m->values[e] *= rows[m->row != NULL ? m->row[e] : e - begin] * columns[j];
    }
}

/* Copies |entries| of the diagonal. */
static void copy_diagonal(const cd_scaling *m, double *diagonal)
{
    cd_zero(m->n, diagonal);
    for (int j = 0; m->row == NULL && j < m->n; j++)
        diagonal[j] = fabs(m->values[column_begin(m, j) + j]);
    for (int j = 0; m->row != NULL && j < m->n; j++)
        for (int e = m->start[j]; e < m->start[j + 1]; e++)
            if (m->row[e] == j)
                diagonal[j] = fabs(m->values[e]);
}

/* Applies both scalings; `factors` (2 n) gets the factors of the rows, then of the columns. */
static void scale_by_masses(const cd_scaling *m, const double *diagonal, double *factors)
{
    const int n = m->n;
    double *rows = m->scale, *columns = rows + n;
    choose_mass_scale(n, m->unknowns, diagonal, factors, factors + n);
    apply_scale(m, factors, factors + n);
    find_largest(m, rows, columns);
    choose_constraint_scale(n, m->unknowns, rows);
    choose_constraint_scale(n, m->unknowns, columns);
    apply_scale(m, rows, columns);
    for (int i = 0; i < 2 * n; i++)
        factors[i] *= m->scale[i];
    find_largest(m, rows, columns);
}

bool cd_equilibrate(const cd_scaling *m)
{
    const int n = m->n, k = m->unknowns.velocities;
    double *rows = m->scale, *columns = rows + n, *diagonal = m->spare, *factors = diagonal + n;
    find_largest(m, rows, columns);
    if (k > 0)
        copy_diagonal(m, diagonal);
    const bool by_masses = hides_masses(k, diagonal, rows);
    if (by_masses)
        scale_by_masses(m, diagonal, factors);
    const bool by_rows = choose_scale(n, rows);
    if (by_rows) {
        for (int i = 0; i < n; i++)
            columns[i] = 1.0;
        apply_scale(m, rows, columns);
        find_largest(m, diagonal, columns);
    }
    const bool by_columns = choose_scale(n, columns);
    if (by_columns) {
        for (int i = 0; i < n; i++)
            diagonal[i] = 1.0;
        apply_scale(m, diagonal, columns);
    }
    for (int i = 0; by_masses && i < 2 * n; i++)
        m->scale[i] *= factors[i];
    return by_rows || by_columns || by_masses;
}
