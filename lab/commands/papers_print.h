/* Reports of `cardan papers` as text, as JSON and as a Markdown page. */
#ifndef CLI_PAPERS_PRINT_H
#define CLI_PAPERS_PRINT_H

#include "lab/papers/papers.h"

/* One experiment as a table, and the line at the end. */
void cli_papers_text(const papers_report *report);
void cli_papers_total(papers_report *const *reports, int count);

/* All of them; `figures` is the folder the figures are in, or NULL. */
void cli_papers_json(papers_report *const *reports, int count, const char *figures);
void cli_papers_markdown(papers_report *const *reports, int count, const char *figures);

/* Writes a figure as SVG; complains and returns false if that fails. */
bool cli_papers_draw(const char *command, const papers_figure *figure, const char *path);

#endif
