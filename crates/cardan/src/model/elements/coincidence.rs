//! Two points together: d = x₂ + R₂s₂ − x₁ − R₁s₁ = 0, in world axes.

use super::super::gauge::Placed;
use super::super::node::Node;
use crate::linalg::Entries;
use crate::math::{Matrix3, Vector3, hat};

/// Three rows, or two in the plane, or fewer if some follow from other joints.
#[derive(Clone, Copy, Debug)]
pub(in crate::model) struct Coincidence {
    pub sides: [usize; 2],
    pub points: [Vector3; 2],
    /// The row along x, y and z.
    pub rows: [Option<usize>; 3],
}

impl Coincidence {
    fn present(&self) -> impl Iterator<Item = (usize, usize)> + '_ {
        self.rows.iter().enumerate().filter_map(|(k, row)| row.map(|row| (k, row)))
    }

    /// The two sides with their signs.
    fn ends<'a>(&self, at: Placed<'a>) -> [(&'a Node, Matrix3, Vector3, f64); 2] {
        let end = |k: usize, sign| {
            let side = self.sides[k];
            (&at.nodes[side], at.frames[side].rotation, self.points[k], sign)
        };
        [end(0, -1.0), end(1, 1.0)]
    }

    /// The multipliers as a vector, zero where there is no row.
    pub fn multipliers(&self, multipliers: &[f64]) -> Vector3 {
        let mut out = Vector3::zeros();
        self.present().for_each(|(k, row)| out[k] = multipliers[row]);
        out
    }

    pub fn value(&self, at: Placed<'_>, phi: &mut [f64]) {
        let [one, two] = self.sides.map(|side| &at.frames[side]);
        let gap = two.point(&self.points[1]) - one.point(&self.points[0]);
        self.present().for_each(|(k, row)| phi[row] = gap[k]);
    }

    /// ±[I, −R[s]].
    pub fn jacobian(&self, at: Placed<'_>, jacobian: &mut Entries) {
        for (node, rotation, point, sign) in self.ends(at) {
            let lever = -sign * rotation * hat(&point);
            for (k, row) in self.present() {
                node.add_entry(row, k, sign, jacobian);
                node.add_row(row, 1, &lever.row(k).transpose(), jacobian);
            }
        }
    }

    /// ±R(Ω × (Ω × s)).
    pub fn acceleration(&self, at: Placed<'_>, v: &[f64], out: &mut [f64]) {
        for (node, rotation, point, sign) in self.ends(at) {
            let omega = node.velocity(1, v);
            let centripetal = rotation * omega.cross(&omega.cross(&point));
            self.present().for_each(|(k, row)| out[row] += sign * centripetal[k]);
        }
    }

    /// ±[s][Rᵀλ].
    pub fn multiplier_tangent(&self, at: Placed<'_>, multipliers: &[f64], tangent: &mut Entries) {
        let force = self.multipliers(multipliers);
        for (node, rotation, point, sign) in self.ends(at) {
            let block = sign * hat(&point) * hat(&rotation.tr_mul(&force));
            node.add_block(1, node, 1, &block, tangent);
        }
    }

    /// ∓R[Ω × s].
    pub fn velocity_tangent(&self, at: Placed<'_>, v: &[f64], out: &mut Entries) {
        for (node, rotation, point, sign) in self.ends(at) {
            let block = -sign * rotation * hat(&node.velocity(1, v).cross(&point));
            for (k, row) in self.present() {
                node.add_row(row, 1, &block.row(k).transpose(), out);
            }
        }
    }
}
