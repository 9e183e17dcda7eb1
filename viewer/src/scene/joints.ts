import * as THREE from "three";
import type { Joint, Scene, Vec3 } from "../data/format";
import type { Batch } from "./batch";
import type { Links } from "./links";
import { along, matrix } from "./shapes";
import { HIGHLIGHT } from "./palette";

const ACCENT = 0xd9902f;
const PALE = 0xe9edf2;

const GEOMETRY = {
  pin: () => new THREE.CylinderGeometry(1, 1, 1, 24).rotateX(Math.PI / 2),
  ring: () => new THREE.TorusGeometry(1, 0.22, 12, 36),
  thinRing: () => new THREE.TorusGeometry(1, 0.035, 8, 72),
  ball: () => new THREE.SphereGeometry(1, 24, 16),
  block: () => new THREE.BoxGeometry(1, 1, 1),
  // a bracket on the ground: its tip at the origin, its foot at y = -1
  support: () => {
    const shape = new THREE.Shape([new THREE.Vector2(-0.28, 0), new THREE.Vector2(0.28, 0), new THREE.Vector2(0.8, -1), new THREE.Vector2(-0.8, -1)]);
    return new THREE.ExtrudeGeometry(shape, { depth: 0.7, bevelEnabled: false }).translate(0, 0, -0.35);
  },
};

/** Glyphs of joints. Everything that a kind of joint looks like stands here. */
export function addJoints(scene: Scene, batch: Batch, links: Links, tone: number, part: (joint: number) => number): void {
  scene.joints.forEach((joint, i) => addJoint(scene, joint, batch, links, tone, part(i)));
}

function addJoint(scene: Scene, joint: Joint, batch: Batch, links: Links, tone: number, part: number): void {
  const g = 0.016 * scene.size;
  const [node, other] = joint.bodies;
  const at = joint.points[0];
  const depth = scene.planar ? 3.4 * g : 2.4 * g;
  const put = (kind: keyof typeof GEOMETRY, local: THREE.Matrix4, color: number, on = node) => batch.add(`joint ${kind}`, GEOMETRY[kind], on, local, part, color);
  const axis: Vec3 = Math.hypot(...joint.axis) > 0 ? joint.axis : [0, 0, 1];
  const grounded = node < 0 || other < 0;
  const support = () => {
    const place = node < 0 ? at : joint.points[1];
    put("support", supportMatrix(scene, place, axis, 2.6 * g), 0x97a1ad, -1);
  };
  switch (joint.type) {
    case "revolute":
      put("pin", along(at, axis, [0.62 * g, 0.62 * g, depth]), PALE);
      put("ring", along(at, axis, [g, g, scene.planar ? 6 * g : 4 * g]), tone);
      if (grounded) support();
      break;
    case "spherical":
      put("ball", matrix(at, [1, 0, 0, 0], [1.05 * g, 1.05 * g, 1.05 * g]), PALE);
      put("ring", along(at, axis, [1.15 * g, 1.15 * g, g]), tone);
      if (grounded) support();
      break;
    case "universal":
      put("pin", along(at, axis, [0.35 * g, 0.35 * g, 3 * g]), PALE);
      put("pin", along(joint.points[1], across(axis), [0.35 * g, 0.35 * g, 3 * g]), PALE, other);
      put("ring", along(at, axis, [1.3 * g, 1.3 * g, g]), tone);
      break;
    case "prismatic":
    case "point-on-line":
      put("block", along(at, axis, [0.5 * g, 0.5 * g, 0.6 * scene.size]), 0xb3bcc7);
      put("block", along(joint.points[1], axis, [1.9 * g, 1.9 * g, 3 * g]), tone, other);
      break;
    case "cylindrical":
      put("pin", along(at, axis, [0.5 * g, 0.5 * g, 7 * g]), PALE);
      put("ring", along(at, axis, [1.1 * g, 1.1 * g, 6 * g]), tone);
      if (grounded) support();
      break;
    case "planar":
    case "point-in-plane":
      put("block", along(at, axis, [8 * g, 8 * g, 0.12 * g]), 0xb3bcc7);
      put("ball", matrix(joint.points[1], [1, 0, 0, 0], [0.7 * g, 0.7 * g, 0.7 * g]), tone, other);
      break;
    case "fixed":
      if (grounded) put("block", along(node < 0 ? at : joint.points[1], axis, [3.2 * g, 3.2 * g, 3.2 * g]), 0x97a1ad, -1);
      else put("block", along(at, axis, [1.3 * g, 1.3 * g, 1.3 * g]), tone);
      break;
    case "distance":
      links.items.push({ a: { node, position: at }, b: { node: other, position: joint.points[1] }, radius: 0.4 * g, color: tone, part });
      put("ball", matrix(at, [1, 0, 0, 0], [0.8 * g, 0.8 * g, 0.8 * g]), PALE);
      put("ball", matrix(joint.points[1], [1, 0, 0, 0], [0.8 * g, 0.8 * g, 0.8 * g]), PALE, other);
      break;
    case "rolling":
      addDisc(joint, g, put, tone);
      break;
    case "skate":
      put("block", along(joint.points[1], axis, [0.5 * g, 2 * g, 6 * g]), tone, other);
      break;
    case "gear": {
      const pair = joint.gear?.map((k) => scene.joints[k]);
      if (pair?.[0] && pair[1] && pair[0] !== pair[1]) {
        const end = (k: Joint) => ({ node: k.bodies[0], position: k.points[0] });
        links.items.push({ a: end(pair[0]), b: end(pair[1]), radius: 0.18 * g, color: ACCENT, part });
      }
      break;
    }
    default:
      put("ball", matrix(at, [1, 0, 0, 0], [0.7 * g, 0.7 * g, 0.7 * g]), tone);
  }
  if (joint.driven) put("ring", along(at, axis, [1.7 * g, 1.7 * g, 1.4 * g]), ACCENT);
}

