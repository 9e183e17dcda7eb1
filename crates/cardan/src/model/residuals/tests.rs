//! Every analytic tangent against dual numbers through the residuals, element kind by element kind, at
//! random states of all models; lanes against plain numbers; derivatives by constants.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

use nalgebra::DMatrix;
use num_dual::Dual64;

use super::ModelResiduals;
use super::lanes::Lanes;
use crate::file::ModelFile;
use crate::gallery::{self, Dimension};
use crate::model::elements::SectionLaw;
use crate::model::flexible::ModalBasis;
use crate::model::{
    Beam, BeamForm, Body, Drive, FlexibleBody, Force, Function, Gear, JOINTS, Joint, JointKind,
    Law, MassPoint, Matrix6, Mechanism, ModalPoint, Model, Rolling, Section, Skate, Truss,
};
use cardan_core::linalg::SparseMatrix;
use cardan_core::math::{Chart, Matrix3, Quaternion, Scalar, Vector3, larger};
use cardan_core::system::{ForceTangent, Space, StateView, System};

/// Tangents and dual numbers round differently: an entry is a sum of some hundred products whose terms
/// are up to ten times larger than the largest entry of the matrix, 100 · 10 · 2⁻⁵³ = 1e-13 of it. The
/// largest deviation found is 6e-15.
const ROUND_OFF: f64 = 1e-13;

/// Random numbers between −1 and 1.
struct Noise(u64);

impl Noise {
    fn next(&mut self) -> f64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 11) as f64 / (1_u64 << 52) as f64 - 1.0
    }

    fn values(&mut self, n: usize) -> Vec<f64> {
        (0..n).map(|_| self.next()).collect()
    }
}

/// A random state; it need not satisfy the constraints.
struct Random {
    t: f64,
    q: Vec<f64>,
    v: Vec<f64>,
    a: Vec<f64>,
    multipliers: Vec<f64>,
}

impl Random {
    fn new(model: &Model, q: &[f64], noise: &mut Noise) -> Self {
        let n = model.space.velocities();
        let size = 0.1 * model.size;
        let moves: Vec<f64> = noise.values(n).into_iter().map(|x| size.min(0.1) * x).collect();
        Self {
            t: 0.3 + 0.1 * noise.next(),
            q: model.space.plus(q, &moves).unwrap(),
            v: noise.values(n),
            a: noise.values(n),
            multipliers: noise.values(model.rows.len()),
        }
    }

    fn point(&self) -> StateView<'_> {
        StateView::new(self.t, &self.q, &self.v).with_multipliers(&self.multipliers)
    }
}

fn duals(x: &[f64], d: &[f64]) -> Vec<Dual64> {
    x.iter().zip(d).map(|(x, d)| Dual64::new(*x, *d)).collect()
}

fn fixed(x: &[f64]) -> Vec<Dual64> {
    x.iter().map(|x| Dual64::constant(*x)).collect()
}

fn slopes(x: Vec<Dual64>) -> Vec<f64> {
    x.into_iter().map(|x| x.eps).collect()
}

/// q moved along d: x + ε d, and the rotation R exp(ε d̂) by its quaternion.
fn moved(space: &Space, q: &[f64], d: &[f64]) -> Vec<Dual64> {
    let mut out = fixed(q);
    for node in space.nodes() {
        (0..node.vector).for_each(|i| out[node.q + i].eps = d[node.v + i]);
    }
    for rotation in space.rotations() {
        let half = Quaternion { scalar: 0.0, vector: 0.5 * rotation.tangent(d) };
        let slope = (rotation.of(q) * half).to_array();
        (0..4).for_each(|i| out[rotation.q + i].eps = slope[i]);
    }
    out
}

