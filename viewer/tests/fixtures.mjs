// Documents of FORMAT.md, made without Cardan: small ones with every kind of part, large ones to measure.
import { gzipSync } from "node:zlib";

export const blob = (values, shape, { dtype = "f32", gzip = false } = {}) => {
  const array = dtype === "f64" ? Float64Array.from(values) : Float32Array.from(values);
  const bytes = Buffer.from(array.buffer);
  return gzip ? { dtype, shape, encoding: "gzip", data: gzipSync(bytes).toString("base64") } : { dtype, shape, data: bytes.toString("base64") };
};

const POSED = { position: [0, 0, 0], orientation: [1, 0, 0, 0] };
const scene = (nodes, more) => ({ planar: false, gravity: [0, 0, -9.81], size: 2, nodes, points: [], bodies: [], joints: [], forces: [], beams: [], flexible: [], structures: [], ...more });
const document = (title, s, run, more = {}) => ({ format: 1, generator: "fixture", title, kind: "run", scene: s, runs: [{ name: "run", parameter: "time", accuracy: 0, scalars: [], channels: [], channel_times: [], ...run }], ...more });
const aboutY = (a) => [Math.cos(a / 2), 0, Math.sin(a / 2), 0];

function frames(times, nodes, pose) {
  const out = [];
  for (const t of times) for (let n = 0; n < nodes; n++) out.push(...pose(n, t));
  return blob(out, [times.length, nodes, 7], { gzip: true });
}

const range = (n) => Array.from({ length: n }, (_, i) => i);

/** A pendulum with every shape, joint and force, a beam with forces, a flexible body and a membrane. */
export function everything() {
  const times = range(41).map((i) => i / 20);
  const joints = ["revolute", "spherical", "prismatic", "cylindrical", "universal", "planar", "fixed", "distance", "point-on-line", "point-in-plane", "custom", "rolling", "skate"];
  const shapes = [
    { type: "box", edges: [0.2, 0.1, 0.1] }, { type: "cylinder", radius: 0.06, length: 0.2 }, { type: "capsule", radius: 0.05, length: 0.15 },
    { type: "cone", radius: 0.08, top: 0.02, length: 0.2 }, { type: "sphere", radius: 0.07 }, { type: "rod", length: 0.4 },
    { type: "extrusion", outline: [[0, 0], [0.15, 0], [0.15, 0.05], [0.05, 0.05], [0.05, 0.15], [0, 0.15]], length: 0.05 },
    { type: "mesh", vertices: blob([0, 0, 0, 0.15, 0, 0, 0, 0.15, 0, 0, 0, 0.15], [4, 3]), triangles: [0, 2, 1, 0, 1, 3, 0, 3, 2, 1, 2, 3] },
    { type: "plate", outline: [[0, 0, 0], [0.2, 0, 0], [0, 0.15, 0]] },
  ];
  const n = shapes.length;
  const beam = range(9).map((i) => n + i);
  const flexible = range(4).map((i) => n + 9 + i);
  const nodes = n + 13;
  const kinds = ["spring", "damper", "spring-damper", "actuator", "cable", "truss", "bushing", "custom"];
  const width = (name, unit, w, f) => ({ name, unit, width: w, values: blob(times.flatMap((t) => range(w).map((k) => f(k, t))), [times.length, w]) });
  const side = 9;
  return document("Every kind of part", scene(nodes, {
    bodies: shapes.map((s, i) => ({ name: `body ${s.type}`, node: i, centre: [0, 0, 0], mass: 1, derived: false, points: [], shapes: [{ ...POSED, ...s }] })),
    joints: joints.map((type, i) => ({ name: `joint ${type}`, type, bodies: [-1, i % n], points: [[-1 + 0.16 * i, -0.8, 0], [0, 0, 0]], axis: [0, 1, 0], driven: i === 0, reaction: 0, ...(type === "rolling" ? { radius: 0.12 } : {}) })),
    forces: [
      ...kinds.map((kind, i) => ({ name: kind, kind, ends: [{ node: -1, position: [-1 + 0.25 * i, 0.7, 1.2] }, { node: i % n, position: [0, 0, 0] }] })),
      { name: "load", kind: "load", ends: [{ node: 0, position: [0, 0, 0] }], value: 0 },
      { name: "snow", kind: "line-load", ends: beam.map((node) => ({ node, position: [0, 0, 0] })), value: 1 },
      { name: "clutch", kind: "clutch", ends: [], joint: 0 },
      { name: "motor", kind: "motor", ends: [], joint: 0 },
      { name: "spiral", kind: "joint-spring", ends: [], joint: 0 },
      { name: "torque", kind: "torque", ends: [{ node: 4, position: [0, 0, 0] }], value: 0 },
    ],
    beams: [{ name: "beam", nodes: beam, section: { type: "rectangle", width: 0.05, height: 0.03 }, estimated: false, force: 1, moment: 1 }],
    flexible: [{ name: "frame", node: flexible[0], nodes: flexible, edges: [[flexible[0], flexible[1]], [flexible[1], flexible[2]], [flexible[2], flexible[3]], [flexible[3], flexible[0]]] }],
    structures: [{ name: "membrane", type: "grid", rest: range(side * side).map((k) => [1.2 + 0.1 * (k % side), -0.4 + 0.1 * Math.floor(k / side)]), value: 2,
      triangles: range((side - 1) * (side - 1)).flatMap((k) => { const a = (k % (side - 1)) + side * Math.floor(k / (side - 1)); return [a, a + 1, a + side, a + 1, a + side + 1, a + side]; }) }],
  }), {
    times: blob(times, [times.length], { dtype: "f64" }),
    frames: frames(times, nodes, (k, t) => {
      if (k < n) return [-1 + 0.25 * k, 0.3 * Math.sin(t + k), 0.4 + 0.1 * Math.sin(3 * t + k), ...aboutY(t)];
      if (k < n + 9) { const s = (k - n) / 8; const a = 0.5 * Math.sin(2 * t) * s; return [-1 + s * Math.cos(a), 1, 0.3 - 0.5 * s * Math.sin(a), ...aboutY(a)]; }
      const c = k - n - 9;
      return [0.4 + 0.3 * ((c === 1 || c === 2) ? 1 : 0), 1, 0.3 + 0.3 * (c > 1 ? 1 : 0) + 0.02 * Math.sin(5 * t + c), 1, 0, 0, 0];
    }),
    scalars: [width("force", "N", 3, (k, t) => (k === 2 ? -3 - Math.sin(t) : Math.cos(t))), width("section", "N", 27, (k, t) => Math.sin(t + k)), width("displacement", "m", side * side, (k, t) => 0.02 * Math.sin(3 * t - k / 9))],
    channels: [
      { name: "body box.position.x", unit: "m", times: 0, values: blob(times.map(Math.sin), [times.length]) },
      ...["kinetic", "potential", "total", "balance"].map((e, i) => ({ name: `energy.${e}`, unit: "J", times: 0, values: blob(times.map((t) => i + Math.sin(t * (i + 1))), [times.length]) })),
      { name: "residual.position", unit: "m", times: 0, values: blob(times.map((t) => 1e-12 * t), [times.length]) },
    ],
    channel_times: [blob(times, [times.length], { dtype: "f64" })],
  });
}

