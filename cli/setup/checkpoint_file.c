/* Writing checkpoint files, and going on from one. */
#include "checkpoint_file.h"
#include "case.h"
#include "cli/commands/run.h"
#include "cli/results/result_file.h"

#include <cardan/checkpoint.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { VERSION = 4, BYTE_ORDER_TAG = 0x01020304, CHECKSUM_SIZE = 8 };

static const double default_seconds = 60.0;
static const char magic[] = "CARDANrn";
static const char problem_name[] = "PROBLEM";

/* The first bytes of the file, then options, progress, memory, integrator and checksum. */
typedef struct header {
    char magic[8];
    uint32_t byte_order, version;
    uint64_t size; /* of everything */
    uint64_t options, integrator;
    uint64_t memory; /* of the outputs, which count turns: numbers */
} header;

/* How far a file is, CSV or HDF5: a cli_csv_mark of fixed size. */
typedef struct file_mark {
    int64_t rows, bytes;
    uint64_t checksum;
} file_mark;

/* How far the run is. */
typedef struct progress {
    int64_t steps, samples;
    double seconds;
    double phi_largest, hidden_largest, kinetic_first, potential_first, energy_deviation;
    file_mark out, events;
} progress;

static bool is_among(const char *name, const char *const *names)
{
    while (*names != NULL && strcmp(name, *names) != 0)
        names++;
    return *names != NULL;
}

/* Options of one call of the program: they are not kept. */
static const char *const passing[] = {"stats",      "threads", "quiet", "json",
                                      "checkpoint", "restart", NULL};

/* Options that say nothing about the result: they may be others in a restart. */
static const char *const replaceable[] = {"out", "events", "checkpoint-every", "checkpoint-steps",
                                          NULL};

void cli_checkpoint_note(cli_checkpoint *checkpoint, const struct option *option, const char *value)
{
    const char *name = option != NULL ? option->name : problem_name;
    if (!is_among(name, passing))
        cli_given_add(&checkpoint->given, name, value);
}

void cli_checkpoint_free(cli_checkpoint *checkpoint)
{
    cli_given_free(&checkpoint->given);
    free(checkpoint->source);
    free(checkpoint->buffer);
    cli_output_file_close(&checkpoint->out);
}

static bool refuse(const cli_run_job *job, const char *reason)
{
    const bool restarts = strcmp(job->setup.command, "run") == 0;
    cli_complain(job->setup.command, "%s%s: %s", restarts ? "--restart: " : "",
                 job->checkpoint.restart, reason);
    return false;
}

/* Versions before 3 did not keep the turns that angles were counted over. */
static bool refuse_version(const cli_run_job *job, uint32_t version)
{
    cli_complain(job->setup.command,
                 "--restart: %s: it is of version %u of the checkpoints, and this cardan reads "
                 "version %d only: go on with the cardan that wrote it, or start the run again",
                 job->checkpoint.restart, (unsigned)version, VERSION);
    return false;
}

static bool read_source(cli_run_job *job)
{
    cli_checkpoint *c = &job->checkpoint;
    struct stat about;
    errno = 0;
    FILE *file = fopen(c->restart, "rb");
    if (file == NULL || fstat(fileno(file), &about) != 0) {
        if (file != NULL)
            fclose(file);
        return refuse(job, strerror(errno));
    }
    if (!S_ISREG(about.st_mode)) {
        fclose(file);
        return refuse(job, "this is no file");
    }
    c->source = cli_allocate((size_t)about.st_size, 1);
    c->source_size = fread(c->source, 1, (size_t)about.st_size, file);
    fclose(file);
    return true;
}

/* Is it one of our files, whole and undamaged? */
static bool check_source(cli_run_job *job)
{
    const cli_checkpoint *c = &job->checkpoint;
    const size_t least = sizeof(header) + sizeof(progress) + CHECKSUM_SIZE;
    header head = {0};
    uint64_t checksum;
    memcpy(&head, c->source, c->source_size < sizeof head ? c->source_size : sizeof head);
    if (c->source_size >= sizeof head.magic && memcmp(head.magic, magic, sizeof head.magic) != 0)
        return refuse(job, "this is no checkpoint of cardan run");
    if (c->source_size < least)
        return refuse(job, "the file is truncated");
    if (head.byte_order != BYTE_ORDER_TAG)
        return refuse(job, "it was written on a machine of another byte order");
    if (head.version != VERSION)
        return refuse_version(job, head.version);
    if (c->source_size < head.size)
        return refuse(job, "the file is truncated");
    memcpy(&checksum, c->source + c->source_size - CHECKSUM_SIZE, CHECKSUM_SIZE);
    const size_t rest = c->source_size - least;
    if (c->source_size != head.size || head.options > rest ||
        head.memory > (rest - head.options) / sizeof(double) ||
        head.integrator != rest - head.options - head.memory * sizeof(double) ||
        checksum != cardan_checkpoint_checksum(0, c->source, c->source_size - CHECKSUM_SIZE))
        return refuse(job, "the file is damaged: its checksum does not match");
    return true;
}

