/* The format of model files as a JSON schema (draft 2020-12), by which editors check and complete
 * them. scripts/model-page writes the reference page docs/model-file.md from it: `title` is what
 * the page calls a kind of value. In the strings here ' stands for ". */
#include "schema.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct writer {
    cardan_write_callback *write;
    void *context;
} writer;

#define REFERENCE(name) "{'$ref': '#/$defs/" name "'}"
#define LIST(item, from, to)                                                                       \
    "'type': 'array', 'items': " item ", 'minItems': " from ", 'maxItems': " to
#define NUMBERS(from, to)  LIST(REFERENCE("number"), from, to)
#define ONE_OF(one, other) "'anyOf': [" one ", " other "]"
#define TEXT               "'type': 'string'"

/* Kinds of values that are written once and referred to. %s stands for the words of the kind. */
static const struct {
    const char *name, *title, *schema;
} kinds[] = {
    [CD_NUMBER] = {"number", "number", ONE_OF("{'type': 'number'}", REFERENCE("expression"))},
    [CD_INTEGER] = {"whole_number", "whole number",
                    ONE_OF("{'type': 'integer'}", REFERENCE("expression"))},
    [CD_BOOLEAN] = {"boolean", "`true` or `false`", "'type': 'boolean'"},
    [CD_TEXT] = {"text", "text", TEXT},
    [CD_NAME] = {"name", "text", TEXT},
    [CD_PARAMS] = {"params", "text", TEXT},
    [CD_VECTOR] = {"vector", "3 numbers", NUMBERS("3", "3")},
    [CD_AXIS] = {"axis", "3 numbers, of any length", NUMBERS("3", "3")},
    [CD_NUMBERS] = {"numbers", "numbers",
                    "'type': 'array', 'items': " REFERENCE("number") ", 'minItems': 1"},
    [CD_TABLE] = {"table", "pairs of numbers",
                  "'type': 'array', 'items': {" NUMBERS("2", "2") "}, 'minItems': 2"},
    [CD_INERTIA] = {"inertia", "3, 6 or 3 x 3 numbers",
                    ONE_OF("{" NUMBERS("3", "6") "}",
                           "{" LIST("{" NUMBERS("3", "3") "}", "3", "3") "}")},
    [CD_MATRIX6] = {"matrix6", "6 or 6 x 6 numbers",
                    ONE_OF("{" NUMBERS("6", "6") "}",
                           "{" LIST("{" NUMBERS("6", "6") "}", "6", "6") "}")},
    [CD_ORIENTATION] = {"orientation_value", "orientation",
                        ONE_OF("{" NUMBERS("4", "4") "}", REFERENCE("orientation"))},
    [CD_FRAME] = {"frame_value", "frame", ONE_OF("{" NUMBERS("3", "3") "}", REFERENCE("frame"))},
    [CD_DIRECTIONS] = {"directions", "words",
                       "'type': 'array', 'uniqueItems': true, 'items': {%s}"},
    [CD_FIXED] = {"hold", "`true` or words",
                  ONE_OF("{'type': 'boolean'}", "{'type': 'array', 'items': {%s}}")},
    [CD_BODY] = {"body_name", "name of a body", TEXT},
    [CD_JOINT] = {"joint_name", "name of a joint", TEXT},
    [CD_JOINTS] = {"joint_names", "names of 2 joints", LIST("{" TEXT "}", "2", "2")},
    [CD_FORCE] = {"force_name", "name of a force", TEXT},
    [CD_SIGNAL] = {"signal_value", "signal",
                   "'anyOf': [" REFERENCE("number") ", {" TEXT "}, " REFERENCE("signal") "]"},
    [CD_SIGNALS] = {"signal_values", "signals",
                    "'type': 'array', 'items': " REFERENCE("signal_value") ", 'minItems': 1"},
    [CD_PARAMETERS] = {"parameters", "map",
                       "'type': 'object', 'additionalProperties': " REFERENCE("number")},
    [CD_INCLUDE] = {"include", "text or texts",
                    ONE_OF("{" TEXT "}", "{'type': 'array', 'items': {" TEXT "}}")},
    [CD_IGNORED] = {"anything", "anything", "'anyOf': [{}]"}};

