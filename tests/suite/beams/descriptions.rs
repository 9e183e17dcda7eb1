//! What a beam refuses and says why, where its ends are, and what holds them.

use cardan::math::Chart;
use cardan::model::{Beam, Body, Force, Function, Joint, Mechanism, Section};
use cardan::{Settings, Simulation};

use super::{GALERKIN, TWO, VOLUME, of};

fn section() -> Section {
    Section::new([1e4, 1e4, 1e4, 1.0, 2.0, 3.0]).mass(1.0).inertia([0.01, 0.005, 0.005])
}

fn plain() -> Beam {
    Beam::new("beam", section()).through("ground.wall").through([1.0, 0.0, 0.0])
}

fn with(beam: Beam) -> Mechanism {
    let mut mechanism = Mechanism::new();
    mechanism.point("wall", [0.0; 3]);
    mechanism.add(Body::point_mass("bead", 1.0).position([0.0, 5.0, 0.0]));
    mechanism.add(beam);
    mechanism
}

#[track_caller]
fn refused(beam: Beam, reason: &str) {
    let error = with(beam).assemble().map(drop).unwrap_err().to_string();
    assert!(error.contains("beam `beam`") && error.contains(reason), "{error}");
}

#[test]
fn nonsense_is_refused_by_the_name_of_its_key() {
    assert!(with(plain()).assemble().is_ok());
    refused(plain().nodes(4), "`nodes`");
    refused(plain().elements(0), "`elements`");
    refused(plain().elements(1_000_000_000), "`elements`");
    refused(plain().elements_each(&[1, 2]), "`elements` has 2 numbers for 1 parts");
    refused(Beam::new("beam", section()).through([0.0; 3]), "`path` needs at least two");
    refused(plain().through([1.0, 0.0, 0.0]), "two points of its path coincide");
    refused(plain().through([f64::NAN, 0.0, 0.0]), "not finite");
    refused(plain().through("bead"), "point mass");
    refused(plain().through("nobody"), "`nobody`");
    refused(plain().through("ground"), "name a point");
    refused(plain().axis_2([1.0, 0.0, 0.0]), "`axis_2`");
    refused(plain().residual_flexibility(), "`residual_flexibility`");
    refused(plain().volumes(), "`lumping`");
    refused(plain().chart(Chart::Cayley), "`rotations`");
    refused(plain().station("tip", 1.5), "`points`: tip is at 1.5");
    refused(plain().station("mid", 0.4), "every beam has mid already");
    refused(plain().station("node3", 0.4), "every beam has node3 already");
    refused(plain().velocity([1.0, 0.0, 0.0]), "fixed to the ground");
    refused(plain().angular_velocity([1.0, 0.0, 0.0]), "fixed to the ground");
    let of = |section| Beam::new("beam", section).through([0.0; 3]).through([1.0, 0.0, 0.0]);
    refused(of(Section::new([1.0; 6])), "`mass`");
    refused(of(Section::new([1.0; 6]).mass(1.0)), "`inertia` is missing");
    refused(of(section().inertia([1.0, -1.0, 1.0])), "`inertia`");
    refused(
        of(Section::new([1.0, 1.0, 0.0, 1.0, 1.0, 1.0]).mass(1.0)),
        "`stiffness` must be positive",
    );
    refused(of(section().damping(-1.0)), "`damping`");
    let curve = |y: fn(f64) -> [f64; 3]| {
        let shape = [Function::jet(|s| [s, 1.0, 0.0]), Function::jet(y), Function::Constant(0.0)];
        Beam::new("beam", section()).curve(shape, None, None).elements(4)
    };
    refused(curve(|s| [if s < 0.5 { 0.0 } else { 1.0 }, 0.0, 0.0]), "`curve` jumps");
    refused(curve(|_| [f64::INFINITY, 0.0, 0.0]), "`curve` has no finite position");
    let halved = Beam::new("beam", section()).curve(
        [1.0, 0.0, 0.0].map(Function::Constant),
        Some("ground.wall"),
        None,
    );
    refused(halved, "name the body alone");
    // half a turn between the nodes of one element
    let circle = [
        Function::jet(|s: f64| [(3.1 * s).sin(), 3.1 * (3.1 * s).cos(), 0.0]),
        Function::jet(|s: f64| [-(3.1 * s).cos(), 3.1 * (3.1 * s).sin(), 0.0]),
        Function::Constant(0.0),
    ];
    refused(Beam::new("beam", section()).curve(circle, None, None).nodes(2), "`curve`");
}

