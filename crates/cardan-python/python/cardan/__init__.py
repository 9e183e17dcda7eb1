"""Flexible multibody dynamics, with every integrator chosen by one word.

>>> import cardan
>>> m = cardan.Model(planar=True, gravity=(0, -9.81))
>>> bar = m.body("bar", mass=2, shape={"rod": 1}, position=(0.5, 0))
>>> pin = m.revolute("O", "ground", "bar", at=(0, 0))
>>> r = m.run(end=5, step=1e-3)
>>> angle = r["O.angle"]     # a NumPy array over r.time

Models hold what a model file holds, with the same words; `help(cardan.Model)` lists every joint and force.
"""

from __future__ import annotations

from ._analysis import Check, Equilibrium, Modes, StateSpace
from ._callables import Function
from ._cardan import EventView, ForceView, Simulation, State
from ._errors import (
    BusyError,
    CardanWarning,
    ChannelError,
    Error,
    Interrupted,
    ModelError,
    ResultsError,
    SettingsError,
    SolveError,
)
from ._laboratory import compare, methods, resume, spectrum
from ._model import Model, example, examples, load, loads
from ._results import Results, open_results
from ._study import Study, open_study, study
from ._study_plot import Picture
from ._system import System
from ._tables import Table
from ._view import View

__version__ = "0.1.0"

__all__ = [
    "BusyError",
    "CardanWarning",
    "ChannelError",
    "Check",
    "Equilibrium",
    "Error",
    "EventView",
    "ForceView",
    "Function",
    "Interrupted",
    "Model",
    "ModelError",
    "Modes",
    "Picture",
    "Results",
    "ResultsError",
    "SettingsError",
    "Simulation",
    "SolveError",
    "State",
    "StateSpace",
    "Study",
    "System",
    "Table",
    "View",
    "compare",
    "example",
    "examples",
    "load",
    "loads",
    "methods",
    "open_results",
    "open_study",
    "resume",
    "spectrum",
    "study",
]
