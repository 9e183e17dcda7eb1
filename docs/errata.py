"""Recomputes the entries marked N in errata.md and compares them with the digits printed there.

One line an entry, in the order of the page: where, the numbers, ok or differs. A number that differs is followed by that of
the page, and the exit code is then 1. Needs numpy, scipy, mpmath and sympy, and about half a minute.
Each function computes one entry and returns its numbers; the table at the end holds what the page says about them.
"""

import sys
from decimal import Decimal
from math import comb, factorial

import numpy as np
import sympy as sp
from mpmath import mp, mpf
from scipy.integrate import DOP853, solve_ivp
from scipy.optimize import minimize, newton

mp.dps = 40
STEPS = (1e-2, 5e-3, 2.5e-3, 1.25e-3)


def order(errors):
    """Observed order from the last two errors of a sequence with halved steps."""
    return np.log2(float(errors[-2] / errors[-1]))


def exact_solution(derivative, start, begin, end):
    """Accurate reference for an ordinary differential equation."""
    return solve_ivp(derivative, [begin, end], start, method="DOP853", rtol=1e-13, atol=1e-15, dense_output=True).sol


# Zhang, Zhang, Zanoni, Masarati 2022 ----------------------------------------------------------------------------------

# Table 7, rho = 0, 0.1, ..., 1, cut to the digits used: gamma of "MSSTH(3)"; gamma, c3, c4 of MSSTH(4); gamma of MSSTH(5).
TABLE_7 = [[mpf(number) for number in row.split()] for row in (
    "0.180425306429398329 0.572816062482135013 0.5590985754229417 0.7414011664833654 0.278053841136449930",
    "0.178619458204658076 0.548366644975829875 0.6002938888698324 0.7584129875780372 0.274141306031868481",
    "0.176945806618223705 0.526386456842386274 0.6385228144891605 0.7731436659604612 0.270459886774581770",
    "0.175385515842845757 0.506330118970781950 0.6752454071331807 0.7860312064122737 0.266978043925650554",
    "0.173923607877197128 0.487797474812348086 0.7116626313535582 0.7972514819203143 0.263670231711605529",
    "0.172547961422089307 0.470480577621676832 0.7489373901316857 0.8067140747427041 0.260515416607054905",
    "0.171248618590691042 0.454130785036528705 0.7884370115210036 0.8139662529419134 0.257496029856674746",
    "0.170017291772476458 0.438536189902192508 0.8321495959968309 0.8179301032006714 0.254597208170133482",
    "0.168847004679167689 0.423503766067178877 0.8836585039419085 0.8162478946500242 0.251806231183849649",
    "0.167731825756886776 0.408841866120699337 0.9508833135343227 0.8036295352568830 0.249112096529629706",
    "0.166666666666666666 0.394337567297406543 1.0534803411702867 0.7689305362617052 0.246505193142820155")]
DISSIPATION = [mpf(i) / 10 for i in range(11)]


def exact_gammas(n):
    """Roots of sum (-g)^k C(n,k)/(n-k)! = s rho g^n, followed from rho = 0."""
    sign, gamma = {3: (-1, 0.43587), 4: (1, 0.57282), 5: (1, 0.27805)}[n]
    roots = []
    for rho in DISSIPATION:
        gamma = mp.findroot(lambda g: sum((-g)**k * comb(n, k) / mpf(factorial(n - k)) for k in range(n + 1))
                            - sign * rho * g**n, gamma)
        roots.append(gamma)
    return roots


def tableau_30(g):
    """MSSTH(3) by (30) and (31); the last row is b."""
    c3 = (24 * g**2 - 20 * g + 3) / (24 * g**2 - 24 * g + 4)
    a32, b3 = c3 * (c3 - 2 * g) / (4 * g), (6 * g**2 - 6 * g + 1) / (3 * c3 * (c3 - 2 * g))
    b2 = (3 * c3 + 6 * g - 6 * c3 * g - 2) / (12 * g * (c3 - 2 * g))
    return np.array([[0, 0, 0, 0], [g, g, 0, 0], [c3 - g - a32, a32, g, 0], [1 - g - b2 - b3, b2, b3, g]])


def tableau_32(g, c3, c4):
    """MSSTH(4) by (32) and (33); the last row is b."""
    eta1 = (48 * (1 - c4) * g**3 + 8 * (3 * c3**2 - 6 * c3 + 9 * c4 - 5) * g**2
            + 6 * (-4 * c3**2 + 6 * c3 - 4 * c4 + 1) * g + 4 * c3**2 - 5 * c3 + 2 * c4)
    eta2 = (48 * (1 - c3) * g**3 + 8 * (3 * c3**2 + 3 * c3 - 5) * g**2
            + 6 * (-4 * c3**2 + 2 * c3 + 1) * g + 4 * c3**2 - 3 * c3)
    a32, a42 = c3 * (c3 - 2 * g) / (4 * g), c4 * (c4 - 2 * g) * eta1 / (4 * g * eta2)
    a43 = (c4**2 - 4 * a42 * g - 2 * c4 * g) / (2 * c3)
    b2 = -(12 * (c3 * c4 - c3 - c4 + 1) * g + 4 * c3 + 4 * c4 - 6 * c3 * c4 - 3) / (24 * g * (c3 - 2 * g) * (c4 - 2 * g))
    b3 = (24 * (c4 - 1) * g**2 + 4 * (5 - 6 * c4) * g + 4 * c4 - 3) / (12 * c3 * (c4 - c3) * (c3 - 2 * g))
    b4 = -(24 * (c3 - 1) * g**2 + 4 * (5 - 6 * c3) * g + 4 * c3 - 3) / (12 * c4 * (c4 - c3) * (c4 - 2 * g))
    return np.array([[0, 0, 0, 0, 0], [g, g, 0, 0, 0], [c3 - g - a32, a32, g, 0, 0],
                     [c4 - g - a42 - a43, a42, a43, g, 0], [1 - g - b2 - b3 - b4, b2, b3, b4, g]])


