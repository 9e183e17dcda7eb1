//! The motion record: how all nodes and values of a scene moved, decimated in time.
//!
//! A frame is kept if the line from the last kept frame to it would miss a frame between them by more than the
//! tolerance. The test needs no frames in between: each one narrows the interval of slopes that pass it.
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
use crate::model::{NODE_WIDTH, Scene, SceneTracks};
use crate::output::ContainerKind;

/// Interpolated positions are within this part of the model's size.
pub const MOTION_ACCURACY: f64 = 1e-3;
/// Interpolated components of quaternions are within this: an arm of the model's size moves by twice the change.
const TURN_ACCURACY: f64 = 0.25 * MOTION_ACCURACY;
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
        Self { nodes: tracks.nodes(), width: tracks.width(), size: scene.size, ..Self::default() }
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
        let number = |x: &[u8]| f32::from_le_bytes([x[0], x[1], x[2], x[3]]);
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

    /// Takes the row of an instant after the last one.
    pub(super) fn push(&mut self, time: f64, row: &[f64]) {
        if row.len() != self.width || (!self.last.is_empty() && time <= self.last_time) {
            return;
        }
        if self.last.is_empty() {
            self.keep(time, row.to_vec());
        } else {
            if !self.is_on_line(time, row) && self.last_time > self.kept_time() {
                match self.may_keep(self.last_time) {
                    true => self.keep(self.last_time, self.last.clone()),
                    false => self.is_coarse = true,
                }
            }
            self.narrow(time, row);
        }
        (self.last, self.last_time) = (row.to_vec(), time);
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
        match expected == Some(record.frames.len()) && has_nodes {
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
        self.slopes = vec![[f64::NEG_INFINITY, f64::INFINITY]; NODE_WIDTH * self.nodes];
    }

    /// Whether another frame may be kept: the spacing of frames beyond a number grows with the time that has passed.
    fn may_keep(&self, time: f64) -> bool {
        let most = (MAX_BYTES / (4 * self.width + 8)).max(MIN_FRAMES);
        let passed = time - self.times.first().copied().unwrap_or(time);
        self.times.len() < most || time - self.kept_time() >= passed / most as f64
    }

    fn is_on_line(&self, time: f64, row: &[f64]) -> bool {
        let scale = 1.0 / (time - self.kept_time());
        let mut all = row.iter().zip(&self.kept).zip(&self.slopes);
        all.all(|((now, kept), [low, high])| {
            let slope = (now - kept) * scale;
            slope >= *low && slope <= *high
        })
    }

    fn narrow(&mut self, time: f64, row: &[f64]) {
        let scale = 1.0 / (time - self.kept_time());
        let all = row.iter().zip(&self.kept).zip(&mut self.slopes).enumerate();
        for (k, ((now, kept), slope)) in all {
            let accuracy = match k % NODE_WIDTH < 3 {
                true => MOTION_ACCURACY * self.size,
                false => TURN_ACCURACY,
            };
            let change = now - kept;
            slope[0] = slope[0].max((change - accuracy) * scale);
            slope[1] = slope[1].min((change + accuracy) * scale);
        }
    }
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

    /// A record whose frames all differ does not grow with the number of steps.
    #[test]
    fn size_is_bounded() {
        let width = 40_000;
        let mut record = MotionRecord { nodes: 1, width, size: 1.0, ..MotionRecord::default() };
        let mut row = vec![0.0; width];
        for k in 0..1500 {
            row[0] = f64::from(k % 2);
            record.push(f64::from(k), &row);
        }
        // after 200 frames the spacing grows: 200 (1 + ln(1500/200)) frames
        let expected = 200.0 * (1.0 + (1500.0_f64 / 200.0).ln());
        assert!(record.is_coarse);
        assert!((record.times.len() as f64) < 1.05 * expected, "{}", record.times.len());
    }

    #[test]
    fn damaged_records_are_refused() {
        let mut record = MotionRecord { nodes: 1, width: 7, size: 1.0, ..MotionRecord::default() };
        record.push(0.0, &[0.0; 7]);
        let whole = record.completed();
        assert_eq!(MotionRecord::decode(&whole.encode()), Ok(whole.clone()));
        let wrong = MotionRecord { width: 6, ..whole.clone() };
        assert!(MotionRecord::decode(&wrong.encode()).is_err());
        let wrong = MotionRecord { nodes: usize::MAX, ..whole };
        assert!(MotionRecord::decode(&wrong.encode()).is_err());
    }
}
