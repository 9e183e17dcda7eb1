//! Energy and momentum: the books balance to the method's order, whatever acts.

use cardan::model::{
    Body, Drive, EnergyBalance, Force, Function, Gear, Joint, Law, Mechanism, Model, Rolling,
    Scalar,
};
use cardan::{InitialValues, Settings, Simulation};
use cardan_lab::gallery;

use super::FORMULATIONS;

/// The largest imbalance over a motion, and the books at its end.
fn imbalance(
    model: &Model,
    initial: &InitialValues,
    settings: &Settings,
    end: f64,
) -> (f64, EnergyBalance) {
    let mut motion = Simulation::new(model, settings, initial).unwrap();
    let mut books = EnergyBalance::new(model, motion.now());
    let mut worst = 0.0_f64;
    while motion.now().t < end - 0.5 * settings.step_size {
        motion.step().unwrap();
        books.record(model, &motion);
        worst = worst.max(books.balance.abs());
    }
    (worst, books)
}

/// A spatial mechanism with everything that gives and takes energy.
fn busy() -> Mechanism {
    let mut busy = gallery::spatial_pendulum();
    busy.gravity([
        Function::Constant(0.0),
        Function::of(|t| (t * 3.0).sin()),
        Function::Constant(-9.81),
    ]);
    busy.add(Body::spatial("bob").mass(0.5).inertia([0.05; 3]).position([-0.1, -0.1, -2.0]));
    let slide = Joint::prismatic("slide", "lower", "bob").at([-0.1, -0.1, -2.0]);
    busy.add(slide.axis([0.0, 0.0, 1.0]));
    busy.add(Force::joint_spring("spring", "slide").stiffness(200.0).damping(2.0));
    busy.add(Force::friction("scrape", "slide", 0.2).transition_speed(0.05));
    busy.add(Force::joint_spring("hinge_spring", "hinge").stiffness(3.0).damping(0.3));
    busy.add(Force::motor("motor", "hinge", Function::of(|t| (t * 5.0).cos() * 2.0)));
    busy.add(
        Force::bushing("mount", "ground", "bob")
            .at([-0.1, -0.1, -2.0])
            .stiffnesses([5.0; 6])
            .dampings([0.4; 6]),
    );
    let law =
        Law::of(|length, rate| (length - 1.0) * (length - 1.0) * 4.0 + rate * rate * rate * 0.1);
    busy.add(Force::spring("law", "ground", "lower").law(law));
    busy.add(Force::load(
        "wind",
        "bob",
        [1.0, 0.5, 0.0].map(|k| Function::of(move |t| t.sin() * k)),
    ));
    busy.add(Force::torque("rotor", "lower", [0.1, 0.2, 0.3].map(Function::from)).following());
    busy
}

/// Everything at once: the balance is of second order under every formulation, and each entry of the
/// books has moved.
#[test]
fn the_books_balance_to_second_order() {
    let start = busy().assemble().unwrap();
    for constraints in FORMULATIONS {
        let settings = |h| Settings::new("generalized-alpha", h).rho(0.8).constraints(constraints);
        let (coarse, _) = imbalance(&start.model, &start.initial, &settings(2e-3), 1.0);
        let (fine, books) = imbalance(&start.model, &start.initial, &settings(1e-3), 1.0);
        assert!((coarse / fine).log2() > 1.8, "{constraints}: {coarse:e} {fine:e}");
        assert!(fine < 1e-3 * books.initial.abs(), "{constraints}: {fine:e}");
        let EnergyBalance { drives, forces, dissipated, .. } = books;
        assert!(
            drives.abs() > 0.1 && forces.abs() > 0.1 && dissipated > 0.1,
            "{drives} {forces} {dissipated}"
        );
    }
}

