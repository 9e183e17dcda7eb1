//! Prescribed motions, kinematic analysis, inverse dynamics, rolling and blades.

use cardan::SimulationError;
use cardan::math::Vector3;
use cardan::model::{Body, Drive, Force, Function, Joint, Mechanism, Rolling, Scalar, Skate};
use cardan::simulation::StartError;
use cardan::simulation::kinematics;
use cardan::{Formulation, Settings, Simulation};
use cardan_lab::gallery;

use super::{FORMULATIONS, damped, run};

/// A planar slider–crank with the crank driven: crank 0.3, rod 0.6, offset of nothing.
fn slider_crank(drive: Drive) -> Mechanism {
    let mut crank = Mechanism::new();
    crank.gravity([0.0, -9.81, 0.0]);
    crank.add(Body::planar("crank").mass(3.0).inertia(3.0 * 0.09 / 12.0).position([0.15, 0.0]));
    crank.add(Body::planar("rod").mass(0.9).inertia(0.9 * 0.36 / 12.0).position([0.6, 0.0]));
    crank.add(Body::planar("slider").mass(0.5).inertia(1e-3).position([0.9, 0.0]));
    crank.add(Joint::revolute("A", "ground", "crank").at([0.0, 0.0]));
    crank.add(Joint::revolute("B", "crank", "rod").at([0.3, 0.0]));
    crank.add(Joint::revolute("C", "rod", "slider").at([0.9, 0.0]));
    crank.add(Joint::prismatic("slide", "ground", "slider").at([0.9, 0.0]).axis([1.0, 0.0]));
    crank.add(drive);
    crank
}

fn swing() -> Function {
    Function::of(|t| t * 4.0 + (t * 3.0).sin())
}

/// Positions, velocities and accelerations of the slider in closed form; the drive's torque from the
/// power of everything that moves. Nothing is integrated, so that all of it holds to round-off.
#[test]
fn kinematics_and_inverse_dynamics_are_exact() {
    let start = slider_crank(Drive::angle("motor", "A", swing())).assemble().unwrap();
    assert_eq!(start.report.degrees_of_freedom, 0);
    // velocities follow from the drive alone: 7 rad/s at the start
    let motion = Simulation::new(&start.model, &damped(1e-3), &start.initial).unwrap();
    assert!(motion.start_report().velocity_change.is_none());
    assert!((start.initial.v[2] - 7.0).abs() < 1e-13, "{:?}", start.initial.v);
    let times: Vec<f64> = (0..=12).map(|k| 0.25 * k as f64).collect();
    let motion = kinematics(&start.model, &start.initial, &times).unwrap();
    for (now, &t) in motion.iter().zip(&times) {
        let read = |name: &str| start.model.read(name, now).unwrap()[0];
        let [angle, rate, acceleration] = swing().at(t);
        // x = 0.3 cos φ + √(0.36 − 0.09 sin² φ), differentiated exactly
        let x = Function::of(|s| {
            let angle = s * 4.0 + (s * 3.0).sin();
            let sine = angle.sin() * 0.3;
            angle.cos() * 0.3 + (-sine * sine + 0.36).sqrt()
        });
        let [place, speed, push] = x.at(t);
        assert!(
            (read("A.angle") - angle).abs() < 1e-12 && (read("A.angle.rate") - rate).abs() < 1e-12
        );
        assert!((read("A.angle.acceleration") - acceleration).abs() < 1e-11);
        assert!((read("slide.translation") - (place - 0.9)).abs() < 1e-12, "{t}");
        assert!((read("slide.translation.rate") - speed).abs() < 1e-11, "{t}");
        assert!((read("slide.translation.acceleration") - push).abs() < 1e-10, "{t}");
        // the drive gives what the energy takes: d(T + V)/dt by a difference over the motion itself
        let h = 1e-4;
        let near: Vec<f64> = [-2.0, -1.0, 1.0, 2.0].iter().map(|k| t + 1.0 + k * h).collect();
        let shifted = kinematics(&start.model, &start.initial, &near).unwrap();
        let energy: Vec<f64> = shifted
            .iter()
            .map(|now| {
                let energy = start.model.energy(now);
                energy.kinetic + energy.potential
            })
            .collect();
        let rate = (8.0 * (energy[2] - energy[1]) - energy[3] + energy[0]) / (12.0 * h);
        let there = &kinematics(&start.model, &start.initial, &[t + 1.0]).unwrap()[0];
        let power = start.model.read("motor.power", there).unwrap()[0];
        // fourth-order differences: ε E/h = 1e-11, h⁴ = 1e-16 times fifth derivatives of 1e5
        assert!((power - rate).abs() < 1e-8, "{t}: {power} {rate}");
    }
}

