/* See compare.h. */
#include "compare.h"
#include "machine.h"

#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

const char *const compare_methods[METHODS] = {"ga2s", "ga3", "rk5", "bdf", "auto"};
const char *const compare_classes[CLASSES] = {"position", "rotation", "velocity",
                                              "turning",  "force",    "moment"};
const char *const compare_failures[FAILURE_KINDS] = {"inaccurate",   "threads",   "restart",
                                                     "disagreement", "reference", "crash"};
const double compare_edges[BINS - 1] = {0.01, 0.1, 1.0, 10.0, 20.0, 100.0, 1000.0};

static const char *const forms[FORMS] = {"spatial", "se3"};
static const double allowed = 20.0; /* tolerances; of equal steps thousandths of the size */
static const long most_steps = 20000;
enum { ROWS = 17 };

/* A machine while it is compared. */
typedef struct session {
    const compare_settings *settings;
    counts *sum;
    uint64_t index;
    machine made;
    task job;
    double times[ROWS];
    trial reference, second;
    const char *reference_method;
    writing reasons;
    bool failed, any_good;
} session;

__attribute__((format(printf, 3, 4))) static void fail(session *s, failure_kind kind,
                                                       const char *format, ...)
{
    char line[REASON + 1200];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(line, sizeof line, format, arguments);
    va_end(arguments);
    s->failed = true;
    s->sum->failures[kind]++;
    text_add(&s->reasons, "# %s: %s\n", compare_failures[kind], line);
}

/* What the tolerances are relative to: the largest value of the class, 1 of rotations. A body's
 * frame or a joint may lie where there is no velocity or moment: what turning and forces make of
 * them a tenth of the machine's size away counts as well; else at least a thousandth of all, as
 * the integrator has it (include/cardan/integrator.h). */
static double size_of(const session *s, value_class kind)
{
    const double *size = s->reference.size, arm = fmax(0.1 * s->made.length, 1e-3);
    switch (kind) {
    case POSITION:
        return fmax(size[POSITION], 0.1 * s->made.length);
    case ROTATION:
        return 1.0;
    case VELOCITY:
        return fmax(size[VELOCITY], arm * size[TURNING]);
    case TURNING:
        return fmax(size[TURNING], 1e-3 * size[VELOCITY]);
    case JOINT_FORCE:
        return fmax(size[JOINT_FORCE], 1e-3 * size[JOINT_MOMENT]);
    case JOINT_MOMENT:
        return fmax(size[JOINT_MOMENT], arm * size[JOINT_FORCE]);
    default:
        return size[kind];
    }
}

static double tolerance_of(const session *s, value_class kind)
{
    return s->made.atol + s->made.rtol * size_of(s, kind);
}

/* Of quaternions the angle between them. */
static double difference(const vector *v, const double *a, const double *b)
{
    double minus = 0.0, plus = 0.0;
    for (int i = v->first; i < v->first + v->count; i++) {
        minus += (a[i] - b[i]) * (a[i] - b[i]);
        plus += (a[i] + b[i]) * (a[i] + b[i]);
    }
    if (v->kind == ROTATION && v->count == 4)
        return 2.0 * sqrt(fmin(minus, plus));
    return sqrt(minus);
}

/* The largest difference of each class at one of the times. */
static void row_difference(const trial *a, const trial *b, int row, double out[CLASSES])
{
    const size_t at = (size_t)row * (size_t)a->columns;
    memset(out, 0, CLASSES * sizeof *out);
    for (int i = 0; i < a->vector_count; i++) {
        const double d = difference(&a->vectors[i], a->values + at, b->values + at);
        const value_class kind = a->vectors[i].kind;
        if (!(d <= out[kind]))
            out[kind] = isnan(d) ? INFINITY : d;
    }
}

/* The largest difference of each class in tolerances, and when. */
typedef struct worst {
    double error;
    int row;
} worst;

static void largest_difference(const session *s, const trial *a, const trial *b, worst out[CLASSES])
{
    double d[CLASSES];
    memset(out, 0, CLASSES * sizeof *out);
    for (int row = 0; row < a->rows && row < b->rows; row++) {
        row_difference(a, b, row, d);
        for (int c = 0; c < CLASSES; c++) {
            const double error = d[c] / tolerance_of(s, (value_class)c);
            if (error > out[c].error)
                out[c] = (worst){error, row};
        }
    }
}

static int bin_of(double error)
{
    int bin = 0;
    while (bin < BINS - 1 && error >= compare_edges[bin])
        bin++;
    return bin;
}

