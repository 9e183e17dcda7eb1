//! A study that is ready to be computed: its model with all files, its cases and its quantities.

use std::path::Path;

use cardan::file::{Diagnostic, Located, ModelFile, ModelTemplate, SourceFile};
use cardan::model::AssembledMechanism;
use cardan::output::{bytes_sha256, fingerprint};
use serde::{Deserialize, Serialize};
use serde_json::json;

use super::analysis::CaseAnalysis;
use super::design::{Design, DesignKind, VariedParameter};
use super::formula::StudyFormula;
use super::manifest::StudyManifest;
use super::problem::StudyProblem;
use super::result_functions::RUN_NUMBERS;
use super::settings::{check_setting, is_setting};
use super::values::{CaseValue, read_values, type_name};
use crate::error::LabError;
use crate::examples;

/// The columns of the table beside parameters and quantities.
pub const OWN_COLUMNS: [&str; 4] = ["case", "status", "reason", "wall_time"];

/// A model as text, with the files it reads: what a study needs of it on any machine.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct StudyModel {
    name: String,
    text: String,
    files: Vec<(String, Vec<u8>)>,
}

impl StudyModel {
    /// Reads a model file or an example.
    pub fn read(path: &Path) -> Result<Self, LabError> {
        Ok(Self::of(&examples::read(path, &[])?))
    }

    /// The model of a file that was read.
    pub fn of(file: &ModelFile) -> Self {
        let files = file.files.iter().map(|file| (file.path.clone(), file.bytes.to_vec()));
        Self {
            name: file.source.name.clone(),
            text: file.source.text.clone(),
            files: files.collect(),
        }
    }
}

/// A study that is ready to be computed.
#[derive(Clone, Debug)]
pub struct StudyPlan {
    /// What the user wrote.
    pub manifest: StudyManifest,
    /// The cases.
    pub design: Design,
    /// The quantities with their names.
    pub quantities: Vec<(String, StudyFormula)>,
    pub(super) fixed: Vec<(String, CaseValue)>,
    /// The channels that quantities and histories need.
    pub(super) channels: Vec<String>,
    model: StudyModel,
    files: Vec<SourceFile>,
    identity: String,
}

impl StudyPlan {
    /// Reads a study file and its model. The program is part of the key of each case.
    pub fn read(path: &Path, program: &str) -> Result<Self, LabError> {
        let manifest = StudyManifest::read(path)?;
        let name = manifest.model.clone().ok_or_else(|| {
            let problem = StudyProblem::new("the study has no `model`");
            manifest.error(problem.help("model = \"pendulum.toml\""))
        })?;
        let beside = path.parent().unwrap_or(Path::new("")).join(&name);
        let model = match beside.is_file() {
            true => StudyModel::read(&beside)?,
            // what cannot be read as a model is a problem of the model; what does not exist is one of the study
            false if Path::new(&name).is_file() => StudyModel::read(Path::new(&name))?,
            false => StudyModel::read(Path::new(&name)).map_err(|_| {
                let message = format!("there is no model file and no example `{name}`");
                let problem = StudyProblem::new(message).at(&["model"]);
                manifest
                    .error(problem.among(&name, examples::EXAMPLES.iter().map(|(name, _)| *name)))
            })?,
        };
        Self::new(manifest, model, program)
    }

    /// Plans a study of a model.
    pub fn new(
        manifest: StudyManifest,
        model: StudyModel,
        program: &str,
    ) -> Result<Self, LabError> {
        let files: Vec<SourceFile> = model
            .files
            .iter()
            .map(|(path, bytes)| SourceFile::new(path.as_str(), bytes.as_slice().into()))
            .collect();
        let base = ModelFile::restore(&model.name, &model.text, &[], files.clone())?;
        let planned = parameters(&manifest, &base).and_then(|(fixed, parameters)| {
            let kind = manifest.design.unwrap_or(DesignKind::Grid);
            let design = Design::new(kind, parameters, manifest.samples, manifest.seed)?;
            Ok((fixed, design, quantities(&manifest)?))
        });
        let (fixed, design, quantities) = planned.map_err(|problem| manifest.error(problem))?;
        let mut plan = Self {
            channels: Vec::new(),
            identity: identity(&manifest, &model, program),
            manifest,
            design,
            quantities,
            fixed,
            model,
            files,
        };
        plan.find_channels(&base).map_err(|problem| plan.manifest.error(problem))?;
        Ok(plan)
    }

