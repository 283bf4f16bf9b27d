/* Ctrl-C and SIGTERM: the first asks a run to stop after its step, the second ends the program at
 * once. */
#ifndef CLI_INTERRUPT_H
#define CLI_INTERRUPT_H

#include <stdbool.h>

/* The exit code of an interrupted run, as shells have it for SIGINT. */
enum { CLI_INTERRUPTED = 130 };

/* From now on. A signal that the program was started with ignored stays ignored (nohup, `&`). */
void cli_interrupt_watch(void);

/* Whether there was one. */
bool cli_interrupt_seen(void);

#endif
