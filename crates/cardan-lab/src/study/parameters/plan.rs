//! A study that is ready to be computed: its model with all files, its cases and its quantities.

use std::path::Path;

use cardan::file::{Located, ModelFile, SourceFile};
use cardan::output::{bytes_sha256, fingerprint};
use cardan::suggestion;
use serde::{Deserialize, Serialize};
use serde_json::json;

use super::design::{Design, DesignKind, VariedParameter};
use super::distribution::{CaseValue, read_values};
use super::formula::StudyFormula;
use super::manifest::{CaseAnalysis, StudyManifest};
use super::settings::is_setting;
use crate::error::LabError;
use crate::examples;

/// Names of numbers of a run that formulas may contain.
pub const RUN_NUMBERS: [&str; 4] = ["drift", "wall_time", "steps", "newton_iterations"];

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
        let place = |error: LabError| LabError {
            message: format!("{}: {}", path.display(), error.message),
            ..error
        };
        let name = manifest.model.clone().ok_or_else(|| {
            place(LabError::input("`model` is missing\n  try: model = \"pendulum.toml\""))
        })?;
        let beside = path.parent().unwrap_or(Path::new("")).join(&name);
        let model = match beside.is_file() {
            true => StudyModel::read(&beside),
            false => StudyModel::read(Path::new(&name)),
        };
        Self::new(manifest, model?, program).map_err(place)
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
            .map(|(path, bytes)| SourceFile { path: path.clone(), bytes: bytes.as_slice().into() })
            .collect();
        let base = ModelFile::restore(&model.name, &model.text, &[], files.clone())?;
        let known: Vec<&str> = base.parameters.iter().map(|(name, _)| name.as_str()).collect();
        let check = |name: &str| match is_setting(name) || known.contains(&name) {
            true => Ok(()),
            false => {
                let hint = match suggestion::nearest(name, known.iter().copied()) {
                    Some(nearest) => format!("did you mean `{nearest}`?"),
                    None if known.is_empty() => "the model has no [parameters]".into(),
                    None => format!("there are {}", known.join(", ")),
                };
                Err(LabError::input(format!("the model has no parameter `{name}`; {hint}")))
            }
        };
        let mut fixed = Vec::new();
        for (name, value) in &manifest.set {
            check(name)?;
            let value = value
                .clone()
                .try_into()
                .map_err(|_| LabError::input(format!("[set] {name} must be a number or a text")))?;
            fixed.push((name.clone(), value));
        }
        let mut parameters = Vec::new();
        for (name, written) in &manifest.parameters {
            check(name)?;
            if manifest.set.contains_key(name) {
                return Err(LabError::input(format!("`{name}` is in [set] and in [parameters]")));
            }
            let (values, base_value) = read_values(name, written)?;
            let own = base.parameters.iter().find(|(known, _)| known == name);
            let base = base_value.or(own.map(|(_, x)| CaseValue::Number(*x)));
            parameters.push(VariedParameter { name: name.clone(), values, base });
        }
        let kind = manifest.design.unwrap_or(DesignKind::Grid);
        let design = Design::new(kind, parameters, manifest.samples, manifest.seed)?;
        let quantities = quantities(&manifest)?;
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
        plan.find_channels(&base)?;
        Ok(plan)
    }

    /// The channels that are needed. They are checked if the model can be assembled without the values of a case.
    fn find_channels(&mut self, base: &ModelFile) -> Result<(), LabError> {
        let is_number = |name: &str| {
            let own = base.parameters.iter().any(|(known, _)| known == name);
            own || ["t", "time"].contains(&name) || is_setting(name) || RUN_NUMBERS.contains(&name)
        };
        let names = self.quantities.iter().flat_map(|(_, formula)| formula.names());
        let needed = names.filter(|name| !is_number(name)).map(String::from);
        for name in needed.chain(self.manifest.histories.iter().cloned()) {
            if !self.channels.contains(&name) {
                self.channels.push(name);
            }
        }
        let is_run = self.manifest.analysis == CaseAnalysis::Run;
        if !is_run && !self.manifest.histories.is_empty() {
            return Err(LabError::input("`histories` are those of a motion: analysis = \"run\""));
        }
        let mut base = base.clone();
        self.select_channels(&mut base);
        if let Ok(start) = base.assemble() {
            cardan::run::recorder(&base, &start)?;
        }
        Ok(())
    }

    /// Records only what the study needs.
    pub(super) fn select_channels(&self, file: &mut ModelFile) {
        let channels = self.channels.iter().cloned().map(Located::outside).collect();
        file.output.channels = Some(channels);
        file.output.snapshots.clear();
    }

    /// The model with values of parameters.
    pub(super) fn model(
        &self,
        set: &[(String, String)],
    ) -> Result<ModelFile, cardan::file::Diagnostics> {
        ModelFile::restore(&self.model.name, &self.model.text, set, self.files.clone())
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

/// The formulas of the manifest.
fn quantities(manifest: &StudyManifest) -> Result<Vec<(String, StudyFormula)>, LabError> {
    let mut found = Vec::new();
    for (name, text) in &manifest.quantities {
        let text = text.as_str().ok_or_else(|| {
            LabError::input(format!("[quantities] {name} must be a formula in quotes"))
        })?;
        if OWN_COLUMNS.contains(&name.as_str()) || manifest.parameters.contains_key(name) {
            return Err(LabError::input(format!(
                "[quantities] {name}: this is the name of another column\n  try: another name"
            )));
        }
        let formula = StudyFormula::parse(text)
            .map_err(|error| LabError::input(format!("[quantities] {name} = {}", error.message)))?;
        let has_modes =
            matches!(manifest.analysis, CaseAnalysis::Modes | CaseAnalysis::StaticModes);
        if formula.needs_modes() && !has_modes {
            return Err(LabError::input(format!(
                "[quantities] {name}: there are no modes\n  try: analysis = \"modes\""
            )));
        }
        found.push((name.clone(), formula));
    }
    if found.is_empty() && manifest.histories.is_empty() {
        let message = "the study has no [quantities] and no `histories`\n  try: peak = \"max(abs(arm.angle))\"";
        return Err(LabError::input(message));
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
