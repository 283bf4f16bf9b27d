/* Functions for vectors of two and of four numbers, whichever the processor has. */
#ifndef CD_BASE_WIDE_H
#define CD_BASE_WIDE_H

#include <stdint.h>
#include <string.h>

/* Two versions of a function, for vectors of two and of four numbers, one of which is chosen when
 * the program is loaded. There is no fused multiply-add in either: results are the same. */
#if defined(__x86_64__) && defined(__gnu_linux__) && defined(__GNUC__) && !defined(__clang__) &&   \
    !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
#define CD_WIDE __attribute__((target_clones("avx2", "default")))
#else
#define CD_WIDE
#endif

/* What a function marked CD_WIDE calls has to become a part of it. */
#if defined(__GNUC__)
#define CD_KERNEL static inline __attribute__((always_inline))
#else
#define CD_KERNEL static inline
#endif

/* Numbers without their sign are ordered as their bits are, infinity behind all others and NaN
 * last: the largest of many is found without branches, and in vectors. */
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

CD_KERNEL double cd_size_of_bits(int64_t bits)
{
    double size;
    memcpy(&size, &bits, sizeof size);
    return size;
}

#endif
