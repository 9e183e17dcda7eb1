import * as THREE from "three";
import type { Beam, Scene, Section } from "../data/format";
import { POSE } from "../data/interpolate";
import type { Motion } from "../data/motion";
import { bending } from "./deform";
import { BODY_TONES, diverging } from "./palette";

/** What can colour a beam: the scalar that holds it, and its component. */
export const BEAM_QUANTITIES = [
  { key: "axial", label: "Axial force", scalar: "force", component: 0, unit: "N" },
  { key: "shear-y", label: "Shear force y", scalar: "force", component: 1, unit: "N" },
  { key: "shear-z", label: "Shear force z", scalar: "force", component: 2, unit: "N" },
  { key: "torque", label: "Torque", scalar: "moment", component: 0, unit: "N·m" },
  { key: "moment-y", label: "Bending moment y", scalar: "moment", component: 1, unit: "N·m" },
  { key: "moment-z", label: "Bending moment z", scalar: "moment", component: 2, unit: "N·m" },
  { key: "strain", label: "Axial strain", scalar: "strain", component: 0, unit: "" },
  { key: "curvature-y", label: "Curvature y", scalar: "curvature", component: 1, unit: "1/m" },
  { key: "curvature-z", label: "Curvature z", scalar: "curvature", component: 2, unit: "1/m" },
] as const;

export type BeamQuantity = (typeof BEAM_QUANTITIES)[number];

const STRIDE = 8; // position, quaternion, value

const CODE = `
attribute vec3 a_point; attribute vec4 a_turn; attribute float a_value;
attribute vec3 b_point; attribute vec4 b_turn; attribute float b_value;
attribute vec2 closed; // 1 if the piece begins or ends the beam
vec3 turned(vec4 q, vec3 v) { vec3 t = 2.0 * cross(q.yzw, v); return v + q.x * t + cross(q.yzw, t); }
void bend(out vec3 point, out vec3 across) {
  float s = position.x;
  vec4 q = normalize(mix(a_turn, dot(a_turn, b_turn) < 0.0 ? -b_turn : b_turn, s));
  float l = distance(a_point, b_point);
  vec3 ta = l * turned(a_turn, vec3(1.0, 0.0, 0.0)), tb = l * turned(b_turn, vec3(1.0, 0.0, 0.0));
  float s2 = s * s, s3 = s2 * s;
  vec3 line = (2.0 * s3 - 3.0 * s2 + 1.0) * a_point + (s3 - 2.0 * s2 + s) * ta + (3.0 * s2 - 2.0 * s3) * b_point + (s3 - s2) * tb;
  // pieces within the beam have no ends
  float open = normal.x < -0.5 ? closed.x : normal.x > 0.5 ? closed.y : 1.0;
  point = line + turned(q, vec3(0.0, open * position.yz));
  across = turned(q, normal);
  vValue = mix(a_value, b_value, s);
}`;

/** Beams: the card bends a piece of the section's outline between each two stations. */
export class Beams {
  readonly group = new THREE.Group();
  private readonly meshes: { beam: Beam; index: number; mesh: THREE.Mesh<THREE.BufferGeometry, THREE.MeshStandardMaterial>; data: Float32Array; buffer: THREE.InstancedInterleavedBuffer }[] = [];
  private readonly uniforms = {
    colored: { value: 0 }, range: { value: 1 },
    low: { value: tone(-1) }, middle: { value: tone(0) }, high: { value: tone(1) },
  };
  private quantity: BeamQuantity | undefined;
  private readonly values: Float32Array;

  constructor(scene: Scene, ghost: boolean, color: number, material: THREE.MeshStandardMaterial) {
    const depth = new THREE.MeshDepthMaterial({ depthPacking: THREE.RGBADepthPacking });
    bending(depth, CODE, this.uniforms, "beam depth");
    let widest = 0;
    const total = scene.beams.reduce((sum, b) => sum + b.nodes.length, 0);
    scene.beams.forEach((beam, index) => {
      const n = beam.nodes.length;
      widest = Math.max(widest, 3 * n);
      if (n < 2) return;
      const own = material.clone();
      own.color.setHex(scene.beams.length > 1 ? BODY_TONES[index % BODY_TONES.length] : color);
      bending(own, CODE, this.uniforms, "beam");
      const data = new Float32Array(n * STRIDE);
      const buffer = new THREE.InstancedInterleavedBuffer(data, STRIDE, 1);
      buffer.setUsage(THREE.DynamicDrawUsage);
      const geometry = piece(drawnSection(beam), 0.0045 * scene.scale, Math.max(1, Math.min(8, Math.round(160 / (n - 1)))), total > 2000 ? 10 : 18);
      const attribute = (name: string, size: number, offset: number) => geometry.setAttribute(name, new THREE.InterleavedBufferAttribute(buffer, size, offset));
      attribute("a_point", 3, 0); attribute("a_turn", 4, 3); attribute("a_value", 1, 7);
      // the next station: the same numbers, one stride further
      attribute("b_point", 3, STRIDE); attribute("b_turn", 4, STRIDE + 3); attribute("b_value", 1, STRIDE + 7);
      geometry.setAttribute("closed", new THREE.InstancedBufferAttribute(Float32Array.from({ length: 2 * (n - 1) }, (_, k) => Number(k === 0 || k === 2 * n - 3)), 2));
      geometry.instanceCount = n - 1;
      const mesh = new THREE.Mesh(geometry, own);
      mesh.frustumCulled = false;
      mesh.castShadow = !ghost;
      mesh.receiveShadow = !ghost;
      mesh.customDepthMaterial = depth;
      mesh.raycast = () => {};
      this.group.add(mesh);
      this.meshes.push({ beam, index, mesh, data, buffer });
    });
    this.values = new Float32Array(widest);
  }

