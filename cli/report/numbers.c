/* Numbers for the report page. Exact ones are XORed with the one before and split into planes of
 * equal bytes; rounded ones become 16-bit integers of which second differences are kept. */
#include "numbers.h"
#include "cli/setup/options.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

void cli_numbers_free(cli_numbers *numbers)
{
    free(numbers->bytes);
    *numbers = (cli_numbers){0};
}

static unsigned char *take(cli_numbers *numbers, size_t size)
{
    if (numbers->size + size > numbers->capacity) {
        numbers->capacity = 2 * (numbers->size + size);
        numbers->bytes = cli_reallocate(numbers->bytes, numbers->capacity, 1);
    }
    unsigned char *place = numbers->bytes + numbers->size;
    numbers->size += size;
    return place;
}

static void write_planes(unsigned char *out, const double *values, size_t count, uint64_t mask)
{
    uint64_t last = 0;
    for (size_t i = 0; i < count; i++) {
        uint64_t bits;
        memcpy(&bits, &values[i], sizeof bits);
        bits &= isnan(values[i]) ? ~(uint64_t)0 : mask;
        const uint64_t change = bits ^ last;
        for (size_t plane = 0; plane < 8; plane++)
            out[plane * count + i] = (unsigned char)(change >> (8 * plane));
        last = bits;
    }
}

static void write_rounded(unsigned char *out, const double *values, size_t count, double unit,
                          double middle)
{
    uint16_t last = 0, rate = 0;
    for (size_t i = 0; i < count; i++) {
        const uint16_t k =
            unit > 0.0 ? (uint16_t)(int16_t)lround((values[i] - middle) / unit) : (uint16_t)0;
        const uint16_t now = (uint16_t)(k - last);
        const int16_t change = (int16_t)(uint16_t)(now - rate);
        const uint16_t code = (uint16_t)(((unsigned)change << 1) ^ (change < 0 ? 0xffffu : 0u));
        out[i] = (unsigned char)(code & 0xff);
        out[count + i] = (unsigned char)(code >> 8);
        last = k;
        rate = now;
    }
}

/* False if the array holds a number that is not finite. */
static bool range_of(const double *values, size_t count, double *unit, double *middle)
{
    double least = INFINITY, most = -INFINITY;
    for (size_t i = 0; i < count; i++) {
        if (!isfinite(values[i]))
            return false;
        least = fmin(least, values[i]);
        most = fmax(most, values[i]);
    }
    *middle = count > 0 ? 0.5 * least + 0.5 * most : 0.0;
    *unit = count > 0 ? (0.5 * most - 0.5 * least) / 32500.0 : 0.0;
    return isfinite(*unit);
}

json_t *cli_numbers_add(cli_numbers *numbers, const double *values, size_t count,
                        cli_precision precision)
{
    double unit, middle;
    json_t *array = json_pack("{s:I,s:I}", "at", (json_int_t)numbers->size, "n", (json_int_t)count);
    if (precision == CLI_ROUNDED && range_of(values, count, &unit, &middle)) {
        write_rounded(take(numbers, 2 * count), values, count, unit, middle);
        json_object_set_new(array, "unit", json_real(unit));
        json_object_set_new(array, "middle", json_real(middle));
        return array;
    }
    const uint64_t mask = precision == CLI_EXACT ? ~(uint64_t)0 : ~(((uint64_t)1 << 40) - 1);
    write_planes(take(numbers, 8 * count), values, count, mask);
    return array;
}

static char *base64(const unsigned char *bytes, size_t size, size_t *length)
{
    static const char letters[] =
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    char *text = cli_allocate((size + 2) / 3 * 4 + 1, 1), *next = text;
    for (size_t i = 0; i < size; i += 3) {
        const unsigned b = i + 1 < size ? bytes[i + 1] : 0, c = i + 2 < size ? bytes[i + 2] : 0;
        const unsigned word = (unsigned)bytes[i] << 16 | b << 8 | c;
        *next++ = letters[word >> 18];
        *next++ = letters[word >> 12 & 63];
        *next++ = i + 1 < size ? letters[word >> 6 & 63] : '=';
        *next++ = i + 2 < size ? letters[word & 63] : '=';
    }
    *next = '\0';
    *length = (size_t)(next - text);
    return text;
}

char *cli_numbers_text(const cli_numbers *numbers, size_t *length)
{
    uLongf size = compressBound((uLong)numbers->size);
    unsigned char *deflated = cli_allocate(size, 1);
    const unsigned char nothing = 0;
    const int code = compress2(deflated, &size, numbers->size > 0 ? numbers->bytes : &nothing,
                               (uLong)numbers->size, 6);
    char *text = base64(deflated, code == Z_OK ? size : 0, length);
    free(deflated);
    return text;
}
