/* Nearing: from a configuration that closes, along the constraints to the one nearest to the
 * initial guess. Newton's method for the smallest distance: with the slope g of half the squared
 * distance, multipliers y of least squares, g + A^T y ~ 0, and the curvature K = d(A^T y)/dx of the
 * constraints
 *
 *   minimise  g^T p + p^T (I + K) p / 2   with   A p = 0
 *
 * by conjugate gradients in the kernel of A (Gould, Hribar, Nocedal 2001, Alg. 6.2). Every
 * iteration projects with the factors that exist already, redundant rows do no harm, and a
 * direction of negative curvature ends the iteration. Each step is followed by closing. */
#include "assembly.h"
#include "base/error.h"
#include "group/rotation.h"
#include "model/equations/layout.h"

enum { NEARING_STEPS = 60, GRADIENTS = 100, REFINEMENTS = 2 }; /* most iterations of each kind */

/* Vectors of the conjugate gradients, k numbers each, and the curvature K in blocks per source. */
typedef struct nearing {
    double *p, *residual;    /* the direction of the step, and the residual of its equations */
    double *projected;       /* the residual, projected onto the kernel of A */
    double *search, *curved; /* the search direction, and (I + K) times it */
    double *y, *extra;       /* scaled multipliers and their refinement; a number per row */
    double *block;           /* K */
    int *start;              /* of the block of each source */
    double gain;             /* by how much the last step reduced the distance */
} nearing;

void cd_assembly_displacement(const cd_body *body, const double *q0, const double *q, double dr[3],
                              double phi[3])
{
    cd_body_state from, to;
    double transposed[9], rotation[9];
    cd_body_state_at(body, q0 + body->q, NULL, &from);
    cd_body_state_at(body, q + body->q, NULL, &to);
    cd_transpose3(from.R, transposed);
    cd_product3(to.R, transposed, rotation);
    cd_rotation_log(rotation, phi);
    for (int i = 0; i < 3; i++)
        dr[i] = to.r[i] - from.r[i];
}

/* Half the squared distance of the bodies from the guess, and its slope by scaled coordinates. */
static double distance(const cd_assembly *it, const double *q, double *slope)
{
    const double length = it->rows->length;
    double sum = 0.0;
    cd_zero(it->rows->dof, slope);
    for (int b = 0; b < it->model->bodies; b++) {
        const cd_body *body = &it->model->body[b];
        double world[CD_BODY_COLUMNS], local[CD_BODY_COLUMNS];
        cd_body_state body_state;
        cd_assembly_displacement(body, it->q0, q, world, world + 3);
        cd_body_state_at(body, q + body->q, NULL, &body_state);
        sum += 0.5 * (cd_dot3(world, world) + length * length * cd_dot3(world + 3, world + 3));
        cd_form_from_world(body->form, body_state.R, world, local);
        for (int i = 0; i < body->form->dof; i++)
            slope[body->v + i] = local[body->form->pick[i]] * it->rows->scale[body->v + i];
    }
    return sum;
}

static int count_source_columns(const cd_rows *rows, const cd_row_source *source)
{
    return cd_pattern_end(&rows->pattern, source->first) -
           cd_pattern_begin(&rows->pattern, source->first);
}

/* Whether the rows of a source have a curvature. */
static bool is_curved(const cd_row_source *source)
{
    return source->rows > 0 && source->element->type->reaction_dx != NULL;
}

static cardan_status allocate_nearing(cd_assembly *it, nearing *near)
{
    const cd_rows *rows = it->rows;
    const int k = rows->dof;
    int entries = 0;
    *near = (nearing){.p = cd_arena_doubles(it->arena, k),
                      .residual = cd_arena_doubles(it->arena, k),
                      .projected = cd_arena_doubles(it->arena, k),
                      .search = cd_arena_doubles(it->arena, k),
                      .curved = cd_arena_doubles(it->arena, k),
                      .y = cd_arena_doubles(it->arena, rows->count),
                      .extra = cd_arena_doubles(it->arena, rows->count),
                      .start = cd_arena_take(it->arena, (size_t)rows->sources * sizeof(int))};
    for (int s = 0; !it->arena->failed && s < rows->sources; s++) {
        near->start[s] = entries;
        if (is_curved(&rows->source[s]))
            entries += count_source_columns(rows, &rows->source[s]) *
                       count_source_columns(rows, &rows->source[s]);
    }
    near->block = cd_arena_doubles(it->arena, entries);
    return cd_assembly_check_memory(it);
}

