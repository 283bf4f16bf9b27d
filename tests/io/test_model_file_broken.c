/* Broken model files: tests/data/broken.txt holds them as edits of one sound file, each with the
 * place and a phrase of the message that must come. Every message must be announced. */
#include "paths.h"
#include "suite.h"

#include <cardan/model_file.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_EXPECTED = 16 };

typedef struct expected {
    int line, column;
    const char *phrase;
} expected;

typedef struct broken {
    const char *title;
    char old[4096], text[8192];
    bool edits; /* `text` takes the place of `old`; else it is the file */
    expected messages[MOST_EXPECTED];
    int count;
} broken;

static char *read_all(const char *path)
{
    FILE *file = fopen(path, "rb");
    ck_assert_ptr_nonnull(file);
    ck_assert_int_eq(fseek(file, 0, SEEK_END), 0);
    const long size = ftell(file);
    rewind(file);
    char *text = calloc((size_t)size + 1, 1);
    ck_assert_ptr_nonnull(text);
    ck_assert_uint_eq(fread(text, 1, (size_t)size, file), (size_t)size);
    fclose(file);
    return text;
}

static void append(char *text, size_t size, const char *line)
{
    ck_assert_uint_lt(strlen(text) + strlen(line) + 1, size);
    strcat(text, line);
    strcat(text, "\n");
}

/* The sound file with the edit made; the edit must fit exactly one place. */
static char *edited(const char *base, const broken *item)
{
    char *text = calloc(strlen(base) + sizeof item->text, 1);
    ck_assert_ptr_nonnull(text);
    if (!item->edits)
        return strcpy(text, item->text);
    const char *place = strstr(base, item->old);
    ck_assert_msg(place != NULL && strstr(place + 1, item->old) == NULL,
                  "%s: `%s` must stand in the sound file once", item->title, item->old);
    memcpy(text, base, (size_t)(place - base));
    strcat(text, item->text);
    strcat(text, place + strlen(item->old));
    return text;
}

static bool is_announced(const broken *item, const cardan_file_message *message)
{
    for (int i = 0; i < item->count; i++)
        if (item->messages[i].line == message->line &&
            item->messages[i].column == message->column &&
            strstr(message->text, item->messages[i].phrase) != NULL)
            return true;
    return false;
}

static int check_messages(const broken *item, const cardan_model_file *file)
{
    int failures = 0, errors = 0;
    for (int i = 0; i < cardan_model_file_describe(file).message_count; i++) {
        const cardan_file_message *message = cardan_model_file_message(file, i);
        if (message->severity != CARDAN_SEVERITY_ERROR)
            continue;
        errors++;
        if (is_announced(item, message))
            continue;
        fprintf(stderr, "%s: not announced: ! %d:%d %s\n", item->title, message->line,
                message->column, message->text);
        failures++;
    }
    if (errors != item->count) {
        fprintf(stderr, "%s: %d messages instead of %d\n", item->title, errors, item->count);
        failures++;
    }
    return failures;
}

static int check_one(const char *base, const broken *item)
{
    cardan_model_file *file;
    char *text = edited(base, item);
    const cardan_status status =
        cardan_model_file_parse(&file, text, strlen(text), "broken", NULL, 0, NULL);
    ck_assert_ptr_nonnull(file);
    const int failures = check_messages(item, file) + (status != CARDAN_BAD_MODEL);
    ck_assert_ptr_null(cardan_model_file_model(file));
    cardan_model_file_destroy(file);
    free(text);
    return failures;
}

/* One line of the table goes into the case that is being collected. */
static void take_line(broken *item, char *line)
{
    const char *rest = line[0] != '\0' && line[1] == ' ' ? line + 2 : line + 1;
    if (line[0] == '<') {
        append(item->old, sizeof item->old, rest);
        item->edits = true;
    } else if (line[0] == '>') {
        append(item->text, sizeof item->text, rest);
    } else if (line[0] == '!') {
        expected *message = &item->messages[item->count++];
        int used = 0;
        ck_assert_int_le(item->count, MOST_EXPECTED);
        ck_assert_msg(sscanf(rest, "%d:%d %n", &message->line, &message->column, &used) == 2,
                      "%s: cannot read `%s`", item->title, line);
        message->phrase = rest + used;
    } else {
        ck_assert_msg(line[0] == '\0', "%s: cannot read `%s`", item->title, line);
    }
}

START_TEST(every_mistake_has_its_message)
{
    char *base = read_all(CARDAN_TEST_DATA "/broken_base.yaml");
    char *table = read_all(CARDAN_TEST_DATA "/broken.txt");
    broken *item = calloc(1, sizeof *item);
    int cases = 0, failures = 0;
    ck_assert_ptr_nonnull(item);
    for (char *line = table, *next; line != NULL; line = next) {
        next = strchr(line, '\n');
        if (next != NULL)
            *next++ = '\0';
        if (line[0] != '#') {
            take_line(item, line);
            continue;
        }
        if (item->title != NULL)
            failures += check_one(base, item);
        memset(item, 0, sizeof *item);
        item->title = line;
        cases++;
    }
    failures += check_one(base, item);
    ck_assert_int_eq(failures, 0);
    ck_assert_int_ge(cases, 200);
    free(item);
    free(table);
    free(base);
}
END_TEST

START_TEST(the_sound_file_is_accepted)
{
    cardan_model_file *file;
    cardan_error error;
    const cardan_status status =
        cardan_model_file_read(&file, CARDAN_TEST_DATA "/broken_base.yaml", NULL, 0, &error);
    ck_assert_msg(status == CARDAN_OK, "%s", error.text);
    ck_assert_int_eq(cardan_model_file_describe(file).message_count, 0);
    ck_assert_ptr_nonnull(cardan_model_file_model(file));
    cardan_model_file_destroy(file);
}
END_TEST

Suite *make_suite(void)
{
    Suite *suite = suite_create("broken model files");
    TCase *tcase = tcase_create("table");
    tcase_set_timeout(tcase, 120);
    tcase_add_test(tcase, the_sound_file_is_accepted);
    tcase_add_test(tcase, every_mistake_has_its_message);
    suite_add_tcase(suite, tcase);
    return suite;
}
