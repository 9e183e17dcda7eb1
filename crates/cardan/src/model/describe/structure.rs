//! A linear structure as a user describes it: scalar coordinates with masses, springs, bars and
//! membranes between them, or whole matrices.

use crate::model::analytic_solution::AnalyticSolution;
use crate::model::values::Function;
use crate::model::values::NodeLayout;

/// Limit of the number of coordinates of a structure.
pub(in crate::model) const MAX_NODES: usize = 2_000_000;

/// An end of a bar, or an edge of a membrane.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Edge {
    /// The smallest x.
    Left,
    /// The largest x.
    Right,
    /// The smallest y.
    Bottom,
    /// The largest y.
    Top,
}

/// How the mass of an element is distributed to its nodes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Lumping {
    /// Consistent mass matrix: with the interpolation of the displacements.
    #[default]
    Consistent,
    /// Lumped mass: a diagonal mass matrix.
    Lumped,
}

/// An entry of a matrix: (row, column, value).
pub type Triplet = (usize, usize, f64);

/// A linear structure M q̈ + C q̇ + K q = R(t).
///
/// ```
/// use cardan::model::{Mechanism, Structure};
/// use cardan::{Settings, Simulation};
///
/// # fn main() -> Result<(), cardan::Error> {
/// // two masses between walls
/// let chain = Structure::new("chain", 2)
///     .mass(0, 1.0)
///     .mass(1, 1.0)
///     .spring(None, Some(0), 100.0)
///     .spring(Some(0), Some(1), 100.0)
///     .spring(Some(1), None, 100.0)
///     .load(1, 5.0);
/// let mut mechanism = Mechanism::new();
/// mechanism.add(chain);
/// let start = mechanism.assemble()?;
/// let mut motion = Simulation::new(&start.model, &Settings::new("lms3", 1e-3), &start.initial)?;
/// motion.run_until(1.0)?;
/// # assert!(start.model.read("chain.node1", motion.now())?[0].abs() < 0.1);
/// # Ok(()) }
/// ```
#[derive(Clone, Debug)]
pub struct Structure {
    pub(in crate::model) name: String,
    pub(in crate::model) size: usize,
    pub(in crate::model) masses: Vec<Triplet>,
    pub(in crate::model) dampings: Vec<Triplet>,
    pub(in crate::model) stiffnesses: Vec<Triplet>,
    pub(in crate::model) loads: Vec<(usize, Function)>,
    pub(in crate::model) fixed: Vec<usize>,
    pub(in crate::model) ties: Vec<(Vec<(usize, f64)>, Function)>,
    pub(in crate::model) points: Vec<(String, usize)>,
    /// Given displacements and velocities of nodes at the start.
    pub(in crate::model) starts: Vec<(usize, [Option<f64>; 2])>,
    pub(in crate::model) proportional: [f64; 2],
    pub(in crate::model) layout: NodeLayout,
    pub(in crate::model) exact: Option<AnalyticSolution>,
}

impl Structure {
    /// A structure with `size` coordinates, without masses and springs.
    pub fn new(name: &str, size: usize) -> Self {
        Self {
            name: name.into(),
            size,
            masses: Vec::new(),
            dampings: Vec::new(),
            stiffnesses: Vec::new(),
            loads: Vec::new(),
            fixed: Vec::new(),
            ties: Vec::new(),
            points: Vec::new(),
            starts: Vec::new(),
            proportional: [0.0; 2],
            layout: NodeLayout::Scattered,
            exact: None,
        }
    }

    /// A straight bar of equal two-node elements, with its axial stiffness EA and its mass per length.
    /// Its points are `start`, `mid` (if there is a node) and `end`.
    pub fn bar(
        name: &str,
        length: f64,
        elements: usize,
        stiffness: f64,
        mass: f64,
        lumping: Lumping,
    ) -> Self {
        let mut bar = Self::new(name, elements.saturating_add(1));
        bar.layout = NodeLayout::Line { length, elements };
        let part = length / elements as f64;
        // too many elements are not stored; compiling refuses them by the number of nodes
        for i in 0..if elements < MAX_NODES { elements } else { 0 } {
            bar = bar.bar_element([i, i + 1], stiffness / part, mass * part, lumping);
        }
        bar.points.extend([("start".into(), 0), ("end".into(), elements)]);
        if elements.is_multiple_of(2) {
            bar.points.push(("mid".into(), elements / 2));
        }
        bar
    }

