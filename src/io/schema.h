/* The format of model files as tables (made from schema.def): the words of each element, what kind
 * of value they take, and where in the element's structure it goes. The reader and the JSON schema
 * work from them; defaults are what `set_default` writes. */
#ifndef CD_IO_SCHEMA_H
#define CD_IO_SCHEMA_H

#include "items.h"

typedef enum cd_value_kind {
    CD_NUMBER,      /* double */
    CD_INTEGER,     /* int */
    CD_BOOLEAN,     /* bool */
    CD_TEXT,        /* const char * */
    CD_NAME,        /* const char *: a text that others refer to */
    CD_WORD,        /* int: one of `words` */
    CD_METHOD,      /* const char *: name of an integration method */
    CD_PARAMS,      /* const char *: parameters of a method */
    CD_VECTOR,      /* double[3] */
    CD_AXIS,        /* double[3], not zero */
    CD_NUMBERS,     /* cardan_signal_def: coefficients */
    CD_TABLE,       /* cardan_signal_def: pairs of numbers, the times increasing */
    CD_INERTIA,     /* double[6] */
    CD_MATRIX6,     /* double[36] */
    CD_ORIENTATION, /* double[4] */
    CD_FRAME,       /* cardan_frame */
    CD_DIRECTION,   /* cardan_direction */
    CD_DIRECTIONS,  /* unsigned: several */
    CD_FIXED,       /* cd_fixed */
    CD_BODY,        /* int: number of a body or CARDAN_GROUND */
    CD_JOINT,       /* int: place of a joint in the file */
    CD_JOINTS,      /* int[2] */
    CD_FORCE,       /* int: number of a force */
    CD_SIGNAL,      /* int: number of a signal in the reader */
    CD_SIGNALS,     /* cd_signal_item: terms */
    CD_PART,        /* the structure of `element` */
    CD_PARTS,       /* cd_list of `element` */
    CD_PARAMETERS,  /* read before all else */
    CD_INCLUDE,     /* done before reading */
    CD_ANYTHING     /* not looked at */
} cd_value_kind;

typedef enum cd_value_range {
    CD_RANGE_ANY,
    CD_RANGE_POSITIVE,
    CD_RANGE_NOT_NEGATIVE,
    CD_RANGE_UNIT, /* 0 to 1 */
    CD_RANGE_NOT_ZERO
} cd_value_range;

typedef struct cd_word {
    const char *word, *text;
} cd_word;

/* Words whose place is the value that they stand for. */
typedef struct cd_words {
    const char *what; /* "type of joint" */
    const cd_word *list;
    int count;
} cd_words;

typedef struct cd_element cd_element;

typedef struct cd_field {
    const char *word;
    cd_value_kind kind;
    size_t offset;
    unsigned types;    /* of the element that take it, one bit each; all bits: every one */
    unsigned required; /* types that need it */
    const char *unit;  /* "rad" and "rad/s" follow `units` of the file; "" if there is none */
    cd_value_range range;
    const void *detail; /* cd_words or cd_element, by the kind */
    const char *text;
} cd_field;

struct cd_element {
    const char *what; /* "joint" */
    const char *text; /* what it is for */
    const cd_field *fields;
    int count;
    size_t size;
    void (*set_default)(void *element);
};

#define CD_EVERY (~0u)

extern const cd_element cd_model_element, cd_body_element, cd_solid_element, cd_shape_element,
    cd_joint_element, cd_force_element, cd_signal_element, cd_sensor_element, cd_solver_element,
    cd_frame_element, cd_friction_element, cd_orientation_element, cd_units_element;

/* Index of a field by its word, or -1. */
int cd_field_find(const cd_element *element, const char *word);
/* The words of the field `type`, or NULL. */
const cd_words *cd_element_types(const cd_element *element);
/* Place of a text among words, or -1. */
int cd_word_find(const cd_words *words, const char *text);

/* What a text that other programs use stands for in ours, one meaning a call, beginning with
 * `*next` = 0; NULL: no more. */
const char *cd_word_elsewhere(const char *text, int *next);

/* What a mistyped word, or one of other programs, was meant to be, or NULL. */
const char *cd_field_nearest(const cd_element *element, const char *text);
const char *cd_word_nearest(const cd_words *words, const char *text);

/* Directions in the order of the bits of cardan_direction; parts of the motion of a body. */
const cd_words *cd_direction_words(void);
const cd_words *cd_fixed_words(void);
/* The names of the integration methods, in the order of their numbers. */
enum { CD_MOST_METHODS = 32 };
cd_words cd_method_words(cd_word list[CD_MOST_METHODS]);

#endif
