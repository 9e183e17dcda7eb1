//! Linear structures as the file describes them.

use std::collections::{BTreeMap, BTreeSet};

use toml::de::DeValue;

use super::diagnostic::Diagnostic;
use super::entry::{Entry, items};
use super::scope::{Smooth, TomlNode};
use crate::model::{AnalyticSolution, Edge, Function, Lumping, NodeLayout, Structure};
use cardan_core::linalg::matrix_market::MatrixMarket;
use cardan_core::suggestion;

/// The largest number of nodes.
const MAX_NODES: usize = 2_000_000;

/// A structure with the names of its nodes, while it is read.
struct Draft {
    structure: Structure,
    /// Names of nodes.
    names: Names,
}

/// Nodes by name.
type Names = BTreeMap<String, usize>;

/// A structure, as far as it could be read.
pub(super) fn structure(entry: &Entry<'_>) -> Option<Structure> {
    let kind = entry.variant?.name;
    let draft = match kind {
        "bar" => bar(entry),
        "membrane" => membrane(entry),
        "masses" => masses(entry),
        _ => matrices(entry),
    };
    let Some(Draft { mut structure, mut names }) = draft else {
        check_remaining_keys(entry);
        return None;
    };
    for (name, span, node) in entry.items("points").unwrap_or_default() {
        let (Some(name), Some(place)) =
            (entry.scope.name(name, span), place(entry, &structure, node))
        else {
            continue;
        };
        structure = structure.point(&name, place);
        names.entry(name).or_insert(place);
    }
    structure = held(entry, structure, &names);
    let mut loaded: Vec<(usize, Function)> = Vec::new();
    let fixed: BTreeSet<usize> = structure.fixed_nodes().iter().copied().collect();
    for key in ["loads", "drives", "velocities", "displacements"] {
        for (name, span, _) in entry.items(key).unwrap_or_default() {
            let place = find_node(entry, &names, structure.size(), name, span.clone());
            if place.is_some_and(|place| fixed.contains(&place)) {
                let message = format!("`{name}` is fixed: it cannot be among the {key}");
                entry.scope.reader.note::<()>(Diagnostic::at(span, message));
            }
        }
    }
    for (node, function) in functions(entry, "loads", &names, structure.size(), Smooth::Value) {
        loaded.push((node, function.clone()));
        structure = structure.load(node, function);
    }
    for (node, function) in
        functions(entry, "drives", &names, structure.size(), Smooth::Derivatives)
    {
        structure = structure.drive(node, function);
    }
    for (terms, target) in ties(entry, &names, structure.size()) {
        structure = structure.tie(&terms, target);
    }
    for (node, displacement) in starts(entry, "displacements", &names, structure.size()) {
        structure = structure.start_displacement(node, displacement);
    }
    for (node, velocity) in starts(entry, "velocities", &names, structure.size()) {
        structure = structure.start_velocity(node, velocity);
    }
    if let Some(node) = entry.get("proportional_damping")
        && let Some([of_mass, of_stiffness]) =
            entry.scope.numbers::<2>(node, "two factors, of the mass and of the stiffness")
    {
        if of_mass < 0.0 || of_stiffness < 0.0 {
            let message = "factors of damping cannot be negative";
            entry.scope.reader.note::<()>(Diagnostic::at(node.span(), message));
        }
        structure = structure.proportional_damping(of_mass, of_stiffness);
    }
    exact(entry, structure, kind, &loaded)
}

/// Without nodes there are no places, but tables and lists are still checked.
fn check_remaining_keys(entry: &Entry<'_>) {
    for key in ["points", "loads", "drives", "displacements", "velocities"] {
        entry.items(key);
    }
    if let Some(node) = entry.get("ties") {
        let _ = entry.scope.list(node, &[], "a list of ties");
    }
    if let Some(node) = entry.get("fixed") {
        let _ = entry.scope.list(node, &[], "a list of points or edges");
    }
    if let Some(node) = entry.get("proportional_damping") {
        let _ = entry.scope.numbers::<2>(node, "two factors, of the mass and of the stiffness");
    }
    if matches!(entry.variant.map(|kind| kind.name), Some("bar" | "membrane")) {
        entry.flag("exact");
        entry.word("lumping");
    }
    if entry.variant.is_some_and(|kind| kind.name == "masses")
        && let Some(node) = entry.get("springs")
    {
        let _ = entry.scope.list(node, &[], "a list of springs");
    }
}

fn lumping(entry: &Entry<'_>) -> Lumping {
    match entry.word("lumping").as_deref() {
        Some("lumped") => Lumping::Lumped,
        _ => Lumping::Consistent,
    }
}

