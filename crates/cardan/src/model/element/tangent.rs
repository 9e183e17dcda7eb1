//! What an element writes when it knows its derivatives.

use super::ElementView;
use super::matrices::{ElementMatrices, ElementRateMatrices};
use super::site::CompiledSite;
use crate::model::PairVelocity;
use crate::model::node_measure::PositionKinematics;
use cardan_core::math::{Matrix3, Vector3, hat};
use cardan_core::system::ForceTangent;

/// The two halves of a body's motion.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Side {
    /// The place of its centre of mass, world axes; a force.
    Place,
    /// Its rotation, body axes; a moment about the centre of mass.
    Turn,
}

/// The derivatives of an element's loads over the coordinates of its own nodes. Each has the sign it has
/// on the left-hand side of the equations: stiffness is −∂f/∂q, damping −∂f/∂v.
pub struct ElementTangent<'a> {
    place: PositionKinematics<'a>,
    v: &'a [f64],
    sites: &'a [CompiledSite],
    sink: TangentSink<'a>,
}

enum TangentSink<'a> {
    /// The matrices of the model.
    Model(&'a mut dyn WholeTangent),
    /// Those of one element.
    Own(&'a mut ElementMatrices),
}

/// Reborrows the tangents of a model, whatever their lifetime.
pub(in crate::model) trait WholeTangent {
    /// The tangents.
    fn get(&mut self) -> ForceTangent<'_>;
}

impl WholeTangent for ForceTangent<'_> {
    fn get(&mut self) -> ForceTangent<'_> {
        let Self { stiffness, damping, multipliers, states } = self;
        ForceTangent { stiffness, damping, multipliers, states }
    }
}

impl<'a> ElementTangent<'a> {
    /// Over the coordinates of the model.
    pub(in crate::model) fn new(at: &ElementView<'a>, out: &'a mut dyn WholeTangent) -> Self {
        Self { place: at.place, v: at.v, sites: at.sites, sink: TangentSink::Model(out) }
    }

    /// Over the coordinates of one element.
    pub(in crate::model) fn own(at: &ElementView<'a>, own: &'a mut ElementMatrices) -> Self {
        Self { place: at.place, v: at.v, sites: at.sites, sink: TangentSink::Own(own) }
    }

