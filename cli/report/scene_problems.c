/* The scenes of the built-in problems; those of pure mathematics have none. */
#include "lab/problems/problem.h"
#include "scene.h"

#include <math.h>
#include <string.h>

static const double origin[3] = {0.0, 0.0, 0.0}, no_turn[4] = {1.0, 0.0, 0.0, 0.0};
static const double z_to_y[4] = {0.70710678118654752, -0.70710678118654752, 0.0, 0.0};
static const double z_to_x[4] = {0.70710678118654752, 0.0, 0.70710678118654752, 0.0};

/* A parameter as --set gave it, or its default. */
static double value(const cli_setup *setup, const char *name)
{
    const lab_parameter *list;
    const int count = lab_problem_parameters(setup->problem_index, &list);
    for (int i = setup->setting_count - 1; i >= 0; i--)
        if (strcmp(setup->settings[i].name, name) == 0)
            return setup->settings[i].value;
    for (int i = 0; i < count; i++)
        if (strcmp(list[i].name, name) == 0)
            return list[i].value;
    return NAN;
}

static json_t *open_scene(const cli_setup *setup, int up)
{
    double gravity[3] = {0.0, 0.0, 0.0};
    const double g = value(setup, "g");
    if (up >= 0)
        gravity[up] = isfinite(g) ? -g : 0.0;
    return cli_scene_new(setup->problem, gravity);
}

/* ---- parts ---- */

static void add_shape(json_t *scene, int body, const char *type, double a, double b, double c,
                      const double at[3], const double turn[4])
{
    cli_scene_shape shape = {.type = type, .size = {a, b, c}};
    memcpy(shape.at, at, sizeof shape.at);
    memcpy(shape.turn, turn, sizeof shape.turn);
    cli_scene_add_shape(scene, body, &shape);
}

static void add_pin(json_t *scene, const char *name, const char *type, int body1,
                    const double at1[3], int body2, const double at2[3])
{
    cli_scene_joint joint = {.name = name,
                             .type = type,
                             .body = {body1, body2},
                             .turn = {{1.0, 0.0, 0.0, 0.0}, {1.0, 0.0, 0.0, 0.0}}};
    memcpy(joint.at[0], at1, sizeof joint.at[0]);
    memcpy(joint.at[1], at2, sizeof joint.at[1]);
    cli_scene_add_joint(scene, &joint);
}

static void add_rod(json_t *scene, const char *name, int body1, const double at1[3], int body2,
                    const double at2[3])
{
    cli_scene_add_line(scene, name, "rod", (int[]){body1, body2}, at1, at2);
}

/* A point mass at columns x, y and z (NULL: 0) as a ball. */
static int add_ball(json_t *scene, const char *name, const char *x, const char *y, const char *z,
                    double radius)
{
    json_t *place = json_array();
    const char *const columns[] = {x, y, z};
    for (int i = 0; i < 3; i++)
        json_array_append_new(place, columns[i] != NULL ? json_string(columns[i]) : json_real(0.0));
    const int body = cli_scene_add_body(scene, name, json_incref(place), NULL, NULL);
    add_shape(scene, body, "sphere", radius, 0.0, 0.0, origin, no_turn);
    cli_scene_add_trace(scene, name, place);
    return body;
}

/* [{"k": k, "f": f, "of": [[column, factor], ...], "plus": plus}, ...] */
static json_t *term(double k, const char *f, const char *a, double ka, const char *b, double kb,
                    double plus)
{
    json_t *of = json_pack("[[s,f]]", a, ka);
    if (b != NULL)
        json_array_append_new(of, json_pack("[s,f]", b, kb));
    return json_pack("{s:f,s:s,s:o,s:f}", "k", k, "f", f, "of", of, "plus", plus);
}

static json_t *turn_about(double x, double y, double z, json_t *angle)
{
    return json_pack("{s:[f,f,f],s:o}", "axis", x, y, z, "angle", angle);
}

