//! From tokens to operations: precedence climbing, with a bound on nesting.

use std::ops::Range;
use std::sync::Arc;

use super::arguments;
use super::error::ExpressionError;
use super::evaluate;
use super::function::{FUNCTIONS, FunctionKind};
use super::lexer::{Token, split};
use super::names::{Channels, FormulaNames};
use super::noise::BandNoise;
use super::operation::{Binary, MAX_STACK, Operation};
use crate::table::Table;
use cardan_core::suggestion;

/// Longer texts are refused.
const MAX_LENGTH: usize = 100_000;
/// Parentheses, calls and signs within each other.
const MAX_NESTED: usize = 100;

/// More names than this are not listed in a message.
const MAX_LISTED: usize = 12;

const CONSTANTS: [(&str, f64); 3] = [
    ("pi", std::f64::consts::PI),
    ("e", std::f64::consts::E),
    ("deg", std::f64::consts::PI / 180.0),
];

/// Binary operators with how tightly they bind.
const OPERATORS: [(&str, u8, Binary); 13] = [
    ("or", 1, Binary::Or),
    ("and", 2, Binary::And),
    ("<", 4, Binary::Less),
    ("<=", 4, Binary::LessEqual),
    (">", 4, Binary::Greater),
    (">=", 4, Binary::GreaterEqual),
    ("==", 4, Binary::Equal),
    ("!=", 4, Binary::Unequal),
    ("+", 5, Binary::Add),
    ("-", 5, Binary::Subtract),
    ("*", 6, Binary::Multiply),
    ("/", 6, Binary::Divide),
    ("^", 8, Binary::Power),
];
const NOT: u8 = 3;
const SIGN: u8 = 7;

struct Parser<'a> {
    tokens: Vec<(Token, Range<usize>)>,
    at: usize,
    end: usize,
    names: FormulaNames<'a>,
    operations: Vec<Operation>,
    nested: usize,
    /// The variables that were found in the text; they follow the given ones.
    found: Vec<FoundVariable>,
}

/// A variable that a formula uses by name.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct FoundVariable {
    pub source: VariableSource,
    /// The bytes of the text in which it first occurs.
    pub span: Range<usize>,
}

/// What a variable of a formula stands for.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum VariableSource {
    /// A channel, signal, state or input.
    Named(String),
    /// The value of a part of the formula at the last accepted instant; its operations.
    Previous(Vec<Operation>),
}

/// A formula as operations in postfix order, and the variables that were found in it.
pub(super) struct Parsed {
    pub operations: Vec<Operation>,
    pub found: Vec<FoundVariable>,
}

/// Parses a formula to operations in postfix order.
pub(super) fn parse(text: &str, names: FormulaNames<'_>) -> Result<Parsed, ExpressionError> {
    if text.len() > MAX_LENGTH {
        let message =
            format!("this formula has {} characters, more than {MAX_LENGTH}", text.chars().count());
        return Err(ExpressionError::new(message, 0..text.len()));
    }
    let tokens = split(text)?;
    if tokens.is_empty() {
        return Err(ExpressionError::new("there is no formula here", 0..text.len()));
    }
    let mut parser = Parser {
        tokens,
        at: 0,
        end: text.len(),
        names,
        operations: Vec::new(),
        nested: 0,
        found: Vec::new(),
    };
    parser.binary(0)?;
    let constants = CONSTANTS.iter().chain(names.parameters).map(|(known, _)| *known);
    let is_known =
        |name: &str| constants.clone().chain(names.variables.iter().copied()).any(|x| x == name);
    if let Some((token, span)) = parser.tokens.get(parser.at) {
        let error = |message: &str| ExpressionError::new(message, span.clone());
        let operator = || error("an operator is missing before this");
        return Err(match token {
            Token::Symbol(")") => error("this parenthesis closes nothing"),
            Token::Symbol(",") => {
                error("`,` is not expected here").help("the decimal sign is a point")
            }
            Token::Symbol(symbol) => error(&format!("`{symbol}` is not expected here")),
            Token::Name(name) if is_known(name) => {
                operator().help(format!("a product is written `*{name}`"))
            }
            Token::Name(_) | Token::Dotted(_) => operator().help("units are not written"),
            _ => operator(),
        });
    }
    let Parser { operations, found, .. } = parser;
    let previous = found.iter().filter_map(|variable| match &variable.source {
        VariableSource::Previous(operations) => Some(operations),
        VariableSource::Named(_) => None,
    });
    let fits = previous.chain([&operations]).all(|operations| fits_stack(operations));
    match fits {
        true => Ok(Parsed { operations, found }),
        false => Err(too_deep(0..text.len())),
    }
}

/// Whether the evaluation of operations needs no more values at a time than there is room for.
pub(super) fn fits_stack(operations: &[Operation]) -> bool {
    let mut depth = 0_usize;
    operations.iter().all(|operation| {
        depth = depth + 1 - operation.takes();
        depth <= MAX_STACK
    })
}

