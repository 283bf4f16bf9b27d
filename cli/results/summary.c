/* The result of a run, for people and as JSON. */
#include "cli/commands/run.h"
#include "cli/setup/case.h"
#include "values.h"

#include <string.h>

static void print_task(const cli_run_job *job)
{
    const cli_setup *setup = &job->setup;
    const cli_plan *plan = &job->plan;
    const cardan_event_record *ending = cardan_integrator_last_event(job->integrator);
    printf("%s by %s (%s, %s start)\n", setup->problem, setup->method, setup->params_text,
           cli_setup_start_name(setup));
    if (job->events.ended)
        printf("ended at t = %.10g by %s\n", ending->t, ending->list[ending->events[0]].name);
    if (job->status != CARDAN_OK || job->interrupted)
        printf("stopped at t = %.10g, before the end\n", job->stopped);
    if (plan->adaptive) {
        const cardan_statistics s = cardan_integrator_statistics(job->integrator);
        if (cli_setup_is_automatic(setup))
            printf("method: %s\n", s.method);
        char relative[64], absolute[64];
        printf("t = %g to %g: %ld steps from %.3g to %.3g, mean %.3g, by rtol %s, atol %s\n",
               plan->begin, plan->end, s.steps, s.min_step, s.max_step, s.mean_step,
               cli_tolerance_text(setup->tolerance.relative, relative, sizeof relative),
               cli_tolerance_text(setup->tolerance.absolute, absolute, sizeof absolute));
        return;
    }
    printf("t = %g to %g: %lld step%s of %g%s%s\n", plan->begin, plan->end, plan->steps,
           plan->steps == 1 ? "" : "s", plan->step,
           plan->uniform < plan->steps ? " (shorter at the end)" : "",
           job->step > 0.0 ? ""
           : cli_setup_can_adapt(setup)
               ? ", the recommended size"
               : ", the recommended size; the method has no error control");
}

static const char *output_name(void *from, int i)
{
    return cli_record_name(from, i + 1);
}

static void print_state(const cli_run_job *job)
{
    cli_record *record = job->record;
    const char *file = cli_output_name(job);
    char where[300] = "`--out FILE.csv` writes them all";
    if (file != NULL)
        snprintf(where, sizeof where, "%.250s has them all", file);
    printf("\nat t = %.10g\n", record->values[0]);
    cli_values_print(output_name, record, record->values + 1, record->outputs, where);
}

static void print_quality(const cli_record *record, bool constrained)
{
    double first = record->kinetic_first + record->potential_first;
    if (constrained)
        printf("\nconstraints  largest residual %.2g (position), %.2g (velocity)\n",
               record->phi_largest, record->hidden_largest);
    else
        printf("\nconstraints  none\n");
    printf("energy       %.10g at the start, change %.3g at the end, %.3g at most\n", first,
           cli_record_energy(record) - first, record->energy_deviation);
}

static void print_energy_balance(const cli_run_job *job)
{
    const cardan_energy_balance l = cardan_integrator_energy_balance(job->integrator);
    if (!job->energy_balance)
        return;
    printf("balance      change %.6g = work %.6g + dE_i %.6g + dE_p %.6g", l.change, l.work,
           l.integrator, l.projection);
    if (job->plan.events)
        printf(" + dE_e %.6g", l.event);
    printf("\n");
}

static void print_events(const cli_run_job *job)
{
    const cardan_event_record *last = cardan_integrator_last_event(job->integrator);
    const long count = cardan_integrator_statistics(job->integrator).events;
    if (!job->plan.events)
        return;
    if (last == NULL) {
        printf("events       none\n");
        return;
    }
    printf("events       %ld, the last at t = %.10g: %s\n", count, last->t,
           last->list[last->events[0]].name);
}

static void print_work(const cli_run_job *job)
{
    cardan_statistics s = cardan_integrator_statistics(job->integrator);
    const double steps = s.steps > 0 ? (double)s.steps : 1.0;
    const bool iterates = s.iterations > 0 || s.residuals == 0; /* explicit methods do not */
    printf("work         %ld step%s, %.2f %s a step, %ld factorizations, %.3g s\n", s.steps,
           s.steps == 1 ? "" : "s", (double)(iterates ? s.iterations : s.residuals) / steps,
           iterates ? "Newton iterations" : "evaluations", s.factorizations, job->seconds);
}

static void print_look(const cli_check_run *look)
{
    if (look->made)
        printf("errors       about %.2g %s (%s of `%s`), by a second run of %ld steps%s%.200s\n",
               look->largest.ratio, cli_check_run_unit(look), look->kind, look->largest.element,
               look->steps, look->failure[0] != '\0' ? ", which " : "", look->failure);
    else if (look->failure != NULL)
        printf("errors       not estimated: a second run %.200s\n", look->failure);
}

void cli_summary_print(const cli_run_job *job)
{
    cli_record *record = job->record;
    if (job->preview)
        printf("\n");
    print_task(job);
    print_state(job);
    print_quality(record,
                  cardan_system_describe(cli_case_system(job->problem)).constraint_count > 0);
    print_energy_balance(job);
    print_events(job);
    print_work(job);
    if (job->preview)
        printf("shown        %d of %d columns; `--out FILE.csv` writes them all\n",
               job->table.count + 2, record->columns);
    else if (cli_output_name(job) != NULL)
        printf("written      %lld rows of %d columns to %s\n", job->rows, record->columns,
               cli_output_name(job));
    if (job->vtk_folder != NULL)
        printf("frames       %d, listed in %s/run.pvd\n", job->frames, job->vtk_folder);
    print_look(&job->look);
    if (job->judged) {
        fputs("verdict      ", stdout);
        cli_verdict_print(cardan_verdict_name(job->health.verdict));
        puts(job->failure[0] != '\0' ? ", up to where the run stopped" : "");
    }
}

