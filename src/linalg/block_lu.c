/* Right-looking LU of a matrix in block storage, node by node (block_store.h) in the order in which
 * they are stored: memory is read and written in one stream. */
#include "block_store.h"

#include "base/numeric.h"
#include "kernels.h"

typedef cd_block_task task;

/* to += from: column-major blocks whose columns are some stride apart. */
CD_KERNEL void add_block(int rows, int cols, int from_stride, const double *restrict from,
                         int to_stride, double *restrict to)
{
    for (int j = 0; j < cols; j++)
        for (int i = 0; i < rows; i++)
            to[j * to_stride + i] += from[j * from_stride + i];
}

/* Adds the update of a node, m x m for the m unknowns in its reach, to the blocks of the nodes
 * `some` of its reach. (All later nodes in the reach are also in the reach of these.) Adds the
 * absolute values in its diagonal, or their `sums` if these are known, to lu->x. */
CD_KERNEL void add_update(const cd_block_lu *lu, int node, cd_span some, const double *update,
                          const double *sums)
{
    const cd_span own = cd_block_reach(lu, node);
    const int m = lu->reach[node], *reach = lu->order.reach;
    int from = 0;
    for (int s = own.begin; s < some.begin; s++)
        from += lu->range[s].count;
    for (int s = some.begin; s < some.end; from += lu->range[s].count, s++) {
        const cd_unit_range range = lu->range[s];
        const cd_block_numbers to = cd_block_of(lu, reach[s]);
        const double *column = update + from * m;
        double *seen = lu->x + cd_block_first(lu, s);
        for (int i = 0; i < range.count; i++)
            seen[i] += sums != NULL ? sums[from + i] : fabs(column[from + i * (m + 1)]);
        add_block(range.count, range.count, m, column + from, to.n,
                  to.diagonal + range.first * (to.n + 1));
        int at = from + range.count, offset = 0, r = lu->order.reach_start[reach[s]];
        for (int t = s + 1; t < own.end; at += lu->range[t].count, t++) {
            for (; reach[r] != reach[t]; r++)
                offset += lu->range[r].count;
            const int size = lu->range[t].count;
            const int index = offset + lu->range[t].first - lu->range[r].first;
            add_block(size, range.count, m, column + at, to.m,
                      to.below + (range.first - to.lead) * to.m + index);
            add_block(range.count, size, m, update + at * m + from, to.n,
                      to.right + index * to.n + range.first);
        }
    }
}

/* How many nodes in the reach of a node belong to its task; they come first. */
static int count_inner(const cd_block_lu *lu, const task *t, int node)
{
    const int begin = lu->order.reach_start[node], end = lu->order.reach_start[node + 1];
    int count = 0;
    while (begin + count < end && (t->last < 0 || lu->order.reach[begin + count] < t->nodes.end))
        count++;
    return count;
}

/* Adds the entries of an update that belong to nodes behind the task to the arrays of the task. */
static void keep_outer_update(const cd_block_lu *lu, const task *t, int node, int inner)
{
    const cd_span own = cd_block_reach(lu, node);
    const cd_unit_range *range = lu->range;
    const int m = lu->reach[node], outer = lu->reach[t->last], *reach = lu->order.reach;
    int first = 0;
    for (int r = own.begin; r < own.begin + inner; r++)
        first += range[r].count;
    for (int c = own.begin + inner, col = first; c < own.end; col += range[c].count, c++) {
        const int to_col = cd_block_reach_offset(lu, t->last, reach[c], range[c].first);
        for (int j = 0; j < range[c].count; j++)
            t->vector[to_col + j] += fabs(t->update[(col + j) * (m + 1)]);
        for (int r = own.begin + inner, row = first; r < own.end; row += range[r].count, r++) {
            const int to_row = cd_block_reach_offset(lu, t->last, reach[r], range[r].first);
            for (int j = 0; j < range[c].count; j++)
                cd_add(range[r].count, 1.0, t->update + (col + j) * m + row,
                       t->added + (to_col + j) * outer + to_row);
        }
    }
}

/* y -= L x with the columns of L below a node of n unknowns; n is a constant in most calls. */
CD_KERNEL void subtract_lower(int n, const cd_block_numbers *own, const double *x, double *y)
{
    if (own->lead == 0)
        cd_kernel_subtract(own->m, n, own->m, own->below, x, y);
    else
        cd_kernel_subtract(own->m, n - own->lead, own->m, own->below, x + own->lead, y);
}

