//! scratch
use cardan::gallery::{self, Dimension};
use cardan::{Settings, Simulation};
fn main() {
    let n: usize = std::env::args().nth(1).unwrap().parse().unwrap();
    let k: usize = std::env::args().nth(2).unwrap().parse().unwrap();
    let s = if n == 0 {
        gallery::andrews(Dimension::Plane)
    } else {
        gallery::chain(n, Dimension::Space)
    }
    .assemble()
    .unwrap();
    let mut sim = Simulation::new(
        &s.model,
        &Settings::new("generalized-alpha", if n == 0 { 1e-6 } else { 1e-3 }).rho(0.8),
        &s.initial,
    )
    .unwrap();
    sim.step().unwrap();
    let c = std::time::Instant::now();
    for _ in 0..k {
        sim.step().unwrap();
    }
    println!("{} µs per step", c.elapsed().as_secs_f64() * 1e6 / k as f64);
}
