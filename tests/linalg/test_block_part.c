/* A part of block factors that is made anew: solutions are those of the matrix that has new entries
 * in the part and old ones elsewhere; which units the part consists of; bytes; parts that are
 * refused or declined. */
#include "base/numeric.h"
#include "base/team.h"
#include "joint_graph.h"
#include "linalg/block_part.h"
#include "matrices.h"
#include "suite.h"

#include <stdlib.h>

static cd_arena arena;

static void set_up(void)
{
    cd_arena_init(&arena, NULL);
}

static void tear_down(void)
{
    cd_arena_destroy(&arena);
}

/* ---- subjects: a matrix, its entries and what the test knows of its part ---- */

typedef enum shape { CHAIN, RING, LADDER, TREE, SHAPES } shape;

typedef struct subject {
    block_system system;
    cd_matrix *matrix;
    double *old;   /* entries of the last factorization of the whole */
    double *mixed; /* those that the factors should be of */
    bool *in;      /* units of the part, by their places in the order */
    double *x;     /* what the part is chosen by */
} subject;

static mechanism make_mechanism(shape which, int bodies, int joint_size)
{
    switch (which) {
    case LADDER:
        return make_ladder(bodies / 3, joint_size);
    case TREE:
        return make_tree(bodies, joint_size);
    default:
        return make_chain(bodies, which == RING, joint_size);
    }
}

static subject open_subject(shape which, int bodies, int body_size, int joint_size, bool stiff)
{
    mechanism m = make_mechanism(which, bodies, joint_size);
    m.stiff = stiff;
    subject s = {.system = make_block_system(&arena, &m, body_size)};
    s.matrix = make_block_matrix(&arena, &s.system, true);
    s.mixed = cd_arena_doubles(&arena, s.system.entries);
    s.in = cd_arena_take(&arena, (size_t)s.system.units * sizeof *s.in);
    s.x = cd_arena_doubles(&arena, s.system.n);
    free_mechanism(&m);
    return s;
}

/* A factorization of the whole. */
static void factor_anew(subject *s, unsigned seed)
{
    s->old = random_values(&arena, &s->system, seed);
    cd_copy(s->system.entries, s->old, s->mixed);
    factor_blocks(&s->system, s->old, s->matrix);
}

static int place_of(const subject *s, int group)
{
    return cd_matrix_spots(s->matrix)[group].node;
}

/* The place in the order of the unit of an unknown. */
static int place_of_unknown(const subject *s, int unknown)
{
    int group = 0;
    while (s->system.group[group].first + s->system.group[group].size <= unknown)
        group++;
    return place_of(s, group);
}

/* Whoever is in the part takes all in its reach with it. */
static void expect_unit(subject *s, int place)
{
    const cd_unit_order *order = &cd_matrix_lu(s->matrix)->order;
    s->in[place] = true;
    for (int i = place; i < s->system.units; i++)
        for (int r = order->reach_start[i]; s->in[i] && r < order->reach_start[i + 1]; r++)
            s->in[order->reach[r]] = true;
}

static void expect_part(const subject *s)
{
    const cd_block_lu *lu = cd_matrix_lu(s->matrix);
    double numbers = 0.0;
    int count = 0;
    for (int i = 0; i < s->system.units; i++) {
        ck_assert_int_eq(lu->part.in[i], s->in[i]);
        if (!s->in[i])
            continue;
        ck_assert_int_eq(lu->part.unit[count++], i);
        numbers += lu->offset[i + 1] - lu->offset[i];
        numbers += lu->first[i + 1] - lu->first[i];
    }
    ck_assert_int_eq(lu->part.count, count);
    const double all = (double)cd_block_lu_entries(lu) + s->system.n;
    ck_assert_double_eq_tol(cd_matrix_part_share(s->matrix), numbers / all, 1e-12);
}

/* An unknown of a body becomes large, and its unit one of the part. */
static void raise(subject *s, int unknown, double size)
{
    s->x[unknown] = size;
    expect_unit(s, place_of_unknown(s, unknown));
}

/* Bodies next to the ground that the part of every shape can begin with. */
static void raise_some(subject *s, int step)
{
    const int size = s->system.group[0].size + s->system.group[1].size;
    for (int b = 0; b < 4; b++)
        raise(s, step * b * size + b % size, b % 2 == 0 ? 2.0 : -2.0);
}

