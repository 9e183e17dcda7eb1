"""Writes formulas.csv: values of formulas with their first and second derivative, in 2500-digit arithmetic.

Needs mpmath. Derivatives are differences with steps of 1e-150 to 1e-400 of the argument: no rule of
differentiation is used. At a point marked > the differences are taken to the right only; where they tend
to zero or grow without bound as the step shrinks, the derivative is 0 or infinite.

Columns: the formula, t, the value and two derivatives (inf, -inf; nan where none exists), and how many
units in the last place rounding may cost: 8 for one function of t, more where an inner result is rounded
and its error multiplied.
"""

import csv
import re

from mpmath import mp, mpf, nstr

mp.dps = 2500
LARGEST = mpf(2) ** 1024

TINY = [5e-324, 1e-310, 1e-200, 1e-30, 1e-8]
SMALL = [1e-3, 0.1, 0.5, 0.9999999999999999]
MEDIUM = [1.0, 1.0000000000000002, 1.5707963267948966, 2.0, 3.141592653589793, 10.0, 22.0]
LARGE = [100.0, 709.0, 711.0, 800.0, 1e5, 1e10]
HUGE = [1e22, 1e100, 1e155, 1e200, 1.7e308]


def both(points):
    return sorted({-x for x in points} | set(points))


EVERYWHERE = both(TINY + SMALL + MEDIUM + LARGE + HUGE) + [0.0]
MODERATE = both(TINY + SMALL + MEDIUM + [100.0, 370.0, 700.0, 711.0, 800.0, 1e10]) + [0.0]
POSITIVE = TINY + SMALL + MEDIUM + LARGE + HUGE
UNIT = both(TINY + SMALL) + [0.0]

