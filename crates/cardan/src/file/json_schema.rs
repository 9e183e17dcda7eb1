//! The format as a JSON Schema, for completion and checks in editors.

use serde_json::{Map, Value, json};

use cardan_core::simulation::AbsoluteTolerances;
use cardan_core::stage::KeepJacobian;

use super::format::FORMAT;
use super::schema::{SECTIONS, SchemaField, SchemaSection, SchemaVariant, ValueKind};
use super::shape::COMMON_KEYS;
use crate::solid::{SHAPE_KINDS, ShapeValue};

/// The JSON Schema of model files.
pub fn json_schema() -> Value {
    let mut properties = Map::new();
    let mut required = Vec::new();
    for section in SECTIONS.iter() {
        if section.key.is_empty() {
            properties.extend(section.fields.iter().map(property));
            required.extend(section.fields.iter().filter(|x| x.is_required).map(|x| x.key));
        } else {
            properties.insert(section.key.into(), table(section));
        }
    }
    properties.insert("format".into(), json!({ "const": FORMAT }));
    json!({
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "Cardan model",
        "type": "object",
        "properties": properties,
        "required": required,
        "additionalProperties": false,
        "$defs": definitions(),
    })
}

fn definitions() -> Value {
    let number = json!({ "type": ["number", "string"] });
    let list = |n: u64| json!({ "type": "array", "items": number, "minItems": n, "maxItems": n });
    let vector = json!({ "type": "array", "items": number, "minItems": 2, "maxItems": 3 });
    let solids: Vec<Value> = SHAPE_KINDS
        .iter()
        .map(|kind| {
            let value = match kind.value {
                ShapeValue::Sizes([_]) => number.clone(),
                ShapeValue::Sizes(names) => list(names.len() as u64),
                ShapeValue::Outline => json!({ "type": "array", "items": list(2), "minItems": 3 }),
                ShapeValue::File => json!({ "type": "string" }),
            };
            let mut properties = json!({
                "position": vector, "density": number, "colour": { "type": "string" },
                "orientation": { "$ref": "#/$defs/orientation" },
            });
            debug_assert!(COMMON_KEYS.iter().all(|key| properties.get(key).is_some()));
            let mut required = vec![kind.name];
            for key in kind.keys {
                properties[key.name] = number.clone();
                required.extend(key.default.is_none().then_some(key.name));
            }
            properties[kind.name] = value;
            json!({
                "type": "object", "description": kind.description, "properties": properties,
                "required": required, "additionalProperties": false,
            })
        })
        .collect();
    let rotation = |properties: Value, required: &[&str]| {
        json!({
            "type": "object", "properties": properties, "required": required,
            "additionalProperties": false,
        })
    };
    json!({
        "number": number,
        "vector": vector,
        "orientation": { "oneOf": [
            list(4),
            rotation(json!({ "quaternion": list(4) }), &["quaternion"]),
            rotation(json!({ "axis": vector, "angle": number }), &["axis", "angle"]),
            rotation(json!({ "rotation_vector": vector }), &["rotation_vector"]),
            rotation(
                json!({
                    "euler": { "enum": sequences() },
                    "angles": list(3),
                }),
                &["euler", "angles"],
            ),
        ] },
        "inertia": { "anyOf": [
            number, list(3),
            { "type": "array", "items": list(3), "minItems": 3, "maxItems": 3 },
        ] },
        "shape": { "oneOf": solids },
        "six": { "anyOf": [
            list(6),
            { "type": "array", "items": list(6), "minItems": 6, "maxItems": 6 },
        ] },
    })
}

/// The sequences of three axes, no axis twice in a row; in capitals and in small letters.
fn sequences() -> Vec<String> {
    let axes = ["X", "Y", "Z"];
    let mut all = Vec::new();
    for (a, b, c) in (0..27).map(|k| (k / 9, k / 3 % 3, k % 3)) {
        if a != b && b != c {
            all.push([axes[a], axes[b], axes[c]].concat());
        }
    }
    let small: Vec<String> = all.iter().map(|word| word.to_lowercase()).collect();
    [all, small].concat()
}

