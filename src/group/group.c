/* Products of groups. A group is a list of components, each R^n or one curved kind, and most
 * operations are loops over them. The factors R3 x SO(3) and R3 x S3 have two components each. */
#include "group.h"

#include "base/error.h"
#include "base/memory.h"
#include "base/numeric.h"
#include "base/wide.h"
#include "kind.h"
#include "rotation.h"

#include <limits.h>
#include <stdbool.h>

enum { MOST_COMPONENTS = 2 };

/* The components of a kind of factor. Kind NULL is R^n; n = 0: the factor says n. */
typedef struct recipe {
    int count;
    struct {
        const cd_kind *kind;
        int n;
    } components[MOST_COMPONENTS];
} recipe;

static const recipe recipes[] = {
    [CARDAN_RN] = {1, {{NULL, 0}}},
    [CARDAN_SO3] = {1, {{&cd_kind_so3, 0}}},
    [CARDAN_S3] = {1, {{&cd_kind_s3, 0}}},
    [CARDAN_R3_SO3] = {2, {{NULL, 3}, {&cd_kind_so3, 0}}},
    [CARDAN_R3_S3] = {2, {{NULL, 3}, {&cd_kind_s3, 0}}},
    [CARDAN_SE3] = {1, {{&cd_kind_se3, 0}}},
};

typedef struct component {
    const cd_kind *kind; /* NULL: R^n */
    bool right;
    int size; /* doubles of the element, from `element` on */
    int dof;  /* doubles of the velocity, from `velocity` on */
    int element;
    int velocity;
    int flat; /* coordinates of R^n components before it */
} component;

/* A run: neighbouring factors that are equal. What they have in common is stored once. */
typedef struct run {
    cardan_factor factor;
    int first, count;               /* the first factor, and how many */
    int size, dof, flat, hat_order; /* of each factor */
    int component_count;
    component components[MOST_COMPONENTS]; /* of the first factor */
} run;

struct cardan_group {
    cd_arena arena; /* holds this struct as well */
    int size;
    int dof;
    int flat; /* coordinates of R^n components */
    int factor_count;
    int run_count;
    run *runs; /* run_count */
};

/* ---- making and unmaking ---- */

/* Component `index` of a factor, without its offsets. */
static component make_component(const cardan_factor *factor, int index)
{
    const cd_kind *kind = recipes[factor->kind].components[index].kind;
    const int given = recipes[factor->kind].components[index].n, n = given > 0 ? given : factor->n;
    return (component){
        .kind = kind,
        .right = factor->side == CARDAN_RIGHT,
        .size = kind == NULL ? n : kind->size,
        .dof = kind == NULL ? n : kind->dof,
    };
}

/* Order of the matrix of the algebra (`hat`) of a component. */
static int hat_order_of(const component *p)
{
    return p->kind == NULL ? p->size + 1 : p->kind->hat_order;
}

static bool are_equal(const cardan_factor *a, const cardan_factor *b)
{
    return a->kind == b->kind && a->side == b->side && (a->kind != CARDAN_RN || a->n == b->n);
}

/* How many factors from the first on are equal and so make one run. */
static int count_equal_factors(const cardan_factor *factors, int count)
{
    int equal = 1;
    while (equal < count && are_equal(&factors[0], &factors[equal]))
        equal++;
    return equal;
}

static void append_equal_factors(cardan_group *group, const cardan_factor *factor, int count)
{
    run *new = &group->runs[group->run_count++];
    *new = (run){.factor = *factor,
                 .first = group->factor_count,
                 .count = count,
                 .component_count = recipes[factor->kind].count};
    for (int i = 0; i < new->component_count; i++) {
        component *p = &new->components[i];
        *p = make_component(factor, i);
        p->element = group->size + new->size;
        p->velocity = group->dof + new->dof;
        p->flat = group->flat + new->flat;
        new->flat += p->kind == NULL ? p->size : 0;
        new->size += p->size;
        new->dof += p->dof;
        new->hat_order += hat_order_of(p);
    }
    group->factor_count += count;
    group->size += count * new->size;
    group->dof += count * new->dof;
    group->flat += count * new->flat;
}

