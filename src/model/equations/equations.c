/* Mass, forces and potential of a model: bodies and force elements added up. */
#include "equations.h"

#include "chain.h"
#include "model/core/inertia.h"

#include <string.h>

static const cd_body *site_of(const cardan_model *model, int i, const cardan_point *at,
                              cd_site *site)
{
    const cd_body *body = cd_layout_body(model, i);
    cd_body_site(body, at->q + body->q, NULL, site);
    return body;
}

static void add_mass(const cardan_model *model, const cd_piece *piece, const cardan_point *at,
                     double *out)
{
    cd_site site;
    for (int n = 0; n < piece->bodies; n++) {
        const int i = cd_piece_body(piece, n);
        const cd_body *body = site_of(model, i, at, &site);
        cd_inertia_mass(body, &site, out + model->layout->mass_start[i]);
    }
}

static int mass(void *context, const cardan_point *at, double *out)
{
    const cardan_model *model = context;
    add_mass(model, &model->layout->partition.whole, at, out);
    return 0;
}

static cd_failure mass_piece(void *context, const cardan_point *at, int piece, double *out)
{
    const cardan_model *model = context;
    add_mass(model, &model->layout->partition.piece[piece], at, out);
    return (cd_failure){0, 0};
}

static int inertia_dq(void *context, const cardan_point *at, double *out)
{
    const cardan_model *model = context;
    const cd_layout *layout = model->layout;
    cd_site site;
    for (int i = 0; i < model->bodies; i++) {
        double local[36] = {0.0};
        const cd_body *body = site_of(model, i, at, &site);
        if (body->form->constant_mass)
            continue;
        cd_inertia_mass_dq(body, &site, at->vdot + body->v, local);
        cd_layout_add_square(&layout->inertia_dq, &layout->body[i], layout->body[i].to->inertia_dq,
                             1.0, local, out);
    }
    return 0;
}

/* ---- vectors of local coordinates ---- */

/* out += sign * local, body after body */
static void scatter(const cardan_model *model, const cd_chain *chain, double sign,
                    const double *local, double *out)
{
    for (int b = 0; b < chain->element->count; b++)
        if (chain->form[b] != NULL)
            cd_add(chain->form[b]->dof, sign, local + chain->start[b],
                   out + cd_model_body(model, chain->element->body[b])->v);
}

/* out -= J^T f */
static void scatter_wrench(const cardan_model *model, const cd_chain *chain, const double *f,
                           double *out)
{
    double local[CD_WORLD] = {0.0};
    cd_chain_rows(chain, 1, f, local);
    scatter(model, chain, -1.0, local, out);
}

/* ---- forces ---- */

static int force(void *context, const cardan_point *at, double *out)
{
    const cardan_model *model = context;
    cd_site site;
    for (int i = 0; i < model->bodies; i++) {
        const cd_body *body = site_of(model, i, at, &site);
        cd_inertia_force(body, model->gravity, &site, at->v + body->v, out + body->v);
    }
    for (int e = 0; e < model->elements; e++) {
        const cd_element *element = &model->element[e];
        if (element->type->force == NULL)
            continue;
        cd_chain chain;
        double f[CD_WORLD] = {0.0};
        cd_chain_open(model, element, at, true, &chain);
        const int code = element->type->force(element->self, &chain.place, f);
        if (code != 0)
            return code;
        scatter_wrench(model, &chain, f, out);
    }
    return 0;
}

int cd_element_force_dq(const cd_chain *chain, double *local)
{
    const cd_element *element = chain->element;
    double f[CD_WORLD] = {0.0}, by_x[CD_WORLD * CD_WORLD], by_w[CD_WORLD * CD_WORLD];
    double half[CD_WORLD * CD_WORLD];
    const int world = chain->world;
    if (chain->plain && element->type->force_dx != NULL) {
        cd_zero(world * world, local);
        return element->type->force_dx(element->self, &chain->place, local);
    }
    cd_zero(world * world, by_x);
    cd_zero(world * world, by_w);
    cd_zero(world * chain->n, half);
    cd_zero(chain->n * chain->n, local);
    int code = element->type->force(element->self, &chain->place, f);
    if (code == 0 && element->type->force_dx != NULL)
        code = element->type->force_dx(element->self, &chain->place, by_x);
    if (code == 0 && element->type->force_dw != NULL)
        code = element->type->force_dw(element->self, &chain->place, by_w);
    if (code != 0)
        return code;
    cd_chain_columns(chain, world, by_x, half);
    cd_chain_velocity_dq(chain, world, by_w, half);
    cd_chain_rows(chain, chain->n, half, local);
    cd_chain_wrench_dq(chain, f, local);
    return 0;
}

