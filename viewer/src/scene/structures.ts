import * as THREE from "three";
import type { Scene, Structure } from "../data/format";
import type { Motion } from "../data/motion";
import { diverging } from "./palette";

/** Linear structures: a membrane as a surface, a bar as a square tube; both coloured by displacement. */
export class Structures {
  readonly group = new THREE.Group();
  private readonly items: { structure: Structure; geometry: THREE.BufferGeometry; values: Float32Array }[] = [];
  /** Displacements are drawn this many times larger. */
  factor = 1;
  range = 0;

  constructor(private readonly scene: Scene, ghost: boolean) {
    for (const structure of scene.structures) {
      const n = structure.rest.length;
      const grid = structure.type === "grid";
      const rows = grid ? 1 : CORNERS.length;
      const geometry = new THREE.BufferGeometry();
      geometry.setAttribute("position", new THREE.BufferAttribute(new Float32Array(3 * n * rows), 3));
      geometry.setAttribute("color", new THREE.BufferAttribute(new Float32Array(3 * n * rows), 3));
      geometry.setIndex(grid ? structure.triangles.filter((k) => k < n) : tube(n));
      const material = new THREE.MeshStandardMaterial({
        vertexColors: true, side: THREE.DoubleSide, roughness: 0.6, metalness: 0, flatShading: false, transparent: ghost, opacity: ghost ? 0.35 : 1,
      });
      const mesh = new THREE.Mesh(geometry, material);
      mesh.frustumCulled = false;
      mesh.castShadow = !ghost;
      mesh.raycast = () => {};
      this.group.add(mesh);
      if (grid && n < 4000) {
        const lines = new THREE.LineSegments(wires(structure.triangles, geometry), new THREE.LineBasicMaterial({ color: 0x2b3440, transparent: true, opacity: 0.16 }));
        lines.frustumCulled = false;
        lines.raycast = () => {};
        this.group.add(lines);
      }
      this.items.push({ structure, geometry, values: new Float32Array(n) });
    }
  }

  /** Scales displacements so that the largest is seen, never below their true size. */
  scale(motion: Motion): void {
    this.range = 0;
    for (const { structure } of this.items) this.range = Math.max(this.range, motion.range(structure.value, 0, 1));
    const wanted = 0.1 * this.scene.size;
    const ratio = this.range > 0 && motion.parameter !== "phase" ? wanted / this.range : 1;
    const power = 10 ** Math.floor(Math.log10(ratio));
    const round = [5, 2, 1].find((m) => m * power <= ratio) ?? 1;
    this.factor = ratio > 1 ? round * power : 1;
  }

  update(motion: Motion, t: number): void {
    for (const { structure, geometry, values } of this.items) {
      motion.scalar(structure.value, t, values);
      const position = geometry.getAttribute("position").array as Float32Array;
      const color = geometry.getAttribute("color").array as Float32Array;
      const n = structure.rest.length;
      const half = 0.016 * this.scene.size;
      for (let i = 0; i < n; i++) {
        const [x, y] = structure.rest[i];
        const u = values[i];
        const rgb = diverging(this.range > 0 ? u / this.range : 0);
        if (structure.type === "grid") put(position, color, i, x, y, u * this.factor, rgb);
        else {
          // neighbouring faces share no point, so that edges stay sharp
          CORNERS.forEach(([b, c], k) => put(position, color, i + k * n, x + u * this.factor, y + b * half, c * half, rgb));
        }
      }
      geometry.getAttribute("position").needsUpdate = true;
      geometry.getAttribute("color").needsUpdate = true;
      geometry.computeVertexNormals();
    }
  }
}

function put(position: Float32Array, color: Float32Array, i: number, x: number, y: number, z: number, rgb: [number, number, number]): void {
  position[3 * i] = x;
  position[3 * i + 1] = y;
  position[3 * i + 2] = z;
  // vertex colours are linear
  for (let d = 0; d < 3; d++) color[3 * i + d] = rgb[d] ** 2.2;
}

/** Corners of a square section, each twice: once for each face. */
const CORNERS = [[1, -1], [1, 1], [1, 1], [-1, 1], [-1, 1], [-1, -1], [-1, -1], [1, -1]];

function tube(n: number): number[] {
  const index: number[] = [];
  for (let face = 0; face < CORNERS.length; face += 2) for (let i = 0; i + 1 < n; i++) {
    const a = face * n + i, b = a + n;
    index.push(a, b, a + 1, b, b + 1, a + 1);
  }
  return index;
}

/** The edges of triangles, each once, on the points of the surface itself. */
function wires(triangles: number[], surface: THREE.BufferGeometry): THREE.BufferGeometry {
  const seen = new Set<number>();
  const index: number[] = [];
  for (let k = 0; k + 2 < triangles.length; k += 3) for (let d = 0; d < 3; d++) {
    const a = Math.min(triangles[k + d], triangles[k + ((d + 1) % 3)]), b = Math.max(triangles[k + d], triangles[k + ((d + 1) % 3)]);
    const key = a * 4e6 + b;
    if (!seen.has(key)) {
      seen.add(key);
      index.push(a, b);
    }
  }
  const lines = new THREE.BufferGeometry();
  lines.setAttribute("position", surface.getAttribute("position"));
  lines.setIndex(index);
  return lines;
}
