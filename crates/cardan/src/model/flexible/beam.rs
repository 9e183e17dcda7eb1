//! Analytic modes of a straight uniform beam along the x axis of its frame.

use std::f64::consts::PI;

use nalgebra::DMatrix;

use super::{MassPoint, ModalBasis, ModalPoint};
use crate::model::Section;
use cardan_core::math::Vector3;

/// How a beam is attached to its frame. This determines its modes; it adds no joints.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Support {
    /// The frame's x axis goes through both ends: φ = sin(iπx/L).
    #[default]
    Pinned,
    /// The frame is fixed to the start: the modes of a cantilever.
    Clamped,
    /// The frame follows the mean motion of the beam: the modes of a free beam.
    Free,
}

impl Support {
    /// Every support, by name.
    pub const ALL: [(&'static str, Self); 3] =
        [("pinned", Self::Pinned), ("clamped", Self::Clamped), ("free", Self::Free)];
}

/// The modes of a straight uniform beam from the frame's origin along x.
#[derive(Clone, Debug, PartialEq)]
pub struct BeamModes {
    /// Its length.
    pub length: f64,
    /// Mass per length.
    pub mass: f64,
    /// Axial stiffness EA; needed for axial modes.
    pub axial_stiffness: f64,
    /// Bending stiffness along y (EI_z) and along z (EI_y).
    pub bending_stiffness: [f64; 2],
    /// Torsional stiffness GJ; needed for torsional modes.
    pub torsional_stiffness: f64,
    /// Moments of inertia of the section per length about x, y and z.
    pub inertia: [f64; 3],
    /// The section's centre of mass from the beam's line, along y and z.
    pub centre: [f64; 2],
    /// Number of modes that bend along y, and along z.
    pub bending: [usize; 2],
    /// Number of axial modes.
    pub axial: usize,
    /// Number of torsional modes.
    pub torsion: usize,
    /// How the beam is attached to its frame.
    pub support: Support,
    /// Further named points at positions from 0 to 1 along the beam; `start`, `mid` and `end` are always
    /// present.
    pub points: Vec<(String, f64)>,
}

impl Default for BeamModes {
    fn default() -> Self {
        Self {
            length: 1.0,
            mass: 1.0,
            axial_stiffness: 0.0,
            bending_stiffness: [0.0; 2],
            torsional_stiffness: 0.0,
            inertia: [0.0; 3],
            centre: [0.0; 2],
            bending: [0; 2],
            axial: 0,
            torsion: 0,
            support: Support::Pinned,
            points: Vec::new(),
        }
    }
}

/// The kind of a mode.
#[derive(Clone, Copy)]
enum BeamModeKind {
    /// Bending along y (0) or z (1).
    Bending(usize),
    Axial,
    Torsion,
}

/// A value with its first three derivatives.
type Curve = [f64; 4];

impl BeamModes {
    /// A beam with the stiffnesses and masses of a section, without modes.
    pub fn of_section(length: f64, section: &Section) -> Self {
        let along = |k: usize| section.stiffness[(k, k)];
        Self {
            length,
            mass: section.mass,
            axial_stiffness: along(0),
            // bending along axis 2 turns about axis 3
            bending_stiffness: [along(5), along(4)],
            torsional_stiffness: along(3),
            inertia: section.inertia,
            centre: section.centre,
            ..Self::default()
        }
    }

    /// The body with these modes: bending along y first, then along z, then axial and torsional ones.
    pub fn body(&self) -> ModalBasis {
        let modes = self.list();
        let n = modes.len();
        // Gauss points: enough for products of the shortest waves
        let panels = 8 + 4 * n;
        let width = self.length / panels as f64;
        let mut stiffness = DMatrix::zeros(n, n);
        for panel in 0..panels {
            for (xi, weight) in GAUSS {
                let x = width * (panel as f64 + 0.5 + 0.5 * xi);
                for (k, &(kind, number)) in modes.iter().enumerate() {
                    let curve = self.shape(kind, number, x);
                    // modes of one kind are orthogonal
                    stiffness[(k, k)] += 0.5
                        * weight
                        * width
                        * match kind {
                            BeamModeKind::Bending(axis) => {
                                self.bending_stiffness[axis] * curve[2].powi(2)
                            }
                            BeamModeKind::Axial => self.axial_stiffness * curve[1].powi(2),
                            BeamModeKind::Torsion => self.torsional_stiffness * curve[1].powi(2),
                        };
                }
            }
        }
        let own = [("start", 0.0), ("mid", 0.5), ("end", 1.0)].map(|(name, at)| (name.into(), at));
        let mut body = ModalBasis::empty(stiffness);
        for panel in 0..panels {
            for (xi, weight) in GAUSS {
                let x = width * (panel as f64 + 0.5 + 0.5 * xi);
                self.slice(&modes, x, 0.5 * weight * width, &mut body);
            }
        }
        body.symmetrize();
        for (name, at) in own.into_iter().chain(self.points.iter().cloned()) {
            body = body.point(self.point(&modes, name, at));
        }
        body
    }

    /// The modes in order: kind, and number within the kind from one.
    fn list(&self) -> Vec<(BeamModeKind, usize)> {
        let bending = (0..2).flat_map(|axis| {
            (1..=self.bending[axis]).map(move |i| (BeamModeKind::Bending(axis), i))
        });
        let axial = (1..=self.axial).map(|i| (BeamModeKind::Axial, i));
        let torsion = (1..=self.torsion).map(|i| (BeamModeKind::Torsion, i));
        bending.chain(axial).chain(torsion).collect()
    }

    /// The shape of mode number i (from one) of a kind.
    fn shape(&self, kind: BeamModeKind, i: usize, x: f64) -> Curve {
        let length = self.length;
        match (kind, self.support) {
            (BeamModeKind::Bending(_), Support::Pinned) => wave(i as f64 * PI / length, x, 0.0),
            (BeamModeKind::Bending(_), Support::Clamped) => clamped(i, x / length).scaled(length),
            (BeamModeKind::Bending(_), Support::Free) => free(i, x / length).scaled(length),
            (_, Support::Free) => wave(i as f64 * PI / length, x, 0.5 * PI),
            (_, _) => wave((i as f64 - 0.5) * PI / length, x, 0.0),
        }
    }

    /// Displacement and rotation of the section at x in a mode.
    fn motion(&self, kind: BeamModeKind, i: usize, x: f64) -> [Vector3; 2] {
        let [value, slope, ..] = self.shape(kind, i, x);
        match kind {
            BeamModeKind::Bending(0) => [Vector3::y() * value, Vector3::z() * slope],
            BeamModeKind::Bending(_) => [Vector3::z() * value, -Vector3::y() * slope],
            BeamModeKind::Axial => [Vector3::x() * value, Vector3::zeros()],
            BeamModeKind::Torsion => [Vector3::zeros(), Vector3::x() * value],
        }
    }

    /// Adds a thin slice: its mass at its centre, and its rotary inertia.
    fn slice(&self, modes: &[(BeamModeKind, usize)], x: f64, length: f64, body: &mut ModalBasis) {
        let motions = modes.iter().map(|&(kind, i)| self.motion(kind, i, x));
        let (moves, turns): (Vec<Vector3>, Vec<Vector3>) =
            motions.map(|[shift, turn]| (shift, turn)).unzip();
        let offset = Vector3::new(0.0, self.centre[0], self.centre[1]);
        let shapes = moves.iter().zip(&turns).map(|(shift, turn)| shift + turn.cross(&offset));
        let place = Vector3::new(x, 0.0, 0.0) + offset;
        let piece = MassPoint { mass: self.mass * length, place, shapes: shapes.collect() };
        body.add_product(piece.mass, &piece, &piece);
        body.add_rotary_inertia(&(length * Vector3::from(self.inertia)), &turns);
    }

    fn point(&self, modes: &[(BeamModeKind, usize)], name: String, at: f64) -> ModalPoint {
        let x = at * self.length;
        let motions = modes.iter().map(|&(kind, i)| self.motion(kind, i, x));
        let (shapes, turns) = motions.map(|[shape, turn]| (shape, turn)).unzip();
        let loads = modes.iter().map(|&(kind, i)| {
            let [_, first, second, third] = self.shape(kind, i, x);
            match kind {
                BeamModeKind::Bending(0) => {
                    let stiffness = self.bending_stiffness[0];
                    [-Vector3::y() * (stiffness * third), Vector3::z() * (stiffness * second)]
                }
                BeamModeKind::Bending(_) => {
                    let stiffness = self.bending_stiffness[1];
                    [-Vector3::z() * (stiffness * third), -Vector3::y() * (stiffness * second)]
                }
                BeamModeKind::Axial => {
                    [Vector3::x() * (self.axial_stiffness * first), Vector3::zeros()]
                }
                BeamModeKind::Torsion => {
                    [Vector3::zeros(), Vector3::x() * (self.torsional_stiffness * first)]
                }
            }
        });
        let loads = Some(loads.collect());
        ModalPoint { name, place: Vector3::new(x, 0.0, 0.0), shapes, turns, loads }
    }
}

/// sin(kx + φ).
fn wave(k: f64, x: f64, phase: f64) -> Curve {
    let (sine, cosine) = (k * x + phase).sin_cos();
    [sine, k * cosine, -k * k * sine, -k * k * k * cosine]
}

trait Scaled {
    fn scaled(self, length: f64) -> Self;
}

impl Scaled for Curve {
    /// From a function of x/L to one of x.
    fn scaled(self, length: f64) -> Self {
        [self[0], self[1] / length, self[2] / length.powi(2), self[3] / length.powi(3)]
    }
}

/// The root near (i − ½)π of cos β = ∓1/cosh β.
fn root(i: usize, free: bool) -> f64 {
    let sign = if free { -1.0 } else { 1.0 };
    let mut beta = if free { (i as f64 + 0.5) * PI } else { (i as f64 - 0.5) * PI };
    for _ in 0..50 {
        // cos β + sign/cosh β = 0
        let small = 1.0 / beta.cosh();
        let value = beta.cos() + sign * small;
        let slope = -beta.sin() - sign * small * beta.tanh();
        let step = value / slope;
        beta -= step;
        if step.abs() < 1e-15 * beta {
            break;
        }
    }
    beta
}

/// cosh − σ sinh and its derivatives, from exponentials that do not cancel.
fn hyperbolic(beta: f64, x: f64, one_less_sigma: f64) -> Curve {
    let growing = 0.5 * one_less_sigma * (beta * x).exp();
    let decaying = 0.5 * (2.0 - one_less_sigma) * (-beta * x).exp();
    [
        growing + decaying,
        beta * (growing - decaying),
        beta.powi(2) * (growing + decaying),
        beta.powi(3) * (growing - decaying),
    ]
}

/// cos − σ sin and its derivatives.
fn circular(beta: f64, x: f64, sigma: f64) -> Curve {
    let (sine, cosine) = (beta * x).sin_cos();
    let (value, slope) = (cosine - sigma * sine, -sine - sigma * cosine);
    [value, beta * slope, -beta.powi(2) * value, -beta.powi(3) * slope]
}

/// Mode i of a cantilever of length one.
fn clamped(i: usize, x: f64) -> Curve {
    let beta = root(i, false);
    // σ = (cosh + cos)/(sinh + sin)
    let rest = (beta.sin() - beta.cos() - (-beta).exp()) / (beta.sinh() + beta.sin());
    let (hyperbolic, circular) = (hyperbolic(beta, x, rest), circular(beta, x, 1.0 - rest));
    std::array::from_fn(|k| hyperbolic[k] - circular[k])
}

/// Bending mode i of a free beam of length one.
fn free(i: usize, x: f64) -> Curve {
    let beta = root(i, true);
    // σ = (cosh − cos)/(sinh − sin)
    let rest = (beta.cos() - beta.sin() - (-beta).exp()) / (beta.sinh() - beta.sin());
    let (hyperbolic, circular) = (hyperbolic(beta, x, rest), circular(beta, x, 1.0 - rest));
    std::array::from_fn(|k| hyperbolic[k] + circular[k])
}

/// Gauss points and weights on (−1, 1), exact to degree nine.
const GAUSS: [(f64, f64); 5] = [
    (0.0, 0.568_888_888_888_888_9),
    (-0.538_469_310_105_683_1, 0.478_628_670_499_366_47),
    (0.538_469_310_105_683_1, 0.478_628_670_499_366_47),
    (-0.906_179_845_938_664, 0.236_926_885_056_189_08),
    (0.906_179_845_938_664, 0.236_926_885_056_189_08),
];