/* What the factors are of once the part has been made anew with these values. */
static void mix(subject *s, const double *fresh)
{
    for (int l = 0; l < s->system.links; l++) {
        const block_link link = s->system.link[l];
        const int count = s->system.group[link.a].size * s->system.group[link.b].size;
        const bool both = s->in[place_of(s, link.a)] && s->in[place_of(s, link.b)];
        const double *from = both ? fresh : s->old;
        cd_copy(count, from + link.ab, s->mixed + link.ab);
        cd_copy(count, from + link.ba, s->mixed + link.ba);
    }
}

/* All entries are given, those of other units to be dropped. */
static cardan_status renew(subject *s, const double *fresh)
{
    cd_matrix_open_part(s->matrix);
    ck_assert(cd_matrix_part_is_open(s->matrix));
    add_blocks(&s->system, fresh, s->matrix);
    const cardan_status status = cd_matrix_factor(s->matrix);
    ck_assert(!cd_matrix_part_is_open(s->matrix));
    return status;
}

static double *right_side(const subject *s, unsigned seed)
{
    double *b = cd_arena_doubles(&arena, s->system.n);
    random_vector(&seed, s->system.n, b);
    return b;
}

static double *solve(const subject *s, const double *b)
{
    double *x = cd_arena_doubles(&arena, s->system.n);
    cd_copy(s->system.n, b, x);
    cd_matrix_solve(s->matrix, x);
    return x;
}

static double error_of(const subject *s, const double *values)
{
    const double *b = right_side(s, 3u);
    return residual_of(&s->system, values, b, solve(s, b));
}

static void expect_solution(const subject *s)
{
    ck_assert_double_le(error_of(s, s->mixed), 1e-8); /* without pivots across units */
}

static void renew_and_compare(subject *s, unsigned seed)
{
    const double *fresh = random_values(&arena, &s->system, seed);
    mix(s, fresh);
    ck_assert_int_eq(renew(s, fresh), CARDAN_OK);
    expect_solution(s);
    ck_assert_double_ge(error_of(s, s->old), 1e-3);
    ck_assert_double_ge(error_of(s, fresh), 1e-3);
}

static bool choose(const subject *s, double limit, int growth)
{
    return cd_matrix_choose_part(s->matrix, s->system.n, limit, s->x, growth);
}

static void choose_some(subject *s)
{
    raise_some(s, 1);
    ck_assert(choose(s, 1.0, 0));
    expect_part(s);
}

/* ---- solutions ---- */

static const struct {
    int body, joint;
    bool stiff;
} sizes[] = {{6, 3, false}, {6, 5, true}, {3, 2, false}, {4, 3, true}};
enum { SIZES = sizeof sizes / sizeof sizes[0], BODIES = 306 };

static subject open_number(int i)
{
    const int k = i % SIZES;
    const shape which = (shape)(i / SIZES);
    const bool held = which == LADDER && sizes[k].stiff; /* by as many rows as there are unknowns */
    return open_subject(which, BODIES, sizes[k].body, sizes[k].joint - held, sizes[k].stiff);
}

START_TEST(solutions_are_those_of_the_mixed_matrix)
{
    subject s = open_number(_i);
    factor_anew(&s, 1u + (unsigned)_i);
    expect_solution(&s);
    choose_some(&s);
    expect_solution(&s); /* nothing is made anew by that */
    renew_and_compare(&s, 100u + (unsigned)_i);
}
END_TEST

/* x <- a^-1 x by elimination with pivoting; a is row-major and is lost. */
static void eliminate(size_t n, double *a, double *x)
{
    for (size_t k = 0; k < n; k++) {
        size_t best = k;
        for (size_t i = k + 1; i < n; i++)
            if (fabs(a[i * n + k]) > fabs(a[best * n + k]))
                best = i;
        for (size_t j = k; j < n; j++) {
            const double kept = a[k * n + j];
            a[k * n + j] = a[best * n + j];
            a[best * n + j] = kept;
        }
        const double kept = x[k];
        x[k] = x[best];
        x[best] = kept;
        for (size_t i = k + 1; i < n; i++) {
            const double factor = a[i * n + k] / a[k * n + k];
            for (size_t j = k; factor != 0.0 && j < n; j++)
                a[i * n + j] -= factor * a[k * n + j];
            x[i] -= factor * x[k];
        }
    }
    for (size_t k = n; k-- > 0;) {
        for (size_t j = k + 1; j < n; j++)
            x[k] -= a[k * n + j] * x[j];
        x[k] /= a[k * n + k];
    }
}

