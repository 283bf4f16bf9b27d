/* Checks of a model for values that are allowed but seldom meant (cardan/model_check.h). */
#include <cardan/model_check.h>

#include "model/assembly/assembly.h"
#include "model/redundancy/reduction.h"

#include <stdarg.h>
#include <stdio.h>

enum { SENTENCE = 1024 }; /* longest message, in characters */

/* Densities of real materials, kg/m^3. */
static const double LIGHTEST = 1.0, HEAVIEST = 25000.0;
/* Limits of the mass divided by the volume that the inertia suggests, kg/m^3: wide, for thin rods
 * or bodies whose inertia does not matter; a wrong unit changes it by 3e7 or 1e9. */
static const double THINNEST = 1e-2, THICKEST = 1e8;
static const double HEAVY = 1e9; /* kg: heavier than ships */
/* m and kg/m^3. Bodies with joints this far from their centre of mass are towers, booms or hulls,
 * with at least this mass per length cubed; lengths in mm make it 1e-6 or less. */
static const double LONG = 50.0, SLENDEREST = 1e-5;
/* Singular configurations are reported below this singular value, or this distance over length. */
static const double SMALL_VALUE = 1e-6, NEAR = 0.2;
enum { MOST_ROWS = 600 }; /* for singular configurations: the cost grows with the square */

typedef struct check {
    cardan_model_report report;
    cd_arena arena;
    cardan_model *model;
    cardan_check_finding *finding;
    int capacity;
} check;

void cardan_model_report_destroy(cardan_model_report *report)
{
    if (report == NULL)
        return;
    cd_arena arena = ((check *)report)->arena; /* the report lies in it */
    cd_arena_destroy(&arena);
}

__attribute__((format(printf, 4, 5))) static void add_finding(check *it, cardan_check_kind kind,
                                                              bool error, const char *format, ...)
{
    static const char *const names[] = {"assembly", "moved",  "redundant", "singular",
                                        "mass",     "unused", "units"};
    char text[SENTENCE];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    cardan_check_finding *list =
        cd_arena_grow(&it->arena, it->finding, it->report.count, &it->capacity, sizeof *list);
    if (list == NULL)
        return; /* the arena remembers */
    it->report.findings = it->finding = list;
    it->finding[it->report.count++] =
        (cardan_check_finding){kind, names[kind], error, cd_arena_string(&it->arena, text)};
}

/* Reports how many bodies assembly has moved or changed in velocity, and the largest change. */
static void report_moves(check *it, const char *what, const cardan_assembly_move *moved, int count,
                         const char *per_second)
{
    if (count > 0)
        add_finding(it, CARDAN_FINDING_MOVED, false,
                    "assembly %s %d bod%s, most of all %s`%s` by %.3g m%s and %.3g rad%s", what,
                    count, count == 1 ? "y" : "ies", per_second[0] != '\0' ? "of " : "",
                    cardan_model_name(it->model, CARDAN_ELEMENT_BODY, moved[0].body),
                    moved[0].distance, per_second, moved[0].angle, per_second);
}

static void check_assembly(check *it, cardan_status status, const cardan_assembly *assembly,
                           const cardan_error *error)
{
    if (status != CARDAN_OK) {
        add_finding(it, CARDAN_FINDING_ASSEMBLY, true, "%s", error->text);
        return;
    }
    report_moves(it, "moves", assembly->moved, assembly->moved_count, "");
    report_moves(it, "changes the velocity of", assembly->changed, assembly->changed_count, "/s");
}

static void report_redundancy(check *it)
{
    const cardan_redundancy *found = cardan_model_redundancy(it->model);
    char text[SENTENCE - 100];
    it->report.freedom = found->freedom;
    it->report.redundant = found->count;
    for (int i = 0; cardan_redundancy_text(it->model, i, text, sizeof text) == CARDAN_OK; i++)
        add_finding(it, CARDAN_FINDING_REDUNDANT, false, "%s", text);
}

