/* Calls Simbody through a module that is loaded when it is first needed: the program neither
 * depends on it nor starts slower for it. PEER_SIMBODY_MODULE is its path, if it was built. */
#include "simbody.h"

#include <dlfcn.h>
#include <stddef.h>
#include <string.h>

typedef const char *text_function(void);
typedef bool create_function(peer_simbody **, const cardan_model *, const double *, const double *,
                             double);
typedef void destroy_function(peer_simbody *);
typedef bool advance_function(peer_simbody *, double, double *);
typedef void work_function(const peer_simbody *, peer_simbody_work *);

/* A function of the module at `function`, or NULL there; the module stays loaded. */
static bool find(const char *name, void *function)
{
    void *symbol = NULL;
#ifdef PEER_SIMBODY_MODULE
    void *module = dlopen(PEER_SIMBODY_MODULE, RTLD_NOW | RTLD_NODELETE);
    if (module != NULL)
        symbol = dlsym(module, name);
#else
    (void)name;
#endif
    memcpy(function, &symbol, sizeof symbol);
    return symbol != NULL;
}

const char *peer_simbody_text(void)
{
    text_function *text;
    return find("module_text", &text) ? text() : NULL;
}

bool peer_simbody_create(peer_simbody **peer, const cardan_model *model, const double *q,
                         const double *v, double accuracy)
{
    create_function *create;
    *peer = NULL;
    return find("module_create", &create) && create(peer, model, q, v, accuracy);
}

void peer_simbody_destroy(peer_simbody *peer)
{
    destroy_function *destroy;
    if (peer != NULL && find("module_destroy", &destroy))
        destroy(peer);
}

bool peer_simbody_advance(peer_simbody *peer, double t, double *q)
{
    advance_function *advance;
    return find("module_advance", &advance) && advance(peer, t, q);
}

void peer_simbody_work_of(const peer_simbody *peer, peer_simbody_work *work)
{
    work_function *count;
    *work = (peer_simbody_work){0};
    if (find("module_work", &count))
        count(peer, work);
}
