/* Reads values by their kind: numbers and expressions, words, lists, names of elements. */
#include "base/numeric.h"
#include "expression.h"
#include "read.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

const char *cd_describe(const cd_node *node, char buffer[CD_QUOTE + 2])
{
    char quoted[CD_QUOTE];
    if (node->kind != CD_SCALAR)
        return node->kind == CD_MAP
                   ? "a map"
                   : (snprintf(buffer, CD_QUOTE + 2, "a list of %d", node->count), buffer);
    if (node->text[0] == '\0')
        return "empty";
    snprintf(buffer, CD_QUOTE + 2, "`%s`", cd_quotable(node->text, quoted));
    return buffer;
}

bool cd_is_empty(const cd_node *node)
{
    return node->kind == CD_SCALAR && !node->quoted &&
           (node->text[0] == '\0' || strcmp(node->text, "~") == 0 ||
            strcmp(node->text, "null") == 0);
}

bool cd_reject_value(cd_reading *r, const cd_node *node, const char *word, const char *wanted)
{
    char buffer[CD_QUOTE + 2];
    if (cd_is_empty(node))
        cd_report_error(r->report, node->key != NULL ? node->key_location : node->location,
                        "`%s` has no value; give %s", word, wanted);
    else
        cd_reject(r, node, "`%s` wants %s; this is %s", word, wanted, cd_describe(node, buffer));
    return false;
}

/* ---- numbers ---- */

/* The value of `=expression` or `$parameter`; reports mistakes at their column. */
static bool evaluate_expression(cd_reading *r, const cd_node *node, double *value)
{
    cd_expression expression = {.reading = r};
    const char *text = node->text + (node->text[0] == '=');
    if (cd_expression_evaluate(&expression, text, value))
        return true;
    cd_location location = node->location;
    location.column += (int)(expression.at - node->text) + node->quoted;
    if (expression.why[0] != '\0') /* else it follows from a mistake that is reported elsewhere */
        cd_report_error(r->report, location, "in this expression %s", expression.why);
    return false;
}

static bool is_nonfinite_word(const char *text)
{
    const char *word = text + strspn(text, "+-.");
    return strcasecmp(word, "nan") == 0 || strcasecmp(word, "inf") == 0 ||
           strcasecmp(word, "infinity") == 0;
}

/* Reports a text that is no number and guesses why: a comma, a unit, a parameter without $. */
static bool reject_number(cd_reading *r, const cd_node *node, const char *word)
{
    char buffer[CD_QUOTE + 2], meant[CD_QUOTE + 40], quoted[CD_QUOTE];
    const char *text = node->text, *advice = "write one like 0.001 or 1e-3";
    const bool starts = isdigit((unsigned char)text[strspn(text, "+-.")]) != 0;
    const char *nearest = starts ? NULL : cd_suggest_name(r, r->parameter_names, text);
    if (starts && strchr(text, ',') != NULL)
        advice = "write a decimal point for the comma";
    else if (starts)
        advice = "write it like 0.001 or 1e-3, without a unit, or as an expression like "
                 "\"=2*pi\"";
    if (nearest != NULL) {
        snprintf(meant, sizeof meant, "did you mean the parameter `$%s`?",
                 cd_quotable(nearest, quoted));
        advice = meant;
    }
    cd_reject(r, node, "`%s` wants a number; this is %s, %s", word, cd_describe(node, buffer),
              advice);
    return false;
}

bool cd_read_number(cd_reading *r, const cd_node *node, const char *word, double *value)
{
    double number = 0.0;
    if (node->kind != CD_SCALAR || cd_is_empty(node) || node->text[0] == '\0')
        return cd_reject_value(r, node, word, "a number");
    if (node->text[0] == '$' || node->text[0] == '=') {
        if (!evaluate_expression(r, node, &number))
            return false;
    } else if (is_nonfinite_word(node->text) ||
               (cd_parse_number(node->text, &number) && !isfinite(number))) {
        cd_reject(r, node, "`%s` is `%.20s`, which is not a finite number; give an ordinary number",
                  word, node->text);
        return false;
    } else if (!cd_parse_number(node->text, &number)) {
        return reject_number(r, node, word);
    }
    *value = number;
    return true;
}

