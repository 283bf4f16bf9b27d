/* Names and their numbers, found in constant time. */
#ifndef CD_IO_NAME_NUMBERS_H
#define CD_IO_NAME_NUMBERS_H

#include "base/memory.h"

#include <stdbool.h>

typedef struct cd_names cd_names;

/* Lives as long as the arena, which also knows when there was no memory (then NULL). */
cd_names *cd_names_create(cd_arena *arena);

/* Adds a name, which must outlive the table, with a number >= 0. Returns the number that the name
 * has already, or -1; a name keeps its first number. -2 without memory. */
int cd_names_add(cd_names *names, const char *name, int number);

/* The number of a name, or -1. */
int cd_names_find(const cd_names *names, const char *name);

int cd_names_count(const cd_names *names);

/* Marks a name that must not be used: it is found, but never proposed. */
void cd_names_mark_invalid(cd_names *names, const char *name);

/* Notes that some names could not be read. */
void cd_names_mark_incomplete(cd_names *names);

/* Whether a name is missing because of a mistake reported earlier: some names could not be read, or
 * the one spelled most alike is invalid. */
bool cd_names_explain_absence(const cd_names *names, const char *text);

/* The name that a mistyped one was probably meant to be, or NULL. */
const char *cd_names_nearest(const cd_names *names, const char *text);

#endif
