//! One model in many threads: the same bits as alone, and the speed of independent processes.
//!
//! `cargo run --release -p cardan-lab --example shared_model [THREADS]`; with `alone` instead of a number it is one of
//! the processes to compare with.

use std::time::Instant;

use cardan::model::AssembledMechanism;
use cardan::{Error, Settings};
use cardan_lab::gallery::{self, Dimension};

const END: f64 = 0.2;

fn run(start: &AssembledMechanism) -> Result<cardan::Instant, Error> {
    let mut motion = start.simulate(&Settings::new("lms3", 1e-6))?;
    motion.run_until(END)?;
    Ok(motion.now().clone())
}

fn main() -> Result<(), Error> {
    let argument = std::env::args().nth(1);
    let start = gallery::andrews(Dimension::Plane).assemble()?;
    let began = Instant::now();
    let alone = run(&start)?;
    let one = began.elapsed().as_secs_f64();
    if argument.as_deref() == Some("alone") {
        println!("{one:.3} s");
        return Ok(());
    }
    let threads: usize = argument.and_then(|x| x.parse().ok()).unwrap_or(2);
    let began = Instant::now();
    let ends: Vec<_> = std::thread::scope(|scope| {
        let all: Vec<_> = (0..threads).map(|_| scope.spawn(|| run(&start))).collect();
        all.into_iter().filter_map(|thread| thread.join().ok()).collect()
    });
    let together = began.elapsed().as_secs_f64();
    for end in ends {
        assert_eq!(end?, alone, "every thread has the bits of one alone");
    }
    println!("one thread {one:.3} s; {threads} threads {together:.3} s, the same bits");
    Ok(())
}
