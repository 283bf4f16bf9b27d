/* Vector instructions: functions in two versions, and the largest absolute value of many. */
#ifndef CD_BASE_WIDE_H
#define CD_BASE_WIDE_H

#include <stdint.h>
#include <string.h>

/* Marks a function that is compiled for vectors of two and of four numbers; which version runs is
 * chosen when the program is loaded. Neither uses fused multiply-add: the results are the same. */
#if defined(__x86_64__) && defined(__gnu_linux__) && defined(__GNUC__) && !defined(__clang__) &&   \
    !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
#define CD_WIDE __attribute__((target_clones("avx2", "default")))
#else
#define CD_WIDE
#endif

/* Marks functions that CD_WIDE functions call: inlined, they are compiled twice as well. */
#if defined(__GNUC__)
#define CD_KERNEL static inline __attribute__((always_inline))
#else
#define CD_KERNEL static inline
#endif

/* The bits of |x|. As integers they are in the order of the numbers, infinity behind all finite
 * ones and NaN last: the largest of many is found without branches, by vector instructions. */
CD_KERNEL int64_t cd_size_bits(double x)
{
    int64_t bits;
    memcpy(&bits, &x, sizeof bits);
    return bits & INT64_MAX;
}

CD_KERNEL int64_t cd_larger_bits(int64_t a, int64_t b)
{
    return a > b ? a : b;
}

/* The number that cd_size_bits made these of. */
CD_KERNEL double cd_size_of_bits(int64_t bits)
{
    double size;
    memcpy(&size, &bits, sizeof size);
    return size;
}

#endif
