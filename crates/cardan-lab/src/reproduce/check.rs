//! Compares printed numbers and claims with the computed ones, and gives verdicts.

use serde_json::{Value, json};

use super::manifest::{Claim, Explained, ExplanationKind, ManifestTable, Printed};
use super::numbers::{plain, significant};
use super::quantity::{Evaluated, Quantities};
use crate::error::LabError;

/// The verdict on a number or a claim.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Verdict {
    /// No printed value to compare with.
    Shown,
    /// The quick form does not compute it.
    Skipped,
    /// Equal in all printed digits.
    Equal,
    /// Within the tolerance.
    Close,
    /// Round-off, as the printed value.
    RoundOff,
    /// Below its bound.
    Small,
    /// A claim that is true here.
    Confirmed,
    /// Differs from the printed number, for a known reason.
    Explained,
    /// A claim that is not true here, for a known reason.
    Refuted,
    /// Differs from the printed and the explained value.
    Differs,
}

impl Verdict {
    pub fn words(self) -> &'static str {
        match self {
            Self::Shown => "",
            Self::Skipped => "not in the quick form",
            Self::Equal => "equal to the digits printed",
            Self::Close => "agrees",
            Self::RoundOff => "round-off, as printed or less",
            Self::Small => "holds",
            Self::Confirmed => "confirmed",
            Self::Explained => "differs, explained",
            Self::Refuted => "refuted",
            Self::Differs => "DIFFERS",
        }
    }

    /// The CSS class of the verdict.
    pub fn class(self) -> &'static str {
        match self {
            Self::Shown | Self::Skipped => "plain",
            Self::Explained | Self::Refuted => "explained",
            Self::Differs => "bad",
            _ => "good",
        }
    }
}

/// A computed number with the printed one.
pub struct Cell {
    pub ours: Option<f64>,
    pub printed: Option<String>,
    pub verdict: Verdict,
    /// The reason of a manifest, and its kind.
    pub kind: Option<ExplanationKind>,
    pub because: Option<String>,
}

/// A table with its numbers.
pub struct Checked<'a> {
    pub table: &'a ManifestTable,
    pub rows: Vec<Vec<Cell>>,
}

/// A claim with its verdict.
pub struct Judged<'a> {
    pub claim: &'a Claim,
    pub verdict: Verdict,
    /// The comparisons with their numbers.
    pub numbers: Vec<String>,
}

/// The factor by which printed round-off may be exceeded: it depends on the order of sums.
const ROUND_OFF_FACTOR: f64 = 10.0;

/// Computes the cells of a table.
pub fn table<'a>(
    quantities: &Quantities<'_>,
    table: &'a ManifestTable,
) -> Result<Checked<'a>, LabError> {
    let mut rows = Vec::new();
    for (i, row) in table.rows.iter().enumerate() {
        let mut cells = Vec::new();
        for (j, column) in table.columns.iter().enumerate() {
            let formula = table.formula(row, column);
            let ours = quantities.formula(&formula)?;
            let printed = table.printed.as_ref().and_then(|rows| rows.get(i)?.get(j));
            cells.push(compare(table, ours, printed)?);
        }
        rows.push(cells);
    }
    Ok(Checked { table, rows })
}

/// Compares a cell with the printed value. A value that is not finite never agrees.
fn compare(
    table: &ManifestTable,
    ours: Option<Evaluated>,
    printed: Option<&Printed>,
) -> Result<Cell, LabError> {
    let (text, explained) = match printed {
        None => (None, None),
        Some(Printed::Text(text)) if text.is_empty() => (None, None),
        Some(Printed::Text(text)) => (Some(plain(text)), None),
        Some(Printed::Explained(Explained { printed, ours, within, kind, because })) => (
            Some(printed.clone()).filter(|text| !text.is_empty()),
            Some((*ours, within.unwrap_or(table.tolerance), *kind, because.clone())),
        ),
    };
    let Some(Evaluated { value, finite }) = ours else {
        let verdict = Verdict::Skipped;
        return Ok(Cell { ours: None, printed: text, verdict, kind: None, because: None });
    };
    let ours = Some(value);
    let found = finite.unwrap_or(f64::NAN);
    let is_near = |expected: f64, within: f64| {
        (found - expected).abs() <= within * expected.abs() || found == expected
    };
    let kind = explained.as_ref().and_then(|(_, _, kind, _)| *kind);
    let because = explained.as_ref().map(|(_, _, _, because)| because.clone());
    let verdict = match (&text, &explained, table.below) {
        (_, Some((expected, within, ..)), _) if is_near(*expected, *within) => Verdict::Explained,
        (_, Some(_), _) => Verdict::Differs,
        (Some(text), None, _) => {
            let value: f64 = text.parse().map_err(|_| {
                LabError::input(format!("the printed value `{text}` is not a number"))
            })?;
            match () {
                () if has_digits(found, text, value) => Verdict::Equal,
                () if value.abs() <= table.floor => match found.abs() {
                    small if small <= ROUND_OFF_FACTOR * value.abs() => Verdict::RoundOff,
                    _ => Verdict::Differs,
                },
                () if is_near(value, table.tolerance) => Verdict::Close,
                () => Verdict::Differs,
            }
        }
        (None, None, Some(below)) if found.abs() <= below => Verdict::Small,
        (None, None, Some(_)) => Verdict::Differs,
        (None, None, None) => Verdict::Shown,
    };
    Ok(Cell { ours, printed: text, verdict, kind, because })
}

