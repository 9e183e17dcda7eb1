//! Equations over extended coordinates, which include points of flexible bodies, and their reduction to the coordinates
//! of the system (floating frames and modes) by the chain rule.

use nalgebra::DMatrix;

use super::Frame;
use super::compiled::Model;
use super::node_measure::{NodeMeasure, PositionKinematics};
use super::points::{Attachment, PointScratch};
use cardan_core::linalg::SparseMatrix;
use cardan_core::state::Instant;
use cardan_core::system::{Scratch, StateView, System};

impl PointScratch {
    /// Scratch for a model with its points as nodes.
    pub fn new(model: &Model) -> Self {
        let mut scratch = Self::default();
        let (n, m) = (model.points.velocities(&model.nodes), model.rows.len());
        scratch.v = vec![0.0; n];
        scratch.loads = vec![0.0; n];
        for point in &model.points.list {
            let rows = model.nodes[point.node].velocities();
            let columns = model.columns(point).count();
            scratch.jacobians.push(DMatrix::zeros(rows, columns));
            scratch.rates.push(DMatrix::zeros(rows, columns));
            scratch.bends.push(DMatrix::zeros(columns, columns));
        }
        for square in [&mut scratch.stiffness, &mut scratch.damping, &mut scratch.tangent] {
            *square = SparseMatrix::new(n, n);
        }
        scratch.multipliers = SparseMatrix::new(n, m);
        let z = model.state_count();
        scratch.states = SparseMatrix::new(n, z);
        (scratch.configuration, scratch.velocity) =
            (SparseMatrix::new(z, n), SparseMatrix::new(z, n));
        (scratch.rows, scratch.more_rows) = (SparseMatrix::new(m, n), SparseMatrix::new(m, n));
        scratch
    }
}

impl Model {
    /// Writes the extended velocities: those of the system, then those of the points.
    fn write_velocities(&self, scratch: &mut PointScratch, v: &[f64]) {
        scratch.v[..v.len()].copy_from_slice(v);
        for (point, jacobian) in self.points.list.iter().zip(&scratch.jacobians) {
            let first = self.nodes[point.node].v;
            for i in 0..jacobian.nrows() {
                let columns = self.columns(point).enumerate();
                scratch.v[first + i] = columns.map(|(j, c)| jacobian[(i, j)] * v[c]).sum();
            }
        }
    }

    /// The indices of the velocities on which the motion of a point depends.
    fn columns(&self, point: &Attachment) -> impl Iterator<Item = usize> + use<> {
        let body = &self.flexible[point.body];
        let (first, count) = (self.nodes[body.node].v, self.nodes[body.node].velocities());
        (first..first + count).chain(body.v..body.v + body.modal.modes())
    }

    /// Writes the Jacobians of the points, and extended velocities if `v` is given; sets loads to zero.
    pub(super) fn prepare_points(
        &self,
        kinematics: PositionKinematics<'_>,
        v: Option<&[f64]>,
        scratch: &mut PointScratch,
    ) {
        for (point, out) in self.points.list.iter().zip(&mut scratch.jacobians) {
            point.jacobian(&self.flexible[point.body], kinematics, out);
        }
        if let Some(v) = v {
            self.write_velocities(scratch, v);
        }
        scratch.loads.fill(0.0);
    }

    /// out += Jᵀ loads.
    pub(super) fn reduce_loads(&self, scratch: &PointScratch, out: &mut [f64]) {
        out.iter_mut().zip(&scratch.loads).for_each(|(out, load)| *out += load);
        for (point, jacobian) in self.points.list.iter().zip(&scratch.jacobians) {
            let first = self.nodes[point.node].v;
            for (j, c) in self.columns(point).enumerate() {
                let loads = &scratch.loads[first..first + jacobian.nrows()];
                out[c] += loads.iter().enumerate().map(|(i, x)| jacobian[(i, j)] * x).sum::<f64>();
            }
        }
    }

    /// Calls `each` with (column, factor) of the velocities of the system that an extended velocity depends on.
    fn expand(&self, index: usize, matrices: &[DMatrix<f64>], mut each: impl FnMut(usize, f64)) {
        let owns_index = |point: &Attachment| {
            let node = &self.nodes[point.node];
            (node.v..node.v + node.velocities()).contains(&index)
        };
        let Some(k) = self.points.list.iter().position(owns_index) else { return each(index, 1.0) };
        let point = &self.points.list[k];
        let row = index - self.nodes[point.node].v;
        self.columns(point).enumerate().for_each(|(j, c)| each(c, matrices[k][(row, j)]));
    }

