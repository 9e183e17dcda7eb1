//! Rotations against 60-digit references and by their identities at random.

use cardan::math::{Chart, Matrix3, Quaternion, Vector3, exponential};
use proptest::prelude::*;

const EPSILON: f64 = f64::EPSILON;

fn matrix(values: &[f64]) -> Matrix3 {
    Matrix3::from_row_slice(values)
}

/// Every function of both charts, from the smallest angle to 40 rad. The bound is round-off: a few
/// ulps of the largest entry, times the condition of the angle's reduction (ε·|d|) for large ones,
/// and times the condition |T⁻¹| (|T⁻¹|² for its derivative) where T is nearly singular.
#[test]
fn charts_agree_with_the_reference_to_round_off() {
    let text = include_str!("../data/rotations.csv");
    let mut rows = 0;
    for line in text.lines().skip(1) {
        let mut fields = line.split(',');
        let chart = match fields.next() {
            Some("exponential") => Chart::Exponential,
            _ => Chart::Cayley,
        };
        let values: Vec<f64> = fields.map(|x| x.parse().unwrap()).collect();
        let (d, x) =
            (Vector3::from_row_slice(&values[..3]), Vector3::from_row_slice(&values[3..6]));
        let part = |k: usize| matrix(&values[6 + 9 * k..15 + 9 * k]);
        let condition = 1.0 + part(2).norm() * (1.0 + d.norm());
        let check = |what: &str, found: Matrix3, exact: Matrix3, amplification: f64| {
            let error = (found - exact).norm();
            let bound = 8.0 * EPSILON * (1.0 + exact.norm() + d.norm()) * amplification;
            assert!(
                error <= bound,
                "{chart:?} {what} at |d| = {}: {error:e} > {bound:e}",
                d.norm()
            );
        };
        let size = 1.0 + x.norm();
        check("map", chart.retract(&d).to_matrix(), part(0), 1.0);
        check("tangent", chart.tangent(&d), part(1), 1.0);
        check("inverse tangent", chart.tangent_inverse(&d), part(2), condition);
        check("derivative", chart.tangent_derivative(&d, &x), part(3), size);
        let twice = condition * condition * size;
        check(
            "derivative of the inverse",
            chart.tangent_inverse_derivative(&d, &x),
            part(4),
            twice,
        );
        rows += 1;
    }
    assert_eq!(rows, 36);
}

/// Directions and lengths that cover the tiny, the ordinary and the nearly half turn.
fn rotation_vector() -> impl Strategy<Value = Vector3> {
    let length = prop_oneof![
        (-14.0..0.0).prop_map(|e| 10_f64.powf(e)),
        0.0..std::f64::consts::PI,
        (-15.0..0.0).prop_map(|e| std::f64::consts::PI - 10_f64.powf(e)),
    ];
    (prop::array::uniform3(-1.0..1.0), length).prop_filter_map("no direction", |(axis, length)| {
        let axis = Vector3::from(axis).try_normalize(1e-3)?;
        Some(length * axis)
    })
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..Default::default() })]

    #[test]
    fn the_logarithm_inverts_the_exponential(d in rotation_vector()) {
        let back = exponential::inverse(exponential::retract(&d));
        // near π the sign of the axis is arbitrary only at π itself; relative accuracy holds below
        prop_assert!((back - d).norm() <= 8.0 * EPSILON * d.norm());
    }

    #[test]
    fn spurrier_recovers_the_quaternion(d in rotation_vector()) {
        let q = exponential::retract(&d);
        let back = Quaternion::from_matrix(&q.to_matrix());
        let sign = q.scalar * back.scalar + q.vector.dot(&back.vector);
        let (scalar, vector) = (back.scalar * sign.signum(), back.vector * sign.signum());
        // each component comes from entries of size one divided by the largest component
        prop_assert!((scalar - q.scalar).abs() <= 8.0 * EPSILON);
        prop_assert!((vector - q.vector).norm() <= 8.0 * EPSILON);
        prop_assert!(back.scalar >= 0.0);
    }

    #[test]
    fn rotating_by_quaternion_and_by_matrix_agree(d in rotation_vector(), a in prop::array::uniform3(-3.0..3.0)) {
        let (q, a) = (exponential::retract(&d), Vector3::from(a));
        prop_assert!((q.rotate(&a) - q.to_matrix() * a).norm() <= 16.0 * EPSILON * a.norm());
        prop_assert!((q.rotate_back(&q.rotate(&a)) - a).norm() <= 16.0 * EPSILON * a.norm());
    }

    #[test]
    fn the_chart_of_a_product_is_its_inverse(d in rotation_vector(), chart in prop_oneof![Just(Chart::Exponential), Just(Chart::Cayley)]) {
        // a chart vector below the edge of both charts
        let g = 0.4 * d;
        let back = chart.inverse(chart.retract(&g));
        prop_assert!((back - g).norm() <= 16.0 * EPSILON * g.norm());
        let identity = chart.tangent(&g) * chart.tangent_inverse(&g);
        prop_assert!((identity - Matrix3::identity()).norm() <= 16.0 * EPSILON);
    }
}

#[test]
fn a_half_turn_has_a_logarithm() {
    for axis in [Vector3::x(), Vector3::y(), Vector3::new(0.6, 0.0, -0.8)] {
        let half = Quaternion { scalar: 0.0, vector: axis };
        assert!((exponential::inverse(half).norm() - std::f64::consts::PI).abs() < 4.0 * EPSILON);
    }
}
