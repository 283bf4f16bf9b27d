/* Modes from the linearised equations (include/cardan/modes.h). With orthonormal bases Z of ker B,
 * Y of ker C and L of the equations without reactions, and W = -C^+ (drift),
 *
 *   xi = Z p,  w = Y u + W xi
 *   p' = Z^T (w - [v, xi]),   L^T M (Y u' + W Z p') + L^T D w + L^T S xi = 0
 *
 * is x' = A x for x = (p, u). Eigenvalues 0 are taken out first, by ranks (staircase.c). */
#include <cardan/modes.h>

#include "base/error.h"
#include "base/numeric.h"
#include "linalg/dense_lu.h"
#include "linearise.h"
#include "mode_shape.h"
#include "staircase.h"

enum { COOKIE = 0x30de5001, QUICK = 240, LOWEST = 20 };

typedef struct finder {
    cd_arena *arena;
    cd_linearisation lin;
    int z, y, n;  /* displacements, velocities, their sum */
    double rate;  /* p is measured in 1/rate: makes the entries of A alike */
    double *free; /* z x k: rows W Z, the velocities that go with displacements */
    double *a;    /* n x n */
} finder;

typedef struct owner {
    cardan_modes modes; /* first: what the user sees */
    cd_arena arena;
} owner;

cardan_modes_def cardan_modes_def_default(void)
{
    return (cardan_modes_def){.cookie = COOKIE};
}

/* Rows of `free`: W times the basis of displacements. */
static bool find_free(finder *f)
{
    const cd_linearisation *lin = &f->lin;
    double *right = cd_arena_doubles(f->arena, lin->n);
    f->free = cd_arena_doubles(f->arena, f->z * lin->k);
    if (f->arena->failed)
        return false;
    for (int i = 0; i < f->z; i++) {
        cd_multiply(lin->n, lin->k, lin->drift, cd_displacement_basis(lin) + i * lin->k, right);
        for (int j = 0; j < lin->n; j++)
            right[j] = -right[j];
        cd_svd_solve(&lin->whole, right, f->free + i * lin->k);
    }
    return true;
}

/* out (rows x cols) = left X right^T for row bases, with X k x k. */
static bool project(finder *f, int rows, const double *left, const double *x, int cols,
                    const double *right, double *out)
{
    const int k = f->lin.k;
    double *part = cd_arena_doubles(f->arena, rows * k);
    if (f->arena->failed)
        return false;
    cd_product(rows, k, k, left, x, part);
    cd_product_transposed(rows, k, cols, part, right, out);
    return true;
}

/* The upper rows of A: p' = Z^T (W Z - ad Z) p + Z^T Y u. */
static bool fill_kinematics(finder *f, double *pp, double *pu)
{
    const int k = f->lin.k, z = f->z, y = f->y;
    const double *basis = cd_displacement_basis(&f->lin);
    double *turn = cd_arena_doubles(f->arena, z * z);
    if (f->arena->failed || !project(f, z, basis, f->lin.bracket, z, basis, turn))
        return false;
    cd_product_transposed(z, k, z, basis, f->free, pp);
    cd_add(z * z, -1.0, turn, pp);
    cd_product_transposed(z, k, y, basis, cd_velocity_basis(&f->lin), pu);
    return true;
}

/* -(L^T D W Z + L^T S Z) and -L^T D Y, before the mass is divided by. */
static bool fill_forces(finder *f, double *up, double *uu)
{
    const cd_linearisation *lin = &f->lin;
    const double *equations = cd_equation_basis(lin);
    double *part = cd_arena_doubles(f->arena, f->y * f->z);
    if (f->arena->failed ||
        !project(f, f->y, equations, lin->stiffness, f->z, cd_displacement_basis(lin), up) ||
        !project(f, f->y, equations, lin->damping, f->z, f->free, part) ||
        !project(f, f->y, equations, lin->damping, f->y, cd_velocity_basis(lin), uu))
        return false;
    cd_add(f->y * f->z, 1.0, part, up);
    for (int i = 0; i < f->y * f->z; i++)
        up[i] = -up[i];
    for (int i = 0; i < f->y * f->y; i++)
        uu[i] = -uu[i];
    return true;
}

