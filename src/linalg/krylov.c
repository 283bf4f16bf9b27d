/* Block Arnoldi with thick restarts; see krylov.h. */
#include "krylov.h"

#include "base/numeric.h"
#include "dense.h"
#include "kernels.h"

#include <stdlib.h>

enum { BLOCK = 2, CHUNK = 256, FRESH_ROUNDS = 6, FRESH_STEPS = 16, STEPS = 4 };

typedef struct ritz_value {
    int at;       /* number in LAPACK's order: its vector's row, and the next one's of a pair */
    bool is_pair; /* conjugate */
    double real, imag, size;
} ritz_value;

typedef struct search {
    const cd_linear_map *a;
    const cd_krylov_def *def;
    cd_arena *arena;
    int n, most, count;
    double *v, *w;       /* basis and products: rows of n */
    double *h;           /* most x most: v_i . w_j at [j * most + i] */
    double *small;       /* most x most */
    double *real, *imag; /* most */
    double *vectors;     /* most x most, row by row as cd_general_eigen gives them */
    ritz_value *value;   /* most, the largest first */
    int values;
    double *chunk;   /* CHUNK x most */
    double *pending; /* BLOCK rows of n: what the basis grows by */
    double *noise;   /* n */
    double *rest;    /* 2 rows of n: a residual */
    int pending_count, products, settled;
    unsigned random;
} search;

static bool open_search(search *s)
{
    const int square = s->most * s->most;
    s->v = cd_arena_doubles(s->arena, s->most * s->n);
    s->w = cd_arena_doubles(s->arena, s->most * s->n);
    s->h = cd_arena_doubles(s->arena, square);
    s->small = cd_arena_doubles(s->arena, square);
    s->real = cd_arena_doubles(s->arena, s->most);
    s->imag = cd_arena_doubles(s->arena, s->most);
    s->vectors = cd_arena_doubles(s->arena, square);
    s->value = cd_arena_take(s->arena, (size_t)s->most * sizeof *s->value);
    s->chunk = cd_arena_doubles(s->arena, CHUNK * s->most);
    s->pending = cd_arena_doubles(s->arena, BLOCK * s->n);
    s->noise = cd_arena_doubles(s->arena, s->n);
    s->rest = cd_arena_doubles(s->arena, 2 * s->n);
    return !s->arena->failed;
}

/* ---- sums over rows ---- */

/* c = X^T y for `count` rows x; four sums at a time, so that none waits. */
static CD_WIDE void multiply_rows(int n, int count, const double *x, const double *y, double *c)
{
    int i = 0;
    for (; i + 4 <= count; i += 4) {
        const double *r = x + (size_t)i * (size_t)n;
        double sum[4] = {0.0, 0.0, 0.0, 0.0};
        for (int e = 0; e < n; e++)
            for (int j = 0; j < 4; j++)
                sum[j] += r[(size_t)j * (size_t)n + (size_t)e] * y[e];
        cd_copy(4, sum, c + i);
    }
    for (; i < count; i++)
        c[i] = cd_dot(n, x + (size_t)i * (size_t)n, y);
}

/* y += factor X c */
static CD_WIDE void add_rows(int n, int count, const double *x, double factor, const double *c,
                             double *restrict y)
{
    for (int i = 0; i < count; i++) {
        const double *restrict row = x + (size_t)i * (size_t)n;
        const double weight = factor * c[i];
        for (int e = 0; e < n; e++)
            y[e] += weight * row[e];
    }
}

/* ---- growing ---- */

/* Products of random vectors: nothing in them that the matrix does not produce. */
static void take_random(search *s)
{
    for (int b = 0; b < BLOCK; b++) {
        for (int i = 0; i < s->n; i++) {
            s->random = s->random * 1664525u + 1013904223u;
            s->noise[i] = (double)(s->random >> 8) / (double)0x7FFFFF - 1.0;
        }
        s->a->apply(s->a->self, s->noise, s->pending + b * s->n);
    }
    s->products += BLOCK;
    s->pending_count = BLOCK;
}

