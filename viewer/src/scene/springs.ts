import * as THREE from "three";
import { bending } from "./deform";
import { endPoint, type End } from "./links";
import { HIGHLIGHT } from "./palette";

const CODE = `
attribute vec3 a_point; attribute vec3 b_point; attribute vec4 sizes; // radius of the coil, radius of the wire, 1 if marked, number of turns
void bend(out vec3 point, out vec3 across) {
  float s = position.x, a = position.y, turns = sizes.w;
  vec3 way = b_point - a_point; float l = max(length(way), 1e-9); vec3 z = way / l;
  vec3 x = normalize(abs(z.z) < 0.9 ? vec3(-z.y, z.x, 0.0) : vec3(0.0, -z.z, z.y)); vec3 y = cross(z, x);
  // straight at both ends, coiled between
  float inner = clamp((s - 0.1) / 0.8, 0.0, 1.0), r = sizes.x * smoothstep(0.06, 0.14, s) * (1.0 - smoothstep(0.86, 0.94, s));
  float turn = 6.2831853 * turns * inner;
  vec3 outward = cos(turn) * x + sin(turn) * y, around = -sin(turn) * x + cos(turn) * y;
  float rate = (s > 0.1 && s < 0.9) ? 6.2831853 * turns / 0.8 : 0.0;
  vec3 tangent = normalize(z * l + around * (r * rate) + 1e-9 * x), side = normalize(cross(tangent, outward));
  across = cos(a) * outward + sin(a) * side;
  point = a_point + z * (l * s) + outward * r + across * sizes.y;
  vValue = sizes.z;
}`;

export interface Spring { a: End; b: End; radius: number; wire: number; turns: number; part: number }

/** Springs: the card winds a wire between the two ends, so that coils open and close with the length. */
export class Springs {
  readonly items: Spring[] = [];
  private a = new THREE.InstancedBufferAttribute(new Float32Array(0), 3);
  private b = this.a;
  private tones: THREE.InstancedBufferAttribute | undefined;

  finish(group: THREE.Group, ghost: boolean, color: number, base: THREE.MeshStandardMaterial): void {
    const n = this.items.length;
    if (n === 0) return;
    const geometry = new THREE.InstancedBufferGeometry();
    const steps = 400, sides = 7;
    const position: number[] = [], normal: number[] = [], index: number[] = [];
    for (let i = 0; i <= steps; i++) for (let j = 0; j < sides; j++) {
      position.push(i / steps, (2 * Math.PI * j) / sides, 0);
      normal.push(0, 0, 1);
      if (i < steps) {
        const p = i * sides + j, q = i * sides + ((j + 1) % sides);
        index.push(p, q, p + sides, q, q + sides, p + sides);
      }
    }
    geometry.setAttribute("position", new THREE.Float32BufferAttribute(position, 3));
    geometry.setAttribute("normal", new THREE.Float32BufferAttribute(normal, 3));
    geometry.setIndex(index);
    this.a = new THREE.InstancedBufferAttribute(new Float32Array(3 * n), 3);
    this.b = new THREE.InstancedBufferAttribute(new Float32Array(3 * n), 3);
    geometry.setAttribute("a_point", this.a);
    geometry.setAttribute("b_point", this.b);
    this.tones = new THREE.InstancedBufferAttribute(Float32Array.from(this.items.flatMap((s) => [s.radius, s.wire, 0, s.turns])), 4);
    geometry.setAttribute("sizes", this.tones);
    geometry.instanceCount = n;
    const uniforms = {
      colored: { value: 1 }, range: { value: 1 },
      low: { value: new THREE.Color(color) }, middle: { value: new THREE.Color(color) }, high: { value: new THREE.Color(HIGHLIGHT) },
    };
    const material = base.clone();
    material.color.setHex(color);
    material.metalness = 0.1;
    material.roughness = 0.4;
    bending(material, CODE, uniforms, "spring");
    const depth = new THREE.MeshDepthMaterial({ depthPacking: THREE.RGBADepthPacking });
    bending(depth, CODE, uniforms, "spring depth");
    const mesh = new THREE.Mesh(geometry, material);
    mesh.customDepthMaterial = depth;
    mesh.frustumCulled = false;
    mesh.castShadow = !ghost;
    mesh.raycast = () => {};
    group.add(mesh);
  }

  /** Marks the spring of one part, or none. */
  highlight(part: number): void {
    if (!this.tones) return;
    this.items.forEach((item, i) => this.tones!.setZ(i, item.part === part ? 1 : 0));
    this.tones.needsUpdate = true;
  }

  update(poses: Float32Array): void {
    if (this.items.length === 0) return;
    this.items.forEach((item, i) => {
      endPoint(poses, item.a, this.a.array as Float32Array, 3 * i);
      endPoint(poses, item.b, this.b.array as Float32Array, 3 * i);
    });
    this.a.needsUpdate = true;
    this.b.needsUpdate = true;
  }
}
