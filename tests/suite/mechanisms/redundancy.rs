//! Redundancy: told apart from singular positions and from drives that contradict, in space and in
//! time, near and far, few and many.

use cardan::SimulationError;
use cardan::math::{Vector3, exponential};
use cardan::model::{
    Body, Drive, Force, Function, Joint, Mechanism, ModelError, Owner, PartKind, Scalar, Skate,
};
use cardan::{Settings, Simulation};
use cardan_lab::gallery::{self, Dimension};

use super::{damped, run};

/// A hanging parallelogram: cranks on A and D.
fn parallelogram() -> Mechanism {
    let mut frame = Mechanism::new();
    frame.gravity([0.0, -9.81, 0.0]);
    frame.add(Body::planar("left").mass(1.0).inertia(0.1).position([0.0, -0.5]));
    frame.add(Body::planar("bar").mass(1.0).inertia(0.1).position([0.5, -1.0]));
    frame.add(Body::planar("right").mass(1.0).inertia(0.1).position([1.0, -0.5]));
    frame.add(Joint::revolute("A", "ground", "left").at([0.0, 0.0]));
    frame.add(Joint::revolute("B", "left", "bar").at([0.0, -1.0]));
    frame.add(Joint::revolute("C", "bar", "right").at([1.0, -1.0]));
    frame.add(Joint::revolute("D", "ground", "right").at([1.0, 0.0]));
    frame
}

/// Drives that agree are one too many and named; drives that will disagree are refused, however
/// smoothly they begin, and whatever else is driven.
#[test]
fn drives_that_contradict_are_refused() {
    let cubic = |k: f64| Function::of(move |t| t * t * t * k);
    let with = |second: Function| {
        let mut frame = parallelogram();
        frame.add(Drive::angle("one", "A", cubic(1.0)));
        frame.add(Drive::angle("two", "D", second));
        // something else that moves at full speed must not hide it
        frame.add(Body::planar("rotor").mass(1.0).inertia(0.1).position([5.0, 0.0]));
        frame.add(Joint::revolute("R", "ground", "rotor").at([5.0, 0.0]));
        frame.add(Drive::angle("fast", "R", Function::linear(0.0, 10.0)));
        frame.assemble()
    };
    let start = with(cubic(1.0)).unwrap();
    assert_eq!(start.report.redundant.len(), 1);
    assert_eq!(start.report.redundant[0].joint, "drive `two`");
    for second in [cubic(2.0), Function::Constant(0.0), Function::of(|t| t.powi(5))] {
        let Err(ModelError::Locked { rows }) = with(second) else { panic!("they contradict") };
        assert!(
            rows.iter().any(|row| row.owner == Owner::part(PartKind::Drive, "one")),
            "{rows:?}"
        );
        assert!(
            rows.iter().any(|row| row.owner == Owner::part(PartKind::Drive, "two")),
            "{rows:?}"
        );
    }
    // on one joint, by position and by speed
    let mut rotor = Mechanism::new();
    rotor.add(Body::planar("rotor").mass(1.0).inertia(0.1));
    rotor.add(Joint::revolute("R", "ground", "rotor").at([0.0, 0.0]));
    rotor.add(Drive::angle("one", "R", Function::linear(0.0, 1.0)));
    let mut other = rotor.clone();
    other.add(Drive::angle("two", "R", Function::of(|t| t.sin())));
    assert!(matches!(other.assemble(), Err(ModelError::Locked { .. })));
    let mut other = rotor.clone();
    other.add(Drive::angular_velocity("two", "R", Function::of(|t| t.cos())));
    assert!(matches!(other.assemble(), Err(ModelError::Locked { .. })));
    rotor.add(Drive::angular_velocity("two", "R", 1.0));
    assert_eq!(rotor.assemble().unwrap().report.redundant.len(), 1);
}

/// Drives that part later than anybody looked are noticed when they do: the step is refused, and the
/// state before it is kept.
#[test]
fn drives_that_part_later_are_noticed() {
    let late = |t: f64| {
        if t < 2.0 {
            [0.0; 3]
        } else {
            [0.1 * (t - 2.0).powi(3), 0.3 * (t - 2.0).powi(2), 0.6 * (t - 2.0)]
        }
    };
    let mut frame = parallelogram();
    frame.add(Drive::angle("one", "A", 0.0));
    frame.add(Drive::angle("two", "D", Function::jet(late)));
    let start = frame.assemble().unwrap();
    let mut motion = Simulation::new(&start.model, &damped(1e-2), &start.initial).unwrap();
    let refused = motion.run_until(5.0).unwrap_err();
    assert!(matches!(refused, SimulationError::Step { .. }));
    let text = refused.to_string();
    assert!(text.contains("drive `two`") && text.contains("no longer holds"), "{text}");
    // 0.1 (t − 2)³ exceeds 1e-6 after 0.02 s
    assert!(motion.now().t > 2.0 && motion.now().t < 2.05, "{}", motion.now().t);
}

