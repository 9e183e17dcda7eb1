//! Forces and constraints of every element: against dual numbers, under rigid motion, and by
//! Newton's third law.

use cardan::linalg::SparseMatrix;
use cardan::math::{Matrix3, Quaternion, Vector3, exponential, hat};
use cardan::model::{
    Body, Drive, Force, Frame, Function, Gear, Joint, Law, Matrix6, Measure, Mechanism, Model,
    PairVelocity, Rolling, Scalar, Skate,
};
use cardan::system::{ForceTangent, StateView, System, verify};
use num_dual::Dual64;

use super::{At, Noise, every_joint, every_planar_joint};

/// Two bodies somewhere in space, with points on them.
fn two_bodies(noise: &mut Noise) -> Mechanism {
    let mut pair = Mechanism::new();
    for name in ["one", "two"] {
        let tensor = Matrix3::from_diagonal(&Vector3::new(1.0, 1.2, 1.4));
        let axes = exponential::retract(&noise.vector()).to_matrix();
        pair.add(
            Body::spatial(name)
                .mass(1.0 + noise.next().abs())
                .inertia(axes * tensor * axes.transpose())
                .centre(0.3 * noise.vector())
                .position(noise.vector())
                .rotated(noise.vector())
                .point("p", noise.vector())
                .point("q", noise.vector()),
        );
    }
    pair
}

fn stiff() -> Matrix6 {
    let a = Matrix6::from_fn(|i, j| ((3 * i + 5 * j) % 7) as f64 / 7.0);
    a * a.transpose() + Matrix6::identity()
}

/// Every force that acts between two bodies.
fn internal_forces(pair: &mut Mechanism) {
    let cubic = Law::of(|s, rate| s * s * s * 3.0 + rate.tanh() * 0.5);
    pair.add(Force::spring("spring", "one.p", "two.q").stiffness(7.0).damping(0.4).rest(0.3));
    pair.add(Force::spring("cubic", "one.q", "two.p").law(cubic));
    pair.add(Joint::revolute("hinge", "one", "two").at([0.1, 0.2, 0.3]).axis([1.0, 2.0, 3.0]));
    pair.add(Joint::prismatic("slide", "one", "two").at([0.3, 0.1, 0.0]).axis([1.0, -1.0, 0.5]));
    pair.add(Force::joint_spring("torsion", "hinge").stiffness(3.0).damping(0.2).rest(0.4));
    pair.add(Force::motor("motor", "slide", Function::of(|t| t.cos() * 2.0)));
    pair.add(
        Force::bushing("bushing", "one", "two")
            .at([0.0, 0.5, 0.0])
            .stiffness_matrix(stiff())
            .damping_matrix(0.1 * stiff()),
    );
    pair.add(Force::friction("rub", "hinge", 0.3).radius(0.05).transition_speed(0.7));
    pair.add(Force::friction("scrape", "slide", 0.2).transition_speed(0.7));
}

/// Every kind of force that comes from outside.
fn external_forces(pair: &mut Mechanism) {
    let wave = || [1.0, 2.0, 3.0].map(|k| Function::of(move |t| (t * k).sin() + k));
    pair.gravity(wave());
    pair.add(Force::load("push", "one.p", wave()));
    pair.add(Force::load("thrust", "two.q", wave()).following());
    pair.add(Force::torque("twist", "one", wave()));
    pair.add(Force::torque("rotor", "two", wave()).following());
}

/// Every constraint between two bodies and the ground, whether they agree or not.
fn constraints(pair: &mut Mechanism) {
    every_joint(pair);
    pair.add(Gear::new("gear", "revolute", "cylindrical", -2.5));
    pair.add(
        Joint::distance("actuator", "ground", "two.p")
            .at([3.0, 0.0, 0.0])
            .length(Function::of(|t| t.sin() * 0.1 + 2.0)),
    );
    pair.add(Drive::angle("turn", "revolute", Function::of(|t| (t * 2.0).sin())));
    pair.add(Drive::translation("shift", "prismatic", Function::of(|t| t * t)));
    pair.add(Drive::angular_velocity("speed", "universal", Function::of(|t| t.cos())));
    pair.add(Drive::speed("crawl", "cylindrical", Function::of(|t| t.exp())));
    pair.add(Drive::point(
        "path",
        "one.q",
        [1.0, 2.0, 3.0].map(|k| Function::of(move |t| (t * k).sin())),
    ));
    pair.add(Rolling::new("wheel", "two.p", 0.4).axis([0.2, 1.0, 0.3]));
    pair.add(Skate::new("blade", "one.q", [0.5, 0.5, 0.1]));
}

