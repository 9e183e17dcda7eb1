//! The motion record: how all nodes and values of a scene moved, decimated in time.
//!
//! A frame is kept if the line from the last kept frame to it would miss a frame between them by more than the
//! tolerance. The test needs no frames in between: each one narrows the interval of slopes that pass it. Lines are those
//! of positions, of rotation vectors from the last kept orientation (a line of them is a rotation about a fixed axis), and
//! of displacements of structures.
//!
//! ```text
//!   x │      ╱ highest slope that passes all frames within the tolerance
//!     │    ·╱· ┄ frames
//!     │  ·╱···
//!     │ ·────── lowest slope       the next frame is outside: the one before it is kept
//!     └──────── t
//! ```

use serde::{Deserialize, Serialize};
use serde_bytes::ByteBuf;

use super::packing::{packed, unpacked};
use crate::model::{NODE_WIDTH, Scene, SceneStructure, SceneTracks};
use crate::output::ContainerKind;
use cardan_core::math::{Quaternion, exponential};

/// Interpolated positions are within this part of the model's size.
pub const MOTION_ACCURACY: f64 = 1e-3;
/// Interpolated orientations are within this part of the accuracy, in rad and along each axis.
const TURN_ACCURACY: f64 = 0.5;
/// Interpolated displacements of structures are within this multiple of the accuracy, in parts of the largest one so far.
const DISPLACEMENT_ACCURACY: f64 = 5.0;
/// The largest rotation from one frame to the next, in rad: beyond a half turn the way back is shorter.
const MAX_TURN: f64 = 2.0;
/// Numbers of a node that decide about frames: its position and its rotation vector from the last kept frame.
const COMPARED_WIDTH: usize = 6;
/// From this size on frames are spaced more widely, in proportion to the time that has passed.
const MAX_BYTES: usize = 1 << 23;
/// At least this many frames are kept without that.
const MIN_FRAMES: usize = 200;
/// A step in which a node moves by more than this part of the model's size, or turns by twice as many radians, is divided.
const LONG_STEP: f64 = 0.05;
/// The most parts of a step.
const MAX_PARTS: f64 = 32.0;

/// The motion of a scene: frames of nodes, then values, at some instants.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct MotionRecord {
    nodes: usize,
    width: usize,
    size: f64,
    /// Interpolated positions are within this part of the size.
    accuracy: f64,
    /// The columns of displacements of structures, each with the largest one so far.
    displacements: Vec<(std::ops::Range<usize>, f64)>,
    /// Whether the number of frames has no limit.
    is_unlimited: bool,
    /// The times of the frames.
    pub times: Vec<f64>,
    /// Single precision, little endian.
    frames: ByteBuf,
    /// Whether frames are spaced more widely than the accuracy needs.
    pub is_coarse: bool,
    /// The last kept row.
    kept: Vec<f64>,
    /// The last row, and its time.
    last: Vec<f64>,
    last_time: f64,
    /// The slopes from the last kept row that pass all later ones within the tolerance.
    slopes: Vec<[f64; 2]>,
}

impl MotionRecord {
    /// A record without frames.
    pub fn new(scene: &Scene, tracks: &SceneTracks) -> Self {
        let first = |value: usize| {
            let before = tracks.values().iter().take(value).map(|x| x.width).sum::<usize>();
            NODE_WIDTH * tracks.nodes() + before
        };
        let of_structure = |structure: &SceneStructure| {
            let first = first(structure.value);
            (first..first + structure.rest.len(), 0.0)
        };
        Self {
            nodes: tracks.nodes(),
            width: tracks.width(),
            size: scene.size,
            accuracy: MOTION_ACCURACY,
            displacements: scene.structures.iter().map(of_structure).collect(),
            ..Self::default()
        }
    }

    /// The record with fewer frames: lines between them are within a multiple of the accuracy of the frames given.
    pub fn thinned(&self, factor: f64) -> Self {
        let mut thin = Self {
            accuracy: factor * MOTION_ACCURACY,
            is_unlimited: true,
            times: Vec::new(),
            frames: ByteBuf::new(),
            is_coarse: false,
            ..self.clone()
        };
        let mut row = Vec::new();
        for (time, bytes) in self.times.iter().zip(self.frames.chunks_exact(4 * self.width.max(1)))
        {
            row.clear();
            row.extend(bytes.chunks_exact(4).map(|x| f64::from(number(x))));
            thin.push(*time, &row, |_| {});
        }
        Self {
            accuracy: self.accuracy + thin.accuracy,
            is_coarse: self.is_coarse,
            ..thin.completed()
        }
    }

