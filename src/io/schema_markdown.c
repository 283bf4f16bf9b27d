/* The format as the reference page docs/model-file.md. */
#include "schema_write.h"

#include <stdio.h>
#include <string.h>

static const char introduction[] =
    "# Model files\n\n"
    "<!-- Made by `cardan schema --markdown`; change src/io/schema.def instead. -->\n\n"
    "A model file describes bodies, joints and forces and the settings of a run, in YAML or in its "
    "subset JSON.\n`cardan run FILE` runs it. `cardan schema` prints a JSON schema, with which "
    "editors check and complete the file.\nAll mistakes are reported, each as "
    "`FILE:LINE:COLUMN: what is wrong; what to do`.\n\n"
    "```yaml\n"
    "cardan: 1\n"
    "name: pendulum\n"
    "gravity: [0, 0, -9.81]\n"
    "parameters: {length: 0.5}\n"
    "bodies:\n"
    "  - name: rod\n"
    "    solids: [{type: rod, mass_per_length: 2.0, length: $length}]\n"
    "    position: [=length/2, 0, 0]\n"
    "joints:\n"
    "  - {name: hinge, type: revolute, body1: ground, body2: rod, location: [0, 0, 0], axis: [0, "
    "1, "
    "0]}\n"
    "solver: {step: 1.0e-3, end: 2.0}\n"
    "```\n\n"
    "## Numbers, parameters and expressions\n\n"
    "Instead of a number you can write `$name` for a parameter, or a text that begins with `=` "
    "for an expression:\n`+ - * / ^ ( )`, `pi`, `sin cos tan asin acos atan sqrt exp log abs` "
    "(angles in radians) and names of parameters.\nParameters can be expressions of other "
    "parameters. In flow lists (`[...]`), quote expressions that contain a comma or\na bracket. "
    "The result has the unit of the field. Numbers must be finite.\n\n"
    "`--set PATH=VALUE` replaces a value: `--set bodies.crank.mass=2`, `--set "
    "parameters.length=0.4` or just\n`--set length=0.4`, `--set solver.step=1e-4`, `--set "
    "bodies.crank.position.0=0.1`.\n\n"
    "`include: other.yaml` (or a list) adds the sections of other files. Lists are joined, with "
    "the "
    "included items first;\nsingle values of the including file override included ones. YAML "
    "anchors, aliases and tags are not supported.\n\n"
    "Names of bodies, joints, signals, forces and sensors consist of letters (of any alphabet), "
    "digits and `_` and, after the\nfirst character, `-` and spaces.\n\n"
    "## Columns of a run\n\n"
    "A run writes, in SI units and radians:\n\n"
    "- for every body its position, quaternion, velocity and angular velocity in world axes "
    "(`crank.x`, `crank.e0`,\n  `crank.vx`, `crank.wx`, ...);\n"
    "- for every joint the force and moment on body 2 in the axes of joint frame 1 (`hinge.fx`, "
    "`hinge.mx`, ...) and its\n  coordinates with their rates: `hinge.angle`, `hinge.rate`, "
    "`slide.displacement`, `slide.speed`. If a joint has several\n  coordinates, the axis of "
    "frame 1 is appended (for the second angle of a universal joint, of frame 2): "
    "`cross.angle_x`;\n"
    "- the sensors.\n\n"
    "Angles are counted over full turns, whichever rows are written. They start in the turn given "
    "by `angle` or `motion` of\nthe joint, otherwise within half a turn of 0.\n";

/* "spring, contact" or "all but gear". */
static void write_types(const cd_writer *w, const cd_words *types, unsigned set)
{
    int in = 0;
    for (int i = 0; i < types->count; i++)
        in += (set & 1u << i) != 0;
    const bool inverse = in < types->count && 2 * in > types->count + 2;
    const unsigned shown = inverse ? ~set : set;
    const char *separator = inverse ? "all but " : "";
    for (int i = 0; i < types->count; i++)
        if ((shown & 1u << i) != 0) {
            cd_write(w, "%s`%s`", separator, types->list[i].word);
            separator = ", ";
        }
}

