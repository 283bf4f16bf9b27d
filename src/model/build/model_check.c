/* Looking through a model for what is allowed but seldom meant. */
#include <cardan/model_check.h>

#include "model/assembly/assembly.h"
#include "model/redundancy/reduction.h"

#include <stdarg.h>
#include <stdio.h>

enum { SENTENCE = 1024 };

/* Real materials, kg/m^3. */
static const double LIGHTEST = 1.0, HEAVIEST = 25000.0;
/* Mass by the size that the inertia tells. Masses at points, thin rods and bodies whose inertia
 * does not matter are far off real materials; a thousand times the mass or the length changes this
 * by 3e7 or 1e9 and shows all the same. */
static const double THINNEST = 1e-2, THICKEST = 1e8;
static const double HEAVY = 1e9; /* kg: heavier than ships */
/* m, kg/m^3: bodies with joints this far from their centre of mass are towers, blades, booms or
 * hulls, and then have at least this part of their length's cube; lengths in mm make it 1e-6 and
 * less. */
static const double LONG = 50.0, SLENDEREST = 1e-5;
/* Singular values are told below the first, and distances (of the model's length) below the second.
 */
static const double SMALL_VALUE = 1e-6, SHORT_WAY = 0.2;
enum { MOST_ROWS = 600 }; /* to look for singular configurations: the cost grows with the square */

typedef struct look {
    cardan_model_report face;
    cd_arena arena;
    cardan_model *model;
    cardan_check_finding *finding;
    int capacity;
} look;

void cardan_model_report_destroy(cardan_model_report *report)
{
    if (report == NULL)
        return;
    cd_arena arena = ((look *)report)->arena; /* the report lies in it */
    cd_arena_destroy(&arena);
}

__attribute__((format(printf, 4, 5))) static void tell(look *it, cardan_check_kind kind, bool error,
                                                       const char *format, ...)
{
    static const char *const names[] = {"assembly", "moved",  "redundant", "singular",
                                        "mass",     "unused", "units"};
    char text[SENTENCE];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    cardan_check_finding *list =
        cd_arena_grow(&it->arena, it->finding, it->face.count, &it->capacity, sizeof *list);
    if (list == NULL)
        return; /* the arena remembers */
    it->face.findings = it->finding = list;
    it->finding[it->face.count++] =
        (cardan_check_finding){kind, names[kind], error, cd_arena_string(&it->arena, text)};
}

/* ---- constraints ---- */

static void tell_moved(look *it, const char *what, const cardan_assembly_move *moved, int count,
                       const char *per_second)
{
    if (count > 0)
        tell(it, CARDAN_FINDING_MOVED, false,
             "assembly %s %d bod%s, most of all %s`%s` by %.3g m%s and %.3g rad%s", what, count,
             count == 1 ? "y" : "ies", per_second[0] != '\0' ? "of " : "",
             cardan_model_name(it->model, CARDAN_ELEMENT_BODY, moved[0].body), moved[0].distance,
             per_second, moved[0].angle, per_second);
}

static void look_at_assembly(look *it, cardan_status status, const cardan_assembly *assembly,
                             const cardan_error *error)
{
    if (status != CARDAN_OK) {
        tell(it, CARDAN_FINDING_ASSEMBLY, true, "%s", error->text);
        return;
    }
    tell_moved(it, "moves", assembly->moved, assembly->moved_count, "");
    tell_moved(it, "changes the velocity of", assembly->changed, assembly->changed_count, "/s");
}

static void look_at_redundancy(look *it)
{
    const cardan_redundancy *found = cardan_model_redundancy(it->model);
    char text[SENTENCE - 100];
    it->face.freedom = found->freedom;
    it->face.redundant = found->count;
    for (int i = 0; cardan_redundancy_text(it->model, i, text, sizeof text) == CARDAN_OK; i++)
        tell(it, CARDAN_FINDING_REDUNDANT, false, "%s", text);
}

static void look_for_singularity(look *it, double t, const double *q, const double *v)
{
    cd_singularity_distance near;
    const double length = cd_model_length(it->model);
    const int rows = it->model->constraints + it->model->nonholonomic;
    if (it->model->reduction->keep == NULL) /* a tree: it has none */
        return;
    it->face.singular_skipped = rows > MOST_ROWS;
    if (rows > MOST_ROWS || !cd_singularity_distance_find(it->model, t, q, v, &near))
        return;
    it->face.smallest = near.smallest;
    it->face.nearest = near.distance;
    if (near.smallest < SMALL_VALUE && !isfinite(near.distance))
        tell(it, CARDAN_FINDING_SINGULAR, false,
             "the constraints are nearly dependent: the smallest singular value is %.2g",
             near.smallest);
    else if (near.distance < SHORT_WAY * length)
        tell(it, CARDAN_FINDING_SINGULAR, false,
             "a singular configuration seems near: the smallest singular value of the constraints "
             "is %.2g and vanishes after a motion of about %.2g m",
             near.smallest, near.distance);
}

