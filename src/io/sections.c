/* The sections of a model file, in the order in which they depend on each other. */
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

/* Names appear in paths of --set and in columns of results, which spreadsheets, pages and terminals
 * show: nothing that these could take for more than a name. Letters of all alphabets are. */
static bool check_letters(cd_reading *r, const cd_node *name)
{
    const unsigned char *text = (const unsigned char *)name->text;
    char quoted[CD_QUOTED];
    const size_t length = strlen(name->text);
    bool sound = is_name_letter(text[0]) && text[length - 1] != ' ';
    for (size_t i = 0; i < length; i++)
        sound = sound && (is_name_letter(text[i]) || text[i] == '-' || text[i] == ' ');
    if (!sound)
        cd_reject(r, name,
                  "the name `%s` cannot be used; take letters, digits, _ and, after the first, - "
                  "and spaces",
                  cd_quoted(name->text, quoted));
    return sound;
}

static bool check_name(cd_reading *r, const cd_node *name)
{
    const bool sound = check_letters(r, name), ground = strcmp(name->text, "ground") == 0;
    if (ground)
        cd_reject(r, name, "`ground` is the world and always there; take another name");
    return sound && !ground;
}

/* Names of sensors may be those of others. */
static void check_sensors(cd_reading *r, const cd_node *section)
{
    for (const cd_node *entry = section->first; entry != NULL && section->kind == CD_LIST;
         entry = entry->next) {
        const cd_node *name = cd_node_find(entry, "name");
        if (name != NULL && name->kind == CD_SCALAR && !cd_is_nothing(name))
            check_letters(r, name);
    }
}

/* Has an element a name that cannot be read? That is reported where it is read. */
static bool hides_name(const cd_element *element, const cd_node *entry, const cd_node *name)
{
    if (entry->kind != CD_MAP)
        return true;
    if (name != NULL)
        return name->kind != CD_SCALAR;
    for (const cd_node *word = entry->first; word != NULL; word = word->next)
        if (cd_field_find(element, word->key) < 0)
            return true;
    return false;
}

/* Before a section is read, so that its elements may refer to each other. */
static void collect_names(cd_reading *r, const cd_element *element, const cd_node *section,
                          cd_names *names)
{
    char quoted[CD_QUOTED];
    int i = 0;
    for (const cd_node *entry = section->first; entry != NULL; entry = entry->next, i++) {
        const cd_node *name = cd_node_find(entry, "name");
        if (hides_name(element, entry, name))
            cd_names_doubt(names);
        if (name == NULL || name->kind != CD_SCALAR || cd_is_nothing(name))
            continue;
        if (cd_names_add(names, name->text, i) >= 0)
            cd_reject(r, name,
                      "the name `%s` is taken by an earlier one in `%s`; names must differ",
                      cd_quoted(name->text, quoted), section->key);
        if (!check_name(r, name))
            cd_names_refuse(names, name->text);
    }
}

/* The names of a section; nobody knows which there are if it is no list, or if it may be one of
 * those whose word is not known. */
static void find_names(cd_reading *r, const cd_model_item *model, const char *word, cd_names *names)
{
    const cd_field *field = &cd_model_element.fields[cd_field_find(&cd_model_element, word)];
    const cd_node *section = cd_given(&model->item, word);
    const bool absent = section == NULL || cd_is_nothing(section);
    if (!absent && section->kind == CD_LIST && section->count > 0)
        collect_names(r, field->detail, section, names);
    else if ((!absent && section->kind != CD_LIST) || field->required != 0 ||
             r->has_unknown_sections)
        cd_names_doubt(names);
    if (r->document->lacks_file)
        cd_names_doubt(names);
}

/* Known words of the top level; the rest is reported. */
static void find_sections(cd_reading *r, const cd_node *root, cd_model_item *model)
{
    const cd_element *element = &cd_model_element;
    for (const cd_node *entry = root->first; entry != NULL; entry = entry->next) {
        int i = cd_field_find(element, entry->key);
        const bool known = i >= 0;
        if (!known)
            i = cd_refuse_unknown(r, element, entry);
        r->has_unknown_sections = r->has_unknown_sections || i < 0;
        /* What was meant is read as if it were there, so that no mistakes follow from this one. */
        if (known || (i >= 0 && cd_node_find(root, element->fields[i].word) == NULL))
            model->item.given[i] = entry;
    }
}

static void require_sections(cd_reading *r, const cd_node *root, const cd_model_item *model)
{
    for (int i = 0; i < cd_model_element.count; i++) {
        const cd_field *field = &cd_model_element.fields[i];
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
    const cd_node *node = cd_given(&model->item, "cardan");
    if (node != NULL && model->version != 0 && model->version != 1)
        cd_reject(r, node, "this file has the format %d; this version of Cardan reads format 1",
                  model->version);
}

/* The sections in the order of the schema, in which each needs only those before it. */
static void read_sections(cd_reading *r, cd_model_item *model)
{
    for (int i = 0; i < cd_model_element.count; i++) {
        const cd_field *field = &cd_model_element.fields[i];
        const cd_node *node = model->item.given[i];
        if (node != NULL && field->detail == &cd_signal_element && node->kind == CD_LIST)
            cd_read_signal_section(r, node);
        else if (node != NULL)
            cd_read_value(r, field, node, (char *)model + field->offset);
        if (field->kind == CD_PARAMETERS &&
            (r->document->lacks_file ||
             (r->has_unknown_sections && cd_names_count(r->parameter_names) == 0)))
            cd_names_doubt(r->parameter_names);
        r->angle_unit = model->units.angle == CD_DEGREES ? acos(-1.0) / 180.0 : 1.0;
    }
}

void cd_read_model(cd_reading *r, const cd_node *root, cd_model_item *model)
{
    cd_model_element.set_default(model);
    const cd_node **given = cd_arena_take(&r->document->arena,
                                          (size_t)cd_model_element.count * sizeof(const cd_node *));
    if (given == NULL)
        return;
    model->item = (cd_item){&cd_model_element, root, given};
    find_sections(r, root, model);
    require_sections(r, root, model);
    find_names(r, model, "bodies", r->bodies);
    find_names(r, model, "joints", r->joints);
    find_names(r, model, "signals", r->signal_names);
    find_names(r, model, "forces", r->forces);
    read_sections(r, model);
    check_version(r, model);
    if (cd_given(&model->item, "sensors") != NULL)
        check_sensors(r, cd_given(&model->item, "sensors"));
}