fn too_deep(span: Range<usize>) -> ExpressionError {
    ExpressionError::new("this formula is too deeply nested", span)
        .help("use parameters for parts of it")
}

impl Parser<'_> {
    fn symbol(&self) -> Option<&str> {
        match self.tokens.get(self.at) {
            Some((Token::Symbol(symbol), _)) => Some(symbol),
            Some((Token::Name(name), _)) if matches!(name.as_str(), "and" | "or" | "not") => {
                Some(name)
            }
            _ => None,
        }
    }

    /// The place of the current token, or of the end.
    fn span(&self) -> Range<usize> {
        self.tokens.get(self.at).map_or(self.end..self.end, |(_, span)| span.clone())
    }

    fn fail<T>(&self, message: impl Into<String>) -> Result<T, ExpressionError> {
        Err(ExpressionError::new(message, self.span()))
    }

    fn expect(&mut self, symbol: &str, because: &str) -> Result<(), ExpressionError> {
        match self.symbol() == Some(symbol) {
            true => {
                self.at += 1;
                Ok(())
            }
            false => self.fail(format!("`{symbol}` is missing here: {because}")),
        }
    }

    /// Parses operators that bind at least as tightly as `least`.
    fn binary(&mut self, least: u8) -> Result<(), ExpressionError> {
        self.nested += 1;
        if self.nested > MAX_NESTED {
            return Err(too_deep(self.span()));
        }
        self.prefix()?;
        let mut compared = false;
        while let Some(symbol) = self.symbol() {
            let Some(&(_, tightness, operation)) = OPERATORS
                .iter()
                .find(|(known, tightness, _)| *known == symbol && *tightness >= least)
            else {
                break;
            };
            if tightness == 4 {
                if compared {
                    return self.fail("comparisons do not chain: join them with `and`");
                }
                compared = true;
            }
            self.at += 1;
            // powers bind to the right, everything else to the left
            let right = if operation == Binary::Power { tightness } else { tightness + 1 };
            self.binary(right)?;
            self.operations.push(Operation::Binary(operation));
        }
        self.nested -= 1;
        Ok(())
    }

    /// A sign, a `not`, or an operand.
    fn prefix(&mut self) -> Result<(), ExpressionError> {
        match self.symbol() {
            Some("-") => {
                self.at += 1;
                self.binary(SIGN)?;
                self.operations.push(Operation::Negate);
                Ok(())
            }
            Some("+") => {
                self.at += 1;
                self.binary(SIGN)
            }
            Some("not") => {
                self.at += 1;
                self.binary(NOT)?;
                self.operations.push(Operation::Not);
                Ok(())
            }
            _ => self.operand(),
        }
    }

    fn operand(&mut self) -> Result<(), ExpressionError> {
        let Some((token, span)) = self.tokens.get(self.at).cloned() else {
            return self.fail("the formula ends where a value is expected");
        };
        match token {
            Token::Number(x) => {
                self.at += 1;
                self.operations.push(Operation::Number(x));
                Ok(())
            }
            Token::Symbol("(") => {
                self.at += 1;
                self.binary(0)?;
                self.expect(")", "a parenthesis was opened")
            }
            Token::Name(name) => {
                self.at += 1;
                match self.symbol() == Some("(") {
                    true => self.call(&name, span),
                    false => self.named(&name, span),
                }
            }
            Token::Dotted(name) if matches!(self.names.channels, Channels::Named(_)) => {
                self.at += 1;
                self.find(VariableSource::Named(name), span);
                Ok(())
            }
            Token::Dotted(name) => {
                let error = |message: String| ExpressionError::new(message, self.span());
                Err(match self.names.channels {
                    Channels::None => error(format!(
                        "`{name}` has no value here: channels and points are not part of formulas"
                    ))
                    .help(self.may_use()),
                    _ => error(format!("`{name}` has no value here"))
                        .help("write channels in backquotes"),
                })
            }
            Token::Text(_) => {
                let error = ExpressionError::new("a value is expected here, not text", span);
                Err(error.help("text in quotes names a file or a column of `table(…)`"))
            }
            Token::Symbol(symbol) => self.fail(format!("a value is expected here, not `{symbol}`")),
        }
    }

    /// The names that a formula at this place may use.
    fn may_use(&self) -> String {
        let list = |names: &[&str]| {
            names.iter().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ")
        };
        let parameters: Vec<&str> = self.names.parameters.iter().map(|(name, _)| *name).collect();
        let mut parts = Vec::new();
        match self.names.variables.len() {
            0 => {}
            1..=MAX_LISTED => parts.push(list(self.names.variables)),
            n => parts.push(format!("{n} variables")),
        }
        match parameters.len() {
            0 => {}
            1 => parts.push(format!("the parameter {}", list(&parameters))),
            2..=MAX_LISTED => parts.push(format!("the parameters {}", list(&parameters))),
            _ => parts.push("the parameters".into()),
        }
        if let Channels::Named(known) = self.names.channels {
            match known.len() {
                0 => {}
                1..=MAX_LISTED => {
                    parts.push(list(&known.iter().map(String::as_str).collect::<Vec<_>>()));
                }
                _ => parts.push("signals".into()),
            }
            parts.push("channels such as `arm.angle`".into());
        }
        parts.push("numbers".into());
        parts.push("functions".into());
        format!("a formula here may use {}", parts.join(", "))
    }

    /// Adds a variable that the text names.
    fn find(&mut self, source: VariableSource, span: Range<usize>) {
        let known = self.found.iter().position(|variable| variable.source == source);
        let k = known.unwrap_or_else(|| {
            self.found.push(FoundVariable { source, span });
            self.found.len() - 1
        });
        self.operations.push(Operation::Variable(self.names.variables.len() + k));
    }

    /// `previous(x)`: the value of x at the last accepted instant.
    fn previous(&mut self, span: Range<usize>) -> Result<(), ExpressionError> {
        self.at += 1;
        let first = self.operations.len();
        self.binary(0)?;
        self.expect(")", "`previous` takes one value")?;
        let operations = self.operations.split_off(first);
        let is_nested = |operation: &Operation| match operation {
            Operation::Variable(k) => k
                .checked_sub(self.names.variables.len())
                .is_some_and(|k| matches!(self.found[k].source, VariableSource::Previous(_))),
            _ => false,
        };
        if operations.iter().any(is_nested) {
            let message = "`previous` cannot be used within `previous`";
            return Err(ExpressionError::new(message, span).help("use a signal for the inner one"));
        }
        self.find(VariableSource::Previous(operations), span);
        Ok(())
    }

    /// A constant, a parameter, or a variable.
    fn named(&mut self, name: &str, span: Range<usize>) -> Result<(), ExpressionError> {
        let given = self.names.parameters.iter().find(|(known, _)| *known == name);
        let constant = CONSTANTS.iter().find(|(known, _)| *known == name);
        let variable = self.names.variables.iter().position(|known| *known == name);
        let operation = match (variable, given.or(constant)) {
            (Some(k), _) => Operation::Variable(k),
            (_, Some((_, value))) => Operation::Number(*value),
            _ if matches!(self.names.channels, Channels::Named(known) if known.contains(name)) => {
                self.find(VariableSource::Named(name.into()), span);
                return Ok(());
            }
            _ => {
                let known = self.names.parameters.iter().chain(&CONSTANTS).map(|(known, _)| *known);
                let signals = match self.names.channels {
                    Channels::Named(signals) => Some(signals),
                    _ => None,
                };
                let known = known.chain(signals.into_iter().flatten().map(String::as_str));
                let is_function = FUNCTIONS.iter().any(|function| function.name == name)
                    || self.names.tables.named(name).is_some();
                let help = match suggestion::nearest(
                    name,
                    known.chain(self.names.variables.iter().copied()),
                ) {
                    _ if name == "t" => format!("`t` is not allowed here: {}", self.may_use()),
                    _ if name.contains(['²', '³']) => "powers are written x^2, x^3".into(),
                    _ if is_function => format!("the function is written `{name}(…)`"),
                    _ if name.eq_ignore_ascii_case("time") => "time is `t`".into(),
                    Some(nearest) => format!("did you mean `{nearest}`?"),
                    None => self.may_use(),
                };
                return Err(ExpressionError::new(format!("there is no `{name}`"), span).help(help));
            }
        };
        self.operations.push(operation);
        Ok(())
    }

    fn call(&mut self, name: &str, span: Range<usize>) -> Result<(), ExpressionError> {
        if name == "previous" && matches!(self.names.channels, Channels::Named(_)) {
            return self.previous(span);
        }
        if name == "table" {
            return self.table_of_file(span);
        }
        if let Some(table) = self.names.tables.named(name) {
            return self.named_table(table, span);
        }
        let Some(function) = FUNCTIONS.iter().find(|function| function.name == name) else {
            let tables = self.names.tables.names();
            let known = FUNCTIONS.iter().map(|function| function.name);
            let nearest = suggestion::nearest(name, known.chain(tables.iter().map(String::as_str)));
            let error = ExpressionError::new(format!("there is no function `{name}`"), span);
            return Err(match nearest {
                Some(name) => error.help(format!("did you mean `{name}`?")),
                None => error,
            });
        };
        self.at += 1;
        let (arguments, end) = self.arguments(name)?;
        let span = span.start..end;
        if arguments.len() != function.arguments.len() {
            let takes = counted(function.arguments.len(), "argument");
            let count = arguments.len();
            let message = format!("`{name}` takes {takes}, not {count}: {}", function.description);
            return Err(ExpressionError::new(message, span));
        }
        let constants: Vec<Option<f64>> =
            arguments.iter().map(|argument| constant(&self.operations[argument.clone()])).collect();
        arguments::check(function.kind, &constants)
            .map_err(|message| ExpressionError::new(message, span.clone()))?;
        if function.kind == FunctionKind::Noise {
            return self.noise(&constants, &arguments, span);
        }
        self.operations.push(Operation::Call(function.kind));
        Ok(())
    }

    /// The arguments up to the closing parenthesis: the operations of each, and the end of the text.
    fn arguments(&mut self, name: &str) -> Result<(Vec<Range<usize>>, usize), ExpressionError> {
        let mut arguments = Vec::new();
        if self.symbol() != Some(")") {
            loop {
                let first = self.operations.len();
                self.binary(0)?;
                arguments.push(first..self.operations.len());
                if self.symbol() != Some(",") {
                    break;
                }
                self.at += 1;
            }
        }
        let end = self.span().end;
        self.expect(")", &format!("the arguments of `{name}` end here"))?;
        Ok((arguments, end))
    }

    /// `noise(seed, rms, bandwidth)`: rms times a noise of `t`.
    fn noise(
        &mut self,
        constants: &[Option<f64>],
        arguments: &[Range<usize>],
        span: Range<usize>,
    ) -> Result<(), ExpressionError> {
        let Some(time) = self.names.variables.iter().position(|variable| *variable == "t") else {
            let message = "`noise` is a function of time `t`, which is not allowed here";
            return Err(ExpressionError::new(message, span).help(self.may_use()));
        };
        let &[Some(seed), _, Some(bandwidth)] = constants else {
            let message = "the seed and the bandwidth of `noise` must be constants";
            return Err(ExpressionError::new(message, span).help("use numbers and parameters"));
        };
        let (first, rms) = (arguments[0].start, arguments[1].clone());
        // of the arguments the rms remains
        self.operations.truncate(rms.end);
        self.operations.drain(first..rms.start);
        self.operations.extend([
            Operation::Variable(time),
            Operation::Noise(Arc::new(BandNoise::new(seed, bandwidth))),
            Operation::Binary(Binary::Multiply),
        ]);
        Ok(())
    }

    /// `table("file", "x", "value", x)`, or with two variables `table("file", "x", "y", "value", x, y)`.
    fn table_of_file(&mut self, span: Range<usize>) -> Result<(), ExpressionError> {
        self.at += 1;
        let mut texts = Vec::new();
        while let Some((Token::Text(text), place)) = self.tokens.get(self.at) {
            texts.push((text.clone(), place.clone()));
            self.at += 1;
            if self.symbol() != Some(",") {
                break;
            }
            self.at += 1;
        }
        if !(3..=4).contains(&texts.len()) {
            let message = "`table` takes a file, the names of its columns, and the variables";
            let help = "write table(\"road.csv\", \"x\", \"height\", t), or for a map \
                        table(\"motor.csv\", \"speed\", \"current\", \"torque\", x, y)";
            return Err(ExpressionError::new(message, span).help(help));
        }
        let place = texts[0].1.start..texts[texts.len() - 1].1.end;
        let texts: Vec<&str> = texts.iter().map(|(text, _)| text.as_str()).collect();
        let table = self.names.tables.of_file(texts[0], &texts[1..]);
        let table = table.map_err(|reason| ExpressionError::new(reason, place))?;
        self.table_arguments(table, span)
    }

    fn named_table(
        &mut self,
        table: Arc<Table>,
        span: Range<usize>,
    ) -> Result<(), ExpressionError> {
        self.at += 1;
        self.table_arguments(table, span)
    }

    /// The variables of a table.
    fn table_arguments(
        &mut self,
        table: Arc<Table>,
        span: Range<usize>,
    ) -> Result<(), ExpressionError> {
        let (arguments, end) = self.arguments(table.name())?;
        if arguments.len() != table.dimension() {
            let takes = counted(table.dimension(), "variable");
            let (name, count) = (table.name(), arguments.len());
            let message = format!("the table `{name}` has {takes}, not {count}");
            return Err(ExpressionError::new(message, span.start..end));
        }
        self.operations.push(Operation::Table(table));
        Ok(())
    }
}

/// "1 argument", "2 arguments".
fn counted(n: usize, what: &str) -> String {
    format!("{n} {what}{}", if n == 1 { "" } else { "s" })
}

/// The value of operations without variables.
fn constant(operations: &[Operation]) -> Option<f64> {
    let varies = operations.iter().any(|operation| matches!(operation, Operation::Variable(_)));
    (!varies && fits_stack(operations)).then(|| evaluate::value(operations, &[]))
}
