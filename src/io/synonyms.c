/* Words that other programs and textbooks use for the words of model files, to propose ours. */
#include "schema.h"

#include <string.h>

/* A space before and after each of their words. */
static const struct {
    const char *ours, *theirs;
} names[] = {
    /* signals */
    {"harmonic", " sine sin sinus sinusoid cosine cos "},
    {"smooth_step", " step "},
    {"ramp", " linear "},
    {"table", " points interpolation "},
    {"spline", " cubic "},
    /* joints */
    {"revolute", " hinge pin pivot rotational "},
    {"spherical", " ball ball_joint "},
    {"prismatic", " slider sliding translational "},
    {"fixed", " weld rigid "},
    {"universal", " hooke cardan "},
    {"distance", " link rod "},
    {"screw", " helical "},
    /* forces */
    {"spring", " damper spring_damper "},
    {"torsion_spring", " rotational_spring rotational_damper "},
    {"applied", " force load torque "},
    {"motor", " actuator drive "},
    /* solids and bodies */
    {"box", " cube block cuboid "},
    {"sphere", " ball "},
    {"rod", " bar beam "},
    {"ring", " hoop "},
    {"point", " point_mass particle "},
    /* values */
    {"stiffness", " k "},
    {"damping", " c d "},
    {"free_length", " rest_length natural_length "},
    {"center_of_mass", " com center_of_gravity "},
    {"angular_velocity", " omega "},
    {"orientation", " rotation "},
    {"position", " pos "},
    {"body1", " body_a "},
    {"body2", " body_b "},
    {"end", " t_end duration "},
    {"step", " dt time_step "},
    {"method", " integrator "},
    {"mass_per_length", " linear_density "},
};

const char *cd_word_from_synonym(const char *text, int *next)
{
    const size_t length = strlen(text);
    for (; *next < (int)(sizeof names / sizeof names[0]); ++*next)
        for (const char *at = names[*next].theirs; (at = strchr(at, ' ')) != NULL;)
            if (strncmp(++at, text, length) == 0 && at[length] == ' ')
                return names[(*next)++].ours;
    return NULL;
}
