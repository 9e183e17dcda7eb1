"""Written by `python -m cardan._stubs`; a test compares."""

from collections.abc import Callable, Mapping, Sequence
from os import PathLike
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from ._callables import Function
from ._cardan import Simulation, State
from ._parts import Part, Parts
from ._results import Results

Number = float | str
Vector = Sequence[float | str] | NDArray[np.float64]
FunctionLike = float | str | Callable[..., Any] | Function
VectorFunction = float | str | Sequence[float | str] | NDArray[np.float64] | Callable[..., Any] | Function
LawLike = str | Callable[[float, float], Any]

class Surface:
    def table(
        self,
        name: str,
        x: Any,
        value: Any,
        *,
        file: str | PathLike[str] | None = None,
        y: Any | None = None,
        interpolation: Literal["linear", "pchip", "spline", "bilinear", "bicubic"] | None = None,
        outside: Literal["refuse", "hold", "extend"] | None = None,
    ) -> Part:
        """Values between given points: a function `NAME(x)` of formulas, or `NAME(x, y)` for a map of two variables. The numbers are columns of a file, or lists."""
        ...
    def body(
        self,
        name: str,
        *,
        inertia: Number | Vector | Sequence[Vector] | None = None,
        centre: Vector | None = None,
        shape: Mapping[str, Any] | None = None,
        angle: Number | None = None,
        orientation: Any | None = None,
        angular_velocity: Number | Vector | None = None,
        mass: Number | None = None,
        shapes: Sequence[Mapping[str, Any]] | None = None,
        position: Vector | None = None,
        velocity: Vector | None = None,
        points: Mapping[str, Vector] | None = None,
        assembly_weight: Number | None = None,
        repeat: int | str | None = None,
        type: Literal["rigid", "point-mass"] | None = None,
    ) -> Part:
        """A body."""
        ...
    def beam(
        self,
        name: str,
        *,
        path: Any | None = None,
        curve: Any | None = None,
        start: str | None = None,
        end: str | None = None,
        elements: Any | None = None,
        nodes: int | str | None = None,
        form: Literal["galerkin", "finite-volume"] | None = None,
        rotations: Literal["rotation-vector", "cayley"] | None = None,
        stiffness: Any | None = None,
        mass: Number | None = None,
        inertia: Any | None = None,
        profile: Any | None = None,
        young: Number | None = None,
        poisson: Number | None = None,
        density: Number | None = None,
        damping: Any | None = None,
        centre: Any | None = None,
        axis_2: Vector | None = None,
        offset: Any | None = None,
        points: Mapping[str, Number] | None = None,
        velocity: Vector | None = None,
        angular_velocity: Number | Vector | None = None,
        residual_flexibility: bool | None = None,
        lumping: Literal["points", "volumes"] | None = None,
        repeat: int | str | None = None,
    ) -> Part:
        """A flexible beam along a path, free of stress as described."""
        ...
    def flexible(
        self,
        name: str,
        *,
        length: Number | None = None,
        axial: int | str | None = None,
        torsion: int | str | None = None,
        support: Literal["pinned", "clamped", "free"] | None = None,
        points: Mapping[str, Number] | None = None,
        stiffness: Any | None = None,
        mass: Number | None = None,
        inertia: Any | None = None,
        profile: Any | None = None,
        young: Number | None = None,
        poisson: Number | None = None,
        density: Number | None = None,
        centre: Any | None = None,
        mass_matrix: str | PathLike[str] | None = None,
        stiffness_matrix: str | PathLike[str] | None = None,
        nodes: str | PathLike[str] | None = None,
        interfaces: Any | None = None,
        modes: int | str | None = None,
        damping: Number | None = None,
        position: Vector | None = None,
        angle: Number | None = None,
        orientation: Any | None = None,
        velocity: Vector | None = None,
        angular_velocity: Number | Vector | None = None,
        assembly_weight: Number | None = None,
        amplitudes: Vector | None = None,
        rates: Vector | None = None,
        repeat: int | str | None = None,
        type: Literal["beam", "finite-elements"] | None = None,
    ) -> Part:
        """A flexible body in a floating frame: it moves far and bends a little. Joints and forces act on its points."""
        ...
    def structure(
        self,
        name: str,
        *,
        length: Number | None = None,
        stiffness: Number | None = None,
        sides: Sequence[Number] | None = None,
        elements: int | str | None = None,
        tension: Number | None = None,
        mass: Number | None = None,
        lumping: Literal["consistent", "lumped"] | None = None,
        exact: bool | None = None,
        masses: Mapping[str, Number] | None = None,
        springs: Any | None = None,
        mass_matrix: str | PathLike[str] | None = None,
        stiffness_matrix: str | PathLike[str] | None = None,
        damping_matrix: str | PathLike[str] | None = None,
        points: Any | None = None,
        fixed: Sequence[str] | str | None = None,
        loads: Mapping[str, Number] | None = None,
        drives: Mapping[str, Number] | None = None,
        ties: Any | None = None,
        displacements: Mapping[str, Number] | None = None,
        velocities: Mapping[str, Number] | None = None,
        proportional_damping: Sequence[Number] | None = None,
        repeat: int | str | None = None,
        type: Literal["bar", "membrane", "masses", "matrices"],
    ) -> Part:
        """A linear structure M q̈ + C q̇ + K q = R(t), with one displacement per node. Nodes are counted from 0."""
        ...
    def truss(
        self,
        name: str,
        body_1: str,
        body_2: str,
        stiffness: Number,
        *,
        mass: Number | None = None,
        length: Number | None = None,
        mass_matrix: Literal["lumped", "consistent"] | None = None,
        repeat: int | str | None = None,
    ) -> Part:
        """A straight bar with an axial force only, of Green's strain."""
        ...
    def joint(
        self,
        name: str,
        *,
        pins: Sequence[Vector] | None = None,
        length: FunctionLike | None = None,
        at: Vector | None = None,
        axis: Vector | None = None,
        axes_on_bodies: Sequence[Vector] | None = None,
        offset: Number | None = None,
        rate: Number | None = None,
        rates: Mapping[str, Number] | None = None,
        between: Sequence[str] | None = None,
        repeat: int | str | None = None,
        type: Literal["revolute", "spherical", "prismatic", "cylindrical", "universal", "planar", "fixed", "distance", "point-on-line", "point-in-plane"],
    ) -> Part:
        """A joint between two bodies."""
        ...
    def gear(
        self,
        name: str,
        joints_1: str,
        joints_2: str,
        ratio: Number,
        *,
        repeat: int | str | None = None,
    ) -> Part:
        """Two joint coordinates that move in proportion."""
        ...
    def drive(
        self,
        name: str,
        *,
        joint: str | None = None,
        value: FunctionLike | None = None,
        point: str | None = None,
        x: FunctionLike | None = None,
        y: FunctionLike | None = None,
        z: FunctionLike | None = None,
        repeat: int | str | None = None,
        type: Literal["angle", "translation", "angular-velocity", "speed", "point"],
    ) -> Part:
        """A prescribed motion."""
        ...
    def rolling(
        self,
        name: str,
        centre: str,
        radius: Number,
        *,
        axis: Vector | None = None,
        plane_point: Vector | None = None,
        plane_normal: Vector | None = None,
        repeat: int | str | None = None,
    ) -> Part:
        """A disc that rolls without slipping."""
        ...
    def skate(
        self,
        name: str,
        point: str,
        across: Vector,
        *,
        repeat: int | str | None = None,
    ) -> Part:
        """A blade: a point that does not move sideways."""
        ...
    def force(
        self,
        name: str,
        *,
        rest: Number | None = None,
        law: LawLike | None = None,
        value: FunctionLike | None = None,
        at: Vector | None = None,
        damping_factor: FunctionLike | None = None,
        beam: str | None = None,
        force: VectorFunction | None = None,
        body: str | None = None,
        torque: VectorFunction | None = None,
        following: bool | None = None,
        radius: Number | None = None,
        transition_speed: Number | None = None,
        stiffness: Number | None = None,
        length: Number | None = None,
        point: str | None = None,
        coefficient: Number | None = None,
        flow: Sequence[Number] | None = None,
        capacity: FunctionLike | None = None,
        slip_speed: Number | None = None,
        joint: str | None = None,
        voltage: FunctionLike | None = None,
        resistance: Number | None = None,
        inductance: Number | None = None,
        constant: Number | None = None,
        ratio: Number | None = None,
        efficiency: Number | None = None,
        between: Sequence[str] | None = None,
        area_1: Number | None = None,
        area_2: Number | None = None,
        closed_length: Number | None = None,
        stroke: Number | None = None,
        dead_volume: Number | None = None,
        bulk_modulus: Number | None = None,
        exponent: Number | None = None,
        leakage: Number | None = None,
        damping: Number | None = None,
        stop_stiffness: Number | None = None,
        flow_1: FunctionLike | None = None,
        flow_2: FunctionLike | None = None,
        pressure_1: Number | None = None,
        pressure_2: Number | None = None,
        repeat: int | str | None = None,
        type: Literal["spring", "joint-spring", "motor", "bushing", "load", "distributed", "torque", "friction", "cable", "drag", "clutch", "dc-motor", "cylinder"],
    ) -> Part:
        """A force or torque."""
        ...
    def state(
        self,
        name: str,
        *,
        rate: FunctionLike | None = None,
        residual: FunctionLike | None = None,
        error: FunctionLike | None = None,
        error_rate: FunctionLike | None = None,
        kp: Number | None = None,
        ki: Number | None = None,
        kd: Number | None = None,
        filter: Number | None = None,
        tracking: Number | None = None,
        numerator: Vector | None = None,
        denominator: Vector | None = None,
        inputs: Sequence[Number] | None = None,
        file: str | PathLike[str] | None = None,
        delay: Number | None = None,
        order: int | str | None = None,
        width: Number | None = None,
        rising: Number | None = None,
        falling: Number | None = None,
        time_constant: Number | None = None,
        start: Number | None = None,
        input: FunctionLike | None = None,
        lower: Number | None = None,
        upper: Number | None = None,
        off: Number | None = None,
        on: Number | None = None,
        starts_on: bool | None = None,
        repeat: int | str | None = None,
        type: Literal["equation", "low-pass", "pid", "transfer-function", "state-space", "delay", "saturation", "dead-band", "rate-limit", "hysteresis"] | None = None,
    ) -> Part:
        """A first-order state, or a controller or filter."""
        ...
    def input(
        self,
        name: str,
        *,
        value: Number | None = None,
        repeat: int | str | None = None,
    ) -> Part:
        """A value that is set from outside between steps."""
        ...
    def event(
        self,
        name: str,
        *,
        when: FunctionLike | None = None,
        direction: Literal["rising", "falling", "both"] | None = None,
        at: Any | None = None,
        every: Number | None = None,
        first: Number | None = None,
        enabled: bool | None = None,
        set: Mapping[str, Number] | None = None,
        lock: Any | None = None,
        unlock: Any | None = None,
        impulse: Any | None = None,
        bounce: Any | None = None,
        enable: Any | None = None,
        disable: Any | None = None,
        message: str | None = None,
        record: bool | None = None,
        stop: bool | None = None,
        actions: Any | None = None,
        repeat: int | str | None = None,
    ) -> Part:
        """An event: when it happens, and what it does."""
        ...
    def revolute(
        self,
        name: str,
        body_1: str,
        body_2: str,
        *,
        at: Vector | None = None,
        axis: Vector | None = None,
        axes_on_bodies: Sequence[Vector] | None = None,
        offset: Number | None = None,
        rate: Number | None = None,
        repeat: int | str | None = None,
    ) -> Part:
        """Allows turning about an axis."""
        ...
    def spherical(
        self,
        name: str,
        body_1: str,
        body_2: str,
        *,
        at: Vector | None = None,
        repeat: int | str | None = None,
    ) -> Part:
        """Allows turning about a point."""
        ...
    def prismatic(
        self,
        name: str,
        body_1: str,
        body_2: str,
        *,
        at: Vector | None = None,
        axis: Vector | None = None,
        axes_on_bodies: Sequence[Vector] | None = None,
        offset: Number | None = None,
        rate: Number | None = None,
        repeat: int | str | None = None,
    ) -> Part:
        """Allows sliding along an axis."""
        ...
    def cylindrical(
        self,
        name: str,
        body_1: str,
        body_2: str,
        *,
        at: Vector | None = None,
        axis: Vector | None = None,
        axes_on_bodies: Sequence[Vector] | None = None,
        offset: Number | None = None,
        rate: Number | None = None,
        rates: Mapping[str, Number] | None = None,
        repeat: int | str | None = None,
    ) -> Part:
        """Allows sliding along an axis and turning about it."""
        ...
    def universal(
        self,
        name: str,
        body_1: str,
        body_2: str,
        *,
        at: Vector | None = None,
        pins: Sequence[Vector] | None = None,
        axes_on_bodies: Sequence[Vector] | None = None,
        offset: Number | None = None,
        rate: Number | None = None,
        rates: Mapping[str, Number] | None = None,
        repeat: int | str | None = None,
    ) -> Part:
        """Allows turning about two pins at right angles."""
        ...
    def planar_joint(
        self,
        name: str,
        body_1: str,
        body_2: str,
        *,
        at: Vector | None = None,
        axis: Vector | None = None,
        axes_on_bodies: Sequence[Vector] | None = None,
        offset: Number | None = None,
        rate: Number | None = None,
        rates: Mapping[str, Number] | None = None,
        repeat: int | str | None = None,
    ) -> Part:
        """Allows sliding in a plane and turning about its normal."""
        ...
    def fixed(
        self,
        name: str,
        body_1: str,
        body_2: str,
        *,
        at: Vector | None = None,
        repeat: int | str | None = None,
    ) -> Part:
        """Allows nothing."""
        ...
    def distance(
        self,
        name: str,
        body_1: str,
        body_2: str,
        *,
        at: Vector | None = None,
        length: FunctionLike | None = None,
        repeat: int | str | None = None,
    ) -> Part:
        """Allows everything that keeps two points at a distance."""
        ...
    def point_on_line(
        self,
        name: str,
        body_1: str,
        body_2: str,
        *,
        at: Vector | None = None,
        axis: Vector | None = None,
        axes_on_bodies: Sequence[Vector] | None = None,
        offset: Number | None = None,
        rate: Number | None = None,
        repeat: int | str | None = None,
    ) -> Part:
        """Allows turning, and sliding along a line of body 1."""
        ...
    def point_in_plane(
        self,
        name: str,
        body_1: str,
        body_2: str,
        *,
        at: Vector | None = None,
        axis: Vector | None = None,
        axes_on_bodies: Sequence[Vector] | None = None,
        offset: Number | None = None,
        rate: Number | None = None,
        rates: Mapping[str, Number] | None = None,
        repeat: int | str | None = None,
    ) -> Part:
        """Allows turning, and sliding in a plane of body 1."""
        ...
    def spring(
        self,
        name: str,
        body_1: str,
        body_2: str,
        *,
        stiffness: Number | None = None,
        damping: Number | None = None,
        rest: Number | None = None,
        law: LawLike | None = None,
        repeat: int | str | None = None,
    ) -> Part:
        """A spring and damper between two points."""
        ...
    def joint_spring(
        self,
        name: str,
        joint: str,
        *,
        stiffness: Number | None = None,
        damping: Number | None = None,
        rest: Number | None = None,
        law: LawLike | None = None,
        repeat: int | str | None = None,
    ) -> Part:
        """A spring and damper along a joint's coordinate."""
        ...
    def motor(
        self,
        name: str,
        joint: str,
        value: FunctionLike,
        *,
        repeat: int | str | None = None,
    ) -> Part:
        """A torque or force along a joint's coordinate."""
        ...
    def bushing(
        self,
        name: str,
        body_1: str,
        body_2: str,
        *,
        at: Vector | None = None,
        stiffness: Any | None = None,
        damping: Any | None = None,
        damping_factor: FunctionLike | None = None,
        repeat: int | str | None = None,
    ) -> Part:
        """Six springs and dampers between two bodies, relaxed as described."""
        ...
    def load(
        self,
        name: str,
        point: str,
        force: VectorFunction,
        *,
        following: bool | None = None,
        repeat: int | str | None = None,
    ) -> Part:
        """A force at a point of a body."""
        ...
    def distributed(
        self,
        name: str,
        beam: str,
        force: VectorFunction,
        *,
        following: bool | None = None,
        repeat: int | str | None = None,
    ) -> Part:
        """A force per length of a beam."""
        ...
    def torque(
        self,
        name: str,
        body: str,
        torque: VectorFunction,
        *,
        following: bool | None = None,
        repeat: int | str | None = None,
    ) -> Part:
        """A torque on a body."""
        ...
    def friction(
        self,
        name: str,
        joint: str,
        coefficient: Number,
        *,
        radius: Number | None = None,
        transition_speed: Number | None = None,
        repeat: int | str | None = None,
    ) -> Part:
        """Dry friction in a revolute or prismatic joint, from its own reaction."""
        ...
    def cable(
        self,
        name: str,
        body_1: str,
        body_2: str,
        stiffness: Number,
        length: Number,
        *,
        damping: Number | None = None,
        repeat: int | str | None = None,
    ) -> Part:
        """A cable between two points: it pulls while it is longer than `length`, and does not push."""
        ...
    def drag(
        self,
        name: str,
        point: str,
        coefficient: Number,
        *,
        flow: Sequence[Number] | None = None,
        repeat: int | str | None = None,
    ) -> Part:
        """Drag −c |u| u at a point, with its velocity u relative to the flow."""
        ...
    def clutch(
        self,
        name: str,
        joint: str,
        capacity: FunctionLike,
        *,
        slip_speed: Number | None = None,
        repeat: int | str | None = None,
    ) -> Part:
        """A clutch or brake along a joint's coordinate: N tanh(v/v₀) against its rate v."""
        ...
    def dc_motor(
        self,
        name: str,
        joint: str,
        voltage: FunctionLike,
        resistance: Number,
        inductance: Number,
        constant: Number,
        *,
        ratio: Number | None = None,
        efficiency: Number | None = None,
        repeat: int | str | None = None,
    ) -> Part:
        """A direct-current motor with a gearbox: L di/dt = u − R i − k n ω, torque η k n i. Its current is the state `NAME.current`."""
        ...
    def cylinder(
        self,
        name: str,
        body_1: str,
        body_2: str,
        area_1: Number,
        closed_length: Number,
        stroke: Number,
        dead_volume: Number,
        *,
        area_2: Number | None = None,
        bulk_modulus: Number | None = None,
        exponent: Number | None = None,
        leakage: Number | None = None,
        damping: Number | None = None,
        stop_stiffness: Number | None = None,
        flow_1: FunctionLike | None = None,
        flow_2: FunctionLike | None = None,
        pressure_1: Number | None = None,
        pressure_2: Number | None = None,
        repeat: int | str | None = None,
    ) -> Part:
        """A hydraulic or pneumatic cylinder between two points. Its pressures are the states `NAME.p1`, `NAME.p2`."""
        ...
    def equation(
        self,
        name: str,
        *,
        rate: FunctionLike | None = None,
        residual: FunctionLike | None = None,
        start: Number | None = None,
        repeat: int | str | None = None,
    ) -> Part:
        """A first-order state z with its own equation: its rate, or a residual that is zero."""
        ...
    def low_pass(
        self,
        name: str,
        input: FunctionLike,
        time_constant: Number,
        *,
        start: Number | None = None,
        repeat: int | str | None = None,
    ) -> Part:
        """T ẏ = u − y. The output is the state."""
        ...
    def pid(
        self,
        name: str,
        error: FunctionLike,
        *,
        error_rate: FunctionLike | None = None,
        kp: Number | None = None,
        ki: Number | None = None,
        kd: Number | None = None,
        filter: Number | None = None,
        lower: Number | None = None,
        upper: Number | None = None,
        tracking: Number | None = None,
        start: Number | None = None,
        repeat: int | str | None = None,
    ) -> Part:
        """u = kp e + ki ∫ e + kd ė, with limits and anti-windup. Its parts are `NAME.error`, `NAME.integral`, `NAME.derivative`, `NAME.unlimited`."""
        ...
    def transfer_function(
        self,
        name: str,
        input: FunctionLike,
        numerator: Vector,
        denominator: Vector,
        *,
        repeat: int | str | None = None,
    ) -> Part:
        """A quotient of polynomials in s, with zero states at the start."""
        ...
    def state_space(
        self,
        name: str,
        inputs: Sequence[Number],
        file: str | PathLike[str],
        *,
        repeat: int | str | None = None,
    ) -> Part:
        """ẋ = A x + B u, y = C x + D u. Its states are `NAME.x1`, …, its outputs `NAME.y1`, …; `NAME` is the first one."""
        ...
    def delay(
        self,
        name: str,
        input: FunctionLike,
        delay: Number,
        *,
        order: int | str | None = None,
        repeat: int | str | None = None,
    ) -> Part:
        """A delay by a Padé approximation of e^(−Ts)."""
        ...
    def saturation(
        self,
        name: str,
        input: FunctionLike,
        lower: Number,
        upper: Number,
        *,
        repeat: int | str | None = None,
    ) -> Part:
        """The input, limited to a range."""
        ...
    def dead_band(
        self,
        name: str,
        input: FunctionLike,
        width: Number,
        *,
        repeat: int | str | None = None,
    ) -> Part:
        """Zero while the input is within ± `width`, and the rest of it beyond."""
        ...
    def rate_limit(
        self,
        name: str,
        input: FunctionLike,
        rising: Number,
        time_constant: Number,
        *,
        falling: Number | None = None,
        start: Number | None = None,
        repeat: int | str | None = None,
    ) -> Part:
        """A state that follows its input with a limited rate: ẏ = (u − y)/T, limited."""
        ...
    def hysteresis(
        self,
        name: str,
        input: FunctionLike,
        lower: Number,
        upper: Number,
        *,
        off: Number | None = None,
        on: Number | None = None,
        starts_on: bool | None = None,
        repeat: int | str | None = None,
    ) -> Part:
        """A relay: it switches on in the step in which the input reaches `upper`, and off in the step in which it reaches `lower`."""
        ...
    @property
    def tables(self) -> Parts:
        """The entries `[table.NAME]` by name."""
        ...
    @property
    def bodies(self) -> Parts:
        """The entries `[body.NAME]` by name."""
        ...
    @property
    def beams(self) -> Parts:
        """The entries `[beam.NAME]` by name."""
        ...
    @property
    def flexibles(self) -> Parts:
        """The entries `[flexible.NAME]` by name."""
        ...
    @property
    def structures(self) -> Parts:
        """The entries `[structure.NAME]` by name."""
        ...
    @property
    def trusses(self) -> Parts:
        """The entries `[truss.NAME]` by name."""
        ...
    @property
    def joints(self) -> Parts:
        """The entries `[joint.NAME]` by name."""
        ...
    @property
    def gears(self) -> Parts:
        """The entries `[gear.NAME]` by name."""
        ...
    @property
    def drives(self) -> Parts:
        """The entries `[drive.NAME]` by name."""
        ...
    @property
    def rollings(self) -> Parts:
        """The entries `[rolling.NAME]` by name."""
        ...
    @property
    def skates(self) -> Parts:
        """The entries `[skate.NAME]` by name."""
        ...
    @property
    def forces(self) -> Parts:
        """The entries `[force.NAME]` by name."""
        ...
    @property
    def states(self) -> Parts:
        """The entries `[state.NAME]` by name."""
        ...
    @property
    def inputs(self) -> Parts:
        """The entries `[input.NAME]` by name."""
        ...
    @property
    def events(self) -> Parts:
        """The entries `[event.NAME]` by name."""
        ...
    def run(
        self,
        end: Number | None = None,
        *,
        method: Literal["auto", "trapezoidal", "newmark", "hht", "hht-i3", "hht-si2", "newmark-so3", "wbz", "generalized-alpha", "gen-alpha", "hht-add", "bdf2", "nstiff", "nstiff-si2", "lms2", "lms3", "lms4", "ss2", "ss3", "ss4", "trbdf2", "tr-bdf2", "central-difference", "cd", "g3", "g4", "g5", "rk3", "rk4", "ab4", "ab5", "bathe", "rho-bathe", "msstc", "msstc3", "msstc4", "msstc5", "mssth3", "mssth4", "mssth5", "esdirk324", "esdirk325", "esdirk436"] | None = None,
        step: Number | None = None,
        substep: Number | None = None,
        tolerance: Number | None = None,
        rtol: Number | None = None,
        atol: Number | Mapping[str, Number] | None = None,
        first_step: Number | None = None,
        min_step: Number | None = None,
        max_step: Number | None = None,
        rescue: bool | None = None,
        start: Number | None = None,
        from_: str | None = None,
        constraints: Literal["position", "stabilized", "acceleration"] | None = None,
        newton: Mapping[str, Number | str | bool] | None = None,
        gamma: Number | None = None,
        beta: Number | None = None,
        rho: Number | None = None,
        alpha: Number | None = None,
        b: Number | None = None,
        startup: Literal["trapezoidal", "single-step", "corrected", "printed"] | None = None,
        chart: Literal["cayley", "exponential", "printed", "previous-stage"] | None = None,
        predictor: Literal["smooth", "second-order", "constant", "fourth-order", "printed", "linear", "acceleration", "velocity", "hermite"] | None = None,
        prediction: Literal["smooth", "second-order", "constant", "fourth-order", "printed", "linear", "acceleration", "velocity", "hermite"] | None = None,
        axes: Literal["body", "world"] | None = None,
        result: Literal["auto", "stage-2", "stage-3", "printed"] | None = None,
        form: Literal["reformulated", "classical"] | None = None,
        set: Literal["central", "four-thirds", "two", "sound", "sound-wide", "quarter", "three-quarters", "five-quarters", "perturbed-gamma", "perturbed-both", "four-fifths", "ones", "tuned"] | None = None,
        derivatives: Literal["equations", "zero"] | None = None,
        jerk: Literal["differences", "analytic"] | None = None,
        zeta: Number | None = None,
        projection: Literal["both", "position", "none", "baumgarte"] | None = None,
        metric: Literal["mass", "identity"] | None = None,
        rate: Number | None = None,
        splitting: Number | None = None,
        stages: int | str | None = None,
        abscissae: Literal["printed", "minimal"] | None = None,
        channels: Sequence[str] | str | None = None,
        every: Number | Vector | None = None,
        stride: int | str | None = None,
        window: Sequence[Number] | None = None,
        snapshots: Vector | None = None,
        folder: str | PathLike[str] | None = ...,
        format: Literal["parquet", "csv"] = ...,
        checkpoint: float | None = ...,
        progress: bool | Callable[[float], object] | None = ...,
        max_time: float | None = ...,
        max_memory: int | None = ...,
        force: bool = ...,
    ) -> Results:
        """Computes the motion and returns its results. Settings that are not given are those of the model. A run that fails raises `SolveError`, and Ctrl-C raises `Interrupted`; both keep what was computed in `results`."""
        ...
    def simulate(
        self,
        *,
        method: Literal["auto", "trapezoidal", "newmark", "hht", "hht-i3", "hht-si2", "newmark-so3", "wbz", "generalized-alpha", "gen-alpha", "hht-add", "bdf2", "nstiff", "nstiff-si2", "lms2", "lms3", "lms4", "ss2", "ss3", "ss4", "trbdf2", "tr-bdf2", "central-difference", "cd", "g3", "g4", "g5", "rk3", "rk4", "ab4", "ab5", "bathe", "rho-bathe", "msstc", "msstc3", "msstc4", "msstc5", "mssth3", "mssth4", "mssth5", "esdirk324", "esdirk325", "esdirk436"] | None = None,
        step: Number | None = None,
        substep: Number | None = None,
        tolerance: Number | None = None,
        rtol: Number | None = None,
        atol: Number | Mapping[str, Number] | None = None,
        first_step: Number | None = None,
        min_step: Number | None = None,
        max_step: Number | None = None,
        rescue: bool | None = None,
        start: Number | None = None,
        from_: str | None = None,
        end: Number | None = None,
        constraints: Literal["position", "stabilized", "acceleration"] | None = None,
        newton: Mapping[str, Number | str | bool] | None = None,
        gamma: Number | None = None,
        beta: Number | None = None,
        rho: Number | None = None,
        alpha: Number | None = None,
        b: Number | None = None,
        startup: Literal["trapezoidal", "single-step", "corrected", "printed"] | None = None,
        chart: Literal["cayley", "exponential", "printed", "previous-stage"] | None = None,
        predictor: Literal["smooth", "second-order", "constant", "fourth-order", "printed", "linear", "acceleration", "velocity", "hermite"] | None = None,
        prediction: Literal["smooth", "second-order", "constant", "fourth-order", "printed", "linear", "acceleration", "velocity", "hermite"] | None = None,
        axes: Literal["body", "world"] | None = None,
        result: Literal["auto", "stage-2", "stage-3", "printed"] | None = None,
        form: Literal["reformulated", "classical"] | None = None,
        set: Literal["central", "four-thirds", "two", "sound", "sound-wide", "quarter", "three-quarters", "five-quarters", "perturbed-gamma", "perturbed-both", "four-fifths", "ones", "tuned"] | None = None,
        derivatives: Literal["equations", "zero"] | None = None,
        jerk: Literal["differences", "analytic"] | None = None,
        zeta: Number | None = None,
        projection: Literal["both", "position", "none", "baumgarte"] | None = None,
        metric: Literal["mass", "identity"] | None = None,
        rate: Number | None = None,
        splitting: Number | None = None,
        stages: int | str | None = None,
        abscissae: Literal["printed", "minimal"] | None = None,
        state: State | None = ...,
    ) -> Simulation:
        """Begins a simulation that is computed step by step. Settings that are not given are those of the model."""
        ...
