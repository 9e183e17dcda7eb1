//! Fewer bytes on a page: numbers without digits that nobody sees, and motions with fewer frames.

use std::borrow::Cow;
use std::io::Write;

use cardan::model::NODE_WIDTH;
use cardan::run::MotionRecord;
use flate2::Compression;
use flate2::write::GzEncoder;

/// Positions are multiples of a length between half of this and this part of the model's size, and components of quaternions
/// of this number.
const GRID: f64 = 1.0 / (1 << 21) as f64;
/// Significant bits of forces, strains and displacements.
const VALUE_BITS: u32 = 14;
/// Significant bits of channels for plots.
pub(super) const CHANNEL_BITS: u32 = 17;
/// The compressed bytes of a motion on a page, at most.
const MAX_MOTION: usize = 600_000;
/// The coarsest motion on a page, as a multiple of the accuracy of the record.
const MAX_FACTOR: f64 = 256.0;

/// A motion with so many frames that it fits on a page.
pub(super) fn bounded(motion: &MotionRecord, size: f64) -> Cow<'_, MotionRecord> {
    let mut thin = Cow::Borrowed(motion);
    let mut factor = 1.0;
    while packed_size(&thin, size) > MAX_MOTION && factor <= MAX_FACTOR {
        thin = Cow::Owned(motion.thinned(factor));
        factor *= 2.0;
    }
    thin
}

fn packed_size(motion: &MotionRecord, size: f64) -> usize {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::fast());
    let rows =
        rounded_rows(motion.columns(0..motion.width()), motion.width(), motion.nodes(), size);
    let bytes: Vec<u8> = rows.into_iter().flat_map(f32::to_le_bytes).collect();
    let packed = encoder.write_all(&bytes).and_then(|()| encoder.finish());
    packed.map_or(bytes.len(), |packed| packed.len())
}

/// Rows with frames of nodes and values, without digits beyond the accuracy of a picture.
pub(super) fn rounded_rows(mut rows: Vec<f32>, width: usize, nodes: usize, size: f64) -> Vec<f32> {
    let length = (GRID * size).log2().floor().exp2();
    let moving = NODE_WIDTH * nodes;
    for row in rows.chunks_exact_mut(width.max(1)) {
        for (k, x) in row.iter_mut().enumerate() {
            *x = match (k < moving, k % NODE_WIDTH < 3) {
                (true, true) => to_grid(*x, length),
                (true, false) => to_grid(*x, GRID),
                (false, _) => to_bits(*x, VALUE_BITS),
            };
        }
    }
    rows
}

fn to_grid(x: f32, step: f64) -> f32 {
    let rounded = ((f64::from(x) / step).round() * step) as f32;
    if rounded.is_finite() { rounded } else { x }
}

/// A number with some significant bits.
pub(super) fn to_bits(x: f32, bits: u32) -> f32 {
    let dropped = f32::MANTISSA_DIGITS - bits;
    let half = 1 << (dropped - 1);
    let rounded = f32::from_bits(x.to_bits().wrapping_add(half) >> dropped << dropped);
    if x.is_finite() && rounded.is_finite() { rounded } else { x }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rounded_numbers_are_near() {
        for x in [0.0, 1.0, -1.2345678, 3e-39, 1e-45, f32::MAX, -6.6e30] {
            let error = (to_bits(x, 14) - x).abs();
            assert!(error <= x.abs() / (1 << 14) as f32 + 1e-41, "{x}");
            assert!((to_grid(x, GRID) - x).abs() <= 0.5 * GRID as f32 + 1e-7 * x.abs(), "{x}");
        }
        assert!(to_bits(f32::NAN, 14).is_nan());
        assert_eq!(to_bits(f32::INFINITY, 14), f32::INFINITY);
    }
}
