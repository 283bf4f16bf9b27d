/* Checkpoints: header, fingerprint, state, checksum.
 *
 * One list of the members of the state (walk_state) serves for measuring, saving, checking and
 * loading, so that these cannot disagree; the functions pass_* do that for one member each. One
 * list (walk_fingerprint) of calls of compare_* says what the system and the method must have in
 * common. Whoever adds a member that later steps read adds it to walk_state and raises VERSION. */
#include <cardan/checkpoint.h>

#include "integrator.h"

#include "base/error.h"
#include "base/numeric.h"

#include <inttypes.h>
#include <limits.h>
#include <stdio.h>

enum { VERSION = 34, BYTE_ORDER_TAG = 0x01020304, MAGIC_SIZE = 8, CHECKSUM_SIZE = 8 };

static const char magic[MAGIC_SIZE + 1] = "CARDANck";

/* First bytes of every checkpoint, whatever its version. */
typedef struct header {
    char magic[MAGIC_SIZE];
    uint32_t byte_order, version;
    uint64_t size; /* of everything, checksum included */
} header;

_Static_assert(sizeof(header) == 24, "the header has no gaps");
_Static_assert(sizeof(double) == 8, "numbers are stored in 8 bytes");

/* Passed as they are: they consist of numbers of 8 bytes. */
_Static_assert(sizeof(long) == 8 && sizeof(cd_newton_counts) == 10 * 8, "no gaps in the counts");
_Static_assert(sizeof(cd_peak) == 3 * 8, "no gaps in a peak");
_Static_assert(sizeof(((cd_automatic *)NULL)->kept) == 8 * 8 + 480, "no gaps in what auto keeps");

typedef enum purpose {
    MEASURE, /* only counts bytes */
    SAVE,    /* integrator to buffer */
    CHECK,   /* reads the buffer; the integrator is not touched */
    LOAD     /* buffer to integrator */
} purpose;

/* A walk over the buffer, for one of these purposes. */
typedef struct cursor {
    purpose purpose;
    unsigned char *to;         /* SAVE */
    const unsigned char *from; /* CHECK, LOAD */
    size_t used, size;         /* bytes passed so far, bytes there are (not for MEASURE) */
    bool bad;                  /* CHECK: too short, or a value that cannot be */
    cardan_error *error;       /* CHECK of the fingerprint: what differs; its status is set once */
} cursor;

uint64_t cardan_checkpoint_checksum(uint64_t before, const void *data, size_t size)
{
    const uint64_t basis = 0xcbf29ce484222325u, prime = 0x100000001b3u;
    const unsigned char *bytes = data;
    uint64_t hash = before != 0 ? before : basis;
    for (size_t i = 0; i < size; i++)
        hash = (hash ^ bytes[i]) * prime;
    return hash;
}

/* Whether the buffer has so many further bytes. */
static bool has_bytes(cursor *c, size_t size)
{
    if (c->purpose == MEASURE || size <= c->size - c->used)
        return true;
    c->bad = true;
    return false;
}

/* Passes a value of the integrator: counts, saves or loads its bytes, depending on the purpose. */
static void pass(cursor *c, void *value, size_t size)
{
    if (!has_bytes(c, size))
        return;
    if (size > 0 && c->purpose == SAVE)
        memcpy(c->to + c->used, value, size);
    if (size > 0 && c->purpose == LOAD)
        memcpy(value, c->from + c->used, size);
    c->used += size;
}

static void pass_numbers(cursor *c, int n, double *x)
{
    pass(c, x, (size_t)n * sizeof *x);
}

static void pass_number(cursor *c, double *x)
{
    pass_numbers(c, 1, x);
}

/* Passes an integer as 64 bits and checks that it lies in [low, high]. Returns the integrator's or,
 * when checking or loading, the buffer's. */
static int64_t pass_whole(cursor *c, int64_t value, int64_t low, int64_t high)
{
    int64_t stored = value;
    if (c->purpose == CHECK && has_bytes(c, sizeof stored))
        memcpy(&stored, c->from + c->used, sizeof stored);
    pass(c, &stored, sizeof stored);
    c->bad = c->bad || stored < low || stored > high;
    return stored;
}

static void pass_int(cursor *c, int *value, int low, int high)
{
    const int64_t stored = pass_whole(c, *value, low, high);
    if (c->purpose == LOAD)
        *value = (int)stored;
}

