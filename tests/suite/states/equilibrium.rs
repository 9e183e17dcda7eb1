//! Equilibria with first-order states: ż = 0.

use cardan::model::{Body, Force, Joint, Mechanism};
use cardan::statics::{Equilibrium, StaticOptions};
use cardan::{Error, InitialValues, Settings, Simulation};

use super::{Custom, Motor, arm, slider};

fn equilibrium(mechanism: &Mechanism) -> Result<Equilibrium, Error> {
    mechanism.assemble().unwrap().equilibrium(&StaticOptions::default())
}

/// Zero error; the integral carries the weight, i z = m g l cos 0.8.
#[test]
fn integral_of_a_pid_controller_carries_the_load() {
    let weight = 2.0 * 9.81 * 0.5;
    for gains in [[60.0, 80.0, 12.0], [0.0, 80.0, 12.0], [60.0, 1e-3, 0.0]] {
        let start = arm(gains).assemble().unwrap();
        let found = start.equilibrium(&StaticOptions::default()).unwrap();
        let rest = found.last().unwrap();
        let angle = start.model.read("A.angle", rest).unwrap()[0];
        assert!((angle - 0.8).abs() < 1e-12, "{gains:?}: {angle}");
        let torque = gains[1] * rest.z[0];
        assert!((torque - weight * 0.8_f64.cos()).abs() < 1e-9, "{gains:?}: {torque}");
        assert!(found.held_states.is_empty());
    }
}

/// A run that starts there does not move.
#[test]
fn run_from_an_equilibrium_with_states_stays_there() {
    let start = arm([60.0, 80.0, 12.0]).assemble().unwrap();
    let found = start.equilibrium(&StaticOptions::default()).unwrap();
    let settings = Settings::new("lms3", 1e-2);
    let mut motion =
        Simulation::new(&start.model, &settings, &InitialValues::from(&found)).unwrap();
    motion.run_until(1.0).unwrap();
    let rest = found.last().unwrap();
    for (now, rest) in motion.now().z.iter().zip(&rest.z) {
        assert!((now - rest).abs() < 1e-9, "{now} {rest}");
    }
    let angle = motion.read("A.angle").unwrap()[0];
    assert!((angle - 0.8).abs() < 1e-9);
}

/// A motor that holds a weight on a drum against a spring: i = U/R, k i = k_s φ.
#[test]
fn stalled_motor_has_the_current_of_its_resistance() {
    let mut mechanism = Mechanism::new();
    mechanism.add(Body::planar("rotor").mass(1.0).inertia(0.02));
    mechanism.add(Joint::revolute("shaft", "ground", "rotor").at([0.0, 0.0]));
    mechanism.add(Force::joint_spring("spring", "shaft").stiffness(2.0));
    let motor = Motor { k: 0.05, resistance: 1.2, inductance: 3e-3, voltage: 12.0 };
    mechanism.add(Force::custom("motor", ["shaft"], motor));
    let start = mechanism.assemble().unwrap();
    let found = start.equilibrium(&StaticOptions::default()).unwrap();
    let rest = found.last().unwrap();
    assert!((rest.z[0] - 10.0).abs() < 1e-12, "{:?}", rest.z);
    let angle = start.model.read("shaft.angle", rest).unwrap()[0];
    assert!((angle - 0.25).abs() < 1e-12, "{angle}");
}

/// z³ + z = x with a force −40 z + 30: x and z from 20 x + 40 z = 30 and x = z + z³, so 20 z³ + 60 z = 30.
#[test]
fn nonlinear_state_equations_are_solved_with_the_positions() {
    let mut mechanism = slider(20.0, 0.0);
    let element = Custom {
        names: &["soft"],
        rates: |_, x, _, z: &[f64], rates: &mut [f64]| rates[0] = x - z[0] - z[0].powi(3),
        force: |_, z: &[f64]| 30.0 - 40.0 * z[0],
    };
    mechanism.add(Force::custom("soft", ["slide"], element));
    let found = equilibrium(&mechanism).unwrap();
    let z = found.last().unwrap().z[0];
    assert!((20.0 * z.powi(3) + 60.0 * z - 30.0).abs() < 1e-10, "{z}");
}

