//! What the `System` trait promises: defaults that difference, constraints of every kind,
//! first-order states, forces that depend on multipliers, constant matrices.

use crate::common::{DrivenMass, Filtered, Skate, Slider, Springs};
use cardan::SimulationError;
use cardan::linalg::SparseMatrix;
use cardan::methods::SettingsError;
use cardan::methods::SystemFeature;
use cardan::simulation::StartError;
use cardan::stage::StageError;
use cardan::system::SystemError;
use cardan::system::{
    Derivative, DifferencedSystem, Failure, ForceTangent, Space, StateView, System, verify,
};
use cardan::{Formulation, InitialValues, Settings, Simulation};
use cardan_lab::exam::problems;
use cardan_lab::papers::RodPendulum;

/// Every derivative that the exam's mechanisms write, at a configuration away from the start, where
/// nothing vanishes by chance.
#[test]
fn analytic_derivatives_agree_with_differences() {
    let more = [problems::andrews(), problems::OffsetTop::problem()];
    for problem in problems::all().iter().chain(&more) {
        let system: &dyn System = problem.system.as_ref();
        let space = system.space();
        let (n, m) = (space.velocities(), system.holonomic_count());
        let wave =
            |k: usize, f: f64| (0..k).map(|i| (f * (i + 1) as f64).sin()).collect::<Vec<_>>();
        let (v, multipliers, a) = (wave(n, 0.7), wave(m, 2.1), wave(n, 0.4));
        let z = wave(system.state_count(), 1.9);
        let small: Vec<f64> = wave(n, 1.3).iter().map(|x| 0.02 * x).collect();
        let q = space.plus(&problem.initial.q, &small).unwrap();
        let mut at = StateView::new(0.3, &q, &v);
        (at.multipliers, at.z) = (&multipliers, &z);
        assert_eq!(verify(system, &at, &a).unwrap(), [], "{}", problem.name);
    }
}

