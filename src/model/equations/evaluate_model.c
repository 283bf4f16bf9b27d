/* All parts of a model's equations at once: every body is opened once, that is placed and its share
 * written, and every element adds its own, reactions without the matrices B and K. Bodies are
 * opened when the first element comes to them, while what they read and write is near. */
#include "body_pieces.h"
#include "equations.h"
#include "model/core/inertia.h"

#include <limits.h>

enum { SITE_DOUBLES = sizeof(cd_site) / sizeof(double) };

/* What is wanted, and what it is made of. */
typedef struct evaluation {
    const cardan_model *model;
    const cardan_point *at;
    const cd_piece *piece;
    const cd_site *site; /* as cd_site_number counts; not there if all bodies are spatial */
    const double *low;   /* three per body, or NULL */
    double *sum;         /* dynamics, forces or reaction; may be NULL */
    double *position, *hidden, *rolling;
    bool forces, inertia; /* `sum` contains g, M v' */
    cd_site *placed;      /* bodies are to be placed here; NULL: they are, or need not be */
} evaluation;

/* Spatial bodies have r, R, u and w as coordinates: these are read where they are. Of planar ones
 * the third low word is that of the angle. */
static void place_body(const cardan_model *model, int b, const cardan_point *at, const double *low,
                       cd_site *site)
{
    const cd_form *form = model->layout->seat[b].form;
    if (form == &cd_form_spatial)
        return;
    const cd_body *body = cd_layout_body(model, b);
    cd_body_site(body, at->q + body->q, at->v + body->v, &site[b]);
    if (low != NULL)
        cd_copy(form == &cd_form_planar ? 2 : 3, low + 3 * b, site[b].low);
}

static const double ground_pose[12] = {[3] = 1.0, [7] = 1.0, [11] = 1.0};
static const double ground_motion[CD_SITE] = {0.0}, no_low[3] = {0.0};

static const cd_seat *seat_of(const evaluation *it, int body)
{
    return &it->model->layout->seat[cd_site_number(it->model, body)];
}

/* r, R, u and w one after the other. */
static const double *site_of(const evaluation *it, const cd_seat *seat)
{
    return (const double *)&it->site[seat - it->model->layout->seat];
}

static const double *pose_of(const evaluation *it, const cd_seat *seat)
{
    if (seat->form == &cd_form_spatial)
        return it->at->q + seat->q;
    return seat->form != NULL ? site_of(it, seat) : ground_pose;
}

static const double *motion_of(const evaluation *it, const cd_seat *seat)
{
    if (seat->form == &cd_form_spatial)
        return it->at->v + seat->v;
    return seat->form != NULL ? site_of(it, seat) + 12 : ground_motion;
}

static const double *low_of(const evaluation *it, const cd_seat *seat)
{
    if (it->low == NULL || seat->form == NULL)
        return no_low;
    if (seat->form == &cd_form_spatial)
        return it->low + 3 * (seat - it->model->layout->seat);
    return it->site[seat - it->model->layout->seat].low;
}

/* The share of a body itself, which the elements add to. */
static void write_body(const evaluation *it, int b)
{
    const cardan_model *model = it->model;
    const cardan_point *at = it->at;
    const cd_seat *seat = &model->layout->seat[b];
    const double *R = pose_of(it, seat) + 3, *v = at->v + seat->v;
    const double *vdot = it->inertia ? at->vdot + seat->v : NULL;
    double *out = it->sum + seat->v;
    if (!it->forces)
        cd_zero(seat->form->dof, out);
    else if (seat->form == &cd_form_spatial)
        cd_inertia_spatial_balance(seat->matter, model->gravity, R, v, vdot, out);
    else
        cd_inertia_balance(cd_layout_body(model, b), model->gravity, R, v, vdot, out);
}

/* Bodies of the piece up to number `last`, of which some have been opened: how many then have. */
static int open_bodies(const evaluation *it, int opened, int last)
{
    for (; opened < it->piece->bodies && cd_piece_body(it->piece, opened) <= last; opened++) {
        const int b = cd_piece_body(it->piece, opened);
        if (it->placed != NULL)
            place_body(it->model, b, it->at, it->low, it->placed);
        if (it->sum != NULL)
            write_body(it, b);
    }
    return opened;
}

/* The last of an element's bodies; -1: there are none. */
static int last_body(const evaluation *it, const cd_element *element)
{
    const int ground = it->model->bodies + it->model->counters;
    int last = -1;
    for (int b = 0; b < element->count; b++) {
        const int site = cd_site_number(it->model, element->body[b]);
        if (site > last && site < ground)
            last = site;
    }
    return last;
}