/// Two steered blades that happen to be parallel are not one too many.
#[test]
fn steered_skates_are_kept() {
    let mut bike = Mechanism::new();
    bike.add(Body::planar("frame").mass(5.0).inertia(1.0).velocity([1.0, 0.0]));
    bike.add(Body::planar("fork").mass(0.5).inertia(0.1).position([1.0, 0.0]));
    bike.add(Body::planar("tiller").mass(0.5).inertia(0.1).position([-1.0, 0.0]));
    bike.add(Joint::revolute("head", "frame", "fork").at([1.0, 0.0]));
    bike.add(Joint::revolute("stern", "frame", "tiller").at([-1.0, 0.0]));
    bike.add(Skate::new("front", "fork", [0.0, 1.0]));
    bike.add(Skate::new("rear", "tiller", [0.0, 1.0]));
    bike.add(Skate::new("middle", "frame", [0.0, 1.0]));
    let start = bike.assemble().unwrap();
    assert!(start.report.redundant.is_empty(), "{}", start.report);
    assert_eq!(start.report.singular.len(), 1, "{}", start.report);
}

/// Friction keeps its load: the rows that are left out are those of another joint, whichever of the
/// two rubs and in whatever order they were added.
#[test]
fn friction_keeps_its_load_beside_redundant_rows() {
    let slide = |rubbing: &str, swapped: bool| {
        let mut block = Mechanism::new();
        block.gravity([0.0, -9.81, 0.0]);
        block.add(Body::planar("block").mass(2.0).inertia(0.1).velocity([5.0, 0.0]));
        let rail = |name: &str, x: f64| {
            Joint::prismatic(name, "ground", "block").at([x, 0.0]).axis([1.0, 0.0])
        };
        let mut rails = [rail("one", -0.5), rail("two", 0.5)];
        if swapped {
            rails.reverse();
        }
        for rail in rails {
            block.add(rail);
        }
        block.add(Force::friction("dry", rubbing, 0.3));
        let start = block.assemble().unwrap();
        assert_eq!(start.report.redundant.len(), 2);
        let text = start.report.to_string();
        assert!(text.contains("friction `dry`") && !text.contains("motion is unique"), "{text}");
        let motion = run(&start, &damped(1e-3), 1.0);
        start.model.read("one.translation.rate", motion.now()).unwrap()[0]
    };
    for rubbing in ["one", "two"] {
        for swapped in [false, true] {
            let speed = slide(rubbing, swapped);
            assert!((speed - (5.0 - 0.3 * 9.81)).abs() < 1e-9, "{rubbing} {swapped}: {speed}");
        }
    }
}

/// A spatial four-bar in a tilted plane, of any size, anywhere, with the last axis tilted.
fn four_bar(size: f64, far: f64, tilt: f64) -> Mechanism {
    let turn = exponential::retract(&[0.3, -0.7, 0.4].into());
    let place =
        |x: f64, y: f64| turn.rotate(&Vector3::new(size * x, size * y, 0.0)) + Vector3::repeat(far);
    let axis = |tilt: f64| turn.rotate(&Vector3::new(0.0, tilt, 1.0));
    let mut bars = Mechanism::new();
    let body = |name: &str, x: f64, y: f64| {
        let inertia = 0.1 * size * size;
        Body::spatial(name).mass(1.0).inertia([inertia; 3]).position(place(x, y)).orientation(turn)
    };
    bars.add(body("a", 0.0, 0.5));
    bars.add(body("b", 1.0, 1.2));
    bars.add(body("c", 2.0, 0.7));
    let pin = |name: &str, one: &str, two: &str, x: f64, y: f64| {
        Joint::revolute(name, one, two).at(place(x, y)).axis(axis(0.0))
    };
    bars.add(pin("A", "ground", "a", 0.0, 0.0).rate(1.0));
    bars.add(pin("B", "a", "b", 0.0, 1.0));
    bars.add(pin("C", "b", "c", 2.0, 1.4));
    bars.add(pin("D", "ground", "c", 2.0, 0.0).axis(axis(tilt)));
    bars
}