static void choose_times(session *s)
{
    const double end = s->made.end * s->made.time;
    for (int i = 0; i < ROWS - 1; i++)
        s->times[i] = (i + random_uniform(&s->made.random, 0.0, 1.0)) / (ROWS - 1) * end;
    s->times[ROWS - 1] = end;
    s->job.times = s->times;
    s->job.rows = ROWS;
}

/* Nothing is compared with a run that is doubtful itself. */
static bool is_sound(const trial *t)
{
    return t->ending == RAN && t->verdict == CARDAN_GOOD;
}

static bool make_reference(session *s)
{
    way how = {.method = "rk5",
               .health = true,
               .rtol = 1e-3 * s->made.rtol,
               .atol = 1e-3 * s->made.atol,
               .form = forms[0],
               .threads = 1,
               .most_steps = most_steps,
               .sizes = true};
    trial_run(&s->job, &how, &s->reference);
    if (s->reference.ending == STOPPED || s->reference.ending == TOO_LONG) {
        trial_free(&s->reference);
        how.method = "ga2s";
        how.rtol = 0.01 * s->made.rtol;
        how.atol = 0.01 * s->made.atol;
        how.most_steps = 3 * most_steps;
        trial_run(&s->job, &how, &s->reference);
    }
    s->reference_method = how.method;
    return is_sound(&s->reference);
}

/* By another method and other coordinates, so that a wrong reference is not taken for truth. */
static void check_reference(session *s, long steps)
{
    way how = {.method = "ga2s",
               .rtol = 0.03 * s->made.rtol,
               .atol = 0.03 * s->made.atol,
               .form = forms[1],
               .threads = 1,
               .most_steps = most_steps};
    worst w[CLASSES];
    if (strcmp(s->reference_method, "ga2s") == 0 || steps > most_steps / 8) {
        how.method = "rk5";
        how.rtol = 0.01 * s->made.rtol;
        how.atol = 0.01 * s->made.atol;
    }
    trial_run(&s->job, &how, &s->second);
    if (s->second.ending != RAN)
        return;
    largest_difference(s, &s->second, &s->reference, w);
    for (int c = 0; c < CLASSES; c++)
        if (w[c].error > 0.2 * allowed)
            fail(s, REFERENCE, "%s by %s at rtol %g is %.3g tolerances from %s at t = %g",
                 compare_classes[c], how.method, how.rtol, w[c].error, s->reference_method,
                 s->times[w[c].row]);
}

static const char *ending_name(const trial *t)
{
    static const char *const names[] = {"ran", "refused", "stopped", "too long"};
    return names[t->ending];
}

/* What a run that did not end may do: say why. */
static void check_ending(session *s, const way *how, const trial *t)
{
    if (t->reason[0] == '\0' && t->ending != TOO_LONG)
        fail(s, DISAGREEMENT, "%s %s (%s) without a sentence", how->method, how->form,
             ending_name(t));
    else if (t->ending != TOO_LONG)
        s->sum->stopped++;
}

static void check_bits(session *s, const way *plain, const trial *t)
{
    way how = *plain;
    trial again;
    how.threads = 4;
    trial_run(&s->job, &how, &again);
    if (!trial_same(t, &again))
        fail(s, THREADS, "%s %s%s: %ld steps, with four threads %ld%s%.200s", how.method, how.form,
             how.step > 0.0 ? " fixed steps" : "", t->steps, again.steps,
             again.reason[0] != '\0' ? ": " : "", again.reason);
    trial_free(&again);
    if (t->steps < 2)
        return;
    how.threads = 1;
    how.split = t->steps / 2;
    trial_run(&s->job, &how, &again);
    if (again.other_rows)
        s->sum->not_restarted++;
    else if (!trial_same(t, &again))
        fail(s, RESTART, "%s %s%s: %ld steps, restarted after %ld %ld%s%.200s", how.method,
             how.form, how.step > 0.0 ? " fixed steps" : "", t->steps, how.split, again.steps,
             again.reason[0] != '\0' ? ": " : "", again.reason);
    trial_free(&again);
}

/* The check run of `cardan run` (cli/commands/check_run.c): a rough run tells how errors add
 * up. What its error is in its own tolerances is about what that of the run is in those of the run;
 * with equal steps, of double length or for rk5 of half, it is extrapolated. Returns tolerances. */
