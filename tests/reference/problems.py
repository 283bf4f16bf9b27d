"""The built-in problems (docs/problems.md) as far as make_rows.py runs them: mass, forces, constraints
and initial values from the papers; no derivative is written down here."""
import numpy as np
from numpy import array, concatenate, cos, cosh, cross, diag, exp, eye, sin, sqrt, tanh, zeros

from groups import Group
from numerics import TINY, second_derivative
from system import System


def rates(f, q, v):
    """The derivative of f(q) in the direction v, on a linear space."""
    return np.imag(f(q + 1j * TINY * v)) / TINY


class Pendulum(System):
    """ACB15, Example 1."""
    group, m, weight = Group(("rn", 2)), 1, 9.81

    def initial(self, x0=0.2):
        y = -sqrt(1 - x0 ** 2)
        speed = sqrt(2 * (0.5 - self.weight - self.weight * y))
        return array([x0, y]), speed * array([-y, x0])

    def mass(self, q, t):
        return eye(2)

    def g(self, q, v, lam, psi, t):
        return array([0, self.weight])

    def phi(self, q, t):
        return array([(q[0] ** 2 + q[1] ** 2 - 1) / 2])

    def potential(self, q):
        return self.weight * q[1]

    def potential_dq(self, q):
        return array([0, self.weight])


class DrivenPendulum(Pendulum):
    """The support moves by (0.2 sin 5t, 0.1 sin 8t)."""
    potential = None

    def initial(self, theta0=0.5):
        return array([sin(theta0), -cos(theta0)]), array([0.2 * 5, 0.1 * 8])

    def phi(self, q, t):
        x, y = q[0] - 0.2 * sin(5 * t), q[1] - 0.1 * sin(8 * t)
        return array([(x ** 2 + y ** 2 - 1) / 2])


class FrictionSlider(Pendulum):
    """A bead on a circle with Coulomb friction."""
    friction, potential = True, None

    def initial(self):
        return array([0.0, -1.0]), array([4.0, 0.0])

    def g(self, q, v, lam, psi, t):
        drag = 0.2 * sqrt(lam[0] ** 2 + 0.1 ** 2) / sqrt(v @ v + 0.2 ** 2)
        return array([0, self.weight]) + drag * v


class WallPendulum(Pendulum):
    """A stiff layer at x = 0.4; as wide as `w` says."""

    def initial(self, w=0.01):
        self.width = w
        return array([sin(1.2), -cos(1.2)]), zeros(2)

    def slope(self, x):
        z = (x - 0.4) / self.width
        return -10 / self.width * tanh(z) / cosh(z) ** 2

    def g(self, q, v, lam, psi, t):
        return self.potential_dq(q)

    def potential(self, q):
        return self.weight * q[1] + 5 / cosh((q[0] - 0.4) / self.width) ** 2

    def potential_dq(self, q):
        return array([self.slope(q[0]), self.weight])


class PendulumMassless(Pendulum):
    """The angle as a third, massless coordinate (ACB-R Sec. 4)."""
    group, m = Group(("rn", 3)), 2

    def initial(self, x0=0.2):
        q, v = super().initial(x0)
        return array([*q, np.arcsin(q[0])]), array([*v, v[0] / -q[1]])

    def mass(self, q, t):
        return diag([1.0, 1, 0])

    def g(self, q, v, lam, psi, t):
        return self.potential_dq(q)

    def phi(self, q, t):
        return array([q[0] - sin(q[2]), q[1] + cos(q[2])])

    def potential_dq(self, q):
        return array([0, self.weight, 0])


