/* Reading the command line: numbers, lists, words with a suggestion, and the option loop. */
#include "options.h"

#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LONGEST_WORD = 63, MOST_OPTIONS = 64 };

static void begin_line(cli_colour colour, const char *command)
{
    fprintf(stderr, "%scardan:%s %s: ", cli_colour_code(stderr, colour),
            cli_colour_code(stderr, CLI_COLOUR_NONE), command);
}

static void tell(cli_colour colour, const char *command, const char *format, va_list arguments)
{
    begin_line(colour, command);
    vfprintf(stderr, format, arguments);
    fputc('\n', stderr);
}

void cli_complain(const char *command, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    tell(CLI_COLOUR_WRONG, command, format, arguments);
    va_end(arguments);
}

void cli_tell(cli_colour colour, const char *command, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    tell(colour, command, format, arguments);
    va_end(arguments);
}

/* Memory as it is, if there is any. */
static void *demand(void *memory)
{
    if (memory == NULL) {
        fprintf(stderr, "cardan: out of memory\n");
        exit(CLI_FAILED);
    }
    return memory;
}

void *cli_allocate(size_t count, size_t size)
{
    return demand(calloc(count > 0 ? count : 1, size));
}

void *cli_reallocate(void *memory, size_t count, size_t size)
{
    const bool fits = count <= SIZE_MAX / size;
    return demand(fits ? realloc(memory, count > 0 ? count * size : size) : NULL);
}

char *cli_copy(const char *text)
{
    return demand(strdup(text));
}

/* The number that fills text[0..length) completely. */
static bool number_span(const char *command, const char *what, const char *text, size_t length,
                        double *value)
{
    char *rest;
    *value = strtod(text, &rest);
    if (length == 0 || rest != text + length) {
        cli_complain(command, "%s: `%.*s` is not a number; write it like 0.001 or 1e-3", what,
                     (int)length, text);
        return false;
    }
    if (!isfinite(*value)) {
        cli_complain(command, "%s: `%.*s` is not finite; give an ordinary number", what,
                     (int)length, text);
        return false;
    }
    return true;
}

static bool positive_span(const char *command, const char *what, const char *text, size_t length,
                          double *value)
{
    if (!number_span(command, what, text, length, value))
        return false;
    if (*value > 0.0)
        return true;
    cli_complain(command, "%s: `%.*s` is not positive; give a number greater than 0", what,
                 (int)length, text);
    return false;
}

bool cli_number(const char *command, const char *what, const char *text, double *value)
{
    return number_span(command, what, text, strlen(text), value);
}

bool cli_positive(const char *command, const char *what, const char *text, double *value)
{
    return positive_span(command, what, text, strlen(text), value);
}

bool cli_count(const char *command, const char *what, const char *text, long long *value)
{
    char *rest;
    errno = 0;
    *value = strtoll(text, &rest, 10);
    if (rest != text && *rest == '\0' && errno == 0 && *value >= 1)
        return true;
    cli_complain(command, "%s: `%s` is not a count; give a whole number of 1 or more", what, text);
    return false;
}

static int count_entries(const char *text)
{
    int count = 1;
    for (const char *c = text; *c != '\0'; c++)
        count += *c == ',';
    return count;
}

typedef bool read_span(const char *command, const char *what, const char *text, size_t length,
                       double *value);

static bool read_list(const char *command, const char *what, const char *text, read_span *read,
                      double **values, int *count)
{
    *count = count_entries(text);
    *values = cli_allocate((size_t)*count, sizeof **values);
    const char *entry = text;
    for (int i = 0; i < *count; i++) {
        size_t length = strcspn(entry, ",");
        if (length == 0)
            cli_complain(command,
                         "%s: entry %d of `%s` is empty; separate the numbers by single commas",
                         what, i + 1, text);
        if (length == 0 || !read(command, what, entry, length, &(*values)[i])) {
            free(*values);
            *values = NULL;
            return false;
        }
        entry += length + 1;
    }
    return true;
}

