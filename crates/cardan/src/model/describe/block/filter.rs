//! Filters and limiters.

use super::{Block, number};
use crate::model::describe::signal::{Signal, SignalBody};
use crate::model::values::SignalFormula;

impl Block {
    /// A low-pass filter of first order, T ẏ = u − y; the output is a state.
    pub fn low_pass(
        name: &str,
        input: impl Into<SignalFormula>,
        time_constant: f64,
        start: f64,
    ) -> Self {
        let rate = format!("({name}.input - {name})/{}", number(time_constant));
        Self::new(name)
            .positive("time_constant", time_constant)
            .part("input", input)
            .state("", start, rate)
    }

    /// A signal limited to a range.
    pub fn saturation(name: &str, input: impl Into<SignalFormula>, lower: f64, upper: f64) -> Self {
        let output = format!("clamp({name}.input, {}, {})", number(lower), number(upper));
        Self::new(name)
            .check("lower", lower <= upper, "it must not exceed `upper`")
            .part("input", input)
            .output(output)
    }

    /// A signal that is zero while its input is within ±width, and the rest of it beyond.
    pub fn dead_band(name: &str, input: impl Into<SignalFormula>, width: f64) -> Self {
        let w = number(width);
        Self::new(name)
            .check("width", width >= 0.0, "it must not be negative")
            .part("input", input)
            .output(format!("{name}.input - clamp({name}.input, -{w}, {w})"))
    }

    /// A state that follows its input with a time constant T and a limited rate: ẏ = (u − y)/T, limited to
    /// −`falling` … `rising`.
    pub fn rate_limit(
        name: &str,
        input: impl Into<SignalFormula>,
        [falling, rising]: [f64; 2],
        time_constant: f64,
        start: f64,
    ) -> Self {
        let [fall, rise, t] = [falling, rising, time_constant].map(number);
        Self::new(name)
            .positive("falling", falling)
            .positive("rising", rising)
            .positive("time_constant", time_constant)
            .part("input", input)
            .state("", start, format!("clamp(({name}.input - {name})/{t}, -{fall}, {rise})"))
    }

    /// A relay: `values[1]` from the accepted step at which the input reaches `upper` until the one at which it
    /// reaches `lower`, otherwise `values[0]`.
    pub fn hysteresis(
        name: &str,
        input: impl Into<SignalFormula>,
        [lower, upper]: [f64; 2],
        values: [f64; 2],
        starts_on: bool,
    ) -> Self {
        let [off, on] = values.map(number);
        let mut block = Self::new(name)
            .check("lower", lower <= upper, "it must not exceed `upper`")
            .part("input", input)
            .output(format!("if({name}.relay > 0, {on}, {off})"));
        let argument = SignalFormula::new(&format!("{name}.input"));
        let body = SignalBody::Relay { argument, limits: [lower, upper], starts_on };
        block.signals.push(Signal { name: format!("{name}.relay"), body });
        block
    }
}
