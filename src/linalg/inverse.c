/* See inverse.h. All right-hand sides at once: the loops run along them. */
#include "inverse.h"

#include "base/numeric.h"
#include "kernels.h"

/* y += c x over whole strips */
CD_KERNEL void add_strips(int length, double c, const double *restrict x, double *restrict y)
{
    for (int b = 0; b < length; b += CD_INVERSE_STRIP)
        for (int i = 0; i < CD_INVERSE_STRIP; i++)
            y[b + i] += c * x[b + i];
}

static CD_WIDE void substitute(int n, int stride, const double *lu, double *rows)
{
    for (int k = 0; k < n; k++)
        for (int i = k + 1; i < n; i++)
            if (lu[k * n + i] != 0.0)
                add_strips(stride, -lu[k * n + i], rows + k * stride, rows + i * stride);
    for (int k = n - 1; k >= 0; k--) {
        cd_scale(stride, lu[k * n + k], rows + k * stride);
        for (int i = 0; i < k; i++)
            if (lu[k * n + i] != 0.0)
                add_strips(stride, -lu[k * n + i], rows + k * stride, rows + i * stride);
    }
}

/* y -= (negative inverse) x, a strip at a time, which stays in a register. */
static CD_WIDE void multiply(int n, int stride, const double *restrict negative,
                             const double *restrict x, double *restrict y)
{
    for (int b = 0; b < stride; b += CD_INVERSE_STRIP)
        cd_kernel_subtract_4(n, stride, negative + b, x, y + b);
}

void cd_inverse_make(int n, const double *lu, const short *swaps, const double *scale, double *rows,
                     double *negative)
{
    const int stride = cd_inverse_stride(n);
    int place[CD_INVERSE_MOST];
    cd_zero(n * stride, rows);
    for (int i = 0; i < n; i++)
        place[i] = i;
    for (int i = 0; i < n; i++) { /* the row of the matrix that is eliminated as number i */
        const int kept = place[i];
        place[i] = place[swaps[i]];
        place[swaps[i]] = kept;
    }
    for (int i = 0; i < n; i++)
        rows[i * stride + place[i]] = scale[place[i]];
    substitute(n, stride, lu, rows);
    cd_zero(n * stride, negative);
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++)
            negative[j * stride + i] = -scale[n + i] * rows[i * stride + j];
}

void cd_inverse_apply(int n, const double *negative, double *x)
{
    double y[CD_INVERSE_MOST] = {0};
    multiply(n, cd_inverse_stride(n), negative, x, y);
    cd_copy(n, y, x);
}
