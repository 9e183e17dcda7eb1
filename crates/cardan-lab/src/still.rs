//! Still pictures of a scene as SVG: triangles from far to near, without a browser.

use std::path::Path;

use cardan::math::{Quaternion, Vector3};
use cardan::model::{NODE_WIDTH, Scene, SceneSolid, SceneStructure};
use cardan::output::origin;

use crate::gltf::{Detail, TONES, Triangulation, tube};

/// The size of the picture, and its margin.
const WIDTH: f64 = 640.0;
const HEIGHT: f64 = 400.0;
const MARGIN: f64 = 24.0;
/// Triangles of a picture, at most; parts beyond are left out.
const MAX_TRIANGLES: usize = 20_000;
/// How finely round solids are divided.
const COARSE: Detail = Detail { sides: 16, arcs: 4 };
/// Where light comes from, in the axes of the picture.
const LIGHT: [f64; 3] = [-0.4, 0.6, 0.7];
/// Colours of beams, structures, the ground, lines of forces and joints.
const BEAM: u32 = 0x9aa7b4;
const STRUCTURE: u32 = 0x5b8db8;
const GROUND: u32 = 0x8a8f98;
const LINE: &str = "#c0392b";
const JOINT: &str = "#2c3540";

/// The first line of every picture.
const HEAD: &str = "<!-- written by cardan view -->\n";

/// Whether a file is a picture that Cardan wrote.
pub fn is_still(path: &Path) -> bool {
    origin::first_bytes(path, HEAD.len() as u64) == HEAD.as_bytes()
}

/// A triangle in the axes of the picture: x to the right, y upwards, z to the viewer.
struct Face {
    corners: [Vector3; 3],
    colour: u32,
}

/// Collects what is seen.
struct StillPicture<'s> {
    scene: &'s Scene,
    row: &'s [f32],
    view: Quaternion,
    faces: Vec<Face>,
}

/// A picture of a scene whose nodes have the poses of a row, and whose values follow them.
pub fn still(scene: &Scene, title: &str, row: &[f32]) -> String {
    let mut picture = StillPicture { scene, row, view: direction(scene), faces: Vec::new() };
    picture.add_bodies();
    picture.add_beams();
    picture.add_structures();
    picture.draw(title)
}

/// The rotation from the world to the picture: from the front in a plane, else from above and aside.
fn direction(scene: &Scene) -> Quaternion {
    let turn = |axis: Vector3, angle: f64| cardan::math::exponential::retract(&(axis * angle));
    match scene.planar
        || scene.bodies.is_empty()
            && scene.beams.is_empty()
            && scene.structures.iter().all(|x| x.kind == "line")
    {
        true => Quaternion::IDENTITY,
        false => turn(Vector3::x(), -1.15) * turn(Vector3::z(), -0.6),
    }
}