  /** Chooses what colours the beams; returns the end of the scale. */
  color(quantity: BeamQuantity | undefined, motion: Motion): number {
    this.quantity = quantity;
    let range = 0;
    if (quantity) for (const { beam } of this.meshes) range = Math.max(range, motion.range(beam[quantity.scalar], quantity.component, 3));
    this.uniforms.colored.value = quantity ? 1 : 0;
    this.uniforms.range.value = range > 0 ? range : 1;
    return range;
  }

  /** Marks one beam, or none (-1). */
  highlight(beam: number, tone: number): void {
    for (const { index, mesh } of this.meshes) mesh.material.emissive.setHex(index === beam ? tone : 0).multiplyScalar(0.6);
  }

  update(poses: Float32Array, motion: Motion, t: number): void {
    for (const { beam, data, buffer } of this.meshes) {
      const q = this.quantity;
      const width = q ? motion.scalar(beam[q.scalar], t, this.values) : 0;
      for (let i = 0; i < beam.nodes.length; i++) {
        const k = beam.nodes[i] * POSE;
        const o = i * STRIDE;
        if (beam.nodes[i] < 0) {
          data.fill(0, o, o + STRIDE);
          data[o + 3] = 1;
        } else for (let d = 0; d < POSE; d++) data[o + d] = poses[k + d];
        data[o + 7] = q && 3 * i + 2 < width ? this.values[3 * i + q.component] : 0;
      }
      buffer.needsUpdate = true;
    }
  }
}

/** The section as it is drawn: a square that was estimated from stiffnesses becomes the circle with the same stiffnesses (radius = edge / √3). */
export function drawnSection(beam: Beam): Section {
  const s = beam.section;
  if (beam.estimated && s.type === "rectangle" && Math.abs(s.width - s.height) < 1e-3 * s.width) return { type: "circle", radius: s.width / Math.sqrt(3) };
  return s;
}

/** Half of the largest width of the section. */
export function halfThickness(beam: Beam): number {
  const s = drawnSection(beam);
  return s.type === "rectangle" ? Math.max(s.width, s.height) / 2 : s.type === "circle" ? s.radius : s.outer;
}

function tone(s: number): THREE.Color {
  return new THREE.Color().setRGB(...diverging(s), THREE.SRGBColorSpace);
}

/** A piece of a beam of unit length: `steps` + 1 rings of the section's outline, and both ends closed. x is the fraction of the way. */
function piece(section: Section, least: number, steps: number, sides: number): THREE.InstancedBufferGeometry {
  const outline = ring(section, least, sides);
  const n = outline.length;
  const position: number[] = [], normal: number[] = [], index: number[] = [];
  for (let s = 0; s <= steps; s++) for (const [y, z, u, v] of outline) {
    position.push(s / steps, y, z);
    normal.push(0, u, v);
  }
  for (let s = 0; s < steps; s++) for (let i = 0; i < n; i++) {
    const a = s * n + i, b = s * n + ((i + 1) % n);
    index.push(a, b, a + n, b, b + n, a + n);
  }
  // the hole of a tube, as a part of its radius
  const hole = section.type === "tube" && section.outer > 0 ? Math.max(0, Math.min(0.95, section.inner / section.outer)) : 0;
  for (const end of [0, 1]) {
    const first = position.length / 3;
    for (const [y, z] of outline) {
      position.push(end, y, z);
      normal.push(end ? 1 : -1, 0, 0);
    }
    if (hole > 0) {
      for (const [y, z] of outline) {
        position.push(end, hole * y, hole * z);
        normal.push(end ? 1 : -1, 0, 0);
      }
      for (let i = 0; i < n; i++) {
        const a = first + i, b = first + ((i + 1) % n);
        index.push(a, b, a + n, b, b + n, a + n);
      }
    } else for (let i = 1; i + 1 < n; i++) index.push(first, first + (end ? i : i + 1), first + (end ? i + 1 : i));
  }
  if (hole > 0) for (let s = 0; s <= steps; s++) for (let i = 0; i < n; i++) {
    const [y, z, u, v] = outline[i];
    position.push(s / steps, hole * y, hole * z);
    normal.push(0, -u, -v);
    const a = position.length / 3 - 1, b = i + 1 < n ? a + 1 : a + 1 - n;
    if (s < steps) index.push(a, a + n, b, b, a + n, b + n);
  }
  const geometry = new THREE.InstancedBufferGeometry();
  geometry.setAttribute("position", new THREE.Float32BufferAttribute(position, 3));
  geometry.setAttribute("normal", new THREE.Float32BufferAttribute(normal, 3));
  geometry.setIndex(index);
  return geometry;
}

/** y, z and normal of the points of an outline; sections thinner than `least` are drawn wider. */
function ring(section: Section, least: number, sides: number): [number, number, number, number][] {
  if (section.type === "rectangle") {
    const y = Math.max(section.width / 2, least / 2), z = Math.max(section.height / 2, least / 2);
    return [[y, -z, 1, 0], [y, z, 1, 0], [y, z, 0, 1], [-y, z, 0, 1], [-y, z, -1, 0], [-y, -z, -1, 0], [-y, -z, 0, -1], [y, -z, 0, -1]];
  }
  const r = Math.max(section.type === "circle" ? section.radius : section.outer, least);
  return Array.from({ length: sides }, (_, i) => {
    const a = (2 * Math.PI * i) / sides;
    return [r * Math.cos(a), r * Math.sin(a), Math.cos(a), Math.sin(a)];
  });
}
