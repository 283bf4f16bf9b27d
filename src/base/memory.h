/* Memory from a user's allocator, and an arena: everything an object needs, released together. */
#ifndef CD_BASE_MEMORY_H
#define CD_BASE_MEMORY_H

#include <cardan/memory.h>

/* Zeroed memory, or NULL. An all-zero or NULL allocator means malloc and free. */
void *cd_allocate(const cardan_allocator *allocator, size_t size);
void cd_release(const cardan_allocator *allocator, void *memory);

/* Makes malloc return its free memory to the system, after much was released. */
void cd_trim_heap(const cardan_allocator *allocator);

typedef struct cd_arena {
    cardan_allocator allocator;
    struct cd_arena_block *blocks;
    unsigned char *free;             /* next free byte of the block that small requests share */
    size_t left, chunk;              /* free bytes in that block, and its size */
    struct cd_arena_closer *closers; /* calls of cd_arena_on_destroy */
    int failed; /* an allocation returned NULL: check once after all requests */
} cd_arena;

void cd_arena_init(cd_arena *arena, const cardan_allocator *allocator);
void cd_arena_destroy(cd_arena *arena);

/* Calls close(object) when the arena is destroyed; at once if memory runs out. */
void cd_arena_on_destroy(cd_arena *arena, void (*close)(void *object), void *object);

/* Zeroed memory that lives as long as the arena; NULL, and `failed`, if memory runs out. */
void *cd_arena_take(cd_arena *arena, size_t size);
double *cd_arena_doubles(cd_arena *arena, int count);

/* Makes room for one more item of `size` bytes in an array of `count` items: returns the array, or
 * a copy with twice the capacity; NULL if memory runs out. */
void *cd_arena_grow(cd_arena *arena, void *items, int count, int *capacity, size_t size);
/* A copy of the text. */
char *cd_arena_string(cd_arena *arena, const char *text);

/* Returns memory of the arena to the system until it is written to again; what it holds is lost. */
void cd_arena_forget(const cd_arena *arena, void *memory, size_t size);

#endif