START_TEST(solutions_are_those_of_a_dense_matrix)
{
    subject s = open_subject((shape)_i, _i == LADDER ? 225 : 258, 2, 1, _i % 2 == 0);
    factor_anew(&s, 5u);
    choose_some(&s);
    renew_and_compare(&s, 6u);
    const size_t n = (size_t)s.system.n;
    double *dense = cd_arena_take(&arena, n * n * sizeof *dense), *y = right_side(&s, 8u);
    const double *x = solve(&s, y);
    ck_assert_ptr_nonnull(dense);
    expand_blocks(&s.system, s.mixed, dense);
    eliminate(n, dense, y);
    const double size = cd_max_abs(s.system.n, y);
    for (int i = 0; i < s.system.n; i++)
        ck_assert_double_eq_tol(x[i], y[i], 1e-8 * size);
}
END_TEST

/* Renewals follow each other; so do factorizations of the whole, after which the part is the same
 * and what the others have added to it is not. */
START_TEST(again_and_again)
{
    subject s = open_number(_i);
    factor_anew(&s, 11u);
    choose_some(&s);
    for (unsigned round = 0; round < 3; round++) {
        for (unsigned i = 0; i < 3; i++)
            renew_and_compare(&s, 20u + 10u * round + i);
        factor_anew(&s, 50u + round);
        expect_solution(&s);
        expect_part(&s);
    }
}
END_TEST

/* Old entries, too, give the old factors, but for rounding. */
START_TEST(nothing_new_changes_nothing)
{
    subject s = open_number(_i);
    factor_anew(&s, 13u);
    const double *b = right_side(&s, 1u), *before = solve(&s, b);
    choose_some(&s);
    ck_assert_int_eq(renew(&s, s.old), CARDAN_OK);
    expect_solution(&s);
    const double *after = solve(&s, b), size = cd_max_abs(s.system.n, before);
    for (int i = 0; i < s.system.n; i++)
        ck_assert_double_eq_tol(after[i], before[i], 1e-8 * size);
}
END_TEST

/* Units that join the part have the entries of the whole until it is made anew; the others' stay as
 * they were, to the last bit. */
START_TEST(parts_grow)
{
    subject s = open_number(_i);
    const cd_block_lu *lu = cd_matrix_lu(s.matrix);
    const size_t entries = cd_block_lu_entries(lu);
    double *kept = cd_arena_take(&arena, entries * sizeof *kept);
    factor_anew(&s, 17u);
    memcpy(kept, lu->values, entries * sizeof *kept);
    choose_some(&s);
    renew_and_compare(&s, 18u);
    for (int step = 2; step <= 3; step++) {
        const double *b = right_side(&s, 1u), *before = solve(&s, b);
        raise_some(&s, step);
        ck_assert(choose(&s, 1.0, 0));
        expect_part(&s);
        ck_assert_mem_eq(solve(&s, b), before, (size_t)s.system.n * sizeof *b);
        renew_and_compare(&s, 18u + (unsigned)step);
        renew_and_compare(&s, 28u + (unsigned)step);
    }
    for (int i = 0; i < lu->count; i++)
        if (!s.in[i])
            ck_assert_mem_eq(lu->values + lu->offset[i], kept + lu->offset[i],
                             (lu->offset[i + 1] - lu->offset[i]) * sizeof *kept);
}
END_TEST

/* Factors that were made in tasks (unit_tasks.h), by one thread or two: the same bits. */
START_TEST(factors_of_tasks)
{
    const shape which = _i == 0 ? RING : TREE;
    subject one = open_subject(which, 900, 6, 3, false),
            two = open_subject(which, 900, 6, 3, false);
    cd_team *team = cd_team_create(&arena, 2);
    ck_assert_ptr_nonnull(team);
    cd_matrix_set_team(two.matrix, team);
    ck_assert_int_ge(cd_matrix_lu(one.matrix)->task_count, 2);
    factor_anew(&one, 1u);
    factor_anew(&two, 1u);
    choose_some(&one);
    choose_some(&two);
    for (unsigned i = 0; i < 2; i++) {
        renew_and_compare(&one, 2u + i);
        renew_and_compare(&two, 2u + i);
        const double *b = right_side(&one, 4u);
        ck_assert_mem_eq(solve(&one, b), solve(&two, b), (size_t)one.system.n * sizeof *b);
    }
}
END_TEST

