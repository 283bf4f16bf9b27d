/* Iteration matrices of models in block storage against the same terms in a full matrix; in pieces;
 * and the sizes that weights are made of. */
#include "base/numeric.h"
#include "linalg/block_store.h"
#include "matrices.h"
#include "matrix_inside.h"
#include "models.h"
#include "suite.h"
#include "system/system.h"

#include <limits.h>
#include <stdlib.h>

enum { TERMS = 7, SADDLE_TERMS = 3, LINKS = 400 };

static const cardan_joint_type joints[] = {
    CARDAN_JOINT_SPHERICAL,   CARDAN_JOINT_REVOLUTE,      CARDAN_JOINT_UNIVERSAL,
    CARDAN_JOINT_CYLINDRICAL, CARDAN_JOINT_PRISMATIC,     CARDAN_JOINT_PLANAR,
    CARDAN_JOINT_FIXED,       CARDAN_JOINT_POINT_ON_LINE, CARDAN_JOINT_POINT_ON_PLANE};

static cd_arena arena;
static cardan_error error;

static void set_up(void)
{
    cd_arena_init(&arena, NULL);
}

static void tear_down(void)
{
    cd_arena_destroy(&arena);
}

static int below(unsigned *seed, int count)
{
    return (int)(0.5 * (1.0 + random_number(seed)) * count) % count;
}

/* Joins two bodies (or ground, -1) as they stand at the start. */
static void join(cardan_model *model, const cardan_body_def *body, int one, int two,
                 cardan_joint_type type, unsigned *seed)
{
    const cardan_body_def ground = cardan_body_def_default();
    cardan_joint_def joint = cardan_joint_def_default();
    double turn[4], place[3];
    if (body[two].type == CARDAN_BODY_PLANAR)
        random_turn_about_z(seed, turn);
    else
        random_quaternion(seed, turn);
    random_vector(seed, 3, place);
    joint.type = type;
    joint.body1 = one;
    joint.body2 = two;
    joint.frame1 = frame_at(one < 0 ? &ground : &body[one], place, turn);
    joint.frame2 = frame_at(&body[two], place, turn);
    put_joint(model, joint);
}

static void add_force(cardan_model *model, int one, int two, unsigned *seed)
{
    cardan_force_def force = cardan_force_def_default();
    force.type = CARDAN_FORCE_SPRING;
    force.body1 = one;
    force.body2 = two;
    force.stiffness = 20.0;
    force.damping = 3.0;
    force.length = 0.5;
    random_vector(seed, 3, force.frame1.position);
    random_vector(seed, 3, force.frame2.position);
    CHECK_MODEL(model, cardan_model_add_force(model, &force, NULL));
}

/* Bodies of one kind (-1: spatial ones and others) in a tree or, if they are many, in a chain, with
 * some springs and dampers. Planar bodies have revolute joints, spatial ones the first three. */
static cardan_model *make_model(int bodies, int kind, bool forces, unsigned seed)
{
    cardan_model *model = model_with_gravity((double[]){1.0, 2.0, -9.81});
    cardan_body_def *body = calloc((size_t)bodies, sizeof *body);
    for (int i = 0; i < bodies; i++) {
        static const int mixed[] = {KIND_SPATIAL, KIND_SPATIAL, KIND_BODY};
        const int of = kind >= 0 ? kind : mixed[below(&seed, 3)];
        const int parent = i == 0 ? -1 : bodies > 100 ? i - 1 : below(&seed, i + 1) - 1;
        body[i] = random_body(&seed, of);
        put_body(model, body[i]);
        const int pivots = kind == KIND_PLANAR ? 1 : kind == KIND_SPATIAL ? 3 : 0;
        join(model, body, parent, i,
             joints[pivots == 1 ? 1 : below(&seed, pivots > 0 ? pivots : 9)], &seed);
        if (forces && below(&seed, 2) == 0)
            add_force(model, below(&seed, i + 1) - 1, i, &seed);
    }
    free(body);
    CHECK_MODEL(model, cardan_model_build(model));
    return model;
}

