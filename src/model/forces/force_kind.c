/* The table of all kinds of forces, the checks that they share, and the making of an element. */
#include "force.h"
#include "model/elements/friction.h"

enum { COOKIE = 0x0f05ce11 };

cardan_force_def cardan_force_def_default(void)
{
    return (cardan_force_def){.cookie = COOKIE,
                              .body1 = CARDAN_GROUND,
                              .body2 = CARDAN_GROUND,
                              .frame1.orientation = {1.0},
                              .frame2.orientation = {1.0},
                              .signal = CARDAN_NONE,
                              .joint = CARDAN_NONE,
                              .exponent = 1.5,
                              .friction = cd_friction_default()};
}

const cd_force_kind *cd_force_kind_of(cardan_force_type type)
{
    static const cd_force_kind *const kinds[] = {[CARDAN_FORCE_SPRING] = &cd_force_spring,
                                                 [CARDAN_FORCE_TORSION_SPRING] = &cd_force_torsion,
                                                 [CARDAN_FORCE_BUSHING] = &cd_force_bushing,
                                                 [CARDAN_FORCE_APPLIED] = &cd_force_applied,
                                                 [CARDAN_FORCE_MOTOR] = &cd_force_motor,
                                                 [CARDAN_FORCE_CONTACT] = &cd_force_contact,
                                                 [CARDAN_FORCE_USER] = &cd_force_user};
    return (unsigned)type < sizeof kinds / sizeof *kinds ? kinds[type] : NULL;
}

cardan_status cd_force_check_cookie(const cardan_force_def *def, cardan_error *error)
{
    if (def == NULL)
        return cd_fail(error, CARDAN_UNINITIALISED, "the force definition is NULL");
    if (def->cookie == COOKIE)
        return CARDAN_OK;
    return cd_fail(error, CARDAN_UNINITIALISED,
                   "the definition was not made by cardan_force_def_default()");
}

cardan_status cd_force_check(const cardan_force_def *def, cardan_error *error)
{
    const cardan_status made = cd_force_check_cookie(def, error);
    if (made != CARDAN_OK)
        return made;
    const cd_force_kind *kind = cd_force_kind_of(def->type);
    if (kind == NULL)
        return cd_invalid(error, "%d is no type of a force", (int)def->type);
    return kind->check(def, error);
}

cardan_status cd_force_check_finite(const char *what, const double *numbers, int count,
                                    cardan_error *error)
{
    if (cd_first_not_finite(count, numbers) < 0)
        return CARDAN_OK;
    return cd_invalid(error, "%s: not a finite number", what);
}

cardan_status cd_force_make(cd_arena *arena, const cardan_force_def *def,
                            const cd_force_references *references, cd_element *element,
                            cardan_error *error)
{
    const cd_force_kind *kind = cd_force_kind_of(def->type);
    cd_force_data *self = cd_arena_take(arena, sizeof *self);
    if (self == NULL)
        return cd_fail(error, CARDAN_OUT_OF_MEMORY, "no memory for a force");
    element->type = &kind->type;
    element->self = self;
    element->count = kind->single ? 1 : kind->counts_turns ? 3 : 2;
    element->body[0] = references->body[kind->single ? 1 : 0];
    element->body[1] = references->body[1];
    element->body[2] = references->counter;
    *self = (cd_force_data){.pair = {.marker = {references->marker[0], references->marker[1]},
                                     .options = {.axis1 = 2},
                                     .measure = kind->measure,
                                     .law = kind->law,
                                     .columns = CD_BODY_COLUMNS * element->count},
                            .def = def,
                            .signal = references->signal};
    return kind->complete != NULL ? kind->complete(references, self, error) : CARDAN_OK;
}