/* An empty group with room for `count` runs, or NULL. */
static cardan_group *allocate_group(int count, const cardan_allocator *allocator)
{
    cd_arena arena;
    cd_arena_init(&arena, allocator);
    cardan_group *group = cd_arena_take(&arena, sizeof *group);
    run *runs = cd_arena_take(&arena, (size_t)count * sizeof *runs);
    if (arena.failed) {
        cd_arena_destroy(&arena);
        return NULL;
    }
    group->arena = arena;
    group->runs = runs;
    return group;
}

static cardan_status check_factor(const cardan_factor *factor, int i, cardan_error *error)
{
    if ((unsigned)factor->kind >= sizeof recipes / sizeof recipes[0])
        return cd_invalid(
            error,
            "factor %d of the group has the unknown kind %d; use a value of cardan_group_kind", i,
            (int)factor->kind);
    if (factor->side != CARDAN_LEFT && factor->side != CARDAN_RIGHT)
        return cd_invalid(
            error,
            "factor %d of the group has the unknown side %d; use CARDAN_LEFT or CARDAN_RIGHT", i,
            (int)factor->side);
    if (factor->kind == CARDAN_RN && factor->n < 1)
        return cd_invalid(error, "factor %d of the group is R^n with n = %d; n must be 1 or more",
                          i, factor->n);
    return CARDAN_OK;
}

static cardan_status check_factors(const cardan_factor *factors, int count, cardan_error *error)
{
    if (count < 1 || factors == NULL)
        return cd_invalid(error, "a group needs at least one factor, not %d factors at %s", count,
                          factors == NULL ? "NULL" : "a valid address");
    long long size = 0;
    for (int i = 0; i < count; i++) {
        cardan_status status = check_factor(&factors[i], i, error);
        if (status != CARDAN_OK)
            return status;
        size += factors[i].kind == CARDAN_RN ? factors[i].n : CD_KIND_SIZE;
        if (size >= INT_MAX)
            return cd_invalid(
                error,
                "factor %d makes the group too large: its elements would have more than %d numbers",
                i, INT_MAX);
    }
    return CARDAN_OK;
}

cardan_status cardan_group_create(cardan_group **group, const cardan_factor *factors, int count,
                                  const cardan_allocator *allocator, cardan_error *error)
{
    if (group == NULL)
        return cd_invalid(error,
                          "cardan_group_create has no place to put the group: `group` is NULL");
    *group = NULL;
    cardan_status status = check_factors(factors, count, error);
    if (status != CARDAN_OK)
        return status;
    int runs = 0;
    for (int i = 0; i < count; i += count_equal_factors(factors + i, count - i))
        runs++;
    cardan_group *made = allocate_group(runs, allocator);
    if (made == NULL)
        return cd_fail(error, CARDAN_OUT_OF_MEMORY,
                       "the allocator returned no memory for a group of %d factors", count);
    for (int i = 0, equal; i < count; i += equal) {
        equal = count_equal_factors(factors + i, count - i);
        append_equal_factors(made, &factors[i], equal);
    }
    *group = made;
    return cd_succeed(error);
}

cardan_status cd_group_clone(cardan_group **copy, const cardan_group *group,
                             const cardan_allocator *allocator)
{
    *copy = allocate_group(group->run_count, allocator);
    if (*copy == NULL)
        return CARDAN_OUT_OF_MEMORY;
    for (int i = 0; i < group->run_count; i++)
        append_equal_factors(*copy, &group->runs[i].factor, group->runs[i].count);
    return CARDAN_OK;
}

void cardan_group_destroy(cardan_group *group)
{
    if (group == NULL)
        return;
    cd_arena arena = group->arena;
    cd_arena_destroy(&arena);
}

