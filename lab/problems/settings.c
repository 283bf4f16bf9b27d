/* Settings by name: unknown names and values out of range give a sentence. */
#include "settings.h"

#include "base/error.h"
#include "base/nearest.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

cardan_status cd_refuse(cardan_error *error, const char *name, double value,
                        const char *requirement)
{
    return cd_fail(error, CARDAN_INVALID_ARGUMENT, "parameter %s = %.9g is not possible; %s", name,
                   value, requirement);
}

static const char *parameter_name(const void *list, int i)
{
    const lab_parameter *parameters = list;
    return parameters[i].name;
}

static int find_parameter(const cd_problem_type *type, const char *name)
{
    for (int i = 0; i < type->parameter_count; i++)
        if (strcmp(type->parameters[i].name, name) == 0)
            return i;
    return -1;
}

/* "m, l, g, x0" */
static void list_names(const cd_problem_type *type, char *text, size_t size)
{
    size_t used = 0;
    for (int i = 0; i < type->parameter_count && used < size; i++)
        used += (size_t)snprintf(text + used, size - used, "%s%s", i > 0 ? ", " : "",
                                 type->parameters[i].name);
}

static cardan_status unknown_parameter(const cd_problem_type *type, const char *name,
                                       cardan_error *error)
{
    char names[256] = "";
    if (type->parameter_count == 0)
        return cd_fail(error, CARDAN_UNKNOWN_NAME,
                       "problem %s has no parameter '%.64s'; it has none", type->name, name);
    list_names(type, names, sizeof names);
    int nearest = cd_nearest_name(name, type->parameters, type->parameter_count, parameter_name);
    if (nearest < 0)
        return cd_fail(error, CARDAN_UNKNOWN_NAME, "problem %s has no parameter '%.64s'; it has %s",
                       type->name, name, names);
    return cd_fail(error, CARDAN_UNKNOWN_NAME,
                   "problem %s has no parameter '%.64s', did you mean '%s'? It has %s", type->name,
                   name, type->parameters[nearest].name, names);
}

static cardan_status check_range(const char *name, cd_range range, double value,
                                 cardan_error *error)
{
    if (!isfinite(value))
        return cd_refuse(error, name, value, "it must be a finite number");
    if (range == CD_POSITIVE && !(value > 0.0))
        return cd_refuse(error, name, value, "it must be positive");
    if (range == CD_NOT_NEGATIVE && !(value >= 0.0))
        return cd_refuse(error, name, value, "it must not be negative");
    return CARDAN_OK;
}

cardan_status cd_settings_apply(const cd_problem_type *type, const lab_setting *settings, int count,
                                double *values, cardan_error *error)
{
    if (count < 0 || (count > 0 && settings == NULL))
        return cd_fail(error, CARDAN_INVALID_ARGUMENT,
                       "a problem was given %d settings but no array of them", count);
    for (int i = 0; i < type->parameter_count; i++)
        values[i] = type->parameters[i].value;
    for (int i = 0; i < count; i++) {
        if (settings[i].name == NULL)
            return cd_fail(error, CARDAN_INVALID_ARGUMENT, "setting %d has no name", i);
        int index = find_parameter(type, settings[i].name);
        if (index < 0)
            return unknown_parameter(type, settings[i].name, error);
        cardan_status status =
            check_range(settings[i].name, type->ranges[index], settings[i].value, error);
        if (status != CARDAN_OK)
            return status;
        values[index] = settings[i].value;
    }
    return CARDAN_OK;
}