fn beams(model: &mut Model, nodes: usize, form: BeamForm, is_viscous: bool) -> usize {
    let is_it = |x: &SectionLaw| x.form == form && x.viscosity.is_some() == is_viscous;
    model.elements.beams2.retain(|x| nodes == 2 && is_it(&x.section_law));
    model.elements.beams3.retain(|x| nodes == 3 && is_it(&x.section_law));
    model.elements.beams2.len() + model.elements.beams3.len()
}

macro_rules! kept {
    ($($field:ident).+) => {
        |model, from| {
            model.$($field).+.clone_from(&from.$($field).+);
            model.$($field).+.len()
        }
    };
}

/// Moves all elements of a kind from a model into one that has none, and returns their number.
type Take = fn(&mut Model, &Model) -> usize;

const KINDS: &[(&str, Take)] = &[
    ("rigid body", kept!(bodies)),
    ("shared mass", kept!(shared)),
    ("spring", |model, from| {
        model.elements.springs =
            from.elements.springs.iter().filter(|x| !is_general(&x.law)).cloned().collect();
        model.elements.springs.len()
    }),
    ("spring with a general law", |model, from| {
        model.elements.springs =
            from.elements.springs.iter().filter(|x| is_general(&x.law)).cloned().collect();
        model.elements.springs.len()
    }),
    ("bushing", kept!(elements.bushings)),
    ("friction", kept!(elements.frictions)),
    ("load", kept!(elements.loads)),
    ("beam, 2 nodes, Galerkin", |m, from| take_beams(m, from, 2, BeamForm::Galerkin, false)),
    ("beam, 2 nodes, finite volume", |m, from| {
        take_beams(m, from, 2, BeamForm::FiniteVolume, false)
    }),
    ("beam, 3 nodes, Galerkin", |m, from| take_beams(m, from, 3, BeamForm::Galerkin, false)),
    ("beam, 3 nodes, finite volume", |m, from| {
        take_beams(m, from, 3, BeamForm::FiniteVolume, false)
    }),
    ("viscous beam, 2 nodes, Galerkin", |m, from| take_beams(m, from, 2, BeamForm::Galerkin, true)),
    ("viscous beam, 2 nodes, finite volume", |m, from| {
        take_beams(m, from, 2, BeamForm::FiniteVolume, true)
    }),
    ("viscous beam, 3 nodes, Galerkin", |m, from| take_beams(m, from, 3, BeamForm::Galerkin, true)),
    ("viscous beam, 3 nodes, finite volume", |m, from| {
        take_beams(m, from, 3, BeamForm::FiniteVolume, true)
    }),
    ("flexible body", kept!(flexible)),
    ("structure", kept!(structures)),
    ("coincidence", kept!(coincidences)),
    ("alignment", kept!(alignments)),
    ("holonomic row", kept!(holonomic_rows)),
    ("nonholonomic row", kept!(nonholonomic_rows)),
];

fn is_general(law: &Law) -> bool {
    matches!(law, Law::General(_))
}

fn take_beams(
    model: &mut Model,
    from: &Model,
    nodes: usize,
    form: BeamForm,
    is_viscous: bool,
) -> usize {
    (model.elements.beams2, model.elements.beams3) =
        (from.elements.beams2.clone(), from.elements.beams3.clone());
    beams(model, nodes, form, is_viscous)
}

/// A model with the coordinates of another one and without its elements.
fn bare(model: &Model) -> Model {
    let mut bare = model.clone();
    for body in &mut bare.bodies {
        (body.mass, body.tensor) = (0.0, Matrix3::zeros());
    }
    for body in &mut bare.flexible {
        let n = body.modal.modes();
        let mut empty = ModalBasis::of_masses(&[], DMatrix::zeros(n, n));
        empty.points.clone_from(&body.modal.points);
        body.modal = Arc::new(empty);
    }
    bare.shared.clear();
    bare.elements = Default::default();
    bare.structures.clear();
    bare.coincidences.clear();
    bare.alignments.clear();
    bare.holonomic_rows.clear();
    bare.nonholonomic_rows.clear();
    bare
}

