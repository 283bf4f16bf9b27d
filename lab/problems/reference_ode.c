/* Chebyshev collocation by Picard iteration, interval after interval; see the header. */
#include "reference_ode.h"

#include "base/error.h"
#include "base/memory.h"

#include <math.h>
#include <stdbool.h>

enum {
    DEGREE = 24,
    POINTS = DEGREE + 1,
    /* More iterations would mean an interval so long that rounding errors are amplified by
     * (length * Lipschitz constant)^k / k! on the way. */
    MAX_ITERATIONS = 24,
    FEW_ITERATIONS = 17
};

static const long double pi = 3.141592653589793238462643383279503L;
static const long double first_length = 0.0625L;
static const long double shortest_length = 1e-9L;

/* Values of all unknowns at the Chebyshev points of the current interval. */
typedef long double grid[POINTS][CD_ODE_MAX_ORDER];

struct cd_reference_ode {
    cd_ode ode;
    long double cosines[2 * DEGREE];      /* cos(pi i / DEGREE) */
    long double point[POINTS];            /* Chebyshev points mapped to [0, 1], increasing */
    long double integral[POINTS][POINTS]; /* integral from 0 to point i of basis polynomial k */
    long double series[POINTS][POINTS];   /* Chebyshev coefficient m of basis polynomial k */
    long double tolerance;                /* 16 roundings */
    bool solved;                          /* the members below describe an interval */
    long double begin, length, next_length;
    long double scale[CD_ODE_MAX_ORDER]; /* size of each unknown so far */
    grid value, slope;
};

static void make_cosines(cd_reference_ode *it)
{
    for (int i = 0; i < 2 * DEGREE; i++)
        it->cosines[i] = cosl(pi * (long double)i / (long double)DEGREE);
}

/* cos(pi i / DEGREE) */
static long double cosine(const cd_reference_ode *it, int i)
{
    return it->cosines[i % (2 * DEGREE)];
}

/* Integral of T_m from -1 to the Chebyshev point -cos(pi i / DEGREE). */
static long double chebyshev_integral(const cd_reference_ode *it, int m, int i)
{
    /* T_n at that point is (-1)^n cos(pi n i / DEGREE), and at -1 it is (-1)^n. */
    long double sign = m % 2 == 0 ? 1.0L : -1.0L;
    if (m == 0)
        return 1.0L - cosine(it, i);
    if (m == 1)
        return 0.5L * (cosine(it, i) * cosine(it, i) - 1.0L);
    long double upper = (cosine(it, (m + 1) * i) - 1.0L) / (long double)(m + 1);
    long double lower = (cosine(it, (m - 1) * i) - 1.0L) / (long double)(m - 1);
    return -0.5L * sign * (upper - lower);
}

static long double end_weight(int k)
{
    return k == 0 || k == DEGREE ? 0.5L : 1.0L;
}

/* The spacing of numbers at 1 as it is computed: under valgrind it is that of double, whatever
 * LDBL_EPSILON says, and a tolerance below rounding would never be met. */
static long double working_epsilon(void)
{
    volatile long double epsilon = 1.0L, sum;
    do {
        epsilon *= 0.5L;
        sum = 1.0L + 0.5L * epsilon;
    } while (sum != 1.0L);
    return epsilon;
}

static void make_series(cd_reference_ode *it)
{
    for (int m = 0; m < POINTS; m++)
        for (int k = 0; k < POINTS; k++) {
            long double sign = m % 2 == 0 ? 1.0L : -1.0L;
            it->series[m][k] =
                2.0L / DEGREE * end_weight(m) * end_weight(k) * sign * cosine(it, m * k);
        }
}

static void make_integral(cd_reference_ode *it)
{
    for (int i = 0; i < POINTS; i++) {
        it->point[i] = 0.5L * (1.0L - cosine(it, i));
        for (int m = POINTS - 1; m >= 0; m--) {
            long double half = 0.5L * chebyshev_integral(it, m, i); /* [-1, 1] to [0, 1] */
            for (int k = 0; k < POINTS; k++)
                it->integral[i][k] += half * it->series[m][k];
        }
    }
}

cd_reference_ode *cd_reference_ode_create(const cd_ode *ode, const cardan_allocator *allocator)
{
    cd_reference_ode *it = cd_allocate(allocator, sizeof *it);
    if (it == NULL)
        return NULL;
    it->ode = *ode;
    it->tolerance = 16.0L * working_epsilon();
    make_cosines(it);
    make_series(it);
    make_integral(it);
    return it;
}

void cd_reference_ode_destroy(cd_reference_ode *reference, const cardan_allocator *allocator)
{
    cd_release(allocator, reference);
}

/* f at every point; false where it does not exist or is not finite. */
static bool evaluate_slopes(cd_reference_ode *it)
{
    for (int i = 0; i < POINTS; i++) {
        long double t = it->begin + it->length * it->point[i];
        if (it->ode.function(it->ode.context, t, it->value[i], it->slope[i]) != 0)
            return false;
        for (int j = 0; j < it->ode.order; j++)
            if (!isfinite(it->slope[i][j]))
                return false;
    }
    return true;
}

/* What an error of an unknown is measured against: its size so far, but not much less than the
 * largest one, so that an unknown that is zero up to rounding cannot hold up the others. */
static long double measure(const cd_reference_ode *it, int j)
{
    long double largest = 0.0L;
    for (int k = 0; k < it->ode.order; k++)
        largest = fmaxl(largest, it->scale[k]);
    return fmaxl(it->scale[j], 1e-3L * largest);
}

