/* Blocks of the linearised equations, scaled; see linearise.h and docs/methods/modes.md. */
#include "linearise.h"

#include "base/error.h"
#include "base/numeric.h"
#include "system/structure.h"

#include <limits.h>
#include <stdio.h>

/* One block of the derivatives as a full matrix of the given size. */
static cardan_status expand_block(cd_arena *arena, cd_workspace *ws, const cardan_point *at,
                                  const cardan_system *system, cd_block_kind kind, int rows,
                                  int cols, double *out)
{
    const int n = rows > cols ? rows : cols;
    const cd_map map = {.increment = at->v, .ratio = 1.0, .bracket = at->v, .weight = 0.0};
    cd_term term = {kind, 0, 0, 1.0, false, 0};
    if (rows == 0 || cols == 0)
        return CARDAN_OK;
    cd_matrix *matrix = cd_matrix_create(arena, n);
    double *square = cd_arena_doubles(arena, n * n);
    if (arena->failed)
        return CARDAN_OUT_OF_MEMORY;
    cd_system_declare(system, &term, 1, matrix);
    cd_matrix_dense_up_to(matrix, INT_MAX);
    cd_matrix_seal(matrix);
    if (arena->failed)
        return CARDAN_OUT_OF_MEMORY;
    cd_matrix_clear(matrix);
    cardan_status status =
        cd_system_assemble(ws, at, kind == CD_BRACKET ? &map : NULL, &term, 1, matrix);
    cd_matrix_expand(matrix, square);
    for (int i = 0; i < rows; i++)
        cd_copy(cols, square + i * n, out + i * cols);
    return status;
}

double cd_analysis_tolerance(const cardan_system *system)
{
    const cardan_system_def *def = &system->def;
    const bool holonomic = system->m == 0 || (def->constraint_dq != NULL &&
                                              def->hidden_dq != NULL && def->reaction_dq != NULL);
    const bool rolling = system->l == 0 || (def->nonholonomic_dv && def->nonholonomic_dq &&
                                            def->rolling_reaction_dq != NULL);
    const bool inertia = def->constant_mass || def->inertia_dq != NULL;
    const bool force = def->force == NULL || (def->force_dq != NULL && def->force_dv != NULL);
    return holonomic && rolling && inertia && force ? 1e-11 : 1e-8;
}

/* Rows and columns of a k x k block for scaled velocities: equations of motion (power < 0) or
 * velocities (power > 0) in the rows. */
static void scale_square(const cd_linearisation *lin, int power, double *a)
{
    for (int i = 0; i < lin->k; i++)
        for (int j = 0; j < lin->k; j++)
            a[i * lin->k + j] *= (power < 0 ? 1.0 / lin->scale[i] : lin->scale[i]) / lin->scale[j];
}

/* C with rows of length 1, and the same factors for the drift. */
static void scale_constraints(const cd_linearisation *lin)
{
    for (int i = 0; i < lin->n; i++) {
        double *row = lin->constraints + i * lin->k, *drift = lin->drift + i * lin->k;
        for (int j = 0; j < lin->k; j++) {
            row[j] /= lin->scale[j];
            drift[j] /= lin->scale[j];
        }
        const double length = sqrt(cd_dot(lin->k, row, row));
        for (int j = 0; j < lin->k && length > 0.0; j++) {
            row[j] /= length;
            drift[j] /= length;
        }
    }
}

/* The directions of the reactions as rows of length 1, n x k, from k x n columns. */
static void scale_reactions(const cd_linearisation *lin, const double *columns, double *rows)
{
    cd_transpose(lin->k, lin->n, columns, rows);
    for (int i = 0; i < lin->n; i++) {
        double *row = rows + i * lin->k;
        for (int j = 0; j < lin->k; j++)
            row[j] /= lin->scale[j];
        const double length = sqrt(cd_dot(lin->k, row, row));
        for (int j = 0; j < lin->k && length > 0.0; j++)
            row[j] /= length;
    }
}

