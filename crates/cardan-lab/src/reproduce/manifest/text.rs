//! Finds hidden characters in the texts of a manifest: control characters and marks of writing direction.

use toml::Value;

/// Whether a character is not shown, and changes what a page or a terminal shows.
fn is_hidden(c: char) -> bool {
    let turns = ['\u{202a}'..='\u{202e}', '\u{2066}'..='\u{2069}', '\u{200e}'..='\u{200f}'];
    c.is_control() && !matches!(c, '\n' | '\r' | '\t')
        || turns.iter().any(|range| range.contains(&c))
}

/// The first text with such a character, keys included; `place` is the way to the value.
pub fn first_problem(value: &Value, place: &mut String) -> Option<String> {
    let length = place.len();
    let found = match value {
        Value::String(text) => hidden(text, place),
        Value::Array(values) => values.iter().enumerate().find_map(|(k, value)| {
            place.truncate(length);
            *place += &format!("[{k}]");
            first_problem(value, place)
        }),
        Value::Table(table) => table.iter().find_map(|(key, value)| {
            place.truncate(length);
            let dot = if length > 0 { "." } else { "" };
            *place += &format!("{dot}{}", key.escape_debug());
            hidden(key, place).or_else(|| first_problem(value, place))
        }),
        _ => None,
    };
    place.truncate(length);
    found
}

fn hidden(text: &str, place: &str) -> Option<String> {
    let c = text.chars().find(|c| is_hidden(*c))?;
    Some(format!(
        "{place}: the character U+{:04X} is not allowed in a text\n  try: remove it",
        c as u32
    ))
}
