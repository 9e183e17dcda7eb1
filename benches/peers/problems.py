"""The problems: model file, parameters, step, end time, checked quantities, reference values, target error.

The errors are largest absolute differences of the checked quantities at the end time from the reference, in m or rad. A reference
is a value from the literature or from the comment of the model file, or an exact solution, or it is computed by Cardan with a method of higher
order and shorter steps (`REFERENCE_METHOD`, `reference_divisor`). For beams the reference has a finer mesh of three-node Galerkin elements, so that the
errors contain those of the mesh.
"""

from dataclasses import dataclass, field
from math import cos, sin

REFERENCE_METHOD = "esdirk436"

# Steps that are tried to reach the target error, as multiples of the step of the problem, the largest first.
STEP_FACTORS = [8, 4, 2, 1, 0.5, 0.25]


@dataclass
class Problem:
    """One problem for all programs."""

    name: str
    title: str
    model: str
    peer: str
    rho: float
    step: float
    end: float
    read: list
    target: float
    set: dict = field(default_factory=dict)
    parameters: dict = field(default_factory=dict)
    beams: str | None = None
    reference: list | None = None
    reference_set: dict | None = None
    reference_beams: str | None = None
    reference_divisor: int = 4
    programs: tuple = ("exudyn",)
    remark: str = ""

    def steps(self, factor=1.0):
        """The number of steps for a step of `factor` times the step of the problem; None if it does not divide the time."""
        count = self.end / (self.step * factor)
        return round(count) if abs(count - round(count)) < 1e-6 else None


PENDULUM = -0.278680673570
BOTH = ("exudyn", "mujoco")
TWO_NODES = "Exudyn has two elements with two nodes for each three-node element."
TREE = "MuJoCo and the kinematic tree of Exudyn have joint angles as coordinates, and no constraints."

NO_TREE = "MuJoCo is not run: its matrix is full, and by the time for 1000 bodies a step would take seconds."


def row_of_four_bars(n, end):
    """The tip of the first crank of n four-bars. They move as one pendulum: its equation is integrated here by the classical
    Runge-Kutta method. For n = 2 and 10 s it is (0.328458111541, 0.944518538179)."""
    inertia, moment = (n + 1) / 3 + n, 9.81 * ((n + 1) / 2 + n)
    steps = 20000
    h, angle, rate = end / steps, 0.0, 1.0

    def slope(angle, rate):
        return rate, moment / inertia * sin(angle)

    for _ in range(steps):
        a = slope(angle, rate)
        b = slope(angle + h / 2 * a[0], rate + h / 2 * a[1])
        c = slope(angle + h / 2 * b[0], rate + h / 2 * b[1])
        d = slope(angle + h * c[0], rate + h * c[1])
        angle += h / 6 * (a[0] + 2 * b[0] + 2 * c[0] + d[0])
        rate += h / 6 * (a[1] + 2 * b[1] + 2 * c[1] + d[1])
    return [sin(angle), cos(angle)]


def chain(n, end, target, programs=("exudyn", "mujoco", "mbdyn")):
    """The spatial chain with n bodies."""
    return Problem(
        name=f"chain_{n}",
        title=f"chain of {n} bodies in space",
        model="benches/peers/models/chain.toml",
        peer="chain",
        set={"n": n},
        parameters={"n": n},
        rho=0.8,
        step=1e-3,
        end=end,
        read=["rod0.position", f"rod{n - 1}.position"],
        target=target,
        programs=programs,
        remark=TREE if "mujoco" in programs else NO_TREE,
    )


def cantilever(n, end, target):
    """The cantilever with n two-node elements."""
    return Problem(
        name=f"cantilever_{n}",
        title=f"cantilever, {n} two-node elements",
        model="benches/peers/models/cantilever.toml",
        peer="cantilever",
        set={"n": n},
        parameters={"n": n},
        rho=0.8,
        step=1e-3,
        end=end,
        read=["arm.end"],
        target=target,
        reference_set={"n": 32, "nodes": 3},
        remark="Cardan: Galerkin form. Exudyn: interpolation on SE(3).",
    )


def shaft(name, title, n, beams, exudyn_elements):
    """The rotating shaft; Exudyn has `exudyn_elements` pairs of two-node elements."""
    return Problem(
        name=name,
        title=title,
        model="models/rotating_shaft.toml",
        peer="rotating_shaft",
        set={"n": n},
        parameters={"n": exudyn_elements},
        beams=beams,
        rho=0.6,
        step=1e-3,
        end=1,
        read=["shaft.mid.y", "shaft.mid.z"],
        target=1e-2,
        reference_set={"n": 16},
        reference_beams="galerkin",
        remark="Exudyn has 32 two-node elements." if n != exudyn_elements else TWO_NODES,
    )


