/* The findings of `cardan check` as JSON. */
#include "check.h"
#include "lab/analysis/decomposition.h"
#include "lab/analysis/projection_verdict.h"

static json_t *outcome(const cli_outcome *result)
{
    return json_pack("{s:b, s:s}", "ok", result->fine, "text", result->text);
}

static void put(json_t *object, const char *key, double value)
{
    json_object_set_new(object, key, cli_json_number(value));
}

static void put_text(json_t *object, const char *key, const char *text)
{
    json_object_set_new(object, key, json_string(text));
}

static void put_count(json_t *object, const char *key, long long value)
{
    json_object_set_new(object, key, json_integer(value));
}

static json_t *numbers(const double *x, int count)
{
    json_t *array = json_array();
    for (int i = 0; i < count; i++)
        json_array_append_new(array, cli_json_number(x[i]));
    return array;
}

static json_t *consistency(const cli_check_job *check)
{
    json_t *object = outcome(&check->consistent);
    put(object, "position", check->residuals.position);
    put(object, "velocity", check->residuals.velocity);
    put(object, "acceleration", check->residuals.acceleration);
    put(object, "dynamics", check->residuals.dynamics);
    json_object_set_new(
        object, "lambda",
        numbers(check->lambda, cardan_system_describe(check->system).constraint_count));
    json_object_set_new(
        object, "psi",
        numbers(check->psi, cardan_system_describe(check->system).nonholonomic_count));
    return object;
}

static json_t *rows(const double *x, int count, int columns)
{
    json_t *array = json_array();
    for (int i = 0; i < count; i++)
        json_array_append_new(array, numbers(x + i * columns, columns));
    return array;
}

static json_t *decomposition(const lab_decomposition *d)
{
    if (d == NULL)
        return json_null();
    const int k = d->dof, n = d->constraints, r = d->mass_rank;
    json_t *object = json_object();
    json_object_set_new(object, "u", rows(d->u, k, k));
    json_object_set_new(object, "q", rows(d->q, n, n));
    json_object_set_new(object, "eigenvalues", numbers(d->eigenvalues, r));
    json_object_set_new(object, "b", rows(d->b, n - (k - r), r));
    put(object, "defect", d->defect);
    return object;
}

static json_t *multipliers(const cli_check_job *check)
{
    const lab_decomposition *d = check->decomposition;
    json_t *array = json_array();
    char name[24];
    for (int i = 0; d != NULL && i < d->constraints; i++)
        json_array_append_new(array,
                              json_pack("{s:s, s:o}", "name", cli_check_multiplier(check, i, name),
                                        "algebraic_share", cli_json_number(d->share[i])));
    return array;
}

static json_t *structure(const cli_check_job *check)
{
    const cardan_rank_report *r = &check->rank;
    json_t *object = outcome(&check->structure);
    put_count(object, "mass_rank", r->mass_rank);
    put(object, "mass_smallest", r->mass_smallest);
    put(object, "mass_largest", r->mass_largest);
    put_count(object, "holonomic_rank", r->holonomic_rank);
    put_count(object, "constraint_rank", r->constraint_rank);
    put_count(object, "degrees_of_freedom", r->kernel);
    json_object_set_new(object, "definite_on_kernel", json_boolean(r->definite_on_kernel));
    put(object, "kernel_smallest", r->kernel_smallest);
    put(object, "friction_smallest", r->friction_smallest);
    put(object, "augmented_smallest", r->augmented_smallest);
    put_count(object, "algebraic", r->algebraic);
    put_count(object, "tied", r->tied);
    json_object_set_new(object, "index", r->index >= 0 ? json_integer(r->index) : json_null());
    json_object_set_new(object, "multipliers", multipliers(check));
    json_object_set_new(object, "decomposition", decomposition(check->decomposition));
    put_text(object, "mass_text", r->mass_text);
    put_text(object, "constraint_text", r->constraint_text);
    put_text(object, "kernel_text", r->kernel_text);
    put_text(object, "multiplier_text", r->multiplier_text);
    put_text(object, "friction_text", r->friction_text);
    put_text(object, "index_text", r->index_text);
    put_text(object, "advice", r->advice);
    put_text(object, "method", check->method);
    return object;
}

static void put_verdict(json_t *object, const lab_projection_verdict *v)
{
    put_count(object, "case", v->case_number);
    put(object, "smallest", v->smallest);
    put(object, "smallest_relative", v->smallest_relative);
    put_count(object, "compatible", v->compatible);
    put_count(object, "kernel_b", v->kernel_b);
    put_count(object, "kernel_d", v->kernel_d);
    json_object_set_new(object, "can_add_energy", json_boolean(v->can_add_energy));
    put_text(object, "advice", v->advice);
}

static json_t *verdict(const cli_verdict *v)
{
    json_t *object = json_object();
    put_text(object, "matrix", v->name);
    json_object_set_new(object, "judged", json_boolean(v->judged));
    if (!v->judged) {
        put_text(object, "refusal", v->refusal);
        return object;
    }
    put_verdict(object, &v->at_start);
    json_t *worst = json_object();
    put_count(worst, "states", v->states);
    put(worst, "time", v->worst_time);
    put_verdict(worst, &v->worst);
    json_object_set_new(object, "worst", worst);
    json_object_set_new(object, "can_add_energy_along_run", json_boolean(v->can_add_energy));
    return object;
}

static json_t *verdicts(const cli_check_job *check)
{
    json_t *array = json_array();
    for (int i = 0; i < check->verdict_count; i++)
        json_array_append_new(array, verdict(&check->verdicts[i]));
    return array;
}

static json_t *transient(const cli_transient *t)
{
    if (!t->applies)
        return json_null();
    json_t *object = json_object();
    put(object, "starting_error", t->starting_error);
    put(object, "amplification", t->recursion.lambda_peak);
    put_count(object, "peak_step", t->recursion.lambda_peak_step);
    put_count(object, "settled_step", t->recursion.settled_step);
    put(object, "predicted_scaled", t->recursion.lambda_peak * t->starting_error);
    put(object, "measured_scaled", t->measured_scaled);
    put_count(object, "measured_scaled_step", t->scaled_step);
    put(object, "measured", t->measured);
    put_count(object, "measured_step", t->measured_step);
    put(object, "lambda", t->lambda);
    json_object_set_new(object, "null_space_radius",
                        t->has_null ? cli_json_number(t->null.radius) : json_null());
    return object;
}

void cli_check_json(const cli_check_job *check)
{
    json_t *object = cli_setup_json(&check->setup);
    put_count(object, "velocities", cardan_system_describe(check->system).dof);
    put_count(object, "holonomic", cardan_system_describe(check->system).constraint_count);
    put_count(object, "nonholonomic", cardan_system_describe(check->system).nonholonomic_count);
    put(object, "step", check->step);
    json_object_set_new(object, "sound", json_boolean(cli_check_passed(check)));
    json_object_set_new(object, "derivatives", outcome(&check->derivatives));
    json_object_set_new(object, "initial_values", consistency(check));
    json_object_set_new(object, "structure", structure(check));
    json_object_set_new(object, "model", cli_check_elements_json(check));
    json_object_set_new(object, "projections", verdicts(check));
    json_t *run = outcome(&check->run);
    put(run, "end", check->run_end);
    json_object_set_new(run, "cut_short", json_boolean(check->run_cut));
    json_object_set_new(object, "run", run);
    json_object_set_new(object, "plain_start", transient(&check->transient));
    cli_json_print(object);
}
