/* Results in memory: rows and steps of runs of any length, and what columns mean. */
#include "cli/results/result.h"
#include "suite.h"

#include <math.h>
#include <string.h>

static cli_result *new_result(void)
{
    char *const names[] = {"t", "a"};
    cli_result *result = cli_result_create();
    cli_result_name_columns(result, names, 2);
    return result;
}

/* Of `total` rows those that are kept are at equal distances, and the first and last are there. */
static void check_rows(int total)
{
    cli_result *result = new_result();
    result->most = 2000;
    for (int i = 0; i < total; i++)
        cli_result_add_row(result, (double[]){i, 2.0 * i});
    cli_result_end_rows(result);
    const double *t = result->columns[0].values, *a = result->columns[1].values;
    ck_assert_int_le(result->rows, 1001);
    ck_assert_int_ge(result->rows, total < 1000 ? total / 2 : 250);
    ck_assert_double_eq(t[0], 0.0);
    ck_assert_double_eq(t[result->rows - 1], total - 1);
    for (long long i = 0; i < result->rows; i++) {
        ck_assert_double_eq(a[i], 2.0 * t[i]);
        if (i + 1 < result->rows)
            ck_assert_double_eq(t[i], (double)(i * result->stride));
    }
    cli_result_destroy(result);
}

START_TEST(long_runs_lose_rows_evenly)
{
    for (int total = 1; total < 20000; total += 331)
        check_rows(total);
}
END_TEST

START_TEST(chosen_rows)
{
    cli_result *result = new_result();
    for (int i = 0; i < 100; i++)
        cli_result_add_row(result, (double[]){i, -i});
    cli_result_end_rows(result);
    const cli_rows rows = {.from = 10.0, .to = 50.0, .every = 7};
    ck_assert(cli_rows_given(&rows));
    cli_result_select(result, &rows);
    ck_assert_int_eq(result->rows, 6);
    for (int i = 0; i < 6; i++)
        ck_assert_double_eq(result->columns[1].values[i], -(10.0 + 7 * i));
    cli_result_destroy(result);
}
END_TEST

/* A hard and a short step among many stay, in their order, and no rejected try is forgotten. */
START_TEST(remarkable_steps_stay)
{
    cli_result *result = new_result();
    int rejected = 0, found = 0, most = 0;
    double shortest = 1.0;
    for (int i = 0; i < 123457; i++) {
        const cli_step step = {.t = i,
                               .h = i == 50001 ? 1e-3 : 1.0 + 0.1 * sin(0.01 * i),
                               .error = NAN,
                               .iterations = i == 777 ? 11 : 2,
                               .rejected = i % 7 == 0,
                               .acceleration = i == 1234 ? 5.0 : NAN};
        rejected += step.rejected;
        cli_result_add_step(result, &step);
    }
    double acceleration = 0.0;
    for (int i = 0; i < result->step_count; i++) {
        const cli_step *step = &result->steps[i];
        found += step->rejected;
        most = step->iterations > most ? step->iterations : most;
        shortest = fmin(shortest, step->h);
        acceleration = fmax(acceleration, step->acceleration);
        ck_assert(i == 0 || step->t > result->steps[i - 1].t);
    }
    ck_assert_int_le(result->step_count, CLI_MOST_STEPS);
    ck_assert_int_ge(result->step_count, CLI_MOST_STEPS / 2);
    ck_assert_int_eq(found, rejected);
    ck_assert_int_eq(most, 11);
    ck_assert_double_eq(shortest, 1e-3);
    ck_assert_double_eq(acceleration, 5.0);
    ck_assert_double_eq(result->steps[0].t, 0.0);
    ck_assert_double_eq(result->steps[result->step_count - 1].t, 123456.0);
    cli_result_destroy(result);
}
END_TEST

START_TEST(energies_of_projections_add_up)
{
    cli_result *result = new_result();
    double sum = 0.0;
    for (int i = 0; i < 100001; i++)
        cli_result_add_projection(result, i, 1.0);
    for (int i = 0; i < result->projection_count; i++)
        sum += result->projections[i].energy;
    ck_assert_int_le(result->projection_count, CLI_MOST_STEPS);
    ck_assert_double_eq(sum, 100001.0);
    cli_result_destroy(result);
}
END_TEST

