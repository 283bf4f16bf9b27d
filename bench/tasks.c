/* What is stepped to see the cost of a step and its growth: practical tolerances, steps of 1 ms. */
#include "cost.h"

#define OURS(method_, tolerance_)                                                                  \
    {                                                                                              \
        .kind = BENCH_CARDAN, .method = method_, .update = CARDAN_UPDATE_MAGNUS,                   \
        .newton = tolerance_                                                                       \
    }
#define GA3(tolerance)  OURS("ga3", tolerance)
#define GA2S(tolerance) OURS("ga2s", tolerance)
#define FULL(tolerance_)                                                                           \
    {                                                                                              \
        .kind = BENCH_CARDAN, .method = "ga3", .update = CARDAN_UPDATE_MAGNUS,                     \
        .newton = tolerance_, .full = true                                                         \
    }
#define PROBLEM(name_)                                                                             \
    {                                                                                              \
        .name = name_                                                                              \
    }
#define SHAPE(shape_, n_, joint_, form_)                                                           \
    {                                                                                              \
        .name = shape_, .shape = shape_, .joint = joint_, .form = form_, .n = n_                   \
    }

#define SMALL(model_, solver_, h_)                                                                 \
    {                                                                                              \
        "small", model_, solver_, h_, 10, 1000, 0                                                  \
    }
/* Sizes from 10 to 100 000; a ladder has three bodies a rung, an N four-bar two a loop. */
#define SIZES(group_, solver_, shape_, joint_, form_, scale_)                                      \
    {group_, SHAPE(shape_, 10 / scale_, joint_, form_), solver_, 1e-3, 10, 30, 0},                 \
        {group_, SHAPE(shape_, 100 / scale_, joint_, form_), solver_, 1e-3, 10, 30, 0},            \
        {group_, SHAPE(shape_, 1000 / scale_, joint_, form_), solver_, 1e-3, 10, 30, 0},           \
        {group_, SHAPE(shape_, 10000 / scale_, joint_, form_), solver_, 1e-3, 10, 30, 0},          \
    {                                                                                              \
        group_, SHAPE(shape_, 100000 / scale_, joint_, form_), solver_, 1e-3, 10, 30, 1            \
    }

const bench_task bench_tasks[] = {
    SMALL(PROBLEM("heavy_top"), GA3(1e-8), 1e-3),
    SMALL(PROBLEM("heavy_top_spatial"), GA3(1e-8), 1e-3),
    SMALL(PROBLEM("heavy_top_spatial"), GA2S(1e-8), 1e-3),
    SMALL(PROBLEM("pendulum"), GA3(1e-8), 1e-3),
    SMALL(SHAPE("nfourbar", 1, NULL, NULL), GA3(1e-6), 1e-3),
    SMALL(SHAPE("nfourbar", 1, "revolute", "spatial"), GA3(1e-6), 1e-3),
    SMALL(PROBLEM("andrews"), GA3(1e-6), 2e-5),
    {"chain 400", SHAPE("chain", 400, "revolute", "spatial"), GA3(1e-6), 1e-3, 1, 1000, 0},
    {"chain 400", SHAPE("chain", 400, "revolute", "spatial"), GA2S(1e-6), 1e-3, 1, 1000, 0},
    {"chain 400, full Newton", SHAPE("chain", 400, "revolute", "spatial"), FULL(1e-6), 1e-3, 1,
     1000, 0},
    {"chain 1000", SHAPE("chain", 1000, "revolute", "spatial"), GA3(1e-6), 1e-3, 1, 1000, 1},
    SIZES("chain", GA3(1e-6), "chain", "revolute", "spatial", 1),
    SIZES("chain, planar", GA3(1e-6), "chain", NULL, NULL, 1),
    SIZES("chain, ga2s", GA2S(1e-6), "chain", "revolute", "spatial", 1),
    SIZES("ring", GA3(1e-6), "ring", "spherical", "spatial", 1),
    SIZES("ladder", GA3(1e-6), "ladder", "spherical", "spatial", 3),
    SIZES("tree", GA3(1e-6), "tree", "spherical", "spatial", 1),
    {"N four-bar", SHAPE("nfourbar", 10, "revolute", "spatial"), GA3(1e-6), 1e-3, 10, 30, 0},
    {"N four-bar", SHAPE("nfourbar", 100, "revolute", "spatial"), GA3(1e-6), 1e-3, 10, 30, 0},
    {"N four-bar", SHAPE("nfourbar", 1000, "revolute", "spatial"), GA3(1e-6), 1e-3, 10, 30, 0},
    {"N four-bar", SHAPE("nfourbar", 10000, "revolute", "spatial"), GA3(1e-6), 1e-3, 10, 30, 1},
};
const int bench_task_count = sizeof bench_tasks / sizeof bench_tasks[0];
