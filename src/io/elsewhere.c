/* What other programs and textbooks call the words of model files. */
#include "schema.h"

#include <string.h>

static const struct {
    const char *theirs, *ours;
} names[] = {
    /* signals */
    {"sine", "harmonic"},
    {"sin", "harmonic"},
    {"sinus", "harmonic"},
    {"sinusoid", "harmonic"},
    {"cosine", "harmonic"},
    {"cos", "harmonic"},
    {"step", "smooth_step"},
    {"linear", "ramp"},
    {"points", "table"},
    {"interpolation", "table"},
    {"cubic", "spline"},
    /* joints */
    {"hinge", "revolute"},
    {"pin", "revolute"},
    {"pivot", "revolute"},
    {"rotational", "revolute"},
    {"ball", "spherical"},
    {"ball_joint", "spherical"},
    {"slider", "prismatic"},
    {"sliding", "prismatic"},
    {"translational", "prismatic"},
    {"weld", "fixed"},
    {"rigid", "fixed"},
    {"hooke", "universal"},
    {"cardan", "universal"},
    {"link", "distance"},
    {"rod", "distance"},
    {"helical", "screw"},
    /* forces */
    {"damper", "spring"},
    {"spring_damper", "spring"},
    {"rotational_spring", "torsion_spring"},
    {"rotational_damper", "torsion_spring"},
    {"force", "applied"},
    {"load", "applied"},
    {"torque", "applied"},
    {"actuator", "motor"},
    {"drive", "motor"},
    /* solids and bodies */
    {"cube", "box"},
    {"block", "box"},
    {"cuboid", "box"},
    {"ball", "sphere"},
    {"bar", "rod"},
    {"beam", "rod"},
    {"hoop", "ring"},
    {"point_mass", "point"},
    {"particle", "point"},
    /* values */
    {"k", "stiffness"},
    {"c", "damping"},
    {"d", "damping"},
    {"rest_length", "free_length"},
    {"natural_length", "free_length"},
    {"com", "center_of_mass"},
    {"center_of_gravity", "center_of_mass"},
    {"omega", "angular_velocity"},
    {"rotation", "orientation"},
    {"pos", "position"},
    {"body_a", "body1"},
    {"body_b", "body2"},
    {"t_end", "end"},
    {"duration", "end"},
    {"dt", "step"},
    {"time_step", "step"},
    {"integrator", "method"},
    {"linear_density", "mass_per_length"},
};

const char *cd_word_elsewhere(const char *text, int *next)
{
    for (; *next < (int)(sizeof names / sizeof names[0]); ++*next)
        if (strcmp(names[*next].theirs, text) == 0)
            return names[(*next)++].ours;
    return NULL;
}
