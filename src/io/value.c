/* Values by their kind: numbers with parameters and expressions, words, lists. */
#include "base/numeric.h"
#include "expression.h"
#include "read.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

const char *cd_describe(const cd_node *node, char buffer[CD_QUOTED + 2])
{
    char quoted[CD_QUOTED];
    if (node->kind != CD_SCALAR)
        return node->kind == CD_MAP
                   ? "a map"
                   : (snprintf(buffer, CD_QUOTED + 2, "a list of %d", node->count), buffer);
    if (node->text[0] == '\0')
        return "empty";
    snprintf(buffer, CD_QUOTED + 2, "`%s`", cd_quoted(node->text, quoted));
    return buffer;
}

bool cd_is_nothing(const cd_node *node)
{
    return node->kind == CD_SCALAR && !node->quoted &&
           (node->text[0] == '\0' || strcmp(node->text, "~") == 0 ||
            strcmp(node->text, "null") == 0);
}

static bool refuse(cd_reading *r, const cd_node *node, const char *word, const char *wanted)
{
    char buffer[CD_QUOTED + 2];
    if (cd_is_nothing(node))
        cd_report_error(r->report, node->key != NULL ? node->key_place : node->place,
                        "`%s` has no value; give %s", word, wanted);
    else
        cd_report_error(r->report, node->place, "`%s` wants %s; this is %s", word, wanted,
                        cd_describe(node, buffer));
    return false;
}

/* ---- numbers ---- */

static bool evaluate(cd_reading *r, const cd_node *node, double *value)
{
    cd_expression expression = {.lookup = cd_parameter_value, .context = r};
    const char *text = node->text + (node->text[0] == '=');
    if (cd_expression_value(&expression, text, value))
        return true;
    cd_spot place = node->place;
    place.column += (int)(expression.at - node->text) + node->quoted;
    if (expression.why[0] != '\0') /* else it follows from a mistake that is reported elsewhere */
        cd_report_error(r->report, place, "in this expression %s", expression.why);
    return false;
}

static bool is_infinite_word(const char *text)
{
    char lower[12] = "";
    const char *word = text + strspn(text, "+-.");
    for (size_t i = 0; i + 1 < sizeof lower && word[i] != '\0'; i++)
        lower[i] = (char)tolower((unsigned char)word[i]);
    return strcmp(lower, "nan") == 0 || strcmp(lower, "inf") == 0 || strcmp(lower, "infinity") == 0;
}

static bool refuse_number(cd_reading *r, const cd_node *node, const char *word)
{
    char buffer[CD_QUOTED + 2];
    const char *text = node->text, *found = cd_describe(node, buffer);
    const bool starts = isdigit((unsigned char)text[strspn(text, "+-.")]) != 0;
    const char *nearest = starts ? NULL : cd_nearest_in(r, r->parameter_names, text);
    if (nearest != NULL)
        cd_report_error(r->report, node->place,
                        "`%s` wants a number; this is %s, did you mean the parameter `$%s`?", word,
                        found, nearest);
    else if (starts && strchr(text, ',') != NULL)
        cd_report_error(r->report, node->place,
                        "`%s` wants a number; this is %s, write a decimal point for the comma",
                        word, found);
    else if (starts)
        cd_report_error(r->report, node->place,
                        "`%s` wants a number; this is %s, write it like 0.001 or 1e-3, without a "
                        "unit, or as an expression like \"=2*pi\"",
                        word, found);
    else
        cd_report_error(r->report, node->place,
                        "`%s` wants a number; this is %s, write one like 0.001 or 1e-3", word,
                        found);
    return false;
}

bool cd_read_number(cd_reading *r, const cd_node *node, const char *word, double *value)
{
    double number = 0.0;
    if (node->kind != CD_SCALAR || cd_is_nothing(node) || node->text[0] == '\0')
        return refuse(r, node, word, "a number");
    if (node->text[0] == '$' || node->text[0] == '=') {
        if (!evaluate(r, node, &number))
            return false;
    } else if (is_infinite_word(node->text) ||
               (cd_number_of(node->text, &number) && !isfinite(number))) {
        cd_report_error(r->report, node->place,
                        "`%s` is `%.20s`, which is not a finite number; give an ordinary number",
                        word, node->text);
        return false;
    } else if (!cd_number_of(node->text, &number)) {
        return refuse_number(r, node, word);
    }
    *value = number;
    return true;
}

