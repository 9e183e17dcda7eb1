//! Numbers in JSON: little-endian bytes, compressed by gzip, as base64.

use std::io::Write;

use flate2::Compression;
use flate2::write::GzEncoder;
use serde_json::{Value, json};

/// Numbers in single precision.
pub(super) fn singles(shape: &[usize], values: impl Iterator<Item = f32>) -> Value {
    blob("f32", shape, values.flat_map(f32::to_le_bytes).collect())
}

/// Numbers in double precision.
pub(super) fn doubles(shape: &[usize], values: impl Iterator<Item = f64>) -> Value {
    blob("f64", shape, values.flat_map(f64::to_le_bytes).collect())
}

fn blob(dtype: &str, shape: &[usize], bytes: Vec<u8>) -> Value {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::best());
    let packed = encoder.write_all(&bytes).and_then(|()| encoder.finish());
    match packed {
        Ok(packed) if packed.len() < bytes.len() => {
            json!({ "dtype": dtype, "shape": shape, "encoding": "gzip", "data": base64(&packed) })
        }
        _ => json!({ "dtype": dtype, "shape": shape, "data": base64(&bytes) }),
    }
}

/// Base64 of RFC 4648 with padding.
fn base64(bytes: &[u8]) -> String {
    const DIGITS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut text = String::with_capacity(bytes.len().div_ceil(3) * 4);
    for chunk in bytes.chunks(3) {
        let byte = |k: usize| u32::from(chunk.get(k).copied().unwrap_or(0));
        let word = byte(0) << 16 | byte(1) << 8 | byte(2);
        for k in 0..4 {
            let digit = DIGITS[(word >> (18 - 6 * k)) as usize & 63];
            text.push(if k <= chunk.len() { char::from(digit) } else { '=' });
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::base64;

    /// The test vectors of RFC 4648, section 10.
    #[test]
    fn base64_of_the_standard() {
        let expected = ["", "Zg==", "Zm8=", "Zm9v", "Zm9vYg==", "Zm9vYmE=", "Zm9vYmFy"];
        for (k, text) in expected.into_iter().enumerate() {
            assert_eq!(base64(&b"foobar"[..k]), text);
        }
    }
}
