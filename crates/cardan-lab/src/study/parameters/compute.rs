//! Computes one case.

use std::cell::RefCell;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant as Clock};

use cardan::file::{ModelFile, ModelTemplate};
use cardan::math::Vector3;
use cardan::model::AssembledMechanism;
use cardan::modes::{Modes, ModesOptions};
use cardan::results::RunStatus;
use cardan::run::{RunRequest, recorder, run_in_memory};
use cardan::statics::StaticOptions;
use cardan::{InitialValues, Instant, Settings, Simulation};

use super::analysis::CaseAnalysis;
use super::formula::CaseResults;
use super::plan::StudyPlan;
use super::result_functions::RUN_NUMBERS;
use super::row::{CaseHistory, StudyRow};
use super::settings::{apply, is_setting};
use super::values::CaseValue;

/// Modes that are computed if the study gives no number.
const MODES: usize = 10;
/// Longer reasons of failures are cut.
const MAX_REASON: usize = 2000;

/// A plan, the values of the parameters of a model, and that model.
type LastModel = (String, Vec<(String, String)>, (ModelFile, AssembledMechanism));

thread_local! {
    /// The last model that this thread has assembled for cases with varying settings.
    static LAST_MODEL: RefCell<Option<LastModel>> = const { RefCell::new(None) };
}

/// The quantities and histories of a case.
struct Computed {
    quantities: Vec<f64>,
    history: Option<CaseHistory>,
    /// Quantities that are not numbers, in words.
    remark: String,
}

impl StudyPlan {
    /// Computes a case from the template of the model; a failure is a row with its reason. `None` if it was stopped.
    pub fn compute(
        &self,
        template: &ModelTemplate<'_>,
        values: &[CaseValue],
        stop: &AtomicBool,
    ) -> Option<StudyRow> {
        let began = Clock::now();
        let key = self.key(values);
        // a case must not end a study of thousands of others
        let found = catch_unwind(AssertUnwindSafe(|| self.results(template, values, stop)));
        let found = found.unwrap_or_else(|cause| {
            let text = cause.downcast_ref::<String>().map(String::as_str);
            let text = text.or(cause.downcast_ref::<&str>().copied()).unwrap_or_default();
            Err(format!("the program failed: {text}"))
        });
        let seconds = began.elapsed().as_secs_f64();
        Some(match found {
            Ok(None) => return None,
            Ok(Some(Computed { quantities, history, remark })) => {
                StudyRow { key, is_failed: false, reason: remark, quantities, seconds, history }
            }
            Err(reason) => self.failed(key, reason, seconds),
        })
    }

    /// The row of a case that failed.
    pub fn failed(&self, key: u128, reason: String, seconds: f64) -> StudyRow {
        let quantities = vec![f64::NAN; self.quantities.len()];
        let reason = reason.chars().take(MAX_REASON).collect();
        StudyRow { key, is_failed: true, reason, quantities, seconds, history: None }
    }

    fn results(
        &self,
        template: &ModelTemplate<'_>,
        values: &[CaseValue],
        stop: &AtomicBool,
    ) -> Result<Option<Computed>, String> {
        let varied = self.design.parameters().iter().map(|parameter| &parameter.name).zip(values);
        let all: Vec<(&String, &CaseValue)> =
            self.fixed.iter().map(|(name, value)| (name, value)).chain(varied).collect();
        let of_model = all.iter().filter(|(name, _)| !is_setting(name));
        let set: Vec<(String, String)> =
            of_model.map(|(name, value)| ((*name).clone(), value.to_string())).collect();
        let (mut file, start) = self.assembled(template, set)?;
        let mut spin = Vector3::zeros();
        // a method determines which of the other settings apply
        let is_method = |name: &str| name == "simulation.method";
        let (first, rest): (Vec<_>, Vec<_>) =
            all.into_iter().filter(|(name, _)| is_setting(name)).partition(|x| is_method(x.0));
        for (name, value) in first.iter().chain(&rest) {
            apply(&mut file, &mut spin, name, value)?;
        }
        self.select_channels(&mut file);
        let mut numbers = file.parameters.clone();
        for (name, value) in first.iter().chain(&rest) {
            if let CaseValue::Number(x) = value {
                numbers.push(((*name).clone(), *x));
            }
        }
        match self.manifest.analysis {
            CaseAnalysis::Run => self.motion(&file, &start, numbers, stop),
            CaseAnalysis::Static => self.equilibrium(&file, &start, &numbers).map(Some),
            CaseAnalysis::Modes | CaseAnalysis::StaticModes => {
                self.frequencies(&file, start, spin, &numbers).map(Some)
            }
        }
    }