/// A system with one derivative spoiled by a thousandth: each is found, and named.
#[test]
fn wrong_derivatives_are_found() {
    struct Spoiled(&'static str);
    impl Spoiled {
        fn factor(&self, of: &str) -> f64 {
            if self.0 == of { 1.001 } else { 1.0 }
        }
    }
    impl System for Spoiled {
        fn space(&self) -> Space {
            Space::vector(2)
        }
        fn mass(&self, at: &StateView<'_>, mass: &mut SparseMatrix) -> Result<(), Failure> {
            let q = at.q;
            mass.add(0, 0, 1.0 + q[1] * q[1]);
            mass.add(1, 1, 2.0);
            Ok(())
        }
        fn mass_tangent(
            &self,
            at: &StateView<'_>,
            a: &[f64],
            tangent: &mut SparseMatrix,
        ) -> Result<Derivative, Failure> {
            let q = at.q;
            tangent.add(0, 1, self.factor("mass_tangent") * 2.0 * q[1] * a[0]);
            Ok(Derivative::Analytic)
        }
        fn force(&self, at: &StateView<'_>, force: &mut [f64]) -> Result<(), Failure> {
            force[0] = -at.q[0].powi(3) - at.v[0] * at.v[0];
            Ok(())
        }
        fn force_tangent(
            &self,
            at: &StateView<'_>,
            tangent: &mut ForceTangent<'_>,
        ) -> Result<Derivative, Failure> {
            let factor = self.factor("force_tangent");
            tangent.stiffness.add(0, 0, factor * 3.0 * at.q[0] * at.q[0]);
            tangent.damping.add(0, 0, 2.0 * at.v[0]);
            Ok(Derivative::Analytic)
        }
        fn holonomic_count(&self) -> usize {
            1
        }
        fn constraint(&self, at: &StateView<'_>, phi: &mut [f64]) -> Result<(), Failure> {
            let (t, q) = (at.t, at.q);
            phi[0] = q[0] * q[0] + q[1] * q[1] - 1.0 - t * t;
            Ok(())
        }
        fn jacobian(&self, at: &StateView<'_>, jacobian: &mut SparseMatrix) -> Result<(), Failure> {
            let q = at.q;
            jacobian.add(0, 0, self.factor("jacobian") * 2.0 * q[0]);
            jacobian.add(0, 1, 2.0 * q[1]);
            Ok(())
        }
        fn constraint_rate(
            &self,
            at: &StateView<'_>,
            rate: &mut [f64],
        ) -> Result<Derivative, Failure> {
            let t = at.t;
            rate[0] = self.factor("constraint_rate") * -2.0 * t;
            Ok(Derivative::Analytic)
        }
        fn acceleration_term(
            &self,
            at: &StateView<'_>,
            out: &mut [f64],
        ) -> Result<Derivative, Failure> {
            let v = at.v;
            out[0] = self.factor("acceleration_term") * 2.0 * (v[0] * v[0] + v[1] * v[1]) - 2.0;
            Ok(Derivative::Analytic)
        }
        fn multiplier_tangent(
            &self,
            at: &StateView<'_>,
            tangent: &mut SparseMatrix,
        ) -> Result<Derivative, Failure> {
            let multipliers = at.multipliers;
            let factor = self.factor("multiplier_tangent");
            tangent.add(0, 0, factor * 2.0 * multipliers[0]);
            tangent.add(1, 1, 2.0 * multipliers[0]);
            Ok(Derivative::Analytic)
        }
        fn velocity_tangent(
            &self,
            at: &StateView<'_>,
            out: &mut SparseMatrix,
        ) -> Result<Derivative, Failure> {
            let v = at.v;
            out.add(0, 0, self.factor("velocity_tangent") * 2.0 * v[0]);
            out.add(0, 1, 2.0 * v[1]);
            Ok(Derivative::Analytic)
        }
    }
    let (q, v, multipliers, a) = ([0.8, 0.7], [1.3, -0.4], [2.5], [0.9, 1.7]);
    let mut at = StateView::new(0.6, &q, &v);
    at.multipliers = &multipliers;
    assert_eq!(verify(&Spoiled(""), &at, &a).unwrap(), []);
    for part in [
        "mass_tangent",
        "force_tangent",
        "jacobian",
        "constraint_rate",
        "acceleration_term",
        "multiplier_tangent",
        "velocity_tangent",
    ] {
        let found = verify(&Spoiled(part), &at, &a).unwrap();
        assert!(found.iter().any(|d| d.written_by == part), "{part}: {found:?}");
    }
}

/// A system that writes no tangent moves like one that writes all of them: the difference is
/// Newton's tolerance, not the tangents' error.
#[test]
fn differenced_systems_move_alike() {
    let problem = problems::spatial_pendulum();
    for constraints in Formulation::ALL {
        let settings = Settings::new("generalized-alpha", 1e-2).constraints(constraints);
        let bare = DifferencedSystem(problem.system.as_ref());
        let mut one =
            Simulation::new(problem.system.as_ref() as &dyn System, &settings, &problem.initial)
                .unwrap();
        let mut two = Simulation::new(&bare, &settings, &problem.initial).unwrap();
        one.run_until(0.5).unwrap();
        two.run_until(0.5).unwrap();
        let worst =
            one.now().q.iter().zip(&two.now().q).map(|(x, y)| (x - y).abs()).fold(0.0, f64::max);
        assert!(worst < 1e-9, "{constraints}: {worst:e}");
    }
}

/// Energy is conserved to the method's order, and the knife edge never slips.
#[test]
fn a_skate_keeps_its_edge() {
    for constraints in Formulation::ALL {
        let mut errors = Vec::new();
        for h in [0.01, 0.005] {
            let settings = Settings::new("generalized-alpha", h).rho(0.9).constraints(constraints);
            let initial = InitialValues::new(&[0.0, 0.0, 0.2], &[0.0, 0.0, 3.0]);
            let mut skate = Simulation::new(&Skate, &settings, &initial).unwrap();
            let energy = skate.energy().unwrap();
            skate.run_until(2.0).unwrap();
            // velocity rows are solved to the tolerance of positions over the step
            assert!(skate.residuals().velocity < 1e-10 / h, "{constraints}");
            errors.push((skate.energy().unwrap() - energy).abs());
        }
        assert!(errors[0] < 1e-3, "{constraints}: {errors:?}");
        assert!(errors[0] / errors[1] > 3.0, "{constraints}: second order: {errors:?}");
    }
}

#[test]
fn a_velocity_can_be_prescribed() {
    for method in ["generalized-alpha", "bdf2", "trapezoidal"] {
        let initial = InitialValues::new(&[0.0], &[0.0]);
        let mut driven =
            Simulation::new(&DrivenMass, &Settings::new(method, 1e-3), &initial).unwrap();
        // the start is inconsistent (v = 0, prescribed 0.6): it is projected and reported
        assert!(
            driven
                .start_report()
                .velocity_change
                .as_ref()
                .is_some_and(|(size, _)| (size - 0.6).abs() < 1e-12)
        );
        driven.run_until(1.0).unwrap();
        let exact = [0.3 * 2_f64.sin(), 0.6 * 2_f64.cos()];
        assert!((driven.now().q[0] - exact[0]).abs() < 1e-6, "{method}");
        assert!((driven.now().v[0] - exact[1]).abs() < 1e-12, "{method}");
    }
}

/// Friction from the reaction: x decelerates by μN = 0.3 (9.81 + 2t) while it slides.
#[test]
fn forces_may_depend_on_multipliers() {
    let initial = InitialValues::new(&[0.0, 0.0], &[5.0, 0.0]);
    for constraints in Formulation::ALL {
        let settings = Settings::new("generalized-alpha", 1e-3).constraints(constraints);
        let mut slider = Simulation::new(&Slider, &settings, &initial).unwrap();
        assert!((slider.now().multipliers[0] + 9.81).abs() < 1e-12);
        assert!((slider.now().a[0] + 0.3 * 9.81).abs() < 1e-9);
        slider.run_until(0.5).unwrap();
        let exact = 5.0 - 0.3 * (9.81 * 0.5 + 0.25);
        assert!((slider.now().v[0] - exact).abs() < 1e-6, "{constraints}");
        assert!((slider.now().multipliers[0] + 10.81).abs() < 1e-6, "{constraints}");
    }
}

/// q‴ + 3 q̈ + 12 q = 0 with q(0) = 1, q̇ = 0, z = 0: q and z at the order of the method against a fine
/// run of one of order four, and methods that cannot integrate z say so by name.
#[test]
fn first_order_states_are_integrated_or_refused() {
    let initial = InitialValues::new(&[1.0], &[0.0]).states(&[0.0]);
    let run_with = |method: &str, h: f64| -> Result<Vec<[f64; 2]>, SimulationError> {
        let mut filtered = Simulation::new(&Filtered, &Settings::new(method, h), &initial)?;
        let mut at = |t: f64| {
            filtered.run_until(t)?;
            Ok([filtered.now().q[0], filtered.now().z[0]])
        };
        [0.5, 1.0, 1.5, 2.0].into_iter().map(&mut at).collect()
    };
    let exact = run_with("esdirk436", 1e-3).unwrap();
    for info in cardan::methods::all() {
        let run = |h: f64| run_with(info.name, h);
        if info.unsupported_reason(SystemFeature::FirstOrderStates).is_some() {
            let error = run(0.01).unwrap_err();
            assert!(
                matches!(&error, SimulationError::Settings(SettingsError::Feature { method, .. }) if method == info.name),
                "{error}"
            );
            continue;
        }
        // above the 1e-13 of the fine run
        let h = match info.order {
            ..=2 => 0.02,
            3 => 0.005,
            4 => 0.05,
            // Adams–Bashforth is stable for small steps only
            _ if info.family == "explicit" => 0.02,
            _ => 0.1,
        };
        let (coarse, fine) = (run(h).unwrap(), run(0.5 * h).unwrap());
        for k in 0..2 {
            let error = |found: &[[f64; 2]]| {
                let errors = found.iter().zip(&exact).map(|(x, exact)| (x[k] - exact[k]).abs());
                errors.fold(0.0_f64, f64::max)
            };
            let order = (error(&coarse) / error(&fine)).log2();
            let within = if info.order < 5 { 0.1 } else { 0.2 };
            assert!((order - f64::from(info.order)).abs() < within, "{}: {order}", info.name);
        }
    }
}

/// A pendulum whose angle has no inertia, held by two constraints on (x, y, θ): M is singular, the
/// equations are not. Energy is that of a point mass.
#[test]
fn massless_coordinates_are_carried() {
    let (pendulum, initial) = (RodPendulum::default(), RodPendulum::initial());
    for info in cardan::methods::all() {
        for constraints in Formulation::ALL {
            if info.permission(constraints) != cardan::methods::Permission::Allowed {
                continue;
            }
            let settings = Settings::new(info.name, 1e-3).constraints(constraints);
            let run = Simulation::new(&pendulum, &settings, &initial);
            if info.unsupported_reason(SystemFeature::Massless).is_some() {
                let error = run.err().unwrap().to_string();
                assert!(error.contains("the rod's angle"), "{error}");
                continue;
            }
            let mut run = run.unwrap();
            run.run_until(1.0).unwrap();
            let loss = (run.energy().unwrap()).abs();
            let bound = if info.order == 1 { 0.1 } else { 1e-3 };
            assert!(loss < bound, "{} {constraints}: {loss:e}", info.name);
            assert!(run.residuals().position < 1e-14, "{} {constraints}", info.name);
        }
    }
}

#[test]
fn a_given_sparsity_changes_nothing_but_the_cost() {
    let (sparse, dense) =
        (Springs { masses: 40, sparse: true }, Springs { masses: 40, sparse: false });
    let initial =
        InitialValues::new(&(0..40).map(|i| (i as f64).sin()).collect::<Vec<_>>(), &[0.0; 40]);
    let settings = Settings::new("generalized-alpha", 0.01);
    let mut one = Simulation::new(&sparse, &settings, &initial).unwrap();
    let mut two = Simulation::new(&dense, &settings, &initial).unwrap();
    one.run_until(0.2).unwrap();
    two.run_until(0.2).unwrap();
    assert!(one.stage_matrix().0.nonzeros() < 130 && two.stage_matrix().0.nonzeros() == 1600);
    let worst =
        one.now().q.iter().zip(&two.now().q).map(|(x, y)| (x - y).abs()).fold(0.0, f64::max);
    assert!(worst < 1e-10, "{worst:e}");
}

/// A structure with constant M, D and K: one factorization for the whole run, by Cholesky.
#[test]
fn a_constant_matrix_is_factorized_once() {
    struct Bar(usize);
    impl System for Bar {
        fn space(&self) -> Space {
            Space::vector(self.0)
        }
        fn mass(&self, _at: &StateView<'_>, mass: &mut SparseMatrix) -> Result<(), Failure> {
            (0..self.0).for_each(|i| mass.add(i, i, 1.0));
            Ok(())
        }
        fn force(&self, at: &StateView<'_>, force: &mut [f64]) -> Result<(), Failure> {
            for i in 0..self.0 {
                let left = if i == 0 { 0.0 } else { at.q[i - 1] };
                let right = at.q.get(i + 1).copied().unwrap_or(at.q[i]);
                force[i] = 100.0 * (left - 2.0 * at.q[i] + right);
            }
            force[self.0 - 1] += 1.0;
            Ok(())
        }
        fn has_constant_tangents(&self) -> bool {
            true
        }
        fn is_symmetric_positive(&self) -> bool {
            true
        }
    }
    let initial = InitialValues::new(&[0.0; 20], &[0.0; 20]);
    let mut bar =
        Simulation::new(&Bar(20), &Settings::new("generalized-alpha", 0.01), &initial).unwrap();
    bar.run_until(5.0).unwrap();
    assert_eq!(bar.effort().linear.factorizations, 1);
    assert!(bar.state().pivots[0].rows.is_empty(), "Cholesky has no pivots");
}

#[test]
fn systems_that_contradict_themselves_are_refused() {
    struct Bad(fn(&mut SparseMatrix), usize);
    impl System for Bad {
        fn space(&self) -> Space {
            Space::vector(self.1)
        }
        fn mass(&self, _at: &StateView<'_>, mass: &mut SparseMatrix) -> Result<(), Failure> {
            (self.0)(mass);
            Ok(())
        }
        fn force(&self, _at: &StateView<'_>, _force: &mut [f64]) -> Result<(), Failure> {
            Ok(())
        }
    }
    let start = |bad: Bad| {
        let n = bad.1.min(10_000);
        let zeros = vec![0.0; n];
        Simulation::new(
            &bad,
            &Settings::new("trapezoidal", 0.1),
            &InitialValues::new(&zeros, &zeros),
        )
        .map(|_| ())
        .unwrap_err()
    };
    let error = start(Bad(|m| m.add(0, 5, 1.0), 1));
    assert!(
        matches!(
            error,
            SimulationError::System(SystemError::Entry {
                written_by: "mass",
                row: 0,
                column: 5,
                outside: true,
                ..
            })
        ),
        "{error}"
    );
    let error = start(Bad(|_| {}, 1));
    assert!(
        matches!(&error, SimulationError::Start { cause: StartError::Unsolvable { cause: StageError::Singular { unknown }, .. }, .. } if unknown.contains("coordinate 0")),
        "{error}"
    );
    let error = start(Bad(|m| (0..5000).for_each(|i| m.add(i, i, 1.0)), 5000));
    assert!(
        matches!(error, SimulationError::System(SystemError::DenseTangentTooLarge { .. })),
        "{error}"
    );
    let error = start(Bad(|_| {}, usize::MAX));
    assert!(
        matches!(error, SimulationError::Start { cause: StartError::Length { .. }, .. }),
        "{error}"
    );
}

/// A mass whose place is prescribed as sin(1 + t); it writes the derivatives of the constraint, or leaves them out.
struct Prescribed {
    writes_derivatives: bool,
}

impl System for Prescribed {
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
        phi[0] = q[0] - (1.0 + t).sin();
        Ok(())
    }
    fn jacobian(&self, _at: &StateView<'_>, jacobian: &mut SparseMatrix) -> Result<(), Failure> {
        jacobian.add(0, 0, 1.0);
        Ok(())
    }
    fn constraint_rate(&self, at: &StateView<'_>, rate: &mut [f64]) -> Result<Derivative, Failure> {
        let t = at.t;
        rate[0] = -(1.0 + t).cos();
        Ok(if self.writes_derivatives { Derivative::Analytic } else { Derivative::Differenced })
    }
    fn acceleration_term(
        &self,
        at: &StateView<'_>,
        out: &mut [f64],
    ) -> Result<Derivative, Failure> {
        let t = at.t;
        out[0] = (1.0 + t).sin();
        Ok(if self.writes_derivatives { Derivative::Analytic } else { Derivative::Differenced })
    }
}

