/* Products of groups: a group is a flat list of parts, each R^n or one curved kind, and every
 * operation is a loop over the parts. R3 x SO(3) and R3 x S3 are two parts of one factor. */
#include "group/group.h"

#include "base/error.h"
#include "base/memory.h"
#include "base/numeric.h"
#include "group/kind.h"
#include "group/rotation.h"

#include <limits.h>
#include <stdbool.h>

enum { MOST_PARTS = 2 };

/* The parts of a factor; kind NULL is R^n, and n = 0 says that the factor gives n. */
typedef struct recipe {
    int count;
    struct {
        const cd_kind *kind;
        int n;
    } parts[MOST_PARTS];
} recipe;

static const recipe recipes[] = {
    [CARDAN_RN] = {1, {{NULL, 0}}},
    [CARDAN_SO3] = {1, {{&cd_kind_so3, 0}}},
    [CARDAN_S3] = {1, {{&cd_kind_s3, 0}}},
    [CARDAN_R3_SO3] = {2, {{NULL, 3}, {&cd_kind_so3, 0}}},
    [CARDAN_R3_S3] = {2, {{NULL, 3}, {&cd_kind_s3, 0}}},
    [CARDAN_SE3] = {1, {{&cd_kind_se3, 0}}},
};

typedef struct part {
    const cd_kind *kind; /* NULL: R^n */
    bool right;
    int size; /* doubles of the element, from `element` on */
    int dof;  /* doubles of the velocity, from `velocity` on */
    int element;
    int velocity;
    int flat; /* flat coordinates before it */
} part;

typedef struct entry {
    cardan_factor factor;
    int element;
    int velocity;
    int dof;
    int hat_order;
    const part *parts;
    int part_count;
} entry;

struct cardan_group {
    cd_arena arena; /* holds this struct as well */
    int size;
    int dof;
    int flat; /* coordinates of parts R^n */
    int factor_count;
    int part_count;
    entry *factors; /* [factor_count] */
    part *parts;    /* [part_count] in the order of the factors */
};

/* ---- making and unmaking ---- */

static part make_part(const cardan_factor *factor, int index)
{
    const cd_kind *kind = recipes[factor->kind].parts[index].kind;
    int n = recipes[factor->kind].parts[index].n;
    if (n == 0)
        n = factor->n;
    return (part){
        .kind = kind,
        .right = factor->side == CARDAN_RIGHT,
        .size = kind == NULL ? n : kind->size,
        .dof = kind == NULL ? n : kind->dof,
    };
}

static int hat_order_of(const part *p)
{
    return p->kind == NULL ? p->size + 1 : p->kind->hat_order;
}

static void append_factor(cardan_group *group, const cardan_factor *factor)
{
    entry *new = &group->factors[group->factor_count++];
    new->factor = *factor;
    new->element = group->size;
    new->velocity = group->dof;
    new->parts = &group->parts[group->part_count];
    new->part_count = recipes[factor->kind].count;
    for (int i = 0; i < new->part_count; i++) {
        part *p = &group->parts[group->part_count++];
        *p = make_part(factor, i);
        p->element = group->size;
        p->velocity = group->dof;
        p->flat = group->flat;
        group->flat += p->kind == NULL ? p->size : 0;
        group->size += p->size;
        group->dof += p->dof;
        new->dof += p->dof;
        new->hat_order += hat_order_of(p);
    }
}

/* An empty group with room for `count` factors, or NULL. */
static cardan_group *allocate_group(int count, const cardan_allocator *allocator)
{
    cd_arena arena;
    cd_arena_init(&arena, allocator);
    cardan_group *group = cd_arena_take(&arena, sizeof *group);
    entry *factors = cd_arena_take(&arena, (size_t)count * sizeof *factors);
    part *parts = cd_arena_take(&arena, (size_t)count * MOST_PARTS * sizeof *parts);
    if (arena.failed) {
        cd_arena_destroy(&arena);
        return NULL;
    }
    group->arena = arena;
    group->factors = factors;
    group->parts = parts;
    return group;
}