/** A wheel with spokes, so that its turning is seen. */
function addDisc(joint: Joint, g: number, put: (kind: "ring" | "block" | "pin", local: THREE.Matrix4, color: number, on?: number) => void, tone: number): void {
  const r = joint.radius ?? 2 * g;
  const node = joint.bodies[1];
  const centre = joint.points[1];
  put("ring", along(centre, joint.axis, [0.97 * r, 0.97 * r, 0.14 * r]), tone, node);
  put("pin", along(centre, joint.axis, [0.09 * r, 0.09 * r, 0.16 * r]), HIGHLIGHT, node);
  for (let k = 0; k < 3; k++) {
    const spoke = along(centre, joint.axis).multiply(new THREE.Matrix4().makeRotationZ((k * Math.PI) / 3));
    put("block", spoke.multiply(new THREE.Matrix4().makeScale(1.9 * r, 0.05 * r, 0.09 * r)), tone, node);
  }
}

function across(axis: Vec3): Vec3 {
  const a = new THREE.Vector3(...axis).normalize();
  const b = Math.abs(a.z) < 0.9 ? new THREE.Vector3(0, 0, 1) : new THREE.Vector3(1, 0, 0);
  return a.cross(b).toArray();
}

/** The bracket below a joint on the ground: its width across the axis, its foot downwards. */
function supportMatrix(scene: Scene, at: Vec3, axis: Vec3, size: number): THREE.Matrix4 {
  const down = upward(scene).negate();
  const z = new THREE.Vector3(...axis).normalize();
  // along a vertical axis the bracket stands upright all the same
  if (Math.abs(z.dot(down)) > 0.9) z.set(...across(down.toArray()));
  const y = down.clone().negate();
  z.addScaledVector(y, -z.dot(y)).normalize();
  const x = y.clone().cross(z);
  return new THREE.Matrix4().makeBasis(x, y, z).scale(new THREE.Vector3(size, size, size)).setPosition(...at);
}

/** The direction that is up in the picture. */
export function upward(scene: Scene): THREE.Vector3 {
  if (scene.planar) return new THREE.Vector3(0, 1, 0);
  const g = scene.gravity.map(Math.abs);
  const largest = g.indexOf(Math.max(...g));
  const v = new THREE.Vector3(0, 0, 1);
  if (g[largest] > 0 && g[largest] > 0.8 * Math.hypot(...g)) {
    v.set(0, 0, 0).setComponent(largest, scene.gravity[largest] < 0 ? 1 : -1);
    // a mechanism that hangs upwards would turn the picture over
    if (scene.gravity[largest] > 0) v.negate();
  }
  return v;
}