bool cli_number_list(const char *command, const char *what, const char *text, double **values,
                     int *count)
{
    return read_list(command, what, text, number_span, values, count);
}

bool cli_positive_list(const char *command, const char *what, const char *text, double **values,
                       int *count)
{
    return read_list(command, what, text, positive_span, values, count);
}

static size_t smaller(size_t a, size_t b)
{
    return a < b ? a : b;
}

/* Number of edits from a to b, an exchange of neighbours counting as one; row by row, with the two
 * rows before. */
static size_t edit_distance(const char *a, const char *b)
{
    size_t rows[3][LONGEST_WORD + 1];
    size_t *before = rows[0], *above = rows[1], *row = rows[2];
    size_t width = strlen(b);
    for (size_t j = 0; j <= width; j++)
        row[j] = j;
    for (size_t i = 1; a[i - 1] != '\0'; i++) {
        size_t *oldest = before;
        before = above;
        above = row;
        row = oldest;
        row[0] = i;
        for (size_t j = 1; j <= width; j++) {
            row[j] = smaller(above[j], row[j - 1]) + 1;
            row[j] = smaller(row[j], above[j - 1] + (a[i - 1] != b[j - 1]));
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
                row[j] = smaller(row[j], before[j - 2] + 1);
        }
    }
    return row[width];
}

const char *cli_nearest(const char *word, const char *const *words, int count)
{
    size_t length = strlen(word);
    size_t best = 1 + length / 4; /* more edits than this is another word */
    const char *nearest = NULL;
    if (length > LONGEST_WORD)
        return NULL;
    for (int i = 0; i < count; i++) {
        if (strlen(words[i]) > LONGEST_WORD)
            continue;
        bool begins = length >= 3 && strncmp(word, words[i], length) == 0;
        size_t distance = begins ? 1 : edit_distance(word, words[i]);
        if (distance < best || (distance == best && nearest == NULL)) {
            best = distance;
            nearest = words[i];
        }
    }
    return nearest;
}

static void print_words(const char *const *words, int count)
{
    for (int i = 0; i < count; i++)
        fprintf(stderr, "%s`%s`", i == 0 ? "" : i + 1 < count ? ", " : " or ", words[i]);
    fputc('\n', stderr);
}

bool cli_choice(const char *command, const char *what, const char *text, const char *const *words,
                int count, int *index)
{
    for (*index = 0; *index < count; ++*index)
        if (strcmp(text, words[*index]) == 0)
            return true;
    const char *nearest = cli_nearest(text, words, count);
    if (nearest != NULL) {
        cli_complain(command, "unknown %s `%s`; did you mean `%s`?", what, text, nearest);
    } else {
        begin_line(CLI_COLOUR_WRONG, command);
        fprintf(stderr, "unknown %s `%s`; choose ", what, text);
        print_words(words, count);
    }
    return false;
}

const char *cli_shortest(double value, char text[CLI_NUMBER_TEXT])
{
    /* Most numbers need all digits: what 15 cannot tell, fewer cannot either. */
    snprintf(text, CLI_NUMBER_TEXT, "%.15g", value);
    for (int digits = strtod(text, NULL) == value ? 1 : 16; digits <= 17; digits++) {
        snprintf(text, CLI_NUMBER_TEXT, "%.*g", digits, value);
        if (strtod(text, NULL) == value)
            break;
    }
    return text;
}

static const struct option *option_of_code(const cli_syntax *syntax, int code)
{
    const struct option *option = syntax->options;
    while (option->name != NULL && option->val != code)
        option++;
    return option->name != NULL ? option : NULL;
}

