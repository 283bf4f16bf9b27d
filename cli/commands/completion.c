/* cardan completion: the possible completions of a command line. The files of cli/completion, which
 * shells read, call it; options come from the commands' own tables. */
#include "cli/setup/options.h"
#include "cli/setup/shipped.h"
#include "lab/problems/problem.h"

#include <cardan/integrator.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char usage[] =
    "usage: cardan completion -- [WORD...]\n\n"
    "Prints the possible completions of the last WORD, one per line: commands, options, built-in\n"
    "problems, models or methods. The WORDs are those of the command line after `cardan`. The\n"
    "completion files for bash, zsh and fish, which `make install` installs, call this command.\n"
    "Without installing, in bash: source cli/completion/cardan.bash\n\n"
    "example:\n"
    "  cardan completion -- run --m\n";

/* Commands whose plain argument is a problem or a model. */
static const char *const of_models[] = {"run",   "verify",   "check",   "static",
                                        "modes", "converge", "workprec"};
enum { OF_MODELS = sizeof of_models / sizeof of_models[0] };

static void print_commands(void)
{
    for (int i = 0; cli_command_at(i) != NULL; i++)
        puts(cli_command_at(i)->name);
    puts("help");
}

static void print_problems(void)
{
    for (int i = 0; i < lab_problem_count(); i++)
        puts(lab_problem_name(i));
}

static void print_models(void)
{
    cli_shipped list = cli_shipped_list();
    for (int i = 0; i < list.count; i++)
        puts(list.names[i]);
    cli_shipped_free(&list);
}

static void print_methods(const char *prefix)
{
    for (int i = 0; i < cardan_method_count(); i++)
        printf("%s%s\n", prefix, cardan_method_describe(i).name);
}

static bool takes_model(const char *command)
{
    for (int i = 0; i < OF_MODELS; i++)
        if (strcmp(command, of_models[i]) == 0)
            return true;
    return false;
}

static void print_arguments(const char *command)
{
    if (strcmp(command, "help") == 0)
        print_commands();
    if (strcmp(command, "explain") == 0)
        print_methods("");
    if (takes_model(command) || strcmp(command, "problems") == 0)
        print_problems();
    if (takes_model(command) || strcmp(command, "models") == 0)
        print_models();
}

static void print_options(const char *name)
{
    char list[] = CLI_LIST_OPTIONS;
    for (int i = 0; cli_command_at(i) != NULL; i++) {
        const cli_command *command = cli_command_at(i);
        char *arguments[] = {(char *)command->name, list, NULL};
        if (strcmp(command->name, name) == 0)
            (void)command->run(2, arguments);
    }
}

/* The option whose value the last word is, or "". In bash `--method=ga3` is three words. */
static const char *option_before(int count, char **words)
{
    int at = count - 2;
    if (at >= 0 && strcmp(words[at], "=") == 0)
        at--;
    return at >= 1 ? words[at] : "";
}

static void complete(int count, char **words)
{
    static const char method[] = "--method=";
    const char *option = option_before(count, words);
    if (count < 2)
        print_commands();
    else if (strncmp(words[count - 1], method, strlen(method)) == 0)
        printf("%sauto\n", method), print_methods(method); /* zsh and fish do not divide the word */
    else if (words[count - 1][0] == '-')
        print_options(words[0]);
    else if (strcmp(option, "--method") == 0)
        puts("auto"), print_methods("");
    else if (strcmp(option, "--model") == 0)
        print_models();
    else
        print_arguments(words[0]);
}

int cli_completion(int argc, char **argv)
{
    const bool asked = argc >= 2 && strcmp(argv[1], "--") == 0;
    if (asked) {
        complete(argc - 2, argv + 2);
        return CLI_DONE;
    }
    const bool help = argc == 2 && strcmp(argv[1], "--help") == 0;
    fputs(usage, help ? stdout : stderr);
    return help ? CLI_DONE : CLI_BAD_INPUT;
}
