/* The verdict on a run: findings from what was measured (health.c) and counted (cardan/health.h).
 *
 * All limits above which a measurement becomes a finding are here. With adaptive steps they follow
 * from the tolerances, with fixed steps from what an engineer would accept. */
#include "health.h"

#include "base/error.h"
#include "base/numeric.h"
#include "integrator.h"

#include <stdarg.h>
#include <stdio.h>

static const double doubtful = 20.0; /* tolerances */
static const double wrong = 1e3;

/* With fixed steps, which have no tolerance: fractions of the size of the motion. */
static const double accepted_residual = 1e-4, accepted_error = 1e-3;

const char *cardan_verdict_name(cardan_verdict verdict)
{
    static const char *const names[] = {"good", "doubtful", "wrong"};
    return (unsigned)verdict <= CARDAN_WRONG ? names[verdict] : "";
}

void cd_health_add_finding(cardan_health *health, cardan_health_concern concern,
                           cardan_verdict verdict, double t, const char *format, ...)
{
    static const char *const names[] = {"start",     "constraints", "midstep",     "energy",
                                        "tolerance", "rounding",    "oscillation", "speed"};
    int at = health->count;
    health->verdict = verdict > health->verdict ? verdict : health->verdict;
    if (health->count == CARDAN_HEALTH_FINDINGS) /* more than there are kinds of */
        return;
    while (at > 0 && health->findings[at - 1].verdict < verdict) {
        health->findings[at] = health->findings[at - 1];
        at--;
    }
    cardan_health_finding *finding = &health->findings[at];
    *finding = (cardan_health_finding){
        .concern = concern, .name = names[concern], .verdict = verdict, .t = t};
    va_list list;
    va_start(list, format);
    vsnprintf(finding->text, sizeof finding->text, format, list);
    va_end(list);
    health->count++;
}

cardan_status cardan_health_add(cardan_health *health, cardan_health_concern concern,
                                cardan_verdict verdict, double t, const char *text)
{
    if (health == NULL || text == NULL || (unsigned)concern > CARDAN_CONCERN_SPEED ||
        (unsigned)verdict > CARDAN_WRONG)
        return CARDAN_INVALID_ARGUMENT;
    cd_health_add_finding(health, concern, verdict, t, "%s", text);
    return CARDAN_OK;
}

/* ---- constraints ---- */

/* The verdict on an error relative to what is allowed. */
static cardan_verdict verdict_of(double relative)
{
    return !(relative <= wrong)      ? CARDAN_WRONG
           : !(relative <= doubtful) ? CARDAN_DOUBTFUL
                                     : CARDAN_GOOD;
}

static double allowed_position_residual(const cardan_integrator *it)
{
    const double nothing = 1e-9; /* all bodies turn about the origin */
    const double size = it->health.seen.length > nothing ? it->health.seen.length : 1.0;
    const cardan_tolerance asked = it->def.control.position;
    return it->def.control.adaptive ? asked.absolute + asked.relative * size
                                    : accepted_residual / doubtful * size;
}

/* The row of a peak; 0 if the present mode has fewer rows. */
static int row_of_peak(const cd_peak *peak, int count)
{
    return peak->index >= 0 && peak->index < count ? (int)peak->index : 0;
}

/* Judges the residuals of the system's holonomic constraints, and of the redundant ones. */
static void judge_positions(const cardan_integrator *it, cardan_health *health)
{
    const cd_peak *peak = &it->health.seen.position;
    const cd_worst_redundant *worst = &it->watch.position;
    const double allowed = allowed_position_residual(it);
    const double error = peak->value / allowed, redundant = worst->residual / allowed;
    if (verdict_of(error) != CARDAN_GOOD)
        cd_health_add_finding(
            health, CARDAN_CONCERN_CONSTRAINTS, verdict_of(error), peak->t,
            "at t = %.6g the constraint %s is violated by %.2g, %.2g times what was asked "
            "for: use ga2s, ga3 or rk5, which hold it, or --project",
            peak->t,
            cd_system_name(it->system, CARDAN_NAME_CONSTRAINT, row_of_peak(peak, it->system->m))
                .text,
            peak->value, error);
    if (verdict_of(redundant) != CARDAN_GOOD)
        cd_health_add_finding(health, CARDAN_CONCERN_CONSTRAINTS, verdict_of(redundant), worst->t,
                              "at t = %.6g the redundant constraint `%s` is violated by %.2g, "
                              "%.2g times the tolerance",
                              worst->t, worst->name, worst->residual, redundant);
}