/* Rows in CSV cannot be gone on with in HDF5, nor the other way round. */
static bool same_kind(const cli_run_job *job, const cli_given_option *here,
                      const cli_given_option *there)
{
    if (strcmp(here->name, "out") != 0 || there == NULL ||
        cli_file_is_hdf5(here->value) == cli_file_is_hdf5(there->value))
        return true;
    cli_complain(job->setup.command,
                 "--restart: %s is of a run that wrote %s; continue with a file of that kind, and "
                 "`cardan convert` it afterwards",
                 job->checkpoint.restart, there->value);
    return false;
}

/* What is given must be what the file says. */
static bool check_given(cli_run_job *job, const cli_given *stored)
{
    const cli_given *given = &job->checkpoint.given;
    for (int i = 0; i < given->count; i++) {
        const cli_given_option *here = &given->list[i], *there = cli_given_find(stored, here);
        const char *dashes = strcmp(here->name, problem_name) == 0 ? "" : "--";
        if (!same_kind(job, here, there))
            return false;
        if (is_among(here->name, replaceable) || (there != NULL && cli_given_same(here, there)))
            continue;
        if (there == NULL)
            cli_complain(job->setup.command,
                         "--restart: the run that wrote %s was not given --%s %s; leave it out, a "
                         "restart takes all options from the file",
                         job->checkpoint.restart, here->name, here->value);
        else
            cli_complain(job->setup.command,
                         "--restart: %s is of a run with %s%s %s, not %s; leave it out, a restart "
                         "takes all options from the file",
                         job->checkpoint.restart, dashes, there->name, there->value, here->value);
        return false;
    }
    return true;
}

static const struct option *option_named(const struct option *options, const char *name)
{
    while (options->name != NULL && strcmp(options->name, name) != 0)
        options++;
    return options->name != NULL ? options : NULL;
}

static bool apply_stored(cli_run_job *job, const struct option *options, const cli_given *stored,
                         bool (*apply)(void *context, int code, const char *value))
{
    for (int i = 0; i < stored->count; i++) {
        const cli_given_option *there = &stored->list[i];
        const bool is_problem = strcmp(there->name, problem_name) == 0;
        const struct option *option = option_named(options, there->name);
        if (cli_given_find(&job->checkpoint.given, there) != NULL)
            continue;
        if (option == NULL && !is_problem)
            return refuse(job, "it holds an option that this version of cardan does not have");
        if (!apply(job, is_problem ? CLI_POSITIONAL : option->val, there->value))
            return false;
    }
    return true;
}

bool cli_checkpoint_read(cli_run_job *job, const struct option *options,
                         bool (*apply)(void *context, int code, const char *value))
{
    cli_checkpoint *c = &job->checkpoint;
    cli_given stored = {0};
    header head;
    if (!read_source(job) || !check_source(job))
        return false;
    memcpy(&head, c->source, sizeof head);
    bool sound = cli_given_read(&stored, (const char *)c->source + sizeof head, head.options) ||
                 refuse(job, "its options cannot be read");
    sound = sound && check_given(job, &stored) && apply_stored(job, options, &stored, apply);
    cli_given_free(&stored);
    if (c->path == NULL)
        c->path = c->restart;
    return sound;
}

bool cli_checkpoint_fits(cli_run_job *job)
{
    cli_checkpoint *c = &job->checkpoint;
    const char *command = job->setup.command;
    if (c->path == NULL && (c->every > 0.0 || c->steps > 0)) {
        cli_complain(command, "--checkpoint-every and --checkpoint-steps say how often; say where "
                              "with --checkpoint FILE");
        return false;
    }
    if (c->path != NULL && (job->out == NULL || strcmp(job->out, "-") == 0)) {
        cli_complain(command, "--checkpoint needs --out FILE: a restart continues that file");
        return false;
    }
    if (c->path != NULL && job->vtk_folder != NULL) {
        cli_complain(command, "--vtk: a restart cannot continue with VTK files; leave it out, and "
                              "`cardan convert` the result afterwards");
        return false;
    }
    if (c->every == 0.0 && c->steps == 0)
        c->every = default_seconds;
    return true;
}

