/* See saved.h. */
#include "saved.h"

#include "experiment.h"
#include "suite.h"

#include <stdlib.h>
#include <string.h>

static unsigned long seed;

void random_seed(unsigned long value)
{
    seed = value;
}

/* Knuth's MMIX generator. */
unsigned random_below(unsigned n)
{
    seed = seed * 6364136223846793005u + 1442695040888963407u;
    return (unsigned)(seed >> 33) % n;
}

saved save(cardan_integrator *it)
{
    saved s = {cardan_checkpoint_size(it), NULL};
    s.bytes = malloc(s.size);
    CHECK_STATUS(it, cardan_checkpoint_save(it, s.bytes, s.size));
    return s;
}

static void check_same_vector(const char *what, int n, const double *x, const double *y)
{
    ck_assert_msg(n == 0 || memcmp(x, y, (size_t)n * sizeof *x) == 0, "%s differs", what);
}

/* All that the public functions show, without use of checkpoints. */
static void check_same(cardan_integrator *one, cardan_integrator *two)
{
    const cardan_state *x = cardan_integrator_state(one), *y = cardan_integrator_state(two);
    const cardan_system *system = cardan_integrator_system(one, CARDAN_EVENT_MODE_NOW);
    const int k = cardan_system_describe(system).dof,
              m = cardan_system_describe(system).constraint_count;
    const int l = cardan_system_describe(system).nonholonomic_count;
    const cardan_statistics s = cardan_integrator_statistics(one);
    const cardan_statistics z = cardan_integrator_statistics(two);
    const cardan_energy_balance e = cardan_integrator_energy_balance(one),
                                f = cardan_integrator_energy_balance(two);
    check_same_vector("t", 1, &x->t, &y->t);
    check_same_vector("h", 1, &x->h, &y->h);
    check_same_vector("q", cardan_group_size(cardan_system_describe(system).group), x->q, y->q);
    check_same_vector("v", k, x->v, y->v);
    check_same_vector("v'", k, x->vdot, y->vdot);
    check_same_vector("a", k, x->a, y->a);
    check_same_vector("lambda", m, x->lambda, y->lambda);
    check_same_vector("psi", l, x->psi, y->psi);
    check_same_vector("eta", m, x->eta, y->eta);
    ck_assert_int_eq(x->stages, y->stages);
    ck_assert((x->stage == NULL) == (y->stage == NULL));
    check_same_vector("stage", x->stage != NULL ? m + l : 0, x->stage, y->stage);
    check_same_vector("stage times", x->stages, x->stage_time, y->stage_time);
    ck_assert_mem_eq(&s, &z, sizeof s);
    ck_assert_mem_eq(&e, &f, sizeof e);
}

void check_identical(cardan_integrator *one, cardan_integrator *two)
{
    check_same(one, two);
    saved x = save(one), y = save(two);
    ck_assert_uint_eq(x.size, y.size);
    ck_assert_mem_eq(x.bytes, y.bytes, x.size);
    free(x.bytes);
    free(y.bytes);
}
