/* The program `cardan`: finds the command and hands over to it. */
#include "cli/setup/options.h"
#include "lab/commands/lab_commands.h"

#include <cardan/export.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static const cli_command commands[] = {
    {"run", cli_run, "integrate a model or a built-in problem and write its motion"},
    {"report", cli_report_command, "make a page with the motion in 3D, plots and a summary"},
    {"verify", cli_verify, "repeat a run by another method and compare the results"},
    {"check", cli_check, "check whether a model is sound, and recommend a method"},
    {"static", cli_static, "find an equilibrium, its joint forces and its stability"},
    {"modes", cli_modes, "find frequencies, damping and shapes of small motions"},
    {"plot", cli_plot_command, "draw columns of a result over time (gnuplot)"},
    {"info", cli_info_command, "describe a result, checkpoint or model file"},
    {"convert", cli_convert, "convert a result between CSV, HDF5 and VTK files"},
    {"explain", cli_explain, "print what the parameters of a method mean in numbers"},
    {"generate", cli_generate, "write model files of any size: chains, rings, ladders, trees"},
    {"schema", cli_schema, "print the JSON schema of model files, for editors"},
    {"models", cli_models, "list the model files that come with the program"},
    {"problems", cli_problems, "list the built-in problems"},
};
enum { OWN = sizeof commands / sizeof commands[0], COMMANDS = OWN + LAB_COMMANDS };

/* The program's own commands, then those of the laboratory. */
const cli_command *cli_command_at(int i)
{
    if (i >= COMMANDS)
        return NULL;
    return i < OWN ? &commands[i] : &lab_commands[i - OWN];
}

static void print_help(FILE *out)
{
    fputs("cardan: time integration of constrained mechanical systems on Lie groups\n\n"
          "usage: cardan COMMAND [ARGUMENTS]\n\n",
          out);
    for (int i = 0; i < COMMANDS; i++)
        fprintf(out, "%s  %-11s %s\n", i == OWN ? "\nto compare methods:\n" : "",
                cli_command_at(i)->name, cli_command_at(i)->summary);
    fputs("\n  help        explain a command: cardan help run\n\n"
          "examples:\n"
          "  cardan problems\n"
          "  cardan run suspension --report suspension.html\n"
          "  cardan run fourbar.yaml --set bodies.crank.mass=2 --out result.csv\n"
          "  cardan run pendulum --step 1e-3 --end 2 --out result.csv\n"
          "  cardan generate chain --n 1000 --out chain.yaml\n"
          "  cardan converge heavy_top --method ga3 --steps 4e-3,2e-3,1e-3\n"
          "  cardan explain ga3 --rho 0.9\n"
          "  cardan check two_particles --projection diag:15,1\n"
          "  cardan modes double_pendulum --about static\n\n"
          "`cardan COMMAND --help` has more; `cardan --version` (-V) prints the version.\n"
          "Exit codes: 0 done, 1 failed while running, 2 bad input, 130 interrupted.\n",
          out);
}

/* The command of this name, or NULL with a message. */
static const cli_command *find_command(const char *name)
{
    const char *words[COMMANDS + 1];
    for (int i = 0; i < COMMANDS; i++) {
        words[i] = cli_command_at(i)->name;
        if (strcmp(name, words[i]) == 0)
            return cli_command_at(i);
    }
    words[COMMANDS] = "help";
    const char *nearest = cli_nearest(name, words, COMMANDS + 1);
    if (nearest != NULL)
        fprintf(stderr, "cardan: unknown command `%s`; did you mean `%s`?\n", name, nearest);
    else
        fprintf(stderr, "cardan: unknown command `%s`; `cardan --help` lists the commands\n", name);
    return NULL;
}

static int help(int argc, char **argv)
{
    if (argc < 2 || strcmp(argv[1], "help") == 0 || strcmp(argv[1], "--help") == 0 ||
        strcmp(argv[1], "-h") == 0) {
        print_help(stdout);
        return CLI_DONE;
    }
    if (strcmp(argv[1], "completion") == 0)
        return cli_completion(2, (char *[]){argv[1], "--help", NULL});
    const cli_command *found = find_command(argv[1]);
    char option[] = "--help";
    char *arguments[] = {argv[1], option, NULL};
    return found != NULL ? found->run(2, arguments) : CLI_BAD_INPUT;
}

static int dispatch(int argc, char **argv)
{
    if (argc < 2) {
        print_help(stderr);
        return CLI_BAD_INPUT;
    }
    if (strcmp(argv[1], "--version") == 0 || strcmp(argv[1], "-V") == 0) {
        puts("cardan " CARDAN_VERSION);
        return CLI_DONE;
    }
    if (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0) {
        print_help(stdout);
        return CLI_DONE;
    }
    if (strcmp(argv[1], "help") == 0)
        return help(argc - 1, argv + 1);
    if (argv[1][0] == '-') {
        fprintf(stderr, "cardan: unknown option `%s`; `cardan --help` shows the usage\n", argv[1]);
        return CLI_BAD_INPUT;
    }
    if (strcmp(argv[1], "completion") == 0) /* for shells; not in the list */
        return cli_completion(argc - 1, argv + 1);
    const cli_command *found = find_command(argv[1]);
    return found != NULL ? found->run(argc - 1, argv + 1) : CLI_BAD_INPUT;
}

/* A file of ours must not become standard output because that was closed: what is printed would go
 * into it. */
static void keep_standard_files(void)
{
    for (int file = STDIN_FILENO; file <= STDERR_FILENO; file++)
        if (fcntl(file, F_GETFD) < 0 && open("/dev/null", O_RDONLY) < 0)
            return;
}

int main(int argc, char **argv)
{
    /* A closed pipe is reported like any other write error instead of ending us silently. */
    signal(SIGPIPE, SIG_IGN);
    keep_standard_files();
    int code = dispatch(argc, argv);
    errno = 0;
    if ((fflush(stdout) != 0 || ferror(stdout)) && code == CLI_DONE) {
        fprintf(stderr, "cardan: cannot write to standard output: %s\n",
                errno != 0 ? strerror(errno) : "an earlier write failed");
        return CLI_FAILED;
    }
    return code;
}