/* Turns about z by a column. */
static json_t *plane_turn(const char *angle)
{
    return json_pack("[o]", turn_about(0.0, 0.0, 1.0, json_string(angle)));
}

/* ---- pendulums ---- */

static json_t *swing(const cli_setup *setup)
{
    json_t *scene = open_scene(setup, 1);
    const double l = value(setup, "l");
    const int bob = add_ball(scene, "bob", "x", "y", NULL, 0.08 * l);
    add_rod(scene, "rod", CLI_SCENE_GROUND, origin, bob, origin);
    add_pin(scene, "support", "revolute", CLI_SCENE_GROUND, origin, bob, origin);
    return scene;
}

/* A wall in the y-z plane at x = wall. */
static json_t *swing_at_wall(const cli_setup *setup)
{
    json_t *scene = swing(setup);
    const double l = value(setup, "l"), wall = value(setup, "wall");
    add_shape(scene, CLI_SCENE_GROUND, "box", 0.02 * l, 1.2 * l, 0.5 * l,
              (double[]){wall + (wall < 0.0 ? -0.09 * l : 0.0), -0.6 * l, 0.0}, no_turn);
    return scene;
}

static json_t *driven(const cli_setup *setup)
{
    json_t *scene = open_scene(setup, 1);
    const double l = value(setup, "l");
    json_t *place = json_pack(
        "[[o],[o],f]", term(value(setup, "ax"), "sin", "t", value(setup, "wx"), NULL, 0.0, 0.0),
        term(value(setup, "ay"), "sin", "t", value(setup, "wy"), NULL, 0.0, 0.0), 0.0);
    const int support = cli_scene_add_body(scene, "support", place, NULL, NULL);
    const int bob = add_ball(scene, "bob", "x", "y", NULL, 0.08 * l);
    add_shape(scene, support, "box", 0.1 * l, 0.1 * l, 0.1 * l, origin, no_turn);
    add_rod(scene, "rod", support, origin, bob, origin);
    return scene;
}

static json_t *on_guide(const cli_setup *setup)
{
    json_t *scene = open_scene(setup, 1);
    const double l = value(setup, "l");
    add_ball(scene, "bead", "x", "y", NULL, 0.07 * l);
    add_shape(scene, CLI_SCENE_GROUND, "ring", l, 0.03 * l, 0.0, origin, no_turn);
    return scene;
}

static json_t *spherical(const cli_setup *setup)
{
    json_t *scene = open_scene(setup, 2);
    const double l = value(setup, "l");
    const int bob = add_ball(scene, "bob", "x", "y", "z", 0.08 * l);
    add_rod(scene, "rod", CLI_SCENE_GROUND, origin, bob, origin);
    add_pin(scene, "support", "spherical", CLI_SCENE_GROUND, origin, bob, origin);
    return scene;
}

static json_t *two_rods(const cli_setup *setup)
{
    json_t *scene = open_scene(setup, 1);
    const double size = 0.06 * (value(setup, "l1") + value(setup, "l2"));
    const int first = add_ball(scene, "mass 1", "x1", "y1", NULL, size);
    const int second = add_ball(scene, "mass 2", "x2", "y2", NULL, size);
    add_rod(scene, "rod 1", CLI_SCENE_GROUND, origin, first, origin);
    add_rod(scene, "rod 2", first, origin, second, origin);
    add_pin(scene, "support", "revolute", CLI_SCENE_GROUND, origin, first, origin);
    return scene;
}

static json_t *rod_pendulum(const cli_setup *setup)
{
    json_t *scene = open_scene(setup, 1);
    const double l = value(setup, "L");
    const int rod = cli_scene_add_body(scene, "rod", json_pack("[s,s,f]", "y1", "y2", 0.0), "turns",
                                       plane_turn("y3"));
    add_shape(scene, rod, "rod", 2.0 * l, 0.1 * l, 0.0, origin, no_turn);
    add_pin(scene, "hinge", "revolute", CLI_SCENE_GROUND, origin, rod, (double[]){-l, 0.0, 0.0});
    return scene;
}

