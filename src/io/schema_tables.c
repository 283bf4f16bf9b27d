/* The tables of schema.h, made from schema.def, and the default values of all items. */
#include "schema.h"

#include "base/nearest.h"

#include <math.h>
#include <string.h>

/* Sets of types, one bit each, for the columns `types` and `required` of schema.def. */
#define EVERY         CD_EVERY
#define NONE          0u
#define ONE(type)     (1u << CARDAN_##type)
#define ALL_BUT(type) (~ONE(type))

#define JOINT_ROLLS (ONE(JOINT_ROLLING_DISK) | ONE(JOINT_ROLLING_SPHERE) | ONE(JOINT_WHEEL))
#define JOINT_TURNS                                                                                \
    (ONE(JOINT_REVOLUTE) | ONE(JOINT_CYLINDRICAL) | ONE(JOINT_SCREW) | ONE(JOINT_UNIVERSAL) |      \
     ONE(JOINT_PLANAR) | ONE(JOINT_GENERIC))
#define JOINT_SLIDES                                                                               \
    (ONE(JOINT_PRISMATIC) | ONE(JOINT_CYLINDRICAL) | ONE(JOINT_PLANAR) | ONE(JOINT_GENERIC) |      \
     ONE(JOINT_POINT_ON_LINE))
#define SOLID_THIN    (ONE(SOLID_ROD) | ONE(SOLID_RING))
#define SOLID_THICK   (ONE(SOLID_BOX) | ONE(SOLID_CYLINDER) | ONE(SOLID_SPHERE))
#define FORCE_SPRINGS (ONE(FORCE_SPRING) | ONE(FORCE_TORSION_SPRING))
#define FORCE_PAIRS   (FORCE_SPRINGS | ONE(FORCE_BUSHING) | ONE(FORCE_CONTACT))
#define FORCE_WITH_LOCATION                                                                        \
    (ONE(FORCE_TORSION_SPRING) | ONE(FORCE_BUSHING) | ONE(FORCE_CONTACT) | ONE(FORCE_APPLIED))

#define SENSOR_ON_BODY                                                                             \
    (ONE(SENSOR_POSITION) | ONE(SENSOR_VELOCITY) | ONE(SENSOR_ACCELERATION) |                      \
     ONE(SENSOR_ORIENTATION) | ONE(SENSOR_ANGULAR_VELOCITY) | ONE(SENSOR_ANGULAR_ACCELERATION))
#define SENSOR_ON_JOINT                                                                            \
    (ONE(SENSOR_JOINT_FORCE) | ONE(SENSOR_JOINT_COORDINATE) | ONE(SENSOR_JOINT_RESIDUAL))

static void solid_default(void *target)
{
    *(cd_solid_item *)target = (cd_solid_item){.type = -1, .orientation = {1.0}};
}

static void shape_default(void *target)
{
    solid_default(target);
}

static void body_default(void *target)
{
    cd_body_item *body = target;
    *body = (cd_body_item){.def = cardan_body_def_default()};
    body->type = (int)body->def.type;
    body->form = (int)body->def.form;
}

static void joint_default(void *target)
{
    cd_joint_item *joint = target;
    *joint = (cd_joint_item){.def = cardan_joint_def_default(), .type = -1};
    joint->def.body1 = joint->def.body2 = CARDAN_GROUND;
    joint->angle = joint->displacement = joint->rate = joint->speed = NAN;
}

static void force_default(void *target)
{
    cd_force_item *force = target;
    *force = (cd_force_item){.def = cardan_force_def_default(), .type = -1};
    force->def.body1 = force->def.body2 = CARDAN_GROUND;
}

static void signal_default(void *target)
{
    *(cd_signal_item *)target = (cd_signal_item){.def = cardan_signal_def_default(), .type = -1};
}

static void sensor_default(void *target)
{
    *(cd_sensor_item *)target = (cd_sensor_item){.def = cardan_sensor_def_default(), .type = -1};
}

static void frame_default(void *target)
{
    *(cardan_frame *)target = (cardan_frame){.orientation = {1.0}};
}

static void friction_default(void *target)
{
    *(cardan_friction *)target = cardan_joint_def_default().friction;
}

static void orientation_default(void *target)
{
    *(cd_orientation_item *)target = (cd_orientation_item){.sequence = "xyz"};
}

static void units_default(void *target)
{
    *(cd_units_item *)target = (cd_units_item){.angle = CD_RADIANS};
}