/* The block of K of a source: the symmetric part of J^T d(B^T y)/dx J, scaled. Other terms stem
 * from the coordinates and cancel with those of the distance where g + A^T y = 0. */
static int find_source_curvature(const cd_rows *rows, const cd_row_source *source,
                                 const cardan_point *at, const double *y, double *block)
{
    const int n = count_source_columns(rows, source);
    double world[CD_ELEMENT_COLUMNS * CD_ELEMENT_COLUMNS],
        half[CD_ELEMENT_COLUMNS * CD_ELEMENT_COLUMNS],
        local[CD_ELEMENT_COLUMNS * CD_ELEMENT_COLUMNS];
    double multiplier[CD_ELEMENT_ROWS];
    int order[CD_ELEMENT_COLUMNS] = {0}, next = 0;
    cd_chain_rule chain;
    cd_chain_set_up(rows->model, source->element, at, false, &chain);
    for (int i = 0; i < source->rows; i++)
        multiplier[i] = y[source->first + i] * rows->unit[source->first + i];
    chain.point.lambda = multiplier;
    cd_zero(chain.world * chain.world, world);
    cd_zero(chain.world * n, half);
    cd_zero(n * n, local);
    const int code = source->element->type->reaction_dx(source->element->self, &chain.point, world);
    cd_chain_columns(&chain, chain.world, world, half);
    cd_chain_rows(&chain, n, half, local);
    for (int b = 0; b < source->moving; b++)
        for (int j = 0; j < chain.form[source->order[b]]->dof; j++)
            order[next++] = chain.start[source->order[b]] + j;
    const int *column = rows->pattern.column + cd_pattern_begin(&rows->pattern, source->first);
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++)
            block[i * n + j] = 0.5 *
                               (local[order[i] * n + order[j]] + local[order[j] * n + order[i]]) /
                               (rows->scale[column[i]] * rows->scale[column[j]]);
    return code;
}

/* Evaluates the blocks of all sources at q. */
static cardan_status find_curvature(cd_assembly *it, const double *q, nearing *near)
{
    const cd_rows *rows = it->rows;
    const cardan_point at = {it->t, q, NULL, NULL, rows->multiplier, rows->multiplier};
    for (int s = 0; s < rows->sources; s++)
        if (is_curved(&rows->source[s]) &&
            find_source_curvature(rows, &rows->source[s], &at, near->y,
                                  near->block + near->start[s]) != 0)
            return cd_fail(it->error, CARDAN_CALLBACK_FAILED,
                           "the curvature of a constraint could not be evaluated in assembly");
    return CARDAN_OK;
}

/* out = (I + K) x */
static void apply_curvature(const cd_rows *rows, const nearing *near, const double *x, double *out)
{
    cd_copy(rows->dof, x, out);
    for (int s = 0; s < rows->sources; s++) {
        const cd_row_source *source = &rows->source[s];
        if (!is_curved(source))
            continue;
        const int n = count_source_columns(rows, source);
        const int *column = rows->pattern.column + cd_pattern_begin(&rows->pattern, source->first);
        const double *block = near->block + near->start[s];
        for (int i = 0; i < n; i++)
            for (int j = 0; j < n; j++)
                out[column[i]] += block[i * n + j] * x[column[j]];
    }
}

/* move = the projection of -g onto the kernel of A, and the multipliers y; refined, since the small
 * diagonal of the saddle matrix leaves errors in rows with small singular values. */
static void project_slope(cd_assembly *it, nearing *near)
{
    const cd_rows *rows = it->rows;
    for (int i = 0; i < rows->dof; i++)
        it->right[i] = -it->slope[i];
    cd_saddle_solve(it->saddle, it->right, NULL, it->move, near->y);
    for (int pass = 0; pass < REFINEMENTS; pass++) {
        cd_pattern_multiply(&rows->pattern, rows->values, it->move, it->right);
        for (int i = 0; i < rows->count; i++)
            it->right[i] = -it->right[i];
        cd_saddle_solve(it->saddle, NULL, it->right, near->residual, near->extra);
        cd_add(rows->dof, 1.0, near->residual, it->move);
        cd_add(rows->count, 1.0, near->extra, near->y);
    }
}

