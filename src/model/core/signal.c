/* Signals, functions of time: values with two exact derivatives, the times at which they jump, and
 * the longest steps that do not miss a feature of them. */
#include "signal.h"
#include "base/error.h"
#include "base/numeric.h"

#include <cardan/model.h>

#include <stdbool.h>

enum { COOKIE = 0x51671a15 };

struct cd_signal {
    cardan_signal_def def;    /* its lists are copies; `terms` is NULL */
    double rate;              /* 2 pi frequency */
    const double *curvatures; /* of a spline: f'' at the points */
    const cd_signal **terms;  /* of a sum or product */
    /* Of a sum or product: all sums and products in it, at any depth, ascending by number; itself
     * is the last. Each is evaluated once, however often it is a term. */
    const cd_signal **composites;
    int composite_count;
    int number; /* its number in the model */
};

enum { MOST_COMPOSITES = 1000 }; /* in one signal; their values are on the stack */

cardan_signal_def cardan_signal_def_default(void)
{
    return (cardan_signal_def){.cookie = COOKIE, .type = CARDAN_SIGNAL_CONSTANT, .end = INFINITY};
}

static void evaluate_ramp(const cd_signal *s, double t, double f[3])
{
    const bool inside = t >= s->def.start && t < s->def.end;
    f[0] =
        s->def.value + s->def.slope * (t < s->def.start ? 0.0 : fmin(t, s->def.end) - s->def.start);
    f[1] = inside ? s->def.slope : 0.0;
}

/* A step x^3 (10 - 15 x + 6 x^2), scaled: f' and f'' vanish at both ends. */
static void evaluate_smooth_step(const cd_signal *s, double t, double f[3])
{
    const double width = s->def.end - s->def.start, height = s->def.end_value - s->def.value;
    const double x = fmin(fmax((t - s->def.start) / width, 0.0), 1.0), y = 1.0 - x;
    f[0] = s->def.value + height * x * x * x * (10.0 + x * (-15.0 + 6.0 * x));
    f[1] = height / width * 30.0 * x * x * y * y;
    f[2] = height / (width * width) * 60.0 * x * y * (y - x);
}

static void evaluate_harmonic(const cd_signal *s, double t, double f[3])
{
    const double angle = s->rate * t + s->def.phase;
    f[0] = s->def.value + s->def.amplitude * sin(angle);
    f[1] = s->def.amplitude * s->rate * cos(angle);
    f[2] = -s->def.amplitude * s->rate * s->rate * sin(angle);
}

static void evaluate_polynomial(const cd_signal *s, double t, double f[3])
{
    for (int i = s->def.count - 1; i >= 0; i--) {
        f[2] = f[2] * t + 2.0 * f[1];
        f[1] = f[1] * t + f[0];
        f[0] = f[0] * t + s->def.coefficients[i];
    }
}

/* The interval i with times[i] <= t < times[i + 1], given that t lies inside of the table. */
static int find_interval(const cd_signal *s, double t)
{
    int low = 0, high = s->def.count - 1;
    while (high - low > 1) {
        const int middle = low + (high - low) / 2;
        if (t < s->def.times[middle])
            high = middle;
        else
            low = middle;
    }
    return low;
}

/* Writes f before or after a table, where it is constant; false if t is inside. */
static bool evaluate_outside(const cd_signal *s, double t, double f[3])
{
    if (t >= s->def.times[0] && t < s->def.times[s->def.count - 1])
        return false;
    f[0] = s->def.values[t < s->def.times[0] ? 0 : s->def.count - 1];
    return true;
}

static void evaluate_table(const cd_signal *s, double t, double f[3])
{
    if (evaluate_outside(s, t, f))
        return;
    const int i = find_interval(s, t);
    f[1] = (s->def.values[i + 1] - s->def.values[i]) / (s->def.times[i + 1] - s->def.times[i]);
    f[0] = s->def.values[i] + f[1] * (t - s->def.times[i]);
}

