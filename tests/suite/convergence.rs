//! When Newton may stop: sizes from atoms to orbits, stiff friction, noise, and matrices that lie.

use cardan::SimulationError;
use cardan::linalg::SparseMatrix;
use cardan::math::{Vector3, hat};
use cardan::system::SystemError;
use cardan::system::{Derivative, Failure, ForceTangent, RotationIndex, Space, StateView, System};
use cardan::{Formulation, InitialValues, Settings, Simulation};
use cardan_lab::exam::problems;

/// A mass with one coordinate and a force law.
struct Mass<F: Fn(f64, f64) -> f64> {
    mass: f64,
    law: F,
}

impl<F: Fn(f64, f64) -> f64 + Send + Sync> System for Mass<F> {
    fn space(&self) -> Space {
        Space::vector(1)
    }
    fn mass(&self, _at: &StateView<'_>, mass: &mut SparseMatrix) -> Result<(), Failure> {
        mass.add(0, 0, self.mass);
        Ok(())
    }
    fn force(&self, at: &StateView<'_>, force: &mut [f64]) -> Result<(), Failure> {
        force[0] = (self.law)(at.q[0], at.v[0]);
        Ok(())
    }
}

/// Friction that saturates at 1e-5 m/s against a load of 0.7 N, in steps of 3e-7 s: positions move
/// by 1e-12 m a step, which must not pass for a solution. The sliding speed follows from the load.
#[test]
fn stiff_friction_is_solved_at_tiny_steps() {
    let slider = Mass { mass: 1e-3, law: |_, v| 0.7 - (v / 1e-5).tanh() };
    let settings = Settings::new("generalized-alpha", 3e-7).rho(0.0);
    let mut run =
        Simulation::new(&slider, &settings, &InitialValues::new(&[1.0], &[8e-6])).unwrap();
    run.run_until(3e-4).unwrap();
    let exact = 1e-5 * 0.7_f64.atanh();
    // the time constant is 2e-8 s: after a thousand steps only Newton's tolerance is left
    assert!((run.now().v[0] / exact - 1.0).abs() < 1e-6, "{} instead of {exact}", run.now().v[0]);
    assert!((1e-3 * run.now().a[0]).abs() < 1e-6, "the forces balance");
}

/// The same oscillator from metres to a tenth of a picometre, its tangent differenced: the motion
/// scales, and so must everything the solver does.
#[test]
fn small_lengths_change_nothing() {
    let end = |length: f64| {
        let law = move |q: f64, _| -10.0 * (q / length + (q / length).powi(3));
        let oscillator = Mass { mass: 1.0, law };
        let settings = Settings::new("generalized-alpha", 0.01 * length.sqrt());
        let initial = InitialValues::new(&[length], &[0.0]);
        let mut run = Simulation::new(&oscillator, &settings, &initial).unwrap();
        (0..100).for_each(|_| run.step().unwrap());
        run.now().q[0] / length
    };
    let exact = end(1.0);
    for exponent in 1..=13 {
        let length = 10_f64.powi(-exponent);
        // the same arithmetic but for rounding, which 100 steps amplify little
        assert!((end(length) - exact).abs() < 1e-9, "{length:e}: {} and {exact}", end(length));
    }
}

/// A pendulum in x and y of any length, with nothing but Φ and G.
struct Rod {
    length: f64,
    /// A factor on Φ and G: their unit is the system's own.
    unit: f64,
    /// Leaves out an entry of G where it happens to be zero.
    forgetful: bool,
}

impl System for Rod {
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
        1
    }
    fn constraint(&self, at: &StateView<'_>, phi: &mut [f64]) -> Result<(), Failure> {
        let q = at.q;
        phi[0] = 0.5 * self.unit * (q[0] * q[0] + q[1] * q[1] - self.length * self.length);
        Ok(())
    }
    fn jacobian(&self, at: &StateView<'_>, jacobian: &mut SparseMatrix) -> Result<(), Failure> {
        let q = at.q;
        if !(self.forgetful && q[0] == 0.0) {
            jacobian.add(0, 0, self.unit * q[0]);
        }
        jacobian.add(0, 1, self.unit * q[1]);
        Ok(())
    }
    fn potential_energy(&self, at: &StateView<'_>) -> Option<f64> {
        let q = at.q;
        Some(9.81 * q[1])
    }
}