/* x -= V V^T x, twice; false if nothing but rounding is left. */
static bool orthonormalise(search *s, double *x)
{
    const double before = sqrt(cd_dot(s->n, x, x));
    for (int pass = 0; pass < 2; pass++) {
        multiply_rows(s->n, s->count, s->v, x, s->small);
        add_rows(s->n, s->count, s->v, -1.0, s->small, x);
    }
    const double length = sqrt(cd_dot(s->n, x, x));
    if (!(length > 1e-6 * before) || !isfinite(length))
        return false;
    cd_scale(s->n, 1.0 / length, x);
    return true;
}

/* Appends x with its product, and their part of H. */
static void append(search *s, const double *x)
{
    const int j = s->count;
    double *v = s->v + j * s->n, *w = s->w + j * s->n;
    cd_copy(s->n, x, v);
    if (!orthonormalise(s, v))
        return;
    s->a->apply(s->a->self, v, w);
    s->products++;
    s->count++;
    multiply_rows(s->n, s->count, s->v, w, s->h + j * s->most);
    multiply_rows(s->n, j, s->w, v, s->small);
    for (int i = 0; i < j; i++)
        s->h[i * s->most + j] = s->small[i];
}

/* Takes the pending vectors into the basis; their products are pending next. False if they brought
 * nothing new: the basis spans an invariant subspace. */
static bool grow(search *s)
{
    const int before = s->count;
    for (int b = 0; b < s->pending_count && s->count < s->most; b++)
        append(s, s->pending + b * s->n);
    s->pending_count = s->count - before;
    cd_copy(s->pending_count * s->n, s->w + before * s->n, s->pending);
    return s->pending_count > 0;
}

/* ---- Ritz values ---- */

static int by_size(const void *a, const void *b)
{
    const ritz_value *one = a, *two = b;
    if (one->size != two->size)
        return one->size > two->size ? -1 : 1;
    return one->at - two->at;
}

static bool find_values(search *s)
{
    cd_arena scratch;
    const int j = s->count;
    cd_arena_init(&scratch, &s->arena->allocator);
    for (int row = 0; row < j; row++)
        for (int col = 0; col < j; col++)
            s->small[row * j + col] = s->h[col * s->most + row];
    const bool found = cd_general_eigen(&scratch, j, s->small, s->real, s->imag, s->vectors);
    cd_arena_destroy(&scratch);
    s->values = 0;
    for (int i = 0; found && i < j; i++) {
        const bool is_pair = s->imag[i] != 0.0;
        s->value[s->values++] =
            (ritz_value){i, is_pair, s->real[i], s->imag[i], hypot(s->real[i], s->imag[i])};
        i += is_pair;
    }
    qsort(s->value, (size_t)s->values, sizeof *s->value, by_size);
    return found;
}

/* out = sum of the rows of x with LAPACK's coefficients */
static void combine(const search *s, const double *x, int vector, double *out)
{
    cd_zero(s->n, out);
    add_rows(s->n, s->count, x, 1.0, s->vectors + vector * s->count, out);
}

/* Re and Im of W y - theta V y into two rows; returns its length. */
static double residual_of(const search *s, const ritz_value *value, double *re, double *im)
{
    const int last = value->is_pair ? 1 : 0;
    double *out[2] = {re, im}, *theta_y = s->small, square = 0.0;
    for (int part = 0; part <= last; part++) {
        const double turn = part == 0 ? value->imag : -value->imag;
        for (int i = 0; i < s->count; i++) {
            const double own = s->vectors[(value->at + part) * s->count + i];
            const double other = last ? s->vectors[(value->at + 1 - part) * s->count + i] : 0.0;
            theta_y[i] = value->real * own - turn * other;
        }
        combine(s, s->w, value->at + part, out[part]);
        add_rows(s->n, s->count, s->v, -1.0, theta_y, out[part]);
        square += cd_dot(s->n, out[part], out[part]);
    }
    return sqrt(square);
}