/* A cubic spline. With a and b, the fractions of the interval after and before t:
 * f = a y_i + b y_(i+1) + h^2/6 ((a^3 - a) y''_i + (b^3 - b) y''_(i+1)) */
static void evaluate_spline(const cd_signal *s, double t, double f[3])
{
    if (evaluate_outside(s, t, f))
        return;
    const int i = find_interval(s, t);
    const double h = s->def.times[i + 1] - s->def.times[i];
    const double b = (t - s->def.times[i]) / h, a = 1.0 - b;
    const double *y = s->def.values + i, *c = s->curvatures + i;
    f[0] =
        a * y[0] + b * y[1] + h * h / 6.0 * (a * (a * a - 1.0) * c[0] + b * (b * b - 1.0) * c[1]);
    f[1] = (y[1] - y[0]) / h + h / 6.0 * ((1.0 - 3.0 * a * a) * c[0] + (3.0 * b * b - 1.0) * c[1]);
    f[2] = a * c[0] + b * c[1];
}

static bool has_terms(const cd_signal *s)
{
    return s->def.type == CARDAN_SIGNAL_SUM || s->def.type == CARDAN_SIGNAL_PRODUCT;
}

/* Evaluates a signal that is not a sum or product. */
static void evaluate_basic(const cd_signal *s, double t, double f[3])
{
    static void (*const kinds[])(const cd_signal *, double,
                                 double[3]) = {[CARDAN_SIGNAL_RAMP] = evaluate_ramp,
                                               [CARDAN_SIGNAL_SMOOTH_STEP] = evaluate_smooth_step,
                                               [CARDAN_SIGNAL_HARMONIC] = evaluate_harmonic,
                                               [CARDAN_SIGNAL_POLYNOMIAL] = evaluate_polynomial,
                                               [CARDAN_SIGNAL_TABLE] = evaluate_table,
                                               [CARDAN_SIGNAL_SPLINE] = evaluate_spline};
    f[0] = f[1] = f[2] = 0.0;
    if (s->def.type == CARDAN_SIGNAL_CONSTANT)
        f[0] = s->def.value;
    else
        kinds[s->def.type](s, t, f);
}

/* The index of the first composite whose number is not below that of `composite`. */
static int find_composite(const cd_signal *const *composites, int count, const cd_signal *composite)
{
    int low = 0;
    while (count > 0) {
        const int half = count / 2;
        if (composites[low + half]->number < composite->number) {
            low += half + 1;
            count -= half + 1;
        } else {
            count = half;
        }
    }
    return low;
}

/* f *= g, with the first and second derivatives. */
static void multiply_derivatives(const double g[3], double f[3])
{
    f[2] = f[2] * g[0] + 2.0 * f[1] * g[1] + f[0] * g[2];
    f[1] = f[1] * g[0] + f[0] * g[1];
    f[0] *= g[0];
}

void cd_signal_at(const cd_signal *signal, double t, double f[3])
{
    double values[MOST_COMPOSITES][3];
    if (!has_terms(signal)) {
        evaluate_basic(signal, t, f);
        return;
    }
    for (int p = 0; p < signal->composite_count; p++) {
        const cd_signal *composite = signal->composites[p];
        const bool product = composite->def.type == CARDAN_SIGNAL_PRODUCT;
        double *value = values[p];
        value[0] = product ? 1.0 : 0.0;
        value[1] = value[2] = 0.0;
        for (int i = 0; i < composite->def.count; i++) {
            double own[3];
            const double *term = own;
            if (has_terms(composite->terms[i]))
                term = values[find_composite(signal->composites, p, composite->terms[i])];
            else
                evaluate_basic(composite->terms[i], t, own);
            if (product)
                multiply_derivatives(term, value);
            else
                cd_add(3, 1.0, term, value);
        }
    }
    cd_copy(3, values[signal->composite_count - 1], f);
}

/* ---- breakpoints ---- */

/* The first of ascending times after t. */
static double first_after(const double *times, int count, double t)
{
    for (int i = 0; i < count; i++)
        if (times[i] > t)
            return times[i];
    return INFINITY;
}

