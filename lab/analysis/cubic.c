/* A real cubic by Newton's iteration from outside its outermost real root, where the iteration is
 * monotone and cannot fail, and division by that root in the direction that keeps the digits
 * (W. Kahan, "To solve a real cubic equation", 1986). */
#define __STDC_WANT_IEC_60559_TYPES_EXT__
#include "cubic.h"

enum { MOST_ITERATIONS = 500 };

static cd_quad larger(cd_quad x, cd_quad y)
{
    return x > y ? x : y;
}

/* A bound, tight up to a moderate factor, of the positive root of s^3 + slope s - value. */
static cd_quad reach(cd_quad value, cd_quad slope)
{
    cd_quad cubic = cbrtf128(value);
    if (slope < 0)
        return 1.33 * larger(cubic, sqrtf128(-slope));
    return cubic * slope < value ? cubic : value / slope;
}

static cd_quad newton(cd_quad b, cd_quad c, cd_quad d, cd_quad x)
{
    cd_quad value = ((x + b) * x + c) * x + d;
    cd_quad slope = (3 * x + 2 * b) * x + c;
    return slope != 0 ? x - value / slope : x;
}

/* The real root on the side of the inflection point where the cubic changes sign. */
static cd_quad outer_root(cd_quad b, cd_quad c, cd_quad d)
{
    cd_quad inflection = -b / 3;
    cd_quad value = ((inflection + b) * inflection + c) * inflection + d;
    cd_quad slope = (3 * inflection + 2 * b) * inflection + c;
    if (value == 0)
        return inflection;
    cd_quad side = value > 0 ? -1 : 1;
    cd_quad x = inflection + side * reach(fabsf128(value), slope);
    for (int i = 0; i < MOST_ITERATIONS; i++) {
        cd_quad next = newton(b, c, d, x);
        if (side * next >= side * x)
            break;
        x = next;
    }
    return newton(b, c, d, x);
}

/* The roots of x^2 + p x + q beside the real root already found. */
static void solve_pair(cd_quad p, cd_quad q, lab_cubic_roots *roots)
{
    cd_quad discriminant = p * p / 4 - q;
    roots->mean = -p / 2;
    roots->imaginary = discriminant < 0 ? sqrtf128(-discriminant) : 0;
    roots->distance = discriminant > 0 ? sqrtf128(discriminant) : 0;
}

lab_cubic_roots lab_cubic_solve(cd_quad b, cd_quad c, cd_quad d)
{
    lab_cubic_roots roots = {.real = d == 0 ? 0 : outer_root(b, c, d)};
    cd_quad x = roots.real;
    cd_quad p = x + b;
    cd_quad q = p * x + c;
    if (x * x * fabsf128(x) > fabsf128(d)) {
        q = -d / x;
        p = (q - c) / x;
    }
    solve_pair(p, q, &roots);
    return roots;
}
