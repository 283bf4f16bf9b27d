/* What `cardan info` tells of files: one function for each kind. They return an exit code. */
#ifndef CLI_INFO_H
#define CLI_INFO_H

#include <stdbool.h>

typedef struct cli_info {
    const char *command, *path;
    long long bytes; /* of the file */
    bool json;
} cli_info;

int cli_info_result(const cli_info *info, const char *kind);
int cli_info_checkpoint(const cli_info *info);
int cli_info_model(const cli_info *info);
int cli_info_series(const cli_info *info); /* of VTK files */

/* "346.8 kB" */
const char *cli_info_size(long long bytes, char text[32]);

#endif
