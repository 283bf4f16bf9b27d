/* See random.h. */
#include "random.h"

#include <math.h>

static uint64_t next(random_source *r)
{
    uint64_t z = (r->state += 0x9e3779b97f4a7c15u);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}

random_source random_make(uint64_t seed, uint64_t index)
{
    random_source r = {seed * 0xd1342543de82ef95u + 1};
    r.state ^= next(&r) + index * 0x9e3779b97f4a7c15u;
    next(&r);
    r.state = next(&r);
    return r;
}

double random_uniform(random_source *r, double low, double high)
{
    return low + (high - low) * ((double)(next(r) >> 11) * 0x1p-53);
}

double random_log(random_source *r, double low, double high)
{
    return exp(random_uniform(r, log(low), log(high)));
}

int random_below(random_source *r, int count)
{
    return (int)(next(r) % (uint64_t)count);
}

bool random_chance(random_source *r, double probability)
{
    return random_uniform(r, 0.0, 1.0) < probability;
}

void random_direction(random_source *r, double d[3])
{
    double size;
    do {
        for (int i = 0; i < 3; i++)
            d[i] = random_uniform(r, -1.0, 1.0);
        size = sqrt(d[0] * d[0] + d[1] * d[1] + d[2] * d[2]);
    } while (size > 1.0 || size < 0.1);
    for (int i = 0; i < 3; i++)
        d[i] /= size;
}

void random_quaternion(random_source *r, double e[4])
{
    double axis[3];
    random_direction(r, axis);
    const double half = random_uniform(r, 0.0, 3.14159265358979);
    e[0] = cos(half);
    for (int i = 0; i < 3; i++)
        e[i + 1] = sin(half) * axis[i];
}
