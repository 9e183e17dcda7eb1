import { Line2 } from "three/examples/jsm/lines/Line2.js";
import { LineGeometry } from "three/examples/jsm/lines/LineGeometry.js";
import { LineMaterial } from "three/examples/jsm/lines/LineMaterial.js";
import { interval, pointOfPose } from "../data/interpolate";
import type { Motion } from "../data/motion";
import { TRAIL } from "./palette";
import type { Tracked } from "./parts";

const MAX_POINTS = 3000;

/** The way of a point up to the present time. */
export class Trail {
  readonly line: Line2;
  private readonly times: number[] = [];

  constructor(motion: Motion, point: Tracked, nodes: number) {
    const stride = Math.max(1, Math.ceil(motion.times.length / MAX_POINTS));
    const poses = new Float32Array(nodes * 7);
    const points: number[] = [];
    const p = [0, 0, 0];
    for (let i = 0; i < motion.times.length; i += stride) {
      motion.poses(motion.times[i], poses);
      pointOfPose(poses, point.node * 7, point.position, p);
      points.push(...p.map((x) => (Number.isFinite(x) ? x : 0)));
      this.times.push(motion.times[i]);
    }
    this.line = new Line2(new LineGeometry().setPositions(points), new LineMaterial({ color: TRAIL, linewidth: 2.2 }));
    this.line.frustumCulled = false;
    this.line.raycast = () => {};
  }

  update(t: number): void {
    const pieces = t <= this.times[0] ? 0 : Math.min(this.times.length - 1, interval(this.times, t) + 1);
    this.line.geometry.instanceCount = pieces;
    this.line.visible = pieces > 0;
  }

  dispose(): void {
    this.line.geometry.dispose();
    this.line.material.dispose();
  }
}