static void widen_scale(cd_reference_ode *it, int points)
{
    for (int i = 0; i < points; i++)
        for (int j = 0; j < it->ode.order; j++)
            it->scale[j] = fmaxl(it->scale[j], fabsl(it->value[i][j]));
}

/* One Picard iteration, value = start + integral of slope; returns whether nothing changed. */
static bool integrate_slopes(cd_reference_ode *it)
{
    bool unchanged = true;
    for (int j = 0; j < it->ode.order; j++) {
        long double allowed = it->tolerance * measure(it, j);
        for (int i = 1; i < POINTS; i++) {
            long double sum = 0.0L;
            for (int k = 0; k < POINTS; k++)
                sum += it->integral[i][k] * it->slope[k][j];
            long double value = it->value[0][j] + it->length * sum;
            unchanged = unchanged && fabsl(value - it->value[i][j]) <= allowed;
            it->value[i][j] = value;
        }
    }
    return unchanged;
}

/* Whether the last two Chebyshev coefficients of every unknown are negligible. */
static bool tail_is_negligible(const cd_reference_ode *it)
{
    for (int j = 0; j < it->ode.order; j++)
        for (int m = DEGREE - 1; m <= DEGREE; m++) {
            long double coefficient = 0.0L;
            for (int k = 0; k < POINTS; k++)
                coefficient += it->series[m][k] * it->value[k][j];
            if (!(fabsl(coefficient) <= it->tolerance * measure(it, j)))
                return false;
        }
    return true;
}

/* Solves on [begin, begin + length] from value[0]; the number of iterations, or 0 on failure. */
static int try_interval(cd_reference_ode *it)
{
    for (int i = 1; i < POINTS; i++)
        for (int j = 0; j < it->ode.order; j++)
            it->value[i][j] = it->value[0][j];
    for (int iteration = 1; iteration <= MAX_ITERATIONS; iteration++) {
        if (!evaluate_slopes(it))
            return 0;
        if (integrate_slopes(it))
            return tail_is_negligible(it) ? iteration : 0;
    }
    return 0;
}

/* Where all unknowns start at zero, the size of their first changes stands in for their own. */
static void set_first_scale(cd_reference_ode *it)
{
    long double slope[CD_ODE_MAX_ORDER] = {0.0L};
    bool zero = true;
    for (int j = 0; j < it->ode.order; j++) {
        it->scale[j] = 0.0L;
        zero = zero && it->ode.initial[j] == 0.0L;
    }
    if (zero && it->ode.function(it->ode.context, it->begin, it->ode.initial, slope) == 0)
        for (int j = 0; j < it->ode.order; j++)
            it->scale[j] = isfinite(slope[j]) ? first_length * fabsl(slope[j]) : 0.0L;
}

static long double within_limit(const cd_reference_ode *it, long double length)
{
    return it->ode.longest > 0.0L ? fminl(length, it->ode.longest) : length;
}

static void restart(cd_reference_ode *it)
{
    it->begin = it->ode.begin;
    it->length = 0.0L;
    it->next_length = within_limit(it, first_length);
    for (int j = 0; j < it->ode.order; j++)
        it->value[DEGREE][j] = it->ode.initial[j];
    set_first_scale(it);
    it->solved = true;
}

static cardan_status advance(cd_reference_ode *it, cardan_error *error)
{
    it->begin += it->length;
    it->length = it->next_length;
    for (int j = 0; j < it->ode.order; j++)
        it->value[0][j] = it->value[DEGREE][j];
    widen_scale(it, 1);
    int iterations = try_interval(it);
    while (iterations == 0) {
        it->length *= 0.5L;
        if (!(it->length >= shortest_length)) {
            it->solved = false;
            return cd_fail(error, CARDAN_NO_REFERENCE,
                           "the reference solution ends near t = %.9g: its equation in minimal "
                           "coordinates is singular there; ask for earlier times",
                           (double)it->begin);
        }
        iterations = try_interval(it);
    }
    it->next_length =
        within_limit(it, iterations <= FEW_ITERATIONS ? 1.25L * it->length : it->length);
    widen_scale(it, POINTS);
    return CARDAN_OK;
}

/* Barycentric interpolation; the weights of Chebyshev points are +-1, halved at the ends. */
static void interpolate(const cd_reference_ode *it, long double t, long double *y)
{
    long double at = (t - it->begin) / it->length;
    long double denominator = 0.0L;
    for (int j = 0; j < it->ode.order; j++)
        y[j] = 0.0L;
    for (int i = 0; i < POINTS; i++) {
        long double distance = at - it->point[i];
        if (distance == 0.0L) {
            for (int j = 0; j < it->ode.order; j++)
                y[j] = it->value[i][j];
            return;
        }
        long double weight = (i % 2 == 0 ? end_weight(i) : -end_weight(i)) / distance;
        denominator += weight;
        for (int j = 0; j < it->ode.order; j++)
            y[j] += weight * it->value[i][j];
    }
    for (int j = 0; j < it->ode.order; j++)
        y[j] /= denominator;
}

cardan_status cd_reference_ode_at(cd_reference_ode *reference, long double t, long double *y,
                                  cardan_error *error)
{
    if (!reference->solved || t < reference->begin)
        restart(reference);
    while (reference->length == 0.0L || t > reference->begin + reference->length) {
        cardan_status status = advance(reference, error);
        if (status != CARDAN_OK)
            return status;
    }
    interpolate(reference, t, y);
    return CARDAN_OK;
}
