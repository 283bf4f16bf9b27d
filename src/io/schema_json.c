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

/* The kinds that are written once and referred to. %s: the words of the kind. */
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
    [CD_ANYTHING] = {"anything", "anything", "'anyOf': [{}]"}};

/* In the order of the reference page. */
static const cd_element *const elements[] = {
    &cd_model_element, &cd_units_element,       &cd_body_element,   &cd_solid_element,
    &cd_shape_element, &cd_orientation_element, &cd_frame_element,  &cd_joint_element,
    &cd_force_element, &cd_friction_element,    &cd_signal_element, &cd_sensor_element,
    &cd_solver_element};

__attribute__((format(printf, 2, 3))) static void put(const writer *w, const char *format, ...)
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

/* A text that may contain any character, as a string of JSON. */
static void put_text(const writer *w, const char *text)
{
    char piece[3];
    put(w, "'");
    for (; *text != '\0'; text++) {
        snprintf(piece, sizeof piece, *text == '"' || *text == '\\' ? "\\%c" : "%c", *text);
        w->write(w->context, piece);
    }
    put(w, "'");
}

/* "'a', 'b', 'c'" */
static const char *quote_words(const cd_words *words, char text[1024])
{
    int used = 0;
    for (int i = 0; i < words->count; i++)
        used += snprintf(text + used, 1024 - (size_t)used, "%s'%s'", i > 0 ? ", " : "",
                         words->list[i].word);
    return text;
}

static void put_kinds(const writer *w)
{
    put(w, "    'expression': {'type': 'string', 'pattern': '^[$=]'}");
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++) {
        char words[1024], choice[1040] = "";
        if (kinds[i].name == NULL)
            continue;
        if (i == CD_DIRECTIONS || i == CD_FIXED)
            snprintf(choice, sizeof choice, "'enum': [%s]",
                     quote_words(i == CD_FIXED ? cd_fixed_words() : cd_direction_words(), words));
        put(w, ",\n    '%s': {'title': '%s', ", kinds[i].name, kinds[i].title);
        put(w, kinds[i].schema, choice);
        put(w, "}");
    }
}

/* The default of a field, if it is worth telling and the text of the field does not say it. */
static void put_default(const writer *w, const cd_element *element, const cd_field *field)
{
    void *made = calloc(1, element->size);
    if (made == NULL || field->required == CD_EVERY || strstr(field->text, "default") != NULL) {
        free(made);
        return;
    }
    element->set_default(made);
    const void *value = (const char *)made + field->offset;
    const double *x = value;
    const bool never_zero = field->range == CD_RANGE_POSITIVE || field->range == CD_RANGE_NOT_ZERO;
    if (field->kind == CD_NUMBER && isfinite(*x) && (*x != 0.0 || !never_zero))
        put(w, ", 'default': %.15g", *x);
    else if (field->kind == CD_VECTOR && field->required == 0)
        put(w, ", 'default': [%g, %g, %g]", x[0], x[1], x[2]);
    else if (field->kind == CD_BOOLEAN)
        put(w, ", 'default': %s", *(const bool *)value ? "true" : "false");
    else if (field->kind == CD_WORD && *(const int *)value >= 0)
        put(w, ", 'default': '%s'",
            ((const cd_words *)field->detail)->list[*(const int *)value].word);
    free(made);
}

static void put_words(const writer *w, const cd_words *words)
{
    char text[1024];
    put(w, "'enum': [%s], 'enumDescriptions': [", quote_words(words, text));
    for (int i = 0; i < words->count; i++) {
        put(w, i > 0 ? ", " : "");
        put_text(w, words->list[i].text);
    }
    put(w, "]");
}

static void put_kind(const writer *w, const cd_field *field)
{
    char text[1024];
    cd_word methods[CD_MOST_METHODS];
    const cd_words names = cd_method_words(methods);
    const cd_element *element = field->detail;
    if (field->kind == CD_WORD || field->kind == CD_DIRECTION)
        put_words(w, field->detail);
    else if (field->kind == CD_METHOD)
        put(w, "'enum': [%s]", quote_words(&names, text));
    else if (field->kind == CD_PARTS)
        put(w, "'type': 'array', 'items': " REFERENCE("%s"), element->what);
    else
        put(w, "'allOf': [" REFERENCE("%s") "]",
            field->kind == CD_PART ? element->what : kinds[field->kind].name);
}

