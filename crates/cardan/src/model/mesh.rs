//! From a beam's path to nodes and elements: new bodies for its nodes, masses lumped onto them and onto
//! the bodies it is fixed to.

use super::compile::fail;
use super::describe::{Path, PathPoint};
use super::elements::Shape;
use super::node::GROUND;
use super::{Anchor, Beam, BeamForm, Body, Function, Inertia, Mechanism, ModelError};
use crate::math::{Chart, Matrix3, Quaternion, Vector3};
use crate::names;

/// A model with more elements than this means something else.
const MOST_ELEMENTS: usize = 200_000;

/// A beam divided into elements.
#[derive(Clone, Debug, Default)]
pub(super) struct Mesh {
    /// Which beam of the mechanism.
    pub beam: usize,
    pub nodes: Vec<MeshNode>,
    /// Each with two or three nodes, and its section at each.
    pub elements: Vec<MeshElement>,
    /// Its length as described.
    pub length: f64,
}

/// A node of a beam.
#[derive(Clone, Copy, Debug)]
pub(super) struct MeshNode {
    /// Where the path is.
    pub p: Vector3,
    /// The body it belongs to, by its node; the ground is none.
    pub host: usize,
    /// Where along the beam, 0…1.
    pub station: f64,
    /// The length whose loads it carries, and their centre from p, world axes.
    pub share: f64,
    pub arm: Vector3,
    /// The mass lumped onto it, its centre from p, and its inertia about that, world axes.
    pub mass: f64,
    pub centre: Vector3,
    pub tensor: Matrix3,
}

/// An element of a beam.
#[derive(Clone, Copy, Debug)]
pub(super) struct MeshElement {
    /// The nodes; the third is unused if there are two.
    pub nodes: [usize; 3],
    /// Where the beam's line is at each, and the section's axes.
    pub p: [Vector3; 3],
    pub s: [Matrix3; 3],
    pub length: f64,
}

/// Mass with its first and second moments about a point, world axes.
#[derive(Clone, Copy, Debug)]
struct Lump {
    mass: f64,
    first: Vector3,
    second: Matrix3,
}

impl Lump {
    const NONE: Self = Self {
        mass: 0.0,
        first: Vector3::new(0.0, 0.0, 0.0),
        second: Matrix3::new(0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0),
    };

    /// Adds a piece with inertia about its own centre at y.
    fn add(&mut self, mass: f64, y: &Vector3, about_centre: &Matrix3) {
        self.mass += mass;
        self.first += mass * y;
        self.second += about_centre + mass * spread(y);
    }
}

/// |y|² I − y yᵀ.
fn spread(y: &Vector3) -> Matrix3 {
    Matrix3::from_diagonal_element(y.norm_squared()) - y * y.transpose()
}

/// Places along the path: where, and the body that is there.
struct Knot {
    p: Vector3,
    host: Option<usize>,
}

impl Mechanism {
    /// The same mechanism with the nodes of its beams as bodies, and what trusses weigh.
    pub(super) fn with_nodes(&self) -> Result<Self, ModelError> {
        let mut whole = self.clone();
        for (index, beam) in self.beams.iter().enumerate() {
            let mesh = whole.mesh(index, beam)?;
            whole.meshes.push(mesh);
        }
        whole.lump_trusses()?;
        Ok(whole)
    }

    /// A body's number among the nodes, with its origin and axes as described.
    fn host(&self, owner: &str, name: &str) -> Result<(usize, Vector3, Matrix3), ModelError> {
        if name == "ground" {
            return Ok((GROUND, Vector3::zeros(), Matrix3::identity()));
        }
        if let Some((body, _)) = name.split_once('.') {
            let reason =
                format!("`{name}`: a curve knows its places itself; name the body alone, `{body}`");
            return fail(owner.into(), &reason);
        }
        let Some(i) = self.bodies.iter().position(|body| body.name == name && !body.is_node) else {
            let known = self.bodies.iter().filter(|x| !x.is_node).map(|x| x.name.as_str());
            let nearest = names::nearest(name, known.chain(["ground"]));
            let wanted_by = owner.into();
            return Err(ModelError::Missing {
                wanted_by,
                what: "body",
                name: name.into(),
                nearest,
            });
        };
        let body = &self.bodies[i];
        if !body.freedom.turns() {
            return fail(
                owner.into(),
                &format!("`{name}` is a point mass: nothing is fixed to it"),
            );
        }
        let rotation = body.described_rotation();
        Ok((i + 1, body.position, rotation))
    }

