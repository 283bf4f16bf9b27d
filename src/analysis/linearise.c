/* Blocks of the linearised equations, scaled; see linearise.h and docs/methods/modes.md. */
#include "linearise.h"

#include "base/error.h"
#include "base/numeric.h"
#include "border.h"
#include "linalg/dense_lu.h"
#include "system/structure.h"

#include <stdio.h>

/* out = one block of the derivatives as a full matrix */
static cardan_status expand_block(cd_arena *arena, cd_workspace *ws, const cardan_point *at,
                                  const cardan_system *system, cd_block_kind kind, int rows,
                                  int cols, double *out)
{
    const int n = rows > cols ? rows : cols;
    if (rows == 0 || cols == 0)
        return CARDAN_OK;
    cd_term_matrix block = {.matrix = cd_matrix_create(arena, n),
                            .full = true,
                            .terms = {{kind, 0, 0, 1.0, false, 0}},
                            .count = 1};
    double *square = cd_arena_doubles(arena, n * n);
    if (!cd_term_matrix_create(&block, arena, system, NULL, 0))
        return CARDAN_OUT_OF_MEMORY;
    const cardan_status status = cd_term_matrix_fill(&block, ws, at);
    cd_matrix_expand(block.matrix, square);
    for (int i = 0; i < rows; i++)
        cd_copy(cols, square + i * n, out + i * cols);
    return status;
}

double cd_analysis_tolerance(const cardan_system *system)
{
    const cardan_system_def *def = &system->def;
    const bool holonomic = system->m == 0 || (def->constraint_dq != NULL &&
                                              def->hidden_dq != NULL && def->reaction_dq != NULL);
    const bool nonholonomic = system->l == 0 || (def->nonholonomic_dv && def->nonholonomic_dq &&
                                                 def->nonholonomic_reaction_dq != NULL);
    const bool inertia = def->constant_mass || def->inertia_dq != NULL;
    const bool force = def->force == NULL || (def->force_dq != NULL && def->force_dv != NULL);
    return holonomic && nonholonomic && inertia && force ? 1e-11 : 1e-8;
}

/* Converts a k x k block to scaled velocities in its columns and, in its rows, scaled equations of
 * motion (power < 0) or velocities (power > 0). */
static void scale_square(const cd_linearisation *lin, int power, double *a)
{
    for (int i = 0; i < lin->k; i++)
        for (int j = 0; j < lin->k; j++)
            a[i * lin->k + j] *= (power < 0 ? 1.0 / lin->scale[i] : lin->scale[i]) / lin->scale[j];
}

/* Converts n rows to scaled velocities and length 1; `other` (or NULL) gets the same factors. */
static void scale_rows(const cd_linearisation *lin, double *rows, double *other)
{
    for (int i = 0; i < lin->n; i++) {
        double *row = rows + i * lin->k, *beside = other != NULL ? other + i * lin->k : NULL;
        for (int j = 0; j < lin->k; j++)
            row[j] /= lin->scale[j];
        const double length = sqrt(cd_dot(lin->k, row, row)), size = length > 0.0 ? length : 1.0;
        for (int j = 0; j < lin->k; j++) {
            row[j] /= size;
            if (beside != NULL)
                beside[j] /= size * lin->scale[j];
        }
    }
}

/* Evaluates the blocks, and the reactions (B^T + dg/dlambda, K^T + dg/dpsi) as rows. */
static cardan_status find_blocks(cd_arena *arena, cd_workspace *ws, const cardan_point *at,
                                 cd_linearisation *lin, double *reactions)
{
    const int k = lin->k, m = lin->system->m, l = lin->system->l;
    double *by_lambda = cd_arena_doubles(arena, k * m), *by_psi = cd_arena_doubles(arena, k * l);
    const struct {
        cd_block_kind kind;
        int rows, cols;
        double *out;
    } blocks[] = {{CD_DYNAMICS_V, k, k, lin->damping},
                  {CD_DYNAMICS_Q, k, k, lin->stiffness},
                  {CD_BRACKET, k, k, lin->bracket},
                  {CD_HIDDEN_Q, m, k, lin->drift},
                  {CD_NONHOLONOMIC_Q, l, k, lin->drift + m * k},
                  {CD_DYNAMICS_LAMBDA, k, m, by_lambda},
                  {CD_DYNAMICS_PSI, k, l, by_psi}};
    cardan_status status = arena->failed ? CARDAN_OUT_OF_MEMORY : CARDAN_OK;
    for (size_t i = 0; i < sizeof blocks / sizeof blocks[0] && status == CARDAN_OK; i++)
        status = expand_block(arena, ws, at, lin->system, blocks[i].kind, blocks[i].rows,
                              blocks[i].cols, blocks[i].out);
    if (status != CARDAN_OK)
        return status;
    cd_transpose(k, m, by_lambda, reactions);
    cd_transpose(k, l, by_psi, reactions + m * k);
    return CARDAN_OK;
}

