import * as THREE from "three";
import type { Joint, Scene, Vec3 } from "../data/format";
import type { Motion } from "../data/motion";
import type { Batch, Seat } from "./batch";
import { addGear } from "./gears";
import type { Links } from "./links";
import { ACCENT, GROUND, PALE, RAIL } from "./palette";
import { along, matrix } from "./shapes";
import { slides, type Travel } from "./travel";
import { upward } from "./upward";

const GEOMETRY = {
  pin: () => new THREE.CylinderGeometry(1, 1, 1, 28).rotateX(Math.PI / 2),
  ring: () => new THREE.TorusGeometry(1, 0.2, 14, 40),
  ball: () => new THREE.SphereGeometry(1, 28, 18),
  block: () => new THREE.BoxGeometry(1, 1, 1),
  // a bracket on the ground: its tip around the origin, its foot at y = -1
  support: () => {
    const shape = new THREE.Shape();
    shape.absarc(0, 0, 0.42, Math.PI * 0.93, Math.PI * 0.07, true);
    shape.lineTo(0.8, -1);
    shape.lineTo(-0.8, -1);
    return new THREE.ExtrudeGeometry(shape, { depth: 0.56, bevelEnabled: false, curveSegments: 10 }).translate(0, 0, -0.28);
  },
};

type Kind = keyof typeof GEOMETRY;

/** Radius of a pin, in parts of the scene's scale: all glyphs of joints and forces follow from it. */
export const GLYPH = 0.016;

/** What a joint is drawn with. */
interface Drawing {
  scene: Scene;
  motion: Motion;
  batch: Batch;
  links: Links;
  tone: number;
  travel(joint: number): Travel | undefined;
  /** Takes the points of the ground that the glyphs reach. */
  anchors: THREE.Vector3[];
}

/** Glyphs of joints. Everything that a kind of joint looks like stands here. */
export function addJoints(drawing: Drawing, part: (joint: number) => number): void {
  drawing.scene.joints.forEach((joint, i) => addJoint(drawing, joint, part(i), drawing.travel(i)));
}

function addJoint({ scene, motion, batch, links, tone, anchors }: Drawing, joint: Joint, part: number, travel: Travel | undefined): void {
  const g = GLYPH * scene.scale;
  const [node, other] = joint.bodies;
  const at = joint.points[0];
  const depth = scene.planar ? 3.6 * g : 2.4 * g;
  const put = (kind: Kind, local: THREE.Matrix4, color: number, on = node, seat?: Seat) => batch.add(`joint ${kind}`, GEOMETRY[kind], on, local, part, color, seat);
  const axis: Vec3 = Math.hypot(...joint.axis) > 0 ? joint.axis : [0, 0, 1];
  const grounded = node < 0 || other < 0;
  const seat: Seat = { node: other, position: joint.points[1] };
  const support = () => {
    const place = node < 0 ? at : joint.points[1];
    put("support", supportMatrix(scene, place, axis, 2.6 * g), GROUND, -1);
    put("block", supportMatrix(scene, place, axis, 2.6 * g).multiply(new THREE.Matrix4().makeTranslation(0, -1.06, 0).scale(new THREE.Vector3(2.1, 0.14, 0.8))), GROUND, -1);
  };
  const rail = (width: number, kind: Kind) => {
    const room = (kind === "pin" ? 4 : 9) * g;
    const low = (travel?.low ?? 0) - room, high = (travel?.high ?? 0) + room;
    if (node < 0) for (const end of [low, high]) anchors.push(new THREE.Vector3().setFromMatrixPosition(shifted(at, axis, end, [1, 1, 1])));
    put(kind, shifted(at, axis, 0.5 * (low + high), [width, width, high - low]), RAIL);
  };
  switch (joint.type) {
    case "revolute":
      put("pin", along(at, axis, [0.6 * g, 0.6 * g, depth]), PALE);
      put("ring", along(at, axis, [0.92 * g, 0.92 * g, scene.planar ? 6 * g : 4 * g]), tone);
      if (grounded) support();
      break;
    case "spherical":
      put("ball", matrix(at, [1, 0, 0, 0], [1.05 * g, 1.05 * g, 1.05 * g]), PALE);
      put("ring", along(at, axis, [1.1 * g, 1.1 * g, g]), tone);
      if (grounded) support();
      break;
    case "universal":
      put("pin", along(at, axis, [0.35 * g, 0.35 * g, 3 * g]), PALE);
      put("pin", along(joint.points[1], across(axis), [0.35 * g, 0.35 * g, 3 * g]), PALE, other);
      put("ring", along(at, axis, [1.3 * g, 1.3 * g, g]), tone);
      break;
    case "prismatic":
    case "point-on-line":
      rail(0.55 * g, "block");
      put("block", along([0, 0, 0], axis, [2 * g, 2 * g, 3.2 * g]), tone, node, seat);
      if (joint.type === "point-on-line") put("pin", along([0, 0, 0], scene.planar ? [0, 0, 1] : across(axis), [0.6 * g, 0.6 * g, 3.6 * g]), PALE, node, seat);
      break;
    case "cylindrical":
      rail(0.5 * g, "pin");
      put("pin", along([0, 0, 0], axis, [1.1 * g, 1.1 * g, 2.6 * g]), tone, node, seat);
      if (grounded) support();
      break;
    case "planar":
    case "point-in-plane":
      put("block", along(at, axis, [9 * g, 9 * g, 0.12 * g]), RAIL);
      put("ball", matrix(joint.points[1], [1, 0, 0, 0], [0.7 * g, 0.7 * g, 0.7 * g]), tone, other);
      break;
    case "fixed":
      if (grounded) put("block", along(node < 0 ? at : joint.points[1], axis, [3.2 * g, 3.2 * g, 3.2 * g]), GROUND, -1);
      else put("block", along(at, axis, [1.3 * g, 1.3 * g, 1.3 * g]), tone);
      break;
    case "distance":
      links.items.push({ a: { node, position: at }, b: seat, radius: 0.45 * g, color: tone, part });
      put("ball", matrix(at, [1, 0, 0, 0], [0.85 * g, 0.85 * g, 0.85 * g]), PALE);
      put("ball", matrix(joint.points[1], [1, 0, 0, 0], [0.85 * g, 0.85 * g, 0.85 * g]), PALE, other);
      break;
    case "rolling":
      addWheel(joint, g, put, tone);
      break;
    case "skate":
      put("block", along(joint.points[1], axis, [0.5 * g, 2 * g, 6 * g]), tone, other);
      break;
    case "gear":
      addGear({ scene, motion, batch, links }, joint, g, part);
      break;
    default:
      put("ball", matrix(at, [1, 0, 0, 0], [0.7 * g, 0.7 * g, 0.7 * g]), tone);
  }
  if (joint.driven && slides(joint.type)) put("block", along([0, 0, 0], axis, [2.3 * g, 2.3 * g, 0.7 * g]), ACCENT, node, seat);
  else if (joint.driven) put("ring", along(at, axis, [1.65 * g, 1.65 * g, 1.6 * g]), ACCENT);
}