# formula, points, units in the last place; a point with > is one-sided
SMOOTH = [
    ("sin(t)", EVERYWHERE), ("cos(t)", EVERYWHERE), ("tan(t)", EVERYWHERE),
    ("asin(t)", UNIT), ("acos(t)", UNIT), ("atan(t)", EVERYWHERE),
    ("sinh(t)", MODERATE), ("cosh(t)", MODERATE), ("tanh(t)", EVERYWHERE), ("exp(t)", MODERATE),
    ("ln(t)", POSITIVE), ("log10(t)", POSITIVE), ("sqrt(t)", POSITIVE), ("cbrt(t)", both(POSITIVE)),
    ("deg(t)", MEDIUM), ("rad(t)", MEDIUM),
    ("hypot(t, 3)", EVERYWHERE), ("hypot(3, t)", EVERYWHERE), ("hypot(t, 1e-200)", both(TINY)),
    ("hypot(t, 1e200)", both(HUGE)),
    ("atan2(t, 3)", EVERYWHERE), ("atan2(t, -3)", [x for x in EVERYWHERE if x]),
    ("atan2(3, t)", EVERYWHERE), ("atan2(-3, t)", EVERYWHERE), ("atan2(t, 1e300)", both(HUGE)),
    ("atan2(t, 1e-300)", both(TINY)), ("atan2(2*t, t)", both(MEDIUM + [1e305, 1e-305])),
    ("t + 3", EVERYWHERE), ("3 - t", EVERYWHERE), ("3*t", EVERYWHERE), ("t*t", EVERYWHERE), ("t/3", EVERYWHERE),
    ("3/t", both(POSITIVE)), ("1e-200/t", both([1e-250, 1e-120, 1.0])),
    ("-t", EVERYWHERE),
    ("t^0", EVERYWHERE), ("t^1", EVERYWHERE), ("t^2", EVERYWHERE), ("t^3", EVERYWHERE), ("t^7", EVERYWHERE), ("t^(-1)", both(POSITIVE)),
    ("t^(-2)", both(POSITIVE)), ("t^(-5)", both(POSITIVE)), ("t^0.5", POSITIVE), ("t^1.7", POSITIVE),
    ("t^2.5", POSITIVE), ("t^0.1", POSITIVE), ("t^(-0.1)", POSITIVE), ("t^1e-10", POSITIVE), ("t^101", both(SMALL + MEDIUM)),
    ("t^50000", both([0.99, 0.9999, 1.0, 1.00002, 1.01])),
    ("t^3000000000", both([0.9999999, 1.0, 1.00000001])),
    ("t^3000000001", both([0.9999999, 1.0, 1.00000001])),
    ("t^1e18", both([1.0, 1.0000000000000002])),
    ("t^1000000000", [0.9999993, -0.9999993]),
    ("2^t", both(SMALL + MEDIUM + [100.0, 1000.0])), ("0.5^t", both([1.0, 1000.0])), ("t^t", SMALL + MEDIUM + [100.0]),
    ("t^(t^2)", SMALL + [1.5, 2.0, 5.0]),
    ("abs(t)", both(POSITIVE)), ("min(t, 2*t)", both(MEDIUM)), ("max(t, 2*t)", both(MEDIUM)),
    ("clamp(t, -1, 1)", both([0.5, 2.0])), ("mod(t, 2)", [0.5, 3.5, -0.5, -3.5, 1e10 + 0.5]),
    ("mod(t, -2)", [0.5, 3.5, -0.5, -3.5]), ("mod(7, t)", [0.3, 1.5, -1.5]), ("mod(t, 3)", [1e22, 1e100]),
    ("floor(t)*t", [0.5, -0.5, 7.5]), ("ceil(t)*t", [0.5, -0.5]), ("round(t)*t", [0.4, 0.6, -0.6]),
    ("sign(t)*t^2", both([0.5])), ("if(t > 1, t^3, t^2)", [0.5, 2.0]),
    ("tanh(t)^2", both(SMALL + [30.0, 300.0])),
]
SMOOTH = [(formula, points, 8) for formula, points in SMOOTH]
SMOOTH += [
    # terms that nearly cancel, or a rounded base near 1: their errors grow by the size of what is lost
    ("t/(1 + t)", SMALL + MEDIUM, 64), ("(1 + t)^(2*t)", SMALL + MEDIUM, 4096),
    ("1/(1 + exp(t))", [-800.0, -30.0, -1.0, 1.0, 30.0, 700.0, 800.0, 1e10], 64),
    # the rounded base is raised: its error grows by the exponent
    ("(1 + t/50000)^50000", [0.0, 0.5, 1.0, 10.0, -3.0], 50000),
    ("(t^2)^2.5", both(SMALL + MEDIUM), 16),
    ("sin(cos(t))", both(SMALL + MEDIUM), 32), ("exp(-t^2)", both(SMALL + [1.0, 5.0]), 128),
    ("sqrt(1 + t^2)", both(SMALL + MEDIUM), 2048), ("tanh(1000*t)", both([1e-3, 0.1, 0.35]), 2048),
]
RIGHT = [
    ("abs(t)", [0.0]), ("abs(-t)", [0.0]), ("abs(t - 1)", [1.0]), ("abs(1 - t)", [1.0]), ("abs(t^2)", [0.0]),
    ("abs(-t^2)", [0.0]), ("abs(sin(t))", [0.0]), ("abs(t)*t", [0.0]), ("max(t, 0)", [-1.0, 0.0, 1.0]),
    ("min(t, 0)", [-1.0, 0.0, 1.0]), ("max(t - 0.5, 0)^2.5", [0.0, 0.25, 0.5]), ("max(t - 0.5, 0)^1.5", [0.25, 0.5]),
    ("max(t - 0.5, 0)^2", [0.25, 0.5, 0.75]), ("max(0.5 - t, 0)^2.5", [0.25, 0.5, 0.75]), ("max(t^2, t)", [0.0]),
    ("min(t^2, t)", [0.0]), ("max(t^2, -t^2)", [0.0]), ("max(sin(t), t - t^3)", [0.0]), ("clamp(t, 0, 1)", [0.0, 1.0]),
    ("clamp(-t, -1, 0)", [0.0, 1.0]),
    ("abs(t)^1.7", [0.0]), ("abs(t)^2.7", [0.0]), ("abs(t)^0.7", [0.0]), ("t*abs(t)^0.7", [0.0]), ("t*abs(t)^1.7", [0.0]),
    ("abs(t)^0.7*t^2", [0.0]), ("sqrt(t)", [0.0]), ("sqrt(t)*t", [0.0]), ("sqrt(t)*t^2", [0.0]), ("sqrt(t)^2", [0.0]),
    ("sqrt(t)^3", [0.0]), ("sqrt(t)^4", [0.0]), ("sqrt(t)^5", [0.0]), ("sqrt(t)*sqrt(t)*(1 + t)", [0.0]),
    ("sqrt(t^2)", [0.0]), ("sqrt(t^4)", [0.0]), ("sqrt(t^2 + t^3)", [0.0]), ("sqrt(t^3)", [0.0]), ("sqrt(max(t, 0))", [-1.0, 0.0]),
    ("sqrt(max(t, 0))^5", [-1.0, 0.0]), ("cbrt(t)", [0.0]), ("cbrt(t)^3", [0.0]), ("cbrt(t)*t^2", [0.0]), ("cbrt(t^3)", [0.0]),
    ("cbrt(-t)*t", [0.0]), ("cbrt(abs(t))^7", [0.0]), ("cbrt(t)^4", [0.0]), ("t^1.5", [0.0]), ("t^2.5", [0.0]),
    ("t^3.5/sqrt(t + 1)", [0.0]), ("t^0.5*sin(t)^2", [0.0]), ("hypot(t, t)", [0.0]), ("hypot(t, t^2)", [0.0]),
    ("hypot(t^2, 3*t^2)", [0.0]), ("hypot(t^2, t^3)", [0.0]), ("hypot(t - 1, 0)", [1.0]), ("hypot(sqrt(t), t)", [0.0]),
    ("asin(t)", [-1.0]), ("acos(t)", [-1.0]), ("asin(1 - t)", [0.0]), ("acos(1 - t)", [0.0]), ("acos(1 - t)^2", [0.0]),
    ("acos(1 - t^2)", [0.0]), ("asin(clamp(t, -1, 1))", [2.0]), ("acos(1 - t)^4", [0.0]), ("asin(1 - t^4)", [0.0]), ("acos(t - 1)*t^2", [0.0]),
    ("abs(t)^3", [0.0]), ("t^2*sign(t)", [0.0]), ("floor(t)", [2.0]), ("mod(t, 1)", [1.0, 2.0]),
    ("exp(-abs(t))", [0.0]), ("1/(1 + sqrt(t))*t^2", [0.0]), ("t^1.5 - t*sqrt(t) + t^2", [0.0]), ("sqrt(t)*cbrt(t)*t^2", [0.0]),
    ("sign(t)*t", [0.0]), ("sign(-t)*t^2", [0.0]), ("ceil(t)*(t - 2)^2", [2.0]), ("sign(t)*abs(t)^0.7", [0.0]),
    ("sign(t)*abs(t)^1.7", [0.0]), ("max(sqrt(t), t)*t^2", [0.0]), ("if(t >= 0, t^2.5, 0)", [0.0]),
]
RIGHT = [(formula, points, 16) for formula, points in RIGHT]