/// A number of elements from one to the largest allowed.
fn elements<'a>(entry: &Entry<'a>, node: &TomlNode<'a>) -> Option<usize> {
    let count = entry.scope.count(node)?;
    match count {
        1..=1_000_000 => Some(count as usize),
        _ => {
            let message = format!("this is {count}; there must be elements, at most a million");
            entry.scope.reader.note(Diagnostic::at(node.span(), message))
        }
    }
}

fn bar(entry: &Entry<'_>) -> Option<Draft> {
    let elements = entry.get("elements").and_then(|node| elements(entry, node));
    let (length, stiffness) = (entry.positive("length"), entry.positive("stiffness"));
    let mass = entry.positive("mass");
    let (length, elements) = (length?, elements?);
    let bar = Structure::bar(&entry.name, length, elements, stiffness?, mass?, lumping(entry));
    let names = bar.point_names().into_iter().collect();
    Some(Draft { structure: bar, names })
}

fn membrane(entry: &Entry<'_>) -> Option<Draft> {
    let scope = &entry.scope;
    let counts = entry.get("elements").and_then(|node| match node.get_ref() {
        DeValue::Array(_) => {
            let list = scope.list(node, &[2], "two numbers of elements, along x and y")?;
            Some([elements(entry, &list[0])?, elements(entry, &list[1])?])
        }
        _ => elements(entry, node).map(|n| [n; 2]),
    });
    let sides = entry.get("sides").and_then(|node| {
        let sides = scope.numbers::<2>(node, "two lengths, along x and y")?;
        match sides.iter().all(|side| *side > 0.0) {
            true => Some(sides),
            false => scope.reader.note(Diagnostic::at(node.span(), "both sides must be positive")),
        }
    });
    let (tension, mass) = (entry.positive("tension"), entry.positive("mass"));
    let ([nx, ny], sides) = (counts?, sides?);
    if (nx + 1).saturating_mul(ny + 1) > MAX_NODES {
        let node = entry.get("elements")?;
        let message = format!("{nx} by {ny} elements are too many: at most {MAX_NODES} nodes");
        return scope.reader.note(Diagnostic::at(node.span(), message));
    }
    let membrane =
        Structure::membrane(&entry.name, sides, [nx, ny], tension?, mass?, lumping(entry));
    let names = membrane.point_names().into_iter().collect();
    Some(Draft { structure: membrane, names })
}

/// Named masses with springs between them.
fn masses(entry: &Entry<'_>) -> Option<Draft> {
    let scope = &entry.scope;
    let items = entry.items("masses")?;
    let size = items.len();
    let mut structure = Structure::new(&entry.name, size);
    let mut names = Names::new();
    for (k, (name, span, node)) in items.into_iter().enumerate() {
        if name == "ground" {
            scope.reader.note::<()>(Diagnostic::at(
                span,
                "`ground` is the world; give the mass another name",
            ));
            continue;
        }
        let (Some(name), Some(mass)) = (scope.name(name, span), scope.number(node)) else {
            continue;
        };
        if mass <= 0.0 {
            let message = format!("mass `{name}` is {mass}; it must be positive");
            scope.reader.note::<()>(Diagnostic::at(node.span(), message));
        }
        structure = structure.mass(k, mass).point(&name, k);
        names.entry(name).or_insert(k);
    }
    let Some(node) = entry.get("springs") else { return Some(Draft { structure, names }) };
    let expected = "a list of springs such as [\"ground\", \"a\", 100] or [\"a\", \"b\", 100, 2]";
    for spring in scope.list(node, &[], expected)? {
        let parts = scope.list(spring, &[3, 4], "two ends, a stiffness, and perhaps a damping")?;
        let end = |node: &TomlNode<'_>| -> Option<Option<usize>> {
            match scope.text(node)?.as_str() {
                "ground" => Some(None),
                name => find_node(entry, &names, size, name, node.span()).map(Some),
            }
        };
        let (one, two) = (end(&parts[0])?, end(&parts[1])?);
        structure = structure.spring(one, two, scope.number(&parts[2])?);
        if let Some(damping) = parts.get(3) {
            structure = structure.damper(one, two, scope.number(damping)?);
        }
    }
    Some(Draft { structure, names })
}