static int force_dq(void *context, const cardan_point *at, double *out)
{
    const cardan_model *model = context;
    const cd_layout *layout = model->layout;
    cd_site site;
    for (int i = 0; i < model->bodies; i++) {
        double local[36] = {0.0};
        const cd_body *body = site_of(model, i, at, &site);
        if (layout->body[i].to->force_dq == NULL)
            continue;
        cd_inertia_force_dq(body, model->gravity, &site, at->v + body->v, local);
        cd_layout_add_square(&layout->force_dq, &layout->body[i], layout->body[i].to->force_dq, 1.0,
                             local, out);
    }
    for (int e = 0; e < model->elements; e++) {
        cd_chain chain;
        double local[CD_WORLD * CD_WORLD];
        if (model->element[e].type->force == NULL)
            continue;
        cd_chain_open(model, &model->element[e], at, true, &chain);
        const int code = cd_element_force_dq(&chain, local);
        if (code != 0)
            return code;
        cd_layout_add_square(&layout->force_dq, &layout->element[e],
                             layout->element[e].to->force_dq, -1.0, local, out);
    }
    return 0;
}

int cd_element_force_dv(const cd_chain *chain, double *local)
{
    const cd_element *element = chain->element;
    double by_w[CD_WORLD * CD_WORLD], half[CD_WORLD * CD_WORLD];
    cd_zero(chain->world * chain->world, by_w);
    cd_zero(chain->world * chain->n, half);
    cd_zero(chain->n * chain->n, local);
    const int code = element->type->force_dw(element->self, &chain->place, by_w);
    if (code != 0)
        return code;
    cd_chain_columns(chain, chain->world, by_w, half);
    cd_chain_rows(chain, chain->n, half, local);
    return 0;
}

static void bodies_force_dv(const cardan_model *model, const cd_piece *piece,
                            const cardan_point *at, double *out)
{
    const cd_layout *layout = model->layout;
    cd_site site;
    for (int n = 0; n < piece->bodies; n++) {
        const int i = cd_piece_body(piece, n);
        double local[36] = {0.0};
        if (i >= model->bodies || layout->body[i].to->force_dv == NULL)
            continue;
        const cd_body *body = site_of(model, i, at, &site);
        cd_inertia_force_dv(body, &site, at->v + body->v, local);
        cd_layout_add_square(&layout->force_dv, &layout->body[i], layout->body[i].to->force_dv, 1.0,
                             local, out);
    }
}

static cd_failure add_force_dv(const cardan_model *model, const cd_piece *piece,
                               const cardan_point *at, double *out)
{
    const cd_layout *layout = model->layout;
    bodies_force_dv(model, piece, at, out);
    for (int i = 0; i < piece->elements; i++) {
        const int e = cd_piece_element(piece, i);
        const cd_element *element = &model->element[e];
        cd_chain chain;
        double local[CD_WORLD * CD_WORLD];
        if (element->type->force_dw == NULL)
            continue;
        cd_chain_open(model, element, at, true, &chain);
        const int code = cd_element_force_dv(&chain, local);
        if (code != 0)
            return (cd_failure){code, e};
        cd_layout_add_square_parts(&layout->force_dv, &layout->element[e],
                                   cd_piece_parts(model, piece, element),
                                   layout->element[e].to->force_dv, -1.0, local, out);
    }
    return (cd_failure){0, 0};
}

static int force_dv(void *context, const cardan_point *at, double *out)
{
    const cardan_model *model = context;
    return add_force_dv(model, &model->layout->partition.whole, at, out).code;
}

static cd_failure force_dv_piece(void *context, const cardan_point *at, int piece, double *out)
{
    const cardan_model *model = context;
    return add_force_dv(model, &model->layout->partition.piece[piece], at, out);
}

/* ---- forces that read multipliers ---- */

typedef int by_multipliers(const void *self, const cd_place *at, double *out);

/* Leaves out the columns of multipliers that the system has not; returns how many are left. */
static int keep_columns(int rows, int columns, const int *place, double *local)
{
    int kept = 0;
    double *out = local;
    for (int c = 0; c < columns; c++)
        kept += place[c] >= 0;
    for (int i = 0; i < rows; i++)
        for (int c = 0; c < columns; c++)
            if (place[c] >= 0)
                *out++ = local[i * columns + c];
    return kept;
}

