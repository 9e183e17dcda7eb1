//! Mistakes with line, column, underlined word, message and help, as `located.txt` has them.

use std::collections::HashMap;
use std::path::PathBuf;

use cardan::Simulation;
use cardan::file::{Diagnostics, ModelFile};
use cardan::run::recorder;
use cardan_lab::study::Signals;

fn fixtures() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("suite/files/located.txt")
}

/// What is wrong with a text, from reading it to the first instant.
fn mistakes(text: &str) -> Option<Diagnostics> {
    let begin = || -> Result<(), Diagnostics> {
        let file = ModelFile::parse("model.toml", text, &[])?;
        let schedule = file.schedule()?;
        let start = file.assemble()?;
        recorder(&file, &start)?;
        let motion = Simulation::new(&start.model, &schedule.settings, &start.initial);
        motion.map(drop).map_err(|error| file.explain(&error.into()))
    };
    begin().err()
}

/// Place, underlined text, message and help of each mistake, one in a line.
fn described(text: &str) -> Vec<String> {
    let Some(mistakes) = mistakes(text) else { return vec!["> nothing is wrong".into()] };
    let mut lines = Vec::new();
    for mistake in &mistakes.list {
        lines.push(match &mistake.span {
            None => "nowhere".into(),
            Some(span) => {
                let text = &mistakes.source.text;
                let before = &text[..span.start];
                let line = before.matches('\n').count() + 1;
                let column = before.rsplit('\n').next().unwrap_or_default().chars().count() + 1;
                format!("{line}:{column} {}", &text[span.clone()]).trim_end().to_string()
            }
        });
        lines.push(mistake.message.clone());
        lines.extend(mistake.help.as_ref().map(|help| format!("help: {help}")));
        assert!(mistakes.render(false).contains(&mistake.message));
    }
    lines.iter().map(|line| format!("> {}", line.replace('\n', "\\n"))).collect()
}

/// The text of a case: its base, with replacements and additions.
fn built(bases: &HashMap<String, String>, lines: &[&str]) -> String {
    let mut text = bases[lines[0].trim()].clone();
    let mut from = String::new();
    for line in &lines[1..] {
        let unescaped = |rest: &str| rest.replace("\\n", "\n");
        if let Some(rest) = line.strip_prefix("- ") {
            from = unescaped(rest);
            assert!(text.contains(&from), "{lines:?}");
        } else if let Some(rest) = line.strip_prefix("+") {
            text = text.replacen(&from, &unescaped(rest.strip_prefix(" ").unwrap_or(rest)), 1);
        } else if !line.starts_with('>') && !line.is_empty() {
            text += line;
            text += "\n";
        }
    }
    text
}

#[test]
fn every_mistake_has_its_place_and_words() {
    let known = std::fs::read_to_string(fixtures()).unwrap();
    let mut blocks = known.split("\n#### ");
    let mut renewed = blocks.next().unwrap().to_string();
    let mut bases: HashMap<String, String> = HashMap::new();
    let mut count = 0;
    for block in blocks {
        let (name, body) = block.split_once('\n').unwrap();
        if let Some(base) = name.strip_prefix("base ") {
            bases.insert(base.into(), body.into());
            renewed += &format!("\n#### {block}");
            continue;
        }
        let lines: Vec<&str> = body.lines().collect();
        let given: Vec<&str> =
            lines.iter().copied().filter(|x| !x.starts_with('>') && !x.is_empty()).collect();
        let found = described(&built(&bases, &given)).join("\n");
        renewed += &format!("\n#### {name}\n{}\n{found}\n", given.join("\n"));
        count += 1;
    }
    assert!(count > 200, "{count}");
    if std::env::var_os("CARDAN_RENEW").is_some() {
        std::fs::write(fixtures(), &renewed).unwrap();
        return;
    }
    for (old, new) in known.split("\n#### ").zip(renewed.split("\n#### ")) {
        assert_eq!(old.trim_end(), new.trim_end());
    }
}

/// Names may have backticks: the motion is computed, channels and signals are found by them.
#[test]
fn backticks_are_part_of_names() {
    let text = super::pendulum_and("[output]\nchannels = [\"a`b.position\", \"`O`.angle\"]\n")
        .replace("[body.bar]", "[body.\"a`b\"]")
        .replace("\"bar\"", "\"a`b\"")
        .replace("[joint.O]", "[joint.\"`O`\"]");
    let file = ModelFile::parse("model.toml", &text, &[]).unwrap();
    let (schedule, start) = (file.schedule().unwrap(), file.assemble().unwrap());
    let recorder = recorder(&file, &start).unwrap();
    let columns: Vec<String> = recorder.columns().iter().map(|x| x.name.clone()).collect();
    assert_eq!(columns, ["time", "a`b.position.x", "a`b.position.y", "`O`.angle"]);
    let mut motion = Simulation::new(&start.model, &schedule.settings, &start.initial).unwrap();
    motion.run_until(schedule.end).unwrap();
    let angle = start.model.read("`O`.angle", motion.now()).unwrap()[0];
    assert!(angle < -0.05, "{angle}");
    let signals = [("x".into(), "a`b.position.x".into()), ("angle".into(), "`O`.angle".into())];
    assert!(Signals::formulas(&start.model, &signals).is_ok());
}
