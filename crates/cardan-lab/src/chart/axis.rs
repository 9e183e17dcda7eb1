//! The range of an axis, its round ticks and their labels.

use super::figure::AxisScale;

/// Values spread less than this part of their size are constant up to round-off.
const ROUND_OFF: f64 = 1e-9;
/// Values below this size are zero up to round-off.
const ZERO: f64 = 1e-14;
/// Values spread less than this part of their size are labelled by their difference to an offset.
const NARROW: f64 = 1e-4;

/// A scale whose labels read `(value − offset) / 10^exponent`, or powers of ten.
pub struct ChartAxis {
    scale: AxisScale,
    offset: f64,
    exponent: i32,
    unit: f64,
    low: f64,
    high: f64,
    tick_count: f64,
}

impl ChartAxis {
    /// An axis for the finite ones of the values, with a part of their range added at each end
    /// and up to one tick more than `tick_count`.
    pub fn new(
        scale: AxisScale,
        values: impl Iterator<Item = f64>,
        padding: f64,
        tick_count: f64,
    ) -> ChartAxis {
        match scale {
            AxisScale::Linear => Self::linear(values, padding, tick_count),
            AxisScale::Logarithmic => {
                let decades = values.filter(|value| *value > 0.0).map(f64::log10);
                // without an offset and a power of ten of its own
                let ChartAxis { offset, unit, low, high, tick_count, .. } =
                    Self::linear(decades, padding, tick_count);
                let (low, high) = (low * unit + offset, high * unit + offset);
                ChartAxis { scale, offset: 0.0, exponent: 0, unit: 1.0, low, high, tick_count }
            }
        }
    }

    fn linear(values: impl Iterator<Item = f64>, padding: f64, tick_count: f64) -> ChartAxis {
        let scale = AxisScale::Linear;
        let finite = values.filter(|value| value.is_finite());
        let (low, high) = finite.fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), value| {
            (value.min(low), value.max(high))
        });
        if low > high {
            let (low, high, tick_count) = (0.0, 1.0, 0.0);
            return ChartAxis { scale, offset: 0.0, exponent: 0, unit: 1.0, low, high, tick_count };
        }
        let size = low.abs().max(high.abs());
        // halves, because the difference of two huge values overflows
        let spread = high / 2.0 - low / 2.0;
        let constant = spread <= ROUND_OFF * size || size < ZERO;
        let narrow = !constant && spread <= NARROW * size;
        let offset = if narrow { round_offset(low, high) } else { 0.0 };
        let exponent = shown_exponent((low - offset).abs().max((high - offset).abs()));
        let unit = power_of_ten(exponent);
        let (low, high) = ((low - offset) / unit, (high - offset) / unit);
        let margin = match constant {
            true if size < ZERO => 1.0,
            true => 0.5 * low.abs(),
            false => padding * (high - low),
        };
        ChartAxis {
            scale,
            offset,
            exponent,
            unit,
            low: low - margin,
            high: high + margin,
            tick_count,
        }
    }

    /// The length of the axis in the unit of its values.
    pub fn range(&self) -> f64 {
        (self.high - self.low) * self.unit
    }

    /// Makes the axis longer by the same length at both ends.
    pub fn widen(&mut self, range: f64) {
        let more = 0.5 * (range / self.unit - (self.high - self.low));
        if more > 0.0 && more.is_finite() {
            self.low -= more;
            self.high += more;
        }
    }

    /// Where a value lies between the ends of the axis, 0 to 1.
    pub fn fraction(&self, value: f64) -> f64 {
        let value = match self.scale {
            AxisScale::Linear => (value - self.offset) / self.unit,
            AxisScale::Logarithmic => value.log10(),
        };
        (value - self.low) / (self.high - self.low)
    }

    /// Place and label of each tick; none without values.
    pub fn ticks(&self) -> Vec<(f64, String)> {
        if self.tick_count == 0.0 {
            return Vec::new();
        }
        if self.scale == AxisScale::Logarithmic {
            return self.decades();
        }
        let range = self.high - self.low;
        let wanted = range / self.tick_count;
        let power = decade(wanted);
        let factor = wanted / power_of_ten(power) * (1.0 - 1e-9);
        let factor = [1, 2, 5].into_iter().find(|&round| round as f64 >= factor).unwrap_or(10);
        let value = |index: i64| (index * factor) as f64 * power_of_ten(power);
        let step = value(1);
        let first = (self.low / step - 1e-6).ceil() as i64;
        let last = (self.high / step + 1e-6).floor() as i64;
        let decimals = usize::try_from(-power).unwrap_or(0);
        (first..=last)
            .map(|index| {
                let fraction = (value(index) - self.low) / range;
                (fraction, plain(&format!("{:.decimals$}", value(index))))
            })
            .collect()
    }

    /// Powers of ten, or within a few of them also twice and five times those.
    fn decades(&self) -> Vec<(f64, String)> {
        let (first, last) = (self.low.floor() as i32, self.high.ceil() as i32);
        let every = ((self.high - self.low) / self.tick_count).ceil().max(1.0) as i32;
        let parts: &[f64] = if self.high - self.low < 2.5 { &[1.0, 2.0, 5.0] } else { &[1.0] };
        let place = |decade: i32, part: f64| {
            let at = f64::from(decade) + part.log10();
            ((at - self.low) / (self.high - self.low), label(decade, part))
        };
        (first..=last)
            .filter(|decade| decade.rem_euclid(every) == 0)
            .flat_map(|decade| parts.iter().map(move |&part| place(decade, part)))
            .filter(|(fraction, _)| (-1e-6..=1.0 + 1e-6).contains(fraction))
            .collect()
    }

    /// The offset and power of ten that the tick labels omit, written at the end of the axis: `×10⁻⁹ + 35.8`.
    pub fn note(&self) -> String {
        let scale = match self.exponent {
            0 => String::new(),
            exponent => format!("×10{}", superscript(exponent)),
        };
        if self.offset == 0.0 {
            return scale;
        }
        let sign = if self.offset < 0.0 { '−' } else { '+' };
        format!("{scale} {sign} {}", number(self.offset.abs())).trim_start().to_owned()
    }

    /// Whether the label 0 is that of another value.
    pub fn has_offset(&self) -> bool {
        self.offset != 0.0
    }
}

