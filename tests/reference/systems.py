"""The systems: made up for these references, so that every term of a scheme matters. In no paper.
tests/support/reference_systems.c says the same in C, with derivatives in closed form."""
import numpy as np
from numpy import array, concatenate, cos, cross, eye, sin, sqrt, zeros

from groups import Group, hat, rotation
from system import System

INERTIA = [array([[0.5, 0.05, -0.02], [0.05, 0.8, 0.03], [-0.02, 0.03, 1.1]]),
           array([[0.3, 0.02, -0.01], [0.02, 0.45, 0.03], [-0.01, 0.03, 0.2]])]


def block(*blocks):
    n = sum(len(b) for b in blocks)
    out, i = zeros((n, n), dtype=np.result_type(*blocks)), 0
    for b in blocks:
        out[i:i + len(b), i:i + len(b)] = b
        i += len(b)
    return out


class Wire(System):
    """Three coordinates, mass depending on q and t, gyroscopic forces, a curved constraint that
    moves, friction with a load sqrt(1/2 + lambda^2)."""
    group, m, friction = Group(("rn", 3)), 1, True

    def initial(self):
        return array([0.6, -0.5, 0.4]), array([0.7, 0.3, -0.4])

    def mass(self, q, t):
        return array([[2 + 0.3 * cos(q[2]), 0.2 * sin(q[0]), 0.1],
                      [0.2 * sin(q[0]), 1.5 + 0.2 * sin(t), 0.3 * cos(q[1])],
                      [0.1, 0.3 * cos(q[1]), 0.8 + 0.1 * q[0] ** 2]])

    def g(self, q, v, lam, psi, t):
        gyro = 1.2 + 0.5 * sin(t)
        load = sqrt(0.5 + lam[0] ** 2) if self.m else sqrt(0.5)
        return array([3 * q[0] + 0.4 * q[0] ** 3 + gyro * v[1] - 0.2 * v[1] ** 2
                      + 0.1 * load * v[0],
                      5 + 2 * q[1] - gyro * v[0] + 0.3 * v[0] * v[2] + 0.1 * load * v[1],
                      sin(q[2]) + 0.2 * v[2] + 0.1 * v[0] * v[1] - 0.5 * cos(2 * t)
                      + 0.05 * load * q[0]])

    def phi(self, q, t):
        return array([q[0] ** 2 + 2 * q[1] ** 2 + 0.5 * sin(q[2]) * q[0] - 1 - 0.2 * sin(3 * t)])


class FreeWire(Wire):
    """The same without its constraint."""
    m, friction = 0, False

    def phi(self, q, t):
        return zeros(0)


