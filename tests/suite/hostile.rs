//! Values that nobody means, given to public functions: an error, values that are not numbers, or nothing,
//! but neither a panic nor an endless loop nor more memory than there is.

use cardan::SimulationError;
use cardan::linalg::{
    Group, GroupKind, LinearError, MatrixKind, Pattern, Pivots, Solver, SparseMatrix,
};
use cardan::math::{Chart, Matrix3, Quaternion, Turn, Vector3, cayley, exponential};
use cardan::methods::conditions::{Tree, residual};
use cardan::model::{
    AnalyticSolution, AssembledMechanism, Body, EnergyBalance, Function, Inertia, Joint, Lumping,
    Material, Mechanism, NodeLayout, Profile, Section, Shape, Structure,
};
use cardan::modes::{
    Linearization, Modes, ModesError, ModesOptions, RotatingObserver, StateSpace, StaticStability,
};
use cardan::stability::highest_frequency;
use cardan::stage::{Formulation, NewtonOptions, Stage, StageMap, StaticProblem, StaticSolver};
use cardan::statics::StaticOptions;
use cardan::system::InstantError;
use cardan::system::{Evaluator, Failure, Space, StateView, System, verify};
use cardan::{InitialValues, Instant, Settings, Simulation};
use cardan_lab::exam::{problems, reference};
use cardan_lab::gallery::{self, Dimension};
use cardan_lab::study::{TimeHistory, observed_order};
use nalgebra::DMatrix;
use proptest::prelude::*;

const HUGE: usize = usize::MAX;

fn hostile() -> impl Strategy<Value = f64> {
    prop_oneof![
        Just(f64::NAN),
        Just(f64::INFINITY),
        Just(f64::NEG_INFINITY),
        Just(f64::MAX),
        Just(f64::MIN_POSITIVE),
        Just(5e-324),
        Just(0.0),
        Just(-0.0),
        any::<f64>(),
    ]
}

fn vector() -> impl Strategy<Value = Vector3> {
    [hostile(), hostile(), hostile()].prop_map(Vector3::from)
}

fn size() -> impl Strategy<Value = usize> {
    prop_oneof![0_usize..6, Just(HUGE), Just(HUGE / 7), Just(u32::MAX as usize + 1)]
}

/// A spatial pendulum, and an instant of it.
fn pendulum() -> (AssembledMechanism, Instant) {
    let mut pendulum = Mechanism::new();
    pendulum.gravity([0.0, 0.0, -9.81]);
    let bob = Body::spatial("bob").mass(2.0).inertia([0.1, 0.2, 0.15]);
    pendulum.add(bob.position([0.3, 0.0, -0.4]).point("tip", [0.0; 3]));
    pendulum.add(Joint::spherical("O", "ground", "bob").at([0.0; 3]));
    let start = pendulum.assemble().unwrap();
    let settings = Settings::new("generalized-alpha", 1e-3);
    let now = Simulation::new(&start.model, &settings, &start.initial).unwrap().now().clone();
    (start, now)
}

/// Instants that are not those of the pendulum: a vector too short or too long, or values that are none.
fn foreign(now: &Instant) -> Vec<Instant> {
    let mut all = vec![Instant::default()];
    for which in 0..4 {
        for change in 0..4 {
            let mut at = now.clone();
            let vector = [&mut at.q, &mut at.v, &mut at.a, &mut at.multipliers];
            let vector = vector.into_iter().nth(which).unwrap();
            match change {
                0 => vector.clear(),
                1 => vector.push(1.0),
                2 => vector[0] = f64::NAN,
                _ => vector[0] = f64::INFINITY,
            }
            all.push(at);
        }
    }
    let mut at = now.clone();
    at.q[3..7].fill(0.0);
    all.push(at);
    all
}

