/* See tolerance.h. */
#include "tolerance.h"
#include "options.h"

#include <stdio.h>
#include <stdlib.h>

bool cli_tolerance_read(const char *command, const char *what, const char *text,
                        double values[CLI_CLASSES])
{
    double *list;
    int count;
    if (!cli_positive_list(command, what, text, &list, &count))
        return false;
    for (int i = 0; i < CLI_CLASSES; i++)
        values[i] = list[count == CLI_CLASSES ? i : 0];
    free(list);
    if (count == 1 || count == CLI_CLASSES)
        return true;
    cli_complain(command,
                 "%s: `%s` has %d numbers; give one for all, or three: positions, velocities, "
                 "multipliers",
                 what, text, count);
    return false;
}

bool cli_tolerance_given(const cli_tolerance *t)
{
    return t->relative[0] > 0.0 || t->absolute[0] > 0.0 || t->min_step > 0.0 || t->max_step > 0.0;
}

void cli_tolerance_complete(cli_tolerance *t)
{
    for (int i = 0; i < CLI_CLASSES; i++) {
        if (!(t->relative[i] > 0.0))
            t->relative[i] = 1e-4;
        if (!(t->absolute[i] > 0.0))
            t->absolute[i] = t->relative[i] / 100.0;
    }
}

void cli_tolerance_set(const cli_tolerance *t, cardan_step_control *control)
{
    cardan_tolerance *const classes[] = {&control->position, &control->velocity,
                                         &control->multiplier};
    control->adaptive = true;
    for (int i = 0; i < CLI_CLASSES; i++)
        *classes[i] = (cardan_tolerance){t->absolute[i], t->relative[i]};
    control->min_step = t->min_step;
    control->max_step = t->max_step;
}

const char *cli_tolerance_text(const double values[CLI_CLASSES], char *text, size_t size)
{
    if (values[0] == values[1] && values[0] == values[2])
        snprintf(text, size, "%g", values[0]);
    else
        snprintf(text, size, "%g,%g,%g", values[0], values[1], values[2]);
    return text;
}

json_t *cli_tolerance_json(const cli_tolerance *t)
{
    static const char *const names[] = {"position", "velocity", "multiplier"};
    json_t *object = json_object();
    for (int i = 0; i < CLI_CLASSES; i++)
        json_object_set_new(object, names[i],
                            json_pack("{s:o, s:o}", "relative", cli_json_number(t->relative[i]),
                                      "absolute", cli_json_number(t->absolute[i])));
    return object;
}
