//! The problems whose time per step is measured and bounded.

// known mechanisms: the lab has more dependencies than the steps need
#[path = "../../crates/cardan-lab/src/gallery.rs"]
pub mod gallery;
pub mod problems;
