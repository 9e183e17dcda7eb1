import * as THREE from "three";
import type { Data } from "./data/format";
import { ModeMotion, type Motion, RunMotion } from "./data/motion";
import { describe } from "./describe";
import { Player } from "./player";
import { BEAM_QUANTITIES } from "./scene/beams";
import { reach } from "./scene/extent";
import { DARK, LIGHT } from "./scene/palette";
import { partsOf } from "./scene/parts";
import { short } from "./numbers";
import { Picture } from "./scene/picture";
import { Stage, VIEWS, type View } from "./scene/stage";
import { Trail } from "./scene/trails";
import { button, choice, element, name, toggle } from "./ui/dom";
import { fileName, png, record, save } from "./ui/export";
import { help } from "./ui/help";
import { icon } from "./ui/icons";
import { keyboard } from "./ui/keyboard";
import { Panel } from "./ui/panel";
import { Plots } from "./ui/plots";
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
  private readonly trails = new Map<number, Trail>();
  private readonly legend = element("div", { class: "legend" });
  private readonly triad: Triad;
  private readonly label = element("div", { class: "label" });
  private readonly caption = element("div", { class: "caption" });
  private readonly reactionButton = toggle("Reactions", "Reaction forces (r)", false, (on) => { this.picture.reactions = on; this.refresh(); });
  private quantity = "";
  private readonly box: HTMLElement;

  constructor(root: HTMLElement, readonly data: Data) {
    const runs = data.runs.map((run) => new RunMotion(run, data.scene));
    const modes = data.modes.map((mode, i) => new ModeMotion(`mode ${i + 1}: ${mode.rigid ? "rigid-body motion" : `${short(mode.frequency)} Hz`}, damping ${short(100 * mode.damping)} %`, mode, runs[0], data.scene));
    this.motions = modes.length > 0 ? modes : runs;
    this.parts = partsOf(data.scene);
    const points = reach(data.scene, this.motions[0]);
    data.scene.scale = Math.max(data.scene.size, 0.35 * new THREE.Box3().setFromPoints(points).getSize(new THREE.Vector3()).length());
    this.dark = matchMedia("(prefers-color-scheme: dark)").matches;
    this.plots = new Plots(data.runs, (t) => { this.player.playing = false; this.seek(t); }, () => this.panel.refresh());
    this.transport = new Transport(this.player, () => this.refresh());
    this.panel = new Panel(this.parts, data.runs[0], this.plots, {
      select: (i) => this.select(i), follow: (i) => this.follow(i), trail: (i, on) => this.trail(i, on), hasTrail: (i) => this.trails.has(i),
    });
    this.panel.root.hidden = innerWidth < 1000;
    const text = describe(data);
    this.canvas.setAttribute("aria-label", text);
    this.triad = new Triad(data.scene);
    this.box = element("div", { class: "picture" }, this.canvas, this.triad.canvas, this.caption, this.legend, this.label);
    this.label.hidden = this.legend.hidden = true;
    root.replaceChildren(element("div", { class: "viewer" }, this.toolbar(), this.box, this.panel.root, this.plots.root, this.transport.root, this.help));
    document.title = data.title.slice(0, 200);
    this.stage = new Stage(this.canvas, data.scene);
    this.applyTheme();
    this.stage.bounds(points);
    this.setMotion(0);
    if (data.runs.length > 1 && modes.length === 0) this.overlay(1);
    const size = () => { this.stage.resize(this.box.clientWidth, this.box.clientHeight); this.refresh(); };
    size();
    this.stage.home();
    new ResizeObserver(size).observe(this.box);
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
    this.refresh();
  }

  trail(part: number, on: boolean): void {
    const old = this.trails.get(part);
    if (old) this.stage.root.remove(old.line);
    this.trails.delete(part);
    const p = this.parts[part];
    const s = this.data.scene;
    const node = p?.kind === "body" ? s.bodies[p.index].node : p?.kind === "beam" ? s.beams[p.index].nodes[s.beams[p.index].nodes.length - 1] : -1;
    if (on && node >= 0) {
      const trail = new Trail(this.picture.motion, node, p.kind === "body" ? s.bodies[p.index].centre : [0, 0, 0], s.nodes);
      this.trails.set(part, trail);
      this.stage.root.add(trail.line);
    }
    this.panel.refresh();
    this.refresh();
  }

  toggleTrail(): void {
    if (this.selected >= 0) this.trail(this.selected, !this.trails.has(this.selected));
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

  savePicture(): Promise<Blob> {
    this.draw();
    return png(this.canvas);
  }

  /** Plays the motion once and gives a video. */
  async video(): Promise<Blob | undefined> {
    const recorder = record(this.canvas);
    if (!recorder) return undefined;
    const loop = this.player.loop;
    this.player.seek(-Infinity);
    this.player.loop = false;
    this.player.playing = true;
    await new Promise<void>((resolve) => {
      const wait = () => (this.player.playing ? requestAnimationFrame(wait) : resolve());
      wait();
    });
    this.player.loop = loop;
    return recorder.stop();
  }

  /** Positions of a body's origin at a time. */
  position(body: string, t: number, run = 0): [number, number, number] | undefined {
    const found = this.data.scene.bodies.find((b) => b.name === body);
    if (!found || found.node < 0 || !this.motions[run]) return undefined;
    const poses = new Float32Array(this.data.scene.nodes * 7);
    this.motions[run].poses(t, poses);
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
    this.colorBeams(this.quantity);
  }

  colorBeams(key: string): void {
    this.quantity = key;
    const quantity = BEAM_QUANTITIES.find((q) => q.key === key);
    const range = this.picture.colorBeams(quantity);
    const s = this.picture.structures;
    if (quantity) this.setLegend(quantity.label, range, quantity.unit);
    else if (s.range > 0) this.setLegend(s.factor > 1 ? `Displacement, drawn ${short(s.factor)} times larger` : "Displacement", s.range, "m");
    else this.legend.hidden = true;
    this.refresh();
  }

  /** Draws the present time at once. */
  draw(): void {
    const t = this.player.time;
    this.picture.update(t);
    this.ghost?.update(t);
    for (const trail of this.trails.values()) trail.update(t);
    this.transport.update();
    this.plots.update(t);
    this.moveWithPart();
    this.stage.render();
    this.triad.draw(this.stage.camera, this.dark ? "#a3afbc" : "#5a6675");
    this.dirty = false;
  }

  private overlay(run: number): void {
    this.ghost = new Picture(this.data.scene, this.motions[run], this.parts, this.dark ? DARK : LIGHT, true);
    this.stage.root.add(this.ghost.group);
    this.caption.textContent = `${this.motions[0].name.slice(0, 60)}; translucent: ${this.motions[run].name.slice(0, 60)}`;
  }

  private frame(now: number): void {
    const begin = performance.now();
    const passed = Math.min(0.1, (now - this.last) / 1000);
    this.last = now;
    if (this.player.advance(passed)) this.dirty = true;
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
  }

  private applyTheme(): void {
    document.documentElement.dataset.theme = this.dark ? "dark" : "light";
    this.stage.theme(this.dark ? DARK : LIGHT);
    this.refresh();
  }

  private setLegend(title: string, range: number, unit: string): void {
    this.legend.hidden = false;
    this.legend.replaceChildren(
      element("div", {}, unit ? `${title} (${unit})` : title), element("div", { class: "scale" }),
      element("div", { class: "ends" }, element("span", {}, short(-range)), element("span", {}, "0"), element("span", {}, short(range))),
    );
  }

  private toolbar(): HTMLElement {
    const tools = element("div", { class: "tools", role: "toolbar", "aria-label": "Tools" });
    const scene = this.data.scene;
    if (this.motions.length > 1) {
      tools.append(choice(this.data.modes.length > 0 ? "Mode shape" : "Run", this.motions.map((m, i) => [String(i), m.name]), "0", (v) => {
        this.setMotion(Number(v));
        if (this.ghost) this.ghost.show(this.motions[Number(v) === 0 ? 1 : 0]);
      }));
    }
    const quantities = BEAM_QUANTITIES.filter((q) => scene.beams.some((b) => b[q.scalar] !== undefined));
    if (quantities.length > 0) tools.append(choice("Colour of beams", [["", "Beams: plain"], ...quantities.map((q): [string, string] => [q.key, q.label])], "", (v) => this.colorBeams(v)));
    const views = choice("View", [["", "View"], ...VIEWS.map((v): [string, string] => [v, v])], "", (v) => { if (v) this.stage.view(v as View); views.value = ""; });
    tools.append(views, button("Fit", "Fit everything into the picture (f)", () => this.stage.fit()));
    const channels = this.data.runs[0].channels;
    if (channels.some((c) => c.name.startsWith("energy."))) tools.append(button("Energy", "Plot the energies (e)", () => this.plotGroup("energy", "energy.")));
    if (channels.some((c) => c.name.startsWith("residual."))) tools.append(button("Residual", "Plot the constraint residuals (c)", () => this.plotGroup("residual", "residual.")));
    if (scene.joints.some((j) => j.reaction !== undefined)) tools.append(this.reactionButton);
    tools.append(
      button("Parts", "Parts and channels (p)", () => this.togglePanel()),
      button("PNG", "Save the picture (s)", () => void this.savePicture().then((b) => save(b, fileName(this.data.title, "png")))),
    );
    if (this.data.modes.length > 0 || this.data.runs[0].times.length > 1) {
      tools.append(button("WebM", "Play once and save a video", () => void this.video().then((b) => {
        if (b) save(b, fileName(this.data.title, "webm"));
        else this.caption.textContent = "This browser cannot record videos.";
      })));
    }
    tools.append(button(icon("theme"), "Light or dark (d)", () => this.toggleTheme()), button("?", "Help (?)", () => this.help.showModal()));
    return element("header", { class: "top" }, element("h1", {}, name(this.data.title)), tools);
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