def literal(match):
    return f"mpf({float(match.group(0)).hex()!r})"


def of_float(text):
    value = float.fromhex(text) if isinstance(text, str) else text
    numerator, denominator = value.as_integer_ratio()
    return mp.mpf(numerator) / denominator


def modulo(x, y):
    return x - y * mp.floor(x / y)


def power(x, n):
    if n == int(n) and abs(n) < 4000:
        return x ** int(n)
    if x == 0:
        return mpf(0) if n > 0 else mpf(1)
    if n == int(n):
        return mp.exp(n * mp.log(abs(x))) * (-1 if x < 0 and int(n) % 2 else 1)
    return mp.exp(n * mp.log(x))


class Number:
    """An mpf whose power is ours."""

    def __init__(self, x):
        self.x = x.x if isinstance(x, Number) else x

    def __neg__(self):
        return Number(-self.x)

    def __add__(self, other):
        return Number(self.x + other.x)

    def __sub__(self, other):
        return Number(self.x - other.x)

    def __mul__(self, other):
        return Number(self.x * other.x)

    def __truediv__(self, other):
        return Number(self.x / other.x)

    def __pow__(self, other):
        return Number(power(self.x, other.x))

    def __gt__(self, other):
        return self.x > other.x

    def __ge__(self, other):
        return self.x >= other.x


