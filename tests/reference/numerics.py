"""Derivatives to rounding and Newton's method."""
import numpy as np

TINY = 1e-30


def complex_step(f, x):
    """df/dx of an analytic function of a vector, column by column."""
    columns = []
    for i in range(len(x)):
        z = np.array(x, dtype=complex)
        z[i] += 1j * TINY
        columns.append(np.imag(f(z)) / TINY)
    return np.array(columns).T


def second_derivative(f, radius=0.15, count=32):
    """f''(0) of an analytic function that is real on the real axis, by Cauchy's formula."""
    total = 0
    for i in range(count // 2 + 1):
        unit = np.exp(2j * np.pi * i / count)
        weight = 1 if i in (0, count // 2) else 2
        total = total + weight * np.real(f(radius * unit) / unit ** 2)
    return 2 * total / (count * radius ** 2)


def jacobian(f, x):
    columns = []
    for i in range(len(x)):
        step = 1e-5 * max(1.0, abs(x[i]))
        ahead, behind = np.array(x), np.array(x)
        ahead[i] += step
        behind[i] -= step
        columns.append((f(ahead) - f(behind)) / (2 * step))
    return np.array(columns).T


def newton(f, x):
    """Solves f(x) = 0 as far as rounding allows, with a Jacobian renewed every fourth time."""
    x, last = np.array(x, dtype=float), np.inf
    for i in range(40):
        if i % 4 == 0:
            inverse = np.linalg.inv(jacobian(f, x))
        dx = inverse @ f(x)
        x -= dx
        size = np.max(np.abs(dx)) / max(1.0, np.max(np.abs(x)))
        if size < 1e-15 or (size < 1e-11 and size > 0.3 * last):
            return x
        last = size
    raise RuntimeError("no convergence: last correction %g" % size)
