//! The linear system ẋ = A x + B u of models with first-order states.

use cardan::InitialValues;
use cardan::math::Vector3;
use cardan::model::{Body, Element, ElementLoads, ElementState, ElementView, Force, Mechanism};
use cardan::modes::{RotatingObserver, StateSpace};
use cardan::statics::StaticOptions;
use cardan::{Failure, System};
use nalgebra::{Complex, DMatrix};

use super::{arm, consistent};

/// A thruster on a ball that follows a spiral: everything depends nonlinearly on everything.
struct Thruster;

impl Element for Thruster {
    fn force(&self, at: &ElementView, loads: &mut ElementLoads) -> Result<(), Failure> {
        let (x, v) = (at.position(0), at.velocity(0));
        let thrust = at.z[0] * (1.0 + x.norm_squared()) - at.z[1].sin() * v.y;
        loads.force(0, &Vector3::new(thrust - v.x, at.z[1] * v.x, -x.z * at.z[0].exp()));
        Ok(())
    }
    fn states(&self) -> Vec<ElementState> {
        ["thrust", "angle"].map(|name| ElementState { name, initial: 0.3 }).to_vec()
    }
    fn rates(&self, at: &ElementView, rates: &mut [f64]) -> Result<(), Failure> {
        let (x, v) = (at.position(0), at.velocity(0));
        rates[0] = -2.0 * at.z[0] + x.x * at.z[1] - v.norm_squared();
        rates[1] = at.z[0] * at.z[1] - x.y.sin();
        Ok(())
    }
}

/// Without constraints x = (q, v, z) itself: A is the derivative of (v, a, ż), which a simulation computes at its start.
#[test]
fn closed_loop_equals_central_differences_of_its_rates() {
    let mut mechanism = Mechanism::new();
    mechanism
        .add(Body::point_mass("ball", 0.7).position([0.4, -0.3, 0.2]).velocity([0.5, 0.1, -0.2]));
    mechanism.add(Force::custom("thruster", ["ball"], Thruster));
    let start = mechanism.assemble().unwrap();
    let at = consistent(&start, &start.initial);
    let outputs = ["thruster.thrust", "thruster.angle", "ball.acceleration.x"].map(String::from);
    let inputs = ["ball.force.y".to_string()];
    let observer = RotatingObserver::default();
    let system = StateSpace::new(&start.model, &at, &observer, &inputs, &outputs).unwrap();
    assert_eq!(system.states.len(), 8);
    assert_eq!(system.states[6..], ["state `thruster.thrust`", "state `thruster.angle`"]);
    let rates = |x: &[f64]| -> Vec<f64> {
        let initial = InitialValues::new(&x[..3], &x[3..6]).states(&x[6..]);
        let at = consistent(&start, &initial);
        [at.v, at.a, at.rates].concat()
    };
    let here = [at.q.clone(), at.v.clone(), at.z.clone()].concat();
    let step = 1e-5;
    for j in 0..8 {
        let moved = |sign: f64| {
            let mut x = here.clone();
            x[j] += sign * step;
            rates(&x)
        };
        let (ahead, behind) = (moved(1.0), moved(-1.0));
        for i in 0..8 {
            let slope = (ahead[i] - behind[i]) / (2.0 * step);
            // the truncation error of the differences
            assert!((system.a[(i, j)] - slope).abs() < 1e-8, "({i}, {j}): {slope}");
        }
        // ẋ of the velocity is the acceleration that is an output
        let slope = (ahead[3] - behind[3]) / (2.0 * step);
        assert!((system.c[(2, j)] - slope).abs() < 1e-7);
        // outputs that are states
        for k in 0..2 {
            let unit = if j == 6 + k { 1.0 } else { 0.0 };
            assert!((system.c[(k, j)] - unit).abs() < 1e-9);
        }
    }
    let push: Vec<f64> = (0..8).map(|i| if i == 4 { 1.0 / 0.7 } else { 0.0 }).collect();
    (0..8).for_each(|i| assert!((system.b[(i, 0)] - push[i]).abs() < 1e-12));
}

/// θ/u = s/(J s³ + d s² + k s + i), z/u = −1/(…) and θ̈/u = s³/(…) of the arm about its equilibrium.
#[test]
fn transfer_functions_of_a_controlled_arm() {
    let gains = [60.0, 80.0, 12.0];
    let start = arm(gains).assemble().unwrap();
    let found = start.equilibrium(&StaticOptions::default()).unwrap();
    let outputs = ["A.angle", "pid.integral", "arm.angular_acceleration"].map(String::from);
    let system = StateSpace::new(
        &start.model,
        found.last().unwrap(),
        &RotatingObserver::default(),
        &["A.angle".to_string()],
        &outputs,
    )
    .unwrap();
    assert_eq!(system.a.nrows(), 2 + start.model.state_count());
    let (inertia, weight) = (0.2 + 2.0 * 0.25, 2.0 * 9.81 * 0.5);
    let stiffness = gains[0] - weight * 0.8_f64.sin();
    for s in [Complex::new(0.0, 3.0), Complex::new(1.0, -0.5)] {
        let matrix = |m: &DMatrix<f64>| m.map(|x| Complex::new(x, 0.0));
        let shifted = DMatrix::identity(3, 3) * s - matrix(&system.a);
        let inverse = shifted.try_inverse().unwrap();
        let transfer = matrix(&system.c) * inverse * matrix(&system.b) + matrix(&system.d);
        let cubic = inertia * s * s * s + gains[2] * s * s + stiffness * s + gains[1];
        for (found, known) in transfer.iter().zip([s / cubic, -1.0 / cubic, s * s * s / cubic]) {
            assert!((found - known).norm() < 1e-8, "{s}: {found}, not {known}");
        }
    }
    assert_eq!(system.states[2], "state `pid.integral`");
}
