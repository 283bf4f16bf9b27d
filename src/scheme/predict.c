/* See predict.h. */
#include "predict.h"

#include "base/wide.h"

#include <math.h>
#include <string.h>

enum { SPANS = 8 }; /* parts of a comparison that threads share */

/* Were all steps of this size? */
static bool is_even(const cd_past *past, double t)
{
    const double h = t - past->t[0], rounding = 1e-9;
    for (int i = 1; i < past->count; i++)
        if (fabs(past->t[i - 1] - past->t[i] - h) > rounding * h)
            return false;
    return true;
}

/* (E - 1)^(p + 1) x = 0, where E goes on by a step. */
static const double even_weights[CD_PAST][CD_PAST] = {
    {1.0, 0.0, 0.0, 0.0}, {2.0, -1.0, 0.0, 0.0}, {3.0, -3.0, 1.0, 0.0}, {4.0, -6.0, 4.0, -1.0}};

/* Weights of the first `degree` + 1 states at the time that the predictor aims at; by Lagrange in
 * uneven steps. */
static void weigh(const cd_predictor *predictor, const cd_past *past, int degree,
                  double weights[CD_PAST])
{
    for (int i = 0; i < CD_PAST; i++) {
        weights[i] = predictor->even ? even_weights[degree][i] : i <= degree ? 1.0 : 0.0;
        for (int j = 0; !predictor->even && i <= degree && j <= degree; j++)
            if (j != i)
                weights[i] *= (predictor->t - past->t[j]) / (past->t[i] - past->t[j]);
    }
}

/* The best degree so far, or the next one if that is the highest that has been compared yet. */
static int choose_degree(const cd_predictor *predictor, int count, cd_predicted kind)
{
    const double *errors = predictor->errors[kind];
    const int known = predictor->known < count ? predictor->known : count;
    int best = 0;
    for (int degree = 1; degree < known; degree++)
        if (errors[degree] < errors[best])
            best = degree;
    return best == known - 1 && known < count ? known : best;
}

void cd_predictor_aim(cd_predictor *predictor, const cd_past *past, double t)
{
    if (past->count == 1)
        predictor->known = predictor->wait = 0;
    predictor->t = t;
    predictor->even = is_even(past, t);
    for (int kind = 0; kind < CD_PREDICTED; kind++) {
        predictor->degree[kind] = choose_degree(predictor, past->count, (cd_predicted)kind);
        weigh(predictor, past, predictor->degree[kind], predictor->weights[kind]);
    }
}

/* out = sum of w_j x_j over p + 1 vectors, in one pass. */
static CD_WIDE void combine(cd_span span, int p, const double *w, const double *const *x,
                            double *restrict out)
{
    const double *restrict a = x[0], *restrict b = x[p > 0 ? 1 : 0];
    const double *restrict c = x[p > 1 ? 2 : 0], *restrict d = x[p > 2 ? 3 : 0];
    switch (p) {
    case 0:
        for (int i = span.begin; i < span.end; i++)
            out[i] = w[0] * a[i];
        break;
    case 1:
        for (int i = span.begin; i < span.end; i++)
            out[i] = w[0] * a[i] + w[1] * b[i];
        break;
    case 2:
        for (int i = span.begin; i < span.end; i++)
            out[i] = w[0] * a[i] + w[1] * b[i] + w[2] * c[i];
        break;
    default:
        for (int i = span.begin; i < span.end; i++)
            out[i] = w[0] * a[i] + w[1] * b[i] + w[2] * c[i] + w[3] * d[i];
    }
}

void cd_predictor_apply(const cd_predictor *predictor, cd_predicted kind, cd_span span,
                        const double *const *values, double *out)
{
    if (span.end > span.begin)
        combine(span, predictor->degree[kind], predictor->weights[kind], values, out);
}

/* All degrees at once; whatever comes out of those that cannot be had. */
typedef struct comparison {
    double weights[CD_PAST][CD_PAST];
    const double *past[CD_PAST], *found;
    int n, spans;
    double largest[SPANS][CD_PAST];
} comparison;

