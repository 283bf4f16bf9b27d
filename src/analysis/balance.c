/* Residual and corrections of the balance of forces; see balance.h. */
#include "balance.h"

#include "base/error.h"
#include "base/numeric.h"

cardan_status cd_balance_create(cd_balance *b, const cardan_system *system, double t,
                                const double *q)
{
    const int size = cardan_group_size(system->group), joints = system->m + system->l;
    *b = (cd_balance){.system = system, .t = t, .k = system->k, .m = system->m, .l = system->l};
    b->n = b->k + b->m + b->l;
    cd_arena_init(&b->arena, &system->arena.allocator);
    b->ws = cd_workspace_create(&b->arena, system, &b->error);
    b->q = cd_arena_doubles(&b->arena, size);
    b->multipliers = cd_arena_doubles(&b->arena, joints);
    for (int i = 0; i < 2; i++) {
        b->saved_q[i] = cd_arena_doubles(&b->arena, size);
        b->saved_multipliers[i] = cd_arena_doubles(&b->arena, joints);
    }
    b->scratch = cd_arena_doubles(&b->arena, b->k);
    b->zeros = cd_arena_doubles(&b->arena, b->k);
    b->holding = cd_arena_doubles(&b->arena, b->k);
    b->is_angle = cd_arena_take(&b->arena, (size_t)b->k * sizeof *b->is_angle);
    b->residual = cd_arena_doubles(&b->arena, b->n);
    b->step = cd_arena_doubles(&b->arena, b->n);
    if (b->arena.failed)
        return CARDAN_OUT_OF_MEMORY;
    cd_copy(size, q, b->q);
    return cd_border_create(&b->border, &b->arena, b->ws, system, true, &b->error)
               ? CARDAN_OK
               : CARDAN_OUT_OF_MEMORY;
}

void cd_balance_destroy(cd_balance *b)
{
    cd_arena_destroy(&b->arena);
}

cardan_point cd_balance_point(const cd_balance *b)
{
    return (cardan_point){b->t, b->q, b->zeros, b->zeros, b->multipliers, b->multipliers + b->m};
}

cardan_status cd_balance_evaluate(cd_balance *b)
{
    const cardan_point at = cd_balance_point(b);
    double *r = b->residual;
    cardan_status status = cd_system_equations(b->ws, &at,
                                               &(cd_equations){.forces = r,
                                                               .reaction = b->scratch,
                                                               .position = r + b->k,
                                                               .nonholonomic = r + b->k + b->m});
    if (status != CARDAN_OK)
        return status;
    b->force = fmax(b->force, cd_max_abs(b->k, b->scratch));
    for (int i = 0; i < b->k; i++)
        b->force = fmax(b->force, fabs(r[i] - b->scratch[i]));
    cd_add(b->k, 1.0, b->holding, r);
    return CARDAN_OK;
}

cardan_status cd_balance_solve(cd_balance *b, double mass, double stiffness, bool forces)
{
    const cardan_point at = cd_balance_point(b);
    for (int i = 0; i < b->n; i++)
        b->step[i] = (i < b->k && !forces) || i >= b->k + b->m ? 0.0 : -b->residual[i];
    return cd_border_solve(&b->border, &at, mass, stiffness, b->step);
}

void cd_balance_move(cd_balance *b, double factor)
{
    cd_zero(b->k, b->scratch);
    cd_add(b->k, factor, b->step, b->scratch);
    cardan_group_update(b->system->group, b->q, b->scratch, b->q);
    cd_add(b->m + b->l, factor, b->step + b->k, b->multipliers);
}

void cd_balance_save(cd_balance *b, int slot)
{
    cd_copy(cardan_group_size(b->system->group), b->q, b->saved_q[slot]);
    cd_copy(b->m + b->l, b->multipliers, b->saved_multipliers[slot]);
}

void cd_balance_restore(cd_balance *b, int slot)
{
    cd_copy(cardan_group_size(b->system->group), b->saved_q[slot], b->q);
    cd_copy(b->m + b->l, b->saved_multipliers[slot], b->multipliers);
}

/* The largest coordinate so far stands for the size of the system. */
double cd_balance_reach(cd_balance *b)
{
    const int *coordinate = b->system->coordinate;
    const double share = 0.3;
    double reach = 0.0;
    for (int i = 0; i < b->k; i++)
        if (coordinate[i] >= 0 && !b->is_angle[i])
            b->size = fmax(b->size, fabs(b->q[coordinate[i]]));
    const double size = b->size > 0.0 ? b->size : 1.0;
    for (int i = 0; i < b->k; i++)
        reach =
            fmax(reach, fabs(b->step[i]) / (coordinate[i] >= 0 && !b->is_angle[i] ? size : 1.0));
    return reach / share;
}