/* ---- bodies ---- */

/* Marks the bodies that elements act on. */
static bool *mark_touched(look *it, bool forces)
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

static void look_for_unused(look *it)
{
    const bool *touched = mark_touched(it, true), *held = mark_touched(it, false);
    for (int b = 0; touched != NULL && held != NULL && b < it->model->bodies; b++) {
        const cd_body *body = &it->model->body[b];
        if (!touched[b])
            tell(it, CARDAN_FINDING_UNUSED, false,
                 "body `%s` has neither joint nor force: it flies freely", body->name);
        if (!held[b] && body->body_kind->mass == 0.0)
            tell(it, CARDAN_FINDING_MASS, true,
                 "body `%s` has no mass and no joint that carries it", body->name);
    }
}

/* Semi-axes of the ellipsoid with the same inertia; false if there is none (rods, plates). */
static bool ellipsoid(const cd_body *body, double *volume)
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

/* Joints by their distance from the body's centre of mass, not from the origin of the world. The
 * worst one is told. */
static void look_at_lengths(look *it)
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
        tell(it, CARDAN_FINDING_UNITS, false,
             "body `%s` has a joint %.3g m from its centre of mass, and only %.3g kg; are lengths "
             "in mm?",
             worst->name, longest, worst->body_kind->mass);
}

static void look_at_units(look *it)
{
    const cardan_model *model = it->model;
    const double g = sqrt(cd_dot3(model->gravity, model->gravity));
    if (g > 5000.0 && g < 20000.0)
        tell(it, CARDAN_FINDING_UNITS, false,
             "gravity is %g m/s^2, as if lengths were in mm; Cardan counts in m, kg and s", g);
    look_at_lengths(it);
    for (int b = 0; b < model->bodies; b++) {
        const cd_body *body = &model->body[b];
        const double *stated = body->body_kind->def.densities;
        double volume;
        if (stated[1] > HEAVIEST || (stated[0] > 0.0 && stated[0] < LIGHTEST))
            tell(it, CARDAN_FINDING_UNITS, false,
                 "body `%s` has a solid of %.3g kg/m^3; materials have %g to %g", body->name,
                 stated[1] > HEAVIEST ? stated[1] : stated[0], LIGHTEST, HEAVIEST);
        if (body->body_kind->mass > HEAVY)
            tell(it, CARDAN_FINDING_UNITS, false, "body `%s` has a mass of %.3g kg%s", body->name,
                 body->body_kind->mass, stated[1] > 0.0 ? "; are its lengths in mm?" : "");
        if (body->form->parts != 2 || !(body->body_kind->mass > 0.0) || !ellipsoid(body, &volume))
            continue;
        const double density = body->body_kind->mass / volume;
        if (density < THINNEST || density > THICKEST)
            tell(it, CARDAN_FINDING_UNITS, false,
                 "body `%s` has about %.2g kg/m^3 (its mass by the size that its inertia tells); "
                 "materials have %g to %g. Is its inertia in kg m^2 and its mass in kg?",
                 body->name, density, LIGHTEST, HEAVIEST);
    }
}

/* A hundredth of the shortest time in which something turns by a radian, as it moves or by its
 * weight. */
static void recommend_step(look *it, const double *q, const double *v)
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
    it->face.step = decade * (step >= 5.0 * decade ? 5.0 : step >= 2.0 * decade ? 2.0 : 1.0);
}

/* ---- all together ---- */

static cardan_status look_through(look *it, double t, cardan_error *error)
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
    look_at_assembly(it, assembled, assembly, &cause);
    cardan_assembly_destroy(assembly);
    look_at_redundancy(it);
    if (assembled == CARDAN_OK)
        look_for_singularity(it, t, q, v);
    look_for_unused(it);
    look_at_units(it);
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
    look *it = cd_arena_take(&arena, sizeof *it);
    if (it == NULL)
        return cd_fail(error, CARDAN_OUT_OF_MEMORY, "no memory to check a model");
    *it = (look){.face = {.smallest = NAN, .nearest = INFINITY}, .arena = arena, .model = model};
    cardan_status status = look_through(it, t, error);
    if (status == CARDAN_OK)
        *report = &it->face;
    else
        cardan_model_report_destroy(&it->face);
    return status;
}
