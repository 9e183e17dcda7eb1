import * as THREE from "three";
import type { Scene } from "../data/format";
import type { Motion } from "../data/motion";
import { Arrows, TurningArrows } from "./arrows";
import { Batch, solid } from "./batch";
import { Beams, type BeamQuantity, halfThickness } from "./beams";
import { LINE_LOAD_LENGTH, LOAD_LENGTH } from "./extent";
import { addClamps, addForces } from "./forces";
import { addJoints, GLYPH } from "./joints";
import { endPoint, Links } from "./links";
import { FORCE, HIGHLIGHT, REACTION, TORQUE, type Theme } from "./palette";
import type { Part } from "./parts";
import { addBodies, matrix } from "./shapes";
import { Springs } from "./springs";
import { Structures } from "./structures";
import { slides, travels } from "./travel";

/** Everything that moves in one run. */
export class Picture {
  readonly group = new THREE.Group();
  readonly poses: Float32Array;
  /** Points of the ground that only the picture has: ends of guides and of the springs of joints. */
  readonly anchors: THREE.Vector3[] = [];
  reactions = false;
  loads = true;
  readonly structures: Structures;
  private readonly batch: Batch;
  private readonly links: Links;
  private readonly springs = new Springs();
  private readonly beams: Beams;
  private readonly forces: Arrows;
  private readonly torques: TurningArrows;
  private readonly reaction: Arrows;
  private readonly moments: TurningArrows;
  private largest = { load: 0, line: 0, torque: 0, reaction: 0, moment: 0 };
  private readonly point = new Float32Array(3);
  private readonly value = new Float32Array(3);
  private readonly many: Float32Array;
  private foot: [number, number, number] = [0, 0, 0];
  /** For each force per length half of the thickness of its beam. */
  private readonly clearances: number[];

  constructor(private readonly scene: Scene, public motion: Motion, private readonly parts: Part[], theme: Theme, ghost: boolean) {
    this.poses = new Float32Array(scene.nodes * 7);
    const material = solid(ghost);
    this.batch = new Batch(material, ghost);
    this.links = new Links(material, ghost);
    const number = (kind: Part["kind"]) => {
      const first = parts.findIndex((p) => p.kind === kind);
      return (i: number) => first + i;
    };
    addBodies(scene, this.batch, number("body"));
    const sliding = travels(scene, motion, scene.joints.map((_, i) => i).filter((i) => slides(scene.joints[i].type)));
    const drawing = { scene, motion, batch: this.batch, links: this.links, springs: this.springs, theme, tone: theme.joint, travel: (i: number) => sliding.get(i), anchors: this.anchors };
    addJoints(drawing, number("joint"));
    addForces(drawing, number("force"));
    addClamps(scene, motion, this.batch, number("beam"));
    this.addFlexible(theme, number("flexible"));
    this.batch.finish();
    this.group.add(this.batch.group);
    this.links.finish(this.group);
    this.springs.finish(this.group, ghost, theme.spring, material);
    this.beams = new Beams(scene, ghost, theme.beam, material);
    this.structures = new Structures(scene, ghost);
    this.group.add(this.beams.group, this.structures.group);
    const radius = 0.0045 * scene.scale;
    const stations = scene.forces.reduce((n, f) => n + Math.max(1, f.ends.length), 0);
    this.forces = new Arrows(this.group, ghost ? 0 : stations, FORCE, radius);
    this.torques = new TurningArrows(this.group, ghost ? 0 : scene.forces.length, TORQUE);
    this.reaction = new Arrows(this.group, ghost ? 0 : scene.joints.length, REACTION, radius);
    this.moments = new TurningArrows(this.group, ghost ? 0 : scene.joints.length, REACTION);
    this.many = new Float32Array(3 * Math.max(1, ...scene.forces.map((f) => f.ends.length)));
    this.clearances = scene.forces.map((f) => {
      const beam = f.kind === "line-load" ? scene.beams.find((b) => f.ends.some((e) => e.node >= 0 && b.nodes.includes(e.node))) : undefined;
      return beam ? halfThickness(beam) : 0;
    });
    this.show(motion);
  }

  /** Shows another motion of the same scene. */
  show(motion: Motion): void {
    this.motion = motion;
    const range = (indices: (number | undefined)[]) => Math.max(0, ...indices.map((i) => motion.range(i, 0, 1)));
    this.largest = {
      load: range(this.scene.forces.filter((f) => f.kind === "load").map((f) => f.value)),
      line: range(this.scene.forces.filter((f) => f.kind === "line-load").map((f) => f.value)),
      torque: range(this.scene.forces.filter((f) => f.kind === "torque").map((f) => f.value)),
      reaction: range(this.scene.joints.map((j) => j.reaction)),
      moment: range(this.scene.joints.map((j) => j.moment)),
    };
    this.structures.scale(motion);
  }

  colorBeams(quantity: BeamQuantity | undefined): number {
    return this.beams.color(quantity, this.motion);
  }

  highlight(part: number): void {
    this.batch.highlight(part, HIGHLIGHT);
    if (this.links.mesh) this.links.highlight(part, HIGHLIGHT);
    this.beams.highlight(part - this.parts.findIndex((p) => p.kind === "beam"), HIGHLIGHT);
    this.springs.highlight(part);
  }