    /// out += Jᵀ A J. `[rows, columns]`: whether the rows and the columns are extended coordinates; if not, they remain
    /// unchanged.
    pub(super) fn reduce(
        &self,
        jacobians: &[DMatrix<f64>],
        from: &SparseMatrix,
        [rows, columns]: [bool; 2],
        out: &mut SparseMatrix,
    ) {
        for (i, j, x) in from.iter() {
            let mut row = |i: usize, a: f64| match columns {
                true => self.expand(j, jacobians, |j, b| out.add(i, j, a * x * b)),
                false => out.add(i, j, a * x),
            };
            match rows {
                true => self.expand(i, jacobians, row),
                false => row(i, 1.0),
            }
        }
    }

    /// out += Jᵀ A ∂(J v)/∂q. `rows`: whether the rows are extended coordinates; if not, they remain unchanged.
    fn reduce_rates(
        &self,
        scratch: &PointScratch,
        from: &SparseMatrix,
        rows: bool,
        out: &mut SparseMatrix,
    ) {
        for (i, j, x) in from.iter().filter(|(_, j, _)| *j >= self.points.v) {
            let mut row = |i: usize, a: f64| {
                self.expand(j, &scratch.rates, |j, b| out.add(i, j, a * x * b));
            };
            match rows {
                true => self.expand(i, &scratch.jacobians, row),
                false => row(i, 1.0),
            }
        }
    }

    /// out += sign ∂(Jᵀ loads)/∂q.
    fn add_curvature_terms(
        &self,
        kinematics: PositionKinematics<'_>,
        scratch: &mut PointScratch,
        sign: f64,
        out: &mut SparseMatrix,
    ) {
        for (k, point) in self.points.list.iter().enumerate() {
            let node = &self.nodes[point.node];
            let load = [0, 1].map(|part| node.velocity(part, &scratch.loads));
            let block = &mut scratch.bends[k];
            point.force_tangent(&self.flexible[point.body], kinematics, load, block);
            for (j, column) in self.columns(point).enumerate() {
                for (i, row) in self.columns(point).enumerate() {
                    out.add(row, column, sign * block[(i, j)]);
                }
            }
        }
    }

    /// Writes ∂(J v)/∂q of the points.
    fn write_rates(
        &self,
        kinematics: PositionKinematics<'_>,
        scratch: &mut PointScratch,
        v: &[f64],
    ) {
        for (point, out) in self.points.list.iter().zip(&mut scratch.rates) {
            point.rate(&self.flexible[point.body], kinematics, v, out);
        }
    }

    /// Reduces the tangents of elements in the scratch; the loads in the scratch add ∂(Jᵀ loads)/∂q.
    pub(super) fn reduce_tangent(
        &self,
        kinematics: PositionKinematics<'_>,
        v: &[f64],
        scratch: &mut PointScratch,
        out: &mut cardan_core::system::ForceTangent<'_>,
    ) {
        self.write_rates(kinematics, scratch, v);
        let (jacobians, both) = (&scratch.jacobians, [true, true]);
        self.reduce(jacobians, &scratch.stiffness, both, out.stiffness);
        self.reduce(jacobians, &scratch.damping, both, out.damping);
        self.reduce(jacobians, &scratch.multipliers, [true, false], out.multipliers);
        self.reduce(jacobians, &scratch.states, [true, false], out.states);
        self.reduce_rates(scratch, &scratch.damping, true, out.stiffness);
        self.add_curvature_terms(kinematics, scratch, -1.0, out.stiffness);
    }

    /// Reduces the tangents of the first-order equations in the scratch.
    pub(super) fn reduce_state_tangent(
        &self,
        kinematics: PositionKinematics<'_>,
        v: &[f64],
        scratch: &mut PointScratch,
        out: &mut cardan_core::system::StateTangent<'_>,
    ) {
        self.write_rates(kinematics, scratch, v);
        let (jacobians, columns) = (&scratch.jacobians, [false, true]);
        self.reduce(jacobians, &scratch.configuration, columns, out.configuration);
        self.reduce(jacobians, &scratch.velocity, columns, out.velocity);
        self.reduce_rates(scratch, &scratch.velocity, false, out.configuration);
    }

