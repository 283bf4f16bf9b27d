/* Right-looking LU by units, in the order in which their blocks are stored: memory is read and
 * written in one stream. */
#include "block_store.h"

#include "base/numeric.h"
#include "kernels.h"

typedef cd_block_task task;

/* to += from */
CD_KERNEL void add_block(int rows, int cols, int from_stride, const double *restrict from,
                         int to_stride, double *restrict to)
{
    for (int j = 0; j < cols; j++)
        for (int i = 0; i < rows; i++)
            to[j * to_stride + i] += from[j * from_stride + i];
}

/* Adds an update, m x m for the units in the reach of a unit, to the blocks of some of these. What
 * is in the reach of a unit behind its first is in that of the first. `made`: what the diagonal of
 * the update consists of. */
CD_KERNEL void distribute(const cd_block_lu *lu, int node, cd_span some, const double *update,
                          const double *made)
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
            seen[i] += made != NULL ? made[from + i] : fabs(column[from + i * (m + 1)]);
        add_block(range.count, range.count, m, column + from, to.n,
                  to.diagonal + range.first * (to.n + 1));
        int at = from + range.count, offset = 0, r = lu->order.reach_start[reach[s]];
        for (int t = s + 1; t < own.end; at += lu->range[t].count, t++) {
            for (; reach[r] != reach[t]; r++)
                offset += lu->range[r].count;
            const int size = lu->range[t].count;
            const int place = offset + lu->range[t].first - lu->range[r].first;
            add_block(size, range.count, m, column + at, to.m,
                      to.below + (range.first - to.lead) * to.m + place);
            add_block(range.count, size, m, update + at * m + from, to.n,
                      to.right + place * to.n + range.first);
        }
    }
}

/* How many units in the reach of a unit belong to its task. */
static int count_midstep(const cd_block_lu *lu, const task *t, int node)
{
    const int begin = lu->order.reach_start[node], end = lu->order.reach_start[node + 1];
    int count = 0;
    while (begin + count < end && (t->last < 0 || lu->order.reach[begin + count] < t->units.end))
        count++;
    return count;
}

/* Keeps apart what an update adds to units behind the task. */
static void put_aside(const cd_block_lu *lu, const task *t, int node, int inside)
{
    const cd_span own = cd_block_reach(lu, node);
    const cd_unit_range *range = lu->range;
    const int m = lu->reach[node], apart = lu->reach[t->last], *reach = lu->order.reach;
    int first = 0;
    for (int r = own.begin; r < own.begin + inside; r++)
        first += range[r].count;
    for (int c = own.begin + inside, col = first; c < own.end; col += range[c].count, c++) {
        const int to_col = cd_block_reach_offset(lu, t->last, reach[c], range[c].first);
        for (int j = 0; j < range[c].count; j++)
            t->vector[to_col + j] += fabs(t->update[(col + j) * (m + 1)]);
        for (int r = own.begin + inside, row = first; r < own.end; row += range[r].count, r++) {
            const int to_row = cd_block_reach_offset(lu, t->last, reach[r], range[r].first);
            for (int j = 0; j < range[c].count; j++)
                cd_add(range[r].count, 1.0, t->update + (col + j) * m + row,
                       t->added + (to_col + j) * apart + to_row);
        }
    }
}

/* y -= L x with the columns of L below a unit of n unknowns, which is a constant in most calls. */
CD_KERNEL void subtract_lower(int n, const cd_block_numbers *own, const double *x, double *y)
{
    if (own->lead == 0)
        cd_kernel_subtract(own->m, n, own->m, own->below, x, y);
    else
        cd_kernel_subtract(own->m, n - own->lead, own->m, own->below, x + own->lead, y);
}

