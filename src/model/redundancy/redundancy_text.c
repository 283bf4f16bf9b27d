/* Messages about redundant rows, one per joint: its directions, and the joints they repeat. */
#include "reduction.h"

#include "base/error.h"

#include <stdarg.h>
#include <stdio.h>

typedef struct writer {
    char *text;
    int size, used; /* characters that fit, and that are written */
    bool started;   /* a direction has been written */
} writer;

__attribute__((format(printf, 2, 3))) static void append_text(writer *out, const char *format, ...)
{
    va_list arguments;
    if (out->used >= out->size)
        return;
    va_start(arguments, format);
    out->used +=
        vsnprintf(out->text + out->used, (size_t)(out->size - out->used), format, arguments);
    va_end(arguments);
}

/* What stands before word i of a list: nothing, ", " or " and ". */
static const char *list_separator(int i, int count)
{
    return i == 0 ? "" : i == count - 1 ? " and " : ", ";
}

/* Writes "rotation about x and y" for the rows whose direction is this letter and an axis. */
static void write_axes(writer *out, const cardan_redundancy *all, int first, int end, char letter,
                       const char *words)
{
    char axes[3];
    int count = 0;
    for (const char *axis = "xyz"; *axis != '\0'; axis++)
        for (int i = first; i < end; i++) {
            const char *direction = all->rows[i].direction;
            if (direction[0] == letter && direction[1] == *axis && direction[2] == '\0') {
                axes[count++] = *axis;
                break;
            }
        }
    for (int i = 0; i < count; i++)
        if (i == 0)
            append_text(out, "%s%s %c", out->started ? ", " : "", words, axes[0]);
        else
            append_text(out, "%s%c", list_separator(i, count), axes[i]);
    out->started = out->started || count > 0;
}

/* Whether a direction is one of "tx" to "rz". */
static bool is_axis(const char *direction)
{
    return (direction[0] == 't' || direction[0] == 'r') && direction[1] >= 'x' &&
           direction[1] <= 'z' && direction[2] == '\0';
}

/* Writes the directions of rows first to end - 1, which belong to one joint. */
static void write_directions(writer *out, const cardan_redundancy *all, int first, int end)
{
    write_axes(out, all, first, end, 't', "displacement along");
    write_axes(out, all, first, end, 'r', "rotation about");
    for (int i = first; i < end; i++)
        if (!is_axis(all->rows[i].direction)) {
            append_text(out, "%s%s%s", out->started ? ", " : "",
                        all->rows[i].direction[1] == '\0' ? "slip along " : "",
                        all->rows[i].direction);
            out->started = true;
        }
}

/* Writes the joints whose rows these rows repeat, each once, and the first of them by name. */
static void write_joints(writer *out, const cardan_model *model, const cardan_redundancy *all,
                         int first, int end)
{
    enum { MOST = 8 };
    int list[MOST], count = 0, more = 0;
    for (int i = first; i < end; i++)
        for (int j = 0; j < all->rows[i].joint_count; j++) {
            bool known = false;
            for (int l = 0; !known && l < count; l++)
                known = list[l] == all->rows[i].joints[j];
            if (!known && count < MOST)
                list[count++] = all->rows[i].joints[j];
            else if (!known)
                more = 1;
        }
    if (count == 0) {
        append_text(out, " %s nothing that is not held already",
                    end - first == 1 ? "holds" : "hold");
        return;
    }
    append_text(out, " %s ", end - first == 1 ? "repeats" : "repeat");
    for (int i = 0; i < count; i++)
        append_text(out, "%s`%s`", more ? (i == 0 ? "" : ", ") : list_separator(i, count),
                    cardan_model_name(model, CARDAN_ELEMENT_JOINT, list[i]));
    if (more)
        append_text(out, " and others");
}

cardan_status cardan_redundancy_text(const cardan_model *model, int i, char *text, int size)
{
    const cardan_redundancy *all = cardan_model_redundancy(model);
    if (all == NULL || text == NULL || size <= 0)
        return CARDAN_INVALID_ARGUMENT;
    int first = 0;
    for (int number = 0; first < all->count; number++) {
        int end = first + 1;
        while (end < all->count && all->rows[end].joint == all->rows[first].joint)
            end++;
        if (number == i) {
            writer out = {.text = text, .size = size};
            append_text(&out, "joint `%s`: ",
                        cardan_model_name(model, CARDAN_ELEMENT_JOINT, all->rows[first].joint));
            write_directions(&out, all, first, end);
            write_joints(&out, model, all, first, end);
            return CARDAN_OK;
        }
        first = end;
    }
    return CARDAN_UNKNOWN_NAME;
}

void cd_redundancy_write_repeated(const cardan_model *model, int row, char *text, int size)
{
    const cardan_redundancy *all = cardan_model_redundancy(model);
    writer out = {.text = text, .size = size};
    text[0] = '\0';
    if (all->rows[row].joint_count == 0)
        return;
    append_text(&out, ", which");
    write_joints(&out, model, all, row, row + 1);
}