/* Within steps, where rows of --sample lie: a residual there means that a motion was stepped over,
 * like a contact shorter than a fixed step, or a load peak within a step of an explicit method. */
static void judge_midstep(const cardan_integrator *it, cardan_health *health)
{
    const cd_seen *seen = &it->health.seen;
    const cd_peak *midstep = &seen->midstep, *contact = &seen->contact, *load = &seen->load;
    const double allowed = allowed_position_residual(it),
                 factor = it->def.control.adaptive ? 1.0 : 10.0;
    const cardan_verdict by_residual = verdict_of(midstep->value / (allowed * factor)),
                         by_contact = verdict_of(contact->value / allowed);
    if (by_residual != CARDAN_GOOD)
        cd_health_add_finding(
            health, CARDAN_CONCERN_MIDSTEP, by_residual, midstep->t,
            "inside of the step about t = %.6g the constraint %s is violated by %.2g: a "
            "motion there was stepped over; take smaller steps (--rtol, --max-step, --step)",
            midstep->t,
            cd_system_name(it->system, CARDAN_NAME_CONSTRAINT, row_of_peak(midstep, it->system->m))
                .text,
            midstep->value);
    if (by_contact != CARDAN_GOOD)
        cd_health_add_finding(
            health, CARDAN_CONCERN_MIDSTEP, by_contact, contact->t,
            "about t = %.6g a step passes through a contact by %.2g without a force: "
            "take smaller steps, or let the error choose them (--rtol)",
            contact->t, contact->value);
    if (load->value > 1.0)
        cd_health_add_finding(
            health, CARDAN_CONCERN_MIDSTEP, CARDAN_DOUBTFUL, load->t,
            "about t = %.6g the multiplier of %s has a peak inside of a step that the results "
            "do not show: take smaller steps (--rtol, --max-step, --step); if they do not "
            "help, joint forces may have no bound there, as where joints come into line",
            load->t,
            cd_system_multiplier_name(it->system, row_of_peak(load, it->system->m + it->system->l))
                .text);
}

static double allowed_velocity_residual(const cardan_integrator *it)
{
    const double size = fmax(1e-3, fmax(it->health.seen.speed, it->health.seen.turning));
    const cardan_tolerance asked = it->def.control.velocity;
    return it->def.control.adaptive ? asked.absolute + asked.relative * size
                                    : accepted_error * size;
}

/* The residual that index-3 methods leave must not exceed the tolerance of velocities. Rolling and
 * prescribed speeds that are redundant at the start may be contradictions later. */
static void judge_velocities(const cardan_integrator *it, cardan_health *health)
{
    const cd_peak *peak = &it->health.seen.velocity;
    const cd_worst_redundant *worst = &it->watch.velocity;
    const double allowed = allowed_velocity_residual(it);
    const cardan_verdict kept = verdict_of(peak->value / allowed),
                         redundant = verdict_of(worst->residual / allowed);
    if (redundant != CARDAN_GOOD)
        cd_health_add_finding(
            health, CARDAN_CONCERN_CONSTRAINTS, redundant, worst->t,
            "at t = %.6g velocities violate `%s` by %.2g, which was redundant at the "
            "start and now contradicts other constraints: remove one of them",
            worst->t, worst->name, worst->residual);
    if (kept != CARDAN_GOOD)
        cd_health_add_finding(
            health, CARDAN_CONCERN_CONSTRAINTS, kept, peak->t,
            "at t = %.6g velocities violate a constraint by %.2g where the largest "
            "velocity is %.2g: take a smaller step, or ga2s",
            peak->t, peak->value, fmax(it->health.seen.speed, it->health.seen.turning));
}

/* Joints that suddenly change a fast motion: two motions are possible there (as in a flat linkage),
 * and constraints that hold to 1e-12 separate them to 1e-6 only, so rounding decides. */
static void judge_sudden_turns(const cardan_integrator *it, cardan_health *health)
{
    const cd_seen *seen = &it->health.seen;
    const double usual = seen->turned / seen->moving;
    if (!(seen->sharpest.value > CD_SHARP * usual))
        return;
    cd_health_add_finding(
        health, CARDAN_CONCERN_TOLERANCE, CARDAN_DOUBTFUL, seen->sharpest.t,
        "at t = %.6g joint forces turn the motion at once, with accelerations %.2g times "
        "the usual, as where two motions are possible and rounding decides which one it "
        "is; `cardan verify` shows whether another method agrees",
        seen->sharpest.t, seen->sharpest.value / usual);
}