def order_residuals(a):
    """Residuals of the rooted trees of orders 1 to 5, one list an order, weighted as in Table 6."""
    b, c = a[-1], a.sum(axis=1)
    ac, acc = a @ c, a @ c**2
    return [[b.sum() - 1], [(2 * b @ c - 1) / 2], [(3 * b @ c**2 - 1) / 6, (6 * b @ ac - 1) / 6],
            [(4 * b @ c**3 - 1) / 24, (8 * b @ (c * ac) - 1) / 8, (12 * b @ acc - 1) / 24, (24 * b @ a @ ac - 1) / 24],
            [(5 * b @ c**4 - 1) / 120, (10 * b @ (c**2 * ac) - 1) / 20, (20 * b @ ac**2 - 1) / 40,
             (15 * b @ (c * acc) - 1) / 30, (20 * b @ a @ c**3 - 1) / 120, (30 * b @ (c * (a @ ac)) - 1) / 30,
             (40 * b @ a @ (c * ac) - 1) / 40, (60 * b @ a @ acc - 1) / 120, (120 * b @ a @ a @ ac - 1) / 120]]


def table_7_third_order():
    """Table 7, column "MSSTH(3): gamma": it is that of MSSTC(3)."""
    def composed(rho):
        kappa = mp.cbrt(1 - rho**2)
        return 1 / (3 + sum(mp.sqrt(1 - kappa * mp.expjpi(mpf(2 * m) / 3)) for m in range(3))).real

    def at_infinity(gamma):
        # the first stage is explicit and the method stiffly accurate
        a = tableau_30(gamma)
        return abs(mp.lu_solve(mp.matrix(a[1:, 1:].tolist()), mp.matrix(a[1:, 0].tolist()))[2])

    roots, printed = exact_gammas(3), [row[0] for row in TABLE_7]
    return [roots[0], roots[5], roots[10], max(abs(g - composed(rho)) for g, rho in zip(printed, DISSIPATION)),
            *(at_infinity(printed[i]) for i in (0, 5, 9)),
            max(abs(at_infinity(g) - rho) for g, rho in zip(roots, DISSIPATION))]


def table_7_nodes():
    """Table 7, c3 and c4 of MSSTH(4): not where the norm of sigma^(5) is least; (32) fulfils the order conditions."""
    def norm(nodes):
        return np.linalg.norm(order_residuals(tableau_32(gamma, *nodes))[4])

    ratios, places = [], []
    for i in (0, 5, 10):
        gamma, *printed = map(float, TABLE_7[i][1:4])
        best = minimize(norm, printed, method="Nelder-Mead", options={"xatol": 1e-10, "fatol": 1e-15, "maxiter": 2000})
        ratios.append(norm(printed) / best.fun)
        places.extend(best.x)
    residuals = [sum(order_residuals(tableau_32(*row[1:4]))[:4], []) for row in TABLE_7]
    return [*ratios, *places, abs(np.array(residuals)).max()]


def table_7_digits():
    """Table 7, valid digits of gamma for n = 4 and 5."""
    return [max(abs(row[column] - root) for row, root in zip(TABLE_7, exact_gammas(n))) for column, n in ((1, 4), (4, 5))]


TUBE_AREA, TUBE_INERTIA = np.pi * (0.05**2 - 0.045**2), np.pi / 4 * (0.05**4 - 0.045**4)


def table_5_inertia():
    """Table 5: m, EA in MN, then A, I and J of the steel tube."""
    return [7800 * TUBE_AREA, 210e3 * TUBE_AREA, TUBE_AREA, TUBE_INERTIA, 7800 * TUBE_INERTIA]


def table_5_stiffness():
    """Table 5: EJ and GJ, and the first bending frequency with this EJ and with the printed one."""
    bending, mass = 210e9 * TUBE_INERTIA, 70.573 + 0.371 * 11.64 * 6
    return [bending, bending / 1.3, *(np.sqrt(192 * stiffness / 6**3 / mass) for stiffness in (bending, 354.5))]


def disk_inertia():
    """Sect. 5.4: inertia of the disk, and what the thickness would add to the transverse one, in per cent."""
    return [70.573 * 0.24**2 / 2, 70.573 * 0.24**2 / 4, 100 * (0.05**2 / 12) / (0.24**2 / 4)]


def table_3():
    """Table 3: EA in MN and EJ of the square bars."""
    return [207e3 * side**2 for side in (0.016, 0.008)] + [207e9 * side**4 / 12 for side in (0.016, 0.008)]


def right_as_printed():
    """(30), and Table 4: m, J in mg m, EA in MN, EJ of a beam of 10 by 100 mm and of rods of radius 12 and 24 mm."""
    sections = [(1e-3, 0.01 * 0.1**3 / 12), (1e-3, 0.1 * 0.01**3 / 12),
                *((np.pi * radius**2, np.pi / 4 * radius**4) for radius in (0.012, 0.024))]
    residuals = [sum(order_residuals(tableau_30(gamma))[:3], []) for gamma in exact_gammas(3)]
    return [abs(np.array(residuals)).max(), *(number for area, inertia in sections for number in
                                              (2680 * area, 2680e6 * inertia, 73e3 * area, 73e9 * inertia))]


GRAVITY = np.array([0.0, -9.81])
PENDULUM = exact_solution(lambda t, y: [y[1], -9.81 * np.sin(y[0])], [1, 1.5], 0, 1)


def pendulum_start():
    """Position, velocity, acceleration and multiplier of the constrained pendulum."""
    q, v = np.array([np.sin(1), -np.cos(1)]), 1.5 * np.array([np.cos(1), np.sin(1)])
    multiplier = q @ GRAVITY + v @ v
    return q, v, GRAVITY - multiplier * q, multiplier


def balance(base, weight, a, multiplier):
    """Acceleration and multiplier with a + q multiplier = g and abs(q) = 1 at q = base + weight a."""
    for _ in range(8):
        q = base + weight * a
        residual = [*(a + q * multiplier - GRAVITY), (q @ q - 1) / 2 / weight]
        change = np.linalg.solve(np.block([[np.eye(2) * (1 + weight * multiplier), q[:, None]], [q, 0]]), residual)
        a, multiplier = a - change[:2], multiplier - change[2]
    return a, multiplier


