/* Components that are followed for longer than whole states: the weights that they ask for. */
#include "scheme/track.h"

#include "suite.h"

#include <math.h>

enum { COMPONENTS = 40, STEPS = 20 };

static const double root = -0.8;

/* One shape with a history of its own: a polynomial of degree 4 and a transient n root^n. */
static double history(int n)
{
    const double t = 0.1 * n;
    return 3.0 + t - 2.0 * t * t + 0.7 * pow(t, 3.0) - 0.1 * pow(t, 4.0) +
           0.05 * (1.0 + n) * pow(root, n);
}

static double value(int i, int n)
{
    return (1.0 + 0.3 * cos(0.7 * i)) * history(n);
}

static void values_at(int n, double *all)
{
    for (int i = 0; i < COMPONENTS; i++)
        all[i] = value(i, n);
}

/* Follows every third component from state `begin` on, five of which are known then. */
static void offer(cd_tracks *tracks, int begin)
{
    for (int i = 0; i < COMPONENTS; i += 3) {
        double past[5];
        for (int j = 0; j < 5; j++)
            past[j] = value(i, begin - j);
        cd_tracks_offer(tracks, i, 5, past);
    }
}

/* Components that nobody follows gain as much. Four states of a polynomial of degree 3 miss by
 * 4! 0.1 0.1^4 and by the transient, some percent. */
START_TEST(all_components_gain_by_a_few)
{
    cd_tracks tracks = {0};
    double all[COMPONENTS], weights[CD_TRACK_WEIGHTS];
    cd_tracks_forget(&tracks, root);
    ck_assert(!cd_tracks_weigh(&tracks, weights));
    offer(&tracks, 4);
    for (int n = 5; n < STEPS; n++) {
        values_at(n, all);
        cd_tracks_note(&tracks, all);
    }
    ck_assert(cd_tracks_weigh(&tracks, weights));
    double miss = 0.0, cubic = 0.0;
    for (int i = 0; i < COMPONENTS; i++) {
        const double a = value(i, STEPS - 1), b = value(i, STEPS - 2), c = value(i, STEPS - 3);
        const double d = value(i, STEPS - 4), next = value(i, STEPS);
        miss = fmax(miss,
                    fabs(next - weights[0] * a - weights[1] * b - weights[2] * c - weights[3] * d));
        cubic = fmax(cubic, fabs(next - 4.0 * a + 6.0 * b - 4.0 * c + d));
    }
    ck_assert_double_le(miss, 1e-6);
    ck_assert_double_ge(cubic, 1e-2);
}
END_TEST

/* There is room for CD_TRACKS; then a component that changes more takes the place of the one that
 * changes least, and none is followed twice. */
START_TEST(those_that_change_most_are_followed)
{
    cd_tracks tracks = {0};
    cd_tracks_forget(&tracks, root);
    for (int i = 0; i < CD_TRACKS + 5; i++)
        cd_tracks_offer(&tracks, i, 3, (double[]){1.0 + i, 0.0, 0.0});
    cd_tracks_offer(&tracks, CD_TRACKS + 4, 3, (double[]){100.0, 0.0, 0.0});
    ck_assert_int_eq(tracks.count, CD_TRACKS);
    for (int i = 0; i < CD_TRACKS; i++) {
        ck_assert_int_ge(tracks.each[i].index, 5);
        for (int j = 0; j < i; j++)
            ck_assert_int_ne(tracks.each[i].index, tracks.each[j].index);
    }
    cd_tracks_offer(&tracks, 999, 3, (double[]){0.5, 0.0, 0.0});
    for (int i = 0; i < CD_TRACKS; i++)
        ck_assert_int_ne(tracks.each[i].index, 999);
    cd_tracks_forget(&tracks, root);
    ck_assert_int_eq(tracks.count, 0);
}
END_TEST

Suite *make_suite(void)
{
    Suite *suite = suite_create("components that are followed");
    TCase *tcase = tcase_create("tracks");
    tcase_add_test(tcase, all_components_gain_by_a_few);
    tcase_add_test(tcase, those_that_change_most_are_followed);
    suite_add_tcase(suite, tcase);
    return suite;
}
