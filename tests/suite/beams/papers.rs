//! The beam benchmarks of the papers, as the models of the repository, against other codes.

use cardan::file::ModelFile;
use cardan::model::{AssembledMechanism, BeamForm, EnergyBalance};
use cardan::{InitialValues, Settings, Simulation};

use crate::files::model;

/// Columns of a table with a header.
fn table(text: &str) -> Vec<Vec<f64>> {
    let lines = text.lines().skip(1);
    lines.map(|line| line.split(',').map(|x| x.parse().unwrap()).collect()).collect()
}

/// The file with all its beams in another form.
fn formed(file: &ModelFile, form: BeamForm) -> AssembledMechanism {
    let mut file = file.clone();
    file.mechanism.set_form(form);
    file.assemble().unwrap()
}

/// √(Σ(x − y)²/Σy²) of each column, with a channel for each, at the times of a table.
fn distances(
    start: &AssembledMechanism,
    settings: &Settings,
    rows: &[Vec<f64>],
    channels: &[&str],
) -> Vec<f64> {
    let mut motion = Simulation::new(&start.model, settings, &start.initial).unwrap();
    let mut sums = vec![[0.0; 2]; channels.len()];
    for row in rows {
        while motion.now().t < row[0] - 0.5 * settings.step_size {
            motion.step().unwrap();
        }
        assert!((motion.now().t - row[0]).abs() < 1e-6, "{} {}", motion.now().t, row[0]);
        for ((sum, name), known) in sums.iter_mut().zip(channels).zip(&row[1..]) {
            let found = start.model.read(name, motion.now()).unwrap()[0];
            sum[0] += (found - known).powi(2);
            sum[1] += known * known;
        }
    }
    sums.iter().map(|[error, size]| (error / size).sqrt()).collect()
}

/// Without gravity, against a spectral-element solution: the errors of the mesh that another program found
/// with these elements, 2.45e-3 and 3.9e-5 with 16 of them. The fourth-order method leaves no others.
#[test]
fn the_shaft_agrees_with_a_converged_solution() {
    let rows = table(include_str!("../../data/shaft.csv"));
    let settings = Settings::new("esdirk436", 1e-3);
    let channels = ["shaft.mid.y", "shaft.mid.z", "shaft.mid.velocity.y", "shaft.mid.velocity.z"];
    let at = |n: &str, form| {
        let file = model("rotating_shaft", &[("n", n)]);
        distances(&formed(&file, form), &settings, &rows, &channels)
    };
    let check = |found: &[f64], known: f64| {
        for found in found {
            assert!((found / known - 1.0).abs() < 0.07, "{found:.2e} {known:.2e}");
        }
    };
    check(&at("8", BeamForm::FiniteVolume)[..2], 9.8e-3);
    check(&at("16", BeamForm::FiniteVolume)[..2], 2.45e-3);
    check(&at("8", BeamForm::Galerkin)[..2], 7.8e-4);
    let fine = at("16", BeamForm::Galerkin);
    assert!(fine.iter().all(|x| *x < 8e-5), "{fine:?}");
}

/// With the paper's gravity and damper, on the paper's mesh, against MBDyn with steps that leave no error:
/// the same element, so that only its parametrization of rotations differs.
#[test]
fn the_shaft_under_gravity_agrees_with_mbdyn() {
    let rows = table(include_str!("../../data/shaft_gravity.csv"));
    let start = model("rotating_shaft", &[("weight", "1")]).assemble().unwrap();
    let channels = ["shaft.mid.z", "shaft.mid.velocity.z"];
    let found = distances(&start, &Settings::new("esdirk436", 1e-3), &rows, &channels);
    assert!(found[0] < 3.5e-5 && found[1] < 5e-5, "{found:?}");
}

/// The rotation of B–C at C where it does not depend on how the toggles are damped, against MBDyn on the
/// same mesh; both move through the same equilibria there.
#[test]
fn the_four_bar_agrees_with_mbdyn_between_its_toggles() {
    let rows = table(include_str!("../../data/four_bar.csv"));
    let outside = |row: &&Vec<f64>| {
        let inside = |from: f64, to: f64| from < row[0] && row[0] < to;
        !(inside(2.4, 3.5) || inside(7.5, 8.3))
    };
    // t, and the three components of the rotation vector
    let rows: Vec<Vec<f64>> =
        rows.iter().filter(outside).map(|x| vec![x[0], x[3], x[4], x[5]]).collect();
    let file = model("flexible_four_bar", &[]);
    let start = file.assemble().unwrap();
    let settings = file.schedule().unwrap().settings;
    let channels = ["x", "y", "z"].map(|axis| format!("bc.end.rotation.{axis}"));
    let channels = channels.each_ref().map(String::as_str);
    let found = distances(&start, &settings, &rows, &channels);
    // MBDyn's results have eight digits
    assert!(found.iter().all(|x| *x < 1e-6), "{found:?}");
}