/* sum += J^T wrench for one body of an element */
static void scatter(const evaluation *it, const cd_seat *seat, const double *pose,
                    const double *wrench)
{
    const cd_form *form = seat->form;
    double *out = it->sum + seat->v, turned[CD_SITE];
    if (form == NULL || !cd_piece_owns(it->piece, (int)(seat - it->model->layout->seat)))
        return;
    if (form == &cd_form_spatial) {
        cd_add(CD_SITE, 1.0, wrench, out);
        return;
    }
    for (int half = 0; half < 2; half++)
        if (form->turned[half])
            cd_apply_transposed3(pose + 3, wrench + 3 * half, turned + 3 * half);
        else
            cd_copy(3, wrench + 3 * half, turned + 3 * half);
    for (int i = 0; i < form->dof; i++)
        out[i] += turned[form->pick[i]];
}

/* ---- elements that give all at once ---- */

/* Rows that the system has not, or has elsewhere. */
static int evaluate_reduced(const evaluation *it, const cd_element *element, cd_stance *stance,
                            double *wrench)
{
    const int *place = it->model->layout->row_place + element->first_row;
    double phi[CD_ELEMENT_ROWS], rate[CD_ELEMENT_ROWS], lambda[CD_ELEMENT_ROWS];
    for (int i = 0; i < element->rows; i++)
        lambda[i] = wrench != NULL && place[i] >= 0 ? it->at->lambda[place[i]] : 0.0;
    stance->lambda = lambda;
    const cd_share share = {phi, rate, wrench};
    const int code = element->type->residual(element->self, stance, &share);
    if (code == 0 && it->position != NULL)
        cd_layout_put_rows(element->rows, phi, place, it->position);
    if (code == 0 && it->hidden != NULL)
        cd_layout_put_rows(element->rows, rate, place, it->hidden);
    return code;
}

static int evaluate_whole(const evaluation *it, const cd_element *element, cd_stance *stance,
                          double *wrench)
{
    const int first = element->first_row;
    const cd_share share = {it->position != NULL ? it->position + first : NULL,
                            it->hidden != NULL ? it->hidden + first : NULL, wrench};
    stance->lambda = it->at->lambda + first;
    return element->type->residual(element->self, stance, &share);
}

static int add_fast(const evaluation *it, const cd_element *element)
{
    const cd_seat *seat[CD_ELEMENT_BODIES];
    double room[CD_WORLD], *wrench = it->sum != NULL ? room : NULL;
    cd_stance stance;
    stance.t = it->at->t;
    for (int b = 0; b < element->count; b++) {
        seat[b] = seat_of(it, element->body[b]);
        stance.pose[b] = pose_of(it, seat[b]);
        stance.motion[b] = motion_of(it, seat[b]);
        stance.low[b] = low_of(it, seat[b]);
    }
    const int code = it->model->layout->reduced ? evaluate_reduced(it, element, &stance, wrench)
                                                : evaluate_whole(it, element, &stance, wrench);
    if (code != 0 || wrench == NULL)
        return code;
    for (int b = 0; b < element->count; b++)
        scatter(it, seat[b], stance.pose[b], wrench + CD_SITE * b);
    return 0;
}

/* ---- others ---- */

/* value = A w, wrench += A^T y for a world matrix A (rows x 6c) */
static void multiply(const cd_chain *chain, int rows, const double *A, const double *y,
                     double *wrench, double *value)
{
    for (int i = 0; i < rows; i++) {
        const double *row = A + i * chain->world;
        value[i] = 0.0;
        for (int b = 0; b < chain->element->count; b++)
            value[i] += cd_dot3(row + CD_SITE * b, chain->site[b].u) +
                        cd_dot3(row + CD_SITE * b + 3, chain->site[b].w);
        if (wrench != NULL)
            cd_add(chain->world, y[i], row, wrench);
    }
}

static int add_constraint(const evaluation *it, const cd_chain *chain, double *wrench)
{
    const cd_element *element = chain->element;
    const cd_element_type *type = element->type;
    const int *place = it->model->layout->row_place + element->first_row;
    double B[CD_ELEMENT_ROWS * CD_WORLD] = {0.0}, value[CD_ELEMENT_ROWS] = {0.0};
    double rate[CD_ELEMENT_ROWS], own[CD_ELEMENT_ROWS] = {0.0};
    int code = type->constraint(element->self, &chain->place, value);
    if (code == 0)
        code = type->constraint_dx(element->self, &chain->place, B);
    if (code == 0 && type->constraint_dt != NULL)
        code = type->constraint_dt(element->self, &chain->place, own);
    if (code != 0)
        return code;
    multiply(chain, element->rows, B, chain->place.lambda, wrench, rate);
    cd_add(element->rows, 1.0, own, rate);
    if (it->position != NULL)
        cd_layout_put_rows(element->rows, value, place, it->position);
    if (it->hidden != NULL)
        cd_layout_put_rows(element->rows, rate, place, it->hidden);
    return 0;
}