/// However far apart the times, the mechanism is followed on its branch and its turns are counted: a
/// crank of 0.2 m on a rod of 0.25 m, asked once after many radians.
#[test]
fn kinematics_stays_on_its_branch() {
    let (crank, rod, begin) = (0.2, 0.25, 0.6_f64);
    let lean = -(crank / rod * begin.sin()).asin();
    let pin = [crank * begin.cos(), crank * begin.sin()];
    let end = pin[0] + rod * lean.cos();
    let mut slider = Mechanism::new();
    let body =
        |name: &str, x: f64, y: f64| Body::planar(name).mass(1.0).inertia(0.01).position([x, y]);
    slider.add(body("crank", 0.5 * pin[0], 0.5 * pin[1]).angle(begin));
    slider.add(body("rod", 0.5 * (pin[0] + end), 0.5 * pin[1]).angle(lean));
    slider.add(body("slider", end, 0.0));
    slider.add(Joint::revolute("A", "ground", "crank").at([0.0, 0.0]).offset(begin));
    slider.add(Joint::revolute("B", "crank", "rod").at(pin));
    slider.add(Joint::revolute("C", "rod", "slider").at([end, 0.0]));
    slider.add(Joint::prismatic("P", "ground", "slider").at([end, 0.0]).axis([1.0, 0.0]));
    slider.add(Drive::angle("D", "A", Function::linear(begin, 1.0)));
    let start = slider.assemble().unwrap();
    for k in 1..100 {
        let t = 0.3 * f64::from(k);
        let now = &kinematics(&start.model, &start.initial, &[t]).unwrap()[0];
        let angle = begin + t;
        let lean = -(crank / rod * angle.sin()).asin();
        let read = |name: &str| start.model.read(name, now).unwrap()[0];
        let exact = crank * angle.cos() + rod * lean.cos();
        assert!((read("slider.position.x") - exact).abs() < 1e-12, "{t}");
        assert!((read("rod.angle") - lean).abs() < 1e-11, "{t}: {} {lean}", read("rod.angle"));
    }
}

/// What is not driven in full is refused with the numbers.
#[test]
fn an_undriven_mechanism_has_no_kinematics() {
    let start = gallery::heavy_top().assemble().unwrap();
    let refused = kinematics(&start.model, &start.initial, &[1.0]);
    let expected = StartError::NotDriven { coordinates: 6, constraints: 3 };
    assert!(matches!(refused, Err(SimulationError::Start { cause, .. }) if cause == expected));
    // a prescribed speed leaves the position open
    let speed = Drive::angular_velocity("motor", "A", 2.0);
    let start = slider_crank(speed).assemble().unwrap();
    assert!(kinematics(&start.model, &start.initial, &[1.0]).is_err());
}

/// The same motion simulated: driven by angle, and by speed, under every formulation; the drive's
/// torque comes out as inverse dynamics says.
#[test]
fn a_driven_mechanism_moves_as_prescribed() {
    let times = [1.0];
    let start = slider_crank(Drive::angle("motor", "A", swing())).assemble().unwrap();
    let exact = &kinematics(&start.model, &start.initial, &times).unwrap()[0];
    let torque = start.model.read("motor.force", exact).unwrap()[0];
    let place = start.model.read("slide.translation", exact).unwrap()[0];
    let rate = Function::jet(|t| {
        let [_, rate, acceleration] = swing().at(t);
        [rate, acceleration, -9.0 * (3.0 * t).sin()]
    });
    for drive in [Drive::angle("motor", "A", swing()), Drive::angular_velocity("motor", "A", rate)]
    {
        let is_rate = drive_is_rate(&drive);
        let start = slider_crank(drive).assemble().unwrap();
        for constraints in FORMULATIONS {
            let error = |h| {
                let motion = run(&start, &damped(h).constraints(constraints), 1.0);
                let read = |name: &str| start.model.read(name, motion.now()).unwrap()[0];
                [(read("slide.translation") - place).abs(), (read("motor.force") - torque).abs()]
            };
            let (coarse, fine) = (error(2e-3), error(1e-3));
            if !is_rate {
                assert!(fine[0] < 1e-12, "the position is the drive's: {:e}", fine[0]);
            } else {
                assert!((coarse[0] / fine[0]).log2() > 1.8, "{constraints} {coarse:?} {fine:?}");
            }
            // torques up to 100 N·m: the method's error at second order, or its constant at 1e-4
            assert!(
                fine[1] < 2e-2 && (coarse[1] / fine[1]).log2() > 1.7,
                "{constraints} {coarse:?} {fine:?}"
            );
        }
    }
}