impl StillPicture<'_> {
    /// A point of a node in the axes of the picture.
    fn place(&self, node: i64, point: &Vector3) -> Vector3 {
        let at = usize::try_from(node).ok().map(|node| NODE_WIDTH * node);
        let world = match at.and_then(|at| self.row.get(at..at + NODE_WIDTH)) {
            Some(pose) => {
                let [x, y, z, a, b, c, d] = [0, 1, 2, 3, 4, 5, 6].map(|k| f64::from(pose[k]));
                Vector3::new(x, y, z) + Quaternion::new(a, b, c, d).rotate(point)
            }
            None => *point,
        };
        self.view.rotate(&world)
    }

    fn add(&mut self, colour: u32, corners: [Vector3; 3]) {
        if self.faces.len() < MAX_TRIANGLES {
            self.faces.push(Face { corners, colour });
        }
    }

    fn add_bodies(&mut self) {
        for (k, body) in self.scene.bodies.iter().enumerate() {
            let tone = if body.node < 0 { GROUND } else { TONES[k % TONES.len()] };
            for shape in &body.shapes {
                if self.faces.len() >= MAX_TRIANGLES {
                    return;
                }
                let surface = Triangulation::of(&shape.solid, self.scene.size, COARSE);
                let is_closed = !matches!(shape.solid, SceneSolid::Mesh { .. });
                let turn = Quaternion::from_array(shape.orientation);
                let colour = shape.color.map_or(tone, |colour| {
                    let [red, green, blue] = colour.0.map(u32::from);
                    red << 16 | green << 8 | blue
                });
                for triangle in surface.indices.chunks_exact(3) {
                    let corner = |k: usize| {
                        let own = vector(&surface.positions[triangle[k] as usize]);
                        self.place(body.node, &(Vector3::from(shape.position) + turn.rotate(&own)))
                    };
                    let corners = [corner(0), corner(1), corner(2)];
                    if !is_closed || is_in_front(&corners) {
                        self.add(colour, corners);
                    }
                }
            }
        }
    }

    fn add_beams(&mut self) {
        for beam in &self.scene.beams {
            let (surface, carriers) = tube(beam);
            for triangle in surface.indices.chunks_exact(3) {
                let corner = |k: usize| {
                    let vertex = triangle[k] as usize;
                    let node = beam.nodes[usize::from(carriers[vertex])];
                    self.place(node, &vector(&surface.positions[vertex]))
                };
                let corners = [corner(0), corner(1), corner(2)];
                if is_in_front(&corners) {
                    self.add(BEAM, corners);
                }
            }
        }
    }

    /// Surfaces of membranes, magnified so that the largest displacement is a tenth of the size.
    fn add_structures(&mut self) {
        for structure in self.scene.structures.iter().filter(|x| x.kind == "grid") {
            let values = self.values(structure);
            let largest = values.iter().fold(0.0_f64, |most, x| most.max(x.abs()));
            let scale = if largest > 0.0 { 0.1 * self.scene.size / largest } else { 0.0 };
            for triangle in structure.triangles.chunks_exact(3) {
                let corner = |k: usize| {
                    let [x, y] = structure.rest[triangle[k]];
                    let z = scale * values.get(triangle[k]).copied().unwrap_or(0.0);
                    self.view.rotate(&Vector3::new(x, y, z))
                };
                let corners = [corner(0), corner(1), corner(2)];
                self.add(STRUCTURE, corners);
            }
        }
    }

    fn values(&self, structure: &SceneStructure) -> Vec<f64> {
        // the values of structures come last, in order
        let after: usize = self
            .scene
            .structures
            .iter()
            .skip_while(|x| x.value != structure.value)
            .map(|x| x.rest.len())
            .sum();
        let first = self.row.len().saturating_sub(after);
        self.row[first..].iter().take(structure.rest.len()).map(|x| f64::from(*x)).collect()
    }

    fn draw(mut self, title: &str) -> String {
        let lines = self.lines();
        let joints: Vec<Vector3> = self
            .scene
            .joints
            .iter()
            .filter(|joint| joint.kind != "gear")
            .map(|joint| self.place(joint.bodies[0], &joint.points[0].into()))
            .collect();
        let all = || {
            let corners = self.faces.iter().flat_map(|face| face.corners);
            corners.chain(lines.iter().flatten().copied()).chain(joints.iter().copied())
        };
        let bound = |pick: fn(f64, f64) -> f64, k: usize| {
            all().map(|p| p[k]).filter(|x| x.is_finite()).reduce(pick).unwrap_or(0.0)
        };
        let [left, right, low, high] =
            [bound(f64::min, 0), bound(f64::max, 0), bound(f64::min, 1), bound(f64::max, 1)];
        let scale = ((WIDTH - 2.0 * MARGIN) / (right - left).max(1e-300))
            .min((HEIGHT - 2.0 * MARGIN) / (high - low).max(1e-300))
            .min(1e300);
        let (x0, y0) = (0.5 * (left + right), 0.5 * (low + high));
        let point = |p: &Vector3| {
            let x = 0.5 * WIDTH + scale * (p.x - x0);
            let y = 0.5 * HEIGHT - scale * (p.y - y0);
            format!("{x:.1},{y:.1}")
        };
        self.faces.retain(|face| face.corners.iter().all(|p| p.iter().all(|x| x.is_finite())));
        let depth = |face: &Face| face.corners.iter().map(|p| p.z).sum::<f64>();
        self.faces.sort_by(|a, b| depth(a).total_cmp(&depth(b)));
        let mut svg = format!(
            "{HEAD}<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {WIDTH} {HEIGHT}\" role=\"img\">\n<title>{}</title>\n\
             <rect width=\"{WIDTH}\" height=\"{HEIGHT}\" fill=\"#f4f6f8\"/>\n<g stroke-width=\"0.6\" stroke-linejoin=\"round\">\n",
            escaped(title)
        );
        for face in &self.faces {
            let fill = shaded(face);
            let [a, b, c] = face.corners.each_ref().map(point);
            svg += &format!("<path d=\"M{a} {b} {c}z\" fill=\"{fill}\" stroke=\"{fill}\"/>\n");
        }
        svg += "</g>\n";
        for line in &lines {
            let points: Vec<String> = line.iter().map(point).collect();
            svg += &format!(
                "<polyline points=\"{}\" fill=\"none\" stroke=\"{LINE}\" stroke-width=\"2\" stroke-linejoin=\"round\"/>\n",
                points.join(" ")
            );
        }
        for joint in joints.iter().filter(|p| p.iter().all(|x| x.is_finite())) {
            let place = point(joint);
            let (x, y) = place.split_once(',').unwrap_or_default();
            svg += &format!(
                "<circle cx=\"{x}\" cy=\"{y}\" r=\"3.5\" fill=\"#fff\" stroke=\"{JOINT}\" stroke-width=\"1.5\"/>\n"
            );
        }
        svg + "</svg>\n"
    }

    /// Springs as zigzags, other forces between points and flexible bodies as straight lines.
    fn lines(&self) -> Vec<Vec<Vector3>> {
        let end = |end: &cardan::model::SceneEnd| self.place(end.node, &end.position.into());
        let forces = self.scene.forces.iter().filter_map(|force| {
            let [a, b] = force.ends.as_slice() else { return None };
            let (a, b) = (end(a), end(b));
            let is_spring = force.kind.contains("spring");
            Some(if is_spring { zigzag(a, b, 0.02 * self.scene.size) } else { vec![a, b] })
        });
        let flexible = self.scene.flexible.iter().flat_map(|body| {
            let line = |edge: &[i64; 2]| {
                edge.iter().map(|node| self.place(*node, &Vector3::zeros())).collect()
            };
            body.edges.iter().map(line).collect::<Vec<Vec<Vector3>>>()
        });
        let bars = self.scene.structures.iter().filter(|x| x.kind == "line").map(|structure| {
            let values = self.values(structure);
            let at = |(k, [x, y]): (usize, &[f64; 2])| {
                self.view.rotate(&Vector3::new(x + values.get(k).copied().unwrap_or(0.0), *y, 0.0))
            };
            structure.rest.iter().enumerate().map(at).collect()
        });
        let all = forces.chain(flexible).chain(bars);
        all.filter(|line: &Vec<Vector3>| line.iter().all(|p| p.iter().all(|x| x.is_finite())))
            .collect()
    }
}

