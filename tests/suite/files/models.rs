//! The models of the repository: the mechanisms they claim to be, with the numbers they promise.

use super::{model, names};
use crate::common::with_converged_newton;
use cardan::file::ModelFile;
use cardan::linalg::SparseMatrix;
use cardan::model::Mechanism;
use cardan::system::{Derivative, StateView, System};
use cardan::{Settings, Simulation};
use cardan_lab::gallery::{self, Dimension};

/// Channels after some steps of the file's own settings.
fn read(
    file: &ModelFile,
    step: f64,
    end: f64,
    channels: &[&str],
    change: fn(&Settings) -> Settings,
) -> Vec<f64> {
    let start = file.assemble().unwrap();
    let mut settings = file.schedule().unwrap().settings;
    settings.step_size = step;
    let settings = change(&settings);
    let mut motion = Simulation::new(&start.model, &settings, &start.initial).unwrap();
    motion.run_until(end).unwrap();
    let value = |name: &&str| start.model.read(name, motion.now()).unwrap();
    channels.iter().flat_map(value).collect()
}

/// Errors at two steps, one half of the other, against references: they fall by four, and the smaller
/// one is below what is given.
#[track_caller]
fn converges(file: &ModelFile, step: f64, end: f64, wanted: &[(&str, f64)], largest: f64) {
    let names: Vec<&str> = wanted.iter().map(|(name, _)| *name).collect();
    let error = |step: f64| {
        let values = read(file, step, end, &names, Settings::clone);
        let errors = values.iter().zip(wanted).map(|(value, (_, exact))| (value - exact).abs());
        errors.fold(0.0_f64, f64::max)
    };
    let (coarse, fine) = (error(step), error(0.5 * step));
    assert!(fine < largest, "{fine}");
    let order = (coarse / fine).log2();
    assert!((order - 2.0).abs() < 0.1, "{coarse} {fine}: order {order}");
}

#[test]
fn models_reach_the_references_they_name() {
    // exact: elliptic functions; the others from quadruple precision, tests/data/README.md
    let angle = -0.2786806735699829484;
    converges(&model("pendulum", &[]), 1e-3, 10.0, &[("O.angle", angle)], 4e-5);
    converges(&model("pendulum_spatial", &[]), 1e-3, 10.0, &[("O.angle", angle)], 4e-5);
    let at_two = [("crank.angle", -0.75820562427496697792), ("O.angle.rate", -0.13314809408333589)];
    converges(&model("slider_crank", &[]), 1e-3, 2.0, &at_two, 2e-5);
    let undamped = [("crank.angle", -0.49977794476332056745)];
    converges(&model("slider_crank", &[("c", "0")]), 1e-3, 2.0, &undamped, 1e-4);
    let hanging = [("phi0", "-90*deg"), ("x_free", "0.3")];
    let at_two =
        [("crank.angle", -1.9357012314840780183), ("O.angle.rate", 0.73834825387183315978)];
    converges(&model("slider_crank", &hanging), 1e-3, 2.0, &at_two, 4e-5);
    let squeezed = [("OF.angle", 15.810771195153707097), ("O.angle", 15.810771195153707097)];
    converges(&model("andrews", &[]), 1e-5, 0.03, &squeezed, 3e-5);
    let top = [
        ("top.position.x", 0.17334396409838604),
        ("top.position.y", 0.64008859207056878),
        ("top.position.z", -0.74849079113358131),
    ];
    converges(&model("heavy_top", &[]), 2e-4, 1.0, &top, 8e-5);
    let corner = [("crank0.B.x", 0.328458111540815379), ("crank0.B.y", 0.944518538178600962)];
    converges(&model("four_bars", &[]), 2e-3, 10.0, &corner, 6e-5);
    let axle = [
        ("left.position.x", 0.0493455784275240921),
        ("left.position.y", 0.496989460230008107),
        ("right.position.x", 1.041742524885426115),
        ("right.position.y", 0.373911027265365819),
    ];
    converges(&model("car_axis", &[]), 1e-4, 3.0, &axle, 1e-6);
    let tip = [("tip.position.x", -1.8769929167269), ("tip.position.y", -2.51422813607173)];
    converges(&model("truss_pendulum", &[]), 1e-3, 10.0, &tip, 2e-2);
    let (length, angle) = (0.5 + 0.27047587326361634, 0.033545651028596526_f64);
    let bob = [("bob.position.x", length * angle.sin()), ("bob.position.y", -length * angle.cos())];
    converges(&model("spring_pendulum", &[]), 1e-3, 10.0, &bob, 1e-3);
}

/// The same motion from the file and from the library's own description, with different names.
#[track_caller]
fn equals(name: &str, known: &Mechanism, step: f64, steps: f64, channels: &[(&str, &str)]) {
    let file = model(name, &[]);
    let ours: Vec<&str> = channels.iter().map(|(ours, _)| *ours).collect();
    let from_file = read(&file, step, steps * step, &ours, with_converged_newton);
    let start = known.assemble().unwrap();
    let mut settings = file.schedule().unwrap().settings;
    settings.step_size = step;
    let settings = with_converged_newton(&settings);
    let mut motion = Simulation::new(&start.model, &settings, &start.initial).unwrap();
    motion.run_until(steps * step).unwrap();
    let theirs = channels.iter().flat_map(|(_, x)| start.model.read(x, motion.now()).unwrap());
    for ((ours, theirs), k) in from_file.iter().zip(theirs).zip(0..) {
        // the equations are those of other points and axes, so that only round-off differs; the springs of the governor
        // (8e5 N/m) turn 1e-13 m into 8e-8 N
        let allowed = if name == "flyball" { 2e-7 } else { 1e-9 };
        assert!(
            (ours - theirs).abs() < allowed + 1e-9 * theirs.abs(),
            "{name} {k}: {ours} {theirs}"
        );
    }
}

