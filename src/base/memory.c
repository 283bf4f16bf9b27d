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
}

void *cd_arena_take(cd_arena *arena, size_t size)
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
