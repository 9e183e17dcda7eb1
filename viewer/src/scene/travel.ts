import * as THREE from "three";
import type { Joint, Scene } from "../data/format";
import { POSE } from "../data/interpolate";
import type { Motion } from "../data/motion";
import { endPoint } from "./links";

/** Smallest and largest distance of a sliding joint along its axis, from its point on body 1. */
export interface Travel { low: number; high: number }

const MAX_INSTANTS = 300;

/** The way of each joint that slides (`indices` in the scene's joints) over a motion. */
export function travels(scene: Scene, motion: Motion, indices: number[]): Map<number, Travel> {
  const found = new Map<number, Travel>(indices.map((i) => [i, { low: Infinity, high: -Infinity }]));
  if (indices.length === 0) return found;
  const poses = new Float32Array(scene.nodes * POSE);
  const stride = Math.max(1, Math.ceil(motion.times.length / MAX_INSTANTS));
  for (let k = 0; k < motion.times.length; k += stride) {
    motion.poses(motion.times[k], poses);
    for (const [i, travel] of found) {
      const s = along(scene.joints[i], poses);
      travel.low = Math.min(travel.low, s);
      travel.high = Math.max(travel.high, s);
    }
  }
  return found;
}

/** Distance of the point on body 2 from the point on body 1, along the axis of the joint. */
function along(joint: Joint, poses: Float32Array): number {
  const [a, b] = [0, 1].map((side) => {
    const p = [0, 0, 0];
    endPoint(poses, { node: joint.bodies[side], position: joint.points[side] }, p);
    return new THREE.Vector3(...p);
  });
  const axis = new THREE.Vector3(...joint.axis).normalize();
  const k = joint.bodies[0] * POSE;
  if (k >= 0) axis.applyQuaternion(new THREE.Quaternion(poses[k + 4], poses[k + 5], poses[k + 6], poses[k + 3]));
  const s = b.sub(a).dot(axis);
  return Number.isFinite(s) ? s : 0;
}

/** Whether a joint of this type slides along its axis. */
export const slides = (type: string): boolean => type === "prismatic" || type === "cylindrical" || type === "point-on-line";