    /// The model of a case, assembled. Settings have no effect on it: if only they vary, the cases of a thread share it.
    fn assembled(
        &self,
        template: &ModelTemplate<'_>,
        set: Vec<(String, String)>,
    ) -> Result<(ModelFile, AssembledMechanism), String> {
        let assemble = || {
            let file = template.read(&set).map_err(text)?;
            let start = file.assemble().map_err(text)?;
            Ok((file, start))
        };
        if !self.design.parameters().iter().any(|parameter| is_setting(&parameter.name)) {
            return assemble();
        }
        LAST_MODEL.with_borrow_mut(|last| match last {
            Some((identity, known, model)) if *known == set && identity == self.identity() => {
                Ok(model.clone())
            }
            _ => {
                let model = assemble()?;
                *last = Some((self.identity().into(), set.clone(), model.clone()));
                Ok(model)
            }
        })
    }

    fn motion(
        &self,
        file: &ModelFile,
        start: &AssembledMechanism,
        mut numbers: Vec<(String, f64)>,
        stop: &AtomicBool,
    ) -> Result<Option<Computed>, String> {
        let schedule = file.schedule().map_err(text)?;
        let mut request = RunRequest::new(Path::new(""));
        (request.has_motion, request.has_state) = (false, false);
        let limit = self.manifest.time_limit.map(Duration::try_from_secs_f64);
        request.limits.time = limit.transpose().map_err(|_| "`time-limit` must be positive")?;
        let go_on = |_: &cardan::run::RunProgress| !stop.load(Ordering::Relaxed);
        let run = run_in_memory(file, &schedule, start, &request, &mut { go_on }).map_err(text)?;
        let summary = &run.summary;
        if summary.status != RunStatus::Completed {
            return match (&summary.failure, stop.load(Ordering::Relaxed)) {
                (None, true) => Ok(None),
                (Some(_), true) if summary.status == RunStatus::Interrupted => Ok(None),
                (Some(reason), _) => Err(reason.clone()),
                (None, false) => Err("the run was interrupted".into()),
            };
        }
        let of_run = [
            summary.energy_drift,
            summary.wall_seconds,
            summary.steps as f64,
            summary.newton_iterations as f64,
        ];
        let of_run = RUN_NUMBERS.iter().zip(of_run);
        numbers.extend(of_run.map(|((name, _), x)| ((*name).to_string(), x)));
        let names: Vec<String> = summary.columns.iter().map(|column| column.name.clone()).collect();
        let events: Vec<(f64, String)> =
            summary.events.iter().map(|event| (event.time, event.name.clone())).collect();
        let results = CaseResults {
            numbers: &numbers,
            names: &names,
            columns: &run.columns,
            modes: &[],
            has_more_events: summary.event_count > events.len() as u64,
            events: &events,
        };
        let mut computed = self.evaluate(&results)?;
        if !self.manifest.histories.is_empty() {
            computed.history = Some(self.history(&names, &run.columns));
        }
        Ok(Some(computed))
    }

