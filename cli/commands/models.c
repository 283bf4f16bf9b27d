/* cardan models: the model files that come with the program, one line each, or where one of them
 * is. */
#include "cli/results/json.h"
#include "cli/setup/options.h"
#include "cli/setup/shipped.h"

#include <cardan/model_file.h>
#include <stdio.h>
#include <stdlib.h>

static const char usage[] =
    "usage: cardan models [MODEL] [--json]\n\n"
    "Lists the model files that come with the program; `cardan run MODEL` runs one by its\n"
    "name. With a name, prints where that file is: to read it, or to copy it and change it.\n\n"
    "  --json                    names, files and descriptions as JSON\n\n"
    "Folders searched: those in the environment variable CARDAN_MODELS (separated by `:`),\n"
    "then the one installed with the program. A name that is also a built-in problem\n"
    "(`cardan problems`) means the problem; with .yaml behind it, it means the model.\n\n"
    "examples:\n"
    "  cardan models\n"
    "  cardan run suspension --report suspension.html\n"
    "  cardan run pendulum.yaml\n"
    "  cp $(cardan models four_bar) mine.yaml\n";

enum { OPTION_JSON = CLI_OPTION_FIRST };

static const struct option options[] = {
    {"json", no_argument, NULL, OPTION_JSON}, {"help", no_argument, NULL, 'h'}, {0}};

typedef struct request {
    const char *command;
    const char *model; /* or NULL: all */
    bool json;
} request;

static bool apply(void *context, int code, const char *value)
{
    request *wanted = context;
    if (code == OPTION_JSON)
        return wanted->json = true;
    if (wanted->model != NULL) {
        cli_complain(wanted->command, "unexpected argument `%s`; name at most one model", value);
        return false;
    }
    wanted->model = value;
    return true;
}

/* The file's own words about itself, to be released with free. */
static char *describe(const char *path)
{
    cardan_model_file *file = NULL;
    cardan_error error;
    (void)cardan_model_file_read(&file, path, NULL, 0, &error);
    const char *text = file != NULL ? cardan_model_file_describe(file).description : NULL;
    char *copy = cli_copy(text != NULL ? text : "");
    cardan_model_file_destroy(file);
    return copy;
}

static void print_one(const char *name, const char *path, json_t *all)
{
    char *text = describe(path);
    if (all != NULL)
        json_array_append_new(all,
                              json_pack("{s:s, s:o, s:o}", "name", name, "file",
                                        cli_json_text(path), "description", cli_json_text(text)));
    else
        printf("%-18s %s\n", name, text);
    free(text);
}

static void print_list(const cli_shipped *list, json_t *all)
{
    for (int i = 0; i < list->count; i++) {
        char *path = cli_shipped_find(list->names[i]);
        if (path != NULL)
            print_one(list->names[i], path, all);
        free(path);
    }
    if (all == NULL)
        puts("\n`cardan run NAME` runs one, `cardan models NAME` says where its file is.");
}

static int print_path(const request *wanted, const cli_shipped *list)
{
    int index;
    char *path = cli_shipped_find(wanted->model);
    if (path == NULL) {
        (void)cli_choice(wanted->command, "model", wanted->model, (const char *const *)list->names,
                         list->count, &index);
        return CLI_BAD_INPUT;
    }
    if (wanted->json) {
        json_t *all = json_array();
        print_one(wanted->model, path, all);
        cli_json_print(all);
    } else {
        puts(path);
    }
    free(path);
    return CLI_DONE;
}

static int print_all(const request *wanted, const cli_shipped *list)
{
    json_t *all = wanted->json ? json_array() : NULL;
    if (list->count == 0) {
        cli_complain(wanted->command,
                     "no models are installed; name their folder in CARDAN_MODELS");
        return CLI_FAILED;
    }
    print_list(list, all);
    if (all != NULL)
        cli_json_print(all);
    return CLI_DONE;
}

int cli_models(int argc, char **argv)
{
    request wanted = {.command = argv[0]};
    const cli_syntax syntax = {
        .command = argv[0], .help = usage, .options = options, .apply = apply};
    int code;
    if (!cli_parse(&syntax, argc, argv, &wanted, &code))
        return code;
    cli_shipped list = cli_shipped_list();
    code = wanted.model != NULL ? print_path(&wanted, &list) : print_all(&wanted, &list);
    cli_shipped_free(&list);
    return code;
}
