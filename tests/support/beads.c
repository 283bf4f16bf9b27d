/* Phi_i = (|x_i - x_{i-1}|^2 - 1) / 2 with x_{-1} = 0, unit masses, gravity along -z. */
#include "beads.h"

#include <check.h>
#include <math.h>
#include <stdlib.h>

#define GRAVITY 9.81

/* Component c of x_i - x_{i-1}. */
static double between(const double *x, int i, int c)
{
    return x[3 * i + c] - (i > 0 ? x[3 * i - 3 + c] : 0.0);
}

/* out[row, col] of a matrix with `cols` columns, or the next entry of its pattern. */
typedef struct writer {
    double *out;
    bool patterned;
    int cols, next;
} writer;

static writer open_writer(beads *b, int cols, double *out)
{
    b->calls++;
    return (writer){out, b->patterned, cols, 0};
}

static void put(writer *w, int row, int col, double value)
{
    if (w->patterned)
        w->out[w->next++] = value;
    else
        w->out[(size_t)row * (size_t)w->cols + (size_t)col] = value;
}

static int mass(void *context, const cardan_point *at, double *out)
{
    beads *b = context;
    writer w = open_writer(b, 3 * b->count, out);
    (void)at;
    for (int i = 0; i < 3 * b->count; i++)
        put(&w, i, i, 1.0);
    return 0;
}

static int force(void *context, const cardan_point *at, double *out)
{
    beads *b = context;
    (void)at;
    b->calls++;
    for (int i = 0; i < b->count; i++)
        out[3 * i + 2] = GRAVITY;
    return 0;
}

static int constraint(void *context, const cardan_point *at, double *out)
{
    beads *b = context;
    b->calls++;
    for (int i = 0; i < b->count; i++) {
        double square = 0.0;
        for (int c = 0; c < 3; c++)
            square += between(at->q, i, c) * between(at->q, i, c);
        out[i] = 0.5 * (square - 1.0);
    }
    return 0;
}

/* Rows (-d, d) at the beads i - 1 and i with d the difference of x there. */
static int write_rows(beads *b, const double *x, double *out)
{
    writer w = open_writer(b, 3 * b->count, out);
    for (int i = 0; i < b->count; i++) {
        for (int c = 0; c < 3 && i > 0; c++)
            put(&w, i, 3 * i - 3 + c, -between(x, i, c));
        for (int c = 0; c < 3; c++)
            put(&w, i, 3 * i + c, between(x, i, c));
    }
    return 0;
}

static int constraint_dq(void *context, const cardan_point *at, double *out)
{
    return write_rows(context, at->q, out);
}

static int hidden_dq(void *context, const cardan_point *at, double *out)
{
    return write_rows(context, at->v, out);
}

static int constraint_bias(void *context, const cardan_point *at, double *out)
{
    const beads *b = context;
    for (int i = 0; i < b->count; i++)
        for (int c = 0; c < 3; c++)
            out[i] += between(at->v, i, c) * between(at->v, i, c);
    return 0;
}

/* lambda_i + lambda_{i+1} on the diagonal, -lambda_i beside it */
static int reaction_dq(void *context, const cardan_point *at, double *out)
{
    beads *b = context;
    writer w = open_writer(b, 3 * b->count, out);
    for (int i = 0; i < b->count; i++)
        for (int c = 0; c < 3; c++) {
            const int row = 3 * i + c, last = i + 1 == b->count;
            if (i > 0)
                put(&w, row, row - 3, -at->lambda[i]);
            put(&w, row, row, at->lambda[i] + (last ? 0.0 : at->lambda[i + 1]));
            if (!last)
                put(&w, row, row + 3, -at->lambda[i + 1]);
        }
    return 0;
}

static int zero(void *context, const cardan_point *at, double *out)
{
    (void)context, (void)at, (void)out;
    return 0;
}

static int potential(void *context, const cardan_point *at, double *out)
{
    const beads *b = context;
    for (int i = 0; i < b->count; i++)
        out[0] += GRAVITY * at->q[3 * i + 2];
    return 0;
}

