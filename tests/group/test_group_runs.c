/* Many factors in a row: each does what it does in a group of its own, bit for bit, however the
 * range is cut and however many of them are equal (rotations are updated four at a time). */
#include "group/group.h"
#include "group_support.h"

#include <stdlib.h>

enum { COUNT = 60, ROOM = 12 * COUNT };

/* Runs of one to nineteen equal factors, all kinds and sides. */
static int make_factors(cardan_factor *factors)
{
    static const int lengths[] = {1, 2, 3, 4, 5, 7, 19, 1, 9, 9};
    int count = 0;
    for (int run = 0; run < 10; run++)
        for (int i = 0; i < lengths[run]; i++)
            factors[count++] = (cardan_factor){
                run < 4   ? CARDAN_R3_SO3
                : run < 7 ? (run == 6 ? CARDAN_R3_SO3 : CARDAN_SO3)
                          : (cardan_group_kind[]){CARDAN_RN, CARDAN_SE3, CARDAN_R3_S3}[run - 7],
                (cardan_group_side)(run % 2), 3};
    return count;
}

/* Small angles as in a time step, and among them some that need more terms, or none. */
static double angle_of(int i)
{
    static const double angles[] = {1e-3, 2e-2, 0.0, 0.09, 1e-9, 0.2, 3.0, 1e-2, 0.4};
    return i < 30 ? 1e-3 * i : angles[i % 9];
}

typedef struct sample {
    cardan_group *all, *one[COUNT];
    int count, q_at[COUNT], v_at[COUNT];
    double q[ROOM], low[ROOM], v[ROOM], w[ROOM];
} sample;

static sample *make_sample(void)
{
    cardan_factor factors[COUNT];
    sample *s = calloc(1, sizeof *s);
    uint64_t seed = 7;
    s->count = make_factors(factors);
    ck_assert_int_eq(s->count, COUNT);
    ck_assert_int_eq(cardan_group_create(&s->all, factors, COUNT, NULL, NULL), CARDAN_OK);
    cardan_group_identity(s->all, s->q);
    random_vector(&seed, cardan_group_dof(s->all), s->v);
    cardan_group_update(s->all, s->q, s->v, s->q);
    random_vector(&seed, cardan_group_dof(s->all), s->w);
    for (int i = 0; i < cd_group_flat_count(s->all); i++)
        s->low[i] = 1e-17 * uniform(&seed);
    for (int i = 0; i < COUNT; i++) {
        cardan_group_factor(s->all, i, &s->q_at[i], &s->v_at[i]);
        ck_assert_int_eq(cardan_group_create(&s->one[i], &factors[i], 1, NULL, NULL), CARDAN_OK);
        ck_assert_int_eq(cd_group_velocity_offset(s->all, i), s->v_at[i]);
        for (int j = 0; j < cardan_group_dof(s->one[i]); j++)
            s->w[s->v_at[i] + j] *= angle_of(i);
    }
    ck_assert_int_eq(cd_group_velocity_offset(s->all, COUNT), cardan_group_dof(s->all));
    return s;
}

static void drop_sample(sample *s)
{
    for (int i = 0; i < COUNT; i++)
        cardan_group_destroy(s->one[i]);
    cardan_group_destroy(s->all);
    free(s);
}

static void assert_same(int n, const double *x, const double *y)
{
    for (int i = 0; i < n; i++)
        ck_assert_msg(memcmp(&x[i], &y[i], sizeof *x) == 0, "number %d: %.17g, not %.17g", i, x[i],
                      y[i]);
}

/* Update of the range in spans of this many factors. */
static void update_in_spans(const sample *s, int length, cd_group_target to)
{
    const double *low = to.low != NULL ? s->low : NULL;
    for (int begin = 0; begin < COUNT; begin += length) {
        const int end = begin + length < COUNT ? begin + length : COUNT;
        cd_group_update_span(s->all, (cd_span){begin, end}, (cd_group_point){s->q, low},
                             s->w + cd_group_velocity_offset(s->all, begin), to);
    }
}

