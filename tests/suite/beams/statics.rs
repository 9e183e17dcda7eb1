//! Equilibria against closed forms, and against the errors another program measured with the same
//! elements.

use std::f64::consts::FRAC_PI_4;

use cardan::model::{
    AssembledMechanism, Beam, BeamForm, Force, Function, Material, Mechanism, Profile, Scalar,
    Section,
};
use cardan::statics::StaticOptions;

use super::{CAYLEY, GALERKIN, Kind, TWO, VOLUME, as_measured, of};

/// EA = GA, as is usual for these.
fn slender() -> Section {
    Section::new([1e6, 1e6, 1e6, 100.0, 100.0, 100.0]).mass(1.0).inertia([2e-3, 1e-3, 1e-3])
}

fn constant(values: [f64; 3]) -> [Function; 3] {
    values.map(Function::Constant)
}

/// A cantilever of length L along x.
fn cantilever(kind: Kind, section: Section, length: f64, elements: usize) -> Mechanism {
    let mut mechanism = Mechanism::new();
    mechanism.point("wall", [0.0; 3]);
    let beam = of(kind, section).through("ground.wall").through([length, 0.0, 0.0]);
    mechanism.add(beam.elements(elements));
    mechanism
}

/// The start, and channels in equilibrium.
fn at_rest(
    mechanism: &Mechanism,
    steps: usize,
    channels: &[String],
) -> (AssembledMechanism, Vec<Vec<f64>>) {
    let start = mechanism.assemble().unwrap();
    let options = StaticOptions { steps, ..StaticOptions::default() };
    let found = start.equilibrium(&options).unwrap();
    let last = found.last().unwrap();
    let values = channels.iter().map(|name| start.model.read(name, last).unwrap()).collect();
    (start, values)
}

/// The largest distance of a node from the circle it should be on, over the length, and the error of the
/// tip's rotation.
fn roll_up(kind: Kind, elements: usize) -> [f64; 2] {
    let length = 10.0;
    let mut mechanism = cantilever(kind, slender(), length, elements);
    let moment = std::f64::consts::TAU * 100.0 / length;
    mechanism.add(Force::torque("moment", "beam.end", constant([0.0, 0.0, moment])).following());
    let nodes = elements * (kind.0 - 1);
    let mut names: Vec<String> = (0..=nodes).map(|k| format!("beam.node{k}")).collect();
    names.push("beam.end.orientation".into());
    let (_, values) = at_rest(&mechanism, 16, &names);
    let radius = length / std::f64::consts::TAU;
    let distance = |k: usize| {
        let angle = std::f64::consts::TAU * k as f64 / nodes as f64;
        let (x, y) = (radius * angle.sin(), radius * (1.0 - angle.cos()));
        (values[k][0] - x).hypot(values[k][1] - y) / length
    };
    let turned = &values[nodes + 1];
    // one turn is no turn
    [(0..=nodes).map(distance).fold(0.0, f64::max), 2.0 * turned[3].atan2(turned[0]).abs()]
}

#[test]
fn a_moment_rolls_a_cantilever_up_as_far_as_the_elements_can() {
    let errors = |kind: Kind| [5, 10, 20].map(|n| roll_up(kind, n)[0]);
    as_measured("2 nodes", &errors(TWO), &[2.0e-2, 5.3e-3, 1.3e-3], 1.07);
    // that program gives 3.0e-4 for five elements; its nodes may have been others
    as_measured("galerkin", &errors(GALERKIN), &[3.4e-4, 2.1e-5, 1.3e-6], 1.07);
    as_measured("volumes", &errors(VOLUME), &[3.4e-4, 2.1e-5, 1.3e-6], 1.07);
    as_measured("cayley", &errors(CAYLEY), &[1.7e-3, 9.9e-5, 6.1e-6], 1.07);
    // the rotation vector gives the rotation exactly: what remains is Newton's tolerance
    for kind in [TWO, GALERKIN, VOLUME] {
        let error = roll_up(kind, 5)[1];
        assert!(error < 1e-9, "{kind:?} {error:e}");
    }
    let turns = [5, 10, 20].map(|n| roll_up(CAYLEY, n)[1]);
    as_measured("rotation, cayley", &turns, &[5.7e-3, 3.4e-4, 2.1e-5], 1.07);
}

