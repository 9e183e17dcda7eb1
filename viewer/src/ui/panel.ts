import type { Run } from "../data/format";
import type { Part } from "../scene/parts";
import { button, element, name, toggle } from "./dom";
import type { Plots } from "./plots";

const MOST_ROWS = 400;

/** The list of parts, and what is known about the chosen one. */
export class Panel {
  readonly root = element("aside", { class: "panel", "aria-label": "Parts and channels" });
  private readonly rows = element("ul", { class: "parts" });
  private readonly details = element("section", { class: "details", "aria-live": "polite" });
  private readonly search = element("input", { type: "search", placeholder: "Find a part or channel", "aria-label": "Find a part or channel" });
  private chosen = -1;

  constructor(
    private readonly parts: Part[], private readonly run: Run, private readonly plots: Plots,
    private readonly act: { select(part: number): void; follow(part: number): void; trail(part: number, on: boolean): void; hasTrail(part: number): boolean },
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
      this.details.replaceChildren(element("p", { class: "hint" }, "Choose a part in the picture or in the list."));
      return;
    }
    const channels = this.run.channels.filter((c) => c.name === part.name || c.name.startsWith(`${part.name}.`)).map((c) => c.name);
    const actions = element("div", { class: "actions" }, button("Follow", "Keep this part in the middle of the picture (o)", () => this.act.follow(this.chosen)));
    if (part.kind === "body" || part.kind === "beam") actions.append(toggle("Trail", "Draw the way of this part (t)", this.act.hasTrail(this.chosen), (on) => this.act.trail(this.chosen, on)));
    this.details.replaceChildren(element("h2", {}, name(part.name)), element("p", { class: "hint" }, part.detail), actions, this.channelList(channels));
  }

  private channelList(channels: string[]): HTMLElement {
    const list = element("ul", { class: "channels" });
    for (const channel of channels.slice(0, MOST_ROWS)) {
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
      if (shown++ >= MOST_ROWS) return;
      const b = button("", `${part.name.slice(0, 80)}, ${part.detail}`, () => this.act.select(i), { "data-part": String(i), "aria-current": String(i === this.chosen) });
      b.append(name(part.name), element("small", {}, part.kind === "joint" || part.kind === "force" ? part.detail : part.kind));
      this.rows.append(element("li", {}, b));
    });
    if (shown > MOST_ROWS) this.rows.append(element("li", { class: "hint" }, `${shown - MOST_ROWS} more: write a part of the name above`));
    if (wanted) {
      const channels = this.run.channels.map((c) => c.name).filter((n) => n.toLowerCase().includes(wanted));
      if (channels.length > 0) this.rows.append(element("li", {}, element("h3", {}, "Channels"), this.channelList(channels)));
    }
  }
}
