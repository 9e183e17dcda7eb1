//! The values of a parameter: listed, evenly spaced, or distributed.

use serde::{Deserialize, Serialize};

use super::distribution::{DISTRIBUTIONS, Distribution};
use super::problem::StudyProblem;

/// The value of a parameter in a case.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum CaseValue {
    /// A number.
    Number(f64),
    /// A formula, or a word such as the name of a method.
    Text(String),
}

impl std::fmt::Display for CaseValue {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            // all digits, so that the text has the bits of the number
            Self::Number(x) => write!(f, "{x:?}"),
            Self::Text(text) => f.write_str(text),
        }
    }
}

/// The values of a parameter.
#[derive(Clone, Debug, PartialEq)]
pub enum ParameterValues {
    /// These, in this order.
    List(Vec<CaseValue>),
    /// So many numbers from a bound to another, both included.
    Range {
        /// The first.
        from: f64,
        /// The last.
        to: f64,
        /// How many.
        count: u64,
        /// Whether neighbours have equal ratios instead of equal differences.
        is_logarithmic: bool,
    },
    /// Values of a distribution.
    Distribution(Distribution),
}

impl ParameterValues {
    /// The number of values; `None` for a distribution.
    pub fn count(&self) -> Option<u64> {
        match self {
            Self::List(values) => Some(values.len() as u64),
            Self::Range { count, .. } => Some(*count),
            Self::Distribution(_) => None,
        }
    }

    /// The value of an index; the median of a distribution.
    pub fn get(&self, k: u64) -> CaseValue {
        match *self {
            Self::List(ref values) => {
                values[usize::try_from(k).unwrap_or(0).min(values.len() - 1)].clone()
            }
            Self::Range { from, to, count, is_logarithmic } => {
                let part = k as f64 / (count - 1).max(1) as f64;
                CaseValue::Number(match () {
                    () if k == 0 => from,
                    () if k + 1 == count => to,
                    () if is_logarithmic => from * (to / from).powf(part),
                    () => from + part * (to - from),
                })
            }
            Self::Distribution(ref distribution) => CaseValue::Number(distribution.quantile(0.5)),
        }
    }

    /// The value at a point of (0, 1): values of a list and of a range are equally probable.
    pub fn at(&self, p: f64) -> CaseValue {
        match self {
            Self::Distribution(distribution) => CaseValue::Number(distribution.quantile(p)),
            _ => {
                let count = self.count().unwrap_or(1);
                self.get(((p * count as f64) as u64).min(count - 1))
            }
        }
    }
}

/// The keys of a range, with their meaning.
pub const RANGE_KEYS: [(&str, &str); 4] = [
    ("from", "the first value"),
    ("to", "the last value"),
    ("count", "the number of values; without it the range is a uniform distribution"),
    ("scale", "`linear` (default): equal differences; `logarithmic`: equal ratios"),
];

/// Forms of values, for messages.
const FORMS: &str = "[1, 2, 3], { from = 1, to = 2, count = 5 } or { distribution = \"normal\", mean = 1, deviation = 0.1 }";

/// Reads the values of a parameter, and its base value for designs that vary one parameter at a time.
pub fn read_values(
    name: &str,
    written: &toml::Value,
) -> Result<(ParameterValues, Option<CaseValue>), StudyProblem> {
    let wrong = |reason: String| StudyProblem::new(reason).at(&["parameters", name]);
    let (values, base) = match written {
        toml::Value::Array(list) => (ParameterValues::List(read_list(list, &wrong)?), None),
        toml::Value::Table(table) => read_table(table, &wrong)?,
        one => match case_value(one) {
            Some(value) => (ParameterValues::List(vec![value]), None),
            None => {
                let message = format!("values of a parameter are not {}", type_name(one));
                return Err(wrong(message).help(FORMS));
            }
        },
    };
    match refusal(&values, base.as_ref()) {
        Some(reason) => Err(wrong(reason.into()).help(FORMS)),
        None => Ok((values, base)),
    }
}

/// Makes a problem of the values of a parameter.
type Problem<'a> = &'a dyn Fn(String) -> StudyProblem;

fn case_value(value: &toml::Value) -> Option<CaseValue> {
    match value {
        toml::Value::String(text) => Some(CaseValue::Text(text.clone())),
        other => number(other).map(CaseValue::Number),
    }
}

fn read_list(list: &[toml::Value], wrong: Problem<'_>) -> Result<Vec<CaseValue>, StudyProblem> {
    let each = |value: &toml::Value| {
        case_value(value).ok_or_else(|| {
            wrong(format!("a value is a number or a text, not {}", type_name(value)))
        })
    };
    list.iter().map(each).collect()
}