/* Dimension of the first values, so many that it is at least `wanted`; `values` gets how many. What
 * is rounding beside the largest is 0. */
static int dimension_of(const search *s, int wanted, int *values)
{
    const double zero = s->values > 0 ? 1e-11 * s->value[0].size : 0.0;
    int dimension = 0;
    for (*values = 0; *values < s->values && dimension < wanted; (*values)++) {
        if (s->value[*values].size <= zero)
            break;
        dimension += s->value[*values].is_pair ? 2 : 1;
    }
    return dimension;
}

/* Values that were good stay so; `settled` counts them. */
static bool all_good_behind(search *s)
{
    int values;
    dimension_of(s, s->def->wanted, &values);
    for (; s->settled < values; s->settled++) {
        const ritz_value *value = &s->value[s->settled];
        if (residual_of(s, value, s->rest, s->rest + s->n) > s->def->tolerance * value->size)
            return false;
    }
    return true;
}

static bool all_good(search *s)
{
    if (!all_good_behind(s))
        return false;
    s->settled = 0; /* others may have come before those that were good */
    return all_good_behind(s);
}

/* ---- shrinking ---- */

/* Orthonormal columns (of count numbers) in `q` for the first values; returns how many. */
static int choose_columns(const search *s, int wanted, double *q)
{
    int values, columns = 0;
    dimension_of(s, wanted, &values);
    for (int i = 0; i < values; i++)
        for (int part = 0; part <= s->value[i].is_pair; part++) {
            double *x = q + columns * s->count;
            cd_copy(s->count, s->vectors + (s->value[i].at + part) * s->count, x);
            if (cd_orthonormalise(s->count, columns, q, x, 1e-12))
                columns++;
        }
    return columns;
}

/* Rows of x <- Q^T rows of x, some entries of all rows at a time. */
static CD_WIDE void rotate(const search *s, int columns, const double *q, double *x)
{
    for (int first = 0; first < s->n; first += CHUNK) {
        const int length = s->n - first < CHUNK ? s->n - first : CHUNK;
        for (int c = 0; c < columns; c++) {
            double *restrict out = s->chunk + c * CHUNK;
            for (int e = 0; e < length; e++)
                out[e] = 0.0;
            for (int i = 0; i < s->count; i++) {
                const double weight = q[c * s->count + i];
                const double *restrict row = x + (size_t)i * (size_t)s->n + first;
                for (int e = 0; e < length; e++)
                    out[e] += weight * row[e];
            }
        }
        for (int c = 0; c < columns; c++)
            cd_copy(length, s->chunk + c * CHUNK, x + (size_t)c * (size_t)s->n + first);
    }
}

/* h <- Q^T h Q */
static void turn_small(search *s, int columns, const double *q)
{
    const int j = s->count;
    for (int c = 0; c < columns; c++) { /* `small` = h Q */
        cd_zero(j, s->small + c * j);
        for (int i = 0; i < j; i++)
            cd_add(j, q[c * j + i], s->h + i * s->most, s->small + c * j);
    }
    for (int c = 0; c < columns; c++)
        for (int i = 0; i < columns; i++)
            s->h[c * s->most + i] = cd_dot(j, q + i * j, s->small + c * j);
}

/* Keeps the subspace of the first values. */
static bool shrink(search *s, int wanted)
{
    cd_arena scratch;
    cd_arena_init(&scratch, &s->arena->allocator);
    double *q = cd_arena_doubles(&scratch, s->count * s->count);
    if (q != NULL) {
        const int columns = choose_columns(s, wanted, q);
        rotate(s, columns, q, s->v);
        rotate(s, columns, q, s->w);
        turn_small(s, columns, q);
        s->count = columns;
    }
    cd_arena_destroy(&scratch);
    return q != NULL;
}

/* ---- the search ---- */