static cardan_status check_factor(const cardan_factor *factor, int i, cardan_error *error)
{
    if ((unsigned)factor->kind >= sizeof recipes / sizeof recipes[0])
        return cd_fail(error, CARDAN_INVALID_ARGUMENT,
                       "factor %d of the group has the unknown kind %d; use a value of "
                       "cardan_group_kind",
                       i, (int)factor->kind);
    if (factor->side != CARDAN_LEFT && factor->side != CARDAN_RIGHT)
        return cd_fail(error, CARDAN_INVALID_ARGUMENT,
                       "factor %d of the group has the unknown side %d; use CARDAN_LEFT or "
                       "CARDAN_RIGHT",
                       i, (int)factor->side);
    if (factor->kind == CARDAN_RN && factor->n < 1)
        return cd_fail(error, CARDAN_INVALID_ARGUMENT,
                       "factor %d of the group is R^n with n = %d; n must be 1 or more", i,
                       factor->n);
    return CARDAN_OK;
}

static cardan_status check_factors(const cardan_factor *factors, int count, cardan_error *error)
{
    if (count < 1 || factors == NULL)
        return cd_fail(error, CARDAN_INVALID_ARGUMENT,
                       "a group needs at least one factor, not %d factors at %s", count,
                       factors == NULL ? "NULL" : "a valid address");
    long long size = 0;
    for (int i = 0; i < count; i++) {
        cardan_status status = check_factor(&factors[i], i, error);
        if (status != CARDAN_OK)
            return status;
        size += factors[i].kind == CARDAN_RN ? factors[i].n : CD_KIND_SIZE;
        if (size >= INT_MAX)
            return cd_fail(error, CARDAN_INVALID_ARGUMENT,
                           "factor %d makes the group too large: its elements would have more "
                           "than %d numbers",
                           i, INT_MAX);
    }
    return CARDAN_OK;
}

cardan_status cardan_group_create(cardan_group **group, const cardan_factor *factors, int count,
                                  const cardan_allocator *allocator, cardan_error *error)
{
    if (group == NULL)
        return cd_fail(error, CARDAN_INVALID_ARGUMENT,
                       "cardan_group_create has no place to put the group: `group` is NULL");
    *group = NULL;
    cardan_status status = check_factors(factors, count, error);
    if (status != CARDAN_OK)
        return status;
    cardan_group *made = allocate_group(count, allocator);
    if (made == NULL)
        return cd_fail(error, CARDAN_OUT_OF_MEMORY,
                       "the allocator returned no memory for a group of %d factors", count);
    for (int i = 0; i < count; i++)
        append_factor(made, &factors[i]);
    *group = made;
    return cd_succeed(error);
}

cardan_status cd_group_clone(cardan_group **copy, const cardan_group *group,
                             const cardan_allocator *allocator)
{
    *copy = allocate_group(group->factor_count, allocator);
    if (*copy == NULL)
        return CARDAN_OUT_OF_MEMORY;
    for (int i = 0; i < group->factor_count; i++)
        append_factor(*copy, &group->factors[i].factor);
    return CARDAN_OK;
}

void cardan_group_destroy(cardan_group *group)
{
    if (group == NULL)
        return;
    cd_arena arena = group->arena;
    cd_arena_destroy(&arena);
}

/* ---- sizes ---- */

int cardan_group_factors(const cardan_group *group)
{
    return group->factor_count;
}

int cardan_group_size(const cardan_group *group)
{
    return group->size;
}

int cardan_group_dof(const cardan_group *group)
{
    return group->dof;
}

cardan_factor cardan_group_factor(const cardan_group *group, int i, int *element_offset,
                                  int *velocity_offset)
{
    const entry *factor = &group->factors[i];
    if (element_offset != NULL)
        *element_offset = factor->element;
    if (velocity_offset != NULL)
        *velocity_offset = factor->velocity;
    return factor->factor;
}

