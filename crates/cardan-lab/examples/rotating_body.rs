//! A body under the torque of a known rotation: the errors of several methods for rotations.
//!
//! `cargo run --release -p cardan-lab --example rotating_body`

use cardan::math::Quaternion;
use cardan::methods::MethodChoice;
use cardan::{Settings, Simulation};
use cardan_lab::papers::{LoadCase, PrescribedRotation, angle_error, relative_angle};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    println!("largest errors on [0, 5π]: of the angle of rotation, and the angle between both");
    for case in [LoadCase::Quadratic, LoadCase::Harmonic] {
        let body = PrescribedRotation { case };
        println!("\n{case:?}\n{:<22} {:>6} {:>10} {:>10}", "method", "h", "angle", "between");
        for method in ["newmark-so3", "trbdf2:result=printed", "trbdf2", "g4", "g5", "rk4"] {
            for h in [0.05, 0.01] {
                let settings = Settings::of(&method.parse::<MethodChoice>()?, h);
                let mut motion = Simulation::new(&body, &settings, &body.initial())?;
                let (mut angle, mut between) = (0.0_f64, 0.0_f64);
                while motion.now().t + h <= 5.0 * std::f64::consts::PI {
                    motion.step()?;
                    let q = &motion.now().q;
                    let found = Quaternion::new(q[0], q[1], q[2], q[3]);
                    let exact = body.exact(motion.now().t);
                    angle = angle.max(angle_error(&found, &exact));
                    between = between.max(relative_angle(&found, &exact));
                }
                println!("{method:<22} {h:>6} {angle:>10.2e} {between:>10.2e}");
            }
        }
    }
    Ok(())
}