/// Test directions: all unit vectors, or some random directions if there are many coordinates.
fn directions(n: usize, noise: &mut Noise) -> Vec<Vec<f64>> {
    match n <= 60 {
        true => (0..n).map(|j| (0..n).map(|i| f64::from(i == j)).collect()).collect(),
        false => (0..6).map(|_| noise.values(n)).collect(),
    }
}

/// The largest absolute value; NaN if one value is NaN.
fn largest(x: &[f64]) -> f64 {
    x.iter().fold(0.0, |largest, x| larger(x.abs(), largest))
}

/// The difference of a matrix and directional derivatives, relative to the largest entry of the matrix,
/// or of the differentiated function if the matrix is zero.
fn deviation(
    matrix: &SparseMatrix,
    value: &[f64],
    directions: &[Vec<f64>],
    derivative: impl Fn(&[f64]) -> Vec<f64>,
) -> f64 {
    let size = if matrix.largest() > 0.0 { matrix.largest() } else { largest(value).max(1e-300) };
    let gap = |d: &Vec<f64>| {
        let (product, dual) = (matrix.product(d), derivative(d));
        largest(&product.iter().zip(&dual).map(|(a, b)| a - b).collect::<Vec<_>>()) / size
    };
    largest(&directions.iter().map(gap).collect::<Vec<_>>())
}