/// The three redundant rows are found whatever the units and the distance from the origin.
#[test]
fn size_and_place_do_not_matter() {
    for (size, far) in [(1.0, 0.0), (1e-6, 0.0), (1e6, 0.0), (1.0, 1e5), (1.0, 1e7), (1e-3, 1.0)] {
        let start = four_bar(size, far, 0.0).assemble().unwrap();
        assert_eq!(start.report.redundant.len(), 3, "{size} {far}: {}", start.report);
        assert_eq!(start.report.degrees_of_freedom, 1);
        let motion = run(&start, &damped(1e-2), 0.5);
        let angle = start.model.read("A.angle", motion.now()).unwrap()[0];
        // without gravity the motion is the same at every size
        assert!((angle - 0.5).abs() < 0.2, "{size} {far}: {angle}");
    }
}

/// Many loops: a ladder of spatial parallelograms with three redundant rows a cell.
#[test]
fn hundreds_of_redundant_rows_are_found() {
    let cells = 200;
    let start = gallery::four_bars(cells, Dimension::Space).assemble().unwrap();
    assert_eq!(start.report.redundant.len(), 3 * cells);
    assert_eq!(start.report.degrees_of_freedom, 1);
    run(&start, &damped(1e-2), 0.1);
}

/// A star of a hundred arms on one hub has no loops, and nothing is looked for.
#[test]
fn a_star_has_no_loops() {
    let mut star = Mechanism::new();
    star.add(Body::spatial("hub").mass(10.0).inertia([1.0; 3]));
    for i in 0..300 {
        let angle = 0.1 * f64::from(i);
        let place = [angle.cos(), angle.sin(), 0.01 * f64::from(i)];
        star.add(Body::spatial(&format!("arm{i}")).mass(1.0).inertia([0.1; 3]).position(place));
        star.add(
            Joint::revolute(&format!("pin{i}"), "hub", format!("arm{i}"))
                .at(place.map(|x| 0.5 * x))
                .axis([0.0, 0.0, 1.0]),
        );
    }
    let start = star.assemble().unwrap();
    assert!(start.report.redundant.is_empty());
    assert_eq!(start.report.degrees_of_freedom, 306);
}

/// Axes that are parallel to seven digits only lock the mechanism, and it is said how nearly they
/// agree: in the report, or in the error if no motion can begin.
#[test]
fn nearly_redundant_rows_are_told() {
    let told = match four_bar(1.0, 0.0, 1e-7).assemble() {
        Ok(start) => start.report.to_string(),
        Err(error) => error.to_string(),
    };
    assert!(told.contains("nearly") && told.contains("all digits"), "{told}");
}

/// One crank's speed does not say which way a flat parallelogram goes: it is asked for more.
#[test]
fn a_singular_start_asks_for_all_velocities() {
    let mut flat = Mechanism::new();
    let bar = |name: &str, x: f64, inertia: f64| {
        Body::planar(name).mass(1.0).inertia(inertia).position([x, 0.0])
    };
    flat.add(bar("left", 0.5, 0.1));
    flat.add(bar("coupler", 2.0, 0.3));
    flat.add(bar("right", 2.5, 0.1));
    flat.add(Joint::revolute("A", "ground", "left").at([0.0, 0.0]).rate(3.0));
    flat.add(Joint::revolute("B", "left", "coupler").at([1.0, 0.0]));
    flat.add(Joint::revolute("C", "coupler", "right").at([3.0, 0.0]));
    flat.add(Joint::revolute("D", "ground", "right").at([2.0, 0.0]));
    let error = flat.assemble().unwrap_err().to_string();
    assert!(error.contains("singular") && error.contains("velocities"), "{error}");
}

/// An angle between two bodies that turns more than half a turn a step is refused, not miscounted.
#[test]
fn too_fast_an_angle_is_refused() {
    let spin = |speed: f64, spring: bool| {
        let mut pair = Mechanism::new();
        let rotor = |name: &str, speed: f64| {
            Body::spatial(name).mass(1.0).inertia([1.0; 3]).angular_velocity([0.0, 0.0, speed])
        };
        pair.add(rotor("one", speed));
        pair.add(rotor("two", -speed));
        pair.add(Joint::revolute("a", "ground", "one").at([0.0; 3]).axis([0.0, 0.0, 1.0]));
        pair.add(Joint::revolute("b", "one", "two").at([0.0; 3]).axis([0.0, 0.0, 1.0]));
        if spring {
            pair.add(Force::joint_spring("spring", "b").stiffness(1e-3));
        }
        let start = pair.assemble().unwrap();
        let settings = Settings::new("generalized-alpha", 1e-2);
        let mut motion = Simulation::new(&start.model, &settings, &start.initial).unwrap();
        motion.run_until(1.0).map(|()| start.model.read("b.angle", motion.now()).unwrap()[0])
    };
    let angle = spin(150.0, false).unwrap();
    assert!((angle + 300.0).abs() < 1e-6, "{angle}");
    let error = spin(160.0, false).unwrap_err().to_string();
    assert!(error.contains("joint `b` turns more than half a turn per step"), "{error}");
}
