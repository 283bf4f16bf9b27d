/* What rounding leaves of corrections, as earlier solves have shown it: in long chains of bodies
 * the matrix makes of rounding errors in F corrections that are larger than the tolerances. The
 * unknowns come in parts (velocities, multipliers, ...), each with a floor of its own. */
#ifndef CD_NEWTON_FLOOR_H
#define CD_NEWTON_FLOOR_H

enum { CD_FLOOR_PARTS = 4 };

typedef struct cd_floor {
    int parts;
    int end[CD_FLOOR_PARTS];     /* of each part, in unknowns */
    double seen[CD_FLOOR_PARTS]; /* the largest correction that was rounding lately */
} cd_floor;

/* Forgets what was seen; the parts stay. */
void cd_floor_forget(cd_floor *floor);

/* Makes weights so large that the floor is at most `share` of them, and lets it fade: it is to be
 * seen again now and then. Returns the largest floor relative to what the weight was. */
double cd_floor_raise(cd_floor *floor, double share, double *weights);

/* A correction that was found to be rounding. */
void cd_floor_learn(cd_floor *floor, const double *correction);

#endif