bool cd_read_list(cd_reading *r, const cd_node *node, const char *word, int count, double *values)
{
    char wanted[64];
    bool sound = true;
    snprintf(wanted, sizeof wanted, "a list of %d numbers", count);
    if (node->kind != CD_LIST)
        return refuse(r, node, word, wanted);
    if (node->count != count) {
        cd_report_error(r->report, node->place, "`%s` wants %s; this list has %d", word, wanted,
                        node->count);
        return false;
    }
    for (const cd_node *entry = node->first; entry != NULL; entry = entry->next)
        sound = cd_read_number(r, entry, word, values++) && sound;
    return sound;
}

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
            cd_report_error(r->report, entry->place, "`%s` is %.6g; it must be %s", field->word, x,
                            must);
    }
}

/* Angles and their rates are stored in radians. */
static void store(cd_reading *r, const cd_field *field, const cd_node *node, int count,
                  const double *values, double *target)
{
    const bool angle = strcmp(field->unit, "rad") == 0 || strcmp(field->unit, "rad/s") == 0;
    check_range(r, field, node, count, values);
    for (int i = 0; i < count; i++)
        target[i] = angle ? values[i] * r->angle_unit : values[i];
}

static void read_numbers(cd_reading *r, const cd_field *field, const cd_node *node, int count,
                         double *target)
{
    double values[4] = {0.0};
    const bool sound = count == 1 ? cd_read_number(r, node, field->word, values)
                                  : cd_read_list(r, node, field->word, count, values);
    if (sound)
        store(r, field, node, count, values, target);
}

static void read_axis(cd_reading *r, const cd_field *field, const cd_node *node, double *target)
{
    double values[3] = {0.0};
    if (!cd_read_list(r, node, field->word, 3, values))
        return;
    const double length = sqrt(cd_dot(3, values, values));
    if (length > 0.0 && isfinite(length))
        for (int i = 0; i < 3; i++)
            target[i] = values[i] / length;
    else
        cd_report_error(r->report, node->place,
                        "`%s` has %s length; give a direction, such as [0, 0, 1]", field->word,
                        length > 0.0 ? "no finite" : "zero");
}

static void read_integer(cd_reading *r, const cd_field *field, const cd_node *node, int *target)
{
    double value;
    if (!cd_read_number(r, node, field->word, &value))
        return;
    check_range(r, field, node, 1, &value);
    if (value != floor(value) || fabs(value) > 1e9)
        cd_report_error(r->report, node->place, "`%s` is %.9g; it must be a whole number",
                        field->word, value);
    else
        *target = (int)value;
}

static void read_list_of_numbers(cd_reading *r, const cd_node *node, const char *word,
                                 cd_numbers *list)
{
    if (node->kind != CD_LIST || node->count == 0) {
        refuse(r, node, word, "a list of numbers");
        return;
    }
    double *values = cd_document_take(r->document, (size_t)node->count * sizeof *values);
    if (values != NULL && cd_read_list(r, node, word, node->count, values))
        *list = (cd_numbers){values, node->count};
}

/* ---- words ---- */

bool cd_read_text(cd_reading *r, const cd_node *node, const char *word, const char **text)
{
    if (node->kind != CD_SCALAR || cd_is_nothing(node))
        return refuse(r, node, word, "a text");
    *text = node->text;
    return true;
}

static void list_words(const cd_words *words, char *text, size_t size)
{
    size_t used = 0;
    for (int i = 0; i < words->count && used < size; i++)
        used += (size_t)snprintf(text + used, size - used, "%s`%s`",
                                 i == 0                 ? ""
                                 : i + 1 < words->count ? ", "
                                                        : " or ",
                                 words->list[i].word);
}

bool cd_read_word(cd_reading *r, const cd_node *node, const cd_words *words, int *index)
{
    char all[600], buffer[CD_QUOTED + 2];
    const int found = node->kind == CD_SCALAR ? cd_word_find(words, node->text) : -1;
    if (found >= 0) {
        *index = found;
        return true;
    }
    const char *nearest = cd_word_nearest(words, node->text);
    list_words(words, all, sizeof all);
    if (nearest != NULL)
        cd_report_error(r->report, node->place, "unknown %s %s; did you mean `%s`?", words->what,
                        cd_describe(node, buffer), nearest);
    else if (node->kind == CD_SCALAR && !cd_is_nothing(node))
        cd_report_error(r->report, node->place, "unknown %s %s; choose %s", words->what,
                        cd_describe(node, buffer), all);
    else
        cd_report_error(r->report, node->place, "%s wants a word; this is %s, choose %s",
                        words->what, cd_describe(node, buffer), all);
    return false;
}

