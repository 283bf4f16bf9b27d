/* Random numbers that are the same on every machine: splitmix64, by seed and number of the machine.
 */
#ifndef CROSSCHECK_RANDOM_H
#define CROSSCHECK_RANDOM_H

#include <stdbool.h>
#include <stdint.h>

typedef struct random_source {
    uint64_t state;
} random_source;

random_source random_make(uint64_t seed, uint64_t index);
double random_uniform(random_source *r, double low, double high);
double random_log(random_source *r, double low, double high); /* uniform in the logarithm */
int random_below(random_source *r, int count);                /* 0 ... count - 1 */
bool random_chance(random_source *r, double probability);
void random_direction(random_source *r, double d[3]); /* of length 1 */
void random_quaternion(random_source *r, double e[4]);

#endif
