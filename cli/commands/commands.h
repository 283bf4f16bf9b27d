/* The commands of the program `cardan`: one file each. argv[0] is the command's own name; the value
 * returned is the exit code of the program. */
#ifndef CLI_COMMANDS_H
#define CLI_COMMANDS_H

enum { CLI_DONE = 0, CLI_FAILED = 1, CLI_BAD_INPUT = 2 };

typedef struct cli_command {
    const char *name;
    int (*run)(int argc, char **argv);
    const char *summary;
} cli_command;

/* The commands in the order of `cardan --help`; NULL behind the last. */
const cli_command *cli_command_at(int i);

int cli_problems(int argc, char **argv);
int cli_models(int argc, char **argv);
int cli_completion(int argc, char **argv);
int cli_run(int argc, char **argv);
int cli_convert(int argc, char **argv);
int cli_info_command(int argc, char **argv);
int cli_plot_command(int argc, char **argv);
int cli_report_command(int argc, char **argv);
int cli_verify(int argc, char **argv);
int cli_explain(int argc, char **argv);
int cli_check(int argc, char **argv);
int cli_static(int argc, char **argv);
int cli_modes(int argc, char **argv);
int cli_schema(int argc, char **argv);
int cli_generate(int argc, char **argv);

#endif
