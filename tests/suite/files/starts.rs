//! Start values that are given more than once: they agree, or it is reported.

use super::pendulum_and;
use cardan::file::ModelFile;
use cardan::model::{AssembledMechanism, Beam, Body, Joint, Mechanism, Section, Structure};

fn start(text: &str) -> AssembledMechanism {
    let file = ModelFile::parse("model.toml", text, &[]).unwrap_or_else(|error| panic!("{error}"));
    file.assemble().unwrap_or_else(|error| panic!("{error}"))
}

fn refusal(text: &str) -> String {
    let file = ModelFile::parse("model.toml", text, &[]);
    let found = file.and_then(|file| file.assemble().map(drop)).unwrap_err();
    found.to_string()
}

/// Two masses with a spring between them, and what else is given.
fn masses(more: &str) -> String {
    format!(
        "format = 2\n[structure.chain]\ntype = \"masses\"\nmasses = {{ a = 1, b = 3 }}\n\
         springs = [[\"ground\", \"a\", 100], [\"a\", \"b\", 100]]\n{more}\n\
         [simulation]\nstep = 1e-3\nend = 1\n"
    )
}

#[test]
fn displacement_and_velocity_of_a_node_are_both_kept() {
    let both = start(&masses("displacements = { a = 0.1 }\nvelocities = { a = 2 }"));
    assert_eq!((&both.initial.q[..2], &both.initial.v[..2]), (&[0.1, 0.0][..], &[2.0, 0.0][..]));
    let apart = start(&masses("displacements = { a = 0.1 }\nvelocities = { b = -2 }"));
    assert_eq!((&apart.initial.q[..2], &apart.initial.v[..2]), (&[0.1, 0.0][..], &[0.0, -2.0][..]));
    // the order of the keys has no meaning
    let turned = start(&masses("velocities = { a = 2 }\ndisplacements = { a = 0.1 }"));
    assert_eq!(turned.initial, both.initial);
    let bar = "format = 2\n[structure.bar]\ntype = \"bar\"\nlength = 1\nelements = 4\nstiffness = 1\nmass = 1\n\
               fixed = [\"start\"]\ndisplacements = { end = 0.1 }\nvelocities = { end = 2, mid = 1 }\n\
               [simulation]\nstep = 1e-3\nend = 1\n";
    assert_eq!(start(bar).initial.v, [0.0, 1.0, 0.0, 2.0]);
}

/// A displacement does not say that the velocity is zero: it follows from the tie.
#[test]
fn a_displaced_node_follows_the_velocity_of_the_node_it_is_tied_to() {
    let tie = "ties = [{ factors = { a = 1, b = -1 } }]\ndisplacements = { a = 0.1, b = 0.1 }";
    let tied = start(&masses(&format!("{tie}\nvelocities = {{ b = 2 }}")));
    let near = |x: f64| (x - 2.0).abs() < 1e-9;
    assert!(tied.initial.v.iter().all(|x| near(*x)), "{:?}", tied.initial.v);
    assert!(tied.report.velocities.is_empty(), "{}", tied.report);
    let torn = start(&masses(&format!("{tie}\nvelocities = {{ a = 1, b = 2 }}")));
    assert_eq!(torn.report.velocities.len(), 2, "{}", torn.report);
}

#[test]
fn a_node_with_two_names_has_one_value() {
    let same = start(&masses("velocities = { a = 2, node0 = 2 }"));
    assert_eq!(same.initial.v, [2.0, 0.0]);
    for key in ["velocities", "displacements"] {
        let message = refusal(&masses(&format!("{key} = {{ a = 2, node0 = 3 }}")));
        assert!(message.contains("`node0` is node 0") && message.contains('2'), "{message}");
    }
    let chain = || Structure::new("chain", 1).mass(0, 1.0).spring(None, Some(0), 1.0);
    let assembled = |structure: Structure| {
        let mut mechanism = Mechanism::new();
        mechanism.add(structure);
        mechanism.assemble()
    };
    let twice = assembled(chain().start(0, 0.5, 2.0).start(0, 0.5, 2.0)).unwrap();
    assert_eq!((twice.initial.q[0], twice.initial.v[0]), (0.5, 2.0));
    let separate = assembled(chain().start_displacement(0, 0.5).start_velocity(0, 2.0)).unwrap();
    assert_eq!(separate.initial, twice.initial);
    let message = assembled(chain().start(0, 0.5, 2.0).start(0, 0.5, 1.0)).unwrap_err().to_string();
    assert!(message.contains("velocity of node 0") && message.contains("given twice"), "{message}");
    let fixed = Structure::new("chain", 2).mass(0, 1.0).mass(1, 1.0).fix(1).start(1, 0.0, 2.0);
    assert!(assembled(fixed).unwrap_err().to_string().contains("node 1 is fixed"));
}

