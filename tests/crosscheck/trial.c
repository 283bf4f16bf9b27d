/* See trial.h. Everything is made anew from the text for each run. */
#include "trial.h"
#include "cli/setup/case.h"
#include "model/redundancy/reduction.h"

#include <cardan/checkpoint.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A model with its integrator. */
typedef struct bench {
    cardan_model_file *file;
    cli_case *problem;
    cardan_integrator *integrator;
    double *numbers; /* room for a point */
} bench;

static void *take(size_t count, size_t size)
{
    void *memory = calloc(count > 0 ? count : 1, size);
    if (memory == NULL)
        abort();
    return memory;
}

static void bench_free(bench *b)
{
    cardan_integrator_destroy(b->integrator);
    cli_case_destroy(b->problem);
    cardan_model_file_destroy(b->file);
    free(b->numbers);
    *b = (bench){0};
}

static bool refuse(trial *out, cardan_status status, const char *reason)
{
    out->ending = REFUSED;
    out->status = status;
    snprintf(out->reason, sizeof out->reason, "%s", reason);
    return false;
}

static bool read_model(const task *job, const way *how, bench *b, trial *out)
{
    enum { MOST = 16 };
    cardan_file_override overrides[MOST];
    char paths[MOST][32];
    cardan_error error;
    const int count = job->forms && how->form != NULL ? job->bodies : 0;
    for (int i = 0; i < count; i++) {
        snprintf(paths[i], sizeof paths[i], "bodies.b%d.form", i);
        overrides[i] = (cardan_file_override){paths[i], how->form};
    }
    cardan_status status = cardan_model_file_parse(&b->file, job->text, job->length, "machine.yaml",
                                                   overrides, count, &error);
    if (status != CARDAN_OK)
        return refuse(out, status, error.text);
    cardan_model *model = cardan_model_file_model(b->file);
    status = cardan_model_build(model);
    if (status != CARDAN_OK)
        return refuse(out, status, cardan_model_message(model));
    const double end = job->times[job->rows - 1];
    status = cli_case_of_model(&b->problem, model, NULL, 0.0, end, 1e-3 * end, &error);
    return status == CARDAN_OK || refuse(out, status, error.text);
}

static bool make_integrator(const way *how, bench *b, trial *out)
{
    cardan_integrator_def def = cardan_integrator_def_default();
    cardan_error error;
    const cardan_tolerance tolerance = {how->atol, how->rtol};
    cardan_run_settings_apply(cardan_model_file_settings(b->file), &def, NULL);
    def.method = how->method;
    def.step = how->step;
    def.threads = how->threads;
    def.health = how->health;
    def.control.adaptive = how->step == 0.0;
    def.control.position = def.control.velocity = def.control.multiplier = tolerance;
    def.reselect = cd_model_reselect;
    def.redundancy_context = cardan_model_file_model(b->file);
    const cardan_system *system = cli_case_system(b->problem);
    cardan_status status = cardan_integrator_create(&b->integrator, system, &def, &error);
    if (status != CARDAN_OK)
        return refuse(out, status, error.text);
    const int size = cardan_group_size(cardan_system_describe(system).group);
    b->numbers = take((size_t)(size + 2 * cardan_system_describe(system).dof +
                               cardan_system_describe(system).constraint_count +
                               cardan_system_describe(system).nonholonomic_count),
                      sizeof *b->numbers);
    return true;
}

static cardan_status start(bench *b)
{
    const cardan_system *system = cli_case_system(b->problem);
    const int size = cardan_group_size(cardan_system_describe(system).group);
    double *q = take((size_t)size, sizeof *q);
    double *v = take((size_t)cardan_system_describe(system).dof, sizeof *v);
    cli_case_initial(b->problem, q, v);
    cardan_status status = cardan_integrator_start(b->integrator, 0.0, q, v);
    free(q);
    free(v);
    return status;
}

