//! Explicit methods: what keeps the constraints, and rotations that go far in a step.

use cardan::math::Vector3;
use cardan::methods::MethodChoice;
use cardan::system::System;
use cardan::{InitialValues, Settings, Simulation};
use cardan_lab::exam::problems;

fn settings(method: &str, h: f64) -> Settings {
    Settings::of(&method.parse::<MethodChoice>().unwrap(), h)
}

/// Four steps back is more than half a turn: the logarithm must be the one that was gone through, or
/// nothing converges at steps this large. Nearly equal inertias and a small torque leave
/// nothing fast, so that the steps are stable.
#[test]
fn adams_bashforth_looks_back_over_more_than_half_a_turn() {
    let (inertia, torque) = (Vector3::new(1.0, 1.02, 1.04), Vector3::new(0.1, -0.05, 0.08));
    let body = problems::FreeBody { inertia, torque };
    let initial = InitialValues::new(&[1.0, 0.0, 0.0, 0.0], &[0.5, 0.3, 8.0]);
    let end = |method: &str, h: f64| {
        let mut motion = Simulation::new(&body, &settings(method, h), &initial).unwrap();
        motion.run_until(3.0).unwrap();
        motion.now().clone()
    };
    let exact = end("rk4", 1e-3);
    let turn = 0.1 * exact.v.iter().map(|x| x * x).sum::<f64>().sqrt();
    assert!(4.0 * turn > std::f64::consts::PI, "{turn} rad a step");
    let error = |h: f64| {
        let found = end("ab5", h);
        found.q.iter().zip(&exact.q).fold(0.0_f64, |most, (x, y)| most.max((x - y).abs()))
    };
    let errors = [0.1, 0.05, 0.025].map(error);
    // the order is five where steps are small; here it is on its way
    assert!(errors[0] < 0.5 && errors[0] > 8.0 * errors[1], "{errors:?}");
    assert!(errors[1] > 16.0 * errors[2], "{errors:?}");
}

/// Without anything constraints drift, with Baumgarte's terms they stay within the error of the method,
/// projection closes them; all keep the order.
#[test]
fn constraints_are_kept_as_asked() {
    let problem = problems::PlanarDoublePendulum::problem();
    let system: &dyn System = problem.system.as_ref();
    let run = |method: &str, h: f64| {
        let mut motion = Simulation::new(system, &settings(method, h), &problem.initial).unwrap();
        motion.run_until(10.0).unwrap();
        let residuals = motion.residuals();
        (residuals.position, residuals.velocity)
    };
    let (open, moving) = run("rk4:projection=none", 5e-3);
    assert!(open > 1e-9 && moving > 1e-9, "{open:e} {moving:e}");
    let (restored, _) = run("rk4:projection=baumgarte", 5e-3);
    assert!(restored < 0.1 * open, "{restored:e} {open:e}");
    let (halved, _) = run("rk4:projection=baumgarte", 2.5e-3);
    assert!((restored / halved).log2() > 3.0, "{restored:e} {halved:e}");
    let (closed, still) = run("rk4:projection=position", 5e-3);
    assert!(closed < 1e-14 && still > 1e-10, "{closed:e} {still:e}");
    let (closed, still) = run("rk4:projection=both:metric=identity", 5e-3);
    assert!(closed < 1e-14 && still < 1e-13, "{closed:e} {still:e}");
    // a rate the step cannot follow is refused in words
    let fast = settings("ab5:projection=baumgarte:rate=100", 5e-3);
    let mut motion = Simulation::new(system, &fast, &problem.initial).unwrap();
    (0..9).for_each(|_| drop(motion.step()));
    let error = motion.step().unwrap_err().to_string();
    assert!(error.contains("rate"), "{error}");
}
