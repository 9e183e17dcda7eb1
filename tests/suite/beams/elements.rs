//! One beam between two bodies at random large deformations: every derivative against differences,
//! forces against the energy, rigid motions, Newton's third law.

use cardan::linalg::SparseMatrix;
use cardan::math::{Chart, Vector3, exponential, hat};
use cardan::model::{Beam, BeamForm, Body, Matrix6, Mechanism, Model, Section};
use cardan::system::{Evaluator, StateView, System, SystemMatrix};
use nalgebra::DMatrix;

use crate::mechanisms::Noise;

/// A full symmetric positive matrix.
fn full(noise: &mut Noise) -> Matrix6 {
    let a = Matrix6::from_fn(|_, _| noise.next());
    a * a.transpose() + Matrix6::identity()
}

/// The kinds of elements there are.
fn kinds() -> Vec<(usize, BeamForm, Chart)> {
    let mut kinds = Vec::new();
    for nodes in [2, 3] {
        kinds.push((nodes, BeamForm::Galerkin, Chart::Exponential));
        kinds.push((nodes, BeamForm::FiniteVolume, Chart::Exponential));
        kinds.push((nodes, BeamForm::FiniteVolume, Chart::Cayley));
    }
    kinds
}

/// A beam of two elements fixed to two bodies, away from their centres, with an offset and a free
/// end, made of anything.
fn between_bodies(
    noise: &mut Noise,
    kind: (usize, BeamForm, Chart),
    viscous: bool,
) -> (Model, Vec<f64>) {
    let mut pair = Mechanism::new();
    for name in ["one", "two"] {
        pair.add(
            Body::spatial(name)
                .mass(2.0)
                .inertia([1.0, 1.2, 1.4])
                .position(noise.vector())
                .rotated(noise.vector())
                .point("p", noise.vector()),
        );
    }
    let mut section =
        Section::full(full(noise)).mass(1.0).inertia([0.2, 0.1, 0.1]).centre([0.1, -0.05]);
    if viscous {
        section = section.viscosity(full(noise));
    }
    let (nodes, form, chart) = kind;
    let beam = Beam::new("beam", section)
        .through("one.p")
        .through("two.p")
        .through(noise.vector())
        .nodes(nodes)
        .form(form)
        .chart(chart)
        .axis_2(noise.vector())
        .offset([0.1, 0.2]);
    pair.add(beam);
    pair.compile().unwrap()
}

/// A state near the description, with rotations of up to a radian between nodes.
fn state(model: &Model, described: &[f64], noise: &mut Noise) -> (Vec<f64>, Vec<f64>) {
    let n = model.space().velocities();
    let moved: Vec<f64> = noise.values(n).iter().map(|x| 0.5 * x).collect();
    (model.space().plus(described, &moved).unwrap(), noise.values(n))
}

fn force(model: &Model, q: &[f64], v: &[f64]) -> Vec<f64> {
    let mut out = vec![0.0; v.len()];
    model.force(&StateView::new(0.0, q, v), &mut out).unwrap();
    out
}

/// (stiffness, damping) as dense matrices.
fn tangents(model: &Model, q: &[f64], v: &[f64]) -> [DMatrix<f64>; 2] {
    let at = StateView::new(0.0, q, v);
    let mut evaluator = Evaluator::new(model, &at).unwrap();
    evaluator.force_tangent(model, &at).unwrap();
    [SystemMatrix::Stiffness, SystemMatrix::Damping].map(|part| {
        let mut dense = DMatrix::zeros(v.len(), v.len());
        evaluator.part(part).iter().for_each(|(i, j, x)| dense[(i, j)] += x);
        dense
    })
}

/// d/ds at zero of a vector function by differences of sixth order: with s = 2e-3 truncation is
/// below 1e-14 of the seventh derivative's scale, and cancellation about 1e-13.
fn slope(f: impl Fn(f64) -> Vec<f64>) -> Vec<f64> {
    let h = 2e-3;
    let mut out: Vec<f64> = Vec::new();
    for (k, weight) in [(1.0, 45.0), (2.0, -9.0), (3.0, 1.0)] {
        let (plus, minus) = (f(k * h), f(-k * h));
        out.resize(plus.len(), 0.0);
        for (o, (p, m)) in out.iter_mut().zip(plus.iter().zip(&minus)) {
            *o += weight * (p - m) / (60.0 * h);
        }
    }
    out
}

fn unit(n: usize, j: usize, s: f64) -> Vec<f64> {
    let mut d = vec![0.0; n];
    d[j] = s;
    d
}

/// Both tangents of every kind of element, with a full coupled law, offsets and viscosity.
#[test]
fn tangents_agree_with_differences() {
    let mut noise = Noise(11);
    for kind in kinds() {
        for viscous in [false, true] {
            let (model, q) = between_bodies(&mut noise, kind, viscous);
            let (q, v) = state(&model, &q, &mut noise);
            let n = v.len();
            let [stiffness, damping] = tangents(&model, &q, &v);
            let scale = stiffness.amax();
            for j in 0..n {
                let by_q = slope(|s| {
                    let moved = model.space().plus(&q, &unit(n, j, s)).unwrap();
                    force(&model, &moved, &v)
                });
                let by_v = slope(|s| {
                    let mut w = v.clone();
                    w[j] += s;
                    force(&model, &q, &w)
                });
                for i in 0..n {
                    let gap = (stiffness[(i, j)] + by_q[i]).abs();
                    assert!(
                        gap < 1e-9 * scale,
                        "{kind:?} {viscous} K({i}, {j}): {gap:e} of {scale}"
                    );
                    let gap = (damping[(i, j)] + by_v[i]).abs();
                    assert!(
                        gap < 1e-9 * scale,
                        "{kind:?} {viscous} C({i}, {j}): {gap:e} of {scale}"
                    );
                }
            }
        }
    }
}