/* rows <- (L^T M Y)^-1 rows, of y x cols */
static cardan_status divide_by_mass(finder *f, int cols, double *rows)
{
    const int y = f->y;
    cd_dense_lu lu;
    double *mass = cd_arena_doubles(f->arena, y * y), *column = cd_arena_doubles(f->arena, y);
    cd_dense_lu_init(&lu, f->arena, y);
    if (f->arena->failed || !project(f, y, cd_equation_basis(&f->lin), f->lin.mass, y,
                                     cd_velocity_basis(&f->lin), mass))
        return CARDAN_OUT_OF_MEMORY;
    cd_transpose(y, y, mass, lu.values);
    if (y > 0 && cd_dense_lu_factor(&lu) != CARDAN_OK)
        return CARDAN_SINGULAR_MATRIX;
    for (int j = 0; j < cols; j++) {
        for (int i = 0; i < y; i++)
            column[i] = rows[i * cols + j];
        cd_dense_lu_solve(&lu, column);
        for (int i = 0; i < y; i++)
            rows[i * cols + j] = column[i];
    }
    return CARDAN_OK;
}

static void place(const finder *f, int row, int col, int rows, int cols, const double *block)
{
    for (int i = 0; i < rows; i++)
        cd_copy(cols, block + i * cols, f->a + (row + i) * f->n + col);
}

/* u' = mass^-1 (up p + uu u - L^T M W Z p') */
static cardan_status fill(finder *f)
{
    const int z = f->z, y = f->y;
    double *pp = cd_arena_doubles(f->arena, z * z), *pu = cd_arena_doubles(f->arena, z * y);
    double *up = cd_arena_doubles(f->arena, y * z), *uu = cd_arena_doubles(f->arena, y * y);
    double *carried = cd_arena_doubles(f->arena, y * z);
    double *part = cd_arena_doubles(f->arena, y * (z > y ? z : y));
    f->a = cd_arena_doubles(f->arena, f->n * f->n);
    if (f->arena->failed || !fill_kinematics(f, pp, pu) || !fill_forces(f, up, uu) ||
        !project(f, y, cd_equation_basis(&f->lin), f->lin.mass, z, f->free, carried))
        return CARDAN_OUT_OF_MEMORY;
    cd_product(y, z, z, carried, pp, part);
    cd_add(y * z, -1.0, part, up);
    cd_product(y, z, y, carried, pu, part);
    cd_add(y * y, -1.0, part, uu);
    cardan_status status = divide_by_mass(f, z, up);
    if (status == CARDAN_OK)
        status = divide_by_mass(f, y, uu);
    place(f, 0, 0, z, z, pp);
    place(f, 0, z, z, y, pu);
    place(f, z, 0, y, z, up);
    place(f, z, z, y, y, uu);
    return status;
}

/* Measures p in units that make the blocks of A alike: (p, u) -> (rate p, u). */
static void balance(finder *f)
{
    double stiffness = 0.0;
    for (int i = f->z; i < f->n; i++)
        stiffness = fmax(stiffness, cd_max_abs(f->z, f->a + i * f->n));
    f->rate = stiffness > 0.0 ? exp2(rint(0.5 * log2(stiffness))) : 1.0;
    for (int i = 0; i < f->n; i++)
        for (int j = 0; j < f->n; j++)
            f->a[i * f->n + j] *= (i < f->z ? f->rate : 1.0) / (j < f->z ? f->rate : 1.0);
}

/* Displacement and velocity, k numbers each, of a state x = (rate p, u). */
static void expand(const finder *f, const double *x, double *displacement, double *velocity)
{
    const cd_linearisation *lin = &f->lin;
    cd_zero(lin->k, displacement);
    cd_zero(lin->k, velocity);
    for (int i = 0; i < f->z; i++) {
        cd_add(lin->k, x[i] / f->rate, cd_displacement_basis(lin) + i * lin->k, displacement);
        cd_add(lin->k, x[i] / f->rate, f->free + i * lin->k, velocity);
    }
    for (int i = 0; i < f->y; i++)
        cd_add(lin->k, x[f->z + i], cd_velocity_basis(lin) + i * lin->k, velocity);
    for (int i = 0; i < lin->k; i++) {
        displacement[i] /= lin->scale[i];
        velocity[i] /= lin->scale[i];
    }
}

