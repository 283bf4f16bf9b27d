/* crosscheck: random machines, each run in many ways that must agree (CONTRIBUTING.md). Several
 * processes share the machines; a crash or a run that does not end is one more failure. */
#define _DEFAULT_SOURCE /* MAP_ANONYMOUS */
#include "compare.h"
#include "machine.h"

#include <getopt.h>
#include <math.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

enum { MOST_PROCESSES = 64, MOST_SECONDS = 600 }; /* long enough for sanitizers on a busy machine */

/* What a process shares with the one that started it. */
typedef struct worker {
    pid_t process;
    uint64_t index, end; /* next machine, and behind the last */
    counts sum;
} worker;

static void work(const compare_settings *settings, worker *w, uint64_t stride)
{
    for (; w->index < w->end; w->index += stride) {
        alarm(MOST_SECONDS);
        compare_machine(settings, w->index, &w->sum);
    }
}

static void launch(const compare_settings *settings, worker *w, uint64_t stride)
{
    fflush(stdout);
    const pid_t process = fork();
    if (process < 0) {
        perror("crosscheck: fork");
        exit(2);
    }
    if (process > 0) { /* the memory is shared: the child does not write it */
        w->process = process;
        return;
    }
    work(settings, w, stride);
    fflush(stdout);
    _exit(0);
}

static void note_crash(const compare_settings *settings, worker *w, int status)
{
    char reason[200];
    machine made;
    char *text = machine_write(settings->seed, w->index, &made);
    snprintf(reason, sizeof reason, "# crash: %s\n",
             WTERMSIG(status) == SIGALRM ? "does not end" : strsignal(WTERMSIG(status)));
    w->sum.failures[CRASH]++;
    w->sum.failing_machines++;
    compare_keep(settings, w->index, text, reason);
    free(text);
}

static void run_all(const compare_settings *settings, worker *workers, int count)
{
    int running = count;
    for (int i = 0; i < count; i++)
        launch(settings, &workers[i], (uint64_t)count);
    while (running > 0) {
        int status, i = 0;
        const pid_t process = wait(&status);
        if (process < 0)
            break;
        while (i < count && workers[i].process != process)
            i++;
        if (i == count)
            continue;
        running--;
        if (WIFEXITED(status) && WEXITSTATUS(status) == 0)
            continue;
        note_crash(settings, &workers[i], status);
        workers[i].index += (uint64_t)count;
        launch(settings, &workers[i], (uint64_t)count);
        running++;
    }
}

/* All members are long. */
static void add_counts(counts *sum, const counts *part)
{
    long *to = (long *)sum;
    const long *from = (const long *)part;
    for (size_t i = 0; i < sizeof *sum / sizeof *to; i++)
        to[i] += from[i];
}

static void print_histogram(const counts *sum, int which)
{
    static const char *const titles[] = {"tolerances (adaptive steps, `good`)",
                                         "tolerances (adaptive steps, not `good`)",
                                         "thousandths of its size (fixed steps)"};
    printf("\nlargest error of a run, in %s\n%-16s", titles[which], "");
    for (int i = 0; i < BINS - 1; i++)
        printf(" <%6g", compare_edges[i]);
    printf("    more\n");
    for (int m = 0; m < METHODS; m++)
        for (int c = 0; c < CLASSES; c++) {
            printf("%-6s%-10s", compare_methods[m], compare_classes[c]);
            for (int i = 0; i < BINS; i++)
                printf(" %7ld", sum->histogram[m][which][c][i]);
            printf("\n");
        }
}

static void print_endings(const counts *sum)
{
    printf("\n%-20s%8s%8s%8s%9s%8s%9s%8s\n", "runs", "ended", "refused", "stopped", "too long",
           "good", "doubtful", "wrong");
    for (int m = 0; m < METHODS; m++)
        for (int equal = 0; equal < 2; equal++) {
            const long *e = sum->endings[m][equal], *v = sum->verdicts[m][equal];
            printf("%-5s%-15s%8ld%8ld%8ld%9ld%8ld%9ld%8ld\n", compare_methods[m],
                   equal ? "fixed steps" : "by the error", e[0], e[1], e[2], e[3], v[0], v[1],
                   v[2]);
        }
}

