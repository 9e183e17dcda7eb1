//! Mechanisms of the literature against digits from elsewhere.

use cardan::model::{Body, EnergyBalance, Joint, Mechanism};
use cardan::system::System;
use cardan::{Settings, Simulation};
use cardan_lab::gallery::{self, Dimension};

use super::{damped, reading, run};
use crate::common::with_converged_newton;

fn distance(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(x, y)| (x - y).abs()).fold(0.0, f64::max)
}

/// β of Andrews' squeezer at t = 0.03, quadruple precision.
const BETA: f64 = 15.810771195153707097;

/// 2.5 turns against 18 digits, at h²; planar and spatial bodies move alike, whatever the redundant
/// rows that were left out.
#[test]
fn andrews_in_the_plane_and_in_space() {
    let beta = |dimension, h| {
        let start = gallery::andrews(dimension).assemble().unwrap();
        let mut motion = run(&start, &with_converged_newton(&damped(h)), 0.03);
        let size = 0.08;
        assert!(motion.residuals().position <= 1e-12 * size);
        let effort = motion.effort();
        assert!(effort.iterations <= 3 * effort.steps);
        start.model.read("O.angle", motion.now()).unwrap()[0]
    };
    let plane = [2e-5, 1e-5].map(|h| beta(Dimension::Plane, h) - BETA);
    // the constant of h² is 9e5 rad/s², as the angle is accelerated to 1140 rad/s
    assert!((plane[0] / plane[1]).log2() > 1.95 && plane[1].abs() < 1e-4, "{plane:?}");
    let space = beta(Dimension::Space, 2e-5) - BETA;
    // the same discretization: only round-off, which the squeezer amplifies, differs
    assert!((space - plane[0]).abs() < 1e-9, "{space} {plane:?}");
}

/// Bodies and joints in any order give the same motion.
#[test]
fn order_does_not_matter() {
    let build = |order: [usize; 3]| {
        let mut mechanism = Mechanism::new();
        mechanism.gravity([0.0, -9.81, 0.0]);
        let bodies = [
            Body::planar("a").mass(1.0).inertia(0.1).position([0.5, 0.0]).spin(1.0),
            Body::planar("b").mass(2.0).inertia(0.2).position([1.0, 0.5]).angle(1.0),
            Body::planar("c").mass(1.5).inertia(0.1).position([0.5, 1.2]),
        ];
        let joints = [
            Joint::revolute("A", "ground", "a").at([0.0, 0.0]),
            Joint::revolute("B", "a", "b").at([1.0, 0.0]),
            Joint::revolute("C", "b", "c").at([1.0, 1.2]),
        ];
        order.iter().for_each(|&i| {
            mechanism.add(bodies[i].clone());
        });
        order.iter().rev().for_each(|&i| {
            mechanism.add(joints[i].clone());
        });
        reading(&mechanism, &with_converged_newton(&damped(1e-3)), 1.0, "c.position")
    };
    let one = build([0, 1, 2]);
    for order in [[2, 1, 0], [1, 2, 0]] {
        // Newton's tolerance over a thousand steps
        assert!(distance(&one, &build(order)) < 1e-10, "{order:?}");
    }
}

/// The synchronous motion of two parallelograms, through the horizontal where the rods are in line.
#[test]
fn four_bars_pass_the_singular_position() {
    for dimension in [Dimension::Plane, Dimension::Space] {
        let start = gallery::four_bars(2, dimension).assemble().unwrap();
        let settings = Settings::new("generalized-alpha", 1e-3).rho(0.95);
        let mut motion = Simulation::new(&start.model, &settings, &start.initial).unwrap();
        let mut books = EnergyBalance::new(&start.model, motion.now());
        assert!((books.initial - 35.835).abs() < 1e-12);
        let mut worst = 0.0_f64;
        for _ in 0..10_000 {
            motion.step().unwrap();
            books.record(&start.model, &motion);
            worst = worst.max(books.balance.abs());
        }
        assert!(worst < 2e-3, "{dimension:?}: {worst}");
        let head = start.model.read("crank0.head", motion.now()).unwrap();
        // exact motion; 10 s of pendulum with an error constant of about 50 s⁻²
        let exact = [0.328458111540815379, 0.944518538178600962];
        assert!(distance(&head, &exact) < 1e-4, "{dimension:?}: {head:?}");
    }
}

/// Twenty of them with small steps come so near to the singular position that positions are
/// determined to √ε only: the constraints are closed to round-off, and the motion goes on.
#[test]
fn many_four_bars_pass_it_with_small_steps() {
    let start = gallery::four_bars(20, Dimension::Plane).assemble().unwrap();
    let settings = Settings::new("generalized-alpha", 5e-4).rho(0.6);
    let mut motion = run(&start, &settings, 5.5);
    // coordinates of 20 m: a few dozen units in the last place
    assert!(motion.residuals().position < 1e-13);
    let initial = Simulation::new(&start.model, &settings, &start.initial).unwrap();
    let drift = motion.energy().unwrap() - initial.energy().unwrap();
    // 41 rods, h² as for two of them
    assert!(drift.abs() < 1e-2, "{drift}");
}

/// The rank is 29 of 30, and the loop stays closed although one row is left out.
#[test]
fn bricard_moves_with_29_rows() {
    let start = gallery::bricard().assemble().unwrap();
    assert_eq!(start.report.redundant.len(), 1);
    assert_eq!(start.report.degrees_of_freedom, 1);
    let redundant = &start.report.redundant[0];
    assert_eq!(redundant.follows_from.len(), 5, "all joints take part: {redundant:?}");
    // the row left out is that of the last joints; the whole loop must stay closed
    let motion = run(&start, &damped(1e-3), 2.0);
    let read = |channel| start.model.read(channel, motion.now()).unwrap();
    let turn = |name| {
        let q = read(name);
        cardan::math::Quaternion::new(q[0], q[1], q[2], q[3])
    };
    // the axis of P4 (z at the start) in both bodies
    let axis = |rod| turn(rod).rotate(&cardan::math::Vector3::z());
    let tilt = axis("rod4.orientation").cross(&axis("rod5.orientation")).norm();
    assert!(tilt < 1e-12, "{tilt:e}");
}

