/* All parts of a model's equations at once: every body is opened once, that is placed and its share
 * written, and every element adds its own, reactions without the matrices B and K. */
#include "equations.h"
#include "model/core/inertia.h"

enum { SITE_DOUBLES = sizeof(cd_body_state) / sizeof(double) };

/* What is wanted, and what it is made of. */
typedef struct evaluation {
    const cardan_model *model;
    const cardan_point *at;
    const cd_piece *piece;
    const cd_body_state
        *body_state;   /* as cd_body_index counts; not there if all bodies are spatial */
    const double *low; /* three per body, or NULL */
    double *sum;       /* dynamics, forces or reaction; may be NULL */
    double *position, *hidden, *nonholonomic;
    bool forces, inertia;  /* `sum` contains g, M v' */
    cd_body_state *placed; /* bodies are to be placed here; NULL: they are, or need not be */
} evaluation;

/* Spatial bodies have r, R, u and w as coordinates: these are read where they are. Of planar ones
 * the third low word is that of the angle. */
static void place_body(const cardan_model *model, int b, const cardan_point *at, const double *low,
                       cd_body_state *body_state)
{
    const cd_form *form = model->layout->coordinates[b].form;
    if (form == &cd_form_spatial)
        return;
    const cd_body *body = cd_layout_body(model, b);
    cd_body_state_at(body, at->q + body->q, at->v + body->v, &body_state[b]);
    if (low != NULL)
        cd_copy(form == &cd_form_planar ? 2 : 3, low + 3 * b, body_state[b].low);
}

static const double ground_pose[12] = {[3] = 1.0, [7] = 1.0, [11] = 1.0};
static const double ground_motion[CD_BODY_COLUMNS] = {0.0}, no_low[3] = {0.0};

static const cd_body_coordinates *coordinates_of(const evaluation *it, int body)
{
    return &it->model->layout->coordinates[cd_body_index(it->model, body)];
}

/* r, R, u and w one after the other. */
static const double *state_of(const evaluation *it, const cd_body_coordinates *coordinates)
{
    return (const double *)&it->body_state[coordinates - it->model->layout->coordinates];
}

static const double *pose_of(const evaluation *it, const cd_body_coordinates *coordinates)
{
    if (coordinates->form == &cd_form_spatial)
        return it->at->q + coordinates->q;
    return coordinates->form != NULL ? state_of(it, coordinates) : ground_pose;
}

static const double *motion_of(const evaluation *it, const cd_body_coordinates *coordinates)
{
    if (coordinates->form == &cd_form_spatial)
        return it->at->v + coordinates->v;
    return coordinates->form != NULL ? state_of(it, coordinates) + 12 : ground_motion;
}

static const double *low_of(const evaluation *it, const cd_body_coordinates *coordinates)
{
    if (it->low == NULL || coordinates->form == NULL)
        return no_low;
    if (coordinates->form == &cd_form_spatial)
        return it->low + 3 * (coordinates - it->model->layout->coordinates);
    return it->body_state[coordinates - it->model->layout->coordinates].low;
}

/* The share of a body itself, which the elements add to. */
static void write_body(const evaluation *it, int b)
{
    const cardan_model *model = it->model;
    const cardan_point *at = it->at;
    const cd_body_coordinates *coordinates = &model->layout->coordinates[b];
    const double *R = pose_of(it, coordinates) + 3, *v = at->v + coordinates->v;
    const double *vdot = it->inertia ? at->vdot + coordinates->v : NULL;
    double *out = it->sum + coordinates->v;
    if (!it->forces)
        cd_zero(coordinates->form->dof, out);
    else if (coordinates->form == &cd_form_spatial)
        cd_inertia_spatial_balance(coordinates->body_kind, model->gravity, R, v, vdot, out);
    else
        cd_inertia_balance(cd_layout_body(model, b), model->gravity, R, v, vdot, out);
}

/* Places the bodies of the piece and writes their shares. */
static void open_bodies(const evaluation *it)
{
    for (int i = 0; i < it->piece->bodies; i++) {
        const int b = cd_piece_body(it->piece, i);
        if (it->placed != NULL)
            place_body(it->model, b, it->at, it->low, it->placed);
        if (it->sum != NULL)
            write_body(it, b);
    }
}

