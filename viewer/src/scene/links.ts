import * as THREE from "three";
import type { Vec3 } from "../data/format";
import { pointOfPose, POSE } from "../data/interpolate";

/** An end of a link: a point of a node, or of the ground. */
export interface End { node: number; position: Vec3 }

/** Where an end is in the world. */
export function endPoint(poses: Float32Array, end: End, out: Float32Array | number[], at = 0): void {
  if (end.node < 0) {
    out[at] = end.position[0];
    out[at + 1] = end.position[1];
    out[at + 2] = end.position[2];
  } else pointOfPose(poses, end.node * POSE, end.position, out, at);
}

/** A straight piece between two ends: a part of the way (`from`, `to` as fractions), or a fixed length from the first end. */
export interface Link { a: End; b: End; radius: number; color: number; part: number; length?: number }

/** All straight pieces of a picture: one draw call. */
export class Links {
  readonly items: Link[] = [];
  mesh?: THREE.InstancedMesh;
  private readonly buffer = new Float32Array(6);

  constructor(private readonly material: THREE.Material, private readonly ghost: boolean) {}

  finish(group: THREE.Group): void {
    if (this.items.length === 0) return;
    const geometry = new THREE.CylinderGeometry(1, 1, 1, 14).rotateX(Math.PI / 2).translate(0, 0, 0.5);
    const mesh = new THREE.InstancedMesh(geometry, this.material, this.items.length);
    mesh.frustumCulled = false;
    mesh.castShadow = !this.ghost;
    const color = new THREE.Color();
    this.items.forEach((item, i) => mesh.setColorAt(i, color.setHex(item.color)));
    mesh.userData.parts = this.items.map((item) => item.part);
    this.mesh = mesh;
    group.add(mesh);
  }

  update(poses: Float32Array): void {
    if (!this.mesh) return;
    const out = this.mesh.instanceMatrix.array as Float32Array;
    const p = this.buffer;
    this.items.forEach((item, i) => {
      endPoint(poses, item.a, p, 0);
      endPoint(poses, item.b, p, 3);
      stretch(p[0], p[1], p[2], p[3] - p[0], p[4] - p[1], p[5] - p[2], item.radius, item.length, out, i * 16);
    });
    this.mesh.instanceMatrix.needsUpdate = true;
    this.mesh.boundingSphere = null;
  }

  highlight(part: number, tone: number): void {
    const color = new THREE.Color();
    this.items.forEach((item, i) => this.mesh!.setColorAt(i, color.setHex(item.part === part ? tone : item.color)));
    if (this.mesh?.instanceColor) this.mesh.instanceColor.needsUpdate = true;
  }
}

/** Writes the matrix that carries the unit cylinder (radius 1, z from 0 to 1) to a place, a direction and a radius. */
export function stretch(x: number, y: number, z: number, dx: number, dy: number, dz: number, radius: number, length: number | undefined, out: Float32Array, o: number): void {
  const way = Math.hypot(dx, dy, dz);
  const n = way > 0 ? 1 / way : 0;
  const ax = way > 0 ? dx * n : 0, ay = way > 0 ? dy * n : 0, az = way > 0 ? dz * n : 1;
  // any two directions across
  let ux = 0, uy = 0, uz = 0;
  if (Math.abs(az) < 0.9) { ux = -ay; uy = ax; } else { uy = -az; uz = ay; }
  const u = 1 / (Math.hypot(ux, uy, uz) || 1);
  ux *= u; uy *= u; uz *= u;
  const vx = ay * uz - az * uy, vy = az * ux - ax * uz, vz = ax * uy - ay * ux;
  const l = length === undefined ? way : Math.min(length, way);
  out[o] = ux * radius; out[o + 1] = uy * radius; out[o + 2] = uz * radius; out[o + 3] = 0;
  out[o + 4] = vx * radius; out[o + 5] = vy * radius; out[o + 6] = vz * radius; out[o + 7] = 0;
  out[o + 8] = ax * l; out[o + 9] = ay * l; out[o + 10] = az * l; out[o + 11] = 0;
  out[o + 12] = x; out[o + 13] = y; out[o + 14] = z; out[o + 15] = 1;
}
