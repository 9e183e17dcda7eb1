//! Motions of beams: against converged solutions, the energy they keep, and every method.

use cardan::math::Chart;
use cardan::methods;
use cardan::model::{
    AssembledMechanism, BeamForm, Body, Drive, Force, Function, Joint, Mechanism, Section,
};
use cardan::{Settings, Simulation};

use super::{GALERKIN, Kind, VOLUME, as_measured, of};

/// Two nodes with the masses of their halves, as in the values compared with.
const HALVES: Kind = (2, BeamForm::FiniteVolume, Chart::Exponential);

fn read(start: &AssembledMechanism, settings: &Settings, end: f64, channels: &[&str]) -> Vec<f64> {
    let mut motion = Simulation::new(&start.model, settings, &start.initial).unwrap();
    motion.run_until(end).unwrap();
    channels.iter().map(|name| start.model.read(name, motion.now()).unwrap()[0]).collect()
}

/// The same with the error of second-order steps removed.
fn extrapolated(mechanism: &Mechanism, h: f64, end: f64, channels: &[&str]) -> Vec<f64> {
    let start = mechanism.assemble().unwrap();
    let at = |h: f64| {
        let settings = Settings::new("generalized-alpha", h).rho(0.9);
        read(&start, &settings, end, channels)
    };
    let (coarse, fine) = (at(h), at(0.5 * h));
    coarse.iter().zip(fine).map(|(coarse, fine)| (4.0 * fine - coarse) / 3.0).collect()
}

fn right_angle(kind: Kind, elements: usize) -> Mechanism {
    let mut frame = Mechanism::new();
    frame.point("wall", [0.0; 3]);
    let section =
        Section::new([1e6, 1e6, 1e6, 1e3, 1e3, 1e3]).mass(1.0).inertia([20.0, 10.0, 10.0]);
    let mut beam = of(kind, section)
        .through("ground.wall")
        .through([10.0, 0.0, 0.0])
        .through([10.0, 10.0, 0.0]);
    if kind == HALVES {
        beam = beam.volumes();
    }
    frame.add(beam.elements(elements));
    let push = Function::jet(|t: f64| {
        [if t < 1.0 { 50.0 * t } else { 50.0 * (2.0 - t).max(0.0) }, 0.0, 0.0]
    });
    let zero = || Function::Constant(0.0);
    frame.add(Force::load("blow", "beam.mid", [zero(), zero(), push]));
    frame
}

/// Simo and Vu-Quoc's right angle at t = 3 against a spectral-element solution: errors of the mesh as
/// another program found them with the same elements.
#[test]
fn the_right_angle_has_the_errors_of_its_elements() {
    let errors = |kind, elements| {
        let found =
            extrapolated(&right_angle(kind, elements), 5e-3, 3.0, &["beam.mid.z", "beam.end.z"]);
        [found[0] - 5.501668, found[1] - 1.507208]
    };
    as_measured("2 nodes", &errors(HALVES, 8), &[-1.6e-2, -5.6e-3], 1.07);
    as_measured("volumes", &errors(VOLUME, 4), &[-5.7e-4, -3.0e-3], 1.07);
    as_measured("volumes", &errors(VOLUME, 8), &[-1.6e-4, -7.3e-4], 1.07);
    as_measured("galerkin", &errors(GALERKIN, 4), &[2.0e-4, 8.5e-5], 1.07);
    // 1e-6 of the reference's last digit and of the extrapolation are felt
    as_measured("galerkin", &errors(GALERKIN, 8), &[1.6e-5, 1.3e-5], 1.2);
}

/// After the blow nothing acts: the Galerkin form keeps its energy but for the method's error, which falls
/// with its step; of finite volumes it wanders by a mesh error.
#[test]
fn energy_is_kept_as_each_form_promises() {
    let spread = |kind, elements, h: f64| {
        let start = right_angle(kind, elements).assemble().unwrap();
        // without dissipation, so that nothing but the truncation error is left
        let settings = Settings::new("generalized-alpha", h).rho(1.0);
        let mut motion = Simulation::new(&start.model, &settings, &start.initial).unwrap();
        motion.run_until(2.0).unwrap();
        let (mut least, mut most) = (f64::INFINITY, f64::NEG_INFINITY);
        while motion.now().t < 12.0 {
            motion.step().unwrap();
            let energy = motion.energy().unwrap();
            (least, most) = (least.min(energy), most.max(energy));
        }
        most - least
    };
    let (coarse, fine) = (spread(GALERKIN, 4, 1e-2), spread(GALERKIN, 4, 5e-3));
    assert!(fine < 0.02 && coarse / fine > 3.5, "{coarse} {fine}");
    // E = 114.9, measured over 100 s: 0.195 with four elements, 0.043 with eight
    let (four, eight) = (spread(VOLUME, 4, 5e-3), spread(VOLUME, 8, 5e-3));
    assert!(four < 0.25 && eight < 0.07 && four > 2.5 * eight, "{four} {eight}");
}