#[test]
fn foreign_instants_are_errors_of_the_linear_analysis() {
    let (start, now) = pendulum();
    let model = &start.model;
    for at in foreign(&now) {
        let options = ModesOptions::default();
        let error = Modes::new(model, &at, &options).unwrap_err();
        let error = cardan::Error::from(error);
        assert!(matches!(error, cardan::Error::Simulation(SimulationError::Instant(_))), "{error}");
        let error = highest_frequency(model, &at).unwrap_err();
        assert!(matches!(error, SimulationError::Instant(_)), "{error}");
        let observer = RotatingObserver::default();
        assert!(Linearization::new(model, &at, &observer).is_err());
        assert!(StaticStability::new(model, &at, &observer).is_err());
        let inputs = ["bob.force.x".to_string()];
        assert!(StateSpace::new(model, &at, &observer, &inputs, &["bob.position".into()]).is_err());
    }
    let error = Modes::new(model, &Instant::default(), &ModesOptions::default()).unwrap_err();
    let known = InstantError::Length { what: "q", found: 0, expected: 7 };
    assert_eq!(error, SimulationError::Instant(known).into());
    // an observer of another model
    let observer = gallery::chain(5, Dimension::Space).assemble().unwrap().model;
    let observer = observer.observer(Vector3::new(0.0, 0.0, 1.0));
    let error = Linearization::new(model, &now, &observer).unwrap_err();
    assert_eq!(error, ModesError::Observer);
}

#[test]
fn matrices_that_do_not_fit_each_other_are_an_error() {
    let (start, now) = pendulum();
    let whole = Linearization::new(&start.model, &now, &RotatingObserver::default()).unwrap();
    let other = || SparseMatrix::written(3, 5, |out| out.add(2, 4, 1.0));
    let changes: [fn(&mut Linearization, SparseMatrix); 6] = [
        |x, other| x.mass = other,
        |x, other| x.damping = other,
        |x, other| x.stiffness = other,
        |x, other| x.jacobian = other,
        |x, other| x.reactions = other,
        |x, other| x.rates = other,
    ];
    for change in changes {
        let mut spoilt = whole.clone();
        change(&mut spoilt, other());
        assert_eq!(Modes::of(&spoilt, &ModesOptions::default()), Err(ModesError::Sizes));
    }
    let mut spoilt = whole.clone();
    spoilt.holonomic = HUGE;
    assert_eq!(Modes::of(&spoilt, &ModesOptions::default()), Err(ModesError::Sizes));
    let many = ModesOptions { count: HUGE, ..ModesOptions::default() };
    assert!(Modes::of(&whole, &many).is_ok());
    let none = ModesOptions { count: 0, ..ModesOptions::default() };
    assert_eq!(Modes::of(&whole, &none).unwrap().modes.len(), 0);
}

#[test]
fn foreign_instants_give_no_numbers() {
    let (start, now) = pendulum();
    let model = &start.model;
    for mut at in foreign(&now).into_iter().filter(|at| at.q.len() + at.v.len() != 13) {
        assert!(model.energy(&at).kinetic.is_nan());
        assert!(model.power(&at).forces.is_nan());
        assert!(model.momentum(&at).linear.x.is_nan());
        assert!(model.read("bob.position", &at).is_err());
        assert!(model.input("bob.force.x", &at).is_err());
        assert!(model.displacements(&at, &[0.0; 6]).is_empty());
        assert!(model.snapshots(&at).is_empty());
        assert!(EnergyBalance::new(model, &at).initial.is_nan());
        model.turn_with(&Vector3::repeat(f64::NAN), &mut at);
    }
    assert!(model.displacements(&now, &[0.0; 5]).is_empty());
}

#[test]
fn wrong_lengths_are_errors_of_the_equations() {
    let (start, now) = pendulum();
    let model = &start.model;
    for q in [&now.q[..6], &[], &[1.0; 8]] {
        assert!(Evaluator::new(model, &StateView::new(0.0, q, &now.v)).is_err());
        assert!(StaticSolver::new(model, 0.0, q).is_err());
        assert!(verify(model, &StateView::new(0.0, q, &now.v), &now.a).is_err());
        assert!(
            Simulation::new(model, &Settings::new("rk4", 0.1), &InitialValues::new(q, &now.v))
                .is_err()
        );
    }
    let point = StateView::new(0.0, &now.q, &now.v);
    // without multipliers those of the constraints are missing, and so are accelerations
    assert!(verify(model, &point, &now.a).is_err());
    assert!(Evaluator::new(model, &point).is_ok());
    assert!(reference::solve(model, &Instant::default(), &[1.0]).is_err());
}

