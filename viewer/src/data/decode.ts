import { DamagedData, fromBase64, gunzip } from "./blob";
import type { Beam, Body, Channel, Data, FlexibleBody, ForceGlyph, Joint, Mode, Point, Quat, Run, Scalar, Scene, Section, Shape, Structure, Vec3 } from "./format";

type Json = Record<string, unknown>;

const fail = (what: string): never => { throw new DamagedData(what); };
const object = (v: unknown, what: string): Json => (typeof v === "object" && v !== null && !Array.isArray(v) ? (v as Json) : fail(`${what} is missing`));
const list = (v: unknown): unknown[] => (Array.isArray(v) ? v : []);
const text = (v: unknown, otherwise = ""): string => (typeof v === "string" ? v : otherwise);
const number = (v: unknown, otherwise = 0): number => (typeof v === "number" && Number.isFinite(v) ? v : otherwise);
const index = (v: unknown): number | undefined => (typeof v === "number" && Number.isInteger(v) && v >= 0 ? v : undefined);
const vector = (v: unknown): Vec3 => { const a = list(v); return [number(a[0]), number(a[1]), number(a[2])]; };
const quaternion = (v: unknown): Quat => { const a = list(v); return a.length === 4 ? [number(a[0]), number(a[1]), number(a[2]), number(a[3])] : [1, 0, 0, 0]; };
const numbers = (v: unknown): number[] => list(v).map((x) => number(x));

/** The document in the text of a page; refuses what the page cannot show, with a sentence for the reader. */
export async function decode(source: string): Promise<Data> {
  let parsed: unknown;
  try {
    parsed = JSON.parse(source);
  } catch {
    return fail("the data in this file is damaged or cut off: it is not JSON");
  }
  if (parsed === null) return fail("this page has no data: `cardan view MODEL` or `cardan view RESULTS` writes one with data");
  const top = object(parsed, "the document");
  if (top.format !== 1) return fail(`the data has format ${JSON.stringify(top.format)?.slice(0, 40) ?? "none"}, and this page reads format 1`);
  const scene = await decodeScene(object(top.scene, "the scene"));
  const runs = await Promise.all(list(top.runs).map((r, i) => decodeRun(object(r, `run ${i + 1}`), scene)));
  distinguish(runs);
  if (runs.length === 0) return fail("the data contains no run and no position of the model");
  const modes = await Promise.all(list(top.modes).map((m, i) => decodeMode(object(m, `mode ${i + 1}`), scene)));
  return { title: text(top.title, "Model"), kind: text(top.kind, "run"), scene, runs, modes };
}

/** Shortens names of runs that are paths: folders that all have in common are left out. */
export function distinguish(runs: { name: string }[]): void {
  const paths = runs.map((r) => r.name.split(/[/\\]+/).filter((x) => x !== ""));
  const same = (k: number) => paths.every((p) => p.length > k + 1 && p[k] === paths[0][k]);
  let common = 0;
  while (paths.length > 0 && same(common)) common += 1;
  runs.forEach((r, i) => { r.name = paths[i].slice(common).join("/") || r.name; });
}

async function bytes(value: unknown, what: string): Promise<{ raw: Uint8Array<ArrayBuffer>; dtype: string; count: number }> {
  const blob = object(value, what);
  let raw = fromBase64(text(blob.data));
  if (blob.encoding === "gzip") raw = await gunzip(raw);
  else if (blob.encoding !== undefined) fail(`${what} has an unknown encoding`);
  const dtype = text(blob.dtype);
  const count = numbers(blob.shape).reduce((a, b) => a * b, 1);
  const width = dtype === "f64" ? 8 : dtype === "f32" ? 4 : fail(`${what} has an unknown number type`);
  if (raw.byteLength !== count * width) fail(`${what} is cut off: ${raw.byteLength} bytes instead of ${count * width}`);
  return { raw, dtype, count };
}

async function floats(value: unknown, what: string): Promise<Float32Array> {
  const { raw, dtype } = await bytes(value, what);
  return dtype === "f32" ? new Float32Array(raw.buffer) : new Float32Array(new Float64Array(raw.buffer));
}

async function doubles(value: unknown, what: string): Promise<Float64Array> {
  const { raw, dtype } = await bytes(value, what);
  return dtype === "f64" ? new Float64Array(raw.buffer) : new Float64Array(new Float32Array(raw.buffer));
}

