import * as THREE from "three";
import { OrbitControls } from "three/examples/jsm/controls/OrbitControls.js";
import type { Scene } from "../data/format";
import type { Theme } from "./palette";
import { upward } from "./upward";

/** Standard views, in the order of their keys. */
export const VIEWS = ["front", "back", "left", "right", "top", "bottom", "oblique"] as const;
export type View = (typeof VIEWS)[number];

/** Renderer, camera, light, ground: everything that is not the mechanism. */
export class Stage {
  readonly renderer: THREE.WebGLRenderer;
  readonly root = new THREE.Scene();
  readonly camera = new THREE.PerspectiveCamera(26, 1, 0.01, 1000);
  readonly controls: OrbitControls;
  readonly up: THREE.Vector3;
  private readonly sun = new THREE.DirectionalLight(0xffffff, 2.2);
  private readonly sky = new THREE.HemisphereLight(0xffffff, 0xb9c0c8, 1.35);
  private readonly grid: THREE.Mesh<THREE.PlaneGeometry, THREE.ShaderMaterial>;
  private readonly floor: THREE.Mesh<THREE.PlaneGeometry, THREE.ShadowMaterial>;
  private readonly fill = new THREE.DirectionalLight(0xffffff, 0.9);
  private points: THREE.Vector3[] = [];
  changed = true;
  /** The direction of the last fit; undefined after the reader moved the camera, who then keeps it when the page changes its size. */
  private fitted: THREE.Vector3 | undefined;

  constructor(canvas: HTMLCanvasElement, private readonly scene: Scene) {
    this.renderer = new THREE.WebGLRenderer({ canvas, antialias: true, preserveDrawingBuffer: true });
    this.renderer.shadowMap.enabled = true;
    this.renderer.shadowMap.type = THREE.PCFShadowMap;
    this.up = upward(scene);
    this.camera.up.copy(this.up);
    this.controls = new OrbitControls(this.camera, canvas);
    this.controls.enableDamping = false;
    this.controls.zoomToCursor = true;
    this.controls.addEventListener("start", () => { this.fitted = undefined; });
    this.controls.addEventListener("change", () => { this.changed = true; });
    this.sun.castShadow = true;
    this.renderer.shadowMap.autoUpdate = false;
    this.sun.shadow.radius = 3;
    this.grid = new THREE.Mesh(new THREE.PlaneGeometry(1, 1), gridMaterial());
    this.floor = new THREE.Mesh(new THREE.PlaneGeometry(1, 1), new THREE.ShadowMaterial({ opacity: 0.2 }));
    this.floor.receiveShadow = true;
    this.root.add(this.sun, this.sun.target, this.sky, this.grid, this.floor, this.camera);
    // a weak light beside the reader, so that faces in the shadow keep their form
    this.fill.position.set(0.4, 0.3, 1);
    this.camera.add(this.fill);
    this.grid.raycast = this.floor.raycast = () => {};
  }

  theme(theme: Theme): void {
    this.root.background = new THREE.Color(theme.background);
    this.grid.material.uniforms.tone.value = new THREE.Color(theme.grid);
    this.floor.material.opacity = theme.shadow;
    this.sky.groundColor.setHex(theme.horizon);
    this.changed = true;
  }

  /** Takes the points that the motion reaches, and puts ground and light around them. */
  bounds(points: THREE.Vector3[]): void {
    this.points = points;
    const box = new THREE.Box3().setFromPoints(points);
    const centre = box.getCenter(new THREE.Vector3());
    const radius = Math.max(0.5 * box.getSize(new THREE.Vector3()).length(), 0.2 * this.scene.size);
    const normal = this.scene.planar ? new THREE.Vector3(0, 0, 1) : this.up;
    const ground = centre.clone();
    const lowest = points.reduce((low, p) => Math.min(low, p.dot(normal)), Infinity);
    ground.addScaledVector(normal, lowest - ground.dot(normal) - 0.06 * this.scene.scale);
    this.sun.shadow.normalBias = 0.003 * this.scene.scale;
    for (const mesh of [this.grid, this.floor]) {
      mesh.position.copy(ground);
      mesh.quaternion.setFromUnitVectors(new THREE.Vector3(0, 0, 1), normal);
      mesh.scale.setScalar(14 * radius);
    }
    this.floor.position.addScaledVector(normal, -0.001 * radius);
    const u = this.grid.material.uniforms;
    u.centre.value = ground.clone();
    u.reach.value = 5.5 * radius;
    u.cell.value = 10 ** Math.floor(Math.log10(radius * 1.2)) * (radius * 1.2 / 10 ** Math.floor(Math.log10(radius * 1.2)) > 4 ? 1 : 0.5);
    const side = this.scene.planar ? new THREE.Vector3(-0.45, 0.75, 1.2) : this.up.clone().multiplyScalar(1.5).add(sideways(this.up).multiplyScalar(0.8)).add(sideways(this.up).cross(this.up).multiplyScalar(0.5));
    this.sun.position.copy(centre).addScaledVector(side.normalize(), 6 * radius);
    this.sun.target.position.copy(centre);
    const camera = this.sun.shadow.camera;
    camera.left = camera.bottom = -1.6 * radius;
    camera.right = camera.top = 1.6 * radius;
    camera.near = 2 * radius;
    camera.far = 12 * radius;
    camera.updateProjectionMatrix();
  }

