/* Extrapolation from the last states; predict.h says how the degree is chosen. */
#include "predict.h"

#include "base/wide.h"

#include <assert.h>
#include <math.h>
#include <string.h>

enum { FITTED_STATES = 3 };

/* Lagrange's weights of the first p + 1 states at time t. */
static void lagrange(const cd_past *past, int p, double t, double weights[][CD_RULES])
{
    for (int i = 0; i <= p; i++) {
        weights[i][p] = 1.0;
        for (int j = 0; j <= p; j++)
            if (j != i)
                weights[i][p] *= (t - past->t[j]) / (past->t[i] - past->t[j]);
    }
}

/* Were all steps of this size? */
static bool is_even(const cd_past *past, double t)
{
    const double h = t - past->t[0], rounding = 1e-9;
    for (int i = 1; i < past->count; i++)
        if (fabs(past->t[i - 1] - past->t[i] - h) > rounding * h)
            return false;
    return true;
}

/* States that a rule combines. */
static int states_of(int rule)
{
    static const int states[CD_RULES] = {1, 2, 3, 4, 2, 3, 4, FITTED_STATES, CD_PAST};
    return states[rule];
}

static bool is_available(const cd_predictor *predictor, int count, cd_predicted kind, int rule)
{
    return states_of(rule) <= count && (rule < CD_ALTERNATING || predictor->even) &&
           (rule != CD_FITTED || predictor->fits) &&
           (rule != CD_TRACKED || predictor->tracked[kind]);
}

static double weight_of(const cd_predictor *predictor, cd_predicted kind, int rule, int state)
{
    if (rule == CD_TRACKED)
        return predictor->by_tracks[kind][state];
    return rule == CD_FITTED ? predictor->fitted[kind][state] : predictor->weights[state][rule];
}

/* Products of the last three differences d_0 (the newest), d_1, d_2. */
typedef struct products {
    double d11, d12, d22, d01, d02;
} products;

static void add_products(int n, const double *restrict found, const double *const *x, products *sum)
{
    const double *restrict a = x[0], *restrict b = x[1], *restrict c = x[2];
    products add = {0};
    for (int i = 0; i < n; i++) {
        const double d0 = found[i] - a[i], d1 = a[i] - b[i], d2 = b[i] - c[i];
        add.d11 += d1 * d1;
        add.d12 += d1 * d2;
        add.d22 += d2 * d2;
        add.d01 += d0 * d1;
        add.d02 += d0 * d2;
    }
    sum->d11 += add.d11;
    sum->d12 += add.d12;
    sum->d22 += add.d22;
    sum->d01 += add.d01;
    sum->d02 += add.d02;
}

/* d_0 ~ u d_1 + w d_2 by least squares; the next difference is then u d_0 + w d_1. Where
 * differences are nearly parallel the parabola, u = 2 and w = -1, is preferred. Oscillations that
 * do not grow have |u| <= 2 and |w| <= 1; much more comes from a motion that has just begun, and
 * says nothing of how it goes on. */
static void fit(const products *sum, double *weights)
{
    const double most = 3.0;
    const double lean = 1e-6 * (sum->d11 + sum->d22), d12 = sum->d12;
    const double d11 = sum->d11 + lean, d22 = sum->d22 + lean;
    const double d01 = sum->d01 + 2.0 * lean, d02 = sum->d02 - lean;
    const double det = d11 * d22 - d12 * d12;
    const double u = (d01 * d22 - d02 * d12) / det, w = (d02 * d11 - d01 * d12) / det;
    const bool found = fabs(u) <= most && fabs(w) <= most;
    weights[0] = found ? 1.0 + u : 1.0;
    weights[1] = found ? w - u : 0.0;
    weights[2] = found ? -w : 0.0;
}

/* The best rule so far, and the next polynomial if that is one and no higher has been compared yet.
 * Among many rules one may be the best by chance, where all that is left is rounding: those that
 * are not polynomials must be clearly better. */
static int rule_of(const cd_predictor *predictor, int count, cd_predicted kind)
{
    const double *errors = predictor->errors[kind], clearly = 0.6;
    const int known = predictor->known < count ? predictor->known : count;
    int best = 0;
    double least = errors[0];
    for (int rule = 1; rule < CD_RULES; rule++) {
        const double share = best < CD_ALTERNATING && rule >= CD_ALTERNATING ? clearly : 1.0;
        if (!is_available(predictor, known, kind, rule) || !(errors[rule] < share * least))
            continue;
        best = rule;
        least = errors[rule];
    }
    return best == known - 1 && known < count ? known : best;
}

