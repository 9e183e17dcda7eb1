//! MSSTH(n): order n in n implicit stages, with R(∞) = ρ (Zhang, Zhang, Zanoni and Masarati 2022).
//!
//! γ follows from ρ; the abscissae c₃ … are free, and everything else follows from them by linear
//! order conditions. The printed γ of MSSTH(3) belongs to MSSTC(3), and the printed abscissae do not
//! minimize the error, contrary to the paper; both sets of abscissae are available.

use nalgebra::{DMatrix, DVector};

use super::formula::{CHART, FAMILY, PREDICTOR, RungeKutta};
use super::search::{minimize, nearest_regular_tableau, principal_error};
use super::tableau::Tableau;
use crate::methods::info::MethodInfo;
use crate::methods::parameters::{Parameter, ParameterDomain, ParameterValues, RHO};
use crate::methods::{Method, ParameterError};

/// The members.
pub(super) const MEMBERS: &[MethodInfo] = &[
    MethodInfo {
        name: "mssth3",
        title: "order 3 in three stages with tunable dissipation",
        order: 3,
        parameters: &[SMALL_RHO, CHART, PREDICTOR],
        build: |values| {
            let gamma = diagonal(3, values.get("rho"));
            let c3 = (24.0 * gamma * gamma - 20.0 * gamma + 3.0)
                / (24.0 * gamma * gamma - 24.0 * gamma + 4.0);
            Ok(RungeKutta::boxed(nearest_regular_tableau(|c| tableau(gamma, c), &[c3]), values))
        },
        ..FREE
    },
    MethodInfo {
        name: "mssth4",
        title: "order 4 in four stages with tunable dissipation",
        order: 4,
        build: |values| build(values, 4, &[], [&PRINTED_4, &NEAR_MINIMUM_4], tableau),
        ..FREE
    },
    MethodInfo {
        name: "mssth5",
        title: "order 5 in five stages with tunable dissipation",
        order: 5,
        build: |values| {
            build(values, 5, &[THIRD], [&PRINTED_5, &NEAR_MINIMUM_5], |gamma, c| {
                tableau(gamma, &[c[0], c[1], fifth(gamma, c[0])])
            })
        },
        ..FREE
    },
];

/// The fields that all members share.
const FREE: MethodInfo = MethodInfo {
    parameters: &[SMALL_RHO, ABSCISSAE, CHART, PREDICTOR],
    typical_use: "smooth motions of short duration; with rho = 0, since larger values do not make it \
               more accurate; it may gain energy with position constraints",
    source: "Zhang, Zhang, Zanoni, Masarati 2022, corrected",
    ..FAMILY
};

/// The parameter rho with default 0: dissipation does not reduce the accuracy of these methods.
const SMALL_RHO: Parameter = Parameter::number("rho", [0.0, 1.0], Some(0.0), RHO.meaning);

const ABSCISSAE: Parameter = Parameter {
    name: "abscissae",
    domain: ParameterDomain::Word(&["printed", "minimal"]),
    meaning: "the times of the stages: the paper's table, interpolated, or those with the smallest error",
};

/// c₃ of MSSTH(5).
const THIRD: f64 = 0.1;

/// Printed (c₃, c₄) of MSSTH(4), and c₄ of MSSTH(5) whose c₃ is 0.1, at ρ = 0, 0.1 … 1.
const PRINTED_4: [[f64; 2]; 11] = [
    [0.559_098_575_422_941_7, 0.741_401_166_483_365_4],
    [0.600_293_888_869_832_4, 0.758_412_987_578_037_2],
    [0.638_522_814_489_160_6, 0.773_143_665_960_461_2],
    [0.675_245_407_133_180_8, 0.786_031_206_412_273_8],
    [0.711_662_631_353_558_2, 0.797_251_481_920_314_4],
    [0.748_937_390_131_685_8, 0.806_714_074_742_704_2],
    [0.788_437_011_521_003_6, 0.813_966_252_941_913_5],
    [0.832_149_595_996_830_9, 0.817_930_103_200_671_5],
    [0.883_658_503_941_908_6, 0.816_247_894_650_024_2],
    [0.950_883_313_534_322_7, 0.803_629_535_256_883_1],
    [1.053_480_341_170_286_7, 0.768_930_536_261_705_3],
];
const PRINTED_5: [[f64; 1]; 11] = [
    [0.967_325_860_557_169_6],
    [0.908_550_018_486_517_4],
    [0.851_091_267_408_879_6],
    [0.795_178_041_970_929_7],
    [0.740_968_986_472_138_6],
    [0.688_560_978_704_085_1],
    [0.637_997_279_056_072_3],
    [0.589_275_678_380_468_6],
    [0.542_356_220_959_614_8],
    [0.497_168_341_419_910_5],
    [0.453_617_257_668_755_5],
];

