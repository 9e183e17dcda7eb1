import * as THREE from "three";
import { OrbitControls } from "three/examples/jsm/controls/OrbitControls.js";
import type { Scene } from "../data/format";
import { Arrows } from "./arrows";
import { upward } from "./joints";
import { GRAVITY, type Theme } from "./palette";

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
  private readonly sun = new THREE.DirectionalLight(0xffffff, 2.1);
  private readonly sky = new THREE.HemisphereLight(0xffffff, 0xb9c0c8, 1.5);
  private readonly surroundings = new THREE.Group();
  private readonly grid: THREE.Mesh<THREE.PlaneGeometry, THREE.ShaderMaterial>;
  private readonly floor: THREE.Mesh<THREE.PlaneGeometry, THREE.ShadowMaterial>;
  private box = new THREE.Box3(new THREE.Vector3(-1, -1, -1), new THREE.Vector3(1, 1, 1));
  changed = true;

  constructor(canvas: HTMLCanvasElement, private readonly scene: Scene) {
    this.renderer = new THREE.WebGLRenderer({ canvas, antialias: true, preserveDrawingBuffer: true });
    this.renderer.shadowMap.enabled = true;
    this.renderer.shadowMap.type = THREE.PCFShadowMap;
    this.up = upward(scene);
    this.camera.up.copy(this.up);
    this.controls = new OrbitControls(this.camera, canvas);
    this.controls.enableDamping = false;
    this.controls.zoomToCursor = true;
    this.controls.addEventListener("change", () => { this.changed = true; });
    this.sun.castShadow = true;
    this.sun.shadow.mapSize.set(2048, 2048);
    this.sun.shadow.normalBias = 0.003 * scene.size;
    this.grid = new THREE.Mesh(new THREE.PlaneGeometry(1, 1), gridMaterial());
    this.floor = new THREE.Mesh(new THREE.PlaneGeometry(1, 1), new THREE.ShadowMaterial({ opacity: 0.2 }));
    this.floor.receiveShadow = true;
    this.root.add(this.sun, this.sun.target, this.sky, this.surroundings, this.grid, this.floor);
    this.grid.raycast = this.floor.raycast = () => {};
    this.addAxes();
  }

  theme(theme: Theme): void {
    this.root.background = new THREE.Color(theme.background);
    this.grid.material.uniforms.tone.value = new THREE.Color(theme.grid);
    this.floor.material.opacity = theme.shadow;
    this.sky.groundColor.setHex(theme.horizon);
    this.changed = true;
  }

  /** Takes the space that the motion fills, and puts ground and light around it. */
  bounds(box: THREE.Box3): void {
    this.box = box;
    const centre = box.getCenter(new THREE.Vector3());
    const radius = Math.max(0.5 * box.getSize(new THREE.Vector3()).length(), 0.2 * this.scene.size);
    const normal = this.scene.planar ? new THREE.Vector3(0, 0, 1) : this.up;
    const ground = centre.clone();
    const lowest = Math.min(...corners(box).map((c) => c.dot(normal)));
    ground.addScaledVector(normal, lowest - ground.dot(normal) - (this.scene.planar ? 0.06 : 0.035) * this.scene.size);
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

  /** Moves the camera so that everything is seen, from its present direction unless another is given. */
  fit(direction = this.camera.position.clone().sub(this.controls.target).normalize()): void {
    const centre = this.box.getCenter(new THREE.Vector3());
    const probe = this.camera.clone();
    probe.up.copy(this.up);
    probe.position.copy(centre).add(direction);
    probe.lookAt(centre);
    probe.updateMatrixWorld();
    const tall = Math.tan(THREE.MathUtils.degToRad(this.camera.fov / 2));
    const wide = tall * this.camera.aspect;
    let distance = 0.1 * this.scene.size;
    for (const corner of corners(this.box)) {
      const p = corner.sub(centre).applyQuaternion(probe.quaternion.clone().invert());
      distance = Math.max(distance, Math.abs(p.x) / wide + p.z, Math.abs(p.y) / tall + p.z);
    }
    distance *= 1.12;
    this.controls.target.copy(centre);
    this.camera.position.copy(centre).addScaledVector(direction, distance);
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
    this.changed = true;
  }

  render(): void {
    this.renderer.render(this.root, this.camera);
    this.changed = false;
  }

  toggleSurroundings(): void {
    for (const o of [this.surroundings, this.grid]) o.visible = !o.visible;
    this.changed = true;
  }

  private addAxes(): void {
    const length = 0.13 * this.scene.size;
    const radius = 0.0028 * this.scene.size;
    for (const [x, y, z, color] of [[1, 0, 0, 0xc0504d], [0, 1, 0, 0x5a9a57], [0, 0, 1, 0x4a78b5]]) {
      const axis = new Arrows(this.surroundings, 1, color, radius);
      axis.begin();
      axis.add(0, 0, 0, x, y, z, length, true);
      axis.end();
    }
  }

  /** The direction of gravity, beside the model. */
  addGravity(): void {
    const g = new THREE.Vector3(...this.scene.gravity);
    if (g.lengthSq() === 0) return;
    const at = this.box.getCenter(new THREE.Vector3()).addScaledVector(sideways(this.up), -0.5 * this.box.getSize(new THREE.Vector3()).dot(sideways(this.up)) - 0.12 * this.scene.size);
    const arrow = new Arrows(this.surroundings, 1, GRAVITY, 0.004 * this.scene.size);
    arrow.begin();
    arrow.add(at.x, at.y, at.z, g.x, g.y, g.z, 0.16 * this.scene.size, true);
    arrow.end();
  }
}

/** The direction to the right in a front view. */
function sideways(up: THREE.Vector3): THREE.Vector3 {
  return Math.abs(up.x) > 0.9 ? new THREE.Vector3(0, 1, 0) : new THREE.Vector3(1, 0, 0);
}

function corners(box: THREE.Box3): THREE.Vector3[] {
  const out: THREE.Vector3[] = [];
  for (const x of [box.min.x, box.max.x]) for (const y of [box.min.y, box.max.y]) for (const z of [box.min.z, box.max.z]) out.push(new THREE.Vector3(x, y, z));
  return out;
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
