/* Reads the section `signals`, and values that name a signal, are a number, or define a signal. */
#include "base/index.h"
#include "read.h"

#include <string.h>

/* Appends a signal with default values to r->signals; NULL without memory. */
static cd_signal_item *append_signal(cd_reading *r)
{
    cd_signal_item **signals =
        cd_grow(NULL, r->signals, r->signal_count, &r->signal_capacity, sizeof(cd_signal_item *));
    if (signals == NULL) {
        r->document->arena.failed = 1;
        return NULL;
    }
    r->signals = signals;
    cd_signal_item *signal = cd_arena_take(&r->document->arena, sizeof *signal);
    if (signal == NULL)
        return NULL;
    cd_signal_schema.set_default(signal);
    r->signals[r->signal_count++] = signal;
    return signal;
}

static void read_signal_map(cd_reading *r, const cd_node *node, cd_signal_item *signal)
{
    const cd_node **given = cd_arena_take(&r->document->arena,
                                          (size_t)cd_signal_schema.count * sizeof(const cd_node *));
    if (given == NULL)
        return;
    signal->item = (cd_item){&cd_signal_schema, node, given};
    cd_read_fields(r, &cd_signal_schema, node, signal, given);
}

void cd_read_signal_section(cd_reading *r, const cd_node *node)
{
    for (int i = 0; i < node->count; i++)
        if (append_signal(r) == NULL)
            return;
    int i = 0;
    for (const cd_node *entry = node->first; entry != NULL; entry = entry->next) {
        cd_signal_item *signal = r->signals[i++];
        read_signal_map(r, entry, signal);
        if (signal->name == NULL && entry->kind == CD_MAP && cd_node_find(entry, "name") == NULL)
            cd_reject(r, entry,
                      "this signal has no `name`; nothing could refer to it, give it one");
    }
}

/* Is a text a number or an expression, not the name of a signal? */
static bool looks_like_number(const cd_node *node)
{
    const char *text = node->text;
    return !node->quoted ? strchr("0123456789+-.$=", text[0]) != NULL && text[0] != '\0'
                         : text[0] == '=' || text[0] == '$';
}

static void find_named_signal(cd_reading *r, const cd_field *field, const cd_node *node,
                              int *number)
{
    char quoted[CD_QUOTE];
    const int found = cd_names_find(r->signal_names, node->text);
    const char *nearest = found < 0 ? cd_suggest_name(r, r->signal_names, node->text) : NULL;
    if (r->document->arena.failed) /* not all that have names are there */
        return;
    if (found >= 0) {
        *number = found;
        r->signals[found]->used = true;
    } else if (cd_absence_explained(r, r->signal_names, node, node->text)) {
        return;
    } else if (nearest != NULL) {
        cd_reject(r, node, "there is no signal `%s`; did you mean `%s`?",
                  cd_quotable(node->text, quoted), nearest);
    } else {
        cd_reject(r, node,
                  "`%s`: there is no signal `%s`; name one of the section `signals`, or give a "
                  "number or {type: ..., ...}",
                  field->word, cd_quotable(node->text, quoted));
    }
}

void cd_read_signal(cd_reading *r, const cd_field *field, const cd_node *node, void *number)
{
    if (node->kind == CD_LIST || (node->kind == CD_SCALAR && node->text[0] == '\0')) {
        cd_reject(r, node, "`%s` wants the name of a signal, a number or {type: ..., ...}",
                  field->word);
        return;
    }
    if (node->kind == CD_SCALAR && !looks_like_number(node)) {
        find_named_signal(r, field, node, number);
        return;
    }
    const int index = r->signal_count;
    cd_signal_item *signal = append_signal(r);
    if (signal == NULL)
        return;
    signal->used = true;
    *(int *)number = index;
    if (node->kind == CD_MAP) {
        read_signal_map(r, node, signal);
    } else {
        signal->item.node = node;
        signal->type = CARDAN_SIGNAL_CONSTANT;
        cd_read_number(r, node, field->word, &signal->def.value);
    }
}

void cd_read_signals(cd_reading *r, const cd_field *field, const cd_node *node, void *signal)
{
    cd_signal_item *item = signal;
    if (node->kind != CD_LIST || node->count == 0) {
        cd_reject(r, node, "`%s` wants a list of signals", field->word);
        return;
    }
    int *numbers = cd_arena_take(&r->document->arena, (size_t)node->count * sizeof *numbers);
    if (numbers == NULL)
        return;
    item->def.terms = item->terms = numbers;
    item->def.count = node->count;
    for (const cd_node *entry = node->first; entry != NULL; entry = entry->next) {
        *numbers = CARDAN_NONE;
        cd_read_signal(r, field, entry, numbers++);
    }
}