bool cd_read_list(cd_reading *r, const cd_node *node, const char *word, int count, double *values)
{
    char wanted[64];
    bool valid = true;
    snprintf(wanted, sizeof wanted, "a list of %d numbers", count);
    if (node->kind != CD_LIST)
        return cd_reject_value(r, node, word, wanted);
    if (node->count != count) {
        cd_reject(r, node, "`%s` wants %s; this list has %d", word, wanted, node->count);
        return false;
    }
    for (const cd_node *entry = node->first; entry != NULL; entry = entry->next)
        valid = cd_read_number(r, entry, word, values++) && valid;
    return valid;
}

/* Reports the values of a field that lie outside the range of the schema. */
static void check_range(cd_reading *r, const cd_field *field, const cd_node *node, int count,
                        const double *values)
{
    const cd_node *entry = node->kind == CD_LIST ? node->first : node;
    for (int i = 0; i < count && entry != NULL; i++, entry = entry->next) {
        const double x = values[i];
        const char *must = NULL;
        if (field->range == CD_RANGE_POSITIVE && !(x > 0.0))
            must = "positive";
        else if (field->range == CD_RANGE_NOT_NEGATIVE && !(x >= 0.0))
            must = "at least 0";
        else if (field->range == CD_RANGE_UNIT && !(x >= 0.0 && x <= 1.0))
            must = "between 0 and 1";
        else if (field->range == CD_RANGE_NOT_ZERO && x == 0.0)
            must = "a number other than 0";
        if (must != NULL)
            cd_reject(r, entry, "`%s` is %.6g; it must be %s", field->word, x, must);
    }
}

/* Reads a number or three; angles and their rates are converted to radians. */
static void read_numbers(cd_reading *r, const cd_field *field, const cd_node *node, void *target)
{
    const bool angle = strcmp(field->unit, "rad") == 0 || strcmp(field->unit, "rad/s") == 0;
    const int count = field->kind == CD_VECTOR ? 3 : 1;
    double values[3] = {0.0};
    if (!(count == 1 ? cd_read_number(r, node, field->word, values)
                     : cd_read_list(r, node, field->word, count, values)))
        return;
    check_range(r, field, node, count, values);
    for (int i = 0; i < count; i++)
        ((double *)target)[i] = angle ? values[i] * r->angle_unit : values[i];
}

static void read_axis(cd_reading *r, const cd_field *field, const cd_node *node, void *target)
{
    double values[3] = {0.0};
    if (!cd_read_list(r, node, field->word, 3, values))
        return;
    const double length = sqrt(cd_dot(3, values, values));
    if (length > 0.0 && isfinite(length))
        for (int i = 0; i < 3; i++)
            ((double *)target)[i] = values[i] / length;
    else
        cd_reject(r, node, "`%s` has %s length; give a direction, such as [0, 0, 1]", field->word,
                  length > 0.0 ? "no finite" : "zero");
}

static void read_integer(cd_reading *r, const cd_field *field, const cd_node *node, void *target)
{
    double value;
    if (!cd_read_number(r, node, field->word, &value))
        return;
    check_range(r, field, node, 1, &value);
    if (value != floor(value) || fabs(value) > 1e9)
        cd_reject(r, node, "`%s` is %.9g; it must be a whole number", field->word, value);
    else
        *(int *)target = (int)value;
}

/* Reads the coefficients of a polynomial signal. */
static void read_list_of_numbers(cd_reading *r, const cd_field *field, const cd_node *node,
                                 void *signal)
{
    if (node->kind != CD_LIST || node->count == 0) {
        cd_reject_value(r, node, field->word, "a list of numbers");
        return;
    }
    double *values = cd_arena_take(&r->document->arena, (size_t)node->count * sizeof *values);
    if (values != NULL && cd_read_list(r, node, field->word, node->count, values)) {
        ((cardan_signal_def *)signal)->coefficients = values;
        ((cardan_signal_def *)signal)->count = node->count;
    }
}

/* ---- words ---- */

static bool require_text(cd_reading *r, const cd_field *field, const cd_node *node)
{
    return (node->kind == CD_SCALAR && !cd_is_empty(node)) ||
           cd_reject_value(r, node, field->word, "a text");
}

static void read_text(cd_reading *r, const cd_field *field, const cd_node *node, void *text)
{
    if (require_text(r, field, node))
        *(const char **)text = node->text;
}

static void format_word_list(const cd_words *words, char *text, size_t size)
{
    size_t used = 0;
    for (int i = 0; i < words->count && used < size; i++)
        used += (size_t)snprintf(text + used, size - used, "%s`%s`",
                                 i == 0                 ? ""
                                 : i + 1 < words->count ? ", "
                                                        : " or ",
                                 words->list[i].word);
}