/* Asks the components that are followed; they are, in even steps. */
static void ask_tracks(cd_predictor *predictor, bool anew, double root)
{
    for (int kind = 0; kind < CD_PREDICTED; kind++) {
        cd_tracks *tracks = &predictor->tracks[kind];
        if (anew || !predictor->even || tracks->root != root)
            cd_tracks_forget(tracks, root);
        predictor->tracked[kind] = cd_tracks_weigh(tracks, predictor->by_tracks[kind]);
    }
}

/* Can the rules in use still be had? */
static bool has_rules(const cd_predictor *predictor, int count)
{
    for (int kind = 0; kind < CD_PREDICTED; kind++)
        if (!is_available(predictor, count, (cd_predicted)kind, predictor->rules[kind]))
            return false;
    return true;
}

/* (E - 1)^(p + 1) x = 0 for the polynomials, (E - 1)^p (E + 1) x = 0 for those that alternate,
 * where E goes on by a step. */
static const double even_weights[CD_PAST][CD_RULES] = {{1.0, 2.0, 3.0, 4.0, 0.0, 1.0, 2.0},
                                                       {0.0, -1.0, -3.0, -6.0, 1.0, 1.0, 0.0},
                                                       {0.0, 0.0, 1.0, 4.0, 0.0, -1.0, -2.0},
                                                       {0.0, 0.0, 0.0, -1.0, 0.0, 0.0, 1.0}};

void cd_predictor_resume(cd_predictor *predictor)
{
    if (predictor->settled)
        memcpy(predictor->weights, even_weights, sizeof even_weights);
}

void cd_predictor_aim(cd_predictor *predictor, const cd_past *past, double t, double root)
{
    const bool was_settled = predictor->settled && past->count == CD_PAST;
    if (past->count == 1) {
        predictor->known = predictor->wait = 0;
        predictor->fits = false;
    }
    predictor->even = is_even(past, t);
    predictor->settled = predictor->even && past->count == CD_PAST;
    ask_tracks(predictor, past->count == 1, root);
    if (was_settled && predictor->settled && has_rules(predictor, past->count))
        return; /* weights and rules are those of the last step */
    if (predictor->even)
        memcpy(predictor->weights, even_weights, sizeof even_weights);
    else
        memset(predictor->weights, 0, sizeof predictor->weights);
    for (int p = 0; !predictor->even && p < past->count; p++)
        lagrange(past, p, t, predictor->weights);
    for (int kind = 0; kind < CD_PREDICTED; kind++)
        predictor->rules[kind] = rule_of(predictor, past->count, (cd_predicted)kind);
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
    const int rule = predictor->rules[kind], states = states_of(rule);
    double weights[CD_PAST];
    for (int i = 0; i < states; i++)
        weights[i] = weight_of(predictor, kind, rule, i);
    assert(states >= 1 && states <= CD_PAST);
    if (span.end > span.begin)
        combine(span, states - 1, weights, values, out);
}

enum {
    SPANS = 8,
    MANY = 300 /* velocities: some components are followed, at no cost to speak of */
};

/* All rules at once; whatever comes out of those that cannot be had. */
typedef struct comparison {
    double weights[CD_PAST][CD_RULES];
    const double *past[CD_PAST], *found;
    int n, spans;
    double largest[SPANS][CD_RULES];
    int liveliest[SPANS]; /* the component that changes most, other than by a straight line */
} comparison;

static double bend_of(const comparison *it, int i)
{
    return fabs(it->found[i] - 2.0 * it->past[0][i] + it->past[1][i]);
}

static int find_liveliest(const comparison *it, cd_span span)
{
    int found = span.begin;
    double most = 0.0;
    for (int i = span.begin; i < span.end; i++) {
        const double bend = bend_of(it, i);
        if (bend > most) {
            most = bend;
            found = i;
        }
    }
    return found;
}

/* The largest miss of one rule; `w` are its weights. */
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

/* All rules for numbers that stay in the cache meanwhile. */
static void compare_strip(const comparison *it, cd_span strip, double largest[CD_RULES])
{
    const int at = strip.begin;
    for (int rule = 0; rule < CD_RULES; rule++) {
        const double w[CD_PAST] = {it->weights[0][rule], it->weights[1][rule], it->weights[2][rule],
                                   it->weights[3][rule]};
        const double miss = miss_of(strip.end - at, w, it->past[0] + at, it->past[1] + at,
                                    it->past[2] + at, it->past[3] + at, it->found + at);
        largest[rule] = miss > largest[rule] ? miss : largest[rule];
    }
}

static void compare_span(void *self, int part)
{
    enum { STRIP = 256 };
    comparison *it = self;
    const cd_span span = cd_span_of(it->n, it->spans, part);
    memset(it->largest[part], 0, sizeof it->largest[part]);
    for (int begin = span.begin; begin < span.end; begin += STRIP) {
        const int end = begin + STRIP;
        compare_strip(it, (cd_span){begin, end < span.end ? end : span.end}, it->largest[part]);
    }
    if (it->spans > 1)
        it->liveliest[part] = find_liveliest(it, span);
}

