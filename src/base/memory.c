/* The arena is a list of blocks; it is filled when an object is made and never afterwards. */
#include "base/memory.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

struct cd_arena_block {
    struct cd_arena_block *next;
    max_align_t data[];
};

struct cd_arena_closer {
    struct cd_arena_closer *next;
    void (*close)(void *object);
    void *object;
};

void *cd_allocate(const cardan_allocator *allocator, size_t size)
{
    void *memory = (allocator != NULL && allocator->allocate != NULL)
                       ? allocator->allocate(size, allocator->context)
                       : malloc(size);
    if (memory != NULL)
        memset(memory, 0, size);
    return memory;
}

void cd_release(const cardan_allocator *allocator, void *memory)
{
    if (memory == NULL)
        return;
    if (allocator == NULL || allocator->allocate == NULL)
        free(memory);
    else if (allocator->release != NULL)
        allocator->release(memory, allocator->context);
}

void cd_arena_init(cd_arena *arena, const cardan_allocator *allocator)
{
    memset(arena, 0, sizeof *arena);
    if (allocator != NULL)
        arena->allocator = *allocator;
}

void cd_arena_destroy(cd_arena *arena)
{
    for (struct cd_arena_closer *closer = arena->closers; closer != NULL; closer = closer->next)
        closer->close(closer->object);
    arena->closers = NULL;
    struct cd_arena_block *block = arena->blocks;
    while (block != NULL) {
        struct cd_arena_block *next = block->next;
        cd_release(&arena->allocator, block);
        block = next;
    }
    arena->blocks = NULL;
    arena->free = NULL;
    arena->left = arena->chunk = 0;
}

static void *take_block(cd_arena *arena, size_t size)
{
    struct cd_arena_block *block = NULL;
    if (size <= SIZE_MAX - sizeof *block)
        block = cd_allocate(&arena->allocator, sizeof *block + size);
    if (block == NULL) {
        arena->failed = 1;
        return NULL;
    }
    block->next = arena->blocks;
    arena->blocks = block;
    return block->data;
}

/* Small requests share blocks that grow with their number. Not so where an address sanitizer
 * watches the bounds of each. */
#if defined(__SANITIZE_ADDRESS__)
enum { SMALL = 0 };
#else
enum { SMALL = 256 };
#endif
enum { FIRST_CHUNK = 512, LAST_CHUNK = 1 << 15 };

void *cd_arena_take(cd_arena *arena, size_t size)
{
    const size_t unit = sizeof(max_align_t), rounded = (size + unit - 1) / unit * unit;
    if (size == 0 || size > SMALL)
        return take_block(arena, size);
    if (rounded > arena->left) {
        const size_t next = arena->chunk == 0 ? FIRST_CHUNK : 2 * arena->chunk;
        arena->chunk = next < LAST_CHUNK ? next : LAST_CHUNK;
        arena->free = take_block(arena, arena->chunk);
        arena->left = arena->free != NULL ? arena->chunk : 0;
        if (arena->free == NULL)
            return NULL;
    }
    void *taken = arena->free;
    arena->free += rounded;
    arena->left -= rounded;
    return taken;
}

void cd_arena_finally(cd_arena *arena, void (*close)(void *object), void *object)
{
    struct cd_arena_closer *closer = cd_arena_take(arena, sizeof *closer);
    if (closer == NULL) {
        close(object);
        return;
    }
    *closer = (struct cd_arena_closer){arena->closers, close, object};
    arena->closers = closer;
}

double *cd_arena_doubles(cd_arena *arena, int count)
{
    return cd_arena_take(arena, (size_t)count * sizeof(double));
}

char *cd_arena_string(cd_arena *arena, const char *text)
{
    char *copy = cd_arena_take(arena, strlen(text) + 1);
    if (copy != NULL)
        strcpy(copy, text);
    return copy;
}
