//! Explicit methods on the equations solved for their accelerations (index 1): Runge–Kutta of third and
//! fourth order, Adams–Bashforth of fourth and fifth.
//!
//! ```text
//! ẏ = F(t, y),   y = (g, v, z):   ġ = T⁻¹(g) v,   M a + Gᵀλ = f,   G a + (G v + b)˙|ₐ₌₀ = 0
//! ```
//! Rotations are coordinates of the exponential chart centred at the start of the step; earlier
//! instants are expressed in it too, so that the formulas are those of vector spaces. The accelerations do
//! not depend on the position constraints: without projection or Baumgarte's terms positions drift.

use super::info::{MethodInfo, Permission, Stability};
use super::{
    AccelerationSource, Method, MethodStorage, MotionSource, Parameter, ParameterDomain,
    ParameterError, ParameterValues, Projection, StageNodes, StageRecord, Step, StepEnd, multistep,
};
use crate::math::{Chart, add_scaled};
use crate::stage::Formulation;
use crate::stage::StageError;
use crate::system::Space;

const INDEX_1: &str = "explicit formulas take accelerations from the equations (index 1); positions and \
                       velocities are put back by `projection`";

/// The members.
pub(super) const MEMBERS: &[MethodInfo] = &[
    MethodInfo {
        name: "rk3",
        title: "explicit Runge–Kutta of third order (Kutta)",
        order: 3,
        source: "Kutta 1901; as in Fernández de Bustos et al. 2024",
        build: |values| {
            let rows = vec![vec![0.5], vec![-1.0, 2.0]];
            Explicit::boxed(rows, vec![1.0 / 6.0, 4.0 / 6.0, 1.0 / 6.0], vec![], values)
        },
        ..FAMILY
    },
    MethodInfo {
        name: "rk4",
        title: "explicit Runge–Kutta of fourth order (the classical one)",
        order: 4,
        source: "Kutta 1901",
        build: |values| Explicit::boxed(classical().0, classical().1, vec![], values),
        ..FAMILY
    },
    MethodInfo {
        name: "ab4",
        multipliers_between: 4,
        title: "Adams–Bashforth of four steps",
        order: 4,
        variable_step: false,
        source: "Bashforth, Adams 1883",
        build: |values| {
            let weights = [55.0, -59.0, 37.0, -9.0].map(|x| x / 24.0).to_vec();
            Explicit::boxed(classical().0, classical().1, weights, values)
        },
        ..FAMILY
    },
    MethodInfo {
        name: "ab5",
        multipliers_between: 5,
        title: "Adams–Bashforth of five steps",
        order: 5,
        variable_step: false,
        source: "Bashforth, Adams 1883",
        build: |values| {
            let weights = [1901.0, -2774.0, 2616.0, -1274.0, 251.0].map(|x| x / 720.0).to_vec();
            Explicit::boxed(classical().0, classical().1, weights, values)
        },
        ..FAMILY
    },
];

/// The default of Baumgarte's rate, in 1/s.
const DEFAULT_RATE: f64 = 10.0;

/// The fields that all members share.
const FAMILY: MethodInfo = MethodInfo {
    name: "",
    aliases: &[],
    family: "explicit",
    title: "",
    order: 4,
    chart: Chart::Exponential,
    stability: Stability::Conditional,
    parameters: &[
        Parameter {
            name: "projection",
            domain: ParameterDomain::Word(&["both", "position", "none", "baumgarte"]),
            meaning: "what puts the motion back onto its constraints after a step: a projection of \
                      positions and velocities, of positions alone, nothing, or Baumgarte's restoring \
                      terms 2ω Φ̇ + ω² Φ",
        },
        Parameter {
            name: "metric",
            domain: ParameterDomain::Word(&["mass", "identity"]),
            meaning: "how a projection measures what it moves: by inertia, or with equal weights",
        },
        Parameter::number(
            "rate",
            [0.0, 1e12],
            None,
            "ω of Baumgarte's restoring terms in 1/s, 10 unless given; well below 1 over the step. In \
             proportion to 1/h it would cost the order",
        ),
    ],
    formulations: [Permission::Refused(INDEX_1), Permission::Refused(INDEX_1), Permission::Allowed],
    refuses: &[],
    multipliers_between: 2,
    variable_step: true,
    typical_use: "smooth motions without stiffness, and as a reference",
    source: "",
    build: |values| Explicit::boxed(classical().0, classical().1, vec![], values),
};

