/* Parts are handed out by a ticket that holds the next part and their number: taking one is a
 * single exchange, and who has one knows that the run it belongs to cannot end before it is done.
 */
#define _GNU_SOURCE /* sched_getaffinity */

#include "team.h"

#include <math.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <unistd.h>

/* How long a thread looks for work, or for the end of others' work, before it gives way to others
 * and before it sleeps: some 20 and 100 us. To wake a thread costs as much. */
enum { SPINS = 600, YIELDS = 200 };

struct cd_team {
    int size, spins;
    pid_t process; /* that its threads belong to */
    cd_equation_function *function;
    void *self;
    _Atomic uint64_t ticket; /* next part << 32 | parts */
    atomic_int left;         /* parts that are not done */
    atomic_uint run;         /* counts runs: who looks for work looks at it */
    atomic_int sleepers;
    atomic_bool caller_sleeps, over;
    pthread_mutex_t lock;
    pthread_cond_t work, done;
    pthread_t threads[CD_MOST_THREADS];
};

static void relax(void)
{
#if defined(__x86_64__) || defined(__i386__)
    __builtin_ia32_pause();
#endif
}

static bool take_part(cd_team *team, int *part)
{
    uint64_t ticket = atomic_load_explicit(&team->ticket, memory_order_acquire);
    while ((ticket >> 32) < (uint32_t)ticket)
        if (atomic_compare_exchange_weak_explicit(&team->ticket, &ticket, ticket + (1ull << 32),
                                                  memory_order_acq_rel, memory_order_acquire)) {
            *part = (int)(ticket >> 32);
            return true;
        }
    return false;
}

static void work(cd_team *team)
{
    for (int part; take_part(team, &part);) {
        team->function(team->self, part);
        if (atomic_fetch_sub(&team->left, 1) == 1 && atomic_load(&team->caller_sleeps)) {
            pthread_mutex_lock(&team->lock);
            pthread_cond_signal(&team->done);
            pthread_mutex_unlock(&team->lock);
        }
    }
}

/* True as soon as `over` says so; false if that took too long. */
static bool look_out(cd_team *team, bool (*over)(cd_team *, unsigned), unsigned seen)
{
    for (int i = 0; i < team->spins; i++) {
        if (over(team, seen))
            return true;
        relax();
    }
    for (int i = 0; i < YIELDS; i++) {
        if (over(team, seen))
            return true;
        sched_yield();
    }
    return false;
}

static bool has_new_run(cd_team *team, unsigned seen)
{
    return atomic_load(&team->run) != seen;
}

static void await_run(cd_team *team, unsigned seen)
{
    if (look_out(team, has_new_run, seen))
        return;
    pthread_mutex_lock(&team->lock);
    atomic_fetch_add(&team->sleepers, 1);
    while (!has_new_run(team, seen))
        pthread_cond_wait(&team->work, &team->lock);
    atomic_fetch_sub(&team->sleepers, 1);
    pthread_mutex_unlock(&team->lock);
}

static void *help(void *argument)
{
    cd_team *team = argument;
    while (!atomic_load(&team->over)) {
        const unsigned seen = atomic_load(&team->run);
        work(team);
        if (!atomic_load(&team->over))
            await_run(team, seen);
    }
    return NULL;
}

/* Lets all know that there is something new. */
static void announce(cd_team *team)
{
    atomic_fetch_add(&team->run, 1);
    if (atomic_load(&team->sleepers) == 0)
        return;
    pthread_mutex_lock(&team->lock);
    pthread_cond_broadcast(&team->work);
    pthread_mutex_unlock(&team->lock);
}

static bool is_done(cd_team *team, unsigned unused)
{
    (void)unused;
    return atomic_load(&team->left) == 0;
}

static void await_end(cd_team *team)
{
    if (look_out(team, is_done, 0))
        return;
    pthread_mutex_lock(&team->lock);
    atomic_store(&team->caller_sleeps, true);
    while (!is_done(team, 0))
        pthread_cond_wait(&team->done, &team->lock);
    atomic_store(&team->caller_sleeps, false);
    pthread_mutex_unlock(&team->lock);
}

