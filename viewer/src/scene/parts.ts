import type { Scene } from "../data/format";
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
