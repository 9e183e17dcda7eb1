//! Cables, drag, clutches, electric motors and cylinders, composed of forces, signals and states.

use super::{Block, number};
use crate::model::describe::{Anchor, Force, SignalLimit};
use crate::model::values::{Function, Law, SignalFormula};
use crate::model::{Dimension, Owner, PartKind};
use cardan_core::system::ValidityLimit;

impl Block {
    /// A cable between two points, which pulls and does not push: N = max(0, k (ℓ − L) + c ℓ̇) while ℓ > L.
    pub fn cable(name: &str, ends: [Anchor; 2], stiffness: f64, damping: f64, length: f64) -> Self {
        let [k, c, rest] = [stiffness, damping, length].map(number);
        let [one, two] = ends;
        let law = format!("if(x > {rest}, max(0, {k}*(x - {rest}) + {c}*v), 0)");
        Self::new(name)
            .positive("stiffness", stiffness)
            .positive("length", length)
            .check("damping", damping >= 0.0, "it must not be negative")
            .with_law(Force::spring(name, one, two).drawn_as("cable"), &law)
    }

    /// Drag at a point: F = −c |u| u with the velocity u of the point relative to the flow.
    /// c = ½ ρ c_d A.
    pub fn drag(
        name: &str,
        point: &str,
        coefficient: f64,
        flow: [SignalFormula; 3],
        dimension: Dimension,
    ) -> Self {
        let mut block = Self::new(name).check(
            "coefficient",
            coefficient.is_finite() && coefficient >= 0.0,
            "it must not be negative",
        );
        let axes = &["x", "y", "z"][..dimension.axes()];
        for (axis, flow) in axes.iter().zip(flow) {
            block = block.part(&format!("flow_{axis}"), flow).part(
                &format!("u_{axis}"),
                format!("{point}.velocity.{axis} - {name}.flow_{axis}"),
            );
        }
        let speed = match dimension {
            Dimension::Plane => format!("hypot({name}.u_x, {name}.u_y)"),
            Dimension::Space => format!("hypot(hypot({name}.u_x, {name}.u_y), {name}.u_z)"),
        };
        block = block.part("speed", speed);
        let c = number(coefficient);
        let component = |axis: &str| match axes.contains(&axis) {
            true => Function::formula(&format!("-{c}*{name}.speed*{name}.u_{axis}")),
            false => Function::Constant(0.0),
        };
        let components = ["x", "y", "z"].map(component);
        block.forces.push(Force::load(name, point, components));
        block
    }

    /// A clutch or brake along a joint's coordinate: the torque or force N tanh(v/v₀) against its rate v, with the
    /// capacity N as a formula.
    pub fn clutch(
        name: &str,
        joint: &str,
        capacity: impl Into<SignalFormula>,
        slip_speed: f64,
    ) -> Self {
        let law = format!("{name}.capacity*tanh(v/{})", number(slip_speed));
        Self::new(name)
            .positive("slip_speed", slip_speed)
            .part("capacity", capacity)
            .with_law(Force::joint_spring(name, joint).drawn_as("clutch"), &law)
    }

    fn with_law(mut self, force: Force, law: &str) -> Self {
        let law = match Law::formula(law, &[]) {
            Ok(plain) => plain,
            // it uses signals
            Err(_) => Law::Formula(SignalFormula::new(law).into()),
        };
        self.forces.push(force.law(law));
        self
    }
}

/// A direct-current motor with a gearbox on a joint's coordinate. Its current i is the state `NAME.current`:
///
/// ```text
/// L di/dt = u − R i − k n ω,   torque = η k n i
/// ```
#[derive(Clone, Copy, Debug)]
pub struct DcMotor {
    /// R, in ohm.
    pub resistance: f64,
    /// L, in henry.
    pub inductance: f64,
    /// k, in N·m/A, which is also V·s.
    pub constant: f64,
    /// The ratio n of the gearbox: turns of the motor per turn of the joint.
    pub ratio: f64,
    /// The efficiency η of the gearbox.
    pub efficiency: f64,
}

