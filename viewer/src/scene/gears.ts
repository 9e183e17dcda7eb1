import * as THREE from "three";
import type { Joint, Scene } from "../data/format";
import { POSE } from "../data/interpolate";
import type { Motion } from "../data/motion";
import type { Batch } from "./batch";
import { endPoint, type Links } from "./links";
import { ACCENT, BODY_TONES } from "./palette";
import { along } from "./shapes";
import { slides } from "./travel";

/** What a gear is drawn with. */
interface Drawing { scene: Scene; motion: Motion; batch: Batch; links: Links }

/** A wheel of a gear at the start of the motion: its body, centre and axis in the world. */
interface Wheel { node: number; centre: THREE.Vector3; axis: THREE.Vector3 }

/** Two wheels of a gear or a belt, with their radii. */
export interface WheelPair { meshes: boolean; radii: [number, number]; teeth: [number, number] }

const FEWEST_TEETH = 16;
const MOST_TEETH = 120;

/** Wheels that turn as a gear does: `ratio` is the motion of the second per motion of the first, about the same direction. They mesh if they turn in opposite directions. */
export function wheelPair(distance: number, ratio: number): WheelPair | undefined {
  const size = Math.abs(ratio);
  if (!(distance > 0) || !(size > 0.02 && size < 50)) return undefined;
  const meshes = ratio < 0;
  // pulleys of a belt have room between them
  const sum = distance * (meshes ? 1 : 0.62);
  const radii: [number, number] = [(sum * size) / (1 + size), sum / (1 + size)];
  const few = Math.min(FEWEST_TEETH, Math.max(8, Math.floor(MOST_TEETH * Math.min(size, 1 / size))));
  const many = Math.round(few * Math.max(size, 1 / size));
  return { meshes, radii, teeth: size < 1 ? [few, many] : [many, few] };
}

/** Toothed wheels that mesh or pulleys with a belt, of true ratio, for two parallel axes on one body; else small wheels joined by a line. */
export function addGear({ scene, motion, batch, links }: Drawing, joint: Joint, g: number, part: number): void {
  const [a, b] = joint.gear?.map((k) => scene.joints[k]) ?? [];
  if (!a || !b || a === b) return;
  const poses = new Float32Array(scene.nodes * POSE);
  motion.poses(motion.start, poses);
  const [one, two] = [a, b].map((k) => wheel(k, poses));
  const parallel = one.axis.dot(two.axis);
  const between = two.centre.clone().sub(one.centre);
  const along1 = between.dot(one.axis);
  between.addScaledVector(one.axis, -along1);
  const revolute = a.type === "revolute" && b.type === "revolute" && a.bodies[0] === b.bodies[0];
  const pair = revolute && Math.abs(parallel) > 0.999 && between.length() > 4 * g ? wheelPair(between.length(), (joint.ratio ?? 0) * Math.sign(parallel)) : undefined;
  if (!pair) {
    links.items.push({ a: { node: a.bodies[0], position: a.points[0] }, b: { node: b.bodies[0], position: b.points[0] }, radius: 0.14 * g, color: ACCENT, part });
    for (const k of [a, b]) {
      if (!slides(k.type)) batch.add("gear 16", () => toothed(16, 0.3), k.bodies[1], along(k.points[1], Math.hypot(...k.axis) > 0 ? k.axis : [0, 0, 1], [2.2 * g, 2.2 * g, 0.9 * g]), part, ACCENT);
    }
    return;
  }
  const direction = between.clone().normalize();
  // wheels are before the bodies that they turn
  const layer = scene.planar ? 1.9 : 0;
  const front = one.axis.clone().multiplyScalar((one.axis.z < -0.5 ? -1 : 1) * (pair.meshes ? layer : layer + 1.7) * g);
  const place = (w: Wheel, k: number) => {
    const x = direction.clone().multiplyScalar(k ? -1 : 1);
    // a tooth of the first meets a gap of the second
    if (k) x.applyAxisAngle(one.axis, Math.PI / pair.teeth[1]);
    const y = one.axis.clone().cross(x);
    const centre = w.centre.clone().add(front);
    if (k) centre.addScaledVector(one.axis, -along1);
    const world = new THREE.Matrix4().makeBasis(x, y, one.axis).setPosition(centre).scale(new THREE.Vector3(pair.radii[k], pair.radii[k], 1.5 * g));
    const local = poseMatrix(poses, w.node).invert().multiply(world);
    const tone = BODY_TONES[Math.max(0, scene.bodies.findIndex((body) => body.node === w.node)) % BODY_TONES.length];
    // the pin is seen through the wheel
    const hole = Math.min(0.3, (2.1 * g) / pair.radii[k]);
    const teeth = pair.meshes ? pair.teeth[k] : 0;
    batch.add(`gear ${teeth} ${hole}`, () => (teeth > 0 ? toothed(teeth, hole) : pulley(hole)), w.node, local, part, tone);
  };
  [one, two].forEach(place);
  if (!pair.meshes) addBelt(links, a, one, two, between, along1, pair.radii, g, part, poses, front);
}