/// Drives whose derivatives are left out lose λ as round-off over the square of a tenth of the step, 2e-14/h² for places of
/// size one, as docs/system.md says; written, they lose nothing.
#[test]
fn differenced_drives_lose_multipliers_as_the_step_shrinks() {
    let worst = |writes_derivatives: bool, step: f64, constraints: Formulation| {
        let system = Prescribed { writes_derivatives };
        let settings = Settings::new("generalized-alpha", step).constraints(constraints);
        let initial = InitialValues::new(&[1_f64.sin()], &[1_f64.cos()]);
        let mut motion = Simulation::new(&system, &settings, &initial).unwrap();
        let mut worst = 0.0_f64;
        for k in 0..100 {
            motion.step().unwrap();
            // m ẍ + λ = 0, ẍ = −sin(1 + t); the start is forgotten after some steps
            if k > 60 {
                worst =
                    worst.max((motion.now().multipliers[0] - (1.0 + motion.now().t).sin()).abs());
            }
        }
        worst
    };
    for step in [1e-4, 1e-5, 1e-6] {
        for constraints in [Formulation::Stabilized, Formulation::Acceleration] {
            let left_out = worst(false, step, constraints);
            let part = left_out / (2e-14 / (step * step));
            // the largest of forty values that round-off makes
            assert!((0.1..10.0).contains(&part), "{constraints} {step}: {left_out:e}");
            let written = worst(true, step, constraints);
            assert!(written < 1e-2 * left_out, "{constraints} {step}: {written:e} {left_out:e}");
        }
    }
}

/// A shared system passes on every function of the trait: one that is left out would fall back to its default
/// without a word.
#[test]
fn a_shared_system_passes_on_every_function() {
    let names = |text: &str| -> Vec<String> {
        let lines = text.lines().filter_map(|line| line.strip_prefix("    fn "));
        lines.map(|line| line.split('(').next().unwrap().to_string()).collect()
    };
    let source = include_str!("../../crates/cardan-core/src/system/equations.rs");
    let described = names(source.split_once("pub trait System").unwrap().1);
    let passed_on = names(include_str!("../../crates/cardan-core/src/system/shared.rs"));
    assert!(described.len() > 30, "{described:?}");
    assert_eq!(described, passed_on);
}
