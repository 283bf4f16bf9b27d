/* Extrapolation from the last states; predict.h says how the degree is chosen. */
#include "scheme/predict.h"

#include <math.h>

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

void cd_predictor_aim(cd_predictor *predictor, const cd_past *past, double t)
{
    if (past->count == 1)
        predictor->known = 0;
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

void cd_predictor_apply(const cd_predictor *predictor, const cd_past *past, cd_predicted kind,
                        int n, const double *const *values, double *out)
{
    const int p = degree_of(predictor, past->count, kind);
    const double *w = predictor->weights[p];
    for (int i = 0; i < n; i++)
        out[i] = w[0] * values[0][i];
    for (int j = 1; j <= p; j++)
        for (int i = 0; i < n; i++)
            out[i] += w[j] * values[j][i];
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
            errors[p] = fmax(errors[p], fabs(miss));
        }
    }
}

void cd_predictor_learn(cd_predictor *predictor, const cd_past *past, const int sizes[3],
                        const double *const found[3])
{
    double errors[CD_PREDICTED][CD_PAST] = {0};
    compare(predictor, past->count, sizes[0], past->vdot, found[0], errors[0]);
    compare(predictor, past->count, sizes[1], past->lambda, found[1], errors[1]);
    compare(predictor, past->count, sizes[2], past->psi, found[2], errors[1]);
    for (int kind = 0; kind < CD_PREDICTED; kind++)
        for (int p = 0; p < past->count; p++) {
            double *lately = &predictor->errors[kind][p];
            *lately = p < predictor->known ? sqrt(*lately * errors[kind][p]) : errors[kind][p];
        }
    predictor->known = past->count;
}
