import type { Mode, Run, Scene, Structure } from "./format";
import { blendPoses, fraction, interval, POSE } from "./interpolate";

/** What the picture shows at an instant: a run between its frames, or a mode shape swinging about a frame. */
export interface Motion {
  readonly name: string;
  /** "time" in s, "load" for equilibria, "phase" in turns for mode shapes. */
  readonly parameter: "time" | "load" | "phase";
  readonly start: number;
  readonly end: number;
  /** Stored instants, for steps of one frame. */
  readonly times: ArrayLike<number>;
  /** Poses of all nodes at t. */
  poses(t: number, out: Float32Array): void;
  /** Components of the scalar with this index at t; undefined if the motion has none. */
  scalar(index: number | undefined, t: number, out: Float32Array): number;
  /** The largest absolute value of a scalar over the motion, of every `stride`-th component from `offset`. */
  range(index: number | undefined, offset: number, stride: number): number;
}

export class RunMotion implements Motion {
  readonly name: string;
  readonly parameter: "time" | "load";
  readonly start: number;
  readonly end: number;
  readonly times: Float64Array;

  constructor(readonly run: Run, private readonly scene: Scene) {
    this.name = run.name;
    this.parameter = run.parameter;
    this.times = run.times;
    this.start = run.times[0];
    this.end = run.times[run.times.length - 1];
  }

  poses(t: number, out: Float32Array): void {
    const i = interval(this.times, t);
    const j = Math.min(i + 1, this.times.length - 1);
    blendPoses(this.run.frames, i, j, fraction(this.times, i, t), this.scene.nodes, out);
  }

  scalar(index: number | undefined, t: number, out: Float32Array): number {
    const scalar = index === undefined ? undefined : this.run.scalars[index];
    if (!scalar) return 0;
    const width = Math.min(scalar.width, out.length);
    const i = interval(this.times, t);
    const s = fraction(this.times, i, t);
    const a = i * scalar.width;
    const b = Math.min(i + 1, this.times.length - 1) * scalar.width;
    const v = scalar.values;
    for (let k = 0; k < width; k++) out[k] = s === 0 ? v[a + k] : v[a + k] + (v[b + k] - v[a + k]) * s;
    return width;
  }

  range(index: number | undefined, offset: number, stride: number): number {
    const scalar = index === undefined ? undefined : this.run.scalars[index];
    let largest = 0;
    if (scalar) for (let k = offset; k < scalar.values.length; k += stride) {
      const size = Math.abs(scalar.values[k]);
      if (size > largest && Number.isFinite(size)) largest = size;
    }
    return largest;
  }
}

/** A mode shape: frame 0 of a run, moved by Re(shape e^{2πi t}). */
export class ModeMotion implements Motion {
  readonly parameter = "phase";
  readonly start = 0;
  readonly end = 1;
  readonly times = Float64Array.from({ length: 25 }, (_, i) => i / 24);
  /** Largest displacement in the picture, in m. */
  amplitude: number;

  constructor(readonly name: string, readonly mode: Mode, private readonly base: RunMotion, private readonly scene: Scene) {
    this.amplitude = 0.12 * scene.size;
  }

  poses(t: number, out: Float32Array): void {
    this.base.poses(this.base.start, out);
    const c = Math.cos(2 * Math.PI * t) * this.amplitude;
    const s = Math.sin(2 * Math.PI * t) * this.amplitude;
    const m = this.mode.shape;
    for (let n = 0; n < this.scene.nodes; n++) {
      const k = n * POSE;
      const a = n * 12;
      for (let d = 0; d < 3; d++) out[k + d] += c * m[a + d] - s * m[a + 3 + d];
      turnFromLeft(out, k, c * m[a + 6] - s * m[a + 9], c * m[a + 7] - s * m[a + 10], c * m[a + 8] - s * m[a + 11]);
    }
  }

  scalar(index: number | undefined, t: number, out: Float32Array): number {
    const width = this.base.scalar(index, this.base.start, out);
    const first = this.scene.structures.findIndex((x) => x.value === index);
    const shape = this.mode.structure;
    if (first < 0 || !shape || index === undefined) return width;
    const before = this.scene.structures.slice(0, first).reduce((n: number, x: Structure) => n + x.rest.length, 0);
    const c = Math.cos(2 * Math.PI * t) * this.amplitude;
    const s = Math.sin(2 * Math.PI * t) * this.amplitude;
    for (let k = 0; k < width; k++) out[k] += c * shape[2 * (before + k)] - s * shape[2 * (before + k) + 1];
    return width;
  }

  range(index: number | undefined, offset: number, stride: number): number {
    const known = this.base.range(index, offset, stride);
    return this.scene.structures.some((x) => x.value === index) ? Math.max(known, this.amplitude) : known;
  }
}

/** Turns the orientation at offset k by a rotation vector in world axes. */
function turnFromLeft(poses: Float32Array, k: number, x: number, y: number, z: number): void {
  const angle = Math.hypot(x, y, z);
  const f = angle < 1e-9 ? 0.5 : Math.sin(angle / 2) / angle;
  const W = Math.cos(angle / 2), X = f * x, Y = f * y, Z = f * z;
  const w = poses[k + 3], i = poses[k + 4], j = poses[k + 5], l = poses[k + 6];
  poses[k + 3] = W * w - X * i - Y * j - Z * l;
  poses[k + 4] = W * i + X * w + Y * l - Z * j;
  poses[k + 5] = W * j - X * l + Y * w + Z * i;
  poses[k + 6] = W * l + X * j - Y * i + Z * w;
}
