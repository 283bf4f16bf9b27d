/* Block Arnoldi with thick restarts; see krylov.h. */
#include "krylov.h"

#include "base/numeric.h"
#include "dense.h"
#include "kernels.h"

#include <stdlib.h>

enum { BLOCK = 2 };         /* vectors by which the basis grows at a time */
enum { CHUNK = 256 };       /* entries of all rows that are combined at a time */
enum { STEPS = 4 };         /* blocks between two tests of the residuals */
enum { RANDOM_ROUNDS = 6 }; /* how often random vectors are added, at most */
enum { RANDOM_STEPS = 16 }; /* blocks from new random vectors to the first test */

typedef struct ritz_value {
    int at;       /* index in LAPACK's order: row of its vector, for a pair also of the next one */
    bool is_pair; /* conjugate */
    double real, imag, size; /* size: its modulus */
} ritz_value;

typedef struct search {
    const cd_linear_map *a;
    const cd_krylov_def *def;
    cd_arena *arena;
    int n, most, count;  /* length of vectors; most of them in the basis, and present ones */
    double *v, *w;       /* basis and products: rows of n */
    double *h;           /* most x most: v_i . w_j at [j * most + i] */
    double *scratch;     /* most x most */
    double *real, *imag; /* most */
    double *vectors;     /* most x most, row by row as cd_general_eigen gives them */
    ritz_value *value;   /* most, the largest first */
    int values;          /* how many; a pair is one */
    double *chunk;       /* CHUNK x most */
    double *pending;     /* BLOCK rows of n: what the basis grows by */
    double *guess;       /* n: a random vector */
    double *residual;    /* 2 rows of n: real and imaginary */
    int pending_count, products;
    int settled;     /* values, the first ones, that have converged */
    unsigned random; /* state of the random numbers */
} search;

static bool allocate_search(search *s)
{
    const int square = s->most * s->most;
    s->v = cd_arena_doubles(s->arena, s->most * s->n);
    s->w = cd_arena_doubles(s->arena, s->most * s->n);
    s->h = cd_arena_doubles(s->arena, square);
    s->scratch = cd_arena_doubles(s->arena, square);
    s->real = cd_arena_doubles(s->arena, s->most);
    s->imag = cd_arena_doubles(s->arena, s->most);
    s->vectors = cd_arena_doubles(s->arena, square);
    s->value = cd_arena_take(s->arena, (size_t)s->most * sizeof *s->value);
    s->chunk = cd_arena_doubles(s->arena, CHUNK * s->most);
    s->pending = cd_arena_doubles(s->arena, BLOCK * s->n);
    s->guess = cd_arena_doubles(s->arena, s->n);
    s->residual = cd_arena_doubles(s->arena, 2 * s->n);
    return !s->arena->failed;
}

/* ---- sums over rows ---- */

/* c_i = x_i . y for `count` rows x_i; four independent sums at a time are faster than one. */
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

/* y += factor times the sum of c_i x_i over `count` rows x_i. */
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

/* Makes products of random vectors pending: the basis stays in the range of the matrix. */
static void add_random_products(search *s)
{
    for (int b = 0; b < BLOCK; b++) {
        for (int i = 0; i < s->n; i++) {
            s->random = s->random * 1664525u + 1013904223u;
            s->guess[i] = (double)(s->random >> 8) / (double)0x7FFFFF - 1.0;
        }
        s->a->apply(s->a->self, s->guess, s->pending + b * s->n);
    }
    s->products += BLOCK;
    s->pending_count = BLOCK;
}

/* Makes x orthogonal to the basis and of length 1; false if only rounding is left of it. */
static bool orthonormalise_to_basis(search *s, double *x)
{
    const double before = sqrt(cd_dot(s->n, x, x));
    for (int pass = 0; pass < 2; pass++) {
        multiply_rows(s->n, s->count, s->v, x, s->scratch);
        add_rows(s->n, s->count, s->v, -1.0, s->scratch, x);
    }
    const double length = sqrt(cd_dot(s->n, x, x));
    if (!(length > 1e-6 * before) || !isfinite(length))
        return false;
    cd_scale(s->n, 1.0 / length, x);
    return true;
}

/* Appends x to the basis, with its product and the new entries of h. */
static void append_to_basis(search *s, const double *x)
{
    const int j = s->count;
    double *v = s->v + j * s->n, *w = s->w + j * s->n;
    cd_copy(s->n, x, v);
    if (!orthonormalise_to_basis(s, v))
        return;
    s->a->apply(s->a->self, v, w);
    s->products++;
    s->count++;
    multiply_rows(s->n, s->count, s->v, w, s->h + j * s->most);
    multiply_rows(s->n, j, s->w, v, s->scratch);
    for (int i = 0; i < j; i++)
        s->h[i * s->most + j] = s->scratch[i];
}

