/* The table of functions of a curved group. Each kind is one file, listed in group.c. R^n has no
 * table: it needs only copies and sums of any length, which group.c makes itself. */
#ifndef CD_GROUP_KIND_H
#define CD_GROUP_KIND_H

#include <stdbool.h>

/* Largest size of an element, and of a velocity, over all kinds. */
enum { CD_KIND_SIZE = 12, CD_KIND_DOF = 6 };

/* Selects a tangent operator: T of a left or right factor, its inverse, its transpose. */
typedef struct cd_operator {
    bool right;
    bool inverse;
    bool transposed;
} cd_operator;

/* Meanings as in cardan/group.h, for one factor. bracket is that of a left factor; blocks and hat
 * matrices are written into a larger zeroed matrix whose rows are `stride` apart. */
typedef struct cd_kind {
    int size;
    int dof;
    int hat_order;
    void (*identity)(double *q);
    void (*compose)(const double *a, const double *b, double *ab);
    void (*inverse)(const double *q, double *inverse);
    void (*exp)(const double *w, double *q);
    void (*log)(const double *q, double *w);
    void (*update)(bool right, const double *q, const double *w, double *q1); /* q1 may be q */
    void (*normalise)(double *q);
    double (*defect)(const double *q);
    void (*bracket)(const double *a, const double *b, double *out);
    void (*tangent)(cd_operator op, const double *w, const double *x, double *out); /* or x */
    void (*tangent_block)(cd_operator op, const double *w, int stride, double *block);
    void (*adjoint)(const double *q, const double *x, double *out);
    void (*hat)(const double *w, int stride, double *matrix);
    void (*vee)(const double *matrix, int stride, double *w);
} cd_kind;

extern const cd_kind cd_kind_so3;
extern const cd_kind cd_kind_s3;
extern const cd_kind cd_kind_se3;

/* Operators of SO(3) for all kinds, whose algebras contain its algebra. */
void cd_so3_tangent(cd_operator op, const double *w, const double *x, double *out);
void cd_so3_tangent_block(cd_operator op, const double *w, int stride, double *block);
void cd_so3_hat(const double *w, int stride, double *matrix);
void cd_so3_vee(const double *matrix, int stride, double *w);

/* Writes a 3 x 3 matrix into rows `stride` apart. */
static inline void cd_write_block3(const double m[9], int stride, double *block)
{
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            block[i * stride + j] = m[3 * i + j];
}

#endif