    /// Reduces ∂(Gᵀλ)/∂q in the scratch; the loads in the scratch are Gᵀλ.
    pub(super) fn reduce_multiplier_tangent(
        &self,
        kinematics: PositionKinematics<'_>,
        scratch: &mut PointScratch,
        out: &mut SparseMatrix,
    ) {
        self.reduce(&scratch.jacobians, &scratch.tangent, [true, true], out);
        self.add_curvature_terms(kinematics, scratch, 1.0, out);
    }

    /// Reduces ∂(G v)/∂q. In the scratch, `rows` is G and `more_rows` is ∂(G v)/∂q over extended coordinates.
    pub(super) fn reduce_velocity_tangent(
        &self,
        kinematics: PositionKinematics<'_>,
        v: &[f64],
        scratch: &mut PointScratch,
        out: &mut SparseMatrix,
    ) {
        self.write_rates(kinematics, scratch, v);
        self.reduce(&scratch.jacobians, &scratch.more_rows, [false, true], out);
        self.reduce_rates(scratch, &scratch.rows, false, out);
    }

    /// out += G J̇ v, with G in the scratch.
    pub(super) fn add_point_accelerations(
        &self,
        kinematics: PositionKinematics<'_>,
        v: &[f64],
        scratch: &mut PointScratch,
        out: &mut [f64],
    ) {
        self.write_point_accelerations(kinematics, v, &mut scratch.loads);
        for (i, j, x) in scratch.rows.iter().filter(|(_, j, _)| *j >= self.points.v) {
            out[i] += x * scratch.loads[j];
        }
    }

    /// Writes J̇ v of the points to their extended coordinates.
    fn write_point_accelerations(
        &self,
        kinematics: PositionKinematics<'_>,
        v: &[f64],
        out: &mut [f64],
    ) {
        for point in &self.points.list {
            let parts = point.acceleration(&self.flexible[point.body], kinematics, v);
            let node = &self.nodes[point.node];
            out[node.v..node.v + node.velocities()].fill(0.0);
            (0..2).for_each(|part| node.add(part, &parts[part], out));
        }
    }

    /// The instant over extended coordinates.
    pub(super) fn extended<'a>(
        &self,
        at: &'a Instant,
        scratch: Option<&Scratch>,
    ) -> std::borrow::Cow<'a, Instant> {
        if self.points.is_empty() {
            return std::borrow::Cow::Borrowed(at);
        }
        let mut extended = at.clone();
        self.place_points(&mut extended.q);
        let point = StateView::from(at).with_scratch(scratch);
        self.with_points(&point, Some(&at.v), |kinematics, scratch| {
            extended.v.clone_from(&scratch.v);
            self.write_velocities(scratch, &at.a);
            let mut term = vec![0.0; scratch.v.len()];
            self.write_point_accelerations(kinematics, &at.v, &mut term);
            extended.a = scratch.v.iter().zip(&term).map(|(a, b)| a + b).collect();
        });
        std::borrow::Cow::Owned(extended)
    }

    /// The gradient of a measure over the velocities of the system: (column, value).
    pub(super) fn measure_row(&self, measure: &NodeMeasure, q: &[f64]) -> Vec<(usize, f64)> {
        self.with_points(&StateView::at(0.0, q), None, |kinematics, scratch| {
            let gradient = measure.gradient(kinematics);
            let n = self.points.velocities(&self.nodes);
            let extended = SparseMatrix::written(1, n, |row| {
                measure.add_row(
                    &self.nodes,
                    measure.measure.gradient_columns(),
                    0,
                    1.0,
                    &gradient,
                    row,
                );
            });
            let reduced = SparseMatrix::written(1, self.points.v, |out| {
                self.reduce(&scratch.jacobians, &extended, [false, true], out);
            });
            reduced.iter().map(|(_, j, x)| (j, x)).collect()
        })
    }

    /// The pose of a node or of a point of a flexible body.
    pub(super) fn frame(&self, node: usize, q: &[f64]) -> Frame<f64> {
        match self.points.list.iter().find(|point| point.node == node) {
            None => self.nodes[node].frame(q),
            Some(point) => {
                let body = &self.flexible[point.body];
                let (frame, local) = (self.nodes[body.node].frame(q), point.local(body.eta(q)));
                let rotation = frame.rotation * local.rotation;
                Frame { position: frame.point(&local.u), rotation }
            }
        }
    }

    /// The node that has coordinates in q: for a point of a flexible body that of the floating frame.
    pub(super) fn base_node(&self, node: usize) -> usize {
        let found = self.points.list.iter().find(|point| point.node == node);
        found.map_or(node, |point| self.flexible[point.body].node)
    }
}