/* ---- group operations ---- */

static const part *last_part(const cardan_group *group)
{
    return group->parts + group->part_count - 1;
}

static void add_vectors(int n, const double *x, const double *y, double *sum)
{
    for (int i = 0; i < n; i++)
        sum[i] = x[i] + y[i];
}

static void subtract_vectors(int n, const double *x, const double *y, double *difference)
{
    for (int i = 0; i < n; i++)
        difference[i] = x[i] - y[i];
}

void cardan_group_identity(const cardan_group *group, double *q)
{
    for (const part *p = group->parts; p <= last_part(group); p++) {
        if (p->kind == NULL)
            cd_zero(p->size, q + p->element);
        else
            p->kind->identity(q + p->element);
    }
}

void cardan_group_compose(const cardan_group *group, const double *a, const double *b, double *ab)
{
    for (const part *p = group->parts; p <= last_part(group); p++) {
        int at = p->element;
        if (p->kind == NULL)
            add_vectors(p->size, a + at, b + at, ab + at);
        else
            p->kind->compose(a + at, b + at, ab + at);
    }
}

void cardan_group_inverse(const cardan_group *group, const double *q, double *inverse)
{
    for (const part *p = group->parts; p <= last_part(group); p++) {
        int at = p->element;
        if (p->kind == NULL)
            for (int i = at; i < at + p->size; i++)
                inverse[i] = -q[i];
        else
            p->kind->inverse(q + at, inverse + at);
    }
}

void cardan_group_exp(const cardan_group *group, const double *w, double *q)
{
    for (const part *p = group->parts; p <= last_part(group); p++) {
        if (p->kind == NULL)
            cd_copy(p->size, w + p->velocity, q + p->element);
        else
            p->kind->exp(w + p->velocity, q + p->element);
    }
}

void cardan_group_log(const cardan_group *group, const double *q, double *w)
{
    for (const part *p = group->parts; p <= last_part(group); p++) {
        if (p->kind == NULL)
            cd_copy(p->size, q + p->element, w + p->velocity);
        else
            p->kind->log(q + p->element, w + p->velocity);
    }
}

int cd_group_parts(const cardan_group *group)
{
    return group->part_count;
}

bool cd_group_is_linear(const cardan_group *group)
{
    bool linear = true;
    for (const part *p = group->parts; p <= last_part(group); p++)
        linear = linear && p->kind == NULL;
    return linear;
}

int cd_group_part_velocity(const cardan_group *group, int i)
{
    return i < group->part_count ? group->parts[i].velocity : group->dof;
}

int cd_group_flat(const cardan_group *group)
{
    return group->flat;
}

static void update_curved(const part *p, const double *q, const double *w, double *q1)
{
    if (p->kind == &cd_kind_so3) /* most of all */
        cd_rotation_update(p->right, q, w, q1);
    else
        p->kind->update(p->right, q, w, q1);
}

void cardan_group_update(const cardan_group *group, const double *q, const double *w, double *q1)
{
    for (const part *p = group->parts; p <= last_part(group); p++) {
        int at = p->element;
        if (p->kind == NULL)
            add_vectors(p->size, q + at, w + p->velocity, q1 + at);
        else
            update_curved(p, q + at, w + p->velocity, q1 + at);
    }
}

/* x + low + w as the nearest number and what is left, up to rounding of the latter (Knuth's exact
 * sum, then Dekker's for a second number that is small). */
static void add_exactly(int n, const double *x, const double *low, const double *w, double *x1,
                        double *low1)
{
    for (int i = 0; i < n; i++) {
        const double sum = x[i] + w[i], part_of_w = sum - x[i];
        const double lost = (x[i] - (sum - part_of_w)) + (w[i] - part_of_w);
        const double rest = low[i] + lost, nearest = sum + rest;
        x1[i] = nearest;
        low1[i] = rest - (nearest - sum);
    }
}