static void read_boolean(cd_reading *r, const cd_field *field, const cd_node *node, bool *value)
{
    const bool yes = node->kind == CD_SCALAR && strcmp(node->text, "true") == 0;
    const bool no = node->kind == CD_SCALAR && strcmp(node->text, "false") == 0;
    if (yes || no)
        *value = yes;
    else
        refuse(r, node, field->word, "`true` or `false`");
}

/* A set of words as bits. */
static bool read_set(cd_reading *r, const cd_node *node, const char *word, const cd_words *words,
                     unsigned *set)
{
    char all[200], wanted[240];
    list_words(words, all, sizeof all);
    snprintf(wanted, sizeof wanted, "a list of %s", all);
    if (node->kind != CD_LIST)
        return refuse(r, node, word, wanted);
    *set = 0;
    for (const cd_node *entry = node->first; entry != NULL; entry = entry->next) {
        int index;
        if (!cd_read_word(r, entry, words, &index))
            continue;
        if ((*set & 1u << index) != 0)
            cd_report_error(r->report, entry->place, "`%s` is in the list twice; remove one",
                            entry->text);
        *set |= 1u << index;
    }
    return true;
}

static void read_hold(cd_reading *r, const cd_field *field, const cd_node *node, cd_hold *hold)
{
    if (node->kind == CD_LIST)
        read_set(r, node, field->word, cd_hold_words(), &hold->parts);
    else if (node->kind == CD_SCALAR &&
             (strcmp(node->text, "true") == 0 || strcmp(node->text, "false") == 0))
        hold->body = strcmp(node->text, "true") == 0;
    else
        refuse(r, node, field->word, "`true`, `false` or a list of values to keep");
}

static const char *method_name(const void *list, int i)
{
    (void)list;
    return cardan_method_describe(i).name;
}

static void read_method(cd_reading *r, const cd_field *field, const cd_node *node,
                        const char **method)
{
    cd_word words[32];
    const char *text = "";
    int index, count = cardan_method_count();
    if (!cd_read_text(r, node, field->word, &text))
        return;
    for (int i = 0; i < count && i < 32; i++)
        words[i] = (cd_word){method_name(NULL, i), ""};
    const cd_words methods = {"method", words, count};
    if (cd_read_word(r, node, &methods, &index))
        *method = cardan_method_describe(index).name;
}

static void read_params(cd_reading *r, const cd_field *field, const cd_node *node,
                        const char **params)
{
    cardan_params parsed;
    cardan_error error;
    if (!cd_read_text(r, node, field->word, params))
        return;
    if (cardan_params_parse(*params, &parsed, &error) != CARDAN_OK)
        cd_report_error(r->report, node->place, "%s", error.text);
}

/* ---- names of other elements ---- */

const char *cd_nearest_in(const cd_reading *r, const cd_names *names, const char *text)
{
    return r->report->full ? NULL : cd_names_nearest(names, text);
}

bool cd_excuses(cd_reading *r, const cd_names *names, const cd_node *node, const char *text)
{
    if (r->report->full || !cd_names_excuse(names, text))
        return false;
    if (r->excused == NULL)
        r->excused = node;
    return true;
}

static bool find_name(cd_reading *r, const cd_node *node, const char *word, const char *what,
                      const cd_names *names, int *number)
{
    char quoted[CD_QUOTED];
    const char *text = "";
    *number = CD_UNKNOWN;
    if (!cd_read_text(r, node, word, &text))
        return false;
    const int found = cd_names_find(names, text);
    if (found >= 0) {
        *number = found;
        return true;
    }
    if (cd_excuses(r, names, node, text))
        return false;
    static const cd_word ground = {"ground", ""};
    const cd_words world = {"body", &ground, 1};
    const char *nearest = cd_nearest_in(r, names, text);
    if (nearest == NULL && names == r->bodies)
        nearest = cd_word_nearest(&world, text);
    if (nearest != NULL)
        cd_report_error(r->report, node->place, "there is no %s `%s`; did you mean `%s`?", what,
                        cd_quoted(text, quoted), nearest);
    else
        cd_report_error(r->report, node->place,
                        "there is no %s `%s`; add it, or name one that there is", what,
                        cd_quoted(text, quoted));
    return false;
}

