/* The impulse equations, reduced to the contacts: with the response d_i of the constrained system
 * to a unit impulse along n_i, the velocities along the normals are w = b + W P, W_ij = n_i^T d_j,
 * and P follows from the linear complementarity problem w >= 0, P >= 0, w^T P = 0. */
#include "impulse.h"

#include "base/error.h"
#include "base/numeric.h"
#include "projector.h"

/* Up to FEW contacts all combinations are tried; otherwise P is found by sweeps. */
enum { MOST_SWEEPS = 100000, FEW = 8 };

struct cd_impulse {
    const cardan_system *system;
    cd_workspace *ws;
    cardan_error *error;
    cd_projector *projector; /* whose matrix is (M C^T; C 0) */
    double *zeros;           /* k + m + l */
    double *x;               /* k + m + l */
    double *responses;       /* d_i and its multipliers: k + m + l for every contact */
    double *w;               /* W: contacts x contacts */
    double *offset;          /* b */
};

cd_impulse *cd_impulse_create(cd_arena *arena, cd_projector *projector, int most_contacts)
{
    const cardan_system *system = projector->system;
    const int n = system->k + system->m + system->l, c = most_contacts;
    cd_impulse *made = cd_arena_take(arena, sizeof *made);
    if (made == NULL)
        return NULL;
    *made = (cd_impulse){.system = system,
                         .ws = projector->ws,
                         .error = projector->error,
                         .projector = projector,
                         .zeros = cd_arena_doubles(arena, n),
                         .x = cd_arena_doubles(arena, n),
                         .responses = cd_arena_doubles(arena, c * n),
                         .w = cd_arena_doubles(arena, c * c),
                         .offset = cd_arena_doubles(arena, c)};
    return arena->failed ? NULL : made;
}

static int unknown_count(const cd_impulse *impulse)
{
    return impulse->system->k + impulse->system->m + impulse->system->l;
}

/* Moves v onto the velocity constraints by the smallest impulse, without contacts. `reaction`
 * collects the multipliers. The second pass is iterative refinement. */
static cardan_status impose_constraints(cd_impulse *impulse, const cardan_point *at, double *v,
                                        double *reaction)
{
    const int k = impulse->system->k, m = impulse->system->m, n = unknown_count(impulse);
    for (int pass = 0; pass < 2; pass++) {
        double *x = impulse->x;
        const cd_equations wanted = {.hidden = x + k, .nonholonomic = x + k + m};
        cd_zero(n, x);
        cardan_status status = cd_system_equations(impulse->ws, at, &wanted);
        if (status == CARDAN_OK && pass == 0)
            status = cd_projector_factor(impulse->projector, at->t);
        if (status != CARDAN_OK)
            return status;
        for (int i = k; i < n; i++)
            x[i] = -x[i];
        cd_projector_solve(impulse->projector, x);
        cd_add(k, 1.0, x, v);
        cd_add(n - k, 1.0, x + k, reaction);
    }
    return CARDAN_OK;
}

/* The response d_i to a contact, followed by its multipliers. */
static const double *response_of(const cd_impulse *impulse, int contact)
{
    return impulse->responses + contact * unknown_count(impulse);
}

/* Finds d_i with its multipliers for every contact, and W. */
static void find_responses(cd_impulse *impulse, const cd_contacts *contacts)
{
    const int k = impulse->system->k, n = unknown_count(impulse), c = contacts->count;
    for (int i = 0; i < c; i++) {
        double *d = impulse->responses + i * n;
        cd_zero(n, d);
        cd_copy(k, contacts->normals + i * k, d);
        cd_projector_solve(impulse->projector, d);
    }
    for (int i = 0; i < c; i++)
        for (int j = 0; j < c; j++)
            impulse->w[i * c + j] = cd_dot(k, contacts->normals + i * k, response_of(impulse, j));
}

/* Fails if the constraints prevent all motion along a normal, where no impulse can act. */
static cardan_status check_normals(cd_impulse *impulse, const cd_contacts *contacts, double t)
{
    const int k = impulse->system->k, c = contacts->count;
    const double mass = cd_system_scales(impulse->ws).mass;
    for (int i = 0; i < c; i++) {
        const double *normal = contacts->normals + i * k;
        if (!(impulse->w[i * (c + 1)] * mass > 1e-12 * cd_dot(k, normal, normal)))
            return cd_fail(impulse->error, CARDAN_SINGULAR_MATRIX,
                           "impact at t = %.9g: the constraints do not let the system move along "
                           "the normal of contact %d; an impulse cannot turn it back",
                           t, i);
    }
    return CARDAN_OK;
}

/* Sets b, the velocities along the normals without impulses, less those wanted. */
static void set_offsets(cd_impulse *impulse, const cd_contacts *contacts, const double *v)
{
    const int k = impulse->system->k;
    for (int i = 0; i < contacts->count; i++) {
        const double speed = cd_dot(k, contacts->normals + i * k, v) + contacts->rates[i];
        impulse->offset[i] = speed + contacts->restitution[i] * fmin(0.0, speed);
    }
}