/// The rows below the diagonal and the weights of the classical method, which also starts the others.
fn classical() -> (Vec<Vec<f64>>, Vec<f64>) {
    let rows = vec![vec![0.5], vec![0.0, 0.5], vec![0.0, 0.0, 1.0]];
    (rows, vec![1.0 / 6.0, 1.0 / 3.0, 1.0 / 3.0, 1.0 / 6.0])
}

/// A member with its coefficients.
#[derive(Clone, Debug)]
pub(super) struct Explicit {
    /// cᵢ.
    abscissae: Vec<f64>,
    /// aᵢⱼ, from the second stage on.
    rows: Vec<Vec<f64>>,
    /// bⱼ.
    weights: Vec<f64>,
    /// Weights of the current and earlier instants; none for a Runge–Kutta method.
    steps: Vec<f64>,
    projection: Projection,
    /// Baumgarte's rate; zero is none.
    baumgarte_rate: f64,
    /// The largest stable product of Baumgarte's rate and the step size.
    fastest: f64,
}

impl Explicit {
    fn boxed(
        rows: Vec<Vec<f64>>,
        weights: Vec<f64>,
        steps: Vec<f64>,
        values: &ParameterValues,
    ) -> Result<Box<dyn Method>, ParameterError> {
        let projection = values.word("projection");
        let baumgarte_rate = match (projection, values.given("rate")) {
            ("baumgarte", rate) => rate.unwrap_or(DEFAULT_RATE),
            (_, None) => 0.0,
            (_, Some(_)) => {
                return Err(values.unused("rate", "with projection = \"baumgarte\""));
            }
        };
        let projection = Projection::Onto {
            positions: matches!(projection, "both" | "position"),
            velocities: projection == "both",
            is_euclidean: values.word("metric") == "identity",
        };
        let fastest = match (weights.len(), steps.len()) {
            (3, 0) => 2.5,
            (_, 0) => 2.7,
            (_, 4) => 0.3,
            _ => 0.16,
        };
        let abscissae = abscissae(&rows);
        Ok(Box::new(Self { abscissae, rows, weights, steps, projection, baumgarte_rate, fastest }))
    }

    /// The classical method without projection, for the starting steps of other methods.
    pub fn starter() -> Self {
        let (rows, weights) = classical();
        Self {
            abscissae: abscissae(&rows),
            rows,
            weights,
            steps: Vec::new(),
            projection: Projection::NONE,
            baumgarte_rate: 0.0,
            fastest: f64::INFINITY,
        }
    }

    /// Runs through the stages; their rates are in the records.
    pub(super) fn stages(&self, step: &mut Step<'_>) -> Result<(), StageError> {
        let h = step.h;
        // iterations start at the current instant, not at old values of the next one
        step.next.copy_from(step.now);
        step.records[0].begin(step.now);
        for (i, row) in self.rows.iter().enumerate() {
            step.next.t = step.now.t + h * self.abscissae[i + 1];
            step.displace(row)?;
            step.records[i + 1].g.copy_from_slice(&step.stage.map.d);
            step.accelerate(self.baumgarte_rate)?;
            step.solves.push(1);
            let record = &mut step.records[i + 1];
            chart_rate(step.evaluator.space(), &record.g, &step.next.v, &mut record.rate);
            record.a.copy_from_slice(&step.next.a);
            record.rates.copy_from_slice(&step.next.rates);
            record.z.copy_from_slice(&step.next.z);
            record.multipliers.copy_from_slice(&step.next.multipliers);
        }
        step.displace(&self.weights)
    }

    /// Writes the current and earlier instants into the records, the latest first.
    fn fill_records(&self, step: &mut Step<'_>) {
        let now = step.now;
        step.next.copy_from(now);
        step.records[0].begin(now);
        let space = step.evaluator.space();
        let mut latest = now;
        let map = &mut step.stage.map;
        map.d.fill(0.0);
        for (record, past) in step.records[1..].iter_mut().zip(&step.history.earlier) {
            // the expected displacement, from the previous one
            add_scaled(past.t - latest.t, &latest.v, &mut map.d);
            let StageRecord { g, rate, a, rates, .. } = record;
            multistep::in_chart(Chart::Exponential, space, (&now.q, past), &map.d, g, rate);
            map.d.copy_from_slice(g);
            a.copy_from_slice(&past.a);
            rates.copy_from_slice(&past.rates);
            latest = past;
        }
    }
}

