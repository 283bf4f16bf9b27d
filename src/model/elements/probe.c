/* Random element points that show which blocks of an element's matrices are zero. */
#include "probe.h"

double cd_probe_number(unsigned *seed)
{
    *seed = *seed * 1664525u + 1013904223u;
    return (double)(*seed >> 8) / 8388607.5 - 1.0;
}

static void random_vector(unsigned *seed, int n, double *x)
{
    for (int i = 0; i < n; i++)
        x[i] = cd_probe_number(seed);
}

/* Positions and velocities of a size of about one, and any rotation. */
static void set_random_state(unsigned *seed, cd_body_state *body_state)
{
    double q[4];
    do
        random_vector(seed, 4, q);
    while (cd_dot(4, q, q) < 0.01);
    cd_unit_quaternion_matrix(q, body_state->R);
    random_vector(seed, 3, body_state->r);
    random_vector(seed, 3, body_state->u);
    random_vector(seed, 3, body_state->w);
    cd_zero(3, body_state->low);
}

cd_blocks cd_probe_reaction(const cd_element *element, bool nonholonomic)
{
    int (*const function)(const void *, const cd_element_point *, double *) =
        nonholonomic ? element->type->nonholonomic_reaction_dx : element->type->reaction_dx;
    enum { TRIALS = 2 };
    const int world = CD_BODY_COLUMNS * element->count;
    cd_blocks seen = {0};
    unsigned seed = 1u;
    for (int trial = 0; function != NULL && trial < TRIALS; trial++) {
        cd_body_state body_state[CD_ELEMENT_BODIES];
        double matrix[CD_ELEMENT_COLUMNS * CD_ELEMENT_COLUMNS] = {0.0}, multiplier[CD_ELEMENT_ROWS];
        for (int b = 0; b < element->count; b++)
            set_random_state(&seed, &body_state[b]);
        random_vector(&seed, CD_ELEMENT_ROWS, multiplier);
        const cd_element_point point = {0.0, body_state, multiplier, multiplier};
        const bool failed = function(element->self, &point, matrix) != 0;
        for (int i = 0; i < world; i++)
            for (int j = 0; j < world; j++)
                if (failed || matrix[i * world + j] != 0.0)
                    seen.block[i / 3][j / 3] = true;
    }
    return seen;
}
