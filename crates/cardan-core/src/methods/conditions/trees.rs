//! Rooted trees, one order condition of a Runge–Kutta method each.

/// There are 32973 trees with fourteen nodes, and about three times as many with each further one.
const MAX_NODES: usize = 14;

/// A rooted tree: the trees that grow from its root.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Tree(Vec<Tree>);

impl Tree {
    /// All trees with a number of nodes; none for more than fourteen, which are too many to list.
    pub fn all(nodes: usize) -> Vec<Self> {
        if nodes == 0 || nodes > MAX_NODES {
            return Vec::new();
        }
        if nodes == 1 {
            return vec![Tree(Vec::new())];
        }
        // a tree with one node less, and one more branch at any node: every tree, some of them often
        let mut trees: Vec<Tree> = Self::all(nodes - 1).iter().flat_map(Self::grown).collect();
        trees.sort();
        trees.dedup();
        trees
    }

    fn grown(&self) -> Vec<Self> {
        let mut grown = Vec::new();
        let mut here = self.clone();
        here.0.push(Tree(Vec::new()));
        grown.push(here.sorted());
        for (k, branch) in self.0.iter().enumerate() {
            for new in branch.grown() {
                let mut tree = self.clone();
                tree.0[k] = new;
                grown.push(tree.sorted());
            }
        }
        grown
    }

    fn sorted(mut self) -> Self {
        self.0.sort();
        self
    }

    fn nodes(&self) -> usize {
        1 + self.0.iter().map(Self::nodes).sum::<usize>()
    }

    /// γ(t), the density.
    fn density(&self) -> f64 {
        self.nodes() as f64 * self.0.iter().map(Self::density).product::<f64>()
    }

    /// The elementary weight of the branches of the root at each stage.
    fn stages(&self, a: &[Vec<f64>]) -> Vec<f64> {
        let branches: Vec<Vec<f64>> = self.0.iter().map(|branch| branch.stages(a)).collect();
        let stage = |row: &Vec<f64>| {
            let inner =
                |branch: &Vec<f64>| -> f64 { row.iter().zip(branch).map(|(a, x)| a * x).sum() };
            branches.iter().map(inner).product()
        };
        a.iter().map(stage).collect()
    }
}

/// The largest residual of the conditions of one order: Σ bᵢ φᵢ(t) − 1/γ(t); NaN for order zero
/// and for orders above fourteen.
pub fn residual(a: &[Vec<f64>], weights: &[f64], order: usize) -> f64 {
    if order == 0 || order > MAX_NODES {
        return f64::NAN;
    }
    let of = |tree: &Tree| -> f64 {
        let sum: f64 = tree.stages(a).iter().zip(weights).map(|(x, b)| x * b).sum();
        (sum - 1.0 / tree.density()).abs()
    };
    Tree::all(order).iter().map(of).fold(0.0, crate::math::larger)
}