static void pass_count(cursor *c, long *value)
{
    const int64_t stored = pass_whole(c, *value, 0, LONG_MAX);
    if (c->purpose == LOAD)
        *value = (long)stored;
}

static bool pass_truth(cursor *c, bool *value)
{
    const bool stored = pass_whole(c, *value, 0, 1) != 0;
    if (c->purpose == LOAD)
        *value = stored;
    return stored;
}

/* Passes the factors of a matrix; those that are not to be used again are stored as zeros. */
static void pass_factors(cursor *c, cd_matrix *matrix, bool factored)
{
    const size_t size = cd_matrix_factors_size(matrix);
    if (!has_bytes(c, size))
        return;
    if (c->purpose == SAVE && factored)
        cd_matrix_save_factors(matrix, c->to + c->used);
    else if (c->purpose == SAVE)
        memset(c->to + c->used, 0, size);
    else if (c->purpose == CHECK && factored &&
             !cd_matrix_can_load_factors(matrix, c->from + c->used))
        c->bad = true;
    else if (c->purpose == LOAD && factored)
        cd_matrix_load_factors(matrix, c->from + c->used);
    c->used += size;
}

/* Passes the vectors that a state has (cardan_integrator.states). */
static void pass_state(cursor *c, const cardan_integrator *it, cd_state *state)
{
    const cardan_system *system = it->system; /* all modes have its group */
    pass_number(c, &state->t);
    pass_number(c, &state->h);
    pass_numbers(c, system->k, state->vdot);
    pass_numbers(c, it->most.m, state->lambda);
    pass_numbers(c, it->most.l, state->psi);
    if (state->a != NULL)
        pass_numbers(c, system->k, state->a);
    if (state->q == NULL)
        return;
    pass_numbers(c, cardan_group_size(system->group), state->q);
    pass_numbers(c, system->k, state->v);
    pass_numbers(c, it->most.eta, state->eta);
}

static void pass_states(cursor *c, cardan_integrator *it)
{
    int current = it->current;
    pass_int(c, &current, 0, CD_STATES - 1);
    while (!c->bad && it->current != current)
        cd_integrator_rotate_states(it);
    for (int i = 0; i < CD_STATES; i++)
        pass_state(c, it, &it->states[(it->current + i) % CD_STATES]);
    pass_numbers(c, cd_low_count(it), it->step.old_low);
}

static void pass_predictor(cursor *c, cardan_integrator *it)
{
    cd_predictor *predictor = &it->step.predictor;
    pass_truth(c, &it->has_three_before);
    pass_int(c, &predictor->known, 0, CD_HISTORY);
    pass_int(c, &predictor->wait, 0, CD_PREDICTOR_PAUSE);
    pass(c, predictor->errors, sizeof predictor->errors);
}

static void pass_rate(cursor *c, cd_rate *rate)
{
    pass_number(c, &rate->value);
    pass_int(c, &rate->unmeasured, 0, INT_MAX);
}

static void pass_newton(cursor *c, cd_newton *newton)
{
    cd_newton_factors *factors = &newton->factors;
    bool factored = newton->factors.there || cd_matrix_keeps_pivots(newton->matrix);
    pass_truth(c, &factors->there);
    factored = pass_truth(c, &factored);
    pass_number(c, &newton->scale);
    pass_number(c, &factors->scale);
    pass_number(c, &factors->spent);
    pass_int(c, &factors->solves, 0, INT_MAX);
    pass_rate(c, &newton->reused_rate);
    pass_rate(c, &newton->fresh_rate);
    pass_number(c, &newton->rounding_scale);
    pass_numbers(c, newton->n, newton->rounding_level);
    pass(c, &newton->counts, sizeof newton->counts);
    pass_factors(c, newton->matrix, factored);
}

static void pass_health(cursor *c, cardan_integrator *it)
{
    cd_health *health = &it->health;
    const int multipliers = it->most.m + it->most.l;
    pass(c, &health->seen, sizeof health->seen);
    if (it->def.health)
        pass(c, health->alternation, (size_t)multipliers * sizeof *health->alternation);
    if (health->estimates != NULL)
        pass(c, health->estimates,
             (2 * (size_t)it->system->k + (size_t)multipliers) * sizeof *health->estimates);
}

