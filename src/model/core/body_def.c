/* Adding a body to a model: checks of its definition, and inertia about the centre of mass. */
#include "model.h"

#include "linalg/dense.h"

enum { COOKIE = 0x0CA2DAB0 };

cardan_body_def cardan_body_def_default(void)
{
    return (cardan_body_def){
        .cookie = COOKIE,
        .inertia_at_com = true,
        .inertia_axes = {1.0, 0.0, 0.0, 0.0},
        .orientation = {1.0, 0.0, 0.0, 0.0},
    };
}

static cardan_status check_numbers(cardan_model *model, const char *name,
                                   const cardan_body_def *def)
{
    const struct {
        const char *what;
        const double *x;
        int n;
    } list[] = {
        {"mass", &def->mass, 1},
        {"center_of_mass", def->center_of_mass, 3},
        {"inertia", def->inertia, 6},
        {"inertia_at", def->inertia_at, 3},
        {"inertia_axes", def->inertia_axes, 4},
        {"position", def->position, 3},
        {"orientation", def->orientation, 4},
        {"velocity", def->velocity, 3},
        {"angular_velocity", def->angular_velocity, 3},
    };
    for (size_t i = 0; i < sizeof list / sizeof list[0]; i++) {
        const int bad = cd_first_not_finite(list[i].n, list[i].x);
        if (bad >= 0)
            return cd_invalid(&model->error,
                              "body `%s`: number %d of %s is %g; give a finite number", name,
                              bad + 1, list[i].what, list[i].x[bad]);
    }
    if (def->mass < 0.0)
        return cd_invalid(&model->error, "body `%s`: the mass is %g; it may not be negative", name,
                          def->mass);
    if (!(cd_max_abs(4, def->orientation) > 0.0) || !(cd_max_abs(4, def->inertia_axes) > 0.0))
        return cd_invalid(&model->error,
                          "body `%s`: a quaternion is zero; (1, 0, 0, 0) stands for no rotation",
                          name);
    return CARDAN_OK;
}

/* Checks that principal moments are not negative, and that none exceeds the sum of the others. */
static cardan_status check_inertia(cardan_model *model, const char *name, const cd_body *body)
{
    double axes[9], moment[3];
    cd_arena scratch;
    cd_arena_init(&scratch, &model->allocator);
    cd_copy(9, body->body_kind->inertia, axes);
    const bool found = cd_symmetric_eigen(&scratch, 3, axes, moment);
    cd_arena_destroy(&scratch);
    if (!found)
        return cd_model_exhausted(model);
    const double tolerance = 1e-9 * fabs(moment[2]);
    if (moment[0] < -tolerance)
        return cd_invalid(
            &model->error,
            "body `%s`: the inertia about the centre of mass has the negative principal moment %g "
            "(the others: %g, %g); check its entries and the point it is given for",
            name, moment[0], moment[1], moment[2]);
    if (moment[2] > moment[0] + moment[1] + tolerance)
        return cd_invalid(&model->error,
                          "body `%s`: no body has the principal moments of inertia %g, %g, %g: the "
                          "largest exceeds the sum of the others",
                          name, moment[0], moment[1], moment[2]);
    return CARDAN_OK;
}

/* Checks velocities and inertia of a planar body, of which only the moment about z counts. */
static cardan_status check_planar(cardan_model *model, const char *name, const cd_body *body)
{
    const cd_initial_motion *initial_motion = body->initial_motion;
    const double moment = cd_planar_inertia(body);
    if (initial_motion->velocity[2] != 0.0 || initial_motion->angular_velocity[0] != 0.0 ||
        initial_motion->angular_velocity[1] != 0.0)
        return cd_invalid(&model->error,
                          "planar body `%s` moves parallel to the x-y plane: its velocity along z "
                          "and its angular velocity about x and y must be zero",
                          name);
    if (moment < 0.0)
        return cd_invalid(&model->error,
                          "planar body `%s`: the moment of inertia about z through the centre of "
                          "mass is %g; it may not be negative",
                          name, moment);
    return CARDAN_OK;
}

/* Splits the initial pose of a planar body: angle about z, rotation at angle 0, and height. */
static cardan_status set_planar_pose(cardan_model *model, const char *name,
                                     cd_initial_motion *initial_motion, cd_body *body)
{
    const double *q = initial_motion->orientation;
    double R[9], arm[3];
    cd_unit_quaternion_matrix(q, R);
    body->initial_angle[0] = 2.0 * atan2(q[3], q[0]);
    const double c = cos(body->initial_angle[0]), s = sin(body->initial_angle[0]);
    const double inverse[9] = {c, s, 0.0, -s, c, 0.0, 0.0, 0.0, 1.0};
    cd_product3(inverse, R, initial_motion->rotation_at_zero);
    cd_apply3(R, body->body_kind->center_of_mass, arm);
    body->height = body->position[2] + arm[2];
    return check_planar(model, name, body);
}

