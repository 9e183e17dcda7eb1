//! The generalized-α family on a Lie group: one formula, five rows.
//!
//! With the algorithmic acceleration â in addition to the true one a (Arnold and Brüls 2007, Brüls and
//! Cardona 2010; the dynamics hold at the end of the step, so a and λ are of second order):
//!
//! ```text
//! (1 − αm) â₊ + αm â = (1 − αf) a₊ + αf a
//! q₊ = q ⊕ (h v + h² [(½ − β) â + β â₊]),   v₊ = v + h [(1 − γ) â + γ â₊]
//! ```
//! | member            | αm              | αf            | γ             | β               |
//! | ----------------- | --------------- | ------------- | ------------- | --------------- |
//! | generalized-alpha | (2ρ − 1)/(ρ + 1)| ρ/(ρ + 1)     | ½ − αm + αf   | 1/(1 + ρ)²      |
//! | wbz               | (ρ − 1)/(ρ + 1) | 0             | ½ − αm        | (1 − αm)²/4     |
//! | hht               | 0               | (1 − ρ)/(1 + ρ)| ½ + αf       | (1 + αf)²/4     |
//! | newmark           | 0               | 0             | given         | given           |
//! | trapezoidal       | 0               | 0             | ½             | ¼               |
//!
//! First-order states have an algorithmic rate w in addition to the true one in the same way (Jansen, Whiting and Hulbert 2000;
//! Brüls and Golinval 2006), with other coefficients, which give second order and the same ρ at infinity:
//!
//! ```text
//! (1 − δm) w₊ + δm w = (1 − δf) ż₊ + δf ż,   z₊ = z + h [(1 − θ) w + θ w₊]
//! δm = (3ρ − 1)/(2(ρ + 1)),   δf = ρ/(ρ + 1),   θ = 1/(ρ + 1)
//! ```
//!
//! HHT-I3 (Negrut, Jay and Khude 2009, α = −αf) weighs forces instead of accelerations:
//! `M̄ â₊ = −(1 + α) F₊ + α F` with F = Gᵀλ − f and M̄ = M(q ⊕ h(1 + α)v). Written for the true
//! acceleration this is `M̄ a₊ + F₊ + αf/(1 − αf) (M̄ a + F) = 0`: the row above for constant M,
//! with an additional known load otherwise. M at the end of the step instead would cost an order.

use super::info::{ALLOWED, MethodInfo, STABILIZED, Stability};
use super::local_error::LocalError;
use super::parameters::RHO;
use super::predictor::EARLIER;
use super::{
    AuxiliaryKind, EarlierValues, Estimate, Method, MethodStart, MethodStorage, Parameter,
    ParameterError, ParameterValues, Step, StepEnd,
};
use crate::math::{Chart, with_vector_instructions};
use crate::stage::{self, Formulation, StageError};
use crate::state::MethodHistory;
use crate::system::SystemMatrix;

/// Indices of â and w among the auxiliary vectors, and of HHT's old force.
const ALGORITHMIC: usize = 0;
const STATE_RATE: usize = 1;
const OLD_FORCE: usize = 2;

/// The largest spectral radius of constrained directions with which a step-size controller can work.
const MAX_CONTROLLED_RADIUS: f64 = 0.999;

