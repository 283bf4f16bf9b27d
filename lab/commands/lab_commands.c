/* The list of the laboratory's commands. */
#include "lab_commands.h"

const cli_command lab_commands[LAB_COMMANDS] = {
    {"converge", lab_converge, "errors against a reference, and observed orders"},
    {"workprec", lab_workprec, "achieved error against cost, for several methods"},
    {"energy", lab_energy, "what each method does to the energy in long runs"},
    {"papers", lab_papers, "every published number and figure, ours beside it"},
    {"bench", lab_bench, "what a step costs, by size, and beside other solvers"},
};
