//! Quantities: formulas over the results of a case.
//!
//! ```text
//! max(abs(arm.angle)) - 2*at(1.5, tip.position.x)
//! ├ reductions of a channel over time: max, min, mean, rms, integral, initial, final, at
//! ├ numbers of a run: drift, wall_time, steps, newton_iterations
//! ├ of modes: frequency(1), damping(1)
//! └ functions, constants and parameters
//! ```

use cardan::expression::{Expression, FUNCTIONS};

use crate::error::LabError;

/// A reduction of a channel over time to a number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Reduction {
    Max,
    Min,
    Mean,
    Rms,
    Integral,
    Initial,
    Final,
    At,
}

/// The reductions with the number of their arguments.
const REDUCTIONS: [(&str, usize, Reduction); 8] = [
    ("max", 1, Reduction::Max),
    ("min", 1, Reduction::Min),
    ("mean", 1, Reduction::Mean),
    ("rms", 1, Reduction::Rms),
    ("integral", 1, Reduction::Integral),
    ("initial", 1, Reduction::Initial),
    ("final", 1, Reduction::Final),
    ("at", 2, Reduction::At),
];

/// Functions of the number of a mode.
const OF_MODES: [&str; 2] = ["frequency", "damping"];

/// Words of formulas that are no channels.
const WORDS: [&str; 6] = ["pi", "e", "deg", "and", "or", "not"];

/// Formulas within formulas, at most.
const MAX_DEPTH: usize = 20;

/// A formula over results.
#[derive(Clone, Debug)]
pub struct StudyFormula {
    text: String,
    expression: Expression,
    inputs: Vec<Input>,
}

#[derive(Clone, Debug)]
enum Input {
    /// A parameter, a number of the run, or a channel.
    Name(String),
    Reduced {
        reduction: Reduction,
        of: StudyFormula,
        time: Option<StudyFormula>,
    },
    Mode {
        quantity: usize,
        number: StudyFormula,
    },
}

/// The results of a case, as formulas see them.
pub struct CaseResults<'a> {
    /// Names and values: parameters, numbers of the run.
    pub numbers: &'a [(String, f64)],
    /// Names of the columns; the first is time.
    pub names: &'a [String],
    /// The columns.
    pub columns: &'a [Vec<f64>],
    /// Frequencies in hertz and damping ratios of the modes.
    pub modes: &'a [[f64; 2]],
}

/// Columns that vary over time by their place among the inputs, and the values of all inputs.
type PreparedInputs = (Vec<(usize, usize)>, Vec<f64>);

impl StudyFormula {
    /// Parses a formula.
    pub fn parse(text: &str) -> Result<Self, LabError> {
        Self::parse_within(text, MAX_DEPTH)
            .map_err(|reason| LabError::input(format!("`{text}`: {reason}")))
    }

