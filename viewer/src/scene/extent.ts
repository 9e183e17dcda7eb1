import * as THREE from "three";
import type { Scene } from "../data/format";
import { pointOfPose } from "../data/interpolate";
import type { Motion } from "../data/motion";

const MAX_POINTS = 30_000;
/** Length of the arrow of the largest load, in parts of the scene's scale. */
export const LOAD_LENGTH = 0.22;
/** Length of the arrow of the largest load per length. */
export const LINE_LOAD_LENGTH = 0.1;

/** Points that the mechanism reaches during the motion: nodes, ends of shapes, joints and forces, at up to 200 instants. */
export function reach(scene: Scene, motion: Motion): THREE.Vector3[] {
  const points: THREE.Vector3[] = [];
  const poses = new Float32Array(scene.nodes * 7);
  const p = [0, 0, 0];
  const add = (node: number, position: readonly number[], radius = 0) => {
    if (node < 0) p.splice(0, 3, position[0], position[1], position[2]);
    else pointOfPose(poses, node * 7, position, p);
    if (!p.every(Number.isFinite)) return;
    const offsets = radius > 0 ? [-radius, radius] : [0];
    for (const r of offsets) points.push(new THREE.Vector3(p[0] + r, p[1] + r, scene.planar ? p[2] : p[2] + r));
  };
  const solids = scene.bodies.flatMap((body) => body.shapes.flatMap((shape) =>
    (shape.type === "plate" ? shape.outline : ends(shape).map((at) => at.map((x, d) => x + shape.position[d]))).map((at) => ({ node: body.node, at }))));
  const carried = [...scene.beams.flatMap((b) => b.nodes), ...scene.flexible.flatMap((b) => b.nodes)];
  const value = new Float32Array(3);
  const loads = scene.forces.filter((f) => f.kind === "load" && f.ends.length === 1).map((force) => ({ force, largest: motion.range(force.value, 0, 1) }));
  const instant = (t: number) => {
    for (const { node, at } of solids) add(node, at);
    for (const node of carried) add(node, [0, 0, 0]);
    for (const joint of scene.joints) {
      add(joint.bodies[0], joint.points[0]);
      add(joint.bodies[1], joint.points[1], joint.radius);
    }
    for (const force of scene.forces) for (const end of force.ends) add(end.node, end.position);
    loads.forEach(({ force, largest }) => {
      if (motion.scalar(force.value, t, value) < 3 || !(largest > 0)) return;
      add(force.ends[0].node, force.ends[0].position);
      const tip = value.map((x) => (x / largest) * LOAD_LENGTH * scene.size);
      if (p.every(Number.isFinite) && tip.every(Number.isFinite)) points.push(new THREE.Vector3(p[0] + tip[0], p[1] + tip[1], p[2] + tip[2]));
    });
  };
  const each = solids.length + carried.length + 2 * scene.joints.length + 2 * scene.forces.length + 1;
  const instants = Math.max(4, Math.min(200, Math.floor(MAX_POINTS / each)));
  const stride = Math.max(1, Math.ceil(motion.times.length / instants));
  for (let i = 0; i < motion.times.length; i += stride) {
    motion.poses(motion.times[i], poses);
    instant(motion.times[i]);
  }
  for (const structure of scene.structures) for (const [x, y] of structure.rest) {
    for (const z of structure.type === "grid" ? [-0.08, 0.08] : [0]) points.push(new THREE.Vector3(x, y, z * scene.size));
  }
  if (points.length === 0) for (const x of [-0.5, 0.5]) points.push(new THREE.Vector3(x, x, 0).multiplyScalar(scene.size));
  return points;
}

type Shape = Scene["bodies"][number]["shapes"][number];

/** Points that a shape reaches, from its own place, in the axes of the body. */
function ends(shape: Shape): number[][] {
  const [w, x, y, z] = shape.orientation;
  const turn = new THREE.Quaternion(x, y, z, w);
  const around = (hx: number, hy: number, hz: number) => [-1, 1].flatMap((a) => [-1, 1].flatMap((b) => [-1, 1].map((c) => new THREE.Vector3(a * hx, b * hy, c * hz).applyQuaternion(turn).toArray())));
  switch (shape.type) {
    case "box": return around(shape.edges[0] / 2, shape.edges[1] / 2, shape.edges[2] / 2);
    case "cylinder": return around(shape.radius, shape.radius, shape.length / 2);
    case "cone": return around(Math.max(shape.radius, shape.top), Math.max(shape.radius, shape.top), shape.length / 2);
    case "capsule": return around(shape.radius, shape.radius, shape.length / 2 + shape.radius);
    case "sphere": return around(shape.radius, shape.radius, shape.radius);
    case "rod": return around(shape.length / 2, 0, 0);
    case "extrusion": return shape.outline.flatMap(([a, b]) => [-1, 1].map((s) => new THREE.Vector3(a, b, (s * shape.length) / 2).applyQuaternion(turn).toArray()));
    case "mesh": {
      const bounds = new THREE.Box3().setFromArray(shape.vertices);
      return [bounds.min, bounds.max].map((v) => v.applyQuaternion(turn).toArray());
    }
    case "plate": return [];
  }
}