static int add_by_multipliers(const cardan_model *model, int e, const cardan_point *at,
                              by_multipliers *function, int columns, const int *place,
                              const cd_grid *grid, const int *offset, double *out)
{
    cd_chain chain;
    double world[CD_WORLD * CD_ELEMENT_ROWS] = {0.0}, local[CD_WORLD * CD_ELEMENT_ROWS] = {0.0};
    cd_chain_open(model, &model->element[e], at, true, &chain);
    const int code = function(model->element[e].self, &chain.place, world);
    if (code != 0)
        return code;
    cd_chain_rows(&chain, columns, world, local);
    const int kept = keep_columns(chain.n, columns, place, local);
    if (kept > 0)
        cd_layout_add_columns(grid, &model->layout->element[e], offset, kept, -1.0, local, out);
    return 0;
}

static int force_dlambda(void *context, const cardan_point *at, double *out)
{
    const cardan_model *model = context;
    const cd_layout *layout = model->layout;
    int code = 0;
    for (int e = 0; code == 0 && e < model->elements; e++) {
        const cd_element *element = &model->element[e];
        if (layout->element[e].to->force_dlambda != NULL)
            code =
                add_by_multipliers(model, e, at, element->type->force_dlambda, element->rows,
                                   layout->row_place + element->first_row, &layout->force_dlambda,
                                   layout->element[e].to->force_dlambda, out);
    }
    return code;
}

static int force_dpsi(void *context, const cardan_point *at, double *out)
{
    const cardan_model *model = context;
    const cd_layout *layout = model->layout;
    int code = 0;
    for (int e = 0; code == 0 && e < model->elements; e++) {
        const cd_element *element = &model->element[e];
        if (layout->element[e].to->force_dpsi != NULL)
            code = add_by_multipliers(model, e, at, element->type->force_dpsi, element->rolling,
                                      layout->rolling_place + element->first_rolling,
                                      &layout->force_dpsi, layout->element[e].to->force_dpsi, out);
    }
    return code;
}

/* ---- potential ---- */

static int potential(void *context, const cardan_point *at, double *out)
{
    const cardan_model *model = context;
    cd_site site;
    for (int i = 0; i < model->bodies; i++) {
        const cd_body *body = site_of(model, i, at, &site);
        out[0] -= body->matter->mass * cd_dot3(model->gravity, site.r);
    }
    for (int e = 0; e < model->elements; e++) {
        const cd_element *element = &model->element[e];
        double energy = 0.0;
        cd_chain chain;
        if (element->type->potential == NULL)
            continue;
        cd_chain_open(model, element, at, false, &chain);
        const int code = element->type->potential(element->self, &chain.place, &energy);
        if (code != 0)
            return code;
        out[0] += energy;
    }
    return 0;
}

static int potential_dq(void *context, const cardan_point *at, double *out)
{
    const cardan_model *model = context;
    cd_site site;
    for (int i = 0; i < model->bodies; i++) {
        const cd_body *body = site_of(model, i, at, &site);
        cd_inertia_weight(body, model->gravity, &site, out + body->v);
    }
    for (int e = 0; e < model->elements; e++) {
        const cd_element *element = &model->element[e];
        cd_chain chain;
        double slope[CD_WORLD] = {0.0}, f[CD_WORLD] = {0.0};
        if (element->type->potential == NULL)
            continue;
        cd_chain_open(model, element, at, false, &chain);
        const int code = element->type->potential_dx(element->self, &chain.place, slope);
        if (code != 0)
            return code;
        cd_add(CD_WORLD, -1.0, slope, f); /* the force of the potential */
        scatter_wrench(model, &chain, f, out);
    }
    return 0;
}

void cd_equations_of_bodies(const cd_layout *layout, cardan_system_def *def)
{
    def->mass = mass;
    def->inertia_dq = inertia_dq;
    def->force = force;
    def->force_dq = force_dq;
    def->force_dv = force_dv;
    def->force_dlambda = layout->force_depends_on_lambda ? force_dlambda : NULL;
    def->force_dpsi = layout->force_depends_on_psi ? force_dpsi : NULL;
    def->potential = potential;
    def->potential_dq = potential_dq;
    def->constant_mass = layout->constant_mass;
    def->force_depends_on_lambda = layout->force_depends_on_lambda;
    def->force_depends_on_psi = layout->force_depends_on_psi;
    def->patterns.mass = &layout->mass;
    def->patterns.inertia_dq = &layout->inertia_dq.pattern;
    def->patterns.force_dq = &layout->force_dq.pattern;
    def->patterns.force_dv = &layout->force_dv.pattern;
    if (layout->force_depends_on_lambda)
        def->patterns.force_dlambda = &layout->force_dlambda.pattern;
    if (layout->force_depends_on_psi)
        def->patterns.force_dpsi = &layout->force_dpsi.pattern;
}

void cd_pieces_of_bodies(cd_pieces *pieces)
{
    cd_pieces_add(pieces, mass, mass_piece);
    cd_pieces_add(pieces, force_dv, force_dv_piece);
}
