/* The diagnosis of a failure: collected from the corrector's record, from the constraint matrix
 * where the step failed and at the last good state, and from the controller. */
#include "integrator.h"

#include "base/error.h"
#include "base/numeric.h"
#include "linalg/smallest.h"

#include <stdarg.h>
#include <stdio.h>

void cd_diagnosis_init(cd_diagnosis *diagnosis, cd_arena *arena, int n, int scratch)
{
    diagnosis->usual = cd_arena_doubles(arena, n);
    diagnosis->combination = cd_arena_doubles(arena, n);
    diagnosis->scratch = cd_arena_doubles(arena, scratch);
    diagnosis->scratch_count = scratch;
}

void cd_diagnosis_start(cardan_integrator *it)
{
    it->diagnosis.shown.status = CARDAN_OK;
    cd_system_constraint_sizes(it->ws, it->diagnosis.scratch, it->diagnosis.usual);
    cd_arena_forget(&it->arena, it->diagnosis.scratch,
                    (size_t)it->diagnosis.scratch_count * sizeof(double));
}

/* Whether |x| is larger than |than|; a value that is not finite counts as largest. */
static bool is_larger(double x, double than)
{
    return isfinite(than) && !(fabs(x) <= fabs(than));
}

/* Inserts `row` into `rows`, at most max_count of them: those with the largest |values|, largest
 * first, values that are not finite before all. Returns their count. */
static int insert_largest(const double *values, int row, int *rows, int count, int max_count)
{
    int at = count;
    while (at > 0 && is_larger(values[row], values[rows[at - 1]]))
        at--;
    if (at == max_count)
        return count;
    count += count < max_count;
    for (int i = count - 1; i > at; i--)
        rows[i] = rows[i - 1];
    rows[at] = row;
    return count;
}

/* Lists the equations with the largest residuals. */
static void list_equations(cardan_integrator *it, cardan_diagnosis *d)
{
    const double *residual = it->newton.residual;
    int rows[CARDAN_DIAGNOSIS_EQUATIONS], count = 0;
    if (!it->newton.record.evaluated || d->status == CARDAN_REJECTED)
        return;
    for (int i = 0; i < it->newton.n; i++)
        if (residual[i] != 0.0)
            count = insert_largest(residual, i, rows, count, CARDAN_DIAGNOSIS_EQUATIONS);
    for (int i = 0; i < count; i++) {
        cardan_diagnosis_equation *equation = &d->equations[i];
        *equation = (cardan_diagnosis_equation){.row = rows[i], .residual = residual[rows[i]]};
        it->scheme->name_row(&it->step, rows[i], equation->name, (int)sizeof equation->name);
    }
    d->equation_count = count;
}

/* Lists the last recorded iterations of the corrector, oldest first. */
static void list_iterations(const cd_newton_record *record, cardan_diagnosis *d)
{
    _Static_assert((int)CARDAN_DIAGNOSIS_ITERATIONS == (int)CD_NEWTON_RECORD,
                   "all that is recorded");
    const int all = record->iterations, count = all < CD_NEWTON_RECORD ? all : CD_NEWTON_RECORD;
    for (int i = 0; i < count; i++) {
        const int index = (all - count + i) % CD_NEWTON_RECORD;
        d->history[i] =
            (cardan_diagnosis_iteration){record->corrections[index], record->residuals[index]};
    }
    d->iterations = all;
    d->iteration_count = count;
}

/* Lists the constraints that take part most in the dependence that was found. */
static void list_constraints(cardan_integrator *it, cardan_diagnosis *d)
{
    const double *combination = it->diagnosis.combination;
    const double least_coefficient = 0.01; /* smaller coefficients are not listed */
    int rows[CARDAN_DIAGNOSIS_CONSTRAINTS], count = 0;
    for (int i = 0; i < it->system->m + it->system->l; i++)
        if (fabs(combination[i]) >= least_coefficient)
            count = insert_largest(combination, i, rows, count, CARDAN_DIAGNOSIS_CONSTRAINTS);
    for (int i = 0; i < count; i++) {
        cardan_diagnosis_constraint *entry = &d->constraints[i];
        *entry =
            (cardan_diagnosis_constraint){.index = rows[i], .coefficient = combination[rows[i]]};
        snprintf(entry->name, sizeof entry->name, "%s",
                 cd_system_multiplier_name(it->system, rows[i]).text);
    }
    d->constraint_count = count;
}

/* Notes how near the constraint matrix of the last evaluation is to losing rank, if that is nearer
 * than known before. The bound allows for chains of n constraints, where 2 / n is ordinary. */
static void note_dependence(cardan_integrator *it, cardan_diagnosis *d)
{
    const int n = it->system->m + it->system->l;
    const double near = fmin(0.02, 0.2 / fmax(n, 1.0));
    const double found = cd_system_null_direction(it->ws, it->diagnosis.usual,
                                                  it->diagnosis.scratch, it->diagnosis.combination);
    if (found < d->dependence) {
        d->dependence = found;
        if (found < near)
            list_constraints(it, d);
    }
}

