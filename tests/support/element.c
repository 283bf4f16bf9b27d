/* Checks of single elements. */
#include "element.h"
#include "matrices.h"

#include <check.h>
#include <stdio.h>

enum { COLUMNS = CD_ELEMENT_BODIES * CD_BODY_COLUMNS, LARGEST = COLUMNS * COLUMNS };

void random_rotation(unsigned *seed, double m[9])
{
    double w[3];
    random_vector(seed, 3, w);
    for (int i = 0; i < 3; i++)
        w[i] *= 3.0;
    cd_rotation_increment(w, m);
    cd_add_identity3(m);
}

cd_body_state random_site(unsigned *seed)
{
    cd_body_state body_state;
    random_vector(seed, 3, body_state.r);
    random_vector(seed, 3, body_state.u);
    random_vector(seed, 3, body_state.w);
    random_rotation(seed, body_state.R);
    return body_state;
}

cd_body_state ground_site(void)
{
    return (cd_body_state){.R = {1, 0, 0, 0, 1, 0, 0, 0, 1}};
}

cd_marker random_marker(unsigned *seed)
{
    cd_marker marker;
    random_vector(seed, 3, marker.offset);
    random_rotation(seed, marker.axes);
    return marker;
}

cardan_frame random_frame(unsigned *seed)
{
    cardan_frame frame;
    random_vector(seed, 3, frame.position);
    random_vector(seed, 4, frame.orientation);
    return frame;
}

cd_body_state displaced_site(const cd_body_state *body_state, const double displacement[6])
{
    double turn[9];
    cd_body_state out = *body_state;
    cd_add(3, 1.0, displacement, out.r);
    cd_rotation_increment(displacement + 3, turn);
    cd_add_identity3(turn);
    cd_product3(turn, body_state->R, out.R);
    return out;
}

cd_body_state moved_site(const cd_body_state *body_state, double time)
{
    double step[6];
    for (int i = 0; i < 3; i++) {
        step[i] = time * body_state->u[i];
        step[3 + i] = time * body_state->w[i];
    }
    return displaced_site(body_state, step);
}

typedef int function(const void *self, const cd_element_point *at, double *out);

/* What is varied in a difference. */
typedef enum variable { BY_X, BY_W, BY_T, BY_LAMBDA, BY_PSI, ALONG } variable;

static void vary(const cd_element *element, const cd_element_point *at, variable by, int column,
                 double step, int size, function *call, double *out)
{
    cd_body_state body_state[CD_ELEMENT_BODIES];
    double multipliers[CD_ELEMENT_ROWS] = {0}, displacement[6] = {0};
    cd_element_point there = *at;
    const int body = column / CD_BODY_COLUMNS, entry = column % CD_BODY_COLUMNS;
    for (int i = 0; i < element->count; i++)
        body_state[i] = by == ALONG ? moved_site(&at->body_state[i], step) : at->body_state[i];
    there.body_state = body_state;
    displacement[entry] = step;
    if (by == BY_X)
        body_state[body] = displaced_site(&at->body_state[body], displacement);
    if (by == BY_W)
        (entry < 3 ? body_state[body].u : body_state[body].w)[entry % 3] += step;
    if (by == BY_T || by == ALONG)
        there.t += step;
    if (by == BY_LAMBDA || by == BY_PSI) {
        const bool holonomic = by == BY_LAMBDA;
        cd_copy(holonomic ? element->rows : element->nonholonomic, holonomic ? at->lambda : at->psi,
                multipliers);
        multipliers[column] += step;
        *(holonomic ? &there.lambda : &there.psi) = multipliers;
    }
    cd_zero(size, out);
    ck_assert_int_eq(call(element->self, &there, out), 0);
}

/* Fourth-order central difference of `call` (size numbers) for one column. */
static void difference(const cd_element *element, const cd_element_point *at, variable by,
                       int column, int size, function *call, double *out)
{
    static const double weight[2] = {8.0 / 12.0, -1.0 / 12.0};
    const double step = 1e-3;
    double value[LARGEST];
    cd_zero(size, out);
    for (int i = 0; i < 2; i++)
        for (int sign = -1; sign <= 1; sign += 2) {
            vary(element, at, by, column, sign * (i + 1) * step, size, call, value);
            cd_add(size, sign * weight[i] / step, value, out);
        }
}

/* One derivative and the function it belongs to. `whole`: that function wants the element as self.
 */
typedef struct comparison {
    const char *name;
    function *exact, *of;
    variable by;
    int rows, columns;
    bool whole;
} comparison;

static void compare(const cd_element *element, const cd_element_point *at, const comparison *it,
                    double tolerance)
{
    double exact[LARGEST] = {0}, column[COLUMNS];
    cd_element source = *element;
    const int rows = it->rows, columns = it->columns;
    source.self = it->whole ? element : element->self;
    ck_assert_int_eq(it->exact(element->self, at, exact), 0);
    const double scale = fmax(1.0, cd_max_abs(rows * columns, exact));
    for (int j = 0; j < columns; j++) {
        difference(&source, at, it->by, j, rows, it->of, column);
        for (int i = 0; i < rows; i++)
            ck_assert_msg(fabs(exact[i * columns + j] - column[i]) <= tolerance * scale,
                          "%s: %s(%d, %d) is %.12g, differences give %.12g", element->type->name,
                          it->name, i, j, exact[i * columns + j], column[i]);
    }
}

