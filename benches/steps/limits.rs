//! The time that the linear systems of a step take at the speed of the processor: a lower limit for every implementation
//! with the same iterations.

use std::hint::black_box;
use std::time::Instant;

use cardan_steps::problems::SpeedProblem;

use super::{Measured, measure};

/// Repetitions of a measurement; the fastest counts.
const ROUNDS: usize = 5;

/// Multiplications and additions per second, on data in registers, without vector instructions that only some
/// processors have.
fn arithmetic_speed() -> f64 {
    const REPEATED: usize = 2_000_000;
    const LANES: usize = 16;
    let mut fastest = f64::INFINITY;
    for _ in 0..ROUNDS {
        let mut sums = black_box([1.0_f64; LANES]);
        let (factor, term) = (black_box(0.999_999), black_box(1e-6));
        let begin = Instant::now();
        for _ in 0..REPEATED {
            sums.iter_mut().for_each(|sum| *sum = *sum * factor + term);
        }
        black_box(sums);
        fastest = fastest.min(begin.elapsed().as_secs_f64());
    }
    (2 * LANES * REPEATED) as f64 / fastest
}

/// Bytes per second that are read from main memory.
fn memory_speed() -> f64 {
    let values = vec![1.0_f64; 16 << 20];
    let mut fastest = f64::INFINITY;
    for _ in 0..ROUNDS {
        let begin = Instant::now();
        let mut sums = [0.0_f64; 16];
        for chunk in black_box(&values).chunks_exact(16) {
            sums.iter_mut().zip(chunk).for_each(|(sum, x)| *sum += x);
        }
        black_box(sums);
        fastest = fastest.min(begin.elapsed().as_secs_f64());
    }
    (8 * values.len()) as f64 / fastest
}

/// Above this many bytes factors do not stay in the cache from one step to the next.
const CACHE: f64 = 16e6;

pub fn print(problems: impl Iterator<Item = SpeedProblem>) {
    let (arithmetic, memory) = (arithmetic_speed(), memory_speed());
    println!(
        "{:.1} billion operations per second in registers, {:.1} GB per second from memory",
        1e-9 * arithmetic,
        1e-9 * memory
    );
    println!(
        "{:20} {:>9} {:>12} {:>10} {:>9} {:>9}",
        "", "µs/step", "operations", "kB", "limit µs", "reached"
    );
    for problem in problems {
        let Measured { seconds, operations, bytes, .. } = measure(&problem);
        let transfer = if bytes > CACHE { bytes / memory } else { 0.0 };
        let limit = (operations / arithmetic).max(transfer);
        println!(
            "{:20} {:9.2} {operations:12.0} {:10.1} {:9.2} {:8.0}%",
            problem.name,
            1e6 * seconds,
            1e-3 * bytes,
            1e6 * limit,
            100.0 * limit / seconds,
        );
    }
}