class Tandem(System):
    """Two bodies, joined by a spherical joint away from both centres, the first one held at a point
    that is driven; a spring of two powers, torques that depend on time and velocity, drag."""
    m = 6
    masses = 2.0, 1.3
    s0, s1, s2 = array([0.1, -0.4, 0.3]), array([-0.2, 0.5, 0.1]), array([0.3, -0.1, 0.4])
    hook, post = array([0.2, 0.3, -0.2]), array([0.5, 0.4, -1.0])

    def __init__(self, kind, side):
        """`kind` se3: the velocity of a centre is seen from its body too."""
        self.kind, self.side, self.group = kind, side, Group((kind, side), (kind, side))

    def bodies(self, q):
        return [(q[i:i + 3], q[i + 3:i + 12].reshape(3, 3)) for i in (0, 12)]

    def initial(self):
        q = concatenate([zeros(3), eye(3).ravel(), array([-0.5, 0.6, -0.3]), eye(3).ravel()])
        w = array([0, 0, 0, 0.3, -0.2, 0.4, 0, 0, 0, -0.3, 0.5, 0.2])
        q = self.group.update(q, w)
        v = array([0, 0, 0, 0.8, -0.6, 1.1, 0, 0, 0, -1.3, 0.4, 0.9])
        return q, v

    def spatial(self, r, inertia):
        return inertia if self.side == "left" else r @ inertia @ r.T

    def mass(self, q, t):
        return block(*[b for i, (x, r) in enumerate(self.bodies(q))
                       for b in (self.masses[i] * eye(3), self.spatial(r, INERTIA[i]))])

    def point(self, t):
        return array([0.1 * sin(2 * t), 0.05 * t ** 2, 0.2 * cos(t)])

    def g(self, q, v, lam, psi, t):
        out = []
        for i, (x, r) in enumerate(self.bodies(q)):
            u, w = v[6 * i:6 * i + 3], v[6 * i + 3:6 * i + 6]
            if self.side == "right":
                w = r.T @ w
            if self.kind == "se3":
                u = r @ u
            gravity = self.masses[i] * array([0, 0, -9.81])
            if i == 0:
                force = gravity
                torque = array([0.6 * sin(3 * t) - 0.2 * w[0] - 0.1 * w[0] ** 3,
                                0.5 * cos(t) - 0.3 * w[1], -0.2 * w[2] * w[0] + 0.3 * t])
            else:
                d = x + r @ self.hook - self.post
                spring = -8 * (1 + 0.5 * (d @ d)) * d
                force = gravity + spring - 0.3 * (1 + u @ u) * u
                torque = cross(self.hook, r.T @ spring) + array([0.2 * w[1], -0.2 * w[0], 0])
            moment = cross(w, INERTIA[i] @ w) - torque
            if self.kind == "se3":
                force = r.T @ force - self.masses[i] * cross(w, r.T @ u)
            out += [-force, moment if self.side == "left" else r @ moment]
        return concatenate(out)

    def phi(self, q, t):
        (x1, r1), (x2, r2) = self.bodies(q)
        return concatenate([x1 + r1 @ self.s0 - self.point(t),
                            x1 + r1 @ self.s1 - x2 - r2 @ self.s2])


class Puck(System):
    """A body (quaternions) whose tip slides on a curved surface that moves, with friction."""
    group, m, friction = Group(("r3s3", "left")), 1, True
    weight, s, inertia = 1.2, array([0.2, -0.1, -0.5]), INERTIA[1]

    def initial(self):
        q = self.group.update(array([0.3, 0.2, 0.8, 1, 0, 0, 0]), array([0, 0, 0, 0.2, -0.3, 0.5]))
        return q, array([0.9, -0.5, 0.2, 1.2, -0.7, 3.0])

    def mass(self, q, t):
        return block(self.weight * eye(3), self.inertia)

    def g(self, q, v, lam, psi, t):
        r, u, w = rotation(q[3:]), v[:3], v[3:]
        slip = u + r @ cross(w, self.s)
        friction = -0.3 * sqrt(0.01 + lam[0] ** 2) / sqrt(0.04 + slip @ slip) * slip
        force = friction + array([0.4 * sin(2 * t), -0.3 * q[1], -9.81 * self.weight])
        torque = cross(self.s, r.T @ friction) + array([0.1 * w[1], -0.1 * w[0], -0.05 * w[2] * t])
        return concatenate([-force, cross(w, self.inertia @ w) - torque])

    def phi(self, q, t):
        p = q[:3] + rotation(q[3:]) @ self.s
        return array([p[2] - 0.3 * cos(p[0]) - 0.2 * p[1] ** 2 - 0.1 * sin(2 * t)])