/* ---- in space ---- */

static const char *const quaternion[] = {"e0", "e1", "e2", "e3"};

static int add_turning(json_t *scene, const char *name, json_t *place)
{
    return cli_scene_add_body(
        scene, name, place, "quaternion",
        json_pack("[s,s,s,s]", quaternion[0], quaternion[1], quaternion[2], quaternion[3]));
}

/* lambda is the force on the top at its tip, in the world (heavy_top_massless.c). */
static json_t *top(const cli_setup *setup)
{
    json_t *scene = open_scene(setup, 2);
    const double arm = value(setup, "X2"), m = value(setup, "m");
    const double radius = fmin(sqrt(2.0 * value(setup, "J2") / m), 1.5 * arm);
    const double tip[3] = {0.0, -arm, 0.0};
    json_t *place = json_pack("[s,s,s]", "x1", "x2", "x3");
    cli_scene_add_trace(scene, "centre of mass", json_incref(place));
    const int body = add_turning(scene, "top", place);
    add_shape(scene, body, "cylinder", radius, 0.25 * arm, 0.0, origin, z_to_y);
    add_shape(scene, body, "box", 1.7 * radius, 0.27 * arm, 0.15 * radius, origin, no_turn);
    add_shape(scene, body, "cylinder", 0.03 * arm, arm, 0.0, (double[]){0.0, -0.5 * arm, 0.0},
              z_to_y);
    cli_scene_joint joint = {.name = "tip",
                             .type = "spherical",
                             .body = {CLI_SCENE_GROUND, body},
                             .turn = {{1.0, 0.0, 0.0, 0.0}, {1.0, 0.0, 0.0, 0.0}},
                             .force = {"lambda1", "lambda2", "lambda3"}};
    memcpy(joint.at[1], tip, sizeof tip);
    cli_scene_add_joint(scene, &joint);
    return scene;
}

static json_t *free_body(const cli_setup *setup)
{
    json_t *scene = open_scene(setup, -1);
    const double j[3] = {value(setup, "J1"), value(setup, "J2"), value(setup, "J3")};
    double edge[3];
    for (int i = 0; i < 3; i++)
        edge[i] = sqrt(fmax(6.0 * (j[(i + 1) % 3] + j[(i + 2) % 3] - j[i]), 0.02));
    const int body = add_turning(scene, "body", json_pack("[f,f,f]", 0.0, 0.0, 0.0));
    add_shape(scene, body, "box", edge[0], edge[1], edge[2], origin, no_turn);
    return scene;
}

/* A disk with its axle along body axis 2, with a bar that shows how it turns. */
static void add_disk(json_t *scene, int body, double r)
{
    add_shape(scene, body, "cylinder", r, 0.06 * r, 0.0, origin, z_to_y);
    add_shape(scene, body, "box", 1.6 * r, 0.1 * r, 0.12 * r, origin, no_turn);
}

static json_t *rolling_disk(const cli_setup *setup)
{
    json_t *scene = open_scene(setup, 2);
    const double r = value(setup, "r");
    /* contact + r (-sin lean sin heading, sin lean cos heading, cos lean) */
    json_t *place = json_pack("[[o,o,o],[o,o,o],[o]]", term(1.0, "id", "x", 1.0, NULL, 0.0, 0.0),
                              term(-0.5 * r, "cos", "lean", 1.0, "heading", -1.0, 0.0),
                              term(0.5 * r, "cos", "lean", 1.0, "heading", 1.0, 0.0),
                              term(1.0, "id", "y", 1.0, NULL, 0.0, 0.0),
                              term(0.5 * r, "sin", "lean", 1.0, "heading", 1.0, 0.0),
                              term(0.5 * r, "sin", "lean", 1.0, "heading", -1.0, 0.0),
                              term(r, "cos", "lean", 1.0, NULL, 0.0, 0.0));
    json_t *turns = json_pack(
        "[o,o,o]", turn_about(0.0, 0.0, 1.0, json_string("heading")),
        turn_about(1.0, 0.0, 0.0, json_pack("[o]", term(-1.0, "id", "lean", 1.0, NULL, 0.0, 0.0))),
        turn_about(0.0, 1.0, 0.0, json_string("spin")));
    const int body = cli_scene_add_body(scene, "disk", place, "turns", turns);
    add_disk(scene, body, r);
    cli_scene_add_plane(scene, CLI_SCENE_GROUND, origin, no_turn);
    cli_scene_add_trace(scene, "contact", json_pack("[s,s,f]", "x", "y", 0.0));
    return scene;
}

