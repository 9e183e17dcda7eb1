//! Flexible bodies in floating frames as the file describes them.

use crate::model::Dimension;
use std::path::Path;

use toml::de::DeValue;

use super::beam::section;
use super::body::with_rotation;
use super::diagnostic::Diagnostic;
use super::entry::Entry;
use crate::model::{
    BeamModes, Body, FiniteElements, FlexibleBody, Interface, ModalBasis, ReductionError,
    ReductionInput, Support,
};

/// A flexible body, as far as it could be read.
pub(super) fn flexible(entry: &Entry<'_>) -> Option<FlexibleBody> {
    let dimension = entry.scope.reader.dimension;
    let is_beam = entry.variant?.name == "beam";
    let modal = if is_beam { beam(entry) } else { finite_elements(entry) };
    // everything is read, so that all problems are found at once
    let mut frame = match dimension {
        Dimension::Plane => Body::planar(&entry.name),
        Dimension::Space => Body::spatial(&entry.name),
    };
    frame = with_rotation(entry, frame, dimension);
    if let Some(position) = entry.vector("position") {
        frame = frame.position(position);
    }
    if let Some(velocity) = entry.vector("velocity") {
        frame = frame.velocity(velocity);
    }
    if let Some(weight) = entry.positive("assembly_weight") {
        frame = frame.assembly_weight(weight);
    }
    let damping = entry.amount("damping");
    let (amplitudes, rates) = (entry.list("amplitudes"), entry.list("rates"));
    let mut modal = modal?;
    if let Some(ratio) = damping {
        modal = modal.damping_ratio(ratio);
    }
    let modes = modal.modes();
    let mut flexible = FlexibleBody::in_frame(frame, modal);
    for (key, list) in [("amplitudes", &amplitudes), ("rates", &rates)] {
        if let (Some(list), Some(node)) = (list, entry.get(key))
            && list.len() > modes
        {
            let message = format!("there are {} numbers, but {modes} modes", list.len());
            return entry.scope.reader.note(Diagnostic::at(node.span(), message));
        }
    }
    for k in 0..modes {
        let of = |list: &Option<Vec<f64>>| list.as_ref().and_then(|x| x.get(k).copied());
        flexible =
            flexible.amplitude(k + 1, of(&amplitudes).unwrap_or(0.0), of(&rates).unwrap_or(0.0));
    }
    Some(flexible)
}

/// Analytic modes of a straight beam.
fn beam(entry: &Entry<'_>) -> Option<ModalBasis> {
    let dimension = entry.scope.reader.dimension;
    let (length, section) = (entry.positive("length"), section(entry, dimension));
    let count = |key: &str| {
        let count = entry.get(key).and_then(|node| entry.scope.count(node)).unwrap_or(0);
        usize::try_from(count).unwrap_or(usize::MAX)
    };
    let (bending, axial, torsion) = (count("modes"), count("axial"), count("torsion"));
    if dimension == Dimension::Plane
        && let (true, Some(node)) = (torsion > 0, entry.get("torsion"))
    {
        let message = "a planar beam does not twist";
        return entry.scope.reader.note(Diagnostic::at(node.span(), message));
    }
    if bending.saturating_add(axial).saturating_add(torsion) > MAX_MODES {
        let message =
            format!("these are more than {MAX_MODES} modes; at most {MAX_MODES} are possible");
        let span = entry.get("modes").map_or(entry.span.clone(), |node| node.span());
        return entry.scope.reader.note(Diagnostic::at(span, message));
    }
    let word = entry.word("support");
    let support = word.and_then(|word| Support::ALL.into_iter().find(|(known, _)| *known == word));
    let mut points = Vec::new();
    for (point, span, node) in entry.items("points").unwrap_or_default() {
        let (Some(name), Some(at)) = (entry.scope.name(point, span), entry.scope.number(node))
        else {
            continue;
        };
        if !(0.0..=1.0).contains(&at) {
            let message = format!("this is {at}; points lie between 0 (the start) and 1 (the end)");
            entry.scope.reader.note::<()>(Diagnostic::at(node.span(), message));
        }
        points.push((name, at));
    }
    let (length, section) = (length?, section?);
    let given = BeamModes::of_section(length, &section);
    let key = if entry.has("profile") { "profile" } else { "stiffness" };
    let lacks = match () {
        () if bending > 0 && given.bending_stiffness[0] <= 0.0 => Some("bending"),
        () if bending > 0 && dimension == Dimension::Space && given.bending_stiffness[1] <= 0.0 => {
            Some("bending")
        }
        () if axial > 0 && given.axial_stiffness <= 0.0 => Some("axial"),
        () if torsion > 0 && given.torsional_stiffness <= 0.0 => Some("torsional"),
        () => None,
    };
    if let (Some(what), Some(node)) = (lacks, entry.get(key)) {
        let message = format!("its {what} stiffness must be positive, for it has such modes");
        return entry.scope.reader.note(Diagnostic::at(node.span(), message));
    }
    if let (true, Some(node)) = (given.inertia.iter().any(|x| *x < 0.0), entry.get("inertia")) {
        let message = "moments of inertia cannot be negative";
        return entry.scope.reader.note(Diagnostic::at(node.span(), message));
    }
    if let (true, Some(node)) = (torsion > 0 && given.inertia[0] == 0.0, entry.get("torsion")) {
        let message = "torsional modes need an `inertia` about the axis, which turns with them";
        return entry.scope.reader.note(Diagnostic::at(node.span(), message));
    }
    let modes = BeamModes {
        bending: [bending, if dimension == Dimension::Plane { 0 } else { bending }],
        axial,
        torsion,
        support: support.map_or(Support::default(), |(_, support)| support),
        points,
        ..given
    };
    Some(modes.body())
}

