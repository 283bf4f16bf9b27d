/* A run of one problem: what was asked, what it needs, and how it went. run.c drives it, summary.c
 * tells of it. */
#ifndef CLI_RUN_H
#define CLI_RUN_H

#include "check_run.h"
#include "cli/results/csv.h"
#include "cli/results/hdf5_file.h"
#include "cli/results/output_file.h"
#include "cli/results/preview.h"
#include "cli/results/record.h"
#include "cli/results/result_live.h"
#include "cli/results/result_output.h"
#include "cli/results/sample.h"
#include "cli/results/verdict.h"
#include "cli/results/vtk.h"
#include "cli/setup/case.h"
#include "cli/setup/checkpoint_file.h"
#include "cli/setup/events.h"
#include "cli/setup/setup.h"
#include "interrupt.h"
#include "march.h"

#include <cardan/diagnosis.h>

struct cli_run_job {
    cli_setup setup;
    const char *out;        /* --out, or NULL */
    const char *vtk_folder; /* --vtk, or NULL */
    double step;            /* --step; 0: the problem's recommendation */
    long long every;        /* --every; 0: not given */
    double sample;          /* --sample; 0: not given */
    bool stages;            /* --stages: the multipliers at the method's own times too */
    bool stats;
    bool energy_balance; /* --energy-balance */
    cli_checkpoint checkpoint;
    cli_events events;

    cli_case *problem;
    cardan_integrator *integrator;
    cli_record *record;
    cli_sampler *sampler; /* NULL: rows at the steps */
    cli_plan plan;
    cli_progress progress;
    cli_live live;
    cli_hdf5 *hdf5; /* NULL if no HDF5 is written */
    cli_vtk *vtk;
    int frames; /* of VTK, after the files were closed */
    cli_pace pace;
    long long rows;       /* written, after the files were closed */
    const char *report;   /* --report: the page; NULL: none */
    cli_output_file page; /* its place */
    bool lost;            /* something could not be written, and it was said */
    cli_csv csv;          /* name is NULL if no CSV is written */
    bool preview;         /* a short table is printed instead: */
    cli_preview table;
    long long row;   /* a row every so many steps */
    double next_row; /* adaptive: time of the next row of the table */

    bool strict; /* --strict */
    bool once;   /* --once: without the check run */
    cli_check_run look;
    bool judged; /* there is a verdict: */
    cardan_health health;
    cardan_status status;
    char failure[1072];  /* why the run stopped early, or "" */
    double stopped;      /* and at which time */
    bool interrupted;    /* by the user, also at `stopped` */
    long long done;      /* steps */
    bool row_is_written; /* that of the last state */
    double seconds;
};

/* The result in words on stdout, and everything as JSON. */
void cli_summary_print(const cli_run_job *job);
void cli_summary_json(const cli_run_job *job);

/* The solver's counters and times. */
void cli_statistics_print(const cli_run_job *job, FILE *out);
json_t *cli_statistics_json(const cli_run_job *job);

/* The diagnosis of a run that a step has ended; NULL if it ended otherwise. On stderr, else the
 * sentence of the failure. */
const cardan_diagnosis *cli_failure_diagnosis(const cli_run_job *job);
void cli_failure_print(const cli_run_job *job);
json_t *cli_failure_json(const cardan_diagnosis *diagnosis);

#endif
