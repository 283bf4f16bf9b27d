/* cardan info: files that are no results: checkpoints, models, series of VTK files. */
#include "cli/results/json.h"
#include "cli/setup/checkpoint_file.h"
#include "info.h"

#include <cardan/model_file.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- checkpoints ---- */

static void checkpoint_json(const cli_info *info, const cli_checkpoint_about *about)
{
    json_t *given = json_array();
    for (int i = 0; i < about->given.count; i++)
        json_array_append_new(
            given, json_pack("[s, s]", about->given.list[i].name, about->given.list[i].value));
    cli_json_print(json_pack("{s:s, s:s, s:I, s:I, s:I, s:o, s:o}", "file", info->path, "kind",
                             "checkpoint", "bytes", (json_int_t)info->bytes, "steps",
                             (json_int_t)about->steps, "rows", (json_int_t)about->rows, "seconds",
                             cli_json_number(about->seconds), "options", given));
}

static void checkpoint_words(const cli_info *info, const cli_checkpoint_about *about)
{
    char size[32];
    printf("%s: checkpoint of cardan run, %s\n", info->path, cli_info_size(info->bytes, size));
    printf("run          ");
    for (int i = 0; i < about->given.count; i++) {
        const cli_given_option *option = &about->given.list[i];
        if (strcmp(option->name, "PROBLEM") == 0)
            printf("%s%s", i > 0 ? " " : "", option->value);
        else
            printf("%s--%s%s%s", i > 0 ? " " : "", option->name,
                   option->value[0] != '\0' ? " " : "", option->value);
    }
    printf("\nsteps        %lld, in %.3g s\nrows         %lld\n", about->steps, about->seconds,
           about->rows);
    printf("go on        cardan run --restart %s\n", info->path);
}

int cli_info_checkpoint(const cli_info *info)
{
    cli_checkpoint_about about;
    if (!cli_checkpoint_look(info->command, info->path, &about))
        return CLI_BAD_INPUT;
    if (info->json)
        checkpoint_json(info, &about);
    else
        checkpoint_words(info, &about);
    cli_given_free(&about.given);
    free(about.source);
    return CLI_DONE;
}

/* ---- models ---- */

static void tell_messages(const cardan_model_file *file)
{
    for (int i = 0; i < cardan_model_file_describe(file).message_count; i++) {
        const cardan_file_message *message = cardan_model_file_message(file, i);
        fprintf(stderr, "cardan: %s:%d:%d: %s\n", message->file, message->line, message->column,
                message->text);
    }
}

static json_t *names_json(const cardan_model *model, int count, cardan_element kind)
{
    json_t *list = json_array();
    for (int i = 0; i < count; i++)
        json_array_append_new(list, json_string(cardan_model_name(model, kind, i)));
    return list;
}

static void print_names(const char *label, const cardan_model *model, int count,
                        cardan_element kind)
{
    enum { MOST = 12 };
    printf("%-12s %d%s", label, count, count > 0 ? ": " : "");
    for (int i = 0; i < count && i < MOST; i++)
        printf("%s%s", i > 0 ? ", " : "", cardan_model_name(model, kind, i));
    puts(count > MOST ? ", ..." : "");
}

static void describe_model(const cli_info *info, const cardan_model_file *file)
{
    char size[32];
    const cardan_model *model = cardan_model_file_model(file);
    const char *name = cardan_model_file_describe(file).name,
               *text = cardan_model_file_describe(file).description;
    const cardan_model_info has = cardan_model_describe(model);
    if (info->json) {
        cli_json_print(json_pack("{s:s, s:s, s:I, s:s, s:s, s:o, s:o, s:o}", "file", info->path,
                                 "kind", "model", "bytes", (json_int_t)info->bytes, "title", name,
                                 "description", text, "bodies",
                                 names_json(model, has.body_count, CARDAN_ELEMENT_BODY), "joints",
                                 names_json(model, has.joint_count, CARDAN_ELEMENT_JOINT), "forces",
                                 names_json(model, has.force_count, CARDAN_ELEMENT_FORCE)));
        return;
    }
    printf("%s: model, %s\n", info->path, cli_info_size(info->bytes, size));
    if (name[0] != '\0')
        printf("title        %s\n", name);
    if (text[0] != '\0')
        printf("description  %s\n", text);
    print_names("bodies", model, has.body_count, CARDAN_ELEMENT_BODY);
    print_names("joints", model, has.joint_count, CARDAN_ELEMENT_JOINT);
    print_names("forces", model, has.force_count, CARDAN_ELEMENT_FORCE);
    printf("more         cardan check %s\n", info->path);
}

int cli_info_model(const cli_info *info)
{
    cardan_model_file *file = NULL;
    cardan_error error;
    const cardan_status status = cardan_model_file_read(&file, info->path, NULL, 0, &error);
    if (file == NULL) {
        cli_complain(info->command, "%s", error.text);
        return CLI_BAD_INPUT;
    }
    tell_messages(file);
    if (status == CARDAN_OK)
        describe_model(info, file);
    cardan_model_file_destroy(file);
    return status == CARDAN_OK ? CLI_DONE : CLI_BAD_INPUT;
}

/* ---- VTK ---- */

int cli_info_series(const cli_info *info)
{
    char *line = NULL, size[32];
    size_t room = 0;
    int frames = 0;
    double first = 0.0, last = 0.0;
    FILE *file = fopen(info->path, "r");
    if (file == NULL) {
        cli_complain(info->command, "cannot read %s: %s", info->path, strerror(errno));
        return CLI_BAD_INPUT;
    }
    while (getline(&line, &room, file) > 0) {
        const char *time = strstr(line, "<DataSet timestep=\"");
        if (time == NULL || strstr(line, "part=\"0\"") == NULL)
            continue;
        last = strtod(time + strlen("<DataSet timestep=\""), NULL);
        first = frames++ == 0 ? last : first;
    }
    fclose(file);
    free(line);
    if (info->json)
        cli_json_print(json_pack("{s:s, s:s, s:I, s:i, s:f, s:f}", "file", info->path, "kind",
                                 "VTK", "bytes", (json_int_t)info->bytes, "frames", frames, "begin",
                                 first, "end", last));
    else
        printf("%s: series of VTK files for ParaView, %s\nframes       %d, t = %.10g to %.10g\n",
               info->path, cli_info_size(info->bytes, size), frames, first, last);
    return CLI_DONE;
}
