//! The values recorded at an instant: channels by name or pattern, as columns.

use std::collections::HashSet;

use crate::model::{Channel, Energy, EnergyBalance, Model, ModelError, Owner, Power};
use crate::wildcard::matches;
use cardan_core::simulation::Simulation;
use cardan_core::state::Instant;
use cardan_core::suggestion;

/// A column of the results.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct Column {
    /// Its name.
    pub name: String,
    /// Its unit.
    pub unit: String,
}

impl Column {
    fn new(name: impl Into<String>, unit: &str) -> Self {
        Self { name: name.into(), unit: unit.into() }
    }
}

/// The origin of some columns.
enum ColumnSource {
    Model(Box<Channel>),
    /// A channel of the energy balance.
    EnergyBalance(usize),
    /// Newton iterations of the last step.
    Iterations,
    /// Newton iterations of one of its stages.
    StageIterations(usize),
    /// The size of the last step.
    StepSize,
}

/// Writes one row at an instant; the first column is time.
pub struct Recorder {
    columns: Vec<Column>,
    /// With the column each begins at.
    sources: Vec<(ColumnSource, usize)>,
    /// The names of the columns: a channel that two patterns match is written once.
    known: HashSet<String>,
    /// Stages of a step.
    stages: usize,
    row: Vec<f64>,
}

/// Newton iterations of the last step.
const ITERATIONS: &str = "newton.iterations";

/// The size of the last step.
const STEP_SIZE: &str = "step.size";

/// The channels that the run itself offers: the size of the last step, its Newton iterations and, if there are
/// several, those of each of its stages.
pub fn run_channels(stages: usize) -> Vec<String> {
    let of_stage = |k: usize| format!("{ITERATIONS}.{}", k + 1);
    let each = if stages > 1 { 0..stages } else { 0..0 };
    let own = [STEP_SIZE, ITERATIONS].map(String::from);
    own.into_iter().chain(each.map(of_stage)).collect()
}

impl Recorder {
    /// Records channels by name; `*` in a name stands for any text. With no names given, positions,
    /// angles, joint coordinates and energies. On failure the indices of the names that are wrong.
    pub fn new(
        model: &Model,
        names: Option<&[&str]>,
        stages: usize,
    ) -> Result<Self, Vec<(usize, ModelError)>> {
        let columns = vec![Column::new("time", "s")];
        let known = HashSet::from(["time".to_string()]);
        let mut recorder = Self { columns, known, stages, sources: Vec::new(), row: Vec::new() };
        match names {
            None => recorder.add_defaults(model),
            Some(names) => {
                let add = |(k, name): (usize, &&str)| {
                    recorder.add(model, name).err().map(|error| (k, error))
                };
                let wrong: Vec<_> = names.iter().enumerate().filter_map(add).collect();
                if !wrong.is_empty() {
                    return Err(wrong);
                }
            }
        }
        recorder.row = vec![0.0; recorder.columns.len()];
        Ok(recorder)
    }

    /// The columns, time first.
    pub fn columns(&self) -> &[Column] {
        &self.columns
    }

    /// The values now; `iterations` are those of the last step.
    pub fn row(
        &mut self,
        model: &Model,
        energy: &EnergyBalance,
        motion: &Simulation<'_>,
        iterations: u64,
    ) -> &[f64] {
        let (now, known) = (motion.now(), energy.latest(motion.now()));
        self.write_row(model, now, (energy.values(), known), motion, iterations)
    }

    /// The values at an instant within the last step, with those of the energy balance there.
    pub fn row_at(
        &mut self,
        model: &Model,
        now: &Instant,
        energy: [f64; 5],
        motion: &Simulation<'_>,
        iterations: u64,
    ) -> &[f64] {
        self.write_row(model, now, (energy, None), motion, iterations)
    }

    /// Writes the values at an instant, with those of the energy balance, and the energy and powers if they are known.
    fn write_row(
        &mut self,
        model: &Model,
        now: &Instant,
        (energy, known): ([f64; 5], Option<&(Energy, Power)>),
        motion: &Simulation<'_>,
        iterations: u64,
    ) -> &[f64] {
        let channels = self.sources.iter().filter_map(|(source, first)| match source {
            ColumnSource::Model(channel) => Some((&**channel, *first)),
            _ => None,
        });
        model.evaluate_knowing(known, channels, now, Some(motion.scratch()), &mut self.row);
        self.row[0] = now.t;
        for (source, first) in &self.sources {
            match source {
                ColumnSource::Model(_) => {}
                ColumnSource::EnergyBalance(k) => self.row[*first] = energy[*k],
                ColumnSource::StepSize => self.row[*first] = motion.last_step_size(),
                ColumnSource::Iterations => self.row[*first] = iterations as f64,
                ColumnSource::StageIterations(k) => {
                    let solves = motion.stage_iterations().get(*k).copied().unwrap_or(0);
                    self.row[*first] = f64::from(solves);
                }
            }
        }
        &self.row
    }