/* Makes the rows of U right of a node, and the update that it adds to the nodes in its reach. */
CD_KERNEL void make_update(int n, int m, const cd_block_numbers *own, const short *restrict swaps,
                           double *restrict update)
{
    for (int i = 0; i < m * m; i++)
        update[i] = 0.0;
    for (int j = 0; j < m; j++) {
        double *column = own->right + j * n;
        cd_kernel_forward_packed(n, own->diagonal, swaps, column);
        subtract_lower(n, own, column, update + j * m);
    }
}

/* The largest loss of a pivot, squared: the terms added up in it, over the pivot. `upper`: the
 * triangle U; `sums`: absolute values added up in each diagonal entry; `rows`: n numbers of
 * scratch. */
CD_KERNEL double find_loss(int n, const double *upper, const short *swaps, const double *sums,
                           double *rows)
{
    double worst = 0.0;
    for (int k = 0; k < n; k++)
        rows[k] = sums[k];
    for (int k = 0; k < n; k++) {
        const int best = swaps[k];
        const double reciprocal = upper[k * (k + 3) / 2];
        const double lost = rows[best] * sums[k] * (reciprocal * reciprocal);
        rows[best] = rows[k];
        worst = lost <= worst ? worst : lost;
    }
    return worst;
}

/* Factors a node and makes t->update. Returns the largest loss of a pivot, or -1 if one is zero. */
CD_KERNEL double factor_node(const task *t, const cd_block_numbers *own, double *sums, short *swaps)
{
    const int n = own->n, m = own->m;
    cd_pivots seen = {0};
    bool regular;
    for (int i = 0; i < n; i++)
        sums[i] += fabs(own->diagonal[i * (n + 1)]);
#define FACTOR(size) regular = cd_kernel_factor_square(size, size, own->diagonal, swaps, &seen)
    CD_WITH_SIZE(n, FACTOR)
    if (!regular)
        return -1.0;
    cd_kernel_factor_below(n - own->lead, n, own->diagonal + own->lead * (n + 1), m, m, own->below);
#define PACK(size) cd_kernel_pack_triangles(size, own->diagonal, t->update)
    CD_WITH_SIZE(n, PACK)
    const double lost = find_loss(n, own->diagonal + n * (n - 1) / 2, swaps, sums, t->update);
#define UPDATE(size) make_update(size, m, own, swaps, t->update)
    CD_WITH_SIZE(n, UPDATE)
    return lost;
}

/* Factors a node and adds its update to later ones; false if it is singular. */
CD_KERNEL bool eliminate_node(const cd_block_lu *lu, task *t, int node)
{
    const cd_block_numbers own = cd_block_of(lu, node);
    const cd_span reach = cd_block_reach(lu, node);
    const int inner = count_inner(lu, t, node);
    const double lost = factor_node(t, &own, lu->x + lu->first[node], lu->swaps + lu->first[node]);
    if (lost < 0.0)
        return false;
    if (!(lost * t->kept <= 1.0))
        t->kept = 1.0 / lost;
    add_update(lu, node, (cd_span){reach.begin, reach.begin + inner}, t->update, NULL);
    if (reach.begin + inner < reach.end)
        keep_outer_update(lu, t, node, inner);
    return true;
}

static CD_WIDE void eliminate_task(const cd_block_lu *lu, task *t)
{
    t->regular = true;
    t->kept = INFINITY;
    for (int i = t->nodes.begin; t->regular && i < t->nodes.end; i++)
        t->regular = eliminate_node(lu, t, i);
}

/* Adds the update that a task has kept to the nodes behind it. */
static CD_WIDE void merge_matrix(const cd_block_lu *lu, const task *t)
{
    add_update(lu, t->last, cd_block_reach(lu, t->last), t->added, t->vector);
}

CD_KERNEL void copy_numbers(int count, const double *restrict from, double *restrict to)
{
    for (int i = 0; i < count; i++)
        to[i] = from[i];
}

