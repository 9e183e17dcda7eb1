import * as THREE from "three";
import type { ForceGlyph, Joint, Scene, Vec3 } from "../data/format";
import { POSE } from "../data/interpolate";
import type { Motion } from "../data/motion";
import type { Batch } from "./batch";
import { GLYPH } from "./joints";
import { endPoint, type End, type Links } from "./links";
import { ACCENT, GROUND, type Theme } from "./palette";
import { along, matrix } from "./shapes";
import type { Spring, Springs } from "./springs";
import { slides, type Travel } from "./travel";

/** What a force is drawn with. */
interface Drawing {
  scene: Scene;
  motion: Motion;
  batch: Batch;
  links: Links;
  springs: Springs;
  theme: Theme;
  travel(joint: number): Travel | undefined;
  /** Takes the points of the ground where springs of joints end. */
  anchors: THREE.Vector3[];
}

const STEEL = 0xaab4bf;
const ROD = 0xdfe4ea;
const RUBBER = 0x55606c;

/** Glyphs of forces between two points or in a joint. Loads and torques are arrows (picture.ts). */
export function addForces(drawing: Drawing, part: (force: number) => number): void {
  const { scene, motion } = drawing;
  const first = new Float32Array(scene.nodes * POSE);
  motion.poses(motion.start, first);
  const lengths = lengthsOf(scene, motion);
  scene.forces.forEach((force, i) => {
    const joint = force.joint === undefined ? undefined : scene.joints[force.joint];
    if (force.ends.length === 2) addBetween(drawing, force, part(i), lengths[i], first);
    // a motor is a drive: its joint shows it
    else if (force.kind === "joint-spring" && joint) addInJoint(drawing, joint, drawing.travel(force.joint!), part(i));
    else if (force.kind === "clutch" && joint) addClutch(drawing, joint, part(i));
  });
}

/** Distance of the two ends of a force over a motion. */
interface Lengths { mean: number; least: number }

function lengthsOf(scene: Scene, motion: Motion): Lengths[] {
  const poses = new Float32Array(scene.nodes * POSE);
  const p = new Float32Array(6);
  const found = scene.forces.map((): Lengths => ({ mean: 0, least: Infinity }));
  const stride = Math.max(1, Math.ceil(motion.times.length / 200));
  let instants = 0;
  for (let k = 0; k < motion.times.length; k += stride, instants++) {
    motion.poses(motion.times[k], poses);
    scene.forces.forEach(({ ends }, i) => {
      if (ends.length !== 2) return;
      endPoint(poses, ends[0], p, 0);
      endPoint(poses, ends[1], p, 3);
      const length = Math.hypot(p[3] - p[0], p[4] - p[1], p[5] - p[2]);
      if (!Number.isFinite(length)) return;
      found[i].mean += length;
      found[i].least = Math.min(found[i].least, length);
    });
  }
  return found.map(({ mean, least }) => ({ mean: mean / Math.max(1, instants), least: Number.isFinite(least) ? least : 0 }));
}

/** A coil spring: as many turns as look like a spring at its mean length. */
function coilSpring(a: End, b: End, radius: number, length: number, part: number): Spring {
  return { a, b, radius, wire: 0.16 * radius, turns: Math.max(6, Math.min(24, Math.round(length / (1.5 * radius)))), part };
}