/// Starting values of the search for the minimizers.
const NEAR_MINIMUM_4: [[f64; 2]; 11] = [
    [0.4863, 0.7431],
    [0.5170, 0.7608],
    [0.5438, 0.7768],
    [0.5678, 0.7917],
    [0.5897, 0.8060],
    [0.6097, 0.8200],
    [0.6282, 0.8343],
    [0.6450, 0.8493],
    [0.6597, 0.8659],
    [0.6706, 0.8857],
    [0.6738, 0.9129],
];
const NEAR_MINIMUM_5: [[f64; 1]; 11] = [
    [0.7101],
    [0.7065],
    [0.7030],
    [0.6996],
    [0.6962],
    [0.6928],
    [0.6895],
    [0.6863],
    [0.6831],
    [0.6799],
    [0.6768],
];

/// The method with its printed abscissae, or those that minimize the error; `fixed` ones come first.
fn build<const N: usize>(
    values: &ParameterValues,
    order: usize,
    fixed: &[f64],
    [printed, near_minimum]: [&[[f64; N]; 11]; 2],
    tableau: impl Fn(f64, &[f64]) -> Tableau,
) -> Result<Box<dyn Method>, ParameterError> {
    let rho = values.get("rho");
    let gamma = diagonal(order, rho);
    let with_fixed = |free: &[f64]| [fixed, free].concat();
    let free = match values.word("abscissae") {
        "minimal" => {
            let error = |free: &[f64]| principal_error(&tableau(gamma, &with_fixed(free)), order);
            minimize(error, interpolate(near_minimum, rho))
        }
        _ => interpolate(printed, rho),
    };
    Ok(RungeKutta::boxed(
        nearest_regular_tableau(|c| tableau(gamma, c), &with_fixed(&free)),
        values,
    ))
}

/// The root γ of Σ (−γ)ᵏ C(n, k)/(n − k)! = s ρ γⁿ, followed from its value at ρ = 0 by Newton.
fn diagonal(n: usize, rho: f64) -> f64 {
    let (start, sign) = match n {
        3 => (0.435_866_521_508_459, -1.0),
        4 => (0.572_816_062_482_134_9, 1.0),
        _ => (0.278_053_841_136_452_3, 1.0),
    };
    let mut coefficients = vec![0.0; n + 1];
    let (mut binomial, mut power) = (1.0, 1.0);
    for (k, coefficient) in coefficients.iter_mut().enumerate() {
        let factorial: f64 = (1..=n - k).map(|i| i as f64).product();
        *coefficient = power * binomial / factorial;
        binomial *= (n - k) as f64 / (k + 1) as f64;
        power = -power;
    }
    let mut gamma: f64 = start;
    const PATH: usize = 20;
    for step in 1..=PATH {
        let target = sign * rho * step as f64 / PATH as f64;
        for _ in 0..8 {
            let (mut value, mut slope) = (0.0, 0.0);
            for (k, coefficient) in coefficients.iter().enumerate().rev() {
                slope = slope * gamma + value;
                let coefficient = if k == n { coefficient - target } else { *coefficient };
                value = value * gamma + coefficient;
            }
            gamma -= value / slope;
        }
    }
    gamma
}

