//! A pendulum in its angle: the shortest program.

use cardan::{
    Failure, InitialValues, Settings, Simulation, Space, SparseMatrix, StateView, System,
};

struct Pendulum;

impl System for Pendulum {
    fn space(&self) -> Space {
        Space::vector(1)
    }
    fn mass(&self, _at: &StateView<'_>, mass: &mut SparseMatrix) -> Result<(), Failure> {
        mass.add(0, 0, 1.0);
        Ok(())
    }
    fn force(&self, at: &StateView, force: &mut [f64]) -> Result<(), Failure> {
        force[0] = -9.81 * at.q[0].sin();
        Ok(())
    }
}

fn main() -> Result<(), cardan::Error> {
    let settings = Settings::new("generalized-alpha", 0.01).rho(0.8);
    let mut pendulum = Simulation::new(&Pendulum, &settings, &InitialValues::new(&[1.0], &[0.0]))?;
    pendulum.run_until(1.0)?;
    println!("angle at t = {}: {}", pendulum.now().t, pendulum.now().q[0]);
    Ok(())
}