int cardan_group_factor_count(const cardan_group *group)
{
    return group != NULL ? group->factor_count : 0;
}

int cardan_group_size(const cardan_group *group)
{
    return group != NULL ? group->size : 0;
}

int cardan_group_dof(const cardan_group *group)
{
    return group != NULL ? group->dof : 0;
}

/* ---- factors and components ---- */

/* The run that factor i is in; an empty one without a group. */
static const run *find_run(const cardan_group *group, int i)
{
    static const run none = {.count = 0};
    if (group == NULL)
        return &none;
    const run *runs = group->runs;
    return &runs[cd_last_up_to(i, group->run_count, &runs[0].first, sizeof *runs)];
}

/* Component `index` of factor `i` of a run. */
static component component_of(const run *r, int i, int index)
{
    component p = r->components[index];
    p.element += i * r->size;
    p.velocity += i * r->dof;
    p.flat += i * r->flat;
    return p;
}

/* A loop over all components of a group; none without a group. */
typedef struct component_loop {
    const run *run, *end; /* the run of the next component, and the end of all runs */
    int factor, index;    /* in that run, of the next component */
    component component;  /* the present one */
} component_loop;

static component_loop begin_components(const cardan_group *group)
{
    if (group == NULL)
        return (component_loop){.run = NULL};
    return (component_loop){.run = group->runs, .end = group->runs + group->run_count};
}

/* Goes on to the next component; false if there is none. */
static bool next_component(component_loop *w)
{
    if (w->run == w->end)
        return false;
    w->component = component_of(w->run, w->factor, w->index++);
    if (w->index == w->run->component_count) {
        w->index = 0;
        w->factor++;
    }
    if (w->factor == w->run->count) {
        w->factor = 0;
        w->run++;
    }
    return true;
}

cardan_factor cardan_group_factor(const cardan_group *group, int i, int *element_offset,
                                  int *velocity_offset)
{
    const run *r = find_run(group, i);
    const component first = component_of(r, i - r->first, 0);
    if (element_offset != NULL)
        *element_offset = first.element;
    if (velocity_offset != NULL)
        *velocity_offset = first.velocity;
    return r->factor;
}

int cd_group_velocity_offset(const cardan_group *group, int i)
{
    if (i == 0 || i == group->factor_count)
        return i == 0 ? 0 : group->dof;
    const run *r = find_run(group, i);
    return r->components[0].velocity + (i - r->first) * r->dof;
}

/* It is at the end of the velocity of each curved factor. */
double cd_group_spin(const cardan_group *group, const double *v)
{
    double largest = 0.0;
    for (int i = 0; i < cardan_group_factor_count(group); i++) {
        if (cardan_group_factor(group, i, NULL, NULL).kind == CARDAN_RN)
            continue;
        const double *w = v + cd_group_velocity_offset(group, i + 1) - 3;
        largest = fmax(largest, w[0] * w[0] + w[1] * w[1] + w[2] * w[2]);
    }
    return sqrt(largest);
}

bool cd_group_is_linear(const cardan_group *group)
{
    return group->flat == group->dof;
}

int cd_group_flat_count(const cardan_group *group)
{
    return group->flat;
}

/* ---- group operations ---- */

static void add_vectors(int n, const double *x, const double *y, double *sum)
{
    for (int i = 0; i < n; i++)
        sum[i] = x[i] + y[i];
}

void cardan_group_identity(const cardan_group *group, double *q)
{
    for (component_loop all = begin_components(group); next_component(&all);) {
        const component *p = &all.component;
        if (p->kind == NULL)
            cd_zero(p->size, q + p->element);
        else
            p->kind->identity(q + p->element);
    }
}

void cardan_group_compose(const cardan_group *group, const double *a, const double *b, double *ab)
{
    for (component_loop all = begin_components(group); next_component(&all);) {
        const component *p = &all.component;
        int at = p->element;
        if (p->kind == NULL)
            add_vectors(p->size, a + at, b + at, ab + at);
        else
            p->kind->compose(a + at, b + at, ab + at);
    }
}

