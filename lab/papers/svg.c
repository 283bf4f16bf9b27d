/* Draws a figure as SVG: panels in one or two columns, linear or logarithmic axes, legends below
 * the axes and the caption at the foot. */
#include "figure.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    PLOT_WIDTH = 360,
    PLOT_HEIGHT = 250,
    LEFT = 74,
    RIGHT = 18,
    TOP = 34,
    BELOW = 46, /* tick labels and the axis's name */
    LEGEND_LINE = 18,
    CAPTION_LINE = 16,
    MOST_POINTS = 700 /* of a series; more are thinned out */
};

static const char *const colours[] = {"#0b5fa5", "#c2410c", "#15803d", "#7e22ce",
                                      "#a16207", "#0e7490", "#be123c", "#374151"};

/* Where a panel stands and how its numbers become pixels. */
typedef struct frame {
    FILE *out;
    double left, top;
    bool log_x, log_y;
    double x0, x1, y0, y1; /* ends of the axes, logarithms for a logarithmic one */
} frame;

static void put_text(FILE *out, const char *text)
{
    for (const char *c = text; *c != '\0'; c++) {
        if (*c == '&')
            fputs("&amp;", out);
        else if (*c == '<')
            fputs("&lt;", out);
        else if (*c == '>')
            fputs("&gt;", out);
        else
            fputc(*c, out);
    }
}

static double scaled(bool logarithmic, double value)
{
    return logarithmic ? log10(value) : value;
}

static bool drawable(const papers_panel *panel, double x, double y)
{
    return isfinite(x) && isfinite(y) && (!panel->x.log || x > 0.0) && (!panel->y.log || y > 0.0);
}

static void widen(double *from, double *to, double value)
{
    *from = fmin(*from, value);
    *to = fmax(*to, value);
}

/* The ends of an axis: as given, or the data with a margin. */
static void close_axis(const papers_axis *axis, double *from, double *to)
{
    if (axis->from < axis->to) {
        *from = scaled(axis->log, axis->from);
        *to = scaled(axis->log, axis->to);
        return;
    }
    if (!(*from < *to)) {
        const double middle = isfinite(*from) ? *from : 0.0;
        *from = middle - 1.0;
        *to = middle + 1.0;
    }
    const double margin = 0.05 * (*to - *from);
    *from -= margin;
    *to += margin;
}

static frame place(FILE *out, const papers_panel *panel, int position, int height)
{
    const int row = position / 2;
    frame f = {.out = out,
               .left = LEFT + (position % 2) * (double)(LEFT + PLOT_WIDTH + RIGHT),
               .top = TOP + row * height,
               .log_x = panel->x.log,
               .log_y = panel->y.log,
               .x0 = INFINITY,
               .x1 = -INFINITY,
               .y0 = INFINITY,
               .y1 = -INFINITY};
    for (int s = 0; s < panel->series_count; s++)
        for (int i = 0; i < panel->series[s].count; i++) {
            const double x = panel->series[s].x[i], y = panel->series[s].y[i];
            if (!drawable(panel, x, y))
                continue;
            widen(&f.x0, &f.x1, scaled(f.log_x, x));
            widen(&f.y0, &f.y1, scaled(f.log_y, y));
        }
    close_axis(&panel->x, &f.x0, &f.x1);
    close_axis(&panel->y, &f.y0, &f.y1);
    return f;
}

static double pixel_x(const frame *f, double x)
{
    return f->left + PLOT_WIDTH * (scaled(f->log_x, x) - f->x0) / (f->x1 - f->x0);
}

static double pixel_y(const frame *f, double y)
{
    return f->top + PLOT_HEIGHT * (1.0 - (scaled(f->log_y, y) - f->y0) / (f->y1 - f->y0));
}

