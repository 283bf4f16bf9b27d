/* The callback `evaluate` of a model: all equations in one pass. Each body is evaluated once, then
 * each element adds its contribution, most of them without the matrices B and K. */
#include "equations.h"
#include "model/core/inertia.h"

enum { STATE_DOUBLES = sizeof(cd_body_state) / sizeof(double) };

/* One evaluation of a piece: the outputs that are wanted (NULL: not), and what they are made of. */
typedef struct evaluation {
    const cardan_model *model;
    const cardan_point *at;
    const cd_piece *piece;
    const cd_body_state *body_state; /* by cd_body_index; of spatial bodies and ground not used */
    const double *low;               /* low words, three per body, or NULL */
    double *sum;                     /* dynamics, forces or reaction */
    double *position, *hidden, *nonholonomic;
    bool forces;                  /* `sum` contains g */
    bool inertia;                 /* `sum` contains M v' */
    cd_body_state *states_to_set; /* body_state, if it must be filled first; NULL: it need not */
} evaluation;

/* Finds the state of body b. Spatial bodies are skipped: their coordinates r, R, u and w are read
 * directly. The third low word of planar bodies belongs to the angle. */
static void set_body_state(const cardan_model *model, int b, const cardan_point *at,
                           const double *low, cd_body_state *body_state)
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

/* Where the coordinates of a body are in q and v. */
static const cd_body_coordinates *find_coordinates(const evaluation *it, int body)
{
    return &it->model->layout->coordinates[cd_body_index(it->model, body)];
}

/* The state of a body that is not spatial: r, R, u and w one after the other. */
static const double *find_state(const evaluation *it, const cd_body_coordinates *coordinates)
{
    return (const double *)&it->body_state[coordinates - it->model->layout->coordinates];
}

/* r and R of a body: in q, or in its state. */
static const double *find_pose(const evaluation *it, const cd_body_coordinates *coordinates)
{
    if (coordinates->form == &cd_form_spatial)
        return it->at->q + coordinates->q;
    return coordinates->form != NULL ? find_state(it, coordinates) : ground_pose;
}

/* u and w of a body: in v, or in its state. */
static const double *find_motion(const evaluation *it, const cd_body_coordinates *coordinates)
{
    if (coordinates->form == &cd_form_spatial)
        return it->at->v + coordinates->v;
    return coordinates->form != NULL ? find_state(it, coordinates) + 12 : ground_motion;
}

/* The low words of a body's position. */
static const double *find_low_words(const evaluation *it, const cd_body_coordinates *coordinates)
{
    if (it->low == NULL || coordinates->form == NULL)
        return no_low;
    if (coordinates->form == &cd_form_spatial)
        return it->low + 3 * (coordinates - it->model->layout->coordinates);
    return it->body_state[coordinates - it->model->layout->coordinates].low;
}

/* Writes inertia and weight of body b to `sum`, to which the elements add. */
static void write_body(const evaluation *it, int b)
{
    const cardan_model *model = it->model;
    const cardan_point *at = it->at;
    const cd_body_coordinates *coordinates = &model->layout->coordinates[b];
    const double *R = find_pose(it, coordinates) + 3, *v = at->v + coordinates->v;
    const double *vdot = it->inertia ? at->vdot + coordinates->v : NULL;
    double *out = it->sum + coordinates->v;
    if (!it->forces)
        cd_zero(coordinates->form->dof, out);
    else if (coordinates->form == &cd_form_spatial)
        cd_inertia_spatial_balance(coordinates->body_kind, model->gravity, R, v, vdot, out);
    else
        cd_inertia_balance(cd_layout_body(model, b), model->gravity, R, v, vdot, out);
}

/* Finds the states of the bodies of the piece and writes their contributions. */
static void write_bodies(const evaluation *it)
{
    for (int i = 0; i < it->piece->bodies; i++) {
        const int b = cd_piece_body(it->piece, i);
        if (it->states_to_set != NULL)
            set_body_state(it->model, b, it->at, it->low, it->states_to_set);
        if (it->sum != NULL)
            write_body(it, b);
    }
}

