/* The chain rule for all forms. Three velocities in the axes of the body belong to a
 * left-trivialised rotation, dR = R dphi~, so that
 *
 *   d(R^T f) = (R^T f)~ dphi,   d(R a) = -(R a)~ R dphi,   (R a)' = w x R a  (a constant). */
#include "chain.h"

#include "layout.h"

/* Copies the multipliers of an element's rows; those of redundant rows are 0. */
static void gather_multipliers(int rows, const int *index, int first, const double *all,
                               double *own)
{
    for (int i = 0; i < rows; i++)
        own[i] = all != NULL && first >= 0 && index[first + i] >= 0 ? all[index[first + i]] : 0.0;
}

void cd_chain_set_up_without_bodies(const cardan_model *model, const cd_element *element,
                                    const cardan_point *at, cd_chain_rule *chain)
{
    chain->element = element;
    chain->world = CD_BODY_COLUMNS * element->count;
    chain->n = 0;
    chain->plain = true;
    for (int b = 0; b < element->count; b++) {
        const cd_body *body = cd_model_body(model, element->body[b]);
        chain->start[b] = chain->n;
        chain->form[b] = body != NULL ? body->form : NULL;
        chain->plain = chain->plain && chain->form[b] == &cd_form_spatial;
        chain->n += body != NULL ? body->form->dof : 0;
    }
    chain->point = (cd_element_point){at->t, chain->body_state, NULL, NULL};
    if (model->layout->reduced) {
        gather_multipliers(element->rows, model->layout->row_index, element->first_row, at->lambda,
                           chain->lambda);
        gather_multipliers(element->nonholonomic, model->layout->nonholonomic_index,
                           element->first_nonholonomic, at->psi, chain->psi);
        chain->point.lambda = chain->lambda;
        chain->point.psi = chain->psi;
        return;
    }
    if (element->rows > 0 && element->first_row >= 0)
        chain->point.lambda = at->lambda + element->first_row;
    if (element->nonholonomic > 0)
        chain->point.psi = at->psi + element->first_nonholonomic;
}

void cd_chain_set_up(const cardan_model *model, const cd_element *element, const cardan_point *at,
                     bool moving, cd_chain_rule *chain)
{
    cd_chain_set_up_without_bodies(model, element, at, chain);
    for (int b = 0; b < element->count; b++) {
        const cd_body *body = cd_model_body(model, element->body[b]);
        cd_body_state_at(body, body != NULL ? at->q + body->q : NULL,
                         body != NULL && moving ? at->v + body->v : NULL, &chain->body_state[b]);
    }
}

void cd_chain_columns(const cd_chain_rule *chain, int rows, const double *in, double *out)
{
    for (int b = 0; b < chain->element->count; b++) {
        const cd_form *form = chain->form[b];
        if (form == NULL)
            continue;
        for (int i = 0; i < rows; i++) {
            const double *row = in + i * chain->world + CD_BODY_COLUMNS * b;
            double turned[CD_BODY_COLUMNS];
            cd_form_from_world(form, chain->body_state[b].R, row, turned);
            for (int j = 0; j < form->dof; j++)
                out[i * chain->n + chain->start[b] + j] += turned[form->pick[j]];
        }
    }
}

/* in d(R a) = -in (R a)~ R dphi: each row is R^T ((R a) x in) */
void cd_chain_velocity_dq(const cd_chain_rule *chain, int rows, const double *in, double *out)
{
    for (int b = 0; b < chain->element->count; b++) {
        const cd_form *form = chain->form[b];
        const cd_body_state *body_state = &chain->body_state[b];
        if (form == NULL || !form->turned[1])
            continue;
        for (int i = 0; i < rows; i++) {
            const double *row = in + i * chain->world + CD_BODY_COLUMNS * b;
            double sum[3], rotation_rate[3], turned[3];
            cd_cross(body_state->w, row + 3, sum);
            if (form->turned[0]) {
                cd_cross(body_state->u, row, rotation_rate);
                cd_add(3, 1.0, rotation_rate, sum);
            }
            cd_apply_transposed3(body_state->R, sum, turned);
            cd_add(3, 1.0, turned, out + i * chain->n + chain->start[b] + 3);
        }
    }
}

/* out (3 rows) = R^T in (3 rows) */
static void rotate_rows(const double R[9], int columns, const double *in, double *out)
{
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < columns; j++)
            out[i * columns + j] =
                R[i] * in[j] + R[3 + i] * in[columns + j] + R[6 + i] * in[2 * columns + j];
}

void cd_chain_rows(const cd_chain_rule *chain, int columns, const double *in, double *out)
{
    for (int b = 0; b < chain->element->count; b++) {
        const cd_form *form = chain->form[b];
        double turned[CD_BODY_COLUMNS * CD_ELEMENT_COLUMNS];
        if (form == NULL)
            continue;
        for (int half = 0; half < 2; half++) {
            const double *from = in + (CD_BODY_COLUMNS * b + 3 * half) * columns;
            if (form->turned[half])
                rotate_rows(chain->body_state[b].R, columns, from, turned + 3 * half * columns);
            else
                cd_copy(3 * columns, from, turned + 3 * half * columns);
        }
        for (int i = 0; i < form->dof; i++)
            cd_add(columns, 1.0, turned + form->pick[i] * columns,
                   out + (chain->start[b] + i) * columns);
    }
}

void cd_chain_wrench_dq(const cd_chain_rule *chain, const double *f, double *out)
{
    for (int b = 0; b < chain->element->count; b++)
        for (int half = 0; half < 2; half++) {
            double turned[3], skew[9];
            if (chain->form[b] == NULL || !chain->form[b]->turned[half])
                continue;
            cd_apply_transposed3(chain->body_state[b].R, f + CD_BODY_COLUMNS * b + 3 * half,
                                 turned);
            cd_skew(turned, skew);
            cd_add_block(1.0, skew, chain->start[b] + 3 * half, chain->start[b] + 3, chain->n, out);
        }
}

void cd_chain_add_rates(const cd_chain_rule *chain, int rows, const double *A, double *rate)
{
    for (int i = 0; i < rows; i++)
        for (int b = 0; b < chain->element->count; b++) {
            const double *row = A + i * chain->world + CD_BODY_COLUMNS * b;
            rate[i] +=
                cd_dot3(row, chain->body_state[b].u) + cd_dot3(row + 3, chain->body_state[b].w);
        }
}

void cd_chain_drift(const cd_chain_rule *chain, double *out)
{
    cd_zero(chain->world, out);
    for (int b = 0; b < chain->element->count; b++)
        if (chain->form[b] != NULL && chain->form[b]->turned[0])
            cd_cross(chain->body_state[b].w, chain->body_state[b].u, out + CD_BODY_COLUMNS * b);
}

int cd_chain_add_potential(const cardan_model *model, const cd_element *element,
                           const cardan_point *at, double *sum)
{
    double energy = 0.0;
    cd_chain_rule chain;
    if (element->type->potential == NULL)
        return 0;
    cd_chain_set_up(model, element, at, false, &chain);
    const int code = element->type->potential(element->self, &chain.point, &energy);
    *sum += energy;
    return code;
}