/* Its description stands beside the schema of its value. */
static void put_field(const writer *w, const cd_element *element, const cd_field *field)
{
    static const char *const ranges[] = {[CD_RANGE_POSITIVE] = "'exclusiveMinimum': 0",
                                         [CD_RANGE_NOT_NEGATIVE] = "'minimum': 0",
                                         [CD_RANGE_UNIT] = "'minimum': 0, 'maximum': 1",
                                         [CD_RANGE_NOT_ZERO] = "'not': {'const': 0}"};
    const bool unit = field->unit[0] != '\0';
    char about[700];
    snprintf(about, sizeof about, "%s%s%s%s", field->text, unit ? " (" : "", field->unit,
             unit ? ")" : "");
    put(w, "        '%s': {'description': ", field->word);
    put_text(w, about);
    if (unit)
        put(w, ", 'unit': '%s'", field->unit);
    put_default(w, element, field);
    put(w, ", ");
    put_kind(w, field);
    if (field->range != CD_RANGE_ANY)
        put(w, field->kind == CD_VECTOR ? ", 'items': {%s}" : ", %s", ranges[field->range]);
    put(w, "}");
}

/* The words that every type needs or, with a type >= 0, that it needs besides. */
static void put_required(const writer *w, const cd_element *element, int type)
{
    const char *separator = "";
    put(w, "'required': [");
    for (int i = 0; i < element->count; i++) {
        const unsigned required = element->fields[i].required;
        if (type < 0 ? required == CD_EVERY
                     : required != CD_EVERY && (required & 1u << type) != 0) {
            put(w, "%s'%s'", separator, element->fields[i].word);
            separator = ", ";
        }
    }
    put(w, "]");
}

/* What each type needs, and does not take. */
static void put_types(const writer *w, const cd_element *element)
{
    const cd_words *types = cd_element_types(element);
    for (int type = 0; types != NULL && type < types->count; type++) {
        const char *separator = "";
        put(w,
            "%s\n        {'if': {'properties': {'type': {'const': '%s'}}, 'required': ['type']}, "
            "'then': {",
            type > 0 ? "," : ",\n      'allOf': [", types->list[type].word);
        put_required(w, element, type);
        put(w, ", 'properties': {");
        for (int i = 0; i < element->count; i++)
            if ((element->fields[i].types & 1u << type) == 0) {
                put(w, "%s'%s': false", separator, element->fields[i].word);
                separator = ", ";
            }
        put(w, "}}}%s", type + 1 == types->count ? "\n      ]" : "");
    }
}

static void put_element(const writer *w, const cd_element *element)
{
    put(w, ",\n    '%s': {\n      'type': 'object',\n      'description': ", element->what);
    put_text(w, element->text);
    put(w, ",\n      'additionalProperties': false,\n      'properties': {\n");
    for (int i = 0; i < element->count; i++) {
        put_field(w, element, &element->fields[i]);
        put(w, "%s\n", i + 1 < element->count ? "," : "");
    }
    put(w, "      },\n      ");
    put_required(w, element, -1);
    put_types(w, element);
    put(w, "\n    }");
}

void cardan_schema_write(cardan_write_callback *write, void *context)
{
    const writer w = {write, context};
    if (write == NULL)
        return;
    put(&w, "{\n  '$schema': 'https://json-schema.org/draft/2020-12/schema',\n"
            "  'title': 'Cardan model file',\n  '$ref': '#/$defs/model',\n  '$defs': {\n");
    put_kinds(&w);
    for (size_t i = 0; i < sizeof elements / sizeof elements[0]; i++)
        put_element(&w, elements[i]);
    put(&w, "\n  }\n}\n");
}