/* Where a forward sweep adds to the unknowns of range r: lu->x, behind the task its vector. */
CD_KERNEL double *find_target(const cd_block_lu *lu, const task *t, int r)
{
    const int unit = lu->order.reach[r];
    const bool outer = t->last >= 0 && unit >= t->nodes.end;
    return outer ? t->vector + cd_block_reach_offset(lu, t->last, unit, lu->range[r].first)
                 : lu->x + cd_block_first(lu, r);
}

/* The unknowns in the reach of a node as one array: in lu->x if possible, else copied. */
CD_KERNEL double *gather_reach(const cd_block_lu *lu, const task *t, int node, bool forward)
{
    const cd_span own = cd_block_reach(lu, node);
    if (own.begin == own.end)
        return lu->x;
    const int last = own.end - 1, first = cd_block_first(lu, own.begin);
    const bool all_in_x = !forward || t->last < 0 || lu->order.reach[last] < t->nodes.end;
    if (all_in_x && cd_block_first(lu, last) + lu->range[last].count - first == lu->reach[node])
        return lu->x + first;
    double *to = t->update;
    for (int r = own.begin; r < own.end; r++) {
        copy_numbers(lu->range[r].count,
                     all_in_x ? lu->x + cd_block_first(lu, r) : find_target(lu, t, r), to);
        to += lu->range[r].count;
    }
    return t->update;
}

/* Copies the unknowns in the reach of a node back from t->update, if gather_reach copied them. */
CD_KERNEL void scatter_reach(const cd_block_lu *lu, const task *t, int node, const double *from)
{
    const cd_span own = cd_block_reach(lu, node);
    const bool copied = from == t->update;
    for (int r = own.begin; copied && r < own.end; r++) {
        copy_numbers(lu->range[r].count, from, find_target(lu, t, r));
        from += lu->range[r].count;
    }
}

/* Solves with L: the unknowns of a node, and what they add to its reach. */
CD_KERNEL void forward_node(const cd_block_lu *lu, const task *t, int node)
{
    const cd_block_numbers own = cd_block_of(lu, node);
    const short *swaps = lu->swaps + lu->first[node];
    double *x = lu->x + lu->first[node], *reach = gather_reach(lu, t, node, true);
#define FORWARD(size)                                                                              \
    do {                                                                                           \
        cd_kernel_forward_packed(size, own.diagonal, swaps, x);                                    \
        subtract_lower(size, &own, x, reach);                                                      \
    } while (0)
    CD_WITH_SIZE(own.n, FORWARD)
    scatter_reach(lu, t, node, reach);
}

static CD_WIDE void sweep_task_forward(const cd_block_lu *lu, const task *t)
{
    for (int node = t->nodes.begin; node < t->nodes.end; node++)
        forward_node(lu, t, node);
}

/* Solves with U for the unknowns of a node. */
CD_KERNEL void backward_node(const cd_block_lu *lu, const task *t, int node)
{
    const cd_block_numbers own = cd_block_of(lu, node);
    const double *reach = gather_reach(lu, t, node, false);
    double *x = lu->x + lu->first[node];
#define BACKWARD(size)                                                                             \
    do {                                                                                           \
        cd_kernel_subtract(size, own.m, size, own.right, reach, x);                                \
        cd_kernel_backward_packed(size, own.diagonal, x);                                          \
    } while (0)
    CD_WITH_SIZE(own.n, BACKWARD)
}

static CD_WIDE void sweep_task_backward(const cd_block_lu *lu, const task *t)
{
    for (int node = t->nodes.end - 1; node >= t->nodes.begin; node--)
        backward_node(lu, t, node);
}

/* ---- tasks side by side ---- */

typedef struct sweep {
    cd_block_lu *lu;
    double *x; /* right-hand side and solution in the order of the matrix */
} sweep;

static cd_span unknowns_of_task(const cd_block_lu *lu, const task *t)
{
    return (cd_span){lu->first[t->nodes.begin], lu->first[t->nodes.end]};
}

/* The first run of unknowns (cd_unknown_run) that belongs to a task. */
static const cd_unknown_run *first_run_of_task(const cd_block_lu *lu, const task *t)
{
    return lu->run + cd_last_up_to(unknowns_of_task(lu, t).begin, lu->run_count + 1,
                                   &lu->run->index, sizeof *lu->run);
}