void cd_group_update_parts(const cardan_group *group, cd_span parts, cd_group_point from,
                           const double *w, cd_group_place to)
{
    for (const part *p = group->parts + parts.begin; p < group->parts + parts.end; p++) {
        const int at = p->element, flat = p->flat;
        if (p->kind != NULL)
            update_curved(p, from.q + at, w + p->velocity, to.q + at);
        else if (from.low != NULL)
            add_exactly(p->size, from.q + at, from.low + flat, w + p->velocity, to.q + at,
                        to.low + flat);
        else
            add_vectors(p->size, from.q + at, w + p->velocity, to.q + at);
    }
}

/* log(q0^-1 q1) for a left factor, log(q1 q0^-1) for a right one. */
static void curved_difference(const part *p, const double *q0, const double *q1, double *w)
{
    double inverse[CD_KIND_SIZE], relative[CD_KIND_SIZE];
    p->kind->inverse(q0, inverse);
    if (p->right)
        p->kind->compose(q1, inverse, relative);
    else
        p->kind->compose(inverse, q1, relative);
    p->kind->log(relative, w);
}

void cardan_group_difference(const cardan_group *group, const double *q0, const double *q1,
                             double *w)
{
    for (const part *p = group->parts; p <= last_part(group); p++) {
        int at = p->element;
        if (p->kind == NULL)
            subtract_vectors(p->size, q1 + at, q0 + at, w + p->velocity);
        else
            curved_difference(p, q0 + at, q1 + at, w + p->velocity);
    }
}

void cardan_group_normalise(const cardan_group *group, double *q)
{
    for (const part *p = group->parts; p <= last_part(group); p++) {
        if (p->kind != NULL)
            p->kind->normalise(q + p->element);
    }
}

double cardan_group_defect(const cardan_group *group, const double *q)
{
    double largest = 0.0;
    for (const part *p = group->parts; p <= last_part(group); p++) {
        double defect = p->kind == NULL ? 0.0 : p->kind->defect(q + p->element);
        if (defect > largest || isnan(defect))
            largest = defect;
    }
    return largest;
}

void cardan_group_adjoint(const cardan_group *group, const double *q, const double *x, double *out)
{
    for (const part *p = group->parts; p <= last_part(group); p++) {
        int at = p->velocity;
        if (p->kind == NULL)
            cd_copy(p->dof, x + at, out + at);
        else
            p->kind->adjoint(q + p->element, x + at, out + at);
    }
}

/* ---- operators of the algebra ---- */

/* [a, b] of a right factor is [b, a] of the left one. */
void cardan_group_bracket(const cardan_group *group, const double *a, const double *b, double *out)
{
    for (const part *p = group->parts; p <= last_part(group); p++) {
        int at = p->velocity;
        if (p->kind == NULL)
            cd_zero(p->dof, out + at);
        else if (p->right)
            p->kind->bracket(b + at, a + at, out + at);
        else
            p->kind->bracket(a + at, b + at, out + at);
    }
}

void cd_group_bracket_block(const cardan_group *group, int i, const double *a, double *block)
{
    const entry *factor = &group->factors[i];
    cd_zero(factor->dof * factor->dof, block);
    for (const part *p = factor->parts; p < factor->parts + factor->part_count; p++) {
        const int offset = p->velocity - factor->velocity;
        for (int j = 0; p->kind != NULL && j < p->dof; j++) {
            double basis[6] = {0}, column[6];
            basis[j] = p->right ? -1.0 : 1.0;
            p->kind->bracket(a + p->velocity, basis, column);
            for (int r = 0; r < p->dof; r++)
                block[(offset + r) * factor->dof + offset + j] = column[r];
        }
    }
}

static void zero_square(int order, double *matrix)
{
    memset(matrix, 0, (size_t)order * (size_t)order * sizeof *matrix);
}

void cd_group_curve_tangent(const cardan_group *group, int i, const double *w, double *block)
{
    const entry *factor = &group->factors[i];
    for (const part *p = factor->parts; p < factor->parts + factor->part_count; p++)
        if (p->kind != NULL) {
            zero_square(p->dof, block);
            p->kind->tangent_block((cd_operator){.right = p->right}, w + p->velocity, p->dof,
                                   block);
        }
}