/* ---- which units ---- */

static subject open_chain(void)
{
    subject s = open_subject(CHAIN, BODIES, 6, 3, false);
    factor_anew(&s, 1u);
    return s;
}

/* Numbers that are not above the limit, and those of other rows, do not count. */
START_TEST(only_large_numbers_of_the_first_rows)
{
    subject s = open_chain();
    s.x[3 * 6] = 1.0;
    s.x[5 * 6] = -1.0;
    ck_assert(choose(&s, 1.0, 0));
    expect_part(&s);
    ck_assert_double_eq(cd_matrix_part_share(s.matrix), 0.0);
    s.x[5 * 6 + 5] = 1.5;
    ck_assert(cd_matrix_choose_part(s.matrix, 5 * 6 + 5, 1.0, s.x, 0));
    ck_assert_double_eq(cd_matrix_part_share(s.matrix), 0.0);
    raise(&s, 2 * 6 + 1, -1.5);
    ck_assert(cd_matrix_choose_part(s.matrix, 5 * 6 + 5, 1.0, s.x, 0));
    expect_part(&s);
    raise(&s, 5 * 6 + 5, 1.5);
    ck_assert(cd_matrix_choose_part(s.matrix, 5 * 6 + 6, 1.0, s.x, 0));
    expect_part(&s);
}
END_TEST

/* Links of the chain are in the part from the ground on; the first that has too many before it. */
START_TEST(too_large_parts_are_refused)
{
    subject s = open_chain();
    double *x = s.x;
    const double all = cd_matrix_part_share(s.matrix);
    ck_assert_double_eq(all, 0.0);
    x[6 * (BODIES - 1)] = 2.0; /* and so all bodies */
    ck_assert(!choose(&s, 1.0, 0));
    expect_part(&s);
    x[6 * (BODIES - 1)] = 0.0;
    choose_some(&s);
    renew_and_compare(&s, 2u);
    x[6 * (BODIES / 2)] = 2.0;
    ck_assert(!choose(&s, 1.0, 0));
    expect_part(&s);
    x[6 * (BODIES / 2)] = 0.0;
    renew_and_compare(&s, 3u);
    /* an eighth is the limit */
    x[6 * (BODIES / 8 + 2)] = 2.0;
    ck_assert(!choose(&s, 1.0, 0));
    x[6 * (BODIES / 8 + 2)] = 0.0;
    expect_part(&s);
    raise(&s, 6 * (BODIES / 8 - 3), 2.0);
    ck_assert(choose(&s, 1.0, 0));
    expect_part(&s);
    ck_assert_double_le(cd_matrix_part_share(s.matrix), 1.0 / 8.0);
    renew_and_compare(&s, 4u);
}
END_TEST

/* In a chain link b takes 2 (b + 1) units. */
START_TEST(growth_has_a_limit)
{
    subject s = open_chain();
    s.x[0] = 2.0;
    ck_assert(!choose(&s, 1.0, 3)); /* three times nothing */
    expect_part(&s);
    raise(&s, 6 * 4, 2.0); /* 10 units */
    ck_assert(choose(&s, 1.0, 0));
    expect_part(&s);
    ck_assert_int_eq(cd_matrix_lu(s.matrix)->part.count, 10);
    s.x[6 * 15] = 2.0; /* 32 */
    ck_assert(!choose(&s, 1.0, 3));
    expect_part(&s);
    s.x[6 * 15] = 0.0;
    raise(&s, 6 * 14, 2.0); /* 30 */
    ck_assert(choose(&s, 1.0, 3));
    expect_part(&s);
    ck_assert(choose(&s, 1.0, 1)); /* nothing new */
    expect_part(&s);
    raise(&s, 6 * 30, 2.0); /* 62: more than twice, as much as three times */
    ck_assert(!choose(&s, 1.0, 2));
    ck_assert(choose(&s, 1.0, 3));
    expect_part(&s);
    renew_and_compare(&s, 2u);
}
END_TEST

