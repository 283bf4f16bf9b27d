/* Random places for looking at the structure of elements. */
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

void cd_probe_site(unsigned *seed, cd_site *site)
{
    double q[4];
    do
        random_vector(seed, 4, q);
    while (cd_dot(4, q, q) < 0.01);
    cd_unit_quaternion_matrix(q, site->R);
    random_vector(seed, 3, site->r);
    random_vector(seed, 3, site->u);
    random_vector(seed, 3, site->w);
    cd_zero(3, site->low);
}

static cd_blocks probe(const cd_element *element,
                       int (*function)(const void *, const cd_place *, double *))
{
    enum { TRIALS = 2 };
    const int world = CD_SITE * element->count;
    cd_blocks seen = {0};
    unsigned seed = 1u;
    for (int trial = 0; function != NULL && trial < TRIALS; trial++) {
        cd_site site[CD_ELEMENT_BODIES];
        double matrix[CD_WORLD * CD_WORLD] = {0.0}, multiplier[CD_ELEMENT_ROWS];
        for (int b = 0; b < element->count; b++)
            cd_probe_site(&seed, &site[b]);
        random_vector(&seed, CD_ELEMENT_ROWS, multiplier);
        const cd_place place = {0.0, site, multiplier, multiplier};
        const bool failed = function(element->self, &place, matrix) != 0;
        for (int i = 0; i < world; i++)
            for (int j = 0; j < world; j++)
                if (failed || matrix[i * world + j] != 0.0)
                    seen.block[i / 3][j / 3] = true;
    }
    return seen;
}

cd_blocks cd_probe_reaction(const cd_element *element)
{
    return probe(element, element->type->reaction_dx);
}

cd_blocks cd_probe_rolling_reaction(const cd_element *element)
{
    return probe(element, element->type->rolling_reaction_dx);
}
