/* Collects the names of all elements and reads the sections, in the order of their dependence. */
#include "read.h"

#include <math.h>
#include <string.h>

bool cd_reading_init(cd_reading *reading, cd_document *document)
{
    cd_arena *arena = &document->arena;
    *reading = (cd_reading){.document = document,
                            .report = &document->report,
                            .angle_unit = 1.0,
                            .parameter_names = cd_names_create(arena),
                            .bodies = cd_names_create(arena),
                            .joints = cd_names_create(arena),
                            .signal_names = cd_names_create(arena),
                            .forces = cd_names_create(arena)};
    return !arena->failed;
}

static bool is_name_letter(unsigned char c)
{
    return c >= 0x80 || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
           (c >= '0' && c <= '9') || c == '_';
}

/* Rejects names with characters that mean something in paths of --set or in spreadsheets, pages and
 * terminals that show results. Letters of all alphabets are allowed. */
static bool check_name_letters(cd_reading *r, const cd_node *name)
{
    const unsigned char *text = (const unsigned char *)name->text;
    char quoted[CD_QUOTE];
    const size_t length = strlen(name->text);
    bool valid = is_name_letter(text[0]) && text[length - 1] != ' ';
    for (size_t i = 0; i < length; i++)
        valid = valid && (is_name_letter(text[i]) || text[i] == '-' || text[i] == ' ');
    if (!valid)
        cd_reject(r, name,
                  "the name `%s` cannot be used; take letters, digits, _ and, after the first, - "
                  "and spaces",
                  cd_quotable(name->text, quoted));
    return valid;
}

static bool check_element_name(cd_reading *r, const cd_node *name)
{
    const bool valid = check_name_letters(r, name), ground = strcmp(name->text, "ground") == 0;
    if (ground)
        cd_reject(r, name, "`ground` is the world and always there; take another name");
    return valid && !ground;
}

/* Checks the letters of sensors' names, which may equal those of other elements. */
static void check_sensor_names(cd_reading *r, const cd_node *section)
{
    for (const cd_node *entry = section->first; entry != NULL && section->kind == CD_LIST;
         entry = entry->next) {
        const cd_node *name = cd_node_find(entry, "name");
        if (name != NULL && name->kind == CD_SCALAR && !cd_is_empty(name))
            check_name_letters(r, name);
    }
}

/* Whether an entry has, or may have under an unknown key, a name that cannot be read. (The mistake
 * itself is reported where the entry is read.) */
static bool may_hide_name(const cd_schema *schema, const cd_node *entry, const cd_node *name)
{
    if (entry->kind != CD_MAP)
        return true;
    if (name != NULL)
        return name->kind != CD_SCALAR;
    for (const cd_node *word = entry->first; word != NULL; word = word->next)
        if (cd_field_find(schema, word->key) < 0)
            return true;
    return false;
}

/* Collects the names of a list of elements, before any is read that may refer to them. */
static void collect_names(cd_reading *r, const cd_schema *schema, const cd_node *section,
                          cd_names *names)
{
    char quoted[CD_QUOTE];
    int i = 0;
    for (const cd_node *entry = section->first; entry != NULL; entry = entry->next, i++) {
        const cd_node *name = cd_node_find(entry, "name");
        if (may_hide_name(schema, entry, name))
            cd_names_mark_incomplete(names);
        if (name == NULL || name->kind != CD_SCALAR || cd_is_empty(name))
            continue;
        if (cd_names_add(names, name->text, i) >= 0)
            cd_reject(r, name,
                      "the name `%s` is taken by an earlier one in `%s`; names must differ",
                      cd_quotable(name->text, quoted), section->key);
        if (!check_element_name(r, name))
            cd_names_mark_invalid(names, name->text);
    }
}

/* Collects the names of a section. They are incomplete if the section is no list, or is missing and
 * may be one of those with an unknown key. */