static void solver_default(void *target)
{
    const cardan_integrator_def def = cardan_integrator_def_default();
    *(cardan_run_settings *)target =
        (cardan_run_settings){.rho = NAN,
                              .start = def.experimental.start,
                              .difference = def.experimental.difference,
                              .update = def.update,
                              .project = def.projection.level,
                              .projection = def.projection.norm,
                              .branch = def.branch,
                              .end = NAN};
}

static void model_default(void *target)
{
    cd_model_item *model = target;
    *model = (cd_model_item){.name = "", .description = ""};
    units_default(&model->units);
    solver_default(&model->solver);
}

/* schema.def is included twice: first to count words and fields, then for the tables. */
#define WORDS(name, what)          enum { name##_count = 0
#define WORD(value, word, meaning) +1
#define END_WORDS(name)                                                                            \
    }                                                                                              \
    ;
#define FIELDS(name, structure, what, meaning)                                                     \
    typedef structure name##_structure;                                                            \
    enum { name##_count = 0
#define FIELD(name, word, kind, member, types, required, unit, range, detail, meaning) +1
#define END_FIELDS(name)                                                                           \
    }                                                                                              \
    ;
#include "schema.def"

#define WORDS(name, what)                                                                          \
    static const cd_words name##_words = {what, .count = name##_count, .list = (const cd_word[]) {
#define WORD(value, word, meaning) [value] = {word, meaning},
#define END_WORDS(name)                                                                            \
    }                                                                                              \
    }                                                                                              \
    ;
#define FIELDS(name, structure, what, meaning)                                                     \
    const cd_schema cd_##name##_schema = {                                                         \
        what, meaning, .count = name##_count, .size = sizeof(structure),                           \
        .set_default = name##_default, .fields = (const cd_field[]) {
#define FIELD(name, word, kind, member, types, required, unit, range, detail, meaning)             \
    {word,   kind,   offsetof(name##_structure, member), types, required, unit, CD_RANGE_##range,  \
     detail, meaning},
#define END_FIELDS(name)                                                                           \
    }                                                                                              \
    }                                                                                              \
    ;
#include "schema.def"

const cd_words *cd_direction_words(void)
{
    return &directions_words;
}

const cd_words *cd_fixed_words(void)
{
    return &fixed_values_words;
}

cd_words cd_method_words(cd_word list[CD_MAX_METHODS])
{
    const int count = cardan_method_count() + 1;
    list[0] = (cd_word){"auto", ""};
    for (int i = 1; i < count && i < CD_MAX_METHODS; i++)
        list[i] = (cd_word){cardan_method_describe(i - 1).name, ""};
    return (cd_words){"method", list, count};
}

int cd_field_find(const cd_schema *schema, const char *word)
{
    for (int i = 0; i < schema->count; i++)
        if (strcmp(schema->fields[i].word, word) == 0)
            return i;
    return -1;
}

const cd_words *cd_schema_types(const cd_schema *schema)
{
    const int i = cd_field_find(schema, "type");
    return i >= 0 ? schema->fields[i].detail : NULL;
}

/* The i-th key or word of a list, for cd_nearest_name. */
static const char *field_word(const void *list, int i)
{
    return ((const cd_field *)list)[i].word;
}

static const char *word_at(const void *list, int i)
{
    return ((const cd_word *)list)[i].word;
}

int cd_word_find(const cd_words *words, const char *text)
{
    for (int i = 0; i < words->count; i++)
        if (strcmp(words->list[i].word, text) == 0)
            return i;
    return -1;
}

/* The word of the list that translates one of other programs, else the one spelled most alike. */
static const char *find_nearest_word(const char *text, const void *list, int count,
                                     cd_name_at *name)
{
    const char *ours;
    for (int next = 0; (ours = cd_word_from_synonym(text, &next)) != NULL;)
        for (int i = 0; i < count; i++)
            if (strcmp(name(list, i), ours) == 0)
                return ours;
    const int i = cd_nearest_name(text, list, count, name);
    return i >= 0 ? name(list, i) : NULL;
}

const char *cd_field_nearest(const cd_schema *schema, const char *text)
{
    return find_nearest_word(text, schema->fields, schema->count, field_word);
}

const char *cd_word_nearest(const cd_words *words, const char *text)
{
    return find_nearest_word(text, words->list, words->count, word_at);
}