/// The members.
pub(super) const MEMBERS: &[MethodInfo] = &[
    MethodInfo {
        name: "trapezoidal",
        title: "trapezoidal rule (average acceleration)",
        stability: Stability::A,
        parameters: &[],
        typical_use: "unconstrained systems whose energy must not be damped",
        source: "Newmark 1959, β = 1/4, γ = 1/2",
        build: |_| Ok(boxed(0.0, 0.0, 0.25, 0.5, Forces::AtEnd)),
        ..FAMILY
    },
    MethodInfo {
        name: "newmark",
        title: "Newmark, γ and β",
        order: 1,
        stability: Stability::A,
        parameters: &[
            Parameter::number(
                "gamma",
                [0.5, 1.5],
                Some(0.6),
                "γ; above 1/2 the method dissipates and is of first order",
            ),
            Parameter::number(
                "beta",
                [0.25, 4.0],
                None,
                "β; at least (γ + 1/2)²/4, where stability for every step begins, which is the default",
            ),
            Parameter::number("rho", [0.0, 1.0], None, RHO.meaning),
        ],
        typical_use: "comparison with others; it is of first order when it dissipates",
        source: "Newmark 1959; Negrut, Jay, Khude 2009",
        build: newmark,
        ..FAMILY
    },
    MethodInfo {
        name: "hht",
        aliases: &["hht-i3"],
        title: "Hilber–Hughes–Taylor, index 3, mass at the weighted instant",
        stability: Stability::A,
        parameters: &[ALPHA, HHT_RHO],
        typical_use: "as generalized-alpha, for comparison with HHT codes",
        source: "Negrut, Jay, Khude 2009, corrected: mass at q + h(1 + α)v",
        build: hht,
        ..FAMILY
    },
    MethodInfo {
        name: "hht-si2",
        title: "Hilber–Hughes–Taylor, stabilized index 2",
        parameters: &[ALPHA, HHT_RHO],
        formulations: STABILIZED,
        typical_use: "as hht, with position and velocity constraints closed to round-off",
        source: "Negrut, Jay, Khude 2009, corrected: mass at q + h(1 + α)v",
        build: hht,
        ..FAMILY
    },
    MethodInfo {
        name: "newmark-so3",
        title: "Newmark for rotations after Simo and Vu-Quoc, γ and β",
        order: 2,
        parameters: &[
            Parameter::number("gamma", [0.5, 1.5], Some(0.5), "γ; above 1/2 of first order"),
            Parameter::number(
                "beta",
                [0.25, 4.0],
                None,
                "β; at least (γ + 1/2)²/4, where stability for every step begins, which is the default",
            ),
        ],
        typical_use: "comparison: it is newmark with the average acceleration, rotations by the \
                   exponential map in body axes",
        source: "Simo, Vu-Quoc 1988; Zupan, Zupan",
        build: newmark,
        ..FAMILY
    },
    MethodInfo {
        name: "wbz",
        title: "Wood–Bossak–Zienkiewicz",
        stability: Stability::A,
        parameters: &[RHO],
        typical_use: "as generalized-alpha, with a little more damping of low frequencies",
        source: "Wood, Bossak, Zienkiewicz 1980",
        build: |values| {
            let rho = values.get("rho");
            let am = (rho - 1.0) / (1.0 + rho);
            Ok(boxed(am, 0.0, 0.25 * (1.0 - am).powi(2), 0.5 - am, Forces::AtEnd))
        },
        ..FAMILY
    },
    MethodInfo {
        name: "generalized-alpha",
        aliases: &["gen-alpha"],
        title: "generalized-α on the Lie group",
        stability: Stability::A,
        parameters: &[RHO],
        typical_use: "spinning bodies and constrained mechanisms of every kind: the default",
        source: "Chung, Hulbert 1993; Arnold, Brüls 2007",
        build: |values| Ok(Box::new(GeneralizedAlpha::from_rho(values.get("rho")))),
        ..FAMILY
    },
];

/// The parameters of the HHT members.
pub(super) const ALPHA: Parameter =
    Parameter::number("alpha", [-1.0 / 3.0, 0.0], None, "α; 0 is the trapezoidal rule");
pub(super) const HHT_RHO: Parameter = Parameter::number("rho", [0.5, 1.0], Some(0.6), RHO.meaning);

/// The fields that all members share.
const FAMILY: MethodInfo = MethodInfo {
    name: "",
    aliases: &[],
    family: "generalized-alpha",
    title: "",
    order: 2,
    chart: Chart::Exponential,
    stability: Stability::A,
    parameters: &[],
    formulations: ALLOWED,
    refuses: &[],
    multipliers_between: 2,
    variable_step: true,
    typical_use: "",
    source: "",
    build: |_| Ok(boxed(0.0, 0.0, 0.25, 0.5, Forces::AtEnd)),
};

fn newmark(values: &ParameterValues) -> Result<Box<dyn Method>, ParameterError> {
    values.not_both("gamma", "rho")?;
    values.not_both("beta", "rho")?;
    if let Some(rho) = values.given("rho") {
        let gamma = (3.0 - rho) / (2.0 * (1.0 + rho));
        return Ok(boxed(0.0, 0.0, (1.0 + rho).powi(-2), gamma, Forces::AtEnd));
    }
    // below this β the method is stable for small steps only, and with constraints for none
    let gamma = values.get("gamma");
    let least = 0.25 * (gamma + 0.5).powi(2);
    let beta = values.at_least("beta", least)?.unwrap_or(least);
    Ok(boxed(0.0, 0.0, beta, gamma, Forces::AtEnd))
}

