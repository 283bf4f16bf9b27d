/* See ida_jacobian.h. One walk over all contributions finds the pattern, when the matrix is made,
 * and adds the values afterwards: both see them in the same order. */
#include "ida_jacobian.h"

#include "coordinates.h"

#include <stdlib.h>
#include <string.h>

peer_sizes peer_sizes_of(const cardan_system *system)
{
    const cardan_group *group = cardan_system_describe(system).group;
    peer_sizes s = {.coordinates = peer_coordinates_count(group),
                    .dof = cardan_system_describe(system).dof,
                    .constraints = cardan_system_describe(system).constraint_count,
                    .nonholonomic = cardan_system_describe(system).nonholonomic_count,
                    .quaternions = peer_coordinates_quaternions(group)};
    s.count = s.coordinates + s.dof + 2 * s.constraints + s.nonholonomic + s.quaternions;
    return s;
}

static bool grow(peer_jacobian *j)
{
    const long capacity = j->capacity > 0 ? 2 * j->capacity : 1024;
    int *rows = realloc(j->at_row, (size_t)capacity * sizeof *rows);
    if (rows != NULL)
        j->at_row = rows;
    int *columns = realloc(j->at_column, (size_t)capacity * sizeof *columns);
    if (columns != NULL)
        j->at_column = columns;
    if (rows != NULL && columns != NULL)
        j->capacity = capacity;
    return rows != NULL && columns != NULL;
}

static void put(peer_jacobian *j, int row, int column, double value)
{
    if (j->values != NULL) {
        j->values[j->place[j->next++]] += value;
        return;
    }
    if (j->contributions < j->capacity || grow(j)) {
        j->at_row[j->contributions] = row;
        j->at_column[j->contributions] = column;
    }
    j->contributions++;
}

/* ---- quaternions: dw = 2 vec(p^-1 dp) in the body frame, 2 vec(dp p^-1) in the inertial one, and
 * p' = p (0, w) / 2 or (0, w) p / 2: the rates are the transposed angles over four ---- */

static void chart_of(const double p[4], double side, double chart[12])
{
    const double angles[3][4] = {{-p[1], p[0], side * p[3], -side * p[2]},
                                 {-p[2], -side * p[3], p[0], side * p[1]},
                                 {-p[3], side * p[2], -side * p[1], p[0]}};
    for (int a = 0; a < 3; a++)
        for (int i = 0; i < 4; i++)
            chart[4 * a + i] = 2.0 * angles[a][i];
}

static void evaluate_charts(peer_jacobian *j, const double *y)
{
    for (int i = 0; i < j->sizes.quaternions; i++)
        chart_of(y + j->first[i], j->left[i] ? 1.0 : -1.0, j->chart + 12 * i);
}

/* An entry in the column of a direction of q: that of its coordinate, or four of a quaternion. */
static void put_by_q(peer_jacobian *j, int row, int direction, double value)
{
    const int at = j->coordinate[direction];
    if (at >= 0) {
        put(j, row, at, value);
        return;
    }
    const int turn = -1 - at, first = j->first[turn / 3];
    for (int i = 0; i < 4; i++)
        put(j, row, first + i, value * j->chart[4 * turn + i]);
}

/* The same in the rows of q' = w. */
static void put_rate(peer_jacobian *j, int direction, int column, double value)
{
    const int at = j->coordinate[direction];
    if (at >= 0) {
        put(j, at, column, value);
        return;
    }
    const int turn = -1 - at, first = j->first[turn / 3];
    for (int i = 0; i < 4; i++)
        put(j, first + i, column, 0.25 * value * j->chart[4 * turn + i]);
}

/* p' by p: the matrix of x -> x (0, w) / 2 or (0, w) x / 2, and nu. */
static void put_turning(peer_jacobian *j, int quaternion, const double *omega, double nu, double c)
{
    const int first = j->first[quaternion];
    const double side = j->left[quaternion] ? 1.0 : -1.0;
    const double a = 0.5 * omega[0], b = 0.5 * omega[1], d = 0.5 * omega[2];
    const double turn[4][4] = {{0.0, -a, -b, -d},
                               {a, 0.0, side * d, -side * b},
                               {b, -side * d, 0.0, side * a},
                               {d, side * b, -side * a, 0.0}};
    for (int i = 0; i < 4; i++)
        for (int k = 0; k < 4; k++)
            put(j, first + i, first + k, (i == k ? c - nu : 0.0) - turn[i][k]);
}

