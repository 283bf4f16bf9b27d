/* Everything of a result that is no table: texts as attributes of the file, settings and statistics
 * as attributes of groups of these names, columns, notes, scene and model as strings. */
#include "cli/setup/options.h"
#include "hdf5_parts.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { FORMAT = 1 };

typedef struct text {
    const char *name;
    char **value;
} text;

enum { TEXTS = 6 };

static void list_texts(cli_result *result, text list[TEXTS])
{
    list[0] = (text){"title", &result->title};
    list[1] = (text){"description", &result->description};
    list[2] = (text){"problem", &result->source};
    list[3] = (text){"method", &result->method};
    list[4] = (text){"cardan_version", &result->version};
    list[5] = (text){"status", &result->status};
}

/* ---- writing ---- */

static bool write_number(hid_t object, const char *name, double value)
{
    const hid_t space = H5Screate(H5S_SCALAR);
    const hid_t attribute =
        H5Acreate2(object, name, H5T_IEEE_F64LE, space, H5P_DEFAULT, H5P_DEFAULT);
    bool done = attribute >= 0 && H5Awrite(attribute, H5T_NATIVE_DOUBLE, &value) >= 0;
    if (attribute >= 0)
        done = H5Aclose(attribute) >= 0 && done;
    H5Sclose(space);
    return done;
}

static bool write_texts(hid_t file, const cli_result *result)
{
    text list[TEXTS];
    bool done = true;
    list_texts((cli_result *)result, list);
    for (int i = 0; done && i < TEXTS; i++)
        done = cli_h5_attribute(file, list[i].name, *list[i].value);
    return done && write_number(file, "cardan_result", FORMAT) &&
           write_number(file, "begin", result->begin) && write_number(file, "end", result->end) &&
           write_number(file, "adaptive", result->adaptive) &&
           write_number(file, "energy_balance", result->energy_balance);
}

