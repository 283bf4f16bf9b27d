/* Callbacks that evaluate the original's full matrix and pick the entries of the pattern. */
#include "sparse_copy.h"

#include "base/numeric.h"
#include "matrices.h"
#include "system/workspace.h"

#include <check.h>
#include <stdlib.h>

typedef struct picked {
    cardan_pattern pattern;
    int *start, *column;
    bool *seen; /* rows x cols */
} picked;

struct sparse_copy {
    const cardan_system *original;
    cardan_system *system;
    picked matrices[CD_GIVEN_PATTERNS];
    double *full;
};

static int evaluate(sparse_copy *copy, cardan_callback *function, cd_pattern_id id,
                    const cardan_point *at, double *out)
{
    const cd_pattern *shape = &copy->original->matrices.pattern[id];
    const picked *p = &copy->matrices[id];
    cd_zero(shape->entries, copy->full);
    const int answer = function(copy->original->def.context, at, copy->full);
    for (int i = 0; i < shape->rows; i++)
        for (int e = p->start[i]; e < p->start[i + 1]; e++)
            out[e] = copy->full[i * shape->cols + p->column[e]];
    return answer;
}

#define X(name, rows, cols)                                                                        \
    static int pick_##name(void *context, const cardan_point *at, double *out)                     \
    {                                                                                              \
        sparse_copy *copy = context;                                                               \
        return evaluate(copy, copy->original->def.name, CD_P_##name, at, out);                     \
    }
CD_PATTERN_LIST(X)
#undef X

#define VECTORS(X)                                                                                 \
    X(force)                                                                                       \
    X(constraint)                                                                                  \
    X(nonholonomic_residual)                                                                       \
    X(constraint_dt)                                                                               \
    X(constraint_bias)                                                                             \
    X(nonholonomic_dt)                                                                             \
    X(potential)                                                                                   \
    X(potential_dq)

#define X(name)                                                                                    \
    static int pass_##name(void *context, const cardan_point *at, double *out)                     \
    {                                                                                              \
        const sparse_copy *copy = context;                                                         \
        return copy->original->def.name(copy->original->def.context, at, out);                     \
    }
VECTORS(X)
#undef X

static int pass_evaluate(void *context, const cardan_point *at, const cardan_equation_values *out)
{
    const sparse_copy *copy = context;
    return copy->original->def.evaluate(copy->original->def.context, at, out);
}

static void mark(sparse_copy *copy, int id, double tiny)
{
    for (int i = 0; i < copy->original->matrices.pattern[id].entries; i++)
        copy->matrices[id].seen[i] |= fabs(copy->full[i]) > tiny;
}

/* Marks entries that are not zero at a point; those of differences if they are not rounding. */
static void probe(sparse_copy *copy, cd_workspace *ws, const cardan_point *at)
{
    ck_assert_int_eq(cd_evaluate_mass(ws, at, copy->full), CARDAN_OK);
    mark(copy, CD_P_mass, 0.0);
    for (int d = 0; d < CD_DERIVATIVES; d++) {
        const cd_derivative_info info = cd_derivative_of(copy->original, (cd_derivative_id)d);
        if (info.pattern < 0 || info.pattern >= CD_GIVEN_PATTERNS)
            continue;
        ck_assert_int_eq(cd_derivative(ws, 0, (cd_derivative_id)d, at, copy->full), CARDAN_OK);
        mark(copy, info.pattern, info.callback != NULL ? 0.0 : 1e-7);
    }
}

static void probe_around(sparse_copy *copy, const double *q)
{
    const cardan_system *s = copy->original;
    cd_arena arena;
    cardan_error error = {0};
    unsigned seed = 5;
    cd_arena_init(&arena, NULL);
    cd_workspace *ws = cd_workspace_create(&arena, s, &error);
    double *moved = cd_arena_doubles(&arena, cardan_group_size(s->group));
    double *x = cd_arena_doubles(&arena, 3 * s->k + s->m + s->l);
    for (int i = 0; i < 6; i++) {
        random_vector(&seed, 3 * s->k + s->m + s->l, x);
        for (int j = 0; j < s->k; j++)
            x[j] *= 0.1;
        cardan_group_update(s->group, q, x, moved);
        const cardan_point at = {0.1 * i,      moved,        x + s->k,
                                 x + 2 * s->k, x + 3 * s->k, x + 3 * s->k + s->m};
        probe(copy, ws, &at);
    }
    cd_arena_destroy(&arena);
}

static void make_patterns(sparse_copy *copy)
{
    for (int id = 0; id < CD_GIVEN_PATTERNS; id++) {
        const cd_pattern *shape = &copy->original->matrices.pattern[id];
        picked *p = &copy->matrices[id];
        int entries = 0;
        for (int i = 0; i < shape->rows; i++) {
            p->start[i] = entries;
            for (int j = 0; j < shape->cols; j++)
                if ((shape->entries > 0 && p->seen[i * shape->cols + j]) ||
                    (id == CD_P_mass && (i == j || p->seen[j * shape->cols + i])))
                    p->column[entries++] = j;
        }
        p->start[shape->rows] = entries;
        p->pattern = (cardan_pattern){entries, p->start, p->column};
    }
}

static cardan_system_def define(sparse_copy *copy, bool keep)
{
    cardan_system_def def = copy->original->def;
    def.context = copy;
#define X(name, rows, cols)                                                                        \
    def.name = def.name != NULL && (keep || CD_P_##name == CD_P_mass) ? pick_##name : NULL;        \
    def.patterns.name = &copy->matrices[CD_P_##name].pattern;
    CD_PATTERN_LIST(X)
#undef X
#define X(name) def.name = def.name != NULL ? pass_##name : NULL;
    VECTORS(X)
    X(evaluate)
#undef X
    return def;
}

sparse_copy *sparse_copy_create(const cardan_system *original, const double *q, bool keep)
{
    sparse_copy *copy = calloc(1, sizeof *copy);
    const size_t k = (size_t)original->k;
    copy->original = original;
    copy->full = calloc(k * k + 1, sizeof(double));
    for (int id = 0; id < CD_GIVEN_PATTERNS; id++) {
        copy->matrices[id].start = calloc(k + 1, sizeof(int));
        copy->matrices[id].column = calloc(k * k + 1, sizeof(int));
        copy->matrices[id].seen = calloc(k * k + 1, sizeof(bool));
    }
    probe_around(copy, q);
    make_patterns(copy);
    cardan_error error = {0};
    const cardan_system_def def = define(copy, keep);
    const cardan_status status = cardan_system_create(&copy->system, &def, &error);
    ck_assert_msg(status == CARDAN_OK, "%s", error.text);
    copy->system->dense_up_to = -1;
    return copy;
}

const cardan_system *sparse_copy_system(const sparse_copy *copy)
{
    return copy->system;
}

void sparse_copy_destroy(sparse_copy *copy)
{
    cardan_system_destroy(copy->system);
    for (int id = 0; id < CD_GIVEN_PATTERNS; id++) {
        free(copy->matrices[id].start);
        free(copy->matrices[id].column);
        free(copy->matrices[id].seen);
    }
    free(copy->full);
    free(copy);
}
