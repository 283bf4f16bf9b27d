/* Assembly: a configuration that closes (assembly_close.c) and is nearest to the initial guess
 * (assembly_near.c), then velocities by one least-squares problem (docs/methods/assembly.md). */
#include "assembly.h"

#include "base/error.h"
#include "model/equations/layout.h"
#include "model/redundancy/reduction.h"

#include <assert.h>
#include <string.h>

/* Limits of steps, and of steps times rows and unknowns: ten seconds or so if closing fails. */
static const double MOST_STEPS = 200.0, FEWEST_STEPS = 50.0, MOST_WORK = 5e6;

enum { FIRST_STEPS = 12 }; /* before outliers are searched again */

/* Makes the rows of a level and allocates the vectors for them. */
static cardan_status set_up_level(cd_assembly *it, cd_row_level level)
{
    cd_succeed(it->error);
    it->rows = cd_rows_create(it->arena, it->model, level, it->error);
    if (it->rows == NULL && !it->arena->failed)
        return it->error->status;
    it->walk = NULL;
    it->saddle = NULL; /* made when it is needed: most models are closed as they are given */
    const int k = it->model->layout->dof, m = it->rows != NULL ? it->rows->count : 0;
    it->right = cd_arena_doubles(it->arena, k + m);
    it->move = cd_arena_doubles(it->arena, k);
    it->step = cd_arena_doubles(it->arena, k);
    it->slope = cd_arena_doubles(it->arena, k);
    it->direction = cd_arena_doubles(it->arena, k);
    it->trial = cd_arena_doubles(it->arena, cardan_group_size(it->group));
    it->best = cd_arena_doubles(it->arena, cardan_group_size(it->group));
    return cd_assembly_check_memory(it);
}

/* Starts turn counters in the turn of a fixed joint angle. */
static void set_counters(const cardan_model *model, double *q)
{
    for (int j = 0; j < model->joints; j++) {
        const cd_joint *joint = &model->joint[j];
        const bool is_angle =
            joint->kind->def.direction == 0 || joint->kind->def.direction >= CARDAN_RX;
        if (joint->counter != 0 && is_angle && isfinite(joint->kind->def.initial))
            q[cd_model_body(model, joint->counter)->q] = joint->kind->def.initial;
    }
}

/* The tolerance of closure errors: rounding errors of positions and of lengths on bodies. */
static double find_position_tolerance(const cd_assembly *it)
{
    double largest = it->rows->length;
    for (int b = 0; b < it->model->bodies; b++)
        largest = fmax(largest, cd_max_abs(3, it->q + it->model->body[b].q));
    return 1e-11 * largest;
}

/* Begins with the configuration that cardan_model_build has assembled, if the guess is the same. */
static bool use_known_start(cd_assembly *it)
{
    const cd_reduction *known = it->model->reduction;
    const int size = cardan_group_size(it->group);
    if (known == NULL || known->start == NULL || known->t != it->t)
        return false;
    cardan_model_initial(it->model, it->trial, it->move);
    if (memcmp(it->trial, it->q0, (size_t)size * sizeof *it->q0) != 0)
        return false;
    cd_copy(size, known->start, it->q);
    return true;
}

/* Closes the configuration; in models with a walk, outliers are closed on their own. */
static cardan_status close_configuration(cd_assembly *it)
{
    const double size = (double)it->rows->count + it->rows->dof + 1.0;
    const int steps = (int)fmin(MOST_STEPS, fmax(FEWEST_STEPS, MOST_WORK / size));
    bool hopeless = false;
    if (it->walk == NULL)
        return cd_assembly_close(it, steps, it->q);
    cardan_status status = cd_assembly_evaluate(it, it->q, NULL);
    for (int attempt = 0; attempt < 2 && status == CARDAN_OK && !hopeless; attempt++) {
        if (cd_assembly_has_outliers(it))
            status = cd_assembly_close_outliers(it, it->q, &hopeless);
        if (status == CARDAN_OK && !hopeless)
            status = cd_assembly_close(it, attempt == 0 ? FIRST_STEPS : steps, it->q);
        if (status == CARDAN_OK && cd_assembly_closure_error(it) <= it->tolerance)
            break;
    }
    return status;
}

/* Closes the configuration, and if this changed it, finds the nearest one to the guess. */
static cardan_status assemble_positions(cd_assembly *it)
{
    cardan_status status = set_up_level(it, CD_ROWS_POSITION);
    if (status != CARDAN_OK)
        return status;
    assert(it->trial != NULL && it->best != NULL);
    set_counters(it->model, it->q);
    it->tolerance = find_position_tolerance(it);
    const bool known = use_known_start(it);
    if (known && cd_assembly_evaluate(it, it->q, NULL) == CARDAN_OK &&
        cd_assembly_closure_error(it) <= it->tolerance)
        return CARDAN_OK;
    const size_t bytes = (size_t)cardan_group_size(it->group) * sizeof *it->q;
    memcpy(it->best, it->q, bytes);
    if (it->model->bodies > CD_MANY_BODIES)
        it->walk = cd_walk_create(it->arena, it->rows, it->group);
    status = cd_assembly_check_memory(it);
    if (status == CARDAN_OK && !known)
        status = close_configuration(it);
    if (status != CARDAN_OK || !(cd_assembly_closure_error(it) <= it->tolerance))
        return status != CARDAN_OK ? status : CARDAN_INCONSISTENT_START;
    return memcmp(it->best, it->q, bytes) != 0 ? cd_assembly_approach_guess(it) : CARDAN_OK;
}