fn drive_is_rate(drive: &Drive) -> bool {
    format!("{drive:?}").contains("Rate")
}

/// A point led along a circle in space drags a body on a ball joint; translation of a slide.
#[test]
fn points_and_slides_are_led() {
    let mut led = Mechanism::new();
    led.gravity([0.0, 0.0, -9.81]);
    led.add(
        Body::spatial("bob")
            .mass(1.0)
            .inertia([0.1; 3])
            .position([1.0, 0.0, -0.5])
            .point("eye", [0.0, 0.0, 0.5]),
    );
    let circle = [
        Function::of(|t| (t * 2.0).cos()),
        Function::of(|t| (t * 2.0).sin()),
        Function::of(|t| t * t * 0.1),
    ];
    led.add(Drive::point("path", "bob.eye", circle.clone()));
    let start = led.assemble().unwrap();
    let motion = run(&start, &damped(1e-3), 2.0);
    let eye = start.model.read("bob.eye", motion.now()).unwrap();
    for (x, f) in eye.iter().zip(&circle) {
        assert!((x - f.value(2.0)).abs() < 1e-13);
    }
    let velocity = start.model.read("bob.eye.velocity", motion.now()).unwrap();
    for (x, f) in velocity.iter().zip(&circle) {
        assert!((x - f.at(2.0)[1]).abs() < 1e-4);
    }
    assert_eq!(start.model.read("path.force", motion.now()).unwrap().len(), 3);

    let mut slide = Mechanism::new();
    slide.add(Body::planar("block").mass(2.0).inertia(1.0));
    slide.add(Joint::prismatic("rail", "ground", "block").at([0.0, 0.0]).axis([0.6, 0.8]));
    slide.add(Drive::translation("push", "rail", Function::of(|t| t * t * t)));
    let start = slide.assemble().unwrap();
    let now = &kinematics(&start.model, &start.initial, &[2.0]).unwrap()[0];
    let read = |name: &str| start.model.read(name, now).unwrap();
    assert!((read("push.force")[0] - 2.0 * 12.0).abs() < 1e-10);
    assert!((read("block.position")[1] - 0.8 * 8.0).abs() < 1e-12);
}

/// A disc rolls: the point that touches stands still, energy is kept, and it never leaves the plane,
/// which may be tilted and anywhere.
#[test]
fn a_disc_rolls_without_slipping() {
    for constraints in FORMULATIONS {
        let start = gallery::rolling_disc().assemble().unwrap();
        let settings = Settings::new("generalized-alpha", 1e-3).rho(0.9).constraints(constraints);
        let mut motion = run(&start, &settings, 1.0);
        assert!(motion.residuals().position < 1e-13);
        let initial = Simulation::new(&start.model, &settings, &start.initial).unwrap();
        let drift = motion.energy().unwrap() - initial.energy().unwrap();
        assert!(drift.abs() < 1e-4, "{constraints}: {drift:e}");
    }
    // down a slope of 0.3 rad: a = g sin α/(1 + J/(m r²)) = 2/3 g sin α
    let (slope, radius): (f64, f64) = (0.3, 0.2);
    let normal = [-slope.sin(), 0.0, slope.cos()];
    let along = Vector3::new(-slope.cos(), 0.0, -slope.sin());
    let mut wheel = Mechanism::new();
    wheel.gravity([0.0, 0.0, -9.81]);
    let place = Vector3::new(1.0, 2.0, 3.0);
    let centre = place + radius * Vector3::from(normal);
    let j = 0.5 * radius * radius;
    wheel.add(Body::spatial("wheel").mass(1.0).inertia([0.5 * j, j, 0.5 * j]).position(centre));
    wheel.add(Rolling::new("road", "wheel", radius).axis([0.0, 1.0, 0.0]).plane(place, normal));
    let start = wheel.assemble().unwrap();
    let motion = run(&start, &damped(1e-2), 2.0);
    let travelled =
        Vector3::from_vec(start.model.read("wheel.position", motion.now()).unwrap()) - centre;
    let exact = 0.5 * (2.0 / 3.0) * 9.81 * slope.sin() * 4.0;
    // the acceleration is constant: the method is exact
    assert!((travelled - exact * along).norm() < 1e-10, "{travelled}");
    let force = Vector3::from_vec(start.model.read("road.reaction.force", motion.now()).unwrap());
    let friction = -9.81 * slope.sin() / 3.0 * along;
    let push = 9.81 * slope.cos() * Vector3::from(normal);
    assert!((force - friction - push).norm() < 1e-8, "{force}");

    // the same in the plane
    let mut planar = Mechanism::new();
    planar.gravity([9.81 * slope.sin(), -9.81 * slope.cos(), 0.0]);
    planar.add(Body::planar("wheel").mass(1.0).inertia(j).position([0.0, radius]));
    planar.add(Rolling::new("road", "wheel", radius));
    let start = planar.assemble().unwrap();
    let motion = run(&start, &damped(1e-2), 2.0);
    assert!((motion.now().q[0] - exact).abs() < 1e-10);
    assert!((motion.now().q[2] + exact / radius).abs() < 1e-8, "it turns clockwise");
}

