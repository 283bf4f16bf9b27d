/* The predictor: weights of each degree, and how well the degrees have predicted; see predict.h. */
#include "predict.h"

#include "base/wide.h"

#include <math.h>

/* Do the step to t and the last ones have the same size? */
static bool are_equal_steps(const cd_history *history, double t)
{
    const double h = t - history->t[0], rounding = 1e-9;
    for (int i = 1; i < history->count; i++)
        if (fabs(history->t[i - 1] - history->t[i] - h) > rounding * h)
            return false;
    return true;
}

/* Extrapolation by a polynomial of degree p in equal steps: the (p + 1)th difference is 0. */
static const double equal_step_weights[CD_HISTORY][CD_HISTORY] = {
    {1.0, 0.0, 0.0, 0.0}, {2.0, -1.0, 0.0, 0.0}, {3.0, -3.0, 1.0, 0.0}, {4.0, -6.0, 4.0, -1.0}};

/* The weights of the first `degree` + 1 states in the prediction; Lagrange's if steps differ. */
static void find_weights(const cd_predictor *predictor, const cd_history *history, int degree,
                         double weights[CD_HISTORY])
{
    for (int i = 0; i < CD_HISTORY; i++) {
        weights[i] = predictor->equal_steps ? equal_step_weights[degree][i]
                     : i <= degree          ? 1.0
                                            : 0.0;
        for (int j = 0; !predictor->equal_steps && i <= degree && j <= degree; j++)
            if (j != i)
                weights[i] *= (predictor->t - history->t[j]) / (history->t[i] - history->t[j]);
    }
}

/* The degree with the smallest misses lately; after the highest one compared, the next one. */
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

void cd_predictor_aim(cd_predictor *predictor, const cd_history *history, double t)
{
    if (history->count == 1)
        predictor->known = predictor->wait = 0;
    predictor->t = t;
    predictor->equal_steps = are_equal_steps(history, t);
    for (int kind = 0; kind < CD_PREDICTED; kind++) {
        predictor->degree[kind] = choose_degree(predictor, history->count, (cd_predicted)kind);
        find_weights(predictor, history, predictor->degree[kind], predictor->weights[kind]);
    }
}

static CD_WIDE void combine_states(cd_span span, const double w[CD_HISTORY],
                                   const double *restrict a, const double *restrict b,
                                   const double *restrict c, const double *restrict d,
                                   double *restrict out)
{
    for (int i = span.begin; i < span.end; i++)
        out[i] = w[0] * a[i] + w[1] * b[i] + w[2] * c[i] + w[3] * d[i];
}

/* The values of state j; unknown states have the weight 0, and the newest stands for them. */
static const double *vector_of(const double *const *values, int known, int j)
{
    return values[j < known ? j : 0];
}

void cd_predictor_apply(const cd_predictor *predictor, cd_predicted kind, cd_span span,
                        const double *const *values, double *out)
{
    const int known = predictor->degree[kind] + 1;
    if (span.end > span.begin)
        combine_states(span, predictor->weights[kind], values[0], vector_of(values, known, 1),
                       vector_of(values, known, 2), vector_of(values, known, 3), out);
}

/* The largest error of a prediction with the weights w. */
static CD_WIDE double largest_miss(int n, const double w[CD_HISTORY], const double *restrict a,
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

/* Raises errors[degree] to the largest miss of every degree. */
static void compare_degrees(const cd_predictor *predictor, const cd_history *history, int n,
                            const double *const *values, const double *found, double *errors)
{
    enum { STRIP = 256 }; /* numbers that stay in the cache while all degrees pass */
    double weights[CD_HISTORY][CD_HISTORY];
    const double *x[CD_HISTORY];
    for (int j = 0; j < CD_HISTORY; j++) {
        find_weights(predictor, history, j < history->count ? j : 0, weights[j]);
        x[j] = vector_of(values, history->count, j);
    }
    for (int at = 0; at < n; at += STRIP)
        for (int degree = 0; degree < history->count; degree++) {
            const int count = n - at < STRIP ? n - at : STRIP;
            const double miss = largest_miss(count, weights[degree], x[0] + at, x[1] + at,
                                             x[2] + at, x[3] + at, found + at);
            errors[degree] = miss > errors[degree] ? miss : errors[degree];
        }
}

/* Averages misses with earlier ones, geometrically; 0 does not count: nothing has moved. */
static void note_errors(cd_predictor *predictor, int count, cd_predicted kind, const double *errors)
{
    double *lately = predictor->errors[kind];
    for (int degree = 0; degree < count; degree++) {
        const bool seen = degree < predictor->known && lately[degree] > 0.0;
        lately[degree] = seen ? sqrt(lately[degree] * errors[degree]) : errors[degree];
    }
}

void cd_predictor_learn(cd_predictor *predictor, const cd_history *history, bool good,
                        const int sizes[3], const double *const found[3])
{
    enum { PAUSE = 3, FEW = 30 }; /* with so few numbers an iteration costs no more than this */
    const double *const *values[] = {history->vdot, history->lambda, history->psi};
    const cd_predicted kinds[] = {CD_PREDICTED_MOTION, CD_PREDICTED_MULTIPLIERS,
                                  CD_PREDICTED_MULTIPLIERS};
    double errors[CD_PREDICTED][CD_HISTORY] = {0};
    const int count = history->count;
    if (good && predictor->known == count && predictor->wait > 0) {
        predictor->wait--;
        return;
    }
    for (int i = 0; i < 3; i++)
        if (sizes[i] > 0)
            compare_degrees(predictor, history, sizes[i], values[i], found[i], errors[kinds[i]]);
    for (int kind = 0; kind < CD_PREDICTED; kind++)
        note_errors(predictor, count, (cd_predicted)kind, errors[kind]);
    predictor->wait = count < CD_HISTORY ? 0 : sizes[0] < FEW ? CD_PREDICTOR_PAUSE : PAUSE;
    predictor->known = count;
}