class Knife(System):
    """A knife edge with its mass off the contact, on a platform that turns and moves; inertia
    depending on time, friction with a load sqrt(0.3 + psi^2)."""
    group, l, friction = Group(("rn", 3)), 1, True

    def initial(self):
        return array([0.5, -0.3, 0.4]), array([0.8, 0.3, 1.1])

    def mass(self, q, t):
        a = 1.4 * 0.3
        return array([[1.4, 0, -a * sin(q[2])], [0, 1.4, a * cos(q[2])],
                      [-a * sin(q[2]), a * cos(q[2]), 0.5 + 0.1 * sin(2 * t) + a * 0.3]])

    def g(self, q, v, lam, psi, t):
        a, load = 1.4 * 0.3, sqrt(0.3 + psi[0] ** 2)
        return array([-a * cos(q[2]) * v[2] ** 2 + 1.5 * q[0] - 0.4 * v[1] + 0.2 * load * v[0],
                      -a * sin(q[2]) * v[2] ** 2 + 2 * q[1] + 2.5 + 0.4 * v[0] + 0.2 * load * v[1],
                      0.1 * v[2] + 0.2 * sin(q[2]) + 0.2 * cos(2 * t) * v[2]
                      + 0.1 * load * v[2]])

    def k(self, q, v, t):
        angle, rate = q[2] + 0.4 * t + 0.2 * sin(t), 0.4 + 0.2 * cos(t)
        return array([-sin(angle) * (v[0] - 0.3 * cos(t) + rate * q[1])
                      + cos(angle) * (v[1] - 0.2 - rate * q[0]) - 0.1 * v[2] + 0.05 * sin(t)])


class Pursuit(System):
    """Four coordinates, a constraint that is nonlinear in the velocities, mass depending on q and
    t, a force with psi^2."""
    group, l, friction = Group(("rn", 4)), 1, True

    def initial(self):
        return array([0.4, -0.2, 0.3, 0.1]), array([0.9, 0.5, 0.7, 0.6])

    def mass(self, q, t):
        out = np.diag(array([1.3 + 0.2 * sin(q[1]), 1.0 + 0.1 * q[0] ** 2, 0.9 + 0.2 * cos(t),
                             1.6 + 0 * t]))
        out[0, 2] = out[2, 0] = 0.2 * cos(q[3])
        out[1, 3] = out[3, 1] = 0.15 * q[2]
        return out

    def g(self, q, v, lam, psi, t):
        p = psi[0]
        return array([2 * q[0] + 0.5 * v[1] + 0.15 * p ** 2, 1.5 * q[1] - 2 - 0.5 * v[0] + 0.1 * v[3],
                      sin(q[2]) + 0.2 * v[2] ** 2 - 0.3 * sin(2 * t),
                      q[3] - 0.1 * v[1] + 0.1 * p ** 2 * v[0]])

    def k(self, q, v, t):
        return array([v[0] ** 2 + v[1] ** 2 - 0.5 * (1 + 0.2 * sin(t)) * v[2] ** 2
                      - 0.3 * q[0] * v[3] - 0.4])


class Suslov(System):
    """A body that turns about a fixed point; its angular velocity in a direction that wanders in
    the body is given, by time and attitude."""
    group, l, friction = Group(("so3", "left")), 1, True

    def initial(self):
        return self.group.update(eye(3).ravel(), array([0.5, -0.2, 0.3])), array([1.2, -0.8, 0.5])

    def mass(self, q, t):
        return INERTIA[0] * (1 + 0.2 * sin(t))

    def g(self, q, v, lam, psi, t):
        r = q.reshape(3, 3)
        torque = array([0.5 * sin(2 * t) - 0.1 * v[0], 0.4 * v[2] * v[0], 0.6 * r[2, 0] + 1.5])
        return cross(v, INERTIA[0] @ v) - torque + 0.2 * sqrt(1 + psi[0] ** 2) * v

    def k(self, q, v, t):
        return array([0.3 * v[0] + 0.2 * sin(t) * v[1] + v[2] - 0.2 * cos(t) - 0.3 * q[8]])


