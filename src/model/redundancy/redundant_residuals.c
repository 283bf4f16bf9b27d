/* Redundant rows during a run: their residuals, and reactivation when one of them is violated. */
#include "reduction.h"

#include "model/assembly/assembly.h"
#include "model/equations/layout.h"

#include <stdio.h>

/* The largest residual of a row over the model's length (nonholonomic: the largest speed). */
static const double FITS = 1e-6;

/* How far independent rows are searched, over the model's length. Elimination leaves about this of
 * a row that becomes independent, and the square of it of a row that only seems so. */
static const double SEARCH_DISTANCE = 1e-2;

/* The largest residuals: for the user, and scaled by the model's length. */
typedef struct largest_residuals {
    cardan_redundant_residuals *out;
    double positions, nonholonomic;
} largest_residuals;

/* Raises the largest residuals to those of the redundant rows of one element. */
static void record_residuals(largest_residuals *it, const cd_element *element,
                             const cd_redundant *which, const cd_row_set *rows, const double *phi,
                             const double *rate)
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
            it->nonholonomic = fmax(it->nonholonomic, scale * fabs(rate[i]));
        else
            it->positions = fmax(it->positions, scale * fabs(phi[i]));
    }
}

/* The largest velocity, with rotations times the length. */
static double largest_speed(const cardan_model *model, double length, const double *v)
{
    double largest = 0.0;
    for (int b = 0; b < model->bodies + model->counters; b++) {
        const cd_body *body = cd_layout_body(model, b);
        for (int i = 0; i < body->form->dof; i++)
            largest = fmax(largest, (cd_form_is_rotation(body->form, i) ? length : 1.0) *
                                        fabs(v[body->v + i]));
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
    largest_residuals all = {.out = out};
    int code = 0;
    *out = (cardan_redundant_residuals){.count = reduction->report.count,
                                        .length = reduction->report.length};
    for (int i = 0; code == 0 && i < reduction->redundant_count; i++) {
        const cd_redundant *which = &reduction->redundant[i];
        const cd_element *element = &it->element[which->element];
        const cd_row_set rows = cd_layout_rows(it, element, which->nonholonomic);
        double phi[CD_ELEMENT_ROWS] = {0.0}, rate[CD_ELEMENT_ROWS] = {0.0};
        cd_chain_rule chain;
        cd_chain_set_up(it, element, &at, true, &chain);
        code = cd_layout_residuals(&rows, which->nonholonomic, &chain, phi, rate);
        record_residuals(&all, element, which, &rows, phi, rate);
    }
    if (code != 0)
        return code;
    out->speed = largest_speed(it, out->length, v);
    out->open = fmax(all.positions / (FITS * out->length),
                     out->speed > 0.0 ? all.nonholonomic / (FITS * out->speed) : 0.0);
    return 0;
}

enum { ROW_TEXT = 400 };

/* Most Newton steps for closing: next to a singular configuration each only halves the error. */
enum { CLOSING_STEPS = 40 };

/* A search for a configuration where more rows are independent. */
typedef struct search {
    cardan_model *model;
    cd_arena arena;
    const cardan_opening *opening;
    cd_rows *rows; /* all rows of the model */
    double *q;     /* the configuration that is tried */
    double *still; /* velocities 0 */
    cardan_error *error;
} search;

/* Writes "`h3` (motion), which repeats `h1`" for the redundant row with the largest residual. */
static void describe_worst_row(const search *it, double t, const double *q, char *text, size_t size)
{
    cardan_redundant_residuals residuals;
    const cardan_redundancy *all = &it->model->reduction->report;
    char repeats[ROW_TEXT / 2] = "";
    text[0] = '\0';
    if (cardan_model_redundant_residuals(it->model, t, q, it->still, &residuals) != 0 ||
        residuals.position_joint == NULL)
        return;
    for (int i = 0; i < all->count && repeats[0] == '\0'; i++)
        if (all->rows[i].joint >= 0 && all->rows[i].direction == residuals.position_direction &&
            strcmp(cardan_model_name(it->model, CARDAN_ELEMENT_JOINT, all->rows[i].joint),
                   residuals.position_joint) == 0)
            cd_redundancy_write_repeated(it->model, i, repeats, sizeof repeats);
    snprintf(text, size, "`%.80s` (%s)%s", residuals.position_joint, residuals.position_direction,
             repeats);
}

/* The rank of all rows at q; -1 if it cannot be found. */
static int find_rank(search *it, double t, const double *q)
{
    if (cd_rows_evaluate(it->rows, t, q, it->still) != 0)
        return -1;
    return cd_rank_of_rows(&it->arena, &it->rows->pattern, it->rows->values, NULL,
                           cd_rows_rank_limits(it->rows, q, SEARCH_DISTANCE * SEARCH_DISTANCE));
}

/* Finds the scaled displacement by velocity and acceleration over the search distance, if any. */
static bool find_motion(const search *it, double *move)
{
    const cd_rows *rows = it->rows;
    const cardan_model *model = it->model;
    const double speed = largest_speed(model, rows->length, it->opening->v);
    const double acceleration = largest_speed(model, rows->length, it->opening->vdot);
    const double distance = SEARCH_DISTANCE * rows->length;
    const double tau =
        2.0 * distance / (speed + sqrt(speed * speed + 2.0 * acceleration * distance));
    for (int i = 0; i < rows->dof; i++)
        move[i] = rows->scale[i] * (it->opening->v[i] + 0.5 * tau * it->opening->vdot[i]);
    return isfinite(tau);
}

/* Moves q by the search distance, along the motion or (without `motion`) in an arbitrary direction
 * that the rows allow to first order. False if there is none. */
static bool move_off(search *it, bool motion)
{
    const cd_rows *rows = it->rows;
    double *move = cd_arena_doubles(&it->arena, rows->dof);
    if (move == NULL)
        return false;
    if (motion ? !find_motion(it, move)
               : cd_rows_evaluate(it->rows, it->opening->t, it->opening->q, it->still) != 0 ||
                     !(cd_saddle_project(&it->arena, it->rows, move) > 1e-6))
        return false;
    const double size = cd_max_abs(rows->dof, move);
    for (int i = 0; i < rows->dof; i++)
        move[i] *= SEARCH_DISTANCE * rows->length / (size * rows->scale[i]);
    cardan_group_update(cardan_system_describe(it->model->system).group, it->opening->q, move,
                        it->q);
    return true;
}

/* Closes q with all rows; `more_rows`: more of them are independent there than the system has. */
static bool close_configuration(search *it, double t, bool *more_rows)
{
    cardan_model *model = it->model;
    cardan_error ignored;
    const bool closed =
        cd_model_close_configuration(model, cardan_system_describe(model->system).group, t,
                                     CLOSING_STEPS, it->q, &ignored) == CARDAN_OK;
    *more_rows = closed &&
                 find_rank(it, t, it->q) > model->layout->constraints + model->layout->nonholonomic;
    return closed;
}

/* Ends the run with a message: the motion is not unique. */
static const cardan_system *fail_bifurcation(const search *it, const char *row)
{
    cd_fail(it->error, CARDAN_BIFURCATION,
            "more than one motion may go on from the position at t = %.9g: %s here, is needed next "
            "to it (joints lie in line or flat); start from another position, or go on along the "
            "velocity with `solver: {branch: keep}` (--branch keep)",
            it->opening->t, row);
    return NULL;
}

/* Ends the run with a message: no motion satisfies all joints. */
static const cardan_system *fail_contradiction(const search *it, bool closed, const char *row)
{
    if (closed)
        cd_fail(it->error, CARDAN_CONTRADICTION,
                "no motion was found that all joints allow from the position at t = %.9g: %s "
                "there, opens on the way to t = %.9g; the joints lock, or lie in line or flat: "
                "start from another position, or let one of them be elastic (bushing)",
                it->opening->t, row, it->opening->t_end);
    else
        cd_fail(it->error, CARDAN_CONTRADICTION,
                "joints contradict each other from t = %.9g on: %s until then, is off at t = %.9g "
                "and cannot be closed together with them; correct one of them or take it away, or "
                "start from another position if they lie in line or flat",
                it->opening->t, row, it->opening->t_end);
    return NULL;
}

/* Takes the independent rows at q of the search into the system, and returns it. */
static const cardan_system *accept_rows(search *it, double t)
{
    cardan_model *model = it->model;
    cardan_status status = cd_reduction_make_at(model, t, it->q, it->still, CD_SELECTION_NOTHING);
    if (status != CARDAN_OK)
        *it->error = model->error;
    else if (it->opening->found != NULL)
        cd_copy(model->layout->q_size, it->q, it->opening->found);
    return status == CARDAN_OK ? model->system : NULL;
}

/* At a start: searches nearby for more independent rows, first along the motion. */
static const cardan_system *search_near_start(search *it)
{
    const cardan_opening *opening = it->opening;
    bool more_rows = false;
    char row[ROW_TEXT] = "";
    for (int i = 0; !more_rows && i < 2; i++)
        if (move_off(it, i == 0)) {
            describe_worst_row(it, opening->t, it->q, row, sizeof row);
            close_configuration(it, opening->t, &more_rows);
        }
    if (!more_rows)
        return it->model->system;
    return opening->branch == CARDAN_BRANCH_STOP ? fail_bifurcation(it, row)
                                                 : accept_rows(it, opening->t);
}

/* After a violation: closes the end of the step and searches more independent rows there. */
static const cardan_system *search_step_end(search *it)
{
    const cardan_opening *opening = it->opening;
    bool more_rows;
    char row[ROW_TEXT];
    cd_copy(it->model->layout->q_size, opening->q_end, it->q);
    describe_worst_row(it, opening->t_end, it->q, row, sizeof row);
    const bool closed = close_configuration(it, opening->t_end, &more_rows);
    if (!more_rows)
        return fail_contradiction(it, closed, row);
    return opening->branch == CARDAN_BRANCH_STOP ? fail_bifurcation(it, row)
                                                 : accept_rows(it, opening->t_end);
}

const cardan_system *cd_model_reactivate(void *model, const cardan_opening *opening,
                                         cardan_error *error)
{
    cardan_model *it = model;
    if (it == NULL) {
        cd_absent(error, "model");
        return NULL;
    }
    search work = {.model = it, .opening = opening, .error = error};
    const cardan_system *next = it->system;
    if (!it->layout->reduced)
        return next;
    cd_arena_init(&work.arena, &it->allocator);
    work.rows = cd_rows_create(&work.arena, it, CD_ROWS_MODEL, error);
    work.q = cd_arena_doubles(&work.arena, it->layout->q_size);
    work.still = cd_arena_doubles(&work.arena, it->layout->dof);
    if (work.rows != NULL && !work.arena.failed)
        next = opening->q_end != NULL ? search_step_end(&work) : search_near_start(&work);
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
