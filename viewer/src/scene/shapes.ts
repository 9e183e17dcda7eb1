import * as THREE from "three";
import type { Body, Scene, Shape, Vec3 } from "../data/format";
import type { Batch } from "./batch";
import { BODY_TONES, PALE } from "./palette";
import { slides } from "./travel";

const UNIT = {
  box: () => new THREE.BoxGeometry(1, 1, 1),
  cylinder: () => new THREE.CylinderGeometry(1, 1, 1, 48).rotateX(Math.PI / 2),
  sphere: () => new THREE.SphereGeometry(1, 28, 20),
};

/** A matrix from position, orientation (w, x, y, z) and scale. */
export function matrix(position: Vec3, orientation: readonly number[], scale: Vec3 = [1, 1, 1]): THREE.Matrix4 {
  const [w, x, y, z] = orientation;
  return new THREE.Matrix4().compose(new THREE.Vector3(...position), new THREE.Quaternion(x, y, z, w).normalize(), new THREE.Vector3(...scale));
}

/** A matrix whose z axis points along `axis`. */
export function along(position: Vec3, axis: Vec3, scale: Vec3 = [1, 1, 1]): THREE.Matrix4 {
  const direction = new THREE.Vector3(...axis);
  if (direction.lengthSq() === 0) direction.set(0, 0, 1);
  const q = new THREE.Quaternion().setFromUnitVectors(new THREE.Vector3(0, 0, 1), direction.normalize());
  return new THREE.Matrix4().compose(new THREE.Vector3(...position), q, new THREE.Vector3(...scale));
}

/** Bodies from their shapes. `part` numbers the body in the list of parts. */
export function addBodies(scene: Scene, batch: Batch, part: (body: number) => number): void {
  const rotors: number[] = [];
  scene.bodies.forEach((body, i) => {
    // flat mechanisms: each body in its own layer, so that faces do not lie in one plane
    const layer = scene.planar ? ((i % 7) - 3) * 0.006 * scene.scale : 0;
    const tone = BODY_TONES[i % BODY_TONES.length];
    const rotor = isRotor(scene, body);
    // rotors on one axis: the later ones smaller, so that all are seen
    const shrink = rotor ? 0.78 ** rotors.filter((other) => scene.joints.some((j) => j.type === "revolute" && j.bodies.includes(other) && j.bodies.includes(body.node))).length : 1;
    if (rotor) rotors.push(body.node);
    body.shapes.map((shape) => (body.derived ? recognized(shape, scene, rotor, shrink) : shape)).forEach((shape, j) => {
      const color = shape.color ? Number.parseInt(shape.color.slice(1), 16) : tone;
      addShape(scene, batch, shape, `${i}.${j}`, body.node, layer, part(i), color);
      // a mark on a derived disc, so that its turning is seen
      if (body.derived && shape.type === "cylinder" && shape.length < shape.radius) {
        const mark = matrix(shape.position, shape.orientation).multiply(matrix([0.68 * shape.radius, 0, 0], [1, 0, 0, 0], [0.09 * shape.radius, 0.09 * shape.radius, 1.04 * shape.length]));
        batch.add("cylinder", UNIT.cylinder, body.node, new THREE.Matrix4().makeTranslation(0, 0, layer).multiply(mark), part(i), PALE);
      }
    });
  });
}

/** Whether the body turns about its centre of mass and does not slide: a rotor. */
function isRotor(scene: Scene, body: Body): boolean {
  const near = (p: Vec3) => Math.hypot(...p.map((x, d) => x - body.centre[d])) < 0.02 * scene.size;
  const own = scene.joints.flatMap((joint) => [0, 1].filter((side) => joint.bodies[side] === body.node).map((side) => ({ joint, at: joint.points[side] })));
  return own.some(({ joint, at }) => joint.type === "revolute" && near(at)) && !own.some(({ joint }) => slides(joint.type));
}

/**
 * A derived shape as the part it stands for. A box with a square face and the inertia of the body becomes the cylinder with
 * the same inertia (radius = edge / √3, same length): a rotor or a top; in the plane only if the body turns about its centre.
 * Boxes of planar bodies that slide are not larger than a tenth of the picture; point masses stay visible in large motions.
 */
function recognized(shape: Shape, scene: Scene, rotor: boolean, shrink: number): Shape {
  if (shape.type === "sphere") return { ...shape, radius: Math.max(shape.radius, 0.026 * scene.scale) };
  if (shape.type !== "box") return shape;
  const [a, b, c] = shape.edges;
  const equal = (p: number, q: number) => Math.abs(p - q) < 0.03 * Math.max(p, q);
  if (scene.planar) {
    if (rotor) return { ...shape, type: "cylinder", radius: (shrink * a) / Math.sqrt(3), length: c };
    const f = Math.min(1, (0.18 * scene.scale) / Math.max(a, b));
    return { ...shape, edges: [a * f, b * f, Math.max(c * f, 0.03 * scene.scale)] };
  }
  const turn = (x: number, y: number, z: number) => new THREE.Quaternion(shape.orientation[1], shape.orientation[2], shape.orientation[3], shape.orientation[0])
    .multiply(new THREE.Quaternion().setFromUnitVectors(new THREE.Vector3(0, 0, 1), new THREE.Vector3(x, y, z)));
  const disc = (edge: number, length: number, q: THREE.Quaternion): Shape => ({ ...shape, type: "cylinder", radius: edge / Math.sqrt(3), length, orientation: [q.w, q.x, q.y, q.z] });
  if (equal(a, b) && equal(b, c)) return shape;
  if (equal(b, c)) return disc((b + c) / 2, a, turn(1, 0, 0));
  if (equal(a, c)) return disc((a + c) / 2, b, turn(0, 1, 0));
  if (equal(a, b)) return disc((a + b) / 2, c, turn(0, 0, 1));
  return shape;
}

