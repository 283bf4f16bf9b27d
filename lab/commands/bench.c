/* cardan bench: what a step costs, how that grows with the size, and what equal accuracy costs
 * beside other solvers. */
#include "cli/commands/generate.h"
#include "cli/results/json.h"
#include "cli/setup/options.h"
#include "lab/bench/bench_report.h"
#include "lab/bench/machine.h"
#include "lab/peers/ida.h"
#include "lab/peers/simbody.h"
#include "lab_commands.h"

#include <cardan/export.h>
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { OPTION_FULL = CLI_OPTION_FIRST, OPTION_CSV, OPTION_JSON, OPTION_PEERS, OPTION_MOST };

static const struct option options[] = {{"full", no_argument, NULL, OPTION_FULL},
                                        {"csv", required_argument, NULL, OPTION_CSV},
                                        {"json", no_argument, NULL, OPTION_JSON},
                                        {"no-peers", no_argument, NULL, OPTION_PEERS},
                                        {"most", required_argument, NULL, OPTION_MOST},
                                        {"help", no_argument, NULL, 'h'},
                                        {0}};

static const char usage[] =
    "usage: cardan bench [WORD...] [OPTIONS]\n\n"
    "Measures the speed of this program on this machine, in about two minutes. First the cost of\n"
    "a step, its growth with the size, memory and start-up: for single mechanisms and for chains,\n"
    "rings, ladders, trees and N four-bars of many sizes. Then the cost of a given error in\n"
    "positions: by Cardan, and by IDA of SUNDIALS and Simbody if the program was built with "
    "them.\n\n"
    "  WORD                      only measurements with this word in their name: chain, machine, "
    "...\n"
    "  --full                    all sizes up to 100 000 bodies, all comparisons (half an hour)\n"
    "  --most N                  models of up to N bodies only\n"
    "  --no-peers                no comparison with other solvers\n"
    "  --csv DIR                 write steps.csv, accuracy.csv and machine.csv to DIR/MACHINE\n"
    "  --json                    print the results as JSON on standard output\n\n"
    "Times are processor times of one thread, the shortest of several runs; solvers that are\n"
    "compared run in turn. If several threads share a model by default, the column `threads` has\n"
    "their number and the elapsed time per step and body. docs/performance.md explains the "
    "columns\n"
    "and has the results of one machine.\n\n"
    "examples:\n"
    "  cardan bench\n"
    "  cardan bench chain --most 1000 --no-peers\n"
    "  cardan bench --full --csv results\n";

enum { MOST_WORDS = 16 };

typedef struct request {
    bool full, json, without_peers;
    long long most; /* bodies; 0: any */
    const char *csv;
    const char *words[MOST_WORDS];
    int word_count;
    bench_table steps, accuracy, machine;
    bool failed;
} request;

static bool apply(void *context, int code, const char *value)
{
    request *r = context;
    switch (code) {
    case OPTION_FULL:
        return r->full = true;
    case OPTION_CSV:
        r->csv = value;
        return true;
    case OPTION_JSON:
        return r->json = true;
    case OPTION_PEERS:
        return r->without_peers = true;
    case OPTION_MOST:
        return cli_count("bench", "--most", value, &r->most);
    default:
        if (r->word_count == MOST_WORDS) {
            cli_complain("bench", "too many words; `%s` is one too much", value);
            return false;
        }
        r->words[r->word_count++] = value;
        return true;
    }
}

static bool is_wanted(const request *r, const char *name, const char *other, int level, long long n)
{
    bool named = r->word_count == 0;
    for (int i = 0; i < r->word_count; i++)
        named = named || strstr(name, r->words[i]) != NULL || strstr(other, r->words[i]) != NULL;
    return named && (level == 0 || r->full) && (r->most == 0 || n <= r->most);
}

/* Words that fit nothing are mistakes. */
static bool words_fit(const request *r)
{
    for (int w = 0; w < r->word_count; w++) {
        const request only = {.full = true, .words = {r->words[w]}, .word_count = 1};
        bool fits = is_wanted(&only, "machine", "", 0, 0);
        for (int i = 0; i < bench_task_count && !fits; i++)
            fits = is_wanted(&only, bench_tasks[i].group, bench_tasks[i].model.name, 0, 0);
        for (int i = 0; i < bench_contest_count && !fits; i++)
            fits = is_wanted(&only, bench_contests[i].name, bench_contests[i].form[0].name, 0, 0);
        if (!fits) {
            cli_complain("bench",
                         "nothing has `%s` in its name; try chain, ring, ladder, tree, "
                         "four-bar, heavy_top, andrews or machine",
                         r->words[w]);
            return false;
        }
    }
    return true;
}

static void measure_steps(request *r)
{
    bench_cost last = {0};
    const char *group = "";
    bool headed = r->json;
    for (int i = 0; i < bench_task_count; i++) {
        const bench_task *task = &bench_tasks[i];
        bench_cost cost;
        if (!is_wanted(r, task->group, task->model.name, task->level, task->model.n))
            continue;
        if (!headed)
            bench_report_cost_head();
        headed = true;
        bench_cost_measure(task, 0.3, &cost);
        const bool grows = strcmp(group, task->group) == 0 && strcmp(group, "small") != 0 &&
                           last.bodies < cost.bodies && last.failure[0] == '\0' &&
                           cost.failure[0] == '\0';
        bench_report_cost(task, &cost, grows ? bench_growth(&last, &cost) : NAN, !r->json,
                          &r->steps);
        r->failed = r->failed || cost.failure[0] != '\0';
        last = cost;
        group = task->group;
    }
}

