/* What the JSON schema and the reference page have in common. */
#include "schema_write.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const cd_element *const elements[] = {
    &cd_model_element, &cd_units_element,       &cd_body_element,   &cd_solid_element,
    &cd_shape_element, &cd_orientation_element, &cd_frame_element,  &cd_joint_element,
    &cd_force_element, &cd_friction_element,    &cd_signal_element, &cd_sensor_element,
    &cd_solver_element};

int cd_schema_elements(void)
{
    return sizeof elements / sizeof elements[0];
}

const cd_element *cd_schema_element(int i)
{
    return elements[i];
}

void cd_write(const cd_writer *writer, const char *format, ...)
{
    char text[2048];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    writer->write(writer->context, text);
}

static void number_text(double value, char text[CD_DEFAULT_TEXT])
{
    for (int digits = 1; digits <= 17; digits++) {
        snprintf(text, CD_DEFAULT_TEXT, "%.*g", digits, value);
        if (strtod(text, NULL) == value)
            return;
    }
}

static void vector_text(const double *x, char text[CD_DEFAULT_TEXT])
{
    snprintf(text, CD_DEFAULT_TEXT, "[%g, %g, %g]", x[0], x[1], x[2]);
}

const char *cd_default_text(const cd_element *element, const cd_field *field,
                            char text[CD_DEFAULT_TEXT])
{
    void *made = calloc(1, element->size);
    text[0] = '\0';
    const bool told = field->required == CD_EVERY || strstr(field->text, "default") != NULL;
    if (made == NULL || told)
        goto done;
    element->set_default(made);
    const void *value = (const char *)made + field->offset;
    const cd_words *words = field->detail;
    if (field->kind == CD_NUMBER && isfinite(*(const double *)value) &&
        *(const double *)value != 0.0)
        number_text(*(const double *)value, text);
    else if (field->kind == CD_NUMBER && *(const double *)value == 0.0 &&
             field->range != CD_RANGE_POSITIVE && field->range != CD_RANGE_NOT_ZERO)
        number_text(0.0, text);
    else if (field->kind == CD_VECTOR && field->required == 0)
        vector_text(value, text);
    else if (field->kind == CD_BOOLEAN)
        snprintf(text, CD_DEFAULT_TEXT, "%s", *(const bool *)value ? "true" : "false");
    else if (field->kind == CD_WORD && *(const int *)value >= 0)
        snprintf(text, CD_DEFAULT_TEXT, "%s", words->list[*(const int *)value].word);
done:
    free(made);
    return text;
}

void cardan_schema_write(cardan_schema_format format, cardan_write_callback *write, void *context)
{
    if (write == NULL)
        return;
    if (format == CARDAN_SCHEMA_JSON)
        cd_schema_json(write, context);
    else if (format == CARDAN_SCHEMA_MARKDOWN)
        cd_schema_markdown(write, context);
}
