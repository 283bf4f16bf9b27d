#include "lattice.h"

#include "models.h"

#include <check.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

typedef struct lattice {
    const lattice_order *order;
    cardan_model *model;
    cardan_body_def *place; /* of each body, as it should be */
    int bodies, pins;
    unsigned seed;
} lattice;

static double any(lattice *it, double size)
{
    it->seed = it->seed * 1664525u + 1013904223u;
    return size * ((double)(it->seed >> 8) / 0x1p23 - 1.0);
}

/* A rod that begins at (x, y) and points along an angle. */
static int rod(lattice *it, double x, double y, double angle)
{
    cardan_body_def def = cardan_body_def_default();
    int number;
    def.form = it->order->form;
    if (it->order->planar)
        def.type = CARDAN_BODY_PLANAR;
    def.mass = 1.0;
    def.inertia[0] = 1e-3;
    def.inertia[1] = def.inertia[2] = 1.0 / 12.0;
    def.position[0] = it->order->away + x + 0.5 * cos(angle);
    def.position[1] = y + 0.5 * sin(angle);
    def.orientation[0] = cos(0.5 * angle);
    def.orientation[3] = sin(0.5 * angle);
    it->place[it->bodies++] = def;
    for (int i = 0; i < 3; i++) {
        def.position[i] += any(it, it->order->shift);
        def.orientation[1 + i] += 0.5 * any(it, it->order->turn);
    }
    CHECK_MODEL(it->model, cardan_model_add_body(it->model, &def, &number));
    return number;
}

static void pin(lattice *it, int body1, int body2, double x, double y)
{
    static const double straight[4] = {1.0, 0.0, 0.0, 0.0};
    cardan_joint_def def = cardan_joint_def_default();
    cardan_body_def ground = cardan_body_def_default();
    char name[32];
    int number;
    double here[3] = {it->order->away + x, y, 0.0};
    snprintf(name, sizeof name, "pin%d", it->pins);
    def.name = name;
    def.type = it->order->type;
    def.body1 = body1;
    def.body2 = body2;
    def.frame2 = frame_at(&it->place[body2], here, straight);
    if (it->order->is_spoilt && it->pins == it->order->spoilt)
        here[0] += it->order->gap;
    def.frame1 = frame_at(body1 == CARDAN_GROUND ? &ground : &it->place[body1], here, straight);
    it->pins++;
    CHECK_MODEL(it->model, cardan_model_add_joint(it->model, &def, &number));
}

static void make_chain(lattice *it)
{
    for (int i = 0; i < it->order->n; i++) {
        rod(it, i, 0.0, 0.0);
        pin(it, i > 0 ? i - 1 : CARDAN_GROUND, i, i, 0.0);
    }
}

static void make_ring(lattice *it)
{
    const int n = it->order->n;
    const double part = 8.0 * atan(1.0) / n;
    double x = 0.0, y = 0.0;
    for (int i = 0; i < n; i++) {
        rod(it, x, y, part * i);
        pin(it, i > 0 ? i - 1 : CARDAN_GROUND, i, x, y);
        x += cos(part * i);
        y += sin(part * i);
    }
    pin(it, n - 1, 0, 0.0, 0.0);
}

/* Sides that lean, and rungs. */
static void make_ladder(lattice *it)
{
    const double lean = -1.07, along = cos(lean), down = sin(lean);
    for (int i = 0, above = CARDAN_GROUND; i < it->order->n; i++) {
        const double x = i * along, y = i * down;
        const int left = rod(it, x, y, lean), right = rod(it, x + 1.0, y, lean);
        const int rung = rod(it, x + along, y + down, 0.0);
        pin(it, above, left, x, y);
        pin(it, left, rung, x + along, y + down);
        pin(it, above, right, x + 1.0, y);
        pin(it, right, rung, x + 1.0 + along, y + down);
        above = rung;
    }
}

static void make_tree(lattice *it)
{
    const int n = it->order->n;
    double(*end)[3] = calloc((size_t)n, sizeof *end); /* x, y, angle */
    ck_assert_ptr_nonnull(end);
    for (int i = 0; i < n; i++) {
        const int parent = (i - 1) / 2;
        const double x = i > 0 ? end[parent][0] : 0.0, y = i > 0 ? end[parent][1] : 0.0;
        const double angle = i > 0 ? end[parent][2] + (i % 2 == 0 ? 0.4 : -0.4) : -1.5;
        end[i][0] = x + cos(angle);
        end[i][1] = y + sin(angle);
        end[i][2] = angle;
        rod(it, x, y, angle);
        pin(it, i > 0 ? parent : CARDAN_GROUND, i, x, y);
    }
    free(end);
}

/* Cranks on the ground, couplers between neighbours: IFToMM A02. */
static void make_fourbars(lattice *it)
{
    for (int i = 0, coupler = -1; i <= it->order->n; i++) {
        const int crank = rod(it, i, 0.0, 2.0 * atan(1.0));
        pin(it, CARDAN_GROUND, crank, i, 0.0);
        if (coupler >= 0)
            pin(it, coupler, crank, i, 1.0);
        if (i == it->order->n)
            return;
        coupler = rod(it, i, 1.0, 0.0);
        pin(it, crank, coupler, i, 1.0);
    }
}

cardan_model *make_lattice(const lattice_order *order)
{
    static void (*const make[LATTICE_SHAPES])(lattice *) = {make_chain, make_ring, make_ladder,
                                                            make_tree, make_fourbars};
    lattice it = {
        .order = order, .place = calloc(3 * (size_t)order->n + 3, sizeof *it.place), .seed = 17u};
    ck_assert_ptr_nonnull(it.place);
    ck_assert_int_eq(cardan_model_create(&it.model, order->allocator), CARDAN_OK);
    make[order->shape](&it);
    free(it.place);
    return it.model;
}
