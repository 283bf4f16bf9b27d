/* What one built-in problem provides (cd_problem_type: one constant per problem, listed in
 * catalogue.c) and what an instance of it holds. */
#ifndef LAB_PROBLEM_TYPE_H
#define LAB_PROBLEM_TYPE_H

#include "base/memory.h"
#include "problem.h"
#include "reference_ode.h"

/* What a parameter may be besides finite. */
typedef enum cd_range { CD_ANY, CD_POSITIVE, CD_NOT_NEGATIVE } cd_range;

/* A point of the reference solution in the system's own coordinates. */
typedef struct cd_motion {
    double *q, *v, *vdot, *lambda, *psi;
} cd_motion;

typedef struct cd_problem_type {
    const char *name;
    const char *summary;
    const char *reference_text;
    double end, step;

    /* Parameters in the order in which `prepare` reads their values. */
    const lab_parameter *parameters;
    const cd_range *ranges;
    int parameter_count;

    /* NULL `output` means q, v, lambda, psi as they are. */
    const char *const *outputs;
    int output_count;
    void (*output)(const void *data, const cardan_point *at, double *values);

    /* The problem's own data, handed to all functions below and to the system's callbacks; a
     * problem without parameters needs neither data nor `prepare`. */
    size_t data_size;
    cardan_status (*prepare)(void *data, const double *parameters, cardan_error *error);
    cardan_factor factors[2];               /* the second may be left out */
    void (*define)(cardan_system_def *def); /* sizes, callbacks, names */
    void (*initial)(const void *data, double *q, double *v);
    /* Guesses of the multipliers at the start, zero on entry; NULL: zeros. */
    void (*guess)(const void *data, double *lambda, double *psi);

    /* Events, whose modes beside that of `define` are 1 to `modes`; NULL: none. */
    void (*events)(void *data, cardan_events *events); /* all but the modes */
    int modes;
    void (*define_mode)(int mode, cardan_system_def *def);

    /* The reference: an equation in other coordinates (order 0: closed form) and the way back. */
    int order;
    cd_ode_function *ode;
    void (*ode_initial)(const void *data, long double *y);
    long double (*ode_longest)(const void *data); /* cd_ode.longest; NULL: 0 */
    void (*motion)(const void *data, long double t, const long double *y, cd_motion *at);
} cd_problem_type;

struct lab_problem {
    const cd_problem_type *type;
    double begin;
    cd_arena arena;
    double *parameters;
    void *data;
    cardan_group *group;
    cardan_system_def def; /* what `system` was made from */
    cardan_system *system;
    cardan_system **modes; /* type->modes of them */
    cardan_events events;
    cd_reference_ode *reference; /* NULL for closed forms */
    cd_motion motion;            /* where `type->motion` writes */
};

/* The type called `name`, or NULL with a sentence that proposes the nearest one. */
const cd_problem_type *cd_problem_type_find(const char *name, cardan_error *error);

/* A callback whose result is zero for every point. */
int cd_callback_zero(void *context, const cardan_point *at, double *out);

/* Rounds extended values to double. */
void cd_round(int count, const long double *x, double *out);

/* CARDAN_INVALID_ARGUMENT with the sentence "parameter NAME = VALUE ...; REQUIREMENT". */
cardan_status cd_refuse(cardan_error *error, const char *name, double value,
                        const char *requirement);

#endif