/// Rods from a micrometre to a thousand kilometres, in time steps that scale with them. Energy is
/// lost to the method's dissipation only, the same fraction at every length.
#[test]
fn rods_of_every_length_swing_alike() {
    for constraints in Formulation::ALL {
        let mut losses = Vec::new();
        for exponent in [-6, -3, 0, 3, 6] {
            let length = 10_f64.powi(exponent);
            let rod = Rod { length, unit: 1.0, forgetful: false };
            let settings =
                Settings::new("generalized-alpha", 0.01 * length.sqrt()).constraints(constraints);
            let initial = InitialValues::new(&[length, 0.0], &[0.0, 0.0]);
            let mut run = Simulation::new(&rod, &settings, &initial).unwrap();
            (0..300).for_each(|step| {
                run.step().unwrap_or_else(|e| panic!("{constraints} {length:e} {step}: {e}"));
            });
            losses.push(run.energy().unwrap() / (9.81 * length));
        }
        let spread = losses.iter().fold(0.0_f64, |m, x| m.max((x - losses[2]).abs()));
        assert!(losses[2].abs() < 1e-3 && spread < 1e-8, "{constraints}: {losses:?}");
    }
}

/// Whatever the unit of Φ, a start off the circle is moved onto it and reported.
#[test]
fn the_unit_of_a_constraint_does_not_matter() {
    for unit in [1e-10, 1.0, 1e6] {
        let rod = Rod { length: 1.0, unit, forgetful: false };
        let initial = InitialValues::new(&[1.1, 0.0], &[0.0, 0.0]);
        let run = Simulation::new(&rod, &Settings::new("hht", 0.01), &initial).unwrap();
        assert!((run.now().q[0] - 1.0).abs() < 1e-15, "{unit:e}");
        assert!(
            run.start_report().position_change.as_ref().is_some_and(|c| (c.0 - 0.1).abs() < 1e-12)
        );
    }
}

/// An entry of G left out at the start is noticed at the start, by the differences that meet it.
#[test]
fn a_forgotten_structural_zero_is_an_error_at_the_start() {
    let rod = Rod { length: 1.0, unit: 1.0, forgetful: true };
    let initial = InitialValues::new(&[0.0, -1.0], &[3.0, 0.0]);
    let error = Simulation::new(&rod, &Settings::new("hht", 0.01), &initial).err().unwrap();
    let text = error.to_string();
    assert!(
        text.contains("`jacobian` wrote entry (0, 0)") && text.contains("structural zeros"),
        "{text}"
    );
}

/// A body at the origin with a long arm to its pin: q is nearly zero, the round-off of Φ is not.
#[test]
fn a_body_at_the_origin_converges() {
    struct Arm;
    impl System for Arm {
        fn space(&self) -> Space {
            Space::vector(3)
        }
        fn mass(&self, _at: &StateView<'_>, mass: &mut SparseMatrix) -> Result<(), Failure> {
            (0..3).for_each(|i| mass.add(i, i, 1.0));
            Ok(())
        }
        fn force(&self, at: &StateView<'_>, force: &mut [f64]) -> Result<(), Failure> {
            force[2] = 1e-3 * at.t;
            Ok(())
        }
        fn holonomic_count(&self) -> usize {
            2
        }
        fn constraint(&self, at: &StateView<'_>, phi: &mut [f64]) -> Result<(), Failure> {
            let q = at.q;
            let (s, c) = q[2].sin_cos();
            phi[0] = q[0] + 0.3 * c - 0.7 * s - 0.3;
            phi[1] = q[1] + 0.3 * s + 0.7 * c - 0.7;
            Ok(())
        }
        fn jacobian(&self, at: &StateView<'_>, jacobian: &mut SparseMatrix) -> Result<(), Failure> {
            let q = at.q;
            let (s, c) = q[2].sin_cos();
            jacobian.add(0, 0, 1.0);
            jacobian.add(0, 2, -0.3 * s - 0.7 * c);
            jacobian.add(1, 1, 1.0);
            jacobian.add(1, 2, 0.3 * c - 0.7 * s);
            Ok(())
        }
    }
    for constraints in Formulation::ALL {
        let settings = Settings::new("generalized-alpha", 0.01).constraints(constraints);
        let mut run =
            Simulation::new(&Arm, &settings, &InitialValues::new(&[0.0; 3], &[0.0; 3])).unwrap();
        run.run_until(2.0).unwrap();
        // θ̈ (1 + 0.58) = 1e-3 t
        assert!((run.now().q[2] / (8e-3 / 6.0 / 1.58) - 1.0).abs() < 1e-3, "{constraints}");
    }
}