void cardan_group_inverse(const cardan_group *group, const double *q, double *inverse)
{
    for (component_loop all = begin_components(group); next_component(&all);) {
        const component *p = &all.component;
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
    for (component_loop all = begin_components(group); next_component(&all);) {
        const component *p = &all.component;
        if (p->kind == NULL)
            cd_copy(p->size, w + p->velocity, q + p->element);
        else
            p->kind->exp(w + p->velocity, q + p->element);
    }
}

void cardan_group_log(const cardan_group *group, const double *q, double *w)
{
    for (component_loop all = begin_components(group); next_component(&all);) {
        const component *p = &all.component;
        if (p->kind == NULL)
            cd_copy(p->size, q + p->element, w + p->velocity);
        else
            p->kind->log(q + p->element, w + p->velocity);
    }
}

/* x + low + w as the nearest number x1 and the remainder low1, which alone is rounded (Knuth's
 * exact sum, then Dekker's for a small second number). */
CD_KERNEL void add_exactly(int n, const double *x, const double *low, const double *w, double *x1,
                           double *low1)
{
    for (int i = 0; i < n; i++) {
        const double sum = x[i] + w[i], added = sum - x[i];
        const double lost = (x[i] - (sum - added)) + (w[i] - added);
        const double small = low[i] + lost, nearest = sum + small;
        x1[i] = nearest;
        low1[i] = small - (nearest - sum);
    }
}

/* Updates an R^n component of some factors of a run; `w` begins with the first of them. */
static void update_flat(const run *r, cd_span factors, int index, cd_group_point from,
                        const double *w, cd_group_target to)
{
    const component *p = &r->components[index];
    const int element = p->element + factors.begin * r->size, n = p->size;
    const double *x = from.q + element;
    double *x1 = to.q + element;
    for (int i = factors.begin; i < factors.end; i++, x += r->size, x1 += r->size, w += r->dof) {
        const int flat = p->flat + i * r->flat;
        if (from.low == NULL)
            add_vectors(n, x, w, x1);
        else
            add_exactly(n, x, from.low + flat, w, x1, to.low + flat);
    }
}

/* Updates a curved component of some factors of a run; `w` begins with the first of them. */
static void update_curved(const run *r, cd_span factors, int index, const double *q,
                          const double *w, double *q1)
{
    const component *p = &r->components[index];
    const int element = p->element + factors.begin * r->size;
    const int count = factors.end - factors.begin;
    const double *from = q + element;
    double *to = q1 + element;
    for (int i = 0; i < count; i++)
        p->kind->update(p->right, from + i * r->size, w + i * r->dof, to + i * r->size);
}

/* Those of some factors that are in a run, counted from its first. */
static cd_span span_within_run(const run *r, cd_span factors)
{
    const int begin = factors.begin - r->first, end = factors.end - r->first;
    return (cd_span){begin > 0 ? begin : 0, end < r->count ? end : r->count};
}

void cd_group_update_span(const cardan_group *group, cd_span factors, cd_group_point from,
                          const double *w, cd_group_target to)
{
    for (const run *r = find_run(group, factors.begin);
         r < group->runs + group->run_count && r->first < factors.end; r++) {
        const cd_span own = span_within_run(r, factors);
        for (int index = 0; index < r->component_count; index++) {
            const component *p = &r->components[index];
            const double *by = w + (p->velocity - r->components[0].velocity);
            if (p->kind == NULL)
                update_flat(r, own, index, from, by, to);
            else
                update_curved(r, own, index, from.q, by, to.q);
        }
        w += (own.end - own.begin) * r->dof;
    }
}

void cardan_group_update(const cardan_group *group, const double *q, const double *w, double *q1)
{
    if (group != NULL)
        cd_group_update_span(group, (cd_span){0, group->factor_count}, (cd_group_point){q, NULL}, w,
                             (cd_group_target){q1, NULL});
}

/* log(q0^-1 q1) for a left factor, log(q1 q0^-1) for a right one. */
static void curved_difference(const component *p, const double *q0, const double *q1, double *w)
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
    for (component_loop all = begin_components(group); next_component(&all);) {
        const component *p = &all.component;
        int at = p->element;
        if (p->kind == NULL)
            for (int i = 0; i < p->size; i++)
                w[p->velocity + i] = q1[at + i] - q0[at + i];
        else
            curved_difference(p, q0 + at, q1 + at, w + p->velocity);
    }
}