static void tick_x(const frame *f, double value)
{
    const double x = pixel_x(f, value);
    if (x < f->left - 0.5 || x > f->left + PLOT_WIDTH + 0.5)
        return;
    fprintf(f->out, "<path class=\"g\" d=\"M%.1f %.1fv%d\"/>", x, f->top, PLOT_HEIGHT);
    fprintf(f->out, "<text class=\"m\" x=\"%.1f\" y=\"%.1f\">%.4g</text>\n", x,
            f->top + PLOT_HEIGHT + 16.0, value);
}

static void tick_y(const frame *f, double value)
{
    const double y = pixel_y(f, value);
    if (y < f->top - 0.5 || y > f->top + PLOT_HEIGHT + 0.5)
        return;
    fprintf(f->out, "<path class=\"g\" d=\"M%.1f %.1fh%d\"/>", f->left, y, PLOT_WIDTH);
    fprintf(f->out, "<text class=\"e\" x=\"%.1f\" y=\"%.1f\">%.4g</text>\n", f->left - 6.0, y + 4.0,
            value);
}

/* Steps of 1, 2 or 5 times a power of ten, about five of them. */
static void linear_ticks(const frame *f, double from, double to,
                         void (*tick)(const frame *, double))
{
    const double raw = (to - from) / 5.0, power = pow(10.0, floor(log10(raw)));
    const double ratio = raw / power;
    const double step = power * (ratio < 1.5 ? 1.0 : ratio < 3.5 ? 2.0 : ratio < 7.5 ? 5.0 : 10.0);
    const long last = lround(floor(to / step + 1e-9));
    for (long i = lround(ceil(from / step - 1e-9)); i <= last; i++)
        tick(f, (double)i * step);
}

/* Powers of ten, at most seven of them; 2 and 5 times them on short axes. */
static void decade_ticks(const frame *f, double from, double to,
                         void (*tick)(const frame *, double))
{
    const int step = 1 + (int)((to - from) / 7.0);
    for (int e = (int)floor(from); e <= (int)ceil(to); e++) {
        if (e % step == 0)
            tick(f, pow(10.0, e));
        if (to - from < 2.5) {
            tick(f, 2.0 * pow(10.0, e));
            tick(f, 5.0 * pow(10.0, e));
        }
    }
}

static void draw_axes(const frame *f, const papers_panel *panel)
{
    (f->log_x ? decade_ticks : linear_ticks)(f, f->x0, f->x1, tick_x);
    (f->log_y ? decade_ticks : linear_ticks)(f, f->y0, f->y1, tick_y);
    fprintf(f->out, "<rect class=\"f\" x=\"%.1f\" y=\"%.1f\" width=\"%d\" height=\"%d\"/>\n",
            f->left, f->top, PLOT_WIDTH, PLOT_HEIGHT);
    fprintf(f->out, "<text class=\"m\" x=\"%.1f\" y=\"%.1f\">", f->left + PLOT_WIDTH / 2.0,
            f->top + PLOT_HEIGHT + 36.0);
    put_text(f->out, panel->x.label);
    fprintf(f->out, "</text>\n<text class=\"m\" transform=\"translate(%.1f %.1f) rotate(-90)\">",
            f->left - 58.0, f->top + PLOT_HEIGHT / 2.0);
    put_text(f->out, panel->y.label);
    fprintf(f->out, "</text>\n<text class=\"m b\" x=\"%.1f\" y=\"%.1f\">",
            f->left + PLOT_WIDTH / 2.0, f->top - 12.0);
    put_text(f->out, panel->title);
    fputs("</text>\n", f->out);
}

