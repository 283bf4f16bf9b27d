"""Tsitouras' explicit Runge-Kutta formula of order 5 (Comput. Math. Appl. 62, 2011) applied to
T(w) w' = v, v' = accelerations by ACB15 (7), as docs/methods/rk5.md says it; then q and v are
drawn back onto the constraints with the matrix of the last stage's accelerations and multipliers,
derivatives of friction included."""
from dataclasses import replace

import numpy as np

from numerics import complex_step
from state import start

C = [0, 0.161, 0.327, 0.9, 0.9800255409045097, 1]
A = [[],
     [0.161],
     [-0.008480655492356989, 0.335480655492357],
     [2.8971530571054935, -6.359448489975075, 4.3622954328695815],
     [5.325864828439257, -11.748883564062828, 7.4955393428898365, -0.09249506636175525],
     [5.86145544294642, -12.92096931784711, 8.159367898576159, -0.071584973281401,
      -0.028269050394068383]]
B = [0.09646076681806523, 0.01, 0.4798896504144996, 1.379008574103742, -3.290069515436081,
     2.324710524099774]


def tangent_inverse(group, w, v):
    """T(w)^-1 v, T(w) = sum (-ad w)^j / (j + 1)!."""
    ad = np.array([group.bracket(w, e) for e in np.eye(group.dof)]).T
    total, term = np.zeros_like(ad), np.eye(group.dof)
    for j in range(1, 25):
        total, term = total + term, -term @ ad / (j + 1)
    return np.linalg.solve(total, v)


class Rk5:
    def __init__(self, system, case, params):
        self.system = system

    def start(self, t, q, v, h):
        return start(self.system, t, q, v, h, {"start": "plain"}, 0, 0, False)

    def step(self, s, h):
        system, group = self.system, self.system.group
        lam, psi, rates = s.lam, s.psi, []
        for c, row in zip(C, A):
            w = h * sum((a * k[0] for a, k in zip(row, rates)), np.zeros(group.dof))
            v = s.v + h * sum((a * k[1] for a, k in zip(row, rates)), np.zeros(group.dof))
            last = group.update(s.q, w), v, s.t + c * h
            vdot, lam, psi = system.acceleration(*last, lam, psi)
            rates.append((tangent_inverse(group, w, v), vdot))
        q = group.update(s.q, h * sum(b * k[0] for b, k in zip(B, rates)))
        v, t = s.v + h * sum(b * k[1] for b, k in zip(B, rates)), s.t + h
        q, v = self.draw_back(q, v, t, (*last, np.concatenate([lam, psi])))
        vdot, lam, psi = system.acceleration(q, v, t, lam, psi)
        return replace(s, t=t, q=q, v=v, vdot=vdot, a=vdot, lam=lam, psi=psi)

    def draw_back(self, q, v, t, last):
        system = self.system
        if system.m + system.l == 0:
            return q, v
        place, speed, time, loads = last
        rows = np.vstack([system.b(place, time), system.kv(place, speed, time)])
        friction = complex_step(lambda x: system.g(place, speed, x[:system.m], x[system.m:], time),
                                loads)
        inverse = np.linalg.inv(np.block([[system.mass(place, time), rows.T + friction],
                                          [rows, np.zeros((len(rows), len(rows)))]]))
        n = len(v)
        for _ in range(12 if system.m else 0):
            residual = np.concatenate([system.phi(q, t), np.zeros(system.l)])
            q = system.group.update(q, -inverse[:n, n:] @ residual)
        for _ in range(12):
            hidden = system.hidden(q, v, t) if system.m else np.zeros(0)
            v = v - inverse[:n, n:] @ np.concatenate([hidden, system.k(q, v, t)])
        return q, v

    def change(self, s, ratio):
        return s
