/* The rank report: numbers from structure.c and friction.c, the differentiation index, and
 * what they mean in words (ACB-R Sec. 4, ACB15 Sec. 2.2).
 *
 * The index counts how often constraints and dynamics must be differentiated until q', v' and the
 * multipliers' derivatives are known. Holonomic constraints give v' after two differentiations,
 * nonholonomic ones after one. Multipliers tied to v' need one more of the constraints they are
 * tied through; algebraic ones need one of the dynamics (17a). */
#include "base/error.h"
#include "base/numeric.h"
#include "linalg/dense.h"
#include "system/consistent.h"
#include "system/friction_rank.h"
#include "system/workspace.h"

#include <cardan/rank.h>
#include <stdio.h>

#define WRITE(member, ...) snprintf(member, sizeof member, __VA_ARGS__)

/* M symmetric, and the multipliers act through C^T alone or with friction added. */
static bool is_mechanical(const cardan_system *system)
{
    return !system->def.unsymmetric_mass && !system->def.lambda_in_force_only &&
           !system->def.psi_in_force_only;
}

static bool has_friction(const cardan_system *system)
{
    return cd_force_depends_on_multipliers(system) && is_mechanical(system);
}

/* Does a combination of multipliers that is tied to v' contain a holonomic one? With a basis N of
 * ker M the tied combinations w are those with w^T C N = 0; the ones without a holonomic part among
 * them have dimension l - rank(K N), and rank(K N) = rank(M; K) - r. False if memory runs out. */
static bool ties_holonomic(cd_arena *arena, const cd_structure *s, int tied, bool *ties)
{
    const int k = s->k, l = s->system->l;
    double *constraints = cd_arena_doubles(arena, s->n * k);
    double *rows = cd_arena_doubles(arena, (k + l) * k);
    cd_svd svd;
    if (arena->failed)
        return false;
    for (int i = 0; i < k; i++)
        for (int j = 0; j < k; j++)
            rows[i * k + j] = s->mass[i * k + j] / (s->scale[i] * s->scale[j]);
    cd_structure_scale_constraints(s, constraints);
    cd_copy(l * k, constraints + s->system->m * k, rows + k * k);
    if (!cd_svd_find(arena, k + l, k, rows, 0.0, &svd))
        return false;
    int rank = 0;
    while (rank < k && svd.values[rank] > CD_STRUCTURE_TOLERANCE)
        rank++;
    *ties = tied > l - (rank - s->mass_rank);
    return true;
}

static int index_of(const cardan_rank_report *r, bool holonomic_tied)
{
    const int for_velocity = r->holonomic > 0 ? 2 : r->nonholonomic > 0 ? 1 : 0;
    int for_multipliers = 0;
    if (r->tied > 0)
        for_multipliers = holonomic_tied ? 3 : 2;
    else if (r->algebraic > 0)
        for_multipliers = 1;
    return for_velocity > for_multipliers ? for_velocity : for_multipliers;
}

static void describe_mass(cardan_rank_report *r)
{
    if (r->mass_rank == r->dof)
        WRITE(r->mass_text, "The mass matrix is regular: rank %d of %d, eigenvalues %.4g to %.4g.",
              r->mass_rank, r->dof, r->mass_smallest, r->mass_largest);
    else
        WRITE(r->mass_text,
              "The mass matrix is singular: rank %d of %d, so %d direction%s no mass.",
              r->mass_rank, r->dof, r->dof - r->mass_rank,
              r->dof - r->mass_rank == 1 ? " has" : "s have");
}

static void describe_constraints(cardan_rank_report *r)
{
    const int n = r->holonomic + r->nonholonomic;
    if (n == 0)
        WRITE(r->constraint_text, "There are no constraints.");
    else if (r->constraint_rank == n)
        WRITE(r->constraint_text,
              "The constraint%s independent and leave%s %d degree%s of freedom.",
              n == 1 ? " is" : "s are", n == 1 ? "s" : "", r->kernel, r->kernel == 1 ? "" : "s");
    else
        WRITE(r->constraint_text, "Only %d of the %d constraints are independent.",
              r->constraint_rank, n);
}

