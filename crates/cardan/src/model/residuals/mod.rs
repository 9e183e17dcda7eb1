//! The residuals of a model over any scalar: its elements with their constants cast, and the sums over
//! them. Dual numbers differentiate these sums by positions, velocities, multipliers, or constants.

#[cfg(test)]
mod lanes;
#[cfg(test)]
mod tests;

use nalgebra::DMatrix;

use super::compiled::Model;
use super::elements::{
    Alignment, BeamElement, Bushing, Coincidence, FloatingFrameBody, Friction, HolonomicRow,
    LinearStructure, Load, NonholonomicRow, RigidBody, SharedMass, Spring,
};
use super::node::Node;
use super::node_measure::{NodeMeasure, PositionKinematics};
use super::points::Attachment;
use super::values::{FunctionInput, vector};
use super::{BodyKind, Frame, Function, Measure};
use cardan_core::linalg::{MatrixSink, ProductSink, TransposedProductSink};
use cardan_core::math::Scalar;
use cardan_core::system::Failure;

/// The residuals of a model over a scalar: its elements with their constants cast. With dual numbers they
/// give exact derivatives by time, positions, velocities or multipliers, also in given directions.
///
/// Vectors of a wrong length give NaN.
pub struct ModelResiduals<T> {
    pub(in crate::model) nodes: Vec<Node>,
    pub(in crate::model) gravity: [Function; 3],
    pub(in crate::model) rigid: Vec<RigidBody<T>>,
    pub(in crate::model) shared: Vec<SharedMass<T>>,
    pub(in crate::model) springs: Vec<Spring<T>>,
    pub(in crate::model) bushings: Vec<Bushing<T>>,
    pub(in crate::model) frictions: Vec<Friction<T>>,
    pub(in crate::model) loads: Vec<Load<T>>,
    pub(in crate::model) beams2: Vec<BeamElement<2, 1, T>>,
    pub(in crate::model) beams3: Vec<BeamElement<3, 2, T>>,
    pub(in crate::model) flexible: Vec<FloatingFrameBody<T>>,
    pub(in crate::model) structures: Vec<LinearStructure<T>>,
    pub(in crate::model) coincidences: Vec<Coincidence<T>>,
    pub(in crate::model) alignments: Vec<Alignment<T>>,
    pub(in crate::model) holonomic_rows: Vec<HolonomicRow<T>>,
    pub(in crate::model) rates: Vec<NonholonomicRow<T>>,
    /// Points of flexible bodies, which are the last nodes.
    pub(in crate::model) points: Vec<Attachment<T>>,
    /// Number of configuration values.
    configurations: usize,
    /// Number of velocities without those of points, and with them.
    velocities: [usize; 2],
    /// Number of constraint rows.
    rows: usize,
}

/// A configuration; the points of flexible bodies follow the other coordinates.
struct Configuration<T> {
    q: Vec<T>,
    frames: Vec<Frame<T>>,
    /// The Jacobian J of each point.
    jacobians: Vec<DMatrix<T>>,
}

impl<T: Scalar> ModelResiduals<T> {
    /// The elements of a model with their constants cast.
    pub(super) fn new(model: &Model) -> Self {
        let own = model.space.velocities();
        let all =
            own + model.points.list.iter().map(|x| model.nodes[x.node].velocities()).sum::<usize>();
        Self {
            nodes: model.nodes.clone(),
            gravity: model.gravity.clone(),
            rigid: model.rigid().map(|x| x.cast()).collect(),
            shared: model.shared.iter().map(SharedMass::cast).collect(),
            springs: model.elements.springs.iter().map(Spring::cast).collect(),
            bushings: model.elements.bushings.iter().map(Bushing::cast).collect(),
            frictions: model.elements.frictions.iter().map(Friction::cast).collect(),
            loads: model.elements.loads.iter().map(Load::cast).collect(),
            beams2: model.elements.beams2.iter().map(BeamElement::cast).collect(),
            beams3: model.elements.beams3.iter().map(BeamElement::cast).collect(),
            flexible: model.flexible.iter().map(FloatingFrameBody::cast).collect(),
            structures: model.structures.iter().map(LinearStructure::cast).collect(),
            coincidences: model.coincidences.iter().map(Coincidence::cast).collect(),
            alignments: model.alignments.iter().map(Alignment::cast).collect(),
            holonomic_rows: model.holonomic_rows.iter().map(HolonomicRow::cast).collect(),
            rates: model.nonholonomic_rows.iter().map(NonholonomicRow::cast).collect(),
            points: model.points.list.iter().map(Attachment::cast).collect(),
            configurations: model.space.configurations(),
            velocities: [own, all],
            rows: model.rows.len(),
        }
    }