static void put_kinematics(peer_jacobian *j, const double *y, const double *w, double c)
{
    const peer_sizes *s = &j->sizes;
    const int unit = s->count - s->quaternions;
    for (int i = 0; i < s->dof; i++) {
        const int at = j->coordinate[i], turn = -1 - at;
        if (at >= 0)
            put(j, at, at, c);
        else if (turn % 3 == 0)
            put_turning(j, turn / 3, w + i, y[unit + turn / 3], c);
        put_rate(j, i, s->coordinates + i, -1.0);
    }
    for (int q = 0; q < s->quaternions; q++)
        for (int i = 0; i < 4; i++) {
            const int at = j->first[q] + i;
            put(j, at, unit + q, -y[at]);
            put(j, unit + q, at, y[at]);
        }
}

/* What becomes of an entry (row, column) of a matrix of the system. */
typedef void place_entry(peer_jacobian *j, int row, int column, double value, double c);

static cardan_status put_matrix(peer_jacobian *j, cardan_matrix_kind which, int rows,
                                const cardan_point *at, double c, place_entry *place)
{
    const cardan_pattern p = cardan_evaluator_pattern(j->evaluator, which);
    if (p.entries == 0)
        return CARDAN_OK;
    if (j->values != NULL) {
        const cardan_status status = cardan_evaluator_matrix(j->evaluator, which, at, j->block);
        if (status != CARDAN_OK)
            return status;
    }
    for (int i = 0; i < rows; i++)
        for (int e = p.row_start[i]; e < p.row_start[i + 1]; e++)
            place(j, i, p.column[e], j->values != NULL ? j->block[e] : 0.0, c);
    return CARDAN_OK;
}

static void dynamics_by_v(peer_jacobian *j, int row, int column, double value, double c)
{
    (void)c;
    put(j, j->sizes.coordinates + row, j->sizes.coordinates + column, value);
}

static void dynamics_by_vdot(peer_jacobian *j, int row, int column, double value, double c)
{
    dynamics_by_v(j, row, column, c * value, c);
}

static void dynamics_by_q(peer_jacobian *j, int row, int column, double value, double c)
{
    (void)c;
    put_by_q(j, j->sizes.coordinates + row, column, value);
}

static void dynamics_by_lambda(peer_jacobian *j, int row, int column, double value, double c)
{
    (void)c;
    put(j, j->sizes.coordinates + row, j->sizes.coordinates + j->sizes.dof + column, value);
}

static void dynamics_by_psi(peer_jacobian *j, int row, int column, double value, double c)
{
    dynamics_by_lambda(j, row, j->sizes.constraints + column, value, c);
}

/* B: in Phi by q, in B v by v, and transposed in the dynamics and in q' = v - B^T mu. */
static void holonomic(peer_jacobian *j, int row, int column, double value, double c)
{
    const peer_sizes *s = &j->sizes;
    const int position = s->coordinates + s->dof + row;
    const int hidden = position + s->constraints + s->nonholonomic;
    put_by_q(j, position, column, value);
    put(j, hidden, s->coordinates + column, value);
    put_rate(j, column, hidden, value); /* mu has the numbers of the hidden constraints */
    if (cardan_system_describe(j->system).adds_reaction)
        dynamics_by_lambda(j, column, row, value, c);
}

static void hidden_by_q(peer_jacobian *j, int row, int column, double value, double c)
{
    const peer_sizes *s = &j->sizes;
    (void)c;
    put_by_q(j, s->coordinates + s->dof + s->constraints + s->nonholonomic + row, column, value);
}

