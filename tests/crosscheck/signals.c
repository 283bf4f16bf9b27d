/* See signals.h. */
#include "signals.h"

#include <math.h>

static double when(machine *m, double low, double high)
{
    return random_uniform(&m->random, low, high) * m->end * m->time;
}

static void smooth_step(machine *m, writing *t, double a)
{
    const double start = random_chance(&m->random, 0.6) ? when(m, 0.05, 0.4) : 0.0;
    text_add(t, "{type: smooth_step, value: 0, end_value: %.9g, start: %.9g, end: %.9g}", a, start,
             start + when(m, 0.3, 0.8));
}

static void harmonic(machine *m, writing *t, double a)
{
    const double phase = random_chance(&m->random, 0.5) ? random_uniform(&m->random, 0, 6.28) : 0.0;
    text_add(t, "{type: harmonic, value: %.16g, amplitude: %.16g, frequency: %.9g, phase: %.16g}",
             -a * sin(phase), a, random_log(&m->random, 0.1, 1.0) / m->time, phase);
}

static void ramp(machine *m, writing *t, double a)
{
    const double start = random_chance(&m->random, 0.7) ? when(m, 0.05, 0.5) : 0.0;
    m->breakpoints = true;
    text_add(t, "{type: ramp, value: 0, slope: %.9g, start: %.9g", a / (m->end * m->time), start);
    if (random_chance(&m->random, 0.6))
        text_add(t, ", end: %.9g", start + when(m, 0.2, 0.6));
    text_add(t, "}");
}

static void polynomial(machine *m, writing *t, double a)
{
    const double span = m->end * m->time;
    text_add(t, "{type: polynomial, coefficients: [0, %.9g, %.9g, %.9g]}",
             random_chance(&m->random, 0.5) ? 0.0 : a / span, a / (span * span),
             random_uniform(&m->random, -1, 1) * a / (span * span * span));
}

static void points(machine *m, writing *t, double a, const char *type)
{
    const int count = 3 + random_below(&m->random, 4);
    double at = random_chance(&m->random, 0.5) ? when(m, 0.05, 0.3) : 0.0;
    m->breakpoints = true;
    text_add(t, "{type: %s, table: [[%.9g, 0]", type, at);
    for (int i = 1; i < count; i++) {
        at += when(m, 0.1, 0.4);
        text_add(t, ", [%.9g, %.9g]", at, a * random_uniform(&m->random, -1, 1));
    }
    text_add(t, "]}");
}

static void simple(machine *m, writing *t, double a, bool jumps)
{
    switch (random_below(&m->random, jumps ? 6 : 4)) {
    case 0:
        smooth_step(m, t, a);
        break;
    case 1:
        harmonic(m, t, a);
        break;
    case 2:
        polynomial(m, t, a);
        break;
    case 3:
        points(m, t, a, "spline");
        break;
    case 4:
        ramp(m, t, a);
        break;
    default:
        points(m, t, a, "table");
    }
}

void signal_write(machine *m, writing *t, double amplitude, bool jumps)
{
    const bool product = random_chance(&m->random, 0.5);
    if (!random_chance(&m->random, 0.2)) {
        simple(m, t, amplitude, jumps);
        return;
    }
    text_add(t, "{type: %s, terms: [", product ? "product" : "sum");
    simple(m, t, amplitude, jumps);
    text_add(t, ", ");
    if (product && random_chance(&m->random, 0.5))
        text_add(t, "{type: constant, value: %.9g}", random_uniform(&m->random, -1, 1));
    else
        simple(m, t, product ? 1.0 : 0.5 * amplitude, jumps);
    text_add(t, "]}");
}