/// A rate given twice agrees, or is refused; a rate against a body, a drive or the constraints is reported.
#[test]
fn rates_of_joints_agree_with_what_else_is_given() {
    let sliding = |more: &str| {
        format!(
            "format = 2\n[body.b]\nmass = 1\ninertia = [1, 1, 1]\n[joint.C]\ntype = \"cylindrical\"\n\
             between = [\"ground\", \"b\"]\nat = [0, 0, 0]\naxis = [0, 0, 1]\n{more}\n\
             [simulation]\nstep = 1e-3\nend = 1\n"
        )
    };
    let near = |start: &AssembledMechanism, expected: [f64; 2]| {
        let v = &start.initial.v;
        assert!((v[2] - expected[0]).abs() < 1e-9 && (v[5] - expected[1]).abs() < 1e-9, "{v:?}");
    };
    near(&start(&sliding("rate = 2")), [2.0, 0.0]);
    near(&start(&sliding("rate = 2\nrates = { translation = 2, angle = 3 }")), [2.0, 3.0]);
    let message = refusal(&sliding("rate = 2\nrates = { translation = 1 }"));
    assert!(message.contains("rate of translation is given twice, as 2 and as 1"), "{message}");
    let message = refusal(&sliding("rates = { angel = 1 }"));
    assert!(message.contains("angel") && message.contains("translation, angle"), "{message}");
    // the bar of the pendulum turns about its end, half a metre from its origin
    let body = |rate: &str, body: &str| {
        start(
            &pendulum_and("")
                .replace("at = [0, 0]", &format!("at = [0, 0]\nrate = {rate}"))
                .replace("mass = 2", &format!("mass = 2\n{body}")),
        )
    };
    for agrees in
        ["angular_velocity = 2", "velocity = [0, 1]", "velocity = [0, 1]\nangular_velocity = 2"]
    {
        let found = body("2", agrees);
        assert!((found.initial.v[2] - 2.0).abs() < 1e-9, "{agrees}: {:?}", found.initial.v);
        assert!(found.report.velocities.is_empty(), "{agrees}: {}", found.report);
    }
    for differs in ["angular_velocity = 3", "velocity = [0, 2]"] {
        assert!(!body("2", differs).report.velocities.is_empty(), "{differs}");
    }
    let driven = pendulum_and("[drive.d]\ntype = \"angle\"\njoint = \"O\"\nvalue = \"3*t\"");
    let driven =
        |rate: &str| start(&driven.replace("at = [0, 0]", &format!("at = [0, 0]\nrate = {rate}")));
    assert!(driven("3").report.velocities.is_empty());
    let found = driven("2");
    assert_eq!(found.report.velocities.len(), 1, "{}", found.report);
    assert!((found.initial.v[2] - 3.0).abs() < 1e-9, "a drive is no suggestion");
}

/// Amplitudes and their rates are both kept.
#[test]
fn flexible_bodies_start_with_their_rates() {
    let text = "format = 2\nplanar = true\n[points]\nO = [0, 0]\n[flexible.rod]\nlength = 1\nmass = 2\n\
                stiffness = [1e6, 1e6, 10]\nmodes = 2\namplitudes = [0.01, 0.02]\nrates = [3, -4]\n\
                [simulation]\nstep = 1e-3\nend = 1\n";
    let found = start(text);
    let n = found.initial.v.len();
    assert_eq!(found.initial.v[n - 2..], [3.0, -4.0]);
}

/// A body that a beam is fixed to turns with the beam.
#[test]
fn a_beam_and_the_body_it_is_fixed_to_move_together() {
    let section =
        || Section::new([1e4, 1e4, 1e4, 1.0, 2.0, 3.0]).mass(1.0).inertia([0.01, 0.005, 0.005]);
    let hub =
        || Body::spatial("hub").mass(1.0).inertia([1.0, 1.0, 1.0]).point("rim", [1.0, 0.0, 0.0]);
    let arm = || Beam::new("arm", section()).through("hub.rim").through([2.0, 0.0, 0.0]);
    let assembled = |hub: Body, arm: Beam| {
        let mut mechanism = Mechanism::new();
        mechanism.add(hub);
        mechanism.add(Joint::revolute("O", "ground", "hub").at([0.0; 3]).axis([0.0, 0.0, 1.0]));
        mechanism.add(arm);
        mechanism.assemble()
    };
    // the start of the beam moves with ω × r = 2·1 along y
    let turning = || arm().velocity([0.0, 2.0, 0.0]).angular_velocity([0.0, 0.0, 2.0]);
    for hub in [hub(), hub().angular_velocity([0.0, 0.0, 2.0])] {
        let found = assembled(hub, turning()).unwrap();
        assert!((found.initial.v[5] - 2.0).abs() < 1e-9, "{:?}", found.initial.v);
        assert!(found.report.velocities.is_empty(), "{}", found.report);
    }
    let message =
        assembled(hub().angular_velocity([0.0, 0.0, 3.0]), turning()).unwrap_err().to_string();
    assert!(message.contains("body `hub`") && message.contains("differ"), "{message}");
}
