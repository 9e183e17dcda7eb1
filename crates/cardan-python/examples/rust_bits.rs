//! The motion of a mechanism that is described in Rust, as the bits of its numbers: the tests of the Python package compare
//! them with those of the same mechanism in Python and in a file.

use cardan::model::{Body, Force, Joint, Mechanism};
use cardan::{Error, Settings};

fn main() -> Result<(), Error> {
    let mut crank = Mechanism::new();
    crank.gravity([0.0, -9.81, 0.0]);
    crank.add(Body::planar("crank").mass(1.0).inertia(0.01).position([0.1, 0.0]));
    crank.add(Body::planar("rod").mass(2.0).inertia(0.05).position([0.4, 0.0]));
    crank.add(Body::planar("slider").mass(0.5).inertia(0.001).position([0.6, 0.0]));
    crank.add(Joint::revolute("A", "ground", "crank").at([0.0, 0.0]).rate(20.0));
    crank.add(Joint::revolute("B", "crank", "rod").at([0.2, 0.0]));
    crank.add(Joint::revolute("C", "rod", "slider").at([0.6, 0.0]));
    crank.add(Joint::prismatic("slide", "ground", "slider").at([0.6, 0.0]).axis([1.0, 0.0]));
    crank.add(Force::joint_spring("spring", "slide").stiffness(100.0).damping(5.0));
    let start = crank.assemble()?;
    for settings in [
        Settings::new("generalized-alpha", 1e-3).rho(0.8),
        Settings::new("lms3", 1e-3).rho(0.6),
        Settings::new("g4", 1e-3),
    ] {
        let mut motion = start.simulate(&settings)?;
        for _ in 0..200 {
            motion.step()?;
            println!("{:016x}", motion.read("A.angle")?[0].to_bits());
        }
    }
    Ok(())
}