/// Whole matrices from files.
fn matrices(entry: &Entry<'_>) -> Option<Draft> {
    let read = |key: &str| -> Option<Option<MatrixMarket>> {
        if !entry.has(key) {
            return Some(None);
        }
        let path = entry.file(key)?;
        match entry.scope.reader.files.matrix(&path) {
            Ok(matrix) => Some(Some(matrix)),
            Err(error) => {
                let span = entry.get(key)?.span();
                entry.scope.reader.note(Diagnostic::at(span, error.to_string()))
            }
        }
    };
    let [mass, damping, stiffness] =
        [read("mass_matrix"), read("damping_matrix"), read("stiffness_matrix")];
    let (mass, damping, stiffness) = (mass??, damping?, stiffness??);
    let n = mass.rows;
    let all = [
        ("mass_matrix", Some(&mass)),
        ("damping_matrix", damping.as_ref()),
        ("stiffness_matrix", Some(&stiffness)),
    ];
    for (key, matrix) in all {
        let Some(matrix) = matrix else { continue };
        if matrix.rows != n || matrix.columns != n {
            let (rows, columns) = (matrix.rows, matrix.columns);
            let message = match key {
                "mass_matrix" => format!("this matrix is {rows}×{columns}, not square"),
                _ => format!("this matrix is {rows}×{columns}, the mass matrix {n}×{n}"),
            };
            return entry.scope.reader.note(Diagnostic::at(entry.get(key)?.span(), message));
        }
    }
    let damping = damping.map_or(Vec::new(), |matrix| matrix.entries);
    let structure =
        Structure::of_matrices(&entry.name, n, mass.entries, damping, stiffness.entries);
    Some(Draft { structure, names: Names::new() })
}

/// A node by its number, or by its place on a line or a grid.
fn place<'a>(entry: &Entry<'a>, structure: &Structure, node: &'a TomlNode<'a>) -> Option<usize> {
    let scope = &entry.scope;
    let note = |message: String| scope.reader.note(Diagnostic::at(node.span(), message));
    let at = match (node.get_ref(), structure.layout()) {
        (DeValue::Array(_), NodeLayout::Grid { .. }) => {
            scope.numbers::<2>(node, "a place on the membrane, [x, y]")?
        }
        (DeValue::Array(_), _) => return scope.unexpected(node, "the number of a node"),
        (_, NodeLayout::Line { .. }) => [scope.number(node)?, 0.0],
        _ => {
            let number = scope.count(node)?;
            let n = structure.size();
            return match usize::try_from(number).ok().filter(|k| *k < n) {
                Some(number) => Some(number),
                None => note(format!("there is no node {number}; there are {n}, counted from 0")),
            };
        }
    };
    match structure.layout().node_at(at) {
        Some(node) => Some(node),
        None => {
            note("there is no node at this place: choose other elements, or another place".into())
        }
    }
}

/// A node by its name, or as `node7`.
fn find_node(
    entry: &Entry<'_>,
    names: &Names,
    size: usize,
    name: &str,
    span: std::ops::Range<usize>,
) -> Option<usize> {
    if let Some(node) = names.get(name) {
        return Some(*node);
    }
    let digits = name.strip_prefix("node").and_then(|digits| digits.parse::<usize>().ok());
    if let Some(node) = digits {
        if node < size {
            return Some(node);
        }
        let message = format!("there is no node {node}; there are {size}, counted from 0");
        return entry.scope.reader.note(Diagnostic::at(span, message));
    }
    let problem = Diagnostic::at(span, format!("there is no point `{name}`"))
        .help("a point of the structure, or a node by its number, `node7`");
    let nearest = suggestion::nearest(name, names.keys().map(String::as_str));
    entry.scope.reader.note(problem.with_suggestion(nearest))
}

/// Nodes and edges that are fixed.
fn held(entry: &Entry<'_>, mut structure: Structure, names: &Names) -> Structure {
    let Some(node) = entry.get("fixed") else { return structure };
    let Some(list) = entry.scope.list(node, &[], "a list of points or edges") else {
        return structure;
    };
    for node in list {
        let Some(word) = entry.scope.text(node) else { continue };
        let edges = [
            ("left", Edge::Left),
            ("right", Edge::Right),
            ("bottom", Edge::Bottom),
            ("top", Edge::Top),
        ];
        let is_grid = matches!(structure.layout(), NodeLayout::Grid { .. });
        match edges.into_iter().find(|(known, _)| is_grid && *known == word) {
            Some((_, edge)) => structure = structure.fix_edge(edge),
            None => {
                if let Some(at) = find_node(entry, names, structure.size(), &word, node.span()) {
                    structure = structure.fix(at);
                }
            }
        }
    }
    structure
}