/* ---- energy ---- */

/* The largest kinetic energy or change of potential energy; 0 if too little moves to judge by it.
 */
static double energy_scale(const cardan_integrator *it)
{
    const cd_seen *seen = &it->health.seen;
    const double scale = fmax(seen->kinetic, seen->potential);
    const double speed = fmax(seen->speed, seen->turning);
    const bool rests = speed <= 1e-6 || scale <= 1e-12 * fabs(it->energy_balance.first);
    return rests ? 0.0 : scale;
}

/* Damping takes energy from fast vibrations on purpose: a loss is never more than doubtful.
 * Projections in other norms than that of the mass can put energy in (GO10 Prop. 1). */
static void judge_energy(const cardan_integrator *it, cardan_health *health)
{
    const cd_seen *seen = &it->health.seen;
    const double scale = energy_scale(it);
    const cardan_step_control *asked = &it->def.control;
    const double work_error = 1e-3 * seen->work; /* what the rule for the work may be off by */
    const double allowed =
        doubtful * (asked->adaptive ? fmax(asked->position.relative, asked->velocity.relative)
                                    : accepted_error) +
        work_error / scale;
    const double gained = seen->gained.value / scale, lost = seen->lost.value / scale;
    const double much = fmax(0.1, allowed);
    const double projected = cd_sum_total(it->energy_balance.projection);
    if (!(scale > 0.0))
        return;
    if (!(gained <= allowed))
        cd_health_add_finding(
            health, CARDAN_CONCERN_ENERGY, gained <= much ? CARDAN_DOUBTFUL : CARDAN_WRONG,
            seen->gained.t,
            "up to t = %.6g the method has added %.3g J that no force accounts for, "
            "%.2g of the largest energy of the motion: take smaller steps (--rtol, "
            "--step)",
            seen->gained.t, seen->gained.value, gained);
    else if (!(lost <= fmax(0.05, allowed)))
        cd_health_add_finding(
            health, CARDAN_CONCERN_ENERGY, CARDAN_DOUBTFUL, seen->lost.t,
            "up to t = %.6g the method has taken away %.3g J that no force accounts "
            "for, %.2g of the largest energy of the motion: take smaller steps, or "
            "less damping (--rho) if vibrations matter",
            seen->lost.t, seen->lost.value, lost);
    if (projected > accepted_error * scale)
        cd_health_add_finding(
            health, CARDAN_CONCERN_ENERGY, CARDAN_DOUBTFUL, NAN,
            "projections pumped energy in: %.3g J in all, %.2g of the largest energy of "
            "the motion; project in the norm of the mass (--projection mass), which "
            "cannot add kinetic energy",
            projected, projected / scale);
}

/* Judges reselections: friction in joints depends on the choice of independent rows. */
static void judge_reselections(const cardan_integrator *it, cardan_health *health)
{
    const bool friction = it->system->def.force_depends_on_lambda;
    if (it->counts.reselections > 0)
        cd_health_add_finding(
            health, CARDAN_CONCERN_CONSTRAINTS, friction ? CARDAN_DOUBTFUL : CARDAN_GOOD, NAN,
            "constraints that had been chosen from redundant ones became dependent on "
            "the way; others were chosen %ld time%s%s",
            it->counts.reselections, it->counts.reselections == 1 ? "" : "s",
            friction ? ", and friction in joints follows the loads of those chosen: "
                       "rigid bodies do not determine it; take the redundant "
                       "constraints out of joints with friction (`cardan check` lists "
                       "them)"
                     : "");
}

/* ---- tolerances ---- */

static bool has_finding(const cardan_health *health, cardan_health_concern concern)
{
    for (int i = 0; i < health->count; i++)
        if (health->findings[i].concern == concern)
            return true;
    return false;
}

