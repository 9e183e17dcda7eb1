//! What is measured between bodies, against dual numbers, and by what mechanics demands of them.

use cardan::math::{Matrix3, Scalar, Vector3, exponential, hat};
use cardan::model::{Frame, Measure, PairVelocity, RollingDisc};
use num_dual::Dual64;
use proptest::prelude::*;

fn vector() -> impl Strategy<Value = Vector3> {
    prop::array::uniform3(-1.0..1.0).prop_map(Vector3::from)
}

fn frame() -> impl Strategy<Value = Frame<f64>> {
    (vector(), vector()).prop_map(|(position, turn)| Frame {
        position: 2.0 * position,
        rotation: exponential::retract(&(2.5 * turn)).to_matrix(),
    })
}

fn measure() -> impl Strategy<Value = Measure> {
    let points = || (vector(), vector()).prop_map(|(a, b)| [a, b]);
    prop_oneof![
        (vector(), points()).prop_map(|(direction, points)| Measure::Gap { direction, points }),
        (vector(), vector()).prop_map(|(a, b)| Measure::Dot { a, b }),
        (vector(), points()).prop_map(|(a, points)| Measure::Project { a, points }),
        points().prop_map(|points| Measure::Distance { points }),
        (vector(), vector()).prop_map(|(turn, b)| Measure::Angle { axes: pair(&turn), b }),
        (vector(), vector(), 0..3usize).prop_map(|(one, two, component)| {
            let axes = [one, two].map(|turn| exponential::retract(&turn).to_matrix());
            Measure::Turn { axes, component }
        }),
        (vector(), vector(), vector(), 0.1..1.0, 0..2usize).prop_map(
            |(turn, centre, axis, radius, k)| {
                let [normal, along] = pair(&turn);
                let disc = RollingDisc { centre, axis: axis.normalize(), radius };
                Measure::Contact { disc, normal, direction: [normal, along][k] }
            }
        ),
        (vector(), vector()).prop_map(|(across, point)| Measure::Skate { across, point }),
    ]
}

/// Two orthonormal vectors.
fn pair(turn: &Vector3) -> [Vector3; 2] {
    let rotation = exponential::retract(&(2.0 * turn)).to_matrix();
    [rotation.column(0).into(), rotation.column(1).into()]
}

/// What derivatives are divided by: nothing, or a length or sine that must not vanish.
fn margin(measure: &Measure, one: &Frame<f64>, two: &Frame<f64>) -> f64 {
    match measure {
        Measure::Distance { .. } => measure.value(one, two),
        Measure::Angle { axes, b } => {
            let b = two.rotation * b;
            axes.map(|e| (one.rotation * e).dot(&b)).into_iter().map(|x| x * x).sum::<f64>().sqrt()
        }
        // half a turn has no rotation vector
        Measure::Turn { axes: [c1, c2], .. } => {
            let relative = (one.rotation * c1).tr_mul(&(two.rotation * c2));
            (relative.trace() + 1.0).max(0.0).sqrt()
        }
        Measure::Contact { disc, normal, .. } => (two.rotation * disc.axis).cross(normal).norm(),
        _ => 1.0,
    }
}

/// Whether turning all bodies together leaves it alone; a gap and a plane are fixed in space.
fn turns_along(measure: &Measure) -> bool {
    !matches!(measure, Measure::Gap { .. } | Measure::Contact { .. } | Measure::Skate { .. })
}

fn motion() -> impl Strategy<Value = PairVelocity<f64>> {
    [vector(), vector(), vector(), vector()]
}

/// A frame moved by ε times a velocity: x + ε ẋ, R (I + ε Ω̂), exact to first order in ε.
fn moved(frame: &Frame<f64>, velocity: &Vector3, omega: &Vector3) -> Frame<Dual64> {
    let dual = |x: f64, dx: f64| Dual64::new(x, dx);
    let turning: Matrix3 = frame.rotation * hat(omega);
    Frame {
        position: frame.position.zip_map(velocity, dual),
        rotation: frame.rotation.zip_map(&turning, dual),
    }
}

fn dot<T: Scalar>(a: &PairVelocity<T>, b: &PairVelocity<T>) -> T {
    a.iter().zip(b).map(|(x, y)| x.dot(y)).fold(T::zero(), |s, x| s + x)
}