def lms_coefficients(r, rho):
    """alpha_1 to alpha_r and beta_0 to beta_r of LMS2, LMS3 and LMS4, for a number or a symbol."""
    alpha, first = {
        2: ([4 * (1 - rho), 3 * rho - 1], 2),
        3: ([3 * (2 * rho**2 - 9 * rho + 5), -3 * (5 * rho**2 - 9 * rho + 2), 10 * rho**2 - 5 * rho + 1], 6),
        4: ([4 * (-2 * rho**3 + 13 * rho**2 - 35 * rho + 14), -4 * (1 - rho) * (7 * rho**2 - 34 * rho + 7),
             -4 * (14 * rho**3 - 35 * rho**2 + 13 * rho - 2), 35 * rho**3 - 21 * rho**2 + 7 * rho - 1], 20)}[r]
    return ([number / sum(alpha) for number in alpha],
            [comb(r, j) * rho**j * first / ((1 + rho) * sum(alpha)) for j in range(r + 1)])


def start_weights(alpha, beta, step):
    """Rows (40) and (56) of Zhang et al. 2021: weights of the rates at the steps step, ..., 1, 0."""
    weights = []
    for i in range(step):
        weights.append(beta[i] - sum((1 - sum(alpha[:j])) * weights[i - j] for j in range(1, i + 1)))
    return [*weights, 1 - sum(weights)]


def filtered_start(r, rates, slope, rho=0.6):
    """Increments over h of SSr for the steps 1, 2, ... in the real form of the page, from the rates at 0, 1, 2, ...

    The start with slope takes h times the derivative of the rate, that of the paper 0."""
    # symmetric functions of the odd gammas; for r = 4 those of (55) of Zhang et al. 2021
    symmetric = {2: [1, (3 - rho) / (2 * (1 + rho))],
                 4: [1, (7 - rho) / (2 * (1 + rho)), (rho**2 - 7 * rho + 21) / (5 * (1 + rho)**2),
                     (-rho**3 + 7 * rho**2 - 21 * rho + 35) / (20 * (1 + rho)**3)]}[r]
    d = sum(np.poly1d([1, -1])**k * factor for k, factor in enumerate(symmetric)).coeffs
    g = 1 / (1 + rho)
    n = [comb(r - 1, i) * g**(r - 1 - i) * (1 - g)**i / d[0] for i in range(r)]
    d = d / d[0]
    value, memory, lag, increments = rates[0] + (0.5 - g) * slope, [0] * (r + 1), 0, []
    for i in range(r - 1, 0, -1):
        memory[i] = n[i] * rates[0] - d[i] * value + memory[i + 1] - lag
        lag += (n[i] - d[i]) * slope
    for rate in rates[1:]:
        last, value = value, n[0] * rate + memory[1]
        memory[1:r] = [n[i] * rate - d[i] * value + memory[i + 1] for i in range(1, r)]
        increments.append((1 - g) * last + g * value)
    return increments


def filtered_weights(r, step):
    """The row of (56) for a step, from the responses to a unit rate at each instant."""
    return [filtered_start(r, unit, 0)[-1] for unit in np.eye(step + 1)[::-1]]


def multiplier_errors(r, start):
    """Largest multiplier error in 60 steps for the four step sizes, and the order of abs(Gv).

    From step r on SSr is LMSr. The start is "trapezoidal", "(4)", "SS" or "SS with slope", the slope for positions only."""
    alpha, beta = lms_coefficients(r, 0.6)
    rows = {"trapezoidal": [[0.5, 0.5]] * r, "(4)": [[beta[0], 1 - beta[0]]] * r}.get(
        start, [filtered_weights(r, step) for step in range(1, r)])
    slopes = filtered_start(r, np.zeros(r), 1) if start == "SS with slope" else np.zeros(r)
    errors, drifts = [], []
    for h in STEPS:
        *state, multiplier = pendulum_start()
        history, error, drift = [state], 0, 0
        for step in range(1, 61):
            values, rates, slope = (alpha, beta, 0) if step >= r else ([1], rows[step - 1], slopes[step - 1])
            past_q, past_v = (sum(weight * past[level] for weight, past in zip(values, history[::-1]))
                              + h * sum(weight * past[level + 1] for weight, past in zip(rates[1:], history[::-1]))
                              for level in (0, 1))
            past_q, weight = past_q + h**2 * slope * history[0][2], h * rates[0]
            a, multiplier = balance(past_q + weight * past_v, weight**2, history[-1][2], multiplier)
            v = past_v + weight * a
            history.append((past_q + weight * v, v, a))
            angle, rate = PENDULUM(step * h)
            error = max(error, abs(multiplier - 9.81 * np.cos(angle) - rate**2))
            drift = max(drift, abs(history[-1][0] @ v))
        errors.append(error)
        drifts.append(drift)
    return [*errors, order(drifts)]


def start_of_single_step():
    """The start of SS2 to SS4 after (4), that with slope, and the start of LMS2."""
    return [pendulum_start()[3], *(number for start in ("SS", "SS with slope") for r in (2, 4)
                                   for number in multiplier_errors(r, start)),
            *multiplier_errors(2, "trapezoidal")[:4]]


# Zhang, Zhang, Masarati 2021 ------------------------------------------------------------------------------------------


def multiple_roots():
    """LMS3 and LMS4 at rho = 1: (mu + 1)^(r-1) times the trapezoidal polynomial."""
    mu, z = sp.symbols("mu z")
    same = []
    for r in (3, 4):
        alpha, beta = lms_coefficients(r, sp.Integer(1))
        polynomial = (mu**r - sum(alpha[j - 1] * mu**(r - j) for j in range(1, r + 1))
                      - z * sum(beta[j] * mu**(r - j) for j in range(r + 1)))
        same.append(sp.expand(polynomial - (mu + 1)**(r - 1) * (mu - 1 - z / 2 * (mu + 1))) == 0)
    return same


def starter_4():
    """(4) and the trapezoidal rule as starters of LMS4."""
    return multiplier_errors(4, "(4)")[:4] + multiplier_errors(4, "trapezoidal")[:4]


def lost_in_copies():
    """(41c) by the recursion, and SS4 with (55) against the rows (56)."""
    rho = sp.symbols("rho")
    closed = 18 * (rho - 1)**2 * (rho**3 - 4 * rho**2 + 5) / (rho**2 - 5 * rho + 10)**3
    rows = [(start_weights(*lms_coefficients(4, 0.6), step), filtered_weights(4, step)) for step in (1, 2, 3)]
    return [sp.simplify(start_weights(*lms_coefficients(3, rho), 3)[2] - closed) == 0,
            max(abs(np.subtract(*row)).max() for row in rows)]


