/* Forces between two markers that follow a law of a measure: f = -G^T y(e, e', t). */
#ifndef CD_MODEL_PAIR_FORCE_H
#define CD_MODEL_PAIR_FORCE_H

#include "measure.h"

/* The values of a force law; zero on entry. Matrices are count x count (of the measure). */
typedef struct cd_law {
    double y[CD_MEASURE_MAX];                        /* generalised force against e */
    double y_de[CD_MEASURE_MAX * CD_MEASURE_MAX];    /* dy/de */
    double y_drate[CD_MEASURE_MAX * CD_MEASURE_MAX]; /* dy/de' */
    double energy;                                   /* potential of the conservative terms of y */
    double energy_de[CD_MEASURE_MAX];                /* its derivative */
} cd_law;

/* Evaluates a law at the value e of the measure (zero if it has none) and its rate. */
typedef int cd_law_function(const void *self, const cd_element_point *at, const cd_pair *pair,
                            const double *e, const double *rate, cd_law *law);

/* A force between two markers: the first member of an element's own data. */
typedef struct cd_pair_force {
    cd_marker marker[2];
    cd_measure_options options;
    const cd_measure *measure;
    cd_law_function *law;
    int columns; /* 6 times the number of bodies; no force acts on bodies after the second */
} cd_pair_force;

/* Functions of a cd_element_type; self begins with a cd_pair_force. */
int cd_pair_force_value(const void *self, const cd_element_point *at, double *f);
int cd_pair_force_dx(const void *self, const cd_element_point *at, double *out);
int cd_pair_force_dw(const void *self, const cd_element_point *at, double *out);
int cd_pair_force_potential(const void *self, const cd_element_point *at, double *energy);
int cd_pair_force_potential_dx(const void *self, const cd_element_point *at, double *out);

#define CD_PAIR_FORCE                                                                              \
    .force = cd_pair_force_value, .force_dx = cd_pair_force_dx, .force_dw = cd_pair_force_dw,      \
    .potential = cd_pair_force_potential, .potential_dx = cd_pair_force_potential_dx

/* rate = G w */
void cd_pair_rate(int count, const double *G, const cd_body_state *body_state, double *rate);

#endif
