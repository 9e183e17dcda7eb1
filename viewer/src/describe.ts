import type { Data } from "./data/format";
import { fraction, interval, pointOfPose } from "./data/interpolate";
import { short } from "./numbers";
import { type Part, tracked } from "./scene/parts";

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

/** The instant in words: the time, and where the chosen part, or else the first parts, are. */
export function describeInstant(data: Data, parts: Part[], chosen: number, clock: string, poses: Float32Array): string {
  const shown = parts[chosen] ? [parts[chosen]] : parts.filter((p) => p.kind === "body" || p.kind === "beam" || p.kind === "flexible").slice(0, 4);
  const places = shown.flatMap((part) => tracked(data.scene, part).slice(0, 1).map(({ node, position, label }) => {
    const p = [0, 0, 0];
    pointOfPose(poses, node * 7, position, p);
    const coordinates = p.slice(0, data.scene.planar ? 2 : 3).map((x) => short(Math.abs(x) < 1e-6 * data.scene.size ? 0 : x));
    return `${part.name.slice(0, 60)} (${label.slice(0, 40)}) at ${coordinates.join(", ")} m`;
  }));
  return `${clock}. ${places.join("; ")}${places.length > 0 ? "." : ""}`;
}

/** Which of the stored equilibria is shown. */
export function equilibrium(times: ArrayLike<number>, t: number): string {
  const i = interval(times, t);
  const s = fraction(times, i, t);
  return s > 0 && s < 1 ? `between equilibria ${i + 1} and ${i + 2} of ${times.length}` : `equilibrium ${i + 1 + s} of ${times.length}`;
}

/** How true the picture is between stored frames, in words. */
export function accuracyNote(data: Data): string {
  const { accuracy, times, parameter } = data.runs[0];
  if (times.length < 2 || parameter === "load" || data.modes.length > 0) return "";
  const frames = `${times.length} stored frames`;
  if (accuracy === 0) return `${frames}, one for each instant.`;
  if (accuracy >= 1) return `${frames}; the record reached its size limit, and between them the picture is approximate.`;
  const structures = data.scene.structures.length > 0 ? `, displacements of structures within ${short(500 * accuracy)} % of the largest` : "";
  return `${frames}; between them positions are within ${short(100 * accuracy)} % of the model's size${structures}.`;
}
