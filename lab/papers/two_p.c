/* TWO-P: the two particles of GO10 Sec. 6 with velocity projections: the energy that they move, and
 * what the paper's theory says of both matrices. */
#include "lab/analysis/projection_verdict.h"
#include "lab/problems/problem.h"
#include "two_run.h"

#include <float.h>
#include <math.h>

static const double mu = 0.1, a = 15.0, place[] = {0.6, 0.8};

static double energy(const two_state *s)
{
    return s->energy;
}

static double largest_gain(const two_path *path)
{
    double largest = path->count > 1 ? -INFINITY : NAN;
    for (int i = 1; i < path->count; i++)
        largest = papers_larger(largest, path->at[i].moved);
    return largest;
}

/* Fig. 9, 11, 12: to 10 s with alpha = 1. */
static void ten_seconds(papers_report *report, const two_path *none, const two_path *m,
                        const two_path *w)
{
    const double free = two_largest(none, 10.0, two_velocity);
    papers_source(report, "GO10 Fig. 9");
    papers_judge(report, (papers_bound){"no growth", PAPERS_AT_MOST, 0.0, DBL_EPSILON},
                 largest_gain(m), "largest dE_p of a step, A = M, alpha = 1 (Prop. 6)");
    papers_judge(report, (papers_bound){"growth", PAPERS_AT_LEAST, 1e-4, 0.0}, largest_gain(w),
                 "largest dE_p of a step, A = diag(15, 1), alpha = 1");
    papers_note(report, "From 0.5 to 0.53 J in 100 steps is 3e-4 on average; a third of it.");
    papers_printed(report, "0.53", two_at(w, 10.0).energy, "E(10), A = diag(15, 1), alpha = 1");
    papers_derived(report, "GO10 Fig. 9");
    papers_printed(report, "0.46338415", two_at(m, 10.0).energy, "E(10), A = M, alpha = 1");
    papers_printed(report, "0.52971600", two_at(w, 10.0).energy,
                   "E(10), A = diag(15, 1), alpha = 1");
    papers_source(report, "GO10 Fig. 12");
    papers_judge(report, (papers_bound){"reduced", PAPERS_AT_MOST, 1.0, 0.0},
                 two_largest(m, 10.0, two_velocity) / free,
                 "max velocity constraint, A = M, alpha = 1, over that without projection");
    papers_judge(report, (papers_bound){"reduced", PAPERS_AT_MOST, 1.0, 0.0},
                 two_largest(w, 10.0, two_velocity) / free,
                 "max velocity constraint, A = diag(15, 1), alpha = 1, over that without");
    papers_derived(report, "GO10 Fig. 12");
    papers_printed(report, "0.0386232", two_largest(m, 10.0, two_velocity),
                   "max velocity constraint, A = M, alpha = 1");
    papers_printed(report, "0.2577918", two_largest(w, 10.0, two_velocity),
                   "max velocity constraint, A = diag(15, 1), alpha = 1");
}