static const char *kind_text(const cd_field *field)
{
    static const char *const texts[] = {[CD_NUMBER] = "number",
                                        [CD_INTEGER] = "whole number",
                                        [CD_BOOLEAN] = "`true` or `false`",
                                        [CD_TEXT] = "text",
                                        [CD_NAME] = "text",
                                        [CD_WORD] = "word",
                                        [CD_METHOD] = "word",
                                        [CD_PARAMS] = "text",
                                        [CD_VECTOR] = "3 numbers",
                                        [CD_AXIS] = "3 numbers, of any length",
                                        [CD_NUMBERS] = "numbers",
                                        [CD_TABLE] = "pairs of numbers",
                                        [CD_INERTIA] = "3, 6 or 3 x 3 numbers",
                                        [CD_MATRIX6] = "6 or 6 x 6 numbers",
                                        [CD_ORIENTATION] = "orientation",
                                        [CD_FRAME] = "frame",
                                        [CD_DIRECTION] = "word",
                                        [CD_DIRECTIONS] = "words",
                                        [CD_HOLD] = "`true` or words",
                                        [CD_BODY] = "name of a body",
                                        [CD_JOINT] = "name of a joint",
                                        [CD_JOINTS] = "names of 2 joints",
                                        [CD_FORCE] = "name of a force",
                                        [CD_SIGNAL] = "signal",
                                        [CD_SIGNALS] = "signals",
                                        [CD_PART] = "map",
                                        [CD_PARTS] = "list",
                                        [CD_PARAMETERS] = "map",
                                        [CD_INCLUDE] = "text or texts",
                                        [CD_ANYTHING] = "anything"};
    return texts[field->kind];
}

static void write_range(const cd_writer *w, cd_value_range range)
{
    static const char *const texts[] = {[CD_RANGE_ANY] = "",
                                        [CD_RANGE_POSITIVE] = ", > 0",
                                        [CD_RANGE_NOT_NEGATIVE] = ", >= 0",
                                        [CD_RANGE_UNIT] = ", 0 to 1",
                                        [CD_RANGE_NOT_ZERO] = ", not 0"};
    cd_write(w, "%s", texts[range]);
}

static void write_choices(const cd_writer *w, const cd_field *field)
{
    const cd_words *words = field->detail;
    if ((field->kind != CD_WORD && field->kind != CD_DIRECTION) || strcmp(field->word, "type") == 0)
        return;
    cd_write(w, ": ");
    for (int i = 0; i < words->count; i++) {
        const char *text = words->list[i].text;
        cd_write(w, "%s`%s`%s%s%s", i > 0 ? ", " : "", words->list[i].word,
                 text[0] != '\0' ? " (" : "", text, text[0] != '\0' ? ")" : "");
    }
}

static void write_field(const cd_writer *w, const cd_element *element, const cd_field *field)
{
    const cd_words *types = cd_element_types(element);
    char text[CD_DEFAULT_TEXT];
    cd_write(w, "| `%s` | %s", field->word, kind_text(field));
    write_range(w, field->range);
    cd_write(w, " | %s | ", field->unit);
    if (field->required == CD_EVERY)
        cd_write(w, "required");
    else if (cd_default_text(element, field, text)[0] != '\0')
        cd_write(w, "`%s`", text);
    cd_write(w, " | %s", field->text);
    write_choices(w, field);
    if (types != NULL && field->types != CD_EVERY) {
        cd_write(w, "; for ");
        write_types(w, types, field->types);
    }
    if (types != NULL && field->required != CD_EVERY && field->required != 0) {
        cd_write(w, "; required");
        if (field->required != field->types) {
            cd_write(w, " for ");
            write_types(w, types, field->required);
        }
    }
    cd_write(w, " |\n");
}

static void write_element(const cd_writer *w, const cd_element *element)
{
    const cd_words *types = cd_element_types(element);
    cd_write(w, "\n## %c%s\n\n%s\n", element->what[0] - 'a' + 'A', element->what + 1,
             element->text);
    if (types != NULL) {
        cd_write(w, "\n| type | |\n|---|---|\n");
        for (int i = 0; i < types->count; i++)
            cd_write(w, "| `%s` | %s |\n", types->list[i].word, types->list[i].text);
    }
    cd_write(w, "\n| key | value | unit | default | meaning |\n|---|---|---|---|---|\n");
    for (int i = 0; i < element->count; i++)
        write_field(w, element, &element->fields[i]);
}

void cd_schema_markdown(cardan_write_callback *write, void *context)
{
    const cd_writer w = {write, context};
    w.write(w.context, introduction);
    for (int i = 0; i < cd_schema_elements(); i++)
        write_element(&w, cd_schema_element(i));
}