void cd_team_run(cd_team *team, int parts, cd_equation_function *function, void *self)
{
    if (parts < 2 || cd_team_size(team) == 1) { /* also after a fork */
        for (int part = 0; part < parts; part++)
            function(self, part);
        return;
    }
    team->function = function;
    team->self = self;
    atomic_store(&team->left, parts);
    atomic_store_explicit(&team->ticket, (uint32_t)parts, memory_order_release);
    announce(team);
    work(team);
    await_end(team);
}

/* ---- loops ---- */

enum { SPANS = 16 };

typedef struct loop {
    int n, spans;
    cd_span_function *function;
    cd_span_measure *measure;
    void *self;
    double found[SPANS];
} loop;

static void do_span(void *object, int part)
{
    loop *it = object;
    it->function(it->self, cd_span_of(it->n, it->spans, part));
}

static void measure_span(void *object, int part)
{
    loop *it = object;
    it->found[part] = it->measure(it->self, cd_span_of(it->n, it->spans, part));
}

static int spans_for(int n, int least)
{
    const int most = n / least;
    return most < 1 ? 1 : most < SPANS ? most : SPANS;
}

void cd_team_loop(cd_team *team, int n, int least, cd_span_function *function, void *self)
{
    if (team == NULL) {
        function(self, (cd_span){0, n});
        return;
    }
    loop it = {.n = n, .spans = spans_for(n, least), .function = function, .self = self};
    cd_team_run(team, it.spans, do_span, &it);
}

double cd_team_largest(cd_team *team, int n, int least, cd_span_measure *measure, void *self)
{
    if (team == NULL)
        return measure(self, (cd_span){0, n});
    loop it = {.n = n, .spans = spans_for(n, least), .measure = measure, .self = self};
    double largest = 0.0;
    cd_team_run(team, it.spans, measure_span, &it);
    for (int i = 0; i < it.spans; i++)
        if (!(it.found[i] <= largest) && !isnan(largest))
            largest = it.found[i];
    return largest;
}

void cd_team_count(cd_team *team)
{
    if (team != NULL && team->process != getpid())
        team->size = 1;
}

/* In the child of a fork nobody is there to be waited for, and the state of locks is unknown. */
static void close_team(void *object)
{
    cd_team *team = object;
    if (team->process != getpid())
        return;
    atomic_store(&team->over, true);
    announce(team);
    for (int i = 1; i < team->size; i++)
        pthread_join(team->threads[i], NULL);
    pthread_cond_destroy(&team->done);
    pthread_cond_destroy(&team->work);
    pthread_mutex_destroy(&team->lock);
}

/* The threads leave all signals to those of the program. */
static void start_threads(cd_team *team, int threads)
{
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    for (team->size = 1; team->size < threads; team->size++)
        if (pthread_create(&team->threads[team->size], NULL, help, team) != 0)
            break;
    pthread_sigmask(SIG_SETMASK, &before, NULL);
}

cd_team *cd_team_create(cd_arena *arena, int threads)
{
    cd_team *team = threads > 1 ? cd_arena_take(arena, sizeof *team) : NULL;
    if (team == NULL)
        return NULL;
    const int wanted = threads < CD_MOST_THREADS ? threads : CD_MOST_THREADS;
    team->spins = wanted <= cd_processors() ? SPINS : 0;
    team->process = getpid();
    if (pthread_mutex_init(&team->lock, NULL) != 0)
        return NULL;
    pthread_cond_init(&team->work, NULL);
    pthread_cond_init(&team->done, NULL);
    start_threads(team, wanted);
    cd_arena_finally(arena, close_team, team);
    return arena->failed || team->size < 2 ? NULL : team;
}

int cd_team_size(const cd_team *team)
{
    return team != NULL ? team->size : 1;
}

int cd_processors(void)
{
#ifdef __linux__
    cpu_set_t set;
    if (sched_getaffinity(0, sizeof set, &set) == 0)
        return CPU_COUNT(&set);
#endif
    const long count = sysconf(_SC_NPROCESSORS_ONLN);
    return count > 0 ? (int)count : 1;
}
