/* What is measured: a built-in problem, or a generated model of any size, with initial values. */
#ifndef BENCH_SUBJECT_H
#define BENCH_SUBJECT_H

#include "lab/problems/problem.h"

#include <cardan/cardan.h>
#include <cardan/model_file.h>

/* A built-in problem (`shape` NULL), or a shape of `cardan generate`. */
typedef struct bench_model {
    const char *name;
    const char *shape, *joint, *form;
    long long n;
    double end; /* 0: the problem's own */
} bench_model;

typedef struct bench_subject {
    lab_problem *problem; /* one of these two */
    cardan_model_file *file;
    const cardan_system *system;
    int bodies, joints; /* of a problem: 1 and 0 */
    double begin, end;
    double *q, *v;
    double read, build, assemble; /* seconds */
} bench_subject;

/* NULL with a complaint in `error` if that fails. */
bench_subject *bench_subject_create(const bench_model *model, cardan_error *error);
void bench_subject_destroy(bench_subject *subject);

/* Processor time, so that other programs disturb little. */
double bench_seconds(void);

#endif
