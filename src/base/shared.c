/* See shared.h. */
#include "base/shared.h"

#include "base/numeric.h"

enum { LEAST = 8192 }; /* numbers that a thread gets: some microseconds */

typedef struct vectors {
    double c;
    const double *x, *w;
    double *y;
} vectors;

static void add(void *self, cd_span s)
{
    const vectors *it = self;
    cd_add(s.end - s.begin, it->c, it->x + s.begin, it->y + s.begin);
}

static void scale(void *self, cd_span s)
{
    const vectors *it = self;
    cd_scale(s.end - s.begin, it->c, it->y + s.begin);
}

static void negate(void *self, cd_span s)
{
    const vectors *it = self;
    for (int i = s.begin; i < s.end; i++)
        it->y[i] = -it->x[i];
}

static double max_abs(void *self, cd_span s)
{
    const vectors *it = self;
    return cd_max_abs(s.end - s.begin, it->x + s.begin);
}

static double norm(void *self, cd_span s)
{
    const vectors *it = self;
    double largest = 0.0;
    for (int i = s.begin; i < s.end; i++) {
        const double size = fabs(it->x[i]) / it->w[i];
        if (!(size <= largest))
            largest = size;
    }
    return largest;
}

void cd_shared_add(cd_team *team, int n, double c, const double *x, double *y)
{
    vectors it = {.c = c, .x = x, .y = y};
    cd_team_loop(team, n, LEAST, add, &it);
}

void cd_shared_scale(cd_team *team, int n, double factor, double *x)
{
    vectors it = {.c = factor, .y = x};
    cd_team_loop(team, n, LEAST, scale, &it);
}

void cd_shared_negate(cd_team *team, int n, const double *x, double *y)
{
    vectors it = {.x = x, .y = y};
    cd_team_loop(team, n, LEAST, negate, &it);
}

double cd_shared_max_abs(cd_team *team, int n, const double *x)
{
    vectors it = {.x = x};
    return cd_team_largest(team, n, LEAST, max_abs, &it);
}

double cd_shared_norm(cd_team *team, int n, const double *x, const double *w)
{
    vectors it = {.x = x, .w = w};
    return cd_team_largest(team, n, LEAST, norm, &it);
}
