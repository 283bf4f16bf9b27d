/* Calls callbacks, whole or in pieces; of several failures that of the first element counts. */
#include "pieces.h"

#include "workspace.h"

/* What is done with a piece, and its result for every one of them. */
typedef cd_failure piece_job(const void *self, int piece);

typedef struct piece_run {
    piece_job *job;
    const void *self;
    cd_failure failure[CD_MOST_PIECES];
} piece_run;

/* Does the job for one piece and keeps its failure. */
static void run_piece(void *object, int piece)
{
    piece_run *it = object;
    it->failure[piece] = it->job(it->self, piece);
}

/* Does the job for all pieces with the threads of the workspace and then for piece `count`; without
 * threads or pieces, for CD_WHOLE. Returns the code of the first element that failed. */
static int run_pieces(cd_workspace *ws, piece_job *job, const void *self)
{
    const int count = ws->services.team != NULL ? ws->system->pieces.count : 0;
    piece_run it = {.job = job, .self = self};
    cd_failure first = {0, 0};
    if (count == 0)
        return job(self, CD_WHOLE).code;
    cd_team_run(ws->services.team, count, run_piece, &it);
    for (int i = 0; i < count; i++)
        if (it.failure[i].code != 0 && (first.code == 0 || it.failure[i].element < first.element))
            first = it.failure[i];
    return first.code != 0 ? first.code : job(self, count).code;
}

typedef struct callback_call {
    void *context;
    const cardan_point *at;
    cardan_callback *whole;
    cd_piece_function *piece;
    double *out;
} callback_call;

/* Calls a callback for one piece or, for CD_WHOLE, for all of the system. */
static cd_failure call_piece(const void *self, int piece)
{
    const callback_call *it = self;
    return piece == CD_WHOLE ? (cd_failure){it->whole(it->context, it->at, it->out), 0}
                             : it->piece(it->context, it->at, piece, it->out);
}

int cd_pieces_call(cd_workspace *ws, cardan_callback *function, const cardan_point *at, double *out)
{
    const cd_pieces *pieces = &ws->system->pieces;
    callback_call it = {
        .context = ws->system->def.context, .at = at, .whole = function, .out = out};
    for (int i = 0; i < pieces->functions; i++)
        if (pieces->function[i].whole == function)
            it.piece = pieces->function[i].piece;
    return it.piece != NULL ? run_pieces(ws, call_piece, &it) : function(it.context, at, out);
}

typedef struct evaluation {
    const cardan_system_def *def;
    const cardan_point *at;
    const cardan_equation_values *values;
    cd_piece_evaluation *prepare, *evaluate; /* of pieces only */
} evaluation;

static cd_failure prepare_piece(const void *self, int piece)
{
    const evaluation *it = self;
    return piece == CD_WHOLE ? (cd_failure){0, 0}
                             : it->prepare(it->def->context, it->at, piece, it->values);
}

static cd_failure evaluate_piece(const void *self, int piece)
{
    const evaluation *it = self;
    return piece == CD_WHOLE
               ? (cd_failure){it->def->evaluate(it->def->context, it->at, it->values), 0}
               : it->evaluate(it->def->context, it->at, piece, it->values);
}

int cd_pieces_evaluate(cd_workspace *ws, const cardan_point *at, const cardan_equation_values *out)
{
    const cd_pieces *pieces = &ws->system->pieces;
    const evaluation it = {.def = &ws->system->def,
                           .at = at,
                           .values = out,
                           .prepare = pieces->prepare,
                           .evaluate = pieces->evaluate};
    if (it.prepare != NULL)
        run_pieces(ws, prepare_piece, &it);
    return run_pieces(ws, evaluate_piece, &it);
}
