import type { Scene, Vec3 } from "../data/format";
import { short } from "../numbers";
import { drawnSection } from "./beams";

/** A named part of the model: what the list shows and the pointer picks. */
export interface Part { kind: "body" | "joint" | "force" | "beam" | "flexible" | "structure"; index: number; name: string; detail: string }

/** All parts in the order of the scene: bodies, joints, forces, beams, flexible bodies, structures. */
export function partsOf(scene: Scene): Part[] {
  const beam = (i: number) => {
    const b = scene.beams[i];
    const s = drawnSection(b);
    const size = s.type === "rectangle" ? `${short(s.width)} × ${short(s.height)} m` : s.type === "circle" ? `radius ${short(s.radius)} m` : `radii ${short(s.inner)}, ${short(s.outer)} m`;
    return `beam, ${b.nodes.length} stations, ${s.type} ${size}${b.estimated ? " (estimated from the stiffness)" : ""}`;
  };
  return [
    ...scene.bodies.map((b, index): Part => ({ kind: "body", index, name: b.name, detail: `body, ${short(b.mass)} kg${b.derived ? ", shape derived from joints, points and inertia" : ""}` })),
    ...scene.joints.map((j, index): Part => ({ kind: "joint", index, name: j.name, detail: `${j.type} joint${j.driven ? ", driven" : ""}` })),
    ...scene.forces.map((f, index): Part => ({ kind: "force", index, name: f.name, detail: f.kind })),
    ...scene.beams.map((b, index): Part => ({ kind: "beam", index, name: b.name, detail: beam(index) })),
    ...scene.flexible.map((f, index): Part => ({ kind: "flexible", index, name: f.name, detail: `flexible body, ${f.nodes.length} nodes` })),
    ...scene.structures.map((s, index): Part => ({ kind: "structure", index, name: s.name, detail: s.type === "grid" ? "membrane" : "bar" })),
  ];
}

/** A point that can leave a trail, and whose position the page describes. */
export interface Tracked { label: string; node: number; position: Vec3 }

const MAX_TRACKED = 60;

/** Points of a part that move: the first is the one that stands for it. */
export function tracked(scene: Scene, part: Part): Tracked[] {
  const at = (label: string, node: number, position: Vec3 = [0, 0, 0]): Tracked => ({ label, node, position });
  const all = (): Tracked[] => {
    switch (part.kind) {
      case "body": {
        const b = scene.bodies[part.index];
        return [at("centre of mass", b.node, b.centre), ...b.points.map((p) => at(p.name, b.node, p.position))];
      }
      case "beam": {
        const n = scene.beams[part.index].nodes;
        return [at("end", n[n.length - 1]), at("middle", n[n.length >> 1]), at("start", n[0])];
      }
      case "flexible": return scene.flexible[part.index].nodes.map((n, i) => at(`node ${i + 1}`, n));
      case "joint": {
        const j = scene.joints[part.index];
        return j.bodies[1] >= 0 ? [at("joint", j.bodies[1], j.points[1])] : [at("joint", j.bodies[0], j.points[0])];
      }
      default: return [];
    }
  };
  return all().filter((t) => t.node >= 0).slice(0, MAX_TRACKED);
}