/// The tip of the elastica under PL²/EI = 1, [exact]; extension and shear are removed by taking two
/// slendernesses whose effect is that of 1/λ² to the limit.
fn elastica(kind: Kind, elements: usize) -> f64 {
    let tip = |stiff: f64| {
        let section = Section::new([stiff, stiff, stiff, 1.0, 1.0, 1.0]);
        let section = section.mass(1.0).inertia([2.0, 1.0, 1.0]);
        let mut mechanism = cantilever(kind, section, 1.0, elements);
        mechanism.add(Force::load("pull", "beam.end", constant([0.0, 0.0, 1.0])));
        let (_, values) = at_rest(&mechanism, 1, &["beam.end".into()]);
        values[0][2]
    };
    let (soft, stiff) = (tip(1e5), tip(2e5));
    2.0 * stiff - soft - 0.301_720_773_799_8
}

#[test]
fn the_elastica_converges_at_the_order_of_the_element() {
    let errors = |kind| [4, 8, 16].map(|n| elastica(kind, n).abs());
    as_measured("2 nodes", &errors(TWO), &[3.7e-3, 9.3e-4, 2.3e-4], 1.07);
    // at 16 elements what the two slendernesses leave, some 1e-10, is felt
    as_measured("galerkin", &errors(GALERKIN), &[3.1e-6, 2.0e-7, 1.1e-8], 1.2);
    as_measured("volumes", &errors(VOLUME), &[3.1e-6, 2.0e-7, 1.1e-8], 1.2);
    as_measured("cayley", &errors(CAYLEY), &[8.3e-6, 5.3e-7, 3.2e-8], 1.1);
}

fn bend_45(kind: Kind, elements: usize) -> f64 {
    let (e, g) = (1e7, 5e6);
    let section = Section::new([e, g, g, g / 6.0, e / 12.0, e / 12.0]);
    let shape = [
        Function::of(|s| (s * FRAC_PI_4).sin() * 100.0),
        Function::of(|s| (s * FRAC_PI_4).cos() * -100.0 + 100.0),
        Function::Constant(0.0),
    ];
    let mut mechanism = Mechanism::new();
    let beam = of(kind, section.mass(1.0).inertia([2.0, 1.0, 1.0]));
    mechanism.add(beam.curve(shape, Some("ground"), None).elements(elements));
    mechanism.add(Force::load("pull", "beam.end", constant([0.0, 0.0, 300.0])));
    let (_, values) = at_rest(&mechanism, 3, &["beam.end".into()]);
    let exact = [58.779122490, 22.244780945, 40.191891670];
    let squares = values[0].iter().zip(exact).map(|(x, y)| (x - y).powi(2));
    squares.sum::<f64>().sqrt() / 70.0
}

#[test]
fn the_45_degree_bend_converges_at_the_order_of_the_element() {
    let errors = |kind| [4, 8, 16].map(|n| bend_45(kind, n));
    // sections at the nodes along the tangent of the arc; what that program did is not known
    as_measured("2 nodes", &errors(TWO), &[8.2e-3, 2.1e-3, 5.2e-4], 1.1);
    as_measured("galerkin", &errors(GALERKIN), &[3.9e-5, 2.5e-6, 1.6e-7], 1.07);
    as_measured("volumes", &errors(VOLUME), &[4.1e-5, 2.6e-6, 1.6e-7], 1.07);
    as_measured("cayley", &errors(CAYLEY), &[7.6e-5, 4.8e-6, 3.0e-7], 1.07);
}

