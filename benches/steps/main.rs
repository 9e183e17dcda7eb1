//! Time of a step for the problems of `problems.rs`: `cargo run --release -p cardan-steps [NAME…]`.
//!
//! `steps --limits [NAME…]` compares it with the time that the arithmetic of the linear systems takes at the speed of the
//! processor. `steps NAME --count N` takes N steps once, for callgrind, which counts the instructions of
//! `measured_steps`: see `instructions`. `steps NAME --memory N` prints the largest resident memory after set-up and after N
//! steps.

mod limits;

use std::time::Instant;

use cardan::Simulation;
use cardan_steps::problems::{SpeedProblem, problems};

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
    if let [name, flag, steps] = arguments.as_slice()
        && flag == "--memory"
        && let Ok(steps) = steps.parse()
    {
        return problems().filter(|p| p.name == name).for_each(|problem| memory(&problem, steps));
    }
    let names: Vec<&str> =
        arguments.iter().map(String::as_str).filter(|a| !a.starts_with("--")).collect();
    let is_chosen = |name: &str| names.is_empty() || names.iter().any(|n| name.starts_with(n));
    let chosen = problems().filter(|p| is_chosen(p.name));
    match arguments.iter().any(|a| a == "--limits") {
        true => limits::print(chosen),
        false => {
            println!(
                "{:20} {:>9} {:>10} {:>10} {:>9}",
                "", "µs/step", "iterations", "matrices", "set-up µs"
            );
            chosen.for_each(|problem| print(&problem));
        }
    }
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

/// Prints the memory of a problem, and ends the program without freeing it, so that a profiler of the heap lists all of it.
fn memory(problem: &SpeedProblem, steps: usize) {
    print_memory("at the beginning");
    let start = problem.assemble();
    print_memory("assembled");
    let mut run = start.simulate(&problem.settings).expect("the start is consistent");
    print_memory("set up");
    measured_steps(&mut run, steps);
    print_memory("after the steps");
    std::process::exit(0);
}

/// Prints the resident memory, and the largest so far, as Linux counts it.
fn print_memory(when: &str) {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let value = |key: &str| status.lines().find_map(|line| line.strip_prefix(key)).unwrap_or("?");
    println!("{when:18} {} now, {} at most", value("VmRSS:").trim(), value("VmHWM:").trim());
}

/// The time of a problem, per step.
struct Measured {
    seconds: f64,
    iterations: f64,
    matrices: f64,
    set_up: f64,
    /// Multiplications and additions of its linear systems, and bytes that they read.
    operations: f64,
    bytes: f64,
    /// A number that shows changes of the results.
    sum: f64,
}

fn measure(problem: &SpeedProblem) -> Measured {
    let mut fastest = f64::INFINITY;
    let begin = Instant::now();
    let start = problem.assemble();
    let mut run = start.simulate(&problem.settings).expect("the start is consistent");
    let set_up = begin.elapsed().as_secs_f64();
    for round in 0..ROUNDS {
        if round > 0 {
            run = start.simulate(&problem.settings).expect("the start is consistent");
        }
        let begin = Instant::now();
        measured_steps(&mut run, problem.steps);
        fastest = fastest.min(begin.elapsed().as_secs_f64());
    }
    let steps = problem.steps as f64;
    let (effort, counts) = (run.effort(), run.operation_counts());
    let iterations = effort.iterations as f64 / steps;
    let matrices = effort.linear.factorizations as f64 / steps;
    Measured {
        seconds: fastest / steps,
        iterations,
        matrices,
        set_up,
        operations: matrices * counts.factorization as f64 + iterations * counts.solution as f64,
        bytes: (matrices + iterations) * counts.bytes as f64,
        sum: run.now().q.iter().chain(&run.now().v).sum(),
    }
}

fn print(problem: &SpeedProblem) {
    let Measured { seconds, iterations, matrices, set_up, sum, .. } = measure(problem);
    let (microseconds, set_up) = (1e6 * seconds, 1e6 * set_up);
    println!(
        "{:20} {microseconds:9.2} {iterations:10.2} {matrices:10.2} {set_up:9.0}  {sum:.10e}",
        problem.name
    );
}