/// Whether a number equals the printed one when rounded to as many digits.
fn has_digits(found: f64, text: &str, printed: f64) -> bool {
    // a double has no more digits to compare
    let count = significant(text).clamp(1, 15);
    let printed: f64 = format!("{printed:.*e}", count - 1).parse().unwrap_or(printed);
    let rounded: f64 = format!("{found:.*e}", count - 1).parse().unwrap_or(f64::NAN);
    rounded == printed
}

/// Judges a claim. A value that is not finite neither confirms nor refutes it.
pub fn claim<'a>(quantities: &Quantities<'_>, claim: &'a Claim) -> Result<Judged<'a>, LabError> {
    let (mut is_skipped, mut is_known, mut holds) = (false, true, true);
    let mut numbers = Vec::new();
    for test in &claim.test {
        match quantities.test(test)? {
            None => is_skipped = true,
            Some(None) => is_known = false,
            Some(Some(found)) => holds &= found,
        }
        numbers.push(quantities.shown(test)?);
    }
    let verdict = match () {
        () if !is_known => Verdict::Differs,
        () if is_skipped => Verdict::Skipped,
        () if holds != claim.holds => Verdict::Differs,
        () if holds => Verdict::Confirmed,
        () => Verdict::Refuted,
    };
    Ok(Judged { claim, verdict, numbers })
}

impl Checked<'_> {
    pub fn verdicts(&self) -> impl Iterator<Item = Verdict> {
        self.rows.iter().flatten().map(|cell| cell.verdict)
    }

    /// The kinds of the explanations of its numbers.
    pub fn explanations(&self) -> impl Iterator<Item = ExplanationKind> {
        let explained = |cell: &&Cell| cell.verdict == Verdict::Explained;
        self.rows.iter().flatten().filter(explained).filter_map(|cell| cell.kind)
    }

    pub fn to_json(&self) -> Value {
        let name = |names: &Option<Vec<String>>, words: &[String], k: usize| -> String {
            let given = names.as_ref().and_then(|names| names.get(k));
            given.or(words.get(k)).cloned().unwrap_or_default()
        };
        let mut cells = Vec::new();
        for (i, row) in self.rows.iter().enumerate() {
            for (j, cell) in row.iter().enumerate() {
                cells.push(json!({
                    "row": name(&self.table.row_names, &self.table.rows, i),
                    "column": name(&self.table.column_names, &self.table.columns, j),
                    "ours": cell.ours,
                    "printed": cell.printed,
                    "verdict": cell.verdict.words(),
                    "kind": cell.kind,
                    "because": cell.because,
                }));
            }
        }
        json!({ "caption": self.table.caption, "cells": cells })
    }
}

impl Judged<'_> {
    /// The kind of its explanation, if it is refuted.
    pub fn explanation(&self) -> Option<ExplanationKind> {
        self.claim.kind.filter(|_| self.verdict == Verdict::Refuted)
    }

    pub fn to_json(&self) -> Value {
        json!({
            "claim": self.claim.text,
            "verdict": self.verdict.words(),
            "numbers": self.numbers,
            "kind": self.claim.kind,
            "because": self.claim.because,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn digits_are_those_of_print() {
        assert!(has_digits(2.004_924_7e-5, "2.00492e-5", 2.00492e-5));
        assert!(!has_digits(2.004_926e-5, "2.00492e-5", 2.00492e-5));
        assert!(has_digits(0.083_6, "0.084", 0.084) && !has_digits(0.0835e-1, "0.084", 0.084));
        assert!(has_digits(4.331e-7, "4.33e-07", 4.33e-7));
        // a printed 10 has one digit to the right of its leading one
        assert!(has_digits(10.2, "10", 10.0) && !has_digits(10.6, "10", 10.0));
        // more digits than a double has
        let (text, x) = ("0.1804253064293983299659629", 0.180_425_306_429_398_33);
        assert!(has_digits(x, text, x) && !has_digits(x + 1e-9, text, x));
    }
}