#[test]
fn models_are_the_mechanisms_of_the_gallery() {
    let same = |name| (name, name);
    let energy = same("energy.total");
    let squeezer = gallery::andrews(Dimension::Space);
    equals("andrews_spatial", &squeezer, 1e-5, 300.0, &[same("O.angle"), energy]);
    let bars = gallery::four_bars(2, Dimension::Plane);
    equals("four_bars", &bars, 1e-3, 500.0, &[("crank0.B", "crank0.head"), energy]);
    equals("bricard", &gallery::bricard(), 1e-3, 500.0, &[same("rod3.position"), energy]);
    let governor = [
        same("slider.position"),
        same("shaft.angular_velocity"),
        ("left.position", "arm_left.position"),
        same("spring_left.force"),
        energy,
    ];
    equals("flyball", &gallery::flyball_governor(), 1e-3, 500.0, &governor);
    let crank = [same("slider.position"), same("A.angle"), energy];
    equals("slider_crank_spatial", &gallery::spatial_slider_crank(), 1e-3, 500.0, &crank);
    let top = [("top.position", "top.centre"), same("top.angular_velocity"), energy];
    equals("heavy_top", &gallery::heavy_top(), 1e-4, 500.0, &top);
    let disc = [same("disc.position"), same("disc.orientation"), same("road.reaction.force")];
    equals("rolling_disc", &gallery::rolling_disc(), 1e-3, 500.0, &disc);
    let axis = [same("left.position"), same("right.position"), same("axle.reaction.force")];
    equals("car_axis", &gallery::car_axis(), 1e-3, 500.0, &axis);
}

#[test]
fn every_model_says_what_it_is_and_what_to_see() {
    let all = names();
    assert!(all.len() >= 18, "{all:?}");
    for name in all {
        let file = model(&name, &[]);
        let text = &file.source.text;
        assert!(file.title.is_some() && text.starts_with("# "), "{name}");
        assert!(text.contains("\n# See: "), "{name} does not say what to see");
        let report = file.assemble().unwrap().report;
        // the axis that is turned by 5° lets no velocity of the rigid parallelogram be quite right
        let is_crooked = name == "flexible_four_bar";
        let agree = report.velocities.is_empty() || is_crooked;
        assert!(report.gaps.is_empty() && agree, "{name}\n{report}");
        assert!(file.hints.is_empty(), "{name}: {:?}", file.hints);
        let schedule = file.schedule().unwrap();
        let steps = schedule.steps;
        let is_controlled = schedule.settings.control.is_some();
        assert!(is_controlled || (1.0..20_000.0).contains(&steps), "{name}: {steps} steps");
    }
}

/// The TOML blocks of a document.
fn blocks(document: &str) -> Vec<String> {
    let text = std::fs::read_to_string(super::repository(document)).unwrap();
    let parts = text.split("```toml\n").skip(1);
    parts.map(|part| part.split("```").next().unwrap().to_string()).collect()
}

#[test]
fn the_models_in_the_documents_run() {
    let mut whole = 0;
    for document in [
        "README.md",
        "docs/guide.md",
        "docs/beams.md",
        "docs/flexible.md",
        "docs/modes.md",
        "docs/signals.md",
        "docs/viewer.md",
    ] {
        let mut last = String::new();
        for block in blocks(document) {
            // a fragment is added to the model before it
            let text = match block.starts_with("format = ") {
                true => block,
                false => format!("{last}\n{block}"),
            };
            let file = ModelFile::parse(document, &text, &[]).unwrap_or_else(|x| panic!("{x}"));
            let start = file.assemble().unwrap_or_else(|x| panic!("{x}"));
            assert!(file.hints.is_empty(), "{:?}", file.hints);
            let settings = file.schedule().unwrap().settings;
            let mut motion = Simulation::new(&start.model, &settings, &start.initial).unwrap();
            (0..20).for_each(|_| motion.step().unwrap());
            (last, whole) = (text, whole + 1);
        }
    }
    assert!(whole >= 6, "{whole}");
}

/// G v that a model writes is the product of its matrix G with v, in every row of every model.
#[test]
fn constraint_velocities_are_products_with_the_matrix() {
    for name in names() {
        let start = model(&name, &[]).assemble().unwrap();
        let mut at = start.model.instant_of(&start.initial);
        let (n, m) = (at.v.len(), at.multipliers.len());
        let v: Vec<f64> = (0..n).map(|i| (1.0 + 7.0 * i as f64).sin()).collect();
        at.v.clone_from(&v);
        let view = StateView::from(&at);
        let matrix = SparseMatrix::written(m, n, |matrix| {
            start.model.jacobian(&view, matrix).unwrap();
        });
        let (mut product, mut written) = (vec![0.0; m], vec![0.0; m]);
        matrix.multiply_add(1.0, &v, &mut product);
        let source = start.model.constraint_velocity(&view, &mut written).unwrap();
        assert_eq!(source, Derivative::Analytic, "{name}");
        let largest = product.iter().fold(1.0_f64, |most, x| most.max(x.abs()));
        for (row, (one, two)) in product.iter().zip(&written).enumerate() {
            assert!((one - two).abs() < 1e-13 * largest, "{name} row {row}: {one} {two}");
        }
    }
}
