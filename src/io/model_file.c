/* The public functions of model files: reading a file, its messages, model and settings. */
#include "base/error.h"
#include "read.h"

#include <locale.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* A sensor of the file. Sensors are made after the model is built, when the tree is gone. */
typedef struct kept_sensor {
    cardan_sensor_def def;
    cd_location location;
} kept_sensor;

struct cardan_model_file {
    cd_document document;
    cd_model_item items;
    cardan_model *model;                    /* NULL if there are errors */
    cd_element_locations element_locations; /* of its elements */
    kept_sensor *sensors;
    int sensor_count;
};

/* Reads the tree into the items and these into a model. */
static bool read_tree_into_model(cardan_model_file *file, const cd_node *root)
{
    cd_reading reading;
    const cd_report *report = &file->document.report;
    const bool ready = cd_reading_init(&reading, &file->document);
    if (ready) {
        cd_read_model(&reading, root, &file->items);
        if (!file->document.arena.failed)
            cd_check_model(&reading, &file->items);
        if (report->errors == 0 && !file->document.arena.failed &&
            cardan_model_create(&file->model, NULL) == CARDAN_OK)
            cd_fill_model(&reading, &file->items, file->model);
    }
    cd_release(NULL, reading.signals);
    return ready && (report->errors > 0 || file->model != NULL);
}

/* Reads a file in the C locale: numbers have a decimal point. False without memory. */
static bool read_in_c_locale(cardan_model_file *file, const char *path, const char *text,
                             size_t size, const cardan_file_override *overrides, int count)
{
    locale_t plain = newlocale(LC_ALL_MASK, "C", (locale_t)0);
    if (plain == (locale_t)0)
        return false;
    locale_t usual = uselocale(plain);
    bool valid = true;
    cd_node *root = cd_document_read(&file->document, path, text, size);
    if (root != NULL) {
        cd_document_override(&file->document, root, overrides, count);
        valid = read_tree_into_model(file, root);
    }
    uselocale(usual);
    freelocale(plain);
    if (root == NULL && file->document.report.errors == 0)
        return false; /* no tree, and no mistake in the file */
    return valid && !file->document.arena.failed && !file->document.kept.failed;
}

/* A copy of a text that stays when the tree is released; NULL without text or memory. */
static const char *copy_kept(cd_document *document, const char *text)
{
    char *copy = text != NULL ? cd_document_allocate_kept(document, strlen(text) + 1) : NULL;
    return copy != NULL ? strcpy(copy, text) : NULL;
}

static void keep_sensor_definitions(cardan_model_file *file)
{
    const cd_list *list = &file->items.sensors;
    const cd_sensor_item *items = list->items;
    kept_sensor *kept =
        cd_document_allocate_kept(&file->document, (size_t)list->count * sizeof *kept);
    for (int i = 0; kept != NULL && i < list->count; i++) {
        kept[i] = (kept_sensor){items[i].def, items[i].item.node->location};
        kept[i].def.name = copy_kept(&file->document, items[i].def.name);
    }
    file->sensors = kept;
    file->sensor_count = list->count;
}

/* Copies what callers may still ask for and the model does not contain, and releases the tree,
 * which is many times larger than the model. */
static bool keep_items_and_release_tree(cardan_model_file *file)
{
    cd_document *document = &file->document;
    cd_model_item *items = &file->items, kept;
    cd_model_schema.set_default(&kept);
    kept.name = copy_kept(document, items->name);
    kept.description = copy_kept(document, items->description);
    kept.solver = items->solver;
    kept.solver.method = copy_kept(document, items->solver.method);
    kept.solver.params = copy_kept(document, items->solver.params);
    if (file->model != NULL && document->report.errors == 0) {
        keep_sensor_definitions(file);
        cd_element_locations_copy(document, items, &file->element_locations);
    }
    file->items = kept;
    const bool valid = !document->arena.failed;
    cd_document_release_tree(document);
    return valid;
}