    /// The channels over time that are kept.
    fn history(&self, names: &[String], columns: &[Vec<f64>]) -> CaseHistory {
        let is_kept = |name: &str| {
            self.manifest.histories.iter().any(|wanted| {
                let rest = name.strip_prefix(wanted.as_str());
                rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
                    || cardan::results::matches(wanted, name)
            })
        };
        let kept: Vec<usize> =
            (0..names.len()).filter(|k| *k == 0 || is_kept(&names[*k])).collect();
        CaseHistory {
            names: kept.iter().map(|k| names[*k].clone()).collect(),
            columns: kept.iter().map(|k| columns[*k].clone()).collect(),
        }
    }

    fn equilibrium(
        &self,
        file: &ModelFile,
        start: &AssembledMechanism,
        numbers: &[(String, f64)],
    ) -> Result<Computed, String> {
        let found = start.equilibrium(&StaticOptions::default()).map_err(text)?;
        let at = found.last().ok_or("no equilibrium was found")?;
        self.at_rest(file, start, at, numbers, &[])
    }

    /// The quantities of one instant.
    fn at_rest(
        &self,
        file: &ModelFile,
        start: &AssembledMechanism,
        at: &Instant,
        numbers: &[(String, f64)],
        modes: &[[f64; 2]],
    ) -> Result<Computed, String> {
        let mut recorder = recorder(file, start).map_err(text)?;
        let names: Vec<String> =
            recorder.columns().iter().map(|column| column.name.clone()).collect();
        let row = recorder.at_rest(&start.model, at);
        let columns: Vec<Vec<f64>> = row.iter().map(|x| vec![*x]).collect();
        self.evaluate(&CaseResults {
            numbers,
            names: &names,
            columns: &columns,
            modes,
            events: &[],
            has_more_events: false,
        })
    }

    fn frequencies(
        &self,
        file: &ModelFile,
        mut start: AssembledMechanism,
        spin: Vector3,
        numbers: &[(String, f64)],
    ) -> Result<Computed, String> {
        let at = match self.manifest.analysis == CaseAnalysis::StaticModes {
            true => {
                let options = StaticOptions { spin, ..StaticOptions::default() };
                let found = start.equilibrium(&options).map_err(text)?;
                found.last().cloned().ok_or("no equilibrium was found")?
            }
            false if spin != Vector3::zeros() => {
                return Err("`modes.spin` needs analysis = \"static-modes\"".into());
            }
            false => consistent(&start, &start.initial)?,
        };
        let options = ModesOptions {
            count: self.manifest.modes.unwrap_or(MODES),
            observer: start.model.observer(spin),
        };
        start.model = start.model.with_rotating_ground(spin).into();
        let modes = Modes::new(&start.model, &at, &options).map_err(text)?;
        let pairs: Vec<[f64; 2]> = modes
            .modes
            .iter()
            .map(|mode| [mode.frequency() / std::f64::consts::TAU, mode.damping_ratio()])
            .collect();
        self.at_rest(file, &start, &at, numbers, &pairs)
    }

    fn evaluate(&self, results: &CaseResults<'_>) -> Result<Computed, String> {
        let mut quantities = Vec::with_capacity(self.quantities.len());
        let mut unusable = Vec::new();
        for (name, formula) in &self.quantities {
            let value = formula.value(results).map_err(|reason| format!("{name}: {reason}"))?;
            if value.is_nan() {
                unusable.push(format!("`{name}` is not a number"));
            }
            // all NaN have the same bits in the table
            quantities.push(if value.is_nan() { f64::NAN } else { value });
        }
        Ok(Computed { quantities, history: None, remark: unusable.join(", ") })
    }
}

/// The instant of initial values, with accelerations and multipliers.
fn consistent(start: &AssembledMechanism, initial: &InitialValues) -> Result<Instant, String> {
    let settings = Settings::new("generalized-alpha", 1e-3);
    Ok(Simulation::new(&start.model, &settings, initial).map_err(text)?.now().clone())
}

fn text(error: impl std::fmt::Display) -> String {
    error.to_string()
}
