/* Turns the tree of a model file into items: reads fields by the schema and values by their kind,
 * and resolves names and parameters. Values with mistakes are reported and keep their default. */
#ifndef CD_IO_READ_H
#define CD_IO_READ_H

#include "name_numbers.h"
#include "schema.h"

typedef struct cd_parameter {
    const cd_node *node;
    double value;
    enum { CD_PARAMETER_NEW, CD_PARAMETER_BEING_READ, CD_PARAMETER_KNOWN, CD_PARAMETER_BAD } state;
    bool used;
} cd_parameter;

typedef struct cd_reading {
    cd_document *document;
    cd_report *report;
    double angle_unit; /* the unit of angles in the file, in radians */
    cd_names *parameter_names, *bodies, *joints, *signal_names, *forces;
    cd_parameter *parameters;
    cd_signal_item **signals; /* named ones first, in the order of the file */
    int signal_count, signal_capacity;
    int depth; /* of parameters or signals that refer to each other */
    bool has_unknown_sections;
    const cd_node *first_absent; /* first name that is missing because of another mistake */
} cd_reading;

/* The index of a body, joint or force whose name was rejected. */
enum { CD_UNKNOWN = -2 };

/* The longest chain of parameters, or of signals, that refer to each other. */
enum { CD_MAX_CHAIN = 200 };

/* An error at the position of a node. */
#define cd_reject(r, node, ...) cd_report_error((r)->report, (node)->location, __VA_ARGS__)

/* Begins the reading of a document; false without memory. */
bool cd_reading_init(cd_reading *reading, cd_document *document);

/* ---- values; `word` names the field in messages; false if it was reported ---- */

bool cd_read_number(cd_reading *r, const cd_node *node, const char *word, double *value);
/* `count` numbers from a list. */
bool cd_read_list(cd_reading *r, const cd_node *node, const char *word, int count, double *values);
/* Reports that the field `word` wants something else than the value of `node`; returns false. */
bool cd_reject_value(cd_reading *r, const cd_node *node, const char *word, const char *wanted);

/* Readers, one for every kind of value. They store the value, or report what is wrong with it. */
typedef void cd_value_reader(cd_reading *r, const cd_field *field, const cd_node *node,
                             void *value);
cd_value_reader cd_read_value; /* by the kind of the field */
cd_value_reader cd_read_inertia, cd_read_matrix6, cd_read_orientation, cd_read_table,
    cd_read_list_of_maps;
/* The index in r->signals of a signal that is named, or that is defined where it is used. */
cd_value_reader cd_read_signal, cd_read_signals;
/* Reads the section `signals`, whose names have been collected before. */
void cd_read_signal_section(cd_reading *r, const cd_node *node);

/* The quaternion of a frame with these axes (unit vectors). If one is NULL, any direction is chosen
 * for it. x is made perpendicular to z; false if they are parallel. */
bool cd_orientation_from_axes(const double *x, const double *z, double orientation[4]);
/* Reads a map by its schema into `target`; `given` (may be NULL) gets the nodes of its fields. */
void cd_read_fields(cd_reading *r, const cd_schema *schema, const cd_node *node, void *target,
                    const cd_node **given);

/* ---- parameters ---- */

cd_value_reader cd_read_parameters;
/* The value of a parameter; false with the reason in `why`, empty if it was reported already. */
bool cd_parameter_value(cd_reading *r, const char *name, double *value, char *why, size_t size);

/* ---- the whole file ---- */

/* Reads all sections of a tree. */
void cd_read_model(cd_reading *r, const cd_node *root, cd_model_item *model);
/* Checks what depends on several fields, and sets the frames of joints and forces. */
void cd_check_model(cd_reading *r, cd_model_item *model);
/* Computes the frames of a joint or force on its bodies from positions and axes in the world. */
void cd_set_joint_frames(cd_reading *r, const cd_model_item *model, cd_joint_item *joint);
void cd_set_force_frames(cd_reading *r, const cd_model_item *model, cd_force_item *force);
/* Adds all items to a model; reports what the model rejects. */
void cd_fill_model(cd_reading *r, cd_model_item *items, cardan_model *model);

/* The positions of joints, bodies and forces in the files, by their index in the model. */
enum { CD_LOCATED_KINDS = 3 };
typedef struct cd_element_locations {
    cd_location *location[CD_LOCATED_KINDS];
    int count[CD_LOCATED_KINDS];
} cd_element_locations;

/* Copies the positions of the elements of a filled model; false without memory. */
bool cd_element_locations_copy(cd_document *document, const cd_model_item *items,
                               cd_element_locations *places);
/* The position of the first element that a sentence names, or NULL. */
const cd_location *cd_element_location_find(const cd_element_locations *places,
                                            const cardan_model *model, const char *sentence);

/* Reports an unknown key; returns the index of the field that was probably meant, or -1. */
int cd_reject_unknown_field(cd_reading *r, const cd_schema *schema, const cd_node *entry);

/* The node of a field, or NULL if it was not given; and its position, or else that of the item. */
const cd_node *cd_given_field(const cd_item *item, const char *word);
cd_location cd_field_location(const cd_item *item, const char *word);

/* The name that a mistyped one was probably meant to be; NULL if none, or if the report is full. */
const char *cd_suggest_name(const cd_reading *r, const cd_names *names, const char *text);

/* Whether a name is missing because of a mistake that is reported elsewhere. */
bool cd_absence_explained(cd_reading *r, const cd_names *names, const cd_node *node,
                          const char *text);

/* Whether a key has no value: nothing after `mass:`, or ~, or null. */
bool cd_is_empty(const cd_node *node);

/* Describes a node for messages: "a list of 3", "a map", "`text`". */
const char *cd_describe(const cd_node *node, char buffer[CD_QUOTE + 2]);

#endif