/// The model as it is described, without closing its joints: any state will do for derivatives.
fn compiled(mechanism: &Mechanism) -> Model {
    mechanism.compile().unwrap().0
}

/// Everything at once, at random states: each derivative agrees with fourth-order differences of
/// what it is the derivative of.
#[test]
fn all_tangents_agree_with_differences() {
    let mut noise = Noise(3);
    for _ in 0..8 {
        let mut pair = two_bodies(&mut noise);
        internal_forces(&mut pair);
        external_forces(&mut pair);
        constraints(&mut pair);
        let model = compiled(&pair);
        let at = At::random(&model, &mut noise);
        let found = verify(&model, &at.point(0.3), &at.a).unwrap();
        assert!(found.is_empty(), "{found:?}");
    }
}

/// The same in the plane.
#[test]
fn planar_tangents_agree_with_differences() {
    let mut noise = Noise(5);
    for _ in 0..8 {
        let mut pair = Mechanism::new();
        pair.gravity([0.3, -9.0, 0.0]);
        for name in ["one", "two"] {
            let place = |x: Vector3| [x.x, x.y];
            pair.add(
                Body::planar(name)
                    .mass(1.0)
                    .inertia(0.4)
                    .centre(place(noise.vector()))
                    .position(place(noise.vector()))
                    .angle(noise.next())
                    .point("p", place(noise.vector()))
                    .point("q", place(noise.vector())),
            );
        }
        every_planar_joint(&mut pair);
        pair.add(Gear::new("rack", "revolute", "prismatic", 0.5));
        pair.add(Force::spring("spring", "one.q", "two.p").stiffness(7.0).damping(0.4).rest(0.3));
        pair.add(Force::joint_spring("torsion", "revolute").stiffness(3.0).damping(0.2));
        pair.add(Force::bushing("bushing", "one.p", "two.p").stiffness_matrix(stiff()));
        pair.add(Force::friction("rub", "revolute", 0.3).radius(0.05).transition_speed(0.7));
        pair.add(Force::friction("scrape", "prismatic", 0.2).transition_speed(0.7));
        pair.add(Force::load("thrust", "two.q", [1.0, 2.0, 0.0].map(Function::from)).following());
        pair.add(Rolling::new("wheel", "two.p", 0.4));
        pair.add(Skate::new("blade", "one.q", [0.5, 0.5]));
        let model = compiled(&pair);
        let at = At::random(&model, &mut noise);
        let found = verify(&model, &at.point(0.3), &at.a).unwrap();
        assert!(found.is_empty(), "{found:?}");
    }
}

/// A frame moved by ε times a velocity.
fn moved(frame: &Frame<f64>, velocity: &Vector3, omega: &Vector3) -> Frame<Dual64> {
    let turning: Matrix3 = frame.rotation * hat(omega);
    Frame {
        position: frame.position.zip_map(velocity, Dual64::new),
        rotation: frame.rotation.zip_map(&turning, Dual64::new),
    }
}

fn dot<T: Scalar>(a: &PairVelocity<T>, b: &PairVelocity<T>) -> T {
    a.iter().zip(b).map(|(x, y)| x.dot(y)).fold(T::zero(), |s, x| s + x)
}

/// The force of a bushing over its six measures, in any scalar.
fn bushing_force<T: Scalar>(
    measures: &[Measure; 6],
    frames: &[Frame<T>; 2],
    v: &PairVelocity<T>,
    stiffness: &Matrix6,
    damping: &Matrix6,
    zeros: &[f64; 6],
) -> PairVelocity<T> {
    let [one, two] = frames;
    let (number, measures) = (T::constant, measures.each_ref().map(|measure| measure.cast::<T>()));
    let values: Vec<T> =
        measures.iter().zip(zeros).map(|(m, zero)| m.value(one, two) - number(*zero)).collect();
    let gradients: Vec<PairVelocity<T>> = measures.iter().map(|m| m.gradient(one, two)).collect();
    let rates: Vec<T> = gradients.iter().map(|g| dot(g, v)).collect();
    let mut force = [nalgebra::Vector3::zeros(); 4];
    for (i, gradient) in gradients.iter().enumerate() {
        let mut load = T::zero();
        for j in 0..6 {
            load += number(stiffness[(i, j)]) * values[j] + number(damping[(i, j)]) * rates[j];
        }
        force.iter_mut().zip(gradient).for_each(|(f, g)| *f -= *g * load);
    }
    force
}

