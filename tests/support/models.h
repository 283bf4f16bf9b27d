/* Models for tests: random bodies and frames, every body form with every joint, random points. */
#ifndef CARDAN_TESTS_MODELS_H
#define CARDAN_TESTS_MODELS_H

#include <cardan/cardan.h>
#include <cardan/model.h>

/* The kinds of bodies that tests go through. */
enum { KIND_SPATIAL, KIND_BODY, KIND_SE3, KIND_PLANAR, KIND_POINT, KINDS };

/* The failing call of a test is shown with the model's own sentence. */
#define CHECK_MODEL(model, call)                                                                   \
    do {                                                                                           \
        cardan_status status_ = (call);                                                            \
        ck_assert_msg(status_ == CARDAN_OK, "%s: %s", cardan_status_name(status_),                 \
                      cardan_model_message(model));                                                \
    } while (0)

cardan_model *new_model(void);
cardan_model *model_with_gravity(const double gravity[3]);

/* Add an element and give its number. */
int put_body(cardan_model *model, cardan_body_def def);
int put_joint(cardan_model *model, cardan_joint_def def);

/* A quaternion of any rotation; one about z. */
void random_quaternion(unsigned *seed, double q[4]);
void random_turn_about_z(unsigned *seed, double q[4]);

/* Mass, centre of mass away from the frame, inertia of a real body, random place and motion. */
cardan_body_def random_body(unsigned *seed, int kind);

/* The frame on a body that is at `place` in the world, with the world's axes turned by `turn`. */
cardan_frame frame_at(const cardan_body_def *body, const double place[3], const double turn[4]);

/* A point of the system with all numbers at random; one at a time, until the next call with the
 * same storage. */
typedef struct model_point {
    cardan_point at;
    double *numbers;
} model_point;
model_point random_point(unsigned *seed, const cardan_model *model);
void free_point(model_point *point);

/* Builds the model if it is not built and checks all derivatives at some random points. */
void expect_derivatives(cardan_model *model, unsigned seed, const char *what);

/* An integrator at the model's initial values. */
cardan_integrator *start_model(const cardan_model *model, const cardan_integrator_def *def);

/* The integrator's state as a point. */
cardan_point point_of_run(const cardan_integrator *it);

#endif
