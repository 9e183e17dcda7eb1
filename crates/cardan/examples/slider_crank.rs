//! A slider–crank: bodies, joints, a spring, and what they do in one second.

use cardan::model::{Body, Force, Joint, Mechanism};
use cardan::{Settings, Simulation};

fn main() -> Result<(), cardan::Error> {
    let mut crank = Mechanism::new();
    crank.gravity([0.0, -9.81, 0.0]);
    crank.add(Body::planar("crank").mass(1.0).inertia(0.01).position([0.1, 0.0]));
    let rod = Body::planar("rod").mass(2.0).inertia(0.05).position([0.4, 0.0]);
    crank.add(rod.point("pin", [0.2, 0.0]));
    crank.add(Body::planar("slider").mass(0.5).inertia(0.001).position([0.6, 0.0]));
    crank.add(Joint::revolute("A", "ground", "crank").at([0.0, 0.0]).rate(20.0));
    crank.add(Joint::revolute("B", "crank", "rod").at([0.2, 0.0]));
    crank.add(Joint::revolute("C", "rod.pin", "slider"));
    crank.add(Joint::prismatic("slide", "ground", "slider").at([0.6, 0.0]).axis([1.0, 0.0]));
    crank.add(Force::joint_spring("spring", "slide").stiffness(100.0).damping(5.0));

    let start = crank.assemble()?;
    print!("{}", start.report);
    let settings = Settings::new("generalized-alpha", 1e-3);
    let mut motion = Simulation::new(&start.model, &settings, &start.initial)?;
    motion.run_until(1.0)?;
    for channel in ["A.angle", "slide.translation.rate", "B.reaction.force", "energy.total"] {
        println!("{channel:24} {:?}", start.model.read(channel, motion.now())?);
    }
    Ok(())
}
