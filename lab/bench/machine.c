/* See machine.h. */
#define _DEFAULT_SOURCE /* wait4 */
#include "machine.h"

#include "subject.h"

#include <ctype.h>
#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

extern char **environ;

/* Letters and digits stay, all else becomes single hyphens. */
static void append_plain(char *name, size_t size, const char *text)
{
    size_t used = strlen(name);
    for (; *text != '\0' && *text != '\n' && used + 1 < size; text++) {
        const bool plain = isalnum((unsigned char)*text) != 0;
        if (plain)
            name[used++] = (char)tolower((unsigned char)*text);
        else if (used > 0 && name[used - 1] != '-')
            name[used++] = '-';
    }
    while (used > 0 && name[used - 1] == '-')
        used--;
    name[used] = '\0';
}

void bench_machine_name(char *name, size_t size)
{
    static const char model[] = "model name\t: ";
    char line[256], cores[40];
    FILE *info = fopen("/proc/cpuinfo", "r");
    name[0] = '\0';
    while (info != NULL && name[0] == '\0' && fgets(line, sizeof line, info) != NULL)
        if (strncmp(line, model, sizeof model - 1) == 0)
            append_plain(name, size, line + sizeof model - 1);
    if (info != NULL)
        fclose(info);
    if (name[0] == '\0')
        append_plain(name, size, "unknown processor");
    snprintf(cores, sizeof cores, " %ld cores", sysconf(_SC_NPROCESSORS_ONLN));
    append_plain(name, size, cores);
}

enum { STREAM = 1 << 23, ROUNDS = 5, LANES = 32, TURNS = 1 << 20 };

double bench_bandwidth(void)
{
    double *room = malloc(3 * (size_t)STREAM * sizeof *room);
    double best = 0.0;
    if (room == NULL)
        return NAN;
    double *restrict a = room, *restrict b = room + STREAM, *restrict c = b + STREAM;
    for (int i = 0; i < STREAM; i++)
        b[i] = c[i] = a[i] = 1.0;
    for (int round = 0; round < ROUNDS; round++) {
        const double began = bench_seconds();
        for (int i = 0; i < STREAM; i++)
            a[i] = b[i] + (double)(round + 1) * c[i];
        best = fmax(best, 3.0 * STREAM * sizeof *a / (bench_seconds() - began));
    }
    /* The sum is used, so that the loops are not left out. */
    const bool right = a[STREAM / 2] == 1.0 + ROUNDS;
    free(room);
    return right ? best : NAN;
}

double bench_flops(void)
{
    double x[LANES], best = 0.0;
    for (int i = 0; i < LANES; i++)
        x[i] = 1.0;
    for (int round = 0; round < ROUNDS; round++) {
        const double factor = 1.0 - 1e-9 * (round + 1), term = 1e-9 * (round + 1);
        const double began = bench_seconds();
        for (int turn = 0; turn < TURNS; turn++)
            for (int i = 0; i < LANES; i++)
                x[i] = x[i] * factor + term;
        best = fmax(best, 2.0 * LANES * TURNS / (bench_seconds() - began));
    }
    return fabs(x[0] - 1.0) < 0.1 ? best : NAN;
}

static double wall(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void become(char *const *arguments)
{
    const int nowhere = open("/dev/null", O_WRONLY);
    if (nowhere >= 0) {
        dup2(nowhere, STDOUT_FILENO);
        dup2(nowhere, STDERR_FILENO);
    }
    execve("/proc/self/exe", arguments, environ);
    _exit(127);
}

bool bench_launch_measure(char *const *arguments, int repeat, bench_launch *launch)
{
    *launch = (bench_launch){.seconds = INFINITY};
    fflush(NULL);
    for (int i = 0; i < repeat; i++) {
        struct rusage usage;
        int status;
        const double began = wall();
        const pid_t child = fork();
        if (child == 0)
            become(arguments);
        if (child < 0 || wait4(child, &status, 0, &usage) != child || !WIFEXITED(status) ||
            WEXITSTATUS(status) != 0)
            return false;
        launch->seconds = fmin(launch->seconds, wall() - began);
        launch->peak = fmax(launch->peak, 1024.0 * (double)usage.ru_maxrss);
    }
    return true;
}