static void nonholonomic_by_v(peer_jacobian *j, int row, int column, double value, double c)
{
    const peer_sizes *s = &j->sizes;
    put(j, s->coordinates + s->dof + s->constraints + row, s->coordinates + column, value);
    if (cardan_system_describe(j->system).adds_nonholonomic_reaction)
        dynamics_by_psi(j, column, row, value, c);
}

static void nonholonomic_by_q(peer_jacobian *j, int row, int column, double value, double c)
{
    const peer_sizes *s = &j->sizes;
    (void)c;
    put_by_q(j, s->coordinates + s->dof + s->constraints + row, column, value);
}

/* All contributions, in an order that depends on nothing. */
static cardan_status walk(peer_jacobian *j, const cardan_point *at, const double *y,
                          const double *w, double c)
{
    static const struct {
        cardan_matrix_kind which;
        char rows; /* k, m or l */
        place_entry *place;
    } parts[] = {{CARDAN_MATRIX_MASS, 'k', dynamics_by_vdot},
                 {CARDAN_MATRIX_FORCE_DV, 'k', dynamics_by_v},
                 {CARDAN_MATRIX_FORCE_DQ, 'k', dynamics_by_q},
                 {CARDAN_MATRIX_REACTION_DQ, 'k', dynamics_by_q},
                 {CARDAN_MATRIX_NONHOLONOMIC_REACTION_DQ, 'k', dynamics_by_q},
                 {CARDAN_MATRIX_INERTIA_DQ, 'k', dynamics_by_q},
                 {CARDAN_MATRIX_FORCE_DLAMBDA, 'k', dynamics_by_lambda},
                 {CARDAN_MATRIX_FORCE_DPSI, 'k', dynamics_by_psi},
                 {CARDAN_MATRIX_CONSTRAINT_DQ, 'm', holonomic},
                 {CARDAN_MATRIX_HIDDEN_DQ, 'm', hidden_by_q},
                 {CARDAN_MATRIX_NONHOLONOMIC_DV, 'l', nonholonomic_by_v},
                 {CARDAN_MATRIX_NONHOLONOMIC_DQ, 'l', nonholonomic_by_q}};
    const peer_sizes *s = &j->sizes;
    put_kinematics(j, y, w, c);
    for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++) {
        const int rows = parts[i].rows == 'k'   ? s->dof
                         : parts[i].rows == 'm' ? s->constraints
                                                : s->nonholonomic;
        const cardan_status status = put_matrix(j, parts[i].which, rows, at, c, parts[i].place);
        if (status != CARDAN_OK)
            return status;
    }
    return CARDAN_OK;
}

/* Stable counting sort of the numbers in `from` by their keys. */
static void sort_by(const int *key, int keys, long count, const int *from, int *to, long *start)
{
    memset(start, 0, ((size_t)keys + 1) * sizeof *start);
    for (long i = 0; i < count; i++)
        start[key[i] + 1]++;
    for (int i = 0; i < keys; i++)
        start[i + 1] += start[i];
    for (long i = 0; i < count; i++) {
        const int number = from != NULL ? from[i] : (int)i;
        to[start[key[number]]++] = number;
    }
}

/* Numbers the places by columns, and by rows within a column. */
static bool find_pattern(peer_jacobian *j)
{
    const size_t n = (size_t)j->contributions;
    int *by_row = malloc(n * sizeof *by_row), *order = calloc(n, sizeof *order);
    long *start = malloc(((size_t)j->sizes.count + 1) * sizeof *start);
    j->place = malloc(n * sizeof *j->place);
    j->row = malloc(n * sizeof *j->row);
    j->column_start = calloc((size_t)j->sizes.count + 1, sizeof *j->column_start);
    const bool room = by_row != NULL && order != NULL && start != NULL && j->place != NULL &&
                      j->row != NULL && j->column_start != NULL;
    if (room) {
        sort_by(j->at_row, j->sizes.count, j->contributions, NULL, by_row, start);
        sort_by(j->at_column, j->sizes.count, j->contributions, by_row, order, start);
        for (size_t i = 0; i < n; i++) {
            const int now = order[i], last = i > 0 ? order[i - 1] : 0;
            if (i == 0 || j->at_row[now] != j->at_row[last] ||
                j->at_column[now] != j->at_column[last]) {
                j->row[j->entries++] = j->at_row[now];
                j->column_start[j->at_column[now] + 1]++;
            }
            j->place[now] = j->entries - 1;
        }
        for (int i = 0; i < j->sizes.count; i++)
            j->column_start[i + 1] += j->column_start[i];
    }
    free(by_row);
    free(order);
    free(start);
    return room;
}

