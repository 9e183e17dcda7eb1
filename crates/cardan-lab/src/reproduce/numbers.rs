//! Printed numbers as text: how papers print them, how many digits they have, how pages show ours.

/// A printed number as programs write it: papers print the minus sign U+2212.
pub fn plain(printed: &str) -> String {
    printed.trim().replace('−', "-")
}

/// The number of significant digits of a text.
pub fn significant(text: &str) -> usize {
    let mantissa = text.split(['e', 'E']).next().unwrap_or(text);
    let digits = mantissa.trim_start_matches(['-', '+', '0', '.']);
    digits.chars().filter(char::is_ascii_digit).count()
}

/// A number as tables show it.
pub fn short(x: f64) -> String {
    match x.abs() {
        _ if x.is_nan() => "none".into(),
        _ if x.is_infinite() => if x > 0.0 { "∞" } else { "−∞" }.into(),
        0.0 => "0".into(),
        size if size == size.round() && size < 1e6 => format!("{x}"),
        size if (0.01..1e5).contains(&size) => {
            let decimals = (5 - size.log10().floor() as i32 - 1).clamp(0, 6) as usize;
            let text = format!("{x:.decimals$}");
            match text.contains('.') {
                true => text.trim_end_matches('0').trim_end_matches('.').to_string(),
                false => text,
            }
        }
        _ => format!("{x:.4e}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_short() {
        assert_eq!(short(0.012_345_678), "0.012346");
        assert_eq!(short(2500.0), "2500");
        assert_eq!(short(-1.5e-7), "-1.5000e-7");
        assert_eq!(short(f64::NAN), "none");
        assert_eq!(short(2.345_678), "2.3457");
    }
}
