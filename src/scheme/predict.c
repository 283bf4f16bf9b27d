/* Extrapolation from the last states; predict.h says how the degree is chosen. */
#include "scheme/predict.h"

#include <math.h>
#include <string.h>

/* Lagrange's weights of the first p + 1 states at time t. */
static void lagrange(const cd_past *past, int p, double t, double *weights)
{
    for (int i = 0; i <= p; i++) {
        weights[i] = 1.0;
        for (int j = 0; j <= p; j++)
            if (j != i)
                weights[i] *= (t - past->t[j]) / (past->t[i] - past->t[j]);
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

void cd_predictor_aim(cd_predictor *predictor, const cd_past *past, double t)
{
    static const double even[CD_PAST][CD_PAST] = {
        {1.0}, {2.0, -1.0}, {3.0, -3.0, 1.0}, {4.0, -6.0, 4.0, -1.0}};
    if (past->count == 1)
        predictor->known = predictor->wait = 0;
    if (is_even(past, t)) {
        memcpy(predictor->weights, even, sizeof even);
        return;
    }
    for (int p = 0; p < past->count; p++)
        lagrange(past, p, t, predictor->weights[p]);
}

/* The best degree so far, and the next one if no higher has been compared yet. */
static int degree_of(const cd_predictor *predictor, int count, cd_predicted kind)
{
    const double *errors = predictor->errors[kind];
    const int known = predictor->known < count ? predictor->known : count;
    int best = 0;
    for (int p = 1; p < known; p++)
        if (errors[p] < errors[best])
            best = p;
    return best == known - 1 && known < count ? known : best;
}

/* out = sum of w_j x_j over p + 1 vectors, in one pass. */
static void combine(int n, int p, const double *w, const double *const *x, double *restrict out)
{
    const double *restrict a = x[0], *restrict b = x[p > 0 ? 1 : 0];
    const double *restrict c = x[p > 1 ? 2 : 0], *restrict d = x[p > 2 ? 3 : 0];
    switch (p) {
    case 0:
        for (int i = 0; i < n; i++)
            out[i] = w[0] * a[i];
        break;
    case 1:
        for (int i = 0; i < n; i++)
            out[i] = w[0] * a[i] + w[1] * b[i];
        break;
    case 2:
        for (int i = 0; i < n; i++)
            out[i] = w[0] * a[i] + w[1] * b[i] + w[2] * c[i];
        break;
    default:
        for (int i = 0; i < n; i++)
            out[i] = w[0] * a[i] + w[1] * b[i] + w[2] * c[i] + w[3] * d[i];
    }
}

void cd_predictor_apply(const cd_predictor *predictor, const cd_past *past, cd_predicted kind,
                        int n, const double *const *values, double *out)
{
    const int p = degree_of(predictor, past->count, kind);
    if (n > 0)
        combine(n, p, predictor->weights[p], values, out);
}

/* Lets errors[p] grow to the largest miss of degree p. */
static void compare(const cd_predictor *predictor, int count, int n, const double *const *values,
                    const double *found, double *errors)
{
    for (int p = 0; p < count; p++) {
        const double *w = predictor->weights[p];
        for (int i = 0; i < n; i++) {
            double miss = found[i];
            for (int j = 0; j <= p; j++)
                miss -= w[j] * values[j][i];
            miss = fabs(miss);
            errors[p] = miss > errors[p] ? miss : errors[p];
        }
    }
}

void cd_predictor_learn(cd_predictor *predictor, const cd_past *past, bool good, const int sizes[3],
                        const double *const found[3])
{
    enum { PAUSE = 3 };
    double errors[CD_PREDICTED][CD_PAST] = {0};
    if (good && predictor->known == past->count && predictor->wait > 0) {
        predictor->wait--;
        return;
    }
    compare(predictor, past->count, sizes[0], past->vdot, found[0], errors[0]);
    compare(predictor, past->count, sizes[1], past->lambda, found[1], errors[1]);
    compare(predictor, past->count, sizes[2], past->psi, found[2], errors[1]);
    for (int kind = 0; kind < CD_PREDICTED; kind++)
        for (int p = 0; p < past->count; p++) {
            double *lately = &predictor->errors[kind][p];
            *lately = p < predictor->known ? sqrt(*lately * errors[kind][p]) : errors[kind][p];
        }
    predictor->wait = past->count == CD_PAST ? PAUSE : 0;
    predictor->known = past->count;
}
