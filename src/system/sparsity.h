/* Where a full matrix that is differenced has entries: found by probing, so that columns that share
 * no row are moved together (as those of linalg/colouring.h).
 *
 * Every difference checks what was found, by the bits of the equations themselves. The columns of a
 * group are numbered, and for each bit of these numbers the equations are evaluated once more: the
 * columns that have the bit are moved forward, the others backward. A row must then have the value
 * that it has when the whole group moves to the side of its own column; a row without a column in
 * the group may not change at all. Any two columns differ in a bit, so a row that depends on both
 * is found. The matrix is then differenced column by column, and probed again when it is needed
 * next, but not more than ten times. So its values are always those of single columns, to the last
 * bit. */
#ifndef CD_SYSTEM_SPARSITY_H
#define CD_SYSTEM_SPARSITY_H

typedef struct cd_sparsity {
    int rows, cols;
    int most;     /* groups; with more of them little is gained */
    int groups;   /* 0: not known, -1: column by column for good */
    int mistakes; /* how often they turned out to be wrong */
    int *group;   /* cols: the group of each column */
    int *owner;   /* most x rows: the column in the group that the row depends on, or -1 */
} cd_sparsity;

#endif
