/* The shapes of generated models: which links there are and where they are joined. */
#include "generate.h"

#include <math.h>

static const double pi = 3.14159265358979323846;

static const cli_end ground = {NULL, 0};

static cli_end link_of(long long number)
{
    return (cli_end){"link", number};
}

static void end_of(const cli_link *link, double end[2])
{
    end[0] = link->from[0] + cos(link->angle);
    end[1] = link->from[1] + sin(link->angle);
}

/* ---- chain: horizontal, held at the origin ---- */

static void chain_bodies(const cli_writer *writer)
{
    for (long long i = 0; i < writer->n; i++)
        cli_write_link(writer, "link", i + 1, &(cli_link){.from = {(double)i, 0.0}});
}

static void chain_joints(const cli_writer *writer)
{
    for (long long i = 0; i < writer->n; i++)
        cli_write_joint(writer, i + 1, i == 0 ? ground : link_of(i), link_of(i + 1),
                        (double[]){(double)i, 0.0});
}

/* ---- ring: a regular polygon, hung up at the origin ---- */

static cli_link ring_link(long long n, long long i)
{
    const double turn = 2.0 * pi / (double)n, radius = 0.5 / sin(0.5 * turn);
    const double at = turn * (double)i;
    return (cli_link){.from = {radius * sin(at), radius * (cos(at) - 1.0)},
                      .angle = -at - 0.5 * turn};
}

static void ring_bodies(const cli_writer *writer)
{
    for (long long i = 0; i < writer->n; i++) {
        const cli_link link = ring_link(writer->n, i);
        cli_write_link(writer, "link", i + 1, &link);
    }
}

static void ring_joints(const cli_writer *writer)
{
    cli_write_joint(writer, 0, ground, link_of(1), (double[]){0.0, 0.0});
    for (long long i = 0; i < writer->n; i++) {
        const cli_link link = ring_link(writer->n, i);
        cli_write_joint(writer, i + 1, link_of(i == 0 ? writer->n : i), link_of(i + 1), link.from);
    }
}

/* ---- ladder: two ropes of links with rungs between them, hung up to swing ---- */

static cli_link ladder_side(long long i, double x)
{
    const double along = (double)i, ladder_angle = 0.5 - pi / 2.0;
    return (cli_link){.from = {x + along * cos(ladder_angle), along * sin(ladder_angle)},
                      .angle = ladder_angle};
}

static void ladder_bodies(const cli_writer *writer)
{
    for (long long i = 0; i < writer->n; i++) {
        const cli_link left = ladder_side(i, 0.0), right = ladder_side(i, 1.0);
        cli_link rung = {0};
        end_of(&left, rung.from);
        cli_write_link(writer, "left", i + 1, &left);
        cli_write_link(writer, "right", i + 1, &right);
        cli_write_link(writer, "rung", i + 1, &rung);
    }
}

static void ladder_joints(const cli_writer *writer)
{
    static const char *const sides[2] = {"left", "right"};
    for (long long i = 0; i < writer->n; i++)
        for (int side = 0; side < 2; side++) {
            const cli_link link = ladder_side(i, side), next = ladder_side(i + 1, side);
            const cli_end rope = {sides[side], i + 1}, rung = {"rung", i + 1};
            const cli_end above = {"rung", i};
            cli_write_joint(writer, 4 * i + 2 * side + 1, i == 0 ? ground : above, rope, link.from);
            cli_write_joint(writer, 4 * i + 2 * side + 2, rope, rung, next.from);
        }
}

/* ---- tree: link i carries the links 2 i and 2 i + 1 ---- */

/* Walks down from the root along the bits of the number. */
static cli_link tree_link(long long number)
{
    const double spread = 0.4;
    cli_link link = {.angle = -pi / 2.0};
    int bits = 0;
    while (number >> (bits + 1) != 0)
        bits++;
    while (bits-- > 0) {
        cli_link child = {.angle = link.angle + ((number >> bits & 1) != 0 ? spread : -spread)};
        end_of(&link, child.from);
        link = child;
    }
    return link;
}

static void tree_bodies(const cli_writer *writer)
{
    for (long long i = 1; i <= writer->n; i++) {
        const cli_link link = tree_link(i);
        cli_write_link(writer, "link", i, &link);
    }
}

static void tree_joints(const cli_writer *writer)
{
    for (long long i = 1; i <= writer->n; i++) {
        const cli_link link = tree_link(i);
        cli_write_joint(writer, i, i == 1 ? ground : link_of(i / 2), link_of(i), link.from);
    }
}

/* ---- N four-bar: cranks side by side, coupled at their tops (IFToMM benchmark A02) ---- */

static void nfourbar_bodies(const cli_writer *writer)
{
    for (long long i = 0; i <= writer->n; i++)
        cli_write_link(
            writer, "crank", i,
            &(cli_link){
                .from = {(double)i, 0.0}, .angle = pi / 2.0, .rate = -1.0, .velocity = {0.5, 0.0}});
    for (long long i = 1; i <= writer->n; i++)
        cli_write_link(writer, "coupler", i,
                       &(cli_link){.from = {(double)(i - 1), 1.0}, .velocity = {1.0, 0.0}});
}

static void nfourbar_joints(const cli_writer *writer)
{
    for (long long i = 0; i <= writer->n; i++) {
        const cli_end crank = {"crank", i}, left = {"coupler", i}, right = {"coupler", i + 1};
        const double top[2] = {(double)i, 1.0};
        cli_write_joint(writer, 3 * i, ground, crank, (double[]){(double)i, 0.0});
        if (i > 0)
            cli_write_joint(writer, 3 * i - 1, left, crank, top);
        if (i < writer->n)
            cli_write_joint(writer, 3 * i + 1, crank, right, top);
    }
}

#define SHORT_RUN "solver: {end: 1.0, sample: 0.01}\n"

const cli_shape cli_shapes[] = {
    {"chain", "spherical", "N links in a row, initially horizontal, held at one end", 1,
     chain_bodies, chain_joints, SHORT_RUN},
    {"ring", "spherical", "N links in a closed ring, suspended at one joint", 3, ring_bodies,
     ring_joints, SHORT_RUN},
    {"ladder", "spherical", "a rope ladder of N rungs, 3 N links in N loops", 1, ladder_bodies,
     ladder_joints, SHORT_RUN},
    {"tree", "spherical", "N links, each carries two others", 1, tree_bodies, tree_joints,
     SHORT_RUN},
    {"nfourbar", "revolute", "N coupled four-bar linkages, 2 N + 1 links (IFToMM A02)", 1,
     nfourbar_bodies, nfourbar_joints,
     "sensors:\n"
     "  - {name: B0, type: position, body: crank0, point: [0.5, 0, 0]}\n"
     "  - {name: B0, type: velocity, body: crank0, point: [0.5, 0, 0]}\n"
     "solver: {method: ga3, step: 1.0e-3, end: 0.7, sample: 0.01}\n"},
};
const int cli_shape_count = sizeof cli_shapes / sizeof cli_shapes[0];
