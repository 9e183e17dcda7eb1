//! Colours of shapes.

use serde::{Serialize, Serializer};

/// A colour: red, green and blue.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Colour(pub [u8; 3]);

impl Colour {
    /// Colours with a name.
    pub const NAMED: [(&'static str, Self); 12] = [
        ("black", Self([0x20, 0x20, 0x20])),
        ("white", Self([0xf5, 0xf5, 0xf5])),
        ("grey", Self([0x8a, 0x8f, 0x98])),
        ("steel", Self([0xa8, 0xb2, 0xbd])),
        ("brass", Self([0xc9, 0xa2, 0x4b])),
        ("copper", Self([0xb8, 0x73, 0x33])),
        ("wood", Self([0xb0, 0x8a, 0x5b])),
        ("red", Self([0xc8, 0x3e, 0x3a])),
        ("orange", Self([0xe0, 0x82, 0x2e])),
        ("yellow", Self([0xe5, 0xc0, 0x3b])),
        ("green", Self([0x4b, 0x9b, 0x5a])),
        ("blue", Self([0x3b, 0x74, 0xb8])),
    ];

    /// The colour of `#rrggbb` or of a name.
    pub fn parse(text: &str) -> Option<Self> {
        if let Some((_, colour)) = Self::NAMED.iter().find(|(name, _)| *name == text) {
            return Some(*colour);
        }
        let digits = text.strip_prefix('#').filter(|digits| {
            digits.len() == 6 && digits.bytes().all(|digit| digit.is_ascii_hexdigit())
        })?;
        let part = |k: usize| u8::from_str_radix(&digits[2 * k..2 * k + 2], 16).ok();
        Some(Self([part(0)?, part(1)?, part(2)?]))
    }
}

impl std::fmt::Display for Colour {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let [red, green, blue] = self.0;
        write!(f, "#{red:02x}{green:02x}{blue:02x}")
    }
}

impl Serialize for Colour {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}
