"""The families of the four numbers, from the same texts as cardan_params_parse."""
from dataclasses import dataclass


@dataclass
class Parameters:
    alpha_m: float
    alpha_f: float
    beta: float
    gamma: float

    @property
    def shift(self):
        return self.alpha_m - self.alpha_f

    @property
    def cq(self):
        """C_q of ACB15 (17)."""
        return 1 - 6 * self.beta - 3 * self.shift


def second_order(alpha_m, alpha_f):
    """gamma by ACB15 (12), beta as Jay11 and JN07 have it (ACB15 (52): the same)."""
    shift = alpha_m - alpha_f
    return Parameters(alpha_m, alpha_f, (1 - shift) ** 2 / 4, 0.5 - shift)


def parse(text):
    family, _, values = text.partition(":")
    numbers = [float(x) for x in values.split(",")] if values else []
    if family == "ch":
        rho = numbers[0]
        return second_order((2 * rho - 1) / (rho + 1), rho / (rho + 1))
    if family == "hht":
        return second_order(0.0, -numbers[0])
    if family == "wbz":
        return second_order(numbers[0], 0.0)
    if family == "newmark":
        return Parameters(0.0, 0.0, *numbers)
    if family == "trapezoidal":
        return Parameters(0.0, 0.0, 0.25, 0.5)
    return Parameters(*numbers)
