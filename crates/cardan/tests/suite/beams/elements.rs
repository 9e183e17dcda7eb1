//! One beam between two bodies at random large deformations: every derivative against differences,
//! forces against the energy, rigid motions, Newton's third law.

use cardan::math::Chart;
use cardan::model::{Beam, BeamForm, Body, Matrix6, Mechanism, Model, Section};
use cardan::system::{Evaluator, Part, Point, System};
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
fn between_bodies(noise: &mut Noise, kind: (usize, BeamForm, Chart), viscous: bool) -> (Model, Vec<f64>) {
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
    let mut section = Section::full(full(noise)).mass(1.0).inertia([0.2, 0.1, 0.1]).centre([0.1, -0.05]);
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
        .across(noise.vector())
        .offset([0.1, 0.2]);
    pair.add(beam);
    pair.compile().unwrap()
}

/// A state near the description, with rotations of up to a radian between nodes.
fn state(model: &Model, described: &[f64], noise: &mut Noise) -> (Vec<f64>, Vec<f64>) {
    let n = model.space().velocities();
    let moved: Vec<f64> = noise.values(n).iter().map(|x| 0.5 * x).collect();
    (model.space().moved(described, &moved).unwrap(), noise.values(n))
}

fn force(model: &Model, q: &[f64], v: &[f64]) -> Vec<f64> {
    let mut out = vec![0.0; v.len()];
    model.force(&Point::new(0.0, q, v), &mut out);
    out
}

/// (stiffness, damping) as dense matrices.
fn tangents(model: &Model, q: &[f64], v: &[f64]) -> [DMatrix<f64>; 2] {
    let at = Point::new(0.0, q, v);
    let mut evaluator = Evaluator::new(model, &at).unwrap();
    evaluator.force_tangent(model, &at).unwrap();
    [Part::Stiffness, Part::Damping].map(|part| {
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
                    let moved = model.space().moved(&q, &unit(n, j, s)).unwrap();
                    force(&model, &moved, &v)
                });
                let by_v = slope(|s| {
                    let mut w = v.clone();
                    w[j] += s;
                    force(&model, &q, &w)
                });
                for i in 0..n {
                    let gap = (stiffness[(i, j)] + by_q[i]).abs();
                    assert!(gap < 1e-9 * scale, "{kind:?} {viscous} K({i}, {j}): {gap:e} of {scale}");
                    let gap = (damping[(i, j)] + by_v[i]).abs();
                    assert!(gap < 1e-9 * scale, "{kind:?} {viscous} C({i}, {j}): {gap:e} of {scale}");
                }
            }
        }
    }
}
