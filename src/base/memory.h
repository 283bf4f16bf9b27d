/* Memory from a user's allocator, and an arena: everything an object needs, released together. */
#ifndef CD_BASE_MEMORY_H
#define CD_BASE_MEMORY_H

#include <cardan/memory.h>

/* Zeroed memory, or NULL. An all-zero or NULL allocator means malloc and free. */
void *cd_allocate(const cardan_allocator *allocator, size_t size);
void cd_release(const cardan_allocator *allocator, void *memory);

/* After much was released to malloc: gives what it keeps for later back to the machine. */
void cd_release_all(const cardan_allocator *allocator);

typedef struct cd_arena {
    cardan_allocator allocator;
    struct cd_arena_block *blocks;
    unsigned char *free; /* of the block that small requests share */
    size_t left, chunk;  /* its bytes, and the size of the last such block */
    struct cd_arena_closer *closers;
    int failed; /* an allocation returned NULL: check once after all requests */
} cd_arena;

void cd_arena_init(cd_arena *arena, const cardan_allocator *allocator);
void cd_arena_destroy(cd_arena *arena);

/* Has close(object) called when the arena is destroyed, for what other libraries allocate. If
 * memory runs out it is called at once. */
void cd_arena_finally(cd_arena *arena, void (*close)(void *object), void *object);

/* Zeroed memory that lives as long as the arena; never NULL for size 0. */
void *cd_arena_take(cd_arena *arena, size_t size);
double *cd_arena_doubles(cd_arena *arena, int count);

/* Room for one more item of `size` bytes behind `count` of them: the array, or a copy with twice
 * the capacity; NULL if memory runs out. */
void *cd_arena_grow(cd_arena *arena, void *items, int count, int *capacity, size_t size);
char *cd_arena_string(cd_arena *arena, const char *text);

/* What is in this memory of the arena is not needed any more: the machine may have it until it is
 * written to again. */
void cd_arena_forget(const cd_arena *arena, void *memory, size_t size);

#endif