/* Passes the worst estimate; its index is that of a velocity or, by its kind, of a multiplier. */
static void pass_worst(cursor *c, const cardan_system *system, cd_worst *worst)
{
    const int multipliers = system->m + system->l;
    const int64_t kind = pass_whole(c, worst->kind, CD_ERROR_POSITION, CD_ERROR_CONSTRAINT);
    const int count = kind >= CD_ERROR_MULTIPLIER ? multipliers : system->k;
    if (c->purpose == LOAD)
        worst->kind = (cd_error_kind)kind;
    pass_int(c, &worst->index, 0, count > 0 ? count - 1 : 0);
    pass_number(c, &worst->error);
}

/* Passes the sizes that estimates refer to, without scratch and values of an unfinished step. */
static void pass_sizes(cursor *c, const cardan_integrator *it, const cardan_system *system,
                       cd_control *control)
{
    const int multipliers = it->most.m + it->most.l;
    pass_numbers(c, control->learnt, control->position);
    pass(c, control->rounding_level,
         (size_t)(system->k + multipliers) * sizeof *control->rounding_level);
    if (control->errors != NULL)
        pass_numbers(c, 2 * system->k + multipliers, control->errors);
}

/* Passes what estimates and adaptive steps have learnt. */
static void pass_control(cursor *c, const cardan_integrator *it, const cardan_system *system,
                         cd_control *control)
{
    if (it->estimates)
        pass_sizes(c, it, system, control);
    pass_number(c, &control->bend);
    pass_number(c, &control->period);
    pass_worst(c, system, &control->worst);
    pass_number(c, &control->previous);
    pass_number(c, &control->longest);
    pass_truth(c, &control->reselect);
    pass_truth(c, &control->grew);
    pass_count(c, &control->wait);
    pass_truth(c, &control->failed_before);
    pass_number(c, &control->failed_end);
    pass_count(c, &control->held_lately);
    pass_count(c, &control->stiff_lately);
    pass_count(c, &control->marks.steps);
    pass_count(c, &control->marks.count);
    pass_number(c, &control->marks.calm_step);
    for (int i = 0; i < 2; i++) {
        pass_number(c, &control->marks.t[i]);
        pass_numbers(c, it->estimates ? system->k : 0, control->marks.v[i]);
    }
}

static void pass_ints(cursor *c, int n, int *values, int low, int high)
{
    for (int i = 0; i < n; i++)
        pass_int(c, &values[i], low, high);
}

static void pass_sparsity(cursor *c, cd_sparsity *it)
{
    pass_int(c, &it->groups, -1, it->most);
    pass_int(c, &it->mistakes, 0, INT_MAX);
    pass_ints(c, it->cols, it->group, 0, it->most - 1);
    pass_ints(c, it->most * it->rows, it->owner, -1, it->cols - 1);
}

static void pass_events(cursor *c, const cardan_integrator *it, cd_events *ev)
{
    const int n = ev->def.count, last_mode = it->mode_count - 1;
    pass_ints(c, n, ev->sign, -1, 1);
    pass_number(c, &ev->burst_begin);
    pass_int(c, &ev->burst, 0, INT_MAX);
    if (n == 0)
        return;
    pass_number(c, &ev->record.t);
    pass_int(c, &ev->record.count, 0, n);
    pass_ints(c, n, ev->hits, 0, n - 1);
    pass_ints(c, n, ev->hit_signs, -1, 1);
    pass_numbers(c, n, ev->impulse);
    pass_numbers(c, it->most.m + it->most.l, ev->reaction);
    pass_int(c, &ev->record.mode_before, 0, last_mode);
    pass_int(c, &ev->record.mode_after, 0, last_mode);
    pass_number(c, &ev->record.energy);
    pass_state(c, it, &ev->left);
    pass_state(c, it, &ev->right);
    pass_truth(c, &ev->behind);
    pass_truth(c, &ev->third_behind);
}

static void pass_breakpoints(cursor *c, const cardan_integrator *it, cd_breakpoints *breakpoints)
{
    pass_truth(c, &breakpoints->behind);
    pass_truth(c, &breakpoints->third_behind);
    if (cd_breakpoints_are_used(it))
        pass_state(c, it, &breakpoints->left);
}

static void pass_worst_redundant(cursor *c, cd_worst_redundant *worst)
{
    pass(c, worst, sizeof *worst);
    if (c->purpose == LOAD)
        worst->name[sizeof worst->name - 1] = '\0';
}