/* Sorts the messages. If there are errors the model is destroyed, and the first one returned. */
static cardan_status finish_reading(cardan_model_file *file, cardan_error *error)
{
    cd_report *report = &file->document.report;
    cd_report_sort(report);
    if (report->errors == 0)
        return cd_succeed(error);
    cardan_model_destroy(file->model);
    file->model = NULL;
    for (int i = 0; i < report->count; i++) {
        const cardan_file_message *message = &report->entries[i].message;
        if (message->severity == CARDAN_SEVERITY_ERROR)
            return cd_fail(error, CARDAN_BAD_MODEL, "%s:%d:%d: %s", message->file, message->line,
                           message->column, message->text);
    }
    return cd_fail(error, CARDAN_BAD_MODEL, "the model has errors after many warnings");
}

/* Makes the handle from a file or, if `text` is not NULL, from that text. */
static cardan_status read_file_or_text(cardan_model_file **file, const char *path, const char *text,
                                       size_t size, const cardan_file_override *overrides,
                                       int count, cardan_error *error)
{
    if (file == NULL || path == NULL || count < 0 || (count > 0 && overrides == NULL))
        return cd_invalid(error, "a model file needs a place for its handle, a name, and as many "
                                 "overrides as are announced");
    *file = NULL;
    cardan_model_file *made = cd_allocate(NULL, sizeof *made);
    if (made == NULL)
        return cd_fail(error, CARDAN_OUT_OF_MEMORY, "no memory to read %.200s", path);
    cd_document_init(&made->document);
    cd_model_schema.set_default(&made->items);
    const char *name = copy_kept(&made->document, path);
    if (name == NULL || !read_in_c_locale(made, name, text, size, overrides, count) ||
        !keep_items_and_release_tree(made)) {
        cardan_model_file_destroy(made);
        return cd_fail(error, CARDAN_OUT_OF_MEMORY, "no memory to read %.200s", path);
    }
    *file = made;
    return finish_reading(made, error);
}

cardan_status cardan_model_file_read(cardan_model_file **file, const char *path,
                                     const cardan_file_override *overrides, int count,
                                     cardan_error *error)
{
    return read_file_or_text(file, path, NULL, 0, overrides, count, error);
}

cardan_status cardan_model_file_parse(cardan_model_file **file, const char *text, size_t size,
                                      const char *name, const cardan_file_override *overrides,
                                      int count, cardan_error *error)
{
    return read_file_or_text(file, name, text != NULL ? text : "", text != NULL ? size : 0,
                             overrides, count, error);
}

void cardan_model_file_destroy(cardan_model_file *file)
{
    if (file == NULL)
        return;
    cardan_model_destroy(file->model);
    cd_document_destroy(&file->document);
    cd_release(NULL, file);
}

cardan_model_file_info cardan_model_file_describe(const cardan_model_file *file)
{
    if (file == NULL)
        return (cardan_model_file_info){0};
    return (cardan_model_file_info){.name = file->items.name,
                                    .description = file->items.description,
                                    .message_count = file->document.report.count,
                                    .error_count = file->document.report.errors,
                                    .source_count = file->document.path_count};
}

const cardan_file_message *cardan_model_file_message(const cardan_model_file *file, int i)
{
    if (file == NULL)
        return NULL;
    const cd_report *report = &file->document.report;
    return i >= 0 && i < report->count ? &report->entries[i].message : NULL;
}

bool cardan_model_file_locate(const cardan_model_file *file, const char *sentence,
                              cardan_file_message *message)
{
    const cd_location *location =
        file != NULL && file->model != NULL && sentence != NULL
            ? cd_element_location_find(&file->element_locations, file->model, sentence)
            : NULL;
    if (location == NULL)
        return false;
    *message = (cardan_file_message){location->source->name, location->line, location->column,
                                     CARDAN_SEVERITY_ERROR, sentence};
    return true;
}

cardan_model *cardan_model_file_model(const cardan_model_file *file)
{
    return file != NULL ? file->model : NULL;
}

const cardan_run_settings *cardan_model_file_settings(const cardan_model_file *file)
{
    return file != NULL ? &file->items.solver : NULL;
}

