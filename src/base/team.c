/* Tasks are handed out by a ticket, one number that holds the next task and how many there are. A
 * thread takes a task by one atomic exchange, and the run cannot end before that task is done. */
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

/* How often a thread that waits checks its condition before it yields the processor, and then
 * before it sleeps: some 20 and 100 us. To wake a thread costs as much. */
enum { SPINS = 600, YIELDS = 200 };

struct cd_team {
    int size, spins;
    pid_t process; /* that its threads belong to */
    cd_task_function *function;
    void *self;
    _Atomic uint64_t ticket; /* next task << 32 | tasks */
    atomic_int left;         /* tasks that are not done */
    atomic_uint run;         /* counts runs: a change tells waiting threads that there is work */
    atomic_int sleepers;
    atomic_bool caller_sleeps, over; /* over: the threads are to end */
    pthread_mutex_t lock;
    pthread_cond_t work, done;
    pthread_t threads[CD_MOST_THREADS];
};

/* Tells the processor that the thread is in a waiting loop. */
static void pause_processor(void)
{
#if defined(__x86_64__) || defined(__i386__)
    __builtin_ia32_pause();
#endif
}

static bool take_task(cd_team *team, int *task)
{
    uint64_t ticket = atomic_load_explicit(&team->ticket, memory_order_acquire);
    while ((ticket >> 32) < (uint32_t)ticket)
        if (atomic_compare_exchange_weak_explicit(&team->ticket, &ticket, ticket + (1ull << 32),
                                                  memory_order_acq_rel, memory_order_acquire)) {
            *task = (int)(ticket >> 32);
            return true;
        }
    return false;
}

/* Does tasks until none is left, and wakes the caller after the last one. */
static void do_tasks(cd_team *team)
{
    for (int task; take_task(team, &task);) {
        team->function(team->self, task);
        if (atomic_fetch_sub(&team->left, 1) == 1 && atomic_load(&team->caller_sleeps)) {
            pthread_mutex_lock(&team->lock);
            pthread_cond_signal(&team->done);
            pthread_mutex_unlock(&team->lock);
        }
    }
}

/* Waits without sleeping until the condition holds; false if that takes too long. */
static bool wait_awake(cd_team *team, bool (*condition)(cd_team *, unsigned), unsigned seen)
{
    for (int i = 0; i < team->spins; i++) {
        if (condition(team, seen))
            return true;
        pause_processor();
    }
    for (int i = 0; i < YIELDS; i++) {
        if (condition(team, seen))
            return true;
        sched_yield();
    }
    return false;
}

static bool has_new_run(cd_team *team, unsigned seen)
{
    return atomic_load(&team->run) != seen;
}

static void await_new_run(cd_team *team, unsigned seen)
{
    if (wait_awake(team, has_new_run, seen))
        return;
    pthread_mutex_lock(&team->lock);
    atomic_fetch_add(&team->sleepers, 1);
    while (!has_new_run(team, seen))
        pthread_cond_wait(&team->work, &team->lock);
    atomic_fetch_sub(&team->sleepers, 1);
    pthread_mutex_unlock(&team->lock);
}

/* What the threads of the team do, except the caller's. */
static void *run_helper(void *argument)
{
    cd_team *team = argument;
    while (!atomic_load(&team->over)) {
        const unsigned seen = atomic_load(&team->run);
        do_tasks(team);
        if (!atomic_load(&team->over))
            await_new_run(team, seen);
    }
    return NULL;
}

/* Tells all threads that there is a new run, or that they are to end. */
static void wake_threads(cd_team *team)
{
    atomic_fetch_add(&team->run, 1);
    if (atomic_load(&team->sleepers) == 0)
        return;
    pthread_mutex_lock(&team->lock);
    pthread_cond_broadcast(&team->work);
    pthread_mutex_unlock(&team->lock);
}

static bool is_run_over(cd_team *team, unsigned unused)
{
    (void)unused;
    return atomic_load(&team->left) == 0;
}

static void await_end_of_run(cd_team *team)
{
    if (wait_awake(team, is_run_over, 0))
        return;
    pthread_mutex_lock(&team->lock);
    atomic_store(&team->caller_sleeps, true);
    while (!is_run_over(team, 0))
        pthread_cond_wait(&team->done, &team->lock);
    atomic_store(&team->caller_sleeps, false);
    pthread_mutex_unlock(&team->lock);
}

void cd_team_run(cd_team *team, int tasks, cd_task_function *function, void *self)
{
    if (tasks < 2 || cd_team_size(team) == 1) { /* also after a fork */
        for (int task = 0; task < tasks; task++)
            function(self, task);
        return;
    }
    team->function = function;
    team->self = self;
    atomic_store(&team->left, tasks);
    atomic_store_explicit(&team->ticket, (uint32_t)tasks, memory_order_release);
    wake_threads(team);
    do_tasks(team);
    await_end_of_run(team);
}

/* ---- loops ---- */

enum { MOST_SPANS = 16 };

/* A loop over n numbers: each task is one span, of which it calls `function` or `measure`. */
typedef struct loop {
    int n, spans;
    cd_span_function *function;
    cd_span_measure *measure;
    void *self;
    double found[MOST_SPANS]; /* what `measure` returned */
} loop;

static void call_function_for_span(void *object, int task)
{
    loop *it = object;
    it->function(it->self, cd_span_of(it->n, it->spans, task));
}

static void keep_measure_of_span(void *object, int task)
{
    loop *it = object;
    it->found[task] = it->measure(it->self, cd_span_of(it->n, it->spans, task));
}

/* How many spans, of at least `least` numbers, a loop is cut into. */
static int count_spans(int n, int least)
{
    const int most = n / least;
    return most < 1 ? 1 : most < MOST_SPANS ? most : MOST_SPANS;
}

void cd_team_loop(cd_team *team, int n, int least, cd_span_function *function, void *self)
{
    if (team == NULL) {
        function(self, (cd_span){0, n});
        return;
    }
    loop it = {.n = n, .spans = count_spans(n, least), .function = function, .self = self};
    cd_team_run(team, it.spans, call_function_for_span, &it);
}

double cd_team_largest(cd_team *team, int n, int least, cd_span_measure *measure, void *self)
{
    if (team == NULL)
        return measure(self, (cd_span){0, n});
    loop it = {.n = n, .spans = count_spans(n, least), .measure = measure, .self = self};
    double largest = 0.0;
    cd_team_run(team, it.spans, keep_measure_of_span, &it);
    for (int i = 0; i < it.spans; i++)
        if (!(it.found[i] <= largest) && !isnan(largest))
            largest = it.found[i];
    return largest;
}

void cd_team_check_fork(cd_team *team)
{
    if (team != NULL && team->process != getpid())
        team->size = 1;
}

/* Ends the threads. After a fork the child has none, and the state of its locks is unknown. */
static void close_team(void *object)
{
    cd_team *team = object;
    if (team->process != getpid())
        return;
    atomic_store(&team->over, true);
    wake_threads(team);
    for (int i = 1; i < team->size; i++)
        pthread_join(team->threads[i], NULL);
    pthread_cond_destroy(&team->done);
    pthread_cond_destroy(&team->work);
    pthread_mutex_destroy(&team->lock);
}

/* Starts threads that block all signals, which thus go to the threads of the program. */
static void start_threads(cd_team *team, int threads)
{
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    for (team->size = 1; team->size < threads; team->size++)
        if (pthread_create(&team->threads[team->size], NULL, run_helper, team) != 0)
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
    cd_arena_on_destroy(arena, close_team, team);
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
