/* Values made of several numbers: inertia, matrices, orientations, tables. */
#include "group/rotation.h"
#include "read.h"

#include <stdio.h>
#include <string.h>

/* Rows of numbers into a square matrix; false if it was reported. */
static bool read_rows(cd_reading *r, const cd_node *node, const char *word, int size,
                      double *matrix)
{
    bool sound = true;
    for (const cd_node *row = node->first; row != NULL; row = row->next, matrix += size)
        sound = cd_read_list(r, row, word, size, matrix) && sound;
    return sound;
}

static bool is_symmetric(int size, const double *matrix)
{
    const double largest = cd_max_abs(size * size, matrix);
    for (int i = 0; i < size; i++)
        for (int j = 0; j < i; j++)
            if (fabs(matrix[i * size + j] - matrix[j * size + i]) > 1e-12 * largest)
                return false;
    return true;
}

static bool has_rows(const cd_node *node, int size)
{
    return node->kind == CD_LIST && node->count == size && node->first->kind == CD_LIST;
}

bool cd_read_inertia(cd_reading *r, const cd_node *node, const char *word, double inertia[6])
{
    double values[9] = {0.0};
    if (has_rows(node, 3)) {
        if (!read_rows(r, node, word, 3, values))
            return false;
        if (!is_symmetric(3, values)) {
            cd_report_error(r->report, node->place,
                            "this matrix is not symmetric; an inertia is, check the products");
            return false;
        }
        memcpy(inertia,
               (double[]){values[0], values[4], values[8], values[1], values[2], values[5]},
               6 * sizeof *inertia);
        return true;
    }
    if (node->kind != CD_LIST || (node->count != 3 && node->count != 6)) {
        char buffer[CD_QUOTED + 2];
        cd_report_error(r->report, node->place,
                        "`%s` wants 3 moments, 3 moments and 3 products, or three rows of three; "
                        "this is %s",
                        word, cd_describe(node, buffer));
        return false;
    }
    if (!cd_read_list(r, node, word, node->count, values))
        return false;
    cd_copy(6, values, inertia);
    return true;
}

bool cd_read_matrix6(cd_reading *r, const cd_node *node, const char *word, double matrix[36])
{
    double values[36] = {0.0};
    if (node->kind == CD_LIST && node->count == 6 && !has_rows(node, 6)) {
        double diagonal[6];
        if (!cd_read_list(r, node, word, 6, diagonal))
            return false;
        for (int i = 0; i < 6; i++)
            values[7 * i] = diagonal[i];
    } else if (!has_rows(node, 6)) {
        char buffer[CD_QUOTED + 2];
        cd_report_error(r->report, node->place,
                        "`%s` wants 6 numbers (the diagonal) or six rows of six; this is %s", word,
                        cd_describe(node, buffer));
        return false;
    } else if (!read_rows(r, node, word, 6, values)) {
        return false;
    }
    cd_copy(36, values, matrix);
    return true;
}

/* ---- orientations ---- */

static void rotation_about(const double axis[3], double angle, double q[4])
{
    q[0] = cos(0.5 * angle);
    for (int i = 0; i < 3; i++)
        q[1 + i] = sin(0.5 * angle) * axis[i];
}

static bool read_quaternion(cd_reading *r, const cd_node *node, double orientation[4])
{
    double q[4];
    if (!cd_read_list(r, node, "orientation", 4, q))
        return false;
    const double length = sqrt(cd_dot(4, q, q));
    if (!(length > 0.0) || !isfinite(length)) {
        cd_report_error(r->report, node->place,
                        "this quaternion has no length; [1, 0, 0, 0] stands for no rotation");
        return false;
    }
    if (fabs(length - 1.0) > 1e-3)
        cd_report_warning(r->report, node->place,
                          "this quaternion has the length %.6g instead of 1; it is scaled", length);
    for (int i = 0; i < 4; i++)
        orientation[i] = q[i] / length;
    return true;
}