static void describe_kernel(cardan_rank_report *r, bool mechanical)
{
    if (!mechanical)
        WRITE(r->kernel_text,
              "The equations are not of mechanical form (unsymmetric mass, or "
              "multipliers inside the force): %s v' and the multipliers.",
              r->index >= 0 ? "they determine" : "they do not determine");
    else if (r->kernel == 0)
        WRITE(r->kernel_text, "The constraints allow no motion of their own.");
    else if (r->definite_on_kernel && r->holonomic + r->nonholonomic == 0)
        WRITE(r->kernel_text, "Every velocity has kinetic energy.");
    else {
        char value[96] = "";
        if (!isnan(r->kernel_smallest))
            snprintf(value, sizeof value, ": the smallest eigenvalue of M on their kernel is %.4g",
                     r->kernel_smallest);
        WRITE(r->kernel_text, "%s velocity that the constraints allow has %skinetic energy%s.",
              r->definite_on_kernel ? "Every" : "Some", r->definite_on_kernel ? "" : "no ", value);
    }
}

static void describe_multipliers(cardan_rank_report *r)
{
    const int n = r->holonomic + r->nonholonomic;
    if (n == 0)
        WRITE(r->multiplier_text, "There are no multipliers.");
    else if (r->index < 0)
        WRITE(r->multiplier_text, "The multipliers are not determined.");
    else if (r->algebraic == 0)
        WRITE(r->multiplier_text, "All multipliers depend linearly on v'.");
    else if (r->tied == 0)
        WRITE(r->multiplier_text, "All multipliers are functions of (q, v, t): the forces on the "
                                  "massless directions must balance.");
    else
        WRITE(r->multiplier_text,
              "%d combination%s of the %d multipliers %s of (q, v, t), because "
              "the forces on massless directions must balance; %d depend%s linearly on v'.",
              r->algebraic, r->algebraic == 1 ? "" : "s", n,
              r->algebraic == 1 ? "is a function" : "are functions", r->tied,
              r->tied == 1 ? "s" : "");
}

#define SMALLEST                                                                                   \
    "the smallest singular value of (B M^-1 B^T)^-1 B M^-1 (B^T + dg/dlambda) is %.4g (1 without " \
    "friction)"

/* `found`: these are loads that satisfy the equations, not where a search for such ended. */
static void describe_friction(const cd_friction *f, bool found, cardan_rank_report *r)
{
    char list[320];
    r->friction_smallest = f->smallest;
    if (!f->acts)
        WRITE(r->friction_text, "No force depends on the multipliers at these loads.");
    else if (isnan(f->smallest))
        WRITE(r->friction_text, "Whether friction leaves the multipliers determined was not "
                                "examined: forces depend on too many of them.");
    else if (f->smallest <= CD_FRICTION_NEAR * fmax(1.0, f->largest)) {
        cd_friction_list(f, list, (int)sizeof list);
        WRITE(r->friction_text,
              "Friction makes the equations %s: " SMALLEST ", for the load with %s.",
              f->singular ? "singular" : "nearly singular", f->smallest, list);
    } else if (found)
        WRITE(r->friction_text, "With friction the multipliers stay determined: " SMALLEST ".",
              f->smallest);
    else
        WRITE(r->friction_text,
              "Where the search for accelerations and multipliers ended, friction does not make "
              "the equations singular: " SMALLEST ". Friction larger than the reaction to which it "
              "is due can leave a motion without any solution (Painleve's paradox): try a smaller "
              "coefficient, or a guess of the load.",
              f->smallest);
}

static void describe_index(cardan_rank_report *r)
{
    static const char *const texts[] = {
        "Index 0: an ordinary differential equation.",
        "Index 1: one differentiation gives the multipliers' derivatives.",
        "Index 2: two differentiations of the constraints give the derivatives of all variables.",
        "Index 3: three differentiations of the position constraints are needed."};
    if (r->index < 0)
        WRITE(r->index_text, "No index: the equations do not determine accelerations and "
                             "multipliers.");
    else
        WRITE(r->index_text, "%s", texts[r->index]);
}

