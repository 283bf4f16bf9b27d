"""Lie groups with matrix exponentials: products of R^n, SO(3), R3 x SO(3), R3 x S3 and SE(3).

A factor is (kind, side) or ("rn", n); elements are stored as flat arrays (matrices row by row,
quaternions w, x, y, z). All functions take complex arguments, so that derivatives can be had by
complex steps. "left": q' = q v~, velocity in the body frame; "right": q' = v~ q.
"""
import numpy as np
from scipy.linalg import expm

SIZE = {"so3": 9, "r3so3": 12, "r3s3": 7, "se3": 12}
DOF = {"so3": 3, "r3so3": 6, "r3s3": 6, "se3": 6}


def hat(w):
    zero = 0 * w[0]
    return np.array([[zero, -w[2], w[1]], [w[2], zero, -w[0]], [-w[1], w[0], zero]])


def quaternion_product(a, b):
    return np.concatenate([[a[0] * b[0] - a[1:] @ b[1:]],
                           a[0] * b[1:] + b[0] * a[1:] + np.cross(a[1:], b[1:])])


def rotation(p):
    """The rotation matrix of a unit quaternion."""
    cross = hat(p[1:])
    return np.eye(3) + 2 * p[0] * cross + 2 * cross @ cross


def quaternion_exp(w):
    """From the exponential of the matrix of left multiplication by (0, w/2)."""
    m = np.zeros((4, 4), dtype=np.result_type(w, float))
    m[0, 1:], m[1:, 0], m[1:, 1:] = -w / 2, w / 2, hat(w / 2)
    return expm(m)[:, 0]


def motion(q):
    """The 4 x 4 matrix of x, R."""
    return np.block([[q[3:].reshape(3, 3), q[:3, None]], [np.array([[0, 0, 0, 1]])]])


def twist(w):
    """The 4 x 4 matrix of a velocity of SE(3)."""
    return np.block([[hat(w[3:]), w[:3, None]], [np.zeros((1, 4))]])


def numbers(m):
    """x, R of a 4 x 4 matrix."""
    return np.concatenate([m[:3, 3], m[:3, :3].ravel()])


class Group:
    def __init__(self, *factors):
        self.factors = factors
        self.size = sum(f[1] if f[0] == "rn" else SIZE[f[0]] for f in factors)
        self.dof = sum(f[1] if f[0] == "rn" else DOF[f[0]] for f in factors)

    def parts(self):
        """(kind, side, slice of q, slice of v) of the linear and rotational parts, SE(3) whole."""
        i = j = 0
        for kind, side in self.factors:
            if kind == "se3":
                yield kind, side, slice(i, i + 12), slice(j, j + 6)
                i, j = i + 12, j + 6
                continue
            linear = side if kind == "rn" else 0 if kind == "so3" else 3
            if linear:
                yield "rn", None, slice(i, i + linear), slice(j, j + linear)
                i, j = i + linear, j + linear
            if kind != "rn":
                n = 4 if kind == "r3s3" else 9
                yield ("s3" if n == 4 else "so3"), side, slice(i, i + n), slice(j, j + 3)
                i, j = i + n, j + 3

    def update(self, q, w):
        """q exp(w~), or exp(w~) q."""
        out = np.array(q, dtype=np.result_type(q, w, float))
        for kind, side, a, b in self.parts():
            if kind == "rn":
                out[a] = q[a] + w[b]
            elif kind == "se3":
                m, e = motion(q[a]), expm(twist(w[b]))
                out[a] = numbers(m @ e if side == "left" else e @ m)
            elif kind == "so3":
                r, e = q[a].reshape(3, 3), expm(hat(w[b]))
                out[a] = (r @ e if side == "left" else e @ r).ravel()
            else:
                e = quaternion_exp(w[b])
                out[a] = quaternion_product(q[a], e) if side == "left" else \
                    quaternion_product(e, q[a])
        return out

    def tangent(self, q, w):
        """The derivative of update(q, s w) by s at s = 0, as numbers."""
        out = np.array(q, dtype=np.result_type(q, w, float))
        for kind, side, a, b in self.parts():
            if kind == "rn":
                out[a] = w[b]
            elif kind == "se3":
                m, e = motion(q[a]), twist(w[b])
                out[a] = numbers(m @ e if side == "left" else e @ m)
            elif kind == "so3":
                r, e = q[a].reshape(3, 3), hat(w[b])
                out[a] = (r @ e if side == "left" else e @ r).ravel()
            else:
                e = np.concatenate([[0 * w[b][0]], w[b] / 2])
                out[a] = quaternion_product(q[a], e) if side == "left" else \
                    quaternion_product(e, q[a])
        return out

    def bracket(self, x, y):
        """[x~, y~] as a vector; of opposite sign on the right."""
        out = np.zeros(self.dof)
        for kind, side, _, b in self.parts():
            sign = 1 if side == "left" else -1
            if kind == "se3":
                a, c = twist(x[b]), twist(y[b])
                m = sign * (a @ c - c @ a)
                out[b] = np.concatenate([m[:3, 3], [m[2, 1], m[0, 2], m[1, 0]]])
            elif kind != "rn":
                out[b] = sign * np.cross(x[b], y[b])
        return out
