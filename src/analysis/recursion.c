/* The error recursion T_+ E_{n+1} = T_0 E_n of the multipliers (RECUR): ACB15 (46) for ga3 with
 * E = (r^B, S lambda, B a), (59) for ga2s with E = (S lambda, B a), and that of ga3 in the null
 * space of M, ACB-R (27), with E = (r^B, a). */
#include "base/error.h"
#include "base/numeric.h"

#include <cardan/analysis.h>
#include <float.h>

enum { MOST_POWERS = 500000, MOST_SWEEPS = 30 };

/* A power is called settled below this part of the largest one. */
static const double settled_part = 1e-3;

static void set_index_three(const cardan_params *p, cardan_recursion *recursion)
{
    const double plus[9] = {0, 0, -p->beta, 1, 0, -p->gamma, 0, 1 - p->alpha_f, 1 - p->alpha_m};
    const double zero[9] = {
        1, 0, 0.5 - p->beta, 1, 0, 1 - p->gamma, 0, 0.0 - p->alpha_f, 0.0 - p->alpha_m};
    recursion->order = 3;
    cd_copy(9, plus, recursion->plus);
    cd_copy(9, zero, recursion->zero);
}

static void set_stabilised(const cardan_params *p, cardan_recursion *recursion)
{
    const double plus[4] = {0, -p->gamma, 1 - p->alpha_f, 1 - p->alpha_m};
    const double zero[4] = {0, 1 - p->gamma, 0.0 - p->alpha_f, 0.0 - p->alpha_m};
    recursion->order = 2;
    cd_copy(4, plus, recursion->plus);
    cd_copy(4, zero, recursion->zero);
}

static void set_null_space(const cardan_params *p, cardan_recursion *recursion)
{
    const double plus[4] = {0, -p->beta, 1, -p->gamma};
    const double zero[4] = {1, 0.5 - p->beta, 1, 1 - p->gamma};
    recursion->order = 2;
    cd_copy(4, plus, recursion->plus);
    cd_copy(4, zero, recursion->zero);
}

/* Which of the three recursions. */
typedef enum form { INDEX_THREE, STABILISED, NULL_SPACE } form;

/* T_+ is triangular up to the order of its rows: B a comes from the first one, S lambda from the
 * last one, and r^B of ga3 from the second. Row i of the product combines rows of T_0. */
static void divide(cardan_recursion *recursion, form which)
{
    int n = recursion->order;
    const double *plus = recursion->plus;
    const double *zero = recursion->zero;
    double *a_row = recursion->matrix + (n - 1) * n;
    double *lambda_row = recursion->matrix + (n - 2) * n;
    const double *last = plus + (n - 1) * n;
    for (int j = 0; j < n; j++) {
        a_row[j] = zero[j] / plus[n - 1] + 0.0; /* no negative zero */
        if (which != NULL_SPACE)
            lambda_row[j] = (zero[(n - 1) * n + j] - last[n - 1] * a_row[j]) / last[n - 2];
        if (which != STABILISED)
            recursion->matrix[j] = zero[n + j] - plus[2 * n - 1] * a_row[j];
    }
}

static void multiply(int n, const double *a, const double *b, double *product)
{
    cd_zero(n * n, product);
    for (int i = 0; i < n; i++)
        for (int k = 0; k < n; k++)
            cd_add(n, a[i * n + k], b + k * n, product + i * n);
}

/* Turns columns x and y of length n so that they become orthogonal; 0 if they were already. */
static int orthogonalise(int n, double *x, double *y)
{
    double xx = cd_dot(n, x, x);
    double yy = cd_dot(n, y, y);
    double xy = cd_dot(n, x, y);
    if (!(fabs(xy) > DBL_EPSILON * sqrt(xx * yy)))
        return 0;
    double zeta = (yy - xx) / (2.0 * xy);
    double tangent = copysign(1.0, zeta) / (fabs(zeta) + sqrt(1.0 + zeta * zeta));
    double cosine = 1.0 / sqrt(1.0 + tangent * tangent);
    double sine = cosine * tangent;
    for (int i = 0; i < n; i++) {
        double old = x[i];
        x[i] = cosine * old - sine * y[i];
        y[i] = sine * old + cosine * y[i];
    }
    return 1;
}

