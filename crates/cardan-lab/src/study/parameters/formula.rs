//! Quantities: formulas over the results of a case.
//!
//! ```text
//! max(abs(arm.angle)) - 2*at(1.5, tip.position.x)
//! ├ functions of results (result_functions): of channels over time, of events, of modes
//! ├ numbers of a run: drift, wall_time, steps, newton_iterations
//! └ functions, constants and parameters
//! ```

use cardan::expression::{Expression, FUNCTIONS};
use cardan::suggestion;

use super::result_functions::{
    EventQuantity, ModeQuantity, RESULT_FUNCTIONS, Reduction, ResultFunctionKind,
};

use super::problem::StudyProblem;

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
        quantity: ModeQuantity,
        number: StudyFormula,
    },
    Event {
        quantity: EventQuantity,
        name: String,
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
    /// The times and names of the events that happened, in order.
    pub events: &'a [(f64, String)],
    /// Whether more events happened than are listed.
    pub has_more_events: bool,
}

/// Columns that vary over time by their place among the inputs, and the values of all inputs.
type PreparedInputs = (Vec<(usize, usize)>, Vec<f64>);

impl StudyFormula {
    /// Parses a formula.
    pub fn parse(text: &str) -> Result<Self, StudyProblem> {
        Self::parse_within(text, MAX_DEPTH)
    }

    fn parse_within(text: &str, depth: usize) -> Result<Self, StudyProblem> {
        if depth == 0 {
            return Err(StudyProblem::new("too many formulas within formulas"));
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
            let of_results = RESULT_FUNCTIONS.iter().filter(|known| called && known.name == name);
            let fits = |arguments: &[&str]| {
                of_results.clone().find(|known| known.arguments.len() == arguments.len())
            };
            let input = if let Some(function) = fits(&arguments) {
                match function.kind {
                    ResultFunctionKind::Reduction(reduction) => {
                        let of = parse(arguments[arguments.len() - 1])?;
                        let time =
                            (arguments.len() == 2).then(|| parse(arguments[0])).transpose()?;
                        Input::Reduced { reduction, of, time }
                    }
                    ResultFunctionKind::Mode(quantity) => {
                        Input::Mode { quantity, number: parse(arguments[0])? }
                    }
                    ResultFunctionKind::Event(quantity) => {
                        let event = arguments[0].trim_matches(['\'', '"']);
                        if event.is_empty() {
                            let message = format!("`{name}` takes the name of an event");
                            return Err(StudyProblem::new(message).word(name));
                        }
                        Input::Event { quantity, name: event.into() }
                    }
                }
            } else if called {
                let is_function = FUNCTIONS.iter().any(|known| known.name == name);
                if !is_function {
                    return Err(unknown_function(name, arguments.len()));
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
        let expression = Expression::parse_of(&plain, &names).map_err(|error| {
            let problem = StudyProblem { help: error.help, ..StudyProblem::new(error.message) };
            // a part of the formula that has no replaced names can be found in the text
            match plain.get(error.span).map(str::trim) {
                Some(word) if !word.is_empty() && text.contains(word) => problem.word(word),
                _ => problem.word(text),
            }
        })?;
        Ok(Self { text: text.into(), expression, inputs })
    }

    /// The text.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// The names of parameters, numbers and channels in it.
    pub fn names(&self) -> Vec<&str> {
        let mut found = Vec::new();
        self.visit(&mut |input| {
            if let Input::Name(name) = input {
                found.push(name.as_str());
            }
        });
        found
    }

    /// Whether it needs modes.
    pub fn needs_modes(&self) -> bool {
        self.has_input(&|input| matches!(input, Input::Mode { .. }))
    }

    /// The names of events in it.
    pub fn events(&self) -> Vec<&str> {
        let mut found = Vec::new();
        self.visit(&mut |input| {
            if let Input::Event { name, .. } = input {
                found.push(name.as_str());
            }
        });
        found
    }

    fn has_input(&self, is_it: &dyn Fn(&Input) -> bool) -> bool {
        let mut has = false;
        self.visit(&mut |input| has |= is_it(input));
        has
    }

    /// Calls a function with each input, also of the formulas within this one.
    fn visit<'a>(&'a self, each: &mut dyn FnMut(&'a Input)) {
        for input in &self.inputs {
            each(input);
            match input {
                Input::Name(_) | Input::Event { .. } => {}
                Input::Reduced { of, time, .. } => {
                    of.visit(each);
                    time.iter().for_each(|time| time.visit(each));
                }
                Input::Mode { number, .. } => number.visit(each),
            }
        }
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
                    values[k] = quantity.of(results.modes, number.value(results)?);
                }
                Input::Event { quantity, name } => {
                    values[k] = quantity.of(results.events, results.has_more_events, name);
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

/// The problem of a function that cannot be used.
fn unknown_function(name: &str, arguments: usize) -> StudyProblem {
    let known = RESULT_FUNCTIONS.iter().map(|known| known.name);
    if known.clone().any(|known| known == name) {
        let message = format!("`{name}` does not take {arguments} arguments");
        return StudyProblem::new(message).word(name);
    }
    let problem = StudyProblem::new(format!("there is no function `{name}`")).word(name);
    let functions = FUNCTIONS.iter().map(|known| known.name);
    match suggestion::nearest(name, known.clone().chain(functions)) {
        Some(nearest) => problem.help(format!("did you mean `{nearest}`?")),
        None => {
            problem.help(format!("of results there are {}", known.collect::<Vec<_>>().join(", ")))
        }
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
fn arguments(text: &str) -> Result<(Vec<&str>, usize), StudyProblem> {
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
    Err(StudyProblem::new("a parenthesis is not closed"))
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
            events: &[(0.5, "hit".into()), (0.75, "stop".into()), (2.0, "hit".into())],
            has_more_events: false,
        };
        StudyFormula::parse(text).map_err(|problem| problem.to_string())?.value(&results)
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
            ("event_time(hit) + 10*event_count('hit')", 20.5),
            ("if(event_count(late) > 0, 1, 2)", 2.0),
        ];
        for (text, expected) in known {
            let found = value(text)?;
            assert!((found - expected).abs() < 1e-14, "{text}: {found} instead of {expected}");
        }
        for text in [
            "max(a.y)",
            "mean(a.y)",
            "at(4, a.x)",
            "at(-1, a.x)",
            "frequency(3)",
            "frequency(0)",
            "event_time(late)",
        ] {
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
            ("integrall(a.x)", "did you mean `integral`?"),
            ("event_time()", "takes the name of an event"),
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
