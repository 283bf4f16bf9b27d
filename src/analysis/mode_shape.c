/* Normalising and naming shapes; see mode_shape.h. */
#include "mode_shape.h"

#include "base/numeric.h"
#include "linearise.h"

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
static void divide(int k, double re, double im, double *x)
{
    const double square = re * re + im * im;
    for (int i = 0; i < k; i++) {
        const double a = x[i], b = x[k + i];
        x[i] = (a * re + b * im) / square;
        x[k + i] = (b * re - a * im) / square;
    }
}

/* Makes the largest displacement 1, or the largest velocity if the displacements are nothing. */
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
    divide(k, re, im, displacement);
    divide(k, re, im, velocity);
}

/* The names of the largest parts of a shape. */
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

cardan_mode cd_mode_make(cd_arena *arena, const cardan_system *system, double real, double imag,
                         double *shape)
{
    const int k = system->k;
    normalise(k, shape, shape + 2 * k);
    return (cardan_mode){.real = real,
                         .imag = imag,
                         .frequency = imag / 6.283185307179586,
                         .damping_ratio = -real / hypot(real, imag),
                         .moves = name_shape(arena, system, shape),
                         .displacement = shape,
                         .velocity = shape + 2 * k};
}
