/* What a figure consists of; svg.c draws it. */
#include "figure.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

papers_panel *papers_new_panel(papers_figure *figure, const char *title, papers_axis x,
                               papers_axis y)
{
    papers_panel *panel = &figure->panels[figure->panel_count++];
    snprintf(panel->title, sizeof panel->title, "%s", title);
    panel->x = x;
    panel->y = y;
    return panel;
}

papers_series *papers_new_series(papers_panel *panel, papers_mark mark, bool joined,
                                 const char *name, ...)
{
    papers_series *series = &panel->series[panel->series_count++];
    va_list arguments;
    series->mark = mark;
    series->joined = joined;
    va_start(arguments, name);
    vsnprintf(series->name, sizeof series->name, name, arguments);
    va_end(arguments);
    return series;
}

void papers_push(papers_series *series, double x, double y)
{
    if (series->count == series->room) {
        series->room = series->room > 0 ? 2 * series->room : 64;
        const size_t bytes = (size_t)series->room * sizeof *series->x;
        series->x = realloc(series->x, bytes);
        series->y = realloc(series->y, bytes);
        if (series->x == NULL || series->y == NULL) {
            fputs("cardan: out of memory\n", stderr);
            exit(1);
        }
    }
    series->x[series->count] = x;
    series->y[series->count++] = y;
}

void papers_guide(papers_panel *panel, const papers_series *along, int slope)
{
    if (along->count == 0)
        return;
    const int last = along->count - 1;
    papers_series *guide = papers_new_series(panel, PAPERS_GUIDE, true, "slope %d", slope);
    papers_push(guide, along->x[0],
                0.5 * along->y[last] * pow(along->x[0] / along->x[last], slope));
    papers_push(guide, along->x[last], 0.5 * along->y[last]);
}

void papers_figure_release(papers_figure *figure)
{
    for (int p = 0; p < figure->panel_count; p++)
        for (int s = 0; s < figure->panels[p].series_count; s++) {
            free(figure->panels[p].series[s].x);
            free(figure->panels[p].series[s].y);
        }
}
