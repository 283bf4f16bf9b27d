/* Powers of two that make rows or columns of a matrix about equal in size. */
#ifndef CD_LINALG_SCALING_H
#define CD_LINALG_SCALING_H

#include <math.h>
#include <stdbool.h>

/* The largest power of two that is not above x > 0. */
static inline double cd_power_below(double x)
{
    int exponent;
    frexp(x, &exponent);
    return ldexp(1.0, exponent - 1);
}

/* Replaces sizes by powers of two that make them about equal, or by ones (and returns false) if
 * they do not differ much. The range is bounded, so that a row of rounding errors still is
 * singular. */
static inline bool cd_choose_scale(int n, double *sizes)
{
    const double much = 1e3, bound = 0x1p20;
    double largest = sizes[0], smallest = sizes[0];
    for (int i = 1; i < n; i++) {
        largest = sizes[i] > largest ? sizes[i] : largest;
        smallest = sizes[i] < smallest ? sizes[i] : smallest;
    }
    const bool differ = largest > much * smallest;
    for (int i = 0; i < n; i++)
        sizes[i] = differ && sizes[i] > 0.0 ? cd_power_below(fmin(largest / sizes[i], bound)) : 1.0;
    return differ;
}

/* The unknowns of a matrix: the first are velocities, whose diagonal entries are masses; the next
 * may be as many displacements of the same coordinates; the others are multipliers, the rows of
 * which are constraints. None: nothing is known. */
typedef struct cd_unknowns {
    int velocities, displacements;
} cd_unknowns;

/* Masses that are tiny beside the derivatives of constraints in their rows (parts of a millimetre,
 * in kg and m) make a matrix look singular, and scaling whole rows by their largest entries does
 * not change that. `diagonal`: |entries|; coordinates come in threes (a place, a rotation), which
 * get their largest mass, as a rod has none about its axis. `rows`: the largest of each row. */
static inline bool cd_hides_masses(int velocities, double *diagonal, const double *rows)
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
static inline void cd_mass_scale(int n, cd_unknowns of, const double *diagonal, double *rows,
                                 double *columns)
{
    const int k = of.velocities;
    for (int i = 0; i < n; i++) {
        const double mass = i < k + of.displacements ? diagonal[i % k] : 0.0;
        columns[i] = mass > 0.0 ? cd_power_below(1.0 / sqrt(mass)) : 1.0;
        rows[i] = i < k ? columns[i] : 1.0 / columns[i];
    }
}

/* The second: constraints and multipliers by the largest entry of their row or column, which
 * `sizes` holds and which the factors replace. */
static inline void cd_constraint_scale(int n, cd_unknowns of, double *sizes)
{
    for (int i = 0; i < n; i++)
        sizes[i] = i >= of.velocities + of.displacements && sizes[i] > 0.0
                       ? cd_power_below(1.0 / sizes[i])
                       : 1.0;
}

#endif
