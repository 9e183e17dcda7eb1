import { describe, expect, it } from "vitest";
import { Player, speeds } from "../../src/player";

function player(times = [0, 0.5, 2]): Player {
  const p = new Player();
  p.range(times[0], times[times.length - 1], times);
  return p;
}

describe("player", () => {
  it("repeats at the end, or stops there", () => {
    const p = player();
    p.playing = true;
    p.seek(1.9);
    p.advance(0.2);
    expect(p.time).toBeCloseTo(0.1, 12);
    p.loop = false;
    p.advance(5);
    expect([p.time, p.playing]).toEqual([2, false]);
    p.toggle();
    expect([p.time, p.playing]).toEqual([0, true]);
  });
  it("steps over stored instants in both directions", () => {
    const p = player();
    p.step(1);
    expect(p.time).toBe(0.5);
    p.step(1);
    p.step(1);
    expect(p.time).toBe(2);
    p.step(-1);
    expect(p.time).toBe(0.5);
  });
  it("stays in its range for every number", () => {
    const p = player();
    for (const t of [NaN, Infinity, -Infinity, 1e300]) {
      p.seek(t);
      expect(p.time >= 0 && p.time <= 2).toBe(true);
    }
  });
  it("does not advance if there is one instant only", () => {
    const p = player([3]);
    p.playing = true;
    expect(p.advance(1)).toBe(false);
    expect(p.time).toBe(3);
  });
});

describe("speeds", () => {
  it("are real time for motions of some seconds", () => expect(speeds(10).chosen).toBe(1));
  it("show a short motion in about eight seconds", () => {
    const { chosen, list } = speeds(0.03);
    expect(0.03 / chosen).toBeGreaterThan(4);
    expect(0.03 / chosen).toBeLessThan(16);
    expect(list).toContain(1);
  });
});
