import * as THREE from "three";
import type { Vec3 } from "../data/format";
import { POSE } from "../data/interpolate";
import { endPoint } from "./links";

/** A point of another node that a copy sits on, while its orientation follows its own node. */
export interface Seat { node: number; position: Vec3 }

interface Item { node: number; local: Float32Array; part: number; color: number; seat?: Seat }

interface Family { geometry: THREE.BufferGeometry; items: Item[]; mesh?: THREE.InstancedMesh; shadow: boolean }

/** Materials of a picture: solid, or translucent for a run that is overlaid. */
export function solid(ghost: boolean): THREE.MeshStandardMaterial {
  return new THREE.MeshStandardMaterial({
    roughness: 0.5, metalness: 0.05, transparent: ghost, opacity: ghost ? 0.35 : 1, depthWrite: !ghost, side: THREE.DoubleSide,
  });
}

/** Many copies of a few geometries, each carried by a node: one draw call for each geometry. */
export class Batch {
  private readonly families = new Map<string, Family>();
  readonly group = new THREE.Group();

  constructor(private readonly material: THREE.Material, private readonly ghost: boolean) {}

  /** Adds a copy of the geometry `key` at `local` on a node (-1: the ground). */
  add(key: string, make: () => THREE.BufferGeometry, node: number, local: THREE.Matrix4, part: number, color: number, seat?: Seat): void {
    let family = this.families.get(key);
    if (!family) {
      family = { geometry: make(), items: [], shadow: true };
      this.families.set(key, family);
    }
    family.items.push({ node, local: new Float32Array(local.elements), part, color, seat });
  }

  /** Makes the meshes, after the last `add`. */
  finish(): void {
    const color = new THREE.Color();
    for (const family of this.families.values()) {
      const mesh = new THREE.InstancedMesh(family.geometry, this.material, family.items.length);
      mesh.frustumCulled = false;
      mesh.castShadow = !this.ghost;
      mesh.receiveShadow = !this.ghost;
      family.items.forEach((item, i) => mesh.setColorAt(i, color.setHex(item.color)));
      mesh.userData.parts = family.items.map((item) => item.part);
      mesh.instanceMatrix.setUsage(THREE.DynamicDrawUsage);
      family.mesh = mesh;
      this.group.add(mesh);
    }
  }

  /** Puts every copy where its node is. */
  update(poses: Float32Array): void {
    for (const family of this.families.values()) {
      const out = family.mesh!.instanceMatrix.array as Float32Array;
      const items = family.items;
      for (let i = 0; i < items.length; i++) {
        place(poses, items[i].node, items[i].local, out, i * 16);
        const seat = items[i].seat;
        if (seat) endPoint(poses, seat, out, i * 16 + 12);
      }
      family.mesh!.instanceMatrix.needsUpdate = true;
      family.mesh!.boundingSphere = null;
    }
  }

  /** Marks one part, or none. */
  highlight(part: number, tone: number): void {
    const color = new THREE.Color();
    for (const family of this.families.values()) {
      family.items.forEach((item, i) => family.mesh!.setColorAt(i, color.setHex(item.part === part ? tone : item.color)));
      if (family.mesh!.instanceColor) family.mesh!.instanceColor.needsUpdate = true;
    }
  }
}

/** out = pose of the node × local, both column by column. */
export function place(poses: Float32Array, node: number, local: Float32Array, out: Float32Array, o: number): void {
  if (node < 0) {
    out.set(local, o);
    return;
  }
  const k = node * POSE;
  const w = poses[k + 3], x = poses[k + 4], y = poses[k + 5], z = poses[k + 6];
  const r00 = 1 - 2 * (y * y + z * z), r01 = 2 * (x * y - w * z), r02 = 2 * (x * z + w * y);
  const r10 = 2 * (x * y + w * z), r11 = 1 - 2 * (x * x + z * z), r12 = 2 * (y * z - w * x);
  const r20 = 2 * (x * z - w * y), r21 = 2 * (y * z + w * x), r22 = 1 - 2 * (x * x + y * y);
  for (let c = 0; c < 16; c += 4) {
    const a = local[c], b = local[c + 1], d = local[c + 2];
    out[o + c] = r00 * a + r01 * b + r02 * d;
    out[o + c + 1] = r10 * a + r11 * b + r12 * d;
    out[o + c + 2] = r20 * a + r21 * b + r22 * d;
    out[o + c + 3] = 0;
  }
  out[o + 12] += poses[k];
  out[o + 13] += poses[k + 1];
  out[o + 14] += poses[k + 2];
  out[o + 15] = 1;
}
