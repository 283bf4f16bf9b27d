/* The list of the laboratory's commands. */
#include "lab_commands.h"

const cli_command lab_commands[LAB_COMMANDS] = {
    {"converge", lab_converge, "errors against a reference, and observed orders"},
    {"workprec", lab_workprec, "errors and costs of several methods"},
    {"energy", lab_energy, "what each method does to the energy in long runs"},
    {"papers", lab_papers, "published numbers and figures, compared with Cardan's"},
    {"bench", lab_bench, "measure speed by size, and the speed of other solvers"},
};