static cardan_mode make_mode(cd_arena *arena, const finder *f, const cd_eigenpair *pair,
                             double *shape)
{
    const int k = f->lin.k;
    expand(f, pair->vector, shape, shape + 2 * k);
    expand(f, pair->vector + f->n, shape + k, shape + 3 * k);
    return cd_mode_make(arena, f->lin.system, pair->real, pair->imag, shape);
}

static bool fill_modes(cd_arena *arena, const finder *f, const cd_staircase *stairs,
                       cardan_modes *modes)
{
    const int k = f->lin.k;
    cardan_mode *list = cd_arena_take(arena, (size_t)stairs->pairs * sizeof *list);
    double *steady = cd_arena_doubles(arena, 2 * stairs->steady * k);
    double *shapes = cd_arena_doubles(arena, 4 * k * stairs->pairs);
    double *matrix = cd_arena_doubles(arena, f->n * f->n);
    if (arena->failed)
        return false;
    for (int i = 0; i < stairs->pairs; i++) {
        list[i] = make_mode(arena, f, &stairs->pair[i], shapes + 4 * k * i);
        if (list[i].moves == NULL)
            return false;
        if (i == 0 || list[i].real > modes->largest_real)
            modes->largest_real = list[i].real;
    }
    if (stairs->zeros > 0 && (stairs->pairs == 0 || modes->largest_real < 0.0))
        modes->largest_real = 0.0;
    for (int i = 0; i < stairs->steady; i++)
        expand(f, stairs->basis + i * f->n, steady + i * k, steady + (stairs->steady + i) * k);
    cd_copy(f->n * f->n, f->a, matrix);
    modes->count = stairs->pairs;
    modes->mode = list;
    modes->zeros = stairs->zeros;
    modes->steady = stairs->steady;
    modes->steady_displacement = steady;
    modes->steady_velocity = steady + stairs->steady * k;
    modes->matrix = matrix;
    return true;
}

/* The largest difference of two matrices against their size. */
static double change(int count, const double *a, const double *b)
{
    double largest = 0.0;
    const double size = fmax(cd_max_abs(count, a), cd_max_abs(count, b));
    for (int i = 0; i < count; i++)
        largest = fmax(largest, fabs(a[i] - b[i]));
    return size > 0.0 ? largest / size : 0.0;
}

/* C^+ C and C^+ drift, which do not depend on how the constraints are written; k x k each. */
static bool span(cd_arena *arena, const cd_linearisation *lin, double *rows, double *drift)
{
    const int k = lin->k, rank = lin->whole.rank;
    double *column = cd_arena_doubles(arena, lin->n), *part = cd_arena_doubles(arena, k);
    if (arena->failed)
        return false;
    for (int i = 0; i < rank; i++)
        for (int j = 0; j < k; j++)
            cd_add(k, lin->whole.right[i * k + j], lin->whole.right + i * k, rows + j * k);
    for (int j = 0; j < k; j++) {
        for (int i = 0; i < lin->n; i++)
            column[i] = lin->drift[i * k + j];
        cd_svd_solve(&lin->whole, column, part);
        cd_copy(k, part, drift + j * k);
    }
    return true;
}

static bool change_of(cd_arena *arena, const cd_linearisation *a, const cd_linearisation *b,
                      double *largest)
{
    const int square = a->k * a->k;
    double *rows[2], *drift[2];
    for (int i = 0; i < 2; i++) {
        rows[i] = cd_arena_doubles(arena, square);
        drift[i] = cd_arena_doubles(arena, square);
        if (arena->failed || !span(arena, i == 0 ? a : b, rows[i], drift[i]))
            return false;
    }
    *largest = change(square, a->mass, b->mass);
    *largest = fmax(*largest, change(square, a->damping, b->damping));
    *largest = fmax(*largest, change(square, a->stiffness, b->stiffness));
    *largest = fmax(*largest, change(square, rows[0], rows[1]));
    *largest = fmax(*largest, change(square, drift[0], drift[1]));
    return true;
}

