//! Studies read a model once and only what a case changes again: their results have the bits of fresh runs.

use std::path::Path;
use std::sync::atomic::AtomicBool;

use cardan::file::{ModelFile, ModelTemplate};
use cardan::run::{RunRequest, run_in_memory};
use cardan_lab::examples::EXAMPLES;
use cardan_lab::study::parameters::{StudyManifest, StudyModel, StudyPlan};

type Outcome = Result<(), Box<dyn std::error::Error>>;

/// Changed values of a parameter: slightly different ones, the next whole number (of elements, of repeated parts), zero
/// (switches), and one that cannot be read.
fn changes(value: f64) -> [String; 5] {
    [0.9 * value, 1.1 * value + 1e-3, value + 1.0, 0.0, f64::NAN].map(|x| format!("{x:?}"))
}

/// The file with all that is read from it, or its errors.
fn written(file: Result<ModelFile, cardan::file::Diagnostics>) -> String {
    match file {
        Ok(file) => format!("{:?}", (&file.mechanism, &file.plan, &file.output, &file.parameters)),
        Err(found) => found.to_string(),
    }
}

#[test]
fn template_reads_every_parameter_of_every_model_like_a_fresh_file() -> Outcome {
    let mut changed = 0;
    for (name, text) in EXAMPLES {
        let file = ModelFile::parse(name, text, &[])?;
        let template = ModelTemplate::new(name, text, &[], file.files.clone())?;
        for (parameter, value) in &file.parameters {
            for value in changes(*value) {
                let set = [(parameter.clone(), value)];
                let fresh = ModelFile::restore(name, text, &set, file.files.clone());
                let [fresh, reused] = [fresh, template.read(&set)].map(written);
                assert!(fresh == reused, "{name} {set:?}:\n{fresh}\n{reused}");
                changed += 1;
            }
        }
    }
    assert!(changed > 500, "{changed}");
    Ok(())
}

/// Each parameter of each model, alone, over a few steps; the last value of each channel.
#[test]
fn study_of_every_parameter_of_every_model_has_the_bits_of_fresh_runs() -> Outcome {
    let stop = AtomicBool::new(false);
    let mut completed = 0;
    for (name, text) in EXAMPLES {
        let file = ModelFile::parse(name, text, &[])?;
        let schedule = file.schedule()?;
        let end = schedule.end.min(schedule.start + 3.0 * schedule.settings.step_size);
        let channel = {
            let recorder = cardan::run::recorder(&file, &file.assemble()?)?;
            recorder.columns()[1].name.clone()
        };
        for (parameter, value) in &file.parameters {
            let values = &changes(*value)[..3];
            let manifest = serde_json::json!({
                "set": { "simulation.end": end },
                "parameters": { parameter: values },
                "quantities": { "last": format!("final({channel})") },
            });
            let manifest = StudyManifest::from_json(&manifest.to_string())?;
            let plan = StudyPlan::new(manifest, StudyModel::of(&file), "test")?;
            let template = plan.template()?;
            for (case, value) in values.iter().enumerate() {
                let row = plan.compute(&template, &plan.design.case(case as u64), &stop);
                let row = row.ok_or("stopped")?;
                let set = [(parameter.clone(), value.clone())];
                let fresh = fresh_run(name, text, &set, end, &channel, &file);
                let bits = |x: &f64| x.to_bits();
                let both = format!("{name} {set:?}: {row:?}, {fresh:?}");
                match fresh {
                    Ok(last) => {
                        assert!(row.quantities.iter().map(bits).eq([bits(&last)]), "{both}")
                    }
                    Err(_) => assert!(row.is_failed, "{both}"),
                }
                completed += usize::from(!row.is_failed);
            }
        }
    }
    assert!(completed > 200, "{completed}");
    Ok(())
}

/// The last value of a channel in a run of its own.
fn fresh_run(
    name: &str,
    text: &str,
    set: &[(String, String)],
    end: f64,
    channel: &str,
    base: &ModelFile,
) -> Result<f64, Box<dyn std::error::Error>> {
    let mut file = ModelFile::restore(name, text, set, base.files.clone())?;
    file.plan.end = Some(cardan::file::Located::outside(end));
    file.output.channels = Some(vec![cardan::file::Located::outside(channel.to_string())]);
    file.output.snapshots.clear();
    let (schedule, start) = (file.schedule()?, file.assemble()?);
    let request = RunRequest::new(Path::new(""));
    let run = run_in_memory(&file, &schedule, &start, &request, &mut |_| true)?;
    match &run.summary.failure {
        Some(reason) => Err(reason.clone().into()),
        None => run.columns[1].last().copied().ok_or("no rows".into()),
    }
}
