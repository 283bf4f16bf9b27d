/* The arena is a list of blocks; it is filled when an object is made and never afterwards. Large
 * blocks are mapped pages: they are zero without being written to, so unused ones take no memory,
 * and they return to the system when they are released. */
#if !defined(_DEFAULT_SOURCE)
#define _DEFAULT_SOURCE /* MAP_ANONYMOUS */
#endif
#include "memory.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#if defined(__GLIBC__)
#include <malloc.h>
#endif
#include <sys/mman.h>
#include <unistd.h>

/* Does an address sanitizer watch the bounds of blocks? Each request then gets its own block. */
#if defined(__SANITIZE_ADDRESS__)
enum { WATCHED = 1 };
#else
enum { WATCHED = 0 };
#endif
enum {
    LARGE_PAGE = 1 << 21,
    LEAST_MAPPED = 1 << 16 /* bytes; smaller blocks would waste too much of their last page */
};

struct cd_arena_block {
    struct cd_arena_block *next;
    void *pages; /* mapped for this block; or NULL: its memory follows in `data` */
    size_t size; /* of the pages */
    max_align_t data[];
};

struct cd_arena_closer {
    struct cd_arena_closer *next;
    void (*close)(void *object);
    void *object;
};

void *cd_allocate(const cardan_allocator *allocator, size_t size)
{
    if (allocator == NULL || allocator->allocate == NULL)
        return calloc(size > 0 ? size : 1, 1);
    void *memory = allocator->allocate(size, allocator->context);
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

void cd_trim_heap(const cardan_allocator *allocator)
{
    (void)allocator;
#if defined(__GLIBC__)
    if (allocator == NULL || allocator->allocate == NULL)
        (void)malloc_trim(0);
#endif
}

static void *map_pages(size_t size)
{
    void *made = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    return made != MAP_FAILED ? made : NULL;
}

/* Pages for a block; if it is long, large pages, which are read faster (a step of 10 000 bodies by
 * a fifth). Short blocks are often hardly used and would waste a large page. A long block begins at
 * the start of a large page, which it then shares with no block that may be out of use. */
static void *map_large_pages(size_t size)
{
    const size_t large = LARGE_PAGE, small = (size_t)sysconf(_SC_PAGESIZE);
    char *made = size >= 4 * large && size <= SIZE_MAX - 2 * large ? map_pages(size + large) : NULL;
    if (made == NULL)
        return map_pages(size);
    const size_t before = (large - (uintptr_t)made % large) % large;
    const size_t used = (size + small - 1) / small * small;
    char *const begin = made + before, *const end = begin + used;
    const size_t all = (size + large + small - 1) / small * small;
    if (before > 0)
        munmap(made, before);
    if (end < made + all)
        munmap(end, (size_t)(made + all - end));
#if defined(MADV_HUGEPAGE)
    (void)madvise(begin, used, MADV_HUGEPAGE);
#endif
    return begin;
}

/* A block with pages of its own, to which nothing is written. */
static struct cd_arena_block *create_mapped_block(size_t size)
{
    struct cd_arena_block *block = calloc(1, sizeof *block);
    void *pages = block != NULL ? map_large_pages(size) : NULL;
    if (pages == NULL) {
        free(block);
        return NULL;
    }
    block->pages = pages;
    block->size = size;
    return block;
}

/* Does a block of this size get pages of its own? */
static bool is_mapped(const cardan_allocator *allocator, size_t size)
{
    return !WATCHED && allocator->allocate == NULL && size >= LEAST_MAPPED;
}

/* Returns whole pages to the system. With a sanitizer, overwrites the memory: later uses show. */
void cd_arena_forget(const cd_arena *arena, void *memory, size_t size)
{
    const uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE), begin = (uintptr_t)memory;
    const uintptr_t first = (begin + page - 1) / page * page, end = (begin + size) / page * page;
    if (WATCHED && size > 0)
        memset(memory, 0xff, size);
    else if (is_mapped(&arena->allocator, size) && end > first)
        (void)madvise((char *)memory + (first - begin), end - first, MADV_DONTNEED);
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
        if (block->pages != NULL)
            munmap(block->pages, block->size);
        cd_release(&arena->allocator, block);
        block = next;
    }
    arena->blocks = NULL;
    arena->free = NULL;
    arena->left = arena->chunk = 0;
}

/* Adds a block to the arena; returns its memory, NULL if there is none left. */
static void *add_block(cd_arena *arena, size_t size)
{
    struct cd_arena_block *block = NULL;
    if (is_mapped(&arena->allocator, size))
        block = create_mapped_block(size);
    else if (size <= SIZE_MAX - sizeof *block)
        block = cd_allocate(&arena->allocator, sizeof *block + size);
    if (block == NULL) {
        arena->failed = 1;
        return NULL;
    }
    block->next = arena->blocks;
    arena->blocks = block;
    return block->pages != NULL ? block->pages : block->data;
}

/* Bytes: small requests share blocks, each twice as large as the one before. */
enum { SMALL = WATCHED ? 0 : 256, FIRST_CHUNK = 512, LAST_CHUNK = 1 << 18 };

void *cd_arena_take(cd_arena *arena, size_t size)
{
    const size_t unit = _Alignof(max_align_t), rounded = (size + unit - 1) / unit * unit;
    if (size == 0 || size > SMALL)
        return add_block(arena, size);
    if (rounded > arena->left) {
        const size_t next = arena->chunk == 0 ? FIRST_CHUNK : 2 * arena->chunk;
        arena->chunk = next < LAST_CHUNK ? next : LAST_CHUNK;
        arena->free = add_block(arena, arena->chunk);
        arena->left = arena->free != NULL ? arena->chunk : 0;
        if (arena->free == NULL)
            return NULL;
    }
    void *taken = arena->free;
    arena->free += rounded;
    arena->left -= rounded;
    return taken;
}

void cd_arena_on_destroy(cd_arena *arena, void (*close)(void *object), void *object)
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

void *cd_arena_grow(cd_arena *arena, void *items, int count, int *capacity, size_t size)
{
    if (count < *capacity)
        return items;
    const int wanted = *capacity > 0 ? 2 * *capacity : 16;
    void *larger = cd_arena_take(arena, (size_t)wanted * size);
    if (larger == NULL)
        return NULL;
    if (count > 0)
        memcpy(larger, items, (size_t)count * size);
    *capacity = wanted;
    return larger;
}

char *cd_arena_string(cd_arena *arena, const char *text)
{
    char *copy = cd_arena_take(arena, strlen(text) + 1);
    if (copy != NULL)
        strcpy(copy, text);
    return copy;
}