static bool take_memory(cd_arena *arena, cd_linearisation *lin)
{
    const int k = lin->k, n = lin->n;
    lin->mass = cd_arena_doubles(arena, k * k);
    lin->damping = cd_arena_doubles(arena, k * k);
    lin->stiffness = cd_arena_doubles(arena, k * k);
    lin->bracket = cd_arena_doubles(arena, k * k);
    lin->constraints = cd_arena_doubles(arena, n * k);
    lin->drift = cd_arena_doubles(arena, n * k);
    return !arena->failed;
}

/* (B^T + dg/dlambda, K^T + dg/dpsi), k x n. */
static cardan_status find_reactions(cd_arena *arena, cd_workspace *ws, const cardan_system *system,
                                    const cardan_point *at, double *columns)
{
    const int k = system->k, m = system->m, l = system->l;
    double *by_lambda = cd_arena_doubles(arena, k * m), *by_psi = cd_arena_doubles(arena, k * l);
    if (arena->failed)
        return CARDAN_OUT_OF_MEMORY;
    cardan_status status = expand_block(arena, ws, at, system, CD_DYNAMICS_LAMBDA, k, m, by_lambda);
    if (status == CARDAN_OK)
        status = expand_block(arena, ws, at, system, CD_DYNAMICS_PSI, k, l, by_psi);
    for (int i = 0; i < k; i++) {
        cd_copy(m, by_lambda + i * m, columns + i * (m + l));
        cd_copy(l, by_psi + i * l, columns + i * (m + l) + m);
    }
    return status;
}

static cardan_status find_blocks(cd_arena *arena, cd_workspace *ws, const cardan_point *at,
                                 cd_linearisation *lin)
{
    const int k = lin->k, m = lin->system->m, l = lin->system->l;
    const struct {
        cd_block_kind kind;
        int rows;
        double *out;
    } blocks[] = {{CD_DYNAMICS_V, k, lin->damping},
                  {CD_DYNAMICS_Q, k, lin->stiffness},
                  {CD_BRACKET, k, lin->bracket},
                  {CD_HIDDEN_Q, m, lin->drift},
                  {CD_ROLLING_Q, l, lin->drift + m * k}};
    cardan_status status = CARDAN_OK;
    for (size_t i = 0; i < sizeof blocks / sizeof blocks[0] && status == CARDAN_OK; i++)
        status = expand_block(arena, ws, at, lin->system, blocks[i].kind, blocks[i].rows, k,
                              blocks[i].out);
    return status;
}

/* Do the multipliers act through C^T and nothing else? */
static bool reacts_through_constraints(const cardan_system_def *def)
{
    return !def->force_depends_on_lambda && !def->force_depends_on_psi &&
           !def->lambda_in_force_only && !def->psi_in_force_only;
}

/* Kernels of B, of C, and the combinations of equations without reactions; often the same. */
static bool find_kernels(cd_arena *arena, const double *columns, cd_linearisation *lin)
{
    const cardan_system *system = lin->system;
    const double tolerance = lin->tolerance;
    double *rows = cd_arena_doubles(arena, lin->n * lin->k);
    if (arena->failed ||
        !cd_svd_find(arena, lin->n, lin->k, lin->constraints, tolerance, &lin->whole))
        return false;
    lin->holonomic = lin->reactions = lin->whole;
    if (system->l > 0 &&
        !cd_svd_find(arena, system->m, lin->k, lin->constraints, tolerance, &lin->holonomic))
        return false;
    if (reacts_through_constraints(&system->def))
        return true;
    scale_reactions(lin, columns, rows);
    return cd_svd_find(arena, lin->n, lin->k, rows, tolerance, &lin->reactions);
}