/* Appends the pending vectors to the basis; their products are the next ones. False if none of them
 * is new: the basis spans an invariant subspace. */
static bool grow_basis(search *s)
{
    const int before = s->count;
    for (int b = 0; b < s->pending_count && s->count < s->most; b++)
        append_to_basis(s, s->pending + b * s->n);
    s->pending_count = s->count - before;
    cd_copy(s->pending_count * s->n, s->w + before * s->n, s->pending);
    return s->pending_count > 0;
}

static int compare_descending(const void *a, const void *b)
{
    const ritz_value *one = a, *two = b;
    if (one->size != two->size)
        return one->size > two->size ? -1 : 1;
    return one->at - two->at;
}

/* Finds the eigenvalues of h, sorted by modulus. */
static bool find_ritz_values(search *s)
{
    cd_arena scratch;
    const int j = s->count;
    cd_arena_init(&scratch, &s->arena->allocator);
    for (int row = 0; row < j; row++)
        for (int col = 0; col < j; col++)
            s->scratch[row * j + col] = s->h[col * s->most + row];
    const bool found = cd_general_eigen(&scratch, j, s->scratch, s->real, s->imag, s->vectors);
    cd_arena_destroy(&scratch);
    s->values = 0;
    for (int i = 0; found && i < j; i++) {
        const bool is_pair = s->imag[i] != 0.0;
        s->value[s->values++] =
            (ritz_value){i, is_pair, s->real[i], s->imag[i], hypot(s->real[i], s->imag[i])};
        i += is_pair;
    }
    qsort(s->value, (size_t)s->values, sizeof *s->value, compare_descending);
    return found;
}

/* out = sum of the rows of x with the coefficients of LAPACK's vector */
static void combine_rows(const search *s, const double *x, int vector, double *out)
{
    cd_zero(s->n, out);
    add_rows(s->n, s->count, x, 1.0, s->vectors + vector * s->count, out);
}

/* Writes real and imaginary part of the residual W y - theta V y; returns its length. */
static double find_residual(const search *s, const ritz_value *value, double *re, double *im)
{
    const int last = value->is_pair ? 1 : 0;
    double *out[2] = {re, im}, *theta_y = s->scratch, square = 0.0;
    for (int row = 0; row <= last; row++) {
        const double imag = row == 0 ? value->imag : -value->imag;
        for (int i = 0; i < s->count; i++) {
            const double own = s->vectors[(value->at + row) * s->count + i];
            const double other = last ? s->vectors[(value->at + 1 - row) * s->count + i] : 0.0;
            theta_y[i] = value->real * own - imag * other;
        }
        combine_rows(s, s->w, value->at + row, out[row]);
        add_rows(s->n, s->count, s->v, -1.0, theta_y, out[row]);
        square += cd_dot(s->n, out[row], out[row]);
    }
    return sqrt(square);
}

/* How many of the first values have a subspace of dimension `wanted` or more: `values`; returns the
 * dimension. Values that are rounding beside the largest are left aside. */
static int count_dimension(const search *s, int wanted, int *values)
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

/* Have all values that are wanted converged, behind those that are settled? */
static bool have_others_converged(search *s)
{
    int values;
    count_dimension(s, s->def->wanted, &values);
    for (; s->settled < values; s->settled++) {
        const ritz_value *value = &s->value[s->settled];
        if (find_residual(s, value, s->residual, s->residual + s->n) >
            s->def->tolerance * value->size)
            return false;
    }
    return true;
}

static bool have_all_converged(search *s)
{
    if (!have_others_converged(s))
        return false;
    s->settled = 0; /* new values may have come before those that had converged */
    return have_others_converged(s);
}

/* Makes orthonormal columns in `q` from the vectors of the first values; returns how many. */
static int choose_columns(const search *s, int wanted, double *q)
{
    int values, columns = 0;
    count_dimension(s, wanted, &values);
    for (int i = 0; i < values; i++)
        for (int row = 0; row <= s->value[i].is_pair; row++) {
            double *x = q + columns * s->count;
            cd_copy(s->count, s->vectors + (s->value[i].at + row) * s->count, x);
            if (cd_orthonormalise(s->count, columns, q, x, 1e-12))
                columns++;
        }
    return columns;
}

/* Replaces the rows of x by their combinations with the columns of q, some entries at a time. */
static CD_WIDE void combine_basis_rows(const search *s, int columns, const double *q, double *x)
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

/* h <- Q^T h Q, the matrix h of the products in the basis that is combined by Q. */
static void transform_h(search *s, int columns, const double *q)
{
    const int j = s->count;
    for (int c = 0; c < columns; c++) { /* scratch = h Q */
        cd_zero(j, s->scratch + c * j);
        for (int i = 0; i < j; i++)
            cd_add(j, q[c * j + i], s->h + i * s->most, s->scratch + c * j);
    }
    for (int c = 0; c < columns; c++)
        for (int i = 0; i < columns; i++)
            s->h[c * s->most + i] = cd_dot(j, q + i * j, s->scratch + c * j);
}