/* Which coordinates belong to which velocities. */
static bool find_coordinates(peer_jacobian *j)
{
    const cardan_group *group = cardan_system_describe(j->system).group;
    int next = 0, quaternion = 0;
    for (int f = 0; f < cardan_group_factor_count(group); f++) {
        int dof;
        const cardan_factor factor = cardan_group_factor(group, f, NULL, &dof);
        const bool turns = factor.kind != CARDAN_RN;
        const int vector = factor.kind == CARDAN_RN                                ? factor.n
                           : factor.kind == CARDAN_SO3 || factor.kind == CARDAN_S3 ? 0
                                                                                   : 3;
        if (factor.kind == CARDAN_SE3)
            return false;
        for (int i = 0; i < vector; i++)
            j->coordinate[dof + i] = next++;
        if (turns) {
            for (int i = 0; i < 3; i++)
                j->coordinate[dof + vector + i] = -1 - (3 * quaternion + i);
            j->first[quaternion] = next;
            j->left[quaternion++] = factor.side == CARDAN_LEFT;
            next += 4;
        }
    }
    return true;
}

static bool allocate(peer_jacobian *j)
{
    const size_t turns = (size_t)j->sizes.quaternions + 1;
    int most = 1;
    for (int i = 0; i < CARDAN_MATRIX_COUNT; i++) {
        const int entries = cardan_evaluator_pattern(j->evaluator, (cardan_matrix_kind)i).entries;
        most = entries > most ? entries : most;
    }
    j->coordinate = malloc((size_t)j->sizes.dof * sizeof *j->coordinate);
    j->first = malloc(turns * sizeof *j->first);
    j->left = malloc(turns);
    j->chart = calloc(12 * turns, sizeof *j->chart);
    j->block = malloc((size_t)most * sizeof *j->block);
    return j->coordinate != NULL && j->first != NULL && j->left != NULL && j->chart != NULL &&
           j->block != NULL;
}

bool peer_jacobian_create(peer_jacobian *jacobian, const cardan_system *system,
                          cardan_evaluator *evaluator)
{
    *jacobian =
        (peer_jacobian){.evaluator = evaluator, .system = system, .sizes = peer_sizes_of(system)};
    const size_t numbers = (size_t)(jacobian->sizes.count + jacobian->sizes.dof);
    double *zeros = calloc(numbers, sizeof *zeros);
    bool made = zeros != NULL && allocate(jacobian) && find_coordinates(jacobian);
    if (made) {
        walk(jacobian, NULL, zeros, zeros + jacobian->sizes.count, 0.0);
        made = jacobian->contributions <= jacobian->capacity && find_pattern(jacobian);
    }
    free(zeros);
    free(jacobian->at_row);
    free(jacobian->at_column);
    jacobian->at_row = jacobian->at_column = NULL;
    if (!made)
        peer_jacobian_destroy(jacobian);
    return made;
}

void peer_jacobian_destroy(peer_jacobian *jacobian)
{
    free(jacobian->column_start);
    free(jacobian->row);
    free(jacobian->place);
    free(jacobian->coordinate);
    free(jacobian->first);
    free(jacobian->left);
    free(jacobian->chart);
    free(jacobian->block);
    *jacobian = (peer_jacobian){0};
}

cardan_status peer_jacobian_evaluate(peer_jacobian *jacobian, const cardan_point *at,
                                     const double *y, const double *w, double c, double *values)
{
    jacobian->values = values;
    jacobian->next = 0;
    evaluate_charts(jacobian, y);
    return walk(jacobian, at, y, w, c);
}
