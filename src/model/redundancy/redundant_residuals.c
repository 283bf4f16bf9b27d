/* The rows left out while a run goes on: their residuals, and what to do when one of them opens. */
#include "reduction.h"

#include "model/assembly/assembly.h"
#include "model/equations/layout.h"

#include <stdio.h>

/* Places that fit together are right to this part of the model's length, speeds to this part of the
 * largest. */
static const double FITS = 1e-6;

/* How far off a start is looked, of the model's length; what is left of rows there grows like that
 * where they come to be independent, and like its square where they only seem to. */
static const double LOOK = 1e-2;

/* ---- residuals ---- */

typedef struct tally {
    cardan_redundant_residuals *out;
    double places, rates, rolls; /* the largest, scaled */
} tally;

static void note(tally *it, const cd_element *element, const cd_redundant *which,
                 const cd_row_set *rows, const double *phi, const double *rate)
{
    cardan_redundant_residuals *out = it->out;
    for (int i = 0; i < rows->count; i++) {
        if ((which->rows >> i & 1u) == 0)
            continue;
        const double scale = (which->angles >> i & 1u) != 0 ? out->length : 1.0;
        if (!which->nonholonomic && !(fabs(phi[i]) <= out->position)) {
            out->position = fabs(phi[i]);
            out->position_joint = element->name;
            out->position_direction = rows->name[i];
        }
        if (!(fabs(rate[i]) <= out->velocity)) {
            out->velocity = fabs(rate[i]);
            out->velocity_joint = element->name;
            out->velocity_direction = rows->name[i];
        }
        if (which->nonholonomic)
            it->rolls = fmax(it->rolls, scale * fabs(rate[i]));
        else
            it->places = fmax(it->places, scale * fabs(phi[i]));
    }
}

static double largest_speed(const cardan_model *model, double length, const double *v)
{
    double largest = 0.0;
    for (int b = 0; b < model->bodies + model->counters; b++) {
        const cd_body *body = cd_layout_body(model, b);
        for (int i = 0; i < body->form->dof; i++)
            largest =
                fmax(largest, (cd_form_turns(body->form, i) ? length : 1.0) * fabs(v[body->v + i]));
    }
    return largest;
}

int cardan_model_redundant_residuals(void *model, double t, const double *q, const double *v,
                                     cardan_redundant_residuals *out)
{
    const cardan_model *it = model;
    if (it == NULL)
        return -1;
    const cd_reduction *reduction = it->reduction;
    const cardan_point at = {.t = t, .q = q, .v = v};
    tally all = {.out = out};
    int code = 0;
    *out = (cardan_redundant_residuals){.count = reduction->face.count,
                                        .length = reduction->face.length};
    for (int i = 0; code == 0 && i < reduction->redundant_count; i++) {
        const cd_redundant *which = &reduction->redundant[i];
        const cd_element *element = &it->element[which->element];
        const cd_row_set rows = cd_layout_rows(it, element, which->nonholonomic);
        double phi[CD_ELEMENT_ROWS] = {0.0}, rate[CD_ELEMENT_ROWS] = {0.0};
        cd_chain_rule chain;
        cd_chain_open(it, element, &at, true, &chain);
        code = cd_layout_residuals(&rows, which->nonholonomic, &chain, phi, rate);
        note(&all, element, which, &rows, phi, rate);
    }
    if (code != 0)
        return code;
    out->speed = largest_speed(it, out->length, v);
    out->open = fmax(all.places / (FITS * out->length),
                     out->speed > 0.0 ? all.rolls / (FITS * out->speed) : 0.0);
    return 0;
}

/* ---- where one has opened ---- */

enum { ROW_TEXT = 400 };

/* Next to a position where rows are dependent a step of closing takes half of the way. */
enum { STEPS = 40 };