/* Evaluates the matrices at the end of the step that failed; a start has evaluated them already. */
static bool evaluate_failed_step(const cardan_integrator *it)
{
    if (it->step.next == NULL)
        return true;
    const cardan_point failed = cd_state_point(it->step.next);
    return cd_system_refresh(it->ws, &failed) == CARDAN_OK;
}

/* Looks for dependent constraints where the step failed and at the last good state. */
static void find_dependence(cardan_integrator *it, cardan_diagnosis *d)
{
    const cardan_error cause = it->error;
    const cardan_point now = cd_state_point(cd_integrator_now(it));
    d->dependence = INFINITY;
    if ((d->status == CARDAN_SINGULAR_MATRIX || it->newton.record.evaluated) &&
        evaluate_failed_step(it))
        note_dependence(it, d);
    if (it->started && d->status > 0 && d->status != CARDAN_CALLBACK_RETRY &&
        cd_system_equations(it->ws, &now, &(cd_equations){0}) == CARDAN_OK)
        note_dependence(it, d);
    d->dependence_missed = it->system->m + it->system->l > CD_SMALLEST_WHOLE &&
                           d->status == CARDAN_SINGULAR_MATRIX && d->constraint_count == 0;
    it->error = cause;
}

/* Names the variable whose estimated error rejected the step. */
static void name_worst_variable(const cardan_integrator *it, cardan_diagnosis *d)
{
    static const char *const kinds[] = {"position of ", "", "multiplier of "};
    const cd_worst *worst = &it->control.worst;
    if (d->status != CARDAN_REJECTED)
        return;
    d->error = worst->error;
    snprintf(d->variable, sizeof d->variable, "%s%s", kinds[worst->kind],
             cd_worst_name(it, worst).text);
}

/* Whether an explicit method, which may have such fine tolerances, is limited by rounding. */
static bool is_near_rounding(const cardan_integrator *it)
{
    const cardan_step_control *control = &it->def.control;
    return cd_is_explicit(it) &&
           fmin(control->position.relative, control->velocity.relative) < 1e-12;
}

/* What to do about a failure in adaptive steps. */
static const char *suggest_for_adaptive_steps(const cardan_integrator *it, cardan_status status)
{
    switch (status) {
    case CARDAN_REJECTED:
        if (is_near_rounding(it))
            return "the tolerances are about as small as rounding errors, which no shorter step "
                   "makes smaller: loosen them to 1e-12 or more";
        return "the motion may have a jump here; loosen the tolerances or lower min_step";
    case CARDAN_CALLBACK_RETRY:
        return "the callback refuses however short the step is; see why it does at this state";
    case CARDAN_NOT_FINITE:
        return "the model has no finite value beyond this state; see why";
    default:
        return "check the model at this state and its derivatives (cardan_system_check)";
    }
}

static const char *suggest_for_fixed_steps(cardan_status status)
{
    switch (status) {
    case CARDAN_CALLBACK_RETRY:
        return "take a smaller step, as the callback asks, or let the error choose the steps";
    case CARDAN_NOT_FINITE:
        return "see why the callback has no finite value there; a smaller step may not meet it";
    case CARDAN_NOT_CONVERGED:
        return "take a smaller step, or let the error choose the steps";
    default:
        return "take another step size; check the model at this state and its derivatives "
               "(cardan_system_check)";
    }
}

static const char *suggest_for_start(const cardan_integrator *it, cardan_status status)
{
    const cardan_system_def *def = &it->system->def;
    if (status > 0 && (def->force_depends_on_lambda || def->force_depends_on_psi))
        return "start from other initial values, correct the model there, or guess the multipliers "
               "that the forces depend on (--lambda0 and --psi0, in model files `force_guess` of "
               "joints, in C cardan_integrator_start_from)";
    return "start from other initial values, or correct the model there";
}

static void suggest_against_dependence(const cardan_integrator *it, cardan_diagnosis *d)
{
    const char *avoid =
        it->started ? "end the run before this configuration" : "start from another configuration";
    const bool one = d->constraint_count == 1;
    snprintf(d->suggestion, sizeof d->suggestion, "%s here; %s or %s",
             one ? "this constraint hardly depends on the motion"
                 : "these constraints depend on each other",
             avoid, one ? "write the constraint otherwise" : "take one of them away");
}

/* The advice of the diagnosis, for failures other than by dependent constraints. */
static const char *choose_suggestion(const cardan_integrator *it, const cardan_diagnosis *d)
{
    if (d->status == CARDAN_CALLBACK_FAILED)
        return "see why the callback gave up at this state";
    if (d->status == CARDAN_CONTRADICTION || d->status == CARDAN_BIFURCATION)
        return "see the joints named in the message and what it says about them";
    if (!it->started)
        return suggest_for_start(it, d->status);
    return it->def.control.adaptive ? suggest_for_adaptive_steps(it, d->status)
                                    : suggest_for_fixed_steps(d->status);
}

