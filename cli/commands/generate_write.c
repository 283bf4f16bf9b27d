/* Lines of a generated model file: bodies and joints. */
#include "cli/setup/options.h"
#include "generate.h"

#include <math.h>

static void write_pair(FILE *out, const char *word, double x, double y)
{
    char a[CLI_NUMBER_TEXT], b[CLI_NUMBER_TEXT];
    fprintf(out, ", %s: [%s, %s, 0]", word, cli_shortest(x, a), cli_shortest(y, b));
}

void cli_write_link(const cli_writer *writer, const char *name, long long number,
                    const cli_link *link)
{
    FILE *out = writer->out;
    char text[CLI_NUMBER_TEXT];
    fprintf(out, "  - {name: %s%lld, ", name, number);
    if (writer->form == NULL)
        fputs("type: planar, ", out);
    else
        fprintf(out, "form: %s, ", writer->form);
    fputs("mass: 1, inertia: [$along, $across, $across]", out);
    write_pair(out, "position", link->from[0] + 0.5 * cos(link->angle),
               link->from[1] + 0.5 * sin(link->angle));
    if (link->angle != 0.0)
        fprintf(out, ", orientation: {axis: [0, 0, 1], angle: %s}",
                cli_shortest(link->angle, text));
    if (link->rate != 0.0)
        fprintf(out, ", angular_velocity: [0, 0, %s]", cli_shortest(link->rate, text));
    if (link->velocity[0] != 0.0 || link->velocity[1] != 0.0)
        write_pair(out, "velocity", link->velocity[0], link->velocity[1]);
    fputs("}\n", out);
}

static void write_end(FILE *out, const char *word, cli_end end)
{
    if (end.name != NULL)
        fprintf(out, ", %s: %s%lld", word, end.name, end.number);
    else
        fprintf(out, ", %s: ground", word);
}

void cli_write_joint(const cli_writer *writer, long long number, cli_end body1, cli_end body2,
                     const double at[2])
{
    FILE *out = writer->out;
    fprintf(out, "  - {name: pin%lld, type: %s", number, writer->joint);
    write_end(out, "body1", body1);
    write_end(out, "body2", body2);
    write_pair(out, "location", at[0], at[1]);
    fputs(writer->joint[0] == 'r' ? ", axis: [0, 0, 1]}\n" : "}\n", out);
}