/* Steps by the error only. */
static void print_doubts(const counts *sum)
{
    printf("\nnot good, and nevertheless within 20 tolerances (by the worst finding)\n");
    for (int i = 0; i < CONCERNS; i++) {
        long all = 0;
        for (int m = 0; m < METHODS; m++)
            all += sum->doubts[m][i][0] + sum->doubts[m][i][1];
        if (all == 0)
            continue;
        cardan_health health = {0}; /* knows the name */
        cardan_health_add(&health, (cardan_health_concern)i, CARDAN_DOUBTFUL, NAN, "");
        printf("%-14s", health.findings[0].name);
        for (int m = 0; m < METHODS; m++)
            printf("  %s %ld of %ld", compare_methods[m], sum->doubts[m][i][1],
                   sum->doubts[m][i][0] + sum->doubts[m][i][1]);
        printf("\n");
    }
}

static void print_summary(const counts *sum)
{
    for (int which = 0; which < 3; which++)
        print_histogram(sum, which);
    print_endings(sum);
    print_doubts(sum);
    printf("\n%-20s%9s%9s%9s\n", "kind", "machines", "refused", "failed");
    for (int i = 0; i < machine_family_count; i++)
        printf("%-20s%9ld%9ld%9ld\n", machine_families[i].name, sum->of_family[i],
               sum->refused_of_family[i], sum->failing_of_family[i]);
    printf("\n%ld machines: %ld refused in all ways", sum->machines, sum->refused);
    for (int i = 0; i < 32; i++)
        if (sum->refusals[i] > 0)
            printf(" (%ld %s)", sum->refusals[i], i < 31 ? cardan_status_name(-i) : "other");
    printf(", %ld without a reference\n", sum->no_reference);
    printf("%ld runs stopped, saying why, where the reference ran\n", sum->stopped);
    printf("%ld runs not restarted as redundant constraints had been chosen anew\n",
           sum->not_restarted);
    printf("failures in %ld machines:", sum->failing_machines);
    for (int i = 0; i < FAILURE_KINDS; i++)
        printf(" %ld %s%s", sum->failures[i], compare_failures[i],
               i + 1 < FAILURE_KINDS ? "," : "\n");
}

static const struct option options[] = {{"seed", required_argument, NULL, 's'},
                                        {"count", required_argument, NULL, 'n'},
                                        {"first", required_argument, NULL, 'f'},
                                        {"jobs", required_argument, NULL, 'j'},
                                        {"directory", required_argument, NULL, 'd'},
                                        {"write", required_argument, NULL, 'w'},
                                        {"verbose", no_argument, NULL, 'v'},
                                        {"brief", no_argument, NULL, 'b'},
                                        {0}};

static int usage(void)
{
    fputs("usage: crosscheck [--seed S] [--count N] [--first I] [--jobs J] [--directory D]\n"
          "                  [--write I] [--verbose] [--brief]\n",
          stderr);
    return 2;
}

static int write_machine(uint64_t seed, uint64_t index)
{
    machine made;
    char *text = machine_write(seed, index, &made);
    fputs(text, stdout);
    free(text);
    return 0;
}

int main(int argc, char **argv)
{
    compare_settings settings = {.seed = 1, .directory = "."};
    uint64_t count = 100, first = 0;
    int jobs = 1, code;
    long written = -1;
    while ((code = getopt_long(argc, argv, "s:n:f:j:d:w:vb", options, NULL)) != -1)
        switch (code) {
        case 's':
            settings.seed = strtoull(optarg, NULL, 10);
            break;
        case 'n':
            count = strtoull(optarg, NULL, 10);
            break;
        case 'f':
            first = strtoull(optarg, NULL, 10);
            break;
        case 'j':
            jobs = atoi(optarg);
            break;
        case 'd':
            settings.directory = optarg;
            break;
        case 'w':
            written = atol(optarg);
            break;
        case 'v':
            settings.verbose = true;
            break;
        case 'b':
            settings.brief = true;
            break;
        default:
            return usage();
        }
    if (written >= 0)
        return write_machine(settings.seed, (uint64_t)written);
    if (optind < argc || jobs < 1 || jobs > MOST_PROCESSES || count == 0)
        return usage();
    mkdir(settings.directory, 0777);
    worker *workers = mmap(NULL, sizeof *workers * (size_t)jobs, PROT_READ | PROT_WRITE,
                           MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (workers == MAP_FAILED)
        return 2;
    for (int i = 0; i < jobs; i++) {
        workers[i].index = first + (uint64_t)i;
        workers[i].end = first + count;
    }
    run_all(&settings, workers, jobs);
    counts sum = {0};
    for (int i = 0; i < jobs; i++)
        add_counts(&sum, &workers[i].sum);
    print_summary(&sum);
    return sum.failing_machines > 0 || 4 * sum.refused > sum.machines ? 1 : 0;
}