/* sum += J^T wrench for one body of an element */
static void scatter(const evaluation *it, const cd_body_coordinates *coordinates,
                    const double *pose, const double *wrench)
{
    const cd_form *form = coordinates->form;
    double *out = it->sum + coordinates->v, turned[CD_BODY_COLUMNS];
    if (form == NULL ||
        !cd_piece_owns(it->piece, (int)(coordinates - it->model->layout->coordinates)))
        return;
    if (form == &cd_form_spatial) {
        cd_add(CD_BODY_COLUMNS, 1.0, wrench, out);
        return;
    }
    cd_form_turn(form, pose + 3, wrench, turned);
    for (int i = 0; i < form->dof; i++)
        out[i] += turned[form->pick[i]];
}

/* ---- elements that give all at once ---- */

static int add_fast(const evaluation *it, const cd_element *element)
{
    const int *place = it->model->layout->row_place + element->first_row;
    const cd_body_coordinates *coordinates[CD_ELEMENT_BODIES];
    double phi[CD_ELEMENT_ROWS], rate[CD_ELEMENT_ROWS], lambda[CD_ELEMENT_ROWS],
        wrench[CD_ELEMENT_COLUMNS];
    cd_residual_point point = {.t = it->at->t, .lambda = lambda};
    for (int b = 0; b < element->count; b++) {
        coordinates[b] = coordinates_of(it, element->body[b]);
        point.pose[b] = pose_of(it, coordinates[b]);
        point.motion[b] = motion_of(it, coordinates[b]);
        point.low[b] = low_of(it, coordinates[b]);
    }
    for (int i = 0; i < element->rows; i++) /* rows that the system has not carry nothing */
        lambda[i] = it->sum != NULL && place[i] >= 0 ? it->at->lambda[place[i]] : 0.0;
    const cd_contribution share = {it->position != NULL ? phi : NULL,
                                   it->hidden != NULL ? rate : NULL,
                                   it->sum != NULL ? wrench : NULL};
    const int code = element->type->residual(element->self, &point, &share);
    if (code != 0)
        return code;
    if (it->position != NULL)
        cd_layout_put_rows(element->rows, phi, place, it->position);
    if (it->hidden != NULL)
        cd_layout_put_rows(element->rows, rate, place, it->hidden);
    for (int b = 0; it->sum != NULL && b < element->count; b++)
        scatter(it, coordinates[b], point.pose[b], wrench + CD_BODY_COLUMNS * b);
    return 0;
}

/* ---- others ---- */

/* The holonomic rows of an element, or its rolling ones, whose values are rates. */
static int add_rows(const evaluation *it, const cd_chain_rule *chain, bool nonholonomic,
                    double *wrench)
{
    const cd_element *element = chain->element;
    const cd_row_set rows = cd_layout_rows(it->model, element, nonholonomic);
    const double *y = nonholonomic ? chain->place.psi : chain->place.lambda;
    double gradient[CD_ELEMENT_ROWS * CD_ELEMENT_COLUMNS] = {0.0}, value[CD_ELEMENT_ROWS] = {0.0};
    double rate[CD_ELEMENT_ROWS] = {0.0}, own[CD_ELEMENT_ROWS] = {0.0};
    if (rows.count == 0)
        return 0;
    int code = rows.value(element->self, &chain->place, value);
    if (code == 0 && (wrench != NULL || !nonholonomic))
        code = rows.gradient(element->self, &chain->place, gradient);
    if (code == 0 && !nonholonomic && rows.dt != NULL)
        code = rows.dt(element->self, &chain->place, own);
    if (code != 0)
        return code;
    for (int i = 0; wrench != NULL && i < rows.count; i++)
        cd_add(chain->world, y[i], gradient + i * chain->world, wrench);
    double *out = nonholonomic ? it->nonholonomic : it->position;
    if (out != NULL)
        cd_layout_put_rows(rows.count, value, rows.place, out);
    if (!nonholonomic && it->hidden != NULL) {
        cd_chain_add_rates(chain, rows.count, gradient, rate);
        cd_add(rows.count, 1.0, own, rate);
        cd_layout_put_rows(rows.count, rate, rows.place, it->hidden);
    }
    return 0;
}