/// A section as a table, or as a table of named entries.
fn table(section: &SchemaSection) -> Value {
    let free = match section.key {
        "parameters" | "signal" => Some(json!({ "$ref": "#/$defs/number" })),
        "points" => Some(json!({ "$ref": "#/$defs/vector" })),
        _ => None,
    };
    if let Some(values) = free {
        let description = section.description;
        return json!({ "type": "object", "description": description, "additionalProperties": values });
    }
    let entry = match section.variants.is_empty() {
        true => object(section, None),
        false => {
            let kinds = section.variants.iter().map(|variant| object(section, Some(variant)));
            json!({ "oneOf": kinds.collect::<Vec<_>>() })
        }
    };
    match section.is_named() {
        true => json!({
            "type": "object", "description": section.description, "additionalProperties": entry,
        }),
        false => entry,
    }
}

fn object(section: &SchemaSection, variant: Option<&SchemaVariant>) -> Value {
    let own = variant.map_or(&[][..], |variant| &variant.fields);
    let fields = || section.fields.iter().chain(own);
    let mut properties: Map<String, Value> = fields().map(property).collect();
    let mut required: Vec<&str> =
        fields().filter(|field| field.is_required).map(|field| field.key).collect();
    if let Some(variant) = variant {
        let kind = json!({ "const": variant.name, "description": variant.description });
        properties.insert("type".into(), kind);
        if section.default != Some(variant.name) {
            required.push("type");
        }
    }
    json!({
        "type": "object",
        "description": variant.map_or(section.description, |variant| &variant.description),
        "properties": properties,
        "required": required,
        "additionalProperties": false,
    })
}

fn property(field: &SchemaField) -> (String, Value) {
    let mut value = shape(field.kind);
    value["description"] = field.description.into();
    (field.key.into(), value)
}

