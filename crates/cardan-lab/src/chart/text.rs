//! Measures, shortens and writes the text of a chart.

use std::fmt::{self, Write};

use skrifa::instance::{LocationRef, Size};
use skrifa::{FontRef, MetadataProvider};

/// The font that text is measured with and that images are drawn with.
pub const FONT: &[u8] = include_bytes!("DejaVuSans.ttf");
/// The fonts that a viewer of the SVG document may take.
pub const FAMILY: &str = "DejaVu Sans, Helvetica, Arial, sans-serif";

/// The width of the text in pixels.
pub fn width(text: &str, size: f64) -> f64 {
    let Ok(font) = FontRef::new(FONT) else {
        return size * text.chars().count() as f64;
    };
    let characters = font.charmap();
    let metrics = font.glyph_metrics(Size::new(size as f32), LocationRef::default());
    let advance = |character| metrics.advance_width(characters.map(character)?);
    // a character that the font lacks is likely a wide one
    text.chars().map(|character| advance(character).map_or(size, f64::from)).sum()
}

/// The text, with its middle replaced by an ellipsis if it is wider than the room.
pub fn shortened(text: &str, size: f64, room: f64) -> String {
    if width(text, size) <= room {
        return text.to_owned();
    }
    let characters: Vec<char> = text.chars().collect();
    let keep = |count: usize| -> String {
        let head = &characters[..count.div_ceil(2)];
        let tail = &characters[characters.len() - count / 2..];
        head.iter().chain(&['…']).chain(tail).collect()
    };
    let (mut fits, mut too_many) = (0, characters.len());
    while too_many - fits > 1 {
        let middle = fits + (too_many - fits) / 2;
        if width(&keep(middle), size) <= room { fits = middle } else { too_many = middle }
    }
    keep(fits)
}

/// The text as XML content.
pub fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for character in text.chars() {
        match character {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            // XML cannot hold these at all
            '\u{fffe}' | '\u{ffff}' => out.push('\u{fffd}'),
            _ if character.is_control() => out.push(' '),
            _ => out.push(character),
        }
    }
    out
}

/// Writes a text element unless the text is empty.
pub fn draw(out: &mut String, at: (f64, f64), attributes: &str, text: &str) -> fmt::Result {
    if text.is_empty() {
        return Ok(());
    }
    let text = escaped(text);
    writeln!(out, r#"<text x="{:.1}" y="{:.1}" {attributes}>{text}</text>"#, at.0, at.1)
}