static double look_again(session *s, const way *how, const trial *t)
{
    const bool is_rk5 = strcmp(how->method, "rk5") == 0, is_auto = strcmp(how->method, "auto") == 0;
    const double coarse = is_rk5 || is_auto ? 1e-3 : 1e-2; /* auto: mostly rk5 */
    const double rough = fmin(100.0, coarse / how->rtol);
    const bool shorter = how->step > 0.0 && is_rk5;
    const double by_error = rough > 3.0 ? rough : 0.1;
    way other = *how;
    trial second;
    worst w[CLASSES];
    double most = 0.0;
    if (how->step > 0.0)
        other.step *= shorter ? 0.5 : 2.0;
    else {
        other.rtol *= by_error;
        other.atol *= by_error;
    }
    other.health = false;
    other.most_steps = 10 * t->steps + 1000;
    trial_run(&s->job, &other, &second);
    const double longer = (double)t->steps / fmax(1.0, (double)second.steps);
    const bool high = is_rk5 || is_auto || strcmp(how->method, "bdf") == 0;
    const double order = high ? 5.0 : 2.0;
    const double unit =
        how->step > 0.0 ? (shorter ? 1.0 : 3.0) : fmax(1.0, fmin(by_error, pow(longer, order)));
    largest_difference(s, t, &second, w);
    for (int c = 0; c < CLASSES; c++)
        most = fmax(most, w[c].error / unit);
    trial_free(&second);
    return most;
}

static void check_errors(session *s, int method, const way *how, trial *t)
{
    const double doubted = 3.0;
    worst w[CLASSES];
    double most = 0.0;
    const double added_up = t->verdict == CARDAN_GOOD ? look_again(s, how, t) : 0.0;
    largest_difference(s, t, &s->reference, w);
    for (int c = 0; c < CLASSES; c++)
        most = fmax(most, w[c].error);
    if (s->settings->verbose)
        printf("%s %s: error %.3g tolerances, check run %.3g\n", how->method, how->form, most,
               added_up);
    if (added_up > doubted) {
        t->verdict = CARDAN_DOUBTFUL;
        t->concern = CARDAN_CONCERN_TOLERANCE;
    }
    s->any_good = s->any_good || t->verdict == CARDAN_GOOD;
    for (int c = 0; c < CLASSES; c++) {
        s->sum->histogram[method][t->verdict != CARDAN_GOOD][c][bin_of(w[c].error)]++;
        if (w[c].error > allowed && t->verdict == CARDAN_GOOD)
            fail(s, INACCURATE,
                 "%s %s: %s %.3g tolerances at t = %g (%ld steps; check run %.3g, size %.3g)",
                 how->method, how->form, compare_classes[c], w[c].error, s->times[w[c].row],
                 t->steps, added_up, size_of(s, (value_class)c));
    }
    s->sum->verdicts[method][0][t->verdict]++;
    if (t->verdict != CARDAN_GOOD)
        s->sum->doubts[method][t->concern][most <= allowed]++;
}

static long run_adaptive(session *s, int method, bool bits)
{
    long steps = 0;
    for (int form = 0; form < FORMS && (form == 0 || s->job.forms); form++) {
        const way how = {.method = compare_methods[method],
                         .health = true,
                         .rtol = s->made.rtol,
                         .atol = s->made.atol,
                         .form = forms[form],
                         .threads = 1,
                         .most_steps = most_steps};
        trial t;
        trial_run(&s->job, &how, &t);
        s->sum->endings[method][0][t.ending]++;
        s->sum->steps += t.steps;
        steps = t.steps;
        if (s->settings->verbose)
            printf("%s %s: %s, %ld steps %s; %s: %s\n", how.method, how.form, ending_name(&t),
                   t.steps, t.reason, cardan_verdict_name(t.verdict), t.finding);
        if (t.ending == RAN)
            check_errors(s, method, &how, &t);
        else
            check_ending(s, &how, &t);
        if (bits && form == (int)(s->index % FORMS))
            check_bits(s, &how, &t);
        trial_free(&t);
    }
    return steps;
}

/* Of equal steps a verdict promises no more than errors of some thousandths (docs/health.md). */
static void check_equal(session *s, int method, const way *how, trial *t)
{
    const double promised = 1e-3 / fmin(1e-3, s->made.rtol), doubted = 10.0;
    worst error[CLASSES];
    if (t->verdict == CARDAN_GOOD && look_again(s, how, t) > doubted * promised)
        t->verdict = CARDAN_DOUBTFUL;
    s->sum->verdicts[method][1][t->verdict]++;
    largest_difference(s, t, &s->reference, error);
    for (int c = 0; c < CLASSES; c++) {
        s->sum->histogram[method][2][c][bin_of(error[c].error / promised)]++;
        if (error[c].error > allowed * promised && t->verdict == CARDAN_GOOD &&
            !s->made.breakpoints)
            fail(s, INACCURATE, "%s %s, %ld fixed steps: %s %.3g of its size at t = %g",
                 how->method, how->form, t->steps, compare_classes[c],
                 error[c].error * tolerance_of(s, (value_class)c) / size_of(s, (value_class)c),
                 s->times[error[c].row]);
    }
}

