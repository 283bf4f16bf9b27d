/* What the columns of a result mean, from their names: a model's columns come body by body, then
 * joint by joint, then sensors (src/model/sensors/outputs.c); other names are those of a built-in
 * problem or of the program's own columns (record.c). */
#include "cli/setup/options.h"
#include "result.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

typedef struct meaning {
    const char *name; /* after the dot */
    const char *quantity, *component, *unit;
} meaning;

static const meaning body[] = {
    {"x", "pos", "x", "m"},        {"y", "pos", "y", "m"},        {"z", "pos", "z", "m"},
    {"e0", "quat", "0", ""},       {"e1", "quat", "1", ""},       {"e2", "quat", "2", ""},
    {"e3", "quat", "3", ""},       {"vx", "vel", "x", "m/s"},     {"vy", "vel", "y", "m/s"},
    {"vz", "vel", "z", "m/s"},     {"wx", "omega", "x", "rad/s"}, {"wy", "omega", "y", "rad/s"},
    {"wz", "omega", "z", "rad/s"},
};

static const meaning wrench[] = {
    {"fx", "force", "x", "N"},    {"fy", "force", "y", "N"},    {"fz", "force", "z", "N"},
    {"mx", "torque", "x", "N m"}, {"my", "torque", "y", "N m"}, {"mz", "torque", "z", "N m"},
};

/* These follow the forces of a joint, two by two. */
static const meaning coordinates[] = {
    {"angle", "angle", "", "rad"},
    {"rate", "rate", "", "rad/s"},
    {"displacement", "displacement", "", "m"},
    {"speed", "speed", "", "m/s"},
};

static const meaning sensors[] = {
    {"x", "pos", "x", "m"},
    {"y", "pos", "y", "m"},
    {"z", "pos", "z", "m"},
    {"vx", "vel", "x", "m/s"},
    {"vy", "vel", "y", "m/s"},
    {"vz", "vel", "z", "m/s"},
    {"ax", "acc", "x", "m/s^2"},
    {"ay", "acc", "y", "m/s^2"},
    {"az", "acc", "z", "m/s^2"},
    {"qw", "quat", "w", ""},
    {"qx", "quat", "x", ""},
    {"qy", "quat", "y", ""},
    {"qz", "quat", "z", ""},
    {"wx", "omega", "x", "rad/s"},
    {"wy", "omega", "y", "rad/s"},
    {"wz", "omega", "z", "rad/s"},
    {"alpha_x", "alpha", "x", "rad/s^2"},
    {"alpha_y", "alpha", "y", "rad/s^2"},
    {"alpha_z", "alpha", "z", "rad/s^2"},
    {"force_x", "force", "x", "N"},
    {"force_y", "force", "y", "N"},
    {"force_z", "force", "z", "N"},
    {"moment_x", "torque", "x", "N m"},
    {"moment_y", "torque", "y", "N m"},
    {"moment_z", "torque", "z", "N m"},
    {"angle", "angle", "", "rad"},
    {"angle_rate", "angle_rate", "", "rad/s"},
    {"displacement", "displacement", "", "m"},
    {"displacement_rate", "displacement_rate", "", "m/s"},
    {"velocity_error", "velocity_error", "", "1/s"},
    {"kinetic_energy", "kinetic_energy", "", "J"},
    {"weight_energy", "weight_energy", "", "J"},
    {"potential_energy", "potential_energy", "", "J"},
    {"power", "power", "", "W"},
    {"friction_power", "friction_power", "", "W"},
};

static const struct {
    const char *name;
    cli_column_kind kind;
} own[] = {{"phi_max", CLI_COLUMN_HEALTH}, {"hidden_max", CLI_COLUMN_HEALTH},
           {"kinetic", CLI_COLUMN_ENERGY}, {"potential", CLI_COLUMN_ENERGY},
           {"energy", CLI_COLUMN_ENERGY},  {"work", CLI_COLUMN_ENERGY},
           {"dE_i", CLI_COLUMN_ENERGY},    {"dE_p", CLI_COLUMN_ENERGY},
           {"dE_e", CLI_COLUMN_ENERGY}};

#define LENGTH(list) ((int)(sizeof(list) / sizeof *(list)))

/* Bytes before the last dot; 0 without one. */
static size_t owner_length(const char *name)
{
    const char *dot = strrchr(name, '.');
    return dot != NULL ? (size_t)(dot - name) : 0;
}

/* Whether `name` is this column of the owner of another name. */
static bool is_column(const char *name, const char *owner, size_t length, const char *column)
{
    return strncmp(name, owner, length) == 0 && name[length] == '.' &&
           strcmp(name + length + 1, column) == 0;
}

static bool is_sequence(char *const *names, int count, const meaning *list, int length)
{
    const size_t owner = owner_length(names[0]);
    if (count < length || owner == 0)
        return false;
    for (int i = 0; i < length; i++)
        if (!is_column(names[i], names[0], owner, list[i].name))
            return false;
    return true;
}

static void describe(cli_column *column, const char *name, const meaning *what,
                     cli_column_kind kind)
{
    const size_t length = owner_length(name);
    column->name = cli_copy(name);
    column->owner = cli_copy(name);
    column->owner[length] = '\0';
    column->quantity = cli_copy(what->quantity);
    column->component = cli_copy(what->component);
    column->unit = cli_copy(what->unit);
    column->kind = kind;
}

static int describe_all(cli_column *column, char *const *names, const meaning *list, int length,
                        cli_column_kind kind)
{
    for (int i = 0; i < length; i++)
        describe(&column[i], names[i], &list[i], kind);
    return length;
}

