/* Modes by full matrices (include/cardan/modes.h): x' = A x of linearise.h. Eigenvalues 0 are taken
 * out first, by ranks (staircase.c). */
#include <assert.h>
#include <cardan/modes.h>

#include "base/error.h"
#include "base/numeric.h"
#include "linearise.h"
#include "mode_shape.h"

/* Above QUICK velocities, a given number of modes is found by sparse matrices. */
enum { COOKIE = 0x30de5001, QUICK = 240, LOWEST = 20 };

/* The equations linearised at a point; `rate` multiplies p, so that entries of A are alike. */
typedef struct mode_finder {
    cd_arena *arena;
    const cardan_system *system;
    cd_workspace *ws;
    const cardan_modes_def *def;
    double tolerance;
    cardan_error *error;
    cardan_point at; /* complete */
    cd_linearisation lin;
    cd_reduction equations;
    double rate; /* 0: not known yet */
} mode_finder;

typedef struct owned_modes {
    cardan_modes modes; /* first: what the user sees */
    cd_arena arena;
} owned_modes;

cardan_modes_def cardan_modes_def_default(void)
{
    return (cardan_modes_def){.cookie = COOKIE};
}

/* Converts the equations to states (rate p, u). */
static void scale_equations(mode_finder *f)
{
    cd_reduction *e = &f->equations;
    double stiffness = 0.0;
    for (int i = e->z; i < e->n; i++)
        stiffness = fmax(stiffness, cd_max_abs(e->z, e->a + i * e->n));
    if (f->rate == 0.0)
        f->rate = stiffness > 0.0 ? exp2(rint(0.5 * log2(stiffness))) : 1.0;
    for (int i = 0; i < e->n; i++)
        for (int j = 0; j < e->n; j++)
            e->a[i * e->n + j] *= (i < e->z ? f->rate : 1.0) / (j < e->z ? f->rate : 1.0);
    cd_scale(e->z * f->lin.k, 1.0 / f->rate, e->moves);
    cd_scale(e->z * f->lin.k, 1.0 / f->rate, e->rates);
}

/* Finds v' and multipliers at a point and linearises there. */
static cardan_status linearise_at(void *self, const cardan_point *at)
{
    mode_finder *f = self;
    const cardan_system *system = f->system;
    double *vdot = cd_arena_doubles(f->arena, system->k);
    double *lambda = cd_arena_doubles(f->arena, system->m);
    double *psi = cd_arena_doubles(f->arena, system->l);
    if (f->arena->failed)
        return CARDAN_OUT_OF_MEMORY;
    f->at = (cardan_point){at->t, at->q, at->v, vdot, lambda, psi};
    cardan_status status =
        cd_accelerations(f->arena, f->ws, system, at, vdot, lambda, psi, f->error);
    if (status == CARDAN_OK)
        status = cd_linearise(f->arena, f->ws, system, &f->at, f->tolerance, &f->lin, f->error);
    if (status != CARDAN_OK)
        return status;
    assert(f->lin.damping != NULL);
    if (f->def->undamped)
        cd_zero(system->k * system->k, f->lin.damping);
    status = cd_reduce_linearisation(f->arena, &f->lin, &f->equations);
    if (status == CARDAN_SINGULAR_MATRIX)
        return cd_fail(f->error, status,
                       "at t = %.9g some velocity that the constraints allow has no mass, so that "
                       "the linearised equations do not determine accelerations; `cardan check` "
                       "names it",
                       at->t);
    if (status == CARDAN_OK)
        scale_equations(f);
    return status;
}

/* Displacement and velocity (scaled, k numbers each) of a state x = (rate p, u). */
static void expand(const mode_finder *f, const double *x, double *displacement, double *velocity)
{
    const cd_reduction *e = &f->equations;
    cd_zero(f->lin.k, displacement);
    cd_zero(f->lin.k, velocity);
    cd_add_transposed(e->n, f->lin.k, e->moves, x, displacement);
    cd_add_transposed(e->n, f->lin.k, e->rates, x, velocity);
}

/* Displacement and velocity of a state, like `expand`, but in the units of the user. */
static void expand_physical(const mode_finder *f, const double *x, double *displacement,
                            double *velocity)
{
    expand(f, x, displacement, velocity);
    for (int i = 0; i < f->lin.k; i++) {
        displacement[i] /= f->lin.scale[i];
        velocity[i] /= f->lin.scale[i];
    }
}

/* out = x' for all velocities, of the part of a state (rate xi, w) that constraints allow. */
static void apply_matrix(void *self, const double *probe, double *out)
{
    mode_finder *f = self;
    const cd_linearisation *lin = &f->lin;
    const int k = lin->k, z = lin->z, n = f->equations.n;
    double *x = cd_arena_doubles(f->arena, n), *rate = cd_arena_doubles(f->arena, n);
    if (f->arena->failed)
        return;
    cd_multiply(z, k, lin->displacements, probe, x);
    cd_multiply(lin->y, k, lin->velocities, probe + k, x + z);
    cd_multiply(n, n, f->equations.a, x, rate);
    expand(f, rate, out, out + k);
    cd_scale(k, f->rate, out);
}

