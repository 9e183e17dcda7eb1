//! Tests of the motion record.

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
fn frames_are_exact_and_lines_between_them_accurate() -> Result<(), Box<dyn std::error::Error>> {
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
        record.push(f64::from(k) * 1e-3, &[wave(f64::from(k) * 1e-3), f64::from(k % 2)], |_| {});
    }
    let record = record.completed();
    let count = record.times.len();
    assert!(count > 10 && count < 100, "{count}");
    let frames = record.columns(0..1);
    for (k, pair) in record.times.windows(2).enumerate() {
        let middle = 0.5 * f64::from(frames[k] + frames[k + 1]);
        let error = (middle - wave(0.5 * (pair[0] + pair[1]))).abs();
        assert!(error <= 1.01 * DISPLACEMENT_ACCURACY * MOTION_ACCURACY * 1e-6, "{k}: {error:e}");
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
