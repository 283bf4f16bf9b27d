/* See two_run.h. */
#include "two_run.h"

#include <math.h>

const double two_weights[2] = {15.0, 1.0};

static papers_setup setup_of(const two_run *run)
{
    papers_setup setup = papers_setup_of("two_particles", "conserving", 1.0, run->step, run->end);
    setup.def.experimental.conserving_penalty = 1e3;
    setup.def.newton.max_iterations = 200; /* the augmented Lagrangian converges linearly */
    setup.def.experimental.start = CARDAN_START_PLAIN;
    setup.def.energy_balance = true;
    if (!run->projected)
        return setup;
    setup.def.projection.level = CARDAN_PROJECT_VELOCITY;
    setup.def.projection.solver = CARDAN_PROJECTION_PENALTY;
    setup.def.projection.penalty = run->alpha;
    if (run->weighted) {
        setup.def.projection.norm = CARDAN_NORM_DIAGONAL;
        setup.def.projection.matrix = two_weights;
    }
    return setup;
}

static void keep(two_path *path, const papers_trail *trail)
{
    const cardan_state *s = trail->now;
    const cardan_energy_balance energy_balance = cardan_integrator_energy_balance(trail->it);
    if (path->count > TWO_MOST_STEPS)
        return;
    path->at[path->count++] = (two_state){
        .t = s->t,
        .q = {s->q[0], s->q[1]},
        .v = {s->v[0], s->v[1]},
        .lambda = s->stages > 0 ? s->stage[0] : s->lambda[0],
        .energy = 0.5 * s->v[0] * s->v[0] + 0.05 * s->v[1] * s->v[1],
        .position = s->q[0] * s->q[0] + s->q[1] * s->q[1] - 1.0,
        .velocity = 2.0 * (s->q[0] * s->v[0] + s->q[1] * s->v[1]),
        .moved = energy_balance.last_projection,
    };
}

bool two_follow(papers_report *report, const two_run *run, two_path *path)
{
    const papers_setup setup = setup_of(run);
    papers_trail trail = papers_begin(report, &setup);
    path->count = 0;
    if (trail.failed)
        return false;
    keep(path, &trail);
    while (papers_advance(&trail))
        keep(path, &trail);
    return !trail.failed;
}

two_state two_at(const two_path *path, double t)
{
    for (int i = 0; i < path->count; i++)
        if (fabs(path->at[i].t - t) < 1e-6)
            return path->at[i];
    return (two_state){NAN, {NAN, NAN}, {NAN, NAN}, NAN, NAN, NAN, NAN, NAN};
}

double two_largest(const two_path *path, double end, two_value *value)
{
    double largest = path->count > 0 ? 0.0 : NAN;
    for (int i = 0; i < path->count && path->at[i].t <= end + 1e-6; i++)
        largest = papers_larger(largest, fabs(value(&path->at[i])));
    return largest;
}

double two_energy_error(const two_state *s)
{
    return s->energy / 0.5 - 1.0;
}

double two_position(const two_state *s)
{
    return s->position;
}

double two_velocity(const two_state *s)
{
    return s->velocity;
}

double two_lambda(const two_state *s)
{
    return s->lambda;
}

papers_panel *two_panel(papers_figure *figure, const char *title, const char *label, double end)
{
    return papers_new_panel(figure, title, (papers_axis){"time (s)", false, 0.0, end},
                            (papers_axis){label, false, 0, 0});
}

void two_draw(papers_panel *panel, papers_mark mark, const char *name, const two_path *path,
              two_value *value)
{
    papers_series *series = papers_new_series(panel, mark, false, "%s", name);
    for (int i = 0; i < path->count; i++)
        papers_push(series, path->at[i].t, value(&path->at[i]));
}