/* The index of the word that a node states; reports an unknown one and returns -1. */
static int find_word(cd_reading *r, const cd_node *node, const cd_words *words)
{
    char all[600], buffer[CD_QUOTE + 2];
    const int found = node->kind == CD_SCALAR ? cd_word_find(words, node->text) : -1;
    if (found >= 0)
        return found;
    const char *nearest = cd_word_nearest(words, node->text);
    format_word_list(words, all, sizeof all);
    if (nearest != NULL)
        cd_reject(r, node, "unknown %s %s; did you mean `%s`?", words->what,
                  cd_describe(node, buffer), nearest);
    else if (node->kind == CD_SCALAR && !cd_is_empty(node))
        cd_reject(r, node, "unknown %s %s; choose %s", words->what, cd_describe(node, buffer), all);
    else
        cd_reject(r, node, "%s wants a word; this is %s, choose %s", words->what,
                  cd_describe(node, buffer), all);
    return -1;
}

static void read_word(cd_reading *r, const cd_field *field, const cd_node *node, void *index)
{
    const int found = find_word(r, node, field->detail);
    if (found >= 0)
        *(int *)index = found;
}

static void read_direction(cd_reading *r, const cd_field *field, const cd_node *node, void *value)
{
    const int found = find_word(r, node, field->detail);
    if (found >= 0)
        *(cardan_direction *)value = (cardan_direction)(1u << found);
}

static bool parse_boolean(const cd_node *node, bool *value)
{
    *value = strcmp(node->text, "true") == 0;
    return node->kind == CD_SCALAR && (*value || strcmp(node->text, "false") == 0);
}

static void read_boolean(cd_reading *r, const cd_field *field, const cd_node *node, void *value)
{
    bool truth;
    if (parse_boolean(node, &truth))
        *(bool *)value = truth;
    else
        cd_reject_value(r, node, field->word, "`true` or `false`");
}

/* Reads a list of words as a set, one bit for each. */
static unsigned read_word_set(cd_reading *r, const cd_node *list, const cd_words *words)
{
    unsigned set = 0;
    for (const cd_node *entry = list->first; entry != NULL; entry = entry->next) {
        const int i = find_word(r, entry, words);
        if (i >= 0 && (set & 1u << i) != 0)
            cd_reject(r, entry, "`%s` is in the list twice; remove one", entry->text);
        set |= i >= 0 ? 1u << i : 0;
    }
    return set;
}

static void read_directions(cd_reading *r, const cd_field *field, const cd_node *node, void *set)
{
    char all[200], wanted[240];
    format_word_list(cd_direction_words(), all, sizeof all);
    snprintf(wanted, sizeof wanted, "a list of %s", all);
    if (node->kind == CD_LIST)
        *(unsigned *)set = read_word_set(r, node, cd_direction_words());
    else
        cd_reject_value(r, node, field->word, wanted);
}

static void read_fixed(cd_reading *r, const cd_field *field, const cd_node *node, void *value)
{
    cd_fixed *fixed = value;
    bool truth;
    if (node->kind == CD_LIST)
        fixed->values = read_word_set(r, node, cd_fixed_words());
    else if (parse_boolean(node, &truth))
        fixed->body = truth;
    else
        cd_reject_value(r, node, field->word, "`true`, `false` or a list of values to keep");
}

static void read_method(cd_reading *r, const cd_field *field, const cd_node *node, void *method)
{
    cd_word list[CD_MAX_METHODS];
    const cd_words methods = cd_method_words(list);
    const int i = require_text(r, field, node) ? find_word(r, node, &methods) : -1;
    if (i >= 0)
        *(const char **)method = i == 0 ? "auto" : cardan_method_describe(i - 1).name;
}

static void read_params(cd_reading *r, const cd_field *field, const cd_node *node, void *params)
{
    cardan_params parsed;
    cardan_error error;
    read_text(r, field, node, params);
    if (node->kind == CD_SCALAR && !cd_is_empty(node) &&
        cardan_params_parse(node->text, &parsed, &error) != CARDAN_OK)
        cd_reject(r, node, "%s", error.text);
}

/* ---- names of other elements ---- */

const char *cd_suggest_name(const cd_reading *r, const cd_names *names, const char *text)
{
    return r->report->full ? NULL : cd_names_nearest(names, text);
}

bool cd_absence_explained(cd_reading *r, const cd_names *names, const cd_node *node,
                          const char *text)
{
    if (r->report->full || !cd_names_explain_absence(names, text))
        return false;
    if (r->first_absent == NULL)
        r->first_absent = node;
    return true;
}

