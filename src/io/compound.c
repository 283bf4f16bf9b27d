/* Reads values made of several numbers: inertia, matrices, orientations, tables. */
#include "group/rotation.h"
#include "read.h"

#include <stdio.h>
#include <string.h>

/* Reads a list of lists into a square matrix; returns false if an error was reported. */
static bool read_rows(cd_reading *r, const cd_node *node, const char *word, int size,
                      double *matrix)
{
    bool valid = true;
    for (const cd_node *row = node->first; row != NULL; row = row->next, matrix += size)
        valid = cd_read_list(r, row, word, size, matrix) && valid;
    return valid;
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

static bool is_list_of_rows(const cd_node *node, int size)
{
    return node->kind == CD_LIST && node->count == size && node->first->kind == CD_LIST;
}

/* Stores the inertia as xx, yy, zz, xy, xz, yz, whichever of its three forms the file has. */
void cd_read_inertia(cd_reading *r, const cd_field *field, const cd_node *node, void *inertia)
{
    double m[9] = {0.0};
    if (is_list_of_rows(node, 3)) {
        if (!read_rows(r, node, field->word, 3, m))
            return;
        if (!is_symmetric(3, m))
            cd_reject(r, node, "this matrix is not symmetric; an inertia is, check the products");
        else
            cd_copy(6, (double[]){m[0], m[4], m[8], m[1], m[2], m[5]}, inertia);
    } else if (node->kind != CD_LIST || (node->count != 3 && node->count != 6)) {
        cd_reject_value(r, node, field->word,
                        "3 moments, 3 moments and 3 products, or three rows of three");
    } else if (cd_read_list(r, node, field->word, node->count, m)) {
        cd_copy(6, m, inertia);
    }
}

/* Reads the 36 entries of a matrix, or the 6 of a diagonal one. */
void cd_read_matrix6(cd_reading *r, const cd_field *field, const cd_node *node, void *matrix)
{
    double values[36] = {0.0}, diagonal[6];
    if (is_list_of_rows(node, 6)) {
        if (read_rows(r, node, field->word, 6, values))
            cd_copy(36, values, matrix);
    } else if (node->kind != CD_LIST || node->count != 6) {
        cd_reject_value(r, node, field->word, "6 numbers (the diagonal) or six rows of six");
    } else if (cd_read_list(r, node, field->word, 6, diagonal)) {
        for (int i = 0; i < 6; i++)
            values[7 * i] = diagonal[i];
        cd_copy(36, values, matrix);
    }
}

static void quaternion_from_axis_angle(const double axis[3], double angle, double q[4])
{
    q[0] = cos(0.5 * angle);
    for (int i = 0; i < 3; i++)
        q[1 + i] = sin(0.5 * angle) * axis[i];
}

static void read_quaternion(cd_reading *r, const cd_node *node, double orientation[4])
{
    double q[4];
    if (!cd_read_list(r, node, "orientation", 4, q))
        return;
    const double length = sqrt(cd_dot(4, q, q));
    if (!(length > 0.0) || !isfinite(length)) {
        cd_reject(r, node, "this quaternion has no length; [1, 0, 0, 0] stands for no rotation");
        return;
    }
    if (fabs(length - 1.0) > 1e-3)
        cd_report_warning(r->report, node->location,
                          "this quaternion has the length %.6g instead of 1; it is scaled", length);
    for (int i = 0; i < 4; i++)
        orientation[i] = q[i] / length;
}

/* Three rotations about the axes that `sequence` names, which rotate with the body. */
static void quaternion_from_euler(cd_reading *r, cd_location location,
                                  const cd_orientation_item *item, double orientation[4])
{
    double total[4] = {1.0, 0.0, 0.0, 0.0};
    if (strlen(item->sequence) != 3 || strspn(item->sequence, "xyz") != 3) {
        cd_report_error(r->report, location,
                        "`sequence` wants three of the letters x, y and z, such as `zxz`");
        return;
    }
    for (int i = 0; i < 3; i++) {
        double axis[3] = {0.0}, rotation[4], product[4];
        axis[item->sequence[i] - 'x'] = 1.0;
        quaternion_from_axis_angle(axis, item->euler[i], rotation);
        cd_quaternion_product(total, rotation, product);
        cd_copy(4, product, total);
    }
    cd_copy(4, total, orientation);
}

/* Reads an orientation in any of its forms and stores its quaternion. */
void cd_read_orientation(cd_reading *r, const cd_field *field, const cd_node *node,
                         void *orientation)
{
    cd_orientation_item item;
    const cd_schema *schema = field->detail;
    const cd_node *nodes[8] = {NULL};
    const cd_item given = {schema, node, nodes};
    const int errors = r->report->errors;
    if (node->kind == CD_LIST) {
        read_quaternion(r, node, orientation);
        return;
    }
    schema->set_default(&item);
    if (node->kind == CD_MAP)
        cd_read_fields(r, schema, node, &item, nodes);
    const bool axis = cd_given_field(&given, "axis") != NULL,
               angle = cd_given_field(&given, "angle") != NULL;
    const bool x = cd_given_field(&given, "x_axis") != NULL,
               z = cd_given_field(&given, "z_axis") != NULL;
    const bool euler = cd_given_field(&given, "euler") != NULL;
    if (r->report->errors > errors)
        return;
    if ((axis || angle) + euler + (x || z) != 1 || axis != angle)
        cd_reject(r, node,
                  "`orientation` wants a quaternion [w, x, y, z] or one of {axis, angle}, {euler}, "
                  "{x_axis, z_axis}");
    else if (euler)
        quaternion_from_euler(r, cd_field_location(&given, "sequence"), &item, orientation);
    else if (axis)
        quaternion_from_axis_angle(item.axis, item.angle, orientation);
    else if (!cd_orientation_from_axes(x ? item.x_axis : NULL, z ? item.z_axis : NULL, orientation))
        cd_reject(r, node, "the x axis is parallel to the z axis; give two directions that differ");
}

/* Reads the pairs [t, value] of a signal into two arrays; rejects times that do not increase. */
void cd_read_table(cd_reading *r, const cd_field *field, const cd_node *node, void *signal)
{
    if (node->kind == CD_LIST && node->count < 2)
        cd_reject(r, node, "`%s` wants a list of two or more pairs [t, value]; this is shorter",
                  field->word);
    else if (node->kind != CD_LIST)
        cd_reject_value(r, node, field->word, "a list of two or more pairs [t, value]");
    if (node->kind != CD_LIST || node->count < 2)
        return;
    cardan_signal_def *def = signal;
    const size_t size = (size_t)node->count * sizeof(double);
    double *times = cd_arena_take(&r->document->arena, size);
    double *values = cd_arena_take(&r->document->arena, size);
    bool valid = times != NULL && values != NULL;
    int i = 0;
    for (const cd_node *row = valid ? node->first : NULL; row != NULL; row = row->next, i++) {
        double pair[2] = {0.0, 0.0};
        const bool read = cd_read_list(r, row, field->word, 2, pair);
        times[i] = pair[0];
        values[i] = pair[1];
        if (read && valid && i > 0 && !(times[i] > times[i - 1])) {
            cd_reject(r, row, "the time %.6g comes after %.6g; times must increase", times[i],
                      times[i - 1]);
            return;
        }
        valid = valid && read;
    }
    def->times = times;
    def->values = values;
    def->count = valid ? node->count : 0;
}
