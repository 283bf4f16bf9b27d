/* The predictor: which sequences it follows, and that it finds the degree by itself. */
#include "scheme/predict.h"

#include "suite.h"

#include <math.h>

enum { SIZE = 5, MOTION = 3, STEPS = 40 };

typedef double (*sequence)(int i, double t);

/* SIZE components: MOTION as v', the others as lambda. Steps from `times`; the largest miss of the
 * last ten predictions of each kind, of the largest value. `good`: steps took few iterations. */
static void follow(sequence of, const double *times, bool good, double misses[2])
{
    static const int sizes[] = {MOTION, SIZE - MOTION, 0};
    double kept[STEPS][SIZE], guess[SIZE], largest[2] = {0};
    cd_predictor predictor = {0};
    misses[0] = misses[1] = 0.0;
    for (int i = 0; i < SIZE; i++)
        kept[0][i] = of(i, times[0]);
    for (int n = 1; n < STEPS; n++) {
        cd_history history = {.count = n < CD_HISTORY ? n : CD_HISTORY};
        for (int i = 0; i < history.count; i++) {
            history.t[i] = times[n - 1 - i];
            history.vdot[i] = kept[n - 1 - i];
            history.lambda[i] = history.psi[i] = kept[n - 1 - i] + MOTION;
        }
        cd_predictor_aim(&predictor, &history, times[n]);
        cd_predictor_apply(&predictor, CD_PREDICTED_MOTION, (cd_span){0, MOTION}, history.vdot,
                           guess);
        cd_predictor_apply(&predictor, CD_PREDICTED_MULTIPLIERS, (cd_span){0, SIZE - MOTION},
                           history.lambda, guess + MOTION);
        for (int i = 0; i < SIZE; i++) {
            const int kind = i < MOTION ? 0 : 1;
            kept[n][i] = of(i, times[n]);
            largest[kind] = fmax(largest[kind], fabs(kept[n][i]));
            if (n >= STEPS - 10)
                misses[kind] = fmax(misses[kind], fabs(kept[n][i] - guess[i]));
        }
        cd_predictor_learn(&predictor, &history, good, sizes,
                           (const double *const[]){kept[n], kept[n] + MOTION, kept[n]});
    }
    for (int kind = 0; kind < 2; kind++)
        misses[kind] /= largest[kind];
}

static void even_times(double h, double *times)
{
    for (int n = 0; n < STEPS; n++)
        times[n] = n * h;
}

static double cubic(int i, double t)
{
    return 1.0 + (i - 2) * t + 0.3 * i * t * t - 0.1 * t * t * t;
}

START_TEST(a_cubic_is_followed_in_even_and_in_uneven_steps)
{
    double times[STEPS], misses[2];
    even_times(0.1, times);
    for (int n = 0; _i == 1 && n < STEPS; n++)
        times[n] += 0.03 * sin(2.0 * n);
    follow(cubic, times, true, misses);
    ck_assert_double_le(misses[0], 1e-11);
    ck_assert_double_le(misses[1], 1e-11);
}
END_TEST

static double still(int i, double t)
{
    (void)t;
    return 1.0 + i;
}

START_TEST(what_rests_is_predicted_exactly)
{
    double times[STEPS], misses[2];
    even_times(1.0, times);
    follow(still, times, true, misses);
    ck_assert_double_eq(misses[0], 0.0);
    ck_assert_double_eq(misses[1], 0.0);
}
END_TEST

/* Rest but for rounding, then a motion: ratios of differences are then huge and mean nothing. */
static double beginning(int i, double t)
{
    const double since = t - 32.0;
    return since < 0.0 ? 1e-14 * sin(37.0 * t * (i + 1)) : (1 + i) * (0.5 + since);
}

START_TEST(a_motion_that_begins_is_not_blown_up)
{
    double times[STEPS], misses[2];
    even_times(1.0, times);
    follow(beginning, times, false, misses);
    ck_assert_double_le(misses[0], 2.0);
    ck_assert_double_le(misses[1], 2.0);
}
END_TEST

static double rested(int i, double t)
{
    const double since = t - 12.0;
    return since < 0.0 ? 1.0 + i : 1.0 + i + 0.1 * since * since * since;
}

/* No degree has missed anything that rests exactly. That says nothing of how it moves on. */
START_TEST(a_motion_from_rest_is_followed)
{
    double times[STEPS], misses[2];
    even_times(1.0, times);
    follow(rested, times, false, misses);
    ck_assert_double_le(misses[0], 1e-9);
    ck_assert_double_le(misses[1], 1e-9);
}
END_TEST

Suite *make_suite(void)
{
    Suite *suite = suite_create("predictor");
    TCase *tcase = tcase_create("sequences");
    tcase_add_loop_test(tcase, a_cubic_is_followed_in_even_and_in_uneven_steps, 0, 2);
    tcase_add_test(tcase, what_rests_is_predicted_exactly);
    tcase_add_test(tcase, a_motion_that_begins_is_not_blown_up);
    tcase_add_test(tcase, a_motion_from_rest_is_followed);
    suite_add_tcase(suite, tcase);
    return suite;
}