/* ga3 and the velocity constraints of ga2s, with weights that are all different. */
static void list_terms(const cardan_system *system, cd_term terms[TERMS])
{
    const int k = system->k;
    terms[0] = (cd_term){CD_DYNAMICS_VDOT, 0, 0, 1.1, false, 0};
    terms[1] = (cd_term){CD_DYNAMICS_V, 0, 0, 0.7, false, 0};
    terms[2] = (cd_term){CD_DYNAMICS_Q, 0, 0, 0.4, true, 0};
    terms[3] = (cd_term){CD_DYNAMICS_LAMBDA, 0, k, 1.3, false, 0};
    terms[4] = (cd_term){CD_POSITION_Q, k, 0, 1.9, true, 0};
    terms[5] = (cd_term){CD_HIDDEN_V, k, 0, 0.6, false, 0};
    terms[6] = (cd_term){CD_HIDDEN_Q, k, 0, 0.9, true, 0};
}

/* (M B^T; B 0) of explicit methods and of starting values, again with weights. */
static void list_saddle(const cardan_system *system, cd_term terms[SADDLE_TERMS])
{
    const int k = system->k;
    terms[0] = (cd_term){CD_DYNAMICS_VDOT, 0, 0, 1.1, false, 0};
    terms[1] = (cd_term){CD_DYNAMICS_LAMBDA, 0, k, 1.3, false, 0};
    terms[2] = (cd_term){CD_POSITION_Q, k, 0, 1.9, false, 0};
}

typedef struct assembled {
    cd_matrix *matrix;
    cd_scales scales;
} assembled;

static assembled assemble(const cardan_system *system, const cardan_point *at, cd_team *team,
                          bool saddle)
{
    const int k = system->k, n = k + system->m;
    assembled made = {.matrix = cd_matrix_create(&arena, n)};
    cd_workspace *ws = cd_workspace_create(&arena, system, &error);
    double *increment = cd_arena_doubles(&arena, k), *bracket = cd_arena_doubles(&arena, k);
    unsigned seed = 5u;
    cd_term terms[TERMS];
    random_vector(&seed, k, increment);
    random_vector(&seed, k, bracket);
    if (saddle) {
        list_saddle(system, terms);
        cd_system_declare(system, terms, SADDLE_TERMS, made.matrix);
    } else {
        list_terms(system, terms);
        cd_system_declare(system, terms, TERMS, made.matrix);
    }
    cd_matrix_seal(made.matrix);
    cd_workspace_services(ws)->team = team;
    cd_matrix_clear(made.matrix);
    const cd_map map = {increment, 0.8, bracket, 0.3, NULL};
    ck_assert_int_eq(cd_system_assemble(ws, at, saddle ? NULL : &map, terms,
                                        saddle ? SADDLE_TERMS : TERMS, made.matrix),
                     CARDAN_OK);
    made.scales = cd_system_scales(ws);
    return made;
}

typedef struct comparison {
    const cd_block_lu *lu;
    int n;
    const int *unknown; /* n: from the order of elimination to that of the matrix */
    const double *rows;
    double size;
} comparison;

static const int *list_unknowns(const cd_block_lu *lu)
{
    int *unknown = cd_arena_take(&arena, (size_t)lu->n * sizeof *unknown);
    for (const cd_unknown_run *run = lu->run; run < lu->run + lu->run_count; run++)
        for (int i = run->index; i < run[1].index; i++)
            unknown[i] = run->unknown + i - run->index;
    return unknown;
}

/* Rows and columns in the order of elimination; columns follow each other. */
static void compare_block(const comparison *c, cd_span rows, cd_span cols, int begin, int stride)
{
    for (int j = cols.begin; j < cols.end; j++)
        for (int i = rows.begin; i < rows.end; i++) {
            const size_t row = (size_t)c->unknown[i], col = (size_t)c->unknown[j];
            const int place = begin + (j - cols.begin) * stride + i - rows.begin;
            ck_assert_double_eq_tol(c->lu->values[place], c->rows[row * (size_t)c->n + col],
                                    1e-13 * c->size);
        }
}

static void compare_unit(const comparison *c, int node)
{
    const cd_block_lu *lu = c->lu;
    const cd_span own = {lu->first[node], lu->first[node + 1]}, reach = cd_block_reach(lu, node);
    const cd_span coupled = {own.begin + lu->lead[node], own.end};
    const int n = own.end - own.begin, m = lu->reach[node];
    int below = (int)lu->offset[node];
    int right = below + m * (coupled.end - coupled.begin) + n * n;
    compare_block(c, own, own, right - n * n, n);
    for (int r = reach.begin; r < reach.end; r++) {
        const int first = cd_block_first(lu, r), count = lu->range[r].count;
        const cd_span others = {first, first + count};
        compare_block(c, others, coupled, below, m);
        compare_block(c, own, others, right, n);
        below += count;
        right += count * n;
    }
}