/* Passes what is known of redundant constraints, except for residuals of an unfinished step. */
static void pass_watch(cursor *c, cd_redundancy_watch *watch)
{
    const int64_t leap = pass_whole(c, watch->leap, CD_LEAP_NONE, CD_LEAP_RESTART);
    if (c->purpose == LOAD)
        watch->leap = (cd_leap)leap;
    pass_truth(c, &watch->any);
    pass_truth(c, &watch->leapt);
    pass_worst_redundant(c, &watch->position);
    pass_worst_redundant(c, &watch->velocity);
}

/* Passes and returns the present mode, which determines sizes; loading switches to it. */
static int pass_mode(cursor *c, cardan_integrator *it)
{
    const int64_t stored = pass_whole(c, it->mode, 0, it->mode_count - 1);
    const int mode = c->bad ? it->mode : (int)stored;
    if (c->purpose == LOAD && mode != it->mode)
        cd_event_mode_enter(it, mode);
    return mode;
}

/* The method in use comes first: it decides how the rest is taken up. */
static void pass_automatic(cursor *c, cardan_integrator *it)
{
    cd_automatic *automatic = &it->automatic;
    bool explicit = cd_is_explicit(it);
    if (!automatic->on)
        return;
    pass_truth(c, &explicit);
    pass(c, &automatic->kept, sizeof automatic->kept);
    for (int i = 0; i < 2; i++)
        pass_numbers(c, it->system->k, automatic->mode[i]);
    if (c->purpose != LOAD)
        return;
    automatic->kept.why[sizeof automatic->kept.why - 1] = '\0';
    automatic->kept.story[sizeof automatic->kept.story - 1] = '\0';
    cd_automatic_take(it, explicit ? cd_automatic_explicit : cd_automatic_implicit);
}

/* Passes everything that later steps, dense output or the public functions read. */
static void walk_state(cursor *c, cardan_integrator *it)
{
    const int number = pass_mode(c, it);
    cd_event_mode *mode = &it->modes[number];
    const cd_kept_values kept = cd_workspace_kept(mode->ws);
    pass_automatic(c, it);
    pass_truth(c, &it->started);
    pass_truth(c, &it->has_before);
    pass_truth(c, &it->has_two_before);
    pass_states(c, it);
    pass_number(c, &it->nominal);
    pass_number(c, &it->h);
    pass_number(c, &it->base_time);
    pass_count(c, &it->base_steps);
    pass_number(c, &it->step.h);
    pass_number(c, &it->step.t1);
    for (int i = 0; i < mode->term_count; i++)
        pass_number(c, &it->terms[i].weight);
    pass_numbers(c, it->most.memory, it->step.memory);
    pass_truth(c, kept.mass_known);
    pass_numbers(c, kept.mass_count, kept.mass);
    pass_truth(c, kept.evaluated);
    pass_truth(c, kept.scales_known);
    pass(c, kept.scales, sizeof *kept.scales);
    for (int i = 0; i < CD_PATTERNS; i++)
        if (kept.sparsity[i].rows > 0)
            pass_sparsity(c, &kept.sparsity[i]);
    pass_predictor(c, it);
    pass_newton(c, number == it->mode ? &it->newton : &mode->newton);
    pass(c, &it->energy_balance, sizeof it->energy_balance);
    pass_health(c, it);
    pass_control(c, it, mode->system, &it->control);
    pass_events(c, it, &it->events);
    pass_breakpoints(c, it, &it->breakpoints);
    pass_watch(c, &it->watch);
    pass(c, &it->counts, offsetof(cardan_statistics, threads));
    pass(c, &it->covered, sizeof it->covered);
}

/* Reports the first difference of the fingerprints. */
static void report_difference(cursor *c, const char *what, const char *stored, const char *here)
{
    if (c->error->status == CARDAN_OK)
        cd_fail(c->error, CARDAN_BAD_CHECKPOINT,
                "the checkpoint belongs to another run: %s is %.120s there and %.120s here", what,
                stored, here);
}

