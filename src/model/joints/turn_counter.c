/* Turn counters. A counter s is a coordinate without mass; the constraint wrap(angle - s) = 0 makes
 * it follow an angle over any number of turns, and gears and screws then are linear in s. */
#include "direction.h"
#include "joint.h"

#include <stdio.h>
#include <string.h>

/* Bodies 1, 2 and the counter: the first 12 columns are the pair's, the next is s. */
enum { COUNTED = 3 * CD_SITE, S = 2 * CD_SITE };

/* ---- the counter's own constraint ---- */

static int counting(const void *self, const cd_place *at, double *phi)
{
    const cd_counting *it = self;
    cd_pair pair;
    double angle = 0.0;
    cd_pair_at(it->marker, at->site, &pair);
    const int code = cd_twist.value(&pair, &angle);
    phi[0] = cd_wrap(angle - at->site[2].r[0]);
    return code;
}

static int counting_dx(const void *self, const cd_place *at, double *B)
{
    const cd_counting *it = self;
    cd_pair pair;
    cd_pair_at(it->marker, at->site, &pair);
    cd_twist.gradient(&pair, B);
    B[S] = -1.0;
    return 0;
}

static int counting_hidden_dx(const void *self, const cd_place *at, double *out)
{
    const cd_counting *it = self;
    cd_pair pair;
    cd_pair_at(it->marker, at->site, &pair);
    cd_twist.rate_dx(&pair, out);
    return 0;
}

static int counting_bias(const void *self, const cd_place *at, double *out)
{
    double row[COUNTED] = {0.0};
    counting_hidden_dx(self, at, row);
    for (int b = 0; b < 2; b++)
        out[0] += cd_dot3(row + CD_SITE * b, at->site[b].u) +
                  cd_dot3(row + CD_SITE * b + 3, at->site[b].w);
    return 0;
}

static int counting_reaction_dx(const void *self, const cd_place *at, double *out)
{
    const cd_counting *it = self;
    double square[CD_PAIR * CD_PAIR] = {0.0};
    cd_pair pair;
    cd_pair_at(it->marker, at->site, &pair);
    cd_twist.curvature(&pair, at->lambda, square);
    for (int i = 0; i < CD_PAIR; i++)
        cd_add(CD_PAIR, 1.0, square + CD_PAIR * i, out + COUNTED * i);
    return 0;
}

const cd_element_type cd_counting_type = {
    .name = "turn counter",
    .refusal = CD_LOST_DIRECTION,
    .constraint = counting,
    .constraint_dx = counting_dx,
    .constraint_bias = counting_bias,
    .hidden_dx = counting_hidden_dx,
    .reaction_dx = counting_reaction_dx,
};

/* ---- adding counters ---- */

static const char *const angle_name[] = {"angle"};
static const cd_matter no_matter = {.mass = 0.0};
static const cd_outset no_outset = {.orientation = {1.0}};

cardan_status cd_model_new_counter(cardan_model *model, const char *name, const int body[2],
                                   const cd_marker marker[2], double start, int *counter)
{
    cd_body *counters = cd_grow(&model->allocator, model->counter, model->counters,
                                &model->counter_capacity, sizeof *counters);
    const size_t length = strlen(name) + sizeof ".turns";
    if (counters == NULL)
        return cd_model_exhausted(model);
    model->counter = counters;
    char *full = cd_model_keep(model, length);
    if (full == NULL)
        return cd_model_exhausted(model);
    snprintf(full, length, "%s.turns", name);
    cd_site site[2];
    cd_pair pair;
    double gradient[CD_PAIR] = {0.0};
    for (int b = 0; b < 2; b++)
        cd_model_start_site(model, body[b], &site[b]);
    cd_pair_at(marker, site, &pair);
    cd_twist.gradient(&pair, gradient);
    *counter = cd_counter_number(model->counters);
    model->counter[model->counters++] = (cd_body){.name = full,
                                                  .form = &cd_form_counter,
                                                  .matter = &no_matter,
                                                  .outset = &no_outset,
                                                  .start = {start, cd_dot3(gradient + 9, pair.w)}};
    return CARDAN_OK;
}

cardan_status cd_model_add_counter(cardan_model *model, const char *name, const int body[2],
                                   const cd_marker marker[2], int *counter, int *element)
{
    double start, displacement;
    cd_joint_start(model, body, marker, &start, &displacement);
    cardan_status status = cd_model_new_counter(model, name, body, marker, start, counter);
    cd_counting *self = cd_model_keep(model, sizeof *self);
    if (status != CARDAN_OK || self == NULL)
        return cd_model_exhausted(model);
    *self = (cd_counting){{marker[0], marker[1]}};
    const cd_element tie = {.type = &cd_counting_type,
                            .self = self,
                            .name = cd_model_body(model, *counter)->name,
                            .count = 3,
                            .body = {body[0], body[1], *counter},
                            .rows = 1,
                            .row_name = angle_name};
    return cd_model_add_element(model, &tie, element);
}

cardan_status cd_model_joint_counter(cardan_model *model, int joint, int *counter)
{
    cd_joint *it = &model->joint[joint];
    if (it->counter == 0) {
        const int body[2] = {it->body[0], it->body[1]};
        const cd_turning turning = cd_joint_turning(&it->kind->def);
        if (turning.count != 1)
            return cd_fail(&model->error, CARDAN_INVALID_ARGUMENT,
                           "joint `%s` does not turn about one axis alone: use a revolute, "
                           "cylindrical, screw or planar joint here, or a generic one with one "
                           "rotation free",
                           it->name);
        const cd_marker marker[2] = {cd_marker_about(&it->kind->marker[0], turning.axis[0]),
                                     cd_marker_about(&it->kind->marker[1], turning.axis[0])};
        cardan_status status =
            cd_model_add_counter(model, it->name, body, marker, &it->counter, &it->counting);
        if (status != CARDAN_OK)
            return status;
    }
    *counter = it->counter;
    return CARDAN_OK;
}