/* In the order of the reference page. */
static const cd_schema *const elements[] = {
    &cd_model_schema, &cd_units_schema,       &cd_body_schema,   &cd_solid_schema,
    &cd_shape_schema, &cd_orientation_schema, &cd_frame_schema,  &cd_joint_schema,
    &cd_force_schema, &cd_friction_schema,    &cd_signal_schema, &cd_sensor_schema,
    &cd_solver_schema};

/* Formats a text, in which ' stands for ", and passes it to the callback. */
__attribute__((format(printf, 2, 3))) static void write_json(const writer *w, const char *format,
                                                             ...)
{
    char text[2048];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    for (char *c = text; *c != '\0'; c++)
        *c = *c == '\'' ? '"' : *c;
    w->write(w->context, text);
}

/* Writes any text as a JSON string. */
static void write_string(const writer *w, const char *text)
{
    char escaped[3];
    write_json(w, "'");
    for (; *text != '\0'; text++) {
        snprintf(escaped, sizeof escaped, *text == '"' || *text == '\\' ? "\\%c" : "%c", *text);
        w->write(w->context, escaped);
    }
    write_json(w, "'");
}

/* Writes "'a', 'b', 'c'" to `text`. */
static const char *format_word_list(const cd_words *words, char text[1024])
{
    int used = 0;
    for (int i = 0; i < words->count; i++)
        used += snprintf(text + used, 1024 - (size_t)used, "%s'%s'", i > 0 ? ", " : "",
                         words->list[i].word);
    return text;
}

static void write_value_kinds(const writer *w)
{
    write_json(w, "    'expression': {'type': 'string', 'pattern': '^[$=]'}");
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++) {
        char words[1024], choice[1040] = "";
        if (kinds[i].name == NULL)
            continue;
        if (i == CD_DIRECTIONS || i == CD_FIXED)
            snprintf(
                choice, sizeof choice, "'enum': [%s]",
                format_word_list(i == CD_FIXED ? cd_fixed_words() : cd_direction_words(), words));
        write_json(w, ",\n    '%s': {'title': '%s', ", kinds[i].name, kinds[i].title);
        write_json(w, kinds[i].schema, choice);
        write_json(w, "}");
    }
}

/* Writes the default of a field, unless it says nothing or the text of the field names it. */
static void write_default(const writer *w, const cd_schema *schema, const cd_field *field)
{
    void *defaults = calloc(1, schema->size);
    if (defaults == NULL || field->required == CD_EVERY || strstr(field->text, "default") != NULL) {
        free(defaults);
        return;
    }
    schema->set_default(defaults);
    const void *value = (const char *)defaults + field->offset;
    const double *x = value;
    const bool never_zero = field->range == CD_RANGE_POSITIVE || field->range == CD_RANGE_NOT_ZERO;
    if (field->kind == CD_NUMBER && isfinite(*x) && (*x != 0.0 || !never_zero))
        write_json(w, ", 'default': %.15g", *x);
    else if (field->kind == CD_VECTOR && field->required == 0)
        write_json(w, ", 'default': [%g, %g, %g]", x[0], x[1], x[2]);
    else if (field->kind == CD_BOOLEAN)
        write_json(w, ", 'default': %s", *(const bool *)value ? "true" : "false");
    else if (field->kind == CD_WORD && *(const int *)value >= 0)
        write_json(w, ", 'default': '%s'",
                   ((const cd_words *)field->detail)->list[*(const int *)value].word);
    free(defaults);
}

static void write_words(const writer *w, const cd_words *words)
{
    char text[1024];
    write_json(w, "'enum': [%s], 'enumDescriptions': [", format_word_list(words, text));
    for (int i = 0; i < words->count; i++) {
        write_json(w, i > 0 ? ", " : "");
        write_string(w, words->list[i].text);
    }
    write_json(w, "]");
}

/* Writes the schema of a field's value, or a reference to that of its kind. */
static void write_kind_of_field(const writer *w, const cd_field *field)
{
    char text[1024];
    cd_word methods[CD_MAX_METHODS];
    const cd_words names = cd_method_words(methods);
    const cd_schema *schema = field->detail;
    if (field->kind == CD_WORD || field->kind == CD_DIRECTION)
        write_words(w, field->detail);
    else if (field->kind == CD_METHOD)
        write_json(w, "'enum': [%s]", format_word_list(&names, text));
    else if (field->kind == CD_LIST_OF_MAPS)
        write_json(w, "'type': 'array', 'items': " REFERENCE("%s"), schema->what);
    else
        write_json(w, "'allOf': [" REFERENCE("%s") "]",
                   field->kind == CD_NESTED_MAP ? schema->what : kinds[field->kind].name);
}

