/* See normals.h. A body with very many joints, as the hub of a wheel, would make the matrix full.
 * In loops there are positions in which constraints depend on each other; close to them the matrix
 * is nearly singular, and what the corrector neglects for its sake is no longer small. So only
 * trees have it. */
#include "system/normals.h"

#include "base/numeric.h"
#include "system/workspace.h"

enum { FULLEST = 16 }; /* times the entries of B */

/* Where each of `count` numbers begins in an ascending list of n of them, numbered from `first`. */
static int *begins(cd_arena *arena, int n, const int *number, int first, int count)
{
    int *begin = cd_arena_take(arena, ((size_t)count + 1) * sizeof *begin);
    for (int i = n - 1; begin != NULL && i >= 0; i--)
        begin[number[i] - first] = i;
    if (begin != NULL)
        begin[count] = n;
    return begin;
}

/* The bodies of a row one after the other: -1 behind the last. */
static int next_body(const cd_pattern *p, int row, const int *of_velocity, int *entry)
{
    const int end = cd_pattern_end(p, row);
    if (*entry >= end)
        return -1;
    const int body = of_velocity[cd_pattern_column(p, row, *entry)];
    while (*entry < end && of_velocity[cd_pattern_column(p, row, *entry)] == body)
        ++*entry;
    return body;
}

/* Lists the joints of all bodies; without a list they are counted, in start[body + 2]. */
static void list_joints(const cd_pattern *p, const cd_units *units, const int *first_row,
                        int joints, int *start, int *joint)
{
    for (int j = 0; j < joints; j++) {
        int entry = cd_pattern_begin(p, first_row[j]), body;
        while ((body = next_body(p, first_row[j], units->of_velocity, &entry)) >= 0)
            if (joint == NULL)
                start[body + 2]++;
            else
                joint[start[body + 1]++] = j;
    }
}

static int root_of(int *parent, int node)
{
    while (parent[node] != node)
        node = parent[node] = parent[parent[node]];
    return node;
}

/* Connects the bodies of a joint, or its only one with the ground; false if they were before, or
 * are more than two. */
static bool connect(const cd_pattern *p, int row, const cd_units *units, int *parent)
{
    int entry = cd_pattern_begin(p, row);
    const int first = next_body(p, row, units->of_velocity, &entry);
    const int second = next_body(p, row, units->of_velocity, &entry);
    if (first < 0 || next_body(p, row, units->of_velocity, &entry) >= 0)
        return false;
    const int a = root_of(parent, first), b = root_of(parent, second < 0 ? units->bodies : second);
    parent[a] = b;
    return a != b;
}

/* Do the joints make no loops, also not through the ground? */
static bool is_forest(const cd_arena *arena, const cd_pattern *p, const cd_units *units)
{
    cd_arena scratch;
    cd_arena_init(&scratch, &arena->allocator);
    int *parent = cd_arena_take(&scratch, ((size_t)units->bodies + 1) * sizeof *parent);
    bool forest = parent != NULL;
    for (int b = 0; forest && b <= units->bodies; b++)
        parent[b] = b;
    for (int r = 0; forest && r < p->rows; r++)
        if (r == 0 || units->of_constraint[r] != units->of_constraint[r - 1])
            forest = connect(p, r, units, parent);
    cd_arena_destroy(&scratch);
    return forest;
}

/* Entries of B T B_n^T, blocks that overlap counted more than once. */
static double entries_of(const cd_normals *n, int bodies)
{
    double sum = 0.0;
    for (int b = 0; b < bodies; b++) {
        double rows = 0.0;
        for (int i = n->start[b]; i < n->start[b + 1]; i++)
            rows += n->first_row[n->joint[i] + 1] - n->first_row[n->joint[i]];
        sum += rows * rows;
    }
    return sum;
}

cd_normals cd_normals_find(cd_arena *arena, const cd_pattern *constraints, const cd_units *units)
{
    const int m = constraints->rows, k = constraints->cols, bodies = units->bodies;
    if (units->count == 0 || m == 0 || !is_forest(arena, constraints, units))
        return (cd_normals){0};
    const int joints = units->of_constraint[m - 1] - bodies + 1;
    int *first_row = begins(arena, m, units->of_constraint, bodies, joints);
    int *first_velocity = begins(arena, k, units->of_velocity, 0, bodies);
    int *start = cd_arena_take(arena, ((size_t)bodies + 2) * sizeof *start);
    if (arena->failed)
        return (cd_normals){0};
    list_joints(constraints, units, first_row, joints, start, NULL);
    for (int b = 0; b < bodies; b++)
        start[b + 2] += start[b + 1];
    int *joint = cd_arena_take(arena, (size_t)start[bodies + 1] * sizeof *joint);
    if (arena->failed)
        return (cd_normals){0};
    list_joints(constraints, units, first_row, joints, start, joint);
    cd_normals found = {joints, bodies, first_row, first_velocity, start, joint};
    if (entries_of(&found, bodies) > (double)FULLEST * constraints->entries)
        found.joints = 0;
    return found;
}