/* The next time at which the slope of a table (at its points) or of a spline (its ends) jumps. */
static double next_breakpoint_in_table(const cd_signal *s, double t)
{
    const double ends[2] = {s->def.times[0], s->def.times[s->def.count - 1]};
    if (s->def.type == CARDAN_SIGNAL_SPLINE || t < ends[0] || t >= ends[1])
        return first_after(ends, 2, t);
    return s->def.times[find_interval(s, t) + 1];
}

/* The least `value` of the signals in a sum or product that are not composites themselves. */
static double least_over_terms(const cd_signal *signal, double t,
                               double (*value)(const cd_signal *, double))
{
    double least = INFINITY;
    for (int p = 0; p < signal->composite_count; p++)
        for (int i = 0; i < signal->composites[p]->def.count; i++) {
            const cd_signal *term = signal->composites[p]->terms[i];
            if (!has_terms(term))
                least = fmin(least, value(term, t));
        }
    return least;
}

double cd_signal_next_breakpoint(const cd_signal *signal, double t)
{
    const double ends[2] = {signal->def.start, signal->def.end};
    switch (signal->def.type) {
    case CARDAN_SIGNAL_RAMP:
    case CARDAN_SIGNAL_SMOOTH_STEP:
        return first_after(ends, 2, t);
    case CARDAN_SIGNAL_TABLE:
    case CARDAN_SIGNAL_SPLINE:
        return next_breakpoint_in_table(signal, t);
    case CARDAN_SIGNAL_SUM:
    case CARDAN_SIGNAL_PRODUCT:
        return least_over_terms(signal, t, cd_signal_next_breakpoint);
    default:
        return INFINITY;
    }
}

/* ---- time scales ---- */

/* The fraction of a period or of a smooth step that one step may take. Steps of half a period miss
 * a wave at some phases. docs/methods/adaptive.md has the measurements. */
static const double fraction_of_scale = 0.25;

/* The length of a spline's interval, or the time to the end of a shorter one within that time. */
static double longest_step_in_spline(const cd_signal *s, double t)
{
    double longest = INFINITY;
    if (t < s->def.times[0] || t >= s->def.times[s->def.count - 1])
        return INFINITY; /* the ends are breakpoints */
    for (int i = find_interval(s, t); i < s->def.count - 1 && s->def.times[i] < t + longest; i++)
        longest =
            fmin(longest, fmax(s->def.times[i] - t, 0.0) + s->def.times[i + 1] - s->def.times[i]);
    return longest;
}

static double longest_step_in_smooth_step(const cd_signal *s, double t)
{
    if (s->def.end_value == s->def.value || t >= s->def.end)
        return INFINITY;
    return fmax(s->def.start - t, 0.0) + fraction_of_scale * (s->def.end - s->def.start);
}

double cd_signal_longest_step(const cd_signal *signal, double t)
{
    switch (signal->def.type) {
    case CARDAN_SIGNAL_SMOOTH_STEP:
        return longest_step_in_smooth_step(signal, t);
    case CARDAN_SIGNAL_HARMONIC:
        return signal->def.amplitude != 0.0 ? fraction_of_scale * cd_two_pi / fabs(signal->rate)
                                            : INFINITY;
    case CARDAN_SIGNAL_SPLINE:
        return longest_step_in_spline(signal, t);
    case CARDAN_SIGNAL_SUM:
    case CARDAN_SIGNAL_PRODUCT:
        return least_over_terms(signal, t, cd_signal_longest_step);
    default: /* constant, or straight up to the next breakpoint; a polynomial has no scale of its
                own */
        return INFINITY;
    }
}

/* ---- making ---- */

