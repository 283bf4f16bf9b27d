/* What there is to say about a run in plain words, computed from its numbers. */
#include "cli/commands/oscillation.h"
#include "report_page.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

void cli_report_state(json_t *statements, const char *level, const char *format, ...)
{
    char text[1024];
    va_list list;
    va_start(list, format);
    vsnprintf(text, sizeof text, format, list);
    va_end(list);
    json_array_append_new(statements,
                          json_pack("{s:s,s:o}", "level", level, "text", cli_json_text(text)));
}

/* ---- numbers of the run ---- */

static const double *values_of(const cli_result *run, const char *name)
{
    const int column = cli_result_column(run, name);
    return column >= 0 ? run->columns[column].values : NULL;
}

/* The largest size in a column; 0 without one. */
static double peak_of(const cli_result *run, const char *name)
{
    const double *values = values_of(run, name);
    double peak = 0.0;
    for (long long i = 0; values != NULL && i < run->rows; i++)
        if (isfinite(values[i]))
            peak = fmax(peak, fabs(values[i]));
    return peak;
}

/* What energies are compared with: that of the start, or of the motion if that says little. */
static double energy_scale(const cli_result *run, const char **name)
{
    const double *energy = values_of(run, "energy");
    const double first = energy != NULL && run->rows > 0 ? fabs(energy[0]) : 0.0;
    const double motion = peak_of(run, "kinetic");
    const bool says = first >= 0.1 * motion;
    *name = says ? "its initial value" : "the largest kinetic energy";
    return says ? first : motion;
}

static double largest_change(const double *values, long long rows)
{
    double largest = 0.0;
    for (long long i = 0; i < rows; i++)
        if (isfinite(values[i]))
            largest = fmax(largest, fabs(values[i] - values[0]));
    return largest;
}

/* ---- how it ended ---- */

static void state_status(const cli_result *run, json_t *statements)
{
    const double t = run->rows > 0 ? run->columns[0].values[run->rows - 1] : NAN;
    if (strcmp(run->status, "failed") == 0)
        cli_report_state(statements, "error", "The run failed at t = %.6g s of %.6g s.", t,
                         run->end);
    else if (strcmp(run->status, "interrupted") == 0)
        cli_report_state(statements, "warning", "The run was interrupted at t = %.6g s of %.6g s.",
                         t, run->end);
    else if (strcmp(run->status, "running") == 0)
        cli_report_state(
            statements, "warning",
            "The run is not complete: it is still running, or was killed, at t = %.6g s of "
            "%.6g s.",
            t, run->end);
    if (run->rows < 2)
        cli_report_state(statements, "warning", "There are only %lld rows.", run->rows);
}

static void state_notes(const cli_result *run, json_t *statements)
{
    static const char *const levels[] = {
        [CLI_NOTE] = "note", [CLI_WARNING] = "warning", [CLI_ERROR] = "error"};
    for (int i = 0; i < run->note_count; i++)
        cli_report_state(statements, levels[run->notes[i].severity], "%s", run->notes[i].text);
}

/* ---- energy ---- */

static void state_parts(const cli_result *run, double change, json_t *statements)
{
    const char *name;
    const double scale = energy_scale(run, &name);
    double most = 0.0;
    for (int i = 0; i < run->step_count; i++)
        if (fabs(run->steps[i].dE_i) > fabs(most))
            most = run->steps[i].dE_i;
    const double method = most / scale;
    if (fabs(method) > 0.05 || method > 1e-3)
        cli_report_state(statements, "warning",
                         "The method %s %.2g of %s as energy that no force accounts for; take a "
                         "smaller step%s.",
                         method > 0.0 ? "added" : "took away", fabs(method), name,
                         method > 0.0 ? ", or more damping (--rho)" : "");
    else
        cli_report_state(statements, "good",
                         "Energy changed by up to %.2g of %s; the method itself %s at most %.2g.",
                         change, name, method > 0.0 ? "added" : "took", fabs(method));
}

static void state_energy(const cli_result *run, json_t *statements)
{
    const char *name;
    const double *energy = values_of(run, "energy");
    const double scale = energy_scale(run, &name);
    if (energy == NULL || run->rows < 2 || !(scale > 0.0))
        return;
    const double change = largest_change(energy, run->rows) / scale;
    if (run->energy_balance && run->step_count > 0)
        state_parts(run, change, statements);
    else
        cli_report_state(
            statements, change < 1e-3 ? "good" : "note",
            change < 1e-3
                ? "Energy changed by at most %.2g of %s."
                : "Energy changed by up to %.2g of %s; `cardan run --energy-balance` tells "
                  "what forces, method and projections have to do with it.",
            change, name);
}

