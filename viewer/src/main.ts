import "./style.css";
import { DamagedData } from "./data/blob";
import { decode } from "./data/decode";
import { element } from "./ui/dom";
import { Viewer } from "./viewer";

/** What tests, and pages that embed this one, may call. docs/viewer.md describes it. */
interface PageControl {
  readonly viewer: Viewer;
  /** The present time in s (load: fraction of the load; mode shapes: turns). */
  time(): number;
  /** Times of the stored frames. */
  times(): number[];
  /** Goes to a time, pauses and draws. */
  seek(t: number): void;
  play(): void;
  pause(): void;
  /** Position of a body's origin in m, as the picture shows it, or at a time of a run; undefined if there is no such body. */
  position(body: string, t?: number, run?: number): [number, number, number] | undefined;
  draw(): void;
}

declare global {
  interface Window {
    cardan?: PageControl;
  }
}

/** Says in the page why it shows nothing. */
function message(title: string, text: string): void {
  document.documentElement.dataset.theme = matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light";
  const box = element("main", { class: "message", role: "alert" }, element("h1", {}, title), element("p", {}, text));
  document.body.append(box);
}

async function start(): Promise<void> {
  const holder = document.getElementById("cardan-data");
  try {
    const data = await decode(holder?.textContent ?? "null");
    holder?.remove();
    const root = element("main", { class: "root" });
    root.style.height = "100%";
    document.body.append(root);
    const viewer = new Viewer(root, data);
    window.cardan = {
      viewer, time: () => viewer.player.time, times: () => Array.from(viewer.motions[0].times), seek: (t) => { viewer.player.playing = false; viewer.seek(t); viewer.draw(); },
      play: () => { viewer.player.playing = true; viewer.refresh(); }, pause: () => { viewer.player.playing = false; viewer.refresh(); },
      position: (body, t, run) => viewer.position(body, t, run), draw: () => viewer.draw(),
    };
  } catch (e) {
    document.querySelector("main.root")?.remove();
    if (e instanceof DamagedData) message("Nothing to show", `${e.message.charAt(0).toUpperCase()}${e.message.slice(1)}.`);
    else if (e instanceof Error && /WebGL/i.test(e.message)) message("No 3D graphics", "This browser or computer gives no WebGL, which the picture needs. Another browser, or hardware acceleration in the settings of this one, helps.");
    else {
      message("The viewer failed", e instanceof Error ? e.message : String(e));
      throw e;
    }
  }
}

void start();
