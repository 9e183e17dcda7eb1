import * as THREE from "three";
import type { Data } from "./data/format";
import { ModeMotion, type Motion, RunMotion } from "./data/motion";
import { accuracyNote, describe, describeInstant, equilibrium } from "./describe";
import { Player } from "./player";
import { BEAM_QUANTITIES } from "./scene/beams";
import { reach } from "./scene/extent";
import { css, DARK, diverging, LIGHT } from "./scene/palette";
import { partsOf, tracked } from "./scene/parts";
import { short } from "./numbers";
import { Picture } from "./scene/picture";
import { Stage } from "./scene/stage";
import { Trail } from "./scene/trails";
import { element, name, toggle } from "./ui/dom";
import { fileName, png, Recording, save, type ScaleLegend, type Surroundings } from "./ui/export";
import { help } from "./ui/help";
import { keyboard } from "./ui/keyboard";
import { Panel } from "./ui/panel";
import { Plots } from "./ui/plots";
import { toolbar } from "./ui/toolbar";
import { Transport } from "./ui/transport";
import { Triad } from "./ui/triad";

/** The viewer of one document: picture, time, parts and plots. */
export class Viewer {
  readonly player = new Player();
  readonly plots: Plots;
  readonly transport: Transport;
  readonly panel: Panel;
  readonly help = help();
  readonly parts;
  readonly canvas = element("canvas", { tabindex: "0", role: "img" });
  readonly motions: Motion[];
  stage!: Stage;
  selected = -1;
  /** Milliseconds of script of the last frames. */
  readonly costs: number[] = [];
  private picture!: Picture;
  private ghost: Picture | undefined;
  private followed = -1;
  private dark: boolean;
  private dirty = true;
  private last = 0;
  private readonly trails = new Map<string, Trail>();
  private readonly words = element("p", { class: "hidden-text", id: "instant", role: "status" });
  private spoken = -Infinity;
  private scale: ScaleLegend | undefined;
  private visible = true;
  private recording: Recording | undefined;
  private readonly legend = element("div", { class: "legend" });
  private readonly triad: Triad;
  private readonly label = element("div", { class: "label" });
  private readonly caption = element("div", { class: "caption" });
  readonly reactionButton = toggle("Reactions", "Reaction forces (r)", false, (on) => { this.picture.reactions = on; this.refresh(); });
  private quantity = "";
  private readonly box: HTMLElement;

  constructor(root: HTMLElement, readonly data: Data) {
    const runs = data.runs.map((run) => new RunMotion(run, data.scene));
    const modes = data.modes.map((mode, i) => new ModeMotion(`mode ${i + 1}: ${mode.rigid ? "rigid-body motion" : `${short(mode.frequency)} Hz`}, damping ${short(Math.abs(mode.damping) < 1e-9 ? 0 : 100 * mode.damping)} %`, mode, runs[0], data.scene));
    this.motions = modes.length > 0 ? modes : runs;
    this.parts = partsOf(data.scene);
    const points = reach(data.scene, this.motions[0]);
    data.scene.scale = Math.max(data.scene.size, 0.35 * new THREE.Box3().setFromPoints(points).getSize(new THREE.Vector3()).length());
    this.dark = matchMedia("(prefers-color-scheme: dark)").matches;
    this.plots = new Plots(data.runs, (t) => { this.player.playing = false; this.seek(t); }, () => this.panel.refresh());
    this.transport = new Transport(this.player, () => this.refresh());
    this.panel = new Panel(this.parts, data.runs[0], this.plots, {
      select: (i) => this.select(i), follow: (i) => this.follow(i), isFollowed: (i) => this.followed === i,
      points: (i) => tracked(data.scene, this.parts[i]).map((t) => t.label), trail: (i, k, on) => this.trail(i, k, on), hasTrail: (i, k) => this.trails.has(`${i}.${k}`),
    }, accuracyNote(data));
    this.panel.root.hidden = innerWidth < 1000;
    const text = describe(data);
    this.canvas.setAttribute("aria-label", text);
    this.canvas.setAttribute("aria-describedby", "instant");
    this.triad = new Triad(data.scene);
    this.box = element("div", { class: "picture" }, this.canvas, this.triad.canvas, this.caption, this.legend, this.label, this.words);
    this.label.hidden = this.legend.hidden = true;
    root.replaceChildren(element("div", { class: "viewer" }, toolbar(this), this.box, this.panel.root, this.plots.root, this.transport.root, this.help));
    document.title = data.title.slice(0, 200);
    this.stage = new Stage(this.canvas, data.scene);
    this.applyTheme();
    this.setMotion(0);
    this.stage.bounds([...points, ...this.picture.anchors]);
    if (data.runs.length > 1 && modes.length === 0) this.overlay(1);
    const size = () => { this.stage.resize(this.box.clientWidth, this.box.clientHeight); this.refresh(); };
    size();
    this.stage.home();
    new ResizeObserver(size).observe(this.box);
    // a page in a frame that is scrolled away does no work
    new IntersectionObserver((seen) => { this.visible = seen[seen.length - 1].isIntersecting; }).observe(this.box);
    if (data.scene.scale > 1.3 * data.scene.size) this.trailFarMovers();
    this.picking();
    keyboard(this);
    const still = matchMedia("(prefers-reduced-motion: reduce)").matches;
    this.player.playing = !still && this.player.duration > 0;
    requestAnimationFrame((now) => this.frame(now));
  }