class Ball(System):
    """An unbalanced ball rolling on a table that turns and heaves (velocities in the inertial
    frame): a holonomic constraint and two nonholonomic ones, rolling friction nonlinear in psi."""
    group, m, l, friction = Group(("r3so3", "right")), 1, 2, True
    weight, inertia, centre, radius = 1.5, INERTIA[1], array([0.05, -0.1, 0.08]), 0.6

    def initial(self):
        q = self.group.update(concatenate([array([0.3, -0.2, 0.6]), eye(3).ravel()]),
                              array([0, 0, 0, 0.4, 0.2, -0.3]))
        return q, array([0.6, 0.4, 0, 1.0, -0.8, 1.5])

    def mass(self, q, t):
        r = q[3:].reshape(3, 3)
        return block(self.weight * eye(3), r @ self.inertia @ r.T)

    def g(self, q, v, lam, psi, t):
        r, w = q[3:].reshape(3, 3), v[3:]
        inertia = r @ self.inertia @ r.T
        force = array([0.3 * sin(t) - 0.8 * q[0], -0.5 * q[1], -9.81 * self.weight])
        torque = -0.05 * sqrt(0.1 + psi @ psi) * w + array([0, 0.2 * cos(2 * t), -0.1 * w[2]])
        return concatenate([-force, cross(w, inertia @ w) - torque])

    def middle(self, q):
        return q[:3] + q[3:].reshape(3, 3) @ self.centre

    def phi(self, q, t):
        return array([self.middle(q)[2] - self.radius - 0.05 * sin(2 * t)])

    def k(self, q, v, t):
        turn, c = 0.5 + 0.2 * sin(t), self.middle(q)
        u = v[:3] + cross(v[3:], q[3:].reshape(3, 3) @ self.centre)
        return array([u[0] - self.radius * v[4] + turn * c[1],
                      u[1] + self.radius * v[3] - turn * c[0]])


class Gyro(System):
    """A rotor (velocity in the inertial frame) coupled with two coordinates by mass, springs and
    torques; no constraint."""
    group = Group(("so3", "right"), ("rn", 2))
    coupling = array([[0.1, 0.05], [-0.08, 0.1], [0.06, -0.12]])

    def initial(self):
        q = self.group.update(concatenate([eye(3).ravel(), array([0.4, -0.3])]),
                              array([0.3, 0.1, -0.5, 0, 0]))
        return q, array([0.7, -1.1, 2.0, 0.5, 0.8])

    def mass(self, q, t):
        r = q[:9].reshape(3, 3)
        out = block(r @ INERTIA[0] @ r.T, np.diag(array([1 + 0.2 * q[9] ** 2, 0.8 + 0.1 * sin(t)])))
        out[:3, 3:], out[3:, :3] = self.coupling, self.coupling.T
        return out

    def g(self, q, v, lam, psi, t):
        r, w, y, u = q[:9].reshape(3, 3), v[:3], q[9:], v[3:]
        torque = array([0.3 * sin(2 * t), -0.2 * w[1] * u[0], 0.5 * y[1]]) - 0.8 * r[:, 2] * y[0]
        return concatenate([cross(w, r @ INERTIA[0] @ r.T @ w) - torque,
                            array([4 * y[0] + y[0] ** 3 + 0.3 * u[1] + 0.8 * r[2, 2],
                                   3 * y[1] - 0.3 * u[0] + 0.2 * u[1] - 0.5 * cos(3 * t)])])


class Bowl(System):
    """A particle with a full constant mass matrix on a surface of the fourth degree that stands
    still; a potential of the fourth degree, damping, a gyroscopic force, a force of time."""
    group, m = Group(("rn", 3)), 1

    def initial(self):
        return array([0.8, -0.5, 0.1]), array([0.5, 1.2, 0.4])

    def mass(self, q, t):
        return array([[1.5, 0.2, 0.1], [0.2, 1.1, -0.15], [0.1, -0.15, 0.9]])

    def potential(self, q):
        return 9.81 * 0.9 * q[2] + 0.1 * (q[0] ** 2 + q[1] ** 2) ** 2 + 0.3 * q[0] ** 2

    def potential_dq(self, q):
        s = 0.4 * (q[0] ** 2 + q[1] ** 2)
        return array([s * q[0] + 0.6 * q[0], s * q[1], 9.81 * 0.9])

    def g(self, q, v, lam, psi, t):
        return self.potential_dq(q) + array([0.1 * v[0] + 0.5 * v[1], 0.2 * v[1] - 0.5 * v[0],
                                             -0.3 * cos(2 * t)])

    def phi(self, q, t):
        return array([q[2] - 0.25 * q[0] ** 4 - 0.3 * q[1] ** 2 * q[0]
                      - 0.2 * q[0] * sin(q[1])])