static void read_body(cd_reading *r, const cd_field *field, const cd_node *node, int *number)
{
    if (node->kind == CD_SCALAR && strcmp(node->text, "ground") == 0)
        *number = CARDAN_GROUND;
    else
        find_name(r, node, field->word, "body", r->bodies, number);
}

static void read_joints(cd_reading *r, const cd_field *field, const cd_node *node, int *numbers)
{
    if (node->kind != CD_LIST || node->count != 2) {
        refuse(r, node, field->word, "a list of two joints");
        return;
    }
    find_name(r, node->first, field->word, "joint", r->joints, &numbers[0]);
    find_name(r, node->last, field->word, "joint", r->joints, &numbers[1]);
}

static void read_frame(cd_reading *r, const cd_field *field, const cd_node *node,
                       cardan_frame *frame)
{
    if (node->kind == CD_LIST)
        cd_read_list(r, node, field->word, 3, frame->position);
    else
        cd_read_fields(r, field->detail, node, frame, NULL);
}

/* ---- all of them ---- */

static void read_simple(cd_reading *r, const cd_field *field, const cd_node *node, void *value)
{
    switch (field->kind) {
    case CD_NUMBER:
        read_numbers(r, field, node, 1, value);
        break;
    case CD_VECTOR:
        read_numbers(r, field, node, 3, value);
        break;
    case CD_AXIS:
        read_axis(r, field, node, value);
        break;
    case CD_INTEGER:
        read_integer(r, field, node, value);
        break;
    case CD_BOOLEAN:
        read_boolean(r, field, node, value);
        break;
    case CD_TEXT:
    case CD_NAME:
        cd_read_text(r, node, field->word, value);
        break;
    case CD_WORD:
    case CD_DIRECTION:
        cd_read_word(r, node, field->detail, value);
        break;
    case CD_METHOD:
        read_method(r, field, node, value);
        break;
    default:
        read_params(r, field, node, value);
        break;
    }
}

static void read_compound(cd_reading *r, const cd_field *field, const cd_node *node, void *value)
{
    switch (field->kind) {
    case CD_NUMBERS:
        read_list_of_numbers(r, node, field->word, value);
        break;
    case CD_TABLE:
        cd_read_table(r, node, field->word, value);
        break;
    case CD_INERTIA:
        cd_read_inertia(r, node, field->word, value);
        break;
    case CD_MATRIX6:
        cd_read_matrix6(r, node, field->word, value);
        break;
    case CD_ORIENTATION:
        cd_read_orientation(r, node, value);
        break;
    case CD_FRAME:
        read_frame(r, field, node, value);
        break;
    case CD_DIRECTIONS:
        read_set(r, node, field->word, cd_direction_words(), value);
        break;
    case CD_HOLD:
        read_hold(r, field, node, value);
        break;
    case CD_PART:
        cd_read_fields(r, field->detail, node, value, NULL);
        break;
    default:
        cd_read_parts(r, field->detail, node, value);
        break;
    }
}

void cd_read_value(cd_reading *r, const cd_field *field, const cd_node *node, void *value)
{
    switch (field->kind) {
    case CD_BODY:
        read_body(r, field, node, value);
        break;
    case CD_JOINT:
        find_name(r, node, field->word, "joint", r->joints, value);
        break;
    case CD_FORCE:
        find_name(r, node, field->word, "force", r->forces, value);
        break;
    case CD_JOINTS:
        read_joints(r, field, node, value);
        break;
    case CD_SIGNAL:
        cd_read_signal(r, node, field->word, value);
        break;
    case CD_SIGNALS:
        cd_read_signals(r, node, field->word, value);
        break;
    case CD_PARAMETERS:
    case CD_INCLUDE:
    case CD_ANYTHING:
        break;
    default:
        if (field->kind <= CD_PARAMS || field->kind == CD_VECTOR || field->kind == CD_AXIS ||
            field->kind == CD_DIRECTION)
            read_simple(r, field, node, value);
        else
            read_compound(r, field, node, value);
    }
}