START_TEST(forgotten_parts)
{
    subject s = open_chain();
    choose_some(&s);
    renew_and_compare(&s, 2u);
    cd_matrix_forget_part(s.matrix);
    memset(s.in, 0, (size_t)s.system.units * sizeof *s.in);
    expect_part(&s);
    ck_assert_double_eq(cd_matrix_part_share(s.matrix), 0.0);
    expect_solution(&s); /* the factors are the same */
    if (_i == 0)         /* those of the part have come to stay */
        factor_anew(&s, 3u);
    else
        cd_copy(s.system.entries, s.mixed, s.old);
    cd_zero(s.system.n, s.x);
    raise(&s, 6 * 1, 2.0);
    ck_assert(choose(&s, 1.0, 0));
    expect_part(&s);
    renew_and_compare(&s, 4u);
}
END_TEST

/* While it is open: there are no factors, and the whole is made next. */
START_TEST(forgotten_while_open)
{
    subject s = open_chain();
    choose_some(&s);
    cd_matrix_open_part(s.matrix);
    cd_matrix_forget_part(s.matrix);
    ck_assert(!cd_matrix_part_is_open(s.matrix));
    factor_anew(&s, 3u);
    expect_solution(&s);
    memset(s.in, 0, (size_t)s.system.units * sizeof *s.in);
    choose_some(&s);
    renew_and_compare(&s, 4u);
}
END_TEST

/* Small matrices, and those of which nobody has said that parts will be made anew. */
START_TEST(matrices_without_parts)
{
    mechanism m = make_chain(_i == 0 ? 255 : BODIES, false, 3);
    block_system s = make_block_system(&arena, &m, 6);
    cd_matrix *matrix = make_block_matrix(&arena, &s, _i == 0);
    double *x = cd_arena_doubles(&arena, s.n);
    factor_blocks(&s, random_values(&arena, &s, 1u), matrix);
    x[0] = 1.0;
    ck_assert(!cd_matrix_choose_part(matrix, s.n, 0.5, x, 0));
    ck_assert_double_eq(cd_matrix_part_share(matrix), 0.0);
    cd_matrix_forget_part(matrix);
    ck_assert(!cd_matrix_part_is_open(matrix));
    free_mechanism(&m);
}
END_TEST

/* ---- declined ---- */

/* A body without mass, or one that is not a number. */
static void spoil_body(const block_system *s, int body, double mass, double *values)
{
    for (int l = 0; l < s->links; l++) {
        const block_link link = s->link[l];
        const int count = s->group[link.a].size * s->group[link.b].size;
        if (s->group[link.a].unit != body || s->group[link.b].unit != body)
            continue;
        for (int i = 0; i < count; i++)
            values[link.ab + i] = values[link.ba + i] = mass;
    }
}

/* The whole is then made as if nothing had been, and the same part can be made anew. */
START_TEST(irregular_parts_are_declined)
{
    subject s = open_number(_i % 4 * SIZES);
    factor_anew(&s, 1u);
    choose_some(&s);
    if (_i < 4)
        renew_and_compare(&s, 2u);
    double *fresh = random_values(&arena, &s.system, 3u);
    spoil_body(&s.system, 1, _i % 2 == 0 ? 0.0 : NAN, fresh);
    ck_assert_int_eq(renew(&s, fresh), CARDAN_SINGULAR_MATRIX);
    ck_assert(!cd_matrix_retry(s.matrix)); /* no reason to leave the blocks */
    factor_anew(&s, 4u);
    expect_solution(&s);
    expect_part(&s);
    renew_and_compare(&s, 5u);
}
END_TEST

/* What the others have added to a body and what is added to it now cancel, but for the last digits:
 * that is seen, also if what they have added was kept from the renewal before. */
START_TEST(lost_digits_are_seen)
{
    subject s = open_chain();
    const double *fresh = random_values(&arena, &s.system, 3u);
    const cd_block_lu *lu = cd_matrix_lu(s.matrix);
    choose_some(&s);
    mix(&s, fresh);
    for (int i = 0; i < _i; i++)
        ck_assert_int_eq(renew(&s, fresh), CARDAN_OK);
    cd_matrix_open_part(s.matrix);
    const cd_block_numbers last = cd_block_of(lu, place_of(&s, 2 * 3)); /* of body 3 */
    double added[6];
    for (int i = 0; i < 6; i++) {
        added[i] = fabs(last.diagonal[7 * i]);
        ck_assert_double_gt(added[i], 1e-2);
    }
    add_blocks(&s.system, fresh, s.matrix);
    for (int i = 0; i < 36; i++)
        last.diagonal[i] = i % 7 == 0 ? 1e-13 * added[i / 7] : 0.0;
    ck_assert_int_eq(cd_matrix_factor(s.matrix), CARDAN_SINGULAR_MATRIX);
}
END_TEST