static void compare(request *r)
{
    bool headed = r->json;
    for (int i = 0; i < bench_contest_count && !r->without_peers; i++) {
        const bench_contest *contest = &bench_contests[i];
        bench_verdict verdict;
        cardan_error error = {0};
        if (!is_wanted(r, contest->name, contest->form[0].name, contest->level, contest->form[0].n))
            continue;
        if (!headed) {
            printf("\nequal error in positions; ratio: how many times as long as ours\n");
            bench_report_verdict_head();
        }
        headed = true;
        if (bench_contest_hold(contest, 3, r->full ? 20.0 : 5.0, &verdict, &error)) {
            bench_report_verdict(&verdict, !r->json, &r->accuracy);
        } else {
            cli_complain("bench", "%s: %s", contest->name, error.text);
            r->failed = true;
        }
    }
}

/* `cardan run` of a generated chain up to its first step. */
static bool launch_chain(long long n, int repeat, bench_launch *launch)
{
    char path[] = "/tmp/cardan-bench-XXXXXX";
    const int file = mkstemp(path);
    FILE *out = file >= 0 ? fdopen(file, "w") : NULL;
    if (out == NULL)
        return false;
    const bool made = cli_generate_model(out, "chain", "revolute", "spatial", n);
    char *arguments[] = {"cardan", "run",   path,        "--step",  "1e-3", "--end",
                         "1e-3",   "--out", "/dev/null", "--quiet", NULL};
    const bool done = fclose(out) == 0 && made && bench_launch_measure(arguments, repeat, launch);
    unlink(path);
    return done;
}

/* Start-up, and memory: what the program takes whatever it runs cancels from one size to twice
 * that. */
static void measure_chain(request *r, long long n, bool print)
{
    bench_launch one, two;
    char name[100];
    if (!launch_chain(n, 2, &one))
        return;
    snprintf(name, sizeof name, "cardan run, chain of %lld, start to first step", n);
    bench_report_fact(name, one.seconds, "s", print, &r->machine);
    snprintf(name, sizeof name, "cardan run, chain of %lld, largest resident memory", n);
    bench_report_fact(name, 1e-3 * one.peak / (double)n, "kB/body", print, &r->machine);
    if ((r->most > 0 && 2 * n > r->most) || !launch_chain(2 * n, 1, &two))
        return;
    snprintf(name, sizeof name, "the same, of each body from %lld to %lld", n, 2 * n);
    bench_report_fact(name, 1e-3 * (two.peak - one.peak) / (double)n, "kB", print, &r->machine);
}

static void measure_machine(request *r)
{
    char *top[] = {"cardan", "run",   "heavy_top", "--step",  "1e-3", "--end",
                   "1e-3",   "--out", "/dev/null", "--quiet", NULL};
    const long long n = r->most > 0 && r->most < 10000 ? r->most : 10000;
    const bool print = !r->json;
    bench_launch launch;
    if (!is_wanted(r, "machine", "", 0, 0))
        return;
    if (print)
        printf("\nthe machine, and starting on it\n");
    bench_report_fact("memory bandwidth, triad", 1e-9 * bench_bandwidth(), "GB/s", print,
                      &r->machine);
    bench_report_fact("multiplications and additions", 1e-9 * bench_flops(), "Gflop/s", print,
                      &r->machine);
    if (bench_launch_measure(top, 20, &launch))
        bench_report_fact("cardan run heavy_top, start to first step", 1e3 * launch.seconds, "ms",
                          print, &r->machine);
    measure_chain(r, n, print);
}

static void describe(const request *r, const char *machine)
{
    if (r->json)
        return;
    printf("cardan %s on %s, one core\n", CARDAN_VERSION, machine);
    printf("peers: %s; %s\n\n", peer_ida_text() != NULL ? peer_ida_text() : "no IDA",
           peer_simbody_text() != NULL ? peer_simbody_text() : "no Simbody");
}

static void print_json(const request *r, const char *machine)
{
    const char *ida = peer_ida_text(), *simbody = peer_simbody_text();
    cli_json_print(json_pack("{s:s, s:s, s:s?, s:s?, s:o, s:o, s:o}", "version", CARDAN_VERSION,
                             "machine", machine, "ida", ida, "simbody", simbody, "steps",
                             r->steps.rows, "accuracy", r->accuracy.rows, "facts",
                             r->machine.rows));
}

static bool open_tables(request *r, const char *machine)
{
    char folder[4000];
    const char *place = NULL;
    if (r->csv != NULL) {
        snprintf(folder, sizeof folder, "%s/%s", r->csv, machine);
        if ((mkdir(r->csv, 0777) != 0 && errno != EEXIST) ||
            (mkdir(folder, 0777) != 0 && errno != EEXIST)) {
            cli_complain("bench", "cannot make %s: %s", folder, strerror(errno));
            return false;
        }
        place = folder;
    }
    return bench_table_open(&r->steps, place, "steps", r->json) &&
           bench_table_open(&r->accuracy, place, "accuracy", r->json) &&
           bench_table_open(&r->machine, place, "machine", r->json);
}

int lab_bench(int argc, char **argv)
{
    request r = {0};
    const cli_syntax syntax = {
        .command = argv[0], .help = usage, .options = options, .apply = apply};
    char machine[200];
    int code;
    if (!cli_parse(&syntax, argc, argv, &r, &code))
        return code;
    if (!words_fit(&r))
        return CLI_BAD_INPUT;
    bench_machine_name(machine, sizeof machine);
    const bool open = open_tables(&r, machine);
    if (open) {
        describe(&r, machine);
        measure_steps(&r);
        compare(&r);
        measure_machine(&r);
        if (r.json)
            print_json(&r, machine);
    }
    const bool written = bench_table_close(&r.steps) && bench_table_close(&r.accuracy) &&
                         bench_table_close(&r.machine);
    return open && written && !r.failed ? CLI_DONE : CLI_FAILED;
}