class HeavyTop(System):
    """ACB15 Sec. 5, (62); body frame, or with side "right" the inertial one (experiment SPATIAL)."""
    m, weight = 3, 15.0
    inertia = diag([0.234375, 0.46875, 0.234375])
    gravity, arm = array([0, 0, -9.81]), array([0.0, 1, 0])

    def __init__(self, side="left"):
        self.side, self.group = side, Group(("r3so3", side))

    def initial(self):
        spin = array([0, 150, -4.61538])  # R = I: the same in both frames
        return concatenate([self.arm, eye(3).ravel()]), concatenate([cross(spin, self.arm), spin])

    def turned(self, q):
        r = q[3:].reshape(3, 3)
        return self.inertia if self.side == "left" else r @ self.inertia @ r.T

    def mass(self, q, t):
        out = zeros((6, 6), dtype=np.result_type(q, float))
        out[:3, :3], out[3:, 3:] = self.weight * eye(3), self.turned(q)
        return out

    def g(self, q, v, lam, psi, t):
        w = v[3:]
        return concatenate([-self.weight * self.gravity, cross(w, self.turned(q) @ w)])

    def phi(self, q, t):
        return q[3:].reshape(3, 3) @ self.arm - q[:3]

    def potential(self, q):
        return -self.weight * self.gravity @ q[:3]

    def potential_dq(self, q):
        return concatenate([-self.weight * self.gravity, zeros(3)])

    def bias(self, q, v, t):
        """As in System, within a circle of time that is small against a turn."""
        return second_derivative(lambda s: self.phi(self.group.update(q, s * v), t + s), 2e-3)


class Oscillator(System):
    group = Group(("rn", 1))

    def initial(self, damping=0.0):
        self.damping = damping
        return array([1.0]), array([0.0])

    def mass(self, q, t):
        return eye(1)

    def g(self, q, v, lam, psi, t):
        return q + self.damping * v


class FreeBody(System):
    group = Group(("so3", "left"))

    def initial(self):
        return eye(3).ravel(), array([0.3, 0.2, 2.0])

    def mass(self, q, t):
        return diag([1.0, 2, 3])

    def g(self, q, v, lam, psi, t):
        return cross(v, self.mass(q, t) @ v)


class SteadyBody(FreeBody):
    """Kept turning as fast as at the start; not in the catalogue, but lab/papers/steady_body.c."""
    l, spin = 1, array([0.9, 0.5, 1.4])

    def initial(self):
        return eye(3).ravel(), self.spin

    def k(self, q, v, t):
        return array([(v @ v - self.spin @ self.spin) / 2])


class Jay1(System):
    """Jay11 (7.1)."""
    group, l, adds_reaction = Group(("rn", 2)), 1, False

    def initial(self):
        return array([1.0, 1.0]), array([1.0, -2.0])

    def mass(self, q, t):
        return array([[q[0], q[1] - exp(-2 * t)], [sin(q[0] - exp(t)), q[0] * q[1]]])

    def g(self, q, v, lam, psi, t):
        (y1, y2), (z1, z2), p = q, v, psi[0]
        return -array([exp(t) * (y1 * z2 + 2 * y2 * z1) + exp(2 * t) * y1 * p,
                       exp(-t) * (y2 * z2 / 2 - 2 * y1 * z1 * y2 * z2 + y2 * p ** 2)])

    def k(self, q, v, t):
        return array([v[0] ** 2 * v[1] + 6 * q[0] * q[1] * v[0] - 4])


class Jn1(System):
    """JN07 Sec. 5.1."""
    group, m, adds_reaction = Group(("rn", 2)), 1, False

    def initial(self):
        return array([1.0, 1.0]), array([1.0, -2.0])

    def mass(self, q, t):
        return eye(2)

    def g(self, q, v, lam, psi, t):
        (y1, y2), (z1, z2), p = q, v, lam[0]
        return -array([y1 * z2 + 2 * y2 * z1 + exp(t) * y1 * p,
                       y2 * z2 / 2 - 2 * y1 * z1 * y2 * z2 + y2 * p ** 2])

    def phi(self, q, t):
        return array([q[0] ** 2 * q[1] - 1])


