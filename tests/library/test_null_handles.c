/* No public function crashes without its handle; a function of the headers that is missing in the
 * list of calls fails the test. */
#include "suite.h"

#include <cardan/cardan.h>
#include <cardan/model_check.h>
#include <cardan/model_file.h>
#include <dirent.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static cardan_error error;

#define REFUSED(name, arguments)                                                                   \
    static void call_##name(void)                                                                  \
    {                                                                                              \
        ck_assert_int_eq(name arguments, CARDAN_INVALID_ARGUMENT);                                 \
    }
#define REFUSED_SAYING(name, arguments)                                                            \
    static void call_##name(void)                                                                  \
    {                                                                                              \
        ck_assert_int_eq(name arguments, CARDAN_INVALID_ARGUMENT);                                 \
        ck_assert_int_eq(error.status, CARDAN_INVALID_ARGUMENT);                                   \
        ck_assert_int_ne(error.text[0], '\0');                                                     \
    }
#define NOTHING(name, arguments)                                                                   \
    static void call_##name(void)                                                                  \
    {                                                                                              \
        ck_assert_ptr_null(name arguments);                                                        \
    }
#define SENTENCE(name, arguments)                                                                  \
    static void call_##name(void)                                                                  \
    {                                                                                              \
        ck_assert_ptr_nonnull(strstr(name arguments, "NULL"));                                     \
    }
#define ZERO(name, arguments)                                                                      \
    static void call_##name(void)                                                                  \
    {                                                                                              \
        ck_assert_uint_eq((uint64_t)name arguments, 0);                                            \
    }
#define CODE(name, arguments)                                                                      \
    static void call_##name(void)                                                                  \
    {                                                                                              \
        ck_assert_int_lt(name arguments, 0);                                                       \
    }
#define NOT_A_NUMBER(name, arguments)                                                              \
    static void call_##name(void)                                                                  \
    {                                                                                              \
        ck_assert(isnan(name arguments));                                                          \
    }
#define QUIET(name, arguments)                                                                     \
    static void call_##name(void)                                                                  \
    {                                                                                              \
        name arguments;                                                                            \
    }
#define VALUE     QUIET
#define NO_HANDLE QUIET
#include "null_calls.def"
#undef REFUSED
#undef REFUSED_SAYING
#undef NOTHING
#undef SENTENCE
#undef ZERO
#undef NOT_A_NUMBER
#undef QUIET
#undef CODE

typedef struct function {
    const char *name;
    void (*call)(void);
} function;

#define QUIET(name, arguments) {#name, call_##name},
#define REFUSED                QUIET
#define REFUSED_SAYING         QUIET
#define NOTHING                QUIET
#define SENTENCE               QUIET
#define ZERO                   QUIET
#define NOT_A_NUMBER           QUIET
#define CODE                   QUIET
static const function functions[] = {
#include "null_calls.def"
#include "paths.h"
};
enum { FUNCTIONS = sizeof functions / sizeof functions[0] };

START_TEST(without_handle)
{
    functions[_i].call();
}
END_TEST

static bool is_listed(const char *name, size_t length)
{
    for (int i = 0; i < FUNCTIONS; i++)
        if (strlen(functions[i].name) == length && strncmp(functions[i].name, name, length) == 0)
            return true;
    return false;
}

/* The name before the first bracket of a declaration that begins with CARDAN_API. */
static int check_header(const char *text)
{
    int count = 0;
    for (const char *at = text; (at = strstr(at, "\nCARDAN_API ")) != NULL; count++) {
        at++;
        const char *end = strchr(at, '('), *name = end;
        while (name[-1] == '_' || (name[-1] >= '0' && name[-1] <= '9') ||
               (name[-1] >= 'a' && name[-1] <= 'z'))
            name--;
        ck_assert_msg(is_listed(name, (size_t)(end - name)), "%.*s is not in null_calls.def",
                      (int)(end - name), name);
    }
    return count;
}

static int check_file(const char *name)
{
    static char text[1 << 17];
    char path[512];
    snprintf(path, sizeof path, "%s/cardan/%s", CARDAN_INCLUDE, name);
    FILE *in = fopen(path, "r");
    ck_assert_ptr_nonnull(in);
    const size_t size = fread(text, 1, sizeof text - 1, in);
    ck_assert_uint_lt(size, sizeof text - 1);
    text[size] = '\0';
    fclose(in);
    return check_header(text);
}

START_TEST(all_functions_are_listed)
{
    DIR *folder = opendir(CARDAN_INCLUDE "/cardan");
    int count = 0;
    ck_assert_ptr_nonnull(folder);
    for (struct dirent *next; (next = readdir(folder)) != NULL;)
        if (next->d_name[0] != '.')
            count += check_file(next->d_name);
    closedir(folder);
    ck_assert_int_eq(count, FUNCTIONS);
}
END_TEST

Suite *make_suite(void)
{
    Suite *suite = suite_create("library: NULL handles");
    TCase *all = tcase_create("all");
    tcase_add_loop_test(all, without_handle, 0, FUNCTIONS);
    tcase_add_test(all, all_functions_are_listed);
    suite_add_tcase(suite, all);
    return suite;
}