/* Energy that projections put in, each for itself. */
static void state_projections(const cli_result *run, json_t *statements)
{
    const char *name;
    const double scale = energy_scale(run, &name);
    double sum = 0.0, added = 0.0;
    for (int i = 0; i < run->projection_count; i++) {
        sum += run->projections[i].energy;
        added += fmax(run->projections[i].energy, 0.0);
    }
    if (run->projection_count == 0 || !(scale > 0.0))
        return;
    if (added > 1e-6 * scale && sum > 0.1 * added)
        cli_report_state(statements, "warning",
                         "Projections pumped energy in: %.3g J in all, %.2g of %s. Project in the "
                         "norm of the mass (--projection mass), which cannot add kinetic energy.",
                         sum, sum / scale, name);
    else
        cli_report_state(statements, "good", "%d projections moved %.2g of %s as energy.",
                         run->projection_count, fabs(sum) / scale, name);
}

/* ---- constraint forces ---- */

static bool starts_by(const cli_result *run, const char *start)
{
    return strcmp(cli_result_setting(run, "start"), start) == 0;
}

static bool near_projection(const cli_result *run, double t, double end)
{
    const double near = 0.02 * (run->end - run->begin);
    for (int i = 0; i < run->projection_count; i++)
        if (run->projections[i].t >= t - near && run->projections[i].t <= end)
            return true;
    return false;
}

static const char *cure_of(const cli_result *run, const cli_oscillating *worst)
{
    const double early = run->begin + 0.1 * (run->end - run->begin);
    const bool index3 = strcmp(run->method, "ga3") == 0;
    if (run->method[0] == '\0')
        return "A plain start or a projection can cause this; use --start perturbed, or --method "
               "ga2s without projections.";
    if (worst->begin <= early && starts_by(run, "plain"))
        return "The plain start causes this; use --start perturbed, or --method ga2s.";
    if (worst->begin <= early && index3 && starts_by(run, "acceleration"))
        return "The start of the acceleration alone causes this; use --start perturbed, or "
               "--method ga2s.";
    if (near_projection(run, worst->begin, worst->end))
        return index3 ? "Projections cause this; use --project-target settled, or --method ga2s."
                      : "Projections cause this; leave them out, ga2s holds both levels itself.";
    return index3 ? "Take a smaller step or --method ga2s."
                  : "Take a smaller step, or more damping (a smaller --rho).";
}

/* Steps may be finer than rows, which then cannot show what happens from step to step. */
static bool rows_are_steps(const cli_result *run)
{
    const double steps = cli_result_statistic(run, "steps");
    return isnan(steps) || (double)run->rows >= 0.9 * steps;
}

static bool has_forces(const cli_result *run)
{
    for (int i = 0; i < run->column_count; i++)
        if (run->columns[i].kind == CLI_COLUMN_JOINT ||
            (run->columns[i].kind == CLI_COLUMN_MULTIPLIER && run->columns[i].name[0] != 'e'))
            return true;
    return false;
}

static void state_oscillation(const cli_result *run, json_t *statements)
{
    cli_oscillating worst;
    if (!has_forces(run) || run->rows < 2)
        return;
    if (cli_oscillation_in_rows(run, &worst))
        cli_report_state(statements, "warning",
                         "Spurious oscillation: %.100s changes from step to step by up to %.3g%s%s "
                         "(%.2g of its largest value) between t = %.4g and %.4g s. %s",
                         run->columns[worst.column].name, worst.amplitude,
                         run->columns[worst.column].unit[0] != '\0' ? " " : "",
                         run->columns[worst.column].unit, worst.relative, worst.begin, worst.end,
                         cure_of(run, &worst));
    else if (rows_are_steps(run))
        cli_report_state(statements, "good", "No spurious oscillation seen in the joint forces.");
    else
        cli_report_state(statements, "note",
                         "Rows are further apart than steps: oscillations from step to step "
                         "cannot be seen in them.");
}

/* Families whose parameters are all of second order; of others it depends on the numbers. */
static bool is_second_order(const cli_result *run)
{
    static const char *const families[] = {"ch:", "hht:", "wbz:", "trapezoidal", "no parameters"};
    const char *params = cli_result_setting(run, "params");
    for (size_t i = 0; i < sizeof families / sizeof families[0]; i++)
        if (strncmp(params, families[i], strlen(families[i])) == 0)
            return true;
    return params[0] == '\0';
}

/* Projections to residual zero restart the transient of index-3 multipliers each time. */
static bool loses_force_order(const cli_result *run)
{
    return run->projection_count > 0 &&
           strcmp(cli_result_setting(run, "project-target"), "settled") != 0;
}