#[test]
fn times_that_are_none_do_not_loop() {
    let problem = problems::spatial_pendulum();
    let settings = Settings::new("generalized-alpha", 1e-3);
    let system: &dyn System = problem.system.as_ref();
    let start = Simulation::new(system, &settings, &problem.initial).unwrap().now().clone();
    for time in [f64::NAN, f64::INFINITY, f64::MAX, f64::NEG_INFINITY] {
        let found = reference::solve(system, &start, &[time]).unwrap();
        assert!(found[0].q.iter().any(|x| x.is_nan()), "{time}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn rotations_take_any_numbers(g in vector(), a in vector(), b in vector(), w in hostile()) {
        for chart in [Chart::Exponential, Chart::Cayley] {
            let turn = Turn::new(chart, g);
            let _ = (turn.rotation(), turn.tangent(), turn.tangent_derivative(&a), turn.reversed());
            let _ = (turn.gradient(&a, &b), turn.hessian(&a, &b), turn.vector());
            let _ = chart.of_matrix(&Matrix3::from_columns(&[g, a, b]));
        }
        let quaternion = Quaternion { scalar: w, vector: g };
        let _ = (quaternion.normalized(), quaternion.to_matrix(), quaternion.rotate(&a));
        let _ = Quaternion::from_matrix(&Matrix3::from_columns(&[g, a, b]));
        let _ = (exponential::inverse(quaternion), cayley::inverse(quaternion));
        let _ = (exponential::nearest(&g, &a), exponential::tangent_inverse(&g));
        let _ = (exponential::tangent_inverse_derivative(&g, &a), cayley::tangent_inverse(&g));
    }

    #[test]
    fn spaces_take_any_size(n in size(), m in size(), values in prop::collection::vec(hostile(), 0..9)) {
        let space = Space::bodies(n).then(Space::vector(m)).then(Space::rotation());
        let space = space.then(Space::discrete(m)).then(Space::bodies(m));
        let _ = (space.configurations(), space.velocities(), space.nodes().len());
        prop_assert!(space.plus(&values, &values).is_none() || n + m < 10);
        prop_assert!(space.minus(&values, &values).is_none() || n + m < 10);
        for rotation in space.rotations() {
            let mut out = values.clone();
            rotation.set(&mut out, rotation.of(&values));
            rotation.set_tangent(&mut out, &rotation.tangent(&values));
        }
        let neutral = space.neutral();
        prop_assert!(neutral.len() == space.configurations() || neutral.is_empty());
    }

    #[test]
    fn matrices_take_any_place(
        n in 0_usize..4,
        places in prop::collection::vec((size(), size(), hostile()), 0..12),
        values in prop::collection::vec(hostile(), 0..12),
    ) {
        let mut entries = SparseMatrix::new(n, n);
        let _ = SparseMatrix::written(HUGE, HUGE, |out| {
            places.iter().for_each(|&(i, j, x)| out.add(i, j, x));
        });
        for &(i, j, x) in &places {
            entries.add(i, j, x);
            entries.add_diagonal(i, j, x);
            entries.add_block(i, j, &Matrix3::repeat(x));
        }
        let pairs = places.iter().map(|&(i, j, _)| (i as u32, j as u32)).collect();
        let pattern = Pattern::new(n, pairs);
        let _ = (pattern.column(HUGE), pattern.slot(HUGE, 0), pattern.slot(0, HUGE));
        let groups = [
            Group { kind: GroupKind::Constraints, unknowns: vec![0, 7, u32::MAX, 0] },
            Group { kind: GroupKind::Coordinates, unknowns: Vec::new() },
        ];
        for kind in [MatrixKind::General, MatrixKind::SymmetricPositive] {
            let mut solver = Solver::new(pattern.clone(), &groups, kind);
            let mut right = vec![1.0; n];
            prop_assert_eq!(solver.solve(&mut right), Err(LinearError::NotFactorized));
            let _ = solver.factorize(&values);
            let mut fitting = values.clone();
            fitting.resize(pattern.nonzeros(), f64::NAN);
            if solver.factorize(&fitting).is_err() {
                prop_assert_eq!(solver.solve(&mut right), Err(LinearError::NotFactorized));
            }
            let rows = vec![0, 0, u32::MAX];
            solver.restore_pivots(&Pivots { merged: rows.clone(), rows, exponents: vec![i16::MAX; 3] });
            let _ = solver.solve(&mut [1.0; 9]);
        }
    }

    #[test]
    fn descriptions_take_any_number(x in hostile(), y in hostile(), n in size(), m in size()) {
        let material = Material { young: x, poisson: y, density: x };
        let _ = Section::of(&Profile::Rectangle { width: x, height: y }, &material);
        let _ = Section::of(&Profile::Tube { outer: x, inner: y }, &material);
        let _ = Inertia::of(&Shape::Box { edges: [x, y, x] }, y);
        let layouts = [
            NodeLayout::Scattered,
            NodeLayout::Line { length: x, elements: n },
            NodeLayout::Grid { sides: [x, y], elements: [n, m] },
        ];
        for layout in layouts {
            let _ = (layout.place(n), layout.place(m), layout.node_at([x, y]));
        }
        for lumping in [Lumping::Lumped, Lumping::Consistent] {
            let bar = Structure::bar("bar", x, n, y, x, lumping);
            let membrane = Structure::membrane("m", [x, y], [n, m], x, y, lumping);
            for structure in [bar, membrane] {
                let structure = structure.fix_edge(cardan::model::Edge::Top).fix(m).load(n, x);
                let mut mechanism = Mechanism::new();
                mechanism.add(structure.start(n, x, y).tie(&[(n, x), (m, y)], y));
                let _ = mechanism.assemble();
            }
        }
        let exact = AnalyticSolution::Bar { length: x, stiffness: y, mass: x, load: Function::Constant(y) };
        let _ = exact.value([x, y], x.abs().min(1e3), n);
    }

    #[test]
    fn analyses_take_any_number(x in hostile(), y in hostile(), n in 0_usize..4, m in 0_usize..4) {
        let _ = cardan::linalg::roots(&DMatrix::from_fn(n, m, |i, j| if i == j { x } else { y }));
        let _ = observed_order((x, y), (y, x));
        let rows = [(x, vec![y; n]), (y, vec![x; m]), (0.0, Vec::new())];
        let history = TimeHistory::new(rows);
        let _ = (history.at(x), history.at(0.5), history.column(7).count());
        let _ = (residual(&[vec![x; n], vec![y; m]], &[x, y], n), Tree::all(n).len());
    }
}

#[test]
fn sizes_beyond_memory_are_refused() {
    assert!(Tree::all(HUGE).is_empty() && residual(&[], &[], HUGE).is_nan());
    assert_eq!(Pattern::new(HUGE, vec![(0, 0)]).size(), 0);
    for mechanism in
        [gallery::chain(HUGE, Dimension::Plane), gallery::four_bars(HUGE, Dimension::Space)]
    {
        assert!(mechanism.assemble().is_err());
    }
    struct Vast;
    impl System for Vast {
        fn space(&self) -> Space {
            Space::bodies(HUGE)
        }
        fn mass(&self, _: &StateView<'_>, _: &mut SparseMatrix) -> Result<(), Failure> {
            Ok(())
        }
        fn force(&self, _: &StateView<'_>, _: &mut [f64]) -> Result<(), Failure> {
            Ok(())
        }
    }
    assert!(Evaluator::new(&Vast, &StateView::new(0.0, &[], &[])).is_err());
    let settings = Settings::new("generalized-alpha", 1e-3);
    assert!(Simulation::new(&Vast, &settings, &InitialValues::new(&[], &[])).is_err());
    assert!(highest_frequency(&Vast, &Instant::default()).is_err());
}

/// Options of statics that make no sense end in an error.
#[test]
fn statics_take_any_options() {
    let (start, now) = pendulum();
    for x in [f64::NAN, f64::INFINITY, -1.0, 0.0] {
        let newton = NewtonOptions { tolerance: x, iterations: 3, ..NewtonOptions::default() };
        let options = StaticOptions { steps: 0, newton, ..StaticOptions::default() };
        let _ = start.equilibrium(&options);
        let options = StaticOptions { until: Some(x), ..StaticOptions::default() };
        let _ = start.equilibrium(&options);
        let options = StaticOptions { spin: Vector3::repeat(x), ..StaticOptions::default() };
        let _ = start.equilibrium(&options);
    }
    // a stage without a prediction
    let evaluator = Evaluator::new(&start.model, &StateView::new(0.0, &now.q, &now.v)).unwrap();
    let stage = Stage::new(&start.model, &evaluator, Formulation::Position);
    let _ = (stage.corrections(), stage.matrix(&evaluator), StageMap::new(evaluator.space(), 0));
    let (mut q, mut multipliers, mut log) = (now.q.clone(), now.multipliers.clone(), Vec::new());
    let mut search = StaticProblem {
        t: f64::NAN,
        load: 1.0,
        q: &mut q,
        multipliers: &mut multipliers,
        z: &mut [],
        options: &NewtonOptions::default(),
        log: &mut log,
    };
    let mut statics = StaticSolver::new(&start.model, 0.0, &now.q).unwrap();
    let _ = statics.solve_pseudo_transient(&start.model, &mut search, f64::NAN, 0.0);
}
