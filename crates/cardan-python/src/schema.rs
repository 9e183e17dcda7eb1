//! The registries as Python data: sections, keys and kinds of the model file, from which the Python interface is made.

use cardan::Formulation;
use cardan::expression::FUNCTIONS;
use cardan::file::{FORMAT, SECTIONS, SchemaField, SchemaSection, SchemaVariant, ValueKind};
use cardan::methods::{self, Permission};
use cardan::suggestion;
use pyo3::prelude::*;
use serde_json::{Value, json};

use crate::convert::json_to_python;

/// The sections of the model file with their keys, the functions of formulas, and the parameters of the methods.
#[pyfunction]
pub fn schema(py: Python<'_>) -> PyResult<Bound<'_, PyAny>> {
    let section = |section: &SchemaSection| {
        json!({
            "key": section.key,
            "named": section.is_named(),
            "description": section.description,
            "fields": fields(&section.fields),
            "variants": section.variants.iter().map(variant).collect::<Value>(),
            "default": section.default,
        })
    };
    let functions = FUNCTIONS.iter().map(|function| {
        json!({
            "name": function.name,
            "arguments": function.arguments,
            "description": function.description,
        })
    });
    let parameters = methods::all().map(|info| {
        let names: Vec<&str> = info.parameters.iter().map(|parameter| parameter.name).collect();
        let is_allowed = |x: &Formulation| info.permission(*x) == Permission::Allowed;
        let allowed = Formulation::ALL.into_iter().filter(is_allowed).map(Formulation::name);
        let about = json!({
            "parameters": names,
            "aliases": info.aliases,
            "constraints": allowed.collect::<Vec<_>>(),
        });
        (info.name.to_string(), about)
    });
    let all = json!({
        "format": FORMAT,
        "sections": SECTIONS.iter().map(section).collect::<Value>(),
        "functions": functions.collect::<Value>(),
        "methods": parameters.collect::<serde_json::Map<_, _>>(),
    });
    json_to_python(py, &all)
}

fn variant(variant: &SchemaVariant) -> Value {
    json!({
        "name": variant.name,
        "description": variant.description,
        "fields": fields(&variant.fields),
    })
}

fn fields(fields: &[SchemaField]) -> Value {
    let field = |field: &SchemaField| {
        json!({
            "key": field.key,
            "kind": kind(field.kind),
            "words": field.kind.words(),
            "required": field.is_required,
            "description": field.description,
        })
    };
    fields.iter().map(field).collect()
}

/// The kind of a value as a word: the name of the variant of `ValueKind`.
fn kind(kind: ValueKind) -> String {
    let text = format!("{kind:?}");
    text.split('(').next().unwrap_or_default().to_string()
}

/// The known word that is most similar to a wrong one, or `None`.
#[pyfunction]
pub fn nearest(word: &str, known: Vec<String>) -> Option<String> {
    suggestion::nearest(word, known.iter().map(String::as_str))
}
