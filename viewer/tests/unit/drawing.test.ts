import { describe, expect, it } from "vitest";
import { decode } from "../../src/data/decode";
import { RunMotion } from "../../src/data/motion";
import { accuracyNote, describe as words, equilibrium } from "../../src/describe";
import { short } from "../../src/numbers";
import { drawnSection } from "../../src/scene/beams";
import { reach } from "../../src/scene/extent";
import { wheelPair } from "../../src/scene/gears";
import { css, diverging } from "../../src/scene/palette";
import { partsOf, tracked } from "../../src/scene/parts";
import { travels } from "../../src/scene/travel";
import { upward } from "../../src/scene/upward";
import { everything } from "../fixtures.mjs";

const load = () => decode(JSON.stringify(everything()));

describe("numbers for people", () => {
  it.each([[0, "0"], [1.23456, "1.235"], [123456, "1.235e5"], [1e-7, "1e-7"], [-0.5, "-0.5"], [NaN, "–"]])("%s is %s", (x, expected) => expect(short(x)).toBe(expected));
});

describe("colours", () => {
  it("run from blue over neutral to red", () => {
    expect([-1, 0, 1].map((s) => css(diverging(s)))).toEqual(["#215cab", "#deded9", "#bd2633"]);
    expect(diverging(NaN)).toEqual(diverging(0));
    expect(diverging(7)).toEqual(diverging(1));
  });
});

describe("scene", () => {
  it("stands upright against gravity", async () => {
    const { scene } = await load();
    expect(upward(scene).toArray()).toEqual([0, 0, 1]);
    expect(upward({ ...scene, gravity: [0, 9.81, 0] }).toArray()).toEqual([0, -1, 0]);
    expect(upward({ ...scene, gravity: [0, 0, 0] }).toArray()).toEqual([0, 0, 1]);
    expect(upward({ ...scene, planar: true }).toArray()).toEqual([0, 1, 0]);
  });
  it("has an extent that contains its motion", async () => {
    const data = await load();
    const points = reach(data.scene, new RunMotion(data.runs[0], data.scene));
    expect(points.length).toBeLessThan(40_000);
    expect(Math.max(...points.map((p) => p.x))).toBeCloseTo(2, 3); // the far side of the membrane
    expect(Math.min(...points.map((p) => p.y))).toBeCloseTo(-0.8, 6); // the joints on the ground
  });
  it("knows how far its sliding joints travel", async () => {
    const data = await load();
    const slide = data.scene.joints.findIndex((j) => j.type === "prismatic");
    const { low, high } = travels(data.scene, new RunMotion(data.runs[0], data.scene), [slide]).get(slide)!;
    // along y, from the ground at y = -0.8 to body 3 at 0.3 sin(t + 2), 0 ≤ t ≤ 2
    expect(low).toBeCloseTo(0.8 + 0.3 * Math.sin(4), 3);
    expect(high).toBeCloseTo(0.8 + 0.3 * Math.sin(2), 3);
  });
  it("draws an estimated square section as the circle of the same stiffness", () => {
    const beam = { name: "b", nodes: [], estimated: true, clamped: [false, false] as [boolean, boolean], section: { type: "rectangle" as const, width: 0.3, height: 0.3 } };
    const circle = drawnSection(beam);
    // I / A of a square is a² / 12, of a circle r² / 4
    expect(circle.type === "circle" && circle.radius ** 2 / 4).toBeCloseTo(0.09 / 12, 12);
    expect(drawnSection({ ...beam, estimated: false }).type).toBe("rectangle");
  });
  it("has points that leave trails", async () => {
    const { scene } = await load();
    const parts = partsOf(scene);
    expect(tracked(scene, parts[0]).map((t) => t.label)).toEqual(["centre of mass"]);
    expect(tracked(scene, parts.find((p) => p.kind === "beam")!).map((t) => t.label)).toEqual(["end", "middle", "start"]);
    expect(tracked(scene, parts.find((p) => p.kind === "structure")!)).toEqual([]);
  });
});

describe("words", () => {
  it("describe model and motion", async () => {
    const data = await load();
    expect(words(data)).toMatch(/^Every kind of part: spatial model of 9 bodies, 13 joints, 14 forces, 1 beam, 1 flexible body, 1 structure; motion from 0 to 2 s\./);
    expect(accuracyNote(data)).toBe("41 stored frames, one for each instant.");
    data.runs[0].accuracy = 1e-3;
    expect(accuracyNote(data)).toBe("41 stored frames; between them positions are within 0.1 % of the model's size, displacements of structures within 0.5 % of the largest.");
    data.scene.structures = [];
    expect(accuracyNote(data)).toBe("41 stored frames; between them positions are within 0.1 % of the model's size.");
  });
  it("name equilibria", () => {
    expect(equilibrium([0, 0.5, 1], 0.5)).toBe("equilibrium 2 of 3");
    expect(equilibrium([0, 0.5, 1], 1)).toBe("equilibrium 3 of 3");
    expect(equilibrium([0, 0.5, 1], 0.7)).toBe("between equilibria 2 and 3 of 3");
  });
});

describe("gears", () => {
  it("have wheels that roll on each other", () => {
    // the second turns 2/3 as fast and backwards: its radius is 3/2 of the first
    const pair = wheelPair(0.25, -2 / 3)!;
    expect(pair.meshes).toBe(true);
    expect(pair.radii[0]).toBeCloseTo(0.1, 12);
    expect(pair.radii[1]).toBeCloseTo(0.15, 12);
    expect(pair.teeth).toEqual([16, 24]);
  });
  it("are pulleys with room between them if both turn in one direction", () => {
    const pair = wheelPair(1, 2)!;
    expect(pair.meshes).toBe(false);
    expect(pair.radii[0] / pair.radii[1]).toBeCloseTo(2, 12);
    expect(pair.radii[0] + pair.radii[1]).toBeLessThan(0.7);
  });
  it.each([[0, -1], [1, 0], [1, NaN], [1, 1e6]])("with distance %s and ratio %s have no wheels", (distance, ratio) => expect(wheelPair(distance, ratio)).toBeUndefined());
});