typedef struct opening {
    cardan_model *model;
    cd_arena arena;
    const cardan_opening *at;
    cd_rows *rows; /* of the model, evaluated where they are wanted */
    double *q;     /* places that close */
    double *still; /* velocities: 0 */
    cardan_error *error;
} opening;

/* "`h3` (motion), which repeats `h1` and `h2`" of the row left out that is off most at q. */
static void name_row(const opening *it, double t, const double *q, char *text, size_t size)
{
    cardan_redundant_residuals off;
    const cardan_redundancy *all = &it->model->reduction->face;
    char repeats[ROW_TEXT / 2] = "";
    text[0] = '\0';
    if (cardan_model_redundant_residuals(it->model, t, q, it->still, &off) != 0 ||
        off.position_joint == NULL)
        return;
    for (int i = 0; i < all->count && repeats[0] == '\0'; i++)
        if (all->rows[i].joint >= 0 && all->rows[i].direction == off.position_direction &&
            strcmp(cardan_model_name(it->model, CARDAN_ELEMENT_JOINT, all->rows[i].joint),
                   off.position_joint) == 0)
            cd_redundancy_repeats(it->model, i, repeats, sizeof repeats);
    snprintf(text, size, "`%.80s` (%s)%s", off.position_joint, off.position_direction, repeats);
}

static int rank_at(opening *it, double t, const double *q)
{
    if (cd_rows_evaluate(it->rows, t, q, it->still) != 0)
        return -1;
    return cd_rank_of_rows(&it->arena, &it->rows->pattern, it->rows->values, NULL,
                           cd_rows_limits(it->rows, q, LOOK * LOOK));
}

/* Where velocity and acceleration lead, scaled; at rest the acceleration tells. False if nothing
 * moves. */
static bool follow_motion(const opening *it, double *move)
{
    const cd_rows *rows = it->rows;
    const cardan_model *model = it->model;
    const double speed = largest_speed(model, rows->length, it->at->v);
    const double change = largest_speed(model, rows->length, it->at->vdot);
    const double way = LOOK * rows->length;
    const double tau = 2.0 * way / (speed + sqrt(speed * speed + 2.0 * change * way));
    for (int i = 0; i < rows->dof; i++)
        move[i] = rows->scale[i] * (it->at->v[i] + 0.5 * tau * it->at->vdot[i]);
    return isfinite(tau);
}

/* Places a little off in that direction or, without `motion`, in any that the rows allow to first
 * order; false if there is none. */
static bool look_along(opening *it, bool motion)
{
    const cd_rows *rows = it->rows;
    double *move = cd_arena_doubles(&it->arena, rows->dof);
    if (move == NULL)
        return false;
    if (motion ? !follow_motion(it, move)
               : cd_rows_evaluate(it->rows, it->at->t, it->at->q, it->still) != 0 ||
                     !(cd_saddle_project(&it->arena, it->rows, move) > 1e-6))
        return false;
    const double size = cd_max_abs(rows->dof, move);
    for (int i = 0; i < rows->dof; i++)
        move[i] *= LOOK * rows->length / (size * rows->scale[i]);
    cardan_group_update(cardan_system_describe(it->model->system).group, it->at->q, move, it->q);
    return true;
}

/* Closes the places with all rows; `more`: and more of these are independent there than the system
 * has. False if they cannot be closed. */
static bool close_places(opening *it, double t, bool *more)
{
    cardan_model *model = it->model;
    cardan_error ignored;
    const bool closed = cd_model_close(model, cardan_system_describe(model->system).group, t, STEPS,
                                       it->q, &ignored) == CARDAN_OK;
    *more =
        closed && rank_at(it, t, it->q) > model->layout->constraints + model->layout->nonholonomic;
    return closed;
}

static const cardan_system *refuse_branch(const opening *it, const char *row)
{
    cd_fail(it->error, CARDAN_BIFURCATION,
            "more than one motion may go on from the position at t = %.9g: %s here, is needed next "
            "to it (joints lie in line or flat); start from another position, or go on along the "
            "velocity with `solver: {branch: keep}` (--branch keep)",
            it->at->t, row);
    return NULL;
}