# Fernandez de Bustos, Uriarte, Urkullu, Coria 2024 --------------------------------------------------------------------

# A step takes x at t and its derivatives at t - h to x at t + h and the derivatives at t. The acceleration is
# force(x) - damping v. Sums are nested to keep round-off down. Numbers may be floats, mpf or symbols.


def third_degree(parameters, h, state, force):
    """(19) to (21) with alpha and beta, undamped."""
    (alpha, beta), (x, v, a) = parameters, state
    a_new = force(x)
    v_new = v + h * (beta * a_new + (1 - beta) * a)
    return [x + h * (v_new + h / 2 * (alpha * a_new + (1 - alpha) * a)), v_new, a_new]


def fourth_degree(parameters, h, state, force, damping=0):
    """(40) to (43) with alpha, beta, gamma."""
    (alpha, beta, gamma), (x, v, a, j) = parameters, state
    weight = h * beta / (2 * gamma)
    base = v + h * (a + h / 2 * ((1 - beta) * j - beta * (a / h + (1 - gamma) * j) / gamma))
    a_new = (force(x) - damping * base) / (1 + damping * weight)
    v_new, j_new = base + weight * a_new, (a_new - a) / (gamma * h) - (1 - gamma) / gamma * j
    return [x + h * (v_new + h / 2 * (a_new + h / 3 * (alpha * j_new + (1 - alpha) * j))), v_new, a_new, j_new]


def fifth_degree(parameters, h, state, force, damping=0):
    """(69) to (73) with alpha, beta, gamma, zeta."""
    (alpha, beta, gamma, zeta), (x, v, a, j, s) = parameters, state
    weight = h * beta / (3 * gamma)
    base = v + h * (a + h / 2 * (j + h / 3 * (1 - beta) * s)) - weight * (a + h * (j + h / 2 * (1 - gamma) * s))
    a_new = (force(x) - damping * base) / (1 + damping * weight)
    v_new, s_new = base + weight * a_new, (2 * (a_new - a - h * j) / h**2 - (1 - gamma) * s) / gamma
    j_new = j + h * ((1 - zeta) * s + zeta * s_new)
    x_new = x + h * (v_new + h / 2 * (a_new + h / 3 * (j_new + h / 4 * (alpha * s_new + (1 - alpha) * s))))
    return [x_new, v_new, a_new, j_new, s_new]


def amplification(method, parameters, h, omega, *damping):
    """Matrix of a step for the oscillator, of symbols."""
    units = sp.eye(len(parameters) + 1).tolist()
    return sp.Matrix([method(parameters, h, unit, lambda x: -omega**2 * x, *damping) for unit in units]).T


def radius(matrix):
    """Spectral radius in 40 digits."""
    return max(abs(root) for root in mp.eig(mp.matrix(matrix.evalf(40)), left=False, right=False))


def oscillator_radius(method, parameters, omega, ratio="0"):
    """Spectral radius with h = 1 and a damping ratio; numbers as fractions or text."""
    parameters, omega = [sp.Rational(number) for number in parameters], sp.Rational(omega)
    return radius(amplification(method, parameters, sp.Integer(1), omega, 2 * sp.Rational(ratio) * omega))


def stability_limit(parameters, ratio="0"):
    """Largest stable omega h of the fourth-degree method between 1 and 2, by bisection."""
    stable, unstable = sp.Integer(1), sp.Integer(2)
    while unstable - stable > 1e-9:
        middle = (stable + unstable) / 2
        if oscillator_radius(fourth_degree, parameters, middle, ratio) <= 1 + mpf(10)**-20:
            stable = middle
        else:
            unstable = middle
    return mpf(stable.p) / stable.q


DAMPED = exact_solution(lambda t, y: [y[1], 9.81 * np.cos(y[0]) - y[1] / 2], [0.3, 0.5], 0, 2)


def damped_order(method, parameters, steps, exact=True):
    """Order of the velocity of the damped pendulum at t = 2 from two runs, j(0) and s(0) exact or zero."""
    x, v = 0.3, 0.5
    a = 9.81 * np.cos(x) - v / 2
    j = -9.81 * np.sin(x) * v - a / 2
    s = -9.81 * (np.cos(x) * v**2 + np.sin(x) * a) - j / 2
    derivatives = [v, a, j * exact, s * exact][:len(parameters)]
    errors = []
    for count in (steps, 2 * steps):
        h = 2 / count
        state = [x + sum(h**k / factorial(k) * value for k, value in enumerate(derivatives, 1)), *derivatives]
        for _ in range(count):
            state = method(parameters, h, state, lambda angle: 9.81 * np.cos(angle), 0.5)
        errors.append(abs(state[1] - DAMPED(2)[1]))
    return order(errors)


def after_39():
    """After (39): the particular solution and its start."""
    omega, load, t = sp.symbols("omega omega_bar t", positive=True)
    x = sp.sin(load * t) / (omega**2 - load**2)
    return [sp.simplify(x.diff(t, 2) + omega**2 * x - sp.sin(load * t)) == 0,
            sp.simplify(x.diff(t).subs(t, 0) - load / (omega**2 - load**2)) == 0]


def third_order_condition():
    """After (58), Sect. 5.1: beta = gamma - 1/6 and not 2 gamma/3."""
    return [damped_order(fourth_degree, parameters, 800) for parameters in ((3/4, 2/3, 1), (1, 2/3, 1), (1, 5/6, 1))]


ALPHA, BETA, GAMMA, ZETA, H, OMEGA = sp.symbols("alpha beta gamma zeta h omega", positive=True)
HALF, THIRD = sp.Rational(1, 2), sp.Rational(1, 3)