    fn anchored(&self, owner: &str, anchor: &Anchor) -> Result<Knot, ModelError> {
        let (node, origin, axes) = self.host(owner, &anchor.body)?;
        let points = match node {
            GROUND => &self.ground,
            _ => &self.bodies[node - 1].points,
        };
        let at = match &anchor.point {
            None if node == GROUND => {
                return fail(owner.into(), "it is fixed to the ground, but where: name a point");
            }
            None => Vector3::zeros(),
            Some(name) => {
                let found = points.iter().find(|(known, _)| known == name);
                found.map(|(_, at)| *at).ok_or_else(|| ModelError::Missing {
                    wanted_by: owner.into(),
                    what: "point",
                    name: anchor.to_string(),
                    nearest: names::nearest(name, points.iter().map(|(known, _)| known.as_str())),
                })?
            }
        };
        Ok(Knot { p: origin + axes * at, host: Some(node) })
    }

    fn mesh(&mut self, index: usize, beam: &Beam) -> Result<Mesh, ModelError> {
        let owner = format!("beam `{}`", beam.name);
        check(&owner, beam)?;
        let parts = match &beam.path {
            Path::Places(places) if beam.elements.len() == 1 => places.len().saturating_sub(1),
            _ => 1,
        };
        let own = beam.elements.iter().fold(0_usize, |sum, &n| sum.saturating_add(n));
        let before: usize = self.meshes.iter().map(|mesh| mesh.elements.len()).sum();
        if own.saturating_mul(parts).saturating_add(before) > MOST_ELEMENTS {
            let reason =
                format!("`elements`: the model would have more than {MOST_ELEMENTS} of them");
            return fail(owner, &reason);
        }
        let mut mesh = Mesh { beam: index, ..Mesh::default() };
        let hosts = match &beam.path {
            Path::Places(places) => {
                let knots: Result<Vec<Knot>, _> = places
                    .iter()
                    .map(|place| match place {
                        PathPoint::At(p) => Ok(Knot { p: *p, host: None }),
                        PathPoint::On(anchor) => self.anchored(&owner, anchor),
                    })
                    .collect();
                polygon(&owner, beam, &knots?, &mut mesh)?
            }
            Path::Curve { shape, ends } => {
                let mut hosts = [None, None];
                for (host, end) in hosts.iter_mut().zip(ends) {
                    if let Some(name) = end {
                        *host = Some(self.host(&owner, name)?.0);
                    }
                }
                curve(&owner, beam, shape, hosts, &mut mesh)?
            }
        };
        if beam.is_planar && mesh.nodes.iter().any(|node| node.p.z != 0.0) {
            return fail(owner, "it is planar, but its path leaves the plane z = 0");
        }
        let lumps = lump(beam, &mut mesh);
        self.add_nodes(&owner, beam, &mut mesh, &hosts, &lumps)?;
        Ok(mesh)
    }

