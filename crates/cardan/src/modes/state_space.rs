//! The linear system ẋ = A x + B u, y = C x + D u of small motions, with named inputs and outputs.

use std::path::Path;

use faer::Mat;
use faer::prelude::Solve;
use nalgebra::DMatrix;

use super::dense::{ReducedSystem, multipliers_of};
use super::error::ModesError;
use super::full_matrix::full;
use super::linearization::Linearization;
use super::matlab;
use super::states::solve_rates;
use crate::model::RotatingObserver;
use crate::model::{Channel, InputEffect, Model, ModelError, PrescribedInput};
use crate::output::{self, ExistingFile, OutputError};
use cardan_core::math::{add_scaled, largest};
use cardan_core::state::Instant;
use cardan_core::system::System;

/// Systems with more coordinates than this have no full matrices.
const MAX_COORDINATES: usize = 2_000;
/// The relative step of the central differences of outputs; their error is about the square of it.
const DIFFERENCE_STEP: f64 = 1e-5;

/// A linear system in named coordinates.
#[derive(Clone, Debug, PartialEq)]
pub struct StateSpace {
    /// A.
    pub a: DMatrix<f64>,
    /// B.
    pub b: DMatrix<f64>,
    /// C.
    pub c: DMatrix<f64>,
    /// D.
    pub d: DMatrix<f64>,
    /// Names of the states: displacements of coordinates, then their rates, then first-order states.
    pub states: Vec<String>,
    /// Names of the inputs.
    pub inputs: Vec<String>,
    /// Names of the outputs: deviations of these channels from `values`.
    pub outputs: Vec<String>,
    /// The outputs at the state itself.
    pub values: Vec<f64>,
    /// The time of the state.
    pub time: f64,
}

/// Reasons why there is no linear system.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum StateSpaceError {
    /// Too large for full matrices.
    #[error(
        "cannot linearize: {size} coordinates are too many for full matrices; the limit is {MAX_COORDINATES}"
    )]
    TooLarge {
        /// How many.
        size: usize,
    },
    /// A motion without mass.
    #[error("cannot linearize: a motion that the constraints allow has no mass")]
    Massless,
    /// An input or output that does not exist.
    #[error("cannot linearize: {0}")]
    Name(#[from] ModelError),
    /// There are no linear equations of motion.
    #[error(transparent)]
    Modes(#[from] ModesError),
}

impl StateSpace {
    /// The linear system of small motions of a model about an instant. Inputs are those of [`Model::input`], inputs of
    /// the mechanism, and drives: the name of a drive stands for the inputs `NAME.value`, `NAME.rate` and
    /// `NAME.acceleration`.
    pub fn new(
        model: &Model,
        at: &Instant,
        observer: &RotatingObserver,
        inputs: &[String],
        outputs: &[String],
    ) -> Result<Self, StateSpaceError> {
        let size = model.space().velocities() + model.state_count();
        if size > MAX_COORDINATES {
            return Err(StateSpaceError::TooLarge { size });
        }
        let mut effects: Vec<(String, InputEffect)> = Vec::new();
        for name in inputs {
            effects.extend(model.input_effects(name, at)?);
        }
        let (inputs, effects): (Vec<_>, Vec<_>) = effects.into_iter().unzip();
        let mut channels = Vec::new();
        for name in outputs {
            if name.contains('*') {
                let all = model.channels().into_iter().flat_map(|x| model.significant(x));
                let all = all.flat_map(|channel| channel.parts());
                channels.extend(all.filter(|x| crate::wildcard::matches(name, x.name())));
                continue;
            }
            let channel = model.channel(name)?;
            channels.extend(model.significant(channel).into_iter().flat_map(|x| x.parts()));
        }
        let equations = Linearization::new(model, at, observer)?;
        let reduced = ReducedSystem::new(&equations).ok_or(StateSpaceError::Massless)?;
        let writer =
            Writer { model, at, equations: &equations, reduced: &reduced, channels: &channels };
        Ok(writer.write(inputs, &effects))
    }

    /// Writes A, B, C, D and the names as a file that MATLAB, Octave and `scipy.io.loadmat` read.
    pub fn write_mat(&self, path: &Path) -> Result<(), OutputError> {
        output::write(path, &self.to_mat(), ExistingFile::ReplaceIf(&Self::is_mat))
    }

    /// The bytes of a MAT file (level 4) with A, B, C, D, y0 and the names.
    pub fn to_mat(&self) -> Vec<u8> {
        let mut file = matlab::Writer::default();
        file.matrix("A", &self.a);
        file.matrix("B", &self.b);
        file.matrix("C", &self.c);
        file.matrix("D", &self.d);
        file.matrix("y0", &DMatrix::from_column_slice(self.values.len(), 1, &self.values));
        file.texts("states", &self.states);
        file.texts("inputs", &self.inputs);
        file.texts("outputs", &self.outputs);
        file.0
    }

    /// Whether a file is a MAT file that Cardan wrote: `A` first, and the names of states, inputs and outputs.
    pub fn is_mat(path: &Path) -> bool {
        let bytes = std::fs::read(path).unwrap_or_default();
        let has = |name: &[u8]| bytes.windows(name.len()).any(|window| window == name);
        let begins = bytes.get(..4) == Some(&[0; 4]) && bytes.get(20..22) == Some(b"A\0");
        begins && has(b"y0\0") && has(b"states\0") && has(b"inputs\0") && has(b"outputs\0")
    }
}

struct Writer<'a> {
    model: &'a Model,
    at: &'a Instant,
    equations: &'a Linearization,
    reduced: &'a ReducedSystem,
    channels: &'a [Channel],
}