    /// The tangents of the model, for kinds that know their places in it.
    pub(in crate::model) fn whole(&mut self) -> Option<ForceTangent<'_>> {
        match &mut self.sink {
            TangentSink::Model(out) => Some(out.get()),
            TangentSink::Own(_) => None,
        }
    }

    fn node(&self, k: usize) -> Option<usize> {
        match self.sites.get(k) {
            Some(CompiledSite::Point { node, .. }) => Some(*node),
            _ => None,
        }
    }

    fn add(
        &mut self,
        which: TangentPart,
        [i, j]: [usize; 2],
        [row, column]: [usize; 2],
        block: &Matrix3,
    ) {
        let nodes = self.place.nodes;
        let TangentSink::Own(own) = &mut self.sink else { return };
        let (Some(first), Some(other)) = (own.first(i), own.first(j)) else { return };
        let matrix = match which {
            TangentPart::Stiffness => &mut own.stiffness,
            TangentPart::Damping => &mut own.damping,
        };
        for (b, column) in nodes[j].offsets(column) {
            for (a, row) in nodes[i].offsets(row) {
                matrix[(first + row, other + column)] += block[(a, b)];
            }
        }
    }

    /// Adds −∂(load on the body of site i)/∂(motion of the body of site j): loads about the centre of mass,
    /// forces and places in world axes, moments and rotations in body axes.
    pub fn stiffness(&mut self, i: (usize, Side), j: (usize, Side), block: &Matrix3) {
        self.block(TangentPart::Stiffness, i, j, block);
    }

    /// The same for −∂(load)/∂(velocity).
    pub fn damping(&mut self, i: (usize, Side), j: (usize, Side), block: &Matrix3) {
        self.block(TangentPart::Damping, i, j, block);
    }

    fn block(&mut self, which: TangentPart, i: (usize, Side), j: (usize, Side), block: &Matrix3) {
        let (Some(row), Some(column)) = (self.node(i.0), self.node(j.0)) else { return };
        self.add(which, [row, column], [i.1 as usize, j.1 as usize], block);
    }

    /// Adds what belongs to a force on the point of site i that depends on the motion of the point of site j:
    /// stiffness −∂F/∂p and damping −∂F/∂ṗ, world axes. Add [`Tangent::force`] once for each force too.
    pub fn points(&mut self, i: usize, j: usize, stiffness: &Matrix3, damping: &Matrix3) {
        let point = |k: usize| match self.sites.get(k) {
            Some(CompiledSite::Point { node, point }) => Some((*node, *point)),
            _ => None,
        };
        let (Some((row, arm)), Some((column, lever))) = (point(i), point(j)) else { return };
        let (back, rotation) =
            (self.place.frames[row].rotation.transpose(), self.place.frames[column].rotation);
        // δp = δx − R[s]δθ, δṗ = δv − R[s]δω − R[ω × s]δθ; the moment is s × RᵀF
        let (turned, couple) = (-rotation * hat(&lever), hat(&arm) * back);
        let omega = self.place.nodes[column].velocity(1, self.v);
        let swung = -rotation * hat(&omega.cross(&lever));
        let whole = stiffness * turned + damping * swung;
        let nodes = [row, column];
        for (which, place, turn) in [
            (TangentPart::Stiffness, stiffness, whole),
            (TangentPart::Damping, damping, damping * turned),
        ] {
            self.add(which, nodes, [0, 0], place);
            self.add(which, nodes, [0, 1], &turn);
            self.add(which, nodes, [1, 0], &(couple * place));
            self.add(which, nodes, [1, 1], &(couple * turn));
        }
    }

    /// Adds what a force at the point of site i does when its body turns under it: the force itself, world
    /// axes.
    pub fn force(&mut self, i: usize, force: &Vector3) {
        let Some(CompiledSite::Point { node, point }) = self.sites.get(i) else { return };
        let local = self.place.frames[*node].rotation.tr_mul(force);
        let block = -hat(point) * hat(&local);
        self.add(TangentPart::Stiffness, [*node, *node], [1, 1], &block);
    }

    /// Adds what belongs to a force along coordinate i that depends on coordinate j: stiffness −∂F/∂s and
    /// damping −∂F/∂ṡ. Add [`Tangent::along`] once for each force too.
    pub fn coordinates(&mut self, i: usize, j: usize, stiffness: f64, damping: f64) {
        let sites = self.sites;
        let (Some(CompiledSite::Coordinate(one)), Some(CompiledSite::Coordinate(two))) =
            (sites.get(i), sites.get(j))
        else {
            return;
        };
        let (left, right) = (one.gradient(self.place), two.gradient(self.place));
        let turning = two.rate_gradient(self.place, &two.motion(self.place.nodes, self.v));
        let product = |left: &PairVelocity<f64>,
                       right: &PairVelocity<f64>,
                       factor: f64,
                       a: usize,
                       b: usize| { factor * left[a] * right[b].transpose() };
        for a in 0..4 {
            for b in 0..4 {
                let nodes = [one.sides[a / 2], two.sides[b / 2]];
                let parts = [a % 2, b % 2];
                let stiff = product(&left, &right, stiffness, a, b)
                    + product(&left, &turning, damping, a, b);
                self.add(TangentPart::Stiffness, nodes, parts, &stiff);
                self.add(
                    TangentPart::Damping,
                    nodes,
                    parts,
                    &product(&left, &right, damping, a, b),
                );
            }
        }
    }

    /// Adds what a force along coordinate i does as its direction turns: the force itself.
    pub fn along(&mut self, i: usize, force: f64) {
        let Some(CompiledSite::Coordinate(gauge)) = self.sites.get(i) else { return };
        let place = self.place;
        gauge.curvature(place, |a, b, block| {
            let nodes = [gauge.sides[a / 2], gauge.sides[b / 2]];
            self.add(TangentPart::Stiffness, nodes, [a % 2, b % 2], &(-force * block));
        });
    }

    /// Adds −∂F/∂z of a force at the point of site i, world axes, and state k.
    pub fn point_state(&mut self, i: usize, k: usize, slope: &Vector3) {
        let Some(CompiledSite::Point { node, point }) = self.sites.get(i) else { return };
        let turned = point.cross(&self.place.frames[*node].rotation.tr_mul(slope));
        let mut values = [Vector3::zeros(); 2];
        values.copy_from_slice(&[*slope, turned]);
        self.add_state(*node, &values, k);
    }

    /// Adds −∂F/∂z of a force along coordinate i and state k.
    pub fn coordinate_state(&mut self, i: usize, k: usize, slope: f64) {
        let Some(CompiledSite::Coordinate(gauge)) = self.sites.get(i) else { return };
        let gradient = gauge.gradient(self.place).map(|g| slope * g);
        for side in 0..2 {
            let values = [gradient[2 * side], gradient[2 * side + 1]];
            self.add_state(gauge.sides[side], &values, k);
        }
    }

    fn add_state(&mut self, node: usize, values: &[Vector3; 2], k: usize) {
        let nodes = self.place.nodes;
        let TangentSink::Own(own) = &mut self.sink else { return };
        let Some(first) = own.first(node).filter(|_| k < own.states.ncols()) else { return };
        for (part, values) in values.iter().enumerate() {
            for (component, offset) in nodes[node].offsets(part) {
                own.states[(first + offset, k)] += values[component];
            }
        }
    }
}