/// cᵢ of all stages, the first included.
fn abscissae(rows: &[Vec<f64>]) -> Vec<f64> {
    std::iter::once(0.0).chain(rows.iter().map(|row| row.iter().sum())).collect()
}

/// ġ = T⁻¹(g) Ω for rotations; plain velocities are copied.
fn chart_rate(space: &Space, g: &[f64], v: &[f64], rate: &mut [f64]) {
    rate.copy_from_slice(v);
    for rotation in space.rotations() {
        let inverse = Chart::Exponential.tangent_inverse(&rotation.tangent(g));
        rotation.set_tangent(rate, &(inverse * rotation.tangent(v)));
    }
}

impl Method for Explicit {
    fn storage(&self) -> MethodStorage {
        MethodStorage {
            earlier: self.steps.len().saturating_sub(1),
            records: self.weights.len().max(self.steps.len()),
            euclidean: matches!(self.projection, Projection::Onto { is_euclidean: true, .. }),
            ..MethodStorage::default()
        }
    }

    fn stages(&self) -> usize {
        if self.steps.is_empty() { self.weights.len() } else { 1 }
    }

    fn step(&self, step: &mut Step<'_>) -> Result<(), StageError> {
        if self.baumgarte_rate * step.h > self.fastest {
            let reason = format!(
                "Baumgarte's rate of {} 1/s is too large for a step of {} s: their product must be \
                 below {}",
                self.baumgarte_rate, step.h, self.fastest
            );
            return Err(StageError::refused(reason));
        }
        match self.steps.is_empty() || step.history.filled + 1 < self.steps.len() {
            true => self.stages(step)?,
            false => {
                self.fill_records(step);
                step.displace(&self.steps)?;
            }
        }
        step.next.t = step.t_next;
        step.end(StepEnd {
            motion: MotionSource::Written,
            projection: self.projection,
            accelerations: AccelerationSource::Recomputed { baumgarte_rate: self.baumgarte_rate },
        })?;
        step.solves.push(1);
        Ok(())
    }

    fn nodes(&self) -> Option<StageNodes<'_>> {
        let (abscissae, weights) = (&self.abscissae, &self.weights);
        let nodes = StageNodes { chart: Chart::Exponential, abscissae, weights, stage_order: 1 };
        self.steps.is_empty().then_some(nodes)
    }

    fn constrained_radius(&self) -> f64 {
        // accelerations and multipliers are those of the equations, without memory
        0.0
    }

    fn parameter_warning(&self, _constraints: Option<Formulation>) -> Option<&'static str> {
        let holds = matches!(self.projection, Projection::Onto { positions: true, .. });
        (!holds && self.baumgarte_rate == 0.0).then_some(
            "without projection the constraints drift, at the order of the method; results are valid as long \
             as the drift is acceptable",
        )
    }

    fn coefficients(&self) -> Vec<(String, f64)> {
        if !self.steps.is_empty() {
            let named = |(j, w): (usize, &f64)| (format!("beta_{}", j + 1), *w);
            return self.steps.iter().enumerate().map(named).collect();
        }
        let mut all = Vec::new();
        for (i, row) in self.rows.iter().enumerate() {
            for (j, a) in row.iter().enumerate().filter(|(_, a)| **a != 0.0) {
                all.push((format!("a_{}{}", i + 2, j + 1), *a));
            }
        }
        all.extend(self.weights.iter().enumerate().map(|(j, b)| (format!("b_{}", j + 1), *b)));
        all
    }

    fn with_coefficients(&self, values: &[f64]) -> Box<dyn Method> {
        let mut other = self.clone();
        let tableau = other.rows.iter_mut().flatten().filter(|a| **a != 0.0);
        let all: Vec<&mut f64> = match self.steps.is_empty() {
            true => tableau.chain(&mut other.weights).collect(),
            false => other.steps.iter_mut().collect(),
        };
        all.into_iter().zip(values).for_each(|(old, new)| *old = *new);
        other.abscissae = abscissae(&other.rows);
        Box::new(other)
    }
}