  /** Goes to a time and draws. */
  seek(t: number): void {
    this.player.seek(t);
    this.refresh();
  }

  refresh(): void {
    this.dirty = true;
  }

  select(part: number): void {
    this.selected = part;
    this.panel.select(part);
    this.picture.highlight(part);
    this.refresh();
  }

  follow(part: number): void {
    this.followed = this.followed === part ? -1 : part;
    if (this.followed >= 0) this.stage.keepCamera();
    this.panel.refresh();
    this.refresh();
  }

  /** Draws or removes the trail of a point of a part (`tracked` in parts.ts numbers them). */
  trail(part: number, point: number, on: boolean): void {
    const key = `${part}.${point}`;
    const old = this.trails.get(key);
    if (old) {
      this.stage.root.remove(old.line);
      old.dispose();
    }
    this.trails.delete(key);
    const found = this.parts[part] ? tracked(this.data.scene, this.parts[part])[point] : undefined;
    if (on && found) {
      const trail = new Trail(this.picture.motion, found, this.data.scene.nodes);
      this.trails.set(key, trail);
      this.stage.root.add(trail.line);
    }
    this.panel.refresh();
    this.refresh();
  }

  toggleTrail(): void {
    if (this.selected >= 0) this.trail(this.selected, 0, !this.trails.has(`${this.selected}.0`));
  }

  /** Trails for a model that moves far compared with its size: where it came from is seen at once. */
  private trailFarMovers(): void {
    this.parts.forEach((part, i) => { if (this.trails.size < 3 && (part.kind === "body" || part.kind === "beam")) this.trail(i, 0, true); });
  }

  toggleReactions(): void {
    this.reactionButton.click();
  }

  toggleTheme(): void {
    this.dark = !this.dark;
    this.applyTheme();
    this.rebuild();
    this.plots.restyle();
  }

  togglePanel(): void {
    this.panel.root.hidden = !this.panel.root.hidden;
  }

  /** Plots all recorded channels whose name begins so; returns whether there are any. */
  plotGroup(title: string, prefix: string): boolean {
    if (this.plots.has(title)) {
      this.plots.close(title);
      return true;
    }
    const names = this.data.runs[0].channels.map((c) => c.name).filter((n) => n.startsWith(prefix));
    if (names.length > 0) this.plots.open(title, names);
    return names.length > 0;
  }

  /** Another run, or another mode shape. */
  choose(i: number): void {
    this.setMotion(i);
    if (!this.ghost) return;
    const other = i === 0 ? 1 : 0;
    this.ghost.show(this.motions[other]);
    this.caption.textContent = `${this.motions[i].name.slice(0, 60)}; translucent: ${this.motions[other].name.slice(0, 60)}`;
  }

  showOverlay(on: boolean): void {
    if (this.ghost) this.ghost.group.visible = on;
    this.refresh();
  }

  async savePicture(): Promise<void> {
    save(await this.image(), fileName(this.data.title, "png"));
  }

  async saveVideo(): Promise<void> {
    const video = await this.video();
    if (video) save(video, fileName(this.data.title, "webm"));
    else this.caption.textContent = "This browser cannot record videos.";
  }

