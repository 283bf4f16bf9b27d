/* The mark of an HDF5 file that is being written: flags in the superblock (version 3 of the HDF5
 * file format: signature, version, two sizes, flags, four addresses, checksum). The file is whole
 * at any moment, so we take the mark off after every flush: a run that is killed leaves a file that
 * any program opens without more ado. */
#include "hdf5_parts.h"

#include <stdint.h>
#include <string.h>
#include <unistd.h>

enum { VERSION_AT = 8, FLAGS_AT = 11, CHECKSUM_AT = 44, SIZE = 48, BLOCK = 12 };

static uint32_t rotate(uint32_t x, int bits)
{
    return x << bits | x >> (32 - bits);
}

static uint32_t word(const unsigned char *bytes)
{
    return (uint32_t)bytes[0] | (uint32_t)bytes[1] << 8 | (uint32_t)bytes[2] << 16 |
           (uint32_t)bytes[3] << 24;
}

/* One round each on the three words of Jenkins' hash lookup3: x[i] loses x[i-1], takes its bits
 * turned, and x[i-1] gains x[i+1]. */
static void mix(uint32_t x[3])
{
    static const int bits[6] = {4, 6, 8, 16, 19, 4};
    for (int i = 0; i < 6; i++) {
        uint32_t *a = &x[i % 3], *b = &x[(i + 1) % 3], *c = &x[(i + 2) % 3];
        *a = (*a - *c) ^ rotate(*c, bits[i]);
        *c += *b;
    }
}

static void finish(uint32_t x[3])
{
    static const int bits[7] = {14, 11, 25, 16, 4, 14, 24};
    for (int i = 0; i < 7; i++) {
        uint32_t *to = &x[(i + 2) % 3], *from = &x[(i + 1) % 3];
        *to = (*to ^ *from) - rotate(*from, bits[i]);
    }
}

/* Jenkins' lookup3 of the bytes before the checksum, as the file format asks for. */
static uint32_t checksum_of(const unsigned char *bytes)
{
    const uint32_t first = 0xdeadbeefu + CHECKSUM_AT;
    uint32_t x[3] = {first, first, first};
    unsigned char last[BLOCK] = {0};
    int at = 0;
    for (; CHECKSUM_AT - at > BLOCK; at += BLOCK) {
        for (int i = 0; i < 3; i++)
            x[i] += word(bytes + at + 4 * i);
        mix(x);
    }
    memcpy(last, bytes + at, (size_t)(CHECKSUM_AT - at));
    for (int i = 0; i < 3; i++)
        x[i] += word(last + 4 * i);
    finish(x);
    return x[2];
}

bool cli_h5_unmark(int file)
{
    unsigned char bytes[SIZE];
    if (pread(file, bytes, SIZE, 0) != SIZE || bytes[VERSION_AT] != 3)
        return false;
    if (checksum_of(bytes) != word(bytes + CHECKSUM_AT))
        return false; /* not the format that we know: better left alone */
    if (bytes[FLAGS_AT] == 0)
        return true;
    bytes[FLAGS_AT] = 0;
    const uint32_t checksum = checksum_of(bytes);
    for (int i = 0; i < 4; i++)
        bytes[CHECKSUM_AT + i] = (unsigned char)(checksum >> 8 * i);
    return pwrite(file, bytes, SIZE, 0) == SIZE;
}
