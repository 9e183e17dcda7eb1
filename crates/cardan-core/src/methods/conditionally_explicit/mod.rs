//! Conditionally explicit methods of third to fifth degree, G3 to G5, and central differences
//! (Fernández de Bustos, Uriarte, Urkullu and Coria 2024, corrected).
//!
//! A step balances forces at t and closes constraints at t + h (index 3): one linear system without
//! stiffness, implicit in the velocity alone. Displacements are one increment, summed in Horner's form.
//! With a known in advance it is explicit.
//!
//! Rotations move by R(t + h) = R(t) exp(δ), where beside the displacement of the recursion stands
//! what Ω, Ω̇ and the jerk j do together (Magnus): m = h³/12 Ω×Ω̇ for G4, and + h⁴/24 Ω×j for G5, taken
//! from the extrapolated motion, so that the map stays affine. Without it all are of second order.
//!
//! The state holds the configuration one step ahead: what is reported at t has the a, v and λ of t.

mod presets;
mod recursion;
mod start;

use super::registry::{MethodInfo, NO_STATES, Permission, Stability};
use super::{
    AuxiliaryKind, Method, MethodStorage, Parameter, ParameterDomain, ParameterError,
    ParameterValues, Step, StepEnd,
};
use crate::math::{Chart, Vector3, add_scaled};
use crate::stage::ForceEvaluation;
use crate::stage::Formulation;
use crate::stage::StageError;
use crate::system::Space;
use presets::Preset;
use recursion::{Degree, Derivatives, Recursion};

/// Indices among the auxiliary vectors.
const AHEAD: usize = 0;
const JERK: usize = 1;
const SNAP: usize = 2;

const AT_POSITIONS: &str = "its constraints are the positions one step ahead, from which velocities and \
                            accelerations follow";

const START: Parameter = Parameter {
    name: "derivatives",
    domain: ParameterDomain::Word(&["equations", "zero"]),
    meaning: "jerk and snap at the start: from the equations, or zero as in the paper, which costs \
              orders unless they happen to vanish",
};

const fn number(name: &'static str, meaning: &'static str) -> Parameter {
    Parameter::number(name, [-10.0, 10.0], None, meaning)
}

const ALPHA: Parameter = number("alpha", "α, the share of the newest derivative in the positions");
const BETA: Parameter = number("beta", "β, its share in the velocities");
const GAMMA: Parameter =
    Parameter::number("gamma", [0.1, 10.0], None, "γ, its share in the accelerations");
const ZETA: Parameter = number("zeta", "ζ, its share in the jerk");

const fn set(words: &'static [&'static str]) -> Parameter {
    Parameter {
        name: "set",
        domain: ParameterDomain::Word(words),
        meaning: "a named set of the parameters; those given beside it are changed",
    }
}

