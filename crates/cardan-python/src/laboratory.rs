//! Tables of methods, spectra and comparisons, and the examples.

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use cardan::methods::{MethodChoice, MethodInfo, Registry, Stability, all};
use cardan_lab::exam::recorded;
use cardan_lab::examples::EXAMPLES;
use cardan_lab::spectral::Spectrum;
use cardan_lab::study::{Comparison, ComparisonReference, Signals, StudyProblem};
use pyo3::prelude::*;
use pyo3::types::PyDict;
use serde_json::{Value, json};

use crate::compiled::Compiled;
use crate::convert::{json_to_python, toml_table};
use crate::errors::{TextOrigin, model_error, other_error, solve_error};

/// The name and text of each example model.
#[pyfunction]
pub fn examples() -> Vec<(String, String)> {
    EXAMPLES.iter().map(|(name, text)| (name.to_string(), text.to_string())).collect()
}

/// The tables of a TOML text as dictionaries; keys of older formats are renamed.
#[pyfunction]
pub fn parse_toml<'py>(py: Python<'py>, name: &str, text: &str) -> PyResult<Bound<'py, PyDict>> {
    match text.parse::<toml::Table>() {
        Ok(table) => toml_table(py, &table),
        Err(error) => {
            // the reader of model files explains what is wrong, with its place
            let problems = cardan::file::ModelFile::parse(name, text, &[]).err();
            Err(match problems {
                Some(problems) => model_error(py, &problems, TextOrigin::File),
                None => other_error(py, "ModelError", &error.to_string(), None),
            })
        }
    }
}

/// The methods with their orders, stages, stability, parameters and source.
#[pyfunction]
pub fn methods(py: Python<'_>) -> PyResult<Bound<'_, PyAny>> {
    let record = recorded();
    let row = |info: &MethodInfo| {
        let stability = match info.stability {
            Stability::A => "A",
            Stability::L => "L",
            Stability::Conditional => "conditional",
        };
        let measured = record
            .of(info.name, info.default_formulation())
            .filter(|grade| grade.errors.multipliers > 0.0)
            .map(|grade| grade.orders.q)
            .reduce(f64::min);
        json!({
            "method": info.name,
            "family": info.family,
            "order": info.order,
            "measured_order": measured,
            "stages": info.stages(),
            "stability": stability,
            "parameters": info.parameters.iter().map(|x| x.name).collect::<Vec<_>>(),
            "variable_step": info.variable_step,
            "constraints": info.default_formulation().name(),
            "typical_use": info.typical_use,
            "title": info.title,
            "source": info.source,
        })
    };
    json_to_python(py, &all().map(row).collect::<Value>())
}

fn choices(py: Python<'_>, methods: &[String]) -> PyResult<Vec<MethodChoice>> {
    let choice = |text: &String| {
        text.parse::<MethodChoice>()
            .map_err(|error| other_error(py, "SettingsError", &error.to_string(), None))
    };
    methods.iter().map(choice).collect()
}

/// Radius, decay and period of methods on a linear oscillator, or their summary.
#[pyfunction]
pub fn spectrum<'py>(
    py: Python<'py>,
    methods: Vec<String>,
    rho: Vec<f64>,
    damping: f64,
    at: Vec<f64>,
    summary: bool,
) -> PyResult<Bound<'py, PyAny>> {
    let choices = choices(py, &methods)?;
    let value = py.detach(|| -> Result<Value, cardan::Error> {
        let registry = Registry::standard();
        let spectrum = Spectrum::new(&registry, &choices, &rho)?.with_damping(damping);
        let value = match summary {
            true => serde_json::to_value(spectrum.summary()?),
            false => serde_json::to_value(spectrum.rows(&at)?),
        };
        Ok(value.unwrap_or_default())
    });
    let value = value.map_err(|error| crate::errors::library_error(py, &error))?;
    json_to_python(py, &value)
}

/// Signals are looked up after this time.
const INTERVAL: Duration = Duration::from_millis(40);

#[pymethods]
impl Compiled {
    /// Errors and observed orders of methods and steps, against a reference.
    #[expect(clippy::too_many_arguments, reason = "the arguments are keywords in Python")]
    fn compare<'py>(
        &self,
        py: Python<'py>,
        methods: Vec<String>,
        steps: Vec<f64>,
        rho: Vec<f64>,
        channels: Vec<String>,
        reference: Option<(String, f64)>,
        threads: Option<usize>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let start = self.start(py)?;
        let fail = |message: String| other_error(py, "SettingsError", &message, None);
        let end = self.file.plan.end.as_ref().map(|given| given.value);
        let end = end.ok_or_else(|| fail("the comparison has no `end`".into()))?;
        let steps = match steps.is_empty() {
            false => steps,
            true => {
                let step = self.schedule(py)?.settings.step_size;
                vec![4.0 * step, 2.0 * step, step, 0.5 * step]
            }
        };
        let signals = match channels.is_empty() {
            true => Signals::motion(&start.model),
            false => {
                let mut columns = Vec::new();
                for name in &channels {
                    let channel = start.model.channel(name);
                    let channel = channel.map_err(|error| {
                        other_error(py, "ChannelError", &error.fact(), error.remedy())
                    })?;
                    let parts = start.model.significant(channel);
                    columns.extend(parts.into_iter().flat_map(|part| part.components()));
                }
                Signals::channels(&start.model, &columns)
                    .map_err(|error| fail(error.to_string()))?
            }
        };
        let reference = match reference {
            None => None,
            Some((method, step)) => {
                let choice = choices(py, &[method])?.swap_remove(0);
                let run = ComparisonReference::run(&Registry::standard(), &choice, step);
                Some(run.map_err(|error| fail(error.to_string()))?)
            }
        };
        let comparison = Comparison {
            methods: choices(py, &methods)?,
            steps,
            rho,
            preferred: self.file.plan.constraints.as_ref().map(|given| given.value),
            reference,
            threads,
            ..Comparison::new(StudyProblem {
                newton: self.file.plan.newton.value,
                signals,
                ..StudyProblem::new(&start.model, &start.initial, end)
            })
        };
        let plan = comparison.plan().map_err(|error| fail(error.to_string()))?;
        let omitted: Vec<String> = plan.omitted.iter().map(ToString::to_string).collect();
        let stop = AtomicBool::new(false);
        // the cases are computed by other threads; this one looks for signals
        let (result, interrupted) = py.detach(|| {
            std::thread::scope(|scope| {
                let work = scope.spawn(|| plan.run(&stop));
                let mut interrupted = None;
                while !work.is_finished() {
                    std::thread::park_timeout(INTERVAL);
                    if interrupted.is_none()
                        && let Err(error) = Python::attach(|py| py.check_signals())
                    {
                        stop.store(true, Ordering::Relaxed);
                        interrupted = Some(error);
                    }
                }
                (work.join(), interrupted)
            })
        });
        if let Some(error) = interrupted {
            return Err(error);
        }
        let result = match result {
            Ok(Ok(result)) => result,
            Ok(Err(error)) => return Err(solve_error(py, &error.to_string(), None, None)),
            Err(_) => return Err(solve_error(py, "the comparison failed", None, None)),
        };
        let rows: Value = serde_json::from_str(&result.to_json()).unwrap_or_default();
        let value = json!({ "rows": rows, "reference": result.reference, "omitted": omitted });
        json_to_python(py, &value)
    }
}
