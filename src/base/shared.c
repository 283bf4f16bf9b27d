/* See shared.h. */
#include "shared.h"

#include "numeric.h"
#include "wide.h"

enum { LEAST = 8192 }; /* numbers that a thread gets: some microseconds */
enum {
    FEW = 32
}; /* numbers that are done one by one: vectors would wait for what was just
      written */

typedef struct vectors {
    double c;
    const double *x, *w;
    double *y;
} vectors;

static CD_WIDE void add_wide(int n, double c, const double *restrict x, double *restrict y)
{
    for (int i = 0; i < n; i++)
        y[i] += c * x[i];
}

static CD_WIDE void scale_wide(int n, double c, double *x)
{
    for (int i = 0; i < n; i++)
        x[i] *= c;
}

static void add(void *self, cd_span s)
{
    const vectors *it = self;
    const int n = s.end - s.begin;
    if (n < FEW)
        cd_add(n, it->c, it->x + s.begin, it->y + s.begin);
    else
        add_wide(n, it->c, it->x + s.begin, it->y + s.begin);
}

static void scale(void *self, cd_span s)
{
    const vectors *it = self;
    const int n = s.end - s.begin;
    if (n < FEW)
        cd_scale(n, it->c, it->y + s.begin);
    else
        scale_wide(n, it->c, it->y + s.begin);
}

static CD_WIDE double max_abs_wide(int n, const double *restrict x)
{
    int64_t largest = 0;
    for (int i = 0; i < n; i++)
        largest = cd_larger_bits(cd_size_bits(x[i]), largest);
    return cd_size_of_bits(largest);
}

CD_KERNEL double negate_numbers(int n, const double *restrict x, double *restrict y)
{
    int64_t largest = 0;
    for (int i = 0; i < n; i++) {
        y[i] = -x[i];
        largest = cd_larger_bits(cd_size_bits(x[i]), largest);
    }
    return cd_size_of_bits(largest);
}

CD_KERNEL double norm_of_numbers(int n, const double *restrict x, const double *restrict w)
{
    int64_t largest = 0;
    for (int i = 0; i < n; i++)
        largest = cd_larger_bits(cd_size_bits(x[i] / w[i]), largest);
    return cd_size_of_bits(largest);
}

static CD_WIDE double negate_wide(int n, const double *x, double *y)
{
    return negate_numbers(n, x, y);
}

static CD_WIDE double norm_wide(int n, const double *x, const double *w)
{
    return norm_of_numbers(n, x, w);
}

static double negate(void *self, cd_span s)
{
    const vectors *it = self;
    const int n = s.end - s.begin;
    return n < FEW ? negate_numbers(n, it->x + s.begin, it->y + s.begin)
                   : negate_wide(n, it->x + s.begin, it->y + s.begin);
}

static double max_abs(void *self, cd_span s)
{
    const vectors *it = self;
    const int n = s.end - s.begin;
    return n < FEW ? cd_max_abs(n, it->x + s.begin) : max_abs_wide(n, it->x + s.begin);
}

static double norm(void *self, cd_span s)
{
    const vectors *it = self;
    const int n = s.end - s.begin;
    return n < FEW ? norm_of_numbers(n, it->x + s.begin, it->w + s.begin)
                   : norm_wide(n, it->x + s.begin, it->w + s.begin);
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

double cd_shared_negate(cd_team *team, int n, const double *x, double *y)
{
    vectors it = {.x = x, .y = y};
    return cd_team_largest(team, n, LEAST, negate, &it);
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