/* One pass of P_i <- max(0, P_i - w_i / W_ii) over all contacts; returns the largest change
 * relative to the largest P. This converges for every symmetric semidefinite W; contacts that
 * depend on each other share the impulse. */
static double sweep_contacts(const cd_impulse *impulse, const cd_contacts *contacts)
{
    const int c = contacts->count;
    double change = 0.0, *p = contacts->impulse;
    for (int i = 0; i < c; i++) {
        const double *row = impulse->w + i * c, old = p[i];
        p[i] = fmax(0.0, old - (impulse->offset[i] + cd_dot(c, row, p)) / row[i]);
        change = fmax(change, fabs(p[i] - old));
    }
    const double size = cd_max_abs(c, p);
    return size > 0.0 ? change / size : change;
}

/* Solves n symmetric equations, whose right-hand side is column n, without pivoting. False if a
 * pivot vanishes, because contacts depend on each other. */
static bool eliminate(int n, double (*a)[FEW + 1])
{
    for (int i = 0; i < n; i++) {
        const double pivot = a[i][i];
        for (int r = 0; r < n; r++) {
            const double factor = r == i ? 0.0 : a[r][i] / pivot;
            for (int c = i; c <= n && factor != 0.0; c++)
                a[r][c] -= factor * a[i][c];
        }
        for (int r = i + 1; r < n; r++)
            if (!(a[r][r] > 0.0))
                return false;
    }
    return true;
}

/* Finds P if only the contacts in `closed` (a bit each) have impulses; true if that solves it. */
static bool try_closed(const cd_impulse *impulse, const cd_contacts *contacts, unsigned closed)
{
    const int c = contacts->count;
    double a[FEW][FEW + 1], *p = contacts->impulse, size = cd_max_abs(c, impulse->offset);
    int rows[FEW], n = 0;
    for (int i = 0; i < c; i++)
        if ((closed >> i & 1u) != 0)
            rows[n++] = i;
    for (int i = 0; i < n; i++) {
        for (int j = 0; j < n; j++)
            a[i][j] = impulse->w[rows[i] * c + rows[j]];
        a[i][n] = -impulse->offset[rows[i]];
    }
    if (!eliminate(n, a))
        return false;
    cd_zero(c, p);
    for (int i = 0; i < n; i++)
        p[rows[i]] = a[i][n] / a[i][i];
    bool solves = true;
    for (int i = 0; solves && i < c; i++)
        solves =
            p[i] >= 0.0 && impulse->offset[i] + cd_dot(c, impulse->w + i * c, p) >= -1e-11 * size;
    return solves;
}

/* Tries every combination of open and closed contacts, 2^8 at most. */
static bool try_all_closed_sets(const cd_impulse *impulse, const cd_contacts *contacts)
{
    if (contacts->count > FEW)
        return false;
    for (unsigned closed = 0; closed < 1u << contacts->count; closed++)
        if (try_closed(impulse, contacts, closed))
            return true;
    return false;
}

/* Finds P: by trying all combinations or, for many or dependent contacts, by iteration. */
static cardan_status find_contact_impulses(cd_impulse *impulse, const cd_contacts *contacts,
                                           double t)
{
    double last = INFINITY;
    if (try_all_closed_sets(impulse, contacts))
        return CARDAN_OK;
    cd_zero(contacts->count, contacts->impulse);
    for (int i = 0; i < MOST_SWEEPS; i++) {
        const double change = sweep_contacts(impulse, contacts);
        if (change <= 4e-16 || (change <= 1e-13 && change >= last))
            return CARDAN_OK;
        last = change;
    }
    return cd_fail(impulse->error, CARDAN_NOT_CONVERGED,
                   "impact at t = %.9g: the impulses of %d simultaneous contacts were not found; "
                   "they leave no way out, or their normals nearly depend on each other",
                   t, contacts->count);
}

cardan_status cd_impulse_apply(cd_impulse *impulse, double t, const double *q,
                               const cd_contacts *contacts, double *v, double *reaction)
{
    const int k = impulse->system->k, multipliers = unknown_count(impulse) - k;
    const cardan_point at = {t, q, v, impulse->zeros, impulse->zeros, impulse->zeros};
    cd_zero(multipliers, reaction);
    cardan_status status = impose_constraints(impulse, &at, v, reaction);
    if (status != CARDAN_OK || contacts->count == 0)
        return status;
    find_responses(impulse, contacts);
    status = check_normals(impulse, contacts, t);
    if (status != CARDAN_OK)
        return status;
    set_offsets(impulse, contacts, v);
    status = find_contact_impulses(impulse, contacts, t);
    for (int i = 0; status == CARDAN_OK && i < contacts->count; i++) {
        cd_add(k, contacts->impulse[i], response_of(impulse, i), v);
        cd_add(multipliers, contacts->impulse[i], response_of(impulse, i) + k, reaction);
    }
    return status;
}
