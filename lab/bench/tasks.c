/* What is stepped to see the cost of a step and its growth, with practical tolerances. */
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
/* Sizes from 10 to 100 000; a ladder has three bodies a rung, an N four-bar two a loop. There are
 * `count_` steps in 10 ms, and the clock runs from 10 to 40 ms. */
#define SIZE(group_, solver_, shape_, joint_, form_, n_, count_, level_)                           \
    {                                                                                              \
        group_, SHAPE(shape_, n_, joint_, form_), solver_(1e-6), 1e-2 / count_, count_,            \
            3 * count_, level_                                                                     \
    }
#define SIZES(group_, solver_, shape_, joint_, form_, scale_, a_, b_, c_, d_, e_)                  \
    SIZE(group_, solver_, shape_, joint_, form_, 10 / scale_, a_, 0),                              \
        SIZE(group_, solver_, shape_, joint_, form_, 100 / scale_, b_, 0),                         \
        SIZE(group_, solver_, shape_, joint_, form_, 1000 / scale_, c_, 0),                        \
        SIZE(group_, solver_, shape_, joint_, form_, 10000 / scale_, d_, 0),                       \
        SIZE(group_, solver_, shape_, joint_, form_, 100000 / scale_, e_, 1)
/* Steps of 1 ms at all sizes. What pulls at the first links grows with the number of those behind
 * them, and so do the frequencies there: large models are resolved less well than small ones. */
#define SAME_STEP(group_, solver_, shape_, joint_, form_, scale_)                                  \
    SIZES(group_, solver_, shape_, joint_, form_, scale_, 10, 10, 10, 10, 10)

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
    /* Steps of the same accuracy at all sizes: errors of about 2e-5. */
    SIZES("chain", GA3, "chain", "revolute", "spatial", 1, 3, 10, 23, 31, 50),
    SIZES("ring", GA3, "ring", "spherical", "spatial", 1, 3, 5, 12, 27, 33),
    SIZES("ladder", GA3, "ladder", "spherical", "spatial", 3, 6, 19, 35, 53, 81),
    SIZES("tree", GA3, "tree", "spherical", "spatial", 1, 6, 7, 6, 5, 7),
    SAME_STEP("chain, 1 ms", GA3, "chain", "revolute", "spatial", 1),
    SAME_STEP("chain, planar, 1 ms", GA3, "chain", NULL, NULL, 1),
    SAME_STEP("chain, ga2s, 1 ms", GA2S, "chain", "revolute", "spatial", 1),
    SAME_STEP("ring, 1 ms", GA3, "ring", "spherical", "spatial", 1),
    SAME_STEP("ladder, 1 ms", GA3, "ladder", "spherical", "spatial", 3),
    SAME_STEP("tree, 1 ms", GA3, "tree", "spherical", "spatial", 1),
    {"N four-bar", SHAPE("nfourbar", 10, "revolute", "spatial"), GA3(1e-6), 1e-3, 10, 30, 0},
    {"N four-bar", SHAPE("nfourbar", 100, "revolute", "spatial"), GA3(1e-6), 1e-3, 10, 30, 0},
    {"N four-bar", SHAPE("nfourbar", 1000, "revolute", "spatial"), GA3(1e-6), 1e-3, 10, 30, 0},
    {"N four-bar", SHAPE("nfourbar", 10000, "revolute", "spatial"), GA3(1e-6), 1e-3, 10, 30, 1},
};
const int bench_task_count = sizeof bench_tasks / sizeof bench_tasks[0];