def error_65():
    """(65): error of a step for a quartic with exact past, and where the printed one is equal."""
    t, *c = sp.symbols("t c0:5")
    x = sum(factor * t**k / factorial(k) for k, factor in enumerate(c))
    state = [c[0], *(x.diff(t, k).subs(t, -H) for k in (1, 2, 3))]
    step = fourth_degree((ALPHA, BETA, GAMMA), H, state, lambda _: c[2])[0]
    right = 3 * HALF / 4 - BETA / (4 * GAMMA) - ALPHA / (12 * GAMMA)
    printed = BETA / (4 * GAMMA) - ALPHA / (12 * GAMMA) + THIRD / 8
    return [sp.expand(x.subs(t, H) - step - right * H**4 * c[4]) == 0, sp.solve(right - printed, BETA) == [2 * GAMMA / 3]]


def printed_74():
    """(74) as printed."""
    total, ratio = (ALPHA + 4 * BETA + 4 * ZETA) / (12 * GAMMA), BETA / (3 * GAMMA)
    return sp.Matrix([
        [1 - (total + HALF) * H**2 * OMEGA**2, H, (1 - total) * H**2, (2 * THIRD - total) * H**3,
         (3 * HALF / 2 - total / 2) * H**4],
        [-ratio * H * OMEGA**2, 1, (1 - ratio) * H, (HALF - ratio) * H**2, (THIRD - ratio) / 2 * H**3],
        [-OMEGA**2, 0, 0, 0, 0],
        [-2 * ZETA / GAMMA * OMEGA**2 / H, 0, -2 * ZETA / GAMMA / H, 1 - 2 * ZETA / GAMMA, (1 - ZETA / GAMMA) * H],
        [-2 / GAMMA * OMEGA**2 / H**2, 0, -2 / GAMMA / H**2, -2 / GAMMA / H, 1 - 1 / GAMMA]])


def matrices():
    """(74): only the entry (1,5) is wrong, 3/4 for 3/8; (37) and (67) are right."""
    total, ratio = (ALPHA + 3 * BETA) / (6 * GAMMA), BETA / (2 * GAMMA)
    printed_37 = sp.Matrix([[1 - (ALPHA / 2 + BETA) * H**2 * OMEGA**2, H, (3 * HALF - ALPHA / 2 - BETA) * H**2],
                            [-BETA * H * OMEGA**2, 1, (1 - BETA) * H], [-OMEGA**2, 0, 0]])
    printed_67 = sp.Matrix([
        [1 - (total + HALF) * H**2 * OMEGA**2, H, (1 - total) * H**2, (2 * THIRD - total) * H**3],
        [-ratio * H * OMEGA**2, 1, (1 - ratio) * H, (HALF - ratio) * H**2],
        [-OMEGA**2, 0, 0, 0], [-OMEGA**2 / (H * GAMMA), 0, -1 / (H * GAMMA), 1 - 1 / GAMMA]])
    slip = sp.zeros(5, 5)
    slip[0, 4] = -3 * HALF / 4 * H**4
    parameters = (ALPHA, BETA, GAMMA, ZETA)
    return [sp.simplify(amplification(method, parameters[:len(right.col(0)) - 1], H, OMEGA) - right).is_zero_matrix
            for method, right in ((fifth_degree, printed_74() + slip), (third_degree, printed_37),
                                  (fourth_degree, printed_67))]


def growth():
    """Sect. 5.3, (4/5, 1, 1, 1): radii minus 1, those of the misprinted (74), and when the pendulum has gained 1 J."""
    def energy_time(alpha):
        # long double, as round-off excites the growth, too
        h, gravity, energy, steps = np.longdouble(1) / 100, np.longdouble(981) / 100, 0, 0
        parameters, state = (np.longdouble(alpha), 1, 1, 1), [h**2 / 2 * gravity, 0, gravity, 0, 0]
        while abs(energy) < 1:
            angle, steps = state[0], steps + 1
            state = fifth_degree(parameters, h, state, lambda x: gravity * np.cos(x))
            energy = state[1]**2 / 2 - gravity * np.sin(angle)
        return float(steps * h)

    radii = [oscillator_radius(fifth_degree, ("4/5", 1, 1, 1), omega) - 1 for omega in ("0.001", "0.01", "0.1", "0.6")]
    misprinted = printed_74().subs({ALPHA: sp.Rational(4, 5), BETA: 1, GAMMA: 1, ZETA: 1, H: 1})
    wrong = [radius(misprinted.subs(OMEGA, sp.Rational(i, 20))) - 1 for i in range(1, 15)]
    return [radii[0] * 10**6, *radii, max(wrong[:13]), wrong[13] > 2 * wrong[12], energy_time("0.8"), energy_time("1")]


def fourth_order():
    """Sects. 5.3 and 9: order of (4/5, 1, 1, 1)."""
    return [damped_order(fifth_degree, (4/5, 1, 1, 1), 400)]


def limit_of_fourth_degree():
    """Sect. 5.2, (3/4, 1/3, 1/2): limit, the root -1, and the growth with damping at omega h = 0.1."""
    parameters = ("3/4", "1/3", "1/2")
    matrix = amplification(fourth_degree, [sp.Rational(number) for number in parameters], sp.Integer(1), OMEGA)
    return [stability_limit(parameters), sp.simplify((matrix + sp.eye(4)).det()) == 0,
            *(oscillator_radius(fourth_degree, parameters, "0.1", ratio) - 1 for ratio in ("0.01", "0.1"))]


def starting_derivatives():
    """Sect. 5.2: (1/2, 7/4, 3/2, 1) with exact j(0), s(0) and with zeros."""
    return [damped_order(fifth_degree, (1/2, 7/4, 3/2, 1), 400, exact) for exact in (True, False)]


def table_4():
    """Table 4: largest energy errors of the pendulum of Sect. 3 in 34 digits, up to two steps before 10 s."""
    def energy_error(alpha, steps):
        h, gravity, largest = mpf(10) / steps, mpf("9.81"), 0
        parameters, state = (mpf(alpha), mpf(1) / 3, mpf(1) / 2), [h**2 / 2 * gravity, mpf(0), gravity, mpf(0)]
        for _ in range(steps - 2):
            angle = state[0]
            state = fourth_degree(parameters, h, state, lambda x: gravity * mp.cos(x))
            largest = max(largest, abs(state[1]**2 / 2 - gravity * mp.sin(angle)))
        return largest

    with mp.workdps(34):
        return [energy_error("1.25", 100000), *(energy_error(alpha, 10000) for alpha in ("1.25", "0.25", "0.75"))]


