/* The picture of a work-precision study: a panel for each quantity, a line for each method with
 * fixed steps (full) and one for its adaptive steps (dashed). */
#include "workprec.h"

#include "lab/papers/figure.h"
#include "papers_print.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Names stand below the first panel only: the others have the same lines. */
static papers_series *series_of(papers_panel *panel, const cli_workprec_run *run, bool named)
{
    static const papers_mark marks[] = {PAPERS_CIRCLE, PAPERS_CROSS};
    const char *way = run->solver->is_ida ? "" : run->adaptive ? ", adaptive" : ", fixed steps";
    return papers_new_series(panel, marks[run->adaptive], true, "%s%s",
                             named ? run->solver->name : "", named ? way : "");
}

static void fill_panel(const cli_workprec *study, papers_panel *panel, int quantity, bool named)
{
    papers_series *series = NULL;
    const cli_workprec_run *before = NULL;
    for (int i = 0; i < study->run_count; i++) {
        const cli_workprec_run *run = &study->runs[i];
        if (run->failure[0] != '\0')
            continue;
        if (before == NULL || before->solver != run->solver || before->adaptive != run->adaptive)
            series = series_of(panel, run, named);
        papers_push(series, cli_workprec_cost(run, study->cost), run->errors[quantity]);
        before = run;
    }
}

bool cli_workprec_draw(const cli_workprec *study)
{
    static const int quantities[] = {CLI_Q, CLI_V, CLI_LAMBDA, CLI_PSI};
    papers_figure *figure = cli_allocate(1, sizeof *figure);
    const papers_axis cost = {
        study->cost == CLI_COST_TIME ? "time (s)" : cli_cost_names[study->cost], true, 0.0, 0.0};
    char title[64];
    snprintf(figure->caption, sizeof figure->caption,
             "%s, t = %g to %g: error %s over cost. Reference: %.400s", study->setup.problem,
             study->begin, study->setup.end, study->largest ? "at its largest" : "at the end",
             study->reference_text);
    for (int i = 0; i < 4; i++) {
        const papers_axis error = {"error", true, 0.0, 0.0};
        if (!cli_workprec_has(study, quantities[i]))
            continue;
        snprintf(title, sizeof title, "error of %s", cli_quantity_names[quantities[i]]);
        papers_panel *panel = papers_new_panel(figure, title, cost, error);
        fill_panel(study, panel, quantities[i], figure->panel_count == 1);
    }
    const bool drawn = cli_papers_draw(study->setup.command, figure, study->plot);
    papers_figure_release(figure);
    free(figure);
    return drawn;
}