/* Replaces the basis by that of the subspace of the first values. */
static bool shrink_basis(search *s, int wanted)
{
    cd_arena scratch;
    cd_arena_init(&scratch, &s->arena->allocator);
    double *q = cd_arena_doubles(&scratch, s->count * s->count);
    if (q != NULL) {
        const int columns = choose_columns(s, wanted, q);
        combine_basis_rows(s, columns, q, s->v);
        combine_basis_rows(s, columns, q, s->w);
        transform_h(s, columns, q);
        s->count = columns;
    }
    cd_arena_destroy(&scratch);
    return q != NULL;
}

/* ---- the search ---- */

/* The modulus of the last Ritz value that is wanted. */
static double last_wanted_size(const search *s)
{
    int values;
    count_dimension(s, s->def->wanted, &values);
    return values > 0 ? s->value[values - 1].size : 0.0;
}

/* Shrinks the basis if it has no room for a block. Pending vectors are first made orthogonal to all
 * of it, which makes them residuals of the vectors that are kept. */
static bool make_room_in_basis(search *s)
{
    if (s->count + BLOCK <= s->most)
        return true;
    for (int b = 0; b < s->pending_count; b++)
        orthonormalise_to_basis(s, s->pending + b * s->n);
    return shrink_basis(s, s->def->wanted + (s->most - s->def->wanted) / 4);
}

/* Grows the basis by some blocks and finds the Ritz values. */
static bool grow_blocks(search *s, int steps, bool *grown)
{
    *grown = true;
    for (int i = 0; i < steps && *grown; i++) {
        if (!make_room_in_basis(s))
            return false;
        *grown = grow_basis(s);
        if (s->count + BLOCK > s->most && !find_ritz_values(s)) /* it will be shrunk */
            return false;
    }
    return find_ritz_values(s);
}

/* Grows the basis until all values that are wanted have converged, or products run out. */
static bool iterate(search *s, bool *converged)
{
    bool grown = true;
    *converged = false;
    s->settled = 0;
    while (!*converged && grown && s->products < s->def->most_products) {
        if (!grow_blocks(s, STEPS, &grown))
            return false;
        *converged = have_all_converged(s) ||
                     !grown; /* a basis that cannot grow is invariant but for rounding */
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
    bool converged = false;
    *out = (cd_subspace){0};
    if (a->n == 0)
        return out->converged = true;
    if (!allocate_search(&s))
        return false;
    for (int round = 0; round < RANDOM_ROUNDS; round++) {
        const double before = round > 0 ? last_wanted_size(&s) : 0.0;
        bool grown;
        add_random_products(&s);
        if ((round > 0 && !grow_blocks(&s, RANDOM_STEPS, &grown)) || !iterate(&s, &converged))
            return false;
        if (!converged || def->once ||
            (round > 0 && fabs(last_wanted_size(&s) - before) <= 1e-6 * before))
            break;
    }
    if (s.count > 0 && !shrink_basis(&s, def->wanted))
        return false;
    *out = (cd_subspace){s.count, s.v, converged, s.products};
    return true;
}

/* ---- eigenvalues in a subspace ---- */

static bool make_ritz_pair(cd_arena *arena, const search *s, const ritz_value *value,
                           cd_ritz_pair *pair)
{
    double *x = cd_arena_doubles(arena, 2 * s->n);
    if (x == NULL)
        return false;
    combine_rows(s, s->v, value->at, x);
    if (value->is_pair)
        combine_rows(s, s->v, value->at + 1, x + s->n);
    const double length = sqrt(cd_dot(2 * s->n, x, x));
    const double left = find_residual(s, value, s->residual, s->residual + s->n);
    *pair = (cd_ritz_pair){value->real, value->imag, left / (value->size * length), x};
    return true;
}

bool cd_ritz_find(cd_arena *arena, const cd_linear_map *a, const cd_subspace *subspace,
                  cd_ritz *out)
{
    cd_arena scratch;
    cd_arena_init(&scratch, &arena->allocator);
    search s = {.a = a, .arena = &scratch, .n = a->n, .most = subspace->count + 1};
    bool done = allocate_search(&s);
    for (int i = 0; done && i < subspace->count; i++)
        append_to_basis(&s, subspace->basis + i * s.n);
    done = done && (s.count == 0 || find_ritz_values(&s));
    *out = (cd_ritz){0, cd_arena_take(arena, (size_t)(s.values + 1) * sizeof *out->pair)};
    for (int i = 0; done && !arena->failed && i < s.values; i++)
        done = make_ritz_pair(arena, &s, &s.value[i], &out->pair[out->count++]);
    cd_arena_destroy(&scratch);
    return done && !arena->failed;
}