static const cardan_system *refuse(const opening *it, bool closed, const char *row)
{
    if (closed)
        cd_fail(it->error, CARDAN_CONTRADICTION,
                "no motion was found that all joints allow from the position at t = %.9g: %s "
                "there, opens on the way to t = %.9g; the joints lock, or lie in line or flat: "
                "start from another position, or let one of them be elastic (bushing)",
                it->at->t, row, it->at->t_end);
    else
        cd_fail(it->error, CARDAN_CONTRADICTION,
                "joints contradict each other from t = %.9g on: %s until then, is off at t = %.9g "
                "and cannot be closed together with them; correct one of them or take it away, or "
                "start from another position if they lie in line or flat",
                it->at->t, row, it->at->t_end);
    return NULL;
}

/* More rows where places close. */
static const cardan_system *take_in(opening *it, double t)
{
    cardan_model *model = it->model;
    cardan_status status = cd_reduction_again(model, t, it->q, it->still, CD_CHOICE_NOTHING);
    if (status != CARDAN_OK)
        *it->error = model->error;
    else if (it->at->found != NULL)
        cd_copy(model->layout->q_size, it->q, it->at->found);
    return status == CARDAN_OK ? model->system : NULL;
}

/* Along the motion first, which leads to the nearest one. */
static const cardan_system *look_around(opening *it)
{
    const cardan_opening *at = it->at;
    bool more = false;
    char row[ROW_TEXT] = "";
    for (int i = 0; !more && i < 2; i++)
        if (look_along(it, i == 0)) {
            name_row(it, at->t, it->q, row, sizeof row);
            close_places(it, at->t, &more);
        }
    if (!more)
        return it->model->system;
    return at->branch == CARDAN_BRANCH_STOP ? refuse_branch(it, row) : take_in(it, at->t);
}

static const cardan_system *look_back(opening *it)
{
    const cardan_opening *at = it->at;
    bool more;
    char row[ROW_TEXT];
    cd_copy(it->model->layout->q_size, at->q_end, it->q);
    name_row(it, at->t_end, it->q, row, sizeof row);
    const bool closed = close_places(it, at->t_end, &more);
    if (!more)
        return refuse(it, closed, row);
    return at->branch == CARDAN_BRANCH_STOP ? refuse_branch(it, row) : take_in(it, at->t_end);
}

const cardan_system *cd_model_reactivate(void *model, const cardan_opening *at, cardan_error *error)
{
    cardan_model *it = model;
    if (it == NULL) {
        cd_absent(error, "model");
        return NULL;
    }
    opening work = {.model = it, .at = at, .error = error};
    const cardan_system *next = it->system;
    if (!it->layout->reduced)
        return next;
    cd_arena_init(&work.arena, &it->allocator);
    work.rows = cd_rows_create(&work.arena, it, CD_ROWS_MODEL, error);
    work.q = cd_arena_doubles(&work.arena, it->layout->q_size);
    work.still = cd_arena_doubles(&work.arena, it->layout->dof);
    if (work.rows != NULL && !work.arena.failed)
        next = at->q_end != NULL ? look_back(&work) : look_around(&work);
    if (work.arena.failed) {
        cd_fail(error, CARDAN_OUT_OF_MEMORY, "no memory to choose constraints anew");
        next = NULL;
    }
    cd_arena_destroy(&work.arena);
    return next;
}

void cardan_model_watch(cardan_model *model, cardan_integrator_def *def)
{
    if (model == NULL || def == NULL)
        return;
    def->reselect = cd_model_reselect;
    def->redundant = cardan_model_redundant_residuals;
    def->reactivate = cd_model_reactivate;
    def->redundancy_context = model;
    def->most_constraints = model->constraints;
    def->most_nonholonomic = model->nonholonomic;
}
