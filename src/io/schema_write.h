/* Writing of the schema: pieces of text for a function of the caller. */
#ifndef CD_IO_SCHEMA_WRITE_H
#define CD_IO_SCHEMA_WRITE_H

#include "schema.h"

typedef struct cd_writer {
    cardan_write_callback *write;
    void *context;
} cd_writer;

__attribute__((format(printf, 2, 3))) void cd_write(const cd_writer *writer, const char *format,
                                                    ...);

/* The default of a field as text; "" if there is none worth telling. */
#define CD_DEFAULT_TEXT 96
const char *cd_default_text(const cd_element *element, const cd_field *field,
                            char text[CD_DEFAULT_TEXT]);

/* The whole schema: cardan_schema_write. */
void cd_schema_json(cardan_write_callback *write, void *context);
void cd_schema_markdown(cardan_write_callback *write, void *context);

/* The parts of the format in the order of the reference page. */
int cd_schema_elements(void);
const cd_element *cd_schema_element(int i);

#endif