void cardan_group_normalise(const cardan_group *group, double *q)
{
    for (component_loop all = begin_components(group); next_component(&all);) {
        const component *p = &all.component;
        if (p->kind != NULL)
            p->kind->normalise(q + p->element);
    }
}

double cardan_group_defect(const cardan_group *group, const double *q)
{
    double largest = group != NULL ? 0.0 : NAN;
    for (component_loop all = begin_components(group); next_component(&all);) {
        const component *p = &all.component;
        double defect = p->kind == NULL ? 0.0 : p->kind->defect(q + p->element);
        if (defect > largest || isnan(defect))
            largest = defect;
    }
    return largest;
}

void cardan_group_adjoint(const cardan_group *group, const double *q, const double *x, double *out)
{
    for (component_loop all = begin_components(group); next_component(&all);) {
        const component *p = &all.component;
        int at = p->velocity;
        if (p->kind == NULL)
            cd_copy(p->dof, x + at, out + at);
        else
            p->kind->adjoint(q + p->element, x + at, out + at);
    }
}

/* ---- operators of the algebra ---- */

/* The bracket [a, b] of a component; that of a right factor is [b, a] of the left one. */
static void component_bracket(const component *p, const double *a, const double *b, double *out)
{
    p->kind->bracket(p->right ? b : a, p->right ? a : b, out);
}

void cardan_group_bracket(const cardan_group *group, const double *a, const double *b, double *out)
{
    for (component_loop all = begin_components(group); next_component(&all);) {
        const component *p = &all.component;
        int at = p->velocity;
        if (p->kind == NULL)
            cd_zero(p->dof, out + at);
        else
            component_bracket(p, a + at, b + at, out + at);
    }
}

/* w += c [a, b] for a curved component of some factors of a run; a, b, w begin with the first. */
static void add_component_brackets(const run *r, int count, int index, double c, const double *a,
                                   const double *b, double *w)
{
    const component *p = &r->components[index];
    double bracket[CD_KIND_DOF];
    for (int at = 0; at < count * r->dof; at += r->dof) {
        component_bracket(p, a + at, b + at, bracket);
        cd_add(p->dof, c, bracket, w + at);
    }
}

void cd_group_add_bracket(const cardan_group *group, cd_span factors, double c, const double *a,
                          const double *b, double *w)
{
    for (const run *r = find_run(group, factors.begin);
         r < group->runs + group->run_count && r->first < factors.end; r++) {
        const cd_span own = span_within_run(r, factors);
        const int count = own.end - own.begin, first = r->components[0].velocity;
        for (int index = 0; index < r->component_count; index++) {
            const int at = r->components[index].velocity, begin = at + own.begin * r->dof;
            if (r->components[index].kind != NULL)
                add_component_brackets(r, count, index, c, a + begin, b + begin, w + (at - first));
        }
        w += count * r->dof;
    }
}

static void zero_square(int order, double *matrix)
{
    if (order > 0)
        memset(matrix, 0, (size_t)order * (size_t)order * sizeof *matrix);
}

cd_curved cd_group_curved(const cardan_group *group, int i)
{
    const run *r = find_run(group, i);
    const component p = component_of(r, i - r->first, r->component_count - 1);
    return (cd_curved){p.kind, p.right, p.velocity, p.kind != NULL ? p.dof : 0};
}

