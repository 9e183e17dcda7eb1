//! Starts where the equations do not determine everything: coordinates without inertia that springs
//! hold, constraints that follow from others, singular positions; for systems written by hand.

use cardan::linalg::SparseMatrix;
use cardan::methods::{self, Permission, Stability, SystemFeature};
use cardan::model::{Body, Force, Joint, Mechanism};
use cardan::system::{Failure, Space, StateView, System};
use cardan::{Formulation, InitialValues, Settings, Simulation};

/// A mass of 1 kg behind two springs of 100 and 300 N/m with a massless node between them: a spring of
/// 75 N/m in all.
struct Series;

impl System for Series {
    fn space(&self) -> Space {
        Space::vector(2)
    }
    fn mass(&self, _at: &StateView<'_>, mass: &mut SparseMatrix) -> Result<(), Failure> {
        mass.add(1, 1, 1.0);
        Ok(())
    }
    fn force(&self, at: &StateView<'_>, force: &mut [f64]) -> Result<(), Failure> {
        let pull = 300.0 * (at.q[1] - at.q[0]);
        force[0] = pull - 100.0 * at.q[0];
        force[1] = -pull;
        Ok(())
    }
}

/// x = 0.1 cos(√75 t), and the node at 3/4 of it. Errors of a second-order method in one second:
/// (ωh)²/12 · ωt · 0.1 ≈ 5e-6 at h = 1e-3 times a factor of the method below ten.
#[test]
fn massless_coordinates_held_by_springs_start_and_move() {
    for info in methods::all().filter(|info| info.stability != Stability::Conditional) {
        if info.unsupported_reason(SystemFeature::Massless).is_some() {
            continue;
        }
        let settings = Settings::new(info.name, 1e-3);
        let initial = InitialValues::new(&[0.075, 0.1], &[0.0, 0.0]);
        let mut motion = Simulation::new(&Series, &settings, &initial)
            .unwrap_or_else(|error| panic!("{}: {error}", info.name));
        assert!(motion.start_report().is_least_squares);
        assert_eq!(motion.start_report().unbalanced, None);
        motion.run_until(1.0).unwrap_or_else(|error| panic!("{}: {error}", info.name));
        let exact = 0.1 * 75.0_f64.sqrt().cos();
        let order = if info.name == "newmark" { 1e-2 } else { 5e-5 };
        let error = (motion.now().q[1] - exact).abs();
        assert!(error < order, "{}: {error}", info.name);
        assert!((motion.now().q[0] - 0.75 * motion.now().q[1]).abs() < 1e-9, "{}", info.name);
    }
}

#[test]
fn an_unbalanced_force_without_inertia_is_reported() {
    let initial = InitialValues::new(&[0.0, 0.1], &[0.0, 0.0]);
    let motion = Simulation::new(&Series, &Settings::new("bdf2", 1e-3), &initial).unwrap();
    let (force, name) = motion.start_report().unbalanced.clone().unwrap();
    assert!((force - 30.0).abs() < 1e-9, "{force}");
    assert_eq!(name, "coordinate 0");
}

/// The same as a mechanism: two sliders, one without mass and inertia.
#[test]
fn massless_bodies_held_by_springs_are_assembled() {
    let mut series = Mechanism::new();
    series.add(Body::planar("node").mass(0.0).inertia(0.0).position([0.75, 0.0]));
    series.add(Body::planar("block").mass(1.0).inertia(1.0).position([1.1, 0.0]));
    for body in ["node", "block"] {
        series.add(
            Joint::prismatic(&format!("on {body}"), "ground", body).at([0.0, 0.0]).axis([1.0, 0.0]),
        );
    }
    series.add(Force::spring("one", "ground", "node").stiffness(100.0).rest(0.675));
    series.add(Force::spring("two", "node", "block").stiffness(300.0).rest(0.325));
    let start = series.assemble().unwrap();
    let mut motion =
        Simulation::new(&start.model, &Settings::new("lms3", 1e-3), &start.initial).unwrap();
    motion.run_until(1.0).unwrap();
    let place = start.model.read("block.position", motion.now()).unwrap()[0];
    assert!((place - 1.0 - 0.1 * 75.0_f64.sqrt().cos()).abs() < 5e-5, "{place}");
}