/* The rows of U of a unit, and what it adds to the units in its reach. */
CD_KERNEL void find_update(int n, int m, const cd_block_numbers *own, const short *restrict swaps,
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

/* What pivots lost at most, squared. `upper`: the triangle U; `rows`: room for n numbers. */
CD_KERNEL double most_lost(int n, const double *upper, const short *swaps, const double *made,
                           double *rows)
{
    double worst = 0.0;
    for (int k = 0; k < n; k++)
        rows[k] = made[k];
    for (int k = 0; k < n; k++) {
        const int best = swaps[k];
        const double reciprocal = upper[k * (k + 3) / 2];
        const double lost = rows[best] * made[k] * (reciprocal * reciprocal);
        rows[best] = rows[k];
        worst = lost <= worst ? worst : lost;
    }
    return worst;
}

/* Factors a unit; t->update is what it adds to those in its reach. */
CD_KERNEL double factor_unit(const task *t, const cd_block_numbers *own, double *made, short *swaps)
{
    const int n = own->n, m = own->m;
    cd_pivots seen = {0};
    bool regular;
    for (int i = 0; i < n; i++)
        made[i] += fabs(own->diagonal[i * (n + 1)]);
#define FACTOR(size) regular = cd_kernel_factor_square(size, size, own->diagonal, swaps, &seen)
    CD_WITH_SIZE(n, FACTOR)
    if (!regular)
        return -1.0;
    cd_kernel_factor_below(n - own->lead, n, own->diagonal + own->lead * (n + 1), m, m, own->below);
#define PACK(size) cd_kernel_pack(size, own->diagonal, t->update)
    CD_WITH_SIZE(n, PACK)
    const double lost = most_lost(n, own->diagonal + n * (n - 1) / 2, swaps, made, t->update);
#define UPDATE(size) find_update(size, m, own, swaps, t->update)
    CD_WITH_SIZE(n, UPDATE)
    return lost;
}

CD_KERNEL bool eliminate(const cd_block_lu *lu, task *t, int node)
{
    const cd_block_numbers own = cd_block_of(lu, node);
    const cd_span reach = cd_block_reach(lu, node);
    const int inside = count_midstep(lu, t, node);
    const double lost = factor_unit(t, &own, lu->x + lu->first[node], lu->swaps + lu->first[node]);
    if (lost < 0.0)
        return false;
    if (!(lost * t->kept <= 1.0))
        t->kept = 1.0 / lost;
    distribute(lu, node, (cd_span){reach.begin, reach.begin + inside}, t->update, NULL);
    if (reach.begin + inside < reach.end)
        put_aside(lu, t, node, inside);
    return true;
}

static CD_WIDE void eliminate_task(const cd_block_lu *lu, task *t)
{
    t->regular = true;
    t->kept = INFINITY;
    for (int i = t->units.begin; t->regular && i < t->units.end; i++)
        t->regular = eliminate(lu, t, i);
}

static CD_WIDE void merge_task(const cd_block_lu *lu, const task *t)
{
    distribute(lu, t->last, cd_block_reach(lu, t->last), t->added, t->vector);
}

CD_KERNEL void copy_numbers(int count, const double *restrict from, double *restrict to)
{
    for (int i = 0; i < count; i++)
        to[i] = from[i];
}

/* Where a task has the unknowns of number r in some reach in a forward sweep. */
CD_KERNEL double *unknowns_in(const cd_block_lu *lu, const task *t, int r)
{
    const int unit = lu->order.reach[r];
    const bool apart = t->last >= 0 && unit >= t->units.end;
    return apart ? t->vector + cd_block_reach_offset(lu, t->last, unit, lu->range[r].first)
                 : lu->x + cd_block_first(lu, r);
}

/* Where the unknowns in the reach of a unit are, one after the other: as they are, or copied. */
CD_KERNEL double *gather(const cd_block_lu *lu, const task *t, int node, bool forward)
{
    const cd_span own = cd_block_reach(lu, node);
    if (own.begin == own.end)
        return lu->x;
    const int last = own.end - 1, first = cd_block_first(lu, own.begin);
    const bool whole = !forward || t->last < 0 || lu->order.reach[last] < t->units.end;
    if (whole && cd_block_first(lu, last) + lu->range[last].count - first == lu->reach[node])
        return lu->x + first;
    double *to = t->update;
    for (int r = own.begin; r < own.end; r++) {
        copy_numbers(lu->range[r].count,
                     whole ? lu->x + cd_block_first(lu, r) : unknowns_in(lu, t, r), to);
        to += lu->range[r].count;
    }
    return t->update;
}

CD_KERNEL void scatter(const cd_block_lu *lu, const task *t, int node, const double *from)
{
    const cd_span own = cd_block_reach(lu, node);
    const bool copied = from == t->update;
    for (int r = own.begin; copied && r < own.end; r++) {
        copy_numbers(lu->range[r].count, from, unknowns_in(lu, t, r));
        from += lu->range[r].count;
    }
}

CD_KERNEL void forward_node(const cd_block_lu *lu, const task *t, int node)
{
    const cd_block_numbers own = cd_block_of(lu, node);
    const short *swaps = lu->swaps + lu->first[node];
    double *x = lu->x + lu->first[node], *reach = gather(lu, t, node, true);
#define FORWARD(size)                                                                              \
    do {                                                                                           \
        cd_kernel_forward_packed(size, own.diagonal, swaps, x);                                    \
        subtract_lower(size, &own, x, reach);                                                      \
    } while (0)
    CD_WITH_SIZE(own.n, FORWARD)
    scatter(lu, t, node, reach);
}

static CD_WIDE void forward(const cd_block_lu *lu, const task *t)
{
    for (int node = t->units.begin; node < t->units.end; node++)
        forward_node(lu, t, node);
}

CD_KERNEL void backward_node(const cd_block_lu *lu, const task *t, int node)
{
    const cd_block_numbers own = cd_block_of(lu, node);
    const double *reach = gather(lu, t, node, false);
    double *x = lu->x + lu->first[node];
#define BACKWARD(size)                                                                             \
    do {                                                                                           \
        cd_kernel_subtract(size, own.m, size, own.right, reach, x);                                \
        cd_kernel_backward_packed(size, own.diagonal, x);                                          \
    } while (0)
    CD_WITH_SIZE(own.n, BACKWARD)
}

static CD_WIDE void backward(const cd_block_lu *lu, const task *t)
{
    for (int node = t->units.end - 1; node >= t->units.begin; node--)
        backward_node(lu, t, node);
}

/* ---- tasks side by side ---- */

typedef struct sweep {
    cd_block_lu *lu;
    double *x; /* right-hand side and solution in the order of the matrix */
} sweep;

static cd_span unknowns_of(const cd_block_lu *lu, const task *t)
{
    return (cd_span){lu->first[t->units.begin], lu->first[t->units.end]};
}

static const cd_unknown_run *first_run(const cd_block_lu *lu, const task *t)
{
    return lu->run + cd_last_up_to(unknowns_of(lu, t).begin, lu->run_count + 1, &lu->run->place,
                                   sizeof *lu->run);
}

static void take_in(const cd_block_lu *lu, const task *t, const double *x)
{
    const int end = unknowns_of(lu, t).end;
    for (const cd_unknown_run *run = first_run(lu, t); run->place < end; run++)
        copy_numbers(run[1].place - run->place, x + run->unknown, lu->x + run->place);
}

static void give_out(const cd_block_lu *lu, const task *t, double *x)
{
    const int end = unknowns_of(lu, t).end;
    for (const cd_unknown_run *run = first_run(lu, t); run->place < end; run++)
        copy_numbers(run[1].place - run->place, lu->x + run->place, x + run->unknown);
}

static void clear_vector(const cd_block_lu *lu, const task *t)
{
    if (t->last >= 0)
        cd_zero(lu->reach[t->last], t->vector);
}

static void sweep_forward(void *self, int part)
{
    const sweep *it = self;
    const task *t = &it->lu->tasks[part];
    take_in(it->lu, t, it->x);
    clear_vector(it->lu, t);
    forward(it->lu, t);
}

static void sweep_backward(void *self, int part)
{
    const sweep *it = self;
    const task *t = &it->lu->tasks[part];
    backward(it->lu, t);
    give_out(it->lu, t, it->x);
}

/* Adds what a task has kept apart to the units behind it. */
static void merge_vector(const cd_block_lu *lu, const task *t, double *to)
{
    const double *from = t->vector;
    const cd_span own = cd_block_reach(lu, t->last);
    for (int r = own.begin; r < own.end; r++) {
        cd_add(lu->range[r].count, 1.0, from, to + cd_block_first(lu, r));
        from += lu->range[r].count;
    }
}

static void sweep_eliminate(void *self, int part)
{
    const sweep *it = self;
    const cd_block_lu *lu = it->lu;
    task *t = &lu->tasks[part];
    const cd_span own = unknowns_of(lu, t);
    const int apart = lu->reach[t->last];
    clear_vector(lu, t);
    cd_zero(apart * apart, t->added);
    cd_zero(own.end - own.begin, lu->x + own.begin);
    eliminate_task(lu, t);
}

/* `kept`: the least of the pivots compared with what they were made of, squared. */
static bool eliminate_all(cd_block_lu *lu, double *kept)
{
    sweep it = {.lu = lu};
    bool regular = true;
    *kept = INFINITY;
    const cd_span rest = unknowns_of(lu, &lu->tasks[lu->task_count]);
    cd_zero(rest.end - rest.begin, lu->x + rest.begin);
    cd_team_run(lu->team, lu->task_count, sweep_eliminate, &it);
    for (int i = 0; regular && i <= lu->task_count; i++) {
        if (i < lu->task_count)
            merge_task(lu, &lu->tasks[i]);
        else
            eliminate_task(lu, &lu->tasks[i]);
        regular = lu->tasks[i].regular;
        *kept = fmin(*kept, lu->tasks[i].kept);
    }
    return regular;
}

/* A small ratio of the pivots, or large entries of L, prove nothing: both are found in long chains.
 * Digits are lost where a pivot is small beside what it was made of: ten may be, since the
 * corrector repeats its solves and needs some digits of them only. */
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
    const task *rest = &lu->tasks[lu->task_count];
    sweep it = {lu, x};
    cd_team_run(lu->team, lu->task_count, sweep_forward, &it);
    take_in(lu, rest, x);
    for (int i = 0; i < lu->task_count; i++)
        merge_vector(lu, &lu->tasks[i], lu->x);
    forward(lu, rest);
    backward(lu, rest);
    give_out(lu, rest, x);
    cd_team_run(lu->team, lu->task_count, sweep_backward, &it);
}
