//! A heavy top on a spherical joint: the three constraint formulations side by side, and the order
//! at which each converges to the digits known from the literature.

use cardan::{Formulation, Settings, Simulation, System};
use cardan_lab::exam::problems::HeavyTop;

/// The centre of mass at t = 1.
const EXACT: [f64; 3] = [0.17334396409838604, 0.64008859207056878, -0.74849079113358131];

fn main() -> Result<(), cardan::Error> {
    let top = HeavyTop::fast();
    let system: &dyn System = top.system.as_ref();
    println!("heavy top, 150 rad/s, generalized-alpha with rho = 0.6, at t = 1");
    println!(
        "{:<13} {:>8} {:>10} {:>6} {:>9} {:>9}",
        "constraints", "h", "error", "order", "|Φ|", "|Gv|"
    );
    for constraints in Formulation::ALL {
        let mut before = f64::NAN;
        for h in [1e-3, 5e-4, 2.5e-4, 1.25e-4] {
            let settings = Settings::new("generalized-alpha", h).constraints(constraints);
            let mut run = Simulation::new(system, &settings, &top.initial)?;
            run.run_until(1.0)?;
            let distance = |(x, y): (&f64, &f64)| (x - y).abs();
            let error = run.now().q.iter().zip(&EXACT).map(distance).fold(0.0, f64::max);
            let order = (before / error).log2();
            let order = if order.is_nan() { String::new() } else { format!("{order:.2}") };
            let residuals = run.residuals();
            println!(
                "{:<13} {h:>8.1e} {error:>10.2e} {order:>6} {:>9.0e} {:>9.0e}",
                constraints.name(),
                residuals.position,
                residuals.velocity,
            );
            before = error;
        }
    }
    Ok(())
}