/// The members.
pub(super) const MEMBERS: &[MethodInfo] = &[
    MethodInfo {
        name: "central-difference",
        aliases: &["cd"],
        title: "central differences",
        order: 2,
        parameters: &[Parameter {
            name: "form",
            domain: ParameterDomain::Word(&["reformulated", "classical"]),
            meaning: "velocities from accelerations, or classically from differences of positions, \
                      whose round-off grows as the step shrinks",
        }],
        build: |values| {
            let mut method = GMethod::new(Preset::CENTRAL.recursion, false);
            method.is_classical = values.word("form") == "classical";
            Ok(Box::new(method))
        },
        ..FAMILY
    },
    MethodInfo {
        name: "g3",
        title: "conditionally explicit, third degree",
        order: 2,
        parameters: &[ALPHA, BETA, set(presets::G3_NAMES)],
        build: |values| GMethod::boxed(presets::G3, values),
        ..FAMILY
    },
    MethodInfo {
        name: "g4",
        title: "conditionally explicit, fourth degree",
        order: 3,
        parameters: &[
            ALPHA,
            BETA,
            GAMMA,
            set(presets::G4_NAMES),
            START,
            Parameter {
                name: "jerk",
                domain: ParameterDomain::Word(&["differences", "analytic"]),
                meaning: "the jerk from differences of accelerations, or from the derivative of the \
                          equations, which systems without constraints have; gamma is not used then",
            },
        ],
        build: |values| {
            let mut method = GMethod::of(presets::G4, values)?;
            method.has_analytic_jerk = values.word("jerk") == "analytic";
            if method.has_analytic_jerk {
                let differences = "with jerk = \"differences\"";
                if values.given("gamma").is_some() {
                    return Err(values.unused("gamma", differences));
                }
                if values.word("set") != "sound" {
                    return Err(values.unused("set", differences));
                }
                // with the jerk exact, v is of third order for β = 1/3, and stable for α = 1
                method.recursion.alpha = values.given("alpha").unwrap_or(1.0);
                method.recursion.beta = values.given("beta").unwrap_or(1.0 / 3.0);
            }
            Ok(Box::new(method))
        },
        ..FAMILY
    },
    MethodInfo {
        name: "g5",
        title: "conditionally explicit, fifth degree",
        order: 4,
        parameters: &[ALPHA, BETA, GAMMA, ZETA, set(presets::G5_NAMES), START],
        build: |values| GMethod::boxed(presets::G5, values),
        ..FAMILY
    },
];

/// What the members have in common.
const FAMILY: MethodInfo = MethodInfo {
    name: "",
    aliases: &[],
    family: "conditionally-explicit",
    title: "",
    order: 2,
    chart: Chart::Exponential,
    stability: Stability::Conditional,
    parameters: &[],
    formulations: [
        Permission::Allowed,
        Permission::Refused(AT_POSITIONS),
        Permission::Refused(AT_POSITIONS),
    ],
    refuses: NO_STATES,
    multipliers_between: 4,
    variable_step: false,
    typical_use: "smooth motions without stiffness, with constraints that must not drift",
    source: "Fernández de Bustos, Uriarte, Urkullu, Coria 2024, corrected",
    build: |_| Ok(Box::new(GMethod::new(Preset::CENTRAL.recursion, false))),
};

/// A member with its parameters.
#[derive(Clone, Copy, Debug)]
struct GMethod {
    recursion: Recursion,
    /// Whether jerk and snap begin at what the equations say.
    starts_from_equations: bool,
    is_classical: bool,
    has_analytic_jerk: bool,
}

impl GMethod {
    fn new(recursion: Recursion, starts_from_equations: bool) -> Self {
        Self { recursion, starts_from_equations, is_classical: false, has_analytic_jerk: false }
    }

    fn of(sets: &[Preset], values: &ParameterValues) -> Result<Self, ParameterError> {
        let word = values.word("set");
        let preset = sets.iter().find(|preset| preset.name == word).unwrap_or(&sets[0]);
        let mut recursion = preset.recursion;
        let given = [
            (&mut recursion.alpha, "alpha"),
            (&mut recursion.beta, "beta"),
            (&mut recursion.gamma, "gamma"),
            (&mut recursion.zeta, "zeta"),
        ];
        for (value, name) in given {
            *value = values.given(name).unwrap_or(*value);
        }
        let from_equations =
            recursion.degree != Degree::Three && values.word("derivatives") == "equations";
        if recursion.factors(1.0).d <= 0.0 {
            return Err(values.meaningless(
                "alpha",
                recursion.alpha,
                "accelerations then do not move the positions, or move them backwards",
            ));
        }
        Ok(Self::new(recursion, from_equations))
    }

    fn boxed(sets: &[Preset], values: &ParameterValues) -> Result<Box<dyn Method>, ParameterError> {
        Ok(Box::new(Self::of(sets, values)?))
    }

