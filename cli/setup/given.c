/* Lists of given options: adding, finding, comparing, and their form in a file. */
#include "given.h"
#include "options.h"

#include <stdlib.h>
#include <string.h>

void cli_given_add(cli_given *given, const char *name, const char *value)
{
    cli_given_option *longer = cli_allocate((size_t)given->count + 1, sizeof *longer);
    for (int i = 0; i < given->count; i++)
        longer[i] = given->list[i];
    longer[given->count++] = (cli_given_option){name, value != NULL ? value : ""};
    free(given->list);
    given->list = longer;
}

void cli_given_free(cli_given *given)
{
    free(given->list);
    *given = (cli_given){0};
}

/* Length of NAME in a setting NAME=VALUE; 0 for other options. */
static size_t setting_length(const cli_given_option *option)
{
    return strcmp(option->name, "set") == 0 ? strcspn(option->value, "=") : 0;
}

const cli_given_option *cli_given_find(const cli_given *given, const cli_given_option *option)
{
    const size_t length = setting_length(option);
    for (int i = 0; i < given->count; i++) {
        const cli_given_option *candidate = &given->list[i];
        if (strcmp(candidate->name, option->name) == 0 && setting_length(candidate) == length &&
            strncmp(candidate->value, option->value, length) == 0)
            return candidate;
    }
    return NULL;
}

bool cli_given_same(const cli_given_option *one, const cli_given_option *two)
{
    const size_t skip = setting_length(one) > 0 ? setting_length(one) + 1 : 0;
    char *rest[2];
    if (strcmp(one->value, two->value) == 0)
        return true;
    if (strlen(one->value) <= skip || strlen(two->value) <= skip)
        return false;
    const double x = strtod(one->value + skip, &rest[0]), y = strtod(two->value + skip, &rest[1]);
    return *rest[0] == '\0' && *rest[1] == '\0' && x == y;
}

size_t cli_given_write(const cli_given *given, char *text)
{
    size_t used = 0;
    for (int i = 0; i < given->count; i++) {
        const char *const words[] = {given->list[i].name, given->list[i].value};
        for (int j = 0; j < 2; j++) {
            const size_t size = strlen(words[j]) + 1;
            if (text != NULL)
                memcpy(text + used, words[j], size);
            used += size;
        }
    }
    return used;
}

bool cli_given_read(cli_given *given, const char *text, size_t size)
{
    const char *end = text + size;
    if (size > 0 && end[-1] != '\0')
        return false;
    while (text < end) {
        const char *value = text + strlen(text) + 1;
        if (value >= end)
            return false;
        cli_given_add(given, text, value);
        text = value + strlen(value) + 1;
    }
    return true;
}
