//! A four-bar made of spatial revolutes: it is overconstrained, and works at once.

use cardan::model::{Body, EnergyBalance, Joint, Mechanism, Shape};
use cardan::{Settings, Simulation};

fn main() -> Result<(), cardan::Error> {
    let mut four_bar = Mechanism::new();
    four_bar.gravity([0.0, -9.81, 0.0]);
    let bar = |name: &str, length: f64| {
        Body::spatial(name).shape(Shape::Box { edges: [length, 0.05, 0.05] }, 7800.0)
    };
    let up = [0.0, 0.0, std::f64::consts::FRAC_PI_2];
    four_bar.add(bar("crank", 1.0).position([0.0, 0.5, 0.0]).rotated(up));
    four_bar.add(bar("coupler", 2.0).position([1.0, 1.0, 0.0]));
    four_bar.add(bar("rocker", 1.0).position([2.0, 0.5, 0.0]).rotated(up));
    let pin = |name, one, two| Joint::revolute(name, one, two).axis([0.0, 0.0, 1.0]);
    four_bar.add(pin("A", "ground", "crank").at([0.0, 0.0, 0.0]).rate(-1.0));
    four_bar.add(pin("B", "crank", "coupler").at([0.0, 1.0, 0.0]));
    four_bar.add(pin("C", "coupler", "rocker").at([2.0, 1.0, 0.0]));
    four_bar.add(pin("D", "ground", "rocker").at([2.0, 0.0, 0.0]));

    let start = four_bar.assemble()?;
    print!("{}", start.report);
    let settings = Settings::new("generalized-alpha", 1e-3).rho(0.9);
    let mut motion = Simulation::new(&start.model, &settings, &start.initial)?;
    let mut books = EnergyBalance::new(&start.model, motion.now());
    while motion.now().t < 2.0 {
        motion.step()?;
        books.record(&start.model, &motion);
    }
    println!("crank angle after 2 s: {:.6}", start.model.read("A.angle", motion.now())?[0]);
    println!("energy unaccounted for: {:.1e} of {:.1} J", books.balance, books.initial);
    Ok(())
}