static void make_rows(beads *b, int *start, int *column)
{
    int e = 0;
    for (int i = 0; i < b->count; i++) {
        start[i] = e;
        for (int c = i > 0 ? -3 : 0; c < 3; c++)
            column[e++] = 3 * i + c;
    }
    start[b->count] = e;
    b->rows = (cardan_pattern){e, start, column};
}

static void make_stiffness(beads *b, int *start, int *column)
{
    int e = 0;
    for (int i = 0; i < 3 * b->count; i++) {
        start[i] = e;
        for (int j = i - 3; j <= i + 3; j += 3)
            if (j >= 0 && j < 3 * b->count)
                column[e++] = j;
    }
    start[3 * b->count] = e;
    b->stiffness = (cardan_pattern){e, start, column};
}

void beads_open(beads *b, int count, bool patterned)
{
    const size_t n = (size_t)count;
    *b = (beads){.count = count, .patterned = patterned};
    b->memory = calloc((3 * n + 1) * 3 + n + 1 + 3 * n + 6 * n + 9 * n, sizeof(int));
    ck_assert_ptr_nonnull(b->memory);
    int *next = b->memory, *start = next, *column = start + 3 * n + 1;
    for (int i = 0; i <= 3 * count; i++)
        start[i] = i;
    for (int i = 0; i < 3 * count; i++)
        column[i] = i;
    b->mass = (cardan_pattern){3 * count, start, column};
    next = column + 3 * n;
    make_rows(b, next, next + n + 1);
    next += n + 1 + 6 * n;
    make_stiffness(b, next, next + 3 * n + 1);
    next += 3 * n + 1 + 9 * n;
    b->none = (cardan_pattern){0, next, NULL};
}

void beads_close(beads *b)
{
    free(b->memory);
}

cardan_group *beads_group(const beads *b)
{
    const cardan_factor factor = {CARDAN_RN, CARDAN_LEFT, 3 * b->count};
    cardan_group *group;
    ck_assert_int_eq(cardan_group_create(&group, &factor, 1, NULL, NULL), CARDAN_OK);
    return group;
}

cardan_system_def beads_def(beads *b, const cardan_group *group)
{
    cardan_system_def def = cardan_system_def_default();
    def.group = group;
    def.constraints = b->count;
    def.context = b;
    def.mass = mass;
    def.force = force;
    def.constraint = constraint;
    def.constraint_dq = constraint_dq;
    def.constraint_bias = constraint_bias;
    def.hidden_dq = hidden_dq;
    def.reaction_dq = reaction_dq;
    def.force_dq = zero;
    def.force_dv = zero;
    def.potential = potential;
    def.constant_mass = true;
    if (b->patterned)
        def.patterns = (cardan_patterns){.mass = &b->mass,
                                         .constraint_dq = &b->rows,
                                         .hidden_dq = &b->rows,
                                         .reaction_dq = &b->stiffness,
                                         .force_dq = &b->none,
                                         .force_dv = &b->none};
    return def;
}

cardan_system *beads_system(beads *b)
{
    cardan_group *group = beads_group(b);
    const cardan_system_def def = beads_def(b, group);
    cardan_system *system;
    cardan_error error = {0};
    ck_assert_msg(cardan_system_create(&system, &def, &error) == CARDAN_OK, "%s", error.text);
    cardan_group_destroy(group);
    return system;
}

/* Rods wind about a horizontal line; velocities are those of a rotation about the vertical. */
void beads_initial(const beads *b, double *q, double *v)
{
    for (int i = 0; i < b->count; i++) {
        const double angle = 0.3 * i, lean = 0.5;
        const double rod[3] = {cos(lean), sin(lean) * sin(angle), -sin(lean) * cos(angle)};
        for (int c = 0; c < 3; c++)
            q[3 * i + c] = rod[c] + (i > 0 ? q[3 * i - 3 + c] : 0.0);
    }
    for (int i = 0; i < b->count; i++) {
        const double rate = 1.0 / b->count;
        v[3 * i] = -rate * q[3 * i + 1];
        v[3 * i + 1] = rate * q[3 * i];
        v[3 * i + 2] = 0.0;
    }
}
