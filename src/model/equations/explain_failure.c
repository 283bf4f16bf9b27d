/* Which element has no value at a point, and why: a callback of the whole model tells only that one
 * has not. Looked for when a message needs it. */
#include "equations.h"

#include <stdio.h>
#include <string.h>

enum { MOST_VALUES = CD_ELEMENT_COLUMNS }; /* more than the rows of an element */

static bool has_value(cd_element_function *function, const cd_element *element,
                      const cd_element_point *at)
{
    double values[MOST_VALUES] = {0.0};
    return function == NULL || (function(element->self, at, values) == 0 &&
                                cd_first_not_finite(MOST_VALUES, values) < 0);
}

/* A user's callback is not called for a message: it tells its failures itself. */
static bool is_sound(const cardan_model *model, const cd_element *element, const cardan_point *at)
{
    const cd_element_type *type = element->type;
    const bool moving = at->v != NULL;
    cd_chain_rule chain;
    cd_chain_open(model, element, at, moving, &chain);
    if (!has_value(type->constraint, element, &chain.place))
        return false;
    return !moving || ((type->calls_user || has_value(type->force, element, &chain.place)) &&
                       has_value(type->nonholonomic, element, &chain.place));
}

/* " between `a` and `b`", unless one of them is a turn counter. */
static void name_bodies(const cardan_model *model, const cd_element *element, char *text,
                        size_t size)
{
    const char *name[2];
    text[0] = '\0';
    if (element->count != 2)
        return;
    for (int i = 0; i < 2; i++) {
        if (element->body[i] < CARDAN_GROUND)
            return;
        name[i] = element->body[i] >= 0 ? model->body[element->body[i]].name : "ground";
    }
    snprintf(text, size, " between `%s` and `%s`", name[0], name[1]);
}

bool cd_model_explain(void *context, const cardan_point *at, char *text, int size)
{
    const cardan_model *model = context;
    char between[300];
    for (int e = 0; e < model->elements; e++) {
        const cd_element *element = &model->element[e];
        if (is_sound(model, element, at))
            continue;
        const bool force = cd_index_find(&model->force_names, element->name) >= 0 &&
                           element->type->constraint == NULL && element->type->nonholonomic == NULL;
        name_bodies(model, element, between, sizeof between);
        snprintf(text, (size_t)size, "%s `%s`%s has no value: %s", force ? "force" : "joint",
                 element->name, between,
                 element->type->refusal != NULL ? element->type->refusal
                                                : "a number in it is not finite");
        return true;
    }
    return false;
}