fn hht(values: &ParameterValues) -> Result<Box<dyn Method>, ParameterError> {
    let [alpha_f, beta, gamma] = hht_coefficients(values)?;
    Ok(boxed(0.0, alpha_f, beta, gamma, Forces::Weighted))
}

/// αf = −α, β and γ of the HHT members.
pub(super) fn hht_coefficients(values: &ParameterValues) -> Result<[f64; 3], ParameterError> {
    values.not_both("alpha", "rho")?;
    let rho = values.get("rho");
    let alpha_f = values.given("alpha").map_or((1.0 - rho) / (1.0 + rho), |alpha| -alpha);
    Ok([alpha_f, 0.25 * (1.0 + alpha_f).powi(2), 0.5 + alpha_f])
}

fn boxed(alpha_m: f64, alpha_f: f64, beta: f64, gamma: f64, forces: Forces) -> Box<dyn Method> {
    Box::new(GeneralizedAlpha { alpha_m, alpha_f, beta, gamma, forces })
}

/// The instant at which the forces are balanced.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Forces {
    /// At the end of the step.
    AtEnd,
    /// HHT-I3: a weighted mean of old and new forces, mass in between.
    Weighted,
}

/// A member with its coefficients.
#[derive(Clone, Copy, Debug)]
pub(super) struct GeneralizedAlpha {
    alpha_m: f64,
    alpha_f: f64,
    beta: f64,
    gamma: f64,
    forces: Forces,
}

impl GeneralizedAlpha {
    /// Chung and Hulbert's optimal set.
    pub fn from_rho(rho: f64) -> Self {
        let (alpha_m, alpha_f) = ((2.0 * rho - 1.0) / (1.0 + rho), rho / (1.0 + rho));
        Self {
            alpha_m,
            alpha_f,
            beta: (1.0 + rho).powi(-2),
            gamma: 0.5 - alpha_m + alpha_f,
            forces: Forces::AtEnd,
        }
    }

    /// The part of â₊ that is known before the step.
    #[inline(always)]
    fn known(&self, a: f64, algorithmic: f64) -> f64 {
        (self.alpha_f * a - self.alpha_m * algorithmic) / (1.0 - self.alpha_m)
    }

    /// The factor of a₊ in â₊.
    #[inline(always)]
    fn share(&self) -> f64 {
        (1.0 - self.alpha_f) / (1.0 - self.alpha_m)
    }

    /// The coefficients of first-order states, with the same dissipation.
    fn states(&self) -> States {
        let rho = self.pair().min(1.0);
        let delta_m = (3.0 * rho - 1.0) / (2.0 * (rho + 1.0));
        States { delta_m, delta_f: rho / (rho + 1.0), theta: 1.0 / (rho + 1.0) }
    }

    /// The larger root of v and â where q is prescribed, h = 1: â₊ = −(v + (½ − β) â)/β, v₊ = v + (1 − γ) â + γ â₊.
    fn pair(&self) -> f64 {
        let Self { beta, gamma, .. } = *self;
        let (trace, determinant) = (2.0 - (gamma + 0.5) / beta, 1.0 - (gamma - 0.5) / beta);
        let discriminant = 0.25 * trace * trace - determinant;
        if discriminant < 0.0 {
            determinant.sqrt()
        } else {
            0.5 * trace.abs() + discriminant.sqrt()
        }
    }

    /// αm − αf: â is the acceleration at t + (αm − αf) h, up to second order.
    fn offset(&self) -> f64 {
        self.alpha_m - self.alpha_f
    }

    /// The constants of the local error.
    fn local_error(&self) -> LocalError {
        let Self { alpha_m, alpha_f, beta, gamma, .. } = *self;
        let offset = self.offset();
        let [before, after] = [offset.powi(2), (1.0 + offset).powi(2)].map(|x| 0.5 * x);
        // â = a(t + (αm − αf) h) + c h² ä
        let c = 0.5 * (1.0 - alpha_f) - (1.0 - alpha_m) * after - alpha_m * before;
        let states = self.states();
        let state_offset = states.delta_m - states.delta_f;
        let [state_before, state_after] =
            [state_offset.powi(2), (1.0 + state_offset).powi(2)].map(|x| 0.5 * x);
        let state_c = 0.5 * (1.0 - states.delta_f)
            - (1.0 - states.delta_m) * state_after
            - states.delta_m * state_before;
        LocalError {
            position: beta + 0.5 * offset - 1.0 / 6.0,
            velocity: (1.0 - gamma) * before + gamma * after + c - 1.0 / 6.0,
            first_order: self.first_order(),
            state: (1.0 - states.theta) * state_before + states.theta * state_after + state_c
                - 1.0 / 6.0,
            // the increment is h v + …, without the term of rotations that do not commute
            commutator: -1.0 / 12.0,
            cubic: 0.0,
        }
    }