/// A blade on an inclined plane: a spinning skate does not slide down but goes along cycloids, and
/// its mean stays where it is; planar and spatial.
#[test]
fn a_skate_goes_along_its_blade() {
    // x along the slope: x = g' sin² (ωt)/(2ω²) for a blade at the centre of mass
    let (pull, omega) = (2.0, 3.0);
    let (t, h) = (2.0, 1e-3);
    let exact = pull / (2.0 * omega * omega) * f64::sin(omega * t).powi(2);
    let mut planar = Mechanism::new();
    planar.gravity([pull, 0.0, 0.0]);
    planar.add(Body::planar("skate").mass(1.0).inertia(0.3).spin(omega));
    planar.add(Skate::new("blade", "skate", [0.0, 1.0]));
    let mut spatial = Mechanism::new();
    spatial.gravity([pull, 0.0, 0.0]);
    spatial.add(
        Body::spatial("skate").mass(1.0).inertia([0.3; 3]).angular_velocity([0.0, 0.0, omega]),
    );
    spatial.add(Skate::new("blade", "skate", [0.0, 1.0, 0.0]));
    spatial.add(Joint::planar("ice", "ground", "skate").at([0.0; 3]).axis([0.0, 0.0, 1.0]));
    for mechanism in [planar, spatial] {
        let start = mechanism.assemble().unwrap();
        for constraints in Formulation::ALL {
            let motion = run(&start, &damped(h).constraints(constraints), t);
            let x = start.model.read("skate.position.x", motion.now()).unwrap()[0];
            // (ωh)² = 1e-5 of its amplitude, 0.11
            assert!((x - exact).abs() < 5e-6, "{constraints}: {x} {exact}");
        }
    }
}

/// Forces: a load that follows, a motor, a bushing and a spring against closed forms.
#[test]
fn forces_do_what_they_say() {
    // a following thrust turns with a spinning body: from rest, v = F/(m ω) (sin ωt, 1 − cos ωt)
    let mut rocket = Mechanism::new();
    rocket.add(Body::planar("rocket").mass(2.0).inertia(1.0).spin(1.5));
    let thrust = [3.0, 0.0, 0.0].map(Function::from);
    rocket.add(Force::load("thrust", "rocket", thrust).following());
    let start = rocket.assemble().unwrap();
    let motion = run(&start, &damped(1e-3), 2.0);
    let exact = [f64::sin(3.0), 1.0 - f64::cos(3.0)];
    for k in 0..2 {
        assert!((motion.now().v[k] - exact[k]).abs() < 1e-5, "{k}");
    }
    // a bushing alone: six uncoupled oscillators for small motions, here along x and about z
    let mut block = Mechanism::new();
    block.add(
        Body::spatial("block")
            .mass(2.0)
            .inertia([0.5; 3])
            .velocity([1e-3, 0.0, 0.0])
            .angular_velocity([0.0, 0.0, 1e-3]),
    );
    block.add(
        Force::bushing("mount", "ground", "block")
            .at([0.0; 3])
            .stiffnesses([50.0, 60.0, 70.0, 2.0, 3.0, 4.0]),
    );
    let start = block.assemble().unwrap();
    let motion = run(&start, &damped(1e-3), 1.0);
    let strain = start.model.read("mount.deformation", motion.now()).unwrap();
    let oscillation = |k: f64, m: f64| 1e-3 * f64::sin((k / m).sqrt()) / (k / m).sqrt();
    // (ωh)²/12 t ω of 2e-4
    assert!((strain[0] - oscillation(50.0, 2.0)).abs() < 1e-8, "{strain:?}");
    assert!((strain[5] - oscillation(4.0, 0.5)).abs() < 1e-8, "{strain:?}");
}