  /** The picture of the present time as PNG. */
  image(): Promise<Blob> {
    this.draw();
    return png(this.canvas, this.surroundings());
  }

  private surroundings(clock?: string): Surroundings {
    return { triad: this.triad.canvas, legend: this.scale, ink: this.dark ? "#e6ebf0" : "#1f2831", clock };
  }

  /** Plays the motion once and gives a video. */
  async video(): Promise<Blob | undefined> {
    const loop = this.player.loop;
    this.player.seek(-Infinity);
    this.draw();
    this.recording = Recording.begin(this.canvas, this.surroundings(this.transport.text));
    if (!this.recording) return undefined;
    this.player.loop = false;
    this.player.playing = true;
    await new Promise<void>((resolve) => {
      const wait = () => (this.player.playing ? requestAnimationFrame(wait) : resolve());
      wait();
    });
    this.player.loop = loop;
    const recording = this.recording;
    this.recording = undefined;
    return recording.stop();
  }

  /** Position of a body's origin: as the picture shows it, or at a time of a run. */
  position(body: string, t?: number, run = 0): [number, number, number] | undefined {
    const found = this.data.scene.bodies.find((b) => b.name === body);
    if (!found || found.node < 0 || !this.motions[run]) return undefined;
    let poses = this.picture.poses;
    if (t !== undefined) {
      poses = new Float32Array(this.data.scene.nodes * 7);
      this.motions[run].poses(t, poses);
    }
    return [poses[found.node * 7], poses[found.node * 7 + 1], poses[found.node * 7 + 2]];
  }

  setMotion(i: number): void {
    const motion = this.motions[i];
    if (this.picture) this.picture.show(motion);
    else {
      this.picture = new Picture(this.data.scene, motion, this.parts, this.dark ? DARK : LIGHT, false);
      this.stage.root.add(this.picture.group);
    }
    this.player.range(motion.start, motion.end, motion.times);
    this.transport.range(motion.start, motion.end, motion.parameter);
    this.caption.textContent = motion.parameter === "phase" ? motion.name : "";
    // trails belong to a motion
    for (const key of [...this.trails.keys()]) {
      const [part, point] = key.split(".").map(Number);
      this.trail(part, point, true);
    }
    this.colorBeams(this.quantity);
  }

  colorBeams(key: string): void {
    this.quantity = key;
    const quantity = BEAM_QUANTITIES.find((q) => q.key === key);
    const range = this.picture.colorBeams(quantity);
    const s = this.picture.structures;
    if (quantity) this.setLegend(quantity.label, range, quantity.unit);
    else if (s.range > 0) this.setLegend(s.factor > 1 ? `Displacement, drawn ${short(s.factor)} times larger` : "Displacement", s.range, "m");
    else {
      this.legend.hidden = true;
      this.scale = undefined;
    }
    this.refresh();
  }

  /** Draws the present time at once. */
  draw(): void {
    const t = this.player.time;
    this.picture.update(t);
    this.ghost?.update(t);
    for (const trail of this.trails.values()) trail.update(t);
    if (this.picture.motion.parameter === "load") this.caption.textContent = equilibrium(this.picture.motion.times, t);
    this.transport.update();
    this.plots.update(t);
    this.moveWithPart();
    this.stage.render(this.dirty);
    this.triad.draw(this.stage.camera, this.dark ? "#a3afbc" : "#5a6675");
    this.dirty = false;
    this.recording?.take(this.surroundings(this.transport.text));
    this.speak();
  }

  /** Renews the words for people who do not see the picture: once per second while it plays, else four times. */
  private speak(): void {
    const now = performance.now();
    if (now - this.spoken < (this.player.playing ? 1000 : 250)) return;
    this.spoken = now;
    this.words.setAttribute("aria-live", this.player.playing ? "off" : "polite");
    this.words.textContent = describeInstant(this.data, this.parts, this.selected, this.transport.text, this.picture.poses);
  }

  private overlay(run: number): void {
    this.ghost = new Picture(this.data.scene, this.motions[run], this.parts, this.dark ? DARK : LIGHT, true);
    this.stage.root.add(this.ghost.group);
    this.caption.textContent = `${this.picture.motion.name.slice(0, 60)}; translucent: ${this.motions[run].name.slice(0, 60)}`;
  }

