//! Checks, equilibria, modes and linear systems of a model.

use std::sync::Arc;

use cardan::Simulation;
use cardan::System;
use cardan::model::{AssemblyReport, EnergyBalance, RedundantConstraint};
use cardan::modes::{Mode, Modes, ModesOptions, StateSpace, StaticStability};
use cardan::results::run_channels;
use cardan::run::{explained, jump_warnings, recorder};
use cardan::stage::StaticIteration;
use cardan::statics::{Equilibrium, StaticOptions};
use pyo3::prelude::*;
use pyo3::types::PyDict;
use serde_json::{Value, json};

use crate::callbacks::clear_raised;
use crate::compiled::Compiled;
use crate::convert::{array, block, json_to_python, matrix};
use crate::errors::{library_error, model_error, run_error};
use crate::operating_point::{PointChoice, held_states};
use crate::view::PageSource;

#[pymethods]
impl Compiled {
    /// Degrees of freedom, constraints, sizes and warnings.
    fn check<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let (file, start) = (&self.file, self.start(py)?);
        let columns = recorder(file, &start).map_err(|x| model_error(py, &x, self.origin))?;
        let has_step = file.plan.step.is_some() || file.plan.substep.is_some();
        let schedule = match has_step && file.plan.end.is_some() {
            true => Some(self.schedule(py)?),
            false => None,
        };
        let (mut warnings, mut residuals) = (Vec::new(), None);
        if let Some(schedule) = &schedule {
            clear_raised();
            let motion = py.detach(|| {
                let motion =
                    Simulation::new(start.model.clone(), &schedule.settings, &start.initial);
                motion.map_err(|error| explained(file, error.into()))
            });
            let mut motion = motion.map_err(|error| run_error(py, &error, self.origin))?;
            warnings = motion.warnings().iter().map(ToString::to_string).collect();
            warnings.extend(jump_warnings(&start.model, schedule));
            residuals = Some(motion.residuals());
        }
        let model = &start.model;
        let counts = model.counts();
        let value = json!({
            "title": file.title,
            "sizes": {
                "bodies": counts.bodies, "flexible bodies": counts.flexible,
                "structures": counts.structures, "beams": counts.beams,
                "elements": counts.elements, "joints": counts.joints, "drives": counts.drives,
                "forces": counts.forces, "signals": counts.signals, "states": counts.states,
                "inputs": counts.inputs, "coordinates": model.space().velocities(),
                "constraints": model.holonomic_count(),
                "velocity constraints": model.nonholonomic_count(),
            },
            "report": report(&start.report),
            "text": start.report.to_string(),
            "residuals": residuals.map(|x| json!({ "position": x.position, "velocity": x.velocity })),
            "steps": schedule.map(|schedule| schedule.steps as u64),
            "columns": columns.columns().len(),
            "warnings": warnings,
        });
        json_to_python(py, &value)
    }

    /// Every channel with its unit.
    fn channels(&self, py: Python<'_>) -> PyResult<Vec<(String, String)>> {
        let start = self.start(py)?;
        let model = &start.model;
        let mut all = vec![("time".to_string(), "s".to_string())];
        for channel in model.channels() {
            let unit = channel.unit().to_string();
            for part in model.significant(channel) {
                all.extend(part.components().into_iter().map(|name| (name, unit.clone())));
            }
        }
        all.extend(EnergyBalance::CHANNELS.map(|name| (name.to_string(), "J".to_string())));
        all.extend(run_channels(self.file.stages()).into_iter().map(|name| (name, String::new())));
        Ok(all)
    }

    /// The equilibrium under the loads of the start, or along time.
    #[pyo3(signature = (steps, until, tolerance, iterations, spin))]
    fn equilibrium<'py>(
        &self,
        py: Python<'py>,
        steps: usize,
        until: Option<f64>,
        tolerance: f64,
        iterations: usize,
        spin: Option<[f64; 3]>,
    ) -> PyResult<Bound<'py, PyDict>> {
        let start = self.start(py)?;
        let mut options = StaticOptions { steps, until, ..StaticOptions::default() };
        options.newton.tolerance = tolerance;
        options.newton.iterations = iterations;
        options.spin = spin.map(Into::into).unwrap_or_default();
        let mut found = Equilibrium::default();
        clear_raised();
        let failed = py.detach(|| start.follow_equilibrium(&options, &mut found).err());
        let mut recorder =
            recorder(&self.file, &start).map_err(|x| model_error(py, &x, self.origin))?;
        let own = run_channels(self.file.stages());
        // the channels of the energy balance and of the run do not apply to an equilibrium
        let is_still = |name: &str| {
            name != "time"
                && !EnergyBalance::CHANNELS.contains(&name)
                && !own.iter().any(|x| x == name)
        };
        let kept: Vec<usize> = (0..recorder.columns().len())
            .filter(|&k| is_still(&recorder.columns()[k].name))
            .collect();
        let mut columns = vec![json!({
            "name": if until.is_some() { "time" } else { "load" },
            "unit": if until.is_some() { "s" } else { "" },
        })];
        columns.extend(kept.iter().map(|&k| json!(recorder.columns()[k])));
        let mut values = vec![Vec::new(); columns.len()];
        for (load, at) in &found.path {
            let row = recorder.at_rest(&start.model, at);
            values[0].push(*load);
            kept.iter().enumerate().for_each(|(column, &k)| values[column + 1].push(row[k]));
        }
        let log = |x: &StaticIteration| {
            json!({
                "load": x.load, "iteration": x.number, "imbalance": x.imbalance,
                "correction": x.correction, "part": x.part,
            })
        };
        let about = json!({
            "columns": columns,
            "held_states": found.held_states,
            "note": held_states(&found),
            "stability": found.stability.as_ref().map(stability),
            "log": found.log.iter().map(log).collect::<Value>(),
        });
        let out = PyDict::new(py);
        out.set_item("about", json_to_python(py, &about)?)?;
        out.set_item("data", block(py, values)?)?;
        let error = failed.map(|error| library_error(py, &error).into_value(py));
        out.set_item("error", error)?;
        let parameter = if until.is_some() { "time" } else { "load" };
        out.set_item("view", PageSource::of_equilibria(Arc::clone(&start), parameter, found.path))?;
        Ok(out)
    }

    /// Natural frequencies, damping ratios and mode shapes about a state.
    #[pyo3(signature = (count, is_static, spin, time))]
    fn modes<'py>(
        &self,
        py: Python<'py>,
        count: usize,
        is_static: bool,
        spin: Option<[f64; 3]>,
        time: Option<f64>,
    ) -> PyResult<Bound<'py, PyDict>> {
        let point = self.operating_point(py, &PointChoice { is_static, spin, time })?;
        let model = &point.start.model;
        let options = ModesOptions { count, observer: point.observer.clone() };
        let modes = py.detach(|| Modes::new(model, &point.at, &options));
        let modes = modes.map_err(|error| library_error(py, &error.into()))?;
        let all = &modes.modes;
        let out = PyDict::new(py);
        let part = |of: fn(&Mode) -> f64| array(py, &all.iter().map(of).collect::<Vec<_>>());
        out.set_item("re", part(|mode| mode.eigenvalue.re))?;
        out.set_item("im", part(|mode| mode.eigenvalue.im))?;
        out.set_item("frequency", part(Mode::frequency))?;
        out.set_item("damping_ratio", part(Mode::damping_ratio))?;
        let rigid: Vec<bool> = all.iter().map(Mode::is_rigid).collect();
        out.set_item("rigid", rigid)?;
        let names: Vec<String> = all.iter().map(|mode| largest_coordinate(model, mode)).collect();
        out.set_item("moves_most", names)?;
        // real and imaginary translations and rotations of everything that can be drawn
        let mut places: Vec<(String, Vec<f64>)> = Vec::new();
        let mut shapes: Vec<Vec<f64>> = Vec::new();
        for (k, mode) in all.iter().enumerate() {
            let motion = |of: fn(f64, f64) -> f64| {
                let parts: Vec<f64> = mode.shape.iter().map(|x| of(x.re, x.im)).collect();
                model.displacements(&point.at, &parts)
            };
            let [real, imaginary] = [motion(|re, _| re), motion(|_, im| im)];
            if k == 0 {
                places =
                    real.iter().map(|x| (x.name.clone(), x.position.as_slice().to_vec())).collect();
            }
            let mut row = Vec::new();
            for (a, b) in real.iter().zip(&imaginary) {
                for vector in [&a.translation, &b.translation, &a.rotation, &b.rotation] {
                    row.extend_from_slice(vector.as_slice());
                }
            }
            shapes.push(row);
        }
        out.set_item("places", places)?;
        out.set_item("shapes", block(py, shapes)?)?;
        out.set_item("description", &point.description)?;
        out.set_item("time", point.at.t)?;
        out.set_item("notes", &point.notes)?;
        out.set_item("conservative", modes.is_conservative)?;
        out.set_item("view", PageSource::of_modes(point.start, point.at, modes.modes))?;
        Ok(out)
    }

    /// The linear state-space system about a state.
    #[pyo3(signature = (inputs, outputs, is_static, spin, time))]
    fn linearize<'py>(
        &self,
        py: Python<'py>,
        inputs: Vec<String>,
        outputs: Vec<String>,
        is_static: bool,
        spin: Option<[f64; 3]>,
        time: Option<f64>,
    ) -> PyResult<Bound<'py, PyDict>> {
        let point = self.operating_point(py, &PointChoice { is_static, spin, time })?;
        let model = &point.start.model;
        let outputs: Vec<String> = match outputs.is_empty() {
            false => outputs,
            true => model.default_channels().iter().map(|x| x.name().to_string()).collect(),
        };
        let made =
            py.detach(|| StateSpace::new(model, &point.at, &point.observer, &inputs, &outputs));
        let system = made.map_err(|error| library_error(py, &error.into()))?;
        let out = PyDict::new(py);
        for (name, x) in [("A", &system.a), ("B", &system.b), ("C", &system.c), ("D", &system.d)] {
            out.set_item(name, matrix(py, x.nrows(), x.ncols(), |i, j| x[(i, j)])?)?;
        }
        out.set_item("states", &system.states)?;
        out.set_item("inputs", &system.inputs)?;
        out.set_item("outputs", &system.outputs)?;
        out.set_item("y0", array(py, &system.values))?;
        out.set_item("time", system.time)?;
        out.set_item("description", &point.description)?;
        out.set_item("notes", &point.notes)?;
        Ok(out)
    }
}

