/* Runs one suite; CK_FORK=no in the environment keeps it in one process for a debugger. A test that
 * hangs is ended; check's own four seconds would also end tests of a busy machine. */
#include "suite.h"

#include <stdlib.h>

int main(void)
{
    setenv("CK_DEFAULT_TIMEOUT", "120", 0);
    SRunner *runner = srunner_create(make_suite());
    srunner_run_all(runner, CK_ENV);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