  update(t: number): void {
    this.motion.poses(t, this.poses);
    this.batch.update(this.poses);
    this.links.update(this.poses);
    this.springs.update(this.poses);
    this.beams.update(this.poses, this.motion, t);
    this.structures.update(this.motion, t);
    this.updateArrows(t);
  }

  /** Points of a part in the world, to pick it by and to look at. */
  samples(part: Part): THREE.Vector3[] {
    const at = (node: number, position: [number, number, number] = [0, 0, 0]) => {
      endPoint(this.poses, { node, position }, this.point);
      return new THREE.Vector3(...this.point);
    };
    const s = this.scene;
    switch (part.kind) {
      case "body": return [at(s.bodies[part.index].node, s.bodies[part.index].centre)];
      case "joint": return [at(s.joints[part.index].bodies[0], s.joints[part.index].points[0])];
      case "force": {
        const ends = s.forces[part.index].ends.map((e) => at(e.node, e.position));
        if (ends.length !== 2) return ends;
        return [0.3, 0.4, 0.5, 0.6, 0.7].map((f) => ends[0].clone().lerp(ends[1], f));
      }
      case "beam": return s.beams[part.index].nodes.map((n) => at(n));
      case "flexible": return s.flexible[part.index].nodes.map((n) => at(n));
      case "structure": return s.structures[part.index].rest.map(([x, y]) => new THREE.Vector3(x, y, 0));
    }
  }

  private addFlexible(theme: Theme, part: (i: number) => number): void {
    const g = GLYPH * this.scene.scale;
    this.scene.flexible.forEach((body, i) => {
      for (const [a, b] of body.edges) {
        this.links.items.push({ a: { node: a, position: [0, 0, 0] }, b: { node: b, position: [0, 0, 0] }, radius: 0.35 * g, color: theme.beam, part: part(i) });
      }
      for (const node of body.nodes) this.batch.add("joint ball", () => new THREE.SphereGeometry(1, 20, 14), node, matrix([0, 0, 0], [1, 0, 0, 0], [0.6 * g, 0.6 * g, 0.6 * g]), part(i), theme.joint);
    });
  }

  private updateArrows(t: number): void {
    const size = this.scene.scale;
    this.forces.begin();
    this.torques.begin();
    this.reaction.begin();
    this.moments.begin();
    const p = this.point;
    if (this.loads) for (let i = 0; i < this.scene.forces.length; i++) {
      const force = this.scene.forces[i];
      const kind = force.kind;
      if (kind !== "load" && kind !== "line-load" && kind !== "torque") continue;
      const width = this.motion.scalar(force.value, t, this.many);
      force.ends.forEach((end, k) => {
        const o = width >= 3 * (k + 1) ? 3 * k : 0;
        if (width < 3) return;
        const [x, y, z] = [this.many[o], this.many[o + 1], this.many[o + 2]];
        endPoint(this.poses, end, p);
        const amount = Math.hypot(x, y, z);
        if (kind === "torque") this.torques.add(p[0], p[1], p[2], x, y, z, (0.03 + 0.06 * (amount / (this.largest.torque || 1))) * size);
        else if (kind === "load") this.forces.add(p[0], p[1], p[2], x, y, z, LOAD_LENGTH * size * (amount / (this.largest.load || 1)), true);
        else this.addLineLoad(p, x, y, z, (LINE_LOAD_LENGTH * size) / (this.largest.line || 1), this.clearances[i], k > 0);
      });
    }
    if (this.reactions) for (const joint of this.scene.joints) {
      endPoint(this.poses, { node: joint.bodies[1], position: joint.points[1] }, p);
      if (this.motion.scalar(joint.reaction, t, this.value) === 3) {
        const [x, y, z] = this.value;
        this.reaction.add(p[0], p[1], p[2], x, y, z, 0.3 * size * (Math.hypot(x, y, z) / (this.largest.reaction || 1)), true);
      }
      if (this.motion.scalar(joint.moment, t, this.value) === 3) {
        const [x, y, z] = this.value;
        const amount = Math.hypot(x, y, z) / (this.largest.moment || 1);
        // small moments, such as round-off in a free direction, are left out
        if (amount > 1e-3) this.moments.add(p[0], p[1], p[2], x, y, z, (0.02 + 0.06 * amount) * size);
      }
    }
    this.forces.end();
    this.torques.end();
    this.reaction.end();
    this.moments.end();
  }

  /** An arrow of a load per length, which ends at the beam; its foot is joined to that of the arrow before it. */
  private addLineLoad(p: Float32Array, x: number, y: number, z: number, scale: number, clearance: number, joined: boolean): void {
    const amount = Math.hypot(x, y, z);
    // the tip is at the surface of the beam
    const f = amount > 0 ? clearance / amount : 0;
    const tip = [p[0] - f * x, p[1] - f * y, p[2] - f * z];
    const foot: [number, number, number] = [tip[0] - scale * x, tip[1] - scale * y, tip[2] - scale * z];
    this.forces.add(tip[0], tip[1], tip[2], x, y, z, scale * amount, false);
    if (joined) this.forces.line(this.foot, foot);
    this.foot = foot;
  }

  /** Frees what the graphics card holds. */
  dispose(): void {
    this.group.traverse((o) => {
      if (o instanceof THREE.Mesh || o instanceof THREE.LineSegments) (o.geometry as THREE.BufferGeometry).dispose();
    });
  }
}