static void open_chain(const evaluation *it, const cd_element *element, cd_chain_rule *chain)
{
    cd_chain_open_bare(it->model, element, it->at, chain);
    for (int b = 0; b < element->count; b++) {
        const cd_body_coordinates *coordinates = coordinates_of(it, element->body[b]);
        cd_site_set(&chain->body_state[b], pose_of(it, coordinates), motion_of(it, coordinates),
                    low_of(it, coordinates));
    }
}

static int add_slow(const evaluation *it, const cd_element *element)
{
    const cd_element_type *type = element->type;
    double wrench[CD_ELEMENT_COLUMNS] = {0.0}, force[CD_ELEMENT_COLUMNS] = {0.0};
    cd_chain_rule chain;
    int code = 0;
    if (type->constraint == NULL && type->nonholonomic == NULL && !it->forces)
        return 0;
    open_chain(it, element, &chain);
    for (int nonholonomic = 0; code == 0 && nonholonomic < 2; nonholonomic++)
        code = add_rows(it, &chain, nonholonomic, it->sum != NULL ? wrench : NULL);
    if (code == 0 && it->forces && type->force != NULL)
        code = type->force(element->self, &chain.place, force);
    if (code != 0 || it->sum == NULL)
        return code;
    cd_add(chain.world, -1.0, force, wrench);
    for (int b = 0; b < element->count; b++)
        scatter(it, coordinates_of(it, element->body[b]), (const double *)&chain.body_state[b],
                wrench + CD_BODY_COLUMNS * b);
    return 0;
}

/* An element between two pieces writes its own rows in one of them only. */
static int add_element(const evaluation *it, int e)
{
    const cd_element *element = &it->model->element[e];
    const cd_element_type *type = element->type;
    const bool fast = type->residual != NULL && type->nonholonomic == NULL && type->force == NULL;
    if (cd_piece_owns_rows(it->piece, e))
        return fast ? add_fast(it, element) : add_slow(it, element);
    evaluation without = *it;
    without.position = without.hidden = without.nonholonomic = NULL;
    return fast ? add_fast(&without, element) : add_slow(&without, element);
}

static cd_failure evaluate_piece(void *context, const cardan_point *at, int number,
                                 const cardan_equation_values *out)
{
    const cardan_model *model = context;
    const cd_piece *piece = cd_partition_piece(&model->layout->partition, number);
    const bool place = number == CD_WHOLE && !model->layout->all_spatial; /* pieces are prepared */
    double *sums[] = {out->dynamics, out->forces, out->reaction};
    evaluation it = {.model = model,
                     .at = at,
                     .piece = piece,
                     .body_state = (const cd_body_state *)out->scratch,
                     .low = out->low,
                     .position = out->position,
                     .hidden = out->hidden,
                     .nonholonomic = out->nonholonomic,
                     .placed = place ? (cd_body_state *)out->scratch : NULL};
    for (int i = 0; i < 3 && it.sum == NULL; i++)
        it.sum = sums[i];
    it.forces = it.sum != NULL && it.sum != out->reaction;
    it.inertia = it.sum != NULL && it.sum == out->dynamics;
    open_bodies(&it);
    for (int i = 0; i < piece->elements; i++) {
        const int e = cd_piece_element(piece, i);
        const int code = add_element(&it, e);
        if (code != 0)
            return (cd_failure){code, e};
    }
    return (cd_failure){0, 0};
}

static int evaluate(void *context, const cardan_point *at, const cardan_equation_values *out)
{
    return evaluate_piece(context, at, CD_WHOLE, out).code;
}

static cd_failure prepare_piece(void *context, const cardan_point *at, int piece,
                                const cardan_equation_values *out)
{
    const cardan_model *model = context;
    const cd_piece *own = &model->layout->partition.piece[piece];
    for (int i = 0; i < own->bodies; i++)
        place_body(model, cd_piece_body(own, i), at, out->low, (cd_body_state *)out->scratch);
    return (cd_failure){0, 0};
}

void cd_equations_at_once(const cardan_model *model, cardan_system_def *def)
{
    def->evaluate = evaluate;
    def->scratch =
        model->layout->all_spatial ? 0 : SITE_DOUBLES * (model->bodies + model->counters);
}

void cd_pieces_at_once(const cardan_model *model, cd_pieces *pieces)
{
    pieces->count = model->layout->partition.count;
    pieces->prepare = model->layout->all_spatial ? NULL : prepare_piece;
    pieces->evaluate = evaluate_piece;
}