cardan_status cd_diagnose(cardan_integrator *it, double h, int attempts, double least)
{
    cardan_diagnosis *d = &it->diagnosis.shown;
    *d = (cardan_diagnosis){.status = it->error.status,
                            .t = cd_integrator_now(it)->t,
                            .h = h,
                            .attempts = attempts,
                            .least_step = least};
    snprintf(d->reason, sizeof d->reason, "%.799s", it->error.text);
    if (it->arena.failed) /* a renewal of the system */
        return d->status;
    list_equations(it, d);
    list_iterations(&it->newton.record, d);
    find_dependence(it, d);
    name_worst_variable(it, d);
    const bool explained = d->status == CARDAN_CALLBACK_FAILED ||
                           d->status == CARDAN_CONTRADICTION || d->status == CARDAN_BIFURCATION;
    if (d->constraint_count > 0 && !explained)
        suggest_against_dependence(it, d);
    else
        snprintf(d->suggestion, sizeof d->suggestion, "%s", choose_suggestion(it, d));
    return d->status;
}

const cardan_diagnosis *cardan_integrator_diagnosis(const cardan_integrator *integrator)
{
    return integrator != NULL ? &integrator->diagnosis.shown : NULL;
}

/* ---- the diagnosis as text ---- */

/* A text that grows; `used` counts characters that do not fit, too. */
typedef struct text_writer {
    char *text;
    size_t size;
    int used;
} text_writer;

__attribute__((format(printf, 2, 3))) static void write_line(text_writer *w, const char *format,
                                                             ...)
{
    const size_t used = (size_t)w->used < w->size ? (size_t)w->used : w->size;
    va_list arguments;
    va_start(arguments, format);
    w->used += vsnprintf(w->size > 0 ? w->text + used : NULL, w->size - used, format, arguments);
    va_end(arguments);
}

static void write_step(text_writer *w, const cardan_diagnosis *d)
{
    write_line(w, "time         %.12g, %s\n", d->t,
               d->attempts > 0 ? "the last good state" : "the start");
    if (d->h > 0.0)
        write_line(w, "step         %.6g", d->h);
    if (d->attempts > 1)
        write_line(w, ", attempt %d", d->attempts);
    if (d->least_step > 0.0)
        write_line(w, "; a shorter one would be below the least, %.3g", d->least_step);
    if (d->h > 0.0)
        write_line(w, "\n");
}

static void write_equations(text_writer *w, const cardan_diagnosis *d)
{
    for (int i = 0; i < d->equation_count; i++)
        write_line(w, "%-12s %-10.3g %s\n", i == 0 ? "residuals" : "", d->equations[i].residual,
                   d->equations[i].name);
}

static void write_dependence(text_writer *w, const cardan_diagnosis *d)
{
    if (d->dependence_missed)
        write_line(
            w,
            "dependent    not known: the search is incomplete for so many constraints; the check "
            "of the model counts their rank\n");
    if (d->constraint_count == 0)
        return;
    write_line(w, "dependent    to %.2g:", d->dependence);
    for (int i = 0; i < d->constraint_count; i++)
        write_line(w, "%s %.4g %s",
                   i == 0                                ? ""
                   : d->constraints[i].coefficient < 0.0 ? " -"
                                                         : " +",
                   fabs(d->constraints[i].coefficient), d->constraints[i].name);
    write_line(w, "\n");
}

static void write_iterations(text_writer *w, const cardan_diagnosis *d)
{
    const int skipped = d->iterations - d->iteration_count;
    if (d->iteration_count == 0)
        return;
    write_line(w, "corrector    correction / tolerance, largest residual before it\n");
    for (int i = 0; i < d->iteration_count; i++)
        write_line(w, "  %3d        %-10.3g %.3g\n", skipped + i + 1, d->history[i].correction,
                   d->history[i].residual);
}

int cardan_diagnosis_text(const cardan_diagnosis *diagnosis, char *text, size_t size)
{
    if (diagnosis == NULL)
        return 0;
    const cardan_diagnosis *d = diagnosis;
    text_writer w = {text, size, 0};
    if (size > 0)
        text[0] = '\0';
    if (d->status == CARDAN_OK)
        return 0;
    write_line(&w, "failure      %s: %s\n", cardan_status_name(d->status),
               cardan_status_text(d->status));
    write_step(&w, d);
    write_line(&w, "reason       %s\n", d->reason);
    if (d->variable[0] != '\0')
        write_line(&w, "error        %.3g times the tolerance in %s\n", d->error, d->variable);
    write_equations(&w, d);
    write_dependence(&w, d);
    write_iterations(&w, d);
    write_line(&w, "try          %s\n", d->suggestion);
    return w.used;
}
