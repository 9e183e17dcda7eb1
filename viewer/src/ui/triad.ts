import * as THREE from "three";
import type { Scene } from "../data/format";
import { element } from "./dom";

const SIZE = 92;
const AXES: [string, THREE.Vector3, string][] = [["x", new THREE.Vector3(1, 0, 0), "#c0504d"], ["y", new THREE.Vector3(0, 1, 0), "#4d9a49"], ["z", new THREE.Vector3(0, 0, 1), "#4a78b5"]];

/** Axes of the world and the direction of gravity, in a corner of the picture. */
export class Triad {
  readonly canvas = element("canvas", { class: "triad", "aria-hidden": "true" });
  private readonly arrows: [string, THREE.Vector3, string | undefined][];
  private last = "";

  constructor(scene: Scene) {
    const ratio = Math.min(devicePixelRatio, 2);
    this.canvas.width = this.canvas.height = SIZE * ratio;
    this.arrows = AXES.filter(([axis]) => !scene.planar || axis !== "z");
    const g = new THREE.Vector3(...scene.gravity);
    if (g.lengthSq() > 0) this.arrows.push(["g", g.normalize(), undefined]);
  }

  /** Draws the axes as the camera sees them; nothing if they have not changed. `ink` is the colour of gravity. */
  draw(camera: THREE.Camera, ink: string): void {
    const turn = camera.quaternion.clone().invert();
    const key = `${turn.toArray().map((x) => x.toFixed(3)).join()}${ink}`;
    const context = this.canvas.getContext("2d");
    if (!context || key === this.last) return;
    this.last = key;
    const ratio = this.canvas.width / SIZE;
    context.setTransform(ratio, 0, 0, ratio, this.canvas.width / 2, this.canvas.height / 2);
    context.clearRect(-SIZE, -SIZE, 2 * SIZE, 2 * SIZE);
    context.font = "600 11px system-ui, sans-serif";
    context.textAlign = "center";
    context.textBaseline = "middle";
    const seen = this.arrows.map(([label, direction, color]) => ({ label, color: color ?? ink, v: direction.clone().applyQuaternion(turn), own: color !== undefined }));
    seen.sort((a, b) => a.v.z - b.v.z);
    for (const { label, color, v, own } of seen) {
      const length = 27, x = v.x * length, y = -v.y * length, flat = Math.hypot(x, y);
      context.strokeStyle = context.fillStyle = color;
      context.lineWidth = 2;
      context.setLineDash(own ? [] : [3, 2.5]);
      context.beginPath();
      context.moveTo(0, 0);
      context.lineTo(x, y);
      context.stroke();
      // gravity along an axis of the triad: its letter beside that of the axis
      const beside = own ? 0 : 11;
      if (flat > 3) {
        const ux = x / flat, uy = y / flat;
        context.setLineDash([]);
        context.beginPath();
        context.moveTo(x + 5 * ux, y + 5 * uy);
        context.lineTo(x - 2 * ux - 3.5 * uy, y - 2 * uy + 3.5 * ux);
        context.lineTo(x - 2 * ux + 3.5 * uy, y - 2 * uy - 3.5 * ux);
        context.fill();
        context.fillText(label, x + 12 * ux + beside * Math.abs(uy), y + 12 * uy + (Math.abs(uy) > 0.5 ? 0 : beside));
      }
    }
  }
}
