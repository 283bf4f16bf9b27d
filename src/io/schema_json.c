/* The format as a JSON schema (draft 2020-12), for editors. */
#include "schema_write.h"

#include <stdio.h>
#include <string.h>

/* A text between quotes. */
static void write_string(const cd_writer *w, const char *text)
{
    char piece[4];
    cd_write(w, "\"");
    for (; *text != '\0'; text++) {
        snprintf(piece, sizeof piece, *text == '"' || *text == '\\' ? "\\%c" : "%c", *text);
        cd_write(w, "%s", piece);
    }
    cd_write(w, "\"");
}

static void write_words(const cd_writer *w, const cd_words *words)
{
    cd_write(w, "{\"enum\": [");
    for (int i = 0; i < words->count; i++)
        cd_write(w, "%s\"%s\"", i > 0 ? ", " : "", words->list[i].word);
    cd_write(w, "]}");
}

static void write_methods(const cd_writer *w)
{
    cd_write(w, "{\"enum\": [");
    for (int i = 0; i < cardan_method_count(); i++)
        cd_write(w, "%s\"%s\"", i > 0 ? ", " : "", cardan_method_describe(i).name);
    cd_write(w, "]}");
}

static void write_list_of(const cd_writer *w, const char *reference, int least, int most)
{
    cd_write(w, "{\"type\": \"array\", \"items\": {\"$ref\": \"#/$defs/%s\"}", reference);
    if (least > 0)
        cd_write(w, ", \"minItems\": %d", least);
    if (most > 0)
        cd_write(w, ", \"maxItems\": %d", most);
    cd_write(w, "}");
}

static void write_number(const cd_writer *w, const cd_field *field)
{
    static const char *const bounds[] = {[CD_RANGE_ANY] = "",
                                         [CD_RANGE_POSITIVE] = ", \"exclusiveMinimum\": 0",
                                         [CD_RANGE_NOT_NEGATIVE] = ", \"minimum\": 0",
                                         [CD_RANGE_UNIT] = ", \"minimum\": 0, \"maximum\": 1",
                                         [CD_RANGE_NOT_ZERO] = ", \"not\": {\"const\": 0}"};
    cd_write(w, "{\"anyOf\": [{\"type\": \"%s\"%s}, {\"$ref\": \"#/$defs/expression\"}]}",
             field->kind == CD_INTEGER ? "integer" : "number", bounds[field->range]);
}

static void write_numbers(const cd_writer *w, cd_value_kind kind)
{
    switch (kind) {
    case CD_VECTOR:
    case CD_AXIS:
        write_list_of(w, "number", 3, 3);
        break;
    case CD_NUMBERS:
        write_list_of(w, "number", 1, 0);
        break;
    case CD_TABLE:
        cd_write(w, "{\"type\": \"array\", \"minItems\": 2, \"items\": ");
        write_list_of(w, "number", 2, 2);
        cd_write(w, "}");
        break;
    default: { /* inertia and 6 x 6 matrices: diagonal, products or rows */
        const int size = kind == CD_INERTIA ? 3 : 6;
        cd_write(w, "{\"anyOf\": [");
        write_list_of(w, "number", size, 6);
        cd_write(w, ", {\"type\": \"array\", \"minItems\": %d, \"maxItems\": %d, \"items\": ", size,
                 size);
        write_list_of(w, "number", size, size);
        cd_write(w, "}]}");
    }
    }
}

/* Kinds that are the same wherever they appear. */
static const char *plain_schema(cd_value_kind kind)
{
    switch (kind) {
    case CD_BOOLEAN:
        return "{\"type\": \"boolean\"}";
    case CD_ORIENTATION:
        return "{\"anyOf\": [{\"type\": \"array\", \"items\": {\"$ref\": \"#/$defs/number\"}, "
               "\"minItems\": 4, \"maxItems\": 4}, {\"$ref\": \"#/$defs/orientation\"}]}";
    case CD_FRAME:
        return "{\"anyOf\": [{\"type\": \"array\", \"items\": {\"$ref\": \"#/$defs/number\"}, "
               "\"minItems\": 3, \"maxItems\": 3}, {\"$ref\": \"#/$defs/frame\"}]}";
    case CD_JOINTS:
        return "{\"type\": \"array\", \"items\": {\"type\": \"string\"}, \"minItems\": 2, "
               "\"maxItems\": 2}";
    case CD_SIGNAL:
        return "{\"$ref\": \"#/$defs/signal_value\"}";
    case CD_SIGNALS:
        return "{\"type\": \"array\", \"minItems\": 1, \"items\": {\"$ref\": "
               "\"#/$defs/signal_value\"}}";
    case CD_PARAMETERS:
        return "{\"type\": \"object\", \"additionalProperties\": {\"$ref\": \"#/$defs/number\"}}";
    case CD_INCLUDE:
        return "{\"anyOf\": [{\"type\": \"string\"}, {\"type\": \"array\", \"items\": {\"type\": "
               "\"string\"}}]}";
    case CD_ANYTHING:
        return "{}";
    default:
        return "{\"type\": \"string\"}";
    }
}

static void write_hold(const cd_writer *w)
{
    cd_write(w, "{\"anyOf\": [{\"type\": \"boolean\"}, {\"type\": \"array\", \"items\": ");
    write_words(w, cd_hold_words());
    cd_write(w, "}]}");
}