fn spin_up(kind: Kind, elements: usize) -> Mechanism {
    let section = Section::planar([2.8e7, 1e7, 1.4e4]).mass(1.2).inertia([6e-4; 3]);
    let mut blade = Mechanism::new();
    let beam = cardan::model::Beam::planar("beam", section).nodes(kind.0).form(kind.1);
    blade.add(beam.through([0.0, 0.0]).through([10.0, 0.0]).elements(elements));
    blade.add(Body::planar("hub").mass(1.0).inertia(1.0).point("tip", [10.0, 0.0]));
    blade.add(Joint::revolute("O", "ground", "hub").at([0.0, 0.0]));
    blade.add(Joint::fixed("root", "hub", "beam.start"));
    blade.add(Drive::angle(
        "motor",
        "O",
        Function::jet(|t| {
            let w = std::f64::consts::TAU / 15.0;
            [
                0.4 * (0.5 * t * t + ((w * t).cos() - 1.0) / (w * w)),
                0.4 * (t - (w * t).sin() / w),
                0.4 * (1.0 - (w * t).cos()),
            ]
        }),
    ));
    // how far the tip is from where a rigid blade would have it, as the hub sees it
    blade.add(Force::bushing("lag", "hub.tip", "beam.end"));
    blade
}

#[test]
fn the_blade_lags_as_the_converged_solution_does() {
    let error = |kind, elements| {
        let lag = extrapolated(&spin_up(kind, elements), 5e-3, 5.0, &["lag.deformation.y"]);
        lag[0] + 0.46847618344
    };
    let errors = |kind| [2, 4].map(|n| error(kind, n));
    as_measured("volumes", &errors(VOLUME), &[-4.1e-4, -3.3e-5], 1.1);
    as_measured("galerkin", &errors(GALERKIN), &[3.5e-4, 2.2e-5], 1.1);
}

/// A free beam thrown about: momentum is what the loads gave it, to round-off of Newton's tolerance, and
/// stays; the energy too.
#[test]
fn a_free_beam_keeps_momentum_and_energy() {
    let section =
        Section::new([1e4, 1e4, 1e4, 500.0, 500.0, 500.0]).mass(1.0).inertia([20.0, 10.0, 10.0]);
    let pulse = |size: f64| {
        Function::jet(move |t: f64| {
            let rise = if t < 2.5 { 80.0 * t } else { 80.0 * (5.0 - t).max(0.0) };
            [size * rise, 0.0, 0.0]
        })
    };
    let zero = || Function::Constant(0.0);
    for kind in [GALERKIN, VOLUME] {
        let mut spaghetti = Mechanism::new();
        spaghetti.add(
            of(kind, section.clone()).through([6.0, 0.0, 0.0]).through([0.0, 8.0, 0.0]).elements(6),
        );
        spaghetti.add(Force::load("push", "beam.start", [pulse(0.1), zero(), zero()]));
        spaghetti.add(Force::torque("couple", "beam.start", [zero(), pulse(-0.5), pulse(-1.0)]));
        let start = spaghetti.assemble().unwrap();
        let settings = Settings::new("generalized-alpha", 5e-3).rho(1.0);
        let mut motion = Simulation::new(&start.model, &settings, &start.initial).unwrap();
        motion.run_until(5.0).unwrap();
        let momentum = start.model.momentum(motion.now()).linear;
        // ∫ T/10 dt = 50; the trapezoidal rule is exact on a triangle
        assert!((momentum.x - 50.0).abs() < 1e-6 && momentum.yz().norm() < 1e-6, "{momentum}");
        let before = motion.energy().unwrap();
        motion.run_until(8.0).unwrap();
        let (after, later) = (start.model.momentum(motion.now()).linear, motion.energy().unwrap());
        assert!((after - momentum).norm() < 1e-6, "{after}");
        // the error of the step, and of the mesh for volumes
        let allowed = if kind == GALERKIN { 2e-3 } else { 5e-2 };
        assert!((later / before - 1.0).abs() < allowed, "{kind:?}: {before} {later}");
    }
}

/// A flexible pendulum under every method of the registry: implicit ones agree with each other; explicit
/// ones take the step that the stiff beam asks for.
#[test]
fn every_method_moves_a_beam() {
    let section =
        Section::new([2e3, 1e3, 1e3, 2.0, 3.0, 3.0]).mass(1.0).inertia([0.02, 0.01, 0.01]);
    for kind in [GALERKIN, VOLUME] {
        let mut pendulum = Mechanism::new();
        pendulum.gravity([0.0, 0.0, -9.81]);
        pendulum
            .add(of(kind, section.clone()).through([0.0; 3]).through([1.0, 0.0, 0.0]).elements(2));
        pendulum
            .add(Joint::revolute("O", "ground", "beam.start").at([0.0; 3]).axis([0.0, 1.0, 0.0]));
        let start = pendulum.assemble().unwrap();
        let at = |name: &str, h: f64| {
            read(&start, &Settings::new(name, h), 0.2, &["beam.end.x", "beam.end.z"])
        };
        let exact = at("esdirk436", 2.5e-4);
        for info in methods::all() {
            // the explicit ones need ω h below their limit, and ω is about 5e2 here
            let is_conditional = info.stability == methods::Stability::Conditional;
            let found = at(info.name, if is_conditional { 2.5e-4 } else { 1e-3 });
            for (found, exact) in found.iter().zip(&exact) {
                // first-order reactions of stiff modes and second-order motions: within (ωh)² of slow
                // ones, which is 1e-4, for the least accurate
                assert!((found - exact).abs() < 2e-3, "{} {kind:?}: {found} {exact}", info.name);
            }
        }
    }
}
