/* The table that a run without a file prints: time, the first outputs, and the energy. */
#include "cli/commands/run.h"

enum { SHOWN_OUTPUTS = 5 };

int cli_preview_columns(const cli_record *record)
{
    int outputs = record->outputs < SHOWN_OUTPUTS ? record->outputs : SHOWN_OUTPUTS;
    return outputs + 2;
}

void cli_preview_header(cli_record *record)
{
    int outputs = cli_preview_columns(record) - 2;
    printf("%10s", cli_record_name(record, 0));
    for (int i = 1; i <= outputs; i++)
        printf(" %10s", cli_record_name(record, i));
    printf(" %10s\n", cli_record_name(record, record->columns - 1));
}

void cli_preview_row(const cli_record *record)
{
    int outputs = cli_preview_columns(record) - 2;
    printf("%10.5g", record->values[0]);
    for (int i = 1; i <= outputs; i++)
        printf(" %10.4g", record->values[i]);
    printf(" %10.4g\n", cli_record_energy(record));
}