static cardan_status linearise(cd_arena *arena, cd_workspace *ws, const cardan_point *at,
                               cd_linearisation *lin)
{
    const int k = lin->k, n = lin->n;
    double *columns = cd_arena_doubles(arena, k * n);
    lin->scale = cd_arena_doubles(arena, k);
    if (!take_memory(arena, lin))
        return CARDAN_OUT_OF_MEMORY;
    cardan_status status = cd_system_equations(ws, at, &(cd_equations){0});
    if (status != CARDAN_OK)
        return status;
    if (!cd_structure_scale(arena, lin->system, ws, lin->scale))
        return CARDAN_OUT_OF_MEMORY;
    cd_system_expand(ws, lin->mass, lin->constraints);
    status = find_blocks(arena, ws, at, lin);
    if (status == CARDAN_OK)
        status = find_reactions(arena, ws, lin->system, at, columns);
    if (status != CARDAN_OK)
        return status;
    scale_square(lin, -1, lin->mass);
    scale_square(lin, -1, lin->damping);
    scale_square(lin, -1, lin->stiffness);
    scale_square(lin, 1, lin->bracket);
    scale_constraints(lin);
    return find_kernels(arena, columns, lin) ? CARDAN_OK : CARDAN_OUT_OF_MEMORY;
}

cardan_status cd_linearise(cd_arena *arena, cd_workspace *ws, const cardan_system *system,
                           const cardan_point *at, double tolerance, cd_linearisation *out,
                           cardan_error *error)
{
    *out = (cd_linearisation){
        .system = system, .k = system->k, .n = system->m + system->l, .tolerance = tolerance};
    cardan_status status = linearise(arena, ws, at, out);
    if (status == CARDAN_OUT_OF_MEMORY)
        return cd_fail(error, status, "no memory for the linearised equations");
    if (status == CARDAN_OK && out->whole.rank != out->reactions.rank)
        return cd_fail(error, CARDAN_SINGULAR_MATRIX,
                       "at t = %.9g there are %d independent constraints but %d independent "
                       "reactions: the forces that depend on multipliers cancel some",
                       at->t, out->whole.rank, out->reactions.rank);
    return status;
}

int cd_free_displacements(const cd_linearisation *lin)
{
    return lin->k - lin->holonomic.rank;
}

int cd_free_velocities(const cd_linearisation *lin)
{
    return lin->k - lin->whole.rank;
}

const double *cd_displacement_basis(const cd_linearisation *lin)
{
    return lin->holonomic.right + lin->holonomic.rank * lin->k;
}

const double *cd_velocity_basis(const cd_linearisation *lin)
{
    return lin->whole.right + lin->whole.rank * lin->k;
}

const double *cd_equation_basis(const cd_linearisation *lin)
{
    return lin->reactions.right + lin->reactions.rank * lin->k;
}

void cd_name_direction(const cardan_system *system, const double *direction, char *text, int size)
{
    enum { NAMES = 3 };
    int chosen[NAMES], count = 0, used = 0;
    const double largest = cd_max_abs(system->k, direction);
    for (; count < NAMES; count++) {
        int best = -1;
        for (int i = 0; i < system->k; i++) {
            bool taken = fabs(direction[i]) < 0.2 * largest || direction[i] == 0.0;
            for (int c = 0; c < count; c++)
                taken = taken || chosen[c] == i;
            if (!taken && (best < 0 || fabs(direction[i]) > 1.001 * fabs(direction[best])))
                best = i;
        }
        if (best < 0)
            break;
        chosen[count] = best;
    }
    snprintf(text, (size_t)size, "nothing");
    for (int c = 0; c < count && used < size; c++) {
        const char *joint = c == 0 ? "" : c + 1 < count ? ", " : " and ";
        const cd_name name = cd_system_own_name(system, CARDAN_NAME_VELOCITY, chosen[c]);
        used += name.text[0] != '\0'
                    ? snprintf(text + used, (size_t)(size - used), "%s%s", joint, name.text)
                    : snprintf(text + used, (size_t)(size - used), "%svelocity %d", joint,
                               chosen[c] + 1);
    }
}
