//! Equations of a model over the points of flexible bodies, carried to frame and modes by the chain rule.

use nalgebra::DMatrix;

use super::Frame;
use super::compiled::Model;
use super::node_measure::{NodeMeasure, PositionKinematics};
use super::points::{Attachment, PointScratch};
use cardan_core::linalg::SparseMatrix;
use cardan_core::state::Instant;
use cardan_core::system::{Scratch as Kept, StateView, System};

impl PointScratch {
    /// Room for a model with its points as nodes.
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
    /// Velocities with those of the points behind them.
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

    /// The velocities that move a point.
    fn columns(&self, point: &Attachment) -> impl Iterator<Item = usize> + use<> {
        let body = &self.flexible[point.body];
        let (first, count) = (self.nodes[body.node].v, self.nodes[body.node].velocities());
        (first..first + count).chain(body.v..body.v + body.modal.modes())
    }

    /// Writes Jacobians, and velocities if some are given; loads become zero.
    pub(super) fn prepare_points(
        &self,
        place: PositionKinematics<'_>,
        v: Option<&[f64]>,
        scratch: &mut PointScratch,
    ) {
        for (point, out) in self.points.list.iter().zip(&mut scratch.jacobians) {
            point.jacobian(&self.flexible[point.body], place, out);
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

    /// Velocities of points as their bodies' coordinates move them: (column, factor) of each.
    fn spread(&self, index: usize, matrices: &[DMatrix<f64>], mut each: impl FnMut(usize, f64)) {
        let is_it = |point: &Attachment| {
            let node = &self.nodes[point.node];
            (node.v..node.v + node.velocities()).contains(&index)
        };
        let Some(k) = self.points.list.iter().position(is_it) else { return each(index, 1.0) };
        let point = &self.points.list[k];
        let row = index - self.nodes[point.node].v;
        self.columns(point).enumerate().for_each(|(j, c)| each(c, matrices[k][(row, j)]));
    }

    /// out += Jᵀ A J; with the rows as they are if they are not coordinates, likewise columns.
    pub(super) fn reduce(
        &self,
        jacobians: &[DMatrix<f64>],
        from: &SparseMatrix,
        [rows, columns]: [bool; 2],
        out: &mut SparseMatrix,
    ) {
        for (i, j, x) in from.iter() {
            let mut row = |i: usize, a: f64| match columns {
                true => self.spread(j, jacobians, |j, b| out.add(i, j, a * x * b)),
                false => out.add(i, j, a * x),
            };
            match rows {
                true => self.spread(i, jacobians, row),
                false => row(i, 1.0),
            }
        }
    }

    /// out += Jᵀ A ∂(J v)/∂q, with the rows as they are if they are not coordinates.
    fn reduce_rates(
        &self,
        scratch: &PointScratch,
        from: &SparseMatrix,
        rows: bool,
        out: &mut SparseMatrix,
    ) {
        for (i, j, x) in from.iter().filter(|(_, j, _)| *j >= self.points.v) {
            let mut row = |i: usize, a: f64| {
                self.spread(j, &scratch.rates, |j, b| out.add(i, j, a * x * b));
            };
            match rows {
                true => self.spread(i, &scratch.jacobians, row),
                false => row(i, 1.0),
            }
        }
    }

    /// out += sign ∂(Jᵀ loads)/∂q.
    fn add_curvature_terms(
        &self,
        place: PositionKinematics<'_>,
        scratch: &mut PointScratch,
        sign: f64,
        out: &mut SparseMatrix,
    ) {
        for (k, point) in self.points.list.iter().enumerate() {
            let node = &self.nodes[point.node];
            let load = [0, 1].map(|part| node.velocity(part, &scratch.loads));
            let bend = &mut scratch.bends[k];
            point.force_tangent(&self.flexible[point.body], place, load, bend);
            for (j, column) in self.columns(point).enumerate() {
                for (i, row) in self.columns(point).enumerate() {
                    out.add(row, column, sign * bend[(i, j)]);
                }
            }
        }
    }

    fn write_rates(&self, place: PositionKinematics<'_>, scratch: &mut PointScratch, v: &[f64]) {
        for (point, out) in self.points.list.iter().zip(&mut scratch.rates) {
            point.rate(&self.flexible[point.body], place, v, out);
        }
    }

    /// The tangents of elements, from those over extended coordinates in the scratch, and their loads.
    pub(super) fn reduce_tangent(
        &self,
        place: PositionKinematics<'_>,
        v: &[f64],
        scratch: &mut PointScratch,
        out: &mut cardan_core::system::ForceTangent<'_>,
    ) {
        self.write_rates(place, scratch, v);
        let (jacobians, both) = (&scratch.jacobians, [true, true]);
        self.reduce(jacobians, &scratch.stiffness, both, out.stiffness);
        self.reduce(jacobians, &scratch.damping, both, out.damping);
        self.reduce(jacobians, &scratch.multipliers, [true, false], out.multipliers);
        self.reduce(jacobians, &scratch.states, [true, false], out.states);
        self.reduce_rates(scratch, &scratch.damping, true, out.stiffness);
        self.add_curvature_terms(place, scratch, -1.0, out.stiffness);
    }

    /// The tangents of the first-order equations, likewise.
    pub(super) fn reduce_state_tangent(
        &self,
        place: PositionKinematics<'_>,
        v: &[f64],
        scratch: &mut PointScratch,
        out: &mut cardan_core::system::StateTangent<'_>,
    ) {
        self.write_rates(place, scratch, v);
        let (jacobians, columns) = (&scratch.jacobians, [false, true]);
        self.reduce(jacobians, &scratch.configuration, columns, out.configuration);
        self.reduce(jacobians, &scratch.velocity, columns, out.velocity);
        self.reduce_rates(scratch, &scratch.velocity, false, out.configuration);
    }

    /// ∂(Gᵀλ)/∂q, likewise.
    pub(super) fn reduce_multiplier_tangent(
        &self,
        place: PositionKinematics<'_>,
        scratch: &mut PointScratch,
        out: &mut SparseMatrix,
    ) {
        self.reduce(&scratch.jacobians, &scratch.tangent, [true, true], out);
        self.add_curvature_terms(place, scratch, 1.0, out);
    }

    /// ∂(G v)/∂q, likewise; `rows` is G, `more_rows` what it is at fixed J.
    pub(super) fn reduce_velocity_tangent(
        &self,
        place: PositionKinematics<'_>,
        v: &[f64],
        scratch: &mut PointScratch,
        out: &mut SparseMatrix,
    ) {
        self.write_rates(place, scratch, v);
        self.reduce(&scratch.jacobians, &scratch.more_rows, [false, true], out);
        self.reduce_rates(scratch, &scratch.rows, false, out);
    }

    /// out += G J̇ v, with G in the scratch.
    pub(super) fn add_point_accelerations(
        &self,
        place: PositionKinematics<'_>,
        v: &[f64],
        scratch: &mut PointScratch,
        out: &mut [f64],
    ) {
        self.write_point_accelerations(place, v, &mut scratch.loads);
        for (i, j, x) in scratch.rows.iter().filter(|(_, j, _)| *j >= self.points.v) {
            out[i] += x * scratch.loads[j];
        }
    }

    /// J̇ v of the points at their places behind the others.
    fn write_point_accelerations(&self, place: PositionKinematics<'_>, v: &[f64], out: &mut [f64]) {
        for point in &self.points.list {
            let parts = point.acceleration(&self.flexible[point.body], place, v);
            let node = &self.nodes[point.node];
            out[node.v..node.v + node.velocities()].fill(0.0);
            (0..2).for_each(|part| node.add(part, &parts[part], out));
        }
    }

    /// An instant with the points' own coordinates behind those of bodies.
    pub(super) fn extended<'a>(
        &self,
        at: &'a Instant,
        scratch: Option<&Kept>,
    ) -> std::borrow::Cow<'a, Instant> {
        if self.points.is_empty() {
            return std::borrow::Cow::Borrowed(at);
        }
        let mut whole = at.clone();
        self.place_points(&mut whole.q);
        let point = StateView::from(at).with_scratch(scratch);
        self.with_points(&point, Some(&at.v), |place, scratch| {
            whole.v.clone_from(&scratch.v);
            self.write_velocities(scratch, &at.a);
            let mut term = vec![0.0; scratch.v.len()];
            self.write_point_accelerations(place, &at.v, &mut term);
            whole.a = scratch.v.iter().zip(&term).map(|(a, b)| a + b).collect();
        });
        std::borrow::Cow::Owned(whole)
    }

    /// The row of a gauge's rate over the velocities of the system.
    pub(super) fn measure_row(&self, gauge: &NodeMeasure, q: &[f64]) -> Vec<(usize, f64)> {
        self.with_points(&StateView::at(0.0, q), None, |place, scratch| {
            let gradient = gauge.gradient(place);
            let n = self.points.velocities(&self.nodes);
            let own = SparseMatrix::written(1, n, |row| {
                gauge.add_row(&self.nodes, gauge.measure.touched(), 0, 1.0, &gradient, row);
            });
            let whole = SparseMatrix::written(1, self.points.v, |out| {
                self.reduce(&scratch.jacobians, &own, [false, true], out);
            });
            whole.iter().map(|(_, j, x)| (j, x)).collect()
        })
    }

    /// Where a node is, also one of a point.
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

    /// The node whose coordinates carry a node: that of the frame for a point of a flexible body.
    pub(super) fn base_node(&self, node: usize) -> usize {
        let found = self.points.list.iter().find(|point| point.node == node);
        found.map_or(node, |point| self.flexible[point.body].node)
    }
}
