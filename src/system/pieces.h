/* What a system can evaluate in pieces, by several threads at the same time. Only models can:
 * callbacks of users are never called by two threads at a time. */
#ifndef CD_SYSTEM_PIECES_H
#define CD_SYSTEM_PIECES_H

#include "base/team.h"

#include <cardan/system.h>

enum { CD_MOST_PIECES = 16, CD_PIECE_FUNCTIONS = 7, CD_WHOLE = -1 /* no piece: all of it */ };

/* What a callback has returned, and for which element; 0: all is well. */
typedef struct cd_failure {
    int code, element;
} cd_failure;

/* Piece `count` is the rest, which the calling thread does when the others have succeeded. */
typedef cd_failure cd_piece_function(void *context, const cardan_point *at, int piece, double *out);
typedef cd_failure cd_piece_evaluation(void *context, const cardan_point *at, int piece,
                                       const cardan_equation_values *out);

/* Pieces write different numbers, and all of them those of the callback, bit for bit. */
typedef struct cd_pieces {
    cardan_callback *accelerated; /* B v' + bias without B, m numbers; may be NULL */
    int count;                    /* 0: there are none */
    cd_piece_evaluation *prepare; /* of all pieces before `evaluate`; may be NULL */
    cd_piece_evaluation *evaluate;
    int functions;
    struct {
        cardan_callback *whole; /* as in the definition */
        cd_piece_function *piece;
    } function[CD_PIECE_FUNCTIONS];
} cd_pieces;

static inline void cd_pieces_add(cd_pieces *pieces, cardan_callback *whole,
                                 cd_piece_function *piece)
{
    pieces->function[pieces->functions].whole = whole;
    pieces->function[pieces->functions++].piece = piece;
}

struct cd_workspace;

/* The callback `function` of the definition, or `evaluate`, by the threads of the workspace. */
int cd_pieces_call(struct cd_workspace *ws, cardan_callback *function, const cardan_point *at,
                   double *out);
int cd_pieces_evaluate(struct cd_workspace *ws, const cardan_point *at,
                       const cardan_equation_values *out);

#endif