class Jn2(System):
    """JN07 Sec. 5.2."""
    group, m = Group(("rn", 3)), 2
    length, stiffness, rest, weight = 2.0, 3000.0, 3 * np.pi / 2, 5 * 9.81

    def initial(self, c=100.0):
        self.damping = c
        angle, rate = self.rest, 10.0
        return (array([self.length * cos(angle), self.length * sin(angle), angle]),
                rate * array([-self.length * sin(angle), self.length * cos(angle), 1]))

    def mass(self, q, t):
        return diag([5, 5, 5 * self.length ** 2 / 3])

    def g(self, q, v, lam, psi, t):
        return self.potential_dq(q) + array([0, 0, self.damping * v[2]])

    def phi(self, q, t):
        return array([q[0] - self.length * cos(q[2]), q[1] - self.length * sin(q[2])])

    def potential(self, q):
        return self.weight * q[1] + self.stiffness / 2 * (q[2] - self.rest) ** 2

    def potential_dq(self, q):
        return array([0, self.weight, self.stiffness * (q[2] - self.rest)])


class TwoParticles(System):
    """GO10 Sec. 6."""
    group, m = Group(("rn", 2)), 1

    def initial(self):
        return array([0.0, 1.0]), array([1.0, 0.0])

    def mass(self, q, t):
        return diag([1.0, 0.1])

    def g(self, q, v, lam, psi, t):
        return zeros(2)

    def phi(self, q, t):
        return array([q[0] ** 2 + q[1] ** 2 - 1])

    def potential(self, q):
        return 0.0

    def potential_dq(self, q):
        return zeros(2)


class RollingDisk(System):
    """Jay11 (7.2), from the printed Lagrangian: q = (x, y, lean, heading, spin)."""
    group, l = Group(("rn", 5)), 2
    weight, radius, i1, i2, gravity = 2.0, 1.0, 2.0, 2.0, 10.0

    def initial(self):
        q, v = array([0.1, 0, 0.3, 0, 1]), array([0, 0, 0.02, -0.02, 0.1])
        v[:2] = self.radius * v[4] * array([cos(q[3]), sin(q[3])])
        return q, v

    def mass(self, q, t):
        """The second derivatives of T."""
        (_, _, lean, heading, _), m, r = q, self.weight, self.radius
        out = zeros((5, 5), dtype=np.result_type(q, float))
        out[0, 0] = out[1, 1] = m
        out[2, 2] = m * r ** 2 + self.i1
        out[3, 3] = (m * r ** 2 + self.i2) * sin(lean) ** 2 + self.i1 * cos(lean) ** 2
        out[4, 4] = self.i2
        out[3, 4] = out[4, 3] = self.i2 * sin(lean)
        out[0, 2] = out[2, 0] = -m * r * cos(lean) * sin(heading)
        out[1, 2] = out[2, 1] = m * r * cos(lean) * cos(heading)
        out[0, 3] = out[3, 0] = -m * r * sin(lean) * cos(heading)
        out[1, 3] = out[3, 1] = -m * r * sin(lean) * sin(heading)
        return out

    def g(self, q, v, lam, psi, t):
        """d/dt (M v) - dL/dq where v' = 0."""
        moved = rates(lambda z: self.mass(z, t), q, v) @ v
        slope = array([rates(lambda z: v @ self.mass(z, t) @ v / 2 - self.height(z), q, e)
                       for e in eye(5)])
        return moved - slope

    def height(self, q):
        return self.weight * self.gravity * self.radius * cos(q[2])

    def k(self, q, v, t):
        return v[:2] - self.radius * v[4] * array([cos(q[3]), sin(q[3])])


class Skate(System):
    """A knife edge on an incline."""
    group, l, slope = Group(("rn", 3)), 1, 9.81 * sin(np.pi / 6)

    def initial(self, v0=0.0):
        return zeros(3), array([v0, 0, 2.0])

    def mass(self, q, t):
        return diag([1, 1, 0.3])

    def g(self, q, v, lam, psi, t):
        return array([-self.slope, 0, 0])

    def k(self, q, v, t):
        return array([v[0] * sin(q[2]) - v[1] * cos(q[2])])


