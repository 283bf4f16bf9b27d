/* The forces of a law y(e, e', t) between two markers, and their derivatives:
 *
 *   df/dx = -d(G^T y)/dx|_y - G^T (dy/de G + dy/de' d(G w)/dx),   df/dw = -G^T dy/de' G. */
#include "pair_force.h"

/* A force law at one element point. */
typedef struct evaluation {
    cd_pair pair;
    double G[CD_MEASURE_MAX * CD_PAIR];
    cd_law law;
} evaluation;

void cd_pair_rate(int count, const double *G, const cd_body_state *body_state, double *rate)
{
    for (int i = 0; i < count; i++) {
        rate[i] = 0.0;
        for (int body = 0; body < 2; body++) {
            const double *row = G + i * CD_PAIR + body * CD_BODY_COLUMNS;
            rate[i] += cd_dot3(row, body_state[body].u) + cd_dot3(row + 3, body_state[body].w);
        }
    }
}

/* out -= G^T A H, with G and H count x 12 and A count x count; out has `columns` columns. */
static void subtract_product(int count, const double *G, const double *A, const double *H,
                             int columns, double *out)
{
    for (int k = 0; k < count; k++) {
        double row[CD_PAIR] = {0}; /* of A H */
        for (int l = 0; l < count; l++)
            if (A[k * count + l] != 0.0)
                cd_add(CD_PAIR, A[k * count + l], H + l * CD_PAIR, row);
        for (int i = 0; i < CD_PAIR; i++)
            cd_add(CD_PAIR, -G[k * CD_PAIR + i], row, out + i * columns);
    }
}

/* Evaluates pair, gradient and law. Returns a code like every callback. */
static int evaluate_law(const cd_pair_force *self, const cd_element_point *at, evaluation *now)
{
    double e[CD_MEASURE_MAX] = {0}, rate[CD_MEASURE_MAX];
    *now = (evaluation){0};
    cd_pair_at(self->marker, at->body_state, &now->pair);
    now->pair.options = self->options;
    const int status = self->measure->value == NULL ? 0 : self->measure->value(&now->pair, e);
    if (status != 0)
        return status;
    self->measure->gradient(&now->pair, now->G);
    cd_pair_rate(self->measure->count, now->G, at->body_state, rate);
    return self->law(self, at, &now->pair, e, rate, &now->law);
}

/* out += -G^T y, or with `potential` G^T dV/de. */
static int add_forces(const cd_pair_force *force, const cd_element_point *at, bool potential,
                      double *out)
{
    evaluation now;
    const int status = evaluate_law(force, at, &now);
    for (int i = 0; status == 0 && i < force->measure->count; i++)
        cd_add(CD_PAIR, potential ? now.law.energy_de[i] : -now.law.y[i], now.G + i * CD_PAIR, out);
    return status;
}

int cd_pair_force_value(const void *self, const cd_element_point *at, double *f)
{
    return add_forces(self, at, false, f);
}

int cd_pair_force_dx(const void *self, const cd_element_point *at, double *out)
{
    const cd_pair_force *force = self;
    const int count = force->measure->count;
    double rate_dx[CD_MEASURE_MAX * CD_PAIR] = {0}, curvature[CD_PAIR * CD_PAIR] = {0};
    evaluation now;
    const int status = evaluate_law(force, at, &now);
    if (status != 0)
        return status;
    force->measure->curvature(&now.pair, now.law.y, curvature);
    for (int i = 0; i < CD_PAIR; i++)
        cd_add(CD_PAIR, -1.0, curvature + i * CD_PAIR, out + i * force->columns);
    subtract_product(count, now.G, now.law.y_de, now.G, force->columns, out);
    force->measure->rate_dx(&now.pair, rate_dx);
    subtract_product(count, now.G, now.law.y_drate, rate_dx, force->columns, out);
    return 0;
}

int cd_pair_force_dw(const void *self, const cd_element_point *at, double *out)
{
    const cd_pair_force *force = self;
    evaluation now;
    const int status = evaluate_law(force, at, &now);
    if (status == 0)
        subtract_product(force->measure->count, now.G, now.law.y_drate, now.G, force->columns, out);
    return status;
}

int cd_pair_force_potential(const void *self, const cd_element_point *at, double *energy)
{
    evaluation now;
    const int status = evaluate_law(self, at, &now);
    *energy += now.law.energy;
    return status;
}

int cd_pair_force_potential_dx(const void *self, const cd_element_point *at, double *out)
{
    return add_forces(self, at, true, out);
}
