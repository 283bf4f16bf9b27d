#!/usr/bin/python3
"""The heavy top of ACB15 Sec. 5 and ACB-R by the schemes of these papers, written from them alone:
rotation matrices, a Newton iteration with differences, an ordinary differential equation as
reference. Prints the numbers that lab/papers/top_experiment.c, top_p.c and drift.c compare with.

  heavy_top.py [NAME ...]   the parts whose names begin so; all take some minutes"""
import copy
import sys

import numpy as np
from scipy.integrate import solve_ivp

MASS, X = 15.0, np.array([0.0, 1.0, 0.0])
J = np.diag([0.234375, 0.46875, 0.234375])
GAMMA_VECTOR = np.array([0.0, 0.0, -9.81])
OMEGA0 = np.array([0.0, 150.0, -4.61538])


def skew(w):
    return np.array([[0, -w[2], w[1]], [w[2], 0, -w[0]], [-w[1], w[0], 0]])


XS = skew(X)


def rotation(w):
    angle = np.sqrt(w @ w)
    s = skew(w)
    if angle < 1e-4:
        return np.eye(3) + s * (1 - angle**2 / 6) + s @ s * (0.5 - angle**2 / 24)
    return np.eye(3) + np.sin(angle) / angle * s + (1 - np.cos(angle)) / angle**2 * s @ s


class Linear:
    """R^3 x SO(3): v = (u, Omega), u in the inertial frame."""

    @staticmethod
    def update(q, w):
        return q[0] + w[:3], q[1] @ rotation(w[3:])

    @staticmethod
    def bracket(v, w):
        return np.append(np.zeros(3), np.cross(v[3:], w[3:]))

    @staticmethod
    def initial():
        return (X, np.eye(3)), np.append(-XS @ OMEGA0, OMEGA0)

    @staticmethod
    def force(q, v):
        return np.append(-MASS * GAMMA_VECTOR, np.cross(v[3:], J @ v[3:]))

    @staticmethod
    def constraint(q):
        return np.hstack([-np.eye(3), -q[1] @ XS])

    @staticmethod
    def bias(q, v):  # (B v)' at v' = 0
        w = v[3:]
        return q[1] @ np.cross(w, np.cross(w, X))


class Rigid:
    """SE(3): v = (U, Omega), U in the body frame."""

    @staticmethod
    def update(q, w):
        u, p = w[:3], w[3:]
        angle, s = np.sqrt(p @ p), skew(p)
        if angle < 1e-4:
            t = np.eye(3) + s / 2 + s @ s / 6
        else:
            t = (np.eye(3) + (1 - np.cos(angle)) / angle**2 * s
                 + (angle - np.sin(angle)) / angle**3 * s @ s)
        return q[0] + q[1] @ t @ u, q[1] @ rotation(p)

    @staticmethod
    def bracket(v, w):
        return np.append(np.cross(v[3:], w[:3]) - np.cross(w[3:], v[:3]), np.cross(v[3:], w[3:]))

    @staticmethod
    def initial():
        return (X, np.eye(3)), np.append(-XS @ OMEGA0, OMEGA0)

    @staticmethod
    def force(q, v):
        return np.append(MASS * np.cross(v[3:], v[:3]) - MASS * q[1].T @ GAMMA_VECTOR,
                         np.cross(v[3:], J @ v[3:]))

    @staticmethod
    def constraint(q):
        return q[1] @ np.hstack([-np.eye(3), -XS])

    @staticmethod
    def bias(q, v):
        return q[1] @ np.cross(v[3:], -v[:3] - XS @ v[3:])


M = np.zeros((6, 6))
M[:3, :3], M[3:, 3:] = MASS * np.eye(3), J


def phi(q):
    return -q[0] + q[1] @ X


def consistent(form, q, v):
    b = form.constraint(q)
    matrix = np.block([[M, b.T], [b, np.zeros((3, 3))]])
    x = np.linalg.solve(matrix, np.append(-form.force(q, v), -form.bias(q, v)))
    return x[:6], x[6:]


def project(form, q, v, target):
    """The velocity nearest in the mass norm with B v = target."""
    b = form.constraint(q)
    matrix = np.block([[M, b.T], [b, np.zeros((3, 3))]])
    return v + np.linalg.solve(matrix, np.append(np.zeros(6), target - b @ v))[:6]


