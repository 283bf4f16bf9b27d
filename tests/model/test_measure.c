/* Measures between two markers: values against closed forms, derivatives against differences. */
#include "element.h"
#include "matrices.h"
#include "model/elements/measure.h"
#include "suite.h"

static const double pi = 3.14159265358979323846;

/* A measure as an element with the constraint e = 0 (or, without a value, the rolling condition
 * G w = 0): its derivatives then are checked as those of any element. */
typedef struct measured {
    const cd_measure *measure;
    cd_marker marker[2];
} measured;

static cd_pair pair_of(const void *self, const cd_element_point *at)
{
    cd_pair pair;
    cd_pair_at(((const measured *)self)->marker, at->body_state, &pair);
    return pair;
}

static const cd_measure *measure_of(const void *self)
{
    return ((const measured *)self)->measure;
}

static int value(const void *self, const cd_element_point *at, double *out)
{
    const cd_pair pair = pair_of(self, at);
    return measure_of(self)->value(&pair, out);
}

static int gradient(const void *self, const cd_element_point *at, double *out)
{
    const cd_pair pair = pair_of(self, at);
    measure_of(self)->gradient(&pair, out);
    return 0;
}

static int rate_dx(const void *self, const cd_element_point *at, double *out)
{
    const cd_pair pair = pair_of(self, at);
    measure_of(self)->rate_dx(&pair, out);
    return 0;
}

static int curvature(const void *self, const cd_element_point *at, double *out)
{
    const cd_pair pair = pair_of(self, at);
    measure_of(self)->curvature(&pair, at->lambda, out);
    return 0;
}

static int rate(const void *self, const cd_element_point *at, double *out)
{
    double G[CD_MEASURE_MAX * CD_PAIR] = {0};
    const cd_pair pair = pair_of(self, at);
    measure_of(self)->gradient(&pair, G);
    for (int i = 0; i < measure_of(self)->count; i++)
        for (int body = 0; body < 2; body++)
            out[i] += cd_dot3(G + i * CD_PAIR + CD_BODY_COLUMNS * body, at->body_state[body].u) +
                      cd_dot3(G + i * CD_PAIR + CD_BODY_COLUMNS * body + 3, at->body_state[body].w);
    return 0;
}

static const cd_element_type with_value = {.name = "measure",
                                           .constraint = value,
                                           .constraint_dx = gradient,
                                           .hidden_dx = rate_dx,
                                           .reaction_dx = curvature};
static const cd_element_type with_rate = {.name = "rate",
                                          .nonholonomic = rate,
                                          .nonholonomic_dw = gradient,
                                          .nonholonomic_dx = rate_dx,
                                          .nonholonomic_reaction_dx = curvature};

/* cd_displacement as a rate for a sphere of radius 0.3. */
static void slip_gradient(const cd_pair *pair, double *G)
{
    cd_pair touching = *pair;
    touching.options = (cd_measure_options){.contact = CD_CONTACT_SPHERE, .radius = 0.3};
    cd_displacement.gradient(&touching, G);
}

static void slip_rate_dx(const cd_pair *pair, double *out)
{
    cd_pair touching = *pair;
    touching.options = (cd_measure_options){.contact = CD_CONTACT_SPHERE, .radius = 0.3};
    cd_displacement.rate_dx(&touching, out);
}

static void slip_curvature(const cd_pair *pair, const double *y, double *out)
{
    cd_pair touching = *pair;
    touching.options = (cd_measure_options){.contact = CD_CONTACT_SPHERE, .radius = 0.3};
    cd_displacement.curvature(&touching, y, out);
}

static const cd_measure slip_of_a_sphere = {3,    NULL, slip_gradient, slip_rate_dx, slip_curvature,
                                            false};

static const cd_measure *const all[] = {
    &slip_of_a_sphere, &cd_distance,           &cd_displacement, &cd_rotation_vector,
    &cd_angle,         &cd_rigid_displacement, &cd_spin,         &cd_relative_motion};

START_TEST(derivatives_agree_with_differences)
{
    unsigned seed = 12;
    for (int trial = 0; trial < 40; trial++) {
        measured self = {all[_i], {random_marker(&seed), random_marker(&seed)}};
        const cd_body_state body_state[2] = {random_site(&seed), random_site(&seed)};
        double y[CD_MEASURE_MAX], e[CD_MEASURE_MAX] = {0};
        random_vector(&seed, CD_MEASURE_MAX, y);
        const cd_element_point at = {.body_state = body_state, .lambda = y, .psi = y};
        const bool valued = self.measure->value != NULL;
        if (valued && (value(&self, &at, e) != 0 || cd_max_abs(self.measure->count, e) > 2.8))
            continue; /* near half a turn the values of angles jump */
        const cd_element element = {.type = valued ? &with_value : &with_rate,
                                    .self = &self,
                                    .count = 2,
                                    .rows = valued ? self.measure->count : 0,
                                    .nonholonomic = valued ? 0 : self.measure->count};
        check_element(&element, &at, 2e-8);
    }
}
END_TEST

