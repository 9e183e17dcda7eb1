//! Evaluates the matrices and vectors of a system at any instant, and differences those that it does not write.

use super::difference::{DifferencePlan, DifferenceScratch, IN_TIME, fourth_order, step_for, unit};
use super::view_source::{SystemSizes, ViewSource};
use super::{
    Derivative, Failure, Scratch as SystemScratch, Space, StateView, System, SystemMatrix,
};
use crate::linalg::{MAX_UNKNOWNS, SparseMatrix};
use crate::math::Chart;
use crate::state::Instant;
use crate::system::SystemError;

/// The parts of a system's equations, with their patterns fixed and their storage allocated.
pub struct Evaluator {
    pub(super) sizes: SystemSizes,
    pub(super) base: ViewSource,
    pub(super) space: Space,
    pub(super) parts: [SparseMatrix; 15],
    pub(super) sources: [Derivative; 15],
    pub(super) plans: [DifferencePlan; 15],
    pub(super) mass_is_constant: bool,
    mass_is_ready: bool,
    pub(super) scratch: DifferenceScratch,
    /// Copies of M and G that differencing may overwrite.
    pub(super) other_mass: SparseMatrix,
    pub(super) other_jacobian: SparseMatrix,
    /// A configuration and a displacement for differences: empty until they are needed.
    pub(super) moved: Vec<f64>,
    shifted: Vec<f64>,
    pub(super) rows: Vec<f64>,
    /// The index in q of the coordinate of each velocity, `None` for a rotation: empty until it is needed.
    pub(super) plain: Vec<Option<u32>>,
    /// The size of the motion, for perturbations where q itself is zero.
    motion: f64,
    /// The time over which rates are differenced.
    pub(super) resolution: f64,
    /// Constraints that are set inactive: their rows of G are zero.
    pub(super) inactive: Vec<usize>,
    /// Whether each constraint is inactive.
    pub(super) is_inactive: Vec<bool>,
    /// The slots of their entries in G, G ahead and ∂(G v + b)/∂q.
    pub(super) masked: [(SystemMatrix, Vec<u32>); 3],
    /// The discrete values of q when an instant is accepted.
    discrete: Vec<f64>,
}

/// The parts whose rows are constraints.
const CONSTRAINT_PARTS: [SystemMatrix; 3] =
    [SystemMatrix::Jacobian, SystemMatrix::JacobianAhead, SystemMatrix::VelocityTangent];

impl Evaluator {
    /// Records the patterns of a system at an instant; multipliers may be empty, and are zero then. An
    /// error if a vector has the wrong length.
    ///
    /// # Panics
    ///
    /// The other functions of an evaluator, called with vectors of other lengths or for another system,
    /// may panic: they are called in every step and do not check lengths.
    pub fn new(system: &dyn System, at: &StateView<'_>) -> Result<Self, SystemError> {
        let space = system.space();
        let sizes = SystemSizes::of(system, &space);
        let total = sizes.q.saturating_add(sizes.z).saturating_add(sizes.constraints);
        if total > MAX_UNKNOWNS {
            return Err(SystemError::TooLarge { unknowns: total, most: MAX_UNKNOWNS });
        }
        let (v, z, m) = (sizes.v, sizes.z, sizes.constraints);
        let zeros = vec![0.0; if at.multipliers.is_empty() { m } else { 0 }];
        let multipliers = if at.multipliers.is_empty() { &zeros } else { at.multipliers };
        let at = &StateView { multipliers, ..*at };
        check_length("q", at.q, sizes.q)?;
        check_length("v", at.v, sizes.v)?;
        check_length("multipliers", at.multipliers, m)?;
        check_length("z", at.z, z)?;
        let shape = |part| match part {
            SystemMatrix::ForceMultiplier if system.force_needs_multipliers() => (v, m),
            SystemMatrix::ForceMultiplier => (v, 0),
            SystemMatrix::ForceState => (v, z),
            SystemMatrix::Jacobian
            | SystemMatrix::JacobianAhead
            | SystemMatrix::VelocityTangent => (m, v),
            SystemMatrix::StateConfiguration | SystemMatrix::StateVelocity => (z, v),
            SystemMatrix::State | SystemMatrix::StateRate => (z, z),
            SystemMatrix::StateMultiplier if system.state_needs_multipliers() => (z, m),
            SystemMatrix::StateMultiplier => (z, 0),
            _ => (v, v),
        };
        let longest = sizes.longest();
        let scratch = SystemScratch::new(system.scratch());
        let mut evaluator = Self {
            sizes,
            base: ViewSource { scratch, zeros: vec![0.0; longest], sizes },
            parts: SystemMatrix::ALL.map(|part| SparseMatrix::new(shape(part).0, shape(part).1)),
            sources: [Derivative::Analytic; 15],
            plans: std::array::from_fn(|_| DifferencePlan::default()),
            mass_is_constant: system.has_constant_mass() || system.has_constant_tangents(),
            mass_is_ready: false,
            scratch: DifferenceScratch::default(),
            other_mass: SparseMatrix::default(),
            other_jacobian: SparseMatrix::default(),
            moved: Vec::new(),
            shifted: Vec::new(),
            rows: vec![0.0; longest],
            plain: Vec::new(),
            motion: 0.0,
            resolution: IN_TIME,
            inactive: Vec::new(),
            is_inactive: vec![false; m],
            masked: CONSTRAINT_PARTS.map(|part| (part, Vec::new())),
            discrete: vec![0.0; space.discrete_values().count()],
            space,
        };
        evaluator.record(system, at)?;
        Ok(evaluator)
    }