/// The largest number of modes of one kind.
const MAX_MODES: usize = 100;

/// A reduced finite element model.
fn finite_elements(entry: &Entry<'_>) -> Option<ModalBasis> {
    let scope = &entry.scope;
    let paths = ["mass_matrix", "stiffness_matrix", "nodes"].map(|key| entry.file(key));
    let modes = entry.get("modes").and_then(|node| scope.count(node)).unwrap_or(0);
    let mut interfaces: Vec<Interface> = Vec::new();
    for (name, span, node) in entry.items("interfaces").unwrap_or_default() {
        let Some(name) = scope.name(name, span) else { continue };
        let count = |node| scope.count(node).map(|x| usize::try_from(x).unwrap_or(usize::MAX));
        let nodes: Option<Vec<usize>> = match node.get_ref() {
            DeValue::Array(list) => list.iter().map(count).collect(),
            _ => count(node).map(|x| vec![x]),
        };
        interfaces.push((name, nodes?));
    }
    let [Some(mass), Some(stiffness), Some(nodes)] = paths else { return None };
    let dimension = scope.reader.dimension;
    let modes = usize::try_from(modes).unwrap_or(usize::MAX).min(MAX_MODES * 10);
    let matrix = |path: &Path| scope.reader.files.matrix(path).map_err(ReductionError::from);
    // in the order of the keys, so that the first file with a mistake is named
    let read = || {
        let places = (matrix(&nodes)?, nodes.display().to_string());
        FiniteElements::of_matrices(&matrix(&mass)?, &matrix(&stiffness)?, &places, dimension)
    };
    let reduced = read().and_then(|model| model.reduce(&interfaces, modes));
    match reduced {
        Ok(modal) => Some(modal),
        Err(error) => {
            let is_file = |path: &Path, file: &str| path.display().to_string() == file;
            let key = match &error {
                ReductionError::File(cause) if is_file(&mass, &cause.file) => "mass_matrix",
                ReductionError::File(cause) if is_file(&stiffness, &cause.file) => {
                    "stiffness_matrix"
                }
                ReductionError::File(_) => "nodes",
                ReductionError::Value { input, .. } => match input {
                    ReductionInput::Mass => "mass_matrix",
                    ReductionInput::Stiffness => "stiffness_matrix",
                    ReductionInput::Nodes => "nodes",
                    ReductionInput::Interfaces => "interfaces",
                    ReductionInput::Modes => "modes",
                },
            };
            let span = entry.get(key).map_or(entry.span.clone(), |node| node.span());
            scope.reader.note(Diagnostic::at(span, error.to_string()))
        }
    }
}
