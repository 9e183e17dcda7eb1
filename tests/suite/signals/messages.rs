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
        Ok(file) => file.assemble().map(drop).expect_err("no error"),
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
    // the place is that of the signal that uses them
    let found = fault(&format!("[signal]\nheat = \"2*energy.kinetic\"\n{}", motor("heat")));
    assert!(found.contains("signal `heat`") && found.contains("[\"2*energy.kinetic\"]"), "{found}");
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

#[test]
fn long_chains_of_signals_are_compiled() {
    // each uses the two before it: as one formula it would have 2^60 operations
    let mut text = String::from("[signal]\ns0 = \"t\"\ns1 = \"arm.angle + t\"\n");
    for k in 2..60 {
        text += &format!("s{k} = \"0.5*s{} + 0.5*s{}\"\n", k - 1, k - 2);
    }
    let text = format!("{ARM}{text}{}", motor("s59"));
    let start = ModelFile::parse("model.toml", &text, &[]).unwrap().assemble().unwrap();
    let mut motion = start.simulate(&cardan::Settings::new("generalized-alpha", 1e-3)).unwrap();
    motion.step().unwrap();
    assert!(start.model.time_jumps(0.0, 1.0).is_empty());
}

/// Jumps in formulas of time, also where they meet other arguments or come through signals.
#[test]
fn jumps_in_time_are_listed_with_the_part() {
    let text = format!(
        "{ARM}[signal]\non = \"if(t < 0.25, 0, 1)\"\nkink = \"abs(t - 0.5)\"\n{}",
        motor("on*arm.angle + if(t < 0.75, 2, 3)")
    );
    let start = ModelFile::parse("model.toml", &text, &[]).unwrap().assemble().unwrap();
    let found: Vec<(String, f64, usize, bool)> = (start.model.time_jumps(0.0, 1.0).iter())
        .map(|x| (x.owner.to_string(), x.time, x.derivative, x.acts))
        .collect();
    let wanted = [
        ("signal `on`", 0.25, 0, true),
        ("signal `kink`", 0.5, 1, false),
        ("force `motor`", 0.75, 0, true),
    ];
    let wanted: Vec<_> = wanted.iter().map(|x| (x.0.to_string(), x.1, x.2, x.3)).collect();
    assert_eq!(found, wanted);
}

#[test]
fn undetermined_reactions_do_not_act() {
    // a second pin at the same place takes any share of the load
    let second =
        "[joint.twin]\ntype = \"revolute\"\nbetween = [\"ground\", \"bar\"]\nat = [0, 0]\n";
    let found = fault(&format!("{second}{}", motor("0.1*arm.reaction.force.x")));
    assert!(found.contains("undetermined") && found.contains("redundant"), "{found}");
}

#[test]
fn wrong_states_and_blocks_are_located() {
    let found = fault("[state.y]\nresidual = \"y - 1\"\n");
    assert!(found.contains("`y.rate`") && found.contains("[\"y - 1\"]"), "{found}");
    let found = fault("[state.y]\nrate = \"y.rate - 1\"\n");
    assert!(found.contains("`residual`"), "{found}");
    let found = fault("[state.f]\ntype = \"low-pass\"\ninput = \"arm.angle\"\ntime_constant = 0\n");
    assert!(found.contains("must be positive") && found.contains("[0]"), "{found}");
    let found = fault("[state.f]\ntype = \"pid\"\nerror = \"arm.angel\"\nkp = 1\n");
    assert!(found.contains("arm.angel"), "{found}");
    let found = fault("[signal]\nt = \"1\"\n");
    assert!(found.contains("it is time"), "{found}");
    let found = fault("[parameters]\nk = 1\n[signal]\nk = \"1\"\n");
    assert!(found.contains("it is a parameter"), "{found}");
}

/// A table that ends stops the run, with its name, value and range.
#[test]
fn table_that_ends_in_a_signal_stops_the_run() {
    let table = "[table.curve]\nx = [-1, 0.5]\nvalue = [0, 1]\n";
    let text = format!("{ARM}{table}{}", motor("curve(arm.angle + 2*t)"));
    let start = ModelFile::parse("model.toml", &text, &[]).unwrap().assemble().unwrap();
    let mut motion = start.simulate(&cardan::Settings::new("generalized-alpha", 1e-2)).unwrap();
    let error = motion.run_until(5.0).unwrap_err().to_string();
    assert!(error.contains("table `curve` has no value") && error.contains("motor"), "{error}");
}

/// Many signals are compiled; a chain that is too long to follow is refused.
#[test]
fn chains_and_lists_of_signals_of_any_length_end() {
    let list = |n: usize, before: &dyn Fn(usize) -> String| {
        let mut text = String::from("[signal]\ns0 = \"arm.angle\"\n");
        (1..n).for_each(|k| text += &format!("s{k} = \"2*{}\"\n", before(k)));
        text
    };
    let chain = list(30_000, &|k| format!("s{}", k - 1));
    let found = fault(&format!("{chain}{}", motor("s29999")));
    assert!(found.contains("more than 200 signals"), "{found}");
    let flat = list(20_000, &|_| "s0".into());
    let text = format!("{ARM}{flat}{}", motor("s19999"));
    ModelFile::parse("model.toml", &text, &[]).unwrap().assemble().unwrap();
}

#[test]
fn previous_refuses_what_is_not_known_at_an_accepted_instant() {
    // the same channel in a recorded signal does not hide it
    let found = fault(&format!("[signal]\nheat = \"energy.kinetic\"\n{}", motor("previous(heat)")));
    assert!(found.contains("sums over the whole model"), "{found}");
}

/// A table that cannot be read is reported once, not by each formula that uses it.
#[test]
fn damaged_table_is_reported_once() {
    for table in [
        "[table.curve]\nx = [0, 1, 1]\nvalue = [1, 2, 3]\n",
        "[table.curve]\nfile = \"nowhere.csv\"\nx = \"x\"\nvalue = \"y\"\n",
    ] {
        let text = format!("{ARM}{table}{}", motor("curve(arm.angle)"));
        let problems = ModelFile::parse("model.toml", &text, &[]).unwrap_err();
        assert_eq!(problems.list.len(), 1, "{problems}");
        assert!(!problems.to_string().contains("no function"), "{problems}");
    }
    let map = "[table.field]\nx = [0, 1]\ny = [0, 0]\nvalue = [[1, 2], [3, 4]]\n";
    let text = format!("{ARM}{map}{}", motor("field(arm.angle, t)"));
    let problems = ModelFile::parse("model.toml", &text, &[]).unwrap_err();
    assert_eq!(problems.list.len(), 1, "{problems}");
}