static void expect_same(const assembled *blocks, const assembled *full, int n)
{
    double *rows = cd_arena_doubles(&arena, n * n);
    const cd_block_lu *lu = cd_matrix_lu(blocks->matrix);
    cd_matrix_expand(full->matrix, rows);
    const comparison c = {lu, n, list_unknowns(lu), rows, cd_max_abs(n * n, rows)};
    double inside = 0.0, all = 0.0;
    for (int node = 0; node < lu->count; node++)
        compare_unit(&c, node);
    for (size_t i = 0; i < cd_block_lu_entries(lu); i++)
        inside += fabs(lu->values[i]);
    for (int i = 0; i < n * n; i++)
        all += fabs(rows[i]);
    ck_assert_double_eq_tol(inside, all, 1e-12 * all); /* nothing is outside of the blocks */
    ck_assert_double_eq_tol(blocks->scales.mass, full->scales.mass, 1e-13 * full->scales.mass);
    ck_assert_double_eq_tol(blocks->scales.largest_row, full->scales.largest_row, 1e-13);
    ck_assert_double_eq_tol(blocks->scales.smallest_row, full->scales.smallest_row, 1e-13);
}

static const int kinds[] = {-1, KIND_SE3, KIND_SPATIAL, KIND_BODY, KIND_PLANAR};
enum { KIND_COUNT = sizeof kinds / sizeof kinds[0] };

START_TEST(against_whole_matrices)
{
    unsigned seed = 900u + (unsigned)_i;
    cardan_model *model = make_model(14, kinds[_i % KIND_COUNT], _i % 2 == 0, seed);
    model_point point = random_point(&seed, model);
    cardan_system blocks = *cardan_model_system(model), full = blocks;
    blocks.dense_up_to = 0;
    full.dense_up_to = INT_MAX;
    for (int saddle = 0; saddle < 2; saddle++) {
        const assembled one = assemble(&blocks, &point.at, NULL, saddle == 1),
                        two = assemble(&full, &point.at, NULL, saddle == 1);
        ck_assert(cd_matrix_has_blocks(one.matrix));
        ck_assert(!cd_matrix_has_blocks(two.matrix));
        expect_same(&one, &two, blocks.k + blocks.m);
    }
    free_point(&point);
    cardan_model_destroy(model);
}
END_TEST

/* The same bits in pieces. */
START_TEST(in_pieces)
{
    unsigned seed = 40u + (unsigned)_i;
    const bool spatial = _i % 2 == 0, saddle = _i >= 2;
    cardan_model *model = make_model(LINKS, spatial ? KIND_SPATIAL : KIND_PLANAR, spatial, seed);
    model_point point = random_point(&seed, model);
    const cardan_system *system = cardan_model_system(model);
    ck_assert_int_gt(system->pieces.count, 1);
    cd_team *team = cd_team_create(&arena, 2);
    const assembled one = assemble(system, &point.at, NULL, saddle),
                    two = assemble(system, &point.at, team, saddle);
    const cd_block_lu *lu = cd_matrix_lu(one.matrix), *other = cd_matrix_lu(two.matrix);
    ck_assert(cd_matrix_has_blocks(two.matrix));
    ck_assert_mem_eq(lu->values, other->values, cd_block_lu_entries(lu) * sizeof(double));
    ck_assert_mem_eq(&one.scales, &two.scales, sizeof one.scales);
    free_point(&point);
    cardan_model_destroy(model);
}
END_TEST

Suite *make_suite(void)
{
    Suite *suite = suite_create("blocks");
    TCase *cases = tcase_create("direct");
    tcase_add_checked_fixture(cases, set_up, tear_down);
    tcase_set_timeout(cases, 120);
    tcase_add_loop_test(cases, against_whole_matrices, 0, 4 * KIND_COUNT);
    tcase_add_loop_test(cases, in_pieces, 0, 4);
    suite_add_tcase(suite, cases);
    return suite;
}
