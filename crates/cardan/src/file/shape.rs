//! Shapes of bodies as the file describes them.

use std::ops::Range;
use std::sync::Arc;

use toml::de::{DeTable, DeValue};

use super::diagnostic::Diagnostic;
use super::entry::{Entry, find, items, words};
use super::orientation::orientation;
use super::scope::{Scope, TomlNode};
use crate::model::{Body, Dimension, InertiaError};
use crate::solid::{
    BodyShape, Colour, Inertia, MAX_SURFACE_BYTES, SHAPE_KINDS, Shape, ShapeFault, ShapeInfo,
    ShapeInput, ShapeValue, SurfaceMesh,
};
use cardan_core::math::{Quaternion, Vector3};
use cardan_core::suggestion;

/// Keys of every shape, besides those of its kind.
pub(super) const COMMON_KEYS: [&str; 4] = ["position", "orientation", "colour", "density"];
/// The most shapes of a body.
const MAX_SHAPES: usize = 10_000;

/// A shape with its places in the file.
struct LocatedShape {
    shape: BodyShape,
    /// The whole shape, its value, its density.
    span: Range<usize>,
    value: Range<usize>,
    density: Option<Range<usize>>,
}

/// A body with the shapes of its entry, and their mass properties if they give them.
pub(super) fn with_shapes(entry: &Entry<'_>, body: Body) -> Body {
    let reader = entry.scope.reader;
    let before = reader.count();
    let one = entry.get("shape").and_then(|node| shape(&entry.scope, node));
    let several = entry.get("shapes").map(|node| list(&entry.scope, node)).unwrap_or_default();
    if reader.count() > before {
        return body;
    }
    if let Some(one) = one {
        return with_shape(entry, body, one, several);
    }
    let density = several.iter().find_map(|x| x.density.clone());
    let shapes = || several.iter().map(|x| x.shape.clone());
    let is_drawn_only = entry.has("inertia") || several.is_empty();
    if is_drawn_only || (density.is_none() && !entry.has("mass")) {
        if let Some(span) = density {
            let message = "the body has an `inertia` too: that or densities of shapes";
            return reader.note(Diagnostic::at(span, message)).unwrap_or(body);
        }
        return body.shapes(shapes());
    }
    if let Some(node) = entry.get("centre") {
        let message = "the centre of mass follows from the `shapes`; `centre` does not apply";
        let help =
            "`shapes` without density, with the `mass` and `inertia` of the body, are only drawn";
        return reader.note(Diagnostic::at(node.span(), message).help(help)).unwrap_or(body);
    }
    let all: Vec<BodyShape> = shapes().collect();
    let inertia = match (density, entry.get("mass")) {
        (Some(span), Some(_)) => return both_given(entry, span).unwrap_or(body),
        (Some(_), None) => BodyShape::inertia(&all),
        (None, _) => {
            let Some(mass) = entry.amount("mass") else { return body };
            BodyShape::inertia_with_mass(&all, mass)
        }
    };
    match inertia {
        Err(fault) => note(entry, &several, &fault).unwrap_or(body),
        Ok(_) => match entry.has("mass") {
            true => body.shapes_with_mass(all, entry.number("mass").unwrap_or(0.0)),
            false => body.shapes(all),
        },
    }
}

/// A body with one shape that gives its inertia, and some that are drawn only.
fn with_shape(entry: &Entry<'_>, body: Body, one: LocatedShape, others: Vec<LocatedShape>) -> Body {
    let reader = entry.scope.reader;
    if let Some(span) = others.iter().find_map(|x| x.density.clone()) {
        let message =
            "the body has a `shape` that gives its inertia: `shapes` beside it have no density";
        let help = "put all of them into `shapes`";
        return reader.note(Diagnostic::at(span, message).help(help)).unwrap_or(body);
    }
    let mass = match (one.density.clone(), entry.get("mass")) {
        (Some(span), Some(_)) => return both_given(entry, span).unwrap_or(body),
        (None, None) => {
            let message = "neither the solid's `density` nor the body's `mass` is given";
            return reader.note(Diagnostic::at(one.span, message)).unwrap_or(body);
        }
        (None, Some(_)) => match entry.amount("mass") {
            Some(mass) => Some(mass),
            None => return body,
        },
        (Some(_), None) => None,
    };
    let density = one.shape.density.unwrap_or(1.0);
    let own = match Inertia::of(&one.shape.shape, density) {
        Ok(own) => own,
        Err(reason) => {
            let fault = ShapeFault { index: 0, reason };
            return note(entry, std::slice::from_ref(&one), &fault).unwrap_or(body);
        }
    };
    let mut shape = one.shape;
    if let Some(node) = entry.get("centre") {
        if find_key(entry, "shape", "position") {
            let message = "the centre of mass follows from the shape and its `position`; `centre` does not apply";
            return reader.note(Diagnostic::at(node.span(), message)).unwrap_or(body);
        }
        let Some(centre) = entry.vector("centre") else { return body };
        shape = shape.clone().position(centre - shape.orientation.rotate(&own.centre));
    }
    let drawn = others.into_iter().map(|x| BodyShape { density: None, ..x.shape });
    match mass {
        Some(mass) => body.shapes_with_mass([shape], mass).drawn_with(drawn),
        None => body.shapes([shape]).drawn_with(drawn),
    }
}