/* Do the multipliers act through C^T and nothing else? */
static bool reacts_through_constraints(const cardan_system_def *def)
{
    return !def->force_depends_on_lambda && !def->force_depends_on_psi &&
           !def->lambda_in_force_only && !def->psi_in_force_only;
}

/* The kernel of a matrix of k columns: an orthonormal basis as rows; returns its dimension. */
static int kernel_of(const cd_svd *svd, const double **basis)
{
    *basis = svd->right + svd->rank * svd->cols;
    return svd->cols - svd->rank;
}

/* Finds the kernels of B, of C and of the reactions, which are often the same. */
static bool find_kernels(cd_arena *arena, double *reactions, cd_linearisation *lin)
{
    const cardan_system *system = lin->system;
    const double tolerance = lin->tolerance;
    cd_svd own;
    if (!cd_svd_find(arena, lin->n, lin->k, lin->constraints, tolerance, &lin->whole))
        return false;
    lin->y = lin->z = kernel_of(&lin->whole, &lin->velocities);
    lin->displacements = lin->equations = lin->velocities;
    lin->reactions = lin->whole.rank;
    if (system->l > 0) {
        if (!cd_svd_find(arena, system->m, lin->k, lin->constraints, tolerance, &own))
            return false;
        lin->z = kernel_of(&own, &lin->displacements);
    }
    if (reacts_through_constraints(&system->def))
        return true;
    scale_rows(lin, reactions, NULL);
    if (!cd_svd_find(arena, lin->n, lin->k, reactions, tolerance, &own))
        return false;
    lin->reactions = own.rank;
    kernel_of(&own, &lin->equations);
    return true;
}

static cardan_status fill_linearisation(cd_arena *arena, cd_workspace *ws, const cardan_point *at,
                                        cd_linearisation *lin)
{
    const int k = lin->k, n = lin->n;
    double *reactions = cd_arena_doubles(arena, n * k);
    double **const squares[] = {&lin->mass, &lin->damping, &lin->stiffness, &lin->bracket};
    for (int i = 0; i < 4; i++)
        *squares[i] = cd_arena_doubles(arena, k * k);
    lin->constraints = cd_arena_doubles(arena, n * k);
    lin->drift = cd_arena_doubles(arena, n * k);
    lin->scale = cd_arena_doubles(arena, k);
    if (arena->failed)
        return CARDAN_OUT_OF_MEMORY;
    cardan_status status = cd_system_equations(ws, at, &(cd_equations){0});
    if (status != CARDAN_OK)
        return status;
    if (!cd_structure_find_scale(arena, ws, lin->scale))
        return CARDAN_OUT_OF_MEMORY;
    cd_system_expand(ws, lin->mass, lin->constraints);
    status = find_blocks(arena, ws, at, lin, reactions);
    if (status != CARDAN_OK)
        return status;
    for (int i = 0; i < 4; i++)
        scale_square(lin, *squares[i] == lin->bracket ? 1 : -1, *squares[i]);
    scale_rows(lin, lin->constraints, lin->drift);
    return find_kernels(arena, reactions, lin) ? CARDAN_OK : CARDAN_OUT_OF_MEMORY;
}

cardan_status cd_linearise(cd_arena *arena, cd_workspace *ws, const cardan_system *system,
                           const cardan_point *at, double tolerance, cd_linearisation *out,
                           cardan_error *error)
{
    *out = (cd_linearisation){
        .system = system, .k = system->k, .n = system->m + system->l, .tolerance = tolerance};
    cardan_status status = fill_linearisation(arena, ws, at, out);
    if (status == CARDAN_OUT_OF_MEMORY)
        return cd_fail(error, status, "no memory for the linearised equations");
    if (status == CARDAN_OK && out->whole.rank != out->reactions)
        return cd_fail(error, CARDAN_SINGULAR_MATRIX,
                       "at t = %.9g there are %d independent constraints but %d independent "
                       "reactions: the forces that depend on multipliers cancel some",
                       at->t, out->whole.rank, out->reactions);
    return status;
}

/* ---- elimination of the constraints ---- */