    /// New bodies for the nodes, and their masses.
    fn add_nodes(
        &mut self,
        owner: &str,
        beam: &Beam,
        mesh: &mut Mesh,
        hosts: &[Option<usize>],
        lumps: &[Lump],
    ) -> Result<(), ModelError> {
        let start = mesh.nodes[0].p;
        let mut axes = vec![Matrix3::identity(); mesh.nodes.len()];
        let order = beam.nodes;
        for element in mesh.elements.iter().rev() {
            (0..order).for_each(|k| axes[element.nodes[k]] = element.s[k]);
        }
        for (i, node) in mesh.nodes.iter_mut().enumerate() {
            let lump = &lumps[i];
            // round-off of equal halves is not an offset
            let centre = if lump.mass > 0.0 { lump.first / lump.mass } else { Vector3::zeros() };
            let tidy = 1e-13 * mesh.length;
            let centre = centre.map(|x| if x.abs() < tidy { 0.0 } else { x });
            let tensor = lump.second - lump.mass * spread(&centre);
            (node.mass, node.centre, node.tensor) = (lump.mass, centre, tensor);
            if hosts[i] == Some(GROUND) && beam.moves_at(&start, &node.p) {
                let reason =
                    "`velocity` or `angular_velocity` moves it where it is fixed to the ground";
                return fail(owner.into(), reason);
            }
            match hosts[i] {
                Some(GROUND) => node.host = GROUND,
                Some(host) => {
                    node.host = host;
                    let body = &mut self.bodies[host - 1];
                    let back = body.described_rotation().transpose();
                    body.lumps.push(Inertia {
                        mass: lump.mass,
                        centre: back * (node.p + centre - body.position),
                        tensor: back * tensor * back.transpose(),
                    });
                }
                None => {
                    let back = axes[i].transpose();
                    let name = format!("{}.node{i}", beam.name);
                    let mut body = match beam.is_planar {
                        true => Body::planar(&name).angle(axes[i][(1, 0)].atan2(axes[i][(0, 0)])),
                        false => {
                            Body::spatial(&name).orientation(Quaternion::from_matrix(&axes[i]))
                        }
                    };
                    body = body.position(node.p);
                    body.lumps.push(Inertia {
                        mass: lump.mass,
                        centre: back * centre,
                        tensor: back * tensor * back.transpose(),
                    });
                    body.is_node = true;
                    let omega = beam.angular_velocity;
                    if beam.velocity.is_some() || omega.is_some() {
                        body = body.velocity(beam.velocity_at(&start, &node.p));
                    }
                    if let Some(omega) = omega {
                        body = body.angular_velocity((back * omega).into());
                    }
                    self.bodies.push(body);
                    node.host = self.bodies.len();
                }
            }
        }
        Ok(())
    }

    /// Half the mass of each truss to the body at either end.
    fn lump_trusses(&mut self) -> Result<(), ModelError> {
        for k in 0..self.trusses.len() {
            let truss = self.trusses[k].clone();
            let owner = format!("truss `{}`", truss.name);
            let mut ends = [Vector3::zeros(); 2];
            let mut hosts = [GROUND; 2];
            for (side, anchor) in truss.ends.iter().enumerate() {
                let (host, p) = self.truss_end(&owner, anchor)?;
                (ends[side], hosts[side]) = (p, host);
            }
            let length = (ends[1] - ends[0]).norm();
            if !(length > 0.0 && length.is_finite()) {
                return fail(owner, "its ends lie in one place");
            }
            let positive = |x: f64| x > 0.0 && x.is_finite();
            let has_mass = truss.mass >= 0.0 && truss.mass.is_finite();
            if !(positive(truss.stiffness) && has_mass) {
                return fail(owner, "its stiffness must be positive, its mass not negative");
            }
            let length = truss.length.unwrap_or(length);
            if !positive(length) {
                return fail(owner, "its length must be positive");
            }
            self.trusses[k].length = Some(length);
            let points = hosts.iter().all(|&x| x == GROUND || !self.bodies[x - 1].freedom.turns());
            if truss.is_consistent && !points {
                return fail(
                    owner,
                    "a consistent mass needs point masses (or the ground) at both ends; use the lumped one",
                );
            }
            if truss.is_consistent {
                // the mass matrix of the model has it
                continue;
            }
            for (side, host) in hosts.into_iter().enumerate().filter(|(_, host)| *host != GROUND) {
                let body = &mut self.bodies[host - 1];
                let centre = body.described_rotation().tr_mul(&(ends[side] - body.position));
                let mass = 0.5 * truss.mass * length;
                body.lumps.push(Inertia { mass, centre, tensor: Matrix3::zeros() });
            }
        }
        Ok(())
    }

    fn truss_end(&self, owner: &str, anchor: &Anchor) -> Result<(usize, Vector3), ModelError> {
        let point_mass = |body: &&Body| body.name == anchor.body && !body.freedom.turns();
        if let (Some(body), None) = (self.bodies.iter().find(point_mass), &anchor.point) {
            let node = self.bodies.iter().position(|x| x.name == body.name).unwrap_or(0) + 1;
            return Ok((node, body.position));
        }
        if let Some(mesh) = self.meshes.iter().find(|x| self.beams[x.beam].name == anchor.body) {
            let node = self.beam_node(owner, mesh, anchor)?;
            return Ok((mesh.nodes[node].host, mesh.nodes[node].p));
        }
        if anchor.body == "ground" && anchor.point.is_none() {
            return Ok((GROUND, Vector3::zeros()));
        }
        let knot = self.anchored(owner, anchor)?;
        Ok((knot.host.unwrap_or(GROUND), knot.p))
    }

