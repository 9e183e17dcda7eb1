import * as THREE from "three";
import type { Motion } from "../data/motion";
import { interval, pointOfPose } from "../data/interpolate";
import { TRAIL } from "./palette";

const MOST = 3000;

/** The way of a point up to the present time. */
export class Trail {
  readonly line: THREE.Line;
  private readonly times: number[] = [];

  constructor(motion: Motion, node: number, position: readonly number[], nodes: number) {
    const stride = Math.max(1, Math.ceil(motion.times.length / MOST));
    const poses = new Float32Array(nodes * 7);
    const points: number[] = [];
    const p = [0, 0, 0];
    for (let i = 0; i < motion.times.length; i += stride) {
      motion.poses(motion.times[i], poses);
      pointOfPose(poses, node * 7, position, p);
      points.push(...p);
      this.times.push(motion.times[i]);
    }
    const geometry = new THREE.BufferGeometry();
    geometry.setAttribute("position", new THREE.Float32BufferAttribute(points, 3));
    this.line = new THREE.Line(geometry, new THREE.LineBasicMaterial({ color: TRAIL }));
    this.line.frustumCulled = false;
    this.line.raycast = () => {};
  }

  update(t: number): void {
    this.line.geometry.setDrawRange(0, t <= this.times[0] ? 0 : interval(this.times, t) + 2);
  }
}
