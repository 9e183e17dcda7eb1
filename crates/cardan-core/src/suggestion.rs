//! Help in messages: the known name nearest to a mistyped one, and the line with the remedy.

/// The known name nearest to a mistyped one, if one is similar.
pub fn nearest<'a>(name: &str, known: impl Iterator<Item = &'a str>) -> Option<String> {
    let distance = |known: &str| edit_distance(&name.to_lowercase(), &known.to_lowercase());
    known
        .map(|known| (distance(known), known))
        .min()
        .filter(|(distance, known)| {
            // a third of the letters may differ, and never all of them
            let letters = known.chars().count().min(name.chars().count());
            *distance <= known.chars().count().div_ceil(3)
                && (*distance < letters || *distance == 0)
        })
        .map(|(_, known)| known.to_string())
}

/// Levenshtein's distance, for names of ordinary length.
fn edit_distance(a: &str, b: &str) -> usize {
    let b: Vec<char> = b.chars().take(64).collect();
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, x) in a.chars().take(64).enumerate() {
        let mut diagonal = row[0];
        row[0] = i + 1;
        for (j, y) in b.iter().enumerate() {
            let substituted = diagonal + usize::from(x != *y);
            diagonal = row[j + 1];
            row[j + 1] = substituted.min(diagonal + 1).min(row[j] + 1);
        }
    }
    row[b.len()]
}

/// The line `try: …` of a message.
pub fn remedy_line(remedy: Option<impl std::fmt::Display>) -> String {
    remedy.map_or(String::new(), |remedy| format!("\n  try: {remedy}"))
}
