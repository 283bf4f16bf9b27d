/* Functions of time: values with two exact derivatives, and the times at which they jump. */
#include "signal.h"
#include "base/error.h"
#include "base/numeric.h"

#include <cardan/model.h>

#include <stdbool.h>

enum { COOKIE = 0x51671a15 };

struct cd_signal {
    cardan_signal_def def;    /* with lists of its own, but without `terms` */
    double rate;              /* 2 pi frequency */
    const double *curvatures; /* spline: f'' at the points */
    const cd_signal **terms;  /* of a sum or product */
    /* Of a sum or product: all sums and products that it is made of, each once and after its own
     * terms, itself the last. However often one is a term, it is evaluated once. */
    const cd_signal **parts;
    int part_count;
    int number; /* among the signals made before and after it */
};

enum { MOST_PARTS = 1000 }; /* their values are on the stack */

cardan_signal_def cardan_signal_def_default(void)
{
    return (cardan_signal_def){.cookie = COOKIE, .type = CARDAN_SIGNAL_CONSTANT, .end = INFINITY};
}

/* ---- values ---- */

static void ramp(const cd_signal *s, double t, double f[3])
{
    const bool inside = t >= s->def.start && t < s->def.end;
    f[0] =
        s->def.value + s->def.slope * (t < s->def.start ? 0.0 : fmin(t, s->def.end) - s->def.start);
    f[1] = inside ? s->def.slope : 0.0;
}

/* x^3 (10 - 15 x + 6 x^2): f' and f'' vanish at both ends. */
static void smooth_step(const cd_signal *s, double t, double f[3])
{
    const double width = s->def.end - s->def.start, height = s->def.end_value - s->def.value;
    const double x = fmin(fmax((t - s->def.start) / width, 0.0), 1.0), y = 1.0 - x;
    f[0] = s->def.value + height * x * x * x * (10.0 + x * (-15.0 + 6.0 * x));
    f[1] = height / width * 30.0 * x * x * y * y;
    f[2] = height / (width * width) * 60.0 * x * y * (y - x);
}

static void harmonic(const cd_signal *s, double t, double f[3])
{
    const double angle = s->rate * t + s->def.phase;
    f[0] = s->def.value + s->def.amplitude * sin(angle);
    f[1] = s->def.amplitude * s->rate * cos(angle);
    f[2] = -s->def.amplitude * s->rate * s->rate * sin(angle);
}

static void polynomial(const cd_signal *s, double t, double f[3])
{
    for (int i = s->def.count - 1; i >= 0; i--) {
        f[2] = f[2] * t + 2.0 * f[1];
        f[1] = f[1] * t + f[0];
        f[0] = f[0] * t + s->def.coefficients[i];
    }
}

/* The interval i with times[i] <= t < times[i + 1], given that t lies inside of the table. */
static int interval(const cd_signal *s, double t)
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

static bool outside(const cd_signal *s, double t, double f[3])
{
    if (t >= s->def.times[0] && t < s->def.times[s->def.count - 1])
        return false;
    f[0] = s->def.values[t < s->def.times[0] ? 0 : s->def.count - 1];
    return true;
}

static void table(const cd_signal *s, double t, double f[3])
{
    if (outside(s, t, f))
        return;
    const int i = interval(s, t);
    f[1] = (s->def.values[i + 1] - s->def.values[i]) / (s->def.times[i + 1] - s->def.times[i]);
    f[0] = s->def.values[i] + f[1] * (t - s->def.times[i]);
}

/* With a, b the parts of the interval after and before t:
 * f = a y_i + b y_(i+1) + h^2/6 ((a^3 - a) y''_i + (b^3 - b) y''_(i+1)) */
static void spline(const cd_signal *s, double t, double f[3])
{
    if (outside(s, t, f))
        return;
    const int i = interval(s, t);
    const double h = s->def.times[i + 1] - s->def.times[i];
    const double b = (t - s->def.times[i]) / h, a = 1.0 - b;
    const double *y = s->def.values + i, *c = s->curvatures + i;
    f[0] =
        a * y[0] + b * y[1] + h * h / 6.0 * (a * (a * a - 1.0) * c[0] + b * (b * b - 1.0) * c[1]);
    f[1] = (y[1] - y[0]) / h + h / 6.0 * ((1.0 - 3.0 * a * a) * c[0] + (3.0 * b * b - 1.0) * c[1]);
    f[2] = a * c[0] + b * c[1];
}

static bool is_made_of_terms(const cd_signal *s)
{
    return s->def.type == CARDAN_SIGNAL_SUM || s->def.type == CARDAN_SIGNAL_PRODUCT;
}