    /// The node at a named station of a beam.
    pub(super) fn beam_node(
        &self,
        owner: &str,
        mesh: &Mesh,
        anchor: &Anchor,
    ) -> Result<usize, ModelError> {
        let beam = &self.beams[mesh.beam];
        let Some(point) = &anchor.point else {
            let name = &beam.name;
            let reason = format!("`{name}` is a beam: name a point on it, such as `{name}.end`");
            return fail(owner.into(), &reason);
        };
        let Some(station) = mesh.station(beam, point) else {
            return Err(ModelError::Missing {
                wanted_by: owner.into(),
                what: "point",
                name: anchor.to_string(),
                nearest: names::nearest(point, beam.station_names()),
            });
        };
        let near = |node: &MeshNode| (node.station - station).abs();
        let (i, nearest) = mesh
            .nodes
            .iter()
            .enumerate()
            .min_by(|a, b| near(a.1).total_cmp(&near(b.1)))
            .map_or((0, 1.0), |(i, node)| (i, near(node)));
        match nearest < 1e-9 {
            true => Ok(i),
            false => {
                let reason = format!(
                    "`{anchor}` lies between two nodes of the beam (the nearest is at {:.6}); choose \
                     its elements so that a node is there, or make it a place of the path",
                    mesh.nodes[i].station
                );
                fail(owner.into(), &reason)
            }
        }
    }
}

impl Beam {
    /// The names of its stations.
    pub(super) fn station_names(&self) -> impl Iterator<Item = &str> {
        ["start", "mid", "end"]
            .into_iter()
            .chain(self.stations.iter().map(|(name, _)| name.as_str()))
    }
}

impl Mesh {
    /// Where the beam's line is at a node: of the element before it, if there is one.
    pub fn line(&self, node: usize) -> Vector3 {
        let mut last = self.nodes[node].p;
        for element in &self.elements {
            if let Some(k) = element.nodes.iter().position(|i| *i == node) {
                last = element.p[k];
                // the next one may begin here
                if k > 0 {
                    break;
                }
            }
        }
        last
    }

    /// Where a named station is; `nodeK` are the nodes in order.
    pub fn station(&self, beam: &Beam, name: &str) -> Option<f64> {
        if let Some((_, at)) = beam.stations.iter().find(|(known, _)| known == name) {
            return Some(*at);
        }
        match name {
            "start" => Some(0.0),
            "mid" => Some(0.5),
            "end" => Some(1.0),
            _ => {
                let number: usize = name.strip_prefix("node")?.parse().ok()?;
                self.nodes.get(number).map(|node| node.station)
            }
        }
    }
}

impl Body {
    /// Body to world as described.
    pub(super) fn described_rotation(&self) -> Matrix3 {
        let turn = match self.freedom {
            super::Freedom::Spatial => {
                self.orientation.normalized().unwrap_or(Quaternion::IDENTITY)
            }
            _ => Quaternion::new((0.5 * self.angle).cos(), 0.0, 0.0, (0.5 * self.angle).sin()),
        };
        turn.to_matrix()
    }
}