/** The straight parts of an open belt: both outer tangents of its pulleys. */
function addBelt(links: Links, a: Joint, one: Wheel, two: Wheel, between: THREE.Vector3, along1: number, radii: [number, number], g: number, part: number, poses: Float32Array, front: THREE.Vector3): void {
  const carrier = poseMatrix(poses, a.bodies[0]).invert();
  const d = between.length(), direction = between.clone().normalize(), side = one.axis.clone().cross(direction);
  const lean = (radii[0] - radii[1]) / d;
  for (const sign of [1, -1]) {
    const normal = direction.clone().multiplyScalar(lean).addScaledVector(side, sign * Math.sqrt(1 - lean * lean));
    const end = (w: Wheel, k: number) => {
      const p = w.centre.clone().add(front).addScaledVector(normal, radii[k]);
      if (k) p.addScaledVector(one.axis, -along1);
      return { node: a.bodies[0], position: p.applyMatrix4(carrier).toArray() };
    };
    links.items.push({ a: end(one, 0), b: end(two, 1), radius: 0.3 * g, color: BELT, part });
  }
}

const BELT = 0x4a535e;

function wheel(joint: Joint, poses: Float32Array): Wheel {
  const p = [0, 0, 0];
  endPoint(poses, { node: joint.bodies[1], position: joint.points[1] }, p);
  const axis = new THREE.Vector3(...joint.axis);
  if (axis.lengthSq() === 0) axis.set(0, 0, 1);
  return { node: joint.bodies[1], centre: new THREE.Vector3(...p), axis: axis.normalize().transformDirection(poseMatrix(poses, joint.bodies[0])) };
}

function poseMatrix(poses: Float32Array, node: number): THREE.Matrix4 {
  const k = node * POSE;
  if (node < 0) return new THREE.Matrix4();
  return new THREE.Matrix4().makeRotationFromQuaternion(new THREE.Quaternion(poses[k + 4], poses[k + 5], poses[k + 6], poses[k + 3]).normalize()).setPosition(poses[k], poses[k + 1], poses[k + 2]);
}

/** A toothed wheel of pitch radius 1 and length 1 about z, the middle of a tooth on x; openings show that it turns. */
function toothed(teeth: number, hole: number): THREE.BufferGeometry {
  const pitch = (2 * Math.PI) / teeth;
  const module = 2 / teeth;
  // half widths of a tooth at its root and tip, as parts of the pitch
  const corners: [number, number][] = [[-0.33, 1 - 1.15 * module], [-0.13, 1 + 0.95 * module], [0.13, 1 + 0.95 * module], [0.33, 1 - 1.15 * module]];
  const outline = Array.from({ length: teeth }, (_, i) => corners.map(([part, r]) => new THREE.Vector2(r * Math.cos((i + part) * pitch), r * Math.sin((i + part) * pitch)))).flat();
  return disc(new THREE.Shape(outline), hole);
}

function pulley(hole: number): THREE.BufferGeometry {
  return disc(new THREE.Shape().absarc(0, 0, 1, 0, 2 * Math.PI, false), hole);
}

function disc(shape: THREE.Shape, hole: number): THREE.BufferGeometry {
  shape.holes.push(new THREE.Path().absarc(0, 0, hole, 0, 2 * Math.PI, true));
  for (let k = 0; k < 5; k++) shape.holes.push(new THREE.Path().absarc(0.57 * Math.cos((2 * Math.PI * k) / 5), 0.57 * Math.sin((2 * Math.PI * k) / 5), 0.14, 0, 2 * Math.PI, true));
  return new THREE.ExtrudeGeometry(shape, { depth: 1, bevelEnabled: false, curveSegments: 48 }).translate(0, 0, -0.5);
}
