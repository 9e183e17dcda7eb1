/** Interpolation between stored instants. A pose is seven numbers: x, y, z, then the quaternion w, x, y, z. */
export const POSE = 7;

/** The last index i with times[i] ≤ t, between 0 and n − 2; 0 if there is one instant only. Times rise. */
export function interval(times: ArrayLike<number>, t: number): number {
  let low = 0;
  let high = times.length - 1;
  if (high < 1) return 0;
  while (high - low > 1) {
    const middle = (low + high) >> 1;
    if (times[middle] <= t) low = middle;
    else high = middle;
  }
  return low;
}

/** Where t stands between instants i and i + 1: 0 at the first, 1 at the second, never outside. */
export function fraction(times: ArrayLike<number>, i: number, t: number): number {
  if (i + 1 >= times.length) return 0;
  const span = times[i + 1] - times[i];
  if (!(span > 0)) return t >= times[i + 1] ? 1 : 0;
  return Math.max(0, Math.min(1, (t - times[i]) / span));
}

/**
 * Writes the poses at fraction s between two rows of `frames` (each of `nodes` poses) into `out`: positions linearly,
 * orientations along the shorter arc.
 */
export function blendPoses(frames: Float32Array, from: number, to: number, s: number, nodes: number, out: Float32Array): void {
  const a0 = from * nodes * POSE;
  const b0 = to * nodes * POSE;
  const size = nodes * POSE;
  if (s === 0 || from === to) {
    out.set(frames.subarray(a0, a0 + size));
    return;
  }
  if (s === 1) {
    out.set(frames.subarray(b0, b0 + size));
    return;
  }
  for (let k = 0; k < size; k += POSE) {
    const a = a0 + k;
    const b = b0 + k;
    out[k] = frames[a] + (frames[b] - frames[a]) * s;
    out[k + 1] = frames[a + 1] + (frames[b + 1] - frames[a + 1]) * s;
    out[k + 2] = frames[a + 2] + (frames[b + 2] - frames[a + 2]) * s;
    const w = frames[a + 3], x = frames[a + 4], y = frames[a + 5], z = frames[a + 6];
    let W = frames[b + 3], X = frames[b + 4], Y = frames[b + 5], Z = frames[b + 6];
    let cosine = w * W + x * X + y * Y + z * Z;
    if (cosine < 0) {
      cosine = -cosine;
      W = -W; X = -X; Y = -Y; Z = -Z;
    }
    let p = 1 - s;
    let q = s;
    if (cosine < 0.9995) {
      const angle = Math.acos(cosine);
      const sine = Math.sin(angle);
      p = Math.sin(p * angle) / sine;
      q = Math.sin(q * angle) / sine;
    }
    const rw = p * w + q * W, rx = p * x + q * X, ry = p * y + q * Y, rz = p * z + q * Z;
    const norm = 1 / (Math.hypot(rw, rx, ry, rz) || 1);
    out[k + 3] = rw * norm;
    out[k + 4] = rx * norm;
    out[k + 5] = ry * norm;
    out[k + 6] = rz * norm;
  }
}

/** The value at t of a quantity given at instants, linear between them. */
export function valueAt(times: ArrayLike<number>, values: ArrayLike<number>, t: number): number {
  const i = interval(times, t);
  const s = fraction(times, i, t);
  if (s === 0 || i + 1 >= values.length) return values[i];
  return values[i] + (values[i + 1] - values[i]) * s;
}

/** Rotates the vector v by the quaternion of the pose at offset `k`, adds its position: a point of a body in the world. */
export function pointOfPose(poses: ArrayLike<number>, k: number, v: ArrayLike<number>, out: number[] | Float32Array, at = 0): void {
  const w = poses[k + 3], x = poses[k + 4], y = poses[k + 5], z = poses[k + 6];
  const tx = 2 * (y * v[2] - z * v[1]);
  const ty = 2 * (z * v[0] - x * v[2]);
  const tz = 2 * (x * v[1] - y * v[0]);
  out[at] = poses[k] + v[0] + w * tx + y * tz - z * ty;
  out[at + 1] = poses[k + 1] + v[1] + w * ty + z * tx - x * tz;
  out[at + 2] = poses[k + 2] + v[2] + w * tz + x * ty - y * tx;
}