static void find_names(cd_reading *r, const cd_model_item *model, const char *word, cd_names *names)
{
    const cd_field *field = &cd_model_schema.fields[cd_field_find(&cd_model_schema, word)];
    const cd_node *section = cd_given_field(&model->item, word);
    const bool absent = section == NULL || cd_is_empty(section);
    if (!absent && section->kind == CD_LIST && section->count > 0)
        collect_names(r, field->detail, section, names);
    else if ((!absent && section->kind != CD_LIST) || field->required != 0 ||
             r->has_unknown_sections)
        cd_names_mark_incomplete(names);
    if (r->document->lacks_file)
        cd_names_mark_incomplete(names);
}

/* Finds the node of every section; reports keys that are no section. */
static void find_sections(cd_reading *r, const cd_node *root, cd_model_item *model)
{
    const cd_schema *schema = &cd_model_schema;
    for (const cd_node *entry = root->first; entry != NULL; entry = entry->next) {
        int i = cd_field_find(schema, entry->key);
        const bool known = i >= 0;
        if (!known)
            i = cd_reject_unknown_field(r, schema, entry);
        r->has_unknown_sections = r->has_unknown_sections || i < 0;
        /* What was meant is read as if it were there, so that no mistakes follow from this one. */
        if (known || (i >= 0 && cd_node_find(root, schema->fields[i].word) == NULL))
            model->item.given[i] = entry;
    }
}

static void require_sections(cd_reading *r, const cd_node *root, const cd_model_item *model)
{
    for (int i = 0; i < cd_model_schema.count; i++) {
        const cd_field *field = &cd_model_schema.fields[i];
        if (field->required == 0 || model->item.given[i] != NULL || r->document->lacks_file)
            continue;
        if (strcmp(field->word, "gravity") == 0)
            cd_reject(r, root,
                      "`gravity` is not stated; write `gravity: [0, 0, -9.81]`, or `gravity: [0, "
                      "0, 0]` for none");
        else
            cd_reject(r, root, "this file has no `%s`; state it: %s", field->word, field->text);
    }
}

static void check_version(cd_reading *r, const cd_model_item *model)
{
    const cd_node *node = cd_given_field(&model->item, "cardan");
    if (node != NULL && model->version != 0 && model->version != 1)
        cd_reject(r, node, "this file has the format %d; this version of Cardan reads format 1",
                  model->version);
}

/* Reads the sections in the order of the schema, in which each needs only those before it. */
static void read_sections(cd_reading *r, cd_model_item *model)
{
    for (int i = 0; i < cd_model_schema.count; i++) {
        const cd_field *field = &cd_model_schema.fields[i];
        const cd_node *node = model->item.given[i];
        if (node != NULL && field->detail == &cd_signal_schema && node->kind == CD_LIST)
            cd_read_signal_section(r, node);
        else if (node != NULL)
            cd_read_value(r, field, node, (char *)model + field->offset);
        if (field->kind == CD_PARAMETERS &&
            (r->document->lacks_file ||
             (r->has_unknown_sections && cd_names_count(r->parameter_names) == 0)))
            cd_names_mark_incomplete(r->parameter_names);
        r->angle_unit = model->units.angle == CD_DEGREES ? acos(-1.0) / 180.0 : 1.0;
    }
}

void cd_read_model(cd_reading *r, const cd_node *root, cd_model_item *model)
{
    cd_model_schema.set_default(model);
    const cd_node **given =
        cd_arena_take(&r->document->arena, (size_t)cd_model_schema.count * sizeof(const cd_node *));
    if (given == NULL)
        return;
    model->item = (cd_item){&cd_model_schema, root, given};
    find_sections(r, root, model);
    require_sections(r, root, model);
    find_names(r, model, "bodies", r->bodies);
    find_names(r, model, "joints", r->joints);
    find_names(r, model, "signals", r->signal_names);
    find_names(r, model, "forces", r->forces);
    read_sections(r, model);
    check_version(r, model);
    if (cd_given_field(&model->item, "sensors") != NULL)
        check_sensor_names(r, cd_given_field(&model->item, "sensors"));
}