#[derive(Clone, Copy)]
enum TangentPart {
    Stiffness,
    Damping,
}

/// The derivatives of the rates ż of an element's states.
pub struct RateTangent<'a> {
    place: PositionKinematics<'a>,
    v: &'a [f64],
    sites: &'a [CompiledSite],
    pub(super) own: &'a mut ElementRateMatrices,
}

impl<'a> RateTangent<'a> {
    pub(in crate::model) fn new(at: &ElementView<'a>, own: &'a mut ElementRateMatrices) -> Self {
        Self { place: at.place, v: at.v, sites: at.sites, own }
    }

    /// Adds ∂ż/∂z of states k and l.
    pub fn state(&mut self, k: usize, l: usize, slope: f64) {
        if let Some(value) = self.own.state.get_mut((k, l)) {
            *value += slope;
        }
    }

    /// Adds ∂ż/∂s and ∂ż/∂ṡ of state k and the coordinate of site j.
    pub fn coordinate(&mut self, k: usize, j: usize, value: f64, rate: f64) {
        let Some(CompiledSite::Coordinate(gauge)) = self.sites.get(j) else { return };
        let gradient = gauge.gradient(self.place);
        let turning = gauge.rate_gradient(self.place, &gauge.motion(self.place.nodes, self.v));
        for column in 0..4 {
            let (node, part) = (gauge.sides[column / 2], column % 2);
            let moved = value * gradient[column] + rate * turning[column];
            self.add(k, node, part, &moved, &(rate * gradient[column]));
        }
    }

    /// Adds ∂ż/∂p and ∂ż/∂ṗ of state k and the point of site j, world axes.
    pub fn point(&mut self, k: usize, j: usize, place: &Vector3, velocity: &Vector3) {
        let Some(CompiledSite::Point { node, point }) = self.sites.get(j) else { return };
        let rotation = &self.place.frames[*node].rotation;
        let turned = -rotation * hat(point);
        let omega = self.place.nodes[*node].velocity(1, self.v);
        let swung = -rotation * hat(&omega.cross(point));
        self.add(k, *node, 0, place, velocity);
        let turn = turned.tr_mul(place) + swung.tr_mul(velocity);
        self.add(k, *node, 1, &turn, &turned.tr_mul(velocity));
    }

    fn add(&mut self, k: usize, node: usize, part: usize, q: &Vector3, v: &Vector3) {
        let found = self.own.nodes.iter().find(|(known, _)| *known == node);
        let Some(first) = found.map(|(_, first)| *first) else { return };
        if k >= self.own.state.nrows() {
            return;
        }
        for (component, offset) in self.place.nodes[node].offsets(part) {
            self.own.configuration[(k, first + offset)] += q[component];
            self.own.velocity[(k, first + offset)] += v[component];
        }
    }
}