/// The number with the fewest digits in a range or close to it.
fn round_offset(low: f64, high: f64) -> f64 {
    let middle = low + (high - low) / 2.0;
    let rounded = |digits: usize| format!("{middle:.digits$e}").parse().unwrap_or(middle);
    (0..17).map(rounded).find(|offset| (middle - offset).abs() <= high - low).unwrap_or(middle)
}

/// The power of ten taken out of labels that would be hard to read in full.
fn shown_exponent(size: f64) -> i32 {
    let decade = decade(size);
    if (-2..5).contains(&decade) { 0 } else { decade }
}

/// The exponent of a value's power of ten, the next one just below it; zero for zero.
fn decade(value: f64) -> i32 {
    if value < f64::MIN_POSITIVE { 0 } else { (value.log10() + 1e-3).floor() as i32 }
}

fn power_of_ten(exponent: i32) -> f64 {
    // the parser rounds correctly, `powi` does not
    format!("1e{exponent}").parse().unwrap_or(1.0)
}

/// A decimal number without trailing zeros, with a proper minus sign.
fn plain(digits: &str) -> String {
    let digits = match digits.contains('.') {
        true => digits.trim_end_matches('0').trim_end_matches('.'),
        false => digits,
    };
    digits.replace('-', "−")
}

/// A number with all its digits.
fn number(value: f64) -> String {
    if (1e-3..1e7).contains(&value) {
        return value.to_string();
    }
    let digits = format!("{value:e}");
    let (mantissa, exponent) = digits.split_once('e').unwrap_or((&digits, "0"));
    format!("{mantissa}×10{}", superscript(exponent.parse().unwrap_or(0)))
}

/// A number of one digit on a logarithmic axis.
fn label(decade: i32, part: f64) -> String {
    match (part == 1.0, (-3..4).contains(&decade)) {
        (_, true) => plain(&format!("{:.3}", part * power_of_ten(decade))),
        (true, false) => format!("10{}", superscript(decade)),
        (false, false) => format!("{part}×10{}", superscript(decade)),
    }
}

fn superscript(exponent: i32) -> String {
    let raised = |character| match character {
        '-' => '⁻',
        digit => ['⁰', '¹', '²', '³', '⁴', '⁵', '⁶', '⁷', '⁸', '⁹']
            [digit.to_digit(10).unwrap_or(0) as usize],
    };
    exponent.to_string().chars().map(raised).collect()
}
