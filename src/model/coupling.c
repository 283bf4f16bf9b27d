/* Turn counters and what is linear in them. A counter s is a coordinate without mass; the
 * constraint wrap(angle - s) = 0 makes it follow an angle over any number of turns, and gears and
 * screws then are linear in s. */
#include "model/joint.h"

#include <stdio.h>
#include <string.h>

/* Bodies 1, 2 and the counter: the first 12 columns are the pair's, the next is s. */
enum { COUNTED = 3 * CD_SITE, S = 2 * CD_SITE };

/* A primitive of the first two bodies plus factor * s. */
static int coupled_dx(const cd_primitive_type *type, const cd_primitive *p,
                      const cd_marker marker[2], double factor, const cd_place *at, double *B)
{
    cd_view view;
    cd_view_at(marker, at->site, &view);
    type->gradient(p, &view, B);
    B[S] = factor;
    return 0;
}

static int coupled_hidden_dx(const cd_primitive_type *type, const cd_primitive *p,
                             const cd_marker marker[2], const cd_place *at, double *out)
{
    cd_view view;
    cd_view_at(marker, at->site, &view);
    type->rate_dx(p, &view, out);
    return 0;
}

static int coupled_bias(const cd_primitive_type *type, const cd_primitive *p,
                        const cd_marker marker[2], const cd_place *at, double *out)
{
    double row[COUNTED] = {0.0};
    coupled_hidden_dx(type, p, marker, at, row);
    for (int b = 0; b < 2; b++)
        out[0] += cd_dot3(row + CD_SITE * b, at->site[b].u) +
                  cd_dot3(row + CD_SITE * b + 3, at->site[b].w);
    return 0;
}

static int coupled_reaction_dx(const cd_primitive_type *type, const cd_primitive *p,
                               const cd_marker marker[2], const cd_place *at, double *out)
{
    double pair[CD_PAIR * CD_PAIR] = {0.0};
    cd_view view;
    cd_view_at(marker, at->site, &view);
    type->curvature(p, &view, at->lambda[0], pair);
    for (int i = 0; i < CD_PAIR; i++)
        cd_copy(CD_PAIR, pair + CD_PAIR * i, out + COUNTED * i);
    return 0;
}

/* ---- the counter's own constraint ---- */

static const cd_primitive angle = {.type = &cd_primitive_angle};

static int counting(const void *self, const cd_place *at, double *phi)
{
    const cd_counting *it = self;
    cd_view view;
    double value;
    cd_view_at(it->marker, at->site, &view);
    const int code = cd_primitive_angle.value(&angle, &view, &value);
    phi[0] = cd_wrap(value - at->site[2].r[0]);
    return code;
}

static int counting_dx(const void *self, const cd_place *at, double *B)
{
    return coupled_dx(&cd_primitive_angle, &angle, ((const cd_counting *)self)->marker, -1.0, at,
                      B);
}

static int counting_bias(const void *self, const cd_place *at, double *out)
{
    return coupled_bias(&cd_primitive_angle, &angle, ((const cd_counting *)self)->marker, at, out);
}

static int counting_hidden_dx(const void *self, const cd_place *at, double *out)
{
    return coupled_hidden_dx(&cd_primitive_angle, &angle, ((const cd_counting *)self)->marker, at,
                             out);
}

static int counting_reaction_dx(const void *self, const cd_place *at, double *out)
{
    return coupled_reaction_dx(&cd_primitive_angle, &angle, ((const cd_counting *)self)->marker, at,
                               out);
}

const cd_element_type cd_counting_type = {
    .name = "turn counter",
    .constraint = counting,
    .constraint_dx = counting_dx,
    .constraint_bias = counting_bias,
    .hidden_dx = counting_hidden_dx,
    .reaction_dx = counting_reaction_dx,
};

/* ---- screw ---- */

static const cd_primitive lift = {.type = &cd_primitive_offset, .axis1 = 2};

static int screw(const void *self, const cd_place *at, double *phi)
{
    const cd_screw *it = self;
    cd_view view;
    double value;
    cd_view_at(it->marker, at->site, &view);
    cd_primitive_offset.value(&lift, &view, &value);
    phi[0] = value - it->factor * at->site[2].r[0];
    return 0;
}

static int screw_dx(const void *self, const cd_place *at, double *B)
{
    const cd_screw *it = self;
    return coupled_dx(&cd_primitive_offset, &lift, it->marker, -it->factor, at, B);
}