void cd_group_curve_tangent(const cardan_group *group, int i, const double *w, double *block)
{
    const cd_curved it = cd_group_curved(group, i);
    zero_square(it.n, block);
    if (it.kind != NULL)
        it.kind->tangent_block((cd_operator){.right = it.right}, w + it.first, it.n, block);
}

void cd_group_curve_bracket(const cardan_group *group, int i, const double *a, double *block)
{
    const cd_curved it = cd_group_curved(group, i);
    for (int j = 0; j < it.n; j++) {
        double basis[CD_KIND_DOF] = {0}, column[CD_KIND_DOF];
        basis[j] = it.right ? -1.0 : 1.0;
        it.kind->bracket(a + it.first, basis, column);
        for (int row = 0; row < it.n; row++)
            block[row * it.n + j] = column[row];
    }
}

/* Which operator a cardan_tangent is, without the side, which each component has. */
static cd_operator select_operator(cardan_tangent which)
{
    return (cd_operator){.inverse = which == CARDAN_TANGENT_INVERSE ||
                                    which == CARDAN_TANGENT_INVERSE_TRANSPOSE,
                         .transposed = which == CARDAN_TANGENT_TRANSPOSE ||
                                       which == CARDAN_TANGENT_INVERSE_TRANSPOSE};
}

void cardan_group_tangent(const cardan_group *group, cardan_tangent which, const double *w,
                          const double *x, double *out)
{
    cd_operator op = select_operator(which);
    for (component_loop all = begin_components(group); next_component(&all);) {
        const component *p = &all.component;
        int at = p->velocity;
        op.right = p->right;
        if (p->kind != NULL)
            p->kind->tangent(op, w + at, x + at, out + at);
        else if (out != x)
            cd_copy(p->dof, x + at, out + at);
    }
}

static double *diagonal_entry(double *matrix, int order, int i)
{
    return matrix + (size_t)i * (size_t)order + (size_t)i;
}

void cardan_group_tangent_block(const cardan_group *group, cardan_tangent which, int i,
                                const double *w, double *block)
{
    const run *r = find_run(group, i);
    cd_operator op = select_operator(which);
    zero_square(r->dof, block);
    for (int index = 0, at = 0; index < r->component_count; at += r->components[index++].dof) {
        const component p = component_of(r, i - r->first, index);
        op.right = p.right;
        if (p.kind == NULL)
            for (int j = 0; j < p.dof; j++)
                *diagonal_entry(block, r->dof, at + j) = 1.0;
        else
            p.kind->tangent_block(op, w + p.velocity, r->dof, diagonal_entry(block, r->dof, at));
    }
}

/* ---- matrices of the algebra: those of the components are blocks on the diagonal ---- */

int cardan_group_hat(const cardan_group *group, int i, const double *w, double *matrix)
{
    const run *r = find_run(group, i);
    const int order = r->hat_order;
    if (matrix == NULL)
        return order;
    zero_square(order, matrix);
    for (int k = 0, at = 0; k < r->component_count; at += hat_order_of(&r->components[k++])) {
        const component p = component_of(r, i - r->first, k);
        double *block = diagonal_entry(matrix, order, at);
        if (p.kind == NULL)
            for (int row = 0; row < p.dof; row++)
                block[(size_t)row * (size_t)order + (size_t)p.dof] = w[p.velocity + row];
        else
            p.kind->hat(w + p.velocity, order, block);
    }
    return order;
}

void cardan_group_vee(const cardan_group *group, int i, const double *matrix, double *w)
{
    const run *r = find_run(group, i);
    const size_t order = (size_t)r->hat_order;
    for (int k = 0, at = 0; k < r->component_count; at += hat_order_of(&r->components[k++])) {
        const component p = component_of(r, i - r->first, k);
        const double *block = matrix + (size_t)at * (order + 1);
        if (p.kind == NULL)
            for (int row = 0; row < p.dof; row++)
                w[p.velocity + row] = block[(size_t)row * order + (size_t)p.dof];
        else
            p.kind->vee(block, r->hat_order, w + p.velocity);
    }
}
