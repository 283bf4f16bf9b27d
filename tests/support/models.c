/* Random models and points of them. */
#include "models.h"

#include "group/vec3.h"
#include "matrices.h"
#include "suite.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

cardan_model *new_model(void)
{
    cardan_model *model = NULL;
    ck_assert_int_eq(cardan_model_create(&model, NULL), CARDAN_OK);
    return model;
}

void random_quaternion(unsigned *seed, double q[4])
{
    double square;
    do {
        random_vector(seed, 4, q);
        square = q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3];
    } while (square < 0.1);
}

void random_turn_about_z(unsigned *seed, double q[4])
{
    const double angle = 3.0 * random_number(seed);
    q[0] = cos(0.5 * angle);
    q[1] = q[2] = 0.0;
    q[3] = sin(0.5 * angle);
}

static void choose_kind(cardan_body_def *def, int kind)
{
    static const cardan_body_form forms[] = {[KIND_SPATIAL] = CARDAN_FORM_SPATIAL,
                                             [KIND_BODY] = CARDAN_FORM_BODY,
                                             [KIND_SE3] = CARDAN_FORM_SE3};
    if (kind == KIND_PLANAR)
        def->type = CARDAN_BODY_PLANAR;
    else if (kind == KIND_POINT)
        def->type = CARDAN_BODY_POINT;
    else
        def->form = forms[kind];
}

cardan_body_def random_body(unsigned *seed, int kind)
{
    cardan_body_def def = cardan_body_def_default();
    choose_kind(&def, kind);
    def.mass = 1.5 + random_number(seed);
    random_vector(seed, 3, def.center_of_mass);
    const double a = 1.5 + random_number(seed), b = 1.5 + random_number(seed);
    def.inertia[0] = a;
    def.inertia[1] = b;
    def.inertia[2] = fabs(a - b) + 0.6 * (a + b - fabs(a - b));
    random_quaternion(seed, def.inertia_axes);
    random_vector(seed, 3, def.position);
    random_quaternion(seed, def.orientation);
    random_vector(seed, 3, def.velocity);
    random_vector(seed, 3, def.angular_velocity);
    if (kind == KIND_PLANAR)
        def.velocity[2] = def.angular_velocity[0] = def.angular_velocity[1] = 0.0;
    return def;
}

cardan_frame frame_at(const cardan_body_def *body, const double place[3], const double turn[4])
{
    cardan_frame frame;
    double R[9], arm[3],
        back[4] = {body->orientation[0], -body->orientation[1], -body->orientation[2],
                   -body->orientation[3]};
    cd_unit_quaternion_matrix(body->orientation, R);
    for (int i = 0; i < 3; i++)
        arm[i] = place[i] - body->position[i];
    cd_apply_transposed3(R, arm, frame.position);
    cd_quaternion_product(back, turn, frame.orientation);
    return frame;
}

model_point random_point(unsigned *seed, const cardan_model *model)
{
    const cardan_system *system = cardan_model_system(model);
    const cardan_group *group = cardan_system_describe(system).group;
    const int k = cardan_system_describe(system).dof,
              m = cardan_system_describe(system).constraint_count;
    const int l = cardan_system_describe(system).nonholonomic_count,
              size = cardan_group_size(group);
    const int count = 2 * size + 3 * k + m + l;
    model_point point = {{0}, calloc((size_t)count + 1, sizeof(double))};
    ck_assert_ptr_nonnull(point.numbers);
    double *start = point.numbers, *q = start + size, *v = q + size, *move = v + k;
    double *vdot = move + k, *lambda = vdot + k, *psi = lambda + m;
    cardan_model_initial(model, start, v);
    random_vector(seed, k, move);
    cardan_group_update(group, start, move, q);
    random_vector(seed, k, v);
    random_vector(seed, k, vdot);
    random_vector(seed, m, lambda);
    random_vector(seed, l, psi);
    for (int i = 0; i < m; i++)
        lambda[i] *= 3.0;
    point.at = (cardan_point){random_number(seed), q, v, vdot, lambda, psi};
    return point;
}

void free_point(model_point *point)
{
    free(point->numbers);
}

void expect_derivatives(cardan_model *model, unsigned seed, const char *what)
{
    if (cardan_model_system(model) == NULL)
        CHECK_MODEL(model, cardan_model_build(model));
    for (int trial = 0; trial < 4; trial++) {
        cardan_error error;
        model_point point = random_point(&seed, model);
        const cardan_status status =
            cardan_system_check(cardan_model_system(model), &point.at, 0.0, &error);
        ck_assert_msg(status == CARDAN_OK, "%s: %s", what, error.text);
        free_point(&point);
    }
}

cardan_integrator *start_model(const cardan_model *model, const cardan_integrator_def *def)
{
    const cardan_system *system = cardan_model_system(model);
    double *q = calloc((size_t)cardan_group_size(cardan_system_describe(system).group), sizeof *q);
    double *v = calloc((size_t)cardan_system_describe(system).dof, sizeof *v);
    cardan_error error;
    cardan_integrator *it = NULL;
    ck_assert(q != NULL && v != NULL);
    cardan_model_initial(model, q, v);
    cardan_status status = cardan_integrator_create(&it, system, def, &error);
    ck_assert_msg(status == CARDAN_OK, "%s", error.text);
    status = cardan_integrator_start(it, 0.0, q, v);
    ck_assert_msg(status == CARDAN_OK, "%s", cardan_integrator_message(it));
    free(q);
    free(v);
    return it;
}

int put_body(cardan_model *model, cardan_body_def def)
{
    int number = -1;
    CHECK_MODEL(model, cardan_model_add_body(model, &def, &number));
    return number;
}

int put_joint(cardan_model *model, cardan_joint_def def)
{
    int number = -1;
    CHECK_MODEL(model, cardan_model_add_joint(model, &def, &number));
    return number;
}

cardan_model *model_with_gravity(const double gravity[3])
{
    cardan_model *model = new_model();
    CHECK_MODEL(model, cardan_model_set_gravity(model, gravity));
    return model;
}

cardan_point point_of_run(const cardan_integrator *it)
{
    const cardan_state *s = cardan_integrator_state(it);
    return (cardan_point){s->t, s->q, s->v, s->vdot, s->lambda, s->psi};
}
