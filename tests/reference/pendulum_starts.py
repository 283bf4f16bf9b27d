#!/usr/bin/python3
"""The pendulum of ACB15, Example 1, by (9) with each of its starting values: written from the paper
alone, with a Newton iteration of its own. Prints tests/data/pendulum_starts.def.

ROW(start, difference, step, n, lambda_n): rho_infinity = 0.9, x_0 = 0.2."""
import numpy as np

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
    main()
