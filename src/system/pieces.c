/* Calls of callbacks, whole or in pieces. Of several failures that of the first element counts, as
 * without pieces. */
#include "system/pieces.h"

#include "system/workspace.h"

typedef struct job {
    void *context;
    const cardan_point *at;
    cd_piece_evaluation *evaluate;
    const cardan_parts *parts;
    cd_piece_function *function;
    double *out;
    cd_failure failure[CD_MOST_PIECES];
} job;

static cd_failure do_piece(const job *it, int piece)
{
    return it->function != NULL ? it->function(it->context, it->at, piece, it->out)
                                : it->evaluate(it->context, it->at, piece, it->parts);
}

static void run_piece(void *self, int piece)
{
    job *it = self;
    it->failure[piece] = do_piece(it, piece);
}

static int run(cd_team *team, job *it, int count)
{
    cd_failure first = {0, 0};
    cd_team_run(team, count, run_piece, it);
    for (int i = 0; i < count; i++)
        if (it->failure[i].code != 0 && (first.code == 0 || it->failure[i].element < first.element))
            first = it->failure[i];
    return first.code != 0 ? first.code : do_piece(it, count).code;
}

int cd_pieces_call(cd_workspace *ws, cardan_function *function, const cardan_point *at, double *out)
{
    const cd_pieces *pieces = &ws->system->pieces;
    job it = {.context = ws->system->def.context, .at = at, .out = out};
    for (int i = 0; ws->team != NULL && i < pieces->functions; i++)
        if (pieces->function[i].whole == function)
            it.function = pieces->function[i].piece;
    return it.function != NULL ? run(ws->team, &it, pieces->count) : function(it.context, at, out);
}

int cd_pieces_evaluate(cd_workspace *ws, const cardan_point *at, const cardan_parts *out)
{
    const cd_pieces *pieces = &ws->system->pieces;
    const cardan_system_def *def = &ws->system->def;
    job it = {.context = def->context, .at = at, .parts = out};
    if (ws->team == NULL || pieces->count == 0)
        return def->evaluate(def->context, at, out);
    if (pieces->prepare != NULL) {
        it.evaluate = pieces->prepare;
        run(ws->team, &it, pieces->count);
    }
    it.evaluate = pieces->evaluate;
    return run(ws->team, &it, pieces->count);
}
