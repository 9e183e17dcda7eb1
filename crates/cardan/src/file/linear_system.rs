//! Reads the matrices A, B, C, D of a linear system from files as `cardan linearize` writes them.

/// A matrix as a list of rows.
type Rows = Vec<Vec<f64>>;

const NAMES: [&str; 4] = ["A", "B", "C", "D"];

/// Reads a MAT file (level 4) or a JSON object.
pub(super) fn read(bytes: &[u8]) -> Result<[Rows; 4], String> {
    let first = bytes.iter().find(|byte| !byte.is_ascii_whitespace());
    match first {
        Some(b'{') => from_json(bytes),
        _ => from_mat(bytes),
    }
}

fn from_json(bytes: &[u8]) -> Result<[Rows; 4], String> {
    let value: serde_json::Value =
        serde_json::from_slice(bytes).map_err(|error| format!("not a JSON file: {error}"))?;
    let matrix = |name: &str| -> Result<Rows, String> {
        let rows = value.get(name).ok_or_else(|| format!("the matrix {name} is missing"))?;
        serde_json::from_value(rows.clone())
            .map_err(|_| format!("{name} is not a list of rows of numbers"))
    };
    Ok([matrix("A")?, matrix("B")?, matrix("C")?, matrix("D")?])
}

fn from_mat(bytes: &[u8]) -> Result<[Rows; 4], String> {
    let mut found: [Option<Rows>; 4] = Default::default();
    let mut rest = bytes;
    let short = || "not a MAT file of level 4, or cut off".to_string();
    while !rest.is_empty() {
        let header: [u32; 5] = std::array::from_fn(|k| {
            let bytes = rest.get(4 * k..4 * k + 4).and_then(|x| x.try_into().ok());
            bytes.map_or(u32::MAX, u32::from_le_bytes)
        });
        let [kind, rows, columns, imaginary, name_length] = header.map(|x| x as usize);
        // little-endian doubles, full or text
        if !matches!(kind, 0 | 1) || imaginary != 0 || name_length == 0 || name_length > 64 {
            return Err(short());
        }
        let name = rest.get(20..20 + name_length).ok_or_else(short)?;
        let name = String::from_utf8_lossy(&name[..name_length - 1]).into_owned();
        let size = rows.checked_mul(columns).and_then(|n| n.checked_mul(8)).ok_or_else(short)?;
        let start = 20 + name_length;
        let end = start.checked_add(size).ok_or_else(short)?;
        let data = rest.get(start..end).ok_or_else(short)?;
        if let Some(k) = NAMES.iter().position(|known| *known == name) {
            let entry = |i: usize, j: usize| {
                let at = 8 * (j * rows + i);
                data[at..at + 8].try_into().map_or(f64::NAN, f64::from_le_bytes)
            };
            let row = |i: usize| (0..columns).map(|j| entry(i, j)).collect();
            found[k] = Some((0..rows).map(row).collect());
        }
        rest = &rest[end..];
    }
    let [a, b, c, d] = found;
    let all = [a, b, c, d].into_iter().zip(NAMES);
    let mut matrices = Vec::new();
    for (matrix, name) in all {
        matrices.push(matrix.ok_or_else(|| format!("the matrix {name} is missing"))?);
    }
    matrices.try_into().map_err(|_| short())
}