static int screw_bias(const void *self, const cd_place *at, double *out)
{
    return coupled_bias(&cd_primitive_offset, &lift, ((const cd_screw *)self)->marker, at, out);
}

static int screw_hidden_dx(const void *self, const cd_place *at, double *out)
{
    return coupled_hidden_dx(&cd_primitive_offset, &lift, ((const cd_screw *)self)->marker, at,
                             out);
}

static int screw_reaction_dx(const void *self, const cd_place *at, double *out)
{
    return coupled_reaction_dx(&cd_primitive_offset, &lift, ((const cd_screw *)self)->marker, at,
                               out);
}

const cd_element_type cd_screw_type = {
    .name = "screw",
    .constraint = screw,
    .constraint_dx = screw_dx,
    .constraint_bias = screw_bias,
    .hidden_dx = screw_hidden_dx,
    .reaction_dx = screw_reaction_dx,
};

/* ---- gear ---- */

static int gear(const void *self, const cd_place *at, double *phi)
{
    const cd_gear *it = self;
    phi[0] = it->factor[0] * at->site[0].r[0] + it->factor[1] * at->site[1].r[0] - it->constant;
    return 0;
}

static int gear_dx(const void *self, const cd_place *at, double *B)
{
    const cd_gear *it = self;
    (void)at;
    B[0] = it->factor[0];
    B[CD_SITE] = it->factor[1];
    return 0;
}

/* Linear: no second derivatives. */
static int nothing(const void *self, const cd_place *at, double *out)
{
    (void)self;
    (void)at;
    (void)out;
    return 0;
}

const cd_element_type cd_gear_type = {
    .name = "gear",
    .constraint = gear,
    .constraint_dx = gear_dx,
    .constraint_bias = nothing,
    .hidden_dx = nothing,
    .reaction_dx = nothing,
};

/* ---- adding counters ---- */

cardan_status cd_model_add_counter(cardan_model *model, const char *name, const int body[2],
                                   const cd_marker marker[2], double start, int *counter,
                                   int *element)
{
    cd_body *counters = cd_grow(&model->allocator, model->counter, model->counters,
                                &model->counter_capacity, sizeof *counters);
    if (counters != NULL)
        model->counter = counters;
    cd_counting *self = cd_model_keep(model, sizeof *self);
    const size_t length = strlen(name) + sizeof ".turns";
    char *full = cd_model_keep(model, length);
    if (counters == NULL || self == NULL || full == NULL)
        return cd_model_exhausted(model);
    snprintf(full, length, "%s.turns", name);
    cd_site site[2];
    cd_pair pair;
    double gradient[CD_PAIR] = {0.0};
    for (int b = 0; b < 2; b++) {
        self->marker[b] = marker[b];
        cd_model_start_site(model, body[b], &site[b]);
    }
    cd_pair_at(marker, site, &pair);
    cd_twist.gradient(&pair, gradient);
    const double rate = cd_dot3(gradient + 9, pair.w);
    *counter = cd_counter_number(model->counters);
    model->counter[model->counters++] =
        (cd_body){.name = full, .form = &cd_form_counter, .start = {start, rate}};
    const cd_element tie = {.type = &cd_counting_type,
                            .self = self,
                            .name = full,
                            .count = 3,
                            .body = {body[0], body[1], *counter},
                            .rows = 1,
                            .row_name = {"angle"}};
    return cd_model_add_element(model, &tie, element);
}

cardan_status cd_model_joint_counter(cardan_model *model, int joint, int *counter)
{
    cd_joint *it = &model->joint[joint];
    if (it->counter == 0) {
        const int body[2] = {it->def.body1, it->def.body2};
        double start, displacement;
        if (!cd_joint_turns_about_z(&it->def))
            return cd_fail(&model->error, CARDAN_INVALID_ARGUMENT,
                           "joint `%s` does not turn about the z axis of its frames: use a "
                           "revolute, cylindrical, screw or planar joint here",
                           it->name);
        cd_joint_start(model, body, it->marker, &start, &displacement);
        cardan_status status = cd_model_add_counter(model, it->name, body, it->marker, start,
                                                    &it->counter, &it->counting);
        if (status != CARDAN_OK)
            return status;
    }
    *counter = it->counter;
    return CARDAN_OK;
}