static void compare_number(cursor *c, const char *what, double here)
{
    double stored = here;
    uint64_t bits[2];
    char texts[2][32];
    if (has_bytes(c, sizeof stored) && c->purpose == CHECK)
        memcpy(&stored, c->from + c->used, sizeof stored);
    memcpy(bits, (double[]){stored, here}, sizeof bits); /* NaN is the same as NaN */
    if (bits[0] != bits[1]) {
        snprintf(texts[0], sizeof texts[0], "%.17g", stored);
        snprintf(texts[1], sizeof texts[1], "%.17g", here);
        report_difference(c, what, texts[0], texts[1]);
    }
    pass(c, &here, sizeof here);
}

static void compare_whole(cursor *c, const char *what, int64_t here)
{
    char texts[2][32];
    const int64_t stored = pass_whole(c, here, INT64_MIN, INT64_MAX);
    if (stored == here)
        return;
    snprintf(texts[0], sizeof texts[0], "%" PRId64, stored);
    snprintf(texts[1], sizeof texts[1], "%" PRId64, here);
    report_difference(c, what, texts[0], texts[1]);
}

static void compare_text(cursor *c, const char *what, const char *here)
{
    const size_t length = strlen(here);
    const size_t stored = (size_t)pass_whole(c, (int64_t)length, 0, INT32_MAX);
    if (c->bad || !has_bytes(c, stored))
        return;
    const char *text = c->purpose == CHECK ? (const char *)c->from + c->used : here;
    if (stored != length || memcmp(text, here, length) != 0) {
        char texts[2][128];
        snprintf(texts[0], sizeof texts[0], "`%.*s`", (int)(stored < 100 ? stored : 100), text);
        snprintf(texts[1], sizeof texts[1], "`%.100s`", here);
        report_difference(c, what, texts[0], texts[1]);
    }
    pass(c, (char *)here, stored); /* read only: fingerprints are not loaded */
}

/* Compares the kinds and sides of the group's factors. */
static void compare_group(cursor *c, const cardan_group *group)
{
    uint64_t hash = 0;
    for (int i = 0; i < cardan_group_factor_count(group); i++) {
        const cardan_factor factor = cardan_group_factor(group, i, NULL, NULL);
        const int numbers[] = {(int)factor.kind, (int)factor.side,
                               factor.kind == CARDAN_RN ? factor.n : 0};
        hash = cardan_checkpoint_checksum(hash, numbers, sizeof numbers);
    }
    compare_whole(c, "the number of factors of the group", cardan_group_factor_count(group));
    compare_whole(c, "the hash of the kinds of these factors", (int64_t)hash);
}

static void compare_system(cursor *c, const cardan_system *system)
{
    const cardan_system_def *def = &system->def;
    compare_whole(c, "the number of velocities", system->k);
    compare_whole(c, "the number of holonomic constraints", system->m);
    compare_whole(c, "the number of nonholonomic constraints", system->l);
    compare_group(c, system->group);
    compare_whole(c, "`constant_mass`", def->constant_mass);
    compare_whole(c, "`rheonomic`", def->rheonomic);
    compare_whole(c, "`force_depends_on_lambda`", def->force_depends_on_lambda);
    compare_whole(c, "`force_depends_on_psi`", def->force_depends_on_psi);
    compare_whole(c, "`lambda_in_force_only`", def->lambda_in_force_only);
    compare_whole(c, "`psi_in_force_only`", def->psi_in_force_only);
}

static void compare_projection(cursor *c, const cardan_projection *projection, int k)
{
    compare_whole(c, "the level of the projection", (int)projection->level);
    compare_whole(c, "the target of the projection", (int)projection->target);
    compare_whole(c, "the norm of the projection", (int)projection->norm);
    compare_whole(c, "the solver of the projection", (int)projection->solver);
    compare_number(c, "the penalty of the projection", projection->penalty);
    compare_whole(c, "the projection of accelerations", projection->acceleration);
    compare_number(c, "the weight of damping of the projection", projection->damping);
    compare_number(c, "the weight of stiffness of the projection", projection->stiffness);
    for (int i = 0; i < cd_projection_numbers(projection, k); i++)
        compare_number(c, "an entry of the projection's matrix", projection->matrix[i]);
}

static void compare_tolerance(cursor *c, const char *of, cardan_tolerance tolerance)
{
    char what[64];
    snprintf(what, sizeof what, "the absolute %s", of);
    compare_number(c, what, tolerance.absolute);
    snprintf(what, sizeof what, "the relative %s", of);
    compare_number(c, what, tolerance.relative);
}

