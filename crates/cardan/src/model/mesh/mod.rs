//! Divides beams into nodes and elements: creates bodies for the nodes, and lumps masses onto them and
//! onto the bodies to which the beam is fixed.

mod check;
mod data;
mod lumping;
mod path;

use crate::model::values::Dimension;
use check::check;
pub(super) use data::{Mesh, MeshElement, MeshNode};
use lumping::{LumpedMass, lump, spread};
use path::{PathNode, curve, polygon};

use super::describe::{Path, PathPoint};
use super::node::GROUND;
use super::{
    Anchor, Beam, BeamForm, Body, Inertia, InputKey, Mechanism, ModelError, Owner, PartKind,
};
use crate::model::checks::fail_at;
use cardan_core::math::{Matrix3, Quaternion, Vector3};
use cardan_core::suggestion;

/// Limit of the number of beam elements of a model.
const MAX_ELEMENTS: usize = 200_000;

/// A mechanism whose beams are divided into elements.
#[derive(Debug)]
pub(super) struct Meshed<'m> {
    /// The description.
    pub mechanism: &'m Mechanism,
    /// The bodies described, then the nodes of beams, then the frames of flexible bodies.
    pub bodies: Vec<MeshedBody>,
    /// The mesh of each beam.
    pub meshes: Vec<Mesh>,
    /// The length of each truss.
    pub truss_lengths: Vec<f64>,
}

/// A body with the masses that beams and trusses add to it.
#[derive(Clone, Debug)]
pub(super) struct MeshedBody {
    /// The described body; if a moving beam is fixed to it, with the velocities of the beam.
    pub body: Body,
    /// The inertia that beams and trusses add.
    pub lumps: Vec<Inertia>,
    /// Whether it is a node of a beam.
    pub is_node: bool,
}

impl MeshedBody {
    fn new(body: &Body) -> Self {
        Self { body: body.clone(), lumps: Vec::new(), is_node: false }
    }
}

impl Mechanism {
    /// Divides the beams into elements: their nodes become bodies, and masses are lumped.
    pub(super) fn meshed(&self) -> Result<Meshed<'_>, ModelError> {
        let bodies = self.bodies.iter().map(MeshedBody::new).collect();
        let (meshes, truss_lengths) = (Vec::new(), Vec::new());
        let mut whole = Meshed { mechanism: self, bodies, meshes, truss_lengths };
        for (index, beam) in self.beams.iter().enumerate() {
            let mesh = whole.mesh(index, beam)?;
            whole.meshes.push(mesh);
        }
        whole.lump_trusses()?;
        let frames = self.flexible.iter().map(|flexible| MeshedBody::new(&flexible.frame));
        whole.bodies.extend(frames);
        Ok(whole)
    }
}

impl<'m> Meshed<'m> {
    /// The mesh of a beam by its name.
    pub fn mesh_of(&self, beam: &str) -> Option<&Mesh> {
        self.meshes.iter().find(|mesh| self.mechanism.beams[mesh.beam].name == beam)
    }

    /// The node of a body, with its described origin and axes.
    fn host(
        &self,
        owner: &Owner,
        key: InputKey,
        name: &str,
    ) -> Result<(usize, Vector3, Matrix3), ModelError> {
        if name == "ground" {
            return Ok((GROUND, Vector3::zeros(), Matrix3::identity()));
        }
        if let Some((body, _)) = name.split_once('.') {
            let reason =
                format!("`{name}`: the curve defines the position; name the body alone, `{body}`");
            return fail_at(owner, key, reason);
        }
        let described = &self.mechanism.bodies;
        let Some(i) = described.iter().position(|body| body.name == name) else {
            let known = described.iter().map(|x| x.name.as_str());
            let nearest = suggestion::nearest(name, known.chain(["ground"]));
            return Err(self.mechanism.missing(owner, key, "body", name, nearest));
        };
        let body = &described[i];
        if !body.kind.has_orientation() {
            return fail_at(
                owner,
                key,
                format!("`{name}` is a point mass: nothing can be fixed to it"),
            );
        }
        let rotation = body.described_rotation();
        Ok((i + 1, body.position, rotation))
    }