START_TEST(meanings_of_columns)
{
    static const struct {
        char *name;
        const char *owner, *quantity, *component, *unit;
        cli_column_kind kind;
    } all[] = {{"t", "", "time", "", "s", CLI_COLUMN_TIME},
               {"b.x", "b", "pos", "x", "m", CLI_COLUMN_BODY},
               {"b.y", "b", "pos", "y", "m", CLI_COLUMN_BODY},
               {"b.z", "b", "pos", "z", "m", CLI_COLUMN_BODY},
               {"b.e0", "b", "quat", "0", "", CLI_COLUMN_BODY},
               {"b.e1", "b", "quat", "1", "", CLI_COLUMN_BODY},
               {"b.e2", "b", "quat", "2", "", CLI_COLUMN_BODY},
               {"b.e3", "b", "quat", "3", "", CLI_COLUMN_BODY},
               {"b.vx", "b", "vel", "x", "m/s", CLI_COLUMN_BODY},
               {"b.vy", "b", "vel", "y", "m/s", CLI_COLUMN_BODY},
               {"b.vz", "b", "vel", "z", "m/s", CLI_COLUMN_BODY},
               {"b.wx", "b", "omega", "x", "rad/s", CLI_COLUMN_BODY},
               {"b.wy", "b", "omega", "y", "rad/s", CLI_COLUMN_BODY},
               {"b.wz", "b", "omega", "z", "rad/s", CLI_COLUMN_BODY},
               {"j.fx", "j", "force", "x", "N", CLI_COLUMN_JOINT},
               {"j.fy", "j", "force", "y", "N", CLI_COLUMN_JOINT},
               {"j.fz", "j", "force", "z", "N", CLI_COLUMN_JOINT},
               {"j.mx", "j", "torque", "x", "N m", CLI_COLUMN_JOINT},
               {"j.my", "j", "torque", "y", "N m", CLI_COLUMN_JOINT},
               {"j.mz", "j", "torque", "z", "N m", CLI_COLUMN_JOINT},
               {"j.displacement", "j", "displacement", "", "m", CLI_COLUMN_JOINT},
               {"j.speed", "j", "speed", "", "m/s", CLI_COLUMN_JOINT},
               {"b.x", "b", "pos", "x", "m", CLI_COLUMN_SENSOR},
               {"a.b.power", "a.b", "power", "", "W", CLI_COLUMN_SENSOR},
               {"x1", "", "x1", "", "m", CLI_COLUMN_OUTPUT},
               {"lambda3", "", "lambda3", "", "", CLI_COLUMN_MULTIPLIER},
               {"lambdas", "", "lambdas", "", "", CLI_COLUMN_OUTPUT},
               {"stage1_2", "", "stage1_2", "", "", CLI_COLUMN_MULTIPLIER},
               {"phi_max", "", "phi_max", "", "", CLI_COLUMN_HEALTH},
               {"dE_p", "", "dE_p", "", "J", CLI_COLUMN_ENERGY}};
    enum { COUNT = sizeof all / sizeof *all };
    char *names[COUNT];
    for (int i = 0; i < COUNT; i++)
        names[i] = all[i].name;
    cli_result *result = cli_result_create();
    cli_result_name_columns(result, names, COUNT);
    for (int i = 0; i < COUNT; i++) {
        const cli_column *column = &result->columns[i];
        ck_assert_str_eq(column->name, all[i].name);
        ck_assert_str_eq(column->owner, all[i].owner);
        ck_assert_str_eq(column->quantity, all[i].quantity);
        ck_assert_str_eq(column->component, all[i].component);
        ck_assert_str_eq(column->unit, all[i].unit);
        ck_assert_int_eq(column->kind, all[i].kind);
    }
    ck_assert_int_eq(cli_result_column(result, "b.x"), 1);
    ck_assert_int_eq(cli_result_column(result, "nothing"), -1);
    cli_result_destroy(result);
}
END_TEST

Suite *make_suite(void)
{
    Suite *suite = suite_create("result");
    TCase *tests = tcase_create("result");
    tcase_set_timeout(tests, 60);
    tcase_add_test(tests, long_runs_lose_rows_evenly);
    tcase_add_test(tests, chosen_rows);
    tcase_add_test(tests, remarkable_steps_stay);
    tcase_add_test(tests, energies_of_projections_add_up);
    tcase_add_test(tests, meanings_of_columns);
    suite_add_tcase(suite, tests);
    return suite;
}