static void offer_track(const comparison *it, int i, cd_tracks *tracks)
{
    const double values[] = {it->found[i], it->past[0][i], it->past[1][i], it->past[2][i],
                             it->past[3][i]};
    cd_tracks_offer(tracks, i, CD_PAST + 1, values);
}

/* Of every span the component that changes most, and the neighbours of the one that does so most of
 * all: what happens in a place has several components. */
static void offer_tracks(const comparison *it, cd_tracks *tracks)
{
    enum { NEIGHBOURS = 8 };
    int most = 0;
    for (int part = 0; part < it->spans; part++) {
        offer_track(it, it->liveliest[part], tracks);
        if (bend_of(it, it->liveliest[part]) > bend_of(it, it->liveliest[most]))
            most = part;
    }
    const int centre = it->liveliest[most];
    const int begin = centre > NEIGHBOURS ? centre - NEIGHBOURS : 0;
    for (int i = begin; i < it->n && i <= centre + NEIGHBOURS; i++)
        offer_track(it, i, tracks);
}

/* Lets errors[rule] grow to the largest miss of the rule. `tracks` may follow components; NULL: of
 * these none. */
static void compare(const cd_predictor *predictor, cd_team *team, int count, cd_predicted kind,
                    int n, const double *const *values, const double *found, double *errors,
                    cd_tracks *tracks)
{
    comparison it;
    it.found = found;
    it.n = n;
    it.spans = n >= MANY ? SPANS : 1;
    memcpy(it.weights, predictor->weights, sizeof it.weights);
    for (int j = 0; j < CD_PAST; j++) {
        it.weights[j][CD_FITTED] = predictor->fitted[kind][j];
        it.weights[j][CD_TRACKED] = predictor->tracked[kind] ? predictor->by_tracks[kind][j] : 0.0;
        it.past[j] = values[j < count ? j : 0];
    }
    cd_team_run(team, it.spans, compare_span, &it);
    for (int part = 0; part < it.spans; part++)
        for (int rule = 0; rule < CD_RULES; rule++)
            if (it.largest[part][rule] > errors[rule])
                errors[rule] = it.largest[part][rule];
    if (it.spans > 1 && count == CD_PAST && predictor->even && tracks != NULL)
        offer_tracks(&it, tracks);
}

/* Takes the new errors to those of the last comparisons. */
static void note_errors(cd_predictor *predictor, int count, cd_predicted kind, const double *errors)
{
    double *lately = predictor->errors[kind];
    for (int rule = 0; rule < CD_RULES; rule++) {
        const bool seen =
            states_of(rule) <= predictor->known && isfinite(lately[rule]) && lately[rule] > 0.0;
        if (!is_available(predictor, count, kind, rule))
            lately[rule] = INFINITY;
        else
            lately[rule] = seen ? sqrt(lately[rule] * errors[rule]) : errors[rule];
    }
}

void cd_predictor_learn(cd_predictor *predictor, cd_team *team, const cd_past *past, bool good,
                        const int sizes[3], const double *const found[3])
{
    enum { PAUSE = 3, FEW = 30 }; /* an iteration of so few costs no more than a comparison */
    const double *const *values[] = {past->vdot, past->lambda, past->psi};
    const cd_predicted kinds[] = {CD_PREDICTED_MOTION, CD_PREDICTED_MULTIPLIERS,
                                  CD_PREDICTED_MULTIPLIERS};
    double errors[CD_PREDICTED][CD_RULES] = {0};
    products sums[CD_PREDICTED] = {0};
    const int count = past->count;
    for (int kind = 0; kind < CD_PREDICTED; kind++)
        cd_tracks_note(&predictor->tracks[kind], found[kind]);
    if (good && predictor->known == count && predictor->wait > 0) {
        predictor->wait--;
        return;
    }
    for (int i = 0; i < 3; i++)
        if (sizes[i] > 0)
            compare(predictor, team, count, kinds[i], sizes[i], values[i], found[i],
                    errors[kinds[i]], i < CD_PREDICTED ? &predictor->tracks[i] : NULL);
    for (int kind = 0; kind < CD_PREDICTED; kind++)
        note_errors(predictor, count, (cd_predicted)kind, errors[kind]);
    predictor->fits = predictor->even && count >= FITTED_STATES;
    for (int i = 0; predictor->fits && i < 3; i++)
        add_products(sizes[i], found[i], values[i], &sums[kinds[i]]);
    for (int kind = 0; predictor->fits && kind < CD_PREDICTED; kind++)
        fit(&sums[kind], predictor->fitted[kind]);
    predictor->settled = false;
    predictor->wait = count < CD_PAST ? 0 : sizes[0] < FEW ? CD_PREDICTOR_PAUSE : PAUSE;
    predictor->known = count;
}