function addBetween({ scene, batch, links, springs, theme }: Drawing, force: ForceGlyph, part: number, { mean: length, least }: Lengths, first: Float32Array): void {
  const g = GLYPH * scene.scale;
  const [a, b] = force.ends;
  const link = (from: End, to: End, radius: number, color: number, fixed?: number) => links.items.push({ a: from, b: to, radius, color, part, length: fixed });
  const coil = Math.min(2.2 * g, Math.max(0.08 * length, 0.8 * g));
  switch (force.kind) {
    case "spring":
    case "spring-damper":
      springs.items.push(coilSpring(a, b, coil, length, part));
      if (force.kind === "spring-damper") {
        link(a, b, 0.5 * coil, STEEL, Math.min(0.5 * length, 0.86 * least));
        link(b, a, 0.18 * coil, ROD);
      }
      break;
    case "damper":
    case "actuator":
      // the rod is seen at its shortest too
      link(a, b, 0.95 * g, force.kind === "actuator" ? ACCENT : STEEL, Math.min(0.62 * length, 0.86 * least));
      link(b, a, 0.42 * g, ROD);
      for (const end of [a, b]) batch.add("joint ball", () => new THREE.SphereGeometry(1, 28, 18), end.node, matrix(end.position, [1, 0, 0, 0], [0.7 * g, 0.7 * g, 0.7 * g]), part, theme.joint);
      break;
    case "cable":
    case "truss":
      link(a, b, (force.kind === "cable" ? 0.18 : 0.6) * g, force.kind === "cable" ? theme.spring : theme.beam);
      for (const end of [a, b]) batch.add("joint ball", () => new THREE.SphereGeometry(1, 28, 18), end.node, matrix(end.position, [1, 0, 0, 0], end.node < 0 ? [1.5 * g, 1.5 * g, 1.5 * g] : [0.9 * g, 0.9 * g, 0.9 * g]), part, end.node < 0 ? GROUND : theme.joint);
      break;
    case "bushing":
      batch.add("bushing", () => new THREE.CylinderGeometry(1, 1, 1, 28), a.node, matrix(a.position, [1, 0, 0, 0], [1.2 * g, g, 1.2 * g]), part, RUBBER);
      link(a, b, 0.2 * g, RUBBER);
      return;
    default:
      link(a, b, 0.22 * g, theme.spring);
  }
  addWalls(batch, force, first, g, part);
}

/** A wall where a force ends at the ground, across its first direction. */
function addWalls(batch: Batch, force: ForceGlyph, first: Float32Array, g: number, part: number): void {
  force.ends.forEach((end, k) => {
    if (end.node >= 0) return;
    const p = new Float32Array(6);
    endPoint(first, end, p, 0);
    endPoint(first, force.ends[1 - k], p, 3);
    wall(batch, end.position, [p[3] - p[0], p[4] - p[1], p[5] - p[2]], g, part);
  });
}

function wall(batch: Batch, at: Vec3, towards: Vec3, g: number, part: number): void {
  const d = new THREE.Vector3(...towards);
  if (d.lengthSq() === 0) d.set(0, 1, 0);
  d.normalize();
  const back: Vec3 = [at[0] - 0.3 * g * d.x, at[1] - 0.3 * g * d.y, at[2] - 0.3 * g * d.z];
  batch.add("wall", () => new THREE.BoxGeometry(1, 1, 1), -1, along(back, d.toArray(), [4.2 * g, 4.2 * g, 0.6 * g]), part, GROUND);
}

/** A spring in a joint: along the guide of a sliding joint, a spiral around the axis of another. */
function addInJoint({ scene, batch, springs, theme, anchors }: Drawing, joint: Joint, travel: Travel | undefined, part: number): void {
  const g = GLYPH * scene.scale;
  const axis: Vec3 = Math.hypot(...joint.axis) > 0 ? joint.axis : [0, 0, 1];
  if (slides(joint.type)) {
    const { low, high } = travel ?? { low: 0, high: 0 };
    const end = anchorOf(low, high, g);
    const d = new THREE.Vector3(...axis).normalize();
    const anchor: Vec3 = [joint.points[0][0] + end * d.x, joint.points[0][1] + end * d.y, joint.points[0][2] + end * d.z];
    const length = Math.abs(0.5 * (low + high) - end);
    springs.items.push(coilSpring({ node: joint.bodies[0], position: anchor }, { node: joint.bodies[1], position: joint.points[1] }, Math.min(3 * g, Math.max(1.8 * g, 0.05 * length)), length, part));
    if (joint.bodies[0] < 0) anchors.push(new THREE.Vector3(...anchor));
    if (joint.bodies[0] < 0) wall(batch, anchor, d.multiplyScalar(low - end).toArray(), g, part);
  } else batch.add("spiral", spiral, joint.bodies[0], along(joint.points[0], axis, [2.3 * g, 2.3 * g, 2.3 * g]), part, theme.spring);
}