/* v += the smallest change that satisfies the rates. It is repeated, since the rows are damped. */
static cardan_status assemble_velocities(cd_assembly *it)
{
    cardan_status status = set_up_level(it, CD_ROWS_VELOCITY);
    if (status == CARDAN_OK)
        status = cd_assembly_evaluate(it, it->q, it->v);
    if (status != CARDAN_OK)
        return status > 0 ? CARDAN_CALLBACK_FAILED : status;
    it->tolerance = 1e-11 * fmax(cd_max_abs(it->rows->dof, it->v) * it->rows->length,
                                 fmax(cd_assembly_closure_error(it), it->rows->length));
    if (cd_assembly_closure_error(it) <= 1e-3 * it->tolerance)
        return CARDAN_OK;
    it->damping = CD_SADDLE_SMALL;
    status = cd_assembly_factor(it);
    for (int pass = 0; status == CARDAN_OK && pass < 4; pass++) {
        for (int i = 0; i < it->rows->count; i++)
            it->right[i] = -it->rows->residual[i];
        cd_saddle_solve(it->saddle, NULL, it->right, it->move, NULL);
        for (int i = 0; i < it->rows->dof; i++)
            it->v[i] += it->move[i] / it->rows->scale[i];
        status = cd_assembly_evaluate(it, it->q, it->v);
    }
    if (status == CARDAN_OK && !(cd_assembly_closure_error(it) <= it->tolerance))
        return CARDAN_INCONSISTENT_START;
    return status;
}

/* Assembles positions and velocities, and makes the report. */
static cardan_status assemble(cd_assembly *it, cardan_assembly **report)
{
    const int size = cardan_group_size(it->group), k = it->model->layout->dof;
    double *q0 = cd_arena_doubles(it->arena, size), *v0 = cd_arena_doubles(it->arena, k);
    if (it->arena->failed)
        return cd_assembly_check_memory(it);
    cd_copy(size, it->q, q0);
    cd_copy(k, it->v, v0);
    it->q0 = q0;
    it->v0 = v0;
    cardan_status status = assemble_positions(it);
    const bool velocities = status == CARDAN_OK;
    if (velocities)
        status = assemble_velocities(it);
    if (it->rows == NULL || (status < 0 && status != CARDAN_INCONSISTENT_START))
        return status;
    return cd_assembly_report(it, velocities, status, report);
}

cardan_status cd_model_assemble(cardan_model *model, const cardan_group *group, double t, double *q,
                                double *v, cardan_assembly **assembly, cardan_error *error)
{
    cd_arena arena;
    cd_arena_init(&arena, &model->allocator);
    cd_assembly it = {
        .model = model, .group = group, .arena = &arena, .t = t, .q = q, .v = v, .error = error};
    cardan_status status = assemble(&it, assembly);
    cd_arena_destroy(&arena);
    return status == CARDAN_OK ? cd_succeed(error) : status;
}

cardan_status cd_model_close_configuration(cardan_model *model, const cardan_group *group, double t,
                                           int steps, double *q, cardan_error *error)
{
    cd_arena arena;
    cd_arena_init(&arena, &model->allocator);
    cd_assembly it = {
        .model = model, .group = group, .arena = &arena, .t = t, .q = q, .error = error};
    cardan_status status = set_up_level(&it, CD_ROWS_HOLONOMIC);
    if (status == CARDAN_OK) {
        it.tolerance = find_position_tolerance(&it);
        status = cd_assembly_close(&it, steps, q);
    }
    if (status == CARDAN_OK && !(cd_assembly_closure_error(&it) <= it.tolerance))
        status = cd_fail(error, CARDAN_NOT_CONVERGED, "the constraints cannot be closed here");
    cd_arena_destroy(&arena);
    return status;
}

cardan_status cardan_model_assemble(cardan_model *model, double t, double *q, double *v,
                                    cardan_assembly **assembly, cardan_error *error)
{
    cardan_error own;
    if (assembly != NULL)
        *assembly = NULL;
    if (model == NULL || model->system == NULL || q == NULL || v == NULL || !isfinite(t))
        return cd_invalid(error, "an assembly needs a built model, q, v and a finite time");
    const cardan_group *group = cardan_system_describe(model->system).group;
    if (cd_first_not_finite(cardan_group_size(group), q) >= 0 ||
        cd_first_not_finite(model->layout->dof, v) >= 0)
        return cd_invalid(error, "the initial guess holds a number that is not finite");
    return cd_model_assemble(model, group, t, q, v, assembly, error != NULL ? error : &own);
}
