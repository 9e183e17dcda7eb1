//! Beams: their elements, their equilibria and their motions.

mod elements;
