/* The kernels as functions, for single dense matrices. (Functions in several versions are static:
 * what chooses between them would be visible outside of the library.) */
#include "panel.h"

#include "kernels.h"

static CD_WIDE bool factor(int n, double *a, short *swaps, cd_pivots *seen)
{
    return cd_kernel_factor_square(n, n, a, swaps, seen);
}

static CD_WIDE void forward(int n, const double *a, const short *swaps, double *x)
{
    cd_kernel_forward(n, n, a, swaps, x);
}

static CD_WIDE void backward(int n, const double *a, double *x)
{
    cd_kernel_backward(n, n, a, x);
}

bool cd_panel_factor(int n, double *a, short *swaps, cd_pivots *seen)
{
    return factor(n, a, swaps, seen);
}

void cd_panel_forward(int n, const double *a, const short *swaps, double *x)
{
    forward(n, a, swaps, x);
}

void cd_panel_backward(int n, const double *a, double *x)
{
    backward(n, a, x);
}