    fn parse_within(text: &str, depth: usize) -> Result<Self, String> {
        if depth == 0 {
            return Err("too many formulas within formulas".into());
        }
        let (mut plain, mut inputs) = (String::new(), Vec::new());
        let mut rest = text;
        while let Some(first) = rest.chars().next() {
            let length = token_length(rest, first);
            let token = &rest[..length];
            rest = &rest[length..];
            let is_name = first.is_alphabetic() || first == '_' || first == '\'' || first == '"';
            if !is_name {
                plain += token;
                continue;
            }
            let name = token.trim_matches(['\'', '"']);
            let (called, place) = match rest.trim_start().strip_prefix('(') {
                Some(after) => (true, rest.len() - after.len()),
                None => (false, 0),
            };
            let (arguments, end) = match called {
                true => arguments(&rest[place..])?,
                false => (Vec::new(), 0),
            };
            let parse = |text: &str| Self::parse_within(text, depth - 1);
            let found =
                REDUCTIONS.iter().find(|(known, n, _)| *known == name && *n == arguments.len());
            let input = if let (true, Some(&(_, _, reduction))) = (called, found) {
                let of = parse(arguments[arguments.len() - 1])?;
                let time = (arguments.len() == 2).then(|| parse(arguments[0])).transpose()?;
                Input::Reduced { reduction, of, time }
            } else if let (true, Some(quantity)) =
                (called, OF_MODES.iter().position(|x| *x == name))
            {
                let [number] = arguments[..] else {
                    return Err(format!("`{name}` takes the number of a mode: {name}(1)"));
                };
                Input::Mode { quantity, number: parse(number)? }
            } else if called {
                let is_function = FUNCTIONS.iter().any(|known| known.name == name);
                if !is_function {
                    let known = REDUCTIONS.iter().map(|(known, ..)| *known).chain(OF_MODES);
                    let known: Vec<&str> = known.collect();
                    return Err(match known.contains(&name) {
                        true => format!("`{name}` does not take {} arguments", arguments.len()),
                        false => format!(
                            "there is no function `{name}`; over results there are {}",
                            known.join(", ")
                        ),
                    });
                }
                plain += name;
                continue;
            } else if WORDS.contains(&name) {
                plain += &format!(" {name} ");
                continue;
            } else {
                Input::Name(name.into())
            };
            if called {
                rest = &rest[place + end..];
            }
            plain += &format!(" x{} ", inputs.len());
            inputs.push(input);
        }
        let names: Vec<String> = (0..inputs.len()).map(|k| format!("x{k}")).collect();
        let names: Vec<&str> = names.iter().map(String::as_str).collect();
        let expression = Expression::parse_of(&plain, &names).map_err(|error| error.to_string())?;
        Ok(Self { text: text.into(), expression, inputs })
    }

    /// The text.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// The names of parameters, numbers and channels in it.
    pub fn names(&self) -> Vec<&str> {
        let each = self.inputs.iter().flat_map(|input| match input {
            Input::Name(name) => vec![name.as_str()],
            Input::Reduced { of, time, .. } => {
                of.names().into_iter().chain(time.iter().flat_map(Self::names)).collect()
            }
            Input::Mode { number, .. } => number.names(),
        });
        each.collect()
    }

    /// Whether it needs modes.
    pub fn needs_modes(&self) -> bool {
        self.inputs.iter().any(|input| match input {
            Input::Name(_) => false,
            Input::Reduced { of, time, .. } => {
                of.needs_modes() || time.as_ref().is_some_and(Self::needs_modes)
            }
            Input::Mode { .. } => true,
        })
    }

    /// The value. A channel outside of a reduction has a value only if there is one row.
    pub fn value(&self, results: &CaseResults<'_>) -> Result<f64, String> {
        let (series, mut values) = self.prepared(results)?;
        for (k, column) in &series {
            values[*k] = match &results.columns[*column][..] {
                [only] => *only,
                _ => {
                    return Err(format!(
                        "`{}` has many values over time\n  try: final({0}), max({0}), at(1.0, {0})",
                        results.names[*column]
                    ));
                }
            };
        }
        Ok(self.expression.of(&values))
    }

    /// The inputs: columns that vary over time by their place among the inputs, and the values of all others.
    fn prepared(&self, results: &CaseResults<'_>) -> Result<PreparedInputs, String> {
        let mut series = Vec::new();
        let mut values = vec![f64::NAN; self.inputs.len()];
        for (k, input) in self.inputs.iter().enumerate() {
            match input {
                Input::Name(name) => {
                    let wanted = if name == "t" { "time" } else { name };
                    if let Some((_, x)) = results.numbers.iter().find(|(known, _)| known == name) {
                        values[k] = *x;
                    } else if let Some(column) = results.names.iter().position(|x| x == wanted) {
                        series.push((k, column));
                    } else {
                        let part = format!("{name}.");
                        let parts: Vec<&str> = results
                            .names
                            .iter()
                            .filter(|x| x.starts_with(&part))
                            .map(String::as_str)
                            .collect();
                        return Err(match parts.is_empty() {
                            true => format!("there is no channel or parameter `{name}`"),
                            false => {
                                format!("`{name}` is a vector: there are {}", parts.join(", "))
                            }
                        });
                    }
                }
                Input::Mode { quantity, number } => {
                    let number = number.value(results)?;
                    let mode = results.modes.get((number - 1.0).max(0.0) as usize);
                    // a model with fewer modes has no such frequency
                    values[k] = mode.filter(|_| number >= 1.0).map_or(f64::NAN, |x| x[*quantity]);
                }
                Input::Reduced { reduction, of, time } => {
                    let time = time.as_ref().map(|time| time.value(results)).transpose()?;
                    values[k] = reduction.of(&results.columns[0], &of.over_time(results)?, time);
                }
            }
        }
        Ok((series, values))
    }

