/* Dense output in the steps of an explicit method (docs/methods/rk5.md), from their ends alone.
 *
 * With s = (t - t_n) / h in [0, 1]: q = q_n exp(p(s)), p the polynomial of degree 5 in the algebra
 * at q_n with the values, first and second derivatives that q, v and v' at both ends give (T(p) p'
 * = h v); v = T(p) p' / h; v', lambda and psi from the equations of motion there. */
#include "integrator.h"

#include "base/numeric.h"

/* The weights of p(1), p'(0), p'(1), p''(0) and p''(1) in the polynomial p; p(0) is 0. */
typedef struct quintic_weights {
    double end, slope0, slope1, bend0, bend1;
} quintic_weights;

/* The weights that give p(s). */
static quintic_weights quintic_weights_at(double s)
{
    const double s2 = s * s, s3 = s2 * s, s4 = s2 * s2, s5 = s4 * s;
    return (quintic_weights){10.0 * s3 - 15.0 * s4 + 6.0 * s5, s - 6.0 * s3 + 8.0 * s4 - 3.0 * s5,
                             -4.0 * s3 + 7.0 * s4 - 3.0 * s5, 0.5 * (s2 - 3.0 * s3 + 3.0 * s4 - s5),
                             0.5 * s3 - s4 + 0.5 * s5};
}

/* The weights that give p'(s). */
static quintic_weights quintic_slope_weights_at(double s)
{
    const double s2 = s * s, s3 = s2 * s, s4 = s2 * s2;
    return (quintic_weights){30.0 * s2 - 60.0 * s3 + 30.0 * s4,
                             1.0 - 18.0 * s2 + 32.0 * s3 - 15.0 * s4,
                             -12.0 * s2 + 28.0 * s3 - 15.0 * s4, s - 4.5 * s2 + 6.0 * s3 - 2.5 * s4,
                             1.5 * s2 - 4.0 * s3 + 2.5 * s4};
}

/* p at the end of the step and its derivatives, k numbers each, in cd_step.work. */
typedef struct end_derivatives {
    double h;
    const cd_state *old;
    double *end, *slope, *bend;
    double *shifted, *transformed; /* scratch */
} end_derivatives;

/* p'' = h^2 T(p)^-1 v' + h (d/ds T(p)^-1) v, the second term by fourth-order differences along p'.
 * Their error is far below that of the polynomial. */
static void find_second_derivative(const cardan_group *group, const cd_state *now,
                                   end_derivatives *e)
{
    enum { POINTS = 4 };
    static const double shift[POINTS] = {-2e-2, -1e-2, 1e-2, 2e-2};
    static const double weight[POINTS] = {1.0 / 0.12, -8.0 / 0.12, 8.0 / 0.12, -1.0 / 0.12};
    const int k = cardan_group_dof(group);
    cardan_group_tangent(group, CARDAN_TANGENT_INVERSE, e->end, now->vdot, e->bend);
    for (int i = 0; i < k; i++)
        e->bend[i] *= e->h * e->h;
    for (int point = 0; point < POINTS; point++) {
        cd_copy(k, e->end, e->shifted);
        cd_add(k, shift[point], e->slope, e->shifted);
        cardan_group_tangent(group, CARDAN_TANGENT_INVERSE, e->shifted, now->v, e->transformed);
        cd_add(k, weight[point] * e->h, e->transformed, e->bend);
    }
}

/* Finds what the polynomial p needs of both ends of a step. */
static end_derivatives find_end_derivatives(cardan_integrator *it, const cd_interpolated_step *over)
{
    const cardan_group *group = it->system->group;
    const int k = it->system->k;
    double *work = it->step.work;
    end_derivatives e = {.h = over->now->t - over->old->t,
                         .old = over->old,
                         .end = work,
                         .slope = work + k,
                         .bend = work + 2 * k,
                         .shifted = work + 3 * k,
                         .transformed = work + 4 * k};
    cardan_group_difference(group, over->old->q, over->now->q, e.end);
    cardan_group_tangent(group, CARDAN_TANGENT_INVERSE, e.end, over->now->v, e.slope);
    for (int i = 0; i < k; i++)
        e.slope[i] *= e.h;
    find_second_derivative(group, over->now, &e);
    return e;
}

/* Combines the five values of both ends with the weights of the polynomial or its slope. */
static void evaluate_quintic(const end_derivatives *e, quintic_weights c, int k, double *out)
{
    for (int i = 0; i < k; i++)
        out[i] = c.end * e->end[i] + e->h * c.slope0 * e->old->v[i] + c.slope1 * e->slope[i] +
                 e->h * e->h * c.bend0 * e->old->vdot[i] + c.bend1 * e->bend[i];
}

/* A polynomial of degree 4 for v at s, through v and v' of both ends and v' of the state before. */
typedef struct quartic {
    double c[5];
} quartic;

