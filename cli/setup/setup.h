/* What run and converge have in common: which problem, which method with which parameters, and
 * how it starts. Read from the options, checked, and turned into library objects. */
#ifndef CLI_SETUP_H
#define CLI_SETUP_H

#include "case.h"
#include "cli/results/json.h"
#include "lab/problems/problem.h"
#include "options.h"
#include "projection_options.h"
#include "tolerance.h"

#include <cardan/cardan.h>
#include <cardan/model_file.h>

enum {
    CLI_OPTION_METHOD = CLI_OPTION_FIRST,
    CLI_OPTION_RHO,
    CLI_OPTION_PARAMS,
    CLI_OPTION_START,
    CLI_OPTION_DIFFERENCE,
    CLI_OPTION_LAMBDA0,
    CLI_OPTION_PSI0,
    CLI_OPTION_UPDATE,
    CLI_OPTION_BRANCH, /* of `run` */
    CLI_OPTION_MASS,
    CLI_OPTION_PENALTY,
    CLI_OPTION_B,
    CLI_OPTION_VARIANT,
    CLI_OPTION_ORDER,
    CLI_OPTION_PROJECT,
    CLI_OPTION_PROJECT_AT,
    CLI_OPTION_PROJECT_TARGET,
    CLI_OPTION_PROJECT_ACCELERATION,
    CLI_OPTION_PROJECTION,
    CLI_OPTION_ACCELERATION_PROJECTION,
    CLI_OPTION_PROJECTION_SOLVER,
    CLI_OPTION_END,
    CLI_OPTION_SET,
    CLI_OPTION_EXPERT,
    CLI_OPTION_NEWTON_RTOL,
    CLI_OPTION_NEWTON_ATOL,
    CLI_OPTION_THREADS,
    CLI_OPTION_QUIET,
    CLI_OPTION_JSON,
    CLI_OPTION_OWN /* a command's own options start here */
};

/* Options of single methods; given with another method they are refused. */
enum { CLI_METHOD_OPTIONS = 5 };

/* Entries for the `struct option` table of a command; they include --help. */
#define CLI_SETUP_OPTIONS                                                                          \
    {"method", required_argument, NULL, CLI_OPTION_METHOD},                                        \
        {"rho", required_argument, NULL, CLI_OPTION_RHO},                                          \
        {"params", required_argument, NULL, CLI_OPTION_PARAMS},                                    \
        {"start", required_argument, NULL, CLI_OPTION_START},                                      \
        {"difference", required_argument, NULL, CLI_OPTION_DIFFERENCE},                            \
        {"lambda0", required_argument, NULL, CLI_OPTION_LAMBDA0},                                  \
        {"psi0", required_argument, NULL, CLI_OPTION_PSI0},                                        \
        {"update", required_argument, NULL, CLI_OPTION_UPDATE},                                    \
        {"mass", required_argument, NULL, CLI_OPTION_MASS},                                        \
        {"penalty", required_argument, NULL, CLI_OPTION_PENALTY},                                  \
        {"b", required_argument, NULL, CLI_OPTION_B},                                              \
        {"variant", required_argument, NULL, CLI_OPTION_VARIANT},                                  \
        {"order", required_argument, NULL, CLI_OPTION_ORDER},                                      \
        {"project", required_argument, NULL, CLI_OPTION_PROJECT},                                  \
        {"project-at", required_argument, NULL, CLI_OPTION_PROJECT_AT},                            \
        {"project-target", required_argument, NULL, CLI_OPTION_PROJECT_TARGET},                    \
        {"project-acceleration", no_argument, NULL, CLI_OPTION_PROJECT_ACCELERATION},              \
        {"projection", required_argument, NULL, CLI_OPTION_PROJECTION},                            \
        {"acceleration-projection", required_argument, NULL, CLI_OPTION_ACCELERATION_PROJECTION},  \
        {"projection-solver", required_argument, NULL, CLI_OPTION_PROJECTION_SOLVER},              \
        {"end", required_argument, NULL, CLI_OPTION_END},                                          \
        {"set", required_argument, NULL, CLI_OPTION_SET},                                          \
        {"expert", no_argument, NULL, CLI_OPTION_EXPERT},                                          \
        {"newton-rtol", required_argument, NULL, CLI_OPTION_NEWTON_RTOL},                          \
        {"newton-atol", required_argument, NULL, CLI_OPTION_NEWTON_ATOL},                          \
        {"threads", required_argument, NULL, CLI_OPTION_THREADS},                                  \
        {"quiet", no_argument, NULL, CLI_OPTION_QUIET},                                            \
        {"json", no_argument, NULL, CLI_OPTION_JSON},                                              \
    {                                                                                              \
        "help", no_argument, NULL, 'h'                                                             \
    }

