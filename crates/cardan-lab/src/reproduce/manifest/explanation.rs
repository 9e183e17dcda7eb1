//! Explanations of results that are not the printed ones: of which kind, and why.

use serde::{Deserialize, Serialize};

/// The kind of an explanation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum ExplanationKind {
    /// An error in print, shown by evidence.
    Misprint,
    /// A choice that the paper does not state; the reason names the choices that were tried.
    Choice,
    /// Not known.
    Open,
}

impl ExplanationKind {
    pub const ALL: [Self; 3] = [Self::Misprint, Self::Choice, Self::Open];

    /// Its name beside a verdict.
    pub fn words(self) -> &'static str {
        match self {
            Self::Misprint => "misprint",
            Self::Choice => "choice not stated",
            Self::Open => "open",
        }
    }

    /// Its name after a number.
    fn counted(self, count: usize) -> String {
        match (self, count) {
            (Self::Misprint, 1) => "1 misprint".into(),
            (Self::Misprint, _) => format!("{count} misprints"),
            (Self::Choice, 1) => "1 choice not stated".into(),
            (Self::Choice, _) => format!("{count} choices not stated"),
            (Self::Open, _) => format!("{count} open"),
        }
    }
}

/// Numbers of explanations by kind.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct ExplanationCounts {
    misprint: usize,
    choice: usize,
    open: usize,
}

impl ExplanationCounts {
    pub fn of(kinds: impl IntoIterator<Item = ExplanationKind>) -> Self {
        let mut counts = Self::default();
        kinds.into_iter().for_each(|kind| *counts.count_mut(kind) += 1);
        counts
    }

    pub fn sum(all: impl IntoIterator<Item = Self>) -> Self {
        let mut sum = Self::default();
        for counts in all {
            for kind in ExplanationKind::ALL {
                *sum.count_mut(kind) += counts.count(kind);
            }
        }
        sum
    }

    fn count(mut self, kind: ExplanationKind) -> usize {
        *self.count_mut(kind)
    }

    fn count_mut(&mut self, kind: ExplanationKind) -> &mut usize {
        match kind {
            ExplanationKind::Misprint => &mut self.misprint,
            ExplanationKind::Choice => &mut self.choice,
            ExplanationKind::Open => &mut self.open,
        }
    }

    /// All three numbers, for sums.
    pub fn all(self) -> String {
        ExplanationKind::ALL.map(|kind| kind.counted(self.count(kind))).join(", ")
    }

    /// The numbers that are not zero, for one item.
    pub fn present(self) -> String {
        let kinds = ExplanationKind::ALL.into_iter().filter(|kind| self.count(*kind) > 0);
        kinds.map(|kind| kind.counted(self.count(kind))).collect::<Vec<_>>().join(", ")
    }
}

/// An error unless an explanation has a reason and a kind, or neither is needed and neither is given.
pub fn mistake(
    what: &str,
    is_needed: bool,
    kind: Option<ExplanationKind>,
    because: &str,
) -> Option<String> {
    match (is_needed, kind, because.trim().is_empty()) {
        (true, _, true) => Some(format!("{what} and has no reason\n  try: `because = \"…\"`")),
        (true, None, false) => Some(format!(
            "{what} and its reason has no kind\n  try: `kind = \"misprint\"` with evidence, `\"choice\"` with \
             the choices that were tried, or `\"open\"`"
        )),
        (false, Some(_), _) => {
            Some("it has a `kind` but nothing to explain\n  try: remove `kind`".into())
        }
        _ => None,
    }
}