    /// The values at all rows.
    fn over_time(&self, results: &CaseResults<'_>) -> Result<Vec<f64>, String> {
        let (series, mut values) = self.prepared(results)?;
        let rows = results.columns.first().map_or(0, Vec::len);
        let at = |row: usize| {
            for (k, column) in &series {
                values[*k] = results.columns[*column][row];
            }
            self.expression.of(&values)
        };
        Ok((0..rows).map(at).collect())
    }
}

impl Reduction {
    /// The number; NaN where a value is NaN or there are none.
    fn of(self, time: &[f64], values: &[f64], at: Option<f64>) -> f64 {
        let extreme = |pick: fn(f64, f64) -> f64| {
            let larger =
                |a: f64, b: f64| if a.is_nan() || b.is_nan() { f64::NAN } else { pick(a, b) };
            values.iter().copied().reduce(larger).unwrap_or(f64::NAN)
        };
        let duration = match (time.first(), time.last()) {
            (Some(first), Some(last)) => last - first,
            _ => f64::NAN,
        };
        let average = |of: &dyn Fn(f64) -> f64| match values {
            [only] => of(*only),
            _ => trapezoid(time, values, of) / duration,
        };
        match self {
            Self::Max => extreme(f64::max),
            Self::Min => extreme(f64::min),
            Self::Mean => average(&|x| x),
            Self::Rms => average(&|x| x * x).sqrt(),
            Self::Integral => trapezoid(time, values, &|x| x),
            Self::Initial => values.first().copied().unwrap_or(f64::NAN),
            Self::Final => values.last().copied().unwrap_or(f64::NAN),
            Self::At => interpolated(time, values, at.unwrap_or(f64::NAN)),
        }
    }
}

/// The integral over time by the trapezoidal rule.
fn trapezoid(time: &[f64], values: &[f64], of: &dyn Fn(f64) -> f64) -> f64 {
    let pairs = time.windows(2).zip(values.windows(2));
    pairs.map(|(t, x)| 0.5 * (t[1] - t[0]) * (of(x[0]) + of(x[1]))).sum()
}

/// The value at a time, linear between rows; NaN outside of them. Round-off of the times of rows has no effect.
fn interpolated(time: &[f64], values: &[f64], at: f64) -> f64 {
    let next = time.partition_point(|t| *t < at);
    let tolerance = 1e-12 * time.iter().fold(0.0_f64, |most, t| most.max(t.abs()));
    let near = [next.checked_sub(1), Some(next)].into_iter().flatten();
    let mut exact = near.filter(|k| time.get(*k).is_some_and(|t| (t - at).abs() <= tolerance));
    if let Some(k) = exact.next() {
        return values[k];
    }
    match next.checked_sub(1) {
        Some(k) if next < time.len() => {
            let part = (at - time[k]) / (time[next] - time[k]);
            values[k] + part * (values[next] - values[k])
        }
        _ => f64::NAN,
    }
}

/// The length of the number, name, quoted name or character at the beginning of a text.
fn token_length(text: &str, first: char) -> usize {
    if first == '\'' || first == '"' {
        return text[1..].find(first).map_or(text.len(), |end| end + 2);
    }
    let until = |is_part: &dyn Fn(char) -> bool| text.find(|c| !is_part(c)).unwrap_or(text.len());
    if first.is_alphabetic() || first == '_' {
        return until(&|c| c.is_alphanumeric() || c == '_' || c == '.');
    }
    if first.is_ascii_digit() || first == '.' {
        let digits = until(&|c| c.is_ascii_digit() || c == '.');
        let rest = &text[digits..];
        let Some(exponent) = rest.strip_prefix(['e', 'E']) else { return digits };
        let unsigned = exponent.strip_prefix(['+', '-']).unwrap_or(exponent);
        let power = unsigned.find(|c: char| !c.is_ascii_digit()).unwrap_or(unsigned.len());
        return if power == 0 { digits } else { text.len() - unsigned.len() + power };
    }
    first.len_utf8()
}