static void plain_at(const cd_signal *s, double t, double f[3])
{
    static void (*const kinds[])(const cd_signal *, double, double[3]) = {
        [CARDAN_SIGNAL_RAMP] = ramp,         [CARDAN_SIGNAL_SMOOTH_STEP] = smooth_step,
        [CARDAN_SIGNAL_HARMONIC] = harmonic, [CARDAN_SIGNAL_POLYNOMIAL] = polynomial,
        [CARDAN_SIGNAL_TABLE] = table,       [CARDAN_SIGNAL_SPLINE] = spline};
    f[0] = f[1] = f[2] = 0.0;
    if (s->def.type == CARDAN_SIGNAL_CONSTANT)
        f[0] = s->def.value;
    else
        kinds[s->def.type](s, t, f);
}

/* The place of a part: they are in the order of their numbers. */
static int place_of(const cd_signal *const *parts, int count, const cd_signal *part)
{
    int low = 0;
    while (count > 0) {
        const int half = count / 2;
        if (parts[low + half]->number < part->number) {
            low += half + 1;
            count -= half + 1;
        } else {
            count = half;
        }
    }
    return low;
}

static void multiply(const double g[3], double f[3])
{
    f[2] = f[2] * g[0] + 2.0 * f[1] * g[1] + f[0] * g[2];
    f[1] = f[1] * g[0] + f[0] * g[1];
    f[0] *= g[0];
}

void cd_signal_at(const cd_signal *signal, double t, double f[3])
{
    double values[MOST_PARTS][3];
    if (!is_made_of_terms(signal)) {
        plain_at(signal, t, f);
        return;
    }
    for (int p = 0; p < signal->part_count; p++) {
        const cd_signal *part = signal->parts[p];
        const bool product = part->def.type == CARDAN_SIGNAL_PRODUCT;
        double *value = values[p];
        value[0] = product ? 1.0 : 0.0;
        value[1] = value[2] = 0.0;
        for (int i = 0; i < part->def.count; i++) {
            double own[3];
            const double *term = own;
            if (is_made_of_terms(part->terms[i]))
                term = values[place_of(signal->parts, p, part->terms[i])];
            else
                plain_at(part->terms[i], t, own);
            if (product)
                multiply(term, value);
            else
                cd_add(3, 1.0, term, value);
        }
    }
    cd_copy(3, values[signal->part_count - 1], f);
}

/* ---- breakpoints ---- */

static double next_of(const double *times, int count, double t)
{
    for (int i = 0; i < count; i++)
        if (times[i] > t)
            return times[i];
    return INFINITY;
}

/* A table's slope jumps at every point; the spline's only at its ends (it is constant outside). */
static double next_in_table(const cd_signal *s, double t)
{
    const double ends[2] = {s->def.times[0], s->def.times[s->def.count - 1]};
    if (s->def.type == CARDAN_SIGNAL_SPLINE || t < ends[0] || t >= ends[1])
        return next_of(ends, 2, t);
    return s->def.times[interval(s, t) + 1];
}

/* The least that one of the plain signals gives which a sum or product is made of. */
static double least_of_terms(const cd_signal *signal, double t,
                             double (*value)(const cd_signal *, double))
{
    double least = INFINITY;
    for (int p = 0; p < signal->part_count; p++)
        for (int i = 0; i < signal->parts[p]->def.count; i++) {
            const cd_signal *term = signal->parts[p]->terms[i];
            if (!is_made_of_terms(term))
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
        return next_of(ends, 2, t);
    case CARDAN_SIGNAL_TABLE:
    case CARDAN_SIGNAL_SPLINE:
        return next_in_table(signal, t);
    case CARDAN_SIGNAL_SUM:
    case CARDAN_SIGNAL_PRODUCT:
        return least_of_terms(signal, t, cd_signal_next_breakpoint);
    default:
        return INFINITY;
    }
}

/* ---- time scales ---- */

/* The part of a period or of a smooth step that one step may take: half of a period would see
 * nothing of a wave at some phase. docs/methods/adaptive.md has what was measured. */
static const double part_of_scale = 0.25;

/* An interval of a spline, a cubic, cannot hide between its ends. Later ones count as well if they
 * are shorter; those that begin beyond the step do not. */
static double step_in_spline(const cd_signal *s, double t)
{
    double longest = INFINITY;
    if (t < s->def.times[0] || t >= s->def.times[s->def.count - 1])
        return INFINITY; /* the ends are breakpoints */
    for (int i = interval(s, t); i < s->def.count - 1 && s->def.times[i] < t + longest; i++)
        longest =
            fmin(longest, fmax(s->def.times[i] - t, 0.0) + s->def.times[i + 1] - s->def.times[i]);
    return longest;
}

