/* The commands of the laboratory, which the program adds to its own. */
#ifndef LAB_COMMANDS_H
#define LAB_COMMANDS_H

#include "cli/commands/commands.h"

enum { LAB_COMMANDS = 5 };
extern const cli_command lab_commands[LAB_COMMANDS];

int lab_converge(int argc, char **argv);
int lab_workprec(int argc, char **argv);
int lab_energy(int argc, char **argv);
int lab_papers(int argc, char **argv);
int lab_bench(int argc, char **argv);

#endif
