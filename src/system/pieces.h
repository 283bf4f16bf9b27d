/* Callbacks that are evaluated in pieces, by several threads at the same time. Only models have
 * pieces: callbacks of users are never called by two threads at a time. */
#ifndef CD_SYSTEM_PIECES_H
#define CD_SYSTEM_PIECES_H

#include "base/team.h"

#include <cardan/system.h>

enum { CD_MOST_PIECES = 16, CD_PIECE_FUNCTIONS = 7, CD_WHOLE = -1 /* no piece: all of it */ };

/* What a callback has returned (0: success), and for which element. */
typedef struct cd_failure {
    int code, element;
} cd_failure;

/* Evaluates one piece; number cd_pieces.count is what remains to be done after all others. */
typedef cd_failure cd_piece_function(void *context, const cardan_point *at, int piece, double *out);
typedef cd_failure cd_piece_evaluation(void *context, const cardan_point *at, int piece,
                                       const cardan_equation_values *out);

/* Every number is written by one piece, and is that of the callback, bit for bit. */
typedef struct cd_pieces {
    cardan_callback *accelerated; /* B v' + bias without B, m numbers; may be NULL */
    int count;                    /* 0: there are none */
    cd_piece_evaluation *prepare; /* called for all pieces before `evaluate`; may be NULL */
    cd_piece_evaluation *evaluate;
    int functions;
    struct {
        cardan_callback *whole; /* as in the definition */
        cd_piece_function *piece;
    } function[CD_PIECE_FUNCTIONS];
} cd_pieces;

/* Registers the function that evaluates a callback of the definition in pieces. */
static inline void cd_pieces_add(cd_pieces *pieces, cardan_callback *whole,
                                 cd_piece_function *piece)
{
    pieces->function[pieces->functions].whole = whole;
    pieces->function[pieces->functions++].piece = piece;
}

struct cd_workspace;

/* Call a callback of the definition, or `evaluate`, with the threads of the workspace. */
int cd_pieces_call(struct cd_workspace *ws, cardan_callback *function, const cardan_point *at,
                   double *out);
int cd_pieces_evaluate(struct cd_workspace *ws, const cardan_point *at,
                       const cardan_equation_values *out);

#endif