/* Fig. 14 to 16: the larger penalty, and 50 s. */
static void long_runs(papers_report *report, const two_path *m, const two_path *w1,
                      const two_path *w20)
{
    const double small = two_largest(m, 10.0, two_velocity);
    const double large = two_largest(w20, 10.0, two_velocity);
    papers_source(report, "GO10 Fig. 14");
    papers_judge(report, (papers_bound){"same order", PAPERS_EQUAL, 0.0, 0.5}, log10(large / small),
                 "log10 of max velocity constraint, W and alpha = 20 over M and alpha = 1");
    papers_note(report, "The paper says the order of magnitude only: half a power of ten.");
    papers_judge(report, (papers_bound){"reduced", PAPERS_AT_MOST, 1.0, 0.0},
                 large / two_largest(w1, 10.0, two_velocity),
                 "max velocity constraint, W: alpha = 20 over alpha = 1");
    papers_source(report, "GO10 Fig. 15");
    papers_printed(report, "0.67", two_at(w20, 10.0).energy, "E(10), A = diag(15, 1), alpha = 20");
    papers_source(report, "GO10 Fig. 16");
    papers_printed(report, "0.74", two_at(m, 50.0).energy / 0.5, "E(50)/E(0), A = M, alpha = 1");
    papers_derived(report, "GO10 Fig. 15, 16");
    papers_printed(report, "0.66910797", two_at(w20, 10.0).energy,
                   "E(10), A = diag(15, 1), alpha = 20");
    papers_printed(report, "0.73906935", two_at(m, 50.0).energy / 0.5,
                   "E(50)/E(0), A = M, alpha = 1");
    papers_source(report, "GO10 Fig. 16");
    papers_judge(report, (papers_bound){"2.54 at 35.5", PAPERS_AT_MOST, 2.54, 0.005},
                 two_at(w20, 35.4).energy / 0.5, "E(35.4)/E(0), A = diag(15, 1), alpha = 20");
    papers_judge(report, (papers_bound){"2.54 at 35.5", PAPERS_AT_LEAST, 2.54, 0.005},
                 two_at(w20, 35.5).energy / 0.5, "E(35.5)/E(0), A = diag(15, 1), alpha = 20");
    papers_note(report,
                "The paper's solver fails at 35.5, so that its last number, \"about\" 2.54, "
                "need not be that of a solution of the step: ours goes through it in that "
                "step.");
    papers_derived(report, "GO10 Fig. 16");
    papers_printed(report, "2.559", two_at(w20, 35.5).energy / 0.5,
                   "E(35.5)/E(0), A = diag(15, 1), alpha = 20");
    papers_near(report, 50.0, 1e-9, w20->count > 0 ? w20->at[w20->count - 1].t : NAN,
                "time reached, A = diag(15, 1), alpha = 20");
    papers_note(report, "The failure at 35.5 is that of the paper's iteration: the steps have "
                        "solutions, by tests/reference/two_particles.py as well, with the next "
                        "row.");
    papers_printed(report, "2.9726", two_at(w20, 50.0).energy / 0.5,
                   "E(50)/E(0), A = diag(15, 1), alpha = 20");
}

static void draw_runs(papers_report *report, const two_path *m, const two_path *w1,
                      const two_path *w20)
{
    papers_figure *figure = papers_new_figure(
        report, "two-fig14-16",
        "GO10 Fig. 14 to 16: energy and velocity constraint, conserving integration with "
        "projections, Δt = 0.1 s. The paper's run with A = W, α = 20 stops at t = 35.5 s; "
        "ours goes on.");
    papers_panel *near = two_panel(figure, "Fig. 14", "velocity constraint", 10.0);
    papers_panel *level = two_panel(figure, "Fig. 15", "energy (J)", 10.0);
    papers_panel *far = two_panel(figure, "Fig. 16", "velocity constraint", 50.0);
    two_path ten[3] = {*m, *w1, *w20};
    static const char *const names[] = {"A = M, α = 1", "A = W, α = 1", "A = W, α = 20"};
    static const papers_mark marks[] = {PAPERS_LINE, PAPERS_DASHED, PAPERS_GUIDE};
    for (int i = 0; i < 3; i++) {
        ten[i].count = ten[i].count < 101 ? ten[i].count : 101;
        two_draw(near, marks[i], names[i], &ten[i], two_velocity);
        two_draw(level, marks[i], names[i], &ten[i], energy);
    }
    two_draw(far, PAPERS_LINE, names[0], m, two_velocity);
    two_draw(far, PAPERS_DASHED, names[2], w20, two_velocity);
}

static void runs(papers_report *report)
{
    static const two_run all[] = {{"none", 0.1, 10.0, false, false, 0.0},
                                  {"M, 1", 0.1, 50.0, true, false, 1.0},
                                  {"W, 1", 0.1, 10.0, true, true, 1.0},
                                  {"W, 20", 0.1, 50.0, true, true, 20.0}};
    static two_path paths[4];
    for (int i = 0; i < 4; i++)
        two_follow(report, &all[i], &paths[i]);
    ten_seconds(report, &paths[0], &paths[1], &paths[2]);
    long_runs(report, &paths[1], &paths[2], &paths[3]);
    draw_runs(report, &paths[1], &paths[2], &paths[3]);
}

static cardan_projection projection_by(bool weighted)
{
    cardan_projection how = cardan_projection_default();
    how.level = CARDAN_PROJECT_VELOCITY;
    how.solver = CARDAN_PROJECTION_PENALTY;
    how.penalty = 1.0;
    how.norm = weighted ? CARDAN_NORM_DIAGONAL : CARDAN_NORM_MASS;
    how.matrix = two_weights;
    return how;
}

