/* Pictures of columns over time, by gnuplot. */
#ifndef CLI_PLOT_GNUPLOT_H
#define CLI_PLOT_GNUPLOT_H

#include "cli/results/result.h"

typedef enum cli_picture { CLI_SVG, CLI_PNG, CLI_PDF } cli_picture;

typedef struct cli_plot {
    const char *command, *path;
    cli_picture picture;
    const char *title; /* "": none */
    int width, height; /* pixels; a PDF has 100 of them an inch */
    bool log;          /* logarithmic axis of the values */
    const cli_result *result;
    const int *columns;
    int count;
} cli_plot;

/* Draws the columns, those of one unit in one panel, and writes the picture. Complains and returns
 * false if that fails. */
bool cli_plot_draw(const cli_plot *plot);

#endif
