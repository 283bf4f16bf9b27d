/* The kernels as functions, for single dense matrices. (Functions in several versions are static:
 * what chooses between them would be visible outside of the library.) */
#include "linalg/panel.h"

#include "linalg/kernels.h"

static CD_WIDE bool factor(int n, int rows, double *a, short *swaps, cd_pivots *seen)
{
    if (!cd_kernel_factor_square(n, rows, a, swaps, seen))
        return false;
    cd_kernel_factor_below(n, rows, a, rows - n, rows, a + n);
    seen->multiplier = cd_kernel_largest(rows - n, n, rows, a + n, seen->multiplier);
    return true;
}

static CD_WIDE void forward(int n, int rows, const double *a, const short *swaps, double *x,
                            double *rest)
{
    cd_kernel_forward(n, rows, a, swaps, x);
    cd_kernel_subtract(rows - n, n, rows, a + n, x, rest);
}

static CD_WIDE void backward(int n, int rows, const double *a, double *x)
{
    cd_kernel_backward(n, rows, a, x);
}

static CD_WIDE void subtract(int rows, int cols, int stride, const double *a, const double *x,
                             double *y)
{
    cd_kernel_subtract(rows, cols, stride, a, x, y);
}

bool cd_panel_factor(int n, int rows, double *a, short *swaps, cd_pivots *seen)
{
    return factor(n, rows, a, swaps, seen);
}

void cd_panel_forward(int n, int rows, const double *a, const short *swaps, double *x, double *rest)
{
    forward(n, rows, a, swaps, x, rest);
}

void cd_panel_backward(int n, int rows, const double *a, double *x)
{
    backward(n, rows, a, x);
}

void cd_panel_subtract(int rows, int cols, int stride, const double *a, const double *x, double *y)
{
    subtract(rows, cols, stride, a, x, y);
}