/* Compares the tolerances of single variables; if there are none, that of all. */
static void compare_each(cursor *c, int count, const cardan_tolerance *each, cardan_tolerance all)
{
    for (int i = 0; i < count; i++)
        compare_tolerance(c, "tolerance of a single error", each != NULL ? each[i] : all);
}

/* Compares the settings of adaptive steps, if steps are adaptive. */
static void compare_control(cursor *c, const cardan_integrator *it, cardan_step_control control)
{
    if (!control.adaptive)
        control = (cardan_step_control){0};
    compare_whole(c, "`control.adaptive`", control.adaptive);
    compare_tolerance(c, "tolerance of position errors", control.position);
    compare_tolerance(c, "tolerance of velocity errors", control.velocity);
    compare_tolerance(c, "tolerance of multiplier errors", control.multiplier);
    compare_each(c, it->system->k, control.positions, control.position);
    compare_each(c, it->system->k, control.velocities, control.velocity);
    compare_each(c, it->most.m + it->most.l, control.multipliers, control.multiplier);
    compare_number(c, "`min_step`", control.min_step);
    compare_number(c, "`max_step`", control.max_step);
}

/* Compares all that the integrator that loads must have in common with the one that saved. */
static void walk_fingerprint(cursor *c, const cardan_integrator *it)
{
    const cardan_integrator_def *def = &it->def;
    compare_text(c, "the tag", def->tag);
    compare_text(c, "the method", def->method);
    compare_whole(c, "the number of events", it->events.def.count);
    compare_whole(c, "the number of modes", it->mode_count);
    for (int i = 0; i < it->mode_count; i++)
        compare_system(c, it->modes[i].system);
    compare_whole(c, "the room for holonomic constraints", it->most.m);
    compare_whole(c, "the room for nonholonomic constraints", it->most.l);
    compare_number(c, "the tolerance of event times", it->events.def.tolerance);
    compare_whole(c, "the limit of events", it->events.def.limit);
    compare_number(c, "the parameter alpha_m", def->params.alpha_m);
    compare_number(c, "the parameter alpha_f", def->params.alpha_f);
    compare_number(c, "the parameter beta", def->params.beta);
    compare_number(c, "the parameter gamma", def->params.gamma);
    compare_whole(c, "`update`", (int)def->update);
    compare_whole(c, "`step_change`", (int)def->experimental.step_change);
    compare_whole(c, "`branch`", (int)def->branch);
    compare_number(c, "`hht3_b`", def->experimental.hht3_b);
    compare_whole(c, "`bdf_order`", def->experimental.bdf_order);
    compare_whole(c, "`hht3_variant`", (int)def->experimental.hht3_variant);
    compare_whole(c, "`nonholonomic_mass`", (int)def->experimental.nonholonomic_mass);
    compare_number(c, "`conserving_penalty`", def->experimental.conserving_penalty);
    compare_projection(c, &def->projection, it->system->k);
    compare_projection(c, cd_projection_of_accelerations(&def->projection), it->system->k);
    compare_whole(c, "`energy_balance`", def->energy_balance);
    compare_whole(c, "`health`", def->health);
    compare_whole(c, "`difference`", (int)def->experimental.difference);
    compare_number(c, "`difference_step`", def->experimental.difference_step);
    compare_tolerance(c, "position tolerance", def->newton.position);
    compare_tolerance(c, "velocity tolerance", def->newton.velocity);
    compare_tolerance(c, "multiplier tolerance", def->newton.multiplier);
    compare_whole(c, "`max_iterations`", def->newton.max_iterations);
    compare_whole(c, "`full_newton`", def->experimental.full_newton);
    compare_control(c, it, def->control);
}

size_t cardan_checkpoint_size(const cardan_integrator *integrator)
{
    if (integrator == NULL)
        return 0;
    cursor c = {.purpose = MEASURE, .used = sizeof(header)};
    walk_fingerprint(&c, integrator);
    walk_state(&c, (cardan_integrator *)integrator); /* measuring reads nothing but sizes */
    return c.used + CHECKSUM_SIZE;
}