static void write_directions(const cd_writer *w)
{
    cd_write(w, "{\"type\": \"array\", \"uniqueItems\": true, \"items\": ");
    write_words(w, cd_direction_words());
    cd_write(w, "}");
}

static void write_kind(const cd_writer *w, const cd_field *field)
{
    const cd_element *element = field->detail;
    switch (field->kind) {
    case CD_NUMBER:
    case CD_INTEGER:
        write_number(w, field);
        break;
    case CD_VECTOR:
    case CD_AXIS:
    case CD_NUMBERS:
    case CD_TABLE:
    case CD_INERTIA:
    case CD_MATRIX6:
        write_numbers(w, field->kind);
        break;
    case CD_WORD:
    case CD_DIRECTION:
        write_words(w, field->detail);
        break;
    case CD_METHOD:
        write_methods(w);
        break;
    case CD_HOLD:
        write_hold(w);
        break;
    case CD_DIRECTIONS:
        write_directions(w);
        break;
    case CD_PART:
        cd_write(w, "{\"$ref\": \"#/$defs/%s\"}", element->what);
        break;
    case CD_PARTS:
        write_list_of(w, element->what, 0, 0);
        break;
    default:
        cd_write(w, "%s", plain_schema(field->kind));
    }
}

/* A field; its description stands beside the schema of its value. */
static void write_field(const cd_writer *w, const cd_element *element, const cd_field *field)
{
    char text[CD_DEFAULT_TEXT];
    cd_write(w, "        \"%s\": {\"description\": ", field->word);
    char about[700];
    cd_default_text(element, field, text);
    snprintf(about, sizeof about, "%s%s%s%s%s%s", field->text, field->unit[0] != '\0' ? " (" : "",
             field->unit, field->unit[0] != '\0' ? ")" : "", text[0] != '\0' ? "; default " : "",
             text);
    write_string(w, about);
    cd_write(w, ", \"allOf\": [");
    write_kind(w, field);
    cd_write(w, "]}");
}

static void write_required(const cd_writer *w, const cd_element *element, int type)
{
    bool first = true;
    cd_write(w, "[");
    for (int i = 0; i < element->count; i++) {
        const unsigned required = element->fields[i].required;
        const bool needed =
            type < 0 ? required == CD_EVERY : required != CD_EVERY && (required & 1u << type) != 0;
        if (!needed)
            continue;
        cd_write(w, "%s\"%s\"", first ? "" : ", ", element->fields[i].word);
        first = false;
    }
    cd_write(w, "]");
}

/* What each type needs, and does not take. */
static void write_types(const cd_writer *w, const cd_element *element)
{
    const cd_words *types = cd_element_types(element);
    if (types == NULL)
        return;
    cd_write(w, ",\n      \"allOf\": [");
    for (int type = 0; type < types->count; type++) {
        bool first = true;
        cd_write(w,
                 "%s\n        {\"if\": {\"properties\": {\"type\": {\"const\": \"%s\"}}, "
                 "\"required\": [\"type\"]}, \"then\": {\"required\": ",
                 type > 0 ? "," : "", types->list[type].word);
        write_required(w, element, type);
        cd_write(w, ", \"properties\": {");
        for (int i = 0; i < element->count; i++)
            if ((element->fields[i].types & 1u << type) == 0) {
                cd_write(w, "%s\"%s\": false", first ? "" : ", ", element->fields[i].word);
                first = false;
            }
        cd_write(w, "}}}");
    }
    cd_write(w, "\n      ]");
}

static void write_object(const cd_writer *w, const cd_element *element)
{
    cd_write(w, "      \"type\": \"object\",\n      \"description\": ");
    write_string(w, element->text);
    cd_write(w, ",\n      \"additionalProperties\": false,\n      \"properties\": {\n");
    for (int i = 0; i < element->count; i++) {
        write_field(w, element, &element->fields[i]);
        cd_write(w, "%s\n", i + 1 < element->count ? "," : "");
    }
    cd_write(w, "      },\n      \"required\": ");
    write_required(w, element, -1);
    write_types(w, element);
    cd_write(w, "\n");
}

void cd_schema_json(cardan_write_callback *write, void *context)
{
    const cd_writer w = {write, context};
    cd_write(&w, "{\n  \"$schema\": \"https://json-schema.org/draft/2020-12/schema\",\n"
                 "  \"title\": \"Cardan model file\",\n  \"$ref\": \"#/$defs/model\",\n"
                 "  \"$defs\": {\n"
                 "    \"expression\": {\"type\": \"string\", \"pattern\": \"^[$=]\"},\n"
                 "    \"number\": {\"anyOf\": [{\"type\": \"number\"}, {\"$ref\": "
                 "\"#/$defs/expression\"}]},\n"
                 "    \"signal_value\": {\"anyOf\": [{\"$ref\": \"#/$defs/number\"}, {\"type\": "
                 "\"string\"}, {\"$ref\": \"#/$defs/signal\"}]}");
    for (int i = 0; i < cd_schema_elements(); i++) {
        const cd_element *element = cd_schema_element(i);
        cd_write(&w, ",\n    \"%s\": {\n", element->what);
        write_object(&w, element);
        cd_write(&w, "    }");
    }
    cd_write(&w, "\n  }\n}\n");
}