static void draw_mark(FILE *out, papers_mark mark, double x, double y)
{
    switch (mark) {
    case PAPERS_DOT:
        fprintf(out, "M%.1f %.1fh1v1h-1z", x - 0.5, y - 0.5);
        break;
    case PAPERS_PLUS:
        fprintf(out, "M%.1f %.1fh6m-3-3v6", x - 3.0, y);
        break;
    case PAPERS_SQUARE:
        fprintf(out, "M%.1f %.1fh7v7h-7z", x - 3.5, y - 3.5);
        break;
    case PAPERS_CIRCLE:
        fprintf(out, "M%.1f %.1fa4 4 0 1 0 8 0a4 4 0 1 0-8 0", x - 4.0, y);
        break;
    case PAPERS_CROSS:
        fprintf(out, "M%.1f %.1fl7 7m0-7l-7 7", x - 3.5, y - 3.5);
        break;
    case PAPERS_STAR:
        fprintf(out, "M%.1f %.1fh8m-6-3.5l4 7m0-7l-4 7", x - 4.0, y);
        break;
    default:
        break;
    }
}

static bool has_line(const papers_series *series)
{
    return series->joined || series->mark < PAPERS_DOT;
}

/* The indices of a series that are drawn: of every group the lowest and the highest, in order. */
static int thin_out(const papers_series *series, int *chosen)
{
    if (series->count <= MOST_POINTS) {
        for (int i = 0; i < series->count; i++)
            chosen[i] = i;
        return series->count;
    }
    const int groups = MOST_POINTS / 2;
    int count = 0;
    for (int g = 0; g < groups; g++) {
        const int first = (int)((long)series->count * g / groups);
        const int next = (int)((long)series->count * (g + 1) / groups);
        int low = first, high = first;
        for (int i = first; i < next; i++) {
            low = series->y[i] < series->y[low] ? i : low;
            high = series->y[i] > series->y[high] ? i : high;
        }
        chosen[count++] = low < high ? low : high;
        if (low != high)
            chosen[count++] = low < high ? high : low;
    }
    return count;
}

static const char *colour_of(const papers_series *series, int number)
{
    return series->mark == PAPERS_GUIDE ? "#6b7280" : colours[number % 8];
}

static const char *dashes_of(const papers_series *series)
{
    if (series->mark == PAPERS_DASHED)
        return " stroke-dasharray=\"7 4\"";
    return series->mark == PAPERS_GUIDE ? " stroke-dasharray=\"3 3\"" : "";
}

static void draw_series(const frame *f, const papers_panel *panel, int number)
{
    const papers_series *series = &panel->series[number];
    int chosen[MOST_POINTS];
    const int count = thin_out(series, chosen);
    const char *colour = colour_of(series, number);
    bool pen = false;
    if (has_line(series)) {
        fprintf(f->out, "<path class=\"s\" stroke=\"%s\"%s d=\"", colour, dashes_of(series));
        for (int i = 0; i < count; i++) {
            const double x = series->x[chosen[i]], y = series->y[chosen[i]];
            if (drawable(panel, x, y))
                fprintf(f->out, "%c%.1f %.1f", pen ? 'L' : 'M', pixel_x(f, x), pixel_y(f, y));
            pen = drawable(panel, x, y);
        }
        fputs("\"/>\n", f->out);
    }
    if (series->mark < PAPERS_DOT)
        return;
    fprintf(f->out, "<path class=\"s\" stroke=\"%s\" d=\"", colour);
    for (int i = 0; i < count; i++)
        if (drawable(panel, series->x[chosen[i]], series->y[chosen[i]]))
            draw_mark(f->out, series->mark, pixel_x(f, series->x[chosen[i]]),
                      pixel_y(f, series->y[chosen[i]]));
    fputs("\"/>\n", f->out);
}

static void draw_legend(const frame *f, const papers_panel *panel)
{
    for (int s = 0; s < panel->series_count; s++) {
        const papers_series *series = &panel->series[s];
        if (series->name[0] == '\0')
            continue;
        const double y = f->top + PLOT_HEIGHT + BELOW + LEGEND_LINE * (s + 0.5);
        const double x = f->left + 6.0;
        if (has_line(series))
            fprintf(f->out, "<path class=\"s\" stroke=\"%s\"%s d=\"M%.1f %.1fh26\"/>",
                    colour_of(series, s), dashes_of(series), x, y);
        fprintf(f->out, "<path class=\"s\" stroke=\"%s\" d=\"", colour_of(series, s));
        draw_mark(f->out, series->mark, x + 13.0, y);
        fprintf(f->out, "\"/><text x=\"%.1f\" y=\"%.1f\">", x + 34.0, y + 4.0);
        put_text(f->out, series->name);
        fputs("</text>\n", f->out);
    }
}