fn zigzag(a: Vector3, b: Vector3, width: f64) -> Vec<Vector3> {
    const TURNS: usize = 8;
    let along = b - a;
    let across = Vector3::new(-along.y, along.x, 0.0).try_normalize(0.0).unwrap_or(Vector3::y());
    let mut line = vec![a];
    for k in 0..2 * TURNS {
        let side = if k.is_multiple_of(2) { width } else { -width };
        let part = 0.15 + 0.7 * (k as f64 + 0.5) / (2 * TURNS) as f64;
        line.push(a + part * along + side * across);
    }
    line.push(b);
    line
}

fn vector(position: &[f32; 3]) -> Vector3 {
    Vector3::new(f64::from(position[0]), f64::from(position[1]), f64::from(position[2]))
}

/// Whether the outer side of a triangle is seen.
fn is_in_front([a, b, c]: &[Vector3; 3]) -> bool {
    (b - a).cross(&(c - a)).z > 0.0
}

/// The colour of a face under the light.
fn shaded(face: &Face) -> String {
    let [a, b, c] = face.corners;
    let normal = (b - a).cross(&(c - a)).try_normalize(0.0).unwrap_or(Vector3::z());
    // the side that is seen
    let normal = if normal.z < 0.0 { -normal } else { normal };
    let light = 0.55 + 0.5 * normal.dot(&Vector3::from(LIGHT).normalize()).max(0.0);
    let part = |shift: u32| (f64::from(face.colour >> shift & 255) * light).min(255.0) as u32;
    format!("#{:02x}{:02x}{:02x}", part(16), part(8), part(0))
}

fn escaped(text: &str) -> String {
    let shortened: String = text.chars().filter(|c| !c.is_control()).take(200).collect();
    shortened.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}
