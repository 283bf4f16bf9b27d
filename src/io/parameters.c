/* The parameters of a file, evaluated when first needed: they may refer to each other. */
#include "expression.h"
#include "read.h"

#include <stdio.h>
#include <string.h>

static void check_parameter_name(cd_reading *r, const cd_node *entry)
{
    char quoted[CD_QUOTE];
    if (cd_is_identifier(entry->key) && strcmp(entry->key, "pi") != 0)
        return;
    cd_report_error(r->report, entry->key_location,
                    "a parameter cannot be called `%s`; use letters, digits and _ and start "
                    "with a letter",
                    cd_quotable(entry->key, quoted));
    cd_names_mark_invalid(r->parameter_names, entry->key);
}

/* Evaluates a parameter, and marks it meanwhile, to find circles. */
static void evaluate_parameter(cd_reading *r, cd_parameter *parameter)
{
    parameter->state = CD_PARAMETER_BEING_READ;
    const bool sound = cd_read_number(r, parameter->node, parameter->node->key, &parameter->value);
    parameter->state = sound ? CD_PARAMETER_KNOWN : CD_PARAMETER_BAD;
}

void cd_read_parameters(cd_reading *r, const cd_field *field, const cd_node *node, void *none)
{
    (void)none; /* they stay in the reading */
    if (node->kind != CD_MAP) {
        cd_reject_value(r, node, field->word, "a map of names and numbers");
        cd_names_mark_incomplete(r->parameter_names);
        return;
    }
    r->parameters = cd_arena_take(&r->document->arena, (size_t)node->count * sizeof *r->parameters);
    if (r->parameters == NULL)
        return;
    int count = 0;
    for (const cd_node *entry = node->first; entry != NULL; entry = entry->next) {
        r->parameters[count].node = entry;
        if (cd_names_add(r->parameter_names, entry->key, count) < 0)
            count++;
        check_parameter_name(r, entry);
    }
    for (int i = 0; i < count; i++)
        if (r->parameters[i].state == CD_PARAMETER_NEW)
            evaluate_parameter(r, &r->parameters[i]);
}

bool cd_parameter_value(cd_reading *r, const char *name, double *value, char *why, size_t size)
{
    const int i = cd_names_find(r->parameter_names, name);
    why[0] = '\0';
    if (i < 0 && cd_names_explain_absence(r->parameter_names, name))
        return false;
    if (i < 0) {
        const char *nearest = cd_suggest_name(r, r->parameter_names, name);
        if (nearest != NULL)
            snprintf(why, size, "there is no parameter `%s`; did you mean `%s`?", name, nearest);
        else
            snprintf(why, size, "there is no parameter `%s`; add it to `parameters`", name);
        return false;
    }
    cd_parameter *parameter = &r->parameters[i];
    parameter->used = true;
    if (parameter->state == CD_PARAMETER_NEW && r->depth < CD_MAX_CHAIN) {
        r->depth++;
        evaluate_parameter(r, parameter);
        r->depth--;
    }
    if (parameter->state == CD_PARAMETER_KNOWN) {
        *value = parameter->value;
        return true;
    }
    if (parameter->state == CD_PARAMETER_NEW)
        snprintf(why, size, "the parameter `%s` depends on too many others in a row", name);
    else if (parameter->state == CD_PARAMETER_BEING_READ)
        snprintf(why, size, "the parameter `%s` depends on itself; give one of them a number",
                 name);
    return false;
}
