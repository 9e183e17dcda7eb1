//! Descriptions: what is computed from shapes, and every mistake by name.

use std::f64::consts::PI;

use cardan::model::{
    Body, Drive, Force, Function, Gear, Inertia, Joint, Mechanism, Model, ModelError, Rolling,
    Shape, Skate,
};
use cardan::{Error, Settings, Simulation};

/// Shapes against integrals over their volume.
#[test]
fn shapes_have_their_inertia() {
    let integral = |inside: &dyn Fn(f64, f64, f64) -> bool, half: [f64; 3]| {
        // midpoint sums over the bounding box
        let n = 60;
        let (mut mass, mut second) = (0.0, [0.0; 3]);
        let cell = 8.0 * half.iter().product::<f64>() / f64::from(n).powi(3);
        for i in 0..n {
            for j in 0..n {
                for k in 0..n {
                    let at = |index: i32, half: f64| {
                        half * (2.0 * f64::from(index) + 1.0 - f64::from(n)) / f64::from(n)
                    };
                    let (x, y, z) = (at(i, half[0]), at(j, half[1]), at(k, half[2]));
                    if inside(x, y, z) {
                        mass += cell;
                        second[0] += cell * (y * y + z * z);
                        second[1] += cell * (x * x + z * z);
                        second[2] += cell * (x * x + y * y);
                    }
                }
            }
        }
        (mass, second)
    };
    type Inside<'a> = &'a dyn Fn(f64, f64, f64) -> bool;
    let cases: [(Shape, Inside<'_>, [f64; 3]); 3] = [
        (Shape::Box { edges: [1.0, 2.0, 3.0] }, &|_, _, _| true, [0.5, 1.0, 1.5]),
        (Shape::Sphere { radius: 0.7 }, &|x, y, z| x * x + y * y + z * z < 0.49, [0.7; 3]),
        (
            Shape::Cylinder { radius: 0.4, length: 2.0 },
            &|x, y, _| x * x + y * y < 0.16,
            [0.4, 0.4, 1.0],
        ),
    ];
    for (shape, inside, half) in cases {
        let (mass, second) = integral(inside, half);
        let inertia = Inertia::of(&shape, 3.0).unwrap();
        // 60³ cells: the surface is rough by 1/60 over volumes, errors cancel to below a percent
        assert!((inertia.mass / (3.0 * mass) - 1.0).abs() < 1e-2, "{shape:?}");
        for k in 0..3 {
            assert!((inertia.tensor[(k, k)] / (3.0 * second[k]) - 1.0).abs() < 1e-2, "{shape:?}");
        }
        inertia.check().unwrap();
    }
    let rod = Inertia::of(&Shape::Rod { length: 2.0 }, 3.0).unwrap();
    assert_eq!((rod.mass, rod.tensor[(0, 0)], rod.tensor[(1, 1)]), (6.0, 0.0, 2.0));
    assert!(Inertia::of(&Shape::Sphere { radius: -PI }, 1.0).is_err());
}

fn with(item: impl Into<cardan::model::MechanismItem>) -> String {
    let mut mechanism = Mechanism::new();
    mechanism.add(Body::spatial("crank").mass(1.0).inertia([1.0; 3]).point("tip", [1.0, 0.0, 0.0]));
    mechanism.add(Joint::revolute("A", "ground", "crank").at([0.0; 3]).axis([0.0, 0.0, 1.0]));
    mechanism.add(item);
    match mechanism.assemble() {
        Ok(_) => "accepted".into(),
        Err(error) => error.to_string(),
    }
}

/// Each mistake is refused in words that name the culprit.
#[test]
fn mistakes_are_named() {
    let body = |name: &str| Body::spatial(name).mass(1.0).inertia([1.0; 3]);
    let functions = |x: f64| [x, 0.0, 0.0].map(Function::from);
    let cases: Vec<(String, &str)> = vec![
        (with(body("crank")), "`crank` cannot be a name: it is used twice"),
        (with(body("ground")), "reserved"),
        (with(body("a.b")), "contains a period"),
        (with(body("")), "empty"),
        (
            with(Body::planar("flat").mass(1.0).inertia(1.0)),
            "`flat` is planar and `crank` is spatial",
        ),
        (with(Body::spatial("x").mass(-1.0)), "its mass is -1"),
        (with(Body::spatial("x").mass(1.0).inertia([1.0, 1.0, 3.0])), "sum of the other two"),
        (with(Body::spatial("x").mass(1.0).inertia([1.0, -1.0, 1.0])), "negative"),
        (with(Body::spatial("x").mass(f64::NAN)), "not finite"),
        (with(Body::spatial("x").shape(Shape::Sphere { radius: 0.0 }, 1.0)), "its radius is 0e0"),
        (with(body("x").position([f64::INFINITY, 0.0, 0.0])), "body `x`: its position"),
        (with(body("x").assembly_weight(0.0)), "weight"),
        (with(body("x").position([1e160, 0.0, 0.0])), "too large"),
        (with(body("x").centre([1e155, 0.0, 0.0])), "not finite"),
        (with(body("x").point("p", [1e155, 0.0, 0.0])), "too large"),
        (with(body("x").point("position", [1.0, 0.0, 0.0])), "its point's name `position`"),
        (with(body("x").point("a\nb", [1.0, 0.0, 0.0])), "its point's name"),
        (with(body("  ")), "empty"),
        (with(Body::point_mass("x", 1.0).point("p", [1.0, 0.0, 0.0])), "point mass"),
        (
            with(Joint::revolute("B", "crank.tip", "crnk").axis([1.0, 0.0, 0.0])),
            "did you mean `crank`?",
        ),
        (
            with(Joint::revolute("B", "crank.tp", "ground").axis([1.0, 0.0, 0.0])),
            "did you mean `tip`?",
        ),
        (with(Joint::spherical("B", "crank.tip", "crank")), "both ends are on `crank`"),
        (with(Joint::spherical("B", "crank", "ground")), "its position is missing"),
        (
            with(Joint::revolute("B", "ground", "crank.tip")),
            "its axis is missing: the axis of turning",
        ),
        (with(Joint::revolute("B", "ground", "crank.tip").axis([0.0; 3])), "axis vector is zero"),
        (
            with(Joint::revolute("B", "ground", "crank.tip").pins([1.0; 3], [0.0, 1.0, 0.0])),
            "only a universal",
        ),
        (with(Joint::universal("B", "ground", "crank.tip").axis([1.0; 3])), "two pins"),
        (with(Joint::spherical("B", "ground", "crank.tip").length(1.0)), "only a distance joint"),
        (
            with(Joint::distance("B", "ground", "crank.tip").at([1.0, 0.0, 0.0])),
            "length must be positive",
        ),
        (with(Gear::new("g", "A", "A", 2.0)), "with itself"),
        (with(Gear::new("g", "A", "B", 2.0)), "joint `B`, which does not exist"),
        (with(Gear::new("g", "A", "A2", 0.0)), "ratio"),
        (with(Drive::translation("d", "A", 1.0)), "joint `A` has no translation"),
        (with(Drive::angle("d", "A", f64::NAN)), "not finite at the start"),
        (with(Drive::point("d", "ground", functions(1.0))), "the ground does not move"),
        (with(Force::spring("f", "crank", "ground")), "its ends coincide"),
        (with(Force::spring("f", "crank.tip", "ground").radius(1.0)), "`radius` does not apply"),
        (with(Force::load("f", "ground", functions(1.0))), "has no effect"),
        (with(Force::load("f", "crank", functions(f64::NAN))), "not finite at the start"),
        (with(Force::friction("f", "A", 0.1)), "needs a `radius`"),
        (with(Force::friction("f", "A", -0.1).radius(1.0)), "must not be negative"),
        (with(Force::joint_spring("f", "nothing")), "joint `nothing`, which does not exist"),
        (with(Rolling::new("r", "crank", 1.0).axis([0.0, 0.0, 1.0])), "flat on the plane"),
        (
            with(Rolling::new("r", "crank", -1.0).axis([0.0, 1.0, 0.0])),
            "radius must be positive and",
        ),
        (with(Skate::new("s", "ground", [1.0, 0.0, 0.0])), "able to turn"),
    ];
    for (said, expected) in cases {
        assert!(said.contains(expected), "expected “{expected}”, got “{said}”");
    }
    assert_eq!(Mechanism::new().assemble().unwrap_err(), ModelError::Empty);
}

/// Every channel of a model with one of everything can be read, by its name and by component; what
/// does not exist is refused with a suggestion.
#[test]
fn channels_are_read_by_name() {
    let mut mechanism = cardan_lab::gallery::spatial_slider_crank();
    mechanism.add(Force::joint_spring("spring", "slide").stiffness(1.0));
    mechanism.add(Force::load("push", "rod", [1.0, 2.0, 3.0].map(Function::from)));
    let start = mechanism.assemble().unwrap();
    let model: &Model = &start.model;
    let motion =
        Simulation::new(model, &Settings::new("generalized-alpha", 1e-3), &start.initial).unwrap();
    let channels = model.channels();
    assert!(channels.len() > 60);
    for channel in &channels {
        let values = model.read(channel.name(), motion.now()).unwrap();
        assert_eq!(values.len(), channel.width(), "{}", channel.name());
        assert!(values.iter().all(|x| x.is_finite()), "{}", channel.name());
        assert!(!channel.unit().is_empty() || channel.name().ends_with("orientation"));
    }
    let whole = model.read("push.force", motion.now()).unwrap();
    assert_eq!(whole, [1.0, 2.0, 3.0]);
    assert_eq!(model.read("push.force.y", motion.now()).unwrap(), [2.0]);
    for (name, nearest) in
        [("crnk.position", "crank"), ("A.angel", "A.angle"), ("A.angle.x", "A.angle")]
    {
        let error = model.channel(name).unwrap_err().to_string();
        assert!(error.contains(&format!("did you mean `{nearest}`?")), "{error}");
    }
    // an instant or a channel of something else gives no number, and no panic
    let foreign = cardan::Instant::default();
    assert!(model.read("crank.position", &foreign).is_err());
    assert!(model.energy(&foreign).kinetic.is_nan() && model.power(&foreign).drives.is_nan());
    assert!(model.momentum(&foreign).linear.x.is_nan());
    let other = cardan_lab::gallery::bricard().assemble().unwrap().model;
    let mut out = [0.0; 3];
    model.evaluate(&other.channel("P5.reaction.force").unwrap(), motion.now(), &mut out);
    assert!(out[0].is_nan());
}

/// Errors of assembling and of running are one type.
#[test]
fn errors_come_as_one_type() {
    fn both() -> Result<(), Error> {
        let start = Mechanism::new().assemble()?;
        Simulation::new(&start.model, &Settings::new("bdf2", 1e-3), &start.initial)?;
        Ok(())
    }
    assert_eq!(both().unwrap_err().to_string(), "the mechanism has no bodies");
}
