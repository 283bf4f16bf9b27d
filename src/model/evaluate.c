/* All parts of a model's equations at once: every body is placed once, then every body and every
 * element adds its share, reactions without the matrices B and K. */
#include "model/equations.h"
#include "model/inertia.h"

enum { SITE_DOUBLES = sizeof(cd_site) / sizeof(double) };

/* What is wanted, and what it is made of. */
typedef struct evaluation {
    const cardan_model *model;
    const cardan_point *at;
    const cd_site *site;
    double *sum; /* dynamics, forces or reaction; may be NULL */
    double *position, *hidden, *rolling;
    bool forces; /* `sum` contains g */
} evaluation;

static void place_bodies(const cardan_model *model, const cardan_point *at, cd_site *site)
{
    const int count = model->bodies + model->counters;
    for (int i = 0; i < count; i++) {
        const cd_body *body = cd_layout_body(model, i);
        cd_body_site(body, at->q + body->q, at->v + body->v, &site[i]);
    }
    cd_body_site(NULL, NULL, NULL, &site[count]);
}

static void add_bodies(const evaluation *it, bool inertia)
{
    const cardan_model *model = it->model;
    if (!it->forces) {
        cd_zero(model->layout->dof, it->sum);
        return;
    }
    for (int i = 0; i < model->bodies + model->counters; i++) {
        const cd_body *body = cd_layout_body(model, i);
        cd_inertia_balance(body, model->gravity, &it->site[i], it->at->v + body->v,
                           inertia ? it->at->vdot + body->v : NULL, it->sum + body->v);
    }
}

/* sum += J^T wrench for the bodies of an element */
static void scatter(const evaluation *it, const cd_element *element, const double *wrench)
{
    for (int b = 0; b < element->count; b++, wrench += CD_SITE) {
        const cd_body *body = cd_model_body(it->model, element->body[b]);
        if (body == NULL)
            continue;
        const cd_form *form = body->form;
        const double *R = it->site[cd_site_number(it->model, element->body[b])].R;
        double *out = it->sum + body->v, turned[CD_SITE];
        if (form == &cd_form_spatial) {
            cd_add(CD_SITE, 1.0, wrench, out);
            continue;
        }
        for (int half = 0; half < 2; half++)
            if (form->turned[half])
                cd_apply_transposed3(R, wrench + 3 * half, turned + 3 * half);
            else
                cd_copy(3, wrench + 3 * half, turned + 3 * half);
        for (int i = 0; i < form->dof; i++)
            out[i] += turned[form->pick[i]];
    }
}

/* ---- elements that give all at once ---- */

static int add_fast(const evaluation *it, const cd_element *element)
{
    const cd_layout *layout = it->model->layout;
    const int *place = layout->row_place + element->first_row;
    double phi[CD_ELEMENT_ROWS], rate[CD_ELEMENT_ROWS], lambda[CD_ELEMENT_ROWS];
    double wrench[CD_WORLD] = {0.0};
    cd_stance stance = {.t = it->at->t, .lambda = lambda};
    for (int i = 0; it->sum != NULL && i < element->rows; i++)
        lambda[i] = place[i] >= 0 ? it->at->lambda[place[i]] : 0.0;
    for (int b = 0; b < element->count; b++)
        stance.site[b] = &it->site[cd_site_number(it->model, element->body[b])];
    const cd_share share = {phi, rate, it->sum != NULL ? wrench : NULL};
    const int code = element->type->residual(element->self, &stance, &share);
    if (code != 0)
        return code;
    if (it->position != NULL)
        cd_layout_put_rows(element->rows, phi, place, it->position);
    if (it->hidden != NULL)
        cd_layout_put_rows(element->rows, rate, place, it->hidden);
    if (it->sum != NULL)
        scatter(it, element, wrench);
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

static int add_slow(const evaluation *it, const cd_element *element)
{
    const cd_element_type *type = element->type;
    double wrench[CD_WORLD] = {0.0}, force[CD_WORLD] = {0.0};
    cd_chain chain;
    int code = 0;
    if (type->constraint == NULL && type->rolling == NULL && !it->forces)
        return 0;
    cd_chain_open_at(it->model, element, it->at, it->site, &chain);
    if (type->constraint != NULL)
        code = add_constraint(it, &chain, it->sum != NULL ? wrench : NULL);
    if (code == 0 && type->rolling != NULL)
        code = add_rolling(it, &chain, it->sum != NULL ? wrench : NULL);
    if (code == 0 && it->forces && type->force != NULL)
        code = type->force(element->self, &chain.place, force);
    if (code != 0 || it->sum == NULL)
        return code;
    cd_add(chain.world, -1.0, force, wrench);
    scatter(it, element, wrench);
    return 0;
}

static bool is_fast(const cd_element_type *type)
{
    return type->residual != NULL && type->rolling == NULL && type->force == NULL;
}

static int evaluate(void *context, const cardan_point *at, const cardan_parts *out)
{
    const cardan_model *model = context;
    cd_site *site = (cd_site *)out->scratch;
    double *sums[] = {out->dynamics, out->forces, out->reaction};
    evaluation it = {.model = model,
                     .at = at,
                     .site = site,
                     .position = out->position,
                     .hidden = out->hidden,
                     .rolling = out->rolling};
    for (int i = 0; i < 3 && it.sum == NULL; i++)
        it.sum = sums[i];
    it.forces = it.sum != NULL && it.sum != out->reaction;
    place_bodies(model, at, site);
    if (it.sum != NULL)
        add_bodies(&it, it.sum == out->dynamics);
    int code = 0;
    for (int e = 0; code == 0 && e < model->elements; e++) {
        const cd_element *element = &model->element[e];
        code = is_fast(element->type) ? add_fast(&it, element) : add_slow(&it, element);
    }
    return code;
}

void cd_equations_at_once(const cardan_model *model, cardan_system_def *def)
{
    def->evaluate = evaluate;
    def->scratch = SITE_DOUBLES * (model->bodies + model->counters + 1);
}