  private frame(now: number): void {
    const begin = performance.now();
    const passed = Math.min(0.1, (now - this.last) / 1000);
    this.last = now;
    if (!this.visible) {
      requestAnimationFrame((next) => this.frame(next));
      return;
    }
    if (this.player.advance(passed)) this.dirty = true;
    // words of a position that was reached between two announcements
    if (!this.dirty && now - this.spoken > 300 && this.words.dataset.at !== this.transport.text) {
      this.words.dataset.at = this.transport.text;
      this.speak();
    }
    if (this.dirty || this.stage.changed) {
      this.draw();
      this.costs.push(performance.now() - begin);
      if (this.costs.length > 600) this.costs.shift();
    }
    requestAnimationFrame((next) => this.frame(next));
  }

  private moveWithPart(): void {
    const points = this.parts[this.selected] ? this.picture.samples(this.parts[this.selected]) : [];
    this.label.hidden = points.length === 0;
    if (points.length > 0) {
      const p = points[Math.floor(points.length / 2)].clone().project(this.stage.camera);
      this.label.replaceChildren(name(this.parts[this.selected].name));
      this.label.style.left = `${(p.x * 0.5 + 0.5) * this.box.clientWidth}px`;
      this.label.style.top = `${(0.5 - p.y * 0.5) * this.box.clientHeight}px`;
    }
    const target = this.parts[this.followed] ? this.picture.samples(this.parts[this.followed])[0] : undefined;
    if (target) {
      const step = target.sub(this.stage.controls.target);
      this.stage.controls.target.add(step);
      this.stage.camera.position.add(step);
    }
  }

  private rebuild(): void {
    const { motion, reactions } = this.picture;
    this.stage.root.remove(this.picture.group);
    this.picture.dispose();
    this.picture = new Picture(this.data.scene, motion, this.parts, this.dark ? DARK : LIGHT, false);
    this.picture.reactions = reactions;
    this.stage.root.add(this.picture.group);
    this.colorBeams(this.quantity);
    if (this.selected >= 0) this.picture.highlight(this.selected);
    if (this.ghost) {
      const other = this.motions.indexOf(this.ghost.motion);
      this.stage.root.remove(this.ghost.group);
      this.ghost.dispose();
      this.overlay(other);
    }
  }

  private applyTheme(): void {
    document.documentElement.dataset.theme = this.dark ? "dark" : "light";
    this.stage.theme(this.dark ? DARK : LIGHT);
    this.refresh();
  }

  private setLegend(title: string, range: number, unit: string): void {
    this.legend.hidden = false;
    this.scale = { title: unit ? `${title} (${unit})` : title, ends: [short(-range), "0", short(range)], colors: [css(diverging(-1)), css(diverging(0)), css(diverging(1))] };
    this.legend.replaceChildren(element("div", {}, this.scale.title), element("div", { class: "scale" }), element("div", { class: "ends" }, ...this.scale.ends.map((end) => element("span", {}, end))));
  }

  private picking(): void {
    let down: [number, number] | undefined;
    this.canvas.addEventListener("pointerdown", (e) => { down = [e.clientX, e.clientY]; });
    this.canvas.addEventListener("pointerup", (e) => {
      if (down && Math.hypot(e.clientX - down[0], e.clientY - down[1]) < 5) this.select(this.pick(e.clientX, e.clientY));
      down = undefined;
    });
  }

  /** The part at a place of the page: what the ray meets first, or what has a point near it. */
  pick(x: number, y: number): number {
    const box = this.canvas.getBoundingClientRect();
    const at = new THREE.Vector2(((x - box.left) / box.width) * 2 - 1, 1 - ((y - box.top) / box.height) * 2);
    const ray = new THREE.Raycaster();
    ray.setFromCamera(at, this.stage.camera);
    for (const hit of ray.intersectObject(this.picture.group, true)) {
      const parts = hit.object.userData.parts as number[] | undefined;
      if (parts && hit.instanceId !== undefined) return parts[hit.instanceId];
    }
    let best = -1, nearest = 14;
    this.parts.forEach((part, i) => {
      if (part.kind === "body") return;
      for (const p of this.picture.samples(part)) {
        p.project(this.stage.camera);
        const d = Math.hypot((p.x - at.x) * 0.5 * box.width, (p.y - at.y) * 0.5 * box.height);
        if (d < nearest) [best, nearest] = [i, d];
      }
    });
    return best;
  }
}
