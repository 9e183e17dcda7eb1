//! Assembling compiles a mechanism once, also if it is redundant, driven or singular.

use crate::gallery::{self, Dimension};
use crate::model::compile::COMPILATIONS;
use crate::model::{Body, Drive, Function, Joint, Mechanism};

/// A flat parallelogram: one row depends on others in this configuration only.
fn flat_parallelogram() -> Mechanism {
    let mut flat = Mechanism::new();
    let bar = |name: &str, x: f64| Body::planar(name).mass(1.0).inertia(0.1).position([x, 0.0]);
    flat.add(bar("left", 0.5));
    flat.add(bar("coupler", 2.0));
    flat.add(bar("right", 2.5));
    flat.add(Joint::revolute("A", "ground", "left").at([0.0, 0.0]));
    flat.add(Joint::revolute("B", "left", "coupler").at([1.0, 0.0]));
    flat.add(Joint::revolute("C", "coupler", "right").at([3.0, 0.0]));
    flat.add(Joint::revolute("D", "ground", "right").at([2.0, 0.0]));
    flat
}

#[test]
fn assemble_compiles_once() {
    let mut driven = gallery::four_bars(1, Dimension::Space);
    let mut rotor = Mechanism::new();
    rotor.add(Body::planar("rotor").mass(1.0).inertia(0.1));
    rotor.add(Joint::revolute("R", "ground", "rotor").at([0.0, 0.0]));
    rotor.add(Drive::angle("one", "R", Function::linear(0.0, 1.0)));
    rotor.add(Drive::angle("two", "R", Function::linear(0.0, 1.0)));
    driven.gravity([0.0; 3]);
    let singular = flat_parallelogram();
    let cases = [(driven, 3, 0), (rotor, 1, 0), (singular, 0, 1), (gallery::heavy_top(), 0, 0)];
    for (mechanism, redundant, singular) in cases {
        let before = COMPILATIONS.get();
        let report = mechanism.assemble().unwrap().report;
        assert_eq!(COMPILATIONS.get(), before + 1, "{report}");
        assert_eq!((report.redundant.len(), report.singular.len()), (redundant, singular));
    }
}
