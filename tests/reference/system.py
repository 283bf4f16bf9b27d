"""Equations of motion M v' + g + B^T lambda + K^T psi = 0, Phi(q, t) = 0, k(q, v, t) = 0 from the
functions M, g, Phi, k alone: all derivatives are made here (see system.h of the library for the
signs)."""
import numpy as np

from numerics import TINY, complex_step, newton, second_derivative


class System:
    """Systems derive from this, set group, m, l, t0, initial() and the functions that they have."""
    m = l = 0
    friction = False  # g depends on lambda or psi
    potential = None  # V(q)
    adds_reaction = True  # else g contains it: JN07 (3.1), Jay11 (2.1) as they stand

    def phi(self, q, t):
        return np.zeros(0)

    def k(self, q, v, t):
        return np.zeros(0)

    def along(self, f, q, t, w, dt):
        """Directional derivative of f(q, t) in the direction (w, dt)."""
        return np.imag(f(q + 1j * TINY * self.group.tangent(q, w), t + 1j * TINY * dt)) / TINY

    def b(self, q, t):
        """B = dPhi/dq."""
        n = self.group.dof
        return np.array([self.along(self.phi, q, t, e, 0) for e in np.eye(n)]).T.reshape(self.m, n)

    def hidden(self, q, v, t):
        """B v + dPhi/dt."""
        return self.along(self.phi, q, t, v, 1)

    def bias(self, q, v, t):
        """d/dt (B v + dPhi/dt) where v' = 0: v is then constant on the curve update(q, s v)."""
        if self.m == 0:
            return np.zeros(0)
        return second_derivative(lambda s: self.phi(self.group.update(q, s * v), t + s))

    def kv(self, q, v, t):
        """K = dk/dv."""
        return complex_step(lambda z: self.k(q, z, t), v).reshape(self.l, self.group.dof)

    def k_bias(self, q, v, t):
        """d/dt k where v' = 0."""
        return self.along(lambda x, s: self.k(x, v, s), q, t, v, 1)

    def reaction(self, q, v, t, lam, psi):
        """B^T lambda + K^T psi."""
        out = np.zeros(self.group.dof)
        if self.m and self.adds_reaction:
            out = out + self.b(q, t).T @ lam
        if self.l and self.adds_reaction:
            out = out + self.kv(q, v, t).T @ psi
        return out

    def reacting(self, q, v, t):
        """The part of g without multipliers that belongs to r, not to f: JN07 (3.1)."""
        return np.zeros(self.group.dof)

    def load(self, q, v, t, lam, psi):
        """g + B^T lambda + K^T psi."""
        return self.g(q, v, lam, psi, t) + self.reaction(q, v, t, lam, psi)

    def acceleration(self, q, v, t, lam=None, psi=None):
        """v', lambda, psi of ACB15 (7), rheonomic and nonholonomic constraints included."""
        n, m, l = self.group.dof, self.m, self.l
        mass, b, k = self.mass(q, t), self.b(q, t), self.kv(q, v, t)
        rows = np.vstack([b, k])
        bias = np.concatenate([self.bias(q, v, t), self.k_bias(q, v, t)])

        def residual(x):
            load = self.g(q, v, x[n:n + m], x[n + m:], t)
            if self.adds_reaction:
                load = load + rows.T @ x[n:]
            return np.concatenate([mass @ x[:n] + load, rows @ x[:n] + bias])

        guess = np.zeros(n + m + l)
        if lam is not None:
            guess[n:n + m] = lam
        if psi is not None:
            guess[n + m:] = psi
        x = newton(residual, guess)
        return x[:n], x[n:n + m], x[n + m:]

    def make_consistent(self, q, v, t):
        """The nearest state on the constraints (in the norm of the mass, to first order)."""
        n = self.group.dof

        def correction(rows, residual, q):
            mass = self.mass(q, t)
            size = len(residual)
            matrix = np.block([[mass, rows.T], [rows, np.zeros((size, size))]])
            return np.linalg.solve(matrix, np.concatenate([np.zeros(n), -residual]))[:n]

        for _ in range(8 if self.m else 0):
            q = self.group.update(q, correction(self.b(q, t), self.phi(q, t), q))
        for _ in range(8 if self.m + self.l else 0):
            rows = np.vstack([self.b(q, t), self.kv(q, v, t)])
            residual = np.concatenate([self.hidden(q, v, t) if self.m else np.zeros(0),
                                       self.k(q, v, t)])
            v = v + correction(rows, residual, q)
        return q, v