static value_class class_of(const char *name, bool *known)
{
    const char *dot = strrchr(name, '.');
    const char *end = dot != NULL ? dot + 1 : "";
    *known = true;
    if (strlen(end) == 1 && strchr("xyz", end[0]) != NULL)
        return POSITION;
    if (strlen(end) == 2 && end[0] == 'e')
        return ROTATION;
    if (strlen(end) == 2 && strchr("xyz", end[1]) != NULL && strchr("vwfm", end[0]) != NULL)
        return end[0] == 'v'   ? VELOCITY
               : end[0] == 'w' ? TURNING
               : end[0] == 'f' ? JOINT_FORCE
                               : JOINT_MOMENT;
    *known = false;
    return POSITION;
}

static bool same_element(const char *a, const char *b)
{
    const size_t length = strcspn(a, ".");
    return length == strcspn(b, ".") && strncmp(a, b, length) == 0;
}

static void find_vectors(const bench *b, trial *out)
{
    out->columns = cli_case_outputs(b->problem);
    out->vectors = take((size_t)out->columns, sizeof *out->vectors);
    char before[64] = "";
    for (int i = 0; i < out->columns; i++) {
        char name[64];
        bool known;
        cli_case_write_output_name(b->problem, i, name, sizeof name);
        const value_class kind = class_of(name, &known);
        vector *last = out->vector_count > 0 ? &out->vectors[out->vector_count - 1] : NULL;
        if (known && last != NULL && last->kind == kind && last->first + last->count == i &&
            same_element(before, name))
            last->count++;
        else if (known)
            out->vectors[out->vector_count++] = (vector){kind, i, 1};
        snprintf(before, sizeof before, "%s", name);
    }
}

static void note_sizes(trial *out, const double *row)
{
    for (int i = 0; i < out->vector_count; i++) {
        const vector *v = &out->vectors[i];
        double sum = 0.0;
        for (int j = 0; j < v->count; j++)
            sum += row[v->first + j] * row[v->first + j];
        out->size[v->kind] = fmax(out->size[v->kind], sqrt(sum));
    }
}

static cardan_point point_of(const cardan_state *s)
{
    return (cardan_point){s->t, s->q, s->v, s->vdot, s->lambda, s->psi};
}

static cardan_status take_row(bench *b, trial *out, double t)
{
    const cardan_system *system = cardan_integrator_system(b->integrator, CARDAN_EVENT_MODE_NOW);
    double *q = b->numbers, *v = q + cardan_group_size(cardan_system_describe(system).group);
    double *vdot = v + cardan_system_describe(system).dof,
           *lambda = vdot + cardan_system_describe(system).dof;
    double *psi = lambda + cardan_system_describe(system).constraint_count;
    cardan_status status = cardan_integrator_interpolate(b->integrator, t, q, v, vdot, lambda, psi);
    if (status != CARDAN_OK)
        return status;
    const cardan_point at = {t, q, v, vdot, lambda, psi};
    double *row = out->values + (size_t)out->rows * (size_t)out->columns;
    cli_case_output(b->problem, &at, row);
    note_sizes(out, row);
    out->rows++;
    return CARDAN_OK;
}

static uint64_t add_hash(uint64_t hash, const double *numbers, int count)
{
    return cardan_checkpoint_checksum(hash, numbers, (size_t)count * sizeof *numbers);
}

static void note_state(bench *b, const way *how, trial *out)
{
    const cardan_system *system = cardan_integrator_system(b->integrator, CARDAN_EVENT_MODE_NOW);
    const cardan_state *s = cardan_integrator_state(b->integrator);
    out->steps++;
    out->reached = s->t;
    out->hash = add_hash(out->hash, &s->t, 1);
    out->hash = add_hash(out->hash, s->q, cardan_group_size(cardan_system_describe(system).group));
    out->hash = add_hash(out->hash, s->v, cardan_system_describe(system).dof);
    out->hash = add_hash(out->hash, s->vdot, cardan_system_describe(system).dof);
    out->hash = add_hash(out->hash, s->lambda, cardan_system_describe(system).constraint_count);
    out->hash = add_hash(out->hash, s->psi, cardan_system_describe(system).nonholonomic_count);
    if (how->sizes) {
        const cardan_point at = point_of(s);
        double *row = take((size_t)out->columns, sizeof *row);
        cli_case_output(b->problem, &at, row);
        note_sizes(out, row);
        free(row);
    }
}

