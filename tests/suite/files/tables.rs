//! Tables in model files: from files and lists, in formulas, in the record of a run, and what may be wrong.

use std::path::PathBuf;

use cardan::Simulation;
use cardan::file::{Diagnostics, ModelFile};

use super::pendulum_and;

/// A folder with files, which is removed at the end.
struct Folder(PathBuf);

impl Folder {
    fn new(name: &str, files: &[(&str, &str)]) -> Self {
        let path = std::env::temp_dir().join(format!("cardan-{name}-{}", std::process::id()));
        std::fs::create_dir_all(&path).unwrap();
        for (file, text) in files {
            std::fs::write(path.join(file), text).unwrap();
        }
        Self(path)
    }

    fn parse(&self, text: &str) -> Result<ModelFile, Diagnostics> {
        ModelFile::parse(&self.0.join("model.toml").display().to_string(), text, &[])
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        std::fs::remove_dir_all(&self.0).ok();
    }
}

const SPRING: &str = "x; force; note\n-10; -20; a\n0; 0; b\n1; 2; c\n10; 200; d\n";

fn force_at_start(file: &ModelFile, channel: &str) -> f64 {
    let start = file.assemble().unwrap();
    let settings = file.schedule().unwrap().settings;
    let motion = Simulation::new(&start.model, &settings, &start.initial).unwrap();
    motion.read(channel).unwrap()[0]
}

#[test]
fn tables_of_files_and_lists_are_functions() {
    let folder = Folder::new("tables-read", &[("spring.csv", SPRING)]);
    // the spring is 2 m long at the start
    let spring = |law: &str| {
        format!(
            "[parameters]\nk = 2\n[points]\nA = [1, 2]\n[table.curve]\nfile = \"spring.csv\"\nx = \"x\"\nvalue = \"force\"\n\
             [table.list]\nx = [0, 1, \"2*k\"]\nvalue = [0, 1, 10]\ninterpolation = \"pchip\"\noutside = \"hold\"\n\
             [table.surface]\nx = [0, 4]\ny = [-1, 1]\nvalue = [[0, 2], [4, 6]]\n\
             [force.s]\ntype = \"spring\"\nbetween = [\"ground.A\", \"bar.tip\"]\nlaw = '{law}'\n"
        )
    };
    for (law, expected) in [
        ("curve(x)", 2.0 + 22.0),
        ("curve(x) + k*v", 24.0),
        ("table(\"spring.csv\", \"x\", \"force\", x)", 24.0),
        ("list(9 + x)", 10.0),
        ("surface(x, v)", 3.0),
        ("surface(x, 0.5) + list(4)", 13.5),
    ] {
        let file = folder.parse(&pendulum_and(&spring(law))).unwrap();
        let force = force_at_start(&file, "s.force");
        assert!((force - expected).abs() < 1e-13, "{law}: {force}");
    }
    // the contents of the file are part of the model, and of its record
    let text = pendulum_and(&spring("curve(x)"));
    let file = folder.parse(&text).unwrap();
    assert_eq!(file.files.len(), 1);
    std::fs::write(folder.0.join("spring.csv"), SPRING.replace("200", "20")).unwrap();
    let other = folder.parse(&text).unwrap();
    assert_ne!(file.sha256(), other.sha256());
    assert_eq!(force_at_start(&other, "s.force"), 4.0);
    let name = file.source.name.clone();
    let restored = ModelFile::restore(&name, &text, &[], file.files.clone()).unwrap();
    assert_eq!(restored.sha256(), file.sha256());
    assert_eq!(force_at_start(&restored, "s.force"), 24.0);
    let lost = ModelFile::restore(&name, &text, &[], Vec::new()).unwrap_err();
    assert!(lost.to_string().contains("the record of the run does not contain it"), "{lost}");
}

/// A load over time that ends before the run does stops it with the reason.
#[test]
fn a_table_that_ends_stops_the_run_with_its_range() {
    let text = pendulum_and(
        "[table.gust]\nx = [0, 0.05]\nvalue = [1, 2]\n\
         [force.wind]\ntype = \"load\"\npoint = \"bar.tip\"\nforce = [\"gust(t)\", 0]\n",
    );
    let file = ModelFile::parse("", &text, &[]).unwrap();
    let (start, schedule) = (file.assemble().unwrap(), file.schedule().unwrap());
    let mut motion = Simulation::new(&start.model, &schedule.settings, &start.initial).unwrap();
    let error = motion.run_until(schedule.end).unwrap_err().to_string();
    let reason = "table `gust` has no value at x = 0.0";
    assert!(error.contains(reason) && error.contains("it reaches from 0 to 0.05"), "{error}");
}

