/* What a run has cost: counts, step sizes and times, as a table and as JSON. */
#include "cli/commands/run.h"

/* Names and seconds of the parts; `program` is what the library does not account for. */
typedef struct part {
    const char *name;
    double seconds;
} part;

enum { PARTS = 11 };

static void list_parts(const cli_run_job *job, part *parts)
{
    const cardan_timing t = cardan_integrator_statistics(job->integrator).time;
    const part list[PARTS - 1] = {{"start", t.start},       {"evaluation", t.evaluation},
                                  {"assembly", t.assembly}, {"factorization", t.factorization},
                                  {"solve", t.solve},       {"control", t.control},
                                  {"events", t.events},     {"projection", t.projection},
                                  {"output", t.output},     {"other", t.other}};
    double sum = 0.0;
    for (int i = 0; i < PARTS - 1; i++) {
        parts[i] = list[i];
        sum += list[i].seconds;
    }
    /* The start is not in the seconds of the run. */
    const double rest = job->seconds + t.start - sum;
    parts[PARTS - 1] = (part){"program", rest > 0.0 ? rest : 0.0};
}

static void print_times(const cli_run_job *job, FILE *out)
{
    part parts[PARTS];
    list_parts(job, parts);
    fprintf(out, "time         %.4g s of stepping and writing, by parts:\n", job->seconds);
    for (int i = 0; i < PARTS; i++)
        fprintf(out, "  %-18s %11.4g s\n", parts[i].name, parts[i].seconds);
}

void cli_statistics_print(const cli_run_job *job, FILE *out)
{
    const cardan_statistics s = cardan_integrator_statistics(job->integrator);
    fprintf(out,
            "solver       %ld steps, sizes %.3g to %.3g, mean %.3g, %ld changes\n"
            "  failed steps       %11ld   rejected for their error %ld, tried again shorter %ld\n"
            "  iterations         %11ld   corrections shortened %ld\n"
            "  residuals          %11ld\n"
            "  matrices           %11ld\n"
            "  factorizations     %11ld   because of slow convergence %ld\n"
            "  reuses of factors  %11ld\n"
            "  callbacks          %11ld   for residuals %ld, for matrices %ld\n"
            "  threads            %11ld\n",
            s.steps, s.min_step, s.max_step, s.mean_step, s.step_changes, s.failures, s.rejected,
            s.retried, s.iterations, s.line_searches, s.residuals, s.matrices, s.factorizations,
            s.refreshes, s.reuses, s.callbacks, s.residual_callbacks, s.matrix_callbacks,
            s.threads);
    print_times(job, out);
}

static json_t *times_json(const cli_run_job *job)
{
    part parts[PARTS];
    json_t *object = json_object();
    list_parts(job, parts);
    for (int i = 0; i < PARTS; i++)
        json_object_set_new(object, parts[i].name, cli_json_number(parts[i].seconds));
    return object;
}

json_t *cli_statistics_json(const cli_run_job *job)
{
    const cardan_statistics s = cardan_integrator_statistics(job->integrator);
    const struct {
        const char *name;
        long count;
    } counts[] = {{"steps", s.steps},
                  {"iterations", s.iterations},
                  {"residuals", s.residuals},
                  {"matrices", s.matrices},
                  {"factorizations", s.factorizations},
                  {"refreshes", s.refreshes},
                  {"reuses", s.reuses},
                  {"callbacks", s.callbacks},
                  {"residual_callbacks", s.residual_callbacks},
                  {"matrix_callbacks", s.matrix_callbacks},
                  {"line_searches", s.line_searches},
                  {"unresolved", s.unresolved},
                  {"failures", s.failures},
                  {"rejected", s.rejected},
                  {"retried", s.retried},
                  {"stiff_steps", s.stiff_steps},
                  {"outpaced_steps", s.outpaced_steps},
                  {"step_changes", s.step_changes},
                  {"reselections", s.reselections},
                  {"reactivations", s.reactivations},
                  {"threads", s.threads}};
    json_t *object = json_object();
    for (size_t i = 0; i < sizeof counts / sizeof counts[0]; i++)
        json_object_set_new(object, counts[i].name, json_integer((json_int_t)counts[i].count));
    json_object_set_new(object, "min_step", cli_json_number(s.min_step));
    json_object_set_new(object, "mean_step", cli_json_number(s.mean_step));
    json_object_set_new(object, "max_step", cli_json_number(s.max_step));
    json_object_set_new(object, "seconds", cli_json_number(job->seconds));
    if (job->setup.timing)
        json_object_set_new(object, "time", times_json(job));
    return object;
}