def better_sets():
    """(1, 5/6, 1) and (1/2, 7/4, 3/2, 1): orders; limits of the first, undamped and at half the critical damping."""
    parameters = (1, "5/6", 1)
    below = [oscillator_radius(fourth_degree, parameters, sp.Rational(i, 10), ratio) for ratio in ("0", "1/2")
             for i in range(1, 15)]
    return [damped_order(fourth_degree, (1, 5/6, 1), 800), damped_order(fifth_degree, (1/2, 7/4, 3/2, 1), 400),
            stability_limit(parameters), stability_limit(parameters, "1/2"), max(below) < 1]


# Negrut, Jay, Khude 2009 ----------------------------------------------------------------------------------------------


def mass_matrix_of_8():
    """(8): HHT-I3 with M(q_(n+1)) and with the mass matrix of (13); order with (8) for alpha = 0."""
    def mass(q):
        return 1 + 0.6 * np.cos(q)

    def force(q, v):
        return 0.3 * np.sin(q) * v**2 - 2 * np.sin(q)

    def velocity_error(alpha, steps, as_printed):
        h, beta, gamma, q, v = 2 / steps, (1 - alpha)**2 / 4, 0.5 - alpha, 0.5, 1.5
        a = force(q, v) / mass(q)
        for _ in range(steps):
            def advance(a_new):
                return q + h * v + h**2 * ((0.5 - beta) * a + beta * a_new), v + h * ((1 - gamma) * a + gamma * a_new)

            def residual(a_new):
                inertia = mass(advance(a_new)[0] if as_printed else q + h * (1 + alpha) * v)
                return inertia * a_new - (1 + alpha) * force(*advance(a_new)) + alpha * force(q, v)

            a_new = newton(residual, a, tol=1e-13)
            (q, v), a = advance(a_new), a_new
        return abs(v - exact)

    exact = exact_solution(lambda t, y: [y[1], force(*y) / mass(y[0])], [0.5, 1.5], 0, 2)(2)[1]
    printed, right, conservative = ([velocity_error(alpha, steps, as_printed) for steps in (200, 400, 800, 1600)]
                                    for alpha, as_printed in ((-0.3, True), (-0.3, False), (0, True)))
    return [*printed, order(printed), *right, order(right), order(conservative)]


def jacobian_of_10():
    """J_NSTIFF-SI2, corrected and printed, against the derivative of (10) on an example with moving constraint."""
    *names, t = sp.symbols("a:2 w:2 l m q:2 v:2 t")
    rates, slopes, force, drift, q, v = (sp.Matrix(names[i:j]) for i, j in ((0, 2), (2, 4), (4, 5), (5, 6), (6, 8), (8, 10)))
    constraint = sp.Matrix([q[0]**2 + q[1]**3 / 2 - 1 + 0.3 * t * q[0]])
    mass = sp.Matrix([[2 + q[0]**2, 0.3 * q[1]], [0.3 * q[1], 1.5]])
    applied = sp.Matrix([-0.7 * v[0] - 0.2 * v[1] * q[0], -9.8 - 0.4 * v[1]**2 + q[0] * q[1]])
    gradient, step, one = constraint.jacobian(q), 0.2 / 3, sp.eye(2)
    motion, velocity = mass * rates + gradient.T * force - applied, gradient * v + constraint.diff(t)
    residual = sp.Matrix.vstack(motion, v - slopes + gradient.T * drift, constraint / step, velocity / step)
    # q and v depend on the unknowns by q = ... + step slopes, v = ... + step rates
    exact = residual.jacobian(names[:6])
    exact[:, :2] += step * residual.jacobian(v)
    exact[:, 2:4] += step * residual.jacobian(q)
    stiffness, curvature = step * motion.jacobian(q), step * (gradient.T * drift).jacobian(q)
    column, row, corner, turned = sp.zeros(2, 1), sp.zeros(1, 2), sp.zeros(1, 2), velocity.jacobian(q)
    corrected = sp.Matrix([[mass - step * applied.jacobian(v), stiffness, gradient.T, column],
                           [step * one, curvature - one, column, gradient.T],
                           [row, gradient, corner], [gradient, turned, corner]])
    printed = sp.Matrix([[mass, stiffness, gradient.T, column], [step * one, -curvature - one, column, gradient.T],
                         [gradient, row, corner], [turned, gradient, corner]])
    past_q, past_v, unknowns = (np.random.default_rng(1).normal(size=10)[i:j] for i, j in ((0, 2), (2, 4), (4, 10)))
    point = dict(zip([*names, t], [*unknowns, *(past_q + step * unknowns[2:4]), *(past_v + step * unknowns[:2]), 0.4]))
    return [max(abs(entry) for entry in (matrix - exact).subs(point)) for matrix in (corrected, printed)]


def newmark_drift():
    """Sect. 3.3: abs(Gv) of Newmark's method, gamma = 0.6, beta = 0.3025, for t from 1 to 2."""
    drifts = []
    for h in STEPS:
        q, v, a, multiplier = pendulum_start()
        drifts.append(0)
        for step in range(round(2 / h)):
            base, v = q + h * v + h**2 * (0.5 - 0.3025) * a, v + h * 0.4 * a
            a, multiplier = balance(base, 0.3025 * h**2, a, multiplier)
            q, v = base + 0.3025 * h**2 * a, v + h * 0.6 * a
            drifts[-1] = max(drifts[-1], abs(q @ v) if step * h > 1 else 0)
    return drifts


def rod_section():
    """Flexible rod: I, S and density of a square of 24 mm, and the density with the printed S."""
    return [0.024**4 / 12, 0.024**2, 0.9 / (0.6 * 0.024**2), 0.9 / (0.6 * 5.74e-6)]


# Zupan, Zupan ---------------------------------------------------------------------------------------------------------

TAU, W = 2 - np.sqrt(2), np.sqrt(2) / 4
ROW_18 = np.array([(1 - W) / 3, (3 * W + 1) / 3, TAU / 6])


def last_row_of_9():
    """(9), last row: its sum and order conditions, then those of (18)."""
    a, c = np.array([[0, 0, 0], [TAU / 2, TAU / 2, 0], [W, W, TAU / 2]]), np.array([0, TAU, 1])
    rows = np.array([2 - TAU, 3 * TAU + 2, TAU]) / 6, ROW_18
    return [number for b in rows for number in (b.sum(), b @ c, b @ c**2, b @ a @ c)]


