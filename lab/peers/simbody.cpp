/* Simbody on a model: see simbody.h; a module that simbody_load.c loads. A spanning tree of
 * mobilizers, the other joints as constraints. */
#include "simbody.h"

#include <Simbody.h>

#include <cmath>
#include <cstring>
#include <memory>
#include <vector>

using namespace SimTK;

namespace
{

/* A body as we know it and as Simbody does. */
struct Part {
    MobilizedBodyIndex index;
    int parent = CARDAN_GROUND; /* number of the body it hangs on */
    bool placed = false;
    Transform pose; /* at the start */
    SpatialVec velocity;
    Transform frame1, frame2; /* of its joint */
    double angle0 = 0.0;      /* planar: the model's angle at the start */
    double turn0 = 0.0;       /* and that of the pin */
};

Rotation rotation_of(const double *row_major)
{
    Mat33 m;
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            m(i, j) = row_major[3 * i + j];
    return Rotation(m);
}

Transform transform_of(const cardan_frame &frame)
{
    const double *q = frame.orientation;
    return Transform(Rotation(Quaternion(q[0], q[1], q[2], q[3])),
                     Vec3(frame.position[0], frame.position[1], frame.position[2]));
}

bool is_plain(const cardan_body_def &def)
{
    return def.type != CARDAN_BODY_POINT && def.inertia_at_com &&
           std::fabs(def.inertia_axes[0]) > 1.0 - 1e-12;
}

MassProperties mass_of(const cardan_body_def &def)
{
    const double *i = def.inertia;
    const Vec3 com(def.center_of_mass[0], def.center_of_mass[1], def.center_of_mass[2]);
    /* Planar bodies have no inertia but about z; any other that is sound does. */
    const Inertia central = def.type == CARDAN_BODY_PLANAR
                                ? Inertia(i[2], i[2], i[2])
                                : Inertia(i[0], i[1], i[2], i[3], i[4], i[5]);
    return MassProperties(def.mass, com, central.shiftFromMassCenter(com, def.mass));
}

} // namespace

struct peer_simbody {
    MultibodySystem system;
    SimbodyMatterSubsystem matter{system};
    GeneralForceSubsystem forces{system};
    std::vector<Part> parts;
    std::vector<int> order; /* in which they were hung: what carries a body comes before it */
    const cardan_model *model = nullptr;
    const cardan_group *group = nullptr;
    std::unique_ptr<RungeKuttaMersonIntegrator> integrator;
};

