//! Errors of signals: unknown names, cycles, quantities that cannot act.

use cardan::file::ModelFile;

const ARM: &str = "format = 2\nplanar = true\ngravity = [0, -9.81]\n\
    [body.bar]\nmass = 2\ninertia = 0.1\nposition = [0.5, 0]\n\
    [joint.arm]\ntype = \"revolute\"\nbetween = [\"ground\", \"bar\"]\nat = [0, 0]\n";

/// The error of a model file, with the text of the place it names.
fn fault(more: &str) -> String {
    let text = format!("{ARM}{more}");
    let problems = match ModelFile::parse("model.toml", &text, &[]) {
        Err(problems) => problems,
        Ok(file) => file.assemble().err().expect("no error"),
    };
    let problem = &problems.list[0];
    let place = problem.span.clone().map_or("", |span| &text[span]);
    format!("{} [{place}] {}", problem.message, problem.help.clone().unwrap_or_default())
}

fn motor(value: &str) -> String {
    format!("[force.motor]\ntype = \"motor\"\njoint = \"arm\"\nvalue = \"{value}\"\n")
}

#[test]
fn unknown_names_are_located() {
    let found = fault(&motor("k*arm.angel"));
    assert!(found.contains("there is no `k`"), "{found}");
    let found = fault(&motor("2*arm.angel"));
    assert!(found.contains("there is no channel `arm.angel`"), "{found}");
    assert!(found.contains("[\"2*arm.angel\"]") && found.contains("`arm.angle`"), "{found}");
    let found = fault(&format!("[signal]\nerror = \"2*arm.angle\"\n{}", motor("3*eror")));
    assert!(found.contains("there is no `eror`") && found.contains("`error`"), "{found}");
    let found = fault(&motor("bar.position"));
    assert!(found.contains("is not one number") && found.contains("bar.position.x"), "{found}");
}

#[test]
fn cycles_name_their_members() {
    let found = fault("[signal]\na = \"b + 1\"\nb = \"c*arm.angle\"\nc = \"2*a\"\n");
    assert!(found.contains("signals depend on each other: `a` → `b` → `c` → `a`"), "{found}");
}

#[test]
fn quantities_that_cannot_act_are_refused() {
    for (formula, reason) in [
        ("arm.angle.acceleration", "`previous(…)`"),
        ("energy.kinetic", "sum over the whole model"),
        ("motor.force", "depends on signals"),
    ] {
        let found = fault(&motor(formula));
        assert!(found.contains(reason) && found.contains(formula), "{found}");
    }
    // they can be recorded
    for formula in ["arm.angle.acceleration", "energy.kinetic + 1", "arm.reaction.force.x"] {
        let text = format!("{ARM}[signal]\ns = \"{formula}\"\n");
        ModelFile::parse("model.toml", &text, &[]).unwrap().assemble().unwrap();
    }
}

#[test]
fn drives_take_signals_of_time_only() {
    let drive = |value: &str, more: &str| {
        format!("{more}\n[drive.d]\ntype = \"angle\"\njoint = \"arm\"\nvalue = \"{value}\"\n")
    };
    let signals = "[signal]\nramp = \"2*t^2\"\nangle = \"arm.angle\"";
    let text = format!("{ARM}{}", drive("3*ramp", signals));
    let model = ModelFile::parse("model.toml", &text, &[]).unwrap().assemble().unwrap();
    let motion = model.simulate(&cardan::Settings::new("generalized-alpha", 1e-2)).unwrap();
    assert!((motion.read("arm.angle.acceleration").unwrap()[0] - 12.0).abs() < 1e-12);
    let found = fault(&drive("3*angle", signals));
    assert!(found.contains("`arm.angle`") && found.contains("time"), "{found}");
    let found = fault(&drive("u", "[input.u]\nvalue = 1"));
    assert!(found.contains("`u`"), "{found}");
}