/* sum += J^T wrench for one body of an element */
static void add_wrench_to_body(const evaluation *it, const cd_body_coordinates *coordinates,
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
    cd_form_from_world(form, pose + 3, wrench, turned);
    for (int i = 0; i < form->dof; i++)
        out[i] += turned[form->pick[i]];
}

/* ---- elements with a residual function ---- */

/* Adds an element by its `residual` function, which needs no matrix B. */
static int add_by_residual(const evaluation *it, const cd_element *element)
{
    const int *index = it->model->layout->row_index + element->first_row;
    const cd_body_coordinates *coordinates[CD_ELEMENT_BODIES];
    double phi[CD_ELEMENT_ROWS], rate[CD_ELEMENT_ROWS], lambda[CD_ELEMENT_ROWS],
        wrench[CD_ELEMENT_COLUMNS];
    cd_residual_point point = {.t = it->at->t, .lambda = lambda};
    for (int b = 0; b < element->count; b++) {
        coordinates[b] = find_coordinates(it, element->body[b]);
        point.pose[b] = find_pose(it, coordinates[b]);
        point.motion[b] = find_motion(it, coordinates[b]);
        point.low[b] = find_low_words(it, coordinates[b]);
    }
    for (int i = 0; i < element->rows; i++) /* redundant rows carry no force */
        lambda[i] = it->sum != NULL && index[i] >= 0 ? it->at->lambda[index[i]] : 0.0;
    const cd_contribution contribution = {it->position != NULL ? phi : NULL,
                                          it->hidden != NULL ? rate : NULL,
                                          it->sum != NULL ? wrench : NULL};
    const int code = element->type->residual(element->self, &point, &contribution);
    if (code != 0)
        return code;
    if (it->position != NULL)
        cd_layout_put_rows(element->rows, phi, index, it->position);
    if (it->hidden != NULL)
        cd_layout_put_rows(element->rows, rate, index, it->hidden);
    for (int b = 0; it->sum != NULL && b < element->count; b++)
        add_wrench_to_body(it, coordinates[b], point.pose[b], wrench + CD_BODY_COLUMNS * b);
    return 0;
}

/* ---- other elements ---- */

/* Writes the values of the holonomic or nonholonomic rows of an element, and adds their wrench. */
static int add_row_values(const evaluation *it, const cd_chain_rule *chain, bool nonholonomic,
                          double *wrench)
{
    const cd_element *element = chain->element;
    const cd_row_set rows = cd_layout_rows(it->model, element, nonholonomic);
    const double *y = nonholonomic ? chain->point.psi : chain->point.lambda;
    double gradient[CD_ELEMENT_ROWS * CD_ELEMENT_COLUMNS] = {0.0}, value[CD_ELEMENT_ROWS] = {0.0};
    double rate[CD_ELEMENT_ROWS] = {0.0}, own[CD_ELEMENT_ROWS] = {0.0};
    if (rows.count == 0)
        return 0;
    int code = rows.value(element->self, &chain->point, value);
    if (code == 0 && (wrench != NULL || !nonholonomic))
        code = rows.gradient(element->self, &chain->point, gradient);
    if (code == 0 && !nonholonomic && rows.dt != NULL)
        code = rows.dt(element->self, &chain->point, own);
    if (code != 0)
        return code;
    for (int i = 0; wrench != NULL && i < rows.count; i++)
        cd_add(chain->world, y[i], gradient + i * chain->world, wrench);
    double *out = nonholonomic ? it->nonholonomic : it->position;
    if (out != NULL)
        cd_layout_put_rows(rows.count, value, rows.index, out);
    if (!nonholonomic && it->hidden != NULL) {
        cd_chain_add_rates(chain, rows.count, gradient, rate);
        cd_add(rows.count, 1.0, own, rate);
        cd_layout_put_rows(rows.count, rate, rows.index, it->hidden);
    }
    return 0;
}

/* cd_chain_set_up with the states that the evaluation has already. */
static void set_up_chain(const evaluation *it, const cd_element *element, cd_chain_rule *chain)
{
    cd_chain_set_up_without_bodies(it->model, element, it->at, chain);
    for (int b = 0; b < element->count; b++) {
        const cd_body_coordinates *coordinates = find_coordinates(it, element->body[b]);
        cd_body_state_set(&chain->body_state[b], find_pose(it, coordinates),
                          find_motion(it, coordinates), find_low_words(it, coordinates));
    }
}