static cardan_status save(cardan_integrator *it, void *buffer, size_t size)
{
    const size_t needed = cardan_checkpoint_size(it);
    if (!it->started)
        return cd_fail(&it->error, CARDAN_NOT_STARTED,
                       "there is no state to save yet; call cardan_integrator_start first");
    if (buffer == NULL || size < needed)
        return cd_invalid(&it->error, "a checkpoint takes %zu bytes and the buffer has %zu", needed,
                          buffer != NULL ? size : 0);
    header head = {.byte_order = BYTE_ORDER_TAG, .version = VERSION, .size = needed};
    memcpy(head.magic, magic, MAGIC_SIZE);
    memcpy(buffer, &head, sizeof head);
    cursor c = {.purpose = SAVE, .to = buffer, .used = sizeof head, .size = needed};
    walk_fingerprint(&c, it);
    walk_state(&c, it);
    const uint64_t checksum = cardan_checkpoint_checksum(0, buffer, c.used);
    memcpy((unsigned char *)buffer + c.used, &checksum, sizeof checksum);
    return cd_succeed(&it->error);
}

cardan_status cardan_checkpoint_save(cardan_integrator *integrator, void *buffer, size_t size)
{
    const cardan_status status = cd_integrator_enter(integrator);
    return status == CARDAN_OK ? cd_integrator_leave(integrator, save(integrator, buffer, size))
                               : status;
}

/* Checks header and checksum: a whole checkpoint of this version, as it was written. */
static cardan_status check_whole(const void *buffer, size_t size, cardan_error *error)
{
    header head;
    uint64_t checksum;
    if (buffer == NULL || size < sizeof head + CHECKSUM_SIZE)
        return cd_fail(error, CARDAN_BAD_CHECKPOINT,
                       "the checkpoint is truncated: %zu bytes are less than its header",
                       buffer != NULL ? size : 0);
    memcpy(&head, buffer, sizeof head);
    if (memcmp(head.magic, magic, MAGIC_SIZE) != 0)
        return cd_fail(error, CARDAN_BAD_CHECKPOINT, "this is no checkpoint: it begins otherwise");
    if (head.byte_order != BYTE_ORDER_TAG)
        return cd_fail(error, CARDAN_BAD_CHECKPOINT,
                       "the checkpoint comes from a machine of another byte order");
    if (head.version != VERSION)
        return cd_fail(error, CARDAN_BAD_CHECKPOINT,
                       "the checkpoint is of version %" PRIu32 "; this library reads version %d",
                       head.version, VERSION);
    if (size < head.size)
        return cd_fail(error, CARDAN_BAD_CHECKPOINT,
                       "the checkpoint is truncated: %zu of %" PRIu64 " bytes", size, head.size);
    memcpy(&checksum, (const unsigned char *)buffer + size - CHECKSUM_SIZE, CHECKSUM_SIZE);
    if (size > head.size || checksum != cardan_checkpoint_checksum(0, buffer, size - CHECKSUM_SIZE))
        return cd_fail(error, CARDAN_BAD_CHECKPOINT,
                       "the checkpoint is damaged: its checksum does not match");
    return CARDAN_OK;
}

static cardan_status check_contents(cardan_integrator *it, cursor *c)
{
    walk_fingerprint(c, it);
    if (!c->bad && c->error->status != CARDAN_OK)
        return c->error->status;
    cursor state = *c;
    walk_state(&state, it);
    if (state.bad || state.used != state.size)
        return cd_fail(&it->error, CARDAN_BAD_CHECKPOINT,
                       "the checkpoint holds values that no integrator has");
    return CARDAN_OK;
}

static cardan_status load(cardan_integrator *it, const void *buffer, size_t size)
{
    cd_succeed(&it->error);
    cardan_status status = check_whole(buffer, size, &it->error);
    if (status != CARDAN_OK)
        return status;
    cursor c = {.purpose = CHECK,
                .from = buffer,
                .used = sizeof(header),
                .size = size - CHECKSUM_SIZE,
                .error = &it->error};
    status = check_contents(it, &c);
    if (status != CARDAN_OK)
        return status;
    c.purpose = LOAD;
    walk_state(&c, it);
    cd_events_update_record(it);
    cd_integrator_update_view(it);
    return cd_succeed(&it->error);
}

cardan_status cardan_checkpoint_load(cardan_integrator *integrator, const void *buffer, size_t size)
{
    const cardan_status status = cd_integrator_enter(integrator);
    return status == CARDAN_OK ? cd_integrator_leave(integrator, load(integrator, buffer, size))
                               : status;
}