/* B^T lambda, B w + dPhi/dt, K^T psi and potential as functions with the signature above; `self` is
 * the element itself. */
static int transposed(const cd_element *element, const cd_element_point *at, function *matrix,
                      int rows, const double *y, double *out)
{
    double block[LARGEST] = {0};
    const int columns = CD_BODY_COLUMNS * element->count;
    const int status = matrix(element->self, at, block);
    cd_add_transposed(rows, columns, block, y, out);
    return status;
}

static int reaction(const void *self, const cd_element_point *at, double *out)
{
    const cd_element *element = self;
    return transposed(element, at, element->type->constraint_dx, element->rows, at->lambda, out);
}

static int nonholonomic_reaction(const void *self, const cd_element_point *at, double *out)
{
    const cd_element *element = self;
    return transposed(element, at, element->type->nonholonomic_dw, element->nonholonomic, at->psi,
                      out);
}

static int hidden(const void *self, const cd_element_point *at, double *out)
{
    const cd_element *element = self;
    double block[LARGEST] = {0}, w[COLUMNS];
    int status = element->type->constraint_dx(element->self, at, block);
    for (int i = 0; i < element->count; i++) {
        cd_copy(3, at->body_state[i].u, w + CD_BODY_COLUMNS * i);
        cd_copy(3, at->body_state[i].w, w + CD_BODY_COLUMNS * i + 3);
    }
    if (status == 0 && element->type->constraint_dt != NULL)
        status = element->type->constraint_dt(element->self, at, out);
    for (int i = 0; i < element->rows; i++)
        out[i] += cd_dot(CD_BODY_COLUMNS * element->count,
                         block + i * CD_BODY_COLUMNS * element->count, w);
    return status;
}

void check_element(const cd_element *element, const cd_element_point *at, double tolerance)
{
    const cd_element_type *type = element->type;
    const int n = CD_BODY_COLUMNS * element->count, m = element->rows, l = element->nonholonomic;
    const comparison list[] = {
        {"constraint_dx", type->constraint_dx, type->constraint, BY_X, m, n, false},
        {"constraint_dt", type->constraint_dt, type->constraint, BY_T, m, 1, false},
        {"constraint_bias", type->constraint_bias, hidden, ALONG, m, 1, true},
        {"hidden_dx", type->hidden_dx, hidden, BY_X, m, n, true},
        {"reaction_dx", type->reaction_dx, reaction, BY_X, n, n, true},
        {"nonholonomic_dw", type->nonholonomic_dw, type->nonholonomic, BY_W, l, n, false},
        {"nonholonomic_dx", type->nonholonomic_dx, type->nonholonomic, BY_X, l, n, false},
        {"nonholonomic_dt", type->nonholonomic_dt, type->nonholonomic, BY_T, l, 1, false},
        {"nonholonomic_reaction_dx", type->nonholonomic_reaction_dx, nonholonomic_reaction, BY_X, n,
         n, true},
        {"force_dx", type->force_dx, type->force, BY_X, n, n, false},
        {"force_dw", type->force_dw, type->force, BY_W, n, n, false},
        {"force_dlambda", type->force_dlambda, type->force, BY_LAMBDA, n, m, false},
        {"force_dpsi", type->force_dpsi, type->force, BY_PSI, n, l, false},
        {"potential_dx", type->potential_dx, type->potential, BY_X, 1, n, false}};
    for (size_t i = 0; i < sizeof list / sizeof *list; i++)
        if (list[i].exact != NULL)
            compare(element, at, &list[i], tolerance);
}

void check_momentum(const cd_element *element, const cd_element_point *at, double tolerance)
{
    double f[COLUMNS] = {0}, force[3] = {0}, moment[3] = {0};
    ck_assert_int_eq(element->type->force(element->self, at, f), 0);
    for (int i = 0; i < element->count; i++) {
        double lever[3];
        cd_cross(at->body_state[i].r, f + CD_BODY_COLUMNS * i, lever);
        cd_add(3, 1.0, f + CD_BODY_COLUMNS * i, force);
        cd_add(3, 1.0, lever, moment);
        cd_add(3, 1.0, f + CD_BODY_COLUMNS * i + 3, moment);
    }
    const double scale = fmax(1.0, cd_max_abs(CD_BODY_COLUMNS * element->count, f));
    ck_assert_msg(cd_max_abs(3, force) <= tolerance * scale, "%s: forces add up to %g",
                  element->type->name, cd_max_abs(3, force));
    ck_assert_msg(cd_max_abs(3, moment) <= tolerance * scale, "%s: moments add up to %g",
                  element->type->name, cd_max_abs(3, moment));
}

double element_power(const cd_element *element, const cd_element_point *at)
{
    double f[COLUMNS] = {0}, power = 0.0, rate = 0.0;
    ck_assert_int_eq(element->type->force(element->self, at, f), 0);
    for (int i = 0; i < element->count; i++)
        power += cd_dot3(f + CD_BODY_COLUMNS * i, at->body_state[i].u) +
                 cd_dot3(f + CD_BODY_COLUMNS * i + 3, at->body_state[i].w);
    if (element->type->potential != NULL)
        difference(element, at, ALONG, 0, 1, element->type->potential, &rate);
    return power + rate;
}
