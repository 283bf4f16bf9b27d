/* Where Cardan's memory comes from. Objects allocate when they are created and never while an
 * integrator steps; a definition may name another allocator than malloc/free. */
#ifndef CARDAN_MEMORY_H
#define CARDAN_MEMORY_H

#include <stddef.h>

/* allocate returns memory aligned for any type, or NULL; release takes back what allocate gave, or
 * is NULL if nothing is to be done then. Without allocate: malloc and free. */
typedef struct cardan_allocator {
    void *(*allocate)(size_t size, void *context);
    void (*release)(void *memory, void *context);
    void *context;
} cardan_allocator;

#endif
