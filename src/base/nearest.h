/* Which of several names a mistyped one was meant to be. */
#ifndef CD_BASE_NEAREST_H
#define CD_BASE_NEAREST_H

/* Returns name i of a list. */
typedef const char *cd_name_at(const void *list, int i);

/* Index of the name with the fewest edits from `text`, or -1 if even that takes more than about
 * a third of its letters. */
int cd_nearest_name(const char *text, const void *list, int count, cd_name_at *name);

#endif