/* The size to which the error of a variable is compared: the largest value of its kind. */
static double size_of(const cardan_integrator *it, cd_error_kind kind, int i, double most)
{
    const double least_part = 1e-3;
    const cd_seen *seen = &it->health.seen;
    const cardan_system *system = it->system;
    if (kind == CD_ERROR_MULTIPLIER)
        return fmax((double)it->health.alternation[i].size, least_part * most);
    const bool shifts = cd_system_shifts(system, i);
    if (kind == CD_ERROR_VELOCITY)
        return shifts ? seen->speed : seen->turning;
    return shifts ? seen->length : 1.0;
}

/* Fixed steps: the estimated errors, those of adaptive steps, added up over a period. */
static void judge_estimates(const cardan_integrator *it, cardan_health *health)
{
    static const char *const kinds[] = {"the position that belongs to ", "", "the joint force of "};
    /* Errors of a period add up in many of them: to ten times that in random machines. */
    static const double accepted[] = {4e-3, 4e-3, 2e-2};
    const int counts[] = {it->system->k, it->system->k, it->system->m + it->system->l};
    const cardan_tolerance least[] = {it->def.control.position, it->def.control.velocity,
                                      it->def.control.multiplier};
    const cd_estimate *at = it->health.estimates;
    const double most = it->health.seen.force.value;
    cd_worst worst = {0};
    double t = 0.0;
    for (int kind = 0; at != NULL && kind <= CD_ERROR_MULTIPLIER; kind++)
        for (int i = 0; i < counts[kind]; i++, at++) {
            const double size = size_of(it, (cd_error_kind)kind, i, most);
            const double error = (double)at->error / (least[kind].absolute + accepted[kind] * size);
            if (error <= worst.error)
                continue;
            worst = (cd_worst){error, (cd_error_kind)kind, i};
            t = (double)at->t;
        }
    if (worst.error <= 1.0 ||
        has_finding(health, CARDAN_CONCERN_OSCILLATION)) /* that is the cause */
        return;
    cd_health_add_finding(
        health, CARDAN_CONCERN_TOLERANCE, CARDAN_DOUBTFUL, t,
        "fixed steps of %.3g are long for the motion: near t = %.6g the error of %s%s is "
        "about %.2g of its size in a period; take smaller steps, or let the error choose "
        "them (--rtol)",
        it->states[it->current].h, t, kinds[worst.kind], cd_worst_name(it, &worst).text,
        worst.error * accepted[worst.kind]);
}

static void judge_rounding(const cardan_integrator *it, cardan_health *health)
{
    const cd_newton_counts *counts = &it->newton.counts;
    const bool adaptive = it->def.control.adaptive;
    const double asked = adaptive ? it->def.control.multiplier.relative : accepted_error;
    const double error = counts->most_unresolved * it->step.multiplier.relative;
    if (counts->unresolved > 0 && error > asked)
        cd_health_add_finding(
            health, CARDAN_CONCERN_ROUNDING, CARDAN_DOUBTFUL, NAN,
            "%ld solves ended on rounding errors of up to %.2g of the joint forces, as "
            "they do next to a singular configuration: forces there may have no "
            "correct digit; `cardan check` looks for such configurations",
            counts->unresolved, error);
    else if (adaptive && it->counts.rounding > 1.0)
        cd_health_add_finding(
            health, CARDAN_CONCERN_ROUNDING,
            it->counts.rounding > doubtful ? CARDAN_DOUBTFUL : CARDAN_GOOD, NAN,
            "the tolerance of joint forces is limited by rounding: errors reach about "
            "%.2g times it; %sgive forces a larger one (--rtol Q,V,L)",
            it->counts.rounding, it->scheme->settles_hidden ? "use --method ga2s, or " : "");
}

/* An absolute tolerance so large that it leaves less than two digits of any value. */
static void judge_absolute(const cardan_integrator *it, cardan_health *health)
{
    const double digits = 1e-2, nothing = 1e-9;
    const cardan_step_control *control = &it->def.control;
    const double length = it->health.seen.length;
    const double force = it->health.seen.force.value;
    if (!control->adaptive || !it->def.health)
        return;
    if (control->positions == NULL && length > nothing &&
        control->position.absolute > digits * length)
        cd_health_add_finding(
            health, CARDAN_CONCERN_TOLERANCE, CARDAN_DOUBTFUL, NAN,
            "no coordinate is larger than %.2g, so the absolute tolerance %.2g of "
            "positions asks for hardly a digit: give a smaller one (--atol %.0e)",
            length, control->position.absolute, 1e-4 * length);
    if (control->multipliers == NULL && force > nothing &&
        control->multiplier.absolute > digits * force)
        cd_health_add_finding(
            health, CARDAN_CONCERN_TOLERANCE, CARDAN_DOUBTFUL, NAN,
            "no multiplier is larger than %.2g, so the absolute tolerance %.2g of "
            "joint forces asks for hardly a digit: give a smaller one (--atol Q,V,L)",
            force, control->multiplier.absolute);
}