static cardan_status check_numbers(const cardan_signal_def *def, cardan_error *error)
{
    const double numbers[] = {def->value,     def->slope,     def->start, def->end_value,
                              def->amplitude, def->frequency, def->phase};
    if (cd_first_not_finite((int)(sizeof numbers / sizeof *numbers), numbers) >= 0 ||
        isnan(def->end))
        return cd_invalid(error, "a signal has a number that is not finite");
    if (def->type == CARDAN_SIGNAL_RAMP && !(def->end >= def->start))
        return cd_invalid(error, "a ramp ends at t = %g, before its start at %g", def->end,
                          def->start);
    if (def->type == CARDAN_SIGNAL_SMOOTH_STEP && !(def->end > def->start && isfinite(def->end)))
        return cd_invalid(
            error,
            "a smooth step from t = %g to %g: the end must be finite and later than the start",
            def->start, def->end);
    return CARDAN_OK;
}

static cardan_status check_list(const char *what, const double *list, int count, int least,
                                cardan_error *error)
{
    if (list == NULL || count < least)
        return cd_invalid(error, "a signal needs at least %d %s; %d are given", least, what,
                          list == NULL || count < 0 ? 0 : count);
    const int bad = cd_first_not_finite(count, list);
    if (bad >= 0)
        return cd_invalid(error, "number %d of a signal's %s is not finite", bad + 1, what);
    return CARDAN_OK;
}

static cardan_status check_table(const cardan_signal_def *def, cardan_error *error)
{
    cardan_status status = check_list("times", def->times, def->count, 2, error);
    if (status == CARDAN_OK)
        status = check_list("values", def->values, def->count, 2, error);
    for (int i = 1; status == CARDAN_OK && i < def->count; i++)
        if (!(def->times[i] > def->times[i - 1]))
            status = cd_invalid(error, "times of a table must increase: time %d is %g after %g",
                                i + 1, def->times[i], def->times[i - 1]);
    return status;
}

/* Checks that the terms of a sum or product are among the `known` signals made before. */
static cardan_status check_terms(const cardan_signal_def *def, int known, cardan_error *error)
{
    if (def->terms == NULL || def->count < 1)
        return cd_invalid(error, "a sum or product of signals needs at least one term");
    for (int i = 0; i < def->count; i++)
        if (def->terms[i] < 0 || def->terms[i] >= known)
            return cd_invalid(error,
                              "term %d of a sum or product is signal %d, but only signals 0 to %d "
                              "are there: add the terms first (a signal cannot contain itself)",
                              i + 1, def->terms[i], known - 1);
    return CARDAN_OK;
}

static cardan_status check_definition(const cardan_signal_def *def, int known, cardan_error *error)
{
    if (def->cookie != COOKIE)
        return cd_fail(error, CARDAN_UNINITIALISED,
                       "the signal definition was not made by cardan_signal_def_default()");
    cardan_status status = check_numbers(def, error);
    if (status != CARDAN_OK)
        return status;
    switch (def->type) {
    case CARDAN_SIGNAL_CONSTANT:
    case CARDAN_SIGNAL_RAMP:
    case CARDAN_SIGNAL_SMOOTH_STEP:
    case CARDAN_SIGNAL_HARMONIC:
        return CARDAN_OK;
    case CARDAN_SIGNAL_POLYNOMIAL:
        return check_list("coefficients", def->coefficients, def->count, 1, error);
    case CARDAN_SIGNAL_TABLE:
    case CARDAN_SIGNAL_SPLINE:
        return check_table(def, error);
    case CARDAN_SIGNAL_SUM:
    case CARDAN_SIGNAL_PRODUCT:
        return check_terms(def, known, error);
    }
    return cd_invalid(error, "%d is no type of a signal", (int)def->type);
}

static const double *copy_numbers(cd_arena *arena, const double *list, int count)
{
    double *copy = cd_arena_doubles(arena, count);
    if (copy != NULL)
        cd_copy(count, list, copy);
    return copy;
}

