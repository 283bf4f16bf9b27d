/* cardan generate: writes model files of any size. */
#include "generate.h"
#include "cli/results/output_file.h"
#include "cli/setup/options.h"

#include <string.h>

enum { OPTION_N = CLI_OPTION_FIRST, OPTION_JOINT, OPTION_FORM, OPTION_OUT };

static const struct option options[] = {{"n", required_argument, NULL, OPTION_N},
                                        {"joint", required_argument, NULL, OPTION_JOINT},
                                        {"form", required_argument, NULL, OPTION_FORM},
                                        {"out", required_argument, NULL, OPTION_OUT},
                                        {"help", no_argument, NULL, 'h'},
                                        {0}};

static const char usage[] =
    "usage: cardan generate SHAPE --n N [OPTIONS]\n\n"
    "Writes a model file of any size. Its bodies are slender rods of 1 m and 1 kg.\n\n"
    "  chain                     N links in a row, initially horizontal, held at one end\n"
    "  ring                      N links in a closed ring, suspended at one joint\n"
    "  ladder                    a rope ladder of N rungs, 3 N links in N loops\n"
    "  tree                      N links, each of which carries two others\n"
    "  nfourbar                  N coupled four-bar linkages, 2 N + 1 links (IFToMM A02)\n\n"
    "  --n N                     size, required\n"
    "  --joint TYPE              spherical, or revolute about z (loops of these have redundant\n"
    "                            constraints); default: spherical, for nfourbar revolute\n"
    "  --form FORM               form of the bodies: spatial (default), body, se3, or planar with\n"
    "                            revolute joints\n"
    "  --out FILE                write here instead of standard output\n\n"
    "examples:\n"
    "  cardan generate chain --n 1000 --out chain.yaml && cardan run chain.yaml\n"
    "  cardan generate nfourbar --n 40 --form planar --out nfourbar.yaml\n";

static const char *const joints[] = {"spherical", "revolute"};
static const char *const forms[] = {"spatial", "body", "se3", "planar"};
enum { JOINTS = 2, FORMS = 4, PLANAR = 3, REVOLUTE = 1 };
/* Numbers of links and joints stay exact in doubles and names, and files in reach of a disk. */
static const long long largest = 10000000;

typedef struct request {
    const cli_shape *shape;
    long long n;
    int joint, form; /* joint -1: that of the shape */
    const char *out;
} request;

static bool choose_shape(request *r, const char *text)
{
    const char *names[16];
    int index;
    if (r->shape != NULL) {
        cli_complain("generate", "one shape at a time; `%s` is too much", text);
        return false;
    }
    for (int i = 0; i < cli_shape_count; i++)
        names[i] = cli_shapes[i].name;
    if (!cli_choice("generate", "shape", text, names, cli_shape_count, &index))
        return false;
    r->shape = &cli_shapes[index];
    return true;
}

static bool apply(void *context, int code, const char *value)
{
    request *r = context;
    switch (code) {
    case OPTION_N:
        return cli_count("generate", "--n", value, &r->n);
    case OPTION_JOINT:
        return cli_choice("generate", "joint", value, joints, JOINTS, &r->joint);
    case OPTION_FORM:
        return cli_choice("generate", "form", value, forms, FORMS, &r->form);
    case OPTION_OUT:
        r->out = value;
        return true;
    default:
        return choose_shape(r, value);
    }
}

static bool is_sound(const request *r)
{
    if (r->shape == NULL) {
        cli_complain("generate", "what? give chain, ring, ladder, tree or nfourbar");
        return false;
    }
    if (r->n < r->shape->least || r->n > largest) {
        cli_complain("generate", "a %s needs --n from %lld to %lld", r->shape->name,
                     r->shape->least, largest);
        return false;
    }
    if (r->form == PLANAR && r->joint >= 0 && r->joint != REVOLUTE) {
        cli_complain("generate", "planar bodies have revolute joints; leave out --joint");
        return false;
    }
    return true;
}

static void write_model(const cli_shape *shape, const cli_writer *writer)
{
    FILE *out = writer->out;
    fprintf(out,
            "# Made by `cardan generate %s --n %lld`.\n"
            "cardan: 1\nname: %s\ndescription: \"%s; N = %lld\"\ngravity: [0, -9.81, 0]\n"
            "parameters: {along: 1.25e-3, across: =1/12}\nbodies:\n",
            shape->name, writer->n, shape->name, shape->summary, writer->n);
    shape->write_bodies(writer);
    fputs("joints:\n", out);
    shape->write_joints(writer);
    fputs(shape->rest, out);
}

bool cli_generate_model(FILE *out, const char *shape, const char *joint, const char *form,
                        long long n)
{
    for (int i = 0; i < cli_shape_count; i++) {
        const cli_shape *s = &cli_shapes[i];
        const char *type = form == NULL ? joints[REVOLUTE] : joint != NULL ? joint : s->joint;
        if (strcmp(s->name, shape) == 0) {
            write_model(s, &(cli_writer){.out = out, .n = n, .joint = type, .form = form});
            return true;
        }
    }
    return false;
}

int cli_generate(int argc, char **argv)
{
    request r = {.joint = -1};
    const cli_syntax syntax = {
        .command = argv[0], .help = usage, .options = options, .apply = apply};
    int code;
    if (!cli_parse(&syntax, argc, argv, &r, &code))
        return code;
    if (!is_sound(&r))
        return CLI_BAD_INPUT;
    cli_output_file out;
    bool written =
        cli_output_file_open(&out, "generate", r.out != NULL ? r.out : "-", CLI_OUTPUT_STREAM);
    if (written) {
        cli_generate_model(out.file, r.shape->name, r.joint >= 0 ? joints[r.joint] : NULL,
                           r.form == PLANAR ? NULL : forms[r.form], r.n);
        written = cli_output_file_place(&out);
    }
    return cli_output_file_close(&out) && written ? CLI_DONE : CLI_FAILED;
}