/// A top far from the origin: its rotation can only be as good as its position, ε·10⁷.
#[test]
fn a_top_far_away_converges() {
    struct Far;
    const TURN: RotationIndex = RotationIndex { q: 3, v: 3 };
    const AWAY: f64 = 1e7;
    impl System for Far {
        fn space(&self) -> Space {
            Space::body()
        }
        fn mass(&self, _at: &StateView<'_>, mass: &mut SparseMatrix) -> Result<(), Failure> {
            (0..6).for_each(|i| mass.add(i, i, 1.0));
            Ok(())
        }
        fn force(&self, _at: &StateView<'_>, force: &mut [f64]) -> Result<(), Failure> {
            force[2] = -9.81;
            Ok(())
        }
        fn holonomic_count(&self) -> usize {
            3
        }
        fn constraint(&self, at: &StateView<'_>, phi: &mut [f64]) -> Result<(), Failure> {
            let q = at.q;
            let arm = TURN.of(q).rotate(&Vector3::y());
            (0..3).for_each(|i| phi[i] = q[i] - arm[i] - if i == 0 { AWAY } else { 0.0 });
            Ok(())
        }
        fn jacobian(&self, at: &StateView<'_>, jacobian: &mut SparseMatrix) -> Result<(), Failure> {
            let q = at.q;
            jacobian.add_diagonal(0, 0, 1.0);
            jacobian.add_block(0, 3, &(TURN.of(q).to_matrix() * hat(&Vector3::y())));
            Ok(())
        }
    }
    for constraints in Formulation::ALL {
        let settings = Settings::new("generalized-alpha", 0.01).constraints(constraints);
        let initial = InitialValues::new(
            &[AWAY, 1.0, 0.0, 1.0, 0.0, 0.0, 0.0],
            &[1.0, 0.0, 0.0, 0.0, 15.0, -1.0],
        );
        let mut run = Simulation::new(&Far, &settings, &initial).unwrap();
        run.run_until(0.5).unwrap_or_else(|e| panic!("{constraints}: {e}"));
    }
}

/// A rotation alone, driven: the projection has no lengths to measure against.
#[test]
fn a_driven_rotation_is_projected() {
    struct Driven;
    const TURN: RotationIndex = RotationIndex { q: 0, v: 0 };
    impl System for Driven {
        fn space(&self) -> Space {
            Space::rotation()
        }
        fn mass(&self, _at: &StateView<'_>, mass: &mut SparseMatrix) -> Result<(), Failure> {
            (0..3).for_each(|i| mass.add(i, i, 1.0 + i as f64));
            Ok(())
        }
        fn force(&self, at: &StateView<'_>, force: &mut [f64]) -> Result<(), Failure> {
            let (w, j) = (TURN.tangent(at.v), Vector3::new(1.0, 2.0, 3.0));
            TURN.set_tangent(force, &-w.cross(&j.component_mul(&w)));
            Ok(())
        }
        fn holonomic_count(&self) -> usize {
            1
        }
        fn constraint(&self, at: &StateView<'_>, phi: &mut [f64]) -> Result<(), Failure> {
            let (t, q) = (at.t, at.q);
            phi[0] = TURN.of(q).rotate(&Vector3::x()).z - 0.8 * (2.0 * t).sin();
            Ok(())
        }
        fn jacobian(&self, at: &StateView<'_>, jacobian: &mut SparseMatrix) -> Result<(), Failure> {
            let q = at.q;
            let row = Vector3::x().cross(&TURN.of(q).rotate_back(&Vector3::z()));
            (0..3).for_each(|i| jacobian.add(0, i, row[i]));
            Ok(())
        }
    }
    for constraints in Formulation::ALL {
        let settings = Settings::new("generalized-alpha", 0.01).constraints(constraints);
        let initial = InitialValues::new(&[1.0, 0.0, 0.0, 0.0], &[0.5, -1.6, 0.2]);
        let mut run = Simulation::new(&Driven, &settings, &initial).unwrap();
        run.run_until(2.0).unwrap_or_else(|e| panic!("{constraints}: {e}"));
        assert!(run.residuals().position < 1e-14, "{constraints}");
    }
}