static int add_rolling(const evaluation *it, const cd_chain *chain, double *wrench)
{
    const cd_element *element = chain->element;
    const int *place = it->model->layout->rolling_place + element->first_rolling;
    double K[CD_ELEMENT_ROWS * CD_WORLD] = {0.0}, value[CD_ELEMENT_ROWS] = {0.0};
    double rate[CD_ELEMENT_ROWS];
    int code = element->type->rolling(element->self, &chain->place, value);
    if (code == 0 && wrench != NULL)
        code = element->type->rolling_dw(element->self, &chain->place, K);
    if (code != 0)
        return code;
    if (wrench != NULL)
        multiply(chain, element->rolling, K, chain->place.psi, wrench, rate);
    if (it->rolling != NULL)
        cd_layout_put_rows(element->rolling, value, place, it->rolling);
    return 0;
}

static void open_chain(const evaluation *it, const cd_element *element, cd_chain *chain)
{
    cd_chain_open_bare(it->model, element, it->at, chain);
    for (int b = 0; b < element->count; b++) {
        const cd_seat *seat = seat_of(it, element->body[b]);
        const double *pose = pose_of(it, seat), *motion = motion_of(it, seat);
        cd_copy(3, pose, chain->site[b].r);
        cd_copy(9, pose + 3, chain->site[b].R);
        cd_copy(3, motion, chain->site[b].u);
        cd_copy(3, motion + 3, chain->site[b].w);
        cd_copy(3, low_of(it, seat), chain->site[b].low);
    }
}

static int add_slow(const evaluation *it, const cd_element *element)
{
    const cd_element_type *type = element->type;
    double wrench[CD_WORLD] = {0.0}, force[CD_WORLD] = {0.0};
    cd_chain chain;
    int code = 0;
    if (type->constraint == NULL && type->rolling == NULL && !it->forces)
        return 0;
    open_chain(it, element, &chain);
    if (type->constraint != NULL)
        code = add_constraint(it, &chain, it->sum != NULL ? wrench : NULL);
    if (code == 0 && type->rolling != NULL)
        code = add_rolling(it, &chain, it->sum != NULL ? wrench : NULL);
    if (code == 0 && it->forces && type->force != NULL)
        code = type->force(element->self, &chain.place, force);
    if (code != 0 || it->sum == NULL)
        return code;
    cd_add(chain.world, -1.0, force, wrench);
    for (int b = 0; b < element->count; b++)
        scatter(it, seat_of(it, element->body[b]), (const double *)&chain.site[b],
                wrench + CD_SITE * b);
    return 0;
}

static bool is_fast(const cd_element_type *type)
{
    return type->residual != NULL && type->rolling == NULL && type->force == NULL;
}

/* An element between two pieces writes its own rows in one of them only. */
static int add_element(const evaluation *it, int e)
{
    const cd_element *element = &it->model->element[e];
    const bool fast = is_fast(element->type);
    if (cd_piece_owns_rows(it->piece, e))
        return fast ? add_fast(it, element) : add_slow(it, element);
    evaluation without = *it;
    without.position = without.hidden = without.rolling = NULL;
    return fast ? add_fast(&without, element) : add_slow(&without, element);
}

static cd_failure evaluate_piece_at(const cardan_model *model, const cd_piece *piece, bool place,
                                    const cardan_point *at, const cardan_parts *out)
{
    double *sums[] = {out->dynamics, out->forces, out->reaction};
    evaluation it = {.model = model,
                     .at = at,
                     .piece = piece,
                     .site = (const cd_site *)out->scratch,
                     .low = out->low,
                     .position = out->position,
                     .hidden = out->hidden,
                     .rolling = out->rolling,
                     .placed = place ? (cd_site *)out->scratch : NULL};
    int opened = 0;
    for (int i = 0; i < 3 && it.sum == NULL; i++)
        it.sum = sums[i];
    it.forces = it.sum != NULL && it.sum != out->reaction;
    it.inertia = it.sum != NULL && it.sum == out->dynamics;
    for (int i = 0; i < piece->elements; i++) {
        const int e = cd_piece_element(piece, i);
        opened = open_bodies(&it, opened, last_body(&it, &model->element[e]));
        const int code = add_element(&it, e);
        if (code != 0)
            return (cd_failure){code, e};
    }
    open_bodies(&it, opened, INT_MAX);
    return (cd_failure){0, 0};
}

static int evaluate(void *context, const cardan_point *at, const cardan_parts *out)
{
    const cardan_model *model = context;
    const cd_layout *layout = model->layout;
    return evaluate_piece_at(model, &layout->partition.whole, !layout->all_spatial, at, out).code;
}

static cd_failure prepare_piece(void *context, const cardan_point *at, int piece,
                                const cardan_parts *out)
{
    const cardan_model *model = context;
    const cd_piece *own = &model->layout->partition.piece[piece];
    for (int i = 0; i < own->bodies; i++)
        place_body(model, cd_piece_body(own, i), at, out->low, (cd_site *)out->scratch);
    return (cd_failure){0, 0};
}

static cd_failure evaluate_piece(void *context, const cardan_point *at, int piece,
                                 const cardan_parts *out)
{
    const cardan_model *model = context;
    return evaluate_piece_at(model, &model->layout->partition.piece[piece], false, at, out);
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