/// The tangents of a bushing against dual numbers, which differentiate the measures themselves.
#[test]
fn a_bushing_agrees_with_dual_numbers() {
    let mut noise = Noise(11);
    for _ in 0..20 {
        let mut pair = two_bodies(&mut noise);
        let bare = compiled(&pair);
        let (stiffness, damping) = (stiff(), 0.3 * stiff());
        let element = Force::bushing("bushing", "one.p", "two.q");
        pair.add(element.stiffness_matrix(stiffness).damping_matrix(damping));
        let start = pair.assemble().unwrap();
        let model = &start.model;
        let at = At::random(model, &mut noise);
        let w = noise.values(12);

        // what the description says: axes of body 1, relaxed at the start
        let frame = |q: &[f64], i: usize| Frame {
            position: Vector3::new(q[7 * i], q[7 * i + 1], q[7 * i + 2]),
            rotation: Quaternion::new(q[7 * i + 3], q[7 * i + 4], q[7 * i + 5], q[7 * i + 6])
                .to_matrix(),
        };
        let begin = [0, 1].map(|i| frame(&start.initial.q, i));
        let here = |name: &str, i: usize| {
            let mut instant = cardan::Instant {
                q: start.initial.q.clone(),
                v: vec![0.0; 12],
                a: vec![0.0; 12],
                ..cardan::Instant::default()
            };
            instant.t = 0.0;
            let place = Vector3::from_vec(model.read(name, &instant).unwrap());
            begin[i].rotation.tr_mul(&(place - begin[i].position))
        };
        let points = [here("one.p", 0), here("two.q", 1)];
        let axes = [Matrix3::identity(), begin[1].rotation.tr_mul(&begin[0].rotation)];
        let measures = [0, 1, 2, 3, 4, 5].map(|k| match k {
            0..3 => Measure::Project { a: Vector3::ith(k, 1.0), points },
            _ => Measure::Turn { axes, component: k - 3 },
        });
        let zeros = measures.each_ref().map(|m| m.value(&begin[0], &begin[1]));

        let parts = |x: &[f64]| -> PairVelocity<f64> {
            [0, 3, 6, 9].map(|i| Vector3::new(x[i], x[i + 1], x[i + 2]))
        };
        let (v, d) = (parts(&at.v), parts(&w));
        let frames = [0, 1].map(|i| frame(&at.q, i));
        let turned = [moved(&frames[0], &d[0], &d[1]), moved(&frames[1], &d[2], &d[3])];
        let still = v.map(|x| x.map(Dual64::from));
        let by_position = bushing_force(&measures, &turned, &still, &stiffness, &damping, &zeros);
        let fixed = [0, 1].map(|i| Frame {
            position: frames[i].position.map(Dual64::from),
            rotation: frames[i].rotation.map(Dual64::from),
        });
        let moving = [0, 1, 2, 3].map(|k| v[k].zip_map(&d[k], Dual64::new));
        let by_velocity = bushing_force(&measures, &fixed, &moving, &stiffness, &damping, &zeros);

        // one part of the force tangent times w
        let product = |model: &Model, damping: bool| {
            let part = SparseMatrix::written(12, 12, |wanted| {
                let mut other = SparseMatrix::new(12, 12);
                let [mut multipliers, mut states] =
                    [SparseMatrix::new(12, 0), SparseMatrix::new(12, 0)];
                let (multipliers, states) = (&mut multipliers, &mut states);
                let mut tangent = match damping {
                    true => {
                        ForceTangent { stiffness: &mut other, damping: wanted, multipliers, states }
                    }
                    false => {
                        ForceTangent { stiffness: wanted, damping: &mut other, multipliers, states }
                    }
                };
                model.force_tangent(&at.point(0.0), &mut tangent).unwrap();
            });
            let mut out = [0.0; 12];
            part.iter().for_each(|(i, j, x)| out[i] += x * w[j]);
            out
        };
        let (k, c) = (product(model, false), product(model, true));
        let spinning = product(&bare, true);
        for i in 0..4 {
            for j in 0..3 {
                let exact = -by_position[i][j].eps;
                assert!(
                    (k[3 * i + j] - exact).abs() < 1e-11,
                    "K {i} {j}: {} {exact}",
                    k[3 * i + j]
                );
                // rotations have a gyroscopic part that is not the bushing's
                let exact = -by_velocity[i][j].eps + spinning[3 * i + j];
                let same = (c[3 * i + j] - exact).abs() < 1e-11;
                assert!(same, "C {i} {j}: {} {exact}", c[3 * i + j]);
            }
        }
    }
}

