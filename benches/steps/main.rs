//! Time of a step for the problems of `problems.rs`: `cargo run --release -p cardan-steps [NAME…]`.
//!
//! `steps NAME --count N` takes N steps once, for callgrind, which counts the instructions of `measured_steps`:
//! see `instructions`.

// known mechanisms: the lab has more dependencies than the steps need
#[path = "../../crates/cardan-lab/src/gallery.rs"]
#[allow(dead_code)]
mod gallery;
mod problems;

use std::time::Instant;

use cardan::Simulation;
use problems::{SpeedProblem, problems};

/// Measurements of a problem; the fastest counts.
const ROUNDS: usize = 7;

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    if let [name, flag, steps] = arguments.as_slice()
        && flag == "--count"
        && let Ok(steps) = steps.parse()
    {
        return problems().filter(|p| p.name == name).for_each(|problem| count(&problem, steps));
    }
    println!("{:20} {:>9} {:>8} {:>8} {:>9}  last values", "", "µs/step", "iter.", "factor.", "set-up µs");
    let is_chosen = |name: &str| arguments.is_empty() || arguments.iter().any(|a| name.starts_with(a.as_str()));
    problems().filter(|p| is_chosen(p.name)).for_each(|problem| measure(&problem));
}

/// The steps that are counted.
#[inline(never)]
fn measured_steps(run: &mut Simulation<'_>, steps: usize) {
    for _ in 0..steps {
        if let Err(error) = run.step() {
            println!("{error}");
            return;
        }
    }
}

fn count(problem: &SpeedProblem, steps: usize) {
    let start = problem.assemble();
    let mut run = start.simulate(&problem.settings).expect("the start is consistent");
    measured_steps(&mut run, steps);
    println!("{:.12e}", run.now().q.iter().sum::<f64>());
}

fn measure(problem: &SpeedProblem) {
    let mut fastest = f64::INFINITY;
    let begin = Instant::now();
    let start = problem.assemble();
    let mut run = start.simulate(&problem.settings).expect("the start is consistent");
    let set_up = 1e6 * begin.elapsed().as_secs_f64();
    for round in 0..ROUNDS {
        if round > 0 {
            run = start.simulate(&problem.settings).expect("the start is consistent");
        }
        let begin = Instant::now();
        measured_steps(&mut run, problem.steps);
        fastest = fastest.min(begin.elapsed().as_secs_f64());
    }
    let steps = problem.steps as f64;
    let effort = run.effort();
    println!(
        "{:20} {:9.2} {:8.2} {:8.2} {:9.0}  {:.12e} {:.12e}",
        problem.name,
        1e6 * fastest / steps,
        effort.iterations as f64 / steps,
        effort.linear.factorizations as f64 / steps,
        set_up,
        run.now().q.iter().sum::<f64>(),
        run.now().v.iter().sum::<f64>(),
    );
}
