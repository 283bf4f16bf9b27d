/* What both methods of finding modes share; see mode_shape.h. */
#include "mode_shape.h"

#include "base/numeric.h"
#include "linearise.h"

#include <stdlib.h>

static int compare_modulus(const void *a, const void *b)
{
    const cd_eigenpair *one = a, *two = b;
    const double x = hypot(one->real, one->imag), y = hypot(two->real, two->imag);
    if (x != y)
        return x < y ? -1 : 1;
    return (one->real > two->real) - (one->real < two->real);
}

void cd_eigenpairs_sort(cd_eigenpair *pairs, int count)
{
    if (count > 1)
        qsort(pairs, (size_t)count, sizeof *pairs, compare_modulus);
}

/* The entry of largest modulus of a complex vector (real parts, then imaginary ones). */
static int largest_entry(int k, const double *x)
{
    int best = 0;
    for (int i = 1; i < k; i++)
        if (hypot(x[i], x[k + i]) > 1.0000001 * hypot(x[best], x[k + best]))
            best = i;
    return best;
}

/* x /= re + i im, for a complex vector */
static void divide_by_complex(int k, double re, double im, double *x)
{
    const double square = re * re + im * im;
    for (int i = 0; i < k; i++) {
        const double a = x[i], b = x[k + i];
        x[i] = (a * re + b * im) / square;
        x[k + i] = (b * re - a * im) / square;
    }
}

/* Scales a shape: the largest displacement or, if it hardly moves, velocity becomes 1. */
static void normalise(int k, double *displacement, double *velocity)
{
    const int d = largest_entry(k, displacement), v = largest_entry(k, velocity);
    const double move = hypot(displacement[d], displacement[k + d]);
    const double speed = hypot(velocity[v], velocity[k + v]);
    const bool moves = move > 1e-10 * speed;
    const double *by = moves ? displacement : velocity;
    const int at = moves ? d : v;
    const double re = by[at], im = by[k + at];
    if (re == 0.0 && im == 0.0)
        return;
    divide_by_complex(k, re, im, displacement);
    divide_by_complex(k, re, im, velocity);
}

/* The names of the largest entries of a shape; NULL without memory. */
static const char *name_shape(cd_arena *arena, const cardan_system *system, const double *shape)
{
    enum { SIZE = 200 };
    const int k = system->k;
    const bool moves = cd_max_abs(2 * k, shape) > 0.5; /* else only the velocity is 1 */
    const double *x = moves ? shape : shape + 2 * k;
    cd_arena scratch;
    cd_arena_init(&scratch, &arena->allocator);
    double *size = cd_arena_doubles(&scratch, k);
    char *text = size != NULL ? cd_arena_take(arena, SIZE) : NULL;
    for (int i = 0; text != NULL && i < k; i++)
        size[i] = hypot(x[i], x[k + i]);
    if (text != NULL)
        cd_name_direction(system, size, text, SIZE);
    cd_arena_destroy(&scratch);
    return text;
}

bool cd_modes_fill(cd_arena *arena, const cardan_system *system, const cd_eigenpair *pairs,
                   int count, double *shapes, cardan_modes *modes)
{
    const int k = system->k;
    cardan_mode *list = cd_arena_take(arena, (size_t)(count + 1) * sizeof *list);
    modes->count = count;
    modes->mode = list;
    for (int i = 0; list != NULL && i < count; i++) {
        double *shape = shapes + (size_t)i * 4 * (size_t)k;
        const double real = pairs[i].real, imag = pairs[i].imag;
        normalise(k, shape, shape + 2 * k);
        list[i] = (cardan_mode){.real = real,
                                .imag = imag,
                                .frequency = imag / 6.283185307179586,
                                .damping_ratio = -real / hypot(real, imag),
                                .moves = name_shape(arena, system, shape),
                                .displacement = shape,
                                .velocity = shape + 2 * k};
        modes->largest_real = i == 0 ? real : fmax(modes->largest_real, real);
        if (list[i].moves == NULL)
            return false;
    }
    return list != NULL;
}

cardan_status cd_modes_judge_steady(cd_arena *arena, const cardan_system *system,
                                    const cardan_point *at, const cd_steadiness *test,
                                    cardan_modes *modes)
{
    const int k = system->k;
    const double speed = cd_max_abs(k, at->v), still = 1e3 * test->tolerance;
    modes->acceleration = cd_max_abs(k, at->vdot);
    modes->is_steady = modes->acceleration <= still * (1.0 + speed * speed);
    if (!modes->is_steady || speed == 0.0)
        return CARDAN_OK;
    const double time = 0.1 / speed;
    double *q = cd_arena_doubles(arena, cardan_group_size(system->group));
    double *probe = cd_arena_doubles(arena, 2 * k), *one = cd_arena_doubles(arena, 2 * k);
    double *two = cd_arena_doubles(arena, 2 * k);
    if (arena->failed)
        return CARDAN_OUT_OF_MEMORY;
    cd_add(k, time, at->v, probe);
    cardan_group_update(system->group, at->q, probe, q);
    const cardan_point later = {at->t + time, q, at->v, NULL, at->lambda, at->psi};
    const cardan_status status = test->open(test->further, &later);
    modes->is_steady = false;
    if (status != CARDAN_OK) /* the model may not reach that point: no failure */
        return status > 0 ? CARDAN_OK : status;
    for (int i = 0; i < 2 * k; i++)
        probe[i] = 1.0 + 0.5 * cos(3.7 * i);
    test->image(test->here, probe, one);
    test->image(test->further, probe, two);
    const double size = cd_max_abs(2 * k, one);
    cd_add(2 * k, -1.0, one, two);
    modes->is_steady = cd_max_abs(2 * k, two) <= still * size;
    return CARDAN_OK;
}
