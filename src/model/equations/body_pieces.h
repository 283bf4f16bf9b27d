/* A model cut into pieces that threads evaluate side by side.
 *
 * Every body belongs to one piece. A piece evaluates all elements that act on its bodies, and adds
 * to the rows of its bodies only: an element between two pieces is evaluated in both. So all sums
 * are added up in the same order as without pieces, and results are the same bit for bit. */
#ifndef CD_MODEL_PIECES_H
#define CD_MODEL_PIECES_H

#include "chain.h"
#include "system/pieces.h"

typedef struct cd_piece {
    int number;                       /* -1: the whole model */
    int bodies, elements;             /* how many */
    const int *body, *element;        /* which; NULL: 0, 1, 2, ... Counters follow the bodies */
    const int *owner, *element_owner; /* pieces of all bodies (cd_site_number) and of all elements'
                                         own rows; NULL: all belong to this piece */
} cd_piece;

/* Elements that call functions of the user come last and in the piece `count`, which is for the
 * calling thread alone. */
typedef struct cd_partition {
    int count; /* 0: the model is too small */
    cd_piece whole, piece[CD_MOST_PIECES + 1];
} cd_partition;

/* Cuts a model whose coordinates are numbered; memory comes from its layout_arena. */
void cd_partition_make(const cardan_model *model, cd_arena *arena, cd_partition *out);

static inline int cd_piece_body(const cd_piece *piece, int i)
{
    return piece->body != NULL ? piece->body[i] : i;
}

static inline int cd_piece_element(const cd_piece *piece, int i)
{
    return piece->element != NULL ? piece->element[i] : i;
}

/* Whether the rows of a body, or an element's own rows, belong to the piece. */
static inline bool cd_piece_owns(const cd_piece *piece, int site)
{
    return piece->owner == NULL || piece->owner[site] == piece->number;
}

static inline bool cd_piece_owns_rows(const cd_piece *piece, int element)
{
    return piece->element_owner == NULL || piece->element_owner[element] == piece->number;
}

/* Bit p: part p of the element's wiring (layout.h) belongs to a body of the piece. */
unsigned cd_piece_parts(const cardan_model *model, const cd_piece *piece,
                        const cd_element *element);

#endif
