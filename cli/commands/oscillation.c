/* How far a value is from the line and from the parabola through those before it, in units in which
 * an oscillation from step to step with amplitude a gives a for both, on steps of any sizes: sums
 * of the sizes of the weights (4 and 8 for equal steps). With a period of P equal steps they are
 * a s^2 and a s^3, s = sin(pi / P): their ratio tells P, and the second tells a, whatever smooth
 * curve lies below. Medians over a window do not see jumps and single peaks, which make three or
 * four large values. Spurious oscillations change their sign with every step, or nearly so where
 * the direction of a force turns quickly; what steps resolve has P > 6. */
#include "oscillation.h"
#include "cli/setup/options.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { WINDOW = 11, BEFORE = 3 };
static const double worth_telling = 0.01, least_part = 1e-8;
static const double quick = 0.75; /* sin(pi / P) of P = 3.7 steps */

typedef struct watched {
    int column, group;
    double before[BEFORE];                /* the last values, the newest first */
    double second[WINDOW], third[WINDOW]; /* distances from lines and parabolas */
    bool goes_on;                         /* it oscillates now */
    double since, amplitude, begin, end;  /* of the present stretch; of the worst */
} watched;

typedef struct oscillation {
    watched *list;
    int count;
    double *peak; /* of each group */
    int groups;
    double t[WINDOW];                      /* of the last rows */
    double line[BEFORE], parabola[BEFORE]; /* weights of the values before the present row */
    double last_t;
    long long rows;
} oscillation;

static bool is_multiplier(const cli_column *column)
{
    return column->kind == CLI_COLUMN_MULTIPLIER &&
           (strncmp(column->name, "lambda", 6) == 0 || strncmp(column->name, "psi", 3) == 0);
}

static bool is_force(const cli_column *column)
{
    return column->kind == CLI_COLUMN_JOINT &&
           (strcmp(column->quantity, "force") == 0 || strcmp(column->quantity, "torque") == 0);
}

/* Components of one force, and multipliers with the same letter, belong together. */
static bool same_group(const cli_column *a, const cli_column *b)
{
    if (a->kind != b->kind || strcmp(a->owner, b->owner) != 0)
        return false;
    if (a->kind == CLI_COLUMN_JOINT)
        return strcmp(a->quantity, b->quantity) == 0;
    return a->name[0] == b->name[0];
}

static oscillation *create_watch(const cli_result *result)
{
    oscillation *watch = cli_allocate(1, sizeof *watch);
    watch->list = cli_allocate((size_t)result->column_count + 1, sizeof *watch->list);
    watch->peak = cli_allocate((size_t)result->column_count + 1, sizeof *watch->peak);
    for (int i = 0; i < result->column_count; i++) {
        const cli_column *column = &result->columns[i];
        if (!is_multiplier(column) && !is_force(column))
            continue;
        const bool follows =
            watch->count > 0 &&
            same_group(&result->columns[watch->list[watch->count - 1].column], column);
        watch->groups += !follows;
        watch->list[watch->count++] = (watched){.column = i, .group = watch->groups - 1};
    }
    return watch;
}

static void destroy_watch(oscillation *watch)
{
    if (watch == NULL)
        return;
    free(watch->list);
    free(watch->peak);
    free(watch);
}

static int by_size(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static double median(const double *values)
{
    double sorted[WINDOW];
    memcpy(sorted, values, sizeof sorted);
    qsort(sorted, WINDOW, sizeof *sorted, by_size);
    return sorted[WINDOW / 2];
}

/* Judges the window that ends with this row; `least` is an amplitude not worth looking at. */
static void judge(watched *it, double t, double oldest, double least)
{
    const double amplitude = median(it->third);
    const bool found = amplitude > least && amplitude > quick * median(it->second);
    if (found && !it->goes_on)
        it->since = oldest;
    it->goes_on = found;
    if (!found)
        return;
    if (amplitude > it->amplitude) {
        it->amplitude = amplitude;
        it->begin = it->since;
    }
    if (it->begin == it->since)
        it->end = t;
}

/* Lagrange's weights at t of the last `count` rows, the newest first. */
static void extrapolate(const oscillation *watch, double t, int count, double *weights)
{
    double at[BEFORE];
    for (int i = 0; i < count; i++)
        at[i] = watch->t[(watch->rows - 1 - i + WINDOW) % WINDOW];
    for (int i = 0; i < BEFORE; i++)
        weights[i] = i < count;
    for (int i = 0; i < count; i++)
        for (int k = 0; k < count; k++)
            if (k != i)
                weights[i] *= (t - at[k]) / (at[i] - at[k]);
}

static double distance(double value, const double *before, const double *weights)
{
    double sum = 1.0;
    for (int i = 0; i < BEFORE; i++) {
        value -= weights[i] * before[i];
        sum += fabs(weights[i]);
    }
    return fabs(value) / sum;
}

static void take_value(oscillation *watch, watched *it, double value, double t)
{
    const long long slot = watch->rows % WINDOW;
    const double least = 0.5 * worth_telling * watch->peak[it->group];
    it->second[slot] = distance(value, it->before, watch->line);
    it->third[slot] = distance(value, it->before, watch->parabola);
    if (it->third[slot] < least && !it->goes_on)
        return;
    if (watch->rows >= BEFORE + WINDOW)
        judge(it, t, watch->t[(slot + 1) % WINDOW], least);
}

static void restart_watch(oscillation *watch)
{
    watch->rows = 0;
    for (int i = 0; i < watch->count; i++)
        watch->list[i].goes_on = false;
}

static void feed(oscillation *watch, const double *row)
{
    const double t = row[0];
    if (watch->rows > 0 && !(t > watch->last_t))
        restart_watch(watch); /* the row after an event */
    if (watch->rows >= BEFORE) {
        extrapolate(watch, t, 2, watch->line);
        extrapolate(watch, t, 3, watch->parabola);
    }
    for (int i = 0; i < watch->count; i++) {
        watched *it = &watch->list[i];
        const double value = row[it->column];
        if (isfinite(value))
            watch->peak[it->group] = fmax(watch->peak[it->group], fabs(value));
        take_value(watch, it, value, t);
        memmove(it->before + 1, it->before, (BEFORE - 1) * sizeof *it->before);
        it->before[0] = value;
    }
    watch->t[watch->rows % WINDOW] = t;
    watch->last_t = t;
    watch->rows++;
}

static bool found(const oscillation *watch, cli_oscillating *worst)
{
    double largest = 0.0;
    *worst = (cli_oscillating){.column = -1};
    for (int i = 0; i < watch->groups; i++)
        largest = fmax(largest, watch->peak[i]);
    for (int i = 0; i < watch->count; i++) {
        const watched *it = &watch->list[i];
        const double relative = it->amplitude / fmax(watch->peak[it->group], least_part * largest);
        if (relative > worth_telling && relative > worst->relative)
            *worst = (cli_oscillating){it->column, it->amplitude, relative, it->begin, it->end};
    }
    return worst->column >= 0;
}

bool cli_oscillation_in_rows(const cli_result *result, cli_oscillating *worst)
{
    oscillation *watch = create_watch(result);
    double *row = cli_allocate((size_t)result->column_count + 1, sizeof *row);
    for (long long i = 0; i < result->rows; i++) {
        for (int k = 0; k < result->column_count; k++)
            row[k] = result->columns[k].values[i];
        feed(watch, row);
    }
    const bool any = found(watch, worst);
    free(row);
    destroy_watch(watch);
    return any;
}
