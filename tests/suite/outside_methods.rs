//! Methods from outside, by name: the exam, the spectrum and comparisons on a system written by hand.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use cardan::SimulationError;
use cardan::linalg::SparseMatrix;
use cardan::methods::SettingsError;
use cardan::methods::{self, MethodChoice, MethodInfo, Registry};
use cardan::{Failure, Formulation, InitialValues, Settings, Space, StateView, System};
use cardan_lab::exam::{self, ExamProblem, Grade};
use cardan_lab::spectral::Spectrum;
use cardan_lab::study::{
    CaseResult, Comparison, ComparisonError, ComparisonReference, ComparisonResult, HistoryError,
    StudyProblem, TimeHistory,
};
use cardan_lab::table::{TextTable, to_json};

/// lms3 by another name, and nothing else.
fn registry() -> Registry {
    let mine = MethodInfo { name: "mine", aliases: &[], ..*methods::find("lms3").unwrap() };
    Registry::standard().with(mine)
}

/// A mass on a circle of radius one, under gravity: x, y with y upwards.
struct Circle;

impl System for Circle {
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
        phi[0] = 0.5 * (at.q[0] * at.q[0] + at.q[1] * at.q[1] - 1.0);
        Ok(())
    }
    fn jacobian(&self, at: &StateView<'_>, jacobian: &mut SparseMatrix) -> Result<(), Failure> {
        jacobian.add(0, 0, at.q[0]);
        jacobian.add(0, 1, at.q[1]);
        Ok(())
    }
    fn acceleration_term(
        &self,
        at: &StateView<'_>,
        out: &mut [f64],
    ) -> Result<cardan::Derivative, Failure> {
        out[0] = at.v[0] * at.v[0] + at.v[1] * at.v[1];
        Ok(cardan::Derivative::Analytic)
    }
}

fn initial() -> InitialValues {
    InitialValues::new(&[1.0, 0.0], &[0.0, -1.0])
}

fn choices(words: &[&str]) -> Vec<MethodChoice> {
    words.iter().map(|word| word.parse().unwrap()).collect()
}

#[test]
fn the_exam_grades_a_method_from_outside_as_its_own() {
    let registry = registry();
    let mut seen = 0;
    let record = exam::run_exam(&registry, &["mine", "lms3"], |_| seen += 1).unwrap();
    let of = |name: &str| -> Vec<Grade> {
        let named = record.grades.iter().filter(|grade| grade.method == name).cloned();
        let renamed = named.map(|mut grade| {
            grade.method = "lms3".into();
            grade
        });
        renamed.collect()
    };
    let known = of("lms3");
    assert_eq!(of("mine"), known);
    assert_eq!((record.grades.len(), seen), (2 * known.len(), 2 * known.len()));
    assert_eq!(record.linear.len(), 2);
    assert_eq!(record.linear[0].radii, record.linear[1].radii);
    let table = record.table();
    assert_eq!(table.rows.len(), record.grades.len());
    assert!(table.rows.iter().all(|row| row.len() == table.header.len()));

    // an order is expected of it as of its family
    let info = registry.find("mine").unwrap();
    for grade in of("mine") {
        let constraints: Formulation = grade.constraints.parse().unwrap();
        let expected = f64::from(exam::expected_order(info, constraints, true, "q"));
        assert!((grade.orders.q - expected).abs() < 0.1, "{grade:?}");
    }
    // and the nominal one of a family that nobody knows
    let other = MethodInfo { family: "unheard of", order: 7, ..*info };
    assert_eq!(exam::expected_order(&other, Formulation::Position, true, "z"), 7);

    match exam::run_exam(&registry, &["mien"], |_| {}) {
        Err(SimulationError::Settings(SettingsError::UnknownMethod { nearest, .. })) => {
            assert_eq!(nearest.as_deref(), Some("mine"));
        }
        other => panic!("{other:?}"),
    }
}

#[test]
fn a_method_from_outside_is_graded_on_a_problem_from_outside() {
    let registry = registry();
    let problem = ExamProblem {
        name: "circle",
        tests: "a system written by hand",
        system: Arc::new(Circle),
        initial: initial(),
        conservative: false,
        coarsest: 40.0,
    };
    let grade = |word: &str| {
        let choice: MethodChoice = word.parse().unwrap();
        let (info, _) = registry.build(&choice).unwrap();
        let build = || registry.build(&choice).unwrap().1;
        let settings = Settings::with_registry(&registry, &choice, 1.0);
        exam::grade(&problem, &settings, info, build, &[0.01, 0.005]).unwrap()
    };
    let (mine, known) = (grade("mine:rho=0.7"), grade("lms3:rho=0.7"));
    assert_eq!((mine.errors, mine.orders), (known.errors, known.orders));
    assert!((mine.orders.q - 2.0).abs() < 0.1, "{mine:?}");
}

