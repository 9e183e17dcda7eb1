import type { Player } from "../player";
import { speeds } from "../player";
import { short } from "../numbers";
import { button, choice, element, toggle } from "./dom";
import { icon } from "./icons";

/** Play, steps, the time line, speed and loop. */
export class Transport {
  readonly root = element("footer", { class: "transport", role: "group", "aria-label": "Time" });
  private readonly play = button(icon("play"), "Play (space)", () => this.act(() => this.player.toggle()), { class: "play" });
  private readonly slider = element("input", { type: "range", min: "0", max: "1000000", step: "1", "aria-label": "Time" });
  private readonly clock = element("output", { class: "clock" });
  private readonly loop = toggle(icon("loop"), "Repeat (l)", true, (on) => this.act(() => { this.player.loop = on; }));
  private speed = choice("Speed", [], "", () => {});
  private start = 0;
  private end = 1;
  private unit = "s";
  private shown = false;

  constructor(private readonly player: Player, private readonly changed: () => void) {
    this.slider.addEventListener("input", () => this.act(() => {
      player.playing = false;
      player.seek(this.start + (Number(this.slider.value) / 1e6) * (this.end - this.start));
    }));
    this.root.append(
      button(icon("start"), "To the start (Home)", () => this.act(() => player.seek(this.start))),
      button(icon("back"), "One frame back (,)", () => this.act(() => player.step(-1))),
      this.play,
      button(icon("on"), "One frame on (.)", () => this.act(() => player.step(1))),
      this.slider, this.clock, this.speed, this.loop,
    );
  }

  /** Takes the range of a motion; `unit` "s", "load" or "phase". */
  range(start: number, end: number, parameter: "time" | "load" | "phase"): void {
    this.start = start;
    this.end = end;
    this.unit = parameter === "time" ? "s" : parameter === "load" ? "of the load" : "of a period";
    const { list, chosen } = parameter === "phase" ? { list: [0.1, 0.2, 0.5, 1, 2], chosen: 0.5 } : speeds(end - start);
    this.player.speed = chosen;
    const label = (x: number) => (parameter === "time" ? `${short(x)}×` : parameter === "load" ? `${short(x)}/s` : `${short(x)} Hz`);
    const next = choice("Speed", list.map((x) => [String(x), label(x)]), String(chosen), (v) => { this.player.speed = Number(v); });
    this.speed.replaceWith(next);
    this.speed = next;
    this.root.hidden = !(end > start);
  }

  faster(direction: 1 | -1): void {
    const i = this.speed.selectedIndex + direction;
    if (i < 0 || i >= this.speed.options.length) return;
    this.speed.selectedIndex = i;
    this.player.speed = Number(this.speed.value);
  }

  /** The time with its unit. */
  get text(): string {
    return this.clock.textContent ?? "";
  }

  toggleLoop(): void {
    this.loop.click();
  }

  update(): void {
    const t = this.player.time;
    const span = this.end - this.start;
    this.slider.value = String(span > 0 ? Math.round(((t - this.start) / span) * 1e6) : 0);
    const digits = Math.max(0, Math.min(9, 3 - Math.floor(Math.log10(span || 1))));
    const text = `${t.toFixed(digits)} ${this.unit}`;
    if (this.clock.textContent !== text) {
      this.clock.textContent = text;
      this.slider.setAttribute("aria-valuetext", text);
    }
    if (this.shown !== this.player.playing) {
      this.shown = this.player.playing;
      this.play.replaceChildren(icon(this.shown ? "pause" : "play"));
      const label = this.player.playing ? "Pause (space)" : "Play (space)";
      this.play.setAttribute("aria-label", label);
      this.play.title = label;
    }
  }

  private act(what: () => void): void {
    what();
    this.changed();
  }
}