/* Writes a field: description, unit, default, schema of the value and range. */
static void write_field(const writer *w, const cd_schema *schema, const cd_field *field)
{
    static const char *const ranges[] = {[CD_RANGE_POSITIVE] = "'exclusiveMinimum': 0",
                                         [CD_RANGE_NOT_NEGATIVE] = "'minimum': 0",
                                         [CD_RANGE_UNIT] = "'minimum': 0, 'maximum': 1",
                                         [CD_RANGE_NOT_ZERO] = "'not': {'const': 0}"};
    const bool unit = field->unit[0] != '\0';
    char about[700];
    snprintf(about, sizeof about, "%s%s%s%s", field->text, unit ? " (" : "", field->unit,
             unit ? ")" : "");
    write_json(w, "        '%s': {'description': ", field->word);
    write_string(w, about);
    if (unit)
        write_json(w, ", 'unit': '%s'", field->unit);
    write_default(w, schema, field);
    write_json(w, ", ");
    write_kind_of_field(w, field);
    if (field->range != CD_RANGE_ANY)
        write_json(w, field->kind == CD_VECTOR ? ", 'items': {%s}" : ", %s", ranges[field->range]);
    write_json(w, "}");
}

/* Writes the fields that every type requires or, if `type` >= 0, those that it requires besides. */
static void write_required_words(const writer *w, const cd_schema *schema, int type)
{
    const char *separator = "";
    write_json(w, "'required': [");
    for (int i = 0; i < schema->count; i++) {
        const unsigned required = schema->fields[i].required;
        if (type < 0 ? required == CD_EVERY
                     : required != CD_EVERY && (required & 1u << type) != 0) {
            write_json(w, "%s'%s'", separator, schema->fields[i].word);
            separator = ", ";
        }
    }
    write_json(w, "]");
}

/* Writes for each type the fields that it requires, and those that it must not have. */
static void write_rules_of_types(const writer *w, const cd_schema *schema)
{
    const cd_words *types = cd_schema_types(schema);
    for (int type = 0; types != NULL && type < types->count; type++) {
        const char *separator = "";
        write_json(
            w,
            "%s\n        {'if': {'properties': {'type': {'const': '%s'}}, 'required': ['type']}, "
            "'then': {",
            type > 0 ? "," : ",\n      'allOf': [", types->list[type].word);
        write_required_words(w, schema, type);
        write_json(w, ", 'properties': {");
        for (int i = 0; i < schema->count; i++)
            if ((schema->fields[i].types & 1u << type) == 0) {
                write_json(w, "%s'%s': false", separator, schema->fields[i].word);
                separator = ", ";
            }
        write_json(w, "}}}%s", type + 1 == types->count ? "\n      ]" : "");
    }
}

static void write_schema(const writer *w, const cd_schema *schema)
{
    write_json(w, ",\n    '%s': {\n      'type': 'object',\n      'description': ", schema->what);
    write_string(w, schema->text);
    write_json(w, ",\n      'additionalProperties': false,\n      'properties': {\n");
    for (int i = 0; i < schema->count; i++) {
        write_field(w, schema, &schema->fields[i]);
        write_json(w, "%s\n", i + 1 < schema->count ? "," : "");
    }
    write_json(w, "      },\n      ");
    write_required_words(w, schema, -1);
    write_rules_of_types(w, schema);
    write_json(w, "\n    }");
}

void cardan_schema_write(cardan_write_callback *write, void *context)
{
    const writer w = {write, context};
    if (write == NULL)
        return;
    write_json(&w, "{\n  '$schema': 'https://json-schema.org/draft/2020-12/schema',\n"
                   "  'title': 'Cardan model file',\n  '$ref': '#/$defs/model',\n  '$defs': {\n");
    write_value_kinds(&w);
    for (size_t i = 0; i < sizeof elements / sizeof elements[0]; i++)
        write_schema(&w, elements[i]);
    write_json(&w, "\n  }\n}\n");
}