    /// Records the patterns of a system at an instant, whose inactive rows are inactive here.
    pub fn at_instant(system: &dyn System, at: &Instant) -> Result<Self, SystemError> {
        let mut evaluator = Self::new(system, &at.into())?;
        evaluator.set_inactive(&at.inactive);
        Ok(evaluator)
    }

    /// The sizes.
    #[inline]
    pub fn sizes(&self) -> SystemSizes {
        self.sizes
    }

    /// The configuration space.
    #[inline]
    pub fn space(&self) -> &Space {
        &self.space
    }

    /// Sets the size of the motion of plain coordinates, the scale of perturbations.
    pub(crate) fn set_motion(&mut self, motion: f64) {
        self.motion = motion;
    }

    /// Sets the step size, so that differences in time have the resolution of the steps.
    pub(crate) fn set_step_size(&mut self, h: f64) {
        self.resolution = IN_TIME.min(0.1 * h);
    }

    /// Φ(t, q), zero in inactive rows.
    pub fn constraint(
        &self,
        system: &dyn System,
        t: f64,
        q: &[f64],
        phi: &mut [f64],
    ) -> Result<(), SystemError> {
        self.all_constraints(system, t, q, phi)?;
        self.mask_rows(phi);
        Ok(())
    }

    /// Φ(t, q), inactive rows as well.
    pub(crate) fn all_constraints(
        &self,
        system: &dyn System,
        t: f64,
        q: &[f64],
        phi: &mut [f64],
    ) -> Result<(), SystemError> {
        phi.fill(0.0);
        system.constraint(&self.base.at(t, q), phi).map_err(|x| failed(t, x))
    }

    /// f.
    pub fn force(
        &self,
        system: &dyn System,
        at: &StateView<'_>,
        force: &mut [f64],
    ) -> Result<(), SystemError> {
        force.fill(0.0);
        system.force(&self.base.with(at), force).map_err(|x| failed(at.t, x))
    }

    /// Adds Gᵀλ, if the system writes it and all rows are active; returns whether it was added.
    pub(crate) fn constraint_force(
        &self,
        system: &dyn System,
        at: &StateView<'_>,
        force: &mut [f64],
    ) -> Result<bool, SystemError> {
        if !self.inactive.is_empty() {
            return Ok(false);
        }
        let source = system.constraint_force(&self.base.with(at), force);
        source.map(|source| source == Derivative::Analytic).map_err(|x| failed(at.t, x))
    }