/// Values that are written as a table: listed with a base, a distribution, or a range.
fn read_table(
    table: &toml::Table,
    wrong: Problem<'_>,
) -> Result<(ParameterValues, Option<CaseValue>), StudyProblem> {
    let only = |allowed: &[&str]| match table.keys().find(|key| !allowed.contains(&key.as_str())) {
        None => Ok(()),
        Some(key) => {
            let is_known = value_keys().contains(&key.as_str());
            let beside = allowed.iter().find(|key| table.contains_key(**key)).unwrap_or(&"base");
            Err(match is_known {
                true => wrong(format!("`{key}` does not apply beside `{beside}`")),
                false => wrong(format!("a parameter does not take `{key}`")),
            }
            .word(key)
            .among(if is_known { "" } else { key }, allowed.iter().copied()))
        }
    };
    let number_of = |key: &str| match table.get(key) {
        None => Err(wrong(format!("`{key}` is missing")).help(FORMS)),
        Some(value) => number(value).ok_or_else(|| {
            wrong(format!("`{key}` must be a number, not {}", type_name(value))).word(key)
        }),
    };
    let base = match table.get("base") {
        None => None,
        Some(value) => Some(case_value(value).ok_or_else(|| {
            wrong(format!("`base` must be a number or a text, not {}", type_name(value)))
        })?),
    };
    if let Some(values) = table.get("values") {
        only(&["values", "base"])?;
        let toml::Value::Array(list) = values else {
            return Err(wrong(format!("`values` must be a list, not {}", type_name(values))));
        };
        return Ok((ParameterValues::List(read_list(list, wrong)?), base));
    }
    if let Some(word) = table.get("distribution") {
        let names = DISTRIBUTIONS.iter().map(|known| known.name);
        let word = word.as_str().ok_or_else(|| {
            let message = format!("`distribution` must be a word, not {}", type_name(word));
            wrong(message).among("", names.clone())
        })?;
        let kind = DISTRIBUTIONS.iter().find(|known| known.name == word).ok_or_else(|| {
            wrong(format!("there is no distribution `{word}`"))
                .word(word)
                .among(word, names.clone())
        })?;
        let keys = kind.keys.iter().map(|(key, _)| *key);
        only(&["distribution", "base"].into_iter().chain(keys.clone()).collect::<Vec<_>>())?;
        let numbers = keys.map(number_of).collect::<Result<Vec<f64>, _>>()?;
        return Ok((ParameterValues::Distribution((kind.build)(&numbers)), base));
    }
    let keys = RANGE_KEYS.iter().map(|(key, _)| *key);
    only(&std::iter::once("base").chain(keys).collect::<Vec<_>>())?;
    let [from, to] = [number_of("from")?, number_of("to")?];
    let is_logarithmic = match table.get("scale").map(toml::Value::as_str) {
        None | Some(Some("linear")) => false,
        Some(Some("logarithmic")) => true,
        Some(_) => {
            let problem = wrong("`scale` is `linear` or `logarithmic`".into());
            return Err(problem.word("scale"));
        }
    };
    let count = match table.get("count") {
        None => None,
        Some(toml::Value::Integer(count)) if *count > 0 => u64::try_from(*count).ok(),
        Some(_) => {
            let problem = wrong("`count` must be a whole number that is positive".into());
            return Err(problem.word("count"));
        }
    };
    let values = match count {
        Some(count) => ParameterValues::Range { from, to, count, is_logarithmic },
        // without a count, a uniform distribution
        None if is_logarithmic => {
            ParameterValues::Distribution(Distribution::LogUniform { from, to })
        }
        None => ParameterValues::Distribution(Distribution::Uniform { from, to }),
    };
    Ok((values, base))
}

/// Why values cannot be used.
fn refusal(values: &ParameterValues, base: Option<&CaseValue>) -> Option<&'static str> {
    let is_finite = |value: &CaseValue| !matches!(value, CaseValue::Number(x) if !x.is_finite());
    match values {
        _ if !base.is_none_or(is_finite) => Some("numbers must be finite"),
        ParameterValues::List(list) if list.is_empty() => Some("the list has no values"),
        ParameterValues::List(list) if !list.iter().all(is_finite) => {
            Some("numbers must be finite")
        }
        ParameterValues::List(_) => None,
        ParameterValues::Range { from, to, .. } if !(to - from).is_finite() => {
            Some("numbers must be finite")
        }
        ParameterValues::Range { from, to, is_logarithmic: true, .. }
            if *from <= 0.0 || *to <= 0.0 =>
        {
            Some("bounds of a logarithmic range must be positive")
        }
        ParameterValues::Range { .. } => None,
        ParameterValues::Distribution(distribution) => distribution.refusal(),
    }
}