/// A uniform load, small enough to be linear: with the lumping of its own form one element gives the exact
/// tip, and the wall carries all of the load. For gravity the same.
#[test]
fn uniform_loads_are_lumped_as_each_form_needs_it() {
    let (length, load): (f64, f64) = (1.0, 1e-7);
    let exact = load * length.powi(4) / (8.0 * 100.0) + load * length.powi(2) / (2.0 * 1e6);
    let names = ["beam.end", "beam.start.reaction.force", "beam.start.reaction.moment"];
    let names = names.map(str::to_string);
    for (kind, elements) in [(GALERKIN, 1), (GALERKIN, 3), (VOLUME, 1), (VOLUME, 3)] {
        for by_gravity in [false, true] {
            let mut mechanism = cantilever(kind, slender(), length, elements);
            let per_length = constant([0.0, 0.0, load]);
            match by_gravity {
                true => {
                    mechanism.gravity(per_length);
                }
                false => {
                    mechanism.add(Force::distributed("load", "beam", per_length));
                }
            }
            let (_, values) = at_rest(&mechanism, 1, &names);
            let (tip, force, moment) = (values[0][2], values[1][2], values[2][1]);
            // Newton stops at 1e-10 of the length, where the correction that is left is its square
            assert!((tip / exact - 1.0).abs() < 1e-9, "{kind:?} {elements}: {tip:e} {exact:e}");
            assert!((force / (-load * length) - 1.0).abs() < 1e-9, "{kind:?} {force:e}");
            let held = load * length * length / 2.0;
            assert!((moment / held - 1.0).abs() < 1e-6, "{kind:?} {moment:e} {held:e}");
        }
    }
}

/// Two nodes: an end load bends one element too little; with residual flexibility exactly as far as a
/// linear beam, also under a uniform load.
#[test]
fn residual_flexibility_gives_the_exact_deflection() {
    let tip = |soft: bool, spread: bool| {
        let mut mechanism = Mechanism::new();
        mechanism.point("wall", [0.0; 3]);
        let mut beam = of(TWO, slender()).through("ground.wall").through([1.0, 0.0, 0.0]);
        if soft {
            beam = beam.residual_flexibility();
        }
        mechanism.add(beam);
        let load = constant([0.0, 0.0, 1e-7]);
        match spread {
            false => mechanism.add(Force::load("load", "beam.end", load)),
            true => mechanism.add(Force::distributed("load", "beam", load)),
        };
        at_rest(&mechanism, 1, &["beam.end".into()]).1[0][2]
    };
    let exact = 1e-7 * (1.0 / (3.0 * 100.0) + 1.0 / 1e6);
    assert!((tip(true, false) / exact - 1.0).abs() < 1e-9);
    // EI L²/12 is missing of L²/3
    assert!((tip(false, false) / exact - 0.75).abs() < 1e-3);
    let exact = 1e-7 * (1.0 / (8.0 * 100.0) + 1.0 / 2e6);
    assert!((tip(true, true) / exact - 1.0).abs() < 1e-9);
}