/** A clutch or brake: the linings of both bodies around the axis, or a shoe on the guide of a sliding joint. */
function addClutch({ scene, batch }: Drawing, joint: Joint, part: number): void {
  const g = GLYPH * scene.scale;
  const axis: Vec3 = Math.hypot(...joint.axis) > 0 ? joint.axis : [0, 0, 1];
  if (slides(joint.type)) {
    batch.add("wall", () => new THREE.BoxGeometry(1, 1, 1), joint.bodies[0], along([0, 0, 0], axis, [3 * g, 1.2 * g, 1.6 * g]), part, ACCENT, { node: joint.bodies[1], position: joint.points[1] });
    return;
  }
  joint.bodies.forEach((node, side) => {
    // shoes around the axis, those of the two bodies in turn
    for (let k = 0; k < 3; k++) {
      const shoe = along(joint.points[side], axis).multiply(new THREE.Matrix4().makeRotationZ(((2 * k + side) * Math.PI) / 3));
      batch.add("clutch shoe", clutchShoe, node, shoe.multiply(new THREE.Matrix4().makeScale(4.4 * g, 4.4 * g, scene.planar ? 4.2 * g : 1.2 * g)), part, side ? ACCENT : RUBBER);
    }
  });
}

/** A sixth of a ring of radius 1 and length 1 about z. */
function clutchShoe(): THREE.BufferGeometry {
  const shape = new THREE.Shape();
  shape.absarc(0, 0, 1, -0.42, 0.42, false);
  shape.absarc(0, 0, 0.84, 0.42, -0.42, true);
  return new THREE.ExtrudeGeometry(shape, { depth: 1, bevelEnabled: false, curveSegments: 10 }).translate(0, 0, -0.5);
}

/** Where on its guide the spring of a sliding joint ends: before the guide's origin, or behind the travel if that begins near the origin. */
function anchorOf(low: number, high: number, g: number): number {
  const room = Math.max(0.35 * (high - low), 10 * g);
  return low > 0 && low < room ? high + room : low - room;
}

/** A flat spiral of radius 1 about z. */
function spiral(): THREE.BufferGeometry {
  const points = Array.from({ length: 90 }, (_, i) => {
    const a = (i / 89) * 5 * Math.PI, r = 0.45 + (0.55 * i) / 89;
    return new THREE.Vector3(r * Math.cos(a), r * Math.sin(a), 0.5);
  });
  return new THREE.TubeGeometry(new THREE.CatmullRomCurve3(points), 180, 0.06, 8);
}

/** Clamps where an end of a beam is on the ground or never moves. */
export function addClamps(scene: Scene, motion: Motion, batch: Batch, part: (beam: number) => number): void {
  const g = GLYPH * scene.scale;
  const still = stillEnds(scene, motion);
  scene.beams.forEach((beam, i) => {
    const s = beam.section;
    const [y, z] = s.type === "rectangle" ? [s.width, s.height] : s.type === "circle" ? [2 * s.radius, 2 * s.radius] : [2 * s.outer, 2 * s.outer];
    [beam.nodes[0], beam.nodes[beam.nodes.length - 1]].forEach((n, end) => {
      if (n < 0 || !(beam.clamped[end] || still.has(n))) return;
      const local = new THREE.Matrix4().makeTranslation((end ? 0.8 : -0.8) * g, 0, 0).scale(new THREE.Vector3(1.6 * g, y + 3.4 * g, z + 3.4 * g));
      batch.add("wall", () => new THREE.BoxGeometry(1, 1, 1), n, local, part(i), GROUND);
    });
  });
}

/** Nodes at the ends of beams that have no joint that could move, and do not move. One instant shows nothing of that. */
function stillEnds(scene: Scene, motion: Motion): Set<number> {
  if (motion.times.length < 2) return new Set();
  const stride = Math.max(1, Math.ceil(motion.times.length / 40));
  const first = new Float32Array(scene.nodes * POSE), poses = new Float32Array(scene.nodes * POSE);
  motion.poses(motion.start, first);
  const jointed = new Set(scene.joints.filter((j) => j.type !== "fixed").flatMap((j) => j.bodies));
  const still = new Set(scene.beams.flatMap((b) => [b.nodes[0], b.nodes[b.nodes.length - 1]]).filter((n) => n >= 0 && !jointed.has(n)));
  for (let k = 1; k < motion.times.length && still.size > 0; k += stride) {
    motion.poses(motion.times[k], poses);
    for (const n of still) for (let d = 0; d < POSE; d++) {
      if (Math.abs(poses[n * POSE + d] - first[n * POSE + d]) > 1e-5 * (d < 3 ? scene.size : 1)) still.delete(n);
    }
  }
  return still;
}
