/* From the tree of a model file to items: values by their kind, fields by the schema, names and
 * parameters resolved. Mistakes go to the report; what could not be read keeps its default. */
#ifndef CD_IO_READ_H
#define CD_IO_READ_H

#include "name_numbers.h"
#include "schema.h"

typedef struct cd_parameter {
    const cd_node *node;
    double value;
    enum { CD_PARAMETER_NEW, CD_PARAMETER_OPEN, CD_PARAMETER_KNOWN, CD_PARAMETER_BAD } state;
    bool used;
} cd_parameter;

typedef struct cd_reading {
    cd_document *document;
    cd_report *report;
    double angle_unit; /* of the file, in radians */
    cd_names *parameter_names, *bodies, *joints, *signal_names, *forces;
    cd_parameter *parameters;
    cd_signal_item **signals; /* named ones first, in the order of the file */
    int signal_count, signal_capacity;
    int depth; /* of parameters or signals that refer to each other */
    bool has_unknown_sections;
    const cd_node *excused; /* the first name that is not there because of another mistake */
} cd_reading;

/* What a reference to a body or joint is after its name was refused. */
enum { CD_UNKNOWN = -2 };

/* How long a chain of parameters, or of signals, that refer to each other may be. */
enum { CD_LONGEST_CHAIN = 200 };

/* An error at the position of a node. */
#define cd_reject(r, node, ...) cd_report_error((r)->report, (node)->place, __VA_ARGS__)

/* False without memory. */
bool cd_reading_init(cd_reading *reading, cd_document *document);

/* ---- values; `word` names the field in messages; false if it was reported ---- */

bool cd_read_number(cd_reading *r, const cd_node *node, const char *word, double *value);
/* `count` numbers from a list. */
bool cd_read_list(cd_reading *r, const cd_node *node, const char *word, int count, double *values);
/* "`word` wants so and so; this is something else", or that it has no value; returns false. */
bool cd_refuse_value(cd_reading *r, const cd_node *node, const char *word, const char *wanted);

/* Readers of the kinds of values, which report what is wrong themselves. */
typedef void cd_value_reader(cd_reading *r, const cd_field *field, const cd_node *node,
                             void *value);
cd_value_reader cd_read_value; /* by the kind of the field */
cd_value_reader cd_read_inertia, cd_read_matrix6, cd_read_orientation, cd_read_table, cd_read_parts;
/* The number of a signal among r->signals: by name, or made here. */
cd_value_reader cd_read_signal, cd_read_signals;
/* The list of the section `signals`, whose names are known already. */
void cd_read_signal_section(cd_reading *r, const cd_node *node);

/* The quaternion of a frame with these axes (unit vectors; one may be NULL, then it is any); x is
 * made perpendicular to z. False if they are parallel. */
bool cd_frame_from_axes(const double *x, const double *z, double orientation[4]);
/* A map by the schema of an element; `given` (may be NULL) gets the nodes of its fields. */
void cd_read_fields(cd_reading *r, const cd_element *element, const cd_node *node, void *target,
                    const cd_node **given);

/* ---- parameters ---- */

cd_value_reader cd_read_parameters;
/* The value of a named parameter; false with a sentence in `why`, which is empty if the reason is
 * reported already. */
bool cd_parameter_value(cd_reading *r, const char *name, double *value, char *why, size_t size);

/* ---- the whole file ---- */

/* Reads all sections of a tree. */
void cd_read_model(cd_reading *r, const cd_node *root, cd_model_item *model);
/* Checks what depends on several fields, and places joints and forces on their bodies. */
void cd_check_model(cd_reading *r, cd_model_item *model);
/* Frames on the bodies from places in the world. */
void cd_place_joint(cd_reading *r, const cd_model_item *model, cd_joint_item *joint);
void cd_place_force(cd_reading *r, const cd_model_item *model, cd_force_item *force);
/* Adds everything to a model; reports what the model refuses. */
void cd_fill_model(cd_reading *r, cd_model_item *items, cardan_model *model);

/* Where joints, bodies and forces stand, by their numbers in the model; outlives the tree. */
enum { CD_PLACED = 3 };
typedef struct cd_places {
    cd_location *spot[CD_PLACED];
    int count[CD_PLACED];
} cd_places;

/* Of a model that was filled; false without memory. */
bool cd_places_keep(cd_document *document, const cd_model_item *items, cd_places *places);
/* The place of the first element that a sentence names, or NULL. */
const cd_location *cd_places_find(const cd_places *places, const cardan_model *model,
                                  const char *sentence);

/* Reports a word that an element has not; returns the field that was meant, as far as one can tell,
 * or -1. */
int cd_refuse_unknown(cd_reading *r, const cd_element *element, const cd_node *entry);

/* The node of a field that was given, or NULL; and its place, or that of the item. */
const cd_node *cd_given(const cd_item *item, const char *word);
cd_location cd_spot_of(const cd_item *item, const char *word);

/* What a mistyped name was meant to be, or NULL; not looked for any more once the report is full,
 * because that takes time. */
const char *cd_nearest_in(const cd_reading *r, const cd_names *names, const char *text);

/* Whether a name is not there because of a mistake that is reported elsewhere. */
bool cd_excuses(cd_reading *r, const cd_names *names, const cd_node *node, const char *text);

/* Whether a value was left out: `mass:` and nothing, ~ or null. */
bool cd_is_nothing(const cd_node *node);

/* What a node is, for messages: "a list of 3", "a map", "`text`". */
const char *cd_describe(const cd_node *node, char buffer[CD_QUOTED + 2]);

#endif
