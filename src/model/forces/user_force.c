/* A force from the user's callback, which sees both frames as bodies: places, axes and velocities
 * of frame 1 and frame 2. Its derivatives are central differences over the 12 displacements and
 * velocities. */
#include "force.h"
#include "model/elements/measure.h"

typedef struct user {
    cd_marker marker[2];
    cardan_force_callback *call;
    void *context;
} user;

static cardan_body_state state_of(const cd_marker_place *place)
{
    cardan_body_state state;
    cd_copy(3, place->p, state.position);
    cd_copy(9, place->axes, state.rotation);
    cd_copy(3, place->v, state.velocity);
    cd_copy(3, place->w, state.angular_velocity);
    return state;
}

static int call(const user *self, double t, const cd_site site[2], double f[CD_PAIR])
{
    cd_marker_place place[2];
    cardan_body_state state[2];
    double force[2][3] = {{0}}, moment[2][3] = {{0}};
    for (int i = 0; i < 2; i++) {
        cd_marker_at(&self->marker[i], &site[i], &place[i]);
        state[i] = state_of(&place[i]);
    }
    const int status = self->call(self->context, t, &state[0], &state[1], force[0], moment[0],
                                  force[1], moment[1]);
    for (int i = 0; i < 2; i++) {
        double lever[3];
        cd_cross(place[i].arm, force[i], lever);
        for (int j = 0; j < 3; j++) {
            f[CD_SITE * i + j] = force[i][j];
            f[CD_SITE * i + 3 + j] = moment[i][j] + lever[j];
        }
    }
    return status;
}

static int value(const void *self, const cd_place *at, double *f)
{
    return call(self, at->t, at->site, f);
}

/* A site displaced by `step` in one of its six directions. */
static void displace(cd_site *site, int entry, double step)
{
    double turn[3] = {0}, increment[9], change[9];
    if (entry < 3) {
        site->r[entry] += step;
        return;
    }
    turn[entry - 3] = step;
    cd_rotation_increment(turn, increment);
    cd_product3(increment, site->R, change);
    cd_add(9, 1.0, change, site->R);
}

static void speed_up(cd_site *site, int entry, double step)
{
    (entry < 3 ? site->u : site->w)[entry % 3] += step;
}

static double width(const cd_site *site, int entry, bool speed)
{
    const double *x = speed ? (entry < 3 ? site->u : site->w) : site->r;
    const double size = !speed && entry >= 3 ? 1.0 : fmax(1.0, cd_max_abs(3, x));
    return 1e-5 * size; /* balances rounding and the third derivative */
}

static int difference(const user *self, const cd_place *at, bool speed, double *out)
{
    for (int column = 0; column < CD_PAIR; column++) {
        const int body = column / CD_SITE, entry = column % CD_SITE;
        const double step = width(&at->site[body], entry, speed);
        for (int sign = -1; sign <= 1; sign += 2) {
            cd_site site[2] = {at->site[0], at->site[1]};
            double f[CD_PAIR];
            (speed ? speed_up : displace)(&site[body], entry, sign * step);
            const int status = call(self, at->t, site, f);
            if (status != 0)
                return status;
            for (int row = 0; row < CD_PAIR; row++)
                out[row * CD_PAIR + column] += sign * f[row] / (2.0 * step);
        }
    }
    return 0;
}

static int value_dx(const void *self, const cd_place *at, double *out)
{
    return difference(self, at, false, out);
}

static int value_dw(const void *self, const cd_place *at, double *out)
{
    return difference(self, at, true, out);
}

static const cd_element_type type = {.name = "user force",
                                     .calls_user = true,
                                     .force = value,
                                     .force_dx = value_dx,
                                     .force_dw = value_dw};

static cardan_status check(const cardan_force_def *def, cardan_error *error)
{
    if (def->user == NULL)
        return cd_fail(error, CARDAN_MISSING_CALLBACK, "a user force needs its callback `user`");
    return CARDAN_OK;
}

static cardan_status make(cd_arena *arena, const cardan_force_def *def, const cd_force_parts *parts,
                          cd_element *element, cardan_error *error)
{
    user *self = cd_arena_take(arena, sizeof *self);
    if (self == NULL)
        return cd_fail(error, CARDAN_OUT_OF_MEMORY, "no memory for a force");
    for (int i = 0; i < 2; i++) {
        self->marker[i] = parts->marker[i];
        element->body[i] = parts->body[i];
    }
    self->call = def->user;
    self->context = def->context;
    element->type = &type;
    element->self = self;
    element->count = 2;
    return CARDAN_OK;
}

const cd_force_kind cd_force_user = {.check = check, .make = make};
