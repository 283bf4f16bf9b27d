/* How far two ways of a run are from each other, in physical vectors and in tolerances. */
#include "cli/setup/case.h"
#include "verify.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Columns that make one vector of an element. */
typedef struct vector {
    cli_kind kind;
    int first, count;
    char element[128];
} vector;

const char *const cli_kind_names[CLI_KINDS] = {"position",         "rotation",    "velocity",
                                               "angular velocity", "joint force", "joint moment"};

/* The kind of a column by the end of its name, such as `crank.vx`; -1: not compared. */
static int kind_of(const char *name)
{
    const char *dot = strrchr(name, '.');
    const char *end = dot != NULL ? dot + 1 : "";
    if (strlen(end) == 1 && strchr("xyz", end[0]) != NULL)
        return CLI_POSITIONS;
    if (strlen(end) != 2)
        return -1;
    if (end[0] == 'e' && end[1] >= '0' && end[1] <= '3')
        return CLI_ROTATIONS;
    if (strchr("xyz", end[1]) == NULL)
        return -1;
    return end[0] == 'v'   ? CLI_VELOCITIES
           : end[0] == 'w' ? CLI_TURNING
           : end[0] == 'f' ? CLI_FORCES
           : end[0] == 'm' ? CLI_MOMENTS
                           : -1;
}

static int find_vectors(const cli_verify_run *run, vector *vectors)
{
    int count = 0;
    for (int i = 0; i < run->columns; i++) {
        char name[160];
        cli_case_write_output_name(run->problem, i, name, sizeof name);
        const int kind = kind_of(name);
        if (kind < 0)
            continue;
        *strrchr(name, '.') = '\0';
        vector *last = count > 0 ? &vectors[count - 1] : NULL;
        if (last != NULL && last->kind == (cli_kind)kind && last->first + last->count == i &&
            strncmp(last->element, name, sizeof last->element - 1) == 0)
            last->count++;
        else {
            vectors[count] = (vector){.kind = (cli_kind)kind, .first = i, .count = 1};
            snprintf(vectors[count++].element, sizeof vectors->element, "%.127s", name);
        }
    }
    return count;
}

static void add_numbers(vector *vectors, int *count, cli_kind kind, int first, int numbers,
                        const char *name)
{
    for (int i = 0; i < numbers; i++) {
        vector *v = &vectors[(*count)++];
        *v = (vector){.kind = kind, .first = first + i, .count = 1};
        snprintf(v->element, sizeof v->element, "%s%d", name, i + 1);
    }
}

/* Of a built-in problem: its unknowns one by one, but q as a whole. */
static int find_unknowns(const cli_verify_run *run, vector *vectors)
{
    const cardan_system *system = cli_case_system(run->problem);
    const int size = cardan_group_size(cardan_system_describe(system).group);
    const int dof = cardan_system_describe(system).dof,
              m = cardan_system_describe(system).constraint_count;
    int count = 0;
    vectors[count++] = (vector){.kind = CLI_POSITIONS, .count = size, .element = "q"};
    add_numbers(vectors, &count, CLI_VELOCITIES, size, dof, "v");
    add_numbers(vectors, &count, CLI_FORCES, size + dof, m, "lambda");
    add_numbers(vectors, &count, CLI_FORCES, size + dof + m,
                cardan_system_describe(system).nonholonomic_count, "psi");
    return count;
}

static double length_of(const double *numbers, int count)
{
    double sum = 0.0;
    for (int i = 0; i < count; i++)
        sum += numbers[i] * numbers[i];
    return sqrt(sum);
}

static double group_distance(const cli_verify_run *run, const double *a, const double *b)
{
    const cardan_group *group = cardan_system_describe(cli_case_system(run->problem)).group;
    const int dof = cardan_group_dof(group);
    double *w = cli_allocate((size_t)dof, sizeof *w);
    cardan_group_difference(group, a, b, w);
    const double distance = length_of(w, dof);
    free(w);
    return distance;
}

/* Of quaternions, which two signs stand for, the angle between them. */
static double distance(const cli_verify_run *run, const vector *v, const double *a, const double *b)
{
    double minus = 0.0, plus = 0.0;
    if (run->setup.model_file == NULL && v->kind == CLI_POSITIONS)
        return group_distance(run, a, b);
    for (int i = v->first; i < v->first + v->count; i++) {
        minus += (a[i] - b[i]) * (a[i] - b[i]);
        plus += (a[i] + b[i]) * (a[i] + b[i]);
    }
    return v->kind == CLI_ROTATIONS ? 2.0 * sqrt(fmin(minus, plus)) : sqrt(minus);
}

