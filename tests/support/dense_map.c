/* See dense_map.h. */
#include "dense_map.h"

#include "base/numeric.h"

void dense_map_multiply(void *self, const double *x, double *y)
{
    const dense_map *map = self;
    cd_multiply(map->n, map->n, map->a, x, y);
}
