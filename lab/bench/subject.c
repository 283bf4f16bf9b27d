/* See subject.h. Generated models go through the text of their file, as a user's would. */
#include "subject.h"

#include "cli/commands/generate.h"
#include "lab/problems/problem.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

double bench_seconds(void)
{
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* The time since *last, which moves on. */
static double lap(double *last)
{
    const double now = bench_seconds(), passed = now - *last;
    *last = now;
    return passed;
}

static bool take_initial(bench_subject *s)
{
    s->q = calloc((size_t)cardan_group_size(cardan_system_describe(s->system).group), sizeof *s->q);
    s->v = calloc((size_t)cardan_system_describe(s->system).dof, sizeof *s->v);
    return s->q != NULL && s->v != NULL;
}

static cardan_status no_memory(cardan_error *error)
{
    *error = (cardan_error){.status = CARDAN_OUT_OF_MEMORY, .text = "out of memory"};
    return error->status;
}

static cardan_status open_problem(bench_subject *s, const bench_model *model, cardan_error *error)
{
    const cardan_status status = lab_problem_create(&s->problem, model->name, NULL, 0, error);
    if (status != CARDAN_OK)
        return status;
    s->system = lab_problem_system(s->problem);
    s->bodies = 1;
    s->begin = lab_problem_begin(s->problem);
    s->end = model->end > 0.0 ? model->end : lab_problem_end(s->problem);
    if (!take_initial(s))
        return no_memory(error);
    lab_problem_initial(s->problem, s->q, s->v);
    return CARDAN_OK;
}

static cardan_status read_shape(bench_subject *s, const bench_model *model, cardan_error *error)
{
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    if (out == NULL)
        return no_memory(error);
    const bool known = cli_generate_model(out, model->shape, model->joint, model->form, model->n);
    const bool written = fclose(out) == 0 && known;
    double last = bench_seconds();
    const cardan_status status =
        written ? cardan_model_file_parse(&s->file, text, size, model->name, NULL, 0, error)
                : no_memory(error);
    free(text);
    s->read = lap(&last);
    return status;
}

static cardan_status open_shape(bench_subject *s, const bench_model *model, cardan_error *error)
{
    cardan_status status = read_shape(s, model, error);
    if (status != CARDAN_OK)
        return status;
    double last = bench_seconds();
    cardan_model *made = cardan_model_file_model(s->file);
    status = cardan_model_build(made);
    if (status != CARDAN_OK) {
        error->status = status;
        snprintf(error->text, sizeof error->text, "%.900s", cardan_model_message(made));
        return status;
    }
    s->build = lap(&last);
    s->system = cardan_model_system(made);
    s->bodies = cardan_model_describe(made).body_count;
    s->joints = cardan_model_describe(made).joint_count;
    s->end = model->end;
    if (!take_initial(s))
        return no_memory(error);
    cardan_model_initial(made, s->q, s->v);
    status = cardan_model_assemble(made, 0.0, s->q, s->v, NULL, error);
    s->assemble = lap(&last);
    return status;
}

bench_subject *bench_subject_create(const bench_model *model, cardan_error *error)
{
    bench_subject *s = calloc(1, sizeof *s);
    if (s == NULL) {
        no_memory(error);
        return NULL;
    }
    const cardan_status status =
        model->shape != NULL ? open_shape(s, model, error) : open_problem(s, model, error);
    if (status == CARDAN_OK)
        return s;
    bench_subject_destroy(s);
    return NULL;
}

void bench_subject_destroy(bench_subject *subject)
{
    if (subject == NULL)
        return;
    free(subject->q);
    free(subject->v);
    lab_problem_destroy(subject->problem);
    cardan_model_file_destroy(subject->file);
    free(subject);
}