/// Prescribed speeds, lengths that change, gears and rolling: their work is in the books as well.
#[test]
fn prescribed_motions_are_in_the_books() {
    let mut all = Mechanism::new();
    all.gravity([0.0, -9.81, 0.0]);
    let rotor = |name: &str, x: f64| Body::planar(name).mass(1.0).inertia(0.2).position([x, 0.0]);
    all.add(rotor("driver", 0.0));
    all.add(rotor("driven", 1.0).centre([0.1, 0.0]));
    all.add(Joint::revolute("a", "ground", "driver").at([0.0, 0.0]));
    all.add(Joint::revolute("b", "ground", "driven").at([1.0, 0.0]));
    all.add(Gear::new("mesh", "a", "b", -1.5));
    all.add(Drive::angular_velocity("motor", "a", Function::of(|t| (t * 3.0).sin() * 4.0 + 1.0)));
    all.add(Body::planar_point_mass("bob", 1.0).position([3.0, -1.0]).velocity([0.5, 0.0]));
    all.point("hook", [3.0, 0.0]);
    let length = Function::of(|t| (t * 4.0).sin() * 0.2 + 1.0);
    all.add(Joint::distance("winch", "ground.hook", "bob").length(length));
    all.add(rotor("wheel", 6.0).position([6.0, 0.3]).centre([0.05, 0.0]).spin(2.0));
    all.add(Rolling::new("road", "wheel", 0.3));
    let start = all.assemble().unwrap();
    for constraints in FORMULATIONS {
        let settings = |h| Settings::new("generalized-alpha", h).rho(0.8).constraints(constraints);
        let (coarse, _) = imbalance(&start.model, &start.initial, &settings(4e-3), 1.0);
        let (fine, books) = imbalance(&start.model, &start.initial, &settings(2e-3), 1.0);
        assert!((coarse / fine).log2() > 1.8, "{constraints}: {coarse:e} {fine:e}");
        assert!(books.drives.abs() > 0.1 && fine < 1e-2, "{constraints}: {fine:e} {books:?}");
    }
    // the same instant twice changes nothing
    let motion =
        Simulation::new(&start.model, &Settings::new("bdf2", 1e-3), &start.initial).unwrap();
    let mut books = EnergyBalance::new(&start.model, motion.now());
    books.record(&start.model, &motion);
    assert_eq!(books, EnergyBalance::new(&start.model, motion.now()));
    assert_eq!((EnergyBalance::CHANNELS[0], books.values()[0]), ("energy.balance", 0.0));
}

/// Without anything from outside momentum stays what it was, to round-off for the linear one.
#[test]
fn momentum_is_kept_by_internal_loads() {
    let mut pair = Mechanism::new();
    for (name, x) in [("one", -0.5), ("two", 0.5)] {
        pair.add(
            Body::spatial(name)
                .mass(1.0 + x)
                .inertia([0.1, 0.2, 0.25])
                .position([x, 0.0, 0.0])
                .velocity([0.3, 2.0 * x, 0.1])
                .angular_velocity([0.5, 1.0, 2.0 * x]),
        );
    }
    pair.add(
        Joint::universal("cross", "one", "two").at([0.0; 3]).pins([0.0, 1.0, 0.0], [0.0, 0.0, 1.0]),
    );
    pair.add(Force::spring("spring", "one", "two").stiffness(10.0).damping(0.2).rest(0.8));
    pair.add(Drive::angle("drive", "cross", Function::of(|t| t.sin() * 0.5)));
    let start = pair.assemble().unwrap();
    let drift = |h: f64| {
        let settings = Settings::new("generalized-alpha", h).rho(0.9);
        let mut motion = Simulation::new(&start.model, &settings, &start.initial).unwrap();
        let before = start.model.momentum(motion.now());
        motion.run_until(2.0).unwrap();
        let after = start.model.momentum(motion.now());
        ((after.linear - before.linear).norm(), (after.angular - before.angular).norm())
    };
    let ((linear, coarse), (_, fine)) = (drift(4e-3), drift(2e-3));
    assert!(linear < 1e-11, "{linear:e}");
    assert!((coarse / fine).log2() > 1.8, "{coarse:e} {fine:e}");
}