fn both_given<T>(entry: &Entry<'_>, density: Range<usize>) -> Option<T> {
    let message = "the body has a `mass` too: the mass or the density, not both";
    entry.scope.reader.note(Diagnostic::at(density, message))
}

/// Whether a table in an entry has a key.
fn find_key(entry: &Entry<'_>, table: &str, key: &str) -> bool {
    match find(entry.table, table).map(|node| node.get_ref()) {
        Some(DeValue::Table(table)) => find(table, key).is_some(),
        _ => false,
    }
}

fn note<T>(entry: &Entry<'_>, shapes: &[LocatedShape], fault: &ShapeFault) -> Option<T> {
    let found = shapes.get(fault.index);
    let is_density = matches!(fault.reason, InertiaError::Shape { what: "density", .. });
    let place = found.map_or(entry.span.clone(), |shape| match (&shape.density, is_density) {
        (Some(density), true) => density.clone(),
        _ => shape.value.clone(),
    });
    entry.scope.reader.note(located_reason(place, &fault.reason.to_string()))
}

/// A reason with its remedy, if it has one, as help.
fn located_reason(place: Range<usize>, reason: &str) -> Diagnostic {
    match reason.split_once("; try: ") {
        Some((fact, remedy)) => Diagnostic::at(place, fact).help(format!("try: {remedy}")),
        None => Diagnostic::at(place, reason),
    }
}

/// Shapes that are drawn only.
pub(super) fn drawn_shapes<'a>(scope: &Scope<'a>, node: &'a TomlNode<'a>) -> Vec<BodyShape> {
    let mut all = Vec::new();
    for shape in list(scope, node) {
        if let Some(span) = shape.density {
            let message = "this shape is only drawn: it has no density";
            scope.reader.note::<()>(Diagnostic::at(span, message));
        }
        all.push(shape.shape);
    }
    all
}

fn list<'a>(scope: &Scope<'a>, node: &'a TomlNode<'a>) -> Vec<LocatedShape> {
    let expected = "a list of shapes such as [{ sphere = 0.1, position = [1, 0, 0] }]";
    let DeValue::Array(list) = node.get_ref() else {
        return scope.unexpected(node, expected).unwrap_or_default();
    };
    if list.len() > MAX_SHAPES {
        let message = format!("there are {} shapes; at most {MAX_SHAPES} are possible", list.len());
        return scope.reader.note(Diagnostic::at(node.span(), message)).unwrap_or_default();
    }
    list.iter().filter_map(|node| shape(scope, node)).collect()
}

/// One shape.
fn shape<'a>(scope: &Scope<'a>, node: &'a TomlNode<'a>) -> Option<LocatedShape> {
    let DeValue::Table(table) = node.get_ref() else {
        return scope.unexpected(node, "a table such as { box = [1, 0.1, 0.1], density = 7800 }");
    };
    let kind = kind(scope, node, table)?;
    let value = find(table, kind.name)?;
    let density = match find(table, "density") {
        Some(node) => Some((scope.number(node)?, node.span())),
        None => None,
    };
    let colour = match find(table, "colour") {
        Some(node) => Some(colour(scope, node)?),
        None => None,
    };
    let position = match find(table, "position") {
        Some(node) => place(scope, node)?,
        None => Vector3::zeros(),
    };
    let turn = match find(table, "orientation") {
        Some(node) => orientation(scope, node)?,
        None => Quaternion::IDENTITY,
    };
    let shape = solid(scope, kind, table, value)?;
    if let Err(error) = shape.check() {
        return scope.reader.note(Diagnostic::at(value.span(), error.to_string()));
    }
    let (density, density_span) = density.unzip();
    let shape = BodyShape { position: Some(position), orientation: turn, colour, density, shape };
    Some(LocatedShape { shape, span: node.span(), value: value.span(), density: density_span })
}