    /// The derivatives at the start of the step.
    fn old(step: &Step<'_>, i: usize) -> Derivatives {
        let auxiliary = |k: usize| step.auxiliary.get(k).map_or(0.0, |x| x[i]);
        Derivatives { v: step.now.v[i], a: step.now.a[i], j: auxiliary(JERK), s: auxiliary(SNAP) }
    }

    /// Where the recursion takes positions from the end of this step to that of the next.
    fn describe(&self, step: &mut Step<'_>) {
        let h = step.h;
        let factors = self.recursion.factors(h);
        for i in 0..step.now.v.len() {
            let affine = self.recursion.known(h, Self::old(step, i));
            let map = &mut step.stage.map;
            map.d[i] = affine.d;
            map.v[i] = affine.known.v;
            map.a[i] = 0.0;
        }
        let map = &mut step.stage.map;
        (map.c_q, map.c_v, map.c_a) = (factors.d, factors.v, 1.0);
        self.add_magnus(step, h);
    }

    /// Adds m to the displacement, from the motion extrapolated by some time.
    fn add_magnus(&self, step: &mut Step<'_>, ahead: f64) {
        let Self { recursion: Recursion { degree, .. }, .. } = *self;
        if degree == Degree::Three {
            return;
        }
        for k in 0..step.evaluator.space().rotations().len() {
            let rotation = step.evaluator.space().rotations()[k];
            let [mut omega, mut spin, mut jerk] = [Vector3::zeros(); 3];
            for i in 0..3 {
                let Derivatives { v, a, j, s } = Self::old(step, rotation.v + i);
                omega[i] = v + ahead * (a + 0.5 * ahead * (j + ahead / 3.0 * s));
                spin[i] = a + ahead * (j + 0.5 * ahead * s);
                jerk[i] = j + ahead * s;
            }
            let h = step.h;
            let mut m = h.powi(3) / 12.0 * omega.cross(&spin);
            if degree == Degree::Five {
                m += h.powi(4) / 24.0 * omega.cross(&jerk);
            }
            let d = &mut step.stage.map.d;
            let moved = rotation.tangent(d) + m;
            rotation.set_tangent(d, &moved);
        }
    }

    /// Classical central differences: the displacement before turned around.
    fn describe_classical(&self, step: &mut Step<'_>) {
        let (h, map, space) = (step.h, &mut step.stage.map, step.evaluator.space());
        (map.c_q, map.c_v, map.c_a) = (h * h, 0.5 * h, 1.0);
        space.difference(Chart::Exponential, &map.reference, &step.now.q, &mut map.d);
        for i in 0..map.d.len() {
            map.d[i] = -map.d[i];
            map.v[i] = map.d[i] / h;
            map.a[i] = 0.0;
        }
    }

    /// Solves for the acceleration at the end of the step, and the configuration ahead of it.
    fn solve(&self, step: &mut Step<'_>) -> Result<(), StageError> {
        let h = step.h;
        let map = &mut step.stage.map;
        map.t = step.t_next + h;
        map.balance = ForceEvaluation::Earlier { t: step.t_next };
        // as the system has counted it
        map.reference.copy_from_slice(&step.next.q);
        map.force_configuration.copy_from_slice(&step.next.q);
        match self.is_classical {
            true => self.describe_classical(step),
            false => self.describe(step),
        }
        let predicted = &mut step.next.a;
        for (i, p) in predicted.iter_mut().enumerate() {
            let carried = |k: usize| step.auxiliary.get(k).map_or(0.0, |x| x[i]);
            let (jerk, snap) = (carried(JERK), carried(SNAP));
            *p = step.now.a[i] + h * (jerk + 0.5 * h * snap);
        }
        step.stage.predict(predicted, &step.now.multipliers, &[]);
        step.solve()
    }
}

/// Brings the rotations of a configuration to length one.
fn normalized(space: &Space, q: &mut [f64]) -> Result<(), StageError> {
    match space.normalize(q) {
        true => Ok(()),
        false => Err(StageError::NotFinite { what: "a rotation".into() }),
    }
}