/* One joint at one body. */
typedef struct pairing {
    int row, rows, col, cols;
} pairing;

static pairing pairing_of(const cardan_system *system, int body, int i)
{
    const cd_normals *n = &system->normals;
    const int joint = n->joint[i], row = n->first_row[joint], col = n->first_velocity[body];
    return (pairing){row, n->first_row[joint + 1] - row, col, n->first_velocity[body + 1] - col};
}

/* A part of a matrix with a pattern, row by row. */
static void expand(const cd_pattern *p, const double *values, pairing part,
                   double out[CD_LARGEST_JOINT * CD_LARGEST_BODY])
{
    for (int r = 0; r < part.rows; r++) {
        cd_zero(part.cols, out + r * part.cols);
        for (int e = cd_pattern_begin(p, part.row + r); e < cd_pattern_end(p, part.row + r); e++) {
            const int j = cd_pattern_column(p, part.row + r, e) - part.col;
            if (j >= 0 && j < part.cols)
                out[r * part.cols + j] = values[e];
        }
    }
}

int cd_normals_declare(const cardan_system *system, int row, int col, cd_matrix *matrix)
{
    const cd_normals *n = &system->normals;
    int count = 0, entries = 0, slot;
    for (int b = 0; b < n->bodies; b++) {
        int rows = 0;
        for (int i = n->start[b]; i < n->start[b + 1]; i++)
            rows += pairing_of(system, b, i).rows;
        count += (n->start[b + 1] - n->start[b]) * (n->start[b + 1] - n->start[b]);
        entries += rows * rows;
    }
    cd_cell *cell = cd_matrix_declare_cells(matrix, count, entries, &slot);
    for (int b = 0; cell != NULL && b < n->bodies; b++)
        for (int i = n->start[b]; i < n->start[b + 1]; i++)
            for (int j = n->start[b]; j < n->start[b + 1]; j++) {
                const pairing left = pairing_of(system, b, i), right = pairing_of(system, b, j);
                *cell++ =
                    (cd_cell){row + left.row, col + right.row, (short)left.rows, (short)right.rows};
            }
    return slot;
}

/* out (rows x rows) = left right^T */
static void multiply(pairing left, const double *a, pairing right, const double *b, double *out)
{
    for (int r = 0; r < left.rows; r++)
        for (int s = 0; s < right.rows; s++)
            out[r * right.rows + s] = cd_dot(left.cols, a + r * left.cols, b + s * right.cols);
}

typedef struct product {
    const cardan_system *system;
    const cd_pattern *closed;
    const double *mapped, *anchored;
    double weight;
    cd_cell_cursor at;
} product;

/* Columns of the cells in the rows of one joint at a body. */
static int columns_at(const cardan_system *system, int body)
{
    const cd_normals *n = &system->normals;
    int columns = 0;
    for (int j = n->start[body]; j < n->start[body + 1]; j++)
        columns += n->first_row[n->joint[j] + 1] - n->first_row[n->joint[j]];
    return columns;
}

/* The cells in the rows of a joint at a body. */
static void add_row(const product *it, int body, int i, cd_cell_cursor at)
{
    const cardan_system *system = it->system;
    const cd_normals *n = &system->normals;
    const cd_pattern *pattern = &system->matrices.pattern[CD_P_constraint_dq];
    double left[CD_LARGEST_JOINT * CD_LARGEST_BODY], right[CD_LARGEST_JOINT * CD_LARGEST_BODY];
    double found[CD_LARGEST_JOINT * CD_LARGEST_JOINT];
    const pairing one = pairing_of(system, body, i);
    expand(it->closed, it->mapped, one, left);
    for (int j = n->start[body]; j < n->start[body + 1]; j++) {
        const pairing other = pairing_of(system, body, j);
        expand(pattern, it->anchored, other, right);
        multiply(one, left, other, right, found);
        cd_cell_add(&at, one.rows, other.rows, it->weight, found, other.rows);
    }
}

/* The rows of a span of joints: rows of a joint get something from each of its bodies. */
static void add_rows(void *self, cd_span joints)
{
    const product *it = self;
    const cd_normals *n = &it->system->normals;
    cd_cell_cursor at = it->at;
    for (int b = 0; b < n->bodies; b++) {
        const int columns = columns_at(it->system, b);
        for (int i = n->start[b]; i < n->start[b + 1]; i++, at.place += columns)
            if (n->joint[i] >= joints.begin && n->joint[i] < joints.end)
                add_row(it, b, i, at);
    }
}

void cd_normals_add(cd_workspace *ws, const cd_pattern *closed, const double *mapped,
                    const double *anchored, int slot, double weight, cd_matrix *matrix)
{
    const int joints = ws->system->normals.joints, shares = 4;
    product it = {ws->system, closed, mapped, anchored, weight, cd_matrix_cells(matrix, slot)};
    cd_team_loop(ws->team, joints, joints / shares + 1, add_rows, &it);
}