/// The same beam described from its other end, beside its path, or with its axes turned, bends alike.
#[test]
fn the_description_does_not_matter() {
    let section = || Section::new([1e4, 5e3, 4e3, 80.0, 100.0, 60.0]).mass(1.0).inertia([0.2; 3]);
    let pull = || Force::load("pull", "tip.end", constant([5.0, 20.0, 30.0]));
    let solve = |beam: Beam, reversed: bool| {
        let mut mechanism = Mechanism::new();
        mechanism.point("wall", [0.0; 3]).point("beside", [0.0, -0.3, 0.2]);
        mechanism.add(
            cardan::model::Body::spatial("tip").position([3.0, 0.0, 0.0]).point("end", [0.0; 3]),
        );
        mechanism.add(beam);
        mechanism.add(pull());
        let mid = if reversed { "beam.node2" } else { "beam.node4" };
        let names = ["tip.position".to_string(), mid.to_string()];
        at_rest(&mechanism, 2, &names).1.concat()
    };
    for kind in [TWO, GALERKIN, VOLUME] {
        let elements = 6 / (kind.0 - 1);
        let plain = solve(
            of(kind, section()).through("ground.wall").through("tip").elements(elements),
            false,
        );
        let others = [
            // from the other end the axes 2 and 3 are the same lines
            (of(kind, section()).through("tip").through("ground.wall").elements(elements), true),
            (
                of(kind, section())
                    .through("ground.wall")
                    .through("tip")
                    .elements(elements)
                    .axis_2([1.0, 2.0, 0.0]),
                false,
            ),
        ];
        for (k, (other, reversed)) in others.into_iter().enumerate() {
            let found = solve(other, reversed);
            for (a, b) in plain.iter().zip(&found) {
                // both are found to Newton's tolerance
                assert!((a - b).abs() < 1e-9, "{kind:?} {k}: {plain:?} {found:?}");
            }
        }
    }
    // a path beside the beam and an offset back to it
    let straight = |offset: [f64; 2], y: f64, z: f64| {
        let mut mechanism = Mechanism::new();
        mechanism.point("wall", [0.0, y, z]);
        let beam = of(VOLUME, section()).through("ground.wall").through([3.0, y, z]).offset(offset);
        mechanism.add(beam.elements(3));
        // a couple has no arm
        mechanism.add(Force::torque("couple", "beam.end", constant([3.0, 20.0, 10.0])));
        at_rest(&mechanism, 2, &["beam.mid".into()]).1.concat()
    };
    let (plain, aside) = (straight([0.0; 2], 0.0, 0.0), straight([0.3, -0.2], -0.3, 0.2));
    for (a, b) in plain.iter().zip(&aside) {
        assert!((a - b).abs() < 1e-9, "{plain:?} {aside:?}");
    }
}

/// Whatever the path of the loads, the same end: no rotation is accumulated.
#[test]
fn equilibria_do_not_depend_on_their_path() {
    let solve = |steps: usize| {
        let mut mechanism = cantilever(GALERKIN, slender(), 10.0, 6);
        mechanism.add(Force::load("pull", "beam.end", constant([0.0, 1.0, 2.0])));
        mechanism.add(Force::torque("twist", "beam.end", constant([10.0, 0.0, 5.0])).following());
        at_rest(&mechanism, steps, &["beam.end".into(), "beam.end.orientation".into()]).1.concat()
    };
    let (one, many) = (solve(2), solve(9));
    for (a, b) in one.iter().zip(&many) {
        // ten metres to Newton's tolerance
        assert!((a - b).abs() < 1e-8, "{one:?} {many:?}");
    }
}

/// Newton's log shows the square of each correction in the next one.
#[test]
fn corrections_shrink_quadratically() {
    // not slender, so that extension and bending converge together and round-off is 1e-14
    let stout = Section::new([500.0, 200.0, 200.0, 80.0, 100.0, 100.0]).mass(1.0).inertia([1.0; 3]);
    let mut mechanism = cantilever(GALERKIN, stout, 10.0, 6);
    mechanism.add(Force::load("pull", "beam.end", constant([0.0, 0.0, 1.0])));
    let start = mechanism.assemble().unwrap();
    let found = start.equilibrium(&StaticOptions::default()).unwrap();
    let sizes: Vec<f64> = found.log.iter().map(|x| x.correction).collect();
    let last = sizes.windows(2).rev().find(|pair| pair[1] > 1e-13).unwrap();
    assert!(last[0] < 1e-2 && last[1] < 10.0 * last[0] * last[0], "{sizes:?}");
    assert!(found.log.iter().all(|x| x.part == 1.0), "{sizes:?}");
}

