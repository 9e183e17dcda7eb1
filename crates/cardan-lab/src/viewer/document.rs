//! The data of a page: a scene and how it moved.

use cardan::model::{AssembledMechanism, Model, NODE_WIDTH, Scene, SceneTracks};
use cardan::modes::Mode;
use cardan::run::MotionRecord;
use cardan::simulation::{Settings, Simulation};
use cardan::state::Instant;
use serde_json::{Value, json};

use super::blob::{doubles, singles};
use super::channels::PlotChannels;
use super::compact::{bounded, rounded_rows};
use super::scene_json::scene_json;
use crate::error::LabError;
use crate::still::still;

/// The version of the document.
const FORMAT: u32 = 1;

/// A scene, and how it moved in one or several runs.
pub struct ViewDocument {
    title: String,
    kind: &'static str,
    scene: Scene,
    tracks: SceneTracks,
    runs: Vec<ViewedRun>,
    modes: Vec<ViewedMode>,
}

/// One run of a document.
pub struct ViewedRun {
    name: String,
    parameter: &'static str,
    times: Vec<f64>,
    /// Frame after frame, the frames of nodes and then the values.
    rows: Vec<f32>,
    accuracy: f64,
    channels: PlotChannels,
}

/// A natural mode of a document.
pub struct ViewedMode {
    hertz: f64,
    damping: f64,
    is_rigid: bool,
    /// For each node the real and imaginary parts of translation and rotation.
    shape: Vec<f32>,
}

impl ViewDocument {
    /// A model in its assembled configuration.
    pub fn of_model(title: &str, start: &AssembledMechanism) -> Self {
        // reactions of the start, where they can be computed
        let settings = Settings::new("generalized-alpha", 1e-3);
        let now = Simulation::new(start.model.clone(), &settings, &start.initial);
        let at = now.map_or_else(|_| start.model.instant_of(&start.initial), |x| x.now().clone());
        let mut document = Self::new(title, "model", start);
        let path = [(at.t, at)];
        document.runs.push(document.path(&start.model, "initial configuration", "time", &path));
        document
    }

    /// A document without runs.
    fn new(title: &str, kind: &'static str, start: &AssembledMechanism) -> Self {
        let (scene, tracks) = start.model.scene(&start.model.instant_of(&start.initial));
        Self { title: title.into(), kind, scene, tracks, runs: Vec::new(), modes: Vec::new() }
    }

    /// The motion of a run, with channels for plots.
    pub fn of_run(
        title: &str,
        start: &AssembledMechanism,
        (name, motion): (&str, &MotionRecord),
        channels: PlotChannels,
    ) -> Result<Self, LabError> {
        let mut document = Self::new(title, "run", start);
        document.add_run(name, motion, channels)?;
        Ok(document)
    }

    /// Adds another run of the same model.
    pub fn add_run(
        &mut self,
        name: &str,
        motion: &MotionRecord,
        channels: PlotChannels,
    ) -> Result<(), LabError> {
        let is_same =
            motion.width() == self.tracks.width() && motion.nodes() == self.tracks.nodes();
        if !is_same {
            return Err(LabError::input(format!(
                "`{name}` has {} moving nodes and {} numbers a frame, the model of the picture {} and {}: only runs of \
                 models with the same parts are shown together",
                motion.nodes(),
                motion.width(),
                self.tracks.nodes(),
                self.tracks.width(),
            )));
        }
        let motion = bounded(motion, self.scene.size);
        let rows = motion.columns(0..motion.width());
        self.runs.push(ViewedRun {
            name: name.into(),
            parameter: "time",
            times: motion.times.clone(),
            rows: rounded_rows(rows, motion.width(), motion.nodes(), self.scene.size),
            accuracy: if motion.is_coarse { 1.0 } else { motion.accuracy() },
            channels,
        });
        Ok(())
    }

    /// Equilibria with their load factors or times.
    pub fn of_equilibria(
        title: &str,
        start: &AssembledMechanism,
        parameter: &'static str,
        path: &[(f64, Instant)],
    ) -> Self {
        let mut document = Self::new(title, "static", start);
        document.runs.push(document.path(&start.model, "equilibria", parameter, path));
        document
    }

