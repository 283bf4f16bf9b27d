#!/usr/bin/python3
"""The pendulum of ACB15, Example 1, by (9) with each of its starting values: written from the paper
alone, with a Newton iteration of its own. Prints tests/data/pendulum_starts.def:

ROW(start, difference, step, n, lambda_n): rho_infinity = 0.9, x_0 = 0.2.

With the argument `papers` it prints the numbers that lab/papers/pend.c compares with."""
import sys

import numpy as np
from scipy.integrate import solve_ivp

GRAVITY = 9.81
RHO = 0.9
ALPHA_M = (2 * RHO - 1) / (RHO + 1)  # (52)
ALPHA_F = RHO / (RHO + 1)
GAMMA = 0.5 + ALPHA_F - ALPHA_M
BETA = 0.25 * (GAMMA + 0.5) ** 2
SHIFT = ALPHA_M - ALPHA_F  # Delta_alpha


def initial(x):
    """q and v of energy 1/2 - g."""
    y = -np.sqrt(1 - x * x)
    speed = np.sqrt(2 * (0.5 - GRAVITY - GRAVITY * y))
    return np.array([x, y]), speed * np.array([-y, x])


def consistent(q, v):
    """(7)"""
    matrix = np.array([[1, 0, q[0]], [0, 1, q[1]], [q[0], q[1], 0]])
    x = np.linalg.solve(matrix, [0, -GRAVITY, -(v @ v)])
    return x[:2], x[2]


def start_values(start, difference, h):
    q, v = initial(0.2)
    vdot, load = consistent(q, v)
    if start == "PLAIN":
        return q, v, vdot, vdot, load

    def ahead(offset):
        place = q + offset * v + 0.5 * offset**2 * vdot
        return consistent(place, v + offset * vdot)[0]

    if difference == "CENTRAL":  # s = 1
        jerk = (ahead(h) - ahead(-h)) / (2 * h)
    else:  # s = 0.01
        jerk = (ahead(0.01 * h) - vdot) / (0.01 * h)
    a = vdot + SHIFT * h * jerk  # (57)
    if start == "PERTURBED":  # (56) with (17)
        local = h**2 / 6 * (1 - 6 * BETA - 3 * SHIFT) * jerk
        v = v + q * (q @ local) / (q @ q)
    return q, v, vdot, a, load


def step(q, v, vdot, a, load, h):
    """(9); unknowns v'_{n+1} and lambda_{n+1}."""
    share = (1 - ALPHA_F) / (1 - ALPHA_M)
    slope = BETA * h * h * share
    new, force = vdot, load
    for _ in range(50):
        a1 = ((1 - ALPHA_F) * new + ALPHA_F * vdot - ALPHA_M * a) / (1 - ALPHA_M)
        q1 = q + h * (v + (0.5 - BETA) * h * a + BETA * h * a1)
        rest = np.append(new + q1 * force + [0, GRAVITY], (q1 @ q1 - 1) / 2 / slope)
        stiff = 1 + slope * force
        matrix = np.array([[stiff, 0, q1[0]], [0, stiff, q1[1]], [q1[0], q1[1], 0]])
        d = np.linalg.solve(matrix, -rest)
        new, force = new + d[:2], force + d[2]
        if max(abs(d)) < 1e-11:
            break
    else:
        raise RuntimeError("no convergence")
    a1 = ((1 - ALPHA_F) * new + ALPHA_F * vdot - ALPHA_M * a) / (1 - ALPHA_M)
    q1 = q + h * (v + (0.5 - BETA) * h * a + BETA * h * a1)
    return q1, v + h * ((1 - GAMMA) * a + GAMMA * a1), new, a1, force


def loads(start, difference, h, end):
    state, out = start_values(start, difference, h), []
    for _ in range(round(end / h)):
        state = step(*state, h)
        out.append(state[4])
    return np.array(out)


def exact(h, end):
    q, v = initial(0.2)
    t = h * np.arange(1, round(end / h) + 1)
    y = solve_ivp(lambda _, y: [y[1], -GRAVITY * np.sin(y[0])], (0, end + h),
                  [np.arcsin(q[0]), v @ [-q[1], q[0]]], "DOP853", t_eval=t, rtol=1e-13,
                  atol=1e-13).y
    return y[1] ** 2 + GRAVITY * np.cos(y[0])


def papers():
    for h in (2e-2, 1e-2, 5e-3):
        truth = exact(h, 2)
        plain, late = loads("PLAIN", "CENTRAL", h, 2), loads("ACCELERATION", "CENTRAL", h, 2)
        cured = loads("PERTURBED", "CENTRAL", h, 2)
        cheap = loads("PERTURBED", "FORWARD", h, 2)
        print(f"h {h}")
        for name, run in (("plain", plain), ("(57)", late), ("central", cured), ("forward", cheap)):
            e = abs(run - truth)
            print(f"  {name}: max |e| {e.max():.7g} at n = {e.argmax() + 1}, up to n = 16 "
                  f"{e[:16].max():.7g}")
        e = abs(plain - cured)
        print(f"  plain - perturbed: {e.max():.7g}; from n = 100 on {e[99:].max():.7g}, ratio "
              f"{e[99:].max() / e.max():.6g}")
        print(f"  plain - (57): {abs(plain - late).max():.7g}; (57) - perturbed: "
              f"{abs(late - cured).max():.7g}; ratio "
              f"{abs(late - cured).max() / abs(plain - late).max():.6g}")


def residual():
    """lambda of the recursion (45), (46) after Phi(q_N) = theta in one step, times h^2 / theta."""
    plus = np.array([[0, 0, -BETA], [1, 0, -GAMMA], [0, 1 - ALPHA_F, 1 - ALPHA_M]])
    zero = np.array([[1, 0, 0.5 - BETA], [1, 0, 1 - GAMMA], [0, -ALPHA_F, -ALPHA_M]])
    e, largest = np.zeros(3), 0.0
    for n in range(200):
        second = (1, -2, 1)[n] if n < 3 else 0  # h^2 D_2 / theta
        e = np.linalg.solve(plus, zero @ e + [0, second, 0])
        largest = max(largest, abs(e[1]))
    print(f"one residual theta: max |e_lambda| h^2 / theta {largest:.7g}")


def main():
    print("/* Made by tests/reference/pendulum_starts.py. */")
    for name in ("PLAIN", "ACCELERATION", "PERTURBED"):
        for difference in ("CENTRAL", "FORWARD"):
            for h in (2e-2, 1e-2):
                state = start_values(name, difference, h)
                for n in range(1, 101):
                    state = step(*state, h)
                    if n in (1, 2, 5, 16, 50, 100):
                        print(f"ROW({name}, {difference}, {h}, {n}, {state[4]:.11f})")


if __name__ == "__main__":
    if sys.argv[1:] == ["papers"]:
        papers()
        residual()
    else:
        main()