fn shape(kind: ValueKind) -> Value {
    let reference = |name: &str| json!({ "$ref": format!("#/$defs/{name}") });
    let pair =
        |items: Value| json!({ "type": "array", "items": items, "minItems": 2, "maxItems": 2 });
    match kind {
        ValueKind::Number | ValueKind::Count | ValueKind::Function | ValueKind::Signal => {
            reference("number")
        }
        ValueKind::Signals => json!({ "type": "array", "items": reference("number") }),
        ValueKind::Law | ValueKind::Text => json!({ "type": "string" }),
        ValueKind::Vector | ValueKind::Functions => reference("vector"),
        ValueKind::Vectors => pair(reference("vector")),
        ValueKind::Flag => json!({ "type": "boolean" }),
        ValueKind::Word(_) | ValueKind::MethodWord(_) => json!({ "enum": kind.words() }),
        ValueKind::Pair => pair(json!({ "type": "string" })),
        ValueKind::Names => json!({ "type": "array", "items": { "type": "string" } }),
        ValueKind::Window => pair(reference("number")),
        ValueKind::Points => {
            json!({ "type": "object", "additionalProperties": reference("vector") })
        }
        ValueKind::Numbers => {
            json!({ "type": "object", "additionalProperties": reference("number") })
        }
        ValueKind::Orientation => reference("orientation"),
        ValueKind::Inertia => reference("inertia"),
        ValueKind::Shape => reference("shape"),
        ValueKind::Shapes => json!({ "type": "array", "items": reference("shape") }),
        ValueKind::Six => reference("six"),
        ValueKind::Spin | ValueKind::Torque => {
            json!({ "anyOf": [reference("number"), reference("vector")] })
        }
        ValueKind::Path => json!({
            "type": "array", "minItems": 2,
            "items": { "anyOf": [{ "type": "string" }, reference("vector")] },
        }),
        ValueKind::Curve => reference("vector"),
        ValueKind::Counts => json!({ "anyOf": [
            reference("number"), { "type": "array", "items": reference("number") },
        ] }),
        ValueKind::Profile => json!({
            "type": "object", "minProperties": 1, "maxProperties": 1,
            "properties": {
                "rectangle": pair(reference("number")),
                "circle": reference("number"),
                "tube": pair(reference("number")),
            },
            "additionalProperties": false,
        }),
        ValueKind::Stiffness => json!({ "anyOf": [reference("six"), reference("vector")] }),
        ValueKind::Viscosity => json!({ "anyOf": [reference("number"), reference("six")] }),
        ValueKind::Aside => json!({ "anyOf": [reference("number"), pair(reference("number"))] }),
        ValueKind::Inertias => json!({ "anyOf": [reference("number"), reference("vector")] }),
        ValueKind::TableAxis => json!({ "anyOf": [
            { "type": "string" }, { "type": "array", "items": reference("number") },
        ] }),
        ValueKind::TableValues => json!({ "anyOf": [
            { "type": "string" },
            { "type": "array", "items": reference("number") },
            { "type": "array", "items": { "type": "array", "items": reference("number") } },
        ] }),
        ValueKind::File => json!({ "type": "string" }),
        ValueKind::List => json!({ "type": "array", "items": reference("number") }),
        ValueKind::NamedFunctions => {
            json!({ "type": "object", "additionalProperties": reference("number") })
        }
        ValueKind::Interfaces | ValueKind::Nodes => json!({
            "type": "object",
            "additionalProperties": { "anyOf": [
                reference("number"), { "type": "array", "items": reference("number") },
            ] },
        }),
        ValueKind::Times => json!({ "anyOf": [
            reference("number"), { "type": "array", "items": reference("number") },
        ] }),
        ValueKind::OneOrMoreNames => json!({ "anyOf": [
            { "type": "string" }, { "type": "array", "items": { "type": "string" } },
        ] }),
        ValueKind::Impulse => json!({
            "type": "object",
            "properties": {
                "body": { "type": "string" },
                "force": reference("vector"),
                "moment": { "anyOf": [reference("number"), reference("vector")] },
            },
            "required": ["body"], "additionalProperties": false,
        }),
        ValueKind::Bounce => json!({
            "type": "object",
            "properties": { "channel": reference("number"), "restitution": reference("number") },
            "required": ["channel", "restitution"], "additionalProperties": false,
        }),
        ValueKind::Actions => json!({ "type": "array", "items": { "type": "object" } }),
        ValueKind::Ties => json!({
            "type": "array",
            "items": {
                "type": "object",
                "properties": {
                    "factors": { "type": "object", "additionalProperties": reference("number") },
                    "value": reference("number"),
                },
                "required": ["factors"],
                "additionalProperties": false,
            },
        }),
        ValueKind::Springs => json!({
            "type": "array",
            "items": { "type": "array", "minItems": 3, "maxItems": 4, "items": reference("number") },
        }),
        ValueKind::Tolerances => {
            let kinds = AbsoluteTolerances::default().by_name().map(|(name, _)| name);
            let each = |name: &&str| (name.to_string(), reference("number"));
            let properties: serde_json::Map<_, _> = kinds.iter().map(each).collect();
            json!({ "anyOf": [
                reference("number"),
                { "type": "object", "properties": properties, "additionalProperties": false },
            ] })
        }
        ValueKind::RowTimes => json!({ "anyOf": [
            reference("number"),
            { "const": "step" },
            { "type": "array", "items": reference("number") },
        ] }),
        ValueKind::Newton => json!({
            "type": "object",
            "properties": {
                "tolerance": reference("number"),
                "iterations": reference("number"),
                "keep_jacobian": { "enum": KeepJacobian::ALL.map(KeepJacobian::name) },
                "early_end": { "type": "boolean" },
                "retry": { "type": "boolean" },
            },
            "additionalProperties": false,
        }),
    }
}
