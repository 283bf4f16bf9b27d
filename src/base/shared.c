/* Each operation is a loop over a span of the vectors, which the threads of the team share. */
#include "shared.h"

#include "numeric.h"
#include "wide.h"

enum { LEAST = 8192 }; /* numbers in a span: some microseconds */
/* The operands of a loop: a factor c, vectors x and y, weights w. */
typedef struct operands {
    double c;
    const double *x, *w;
    double *y;
} operands;

/* y += c x */
static CD_WIDE void add_span(void *self, cd_span s)
{
    const operands *it = self;
    const double c = it->c, *restrict x = it->x;
    double *restrict y = it->y;
    for (int i = s.begin; i < s.end; i++)
        y[i] += c * x[i];
}

/* y *= c */
static CD_WIDE void scale_span(void *self, cd_span s)
{
    const operands *it = self;
    const double c = it->c;
    double *restrict y = it->y;
    for (int i = s.begin; i < s.end; i++)
        y[i] *= c;
}

/* y = -x; returns the largest |x_i|. */
static CD_WIDE double negate_span(void *self, cd_span s)
{
    const operands *it = self;
    const double *restrict x = it->x;
    double *restrict y = it->y;
    int64_t largest = 0;
    for (int i = s.begin; i < s.end; i++) {
        y[i] = -x[i];
        largest = cd_larger_bits(cd_size_bits(x[i]), largest);
    }
    return cd_size_of_bits(largest);
}

/* Returns the largest |x_i| / w_i or, without weights, |x_i|. */
static CD_WIDE double find_norm(void *self, cd_span s)
{
    const operands *it = self;
    const double *restrict x = it->x, *restrict w = it->w;
    int64_t largest = 0;
    if (w == NULL)
        return cd_max_abs(s.end - s.begin, x + s.begin);
    for (int i = s.begin; i < s.end; i++)
        largest = cd_larger_bits(cd_size_bits(x[i] / w[i]), largest);
    return cd_size_of_bits(largest);
}

void cd_shared_add(cd_team *team, int n, double c, const double *x, double *y)
{
    operands it = {.c = c, .x = x, .y = y};
    cd_team_loop(team, n, LEAST, add_span, &it);
}

void cd_shared_scale(cd_team *team, int n, double factor, double *x)
{
    operands it = {.c = factor, .y = x};
    cd_team_loop(team, n, LEAST, scale_span, &it);
}

double cd_shared_negate(cd_team *team, int n, const double *x, double *y)
{
    operands it = {.x = x, .y = y};
    return cd_team_largest(team, n, LEAST, negate_span, &it);
}

double cd_shared_max_abs(cd_team *team, int n, const double *x)
{
    return cd_shared_norm(team, n, x, NULL);
}

double cd_shared_norm(cd_team *team, int n, const double *x, const double *w)
{
    operands it = {.x = x, .w = w};
    return cd_team_largest(team, n, LEAST, find_norm, &it);
}