static void restore_record(cli_run_job *job, const progress *done)
{
    cli_record *record = job->record;
    record->phi_largest = done->phi_largest;
    record->hidden_largest = done->hidden_largest;
    record->kinetic_first = done->kinetic_first;
    record->potential_first = done->potential_first;
    record->energy_deviation = done->energy_deviation;
    record->measured = 1;
}

/* The turns that angles were counted over, and the constraints that were chosen. */
static bool restore_memory(cli_run_job *job, const unsigned char *bytes, size_t count)
{
    if (count != (size_t)cli_case_memory(job->problem))
        return refuse(job, "it is of a model with other joints or sensors");
    double *memory = cli_allocate(count, sizeof *memory);
    memcpy(memory, bytes, count * sizeof *memory);
    const cardan_status status = cli_case_load(job->problem, memory);
    free(memory);
    return status == CARDAN_OK ||
           refuse(job, "the redundant constraints that it has chosen are not those of this model");
}

bool cli_checkpoint_remember(cli_run_job *job)
{
    const cli_checkpoint *c = &job->checkpoint;
    header head;
    if (c->source == NULL)
        return true;
    memcpy(&head, c->source, sizeof head);
    return restore_memory(job, c->source + sizeof head + head.options + sizeof(progress),
                          head.memory);
}

/* Integrator, record and sampler as they were. */
static bool restore(cli_run_job *job, const progress *done, const void *bytes, size_t size)
{
    if (cardan_checkpoint_load(job->integrator, bytes, size) != CARDAN_OK)
        return refuse(job, cardan_integrator_message(job->integrator));
    const bool counted = !job->plan.adaptive && !job->plan.events;
    if (done->steps < 0 || (counted && done->steps > job->plan.steps))
        return refuse(job, "it is of a run with more steps");
    restore_record(job, done);
    if (job->sampler != NULL)
        job->sampler->taken = done->samples;
    job->plan.next = done->steps + 1;
    job->checkpoint.seconds = done->seconds;
    job->events.seen = cardan_integrator_statistics(job->integrator).events;
    const bool at_end = counted && done->steps == job->plan.steps;
    const double t = cardan_integrator_state(job->integrator)->t;
    const cardan_status status = cli_record_measure(job->record, at_end ? job->plan.end : t);
    if (status != CARDAN_OK)
        return refuse(job, cli_reason(job->integrator, status));
    cli_record_fill(job->record);
    return true;
}

/* The file of the rows, behind what the checkpoint knows of it. */
static bool reopen_output(cli_run_job *job, const cli_csv_mark *mark)
{
    const char *command = job->setup.command;
    const double t = cardan_integrator_state(job->integrator)->t;
    if (cli_file_is_hdf5(job->out)) {
        job->hdf5 = cli_hdf5_reopen(command, job->out, job->live.result, mark, t);
        return job->hdf5 != NULL;
    }
    return cli_csv_reopen(&job->csv, command, job->out, job->record->columns, mark);
}

bool cli_checkpoint_resume(cli_run_job *job)
{
    const cli_checkpoint *c = &job->checkpoint;
    header head;
    progress done;
    memcpy(&head, c->source, sizeof head);
    const unsigned char *behind = c->source + sizeof head + head.options;
    memcpy(&done, behind, sizeof done);
    const cli_csv_mark out = {done.out.rows, done.out.bytes, done.out.checksum};
    const cli_csv_mark events = {done.events.rows, done.events.bytes, done.events.checksum};
    behind += sizeof done;
    const size_t memory = head.memory * sizeof(double);
    /* HDF5 last: it is replaced as soon as it is reopened. */
    return restore(job, &done, behind + memory, head.integrator) &&
           cli_events_reopen(job, &events) && reopen_output(job, &out) && cli_csv_cut(&job->csv) &&
           cli_csv_cut(&job->events.csv);
}

static file_mark mark_of(const cli_csv_mark *mark)
{
    return (file_mark){mark->rows, mark->bytes, mark->checksum};
}

