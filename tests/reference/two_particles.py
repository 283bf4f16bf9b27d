#!/usr/bin/python3
"""The two particles of GO10, Sec. 6, by its conserving scheme (14) and projections (4): written from
the paper alone, with a Newton iteration of its own. Prints the numbers that lab/papers/two.c and
lab/papers/two_p.c compare with."""
import numpy as np

MASS = np.diag([1.0, 0.1])
WEIGHT = np.diag([15.0, 1.0])


def step(q, v, h):
    """M (v1 - v) + h lambda Phi_q((q + q1) / 2)^T = 0, Phi(q1) = 0; Phi = q^T q - 1."""
    x = np.array([v[0], v[1], 0.0])
    for _ in range(60):
        q1 = q + h / 2 * (v + x[:2])
        middle = q + q1
        residual = np.append(MASS @ (x[:2] - v) + h * x[2] * middle, q1 @ q1 - 1)
        if np.abs(residual).max() < 4e-16:
            break
        matrix = np.zeros((3, 3))
        matrix[:2, :2] = MASS + h * h / 2 * x[2] * np.eye(2)
        matrix[:2, 2] = h * middle
        matrix[2, :2] = h * q1
        x = x - np.linalg.solve(matrix, residual)
    if np.abs(residual).max() > 1e-14:
        raise ArithmeticError("no solution of the step")
    return q1, x[:2], x[2]


def project(q, v, matrix, penalty):
    """(4)"""
    row = 2 * q
    return np.linalg.solve(matrix + penalty * np.outer(row, row), matrix @ v)


def run(h, end, matrix=None, penalty=0.0):
    """t, q, v, lambda of the step, E"""
    q, v = np.array([0.0, 1.0]), np.array([1.0, 0.0])
    path = [(0.0, q, v, np.nan, 0.5)]
    for n in range(round(end / h)):
        q, v, load = step(q, v, h)
        if matrix is not None:
            v = project(q, v, matrix, penalty)
        path.append(((n + 1) * h, q, v, load, v @ MASS @ v / 2))
    return path


def largest_velocity_constraint(path):
    return max(abs(2 * q @ v) for _, q, v, _, _ in path)


def kappa():
    """Of v = (1, s) with v^T D v = 0 for W and alpha = 1 at q = (0.6, 0.8), D by (15), (16): the root
    s that is not -q1 / q2, over -q1 / q2."""
    q = np.array([0.6, 0.8])
    p = np.eye(2) + np.linalg.solve(WEIGHT, np.outer(2 * q, 2 * q))
    d = (np.eye(2) + p).T @ MASS @ (np.eye(2) - p) / 2
    d = (d + d.T) / 2
    roots = np.roots([d[1, 1], 2 * d[0, 1], d[0, 0]])
    ratios = sorted(roots / (-q[0] / q[1]))
    assert abs(ratios[1] - 1) < 1e-12
    return ratios[0]


def main():
    path = run(0.04, 10)
    print("dt = 0.04: q1(10) %.8f v2(10) %.8f max velocity constraint %.8f"
          % (path[-1][1][0], path[-1][2][1], largest_velocity_constraint(path)))
    path = run(0.1, 10)
    print("dt = 0.1: reaches %.1f, q1(5.3) %.7f, lambda of the step to 5.3 %.6f"
          % (path[-1][0], path[53][1][0], path[53][3]))
    for name, matrix, penalty in (("M", MASS, 1), ("W", WEIGHT, 1), ("W", WEIGHT, 20)):
        path = run(0.1, 50, matrix, penalty)
        energy = [x[4] for x in path]
        print("A = %s, alpha = %g: E(10) %.8f, E/E0 at 35.4 %.3f, 35.5 %.3f, 50 %.8f; to t = 10 max "
              "velocity constraint %.7f" % (name, penalty, energy[100], energy[354] / 0.5,
                                            energy[355] / 0.5, energy[500] / 0.5,
                                            largest_velocity_constraint(path[:101])))
    print("kappa %.3f" % kappa())


if __name__ == "__main__":
    main()