static bool read_euler(cd_reading *r, cd_spot place, const cd_orientation_item *item,
                       double orientation[4])
{
    double total[4] = {1.0, 0.0, 0.0, 0.0};
    if (strlen(item->sequence) != 3 || strspn(item->sequence, "xyz") != 3) {
        cd_report_error(r->report, place,
                        "`sequence` wants three of the letters x, y and z, such as `zxz`");
        return false;
    }
    for (int i = 0; i < 3; i++) {
        double axis[3] = {0.0}, turn[4], product[4];
        axis[item->sequence[i] - 'x'] = 1.0;
        rotation_about(axis, item->euler[i], turn);
        cd_quaternion_product(total, turn, product);
        cd_copy(4, product, total);
    }
    cd_copy(4, total, orientation);
    return true;
}

static bool refuse_orientation(cd_reading *r, const cd_node *node)
{
    cd_report_error(r->report, node->place,
                    "`orientation` wants a quaternion [w, x, y, z] or one of {axis, angle}, "
                    "{euler}, {x_axis, z_axis}");
    return false;
}

static bool refuse_parallel(cd_reading *r, const cd_node *node)
{
    cd_report_error(r->report, node->place,
                    "the x axis is parallel to the z axis; give two directions that differ");
    return false;
}

bool cd_read_orientation(cd_reading *r, const cd_node *node, double orientation[4])
{
    cd_orientation_item item;
    const cd_element *element = &cd_orientation_element;
    const cd_node *given[8] = {NULL};
    if (node->kind == CD_LIST)
        return read_quaternion(r, node, orientation);
    if (node->kind != CD_MAP)
        return refuse_orientation(r, node);
    const int errors = r->report->errors;
    element->set_default(&item);
    cd_read_fields(r, element, node, &item, given);
    const bool axis = given[cd_field_find(element, "axis")] != NULL;
    const bool angle = given[cd_field_find(element, "angle")] != NULL;
    const bool euler = given[cd_field_find(element, "euler")] != NULL;
    const bool x = given[cd_field_find(element, "x_axis")] != NULL;
    const bool z = given[cd_field_find(element, "z_axis")] != NULL;
    const cd_node *sequence = given[cd_field_find(element, "sequence")];
    if (r->report->errors > errors)
        return false;
    if ((axis || angle) + euler + (x || z) != 1 || axis != angle)
        return refuse_orientation(r, node);
    if (euler)
        return read_euler(r, sequence != NULL ? sequence->place : node->place, &item, orientation);
    if (axis)
        rotation_about(item.axis, item.angle, orientation);
    else if (!cd_frame_from_axes(x ? item.x_axis : NULL, z ? item.z_axis : NULL, orientation))
        return refuse_parallel(r, node);
    return true;
}

/* ---- tables ---- */

bool cd_read_table(cd_reading *r, const cd_node *node, const char *word, cd_table *table)
{
    char buffer[CD_QUOTED + 2];
    if (node->kind != CD_LIST || node->count < 2) {
        cd_report_error(r->report, node->place,
                        "`%s` wants a list of two or more pairs [t, value]; this is %s", word,
                        node->kind == CD_LIST ? "shorter" : cd_describe(node, buffer));
        return false;
    }
    const size_t size = (size_t)node->count * sizeof(double);
    double *times = cd_document_take(r->document, size);
    double *values = cd_document_take(r->document, size);
    int i = 0;
    bool sound = times != NULL && values != NULL;
    for (const cd_node *row = node->first; row != NULL && times != NULL && values != NULL;
         row = row->next, i++) {
        double pair[2] = {0.0, 0.0};
        const bool read = cd_read_list(r, row, word, 2, pair);
        times[i] = pair[0];
        values[i] = pair[1];
        if (read && sound && i > 0 && !(times[i] > times[i - 1])) {
            cd_report_error(r->report, row->place,
                            "the time %.6g comes after %.6g; times must increase", times[i],
                            times[i - 1]);
            return false;
        }
        sound = sound && read;
    }
    if (sound)
        *table = (cd_table){times, values, node->count};
    return sound;
}