/* Adds an element by its separate functions for values, gradients and forces. */
static int add_by_functions(const evaluation *it, const cd_element *element)
{
    const cd_element_type *type = element->type;
    double wrench[CD_ELEMENT_COLUMNS] = {0.0}, force[CD_ELEMENT_COLUMNS] = {0.0};
    cd_chain_rule chain;
    int code = 0;
    if (type->constraint == NULL && type->nonholonomic == NULL && !it->forces)
        return 0;
    set_up_chain(it, element, &chain);
    for (int nonholonomic = 0; code == 0 && nonholonomic < 2; nonholonomic++)
        code = add_row_values(it, &chain, nonholonomic, it->sum != NULL ? wrench : NULL);
    if (code == 0 && it->forces && type->force != NULL)
        code = type->force(element->self, &chain.point, force);
    if (code != 0 || it->sum == NULL)
        return code;
    cd_add(chain.world, -1.0, force, wrench);
    for (int b = 0; b < element->count; b++)
        add_wrench_to_body(it, find_coordinates(it, element->body[b]),
                           (const double *)&chain.body_state[b], wrench + CD_BODY_COLUMNS * b);
    return 0;
}

/* Adds element e. An element between two pieces writes its own rows in one of them only. */
static int add_element(const evaluation *it, int e)
{
    const cd_element *element = &it->model->element[e];
    const cd_element_type *type = element->type;
    const bool has_residual =
        type->residual != NULL && type->nonholonomic == NULL && type->force == NULL;
    if (cd_piece_owns_rows(it->piece, e))
        return has_residual ? add_by_residual(it, element) : add_by_functions(it, element);
    evaluation without = *it;
    without.position = without.hidden = without.nonholonomic = NULL;
    return has_residual ? add_by_residual(&without, element) : add_by_functions(&without, element);
}

/* The callback `evaluate` for one piece, or for all of the model (CD_WHOLE). */
static cd_failure evaluate_piece(void *context, const cardan_point *at, int number,
                                 const cardan_equation_values *out)
{
    const cardan_model *model = context;
    const cd_piece *piece = cd_partition_piece(&model->layout->partition, number);
    const bool index = number == CD_WHOLE &&
                       !model->layout->all_spatial; /* set_states_of_piece did it for pieces */
    double *sums[] = {out->dynamics, out->forces, out->reaction};
    evaluation it = {.model = model,
                     .at = at,
                     .piece = piece,
                     .body_state = (const cd_body_state *)out->scratch,
                     .low = out->low,
                     .position = out->position,
                     .hidden = out->hidden,
                     .nonholonomic = out->nonholonomic,
                     .states_to_set = index ? (cd_body_state *)out->scratch : NULL};
    for (int i = 0; i < 3 && it.sum == NULL; i++)
        it.sum = sums[i];
    it.forces = it.sum != NULL && it.sum != out->reaction;
    it.inertia = it.sum != NULL && it.sum == out->dynamics;
    write_bodies(&it);
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

/* The callback `prepare` of pieces: finds the states of its bodies. */
static cd_failure set_states_of_piece(void *context, const cardan_point *at, int piece,
                                      const cardan_equation_values *out)
{
    const cardan_model *model = context;
    const cd_piece *own = &model->layout->partition.piece[piece];
    for (int i = 0; i < own->bodies; i++)
        set_body_state(model, cd_piece_body(own, i), at, out->low, (cd_body_state *)out->scratch);
    return (cd_failure){0, 0};
}

void cd_equations_define_evaluate(const cardan_model *model, cardan_system_def *def)
{
    def->evaluate = evaluate;
    def->scratch =
        model->layout->all_spatial ? 0 : STATE_DOUBLES * (model->bodies + model->counters);
}

void cd_pieces_define_evaluate(const cardan_model *model, cd_pieces *pieces)
{
    pieces->count = model->layout->partition.count;
    pieces->prepare = model->layout->all_spatial ? NULL : set_states_of_piece;
    pieces->evaluate = evaluate_piece;
}