/* Fills r->moves with the rows (Z; 0) and r->rates with (W Z; Y), of unit vectors p and u. */
static bool expand_states(cd_arena *arena, const cd_linearisation *lin, cd_reduction *r)
{
    const int k = lin->k, n = lin->n;
    double *right = cd_arena_doubles(arena, n);
    r->moves = cd_arena_doubles(arena, r->n * k);
    r->rates = cd_arena_doubles(arena, r->n * k);
    if (arena->failed)
        return false;
    cd_copy(r->z * k, lin->displacements, r->moves);
    cd_copy((r->n - r->z) * k, lin->velocities, r->rates + r->z * k);
    for (int i = 0; i < r->z; i++) {
        cd_multiply(n, k, lin->drift, lin->displacements + i * k, right);
        cd_scale(n, -1.0, right);
        cd_svd_solve(&lin->whole, right, r->rates + i * k);
    }
    return true;
}

/* Multiplies `count` rows by (L^T M Y)^-T. */
static cardan_status divide_by_mass(cd_arena *arena, const cd_linearisation *lin, int count,
                                    double *rows)
{
    const int k = lin->k, y = lin->y;
    cd_dense_lu lu;
    double *heavy = cd_arena_doubles(arena, y * k);
    cd_dense_lu_init(&lu, arena, y);
    if (arena->failed)
        return CARDAN_OUT_OF_MEMORY;
    cd_product_transposed(y, k, k, lin->velocities, lin->mass, heavy);
    cd_product_transposed(y, k, y, heavy, lin->equations, lu.values); /* column by column */
    if (y > 0 && cd_dense_lu_factor(&lu) != CARDAN_OK)
        return CARDAN_SINGULAR_MATRIX;
    for (int i = 0; i < count && y > 0; i++)
        cd_dense_lu_solve(&lu, rows + i * y);
    return CARDAN_OK;
}

cardan_status cd_reduce_linearisation(cd_arena *arena, const cd_linearisation *lin, cd_reduction *r)
{
    const int k = lin->k, z = lin->z, y = lin->y, n = z + y;
    *r = (cd_reduction){.z = z, .n = n};
    double *velocity = cd_arena_doubles(arena, n * k), *product = cd_arena_doubles(arena, n * k);
    double *force = cd_arena_doubles(arena, n * k);
    double *p = cd_arena_doubles(arena, n * z), *u = cd_arena_doubles(arena, n * y);
    r->a = cd_arena_doubles(arena, n * n);
    if (!expand_states(arena, lin, r))
        return CARDAN_OUT_OF_MEMORY;
    cd_product_transposed(n, k, k, r->moves, lin->bracket, velocity); /* xi' = w - [v, xi] */
    cd_scale(n * k, -1.0, velocity);
    cd_add(n * k, 1.0, r->rates, velocity);
    cd_product_transposed(n, k, z, velocity, lin->displacements, p);
    cd_product(n, z, k, p, r->rates, velocity); /* W Z p' */
    cd_product_transposed(n, k, k, velocity, lin->mass, force);
    cd_product_transposed(n, k, k, r->rates, lin->damping, product);
    cd_add(n * k, 1.0, product, force);
    cd_product_transposed(n, k, k, r->moves, lin->stiffness, product);
    cd_add(n * k, 1.0, product, force);
    cd_product_transposed(n, k, y, force, lin->equations, u);
    const cardan_status status = divide_by_mass(arena, lin, n, u);
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++)
            r->a[j * n + i] = j < z ? p[i * z + j] : -u[i * y + j - z];
    return status;
}

/* ---- sizes and names ---- */

cardan_status cd_estimate_highest_rate(cd_arena *arena, cd_workspace *ws,
                                       const cardan_system *system, const cardan_point *at,
                                       const double *scale, double *rate)
{
    const double small = 1e-5;
    double *q = cd_arena_doubles(arena, cardan_group_size(system->group));
    double *step = cd_arena_doubles(arena, system->k), *force[2];
    for (int i = 0; i < 2; i++)
        force[i] = cd_arena_doubles(arena, system->k);
    if (arena->failed)
        return CARDAN_OUT_OF_MEMORY;
    double longest = 0.0, stiffness = 0.0;
    for (int i = 0; i < system->k; i++) {
        step[i] = small * cos(3.7 * i);
        longest = fmax(longest, fabs(step[i] * scale[i]));
    }
    cardan_group_update(system->group, at->q, step, q);
    cardan_point moved = *at;
    moved.q = q;
    cardan_status status = cd_system_equations(ws, &moved, &(cd_equations){.dynamics = force[1]});
    if (status == CARDAN_OK)
        status = cd_system_equations(ws, at, &(cd_equations){.dynamics = force[0]});
    for (int i = 0; i < system->k; i++)
        stiffness = fmax(stiffness, fabs(force[1][i] - force[0][i]) / scale[i]);
    *rate = stiffness > 0.0 ? sqrt(stiffness / longest) : 1.0;
    return status;
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