static void complain_unknown(const cli_syntax *syntax, const char *argument)
{
    const char *words[MOST_OPTIONS];
    char name[LONGEST_WORD + 1];
    int count = 0;
    for (const struct option *o = syntax->options; o->name != NULL && count < MOST_OPTIONS; o++)
        words[count++] = o->name;
    size_t dashes = strspn(argument, "-");
    snprintf(name, sizeof name, "%.*s", (int)strcspn(argument + dashes, "="), argument + dashes);
    const char *nearest = cli_nearest(name, words, count);
    if (nearest != NULL)
        cli_complain(syntax->command, "unknown option `%s`; did you mean `--%s`?", argument,
                     nearest);
    else
        cli_complain(syntax->command, "unknown option `%s`; `cardan %s --help` lists the options",
                     argument, syntax->command);
}

/* getopt_long has refused an argument: says why. */
static void complain_refused(const cli_syntax *syntax, int code, char **argv)
{
    const struct option *option = option_of_code(syntax, optopt);
    char letter[] = {'-', (char)optopt, '\0'};
    if (optopt == 0)
        complain_unknown(syntax, argv[optind - 1]);
    else if (option == NULL)
        complain_unknown(syntax, letter);
    else if (code == ':')
        cli_complain(syntax->command, "--%s needs a value; `cardan %s --help` shows examples",
                     option->name, syntax->command);
    else
        cli_complain(syntax->command, "--%s takes no value; leave it out", option->name);
}

/* -o is short for --out where a command has it; else '?'. */
static int long_code(const cli_syntax *syntax, int code)
{
    if (code != 'o')
        return code;
    for (const struct option *o = syntax->options; o->name != NULL; o++)
        if (strcmp(o->name, "out") == 0)
            return o->val;
    return '?';
}

/* An option counts as seen from now on; false if it was already and may not be repeated. */
static bool mark_seen(const cli_syntax *syntax, int code, unsigned long long *seen)
{
    if (code < CLI_OPTION_FIRST || code == syntax->repeatable)
        return true;
    unsigned long long bit = 1ull << (code - CLI_OPTION_FIRST);
    if ((*seen & bit) != 0) {
        cli_complain(syntax->command, "--%s is given twice; give it once",
                     option_of_code(syntax, code)->name);
        return false;
    }
    *seen |= bit;
    return true;
}

/* Told here, where errno is still that of the write: a long text does not wait for the last flush.
 */
static int print_help(const cli_syntax *syntax)
{
    const char *parts[] = {syntax->help, syntax->help_rest, syntax->help_end};
    bool done = true;
    for (int i = 0; i < 3; i++)
        done = done && (parts[i] == NULL || fputs(parts[i], stdout) >= 0);
    if (done && fflush(stdout) == 0)
        return CLI_DONE;
    cli_complain(syntax->command, "cannot write to standard output: %s", strerror(errno));
    return CLI_FAILED;
}

/* Answers `--list-options`. */
static bool list_options(const cli_syntax *syntax, int argc, char **argv)
{
    if (argc != 2 || strcmp(argv[1], CLI_LIST_OPTIONS) != 0)
        return false;
    for (const struct option *o = syntax->options; o->name != NULL; o++)
        printf("--%s\n", o->name);
    return true;
}

bool cli_parse(const cli_syntax *syntax, int argc, char **argv, void *context, int *exit_code)
{
    unsigned long long seen = 0;
    int code;
    *exit_code = CLI_DONE;
    if (list_options(syntax, argc, argv))
        return false;
    *exit_code = CLI_BAD_INPUT;
    opterr = 0;
    optind = 0;
    /* "-": plain arguments keep their order, wherever they are; ":": a missing value is told
     * apart from an unknown option. */
    while ((code = getopt_long(argc, argv, "-:ho:", syntax->options, NULL)) != -1) {
        code = long_code(syntax, code);
        if (code == 'h') {
            *exit_code = print_help(syntax);
            return false;
        }
        if (code == '?' || code == ':') {
            complain_refused(syntax, code, argv);
            return false;
        }
        if (!mark_seen(syntax, code, &seen) || !syntax->apply(context, code, optarg))
            return false;
    }
    for (int i = optind; i < argc; i++)
        if (!syntax->apply(context, CLI_POSITIONAL, argv[i]))
            return false;
    return true;
}