/* A body without mass, which six rows hold: the blocks decline, KLU does not. */
static void factor_by_klu(subject *s)
{
    double *values = random_values(&arena, &s->system, 9u);
    spoil_body(&s->system, 1, 0.0, values);
    cd_matrix_clear(s->matrix);
    add_blocks(&s->system, values, s->matrix);
    ck_assert_int_eq(cd_matrix_factor(s->matrix), CARDAN_SINGULAR_MATRIX);
    ck_assert(cd_matrix_retry(s->matrix));
    factor_blocks(&s->system, values, s->matrix);
    ck_assert_double_le(error_of(s, values), 1e-8);
    ck_assert_double_eq(cd_matrix_part_share(s->matrix), 0.0);
    ck_assert(!choose(s, 1.0, 0));
}

/* With KLU there are no parts; the blocks bring them back. */
START_TEST(parts_survive_klu)
{
    subject s = open_chain();
    choose_some(&s);
    renew_and_compare(&s, 2u);
    factor_by_klu(&s);
    factor_anew(&s, 3u);
    expect_solution(&s);
    expect_part(&s);
    renew_and_compare(&s, 4u);
}
END_TEST

/* What is forgotten meanwhile is not brought back. */
START_TEST(parts_forgotten_with_klu)
{
    subject s = open_chain();
    choose_some(&s);
    factor_by_klu(&s);
    cd_matrix_forget_part(s.matrix);
    factor_anew(&s, 3u);
    ck_assert_double_eq(cd_matrix_part_share(s.matrix), 0.0);
}
END_TEST

/* Outside the part nobody sees it. */
START_TEST(spoilt_entries_elsewhere_are_dropped)
{
    subject s = open_chain();
    choose_some(&s);
    double *fresh = random_values(&arena, &s.system, 3u);
    mix(&s, fresh);
    spoil_body(&s.system, BODIES - 1, NAN, fresh);
    spoil_body(&s.system, 5, NAN, fresh);
    ck_assert_int_eq(renew(&s, fresh), CARDAN_OK);
    expect_solution(&s);
}
END_TEST

/* ---- bytes ---- */

/* Of two matrices one goes on from the bytes of the other. */
START_TEST(bytes_go_on)
{
    subject one = open_number(_i), two = open_number(_i);
    factor_anew(&one, 1u);
    choose_some(&one);
    if (_i % 2 == 0) /* the other one has a larger part of its own */
        factor_anew(&two, 7u);
    raise_some(&two, 3);
    ck_assert(_i % 2 != 0 || choose(&two, 1.0, 0));
    if (_i % 2 == 0)
        renew_and_compare(&two, 8u);
    renew_and_compare(&one, 2u);
    char *bytes = cd_arena_take(&arena, cd_matrix_factors_size(one.matrix));
    ck_assert_uint_eq(cd_matrix_factors_size(one.matrix), cd_matrix_factors_size(two.matrix));
    cd_matrix_save_factors(one.matrix, bytes);
    ck_assert(cd_matrix_accepts_factors(two.matrix, bytes));
    cd_matrix_load_factors(two.matrix, bytes);
    memcpy(two.in, one.in, (size_t)one.system.units * sizeof *one.in);
    expect_part(&two);
    for (unsigned i = 0; i < 3; i++) {
        const double *b = right_side(&one, 4u), *fresh = random_values(&arena, &one.system, 5u + i);
        ck_assert_mem_eq(solve(&one, b), solve(&two, b), (size_t)one.system.n * sizeof *b);
        ck_assert_int_eq(renew(&one, fresh), CARDAN_OK);
        ck_assert_int_eq(renew(&two, fresh), CARDAN_OK);
    }
    char *other = cd_arena_take(&arena, cd_matrix_factors_size(one.matrix));
    cd_matrix_save_factors(one.matrix, bytes);
    cd_matrix_save_factors(two.matrix, other);
    ck_assert_mem_eq(bytes, other, cd_matrix_factors_size(one.matrix));
}
END_TEST