/* The polynomial of velocity i in the step `over`. */
static quartic velocity_quartic(const cd_interpolated_step *over, int i)
{
    const cd_state *old = over->old, *now = over->now;
    const double h = now->t - old->t, back = (old->t - over->before->t) / h;
    const double change = now->v[i] - old->v[i];
    const double bend0 = h * old->vdot[i], bend1 = h * now->vdot[i];
    const double c2 = 3.0 * change - 2.0 * bend0 - bend1, c3 = bend0 + bend1 - 2.0 * change;
    const double missed =
        h * over->before->vdot[i] - (bend0 - 2.0 * c2 * back + 3.0 * c3 * back * back);
    /* the last term is c4 s^2 (1 - s)^2 */
    const double c4 = -missed / (2.0 * back * (1.0 + back) * (1.0 + 2.0 * back));
    return (quartic){{old->v[i], bend0, c2, c3, c4}};
}

/* A bound of the fourth derivative of a smooth motion, in units of c4, from the polynomial's own
 * and from its lower derivatives, (v''')^2 / v''. */
static double bound_fourth_derivative(const quartic *p)
{
    const double third = fabs(6.0 * p->c[3]), second = fabs(2.0 * p->c[2] + 3.0 * p->c[3]);
    const double ratio = second > 0.0 ? fmin(3.0, third / second) : 3.0;
    return 3.0 * fabs(p->c[4]) + third * ratio / 8.0;
}

/* Limits the distance of v from the polynomials above to what their fourth derivatives allow: the
 * slope of p divides errors of stiff modes in q by h, and dampers would turn that into forces. */
static void limit_velocity(const cd_interpolated_step *over, double s, int k, double *v)
{
    const double s2 = s * s, bubble = s2 * (1.0 - s) * (1.0 - s);
    double most = 0.0;
    for (int i = 0; i < k; i++) {
        const quartic p = velocity_quartic(over, i);
        most = fmax(most, bubble * bound_fourth_derivative(&p));
    }
    for (int i = 0; i < k; i++) {
        const quartic p = velocity_quartic(over, i);
        const double *c = p.c, smooth = c[0] + c[1] * s + c[2] * s2 + c[3] * s2 * s + c[4] * bubble;
        v[i] = fmax(smooth - most, fmin(smooth + most, v[i]));
    }
}

/* Interpolates q and v at s. */
static void interpolate_motion(cardan_integrator *it, const cd_interpolated_step *over, double s,
                               double *q, double *v)
{
    const int k = it->system->k;
    end_derivatives e = find_end_derivatives(it, over);
    double *p = e.shifted, *slope = e.transformed;
    evaluate_quintic(&e, quintic_weights_at(s), k, p);
    evaluate_quintic(&e, quintic_slope_weights_at(s), k, slope);
    cardan_group_update(it->system->group, over->old->q, p, q);
    cardan_group_tangent(it->system->group, CARDAN_TANGENT, p, slope, v);
    for (int i = 0; i < k; i++)
        v[i] /= e.h;
    if (over->before != NULL)
        limit_velocity(over, s, k, v);
}

/* Finds the state at out->t; accelerations and multipliers only if they are wanted. */
static cardan_status find_state_at(cardan_integrator *it, const cd_interpolated_step *over,
                                   bool wanted, const cd_state *out)
{
    const double s = (out->t - over->old->t) / (over->now->t - over->old->t);
    const cardan_point at = cd_state_point(out);
    interpolate_motion(it, over, s, out->q, out->v);
    return wanted ? cd_consistent_accelerations(it->modes[over->mode].consistent, &at, out->vdot,
                                                out->lambda, out->psi)
                  : CARDAN_OK;
}

cardan_status cd_explicit_dense_at(cardan_integrator *it, const cd_interpolated_step *over,
                                   const cd_state *out)
{
    const bool wanted = out->vdot != NULL || out->lambda != NULL || out->psi != NULL;
    const cd_state found = cd_dense_scratch_state(it, over, out->t);
    const cardan_status status = find_state_at(it, over, wanted, &found);
    const cd_state moved = {.q = out->q, .v = out->v};
    cd_dense_copy_wanted(it->modes[over->mode].system, &found, status == CARDAN_OK ? out : &moved);
    return status;
}

cardan_status cd_explicit_middle_power(cardan_integrator *it, double *power)
{
    const cd_state *old = it->step.old, *next = it->step.next;
    const cd_interpolated_step over = {.mode = it->mode, .old = old, .now = next};
    const cd_state middle = cd_dense_scratch_state(it, &over, 0.5 * (old->t + next->t));
    const cardan_status status = find_state_at(it, &over, true, &middle);
    const cardan_point at = cd_state_point(&middle);
    return status == CARDAN_OK ? cd_system_power(it->ws, &at, power) : status;
}
