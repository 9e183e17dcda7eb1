//! The motion record of a run: lines between its frames are near every step, although few steps are looked at.

use crate::files::model;
use cardan::Simulation;
use cardan::file::Located;
use cardan::math::Quaternion;
use cardan::model::NODE_WIDTH;
use cardan::run::{MOTION_ACCURACY, MotionRecord, RunRequest, run_in_memory};

/// A frame of a record.
fn frame(record: &MotionRecord, k: usize) -> Vec<f64> {
    let width = record.width();
    let all = record.columns(0..width);
    all[k * width..(k + 1) * width].iter().map(|x| f64::from(*x)).collect()
}

/// The angle between the line of rotations from one orientation to another and a third one.
fn angle_to_line([from, to, now]: [&[f64]; 3], share: f64) -> f64 {
    let unit = |x: &[f64]| Quaternion::new(x[3], x[4], x[5], x[6]);
    let dot = |a: &[f64], b: &[f64]| (3..7).map(|k| a[k] * b[k]).sum::<f64>();
    let half = dot(from, to).abs().min(1.0).acos();
    let sign = dot(from, to).signum();
    let [a, b] = match half < 1e-9 {
        true => [1.0 - share, share],
        false => [((1.0 - share) * half).sin() / half.sin(), (share * half).sin() / half.sin()],
    };
    let line: Vec<f64> = (0..7).map(|k| a * from[k] + sign * b * to[k]).collect();
    let between = unit(&line).conjugate() * unit(now);
    let [_, x, y, z] = between.to_array();
    2.0 * (x * x + y * y + z * z).sqrt().min(1.0).asin()
}

/// At every step of the model all nodes are within the accuracy of the line between two frames; returns frames per step.
#[track_caller]
fn frames_per_step(name: &str, set: &[(&str, &str)], step: f64, end: f64) -> f64 {
    let mut file = model(name, set);
    file.plan.step = Some(Located::outside(step));
    (file.plan.substep, file.plan.control) = (None, None);
    file.plan.end = Some(Located::outside(end));
    let (schedule, start) = (file.schedule().unwrap(), file.assemble().unwrap());
    let request = RunRequest::new(std::path::Path::new("unused"));
    let done = run_in_memory(&file, &schedule, &start, &request, &mut |_| true).unwrap();
    let record = done.motion().unwrap();
    assert!(!record.is_coarse, "{name}");
    let (scene, tracks) = start.model.scene(&start.model.instant_of(&start.initial));
    let mut motion = Simulation::new(&start.model, &schedule.settings, &start.initial).unwrap();
    let (mut k, mut row, mut steps) = (0, Vec::new(), 0);
    let mut frames = [frame(&record, 0), frame(&record, 1)];
    while motion.now().t < schedule.end - 1e-6 * step {
        motion.advance(schedule.end).unwrap();
        steps += 1;
        let now = motion.now();
        tracks.row(&start.model, now, None, &mut row);
        while k + 2 < record.times.len() && record.times[k + 1] < now.t {
            k += 1;
            frames = [frame(&record, k), frame(&record, k + 1)];
        }
        let [from, to] = [record.times[k], record.times[k + 1]];
        let share = (now.t - from) / (to - from);
        for node in 0..record.nodes() {
            let of = |row: &'_ [f64]| row[NODE_WIDTH * node..NODE_WIDTH * (node + 1)].to_vec();
            let [from, to] = frames.each_ref().map(|frame| of(frame));
            let row = of(&row);
            for axis in 0..3 {
                let line = from[axis] * (1.0 - share) + to[axis] * share;
                let error = (line - row[axis]).abs() / scene.size;
                assert!(error < MOTION_ACCURACY + 2e-7, "{name} {node} t = {}: {error:e}", now.t);
            }
            // along each axis half of the accuracy, and single precision
            let angle = angle_to_line([&from, &to, &row], share);
            let allowed = 3.0_f64.sqrt() * 0.5 * MOTION_ACCURACY + 1e-6;
            assert!(angle < allowed, "{name} {node} t = {}: {angle:e} rad", now.t);
        }
        motion.perform_events().unwrap();
    }
    assert_eq!(record.times.last(), Some(&motion.now().t), "{name}");
    record.times.len() as f64 / f64::from(steps)
}

#[test]
fn lines_between_frames_are_near_every_step() {
    for (name, set, step, end) in [
        ("pendulum", &[][..], 1e-3, 3.0),
        ("four_bars", &[], 1e-3, 3.0),
        ("andrews", &[], 1e-5, 0.02),
        ("slider_crank", &[], 1e-3, 2.0),
        ("slider_crank_spatial", &[], 1e-3, 1.0),
        ("heavy_top", &[], 1e-4, 0.5),
        ("bricard", &[], 1e-3, 2.0),
        ("flyball", &[], 1e-3, 1.0),
        ("car_axis", &[], 1e-3, 1.0),
        ("flexible_four_bar", &[], 4e-3, 0.4),
        ("flexible_slider_crank", &[], 1e-3, 0.1),
        ("bouncing_ball", &[], 1e-3, 1.0),
    ] {
        let part = frames_per_step(name, set, step, end);
        assert!(part < 0.7, "{name}: {part} frames per step");
    }
}

/// Steps far shorter than the motion needs are not all looked at, and the number of frames does not depend on them.
#[test]
fn frames_do_not_depend_on_the_step() {
    let [coarse, fine] = [1e-3, 1e-4].map(|step| {
        let end = 2.0;
        frames_per_step("pendulum", &[], step, end) * end / step
    });
    assert!((coarse - fine).abs() < 0.1 * coarse, "{coarse} {fine}");
}