/// Values that make no sense.
fn check(owner: &str, beam: &Beam) -> Result<(), ModelError> {
    let fail = |reason: &str| fail(owner.into(), reason);
    if beam.nodes != 2 && beam.nodes != 3 {
        return fail("`nodes` must be 2 or 3: those of an element");
    }
    if beam.elements.is_empty() || beam.elements.contains(&0) {
        return fail("`elements` must be one at least between each place and the next");
    }
    check_section(owner, beam)?;
    if beam.nodes == 3 && beam.residual_flexibility {
        return fail("`residual_flexibility` is for elements with two nodes only");
    }
    if beam.nodes == 3 && beam.volumes {
        return fail("`lumping` is for elements with two nodes; with three the form decides");
    }
    if beam.form == BeamForm::Galerkin && beam.chart != Chart::Exponential {
        return fail("`rotations` by Cayley's chart are for the finite-volume form only");
    }
    for (what, known) in [("velocity", beam.velocity), ("angular_velocity", beam.angular_velocity)]
    {
        if known.is_some_and(|x| !x.iter().all(|x| x.is_finite())) {
            return fail(&format!("`{what}` is not finite"));
        }
    }
    for (what, [second, third]) in [("offset", beam.offset), ("centre", beam.section.centre)] {
        if !(second.is_finite() && third.is_finite()) {
            return fail(&format!("`{what}` is not finite"));
        }
        if beam.is_planar && third != 0.0 {
            return fail(&format!("`{what}` leaves the plane of a planar beam"));
        }
    }
    let mut seen = Vec::new();
    for (name, at) in &beam.stations {
        if !(0.0..=1.0).contains(at) {
            return fail(&format!(
                "`points`: {name} is at {at}; they are from 0 at the start to 1 at the end"
            ));
        }
        let is_number = |rest: &str| !rest.is_empty() && rest.bytes().all(|x| x.is_ascii_digit());
        let is_node = name.strip_prefix("node").is_some_and(is_number);
        let own = ["start", "mid", "end", "energy", "dissipation"];
        if own.contains(&name.as_str()) || is_node {
            return fail(&format!("`points`: every beam has {name} already; choose another name"));
        }
        if !super::compile::is_usable(name) {
            return fail(&format!(
                "`points`: \"{name}\" cannot be a name: it is empty, or has a point in it"
            ));
        }
        if seen.contains(&name) {
            return fail(&format!("`points`: {name} is used twice"));
        }
        seen.push(name);
    }
    Ok(())
}

/// A section that no beam can have.
fn check_section(owner: &str, beam: &Beam) -> Result<(), ModelError> {
    let fail = |reason: &str| fail(owner.into(), reason);
    let section = &beam.section;
    let (stiffness, diagonal) = (&section.stiffness, section.stiffness.diagonal());
    if !stiffness.iter().all(|x| x.is_finite()) {
        return fail("`stiffness` is not finite");
    }
    if (stiffness - stiffness.transpose()).amax() > 1e-9 * stiffness.amax() {
        return fail("`stiffness` must be symmetric");
    }
    // in units in which all diagonal entries are one
    let scale = diagonal.map(|x| 1.0 / x.max(f64::MIN_POSITIVE).sqrt());
    let scaled = stiffness.component_mul(&(scale * scale.transpose()));
    let positive = diagonal.iter().all(|x| *x > 0.0);
    if !positive || scaled.symmetric_eigenvalues().min() <= 1e-12 {
        return fail("`stiffness` must be positive: every strain must cost energy");
    }
    if let Some(viscosity) = section.viscosity_matrix()
        && (!viscosity.iter().all(|x| x.is_finite()) || viscosity.diagonal().min() < 0.0)
    {
        return fail("`damping` must be finite and not negative");
    }
    if !(section.mass > 0.0 && section.mass.is_finite()) {
        return fail("`mass`, per length, must be positive");
    }
    if !section.inertia.iter().all(|x| *x >= 0.0 && x.is_finite()) {
        return fail("`inertia`, per length, must be finite and not negative");
    }
    let needed: &[usize] = match (beam.is_planar, beam.has_volumes()) {
        (true, true) => &[],
        (true, false) => &[2],
        (false, true) => &[0],
        (false, false) => &[0, 1, 2],
    };
    match needed.iter().any(|&k| section.inertia[k] == 0.0) {
        false => Ok(()),
        true => fail(
            "`inertia` is missing: its nodes would have none against turning; give the moments of inertia \
             per length about the three axes (density times those of the section)",
        ),
    }
}

impl Beam {
    /// The velocity of a place if the beam moves as a whole as described.
    fn velocity_at(&self, start: &Vector3, p: &Vector3) -> Vector3 {
        let omega = self.angular_velocity.unwrap_or_default();
        self.velocity.unwrap_or_default() + omega.cross(&(p - start))
    }

    /// Whether it moves or turns at a place, by more than round-off.
    fn moves_at(&self, start: &Vector3, p: &Vector3) -> bool {
        let omega = self.angular_velocity.unwrap_or_default().norm();
        let speed = self.velocity.unwrap_or_default().norm() + omega * (p - start).norm();
        omega > 0.0 || self.velocity_at(start, p).norm() > 1e-9 * speed
    }