/* Puts the run into a second integrator of a second model by a checkpoint. */
static cardan_status move_over(const task *job, const way *how, bench *b, trial *out)
{
    bench other = {0};
    const size_t size = cardan_checkpoint_size(b->integrator);
    const int turns = cli_case_memory(b->problem);
    void *buffer = take(size, 1);
    double *memory = take((size_t)turns, sizeof *memory);
    cardan_status status = cardan_checkpoint_save(b->integrator, buffer, size);
    cli_case_save(b->problem, memory);
    if (status == CARDAN_OK && !(read_model(job, how, &other, out)))
        status = out->status;
    if (status == CARDAN_OK) {
        status = cli_case_load(other.problem, memory);
        out->other_rows = status == CARDAN_BAD_CHECKPOINT;
    }
    if (status == CARDAN_OK && !make_integrator(how, &other, out))
        status = out->status;
    if (status == CARDAN_OK)
        status = cardan_checkpoint_load(other.integrator, buffer, size);
    free(buffer);
    free(memory);
    if (other.integrator != NULL) {
        bench_free(b);
        *b = other;
    } else
        bench_free(&other);
    return status;
}

/* Steps so short that time does not go on are accepted where constraints become dependent. */
static cardan_status stand_still(trial *out)
{
    out->ending = STOPPED;
    snprintf(out->reason, sizeof out->reason, "steps that do not change the time");
    return CARDAN_OK;
}

static cardan_status march(const task *job, const way *how, bench *b, trial *out)
{
    const double end = job->times[job->rows - 1];
    cardan_status status = CARDAN_OK;
    for (;;) {
        const double now = cardan_integrator_state(b->integrator)->t;
        while (status == CARDAN_OK && out->rows < job->rows && job->times[out->rows] <= now)
            status = take_row(b, out, job->times[out->rows]);
        if (status != CARDAN_OK || out->rows == job->rows)
            return status;
        if (out->steps >= how->most_steps) {
            out->ending = TOO_LONG;
            return CARDAN_OK;
        }
        status = cardan_integrator_step_towards(b->integrator, end);
        if (status != CARDAN_OK)
            return status;
        if (cardan_integrator_state(b->integrator)->t == now && now < end)
            return stand_still(out);
        note_state(b, how, out);
        if (out->steps == how->split)
            status = move_over(job, how, b, out);
    }
}

static void judge(const bench *b, trial *out)
{
    cardan_health health; /* without what assembly changed, which would excuse most machines */
    if (cardan_integrator_health(b->integrator, &health) != CARDAN_OK)
        return;
    out->verdict = health.verdict;
    if (health.count == 0)
        return;
    out->concern = health.findings[0].concern;
    snprintf(out->finding, sizeof out->finding, "%s", health.findings[0].text);
}

void trial_run(const task *job, const way *how, trial *out)
{
    bench b = {0};
    *out = (trial){0};
    if (!read_model(job, how, &b, out) || !make_integrator(how, &b, out)) {
        bench_free(&b);
        return;
    }
    find_vectors(&b, out);
    out->values = take((size_t)out->columns * (size_t)job->rows, sizeof *out->values);
    cardan_status status = start(&b);
    if (status != CARDAN_OK)
        refuse(out, status, cardan_integrator_message(b.integrator));
    else {
        status = march(job, how, &b, out);
        if (status != CARDAN_OK) {
            out->ending = STOPPED;
            out->status = status;
            snprintf(out->reason, sizeof out->reason, "%s",
                     cardan_integrator_message(b.integrator));
        }
        judge(&b, out);
    }
    bench_free(&b);
}

void trial_free(trial *t)
{
    free(t->values);
    free(t->vectors);
    *t = (trial){0};
}

bool trial_same(const trial *a, const trial *b)
{
    return a->ending == b->ending && a->status == b->status && a->steps == b->steps &&
           a->rows == b->rows && a->columns == b->columns && a->hash == b->hash &&
           memcmp(a->values, b->values, (size_t)a->rows * (size_t)a->columns * sizeof *a->values) ==
               0;
}