fn stability(found: &StaticStability) -> Value {
    json!({
        "verdict": format!("{:?}", found.verdict).to_lowercase(),
        "test": format!("{:?}", found.test).to_lowercase(),
        "unstable_motions": found.unstable,
        "neutral_motions": found.neutral,
        "growth_rate": found.rate,
        "moves_most": found.coordinate,
        "text": found.to_string(),
    })
}

/// The coordinate that moves most, or the largest first-order state if nothing moves.
fn largest_coordinate(model: &cardan::model::Model, mode: &Mode) -> String {
    let most = |values: &[nalgebra::Complex<f64>]| {
        let size = |i: &usize| values[*i].norm();
        (0..values.len()).max_by(|a, b| size(a).total_cmp(&size(b))).filter(|i| size(i) > 0.0)
    };
    match (most(&mode.shape), most(&mode.states)) {
        (Some(i), _) => model.coordinate_name(i),
        (None, Some(i)) => model.state_name(i),
        (None, None) => String::new(),
    }
}

fn report(report: &AssemblyReport) -> Value {
    let dependent = |all: &[RedundantConstraint]| -> Value {
        let one = |x: &RedundantConstraint| json!({ "joint": x.joint, "prevents": x.prevents, "follows_from": x.follows_from });
        all.iter().map(one).collect()
    };
    json!({
        "degrees_of_freedom": report.degrees_of_freedom,
        "driven": report.driven,
        "locked": report.is_locked(),
        "gaps": report.gaps.iter()
            .map(|x| json!({ "joint": x.joint, "distance": x.distance, "angle": x.angle }))
            .collect::<Value>(),
        "moved": report.moved.iter()
            .map(|x| json!({ "body": x.body, "distance": x.distance, "angle": x.angle }))
            .collect::<Value>(),
        "redundant": dependent(&report.redundant),
        "singular": dependent(&report.singular),
        "uncertain_friction": report.uncertain_friction,
    })
}