/// The method with stages at 2γ, `free` and 1: stage order two, order as many as the implicit stages.
fn tableau(gamma: f64, free: &[f64]) -> Tableau {
    let n = free.len() + 2;
    let mut c = vec![0.0, 2.0 * gamma];
    c.extend_from_slice(free);
    // Σ b cᵏ = 1/(k + 1), where the last weight is γ at c = 1
    let moments: Vec<f64> = (0..n).map(|k| 1.0 / (k + 1) as f64 - gamma).collect();
    let mut b = match_moments(&c, &moments);
    let mut rows: Vec<Vec<f64>> = vec![vec![gamma, gamma]];
    // Σ aᵢⱼ cⱼ² and Σ aᵢⱼ cⱼ³ of each row
    let mut squares = vec![0.0, gamma * c[1].powi(2)];
    let mut cubes = vec![0.0, gamma * c[1].powi(3)];
    for i in 2..n {
        // the right-hand sides that remain for this row and the later ones
        let left = |total: f64, of: &[f64], power: i32| -> f64 {
            total - (1..i).map(|j| b[j] * c[j].powi(power) * of[j]).sum::<f64>()
        };
        let mut moments = vec![c[i] - gamma, 0.5 * c[i] * c[i] - gamma * c[i]];
        if i > 2 {
            // Σ b a c² = 1/12 and, with two rows to go, Σ b c a c² = 1/15
            let (plain, weighted) = (1.0 / 12.0 - gamma / 3.0, 1.0 / 15.0 - gamma / 3.0);
            let square = match c.get(i + 1) {
                None => left(plain, &squares, 0) / b[i],
                Some(next) => {
                    let difference = left(weighted, &squares, 1) - next * left(plain, &squares, 0);
                    difference / (b[i] * (c[i] - next))
                }
            };
            moments.push(square - gamma * c[i].powi(2));
        }
        if i > 3 {
            // Σ b a c³ = 1/20
            let cube = left(1.0 / 20.0 - gamma / 4.0, &cubes, 0) / b[i];
            moments.push(cube - gamma * c[i].powi(3));
        }
        let mut row = match_moments(&c[..i], &moments);
        row.push(gamma);
        let moment = |power: i32| (0..=i).map(|j| row[j] * c[j].powi(power)).sum();
        squares.push(moment(2));
        cubes.push(moment(3));
        rows.push(row);
    }
    b.push(gamma);
    rows.push(b);
    Tableau::new(rows, n as u32)
}

/// c₅ of MSSTH(5), for which also Σ b a a c² = 1/60.
fn fifth(g: f64, c3: f64) -> f64 {
    let polynomial = |terms: [f64; 6]| terms.iter().rev().fold(0.0, |sum, term| sum * g + term);
    let above =
        [c3, -18.0 * c3 - 4.0, 120.0 * c3 + 64.0, -336.0 * c3 - 368.0, 360.0 * c3 + 848.0, -720.0];
    let below =
        [c3, -16.0 * c3 - 4.0, 96.0 * c3 + 56.0, -240.0 * c3 - 288.0, 240.0 * c3 + 600.0, -480.0];
    polynomial(above) / polynomial(below)
}

/// The weights w with Σ wⱼ cⱼᵏ given for k = 0, 1 …
fn match_moments(c: &[f64], moments: &[f64]) -> Vec<f64> {
    let matrix = DMatrix::from_fn(moments.len(), c.len(), |k, j| c[j].powi(k as i32));
    let right = DVector::from_column_slice(moments);
    let solved = matrix.lu().solve(&right);
    solved.map_or_else(|| vec![f64::NAN; c.len()], |weights| weights.as_slice().to_vec())
}

/// Linear interpolation between the values at ρ = 0, 0.1 … 1.
fn interpolate<const N: usize>(table: &[[f64; N]; 11], rho: f64) -> [f64; N] {
    let at = (10.0 * rho).clamp(0.0, 10.0);
    let k = (at as usize).min(9);
    let share = at - k as f64;
    std::array::from_fn(|i| table[k][i] + share * (table[k + 1][i] - table[k][i]))
}
