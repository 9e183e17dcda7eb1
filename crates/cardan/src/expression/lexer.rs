//! Splits a formula into tokens.

use std::ops::Range;

use super::ExpressionError;

/// A token of a formula.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Token {
    Number(f64),
    Name(String),
    /// Names joined by points, such as names of channels.
    Dotted(String),
    /// Text in single or double quotes, without them.
    Text(String),
    /// An operator, parenthesis or comma.
    Symbol(&'static str),
}

/// The longest first, so that `<=` is not read as `<`.
const SYMBOLS: [&str; 15] =
    ["<=", ">=", "==", "!=", "**", "<", ">", "+", "-", "*", "/", "^", "(", ")", ","];

/// Splits a text into tokens with their places.
pub(super) fn split(text: &str) -> Result<Vec<(Token, Range<usize>)>, ExpressionError> {
    let mut tokens = Vec::new();
    let mut at = 0;
    while let Some(first) = text[at..].chars().next() {
        let rest = &text[at..];
        if first.is_whitespace() {
            at += first.len_utf8();
            continue;
        }
        let (token, length) = if first.is_ascii_digit() || first == '.' {
            let length = number_length(rest);
            let number = rest[..length].parse().ok().filter(|x: &f64| x.is_finite());
            let span = at..at + length.max(1);
            let number = number.ok_or_else(|| no_number(rest, span))?;
            (Token::Number(number), length)
        } else if first.is_alphabetic() || first == '_' {
            let is_part = |c: &char| c.is_alphanumeric() || *c == '_';
            let length = rest.chars().take_while(is_part).map(char::len_utf8).sum();
            match dotted_length(rest, length) {
                Some(length) => (Token::Dotted(rest[..length].into()), length),
                None => (Token::Name(rest[..length].into()), length),
            }
        } else if first == '"' || first == '\'' {
            let Some(length) = rest[1..].find(first) else {
                let error = ExpressionError::new("this text has no closing quote", at..text.len());
                return Err(error.help("text in quotes names a file or a column of `table(…)`"));
            };
            (Token::Text(rest[1..=length].into()), length + 2)
        } else if let Some(symbol) = SYMBOLS.into_iter().find(|symbol| rest.starts_with(symbol)) {
            // powers are written either way
            let meant = if symbol == "**" { "^" } else { symbol };
            (Token::Symbol(meant), symbol.len())
        } else {
            let message = format!("`{}` has no meaning here", first.escape_debug());
            let error = ExpressionError::new(message, at..at + first.len_utf8());
            return Err(match instead(first) {
                Some(help) => error.help(help),
                None => error,
            });
        };
        tokens.push((token, at..at + length));
        at += length;
    }
    Ok(tokens)
}

/// Why digits are not a number.
fn no_number(text: &str, span: Range<usize>) -> ExpressionError {
    match text.starts_with(|c: char| c.is_ascii_digit()) {
        true => ExpressionError::new("this is not a number that can be represented", span)
            .help("the largest is 1.8e308"),
        false => ExpressionError::new("this is not a number", span),
    }
}

/// What to write instead of a character.
fn instead(character: char) -> Option<&'static str> {
    Some(match character {
        '°' => "degrees are written 30*deg",
        '=' => "comparisons are written ==, <=, >=",
        '&' => "write `and`",
        '|' => "write `or`, and abs(x) for an absolute value",
        '!' => "write `not`",
        '%' => "write mod(x, y) for a remainder",
        '²' => "powers are written x^2",
        '³' => "powers are written x^3",
        '×' | '·' => "products are written with `*`",
        '÷' => "quotients are written with `/`",
        '−' | '–' => "a minus sign is written `-`",
        '[' | ']' | '{' | '}' => "parentheses are round",
        _ => return None,
    })
}

/// The length of a name with points in it, if the text begins with one.
fn dotted_length(text: &str, length: usize) -> Option<usize> {
    let begins_name = |c: char| c.is_alphabetic() || c == '_';
    let mut rest = text[length..].strip_prefix('.')?;
    rest.starts_with(begins_name).then_some(())?;
    let is_part = |c: char| c.is_alphanumeric() || c == '_' || c == '.';
    rest = rest.trim_start_matches(is_part);
    Some(text.len() - rest.len())
}

/// The length of a number at the beginning of a text: digits, a point, an exponent.
fn number_length(text: &str) -> usize {
    let bytes = text.as_bytes();
    let digits = |from: usize| bytes[from..].iter().take_while(|b| b.is_ascii_digit()).count();
    let mut length = digits(0);
    if bytes.get(length) == Some(&b'.') {
        length += 1 + digits(length + 1);
    }
    if matches!(bytes.get(length), Some(b'e' | b'E')) {
        let sign = usize::from(matches!(bytes.get(length + 1), Some(b'+' | b'-')));
        let exponent = digits((length + 1 + sign).min(bytes.len()));
        if exponent > 0 {
            length += 1 + sign + exponent;
        }
    }
    length
}