    /// r(t, q, v, λ, z, ż).
    pub fn state_residual(
        &self,
        system: &dyn System,
        at: &StateView<'_>,
        rates: &[f64],
        residual: &mut [f64],
    ) -> Result<(), SystemError> {
        residual.fill(0.0);
        if residual.is_empty() {
            return Ok(());
        }
        let residual = system.state_residual(&self.base.with(at), rates, residual);
        residual.map_err(|x| failed(at.t, x))
    }

    /// Calls [`System::accept`] for an instant, and updates its discrete values.
    pub(crate) fn accept(
        &mut self,
        system: &dyn System,
        step: Option<f64>,
        after: &mut Instant,
    ) -> Result<(), Failure> {
        let Self { base, space, discrete, .. } = self;
        for (discrete, i) in discrete.iter_mut().zip(space.discrete_values()) {
            *discrete = after.q[i];
        }
        system.accept(step, &base.with(&StateView::from(&*after)), discrete)?;
        for (discrete, i) in discrete.iter().zip(space.discrete_values()) {
            after.q[i] = *discrete;
        }
        self.check_inactive(system, after)
    }

    /// Updates the discrete values of an instant between two others; if the system refuses the
    /// instant, they do not change.
    pub(crate) fn count(&self, system: &dyn System, after: f64, at: &mut Instant) {
        if self.discrete.is_empty() {
            return;
        }
        let mut discrete: Vec<f64> = self.space.discrete_values().map(|i| at.q[i]).collect();
        let point = self.base.with(&StateView::from(&*at));
        if system.accept(Some(after), &point, &mut discrete).is_ok() {
            for (discrete, i) in discrete.iter().zip(self.space.discrete_values()) {
                at.q[i] = *discrete;
            }
        }
    }

    /// The scratch of the system.
    #[inline]
    pub fn scratch(&self) -> &SystemScratch {
        &self.base.scratch
    }

    /// The quantities that have limits.
    pub(crate) fn limit_values(&self, system: &dyn System, at: &Instant, values: &mut [f64]) {
        system.limit_values(&self.base.with(&at.into()), values);
    }

    /// Whether M does not depend on q.
    #[inline]
    pub fn mass_is_constant(&self) -> bool {
        self.mass_is_constant
    }

    /// Frees the places of ∂(G v + b)/∂q, which few stages need; they are recorded again when it is evaluated.
    pub(crate) fn free_velocity_tangent(&mut self) {
        let part = &mut self.parts[SystemMatrix::VelocityTangent as usize];
        if self.sources[SystemMatrix::VelocityTangent as usize] == Derivative::Analytic
            && self.inactive.is_empty()
        {
            *part = SparseMatrix::new(part.rows(), part.columns());
        }
    }

    /// Whether the places of ∂(G v + b)/∂q are known.
    pub(crate) fn has_velocity_tangent(&self) -> bool {
        self.part(SystemMatrix::VelocityTangent).is_recorded()
    }

    /// A matrix of the system, as evaluated last.
    #[inline]
    pub fn part(&self, part: SystemMatrix) -> &SparseMatrix {
        &self.parts[part as usize]
    }

    /// Evaluates M(q), once only if it is constant.
    pub fn mass(&mut self, system: &dyn System, q: &[f64]) -> Result<(), SystemError> {
        if self.mass_is_ready {
            return Ok(());
        }
        self.write(SystemMatrix::Mass, 0.0, |base, mass| system.mass(&base.at(0.0, q), mass))?;
        self.mass_is_ready = self.mass_is_constant;
        Ok(())
    }

    /// Evaluates G(t, q).
    pub fn jacobian(&mut self, system: &dyn System, t: f64, q: &[f64]) -> Result<(), SystemError> {
        self.all_gradients(system, t, q)?;
        self.mask_part(SystemMatrix::Jacobian);
        Ok(())
    }

    /// Evaluates G(t, q), inactive rows as well.
    pub(super) fn all_gradients(
        &mut self,
        system: &dyn System,
        t: f64,
        q: &[f64],
    ) -> Result<(), SystemError> {
        self.write(SystemMatrix::Jacobian, t, |base, jacobian| {
            system.jacobian(&base.at(t, q), jacobian)
        })
    }

