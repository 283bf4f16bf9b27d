"""Projection of positions, ACB-R (6), velocities, (7) and GO10 (2), (4), and accelerations, GO10
(6), (7), in the norm of A: exactly, or by penalty."""
from dataclasses import dataclass, replace
from typing import Optional

import numpy as np

from numerics import complex_step, newton
from state import local_error


@dataclass
class Projection:
    level: str = "both"  # position, velocity, both
    target: str = "zero"  # settled: docs/methods/projection.md, PROJ-2
    matrix: Optional[np.ndarray] = None  # None: the mass
    penalty: float = 0.0  # 0: exact; augmented Lagrangian has the same solution
    acceleration: bool = False
    tangent: Optional[tuple] = None  # weights of C and K: A = M + C_D C + C_K K
    loads: Optional[tuple] = None  # lambda and psi, for friction in the tangent norm
    own: Optional["Projection"] = None  # for accelerations (GO10 footnote 1)


def symmetric(a):
    return (a + a.T) / 2


def norm_at(system, p, q, v, t):
    """A: given, the mass, or the tangent norm (GO10 Sec. 1), C of the part of g that is odd in v,
    K at rest, both without B^T lambda and K^T psi."""
    if p.matrix is not None:
        return p.matrix
    mass = system.mass(q, t)
    if p.tangent is None:
        return mass
    loads = p.loads or (np.zeros(system.m), np.zeros(system.l))
    damping = [complex_step(lambda z: system.g(q, z, *loads, t), sign * v) for sign in (1, -1)]
    rest = np.zeros(len(v))
    stiffness = np.array([system.along(lambda x, s: system.g(x, rest, *loads, s), q, t, e, 0)
                          for e in np.eye(len(v))]).T
    return mass + p.tangent[0] * symmetric(sum(damping) / 2) + p.tangent[1] * symmetric(stiffness)


def constrained(norm, rows, residual, penalty):
    """d with d^T A d smallest and rows d + residual = 0; or, of d^T A d + penalty |...|^2."""
    size = len(residual)
    corner = -np.eye(size) / penalty if penalty else np.zeros((size, size))
    matrix = np.block([[norm, rows.T], [rows, corner]])
    solution = np.linalg.solve(matrix, np.concatenate([np.zeros(len(norm)), -residual]))
    return solution[:len(norm)], solution[len(norm):]


def project_position(system, p, q, v, t):
    norm = norm_at(system, p, q, v, t)
    n, group = len(norm), system.group

    def residual(x):
        d, mu = x[:n], x[n:]
        rows = complex_step(lambda z: system.phi(group.update(q, z), t), d)
        phi = system.phi(group.update(q, d), t)
        return np.concatenate([norm @ d + rows.T @ mu, phi - (mu / p.penalty if p.penalty else 0)])

    return group.update(q, newton(residual, np.zeros(n + system.m))[:n])


def project_velocity(system, p, q, v, t, target):
    norm = norm_at(system, p, q, v, t)
    # k may be nonlinear in v: repeated, with the multipliers of the first change kept
    n, m, l = len(norm), system.m, system.l

    def residual(x):
        d, mu = x[:n], x[n:]
        rows = np.vstack([system.b(q, t), system.kv(q, v + d, t)])
        hidden = system.hidden(q, v + d, t) - target if m else np.zeros(0)
        wanted = np.concatenate([hidden, system.k(q, v + d, t)])
        slack = mu / p.penalty if p.penalty else 0
        return np.concatenate([norm @ d + rows.T @ mu, wanted - slack])

    return v + newton(residual, np.zeros(n + m + l))[:n]


def project_acceleration(system, p, q, v, t, vdot):
    """Returns v' and the multipliers."""
    norm = norm_at(system, p, q, v, t)
    rows = np.vstack([system.b(q, t), system.kv(q, v, t)])
    bias = np.concatenate([system.bias(q, v, t), system.k_bias(q, v, t)])
    d, mu = constrained(norm, rows, rows @ vdot + bias, p.penalty)
    return vdot + d, mu


def after_step(system, p, before, s, h, cq, commutator):
    """A step's state projected."""
    q, v, target = s.q, s.v, np.zeros(system.m)
    p = replace(p, loads=(s.lam, s.psi))
    if p.level in ("position", "both"):
        q = project_position(system, p, q, v, s.t)
    if p.level in ("velocity", "both"):
        if p.target == "settled":
            error = local_error(system.group, cq, h, v, s.vdot, (s.vdot - before.vdot) / h,
                                commutator)
            target = system.b(q, s.t) @ error / h
        v = project_velocity(system, p, q, v, s.t, target)
    s = replace(s, q=q, v=v)
    if p.acceleration:
        how = p.own or p
        vdot, mu = project_acceleration(system, how, q, v, s.t, s.vdot)
        s = replace(s, a=s.a + vdot - s.vdot, vdot=vdot)
        if how.matrix is None and how.tangent is None:
            s = replace(s, lam=s.lam + mu[:system.m], psi=s.psi + mu[system.m:])
    return s