#[test]
fn joints_and_loads_are_at_nodes() {
    let error = |anchor: &str| {
        let mut mechanism = with(plain().station("third", 1.0 / 3.0));
        mechanism.add(Force::load("push", anchor, [1.0, 0.0, 0.0].map(Function::Constant)));
        mechanism.assemble().map(drop).map_err(|error| error.to_string())
    };
    assert!(error("beam.mid").is_ok() && error("beam.node1").is_ok());
    assert!(error("beam.third").unwrap_err().contains("between two nodes"));
    assert!(error("beam.end2").unwrap_err().contains("did you mean `end`"));
    assert!(error("beam").unwrap_err().contains("name a point on it, such as `beam.end`"));
    assert!(error("beam.node9").unwrap_err().contains("does not exist"));
}

/// Clamped to the ground, to a body or by a joint; with an offset, its own centre of mass, weight and a load
/// per length, moving: what holds the end is the same, and the joint says so too.
#[test]
fn ends_are_held_by_the_same_loads_however_they_are_held() {
    for kind in [TWO, GALERKIN, VOLUME] {
        let beam = || {
            let section = section().centre([0.05, 0.0]);
            of(kind, section).offset([0.1, 0.0]).elements(3).axis_2([0.0, 1.0, 0.0])
        };
        let scene = |beam: Beam| {
            let mut mechanism = Mechanism::new();
            mechanism.gravity([0.0, 0.0, -9.81]);
            mechanism.point("wall", [0.0; 3]);
            mechanism.add(beam);
            let per_length = [0.0, 1.0, 2.0].map(Function::Constant);
            mechanism.add(Force::distributed("wind", "beam", per_length));
            mechanism
        };
        let end = [1.0, 0.0, 0.0];
        let clamped = scene(beam().through("ground.wall").through(end));
        let mut on_body = scene(beam().through("block").through(end));
        on_body.add(Body::spatial("block").mass(1.0).inertia([1.0; 3]));
        on_body.add(Joint::fixed("hold", "ground.wall", "block"));
        let mut joined = scene(beam().through([0.0; 3]).through(end));
        joined.add(Joint::fixed("hold", "ground", "beam.start"));
        let all = [clamped, on_body, joined].map(|mechanism| {
            let start = mechanism.assemble().unwrap();
            let settings = Settings::new("generalized-alpha", 1e-3).rho(0.8);
            let mut motion = Simulation::new(&start.model, &settings, &start.initial).unwrap();
            motion.run_until(0.05).unwrap();
            let read = |name: &str| start.model.read(name, motion.now());
            let held = [read("beam.start.reaction.force"), read("beam.start.reaction.moment")];
            let held = held.map(Result::unwrap).concat();
            let by_joint = [read("hold.reaction.force"), read("hold.reaction.moment")];
            (held, by_joint)
        });
        let scale = all[0].0.iter().fold(0.0_f64, |m, x| m.max(x.abs()));
        for (held, _) in &all[1..] {
            for (a, b) in held.iter().zip(&all[0].0) {
                // accelerations from positions held to 1e-15 carry that over h²
                assert!((a - b).abs() < 1e-6 * scale, "{kind:?} {held:?} {:?}", all[0].0);
            }
        }
        let [Ok(force), Ok(moment)] = &all[2].1 else { panic!("no joint") };
        for (a, b) in force.iter().chain(moment).zip(&all[2].0) {
            assert!((a - b).abs() < 1e-9 * scale, "{kind:?} {a} {b}");
        }
    }
}

/// A beam fixed to a body adds to its mass and moves its centre; the whole has the momentum it should.
#[test]
fn bodies_carry_the_mass_of_what_is_fixed_to_them() {
    let mut mechanism = Mechanism::new();
    mechanism.add(
        Body::spatial("hub")
            .mass(2.0)
            .inertia([1.0; 3])
            .velocity([1.0, 2.0, 3.0])
            .angular_velocity([0.0; 3]),
    );
    mechanism.add(
        of(GALERKIN, section()).through("hub").through([1.0, 0.0, 0.0]).velocity([1.0, 2.0, 3.0]),
    );
    let start = mechanism.assemble().unwrap();
    let motion =
        Simulation::new(&start.model, &Settings::new("generalized-alpha", 1e-3), &start.initial)
            .unwrap();
    let momentum = start.model.momentum(motion.now());
    let speed = cardan::math::Vector3::new(1.0, 2.0, 3.0);
    assert!((momentum.linear - 3.0 * speed).norm() < 1e-12, "{}", momentum.linear);
    // the beam's kilogram is centred half a metre out
    let turning = cardan::math::Vector3::new(0.5, 0.0, 0.0).cross(&speed);
    assert!((momentum.angular - turning).norm() < 1e-12, "{}", momentum.angular);
    let centre = start.model.read("hub.centre", motion.now()).unwrap();
    // a sixth of the beam belongs to the hub's own point
    assert!(centre[0].abs() < 1e-12, "{centre:?}");
}