/** A wheel with spokes, so that its turning is seen. */
function addWheel(joint: Joint, g: number, put: (kind: Kind, local: THREE.Matrix4, color: number, on?: number) => void, tone: number): void {
  const r = joint.radius ?? 2 * g;
  const node = joint.bodies[1];
  const centre = joint.points[1];
  put("ring", along(centre, joint.axis, [0.95 * r, 0.95 * r, 0.2 * r]), tone, node);
  put("pin", along(centre, joint.axis, [0.1 * r, 0.1 * r, 0.2 * r]), ACCENT, node);
  for (let k = 0; k < 3; k++) {
    const spoke = along(centre, joint.axis).multiply(new THREE.Matrix4().makeRotationZ((k * Math.PI) / 3));
    put("block", spoke.multiply(new THREE.Matrix4().makeScale(1.8 * r, 0.06 * r, 0.1 * r)), k === 0 ? ACCENT : tone, node);
  }
}

/** A matrix with z along the axis, moved by `distance` along it. */
function shifted(at: Vec3, axis: Vec3, distance: number, scale: Vec3): THREE.Matrix4 {
  const d = new THREE.Vector3(...axis).normalize().multiplyScalar(distance);
  return along([at[0] + d.x, at[1] + d.y, at[2] + d.z], axis, scale);
}

function across(axis: Vec3): Vec3 {
  const a = new THREE.Vector3(...axis).normalize();
  const b = Math.abs(a.z) < 0.9 ? new THREE.Vector3(0, 0, 1) : new THREE.Vector3(1, 0, 0);
  return a.cross(b).toArray();
}

/** The bracket below a joint on the ground: its width across the axis, its foot downwards. */
function supportMatrix(scene: Scene, at: Vec3, axis: Vec3, size: number): THREE.Matrix4 {
  const y = upward(scene);
  const z = new THREE.Vector3(...axis).normalize();
  // along a vertical axis the bracket stands upright all the same
  if (Math.abs(z.dot(y)) > 0.9) z.set(...across(y.toArray()));
  z.addScaledVector(y, -z.dot(y)).normalize();
  const x = y.clone().cross(z);
  return new THREE.Matrix4().makeBasis(x, y, z).scale(new THREE.Vector3(size, size, size)).setPosition(...at);
}