    fn anchored(
        &self,
        owner: &Owner,
        key: InputKey,
        anchor: &Anchor,
    ) -> Result<PathNode, ModelError> {
        let (node, origin, axes) = self.host(owner, key, &anchor.body)?;
        let points = match node {
            GROUND => &self.mechanism.ground,
            _ => &self.bodies[node - 1].body.points,
        };
        let at = match &anchor.point {
            None if node == GROUND => {
                let reason = "it is fixed to the ground without a position: name a point";
                return fail_at(owner, key, reason);
            }
            None => Vector3::zeros(),
            Some(name) => {
                let found = points.iter().find(|(known, _)| known == name);
                found.map(|(_, at)| *at).ok_or_else(|| {
                    let known = points.iter().map(|(known, _)| known.as_str());
                    let nearest = suggestion::nearest(name, known);
                    ModelError::missing(owner, key, "point", anchor.to_string(), nearest)
                })?
            }
        };
        Ok(PathNode { p: origin + axes * at, host: Some(node) })
    }

    fn mesh(&mut self, index: usize, beam: &Beam) -> Result<Mesh, ModelError> {
        let owner = Owner::part(PartKind::Beam, &beam.name);
        check(&owner, beam)?;
        let parts = match &beam.path {
            Path::Places(places) if beam.elements.len() == 1 => places.len().saturating_sub(1),
            _ => 1,
        };
        let own = beam.elements.iter().fold(0_usize, |sum, &n| sum.saturating_add(n));
        let before: usize = self.meshes.iter().map(|mesh| mesh.elements.len()).sum();
        if own.saturating_mul(parts).saturating_add(before) > MAX_ELEMENTS {
            let reason =
                format!("`elements`: the model would have more than {MAX_ELEMENTS} elements");
            return fail_at(&owner, "elements", reason);
        }
        let mut mesh = Mesh { beam: index, ..Mesh::default() };
        let hosts = match &beam.path {
            Path::Places(places) => {
                let knots: Result<Vec<PathNode>, _> = places
                    .iter()
                    .enumerate()
                    .map(|(k, place)| match place {
                        PathPoint::At(p) => Ok(PathNode { p: *p, host: None }),
                        PathPoint::On(anchor) => {
                            self.anchored(&owner, InputKey::entry("path", k), anchor)
                        }
                    })
                    .collect();
                polygon(&owner, beam, &knots?, &mut mesh)?
            }
            Path::Curve { shape, ends } => {
                let mut hosts = [None, None];
                for ((host, end), key) in hosts.iter_mut().zip(ends).zip(["start", "end"]) {
                    if let Some(name) = end {
                        *host = Some(self.host(&owner, key.into(), name)?.0);
                    }
                }
                curve(&owner, beam, shape, hosts, &mut mesh)?
            }
        };
        if beam.dimension == Dimension::Plane && mesh.nodes.iter().any(|node| node.p.z != 0.0) {
            let key = if matches!(beam.path, Path::Places(_)) { "path" } else { "curve" };
            return fail_at(&owner, key, "it is planar, but its path leaves the plane z = 0");
        }
        let lumps = lump(beam, &mut mesh);
        self.add_nodes(&owner, beam, &mut mesh, &hosts, &lumps)?;
        Ok(mesh)
    }

    /// Adds bodies for the nodes, and lumps masses onto nodes and hosts.
    fn add_nodes(
        &mut self,
        owner: &Owner,
        beam: &Beam,
        mesh: &mut Mesh,
        hosts: &[Option<usize>],
        lumps: &[LumpedMass],
    ) -> Result<(), ModelError> {
        let start = mesh.nodes[0].p;
        let mut axes = vec![Matrix3::identity(); mesh.nodes.len()];
        let order = beam.nodes;
        for element in mesh.elements.iter().rev() {
            (0..order).for_each(|k| axes[element.nodes[k]] = element.s[k]);
        }
        for (i, node) in mesh.nodes.iter_mut().enumerate() {
            let lump = &lumps[i];
            // an offset at round-off level is set to zero
            let centre = if lump.mass > 0.0 { lump.first / lump.mass } else { Vector3::zeros() };
            let round_off = 1e-13 * mesh.length;
            let centre = centre.map(|x| if x.abs() < round_off { 0.0 } else { x });
            let tensor = lump.second - lump.mass * spread(&centre);
            (node.mass, node.centre, node.tensor) = (lump.mass, centre, tensor);
            if hosts[i] == Some(GROUND) && beam.is_moving_at(&start, &node.p) {
                let reason =
                    "`velocity` or `angular_velocity` moves it where it is fixed to the ground";
                let key = if beam.velocity.is_some() { "velocity" } else { "angular_velocity" };
                return fail_at(owner, key, reason);
            }
            match hosts[i] {
                Some(GROUND) => node.host = GROUND,
                Some(host) => {
                    node.host = host;
                    let MeshedBody { body, lumps, .. } = &mut self.bodies[host - 1];
                    merge_velocities(owner, beam, &start, body)?;
                    let back = body.described_rotation().transpose();
                    lumps.push(Inertia {
                        mass: lump.mass,
                        centre: back * (node.p + centre - body.position),
                        tensor: back * tensor * back.transpose(),
                    });
                }
                None => {
                    let back = axes[i].transpose();
                    let name = format!("{}.node{i}", beam.name);
                    let mut body = match beam.dimension {
                        Dimension::Plane => {
                            Body::planar(&name).angle(axes[i][(1, 0)].atan2(axes[i][(0, 0)]))
                        }
                        Dimension::Space => {
                            Body::spatial(&name).orientation(Quaternion::from_matrix(&axes[i]))
                        }
                    };
                    body = body.position(node.p);
                    let lumps = vec![Inertia {
                        mass: lump.mass,
                        centre: back * centre,
                        tensor: back * tensor * back.transpose(),
                    }];
                    let omega = beam.angular_velocity;
                    if beam.velocity.is_some() || omega.is_some() {
                        body = body.velocity(beam.velocity_at(&start, &node.p));
                    }
                    if let Some(omega) = omega {
                        body = body.angular_velocity((back * omega).into());
                    }
                    self.bodies.push(MeshedBody { body, lumps, is_node: true });
                    node.host = self.bodies.len();
                }
            }
        }
        Ok(())
    }