START_TEST(updates_are_those_of_the_factors)
{
    static const int lengths[] = {COUNT, 1, 3, 4, 7, 16};
    sample *s = make_sample();
    double alone[ROOM] = {0.0}, alone_low[ROOM] = {0.0};
    for (int i = 0, flat = 0; i < COUNT; flat += cd_group_flat_count(s->one[i++]))
        cd_group_update_span(s->one[i], (cd_span){0, 1},
                             (cd_group_point){s->q + s->q_at[i], s->low + flat}, s->w + s->v_at[i],
                             (cd_group_target){alone + s->q_at[i], alone_low + flat});
    for (int i = 0; i < 6; i++) {
        double q[ROOM] = {0.0}, low[ROOM] = {0.0};
        update_in_spans(s, lengths[i], (cd_group_target){q, low});
        assert_same(cardan_group_size(s->all), q, alone);
        assert_same(cd_group_flat_count(s->all), low, alone_low);
    }
    drop_sample(s);
}
END_TEST

START_TEST(updates_without_low_words_and_in_place)
{
    sample *s = make_sample();
    double alone[ROOM] = {0.0}, q[ROOM] = {0.0};
    for (int i = 0; i < COUNT; i++)
        cardan_group_update(s->one[i], s->q + s->q_at[i], s->w + s->v_at[i], alone + s->q_at[i]);
    update_in_spans(s, 11, (cd_group_target){q, NULL});
    assert_same(cardan_group_size(s->all), q, alone);
    cardan_group_update(s->all, s->q, s->w, s->q);
    assert_same(cardan_group_size(s->all), s->q, alone);
    ck_assert_double_le(cardan_group_defect(s->all, s->q), 1e-14);
    drop_sample(s);
}
END_TEST

START_TEST(brackets_are_added)
{
    const double c = 0.1;
    sample *s = make_sample();
    const int k = cardan_group_dof(s->all);
    double bracket[ROOM], sum[ROOM], added[ROOM];
    cardan_group_bracket(s->all, s->v, s->w, bracket);
    for (int i = 0; i < k; i++)
        sum[i] = s->w[i] + c * bracket[i];
    memcpy(added, s->w, sizeof added);
    cd_group_add_bracket(s->all, (cd_span){0, 13}, c, s->v, s->w, added);
    cd_group_add_bracket(s->all, (cd_span){13, COUNT}, c, s->v, s->w, added + s->v_at[13]);
    for (int i = 0; i < k; i++)
        ck_assert_double_eq(added[i], sum[i]);
    drop_sample(s);
}
END_TEST

START_TEST(tangents_and_differences_are_those_of_the_factors)
{
    sample *s = make_sample();
    double all[ROOM], alone[ROOM], q1[ROOM];
    cardan_group_update(s->all, s->q, s->w, q1);
    for (int i = 0; i < COUNT; i++)
        cardan_group_tangent(s->one[i], CARDAN_TANGENT, s->w + s->v_at[i], s->v + s->v_at[i],
                             alone + s->v_at[i]);
    cardan_group_tangent(s->all, CARDAN_TANGENT, s->w, s->v, all);
    assert_same(cardan_group_dof(s->all), all, alone);
    for (int i = 0; i < COUNT; i++)
        cardan_group_difference(s->one[i], s->q + s->q_at[i], q1 + s->q_at[i], alone + s->v_at[i]);
    cardan_group_difference(s->all, s->q, q1, all);
    assert_same(cardan_group_dof(s->all), all, alone);
    for (int i = 0; i < COUNT; i++) {
        double block[36], other[36];
        const int dof = cardan_group_dof(s->one[i]);
        cardan_group_tangent_block(s->all, CARDAN_TANGENT, i, s->w, block);
        cardan_group_tangent_block(s->one[i], CARDAN_TANGENT, 0, s->w + s->v_at[i], other);
        assert_same(dof * dof, block, other);
    }
    drop_sample(s);
}
END_TEST

Suite *make_suite(void)
{
    Suite *suite = suite_create("group runs");
    TCase *tcase = tcase_create("equal factors in a row");
    tcase_add_test(tcase, updates_are_those_of_the_factors);
    tcase_add_test(tcase, updates_without_low_words_and_in_place);
    tcase_add_test(tcase, brackets_are_added);
    tcase_add_test(tcase, tangents_and_differences_are_those_of_the_factors);
    suite_add_tcase(suite, tcase);
    return suite;
}
