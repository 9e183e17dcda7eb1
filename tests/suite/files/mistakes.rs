//! Mistakes: each with its place, the word underlined, and what was meant.

use super::{pendulum_and, text};
use cardan::Simulation;
use cardan::file::{Diagnostic, Diagnostics, ModelFile};

/// The mistakes of a text, also those found when the mechanism is assembled and started.
fn mistakes(text: &str) -> Option<Diagnostics> {
    let begin = || -> Result<(), Diagnostics> {
        let file = ModelFile::parse("model.toml", text, &[])?;
        let schedule = file.schedule()?;
        let start = file.assemble()?;
        let motion = Simulation::new(&start.model, &schedule.settings, &start.initial);
        motion.map(|_| ()).map_err(|error| file.explain(&error.into()))
    };
    begin().err()
}

/// What is underlined.
fn underlined(mistakes: &Diagnostics, mistake: &Diagnostic) -> String {
    let span = mistake.span.clone().unwrap_or(0..0);
    mistakes.source.text[span].to_string()
}

#[track_caller]
fn expect(text: &str, word: &str, message: &str, help: &str) {
    let mistakes =
        mistakes(text).unwrap_or_else(|| panic!("no mistake found; expected: {message}"));
    let first = &mistakes.list[0];
    assert!(first.message.contains(message), "{mistakes}\nexpected: {message}");
    assert_eq!(underlined(&mistakes, first), word, "{mistakes}");
    assert!(first.help.as_deref().unwrap_or_default().contains(help), "{mistakes}\nhelp: {help}");
}