impl DcMotor {
    /// The motor on a joint, with its voltage u as a formula.
    pub fn on(self, name: &str, joint: &str, voltage: impl Into<SignalFormula>) -> Block {
        let Self { resistance, inductance, constant, ratio, efficiency } = self;
        let [r, l, k, n, eta] = [resistance, inductance, constant, ratio, efficiency].map(number);
        let rate = format!("({name}.voltage - {r}*{name}.current - {k}*{n}*{name}.rate)/{l}");
        let torque = Function::formula(&format!("{eta}*{k}*{n}*{name}.current"));
        let mut block = Block::new(name)
            .positive("inductance", inductance)
            .check("resistance", resistance >= 0.0, "it must not be negative")
            .check(
                "efficiency",
                efficiency > 0.0 && efficiency <= 1.0,
                "it must be above 0 and at most 1",
            )
            .part("voltage", voltage)
            .state("current", 0.0, rate);
        block.forces.push(Force::motor(name, joint, torque));
        block
    }
}

/// The fluid of a cylinder.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Fluid {
    /// A liquid with a bulk modulus β in Pa: ṗ = β/V (Q − V̇).
    Liquid(f64),
    /// A gas with a polytropic exponent κ: ṗ = κ p/V (Q − V̇), Q at the pressure of the chamber.
    Gas(f64),
}

/// A cylinder with two chambers between two points. Their pressures are the states `NAME.p1` and `NAME.p2`:
///
/// ```text
/// F = A₁ p₁ − A₂ p₂ − c ℓ̇ + stops             pushes the points apart
/// stops = k max(0, ℓ₀ − ℓ) − k max(0, ℓ − ℓ₀ − stroke)
/// V₁ = V₀ + A₁ (ℓ − ℓ₀),   V₂ = V₀ + A₂ (ℓ₀ + stroke − ℓ)
/// ṗ₁ = B₁/V₁ (Q₁ − A₁ ℓ̇ − G (p₁ − p₂)),   ṗ₂ = B₂/V₂ (Q₂ + A₂ ℓ̇ + G (p₁ − p₂)),   B = β or κ p
/// ```
///
/// A piston outside its stroke and a fluid under tension exceed the limits of validity, which a run reports.
#[derive(Clone, Copy, Debug)]
pub struct Cylinder {
    /// The areas A₁, A₂ of the piston.
    pub areas: [f64; 2],
    /// The length ℓ₀ at which the first chamber is smallest.
    pub closed_length: f64,
    /// The stroke.
    pub stroke: f64,
    /// The volume V₀ of lines and of a chamber at its end.
    pub dead_volume: f64,
    /// The fluid.
    pub fluid: Fluid,
    /// The leakage G between the chambers, in m³/(s·Pa).
    pub leakage: f64,
    /// The viscous friction c.
    pub damping: f64,
    /// The stiffness of the stops at both ends of the stroke; 0 for none.
    pub stop_stiffness: f64,
    /// The pressures at the start: of a liquid above that of the surroundings, of a gas absolute.
    pub pressures: [f64; 2],
}

/// Beyond this part of the stroke the piston is outside it; less is round-off.
const MAX_OVERRUN: f64 = 1e-6;
/// The pressure of the surroundings: a liquid boils before it is lower by this.
const AMBIENT_PRESSURE: f64 = 101_325.0;