#[test]
fn the_spectrum_of_a_method_from_outside_is_that_of_its_formula() {
    let registry = registry();
    let rho = [0.0, 0.6];
    let of = |word: &str| {
        let spectrum = Spectrum::new(&registry, &choices(&[word]), &rho).unwrap();
        let spectrum = spectrum.with_damping(0.05);
        let all = [
            to_json(&spectrum.summary().unwrap()),
            to_json(&spectrum.rows(&[]).unwrap()),
            to_json(&spectrum.roots(&[0.3, 0.1, 0.1]).unwrap()),
            to_json(&spectrum.region().unwrap()),
            to_json(&spectrum.overshoot().unwrap()),
            TextTable::of(&spectrum.summary().unwrap()).rows.concat().join(" "),
        ];
        all.map(|text| text.replace("mine", "lms3"))
    };
    let (mine, known) = (of("mine"), of("lms3"));
    assert_eq!(mine, known);
    assert!(mine.iter().all(|text| text.contains("lms3:rho=0.6")));

    // all methods, its own among them
    let all = Spectrum::new(&registry, &[], &[]).unwrap();
    assert_eq!(all.methods.len(), registry.all().count());
    assert_eq!(all.methods.last().unwrap().label, "mine");
    // two steps, each once and in order
    let few = Spectrum::new(&registry, &choices(&["mine"]), &[]).unwrap();
    let at: Vec<f64> = few.rows(&[0.3, 0.1, 0.1]).unwrap().iter().map(|x| x.abscissa).collect();
    assert_eq!(at, [0.1, 0.3]);
    let standard = Registry::standard();
    let unknown = Spectrum::new(&standard, &choices(&["mine"]), &[]);
    assert!(matches!(unknown, Err(SettingsError::UnknownMethod { .. })));
}

/// What a case came to, without the time it took.
fn timeless(outcome: &CaseResult) -> CaseResult {
    let mut outcome = outcome.clone();
    outcome.seconds = 0.0;
    outcome
}

fn never() -> AtomicBool {
    AtomicBool::new(false)
}

#[test]
fn a_comparison_takes_a_method_from_outside_on_a_system_from_outside() {
    let (system, initial) = (Circle, initial());
    let subject =
        || StudyProblem { registry: registry(), ..StudyProblem::new(&system, &initial, 1.0) };
    let comparison = Comparison {
        methods: choices(&["mine", "lms3"]),
        steps: vec![1e-2],
        substeps: vec![5e-3],
        rho: vec![0.2, 0.8],
        ..Comparison::new(subject())
    };
    let result: ComparisonResult = comparison.run(&never()).unwrap();
    assert_eq!(result.signals, ["position", "velocity", "acceleration", "reaction"]);
    assert_eq!(result.rows.len(), 8);
    let (mine, known) = result.rows.split_at(4);
    for (mine, known) in mine.iter().zip(known) {
        assert_eq!(mine.case.choice.method, "mine");
        assert_eq!(mine.case.step, known.case.step);
        // the orders of the coarsest step are not numbers
        assert_eq!(format!("{:?}", mine.orders), format!("{:?}", known.orders));
        assert_eq!(timeless(&mine.result), timeless(&known.result));
        assert_eq!((mine.result.failure.as_ref(), mine.result.compared > 50), (None, true));
    }
    // the finer step shows the order, the coarser has none to compare with
    assert!((mine[1].orders[0] - 2.0).abs() < 0.1 && mine[0].orders[0].is_nan());
    let table = result.table();
    assert_eq!(table.rows[0][..2], ["mine:rho=0.2", "0.01"]);
    assert!(table.notes.contains("esdirk436 with steps of 0.000625 s (acceleration)"), "{table}");
    assert!(table.notes.contains("with doubled steps"), "{table}");
    assert_eq!(result.to_csv().lines().count(), 9);
    let json: serde_json::Value = serde_json::from_str(&result.to_json()).unwrap();
    assert_eq!(json[0]["method"], "mine:rho=0.2");
    assert_eq!(json[0]["errors"]["position"], mine[0].result.signals[0].error);
    assert_eq!(json[0]["orders"]["position"], serde_json::Value::Null);

    // by its name it can be the reference too
    let choice: MethodChoice = "mine".parse().unwrap();
    let against_itself = Comparison {
        methods: choices(&["mine"]),
        steps: vec![1e-2],
        reference: Some(ComparisonReference::run(&registry(), &choice, 1e-2).unwrap()),
        threads: Some(1),
        ..Comparison::new(subject())
    };
    let row = &against_itself.run(&never()).unwrap().rows[0];
    assert!(row.result.signals[0].error < 1e-12, "{row:?}");
}