/* f'' of a spline at its points, from a tridiagonal system: 0 at both ends, continuous slopes. */
static const double *spline_curvatures(cd_arena *arena, int n, const double *x, const double *y)
{
    double *c = cd_arena_doubles(arena, n), *factor = cd_arena_doubles(arena, n);
    if (c == NULL || factor == NULL)
        return NULL;
    for (int i = 1; i < n - 1; i++) {
        const double before = x[i] - x[i - 1], after = x[i + 1] - x[i];
        const double jump = (y[i + 1] - y[i]) / after - (y[i] - y[i - 1]) / before;
        const double pivot = 2.0 * (before + after) - before * factor[i - 1];
        factor[i] = after / pivot;
        c[i] = (6.0 * jump - before * c[i - 1]) / pivot;
    }
    for (int i = n - 2; i > 0; i--)
        c[i] -= factor[i] * c[i + 1];
    return c;
}

/* Inserts a signal into the sorted list unless it is there; false if the list is full. */
static bool add_composite(const cd_signal **composites, int *count, const cd_signal *composite)
{
    const int position = find_composite(composites, *count, composite);
    if (position < *count && composites[position] == composite)
        return true;
    if (*count == MOST_COMPOSITES)
        return false;
    for (int i = *count; i > position; i--)
        composites[i] = composites[i - 1];
    composites[position] = composite;
    ++*count;
    return true;
}

/* Fills s->composites from the composites of its terms. */
static cardan_status list_composites(cd_arena *arena, cd_signal *s, cardan_error *error)
{
    const cd_signal *composites[MOST_COMPOSITES];
    int count = 0;
    bool fits = true;
    for (int i = 0; fits && i < s->def.count; i++)
        for (int p = 0; fits && p < s->terms[i]->composite_count; p++)
            fits = add_composite(composites, &count, s->terms[i]->composites[p]);
    if (!fits || !add_composite(composites, &count, s))
        return cd_invalid(error,
                          "a signal is made of more than %d sums and products; put terms together "
                          "in fewer of them, or give a table",
                          MOST_COMPOSITES);
    s->composites = cd_arena_take(arena, (size_t)count * sizeof(const cd_signal *));
    for (int i = 0; s->composites != NULL && i < count; i++)
        s->composites[i] = composites[i];
    s->composite_count = count;
    return CARDAN_OK;
}

/* Replaces the lists in the definition of `s` by copies, and resolves its terms. */
static void copy_lists(cd_arena *arena, const cd_signal *const *others, cd_signal *s)
{
    cardan_signal_def *def = &s->def;
    const int *terms = def->terms;
    def->terms = NULL;
    if (def->type == CARDAN_SIGNAL_POLYNOMIAL)
        def->coefficients = copy_numbers(arena, def->coefficients, def->count);
    if (def->type == CARDAN_SIGNAL_TABLE || def->type == CARDAN_SIGNAL_SPLINE) {
        def->times = copy_numbers(arena, def->times, def->count);
        def->values = copy_numbers(arena, def->values, def->count);
    }
    if (def->type == CARDAN_SIGNAL_SPLINE && !arena->failed)
        s->curvatures = spline_curvatures(arena, def->count, def->times, def->values);
    if (has_terms(s)) {
        s->terms = cd_arena_take(arena, (size_t)def->count * sizeof(const cd_signal *));
        for (int i = 0; s->terms != NULL && i < def->count; i++)
            s->terms[i] = others[terms[i]];
    }
}

cardan_status cd_signal_make(cd_arena *arena, const cardan_signal_def *def,
                             const cd_signal *const *others, int count, const cd_signal **signal,
                             cardan_error *error)
{
    cardan_status status = check_definition(def, count, error);
    if (status != CARDAN_OK)
        return status;
    cd_signal *s = cd_arena_take(arena, sizeof *s);
    if (s == NULL)
        return cd_fail(error, CARDAN_OUT_OF_MEMORY, "no memory for a signal");
    *s = (cd_signal){.def = *def, .rate = cd_two_pi * def->frequency, .number = count};
    copy_lists(arena, others, s);
    if (!arena->failed && s->terms != NULL)
        status = list_composites(arena, s, error);
    if (status != CARDAN_OK)
        return status;
    if (arena->failed)
        return cd_fail(error, CARDAN_OUT_OF_MEMORY, "no memory for a signal");
    *signal = s;
    return cd_succeed(error);
}