function addShape(scene: Scene, batch: Batch, shape: Shape, name: string, node: number, layer: number, part: number, color: number): void {
  const base = new THREE.Matrix4().makeTranslation(0, 0, layer).multiply(matrix(shape.position, shape.orientation));
  const put = (key: string, make: () => THREE.BufferGeometry, local: THREE.Matrix4) => batch.add(key, make, node, base.clone().multiply(local), part, color);
  const scaled = (x: number, y: number, z: number, at = 0) => new THREE.Matrix4().makeTranslation(0, 0, at).multiply(new THREE.Matrix4().makeScale(x, y, z));
  const thin = 0.008 * scene.scale;
  switch (shape.type) {
    case "box":
      put("box", UNIT.box, scaled(...(shape.edges.map((e) => Math.max(Math.abs(e), thin / 4)) as Vec3)));
      break;
    case "cylinder":
      put("cylinder", UNIT.cylinder, scaled(shape.radius, shape.radius, Math.max(shape.length, thin / 4)));
      break;
    case "capsule":
      put("cylinder", UNIT.cylinder, scaled(shape.radius, shape.radius, Math.max(shape.length, 1e-12)));
      put("sphere", UNIT.sphere, scaled(shape.radius, shape.radius, shape.radius, shape.length / 2));
      put("sphere", UNIT.sphere, scaled(shape.radius, shape.radius, shape.radius, -shape.length / 2));
      break;
    case "cone":
      put(`cone ${name}`, () => new THREE.CylinderGeometry(shape.top, shape.radius, shape.length, 36).rotateX(Math.PI / 2), scaled(1, 1, 1));
      break;
    case "sphere":
      put("sphere", UNIT.sphere, scaled(shape.radius, shape.radius, shape.radius));
      break;
    case "rod": {
      const turned = new THREE.Matrix4().makeRotationY(Math.PI / 2);
      put("cylinder", UNIT.cylinder, turned.multiply(scaled(1.5 * thin, 1.5 * thin, shape.length)));
      break;
    }
    case "extrusion":
      if (shape.outline.length >= 3) put(`extrusion ${name}`, () => extrude(shape.outline, shape.length, 0), scaled(1, 1, 1));
      break;
    case "mesh":
      put(`mesh ${name}`, () => mesh(shape.vertices, shape.triangles), scaled(1, 1, 1));
      break;
    case "plate":
      addPlate(shape.outline, thin, put, `plate ${name}`);
      break;
  }
}

/** A flat link through points: rounded along its outline. */
function addPlate(outline: Vec3[], thin: number, put: (key: string, make: () => THREE.BufferGeometry, local: THREE.Matrix4) => void, key: string): void {
  if (outline.length < 3) return;
  const points = outline.map((p) => new THREE.Vector3(...p));
  const origin = points[0];
  const x = points[1].clone().sub(origin).normalize();
  let normal = new THREE.Vector3();
  for (let i = 2; i < points.length; i++) {
    const c = x.clone().cross(points[i].clone().sub(origin));
    if (c.lengthSq() > normal.lengthSq()) normal = c;
  }
  if (normal.lengthSq() === 0) normal.set(0, 0, 1);
  normal.normalize();
  const y = normal.clone().cross(x);
  const flat = points.map((p): [number, number] => { const d = p.clone().sub(origin); return [d.dot(x), d.dot(y)]; });
  const centre = flat.reduce((a, p) => [a[0] + p[0] / flat.length, a[1] + p[1] / flat.length], [0, 0]);
  // go around the middle once
  flat.sort((a, b) => Math.atan2(a[1] - centre[1], a[0] - centre[0]) - Math.atan2(b[1] - centre[1], b[0] - centre[0]));
  const frame = new THREE.Matrix4().makeBasis(x, y, normal).setPosition(origin);
  put(key, () => extrude(flat, 0.6 * thin, 1.1 * thin), frame);
}

function extrude(outline: [number, number][], length: number, bevel: number): THREE.BufferGeometry {
  const shape = new THREE.Shape(outline.map((p) => new THREE.Vector2(...p)));
  const options = bevel > 0
    ? { depth: length, bevelEnabled: true, bevelSize: bevel, bevelThickness: bevel / 3, bevelSegments: 3, steps: 1 }
    : { depth: length, bevelEnabled: false, steps: 1 };
  return new THREE.ExtrudeGeometry(shape, options).translate(0, 0, -length / 2);
}

function mesh(vertices: Float32Array, triangles: number[]): THREE.BufferGeometry {
  const count = vertices.length / 3;
  const indexed = new THREE.BufferGeometry();
  indexed.setAttribute("position", new THREE.BufferAttribute(vertices, 3));
  indexed.setIndex(triangles.filter((_, k) => [0, 1, 2].every((d) => triangles[k - (k % 3) + d] < count)));
  // facets of a CAD mesh are flat
  const flat = indexed.toNonIndexed();
  flat.computeVertexNormals();
  return flat;
}