class Net(System):
    """Three particles in a plane: a rod to the origin, a rod between two of them, the third on a
    wire of the fourth degree; nonlinear springs. Conservative."""
    group, m = Group(("rn", 6)), 3

    def initial(self):
        return array([0.6, -0.8, 1.2, -1.3, 0.5, 0.1]), array([0.8, 0.6, 0.5, 1.0, 0.7, 0.2])

    def mass(self, q, t):
        return np.diag([1.0, 1.0, 0.5, 0.5, 2.0, 2.0])

    def potential(self, q):
        d = q[2:4] - q[4:6]
        return 9.81 * (q[1] + 0.5 * q[3] + 2 * q[5]) + 3 * (d @ d) + 0.5 * (d @ d) ** 2

    def potential_dq(self, q):
        d = q[2:4] - q[4:6]
        pull = (6 + 2 * (d @ d)) * d
        return array([0, 9.81, pull[0], pull[1] + 0.5 * 9.81, -pull[0], -pull[1] + 2 * 9.81])

    def g(self, q, v, lam, psi, t):
        return self.potential_dq(q)

    def phi(self, q, t):
        d = q[:2] - q[2:4]
        return array([q[0] ** 2 + q[1] ** 2 - 1, d @ d - 0.6, q[5] - 0.5 * q[4] ** 4 - 0.1 * q[4]])


class Spiral(System):
    """The form of JN07 (3.1): the reaction is no B^T lambda but any function, here of lambda^3 and
    with a part r(t, y, 0); the mass is not symmetric."""
    group, m, friction, adds_reaction = Group(("rn", 3)), 1, True, False

    def initial(self):
        return array([0.7, 0.6, 0.3]), array([0.5, -0.4, 0.9])

    def mass(self, q, t):
        return array([[1.4, 0.3 * sin(q[1]), 0.1], [-0.2 * q[2], 1.1 + 0.1 * cos(t), 0.2],
                      [0.15, -0.1, 0.9 + 0.1 * q[0] ** 2]])

    def reacting(self, q, v, t):
        return 0.5 * array([q[1] * sin(t), -q[0] * v[2], cos(q[2])])

    def g(self, q, v, lam, psi, t):
        reaction = (1 + 0.2 * sin(q[2])) * (lam[0] + 0.1 * lam[0] ** 3) \
            * array([2 * q[0], q[1], 0.6 * q[0]])
        return reaction + self.reacting(q, v, t) \
            + array([2 * q[0] + 0.3 * v[1], 3 * q[1] - 0.3 * v[0] + 4,
                     q[2] + 0.2 * v[2] + 0.1 * v[0] ** 2])

    def phi(self, q, t):
        return array([q[0] ** 2 + 0.7 * q[1] ** 2 + 0.4 * q[2] * q[0] - 1 - 0.1 * sin(2 * t)])