/* The largest miss of one degree; `w` are its weights. */
static CD_WIDE double miss_of(int n, const double w[CD_PAST], const double *restrict a,
                              const double *restrict b, const double *restrict c,
                              const double *restrict d, const double *restrict found)
{
    int64_t largest = 0;
    for (int i = 0; i < n; i++)
        largest = cd_larger_bits(
            cd_size_bits(found[i] - w[0] * a[i] - w[1] * b[i] - w[2] * c[i] - w[3] * d[i]),
            largest);
    return cd_size_of_bits(largest);
}

static void compare_span(void *self, int part)
{
    enum { STRIP = 256 }; /* numbers that stay in the cache meanwhile */
    comparison *it = self;
    const cd_span span = cd_span_of(it->n, it->spans, part);
    const double *const *x = it->past;
    memset(it->largest[part], 0, sizeof it->largest[part]);
    for (int at = span.begin; at < span.end; at += STRIP)
        for (int degree = 0; degree < CD_PAST; degree++) {
            const int n = span.end - at < STRIP ? span.end - at : STRIP;
            const double miss = miss_of(n, it->weights[degree], x[0] + at, x[1] + at, x[2] + at,
                                        x[3] + at, it->found + at);
            double *largest = &it->largest[part][degree];
            *largest = miss > *largest ? miss : *largest;
        }
}

/* Lets errors[degree] grow to the largest miss. */
static void compare(const cd_predictor *predictor, cd_team *team, const cd_past *past, int n,
                    const double *const *values, const double *found, double *errors)
{
    enum { MANY = 300 };
    comparison it = {.found = found, .n = n, .spans = n >= MANY ? SPANS : 1};
    for (int j = 0; j < CD_PAST; j++) {
        weigh(predictor, past, j < past->count ? j : 0, it.weights[j]);
        it.past[j] = values[j < past->count ? j : 0];
    }
    cd_team_run(team, it.spans, compare_span, &it);
    for (int part = 0; part < it.spans; part++)
        for (int degree = 0; degree < past->count; degree++)
            if (it.largest[part][degree] > errors[degree])
                errors[degree] = it.largest[part][degree];
}

/* The geometric mean with earlier misses; where nothing has been missed, it rested. */
static void note_errors(cd_predictor *predictor, int count, cd_predicted kind, const double *errors)
{
    double *lately = predictor->errors[kind];
    for (int degree = 0; degree < count; degree++) {
        const bool seen = degree < predictor->known && lately[degree] > 0.0;
        lately[degree] = seen ? sqrt(lately[degree] * errors[degree]) : errors[degree];
    }
}

void cd_predictor_learn(cd_predictor *predictor, cd_team *team, const cd_past *past, bool good,
                        const int sizes[3], const double *const found[3])
{
    enum { PAUSE = 3, FEW = 30 }; /* an iteration of so few costs no more than a comparison */
    const double *const *values[] = {past->vdot, past->lambda, past->psi};
    const cd_predicted kinds[] = {CD_PREDICTED_MOTION, CD_PREDICTED_MULTIPLIERS,
                                  CD_PREDICTED_MULTIPLIERS};
    double errors[CD_PREDICTED][CD_PAST] = {0};
    const int count = past->count;
    if (good && predictor->known == count && predictor->wait > 0) {
        predictor->wait--;
        return;
    }
    for (int i = 0; i < 3; i++)
        if (sizes[i] > 0)
            compare(predictor, team, past, sizes[i], values[i], found[i], errors[kinds[i]]);
    for (int kind = 0; kind < CD_PREDICTED; kind++)
        note_errors(predictor, count, (cd_predicted)kind, errors[kind]);
    predictor->wait = count < CD_PAST ? 0 : sizes[0] < FEW ? CD_PREDICTOR_PAUSE : PAUSE;
    predictor->known = count;
}
