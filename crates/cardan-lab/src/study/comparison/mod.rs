//! One motion, many methods and steps: the errors of each against a reference.

mod plan;
mod result;

pub use plan::{ComparisonPlan, ComparisonReference, OmittedCase};
pub use result::{ComparedCase, ComparisonResult};

use std::sync::atomic::AtomicBool;

use super::{HistoryError, StudyProblem};
use cardan::methods::MethodChoice;
use cardan::methods::SettingsError;
use cardan::stage::Formulation;

/// What is to be compared: every method with every dissipation, formulation and step that it takes.
///
/// ```
/// use std::sync::atomic::AtomicBool;
///
/// use crate::exam::problems::DoublePendulum;
/// use cardan::methods::{MethodInfo, Registry, find};
/// use crate::study::{Comparison, Subject};
///
/// let mine = MethodInfo { name: "mine", aliases: &[], ..*find("lms4").unwrap() };
/// let registry = Registry::standard().with(mine);
/// let problem = DoublePendulum::problem();
/// let subject = Subject { registry, ..Subject::new(problem.system.as_ref(), &problem.initial, 0.5) };
/// let comparison = Comparison {
///     methods: vec!["mine".parse()?, "lms3:rho=0.8".parse()?],
///     steps: vec![1e-2, 5e-3],
///     ..Comparison::new(subject)
/// };
/// let result = comparison.run(&AtomicBool::new(false))?;
/// println!("{}", result.table());
/// # assert_eq!(result.rows.len(), 4);
/// # assert!((result.rows[1].orders[0] - 2.0).abs() < 0.1);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct Comparison<'a> {
    /// The system, the motion and the signals, with the registry in which methods are found.
    pub problem: StudyProblem<'a>,
    /// The methods.
    pub methods: Vec<MethodChoice>,
    /// The steps.
    pub steps: Vec<f64>,
    /// Steps over the number of stages, so that all methods do the same work; beside the steps.
    pub substeps: Vec<f64>,
    /// Values of `rho`, for methods that take it and whose choice gives none.
    pub rho: Vec<f64>,
    /// Constraint formulations. If there are none, each method has the preferred one, or its own.
    pub constraints: Vec<Formulation>,
    /// The formulation of methods that take it, where none is listed.
    pub preferred: Option<Formulation>,
    /// What runs are compared with; by default `esdirk436` with an eighth of the finest step.
    pub reference: Option<ComparisonReference>,
    /// How many runs at once; as many as there are processors by default. Times are then those of
    /// processors that share their memory: one thread measures them best.
    pub threads: Option<usize>,
}

/// A comparison that is not possible.
#[derive(Debug, thiserror::Error)]
pub enum ComparisonError {
    /// The motion has no length.
    #[error("the end, {end}, is not after the start, {start}")]
    End {
        /// The end.
        end: f64,
        /// The start.
        start: f64,
    },
    /// No methods are given.
    #[error("no methods are given")]
    NoMethods,
    /// No steps are given.
    #[error("no steps are given")]
    NoSteps,
    /// A step that is not positive.
    #[error("a step of {step} is not positive")]
    Step {
        /// The step.
        step: f64,
    },
    /// A step with which a run would not end.
    #[error(
        "a step of {step:e} takes {steps:.1e} steps; take larger ones, or an earlier end (at most {most:.0e} steps)"
    )]
    TooManySteps {
        /// The step.
        step: f64,
        /// How many it takes.
        steps: f64,
        /// How many are allowed.
        most: f64,
    },
    /// A step that is longer than the motion.
    #[error("one step of {step} is longer than the motion, {length}")]
    LongStep {
        /// The step.
        step: f64,
        /// The length of the motion.
        length: f64,
    },
    /// No method takes what is asked for.
    #[error("there is nothing to compare: no method takes these constraints")]
    Nothing {
        /// What was left out, and why.
        left_out: Vec<OmittedCase>,
    },
    /// A reference whose step does not fit the motion.
    #[error("the step of the reference, {step}, is not between 0 and {length}")]
    ReferenceStep {
        /// The step.
        step: f64,
        /// The length of the motion.
        length: f64,
    },
    /// A reference that would not end.
    #[error(
        "the reference takes {steps:.1e} steps of {step:e}; take larger ones, or another reference"
    )]
    TooManyReferenceSteps {
        /// The step.
        step: f64,
        /// How many it takes.
        steps: f64,
    },
    /// A method or parameter that is not known.
    #[error(transparent)]
    Settings(#[from] SettingsError),
    /// The reference cannot be had.
    #[error(transparent)]
    Reference(#[from] HistoryError),
}

impl<'a> Comparison<'a> {
    /// A comparison on a subject, still without methods and steps.
    pub fn new(subject: StudyProblem<'a>) -> Self {
        Self {
            problem: subject,
            methods: Vec::new(),
            steps: Vec::new(),
            substeps: Vec::new(),
            rho: Vec::new(),
            constraints: Vec::new(),
            preferred: None,
            reference: None,
            threads: None,
        }
    }

    /// Plans all cases, computes the reference and runs them. After `stop` is set, the result holds the cases that
    /// were finished before.
    pub fn run(self, stop: &AtomicBool) -> Result<ComparisonResult, ComparisonError> {
        Ok(self.plan()?.run(stop)?)
    }
}