/* The projection of a velocity at `place`, alpha = 1: the energy gained, and the slope v2 / v1 of
 * what comes out. */
static double gain_of(const cardan_system *system, bool weighted, double angle, double *slope)
{
    const cardan_projection how = projection_by(weighted);
    cardan_projection_report done = {.energy = NAN};
    double q[] = {place[0], place[1]}, v[] = {cos(angle), sin(angle)};
    cardan_projection_apply(system, &how, 0.0, q, v, &done, NULL);
    *slope = v[1] / v[0];
    return done.energy;
}

/* The angle between both where the gain is no longer positive. */
static double root(const cardan_system *system, double gaining, double losing)
{
    double slope;
    for (int i = 0; i < 60; i++) {
        const double middle = 0.5 * (gaining + losing);
        *(gain_of(system, true, middle, &slope) > 0.0 ? &gaining : &losing) = middle;
    }
    return gaining;
}

/* The slope of the incompatible velocities whose energy W leaves alone, over -q1 / q2: on one side
 * of the compatible ones energy is gained up to there. */
static double measured_kappa(const cardan_system *system)
{
    const double compatible = atan2(-place[0], place[1]);
    double slope, side = 0.01, angle = compatible + side;
    if (!(gain_of(system, true, angle, &slope) > 0.0))
        angle = compatible + (side = -side);
    while (fabs(angle - compatible) < 3.0 && gain_of(system, true, angle, &slope) > 0.0)
        angle += side;
    gain_of(system, true, root(system, angle - side, angle), &slope);
    return -slope * place[1] / place[0];
}

static void judge_kernels(papers_report *report, const cardan_system *system,
                          const lab_projection_verdict *mass,
                          const lab_projection_verdict *weighted)
{
    papers_source(report, "GO10 Fig. 1, 13");
    papers_near(report, 4, 0, mass->case_number, "case of A = M");
    papers_near(report, 1, 0, mass->kernel_d, "lines of K_D, A = M");
    papers_near(report, 2, 0, weighted->case_number, "case of A = diag(15, 1)");
    papers_near(report, 1, 0, weighted->kernel_b, "lines of K_B, A = diag(15, 1)");
    papers_near(report, 2, 0, weighted->kernel_d, "lines of K_D, A = diag(15, 1)");
    papers_source(report, "GO10 (17), (22)");
    papers_false_in_print(report, (papers_bound){"1, by (17)", PAPERS_EQUAL, 1.0, 0.0}, "2",
                          weighted->kernel_d, "K_D by (17): its lines, A = diag(15, 1)");
    papers_note(report,
                "By (17) K_D is the null space of D = (1 + P)^T M (1 - P)/2, that is C for "
                "every A, one line here, and that of D^s is not the same (Remark 4). The "
                "propositions and Fig. 13 mean the velocities with v^T D v = 0: two lines.");
    papers_source(report, "GO10 Sec. 6");
    papers_false_in_print(report,
                          (papers_bound){"0.681, by its formula", PAPERS_EQUAL, 0.681, 0.0005},
                          "0.856", measured_kappa(system), "kappa at q = (0.6, 0.8), alpha = 1");
    papers_note(
        report,
        "The printed formula has mu^3 twice where v^T D v = 0 gives mu (mu^3 comes of B^T M B "
        "in place of B^T M^-1 B in (19)). Ours is the slope at which the measured energy of "
        "projections does not change.");
}

/* B^s = 2 (2 q1^2/a, q1 q2 (mu + 1/a); ..., 2 mu q2^2) */
static void judge_eigenvalues(papers_report *report, const lab_projection_verdict *weighted)
{
    const double q1 = place[0], q2 = place[1];
    const double half = 2.0 * (q1 * q1 / a + mu * q2 * q2);
    const double product = q1 * q2 * (1.0 - a * mu) / a, determinant = -4.0 * product * product;
    const double largest = fabs(weighted->smallest / weighted->smallest_relative);
    papers_derived(report, "GO10 Sec. 6");
    papers_near(report, half - sqrt(half * half - determinant), 1e-15, weighted->smallest,
                "smallest eigenvalue of B^s, A = diag(15, 1)");
    papers_note(report,
                "Printed are B^s and its determinant: here at q = (0.6, 0.8), to rounding.");
    papers_near(report, determinant, 1e-16, weighted->smallest * largest,
                "determinant of B^s, A = diag(15, 1)");
    papers_note(report, "By the second of the two printed lines. In the first, of our "
                        "machine-read text, a bracket closes too early: 0.0182.");
}