    /// A stretched membrane over a rectangle from the origin, of equal four-node elements: its tension
    /// per length, its mass per area, and one transverse displacement per node. Its points are the corners
    /// `origin`, `right`, `top` and `corner`.
    pub fn membrane(
        name: &str,
        sides: [f64; 2],
        elements: [usize; 2],
        tension: f64,
        mass: f64,
        lumping: Lumping,
    ) -> Self {
        let [nx, ny] = elements;
        let row = nx.saturating_add(1);
        let mut membrane = Self::new(name, row.saturating_mul(ny.saturating_add(1)));
        membrane.layout = NodeLayout::Grid { sides, elements };
        if membrane.size > MAX_NODES {
            return membrane;
        }
        let [a, b] = [sides[0] / nx as f64, sides[1] / ny as f64];
        for j in 0..ny {
            for i in 0..nx {
                let first = j * row + i;
                let corners = [first, first + 1, first + row + 1, first + row];
                membrane = membrane.membrane_element(corners, [a, b], tension, mass, lumping);
            }
        }
        let top = row.saturating_mul(ny);
        let named =
            [("origin", 0), ("right", nx), ("top", top), ("corner", top.saturating_add(nx))];
        membrane.points.extend(named.map(|(name, node)| (name.to_string(), node)));
        membrane
    }

    /// A structure given by its matrices; empty ones are zero.
    pub fn of_matrices(
        name: &str,
        size: usize,
        masses: Vec<Triplet>,
        dampings: Vec<Triplet>,
        stiffnesses: Vec<Triplet>,
    ) -> Self {
        Self { masses, dampings, stiffnesses, ..Self::new(name, size) }
    }

    /// The name of the structure.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Number of nodes.
    pub fn size(&self) -> usize {
        self.size
    }

    /// The layout of its nodes.
    pub fn layout(&self) -> NodeLayout {
        self.layout
    }

    /// Its named nodes.
    pub fn point_names(&self) -> Vec<(String, usize)> {
        self.points.clone()
    }

    /// Fixed nodes.
    pub fn fixed_nodes(&self) -> &[usize] {
        &self.fixed
    }

    /// A mass at a node.
    pub fn mass(mut self, node: usize, mass: f64) -> Self {
        self.masses.push((node, node, mass));
        self
    }

    /// A spring between two nodes, or a node and the ground.
    pub fn spring(mut self, one: Option<usize>, two: Option<usize>, stiffness: f64) -> Self {
        between(&mut self.stiffnesses, one, two, stiffness);
        self
    }

    /// A damper between two nodes, or a node and the ground.
    pub fn damper(mut self, one: Option<usize>, two: Option<usize>, damping: f64) -> Self {
        between(&mut self.dampings, one, two, damping);
        self
    }

    /// A two-node bar: its stiffness EA/L and its mass.
    pub fn bar_element(
        mut self,
        [i, j]: [usize; 2],
        stiffness: f64,
        mass: f64,
        lumping: Lumping,
    ) -> Self {
        between(&mut self.stiffnesses, Some(i), Some(j), stiffness);
        let (own, shared) = match lumping {
            Lumping::Consistent => (mass / 3.0, mass / 6.0),
            Lumping::Lumped => (mass / 2.0, 0.0),
        };
        self.masses.extend([(i, i, own), (j, j, own)]);
        if shared != 0.0 {
            self.masses.extend([(i, j, shared), (j, i, shared)]);
        }
        self
    }