/// The arguments in parentheses, of which the first is open already, and the length up to and with the closing one.
fn arguments(text: &str) -> Result<(Vec<&str>, usize), String> {
    let (mut depth, mut from, mut found) = (0, 0, Vec::new());
    for (at, c) in text.char_indices() {
        match c {
            '(' => depth += 1,
            ')' if depth == 0 => {
                found.push(text[from..at].trim());
                return Ok((found, at + 1));
            }
            ')' => depth -= 1,
            ',' if depth == 0 => {
                found.push(text[from..at].trim());
                from = at + 1;
            }
            _ => {}
        }
    }
    Err("a parenthesis is not closed".into())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn value(text: &str) -> Result<f64, String> {
        let names = ["time", "a.x", "a.y"].map(String::from);
        let columns = [vec![0.0, 1.0, 3.0], vec![1.0, -5.0, 2.0], vec![0.0, f64::NAN, 1.0]];
        let numbers = [("drift".to_string(), 0.25), ("L".to_string(), 2.0)];
        let results = CaseResults {
            numbers: &numbers,
            names: &names,
            columns: &columns,
            modes: &[[3.0, 0.01], [7.0, 0.02]],
        };
        StudyFormula::parse(text).map_err(|error| error.message)?.value(&results)
    }

    /// Values by hand: rows (0, 1), (1, −5), (3, 2).
    #[test]
    fn formulas_over_results() -> Result<(), String> {
        let known = [
            ("max(abs(a.x))", 5.0),
            ("max(a.x)", 2.0),
            ("max(1, 2)", 2.0),
            ("min(a.x)/L", -2.5),
            ("integral(a.x)", -5.0),
            ("mean(a.x)", -5.0 / 3.0),
            // trapezoids of the squares: (1 + 25)/2 + (25 + 4)
            ("rms(a.x)", (42.0_f64 / 3.0).sqrt()),
            ("at(2.0, a.x)", -1.5),
            ("at(1, 2*a.x)", -10.0),
            ("final(a.x) + initial('a.x')", 3.0),
            ("max(abs(a.x - mean(a.x)))", 2.0 + 5.0 / 3.0),
            ("max(t)", 3.0),
            ("drift*4", 1.0),
            ("frequency(2) - frequency(1)", 4.0),
            ("damping(2)", 0.02),
            ("if(max(a.x) > 1e0, 2.5e-1, 0)", 0.25),
            ("cos(pi)", -1.0),
        ];
        for (text, expected) in known {
            let found = value(text)?;
            assert!((found - expected).abs() < 1e-14, "{text}: {found} instead of {expected}");
        }
        for text in
            ["max(a.y)", "mean(a.y)", "at(4, a.x)", "at(-1, a.x)", "frequency(3)", "frequency(0)"]
        {
            assert!(value(text)?.is_nan(), "{text}");
        }
        Ok(())
    }

    #[test]
    fn wrong_formulas_are_refused() {
        let wrong = [
            ("a.x", "many values over time"),
            ("max(b.x)", "there is no channel or parameter `b.x`"),
            ("max(a)", "`a` is a vector: there are a.x, a.y"),
            ("max(a.x", "not closed"),
            ("biggest(a.x)", "there is no function `biggest`"),
            ("mean(a.x, 1)", "does not take 2 arguments"),
            ("", ""),
            ("'", ""),
            ("max()", ""),
            ("1 +", ""),
        ];
        for (text, reason) in wrong {
            let found = value(text).err();
            assert!(found.as_ref().is_some_and(|x| x.contains(reason)), "{text}: {found:?}");
        }
        assert!(value(&("max(".repeat(10_000) + &")".repeat(10_000))).is_err());
    }
}
