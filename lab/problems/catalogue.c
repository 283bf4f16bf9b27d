/* The table of built-in problems: a new problem is one file and one line here. */
#include "base/error.h"
#include "base/nearest.h"
#include "problem_type.h"

#include <string.h>

#define PROBLEMS(X)                                                                                \
    X(pendulum)                                                                                    \
    X(cube)                                                                                        \
    X(oscillator)                                                                                  \
    X(free_body)                                                                                   \
    X(heavy_top)                                                                                   \
    X(heavy_top_spatial)                                                                           \
    X(heavy_top_se3)                                                                               \
    X(heavy_top_quat)                                                                              \
    X(driven_pendulum)                                                                             \
    X(double_pendulum)                                                                             \
    X(spherical_pendulum)                                                                          \
    X(friction_slider)                                                                             \
    X(slider_crank)                                                                                \
    X(andrews)                                                                                     \
    X(jay1)                                                                                        \
    X(rolling_disk)                                                                                \
    X(jn1)                                                                                         \
    X(jn2)                                                                                         \
    X(two_particles)                                                                               \
    X(skate)                                                                                       \
    X(chaplygin_sleigh)                                                                            \
    X(pendulum_massless)                                                                           \
    X(heavy_top_massless)                                                                          \
    X(index2_example)                                                                              \
    X(rolling_ball_turntable)                                                                      \
    X(disk_so3)                                                                                    \
    X(disk_on_platform)                                                                            \
    X(skate_trailer)                                                                               \
    X(bouncing_pendulum)                                                                           \
    X(stick_slip)                                                                                  \
    X(wall_pendulum)                                                                               \
    X(load_branches)

#define X(name) extern const cd_problem_type cd_problem_##name;
PROBLEMS(X)
#undef X

static const cd_problem_type *const types[] = {
#define X(name) &cd_problem_##name,
    PROBLEMS(X)
#undef X
};

enum { TYPES = (int)(sizeof types / sizeof *types) };

/* NULL beyond the end of the table. */
static const cd_problem_type *type_at(int i)
{
    return i >= 0 && i < TYPES ? types[i] : NULL;
}

static const char *type_name(const void *list, int i)
{
    const cd_problem_type *const *entries = list;
    return entries[i]->name;
}

const cd_problem_type *cd_problem_type_find(const char *name, cardan_error *error)
{
    if (name == NULL) {
        cd_fail(error, CARDAN_INVALID_ARGUMENT, "a problem needs a name");
        return NULL;
    }
    for (int i = 0; i < TYPES; i++)
        if (strcmp(types[i]->name, name) == 0)
            return types[i];
    int nearest = cd_nearest_name(name, types, TYPES, type_name);
    if (nearest >= 0)
        cd_fail(error, CARDAN_UNKNOWN_NAME, "there is no problem '%.64s'; did you mean '%s'?", name,
                types[nearest]->name);
    else
        cd_fail(error, CARDAN_UNKNOWN_NAME,
                "there is no problem '%.64s'; cardan problems lists those there are", name);
    return NULL;
}

int lab_problem_count(void)
{
    return TYPES;
}

const char *lab_problem_name(int i)
{
    const cd_problem_type *type = type_at(i);
    return type != NULL ? type->name : NULL;
}

const char *lab_problem_summary(int i)
{
    const cd_problem_type *type = type_at(i);
    return type != NULL ? type->summary : NULL;
}

int lab_problem_parameters(int i, const lab_parameter **parameters)
{
    const cd_problem_type *type = type_at(i);
    if (parameters != NULL)
        *parameters = type != NULL ? type->parameters : NULL;
    return type != NULL ? type->parameter_count : 0;
}