    /// Natural modes about an instant.
    pub fn of_modes(title: &str, start: &AssembledMechanism, at: &Instant, modes: &[Mode]) -> Self {
        let mut document = Self::new(title, "modes", start);
        let path = [(at.t, at.clone())];
        let run = document.path(&start.model, "operating point", "time", &path);
        let each = modes.iter().map(|mode| {
            let (re, im): (Vec<f64>, Vec<f64>) = mode.shape.iter().map(|x| (x.re, x.im)).unzip();
            let shape = document.tracks.small_motion(&start.model, at, &re, &im);
            let largest =
                shape.chunks(12).flat_map(|x| &x[..6]).fold(0.0_f64, |a, x| a.max(x.abs()));
            let scale = if largest > 0.0 { 1.0 / largest } else { 1.0 };
            ViewedMode {
                hertz: mode.frequency() / std::f64::consts::TAU,
                damping: mode.damping_ratio(),
                is_rigid: mode.is_rigid(),
                shape: shape.iter().map(|x| (x * scale) as f32).collect(),
            }
        });
        document.modes = each.collect();
        document.runs.push(run);
        document
    }

    fn path(
        &self,
        model: &Model,
        name: &str,
        parameter: &'static str,
        path: &[(f64, Instant)],
    ) -> ViewedRun {
        let mut row = Vec::new();
        let mut rows = Vec::new();
        for (_, at) in path {
            self.tracks.row(model, at, None, &mut row);
            rows.extend(row.iter().map(|x| *x as f32));
        }
        ViewedRun {
            name: name.into(),
            parameter,
            times: path.iter().map(|x| x.0).collect(),
            rows,
            accuracy: 0.0,
            channels: PlotChannels::default(),
        }
    }

    /// A still picture as SVG: an instant of the first run, at a fraction of its frames.
    pub fn still(&self, fraction: f64) -> String {
        let width = self.tracks.width();
        let Some(run) = self.runs.first().filter(|run| !run.times.is_empty()) else {
            return still(&self.scene, &self.title, &[]);
        };
        let frame = (fraction.clamp(0.0, 1.0) * (run.times.len() - 1) as f64).round() as usize;
        still(&self.scene, &self.title, &run.rows[frame * width..(frame + 1) * width])
    }

    /// The document as JSON.
    pub fn to_json(&self) -> Value {
        let mut document = json!({
            "format": FORMAT,
            "generator": concat!("cardan ", env!("CARGO_PKG_VERSION")),
            "title": self.title,
            "kind": self.kind,
            "scene": scene_json(&self.scene),
            "runs": self.runs.iter().map(|run| self.run_json(run)).collect::<Value>(),
        });
        if !self.modes.is_empty() {
            document["modes"] = self.modes.iter().map(ViewedMode::to_json).collect();
        }
        document
    }

    fn run_json(&self, run: &ViewedRun) -> Value {
        let (count, width) = (run.times.len(), self.tracks.width());
        let moving = NODE_WIDTH * self.tracks.nodes();
        let columns = |from: usize, to: usize| {
            run.rows.chunks_exact(width.max(1)).flat_map(move |row| row[from..to].iter().copied())
        };
        let mut first = moving;
        let values = self.tracks.values().iter().map(|value| {
            let from = first;
            first += value.width;
            json!({
                "name": value.name,
                "unit": value.unit,
                "width": value.width,
                "values": singles(&[count, value.width], columns(from, first)),
            })
        });
        let (channels, channel_times) = run.channels.to_json();
        json!({
            "name": run.name,
            "parameter": run.parameter,
            "times": doubles(&[count], run.times.iter().copied()),
            "frames": singles(&[count, self.tracks.nodes(), NODE_WIDTH], columns(0, moving)),
            "accuracy": run.accuracy,
            "scalars": values.collect::<Value>(),
            "channels": channels,
            "channel_times": channel_times,
        })
    }
}

impl ViewedMode {
    fn to_json(&self) -> Value {
        json!({
            "frequency": self.hertz,
            "damping": self.damping,
            "rigid": self.is_rigid,
            "shape": singles(&[self.shape.len() / 12, 12], self.shape.iter().copied()),
        })
    }
}