START_TEST(bytes_that_are_no_part)
{
    subject s = open_chain();
    choose_some(&s);
    cd_block_lu *lu = (cd_block_lu *)cd_matrix_lu(s.matrix);
    const int wrong[][2] = {{0, -1}, {0, lu->part.most + 1}, {0, 1 << 30},
                            {1, -1}, {2, lu->count},         {1, 1 << 30}};
    const size_t size = cd_matrix_factors_size(s.matrix), own = cd_block_part_size(lu);
    char *bytes = cd_arena_take(&arena, size), *part = bytes + size - own;
    cd_matrix_save_factors(s.matrix, bytes);
    ck_assert(cd_matrix_accepts_factors(s.matrix, bytes));
    ck_assert(cd_block_part_accepts(lu, part));
    int number;
    memcpy(part + (size_t)wrong[_i][0] * sizeof number, &wrong[_i][1], sizeof number);
    ck_assert(!cd_block_part_accepts(lu, part));
    ck_assert(!cd_matrix_accepts_factors(s.matrix, bytes));
}
END_TEST

/* The same where the factors are said to be those of KLU. */
START_TEST(bytes_of_klu_that_are_no_part)
{
    subject s = open_chain();
    const cd_block_lu *lu = cd_matrix_lu(s.matrix);
    const size_t size = cd_matrix_factors_size(s.matrix);
    char *bytes = cd_arena_take(&arena, size);
    cd_matrix_save_factors(s.matrix, bytes);
    const int wrong = lu->part.most + 1;
    bytes[0] = 1;
    ck_assert(cd_matrix_accepts_factors(s.matrix, bytes));
    memcpy(bytes + size - cd_block_part_size(lu), &wrong, sizeof wrong);
    ck_assert(!cd_matrix_accepts_factors(s.matrix, bytes));
}
END_TEST

/* Units that would be more than there is room for are no part, but nothing breaks. */
START_TEST(bytes_of_too_large_a_part)
{
    subject s = open_chain();
    choose_some(&s);
    cd_block_lu *lu = (cd_block_lu *)cd_matrix_lu(s.matrix);
    int *part = cd_arena_take(&arena, cd_block_part_size(lu));
    part[0] = lu->part.most;
    for (int i = 1; i <= part[0]; i++)
        part[i] = i - 1; /* the far end of the chain */
    ck_assert(cd_block_part_accepts(lu, (const char *)part));
    cd_block_part_load(lu, (const char *)part);
    memset(s.in, 0, (size_t)s.system.units * sizeof *s.in);
    expect_part(&s);
    choose_some(&s);
    renew_and_compare(&s, 4u);
}
END_TEST

Suite *make_suite(void)
{
    Suite *suite = suite_create("linalg: parts of block factors");
    TCase *tests = tcase_create("parts");
    tcase_set_timeout(tests, 300.0);
    tcase_add_checked_fixture(tests, set_up, tear_down);
    tcase_add_loop_test(tests, solutions_are_those_of_the_mixed_matrix, 0, SHAPES * SIZES);
    tcase_add_loop_test(tests, solutions_are_those_of_a_dense_matrix, 0, SHAPES);
    tcase_add_loop_test(tests, again_and_again, 0, SHAPES * SIZES);
    tcase_add_loop_test(tests, nothing_new_changes_nothing, 0, SHAPES * SIZES);
    tcase_add_loop_test(tests, parts_grow, 0, SHAPES * SIZES);
    tcase_add_loop_test(tests, factors_of_tasks, 0, 2);
    tcase_add_test(tests, only_large_numbers_of_the_first_rows);
    tcase_add_test(tests, too_large_parts_are_refused);
    tcase_add_test(tests, growth_has_a_limit);
    tcase_add_loop_test(tests, forgotten_parts, 0, 2);
    tcase_add_test(tests, forgotten_while_open);
    tcase_add_loop_test(tests, matrices_without_parts, 0, 2);
    tcase_add_loop_test(tests, irregular_parts_are_declined, 0, 8);
    tcase_add_test(tests, parts_survive_klu);
    tcase_add_test(tests, parts_forgotten_with_klu);
    tcase_add_loop_test(tests, lost_digits_are_seen, 0, 2);
    tcase_add_test(tests, spoilt_entries_elsewhere_are_dropped);
    tcase_add_loop_test(tests, bytes_go_on, 0, SHAPES * SIZES);
    tcase_add_loop_test(tests, bytes_that_are_no_part, 0, 6);
    tcase_add_test(tests, bytes_of_klu_that_are_no_part);
    tcase_add_test(tests, bytes_of_too_large_a_part);
    suite_add_tcase(suite, tests);
    return suite;
}
