/* Figures: panels in one or two columns, each with two axes and a few series of points, written as
 * SVG. */
#ifndef PAPERS_FIGURE_H
#define PAPERS_FIGURE_H

#include <stdbool.h>
#include <stdio.h>

typedef enum papers_mark {
    PAPERS_LINE,
    PAPERS_DASHED,
    PAPERS_GUIDE, /* thin grey dashes: a slope to compare with */
    PAPERS_DOT,
    PAPERS_PLUS,
    PAPERS_SQUARE,
    PAPERS_CIRCLE,
    PAPERS_CROSS,
    PAPERS_STAR
} papers_mark;

typedef struct papers_series {
    char name[80];
    papers_mark mark;
    bool joined; /* marks joined by a line */
    double *x, *y;
    int count, room;
} papers_series;

typedef struct papers_axis {
    const char *label;
    bool log;
    double from, to; /* equal: as the data need */
} papers_axis;

enum { PAPERS_SERIES = 16, PAPERS_PANELS = 4, PAPERS_CAPTION = 640 };

typedef struct papers_panel {
    char title[80];
    papers_axis x, y;
    papers_series series[PAPERS_SERIES];
    int series_count;
} papers_panel;

typedef struct papers_figure {
    char name[40];
    char caption[PAPERS_CAPTION];
    papers_panel panels[PAPERS_PANELS];
    int panel_count;
} papers_figure;

papers_panel *papers_new_panel(papers_figure *figure, const char *title, papers_axis x,
                               papers_axis y);
__attribute__((format(printf, 4, 5))) papers_series *
papers_new_series(papers_panel *panel, papers_mark mark, bool joined, const char *name, ...);
void papers_push(papers_series *series, double x, double y);

/* A line of the given slope in double logarithmic scale, a little below the series. */
void papers_guide(papers_panel *panel, const papers_series *along, int slope);

/* Writes it as SVG. */
void papers_draw(const papers_figure *figure, FILE *out);

void papers_figure_release(papers_figure *figure);

#endif