static void check_singularity(check *it, double t, const double *q, const double *v)
{
    cd_singularity_distance distance;
    const double length = cd_model_length(it->model);
    const int rows = it->model->constraints + it->model->nonholonomic;
    if (it->model->reduction->keep == NULL) /* a tree: it has none */
        return;
    it->report.singular_skipped = rows > MOST_ROWS;
    if (rows > MOST_ROWS || !cd_singularity_distance_find(it->model, t, q, v, &distance))
        return;
    it->report.smallest = distance.smallest;
    it->report.nearest = distance.distance;
    if (distance.smallest < SMALL_VALUE && !isfinite(distance.distance))
        add_finding(it, CARDAN_FINDING_SINGULAR, false,
                    "the constraints are nearly dependent: the smallest singular value is %.2g",
                    distance.smallest);
    else if (distance.distance < NEAR * length)
        add_finding(
            it, CARDAN_FINDING_SINGULAR, false,
            "a singular configuration seems near: the smallest singular value of the constraints "
            "is %.2g and vanishes after a motion of about %.2g m",
            distance.smallest, distance.distance);
}

/* Marks the bodies that elements act on; without `forces`, only by constraints. */
static bool *mark_bodies_of_elements(check *it, bool forces)
{
    const cardan_model *model = it->model;
    bool *touched = cd_arena_take(&it->arena, (size_t)model->bodies * sizeof *touched);
    for (int e = 0; touched != NULL && e < model->elements; e++) {
        const cd_element *element = &model->element[e];
        if (!forces && element->type->constraint == NULL && element->type->nonholonomic == NULL)
            continue;
        for (int b = 0; b < element->count; b++)
            if (element->body[b] >= 0)
                touched[element->body[b]] = true;
    }
    return touched;
}

/* Reports bodies without joints and forces, and massless bodies without joints. */
static void check_unused(check *it)
{
    const bool *touched = mark_bodies_of_elements(it, true),
               *constrained = mark_bodies_of_elements(it, false);
    for (int b = 0; touched != NULL && constrained != NULL && b < it->model->bodies; b++) {
        const cd_body *body = &it->model->body[b];
        if (!touched[b])
            add_finding(it, CARDAN_FINDING_UNUSED, false,
                        "body `%s` has neither joint nor force: it flies freely", body->name);
        if (!constrained[b] && body->body_kind->mass == 0.0)
            add_finding(it, CARDAN_FINDING_MASS, true,
                        "body `%s` has no mass and no joint that carries it", body->name);
    }
}

/* The volume of the ellipsoid with the same inertia; false if there is none (rods, plates). */
static bool ellipsoid_volume(const cd_body *body, double *volume)
{
    const double trace =
        body->body_kind->inertia[0] + body->body_kind->inertia[4] + body->body_kind->inertia[8];
    double product = 1.0;
    for (int i = 0; i < 3; i++) {
        const double square =
            2.5 * (trace - 2.0 * body->body_kind->inertia[4 * i]) / body->body_kind->mass;
        if (!(square > 1e-6 * trace / body->body_kind->mass))
            return false;
        product *= sqrt(square);
    }
    *volume = 4.18879020478639 * product;
    return true;
}

/* Reports the body whose joint is too far from its centre of mass for its mass. */
static void check_lengths(check *it)
{
    const cardan_model *model = it->model;
    const cd_body *worst = NULL;
    double longest = LONG;
    for (int j = 0; j < model->joints; j++)
        for (int b = 0; model->joint[j].kind->def.type != CARDAN_JOINT_GEAR && b < 2; b++) {
            const double *arm = model->joint[j].kind->marker[b].offset;
            const double length = sqrt(cd_dot3(arm, arm));
            const int number = model->joint[j].body[b];
            const double mass = number >= 0 ? model->body[number].body_kind->mass : 0.0;
            if (length > longest && mass > 0.0 && mass < SLENDEREST * length * length * length) {
                longest = length;
                worst = &model->body[number];
            }
        }
    if (worst != NULL)
        add_finding(
            it, CARDAN_FINDING_UNITS, false,
            "body `%s` has a joint %.3g m from its centre of mass, and only %.3g kg; are lengths "
            "in mm?",
            worst->name, longest, worst->body_kind->mass);
}

