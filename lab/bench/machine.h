/* The machine: its name, what memory and processor can do at most, and what starting the program
 * costs on it. */
#ifndef BENCH_MACHINE_H
#define BENCH_MACHINE_H

#include <stdbool.h>
#include <stddef.h>

/* "amd-epyc-2-cores": processor and number of cores, fit for a file name. */
void bench_machine_name(char *name, size_t size);

/* Bytes a second of a = b + c x (reads and writes) with arrays beyond all caches, and
 * multiplications and additions a second in registers; one core, as this compiler makes them. */
double bench_bandwidth(void);
double bench_flops(void);

/* A run of this program from its start to the end of the first step. */
typedef struct bench_launch {
    double seconds; /* elapsed, the shortest of several */
    double peak;    /* bytes */
} bench_launch;

/* `arguments` after the name of the program, NULL-terminated; output is thrown away. */
bool bench_launch_measure(char *const *arguments, int repeat, bench_launch *launch);

#endif
