/* A part of the factors that is made anew while the others stay.
 *
 * Where only a few bodies turn, the iteration matrix changes only there: of a chain of 100 000
 * links that begins to fall the first twenty turn. A part consists of the units where the matrix
 * has changed and of all units that they act on when they are eliminated, their ancestors. What the
 * others add to the blocks of the part stays what it was and is kept, so that a renewal costs in
 * proportion to the part. Entries between the part and the others stay, too.
 *
 * Life: choose; then, as often as needed, open, add the entries (those of other units are dropped),
 * factor. After a factorization of the whole the same units are the part. */
#ifndef CD_LINALG_BLOCK_PART_H
#define CD_LINALG_BLOCK_PART_H

#include "block_store.h"

/* Room for parts; false if memory runs out. */
bool cd_block_part_make(cd_block_lu *lu, cd_arena *arena);

/* Adds to the part the units that have larger numbers than `limit` in the first `rows` of x, and
 * their ancestors. False: there would be too many, or more than `growth` times as many as before
 * (0: as many as you like); nothing was added. */
bool cd_block_part_choose(cd_block_lu *lu, int rows, double limit, const double *x, int growth);
/* There is no part any more; if it was open, there are no factors either. */
void cd_block_part_forget(cd_block_lu *lu);

/* What of the factors is the part; 0: there is none. */
double cd_block_part_share(const cd_block_lu *lu);

/* The blocks of the part become what the others have added to them. */
void cd_block_part_open(cd_block_lu *lu);
/* False: declined, and the numbers of the part are lost. */
bool cd_block_part_factor(cd_block_lu *lu);

/* Which units are the part, as bytes, for a checkpoint. */
size_t cd_block_part_size(const cd_block_lu *lu);
void cd_block_part_save(const cd_block_lu *lu, char *bytes);
bool cd_block_part_accepts(const cd_block_lu *lu, const char *bytes);
void cd_block_part_load(cd_block_lu *lu, const char *bytes);

#endif