static bool fill_modes(cd_arena *arena, const mode_finder *f, const cd_staircase *stairs,
                       cardan_modes *modes)
{
    const int k = f->lin.k, n = f->equations.n;
    double *steady = cd_arena_doubles(arena, 2 * stairs->steady * k);
    double *shapes = cd_arena_doubles(arena, 4 * k * stairs->pairs);
    double *matrix = cd_arena_doubles(arena, n * n);
    if (arena->failed)
        return false;
    for (int i = 0; i < stairs->pairs; i++)
        for (int imaginary = 0; imaginary < 2; imaginary++)
            expand_physical(f, stairs->pair[i].vector + imaginary * n,
                            shapes + (4 * i + imaginary) * k, shapes + (4 * i + 2 + imaginary) * k);
    for (int i = 0; i < stairs->steady; i++)
        expand_physical(f, stairs->basis + i * n, steady + i * k,
                        steady + (stairs->steady + i) * k);
    cd_copy(n * n, f->equations.a, matrix);
    if (!cd_modes_fill(arena, f->system, stairs->pair, stairs->pairs, shapes, modes))
        return false;
    if (stairs->zeros > 0 && (stairs->pairs == 0 || modes->largest_real < 0.0))
        modes->largest_real = 0.0;
    modes->zeros = stairs->zeros;
    modes->steady = stairs->steady;
    modes->steady_displacement = steady;
    modes->steady_velocity = steady + stairs->steady * k;
    modes->matrix = matrix;
    return true;
}

static cardan_status find_all_modes(cd_arena *arena, cd_arena *scratch, const cardan_system *system,
                                    const cardan_point *at, const cardan_modes_def *def,
                                    cardan_modes *modes, cardan_error *error)
{
    mode_finder f = {.arena = scratch,
                     .system = system,
                     .ws = cd_workspace_create(scratch, system, error),
                     .def = def,
                     .tolerance =
                         def->tolerance > 0.0 ? def->tolerance : cd_analysis_tolerance(system),
                     .error = error};
    mode_finder further = f;
    cd_staircase stairs;
    cardan_status status = scratch->failed ? CARDAN_OUT_OF_MEMORY : linearise_at(&f, at);
    if (status != CARDAN_OK)
        return status;
    modes->dof = system->k;
    modes->displacements = f.lin.z;
    modes->velocities = f.lin.y;
    further.rate = f.rate;
    const cd_steadiness test = {&f, &further, f.tolerance, linearise_at, apply_matrix};
    status = cd_modes_judge_steady(scratch, system, &f.at, &test, modes);
    if (status != CARDAN_OK)
        return status;
    return cd_staircase_find(scratch, f.equations.n, f.equations.a, f.tolerance, &stairs) &&
                   fill_modes(arena, &f, &stairs, modes)
               ? CARDAN_OK
               : CARDAN_OUT_OF_MEMORY;
}

/* Finds all modes by full matrices or, in large systems, the lowest ones by sparse matrices. */
static cardan_status find_modes(cd_arena *arena, cd_arena *scratch, const cardan_system *system,
                                const cardan_point *at, const cardan_modes_def *def,
                                cardan_modes *modes, cardan_error *error)
{
    const int full = def->count > 0 ? QUICK : CD_DENSE_ANALYSIS;
    if (system->k > full)
        return cd_modes_find_large(arena, scratch, system, at, def,
                                   def->count > 0 ? def->count : LOWEST, modes, error);
    const cardan_status status = find_all_modes(arena, scratch, system, at, def, modes, error);
    if (def->count > 0 && modes->count > def->count)
        modes->count = def->count;
    return status;
}

static cardan_status check_arguments(const cardan_system *system, const cardan_point *at,
                                     const cardan_modes_def *def, cardan_error *error)
{
    if (def->cookie != COOKIE)
        return cd_fail(error, CARDAN_UNINITIALISED,
                       "start from cardan_modes_def_default() and change what you need");
    if (at->q == NULL || at->v == NULL)
        return cd_invalid(error, "modes need q and v of the point");
    if (!(def->tolerance >= 0.0 && def->tolerance < 1.0))
        return cd_invalid(error, "the tolerance of modes must be between 0 and 1");
    if (def->count < 0)
        return cd_invalid(error, "the number of modes may not be negative");
    if (def->undamped && cd_max_abs(system->k, at->v) != 0.0)
        return cd_invalid(error, "undamped modes are those of a state of rest, and this one moves: "
                                 "its velocity-dependent forces are not damping alone");
    return CARDAN_OK;
}

cardan_status cardan_modes_create(cardan_modes **modes, const cardan_system *system,
                                  const cardan_point *at, const cardan_modes_def *def,
                                  cardan_error *error)
{
    const cardan_modes_def standard = cardan_modes_def_default();
    if (modes == NULL || system == NULL || at == NULL)
        return cd_invalid(error, "modes need a place for their handle, a system and a point");
    *modes = NULL;
    def = def != NULL ? def : &standard;
    cardan_error trouble = {0};
    cd_arena arena, scratch;
    cardan_status status = check_arguments(system, at, def, error);
    if (status != CARDAN_OK)
        return status;
    cd_arena_init(&arena, &system->arena.allocator);
    cd_arena_init(&scratch, &system->arena.allocator);
    owned_modes *made = cd_arena_take(&arena, sizeof *made);
    status = made == NULL ? CARDAN_OUT_OF_MEMORY
                          : find_modes(&arena, &scratch, system, at, def, &made->modes, &trouble);
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
    cd_arena arena = ((owned_modes *)modes)->arena; /* the owner lies in it */
    cd_arena_destroy(&arena);
}