    /// Evaluates G(t, q) as the one ahead.
    pub fn jacobian_at_next_time(
        &mut self,
        system: &dyn System,
        t: f64,
        q: &[f64],
    ) -> Result<(), SystemError> {
        self.write(SystemMatrix::JacobianAhead, t, |base, jacobian| {
            system.jacobian(&base.at(t, q), jacobian)
        })?;
        self.mask_part(SystemMatrix::JacobianAhead);
        Ok(())
    }

    /// b(t, q), for all rows.
    pub fn constraint_rate(
        &mut self,
        system: &dyn System,
        t: f64,
        q: &[f64],
        out: &mut [f64],
    ) -> Result<(), SystemError> {
        let value = &mut self.rows[..self.sizes.constraints];
        constraint_rate(system, &self.base, self.resolution, t, q, value, out)?;
        self.mask_rows(out);
        Ok(())
    }

    /// G v + b, for all rows; leaves G evaluated.
    pub fn velocity_constraint(
        &mut self,
        system: &dyn System,
        t: f64,
        q: &[f64],
        v: &[f64],
        out: &mut [f64],
    ) -> Result<(), SystemError> {
        self.jacobian(system, t, q)?;
        self.constraint_rate(system, t, q, out)?;
        self.part(SystemMatrix::Jacobian).multiply_add(1.0, v, out);
        Ok(())
    }

    /// G v + b, for all rows, without G if the system writes the product itself.
    pub(crate) fn velocity_residual(
        &mut self,
        system: &dyn System,
        at: &StateView<'_>,
        out: &mut [f64],
    ) -> Result<(), SystemError> {
        self.constraint_rate(system, at.t, at.q, out)?;
        let source = system.constraint_velocity(&self.base.with(at), out);
        if source.map_err(|x| failed(at.t, x))? == Derivative::Analytic {
            self.mask_rows(out);
            return Ok(());
        }
        self.jacobian(system, at.t, at.q)?;
        self.part(SystemMatrix::Jacobian).multiply_add(1.0, at.v, out);
        Ok(())
    }

    /// The acceleration of the constraints at v̇ = 0.
    pub fn acceleration_term(
        &mut self,
        system: &dyn System,
        t: f64,
        q: &[f64],
        v: &[f64],
        out: &mut [f64],
    ) -> Result<(), SystemError> {
        out.fill(0.0);
        if self.sizes.constraints == 0 {
            return Ok(());
        }
        let at = StateView { v, ..self.base.at(t, q) };
        let source = system.acceleration_term(&at, out).map_err(|x| failed(t, x))?;
        if source == Derivative::Analytic {
            self.mask_rows(out);
            return Ok(());
        }
        self.prepare_differences();
        let step = self.time_step(q, v);
        let m = self.sizes.constraints;
        let Self { base, space, other_jacobian, moved, shifted, scratch, rows, resolution, .. } =
            self;
        fourth_order(step, &mut rows[..m], out, |s, value| {
            for (d, x) in shifted.iter_mut().zip(v) {
                *d = s * x;
            }
            space.retract(Chart::Exponential, q, shifted, moved);
            let scratch = &mut scratch.plus[..m];
            constraint_rate(system, base, *resolution, t + s, moved, scratch, value)?;
            other_jacobian.begin();
            let written = system.jacobian(&base.at(t + s, moved), other_jacobian);
            written.map_err(|x| failed(t + s, x))?;
            other_jacobian.multiply_add(1.0, v, value);
            Ok(())
        })?;
        self.mask_rows(out);
        fault(&mut self.other_jacobian, SystemMatrix::Jacobian)
    }

    /// Allocates the vectors of differences, if they are not there.
    pub(super) fn prepare_differences(&mut self) {
        if self.scratch.plus.is_empty() {
            self.plain = plain_coordinates(&self.space);
            self.moved = self.space.neutral();
            self.shifted = vec![0.0; self.sizes.v];
            self.scratch = DifferenceScratch::new(self.sizes.longest());
        }
    }

