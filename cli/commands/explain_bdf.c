/* cardan explain bdf: orders of the backward differentiation formulas, the errors of their
 * derivatives and how far from the imaginary axis they are stable. */
#include "explain_bdf.h"

#include "cli/results/json.h"
#include "cli/results/wrap.h"

#include <stdio.h>

/* Hairer, Wanner: Solving ODEs II, Table V.2.1. */
static const double angles[] = {90.0, 90.0, 86.03, 73.35, 51.84};
enum { ORDERS = sizeof angles / sizeof angles[0] };

/* h / e: the sum of 1 / i. */
static double weight_of(int order)
{
    double weight = 0.0;
    for (int i = 1; i <= order; i++)
        weight += 1.0 / i;
    return weight;
}

static void print_json(void)
{
    json_t *root = json_object(), *rows = json_array();
    for (int order = 1; order <= ORDERS; order++) {
        json_t *row = json_object();
        json_object_set_new(row, "order", json_integer(order));
        json_object_set_new(row, "angle", cli_json_number(angles[order - 1]));
        json_object_set_new(row, "derivative_error", cli_json_number(1.0 / (order + 1)));
        json_object_set_new(row, "weight", cli_json_number(weight_of(order)));
        json_array_append_new(rows, row);
    }
    json_object_set_new(root, "method", json_string("bdf"));
    json_object_set_new(root, "orders", rows);
    cli_json_print(root);
}

void cli_explain_bdf(bool json)
{
    if (json) {
        print_json();
        return;
    }
    printf("bdf: backward differentiation for the stabilised index-2 form\n\n"
           "order  stable within  error of v', of       h / e, weight of\n"
           "       degrees (A)    h^order v^(order+1)   v_(n+1) in h v'\n");
    for (int order = 1; order <= ORDERS; order++)
        printf("%5d  %13.2f  1/%-18d  %15.6f\n", order, angles[order - 1], order + 1,
               weight_of(order));
    putchar('\n');
    cli_print_wrapped(
        "", "Decaying motions are stable in all steps. Undamped oscillations that steps do not "
            "resolve are stable with orders 1 and 2 only: within A degrees of the negative real "
            "axis. Adaptive steps then lower the order; --order 2 keeps it there. Errors of the "
            "start do not come back in the multipliers.");
}
