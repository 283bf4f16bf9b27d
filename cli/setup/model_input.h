/* Model files in place of built-in problems. */
#ifndef CLI_MODEL_H
#define CLI_MODEL_H

#include "case.h"
#include "setup.h"

/* Whether a built-in problem has this name. */
bool cli_problem_exists(const char *name);

/* The file that a name on the command line means, to be released with free; NULL for the name of a
 * built-in problem and for an unknown one. A file of that name goes before a model that comes with
 * the program (shipped.h). A name with a slash or the ending .yaml, .yml or .json always means a
 * file, whether it is there or not. */
char *cli_model_find(const char *name);

/* Reads the file with the settings of --set, tells what is wrong with it, takes over what its
 * `solver` says and no option says otherwise, and builds the model. */
bool cli_model_read(cli_setup *setup);

/* What the library says of the problem, with the place in the file of the element it names. */
void cli_model_complain(const cli_setup *setup, const char *text);

/* The problem that the model makes. */
bool cli_model_case(cli_setup *setup, cli_case **problem);

/* Steps and rows as the file says, where no option does. */
void cli_model_defaults(cli_setup *setup, double *step, double *sample, long long *every);

/* The settings of --set, as a JSON object of texts. */
json_t *cli_model_settings_json(const cli_setup *setup);

#endif