def rotation_correction():
    """(20): rotation error of one step with 48 and with 24."""
    def rate(t):
        return np.array([1 + np.sin(t), np.cos(2 * t), 0.5 + t])

    def derivative(t, q):
        return np.array([-q[1:] @ rate(t), *(q[0] * rate(t) + np.cross(q[1:], rate(t)))]) / 2

    def error(h, factor):
        rates = np.array([rate(0.2), rate(0.2 + TAU * h), rate(0.2 + h)])
        correction = h**2 / (factor * TAU * (TAU - 1)) * np.cross(rates[0], TAU**2 * rates[2] - rates[1])
        exponent = h / 2 * ROW_18 @ rates + correction
        angle = np.linalg.norm(exponent)
        step = np.array([np.cos(angle), *(np.sin(angle) / angle * exponent)])
        return 2 * np.linalg.norm(exact(0.2 + h) - step)

    exact = exact_solution(derivative, [1, 0, 0, 0], 0.2, 0.31)
    return [error(h, factor) for factor in (48, 24) for h in (1/10, 1/20, 1/40, 1/80)]


def oscillator_step(omega, position_stage, velocity_stage, kept=False):
    """Matrix of a step h = 1 for (x, v, a): which stages give x and v, and whether a of stage 2 is kept."""
    system, columns = np.array([[0, 1], [-omega**2, 0]]), []
    inverse = np.linalg.inv(np.eye(2) - TAU / 2 * system)
    for x, v, a in np.eye(3):
        start, rates = np.array([x, v]), [np.array([v, a])]
        rates.append(system @ inverse @ (start + TAU / 2 * rates[0]))
        second = inverse @ (start + W * (rates[0] + rates[1]))
        rates.append(system @ second)
        stages = {2: second, 3: start + ROW_18 @ rates}
        x_new = stages[position_stage][0]
        columns.append([x_new, stages[velocity_stage][1], rates[2][1] if kept else -omega**2 * x_new])
    return np.array(columns).T


def order_after_20():
    """After (20): orders with the velocities of stage 2 and with those of stage 3."""
    def error(steps, stage):
        h = 5 / steps
        state = np.linalg.matrix_power(oscillator_step(h, 3, stage), steps) @ [1, 0.5 * h, -h**2]
        return abs(state[0] - np.cos(5) - 0.5 * np.sin(5))

    return [order([error(steps, stage) for steps in (200, 400)]) for stage in (2, 3)]


def growth_of_third_stage():
    """Sects. I, III: growth over omega^4 at 0.1 and radii with a kept, a anew, v of stage 3; stage 2 alone is L-stable."""
    def largest(*variant):
        return max(abs(np.linalg.eigvals(oscillator_step(*variant))))

    second = [largest(omega, 2, 2) for omega in np.logspace(-1, 5, 50)]
    return [(largest(0.1, 3, 2, True) - 1) * 1e4, *(largest(omega, 3, 2, True) for omega in (1, 2.5, 5)),
            largest(1, 3, 2), largest(1, 3, 3), max(second) <= 1, second[-1]]


# Published reference values -------------------------------------------------------------------------------------------


def squeezer():
    """Andrews' squeezer: beta of our integration with 3000 and 6000 steps, the published one against it, G v of both."""
    # in the absolute angles of the seven bodies every point is a sum of complex lengths times exp(i angle)
    mass = np.array([0.04325, 0.00365, 0.02373, 0.00706, 0.07050, 0.00706, 0.05498])
    inertia = np.diag([2.194e-6, 4.410e-7, 5.255e-6, 5.667e-7, 1.169e-5, 5.667e-7, 1.912e-5])
    centres = np.diag([0.00092, -0.0115, 0.01043 - 0.01874j, -0.00579j, 0.02308 + 0.00916j, 0.00579, -0.00449 - 0.01228j])
    centres[1, 0], centres[3, 4], centres[5, 6] = 0.007, 0.04, -0.04j
    loops = np.array([[0.007, -0.028, 0.035j, 0, 0, 0, 0], [0.007, -0.028, 0, 0.02j, -0.04, 0, 0],
                      [0.007, -0.028, 0, 0, 0, -0.02, 0.04j]])
    spring_base, spring_arm = -0.05035 - 0.03927j, 0.02 - 0.018j
    absolute = np.eye(7)
    absolute[1, 0] = absolute[3, 4] = absolute[5, 6] = 1

    def gradients(angles):
        directions = np.exp(1j * angles)
        closure = 1j * loops * directions
        return directions, 1j * centres * directions, np.vstack([closure.real, closure.imag])

    def derivative(state):
        angles, rates = state[:7], state[7:]
        directions, motion, closure = gradients(angles)
        centripetal, weighted = directions * rates**2, motion.conj().T * mass
        force, bias = (weighted @ (centres @ centripetal)).real, loops @ centripetal
        arm = spring_arm * directions[2]
        pull = -4530 * (1 - 0.07785 / abs(spring_base + arm)) * (spring_base + arm)
        force[2] += ((1j * arm).conjugate() * pull).real
        force[0] += 0.033
        system = np.block([[(weighted @ motion).real + inertia, closure.T], [closure, np.zeros((6, 6))]])
        return np.concatenate([rates, np.linalg.solve(system, [*force, *bias.real, *bias.imag])[:7]])

    start = absolute @ [-0.0617138900142764496, 0, 0.455279819163070380, 0.222668390165885885, 0.487364979543842550,
                        -0.222668390165885885, 1.230547444549821192]
    published = np.concatenate([absolute @ part for part in (
        [15.81077119629904, -15.75637105984298, 0.04082224013073101, -0.5347301163226948, 0.5244099658805304,
         0.5347301163226948, 1.048080741042263],
        [1139.920302151208, -1424.379294994111, 11.03291221937134, 19.29337464421385, 0.5735699284790808,
         -19.29337464421385, 0.3231791658026955])])
    ends = []
    for steps in (3000, 6000):
        h, state, lost, slopes = 0.03 / steps, np.concatenate([start, np.zeros(7)]), np.zeros(14), np.zeros((12, 14))
        for _ in range(steps):
            for i in range(12):
                slopes[i] = derivative(state + h * (DOP853.A[i, :i] @ slopes[:i]))
            increment = h * (DOP853.B @ slopes) - lost
            state, before = state + increment, state
            lost = (state - before) - increment
        ends.append(state)
    return [ends[0][0], ends[1][0], published[0] - ends[1][0], ends[1][7] - published[7],
            *(max(abs(gradients(state[:7])[2] @ state[7:])) for state in (published, ends[1]))]