/// The number of a value.
pub fn number(value: &toml::Value) -> Option<f64> {
    match value {
        toml::Value::Integer(x) => Some(*x as f64),
        toml::Value::Float(x) => Some(*x),
        _ => None,
    }
}

/// The type of a value, for messages.
pub fn type_name(value: &toml::Value) -> String {
    match value {
        toml::Value::String(text) => format!("the text `{text}`"),
        toml::Value::Integer(x) => format!("the number {x}"),
        toml::Value::Float(x) => format!("the number {x}"),
        toml::Value::Boolean(x) => x.to_string(),
        toml::Value::Datetime(_) => "a date".into(),
        toml::Value::Array(_) => "a list".into(),
        toml::Value::Table(_) => "a table".into(),
    }
}

/// The keys of the table of a parameter's values.
pub fn value_keys() -> Vec<&'static str> {
    let of_distributions = DISTRIBUTIONS.iter().flat_map(|known| known.keys.iter());
    let all = RANGE_KEYS.iter().chain(of_distributions).map(|(key, _)| *key);
    let mut keys: Vec<&str> = vec!["values", "base", "distribution"];
    for key in all {
        if !keys.contains(&key) {
            keys.push(key);
        }
    }
    keys
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Result<(ParameterValues, Option<CaseValue>), String> {
        let table: toml::Table = format!("k = {text}").parse().map_err(|x| format!("{x}"))?;
        read_values("k", &table["k"]).map_err(|problem| problem.to_string())
    }

    #[test]
    fn values_in_all_forms() -> Result<(), String> {
        let range = ParameterValues::Range { from: 1.0, to: 100.0, count: 3, is_logarithmic: true };
        let values: Vec<CaseValue> = (0..3).map(|k| range.get(k)).collect();
        assert_eq!(values, [1.0, 10.0, 100.0].map(CaseValue::Number));
        let written = read("{ from = 1, to = 100, count = 3, scale = \"logarithmic\" }")?;
        assert_eq!(written, (range, None));
        let base = Some(CaseValue::Number(2.0));
        let list =
            ParameterValues::List(vec![CaseValue::Number(1.0), CaseValue::Text("2*a".into())]);
        assert_eq!(read("{ values = [1, \"2*a\"], base = 2 }")?, (list.clone(), base));
        assert_eq!(read("[1, \"2*a\"]")?, (list, None));
        let normal = Distribution::Normal { mean: 1.0, deviation: 0.5 };
        let written = read("{ distribution = \"normal\", mean = 1, deviation = 0.5 }")?;
        assert_eq!(written, (ParameterValues::Distribution(normal), None));
        Ok(())
    }

    #[test]
    fn wrong_values_are_refused_with_the_reason() {
        let wrong = [
            ("[]", "the list has no values"),
            ("[nan]", "numbers must be finite"),
            ("true", "values of a parameter are not true"),
            ("[[1]]", "a value is a number or a text, not a list"),
            ("{ from = 1 }", "`to` is missing"),
            ("{ from = 1, to = \"2\" }", "`to` must be a number, not the text `2`"),
            ("{ from = 1, too = 2 }", "does not take `too`\n  try: did you mean `to`?"),
            ("{ from = 1, to = 2, count = 0 }", "`count` must be a whole number that is positive"),
            ("{ from = 2, to = 1 }", "`from` must be smaller than `to`"),
            ("{ from = 0, to = 1, scale = \"logarithmic\" }", "`from` must be positive"),
            ("{ from = 0, to = 1, scale = 2 }", "`scale` is `linear` or `logarithmic`"),
            ("{ values = [1], from = 1 }", "`from` does not apply beside `values`"),
            ("{ distribution = \"gauss\" }", "there is no distribution `gauss`"),
            ("{ distribution = \"normal\", mean = 1 }", "`deviation` is missing"),
            (
                "{ distribution = \"normal\", mean = 1, deviation = 0 }",
                "`deviation` must be positive",
            ),
            (
                "{ distribution = \"normal\", mean = 1, deviation = 1, to = 3 }",
                "`to` does not apply",
            ),
        ];
        for (text, reason) in wrong {
            let found = read(text).err();
            assert!(found.as_ref().is_some_and(|x| x.contains(reason)), "{text}: {found:?}");
        }
    }
}