class Scheme:
    def __init__(self, rho, h, form=Linear, method="ga3", start="perturbed", forward=False):
        self.am, self.af = (2 * rho - 1) / (rho + 1), rho / (rho + 1)
        self.gamma = 0.5 + self.af - self.am
        self.beta = 0.25 * (self.gamma + 0.5) ** 2
        self.h, self.form, self.method = h, form, method
        self.q, self.v = form.initial()
        self.vdot, self.lam = consistent(form, self.q, self.v)
        self.a, self.eta, self.n = self.vdot, np.zeros(3), 0
        if start != "plain":
            self.perturb(start, forward)

    def perturb(self, start, forward):
        form, h, shift = self.form, self.h, self.am - self.af
        q, v, vdot = self.q, self.v, self.vdot

        def ahead(o):
            return consistent(form, form.update(q, o * v + 0.5 * o * o * vdot), v + o * vdot)[0]

        jerk = ((ahead(0.01 * h) - vdot) / (0.01 * h) if forward
                else (ahead(h) - ahead(-h)) / (2 * h))
        self.a = vdot + shift * h * jerk  # (57)
        if start == "perturbed" and self.method == "ga3":
            local = h * h / 6 * ((1 - 6 * self.beta - 3 * shift) * jerk
                                 + 0.5 * form.bracket(v, vdot))  # (17)
            self.v = project(form, q, v, form.constraint(q) @ local)  # (56)

    def state(self, x):
        """q, v, a of the end of the step from v' and, of ga2s, eta."""
        h = self.h
        a = ((1 - self.af) * x[:6] + self.af * self.vdot - self.am * self.a) / (1 - self.am)
        dq = self.v + (0.5 - self.beta) * h * self.a + self.beta * h * a
        if self.method == "ga2s":
            dq = dq - self.form.constraint(self.q).T @ x[9:]
        return (self.form.update(self.q, h * dq),
                self.v + (1 - self.gamma) * h * self.a + self.gamma * h * a, a)

    def residual(self, x):
        h, form = self.h, self.form
        q, v, _ = self.state(x)
        b = form.constraint(q)
        balance = M @ x[:6] + form.force(q, v) + b.T @ x[6:9]
        if self.method == "ga3":
            return np.append(balance, phi(q) / h**2)
        if self.method == "ga2":
            return np.append(balance, b @ v / h)
        if self.method == "ga1":
            return np.append(balance, b @ x[:6] + form.bias(q, v))
        return np.concatenate([balance, phi(q) / h, b @ v / h])

    def step(self):
        x = np.concatenate([self.vdot, self.lam, self.eta if self.method == "ga2s" else []])
        r, size = self.residual(x), 1e-4 * np.maximum(1.0, abs(x))
        matrix = np.array([(self.residual(x + e * s) - self.residual(x - e * s)) / (2 * s)
                           for e, s in zip(np.eye(len(x)), size)]).T
        inverse, last = np.linalg.inv(matrix), np.inf
        for _ in range(60):
            d = inverse @ r
            x = x - d
            r = self.residual(x)
            now = max(abs(d))
            if now < 1e-9 * max(abs(x)) and now >= 0.5 * last:  # rounding
                break
            last = now
        else:
            raise RuntimeError(f"no convergence at step {self.n}: {last}")
        self.q, self.v, self.a = self.state(x)
        self.vdot, self.lam, self.n = x[:6], x[6:9], self.n + 1
        self.eta = x[9:] if self.method == "ga2s" else self.eta

    def hidden(self):
        return self.form.constraint(self.q) @ self.v


def reference(t):
    """Rotation about the fixed point; x and lambda at the times t."""
    inertia = J + MASS * (X @ X * np.eye(3) - np.outer(X, X))

    def slope(_, y):
        r, w = y[:9].reshape(3, 3), y[9:]
        moment = np.cross(X, MASS * r.T @ GAMMA_VECTOR)
        return np.append((r @ skew(w)).ravel(),
                         np.linalg.solve(inertia, moment - np.cross(w, inertia @ w)))

    y = solve_ivp(slope, (0, max(t[-1], 1e-9)), np.append(np.eye(3).ravel(), OMEGA0), "DOP853",
                  t_eval=t, rtol=3e-14, atol=1e-13, max_step=1e-3).y.T
    x, lam = [], []
    for row in y:
        r, w = row[:9].reshape(3, 3), row[9:]
        w1 = slope(0, row)[9:]
        x.append(r @ X)
        lam.append(MASS * (r @ (np.cross(w1, X) + np.cross(w, np.cross(w, X))) - GAMMA_VECTOR))
    return np.array(x), np.array(lam)