/// The kind that a table names; other keys are checked.
fn kind<'a>(
    scope: &Scope<'a>,
    node: &TomlNode<'a>,
    table: &'a DeTable<'a>,
) -> Option<&'static ShapeInfo> {
    let all = items(table);
    let names = || SHAPE_KINDS.iter().map(|kind| kind.name);
    let Some(kind) = SHAPE_KINDS.iter().find(|kind| find(table, kind.name).is_some()) else {
        let known = words(names());
        let problem =
            Diagnostic::at(node.span(), format!("this names no solid; there are {known}"));
        let given = all.iter().find(|(key, ..)| !COMMON_KEYS.contains(key));
        let given = given.map_or("", |(key, ..)| key);
        return scope.reader.note(problem.with_suggestion(suggestion::nearest(given, names())));
    };
    let own = || kind.keys.iter().map(|key| key.name).chain(COMMON_KEYS);
    let is_unknown = |key: &str| key != kind.name && !own().any(|known| known == key);
    if let Some((key, span, _)) = all.iter().find(|(key, ..)| is_unknown(key)) {
        let message = format!("a {} does not take `{key}`", kind.name);
        let help = format!(
            "it is written {{ {}, density = … }}; it takes {} too",
            kind.written(),
            words(COMMON_KEYS)
        );
        let nearest = suggestion::nearest(key, own());
        return scope
            .reader
            .note(Diagnostic::at(span.clone(), message).help(help).with_suggestion(nearest));
    }
    for key in kind.keys.iter().filter(|key| key.default.is_none()) {
        if find(table, key.name).is_none() {
            let message = format!("this {} has no `{}`", kind.name, key.name);
            let help = format!("it is written {{ {} }}", kind.written());
            return scope.reader.note(Diagnostic::at(node.span(), message).help(help));
        }
    }
    Some(kind)
}

/// The solid of a kind.
fn solid<'a>(
    scope: &Scope<'a>,
    kind: &ShapeInfo,
    table: &'a DeTable<'a>,
    value: &'a TomlNode<'a>,
) -> Option<Shape> {
    let mut input = ShapeInput::default();
    let mut scale = 1.0;
    match kind.value {
        ShapeValue::Sizes([_]) => input.sizes.push(scope.number(value)?),
        ShapeValue::Sizes(names) => {
            let expected = format!("a list of {} numbers: {}", names.len(), names.join(", "));
            for node in scope.list(value, &[names.len()], &expected)? {
                input.sizes.push(scope.number(node)?);
            }
        }
        ShapeValue::Outline => {
            for corner in scope.list(value, &[], "a list of corners [x, y]")? {
                input.outline.push(scope.numbers::<2>(corner, "a corner [x, y]")?);
            }
        }
        ShapeValue::File => {}
    }
    for key in kind.keys {
        let Some(node) = find(table, key.name) else { continue };
        let number = scope.number(node)?;
        if !(number > 0.0 && number < 1e100) {
            let message = format!("`{}` is {number}; it must be positive", key.name);
            return scope.reader.note(Diagnostic::at(node.span(), message));
        }
        match kind.value {
            ShapeValue::File => scale = number,
            _ => input.sizes.push(number),
        }
    }
    if kind.value == ShapeValue::File {
        input.surface = Some(surface(scope, value, scale)?);
    }
    kind.build(&input)
}

/// The surface of a file.
fn surface<'a>(scope: &Scope<'a>, node: &TomlNode<'a>, scale: f64) -> Option<Arc<SurfaceMesh>> {
    let path = scope.reader.folder.join(scope.text(node)?);
    let name = path.display().to_string();
    let key = (path.clone(), scale.to_bits());
    if let Some(known) = scope.reader.surfaces.borrow().get(&key) {
        return Some(Arc::clone(known));
    }
    let bytes = scope.reader.files.contents_up_to(&path, MAX_SURFACE_BYTES);
    let read = bytes.and_then(|bytes| {
        SurfaceMesh::read(&name, &bytes, scale).map_err(|error| error.to_string())
    });
    match read {
        Ok(surface) => {
            let surface = Arc::new(surface);
            scope.reader.surfaces.borrow_mut().insert(key, Arc::clone(&surface));
            Some(surface)
        }
        Err(reason) => scope.reader.note(located_reason(node.span(), &format!("{name}: {reason}"))),
    }
}

/// A place of a shape: in a planar model with or without a depth.
fn place<'a>(scope: &Scope<'a>, node: &TomlNode<'a>) -> Option<Vector3> {
    let (lengths, expected): (&[usize], _) = match scope.reader.dimension {
        Dimension::Plane => (&[2, 3], "a vector of two or three numbers"),
        Dimension::Space => (&[3], "a vector of three numbers"),
    };
    let mut place = Vector3::zeros();
    for (k, entry) in scope.list(node, lengths, expected)?.iter().enumerate() {
        place[k] = scope.number(entry)?;
    }
    Some(place)
}

fn colour<'a>(scope: &Scope<'a>, node: &TomlNode<'a>) -> Option<Colour> {
    let text = scope.text(node)?;
    Colour::parse(&text).or_else(|| {
        let names = || Colour::NAMED.iter().map(|(name, _)| *name);
        let problem = Diagnostic::at(node.span(), "this is no colour")
            .help(format!("it is \"#rrggbb\" or one of {}", words(names())));
        scope.reader.note(problem.with_suggestion(suggestion::nearest(&text, names())))
    })
}