    /// Finds the channels that are needed. Channels and events are checked if the model can be assembled without the
    /// values of a case.
    fn find_channels(&mut self, base: &ModelFile) -> Result<(), StudyProblem> {
        let is_number = |name: &str| {
            let own = base.parameters.iter().any(|(known, _)| known == name);
            let of_run = || RUN_NUMBERS.iter().any(|(known, _)| *known == name);
            own || ["t", "time"].contains(&name) || is_setting(name) || of_run()
        };
        // each channel with the keys and the word that name it
        let mut needed: Vec<(String, Vec<&str>)> = Vec::new();
        for (quantity, formula) in &self.quantities {
            for name in formula.names().into_iter().filter(|name| !is_number(name)) {
                needed.push((name.into(), vec!["quantities", quantity]));
            }
        }
        needed.extend(self.manifest.histories.iter().map(|name| (name.clone(), vec!["histories"])));
        if self.manifest.analysis != CaseAnalysis::Run {
            if !self.manifest.histories.is_empty() {
                let problem = StudyProblem::new("`histories` are those of a motion");
                return Err(problem.at_key(&["histories"]).help("analysis = \"run\""));
            }
            if let Some((name, _)) = self.quantities.iter().find(|(_, x)| !x.events().is_empty()) {
                let problem = StudyProblem::new("events are those of a motion");
                return Err(problem.at(&["quantities", name]).help("analysis = \"run\""));
            }
        }
        if let Ok(start) = base.assemble() {
            for (name, keys) in &needed {
                check_channel(base, &start, name).map_err(|problem| problem.at(keys).word(name))?;
            }
            let known = start.model.event_names();
            for (quantity, formula) in &self.quantities {
                if let Some(name) = formula.events().into_iter().find(|name| !known.contains(name))
                {
                    let problem = StudyProblem::new(format!("the model has no event `{name}`"));
                    let problem = problem.at(&["quantities", quantity]).word(name);
                    return Err(problem.among(name, known.iter().copied()));
                }
            }
        }
        for (name, _) in needed {
            if !self.channels.contains(&name) {
                self.channels.push(name);
            }
        }
        Ok(())
    }

    /// Records only what the study needs.
    pub(super) fn select_channels(&self, file: &mut ModelFile) {
        let channels = self.channels.iter().cloned().map(Located::outside).collect();
        file.output.channels = Some(channels);
        file.output.snapshots.clear();
    }

    /// The model, parsed once for all cases. Parts that depend on no varied value are read once.
    pub fn template(&self) -> Result<ModelTemplate<'_>, LabError> {
        let StudyModel { name, text, .. } = &self.model;
        let set: Vec<(String, String)> = self
            .fixed
            .iter()
            .filter(|(name, _)| !is_setting(name))
            .map(|(name, value)| (name.clone(), value.to_string()))
            .collect();
        Ok(ModelTemplate::new(name, text, &set, self.files.clone())?)
    }

    /// The name of the model file.
    pub(super) fn model_name(&self) -> &str {
        &self.model.name
    }

    /// A hash of everything but the values of a case that its results depend on.
    pub(super) fn identity(&self) -> &str {
        &self.identity
    }

    /// The key of a case: a hash of everything that its results depend on.
    pub fn key(&self, values: &[CaseValue]) -> u128 {
        let mut text = self.identity.clone();
        for (parameter, value) in self.design.parameters().iter().zip(values) {
            text += &format!("\n{} = {value:?}", parameter.name);
        }
        let digest = bytes_sha256(text.as_bytes());
        u128::from_str_radix(&digest[..32], 16).unwrap_or(0)
    }

    /// The plan as bytes, for a worker on another machine.
    pub fn pack(&self) -> Result<Vec<u8>, LabError> {
        let manifest = serde_json::to_string(&self.manifest);
        let manifest = manifest.map_err(|error| LabError::input(error.to_string()))?;
        rmp_serde::to_vec(&(manifest, &self.model))
            .map_err(|error| LabError::input(error.to_string()))
    }

    /// The plan that was packed, with the key of the worker's program.
    pub fn unpack(bytes: &[u8], program: &str) -> Result<Self, LabError> {
        let (manifest, model): (String, StudyModel) = rmp_serde::from_slice(bytes)
            .map_err(|error| LabError::input(format!("this is not a packed study: {error}")))?;
        Self::new(StudyManifest::from_json(&manifest)?, model, program)
    }
}