PROBLEMS = [
    Problem(
        name="andrews",
        title="Andrews' squeezer (IFToMM A03)",
        model="models/andrews.toml",
        peer="andrews",
        rho=0.8,
        step=1e-5,
        end=0.03,
        read=["O.angle"],
        reference=[15.8107711951537],
        target=1e-3,
    ),
    Problem(
        name="four_bars_2",
        title="two four-bars",
        model="models/four_bars.toml",
        peer="four_bars",
        set={"n": 2},
        parameters={"n": 2},
        rho=0.95,
        step=1e-3,
        end=10,
        read=["crank0.B.x", "crank0.B.y"],
        reference=row_of_four_bars(2, 10),
        target=1e-3,
        programs=BOTH,
        remark="MuJoCo closes the loops by stiff springs with dampers.",
    ),
    Problem(
        name="four_bars_40",
        title="40 four-bars (IFToMM A02)",
        model="models/four_bars.toml",
        peer="four_bars",
        set={"n": 40},
        parameters={"n": 40},
        rho=0.95,
        step=1e-3,
        end=2,
        read=["crank0.B.x", "crank0.B.y"],
        reference=row_of_four_bars(40, 2),
        target=1e-4,
        programs=BOTH,
        remark="MuJoCo closes the loops by stiff springs with dampers.",
    ),
    Problem(
        name="slider_crank",
        title="slider-crank with spring and damper",
        model="models/slider_crank.toml",
        peer="slider_crank",
        rho=0.8,
        step=1e-3,
        end=2,
        read=["crank.angle"],
        reference=[-0.758205624275],
        target=1e-4,
    ),
    chain(10, 1, 1e-4),
    chain(100, 0.5, 1e-4),
    chain(1000, 0.048, 1e-5),
    chain(5000, 0.016, 1e-6, ("exudyn", "mbdyn")),
    shaft("shaft", "rotating shaft, 16 three-node elements", 16, None, 16),
    shaft("shaft_galerkin", "rotating shaft, 4 Galerkin elements", 4, "galerkin", 16),
    Problem(
        name="lateral_buckling",
        title="lateral buckling of a thin beam",
        model="models/lateral_buckling.toml",
        peer="lateral_buckling",
        set={"n": 5},
        parameters={"n": 5},
        rho=0.6,
        step=1e-3,
        end=0.12,
        read=["beam.mid"],
        target=1e-4,
        reference_set={"n": 20},
        reference_beams="galerkin",
        remark=TWO_NODES + " It ends before the buckling, which amplifies all errors.",
    ),
    Problem(
        name="flexible_four_bar",
        title="flexible four-bar",
        model="models/flexible_four_bar.toml",
        peer="flexible_four_bar",
        set={"n": 5, "smooth": 1},
        parameters={"n": 5},
        rho=0.6,
        step=4e-3,
        end=2,
        read=["bc.end"],
        target=1e-5,
        reference_set={"n": 10, "smooth": 1},
        reference_beams="galerkin",
        remark=TWO_NODES + " It starts from rest (`smooth=1`).",
    ),
    cantilever(10, 0.48, 3e-3),
    cantilever(100, 0.2, 1e-3),
    cantilever(1000, 0.032, 1e-4),
    Problem(
        name="pendulum",
        title="simple pendulum (IFToMM A01)",
        model="models/pendulum.toml",
        peer="pendulum",
        rho=0.8,
        step=1e-3,
        end=10,
        read=["bob.position.x", "bob.position.y"],
        reference=[sin(PENDULUM), -cos(PENDULUM)],
        target=1e-3,
        programs=BOTH,
        remark="MuJoCo has one coordinate and no constraints.",
    ),
    Problem(
        name="heavy_top",
        title="heavy top",
        model="models/heavy_top.toml",
        peer="heavy_top",
        rho=0.9,
        step=1e-4,
        end=1,
        read=["top.position"],
        reference=[0.173343964098, 0.640088592071, -0.748490791134],
        target=1e-3,
        programs=BOTH,
        remark="MuJoCo has three coordinates and no constraints.",
    ),
    Problem(
        name="bricard",
        title="Bricard's loop (IFToMM A04)",
        model="models/bricard.toml",
        peer="bricard",
        rho=0.9,
        step=1e-3,
        end=2,
        read=["rod3.position"],
        target=1e-5,
        remark="Exudyn: one redundant constraint was removed from the model by hand.",
    ),
    Problem(
        name="flyball",
        title="stiff flyball governor (IFToMM A05)",
        model="models/flyball.toml",
        peer="flyball",
        rho=0.6,
        step=1e-3,
        end=2,
        read=["slide.translation"],
        target=1e-4,
    ),
]

BY_NAME = {problem.name: problem for problem in PROBLEMS}
QUICK = ["andrews", "chain_10"]
