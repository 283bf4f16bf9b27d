/* The error recursion T_+ E_{n+1} = T_0 E_n of the multipliers (RECUR): analysis.h says
 * whose errors E are. */
#include "analysis.h"
#include "base/error.h"
#include "base/numeric.h"
#include "powers.h"

#include <float.h>

enum { MOST_POWERS = 500000 };

/* A power is called settled below this part of the largest one. */
static const double settled_part = 1e-3;

static void set_index_three(const cardan_params *p, lab_recursion *recursion)
{
    const double plus[9] = {0, 0, -p->beta, 1, 0, -p->gamma, 0, 1 - p->alpha_f, 1 - p->alpha_m};
    const double zero[9] = {
        1, 0, 0.5 - p->beta, 1, 0, 1 - p->gamma, 0, 0.0 - p->alpha_f, 0.0 - p->alpha_m};
    recursion->order = 3;
    cd_copy(9, plus, recursion->plus);
    cd_copy(9, zero, recursion->zero);
}

static void set_stabilised(const cardan_params *p, lab_recursion *recursion)
{
    const double plus[4] = {0, -p->gamma, 1 - p->alpha_f, 1 - p->alpha_m};
    const double zero[4] = {0, 1 - p->gamma, 0.0 - p->alpha_f, 0.0 - p->alpha_m};
    recursion->order = 2;
    cd_copy(4, plus, recursion->plus);
    cd_copy(4, zero, recursion->zero);
}

static void set_null_space(const cardan_params *p, lab_recursion *recursion)
{
    const double plus[4] = {0, -p->beta, 1, -p->gamma};
    const double zero[4] = {1, 0.5 - p->beta, 1, 1 - p->gamma};
    recursion->order = 2;
    cd_copy(4, plus, recursion->plus);
    cd_copy(4, zero, recursion->zero);
}

/* B v' + bias = 0 determines lambda: only a remembers. */
static void set_acceleration(const cardan_params *p, lab_recursion *recursion)
{
    recursion->order = 1;
    recursion->plus[0] = 1.0 - p->alpha_m;
    recursion->zero[0] = 0.0 - p->alpha_m;
}

/* B (v_n + v_{n+1}) = 0 and B (v_{n+1} - v_n) / h + S lambda = 0 to first order. */
static void set_middle(const cardan_params *p, lab_recursion *recursion)
{
    const double plus[4] = {1, 0, 1, 1}, zero[4] = {-1, 0, 1, 0};
    (void)p;
    recursion->order = 2;
    cd_copy(4, plus, recursion->plus);
    cd_copy(4, zero, recursion->zero);
}

/* Which of the recursions. */
typedef enum form { INDEX_THREE, STABILISED, NULL_SPACE, ACCELERATION, MIDDLE } form;

static const struct {
    const char *method;
    form which;
    bool fixed; /* the trapezoidal rule's parameters */
} methods[] = {{"ga3", INDEX_THREE, false},        {"ga2s", STABILISED, false},
               {"ga2", STABILISED, false},         {"nonholonomic", STABILISED, false},
               {"ga1", ACCELERATION, false},       {"null", NULL_SPACE, false},
               {"trapezoidal", INDEX_THREE, true}, {"midpoint", MIDDLE, true},
               {"conserving", MIDDLE, true}};
enum { METHODS = sizeof methods / sizeof methods[0] };

/* T_+ of the generalized-alpha methods is triangular up to the order of its rows: B a comes from
 * the first one, S lambda from the last one, and r^B of ga3 from the second. Row i of the product
 * combines rows of T_0. */
static void divide_shuffled(lab_recursion *recursion, form which)
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