/* The point after a displacement of 0.1 along the motion with the velocities kept, complete. */
static cardan_status move_on(finder *f, cd_workspace *ws, const cardan_point *at,
                             cardan_point *later, cardan_error *error)
{
    const cardan_system *system = f->lin.system;
    const double time = 0.1 / cd_max_abs(system->k, at->v);
    double *q = cd_arena_doubles(f->arena, cardan_group_size(system->group));
    double *step = cd_arena_doubles(f->arena, system->k);
    double *vdot = cd_arena_doubles(f->arena, system->k);
    double *lambda = cd_arena_doubles(f->arena, system->m);
    double *psi = cd_arena_doubles(f->arena, system->l);
    if (f->arena->failed)
        return CARDAN_OUT_OF_MEMORY;
    cd_add(system->k, time, at->v, step);
    cardan_group_update(system->group, at->q, step, q);
    cd_copy(system->m, at->lambda, lambda);
    cd_copy(system->l, at->psi, psi);
    *later = (cardan_point){at->t + time, q, at->v, vdot, lambda, psi};
    return cd_accelerations(f->arena, ws, system, later, vdot, lambda, psi, error);
}

/* Whether velocities stay as they are and the equations linearised further on are the same. */
static cardan_status judge_steady(finder *f, cd_workspace *ws, const cardan_point *at,
                                  cardan_modes *modes, cardan_error *error)
{
    const cardan_system *system = f->lin.system;
    const double speed = cd_max_abs(system->k, at->v), still = 1e3 * f->lin.tolerance;
    cd_linearisation further;
    cardan_point later;
    double changed = 0.0;
    modes->is_steady = modes->acceleration <= still * (1.0 + speed * speed);
    if (!modes->is_steady || speed == 0.0)
        return CARDAN_OK;
    cardan_status status = move_on(f, ws, at, &later, error);
    if (status == CARDAN_OK)
        status = cd_linearise(f->arena, ws, system, &later, f->lin.tolerance, &further, error);
    if (status == CARDAN_OK && !change_of(f->arena, &f->lin, &further, &changed))
        status = CARDAN_OUT_OF_MEMORY;
    modes->is_steady = status == CARDAN_OK && changed <= still;
    return status > 0 ? CARDAN_OK : status; /* a point beyond what the model can do is no failure */
}

static cardan_status complain_of_mass(const cardan_point *at, cardan_error *error)
{
    return cd_fail(error, CARDAN_SINGULAR_MATRIX,
                   "at t = %.9g some velocity that the constraints allow has no mass, so that the "
                   "linearised equations do not determine accelerations; `cardan check` names it",
                   at->t);
}

static cardan_status find(cd_arena *arena, cd_arena *scratch, const cardan_system *system,
                          const cardan_point *at, const cardan_modes_def *def, cardan_modes *modes,
                          cardan_error *error)
{
    finder f = {.arena = scratch};
    cd_staircase stairs;
    const double tolerance = def->tolerance > 0.0 ? def->tolerance : cd_analysis_tolerance(system);
    cd_workspace *ws = cd_workspace_create(scratch, system, error);
    double *vdot = cd_arena_doubles(scratch, system->k);
    double *lambda = cd_arena_doubles(scratch, system->m);
    double *psi = cd_arena_doubles(scratch, system->l);
    if (scratch->failed)
        return CARDAN_OUT_OF_MEMORY;
    cardan_status status = cd_accelerations(scratch, ws, system, at, vdot, lambda, psi, error);
    const cardan_point whole = {at->t, at->q, at->v, vdot, lambda, psi};
    if (status == CARDAN_OK)
        status = cd_linearise(scratch, ws, system, &whole, tolerance, &f.lin, error);
    if (status != CARDAN_OK)
        return status;
    f.z = cd_free_displacements(&f.lin);
    f.y = cd_free_velocities(&f.lin);
    f.n = f.z + f.y;
    if (def->undamped)
        cd_zero(system->k * system->k, f.lin.damping);
    if (!find_free(&f))
        return CARDAN_OUT_OF_MEMORY;
    status = fill(&f);
    if (status == CARDAN_SINGULAR_MATRIX)
        return complain_of_mass(at, error);
    if (status != CARDAN_OK)
        return status;
    balance(&f);
    modes->dof = system->k;
    modes->displacements = f.z;
    modes->velocities = f.y;
    modes->acceleration = cd_max_abs(system->k, vdot);
    status = judge_steady(&f, ws, &whole, modes, error);
    if (status != CARDAN_OK)
        return status;
    return cd_staircase_find(scratch, f.n, f.a, tolerance, &stairs) &&
                   fill_modes(arena, &f, &stairs, modes)
               ? CARDAN_OK
               : CARDAN_OUT_OF_MEMORY;
}

