//! Counts the failed cases of a study by their reasons.

/// Different reasons that are counted separately.
const MAX_REASONS: usize = 20;

/// The number of failed cases, and the most frequent reasons.
#[derive(Clone, Debug, Default)]
pub struct FailureCounts {
    /// The number of failed cases.
    pub cases: u64,
    /// Reasons without their numbers; the first line of the first of them, and how many there are.
    kinds: Vec<(String, String, u64)>,
}

impl FailureCounts {
    /// Adds a failed case. Reasons that differ in numbers only are counted together, under the first of them.
    pub fn add(&mut self, reason: &str) {
        self.cases += 1;
        let first = reason.lines().next().unwrap_or_default();
        let kind = without_numbers(first);
        match self.kinds.iter().position(|(known, ..)| *known == kind) {
            Some(k) => self.kinds[k].2 += 1,
            None if self.kinds.len() < MAX_REASONS => self.kinds.push((kind, first.into(), 1)),
            None => {}
        }
    }

    /// The reasons with the number of cases of each, the most frequent first; further kinds are left out.
    pub fn reasons(&self) -> Vec<(&str, u64)> {
        let all = self.kinds.iter().map(|(_, first, count)| (first.as_str(), *count));
        let mut reasons: Vec<(&str, u64)> = all.collect();
        reasons.sort_by_key(|(_, count)| std::cmp::Reverse(*count));
        reasons
    }
}

/// A text with each number replaced by a mark.
fn without_numbers(text: &str) -> String {
    let mut out = String::new();
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        let is_digit = first.is_ascii_digit();
        let is_part = |c: char| c.is_ascii_digit() == is_digit;
        let mut end = rest.find(|c| !is_part(c)).unwrap_or(rest.len());
        if is_digit {
            // fractions and exponents: 1.5e-3
            let part = |c: char| c.is_ascii_digit() || matches!(c, '.' | 'e' | '-' | '+');
            end = rest.find(|c| !part(c)).unwrap_or(rest.len());
            out.push('#');
        } else {
            out.push_str(rest[..end].trim_end_matches('-'));
        }
        rest = &rest[end..];
    }
    out
}

#[cfg(test)]
mod tests {
    use super::super::{StudyDescription, StudyTable, TableColumn};

    #[test]
    fn reasons_that_differ_in_numbers_are_counted_together() {
        let text =
            |words: &[&str]| TableColumn::Text(words.iter().map(ToString::to_string).collect());
        let reasons = ["mass is -1.5e-3 kg", "no root", "mass is 2 kg", "", "mass is -7 kg"];
        let status = ["failed", "failed", "failed", "completed", "failed"];
        let columns = vec![("status".into(), text(&status)), ("reason".into(), text(&reasons))];
        let table = StudyTable { about: StudyDescription::default(), columns };
        let failures = table.failures();
        assert_eq!(failures.cases, 4);
        assert_eq!(failures.reasons(), [("mass is -1.5e-3 kg", 3), ("no root", 1)]);
    }
}