    /// Lumps half the mass of each truss onto the body at each end.
    fn lump_trusses(&mut self) -> Result<(), ModelError> {
        for truss in &self.mechanism.trusses {
            let owner = Owner::part(PartKind::Truss, &truss.name);
            let mut ends = [Vector3::zeros(); 2];
            let mut hosts = [GROUND; 2];
            for (side, anchor) in truss.ends.iter().enumerate() {
                let (host, p) = self.truss_end(&owner, InputKey::entry("between", side), anchor)?;
                (ends[side], hosts[side]) = (p, host);
            }
            let length = (ends[1] - ends[0]).norm();
            if !(length > 0.0 && length.is_finite()) {
                return fail_at(&owner, "between", "its ends coincide");
            }
            let positive = |x: f64| x > 0.0 && x.is_finite();
            let has_mass = truss.mass >= 0.0 && truss.mass.is_finite();
            if !(positive(truss.stiffness) && has_mass) {
                let key = if has_mass { "stiffness" } else { "mass" };
                let reason = "its stiffness must be positive, and its mass must not be negative";
                return fail_at(&owner, key, reason);
            }
            let length = truss.length.unwrap_or(length);
            if !positive(length) {
                return fail_at(&owner, "length", "its length must be positive");
            }
            self.truss_lengths.push(length);
            let has_rotation = |node: usize| self.bodies[node - 1].body.kind.has_orientation();
            let points = hosts.iter().all(|&x| x == GROUND || !has_rotation(x));
            if truss.is_consistent && !points {
                let reason = "a consistent mass needs point masses (or the ground) at both ends";
                let error = ModelError::value(&owner, reason).with_key("between");
                return Err(error.with_remedy("use the lumped mass"));
            }
            if truss.is_consistent {
                // the mass matrix of the model contains this mass
                continue;
            }
            for (side, host) in hosts.into_iter().enumerate().filter(|(_, host)| *host != GROUND) {
                let MeshedBody { body, lumps, .. } = &mut self.bodies[host - 1];
                let centre = body.described_rotation().tr_mul(&(ends[side] - body.position));
                let mass = 0.5 * truss.mass * length;
                lumps.push(Inertia { mass, centre, tensor: Matrix3::zeros() });
            }
        }
        Ok(())
    }

    fn truss_end(
        &self,
        owner: &Owner,
        key: InputKey,
        anchor: &Anchor,
    ) -> Result<(usize, Vector3), ModelError> {
        let described = &self.mechanism.bodies;
        let point_mass = |body: &Body| body.name == anchor.body && !body.kind.has_orientation();
        if let (Some(i), None) = (described.iter().position(point_mass), &anchor.point) {
            return Ok((i + 1, described[i].position));
        }
        if let Some(mesh) = self.mesh_of(&anchor.body) {
            let node = self.beam_node(owner, key, mesh, anchor)?;
            return Ok((mesh.nodes[node].host, mesh.nodes[node].p));
        }
        if anchor.body == "ground" && anchor.point.is_none() {
            return Ok((GROUND, Vector3::zeros()));
        }
        let knot = self.anchored(owner, key, anchor)?;
        Ok((knot.host.unwrap_or(GROUND), knot.p))
    }

