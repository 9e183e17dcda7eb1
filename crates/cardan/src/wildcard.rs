//! Names with `*`, which stands for any text.

/// Whether a text fits a pattern in which `*` stands for any text.
pub fn matches(pattern: &str, text: &str) -> bool {
    let mut parts = pattern.split('*');
    let Some(rest) = text.strip_prefix(parts.next().unwrap_or_default()) else { return false };
    let mut rest = rest;
    let mut last = None;
    for part in parts {
        // each part where it first fits; the last one at the end
        if let Some(before) = last.replace(part) {
            let before: &str = before;
            match rest.find(before) {
                Some(at) => rest = &rest[at + before.len()..],
                None => return false,
            }
        }
    }
    last.is_none_or(|part: &str| rest.ends_with(part))
}
