import * as THREE from "three";
import type { Scene } from "../data/format";

/** The direction that is up in the picture: against gravity if that is along an axis, else z; y for planar models. */
export function upward(scene: Scene): THREE.Vector3 {
  if (scene.planar) return new THREE.Vector3(0, 1, 0);
  const g = scene.gravity.map(Math.abs);
  const largest = g.indexOf(Math.max(...g));
  const up = new THREE.Vector3(0, 0, 1);
  if (g[largest] > 0.8 * Math.hypot(...g)) up.set(0, 0, 0).setComponent(largest, scene.gravity[largest] < 0 ? 1 : -1);
  return up;
}