static json_t *disk_in_space(const cli_setup *setup)
{
    json_t *scene = open_scene(setup, 2);
    json_t *place = json_pack("[s,s,s]", "x1", "x2", "x3");
    cli_scene_add_trace(scene, "centre", json_incref(place));
    add_disk(scene, add_turning(scene, "disk", place), value(setup, "r"));
    return scene;
}

static json_t *disk_on_floor(const cli_setup *setup)
{
    json_t *scene = disk_in_space(setup);
    cli_scene_add_plane(scene, CLI_SCENE_GROUND, origin, no_turn);
    return scene;
}

static json_t *disk_on_platform(const cli_setup *setup)
{
    json_t *scene = disk_in_space(setup), *place = json_array();
    static const char *const amplitude[] = {"a1", "a2", "a3"}, *const rate[] = {"w1", "w2", "w3"};
    for (int i = 0; i < 3; i++)
        json_array_append_new(place, json_pack("[o]", term(value(setup, amplitude[i]), "sin", "t",
                                                           value(setup, rate[i]), NULL, 0.0, 0.0)));
    const int platform = cli_scene_add_body(scene, "platform", place, NULL, NULL);
    cli_scene_add_plane(scene, platform, origin, no_turn);
    return scene;
}

static json_t *ball_on_turntable(const cli_setup *setup)
{
    json_t *scene = open_scene(setup, 2);
    const double r = value(setup, "r");
    json_t *place = json_pack("[s,s,s]", "x1", "x2", "x3");
    cli_scene_add_trace(scene, "centre", json_incref(place));
    const int ball = add_turning(scene, "ball", place);
    add_shape(scene, ball, "sphere", r, 0.0, 0.0, origin, no_turn);
    add_shape(scene, ball, "ring", 1.002 * r, 0.03 * r, 0.0, origin, no_turn);
    json_t *turn = json_pack("[o]", term(value(setup, "W"), "id", "t", 1.0, NULL, 0.0, 0.0));
    const int table =
        cli_scene_add_body(scene, "table", json_pack("[f,f,f]", 0.0, 0.0, 0.0), "turns",
                           json_pack("[o]", turn_about(0.0, 0.0, 1.0, turn)));
    add_shape(scene, table, "cylinder", 6.0 * r, 0.05 * r, 0.0, (double[]){0.0, 0.0, -0.03 * r},
              no_turn);
    add_shape(scene, table, "box", 11.0 * r, 0.06 * r, 0.06 * r, (double[]){0.0, 0.0, -0.03 * r},
              no_turn);
    return scene;
}

/* ---- in the plane ---- */

static int add_blade(json_t *scene, const char *name, const char *x, const char *y,
                     const char *angle, double length)
{
    json_t *place = json_pack("[s,s,f]", x, y, 0.0);
    cli_scene_add_trace(scene, name, json_incref(place));
    const int body = cli_scene_add_body(scene, name, place, "turns", plane_turn(angle));
    add_shape(scene, body, "box", length, 0.06 * length, 0.25 * length,
              (double[]){0.0, 0.0, 0.125 * length}, no_turn);
    return body;
}

