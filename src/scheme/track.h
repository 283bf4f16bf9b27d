/* A few components followed over more steps than whole states are kept of: what they will be is
 * extrapolated by a polynomial of high degree plus the transient of the method, and the weights of
 * whole states are those with which these components come out best. Where one shape dominates, as
 * the tension of a long chain does, all components gain by that as much as the few. */
#ifndef CD_SCHEME_TRACK_H
#define CD_SCHEME_TRACK_H

#include <stdbool.h>

enum { CD_TRACKS = 24, CD_TRACK_STATES = 8, CD_TRACK_RULES = 5, CD_TRACK_WEIGHTS = 4 };

/* One component: its last values, the newest first. */
typedef struct cd_track {
    int index, known;
    double past[CD_TRACK_STATES];
} cd_track;

typedef struct cd_tracks {
    int count;
    cd_track each[CD_TRACKS];
    double errors[CD_TRACK_RULES]; /* of each rule lately, largest component; INFINITY: not known */
    /* Made of these when they are needed: */
    double root; /* of the transient that `rules` are for */
    double rules[CD_TRACK_RULES][CD_TRACK_STATES];
} cd_tracks;

/* Nothing is followed; a transient goes like root^n. */
void cd_tracks_forget(cd_tracks *tracks, double root);

/* A step of the same size has found these values of all components. */
void cd_tracks_note(cd_tracks *tracks, const double *found);

/* A component that changes much: followed from now on if there is room, or in place of one that
 * changes less. `values`: it has had, the newest first. */
void cd_tracks_offer(cd_tracks *tracks, int index, int count, const double *values);

/* Weights of the last CD_TRACK_WEIGHTS states for the next one. False: too little is known. */
bool cd_tracks_weigh(const cd_tracks *tracks, double *weights);

#endif