    /// Whether vectors over the configuration, the velocities and the rows have these lengths.
    fn fits(&self, q: &[T], v: Option<&[T]>, rows: Option<&[T]>) -> bool {
        q.len() == self.configurations
            && v.is_none_or(|v| v.len() == self.velocities[0])
            && rows.is_none_or(|rows| rows.len() == self.rows)
    }

    fn configuration(&self, q: &[T]) -> Configuration<T> {
        let mut q = q.to_vec();
        for point in &self.points {
            let node = &self.nodes[point.node];
            let count = if node.kind == Some(BodyKind::Planar) { 3 } else { 7 };
            q.resize(node.q + count, T::zero());
            point.place(&self.flexible[point.body], &self.nodes, &mut q);
        }
        let frames = self.nodes.iter().map(|node| node.frame(&q)).collect();
        let mut here = Configuration { q, frames, jacobians: Vec::new() };
        let jacobian = |point: &Attachment<T>| {
            let (rows, columns) =
                (self.nodes[point.node].velocities(), self.columns(point).count());
            let mut out = DMatrix::repeat(rows, columns, T::zero());
            point.jacobian(&self.flexible[point.body], self.placed(&here), &mut out);
            out
        };
        let jacobians = self.points.iter().map(jacobian).collect();
        here.jacobians = jacobians;
        here
    }

    fn placed<'a>(&'a self, here: &'a Configuration<T>) -> PositionKinematics<'a, T> {
        PositionKinematics { nodes: &self.nodes, frames: &here.frames, q: &here.q }
    }

    /// The velocities that move a point.
    fn columns(&self, point: &Attachment<T>) -> impl Iterator<Item = usize> + use<T> {
        let body = &self.flexible[point.body];
        let node = &self.nodes[body.node];
        (node.v..node.v + node.velocities()).chain(body.v..body.v + body.modal.modes())
    }

    /// Velocities, followed by those of the points.
    fn extended(&self, here: &Configuration<T>, v: &[T]) -> Vec<T> {
        let mut out = v.to_vec();
        out.resize(self.velocities[1], T::zero());
        for (point, jacobian) in self.points.iter().zip(&here.jacobians) {
            let first = self.nodes[point.node].v;
            for i in 0..jacobian.nrows() {
                let terms = self.columns(point).enumerate().map(|(j, c)| jacobian[(i, j)] * v[c]);
                out[first + i] = terms.sum();
            }
        }
        out
    }

    /// Jᵀ f: transfers loads on points to the coordinates of their bodies.
    fn reduced(&self, here: &Configuration<T>, loads: &[T]) -> Vec<T> {
        let mut out = loads[..self.velocities[0]].to_vec();
        for (point, jacobian) in self.points.iter().zip(&here.jacobians) {
            let first = self.nodes[point.node].v;
            for (j, c) in self.columns(point).enumerate() {
                let rows = 0..jacobian.nrows();
                out[c] += rows.map(|i| jacobian[(i, j)] * loads[first + i]).sum::<T>();
            }
        }
        out
    }

    /// The force f.
    pub fn force(&self, t: T, q: &[T], v: &[T], multipliers: &[T]) -> Vec<T> {
        if !self.fits(q, Some(v), Some(multipliers)) {
            return not_a_number(self.velocities[0]);
        }
        let here = self.configuration(q);
        let (at, v) = (self.placed(&here), &*self.extended(&here, v));
        let input = FunctionInput::time(t);
        let (nodes, gravity) = (&*self.nodes, vector(&self.gravity, input));
        let mut loads = vec![T::zero(); self.velocities[1]];
        let force = &mut *loads;
        self.rigid.iter().for_each(|x| x.force(&gravity, nodes, v, force));
        self.shared.iter().for_each(|x| x.force(&gravity, nodes, force));
        self.structures.iter().for_each(|x| x.force(t, at.q, v, force));
        self.flexible.iter().for_each(|x| x.force(&gravity, at, v, force));
        self.beams2.iter().for_each(|x| x.force(&x.section_law, at, v, force));
        self.beams3.iter().for_each(|x| x.force(&x.section_law, at, v, force));
        self.springs.iter().for_each(|x| x.force(input, at, v, force));
        self.bushings.iter().for_each(|x| x.force(input, at, v, force));
        self.loads.iter().for_each(|x| x.force(input, at, force));
        self.frictions.iter().for_each(|x| x.force(at, v, multipliers, force));
        self.reduced(&here, &loads)
    }

