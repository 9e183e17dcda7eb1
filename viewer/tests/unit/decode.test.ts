import { describe, expect, it } from "vitest";
import { decode, distinguish } from "../../src/data/decode";
import { ModeMotion, RunMotion } from "../../src/data/motion";
import { blob, everything, modes } from "../fixtures.mjs";

const text = (change: (d: ReturnType<typeof everything>) => void) => {
  const d = everything();
  change(d);
  return JSON.stringify(d);
};

describe("decode", () => {
  it("reads a document with every kind of part", async () => {
    const data = await decode(JSON.stringify(everything()));
    expect(data.scene.bodies.map((b) => b.shapes[0].type)).toEqual(["box", "cylinder", "capsule", "cone", "sphere", "rod", "extrusion", "mesh", "plate"]);
    expect(data.runs[0].times[40]).toBe(2);
    expect(data.runs[0].frames.length).toBe(41 * 22 * 7);
  });
  it("ignores unknown keys, shapes and colours", async () => {
    const data = await decode(text((d) => {
      Object.assign(d, { later: 1 });
      Object.assign(d.scene.bodies[0].shapes[0], { type: "torus" });
      Object.assign(d.scene.bodies[1].shapes[0], { color: "url(x)" });
    }));
    expect(data.scene.bodies[0].shapes).toEqual([]);
    expect(data.scene.bodies[1].shapes[0].color).toBeUndefined();
  });
  it("replaces numbers that are not finite, and nodes that do not exist", async () => {
    const data = await decode(text((d) => {
      Object.assign(d.scene, { size: -1 });
      Object.assign(d.scene.bodies[0], { node: 9999, mass: null });
    }));
    expect([data.scene.size, data.scene.bodies[0].node, data.scene.bodies[0].mass]).toEqual([1, -1, 0]);
  });
  it.each([
    ["{", /not JSON/], ["null", /no data/], ["[]", /missing/], ['{"format":7}', /format 7/],
    [text((d) => { d.runs[0].times = blob([0, 1], [3], { dtype: "f64" }); }), /cut off: 16 bytes instead of 24/],
    [text((d) => { d.runs = []; }), /no run/],
  ])("refuses a damaged document with a sentence", async (source, expected) => {
    await expect(decode(source)).rejects.toThrow(expected);
  });
});

describe("names of runs", () => {
  it.each([
    [["/home/a/fine", "/home/a/coarse"], ["fine", "coarse"]],
    [["results/pendulum"], ["pendulum"]],
    [["a/run", "b/run"], ["a/run", "b/run"]],
    [["same", "same"], ["same", "same"]],
    [["/", ""], ["/", ""]],
  ])("%j become %j", (names, expected) => {
    const runs = names.map((name) => ({ name }));
    distinguish(runs);
    expect(runs.map((r) => r.name)).toEqual(expected);
  });
});

describe("motions", () => {
  it("of modes swing about the first frame, and return after a period", async () => {
    const data = await decode(JSON.stringify(modes()));
    const run = new RunMotion(data.runs[0], data.scene);
    const mode = new ModeMotion("mode", data.modes[0], run, data.scene);
    const [rest, start, quarter, end] = [0, 0, 0, 0].map(() => new Float32Array(data.scene.nodes * 7));
    run.poses(0, rest);
    mode.poses(0, start);
    mode.poses(0.25, quarter);
    mode.poses(1, end);
    const z = 3 * 7 + 2; // node 3
    expect(start[z] - rest[z]).toBeCloseTo(0.24 * Math.sin(0.9), 6);
    expect(quarter[z]).toBeCloseTo(rest[z], 6);
    expect(end[z]).toBeCloseTo(start[z], 6);
  });
  it("of runs give scalars at frames and between them", async () => {
    const data = await decode(JSON.stringify(everything()));
    const run = new RunMotion(data.runs[0], data.scene);
    const out = new Float32Array(3);
    expect(run.scalar(0, 0.05, out)).toBe(3);
    expect(out[0]).toBeCloseTo(Math.cos(0.05), 6);
    run.scalar(0, 0.075, out);
    expect(out[0]).toBeCloseTo((Math.cos(0.05) + Math.cos(0.1)) / 2, 6);
    expect(run.scalar(undefined, 0, out)).toBe(0);
  });
});