/** Many bodies, each a box that turns. */
export function crowd(count = 1000) {
  const times = range(30).map((i) => i / 15);
  return document(`${count} bodies`, scene(count, { size: 10, bodies: range(count).map((i) => ({ name: `b${i}`, node: i, centre: [0, 0, 0], mass: 1, derived: false, points: [], shapes: [{ ...POSED, type: i % 2 ? "box" : "cylinder", edges: [0.2, 0.15, 0.1], radius: 0.08, length: 0.2 }] })) }), {
    times: blob(times, [30], { dtype: "f64" }),
    frames: frames(times, count, (n, t) => [(n % 10) - 5, (Math.floor(n / 10) % 10) - 5, Math.floor(n / 100) + 0.3 * Math.sin(t + n), ...aboutY(t + n)]),
  });
}

/** Beams with many stations in all. */
export function stations(count = 10_000, beams = 10) {
  const times = range(20).map((i) => i / 10);
  const each = count / beams;
  return document(`${count} stations`, scene(count, { size: 10, beams: range(beams).map((b) => ({ name: `beam ${b}`, nodes: range(each).map((i) => b * each + i), section: { type: "circle", radius: 0.05 }, estimated: false, force: b })) }), {
    times: blob(times, [20], { dtype: "f64" }),
    frames: frames(times, count, (n, t) => { const s = (n % each) / each; return [10 * s - 5, Math.floor(n / each) - 5, 0.5 * Math.sin(6 * s + t), ...aboutY(-0.3 * Math.cos(6 * s + t))]; }),
    scalars: range(beams).map((b) => ({ name: `force ${b}`, unit: "N", width: 3 * each, values: blob(times.flatMap((t) => range(3 * each).map((k) => Math.sin(k / 300 + t))), [20, 3 * each], { gzip: true }) })),
  });
}

/** Two runs of one body, and mode shapes. */
export function twoRuns() {
  const d = everything();
  return { ...d, title: "Two runs", runs: [d.runs[0], { ...d.runs[0], name: "other step" }] };
}

export function modes() {
  const d = everything();
  const n = d.scene.nodes;
  const shape = (s) => blob(range(n).flatMap((k) => [0, 0, Math.sin(s * k), 0, 0, 0, 0, 0, 0, 0, 0, 0]), [n, 12]);
  return { ...d, title: "Modes", kind: "modes", modes: [{ frequency: 1.25, damping: 0.02, rigid: false, shape: shape(0.3) }, { frequency: 4, damping: 0, rigid: false, shape: shape(0.7) }] };
}

/** Names that try to leave their place. */
export function hostile() {
  const d = everything();
  d.title = "<script>window.hacked = 1</script>";
  d.scene.bodies[0].name = "<img src=x onerror='window.hacked = 2'>";
  d.scene.bodies[1].name = "long ".repeat(2000);
  d.scene.bodies[2].name = "\u202egnp.exe";
  d.runs[0].channels[0].name = "</script><script>window.hacked = 3</script>";
  return d;
}