static json_t *skate(const cli_setup *setup)
{
    const double g = value(setup, "g"), alpha = value(setup, "alpha");
    json_t *scene = cli_scene_new(setup->problem, (double[]){g * sin(alpha), 0.0, -g * cos(alpha)});
    add_blade(scene, "skate", "x", "y", "phi", 0.3);
    cli_scene_add_plane(scene, CLI_SCENE_GROUND, origin, no_turn);
    return scene;
}

static json_t *skate_trailer(const cli_setup *setup)
{
    const double g = value(setup, "g"), alpha = value(setup, "alpha"), b = value(setup, "b");
    json_t *scene = cli_scene_new(setup->problem, (double[]){g * sin(alpha), 0.0, -g * cos(alpha)});
    const int first = add_blade(scene, "skate", "x1", "y1", "phi1", 0.5 * b);
    const int second = add_blade(scene, "trailer", "x2", "y2", "phi2", 0.5 * b);
    add_rod(scene, "bar", second, origin, first, origin);
    cli_scene_add_plane(scene, CLI_SCENE_GROUND, origin, no_turn);
    return scene;
}

static json_t *sleigh(const cli_setup *setup)
{
    json_t *scene = cli_scene_new(setup->problem, (double[]){0.0, 0.0, -9.81});
    const double a = value(setup, "a");
    const int body = add_blade(scene, "sleigh", "x", "y", "theta", 0.5 * a);
    add_shape(scene, body, "box", 1.6 * a, 0.9 * a, 0.08 * a, (double[]){a, 0.0, 0.2 * a}, no_turn);
    cli_scene_add_plane(scene, CLI_SCENE_GROUND, origin, no_turn);
    return scene;
}

static json_t *oscillator(const cli_setup *setup)
{
    json_t *scene = open_scene(setup, -1);
    const double far = -3.0 * fmax(fabs(value(setup, "x0")), 1.0);
    const int mass =
        cli_scene_add_body(scene, "mass", json_pack("[s,f,f]", "x", 0.0, 0.0), NULL, NULL);
    add_shape(scene, mass, "box", 0.5, 0.5, 0.5, origin, no_turn);
    cli_scene_add_line(scene, "spring", "spring", (int[]){CLI_SCENE_GROUND, mass},
                       (double[]){far, 0.0, 0.0}, origin);
    return scene;
}

static json_t *stick_slip(const cli_setup *setup)
{
    json_t *scene = open_scene(setup, 1);
    const int block =
        cli_scene_add_body(scene, "block", json_pack("[s,s,f]", "x", "y", 0.0), NULL, NULL);
    json_t *belt =
        json_pack("[[o],f,f]", term(value(setup, "u"), "id", "t", 1.0, NULL, 0.0, 0.0), 0.0, 0.0);
    const int mark = cli_scene_add_body(scene, "belt", belt, NULL, NULL);
    add_shape(scene, block, "box", 0.2, 0.12, 0.12, (double[]){0.0, 0.06, 0.0}, no_turn);
    add_shape(scene, mark, "box", 0.02, 0.02, 0.2, (double[]){0.0, -0.02, 0.0}, no_turn);
    add_shape(scene, CLI_SCENE_GROUND, "box", 2.4, 0.02, 0.19, (double[]){0.6, -0.02, 0.0},
              no_turn);
    cli_scene_add_line(scene, "spring", "spring", (int[]){CLI_SCENE_GROUND, block},
                       (double[]){-0.7, 0.06, 0.0}, (double[]){-0.1, 0.06, 0.0});
    return scene;
}

static json_t *two_particles(const cli_setup *setup)
{
    json_t *scene = open_scene(setup, -1);
    add_ball(scene, "particle 1", "q1", NULL, NULL, 0.07);
    add_ball(scene, "particle 2", "q2", NULL, NULL, 0.05);
    return scene;
}

static int add_bar(json_t *scene, const char *name, json_t *place, json_t *angle, double length,
                   const double at[3])
{
    const int body = cli_scene_add_body(scene, name, place, "turns",
                                        json_pack("[o]", turn_about(0.0, 0.0, 1.0, angle)));
    add_shape(scene, body, "rod", length, 0.0, 0.0, at, no_turn);
    return body;
}