static void note_size(cli_difference *found, const vector *v, const double *row)
{
    const double size = length_of(row + v->first, v->count);
    if (size > found->size)
        found->size = size;
}

static void note(cli_verification *v, const vector *at, int row)
{
    cli_difference *found = &v->differences[at->kind];
    const double *a = v->first.values + (size_t)row * (size_t)v->first.columns;
    const double *b = v->second.values + (size_t)row * (size_t)v->second.columns;
    const double d = distance(&v->first, at, a, b);
    found->tolerance = 1.0; /* there is such a kind */
    if (!(d > found->difference) && found->element[0] != '\0')
        return;
    if (isnan(d))
        return;
    found->difference = d;
    found->t = v->times[row];
    snprintf(found->element, sizeof found->element, "%s", at->element);
}

/* A tenth of the box that the bodies move in. */
static double arm_of(const cli_verification *v, const vector *vectors, int count)
{
    double low[3] = {INFINITY, INFINITY, INFINITY}, high[3] = {-INFINITY, -INFINITY, -INFINITY};
    for (int row = 0; row < v->first.rows; row++)
        for (int i = 0; i < count; i++) {
            const double *x =
                v->first.values + (size_t)row * (size_t)v->first.columns + vectors[i].first;
            if (vectors[i].kind != CLI_POSITIONS || vectors[i].count > 3)
                continue;
            for (int j = 0; j < vectors[i].count; j++) {
                low[j] = fmin(low[j], x[j]);
                high[j] = fmax(high[j], x[j]);
            }
        }
    double edges[3];
    for (int j = 0; j < 3; j++)
        edges[j] = high[j] > low[j] ? high[j] - low[j] : 0.0;
    return 0.1 * length_of(edges, 3);
}

/* What the tolerance is relative to: the largest value of the kind, 1 of rotations. Frames and
 * joints may lie where there is no velocity or moment: what turning and forces make of them an arm
 * away counts as well; else at least a thousandth of all, as the integrator's control has it. */
static double size_of(const cli_verification *v, int kind, double arm)
{
    static const int partners[CLI_KINDS] = {CLI_POSITIONS,  CLI_ROTATIONS, CLI_TURNING,
                                            CLI_VELOCITIES, CLI_MOMENTS,   CLI_FORCES};
    const bool has_arm = kind == CLI_VELOCITIES || kind == CLI_MOMENTS;
    if (kind == CLI_ROTATIONS)
        return 1.0;
    return fmax(v->differences[kind].size,
                (has_arm ? fmax(arm, 1e-3) : 1e-3) * v->differences[partners[kind]].size);
}

static void weigh(cli_verification *v, double arm)
{
    static const int classes[CLI_KINDS] = {0, 0, 1, 1, 2, 2};
    const cli_tolerance *t = &v->first.setup.tolerance;
    double size[CLI_KINDS];
    v->worst = -1;
    for (int i = 0; i < CLI_KINDS; i++)
        size[i] = size_of(v, i, arm);
    for (int i = 0; i < CLI_KINDS; i++) {
        cli_difference *d = &v->differences[i];
        if (d->tolerance == 0.0)
            continue;
        d->tolerance = t->absolute[classes[i]] + t->relative[classes[i]] * size[i];
        d->ratio = d->difference / d->tolerance;
        if (v->worst < 0 || d->ratio > v->differences[v->worst].ratio)
            v->worst = i;
    }
}

void cli_verify_compare(cli_verification *v)
{
    const bool model = v->first.setup.model_file != NULL;
    vector *vectors = cli_allocate((size_t)v->first.columns + 1, sizeof *vectors);
    const int count = model ? find_vectors(&v->first, vectors) : find_unknowns(&v->first, vectors);
    for (int row = 0; row < v->first.rows && row < v->second.rows; row++)
        for (int i = 0; i < count; i++)
            note(v, &vectors[i], row);
    for (int i = 0; i < count; i++) {
        note_size(&v->differences[vectors[i].kind], &vectors[i], v->first.peaks);
        note_size(&v->differences[vectors[i].kind], &vectors[i], v->second.peaks);
    }
    weigh(v, model ? arm_of(v, vectors, count) : 0.0);
    free(vectors);
}
