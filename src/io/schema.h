/* The format of model files as tables, made from schema.def: the keys of each map, the kind of
 * their values, and where in an item a value is stored. The reader and the JSON schema use them. */
#ifndef CD_IO_SCHEMA_H
#define CD_IO_SCHEMA_H

#include "items.h"

typedef enum cd_value_kind {
    CD_NUMBER,       /* double */
    CD_INTEGER,      /* int */
    CD_BOOLEAN,      /* bool */
    CD_TEXT,         /* const char * */
    CD_NAME,         /* const char *: a text that others refer to */
    CD_WORD,         /* int: one of `words` */
    CD_METHOD,       /* const char *: name of an integration method */
    CD_PARAMS,       /* const char *: parameters of a method */
    CD_VECTOR,       /* double[3] */
    CD_AXIS,         /* double[3], not zero */
    CD_NUMBERS,      /* cardan_signal_def: coefficients */
    CD_TABLE,        /* cardan_signal_def: pairs of numbers, the times increasing */
    CD_INERTIA,      /* double[6] */
    CD_MATRIX6,      /* double[36] */
    CD_ORIENTATION,  /* double[4] */
    CD_FRAME,        /* cardan_frame */
    CD_DIRECTION,    /* cardan_direction */
    CD_DIRECTIONS,   /* unsigned: several */
    CD_FIXED,        /* cd_fixed */
    CD_BODY,         /* int: number of a body or CARDAN_GROUND */
    CD_JOINT,        /* int: index of a joint in the file */
    CD_JOINTS,       /* int[2] */
    CD_FORCE,        /* int: number of a force */
    CD_SIGNAL,       /* int: number of a signal in the reader */
    CD_SIGNALS,      /* cd_signal_item: terms */
    CD_NESTED_MAP,   /* an item of the schema `detail` */
    CD_LIST_OF_MAPS, /* cd_list of such items */
    CD_PARAMETERS,   /* stored in cd_reading */
    CD_INCLUDE,      /* include.c has read it */
    CD_IGNORED       /* such as `description` */
} cd_value_kind;

typedef enum cd_value_range {
    CD_RANGE_ANY,
    CD_RANGE_POSITIVE,
    CD_RANGE_NOT_NEGATIVE,
    CD_RANGE_UNIT, /* 0 to 1 */
    CD_RANGE_NOT_ZERO
} cd_value_range;

/* A word that a file may state as a value, with its meaning. */
typedef struct cd_word {
    const char *word, *text;
} cd_word;

/* The words of an enumeration; the index of a word is the value that it stands for. */
typedef struct cd_words {
    const char *what; /* "type of joint" */
    const cd_word *list;
    int count;
} cd_words;

typedef struct cd_schema cd_schema;

/* A key of a map. Types are those that the key `type` of the map can have, one bit each. */
typedef struct cd_field {
    const char *word; /* the key */
    cd_value_kind kind;
    size_t offset;     /* of the value in the item */
    unsigned types;    /* types that may have the field */
    unsigned required; /* types that must have it */
    const char *unit;  /* "rad" and "rad/s" follow `units` of the file; "" if there is none */
    cd_value_range range;
    const void *detail; /* cd_words or cd_schema, depending on the kind */
    const char *text;   /* its meaning, for messages and the reference page */
} cd_field;

/* The keys of one kind of map, such as a joint. */
struct cd_schema {
    const char *what; /* "joint" */
    const char *text; /* the meaning, for the reference page */
    const cd_field *fields;
    int count;
    size_t size; /* of an item */
    void (*set_default)(void *item);
};

#define CD_EVERY (~0u) /* the set of all types */

extern const cd_schema cd_model_schema, cd_body_schema, cd_solid_schema, cd_shape_schema,
    cd_joint_schema, cd_force_schema, cd_signal_schema, cd_sensor_schema, cd_solver_schema,
    cd_frame_schema, cd_friction_schema, cd_orientation_schema, cd_units_schema;

/* Index of a field by its word, or -1. */
int cd_field_find(const cd_schema *schema, const char *word);
/* The words of the field `type`, or NULL. */
const cd_words *cd_schema_types(const cd_schema *schema);
/* Index of a text among words, or -1. */
int cd_word_find(const cd_words *words, const char *text);

/* Translates a word of other programs into ours. A word may have several translations: each call
 * returns another one, beginning with `*next` = 0, then NULL. */
const char *cd_word_from_synonym(const char *text, int *next);

/* The word that a mistyped one, or one of other programs, was probably meant to be, or NULL. */
const char *cd_field_nearest(const cd_schema *schema, const char *text);
const char *cd_word_nearest(const cd_words *words, const char *text);

/* Directions in the order of the bits of cardan_direction; initial values of a body that may be
 * fixed, in the order of the bits of cd_fixed. */
const cd_words *cd_direction_words(void);
const cd_words *cd_fixed_words(void);
/* The names of the integration methods, in the order of their numbers. */
enum { CD_MAX_METHODS = 32 };
cd_words cd_method_words(cd_word list[CD_MAX_METHODS]);

#endif
