//! Manifests: the studies of a paper, its figures, tables and claims, as data.
//!
//! A manifest is a TOML file. Methods are written as in commands (`lms3:rho=0`); `@name` means the methods
//! of a group. Numbers are read from results by addresses in brackets, see [`super::quantity`].

mod amount;
mod explanation;
mod item;
mod paper;
mod study;
mod text;

pub use amount::Amount;
pub use explanation::{ExplanationCounts, ExplanationKind};
pub use item::{
    Claim, Explained, FigureKind, ManifestItem, ManifestTable, Picture, Printed, TableContent, View,
};
pub use paper::{Erratum, Manifest, Purpose};
pub use study::ManifestStudy;