/* Finds p (scaled) by conjugate gradients. it->move is the projected steepest descent on entry. */
static void find_direction(cd_assembly *it, nearing *near)
{
    const int k = it->rows->dof;
    const double first = cd_dot(k, it->move, it->move);
    const double enough = first * fmin(1e-2, first); /* for superlinear convergence */
    double size = first;
    cd_zero(k, near->p);
    cd_copy(k, it->move, near->search);
    for (int i = 0; i < k; i++)
        near->residual[i] = -it->move[i];
    for (int i = 0; i < GRADIENTS && size > enough; i++) {
        apply_curvature(it->rows, near, near->search, near->curved);
        const double curvature = cd_dot(k, near->search, near->curved);
        if (!(curvature > 1e-6 * cd_dot(k, near->search, near->search)))
            break;
        cd_add(k, size / curvature, near->search, near->p);
        cd_add(k, size / curvature, near->curved, near->residual);
        cd_saddle_solve(it->saddle, near->residual, NULL, near->projected, NULL);
        cd_copy(k, near->projected,
                near->residual); /* across the constraints there is only rounding */
        const double now = cd_dot(k, near->projected, near->projected), ratio = now / size;
        for (int j = 0; j < k; j++)
            near->search[j] = ratio * near->search[j] - near->projected[j];
        size = now;
    }
    if (!(cd_dot(k, near->p, near->p) > 0.0))
        cd_copy(k, it->move, near->p);
}

/* Moves q back to the constraints, with the factors that exist if this suffices. */
static cardan_status restore_constraints(cd_assembly *it, double *q)
{
    cardan_status status = cd_assembly_evaluate(it, q, NULL);
    it->whole = it->walk != NULL && cd_walk_is_safe(it->walk, cd_assembly_closure_error(it));
    if (status == CARDAN_OK && it->walk != NULL)
        status = cd_assembly_walk(it, q);
    if (status == CARDAN_OK)
        status = cd_assembly_polish(it, q);
    if (status == CARDAN_OK && !(cd_assembly_closure_error(it) <= it->tolerance))
        status = cd_assembly_close(it, CD_RESTORING_STEPS, q);
    return status;
}

/* best = update(q, alpha direction), moved back to the constraints; its distance, or INFINITY. */
static cardan_status try_approach(cd_assembly *it, const double *q, double alpha, double *value)
{
    *value = INFINITY;
    for (int i = 0; i < it->rows->dof; i++)
        it->move[i] = alpha * it->direction[i];
    cardan_group_update(it->group, q, it->move, it->best);
    cardan_status status = restore_constraints(it, it->best);
    if (status == CARDAN_OK && cd_assembly_closure_error(it) <= it->tolerance)
        *value = distance(it, it->best, it->slope);
    return status < 0 && status != CARDAN_INCONSISTENT_START ? status : CARDAN_OK;
}

/* Whether the gain of the last step was only rounding. */
static bool has_converged(double gain, double before, nearing *near)
{
    const bool slower = gain < 0.1 * near->gain;
    near->gain = gain;
    return gain <= 1e-12 * before || (gain <= 1e-9 * before && !slower);
}

/* Takes one step; `arrived`: nothing is left to gain. Rows are those at q on entry and exit. */
static cardan_status approach_once(cd_assembly *it, nearing *near, double *q, bool *arrived)
{
    const int k = it->rows->dof;
    const double before = distance(it, q, it->slope);
    double after = INFINITY;
    it->damping = fmin(it->damping, CD_SADDLE_SMALL);
    cardan_status status = cd_assembly_factor(it);
    if (status != CARDAN_OK)
        return status;
    project_slope(it, near);
    *arrived = true;
    if (!(cd_dot(k, it->move, it->move) > 1e-18 * before))
        return CARDAN_OK;
    status = find_curvature(it, q, near);
    if (status != CARDAN_OK)
        return status;
    find_direction(it, near);
    cd_assembly_limit_rotation(it, near->p, it->direction);
    for (double alpha = 1.0; status == CARDAN_OK && !(after < before) && alpha > 1e-3; alpha *= 0.5)
        status = try_approach(it, q, alpha, &after);
    if (status != CARDAN_OK || !(after < before))
        return status == CARDAN_OK ? cd_assembly_evaluate(it, q, NULL) : status;
    cd_copy(cardan_group_size(it->group), it->best, q);
    *arrived = has_converged(before - after, before, near);
    return CARDAN_OK;
}

cardan_status cd_assembly_approach_guess(cd_assembly *it)
{
    nearing near;
    bool arrived = false;
    cardan_status status = allocate_nearing(it, &near);
    for (int i = 0; status == CARDAN_OK && !arrived && i < NEARING_STEPS; i++)
        status = approach_once(it, &near, it->q, &arrived);
    return status;
}
