/* A force from a callback of the user, which reads the motions of frame 1 and frame 2. Its
 * derivatives are central differences over the 12 displacements and velocities. */
#include "force.h"

/* The motion of a frame as the callback receives it. */
static cardan_body_state frame_state(const cd_marker_state *marker_state)
{
    cardan_body_state state;
    cd_copy(3, marker_state->p, state.position);
    cd_copy(9, marker_state->axes, state.rotation);
    cd_copy(3, marker_state->v, state.velocity);
    cd_copy(3, marker_state->w, state.angular_velocity);
    return state;
}

/* Calls the user's function; f are forces and moments about the centres of mass. */
static int call_user(const cd_force_data *self, double t, const cd_body_state body_state[2],
                     double f[CD_PAIR])
{
    cd_marker_state marker_state[2];
    cardan_body_state state[2];
    double force[2][3] = {{0}}, moment[2][3] = {{0}};
    for (int i = 0; i < 2; i++) {
        cd_marker_at(&self->pair.marker[i], &body_state[i], &marker_state[i]);
        state[i] = frame_state(&marker_state[i]);
    }
    const int status = self->def->user(self->def->context, t, &state[0], &state[1], force[0],
                                       moment[0], force[1], moment[1]);
    for (int i = 0; i < 2; i++) {
        double lever[3];
        cd_cross(marker_state[i].arm, force[i], lever);
        for (int j = 0; j < 3; j++) {
            f[CD_BODY_COLUMNS * i + j] = force[i][j];
            f[CD_BODY_COLUMNS * i + 3 + j] = moment[i][j] + lever[j];
        }
    }
    return status;
}

static int user_force(const void *self, const cd_element_point *at, double *f)
{
    return call_user(self, at->t, at->body_state, f);
}

/* Adds `step` to displacement `entry` (0 to 5) of a body, or with `speed` to this velocity. */
static void displace_state(cd_body_state *body_state, int entry, bool speed, double step)
{
    double rotation[3] = {0}, increment[9], change[9];
    if (speed || entry < 3) {
        double *x = !speed ? body_state->r : entry < 3 ? body_state->u : body_state->w;
        x[entry % 3] += step;
        return;
    }
    rotation[entry - 3] = step;
    cd_rotation_increment(rotation, increment);
    cd_product3(increment, body_state->R, change);
    cd_add(9, 1.0, change, body_state->R);
}

/* The step of the difference in this displacement or velocity. */
static double difference_step(const cd_body_state *body_state, int entry, bool speed)
{
    const double *x = speed ? (entry < 3 ? body_state->u : body_state->w) : body_state->r;
    const double size = !speed && entry >= 3 ? 1.0 : fmax(1.0, cd_max_abs(3, x));
    return 1e-5 * size; /* balances rounding and the third derivative */
}

/* Adds df/dx, or with `speed` df/dw. */
static int difference_force(const cd_force_data *self, const cd_element_point *at, bool speed,
                            double *out)
{
    for (int column = 0; column < CD_PAIR; column++) {
        const int body = column / CD_BODY_COLUMNS, entry = column % CD_BODY_COLUMNS;
        const double step = difference_step(&at->body_state[body], entry, speed);
        for (int sign = -1; sign <= 1; sign += 2) {
            cd_body_state body_state[2] = {at->body_state[0], at->body_state[1]};
            double f[CD_PAIR];
            displace_state(&body_state[body], entry, speed, sign * step);
            const int status = call_user(self, at->t, body_state, f);
            if (status != 0)
                return status;
            for (int row = 0; row < CD_PAIR; row++)
                out[row * CD_PAIR + column] += sign * f[row] / (2.0 * step);
        }
    }
    return 0;
}

static int user_force_dx(const void *self, const cd_element_point *at, double *out)
{
    return difference_force(self, at, false, out);
}

static int user_force_dw(const void *self, const cd_element_point *at, double *out)
{
    return difference_force(self, at, true, out);
}

static cardan_status check_user(const cardan_force_def *def, cardan_error *error)
{
    if (def->user == NULL)
        return cd_fail(error, CARDAN_MISSING_CALLBACK, "a user force needs its callback `user`");
    return CARDAN_OK;
}

const cd_force_kind cd_force_user = {.type = {.name = "user force",
                                              .calls_user = true,
                                              .force = user_force,
                                              .force_dx = user_force_dx,
                                              .force_dw = user_force_dw},
                                     .check = check_user};
