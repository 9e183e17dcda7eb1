import type { Data } from "./data/format";
import { short } from "./numbers";

const count = (n: number, one: string, many = `${one}s`): string | undefined => (n === 0 ? undefined : `${n} ${n === 1 ? one : many}`);

/** The picture in words, for people who do not see it. */
export function describe(data: Data): string {
  const s = data.scene;
  const things = [
    count(s.bodies.length, "body", "bodies"), count(s.joints.length, "joint"), count(s.forces.length, "force"), count(s.beams.length, "beam"),
    count(s.flexible.length, "flexible body", "flexible bodies"), count(s.structures.length, "structure"),
  ].filter((x) => x !== undefined);
  const run = data.runs[0];
  const last = run.times[run.times.length - 1];
  const how = data.modes.length > 0
    ? `${data.modes.length} mode shapes, ${short(data.modes[0].frequency)} to ${short(data.modes[data.modes.length - 1].frequency)} Hz`
    : run.times.length === 1 ? "at rest as described" : `${run.parameter === "load" ? "equilibria from load" : "motion from"} ${short(run.times[0])} to ${short(last)}${run.parameter === "load" ? "" : " s"}`;
  const names = s.bodies.slice(0, 12).map((b) => b.name.slice(0, 40)).join(", ");
  return `${data.title.slice(0, 200)}: ${s.planar ? "planar" : "spatial"} model of ${things.join(", ") || "no parts"}; ${how}.${names ? ` Bodies: ${names}${s.bodies.length > 12 ? ", …" : ""}.` : ""}`;
}
