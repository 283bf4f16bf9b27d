/* cardan schema: the format of model files, for editors and for readers. */
#include "cli/setup/options.h"

#include <cardan/model_file.h>
#include <stdio.h>

enum { OPTION_MARKDOWN = CLI_OPTION_FIRST };

static const struct option options[] = {
    {"markdown", no_argument, NULL, OPTION_MARKDOWN}, {"help", no_argument, NULL, 'h'}, {0}};

static const char usage[] =
    "usage: cardan schema [--markdown]\n\n"
    "Prints the JSON schema of model files, which lets editors check and complete them.\n\n"
    "  --markdown                print the reference page instead (docs/model-file.md)\n\n"
    "In VS Code with the YAML extension, put this line at the top of a model:\n"
    "  # yaml-language-server: $schema=cardan.schema.json\n\n"
    "examples:\n"
    "  cardan schema > cardan.schema.json\n"
    "  cardan schema --markdown > model-file.md\n";

static bool apply(void *context, int code, const char *value)
{
    if (code == OPTION_MARKDOWN)
        return *(bool *)context = true;
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
    bool markdown = false;
    const cli_syntax syntax = {
        .command = argv[0], .help = usage, .options = options, .apply = apply};
    int code;
    if (!cli_parse(&syntax, argc, argv, &markdown, &code))
        return code;
    if (markdown)
        cardan_schema_write(CARDAN_SCHEMA_MARKDOWN, print, NULL);
    else
        cardan_schema_write(CARDAN_SCHEMA_JSON, print, NULL);
    return CLI_DONE;
}