    /// The values at an instant without motion; those of the energy balance and of the run are NaN.
    pub fn at_rest(&mut self, model: &Model, at: &Instant) -> &[f64] {
        self.row.fill(f64::NAN);
        let channels = self.sources.iter().filter_map(|(source, first)| match source {
            ColumnSource::Model(channel) => Some((&**channel, *first)),
            _ => None,
        });
        model.evaluate_all(channels, at, &mut self.row);
        self.row[0] = at.t;
        &self.row
    }

    /// One name or pattern.
    fn add(&mut self, model: &Model, name: &str) -> Result<(), ModelError> {
        if !name.contains('*') {
            if let Some(k) = EnergyBalance::CHANNELS.iter().position(|known| *known == name) {
                self.add_energy_balance(k);
                return Ok(());
            }
            if name == "time" {
                return Ok(());
            }
            let own = run_channels(self.stages);
            if let Some(k) = own.iter().position(|known| known == name) {
                self.add_run_channel(k);
                return Ok(());
            }
            let channel = model.channel(name).map_err(|error| {
                let own = EnergyBalance::CHANNELS.into_iter().chain(own.iter().map(String::as_str));
                let nearest = suggestion::nearest(name, own);
                match (error, nearest) {
                    (
                        ModelError::Missing { wanted_by, key, what, name, nearest: None },
                        nearest,
                    ) => ModelError::Missing { wanted_by, key, what, name, nearest },
                    (error, _) => error,
                }
            })?;
            model.significant(channel).into_iter().for_each(|channel| self.add_channel(channel));
            return Ok(());
        }
        let mut matched = false;
        // names begin with that of their owner
        let beginning = name.split('*').next().unwrap_or_default();
        let is_owner = |owner: &str| owner.bytes().zip(beginning.bytes()).all(|(a, b)| a == b);
        let mut failure = None;
        model.visit_channels(is_owner, |channel| {
            let whole = matches(name, channel.name());
            for channel in model.significant(channel) {
                let parts = channel.components();
                if whole || matches(name, channel.name()) {
                    matched = true;
                    self.add_channel(channel);
                    continue;
                }
                for part in parts.iter().filter(|part| matches(name, part)) {
                    matched = true;
                    match model.channel(part) {
                        Ok(part) => self.add_channel(part),
                        Err(error) => failure = Some(error),
                    }
                }
            }
        });
        if let Some(error) = failure {
            return Err(error);
        }
        for (k, known) in EnergyBalance::CHANNELS.into_iter().enumerate() {
            if matches(name, known) {
                matched = true;
                self.add_energy_balance(k);
            }
        }
        for (k, known) in run_channels(self.stages).iter().enumerate() {
            if matches(name, known) {
                matched = true;
                self.add_run_channel(k);
            }
        }
        match matched {
            true => Ok(()),
            false => Err(ModelError::Missing {
                wanted_by: Box::new(Owner::Outputs),
                key: None,
                what: "channel",
                name: name.into(),
                nearest: None,
            }),
        }
    }

    fn add_channel(&mut self, channel: Channel) {
        let (names, unit) = (channel.components(), channel.unit());
        let is_mixed = unit.contains(", ");
        match is_mixed || names.iter().any(|name| self.known.contains(name)) {
            false => self.add_source(ColumnSource::Model(channel.into()), names, unit),
            // some of its numbers are there already, or have different units
            true => channel.parts().into_iter().for_each(|part| {
                let (names, unit) = (part.components(), part.unit());
                self.add_source(ColumnSource::Model(part.into()), names, unit);
            }),
        }
    }

    fn add_energy_balance(&mut self, k: usize) {
        self.add_source(
            ColumnSource::EnergyBalance(k),
            vec![EnergyBalance::CHANNELS[k].into()],
            "J",
        );
    }

    /// One of the channels of the run, by its index among them.
    fn add_run_channel(&mut self, k: usize) {
        let name = run_channels(self.stages).swap_remove(k);
        let (source, unit) = match k {
            0 => (ColumnSource::StepSize, "s"),
            1 => (ColumnSource::Iterations, ""),
            _ => (ColumnSource::StageIterations(k - 2), ""),
        };
        self.add_source(source, vec![name], unit);
    }

    fn add_source(&mut self, source: ColumnSource, names: Vec<String>, unit: &str) {
        if names.iter().all(|name| !self.known.contains(name)) {
            self.sources.push((source, self.columns.len()));
            self.known.extend(names.iter().cloned());
            self.columns.extend(names.into_iter().map(|name| Column::new(name, unit)));
        }
    }

    /// Adds what is recorded by default: positions, angles, joint coordinates and energies.
    fn add_defaults(&mut self, model: &Model) {
        model.default_channels().into_iter().for_each(|channel| self.add_channel(channel));
        self.add_energy_balance(0);
    }
}