/// Four mechanisms against minimal-coordinate solutions (tests/data/mechanisms.csv): every channel
/// converges at second order, or is at the error of the reference already.
#[test]
fn mechanisms_converge_to_references() {
    let table = include_str!("../../data/mechanisms.csv");
    let rows: Vec<Vec<&str>> =
        table.lines().skip(1).map(|line| line.split(',').collect()).collect();
    let mechanisms = [
        ("spatial_slider_crank", gallery::spatial_slider_crank(), 1e-3),
        ("flyball_governor", gallery::flyball_governor(), 1e-3),
        ("rolling_disc", gallery::rolling_disc(), 2e-3),
        ("bricard", gallery::bricard(), 2e-3),
    ];
    for (name, mechanism, h) in mechanisms {
        let start = mechanism.assemble().unwrap();
        let errors = |h: f64| -> Vec<f64> {
            let settings = damped(h);
            let mut motion = Simulation::new(&start.model, &settings, &start.initial).unwrap();
            let mine = rows.iter().filter(|row| row[0] == name);
            mine.map(|row| {
                motion.run_until(row[1].parse().unwrap()).unwrap();
                let value = start.model.read(row[2], motion.now()).unwrap()[0];
                (value - row[3].parse::<f64>().unwrap()).abs()
            })
            .collect()
        };
        let (coarse, fine) = (errors(h), errors(0.5 * h));
        assert!(!fine.is_empty());
        for ((row, coarse), fine) in rows.iter().filter(|row| row[0] == name).zip(coarse).zip(fine)
        {
            // a channel whose error changes sign may show any order while it is small
            let small = fine < 1e-7;
            assert!(small || (coarse / fine).log2() > 1.8, "{row:?}: {coarse:e} {fine:e}");
            // (ωh)² ≈ 1e-3 for the fastest motion here, the crank at 60 rad/s
            let size = 1.0 + row[3].parse::<f64>().unwrap().abs();
            assert!(fine < 1e-3 * size, "{row:?}: {fine:e}");
        }
    }
}

/// The heavy top at 150 rad/s against quadruple precision.
#[test]
fn the_heavy_top_precesses() {
    let exact = [0.17334396409838604, 0.64008859207056878, -0.74849079113358131];
    let top = gallery::heavy_top();
    let error = |h| distance(&reading(&top, &damped(h), 1.0, "top.centre"), &exact);
    let (coarse, fine) = (error(2.5e-4), error(1.25e-4));
    assert!((coarse / fine).log2() > 1.9 && fine < 3e-4, "{coarse:e} {fine:e}");
}

/// Two point masses over a driven road: IVP test set, quadruple precision.
#[test]
fn the_car_axis_follows_the_road() {
    let start = gallery::car_axis().assemble().unwrap();
    let error = |h| {
        let motion = run(&start, &damped(h), 3.0);
        let read = |channel| start.model.read(channel, motion.now()).unwrap();
        let left = distance(&read("left.position"), &[0.0493455784275240921, 0.496989460230008107]);
        let right =
            distance(&read("right.position"), &[1.041742524885426115, 0.373911027265365819]);
        left.max(right)
    };
    let (coarse, fine) = (error(5e-4), error(2.5e-4));
    assert!((coarse / fine).log2() > 1.95 && fine < 3e-5, "{coarse:e} {fine:e}");
}

/// A point mass on a massless bar falls from the horizontal: elliptic functions.
#[test]
fn a_massless_bar_carries_a_point_mass() {
    let mut pendulum = Mechanism::new();
    pendulum.gravity([0.0, -9.81, 0.0]);
    pendulum.add(Body::planar("bob").mass(1.0).centre([-1.0, 0.0]));
    let down = std::f64::consts::FRAC_PI_2;
    pendulum.add(Joint::revolute("A", "ground", "bob").at([0.0, 0.0]).offset(-down));
    let error =
        |h| (reading(&pendulum, &damped(h), 10.0, "A.angle")[0] + 0.2786806735699829484).abs();
    let (coarse, fine) = (error(1e-3), error(5e-4));
    assert!((coarse / fine).log2() > 1.9 && fine < 1e-4, "{coarse:e} {fine:e}");
}

/// Two threads that share one model see the same motion, to the bit.
#[test]
fn a_model_can_be_shared() {
    let start = gallery::spatial_pendulum().assemble().unwrap();
    let end = || run(&start, &damped(1e-3), 0.5).now().clone();
    let alone = end();
    let together = std::thread::scope(|scope| {
        let threads = [scope.spawn(end), scope.spawn(end)];
        threads.map(|thread| thread.join().unwrap())
    });
    assert!(together.iter().all(|now| *now == alone));
}

/// What a study compares is as long as what there is: numbers that q carries beside positions, such as
/// turns of angles, shift nothing.
#[test]
fn signals_of_a_study_have_their_own_columns() {
    let start = gallery::spatial_pendulum().assemble().unwrap();
    let signals = cardan_lab::study::Signals::motion(&start.model);
    let (v, rows) = (start.model.space().velocities(), start.model.holonomic_count());
    let bodies = v / 6;
    assert!(start.model.space().configurations() > 7 * bodies, "nothing is carried");
    assert_eq!(signals.columns(), 12 * bodies + 2 * v + rows);
}
