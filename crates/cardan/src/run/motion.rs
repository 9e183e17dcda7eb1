//! The motion record: how all nodes and values of a scene moved, decimated in time.
//!
//! A frame is kept if the line from the last kept frame to it would miss a frame between them by more than the
//! tolerance. The test needs no frames in between: each one narrows the interval of slopes that pass it. Lines are those
//! of positions, of rotation vectors from the last kept orientation (a line of them is a rotation about a fixed axis), and
//! of displacements of structures.
//!
//! Not every step is tested: see [`motion_recorder`](super::motion_recorder).
//!
//! ```text
//!   x │      ╱ highest slope that passes all frames within the tolerance
//!     │    ·╱· ┄ frames
//!     │  ·╱···
//!     │ ·────── lowest slope       the next frame is outside: the one before it is kept
//!     └──────── t
//! ```

#[cfg(test)]
mod tests;

use serde::{Deserialize, Serialize};
use serde_bytes::ByteBuf;

use super::packing::{packed, unpacked};
use crate::model::{NODE_WIDTH, Scene, SceneStructure, SceneTracks};
use crate::output::ContainerKind;
use cardan_core::math::{Quaternion, Vector3, exponential};

/// Interpolated positions are within this part of the model's size.
pub const MOTION_ACCURACY: f64 = 1e-3;
/// Interpolated orientations are within this part of the accuracy, in rad and along each axis.
const TURN_ACCURACY: f64 = 0.5;
/// Lines are within this part of the accuracy of the frames that are tested; the rest is for steps between these.
const LINE_SHARE: f64 = 0.9;
/// Interpolated displacements of structures are within this multiple of the accuracy, in parts of the largest one so far.
const DISPLACEMENT_ACCURACY: f64 = 5.0;
/// The largest rotation from one frame to the next, in rad: beyond a half turn the way back is shorter.
const MAX_TURN: f64 = 2.0;
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
    /// The velocities of the system at the last row.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    velocities: Vec<f64>,
    /// The slopes from the last kept row that pass all later ones within the tolerance.
    slopes: Vec<[f64; 2]>,
    /// The changes from the last kept row to the one that is taken, with the accuracy of each.
    #[serde(skip)]
    changes: Vec<(f64, f64)>,
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
    pub(super) fn last_row(&self) -> &[f64] {
        &self.last
    }

    /// The time of the last row.
    pub(super) fn last_time(&self) -> f64 {
        self.last_time
    }

    /// The velocities at the last row, if the record was saved with them.
    pub(super) fn velocities(&self) -> &[f64] {
        &self.velocities
    }

    /// In how many parts a step to a row is divided, so that straight lines between them are accurate.
    pub(super) fn parts(&self, row: &[f64]) -> usize {
        let largest = |now: &[f64], before: &[f64]| {
            now.iter().zip(before).fold(0.0_f64, |most, (a, b)| most.max((a - b).abs()))
        };
        let nodes = row.chunks_exact(NODE_WIDTH).zip(self.last.chunks_exact(NODE_WIDTH));
        let most = nodes.take(self.nodes).fold(0.0_f64, |most, (now, before)| {
            let moved = largest(&now[..3], &before[..3]) / self.size;
            most.max(moved).max(largest(&now[3..], &before[3..]))
        });
        (most / LONG_STEP).min(MAX_PARTS).ceil().max(1.0) as usize
    }

    /// Whether it has no row yet.
    pub(super) fn is_empty(&self) -> bool {
        self.last.is_empty()
    }

    /// Whether a column is a displacement of a structure.
    pub(super) fn is_displacement(&self, column: usize) -> bool {
        self.displacements.iter().any(|(range, _)| range.contains(&column))
    }

    /// Whether structures have displacements.
    pub(super) fn has_displacements(&self) -> bool {
        !self.displacements.is_empty()
    }

    /// The record with other values in its last row, and the velocities there.
    pub(super) fn with_last(
        mut self,
        change: impl FnOnce(&mut [f64]),
        velocities: Vec<f64>,
    ) -> Self {
        change(&mut self.last);
        Self { velocities, ..self }
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
        let is_first = self.last.is_empty();
        if !is_first {
            let mut is_near = self.measure_changes(row);
            if !(is_near && self.is_on_line(time)) && self.last_time > self.kept_time() {
                match self.may_keep(self.last_time) {
                    true => {
                        complete(&mut self.last);
                        self.keep_last();
                        is_near = self.measure_changes(row);
                    }
                    false => self.is_coarse = true,
                }
            }
            match is_near {
                true => self.narrow(time),
                // a node that turned too far is on no line, and the row before it was kept
                false => self.slopes.clear(),
            }
        }
        self.last.clear();
        self.last.extend_from_slice(row);
        self.last_time = time;
        if is_first {
            self.keep_last();
        }
        true
    }

    /// The record with its last row.
    pub fn completed(mut self) -> Self {
        if !self.last.is_empty() && self.last_time > self.kept_time() {
            self.keep_last();
        }
        // what decides about later frames is not part of a complete record
        let (kept, last, velocities) = (Vec::new(), Vec::new(), Vec::new());
        Self { kept, last, velocities, slopes: Vec::new(), changes: Vec::new(), ..self }
    }

    /// The bytes of a file.
    pub fn encode(&self) -> Vec<u8> {
        ContainerKind::Motion.encode(packed(self))
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

    /// Keeps the last row.
    fn keep_last(&mut self) {
        self.times.push(self.last_time);
        self.frames.extend(self.last.iter().flat_map(|x| (*x as f32).to_le_bytes()));
        self.kept.clone_from(&self.last);
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

    /// Measures the changes since the last kept row that decide about frames. Returns false if a node has turned too far.
    fn measure_changes(&mut self, row: &[f64]) -> bool {
        let place = LINE_SHARE * self.accuracy * self.size;
        let turn = LINE_SHARE * self.accuracy * TURN_ACCURACY;
        let Self { changes, kept, .. } = self;
        changes.clear();
        let nodes = row.chunks_exact(NODE_WIDTH).zip(kept.chunks_exact(NODE_WIDTH));
        for (now, kept) in nodes.take(self.nodes) {
            let [now_unit, kept_unit] =
                [now, kept].map(|x| Quaternion::new(x[3], x[4], x[5], x[6]));
            let rotation = rotation_vector(kept_unit.conjugate() * now_unit);
            if rotation.norm() > MAX_TURN {
                return false;
            }
            let moved = |k: usize| (now[k] - kept[k], place);
            let [x, y, z] = [rotation.x, rotation.y, rotation.z].map(|angle| (angle, turn));
            changes.extend_from_slice(&[moved(0), moved(1), moved(2), x, y, z]);
        }
        for (columns, largest) in &self.displacements {
            let accuracy = self.accuracy * DISPLACEMENT_ACCURACY * largest;
            let pairs = row[columns.clone()].iter().zip(&kept[columns.clone()]);
            changes.extend(pairs.map(|(now, kept)| (now - kept, accuracy)));
        }
        true
    }

    /// Whether the measured changes are on a line that passes all rows since the last kept one.
    fn is_on_line(&self, time: f64) -> bool {
        let scale = 1.0 / (time - self.kept_time());
        let mut all = self.changes.iter().zip(&self.slopes);
        all.all(|((change, _), [low, high])| (*low..=*high).contains(&(change * scale)))
    }

    /// Narrows the slopes to those that pass the measured changes.
    fn narrow(&mut self, time: f64) {
        let scale = 1.0 / (time - self.kept_time());
        self.slopes.resize(self.changes.len(), [f64::NEG_INFINITY, f64::INFINITY]);
        for ((change, accuracy), slope) in self.changes.iter().zip(&mut self.slopes) {
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

/// The rotation vector of a quaternion; of small rotations the first terms of 2 asin(|v|) v/|v|, to 1e-6 of them.
#[inline]
fn rotation_vector(unit: Quaternion) -> Vector3 {
    let [w, x, y, z] = unit.to_array();
    let square = x * x + y * y + z * z;
    if square > 0.04 || w < 0.0 {
        return exponential::inverse(unit);
    }
    let factor = 2.0 + square * (1.0 / 3.0 + square * (3.0 / 20.0 + square * (5.0 / 56.0)));
    factor * Vector3::new(x, y, z)
}

fn number(x: &[u8]) -> f32 {
    f32::from_le_bytes([x[0], x[1], x[2], x[3]])
}
