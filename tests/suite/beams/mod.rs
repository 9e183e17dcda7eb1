//! Beams: their elements, their equilibria, their motions and the benchmarks of the papers.

mod descriptions;
mod dynamics;
mod elements;
mod papers;
mod statics;
mod vibrations;

use cardan::math::Chart;
use cardan::model::{Beam, BeamForm, Section};

/// A kind of element: nodes, form, chart.
pub type Kind = (usize, BeamForm, Chart);

pub const TWO: Kind = (2, BeamForm::Galerkin, Chart::Exponential);
pub const GALERKIN: Kind = (3, BeamForm::Galerkin, Chart::Exponential);
pub const VOLUME: Kind = (3, BeamForm::FiniteVolume, Chart::Exponential);
pub const CAYLEY: Kind = (3, BeamForm::FiniteVolume, Chart::Cayley);

/// A beam of some kind.
pub fn of(kind: Kind, section: Section) -> Beam {
    Beam::new("beam", section).nodes(kind.0).form(kind.1).chart(kind.2)
}

/// Values within a factor of those measured by a program that shares nothing with Cardan. They are
/// printed with two digits; a digit more or less in either is a factor of 1.07.
#[track_caller]
pub fn as_measured(what: &str, found: &[f64], known: &[f64], factor: f64) {
    for (found, known) in found.iter().zip(known) {
        let ratio = found / known;
        let fits = ratio < factor && ratio > 1.0 / factor;
        assert!(fits, "{what}: {found:.3e}, not {known:.1e}");
    }
}