# What the page says: numbers as printed there, "<" for a bound, "yes" for a statement -----------------------------------

CHECKS = [
    ("Zhang 2022, Table 7, MSSTH(3)", table_7_third_order,
     "0.4358665215084590 0.3756022250152854 0.3333333333333333 1.1e-15 2.07 1.55 1.11 <1e-30"),
    ("Zhang 2022, Table 7, c3 and c4; (32)", table_7_nodes,
     "1.008 1.09 1.49 0.48634 0.74310 0.60973 0.82003 0.67379 0.91294 <5e-14"),
    ("Zhang 2022, Table 7, digits", table_7_digits, "1.2e-15 2.4e-15"),
    ("Zhang 2022, Table 5, J", table_5_inertia, "11.64 313.4 1.49226e-3 1.6881e-6 0.013167"),
    ("Zhang 2022, Table 5, GJ and EJ", table_5_stiffness, "354504 272696 57.1 1.8"),
    ("Zhang 2022, Sect. 5.4, disk", disk_inertia, "2.0325 1.0163 1.4"),
    ("Zhang 2022, Table 3", table_3, "52.992 13.248 1130.5 70.656"),
    ("Zhang 2022, (30), Table 4", right_as_printed,
     "<1e-30 2.68 2233 73 6.083e4 2.68 22.33 73 608.3 1.212 43.65 33.02 1189 4.85 698.3 132.1 1.902e4"),
    ("Zhang 2022, start of SS2 to SS4", start_of_single_step,
     "7.55 0.89 0.98 1.03 1.05 1.0 0.91 1.05 1.11 1.14 1.0 0.27 0.13 0.067 0.033 2.0 0.46 0.23 0.11 0.057 2.0 "
     "0.21 0.10 0.052 0.026"),
    ("Zhang 2021, LMS3, LMS4 at rho = 1", multiple_roots, "yes yes"),
    ("Zhang 2021, (4) as starter", starter_4, "3.4 3.6 3.7 3.7 0.54 0.26 0.13 0.066"),
    ("Zhang 2021, (41c), (55)", lost_in_copies, "yes <1e-14"),
    ("Fernandez, after (39)", after_39, "yes yes"),
    ("Fernandez, after (58)", third_order_condition, "2.0 2.0 3.0"),
    ("Fernandez, (65)", error_65, "yes yes"),
    ("Fernandez, (74), (37), (67)", matrices, "yes yes yes"),
    ("Fernandez, Sect. 5.3, growth", growth, "0.267 2.67e-7 2.67e-5 2.67e-3 0.105 <0.008 yes 2.9e3 2.35e3"),
    ("Fernandez, Sect. 5.3, order", fourth_order, "4.0"),
    ("Fernandez, Sect. 5.2, limit", limit_of_fourth_degree, "1.7320508 yes 6.7e-4 6.7e-3"),
    ("Fernandez, Sect. 5.2, j(0)", starting_derivatives, "4.0 2.0"),
    ("Fernandez, Table 4 and its end", table_4, "5.39e-15 5.540e-11 8.67265e-7 4.3364e-7"),
    ("Fernandez, better sets", better_sets, "3.0 4.0 1.7320508 1.5 yes"),
    ("Negrut, (8)", mass_matrix_of_8, "9.8e-4 4.8e-4 2.4e-4 1.2e-4 1.0 9.6e-6 2.4e-6 6.0e-7 1.5e-7 2.0 2.0"),
    ("Negrut, J_NSTIFF-SI2", jacobian_of_10, "<2.5e-9 4.4"),
    ("Negrut, Sect. 3.3", newmark_drift, "4.1e-4 1.04e-4 2.6e-5 6.6e-6"),
    ("Negrut, flexible rod", rod_section, "2.7648e-8 5.76e-4 2604 2.6e5"),
    ("Zupan, (9)", last_row_of_9, "0.95956 0.4645 0.3125 0.1563 1.0000000000 0.5000000000 0.3333333333 0.1666666667"),
    ("Zupan, (20)", rotation_correction, "1.2e-4 1.4e-5 1.6e-6 2.0e-7 2.0e-5 1.3e-6 8.0e-8 5.0e-9"),
    ("Zupan, after (20)", order_after_20, "2.0 3.0"),
    ("Zupan, Sects. I, III", growth_of_third_stage, "0.012 1.0086 1.07 1.29 1.0040 1.0117 yes <1e-4"),
    ("Andrews' squeezer", squeezer, "15.81077119515 15.81077119515 1.15e-9 1.08e-7 9.9e-10 <2e-14"),
]


def compare(value, said):
    """The number as shown, and whether it agrees with what the page says."""
    if said == "yes":
        return ("yes" if value else "no"), bool(value)
    if said.startswith("<"):
        return f"{float(value):.1e}", value <= mpf(said[1:])
    mantissa, _, exponent = said.partition("e")
    decimals = len(mantissa.partition(".")[2])
    shown = f"{float(value):.{decimals}{'e' if exponent else 'f'}}"
    half_unit = mpf(10) ** Decimal(said).as_tuple().exponent / 2
    return shown, abs(mpf(value) - mpf(said)) <= half_unit


def main():
    """Prints the table; 1 if a number differs."""
    differences = 0
    for where, function, page in CHECKS:
        numbers = []
        agreed = True
        for value, said in zip(function(), page.split(), strict=True):
            shown, same = compare(value, said)
            numbers.append(shown if same else f"{shown} (page: {said})")
            agreed = agreed and same
        differences += not agreed
        print(f"{where}: {' '.join(numbers)}: {'ok' if agreed else 'differs'}", flush=True)
    return 1 if differences else 0


if __name__ == "__main__":
    sys.exit(main())