/* Gains over the direction of what comes out of the projection. */
static void draw_gains(papers_panel *panel, const cardan_system *system, bool weighted)
{
    papers_series *gain = papers_new_series(panel, PAPERS_LINE, false, "energy added / energy");
    papers_series *zero = papers_new_series(panel, PAPERS_GUIDE, false, "0");
    papers_push(zero, -45.0, 0.0);
    papers_push(zero, -25.0, 0.0);
    for (int i = 0; i <= 200; i++) { /* v* = P v, (15) */
        const double degrees = -45.0 + 0.1 * i, angle = degrees * acos(-1.0) / 180.0;
        const double open = 4.0 * (place[0] * cos(angle) + place[1] * sin(angle));
        const double v1 = cos(angle) + open * place[0] / (weighted ? a : 1.0);
        const double v2 = sin(angle) + open * place[1] / (weighted ? 1.0 : mu);
        const double energy = 0.5 * (v1 * v1 + mu * v2 * v2) / (v1 * v1 + v2 * v2);
        double slope;
        const double added = gain_of(system, weighted, atan2(v2, v1), &slope);
        papers_push(gain, atan(slope) * 180.0 / acos(-1.0), added / energy);
    }
}

static void draw_line(papers_panel *panel, papers_mark mark, const char *name, double slope)
{
    papers_series *line = papers_new_series(panel, mark, false, "%s", name);
    papers_push(line, -1.0, -slope);
    papers_push(line, 1.0, slope);
}

static papers_panel *velocity_plane(papers_figure *figure, const char *title)
{
    return papers_new_panel(figure, title, (papers_axis){"q1'", false, -1.0, 1.0},
                            (papers_axis){"q2'", false, -1.0, 1.0});
}

static papers_panel *gain_panel(papers_figure *figure, const char *title)
{
    return papers_new_panel(figure, title,
                            (papers_axis){"direction of v (degrees)", false, -45.0, -25.0},
                            (papers_axis){"energy added, relative", false, 0, 0});
}

static void draw_kernels(papers_report *report, const cardan_system *system)
{
    const double slope = -place[0] / place[1], other = measured_kappa(system) * slope;
    papers_figure *figure = papers_new_figure(
        report, "two-fig13",
        "GO10 Fig. 13 at q = (0.6, 0.8), α = 1: the kernels in the plane of velocities, and below "
        "how they are found: the energy that a projection adds, over the direction of the velocity "
        "it ends at. For A = W energy is gained between both lines of K_D, at -36.9 and -32.7 "
        "degrees.");
    papers_panel *mass = velocity_plane(figure, "Fig. 13 (a), A = M");
    draw_line(mass, PAPERS_LINE, "C, K_B and K_D", slope);
    papers_panel *weighted = velocity_plane(figure, "Fig. 13 (b), A = W");
    draw_line(weighted, PAPERS_LINE, "C, K_B and K_D", slope);
    draw_line(weighted, PAPERS_DASHED, "K_D", other);
    draw_gains(gain_panel(figure, "A = M"), system, false);
    draw_gains(gain_panel(figure, "A = W"), system, true);
}

static void theory(papers_report *report)
{
    const double v[] = {0.8, -0.6}, zero[2] = {0};
    const cardan_point at = {0.0, place, v, zero, zero, zero};
    cardan_projection how[2] = {projection_by(false), projection_by(true)};
    lab_projection_verdict verdict[2] = {{0}, {.smallest = NAN}};
    lab_problem *problem = NULL;
    if (lab_problem_create(&problem, "two_particles", NULL, 0, NULL) != CARDAN_OK)
        return;
    const cardan_system *system = lab_problem_system(problem);
    for (int i = 0; i < 2; i++)
        lab_projection_judge(system, &how[i], &at, &verdict[i], NULL);
    judge_eigenvalues(report, &verdict[1]);
    judge_kernels(report, system, &verdict[0], &verdict[1]);
    draw_kernels(report, system);
    lab_problem_destroy(problem);
}

void papers_two_p(papers_report *report)
{
    runs(report);
    theory(report);
}