    /// The factor of h² ȧ in the error of the velocity; zero for members of second order.
    fn first_order(&self) -> f64 {
        let factor = self.gamma + self.offset() - 0.5;
        if factor.abs() < 1e-12 { 0.0 } else { factor }
    }

    /// â and w for a step of another size than the last one: their distance from the true values is proportional to h.
    fn rebase(&self, step: &mut Step<'_>) {
        let Some(past) = step.history.earlier[..step.history.filled].first() else { return };
        if step.is_steady {
            return;
        }
        let ratio = step.h / (step.now.t - past.t);
        let scale = |values: &mut [f64], centre: &[f64]| {
            for (value, centre) in values.iter_mut().zip(centre) {
                *value = centre + ratio * (*value - centre);
            }
        };
        scale(&mut step.auxiliary[ALGORITHMIC], &step.now.a);
        scale(&mut step.auxiliary[STATE_RATE], &step.now.rates);
    }

    /// The step from `now` with a given â and w; the stage is solved, the step is not ended.
    pub fn solve(
        &self,
        step: &mut Step<'_>,
        algorithmic: &[f64],
        state_rate: &[f64],
    ) -> Result<(), StageError> {
        let (h, now, map) = (step.h, step.now, &mut step.stage.map);
        let Self { beta, gamma, .. } = *self;
        map.t = step.t_next;
        map.c_q = h * h * beta * self.share();
        map.c_v = h * gamma * self.share();
        map.c_a = 1.0;
        map.reference.copy_from_slice(&now.q);
        map.a.fill(0.0);
        // equal lengths, so that the loop has no tests
        let (method, n) = (*self, algorithmic.len());
        let (a, v) = (&now.a[..n], &now.v[..n]);
        let (map_d, map_v) = (&mut map.d[..n], &mut map.v[..n]);
        with_vector_instructions(
            #[inline(always)]
            || {
                for i in 0..n {
                    let old = algorithmic[i];
                    let known = method.known(a[i], old);
                    map_d[i] = h * (v[i] + h * ((0.5 - beta) * old + beta * known));
                    map_v[i] = v[i] + h * ((1.0 - gamma) * old + gamma * known);
                }
            },
        );
        let states = self.states();
        map.c_z = h * states.theta * states.share();
        for (i, z) in map.z.iter_mut().enumerate() {
            let known = states.known(now.rates[i], state_rate[i]);
            *z = now.z[i] + h * ((1.0 - states.theta) * state_rate[i] + states.theta * known);
        }
        step.predict_smoothly(self.alpha_f / (1.0 - self.alpha_f), Step::predict_last);
        step.solve()
    }

    /// HHT-I3 with a mass that depends on q: M̄, and the load αf/(1 − αf) (M̄ a + F).
    fn average_forces(&self, step: &mut Step<'_>) -> Result<(), StageError> {
        let (now, map) = (step.now, &mut step.stage.map);
        let ahead = step.h * (1.0 - self.alpha_f);
        for (d, v) in map.d.iter_mut().zip(&now.v) {
            *d = ahead * v;
        }
        let space = step.evaluator.space();
        space.retract(Chart::Exponential, &now.q, &map.d, &mut map.force_configuration);
        map.balance = stage::ForceEvaluation::OtherMass;
        step.evaluator.mass(step.system, &map.force_configuration)?;
        map.load.copy_from_slice(&step.auxiliary[OLD_FORCE]);
        step.evaluator.part(SystemMatrix::Mass).multiply_add(1.0, &now.a, &mut map.load);
        let weight = self.alpha_f / (1.0 - self.alpha_f);
        map.load.iter_mut().for_each(|load| *load *= weight);
        Ok(())
    }
}

/// Coefficients of first-order states.
#[derive(Clone, Copy, Debug)]
struct States {
    delta_m: f64,
    delta_f: f64,
    theta: f64,
}

impl States {
    /// The part of w₊ that is known before the step.
    fn known(&self, rate: f64, algorithmic: f64) -> f64 {
        (self.delta_f * rate - self.delta_m * algorithmic) / (1.0 - self.delta_m)
    }

