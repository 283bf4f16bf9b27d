/* A diagnosis in lines for a person. */
#include <cardan/diagnosis.h>

#include <math.h>
#include <stdarg.h>
#include <stdio.h>

/* Text that grows; what does not fit is counted. */
typedef struct writer {
    char *text;
    size_t size;
    int used;
} writer;

__attribute__((format(printf, 2, 3))) static void put(writer *w, const char *format, ...)
{
    const size_t used = (size_t)w->used < w->size ? (size_t)w->used : w->size;
    va_list arguments;
    va_start(arguments, format);
    w->used += vsnprintf(w->size > 0 ? w->text + used : NULL, w->size - used, format, arguments);
    va_end(arguments);
}

static void put_step(writer *w, const cardan_diagnosis *d)
{
    put(w, "time         %.12g, %s\n", d->t, d->attempts > 0 ? "the last good state" : "the start");
    if (d->h > 0.0)
        put(w, "step         %.6g", d->h);
    if (d->attempts > 1)
        put(w, ", attempt %d", d->attempts);
    if (d->least_step > 0.0)
        put(w, "; a shorter one would be below the least, %.3g", d->least_step);
    if (d->h > 0.0)
        put(w, "\n");
}

static void put_equations(writer *w, const cardan_diagnosis *d)
{
    for (int i = 0; i < d->equation_count; i++)
        put(w, "%-12s %-10.3g %s\n", i == 0 ? "residuals" : "", d->equations[i].residual,
            d->equations[i].name);
}

static void put_dependence(writer *w, const cardan_diagnosis *d)
{
    if (d->dependence_missed)
        put(w,
            "dependent    not known: the search is incomplete for so many constraints; the check "
            "of the model counts their rank\n");
    if (d->constraint_count == 0)
        return;
    put(w, "dependent    to %.2g:", d->dependence);
    for (int i = 0; i < d->constraint_count; i++)
        put(w, "%s %.4g %s",
            i == 0                                ? ""
            : d->constraints[i].coefficient < 0.0 ? " -"
                                                  : " +",
            fabs(d->constraints[i].coefficient), d->constraints[i].name);
    put(w, "\n");
}

static void put_iterations(writer *w, const cardan_diagnosis *d)
{
    const int skipped = d->iterations - d->iteration_count;
    if (d->iteration_count == 0)
        return;
    put(w, "corrector    correction / tolerance, largest residual before it\n");
    for (int i = 0; i < d->iteration_count; i++)
        put(w, "  %3d        %-10.3g %.3g\n", skipped + i + 1, d->history[i].correction,
            d->history[i].residual);
}

int cardan_diagnosis_text(const cardan_diagnosis *diagnosis, char *text, size_t size)
{
    if (diagnosis == NULL)
        return 0;
    const cardan_diagnosis *d = diagnosis;
    writer w = {text, size, 0};
    if (size > 0)
        text[0] = '\0';
    if (d->status == CARDAN_OK)
        return 0;
    put(&w, "failure      %s: %s\n", cardan_status_name(d->status), cardan_status_text(d->status));
    put_step(&w, d);
    put(&w, "reason       %s\n", d->reason);
    if (d->variable[0] != '\0')
        put(&w, "error        %.3g times the tolerance in %s\n", d->error, d->variable);
    put_equations(&w, d);
    put_dependence(&w, d);
    put_iterations(&w, d);
    put(&w, "try          %s\n", d->suggestion);
    return w.used;
}
