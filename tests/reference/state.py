"""What a scheme carries from step to step, and starting values (ACB15 Sec. 4.2)."""
from dataclasses import dataclass, field, replace

import numpy as np


@dataclass
class State:
    t: float
    q: np.ndarray
    v: np.ndarray
    vdot: np.ndarray
    a: np.ndarray
    lam: np.ndarray
    psi: np.ndarray
    eta: np.ndarray
    stage: np.ndarray = field(default_factory=lambda: np.zeros(0))  # multipliers of the step's own
    own: dict = field(default_factory=dict)  # other numbers of the scheme


def local_error(group, cq, h, v, vdot, jerk, commutator):
    """l^q of ACB15 (17) to its leading order; without the commutator where the update has it."""
    bracket = group.bracket(v, vdot) / 2 if commutator else 0
    return h ** 3 / 6 * (cq * jerk + bracket)


def least_change(system, q, t, v, target):
    """The change of v, smallest in the norm of the mass, by which B v changes by `target` and
    K v not at all: (56) and the linear system below it."""
    rows = np.vstack([system.b(q, t), system.kv(q, v, t)])
    mass, size = system.mass(q, t), len(rows)
    matrix = np.block([[mass, rows.T], [rows, np.zeros((size, size))]])
    right = np.concatenate([np.zeros(len(mass)), target, np.zeros(size - len(target))])
    return np.linalg.solve(matrix, right)[:len(mass)]


def jerk(system, q, v, t, vdot, lam, psi, h, difference):
    """v''(t) by differences along the parabola through the initial values: "central" (s = 1) or
    "forward" (s = 0.01)."""
    def near(e):
        qe = system.group.update(q, e * v + e ** 2 * vdot / 2)
        return system.acceleration(qe, v + e * vdot, t + e, lam, psi)[0]

    if difference == "central":
        return (near(h) - near(-h)) / (2 * h)
    return (near(0.01 * h) - vdot) / (0.01 * h)


def start(system, t, q, v, h, case, shift, cq, moves_velocity, more=None):
    """Values at the start: plain; (57) alone, with a_0 = v' + shift h v''; (56) too where the
    scheme moves the velocity. `more`: what the scheme's update adds to 6 l^q / h^3."""
    vdot, lam, psi = system.acceleration(q, v, t)
    s = State(t, q, v, vdot, vdot.copy(), lam, psi, np.zeros(system.m))
    kind = case.get("start", "perturbed")
    if kind == "plain":
        return s
    jump = jerk(system, q, v, t, vdot, lam, psi, h, case.get("difference", "central"))
    s = replace(s, a=vdot + shift * h * jump)
    if moves_velocity and system.m and kind != "acceleration":
        error = local_error(system.group, cq, h, v, vdot, jump, case.get("update") != "magnus")
        if more:
            error = error + h ** 3 / 6 * more(v, vdot)
        s = replace(s, v=v + least_change(system, q, t, v, system.b(q, t) @ error / h))
    return s