class Sleigh(System):
    """Chaplygin's sleigh; q = (x, y, theta) of the edge."""
    group, l, inertia, ahead = Group(("rn", 3)), 1, 0.5, 0.4

    def initial(self):
        return zeros(3), array([0.2, 0, 1.5])

    def mass(self, q, t):
        x, y = -self.ahead * sin(q[2]), self.ahead * cos(q[2])
        return array([[1, 0, x], [0, 1, y], [x, y, self.inertia + self.ahead ** 2]])

    def g(self, q, v, lam, psi, t):
        return -self.ahead * v[2] ** 2 * array([cos(q[2]), sin(q[2]), 0])

    def k(self, q, v, t):
        return array([v[1] * cos(q[2]) - v[0] * sin(q[2])])


class DiskOnPlatform(System):
    """A disk that rolls on a platform that shakes, R3 x SO(3): both kinds of constraints."""
    group, m, l = Group(("r3so3", "left")), 1, 2

    def platform(self, t):
        return array([0.2 * sin(3 * t), 0.1 * sin(5 * t), 0.05 * sin(4 * t)])

    def platform_speed(self, t):
        return array([0.6 * cos(3 * t), 0.5 * cos(5 * t), 0.2 * cos(4 * t)])

    def contact(self, r):
        """From the point of contact to the centre, in the body, and the cosine of the lean."""
        c = sqrt(r[2, 0] ** 2 + r[2, 2] ** 2)
        return array([r[2, 0] / c, 0, r[2, 2] / c]), c

    def initial(self):
        """Leaning 0.3 to the left, heading 0.2; lean and heading change at 0.1 and 0.5, and the
        disk turns at 3 about its axle."""
        lean, heading = 0.3, 0.2
        rz = array([[cos(heading), -sin(heading), 0], [sin(heading), cos(heading), 0], [0, 0, 1]])
        rx = array([[1, 0, 0], [0, cos(lean), sin(lean)], [0, -sin(lean), cos(lean)]])
        r = rz @ rx
        spin = array([-0.1, 0, 0]) + r.T @ array([0, 0, 0.5])
        spin[1] += 3.0
        u, _ = self.contact(r)
        speed = self.platform_speed(0.0) + r @ cross(spin, u)
        return concatenate([r @ u, r.ravel()]), concatenate([speed, spin])

    def mass(self, q, t):
        return diag([1, 1, 1, 0.25, 0.5, 0.25])

    def g(self, q, v, lam, psi, t):
        w = v[3:]
        return concatenate([[0, 0, 9.81], cross(w, array([0.25, 0.5, 0.25]) * w)])

    def phi(self, q, t):
        _, c = self.contact(q[3:].reshape(3, 3))
        return array([q[2] - self.platform(t)[2] - c])

    def k(self, q, v, t):
        r = q[3:].reshape(3, 3)
        u, _ = self.contact(r)
        return (v[:3] - self.platform_speed(t) - r @ cross(v[3:], u))[:2]


class HeavyTopSpatial(HeavyTop):
    def __init__(self):
        super().__init__("right")


PROBLEMS = {"pendulum": Pendulum, "driven_pendulum": DrivenPendulum,
            "friction_slider": FrictionSlider,
            "wall_pendulum": WallPendulum, "pendulum_massless": PendulumMassless,
            "heavy_top": HeavyTop, "heavy_top_spatial": HeavyTopSpatial, "oscillator": Oscillator,
            "free_body": FreeBody, "steady_body": SteadyBody, "jay1": Jay1, "jn1": Jn1, "jn2": Jn2,
            "two_particles": TwoParticles, "rolling_disk": RollingDisk, "skate": Skate,
            "chaplygin_sleigh": Sleigh, "disk_on_platform": DiskOnPlatform}