/* Angles of crank and rod, the slider at x: the rod's far end is at a e(q) + e(p). */
static json_t *slider_crank(const cli_setup *setup)
{
    json_t *scene = open_scene(setup, -1);
    const double a = value(setup, "a");
    json_t *pin = json_pack("[[o],[o],f]", term(a, "cos", "q", 1.0, NULL, 0.0, 0.0),
                            term(a, "sin", "q", 1.0, NULL, 0.0, 0.0), 0.0);
    const int crank = add_bar(scene, "crank", json_pack("[f,f,f]", 0.0, 0.0, 0.0), json_string("q"),
                              a, (double[]){0.5 * a, 0.0, 0.0});
    const int rod = add_bar(scene, "rod", pin, json_string("p"), 1.0, (double[]){0.5, 0.0, 0.0});
    const int slider =
        cli_scene_add_body(scene, "slider", json_pack("[s,f,f]", "x", 0.0, 0.0), NULL, NULL);
    add_shape(scene, slider, "box", 0.3 * a, 0.2 * a, 0.2 * a, origin, no_turn);
    add_pin(scene, "bearing", "revolute", CLI_SCENE_GROUND, origin, crank, origin);
    add_pin(scene, "crank pin", "revolute", crank, (double[]){a, 0.0, 0.0}, rod, origin);
    add_pin(scene, "slider pin", "revolute", rod, (double[]){1.0, 0.0, 0.0}, slider, origin);
    cli_scene_joint guide = {.name = "guide",
                             .type = "prismatic",
                             .body = {CLI_SCENE_GROUND, slider},
                             .at = {{1.0, 0.0, 0.0}}};
    memcpy(guide.turn[0], z_to_x, sizeof z_to_x);
    memcpy(guide.turn[1], z_to_x, sizeof z_to_x);
    cli_scene_add_joint(scene, &guide);
    cli_scene_add_line(scene, "spring", "spring", (int[]){crank, rod},
                       (double[]){0.5 * a, 0.0, 0.0}, (double[]){0.5, 0.0, 0.0});
    return scene;
}

/* The seven bodies of andrews.c, whose geometry this is: e(x) = (cos x, sin x), n(x) = (sin x,
 * -cos x) = e(x - pi/2). */
