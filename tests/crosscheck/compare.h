/* A machine run in all ways and compared with a reference, and the counts of what came out. */
#ifndef CROSSCHECK_COMPARE_H
#define CROSSCHECK_COMPARE_H

#include "trial.h"

#include <stdint.h>
#include <stdio.h>

enum { METHODS = 5, FORMS = 2, BINS = 8, FAMILIES = 32, REASON = 300, CONCERNS = 16 };

typedef enum failure_kind {
    INACCURATE,   /* `good`, and more than 20 tolerances from the reference */
    THREADS,      /* other bits with four threads */
    RESTART,      /* other bits after a restart */
    DISAGREEMENT, /* refused in one way and not in another, or ended without a sentence */
    REFERENCE,    /* two references by different methods disagree */
    CRASH,
    FAILURE_KINDS
} failure_kind;

typedef struct counts {
    long machines, refused, no_reference, stopped, not_restarted;
    long refusals[32];           /* by -status of machines that are refused */
    long endings[METHODS][2][4]; /* of runs, [1]: equal steps */
    long verdicts[METHODS][2][3];
    /* Of the largest error of a run, in tolerances; [1]: of runs not good; [2]: of equal steps */
    long histogram[METHODS][3][CLASSES][BINS];
    long doubts[METHODS][CONCERNS][2]; /* [1]: of runs within 20 tolerances */
    long failures[FAILURE_KINDS], failing_machines;
    long of_family[FAMILIES], failing_of_family[FAMILIES], refused_of_family[FAMILIES];
    long steps;
} counts;

extern const char *const compare_methods[METHODS];
extern const char *const compare_classes[CLASSES];
extern const char *const compare_failures[FAILURE_KINDS];
extern const double compare_edges[BINS - 1];

typedef struct compare_settings {
    uint64_t seed;
    const char *directory; /* for the files of failing machines */
    bool verbose;
    bool brief; /* steps by the error only, one thread, no restarts */
} compare_settings;

void compare_machine(const compare_settings *settings, uint64_t index, counts *sum);

/* Keeps the text of a machine with the reason in its first lines. */
void compare_keep(const compare_settings *settings, uint64_t index, const char *text,
                  const char *reasons);

#endif