/* The paragraph of --help that describes them. */
#define CLI_SETUP_HELP                                                                             \
    "  --method NAME             auto (default): rk5 or ga2s, changed during the run\n"            \
    "                            (fixed steps: ga2s); ga2s: stabilised index 2; ga3: index 3;\n"   \
    "                            ga2, ga1: index-reduced, these drift; nonholonomic; hht,\n"       \
    "                            hht3, hht2; conserving, midpoint, trapezoidal; rk5; bdf\n"        \
    "  --rho R                   damping at infinity of the Chung-Hulbert family,\n"               \
    "                            0 (strong) to 1 (none); default 0.8. hht, hht3, hht2:\n"          \
    "                            of the HHT family, 0.5 to 1; default hht:-0.1\n"                  \
    "  --params NAME:VALUES      another family: ch:rho, hht:alpha, wbz:alpha_m,\n"                \
    "                            newmark:beta,gamma, trapezoidal, stoermer,\n"                     \
    "                            free:alpha_m,alpha_f,beta,gamma\n"                                \
    "  --start perturbed|acceleration|plain|trapezoidal\n"                                         \
    "                            perturbed (default) keeps order 2 in the multipliers\n"           \
    "                            from the first step on; acceleration: only a_0, not v_0;\n"       \
    "                            trapezoidal (hht, hht2, hht3): first step by this rule\n"         \
    "  --difference central|forward   how the first two starts find v'': from both sides\n"        \
    "                            (+-h, default), or 0.01 h ahead\n"                                \
    "  --lambda0 L1,L2,... --psi0 P1,...   initial guesses of the multipliers; they\n"             \
    "                            select the solution if the forces allow several\n"                \
    "  --update exp|magnus       magnus: commutator-corrected update on Lie groups\n"              \
    "  --penalty A               `conserving`: augmented Lagrangian with penalty A instead\n"      \
    "                            of Newton's method; same result\n"                                \
    "  --mass predicted|previous M_alpha of `nonholonomic`: predicted (default), or\n"             \
    "                            M_1+alpha of the step before\n"                                   \
    "  --b B                     b of `hht3`, not 1/2; default 0\n"                                \
    "  --variant full|explicit|midpoint|midpoint-explicit|lunk-simeon\n"                           \
    "                            form of `hht3`; default full\n"                                   \
    "  --order N                 of `bdf`, 1 to 5: the highest of adaptive steps, default 5;\n"    \
    "                            that of fixed steps, default 2\n"                                 \
    "  --project none|velocity|position|both\n"                                                    \
    "                            project onto the constraints after every step\n"                  \
    "  --project-at T1,T2,...    project only at these times (ends of steps)\n"                    \
    "  --project-target zero|settled   target of the velocity residual; settled\n"                 \
    "                            keeps order 2 in the multipliers of ga3\n"                        \
    "  --project-acceleration    project v' as well; in the mass norm multipliers change, too\n"   \
    "  --projection mass|identity|tangent|tangent:CD,CK|diag:a,b,...|matrix:FILE\n"                \
    "                            norm of the projection; default mass. tangent:\n"                 \
    "                            M + CD C + CK K with damping and stiffness,\n"                    \
    "                            CD = h/2 and CK = h^2/4 unless given\n"                           \
    "  --acceleration-projection A   norm for v', if it differs from that for v\n"                 \
    "  --projection-solver exact|penalty:ALPHA|augmented:ALPHA\n"                                  \
    "                            multipliers (default), penalty, augmented Lagrangian\n"           \
    "  --end T                   end time; default: the problem's own\n"                           \
    "  --set NAME=VALUE          a parameter of the problem; may be repeated\n"                    \
    "                            (`cardan problems PROBLEM` lists them)\n"                         \
    "  --expert                  accept parameters that violate an order or stability\n"           \
    "                            condition\n"                                                      \
    "  --newton-rtol X, --newton-atol X   tolerances of the corrector; try 1e-6 for speed\n"       \
    "  --quiet                   no progress line, no summary\n"

