/* cardan schema: the format of model files, for editors. */
#include "cli/setup/options.h"

#include <cardan/model_file.h>
#include <stdio.h>

static const struct option options[] = {{"help", no_argument, NULL, 'h'}, {0}};

static const char usage[] =
    "usage: cardan schema\n\n"
    "Prints the JSON schema of model files, which lets editors check and complete them.\n"
    "docs/model-file.md is made from it.\n\n"
    "In VS Code with the YAML extension, put this line at the top of a model:\n"
    "  # yaml-language-server: $schema=cardan.schema.json\n\n"
    "example:\n"
    "  cardan schema > cardan.schema.json\n";

static bool apply(void *context, int code, const char *value)
{
    (void)context;
    (void)code;
    cli_complain("schema", "unexpected argument `%s`; it takes none", value);
    return false;
}

static void print(void *context, const char *text)
{
    (void)context;
    fputs(text, stdout);
}

int cli_schema(int argc, char **argv)
{
    const cli_syntax syntax = {
        .command = argv[0], .help = usage, .options = options, .apply = apply};
    int code;
    if (!cli_parse(&syntax, argc, argv, NULL, &code))
        return code;
    cardan_schema_write(print, NULL);
    return CLI_DONE;
}