class Twist(System):
    """The form of Jay11 (2.1) and JN07 (6.1): f any function of psi, with a part r(t, y, z, 0); the
    mass is not symmetric, the constraint nonlinear in z."""
    group, l, friction, adds_reaction = Group(("rn", 3)), 1, True, False

    def initial(self):
        return array([0.6, 0.2, -0.4]), array([0.5, 0.8, 0.7])

    def mass(self, q, t):
        return array([[1.2, 0.2 * cos(q[2]), -0.1], [0.1 * q[0], 0.9 + 0.1 * sin(t), 0.15],
                      [-0.2, 0.1, 1.3 + 0.1 * q[1] ** 2]])

    def reacting(self, q, v, t):
        return 0.4 * array([v[1] * cos(t), q[0], -v[0] * v[2]])

    def g(self, q, v, lam, psi, t):
        p = psi[0] + 0.2 * psi[0] ** 2
        return p * array([-q[1] - 0.5, q[0], 1 + 0.1 * v[2]]) + self.reacting(q, v, t) \
            + array([1.5 * q[0] - 0.4 * v[2], 2 * q[1] - 0.5 * sin(2 * t),
                     q[2] + 0.4 * v[0] + 0.2 * v[2]])

    def k(self, q, v, t):
        return array([q[0] * v[1] - (q[1] + 0.5) * v[0] + 0.3 * (1 + 0.1 * sin(t)) * v[2] ** 2
                      + v[2] - 0.5])


class Swing(System):
    """A body under gravity and a spring of two powers, a point of which is held on a surface of the
    third degree; quaternions and the body's frame, or matrices and the inertial one. Conservative.
    """
    m, weight, inertia = 1, 1.2, INERTIA[0]
    s, hook, post = array([0.3, -0.2, 0.6]), array([-0.2, 0.4, 0.1]), array([0.4, 0.3, -0.6])

    def __init__(self, kind, side):
        self.kind, self.side, self.group = kind, side, Group((kind, side))

    def rotation(self, q):
        return rotation(q[3:]) if self.kind == "r3s3" else q[3:].reshape(3, 3)

    def initial(self):
        unit = eye(3).ravel() if self.kind == "r3so3" else array([1, 0, 0, 0])
        q = concatenate([array([0.2, 0.1, -0.7]), unit])
        return self.group.update(q, array([0, 0, 0, 0.3, -0.4, 0.2])), \
            array([0.6, -0.4, 0.1, 1.5, 2.0, -1.0])

    def mass(self, q, t):
        r = self.rotation(q)
        return block(self.weight * eye(3),
                     self.inertia if self.side == "left" else r @ self.inertia @ r.T)

    def stretch(self, q):
        return q[:3] + self.rotation(q) @ self.hook - self.post

    def potential(self, q):
        d = self.stretch(q)
        return 9.81 * self.weight * q[2] + 3 * (d @ d) + 2 * (d @ d) ** 2

    def potential_dq(self, q):
        d, r = self.stretch(q), self.rotation(q)
        pull = (6 + 8 * (d @ d)) * d
        torque = cross(self.hook, r.T @ pull)
        return concatenate([pull + array([0, 0, 9.81 * self.weight]),
                            torque if self.side == "left" else r @ torque])

    def g(self, q, v, lam, psi, t):
        r, w = self.rotation(q), v[3:]
        inertia = self.inertia if self.side == "left" else r @ self.inertia @ r.T
        return self.potential_dq(q) + concatenate([zeros(3), cross(w, inertia @ w)])

    def phi(self, q, t):
        p = q[:3] + self.rotation(q) @ self.s
        return array([p @ p + 0.4 * p[0] ** 3 - 0.3 * p[1] * p[2] - 0.3])


SYSTEMS = {"swing": Swing("r3s3", "left"), "swing_spatial": Swing("r3so3", "right"),
           "spiral": Spiral(), "twist": Twist(),
           "wire": Wire(), "free_wire": FreeWire(), "tandem": Tandem("r3so3", "left"),
           "tandem_se3": Tandem("se3", "left"),
           "tandem_spatial": Tandem("r3so3", "right"), "puck": Puck(), "knife": Knife(),
           "pursuit": Pursuit(), "suslov": Suslov(), "ball": Ball(), "gyro": Gyro(),
           "bowl": Bowl(), "net": Net()}