    /// A rectangular four-node membrane element; its corners counterclockwise from the lower left one.
    pub fn membrane_element(
        mut self,
        corners: [usize; 4],
        [a, b]: [f64; 2],
        tension: f64,
        mass: f64,
        lumping: Lumping,
    ) -> Self {
        // products of the two-node shapes: [2 1; 1 2]/6 and [1 −1; −1 1] along each side
        let side = [[0, 0], [1, 0], [1, 1], [0, 1]];
        for (p, i) in corners.into_iter().enumerate() {
            for (q, j) in corners.into_iter().enumerate() {
                let same = [0, 1].map(|k| side[p][k] == side[q][k]);
                let value = same.map(|same| if same { 1.0 / 3.0 } else { 1.0 / 6.0 });
                let slope = same.map(|same| if same { 1.0 } else { -1.0 });
                let gradient = b / a * slope[0] * value[1] + a / b * slope[1] * value[0];
                self.stiffnesses.push((i, j, tension * gradient));
                match lumping {
                    Lumping::Consistent => {
                        self.masses.push((i, j, mass * a * b * value[0] * value[1]));
                    }
                    Lumping::Lumped if i == j => self.masses.push((i, i, 0.25 * mass * a * b)),
                    Lumping::Lumped => {}
                }
            }
        }
        self
    }

    /// Adds proportional damping α M + β K.
    pub fn proportional_damping(mut self, of_mass: f64, of_stiffness: f64) -> Self {
        self.proportional = [of_mass, of_stiffness];
        self
    }

    /// Fixes a node.
    pub fn fix(mut self, node: usize) -> Self {
        self.fixed.push(node);
        self
    }

    /// Fixes all nodes of an end or edge.
    pub fn fix_edge(mut self, edge: Edge) -> Self {
        match self.layout {
            _ if self.size > MAX_NODES => {}
            NodeLayout::Scattered => {}
            NodeLayout::Grid { .. } if self.size > MAX_NODES => {}
            NodeLayout::Line { elements, .. } => {
                self.fixed.push(if edge == Edge::Left { 0 } else { elements });
            }
            NodeLayout::Grid { elements: [nx, ny], .. } => {
                let row = nx + 1;
                match edge {
                    Edge::Left => self.fixed.extend((0..=ny).map(|j| j * row)),
                    Edge::Right => self.fixed.extend((0..=ny).map(|j| j * row + nx)),
                    Edge::Bottom => self.fixed.extend(0..=nx),
                    Edge::Top => self.fixed.extend((0..=nx).map(|i| row * ny + i)),
                }
            }
        }
        self
    }

    /// A load at a node.
    pub fn load(mut self, node: usize, load: impl Into<Function>) -> Self {
        self.loads.push((node, load.into()));
        self
    }

    /// Prescribes the motion of a node.
    pub fn drive(self, node: usize, motion: impl Into<Function>) -> Self {
        self.tie(&[(node, 1.0)], motion)
    }

    /// A constraint Σ c_i q_i = y(t).
    pub fn tie(mut self, terms: &[(usize, f64)], target: impl Into<Function>) -> Self {
        self.ties.push((terms.to_vec(), target.into()));
        self
    }

    /// A named node.
    pub fn point(mut self, name: &str, node: usize) -> Self {
        self.points.push((name.into(), node));
        self
    }

    /// Displacement and velocity of a node at the start. A displacement that is not given is zero; a velocity
    /// that is not given follows from the constraints.
    pub fn start(self, node: usize, displacement: f64, velocity: f64) -> Self {
        self.start_displacement(node, displacement).start_velocity(node, velocity)
    }

    /// The displacement of a node at the start, without its velocity.
    pub fn start_displacement(mut self, node: usize, displacement: f64) -> Self {
        self.starts.push((node, [Some(displacement), None]));
        self
    }

    /// The velocity of a node at the start, without its displacement.
    pub fn start_velocity(mut self, node: usize, velocity: f64) -> Self {
        self.starts.push((node, [None, Some(velocity)]));
        self
    }

    /// The analytic solution of the structure, for the channels `NAME.POINT.exact`.
    pub fn exact(mut self, exact: AnalyticSolution) -> Self {
        self.exact = Some(exact);
        self
    }
}

/// Adds the entries of a spring or damper between two nodes, or a node and the ground.
fn between(list: &mut Vec<Triplet>, one: Option<usize>, two: Option<usize>, value: f64) {
    list.extend([one, two].into_iter().flatten().map(|i| (i, i, value)));
    if let (Some(i), Some(j)) = (one, two) {
        list.extend([(i, j, -value), (j, i, -value)]);
    }
}