/// A problem if the model has no such channel.
fn check_channel(
    base: &ModelFile,
    start: &AssembledMechanism,
    name: &str,
) -> Result<(), StudyProblem> {
    let mut file = base.clone();
    file.output.channels = Some(vec![Located::outside(name.to_string())]);
    match cardan::run::recorder(&file, start) {
        Ok(_) => Ok(()),
        Err(found) => Err(match found.list.into_iter().next() {
            Some(Diagnostic { message, help, .. }) => {
                StudyProblem { help, ..StudyProblem::new(message) }
            }
            None => StudyProblem::new(format!("there is no channel `{name}`")),
        }),
    }
}

/// Names with the value that is the same in all cases, and the parameters that vary.
type PlannedValues = (Vec<(String, CaseValue)>, Vec<VariedParameter>);

/// The values of the manifest.
fn parameters(manifest: &StudyManifest, base: &ModelFile) -> Result<PlannedValues, StudyProblem> {
    let known: Vec<&str> = base.parameters.iter().map(|(name, _)| name.as_str()).collect();
    let check = |section: &str, name: &str| {
        let checked = match is_setting(name) {
            true => check_setting(name),
            false if known.contains(&name) => Ok(()),
            false => Err(StudyProblem::new(format!("the model has no parameter `{name}`"))
                .among(name, known.iter().copied())),
        };
        checked.map_err(|problem| problem.at_key(&[section, name]))
    };
    let mut fixed = Vec::new();
    for (name, value) in &manifest.set {
        check("set", name)?;
        let value = value.clone().try_into().map_err(|_| {
            let message = format!("`{name}` must be a number or a text, not {}", type_name(value));
            StudyProblem::new(message).at(&["set", name])
        })?;
        fixed.push((name.clone(), value));
    }
    let mut parameters = Vec::new();
    for (name, written) in &manifest.parameters {
        check("parameters", name)?;
        if manifest.set.contains_key(name) {
            let problem = StudyProblem::new(format!("`{name}` is in [set] and in [parameters]"));
            return Err(problem.at_key(&["parameters", name]));
        }
        let (values, base_value) = read_values(name, written)?;
        let own = base.parameters.iter().find(|(known, _)| known == name);
        let base = base_value.or(own.map(|(_, x)| CaseValue::Number(*x)));
        parameters.push(VariedParameter { name: name.clone(), values, base });
    }
    Ok((fixed, parameters))
}

/// The formulas of the manifest.
fn quantities(manifest: &StudyManifest) -> Result<Vec<(String, StudyFormula)>, StudyProblem> {
    let mut found = Vec::new();
    for (name, text) in &manifest.quantities {
        let at = |problem: StudyProblem| problem.at(&["quantities", name]);
        let text = text.as_str().ok_or_else(|| {
            let message = format!("`{name}` must be a formula in quotes, not {}", type_name(text));
            at(StudyProblem::new(message))
        })?;
        if OWN_COLUMNS.contains(&name.as_str()) || manifest.parameters.contains_key(name) {
            let problem = StudyProblem::new(format!("`{name}` is the name of another column"));
            return Err(problem.at_key(&["quantities", name]).help("another name"));
        }
        let formula = StudyFormula::parse(text).map_err(at)?;
        if formula.needs_modes() && !manifest.analysis.has_modes() {
            let problem = StudyProblem::new("there are no modes");
            return Err(at(problem).help("analysis = \"modes\""));
        }
        found.push((name.clone(), formula));
    }
    if found.is_empty() && manifest.histories.is_empty() {
        let problem = StudyProblem::new("the study has no [quantities] and no `histories`");
        return Err(problem.at_key(&["quantities"]).help("peak = \"max(abs(arm.angle))\""));
    }
    Ok(found)
}

/// Everything but the values of a case that its results depend on.
fn identity(manifest: &StudyManifest, model: &StudyModel, program: &str) -> String {
    let digest = |(path, bytes): &(String, Vec<u8>)| json!([path, bytes_sha256(bytes)]);
    let about = json!({
        "program": program,
        "text": model.text,
        "files": model.files.iter().map(digest).collect::<Vec<_>>(),
        "analysis": manifest.analysis,
        "modes": manifest.modes,
        "time_limit": manifest.time_limit,
        "set": manifest.set,
        "quantities": manifest.quantities,
        "histories": manifest.histories,
    });
    fingerprint(&about.to_string())
}