impl Method for GMethod {
    fn storage(&self) -> MethodStorage {
        let mut auxiliary = vec![("configuration ahead", AuxiliaryKind::Configuration)];
        if self.recursion.degree != Degree::Three {
            auxiliary.push(("jerk", AuxiliaryKind::Velocity));
        }
        if self.recursion.degree == Degree::Five {
            auxiliary.push(("snap", AuxiliaryKind::Velocity));
        }
        // what lies between instants is known to the order of the method by so many of them
        let earlier = auxiliary.len();
        MethodStorage { earlier, auxiliary, records: start::RECORDS, ..MethodStorage::default() }
    }

    fn step(&self, step: &mut Step<'_>) -> Result<(), StageError> {
        if step.history.filled == 0 {
            self.begin(step)?;
        }
        // angles that count turns are read at the end of the step, before anything builds on them
        step.next.copy_from(step.now);
        step.next.t = step.t_next;
        step.next.q.copy_from_slice(&step.auxiliary[AHEAD]);
        add_scaled(step.h, &step.now.a, &mut step.next.v);
        step.accept_next()?;
        if self.has_analytic_jerk {
            return self.step_with_jerk(step);
        }
        self.solve(step)?;
        let (h, factors) = (step.h, self.recursion.factors(step.h));
        for i in 0..step.now.v.len() {
            let known = self.recursion.known(h, Self::old(step, i)).known;
            let a = step.stage.a[i];
            if let Some(jerk) = step.auxiliary.get_mut(JERK) {
                jerk[i] = known.j + factors.j * a;
            }
            if let Some(snap) = step.auxiliary.get_mut(SNAP) {
                snap[i] = known.s + factors.s * a;
            }
        }
        let (stage, next) = (&*step.stage, &mut *step.next);
        next.v.copy_from_slice(&stage.v);
        next.a.copy_from_slice(&stage.a);
        next.multipliers.copy_from_slice(&stage.unknowns().multipliers);
        // the whole instant, counted from where it was
        next.q.copy_from_slice(&step.auxiliary[AHEAD]);
        step.end(StepEnd::WRITTEN)?;
        let ahead = &mut step.auxiliary[AHEAD];
        ahead.copy_from_slice(&step.stage.q);
        normalized(step.evaluator.space(), ahead)
    }

    fn unsupported_reason(&self, is_constrained: bool) -> Option<&'static str> {
        (self.has_analytic_jerk && is_constrained).then_some(
            "the derivative of the equations gives the jerk of systems without constraints only: take \
             jerk = \"differences\"",
        )
    }

    fn constrained_radius(&self) -> f64 {
        // classical: x₊, x and x₋ prescribed, v and a follow; an analytic jerk takes no constraints
        match self.is_classical || self.has_analytic_jerk {
            true => 0.0,
            false => self.recursion.constrained_radius(),
        }
    }

    fn parameter_warning(&self, _constraints: Option<Formulation>) -> Option<&'static str> {
        if self.is_classical || self.has_analytic_jerk {
            return None;
        }
        presets::remark(&self.recursion)
    }

    fn coefficients(&self) -> Vec<(String, f64)> {
        let Recursion { alpha, beta, gamma, zeta, degree } = self.recursion;
        let all = [("alpha", alpha), ("beta", beta), ("gamma", gamma), ("zeta", zeta)];
        let count = match degree {
            _ if self.is_classical => 0,
            Degree::Three => 2,
            Degree::Four => 3,
            Degree::Five => 4,
        };
        all[..count].iter().map(|(name, value)| (name.to_string(), *value)).collect()
    }

    fn with_coefficients(&self, values: &[f64]) -> Box<dyn Method> {
        let mut other = *self;
        let Recursion { alpha, beta, gamma, zeta, .. } = &mut other.recursion;
        let all = [alpha, beta, gamma, zeta];
        all.into_iter().zip(values).for_each(|(old, new)| *old = *new);
        Box::new(other)
    }
}
