//! The scalar of kernels: elementary functions of dual numbers against those of `num-dual` and against
//! what mathematics says of them, and rotations over dual numbers.

use cardan::math::{Chart, Quaternion, Scalar, exponential};
use cardan::model::Function;
use nalgebra::{Matrix3, Vector3};
use num_dual::{Dual2_64, Dual2SVec64, Dual64, DualNum, DualSVec64};

/// Value, first and second derivative.
fn jet(x: Dual2_64) -> [f64; 3] {
    [x.re, x.v1, x.v2]
}

#[track_caller]
fn assert_near(found: [f64; 3], wanted: [f64; 3]) {
    for (x, y) in found.iter().zip(&wanted) {
        assert!((x - y).abs() <= 1e-14 * (1.0 + y.abs()), "{found:?}, not {wanted:?}");
    }
}

#[test]
fn functions_have_the_derivatives_of_num_dual() {
    type Of = fn(Dual2_64) -> Dual2_64;
    let functions: [(Of, Of); 13] = [
        (|x| Scalar::sqrt(x), |x| DualNum::sqrt(&x)),
        (|x| Scalar::sin(x), |x| DualNum::sin(&x)),
        (|x| Scalar::cos(x), |x| DualNum::cos(&x)),
        (|x| Scalar::sin_cos(x).0, |x| DualNum::sin(&x)),
        (|x| Scalar::tan(x), |x| DualNum::tan(&x)),
        (|x| Scalar::asin(x), |x| DualNum::asin(&x)),
        (|x| Scalar::acos(x), |x| DualNum::acos(&x)),
        (|x| Scalar::exp(x), |x| DualNum::exp(&x)),
        (|x| Scalar::ln(x), |x| DualNum::ln(&x)),
        (|x| Scalar::tanh(x), |x| DualNum::tanh(&x)),
        (|x| Scalar::powi(x, -3), |x| DualNum::powi(&x, -3)),
        (|x| Scalar::powf(x, 2.5), |x| DualNum::powf(&x, 2.5)),
        (|x| Scalar::atan2(x, x * x - 0.5), |x| DualNum::atan2(&x, x * x - 0.5)),
    ];
    for x in [0.1, 0.3, 0.62, 0.9] {
        let x = Dual2_64::new(x, 0.7, -0.4);
        for (ours, theirs) in functions {
            assert_near(jet(ours(x)), jet(theirs(x)));
        }
    }
}

/// sinh and cosh overflow beyond 710, their quotient does not.
#[test]
fn tanh_of_large_numbers_is_finite() {
    let far = Function::of(|t| (t * 1e4).tanh());
    assert_eq!(far.at(1.0), [1.0, 0.0, 0.0]);
    assert_eq!(far.at(-1.0), [-1.0, 0.0, 0.0]);
    assert_eq!(Scalar::tanh(Dual64::new(1e6, 3.0)), Dual64::new(1.0, 0.0));
    assert!(DualNum::tanh(&Dual64::new(1e6, 3.0)).re.is_nan());
}

/// Vectors of derivatives follow the same chain rule as single ones.
#[test]
fn derivatives_by_several_variables_are_those_by_one() {
    let (x, y) = (0.8, -0.3);
    let f = |x: Dual2_64, y: Dual2_64| x.atan2(y) * x.sin();
    let all = {
        let (x, y) =
            (Dual2SVec64::<2>::from_re(x).derivative(0), Dual2SVec64::from_re(y).derivative(1));
        x.atan2(y) * Scalar::sin(x)
    };
    let slope = all.v1.unwrap_generic(nalgebra::U1, nalgebra::U2);
    let bend = all.v2.unwrap_generic(nalgebra::U2, nalgebra::U2);
    for (a, b) in [(1.0, 0.0), (0.0, 1.0), (0.6, -0.8)] {
        let [_, first, second] = jet(f(Dual2_64::new(x, a, 0.0), Dual2_64::new(y, b, 0.0)));
        let wanted = a * a * bend[(0, 0)] + 2.0 * a * b * bend[(0, 1)] + b * b * bend[(1, 1)];
        assert!((first - (a * slope[0] + b * slope[1])).abs() < 1e-14);
        assert!((second - wanted).abs() < 1e-14);
    }
    let first = {
        let (x, y) =
            (DualSVec64::<2>::from_re(x).derivative(0), DualSVec64::from_re(y).derivative(1));
        x.atan2(y) * Scalar::sin(x)
    };
    let first = first.eps.unwrap_generic(nalgebra::U2, nalgebra::U1);
    assert!((first - slope.transpose()).norm() < 1e-15);
}

/// A derivative that is not known is not a number, but only where it is needed.
#[test]
fn unknown_derivatives_are_not_numbers() {
    let f = |x: f64| [x * x, 2.0 * x, f64::NAN];
    assert_eq!(Scalar::lift(Dual64::new(3.0, 1.0), f), Dual64::new(9.0, 6.0));
    assert!(Scalar::lift(Dual2_64::new(3.0, 1.0, 0.0), f).v2.is_nan());
    assert_eq!(jet(Scalar::lift(Dual2_64::constant(3.0), f)), [9.0, 0.0, 0.0]);
}

/// g ↦ R ↦ g over dual numbers is the identity with its derivative, at no, small and large rotations, in
/// every branch of the way back; and Ω = T(g) ġ.
#[test]
fn rotations_have_exact_derivatives() {
    let direction = Vector3::new(0.6, -0.48, 0.64);
    let rate = Vector3::new(-0.3, 0.7, 0.2);
    for chart in [Chart::Exponential, Chart::Cayley] {
        for size in [0.0, 1e-9, 1e-3, 0.1, 0.2, 1.0, 2.5, 3.1] {
            for axis in [direction, direction.yzx(), direction.zxy(), Vector3::x()] {
                // below π for both charts
                let length = if chart == Chart::Cayley { 2.0 * f64::tan(0.5 * size) } else { size };
                let g: Vector3<f64> = length * axis;
                let dual = g.zip_map(&rate, Dual64::new);
                let turned: Quaternion<Dual64> = chart.retract(&dual);
                let back = chart.of_matrix(&turned.to_matrix());
                let scale = 1.0 + length * length;
                let value = (back.map(|x| x.re) - g).norm();
                let slope = (back.map(|x| x.eps) - rate).norm();
                assert!(value < 1e-13 * scale, "{chart:?} {size}: {value}");
                assert!(slope < 1e-12 * scale, "{chart:?} {size}: {slope}");
                let matrix = turned.to_matrix();
                let spin: Matrix3<f64> = matrix.map(|x| x.re).tr_mul(&matrix.map(|x| x.eps));
                let spin = Vector3::new(spin[(2, 1)], spin[(0, 2)], spin[(1, 0)]);
                assert!((spin - chart.tangent(&g) * rate).norm() < 1e-13 * scale);
            }
        }
    }
    // at exactly no rotation ġ = Ω = 2 q̇
    let still = Quaternion::new(1.0, 0.0, 0.0, 0.0);
    let slow = Quaternion {
        scalar: Dual64::constant(still.scalar),
        vector: still.vector.zip_map(&(0.5 * rate), Dual64::new),
    };
    assert_eq!(exponential::inverse(slow).map(|x| x.eps), rate);
}