def lifted(function):
    return lambda *arguments: Number(function(*[x.x for x in arguments]))


NAMES = {name: lifted(getattr(mp, name)) for name in
         ["sin", "cos", "tan", "asin", "acos", "atan", "sinh", "cosh", "tanh", "exp", "ln", "log10", "sqrt", "hypot",
          "atan2", "sign", "floor", "ceil"]}
# the program's own constants are doubles: degrees per radian are rounded once
NAMES |= {
    "abs": lifted(abs), "min": lifted(min), "max": lifted(max), "mod": lifted(modulo),
    "clamp": lifted(lambda x, a, b: min(max(x, a), b)),
    "cbrt": lifted(lambda x: mp.sign(x) * mp.cbrt(abs(x))),
    "round": lifted(lambda x: mp.floor(x + mpf(1) / 2) if x > 0 else mp.ceil(x - mpf(1) / 2)),
    "choose": lambda c, a, b: a if c else b,
    "deg": lifted(lambda x: x * mp.pi / 180), "rad": lifted(lambda x: x * 180 / mp.pi),
    "mpf": lambda text: Number(of_float(text)),
}


def compiled(formula):
    text = re.sub(r"(?<![A-Za-z0-9_])\d+\.?\d*(e[-+]?\d+)?", literal, formula)
    text = text.replace("^", "**").replace("if(", "choose(")
    code = compile(text, formula, "eval")
    return lambda t: eval(code, NAMES | {"t": Number(t)}).x


def central(f, t, h):
    left, here, right = f(t - h), f(t), f(t + h)
    return here, (right - left) / (2 * h), (right - 2 * here + left) / (h * h)


def forward(f, t, h):
    y = [f(t + k * h) for k in range(4)]
    return y[0], (4 * y[1] - 3 * y[0] - y[2]) / (2 * h), (2 * y[0] - 5 * y[1] + 4 * y[2] - y[3]) / (h * h)


def limit(one, two):
    """Where a difference tends to when the step shrinks by 1e-150."""
    # what rounding leaves of zero
    if abs(two) < mpf(10) ** -1000:
        return mpf(0)
    if abs(two) <= abs(one) * mpf(10) ** -10:
        return mpf(0)
    if abs(two) >= abs(one) * mpf(10) ** 10:
        return mp.inf * mp.sign(two)
    return two


def printed(x):
    if mp.isinf(x) or abs(x) >= LARGEST * (1 - mpf(2) ** -54):
        return "inf" if x > 0 else "-inf"
    return nstr(x, 20, min_fixed=0, max_fixed=0) if x else "0"


def rows():
    for formula, points, ulps in SMOOTH:
        f = compiled(formula)
        for t in points:
            at = of_float(t)
            h = (min(abs(at), 1) if at else mpf(1)) * mpf(10) ** -400
            yield formula, t, "", central(f, at, h), ulps
    for formula, points, ulps in RIGHT:
        f = compiled(formula)
        for t in points:
            at = of_float(t)
            one, two = (forward(f, at, mpf(10) ** -k) for k in (150, 300))
            yield formula, t, ">", (one[0], limit(one[1], two[1]), limit(one[2], two[2])), ulps


with open("formulas.csv", "w", newline="") as file:
    table = csv.writer(file)
    table.writerow(["formula", "side", "t", "value", "first", "second", "ulps"])
    for formula, t, side, values, ulps in rows():
        table.writerow([formula, side, repr(t), *map(printed, values), ulps])
