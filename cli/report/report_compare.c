/* Two runs side by side: how far apart they are, at the times of the first. */
#include "cli/setup/options.h"
#include "report_page.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct difference {
    const char *name; /* the column that differs most, for its size */
    double largest;   /* difference relative to the largest value of its group */
    double absolute, t;
} difference;

/* `values` over `times` at t, linearly; NAN outside. `*from` only grows. */
static double value_at(const double *times, const double *values, long long rows, double t,
                       long long *from)
{
    if (rows < 2 || t < times[0] || t > times[rows - 1])
        return rows == 1 && t == times[0] ? values[0] : NAN;
    while (*from < rows - 2 && times[*from + 1] < t)
        (*from)++;
    const double span = times[*from + 1] - times[*from];
    const double part = span > 0.0 ? (t - times[*from]) / span : 1.0;
    return values[*from] + part * (values[*from + 1] - values[*from]);
}

static double column_peak(const cli_result *run, int column)
{
    double peak = 0.0;
    for (long long i = 0; i < run->rows; i++)
        if (isfinite(run->columns[column].values[i]))
            peak = fmax(peak, fabs(run->columns[column].values[i]));
    return peak;
}

/* The largest value among the components of the same quantity. */
static double group_peak(const cli_result *run, int column)
{
    const cli_column *it = &run->columns[column];
    double peak = column_peak(run, column);
    for (int step = -1; step <= 1; step += 2)
        for (int i = column + step; i > 0 && i < run->column_count; i += step) {
            const cli_column *next = &run->columns[i];
            if (next->kind != it->kind || strcmp(next->owner, it->owner) != 0 ||
                (it->owner[0] != '\0' ? strcmp(next->quantity, it->quantity) != 0
                                      : next->name[0] != it->name[0]))
                break;
            peak = fmax(peak, column_peak(run, i));
        }
    return peak;
}

static void compare_column(const cli_result *first, int column, const cli_result *second, int twin,
                           difference *worst)
{
    const double *t = first->columns[0].values, *values = first->columns[column].values;
    const double *other_t = second->columns[0].values, *other = second->columns[twin].values;
    const double peak = group_peak(first, column);
    long long from = 0;
    for (long long i = 0; peak > 0.0 && i < first->rows; i++) {
        const double apart = fabs(value_at(other_t, other, second->rows, t[i], &from) - values[i]);
        if (!(apart / peak > worst->largest))
            continue;
        *worst = (difference){first->columns[column].name, apart / peak, apart, t[i]};
    }
}

static bool belongs(const cli_column *column, int class)
{
    switch (class) {
    case 0:
        return (column->kind == CLI_COLUMN_JOINT && (strcmp(column->quantity, "force") == 0 ||
                                                     strcmp(column->quantity, "torque") == 0)) ||
               (column->kind == CLI_COLUMN_MULTIPLIER && column->name[0] != 'e');
    case 1:
        return column->kind == CLI_COLUMN_OUTPUT ||
               (column->kind == CLI_COLUMN_BODY &&
                (strcmp(column->quantity, "pos") == 0 || strcmp(column->quantity, "quat") == 0));
    default:
        return column->kind == CLI_COLUMN_BODY &&
               (strcmp(column->quantity, "vel") == 0 || strcmp(column->quantity, "omega") == 0);
    }
}

static int compare_class(const cli_result *first, const cli_result *second, int class,
                         difference *worst)
{
    int common = 0;
    *worst = (difference){.largest = -1.0};
    for (int i = 1; i < first->column_count; i++) {
        if (!belongs(&first->columns[i], class))
            continue;
        const int twin = cli_result_column(second, first->columns[i].name);
        if (twin < 0)
            continue;
        common++;
        compare_column(first, i, second, twin, worst);
    }
    return common;
}

void cli_report_compare(const cli_result *first, const cli_result *second, json_t *statements)
{
    static const char *const classes[] = {"Joint forces", "Positions", "Velocities"};
    int common = 0;
    for (int i = 0; i < 3; i++) {
        difference worst;
        const int count = compare_class(first, second, i, &worst);
        common += count;
        if (count > 0 && worst.largest >= 0.0)
            cli_report_state(statements, "note",
                             "%s of the two runs differ by up to %.2g of their size (%.100s by "
                             "%.3g at t = %.4g s).",
                             classes[i], worst.largest, worst.name, worst.absolute, worst.t);
    }
    if (common == 0)
        cli_report_state(statements, "warning",
                         "The two runs have no output in common: they are different models.");
}
