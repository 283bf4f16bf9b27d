/* What `cardan explain` says of the multistep method. */
#ifndef CLI_COMMANDS_EXPLAIN_BDF_H
#define CLI_COMMANDS_EXPLAIN_BDF_H

#include <stdbool.h>

void cli_explain_bdf(bool json);

#endif