static void judge_stiffness(const cardan_integrator *it, cardan_health *health)
{
    if (it->counts.outpaced_steps > it->counts.steps / 2)
        cd_health_add_finding(
            health, CARDAN_CONCERN_SPEED, CARDAN_GOOD, NAN,
            "%s: %ld of %ld steps were held down by fast modes that are a small part of "
            "the motion: the system is stiff, and --method ga2s is cheaper",
            it->def.method, it->counts.outpaced_steps, it->counts.steps);
}

/* ---- oscillation ---- */

static const char *cure_of_oscillation(const cardan_integrator *it)
{
    if (it->def.experimental.start == CARDAN_START_PLAIN)
        return "the plain start causes this; use --start perturbed";
    if (it->def.experimental.start == CARDAN_START_ACCELERATION && it->scheme->settles_hidden)
        return "the start of the acceleration alone causes this; use --start perturbed";
    return "take smaller steps, more damping (a smaller --rho) or ga2s";
}

/* Judges the worst alternation of a multiplier, relative to its size (or a part of the largest). */
static void judge_oscillation(const cardan_integrator *it, cardan_health *health)
{
    const double least_part = 1e-3, worth_telling = 0.01;
    const int count = it->system->m + it->system->l;
    const cd_alternation *list = it->health.alternation;
    const double largest = it->health.seen.force.value;
    double worst = 0.0;
    int row = -1;
    for (int i = 0; list != NULL && i < count; i++) {
        const double size = fmax((double)list[i].size, least_part * largest);
        if (size > 0.0 && (double)list[i].amplitude > worst * size) {
            worst = (double)list[i].amplitude / size;
            row = i;
        }
    }
    if (row < 0 || worst <= worth_telling)
        return;
    cd_health_add_finding(
        health, CARDAN_CONCERN_OSCILLATION, CARDAN_DOUBTFUL, it->health.seen.alternates,
        "spurious oscillation: near t = %.6g the multiplier of %s goes up and down with "
        "every step by %.2g, "
        "%.2g of its largest value: %s",
        it->health.seen.alternates, cd_system_multiplier_name(it->system, row).text,
        (double)list[row].amplitude, worst, cure_of_oscillation(it));
}

/* ---- the start ---- */

static void judge_start(const cardan_integrator *it, cardan_health *health)
{
    const cd_seen *seen = &it->health.seen;
    if (seen->moved_q > 0.0 || seen->moved_v > 0.0)
        cd_health_add_finding(health, CARDAN_CONCERN_START, CARDAN_GOOD, NAN,
                              "the initial values were made consistent with group and constraints: "
                              "positions were moved by up to %.3g, velocities by up to %.3g",
                              seen->moved_q, seen->moved_v);
}

cardan_status cardan_integrator_health(const cardan_integrator *integrator, cardan_health *health)
{
    const cardan_integrator *it = integrator;
    if (it == NULL || health == NULL)
        return CARDAN_INVALID_ARGUMENT;
    const cd_seen *seen = &it->health.seen;
    *health =
        (cardan_health){.position = fmax(seen->position.value, it->watch.position.residual),
                        .velocity = fmax(seen->velocity.value, it->watch.velocity.residual),
                        .midstep = seen->midstep.value,
                        .energy = seen->energy,
                        .unaccounted = seen->gained.value > seen->lost.value ? seen->gained.value
                                                                             : -seen->lost.value};
    if (!it->started)
        return CARDAN_NOT_STARTED;
    judge_start(it, health);
    judge_rounding(it, health);
    judge_stiffness(it, health);
    judge_reselections(it, health);
    if (it->def.health) {
        judge_positions(it, health);
        judge_midstep(it, health);
        judge_sudden_turns(it, health);
        judge_velocities(it, health);
        judge_energy(it, health);
        judge_absolute(it, health);
        judge_oscillation(it, health);
        judge_estimates(it, health);
    }
    return CARDAN_OK;
}