static double step_in_smooth_step(const cd_signal *s, double t)
{
    if (s->def.end_value == s->def.value || t >= s->def.end)
        return INFINITY;
    return fmax(s->def.start - t, 0.0) + part_of_scale * (s->def.end - s->def.start);
}

double cd_signal_longest_step(const cd_signal *signal, double t)
{
    switch (signal->def.type) {
    case CARDAN_SIGNAL_SMOOTH_STEP:
        return step_in_smooth_step(signal, t);
    case CARDAN_SIGNAL_HARMONIC:
        return signal->def.amplitude != 0.0 ? part_of_scale * cd_two_pi / fabs(signal->rate)
                                            : INFINITY;
    case CARDAN_SIGNAL_SPLINE:
        return step_in_spline(signal, t);
    case CARDAN_SIGNAL_SUM:
    case CARDAN_SIGNAL_PRODUCT:
        return least_of_terms(signal, t, cd_signal_longest_step);
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

static cardan_status check(const cardan_signal_def *def, int known, cardan_error *error)
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

static const double *copied(cd_arena *arena, const double *list, int count)
{
    double *copy = cd_arena_doubles(arena, count);
    if (copy != NULL)
        cd_copy(count, list, copy);
    return copy;
}

/* f'' at the points: zero at both ends, and continuous slopes in between, a tridiagonal system
 * solved by elimination from the left; `factor` keeps what is to be substituted back. */
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

/* Puts a signal among the parts, once; false: there are too many. */
static bool add_part(const cd_signal **parts, int *count, const cd_signal *part)
{
    const int place = place_of(parts, *count, part);
    if (place < *count && parts[place] == part)
        return true;
    if (*count == MOST_PARTS)
        return false;
    for (int i = *count; i > place; i--)
        parts[i] = parts[i - 1];
    parts[place] = part;
    ++*count;
    return true;
}

static cardan_status list_parts(cd_arena *arena, cd_signal *s, cardan_error *error)
{
    const cd_signal *parts[MOST_PARTS];
    int count = 0;
    bool fits = true;
    for (int i = 0; fits && i < s->def.count; i++)
        for (int p = 0; fits && p < s->terms[i]->part_count; p++)
            fits = add_part(parts, &count, s->terms[i]->parts[p]);
    if (!fits || !add_part(parts, &count, s))
        return cd_invalid(error,
                          "a signal is made of more than %d sums and products; put terms together "
                          "in fewer of them, or give a table",
                          MOST_PARTS);
    s->parts = cd_arena_take(arena, (size_t)count * sizeof(const cd_signal *));
    for (int i = 0; s->parts != NULL && i < count; i++)
        s->parts[i] = parts[i];
    s->part_count = count;
    return CARDAN_OK;
}

/* Fills in `s`, which has the definition, with lists of its own. */
static void copy_lists(cd_arena *arena, const cd_signal *const *others, cd_signal *s)
{
    cardan_signal_def *def = &s->def;
    const int *terms = def->terms;
    def->terms = NULL;
    if (def->type == CARDAN_SIGNAL_POLYNOMIAL)
        def->coefficients = copied(arena, def->coefficients, def->count);
    if (def->type == CARDAN_SIGNAL_TABLE || def->type == CARDAN_SIGNAL_SPLINE) {
        def->times = copied(arena, def->times, def->count);
        def->values = copied(arena, def->values, def->count);
    }
    if (def->type == CARDAN_SIGNAL_SPLINE && !arena->failed)
        s->curvatures = spline_curvatures(arena, def->count, def->times, def->values);
    if (is_made_of_terms(s)) {
        s->terms = cd_arena_take(arena, (size_t)def->count * sizeof(const cd_signal *));
        for (int i = 0; s->terms != NULL && i < def->count; i++)
            s->terms[i] = others[terms[i]];
    }
}

cardan_status cd_signal_make(cd_arena *arena, const cardan_signal_def *def,
                             const cd_signal *const *others, int count, const cd_signal **signal,
                             cardan_error *error)
{
    cardan_status status = check(def, count, error);
    if (status != CARDAN_OK)
        return status;
    cd_signal *s = cd_arena_take(arena, sizeof *s);
    if (s == NULL)
        return cd_fail(error, CARDAN_OUT_OF_MEMORY, "no memory for a signal");
    *s = (cd_signal){.def = *def, .rate = cd_two_pi * def->frequency, .number = count};
    copy_lists(arena, others, s);
    if (!arena->failed && s->terms != NULL)
        status = list_parts(arena, s, error);
    if (status != CARDAN_OK)
        return status;
    if (arena->failed)
        return cd_fail(error, CARDAN_OUT_OF_MEMORY, "no memory for a signal");
    *signal = s;
    return cd_succeed(error);
}
