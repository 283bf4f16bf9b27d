/* What the tests of the problems share: making a problem, a point with its arrays, residuals of the
 * equations through the problem's own callbacks, and reading tables. */
#ifndef CARDAN_TESTS_PROBLEM_TEST_H
#define CARDAN_TESTS_PROBLEM_TEST_H

#include "base/numeric.h"
#include "lab/problems/problem_type.h"
#include "paths.h"
#include "suite.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_SIZE = 16, MAX_DOF = 9, MAX_CONSTRAINTS = 6, MAX_ROLLING = 2, MAX_OUTPUTS = 24 };

typedef struct test_point {
    double q[MAX_SIZE], v[MAX_DOF], vdot[MAX_DOF], lambda[MAX_CONSTRAINTS], psi[MAX_ROLLING];
    cardan_point at;
} test_point;

static inline void point_connect(test_point *point, double t)
{
    point->at = (cardan_point){.t = t,
                               .q = point->q,
                               .v = point->v,
                               .vdot = point->vdot,
                               .lambda = point->lambda,
                               .psi = point->psi};
}

static inline lab_problem *make_problem(const char *name, const lab_setting *settings, int count)
{
    lab_problem *problem = NULL;
    cardan_error error;
    cardan_status status = lab_problem_create(&problem, name, settings, count, &error);
    ck_assert_msg(status == CARDAN_OK, "%s: %s", name, error.text);
    ck_assert_ptr_nonnull(problem);
    return problem;
}

static inline void reference_point(lab_problem *problem, double t, test_point *point)
{
    cardan_error error;
    cardan_status status = lab_problem_reference(problem, t, point->q, point->v, point->vdot,
                                                 point->lambda, point->psi, &error);
    ck_assert_msg(status == CARDAN_OK, "%s: %s", problem->type->name, error.text);
    point_connect(point, t);
}

static inline void outputs_at(lab_problem *problem, double t, double *values)
{
    test_point point;
    reference_point(problem, t, &point);
    lab_problem_output(problem, &point.at, values);
}

static inline double energy_at(const lab_problem *problem, const cardan_point *at)
{
    double kinetic, potential;
    cardan_error error;
    ck_assert_int_eq(
        cardan_system_energy(lab_problem_system(problem), at, &kinetic, &potential, &error),
        CARDAN_OK);
    return kinetic + potential;
}

/* A reproducible number in [-1, 1]. */
static inline double random_unit(unsigned *state)
{
    *state = *state * 1664525u + 1013904223u;
    return 2.0 * (double)(*state >> 8) / (double)0xFFFFFFu - 1.0;
}

/* Every comma-separated number of a data line from field `first` on; returns how many. */
static inline int read_numbers(char *line, int first, double *values, int max)
{
    int count = 0, field = 0;
    for (char *token = strtok(line, ",\n"); token != NULL && count < max;
         token = strtok(NULL, ",\n"))
        if (field++ >= first)
            values[count++] = strtod(token, NULL);
    return count;
}

static inline FILE *open_table(const char *name)
{
    char path[512];
    snprintf(path, sizeof path, "%s/%s", CARDAN_TEST_DATA, name);
    FILE *file = fopen(path, "r");
    ck_assert_msg(file != NULL, "cannot open %s", path);
    return file;
}

#endif