static progress progress_of(const cli_run_job *job, long long n)
{
    const cli_record *record = job->record;
    const cli_csv_mark out = job->hdf5 != NULL ? cli_hdf5_mark(job->hdf5) : job->csv.mark;
    return (progress){.steps = n,
                      .samples = job->sampler != NULL ? job->sampler->taken : 0,
                      .seconds = job->checkpoint.seconds + cli_progress_seconds(&job->progress),
                      .phi_largest = record->phi_largest,
                      .hidden_largest = record->hidden_largest,
                      .kinetic_first = record->kinetic_first,
                      .potential_first = record->potential_first,
                      .energy_deviation = record->energy_deviation,
                      .out = mark_of(&out),
                      .events = mark_of(&job->events.csv.mark)};
}

/* Returns the place behind. */
static unsigned char *write_memory(const cli_case *problem, size_t count, unsigned char *place)
{
    double *memory = cli_allocate(count, sizeof *memory);
    cli_case_save(problem, memory);
    memcpy(place, memory, count * sizeof *memory);
    free(memory);
    return place + count * sizeof *memory;
}

/* The file's contents. */
static bool fill_buffer(cli_run_job *job, long long n)
{
    cli_checkpoint *c = &job->checkpoint;
    const size_t options = cli_given_write(&c->given, NULL);
    const size_t integrator = cardan_checkpoint_size(job->integrator);
    const size_t memory = (size_t)cli_case_memory(job->problem);
    const size_t size = sizeof(header) + options + sizeof(progress) + memory * sizeof(double) +
                        integrator + CHECKSUM_SIZE;
    if (size > c->size) { /* more where constraints were taken in */
        free(c->buffer);
        c->buffer = cli_allocate(size, 1);
    }
    header head = {.byte_order = BYTE_ORDER_TAG,
                   .version = VERSION,
                   .size = size,
                   .options = options,
                   .integrator = integrator,
                   .memory = memory};
    const progress done = progress_of(job, n);
    unsigned char *place = c->buffer;
    memcpy(head.magic, magic, sizeof head.magic);
    memcpy(place, &head, sizeof head);
    place += sizeof head;
    place += cli_given_write(&c->given, (char *)place);
    memcpy(place, &done, sizeof done);
    place += sizeof done;
    place = write_memory(job->problem, memory, place);
    if (cardan_checkpoint_save(job->integrator, place, integrator) != CARDAN_OK)
        return false;
    const uint64_t checksum = cardan_checkpoint_checksum(0, c->buffer, size - CHECKSUM_SIZE);
    memcpy(place + integrator, &checksum, sizeof checksum);
    c->size = size;
    return true;
}

static bool write_file(cli_checkpoint *c)
{
    return cli_output_file_begin(&c->out) &&
           (fwrite(c->buffer, 1, c->size, c->out.file) == c->size ||
            cli_output_file_complain(&c->out)) &&
           cli_output_file_place(&c->out);
}

static bool is_due(const cli_run_job *job, long long n)
{
    const cli_checkpoint *c = &job->checkpoint;
    return n == 0 || (c->steps > 0 && n % c->steps == 0) ||
           (c->every > 0.0 && cli_progress_seconds(&job->progress) - c->last >= c->every);
}

bool cli_checkpoint_visit(cli_run_job *job, long long n)
{
    return !is_due(job, n) || cli_checkpoint_write(job, n);
}

bool cli_checkpoint_write(cli_run_job *job, long long n)
{
    cli_checkpoint *c = &job->checkpoint;
    c->last = cli_progress_seconds(&job->progress);
    if (!cli_output_sync(job))
        return false;
    if (fill_buffer(job, n) && write_file(c))
        return true;
    c->failed = true;
    return n > 0;
}

bool cli_checkpoint_look(const char *command, const char *path, cli_checkpoint_about *about)
{
    cli_run_job job = {.setup.command = command, .checkpoint.restart = path};
    cli_checkpoint *c = &job.checkpoint;
    header head;
    progress done;
    *about = (cli_checkpoint_about){0};
    bool sound = read_source(&job) && check_source(&job);
    if (sound) {
        memcpy(&head, c->source, sizeof head);
        memcpy(&done, c->source + sizeof head + head.options, sizeof done);
        sound =
            cli_given_read(&about->given, (const char *)c->source + sizeof head, head.options) ||
            refuse(&job, "its options cannot be read");
    }
    if (!sound) {
        cli_given_free(&about->given);
        free(c->source);
        return false;
    }
    about->source = c->source;
    about->steps = done.steps;
    about->rows = done.out.rows;
    about->seconds = done.seconds;
    return true;
}