/* The index of the element that a node names; CD_UNKNOWN, with a message, if there is none. */
static int find_element(cd_reading *r, const cd_field *field, const cd_node *node, const char *what,
                        const cd_names *names)
{
    char quoted[CD_QUOTE];
    const char *text = node->text;
    if (!require_text(r, field, node))
        return CD_UNKNOWN;
    const int found = cd_names_find(names, text);
    if (found >= 0)
        return found;
    if (cd_absence_explained(r, names, node, text))
        return CD_UNKNOWN;
    static const cd_word ground = {"ground", ""};
    const cd_words world = {"body", &ground, 1};
    const char *nearest = cd_suggest_name(r, names, text);
    if (nearest == NULL && names == r->bodies)
        nearest = cd_word_nearest(&world, text);
    if (nearest != NULL)
        cd_reject(r, node, "there is no %s `%s`; did you mean `%s`?", what,
                  cd_quotable(text, quoted), nearest);
    else
        cd_reject(r, node, "there is no %s `%s`; add it, or name one that there is", what,
                  cd_quotable(text, quoted));
    return CD_UNKNOWN;
}

static void read_body(cd_reading *r, const cd_field *field, const cd_node *node, void *number)
{
    const bool ground = node->kind == CD_SCALAR && strcmp(node->text, "ground") == 0;
    *(int *)number = ground ? CARDAN_GROUND : find_element(r, field, node, "body", r->bodies);
}

static void read_joint(cd_reading *r, const cd_field *field, const cd_node *node, void *number)
{
    *(int *)number = find_element(r, field, node, "joint", r->joints);
}

static void read_force(cd_reading *r, const cd_field *field, const cd_node *node, void *number)
{
    *(int *)number = find_element(r, field, node, "force", r->forces);
}

static void read_joints(cd_reading *r, const cd_field *field, const cd_node *node, void *numbers)
{
    if (node->kind != CD_LIST || node->count != 2) {
        cd_reject_value(r, node, field->word, "a list of two joints");
        return;
    }
    read_joint(r, field, node->first, numbers);
    read_joint(r, field, node->last, (int *)numbers + 1);
}

/* ---- parts ---- */

static void read_frame(cd_reading *r, const cd_field *field, const cd_node *node, void *frame)
{
    if (node->kind == CD_LIST)
        cd_read_list(r, node, field->word, 3, ((cardan_frame *)frame)->position);
    else
        cd_read_fields(r, field->detail, node, frame, NULL);
}

static void read_nested_map(cd_reading *r, const cd_field *field, const cd_node *node, void *part)
{
    cd_read_fields(r, field->detail, node, part, NULL);
}

/* Kinds that are not here are read elsewhere, or not at all. */
static cd_value_reader *const readers[] = {[CD_NUMBER] = read_numbers,
                                           [CD_INTEGER] = read_integer,
                                           [CD_BOOLEAN] = read_boolean,
                                           [CD_TEXT] = read_text,
                                           [CD_NAME] = read_text,
                                           [CD_WORD] = read_word,
                                           [CD_METHOD] = read_method,
                                           [CD_PARAMS] = read_params,
                                           [CD_VECTOR] = read_numbers,
                                           [CD_AXIS] = read_axis,
                                           [CD_NUMBERS] = read_list_of_numbers,
                                           [CD_TABLE] = cd_read_table,
                                           [CD_INERTIA] = cd_read_inertia,
                                           [CD_MATRIX6] = cd_read_matrix6,
                                           [CD_ORIENTATION] = cd_read_orientation,
                                           [CD_FRAME] = read_frame,
                                           [CD_DIRECTION] = read_direction,
                                           [CD_DIRECTIONS] = read_directions,
                                           [CD_FIXED] = read_fixed,
                                           [CD_BODY] = read_body,
                                           [CD_JOINT] = read_joint,
                                           [CD_JOINTS] = read_joints,
                                           [CD_FORCE] = read_force,
                                           [CD_SIGNAL] = cd_read_signal,
                                           [CD_SIGNALS] = cd_read_signals,
                                           [CD_NESTED_MAP] = read_nested_map,
                                           [CD_LIST_OF_MAPS] = cd_read_list_of_maps,
                                           [CD_PARAMETERS] = cd_read_parameters,
                                           [CD_IGNORED] = NULL};

void cd_read_value(cd_reading *r, const cd_field *field, const cd_node *node, void *value)
{
    if (readers[field->kind] != NULL)
        readers[field->kind](r, field, node, value);
}