/* `height` is that of a row of panels. */
static void draw_panel(FILE *out, const papers_panel *panel, int position, int height)
{
    const frame f = place(out, panel, position, height);
    draw_axes(&f, panel);
    fprintf(out,
            "<clipPath id=\"c%d\"><rect x=\"%.1f\" y=\"%.1f\" width=\"%d\" height=\"%d\"/>"
            "</clipPath>\n<g clip-path=\"url(#c%d)\">\n",
            position, f.left - 5.0, f.top - 5.0, PLOT_WIDTH + 10, PLOT_HEIGHT + 10, position);
    for (int s = 0; s < panel->series_count; s++)
        draw_series(&f, panel, s);
    fputs("</g>\n", out);
    draw_legend(&f, panel);
}

/* Length of the next line of text that is to be at most `width` long, broken at a space. */
static size_t next_line(const char *text, size_t width)
{
    const size_t rest = strlen(text);
    if (rest <= width)
        return rest;
    size_t length = width;
    while (length > 0 && text[length] != ' ')
        length--;
    return length > 0 ? length : width;
}

/* Draws the caption and returns how many lines it took; only counts if out is NULL. */
static int draw_caption(FILE *out, const char *caption, size_t width, double top)
{
    int lines = 0;
    char line[PAPERS_CAPTION];
    while (*caption != '\0') {
        const size_t length = next_line(caption, width);
        snprintf(line, sizeof line, "%.*s", (int)length, caption);
        if (out != NULL) {
            fprintf(out, "<text x=\"16\" y=\"%.1f\">", top + CAPTION_LINE * lines);
            put_text(out, line);
            fputs("</text>\n", out);
        }
        lines++;
        caption += length;
        caption += strspn(caption, " ");
    }
    return lines;
}

void papers_draw(const papers_figure *figure, FILE *out)
{
    int entries = 0;
    for (int p = 0; p < figure->panel_count; p++)
        if (figure->panels[p].series_count > entries)
            entries = figure->panels[p].series_count;
    const int columns = figure->panel_count < 2 ? 1 : 2;
    const int rows = (figure->panel_count + 1) / 2;
    const int width = columns * (LEFT + PLOT_WIDTH + RIGHT);
    const size_t letters = (size_t)((width - 32) / 6.3);
    const int row_height = TOP + PLOT_HEIGHT + BELOW + LEGEND_LINE * entries + 6;
    const int plots = rows * row_height;
    const int lines = draw_caption(NULL, figure->caption, letters, 0.0);
    const int height = plots + 8 + CAPTION_LINE * lines + 8;
    fprintf(out,
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%d\" "
            "viewBox=\"0 0 %d %d\">\n<title>",
            width, height, width, height);
    put_text(out, figure->caption);
    fputs("</title>\n<style>text{font:12px sans-serif;fill:#111}.m{text-anchor:middle}"
          ".e{text-anchor:end}.b{font-weight:bold}.g{stroke:#e5e7eb;fill:none}"
          ".f{stroke:#111;fill:none}.s{fill:none;stroke-width:1.3}</style>\n",
          out);
    fprintf(out, "<rect width=\"%d\" height=\"%d\" fill=\"#fff\"/>\n", width, height);
    for (int p = 0; p < figure->panel_count; p++)
        draw_panel(out, &figure->panels[p], p, row_height);
    draw_caption(out, figure->caption, letters, plots + 16.0);
    fputs("</svg>\n", out);
}
