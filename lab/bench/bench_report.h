/* Results of `cardan bench` as lines for people and as rows of tables. */
#ifndef BENCH_REPORT_H
#define BENCH_REPORT_H

#include "accuracy.h"
#include "cost.h"
#include "table.h"

/* `growth`: NAN for the first size of a group. Lines are printed if `print`. */
void bench_report_cost_head(void);
void bench_report_cost(const bench_task *task, const bench_cost *cost, double growth, bool print,
                       bench_table *table);

void bench_report_verdict_head(void);
void bench_report_verdict(const bench_verdict *verdict, bool print, bench_table *table);

/* A single number with its unit. */
void bench_report_fact(const char *name, double value, const char *unit, bool print,
                       bench_table *table);

#endif
