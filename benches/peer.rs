//! One run of a model file, with the time of its steps, as one line of JSON. `benches/peers/run` starts this program
//! to compare Cardan with other programs.
//!
//! `peer MODEL.toml --step 1e-3 --end 1 --read crank.angle [--set n=40] [--method generalized-alpha] [--rho 0.8]
//! [--tolerance 1e-10] [--beams galerkin]`

use std::error::Error;
use std::path::PathBuf;

use cardan::Settings;
use cardan::file::ModelFile;
use cardan::model::BeamForm;
use cardan::stage::NewtonOptions;
use rustix::time::{ClockId, clock_gettime};
use serde_json::json;

/// What the command line asks for.
struct Request {
    model: PathBuf,
    set: Vec<(String, String)>,
    method: String,
    rho: Option<f64>,
    tolerance: Option<f64>,
    beams: Option<BeamForm>,
    step: f64,
    end: f64,
    read: Vec<String>,
}

impl Request {
    fn parse(mut words: impl Iterator<Item = String>) -> Result<Self, Box<dyn Error>> {
        let model =
            words.next().ok_or("try: peer MODEL.toml --step 1e-3 --end 1 --read CHANNEL")?;
        let mut request = Self {
            model: model.into(),
            set: Vec::new(),
            method: "generalized-alpha".into(),
            rho: None,
            tolerance: None,
            beams: None,
            step: f64::NAN,
            end: f64::NAN,
            read: Vec::new(),
        };
        while let Some(option) = words.next() {
            let value = words.next().ok_or_else(|| format!("`{option}` needs a value"))?;
            match option.as_str() {
                "--set" => {
                    let (name, value) = value.split_once('=').ok_or("`--set` needs NAME=VALUE")?;
                    request.set.push((name.into(), value.into()));
                }
                "--method" => request.method = value,
                "--rho" => request.rho = Some(value.parse()?),
                "--tolerance" => request.tolerance = Some(value.parse()?),
                "--beams" => request.beams = Some(beam_form(&value)?),
                "--step" => request.step = value.parse()?,
                "--end" => request.end = value.parse()?,
                "--read" => request.read.push(value),
                _ => return Err(format!("there is no option `{option}`").into()),
            }
        }
        Ok(request)
    }

    fn settings(&self) -> Settings {
        let mut settings = Settings::new(&self.method, self.step);
        if let Some(rho) = self.rho {
            settings = settings.rho(rho);
        }
        if let Some(tolerance) = self.tolerance {
            settings = settings.newton(NewtonOptions { tolerance, ..NewtonOptions::default() });
        }
        settings
    }
}

fn beam_form(word: &str) -> Result<BeamForm, String> {
    match word {
        "galerkin" => Ok(BeamForm::Galerkin),
        "finite-volume" => Ok(BeamForm::FiniteVolume),
        _ => Err(format!("`--beams` is galerkin or finite-volume, not `{word}`")),
    }
}

/// The processor time of this process in seconds.
fn processor_time() -> f64 {
    let now = clock_gettime(ClockId::ProcessCPUTime);
    now.tv_sec as f64 + 1e-9 * now.tv_nsec as f64
}

/// The largest resident memory of this process in bytes, if the system reports it.
fn peak_memory() -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find(|line| line.starts_with("VmHWM:"))?;
    Some(1024 * line.split_whitespace().nth(1)?.parse::<u64>().ok()?)
}

fn run(request: &Request) -> Result<serde_json::Value, Box<dyn Error>> {
    let begin = processor_time();
    let mut file =
        ModelFile::read(&request.model, &request.set).map_err(|error| error.render(false))?;
    if let Some(form) = request.beams {
        file.set_beam_form(form);
    }
    let start = file.assemble().map_err(|error| error.render(false))?;
    file.release_mechanism();
    let settings = request.settings();
    let mut motion = start.simulate(&settings)?;
    let steps = settings.steps(motion.now().t, request.end) as u64;
    let before = motion.effort();

    let ready = processor_time();
    for _ in 0..steps {
        motion.step()?;
    }
    let done = processor_time();

    let after = motion.effort();
    let mut values = Vec::new();
    for channel in &request.read {
        values.extend(motion.read(channel)?);
    }
    let residuals = motion.residuals();
    Ok(json!({
        "unknowns": motion.unknowns(),
        "steps": steps,
        "iterations": after.iterations - before.iterations,
        "factorizations": after.linear.factorizations - before.linear.factorizations,
        "setup_seconds": ready - begin,
        "step_seconds": done - ready,
        "peak_bytes": peak_memory(),
        "end": motion.now().t,
        "constraint_error": residuals.position,
        "values": values,
    }))
}

fn main() -> Result<(), Box<dyn Error>> {
    let request = Request::parse(std::env::args().skip(1))?;
    println!("{}", run(&request)?);
    Ok(())
}