/// A drive at 5 kHz whose rate is left out: differences in time follow the step.
#[test]
fn a_fast_drive_is_differenced_finely() {
    struct Shaker(f64);
    impl System for Shaker {
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
            1
        }
        fn constraint(&self, at: &StateView<'_>, phi: &mut [f64]) -> Result<(), Failure> {
            let (t, q) = (at.t, at.q);
            phi[0] = q[0] - (self.0 * t).sin() / self.0;
            Ok(())
        }
        fn jacobian(
            &self,
            _at: &StateView<'_>,
            jacobian: &mut SparseMatrix,
        ) -> Result<(), Failure> {
            jacobian.add(0, 0, 1.0);
            Ok(())
        }
    }
    for frequency in [1.0, 1e3, 3e4] {
        let h = 0.05 / frequency;
        let settings = Settings::new("generalized-alpha", h).constraints(Formulation::Stabilized);
        let initial = InitialValues::new(&[0.0], &[1.0]);
        let shaker = Shaker(frequency);
        let mut run = Simulation::new(&shaker, &settings, &initial).unwrap();
        assert_eq!(run.start_report().velocity_change, None, "the speed given is right");
        (0..100).for_each(|_| run.step().unwrap());
        // (ωs)⁴/30 with s = h/10, or round-off of the position over s
        let exact = (frequency * run.now().t).cos();
        assert!((run.now().v[0] - exact).abs() < 1e-9, "{frequency}: {}", run.now().v[0] - exact);
    }
}

/// A tangent far too stiff makes small corrections: they do not pass for convergence.
#[test]
fn a_matrix_that_lies_is_found_out() {
    struct Liar;
    impl System for Liar {
        fn space(&self) -> Space {
            Space::vector(1)
        }
        fn mass(&self, _at: &StateView<'_>, mass: &mut SparseMatrix) -> Result<(), Failure> {
            mass.add(0, 0, 1.0);
            Ok(())
        }
        fn force(&self, at: &StateView<'_>, force: &mut [f64]) -> Result<(), Failure> {
            force[0] = -at.q[0];
            Ok(())
        }
        fn force_tangent(
            &self,
            _at: &StateView<'_>,
            tangent: &mut ForceTangent<'_>,
        ) -> Result<Derivative, Failure> {
            tangent.stiffness.add(0, 0, 1e9);
            Ok(Derivative::Analytic)
        }
    }
    let mut run =
        Simulation::new(&Liar, &Settings::new("hht", 1e-2), &InitialValues::new(&[1.0], &[1.0]))
            .unwrap();
    assert!(run.run_until(0.1).is_err());
}

/// Projection goes along M⁻¹Gᵀ, whatever friction the reactions cause.
#[test]
fn projection_does_not_slide_along_friction() {
    let initial = InitialValues::new(&[0.0, 0.0], &[5.0, 0.1]);
    let settings = Settings::new("hht", 1e-3);
    let run = Simulation::new(&crate::common::Slider, &settings, &initial).unwrap();
    assert_eq!(run.now().v, [5.0, 0.0]);
}

/// Numbers beyond all bounds are errors, not states.
#[test]
fn overflow_is_an_error() {
    let free = Mass { mass: 1.0, law: |_, _| 0.0 };
    let initial = InitialValues::new(&[1e308], &[1e308]);
    let mut run = Simulation::new(&free, &Settings::new("trapezoidal", 100.0), &initial).unwrap();
    assert!(run.step().is_err() && run.now().q[0] == 1e308);
    let thrown = Mass { mass: 1e-200, law: |_, _| 1e200 };
    let started =
        Simulation::new(&thrown, &Settings::new("hht", 1.0), &InitialValues::new(&[0.0], &[0.0]));
    assert!(started.is_err(), "an infinite acceleration");
}

/// The last step is taken wherever the clock began.
#[test]
fn runs_end_at_their_end() {
    let free = Mass { mass: 1.0, law: |_, _| 0.0 };
    for start in [0.0, 17.0, -3.3, 1000.0, 1e6] {
        for steps in 1..50 {
            let initial = InitialValues::new(&[0.0], &[1.0]).at(start);
            let mut run = Simulation::new(&free, &Settings::new("hht", 0.1), &initial).unwrap();
            run.run_until(start + 0.1 * f64::from(steps)).unwrap();
            assert_eq!(run.effort().steps, steps as u64, "from {start}");
            assert!(matches!(run.run_until(f64::INFINITY), Err(SimulationError::Settings(_))));
        }
    }
}

/// The reference of the exam says what it cannot do.
#[test]
fn the_reference_refuses_what_it_cannot_integrate() {
    let slider = crate::common::Slider;
    let initial = InitialValues::new(&[0.0, 0.0], &[5.0, 0.0]);
    let start =
        Simulation::new(&slider, &Settings::new("hht", 1e-3), &initial).unwrap().now().clone();
    let refused = cardan_lab::exam::reference::solve(&slider, &start, &[1.0]);
    assert_eq!(refused.err(), Some(SystemError::NoReference));
    assert!(!problems::all().is_empty());
}