#[test]
fn mistakes_of_tables_are_located() {
    let folder = Folder::new(
        "tables-wrong",
        &[("a.csv", "x,y,z\n0,1,2\n1,2,wet\n"), ("b.csv", "x,y\n0,1\n2,1\n1,3\n")],
    );
    let load = |formula: &str| {
        format!("[force.f]\ntype = \"load\"\npoint = \"bar.tip\"\nforce = ['{formula}', 0]\n")
    };
    let table = |keys: &str| format!("[table.road]\n{keys}\n");
    for (more, place, message) in [
        (table("x = [0, 1]"), "road", "table `road` has no `value`"),
        (table("x = [0, 1]\nvalue = [0, 1, 2]"), "[0, 1]", "`x` has 2 entries, and `value` has 3"),
        (table("x = [0, 2, 1]\nvalue = [0, 1, 2]"), "1", "`x` falls from 2 to 1"),
        (table("x = [0, 2, 2]\nvalue = [0, 1, 2]"), "2", "`x` = 2 is given twice"),
        (table("x = [0]\nvalue = [3]"), "[0]", "a table needs at least two values of `x`, not 1"),
        (table("x = [0, 1]\nvalue = [3, \"1/0\"]"), "\"1/0\"", "this is inf, not a number"),
        (
            table("x = \"x\"\nvalue = [3, 4]"),
            "\"x\"",
            "a list of numbers, as the table has no `file`",
        ),
        (table("file = \"a.csv\"\nx = [1]\nvalue = \"y\""), "[1]", "the name of a column"),
        (
            table("file = \"a.csv\"\nx = \"x\"\nvalue = \"z\""),
            "\"a.csv\"",
            "a.csv, line 3, column 5: `wet` is not a finite number (`z`)",
        ),
        (
            table("file = \"a.csv\"\nx = \"x\"\nvalue = \"zz\""),
            "\"a.csv\"",
            "there is no column `zz`; the columns are `x`, `y`, `z`",
        ),
        (
            table("file = \"b.csv\"\nx = \"x\"\nvalue = \"y\""),
            "\"b.csv\"",
            "b.csv, line 4, column 1: `x` falls from 2 to 1",
        ),
        (table("file = \"c.csv\"\nx = \"x\"\nvalue = \"y\""), "\"c.csv\"", "c.csv: cannot open"),
        (
            table("x = [0, 1]\ny = [0, 1]\nvalue = [[1, 2], [3]]"),
            "[3]",
            "`value` has 1 entries here, and `y` has 2",
        ),
        (table("x = [0, 1]\ny = [0, 1]\nvalue = [1, 2]"), "1", "this must be a list of numbers"),
        (
            table("x = [0, 1]\nvalue = [1, 2]\ninterpolation = \"bicubic\""),
            "\"bicubic\"",
            "of a table of one variable cannot be `bicubic`",
        ),
        (
            table("x = [0, 1]\nvalue = [1, 2]\ninterpolation = \"splin\""),
            "\"splin\"",
            "`interpolation` cannot be `splin`",
        ),
        (
            table("x = [0, 1]\nvalue = [1, 2]\noutside = \"holds\""),
            "\"holds\"",
            "`outside` cannot be `holds`",
        ),
        (
            table("x = [0, 1]\nvalue = [1, 2]\nrepeat = 3"),
            "repeat",
            "table `road` does not take `repeat`",
        ),
        ("[table]\nroad = 3\n".into(), "road", "`table.road` must be a table"),
        ("[table.sin]\nx = [0, 1]\nvalue = [1, 2]\n".into(), "sin", "it is a function"),
        ("[table.t]\nx = [0, 1]\nvalue = [1, 2]\n".into(), "t", "it is time"),
        (
            "[parameters]\nk = 1\n[table.k]\nx = [0, 1]\nvalue = [1, 2]\n".into(),
            "k",
            "it is a parameter",
        ),
        (
            "[table.\"a b\"]\nx = [0, 1]\nvalue = [1, 2]\n".into(),
            "\"a b\"",
            "use letters, digits and `_`",
        ),
        (
            load("table(\"a.csv\", \"x\", \"z\", t)"),
            "\"a.csv\", \"x\", \"z\"",
            "a.csv, line 3, column 5: `wet`",
        ),
        (load("road(t)"), "road", "there is no function `road`"),
        (load("table(\"b.csv\", t)"), "table", "`table` takes a file, the names of its columns"),
        (
            table("x = [1, 2]\nvalue = [1, 2]") + &load("road(t)"),
            "'road(t)'",
            "`road(t)` is not a number at the start, t = 0 s; table `road` has no value at x = 0: it reaches from 1 to 2",
        ),
        (
            table("x = [1, 2]\nvalue = [1, 2]") + &load("road(t, 1)"),
            "road(t, 1)",
            "the table `road` has 1 variable, not 2",
        ),
        (load("noise(1, 2, -3)"), "noise(1, 2, -3)", "the bandwidth is -3"),
    ] {
        let text = pendulum_and(&more);
        let mistakes = folder.parse(&text).unwrap_err();
        let first = &mistakes.list[0];
        let whole = mistakes.line(first);
        assert!(whole.contains(message), "{more}: {whole}");
        assert_eq!(&text[first.span.clone().unwrap()], place, "{more}: {whole}");
        assert_eq!(mistakes.list.len(), 1, "{more}: {mistakes}");
    }
    let number = pendulum_and("[table.road]\nx = [1, 2]\nvalue = [1, 2]\n")
        .replace("mass = 2", "mass = \"road(5)\"");
    let error = folder.parse(&number).unwrap_err().to_string();
    assert!(
        error.contains("table `road` has no value at x = 5: it reaches from 1 to 2"),
        "{error}"
    );
}