static const char *advice_for(const cardan_rank_report *r)
{
    if (r->index < 0)
        return "No method can integrate this model; mend it first.";
    if (r->holonomic + r->nonholonomic == 0)
        return "Any method will do; the forms of the constrained methods all coincide.";
    if (r->holonomic == 0)
        return r->algebraic == 0
                   ? "Use ga2s or nonholonomic: velocity constraints hold in every step, and no "
                     "projection is needed."
                   : "Use ga2s: it solves with the bordered mass matrix and needs no inverse of M.";
    if (r->tied == 0)
        return "Use ga3 or ga2s; the multipliers follow from positions and velocities, so they "
               "show no transient of the start.";
    if (r->algebraic > 0)
        return "Use ga2s, or ga3 with the perturbed start: both keep order 2 in all components, as "
               "beta > gamma/2 > 1/4 makes the errors in massless directions fade (ACB-R (27)). "
               "Do not use hht3, which needs the inverse of M.";
    return "Use ga2s (positions and velocities on the constraints), or ga3 with the perturbed "
           "start for half the cost; ga2 and ga1 drift off the constraints and want a projection.";
}

static void describe(cardan_rank_report *r, bool mechanical)
{
    describe_mass(r);
    describe_constraints(r);
    describe_kernel(r, mechanical);
    describe_multipliers(r);
    describe_index(r);
    WRITE(r->advice, "%s", advice_for(r));
}

static bool fill_numbers(cd_arena *arena, const cd_workspace *ws, const cd_structure *s,
                         cardan_rank_report *r)
{
    const int massless = s->k - s->mass_rank;
    *r = (cardan_rank_report){.dof = s->k,
                              .holonomic = s->system->m,
                              .nonholonomic = s->system->l,
                              .mass_rank = s->mass_rank,
                              .mass_semidefinite = s->semidefinite,
                              .holonomic_rank = s->holonomic_rank,
                              .constraint_rank = s->constraint_rank,
                              .kernel = s->k - s->constraint_rank,
                              .definite_on_kernel = s->definite_on_kernel,
                              .algebraic = massless < s->n ? massless : s->n,
                              .tied = massless < s->n ? s->n - massless : 0,
                              .index = -1,
                              .friction_smallest = has_friction(s->system) ? NAN : 1.0};
    if (!cd_structure_mass_range(arena, ws, &r->mass_smallest, &r->mass_largest))
        return false;
    if (s->mass == NULL)
        return cd_structure_search_eigenvalues(arena, ws, s, &r->kernel_smallest,
                                               &r->augmented_smallest);
    return cd_structure_eigenvalues(arena, s, &r->kernel_smallest, &r->augmented_smallest);
}

/* The point with the v' and multipliers that the equations determine, looked for from those given;
 * where they stopped if there are none. */
static cardan_status find_loads(cd_arena *arena, cd_workspace *ws, const cardan_system *system,
                                const cardan_point *at, cardan_point *loaded, cardan_error *error)
{
    cd_consistent *consistent = cd_consistent_create(arena, ws, system, 0, ws->error);
    double *vdot = cd_arena_doubles(arena, system->k);
    double *lambda = cd_arena_doubles(arena, system->m);
    double *psi = cd_arena_doubles(arena, system->l);
    *loaded = (cardan_point){at->t, at->q, at->v, vdot, lambda, psi};
    if (arena->failed)
        return cd_fail(error, CARDAN_OUT_OF_MEMORY, "no memory for the rank analysis");
    cd_copy(system->m, at->lambda, lambda);
    cd_copy(system->l, at->psi, psi);
    cardan_status status = cd_consistent_accelerations(consistent, at, vdot, lambda, psi);
    const cardan_error reason = *ws->error; /* `error` may be the same */
    return status == CARDAN_OK ? CARDAN_OK : cd_fail(error, status, "%s", reason.text);
}

/* Friction is judged at the loads that the equations determine. If they determine none, that may be
 * its doing: at the loads given, or where the search for others ended. */