static void apply_tangent(const cardan_group *group, cd_operator op, const double *w,
                          const double *x, double *out)
{
    for (const part *p = group->parts; p <= last_part(group); p++) {
        int at = p->velocity;
        op.right = p->right;
        if (p->kind != NULL)
            p->kind->tangent(op, w + at, x + at, out + at);
        else if (out != x)
            cd_copy(p->dof, x + at, out + at);
    }
}

void cardan_group_tangent(const cardan_group *group, const double *w, const double *x, double *out)
{
    apply_tangent(group, (cd_operator){.inverse = false}, w, x, out);
}

void cardan_group_tangent_inverse(const cardan_group *group, const double *w, const double *x,
                                  double *out)
{
    apply_tangent(group, (cd_operator){.inverse = true}, w, x, out);
}

void cardan_group_tangent_transpose(const cardan_group *group, const double *w, const double *x,
                                    double *out)
{
    apply_tangent(group, (cd_operator){.transposed = true}, w, x, out);
}

void cardan_group_tangent_inverse_transpose(const cardan_group *group, const double *w,
                                            const double *x, double *out)
{
    apply_tangent(group, (cd_operator){.inverse = true, .transposed = true}, w, x, out);
}

static double *diagonal_entry(double *matrix, int order, int i)
{
    return matrix + (size_t)i * (size_t)order + (size_t)i;
}

static void fill_tangent_block(const entry *factor, bool inverse, const double *w, double *block)
{
    zero_square(factor->dof, block);
    for (const part *p = factor->parts; p < factor->parts + factor->part_count; p++) {
        int at = p->velocity - factor->velocity;
        cd_operator op = {.right = p->right, .inverse = inverse};
        if (p->kind == NULL)
            for (int i = 0; i < p->dof; i++)
                *diagonal_entry(block, factor->dof, at + i) = 1.0;
        else
            p->kind->tangent_block(op, w + p->velocity, factor->dof,
                                   diagonal_entry(block, factor->dof, at));
    }
}

void cardan_group_tangent_block(const cardan_group *group, int i, const double *w, double *block)
{
    fill_tangent_block(&group->factors[i], false, w, block);
}

void cardan_group_tangent_inverse_block(const cardan_group *group, int i, const double *w,
                                        double *block)
{
    fill_tangent_block(&group->factors[i], true, w, block);
}

/* ---- matrices of the algebra: those of the parts along the diagonal ---- */

int cardan_group_hat_order(const cardan_group *group, int i)
{
    return group->factors[i].hat_order;
}

void cardan_group_hat(const cardan_group *group, int i, const double *w, double *matrix)
{
    const entry *factor = &group->factors[i];
    int order = factor->hat_order, at = 0;
    zero_square(order, matrix);
    for (const part *p = factor->parts; p < factor->parts + factor->part_count; p++) {
        double *block = diagonal_entry(matrix, order, at);
        if (p->kind == NULL)
            for (int row = 0; row < p->dof; row++)
                block[(size_t)row * (size_t)order + (size_t)p->dof] = w[p->velocity + row];
        else
            p->kind->hat(w + p->velocity, order, block);
        at += hat_order_of(p);
    }
}

void cardan_group_vee(const cardan_group *group, int i, const double *matrix, double *w)
{
    const entry *factor = &group->factors[i];
    int order = factor->hat_order, at = 0;
    for (const part *p = factor->parts; p < factor->parts + factor->part_count; p++) {
        const double *block = matrix + (size_t)at * (size_t)order + (size_t)at;
        if (p->kind == NULL)
            for (int row = 0; row < p->dof; row++)
                w[p->velocity + row] = block[(size_t)row * (size_t)order + (size_t)p->dof];
        else
            p->kind->vee(block, order, w + p->velocity);
        at += hat_order_of(p);
    }
}
