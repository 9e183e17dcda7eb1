import * as THREE from "three";
import type { Scene } from "../data/format";
import { pointOfPose } from "../data/interpolate";
import type { Motion } from "../data/motion";

/** The box that contains the mechanism during the motion: nodes, points, ends and the reach of shapes at up to 200 instants. */
export function extent(scene: Scene, motion: Motion): THREE.Box3 {
  const box = new THREE.Box3();
  const poses = new Float32Array(scene.nodes * 7);
  const p = [0, 0, 0];
  const add = (node: number, position: readonly number[], reach: number) => {
    if (node < 0) p.splice(0, 3, position[0], position[1], position[2]);
    else pointOfPose(poses, node * 7, position, p);
    if (!p.every(Number.isFinite)) return;
    box.expandByPoint(new THREE.Vector3(p[0] - reach, p[1] - reach, scene.planar ? p[2] : p[2] - reach));
    box.expandByPoint(new THREE.Vector3(p[0] + reach, p[1] + reach, scene.planar ? p[2] : p[2] + reach));
  };
  const stride = Math.max(1, Math.ceil(motion.times.length / Math.max(4, Math.min(200, 4e5 / (scene.nodes + 1)))));
  for (let i = 0; i < motion.times.length; i += stride) {
    motion.poses(motion.times[i], poses);
    for (const body of scene.bodies) for (const shape of body.shapes) {
      for (const at of shape.type === "plate" ? shape.outline : ends(shape)) add(body.node, at.map((x, d) => x + (shape.type === "plate" ? 0 : shape.position[d])), 0);
    }
    for (const beam of scene.beams) for (const node of beam.nodes) add(node, [0, 0, 0], 0);
    for (const body of scene.flexible) for (const node of body.nodes) add(node, [0, 0, 0], 0);
    for (const joint of scene.joints) {
      add(joint.bodies[0], joint.points[0], 0);
      add(joint.bodies[1], joint.points[1], joint.radius ?? 0);
    }
    for (const force of scene.forces) for (const end of force.ends) add(end.node, end.position, 0);
  }
  for (const structure of scene.structures) for (const [x, y] of structure.rest) box.expandByPoint(new THREE.Vector3(x, y, 0));
  if (box.isEmpty()) box.set(new THREE.Vector3(-0.5, -0.5, 0).multiplyScalar(scene.size), new THREE.Vector3(0.5, 0.5, 0).multiplyScalar(scene.size));
  return box.expandByScalar(0.04 * scene.size);
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
