//! The problems whose time per step is measured and bounded.

use cardan::Settings;
use cardan::file::ModelFile;
use cardan::model::{AssembledMechanism, Beam, Mechanism, Section};

use crate::gallery::{self, Dimension};

/// A mechanism with the settings of its steps.
pub struct SpeedProblem {
    /// Its name.
    pub name: &'static str,
    /// Steps of one measurement.
    pub steps: usize,
    /// The settings.
    pub settings: Settings,
    build: fn() -> AssembledMechanism,
}

impl SpeedProblem {
    /// Assembles the mechanism.
    pub fn assemble(&self) -> AssembledMechanism {
        (self.build)()
    }
}

fn assembled(mechanism: Mechanism) -> AssembledMechanism {
    mechanism.assemble().expect("a mechanism of the gallery can be assembled")
}

fn from_file(text: &str, set: &[(&str, &str)]) -> AssembledMechanism {
    let set: Vec<_> = set.iter().map(|(n, v)| (n.to_string(), v.to_string())).collect();
    let file = ModelFile::parse("model.toml", text, &set).expect("a shipped model is correct");
    file.assemble().expect("a shipped model can be assembled")
}

/// A cantilever of two-node elements with a load at its end.
fn cantilever(elements: usize) -> AssembledMechanism {
    let section =
        Section::new([1e6, 4e5, 4e5, 80.0, 100.0, 100.0]).mass(1.0).inertia([2e-3, 1e-3, 1e-3]);
    let mut mechanism = Mechanism::new();
    mechanism.gravity([0.0, 0.0, -9.81]).point("wall", [0.0; 3]);
    let beam = Beam::new("beam", section).through("ground.wall").through([2.0, 0.0, 0.0]);
    mechanism.add(beam.elements(elements).nodes(2));
    assembled(mechanism)
}

/// All problems.
pub fn problems() -> impl Iterator<Item = SpeedProblem> {
    let rigid = |rho: f64, h: f64| Settings::new("generalized-alpha", h).rho(rho);
    let problem = |name, steps, settings, build| SpeedProblem { name, steps, settings, build };
    [
        problem("andrews", 3000, rigid(0.8, 1e-5), || {
            assembled(gallery::andrews(Dimension::Plane))
        }),
        problem("andrews-space", 1000, rigid(0.8, 1e-5), || {
            assembled(gallery::andrews(Dimension::Space))
        }),
        problem("four-bars-2", 3000, rigid(0.95, 1e-3), || {
            assembled(gallery::four_bars(2, Dimension::Plane))
        }),
        problem("four-bars-40", 1000, rigid(0.95, 1e-3), || {
            assembled(gallery::four_bars(40, Dimension::Plane))
        }),
        problem("slider-crank", 3000, rigid(0.8, 1e-3), || {
            from_file(include_str!("../../models/slider_crank.toml"), &[])
        }),
        problem("heavy-top", 3000, rigid(0.8, 1e-3), || assembled(gallery::heavy_top())),
        problem("bricard", 2000, rigid(0.8, 1e-3), || assembled(gallery::bricard())),
        problem("chain-10", 1000, rigid(0.8, 1e-3), || {
            assembled(gallery::chain(10, Dimension::Space))
        }),
        problem("chain-100", 200, rigid(0.8, 1e-3), || {
            assembled(gallery::chain(100, Dimension::Space))
        }),
        problem("chain-1000", 200, rigid(0.8, 1e-3), || {
            assembled(gallery::chain(1000, Dimension::Space))
        }),
        problem("chain-5000", 60, rigid(0.8, 1e-3), || {
            assembled(gallery::chain(5000, Dimension::Space))
        }),
        problem("shaft", 1000, Settings::new("lms2", 1e-3).rho(0.6), || {
            from_file(include_str!("../../models/rotating_shaft.toml"), &[])
        }),
        problem("shaft-galerkin-4", 1000, Settings::new("lms2", 1e-3).rho(0.6), || {
            let text = include_str!("../../models/rotating_shaft.toml");
            from_file(&text.replace("finite-volume", "galerkin"), &[("n", "4")])
        }),
        problem("lateral-buckling", 400, Settings::new("lms2", 1e-3).rho(0.6), || {
            from_file(include_str!("../../models/lateral_buckling.toml"), &[])
        }),
        problem("flexible-four-bar", 400, Settings::new("lms2", 4e-3).rho(0.0), || {
            from_file(include_str!("../../models/flexible_four_bar.toml"), &[])
        }),
        problem("beam-10", 500, rigid(0.8, 1e-3), || cantilever(10)),
        problem("beam-100", 100, rigid(0.8, 1e-3), || cantilever(100)),
        problem("beam-1000", 60, rigid(0.8, 1e-3), || cantilever(1000)),
    ]
    .into_iter()
}
