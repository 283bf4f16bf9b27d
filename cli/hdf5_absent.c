/* HDF5 in a program that was built without it. */
#include "options.h"
#include "result_file.h"

bool cli_result_read_hdf5(const char *command, const char *path, cli_result *result)
{
    (void)result;
    cli_complain(command,
                 "cannot read %s: this program was built without HDF5; install libhdf5-dev and "
                 "build it again",
                 path);
    return false;
}
