//! Beams and trusses as the file describes them.

use crate::model::Dimension;
use toml::de::DeValue;

use super::diagnostic::Diagnostic;
use super::entry::{Entry, find, items, words};
use super::force::six;
use super::scope::{Scope, TomlNode};
use crate::model::{Beam, BeamForm, Material, PathPoint, Profile, Section, Truss};
use cardan_core::math::{Chart, Vector3};
use cardan_core::suggestion;

/// A beam.
pub(super) fn beam(entry: &Entry<'_>) -> Option<Beam> {
    let (name, dimension) = (&entry.name, entry.scope.reader.dimension);
    // everything is read, so that all problems are found at once
    let section = section(entry, dimension).unwrap_or_else(|| Section::new([1.0; 6]));
    let beam = match dimension {
        Dimension::Plane => Beam::planar(name, section),
        Dimension::Space => Beam::new(name, section),
    };
    let mut beam = path(entry, &beam).unwrap_or(beam);
    if let Some(counts) = entry.get("elements").and_then(|node| elements(entry, node)) {
        beam = beam.elements_each(&counts);
    }
    if let Some(nodes) = entry.get("nodes").and_then(|node| entry.scope.count(node)) {
        beam = beam.nodes(usize::try_from(nodes).unwrap_or(usize::MAX));
    }
    if let Some(word) = entry.word("form") {
        let form = BeamForm::ALL.iter().find(|(known, _)| *known == word);
        beam = beam.form(form.map_or(BeamForm::default(), |(_, form)| *form));
    }
    if entry.word("rotations").as_deref() == Some("cayley") {
        beam = beam.chart(Chart::Cayley);
    }
    if entry.word("lumping").as_deref() == Some("volumes") {
        beam = beam.volumes();
    }
    if entry.flag("residual_flexibility") == Some(true) {
        beam = beam.residual_flexibility();
    }
    if let Some(across) = entry.direction("axis_2") {
        beam = beam.axis_2(across);
    }
    if let Some(offset) = entry.get("offset").and_then(|node| section_pair(entry, node)) {
        beam = beam.offset(offset);
    }
    if let Some(velocity) = entry.vector("velocity") {
        beam = beam.velocity(velocity);
    }
    let omega = entry.get("angular_velocity").and_then(|node| match dimension {
        Dimension::Plane => entry.scope.number(node).map(|omega| Vector3::new(0.0, 0.0, omega)),
        Dimension::Space => entry.scope.vector(node),
    });
    if let Some(omega) = omega {
        beam = beam.angular_velocity(omega.into());
    }
    for (station, span, node) in entry.items("points").unwrap_or_default() {
        let (Some(name), Some(at)) = (entry.scope.name(station, span), entry.scope.number(node))
        else {
            continue;
        };
        beam = beam.station(&name, at);
    }
    Some(beam)
}

/// Two numbers along axes 2 and 3; in the plane one.
fn section_pair<'a>(entry: &Entry<'a>, node: &'a TomlNode<'a>) -> Option<[f64; 2]> {
    match entry.scope.reader.dimension == Dimension::Plane && !node.get_ref().is_array() {
        true => Some([entry.scope.number(node)?, 0.0]),
        false => entry.scope.numbers::<2>(node, "two numbers, along the section's axes 2 and 3"),
    }
}

fn path(entry: &Entry<'_>, beam: &Beam) -> Option<Beam> {
    let scope = &entry.scope;
    let mut beam = beam.clone();
    entry.exclude("path", "curve");
    if let Some(node) = entry.get("curve") {
        let (start, end) = (entry.text("start"), entry.text("end"));
        return Some(beam.curve(scope.curve(node)?, start.as_deref(), end.as_deref()));
    }
    for key in ["start", "end"] {
        if let Some(node) = find(entry.table, key) {
            let message =
                format!("`{key}` belongs to a `curve`; in a `path` name the point itself");
            scope.reader.note::<()>(Diagnostic::at(node.span(), message));
        }
    }
    let Some(node) = entry.get("path") else {
        let message = format!("beam `{}` has neither a `path` nor a `curve`", entry.name);
        let help = "such as path = [\"ground.wall\", [1, 0, 0]]";
        return scope.reader.note(Diagnostic::at(entry.span.clone(), message).help(help));
    };
    for place in scope.list(node, &[], "a list of places")? {
        beam = beam.through(match place.get_ref() {
            DeValue::String(_) => PathPoint::On(scope.text(place)?.into()),
            _ => PathPoint::At(scope.vector(place)?),
        });
    }
    Some(beam)
}

/// One number for all parts of the path, or one for each.
fn elements<'a>(entry: &Entry<'a>, node: &'a TomlNode<'a>) -> Option<Vec<usize>> {
    let count = |node: &TomlNode<'a>| {
        entry.scope.count(node).map(|count| usize::try_from(count).unwrap_or(usize::MAX))
    };
    if !node.get_ref().is_array() {
        return Some(vec![count(node)?]);
    }
    let list = entry.scope.list(node, &[], "a number of elements for each part of the path")?;
    list.iter().map(count).collect()
}

