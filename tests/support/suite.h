/* What a test program provides; tests/support/main.c runs it. */
#ifndef CARDAN_TESTS_SUITE_H
#define CARDAN_TESTS_SUITE_H

#include <check.h>

Suite *make_suite(void);

#endif