static double last_wanted(const search *s)
{
    int values;
    dimension_of(s, s->def->wanted, &values);
    return values > 0 ? s->value[values - 1].size : 0.0;
}

/* What is pending stays orthogonal to all that is dropped: so it is the residual of what is kept.
 */
static bool make_room(search *s)
{
    if (s->count + BLOCK <= s->most)
        return true;
    for (int b = 0; b < s->pending_count; b++)
        orthonormalise(s, s->pending + b * s->n);
    return shrink(s, s->def->wanted + (s->most - s->def->wanted) / 4);
}

/* Grows by some vectors. */
static bool advance(search *s, int steps, bool *grown)
{
    *grown = true;
    for (int i = 0; i < steps && *grown; i++) {
        if (!make_room(s))
            return false;
        *grown = grow(s);
        if (s->count + BLOCK > s->most && !find_values(s)) /* it will be shrunk */
            return false;
    }
    return find_values(s);
}

/* Until all that is wanted is good, or products run out. */
static bool iterate(search *s, bool *good)
{
    bool grown = true;
    *good = false;
    s->settled = 0;
    while (!*good && grown && s->products < s->def->most_products) {
        if (!advance(s, STEPS, &grown))
            return false;
        *good = all_good(s) || !grown; /* what cannot grow is invariant but for rounding */
    }
    return true;
}

bool cd_krylov_find(cd_arena *arena, const cd_linear_map *a, const cd_krylov_def *def,
                    cd_subspace *out)
{
    const int basis = 2 * def->wanted + 40;
    search s = {.a = a,
                .def = def,
                .arena = arena,
                .n = a->n,
                .most = basis < a->n ? basis : a->n,
                .random = 1u};
    bool good = false;
    *out = (cd_subspace){0};
    if (a->n == 0)
        return out->converged = true;
    if (!open_search(&s))
        return false;
    for (int round = 0; round < FRESH_ROUNDS; round++) {
        const double before = round > 0 ? last_wanted(&s) : 0.0;
        bool grown;
        take_random(&s);
        if ((round > 0 && !advance(&s, FRESH_STEPS, &grown)) || !iterate(&s, &good))
            return false;
        if (!good || def->once || (round > 0 && fabs(last_wanted(&s) - before) <= 1e-6 * before))
            break;
    }
    if (s.count > 0 && !shrink(&s, def->wanted))
        return false;
    *out = (cd_subspace){s.count, s.v, good, s.products};
    return true;
}

/* ---- eigenvalues in a subspace ---- */

static bool fill_pair(cd_arena *arena, const search *s, const ritz_value *value, cd_ritz_pair *pair)
{
    double *x = cd_arena_doubles(arena, 2 * s->n);
    if (x == NULL)
        return false;
    combine(s, s->v, value->at, x);
    if (value->is_pair)
        combine(s, s->v, value->at + 1, x + s->n);
    const double length = sqrt(cd_dot(2 * s->n, x, x));
    const double left = residual_of(s, value, s->rest, s->rest + s->n);
    *pair = (cd_ritz_pair){value->real, value->imag, left / (value->size * length), x};
    return true;
}

bool cd_ritz_find(cd_arena *arena, const cd_linear_map *a, const cd_subspace *subspace,
                  cd_ritz *out)
{
    cd_arena scratch;
    cd_arena_init(&scratch, &arena->allocator);
    search s = {.a = a, .arena = &scratch, .n = a->n, .most = subspace->count + 1};
    bool done = open_search(&s);
    for (int i = 0; done && i < subspace->count; i++)
        append(&s, subspace->basis + i * s.n);
    done = done && (s.count == 0 || find_values(&s));
    *out = (cd_ritz){0, cd_arena_take(arena, (size_t)(s.values + 1) * sizeof *out->pair)};
    for (int i = 0; done && !arena->failed && i < s.values; i++)
        done = fill_pair(arena, &s, &s.value[i], &out->pair[out->count++]);
    cd_arena_destroy(&scratch);
    return done && !arena->failed;
}
