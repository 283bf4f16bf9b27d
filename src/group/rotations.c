/* Updates of many rotations, four at a time: the bodies of a model. */
#include "rotation.h"

enum { LANES = 4 };

#if defined(__GNUC__)
#pragma GCC diagnostic ignored "-Wpsabi" /* how vectors are passed: all these are inlined */

#define CD_REAL    cd_four
#define CD_NAME(x) cd_four_##x
#include "rotation_kernel.h"

CD_KERNEL cd_four gather(const double *x, int stride)
{
    return (cd_four){x[0], x[stride], x[2 * stride], x[3 * stride]};
}

CD_KERNEL void scatter(cd_four x, double *out, int stride)
{
    for (int lane = 0; lane < LANES; lane++)
        out[lane * stride] = x[lane];
}

/* S_1 and S_2 of small angles, as cd_s1_s2 adds them up. */
CD_KERNEL void tiny_s1_s2(cd_four z, cd_four *s1, cd_four *s2)
{
    cd_four one = {0.0}, two = {0.0};
    for (int k = CD_TINY_TERMS - 1; k >= 0; k--) {
        one = cd_inverse_factorial[1 + 2 * k] - z * one;
        two = cd_inverse_factorial[2 + 2 * k] - z * two;
    }
    *s1 = one;
    *s2 = two;
}

CD_KERNEL void any_s1_s2(cd_four z, cd_four *s1, cd_four *s2)
{
    double one[LANES], two[LANES];
    for (int lane = 0; lane < LANES; lane++)
        cd_s1_s2(z[lane], &one[lane], &two[lane]);
    *s1 = gather(one, 1);
    *s2 = gather(two, 1);
}

/* exp(w~) - I */
CD_KERNEL void increment_of(int stride, const double *w, cd_four out[9])
{
    const cd_four x[3] = {gather(w, stride), gather(w + 1, stride), gather(w + 2, stride)};
    const cd_four z = x[0] * x[0] + x[1] * x[1] + x[2] * x[2];
    const double tiny = CD_TINY_SERIES;
    cd_four s1, s2;
    if (z[0] < tiny && z[1] < tiny && z[2] < tiny && z[3] < tiny)
        tiny_s1_s2(z, &s1, &s2);
    else
        any_s1_s2(z, &s1, &s2);
    cd_four_skew_polynomial(x, s1, s2, out);
}

CD_KERNEL void update_four(bool right, int stride, const double *q, int stride_w, const double *w,
                           double *q1)
{
    cd_four increment[9], matrix[9], turned[9];
    increment_of(stride_w, w, increment);
    for (int i = 0; i < 9; i++)
        matrix[i] = gather(q + i, stride);
    cd_four_rotation_turn(right, matrix, increment, turned);
    for (int i = 0; i < 9; i++)
        scatter(turned[i], q1 + i, stride);
}

/* As many as there are fours of; their number. */
static CD_WIDE int update_fours(bool right, int count, int stride, const double *q, int stride_w,
                                const double *w, double *q1)
{
    int i = 0;
    for (; i + LANES <= count; i += LANES)
        update_four(right, stride, q + i * stride, stride_w, w + i * stride_w, q1 + i * stride);
    return i;
}
#else
static int update_fours(bool right, int count, int stride, const double *q, int stride_w,
                        const double *w, double *q1)
{
    (void)right, (void)count, (void)stride, (void)q, (void)stride_w, (void)w, (void)q1;
    return 0;
}
#endif

void cd_rotations_update(bool right, int count, int stride, const double *q, int stride_w,
                         const double *w, double *q1)
{
    int i = count < LANES ? 0 : update_fours(right, count, stride, q, stride_w, w, q1);
    for (; i < count; i++)
        cd_rotation_update(right, q + i * stride, w + i * stride_w, q1 + i * stride);
}