  /** Looks from one side at everything. */
  view(view: View): void {
    const up = this.up;
    const x = sideways(up);
    const front = x.clone().cross(up); // towards the reader
    const direction = {
      front: front.clone(), back: front.clone().negate(), right: x.clone(), left: x.clone().negate(),
      top: up.clone().addScaledVector(front, 0.001), bottom: up.clone().negate().addScaledVector(front, 0.001),
      oblique: front.clone().addScaledVector(x, 0.75).addScaledVector(up, 0.55),
    }[view].normalize();
    this.fit(direction);
  }

  /** The first view: flat mechanisms nearly face-on, others from above on the right. */
  home(): void {
    if (this.scene.planar) return this.view("front");
    const x = sideways(this.up);
    const front = x.clone().cross(this.up);
    const width = (d: THREE.Vector3) => {
      let low = Infinity, high = -Infinity;
      for (const p of this.points) {
        const s = p.dot(d);
        low = Math.min(low, s);
        high = Math.max(high, s);
      }
      return high - low;
    };
    const widths = [width(front), width(x), width(this.up)];
    const flat = 0.2 * Math.max(...widths);
    // a line has two thin directions and keeps the oblique view
    if (widths.filter((w) => w < flat).length !== 1) return this.view("oblique");
    if (widths[0] < flat) this.fit(front.addScaledVector(x, 0.38).addScaledVector(this.up, 0.3).normalize());
    else if (widths[1] < flat) this.fit(x.addScaledVector(front, 0.38).addScaledVector(this.up, 0.3).normalize());
    else this.fit(front.addScaledVector(x, 0.35).addScaledVector(this.up, 1).normalize());
  }

  /** Moves the camera so that everything is seen, from its present direction unless another is given. */
  fit(direction = this.camera.position.clone().sub(this.controls.target).normalize()): void {
    this.fitted = direction.clone();
    const probe = this.camera.clone();
    probe.up.copy(this.up);
    probe.position.copy(direction);
    probe.lookAt(0, 0, 0);
    const turn = probe.quaternion.clone().invert();
    const tall = Math.tan(THREE.MathUtils.degToRad(this.camera.fov / 2));
    const wide = tall * this.camera.aspect;
    const seen = this.points.map((p) => p.clone().applyQuaternion(turn));
    const box = new THREE.Box3().setFromPoints(seen);
    const centre = box.getCenter(new THREE.Vector3());
    const margin = 0.05 * this.scene.scale;
    let distance = 0.1 * this.scene.size;
    for (const p of seen) {
      distance = Math.max(distance, (Math.abs(p.x - centre.x) + margin) / wide + p.z - centre.z, (Math.abs(p.y - centre.y) + margin) / tall + p.z - centre.z);
    }
    distance *= 1.1;
    this.controls.target.copy(centre.applyQuaternion(probe.quaternion));
    this.camera.position.copy(this.controls.target).addScaledVector(direction, distance);
    this.camera.near = distance / 100;
    this.camera.far = distance * 30;
    this.camera.updateProjectionMatrix();
    this.controls.update();
    this.changed = true;
  }

  resize(width: number, height: number): void {
    this.renderer.setPixelRatio(Math.min(window.devicePixelRatio, 2));
    this.renderer.setSize(Math.max(1, width), Math.max(1, height), false);
    this.camera.aspect = Math.max(1, width) / Math.max(1, height);
    this.camera.updateProjectionMatrix();
    if (this.fitted) this.fit(this.fitted);
    const side = width > 800 ? 2048 : 1024;
    if (this.sun.shadow.mapSize.x !== side) {
      this.sun.shadow.mapSize.set(side, side);
      this.sun.shadow.map?.dispose();
      this.sun.shadow.map = null;
    }
    this.changed = true;
  }

  /** Leaves the camera where it is when the page changes its size. */
  keepCamera(): void {
    this.fitted = undefined;
  }

  /** Draws; `moved` unless only the camera has changed, which leaves the shadows as they are. */
  render(moved: boolean): void {
    if (moved) this.renderer.shadowMap.needsUpdate = true;
    this.renderer.render(this.root, this.camera);
    this.changed = false;
  }

  toggleGrid(): void {
    this.grid.visible = !this.grid.visible;
    this.changed = true;
  }
}

/** The direction to the right in a front view. */
function sideways(up: THREE.Vector3): THREE.Vector3 {
  return Math.abs(up.x) > 0.9 ? new THREE.Vector3(0, 1, 0) : new THREE.Vector3(1, 0, 0);
}

/** Lines of a grid that fade with the distance. */
function gridMaterial(): THREE.ShaderMaterial {
  return new THREE.ShaderMaterial({
    transparent: true, depthWrite: false, side: THREE.DoubleSide,
    uniforms: { tone: { value: new THREE.Color() }, centre: { value: new THREE.Vector3() }, reach: { value: 1 }, cell: { value: 1 } },
    vertexShader: `varying vec3 world; varying vec2 flat2;
      void main() { vec4 w = modelMatrix * vec4(position, 1.0); world = w.xyz; flat2 = position.xy * length(modelMatrix[0].xyz); gl_Position = projectionMatrix * viewMatrix * w; }`,
    fragmentShader: `varying vec3 world; varying vec2 flat2; uniform vec3 tone, centre; uniform float reach, cell;
      float lines(float size) { vec2 p = flat2 / size, d = abs(fract(p - 0.5) - 0.5) / fwidth(p); return 1.0 - min(min(d.x, d.y), 1.0); }
      void main() { float fade = 1.0 - smoothstep(0.15, 1.0, distance(world, centre) / reach);
        float a = max(0.12 * lines(cell), 0.26 * lines(5.0 * cell)) * fade; if (a < 0.003) discard; gl_FragColor = vec4(tone, a); }`,
  });
}