    /// Interpolated positions are within this part of the model's size, unless the record is coarse.
    pub fn accuracy(&self) -> f64 {
        self.accuracy
    }

    /// The number of nodes.
    pub fn nodes(&self) -> usize {
        self.nodes
    }

    /// The length of a row.
    pub fn width(&self) -> usize {
        self.width
    }

    /// The values of some columns at all frames, frame after frame.
    pub fn columns(&self, columns: std::ops::Range<usize>) -> Vec<f32> {
        let bytes = self.frames.chunks_exact(4 * self.width.max(1));
        let of_row = |row: &[u8]| -> Vec<f32> {
            let own = row.get(4 * columns.start..4 * columns.end).unwrap_or_default();
            own.chunks_exact(4).map(number).collect()
        };
        bytes.flat_map(of_row).collect()
    }

    /// The last row, from which the next one is distinguished by the signs of quaternions.
    pub(super) fn last_row(&self) -> Vec<f64> {
        self.last.clone()
    }

    /// In how many parts a step to a row is divided, so that straight lines between them are accurate.
    pub(super) fn parts(&self, row: &[f64]) -> usize {
        let moving = NODE_WIDTH * self.nodes;
        let pairs = row.iter().zip(&self.last).take(moving).enumerate();
        let relative = |(k, (now, before)): (usize, (&f64, &f64))| {
            let unit = if k % NODE_WIDTH < 3 { self.size } else { 1.0 };
            (now - before).abs() / (LONG_STEP * unit)
        };
        let most = pairs.map(relative).fold(0.0, f64::max);
        most.min(MAX_PARTS).ceil().max(1.0) as usize
    }

    /// Whether it has no row yet.
    pub(super) fn is_empty(&self) -> bool {
        self.last.is_empty()
    }

    /// Whether a column decides about frames.
    pub(super) fn decides(&self, column: usize) -> bool {
        let mut displacements = self.displacements.iter();
        column < NODE_WIDTH * self.nodes || displacements.any(|(range, _)| range.contains(&column))
    }

    /// The record with other values in its last row.
    pub(super) fn with_last(&self, change: impl FnOnce(&mut [f64])) -> Self {
        let mut record = self.clone();
        change(&mut record.last);
        record
    }

    /// Takes the row of an instant after the last one; returns whether it is one. Only the columns that decide about frames
    /// are needed: if the row before is kept, `complete` writes its others.
    pub(super) fn push(
        &mut self,
        time: f64,
        row: &[f64],
        complete: impl FnOnce(&mut [f64]),
    ) -> bool {
        if row.len() != self.width || (!self.last.is_empty() && time <= self.last_time) {
            return false;
        }
        self.measure_displacements(row);
        if self.last.is_empty() {
            self.keep(time, row.to_vec());
        } else {
            let mut changes = self.changes(row);
            if !self.is_on_line(time, changes.as_deref()) && self.last_time > self.kept_time() {
                match self.may_keep(self.last_time) {
                    true => {
                        let mut last = std::mem::take(&mut self.last);
                        complete(&mut last);
                        self.keep(self.last_time, last);
                        changes = self.changes(row);
                    }
                    false => self.is_coarse = true,
                }
            }
            // a node that turned too far is on no line, and the row before it was kept
            self.narrow(time, &changes.unwrap_or_default());
        }
        (self.last, self.last_time) = (row.to_vec(), time);
        true
    }

    /// The record with its last row.
    pub fn completed(&self) -> Self {
        let mut whole = self.clone();
        if !self.last.is_empty() && self.last_time > self.kept_time() {
            whole.keep(self.last_time, self.last.clone());
        }
        // what decides about later frames is not part of a complete record
        Self { kept: Vec::new(), last: Vec::new(), slopes: Vec::new(), ..whole }
    }

    /// The bytes of a file.
    pub fn encode(&self) -> Vec<u8> {
        ContainerKind::Motion.encode(&packed(self))
    }

    /// The record in a file; the error is the reason why there is none.
    pub fn decode(bytes: &[u8]) -> Result<Self, String> {
        let record: Self = unpacked(ContainerKind::Motion, bytes)?;
        let expected = record.times.len().checked_mul(record.width).and_then(|n| n.checked_mul(4));
        let has_nodes = record.nodes.checked_mul(NODE_WIDTH).is_some_and(|n| n <= record.width);
        let has_columns = record
            .displacements
            .iter()
            .all(|(columns, _)| columns.start <= columns.end && columns.end <= record.width);
        match expected == Some(record.frames.len()) && has_nodes && has_columns {
            true => Ok(record),
            false => Err("its contents have the wrong length".into()),
        }
    }

    fn kept_time(&self) -> f64 {
        self.times.last().copied().unwrap_or(f64::NEG_INFINITY)
    }

