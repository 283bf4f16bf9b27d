/* Memory allocation. Objects allocate memory when they are created and never while an integrator
 * steps. A definition may provide another allocator than malloc and free. */
#ifndef CARDAN_MEMORY_H
#define CARDAN_MEMORY_H

#include <stddef.h>

/* `allocate` returns memory aligned for any type, or NULL. `release` frees it; NULL: nothing is to
 * be done. If `allocate` is NULL, malloc and free are used. */
typedef struct cardan_allocator {
    void *(*allocate)(size_t size, void *context);
    void (*release)(void *memory, void *context);
    void *context; /* passed to both */
} cardan_allocator;

#endif