/// The deviation of each tangent of a model at a state.
fn deviations(model: &Model, at: &Random, noise: &mut Noise) -> [(&'static str, f64); 8] {
    let plain = ModelResiduals::<f64>::new(model);
    let dual = ModelResiduals::<Dual64>::new(model);
    let (n, m) = (model.space.velocities(), model.rows.len());
    let holonomic_rows = model.holonomic;
    let Random { t, q, v, a, multipliers } = at;
    let (fixed_t, fixed_q, fixed_v, fixed_l) =
        (Dual64::constant(*t), fixed(q), fixed(v), fixed(multipliers));
    let (all, rows) = (directions(n, noise), directions(m, noise));
    let [mut k, mut c, mut l, mut z] = [
        SparseMatrix::new(n, n),
        SparseMatrix::new(n, n),
        SparseMatrix::new(n, m),
        SparseMatrix::new(n, 0),
    ];
    let mut tangent =
        ForceTangent { stiffness: &mut k, damping: &mut c, multipliers: &mut l, states: &mut z };
    model.force_tangent(&at.point(), &mut tangent).unwrap();
    [&mut k, &mut c, &mut l].into_iter().for_each(|x| x.finish().unwrap());
    let force = plain.force(*t, q, v, multipliers);
    let minus = |x: Vec<Dual64>| slopes(x).into_iter().map(|x| -x).collect();
    let by_q =
        |d: &[f64]| minus(dual.force(fixed_t, &moved(&model.space, q, d), &fixed_v, &fixed_l));
    let by_v = |d: &[f64]| minus(dual.force(fixed_t, &fixed_q, &duals(v, d), &fixed_l));
    let by_l = |d: &[f64]| minus(dual.force(fixed_t, &fixed_q, &fixed_v, &duals(multipliers, d)));
    let mass = SparseMatrix::written(n, n, |out| {
        model.mass_tangent(&at.point(), a, out).unwrap();
    });
    let inertia = plain.mass_product(q, a);
    let mass_by_q = |d: &[f64]| slopes(dual.mass_product(&moved(&model.space, q, d), &fixed(a)));
    let jacobian = SparseMatrix::written(m, n, |out| model.write_jacobian(&at.point(), out));
    // rows that are not holonomic have no Φ
    let holonomic = SparseMatrix::written(holonomic_rows, n, |out| {
        jacobian
            .iter()
            .filter(|(i, ..)| *i < holonomic_rows)
            .for_each(|(i, j, x)| out.add(i, j, x));
    });
    let phi = plain.constraint(*t, q);
    let phi_by_q = |d: &[f64]| {
        let mut phi = slopes(dual.constraint(fixed_t, &moved(&model.space, q, d)));
        phi.truncate(holonomic_rows);
        phi
    };
    let bend = SparseMatrix::written(n, n, |out| {
        model.multiplier_tangent(&at.point(), out).unwrap();
    });
    let load = plain.constraint_load(q, multipliers);
    let load_by_q = |d: &[f64]| slopes(dual.constraint_load(&moved(&model.space, q, d), &fixed_l));
    let turning = SparseMatrix::written(m, n, |out| {
        model.velocity_tangent(&at.point(), out).unwrap();
    });
    let rate = plain.constraint_rate(*t, q, v);
    let rate_by_q =
        |d: &[f64]| slopes(dual.constraint_rate(fixed_t, &moved(&model.space, q, d), &fixed_v));
    // d/dt (G v + b) along the motion
    let mut term = vec![0.0; m];
    model.write_acceleration_term(&at.point(), &mut term);
    let along = dual.constraint_rate(Dual64::new(*t, 1.0), &moved(&model.space, q, v), &fixed_v);
    let gap: Vec<f64> = slopes(along).iter().zip(&term).map(|(a, b)| a - b).collect();
    let size = largest(&term).max(largest(&rate)).max(1e-300);
    // the residuals themselves are those of the system
    let mut own = vec![0.0; n];
    model.force(&at.point(), &mut own).unwrap();
    let same = own.iter().zip(&force).map(|(a, b)| a - b).collect::<Vec<_>>();
    assert!(largest(&same) <= 1e-14 * largest(&own), "{}", largest(&same));
    [
        ("∂f/∂q", deviation(&k, &force, &all, by_q)),
        ("∂f/∂v", deviation(&c, &force, &all, by_v)),
        ("∂f/∂λ", deviation(&l, &force, &rows, by_l)),
        ("∂(Ma)/∂q", deviation(&mass, &inertia, &all, mass_by_q)),
        ("∂Φ/∂q", deviation(&holonomic, &phi, &all, phi_by_q)),
        ("∂(Gᵀλ)/∂q", deviation(&bend, &load, &all, load_by_q)),
        ("∂(Gv)/∂q", deviation(&turning, &rate, &all, rate_by_q)),
        ("d(Gv + b)/dt", largest(&gap) / size),
    ]
}

/// Every joint between two bodies in space.
fn joints(pair: &mut Mechanism) {
    for info in JOINTS {
        let joint = Joint::new(info.kind, info.name, "one.p", "two.q");
        let axis = [0.3, -0.5, 0.8];
        pair.add(match (info.kind, info.axis) {
            (JointKind::Universal, _) => joint.pins(axis, [1.0, 0.2, -0.4]),
            (_, Some(_)) => joint.axis(axis),
            _ => joint,
        });
    }
}

/// A full stiffness or damping matrix.
fn full() -> Matrix6 {
    let root = Matrix6::from_fn(|i, j| ((3 * i + 5 * j) % 7) as f64 / 7.0);
    root * root.transpose() + Matrix6::identity()
}

/// A beam fixed to two bodies away from their centres, with an offset and a free end.
fn beam(nodes: usize, form: BeamForm, chart: Chart, is_viscous: bool) -> Mechanism {
    let mut pair = Mechanism::new();
    for (name, x) in [("one", 0.0), ("two", 0.9)] {
        let body = Body::spatial(name).mass(2.0).inertia([1.0, 1.2, 1.4]);
        let body = body.position([x, 0.3, -0.2]).rotated([0.3, x, -0.4]);
        pair.add(body.point("p", [0.2, 0.1, x]));
    }
    let section = Section::full(full()).mass(1.0).inertia([0.2, 0.1, 0.1]).centre([0.1, -0.05]);
    let section = if is_viscous { section.viscosity(0.3 * full()) } else { section };
    let beam = Beam::new("beam", section).through("one.p").through("two.p");
    let beam = beam.through([1.2, -0.7, 0.4]).axis_2([0.1, 0.3, 1.0]).offset([0.1, 0.2]);
    pair.add(beam.nodes(nodes).form(form).chart(chart));
    pair
}

/// Two flexible bodies with every joint between them.
fn flexible(noise: &mut Noise) -> Mechanism {
    let mut pair = Mechanism::new();
    pair.gravity([0.3, -9.0, 2.0]);
    for (name, modes) in [("one", 3), ("two", 2)] {
        let mut vector = |size: f64| size * Vector3::from_fn(|_, _| noise.next());
        let masses: Vec<MassPoint> = (0..7)
            .map(|_| {
                let shapes = (0..modes).map(|_| vector(0.4)).collect();
                MassPoint { mass: 0.3, place: vector(1.0), shapes }
            })
            .collect();
        let points = ["p", "q"].map(|name| ModalPoint {
            name: name.into(),
            place: vector(1.0),
            shapes: (0..modes).map(|_| vector(0.4)).collect(),
            turns: (0..modes).map(|_| vector(0.5)).collect(),
            loads: None,
        });
        let stiffness = DMatrix::from_fn(modes, modes, |i, j| if i == j { 50.0 } else { 7.0 });
        let body = ModalBasis::of_masses(&masses, stiffness).damping_ratio(0.1);
        pair.add(FlexibleBody::spatial(name, points.into_iter().fold(body, ModalBasis::point)));
    }
    joints(&mut pair);
    forces(&mut pair);
    pair
}

/// Bars with consistent masses between point masses.
fn truss() -> Mechanism {
    let mut truss = Mechanism::new();
    truss.gravity([0.0, -9.81, 0.0]);
    truss.add(Body::planar_point_mass("one", 0.3).position([1.0, 0.0]));
    truss.add(Body::planar_point_mass("two", 0.2).position([1.0, 1.0]));
    for (name, one, two) in [("a", "ground", "one"), ("b", "one", "two")] {
        truss.add(Truss::new(name, one, two).stiffness(50.0).mass(0.4).consistent());
    }
    truss
}

/// All forces and constraints that models of the literature may lack, between two bodies.
fn everything() -> Mechanism {
    let mut pair = Mechanism::new();
    for (name, x) in [("one", 0.0), ("two", 0.7)] {
        let body = Body::spatial(name).mass(1.3).inertia([1.0, 1.2, 1.4]).centre([0.1, 0.2, -0.1]);
        let body = body.position([x, 0.3, -0.2]).rotated([0.3, x, -0.4]);
        pair.add(body.point("p", [0.4, 0.1, 0.2]).point("q", [-0.2, 0.3, 0.1]));
    }
    pair.gravity([1.0, 2.0, 3.0].map(|k| Function::of(move |t| (t * k).sin())));
    joints(&mut pair);
    forces(&mut pair);
    let twist = [0.4, -0.3, 0.8].map(Function::from);
    pair.add(Force::torque("twist", "one", twist.clone()));
    pair.add(Force::torque("rotor", "two", twist).following());
    pair.add(
        Force::bushing("bushing", "one.p", "two.q").stiffness_matrix(full()).damping_matrix(full()),
    );
    pair.add(Rolling::new("wheel", "two.p", 0.4).axis([0.2, 1.0, 0.3]));
    pair
}

/// Forces and rows that act on points of rigid and of flexible bodies.
fn forces(pair: &mut Mechanism) {
    let wave = || [1.0, 2.0, 3.0].map(|k| Function::of(move |t| (t * k).sin()));
    let cubic = Law::of(|s, rate| s * s * s + rate.tanh());
    pair.add(Force::spring("spring", "one.p", "two.q").stiffness(7.0).damping(0.4).rest(0.3));
    pair.add(Force::spring("cubic", "one.q", "two.p").law(cubic));
    pair.add(Force::friction("rub", "revolute", 0.3).radius(0.05).transition_speed(0.7));
    pair.add(Force::load("push", "one.p", wave()));
    pair.add(Force::load("thrust", "two.q", wave()).following());
    pair.add(Gear::new("gear", "revolute", "cylindrical", -2.5));
    pair.add(Drive::angle("turn", "revolute", Function::of(|t| t.sin())));
    pair.add(Drive::angular_velocity("speed", "universal", Function::of(|t| t.cos())));
    pair.add(Skate::new("blade", "one.q", [0.5, 0.5, 0.1]));
}

/// Every model of the gallery and of the model files, with its configuration.
fn models() -> Vec<(String, Model, Vec<f64>)> {
    let mut described: Vec<(String, Mechanism)> = Vec::new();
    let mut add = |name: &str, mechanism: Mechanism| described.push((name.into(), mechanism));
    for dimension in [Dimension::Plane, Dimension::Space] {
        add("andrews", gallery::andrews(dimension));
        add("four bars", gallery::four_bars(2, dimension));
        add("chain", gallery::chain(3, dimension));
    }
    add("bricard", gallery::bricard());
    add("governor", gallery::flyball_governor());
    add("slider crank", gallery::spatial_slider_crank());
    add("top", gallery::heavy_top());
    add("pendulum", gallery::spatial_pendulum());
    add("car axis", gallery::car_axis());
    add("disc", gallery::rolling_disc());
    add("everything", everything());
    add("flexible", flexible(&mut Noise(7)));
    add("truss", truss());
    for nodes in [2, 3] {
        for is_viscous in [false, true] {
            add("beam", beam(nodes, BeamForm::Galerkin, Chart::Exponential, is_viscous));
            add("beam", beam(nodes, BeamForm::FiniteVolume, Chart::Exponential, is_viscous));
            add("beam", beam(nodes, BeamForm::FiniteVolume, Chart::Cayley, is_viscous));
        }
    }
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../models");
    let entries = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    let mut paths: Vec<_> = entries.collect();
    // in the same order everywhere: the random states depend on it
    paths.sort();
    for path in paths {
        let model = if path.is_dir() { path.join("model.toml") } else { path.clone() };
        let file = ModelFile::read(&model, &[]).unwrap();
        add(&path.file_stem().unwrap().to_string_lossy(), file.mechanism);
    }
    let compiled = described.into_iter().map(|(name, mechanism)| {
        let (model, q) = mechanism.compile().unwrap();
        (name, model, q)
    });
    // signals have no residuals over other scalars; their gradients are tested against differences
    let with_residuals = compiled.filter(|(_, model, _)| model.residuals::<f64>().is_ok());
    with_residuals.collect()
}

#[test]
fn tangents_agree_with_dual_numbers() {
    let mut noise = Noise(0x9e37_79b9_7f4a_7c15);
    let mut found: BTreeMap<&str, BTreeMap<&str, f64>> = BTreeMap::new();
    let mut wrong = Vec::new();
    for (name, model, q) in models() {
        for &(kind, take) in KINDS {
            let mut only = bare(&model);
            if take(&mut only, &model) == 0 {
                continue;
            }
            for _ in 0..3 {
                let at = Random::new(&model, &q, &mut noise);
                for (what, gap) in deviations(&only, &at, &mut noise) {
                    if gap.is_nan() || gap > ROUND_OFF {
                        wrong.push(format!("{kind} of {name}: {what} deviates by {gap:.1e}"));
                    }
                    let worst = found.entry(kind).or_default().entry(what).or_default();
                    *worst = larger(gap, *worst);
                }
            }
        }
    }
    for (kind, _) in KINDS {
        let all = found.get(kind).unwrap_or_else(|| panic!("no model has a {kind}"));
        let all: Vec<String> = all.iter().map(|(what, gap)| format!("{what} {gap:.0e}")).collect();
        println!("{kind}: {}", all.join(", "));
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// Four states in four lanes give the forces of each state to the last bit.
#[test]
fn lanes_agree_with_plain_numbers() {
    let mut noise = Noise(0x2545_f491_4f6c_dd1d);
    let pack = |states: &[Vec<f64>]| -> Vec<Lanes> {
        let lane = |i: usize| Lanes(std::array::from_fn(|k| states[k][i]));
        (0..states[0].len()).map(lane).collect()
    };
    for (name, model, q) in models() {
        let plain = ModelResiduals::<f64>::new(&model);
        let lanes = ModelResiduals::<Lanes>::new(&model);
        let states: Vec<Random> = (0..4).map(|_| Random::new(&model, &q, &mut noise)).collect();
        let each = |f: fn(&Random) -> &Vec<f64>| -> Vec<Lanes> {
            pack(&states.iter().map(|x| f(x).clone()).collect::<Vec<_>>())
        };
        let t = Lanes(std::array::from_fn(|k| states[k].t));
        let (q, v, multipliers) = (each(|x| &x.q), each(|x| &x.v), each(|x| &x.multipliers));
        let force = lanes.force(t, &q, &v, &multipliers);
        let rate = lanes.constraint_rate(t, &q, &v);
        for (k, x) in states.iter().enumerate() {
            let lane = |x: &[Lanes]| x.iter().map(|x| x.0[k]).collect::<Vec<_>>();
            assert_eq!(lane(&force), plain.force(x.t, &x.q, &x.v, &x.multipliers), "{name}");
            assert_eq!(lane(&rate), plain.constraint_rate(x.t, &x.q, &x.v), "{name}");
        }
    }
}

/// The force by a constant, from a dual number, and from differences: forces are linear in stiffness, so
/// that differences of any size are exact but for round-off.
fn assert_derivative_by_constant(
    model: &Model,
    q: &[f64],
    plain: fn(&mut ModelResiduals<f64>, f64),
    dual: fn(&mut ModelResiduals<Dual64>, Dual64),
) {
    let at = Random::new(model, q, &mut Noise(5));
    let mut varied = ModelResiduals::<Dual64>::new(model);
    dual(&mut varied, Dual64::new(0.0, 1.0));
    let (t, fixed_q) = (Dual64::constant(at.t), fixed(&at.q));
    let found = slopes(varied.force(t, &fixed_q, &fixed(&at.v), &fixed(&at.multipliers)));
    let force = |by: f64| {
        let mut varied = ModelResiduals::<f64>::new(model);
        plain(&mut varied, by);
        varied.force(at.t, &at.q, &at.v, &at.multipliers)
    };
    let (above, below) = (force(1.0), force(-1.0));
    let gaps = above.iter().zip(&below).zip(&found).map(|((a, b), x)| 0.5 * (a - b) - x);
    let gaps: Vec<f64> = gaps.collect();
    assert!(largest(&found) > 1e-3, "{found:?}");
    assert!(largest(&gaps) < 1e-13 * largest(&above), "{gaps:?}");
}

#[test]
fn stiffness_of_a_spring_is_a_variable() {
    fn stiffen<T: Scalar>(residuals: &mut ModelResiduals<T>, by: T) {
        let Law::Linear { stiffness, .. } = &mut residuals.springs[0].law else { panic!() };
        *stiffness += by;
    }
    let (model, q) = everything().compile().unwrap();
    assert_derivative_by_constant(&model, &q, stiffen, stiffen);
}

#[test]
fn axial_stiffness_of_a_beam_is_a_variable() {
    fn stiffen<T: Scalar>(residuals: &mut ModelResiduals<T>, by: T) {
        for beam in &mut residuals.beams3 {
            Arc::make_mut(&mut beam.section_law).stiffness.nn[(0, 0)] += by;
        }
    }
    for form in [BeamForm::Galerkin, BeamForm::FiniteVolume] {
        let (model, q) = beam(3, form, Chart::Exponential, false).compile().unwrap();
        assert_derivative_by_constant(&model, &q, stiffen, stiffen);
    }
}
