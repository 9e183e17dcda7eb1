//! Distributes the mass and the loads of a beam to its nodes.

use super::Mesh;
use super::path::stretch;
use crate::model::Beam;
use crate::model::elements::ShapeFunctions;
use cardan_core::math::{Matrix3, Vector3};

/// Mass with its first and second moments about a point, world axes.
#[derive(Clone, Copy, Debug)]
pub(super) struct LumpedMass {
    pub mass: f64,
    pub first: Vector3,
    pub second: Matrix3,
}

impl LumpedMass {
    const NONE: Self = Self {
        mass: 0.0,
        first: Vector3::new(0.0, 0.0, 0.0),
        second: Matrix3::new(0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0),
    };

    /// Adds a piece whose centre is at y; `about_centre` is its inertia about this centre.
    fn add(&mut self, mass: f64, y: &Vector3, about_centre: &Matrix3) {
        self.mass += mass;
        self.first += mass * y;
        self.second += about_centre + mass * spread(y);
    }
}

/// |y|² I − y yᵀ.
pub(super) fn spread(y: &Vector3) -> Matrix3 {
    Matrix3::from_diagonal_element(y.norm_squared()) - y * y.transpose()
}

/// Five Gauss points on −1…1 with their weights.
const GAUSS: [(f64, f64); 5] = [
    (-0.906_179_845_938_664, 0.236_926_885_056_189_1),
    (-0.538_469_310_105_683_1, 0.478_628_670_499_366_5),
    (0.0, 0.568_888_888_888_888_9),
    (0.538_469_310_105_683_1, 0.478_628_670_499_366_5),
    (0.906_179_845_938_664, 0.236_926_885_056_189_1),
];

/// The lumped mass of each node; also sets the nodes' shares of distributed loads.
pub(super) fn lump(beam: &Beam, mesh: &mut Mesh) -> Vec<LumpedMass> {
    let mut lumps = vec![LumpedMass::NONE; mesh.nodes.len()];
    let section = &beam.section;
    let tensor = Matrix3::from_diagonal(&section.inertia.into());
    let centre = Vector3::new(0.0, section.centre[0], section.centre[1]);
    let volumes = beam.has_volumes();
    for element in &mesh.elements {
        // the volumes along the element: node, from and to
        let cut = 1.0 / 3.0_f64.sqrt();
        let parts: &[(usize, f64, f64)] = match beam.nodes {
            3 => &[(0, -1.0, -cut), (1, -cut, cut), (2, cut, 1.0)],
            _ => &[(0, -1.0, 0.0), (1, 0.0, 1.0)],
        };
        for &(k, from, to) in parts {
            let (i, s) = (element.nodes[k], &element.s[k]);
            let turned = s * tensor * s.transpose();
            let base = mesh.nodes[i].p;
            let mut add = |length: f64, at: Vector3, loaded: Vector3| {
                let y = at + s * centre - base;
                lumps[i].add(section.mass * length, &y, &(length * turned));
                let node = &mut mesh.nodes[i];
                node.share += length;
                // the first moment; divided by the share below
                node.arm += length * (loaded - base);
            };
            if volumes {
                for (point, weight) in GAUSS {
                    let xi = 0.5 * ((1.0 - point) * from + (1.0 + point) * to);
                    let (p, length) = match beam.nodes {
                        3 => {
                            let (n, _) = ShapeFunctions::<3>::at(xi);
                            let p = n[0] * element.p[0] + n[1] * element.p[1] + n[2] * element.p[2];
                            (p, stretch(&element.p, xi))
                        }
                        _ => {
                            let (n, _) = ShapeFunctions::<2>::at(xi);
                            (n[0] * element.p[0] + n[1] * element.p[1], 0.5 * element.length)
                        }
                    };
                    add(0.5 * (to - from) * weight * length, p, p);
                }
            } else if beam.nodes == 3 {
                let (xi, weight) = [(-1.0, 1.0), (0.0, 4.0), (1.0, 1.0)][k];
                add(weight / 3.0 * stretch(&element.p, xi), element.p[k], element.p[k]);
            } else {
                // with residual flexibility the exact load has end moments q L²/12
                let inward = if beam.residual_flexibility { 1.0 / 6.0 } else { 0.0 };
                let loaded = element.p[k] + inward * (element.p[1 - k] - element.p[k]);
                add(0.5 * element.length, element.p[k], loaded);
            }
        }
    }
    for node in &mut mesh.nodes {
        node.arm /= node.share;
    }
    lumps
}
