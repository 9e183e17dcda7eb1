"""Writes rotations.csv: exponential and Cayley maps with their tangents in 60-digit arithmetic.

Needs mpmath. The exponential is a truncated matrix series, its tangent T(d) = sum (-d^)^k/(k+1)!,
and derivatives are taken of these series: nothing is shared with the closed forms under test.
"""

import csv
import random

from mpmath import eye, matrix, mp, mpf, nstr, zeros

mp.dps = 60


def hat(d):
    return matrix([[0, -d[2], d[1]], [d[2], 0, -d[0]], [-d[1], d[0], 0]])


def series(a, shift):
    """sum a^k / (k + shift)!"""
    total, term, k = zeros(3), eye(3), 0
    factorial = mpf(1)
    for i in range(1, shift + 1):
        factorial *= i
    while k < 20 or max(abs(x) for x in term) / factorial > mpf(10) ** -55:
        total += term / factorial
        term = term * a
        k += 1
        factorial *= k + shift
    return total


def exp_map(d):
    return series(hat(d), 0)


def exp_tangent(d):
    return series(-hat(d), 1)


def cay_map(g):
    return (eye(3) + hat(g) / 2) * (eye(3) - hat(g) / 2) ** -1


def cay_tangent(g):
    tau = 4 / (4 + sum(x * x for x in g))
    return tau * (eye(3) - hat(g) / 2)


def derivative(tangent, d, x):
    """d(T(d) x)/dd by central differences with a step far below the working precision's needs."""
    h = mpf(10) ** -20
    columns = []
    for j in range(3):
        up, down = list(d), list(d)
        up[j] += h
        down[j] -= h
        columns.append((tangent(up) * x - tangent(down) * x) / (2 * h))
    return matrix([[columns[j][i] for j in range(3)] for i in range(3)])


def flat(m):
    return [nstr(m[i, j], 20) for i in range(3) for j in range(3)]


random.seed(1)
angles = [0, 1e-12, 1e-8, 1e-5, 1e-3, 3e-2, 0.3, 0.99, 1.01, 2, 3, 3.14159, 3.1415926535, 4, 6, 6.2, 9, 40]
with open("rotations.csv", "w", newline="") as file:
    writer = csv.writer(file, lineterminator="\n")
    names = [f"{n}{i}{j}" for n in ("r", "t", "i", "l", "k") for i in range(3) for j in range(3)]
    writer.writerow(["chart", "d0", "d1", "d2", "x0", "x1", "x2"] + names)
    for chart, rotate, tangent in (("exponential", exp_map, exp_tangent), ("cayley", cay_map, cay_tangent)):
        for angle in angles:
            axis = [random.gauss(0, 1) for _ in range(3)]
            norm = sum(a * a for a in axis) ** 0.5
            d = [float(angle * a / norm) for a in axis]
            x = [random.uniform(-2, 2) for _ in range(3)]
            dm, xm = [mpf(v) for v in d], matrix([mpf(v) for v in x])
            t = tangent(dm)
            row = [chart] + [repr(v) for v in d] + [repr(v) for v in x]
            row += flat(rotate(dm)) + flat(t) + flat(t**-1)
            row += flat(derivative(tangent, dm, xm)) + flat(derivative(lambda v: tangent(v) ** -1, dm, xm))
            writer.writerow(row)