/* The 2-norm of an n x n matrix, n <= 3, by one-sided Jacobi rotations. (The rows are rotated: the
 * transposed matrix has the same norm.) */
static double norm(int n, const double *a)
{
    double rows[9];
    double largest = 0.0;
    int rotated = 1;
    cd_copy(n * n, a, rows);
    for (int sweep = 0; sweep < MOST_SWEEPS && rotated; sweep++) {
        rotated = 0;
        for (int i = 0; i < n; i++)
            for (int j = i + 1; j < n; j++)
                rotated |= orthogonalise(n, rows + i * n, rows + j * n);
    }
    for (int i = 0; i < n; i++)
        largest = fmax(largest, cd_dot(n, rows + i * n, rows + i * n));
    return sqrt(largest);
}

/* Largest modulus of the roots of z^2 + b z + c. Roots that coincide up to the rounding of the
 * parameters coincide: rounding would otherwise move them apart by its square root. */
static double quadratic_radius(double b, double c)
{
    double quarter = b * b / 4.0;
    double discriminant = quarter - c;
    if (fabs(discriminant) <= 16.0 * DBL_EPSILON * (1.0 + quarter + fabs(c)))
        return fabs(b) / 2.0;
    return discriminant < 0.0 ? sqrt(c) : fabs(b) / 2.0 + sqrt(discriminant);
}

/* det(z T_+ - T_0) has the factors (1 - alpha_f) z + alpha_f (not in the null space) and, for ga3
 * and the null space, beta z^2 + (1/2 - 2 beta + gamma) z + 1/2 + beta - gamma, for ga2s,
 * gamma z + 1 - gamma. */
static double spectral_radius(const cardan_params *p, form which)
{
    double others = which == STABILISED
                        ? fabs((1.0 - p->gamma) / p->gamma)
                        : quadratic_radius((0.5 - 2.0 * p->beta + p->gamma) / p->beta,
                                           (0.5 + p->beta - p->gamma) / p->beta);
    return which == NULL_SPACE ? others : fmax(others, fabs(p->alpha_f / (1.0 - p->alpha_f)));
}

/* What is found while the powers of the matrix are formed one after the other. */
typedef struct power_search {
    double first_half; /* largest norm among the first MOST_POWERS / 2 powers */
    int last_large;    /* last n with a norm of at least settled_part * peak */
    int settled;
} power_search;

static void note_power(cardan_recursion *recursion, power_search *search, const double *power,
                       double size, int n)
{
    double lambda = fabs(power[3]);
    if (size > recursion->peak) {
        recursion->peak = size;
        recursion->peak_step = n;
    }
    if (recursion->order == 3 && lambda > recursion->lambda_peak) {
        recursion->lambda_peak = lambda;
        recursion->lambda_peak_step = n;
    }
    if (n <= MOST_POWERS / 2)
        search->first_half = recursion->peak;
    if (size >= settled_part * recursion->peak && size > 0.0)
        search->last_large = n;
    /* ||T^(n+k)|| <= ||T^n|| ||T^k||, so that no later power can be large again. */
    search->settled = size <= settled_part * fmin(1.0, recursion->peak);
}

static void search_powers(cardan_recursion *recursion, power_search *search)
{
    double power[9];
    double next[9];
    int n = recursion->order;
    cd_copy(n * n, recursion->matrix, power);
    for (int i = 1; i <= MOST_POWERS && !search->settled; i++) {
        double size = norm(n, power);
        if (!isfinite(size))
            break;
        note_power(recursion, search, power, size, i);
        multiply(n, recursion->matrix, power, next);
        cd_copy(n * n, next, power);
    }
}

