/* See rates.h. */
#include "rates.h"

#include "base/numeric.h"

#include <math.h>
#include <string.h>

/* Bounds that nothing has confirmed grow by so much, a time that rates are seen, and fall by no
 * more than that: errors of several places may have cancelled each other. */
static const double loosening = 1.15, tightening = 0.3;

void cd_rates_forget(cd_rates *rates)
{
    rates->known = false;
    rates->age = 0;
    memset(rates->of, 0, sizeof rates->of);
}

/* Rates grow with the age of the factors, in proportion to what has moved meanwhile; young factors
 * may be bad for other reasons, so rates do not fall as fast. */
static double growth(const cd_rates *rates, int age)
{
    const double ratio = (double)age / rates->age;
    return ratio < 1.0 ? sqrt(ratio) : ratio;
}

/* One row: estimates are loosened, held where this correction shows that they can be no larger, and
 * all together brought to what would have given it. */
static void see_row(cd_rates *rates, int row, const double *first, double found, bool shows)
{
    double *of = rates->of[row], sum = 0.0;
    for (int j = 0; j < rates->parts; j++) {
        const double most = found / first[j];
        if (first[j] > 0.0)
            of[j] = rates->known && of[j] > 0.0
                        ? cd_smaller(loosening * of[j], cd_larger(tightening * of[j], most))
                        : most;
        sum += of[j] * first[j];
    }
    if (!(sum > 0.0) || (sum < found && !shows))
        return;
    const double factor = rates->known ? cd_larger(tightening, found / sum) : found / sum;
    for (int j = 0; j < rates->parts; j++)
        of[j] *= factor;
}

void cd_rates_see(cd_rates *rates, int age, const double *first, const double *second, double noise)
{
    const double change = rates->known ? growth(rates, age) : 1.0;
    for (int i = 0; i < rates->parts; i++)
        for (int j = 0; j < rates->parts; j++)
            rates->of[i][j] *= change;
    for (int i = 0; i < rates->parts; i++)
        see_row(rates, i, first, second[i], second[i] > noise);
    rates->known = true;
    rates->age = age;
}

/* sizes = factor E sizes; returns the largest. */
static double reduce(const cd_rates *rates, double factor, double *sizes)
{
    double next[CD_RATES_PARTS], largest = 0.0;
    for (int i = 0; i < rates->parts; i++) {
        next[i] = 0.0;
        for (int j = 0; j < rates->parts; j++)
            next[i] += factor * rates->of[i][j] * sizes[j];
        largest = cd_larger(largest, next[i]);
    }
    memcpy(sizes, next, (size_t)rates->parts * sizeof *next);
    return largest;
}

double cd_rates_left(const cd_rates *rates, int age, double margin, const double *sizes)
{
    const double factor = margin * growth(rates, age);
    if (rates->parts == 1) {
        const double rate = factor * rates->of[0][0];
        return rate < 0.9 ? rate / (1.0 - rate) * sizes[0] : INFINITY;
    }
    double error[CD_RATES_PARTS];
    memcpy(error, sizes, (size_t)rates->parts * sizeof *error);
    const double first = reduce(rates, factor, error), second = reduce(rates, factor, error);
    const double ratio = first > 0.0 ? reduce(rates, factor, error) / first : 0.0; /* of two */
    return ratio < 0.9 ? (first + second) / (1.0 - ratio) : INFINITY;
}

int cd_rates_further(const cd_rates *rates, int age, const double *sizes, double enough, int most)
{
    const double factor = (double)age / rates->age;
    double error[CD_RATES_PARTS];
    int count = 0;
    memcpy(error, sizes, (size_t)rates->parts * sizeof *error);
    while (count < most && reduce(rates, factor, error) > enough)
        count++;
    return count;
}