    /// The factor of ż₊ in w₊.
    fn share(&self) -> f64 {
        (1.0 - self.delta_f) / (1.0 - self.delta_m)
    }
}

impl Method for GeneralizedAlpha {
    fn storage(&self) -> MethodStorage {
        let mut auxiliary = vec![
            ("algorithmic acceleration", AuxiliaryKind::Velocity),
            ("algorithmic state rate", AuxiliaryKind::State),
        ];
        if self.forces == Forces::Weighted {
            auxiliary.push(("old force", AuxiliaryKind::Velocity));
        }
        let earlier_values = EarlierValues::Accelerations;
        MethodStorage { auxiliary, earlier: EARLIER, earlier_values, ..MethodStorage::default() }
    }

    fn start(&self, from: &MethodStart<'_>, history: &mut MethodHistory) {
        let now = from.now;
        history.auxiliary[ALGORITHMIC].values.copy_from_slice(&now.a);
        history.auxiliary[STATE_RATE].values.copy_from_slice(&now.rates);
        if self.forces == Forces::Weighted {
            // F = Gᵀλ − f = −M a
            let force = &mut history.auxiliary[OLD_FORCE].values;
            force.fill(0.0);
            from.mass.multiply_add(-1.0, &now.a, force);
        }
    }

    fn step(&self, step: &mut Step<'_>) -> Result<(), StageError> {
        if self.forces == Forces::Weighted && !step.evaluator.mass_is_constant() {
            self.average_forces(step)?;
        }
        self.rebase(step);
        let [algorithmic, state_rate] =
            [ALGORITHMIC, STATE_RATE].map(|k| std::mem::take(&mut step.auxiliary[k]));
        let solved = self.solve(step, &algorithmic, &state_rate);
        step.auxiliary[ALGORITHMIC] = algorithmic;
        step.auxiliary[STATE_RATE] = state_rate;
        solved?;
        step.end(StepEnd::STAGE)?;
        if self.forces == Forces::Weighted {
            // F₊ = −(M̄ a₊ + load), as the stage has just balanced it
            let map = &step.stage.map;
            step.evaluator.mass(step.system, &map.force_configuration)?;
            let force = &mut step.auxiliary[OLD_FORCE];
            for (force, load) in force.iter_mut().zip(&map.load) {
                *force = -load;
            }
            step.evaluator.part(SystemMatrix::Mass).multiply_add(-1.0, &step.stage.a, force);
        }
        let values = &mut step.auxiliary[ALGORITHMIC][..];
        let (method, n) = (*self, values.len());
        let (next, now) = (&step.next.a[..n], &step.now.a[..n]);
        with_vector_instructions(
            #[inline(always)]
            || {
                for i in 0..n {
                    values[i] = method.share() * next[i] + method.known(now[i], values[i]);
                }
            },
        );
        let states = self.states();
        for (i, value) in step.auxiliary[STATE_RATE].iter_mut().enumerate() {
            *value = states.share() * step.next.rates[i] + states.known(step.now.rates[i], *value);
        }
        if !step.estimate.is_empty() {
            self.local_error().write(step);
        }
        Ok(())
    }

    fn constrained_radius(&self) -> f64 {
        // a₊ follows â₊ with the factor −αf/(1 − αf)
        self.pair().max(self.alpha_f / (1.0 - self.alpha_f))
    }

    fn estimate(&self, constraints: Option<Formulation>) -> Option<Estimate> {
        // errors of accelerations that never decay would be taken for errors of the motion
        let is_enforced =
            matches!(constraints, Some(Formulation::Position | Formulation::Stabilized));
        if is_enforced && self.constrained_radius() > MAX_CONTROLLED_RADIUS {
            return None;
        }
        let order = if self.first_order() == 0.0 { 2 } else { 1 };
        Some(Estimate { power: order + 1, order, factor: 1.0 })
    }

    fn coefficients(&self) -> Vec<(String, f64)> {
        let Self { alpha_m, alpha_f, beta, gamma, .. } = *self;
        let names = ["alpha_m", "alpha_f", "beta", "gamma"].map(String::from);
        names.into_iter().zip([alpha_m, alpha_f, beta, gamma]).collect()
    }

    fn with_coefficients(&self, values: &[f64]) -> Box<dyn Method> {
        let old = self.coefficients();
        let value = |i: usize| values.get(i).copied().unwrap_or(old[i].1);
        boxed(value(0), value(1), value(2), value(3), self.forces)
    }
}
