import * as THREE from "three";
import { stretch } from "./links";

/** Arrows of forces and, as turning arrows, torques: as many as wanted in two draw calls. */
export class Arrows {
  private readonly shafts: THREE.InstancedMesh;
  private readonly heads: THREE.InstancedMesh;
  private readonly bars: THREE.InstancedMesh;
  private count = 0;
  private lines = 0;

  constructor(group: THREE.Group, private readonly capacity: number, color: number, private readonly radius: number) {
    const material = new THREE.MeshStandardMaterial({ color, roughness: 0.5, metalness: 0, emissive: color, emissiveIntensity: 0.25 });
    const shaft = new THREE.CylinderGeometry(1, 1, 1, 12).rotateX(Math.PI / 2).translate(0, 0, 0.5);
    const head = new THREE.ConeGeometry(1, 1, 20).rotateX(Math.PI / 2).translate(0, 0, 0.5);
    this.shafts = new THREE.InstancedMesh(shaft, material, Math.max(1, capacity));
    this.heads = new THREE.InstancedMesh(head, material, Math.max(1, capacity));
    this.bars = new THREE.InstancedMesh(shaft, material, Math.max(1, capacity));
    for (const mesh of [this.shafts, this.heads, this.bars]) {
      mesh.frustumCulled = false;
      mesh.count = 0;
      mesh.raycast = () => {};
      group.add(mesh);
    }
  }

  begin(): void {
    this.count = this.lines = 0;
  }

  /** A line that joins arrows. */
  line(from: readonly number[], to: readonly number[]): void {
    if (this.lines >= this.capacity) return;
    stretch(from[0], from[1], from[2], to[0] - from[0], to[1] - from[1], to[2] - from[2], 0.7 * this.radius, undefined, this.bars.instanceMatrix.array as Float32Array, this.lines++ * 16);
  }

  /** An arrow whose tip (or, with `tail`, whose foot) is at the point; `length` in m of the picture. */
  add(x: number, y: number, z: number, dx: number, dy: number, dz: number, length: number, tail: boolean): void {
    const way = Math.hypot(dx, dy, dz);
    if (this.count >= this.capacity || !(way > 0) || !(length > 0)) return;
    const ux = dx / way, uy = dy / way, uz = dz / way;
    const head = Math.min(5 * this.radius, 0.6 * length);
    const shaft = length - head;
    const sx = tail ? x : x - ux * length, sy = tail ? y : y - uy * length, sz = tail ? z : z - uz * length;
    const o = this.count++ * 16;
    stretch(sx, sy, sz, ux * shaft, uy * shaft, uz * shaft, this.radius, undefined, this.shafts.instanceMatrix.array as Float32Array, o);
    stretch(sx + ux * shaft, sy + uy * shaft, sz + uz * shaft, ux * head, uy * head, uz * head, 2.4 * this.radius, undefined, this.heads.instanceMatrix.array as Float32Array, o);
  }

  end(): void {
    for (const mesh of [this.shafts, this.heads]) {
      mesh.count = this.count;
      mesh.instanceMatrix.needsUpdate = true;
    }
    this.bars.count = this.lines;
    this.bars.instanceMatrix.needsUpdate = true;
  }
}

/** Torques: an arc with a head around the direction of the torque. */
export class TurningArrows {
  private readonly mesh: THREE.InstancedMesh;
  private count = 0;

  constructor(group: THREE.Group, private readonly capacity: number, color: number) {
    const material = new THREE.MeshStandardMaterial({ color, roughness: 0.5, metalness: 0, emissive: color, emissiveIntensity: 0.25 });
    this.mesh = new THREE.InstancedMesh(arc(), material, Math.max(1, capacity));
    this.mesh.frustumCulled = false;
    this.mesh.count = 0;
    this.mesh.raycast = () => {};
    group.add(this.mesh);
  }

  begin(): void {
    this.count = 0;
  }

  add(x: number, y: number, z: number, dx: number, dy: number, dz: number, radius: number): void {
    const way = Math.hypot(dx, dy, dz);
    if (this.count >= this.capacity || !(way > 0) || !(radius > 0)) return;
    const s = radius / way;
    stretch(x, y, z, dx * s, dy * s, dz * s, radius, undefined, this.mesh.instanceMatrix.array as Float32Array, this.count++ * 16);
  }

  end(): void {
    this.mesh.count = this.count;
    this.mesh.instanceMatrix.needsUpdate = true;
  }
}

/** Three quarters of a ring of radius 1 about z, with a head: one geometry. */
function arc(): THREE.BufferGeometry {
  const ring = new THREE.TorusGeometry(1, 0.07, 10, 40, 1.5 * Math.PI).toNonIndexed();
  const head = new THREE.ConeGeometry(0.2, 0.5, 16).translate(0, 0.25, 0).rotateZ(0).toNonIndexed();
  // the ring ends at angle 3π/2, where it runs along +x
  head.rotateZ(-Math.PI / 2).translate(0, -1, 0);
  const merged = new THREE.BufferGeometry();
  for (const name of ["position", "normal"]) {
    const a = ring.getAttribute(name).array, b = head.getAttribute(name).array;
    const all = new Float32Array(a.length + b.length);
    all.set(a);
    all.set(b, a.length);
    merged.setAttribute(name, new THREE.BufferAttribute(all, 3));
  }
  return merged;
}
