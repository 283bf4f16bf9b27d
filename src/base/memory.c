/* The arena is a list of blocks; it is filled when an object is made and never afterwards. Large
 * blocks are pages of their own: zero without being touched, so that what is never used takes no
 * memory, and given back to the machine when they are released. */
#if !defined(_DEFAULT_SOURCE)
#define _DEFAULT_SOURCE /* MAP_ANONYMOUS */
#endif
#include "base/memory.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#if defined(__GLIBC__)
#include <malloc.h>
#endif
#if defined(__unix__)
#include <sys/mman.h>
#include <unistd.h>
#endif

struct cd_arena_block {
    struct cd_arena_block *next;
    size_t pages; /* bytes of the block if it has pages of its own, else 0 */
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

void cd_release_all(const cardan_allocator *allocator)
{
    (void)allocator;
#if defined(__GLIBC__)
    if (allocator == NULL || allocator->allocate == NULL)
        (void)malloc_trim(0);
#endif
}

/* Not where an address sanitizer watches the bounds. */
#if defined(MAP_ANONYMOUS) && !defined(__SANITIZE_ADDRESS__)
enum { LEAST_PAGES = 1 << 16 }; /* smaller blocks would waste too much of their last page */

static struct cd_arena_block *take_pages(size_t size)
{
    struct cd_arena_block *block =
        mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (block == MAP_FAILED)
        return NULL;
    block->pages = size;
    return block;
}

static struct cd_arena_block *allocate_block(const cardan_allocator *allocator, size_t size)
{
    const bool own = allocator->allocate == NULL && size >= LEAST_PAGES;
    return own ? take_pages(size) : cd_allocate(allocator, size);
}

static void release_block(const cardan_allocator *allocator, struct cd_arena_block *block)
{
    if (block->pages > 0)
        munmap(block, block->pages);
    else
        cd_release(allocator, block);
}

void cd_arena_forget(const cd_arena *arena, void *memory, size_t size)
{
    const uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE), begin = (uintptr_t)memory;
    const uintptr_t first = (begin + page - 1) / page * page, end = (begin + size) / page * page;
    if (arena->allocator.allocate == NULL && size >= LEAST_PAGES && end > first)
        (void)madvise((void *)first, end - first, MADV_DONTNEED);
}
#else
static struct cd_arena_block *allocate_block(const cardan_allocator *allocator, size_t size)
{
    return cd_allocate(allocator, size);
}

static void release_block(const cardan_allocator *allocator, struct cd_arena_block *block)
{
    cd_release(allocator, block);
}

/* Whoever needs it after all is found out. */
void cd_arena_forget(const cd_arena *arena, void *memory, size_t size)
{
    (void)arena;
    if (size > 0)
        memset(memory, 0xff, size);
}
#endif

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
        release_block(&arena->allocator, block);
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
        block = allocate_block(&arena->allocator, sizeof *block + size);
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
enum { FIRST_CHUNK = 512, LAST_CHUNK = 1 << 18 };

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
