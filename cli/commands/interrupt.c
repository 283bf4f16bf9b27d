/* Signals that ask a run to stop. */
#include "interrupt.h"

#include <signal.h>
#include <stddef.h>

/* A signal handler has no other way to tell: the only variable of the program that is not local. */
static volatile sig_atomic_t seen;

static void take_note(int signal_number)
{
    (void)signal_number;
    seen = 1;
}

void cli_interrupt_watch(void)
{
    static const int signals[] = {SIGINT, SIGTERM};
    struct sigaction before, action = {.sa_handler = take_note};
    /* The second one of a kind acts as usual; calls that it interrupts are gone on with. */
    action.sa_flags = (int)(SA_RESETHAND | SA_RESTART);
    sigemptyset(&action.sa_mask);
    for (size_t i = 0; i < sizeof signals / sizeof *signals; i++)
        if (sigaction(signals[i], NULL, &before) == 0 && before.sa_handler != SIG_IGN)
            sigaction(signals[i], &action, NULL);
}

bool cli_interrupt_seen(void)
{
    return seen != 0;
}
