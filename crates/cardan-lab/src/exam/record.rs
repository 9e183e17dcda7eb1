//! The results of the exam as a file that tables and the documentation read.

use serde::{Deserialize, Serialize};

use super::grade::ReferenceMotion;
use super::tolerance::{ControlledReference, controlled};
use super::{Grade, LinearGrade, ToleranceGrade, linear, problems};
use cardan::methods::{Method, MethodChoice, MethodInfo, Permission, Registry, SystemFeature};
use cardan::simulation::{Settings, Simulation, SimulationError};
use cardan::stage::Formulation;
use cardan::system::System;

/// How often the coarsest step is halved.
const HALVINGS: i32 = 5;

/// The results of the exam, with the default parameters of each method.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct ExamRecord {
    /// Orders, errors, drift and effort on the problems.
    pub grades: Vec<Grade>,
    /// Linear analysis.
    pub linear: Vec<LinearGrade>,
    /// Errors over the tolerance, of the methods that take one.
    #[serde(default)]
    pub tolerances: Vec<ToleranceGrade>,
}

impl ExamRecord {
    /// The grades of a method under a formulation.
    pub fn of<'a>(
        &'a self,
        method: &'a str,
        constraints: Formulation,
    ) -> impl Iterator<Item = &'a Grade> {
        let matches = move |g: &&Grade| g.method == method && g.constraints == constraints.name();
        self.grades.iter().filter(matches)
    }

    /// The grades of a method whose steps follow from a tolerance.
    pub fn tolerances_of<'a>(
        &'a self,
        method: &'a str,
    ) -> impl Iterator<Item = &'a ToleranceGrade> {
        self.tolerances.iter().filter(move |grade| grade.method == method)
    }

    /// The record as text for a file.
    pub fn to_json(&self) -> String {
        serde_json::to_string_pretty(self).unwrap_or_default()
    }
}

/// The record kept with the library; `cardan exam --write` renews it.
pub fn recorded() -> ExamRecord {
    serde_json::from_str(include_str!("../../data/exam.json")).unwrap_or_default()
}

/// Runs the exam of the named methods of a registry, or of all if none is named, each with its default parameters. A
/// problem with a feature that a method does not support is omitted for that method. `progress` is called after each
/// grade.
///
/// ```
/// use cardan::methods::{MethodInfo, Registry, find};
/// use cardan_lab::exam;
///
/// let mine = MethodInfo { name: "mine", aliases: &[], ..*find("rk3").unwrap() };
/// let registry = Registry::standard().with(mine);
/// let record = exam::run_exam(&registry, &["mine"], |_| {})?;
/// for grade in &record.grades {
///     println!("{} on {}: order {:.1}", grade.method, grade.problem, grade.orders.q);
/// #   assert!((grade.orders.q - 3.0).abs() < 0.1);
/// }
/// # assert!(record.grades.len() >= 5);
/// # Ok::<(), cardan::SimulationError>(())
/// ```
pub fn run_exam(
    registry: &Registry,
    methods: &[&str],
    mut progress: impl FnMut(&Grade),
) -> Result<ExamRecord, SimulationError> {
    let chosen = names(registry, methods)?;
    let is_chosen = |info: &&MethodInfo| chosen.is_empty() || chosen.contains(&info.name);
    let problems = problems::all();
    // the reference motions, which do not depend on the method
    let mut known: Vec<Option<ReferenceMotion>> = problems.iter().map(|_| None).collect();
    let mut record = ExamRecord::default();
    for info in registry.all().filter(is_chosen) {
        let (info, method) = registry.build(&plain(info.name))?;
        record.linear.push(linear(info, method.as_ref())?);
        for constraints in Formulation::ALL {
            if matches!(info.permission(constraints), Permission::Refused(_)) {
                continue;
            }
            for (problem, known) in problems.iter().zip(&mut known) {
                // without constraints the formulations do not differ
                let constrained = problem.system.holonomic_count() > 0;
                if !constrained && constraints != info.default_formulation() {
                    continue;
                }
                if !takes(info, method.as_ref(), problem.system.as_ref()) {
                    continue;
                }
                let steps: Vec<f64> =
                    (0..=HALVINGS).map(|k| 0.5_f64.powi(k) / problem.coarsest).collect();
                let settings = Settings::with_registry(registry, &plain(info.name), steps[0]);
                let settings = settings.constraints(constraints);
                let again = || method.with_coefficients(&[]);
                let system: &dyn System = problem.system.as_ref();
                let exact = match known {
                    Some(exact) => exact,
                    None => {
                        let begun = Simulation::new(system, &settings, &problem.initial)?;
                        known.insert(ReferenceMotion::new(problem, begun.now(), &steps)?)
                    }
                };
                let grade = exact.grade(problem, &settings, info, again)?;
                progress(&grade);
                record.grades.push(grade);
            }
        }
    }
    record.tolerances = run_tolerances(registry, methods)?.tolerances;
    Ok(record)
}

/// Runs the part of the exam about tolerances: the grades of the named methods of a registry that take one, or of all if
/// none is named.
pub fn run_tolerances(
    registry: &Registry,
    methods: &[&str],
) -> Result<ExamRecord, SimulationError> {
    let chosen = names(registry, methods)?;
    let is_chosen = |info: &&MethodInfo| chosen.is_empty() || chosen.contains(&info.name);
    let problems = problems::all();
    let mut exact: Vec<Option<ControlledReference>> = problems.iter().map(|_| None).collect();
    let mut record = ExamRecord::default();
    for info in registry.all().filter(is_chosen) {
        let (info, method) = registry.build(&plain(info.name))?;
        for (problem, exact) in problems.iter().zip(&mut exact) {
            let system: &dyn System = problem.system.as_ref();
            let is_constrained = system.holonomic_count() > 0 || system.nonholonomic_count() > 0;
            let formulation = info.controlled_formulation(method.as_ref());
            let is_controlled = match is_constrained {
                true => formulation.is_some(),
                false => info.tolerance_refusal(method.as_ref(), None).is_none(),
            };
            if !is_controlled || !takes(info, method.as_ref(), system) {
                continue;
            }
            let exact = match exact {
                Some(exact) => exact,
                None => {
                    let settings = controlled(registry, info.name, 1e-6);
                    let begun = Simulation::new(system, &settings, &problem.initial)?;
                    exact.insert(ControlledReference::new(problem, begun.now())?)
                }
            };
            record.tolerances.push(exact.grade(problem, registry, info)?);
        }
    }
    Ok(record)
}

/// The names of methods in the registry, without aliases.
fn names(registry: &Registry, methods: &[&str]) -> Result<Vec<&'static str>, SimulationError> {
    methods.iter().map(|name| Ok(registry.build(&plain(name))?.0.name)).collect()
}

/// A method with its default parameters.
fn plain(name: &str) -> MethodChoice {
    MethodChoice { method: name.into(), parameters: Vec::new() }
}

/// Whether a method takes everything that a system has.
fn takes(info: &MethodInfo, method: &dyn Method, system: &dyn System) -> bool {
    let is_constrained = system.holonomic_count() > 0 || system.nonholonomic_count() > 0;
    let mut features = SystemFeature::ALL.into_iter().filter(|feature| feature.is_in(system));
    features.all(|feature| info.unsupported_reason(feature).is_none())
        && method.unsupported_reason(is_constrained).is_none()
}