static void divide(lab_recursion *recursion, form which)
{
    if (which == ACCELERATION) {
        recursion->matrix[0] = recursion->zero[0] / recursion->plus[0] + 0.0;
    } else if (which == MIDDLE) {
        recursion->matrix[0] = -1.0;
        recursion->matrix[2] = 2.0;
    } else {
        divide_shuffled(recursion, which);
    }
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
    if (which == MIDDLE)
        return 1.0;
    if (which == ACCELERATION)
        return fabs(p->alpha_m / (1.0 - p->alpha_m));
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

static void note_power(lab_recursion *recursion, power_search *search, const double *power,
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

static void search_powers(lab_recursion *recursion, power_search *search)
{
    double power[9] = {0.0};
    double next[9];
    int n = recursion->order;
    cd_copy(n * n, recursion->matrix, power);
    for (int i = 1; i <= MOST_POWERS && !search->settled; i++) {
        double size = lab_power_norm(n, power);
        if (!isfinite(size))
            break;
        note_power(recursion, search, power, size, i);
        lab_power_multiply(n, recursion->matrix, power, next);
        cd_copy(n * n, next, power);
    }
}

/* Powers that still grow after MOST_POWERS steps, or overflow, have no finite maximum. */
static void find_peaks(lab_recursion *recursion)
{
    power_search search = {0};
    recursion->peak_step = 1;
    search_powers(recursion, &search);
    recursion->settled_step = search.settled ? search.last_large + 1 : -1;
    int unbounded = !search.settled && (recursion->normal_radius > 1.0 + 1e-9 ||
                                        recursion->peak > 1.5 * search.first_half);
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

/* X of the Jordan form, if T_+^-1 T_0 has a triple eigenvalue with this X. The paper has 1 - mu^2
 * in the denominator of X_12, with which T X = X J does not hold. */
static void find_jordan(const cardan_params *p, lab_recursion *recursion)
{
    const double mu = -p->alpha_f / (1.0 - p->alpha_f);
    const double x[9] = {0.0,
                         0.5 * (1.0 + mu) / (1.0 - mu),
                         -1.0 / ((1.0 - mu) * (1.0 - mu)),
                         1.0 - mu * mu,
                         -(2.0 + mu),
                         0.0,
                         0.0,
                         1.0,
                         0.0};
    const double j[9] = {mu, 1.0, 0.0, 0.0, mu, 1.0, 0.0, 0.0, mu};
    double left[9], right[9];
    lab_power_multiply(3, recursion->matrix, x, left);
    lab_power_multiply(3, x, j, right);
    for (int i = 0; i < 9; i++)
        if (!(fabs(left[i] - right[i]) <= 1e-12 * cd_max_abs(9, left)))
            return;
    if (!(fabs(x[3]) > 1e-12)) /* rho = 1: X is singular */
        return;
    /* X has the rows (0, b, c), (d, e, 0), (0, 1, 0). */
    const double b = x[1], c = x[2], d = x[3], e = x[4];
    const double inverse[9] = {0.0, 1.0 / d, -e / d, 0.0, 0.0, 1.0, 1.0 / c, 0.0, -b / c};
    recursion->jordan_mu = mu + 0.0;
    cd_copy(9, x, recursion->jordan);
    recursion->jordan_condition = lab_power_norm(3, x) * lab_power_norm(3, inverse);
}

/* T_+, T_0 and C_q of the method; all that can be said even if T_+ is singular. */
static cardan_status set_method(const char *method, cardan_params *p, form *which,
                                lab_recursion *recursion, cardan_error *error)
{
    static void (*const set[])(const cardan_params *, lab_recursion *) = {
        set_index_three, set_stabilised, set_null_space, set_acceleration, set_middle};
    int found = 0;
    while (found < METHODS && strcmp(method, methods[found].method) != 0)
        found++;
    *recursion = (lab_recursion){0};
    if (found == METHODS)
        return cd_fail(error, CARDAN_UNKNOWN_NAME,
                       "no error recursion for method \"%.40s\"; use ga3, ga2s, ga2, ga1, "
                       "nonholonomic, trapezoidal, midpoint or conserving, or null for the null "
                       "space of the mass matrix",
                       method);
    *which = methods[found].which;
    if (methods[found].fixed)
        *p = cardan_params_make(CARDAN_FAMILY_TRAPEZOIDAL, 0.0);
    set[*which](p, recursion);
    recursion->local_error = 1.0 - 6.0 * p->beta - 3.0 * (p->alpha_m - p->alpha_f);
    return CARDAN_OK;
}

static cardan_status check_params(const char *method, const cardan_params *p, form which,
                                  cardan_error *error)
{
    const bool averages = which != NULL_SPACE && which != ACCELERATION;
    if (cd_first_not_finite(4, (double[]){p->alpha_m, p->alpha_f, p->beta, p->gamma}) >= 0)
        return cd_fail(error, CARDAN_BAD_PARAMETERS,
                       "alpha_m, alpha_f, beta and gamma must be finite numbers");
    const char *culprit = NULL;
    if (averages && p->alpha_f == 1.0)
        culprit = "alpha_f = 1";
    else if (which != NULL_SPACE && p->alpha_m == 1.0)
        culprit = "alpha_m = 1";
    else if ((which == INDEX_THREE || which == NULL_SPACE) && p->beta == 0.0)
        culprit = "beta = 0";
    else if (which == STABILISED && p->gamma == 0.0)
        culprit = "gamma = 0";
    if (culprit == NULL)
        return CARDAN_OK;
    return cd_fail(error, CARDAN_BAD_PARAMETERS,
                   "the recursion of %s is singular for %s: accelerations or multipliers are not "
                   "determined, so the method cannot integrate constrained systems with these "
                   "parameters",
                   method, culprit);
}

static void find_radii(const cardan_params *p, form which, lab_recursion *recursion)
{
    const bool tangential = which != NULL_SPACE && which != MIDDLE;
    recursion->normal_radius = spectral_radius(p, which);
    recursion->tangential = tangential ? -p->alpha_m / (1.0 - p->alpha_m) + 0.0 : 0.0;
    recursion->radius = fmax(recursion->normal_radius, fabs(recursion->tangential));
}

cardan_status lab_find_recursion(const char *method, const cardan_params *params,
                                 lab_recursion *recursion, cardan_error *error)
{
    form which = INDEX_THREE;
    if (method == NULL || params == NULL || recursion == NULL)
        return cd_absent(error, "method, its parameters or the recursion");
    cardan_params p = *params;
    cardan_status status = set_method(method, &p, &which, recursion, error);
    if (status == CARDAN_OK)
        status = check_params(method, &p, which, error);
    if (status != CARDAN_OK)
        return status;
    divide(recursion, which);
    find_radii(&p, which, recursion);
    if (which == INDEX_THREE) { /* the triple eigenvalue; the other bounds are not for these */
        const double rho = recursion->normal_radius;
        recursion->jordan_bound = jordan_bound(rho);
        recursion->rule_of_thumb = rho < 1.0 ? 0.9 / (1.0 - pow(rho, 0.25)) : INFINITY;
        find_jordan(&p, recursion);
    }
    find_peaks(recursion);
    return cd_succeed(error);
}