    /// The product M a.
    pub fn mass_product(&self, q: &[T], a: &[T]) -> Vec<T> {
        if !self.fits(q, Some(a), None) {
            return not_a_number(self.velocities[0]);
        }
        let here = self.configuration(q);
        let mut out = vec![T::zero(); self.velocities[0]];
        let mut sink = ProductSink { x: a, out: &mut out };
        self.rigid.iter().for_each(|x| x.mass(&self.nodes, &mut sink));
        self.shared.iter().for_each(|x| x.mass(&self.nodes, &mut sink));
        self.flexible.iter().for_each(|x| x.mass(self.placed(&here), &mut sink));
        self.structures.iter().for_each(|x| x.mass(&mut sink));
        out
    }

    /// The constraints Φ; zero in nonholonomic rows.
    pub fn constraint(&self, t: T, q: &[T]) -> Vec<T> {
        if !self.fits(q, None, None) {
            return not_a_number(self.rows);
        }
        let here = self.configuration(q);
        let at = self.placed(&here);
        let mut phi = vec![T::zero(); self.rows];
        self.structures.iter().for_each(|x| x.constraint(t, at.q, &mut phi));
        self.coincidences.iter().for_each(|x| x.value(at, &mut phi));
        self.alignments.iter().for_each(|x| x.value(at, &mut phi));
        self.holonomic_rows.iter().for_each(|x| x.value(t, at, &mut phi));
        phi
    }

    fn jacobian(&self, at: PositionKinematics<'_, T>, sink: &mut impl MatrixSink<T>) {
        self.structures.iter().for_each(|x| x.jacobian(sink));
        self.coincidences.iter().for_each(|x| x.jacobian(at, sink));
        self.alignments.iter().for_each(|x| x.jacobian(at, sink));
        self.holonomic_rows.iter().for_each(|x| x.jacobian(at, sink));
        self.rates.iter().for_each(|x| x.jacobian(at, sink));
    }

    /// The constraint rates G v + b.
    pub fn constraint_rate(&self, t: T, q: &[T], v: &[T]) -> Vec<T> {
        if !self.fits(q, Some(v), None) {
            return not_a_number(self.rows);
        }
        let here = self.configuration(q);
        let v = self.extended(&here, v);
        let mut rate = vec![T::zero(); self.rows];
        self.structures.iter().flat_map(|x| x.rates(t)).for_each(|(row, b)| rate[row] = b);
        self.holonomic_rows.iter().for_each(|x| rate[x.row] = x.rate(t));
        self.rates.iter().for_each(|x| rate[x.row] = x.rate(t));
        self.jacobian(self.placed(&here), &mut ProductSink { x: &v, out: &mut rate });
        rate
    }

    /// The constraint forces Gᵀλ.
    pub fn constraint_load(&self, q: &[T], multipliers: &[T]) -> Vec<T> {
        if !self.fits(q, None, Some(multipliers)) {
            return not_a_number(self.velocities[0]);
        }
        let here = self.configuration(q);
        let mut loads = vec![T::zero(); self.velocities[1]];
        let mut sink = TransposedProductSink { x: multipliers, out: &mut loads };
        self.jacobian(self.placed(&here), &mut sink);
        self.reduced(&here, &loads)
    }
}

/// A vector of NaN.
fn not_a_number<T: Scalar>(count: usize) -> Vec<T> {
    vec![T::constant(f64::NAN); count]
}

impl Model {
    /// The residuals of the model over a scalar. Fails if the model has user-defined elements or measures:
    /// their code works on `f64` only.
    pub fn residuals<T: Scalar>(&self) -> Result<ModelResiduals<T>, Failure> {
        let is_own = |measure: &NodeMeasure| matches!(measure.measure, Measure::Own(_));
        let springs = self.elements.springs.iter().any(|x| is_own(&x.measure));
        let holonomic_rows =
            self.holonomic_rows.iter().any(|x| x.terms().any(|(_, measure)| is_own(measure)));
        let rates = self.nonholonomic_rows.iter().any(|x| is_own(&x.measure));
        match self.elements.customs.is_empty() && !(springs || holonomic_rows || rates) {
            _ if self.signals.is_acting() => {
                Err(Failure::new("signals have no residuals over other scalars"))
            }
            true => Ok(ModelResiduals::new(self)),
            false => Err(Failure::new(
                "user-defined elements and measures have no residuals over other scalars",
            )),
        }
    }
}