static cardan_status choose_form(cardan_model *model, const char *name, const cardan_body_def *def,
                                 cd_body *body)
{
    static const cd_form *const rigid[] = {[CARDAN_FORM_SPATIAL] = &cd_form_spatial,
                                           [CARDAN_FORM_BODY] = &cd_form_body,
                                           [CARDAN_FORM_SE3] = &cd_form_se3};
    switch (def->type) {
    case CARDAN_BODY_RIGID:
        if ((unsigned)def->form >= sizeof rigid / sizeof rigid[0])
            break;
        body->form = rigid[def->form];
        return CARDAN_OK;
    case CARDAN_BODY_POINT:
        body->form = &cd_form_point;
        return CARDAN_OK;
    case CARDAN_BODY_PLANAR:
        body->form = &cd_form_planar;
        return CARDAN_OK;
    }
    return cd_invalid(&model->error, "body `%s`: there is no such type or form (%d, %d)", name,
                      (int)def->type, (int)def->form);
}

/* Checks a definition; fills all of `body` but its name, and the data that it points to. */
static cardan_status fill_body(cardan_model *model, const char *name, const cardan_body_def *def,
                               cd_body_kind *body_kind, cd_initial_motion *initial_motion,
                               cd_body *body)
{
    cardan_status status = choose_form(model, name, def, body);
    if (status == CARDAN_OK)
        status = check_numbers(model, name, def);
    if (status != CARDAN_OK)
        return status;
    body_kind->mass = def->mass;
    cd_copy(3, def->center_of_mass, body_kind->center_of_mass);
    cd_copy(3, def->position, body->position);
    cd_copy(4, def->orientation, initial_motion->orientation);
    cd_copy(3, def->velocity, initial_motion->velocity);
    cd_copy(3, def->angular_velocity, initial_motion->angular_velocity);
    if (body->form == &cd_form_point) {
        cd_unit_quaternion_matrix(initial_motion->orientation, initial_motion->rotation_at_zero);
        return CARDAN_OK;
    }
    cd_body_central_inertia(def, body_kind->inertia);
    return body->form == &cd_form_planar ? set_planar_pose(model, name, initial_motion, body)
                                         : check_inertia(model, name, body);
}

/* Replaces body_kind and initial_motion by the model's copies, which equal bodies share. */
static cardan_status share_common_data(cardan_model *model, cd_body_kind *body_kind,
                                       const cd_initial_motion *initial_motion, cd_body *body)
{
    cardan_body_def *def = &body_kind->def;
    def->name = NULL;
    cd_zero(3, def->position);
    cd_zero(4, def->orientation);
    cd_zero(3, def->velocity);
    cd_zero(3, def->angular_velocity);
    body->body_kind = cd_model_share(model, body_kind, sizeof *body_kind);
    body->initial_motion = cd_model_share(model, initial_motion, sizeof *initial_motion);
    return body->body_kind != NULL && body->initial_motion != NULL ? CARDAN_OK
                                                                   : cd_model_exhausted(model);
}

cardan_status cd_body_check_cookie(const cardan_body_def *def, cardan_error *error)
{
    if (def != NULL && def->cookie == COOKIE)
        return CARDAN_OK;
    return cd_fail(error, CARDAN_UNINITIALISED,
                   "the definition was not made by cardan_body_def_default()");
}

cardan_status cardan_model_add_body(cardan_model *model, const cardan_body_def *def, int *number)
{
    cardan_status status = cd_model_check_unbuilt(model);
    if (status == CARDAN_OK)
        status = cd_body_check_cookie(def, &model->error);
    if (status != CARDAN_OK)
        return status;
    cd_body_kind body_kind = {.def = *def};
    cd_initial_motion initial_motion = {.rotation_at_zero = {0.0}};
    cd_body body = {.body_kind = &body_kind, .initial_motion = &initial_motion};
    status = cd_model_make_name(model, "body", &model->body_names, def->name, &body.name);
    if (status == CARDAN_OK)
        status = fill_body(model, body.name, def, &body_kind, &initial_motion, &body);
    if (status == CARDAN_OK)
        status = share_common_data(model, &body_kind, &initial_motion, &body);
    if (status != CARDAN_OK)
        return status;
    cd_body *bodies = cd_grow(&model->allocator, model->body, model->bodies, &model->body_capacity,
                              sizeof *bodies);
    if (bodies == NULL)
        return cd_model_exhausted(model);
    model->body = bodies;
    if (!cd_index_add(&model->body_names, body.name))
        return cd_model_exhausted(model);
    model->body[model->bodies] = body;
    if (number != NULL)
        *number = model->bodies;
    model->bodies++;
    return CARDAN_OK;
}