/// The loads between two bodies balance, and turning everything together turns the loads along.
#[test]
fn internal_loads_balance_and_turn_along() {
    let mut noise = Noise(17);
    for _ in 0..20 {
        let mut pair = two_bodies(&mut noise);
        internal_forces(&mut pair);
        let (model, described) = pair.compile().unwrap();
        let mut at = At::random(&model, &mut noise);
        let closed = At { q: described, ..At::random(&model, &mut noise) };
        // without spin there is no gyroscopic force, which belongs to the body's axes
        at.v.fill(0.0);
        let loads = |at: &At| {
            let mut load = vec![0.0; 12];
            model.force(&at.point(0.4), &mut load).unwrap();
            let mut constraint = vec![0.0; 12];
            let m = at.multipliers.len();
            let jacobian = SparseMatrix::written(m, 12, |g| {
                model.jacobian(&StateView::at(0.4, &at.q), g).unwrap();
            });
            for (i, j, x) in jacobian.iter() {
                constraint[j] -= x * at.multipliers[i];
            }
            [load, constraint]
        };
        let frames = |at: &At| {
            [0, 7].map(|i| {
                let q = &at.q[i..];
                let turn = Quaternion::new(q[3], q[4], q[5], q[6]);
                (Vector3::new(q[0], q[1], q[2]), turn)
            })
        };
        // joints balance where they are closed, forces anywhere
        let [[load, _], [_, reaction]] = [loads(&at), loads(&closed)];
        for (load, at) in [(load, &at), (reaction, &closed)] {
            let (mut force, mut moment) = (Vector3::zeros(), Vector3::zeros());
            for (i, (place, turn)) in frames(at).into_iter().enumerate() {
                let f = Vector3::from_column_slice(&load[6 * i..6 * i + 3]);
                let m = Vector3::from_column_slice(&load[6 * i + 3..6 * i + 6]);
                force += f;
                moment += place.cross(&f) + turn.rotate(&m);
            }
            // a few dozen numbers of size ten
            assert!(force.norm() < 1e-12 && moment.norm() < 1e-11, "{force} {moment}");
        }
        // carried along rigidly
        let (shift, spin) = (noise.vector(), exponential::retract(&(2.0 * noise.vector())));
        let mut carried = At { q: at.q.clone(), v: at.v.clone(), a: vec![], multipliers: vec![] };
        for (i, (place, turn)) in frames(&at).into_iter().enumerate() {
            let (place, turn) = (spin.rotate(&place) + shift, spin * turn);
            carried.q[7 * i..7 * i + 3].copy_from_slice(place.as_slice());
            carried.q[7 * i + 3..7 * i + 7].copy_from_slice(&turn.to_array());
        }
        carried.multipliers = at.multipliers.clone();
        let ([before, _], [after, _]) = (loads(&at), loads(&carried));
        for i in 0..2 {
            let part = |load: &[f64], k: usize| {
                Vector3::from_column_slice(&load[6 * i + k..6 * i + k + 3])
            };
            let force = spin.rotate(&part(&before, 0)) - part(&after, 0);
            let moment = part(&before, 3) - part(&after, 3);
            assert!(force.norm() < 1e-11 && moment.norm() < 1e-11, "{force} {moment}");
        }
        // and the potential does not notice
        let energy = |at: &At| model.potential_energy(&StateView::at(0.4, &at.q)).unwrap();
        assert!((energy(&at) - energy(&carried)).abs() < 1e-11);
    }
}

/// The force of springs and bushings is the gradient of the energy they report.
#[test]
fn elastic_forces_derive_from_their_energy() {
    let mut noise = Noise(23);
    for _ in 0..10 {
        let mut pair = two_bodies(&mut noise);
        pair.gravity([1.0, -2.0, 3.0]);
        pair.add(Force::spring("spring", "one.p", "two.q").stiffness(7.0).rest(0.3));
        pair.add(Force::bushing("bushing", "one.p", "two.q").stiffness_matrix(stiff()));
        let model = compiled(&pair);
        let at = At { v: vec![0.0; 12], ..At::random(&model, &mut noise) };
        let mut force = vec![0.0; 12];
        model.force(&at.point(0.0), &mut force).unwrap();
        let space = model.space();
        for (i, force) in force.iter().enumerate() {
            let energy = |s: f64| {
                let mut d = vec![0.0; 12];
                d[i] = s;
                let moved = space.plus(&at.q, &d).unwrap();
                model.potential_energy(&StateView::at(0.0, &moved)).unwrap()
            };
            // fourth-order differences: h⁴ = 1e-12 times fifth derivatives, ε/h = 2e-13
            let h = 1e-3;
            let slope =
                (8.0 * (energy(h) - energy(-h)) - energy(2.0 * h) + energy(-2.0 * h)) / (12.0 * h);
            assert!((force + slope).abs() < 1e-8, "{i}: {force} {slope}");
        }
    }
}
