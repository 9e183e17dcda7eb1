import { describe, expect, it } from "vitest";
import { blendPoses, fraction, interval, pointOfPose, valueAt } from "../../src/data/interpolate";

describe("instants", () => {
  const times = [0, 1, 3, 3, 7];
  it("are found by bisection, and never outside", () => {
    expect([-1, 0, 0.5, 1, 2.9, 5, 7, 99].map((t) => interval(times, t))).toEqual([0, 0, 0, 1, 1, 3, 3, 3]);
    expect(interval([5], 5)).toBe(0);
  });
  it("give fractions between 0 and 1, also where two are equal", () => {
    expect(fraction(times, 0, -4)).toBe(0);
    expect(fraction(times, 1, 2)).toBe(0.5);
    expect(fraction(times, 2, 3)).toBe(1);
    expect(fraction(times, 3, 99)).toBe(1);
    expect(fraction([5], 0, 5)).toBe(0);
  });
  it("interpolate values linearly", () => {
    expect(valueAt([0, 2, 4], [1, 3, -1], 3)).toBe(1);
    expect(valueAt([0], [8], 5)).toBe(8);
  });
});

describe("poses", () => {
  const quarter = Math.SQRT1_2; // cos 45° = sin 45°: a quarter turn about z
  const frames = Float32Array.from([0, 0, 0, 1, 0, 0, 0, 2, 4, 6, quarter, 0, 0, quarter]);
  it("are exact at stored frames", () => {
    const out = new Float32Array(7);
    blendPoses(frames, 0, 1, 1, 1, out);
    expect([...out]).toEqual([...frames.subarray(7)]);
  });
  it("turn along the arc: half of a quarter turn is an eighth", () => {
    const out = new Float32Array(7);
    blendPoses(frames, 0, 1, 0.5, 1, out);
    expect([...out.subarray(0, 3)]).toEqual([1, 2, 3]);
    expect(out[3]).toBeCloseTo(Math.cos(Math.PI / 8), 6);
    expect(out[6]).toBeCloseTo(Math.sin(Math.PI / 8), 6);
  });
  it("take the shorter arc if the sign of a quaternion changes", () => {
    const flipped = Float32Array.from([...frames.subarray(0, 7), 2, 4, 6, -quarter, 0, 0, -quarter]);
    const out = new Float32Array(7);
    blendPoses(flipped, 0, 1, 0.5, 1, out);
    expect(Math.abs(out[3])).toBeCloseTo(Math.cos(Math.PI / 8), 6);
  });
  it("carry points: x becomes y after a quarter turn about z", () => {
    const out = [0, 0, 0];
    pointOfPose(frames, 7, [1, 0, 0], out);
    expect(out.map((x) => Math.round(x * 1e6) / 1e6)).toEqual([2, 5, 6]);
  });
});
