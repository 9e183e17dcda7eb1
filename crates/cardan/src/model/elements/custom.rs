//! A custom element in a compiled model: its sites, its states, and its matrices in those of the model.

use std::ops::Range;
use std::sync::Arc;

use crate::model::element::{
    CompiledSite, Element, ElementLoads, ElementMatrices, ElementOutput, ElementRateMatrices,
    ElementState, ElementTangent, ElementView, EnergyFlow, RateTangent, Variation,
};
use crate::model::node::Node;
use cardan_core::linalg::SparseMatrix;
use cardan_core::system::{Derivative, Failure, StateTangent, ValidityLimit};

/// A custom element.
#[derive(Clone)]
pub(in crate::model) struct CustomElement {
    name: String,
    element: Arc<dyn Element>,
    sites: Vec<CompiledSite>,
    /// The index among the custom elements.
    index: usize,
    /// The indices of its states among those of the model.
    pub states: Range<usize>,
    /// The initial values of its states.
    initial: Vec<f64>,
    /// The nodes on which it depends, and the index of their first velocity in `columns`.
    pub(super) nodes: Vec<(usize, usize)>,
    /// The velocities of the model on which it depends.
    pub(super) columns: Vec<usize>,
}

impl CustomElement {
    pub fn new(
        name: &str,
        element: Arc<dyn Element>,
        sites: Vec<CompiledSite>,
        index: usize,
        first_state: usize,
    ) -> Self {
        let initial: Vec<f64> = element.states().iter().map(|x| x.initial).collect();
        let states = first_state..first_state + initial.len();
        let (nodes, columns) = (Vec::new(), Vec::new());
        Self { name: name.into(), element, sites, index, states, initial, nodes, columns }
    }

    /// Finds the velocities of its nodes; called when all nodes of the model exist.
    pub fn connect(&mut self, nodes: &[Node]) {
        let mut all: Vec<usize> = self.sites.iter().flat_map(CompiledSite::nodes).collect();
        all.sort_unstable();
        all.dedup();
        (self.nodes, self.columns) = (Vec::new(), Vec::new());
        for node in all {
            self.nodes.push((node, self.columns.len()));
            self.columns.extend(nodes[node].v..nodes[node].v + nodes[node].velocities());
        }
    }

    /// The nodes on which it depends.
    pub fn node_numbers(&self) -> impl Iterator<Item = usize> + '_ {
        self.nodes.iter().map(|(node, _)| *node)
    }

    /// Zero matrices of the sizes of this element.
    pub(super) fn new_matrices(&self) -> (ElementMatrices, ElementRateMatrices) {
        let (n, m, nodes) = (self.columns.len(), self.states.len(), self.nodes.clone());
        let zeros = nalgebra::DMatrix::zeros;
        let own = ElementMatrices {
            nodes: nodes.clone(),
            stiffness: zeros(n, n),
            damping: zeros(n, n),
            states: zeros(n, m),
        };
        let rates = ElementRateMatrices {
            nodes,
            configuration: zeros(m, n),
            velocity: zeros(m, n),
            state: zeros(m, m),
        };
        (own, rates)
    }

    /// The view of this element: with its sites and its states.
    pub(super) fn view<'b>(&'b self, at: &ElementView<'b>) -> ElementView<'b> {
        // a view without states has the initial ones
        let z = at.z.get(self.states.clone()).unwrap_or(&self.initial);
        ElementView { z, sites: &self.sites, ..*at }
    }

    fn with_part(&self, failure: Failure) -> Failure {
        failure.in_part(|| format!("force `{}`", self.name))
    }

    /// Adds the loads for a view of this element.
    pub(super) fn force_at(&self, at: &ElementView<'_>, out: &mut [f64]) -> Result<(), Failure> {
        let mut loads = ElementLoads::new(at, out);
        self.element.force(at, &mut loads)?;
        loads.check()
    }

    /// Writes the rates of the states for a view of this element.
    pub(super) fn rates_at(&self, at: &ElementView<'_>, out: &mut [f64]) -> Result<(), Failure> {
        self.element.rates(at, out)
    }

    /// The names and initial values of the states.
    pub fn state_list(&self) -> Vec<ElementState> {
        self.element.states()
    }

    /// The residual ż − g(t, q, v, z) of the states.
    pub fn residual(
        &self,
        at: &ElementView<'_>,
        rates: &[f64],
        out: &mut [f64],
    ) -> Result<(), Failure> {
        if self.states.is_empty() {
            return Ok(());
        }
        let out = &mut out[self.states.clone()];
        self.element.rates(&self.view(at), out).map_err(|x| self.with_part(x))?;
        for (out, rate) in out.iter_mut().zip(&rates[self.states.clone()]) {
            *out = rate - *out;
        }
        Ok(())
    }

    /// The derivatives of the residual of the states.
    pub fn residual_tangent(
        &self,
        at: &ElementView<'_>,
        tangent: &mut StateTangent<'_>,
    ) -> Result<(), Failure> {
        let Some(scratch) = at.scratch.filter(|_| !self.states.is_empty()) else { return Ok(()) };
        let mut scratch = scratch.borrow_mut();
        let (variation, own) = scratch.rates_of(self.index);
        own.clear();
        let view = self.view(at);
        let source = self.element.rate_tangent(&view, &mut RateTangent::new(&view, own));
        if source.map_err(|x| self.with_part(x))? == Derivative::Differenced {
            own.clear();
            self.difference_rates(variation, &view, own).map_err(|x| self.with_part(x))?;
        }
        for (k, row) in self.states.clone().enumerate() {
            for (l, &column) in self.columns.iter().enumerate() {
                tangent.configuration.add(row, column, -own.configuration[(k, l)]);
                tangent.velocity.add(row, column, -own.velocity[(k, l)]);
            }
            for (l, column) in self.states.clone().enumerate() {
                tangent.state.add(row, column, -own.state[(k, l)]);
            }
            tangent.rate.add(row, row, 1.0);
        }
        Ok(())
    }

    /// Adds a matrix over `columns` to a matrix of the model.
    fn write(&self, from: &nalgebra::DMatrix<f64>, out: &mut SparseMatrix) {
        for (j, &column) in self.columns.iter().enumerate() {
            for (i, &row) in self.columns.iter().enumerate() {
                out.add(row, column, from[(i, j)]);
            }
        }
    }
}