static hid_t make_group(hid_t file, const char *name)
{
    return H5Gcreate2(file, name, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
}

/* An option may be given several times (--set): its values then go into one list. */
static bool write_settings(hid_t file, const cli_result *result)
{
    const int count = result->setting_count;
    const char **keys = cli_allocate((size_t)count, sizeof *keys);
    const char **values = cli_allocate((size_t)count, sizeof *values);
    for (int i = 0; i < count; i++) {
        keys[i] = result->settings[i].key;
        values[i] = result->settings[i].value;
    }
    const bool done = cli_h5_write_strings(file, "/Settings/name", keys, count) &&
                      cli_h5_write_strings(file, "/Settings/value", values, count);
    free(keys);
    free(values);
    return done;
}

static bool write_statistics(hid_t file, const cli_result *result)
{
    const hid_t group = make_group(file, "Statistics");
    bool done = group >= 0;
    for (int i = 0; done && i < result->statistic_count; i++)
        done = write_number(group, result->statistics[i].name, result->statistics[i].value);
    if (group >= 0)
        H5Gclose(group);
    return done;
}

/* "warning: ..." */
static bool write_notes(hid_t file, const cli_result *result)
{
    static const char *const severities[] = {"note", "warning", "error"};
    const int count = result->note_count;
    char **texts = cli_allocate((size_t)count, sizeof *texts);
    for (int i = 0; i < count; i++) {
        const cli_note *note = &result->notes[i];
        const size_t size = strlen(note->text) + 16;
        texts[i] = cli_allocate(size, 1);
        snprintf(texts[i], size, "%s: %s", severities[note->severity], note->text);
    }
    const bool done = cli_h5_write_strings(file, "/Notes", (const char *const *)texts, count);
    for (int i = 0; i < count; i++)
        free(texts[i]);
    free(texts);
    return done;
}

/* Names in the order of a CSV, and the dataset of each. */
static bool write_columns(hid_t file, const cli_result *result, const cli_h5_table *rows)
{
    const char **texts = cli_allocate((size_t)rows->width, sizeof *texts);
    for (int i = 0; i < rows->width; i++)
        texts[i] = result->columns[i].name;
    bool done = cli_h5_write_strings(file, "/Columns/name", texts, rows->width);
    for (int v = 0; v < rows->count; v++)
        for (int i = 0; i < rows->views[v].width; i++)
            texts[rows->views[v].first + i] = rows->views[v].path;
    done = done && cli_h5_write_strings(file, "/Columns/dataset", texts, rows->width);
    free(texts);
    return done;
}

bool cli_h5_write_head(hid_t file, const cli_result *result, const cli_h5_layout *layout,
                       bool final)
{
    return write_texts(file, result) && write_settings(file, result) &&
           write_columns(file, result, &layout->tables[CLI_H5_ROWS]) &&
           (result->scene == NULL ||
            cli_h5_write_strings(file, "/Scene", (const char *const[]){result->scene}, 1)) &&
           (result->model_text == NULL ||
            cli_h5_write_strings(file, "/Model", (const char *const[]){result->model_text}, 1)) &&
           (!final || (write_statistics(file, result) && write_notes(file, result)));
}

/* ---- reading ---- */

typedef struct strings {
    char **list;
    int count;
} strings;

static void free_strings(strings *s)
{
    for (int i = 0; i < s->count; i++)
        free(s->list[i]);
    free(s->list);
    *s = (strings){0};
}

static void copy_strings(const char *bytes, size_t size, hsize_t count, strings *s)
{
    s->list = cli_allocate((size_t)count, sizeof *s->list);
    s->count = (int)count;
    for (hsize_t i = 0; i < count; i++) {
        s->list[i] = cli_allocate(size + 1, 1);
        memcpy(s->list[i], bytes + i * size, size);
        s->list[i] = cli_reallocate(s->list[i], strlen(s->list[i]) + 1, 1);
    }
}

/* A list of strings; false if there is none of this name. */
static bool read_strings(hid_t file, const char *name, strings *s)
{
    const hid_t set = H5Dopen2(file, name, H5P_DEFAULT);
    *s = (strings){0};
    if (set < 0)
        return false;
    const hid_t type = H5Dget_type(set), space = H5Dget_space(set);
    hsize_t count = 0;
    size_t size;
    bool done = cli_h5_is_string(type, &size) && H5Sget_simple_extent_ndims(space) == 1 &&
                H5Sget_simple_extent_dims(space, &count, NULL) == 1 && count < 1u << 30 &&
                size < (1u << 30) / (count + 1);
    if (done && count > 0) {
        char *bytes = cli_allocate((size_t)count, size);
        done = H5Dread(set, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, bytes) >= 0;
        if (done)
            copy_strings(bytes, size, count, s);
        free(bytes);
    }
    H5Sclose(space);
    H5Tclose(type);
    H5Dclose(set);
    return done;
}

static double read_number(hid_t object, const char *name)
{
    double value = NAN;
    if (H5Aexists(object, name) <= 0)
        return NAN;
    const hid_t attribute = H5Aopen(object, name, H5P_DEFAULT), type = H5Aget_type(attribute);
    const hid_t space = H5Aget_space(attribute);
    const H5T_class_t class = H5Tget_class(type);
    if ((class == H5T_FLOAT || class == H5T_INTEGER) && H5Sget_simple_extent_npoints(space) == 1 &&
        H5Aread(attribute, H5T_NATIVE_DOUBLE, &value) < 0)
        value = NAN;
    H5Sclose(space);
    H5Tclose(type);
    H5Aclose(attribute);
    return value;
}

static void read_texts(hid_t file, cli_result *result)
{
    text list[TEXTS];
    list_texts(result, list);
    for (int i = 0; i < TEXTS; i++) {
        char *value = cli_h5_read_attribute(file, list[i].name);
        if (value != NULL)
            cli_result_set(list[i].value, value);
        free(value);
    }
    result->begin = read_number(file, "begin");
    result->end = read_number(file, "end");
    result->adaptive = read_number(file, "adaptive") == 1.0;
    result->energy_balance = read_number(file, "energy_balance") == 1.0;
}

static void read_settings(hid_t file, cli_result *result)
{
    strings keys, values;
    const bool known = read_strings(file, "/Settings/name", &keys);
    if (read_strings(file, "/Settings/value", &values) && known && keys.count == values.count)
        for (int i = 0; i < keys.count; i++)
            cli_result_add_setting(result, keys.list[i], values.list[i]);
    free_strings(&keys);
    free_strings(&values);
}

static herr_t read_statistic(hid_t group, const char *name, const H5A_info_t *info, void *result)
{
    (void)info;
    cli_result_add_statistic(result, name, read_number(group, name));
    return 0;
}

static void read_statistics(hid_t file, cli_result *result)
{
    hsize_t index = 0;
    const hid_t group = H5Gopen2(file, "/Statistics", H5P_DEFAULT);
    if (group < 0)
        return;
    H5Aiterate2(group, H5_INDEX_NAME, H5_ITER_INC, &index, read_statistic, result);
    H5Gclose(group);
}

static void read_notes(hid_t file, cli_result *result)
{
    strings notes;
    read_strings(file, "/Notes", &notes);
    for (int i = 0; i < notes.count; i++) {
        const char *line = notes.list[i], *after = strstr(line, ": ");
        const cli_severity severity = line[0] == 'e'   ? CLI_ERROR
                                      : line[0] == 'w' ? CLI_WARNING
                                                       : CLI_NOTE;
        cli_result_add_note(result, severity, after != NULL ? after + 2 : line);
    }
    free_strings(&notes);
}

static char *read_string(hid_t file, const char *name)
{
    strings s;
    char *copy = NULL;
    if (H5Lexists(file, name, H5P_DEFAULT) > 0 && read_strings(file, name, &s)) {
        if (s.count == 1)
            copy = cli_copy(s.list[0]);
        free_strings(&s);
    }
    return copy;
}

bool cli_h5_read_head(hid_t file, cli_result *result)
{
    strings names;
    if (read_number(file, "cardan_result") != FORMAT ||
        !read_strings(file, "/Columns/name", &names))
        return false;
    const bool sound = names.count > 0;
    if (sound)
        cli_result_name_columns(result, names.list, names.count);
    free_strings(&names);
    read_texts(file, result);
    read_settings(file, result);
    read_statistics(file, result);
    read_notes(file, result);
    result->scene = read_string(file, "/Scene");
    result->model_text = read_string(file, "/Model");
    return sound;
}