namespace
{

MobilizedBody &body_of(peer_simbody &peer, int number)
{
    return peer.matter.updMobilizedBody(number == CARDAN_GROUND ? MobilizedBodyIndex(0)
                                                                : peer.parts[(size_t)number].index);
}

bool is_placed(const peer_simbody &peer, int number)
{
    return number == CARDAN_GROUND || peer.parts[(size_t)number].placed;
}

/* Hangs `child` on `parent`. */
bool hang(peer_simbody &peer, int type, int parent, int child, const Transform &frame1,
          const Transform &frame2)
{
    Part &part = peer.parts[(size_t)child];
    cardan_body_def def;
    if (!cardan_model_body(peer.model, child, &def))
        return false;
    const Body::Rigid body(mass_of(def));
    MobilizedBody &base = body_of(peer, parent);
    if (type == CARDAN_JOINT_REVOLUTE)
        part.index = MobilizedBody::Pin(base, frame1, body, frame2).getMobilizedBodyIndex();
    else if (type == CARDAN_JOINT_SPHERICAL)
        part.index = MobilizedBody::Ball(base, frame1, body, frame2).getMobilizedBodyIndex();
    else
        return false;
    peer.order.push_back(child);
    part.parent = parent;
    part.placed = true;
    part.frame1 = frame1;
    part.frame2 = frame2;
    return true;
}

/* A joint whose two bodies are in the tree already. Loops of planar bodies, or of hinges about
 * parallel axes, are closed in x and y alone: the rest would be redundant. */
bool close_loop(peer_simbody &peer, const cardan_joint_def &def)
{
    const Transform frame1 = transform_of(def.frame1), frame2 = transform_of(def.frame2);
    MobilizedBody &one = body_of(peer, def.body1), &two = body_of(peer, def.body2);
    if (def.type == CARDAN_JOINT_SPHERICAL) {
        Constraint::Ball(one, frame1.p(), two, frame2.p());
        return true;
    }
    if (def.type != CARDAN_JOINT_REVOLUTE)
        return false;
    for (const CoordinateAxis axis : {CoordinateAxis(XAxis), CoordinateAxis(YAxis)}) {
        const UnitVec3 normal = frame1.R()(axis);
        Constraint::PointInPlane(one, normal, dot(normal, frame1.p()), two, frame2.p());
    }
    return true;
}

/* Joint by joint; each pass hangs what can be hung, so that any order of joints will do. */
bool build_tree(peer_simbody &peer)
{
    const int joints = cardan_model_describe(peer.model).joint_count;
    std::vector<bool> used((size_t)joints, false);
    std::vector<cardan_joint_def> defs((size_t)joints);
    for (int i = 0; i < joints; i++)
        cardan_model_joint(peer.model, i, &defs[(size_t)i]);
    for (bool progress = true; progress;) {
        progress = false;
        for (int i = 0; i < joints; i++) {
            const cardan_joint_def &def = defs[(size_t)i];
            const bool first = is_placed(peer, def.body1), second = is_placed(peer, def.body2);
            if (used[(size_t)i] || first == second)
                continue;
            const Transform frame1 = transform_of(def.frame1), frame2 = transform_of(def.frame2);
            if (!(first ? hang(peer, def.type, def.body1, def.body2, frame1, frame2)
                        : hang(peer, def.type, def.body2, def.body1, frame2, frame1)))
                return false;
            used[(size_t)i] = progress = true;
        }
    }
    for (int i = 0; i < joints; i++)
        if (!used[(size_t)i] && !close_loop(peer, defs[(size_t)i]))
            return false;
    for (const Part &part : peer.parts)
        if (!part.placed)
            return false;
    return true;
}

/* Poses and velocities at the start, in the world. */
bool read_start(peer_simbody &peer, const double *q, const double *v)
{
    const cardan_point at = {0.0, q, v, nullptr, nullptr, nullptr};
    for (size_t i = 0; i < peer.parts.size(); i++) {
        cardan_body_def def;
        cardan_body_state s;
        if (!cardan_model_body(peer.model, (int)i, &def) || !is_plain(def) ||
            cardan_model_body_state(peer.model, (int)i, &at, &s) != CARDAN_OK)
            return false;
        peer.parts[i].pose =
            Transform(rotation_of(s.rotation), Vec3(s.position[0], s.position[1], s.position[2]));
        peer.parts[i].velocity =
            SpatialVec(Vec3(s.angular_velocity[0], s.angular_velocity[1], s.angular_velocity[2]),
                       Vec3(s.velocity[0], s.velocity[1], s.velocity[2]));
    }
    return true;
}

/* Each mobilizer is fitted to the relative motion of its frames. */
void set_start(peer_simbody &peer, State &state)
{
    for (const Part &part : peer.parts) {
        const bool grounded = part.parent == CARDAN_GROUND;
        const Transform base = grounded ? Transform() : peer.parts[(size_t)part.parent].pose;
        const Transform between = ~(base * part.frame1) * (part.pose * part.frame2);
        peer.matter.getMobilizedBody(part.index).setQToFitTransform(state, between);
    }
    peer.system.realize(state, Stage::Position);
    for (Part &part : peer.parts) {
        const MobilizedBody &body = peer.matter.getMobilizedBody(part.index);
        const Part *base =
            part.parent == CARDAN_GROUND ? nullptr : &peer.parts[(size_t)part.parent];
        const Vec3 below = base != nullptr ? base->velocity[0] : Vec3(0);
        Rotation frame = part.frame1.R();
        if (base != nullptr)
            frame = base->pose.R() * frame;
        body.setUToFitAngularVelocity(state, ~frame * (part.velocity[0] - below));
    }
}

/* The sums of the pins' angles along the tree: how far each planar body has turned. */
std::vector<double> pin_angles(const peer_simbody &peer, const State &state)
{
    std::vector<double> angles(peer.parts.size(), 0.0);
    for (const int number : peer.order) {
        const Part &part = peer.parts[(size_t)number];
        const MobilizedBody &body = peer.matter.getMobilizedBody(part.index);
        const double own = body.getNumQ(state) == 1 ? body.getOneQ(state, 0) : 0.0;
        const double below = part.parent == CARDAN_GROUND ? 0.0 : angles[(size_t)part.parent];
        angles[(size_t)number] = own + below;
    }
    return angles;
}

/* The configuration as the model's system has it: x, y, angle, or place and rotation matrix. */
void write_configuration(const peer_simbody &peer, const State &state, double *q)
{
    const std::vector<double> angles = pin_angles(peer, state);
    for (size_t i = 0; i < peer.parts.size(); i++) {
        const Part &part = peer.parts[i];
        int element;
        const cardan_factor factor = cardan_group_factor(peer.group, (int)i, &element, nullptr);
        const Transform &pose = peer.matter.getMobilizedBody(part.index).getBodyTransform(state);
        const int places = factor.kind == CARDAN_RN ? 2 : 3;
        for (int j = 0; j < places; j++)
            q[element + j] = pose.p()[j];
        if (factor.kind == CARDAN_RN)
            q[element + 2] = part.angle0 + angles[i] - part.turn0;
        for (int j = 0; factor.kind != CARDAN_RN && j < 9; j++)
            q[element + 3 + j] = pose.R().asMat33()(j / 3, j % 3);
    }
}

/* Is the group what write_configuration takes it for, and are the places the same? */
bool agrees(peer_simbody &peer, const State &state, const double *q)
{
    const int factors = cardan_group_factor_count(peer.group);
    if (factors != (int)peer.parts.size())
        return false;
    const std::vector<double> angles = pin_angles(peer, state);
    for (int i = 0; i < factors; i++) {
        int element;
        const cardan_factor factor = cardan_group_factor(peer.group, i, &element, nullptr);
        if (!(factor.kind == CARDAN_R3_SO3 || (factor.kind == CARDAN_RN && factor.n == 3)))
            return false;
        peer.parts[(size_t)i].angle0 = q[element + 2];
        peer.parts[(size_t)i].turn0 = angles[(size_t)i];
    }
    std::vector<double> own((size_t)cardan_group_size(peer.group));
    write_configuration(peer, state, own.data());
    for (size_t i = 0; i < own.size(); i++)
        if (std::fabs(own[i] - q[i]) > 1e-8 * (1.0 + std::fabs(q[i])))
            return false;
    return true;
}

bool prepare(peer_simbody &peer, const double *q, const double *v, double accuracy)
{
    const cardan_model_info has = cardan_model_describe(peer.model);
    Force::UniformGravity(peer.forces, peer.matter,
                          Vec3(has.gravity[0], has.gravity[1], has.gravity[2]));
    if (has.force_count > 0 || !read_start(peer, q, v) || !build_tree(peer))
        return false;
    State state = peer.system.realizeTopology();
    set_start(peer, state);
    peer.system.realize(state, Stage::Velocity);
    if (!agrees(peer, state, q))
        return false;
    peer.integrator = std::make_unique<RungeKuttaMersonIntegrator>(peer.system);
    peer.integrator->setAccuracy(accuracy);
    peer.integrator->initialize(state);
    return true;
}

} // namespace