static void run_equal(session *s, int method, bool bits)
{
    const double count = random_log(&s->made.random, 100.0, 1000.0);
    const way how = {.method = compare_methods[method],
                     .health = true,
                     .step = s->times[ROWS - 1] / floor(count),
                     .rtol = s->made.rtol,
                     .atol = s->made.atol,
                     .form = forms[s->index / 2 % FORMS],
                     .threads = 1,
                     .most_steps = most_steps};
    trial t;
    trial_run(&s->job, &how, &t);
    if (bits)
        check_bits(s, &how, &t);
    s->sum->endings[method][1][t.ending]++;
    if (s->settings->verbose)
        printf("%s %s, fixed steps: %s, %ld steps %s; %s: %s\n", how.method, how.form,
               ending_name(&t), t.steps, t.reason, cardan_verdict_name(t.verdict), t.finding);
    if (t.ending == RAN)
        check_equal(s, method, &how, &t);
    else if (t.reason[0] == '\0')
        check_ending(s, &how, &t);
    trial_free(&t);
}

static int family_number(const session *s)
{
    for (int i = 0; i < machine_family_count; i++)
        if (machine_families[i].name == s->made.family)
            return i;
    return 0;
}

/* Without a reference: all ways must say why they cannot run it. */
static void run_refused(session *s)
{
    for (int method = 0; method < METHODS; method++) {
        const way how = {.method = compare_methods[method],
                         .health = true,
                         .rtol = s->made.rtol,
                         .atol = s->made.atol,
                         .form = forms[s->index % FORMS],
                         .threads = 1,
                         .most_steps = most_steps};
        trial t;
        trial_run(&s->job, &how, &t);
        if (t.ending == RAN && t.verdict == CARDAN_GOOD && s->reference.ending == REFUSED)
            fail(s, DISAGREEMENT, "%s %s ran, %s refused: %.200s", how.method, how.form,
                 s->reference_method, s->reference.reason);
        else if (t.ending != RAN && t.ending != TOO_LONG && t.reason[0] == '\0')
            check_ending(s, &how, &t);
        trial_free(&t);
    }
    if (s->reference.ending == REFUSED) {
        s->sum->refused++;
        s->sum->refused_of_family[family_number(s)]++;
        const int code = -(int)s->reference.status;
        s->sum->refusals[code >= 0 && code < 31 ? code : 31]++;
    } else
        s->sum->no_reference++;
    if (s->settings->verbose)
        printf("reference %s: %s%s\n", ending_name(&s->reference), s->reference.reason,
               s->reference.finding);
}

static void run_all(session *s)
{
    const int bits = (int)(s->index % (2 * METHODS));
    long steps = 0;
    for (int method = 0; method < METHODS; method++) {
        const bool brief = s->settings->brief, chosen = method == bits % METHODS && !brief;
        const long now = run_adaptive(s, method, chosen && bits < METHODS);
        if (method == 0)
            steps = now;
        if (!brief)
            run_equal(s, method, chosen && bits >= METHODS);
    }
    if (s->any_good)
        check_reference(s, steps);
}

void compare_keep(const compare_settings *settings, uint64_t index, const char *text,
                  const char *reasons)
{
    char name[1000];
    snprintf(name, sizeof name, "%s/machine-%llu-%llu.yaml", settings->directory,
             (unsigned long long)settings->seed, (unsigned long long)index);
    FILE *file = fopen(name, "w");
    if (file == NULL)
        return;
    fprintf(file, "%s%s", reasons, text);
    fclose(file);
    printf("%s\n%s", name, reasons);
    fflush(stdout);
}

void compare_machine(const compare_settings *settings, uint64_t index, counts *sum)
{
    session s = {.settings = settings, .sum = sum, .index = index};
    char *machine_text = machine_write(settings->seed, index, &s.made);
    s.job = (task){.text = machine_text,
                   .length = strlen(machine_text),
                   .bodies = s.made.bodies,
                   .forms = !s.made.planar};
    choose_times(&s);
    sum->machines++;
    sum->of_family[family_number(&s)]++;
    if (make_reference(&s))
        run_all(&s);
    else
        run_refused(&s);
    if (s.failed) {
        sum->failing_machines++;
        sum->failing_of_family[family_number(&s)]++;
        compare_keep(settings, index, machine_text, s.reasons.start);
    }
    trial_free(&s.reference);
    trial_free(&s.second);
    free(s.reasons.start);
    free(machine_text);
}