static void check_units(check *it)
{
    const cardan_model *model = it->model;
    const double g = sqrt(cd_dot3(model->gravity, model->gravity));
    if (g > 5000.0 && g < 20000.0)
        add_finding(it, CARDAN_FINDING_UNITS, false,
                    "gravity is %g m/s^2, as if lengths were in mm; Cardan counts in m, kg and s",
                    g);
    check_lengths(it);
    for (int b = 0; b < model->bodies; b++) {
        const cd_body *body = &model->body[b];
        const double *stated = body->body_kind->def.densities;
        double volume;
        if (stated[1] > HEAVIEST || (stated[0] > 0.0 && stated[0] < LIGHTEST))
            add_finding(it, CARDAN_FINDING_UNITS, false,
                        "body `%s` has a solid of %.3g kg/m^3; materials have %g to %g", body->name,
                        stated[1] > HEAVIEST ? stated[1] : stated[0], LIGHTEST, HEAVIEST);
        if (body->body_kind->mass > HEAVY)
            add_finding(it, CARDAN_FINDING_UNITS, false, "body `%s` has a mass of %.3g kg%s",
                        body->name, body->body_kind->mass,
                        stated[1] > 0.0 ? "; are its lengths in mm?" : "");
        if (body->form->parts != 2 || !(body->body_kind->mass > 0.0) ||
            !ellipsoid_volume(body, &volume))
            continue;
        const double density = body->body_kind->mass / volume;
        if (density < THINNEST || density > THICKEST)
            add_finding(
                it, CARDAN_FINDING_UNITS, false,
                "body `%s` has about %.2g kg/m^3 (its mass by the size that its inertia tells); "
                "materials have %g to %g. Is its inertia in kg m^2 and its mass in kg?",
                body->name, density, LIGHTEST, HEAVIEST);
    }
}

/* Recommends a step: a hundredth of the shortest time in which a body rotates by a radian, at its
 * angular velocity or as a pendulum. */
static void recommend_step(check *it, const double *q, const double *v)
{
    const cardan_model *model = it->model;
    const double g = sqrt(cd_dot3(model->gravity, model->gravity));
    double rate = g > 0.0 ? sqrt(g / cd_model_length(model)) : 1.0;
    for (int b = 0; b < model->bodies; b++) {
        cd_body_state body_state;
        cd_body_state_at(&model->body[b], q + model->body[b].q, v + model->body[b].v, &body_state);
        rate = fmax(rate, sqrt(cd_dot3(body_state.w, body_state.w)));
    }
    const double step = 1e-2 / rate, decade = pow(10.0, floor(log10(step)));
    it->report.step = decade * (step >= 5.0 * decade ? 5.0 : step >= 2.0 * decade ? 2.0 : 1.0);
}

static cardan_status run_all_checks(check *it, double t, cardan_error *error)
{
    cardan_model *model = it->model;
    const cardan_group *group = cardan_system_describe(model->system).group;
    double *q = cd_arena_doubles(&it->arena, cardan_group_size(group));
    double *v = cd_arena_doubles(&it->arena, cardan_system_describe(model->system).dof);
    cardan_assembly *assembly = NULL;
    cardan_error cause;
    if (it->arena.failed)
        return cd_fail(error, CARDAN_OUT_OF_MEMORY, "no memory to check a model");
    cardan_model_initial(model, q, v);
    const cardan_status assembled = cardan_model_assemble(model, t, q, v, &assembly, &cause);
    if (assembled == CARDAN_OUT_OF_MEMORY)
        return cd_fail(error, assembled, "%s", cause.text);
    check_assembly(it, assembled, assembly, &cause);
    cardan_assembly_destroy(assembly);
    report_redundancy(it);
    if (assembled == CARDAN_OK)
        check_singularity(it, t, q, v);
    check_unused(it);
    check_units(it);
    recommend_step(it, q, v);
    return it->arena.failed ? cd_fail(error, CARDAN_OUT_OF_MEMORY, "no memory to check a model")
                            : cd_succeed(error);
}

cardan_status cardan_model_check(cardan_model *model, double t, cardan_model_report **report,
                                 cardan_error *error)
{
    if (report == NULL || model == NULL || model->system == NULL || !isfinite(t))
        return cd_invalid(error,
                          "a check needs a built model, a finite time and a place for the report");
    *report = NULL;
    cd_arena arena;
    cd_arena_init(&arena, &model->allocator);
    check *it = cd_arena_take(&arena, sizeof *it);
    if (it == NULL)
        return cd_fail(error, CARDAN_OUT_OF_MEMORY, "no memory to check a model");
    *it = (check){.report = {.smallest = NAN, .nearest = INFINITY}, .arena = arena, .model = model};
    cardan_status status = run_all_checks(it, t, error);
    if (status == CARDAN_OK)
        *report = &it->report;
    else
        cardan_model_report_destroy(&it->report);
    return status;
}
