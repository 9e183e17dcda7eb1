//! The study file as a JSON Schema for editors, and as the reference page of the docs.

use serde_json::{Map, Value, json};

use super::distribution::{DISTRIBUTIONS, DistributionKind};
use super::result_functions::{RESULT_FUNCTIONS, RUN_NUMBERS};
use super::schema::{STUDY_KEYS, StudyKey, StudyValueKind};
use super::settings::setting_names;
use super::values::RANGE_KEYS;

/// The JSON Schema of study files.
pub fn study_schema() -> Value {
    let property = |known: &StudyKey| {
        let mut value = shape(known.kind);
        value["description"] = known.description.into();
        (known.key.to_string(), value)
    };
    json!({
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "Cardan study",
        "type": "object",
        "properties": STUDY_KEYS.iter().map(property).collect::<Map<String, Value>>(),
        "required": ["model"],
        "additionalProperties": false,
        "$defs": {
            "value": { "type": ["number", "string"] },
            "list": { "type": "array", "items": { "$ref": "#/$defs/value" }, "minItems": 1 },
            "values": { "anyOf": values() },
        },
    })
}

fn shape(kind: StudyValueKind) -> Value {
    let table = |values: Value| json!({ "type": "object", "additionalProperties": values });
    match kind {
        StudyValueKind::Text | StudyValueKind::File => json!({ "type": "string" }),
        StudyValueKind::Word(words) => {
            let word =
                |(word, meaning): (&str, &str)| json!({ "const": word, "description": meaning });
            json!({ "oneOf": words().into_iter().map(word).collect::<Vec<_>>() })
        }
        StudyValueKind::Count(least) => json!({ "type": "integer", "minimum": least }),
        StudyValueKind::Positive => json!({ "type": "number", "exclusiveMinimum": 0 }),
        StudyValueKind::Names => json!({ "type": "array", "items": { "type": "string" } }),
        StudyValueKind::FixedValues => {
            let value = json!({ "$ref": "#/$defs/value" });
            // settings may be written as tables
            table(json!({ "anyOf": [value, { "type": "object" }] }))
        }
        StudyValueKind::VariedValues => table(json!({ "$ref": "#/$defs/values" })),
        StudyValueKind::Formulas => table(json!({ "type": "string" })),
    }
}

/// The forms of the values of a parameter.
fn values() -> Vec<Value> {
    let value = || json!({ "$ref": "#/$defs/value" });
    let object = |mut properties: Map<String, Value>, required: &[&str]| {
        properties.insert("base".into(), value());
        json!({
            "type": "object", "properties": properties, "required": required,
            "additionalProperties": false,
        })
    };
    let numbers = |keys: &[(&str, &str)]| -> Map<String, Value> {
        let number = |(key, meaning): &(&str, &str)| {
            (key.to_string(), json!({ "type": "number", "description": meaning }))
        };
        keys.iter().map(number).collect()
    };
    let mut range = numbers(&RANGE_KEYS);
    range["count"]["type"] = "integer".into();
    range["scale"] = json!({ "enum": ["linear", "logarithmic"], "description": RANGE_KEYS[3].1 });
    let listed = Map::from_iter([("values".to_string(), json!({ "$ref": "#/$defs/list" }))]);
    let distribution = |kind: &DistributionKind| {
        let mut properties = numbers(kind.keys);
        let word = json!({ "const": kind.name, "description": kind.description });
        properties.insert("distribution".into(), word);
        let keys = kind.keys.iter().map(|(key, _)| *key);
        object(properties, &std::iter::once("distribution").chain(keys).collect::<Vec<_>>())
    };
    let mut all = vec![
        value(),
        json!({ "$ref": "#/$defs/list" }),
        object(listed, &["values"]),
        object(range, &["from", "to"]),
    ];
    all.extend(DISTRIBUTIONS.iter().map(distribution));
    // settings as tables: simulation.step = [1e-2, 1e-3]
    all.push(json!({ "type": "object", "additionalProperties": { "$ref": "#/$defs/list" } }));
    all
}

/// The text before the tables.
const HEAD: &str = "\
# Study file reference

<!-- written by `cardan schema --study --markdown`; a test compares -->

A study file is TOML. [Studies](studies.md) explains it by examples; `cardan schema --study` prints it as a JSON Schema for
editors. The arguments of `cardan.study` in Python have the same names.

## Keys

| key | value | |
| --- | --- | --- |
";