/// The Galerkin form is the gradient of its energy, and its tangent is symmetric but for what turning the
/// axes does to moments.
#[test]
fn galerkin_forces_are_the_gradient_of_the_energy() {
    let mut noise = Noise(21);
    for nodes in [2, 3] {
        let kind = (nodes, BeamForm::Galerkin, Chart::Exponential);
        let (model, q) = between_bodies(&mut noise, kind, false);
        let (q, _) = state(&model, &q, &mut noise);
        let n = model.space().velocities();
        let forces = force(&model, &q, &vec![0.0; n]);
        let scale = forces.iter().fold(0.0_f64, |m, x| m.max(x.abs()));
        for (j, force) in forces.iter().enumerate() {
            let energy = slope(|s| {
                let moved = model.space().plus(&q, &unit(n, j, s)).unwrap();
                vec![model.potential_energy(&StateView::at(0.0, &moved)).unwrap()]
            });
            assert!((force + energy[0]).abs() < 1e-9 * scale, "{nodes} {j}: {force} {}", energy[0]);
        }
        let [stiffness, _] = tangents(&model, &q, &vec![0.0; n]);
        let mut skew = &stiffness - stiffness.transpose();
        for rotation in model.space().rotations() {
            let v = rotation.v;
            let moment = Vector3::new(forces[v], forces[v + 1], forces[v + 2]);
            let mut block = skew.fixed_view_mut::<3, 3>(v, v);
            block += hat(&moment);
        }
        assert!(skew.amax() < 1e-13 * stiffness.amax(), "{nodes}: {:e}", skew.amax());
    }
}

/// Rigid motions of the whole: no forces from the description, the same forces otherwise, none from
/// viscosity; and what acts inside adds up to nothing.
#[test]
fn rigid_motions_change_nothing() {
    let mut noise = Noise(31);
    for kind in kinds() {
        for viscous in [false, true] {
            let (model, described) = between_bodies(&mut noise, kind, viscous);
            let (bent, _) = state(&model, &described, &mut noise);
            let space = model.space();
            let (turn, shift, omega) =
                (exponential::retract(&(3.0 * noise.vector())), noise.vector(), noise.vector());
            let velocity = noise.vector();
            let rigid = |q: &[f64]| {
                let (mut moved, mut v) = (q.to_vec(), vec![0.0; space.velocities()]);
                for node in space.nodes() {
                    let x = Vector3::new(q[node.q], q[node.q + 1], q[node.q + 2]);
                    let there = turn.rotate(&x) + shift;
                    moved[node.q..node.q + 3].copy_from_slice(there.as_slice());
                    let speed = velocity + omega.cross(&there);
                    v[node.v..node.v + 3].copy_from_slice(speed.as_slice());
                }
                for rotation in space.rotations() {
                    let turned = turn * rotation.of(q);
                    rotation.set(&mut moved, turned);
                    rotation.set_tangent(&mut v, &turned.rotate_back(&omega));
                }
                (moved, v)
            };
            let still = vec![0.0; space.velocities()];
            let (there, moving) = rigid(&described);
            let (there_bent, moving_bent) = rigid(&bent);
            let before = force(&model, &bent, &still);
            let scale = before.iter().fold(0.0_f64, |m, x| m.max(x.abs()));
            // gyroscopic moments of the bodies are no business of the beam
            let own = |q: &[f64], v: &[f64]| {
                let mut forces = force(&model, q, v);
                let inertia = gyroscopic(&model, v);
                forces.iter_mut().zip(inertia).for_each(|(f, g)| *f -= g);
                forces
            };
            let nothing = own(&there, &moving);
            assert!(nothing.iter().all(|x| x.abs() < 1e-12 * scale), "{kind:?} {nothing:?}");
            let after = own(&there_bent, &moving_bent);
            let (mut total, mut about) = (Vector3::zeros(), Vector3::zeros());
            for (node, rotation) in space.nodes().iter().zip(space.rotations()) {
                let part = |f: &[f64], at: usize| Vector3::new(f[at], f[at + 1], f[at + 2]);
                let (here, there) = (part(&before, node.v), part(&after, node.v));
                assert!((turn.rotate(&here) - there).amax() < 1e-12 * scale, "{kind:?}");
                let (here, there) = (part(&before, rotation.v), part(&after, rotation.v));
                assert!((here - there).amax() < 1e-12 * scale, "{kind:?}");
                let push = part(&before, node.v);
                total += push;
                about += part(&bent, node.q).cross(&push) + rotation.of(&bent).rotate(&here);
            }
            assert!(total.amax() < 1e-12 * scale && about.amax() < 1e-12 * scale, "{kind:?}");
        }
    }
}

/// −Ω × JΩ of every body, from a model's own forces without its beams: the mass matrix tells J.
fn gyroscopic(model: &Model, v: &[f64]) -> Vec<f64> {
    let n = v.len();
    let mass = SparseMatrix::written(n, n, |mass| {
        model.mass(&StateView::at(0.0, &[]), mass).unwrap();
    });
    let mut momentum = vec![0.0; n];
    mass.iter().for_each(|(i, j, x)| momentum[i] += x * v[j]);
    let mut out = vec![0.0; n];
    for rotation in model.space().rotations() {
        let turning = rotation.tangent(&momentum).cross(&rotation.tangent(v));
        rotation.set_tangent(&mut out, &turning);
    }
    out
}
