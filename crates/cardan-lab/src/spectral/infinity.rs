//! The spectral radius for infinitely fast oscillations, where roots coincide.
//!
//! As ωh → ∞ the r roots of an r-step method come together: near the limit they lie on a circle whose radius is
//! (ωh)^(−1/r), and round-off ε spreads an m-fold root by ε^(1/m). No single root of a matrix is the limit, then; but
//! the coefficients of its characteristic polynomial reach theirs as (ωh)^(−2). The limit is therefore taken from the
//! coefficients, as the polynomial with the fewest different roots that has them to round-off.

use nalgebra::{Complex, DMatrix, DVector};

use cardan::linalg::roots;
use cardan::methods::{Method, MethodInfo};
use cardan::simulation::SimulationError;
use cardan::stability::{Oscillator, amplification_matrix};

type Root = Complex<f64>;

/// ωh taken as infinite: its square is the inverse of round-off.
const INFINITE: f64 = 1e8;
/// ωh at which roots that are zero at every frequency are counted; no other root vanishes at all of them.
const ORDINARY: [f64; 3] = [0.3, 1.0, 2.7];
/// Coefficients of the polynomial below this are zero, as a part of the largest one.
const ZERO: f64 = 1e-12;
/// Two polynomials are the same if their coefficients differ by less than this part of the largest one: some hundred
/// operations of round-off.
const SAME: f64 = 1e-13;
/// A radius that grows by this factor from ωh = 1e6 to 1e8 grows without bound.
const GROWTH: f64 = 2.0;
/// Corrections of different roots to the coefficients; each squares the error.
const CORRECTIONS: usize = 20;

/// The spectral radius in the limit ωh → ∞, undamped; infinite if it has no bound, NaN if it cannot be computed.
pub fn radius_at_infinity(info: &MethodInfo, method: &dyn Method) -> Result<f64, SimulationError> {
    let roots_at = |frequency: f64| -> Result<Option<Vec<Root>>, SimulationError> {
        let oscillator = Oscillator { frequency, damping: 0.0 };
        match amplification_matrix(&oscillator, info, method) {
            Ok(matrix) => Ok(Some(roots(&matrix)).filter(|roots| !roots.is_empty())),
            Err(SimulationError::Step { .. }) => Ok(None),
            Err(error) => Err(error),
        }
    };
    let radius = |roots: &[Root]| roots.first().map_or(f64::NAN, |root| root.norm());
    let (Some(near), Some(far)) = (roots_at(0.01 * INFINITE)?, roots_at(INFINITE)?) else {
        return Ok(f64::NAN);
    };
    if radius(&far) > GROWTH * radius(&near).max(1.0) {
        return Ok(f64::INFINITY);
    }
    let mut idle = far.len();
    for frequency in ORDINARY {
        if let Some(roots) = roots_at(frequency)? {
            idle = idle.min(vanishing(&polynomial(&roots)));
        }
    }
    // what is zero at every frequency is zero here: its coefficients hold round-off only
    let mut limit = polynomial(&far);
    limit.truncate(far.len() + 1 - idle);
    Ok(different_roots(&limit).iter().fold(0.0, |most, root| root.norm().max(most)))
}

/// The coefficients of Π(z − zₖ), the highest power first; roots are real or in pairs.
fn polynomial(roots: &[Root]) -> Vec<f64> {
    let mut coefficients = vec![Root::from(1.0)];
    roots.iter().for_each(|root| multiply(&mut coefficients, *root));
    coefficients.iter().map(|x| x.re).collect()
}

/// Multiplies a polynomial by z − root.
fn multiply(coefficients: &mut Vec<Root>, root: Root) {
    coefficients.push(Root::from(0.0));
    for k in (1..coefficients.len()).rev() {
        let before = coefficients[k - 1];
        coefficients[k] -= root * before;
    }
}

/// How many roots are zero.
fn vanishing(coefficients: &[f64]) -> usize {
    let bound = ZERO * largest(coefficients);
    coefficients.iter().rev().take_while(|x| x.abs() <= bound).count()
}

fn largest(coefficients: &[f64]) -> f64 {
    coefficients.iter().fold(0.0, |most, x| x.abs().max(most))
}

