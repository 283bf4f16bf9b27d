/* The short table of a run that writes no file, of some 20 rows. */
#ifndef CLI_PREVIEW_H
#define CLI_PREVIEW_H

#include "record.h"

enum { CLI_PREVIEW_ROWS = 20, CLI_PREVIEW_OUTPUTS = 5 };

/* The outputs that are shown beside time and energy. */
typedef struct cli_preview {
    int column[CLI_PREVIEW_OUTPUTS], width[CLI_PREVIEW_OUTPUTS];
    int count;
} cli_preview;

/* Chooses them and prints the head; then row by row. */
void cli_preview_begin(cli_preview *preview, cli_record *record);
void cli_preview_row(const cli_preview *preview, const cli_record *record);

#endif
