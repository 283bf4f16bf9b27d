/* The problems of the comparison with peers at equal accuracy. Spans are short enough for a
 * solution to be known: chains soon become chaotic. */
#include "accuracy.h"

#define PROBLEM(name_, end_)                                                                       \
    {                                                                                              \
        .name = name_, .end = end_                                                                 \
    }
#define SHAPE(shape_, n_, joint_, form_, end_)                                                     \
    {                                                                                              \
        .name = shape_, .shape = shape_, .joint = joint_, .form = form_, .n = n_, .end = end_      \
    }
#define PLANAR(shape_, n_, end_) SHAPE(shape_, n_, NULL, NULL, end_)

const bench_contest bench_contests[] = {
    {"heavy top",
     3,
     {PROBLEM("heavy_top", 1), PROBLEM("heavy_top_spatial", 1), PROBLEM("heavy_top_quat", 1)},
     0,
     1e-2,
     1e-3},
    {"pendulum", 1, {PROBLEM("pendulum", 0)}, 0, 0.25, 1e-1},
    {"four-bar", 1, {PLANAR("nfourbar", 1, 2)}, 0, 0.25, 1e-1},
    {"four-bar 3D", 1, {SHAPE("nfourbar", 1, "revolute", "spatial", 2)}, 1, 0.25, 1e-1},
    {"Andrews", 1, {PROBLEM("andrews", 0)}, 0, 1e-2, 1e-2},
    {"chain planar", 1, {PLANAR("chain", 10, 1)}, 0, 0.25, 1e-1},
    {"chain planar", 1, {PLANAR("chain", 100, 1)}, 1, 0.1, 1e-2},
    {"chain planar", 1, {PLANAR("chain", 1000, 1)}, 1, 0.05, 1e-2},
    {"chain 3D", 1, {SHAPE("chain", 10, "revolute", "spatial", 1)}, 0, 0.25, 1e-1},
    {"chain 3D", 1, {SHAPE("chain", 100, "revolute", "spatial", 1)}, 0, 0.1, 1e-2},
    {"chain 3D", 1, {SHAPE("chain", 1000, "revolute", "spatial", 1)}, 1, 0.05, 1e-2},
    {"ring 3D", 1, {SHAPE("ring", 100, "spherical", "spatial", 1)}, 1, 0.1, 1e-2},
    {"ladder 3D", 1, {SHAPE("ladder", 33, "spherical", "spatial", 1)}, 1, 0.1, 1e-2},
    {"tree 3D", 1, {SHAPE("tree", 127, "spherical", "spatial", 1)}, 1, 0.1, 1e-2},
    {"N four-bar", 1, {PLANAR("nfourbar", 40, 2)}, 1, 0.1, 1e-2},
    {"N four-bar 3D", 1, {SHAPE("nfourbar", 40, "revolute", "spatial", 2)}, 1, 0.1, 1e-2},
};
const int bench_contest_count = sizeof bench_contests / sizeof bench_contests[0];
