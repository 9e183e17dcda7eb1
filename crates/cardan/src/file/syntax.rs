//! Messages for text that is not TOML. The parser gives the place; the tokens before it determine what is
//! expected there.

use std::ops::Range;

use toml_parser::Source as TomlSource;
use toml_parser::lexer::{Token, TokenKind};

use super::diagnostic::Diagnostic;

/// Brackets within brackets, as many as the parser takes.
const MAX_DEPTH: usize = 80;

const QUOTES: &str = "write formulas and names in straight quotes, separate entries of a list by \
                      commas, omit units, begin comments with #";
const ONE_VALUE: &str = "one value per line; numbers have a decimal point";
const PAIR: &str = "write `name = value`";

/// What may follow the tokens before a place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Expected {
    /// A name, at the beginning of a line or of an entry of an inline table.
    Name,
    /// The next part of a dotted name.
    NamePart,
    /// `=` after a name.
    Equals,
    /// A name in the heading of a table.
    Heading,
    /// The end of such a heading.
    HeadingEnd,
    Value,
    /// The end of a line, or of an entry of a list or inline table.
    End,
}

/// The tokens up to a place.
struct Context {
    expected: Expected,
    /// Brackets that are open in a value.
    open: Vec<TokenKind>,
    /// Brackets that are open in the heading of a table.
    heading: usize,
    /// Where the value before the place begins.
    value: usize,
}

impl Context {
    fn new() -> Self {
        Self { expected: Expected::Name, open: Vec::new(), heading: 0, value: 0 }
    }

    fn advance(&mut self, token: &Token) {
        use Expected::*;
        let kind = token.kind();
        self.expected = match (kind, self.expected) {
            (TokenKind::Whitespace | TokenKind::Comment, same) => same,
            (TokenKind::Newline, same) if !self.open.is_empty() => same,
            (TokenKind::Newline, _) => Name,
            (TokenKind::LeftSquareBracket, Name) if self.open.is_empty() => {
                self.heading = 1;
                Heading
            }
            (TokenKind::LeftSquareBracket, Heading) => {
                self.heading += 1;
                Heading
            }
            (TokenKind::LeftSquareBracket, Value) => {
                self.open.push(kind);
                Value
            }
            (TokenKind::LeftCurlyBracket, Value) => {
                self.open.push(kind);
                Name
            }
            (TokenKind::RightSquareBracket, Heading | HeadingEnd) => {
                self.heading = self.heading.saturating_sub(1);
                if self.heading == 0 { End } else { HeadingEnd }
            }
            (TokenKind::RightSquareBracket | TokenKind::RightCurlyBracket, _) => {
                self.open.pop();
                End
            }
            (TokenKind::Comma, _) => match self.open.last() {
                Some(TokenKind::LeftSquareBracket) => Value,
                Some(_) => Name,
                None => End,
            },
            (TokenKind::Equals, _) => Value,
            (TokenKind::Dot, Equals) => NamePart,
            (TokenKind::Dot, HeadingEnd) => Heading,
            (_, Name | NamePart | Equals) => Equals,
            (_, Heading | HeadingEnd) => HeadingEnd,
            (_, Value) => {
                self.value = token.span().start();
                End
            }
            (_, End) => End,
        };
    }
}

/// The diagnostic for a text that is not TOML, at the place where the parser stopped.
pub fn explain(text: &str, span: Range<usize>) -> Diagnostic {
    // the end of a file has nothing to underline
    let start = span.start.min(text.len());
    let span = start..span.end.clamp(start, text.len());
    let tokens = TomlSource::new(text).lex().into_vec();
    let mut context = Context::new();
    let mut rest = &tokens[..];
    for (k, token) in tokens.iter().enumerate() {
        if is_unclosed(text, token) && token.span().start() <= start {
            let end = token.span().end();
            return Diagnostic::at(end..end, "this text has no closing quote in its line");
        }
        if token.span().end() > start || token.kind() == TokenKind::Eof {
            rest = &tokens[k..];
            break;
        }
        context.advance(token);
    }
    let (message, help) = classify(text, start, &context, rest);
    let problem = Diagnostic::at(span, message);
    match help {
        "" => problem,
        help => problem.help(help),
    }
}

fn is_end(token: &Token) -> bool {
    token.kind() == TokenKind::Eof
}

fn is_unclosed(text: &str, token: &Token) -> bool {
    let quotes = match token.kind() {
        TokenKind::LiteralString => "'",
        TokenKind::BasicString => "\"",
        TokenKind::MlLiteralString => "'''",
        TokenKind::MlBasicString => "\"\"\"",
        _ => return false,
    };
    let raw = &text[token.span().start()..token.span().end()];
    raw.len() < 2 * quotes.len() || !raw.ends_with(quotes)
}