    /// Whether the masses of volumes are lumped about their own centres.
    fn has_volumes(&self) -> bool {
        match self.nodes {
            3 => self.form == BeamForm::FiniteVolume,
            _ => self.volumes,
        }
    }
}

/// Section axes with the first one given.
fn axes(owner: &str, beam: &Beam, along: &Vector3) -> Result<Matrix3, ModelError> {
    let up = match beam.across {
        None if beam.is_planar || along.z.abs() < (1.0 - 1e-12) * along.norm() => {
            along.cross(&Vector3::z()).cross(along)
        }
        // straight up
        None => along.cross(&Vector3::y()),
        Some(across) => along.cross(&across),
    };
    let [Some(first), Some(third)] = [along, &up].map(|x| x.try_normalize(1e-12 * along.norm()))
    else {
        return fail(
            owner.into(),
            "`across` points along the beam; it must point to one of its sides",
        );
    };
    Ok(Matrix3::from_columns(&[first, third.cross(&first), third]))
}

/// Straight between places; gives the host of every node.
fn polygon(
    owner: &str,
    beam: &Beam,
    knots: &[Knot],
    mesh: &mut Mesh,
) -> Result<Vec<Option<usize>>, ModelError> {
    let segments = knots.len().saturating_sub(1);
    if segments == 0 {
        return fail(owner.into(), "`path` needs at least two places");
    }
    let counts = match beam.elements.as_slice() {
        [all] => vec![*all; segments],
        each if each.len() == segments => each.to_vec(),
        each => {
            let n = each.len();
            let reason = format!("`elements` has {n} numbers for {segments} parts of its path");
            return fail(owner.into(), &reason);
        }
    };
    if knots.iter().any(|knot| !knot.p.iter().all(|x| x.abs() < super::compile::LARGEST)) {
        return fail(owner.into(), "its path is not finite, or beyond all measure");
    }
    let lengths: Vec<f64> = knots.windows(2).map(|pair| (pair[1].p - pair[0].p).norm()).collect();
    mesh.length = lengths.iter().sum();
    if lengths.iter().any(|length| *length <= 1e-9 * mesh.length) {
        return fail(owner.into(), "two places of its path are the same");
    }
    let mut hosts = vec![knots[0].host];
    let mut station = 0.0;
    mesh.nodes.push(MeshNode::new(knots[0].p, 0.0));
    for (k, pair) in knots.windows(2).enumerate() {
        let (from, to) = (pair[0].p, pair[1].p);
        let s = axes(owner, beam, &(to - from))?;
        let shift = s * Vector3::new(0.0, beam.offset[0], beam.offset[1]);
        let parts = counts[k] * (beam.nodes - 1);
        for j in 1..=parts {
            let t = j as f64 / parts as f64;
            let p = if j == parts { to } else { from + t * (to - from) };
            let here = if j == parts && k + 1 == segments {
                1.0
            } else {
                station + t * lengths[k] / mesh.length
            };
            mesh.nodes.push(MeshNode::new(p, here));
            hosts.push(if j == parts { pair[1].host } else { None });
        }
        station += lengths[k] / mesh.length;
        let first = mesh.nodes.len() - 1 - parts;
        for e in 0..counts[k] {
            let nodes = members(first + e * (beam.nodes - 1), beam.nodes);
            let p = nodes.map(|i| mesh.nodes[i].p + shift);
            let length = lengths[k] / counts[k] as f64;
            mesh.elements.push(MeshElement { nodes, p, s: [s; 3], length });
        }
    }
    Ok(hosts)
}

/// The nodes of an element from its first one on.
fn members(first: usize, nodes: usize) -> [usize; 3] {
    if nodes == 3 { [first, first + 1, first + 2] } else { [first, first + 1, first + 1] }
}

impl MeshNode {
    fn new(p: Vector3, station: f64) -> Self {
        Self {
            p,
            host: GROUND,
            station,
            share: 0.0,
            arm: Vector3::zeros(),
            mass: 0.0,
            centre: Vector3::zeros(),
            tensor: Matrix3::zeros(),
        }
    }
}