    /// The node at a named station of a beam.
    pub(super) fn beam_node(
        &self,
        owner: &Owner,
        key: InputKey,
        mesh: &Mesh,
        anchor: &Anchor,
    ) -> Result<usize, ModelError> {
        let beam = &self.mechanism.beams[mesh.beam];
        let Some(point) = &anchor.point else {
            let name = &beam.name;
            let reason = format!("`{name}` is a beam: name a point on it, such as `{name}.end`");
            return fail_at(owner, key, reason);
        };
        let Some(station) = mesh.station(beam, point) else {
            let nearest = suggestion::nearest(point, beam.station_names());
            return Err(ModelError::missing(owner, key, "point", anchor.to_string(), nearest));
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
                    "`{anchor}` lies between two nodes of the beam (the nearest is at {:.6})",
                    mesh.nodes[i].station
                );
                let error = ModelError::value(owner, reason).with_key(key);
                Err(error.with_remedy(
                    "choose the elements so that a node is there, or add this point to the path",
                ))
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
    /// The position of the beam's line at a node: that of the element before it, if there is one.
    pub fn line(&self, node: usize) -> Vector3 {
        let mut last = self.nodes[node].p;
        for element in &self.elements {
            if let Some(k) = element.nodes.iter().position(|i| *i == node) {
                last = element.p[k];
                // k = 0: an element that ends here comes first, if there is one
                if k > 0 {
                    break;
                }
            }
        }
        last
    }

    /// The position of a named station along the beam, 0…1; `nodeK` is node K.
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

/// Gives a body the velocity of a beam that is fixed to it. Velocities that are given for both must
/// agree.
fn merge_velocities(
    owner: &Owner,
    beam: &Beam,
    start: &Vector3,
    body: &mut Body,
) -> Result<(), ModelError> {
    // without an angular velocity, the velocity of the body's origin does not follow from the beam's start
    let Some(omega) = beam.angular_velocity else { return Ok(()) };
    let velocity = beam.velocity_at(start, &body.position);
    let body_omega = body.described_rotation().tr_mul(&omega);
    let size = (body.position - start).norm();
    let speed = beam.velocity.unwrap_or_default().norm() + omega.norm() * size;
    let differ = |given: Option<Vector3>, expected: &Vector3, size: f64| {
        given.is_some_and(|given| (given - expected).norm() > 1e-9 * (size + given.norm()))
    };
    if differ(body.angular_velocity, &body_omega, omega.norm())
        || differ(body.velocity, &velocity, speed)
    {
        let name = &body.name;
        let reason = format!(
            "its `angular_velocity` and its velocity differ from those of body `{name}`, which it is \
             fixed to: give them for one of the two, or the same for both"
        );
        return fail_at(owner, "angular_velocity", reason);
    }
    body.velocity = Some(velocity);
    body.angular_velocity = Some(body_omega);
    Ok(())
}

impl Body {
    /// The described rotation from body axes to world axes.
    pub(super) fn described_rotation(&self) -> Matrix3 {
        let turn = match self.kind {
            super::BodyKind::Spatial => {
                self.orientation.normalized().unwrap_or(Quaternion::IDENTITY)
            }
            _ => Quaternion::new((0.5 * self.angle).cos(), 0.0, 0.0, (0.5 * self.angle).sin()),
        };
        turn.to_matrix()
    }
}

impl Beam {
    /// The described velocity at a position of the beam, which moves as a rigid body.
    fn velocity_at(&self, start: &Vector3, p: &Vector3) -> Vector3 {
        let omega = self.angular_velocity.unwrap_or_default();
        self.velocity.unwrap_or_default() + omega.cross(&(p - start))
    }

    /// Whether the beam moves at a position or rotates, by more than round-off.
    fn is_moving_at(&self, start: &Vector3, p: &Vector3) -> bool {
        let omega = self.angular_velocity.unwrap_or_default().norm();
        let speed = self.velocity.unwrap_or_default().norm() + omega * (p - start).norm();
        omega > 0.0 || self.velocity_at(start, p).norm() > 1e-9 * speed
    }

    /// Whether the masses of volumes are lumped at the centres of the volumes.
    fn has_volumes(&self) -> bool {
        match self.nodes {
            3 => self.form == BeamForm::FiniteVolume,
            _ => self.volumes,
        }
    }
}
