/* The same system with patterns: entries that are zero at random points are left out, and its
 * matrices are sparse whatever their size. So every problem tests sparse storage. */
#ifndef CARDAN_TESTS_SPARSE_COPY_H
#define CARDAN_TESTS_SPARSE_COPY_H

#include <cardan/system.h>

typedef struct sparse_copy sparse_copy;

/* Probes at the configuration q and around it. The original must outlive the copy. `keep` tells
 * whether derivatives keep their callbacks; without, they are differenced by groups of columns. */
sparse_copy *sparse_copy_create(const cardan_system *original, const double *q, bool keep);
void sparse_copy_destroy(sparse_copy *copy);

const cardan_system *sparse_copy_system(const sparse_copy *copy);

#endif