static json_t *andrews(const cli_setup *setup)
{
    static const double quarter = 1.57079632679489662;
    static const double xa = -0.06934, ya = -0.00227, xb = -0.03635, yb = 0.03273, xc = 0.014,
                        yc = 0.072, d = 0.028, e = 0.02, rr = 0.007, ss = 0.035, sc = 0.018,
                        sd = 0.02, zf = 0.02, zt = 0.04, u = 0.04;
    json_t *scene = open_scene(setup, -1);
    add_bar(scene, "K1 crank", json_pack("[f,f,f]", 0.0, 0.0, 0.0), json_string("beta"), rr,
            (double[]){0.5 * rr, 0.0, 0.0});
    add_bar(scene, "K2 rod",
            json_pack("[[o],[o],f]", term(rr, "cos", "beta", 1.0, NULL, 0.0, 0.0),
                      term(rr, "sin", "beta", 1.0, NULL, 0.0, 0.0), 0.0),
            json_pack("[o]", term(1.0, "id", "beta", 1.0, "theta", 1.0, 0.0)), d,
            (double[]){-0.5 * d, 0.0, 0.0});
    const int k3 = add_bar(scene, "K3 plate", json_pack("[f,f,f]", xb, yb, 0.0),
                           json_pack("[o]", term(1.0, "id", "gamma", 1.0, NULL, 0.0, -quarter)), ss,
                           (double[]){0.5 * ss, 0.0, 0.0});
    add_shape(scene, k3, "rod", sqrt(sc * sc + sd * sd), 0.0, 0.0,
              (double[]){0.5 * sc, 0.5 * sd, 0.0},
              (double[]){cos(0.5 * atan2(sd, sc)), 0.0, 0.0, sin(0.5 * atan2(sd, sc))});
    add_bar(scene, "K4 arm",
            json_pack("[[f,o],[f,o],f]", xa, term(zt, "cos", "delta", 1.0, NULL, 0.0, 0.0), ya,
                      term(zt, "sin", "delta", 1.0, NULL, 0.0, 0.0), 0.0),
            json_pack("[o]", term(1.0, "id", "phi", 1.0, "delta", 1.0, -quarter)), e,
            (double[]){0.5 * e, 0.0, 0.0});
    add_bar(scene, "K5 arm", json_pack("[f,f,f]", xa, ya, 0.0), json_string("delta"), zt,
            (double[]){0.5 * zt, 0.0, 0.0});
    add_bar(scene, "K6 arm",
            json_pack("[[f,o],[f,o],f]", xa, term(u, "cos", "epsilon", 1.0, NULL, 0.0, -quarter),
                      ya, term(u, "sin", "epsilon", 1.0, NULL, 0.0, -quarter), 0.0),
            json_pack("[o]", term(1.0, "id", "omega", 1.0, "epsilon", 1.0, 0.0)), zf,
            (double[]){0.5 * zf, 0.0, 0.0});
    add_bar(scene, "K7 arm", json_pack("[f,f,f]", xa, ya, 0.0),
            json_pack("[o]", term(1.0, "id", "epsilon", 1.0, NULL, 0.0, -quarter)), u,
            (double[]){0.5 * u, 0.0, 0.0});
    cli_scene_add_line(scene, "spring", "spring", (int[]){CLI_SCENE_GROUND, k3},
                       (double[]){xc, yc, 0.0}, (double[]){sc, sd, 0.0});
    add_pin(scene, "O", "revolute", CLI_SCENE_GROUND, origin, 0, origin);
    add_pin(scene, "A", "revolute", CLI_SCENE_GROUND, (double[]){xa, ya, 0.0}, 4, origin);
    add_pin(scene, "B", "revolute", CLI_SCENE_GROUND, (double[]){xb, yb, 0.0}, k3, origin);
    add_pin(scene, "P", "revolute", 1, (double[]){-d, 0.0, 0.0}, k3, (double[]){ss, 0.0, 0.0});
    return scene;
}

json_t *cli_scene_of_problem(const cli_setup *setup)
{
    static const struct {
        const char *name;
        json_t *(*make)(const cli_setup *);
    } scenes[] = {{"pendulum", swing},
                  {"pendulum_massless", swing},
                  {"wall_pendulum", swing_at_wall},
                  {"bouncing_pendulum", swing_at_wall},
                  {"driven_pendulum", driven},
                  {"friction_slider", on_guide},
                  {"spherical_pendulum", spherical},
                  {"double_pendulum", two_rods},
                  {"jn2", rod_pendulum},
                  {"heavy_top", top},
                  {"heavy_top_spatial", top},
                  {"heavy_top_se3", top},
                  {"heavy_top_quat", top},
                  {"heavy_top_massless", top},
                  {"free_body", free_body},
                  {"rolling_disk", rolling_disk},
                  {"disk_so3", disk_on_floor},
                  {"disk_on_platform", disk_on_platform},
                  {"rolling_ball_turntable", ball_on_turntable},
                  {"skate", skate},
                  {"skate_trailer", skate_trailer},
                  {"chaplygin_sleigh", sleigh},
                  {"oscillator", oscillator},
                  {"stick_slip", stick_slip},
                  {"two_particles", two_particles},
                  {"slider_crank", slider_crank},
                  {"andrews", andrews}};
    for (size_t i = 0; i < sizeof scenes / sizeof scenes[0]; i++)
        if (strcmp(scenes[i].name, setup->problem) == 0)
            return scenes[i].make(setup);
    return NULL;
}