static int describe_joint(cli_column *column, char *const *names, int count)
{
    int done = describe_all(column, names, wrench, LENGTH(wrench), CLI_COLUMN_JOINT);
    const size_t owner = owner_length(names[0]);
    for (int i = 0; i < LENGTH(coordinates) && done + 1 < count; i += 2)
        if (is_column(names[done], names[0], owner, coordinates[i].name) &&
            is_column(names[done + 1], names[0], owner, coordinates[i + 1].name))
            done += describe_all(column + done, names + done, coordinates + i, 2, CLI_COLUMN_JOINT);
    return done;
}

static void describe_sensor(cli_column *column, const char *name)
{
    const char *last = name + owner_length(name) + 1;
    meaning what = {last, last, "", ""};
    for (int i = 0; i < LENGTH(sensors); i++)
        if (strcmp(last, sensors[i].name) == 0)
            what = sensors[i];
    describe(column, name, &what, CLI_COLUMN_SENSOR);
}

/* "lambda", "lambda3", "psi1", "eta2", "stage1_2": a word and what is left are digits and `_`. */
static bool is_multiplier(const char *name)
{
    static const char *const words[] = {"lambda", "psi", "eta", "stage"};
    for (int i = 0; i < LENGTH(words); i++) {
        const size_t length = strlen(words[i]);
        if (strncmp(name, words[i], length) == 0 &&
            name[length + strspn(name + length, "0123456789_")] == '\0')
            return true;
    }
    return false;
}

/* ---- outputs of built-in problems ---- */

static bool has_name(char *const *names, int count, const char *first, const char *name)
{
    const size_t length = strlen(first);
    for (int i = 0; i < count; i++)
        if (strncmp(names[i], first, length) == 0 && strcmp(names[i] + length, name) == 0)
            return true;
    return false;
}

/* Names with any number behind them. */
static const struct {
    const char *name, *unit;
} physical[] = {
    {"x", "m"},
    {"y", "m"},
    {"z", "m"},
    {"v", "m/s"},
    {"u", "m/s"},
    {"beta", "rad"},
    {"theta", "rad"},
    {"gamma", "rad"},
    {"phi", "rad"},
    {"delta", "rad"},
    {"epsilon", "rad"},
    {"lean", "rad"},
    {"heading", "rad"},
    {"spin", "rad"},
    {"lean_rate", "rad/s"},
    {"heading_rate", "rad/s"},
    {"spin_rate", "rad/s"},
    {"w", "rad/s"},
    {"Omega", "rad/s"},
    {"omega", "rad/s"},
    {"L", "kg m2/s"},
};

static const char *unit_of_word(const char *name, size_t length)
{
    for (int i = 0; i < LENGTH(physical); i++)
        if (strlen(physical[i].name) == length && strncmp(physical[i].name, name, length) == 0)
            return physical[i].unit;
    return "";
}

/* The unit as far as the name tells it: the rate of another column is named vNAME, and y1, z1 are
 * places only beside their rates, for several problems are plain equations of y and z. */
static const char *unit_of_output(const char *name, char *const *names, int count)
{
    enum { MOST = 100 };
    const size_t length = strcspn(name, "0123456789");
    if (count > MOST)
        return "";
    const bool has_rate = has_name(names, count, "v", name);
    if (name[0] == 'v' && length > 1 && has_name(names, count, "", name + 1))
        return strcmp(unit_of_output(name + 1, names, count), "m") == 0     ? "m/s"
               : strcmp(unit_of_output(name + 1, names, count), "rad") == 0 ? "rad/s"
                                                                            : "";
    if (strcmp(name, "omega") == 0 && has_rate)
        return "rad";
    if ((name[0] == 'y' || name[0] == 'z') && !has_rate)
        return "";
    if (name[0] == 'v' && name[1] != '\0')
        return "";
    return unit_of_word(name, length);
}

static void describe_single(cli_column *column, const char *name, char *const *names, int count)
{
    meaning what = {name, name, "", ""};
    cli_column_kind kind = is_multiplier(name) ? CLI_COLUMN_MULTIPLIER : CLI_COLUMN_OUTPUT;
    for (int i = 0; i < LENGTH(own); i++)
        if (strcmp(name, own[i].name) == 0)
            kind = own[i].kind;
    if (kind == CLI_COLUMN_ENERGY)
        what.unit = "J";
    if (kind == CLI_COLUMN_OUTPUT)
        what.unit = unit_of_output(name, names, count);
    describe(column, name, &what, kind);
}

void cli_result_name_columns(cli_result *result, char *const *names, int count)
{
    static const meaning time = {"t", "time", "", "s"};
    cli_column *columns = cli_allocate((size_t)count, sizeof *columns);
    int i = 0;
    while (i < count) {
        const int left = count - i;
        if (i == 0)
            i += describe_all(columns, names, &time, 1, CLI_COLUMN_TIME);
        else if (is_sequence(names + i, left, body, LENGTH(body)))
            i += describe_all(columns + i, names + i, body, LENGTH(body), CLI_COLUMN_BODY);
        else if (is_sequence(names + i, left, wrench, LENGTH(wrench)))
            i += describe_joint(columns + i, names + i, left);
        else if (owner_length(names[i]) > 0)
            describe_sensor(&columns[i], names[i]), i++;
        else
            describe_single(&columns[i], names[i], names, count), i++;
    }
    result->columns = columns;
    result->column_count = count;
}

const char *cli_column_kind_name(cli_column_kind kind)
{
    static const char *const names[CLI_COLUMN_KINDS] = {"time",   "body",       "joint",  "sensor",
                                                        "output", "multiplier", "energy", "health"};
    return names[kind];
}
