/* Adding a body: its definition is checked, and mass and inertia brought to the centre of mass. */
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

/* Principal moments are not negative, and none exceeds the sum of the other two. */
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

/* Of the inertia only the moment about z counts, and often nothing else is given. */
static cardan_status check_planar(cardan_model *model, const char *name, const cd_body *body)
{
    const cd_initial_motion *outset = body->outset;
    const double moment = cd_planar_inertia(body);
    if (outset->velocity[2] != 0.0 || outset->angular_velocity[0] != 0.0 ||
        outset->angular_velocity[1] != 0.0)
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

/* The angle about z, what is left of the orientation, and the height. */
static cardan_status make_planar(cardan_model *model, const char *name, cd_initial_motion *outset,
                                 cd_body *body)
{
    const double *q = outset->orientation;
    double R[9], arm[3];
    cd_unit_quaternion_matrix(q, R);
    body->start[0] = 2.0 * atan2(q[3], q[0]);
    const double c = cos(body->start[0]), s = sin(body->start[0]);
    const double back[9] = {c, s, 0.0, -s, c, 0.0, 0.0, 0.0, 1.0};
    cd_product3(back, R, outset->attitude);
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

/* Fills all but name and coordinates; `matter` and `outset` are the body's. */
static cardan_status make_body(cardan_model *model, const char *name, const cardan_body_def *def,
                               cd_body_kind *body_kind, cd_initial_motion *outset, cd_body *body)
{
    cardan_status status = choose_form(model, name, def, body);
    if (status == CARDAN_OK)
        status = check_numbers(model, name, def);
    if (status != CARDAN_OK)
        return status;
    body_kind->mass = def->mass;
    cd_copy(3, def->center_of_mass, body_kind->center_of_mass);
    cd_copy(3, def->position, body->position);
    cd_copy(4, def->orientation, outset->orientation);
    cd_copy(3, def->velocity, outset->velocity);
    cd_copy(3, def->angular_velocity, outset->angular_velocity);
    if (body->form == &cd_form_point) {
        cd_unit_quaternion_matrix(outset->orientation, outset->attitude);
        return CARDAN_OK;
    }
    cd_body_central_inertia(def, body_kind->inertia);
    return body->form == &cd_form_planar ? make_planar(model, name, outset, body)
                                         : check_inertia(model, name, body);
}

/* What other bodies may have, too. */
static cardan_status keep_common(cardan_model *model, cd_body_kind *body_kind,
                                 const cd_initial_motion *outset, cd_body *body)
{
    cardan_body_def *def = &body_kind->def;
    def->name = NULL;
    cd_zero(3, def->position);
    cd_zero(4, def->orientation);
    cd_zero(3, def->velocity);
    cd_zero(3, def->angular_velocity);
    body->body_kind = cd_model_share(model, body_kind, sizeof *body_kind);
    body->outset = cd_model_share(model, outset, sizeof *outset);
    return body->body_kind != NULL && body->outset != NULL ? CARDAN_OK : cd_model_exhausted(model);
}

cardan_status cd_body_check_made(const cardan_body_def *def, cardan_error *error)
{
    if (def != NULL && def->cookie == COOKIE)
        return CARDAN_OK;
    return cd_fail(error, CARDAN_UNINITIALISED,
                   "the definition was not made by cardan_body_def_default()");
}

cardan_status cardan_model_add_body(cardan_model *model, const cardan_body_def *def, int *number)
{
    cardan_status status = cd_model_open(model);
    if (status == CARDAN_OK)
        status = cd_body_check_made(def, &model->error);
    if (status != CARDAN_OK)
        return status;
    cd_body_kind body_kind = {.def = *def};
    cd_initial_motion outset = {.attitude = {0.0}};
    cd_body body = {.body_kind = &body_kind, .outset = &outset};
    status = cd_model_name(model, "body", &model->body_names, def->name, &body.name);
    if (status == CARDAN_OK)
        status = make_body(model, body.name, def, &body_kind, &outset, &body);
    if (status == CARDAN_OK)
        status = keep_common(model, &body_kind, &outset, &body);
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