static json_t *look_json(const cli_check_run *look)
{
    const cli_difference *d = &look->largest;
    return json_pack("{s:o, s:s, s:s, s:o, s:o, s:I, s:o, s:o}", "error", cli_json_number(d->ratio),
                     "in", cli_check_run_unit(look), "of", look->kind, "element",
                     cli_json_text(d->element), "t", cli_json_number(d->t), "steps",
                     (json_int_t)look->steps, "factor", cli_json_number(look->factor), "failure",
                     cli_json_text(look->failure));
}

static json_t *state_json(cli_record *record)
{
    json_t *state = json_object();
    for (int i = 0; i < 1 + record->outputs + record->etas; i++)
        json_object_set_new(state, cli_record_name(record, i), cli_json_number(record->values[i]));
    return state;
}

static json_t *energy_json(const cli_record *record)
{
    double first = record->kinetic_first + record->potential_first;
    return json_pack("{s:{s:o, s:o, s:o}, s:{s:o, s:o, s:o}, s:o}", "start", "kinetic",
                     cli_json_number(record->kinetic_first), "potential",
                     cli_json_number(record->potential_first), "total", cli_json_number(first),
                     "end", "kinetic", cli_json_number(cli_record_kinetic(record)), "potential",
                     cli_json_number(cli_record_potential(record)), "total",
                     cli_json_number(cli_record_energy(record)), "max_deviation",
                     cli_json_number(record->energy_deviation));
}

static json_t *energy_balance_json(const cli_run_job *job)
{
    const cardan_energy_balance l = cardan_integrator_energy_balance(job->integrator);
    return json_pack("{s:o, s:o, s:o, s:o, s:o, s:o, s:o}", "dE_e", cli_json_number(l.event),
                     "change", cli_json_number(l.change), "work", cli_json_number(l.work), "dE_i",
                     cli_json_number(l.integrator), "dE_p", cli_json_number(l.projection),
                     "dE_p_linear", cli_json_number(l.projection_linear), "dE_p_quadratic",
                     cli_json_number(l.projection_quadratic));
}

static json_t *messages_json(const cli_run_job *job)
{
    json_t *messages = json_array();
    if (job->failure[0] != '\0')
        json_array_append_new(messages, json_string(job->failure));
    for (int i = 0; job->judged && i < job->health.count; i++)
        json_array_append_new(messages, cli_json_text(job->health.findings[i].text));
    return messages;
}

static json_t *ending_json(const cli_run_job *job)
{
    const cardan_event_record *ending = cardan_integrator_last_event(job->integrator);
    const char *name = ending->list[ending->events[0]].name;
    return json_pack("{s:o, s:i, s:s}", "t", cli_json_number(ending->t), "event", ending->events[0],
                     "name", name);
}

void cli_summary_json(const cli_run_job *job)
{
    cli_record *record = job->record;
    json_t *object = cli_setup_json(&job->setup);
    json_object_set_new(object, "begin", cli_json_number(job->plan.begin));
    json_object_set_new(object, "end", cli_json_number(job->plan.end));
    if (job->plan.adaptive) {
        json_object_set_new(object, "tolerance", cli_tolerance_json(&job->setup.tolerance));
    } else {
        json_object_set_new(object, "step", cli_json_number(job->plan.step));
        json_object_set_new(object, "step_recommended", json_boolean(job->step <= 0.0));
    }
    if (record->measured) {
        json_object_set_new(object, "state", state_json(record));
        json_object_set_new(object, "residuals",
                            json_pack("{s:o, s:o}", "phi_max", cli_json_number(record->phi_largest),
                                      "hidden_max", cli_json_number(record->hidden_largest)));
        json_object_set_new(object, "energy", energy_json(record));
        if (job->energy_balance)
            json_object_set_new(object, "energy_balance", energy_balance_json(job));
    }
    if (job->plan.events)
        json_object_set_new(object, "events",
                            json_integer(cardan_integrator_statistics(job->integrator).events));
    if (job->events.ended)
        json_object_set_new(object, "ended_by", ending_json(job));
    if (cli_setup_is_automatic(&job->setup))
        json_object_set_new(object, "method_used",
                            cli_json_text(cardan_integrator_statistics(job->integrator).method));
    json_object_set_new(object, "statistics", cli_statistics_json(job));
    const char *file = cli_output_name(job);
    if (file != NULL)
        json_object_set_new(object, "output",
                            json_pack("{s:s%, s:I, s:i}", "file", file, strlen(file), "rows",
                                      (json_int_t)job->rows, "columns", record->columns));
    const cardan_diagnosis *diagnosis = cli_failure_diagnosis(job);
    if (diagnosis != NULL)
        json_object_set_new(object, "diagnosis", cli_failure_json(diagnosis));
    if (job->judged)
        json_object_set_new(object, "health", cli_verdict_json(&job->health));
    if (job->look.made)
        json_object_set_new(object, "check_run", look_json(&job->look));
    json_object_set_new(object, "messages", messages_json(job));
    json_object_set_new(
        object, "status",
        json_string(job->interrupted ? "interrupted" : cardan_status_name(job->status)));
    cli_json_print(object);
}