/// Message and help for a place, by the tokens from it on.
fn classify(
    text: &str,
    at: usize,
    context: &Context,
    rest: &[Token],
) -> (&'static str, &'static str) {
    let is_blank = |token: &&Token| {
        matches!(token.kind(), TokenKind::Whitespace | TokenKind::Newline | TokenKind::Comment)
    };
    // brackets that are open at the end of the file reach over its last lines
    let is_last = rest.iter().find(|token| !is_blank(token)).is_none_or(is_end);
    let here = match is_last && !context.open.is_empty() {
        true => rest.last(),
        false => rest.first(),
    };
    let kind = here.map_or(TokenKind::Eof, Token::kind);
    let begins = here.map_or(at, |token| token.span().start());
    let raw = here.map_or("", |token| &text[begins..token.span().end()]);
    let is_string = kind.encoding().is_some();
    let is_word = is_string || kind == TokenKind::Atom;
    let in_list = context.open.last() == Some(&TokenKind::LeftSquareBracket);
    let is_value =
        is_word || matches!(kind, TokenKind::LeftSquareBracket | TokenKind::LeftCurlyBracket);
    if is_string && at > begins {
        let before = &text[begins..at];
        return match before.ends_with('\\') || text[at..].starts_with('\\') {
            true => ("this is not allowed after `\\`", "a backslash is written `\\\\`"),
            false => ("this character is not allowed in text", ""),
        };
    }
    match (context.expected, kind) {
        (_, TokenKind::Comment) => ("this character is not allowed in a comment", ""),
        (_, TokenKind::LeftSquareBracket | TokenKind::LeftCurlyBracket)
            if context.open.len() >= MAX_DEPTH =>
        {
            ("this is nested too deeply", "")
        }
        (Expected::Name | Expected::NamePart | Expected::Heading, _) if is_word => {
            let is_bare = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '-';
            match is_string || raw.chars().all(is_bare) {
                true => ("this name is used twice", ""),
                false => (
                    "a name without quotes has letters of the English alphabet, digits, `_` and `-` only",
                    "put it in quotes",
                ),
            }
        }
        (Expected::Name, TokenKind::Equals) => ("before `=` a name is missing", PAIR),
        (Expected::Name, TokenKind::RightSquareBracket | TokenKind::RightCurlyBracket) => {
            ("this bracket closes nothing", "")
        }
        (Expected::Name, TokenKind::Eof) if !context.open.is_empty() => {
            ("this table does not end with `}`", "")
        }
        (
            Expected::Heading | Expected::NamePart,
            TokenKind::Dot | TokenKind::RightSquareBracket | TokenKind::Equals,
        ) => ("here a name is missing", ""),
        (Expected::Heading | Expected::HeadingEnd, _) => (
            "this table's name does not end with `]`",
            "write names with spaces in quotes: [body.\"my bar\"]",
        ),
        (Expected::Equals, _) => ("a name without a value", PAIR),
        (Expected::Value, TokenKind::Atom | TokenKind::Dot) => scalar(text, begins),
        (Expected::Value, TokenKind::Equals) => ("this is one `=` too many", ""),
        (Expected::Value, TokenKind::Comma) => ("before this comma a value is missing", ""),
        (Expected::Value, TokenKind::Eof) if in_list => ("this list does not end with `]`", ""),
        (Expected::Value, TokenKind::Newline | TokenKind::Whitespace | TokenKind::Eof) => {
            ("a name without a value", PAIR)
        }
        (Expected::End, TokenKind::Eof) if in_list => ("this list does not end with `]`", ""),
        (Expected::End, TokenKind::Eof) if !context.open.is_empty() => {
            ("this table does not end with `}`", "")
        }
        (Expected::End, TokenKind::Equals) if in_list => ("this list does not end with `]`", ""),
        (Expected::End, _) if is_value && in_list => {
            ("before this a comma is missing, or the `]` that ends the list", "")
        }
        (Expected::End, _)
            if (is_value || kind == TokenKind::Equals) && !context.open.is_empty() =>
        {
            ("before this a comma is missing, or the `}` that ends the table", "")
        }
        // the text after the value is correct: the value is not
        (
            Expected::End,
            TokenKind::Newline | TokenKind::Whitespace | TokenKind::Eof | TokenKind::Dot,
        ) => scalar(text, context.value),
        (Expected::End, TokenKind::Comma | TokenKind::RightSquareBracket)
            if !context.open.is_empty() =>
        {
            scalar(text, context.value)
        }
        (Expected::End, _) => ("unexpected text after the value", ONE_VALUE),
        _ => ("this is not TOML", ""),
    }
}

/// Message and help for a value that begins here and is neither text, list nor table.
fn scalar(text: &str, begins: usize) -> (&'static str, &'static str) {
    let rest = &text[begins..];
    let end = rest.find(['\n', ',', ']', '}', '#']).unwrap_or(rest.len());
    let value = rest[..end].trim();
    let is_numeric = value.chars().all(|c| c.is_ascii_digit() || "+-._eE:".contains(c));
    match value {
        _ if value.eq_ignore_ascii_case("true") || value.eq_ignore_ascii_case("false") => {
            ("this word is written with small letters", "`true` or `false`")
        }
        _ if is_numeric && (value.starts_with('.') || value.ends_with('.')) => {
            ("this is not a number", "write digits on both sides of the decimal point")
        }
        _ if is_numeric => ("this is not a number", QUOTES),
        _ => ("expected a number, or a formula in quotes", QUOTES),
    }
}