    /// A time in which nothing moves by more than a thousandth of a radian or of its size.
    fn time_step(&self, q: &[f64], v: &[f64]) -> f64 {
        let (mut size, mut speed, mut turn) = (0.0_f64, 0.0_f64, 0.0_f64);
        for (plain, v) in self.plain.iter().zip(v) {
            match plain {
                Some(i) => {
                    size = size.max(q[*i as usize].abs());
                    speed = speed.max(v.abs());
                }
                None => turn = turn.max(v.abs()),
            }
        }
        let size = if size > 0.0 { size } else { 1.0 };
        self.resolution.min(1e-3 / turn).min(1e-3 * size / speed)
    }

    /// Whether the system writes a matrix itself.
    pub fn is_analytic(&self, part: SystemMatrix) -> bool {
        self.sources[part as usize] == Derivative::Analytic
    }

    pub(super) fn write(
        &mut self,
        part: SystemMatrix,
        t: f64,
        fill: impl FnOnce(&ViewSource, &mut SparseMatrix) -> Result<(), Failure>,
    ) -> Result<(), SystemError> {
        let entries = &mut self.parts[part as usize];
        entries.begin();
        fill(&self.base, entries).map_err(|x| failed(t, x))?;
        self.finish(part)
    }

    pub(super) fn finish(&mut self, part: SystemMatrix) -> Result<(), SystemError> {
        fault(&mut self.parts[part as usize], part)
    }

    /// The size against which plain coordinates are perturbed: their largest value, or the size of the motion,
    /// but not more than one.
    pub(super) fn position_unit(&self, q: &[f64]) -> f64 {
        let largest = self.plain.iter().flatten().fold(0.0_f64, |m, &i| m.max(q[i as usize].abs()));
        unit(if largest > 0.0 { largest } else { self.motion })
    }
}

/// An error if a vector has the wrong length.
pub(super) fn check_length(
    what: &'static str,
    vector: &[f64],
    expected: usize,
) -> Result<(), SystemError> {
    match vector.len() == expected {
        true => Ok(()),
        false => Err(SystemError::Length { what, found: vector.len(), expected }),
    }
}

/// An error if an entry did not fit the matrix.
pub(super) fn fault(entries: &mut SparseMatrix, part: SystemMatrix) -> Result<(), SystemError> {
    entries.finish().map_err(|fault| SystemError::Entry {
        written_by: part.written_by(),
        row: fault.row,
        column: fault.column,
        rows: entries.rows(),
        columns: entries.columns(),
        outside: fault.outside,
    })
}

/// A failure of the system at a time.
pub(super) fn failed(time: f64, failure: Failure) -> SystemError {
    SystemError::failed(time, failure)
}

/// b(t, q), differenced in time if the system does not write it.
pub(super) fn constraint_rate(
    system: &dyn System,
    base: &ViewSource,
    resolution: f64,
    t: f64,
    q: &[f64],
    value: &mut [f64],
    out: &mut [f64],
) -> Result<(), SystemError> {
    let SystemSizes { holonomic, constraints, .. } = base.sizes;
    out.fill(0.0);
    if constraints == 0 {
        return Ok(());
    }
    let source = system.constraint_rate(&base.at(t, q), out).map_err(|x| failed(t, x))?;
    if source == Derivative::Differenced {
        out.fill(0.0);
        let (value, out) = (&mut value[..holonomic], &mut out[..holonomic]);
        fourth_order(resolution, value, out, |s, phi| {
            system.constraint(&base.at(t + s, q), phi).map_err(|x| failed(t + s, x))
        })?;
    }
    Ok(())
}

/// For each velocity the index of its plain coordinate in q.
fn plain_coordinates(space: &Space) -> Vec<Option<u32>> {
    let mut plain = vec![None; space.velocities()];
    for node in space.nodes() {
        for i in 0..node.vector {
            plain[node.v + i] = Some((node.q + i) as u32);
        }
    }
    plain
}

/// The perturbation of a position or rotation.
pub(super) fn position_step(plain: &[Option<u32>], unit: f64, q: &[f64], j: usize) -> f64 {
    match plain[j] {
        Some(i) => step_for(q[i as usize], unit),
        None => step_for(0.0, 1.0),
    }
}
