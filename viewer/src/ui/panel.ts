import type { Run } from "../data/format";
import type { Part } from "../scene/parts";
import { button, element, name, toggle } from "./dom";
import type { Plots } from "./plots";

const MAX_ROWS = 400;

/** What the panel asks of the viewer. */
export interface PanelActions {
  select(part: number): void;
  follow(part: number): void;
  isFollowed(part: number): boolean;
  /** Points of a part that can leave a trail. */
  points(part: number): string[];
  trail(part: number, point: number, on: boolean): void;
  hasTrail(part: number, point: number): boolean;
}

/** The list of parts, and what is known about the chosen one. */
export class Panel {
  readonly root = element("aside", { class: "panel", "aria-label": "Parts and channels" });
  private readonly rows = element("ul", { class: "parts" });
  private readonly details = element("section", { class: "details", "aria-live": "polite" });
  private readonly search = element("input", { type: "search", placeholder: "Find a part or channel", "aria-label": "Find a part or channel" });
  private chosen = -1;

  constructor(
    private readonly parts: Part[], private readonly run: Run, private readonly plots: Plots,
    private readonly act: PanelActions, private readonly note: string,
  ) {
    this.search.addEventListener("input", () => this.list());
    this.root.append(this.search, this.details, this.rows);
    this.list();
    this.select(-1);
  }

  select(part: number): void {
    this.chosen = part;
    for (const b of this.rows.querySelectorAll("button[data-part]")) b.setAttribute("aria-current", String(b.getAttribute("data-part") === String(part)));
    this.refresh();
  }

  /** Draws the details again, after plots changed. */
  refresh(): void {
    const part = this.parts[this.chosen];
    if (!part) {
      this.details.replaceChildren(element("p", { class: "hint" }, "Choose a part in the picture or in the list."), element("p", { class: "hint" }, this.note));
      return;
    }
    const channels = this.run.channels.filter((c) => c.name === part.name || c.name.startsWith(`${part.name}.`)).map((c) => c.name);
    const actions = element("div", { class: "actions" }, toggle("Follow", "Keep this part in the middle of the picture (o)", this.act.isFollowed(this.chosen), () => this.act.follow(this.chosen)));
    const points = this.act.points(this.chosen);
    points.forEach((point, k) => {
      const b = toggle(points.length > 1 ? "Trail: " : "Trail", `Draw the way of ${point.slice(0, 80)}${k === 0 ? " (t)" : ""}`, this.act.hasTrail(this.chosen, k), (on) => this.act.trail(this.chosen, k, on));
      if (points.length > 1) b.append(name(point));
      actions.append(b);
    });
    this.details.replaceChildren(element("h2", {}, name(part.name)), element("p", { class: "hint" }, part.detail), actions, this.channelList(channels));
  }

  private channelList(channels: string[]): HTMLElement {
    const list = element("ul", { class: "channels" });
    for (const channel of channels.slice(0, MAX_ROWS)) {
      const b = toggle("", `Plot ${channel.slice(0, 80)}`, this.plots.has(channel), (on) => (on ? this.plots.open(channel, [channel]) : this.plots.close(channel)));
      b.append(name(channel));
      list.append(element("li", {}, b));
    }
    if (channels.length === 0) list.append(element("li", { class: "hint" }, "No channel of this part was recorded."));
    return list;
  }

  private list(): void {
    const wanted = this.search.value.trim().toLowerCase();
    this.rows.replaceChildren();
    let shown = 0;
    this.parts.forEach((part, i) => {
      if (wanted && !part.name.toLowerCase().includes(wanted) && !part.detail.toLowerCase().includes(wanted)) return;
      if (shown++ >= MAX_ROWS) return;
      const b = button("", `${part.name.slice(0, 80)}, ${part.detail}`, () => this.act.select(i), { "data-part": String(i), "aria-current": String(i === this.chosen) });
      b.append(name(part.name), element("small", {}, part.kind === "joint" || part.kind === "force" ? part.detail : part.kind));
      this.rows.append(element("li", {}, b));
    });
    if (shown > MAX_ROWS) this.rows.append(element("li", { class: "hint" }, `${shown - MAX_ROWS} more: write a part of the name above`));
    if (wanted) {
      const channels = this.run.channels.map((c) => c.name).filter((n) => n.toLowerCase().includes(wanted));
      if (channels.length > 0) this.rows.append(element("li", {}, element("h3", {}, "Channels"), this.channelList(channels)));
    }
  }
}