/// A pendulum in x and y whose rod is written twice, the second time squared; and a third row that
/// says nothing new either.
struct Repeated;

impl System for Repeated {
    fn space(&self) -> Space {
        Space::vector(2)
    }
    fn mass(&self, _at: &StateView<'_>, mass: &mut SparseMatrix) -> Result<(), Failure> {
        mass.add(0, 0, 1.0);
        mass.add(1, 1, 1.0);
        Ok(())
    }
    fn force(&self, _at: &StateView<'_>, force: &mut [f64]) -> Result<(), Failure> {
        force[1] = -9.81;
        Ok(())
    }
    fn holonomic_count(&self) -> usize {
        2
    }
    fn constraint(&self, at: &StateView<'_>, phi: &mut [f64]) -> Result<(), Failure> {
        let q = at.q;
        let square = q[0] * q[0] + q[1] * q[1];
        phi[0] = 0.5 * (square - 1.0);
        phi[1] = square * square - 1.0;
        Ok(())
    }
    fn jacobian(&self, at: &StateView<'_>, jacobian: &mut SparseMatrix) -> Result<(), Failure> {
        let q = at.q;
        let square = q[0] * q[0] + q[1] * q[1];
        for j in 0..2 {
            jacobian.add(0, j, q[j]);
            jacobian.add(1, j, 4.0 * square * q[j]);
        }
        Ok(())
    }
    fn potential_energy(&self, at: &StateView<'_>) -> Option<f64> {
        let q = at.q;
        Some(9.81 * q[1])
    }
}

/// The same with the rod once.
struct Once;

impl System for Once {
    fn space(&self) -> Space {
        Repeated.space()
    }
    fn mass(&self, at: &StateView<'_>, mass: &mut SparseMatrix) -> Result<(), Failure> {
        Repeated.mass(at, mass)
    }
    fn force(&self, at: &StateView<'_>, force: &mut [f64]) -> Result<(), Failure> {
        Repeated.force(at, force)
    }
    fn holonomic_count(&self) -> usize {
        1
    }
    fn constraint(&self, at: &StateView<'_>, phi: &mut [f64]) -> Result<(), Failure> {
        let q = at.q;
        phi[0] = 0.5 * (q[0] * q[0] + q[1] * q[1] - 1.0);
        Ok(())
    }
    fn jacobian(&self, at: &StateView<'_>, jacobian: &mut SparseMatrix) -> Result<(), Failure> {
        let q = at.q;
        (0..2).for_each(|j| jacobian.add(0, j, q[j]));
        Ok(())
    }
}

#[test]
fn redundant_rows_of_any_system_are_set_inactive_and_named() {
    let initial = InitialValues::new(&[1.0, 0.0], &[0.0, 0.0]);
    for info in methods::all() {
        for constraints in Formulation::ALL {
            if info.permission(constraints) != Permission::Allowed {
                continue;
            }
            let settings = Settings::new(info.name, 1e-3).constraints(constraints);
            let label = format!("{} {constraints}", info.name);
            let mut once = Simulation::new(&Once, &settings, &initial).unwrap();
            let mut twice = Simulation::new(&Repeated, &settings, &initial)
                .unwrap_or_else(|error| panic!("{label}: {error}"));
            assert_eq!(twice.start_report().redundant, ["constraint 1"], "{label}");
            assert_eq!(twice.now().inactive, [1], "{label}");
            for _ in 0..200 {
                once.step().unwrap_or_else(|error| panic!("{label}: {error}"));
                twice.step().unwrap_or_else(|error| panic!("{label}: {error}"));
            }
            // the same equations, solved with another order of pivots at most
            for (a, b) in once.now().q.iter().zip(&twice.now().q) {
                assert!((a - b).abs() < 1e-11, "{label}: {a} {b}");
            }
            assert_eq!(twice.now().multipliers[1], 0.0, "{label}");
            // and goes on after storage with the same bits
            let state = twice.state().clone();
            let mut continued = Simulation::resume(&Repeated, &settings, state).unwrap();
            continued.step().unwrap();
            twice.step().unwrap();
            assert_eq!(continued.state(), twice.state(), "{label}");
        }
    }
}