static void load_unknowns(const cd_block_lu *lu, const task *t, const double *x)
{
    const int end = unknowns_of_task(lu, t).end;
    for (const cd_unknown_run *run = first_run_of_task(lu, t); run->index < end; run++)
        copy_numbers(run[1].index - run->index, x + run->unknown, lu->x + run->index);
}

static void store_unknowns(const cd_block_lu *lu, const task *t, double *x)
{
    const int end = unknowns_of_task(lu, t).end;
    for (const cd_unknown_run *run = first_run_of_task(lu, t); run->index < end; run++)
        copy_numbers(run[1].index - run->index, lu->x + run->index, x + run->unknown);
}

/* Clears the vector in which a task keeps its update of unknowns behind it. */
static void clear_outer_vector(const cd_block_lu *lu, const task *t)
{
    if (t->last >= 0)
        cd_zero(lu->reach[t->last], t->vector);
}

/* Does task `number` of a forward sweep, from the right-hand side it->x on. */
static void run_forward_task(void *self, int number)
{
    const sweep *it = self;
    const task *t = &it->lu->tasks[number];
    load_unknowns(it->lu, t, it->x);
    clear_outer_vector(it->lu, t);
    sweep_task_forward(it->lu, t);
}

static void run_backward_task(void *self, int number)
{
    const sweep *it = self;
    const task *t = &it->lu->tasks[number];
    sweep_task_backward(it->lu, t);
    store_unknowns(it->lu, t, it->x);
}

/* Adds the vector that a task has kept to the unknowns behind it. */
static void merge_vector(const cd_block_lu *lu, const task *t, double *to)
{
    const double *from = t->vector;
    const cd_span own = cd_block_reach(lu, t->last);
    for (int r = own.begin; r < own.end; r++) {
        cd_add(lu->range[r].count, 1.0, from, to + cd_block_first(lu, r));
        from += lu->range[r].count;
    }
}

static void run_elimination_task(void *self, int number)
{
    const sweep *it = self;
    const cd_block_lu *lu = it->lu;
    task *t = &lu->tasks[number];
    const cd_span own = unknowns_of_task(lu, t);
    const int outer = lu->reach[t->last];
    clear_outer_vector(lu, t);
    cd_zero(outer * outer, t->added);
    cd_zero(own.end - own.begin, lu->x + own.begin);
    eliminate_task(lu, t);
}

/* Eliminates the tasks side by side, then the last one; false if a pivot is zero. See task.kept. */
static bool eliminate_all(cd_block_lu *lu, double *kept)
{
    sweep it = {.lu = lu};
    bool regular = true;
    *kept = INFINITY;
    const cd_span last = unknowns_of_task(lu, &lu->tasks[lu->task_count]);
    cd_zero(last.end - last.begin, lu->x + last.begin);
    cd_team_run(lu->team, lu->task_count, run_elimination_task, &it);
    for (int i = 0; regular && i <= lu->task_count; i++) {
        if (i < lu->task_count)
            merge_matrix(lu, &lu->tasks[i]);
        else
            eliminate_task(lu, &lu->tasks[i]);
        regular = lu->tasks[i].regular;
        *kept = fmin(*kept, lu->tasks[i].kept);
    }
    return regular;
}

/* May the factors be used? A small ratio of the pivots, or large entries of L, prove nothing: long
 * chains have both. Digits are lost where a pivot is small beside the terms it was made of. Ten
 * digits may be, since the corrector repeats its solves and needs only some digits of each. */
static bool keeps_digits(double kept)
{
    const double least = 1e-10;
    return kept > least * least;
}

bool cd_block_lu_factor(cd_block_lu *lu)
{
    double kept;
    return eliminate_all(lu, &kept) && keeps_digits(kept);
}

void cd_block_lu_solve(cd_block_lu *lu, double *x)
{
    const task *last = &lu->tasks[lu->task_count];
    sweep it = {lu, x};
    cd_team_run(lu->team, lu->task_count, run_forward_task, &it);
    load_unknowns(lu, last, x);
    for (int i = 0; i < lu->task_count; i++)
        merge_vector(lu, &lu->tasks[i], lu->x);
    sweep_task_forward(lu, last);
    sweep_task_backward(lu, last);
    store_unknowns(lu, last, x);
    cd_team_run(lu->team, lu->task_count, run_backward_task, &it);
}