/* Only what the method's theory promises (docs/methods). */
static void state_order(const cli_result *run, json_t *statements)
{
    static const struct {
        const char *method, *text;
        bool by_start; /* needs the perturbed start */
    } orders[] = {
        {"ga2s", "Positions, velocities and joint forces are of second order in the step.", false},
        {"ga3", "Positions, velocities and joint forces are of second order in the step.", true},
        {"ga2", "Positions and velocities are of second order; position constraints drift.", false},
        {"ga1", "Positions and velocities are of second order; all constraints drift.", false},
        {"nonholonomic",
         "Positions and velocities are of second order, and so are constraint forces once the "
         "start has died away.",
         false},
        {"hht", "Positions and velocities are of second order in the step.", false},
        {"hht3", "Positions, velocities and constraint forces are of second order.", false},
        {"hht2", "Positions, velocities and constraint forces are of second order.", false},
        {"conserving", "The method keeps the energy; positions and velocities are of second order.",
         false},
        {"auto",
         "Positions, velocities and joint forces are of fifth order in steps of rk5 and of second "
         "order in steps of ga2s.",
         false},
        {"rk5", "Positions, velocities and joint forces are of fifth order in the step.", false},
        {"bdf",
         "Positions, velocities and joint forces are of the order of the formula (--order, with "
         "fixed steps 2).",
         false},
    };
    for (size_t i = 0; i < sizeof orders / sizeof orders[0]; i++) {
        if (strcmp(orders[i].method, run->method) != 0 || !is_second_order(run))
            continue;
        if (orders[i].by_start && (starts_by(run, "plain") || starts_by(run, "acceleration")))
            cli_report_state(statements, "note",
                             "With --start %s, joint forces are of first order only until its "
                             "transient has decayed.",
                             cli_result_setting(run, "start"));
        else if (orders[i].by_start && loses_force_order(run))
            cli_report_state(statements, "note",
                             "Positions and velocities are of second order; joint forces after "
                             "projections to zero only of first (--project-target settled).");
        else
            cli_report_state(statements, "good", "%s", orders[i].text);
    }
}

/* ---- constraints ---- */

/* How far things are from the origin: what position residuals are compared with. */
static double length_scale(const cli_result *run)
{
    double most = 0.0;
    for (int i = 0; i < run->column_count; i++)
        if (run->columns[i].kind == CLI_COLUMN_BODY && strcmp(run->columns[i].quantity, "pos") == 0)
            most = fmax(most, peak_of(run, run->columns[i].name));
    return most > 0.0 ? most : 1.0;
}

static double residual_of(const cli_result *run, const char *name)
{
    const double known = cli_result_statistic(run, name);
    return isnan(known) ? peak_of(run, name) : known;
}

static void state_constraints(const cli_result *run, json_t *statements)
{
    const double phi = residual_of(run, "phi_max"), hidden = residual_of(run, "hidden_max");
    const double part = phi / length_scale(run);
    if (cli_result_column(run, "phi_max") < 0 || (phi == 0.0 && hidden == 0.0))
        return;
    if (part > 1e-4)
        cli_report_state(statements, "warning",
                         "Constraints are violated: the position residual reaches %.2g (velocity "
                         "%.2g). Bodies come apart at joints; use ga2s or ga3, or --project.",
                         phi, hidden);
    else
        cli_report_state(statements, part > 1e-7 ? "note" : "good",
                         "Constraints hold to %.1g in positions and %.1g in velocities.", phi,
                         hidden);
}

/* ---- steps ---- */

static void state_steps(const cli_result *run, json_t *statements)
{
    const double steps = cli_result_statistic(run, "steps");
    const double failed = cli_result_statistic(run, "failures");
    if (!(steps > 0.0))
        return;
    if (failed > 0.2 * steps)
        cli_report_state(statements, "warning",
                         "%.0f tries of %.0f steps were rejected; a smaller --max-step, or a look "
                         "at what changes so suddenly, will save time.",
                         failed, steps);
    else if (failed > 0.0)
        cli_report_state(statements, "note", "%.0f of %.0f steps were tried again shorter.", failed,
                         steps);
}

/* ---- the verdict ---- */

/* Of the run itself, whose findings are its notes; false: the file tells none. */
static bool state_verdict(const cli_result *run, json_t *statements)
{
    static const char *const texts[] = {
        "good",    "Verdict: good. No measurement speaks against this result.",
        "warning", "Verdict: doubtful. Parts of this result may be less accurate than requested.",
        "error",   "Verdict: wrong. This is not the requested motion."};
    const double verdict = cli_result_statistic(run, "verdict");
    const int known = verdict == 1.0 ? 1 : verdict == 2.0 ? 2 : 0;
    if (isnan(verdict))
        return false;
    cli_report_state(statements, texts[2 * known], "%s", texts[2 * known + 1]);
    return true;
}

/* The judge has decided: what numbers of rows look like is no warning any more. */
static void add_without_warnings(json_t *own, json_t *statements)
{
    size_t i;
    json_t *one;
    json_array_foreach(own, i, one) if (strcmp(json_string_value(json_object_get(one, "level")),
                                               "warning") != 0) json_array_append(statements, one);
}

void cli_report_summarise(const cli_result *run, json_t *statements)
{
    json_t *own = json_array();
    state_status(run, statements);
    const bool judged = state_verdict(run, statements);
    state_notes(run, statements);
    state_energy(run, own);
    state_projections(run, own);
    if (!judged)
        state_oscillation(run, own);
    if (!(cli_result_statistic(run, "verdict") > 0.0))
        state_order(run, own);
    state_constraints(run, own);
    state_steps(run, own);
    if (judged)
        add_without_warnings(own, statements);
    else
        json_array_extend(statements, own);
    json_decref(own);
}