impl Cylinder {
    /// The cylinder between two points, with the flows Q₁ and Q₂ into its chambers as formulas.
    pub fn between(self, name: &str, ends: [Anchor; 2], flows: [SignalFormula; 2]) -> Block {
        let Self { areas, closed_length, stroke, dead_volume, fluid, leakage, damping, .. } = self;
        let (stop_stiffness, pressures) = (self.stop_stiffness, self.pressures);
        let [a1, a2] = areas.map(number);
        let [l0, s, v0, g, c] = [closed_length, stroke, dead_volume, leakage, damping].map(number);
        let stiffness = |k: usize| match fluid {
            Fluid::Liquid(modulus) => number(modulus),
            Fluid::Gas(exponent) => format!("{}*{name}.p{k}", number(exponent)),
        };
        let modulus = match fluid {
            Fluid::Liquid(x) | Fluid::Gas(x) => x,
        };
        let [flow_1, flow_2] = flows;
        let [one, two] = ends;
        let leak = format!("{g}*({name}.p1 - {name}.p2)");
        let stops = match stop_stiffness > 0.0 {
            true => {
                let (k, to) = (number(stop_stiffness), number(closed_length + stroke));
                format!(" + {k}*(max(0, x - {to}) - max(0, {l0} - x))")
            }
            false => String::new(),
        };
        let rate_1 = format!("{}/{name}.v1*({name}.q1 - {a1}*{name}.rate - {leak})", stiffness(1));
        let rate_2 = format!("{}/{name}.v2*({name}.q2 + {a2}*{name}.rate + {leak})", stiffness(2));
        Block::new(name)
            .positive("area_1", areas[0])
            .check("area_2", areas[1] >= 0.0, "it must not be negative")
            .positive("stroke", stroke)
            .positive("dead_volume", dead_volume)
            .positive("bulk_modulus", modulus)
            .check("leakage", leakage >= 0.0, "it must not be negative")
            .check("damping", damping >= 0.0, "it must not be negative")
            .check("stop_stiffness", stop_stiffness >= 0.0, "it must not be negative")
            .overrun_limit(&self)
            .suction_limit(areas, fluid)
            .part("q1", flow_1)
            .part("q2", flow_2)
            .part("v1", format!("{v0} + {a1}*({name}.length - {l0})"))
            .part("v2", format!("{v0} + {a2}*({l0} + {s} - {name}.length)"))
            .state("p1", pressures[0], rate_1)
            .state("p2", pressures[1], rate_2)
            .with_law(
                Force::spring(name, one, two).drawn_as("actuator"),
                &format!("{a2}*{name}.p2 - {a1}*{name}.p1 + {c}*v{stops}"),
            )
    }
}

impl Block {
    /// Watches the travel of a piston beyond the ends of its stroke. Stops allow as much as the dead volume.
    fn overrun_limit(self, cylinder: &Cylinder) -> Self {
        let Cylinder { areas, closed_length, stroke, dead_volume, stop_stiffness, .. } = *cylinder;
        let limit = match stop_stiffness > 0.0 {
            true => dead_volume / areas[0].max(areas[1]),
            false => MAX_OVERRUN * stroke,
        };
        let [from, to] = [closed_length, closed_length + stroke].map(number);
        let length = format!("{}.length", self.name);
        self.limit(
            &format!("max({from} - {length}, {length} - {to})"),
            "travel beyond the end of the stroke",
            "m",
            limit,
            "a real piston meets the end of its cylinder; try: a (larger) `stop_stiffness`, a longer stroke, or other flows",
        )
    }

    /// Watches pressures that a fluid cannot have.
    fn suction_limit(self, areas: [f64; 2], fluid: Fluid) -> Self {
        let chambers = (1..=2).filter(|k| areas[k - 1] > 0.0);
        let name = &self.name;
        let each: Vec<String> = chambers.map(|k| format!("-{name}.p{k}")).collect();
        let formula = match each.join(", ") {
            list if each.len() == 2 => format!("max({list})"),
            one => one,
        };
        let (limit, beyond) = match fluid {
            Fluid::Liquid(_) => (
                AMBIENT_PRESSURE,
                "pressures of a liquid are above that of the surroundings, and it boils here; try: a \
                 supply (`flow_1`, `flow_2`) or a higher pressure at the start",
            ),
            Fluid::Gas(_) => (
                0.0,
                "pressures of a gas are absolute; try: a higher pressure at the start, or other flows",
            ),
        };
        self.limit(&formula, "suction (negative pressure)", "Pa", limit, beyond)
    }

    fn limit(
        mut self,
        formula: &str,
        quantity: &'static str,
        unit: &'static str,
        limit: f64,
        beyond: &'static str,
    ) -> Self {
        let part = String::new();
        self.limits.push(SignalLimit {
            owner: Owner::part(PartKind::Force, &self.name),
            formula: SignalFormula::new(formula),
            limit: ValidityLimit { part, quantity, unit, limit, beyond },
        });
        self
    }
}