fn functions(
    entry: &Entry<'_>,
    key: &str,
    names: &Names,
    size: usize,
    smooth: Smooth,
) -> Vec<(usize, Function)> {
    let items = entry.items(key).unwrap_or_default();
    let each = items.into_iter().filter_map(|(name, span, node)| {
        let at = find_node(entry, names, size, name, span)?;
        Some((at, entry.scope.function(node, smooth)?))
    });
    each.collect()
}

/// Values of nodes at the start; a node may have two names, but not two values.
fn starts(entry: &Entry<'_>, key: &str, names: &Names, size: usize) -> Vec<(usize, f64)> {
    let mut found: BTreeMap<usize, f64> = BTreeMap::new();
    for (name, span, node) in entry.items(key).unwrap_or_default() {
        let at = find_node(entry, names, size, name, span);
        let (Some(at), Some(value)) = (at, entry.scope.number(node)) else { continue };
        match found.insert(at, value) {
            Some(before) if before != value => {
                let message = format!(
                    "`{name}` is node {at}, for which {before} is given under another name"
                );
                entry.scope.reader.note::<()>(Diagnostic::at(node.span(), message));
            }
            _ => {}
        }
    }
    found.into_iter().collect()
}

/// Linear constraints.
fn ties(entry: &Entry<'_>, names: &Names, size: usize) -> Vec<(Vec<(usize, f64)>, Function)> {
    let scope = &entry.scope;
    let expected = "a list of ties such as { factors = { a = 1, b = -2 }, value = 0 }";
    let list = entry.get("ties").and_then(|node| scope.list(node, &[], expected));
    let one = |node: &TomlNode<'_>| {
        let DeValue::Table(table) = node.get_ref() else { return scope.unexpected(node, expected) };
        let (mut terms, mut target) = (Vec::new(), Function::Constant(0.0));
        for (key, span, value) in items(table) {
            match (key, value.get_ref()) {
                ("factors", DeValue::Table(factors)) => {
                    for (name, span, factor) in items(factors) {
                        let place = find_node(entry, names, size, name, span)?;
                        terms.push((place, scope.number(factor)?));
                    }
                }
                ("value", _) => target = scope.function(value, Smooth::Derivatives)?,
                ("factors", _) => return scope.unexpected(value, "a factor for each node"),
                _ => {
                    let message = format!("a tie does not take `{key}`");
                    let help = "it takes `factors` and `value`";
                    return scope.reader.note(Diagnostic::at(span, message).help(help));
                }
            }
        }
        if terms.is_empty() {
            let message = "a tie needs `factors` of nodes";
            return scope.reader.note(Diagnostic::at(node.span(), message));
        }
        Some((terms, target))
    };
    list.unwrap_or_default().iter().filter_map(one).collect()
}

/// The exact solution, where there is one.
fn exact(
    entry: &Entry<'_>,
    structure: Structure,
    kind: &str,
    loads: &[(usize, Function)],
) -> Option<Structure> {
    if kind != "bar" && kind != "membrane" {
        return Some(structure);
    }
    if entry.flag("exact") != Some(true) {
        return Some(structure);
    }
    let span = entry.get("exact")?.span();
    let note = |message: &str| entry.scope.reader.note(Diagnostic::at(span, message));
    let [(node, load)] = loads else {
        return note("an exact solution is known for one load only");
    };
    let mass = entry.positive("mass")?;
    match kind {
        "bar" => {
            let end = structure.size() - 1;
            if *node != end || structure.fixed_nodes() != [0] {
                return note(
                    "it is known for a bar that is fixed at its start and loaded at its end",
                );
            }
            let (length, stiffness) = (entry.positive("length")?, entry.positive("stiffness")?);
            Some(structure.exact(AnalyticSolution::Bar {
                length,
                stiffness,
                mass,
                load: load.clone(),
            }))
        }
        _ => {
            if *node != 0 || is_held_in_the_middle(&structure) {
                return note(
                    "it is known for a quarter of a membrane that is loaded at its origin and free along \
                     the lines x = 0 and y = 0",
                );
            }
            let tension = entry.positive("tension")?;
            // the other three quarters carry as much
            Some(structure.exact(AnalyticSolution::Membrane {
                tension,
                mass,
                load: load.scaled(4.0),
            }))
        }
    }
}

/// Whether a line of symmetry is fixed after its last node.
fn is_held_in_the_middle(structure: &Structure) -> bool {
    let NodeLayout::Grid { sides, .. } = structure.layout() else { return false };
    structure.fixed_nodes().iter().any(|&i| {
        structure.layout().place(i).is_some_and(|[x, y]| {
            (x == 0.0 && y < 0.999 * sides[1]) || (y == 0.0 && x < 0.999 * sides[0])
        })
    })
}