extern "C" const char *module_text(void)
{
    return "Simbody 3.7, reduced coordinates, Runge-Kutta-Merson";
}

extern "C" bool module_create(peer_simbody **peer, const cardan_model *model, const double *q,
                              const double *v, double accuracy)
{
    *peer = nullptr;
    try {
        auto made = std::make_unique<peer_simbody>();
        made->model = model;
        made->group = cardan_system_describe(cardan_model_system(model)).group;
        made->parts.resize((size_t)cardan_model_describe(model).body_count);
        if (!prepare(*made, q, v, accuracy))
            return false;
        *peer = made.release();
        return true;
    } catch (const std::exception &) {
        return false;
    }
}

extern "C" void module_destroy(peer_simbody *peer)
{
    delete peer;
}

extern "C" bool module_advance(peer_simbody *peer, double t, double *q)
{
    try {
        while (peer->integrator->getTime() < t)
            peer->integrator->stepTo(t);
        if (q != nullptr) {
            const State &state = peer->integrator->getState();
            peer->system.realize(state, Stage::Position);
            write_configuration(*peer, state, q);
        }
        return true;
    } catch (const std::exception &) {
        return false;
    }
}

extern "C" void module_work(const peer_simbody *peer, peer_simbody_work *work)
{
    work->steps = peer->integrator->getNumStepsTaken();
    work->evaluations = peer->integrator->getNumRealizations();
}