/// The reference page of study files.
pub fn study_reference() -> String {
    let mut text = HEAD.to_string();
    for known in &STUDY_KEYS {
        let (key, kind) = (known.key, called(known.kind));
        text += &format!("| `{key}` | {kind} | {} |\n", known.description);
    }
    for known in &STUDY_KEYS {
        if let StudyValueKind::Word(words) = known.kind {
            text += &format!("\n| `{}` | |\n| --- | --- |\n", known.key);
            for (word, meaning) in words() {
                text += &format!("| `{word}` | {meaning} |\n");
            }
        }
    }
    text += "\n## Names of parameters and settings\n\nNames in `[set]` and `[parameters]` are parameters of the model, or settings: ";
    let settings: Vec<String> = setting_names().iter().map(|name| format!("`{name}`")).collect();
    text += &settings.join(", ");
    text += ".\nA name with dots is in quotes, `\"simulation.end\" = 1`, or a table, `simulation.end = 1`. Speeds of rotation are in rad/s.\n";
    text += "\n## Values of a parameter\n\n| values | |\n| --- | --- |\n";
    text +=
        "| `[1, 2, 5]`, `[\"bathe\", \"lms3:rho=0.8\"]` | listed numbers, formulas or words |\n";
    text += "| `{ values = [1, 2], base = 1 }` | with a base value, also possible in the other tables |\n";
    let range: Vec<String> =
        RANGE_KEYS.iter().map(|(key, meaning)| format!("`{key}`: {meaning}")).collect();
    text += &format!("| `{{ from = 1, to = 2, count = 5 }}` | {} |\n", range.join("; "));
    for kind in &DISTRIBUTIONS {
        let keys: Vec<String> = kind.keys.iter().map(|(key, _)| format!("{key} = …")).collect();
        let meanings: Vec<String> =
            kind.keys.iter().map(|(key, meaning)| format!("`{key}`: {meaning}")).collect();
        text += &format!(
            "| `{{ distribution = \"{}\", {} }}` | {}; {} |\n",
            kind.name,
            keys.join(", "),
            kind.description,
            meanings.join("; ")
        );
    }
    text += "\n## Quantities\n\n| formula | value |\n| --- | --- |\n";
    for function in &RESULT_FUNCTIONS {
        let arguments = function.arguments.join(", ");
        text += &format!("| `{}({arguments})` | {} |\n", function.name, function.description);
    }
    for (name, meaning) in RUN_NUMBERS {
        text += &format!("| `{name}` | {meaning} |\n");
    }
    text += "\n`x` is a channel or a formula of channels. Parameters, functions and constants are those of [model files](model-file.md#formulas).\n";
    text
}

fn called(kind: StudyValueKind) -> String {
    match kind {
        StudyValueKind::Text => "text".into(),
        StudyValueKind::File => "path or name".into(),
        StudyValueKind::Word(words) => {
            let words: Vec<String> =
                words().into_iter().map(|(word, _)| format!("`\"{word}\"`")).collect();
            words.join(", ")
        }
        StudyValueKind::Count(_) => "whole number".into(),
        StudyValueKind::Positive => "number".into(),
        StudyValueKind::Names => "list of names; `*` stands for any text".into(),
        StudyValueKind::FixedValues => "table: a number, formula or word for each name".into(),
        StudyValueKind::VariedValues => "table: values for each name".into(),
        StudyValueKind::Formulas => "table: a formula for each name".into(),
    }
}

#[cfg(test)]
mod tests {
    use super::super::{ANALYSES, DESIGNS, StudyManifest};
    use super::*;

    /// The words of the tables are those that are read, and the keys those of the manifest.
    #[test]
    fn tables_agree_with_what_is_read() -> Result<(), Box<dyn std::error::Error>> {
        for (kind, word, _) in DESIGNS {
            assert_eq!(serde_json::to_value(kind)?, word);
        }
        for (kind, word, _) in ANALYSES {
            assert_eq!(serde_json::to_value(kind)?, word);
        }
        let manifest = serde_json::to_value(StudyManifest {
            title: Some(String::new()),
            model: Some(String::new()),
            design: Some(DESIGNS[0].0),
            samples: Some(1),
            table: Some(String::new()),
            time_limit: Some(1.0),
            modes: Some(1),
            ..StudyManifest::default()
        })?;
        let mut keys: Vec<&str> =
            manifest.as_object().into_iter().flat_map(Map::keys).map(String::as_str).collect();
        let mut known: Vec<&str> = STUDY_KEYS.iter().map(|known| known.key).collect();
        keys.sort_unstable();
        known.sort_unstable();
        assert_eq!(keys, known);
        Ok(())
    }
}