    fn keep(&mut self, time: f64, row: Vec<f64>) {
        self.times.push(time);
        self.frames.extend(row.iter().flat_map(|x| (*x as f32).to_le_bytes()));
        self.kept = row;
        self.slopes.clear();
    }

    /// Whether another frame may be kept: the spacing of frames beyond a number grows with the time that has passed.
    fn may_keep(&self, time: f64) -> bool {
        let most = (MAX_BYTES / (4 * self.width + 8)).max(MIN_FRAMES);
        let passed = time - self.times.first().copied().unwrap_or(time);
        self.is_unlimited
            || self.times.len() < most
            || time - self.kept_time() >= passed / most as f64
    }

    /// The changes since the last kept row that decide about frames, with the accuracy of each; `None` if a node has
    /// turned too far.
    fn changes(&self, row: &[f64]) -> Option<Vec<(f64, f64)>> {
        let place = self.accuracy * self.size;
        let turn = self.accuracy * TURN_ACCURACY;
        let mut all = Vec::with_capacity(COMPARED_WIDTH * self.nodes);
        let nodes = row.chunks_exact(NODE_WIDTH).zip(self.kept.chunks_exact(NODE_WIDTH));
        for (now, kept) in nodes.take(self.nodes) {
            all.extend((0..3).map(|k| (now[k] - kept[k], place)));
            let [now, kept] = [now, kept].map(|x| Quaternion::new(x[3], x[4], x[5], x[6]));
            let rotation = exponential::inverse(kept.conjugate() * now);
            if rotation.norm() > MAX_TURN {
                return None;
            }
            all.extend(rotation.iter().map(|angle| (*angle, turn)));
        }
        for (columns, largest) in &self.displacements {
            let accuracy = self.accuracy * DISPLACEMENT_ACCURACY * largest;
            let pairs = row[columns.clone()].iter().zip(&self.kept[columns.clone()]);
            all.extend(pairs.map(|(now, kept)| (now - kept, accuracy)));
        }
        Some(all)
    }

    fn is_on_line(&self, time: f64, changes: Option<&[(f64, f64)]>) -> bool {
        let scale = 1.0 / (time - self.kept_time());
        let Some(changes) = changes else { return false };
        let mut all = changes.iter().zip(&self.slopes);
        all.all(|((change, _), [low, high])| (*low..=*high).contains(&(change * scale)))
    }

    fn narrow(&mut self, time: f64, changes: &[(f64, f64)]) {
        let scale = 1.0 / (time - self.kept_time());
        self.slopes.resize(changes.len(), [f64::NEG_INFINITY, f64::INFINITY]);
        for ((change, accuracy), slope) in changes.iter().zip(&mut self.slopes) {
            slope[0] = slope[0].max((change - accuracy) * scale);
            slope[1] = slope[1].min((change + accuracy) * scale);
        }
    }

    fn measure_displacements(&mut self, row: &[f64]) {
        for (columns, largest) in &mut self.displacements {
            *largest = row[columns.clone()].iter().fold(*largest, |most, x| most.max(x.abs()));
        }
    }
}

