/* The kernels as functions, for single dense matrices. */
#include "linalg/panel.h"

#include "linalg/kernels.h"

CD_WIDE bool cd_panel_factor(int n, int rows, double *a, short *swaps, cd_pivots *seen)
{
    if (!cd_kernel_factor_square(n, rows, a, swaps, seen))
        return false;
    cd_kernel_factor_below(n, rows, a);
    seen->multiplier = cd_kernel_largest(rows - n, n, rows, a + n, seen->multiplier);
    return true;
}

CD_WIDE void cd_panel_forward(int n, int rows, const double *a, const short *swaps, double *x,
                              double *rest)
{
    cd_kernel_forward(n, rows, a, swaps, x);
    cd_kernel_subtract(rows - n, n, rows, a + n, x, rest);
}

CD_WIDE void cd_panel_backward(int n, int rows, const double *a, double *x)
{
    cd_kernel_backward(n, rows, a, x);
}

CD_WIDE void cd_panel_subtract(int rows, int cols, int stride, const double *a, const double *x,
                               double *y)
{
    cd_kernel_subtract(rows, cols, stride, a, x, y);
}
