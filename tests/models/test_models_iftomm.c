/* IFToMM benchmarks A01 (simple pendulum) and A02 (N four-bar, N = 40) in short; `make studies` has
 * their full length. */
#include "model_run.h"
#include "paths.h"
#include "suite.h"

#include <math.h>
#include <stdio.h>

/* By elliptic functions: period 2.36784 s. */
START_TEST(pendulum_agrees_with_elliptic_functions)
{
    static const char *const spatial[] = {"type: planar", "form: spatial", NULL};
    static const char *const se3[] = {"type: planar", "form: se3", NULL};
    static const char *const *const changes[] = {NULL, spatial, se3};
    const double exact[2] = {-0.27508746257611686, -0.96141920509912506}; /* t = 10 */
    for (int i = 0; i < 3; i++) {
        double values[2][2];
        for (int fine = 0; fine < 2; fine++) {
            model_run *run = open_model_run("pendulum", changes[i], fine ? 1e-3 : 2e-3);
            advance_model_run(run, 10.0);
            values[fine][0] = output_of(run, "bob.x");
            values[fine][1] = output_of(run, "bob.y");
            close_model_run(run);
        }
        expect_order_two("pendulum", 2, values[0], values[1], exact, 1e-9);
    }
}
END_TEST

/* Threshold of the benchmark: 1e-3 of 1 m. With this step it holds for 60 of 2000 s. */
START_TEST(pendulum_agrees_with_the_published_history)
{
    FILE *in = fopen(CARDAN_TEST_DATA "/iftomm_A01.csv", "r");
    double t, x, y;
    int rows = 0;
    ck_assert(in != NULL && fscanf(in, "t,x,y\n") == 0);
    model_run *run = open_model_run("pendulum", NULL, 1e-3);
    while (fscanf(in, "%lf,%lf,%lf", &t, &x, &y) == 3 && t <= 50.0) {
        advance_model_run(run, t);
        ck_assert_msg(fabs(output_of(run, "bob.x") - x) < 1e-3, "t = %g", t);
        ck_assert_msg(fabs(output_of(run, "bob.y") - y) < 1e-3, "t = %g", t);
        rows++;
    }
    ck_assert_int_eq(rows, 101);
    close_model_run(run);
    fclose(in);
}
END_TEST

/* 81 bodies in space, 605 rows of which 485 are independent. At t = 0.72 the cranks are horizontal:
 * there the rank falls by N, and the forces in the couplers grow beyond all bounds. */
START_TEST(nfourbar_passes_a_singular_configuration)
{
    static const char *const names[] = {"B0.x", "B0.y", "B0.vx", "B0.vy"};
    const double exact[4] = {-0.1153568806321099, -0.9933241113004502, -6.669987523941772,
                             0.7746000986623433}; /* t = 1 */
    double values[2][4];
    for (int fine = 0; fine < 2; fine++) {
        model_run *run = open_model_run("nfourbar", NULL, fine ? 2e-3 : 4e-3);
        const cardan_model *model = cardan_model_file_model(run->file);
        ck_assert_int_eq(cardan_model_redundancy(model)->freedom, 1);
        ck_assert_int_eq(cardan_model_redundancy(model)->count, 120);
        advance_model_run(run, 1.0);
        for (int i = 0; i < 4; i++)
            values[fine][i] = output_of(run, names[i]);
        close_model_run(run);
    }
    expect_order_two("nfourbar", 4, values[0], values[1], exact, 1e-9);
}
END_TEST

Suite *make_suite(void)
{
    Suite *suite = suite_create("IFToMM benchmarks");
    TCase *tcase = tcase_create("references");
    tcase_set_timeout(tcase, 900);
    tcase_add_test(tcase, pendulum_agrees_with_elliptic_functions);
    tcase_add_test(tcase, pendulum_agrees_with_the_published_history);
    tcase_add_test(tcase, nfourbar_passes_a_singular_configuration);
    suite_add_tcase(suite, tcase);
    return suite;
}