fn number(x: &[u8]) -> f32 {
    f32::from_le_bytes([x[0], x[1], x[2], x[3]])
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::file::ModelFile;
    use crate::run::{RunRequest, run_in_memory};

    const PENDULUM: &str = r#"
format = 2
planar = true
gravity = [0, -9.81]
body.bar = { mass = 2, shape = { rod = 1 }, position = [0.5, 0] }
joint.O = { type = "revolute", between = ["ground", "bar"], at = [0, 0] }
simulation = { step = 1e-3, end = 2 }
"#;

    /// Positions at kept instants are those of the results to single precision; between them they are linear within
    /// the stated accuracy, and few frames are kept.
    #[test]
    fn frames_are_exact_and_lines_between_them_accurate() -> Result<(), Box<dyn std::error::Error>>
    {
        let file = ModelFile::parse("pendulum.toml", PENDULUM, &[])?;
        let (schedule, start) = (file.schedule()?, file.assemble()?);
        let request = RunRequest::new(std::path::Path::new("unused"));
        let done = run_in_memory(&file, &schedule, &start, &request, &mut |_| true)?;
        let record = done.motion().ok_or("no motion")?;
        let times = &done.columns[0];
        let column = |name: &str| done.summary.columns.iter().position(|x| x.name == name);
        let x = &done.columns[column("bar.position.x").ok_or("no column")?];
        let frames = record.columns(0..1);
        assert!(record.times.len() > 20 && record.times.len() < times.len() / 4);
        assert_eq!(record.times.last(), times.last());
        let mut k = 0;
        for (t, x) in times.iter().zip(x) {
            while k + 2 < record.times.len() && record.times[k + 1] <= *t {
                k += 1;
            }
            let [from, to] = [record.times[k], record.times[k + 1]];
            let share = (t - from) / (to - from);
            let line = f64::from(frames[k]) * (1.0 - share) + f64::from(frames[k + 1]) * share;
            let allowed = match *t == from || *t == to {
                // single precision
                true => 1e-6 * record.size,
                false => (MOTION_ACCURACY + 1e-6) * record.size,
            };
            assert!((line - x).abs() <= allowed, "{t}: {line} {x}");
        }
        Ok(())
    }

    fn empty(nodes: usize) -> MotionRecord {
        let (width, accuracy) = (NODE_WIDTH * nodes, MOTION_ACCURACY);
        MotionRecord { nodes, width, size: 1.0, accuracy, ..MotionRecord::default() }
    }

    /// A record whose frames all differ does not grow with the number of steps.
    #[test]
    fn size_is_bounded() {
        let width = 40_000;
        let mut record = MotionRecord {
            nodes: 1,
            width,
            size: 1.0,
            accuracy: MOTION_ACCURACY,
            ..MotionRecord::default()
        };
        let mut row = vec![0.0; width];
        for k in 0..1500 {
            row[0] = f64::from(k % 2);
            record.push(f64::from(k), &row, |_| {});
        }
        // after 200 frames the spacing grows: 200 (1 + ln(1500/200)) frames
        let expected = 200.0 * (1.0 + (1500.0_f64 / 200.0).ln());
        assert!(record.is_coarse);
        assert!((record.times.len() as f64) < 1.05 * expected, "{}", record.times.len());
    }

    /// A body that turns at a constant rate about a fixed axis needs a frame every 2 rad; between them the rotation is exact.
    #[test]
    fn steady_rotations_need_few_frames() {
        let mut record = empty(1);
        let angle = |time: f64| 50.0 * time;
        for k in 0..=2000 {
            let time = f64::from(k) * 1e-3;
            let (sine, cosine) = (0.5 * angle(time)).sin_cos();
            record.push(time, &[0.0, 0.0, 0.0, cosine, 0.0, 0.0, sine], |_| {});
        }
        let record = record.completed();
        // 100 rad, and steps of 0.05 rad that do not divide 2 rad
        assert!((50..=53).contains(&record.times.len()), "{}", record.times.len());
        assert!(record.times.windows(2).all(|x| angle(x[1] - x[0]) < MAX_TURN + 1e-9));
    }

    /// Displacements of structures decide about frames: lines between them are within the accuracy in parts of the largest one.
    #[test]
    fn structures_decide_about_frames() {
        let mut record = empty(0);
        (record.width, record.displacements) = (2, vec![(0..1, 0.0)]);
        let wave = |time: f64| 1e-6 * (10.0 * time).sin();
        for k in 0..=1000 {
            // the second number is no displacement
            record.push(
                f64::from(k) * 1e-3,
                &[wave(f64::from(k) * 1e-3), f64::from(k % 2)],
                |_| {},
            );
        }
        let record = record.completed();
        let count = record.times.len();
        assert!(count > 10 && count < 100, "{count}");
        let frames = record.columns(0..1);
        for (k, pair) in record.times.windows(2).enumerate() {
            let middle = 0.5 * f64::from(frames[k] + frames[k + 1]);
            let error = (middle - wave(0.5 * (pair[0] + pair[1]))).abs();
            assert!(
                error <= 1.01 * DISPLACEMENT_ACCURACY * MOTION_ACCURACY * 1e-6,
                "{k}: {error:e}"
            );
        }
        let thin = record.thinned(8.0);
        assert!(thin.times.len() < count && thin.accuracy() == 9.0 * MOTION_ACCURACY);
        assert_eq!((thin.times[0], thin.times.last()), (0.0, record.times.last()));
    }

    #[test]
    fn damaged_records_are_refused() {
        let mut record = MotionRecord {
            nodes: 1,
            width: 7,
            size: 1.0,
            accuracy: MOTION_ACCURACY,
            ..MotionRecord::default()
        };
        record.push(0.0, &[0.0; 7], |_| {});
        let whole = record.completed();
        assert_eq!(MotionRecord::decode(&whole.encode()), Ok(whole.clone()));
        let wrong = MotionRecord { width: 6, ..whole.clone() };
        assert!(MotionRecord::decode(&wrong.encode()).is_err());
        let wrong = MotionRecord { nodes: usize::MAX, ..whole };
        assert!(MotionRecord::decode(&wrong.encode()).is_err());
    }
}