impl Element for CustomElement {
    fn force(&self, at: &ElementView<'_>, loads: &mut ElementLoads<'_>) -> Result<(), Failure> {
        self.force_at(&self.view(at), loads.out).map_err(|x| self.with_part(x))
    }

    fn tangent(
        &self,
        at: &ElementView<'_>,
        tangent: &mut ElementTangent<'_>,
    ) -> Result<Derivative, Failure> {
        let (Some(scratch), Some(out)) = (at.scratch, tangent.model_tangent()) else {
            return Ok(Derivative::Analytic);
        };
        let mut scratch = scratch.borrow_mut();
        let (variation, own): (&mut Variation, &mut ElementMatrices) =
            scratch.matrices_of(self.index);
        own.clear();
        let view = self.view(at);
        let source = self.element.tangent(&view, &mut ElementTangent::for_element(&view, own));
        if source.map_err(|x| self.with_part(x))? == Derivative::Differenced {
            own.clear();
            self.difference_force(variation, &view, own).map_err(|x| self.with_part(x))?;
        }
        self.write(&own.stiffness, out.stiffness);
        self.write(&own.damping, out.damping);
        for (k, column) in self.states.clone().enumerate() {
            for (i, &row) in self.columns.iter().enumerate() {
                out.states.add(row, column, own.states[(i, k)]);
            }
        }
        Ok(Derivative::Analytic)
    }

    fn potential(&self, at: &ElementView<'_>) -> Option<f64> {
        self.element.potential(&self.view(at))
    }

    fn flow(&self, at: &ElementView<'_>) -> Option<EnergyFlow> {
        let view = self.view(at);
        if let Some(flow) = self.element.flow(&view) {
            return Some(flow);
        }
        if self.element.potential(&view).is_some() {
            return Some(EnergyFlow::default());
        }
        // the whole power of the loads is work
        let mut loads = vec![0.0; at.v.len()];
        if self.force_at(&view, &mut loads).is_err() {
            return Some(EnergyFlow { work: f64::NAN, lost: 0.0 });
        }
        let work = self.columns.iter().map(|&i| loads[i] * at.v[i]).sum();
        Some(EnergyFlow { work, lost: 0.0 })
    }

    fn outputs(&self) -> Vec<ElementOutput> {
        self.element.outputs()
    }

    fn output(&self, k: usize, at: &ElementView<'_>, values: &mut [f64]) {
        self.element.output(k, &self.view(at), values);
    }

    fn limits(&self) -> Vec<ValidityLimit> {
        self.element.limits()
    }

    fn limit_values(&self, at: &ElementView<'_>, values: &mut [f64]) {
        self.element.limit_values(&self.view(at), values);
    }

    fn inputs(&self) -> &'static [&'static str] {
        self.element.inputs()
    }

    fn unit_input(&self, k: usize, at: &ElementView<'_>, loads: &mut ElementLoads<'_>) {
        let view = self.view(at);
        self.element.unit_input(k, &view, &mut loads.of(&self.sites));
    }

    fn reason_not_finite(&self, at: &ElementView<'_>) -> Option<Failure> {
        self.element.reason_not_finite(&self.view(at)).map(|x| self.with_part(x))
    }
}

impl std::fmt::Debug for CustomElement {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(out, "Custom({})", self.name)
    }
}