/// A direction in which the state may go: δq, δv, δa, δλ, δz, δż.
struct Direction([Vec<f64>; 6]);

/// First-order states and their rates.
#[derive(Clone, Copy)]
struct StateChange<'a> {
    values: &'a [f64],
    rates: &'a [f64],
}

impl Writer<'_> {
    fn write(&self, inputs: Vec<String>, effects: &[InputEffect]) -> StateSpace {
        let pushes: Vec<&[f64]> = effects.iter().map(|effect| &effect.force[..]).collect();
        let ReducedSystem { chosen, free, mass, matrix, .. } = self.reduced;
        let (p, n) = (chosen[0].len(), matrix.nrows());
        let name = |i: usize| self.model.coordinate_name(i);
        let states = chosen[0].iter().map(|&i| name(i));
        let states = states.chain(chosen[1].iter().map(|&i| format!("rate of {}", name(i))));
        let states = states.chain(self.equations.states.names.iter().cloned());
        // where the first-order states begin
        let first = n - self.equations.states.count();
        // Yᵀ M Z ẇ = Yᵀ (F u − M ξ̈ − D ξ̇ − K ξ) with the motion that drives prescribe
        let pushed = Mat::from_fn(free.nrows(), pushes.len(), |i, j| pushes[j][i]);
        let turned = self.turned(&pushed);
        let mut motion = self.prescribed(effects);
        let speeds = mass.full_piv_lu().solve(free.transpose() * self.unbalanced(&turned, &motion));
        motion[2] += &self.reduced.velocities * &speeds;
        let rates = self.caused_rates(&turned, &motion) + self.direct_rates(effects);
        let b = DMatrix::from_fn(n, pushes.len(), |i, j| match i {
            i if i < p => motion[1][(chosen[0][i], j)],
            i if i < first => speeds[(i - p, j)],
            i => rates[(i - first, j)],
        });
        let a = DMatrix::from_fn(n, n, |i, j| matrix[(i, j)]);
        let zeros = vec![0.0; free.nrows()];
        let by_state = (0..n).map(|j| {
            let unit = |i: usize| if i == j { 1.0 } else { 0.0 };
            let [xi, rate] = self.reduced.motion(&unit);
            let [_, second] = self.reduced.motion(&|i| a[(i, j)]);
            let values: Vec<f64> = (first..n).map(unit).collect();
            let rates: Vec<f64> = (first..n).map(|i| a[(i, j)]).collect();
            let change = StateChange { values: &values, rates: &rates };
            self.slopes(&self.direction(&xi, &rate, &second, &zeros, change))
        });
        let c = columns(self.channels.len(), by_state.collect());
        let by_input = (0..pushes.len()).map(|j| {
            let column = |a: &Mat<f64>| (0..a.nrows()).map(|i| a[(i, j)]).collect::<Vec<f64>>();
            let [xi, rate, second] = motion.each_ref().map(column);
            let values = vec![0.0; n - first];
            let rates = column(&rates);
            let change = StateChange { values: &values, rates: &rates };
            let mut slopes =
                self.slopes(&self.direction(&xi, &rate, &second, &column(&turned), change));
            self.add_direct(&effects[j], &mut slopes);
            slopes
        });
        let d = columns(self.channels.len(), by_input.collect());
        let mut values = vec![0.0; self.channels.len()];
        self.model.evaluate_all(self.channels.iter().zip(0..), self.at, &mut values);
        StateSpace {
            a,
            b,
            c,
            d,
            states: states.collect(),
            inputs,
            outputs: self.channels.iter().map(|channel| channel.name().to_string()).collect(),
            values,
            time: self.at.t,
        }
    }

    /// Forces over the system's velocities, in the observer's coordinates: Bᵀ f.
    fn turned(&self, forces: &Mat<f64>) -> Mat<f64> {
        let mut out = forces.clone();
        for (first, base) in &self.equations.turns {
            for j in 0..forces.ncols() {
                for i in 0..3 {
                    out[(first + i, j)] =
                        (0..3).map(|k| base[(k, i)] * forces[(first + k, j)]).sum();
                }
            }
        }
        out
    }

    /// ξ, ξ̇ and ξ̈ that drives prescribe, a column for each input.
    fn prescribed(&self, effects: &[InputEffect]) -> [Mat<f64>; 3] {
        let zeros = || Mat::zeros(self.equations.size(), effects.len());
        let mut all = [zeros(), zeros(), zeros()];
        for (j, effect) in effects.iter().enumerate() {
            let Some(PrescribedInput { row, order }) = effect.prescribed else { continue };
            // redundant rows are refused as inputs
            let Some(row) = self.equations.rows.iter().position(|x| *x == row) else { continue };
            let found = self.reduced.prescribed(self.equations, row, order);
            for (to, from) in all.iter_mut().zip(&found) {
                (0..from.nrows()).for_each(|i| to[(i, j)] = from[(i, 0)]);
            }
        }
        all
    }

    /// f − M ξ̈ − D ξ̇ − K ξ.
    fn unbalanced(&self, forces: &Mat<f64>, [xi, rate, second]: &[Mat<f64>; 3]) -> Mat<f64> {
        let Linearization { mass, damping, stiffness, .. } = self.equations;
        forces - full(mass) * second - full(damping) * rate - full(stiffness) * xi
    }

    /// ζ̇ that inputs cause through the motion and the multipliers: −R_ż⁻¹ (R_v ξ̇ + R_q ξ + R_λ μ) with
    /// R μ = f − M ξ̈ − D ξ̇ − K ξ.
    fn caused_rates(&self, forces: &Mat<f64>, motion: &[Mat<f64>; 3]) -> Mat<f64> {
        let states = &self.equations.states;
        if states.count() == 0 {
            return Mat::zeros(0, forces.ncols());
        }
        let mut rest =
            full(&states.velocity) * &motion[1] + full(&states.configuration) * &motion[0];
        if states.multipliers.iter().any(|(_, _, x)| x != 0.0) {
            let multipliers = multipliers_of(self.equations, &self.unbalanced(forces, motion));
            rest += full(&states.multipliers) * multipliers;
        }
        solve_rates(states, &-rest)
    }

    /// ζ̇ that inputs cause directly: −R_ż⁻¹ ∂r/∂u.
    fn direct_rates(&self, effects: &[InputEffect]) -> Mat<f64> {
        let states = &self.equations.states;
        if effects.iter().all(|effect| effect.residual.is_empty()) {
            return Mat::zeros(states.count(), effects.len());
        }
        let change = |i: usize, j: usize| -effects[j].residual.get(i).copied().unwrap_or(0.0);
        solve_rates(states, &Mat::from_fn(states.count(), effects.len(), change))
    }

    /// Adds the derivatives of the outputs by the value of an input itself: an input of the mechanism, or a prescribed
    /// motion, such as the speed in the power of a drive.
    fn add_direct(&self, effect: &InputEffect, slopes: &mut [f64]) {
        let outputs = |model: &Model, at: &Instant| {
            let mut values = vec![0.0; self.channels.len()];
            model.evaluate_all(self.channels.iter().zip(0..), at, &mut values);
            values
        };
        let (step, sides) = if let Some(i) = effect.discrete {
            let step = DIFFERENCE_STEP * (1.0 + self.at.q[i].abs());
            let side = |step: f64| {
                let mut there = self.at.clone();
                there.q[i] += step;
                outputs(self.model, &there)
            };
            (step, [side(step), side(-step)])
        } else if let Some(prescribed) = effect.prescribed {
            let side = |step: f64| {
                outputs(&self.model.with_prescribed(prescribed, self.at.t, step), self.at)
            };
            (DIFFERENCE_STEP, [side(DIFFERENCE_STEP), side(-DIFFERENCE_STEP)])
        } else {
            return;
        };
        for (slope, (a, b)) in slopes.iter_mut().zip(sides[0].iter().zip(&sides[1])) {
            *slope += (a - b) / (2.0 * step);
        }
    }

    /// The change of the state for ξ, ξ̇, ξ̈ and first-order states under a force.
    fn direction(
        &self,
        xi: &[f64],
        rate: &[f64],
        second: &[f64],
        push: &[f64],
        states: StateChange<'_>,
    ) -> Direction {
        let [dq, dv] = self.equations.motion(xi, rate);
        let da = self.equations.acceleration(xi, rate, second);
        // R μ = f − M ξ̈ − D ξ̇ − K ξ − F ζ, which is in the span of R
        let mut rest = push.to_vec();
        self.equations.mass.multiply_add(-1.0, second, &mut rest);
        self.equations.damping.multiply_add(-1.0, rate, &mut rest);
        self.equations.stiffness.multiply_add(-1.0, xi, &mut rest);
        if !states.values.is_empty() {
            self.equations.states.force.multiply_add(-1.0, states.values, &mut rest);
        }
        let reactions = full(&self.equations.reactions);
        let multipliers = match reactions.ncols() {
            0 => vec![0.0; self.equations.all_rows],
            m => {
                let square = reactions.transpose() * &reactions;
                let right = Mat::from_fn(m, 1, |i, _| {
                    (0..rest.len()).map(|k| reactions[(k, i)] * rest[k]).sum::<f64>()
                });
                let found = square.full_piv_lu().solve(right);
                // those of inactive rows stay zero
                let mut all = vec![0.0; self.equations.all_rows];
                let rows = self.equations.rows.iter().enumerate();
                rows.for_each(|(i, &row)| all[row] = found[(i, 0)]);
                all
            }
        };
        Direction([dq, dv, da, multipliers, states.values.to_vec(), states.rates.to_vec()])
    }

    /// The derivative of the outputs along a direction: positions, velocities, accelerations, multipliers, first-order
    /// states and their rates one after the other, each with its own step.
    fn slopes(&self, Direction(parts): &Direction) -> Vec<f64> {
        let at = self.at;
        let of = |values: &[f64]| 1.0 + largest(values);
        let sizes = [1.0, of(&at.v), of(&at.a), of(&at.multipliers), of(&at.z), of(&at.rates)];
        let mut slopes = vec![0.0; self.channels.len()];
        for (k, part) in parts.iter().enumerate() {
            let length = largest(part);
            if length == 0.0 {
                continue;
            }
            // outputs are linear in accelerations and multipliers: no step is too long
            let is_linear = k == 2 || k == 3;
            let step = if is_linear { 1.0 } else { DIFFERENCE_STEP } * sizes[k] / length;
            let (one, two) = (self.outputs_at(k, part, step), self.outputs_at(k, part, -step));
            for (slope, (a, b)) in slopes.iter_mut().zip(one.iter().zip(&two)) {
                *slope += (a - b) / (2.0 * step);
            }
        }
        slopes
    }

    /// The outputs at a state moved in one of its parts.
    fn outputs_at(&self, part: usize, along: &[f64], step: f64) -> Vec<f64> {
        let mut there = self.at.clone();
        match part {
            0 => {
                let d: Vec<f64> = along.iter().map(|x| step * x).collect();
                there.q = self.model.space().plus(&self.at.q, &d).unwrap_or_default();
            }
            1 => add_scaled(step, along, &mut there.v),
            2 => add_scaled(step, along, &mut there.a),
            3 => add_scaled(step, along, &mut there.multipliers),
            4 => add_scaled(step, along, &mut there.z),
            _ => add_scaled(step, along, &mut there.rates),
        }
        let mut values = vec![0.0; self.channels.len()];
        self.model.evaluate_all(self.channels.iter().zip(0..), &there, &mut values);
        values
    }
}

fn columns(rows: usize, columns: Vec<Vec<f64>>) -> DMatrix<f64> {
    DMatrix::from_fn(rows, columns.len(), |i, j| columns[j][i])
}
