/* See track.h. */
#include "track.h"

#include "base/numeric.h"

#include <math.h>
#include <string.h>

enum { DIFFERENCES = CD_TRACK_WEIGHTS - 1 };

/* x_{n+1} = sum of w_i x_{n-i} where (E - 1)^smooth (E - root)^transient x = 0 and E goes on by a
 * step. The index-3 form has a double root: 0.9^n and n 0.9^n, with alternating signs. */
static const struct {
    int smooth, transient;
} shapes[CD_TRACK_RULES] = {{4, 1}, {5, 0}, {4, 2}, {5, 2}, {6, 2}};

static int states_of(int rule)
{
    return shapes[rule].smooth + shapes[rule].transient;
}

/* The coefficients after the first of a polynomial with these roots, with opposite signs. */
static void expand(int rule, double root, double *weights)
{
    double polynomial[CD_TRACK_STATES + 1] = {1.0};
    for (int i = 0; i < states_of(rule); i++)
        for (int j = i + 1; j > 0; j--)
            polynomial[j] -= (i < shapes[rule].smooth ? 1.0 : root) * polynomial[j - 1];
    for (int i = 0; i < CD_TRACK_STATES; i++)
        weights[i] = -polynomial[i + 1];
}

void cd_tracks_forget(cd_tracks *tracks, double root)
{
    tracks->count = 0;
    tracks->root = root;
    for (int rule = 0; rule < CD_TRACK_RULES; rule++) {
        tracks->errors[rule] = INFINITY;
        expand(rule, root, tracks->rules[rule]);
    }
}

static double extrapolate(const cd_tracks *tracks, int rule, const cd_track *track)
{
    double sum = 0.0;
    for (int i = 0; i < states_of(rule); i++)
        sum += tracks->rules[rule][i] * track->past[i];
    return sum;
}

/* The geometric mean of the misses, where later ones count more; what rested says nothing. */
static void note_miss(cd_tracks *tracks, int rule, const double *found)
{
    double largest = 0.0, *lately = &tracks->errors[rule];
    bool seen = false;
    for (int i = 0; i < tracks->count; i++) {
        const cd_track *track = &tracks->each[i];
        if (track->known < states_of(rule))
            continue;
        seen = true;
        largest = cd_larger(largest, fabs(found[track->index] - extrapolate(tracks, rule, track)));
    }
    if (seen)
        *lately = isfinite(*lately) && *lately > 0.0 ? sqrt(*lately * largest) : largest;
}

void cd_tracks_note(cd_tracks *tracks, const double *found)
{
    for (int rule = 0; rule < CD_TRACK_RULES && tracks->count > 0; rule++)
        note_miss(tracks, rule, found);
    for (int i = 0; i < tracks->count; i++) {
        cd_track *track = &tracks->each[i];
        memmove(track->past + 1, track->past, sizeof track->past - sizeof *track->past);
        track->past[0] = found[track->index];
        track->known += track->known < CD_TRACK_STATES;
    }
}

/* How much a component changes that no straight line follows. */
static double bend(const double *values)
{
    return fabs(values[0] - 2.0 * values[1] + values[2]);
}

void cd_tracks_offer(cd_tracks *tracks, int index, int count, const double *values)
{
    int least = 0;
    for (int i = 0; i < tracks->count; i++) {
        if (tracks->each[i].index == index)
            return;
        if (bend(tracks->each[i].past) < bend(tracks->each[least].past))
            least = i;
    }
    if (tracks->count < CD_TRACKS)
        least = tracks->count++;
    else if (!(bend(values) > bend(tracks->each[least].past)))
        return;
    cd_track *track = &tracks->each[least];
    *track = (cd_track){.index = index, .known = count};
    memcpy(track->past, values, (size_t)count * sizeof *values);
}

static int best_rule(const cd_tracks *tracks)
{
    int best = 0;
    for (int rule = 1; rule < CD_TRACK_RULES; rule++)
        if (tracks->errors[rule] < tracks->errors[best])
            best = rule;
    return best;
}

/* Sums for the coefficients c of the last differences with which sum c_i d_i is the next one, by
 * least squares. */
typedef struct normal {
    double matrix[DIFFERENCES][DIFFERENCES], right[DIFFERENCES];
} normal;

static void add_track(const cd_track *track, double change, normal *sum)
{
    double d[DIFFERENCES];
    for (int i = 0; i < DIFFERENCES; i++)
        d[i] = track->past[i] - track->past[i + 1];
    for (int i = 0; i < DIFFERENCES; i++) {
        sum->right[i] += d[i] * change;
        for (int j = 0; j < DIFFERENCES; j++)
            sum->matrix[i][j] += d[i] * d[j];
    }
}

/* By elimination; differences that are nearly parallel get small coefficients. */
static void find_coefficients(normal *sum, double *c)
{
    double trace = 0.0;
    for (int i = 0; i < DIFFERENCES; i++)
        trace += sum->matrix[i][i];
    for (int i = 0; i < DIFFERENCES; i++)
        sum->matrix[i][i] += 1e-10 * trace;
    for (int i = 0; i < DIFFERENCES; i++)
        for (int row = i + 1; row < DIFFERENCES; row++) {
            const double factor = sum->matrix[row][i] / sum->matrix[i][i];
            for (int j = i; j < DIFFERENCES; j++)
                sum->matrix[row][j] -= factor * sum->matrix[i][j];
            sum->right[row] -= factor * sum->right[i];
        }
    for (int i = DIFFERENCES - 1; i >= 0; i--) {
        c[i] = sum->right[i];
        for (int j = i + 1; j < DIFFERENCES; j++)
            c[i] -= sum->matrix[i][j] * c[j];
        c[i] /= sum->matrix[i][i];
    }
}

bool cd_tracks_weigh(const cd_tracks *tracks, double *weights)
{
    const double most = 6.0; /* of a coefficient: a cubic polynomial has 3, -3, 1 */
    if (tracks->count == 0)
        return false;
    const int rule = best_rule(tracks);
    normal sum = {0};
    double c[DIFFERENCES];
    int used = 0;
    if (!isfinite(tracks->errors[rule]))
        return false;
    for (int i = 0; i < tracks->count; i++) {
        const cd_track *track = &tracks->each[i];
        if (track->known < states_of(rule))
            continue;
        add_track(track, extrapolate(tracks, rule, track) - track->past[0], &sum);
        used++;
    }
    if (used <= DIFFERENCES)
        return false;
    find_coefficients(&sum, c);
    for (int i = 0; i < DIFFERENCES; i++)
        if (!(fabs(c[i]) <= most))
            return false;
    weights[0] = 1.0 + c[0];
    weights[1] = c[1] - c[0];
    weights[2] = c[2] - c[1];
    weights[3] = -c[2];
    return true;
}