/// Sections by shape: the shaft's tube and the square bar of the benchmarks, and a strip.
#[test]
fn profiles_have_the_stiffnesses_of_handbooks() {
    let steel = Material { young: 210e9, poisson: 0.3, density: 7800.0 };
    let tube = format!("{:?}", Section::of(&Profile::Tube { outer: 0.05, inner: 0.045 }, &steel));
    for known in ["313373", "354504", "272695"] {
        assert!(tube.contains(known), "{known} {tube}");
    }
    let bar = Material { young: 207e9, poisson: 0.3, density: 7800.0 };
    let square = Section::of(&Profile::Rectangle { width: 0.016, height: 0.016 }, &bar);
    let square = format!("{square:?}");
    for known in ["52992000", "1130.49", "1.9968", "733.48"] {
        assert!(square.contains(known), "{known} {square}");
    }
}

/// The two forms of one beam, and every way it is refused, by name.
#[test]
fn there_is_no_equilibrium_without_support() {
    let mut mechanism = Mechanism::new();
    mechanism.gravity([0.0, 0.0, -9.81]);
    let free = of(GALERKIN, slender()).form(BeamForm::Galerkin);
    mechanism.add(free.through([0.0; 3]).through([1.0, 0.0, 0.0]));
    let start = mechanism.assemble().unwrap();
    let error = start.equilibrium(&StaticOptions::default()).unwrap_err().to_string();
    assert!(error.contains("no equilibrium") && error.contains("hold what can move"), "{error}");
}

/// Under a small load at its end a cantilever has a constant shear force and a moment that falls linearly:
/// at every station, with every element, in section axes, on the face that looks along the beam.
#[test]
fn section_forces_are_right_at_every_station() {
    let load = 1e-6;
    for kind in [TWO, GALERKIN, VOLUME, CAYLEY] {
        let mut mechanism = Mechanism::new();
        mechanism.point("wall", [0.0; 3]);
        let beam = of(kind, slender()).through("ground.wall").through([2.0, 0.0, 0.0]);
        let stations = [0.0, 0.1, 0.37, 0.5, 0.75, 0.99, 1.0];
        let name = |k: usize| format!("s{k}");
        let place = |beam: Beam, (k, at): (usize, &f64)| beam.station(&name(k), *at);
        mechanism.add(stations.iter().enumerate().fold(beam.elements(4), place));
        mechanism.add(Force::load("pull", "beam.end", constant([0.0, 0.0, load])));
        let names: Vec<String> = (0..stations.len())
            .flat_map(|k| {
                ["force", "moment", "strain", "curvature"].map(|x| format!("beam.{}.{x}", name(k)))
            })
            .collect();
        let (_, values) = at_rest(&mechanism, 1, &names);
        for (k, at) in stations.iter().enumerate() {
            let [force, moment, strain, curvature] = [0, 1, 2, 3].map(|i| &values[4 * k + i]);
            let bending = -load * 2.0 * (1.0 - at);
            // the load bends the beam by 3e-8 rad: nothing else is that small
            assert!((force[2] - load).abs() < 1e-6 * load, "{kind:?} {at}: {force:?}");
            assert!(
                (moment[1] - bending).abs() < 1e-6 * load,
                "{kind:?} {at}: {moment:?} {bending}"
            );
            assert!((strain[2] - load / 1e6).abs() < 1e-12 * load, "{kind:?} {at}: {strain:?}");
            assert!((curvature[1] - bending / 100.0).abs() < 1e-8 * load, "{kind:?} {at}");
            // EA times the round-off of places of 2 m, differenced over half an element and carried on to
            // its ends
            let round_off = 1e6 * 2.0 * f64::EPSILON / 0.25 * 4.0;
            assert!(force[0].abs() < round_off && force[1].abs() < round_off, "{kind:?} {force:?}");
            let rest = moment[0].abs().max(moment[2].abs());
            assert!(rest < 1e-6 * load, "{kind:?} {at}: {moment:?}");
        }
    }
}
