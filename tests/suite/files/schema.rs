//! The schema: what it says is what is read, and the pages written from it are up to date.

use super::{names, pendulum_and, repository, text};
use cardan::file::{ModelFile, SECTIONS, json_schema, reference};
use cardan::methods;
use cardan::model::JOINTS;
use cardan_lab::study::parameters::{study_reference, study_schema};

#[test]
fn the_reference_and_the_schema_in_the_docs_are_up_to_date() {
    let read = |path: &str| std::fs::read_to_string(repository(path)).unwrap();
    if std::env::var_os("CARDAN_RENEW").is_some() {
        std::fs::write(repository("docs/model-file.md"), reference()).unwrap();
        let schema = format!("{:#}\n", json_schema());
        std::fs::write(repository("docs/cardan.schema.json"), schema).unwrap();
        std::fs::write(repository("docs/study-file.md"), study_reference()).unwrap();
        let schema = format!("{:#}\n", study_schema());
        std::fs::write(repository("docs/cardan-study.schema.json"), schema).unwrap();
    }
    let stale = "renew it: cardan schema --markdown > docs/model-file.md";
    assert!(read("docs/model-file.md") == reference(), "{stale}");
    let stale = "renew it: cardan schema > docs/cardan.schema.json";
    assert!(read("docs/cardan.schema.json") == format!("{:#}\n", json_schema()), "{stale}");
    let stale = "renew it: cardan schema --study --markdown > docs/study-file.md";
    assert!(read("docs/study-file.md") == study_reference(), "{stale}");
    let stale = "renew it: cardan schema --study > docs/cardan-study.schema.json";
    assert!(read("docs/cardan-study.schema.json") == format!("{:#}\n", study_schema()), "{stale}");
}

#[test]
fn registries_feed_the_format() {
    let section = |key: &str| SECTIONS.iter().find(|section| section.key == key).unwrap();
    let joints: Vec<_> = section("joint").variants.iter().map(|variant| variant.name).collect();
    assert_eq!(joints, JOINTS.iter().map(|info| info.name).collect::<Vec<_>>());
    let keys: Vec<_> = section("simulation").fields.iter().map(|field| field.key).collect();
    for parameter in methods::all().flat_map(|info| info.parameters) {
        assert!(keys.contains(&parameter.name), "{}", parameter.name);
    }
    for method in methods::all() {
        let text =
            pendulum_and("").replace("step =", &format!("method = \"{}\"\nstep =", method.name));
        let file = ModelFile::parse("", &text, &[]).unwrap();
        assert_eq!(file.schedule().unwrap().settings.method, method.name);
    }
}

/// A small validator of the parts of JSON Schema that ours uses.
fn accepts(schema: &serde_json::Value, root: &serde_json::Value, value: &toml::Value) -> bool {
    use serde_json::Value;
    if let Some(reference) = schema["$ref"].as_str() {
        return accepts(&root["$defs"][reference.rsplit('/').next().unwrap()], root, value);
    }
    let count = |all: &Value| {
        let all = all.as_array().unwrap();
        all.iter().filter(|schema| accepts(schema, root, value)).count()
    };
    if schema.get("oneOf").is_some() {
        return count(&schema["oneOf"]) == 1;
    }
    if schema.get("anyOf").is_some() {
        return count(&schema["anyOf"]) > 0;
    }
    if let Some(wanted) = schema.get("const") {
        return match value {
            toml::Value::String(text) => wanted == text,
            toml::Value::Integer(x) => *wanted == *x,
            _ => false,
        };
    }
    if let Some(words) = schema.get("enum") {
        return words
            .as_array()
            .unwrap()
            .iter()
            .any(|word| Some(word.as_str()) == Some(value.as_str()));
    }
    let types: Vec<&str> = match &schema["type"] {
        Value::String(one) => vec![one],
        Value::Array(all) => all.iter().filter_map(Value::as_str).collect(),
        _ => return true,
    };
    match value {
        toml::Value::String(_) => types.contains(&"string"),
        toml::Value::Integer(_) | toml::Value::Float(_) => types.contains(&"number"),
        toml::Value::Boolean(_) => types.contains(&"boolean"),
        toml::Value::Array(list) => {
            let within = |key: &str, ok: &dyn Fn(u64) -> bool| schema[key].as_u64().is_none_or(ok);
            types.contains(&"array")
                && within("minItems", &|n| list.len() as u64 >= n)
                && within("maxItems", &|n| list.len() as u64 <= n)
                && list.iter().all(|entry| accepts(&schema["items"], root, entry))
        }
        toml::Value::Table(table) => {
            let required = schema["required"].as_array().cloned().unwrap_or_default();
            let entry = |(key, value): (&String, &toml::Value)| match (
                schema["properties"].get(key),
                &schema["additionalProperties"],
            ) {
                (Some(schema), _) => accepts(schema, root, value),
                (None, Value::Bool(allowed)) => *allowed,
                (None, schema) => accepts(schema, root, value),
            };
            types.contains(&"object")
                && required.iter().all(|key| table.contains_key(key.as_str().unwrap()))
                && table.iter().all(entry)
        }
        toml::Value::Datetime(_) => false,
    }
}

#[test]
fn the_json_schema_takes_the_models_and_refuses_their_mistakes() {
    let schema = json_schema();
    let takes = |text: &str| accepts(&schema, &schema, &toml::from_str(text).unwrap());
    for name in names() {
        assert!(takes(&text(&name)), "{name}");
    }
    let original = text("slider_crank");
    for (from, to) in [
        ("\"revolute\"", "\"revolut\""),
        ("stiffness = ", "stifness = "),
        ("axis = [1, 0]", "axis = [1]"),
        ("mass = \"m1\"", "mass = [1]"),
        ("[simulation]", "[simulations]"),
        ("format = 2", "format = 3"),
        ("method = \"generalized-alpha\"", "method = \"rk99\""),
    ] {
        assert!(!takes(&original.replacen(from, to, 1)), "{to}");
    }
}