/// A comparison that cannot be made says why.
#[test]
fn comparisons_refuse_what_is_not_possible() {
    let (system, initial) = (Circle, initial());
    type Change<'c> = &'c dyn Fn(&mut Comparison<'_>);
    let refused = |change: Change<'_>| {
        let subject =
            StudyProblem { registry: registry(), ..StudyProblem::new(&system, &initial, 1.0) };
        let (methods, steps) = (choices(&["mine"]), vec![1e-2]);
        let mut comparison = Comparison { methods, steps, ..Comparison::new(subject) };
        change(&mut comparison);
        comparison.run(&never()).map(|result| result.rows.len()).unwrap_err()
    };
    let cases: [(Change<'_>, &str); 9] = [
        (&|x| x.methods.clear(), "no methods are given"),
        (&|x| x.steps.clear(), "no steps are given"),
        (&|x| x.steps.push(-1.0), "a step of -1 is not positive"),
        (&|x| x.steps.push(2.0), "one step of 2 is longer than the motion, 1"),
        (&|x| x.steps.push(1e-9), "a step of 1e-9 s takes 1.0e9 steps"),
        (&|x| x.problem.end = 0.0, "the end, 0, is not after the start, 0"),
        (&|x| x.methods = choices(&["mien"]), "did you mean `mine`?"),
        (&|x| x.problem.registry = Registry::standard(), "there is no method `mine`"),
        (&|x| x.constraints = vec![Formulation::Acceleration], "there is nothing to compare"),
    ];
    for (change, expected) in cases {
        let message = refused(change).to_string();
        assert!(message.contains(expected), "{message}");
    }
    // what was left out is data
    let nothing = refused(&|x| x.constraints = vec![Formulation::Acceleration]);
    match nothing {
        ComparisonError::Nothing { left_out } => assert_eq!(left_out[0].method, "mine"),
        other => panic!("{other}"),
    }
    // a flag stops it
    let subject = StudyProblem::new(&system, &initial, 1.0);
    let comparison =
        Comparison { methods: choices(&["lms3"]), steps: vec![1e-2], ..Comparison::new(subject) };
    let stopped = comparison.run(&AtomicBool::new(true));
    assert!(matches!(stopped, Err(ComparisonError::Reference(HistoryError::Interrupted))));
}

/// A closed form can be the reference: a mass that falls.
#[test]
fn comparisons_take_a_closed_form_as_reference() {
    struct Fall;
    impl System for Fall {
        fn space(&self) -> Space {
            Space::vector(1)
        }
        fn mass(&self, _at: &StateView<'_>, mass: &mut SparseMatrix) -> Result<(), Failure> {
            mass.add(0, 0, 1.0);
            Ok(())
        }
        fn force(&self, _at: &StateView<'_>, force: &mut [f64]) -> Result<(), Failure> {
            force[0] = -2.0;
            Ok(())
        }
    }
    let exact = |k: u32| {
        let t = 0.1 * f64::from(k);
        (t, vec![3.0 - t * t, -2.0 * t, -2.0])
    };
    let reference = ComparisonReference::Known {
        name: "the closed form".into(),
        history: TimeHistory::new((1..=10).map(exact)),
    };
    let initial = InitialValues::new(&[3.0], &[0.0]);
    let comparison = Comparison {
        methods: choices(&["generalized-alpha"]),
        steps: vec![0.05],
        reference: Some(reference),
        ..Comparison::new(StudyProblem::new(&Fall, &initial, 1.0))
    };
    let result = comparison.run(&never()).unwrap();
    assert_eq!(result.rows[0].result.compared, 10);
    // a parabola is exact, but for round-off of a few steps
    assert!(result.rows[0].result.signals[0].error < 1e-13, "{result:?}");
    assert!(result.table().notes.ends_with("Reference: the closed form.\n"));
}