/* Powers that still grow after MOST_POWERS steps, or overflow, have no finite maximum. */
static void find_peaks(cardan_recursion *recursion)
{
    power_search search = {0};
    recursion->peak_step = 1;
    search_powers(recursion, &search);
    recursion->settled_step = search.settled ? search.last_large + 1 : -1;
    int unbounded = !search.settled &&
                    (recursion->radius > 1.0 + 1e-9 || recursion->peak > 1.5 * search.first_half);
    if (!unbounded)
        return;
    recursion->peak = INFINITY;
    recursion->peak_step = -1;
    if (recursion->order == 3) {
        recursion->lambda_peak = INFINITY;
        recursion->lambda_peak_step = -1;
    }
}

/* max over n of n(n-1) rho^(n-2) / 2: terms grow while (n + 1) rho > n - 1. */
static double jordan_bound(double rho)
{
    if (rho >= 1.0)
        return INFINITY;
    double n = fmax(2.0, ceil((1.0 + rho) / (1.0 - rho) - 1e-9));
    return 0.5 * n * (n - 1.0) * pow(rho, n - 2.0);
}

/* T_+, T_0 and C_q of the method; all that can be said even if T_+ is singular. */
static cardan_status set_method(const char *method, const cardan_params *p, form *which,
                                cardan_recursion *recursion, cardan_error *error)
{
    static const char *const names[] = {"ga3", "ga2s", "null"};
    static void (*const set[])(const cardan_params *, cardan_recursion *) = {
        set_index_three, set_stabilised, set_null_space};
    int found = 0;
    while (found < 3 && strcmp(method, names[found]) != 0)
        found++;
    *recursion = (cardan_recursion){0};
    if (found == 3)
        return cd_fail(error, CARDAN_UNKNOWN_NAME,
                       "no error recursion for method \"%.40s\"; use ga3 or ga2s, or null for "
                       "the null space of the mass matrix",
                       method);
    *which = (form)found;
    set[found](p, recursion);
    recursion->local_error = 1.0 - 6.0 * p->beta - 3.0 * (p->alpha_m - p->alpha_f);
    return CARDAN_OK;
}

static cardan_status check_params(const char *method, const cardan_params *p, form which,
                                  cardan_error *error)
{
    if (cd_first_not_finite(4, (double[]){p->alpha_m, p->alpha_f, p->beta, p->gamma}) >= 0)
        return cd_fail(error, CARDAN_BAD_PARAMETERS,
                       "alpha_m, alpha_f, beta and gamma must be finite numbers");
    const char *culprit = NULL;
    if (which != NULL_SPACE && p->alpha_f == 1.0)
        culprit = "alpha_f = 1";
    else if (which != STABILISED && p->beta == 0.0)
        culprit = "beta = 0";
    else if (which == STABILISED && p->gamma == 0.0)
        culprit = "gamma = 0";
    if (culprit == NULL)
        return CARDAN_OK;
    return cd_fail(error, CARDAN_BAD_PARAMETERS,
                   "T_+ of %s is singular for %s: the multipliers are not determined, so the "
                   "method cannot integrate constrained systems with these parameters",
                   method, culprit);
}

cardan_status cardan_analysis_recursion(const char *method, const cardan_params *params,
                                        cardan_recursion *recursion, cardan_error *error)
{
    form which = INDEX_THREE;
    if (method == NULL || params == NULL || recursion == NULL)
        return cd_absent(error, "method, its parameters or the recursion");
    cardan_status status = set_method(method, params, &which, recursion, error);
    if (status == CARDAN_OK)
        status = check_params(method, params, which, error);
    if (status != CARDAN_OK)
        return status;
    divide(recursion, which);
    recursion->radius = spectral_radius(params, which);
    if (which == INDEX_THREE) { /* the triple eigenvalue; the other bounds are not for these */
        recursion->jordan_bound = jordan_bound(recursion->radius);
        recursion->rule_of_thumb =
            recursion->radius < 1.0 ? 0.9 / (1.0 - pow(recursion->radius, 0.25)) : INFINITY;
    }
    find_peaks(recursion);
    return cd_succeed(error);
}
