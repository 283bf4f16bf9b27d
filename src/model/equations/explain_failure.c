/* Finds which element has no value at a point, and why, for the message after a failed callback. */
#include "equations.h"

#include <stdio.h>
#include <string.h>

enum { MOST_VALUES = CD_ELEMENT_COLUMNS }; /* more than the rows of an element */

/* Whether a function of an element (NULL: none) succeeds with finite values. */
static bool has_value(cd_element_function *function, const cd_element *element,
                      const cd_element_point *at)
{
    double values[MOST_VALUES] = {0.0};
    return function == NULL || (function(element->self, at, values) == 0 &&
                                cd_first_not_finite(MOST_VALUES, values) < 0);
}

/* Whether constraints and force of an element have values; callbacks of the user are not called. */
static bool has_all_values(const cardan_model *model, const cd_element *element,
                           const cardan_point *at)
{
    const cd_element_type *type = element->type;
    const bool moving = at->v != NULL;
    cd_chain_rule chain;
    cd_chain_set_up(model, element, at, moving, &chain);
    if (!has_value(type->constraint, element, &chain.point))
        return false;
    return !moving || ((type->calls_user || has_value(type->force, element, &chain.point)) &&
                       has_value(type->nonholonomic, element, &chain.point));
}

/* Writes " between `a` and `b`", unless one of them is a turn counter. */
static void write_body_names(const cardan_model *model, const cd_element *element, char *text,
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

bool cd_model_explain_failure(void *context, const cardan_point *at, char *text, int size)
{
    const cardan_model *model = context;
    char between[300];
    for (int e = 0; e < model->elements; e++) {
        const cd_element *element = &model->element[e];
        if (has_all_values(model, element, at))
            continue;
        const bool force = cd_index_find(&model->force_names, element->name) >= 0 &&
                           element->type->constraint == NULL && element->type->nonholonomic == NULL;
        write_body_names(model, element, between, sizeof between);
        snprintf(text, (size_t)size, "%s `%s`%s has no value: %s", force ? "force" : "joint",
                 element->name, between,
                 element->type->no_value_reason != NULL ? element->type->no_value_reason
                                                        : "a number in it is not finite");
        return true;
    }
    return false;
}