/// Stiffnesses with masses, or a profile with a material.
pub(super) fn section(entry: &Entry<'_>, dimension: Dimension) -> Option<Section> {
    let mut section = stiffness(entry, dimension);
    let mut set = |change: &dyn Fn(Section) -> Section| section = section.take().map(change);
    let scope = &entry.scope;
    if let Some(mass) = entry.positive("mass") {
        set(&|section| section.mass(mass));
    }
    let inertia = entry.get("inertia").and_then(|node| {
        match dimension == Dimension::Plane && !node.get_ref().is_array() {
            true => scope.number(node).map(|about| [about; 3]),
            false => scope.numbers::<3>(node, "three moments of inertia per length"),
        }
    });
    if let Some(inertia) = inertia {
        set(&|section| section.inertia(inertia));
    }
    if let Some(centre) = entry.get("centre").and_then(|node| section_pair(entry, node)) {
        set(&|section| section.centre(centre));
    }
    match entry.get("damping") {
        Some(node) if node.get_ref().is_array() => {
            if let Some(viscosity) = six(scope, node) {
                set(&|section| section.viscosity(viscosity));
            }
        }
        Some(_) => {
            if let Some(beta) = entry.amount("damping") {
                set(&|section| section.damping(beta));
            }
        }
        None => {}
    }
    section
}

fn stiffness(entry: &Entry<'_>, dimension: Dimension) -> Option<Section> {
    let scope = &entry.scope;
    entry.exclude("profile", "stiffness");
    if let Some(node) = entry.get("profile") {
        let (profile, material) = (profile(scope, node), material(entry));
        return Some(Section::of(&profile?, &material?));
    }
    for key in ["young", "poisson", "density"] {
        if let Some(node) = find(entry.table, key) {
            let message = format!("`{key}` goes with a `profile`, not with stiffnesses");
            scope.reader.note::<()>(Diagnostic::at(node.span(), message));
        }
    }
    let Some(node) = entry.get("stiffness") else {
        let message = format!("beam `{}` has neither `stiffness` nor `profile`", entry.name);
        let help = "stiffness = [EA, GA_2, GA_3, GJ, EJ_2, EJ_3], or profile = { rectangle = [w, h] } \
                    with a material";
        return scope.reader.note(Diagnostic::at(entry.span.clone(), message).help(help));
    };
    match dimension == Dimension::Plane && is_of_three(node) {
        true => {
            let planar = "three numbers, EA, GA and EJ, as the model is planar";
            Some(Section::planar(scope.numbers::<3>(node, planar)?))
        }
        false => Some(Section::full(six(scope, node)?)),
    }
}

fn is_of_three(node: &TomlNode<'_>) -> bool {
    matches!(node.get_ref(), DeValue::Array(list) if list.len() == 3)
}

fn material(entry: &Entry<'_>) -> Option<Material> {
    for key in ["young", "poisson", "density"] {
        if !entry.has(key) {
            let message = format!("beam `{}` has a profile, but no `{key}`", entry.name);
            let help = "a material is young, poisson and density";
            entry.scope.reader.note::<()>(Diagnostic::at(entry.span.clone(), message).help(help));
        }
    }
    let (young, poisson) = (entry.positive("young")?, entry.number("poisson")?);
    if !(-1.0 < poisson && poisson <= 0.5) {
        let node = entry.get("poisson")?;
        let message = format!("Poisson's ratio is {poisson}; it lies between −1 and 1/2");
        return entry.scope.reader.note(Diagnostic::at(node.span(), message));
    }
    Some(Material { young, poisson, density: entry.positive("density")? })
}

/// The outlines of sections with their dimensions.
pub(super) const PROFILES: [(&str, &str); 3] =
    [("rectangle", "[width, height]"), ("circle", "radius"), ("tube", "[outer, inner]")];

fn profile<'a>(scope: &Scope<'a>, node: &'a TomlNode<'a>) -> Option<Profile> {
    let note = |problem| scope.reader.note::<()>(problem);
    let DeValue::Table(table) = node.get_ref() else {
        return scope.unexpected(node, "a table such as { rectangle = [0.02, 0.05] }");
    };
    let all = items(table);
    let [(word, span, value)] = &all[..] else {
        let message = "a profile is one outline";
        let help = "such as { rectangle = [width, height] }, { circle = radius }, { tube = [outer, inner] }";
        note(Diagnostic::at(node.span(), message).help(help));
        return None;
    };
    let positive = |x: f64| match x > 0.0 {
        true => Some(x),
        false => {
            note(Diagnostic::at(value.span(), format!("this is {x}; it must be positive")));
            None
        }
    };
    match *word {
        "rectangle" => {
            let [width, height] = scope.numbers::<2>(value, "a width and a height")?;
            Some(Profile::Rectangle { width: positive(width)?, height: positive(height)? })
        }
        "circle" => Some(Profile::Circle { radius: positive(scope.number(value)?)? }),
        "tube" => {
            let [outer, inner] = scope.numbers::<2>(value, "an outer and an inner radius")?;
            if inner >= outer || inner < 0.0 {
                let message = "a tube's inner radius is smaller than its outer one";
                note(Diagnostic::at(value.span(), message));
                return None;
            }
            Some(Profile::Tube { outer: positive(outer)?, inner })
        }
        other => {
            let known = words(PROFILES.map(|(known, _)| known));
            let problem =
                Diagnostic::at(span.clone(), format!("`{other}` is no profile; there are {known}"));
            let nearest = suggestion::nearest(other, PROFILES.map(|(known, _)| known).into_iter());
            note(problem.with_suggestion(nearest));
            None
        }
    }
}

/// A truss.
pub(super) fn truss(entry: &Entry<'_>) -> Option<Truss> {
    let [one, two] = entry.pair("between")?;
    let mut truss = Truss::new(&entry.name, one, two).stiffness(entry.positive("stiffness")?);
    if let Some(mass) = entry.amount("mass") {
        truss = truss.mass(mass);
    }
    if let Some(length) = entry.positive("length") {
        truss = truss.length(length);
    }
    if entry.word("mass_matrix").as_deref() == Some("consistent") {
        truss = truss.consistent();
    }
    Some(truss)
}
