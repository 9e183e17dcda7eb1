import uPlot from "uplot";
import "uplot/dist/uPlot.min.css";
import type { Channel, Run } from "../data/format";
import { valueAt } from "../data/interpolate";
import { short } from "../numbers";
import { button, element, name } from "./dom";

const STROKES = ["#3b6ea8", "#c9782b", "#3f8f6b", "#8e5a99", "#b3483f", "#4a98a3"];

/** Time plots below the picture. All share the range of the motion and show its present time. */
export class Plots {
  readonly root = element("section", { class: "plots", "aria-label": "Time plots" });
  private readonly charts: { key: string; chart: uPlot; box: HTMLElement; values: HTMLElement[]; channels: Channel[] }[] = [];
  private time = 0;

  constructor(private readonly runs: Run[], private readonly seek: (t: number) => void, private readonly closed: () => void) {
    this.root.hidden = true;
    new ResizeObserver(() => this.resize()).observe(this.root);
  }

  has(key: string): boolean {
    return this.charts.some((c) => c.key === key);
  }

  get count(): number {
    return this.charts.length;
  }

  /** Shows channels in one chart; a second run is dashed. */
  open(key: string, names: readonly string[]): void {
    if (this.has(key)) return;
    this.root.hidden = false;
    const found: { channel: Channel; run: number; label: string }[] = [];
    this.runs.forEach((run, r) => {
      for (const wanted of names) {
        const channel = run.channels.find((c) => c.name === wanted);
        if (channel) found.push({ channel, run: r, label: this.runs.length > 1 ? `${wanted} · ${run.name}` : wanted });
      }
    });
    if (found.length === 0) return;
    const data = uPlot.join(found.map((f) => [f.channel.times, f.channel.values]));
    const strokes = found.map((f) => STROKES[names.indexOf(f.channel.name) % STROKES.length]);
    const values = found.map(() => element("span", { class: "number" }));
    const legend = element("div", { class: "value" });
    found.forEach((f, i) => {
      const sign = element("span", { class: f.run ? "stroke dashed" : "stroke", "aria-hidden": "true" });
      sign.style.borderTopColor = strokes[i];
      const label = f.channel.name.startsWith(`${key}.`) ? f.channel.name.slice(key.length + 1) : f.channel.name === key ? "" : f.channel.name;
      legend.append(element("span", { class: "series" }, sign, ...(label ? [name(label)] : []), values[i]));
    });
    const head = element("header", {}, name(key), legend, button("×", `Close plot ${key.slice(0, 80)}`, () => this.close(key)));
    const place = element("div", { class: "chart" });
    const box = element("figure", {}, head, place);
    this.root.append(box);
    const ink = getComputedStyle(document.documentElement).getPropertyValue("--ink-soft").trim() || "#667";
    const grid = { stroke: getComputedStyle(document.documentElement).getPropertyValue("--line").trim() || "#ccc", width: 1 };
    const axis = { stroke: ink, grid, ticks: grid, font: "11px system-ui, sans-serif" };
    const chart = new uPlot({
      width: Math.max(200, place.clientWidth), height: 132, legend: { show: false }, padding: [6, 10, 0, 0],
      cursor: { drag: { x: false, y: false }, bind: { dblclick: () => null } },
      scales: { x: { time: false } },
      axes: [{ ...axis, size: 26 }, { ...axis, size: 62, values: (_, ticks) => ticks.map(short) }],
      series: [{}, ...found.map((f, i) => ({ label: f.label, stroke: strokes[i], width: 1.5, dash: f.run ? [6, 4] : undefined, spanGaps: true, points: { show: false } }))],
      hooks: { draw: [(u) => this.mark(u)], init: [(u) => {
        const go = (e: PointerEvent) => { if (e.buttons & 1) this.seek(u.posToVal(e.clientX - u.over.getBoundingClientRect().left, "x")); };
        u.over.addEventListener("pointerdown", go);
        u.over.addEventListener("pointermove", go);
      }] },
    }, data, place);
    this.charts.push({ key, chart, box, values, channels: found.map((f) => f.channel) });
    this.update(this.time);
    this.closed();
  }

  close(key: string): void {
    const i = this.charts.findIndex((c) => c.key === key);
    if (i < 0) return;
    this.charts[i].chart.destroy();
    this.charts[i].box.remove();
    this.charts.splice(i, 1);
    this.root.hidden = this.charts.length === 0;
    this.closed();
  }

  /** Moves the marks of the present time. */
  update(t: number): void {
    this.time = t;
    for (const c of this.charts) {
      c.chart.redraw(false, false);
      c.channels.forEach((x, i) => { c.values[i].textContent = `${short(valueAt(x.times, x.values, t))}${x.unit ? ` ${x.unit}` : ""}`; });
    }
  }

  /** Draws all charts again in the colours of the page. */
  restyle(): void {
    const keys = this.charts.map((c) => [c.key, [...new Set(c.channels.map((x) => x.name))]] as const);
    for (const [key] of keys) this.close(key);
    for (const [key, names] of keys) this.open(key, names);
  }

  private mark(u: uPlot): void {
    const x = Math.round(u.valToPos(this.time, "x", true));
    u.ctx.save();
    u.ctx.strokeStyle = "#d97a1e";
    u.ctx.lineWidth = 1.5 * devicePixelRatio;
    u.ctx.beginPath();
    u.ctx.moveTo(x, u.bbox.top);
    u.ctx.lineTo(x, u.bbox.top + u.bbox.height);
    u.ctx.stroke();
    u.ctx.restore();
  }

  private resize(): void {
    for (const c of this.charts) {
      const width = c.box.clientWidth - 8;
      if (width > 100 && width !== c.chart.width) c.chart.setSize({ width, height: 132 });
    }
  }
}