/* All modes by full matrices, or the lowest by sparse ones. */
static cardan_status choose(cd_arena *arena, cd_arena *scratch, const cardan_system *system,
                            const cardan_point *at, const cardan_modes_def *def,
                            cardan_modes *modes, cardan_error *error)
{
    const int full = def->count > 0 ? QUICK : CD_DENSE_ANALYSIS;
    if (system->k > full)
        return cd_modes_find_large(arena, scratch, system, at, def,
                                   def->count > 0 ? def->count : LOWEST, modes, error);
    const cardan_status status = find(arena, scratch, system, at, def, modes, error);
    if (def->count > 0 && modes->count > def->count)
        modes->count = def->count;
    return status;
}

static cardan_status refuse(const cardan_system *system, const cardan_point *at,
                            const cardan_modes_def *def, cardan_error *error)
{
    if (def->cookie != COOKIE)
        return cd_fail(error, CARDAN_UNINITIALISED,
                       "start from cardan_modes_def_default() and change what you need");
    if (at->q == NULL || at->v == NULL)
        return cd_fail(error, CARDAN_INVALID_ARGUMENT, "modes need q and v of the point");
    if (!(def->tolerance >= 0.0 && def->tolerance < 1.0))
        return cd_fail(error, CARDAN_INVALID_ARGUMENT,
                       "the tolerance of modes must be between 0 and 1");
    if (def->count < 0)
        return cd_fail(error, CARDAN_INVALID_ARGUMENT, "the number of modes may not be negative");
    if (def->undamped && cd_max_abs(system->k, at->v) != 0.0)
        return cd_fail(error, CARDAN_INVALID_ARGUMENT,
                       "undamped modes are those of a state of rest, and this one moves: its "
                       "velocity-dependent forces are not damping alone");
    return CARDAN_OK;
}

cardan_status cardan_modes_create(cardan_modes **modes, const cardan_system *system,
                                  const cardan_point *at, const cardan_modes_def *def,
                                  cardan_error *error)
{
    const cardan_modes_def standard = cardan_modes_def_default();
    if (modes == NULL || system == NULL || at == NULL)
        return cd_fail(error, CARDAN_INVALID_ARGUMENT,
                       "modes need a place for their handle, a system and a point");
    *modes = NULL;
    def = def != NULL ? def : &standard;
    cardan_error trouble = {0};
    cd_arena arena, scratch;
    cardan_status status = refuse(system, at, def, error);
    if (status != CARDAN_OK)
        return status;
    cd_arena_init(&arena, &system->arena.allocator);
    cd_arena_init(&scratch, &system->arena.allocator);
    owner *made = cd_arena_take(&arena, sizeof *made);
    status = made == NULL ? CARDAN_OUT_OF_MEMORY
                          : choose(&arena, &scratch, system, at, def, &made->modes, &trouble);
    cd_arena_destroy(&scratch);
    if (status != CARDAN_OK) {
        cd_arena_destroy(&arena);
        return status == CARDAN_OUT_OF_MEMORY
                   ? cd_fail(error, status, "no memory for the modes, or LAPACK failed")
                   : cd_fail(error, status, "%s", trouble.text);
    }
    made->arena = arena;
    *modes = &made->modes;
    return cd_succeed(error);
}

void cardan_modes_destroy(cardan_modes *modes)
{
    if (modes == NULL)
        return;
    cd_arena arena = ((owner *)modes)->arena; /* the owner lies in it */
    cd_arena_destroy(&arena);
}