/// States that act on nothing keep their start values, and so does a state that acts on such states only; a filter that
/// acts on nothing still has an equilibrium.
#[test]
fn states_without_influence_are_held_and_listed() {
    let mut mechanism = slider(20.0, 0.0);
    mechanism.gravity([9.81, 0.0, 0.0]);
    let element = Custom {
        names: &["sum", "sum_of_sums", "filtered"],
        rates: |_, x, _, z: &[f64], rates: &mut [f64]| {
            rates.copy_from_slice(&[x, z[0], 3.0 * (x - z[2])]);
        },
        force: |_, _: &[f64]| 0.0,
    };
    mechanism.add(Force::custom("sensor", ["slide"], element));
    let found = equilibrium(&mechanism).unwrap();
    assert_eq!(found.held_states, ["state `sensor.sum`", "state `sensor.sum_of_sums`"]);
    let z = &found.last().unwrap().z;
    assert_eq!(z[..2], [0.0, 0.0]);
    assert!((z[2] - 2.0 * 9.81 / 20.0).abs() < 1e-12, "{z:?}");
}

/// z = ∫ v dt is the displacement since the start: ż = 0 holds everywhere at rest, so the force −z is undetermined.
#[test]
fn state_that_rest_does_not_determine_is_named() {
    let mut mechanism = slider(20.0, 0.0);
    let element = Custom {
        names: &["travelled"],
        rates: |_, _, v: f64, _: &[f64], rates: &mut [f64]| rates[0] = v,
        force: |_, z: &[f64]| -z[0],
    };
    mechanism.add(Force::custom("rail", ["slide"], element));
    let text = equilibrium(&mechanism).unwrap_err().to_string();
    assert!(text.contains("does not determine state `rail.travelled`"), "{text}");
    assert!(text.contains("try:"), "{text}");
}

/// ż = 1 + sin t never rests at t = 0.
#[test]
fn state_driven_by_time_is_named() {
    let mut mechanism = slider(20.0, 0.0);
    let element = Custom {
        names: &["ramp"],
        rates: |t: f64, _, _, _: &[f64], rates: &mut [f64]| rates[0] = 1.0 + t.sin(),
        force: |_, z: &[f64]| z[0],
    };
    mechanism.add(Force::custom("drive", ["slide"], element));
    let text = equilibrium(&mechanism).unwrap_err().to_string();
    assert!(text.contains("state `drive.ramp` has no equilibrium"), "{text}");
}

/// Two integrals of one error share the load in every proportion: the matrix is singular. Pseudo-transient continuation
/// ends at one of the equilibria, where the error is zero.
#[test]
fn two_integrals_of_one_error_find_an_equilibrium_or_name_a_state() {
    let mut mechanism = arm([60.0, 80.0, 12.0]);
    let pid = super::Pid { target: 0.8, gains: [0.0, 40.0, 0.0] };
    mechanism.add(Force::custom("more", ["A.angle"], pid));
    let start = mechanism.assemble().unwrap();
    match start.equilibrium(&StaticOptions::default()) {
        Ok(found) => {
            let angle = start.model.read("A.angle", found.last().unwrap()).unwrap()[0];
            assert!((angle - 0.8).abs() < 1e-6, "{angle}");
        }
        Err(error) => assert!(error.to_string().contains("integral"), "{error}"),
    }
}

/// i z = load · m g l cos 0.8 in every load step.
#[test]
fn load_steps_follow_the_integral() {
    let start = arm([60.0, 80.0, 12.0]).assemble().unwrap();
    let options = StaticOptions { steps: 4, ..StaticOptions::default() };
    let found = start.equilibrium(&options).unwrap();
    assert_eq!(found.path.len(), 4);
    for (load, at) in &found.path {
        let torque = 80.0 * at.z[0];
        assert!((torque - load * 2.0 * 9.81 * 0.5 * 0.8_f64.cos()).abs() < 1e-9, "{load} {torque}");
    }
}