async function decodeScene(s: Json): Promise<Scene> {
  const nodes = number(s.nodes);
  const node = (v: unknown): number => { const n = number(v, -1); return n >= 0 && n < nodes ? n : -1; };
  const point = (v: unknown): Point => { const p = object(v, "a point"); return { name: text(p.name), position: vector(p.position) }; };
  const joints = list(s.joints).map((v): Joint => {
    const j = object(v, "a joint");
    const b = list(j.bodies), p = list(j.points), g = list(j.gear);
    return {
      name: text(j.name), type: text(j.type), bodies: [node(b[0]), node(b[1])], points: [vector(p[0]), vector(p[1])],
      axis: vector(j.axis), driven: j.driven === true, radius: typeof j.radius === "number" ? number(j.radius) : undefined,
      gear: g.length === 2 ? [number(g[0]), number(g[1])] : undefined, ratio: typeof j.ratio === "number" ? number(j.ratio) : undefined, reaction: index(j.reaction), moment: index(j.moment),
    };
  });
  const forces = list(s.forces).map((v): ForceGlyph => {
    const f = object(v, "a force");
    const ends = list(f.ends).map((e) => { const o = object(e, "an end"); return { node: node(o.node), position: vector(o.position) }; });
    return { name: text(f.name), kind: text(f.kind), ends, joint: index(f.joint), value: index(f.value) };
  });
  const beams = list(s.beams).map((v): Beam => {
    const b = object(v, "a beam");
    return {
      name: text(b.name), nodes: list(b.nodes).map(node), section: section(object(b.section, "a section")), estimated: b.estimated === true,
      clamped: [list(b.clamped)[0] === true, list(b.clamped)[1] === true],
      force: index(b.force), moment: index(b.moment), strain: index(b.strain), curvature: index(b.curvature),
    };
  });
  const flexible = list(s.flexible).map((v): FlexibleBody => {
    const f = object(v, "a flexible body");
    const edges = list(f.edges).map((e): [number, number] => { const p = list(e); return [node(p[0]), node(p[1])]; });
    return { name: text(f.name), node: node(f.node), nodes: list(f.nodes).map(node), edges };
  });
  const structures = list(s.structures).map((v): Structure => {
    const t = object(v, "a structure");
    const rest = list(t.rest).map((p): [number, number] => { const a = list(p); return [number(a[0]), number(a[1])]; });
    return { name: text(t.name), type: t.type === "grid" ? "grid" : "line", rest, triangles: numbers(t.triangles), value: number(t.value, -1) };
  });
  const bodies = await Promise.all(list(s.bodies).map(async (v): Promise<Body> => {
    const b = object(v, "a body");
    return {
      name: text(b.name), node: node(b.node), centre: vector(b.centre), mass: number(b.mass), derived: b.derived === true,
      shapes: (await Promise.all(list(b.shapes).map((x) => shape(object(x, "a shape"))))).filter((x) => x !== undefined), points: list(b.points).map(point),
    };
  }));
  const size = number(s.size, 1);
  return {
    planar: s.planar === true, gravity: vector(s.gravity), size: size > 0 ? size : 1, scale: size > 0 ? size : 1, nodes,
    points: list(s.points).map(point), bodies, joints, forces, beams, flexible, structures,
  };
}

function section(s: Json): Section {
  if (s.type === "rectangle") return { type: "rectangle", width: number(s.width), height: number(s.height) };
  if (s.type === "tube") return { type: "tube", outer: number(s.outer), inner: number(s.inner) };
  return { type: "circle", radius: number(s.radius) };
}

async function shape(s: Json): Promise<Shape | undefined> {
  const color = text(s.color);
  const base = { position: vector(s.position), orientation: quaternion(s.orientation), color: /^#[0-9a-f]{6}$/i.test(color) ? color : undefined };
  const radius = number(s.radius), length = number(s.length);
  switch (s.type) {
    case "box": return { ...base, type: "box", edges: vector(s.edges) };
    case "cylinder": return { ...base, type: "cylinder", radius, length };
    case "capsule": return { ...base, type: "capsule", radius, length };
    case "cone": return { ...base, type: "cone", radius, top: number(s.top), length };
    case "sphere": return { ...base, type: "sphere", radius };
    case "rod": return { ...base, type: "rod", length };
    case "extrusion": return { ...base, type: "extrusion", outline: list(s.outline).map((p) => { const a = list(p); return [number(a[0]), number(a[1])]; }), length };
    case "mesh": return { ...base, type: "mesh", vertices: await floats(s.vertices, "a mesh"), triangles: numbers(s.triangles) };
    case "plate": return { ...base, type: "plate", outline: list(s.outline).map(vector) };
    default: return undefined;
  }
}

async function decodeRun(r: Json, scene: Scene): Promise<Run> {
  const name = text(r.name, "run");
  const times = await doubles(r.times, `the times of ${name.slice(0, 80)}`);
  const frames = await floats(r.frames, `the frames of ${name.slice(0, 80)}`);
  if (times.length === 0) fail(`${name.slice(0, 80)} contains no instant`);
  if (frames.length !== times.length * scene.nodes * 7) fail(`the frames of ${name.slice(0, 80)} do not fit its times and the scene`);
  const scalars = await Promise.all(list(r.scalars).map(async (v): Promise<Scalar> => {
    const o = object(v, "a scalar");
    return { name: text(o.name), unit: text(o.unit), width: number(o.width, 1), values: await floats(o.values, `the values of ${text(o.name).slice(0, 80)}`) };
  }));
  const grids = await Promise.all(list(r.channel_times).map((v) => doubles(v, "the times of channels")));
  const channels = await Promise.all(list(r.channels).map(async (v): Promise<Channel> => {
    const o = object(v, "a channel");
    const own = grids[number(o.times)] ?? fail(`channel ${text(o.name).slice(0, 80)} has no times`);
    return { name: text(o.name), unit: text(o.unit), times: own, values: await floats(o.values, `the values of ${text(o.name).slice(0, 80)}`) };
  }));
  return { name, parameter: r.parameter === "load" ? "load" : "time", times, frames, accuracy: number(r.accuracy), scalars, channels };
}

async function decodeMode(m: Json, scene: Scene): Promise<Mode> {
  const shape = await floats(m.shape, "a mode shape");
  if (shape.length !== scene.nodes * 12) fail("a mode shape does not fit the scene");
  const structure = m.structure === undefined ? undefined : await floats(m.structure, "a mode shape of a structure");
  return { frequency: number(m.frequency), damping: number(m.damping), rigid: m.rigid === true, shape, structure };
}