/* Rates do not change if both bodies move on together with one more rigid motion. */
START_TEST(common_motions_are_not_seen)
{
    unsigned seed = 5;
    for (int trial = 0; trial < 20; trial++) {
        measured self = {all[_i], {random_marker(&seed), random_marker(&seed)}};
        cd_body_state body_state[2] = {random_site(&seed), random_site(&seed)};
        const cd_element_point at = {.body_state = body_state};
        double before[CD_MEASURE_MAX] = {0}, after[CD_MEASURE_MAX] = {0}, u[3], w[3];
        random_vector(&seed, 3, u);
        random_vector(&seed, 3, w);
        rate(&self, &at, before);
        for (int body = 0; body < 2; body++) {
            double turning[3];
            cd_cross(w, body_state[body].r, turning);
            for (int i = 0; i < 3; i++) {
                body_state[body].u[i] += u[i] + turning[i];
                body_state[body].w[i] += w[i];
            }
        }
        rate(&self, &at, after);
        for (int i = 0; i < self.measure->count; i++)
            ck_assert_double_eq_tol(before[i], after[i], 1e-11 * fmax(1.0, fabs(before[i])));
    }
}
END_TEST

START_TEST(values_have_their_closed_forms)
{
    unsigned seed = 3;
    for (int trial = 0; trial < 20; trial++) {
        cd_marker marker[2] = {random_marker(&seed), {.axes = {1, 0, 0, 0, 1, 0, 0, 0, 1}}};
        cd_body_state body_state[2] = {random_site(&seed), random_site(&seed)};
        cd_pair pair;
        double place[3], turn[3], shift[3], increment[9], e[6] = {0}, angle = 0.0, length = 0.0;
        random_vector(&seed, 3, place);
        random_vector(&seed, 3, turn);
        /* body 2 lies at `place` in frame 1, turned by the rotation vector `turn` */
        cd_pair_at(marker, body_state, &pair);
        cd_apply3(pair.one.axes, place, shift);
        for (int i = 0; i < 3; i++)
            body_state[1].r[i] = pair.one.p[i] + shift[i];
        cd_rotation_increment(turn, increment);
        cd_add_identity3(increment);
        cd_product3(pair.one.axes, increment, body_state[1].R);
        cd_pair_at(marker, body_state, &pair);
        ck_assert_int_eq(cd_rigid_displacement.value(&pair, e), 0);
        ck_assert_int_eq(cd_distance.value(&pair, &length), 0);
        for (int i = 0; i < 3; i++) {
            ck_assert_double_eq_tol(e[i], place[i], 1e-13);
            ck_assert_double_eq_tol(e[3 + i], turn[i], 1e-13);
        }
        ck_assert_double_eq_tol(length, sqrt(cd_square3(place)), 1e-13);
        /* twist: half its angle is that of the part (w, z) of the quaternion */
        const double size = sqrt(cd_square3(turn));
        cd_angle.value(&pair, &angle);
        ck_assert_double_eq_tol(angle, 2.0 * atan2(turn[2] / size * sin(size / 2), cos(size / 2)),
                                1e-13);
    }
}
END_TEST

START_TEST(twist_about_an_aligned_axis_is_the_angle)
{
    for (int i = -31; i <= 31; i++) {
        const double angle = 0.1 * i, c = cos(angle), s = sin(angle);
        const cd_marker marker[2] = {{.axes = {1, 0, 0, 0, 1, 0, 0, 0, 1}},
                                     {.axes = {c, -s, 0, s, c, 0, 0, 0, 1}}};
        const cd_body_state body_state[2] = {ground_site(), ground_site()};
        double value = 0.0;
        cd_pair pair;
        cd_pair_at(marker, body_state, &pair);
        ck_assert_int_eq(cd_angle.value(&pair, &value), 0);
        ck_assert_double_eq_tol(value, angle, 1e-14);
    }
}
END_TEST

START_TEST(points_without_derivative_are_reported)
{
    const cd_marker marker[2] = {{.axes = {1, 0, 0, 0, 1, 0, 0, 0, 1}},
                                 {.axes = {1, 0, 0, 0, -1, 0, 0, 0, -1}}};
    const cd_body_state body_state[2] = {ground_site(), ground_site()};
    double e[6] = {0};
    cd_pair pair;
    cd_pair_at(marker, body_state, &pair);
    ck_assert_int_gt(cd_distance.value(&pair, e), 0);
    ck_assert_int_gt(cd_rotation_vector.value(&pair, e), 0);
    ck_assert_double_eq_tol(sqrt(cd_square3(e)), pi, 1e-12);
    ck_assert_int_gt(cd_angle.value(&pair, e), 0);
}
END_TEST

Suite *make_suite(void)
{
    const int count = (int)(sizeof all / sizeof *all);
    Suite *suite = suite_create("measure");
    TCase *tcase = tcase_create("measure");
    tcase_set_timeout(tcase, 60);
    tcase_add_loop_test(tcase, derivatives_agree_with_differences, 0, count);
    tcase_add_loop_test(tcase, common_motions_are_not_seen, 0, count);
    tcase_add_test(tcase, values_have_their_closed_forms);
    tcase_add_test(tcase, twist_about_an_aligned_axis_is_the_angle);
    tcase_add_test(tcase, points_without_derivative_are_reported);
    suite_add_tcase(suite, tcase);
    return suite;
}