static cardan_status judge_friction(cd_arena *arena, cd_workspace *ws, const cd_structure *s,
                                    const cardan_point *at, cardan_rank_report *r,
                                    cardan_error *error)
{
    cardan_point loaded;
    cardan_error reason = {0};
    cd_friction friction;
    cardan_status status = find_loads(arena, ws, s->system, at, &loaded, &reason);
    if (status == CARDAN_OUT_OF_MEMORY)
        return cd_fail(error, status, "%s", reason.text);
    const cardan_point *const candidates[] = {&loaded, at};
    const int count = status == CARDAN_OK ? 1 : 2;
    bool singular = false;
    for (int i = 0; i < count && !singular; i++) {
        if (cd_system_equations(ws, candidates[i], &(cd_equations){0}) != CARDAN_OK ||
            cd_friction_find(arena, ws, s, candidates[i], &friction) != CARDAN_OK)
            continue;
        singular = friction.singular;
        if (i == 0 || singular)
            describe_friction(&friction, status == CARDAN_OK, r);
    }
    if (singular)
        return cd_friction_judge(&friction, at->t, error);
    return status == CARDAN_OK ? CARDAN_OK : cd_fail(error, status, "%s", reason.text);
}

static cardan_status find_index(cd_arena *arena, cd_workspace *ws, const cd_structure *s,
                                const cardan_point *at, cardan_rank_report *r, cardan_error *error)
{
    const cardan_system *system = s->system;
    if (!is_mechanical(system)) {
        cardan_point loaded;
        cardan_status solvable = find_loads(arena, ws, system, at, &loaded, error);
        if (solvable == CARDAN_OK)
            r->index = index_of(r, r->holonomic > 0);
        return solvable;
    }
    cardan_status sound = cd_structure_judge(s, at->t, error);
    if (sound != CARDAN_OK)
        return sound;
    if (s->mass == NULL) {
        r->index = index_of(r, r->holonomic > 0);
        return CARDAN_OK;
    }
    bool ties;
    if (!ties_holonomic(arena, s, r->tied, &ties))
        return cd_fail(error, CARDAN_OUT_OF_MEMORY, "no memory for the rank analysis");
    r->index = index_of(r, ties);
    return CARDAN_OK;
}

static cardan_status analyse(cd_arena *arena, const cardan_system *system, const cardan_point *at,
                             cardan_rank_report *report, cardan_error *error)
{
    cd_structure structure;
    cardan_error trouble = {0};
    cd_workspace *ws = cd_workspace_create(arena, system, &trouble);
    if (arena->failed)
        return cd_fail(error, CARDAN_OUT_OF_MEMORY, "no memory for the rank analysis");
    cardan_status status = cd_system_equations(ws, at, &(cd_equations){0});
    if (status != CARDAN_OK)
        return cd_fail(error, status, "%s", trouble.text);
    if (!cd_structure_find(arena, ws, &structure) ||
        (!cd_structure_is_sparse(system) && !cd_structure_expand(arena, ws, &structure)) ||
        !fill_numbers(arena, ws, &structure, report))
        return cd_fail(error, CARDAN_OUT_OF_MEMORY, "no memory for the rank analysis");
    status = find_index(arena, ws, &structure, at, report, &trouble);
    if (status == CARDAN_OK && has_friction(system)) {
        status = judge_friction(arena, ws, &structure, at, report, &trouble);
        report->index = status == CARDAN_OK ? report->index : -1;
    }
    describe(report, is_mechanical(system));
    return status == CARDAN_OK ? CARDAN_OK : cd_fail(error, status, "%s", trouble.text);
}

cardan_status cardan_rank_analyse(const cardan_system *system, const cardan_point *at,
                                  cardan_rank_report *report, cardan_error *error)
{
    if (system == NULL || at == NULL || report == NULL)
        return cd_invalid(error, "no argument but `error` may be NULL");
    cd_arena arena;
    cd_arena_init(&arena, &system->arena.allocator);
    *report = (cardan_rank_report){.index = -1};
    cardan_status status = analyse(&arena, system, at, report, error);
    cd_arena_destroy(&arena);
    return status == CARDAN_OK ? cd_succeed(error) : status;
}
