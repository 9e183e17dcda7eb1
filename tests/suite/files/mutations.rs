//! Files that somebody broke: an answer for each, never a panic, never a long wait.

use super::{names, text};
use crate::mechanisms::Noise;
use cardan::Simulation;
use cardan::file::ModelFile;

const WORDS: [&str; 28] = [
    "nan",
    "inf",
    "-1",
    "0",
    "1e308",
    "1e-308",
    "\"",
    "[",
    "]",
    "{",
    "}",
    "=",
    "\n",
    "#",
    ".",
    "\"t\"",
    "\"1/0\"",
    "true",
    "\"\"",
    "[[1]]",
    "\"ground\"",
    "1e12",
    "[0, 0, 0]",
    "\"{i}\"",
    "\"rod{i\"",
    "repeat = 3\n",
    "€",
    "\0",
];

/// One change: a word put in, characters taken out, lines doubled or dropped, words exchanged.
fn mutate(text: &mut String, noise: &mut Noise) {
    let mut below = |n: usize| ((noise.next() + 1.0) * 0.5 * n as f64) as usize % n.max(1);
    let mut lines: Vec<&str> = text.lines().collect();
    let mut boundary = || {
        let mut at = below(text.len() + 1);
        while !text.is_char_boundary(at) {
            at -= 1;
        }
        at
    };
    let (from, kind) = (boundary(), boundary() % 5);
    let changed = match kind {
        0 => format!("{}{}{}", &text[..from], WORDS[below(WORDS.len())], &text[from..]),
        1 => {
            let rest: String = text[from..].chars().skip(1 + below(8)).collect();
            format!("{}{rest}", &text[..from])
        }
        2 => {
            lines.remove(below(lines.len()));
            lines.join("\n")
        }
        3 => {
            let line = lines[below(lines.len())];
            lines.insert(below(lines.len()), line);
            lines.join("\n")
        }
        _ => {
            let words: Vec<&str> = text.split([' ', '\n', '"']).filter(|x| !x.is_empty()).collect();
            let (old, new) = (words[below(words.len())], words[below(words.len())]);
            text.replacen(old, new, 1 + below(3))
        }
    };
    *text = changed;
}

#[test]
fn a_thousand_mutated_files_get_an_answer() {
    let originals: Vec<String> = names().iter().map(|name| text(name)).collect();
    let mut noise = Noise(4);
    let (mut refused, mut moved) = (0, 0);
    for k in 0..1000 {
        let mut broken = originals[k % originals.len()].clone();
        for _ in 0..1 + k % 3 {
            mutate(&mut broken, &mut noise);
        }
        let file = match ModelFile::parse("mutated.toml", &broken, &[]) {
            Ok(file) => file,
            Err(mistakes) => {
                assert!(!mistakes.render(true).is_empty());
                refused += 1;
                continue;
            }
        };
        let (Ok(schedule), Ok(start)) = (file.schedule(), file.assemble()) else {
            refused += 1;
            continue;
        };
        let Ok(mut motion) = Simulation::new(&start.model, &schedule.settings, &start.initial)
        else {
            continue;
        };
        // a few steps: whether they can be computed is another matter
        let _ = (0..3).try_for_each(|_| motion.step());
        moved += 1;
    }
    assert!(refused > 300 && moved > 100, "{refused} refused, {moved} moved");
}
