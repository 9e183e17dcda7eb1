//! Diagnostics of a model file: place, message and suggestion.

use std::fmt;
use std::ops::Range;

use ariadne::{Color, Config, IndexType, Label, Report, ReportKind, Source as Lines};

/// A text with its name in messages.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SourceText {
    /// The file's name.
    pub name: String,
    /// Its text.
    pub text: String,
}

/// A problem of a model file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Diagnostic {
    /// The problem.
    pub message: String,
    /// The bytes of the text with the problem; `None` if it has no place there.
    pub span: Option<Range<usize>>,
    /// A suggestion or remedy.
    pub help: Option<String>,
}

impl Diagnostic {
    /// A problem at a place.
    pub fn at(span: Range<usize>, message: impl Into<String>) -> Self {
        Self { message: message.into(), span: Some(span), help: None }
    }

    /// A problem that has no place in the text.
    pub fn without_location(message: impl Into<String>) -> Self {
        Self { message: message.into(), span: None, help: None }
    }

    /// Adds a suggestion or remedy.
    pub fn help(mut self, help: impl Into<String>) -> Self {
        self.help = Some(help.into());
        self
    }

    /// Adds a similar name, if there is one.
    pub(super) fn with_suggestion(self, nearest: Option<String>) -> Self {
        match nearest {
            Some(name) => self.help(format!("did you mean `{name}`?")),
            None => self,
        }
    }
}

/// All the problems found in a model file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Diagnostics {
    /// The text.
    pub source: SourceText,
    /// The problems, in the order in which they were found.
    pub list: Vec<Diagnostic>,
}

/// How many problems are shown at once.
const MAX_SHOWN: usize = 12;
/// Longer lines are not shown: they are written by programs, or are no text.
const MAX_LINE: usize = 400;

impl Diagnostics {
    /// The problems for people, with the lines they are in and the words underlined.
    pub fn render(&self, colours: bool) -> String {
        let mut text = String::new();
        for problem in self.list.iter().take(MAX_SHOWN) {
            text += &self.render_one(problem, colours);
        }
        if let Some(more @ 1..) = self.list.len().checked_sub(MAX_SHOWN) {
            text += &format!("… and {more} more\n");
        }
        text
    }

    fn render_one(&self, problem: &Diagnostic, colours: bool) -> String {
        let plain = || format!("error: {}\n", self.line(problem));
        let Some(span) = problem.span.clone().filter(|span| self.is_showable(span)) else {
            return plain();
        };
        let name = self.source.name.as_str();
        let config = Config::default().with_index_type(IndexType::Byte).with_color(colours);
        let label = Label::new((name, span.clone())).with_color(Color::Red);
        let label = match &problem.help {
            Some(help) => label.with_message(help),
            None => label.with_message("here"),
        };
        let report = Report::build(ReportKind::Custom("error", Color::Red), (name, span))
            .with_config(config)
            .with_message(&problem.message)
            .with_label(label)
            .finish();
        let mut bytes = Vec::new();
        let written = report.write((name, Lines::from(self.source.text.as_str())), &mut bytes);
        match (written, String::from_utf8(bytes)) {
            // the heading is coloured in any configuration
            (Ok(()), Ok(text)) if !colours => uncoloured(&text),
            (Ok(()), Ok(text)) => text,
            _ => plain(),
        }
    }

    /// Whether a span can be underlined: within the text, in one line that is not too long.
    fn is_showable(&self, span: &Range<usize>) -> bool {
        let text = &self.source.text;
        let Some(shown) = text.get(span.clone()) else { return false };
        let before = text[..span.start].rfind('\n').map_or(0, |at| at + 1);
        let after = text[span.end..].find('\n').map_or(text.len(), |at| span.end + at);
        let is_text = |c: char| !c.is_control() || matches!(c, '\t' | '\r' | '\n');
        !shown.contains('\n')
            && after - before <= MAX_LINE
            && text[before..after].chars().all(is_text)
    }

    /// The problems for scripts: file, line, column, message, help.
    pub fn to_json(&self) -> serde_json::Value {
        let problem = |problem: &Diagnostic| {
            let place = problem.span.as_ref().map(|span| position(&self.source.text, span.start));
            serde_json::json!({
                "file": self.source.name,
                "line": place.map(|(line, _)| line),
                "column": place.map(|(_, column)| column),
                "message": problem.message,
                "help": problem.help,
            })
        };
        self.list.iter().map(problem).collect()
    }

    /// File, line, column and message in one line.
    pub fn line(&self, Diagnostic { message, span, help }: &Diagnostic) -> String {
        let help = help.as_ref().map_or(String::new(), |help| format!("; {help}"));
        let name = &self.source.name;
        match span {
            Some(span) => {
                let (line, column) = position(&self.source.text, span.start);
                format!("{name}:{line}:{column}: {message}{help}")
            }
            None if name.is_empty() => format!("{message}{help}"),
            None => format!("{name}: {message}{help}"),
        }
    }
}

/// A text without the codes that colour it on a terminal.
fn uncoloured(text: &str) -> String {
    let mut parts = text.split('\u{1b}');
    let first = parts.next().unwrap_or_default().to_string();
    let after = |part: &str| part.split_once('m').map_or(String::new(), |(_, rest)| rest.into());
    parts.fold(first, |text, part| text + &after(part))
}

/// Line and column of a byte, both from one.
fn position(text: &str, byte: usize) -> (usize, usize) {
    let mut byte = byte.min(text.len());
    while !text.is_char_boundary(byte) {
        byte -= 1;
    }
    let before = &text[..byte];
    let line = before.matches('\n').count() + 1;
    let column = before.rsplit('\n').next().unwrap_or_default().chars().count() + 1;
    (line, column)
}

impl fmt::Display for Diagnostics {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let lines: Vec<String> =
            self.list.iter().take(MAX_SHOWN).map(|problem| self.line(problem)).collect();
        write!(out, "{}", lines.join("\n"))
    }
}

impl std::error::Error for Diagnostics {}