/// Rows that contradict each other are refused, not set inactive.
#[test]
fn contradictory_rows_are_refused() {
    struct Contradiction;
    impl System for Contradiction {
        fn space(&self) -> Space {
            Space::vector(1)
        }
        fn mass(&self, _at: &StateView<'_>, mass: &mut SparseMatrix) -> Result<(), Failure> {
            mass.add(0, 0, 1.0);
            Ok(())
        }
        fn force(&self, _at: &StateView<'_>, _force: &mut [f64]) -> Result<(), Failure> {
            Ok(())
        }
        fn holonomic_count(&self) -> usize {
            2
        }
        fn constraint(&self, at: &StateView<'_>, phi: &mut [f64]) -> Result<(), Failure> {
            let (t, q) = (at.t, at.q);
            phi[0] = q[0] - t;
            phi[1] = q[0] - 1.0 - t;
            Ok(())
        }
        fn jacobian(
            &self,
            _at: &StateView<'_>,
            jacobian: &mut SparseMatrix,
        ) -> Result<(), Failure> {
            jacobian.add(0, 0, 1.0);
            jacobian.add(1, 0, 1.0);
            Ok(())
        }
    }
    let initial = InitialValues::new(&[0.0], &[1.0]);
    assert!(Simulation::new(&Contradiction, &Settings::new("bdf2", 1e-3), &initial).is_err());
}

/// Two links of one metre folded onto each other: the end is on the line y = 0 and at its far end, and
/// the rows depend on each other only here. Accelerations of least norm exist and the motion goes on.
#[test]
fn a_position_that_is_singular_only_at_the_start_keeps_its_rows() {
    /// Angles of two links; the end of the second slides along y = 0: sin a + sin b = 0 twice, once
    /// with its cube.
    struct Folded;
    impl System for Folded {
        fn space(&self) -> Space {
            Space::vector(3)
        }
        fn mass(&self, _at: &StateView<'_>, mass: &mut SparseMatrix) -> Result<(), Failure> {
            (0..3).for_each(|i| mass.add(i, i, 1.0));
            Ok(())
        }
        fn force(&self, _at: &StateView<'_>, force: &mut [f64]) -> Result<(), Failure> {
            force[0] = 1.0;
            Ok(())
        }
        fn holonomic_count(&self) -> usize {
            2
        }
        fn constraint(&self, at: &StateView<'_>, phi: &mut [f64]) -> Result<(), Failure> {
            let q = at.q;
            phi[0] = q[1] + q[0] * q[0];
            phi[1] = q[1] - q[0] * q[0] + q[0] * q[2];
            Ok(())
        }
        fn jacobian(&self, at: &StateView<'_>, jacobian: &mut SparseMatrix) -> Result<(), Failure> {
            let q = at.q;
            jacobian.add(0, 0, 2.0 * q[0]);
            jacobian.add(0, 1, 1.0);
            jacobian.add(0, 2, 0.0);
            jacobian.add(1, 0, -2.0 * q[0] + q[2]);
            jacobian.add(1, 1, 1.0);
            jacobian.add(1, 2, q[0]);
            Ok(())
        }
    }
    let initial = InitialValues::new(&[0.0, 0.0, 0.0], &[1.0, 0.0, 2.0]);
    let settings = Settings::new("bdf2", 1e-3);
    let mut motion = Simulation::new(&Folded, &settings, &initial).unwrap();
    assert!(motion.start_report().is_least_squares);
    assert!(motion.start_report().redundant.is_empty());
    motion.run_until(0.1).unwrap();
    let q = &motion.now().q;
    assert!((q[1] + q[0] * q[0]).abs() < 1e-9 && (q[2] - 2.0 * q[0]).abs() < 1e-6, "{q:?}");
}