/* A line that has no room among them in every command. */
#define CLI_THREADS_HELP                                                                           \
    "  --threads N               number of threads; default: 1, for large models the\n"            \
    "                            number of processors, at most 4; results do not change\n"

/* Guesses of multipliers as they were given. */
typedef struct cli_guess {
    double *value; /* NULL: not given */
    int count;
} cli_guess;

typedef struct cli_setup {
    const char *command;
    const char *problem; /* name or file; NULL until read */
    char *found;         /* the file that was found for the name, or NULL */
    int problem_index;   /* in the catalogue; -1: a model file */
    cardan_model_file *model_file;
    const char *method;
    bool own_params;    /* the method has no free parameters */
    const char *family; /* the text of --params, or NULL */
    double rho;
    bool rho_given;
    cardan_params params;
    char params_text[160]; /* "ch:0.8" and so on */
    cardan_start start;
    cardan_start_difference difference;
    cli_guess lambda0, psi0; /* guesses */
    cardan_update update;
    cardan_branch branch;
    cardan_mass_choice mass;
    double penalty; /* of conserving; 0: Newton */
    double b;
    long long order; /* of bdf; 0: the default */
    cardan_hht3_variant variant;
    bool method_option[CLI_METHOD_OPTIONS]; /* which of them were given */
    cli_projection projection;
    bool health; /* measure what the verdict needs, the energy balance too */
    bool timing; /* measure where the time goes */
    double end;  /* NAN: the problem's own */
    bool expert, quiet, json;
    double newton_rtol, newton_atol; /* of the corrector iteration; 0: the library's own */
    cli_tolerance tolerance;         /* of the error */
    long long threads;               /* 0: automatic */
    lab_setting *settings;           /* of a model file: values are not read */
    const char **setting_texts;      /* their values as given */
    int setting_count;
    unsigned long long given; /* a bit for every option given */
    bool again;               /* the problem was read before: warnings of its file have been told */
} cli_setup;

cli_setup cli_setup_default(const char *command);
void cli_setup_free(cli_setup *setup);

/* Takes one of the options above, or the problem's name as CLI_POSITIONAL. */
bool cli_setup_apply(cli_setup *setup, int code, const char *value);

/* Checks the options of the method and finds its parameters; again after a change of the method. */
bool cli_setup_resolve(cli_setup *setup);

/* After all options: checks what depends on several of them and makes the problem. */
bool cli_setup_case(cli_setup *setup, cli_case **problem);

/* What the options ask for, as a definition for a step size. */
cardan_integrator_def cli_setup_def(const cli_setup *setup, double step);

/* The integrator for a step size; complains and gives an exit code other than CLI_DONE if the
 * library refuses. */
int cli_setup_integrator(const cli_setup *setup, const cli_case *problem, double step,
                         cardan_integrator **integrator);

/* Whether the method can choose its steps by the error. */
bool cli_setup_can_adapt(const cli_setup *setup);

/* Whether the library chooses the method while the run goes on; not with fixed steps. */
bool cli_setup_is_automatic(const cli_setup *setup);
void cli_setup_fix_steps(cli_setup *setup);

/* Whether the method has stabilisation multipliers eta. */
bool cli_setup_has_eta(const cli_setup *setup);

/* How many sets of multipliers at its own times a step of the method has. */
int cli_setup_stages(const cli_setup *setup);

const char *cli_setup_start_name(const cli_setup *setup);

/* A JSON object with problem, parameters, method, params and start. */
json_t *cli_setup_json(const cli_setup *setup);

/* What the integrator has to say about its last status. */
const char *cli_reason(const cardan_integrator *integrator, cardan_status status);

#endif