def errors(scheme, end):
    """|e_lambda|, |e_lambda3|, |e_x| and |eta| at every step."""
    steps = round(end / scheme.h)
    x, lam = reference(scheme.h * np.arange(steps + 1))
    out = []
    for n in range(1, steps + 1):
        scheme.step()
        d = lam[n] - scheme.lam
        out.append([np.sqrt(d @ d), abs(d[2]), np.linalg.norm(x[n] - scheme.q[0]),
                    np.linalg.norm(scheme.eta)])
    return np.array(out)


def transients():
    for rho in (0.9, 0.6):
        for start in ("plain", "acceleration", "perturbed"):
            for h in (1e-3, 5e-4, 2.5e-4):
                e = errors(Scheme(rho, h, start=start), 0.1 if h == 1e-3 else 0.02)
                print(f"rho {rho} {start} h {h}: max |e_lambda| {e[:, 0].max():.6g} at n = "
                      f"{e[:, 0].argmax() + 1}, e_lambda3 {e[:, 1].max():.6g} at "
                      f"{e[:, 1].argmax() + 1}")
        e = errors(Scheme(rho, 1e-3, forward=True), 0.1)
        print(f"rho {rho} perturbed, forward: max |e_lambda| {e[:, 0].max():.7g}, "
              f"e_lambda3 {e[:, 1].max():.7g}")


def stabilised():
    for h in (1e-3, 5e-4):
        e = errors(Scheme(0.9, h, method="ga2s", start="plain"), 0.1)
        print(f"ga2s plain h {h}: max |e_lambda| {e[:, 0].max():.6g}, "
              f"e_lambda3 {e[:, 1].max():.6g}")
        e = errors(Scheme(0.9, h, method="ga2s"), 1.0)
        print(f"ga2s h {h}: max |eta| on [0, 1] {e[:, 3].max():.6g}, |e_x(1)| {e[-1, 2]:.6g}")


def rigid():
    for h in (1e-3, 5e-4):
        for start in ("plain", "perturbed"):
            e = errors(Scheme(0.9, h, form=Rigid, start=start), 0.1)
            print(f"SE(3) {start} h {h}: max |e_lambda| {e[:, 0].max():.6g} at "
                  f"{e[:, 0].argmax() + 1}")


def projection():
    for h in (1e-3, 5e-4, 2.5e-4):
        s, star, steps = Scheme(0.9, h), round(0.7 / h), round(1 / h)
        _, lam = reference(h * np.arange(steps + 1))
        residual, relative, bound, change = 0.0, [], 0.0, 0.0
        for n in range(1, steps + 1):
            s.step()
            e = np.linalg.norm(lam[n] - s.lam)
            relative.append(e / np.linalg.norm(s.lam))
            if n < star:
                residual = max(residual, abs(s.hidden()[0]))
            if n > star:
                m = n - star
                bound = max(bound, e / (m * m * 0.9**m * h + h * h))
            if n == star:
                twin = copy.copy(s)  # goes on without the projection
                s.v = project(s.form, s.q, s.v, np.zeros(3))
            elif star < n <= star + 50:
                twin.step()
                m = n - star
                change = max(change, np.linalg.norm(twin.lam - s.lam) / (m * m * 0.9**m))
        r = np.array(relative)
        print(f"h {h}: (B v)_1 before {residual:.6g}; relative e_lambda before {r[:star - 1].max():.6g}"
              f", after {r[star - 1:].max():.6g} at t* + {r[star:].argmax() + 1}, beyond 100 steps "
              f"{r[star + 100:].max():.6g}; C of the bound {bound:.6g}; of the "
              f"transient, times h, {change:.6g}")


def drift():
    for method in ("ga2", "ga1"):
        s = Scheme(0.9, 1e-3, method=method)
        for n in range(1, 1001):
            s.step()
            if n in (10, 20, 40, 80, 250, 500, 1000):
                print(f"{method} t {n * 1e-3}: max |Phi| {abs(phi(s.q)).max():.6g}, "
                      f"max |B v| {abs(s.hidden()).max():.6g}")


def fine():
    s = Scheme(0.9, 2.5e-5, method="ga2s")
    for _ in range(40000):
        s.step()
    x, _ = reference(np.array([0.0, 1.0]))
    print(f"x3(1) {x[1][2]:.12g}; |x(1) - exact| of ga2s, h = 2.5e-5: "
          f"{np.linalg.norm(x[1] - s.q[0]):.6g}")


PARTS = {"transients": transients, "stabilised": stabilised, "rigid": rigid,
         "projection": projection, "drift": drift, "fine": fine}
if __name__ == "__main__":
    for name, part in PARTS.items():
        if len(sys.argv) == 1 or any(name.startswith(w) for w in sys.argv[1:]):
            print(f"-- {name}")
            part()
