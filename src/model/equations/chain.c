/* The chain rule for every form at once. A part that is turned by R belongs to a left-trivialised
 * rotation, dR = R dphi~, so that
 *
 *   d(R^T f) = (R^T f)~ dphi,   d(R a) = -(R a)~ R dphi,   (R a)' = w x R a  (a constant). */
#include "chain.h"

#include "layout.h"

/* An element's multipliers; rows that the system has not carry none. */
static void gather(int rows, const int *place, int first, const double *all, double *own)
{
    for (int i = 0; i < rows; i++)
        own[i] = all != NULL && first >= 0 && place[first + i] >= 0 ? all[place[first + i]] : 0.0;
}

void cd_chain_open_bare(const cardan_model *model, const cd_element *element,
                        const cardan_point *at, cd_chain *chain)
{
    chain->element = element;
    chain->world = CD_SITE * element->count;
    chain->n = 0;
    chain->plain = true;
    for (int b = 0; b < element->count; b++) {
        const cd_body *body = cd_model_body(model, element->body[b]);
        chain->start[b] = chain->n;
        chain->form[b] = body != NULL ? body->form : NULL;
        chain->plain = chain->plain && chain->form[b] == &cd_form_spatial;
        chain->n += body != NULL ? body->form->dof : 0;
    }
    chain->place = (cd_place){at->t, chain->site, NULL, NULL};
    if (model->layout->reduced) {
        gather(element->rows, model->layout->row_place, element->first_row, at->lambda,
               chain->lambda);
        gather(element->rolling, model->layout->rolling_place, element->first_rolling, at->psi,
               chain->psi);
        chain->place.lambda = chain->lambda;
        chain->place.psi = chain->psi;
        return;
    }
    if (element->rows > 0 && element->first_row >= 0)
        chain->place.lambda = at->lambda + element->first_row;
    if (element->rolling > 0)
        chain->place.psi = at->psi + element->first_rolling;
}

void cd_chain_open(const cardan_model *model, const cd_element *element, const cardan_point *at,
                   bool moving, cd_chain *chain)
{
    cd_chain_open_bare(model, element, at, chain);
    for (int b = 0; b < element->count; b++) {
        const cd_body *body = cd_model_body(model, element->body[b]);
        cd_body_site(body, body != NULL ? at->q + body->q : NULL,
                     body != NULL && moving ? at->v + body->v : NULL, &chain->site[b]);
    }
}

void cd_chain_columns(const cd_chain *chain, int rows, const double *in, double *out)
{
    for (int b = 0; b < chain->element->count; b++) {
        const cd_form *form = chain->form[b];
        if (form == NULL)
            continue;
        for (int i = 0; i < rows; i++) {
            const double *row = in + i * chain->world + CD_SITE * b;
            double turned[CD_SITE];
            for (int half = 0; half < 2; half++)
                if (form->turned[half])
                    cd_apply_transposed3(chain->site[b].R, row + 3 * half, turned + 3 * half);
                else
                    cd_copy(3, row + 3 * half, turned + 3 * half);
            for (int j = 0; j < form->dof; j++)
                out[i * chain->n + chain->start[b] + j] += turned[form->pick[j]];
        }
    }
}

/* in d(R a) = -in (R a)~ R dphi: the row is R^T ((R a) x in) */
void cd_chain_velocity_dq(const cd_chain *chain, int rows, const double *in, double *out)
{
    for (int b = 0; b < chain->element->count; b++) {
        const cd_form *form = chain->form[b];
        const cd_site *site = &chain->site[b];
        if (form == NULL || !form->turned[1])
            continue;
        for (int i = 0; i < rows; i++) {
            const double *row = in + i * chain->world + CD_SITE * b;
            double sum[3], turning[3], turned[3];
            cd_cross(site->w, row + 3, sum);
            if (form->turned[0]) {
                cd_cross(site->u, row, turning);
                cd_add(3, 1.0, turning, sum);
            }
            cd_apply_transposed3(site->R, sum, turned);
            cd_add(3, 1.0, turned, out + i * chain->n + chain->start[b] + 3);
        }
    }
}

/* out (3 rows) = R^T in (3 rows) */
static void turn_rows(const double R[9], int columns, const double *in, double *out)
{
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < columns; j++)
            out[i * columns + j] =
                R[i] * in[j] + R[3 + i] * in[columns + j] + R[6 + i] * in[2 * columns + j];
}

void cd_chain_rows(const cd_chain *chain, int columns, const double *in, double *out)
{
    for (int b = 0; b < chain->element->count; b++) {
        const cd_form *form = chain->form[b];
        double turned[CD_SITE * CD_WORLD];
        if (form == NULL)
            continue;
        for (int half = 0; half < 2; half++) {
            const double *from = in + (CD_SITE * b + 3 * half) * columns;
            if (form->turned[half])
                turn_rows(chain->site[b].R, columns, from, turned + 3 * half * columns);
            else
                cd_copy(3 * columns, from, turned + 3 * half * columns);
        }
        for (int i = 0; i < form->dof; i++)
            cd_add(columns, 1.0, turned + form->pick[i] * columns,
                   out + (chain->start[b] + i) * columns);
    }
}

void cd_chain_wrench_dq(const cd_chain *chain, const double *f, double *out)
{
    for (int b = 0; b < chain->element->count; b++)
        for (int half = 0; half < 2; half++) {
            double turned[3], skew[9];
            if (chain->form[b] == NULL || !chain->form[b]->turned[half])
                continue;
            cd_apply_transposed3(chain->site[b].R, f + CD_SITE * b + 3 * half, turned);
            cd_skew(turned, skew);
            cd_add_block(1.0, skew, chain->start[b] + 3 * half, chain->start[b] + 3, chain->n, out);
        }
}

void cd_chain_drift(const cd_chain *chain, double *out)
{
    cd_zero(chain->world, out);
    for (int b = 0; b < chain->element->count; b++)
        if (chain->form[b] != NULL && chain->form[b]->turned[0])
            cd_cross(chain->site[b].w, chain->site[b].u, out + CD_SITE * b);
}