const char *cardan_model_file_source(const cardan_model_file *file, int i)
{
    return file != NULL && i >= 0 && i < file->document.path_count ? file->document.paths[i] : NULL;
}

cardan_status cardan_model_file_outputs(const cardan_model_file *file, cardan_output_choice which,
                                        cardan_outputs **outputs, cardan_error *error)
{
    if (file == NULL)
        return cd_absent(error, "model file");
    cardan_status status = cardan_outputs_create(outputs, file->model, which, error);
    for (int i = 0; i < file->sensor_count && status == CARDAN_OK; i++) {
        cardan_error reason;
        const cd_location *location = &file->sensors[i].location;
        status = cardan_outputs_add(*outputs, &file->sensors[i].def, &reason);
        if (status != CARDAN_OK) {
            cd_fail(error, status, "%s:%d:%d: %.800s", location->source->name, location->line,
                    location->column, reason.text);
            cardan_outputs_destroy(*outputs);
            *outputs = NULL;
        }
    }
    return status;
}

/* Sets the numbers of a tolerance that are given (> 0); the absolute one is at least a hundredth of
 * a given relative one. */
static void set_tolerance(double relative, double absolute, cardan_tolerance *tolerance)
{
    if (relative > 0.0) {
        tolerance->relative = relative;
        tolerance->absolute = fmax(tolerance->absolute, 0.01 * relative);
    }
    if (absolute > 0.0)
        tolerance->absolute = absolute;
}

static void set_step_control(const cardan_run_settings *settings, cardan_step_control *control)
{
    const double relative = settings->rtol;
    const double absolute = settings->atol > 0.0 ? settings->atol : relative / 100.0;
    set_tolerance(relative, absolute, &control->position);
    set_tolerance(relative, absolute, &control->velocity);
    set_tolerance(relative, absolute, &control->multiplier);
    if (settings->min_step > 0.0)
        control->min_step = settings->min_step;
    if (settings->max_step > 0.0)
        control->max_step = settings->max_step;
}

static void set_projection(const cardan_run_settings *settings, cardan_projection *how)
{
    static const cardan_projection own_norms[] = {
        [CARDAN_ACCELERATIONS_MASS] = {.norm = CARDAN_NORM_MASS, .penalty = 1.0},
        [CARDAN_ACCELERATIONS_IDENTITY] = {.norm = CARDAN_NORM_IDENTITY, .penalty = 1.0},
        [CARDAN_ACCELERATIONS_TANGENT] = {.norm = CARDAN_NORM_TANGENT, .penalty = 1.0}};
    how->level = settings->project;
    how->norm = settings->projection;
    how->acceleration = settings->project_acceleration != CARDAN_ACCELERATIONS_NONE;
    how->accelerations = settings->project_acceleration > CARDAN_ACCELERATIONS_SAME
                             ? &own_norms[settings->project_acceleration]
                             : NULL;
}

cardan_status cardan_run_settings_apply(const cardan_run_settings *settings,
                                        cardan_integrator_def *def, cardan_error *error)
{
    if (settings == NULL || def == NULL)
        return cd_absent(error, "settings and the definition");
    cardan_status status = cd_succeed(error);
    if (settings->method != NULL)
        def->method = settings->method;
    if (settings->params != NULL)
        status = cardan_params_parse(settings->params, &def->params, error);
    else if (!isnan(settings->rho))
        def->params = cardan_params_make(CARDAN_FAMILY_CHUNG_HULBERT, settings->rho);
    def->experimental.start = settings->start;
    def->experimental.difference = settings->difference;
    def->update = settings->update;
    def->branch = settings->branch;
    set_projection(settings, &def->projection);
    if (settings->step > 0.0)
        def->step = settings->step;
    if (settings->threads > 0)
        def->threads = settings->threads;
    set_step_control(settings, &def->control);
    set_tolerance(settings->newton_rtol, settings->newton_atol, &def->newton.position);
    set_tolerance(settings->newton_rtol, settings->newton_atol, &def->newton.velocity);
    set_tolerance(settings->newton_rtol, settings->newton_atol, &def->newton.multiplier);
    return status;
}