/// As printed in the paper (thin coupler) and from rest, against a spectral-element solution.
#[test]
fn the_four_bar_as_printed_agrees_with_a_converged_solution() {
    let file = model("flexible_four_bar", &[("printed", "1"), ("smooth", "1")]);
    let start = formed(&file, BeamForm::Galerkin);
    let settings = Settings::new("generalized-alpha", 1e-3).rho(0.6);
    let mut motion = Simulation::new(&start.model, &settings, &start.initial).unwrap();
    let read =
        |motion: &Simulation<'_>, name: &str| start.model.read(name, motion.now()).unwrap()[0];
    for (t, turned, height) in
        [(1.0, 0.02548, Some(-2.42e-5)), (2.0, 0.06821, None), (3.0, 0.08512, None)]
    {
        motion.run_until(t).unwrap();
        let found = read(&motion, "bc.end.rotation.x");
        // five digits are given
        assert!((found - turned).abs() < 1e-5, "{t}: {found}");
        if let Some(height) = height {
            assert!((read(&motion, "bc.end.z") - height).abs() < 5e-8);
        }
        if t == 2.0 {
            let energy = start.model.energy(motion.now()).potential;
            assert!((energy - 0.9893).abs() < 5e-4, "{energy}");
        }
    }
}

/// Lateral buckling on a fine mesh until the beam has snapped, against a spectral-element solution.
#[test]
fn the_beam_buckles_as_the_converged_solution_does() {
    let file = model("lateral_buckling", &[("n", "12")]);
    let start = formed(&file, BeamForm::Galerkin);
    let settings = Settings::new("generalized-alpha", 2.5e-4).rho(0.9);
    let mut motion = Simulation::new(&start.model, &settings, &start.initial).unwrap();
    let known = [
        (0.15, "beam.mid.rotation.x", 0.183712),
        (0.15, "beam.mid.y", -0.0345619),
        (0.15, "beam.end.z", 0.0405648),
        (0.20, "beam.mid.rotation.x", 0.212110),
    ];
    for (t, name, known) in known {
        motion.run_until(t).unwrap();
        let found = start.model.read(name, motion.now()).unwrap()[0];
        // the snap multiplies errors of the step: a thousandth is left at this one
        assert!((found / known - 1.0).abs() < 2e-3, "{name} at {t}: {found} {known}");
    }
}

/// Newton on the benchmarks, with the settings of their models: four iterations a step at most.
#[test]
fn newton_needs_few_iterations_on_the_benchmarks() {
    let all = [
        ("rotating_shaft", 1.4),
        ("flexible_four_bar", -15.0),
        ("lateral_buckling", 0.8),
        ("right_angle_cantilever", 5.0),
        ("flying_spaghetti", 5.0),
        ("spin_up", 5.0),
        ("slider_crank_beam", 1.0),
    ];
    for (name, end) in all {
        let file = model(name, &[]);
        let start = file.assemble().unwrap();
        let settings = file.schedule().unwrap().settings;
        let mut motion = Simulation::new(&start.model, &settings, &start.initial).unwrap();
        let mut steps = 0.0;
        while motion.now().t < end {
            motion.step().unwrap();
            steps += 1.0;
        }
        let mean = motion.effort().iterations as f64 / steps;
        assert!(mean <= 4.0, "{name}: {mean}");
    }
}

/// A drive gives back the energy that the method takes: with `esdirk436` the energy of the driven blade is wrong by
/// 0.012 J after 20 s only. The balance shows all of it, as much as a free blade loses or gains in the same steps.
#[test]
fn the_balance_of_a_driven_blade_is_the_drift_of_a_free_one() {
    let text = include_str!("../../../models/spin_up.toml");
    let (before, rest) = text.split_once("[drive.motor]").unwrap();
    let (_, after) = rest.split_once("[force.lag]").unwrap();
    let read = |text: &str| ModelFile::parse("blade", text, &[]).unwrap().assemble().unwrap();
    let (driven, free) = (read(text), read(&format!("{before}[force.lag]{after}")));
    let energy = |motion: &Simulation<'_>| {
        let energy = free.model.energy(motion.now());
        energy.kinetic + energy.potential
    };
    for method in ["esdirk436", "mssth4"] {
        let settings = Settings::new(method, 1e-2);
        let mut motion = driven.simulate(&settings).unwrap();
        motion.run_until(16.0).unwrap();
        let turning = motion.now().clone();
        let mut balance = EnergyBalance::new(&driven.model, motion.now());
        for _ in 0..400 {
            motion.step().unwrap();
            balance.record(&driven.model, &motion);
        }

        let initial = InitialValues::new(&turning.q, &turning.v);
        let mut motion = Simulation::new(&free.model, &settings, &initial).unwrap();
        let start = energy(&motion);
        motion.run_until(4.0).unwrap();
        let drift = energy(&motion) - start;
        let difference = (balance.balance - drift).abs();
        assert!(difference < 0.05 * drift.abs(), "{method}: {:e} {drift:e}", balance.balance);
    }
}