/// Along a curve over s = 0…1.
fn curve(
    owner: &str,
    beam: &Beam,
    shape: &[Function; 3],
    ends: [Option<usize>; 2],
    mesh: &mut Mesh,
) -> Result<Vec<Option<usize>>, ModelError> {
    let [count] = beam.elements[..] else {
        return fail(owner.into(), "`elements` of a curve is one number");
    };
    let parts = count * (beam.nodes - 1);
    let mut frames = Vec::with_capacity(parts + 1);
    for j in 0..=parts {
        let s = j as f64 / parts as f64;
        let jets = shape.each_ref().map(|f| f.at(s));
        let (p, along) = (Vector3::from(jets.map(|x| x[0])), Vector3::from(jets.map(|x| x[1])));
        let finite = |x: &Vector3| x.iter().all(|x| x.abs() < super::compile::LARGEST);
        if !(finite(&p) && finite(&along) && along.norm() > 0.0) {
            return fail(
                owner.into(),
                &format!(
                    "`curve` has no place or no direction at s = {s}: it must move on evenly with s"
                ),
            );
        }
        frames.push(axes(owner, beam, &along)?);
        mesh.nodes.push(MeshNode::new(p, s));
    }
    for (j, pair) in mesh.nodes.windows(2).enumerate() {
        let chord = pair[1].p - pair[0].p;
        let along = |frame: &Matrix3| frame.column(0).dot(&chord) / chord.norm();
        // a smooth curve leaves its tangent by less than 60° from node to node
        if !(along(&frames[j]) > 0.5 && along(&frames[j + 1]) > 0.5) {
            let s = pair[0].station;
            let reason = format!(
                "`curve` jumps, turns back or bends by more than a right angle between two nodes near \
                 s = {s:.3}: take more elements, or a path"
            );
            return fail(owner.into(), &reason);
        }
    }
    let lines =
        |j: usize| mesh.nodes[j].p + frames[j] * Vector3::new(0.0, beam.offset[0], beam.offset[1]);
    for e in 0..count {
        let nodes = members(e * (beam.nodes - 1), beam.nodes);
        let (p, s) = (nodes.map(&lines), nodes.map(|i| frames[i]));
        // Simpson's rule, as masses are lumped
        let length = match beam.nodes {
            3 => [-1.0, 0.0, 1.0]
                .map(|xi| stretch(&p, xi))
                .iter()
                .zip([1.0, 4.0, 1.0])
                .map(|(j, w)| j * w / 3.0)
                .sum(),
            _ => (p[1] - p[0]).norm(),
        };
        if length.is_nan() || length <= 0.0 {
            return fail(owner.into(), "two nodes of its curve are in one place");
        }
        mesh.elements.push(MeshElement { nodes, p, s, length });
    }
    mesh.length = mesh.elements.iter().map(|x| x.length).sum();
    let mut hosts = vec![None; parts + 1];
    (hosts[0], hosts[parts]) = (ends[0], ends[1]);
    Ok(hosts)
}

/// |dp/dξ| of a three-node element.
fn stretch(p: &[Vector3; 3], xi: f64) -> f64 {
    let (_, slopes) = Shape::<3>::at(xi);
    (slopes[0] * p[0] + slopes[1] * p[1] + slopes[2] * p[2]).norm()
}

/// Five Gauss points on −1…1 with their weights.
const GAUSS: [(f64, f64); 5] = [
    (-0.906_179_845_938_664, 0.236_926_885_056_189_1),
    (-0.538_469_310_105_683_1, 0.478_628_670_499_366_5),
    (0.0, 0.568_888_888_888_888_9),
    (0.538_469_310_105_683_1, 0.478_628_670_499_366_5),
    (0.906_179_845_938_664, 0.236_926_885_056_189_1),
];

/// The masses that belong to each node, and its share of loads.
fn lump(beam: &Beam, mesh: &mut Mesh) -> Vec<Lump> {
    let mut lumps = vec![Lump::NONE; mesh.nodes.len()];
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
                // first moments for now
                node.arm += length * (loaded - base);
            };
            if volumes {
                for (point, weight) in GAUSS {
                    let xi = 0.5 * ((1.0 - point) * from + (1.0 + point) * to);
                    let (p, length) = match beam.nodes {
                        3 => {
                            let (n, _) = Shape::<3>::at(xi);
                            let p = n[0] * element.p[0] + n[1] * element.p[1] + n[2] * element.p[2];
                            (p, stretch(&element.p, xi))
                        }
                        _ => {
                            let (n, _) = Shape::<2>::at(xi);
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