/// The roots of a polynomial, each multiple one once: of all ways to let neighbours coincide the one with the fewest
/// different roots that has the coefficients.
fn different_roots(coefficients: &[f64]) -> Vec<Root> {
    let degree = coefficients.len() - 1;
    // the companion matrix; balanced, its roots are those of coefficients changed by round-off
    let mut companion = DMatrix::zeros(degree, degree);
    for k in 0..degree {
        companion[(0, k)] = -coefficients[k + 1];
        if k + 1 < degree {
            companion[(k + 1, k)] = 1.0;
        }
    }
    let all = roots(&companion);
    let mut gaps: Vec<f64> = Vec::new();
    for (i, a) in all.iter().enumerate() {
        gaps.extend(all[..i].iter().map(|b| (a - b).norm()));
    }
    gaps.sort_by(|a, b| b.total_cmp(a));
    let mut count = 0;
    for gap in gaps {
        let groups = groups(&all, gap);
        if groups.len() == count {
            continue;
        }
        count = groups.len();
        if let Some(found) = fitted(coefficients, &groups) {
            return found;
        }
    }
    all
}

/// Roots that are joined by gaps of at most this size: the mean of each group, and how many there are.
fn groups(all: &[Root], gap: f64) -> Vec<(Root, usize)> {
    let mut group: Vec<usize> = (0..all.len()).collect();
    for i in 0..all.len() {
        for j in 0..i {
            if (all[i] - all[j]).norm() <= gap && group[i] != group[j] {
                let (from, to) = (group[i], group[j]);
                group.iter_mut().filter(|k| **k == from).for_each(|k| *k = to);
            }
        }
    }
    let mut found = Vec::new();
    for k in 0..all.len() {
        let members: Vec<Root> =
            group.iter().zip(all).filter(|(g, _)| **g == k).map(|(_, root)| *root).collect();
        if !members.is_empty() {
            let sum: Root = members.iter().sum();
            found.push((sum / members.len() as f64, members.len()));
        }
    }
    found
}

/// The different roots of these multiplicities that have the coefficients to round-off, if there are any: Gauss–Newton
/// from the means of the groups, which is well conditioned however often a root occurs.
fn fitted(coefficients: &[f64], groups: &[(Root, usize)]) -> Option<Vec<Root>> {
    let degree = coefficients.len() - 1;
    let bound = SAME * largest(coefficients);
    let mut found: Vec<Root> = groups.iter().map(|(root, _)| *root).collect();
    for _ in 0..CORRECTIONS {
        let product = |less: Option<usize>| {
            let mut product = vec![Root::from(1.0)];
            for (k, (_, count)) in groups.iter().enumerate() {
                let count = count - usize::from(less == Some(k));
                (0..count).for_each(|_| multiply(&mut product, found[k]));
            }
            product
        };
        let whole = product(None);
        let residual = DVector::from_fn(degree, |k, _| whole[k + 1] - coefficients[k + 1]);
        if residual.iter().all(|x| x.norm() <= bound) {
            return Some(found);
        }
        let mut slopes = DMatrix::zeros(degree, groups.len());
        for (j, (_, count)) in groups.iter().enumerate() {
            for (k, x) in product(Some(j)).iter().enumerate() {
                slopes[(k, j)] = -x * *count as f64;
            }
        }
        let change = slopes.svd(true, true).solve(&residual, 0.0).ok()?;
        if change.iter().any(|x| !x.is_finite()) {
            return None;
        }
        found.iter_mut().zip(change.iter()).for_each(|(root, change)| *root -= change);
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    fn real(roots: &[f64]) -> Vec<f64> {
        polynomial(&roots.iter().map(|x| Root::from(*x)).collect::<Vec<_>>())
    }

    /// An eightfold root beside others: ε^(1/8) is 1e-2, what is found is round-off.
    #[test]
    fn multiple_roots_are_found_to_round_off() {
        for (roots, different) in [
            (vec![-0.6; 8], 1),
            (vec![-0.03; 8], 1),
            ([vec![-0.6; 4], vec![0.5; 3], vec![0.2]].concat(), 3),
            (vec![0.7, 0.7001, -0.3], 3),
            (vec![0.0, 0.0, 0.4, 0.4], 2),
        ] {
            let found = different_roots(&real(&roots));
            assert_eq!(found.len(), different, "{roots:?}: {found:?}");
            for root in &roots {
                let near = found.iter().any(|x| (x - Root::from(*root)).norm() < 1e-9);
                assert!(near, "{root} of {roots:?}: {found:?}");
            }
        }
        // pairs of complex roots stay pairs
        let pair = Root::new(0.3, 0.4);
        let found = different_roots(&polynomial(&[pair, pair.conj(), pair, pair.conj()]));
        assert!(found.len() == 2 && found.iter().all(|x| (x.norm() - 0.5).abs() < 1e-12));
    }
}
