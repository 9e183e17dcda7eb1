//! The pages: static HTML that needs nothing but a browser.

mod files;
mod html;
mod item;
mod models;
mod pages;

pub use files::{check, style};
pub use item::{Checks, ItemReport};
pub use pages::{conclusions, errata, index, paper, placeholders};