/// Each replaces a text of the slider–crank: from, to, underlined, message, help.
const CHANGES: &[(&str, &str, &str, &str, &str)] = &[
    (r#""revolute""#, r#""revolut""#, r#""revolut""#, "no joint of type", "`revolute`"),
    ("stiffness = \"k\"", "stifness = 1", "stifness", "does not take", "`stiffness`"),
    ("[body.rod]", "[bodies.rod]", "bodies", "has no `bodies`", "`body`"),
    ("[simulation]", "[simulatoin]", "simulatoin", "has no", "`simulation`"),
    (r#""crank.A", "r"#, r#""crnk.A", "r"#, r#""crnk.A""#, "no body `crnk`", "`crank`"),
    (r#""crank.A", "r"#, r#""crank.Q", "r"#, r#""crank.Q""#, "no point `crank.Q`", ""),
    (r#"joint = "slide""#, r#"joint = "slid""#, r#""slid""#, "no joint `slid`", "`slide`"),
    ("axis = [1, 0]", "axis = [1]", "[1]", "two numbers", ""),
    ("axis = [1, 0]", "axis = [0, 0]", "[0, 0]", "the direction vector is zero", ""),
    ("axis = [1, 0]", "axis = 1", "1", "not a number", ""),
    ("axis = [1, 0]", "axis = [1, 0]\nlength = 2", "length", "does not apply", "distance"),
    (r#"mass = "m1""#, "mass = -3", "-3", "cannot be negative", ""),
    (r#"mass = "m1""#, r#"mass = "m1*t""#, r#""m1*t""#, "`t` is not allowed", ""),
    (r#"mass = "m1""#, r#"mass = "m1*(2""#, "\"", "`)` is missing", ""),
    (r#"mass = "m1""#, r#"mass = "m1+mm2""#, "mm2", "no `mm2`", "`m2`"),
    (r#"mass = "m1""#, r#"mass = "sqrt(-1)""#, r#""sqrt(-1)""#, "NaN", ""),
    (r#"mass = "m1""#, "mass = [1]", "[1]", "not a list", ""),
    (r#"mass = "m1""#, "mass = true", "true", "not true or false", ""),
    ("m1 = 3", "m1 = nan", "nan", "NaN", ""),
    ("m1 = 3", "m1 = \"2*m2\"", "m2", "no `m2`", "above"),
    ("m1 = 3", "sin = 3", "sin", "it is a function", ""),
    ("[body.rod]", "[body.crank]", "crank", "used twice", ""),
    ("[force.spring]", "[force.slide]", "slide", "used twice", ""),
    (
        r#""crank.A", "rod.A""#,
        r#""rod.slider", "rod.A""#,
        r#"["rod.slider", "rod.A"]"#,
        "both ends are on `rod`",
        "",
    ),
    ("rho = 0.8", "alpha = 0.1", "0.1", "does not take `alpha`", "rho"),
    ("rho = 0.8", "rho = 1.5", "1.5", "outside [0, 1]", ""),
    ("step = 1e-3", "step = 0", "0", "must be positive", ""),
    ("step = 1e-3", "step = -1e-3", "-1e-3", "must be positive", ""),
    ("step = 1e-3", "step = 1e-3\nsubstep = 1e-3", "1e-3", "one of them only", ""),
    ("end = 2", "end = -2", "-2", "before the start", ""),
    ("generalized-alpha", "bdf3", r#""bdf3""#, "no method `bdf3`", "`bdf2`"),
    ("format = 2", "format = 3", "3", "format 3", "newer"),
    ("format = 2", "", "", "the file has no `format`", "format = 2"),
    ("planar = true\n", "planar = \"yes\"\n", "\"yes\"", "true or false", ""),
    ("shape = { rod = \"L1\" }", "shape = { rode = 1 }", "{ rode = 1 }", "no solid", "`rod`"),
    ("shape = { rod = \"L1\" }", "shape = { rod = -1 }", "-1", "must be positive", ""),
    ("angle = \"phi0\"", "orientation = [1, 0, 0, 0]", "[1, 0, 0, 0]", "give its `angle`", ""),
];

#[test]
fn twenty_plausible_mistakes_and_more_have_their_place() {
    let original = text("slider_crank");
    assert_eq!(mistakes(&original), None);
    for (from, to, word, message, help) in CHANGES {
        assert!(original.contains(from), "{from}");
        expect(&original.replacen(from, to, 1), word, message, help);
    }
}

#[test]
fn what_the_mechanism_refuses_is_found_in_the_file() {
    let cases = [
        (
            "[drive.d]\ntype = \"angle\"\njoint = \"O\"\nvalue = \"sqrt(t)\"",
            "\"sqrt(t)\"",
            "first derivative",
        ),
        (
            "[drive.d]\ntype = \"translation\"\njoint = \"O\"\nvalue = 1",
            "\"O\"",
            "has no translation",
        ),
        (
            "[force.f]\ntype = \"friction\"\njoint = \"O\"\ncoefficient = 0.1",
            "f",
            "needs a `radius`",
        ),
        (
            "[joint.\"a.b\"]\ntype = \"fixed\"\nbetween = [\"ground\", \"bar\"]",
            "\"a.b\"",
            "a period",
        ),
        ("[body.energy]\nmass = 1", "energy", "reserved"),
        (
            "[joint.P]\ntype = \"cylindrical\"\nbetween = [\"ground\", \"bar\"]\nat = [1, 0]",
            "P",
            "between planar bodies",
        ),
        (
            "[joint.P]\ntype = \"prismatic\"\nbetween = [\"ground\", \"bar\"]\nat = [1, 0]",
            "P",
            "axis is missing",
        ),
    ];
    for (more, word, message) in cases {
        expect(&pendulum_and(more), word, message, "");
    }
    let twice = "[drive.one]\ntype = \"angle\"\njoint = \"O\"\nvalue = \"t\"\n\
                 [drive.two]\ntype = \"angle\"\njoint = \"O\"\nvalue = \"2*t\"";
    expect(&pendulum_and(twice), "two", "drive `two`", "two drives of the same degree of freedom");
    let said_twice = "[joint.P]\ntype = \"revolute\"\nbetween = [\"ground.P\", \"bar.tip\"]\n\
                      at = [3, 4]\n[points]\nP = [1, 0]";
    expect(&pendulum_and(said_twice), "[3, 4]", "`at`", "");
    for (formula, help) in [("2pi", "`*pi`"), ("3 kg", "units"), ("time", "time is `t`")] {
        let load =
            format!("[force.f]\ntype = \"load\"\npoint = \"bar\"\nforce = [0, \"{formula}\"]");
        let found = mistakes(&pendulum_and(&load)).unwrap();
        assert!(found.list[0].help.as_ref().unwrap().contains(help), "{found}");
    }
    let shadow = "[force.s]\ntype = \"spring\"\nbetween = [\"ground\", \"bar.tip\"]\n\
                  law = \"x + v\"\n[parameters]\nv = 1";
    expect(&pendulum_and(shadow), "\"x + v\"", "not the parameter", "another name");
    let driven = "[drive.revolute]\ntype = \"angle\"\njoint = \"angle\"\nvalue = 0";
    expect(&pendulum_and(driven), "\"angle\"", "no joint `angle`", "");
    let found = mistakes(&pendulum_and(driven)).unwrap();
    assert_eq!(
        found.list[0].span.as_ref().unwrap().start,
        found.source.text.rfind("\"angle\"").unwrap()
    );
    let solid = pendulum_and("")
        .replace("mass = 2\nshape = { rod = 1 }", "shape = { rod = -1, density = 7 }");
    expect(&solid, "-1", "its length is -1", "");
    let ground = pendulum_and("[points]\n\"a.b\" = [0, 0]");
    expect(&ground, "points", "its point's name `a.b`", "");
    expect(&pendulum_and("[body.\"b{2\"]\nmass = 1"), "\"b{2\"", "is not closed", "");
    let spatial = "format = 2\n[body.b]\nmass = 1\ninertia = [1, 1, 3]\n\
                   [simulation]\nstep = 1\nend = 1";
    expect(spatial, "[1, 1, 3]", "larger than the sum", "");
    let flat = spatial.replace("[1, 1, 3]", "[1, 1, 1]\nposition = [1, 2]");
    expect(&flat, "[1, 2]", "three numbers", "planar = true");
}

#[test]
fn several_mistakes_are_told_together_and_each_once() {
    let original = text("four_bars");
    let broken = original
        .replacen("mass = \"m\"", "mass = -1", 1)
        .replacen("rate = ", "rat = ", 1)
        .replacen("rho = 0.95", "rho = \"0,95\"", 1);
    let found = mistakes(&broken).unwrap();
    assert_eq!(found.list.len(), 3, "{found}");
    let shown = found.render(false);
    assert!(shown.contains("model.toml:18:8") && !shown.contains('\u{1b}'), "{shown}");
    assert!(found.render(true).contains('\u{1b}'));
}

#[test]
fn absurd_files_are_refused_at_once() {
    let repeat = |n: &str| pendulum_and(&format!("[body.\"b{{i}}\"]\nrepeat = {n}\nmass = 1"));
    expect(&repeat("1e12"), "1e12", "parts, which take about 8000 TB of memory", "more memory");
    expect(&repeat("-1"), "-1", "whole number", "");
    expect(&repeat("1.5"), "1.5", "whole number", "");
    expect(&repeat("\"1/0\""), "\"1/0\"", "inf", "");
    for text in [
        "[".repeat(100_000),
        "{".repeat(100_000),
        format!("a = {}", "[".repeat(100_000)),
        format!("x = \"{}\"", "(".repeat(100_000)),
        format!("format = 2\ngravity = [0, 0, \"{}1\"]", "(".repeat(50_000)),
        "\0\u{1}\u{2}".repeat(1000),
        "=".repeat(1_000_000),
        String::new(),
    ] {
        let found = mistakes(&text).unwrap();
        assert!(found.render(true).len() < 3000, "{}", found.render(true).len());
    }
}

#[test]
fn files_that_are_no_text_are_told() {
    let folder = std::env::temp_dir().join(format!("cardan-mistakes-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let path = folder.join("model.toml");
    std::fs::write(&path, b"format = 2\n# \xff\xfe\n").unwrap();
    let message = ModelFile::read(&path, &[]).unwrap_err().to_string();
    assert!(message.contains("line 2 is not UTF-8"), "{message}");
    std::fs::write(&path, vec![b'#'; (16 << 20) + 1]).unwrap();
    let message = ModelFile::read(&path, &[]).unwrap_err().to_string();
    assert!(message.contains("larger than 16 MiB"), "{message}");
    let message = ModelFile::read(&folder, &[]).unwrap_err().to_string();
    assert!(message.contains("this is a folder"), "{message}");
    std::fs::write(&path, format!("\u{feff}{}", pendulum_and("").replace('\n', "\r\n"))).unwrap();
    ModelFile::read(&path, &[]).unwrap();
    std::fs::remove_dir_all(&folder).unwrap();
}

/// Flexible bodies and structures: what is wrong with them has its place too.
#[test]
fn flexible_bodies_and_structures_say_what_is_wrong() {
    let flexible = "format = 2\nplanar = true\n[points]\nO = [0, 0]\n[flexible.rod]\nlength = 1\nmass = 2\n\
                    stiffness = [1e6, 1e6, 10]\nmodes = 2\n[joint.O]\ntype = \"revolute\"\n\
                    between = [\"ground.O\", \"rod.start\"]\n[simulation]\nstep = 1e-3\nend = 1\n";
    let structure = "format = 2\n[structure.bar]\ntype = \"bar\"\nlength = 1\nelements = 4\nstiffness = 1\n\
                     mass = 1\nfixed = [\"start\"]\nloads = { end = \"sin(t)\" }\nexact = true\n\
                     [simulation]\nstep = 1e-3\nend = 1\n";
    assert!(mistakes(flexible).is_none() && mistakes(structure).is_none());
    for (good, from, to, word, message) in [
        (flexible, "rod.start", "rod.stat", "\"ground.O\"", ""),
        (flexible, "\"rod.start\"", "\"rod\"", "", "name one of its points"),
        (flexible, "modes = 2", "modes = 1.5", "1.5", "whole number"),
        (flexible, "modes = 2", "modes = 2000", "2000", "more than 100 modes"),
        (flexible, "length = 1", "length = 0", "0", "must be positive"),
        (flexible, "modes = 2", "modes = 2\ntorsion = 1", "1", "does not twist"),
        (flexible, "modes = 2", "modes = 2\nsupport = \"hinged\"", "\"hinged\"", "cannot be"),
        (flexible, "modes = 2", "modes = 2\namplitudes = [1, 2, 3]", "[1, 2, 3]", "but 2 modes"),
        (flexible, "modes = 2", "modes = 2\npoints = { p = 1.5 }", "1.5", "between 0"),
        (structure, "\"start\"", "\"strat\"", "\"strat\"", "no point `strat`"),
        (structure, "{ end =", "{ node9 =", "node9", "no node 9"),
        (structure, "elements = 4", "elements = 0", "0", "there must be elements"),
        (structure, "fixed = [\"start\"]\n", "", "true", "fixed at its start"),
        (structure, "mass = 1", "mass = -1", "-1", "must be positive"),
        (structure, "exact = true", "points = { p = 0.3 }", "0.3", "no node at this place"),
        (structure, "exact = true", "drives = { start = 0 }", "start", "is fixed"),
        (
            structure,
            "exact = true",
            "ties = [{ factors = { end = 1 }, sum = 0 }]",
            "sum",
            "does not take",
        ),
        (structure, "exact = true", "ties = [{ value = 0 }]", "{ value = 0 }", "needs `factors`"),
        (structure, "\"bar\"", "\"beam\"", "\"beam\"", "no structure of type"),
        (structure, "\"bar\"", "\"matrices\"", "", ""),
    ] {
        let text = good.replacen(from, to, 1);
        assert_ne!(text, good);
        let found = mistakes(&text).unwrap_or_else(|| panic!("no mistake: {to}"));
        let all: Vec<&str> = found.list.iter().map(|x| x.message.as_str()).collect();
        assert!(all.iter().any(|x| x.contains(message)), "{found}\nexpected: {message}");
        if !word.is_empty() && !message.is_empty() {
            let place = found.list.iter().find(|x| x.message.contains(message)).unwrap();
            assert_eq!(underlined(&found, place), word, "{found}");
        }
    }
}

const BEAMS: &str = "format = 2\n[points]\nwall = [0, 0, 0]\n[beam.\"root{i}\"]\nrepeat = 2\n\
                     path = [\"ground.wall\", [1, \"i\", 0]]\nstiffness = [1e6, 1e6, 1e6, 10, 10, 10]\n\
                     mass = 1\ninertia = [0.01, 0.005, 0.005]\nelements = 2\n\
                     [body.b]\nmass = 1\ninertia = [1, 1, 1]\nposition = [1, 0, 0]\n\
                     [simulation]\nstep = 1e-3\nend = 1\n";

/// A name that another kind of part has is not called missing: what it is, and how to refer to it.
#[test]
fn a_name_of_another_kind_of_part_is_called_what_it_is() {
    let branch =
        "stiffness = [1e6, 1e6, 1e6, 10, 10, 10]\nmass = 1\ninertia = [0.01, 0.005, 0.005]";
    let on_beam = format!("{BEAMS}[beam.branch]\npath = [\"root0.end\", [2, 0, 0]]\n{branch}");
    expect(&on_beam, "\"root0.end\"", "`root0` is a beam, not a body", "");
    let message = mistakes(&on_beam).unwrap().to_string();
    assert!(
        message.contains("by a joint at one of its points: `root0.start`, `root0.end`"),
        "{message}"
    );
    let joined =
        |end: &str| format!("{BEAMS}[joint.J]\ntype = \"fixed\"\nbetween = [\"{end}\", \"b\"]");
    expect(&joined("root1"), "\"root1\"", "name a point on it, such as `root1.end`", "");
    expect(&joined("root1.tip"), "\"root1.tip\"", "no point `root1.tip`", "`start`, `mid`, `end`");
    for (more, word, message) in [
        (
            "[drive.d]\ntype = \"angle\"\njoint = \"bar\"\nvalue = 1",
            "\"bar\"",
            "`bar` is a body, not a joint",
        ),
        (
            "[gear.g]\njoints = [\"bar\", \"O\"]\nratio = 2",
            "\"bar\"",
            "`bar` is a body, not a joint",
        ),
        (
            "[force.f]\ntype = \"load\"\npoint = \"O\"\nforce = [0, 1]",
            "\"O\"",
            "`O` is a joint, not a body",
        ),
        (
            "[force.f]\ntype = \"distributed\"\nbeam = \"bar\"\nforce = [0, 1]",
            "\"bar\"",
            "`bar` is a body, not a beam",
        ),
        (
            "[joint.P]\ntype = \"revolute\"\nbetween = [\"O\", \"bar.tip\"]",
            "\"O\"",
            "`O` is a joint",
        ),
    ] {
        expect(&pendulum_and(more), word, message, "");
    }
    let structure = "[structure.s]\ntype = \"masses\"\nmasses = { a = 1 }\n\
                     [joint.P]\ntype = \"revolute\"\nbetween = [\"s.a\", \"bar.tip\"]";
    expect(&pendulum_and(structure), "\"s.a\"", "`s` is a structure, not a body", "");
}

/// What a formula may use where it stands; points that there are; parameters that need each other.
#[test]
fn help_says_what_can_be_written_instead() {
    let load = |formula: &str| {
        format!("[force.f]\ntype = \"load\"\npoint = \"bar\"\nforce = [0, \"{formula}\"]")
    };
    let law = |formula: &str| {
        format!(
            "[force.f]\ntype = \"spring\"\nbetween = [\"ground\", \"bar.tip\"]\nlaw = \"{formula}\""
        )
    };
    let mass = |value: &str| pendulum_and("").replace("mass = 2", &format!("mass = {value}"));
    let channels = "channels and points are not part of formulas";
    expect(&pendulum_and(&load("0.1*q")), "q", "there is no `q`", "may use `t`, channels such as");
    expect(&pendulum_and(&law("0.1*q")), "q", "there is no `q`", "may use `x`, `v`, `t`, channels");
    expect(&mass("\"0.1*O.angle\""), "O.angle", channels, "may use numbers, functions");
    expect(&mass("\"3*t\""), "\"3*t\"", "`t` is not allowed here", "a formula of parameters");
    expect(&pendulum_and(&load("x")), "x", "no `x`", "may use `t`");
    expect(&mass("\"2,5\""), ",", "`,` is not expected here", "the decimal sign is a point");
    expect(&mass("1e999"), "1e999", "inf", "at most 1.8e308");
    expect(&mass("\"1e999\""), "1e999", "not a number that can be represented", "1.8e308");
    expect(&mass("\"clamp(1, 3, 2)\""), "\"clamp(1, 3, 2)\"", "NaN", "wrong order");
    for (parameters, word, help) in [
        ("a = \"a + 1\"", "a", "`a` cannot depend on itself"),
        ("a = \"b\"\nb = \"a\"", "b", "`a` and `b` depend on each other"),
        ("a = \"b\"\nb = \"c\"\nc = \"2*a\"", "b", "`a` and `b` depend on each other"),
        ("a = \"b\"\nb = 1", "b", "define `b` above the parameter that uses it"),
    ] {
        let text = pendulum_and(&format!("[parameters]\n{parameters}"));
        expect(&text, word, "there is no", help);
    }
    let at_end = |end: &str| pendulum_and("").replace("\"bar\"]", &format!("\"{end}\"]"));
    expect(&at_end("bar.zz"), "\"bar.zz\"", "no point `bar.zz`", "`bar` has the points `tip`");
    let ground = pendulum_and("").replace("\"ground\",", "\"ground.A\",");
    expect(&ground, "\"ground.A\"", "no point `ground.A`", "the table [points]");
    expect(
        &at_end("bar").replace("at = [0, 0]", "at = [0, 0, 1]"),
        "[0, 0, 1]",
        "outside the plane",
        "",
    );
}

/// A formula is refused where a derivative it needs does not exist, by name; and only there.
#[test]
fn what_a_drive_or_a_law_needs_is_named() {
    let drive = |kind: &str, value: &str| {
        pendulum_and(&format!("[drive.d]\ntype = \"{kind}\"\njoint = \"O\"\nvalue = \"{value}\""))
    };
    let law = |formula: &str| {
        pendulum_and(&format!(
            "[force.f]\ntype = \"spring\"\nbetween = [\"ground\", \"bar.tip\"]\nlaw = \"{formula}\""
        ))
    };
    for fine in [
        drive("angle", "max(t - 0.5, 0)^2.5"),
        drive("angle", "(1 + t/50000)^50000 - 1 - t"),
        drive("angle", "t*sqrt(t)*t"),
        drive("angle", "1e-3*tanh(800*(t - 1))"),
        drive("angular-velocity", "t^1.5"),
        drive("angular-velocity", "abs(t)"),
        law("max(1 - x, 0)^1.5"),
        law("max(x - 1, 0)^1.5 + abs(v)^1.7"),
        law("v*abs(v)^0.7"),
    ] {
        assert_eq!(mistakes(&fine).map(|x| x.to_string()), None, "{fine}");
    }
    expect(
        &drive("angle", "sqrt(t)"),
        "\"sqrt(t)\"",
        "the first derivative of `sqrt(t)` is infinite at the start, t = 0 s",
        "velocity and acceleration",
    );
    expect(
        &drive("angle", "t^1.5"),
        "\"t^1.5\"",
        "the second derivative of `t^1.5` is infinite",
        "",
    );
    expect(
        &drive("angular-velocity", "sqrt(t)"),
        "\"sqrt(t)\"",
        "the first derivative",
        "a velocity",
    );
    // the tip is 1 m from the origin
    expect(
        &law("sqrt(x - 1)"),
        "\"sqrt(x - 1)\"",
        "the derivative of its `law` with respect to x is not finite at the start: inf at x = 1, v = 0",
        "`sqrt(x - 1)`",
    );
    expect(
        &law("sign(v)*sqrt(abs(v))"),
        "\"sign(v)*sqrt(abs(v))\"",
        "with respect to v is not finite",
        "",
    );
}

/// Rotations are named by the body, or by the axis of the body they are about.
#[test]
fn rotations_are_named_by_what_turns() {
    let top = "format = 2\n[body.top]\nmass = 1\ninertia = [1, 1, 1]\nangular_velocity = [0, 0, 1000]\n\
               [joint.J]\ntype = \"spherical\"\nbetween = [\"ground\", \"top\"]\nat = [0, 0, 0]\n\
               [simulation]\nstep = 1e-2\nend = 1\n";
    let file = ModelFile::parse("top.toml", top, &[]).unwrap();
    let (schedule, start) = (file.schedule().unwrap(), file.assemble().unwrap());
    let mut motion = Simulation::new(&start.model, &schedule.settings, &start.initial).unwrap();
    let message = motion.step().unwrap_err().to_string();
    assert!(message.contains("body `top` turns 10.00 rad"), "{message}");
    for (axis, inertia) in [("x", "[0, 1, 1]"), ("y", "[1, 0, 1]"), ("z", "[1, 1, 0]")] {
        let text = top.replace("[1, 1, 1]", inertia).replace("[0, 0, 1000]", "[0, 0, 0]");
        let message = mistakes(&text).unwrap().to_string();
        assert!(message.contains(&format!("`top` (rotation about body axis {axis})")), "{message}");
    }
    let planar = pendulum_and("")
        .replace("shape = { rod = 1 }", "inertia = 0")
        .replace("[0.5, 0]", "[0, 0]");
    let message = mistakes(&planar).unwrap().to_string();
    assert!(message.contains("body `bar` (rotation)"), "{message}");
}

/// The number of parts is limited by the memory they take, not by a constant.
#[test]
fn parts_are_limited_by_memory() {
    let text = |n: u32| pendulum_and(&format!("[body.\"b{{i}}\"]\nrepeat = {n}\nmass = 1"));
    let read = |n: u32, memory: u64| ModelFile::parse_within("", &text(n), &[], Some(memory));
    assert!(read(100, 1_000_000).is_ok());
    let mistakes = read(200, 1_000_000).unwrap_err();
    let first = &mistakes.list[0];
    assert_eq!(underlined(&mistakes, first), "200");
    let message = &first.message;
    assert!(message.contains("take about 1.6 MB of memory; 1.0 MB are allowed"), "{message}");
    assert!(first.help.as_deref().unwrap().contains("a larger limit (--max-memory)"));
    assert!(read(200, 2_000_000).is_ok());
    // without a repetition, the part that is one too many
    let mistakes = read(1, 20_000).unwrap_err();
    assert_eq!(underlined(&mistakes, &mistakes.list[0]), "O");
}

/// Formulas may use the names of all repeated states: their number has no constant limit either.
#[test]
fn names_of_repeated_states_have_no_limit() {
    let text = pendulum_and(
        "[signal]\nsum = \"s100001 + 1\"\n[state.\"s{i}\"]\nrepeat = 100_002\nrate = \"-1\"",
    );
    assert!(ModelFile::parse("", &text, &[]).is_ok());
    let missing = text.replace("s100001 +", "s100002 +");
    assert!(ModelFile::parse("", &missing, &[]).is_err());
    assert!(ModelFile::parse_within("", &text, &[], Some(1_000_000)).is_err());
}

/// Limits of what a number in a file may ask for.
#[test]
fn enormous_numbers_are_refused_before_anything_is_made() {
    let begin = std::time::Instant::now();
    let huge = ["1e12", "9e15", "1e300", "99999999999999999999"];
    for n in huge {
        assert!(
            mistakes(&BEAMS.replace("elements = 2", &format!("elements = {n}"))).is_some(),
            "{n}"
        );
        assert!(mistakes(&BEAMS.replace("repeat = 2", &format!("repeat = {n}"))).is_some(), "{n}");
        let bar = format!(
            "format = 2\n[structure.bar]\ntype = \"bar\"\nlength = 1\nelements = {n}\nstiffness = 1\nmass = 1\n\
             [simulation]\nstep = 1\nend = 2\n"
        );
        assert!(mistakes(&bar).is_some(), "{n}");
        let membrane = bar.replace("\"bar\"\nlength = 1", "\"membrane\"\nsides = [1, 1]");
        let membrane = membrane.replace("stiffness = 1", "tension = 1");
        assert!(mistakes(&membrane).is_some(), "{n}");
    }
    for n in [1 << 40, usize::MAX] {
        use cardan::model::{Edge, Lumping, Mechanism, Structure};
        let refused = |structure: Structure| {
            let mut mechanism = Mechanism::new();
            mechanism.add(structure);
            mechanism.assemble().map(drop).unwrap_err().to_string()
        };
        let lumping = Lumping::Consistent;
        assert!(refused(Structure::bar("b", 1.0, n, 1.0, 1.0, lumping)).contains("the limit is"));
        let membrane = Structure::membrane("m", [1.0, 1.0], [n, n], 1.0, 1.0, lumping);
        assert!(refused(membrane.fix_edge(Edge::Top)).contains("the limit is"));
        assert!(refused(Structure::new("s", n)).contains("the limit is"));
    }
    assert!(begin.elapsed().as_secs() < 10, "refusals are quick");
}