/// Values here are of size ten at most and each derivative a few dozen operations; a distance may be
/// small, and its curvature is divided by it.
const ROUND_OFF: f64 = 1e-13;

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..Default::default() })]

    #[test]
    fn derivatives_agree_with_dual_numbers(
        measure in measure(), one in frame(), two in frame(), v in motion(), w in motion(),
    ) {
        let near = margin(&measure, &one, &two);
        prop_assume!(near > 0.1);
        let (one_v, two_v) = (moved(&one, &v[0], &v[1]), moved(&two, &v[2], &v[3]));
        // G v is the derivative of Φ along v
        let dual = measure.cast::<Dual64>();
        let rate = dual.value(&one_v, &two_v).eps;
        let along = dot(&measure.gradient(&one, &two), &v);
        prop_assert!(!measure.is_holonomic() || (rate - along).abs() < ROUND_OFF / near);
        // K w along v is the derivative of the gradient along v, tested against w
        let turned = dual.gradient(&one_v, &two_v).map(|g| g.map(|x| x.eps));
        let mut curvature = 0.0;
        measure.curvature(&one, &two, |i, j, block| curvature += w[i].dot(&(block * v[j])));
        prop_assert!((dot(&turned, &w) - curvature).abs() < ROUND_OFF / (near * near));
        // and with w = v this is the acceleration
        let along = dot(&turned, &v);
        prop_assert!((along - measure.acceleration(&one, &two, &v)).abs() < ROUND_OFF / (near * near));
        let gradient = measure.rate_gradient(&one, &two, &v);
        prop_assert!((dot(&gradient, &v) - along).abs() < ROUND_OFF / (near * near));
    }

    /// K − Kᵀ = blockdiag(0, [G_θ₁], 0, [G_θ₂]): the turning of the axes, nothing else.
    #[test]
    fn curvature_is_symmetric_but_for_turning(measure in measure(), one in frame(), two in frame()) {
        prop_assume!(margin(&measure, &one, &two) > 0.1 && measure.is_holonomic());
        let mut blocks = [[Matrix3::zeros(); 4]; 4];
        measure.curvature(&one, &two, |i, j, block| blocks[i][j] += block);
        let gradient = measure.gradient(&one, &two);
        for i in 0..4 {
            for j in 0..4 {
                let turning = if i == j && i % 2 == 1 { hat(&gradient[i]) } else { Matrix3::zeros() };
                let skew = blocks[i][j] - blocks[j][i].transpose() - turning;
                prop_assert!(skew.amax() < 1e-12, "{i} {j}: {skew}");
            }
        }
    }

    /// Moved together, two bodies feel nothing; and the loads of λ = 1 on them balance: the forces
    /// are opposite, and so are the moments about the origin. A gap is along a direction in space,
    /// so that it turns with nobody.
    #[test]
    fn rigid_motion_is_free_and_loads_balance(
        measure in measure(), one in frame(), two in frame(), velocity in vector(), spin in vector(),
    ) {
        prop_assume!(margin(&measure, &one, &two) > 0.1 && measure.is_holonomic());
        prop_assume!(turns_along(&measure));
        let gradient = measure.gradient(&one, &two);
        let carried = |frame: &Frame<f64>| {
            [velocity + spin.cross(&frame.position), frame.rotation.tr_mul(&spin)]
        };
        let ([v1, w1], [v2, w2]) = (carried(&one), carried(&two));
        prop_assert!(dot(&gradient, &[v1, w1, v2, w2]).abs() < ROUND_OFF * 100.0);
        let [f1, m1, f2, m2] = gradient;
        prop_assert!((f1 + f2).norm() < ROUND_OFF);
        let moment = one.position.cross(&f1) + one.rotation * m1 + two.position.cross(&f2) + two.rotation * m2;
        prop_assert!(moment.norm() < ROUND_OFF * 100.0);
    }
}

/// A sign error in any column would be seen: the test of balance fails for a spoiled gradient.
#[test]
fn a_sign_error_unbalances_the_loads() {
    let one = Frame { position: Vector3::new(0.3, -0.2, 0.5), rotation: Matrix3::identity() };
    let two = Frame {
        position: Vector3::new(-0.4, 0.9, 0.1),
        rotation: exponential::retract(&Vector3::new(0.3, 0.8, -0.2)).to_matrix(),
    };
    let measure = Measure::Project { a: Vector3::x(), points: [Vector3::y(), Vector3::z()] };
    let moment = |[f1, m1, f2, m2]: PairVelocity<f64>| {
        (one.position.cross(&f1) + one.rotation * m1 + two.position.cross(&f2) + two.rotation * m2)
            .norm()
    };
    let gradient = measure.gradient(&one, &two);
    assert!(moment(gradient) < 1e-14);
    for k in 0..4 {
        let mut spoiled = gradient;
        spoiled[k] = -spoiled[k];
        assert!(moment(spoiled) > 0.1, "column {k}");
    }
}

/// Near the identity the rotation vector and its tangent come from series: they join the closed forms
/// smoothly, and the derivative of the value is the gradient there as well.
#[test]
fn small_turns_are_exact() {
    let still = Frame { position: Vector3::zeros(), rotation: Matrix3::identity() };
    let axes = [Matrix3::identity(); 2];
    for size in [0.0, 1e-9, 0.99e-4, 1.01e-4, 0.99e-2, 1.01e-2, 0.3] {
        let angle = size * Vector3::new(0.6, -0.48, 0.64);
        let two = Frame { rotation: exponential::retract(&angle).to_matrix(), ..still };
        for component in 0..3 {
            let measure = Measure::Turn { axes, component };
            let value = measure.value(&still, &two);
            assert!((value - angle[component]).abs() < 4e-16 + 1e-15 * size, "{size}: {value}");
            let gradient = measure.gradient(&still, &two)[3];
            let exact = exponential::tangent_inverse(&angle).row(component).transpose();
            assert!((gradient - exact).norm() < 1e-14, "{size}");
        }
    }
}
