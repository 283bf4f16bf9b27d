/* Blocks and factors of the matrix of a projection. */
#include "bordered.h"

cd_bordered cd_bordered_declare(cd_matrix *matrix, const cardan_system *system,
                                const cd_pattern *norm, const cd_pattern *hessian,
                                const cd_pattern *const rows[2])
{
    const int k = system->k;
    cd_bordered b = {.matrix = matrix, .norm = norm, .hessian = hessian, .hessian_slot = -1};
    b.norm_slot = cd_matrix_declare(matrix, 0, 0, norm);
    if (hessian != NULL)
        b.hessian_slot = cd_matrix_declare(matrix, 0, 0, hessian);
    for (int i = 0, row = k; i < 2; i++) {
        b.reaction_slots[i] = cd_matrix_declare_transposed(matrix, 0, row, rows[i]);
        b.row_slots[i] = cd_matrix_declare(matrix, row, 0, rows[i]);
        b.diagonal_slots[i] = cd_matrix_declare_diagonal(matrix, row, row, rows[i]->rows);
        row += rows[i]->rows;
    }
    return b;
}

cardan_status cd_bordered_factor(cd_bordered *b, const cd_bordered_values *values)
{
    const double scale = cd_bordered_scale(values->alpha);
    const double border = -cd_bordered_border(values->alpha);
    cardan_status status;
    do {
        cd_matrix_clear(b->matrix);
        cd_matrix_add(b->matrix, b->norm_slot, 1.0, values->norm);
        if (values->hessian != NULL)
            cd_matrix_add(b->matrix, b->hessian_slot, 1.0, values->hessian);
        for (int i = 0; i < 2 && values->rows[i] != NULL; i++) {
            cd_matrix_add(b->matrix, b->reaction_slots[i], 1.0, values->rows[i]);
            cd_matrix_add(b->matrix, b->row_slots[i], scale, values->rows[i]);
        }
        cd_matrix_add_identity(b->matrix, b->diagonal_slots[0], border);
        cd_matrix_add_identity(b->matrix, b->diagonal_slots[1],
                               values->nonholonomic ? border : -1.0);
        status = cd_matrix_factor(b->matrix);
    } while (status != CARDAN_OK && cd_matrix_retry(b->matrix));
    return status;
}
